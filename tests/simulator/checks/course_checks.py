"""What must hold of the course of a debate: who is asked, and when it halts or pauses."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from folkmoot.core.ask import ABSTAIN, Ask, Reply
from folkmoot.core.brief import is_person
from folkmoot.core.decision import Decision
from folkmoot.core.event import Asked, Closed, Entered, Failed, Halted, Opened, Paused, Replied, Resumed, Ruled
from folkmoot.core.roles import VERDICT, WITHDRAWN
from folkmoot.core.transcript import normalise
from folkmoot.phases.base import DEFAULT_ROUNDS, ROOT
from folkmoot.protocols.board import DEADLINE, EVERY
from tests.simulator.checks.record_facts import RecordFacts
from tests.simulator.invariants import require

AWAY = frozenset({"connection", "server", "rate", "open", "timeout", "key", "quota", "not_found", "address"}) | {
    "too_long",
    "request",
}
"""Kinds of failures in which a model was not asked, or not in time."""

MESSAGE, REMIND = "argue", "remind"
"""The acts of a meeting: of its members, and of its timekeeper."""

PlayStep = Entered | Halted | Ruled | Closed | Asked

_ANSWERED = re.compile(r"(\d+) of (\d+) answered, (\d+) (?:is|are) needed")


_ROUND = re.compile(r"/round-(\d+)")


@dataclass(slots=True)
class Course:
    """How far a debate has come.

    Attributes:
        needs: by act how many of a batch must answer.
        halted: why the whole debate was halted; "" if it was not.
        left: the members of a board who have left it.
        verdicts: the newest verdict of each member.
        rounds: the most rounds of any of its phases; 0 where its protocol counts them in another way.
        shows: by act the acts of which each question is about the newest answers.
        times: after each how many messages of a meeting its timekeeper speaks; () where there is none.
        messages: how many messages there were.
        reminded: how many there were when the timekeeper spoke last.
    """

    needs: Mapping[str, int] = field(default_factory=dict[str, int])
    halted: str = ""
    left: set[str] = field(default_factory=set[str])
    verdicts: dict[str, str] = field(default_factory=dict[str, str])
    rounds: int = 0
    shows: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    times: tuple[int, ...] = ()
    messages: int = 0
    reminded: int = 0
    _looked: int = 0
    _failed: list[str] = field(default_factory=list[str])  # since the debate was last resumed

    def open(self, opened: Opened) -> None:
        """Note what the phases need."""
        numbers_by_act: dict[str, set[int]] = {}
        _find_needs(opened.protocol, numbers_by_act)
        self.rounds = _most_rounds(opened.protocol)
        self.times = _times(opened.protocol)
        shown: dict[str, set[frozenset[str]]] = {}
        _find_shown(opened.protocol, shown)
        self.shows = {act: min(sets) for act, sets in shown.items() if len(sets) == 1}
        self.needs = {
            act: min(numbers) for act, numbers in numbers_by_act.items() if len(numbers) == 1 and min(numbers) > 0
        }

    # ---- a debate that halts -------------------------------------------------------------------------------------

    def check_step(self, record: RecordFacts, event: PlayStep) -> None:
        """Check a step of the play, before it is taken in: a phase that needs answers halts the debate without them."""
        halts = isinstance(event, Halted) and event.path == ROOT
        if isinstance(event, Entered) and self.rounds:
            numbers = [int(number) for number in _ROUND.findall(event.path)]
            require(max(numbers, default=0) <= self.rounds, "I93", lambda: f"{event.path} of {self.rounds} rounds")
        if self.halted:
            ended = isinstance(event, Closed) and event.reason == self.halted
            require(ended, "I87", lambda: f"the debate is halted, and then comes {str(event)[:120]}")
        goes_on = isinstance(event, Asked) and isinstance(record.last, Asked)
        if record.batches > self._looked and not goes_on:
            self._looked = record.batches
            asks = record.newest
            answers, needed = _answers(record, asks), self.needs.get(asks[0].act, 0)
            require(halts or answers >= needed, "I87", lambda: f"{answers} of {len(asks)} answered: {str(event)[:120]}")
        if isinstance(event, Halted) and halts:
            self._check_halt(record, event)
            self.halted = event.reason

    def _check_halt(self, record: RecordFacts, event: Halted) -> None:
        counts, asks = _ANSWERED.search(event.reason), record.newest
        if counts is None:
            return
        answers, questions, needed = map(int, counts.groups())
        in_groups = record.opened is not None and record.opened.name == "grouped"  # of which each has a batch
        same = answers == _answers(record, asks) < needed and (in_groups or questions == len(asks))
        wanted = self.needs.get(asks[0].act, needed)
        require(same and needed == wanted, "I87", lambda: f"{_answers(record, asks)} answered: {event.reason}")

    def check_shown(self, record: RecordFacts, ask: Ask) -> None:
        """Who is asked about answers of others, or votes for them, is asked about the newest ones."""
        acts = self.shows.get(ask.act, frozenset())
        newest = {
            other.to: other.key for other in record.asked.values() if other.act in acts and record.reply(other.key)
        }
        about = [record.asked[key] for key in ask.about if record.reply(key)]  # I44 sees what is not stored
        old = [other.key for other in about if other.act in acts and newest.get(other.to) != other.key]
        require(not old, "I94", lambda: f"{ask.key} is about {old[0]}, and {newest} are newer")

    # ---- a provider out of reach ---------------------------------------------------------------------------------

    def note_failure(self, record: RecordFacts, event: Failed) -> None:
        """Where nobody of a batch could be reached its questions stay open, and the debate pauses."""
        self._failed.append(event.key)
        asks = record.batch_of(record.batch[event.key])
        keys = [ask.key for ask in asks]
        people = {who.name for who in record.brief.participants if is_person(who)} if record.brief else set[str]()
        if len(keys) < 2 or not set(keys) <= set(self._failed) or people.intersection(ask.to for ask in asks):
            return
        failures = [record.answered[key] for key in keys]
        away = all(isinstance(failure, Failed) and failure.kind in AWAY for failure in failures)
        require(not away, "I88", lambda: f"nobody of {len(keys)} could be reached, and all have failed: {keys}")

    def note_resumed(self, event: Resumed) -> None:
        """What fails from now on fails in another process."""
        self._failed.clear()

    def check_pause(self, record: RecordFacts, event: Paused) -> None:
        """A debate pauses for a provider only if nobody of the batch could be reached."""
        if event.kind == "unavailable":
            asks = record.newest
            open_ = [ask.key for ask in asks if ask.key not in record.answered]
            all_failed = len(asks) > 1 or _all_have_failed(record)
            require(
                len(open_) == len(asks) and all_failed,
                "I88",
                lambda: f"{open_} of {len(asks)} are open: {event.reason}",
            )

    # ---- members of a board --------------------------------------------------------------------------------------

    def check_member(self, ask: Ask) -> None:
        """Who has left is asked no more."""
        require(ask.to not in self.left, "I08", lambda: f"{ask.key}: {ask.to} has left")

    def check_time(self, ask: Ask) -> None:
        """The timekeeper of a meeting speaks before the next message where its time has come, and else not."""
        if not self.times:
            return
        due = self.messages > self.reminded and any(self.messages % time == 0 for time in self.times)
        if ask.act == REMIND:
            require(due, "I108", lambda: f"{ask.key} behind {self.messages} messages, every {self.times}")
            self.reminded = self.messages
        elif ask.act == MESSAGE:
            require(not due, "I108", lambda: f"{ask.key} comes instead, behind {self.messages} of {self.times}")

    def note_member(self, ask: Ask, reply: Reply) -> None:
        """Take in what a member says of its verdict and of leaving; only its own fields count."""
        self.messages += ask.act == MESSAGE
        fields = {form_field.name for form_field in ask.form.fields} if ask.form else set[str]()
        if VERDICT not in fields:
            return
        verdict = reply.fields.get(VERDICT)
        if verdict is not None and verdict != ABSTAIN:
            self.verdicts[ask.to] = normalise(verdict)
        if reply.fields.get(WITHDRAWN) is True and ask.to in self.verdicts:
            self.left.add(ask.to)

    def check_end_of_meeting(self, record: RecordFacts, event: Halted) -> None:
        """A meeting is over because all have left only if they have."""
        if event.reason == "all members have withdrawn" and record.brief is not None:
            there = set(record.brief.names("debater")) - self.left
            require(not there, "I08", lambda: f"{sorted(there)} have not left, and {event.reason}")

    def check_verdicts(self, decision: Decision) -> None:
        """The verdict with which a member has left is its vote."""
        for ballot in decision.ballots:
            if ballot.voter in self.left:
                verdict = self.verdicts[ballot.voter]
                same = ballot.state == "cast" and normalise(ballot.choice) == verdict
                require(same, "I08", f"{ballot}, and its verdict is {verdict!r}")


def _answers(record: RecordFacts, asks: Sequence[Ask]) -> int:
    return sum(isinstance(record.answered.get(ask.key), Replied) for ask in asks)


def _find_needs(part: object, numbers_by_act: dict[str, set[int]]) -> None:
    """Note for each act that phases ask for how many must answer."""
    if isinstance(part, Mapping):
        fields = cast("Mapping[str, object]", part)
        if isinstance(act := fields.get("act"), str):
            needs = fields.get("needs", 0)
            numbers_by_act.setdefault(act, set()).add(needs if isinstance(needs, int) else 0)
        for value in fields.values():
            _find_needs(value, numbers_by_act)
    elif isinstance(part, Sequence) and not isinstance(part, str):
        for value in cast("Sequence[object]", part):
            _find_needs(value, numbers_by_act)


def _most_rounds(part: object) -> int:
    """The most rounds of any part of a protocol that is played in rounds; 0 where there is none."""
    if isinstance(part, Mapping):
        fields = cast("Mapping[str, object]", part)
        most = fields.get("most", DEFAULT_ROUNDS) if fields.get("is") == "Rounds" else 0
        return max(most if isinstance(most, int) else 0, *map(_most_rounds, fields.values()), 0)
    if isinstance(part, Sequence) and not isinstance(part, str):
        return max(map(_most_rounds, cast("Sequence[object]", part)), default=0)
    return 0


def _times(part: object) -> tuple[int, ...]:
    """After each how many messages the timekeeper of a meeting speaks; () where a protocol has none."""
    if isinstance(part, Mapping):
        fields = cast("Mapping[str, object]", part)
        if fields.get("is") == "Meeting":
            return cast("int", fields.get("every", EVERY)), cast("int", fields.get("deadline", DEADLINE))
        return _first_times(list(fields.values()))
    if isinstance(part, Sequence) and not isinstance(part, str):
        return _first_times(cast("Sequence[object]", part))
    return ()


def _first_times(parts: Sequence[object]) -> tuple[int, ...]:
    return next((times for part in parts if (times := _times(part))), ())


def _find_shown(part: object, shown: dict[str, set[frozenset[str]]]) -> None:
    """Note for each act of which acts its questions show the newest answers."""
    if isinstance(part, Mapping):
        fields = cast("Mapping[str, object]", part)
        if fields.get("is") == "Vote" and fields.get("latest", True):
            shown.setdefault("vote", set()).add(_acts_of([fields]))
        if fields.get("is") == "Everyone":
            showings = cast("Sequence[Mapping[str, object]]", fields.get("show", ()))
            newest = [showing for showing in showings if showing.get("whose") != "to_me"]
            shown.setdefault(str(fields["act"]), set()).add(_acts_of(newest))
        for value in fields.values():
            _find_shown(value, shown)
    elif isinstance(part, Sequence) and not isinstance(part, str):
        for value in cast("Sequence[object]", part):
            _find_shown(value, shown)


def _acts_of(parts: Sequence[Mapping[str, object]]) -> frozenset[str]:
    return frozenset(act for part in parts for act in cast("Sequence[str]", part.get("acts", ())))


def _all_have_failed(record: RecordFacts) -> bool:
    """Whether all debaters have failed since somebody answered last, where the newest question is put to one alone."""
    events = [entry.event for entry in record.entries]
    replies = [n for n, event in enumerate(events) if isinstance(event, Replied)]
    failed = {record.asked[event.key].to for event in events[max(replies, default=0) :] if isinstance(event, Failed)}
    failed |= {ask.to for ask in record.newest}
    people = record.brief.participants if record.brief else ()
    same = set[str]() if replies else {who.seat for who in people if who.name in failed}
    return all(who.name in failed or who.seat in same for who in people if who.duty == "debater")
