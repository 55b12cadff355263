"""What went wrong, and what was used: each event that a reader must know of is in the list and in the sums."""

import pytest

from folkmoot.core.ask import Reply, Usage
from folkmoot.core.event import (
    Asked,
    Attempted,
    Called,
    Closed,
    Entry,
    Erred,
    Event,
    Failed,
    Halted,
    Interjected,
    Paused,
    Replied,
    Resumed,
)
from folkmoot.report.markdown import markdown
from folkmoot.report.metrics import UNMARKED_ANSWER, Metrics, Use, elapsed, faults, measure, same_model, use
from folkmoot.report.report import report
from tests.kits.codes import coded
from tests.report.reports import Diary, ask, hiring, opened, person

KEY = "/debate/rounds/round-1/argue#1"
ASKED = Asked(ask=ask(KEY, "Ann", "argue"))
ANSWER = Replied(key=KEY, reply=Reply(text="x"))
ERRED = Erred(key=KEY, call="answer", n=1, kind="rate", reason="too many requests")


def diary(*events: Event, seat: str = "acme:one") -> Diary:
    return opened(person("Ann", seat=seat)).add(*events)


def test_a_person_who_has_not_answered_yet_is_no_fault() -> None:
    assert faults(diary(ASKED, seat="human").entries) == ()


def test_a_model_with_slashes_in_its_name_is_no_other() -> None:
    for seat in ("acme:vendor/one", "vendor/one", "acme/vendor/one"):
        assert faults(diary(ASKED, called(model="acme:vendor/one"), ANSWER, seat=seat).entries) == ()


def tried(call: str = "answer", n: int = 1, model: str = "acme:one") -> Attempted:
    return Attempted(key=KEY, call=call, n=n, model=model)


def called(**more: object) -> Called:
    data: dict[str, object] = {"key": KEY, "call": "answer", "text": "x", "model": "acme:one", **more}
    return Called(**data)  # type: ignore[arg-type]


def replied(*, unread: tuple[str, ...] = (), notes: tuple[str, ...] = ()) -> Replied:
    return Replied(key=KEY, reply=Reply(text="x", unread=coded(unread), notes=notes))


@pytest.mark.parametrize(
    ("events", "expected", "line"),
    [
        ([ASKED, ANSWER], [], "There were no problems."),
        ([ASKED], [("open", "there is no answer yet")], "**Open question** (Ann, Round 1: arguments): there is no"),
        (
            [ASKED, Failed(key=KEY, kind="timeout", reason="no answer within 9 seconds")],
            [("missing", "timeout: no answer within 9 seconds")],
            "**No answer** (Ann, Round 1: arguments): timeout: no answer within 9 seconds",
        ),
        (
            [ASKED, Failed(key=KEY, kind="refused", reason="the request was refused")],
            [("missing", "the request was refused")],
            ": the request was refused",
        ),
        (
            [ASKED, Failed(key=KEY, kind="open", reason="one has failed again and again")],
            [("missing", "left out: one has failed again and again")],
            "**No answer** (Ann, Round 1: arguments): left out: one has failed again and again",
        ),
        ([ASKED, Failed(key=KEY, kind="broken", reason="")], [("missing", "broken")], "arguments): broken"),
        (
            [ASKED, tried(), ERRED, tried(n=2), ERRED, tried(n=3), called(), ANSWER],
            [("erred", "rate: too many requests")] * 2,
            "**Failed attempt** (Ann, Round 1: arguments, 2 times): rate: too many requests",
        ),
        (
            [ASKED, tried(), Paused(reason="stopped"), Resumed(by="Dana"), tried(n=2, model=""), ANSWER],
            [
                ("lost", "a call of acme:one has no result on record; it may have been charged"),
                ("paused", "stopped"),
                ("resumed", "by Dana"),
                ("lost", "a call of a model has no result on record; it may have been charged"),
            ],
            "- **Paused**: stopped\n- **Resumed**: by Dana\n",
        ),
        (
            [ASKED, called(model="other:two", served="two"), ANSWER],
            [("fallback", "other:two was called instead of acme:one")],
            "**Another model was asked** (Ann, Round 1: arguments): other:two was called instead of acme:one",
        ),
        (
            [ASKED, called(served="two"), called(call="repair", served="two"), ANSWER],
            [("served", "two answered for acme:one")] * 2,
            "**Another model answered** (Ann, Round 1: arguments, 2 times): two answered for acme:one",
        ),
        ([ASKED, called(model="guest:a/b", served="two"), ANSWER], [], "There were no problems."),
        (
            [ASKED, called(finish="unmarked"), replied(notes=("truncated",))],
            [("unmarked", UNMARKED_ANSWER)],
            "**Answer without an end** (Ann, Round 1: arguments): the server ended",
        ),
        (
            [ASKED, called(finish="length"), replied(notes=("truncated at 100 tokens",))],
            [("truncated", "the answer reached its maximum length")],
            "**Truncated answer**",
        ),
        ([ASKED, replied(notes=("truncated",))], [("truncated", "truncated")], "**Truncated answer**"),
        (
            [ASKED, called(finish="filter"), ANSWER],
            [("filtered", "the provider's filter cut the answer")],
            "**Filtered",
        ),
        (
            [ASKED, replied(unread=("STATUS: missing", "N: no number"), notes=("second try",))],
            [("unread", "STATUS: it's not there"), ("unread", "N: no number"), ("noted", "second try")],
            "- **Field not readable** (Ann, Round 1: arguments): STATUS: it's not there\n- **Field not readable**",
        ),
        (
            [ASKED, called(usage=Usage(estimated=True)), called(model="", usage=Usage(estimated=True)), ANSWER],
            [
                ("estimated", "acme:one reported no usable token counts"),
                ("estimated", "reported no usable token counts"),
            ],
            "**Estimated tokens** (Round 1: arguments): acme:one reported no usable token counts",
        ),
        ([Halted(path="/debate/rounds", reason="all agree")], [], "There were no problems."),
        (
            [Halted(path="/debate", reason="0 of 2 answered")],
            [("halted", "0 of 2 answered")],
            "**Ended early**: 0 of 2",
        ),
        ([Paused(reason="", kind="limit"), Resumed()], [("paused", "limit"), ("resumed", "")], "**Resumed**\n"),
        (
            [Paused(reason="the end of it", kind="limit")],
            [("paused", "limit: the end of it")],
            "**Paused**: limit: the",
        ),
        ([Interjected(by="Dana", text="x"), Closed(status="failed")], [], "There were no problems."),
    ],
)
def test_everything_that_went_wrong_is_listed(events: list[Event], expected: list[tuple[str, str]], line: str) -> None:
    entries = diary(*events).entries
    listed = faults(entries)
    assert [(fault.kind, fault.reason) for fault in listed] == expected
    assert all(entries[fault.seq - 1].seq == fault.seq for fault in listed)
    assert line in markdown(report(entries, debate="d")).split("## Problems\n\n")[1]


@pytest.mark.parametrize("seat", ["", "one", "acme/one", "acme:one"])
def test_a_seat_by_any_of_its_names_is_no_fallback(seat: str) -> None:
    assert faults(diary(ASKED, called(), ANSWER, seat=seat).entries) == ()


@pytest.mark.parametrize(
    ("requested", "served", "same"),
    [
        ("openai:gpt-4o", "gpt-4o-2024-08-06", True),
        ("openai:gpt-4o", "gpt-4o-mini", False),
        ("ollama:llama3.2", "llama3.2:latest", True),
        ("ollama:qwen3:8b", "qwen3:8b", True),
        ("ollama:qwen3:8b", "qwen3:4b", False),
        ("anthropic:claude-haiku-latest", "claude-haiku-20250101", True),
        ("router:meta/llama-3", "llama-3", True),
        ("google:gemini-2.0-flash", "models/Gemini-2.0-flash-001", True),
        ("plain", "plain", True),
    ],
)
def test_names_of_the_same_model(requested: str, served: str, same: bool) -> None:
    assert same_model(requested, served) is same


def test_sums_by_participant_and_model() -> None:
    paid, unknown = Usage(input_tokens=10, output_tokens=5, cached_tokens=4, cost=0.1), Usage(cost=None, estimated=True)
    events = (
        *(ASKED, tried(), ERRED, tried(n=2), called(usage=paid, seconds=2.0)),
        *(tried(call="repair", model="b:two"), called(call="repair", model="b:two", usage=unknown, seconds=1.0)),
        Replied(key=KEY, reply=Reply(text="x", seconds=4.0)),
    )
    metrics = measure(diary(*events).entries)
    ann = Use(
        asks=1,
        answers=1,
        calls=2,
        attempts=3,
        retries=1,
        errors=1,
        repairs=1,
        input_tokens=10,
        output_tokens=5,
        cached_tokens=4,
        estimated=1,
        cost=None,
        known=0.1,
        unpriced=("b:two",),
        seconds=4.0,
    )
    assert metrics.participants == {"Ann": ann}
    assert metrics.total == ann
    assert metrics.models["acme:one"].errors == 1
    assert metrics.models["acme:one"].cost == 0.1
    assert metrics.models["b:two"] == Use(
        calls=1, attempts=1, repairs=1, estimated=1, cost=None, unpriced=("b:two",), seconds=1.0
    )
    assert (metrics.seconds, metrics.paused) == (9.0, 0.0)


def test_uses_of_tools_and_trees_of_searches_are_no_calls_of_a_model() -> None:
    looked = (
        *(tried(call="tool-1", model="tool:search"), called(call="tool-1", model="tool:search", served="acme:one")),
        *(tried(call="tool-2", model="tool:rag"), Erred(key=KEY, call="tool-2", n=1, kind="timeout", reason="late")),
        *(tried(call="tree", model="search:mcts"), called(call="tree", model="search:mcts")),
    )
    plain = (ASKED, tried(), called(usage=Usage(input_tokens=3)), ANSWER)
    metrics = measure(diary(*plain[:2], *looked, *plain[2:]).entries)
    assert metrics.total == measure(diary(*plain).entries).total
    assert list(metrics.models) == ["acme:one"]
    vectors = called(call="tool-2-embed-1", model="other:vectors")
    kinds = [fault.kind for fault in faults(diary(*plain[:2], *looked, vectors, *plain[2:]).entries)]
    assert "fallback" not in kinds
    assert "served" not in kinds


def test_an_unknown_price_is_never_nothing() -> None:
    sums = use([called(model="", usage=Usage(cost=None)), called(usage=Usage(cost=0.0))])
    assert (sums.cost, sums.known, sums.unpriced) == (None, 0.0, ("a model without a name",))
    text = markdown(report(diary(ASKED, tried(), called(usage=Usage(cost=None)), ANSWER).entries, debate="d"))
    assert "- **Cost:** unknown (no price for `acme:one`)\n" in text
    assert "| Ann | 1 of 1 | 1 | 0 | 0 | unknown | 0 s |" in text


def test_sums_of_nothing_and_of_open_and_missing_asks() -> None:
    assert measure([]) == Metrics(total=Use(), participants={}, models={})
    assert use([ASKED, ASKED, Failed(key=KEY, kind="x", reason="")]) == Use(asks=2, missing=1, open=1)
    assert measure(diary(ASKED, ERRED).entries).models == {"": Use(errors=1)}


@pytest.mark.parametrize(
    ("events", "seconds", "still"),
    [
        ([(0, ASKED), (5, ANSWER)], 5, 0),
        (
            [(0, ASKED), (5, Paused(reason="x")), (7, Interjected(by="D", text="x")), (65, Resumed()), (70, ANSWER)],
            10,
            60,
        ),
        ([(0, ASKED), (5, tried()), (65, Resumed()), (70, ANSWER)], 10, 60),
        ([(0, ASKED), (9, Paused(reason="x")), (3, Resumed()), (4, ANSWER)], 4, 0),
        ([(9, ASKED), (3, ANSWER)], 0, 0),
        ([(7200, ASKED), (7203, tried()), (1, ERRED), (5, ANSWER)], 7, 0),
        ([(7200, ASKED), (7203, tried()), (1, Paused(reason="x")), (11, Resumed()), (15, ANSWER)], 7, 10),
    ],
)
def test_time_stands_still_in_pauses(events: list[tuple[float, Event]], seconds: float, still: float) -> None:
    entries = [Entry(seq=n, at=1000 + at, event=event) for n, (at, event) in enumerate(events, start=1)]
    assert elapsed(entries) == (seconds, still)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.04, "0 s"),
        (59.94, "59.9 s"),
        (60, "1 min"),
        (3599.4, "59 min 59 s"),
        (3600, "1 h"),
        (90061, "1 day 1 h"),
    ],
)
def test_time_in_words(seconds: float, shown: str) -> None:
    entries = diary(ASKED).entries
    last = Entry(seq=4, at=entries[0].at + seconds, event=ANSWER)
    assert f", took {shown}\n" in markdown(report([*entries, last], debate="d"))


def test_failed_and_lost_tries_are_told_beside_the_cost() -> None:
    text = markdown(report(hiring(), debate="d"))
    assert "- **Calls:** 4 answered, with 1 retry, 1 failed attempt and 1 lost attempt\n" in text
    assert "cost about $0.0375); failed and lost attempts are not included\n" in text
