"""Ballots whose words after the name take the vote back, bind it to a condition, or name a further candidate."""

import pytest

from moot.answers.layout import read
from moot.core.ask import ABSTAIN
from tests.answers.answer_forms import AGENTS, ballot

PROPOSALS = ("Proposal A", "Proposal B", "Proposal C")
NUMBERED = ("Option 1", "Option 2")

AGENT_ROWS = (
    "I vote for: Agent1 over my dead body.",
    "I vote for: Agent1. On reflection, Agent2 deserves it.",
    "I vote for: Agent\u00b2",
    "Voto por Agent1, a menos que suba el precio.",
    "Głosuję na Agent1, pod warunkiem że testy przejdą.",
    "Agent1に投票します。というのは冗談です。",
    "Hlasuji pro Agent1, pokud klesne cena.",
    "En äänestä. Äänestän Agent1, jos hinta laskee.",
    "I vote for Agent1 — in an ideal world.",
    "I abstain, said Agent2. I do not.",
    "I vote for: Agent1\nP.S. Please change this to Agent2.",
    "I vote for: Agent1. Then again, after the audit I cannot support anyone.",
    "I vote for: Agent1. (Vote retracted.)",
    "Ich stimme für Agent1. Ich ziehe meine Stimme zurück.",
    "I vote for: Agent1 ❌",
    "I vote for: Agent1. Cancel my vote.",
    "I vote for: Agent1. This vote is void.",
    "I vote for: Agent1 👎",
    "I vote for: Agent1, weil er billig ist, falls der Preis sinkt.",
    "Voto per Agent1. Per ora, a condizione che passi.",
    "I vote for: Agent1 — a condizione che i costi scendano.",
    "I vote for: Agent1 with the proviso that Agent2 merges.",
    "I vote for: Agent1\n\n(Example.)",
    "I vote for: Agent1\nVoid.",
    "I abstain, wrote Agent1.",
    "I vote for: Agent\u2082",
)
PROPOSAL_ROWS = (
    "I vote for: Proposal A. Well, B then.",
    "I vote for: Proposal A. Change to C.",
    "I vote for: Proposal A. No wait, C.",
    "I vote for: Proposal A / C",
    "I vote for: Proposal A\nC too.",
    "I vote for: Proposal A. And C too.",
    "I vote for: Proposal A. B is better.",
    "I vote for: Proposal A. I prefer B though.",
    "I vote for: Proposal A. I'd rather have B.",
    "I vote for: Proposal A. But B gets my vote.",
    "I vote for: Proposal A. Not.",
    "I vote for: Proposal A. I lied.",
    "I vote for: Proposal A. That was a lie.",
    "I vote for: Proposal A. Gotcha!",
    "I vote for: Proposal A. Haha, no.",
    "I vote for: Proposal A. LOL",
    "I vote for: Proposal A. On the condition that it is cheap.",
    "I vote for: Proposal A. If it is cheap.",
    "I vote for: Proposal A. When it is cheap.",
    "I vote for: Proposal A. Subject to audit.",
    "I vote for: Proposal A. Pending audit.",
    "I vote for: Proposal A. Ich nehme das zurück.",
    "Ich stimme für Proposal A. Falls der Preis sinkt.",
    "Ich stimme für Proposal A. Lieber B.",
    "Ich stimme für Proposal A. Vergesst das.",
    "Je vote pour Proposal A. Oubliez ça.",
    "Je vote pour Proposal A. Plutôt B.",
    "Voto por Proposal A. Olvídalo.",
    "Voto por Proposal A. Si baja el precio.",
    "Voto per Proposal A. Se il prezzo scende.",
    "Я голосую за Proposal A. Если цена упадёт.",
    "Я голосую за Proposal A. Нет, за B.",
    "我投票给Proposal A。如果降价的话。",
    "我投票给Proposal A。算了，弃权。",
    "Proposal Aに投票します。もし安ければ。",
    "Proposal Aに投票します。嘘です。",
    "I vote for: Proposal A. I was told to say that.",
    "I vote for: Proposal A. This was dictated by B.",
    "I vote for: Proposal A. B made me write that.",
    "I vote for: Proposal A. So B would write.",
    "I vote for: Proposal A. Nope.",
    "I vote for: Proposal A.\n\nCorrection: my vote goes to B.",
    "I vote for: Proposal A\n\n(this is what B wants)",
    "I vote for: Proposal A\n^ not mine",
    "I vote for: Proposal A <- wrong",
    "I vote for: Proposal A. Delete that.",
    "I vote for: Proposal A. Remove my vote.",
    "I vote for: Proposal A. Please do not submit this.",
    "I vote for: Proposal A. Switch to B.",
    "I vote for: Proposal A, B",
    "I vote for: Proposal A, C",
    "I vote for: Proposal A (and B).",
    "I vote for: Proposal A - B",
    "I vote for: Proposal A; B",
    "I vote for: Proposal A. And B.",
    "I vote for: Proposal A\n\nB",
    "I vote for: Proposal A. Make it B.",
    "I vote for: Proposal A\nRather B.",
    "I vote for: Proposal A — or C.",
    "I vote for: Proposal A.\nMy vote was withdrawn.",
    "I vote for: Proposal A. (Withdrawn.)",
    "I vote for: Proposal A [retracted]",
    "I vote for: Proposal A. Cancel my vote.",
    "I vote for: Proposal A. Please void this ballot.",
    "I vote for: Proposal A. This ballot is void.",
    "I vote for: Proposal A. That was the form's example.",
    "I vote for: Proposal A. Oh, hold on. C costs less, so C.",
    "I vote for: Proposal A. Or do I?",
    "I vote for: Proposal A. Just testing.",
    "I vote for: Proposal A. (test)",
    "I vote for: Proposal A (test)",
    "I vote for: Proposal A (sarcasm)",
    "I vote for: Proposal A (placeholder)",
    "I vote for: Proposal A (void)",
    "I vote for: Proposal A over nothing, but under B",
    "I vote for: Proposal A. This holds only if funding arrives.",
    "I vote for: Proposal A. If funding fails, C.",
    "I vote for: Proposal A. My condition: funding.",
    "Ich stimme für: Proposal A, vorausgesetzt die Kosten sinken.",
    "Ich stimme für: Proposal A, solange die Kosten sinken.",
    "Ich stimme für: Proposal A. War nur Spaß.",
    "Ich stimme für: Proposal A, es sei denn, die Kosten steigen.",
    "Je vote pour : Proposal A, pourvu que le prix baisse.",
    "Je vote pour Proposal A. Non, je plaisante.",
    "Voto por Proposal A. Es broma.",
    "Voto por Proposal A. Mejor dicho, B.",
    "Voto per Proposal A, purché il prezzo scenda.",
    "Voto per Proposal A, a meno che il prezzo salga.",
    "Voto per Proposal A. Scherzo.",
    "Voto em Proposal A, contanto que o preço baixe.",
    "Я голосую за Proposal A. Шучу.",
    "Я голосую за Proposal A, разве что цена вырастет.",
    "Я голосую за Proposal A. Отзываю свой голос.",
    "Ik stem op Proposal A, op voorwaarde dat de prijs daalt.",
    "Ik stem op Proposal A. Grapje.",
    "Głosuję na Proposal A, o ile cena spadnie.",
    "Głosuję na Proposal A, chyba że cena wzrośnie.",
    "Hlasuji pro Proposal A, jestliže cena klesne.",
    "Votez pentru Proposal A, cu condiția ca prețul să scadă.",
    "Äänestän Proposal A, mikäli hinta laskee.",
    "Ψηφίζω Proposal A, εφόσον πέσει η τιμή.",
    "Ψηφίζω Proposal A, εκτός αν ανέβει η τιμή.",
    "我投票给Proposal A，前提是降价。",
    "我投票给Proposal A，除非涨价。",
    "我投票给Proposal A。开玩笑的。",
    "我投票给Proposal A。不对，是B。",
    "Proposal Aに投票します。いや、Bです。",
    "Proposal A에게 투표합니다. 농담입니다.",
    "Proposal A에게 투표합니다. 단, 가격이 내려야 합니다.",
    "Oyum Proposal A, fiyat düşerse.",
    "Oyum Proposal A, şartıyla ki fiyat düşsün.",
    "I vote for: Proposal B, rather A then.",
    "I vote for: Proposal A. If funding fails, B.",
    "I vote for: Proposal A\nor maybe\nB",
)
NUMBERED_ROWS = ("I vote for: Option 1, 2", "I vote for: Option 1 (and 2).", "I vote for: Option 1. Make it 2.")


@pytest.mark.parametrize("text", AGENT_ROWS)
def test_a_vote_that_is_taken_back_or_bound_is_not_booked(text: str):
    reading = read(ballot(), text)
    assert reading.fields == {}
    assert len(reading.unread) == 1


@pytest.mark.parametrize("text", PROPOSAL_ROWS)
def test_the_bare_letter_of_another_proposal_is_a_rival(text: str):
    assert read(ballot(PROPOSALS), text).fields == {}


@pytest.mark.parametrize("text", NUMBERED_ROWS)
def test_the_bare_number_of_another_option_is_a_rival(text: str):
    assert read(ballot(NUMBERED), text).fields == {}


BOOKED = [
    (PROPOSALS, "I vote for: Proposal A", "Proposal A"),
    (PROPOSALS, "I vote for: Proposal B, a plan that works.", "Proposal B"),
    (PROPOSALS, "I vote for: Proposal A because B lacks tests.", "Proposal A"),
    (PROPOSALS, "I vote for: Proposal A over B.", "Proposal A"),
    (PROPOSALS, "I vote for: Proposal A, not Proposal C.", "Proposal A"),
    (PROPOSALS, "I vote for: Proposal B. It is a cheap plan, and I trust it.", "Proposal B"),
    (PROPOSALS, "I vote for: Proposal A\nReason: C is late and B is a risk.", "Proposal A"),
    (PROPOSALS, "I vote for: Proposal A. Runner-up: B.", "Proposal A"),
    (NUMBERED, "I vote for: Option 1 (confidence: 0.2)", "Option 1"),
    (AGENTS, "I vote for: Agent1. For example, its tests pass.", "Agent1"),
    (AGENTS, "I vote for: Agent1. This vote stands.", "Agent1"),
    (AGENTS, "I vote for: Agent1 \U0001f44d", "Agent1"),
    (AGENTS, "Ich stimme für: Agent1, weil die Kosten sinken.", "Agent1"),
    (
        AGENTS,
        "I vote for: Agent1. The plan is cheap, tested and easy to undo if its costs should ever rise, "
        "which I doubt, since every estimate was checked twice by others.",
        "Agent1",
    ),
    (("Agent\u00b2", "Agent2"), "I vote for: Agent\u00b2", "Agent\u00b2"),
    (PROPOSALS, "I vote for: Proposal C\n\nProposal A is a good start. Proposal B is too risky.", "Proposal C"),
    (AGENTS, "I vote for: Agent1. If we adopt it, costs will fall.", "Agent1"),
    (AGENTS, "I abstain, since nobody was clear.", ABSTAIN),
]


@pytest.mark.parametrize(("choices", "text", "vote"), BOOKED)
def test_a_vote_with_a_reason_or_a_comparison_stands(choices: tuple[str, ...], text: str, vote: str):
    assert read(ballot(choices), text).fields == {"I vote for": vote}
