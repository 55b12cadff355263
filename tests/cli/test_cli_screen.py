"""The screen's pieces: strangers' words on a terminal, narrow screens, many speakers, every kind of entry."""

import io
import itertools
import re
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from folkmoot.app.serve.entry_view import EntryView
from folkmoot.app.serve.view_model import most_rounds
from folkmoot.cli.display.live_screen import Screen, bar, tail
from folkmoot.cli.display.render import ViewState, entry_lines, running_tally
from folkmoot.cli.display.text_layout import amount, line, money, prose, short
from folkmoot.core.ask import Ask, Field, Form, Reply, Usage
from folkmoot.core.brief import Brief, Participant, View
from folkmoot.core.event import (
    Asked,
    Attempted,
    Called,
    Delta,
    Entered,
    Entry,
    Erred,
    Event,
    Failed,
    Halted,
    Interjected,
    Opened,
    Paused,
    Replied,
    Resumed,
)
from tests.kits.codes import coded

EVIL = "\x1b]0;owned\x07\x1b[2J[red]x[/red] \u202egnp\u202c :smile: \x9b31m [link=http://x]y[/link]\r\x08"
BALLOT = Form(name="ballot", layout="line", fields=(Field(name="I vote for", kind="choice", choices=("Proposal A",)),))
ROUNDS = {"is": "Sequence", "parts": [{"is": "Everyone"}, {"is": "Rounds", "each": {"is": "Floor"}, "most": 4}]}


def opened(*names: str) -> Opened:
    people = tuple(Participant(name=name, role="Head of x, answers for y", seat="ollama:tiny") for name in names)
    moderator = Participant(name="Mo", duty="moderator", seat="ollama:tiny")
    return Opened(brief=Brief(topic="Tea?", participants=(*people, moderator)), protocol=ROUNDS, name="panel")


def ask_event(key: str, to: str, act: str = "argue", **more: object) -> Asked:
    return Asked(ask=Ask(key=key, to=to, act=act, task="Go on.", **more))  # type: ignore[arg-type]


def answer(key: str, text: str, **more: object) -> Replied:
    return Replied(key=key, reply=Reply(text=text, asked="ollama:tiny", **more))  # type: ignore[arg-type]


def show(
    *items: Event | Delta,
    width: int = 80,
    height: int = 30,
    live: bool = False,
    full: bool = True,
    begin: Opened | None = None,
) -> str:
    """What a screen writes for these items."""
    out = io.StringIO()
    console = Console(
        file=out, width=width, height=height, force_terminal=live, color_system="256" if live else None, markup=False
    )
    events: Sequence[Event | Delta] = (begin or opened("Ann", "Bob"), *items)
    with Screen(console, live=live, full=full, planned=12) as screen:
        for seq, item in enumerate(events, start=1):
            screen.take(item if isinstance(item, Delta) else Entry(seq=seq, at=0.0, event=item), "")
        screen.tick()
    return out.getvalue()


def test_words_of_others_cannot_touch_the_terminal() -> None:
    begin = Opened(
        brief=Brief(topic=EVIL, participants=(Participant(name="Ann", role=EVIL), Participant(name="Bob"))), protocol={}
    )
    text = show(
        ask_event("/debate/argue#1", "Ann"),
        answer("/debate/argue#1", EVIL, served=EVIL, notes=(EVIL,)),
        ask_event("/debate/argue#2", "Bob"),
        Erred(key="/debate/argue#2", call="answer", n=1, kind="server", reason=EVIL),
        Failed(key="/debate/argue#2", kind="server", reason=EVIL),
        Interjected(by="Zoe", text=EVIL),
        Paused(reason=EVIL),
        begin=begin,
    )
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert text.count("[red]x[/red]") >= 6
    assert ":smile:" in text


@given(st.text())
def test_no_word_is_lost_and_no_control_is_kept(text: str) -> None:
    shown = "\n".join(paragraph.plain for paragraph in prose(text))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", shown)
    assert re.findall(r"[a-z0-9]+", shown) == re.findall(r"[a-z0-9]+", shown if "\x85" in text else line(text))


def test_markdown_is_made_visible() -> None:
    lines = prose("# Head\n\n\n**bold** and *it* and `code`, 2*3*4\n- item")
    assert [text.plain for text in lines] == ["Head", "", "bold and it and code, 2*3*4", "- item"]
    assert [str(span.style) for span in lines[2].spans] == ["bold", "italic", "bold cyan"]
    shown = show(ask_event("/debate/argue#1", "Ann"), answer("/debate/argue#1", "- " + "word " * 20), width=40)
    assert "\n    word" in shown


def test_steps_within_a_phase_stand_under_its_heading() -> None:
    floor = "/debate/rounds/round-1/floor"
    keys = [f"{floor}#1", f"{floor}/interruption-1#1", f"{floor}#2", "/debate/rounds/round-2/floor#1"]
    text = show(*(event for key in keys for event in (ask_event(key, "Ann"), answer(key, "Yes."))))
    assert re.findall(r"round \d[^\n─]*", text) == ["round 1: the floor ", "round 2: the floor "]


@pytest.mark.parametrize("width", [20, 40, 60, 100, 200])
def test_every_width_fits(width: int) -> None:
    keys = [f"/debate/rounds/round-1/argue#{n}" for n in range(1, 3)]
    text = show(
        Entered(path="/debate/rounds/round-1"),
        ask_event(keys[0], "Ann"),
        ask_event(keys[1], "Bob"),
        Delta(key=keys[0], text="many words " * 40),
        width=width,
        live=True,
    )
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    assert max(len(row) for row in re.split(r"[\r\n]+", plain)) <= width
    assert "Ann" in plain


def test_the_live_area_keeps_within_the_screen() -> None:
    names = [f"P{n}" for n in range(12)]
    keys = {name: f"/debate/propose#{n}" for n, name in enumerate(names)}
    events = [ask_event(keys[name], name, "propose") for name in names]
    deltas = [Delta(key=keys[name], text=f"words of {name} " * 30) for name in names[:8]]
    text = show(*events, *deltas, live=True, height=24, begin=opened(*names))
    frame = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.rpartition("P0 ")[2])
    assert "2 more are answering" in text
    assert "P8, P9, P10, P11 thinking" in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    assert frame.count("\n") <= 24


def stage_of(*events: Event) -> tuple[ViewState, Callable[[Event], EntryView]]:
    """A screen's state after these events, and what applies further ones."""
    stage, numbers = ViewState(), itertools.count(1)

    def take(event: Event) -> EntryView:
        return stage.take(Entry(seq=next(numbers), at=0.0, event=event))

    for event in events:
        take(event)
    return stage, take


def test_a_further_call_answers_anew_unless_it_goes_on() -> None:
    stage, take = stage_of(opened("Ann"), ask_event("k#1", "Ann"), Attempted(key="k#1", call="answer", n=1))
    stage.fold.add_delta(Delta(key="k#1", text="fir"))
    take(Called(key="k#1", call="answer", text="fir", usage=Usage(input_tokens=3)))
    take(Attempted(key="k#1", call="continue-1", n=1))
    stage.fold.add_delta(Delta(key="k#1", text="st"))
    assert stage.fold.drafts == {"k#1": "first"}
    take(Attempted(key="k#1", call="repair", n=1))
    stage.fold.add_delta(Delta(key="k#1", text="sec"))
    stage.fold.add_delta(Delta(key="k#1", text="ond"))
    stage.fold.add_delta(Delta(key="gone#1", text="late"))
    assert stage.fold.drafts == {"k#1": "second"}
    take(Erred(key="k#1", call="repair", n=1, kind="server", reason="x"))
    assert stage.fold.drafts == {"k#1": ""}
    take(Resumed())
    assert (stage.fold.drafts, stage.done()) == ({"k#1": ""}, 0)


def test_moderators_have_a_bar_and_proposals_their_authors() -> None:
    text = show(
        ask_event("/debate/propose#1", "Ann", "propose"),
        answer("/debate/propose#1", "Tea."),
        ask_event("/debate/critique#1", "Bob", "critique", about=("/debate/propose#1",)),
        answer("/debate/critique#1", "Too hot.", unread=coded(["SEVERITY: missing"])),
        ask_event("/debate/moderate#1", "Mo", "moderate"),
        answer("/debate/moderate#1", "Go on.\n\nWith care."),
        Halted(path="/debate/rounds", reason="all agree"),
        Halted(path="/debate/propose", reason="enough"),
        Resumed(),
    )
    assert "Bob Head of x · critique on Ann's proposal · ollama:tiny" in text
    assert "not readable: SEVERITY" in text
    assert "▌ Mo review · ollama:tiny\n▌   Go on.\n▌\n▌   With care.\n" in text
    assert "No further round: all agree." in text
    assert "Proposals ends early: enough." in text


@pytest.mark.parametrize("live", [True, False])
def test_in_short_there_is_a_line_for_each_answer_or_for_each_part(live: bool) -> None:
    keys = [f"/debate/rounds/round-{n}/argue#{who}" for n in (1, 2) for who in (1, 2)]
    said = [event for key in keys for event in (ask_event(key, "Ann"), answer(key, f"Tea. {'word ' * 99}"))]
    late = Failed(key="/debate/vote#1", kind="timeout", reason="late")
    text = show(*said, ask_event("/debate/vote#1", "Bob", "vote"), late, live=live, full=False)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    assert "✗ no answer" in plain
    assert ("round 1: arguments: 2 answers" in plain, "round 2: arguments: 2 answers" in plain) == (not live, not live)
    assert ("Ann" in plain, "Tea." in plain) == (live, live)
    assert all(len(row) <= 80 for row in re.split(r"[\r\n]+", plain))


def test_bids_and_scores_take_one_line_and_notes_are_told_in_full() -> None:
    bid = Form(name="bid", fields=(Field(name="URGENCY", kind="number"), Field(name="POINT", required=False)))
    alone = {"form": bid, "audience": ("Ann",)}
    point = "It has to be said that tea is hot."
    text = show(
        ask_event("/debate/argue#1", "Bob"),
        answer("/debate/argue#1", "Tea."),
        ask_event("/debate/argue#2", "Ann", "bid", **alone, about=("/debate/argue#1",)),
        answer("/debate/argue#2", f"URGENCY: 7\nPOINT: {point}", fields={"URGENCY": 7, "POINT": point}),
        ask_event("/debate/argue#3", "Ann", "strategy", audience=("Ann",)),
        answer("/debate/argue#3", "I must be brief."),
        ask_event("/debate/argue#4", "Ann", "bid", **alone),
        Failed(key="/debate/argue#4", kind="timeout", reason="late"),
    )
    assert "  Ann bid on Bob's argument  urgency 7\n" in text
    assert point not in text
    assert "I must be brief." in text
    assert "no answer: timeout: late" in text


def test_votes_are_told_as_they_fall() -> None:
    view = {"form": BALLOT, "about": ("/debate/propose#1",), "view": View(anonymous=True)}
    stage, take = stage_of(
        opened("Ann", "Bob", "Cid"),
        ask_event("/debate/propose#1", "Ann", "propose"),
        answer("/debate/propose#1", "Tea."),
        *(ask_event(f"/debate/vote#{n}", name, "vote", **view) for n, name in enumerate(("Ann", "Bob", "Cid", "Mo"))),
    )
    assert running_tally(stage).plain == ""
    for n, fields in enumerate(({"I vote for": "Proposal A"}, {"I vote for": "ABSTAIN"}, {})):
        assert list(entry_lines(stage, take(answer(f"/debate/vote#{n}", "Because.", fields=fields))))
    assert running_tally(stage).plain == "votes so far  Ann's proposal 1 · abstains 1 · not readable 1"
    failed = take(Failed(key="/debate/vote#3", kind="timeout", reason="no answer within 3 seconds"))
    console = Console(file=io.StringIO(), width=80)
    with console.capture() as captured:
        for entry_line in entry_lines(stage, failed):
            console.print(entry_line)
    assert "✗ no answer: timeout: no answer within 3 seconds" in captured.get()
    assert running_tally(stage).plain == ""


@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        (money(None), "$?"),
        (money(0.0), "$0.00"),
        (money(0.00001), "<$0.0001"),
        (money(0.0123), "$0.0123"),
        (money(2.5), "$2.50"),
        (amount(999), "999"),
        (amount(1500), "1.5k"),
        (amount(93_600), "94k"),
        (amount(2_400_000), "2.4M"),
        (short("a  b\nc", 10), "a b c"),
        (short("abcdefghij", 5), "abcd…"),
        (bar(1, 4, 8).plain, "━" * 8),
        (bar(1, 0, 8).plain, ""),
        (bar(1, 4, 3).plain, ""),
        (bar(9, 4, 8).plain, "━" * 8),
        (tail("one two three", 6, 1).plain, "▌"),
        (most_rounds(ROUNDS), 4),
        (most_rounds({"is": "Rounds", "each": {"is": "Floor"}}), 3),
        (most_rounds({"is": "Vote"}), 0),
    ],
)
def test_numbers_read_well(shown: object, wanted: object) -> None:
    assert shown == wanted


MESSAGE = Form(
    name="message",
    layout="tags",
    fields=(
        Field(name="Thoughts", required=False, private=True),
        Field(name="Whisper", required=False, private=True, to="WhisperTo"),
        Field(name="WhisperTo", kind="choice", choices=("Bo", "Vera"), private=True, to="WhisperTo"),
        Field(name="Content"),
    ),
)
SECRETS = {"Thoughts": "TSECRET", "Whisper": "WSECRET", "WhisperTo": "Bo", "Content": "Tea."}
RAW = "<Thoughts>TSECRET</Thoughts><Whisper>WSECRET</Whisper><WhisperTo>Bo</WhisperTo><Content>Tea.</Content>"


def message(fields: dict[str, str], *, by: str = "Al", raw: str = RAW, seat: str = "human", live: bool = False) -> str:
    """What a screen shows of a message at a table at which Vera sits."""
    people = (
        *(Participant(name=name, seat="ollama:tiny") for name in ("Al", "Bo")),
        Participant(name="Vera", seat=seat),
    )
    begin = Opened(brief=Brief(topic="Tea?", participants=people), protocol={})
    key = "/debate/meeting#1"
    items = (ask_event(key, by, form=MESSAGE), Delta(key=key, text=raw))
    return show(*items, *([] if live else [answer(key, raw, fields=fields)]), live=live, begin=begin)


def test_a_person_at_the_table_is_not_shown_what_is_private_to_others() -> None:
    text = message(SECRETS)
    assert "Tea." in text
    assert "private text not shown" in text
    assert "SECRET" not in text
    assert "Bo" not in text
    assert "private words" not in message({"Content": "Tea."}, raw="<Content>Tea.</Content>")
    unread = message({}, raw="<Thoughts>TSECRET <Content>Tea.</Content>")
    assert ("TSECRET" in unread, "private text not shown" in unread) == (False, True)


def test_a_person_reads_own_words_and_whispers_and_an_audience_reads_all() -> None:
    text = message({**SECRETS, "WhisperTo": "Vera"})
    assert ("WSECRET" in text, "TSECRET" in text, "private text not shown" in text) == (True, False, True)
    assert "TSECRET" in message(SECRETS, by="Vera")
    assert "TSECRET" in message(SECRETS, seat="ollama:tiny")


def test_words_in_the_making_may_be_private() -> None:
    text = message(SECRETS, live=True)
    assert ("SECRET" in text, "Al thinking" in re.sub("\x1b\\[[0-9;]*m", "", text)) == (False, True)
    assert "SECRET" in message(SECRETS, live=True, seat="ollama:tiny")


def test_who_waits_for_a_place_is_told_from_who_is_at_work() -> None:
    names = ("Ann", "Bo", "Cy")
    keys = {name: f"/debate/propose#{n}" for n, name in enumerate(names)}
    events = [ask_event(keys[name], name, "propose") for name in names]
    sent = [Attempted(key=keys[name], call="answer", n=1) for name in names[:2]]
    words = Delta(key=keys["Ann"], text="three words here")
    text = show(*events, *sent, words, live=True, begin=opened(*names))
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    assert "3 words" in shown
    assert "Bo thinking" in shown
    assert "Cy waiting" in shown
