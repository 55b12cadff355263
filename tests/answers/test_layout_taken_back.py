"""Ballots whose words after the name take the vote back, bind it to a condition, or name a further candidate."""

import pytest

from folkmoot.answers.layout import read
from folkmoot.core.ask import ABSTAIN
from tests.answers.answer_forms import AGENTS, ballot
from tests.kits.tables import each_row, table

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
PROPOSAL_ROWS = table(__file__, "layout_taken_back_proposal_rows.jsonl")
NUMBERED_ROWS = ("I vote for: Option 1, 2", "I vote for: Option 1 (and 2).", "I vote for: Option 1. Make it 2.")


@pytest.mark.parametrize("text", AGENT_ROWS)
def test_a_vote_that_is_taken_back_or_bound_is_not_booked(text: str):
    reading = read(ballot(), text)
    assert reading.fields == {}
    assert len(reading.unread) == 1


@each_row(PROPOSAL_ROWS)
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
