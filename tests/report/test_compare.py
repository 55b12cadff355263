"""Two debates side by side: where they part, what was set otherwise, what came of each, and how it is shown."""

import io
from collections.abc import Sequence
from dataclasses import replace

import pytest
from rich.console import Console

from folkmoot.cli.display.side_by_side import comparison_view
from folkmoot.core.ask import Ask, Reply, Usage
from folkmoot.core.brief import Limits, Source
from folkmoot.core.decision import Ballot, Decision
from folkmoot.core.errors import RecordError
from folkmoot.core.event import (
    Asked,
    Attempted,
    Called,
    Closed,
    Entered,
    Entry,
    Event,
    Failed,
    Halted,
    Interjected,
    Opened,
    Paused,
    Replied,
    Resumed,
    Ruled,
)
from folkmoot.core.labels import fork_origin
from folkmoot.report.compare import Difference, Divergence, Said, compare
from folkmoot.report.metrics import elapsed, faults
from folkmoot.report.report import as_data
from tests.paths import GOLDEN
from tests.report.reports import DRAFT, Diary, ask, draft, opened, person

EXPECTED = GOLDEN / "diff.txt"
ANN, BEN = person("Ann", seat="ollama:old"), person("Ben", seat="ollama:old")
FIRST = (ask("/debate/draft#1", "Ann", "draft", form=DRAFT), ask("/debate/draft#2", "Ben", "draft", form=DRAFT))
AGAIN = ask("/debate/rounds/round-1/revise#1", "Ann", "revise", "/debate/draft#2", form=DRAFT)


def entries(*events: Event, opening: Opened | None = None) -> Sequence[Entry]:
    diary = Diary()
    first = opened(ANN, BEN).entries[0].event
    return diary.add(opening or first, Entered(path="/debate"), *events).entries


def reply(question: Ask, answer: str, seconds: float = 1.0) -> Replied:
    text, fields = draft(answer, 0.5, "Because.")
    return Replied(key=question.key, reply=Reply(text=text, fields=fields, asked="ollama:old", seconds=seconds))


ASKED = tuple(Asked(ask=question) for question in FIRST)
TEA, COCOA = reply(FIRST[0], "tea"), reply(FIRST[0], "cocoa")
COFFEE = reply(FIRST[1], "coffee")
LATE = Failed(key=FIRST[1].key, kind="timeout", reason="no answer within 2 seconds")
CALL = Attempted(key=FIRST[0].key, call="answer", n=1, model="ollama:old")
WORD = Interjected(by="Guest", text="mind the cost")
ROUND = Entered(path="/debate/rounds/round-1")
HALT = Halted(path="/debate/rounds", reason="all agree")
RULED = Ruled(decision=Decision(status="decided", winner="tea", text="tea", tally={"tea": 2.0}, share=1.0))
END = Closed(status="decided", reason="all for tea")


def statement(seq: int, kind: str, words: str, by: str = "", mark: str = "") -> Said:
    return Said(seq=seq, kind=kind, words=words, by=by, mark=mark)


PARTINGS: list[tuple[tuple[Event, ...], tuple[Event, ...], Divergence]] = [
    # Latencies, calls, pauses and seconds make no difference.
    (
        (*ASKED, CALL, TEA, COFFEE, ROUND),
        (*ASKED, Paused(reason="tired"), Resumed(), COFFEE, reply(FIRST[0], "tea", 9.0), ROUND),
        Divergence(same=7, answers=2),
    ),
    (
        (*ASKED, COFFEE, TEA),
        (*ASKED, COCOA, COFFEE),
        Divergence(
            same=4,
            answers=0,
            one=statement(6, "replied", f"draft: {TEA.reply.text}", "Ann", "T1"),
            other=statement(5, "replied", f"draft: {COCOA.reply.text}", "Ann", "T1"),
        ),
    ),
    (
        (*ASKED, TEA, COFFEE, ROUND),
        (*ASKED, TEA, LATE),
        Divergence(
            same=5,
            answers=1,
            one=statement(6, "replied", f"draft: {COFFEE.reply.text}", "Ben", "T2"),
            other=statement(6, "failed", "draft: no answer: no answer within 2 seconds", "Ben", "T2"),
        ),
    ),
    (
        (*ASKED, TEA, WORD, COFFEE, ROUND, Asked(ask=AGAIN)),
        (*ASKED, TEA, COFFEE, WORD, ROUND, HALT),
        Divergence(
            same=8,
            answers=2,
            one=statement(9, "asked", "asked for: revision on T2: …", "Ann", "T4"),
            other=statement(9, "halted", "No further round: all agree"),
        ),
    ),
    (
        (*ASKED, TEA, COFFEE, WORD),
        (*ASKED, TEA, COFFEE, ROUND),
        Divergence(
            same=6,
            answers=2,
            one=statement(7, "interjected", "mind the cost", "Guest", "T3"),
            other=statement(7, "entered", "Round 1 begins"),
        ),
    ),
    (
        (*ASKED, TEA, COFFEE, RULED),
        (*ASKED, TEA, COFFEE, END),
        Divergence(
            same=6,
            answers=2,
            one=statement(7, "ruled", "decided: tea"),
            other=statement(7, "closed", "the end, decided: all for tea"),
        ),
    ),
    (
        (*ASKED, TEA, COFFEE, RULED),
        (*ASKED, TEA, COFFEE),
        Divergence(
            same=6,
            answers=2,
            one=statement(7, "ruled", "decided: tea"),
        ),
    ),
    (
        ASKED,
        (Asked(ask=replace(FIRST[0], task="Answer.")),),
        Divergence(
            same=2,
            answers=0,
            one=statement(3, "asked", "asked for: draft: …", "Ann", "T1"),
            other=statement(3, "asked", "asked for: draft: Answer.", "Ann", "T1"),
        ),
    ),
]


@pytest.mark.parametrize(("one", "other", "parting"), PARTINGS)
def test_where_two_debates_part(one: tuple[Event, ...], other: tuple[Event, ...], parting: Divergence) -> None:
    comparison = compare(entries(*one), entries(*other), names=("a", "b"))
    assert comparison.parting == parting
    assert comparison.settings == ()
    turned = compare(entries(*other), entries(*one), names=("b", "a")).parting
    assert (turned.same, turned.one, turned.other) == (parting.same, parting.other, parting.one)


def test_debates_without_an_answer_in_common_part_at_the_first_entry() -> None:
    other = opened(person("Eve"), topic="Cats?", name="arena").entries[0].event
    assert isinstance(other, Opened)
    comparison = compare(entries(*ASKED, TEA), entries(opening=other), names=("a", "b"))
    assert comparison.parting == Divergence(
        same=0,
        answers=0,
        one=statement(1, "opened", "Shall we? (panel)"),
        other=statement(1, "opened", "Cats? (arena)"),
    )
    assert comparison.settings == (
        Difference(what="topic", one="Shall we?", other="Cats?"),
        Difference(what="protocol", one="panel", other="arena"),
        Difference(what="participants", one="Ann, Ben", other="Eve"),
    )


def test_forks_of_one_debate_part_where_they_differ_whatever_is_set() -> None:
    first = entries()[0].event
    assert isinstance(first, Opened)
    other = replace(first, brief=replace(first.brief, topic="Cats?"))
    apart = compare(entries(*ASKED, TEA), entries(*ASKED, COCOA, opening=other), names=("a", "b"))
    assert apart.parting.same == 0
    child, twin = replace(other, forked="a@4"), replace(first, forked="a@9")
    for pair in ((first, child), (twin, child)):
        recorded_entries, two = (
            entries(*ASKED, replied, opening=opening) for opening, replied in zip(pair, (TEA, COCOA), strict=True)
        )
        assert compare(recorded_entries, two, names=("a" if pair[0] is first else "c", "b")).parting.same == 4


def test_a_fork_with_another_model_parts_where_it_answers_otherwise() -> None:
    first = entries()[0].event
    assert isinstance(first, Opened)
    brief = replace(
        first.brief,
        participants=(ANN, replace(BEN, seat="ollama:new", settings=replace(BEN.settings, temperature=0.5))),
        background=(Source(name="facts.md", text="Tea is warm."),),
        options=("tea", "coffee"),
        limits=Limits(cost=2.0),
    )
    tree = {"is": "Rounds", "most": 2, "acts": ["draft", "revise"], "parts": [{"is": "Vote"}]}
    fork = replace(first, brief=brief, protocol=tree, forked="a@5", chosen=("Ben by ollama:new in the fork",))
    comparison = compare(entries(*ASKED, TEA, COFFEE), entries(*ASKED, TEA, LATE, opening=fork), names=("a", "b"))
    assert comparison.parting.same == 5
    assert {setting.what: (setting.one, setting.other) for setting in comparison.settings} == {
        "Ben: model": ("ollama:old", "ollama:new"),
        "Ben: settings: temperature": ("", "0.5"),
        "background": ("", "facts.md"),
        "background: facts.md": ("", "Tea is warm."),
        "options": ("", "tea, coffee"),
        "limits: cost": ("", "2"),
        "chosen": ("", "Ben by ollama:new in the fork"),
        "protocol: is": ("", "Rounds"),
        "protocol: most": ("", "2"),
        "protocol: acts": ("", "draft; revise"),
        "protocol: parts 1: is": ("", "Vote"),
    }
    assert (comparison.one.forked, comparison.other.forked) == ("", "a@5")


def whole() -> tuple[Sequence[Entry], Sequence[Entry]]:
    """A debate and a fork of it, in which Ann goes over to coffee."""
    first = entries()[0].event
    assert isinstance(first, Opened)
    called = Called(key=FIRST[0].key, call="answer", text="tea", usage=Usage(input_tokens=900, output_tokens=50))
    entereds = (ROUND, Asked(ask=AGAIN), reply(AGAIN, "tea"))
    over = (ROUND, Asked(ask=AGAIN), reply(AGAIN, "coffee"))
    ballots = (Ballot(voter="Ann", choice="coffee"), Ballot(voter="Ben", choice="coffee"))
    coffee = Decision(
        status="decided",
        winner="coffee",
        text="We drink coffee.",
        rule="plurality",
        strength="unanimous",
        share=1.0,
        how="coffee has 2 of 2",
        tally={"coffee": 2.0},
        ballots=ballots,
    )
    recorded_entries = entries(
        *ASKED, CALL, called, TEA, LATE, *entereds, HALT, Closed(status="no_decision", reason="no quorum")
    )
    changed = replace(first.brief, participants=(ANN, replace(BEN, seat="builtin:quotes"), person("Cem")))
    fork = replace(first, brief=changed, forked="tea-1a2b3c@7")
    other = entries(
        *ASKED, CALL, called, TEA, LATE, *over, Ruled(decision=coffee), Closed(status="decided"), opening=fork
    )
    return recorded_entries, other


def test_what_came_of_each() -> None:
    recorded_entries, other = whole()
    comparison = compare(recorded_entries, other, names=("tea-1a2b3c", "tea-4d5e6f"))
    assert (comparison.one.status, comparison.one.line, comparison.one.rounds, comparison.one.answers) == (
        "no_decision",
        "no decision: no quorum",
        1,
        2,
    )
    side = comparison.other
    assert (side.status, side.winner, side.text, side.strength, side.tally) == (
        "decided",
        "coffee",
        "We drink coffee.",
        "unanimous",
        {"coffee": 2.0},
    )
    ann, ben, cem = side.people
    assert (ann.answer, ann.flips, ann.vote) == ("coffee", 1, "coffee")
    assert (ben.seat, ben.answer, ben.vote) == ("builtin:quotes", "", "coffee")
    assert (cem.answer, cem.flips, cem.vote) == ("", 0, "")
    assert (side.use.input_tokens, side.use.missing, side.use.calls) == (900, 1, 1)
    assert as_data(comparison)["parting"] == as_data(comparison.parting)


def test_words_are_an_answer_where_no_field_says_one() -> None:
    argued = ask("/debate/argue#1", "Ann", "argue")
    spoken = entries(Asked(ask=argued), Replied(key=argued.key, reply=Reply(text="Tea, of course.")))
    assert compare(spoken, spoken, names=("a", "a")).one.people[0].answer == "Tea, of course."


def test_a_record_without_its_opening_is_refused() -> None:
    with pytest.raises(RecordError, match="The record of debate b does not begin with its opening"):
        compare(entries(), entries()[1:], names=("a", "b"))


def test_what_a_fork_has_kept_was_answered_by_those_who_were_seated_then() -> None:
    first = entries()[0].event
    assert isinstance(first, Opened)
    moved = replace(first, brief=replace(first.brief, participants=(replace(ANN, seat="ollama:new"), BEN)))
    called = Called(key=FIRST[0].key, call="answer", text="tea", model="ollama:old")
    items = (ASKED[0], CALL, called, TEA)
    assert [fault.kind for fault in faults(entries(*items, opening=moved))] == ["fallback"]
    assert faults(entries(*items, opening=replace(moved, forked="a@9"))) == ()
    silent = (*items[:-1], replace(TEA, reply=replace(TEA.reply, asked="")))
    assert [fault.kind for fault in faults(entries(*silent, opening=replace(moved, forked="a@9")))] == ["fallback"]


def test_descent_is_said_of_forks_alone() -> None:
    assert fork_origin("tea-1a2b3c@17") == "forked from tea-1a2b3c at entry 17"
    assert fork_origin("") == ""


# ---- on the screen -------------------------------------------------------------------------------------------------


def shown(recorded_entries: Sequence[Entry], other: Sequence[Entry]) -> str:
    console = Console(file=io.StringIO(), width=90, color_system=None, markup=False, highlight=False, emoji=False)
    for console_renderable in comparison_view(compare(recorded_entries, other, names=("tea-1a2b3c", "tea-4d5e6f"))):
        console.print(console_renderable)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_screen_is_the_golden_one() -> None:
    text = shown(*whole())
    assert text == EXPECTED.read_text("utf-8")
    assert [line for line in text.splitlines() if line != line.rstrip()] == []


def test_the_screen_says_where_nothing_differs_and_where_nothing_is_the_same() -> None:
    recorded_entries, _ = whole()
    same = shown(recorded_entries, recorded_entries)
    assert "All answers are the same: 2 answers." in same
    assert "different settings" not in same
    other = opened(person("Eve"), topic="Cats?", name="arena").entries
    text = shown(recorded_entries, other)
    assert "They have nothing in common: they diverge at entry 1." in text
    assert "does not take part" in text
    assert "They have no answers in common. They diverge here:" in shown(entries(*ASKED), entries(*ASKED[:1]))
    assert "ends with entry 3" in shown(entries(*ASKED, TEA), entries(*ASKED[:1]))


def test_of_many_settings_the_first_are_shown() -> None:
    first = entries()[0].event
    assert isinstance(first, Opened)
    many = {f"number_{n}": n for n in range(30)}
    assert "and 10 more: --json shows all" in shown(entries(), entries(opening=replace(first, protocol=many)))


def test_long_texts_are_shown_from_where_they_differ() -> None:
    first = entries()[0].event
    assert isinstance(first, Opened)
    long = "You weigh every word. " * 30
    people = [(replace(ANN, persona=f"{long}{end}"), BEN) for end in ("Then you nod.", "Then you frown.")]
    opening, other = (replace(first, brief=replace(first.brief, participants=participants)) for participants in people)
    text = " ".join(shown(entries(opening=opening), entries(opening=other)).split())
    assert "Ann: persona A …" in text
    assert "Then you nod. B …" in text
    words = [Replied(key=FIRST[0].key, reply=Reply(text=f"{long}{end}")) for end in ("Tea.", "Cocoa.")]
    text = shown(entries(*ASKED, words[0]), entries(*ASKED, words[1]))
    assert "Tea." in text
    assert "Cocoa." in text


def test_the_time_between_a_debate_and_its_fork_is_no_time_of_work() -> None:
    diary = Diary()
    diary.add(entries()[0].event, *ASKED, TEA, COFFEE)
    diary.at += 3600
    diary.add(ROUND, Asked(ask=AGAIN), Resumed(), reply(AGAIN, "tea"))
    assert elapsed(diary.entries) == (7.0, 3601.0)
    later = [replace(entry, at=entry.at + 3600) if isinstance(entry.event, Asked) else entry for entry in diary.entries]
    assert elapsed(later)[0] < 10


def test_settings_are_told_in_words_that_no_machine_uses() -> None:
    first = entries()[0].event
    assert isinstance(first, Opened)
    ours = replace(first, name="round_robin", chosen=("decided by plurality", "summary every round"))
    theirs = replace(first, name="panel", chosen=("decided by unanimity",))
    settings = compare(entries(opening=ours), entries(opening=theirs), names=("a", "b")).settings
    assert settings == (
        Difference(what="protocol", one="round robin", other="panel"),
        Difference(what="decided by", one="most votes", other="unanimity"),
        Difference(what="chosen", one="summary every round", other=""),
    )
    usual = replace(first, name="panel")
    settings = compare(entries(opening=theirs), entries(opening=usual), names=("a", "b")).settings
    assert settings == (Difference(what="decided by", one="unanimity", other="the rule of its protocol"),)
