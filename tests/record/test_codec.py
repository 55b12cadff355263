"""The codec: every event survives as a line, whatever texts and numbers it holds."""

import contextlib
import json
import re
from dataclasses import fields, is_dataclass, replace
from functools import reduce
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.ask import Ask, Field, Form, Reply, Usage
from folkmoot.core.brief import Brief, Limits, Participant, Settings, Source, View
from folkmoot.core.decision import Ballot, Decision, Minority
from folkmoot.core.errors import RecordError, Unstorable
from folkmoot.core.event import EVENTS, Called, Entered, Entry, Event, Opened, Replied
from folkmoot.record.store import decode, digest, encode, read

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NUMBER = st.floats(allow_nan=False, allow_infinity=False)
VALUE = st.one_of(TEXT, NUMBER, st.integers(-(2**53), 2**53), st.booleans(), st.lists(TEXT, max_size=2).map(tuple))


def register() -> None:
    """Mappings in events are dictionaries of plain values."""
    st.register_type_strategy(str, TEXT)
    st.register_type_strategy(float, NUMBER)
    st.register_type_strategy(int, st.integers(-(2**53), 2**53))


LIMITS = ("cost", "total_seconds")
COUNT = st.integers(0, 2**53)
SURE: dict[str, st.SearchStrategy[Any]] = {
    "asks": st.none() | COUNT,
    "tokens": st.none() | COUNT,
    "turn_seconds": st.floats(0, 1e9),
    "parallel": st.integers(1, 99),
}


def values() -> dict[type[Any], st.SearchStrategy[Any]]:
    view = st.builds(View)
    usage = st.builds(Usage)
    field = st.builds(Field)
    form = st.builds(Form, fields=st.lists(field, max_size=2).map(tuple))
    ask = st.builds(Ask, form=st.none() | form, view=view)
    reply = st.builds(Reply, fields=st.dictionaries(TEXT, VALUE, max_size=3), usage=usage)
    tally = st.dictionaries(TEXT, NUMBER, max_size=3)
    ballots = st.lists(st.builds(Ballot), max_size=2).map(tuple)
    minority = st.lists(st.builds(Minority), max_size=2).map(tuple)
    decision = st.builds(Decision, tally=tally, first=tally, ballots=ballots, minority=minority)
    person = st.builds(Participant, settings=st.builds(Settings))
    limits = st.builds(Limits, **dict.fromkeys(LIMITS, st.none() | st.floats(0, 1e9)), **SURE)
    brief = st.builds(
        Brief,
        background=st.lists(st.builds(Source), max_size=1).map(tuple),
        participants=st.lists(person, max_size=2).map(tuple),
        limits=limits,
    )
    return {Ask: ask, Reply: reply, Usage: usage, Decision: decision, Brief: brief, Limits: limits}


register()
for kind, strategy in values().items():
    st.register_type_strategy(kind, strategy)
PROTOCOL = st.dictionaries(TEXT, TEXT | st.lists(TEXT, max_size=2), max_size=2)


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_every_event_survives_as_a_line(kind: type[Event], data: st.DataObject) -> None:
    event: Event = data.draw(st.builds(kind, protocol=PROTOCOL) if kind is Opened else st.from_type(kind))
    line = encode(Entry(seq=1, at=0.25, event=event))
    assert "\n" not in line
    assert decode(line) == Entry(seq=1, at=0.25, event=event)
    assert encode(decode(line)) == line


def in_two_ways(line: str) -> list[str]:
    """What a line is read as: as it is written, and with a space, so that it is read by way of plain JSON."""
    read_as: list[str] = []
    for form in (line, "{ " + line[1:]):
        try:
            read_as.append(repr(decode(form)))
        except RecordError:
            read_as.append("damaged")
    return read_as


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_a_line_as_it_is_written_is_read_like_any_other_json(kind: type[Event], data: st.DataObject) -> None:
    event: Event = data.draw(st.builds(kind, protocol=PROTOCOL) if kind is Opened else st.from_type(kind))
    quick, plain = in_two_ways(encode(Entry(seq=1, at=0.25, event=event)))
    assert quick == plain != "damaged"


VALUES = re.compile(r'(?<=":)(?:"[^"\\]*"|-?[0-9.e+-]+|true|false|null|\[\]|\{\})(?=[,}])')
ODD = ('"x"', '"5"', "5", "-1", "2.0", "2.5", "true", "null", "[]", "[5]", '["x"]', "{}", '{"x":1}', "NaN", "-Infinity")
ODDER = ("1e999", "9" * 20, "9" * 400, '"\\ud800"', '"\\u0000"', '5,"key":"twice"', "5}", "", "[" * 300 + "]" * 300)


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_a_changed_line_is_damaged_in_both_ways_or_in_none(kind: type[Event], data: st.DataObject) -> None:
    event: Event = data.draw(st.builds(kind, protocol=PROTOCOL) if kind is Opened else st.from_type(kind))
    line = encode(Entry(seq=1, at=0.25, event=event))
    place = data.draw(st.sampled_from([value.span() for value in VALUES.finditer(line)]))
    changed = line[: place[0]] + data.draw(st.sampled_from(ODD + ODDER)) + line[place[1] :]
    quick, plain = in_two_ways(changed)
    assert quick == plain


NAN = float("nan")
DEEP = reduce(lambda inner, _: [inner], range(500), cast("list[object]", []))
HOSTILE: tuple[object, ...] = (
    *(None, True, -1, 5, 2.5, NAN, float("inf"), -float("inf"), 10**400, 10**5000, 1e308, 1 + 2j),
    *("", "5", "\0", "\n", "\ud800", "a\udfffb", '"', b"x", b"\xff", object(), type, DEEP),
    *([], ["x"], (None,), (5,), ("\ud800",), {"a": NAN}, {"a": None}, {1: 2}, {None: {}}, {1}, range(2)),
    *(Usage(), Usage(cost=NAN), Reply(text="x"), Entered(path="/debate")),
)
"""What no field may hold, or only some."""


def spoiled(data: st.DataObject, value: Any) -> Any:
    """The value with one of its parts, however deep, put in the place of which something hostile stands."""
    if not is_dataclass(value) or isinstance(value, type) or data.draw(st.integers(0, 3)) == 0:
        return data.draw(st.sampled_from(HOSTILE))
    name = data.draw(st.sampled_from([item.name for item in fields(value)]))
    return replace(value, **{name: spoiled(data, getattr(value, name))})


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_what_could_not_be_read_back_is_not_written(kind: type[Event], data: st.DataObject) -> None:
    whole: Any = data.draw(st.builds(kind, protocol=PROTOCOL) if kind is Opened else st.from_type(kind))
    name = data.draw(st.sampled_from([item.name for item in fields(whole)]))
    event = replace(whole, **{name: spoiled(data, getattr(whole, name))})
    entry = Entry(seq=1, at=0.25, event=event)
    with contextlib.suppress(Unstorable):
        assert decode(encode(entry)) == entry


@pytest.mark.parametrize(
    "change",
    [{"seq": "1"}, {"seq": 1.5}, {"at": NAN}, {"at": -1.0}, {"at": 1e300}, {"at": "1"}, {"prev": 'x"'}, {"prev": "\n"}],
    ids=str,
)
def test_an_entry_around_an_event_is_checked_as_well(change: dict[str, Any]) -> None:
    with pytest.raises(Unstorable):
        encode(replace(Entry(seq=1, at=0.0, event=Entered(path="/debate")), **change))


def test_the_error_says_where_and_nothing_of_what_was_there() -> None:
    called = Called(key="/debate#1", call="answer", text="secret", usage=Usage(output_tokens=2.5))  # pyright: ignore[reportArgumentType]
    with pytest.raises(Unstorable) as caught:
        encode(Entry(seq=1, at=0.0, event=called))
    assert str(caught.value) == ("an entry 'called' cannot be stored: ValidationError in usage.output_tokens")


CALLED = Called(key="/a#1", call="answer", text="x")
REPLIED = Replied(key="/a#1", reply=Reply(text="x"))


@pytest.mark.parametrize("version", ["0", "-1", "true", "1", '"2"', "null", "3"])
def test_only_a_format_that_there_is_is_read(version: str) -> None:
    line = encode(Entry(seq=1, at=0.0, event=Entered(path="/debate")))
    with pytest.raises(RecordError):
        decode(line.replace('"v":2,', f'"v":{version},'))


@pytest.mark.parametrize("edit", ['"seq":"1"', '"at":"0"', '"at":NaN', '"at":-1', '"at":1e300', '"prev":5'])
def test_a_head_of_another_kind_is_a_damaged_line(edit: str) -> None:
    data = json.loads(encode(Entry(seq=1, at=0.0, event=Entered(path="/debate"))))
    line = ",".join(f'"{name}":{json.dumps(value)}' for name, value in data.items() if not edit.startswith(f'"{name}"'))
    with pytest.raises(RecordError):
        decode(f"{{{line},{edit}}}")


@given(TEXT)
def test_any_other_text_is_a_damaged_line(text: str) -> None:
    with pytest.raises(RecordError):
        decode(text)


@given(at=st.integers(0, 200), mask=st.integers(1, 255))
def test_a_flipped_byte_is_found(at: int, mask: int) -> None:
    first = encode(Entry(seq=1, at=0.0, event=Entered(path="/debate")))
    second = encode(Entry(seq=2, at=0.0, event=Entered(path="/debate/x"), prev=digest(first)))
    raw = bytearray(first.encode())
    raw[at % len(raw)] ^= mask
    with pytest.raises(RecordError):
        read([raw.decode("utf-8", "replace"), second])
