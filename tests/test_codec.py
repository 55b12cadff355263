"""The codec: every event survives as a line, whatever texts and numbers it holds."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.ask import Ask, Reply, Usage
from moot.core.brief import Brief, Limits, Participant, Settings, Source, View
from moot.core.decision import Ballot, Decision, Minority
from moot.core.errors import RecordError
from moot.core.event import EVENTS, Entered, Entry, Event, Opened
from moot.core.form import Field, Form
from moot.record.codec import decode, digest, encode, read

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
    brief = st.builds(
        Brief,
        background=st.lists(st.builds(Source), max_size=1).map(tuple),
        participants=st.lists(person, max_size=2).map(tuple),
        limits=st.builds(Limits, **dict.fromkeys(LIMITS, st.none() | st.floats(0, 1e9)), **SURE),
    )
    return {Ask: ask, Reply: reply, Usage: usage, Decision: decision, Brief: brief}


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
