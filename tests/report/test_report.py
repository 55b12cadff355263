"""What a report says about a debate, as data and as Markdown."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from folkmoot.arguments.positions import Change
from folkmoot.core.ask import Usage
from folkmoot.core.brief import Brief, Source
from folkmoot.core.decision import Ballot, Decision, Minority, Status
from folkmoot.core.errors import RecordError
from folkmoot.core.event import Closed, Entry, Opened, Paused, Ruled
from folkmoot.core.text import about
from folkmoot.core.transcript import fold
from folkmoot.report.conclusion import Row
from folkmoot.report.markdown import markdown
from folkmoot.report.report import Report, as_data, report, settings
from tests.kits.clock import within
from tests.paths import GOLDEN
from tests.report.reports import DRAFT, Diary, ask, draft, hiring, opened, person

EXPECTED = GOLDEN / "report.md"
ANN, BEN, CHAIR = person("Ann"), person("Ben"), person("Chair", duty="moderator")


def read(diary: Diary) -> Report:
    return report(diary.entries, debate="d1")


def page(diary: Diary) -> str:
    return markdown(read(diary))


def ruled(decision: Decision, *people: str) -> Diary:
    seats = [person(name) for name in people or ("Ann", "Ben")]
    return opened(*seats).add(Ruled(decision=decision), Closed(status=decision.status, reason=decision.how))


def test_golden_report() -> None:
    text = markdown(report(hiring(), debate="20260105-hire-7f3a", where="debates.sqlite", head="ab" * 32))
    assert text == EXPECTED.read_text("utf-8")


def test_data_is_json_and_has_the_numbers_of_the_page() -> None:
    report_data = report(hiring(), debate="d1")
    data = json.loads(json.dumps(as_data(report_data), allow_nan=False))
    text = markdown(report_data)
    total = data["metrics"]["total"]
    assert f"{total['calls']} answered" in text
    assert f"{total['input_tokens']:,} in" in text
    assert f"{total['output_tokens']:,} out" in text
    assert total["cost"] is None
    assert "**Cost:** unknown (no price for `open:small`" in text
    assert f"${total['known']:.4f}" in text
    for row in data["outcome"]["tally"]:
        assert f"| {row['candidate']} | {row['ballots']} | {row['first']:g} |" in text
    for participant in data["participants"]:
        use = participant["use"]
        tokens = about(f"{use['input_tokens']:,}", use["estimated"])
        numbers = f"{use['answers']} of {use['asks']} | {use['calls']} | {tokens}"
        assert f"| {participant['name']} | {numbers} |" in text
    assert len(data["faults"]) == len(re.findall(r"^- \*\*", text.split("## Problems")[1].split("## Record")[0], re.M))
    assert data["entries"] == 45
    assert sum(item["use"]["calls"] for item in data["participants"]) == total["calls"]


def test_fold_is_the_transcript() -> None:
    transcript = fold(hiring())
    assert transcript.closed == Closed(status="decided", reason="Hire has 2 of 3")
    assert transcript.attempts == 6


def test_a_record_without_its_opening() -> None:
    with pytest.raises(RecordError, match="debate d1 does not begin with its opening"):
        report([], debate="d1")


@pytest.mark.parametrize(
    ("diary", "status", "line"),
    [
        (opened(ANN), "open", "not finished: the record breaks off before the end of the debate"),
        (opened(ANN).add(Paused(reason="stopped")), "paused", "paused: stopped"),
        (opened(ANN).add(Paused(reason="", kind="limit")), "paused", "paused: limit"),
        (opened(ANN).add(Closed(status="failed", reason="0 of 2 answered")), "failed", "failed: 0 of 2 answered"),
        (opened(ANN).add(Closed(status="no_decision")), "no_decision", "no decision"),
        (ruled(Decision(status="tie", how="tie: Ann and Ben have 1 each")), "tie", "tie: Ann and Ben have 1 each"),
        (ruled(Decision(status="decided", text="Go", how="Chair said so")), "decided", "decided: Chair said so"),
        (
            ruled(Decision(status="decided", rule="majority", how="2 of 2")),
            "decided",
            "decided by more than half of the votes: 2 of 2",
        ),
    ],
)
def test_status_in_one_line(diary: Diary, status: str, line: str) -> None:
    report_data = read(diary)
    assert (report_data.outcome.status, report_data.outcome.line) == (status, line)
    assert f"\n\n**{line[0].upper()}{line[1:]}**\n\n" in markdown(report_data)


@pytest.mark.parametrize(("status", "shown"), [("paused", True), ("decided", False)])
def test_a_debate_that_is_not_over_says_how_to_go_on(status: str, shown: bool) -> None:
    diary = opened(ANN).add(Paused(reason="stopped") if status == "paused" else Closed(status="decided"))
    assert ("`folkmoot resume d1`" in page(diary)) is shown
    assert "There is no decision." in page(diary)


@pytest.mark.parametrize(
    ("decision", "shown"),
    [
        (Decision(status="tie"), "**It is a tie: nothing is decided.**"),
        (Decision(status="no_decision"), "**There is no decision.**"),
        (Decision(status="decided", winner="Ann", text="My plan"), "**The proposal of Ann:** My plan"),
        (Decision(status="decided", winner="Ann", text="one\ntwo"), "**The proposal of Ann:**\n\none  \ntwo"),
        (Decision(status="decided", winner="yes", text="yes"), "**Decided:** yes"),
        (Decision(status="decided", winner="yes"), "**Decided:** yes"),
        (Decision(status="decided"), "**How it was decided:** The record does not say."),
        (Decision(status="decided", how="Chair gave it", rule="moderator"), "Chair gave it. Rule: the moderator."),
    ],
)
def test_decision_in_words(decision: Decision, shown: str) -> None:
    assert shown in page(ruled(decision))


def test_tie_is_never_dressed_up() -> None:
    ballots = (Ballot(voter="Ann", choice="Ann"), Ballot(voter="Ben", choice="Ben"))
    minority = (Minority(answer="Ann", by=("Ann",), share=0.5), Minority(answer="Ben", share=0.5, argument="Cheap."))
    tally = {"Ann": 1.0, "Ben": 1.0}
    text = page(ruled(Decision(status="tie", share=0.5, tally=tally, ballots=ballots, minority=minority)))
    assert "Largest share of the votes: 50%." in text
    assert (
        "**Answer without a decision:** the proposal of Ann (50% of the votes)\n\n"
        "**Answer without a decision:** Ben (nobody" in text
    )
    assert "> Cheap." in text
    assert "Dissent" not in text
    assert "Decided" not in text


@pytest.mark.parametrize(
    "ballots",
    [
        (),
        (Ballot(voter="Ann", choice="REJECT"), Ballot(voter="Ben", choice="ACCEPT")),
        (Ballot(voter="Ann", state="missing"),),
    ],
)
def test_an_answer_has_a_share_only_where_somebody_voted(ballots: tuple[Ballot, ...]) -> None:
    minority = (Minority(answer="Ann", by=("Ann",)), Minority(answer="Yes, soon", by=("Ben", "Cid")))
    text = page(ruled(Decision(status="no_decision", ballots=ballots, minority=minority)))
    assert "**Answer without a decision:** the proposal of Ann\n" in text
    assert "**Answer without a decision:** Yes, soon (Ben and Cid)\n" in text
    assert "of the votes" not in text


def test_an_answer_that_nobody_voted_for_says_so() -> None:
    ballots, minority = (Ballot(voter="Ben", choice="Ben"),), (Minority(answer="Ann", by=("Ann",)),)
    text = page(ruled(Decision(status="decided", winner="Ben", text="x", ballots=ballots, minority=minority)))
    assert "**Minority answer:** the proposal of Ann (0% of the votes)" in text


def test_ballots_with_states_reasons_and_weights() -> None:
    ballots = (
        Ballot(voter="Ann", choice="yes", weight=2.5),
        Ballot(voter="Ben", state="abstained"),
        Ballot(voter="Cid", state="unread", reason="two votes"),
        Ballot(voter="Dee", state="missing"),
        Ballot(voter="Eve", choice="no"),
    )
    decision = Decision(status="decided", winner="yes", text="yes", tally={"yes": 2.5, "no": 1.0}, ballots=ballots)
    report_data = read(ruled(decision))
    text = markdown(report_data)
    assert report_data.outcome.tally == (
        Row(candidate="yes", ballots=1, votes=2.5),
        Row(candidate="no", ballots=1, votes=1.0),
    )
    assert "| Candidate | Votes | Weight |\n| --- | ---: | ---: |\n| yes | 1 | 2.5 |\n| no | 1 | 1 |" in text
    assert "| Voter | Vote | Reason | Weight |\n| --- | --- | --- | ---: |\n| Ann | yes |  | 2.5 |" in text
    assert (
        "| Ben | *abstained* |  | 1 |\n| Cid | *not readable* | two votes | 1 |\n| Dee | *no ballot* |  | 1 |" in text
    )
    assert "**Dissent:** Eve for no" in text


@pytest.mark.parametrize(
    ("first", "winner", "note"),
    [
        ({"yes": 2.0, "no": 1.0}, "yes", ""),
        ({"yes": 1.0, "no": 2.0}, "yes", "no had 2 of 3 first drafts."),
        ({"yes": 1.0, "no": 1.0}, "yes", "yes and no had 1 of 2 first drafts each."),
        ({"no": 2.0}, "", ""),
        ({}, "yes", ""),
    ],
)
def test_first_drafts_that_say_otherwise(first: dict[str, float], winner: str, note: str) -> None:
    status = "decided" if winner else "no_decision"
    notes = read(ruled(Decision(status=status, winner=winner, first=first))).outcome.notes
    assert [note in text for text in notes] == [True] * bool(note)


@pytest.mark.parametrize(
    ("seats", "model"),
    [
        (("a:b", "a:b"), "a:b"),
        (("a:b", "a:c"), ""),
        (("human", "human"), ""),
        (("", ""), ""),
        (("a:b",), ""),
    ],
)
def test_votes_of_copies_are_weak_evidence(seats: tuple[str, ...], model: str) -> None:
    people = [person(f"P{n}", seat=seat) for n, seat in enumerate(seats)]
    ballots = tuple(Ballot(voter=participant.name, choice="yes") for participant in people)
    diary = opened(*people).add(Ruled(decision=Decision(status="decided", winner="yes", ballots=ballots)))
    note = f"Both votes come from {model}: agreement of copies is weak evidence."
    assert read(diary).outcome.notes == ((note,) if model else ())


def test_copies_are_told_by_the_models_that_were_called() -> None:
    people = (person("Ann", seat="a:x"), person("Ben", seat="a:y"))
    ballots = tuple(Ballot(voter=participant.name, choice="yes") for participant in people)
    diary = opened(*people)
    for n, participant in enumerate(people, start=1):
        diary.say(ask(f"/debate/argue#{n}", participant.name, "argue"), "Yes.", model="a:z")
    diary.add(Ruled(decision=Decision(status="decided", winner="yes", ballots=ballots)))
    assert " a:z: " in read(diary).outcome.notes[0]


@pytest.mark.parametrize(
    ("seats", "line"),
    [
        (("builtin:quotes",) * 2, "No language model took part: the participants only quote the brief's background."),
        (("builtin:quotes", "a:b"), "P0 is not a language model: it only quotes the brief's background."),
        (("builtin:quotes", "builtin:quotes", "a:b"), "P0 and P1 are no language models: they only quote the brief's"),
        (("a:b", "a:b"), ""),
    ],
)
def test_a_report_says_where_no_language_model_took_part(seats: tuple[str, ...], line: str) -> None:
    text = page(opened(*(person(f"P{n}", seat=seat) for n, seat in enumerate(seats))))
    assert text.count("quote") == bool(line) + text.count("`builtin:quotes`")
    assert line in text


def test_header_of_a_brief_with_everything() -> None:
    brief = Brief(
        topic="Which? " * 100,
        background=(Source(name="a.md", text=""), Source(name="b.md", text="")),
        participants=(replace(ANN, weight=2.0, persona=" "), replace(CHAIR, role="Moderator")),
        options=("yes", "no", "later"),
    )
    text = page(Diary().add(Opened(brief=brief, protocol={}, name="panel")))
    assert "- **Options:** yes; no; later\n- **Background:** a.md and b.md\n- **Participants:** Ann, Chair\n" in text
    assert "took 0 s\n- **Calls:** none\n- **Debate:** `d1`" in text
    assert len(text.split("\n")[0]) == 296
    assert f"**Topic:** {('Which? ' * 100).strip()}\n" in text
    assert "- **Ann:** debater, weight 2\n- **Chair:** Moderator\n" in text
    assert "- **Length:** 1 entry, the last one of 2026-01-05 10:00:00 UTC" in text
    assert "## The debate\n\nNothing was said." in text
    assert "## Problems\n\nThere were no problems." in text


def test_what_a_persona_says_under_labels_stands_apart() -> None:
    persona = "You were\nthere. \n\nPersonality: calm\nExpertise: Sheep. And: goats\n Speaking style: short"
    text = page(Diary().add(Opened(brief=Brief(topic="?", participants=(replace(ANN, persona=persona),)), protocol={})))
    assert ". You were there. · Personality: calm · Expertise: Sheep. And: goats · Speaking style: short\n" in text


def test_changes_of_answers_are_told_with_their_reasons() -> None:
    diary = opened(ANN, BEN)
    for n, (who, answer) in enumerate([("Ann", "yes"), ("Ben", "no"), ("Ann", "**Yes.**"), ("Ben", "yes")], start=1):
        text, fields = draft(answer, 0.5, "x")
        diary.say(ask(f"/debate/draft#{n}", who, "draft", form=DRAFT), text, fields)
    diary.add(Ruled(decision=Decision(status="decided", winner="yes", text="yes")))
    report_data = read(diary)
    assert report_data.changes == (Change(by="Ben", key="/debate/draft#4", mark="T4", before="no", after="yes"),)
    assert [stand.answer for stand in report_data.stands["Ann"]] == ["yes", "**Yes.**"]
    assert "- Ben (Drafts): from no to yes, and the record states no reason\n" in markdown(report_data)


def test_nobody_changed_the_answer() -> None:
    diary = opened(ANN)
    for n in (1, 2):
        diary.say(ask(f"/debate/rounds/round-{n}#1", "Ann", "argue"), "x", {"position": "yes"})
    diary.add(Ruled(decision=Decision(status="decided", winner="yes", text="yes")))
    assert "Nobody changed their answer during the debate." in page(diary)


def test_a_thousand_turns_take_less_than_a_second() -> None:
    diary = opened(ANN, BEN)
    paid = Usage(input_tokens=10, output_tokens=10, cost=0.01)
    body = "# Title\n\nSome *words* with `code` and <b>.\n" * 10
    for n in range(1, 1001):
        key = f"/debate/rounds/round-{n // 2 + 1}/argue#{n % 2 + 1}"
        diary.say(ask(key, ("Ann", "Ben")[n % 2], "argue"), body, model="a:b", usage=paid)
    with within(1):
        text = markdown(report(diary.entries, debate="d1"))
    assert text.count("\n#### ") == 1000
    assert "- **Cost:** $10.0000\n" in text


@pytest.mark.parametrize(
    ("rule", "status", "winner", "votes", "against"),
    [
        ("unanimity", "no_decision", "", "aab", "Dee"),
        ("unanimity", "no_decision", "", "aabb", ""),  # nobody leads
        ("plurality", "tie", "", "ab", ""),
        ("plurality", "decided", "a", "aab", "Dee"),
        ("moderator", "decided", "", "ab", ""),  # nobody was elected
        ("consent", "no_decision", "", ("ACCEPT", "ACCEPT_WITH_RESERVATION", "REJECT"), "Dee"),
        ("consent", "decided", "", ("ACCEPT", "ACCEPT_WITH_RESERVATION", "ACCEPT"), ""),
    ],
)
def test_who_is_against(rule: str, status: Status, winner: str, votes: Sequence[str], against: str) -> None:
    cast = [
        Ballot(voter=voter, choice=choice, reason="Why.")
        for voter, choice in zip(("Ann", "Ben", "Dee"), votes, strict=False)
    ]
    cast += [Ballot(voter="Eve", choice=votes[3])] if len(votes) > 3 else []
    tally = {name: float(list(votes).count(name)) for name in votes}
    decision = Decision(status=status, winner=winner, rule=rule, tally=tally, ballots=tuple(cast))
    report = read(ruled(decision, "Ann", "Ben", "Dee", "Eve"))
    assert " ".join(ballot.voter for ballot in report.outcome.dissent) == against
    assert all(ballot.reason == "Why." for ballot in report.outcome.dissent)
    assert ("**Dissent:** Dee for " in page(ruled(decision, "Ann", "Ben", "Dee", "Eve"))) == bool(against)


def test_a_number_of_rounds_that_is_none_is_left_out() -> None:
    tree = {"is": "Sequence", "parts": [{"is": "Rounds", "most": "many"}, {"is": "Rounds", "most": 2}]}
    lines = settings([Entry(seq=1, at=0.0, event=Opened(brief=Brief(topic="Tea?"), protocol=tree, name="test"))])
    assert lines[0] == "at most 2 rounds"
