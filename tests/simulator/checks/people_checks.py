"""What must hold of the time of people: that of their answers, and that of the debate, which does not run meanwhile.

All times are those of the entries, as the processes have stamped them, and are compared in worlds whose clocks are not
set and whose processes are not frozen.
"""

import re
from dataclasses import dataclass

from folkmoot.core.ask import Ask
from folkmoot.core.event import Asked, Attempted, Entry, Failed, Paused, Replied
from tests.simulator.checks.record_facts import RecordFacts
from tests.simulator.invariants import require

_SECONDS = re.compile(r"the limit of ([\d.,]+) seconds? is reached")

NO_ANSWER = "gave no answer in time"

LOOKS = 2.0
"""More than the seconds in which a process finds out that the time of a person is up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """When things happen in a world.

    Attributes:
        began: when the process that writes has begun, in seconds since 1970.
        person: the name of the person; "" for nobody.
        deadline: seconds that the person has for an answer; None for any time.
        reading: seconds that the store may take until a record is read.
    """

    began: float
    person: str = ""
    deadline: float | None = None
    reading: float = 0.0


def check_times(record: RecordFacts, entry: Entry, times: Times) -> None:
    """Check the newest entry of a record."""
    event = entry.event
    if isinstance(event, Paused) and event.kind == "limit" and (limit := _SECONDS.search(event.reason)):
        _check_limit(record, entry, float(limit[1].replace(",", "")), times)
    if isinstance(event, Paused) and event.kind == "waiting" and times.deadline is not None:
        _check_wait(record, times)
    if isinstance(event, Attempted) or (isinstance(event, Failed) and NO_ANSWER in event.reason):
        ask = record.asked[event.key]
        if ask.to == times.person and times.deadline is not None:
            _check_deadline(record, entry, ask, times)


def _check_limit(record: RecordFacts, entry: Entry, most: float, times: Times) -> None:
    """The time of a debate is over only once the process has run so long, without what it waited for people alone."""
    waited = sum(_waited(record, number, times) for number in range(1, record.batches + 1))
    counted = entry.at - times.began - waited
    require(
        counted >= most - 0.01 - times.reading,  # a process reads the record before it counts
        "I89",
        lambda: f"{most:g} s are over after {counted:.1f} s, and {waited:.1f} s in which only a person was waited for",
    )


def _waited(record: RecordFacts, number: int, times: Times) -> float:
    """The seconds of a batch, since the process began, in which only the person had not answered."""
    asks = record.batch_of(number)
    person = [ask.key for ask in asks if ask.to == times.person]
    others = [ask.key for ask in asks if ask.to != times.person]
    if len(person) != 1 or not all(isinstance(record.answered.get(key), Replied) for key in (*person, *others)):
        return 0.0
    put = max(_at(record, Asked, ask.key) for ask in asks)
    begin = max(times.began, put, *(_at(record, Replied, key) for key in others))
    return max(0.0, _at(record, Replied, person[0]) - begin)


def seconds_of(record: RecordFacts, person: str, begin: float, end: float) -> float:
    """The seconds between two times in which a person had a question to answer."""
    since: dict[str, float] = {}
    seconds = 0.0
    for entry in record.entries:
        match entry.event:
            case Asked(ask=ask) if ask.to == person:
                since[ask.key] = entry.at
            case Replied(key=key) | Failed(key=key) if key in since:
                seconds += max(0.0, entry.at - max(begin, since.pop(key)))
            case _:
                pass
    return seconds + sum(max(0.0, end - max(begin, at)) for at in since.values())


def _check_deadline(record: RecordFacts, entry: Entry, ask: Ask, times: Times) -> None:
    """It is over a deadline's time after the question was first put, and is found over when a process looks."""
    assert times.deadline is not None
    over = _at(record, Asked, ask.key) + times.deadline
    require(entry.at >= over - 0.01, "I90", lambda: f"{ask.key} is given up {over - entry.at:.1f} s too early")
    others = [other.key for other in record.batch_of(record.batch[ask.key]) if other.key != ask.key]
    stood_in = any(isinstance(one.event, Attempted) and one.event.key == ask.key for one in record.entries)
    settled = all(isinstance(record.answered.get(key), Replied) for key in others)
    if isinstance(entry.event, Failed) and settled and not stood_in:  # a stand-in that was asked has its own time
        latest = max(over, times.began, *(_at(record, Replied, key) for key in others))
        late = entry.at - latest - LOOKS - times.reading
        require(late <= 0, "I90", lambda: f"{ask.key} is given up {late:.1f} s too late")


def _check_wait(record: RecordFacts, times: Times) -> None:
    """A process does not wait for a person whose time was over before it began."""
    assert times.deadline is not None
    waits = (ask.key for ask in record.newest if ask.to == times.person and ask.key not in record.answered)
    if key := next(waits, ""):
        late = times.began - _at(record, Asked, key) - times.deadline
        require(late <= 0, "I90", lambda: f"{key} is waited for {late:.1f} s behind its deadline")


def _at(record: RecordFacts, kind: type[Asked] | type[Replied], key: str) -> float:
    """When a question was put, or answered."""
    for entry in reversed(record.entries):
        event = entry.event
        if isinstance(event, kind) and (event.ask.key if isinstance(event, Asked) else event.key) == key:
            return entry.at
    raise KeyError(key)
