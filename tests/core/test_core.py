"""The ground floor: errors, texts, briefs, the transcript and who sees what."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core import event as events
from folkmoot.core.ask import ABSTAIN, Ask, Field, Form, Kind, Reply, Usage, Value, allows
from folkmoot.core.brief import LIMITS, Brief, Limits, Participant, View, check_bound
from folkmoot.core.decision import Decision
from folkmoot.core.errors import BriefError, ModelError, RecordError
from folkmoot.core.event import (
    Asked,
    Attempted,
    Called,
    Closed,
    Entered,
    Entry,
    Erred,
    Failed,
    Halted,
    Interjected,
    Opened,
    Paused,
    Replied,
    Resumed,
    Ruled,
)
from folkmoot.core.text import clean, clip, hide, letter, listed, slug
from folkmoot.core.transcript import Transcript, fold, read_field, speakers, within
from folkmoot.core.unread import Unread


@pytest.mark.parametrize(
    ("where", "line", "text"),
    [("a.md", 3, "a.md:3: bad"), ("a.md", 0, "a.md: bad"), ("", 3, "line 3: bad"), ("", 0, "bad")],
)
def test_a_brief_error_names_its_place(where: str, line: int, text: str) -> None:
    error = BriefError("bad", where=where, line=line, code="wrong_type")
    assert (str(error), error.found, error.code) == (text, "bad", "wrong_type")


def test_a_model_error_says_what_to_do() -> None:
    error = ModelError("busy", kind="rate", retry_after=2.0, again=True)
    assert (error.kind, error.retry_after, error.again) == ("rate", 2.0, True)


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("half \ud83d character", "half \ufffd character"),
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("nul\x00 bell\x07 c1\x9b", "nul bell c1"),
        ("\U0001f600", "\U0001f600"),
    ],
)
def test_texts_from_outside_are_mended(text: str, mended: str) -> None:
    assert clean(text) == mended


@given(st.text(st.characters()) | st.text(st.characters(categories=["Cs", "Cc"])))
def test_a_mended_text_can_be_stored_anywhere(text: str) -> None:
    mended = clean(text)
    assert mended.encode().decode() == mended
    assert "\x00" not in mended
    assert "\x1b" not in mended
    assert clean(mended) == mended


@pytest.mark.parametrize(
    ("text", "most", "clipped"),
    [("abc", None, "abc"), ("abc", 3, "abc"), ("abcdef", 3, "abc […cut: 3 more characters]")],
)
def test_a_cut_is_visible(text: str, most: int | None, clipped: str) -> None:
    assert clip(text, most) == clipped


def test_names_in_a_sentence() -> None:
    people = ("Ann", "Ben", "Cid")
    assert [listed(people[:n]) for n in range(4)] == ["", "Ann", "Ann and Ben", "Ann, Ben and Cid"]


def test_letters() -> None:
    assert [letter(n) for n in (0, 25, 26, 51, 702)] == ["A", "Z", "AA", "AZ", "AAA"]


@pytest.mark.parametrize(
    ("text", "slugged"),
    [
        ("Should we invest $1M?", "should-we-invest-1m"),
        ("../../etc/passwd", "etc-passwd"),
        ("Größe & Café", "groe-cafe"),
        ("日本", "debate"),
        ("", "debate"),
        ("x" * 90, "x" * 20),
    ],
)
def test_slugs_are_safe(text: str, slugged: str) -> None:
    assert slug(text, 20) == slugged


ANN = Participant(name="Ann")
CHAIR = Participant(name="Chair", duty="moderator")
BRIEF = Brief(topic="Tea?", participants=(ANN, Participant(name="Bob"), CHAIR))


def test_a_brief_knows_its_participants() -> None:
    assert BRIEF.participant("Ann") is ANN
    assert BRIEF.names("debater") == ("Ann", "Bob")
    assert BRIEF.names("moderator") == ("Chair",)
    with pytest.raises(KeyError):
        BRIEF.participant("Cy")


def test_usage_adds_up_and_an_unknown_price_stays_unknown() -> None:
    usage = Usage(input_tokens=1, output_tokens=2, cached_tokens=3, cost=0.5)
    assert usage + usage == Usage(input_tokens=2, output_tokens=4, cached_tokens=6, cost=1.0)
    assert (usage + Usage(cost=None)).cost is None
    assert (Usage(cost=None) + usage).cost is None
    assert (usage + Usage(estimated=True)).estimated


@pytest.mark.parametrize(
    ("usage", "mended"),
    [
        (Usage(input_tokens=3, cost=0.5), Usage(input_tokens=3, cost=0.5)),
        (Usage(input_tokens=-3, cost=None), Usage(cost=None, estimated=True)),
        (Usage(cost=float("nan")), Usage(cost=None)),
        (Usage(cost=float("inf")), Usage(cost=None)),
        (Usage(cost=-1.0), Usage(cost=None)),
    ],
)
def test_usage_that_cannot_be_is_mended(usage: Usage, mended: Usage) -> None:
    assert usage.cleaned() == mended


def test_a_reply_is_mended_before_it_is_stored() -> None:
    kinds: list[tuple[str, Kind]] = [("A", "text"), ("B", "list"), ("C", "number"), ("D", "number"), ("E", "flag")]
    form = Form(name="f", fields=tuple(Field(name=name, kind=kind) for name, kind in kinds))
    fields = {"A": "half \ud800", "B": ("x\x1b",), "C": float("nan"), "D": 1.5, "E": True, "Z": "never asked for"}
    seconds = float("inf")
    reply = Reply(
        text="nul\x00",
        fields=fields,
        served="m\x00",
        seconds=seconds,
        unread=(Unread("F\x00", "missing"),),
        notes=("n\x00",),
    )
    assert reply.cleaned(form) == Reply(
        text="nul",
        fields={"A": "half \ufffd", "B": ("x",), "D": 1.5, "E": True},
        served="m",
        unread=(Unread("F", "missing"), Unread("C", "not_allowed", "nan")),
        notes=("n",),
    )
    assert reply.cleaned(None).fields == {}


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        (Field(name="x", kind="choice", choices=("a",)), ["a"], ["b", ABSTAIN, 1]),
        (Field(name="x", kind="choice", choices=("a",), abstain=True), ["a", ABSTAIN], ["b"]),
        (Field(name="x", kind="number", low=0, high=1), [0, 1, 0.5], [-1, 2, float("nan"), float("inf"), True, "1"]),
        (Field(name="x", kind="number"), [-5, 10**9], ["x"]),
        (Field(name="x", kind="flag"), [True], ["true", 1]),
        (Field(name="x", kind="list"), [("a",), ()], ["a"]),
        (Field(name="x", kind="list", choices=("a", "b")), [("b", "a"), ("a",), ()], [("a", "c"), ("A",), "a"]),
        (Field(name="x"), ["a"], [1, True, ("a",)]),
    ],
)
def test_what_may_stand_in_a_field(field: Field, good: list[Value], bad: list[Value]) -> None:
    assert all(allows(field, value) for value in good)
    assert not any(allows(field, value) for value in bad)


@pytest.mark.parametrize(
    "limits", [{"parallel": 0}, {"cost": -1.0}, {"tokens": -5}, {"total_seconds": float("nan")}, {"asks": float("inf")}]
)
def test_limits_that_cannot_be_are_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(BriefError, match=r"limits\."):
        Limits(**limits)


def test_a_value_within_its_bounds_is_allowed() -> None:
    for value in (1, 100):
        check_bound("limits.parallel", value, LIMITS["parallel"])
    with pytest.raises(BriefError, match=r"limits\.parallel must be from 1 to 100, not 101"):
        check_bound("limits.parallel", 101, LIMITS["parallel"])


def test_an_answer_to_nothing_is_a_damaged_record() -> None:
    for event in (Replied(key="#9", reply=Reply(text="?")), Failed(key="#9", kind="broken", reason="?")):
        with pytest.raises(RecordError, match="'#9', but that was never asked"):
            transcript_of(event)


def test_the_kinds_of_events_are_for_ever() -> None:
    assert [kind.__name__.lower() for kind in events.EVENTS] == [
        *("opened", "entered", "asked", "halted", "ruled", "closed"),
        *("attempted", "called", "erred", "replied", "failed", "interjected", "paused", "resumed"),
    ]
    assert events.KIND[Entered] == "entered"


@pytest.mark.parametrize(
    ("path", "under", "inside"),
    [
        ("/debate/a#1", "/debate/a", True),
        ("/debate/a/b", "/debate/a", True),
        ("/debate/a", "/debate/a", True),
        ("/debate/ab", "/debate/a", False),
        ("/debate", "", True),
        ("/debate", "/", True),
        ("/debate", "/debate/a", False),
    ],
)
def test_paths_within_paths(path: str, under: str, inside: bool) -> None:
    assert within(path, under) is inside


def ask_event(key: str, to: str, act: str = "argue", audience: tuple[str, ...] = ()) -> Asked:
    return Asked(ask=Ask(key=key, to=to, act=act, task="?", audience=audience))


def reply_event(key: str, text: str, **fields: str) -> Replied:
    return Replied(key=key, reply=Reply(text=text, fields=fields))


def transcript_of(*happened: events.Event) -> Transcript:
    return fold(Entry(seq=n, at=0.0, event=event) for n, event in enumerate(happened, start=1))


def test_turns_stand_in_the_order_of_asking() -> None:
    transcript = transcript_of(
        ask_event("/d/round-1#1", "Ann"),
        ask_event("/d/round-1#2", "Bob"),
        reply_event("/d/round-1#2", "b"),
        reply_event("/d/round-1#1", "a"),
    )
    assert [turn.text for turn in transcript.turns()] == ["a", "b"]
    assert [turn.round for turn in transcript.turns()] == [1, 1]
    assert speakers(transcript.turns()) == ("Ann", "Bob")


def test_a_transcript_answers_what_was_said() -> None:
    transcript = transcript_of(
        Opened(brief=BRIEF, protocol={}, name="panel"),
        Entered(path="/d"),
        ask_event("/d/draft#1", "Ann", "draft"),
        ask_event("/d/draft#2", "Bob", "draft"),
        reply_event("/d/draft#1", "one", Answer="x"),
        Failed(key="/d/draft#2", kind="timeout", reason="late"),
        ask_event("/d/argue#1", "Ann"),
        reply_event("/d/argue#1", "two", ANSWER="y"),
        ask_event("/d/argue#2", "Bob"),
        ask_event("/d/argue#3", "Bob"),
        reply_event("/d/argue#3", "three"),
    )
    assert (transcript.brief, transcript.protocol, transcript.entered) == (BRIEF, "panel", ["/d"])
    assert [turn.text for turn in transcript.turns("draft")] == ["one"]
    assert [turn.text for turn in transcript.turns(by="Ann", under="/d/argue")] == ["two"]
    assert [turn.key for turn in transcript.failures()] == ["/d/draft#2"]
    assert [turn.key[3:] for turn in transcript.all()] == ["draft#1", "draft#2", "argue#1", "argue#2", "argue#3"]
    assert transcript.answered("/d/draft#2")
    assert not transcript.answered("/d/argue#2")
    last = transcript.last("Ann")
    assert last
    assert last.text == "two"
    assert transcript.last("Ann", under="/d/nowhere") is None
    assert [turn.text for turn in transcript.latest()] == ["two", "three"]
    assert [turn.text for turn in transcript.first()] == ["one", "three"]
    assert transcript.positions("answer") == {"Ann": ("x", "y")}
    assert transcript.get("/d/argue#1").about == ()
    assert read_field(transcript.get("/d/draft#1"), "CONFIDENCE") is None
    assert read_field(transcript.get("/d/argue#2"), "ANSWER") is None
    assert transcript.get("/d/argue#2").text == ""
    assert transcript.get("/d/argue#2").fields == {}


def test_a_transcript_knows_how_it_stands() -> None:
    decision = Decision(status="decided")
    transcript = transcript_of(
        Halted(path="/d/rounds", reason="alike"), Ruled(decision=decision), Paused(reason="limit")
    )
    assert (transcript.decision, transcript.paused) == (decision, Paused(reason="limit"))
    assert transcript.halted("/d/rounds/round-2") == "alike"
    assert transcript.halted("/d") == ""
    transcript.apply(Resumed())
    assert transcript.paused is None
    transcript.apply(Paused(reason="again"))
    transcript.apply(Closed(status="decided"))
    assert transcript.paused is None
    assert transcript.closed == Closed(status="decided")


def test_a_transcript_counts_calls() -> None:
    erred = Erred(key="k", call="answer", n=1, kind="rate", reason="busy")
    transcript = transcript_of(
        Asked(ask=Ask(key="k", to="Ann", act="argue", task="Argue.")),
        Attempted(key="k", call="answer", n=1),
        erred,
        Called(key="k", call="answer", text="", usage=Usage(cost=0.5)),
    )
    assert (transcript.attempts, transcript.errors, transcript.usage.cost) == (1, [erred], 0.5)


WHISPERED = transcript_of(
    ask_event("#1", "Ann"),
    reply_event("#1", "to all"),
    ask_event("#2", "Bob", audience=("Ann",)),
    reply_event("#2", "to Ann"),
    ask_event("#3", "Chair", "summarize"),
    reply_event("#3", "summary"),
    Interjected(by="Guest", text="hello"),
)


@pytest.mark.parametrize(
    ("view", "who", "visible"),
    [
        (View(), "Ann", ["to all", "to Ann", "summary", "hello"]),
        (View(), "Bob", ["to all", "to Ann", "summary", "hello"]),
        (View(), "Chair", ["to all", "summary", "hello"]),
        (View(last=2), "Ann", ["summary", "hello"]),
        (View(last=0), "Ann", ["hello"]),
        (View(last=99), "Chair", ["to all", "summary", "hello"]),
        (View(hide=("summarize",)), "Chair", ["to all", "hello"]),
        (View(hide=("Ann", "Guest")), "Chair", ["summary"]),
        (View(summary=True), "Ann", ["summary", "hello"]),
        (View(summary_only=True), "Ann", ["summary", "hello"]),
        (View(mine=True), "Chair", ["summary", "hello"]),
    ],
)
def test_who_sees_what(view: View, who: str, visible: list[str]) -> None:
    assert [turn.text for turn in WHISPERED.look(view, who)] == visible


def test_without_a_summary_a_summary_view_shows_all() -> None:
    transcript = transcript_of(ask_event("#1", "Ann"), reply_event("#1", "to all"))
    assert [turn.text for turn in transcript.look(View(summary=True), "Bob")] == ["to all"]
    assert transcript.look(View(summary_only=True), "Bob") == ()


def test_an_interjection_is_seen_by_all() -> None:
    assert all(WHISPERED.sees(who, WHISPERED.turns("interject")[0]) for who in ("Ann", "Bob", "Chair"))


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("401 for api_key=sk-live-abcdef", "401 for ***"),
        ("http://user:pass@proxy:8080/x", "http://***@proxy:8080/x"),
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: ***"),
        ("xoxb-123-abc", "***"),
        ("the api key is abc123", "the ***"),
        ("a key is needed for basic use", "a key is needed for basic use"),
        ("the monkey is big", "the monkey is big"),
        ("it needs a key: set OPENAI_API_KEY somewhere", "it needs a key: set OPENAI_API_KEY somewhere"),
        ("body.key: Field required", "body.key: Field required"),
        ("the key: set OPENAI_API_KEY=abc", "the key: set ***"),
        ("key: abc123 is wrong", "*** is wrong"),
        ("password: hunter is wrong", "*** is wrong"),
        ("token=abc is wrong", "*** is wrong"),
    ],
)
def test_what_looks_like_a_key_is_hidden(text: str, hidden: str) -> None:
    assert hide(text) == hidden
