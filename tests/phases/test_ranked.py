"""Rankings of answers: what each is asked, how it is read, what follows."""

from collections.abc import Mapping

import pytest

from folkmoot.answers.layout import read, repair_question, template, write
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Field, Form, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.decision import Decision
from folkmoot.core.errors import ProtocolError
from folkmoot.phases.base import Sequence
from folkmoot.phases.ranked_vote import ACCEPTABLE, RANKING, RULES, Ranking, ranking_form
from folkmoot.phases.speak import Everyone
from folkmoot.phases.vote import labels
from folkmoot.policy.rules import Quorum
from folkmoot.protocols.known import Choices, build
from folkmoot.report.conclusion import conclusion
from folkmoot.report.markdown import markdown
from folkmoot.report.report import report
from folkmoot.report.turn_text import Choice
from folkmoot.testing.replay import Harness, HeldDebate, SeededAgent
from tests.kits.codes import codes
from tests.kits.players import ANN, BOB, CY, Player, resume_everywhere

DAN = Participant(name="Dan")
FOUR = (ANN, BOB, CY, DAN)
DRAFT = Form(name="draft", fields=(Field(name="ANSWER"), Field(name="CONFIDENCE", kind="number", required=False)))


async def run_debate(
    wishes: Mapping[str, str],
    *,
    rule: str = "borda",
    answers: Mapping[str, str] | None = None,
    people: tuple[Participant, ...] = FOUR,
) -> tuple[HeldDebate, Player]:
    """All draft, then all rank: ``{"Ann": "Bob Cy"}``, "?" for an answer that is no list, "!" for none."""

    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        if ask.act == "draft":
            answer = (answers or {}).get(ask.to, f"answer of {ask.to}")
            return (
                {"ANSWER": answer.rstrip("+"), "CONFIDENCE": 0.9 if answer.endswith("+") else 0.5} if answer else None
            )
        if (wish := wishes[ask.to]) == "!":
            return None
        assert ask.form
        if wish == "?":
            return {"REASON": "none of them"}
        shown = {turn.by: label for turn, label in zip(context.about, ask.form.fields[1].choices, strict=True)}
        return {"REASON": f"{ask.to}'s reason", ask.form.fields[1].name: tuple(shown.get(n, n) for n in wish.split())}

    brief = Brief(topic="Tea?", participants=people)
    ranking = Ranking(acts=("draft",), rule=RULES[rule], approve=rule == "approval")
    tree = Sequence(parts=(Everyone(act="draft", task="Draft.", form=DRAFT), ranking))
    player = Player(script)
    return await Harness(brief=brief, protocol=tree).run(
        dict.fromkeys([person.name for person in people], player)
    ), player


def decided(place: HeldDebate) -> Decision:
    assert place.transcript.decision
    return place.transcript.decision


ALL = {"Ann": "Bob Cy Dan", "Bob": "Cy Ann Dan", "Cy": "Bob Ann Dan", "Dan": "Bob Cy Ann"}


async def test_each_ranks_the_others_answers_without_names_in_an_order_of_its_own() -> None:
    place, player = await run_debate(ALL)
    asks = [ask for ask, _ in player.asked if ask.act == "vote"]
    assert [ask.to for ask in asks] == [participant.name for participant in FOUR]
    authors = {ask.to: [place.transcript.get(key).by for key in ask.about] for ask in asks}
    assert all(sorted((*shown, voter)) == ["Ann", "Bob", "Cy", "Dan"] for voter, shown in authors.items())
    assert any(shown != sorted(shown) for shown in authors.values())
    assert all(ask.form and ask.form.fields[1].choices == labels(3) and ask.view.anonymous for ask in asks)


async def test_rankings_become_ballots_under_the_authors_names() -> None:
    decision = decided((await run_debate(ALL))[0])
    first = decision.ballots[0]
    assert (first.choice, first.ranks, first.reason) == ("Bob", (("Bob",), ("Cy",), ("Dan",)), "Ann's reason")
    assert (decision.status, decision.winner, decision.text) == ("decided", "Bob", "answer of Bob")
    assert dict(decision.tally) == {"Ann": 5.0, "Bob": 9.0, "Cy": 7.0, "Dan": 3.0}
    assert decision.support == ("Ann", "Cy", "Dan")
    assert decision.dissent == ()  # Bob could not name himself


async def test_dissent_says_its_reason() -> None:
    decision = decided((await run_debate({**ALL, "Dan": "Ann Bob Cy"}))[0])
    assert (decision.winner, decision.dissent) == ("Bob", ("Dan for Ann: Dan's reason",))


@pytest.mark.parametrize("rule", RULES)
async def test_every_rule_decides(rule: str) -> None:
    decision = decided((await run_debate(ALL, rule=rule))[0])
    assert decision.rule == rule.replace("_", " ")
    assert decision.status == ("tie" if rule == "approval" else "decided")  # here everybody approves of all others


async def test_an_approval_is_one_tier() -> None:
    decision = decided((await run_debate({"Ann": "Bob Cy", "Bob": "Cy", "Cy": "Bob", "Dan": "Cy"}, rule="approval"))[0])
    assert decision.ballots[0].ranks == (("Bob", "Cy"),)
    assert (decision.winner, dict(decision.tally)) == ("Cy", {"Ann": 0.0, "Bob": 2.0, "Cy": 3.0, "Dan": 0.0})
    assert decision.support == ("Ann", "Bob", "Dan")
    assert decision.dissent == ()


async def test_what_is_no_list_of_the_labels_is_no_ballot() -> None:
    wishes = {"Ann": "?", "Bob": "Ann Ann", "Cy": "Ann Zoe", "Dan": "!"}
    decision = decided((await run_debate(wishes))[0])
    assert [ballot.state for ballot in decision.ballots] == ["unread", "unread", "unread", "missing"]
    assert decision.ballots[1].reason == "no list of the labels"
    assert (decision.status, decision.how) == ("no_decision", "no vote was cast by 4 voters")


async def test_without_most_of_the_rankings_there_is_no_quorum() -> None:
    assert isinstance(RULES["borda"], Quorum)
    decision = decided((await run_debate({**ALL, "Ann": "?", "Bob": "!"}))[0])
    assert (decision.status, decision.winner) == ("no_decision", "")
    assert decision.how.startswith("no quorum: 2 of 4")


async def test_equal_answers_on_top_together_are_no_tie() -> None:
    wishes = {"Ann": "Bob Cy Dan", "Bob": "Ann Cy Dan", "Cy": "Ann Bob Dan", "Dan": "Bob Ann Cy"}
    tied = decided((await run_debate(wishes))[0])
    assert (tied.status, tied.winner) == ("tie", "")
    joined = decided((await run_debate(wishes, answers={"Ann": "Tea", "Bob": "tea.+"}))[0])
    assert (joined.status, joined.winner, joined.text) == ("decided", "Bob", "tea.")
    assert joined.how.endswith("all of them give the same answer")
    assert joined.support == ("Ann", "Bob", "Cy", "Dan")


async def test_where_all_say_the_same_nobody_ranks() -> None:
    place, player = await run_debate(ALL, answers=dict.fromkeys(("Ann", "Bob", "Cy", "Dan"), "Tea"))
    assert {ask.act for ask, _ in player.asked} == {"draft"}
    assert (decided(place).status, decided(place).winner) == ("decided", "Tea")


async def test_whoever_sees_fewer_than_two_answers_has_nothing_to_rank() -> None:
    place, player = await run_debate(ALL, answers={"Cy": "", "Dan": ""})
    assert [ask.to for ask, _ in player.asked if ask.act == "vote"] == ["Cy", "Dan"]
    assert decided(place).ballots[0].reason == "fewer than two answers to rank"
    none, player = await run_debate({"Ann": "", "Bob": ""}, people=(ANN, BOB))
    assert (decided(none).status, len(player.asked)) == ("no_decision", 2)


async def test_jurors_rank_all() -> None:
    juror = Participant(name="Jo", duty="juror")
    _, player = await run_debate({**ALL, "Jo": "Dan Ann Bob Cy"}, people=(*FOUR, juror))
    assert [len(ask.about) for ask, _ in player.asked if ask.act == "vote"] == [3, 3, 3, 3, 4]


async def test_nobody_ranks_what_is_hidden_from_him() -> None:
    dan = Participant(name="Dan", hide=("Bob",))
    _, player = await run_debate({**ALL, "Dan": "Cy Ann"}, people=(ANN, BOB, CY, dan))
    assert [len(ask.about) for ask, _ in player.asked if ask.act == "vote"] == [3, 3, 3, 2]


# ---- in a text -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("REASON: r\nRANKING:\n- Proposal B\n- Proposal A", ("Proposal B", "Proposal A")),
        ("REASON: r\nRANKING:\n1. **Proposal B**\n2. proposal a", ("Proposal B", "Proposal A")),
        ("REASON: r\nRANKING: Proposal C", ("Proposal C",)),
        ('{"REASON": "r", "RANKING": ["Proposal C", "Proposal A"]}', ("Proposal C", "Proposal A")),
        ('{"REASON": "r", "RANKING": "Proposal C"}', ("Proposal C",)),
        ("REASON: r\nRANKING:\n- Proposal B\n- Proposal B", "RANKING: duplicate_key"),
        ("REASON: r\nRANKING:\n- Proposal B\n- Proposal D", "RANKING: not_allowed"),
        ("REASON: r\nRANKING:\n- Proposal B, because it is short", "RANKING: not_allowed"),
        ('{"REASON": "r", "RANKING": ["Proposal B", "Ann"]}', "RANKING: not_allowed"),
        ('{"REASON": "r", "RANKING": "Proposal A > Proposal B"}', "RANKING: not_allowed"),
        ("REASON: r", "RANKING: missing"),
    ],
)  # fmt: skip
def test_a_ranking_is_read_strictly(text: str, value: object) -> None:
    form = ranking_form(3)
    reading = read(form, text)
    if isinstance(value, str):
        assert (codes(reading), RANKING in reading.fields) == ((value,), False)
        assert "RANKING" in repair_question(form, reading)
    else:
        assert (reading.fields[RANKING], reading.unread) == (value, ())


def test_a_ranking_is_asked_for_by_its_labels() -> None:
    assert '"Proposal A", "Proposal B"' in template(ranking_form(2))
    assert ranking_form(2, approve=True).fields[1].name == ACCEPTABLE
    fields: dict[str, Value] = {"REASON": "Because.", RANKING: ("Proposal B", "Proposal A")}
    assert read(ranking_form(2), write(ranking_form(2), fields)).fields == fields


# ---- in protocols --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", ["panel", "council", "arena"])
async def test_rankings_decide_where_a_vote_is_held(name: str, rule: str) -> None:
    brief = Brief(topic="?", participants=(ANN, BOB, CY), options=("tea", "coffee"))
    tree = build(name, brief, Choices(strategy=rule, rounds=1))
    place = Harness(brief=brief, protocol=tree, name=name)
    whole = await place.run(dict.fromkeys(("Ann", "Bob", "Cy"), SeededAgent()))
    assert decided(whole).rule == rule.replace("_", " ")
    await resume_everywhere(place, whole, step=7)


@pytest.mark.parametrize(
    ("name", "people", "message"),
    [
        ("panel", (ANN, BOB), "borda ranks the answers of others: it needs at least 3 debaters, or jurors"),
        ("round_robin", (ANN, BOB, CY), "no strategy is called 'borda' here"),
        ("board", (ANN, BOB, CY, Participant(name="T", duty="moderator")), "no strategy is called 'borda' here"),
    ],
)
def test_where_nobody_could_rank_it_is_refused(name: str, people: tuple[Participant, ...], message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        build(name, Brief(topic="?", participants=people), Choices(strategy="borda"))


def test_two_debaters_are_ranked_by_jurors() -> None:
    people = (ANN, BOB, Participant(name="Jo", duty="juror"))
    tree = build("panel", Brief(topic="?", participants=people), Choices(strategy="schulze"))
    assert "Ranking" in str(tree)


async def test_reports_count_approvals_and_first_places_for_all_who_are_on_top() -> None:
    place, _ = await run_debate(
        {"Ann": "Bob Cy", "Bob": "Ann Cy", "Cy": "Ann Bob"}, rule="approval", people=(ANN, BOB, CY)
    )
    rows = conclusion(place.transcript).tally
    assert {row.candidate: (row.ballots, row.votes) for row in rows} == {
        "Ann": (2, 2.0),
        "Bob": (2, 2.0),
        "Cy": (2, 2.0),
    }
    page = markdown(report(place.entries, debate="tea"))
    assert "| Candidate | Approvals |" in page
    place, _ = await run_debate({"Ann": "Bob Cy", "Bob": "Cy Ann", "Cy": "Bob Ann"}, people=(ANN, BOB, CY))
    page = markdown(report(place.entries, debate="tea"))
    assert "| Candidate | First places |" in page


def test_a_choice_by_scores_says_each_score() -> None:
    assert Choice(how="scores", names=("Ann", "Bob"), scores=(4.0, 2.5)).words == ("Ann 4", "Bob 2.5")
    assert Choice(how="ranks", names=("Ann", "Bob")).words == ("Ann", "Bob")
