"""What the stored lines of one debate say, and what must hold of them, line by line."""

import re
from dataclasses import dataclass, field
from math import inf, isfinite

from folkmoot.core.ask import Ask
from folkmoot.core.errors import FREE_ERRORS, FolkmootError
from folkmoot.core.event import (
    Asked,
    Attempted,
    Called,
    Closed,
    Entered,
    Erred,
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
from folkmoot.engine.calls import UNKNOWN
from folkmoot.phases.vote import BALLOT
from folkmoot.record.store import decode, digest
from tests.simulator.checks.answer_checks import check_answer
from tests.simulator.checks.answer_totals import check_totals
from tests.simulator.checks.course_checks import Course
from tests.simulator.checks.record_facts import RecordFacts, TryId
from tests.simulator.checks.ruling_checks import check_decision, check_moderation
from tests.simulator.invariants import Violation, require

_UNSEEN = re.compile(
    r"(?<!\\)\\u00[01]|[\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff\ue000-\uf8ff]"
)
"""Control characters, as JSON writes them, and others without a shape that change how a text is shown."""

_USED = re.compile(r"the limit of [\d,]+ tokens: (\d+) used")
_SPENT = re.compile(r"the limit of \$[\d.e+-]+: \$([\d.]+) used")


@dataclass(slots=True)
class RecordState(RecordFacts):
    """What the stored lines of one debate say, line by line; see ``RecordFacts``."""

    _prev: str = ""
    _entered: set[str] = field(default_factory=set[str])
    _tries: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    _ended: set[TryId] = field(default_factory=set[TryId])
    _tokens: int = 0
    _cost: float = 0.0
    _used: set[int] = field(default_factory=set[int])  # the tokens used and reserved since the last question
    _spent: list[float] = field(default_factory=list[float])  # the dollars, in the same way
    _error: float = 0.0  # the most tokens by which an answer has exceeded what was reserved for it
    _cost_error: float = 0.0  # the same in dollars
    _ratios: dict[str, float] = field(default_factory=dict[str, float])  # by model: counted to estimated tokens
    _course: Course = field(default_factory=Course)

    def add(self, line: str) -> Event:
        """Take one stored line.

        Raises:
            Violation: an invariant does not hold.
        """
        try:
            entry = decode(line)
        except FolkmootError as error:
            raise Violation("I41", str(error)) from error
        if entry.seq != len(self.lines) + 1:
            raise Violation("I01", f"entry {entry.seq} behind entry {len(self.lines)}")
        if entry.prev != self._prev:
            raise Violation("I01", f"entry {entry.seq} carries another hash")
        if (entry.seq == 1) != isinstance(entry.event, Opened):
            raise Violation("I02", str(entry.event)[:80])
        if self.closed is not None:
            raise Violation("I03", f"entry {entry.seq}: {str(entry.event)[:80]}")
        if (not line.isascii() or "\\u00" in line or "\x7f" in line) and _UNSEEN.search(line):
            raise Violation("I71", ascii(line)[:200])
        self._check_resumed(entry.event)
        self._prev = digest(line)
        self._apply(entry.event)
        self._used.add(self._tokens)
        self._spent.append(self._cost)
        self.entries.append(entry)
        self.lines.append(line)
        return entry.event

    def _check_resumed(self, event: Event) -> None:
        if isinstance(self.last, Paused):
            # What the play does without asking anybody, and the remarks that came meanwhile, may come first.
            quiet = (Resumed, Entered, Halted, Ruled, Closed, Paused, Interjected, Asked)
            require(isinstance(event, quiet), "I46", lambda: str(event)[:80])

    def _apply(self, event: Event) -> None:
        self._check_course(event)
        match event:
            case Opened():
                self._course.open(event)
            case Entered(path=path):
                parent = path.rpartition("/")[0]
                require(path not in self._entered and (not parent or parent in self._entered), "I04", path)
                self._entered.add(path)
            case Asked(ask=ask):
                self._ask(ask)
            case Attempted():
                self._attempt(event)
            case Called():
                self._call(event)
            case Erred():
                self._err(event)
            case Replied() | Failed():
                self._answer(event)
            case Interjected():
                require(event.letter > self.letters, "I42", lambda: f"message {event.letter} behind {self.letters}")
                self.letters = event.letter
                self.remarks.append((event.text, self.batches))
            case Ruled(decision=decision):
                self.decision = decision
                self._course.check_verdicts(decision)
                check_decision(self, decision)
                self.ballots.clear()
            case Closed():
                self._close(event)
            case Paused(kind="limit", reason=reason):
                self._check_used(reason)
            case _:
                pass

    def _check_used(self, reason: str) -> None:
        used, spent = _USED.search(reason), _SPENT.search(reason)
        require(used is None or int(used[1]) in self._used, "I70", lambda: f"{reason}; {sorted(self._used)}")
        near = spent is None or any(abs(float(spent[1]) - cost) < 6e-5 for cost in self._spent)
        require(near, "I70", lambda: f"{reason}; {self._spent}")

    def _check_course(self, event: Event) -> None:
        """Check what may happen now in the course of the debate."""
        course = self._course
        match event:
            case Asked(ask=ask):
                course.check_step(self, event)
                course.check_member(ask)
                course.check_time(ask)
                course.check_shown(self, ask)
                check_moderation(self, ask)
            case Halted():
                course.check_step(self, event)
                course.check_end_of_meeting(self, event)
                check_moderation(self, event)
            case Entered() | Ruled() | Closed():
                course.check_step(self, event)
            case Paused():
                course.check_pause(self, event)
            case Resumed():
                course.note_resumed(event)
            case _:
                pass

    def _ask(self, ask: Ask) -> None:
        self._used.clear()
        self._spent.clear()
        require(ask.key not in self.asked, "I06", lambda: f"{ask.key} is put twice")
        require(ask.to in self.names, "I56", ask.to)
        self.asked[ask.key] = ask
        if ask.form is not None and any(field.name == BALLOT for field in ask.form.fields):
            self.ballots[ask.to] = ask
        if all(before.key in self.answered for before in self.newest):  # else a crash has parted one batch
            self.batches, self.newest = self.batches + 1, []
        self.newest.append(ask)
        self.batch[ask.key] = self.batches
        if self.limits and self.limits.asks is not None:
            require(len(self.asked) <= self.limits.asks, "I37", f"{len(self.asked)} of {self.limits.asks}")

    def _attempt(self, event: Attempted) -> None:
        call = event.key, event.call
        require(event.key in self.asked, "I05", lambda: f"a try of {event.key}")
        require(event.call not in self.called.get(event.key, ()), "I10", lambda: f"{call} is tried again")
        require(event.key not in self.answered, "I10", lambda: f"{call} is tried behind its answer")
        before = self._tries.get(call, 0)
        require(event.n == before + 1, "I09", lambda: f"{call} has try {event.n} behind {before}")
        require(event.tokens > 0 and event.cost is not None, "I59", lambda: str(event))
        counted = event.prompt * self._ratios.get(event.model, 0.0)
        require(event.tokens >= counted - 1e-6, "I59", lambda: f"{event}, and {counted:.1f} would be counted")
        self._tries[call] = event.n
        self.attempts[*call, event.n] = event
        self._tokens += event.tokens
        self._cost += event.cost or 0.0
        if self.limits:
            most_tokens = inf if self.limits.tokens is None else self.limits.tokens
            most_cost = inf if self.limits.cost is None else self.limits.cost + 1e-9
            fits = self._tokens <= most_tokens and self._cost <= most_cost
            require(
                fits, "I13", lambda: f"{self._tokens} tokens of {most_tokens}, ${self._cost:.5f} of {most_cost:.5f}"
            )

    def _call(self, event: Called) -> None:
        call = event.key, event.call
        require(call in self._tries, "I09", lambda: f"{call} has an answer and no try")
        require(event.call not in self.called.get(event.key, ()), "I10", lambda: f"{call} has two answers")
        usage = event.usage
        counts = (usage.input_tokens, usage.output_tokens, usage.cached_tokens)
        whole = all(type(count) is int and count >= 0 for count in counts)
        require(whole and (usage.cost is None or (isfinite(usage.cost) and usage.cost >= 0)), "I14", lambda: str(usage))
        n = self._tries[call]
        require((*call, n) not in self._ended, "I09", lambda: f"try {n} of {call} ends twice")
        self._ended.add((*call, n))
        self.called.setdefault(event.key, {})[event.call] = event
        attempt = self.attempts.pop((*call, n))
        used = usage.input_tokens + usage.output_tokens
        self._tokens += (used if used and not usage.estimated else max(used, attempt.tokens)) - attempt.tokens
        known = used <= UNKNOWN * attempt.tokens  # else nobody could expect it
        self._error = max(self._error, used - attempt.tokens if known else inf)
        if attempt.prompt and usage.input_tokens and not usage.estimated:
            ratio = usage.input_tokens / attempt.prompt
            self._ratios[attempt.model] = max(self._ratios.get(attempt.model, 0.0), ratio)
        if self.limits and self.limits.tokens is not None:
            most = self.limits.tokens + self._error
            require(self._tokens <= most, "I95", lambda: f"{self._tokens} tokens, of {most} with one error")
        self._check_cost(0.0 if usage.cost is None else usage.cost - (attempt.cost or 0.0), known=known)

    def _check_cost(self, more: float, *, known: bool) -> None:
        """Book what an answer has cost more than was reserved for it."""
        self._cost += more
        self._cost_error = max(self._cost_error, more if known else inf)
        if self.limits and self.limits.cost is not None:
            most = self.limits.cost + self._cost_error + 1e-9
            require(self._cost <= most, "I95", lambda: f"${self._cost:.5f}, of ${most:.5f} with one error")

    def _err(self, event: Erred) -> None:
        attempt = event.key, event.call, event.n
        require(self._tries.get(attempt[:2], 0) >= event.n, "I09", lambda: f"{attempt} ends and has not begun")
        require(attempt not in self._ended, "I09", lambda: f"{attempt} ends twice")
        self._ended.add(attempt)
        tried = self.attempts.pop(attempt)
        if event.kind in FREE_ERRORS:
            self._tokens -= tried.tokens
            self._cost -= tried.cost or 0.0

    def _answer(self, event: Replied | Failed) -> None:
        require(event.key in self.asked, "I05", event.key)
        require(event.key not in self.answered, "I06", lambda: f"{event.key} ends twice")
        self.answered[event.key] = event
        if isinstance(event, Failed) and event.kind == "late":
            batch = [key for key, number in self.batch.items() if number == self.batch[event.key]]
            answers = [key for key in batch if isinstance(self.answered.get(key), Replied)]
            require(
                len(answers) > 1 and self.asked[event.key].act != "vote",
                "I76",
                lambda: f"{event.key}: {len(answers)} answers",
            )
        if isinstance(event, Failed):
            self._course.note_failure(self, event)
        if isinstance(event, Replied):
            self._course.note_member(self.asked[event.key], event.reply)
            check_answer(self, self.asked[event.key], event.reply)
            check_totals(self, self.asked[event.key], event.reply)
            to, text = self.asked[event.key].to, event.reply.text
            foreign = [name for name in self.names if name != to and text.startswith(f"By {name} ")]
            if foreign:
                raise Violation("I07", f"{to} has the words of {foreign[0]}")

    def _close(self, event: Closed) -> None:
        self.closed = event
        for key in self.asked:
            require(key in self.answered, "I35", f"{key} has neither an answer nor a failure")
        if self.decision is not None and self.asked:
            require(
                event.status in (self.decision.status, "failed"),
                "I58",
                f"{event.status}, {self.decision.status}",
            )

    def tries(self, key: str, call: str) -> int:
        """How often a call was tried."""
        return self._tries.get((key, call), 0)
