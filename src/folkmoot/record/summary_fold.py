"""The summary of a debate for lists: a fold of the lines of its record, line by line.

A summary holds nothing that does not follow from the lines of its debate. Stores keep it as a row; whoever changes
what it holds raises the version of their tables.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast, get_args

from msgspec.json import decode as from_json
from msgspec.json import encode as to_json

from folkmoot.core.ask import amount
from folkmoot.core.brief import HUMAN
from folkmoot.core.decision import Status
from folkmoot.core.errors import FREE_ERRORS, RecordError
from folkmoot.core.event import ASIDE, Claimed, Renamed
from folkmoot.core.text import clip
from folkmoot.record.store import LATEST, VERSION, decode, decode_side, digest

LONGEST = 1000
"""The most characters of a decision in a summary."""

SIDE = "/letters"
"""The ends of the ids of streams beside records."""

OWNED = "/access/letters"
"""What is behind the id of a debate in the id of the stream that says whose it is."""


NOBODY = " "
"""The owner of a debate whose claim is damaged; no token has that name."""

STATUSES = frozenset(get_args(Status))
"""How a debate can end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """A person has to answer: the ask's key, who is asked for what, and since when."""

    key: str
    name: str
    act: str
    since: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A short form of a decision; see ``core.decision.Decision``.

    ``votes`` has a number for each participant: the place of the answer it voted for among those counted; -1 for none.
    """

    winner: str = ""
    text: str = ""
    strength: str = ""
    share: float | None = None
    votes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The data of a debate in a list.

    Attributes:
        debate: its id.
        entries: how many lines are stored.
        topic: what is debated.
        protocol: its name.
        status: how it ended; else ``paused``, ``open`` where it runs or was broken off, or ``damaged``.
        reason: why it ended, or stands still; "" where it is open.
        at: when it began, in seconds since 1970.
        updated: when the last entry was made.
        forked: the debate and the entry that it was forked from (``depot-3f2a1c@17``); "" for no fork.
        place: tells the folder of its documents from others; see ``core.event.Opened.place``.
        owner: the name of the token by which it was claimed; "" for the person at the machine.
        name: what its owner calls it since; "" for its topic.
        participants: their names, without helpers.
        models: the models of its participants, and others that answered for them, in alphabetical order.
        decision: the decision, if there is one.
        tokens: of all calls, input and output.
        cost: US dollars of all calls; None where the price of one is unknown.
        estimated: whether tokens and cost are estimates, because the provider did not count the tokens of every call.
        spent: US dollars used and reserved, of the calls whose price is known.
        waits: the people who still have to answer, as far as the record says.
        head: the hash of the last line.
    """

    debate: str
    entries: int
    topic: str = ""
    protocol: str = ""
    status: str = "open"
    reason: str = ""
    at: float = 0.0
    updated: float = 0.0
    forked: str = ""
    place: str = ""
    owner: str = ""
    name: str = ""
    participants: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    decision: Verdict | None = None
    tokens: int = 0
    cost: float | None = 0.0
    estimated: bool = False
    spent: float = 0.0
    waits: tuple[Waits, ...] = ()
    head: str = ""

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.status not in ("paused", "open", "damaged")


def searched(debate: str, topic: str, protocol: str) -> str:
    """The text that a search looks in."""
    return f"{debate} {topic} {protocol}".casefold()


def summarize(stream: str, lines: Sequence[str]) -> "Fold":
    """The fold of all lines of a record, or of a stream beside one."""
    fold = Fold(stream)
    for line in lines:
        fold.add(line)
    return fold


class Fold:
    """The summary of a debate in the making: it takes lines one after the other, and can be written down in between.

    Of a stream beside records only its length, its head, who claimed the debate and its name are kept. Lines are not
    checked as strictly as by ``store.decode``: what is needed of them must be there, numbers and hashes must follow
    each other.

    Args:
        stream: the debate's id, or that of a stream beside it.
        text: what ``text`` has said before; "" for a debate without lines.
    """

    def __init__(self, stream: str, text: str = "") -> None:
        self.stream = stream
        self._state: dict[str, Any] = from_json(text) if text else {"entries": 0, "head": "", "owner": ""}

    @property
    def text(self) -> str:
        """The whole state, as JSON."""
        return to_json(self._state).decode()

    @property
    def entries(self) -> int:
        """The number of lines folded."""
        return self._state["entries"]

    @property
    def head(self) -> str:
        """The hash of the last line."""
        return self._state["head"]

    @property
    def owner(self) -> str:
        """Who has claimed the debate, where this is the stream that says so."""
        return self._state["owner"]

    @property
    def name(self) -> str:
        """What its owner calls the debate since, where this is the stream that says so; "" for its topic."""
        return self._state.get("name", "")

    @property
    def models(self) -> tuple[str, ...]:
        """See ``Summary``."""
        return tuple(sorted(self._state.get("models", ())))

    def add(self, line: str) -> None:
        """Take the next line."""
        state = self._state
        number, before = state["entries"] + 1, state["head"]
        state["entries"], state["head"] = number, digest(line)
        if self.stream.endswith(OWNED):
            state["owner"] = state["owner"] if number > 1 else _owner(line)
            state |= _new_name(line)
        elif not self.stream.endswith(SIDE) and "damaged" not in state:
            try:
                _apply(state, self.stream, line, number, before)
            except (RecordError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
                state["damaged"] = _line_error(line, error)

    def chosen_by(self) -> tuple[str, str, str, float]:
        """Status, topic, protocol, and when the last entry was made."""
        state = self._state
        status = "damaged" if state.get("damaged") else state.get("status", "open")
        return status, state.get("topic", ""), state.get("protocol", ""), state.get("updated", 0.0)

    def summary(self, debate: str) -> Summary:
        """The summary so far."""
        state, broken = self._state, self._state.get("damaged", "")
        decision: dict[str, Any] | None = state.get("decision")
        status, reason = state.get("status", "open"), state.get("reason", "")
        return Summary(
            debate=debate,
            entries=state["entries"],
            topic=state.get("topic", ""),
            protocol=state.get("protocol", ""),
            status="damaged" if broken else status,
            reason=broken or reason,
            at=state.get("at", 0.0),
            updated=state.get("updated", 0.0),
            forked=state.get("forked", ""),
            place=state.get("place", ""),
            participants=tuple(state.get("participants", ())),
            models=self.models,
            decision=None if decision is None else _verdict(**decision),
            tokens=state.get("tokens", 0),
            cost=state.get("cost", 0.0),
            estimated=state.get("estimated", False),
            spent=state.get("spent", 0.0),
            waits=tuple(Waits(key=key, **ask) for key, ask in state.get("waits", {}).items()),
            head=state["head"],
        )


def _verdict(*, votes: Sequence[int], **rest: Any) -> Verdict:
    return Verdict(votes=tuple(votes), **rest)


def _owner(line: str) -> str:
    """Who claims a debate with the first line of the stream that says so."""
    try:
        event = decode_side(line).event
    except RecordError:
        return NOBODY
    return event.owner if isinstance(event, Claimed) else ""


def _new_name(line: str) -> dict[str, str]:
    """The name that a line gives a debate; nothing where it gives none."""
    if '"renamed"' not in line:
        return {}
    try:
        event = decode_side(line).event
    except RecordError:
        return {}
    return {"name": event.name} if isinstance(event, Renamed) else {}


def _line_error(line: str, error: Exception) -> str:
    """The error of a line, in the words of the strict reader if it finds one."""
    if isinstance(error, RecordError):
        return str(error)
    try:
        decode(line)
    except RecordError as strict:
        return str(strict)
    return f"a line of the record is damaged ({type(error).__name__}): {line[:80]!r}"


def _apply(state: dict[str, Any], debate: str, line: str, number: int, before: str) -> None:
    data = cast("dict[str, Any]", from_json(line))
    if data["v"] != VERSION:
        decode(line)  # it says what is wrong
    if data["seq"] != number:
        raise RecordError(f"entry {number} is missing: the record continues with entry {data['seq']}")
    if data["prev"] != before:
        raise RecordError(f"entry {number - 1} has been changed: entry {number} carries another hash of it")
    kind = data["kind"]
    if number == 1 and kind != "opened":
        raise RecordError(f"{debate}: the first entry does not open a debate")
    if amount(data["at"], LATEST) is None:
        raise ValueError("at is not a time")
    state["updated"] = float(data["at"])
    state["status"], state["reason"] = "open", ""
    step = _STEPS.get(kind)
    if step:
        step(state, data["body"], state["updated"])
    elif kind not in _PLAIN:
        decode(line)


def _opened(state: dict[str, Any], body: Mapping[str, Any], at: float) -> None:
    brief = body["brief"]
    people = brief.get("participants", ())
    state.update(
        at=at,
        topic=_text(brief["topic"]),
        protocol=_text(body.get("name", "")),
        forked=_text(body.get("forked", "")),
        place=_text(body.get("place", "")),
        participants=[_text(participant["name"]) for participant in people if participant.get("duty") != "aide"],
        people=[participant["name"] for participant in people if participant.get("seat") == HUMAN],
        models=sorted(
            {_text(participant["seat"]) for participant in people if participant.get("seat", "") not in ("", HUMAN)}
        ),
        tokens=0,
        cost=0.0,
        estimated=False,
        spent=0.0,
        tries={},
        waits={},
    )


def _asked(state: dict[str, Any], body: Mapping[str, Any], at: float) -> None:
    ask = body["ask"]
    if ask["to"] in state["people"]:
        state["waits"][_text(ask["key"])] = {"name": ask["to"], "act": _text(ask["act"]), "since": at}


def _ended(state: dict[str, Any], body: Mapping[str, Any], _: float) -> None:
    state["waits"].pop(body["key"], None)


def _attempted(state: dict[str, Any], body: Mapping[str, Any], _: float) -> None:
    reserved = _number(body.get("cost") or 0.0)
    state["spent"] += reserved
    state["tries"][f"{body['key']} {body['call']}"] = reserved


def _called(state: dict[str, Any], body: Mapping[str, Any], _: float) -> None:
    usage = body.get("usage", {})
    cost = usage.get("cost", 0.0)
    model = _text(body.get("model", ""))
    if model and model not in state["models"] and not model.startswith(ASIDE):
        state["models"].append(model)
    reserved = _release(state, body)
    state["spent"] += reserved if cost is None else _number(cost)
    state["tokens"] += int(_number(usage.get("input_tokens", 0)) + _number(usage.get("output_tokens", 0)))
    state["cost"] = None if cost is None or state["cost"] is None else state["cost"] + cost
    state["estimated"] = state["estimated"] or usage.get("estimated", False)


def _erred(state: dict[str, Any], body: Mapping[str, Any], _: float) -> None:
    if body["kind"] in FREE_ERRORS:
        _release(state, body)


def _release(state: dict[str, Any], body: Mapping[str, Any]) -> float:
    """Release the reservation of a call; its amount."""
    reserved: float = state["tries"].pop(f"{body['key']} {body['call']}", 0.0)
    state["spent"] -= reserved
    return reserved


def _ruled(state: dict[str, Any], body: Mapping[str, Any], _: float) -> None:
    decision = body["decision"]
    state["decision"] = {
        "winner": clip(decision.get("winner", ""), LONGEST),
        "text": clip(decision.get("text", ""), LONGEST),
        "strength": _text(decision.get("strength", "")),
        "share": _number(decision.get("share", 0.0)),
        "votes": _votes(state["participants"], decision),
    }


def _votes(participants: Sequence[str], decision: Mapping[str, Any]) -> list[int]:
    """The place of the answer that each participant voted for; -1 for none."""
    places = {answer: place for place, answer in enumerate(decision.get("tally", ()))}
    choices = {
        ballot["voter"]: ballot.get("choice", "")
        for ballot in decision.get("ballots", ())
        if ballot.get("state", "cast") == "cast"
    }
    return [places.get(choices.get(name, ""), -1) for name in participants]


def _closed(state: dict[str, Any], body: Mapping[str, Any], _: float) -> None:
    if body["status"] not in STATUSES:
        raise ValueError("no debate ends so")
    state.update(status=body["status"], reason=_text(body.get("reason", "")), waits={}, tries={})


def _paused(state: dict[str, Any], body: Mapping[str, Any], _: float) -> None:
    state.update(status="paused", reason=_text(body["reason"]))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("no number")
    return value


_STEPS: Mapping[str, Callable[[dict[str, Any], Mapping[str, Any], float], None]] = {
    "opened": _opened,
    "asked": _asked,
    "replied": _ended,
    "failed": _ended,
    "attempted": _attempted,
    "called": _called,
    "erred": _erred,
    "ruled": _ruled,
    "closed": _closed,
    "paused": _paused,
}
_PLAIN = frozenset({"entered", "halted", "interjected", "resumed"})
