"""What must hold in every simulated world: the list of invariants by number, and those that a record alone shows.

The numbers up to 40 are those of the list of faults from which Moot was designed; later ones were added since.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf, isfinite

from moot.answers.layout import read
from moot.core.ask import ABSTAIN, Ask, Form, Reply, Value
from moot.core.brief import Limits
from moot.core.decision import Ballot, Decision
from moot.core.errors import FREE_ERRORS, MootError
from moot.core.event import (
    Asked,
    Attempted,
    Called,
    Closed,
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
    Ruled,
)
from moot.phases.vote import BALLOT
from moot.policy.rules import MAJORITY, PLURALITY, SUPERMAJORITY, UNANIMITY, WEIGHTED
from moot.record.store import decode, digest
from moot.testing.simulate.answer_tokens import NO_TOKEN, token, without_token

INVARIANTS: Mapping[str, str] = {
    "I01": "the entries of a record are numbered without a gap, and each carries the hash of the one before",
    "I02": "the first entry is the opening, and there is no other one",
    "I03": "nothing stands behind the close",
    "I04": "each phase begins once, and inside a phase that has begun",
    "I05": "an answer, a failure, a call belongs to a question that was put",
    "I06": "a question is put once and ends once",
    "I07": "the words of an answer are those of the participant who was asked",
    "I09": "the tries of a call are numbered from 1 and each has one end at most",
    "I10": "a call with a stored answer is not tried again",
    "I11": "each request that leaves has a try on record, and no try is sent twice",
    "I12": "a process tries a call three times at most, and not again behind an error that stays",
    "I13": "what is used and reserved fits into the limits when a call is reserved",
    "I14": "booked tokens are whole and not negative, booked costs are finite and not negative",
    "I15": "no more requests are in flight than the debate and the connection allow",
    "I16": "requests go to the accepted host and to models of the brief",
    "I17": "a decision has one ballot of each voter at most, and all voters take part",
    "I18": "a ballot and every field is what its voter's own answer says, read once more",
    "I19": "the tally is the sum of the ballots",
    "I20": "a winner has the most; where two have as much, there is a tie or a named way out",
    "I21": "a prompt has no mark of others and no words of those whom its reader does not see",
    "I22": "a prompt has no words of an answer to the same batch",
    "I23": "weights are finite and positive",
    "I25": "a moderator's ruling is what the moderator has answered",
    "I27": "the record is played again without any call and gives the same entries",
    "I28": "a debate under faults that must not matter is the debate without them",
    "I29": "a driver that was overtaken writes nothing more",
    "I30": "a viewer sees only what is stored",
    "I31": "a viewer sees every line once, in order",
    "I33": "a process ends, whatever happens",
    "I34": "an ended process leaves no task and loses no exception",
    "I35": "in a closed debate every question has an answer or a failure",
    "I36": "once the faults have ceased the debate ends",
    "I37": "no more questions are put than the limit allows",
    "I39": "no key is in a record, a message or an error",
    "I40": "a process that is stopped, cancelled or killed leaves a record from which the debate goes on",
    "I41": "every stored line is read back",
    "I42": "a message is used once, and in the order in which messages came",
    "I43": "a question is durable before its request leaves",
    "I44": "a prompt has only words that are durable",
    "I45": "a remark is recorded as it was sent",
    "I46": "behind a pause the debate is resumed before anything else happens",
    "I47": "what a store has acknowledged stays",
    "I48": "of two answers of a person the first one counts",
    "I49": "a request is given up when the time of its turn is over",
    "I50": "a provider that asks to wait is left alone for that time",
    "I51": "a call is not tried again without a pause",
    "I52": "what a run returns is what its record says",
    "I53": "a runner runs no more debates than it has places",
    "I54": "only errors of Moot's own tree come out of a run",
    "I55": "the status of a decision fits: a decided one has a winner, an undecided one has none",
    "I56": "a participant whom a question names takes part",
    "I57": "a debate that is over is not driven again",
    "I58": "a closed debate says what its decision says",
    "I59": "tries are reserved for what they can use: a try of a model has tokens and a price",
    "I60": "a job changes its state only as it may, and one that has ended only when its owner submits it again",
    "I61": "a debate is taken only when no other lease on it holds, and a lease that has run out is not renewed",
    "I62": "only who holds a debate changes its lease or ends it, as long as the lease holds",
    "I63": "a worker writes a debate only under its own lease",
    "I64": "a job is done only if its record is closed",
    "I65": "a worker runs no more debates than it has places, and all together no more requests than the limit allows",
    "I66": "a debate is given up only after its tries, and a try with an answer starts the count anew",
    "I67": "a drained worker leaves no lease, no place and no call in flight",
    "I68": "the lease of a worker that runs and reaches the queue in time does not run out",
    "I69": "each time of a schedule that was taken begins one debate, and is forgotten then",
    "I70": "a pause at a limit on tokens says what the record has used and reserved",
    "I71": "no stored line has a character that nobody sees",
    "I72": "no message is passed over: behind a later one no earlier one can come any more",
    "I73": "a prompt has no private field of an answer, but for its author and whom it is addressed to",
    "I74": "who has the share that the rule asks for wins, and nobody else; half of the voters decide nothing",
    "I75": "a process that is asked to stop puts no question after the batch in hand",
    "I77": "a ballot is what its voter's own answer to its own ballot says, and who cannot be read has none",
    "I78": "no request leaves once the time of the whole debate is over",
    "I79": "a model whose calls have failed again and again is left alone for its cooldown",
    "I80": "what is booked for an answer is what the provider has counted, at the price of its model",
    "I81": "a prompt has the newest answer that its reader sees, and all remarks",
    "I82": "a remark that has come is on record before the next questions, and before the close",
    "I84": "a process meets no conflict with what it has written itself",
    "I83": "a record that its protocol would not make again, or whose line was changed, is refused",
    "I76": "an answer counts as late only where debaters speak, and where enough others of its batch have answered",
}
"""What must hold, by number."""

SHARES: Mapping[str, tuple[float, bool]] = {
    PLURALITY.name: (0.0, True),
    WEIGHTED.name: (0.0, True),
    MAJORITY.name: (1 / 2, True),
    SUPERMAJORITY.name: (2 / 3, False),
    UNANIMITY.name: (1.0, False),
}
"""By rule the share that a winner needs, and whether it must be more than that."""

_UNSEEN = re.compile(
    r"(?<!\\)\\u00[01]|[\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff\ue000-\uf8ff]"
)
"""Control characters, as JSON writes them, and others without a shape that change how a text is shown."""

_USED = re.compile(r"the limit of [\d,]+ tokens: (\d+) used")


class Violation(AssertionError):
    """An invariant does not hold.

    Args:
        number: its number.
        how: what was seen.
    """

    def __init__(self, number: str, how: str) -> None:
        super().__init__(f"{number}: {INVARIANTS[number]}. Seen: {how}")
        self.number, self.how = number, how


def require(holds: object, number: str, how: Callable[[], str] | str) -> None:
    """Raise a violation of an invariant unless something holds."""
    if not holds:
        raise Violation(number, how if isinstance(how, str) else how())


TryId = tuple[str, str, int]
"""The key of a question, the name of the call and the number of the try."""


@dataclass(slots=True)
class RecordState:
    """What the stored lines of one debate say, line by line.

    Attributes:
        limits: what is checked; None where somebody has raised them, or two drivers have spent from them.
        attempts: the tries on record that have not ended, in their order.
        batch: for each question the number of its batch.
        batches: how many batches of questions there are.
        remarks: those from outside, with the number of batches before each.
    """

    debate: str
    names: tuple[str, ...] = ()
    limits: Limits | None = None
    entries: list[Entry] = field(default_factory=list[Entry])
    lines: list[str] = field(default_factory=list[str])
    asked: dict[str, Ask] = field(default_factory=dict[str, Ask])
    answered: dict[str, Replied | Failed] = field(default_factory=dict[str, "Replied | Failed"])
    attempts: dict[TryId, Attempted] = field(default_factory=dict[TryId, Attempted])
    batch: dict[str, int] = field(default_factory=dict[str, int])
    closed: Closed | None = None
    decision: Decision | None = None
    letters: int = 0
    remarks: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    batches: int = 0
    _prev: str = ""
    _entered: set[str] = field(default_factory=set[str])
    _tries: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    _called: dict[tuple[str, str], Called] = field(default_factory=dict[tuple[str, str], Called])
    _ballots: dict[str, Ask] = field(default_factory=dict[str, Ask])  # by voter, since the last decision
    _ended: set[TryId] = field(default_factory=set[TryId])
    _tokens: int = 0
    _cost: float = 0.0
    _used: set[int] = field(default_factory=set[int])  # the tokens used and reserved since the last question

    @property
    def last(self) -> Event | None:
        """The last event; None before the first."""
        return self.entries[-1].event if self.entries else None

    def add(self, line: str) -> Event:
        """Take one stored line.

        Raises:
            Violation: an invariant does not hold.
        """
        try:
            entry = decode(line)
        except MootError as error:
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
        self.entries.append(entry)
        self.lines.append(line)
        return entry.event

    def _check_resumed(self, event: Event) -> None:
        if isinstance(self.last, Paused):
            # What the play does without asking anybody, and the remarks that came meanwhile, may come first.
            quiet = (Resumed, Entered, Halted, Ruled, Closed, Paused, Interjected, Asked)
            require(isinstance(event, quiet), "I46", lambda: str(event)[:80])

    def _apply(self, event: Event) -> None:
        match event:
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
                self._check_ballots(decision)
                self._check_winner(decision)
                self._ballots.clear()
            case Closed():
                self._close(event)
            case Paused(kind="limit", reason=reason):
                used = _USED.search(reason)
                require(used is None or int(used[1]) in self._used, "I70", lambda: f"{reason}; {sorted(self._used)}")
            case _:
                pass

    def _ask(self, ask: Ask) -> None:
        self._used.clear()
        require(ask.key not in self.asked, "I06", lambda: f"{ask.key} is put twice")
        require(ask.to in self.names, "I56", ask.to)
        self.asked[ask.key] = ask
        if ask.form is not None and any(field.name == BALLOT for field in ask.form.fields):
            self._ballots[ask.to] = ask
        self.batches += not isinstance(self.last, Asked)
        self.batch[ask.key] = self.batches
        if self.limits and self.limits.asks is not None:
            require(len(self.asked) <= self.limits.asks, "I37", f"{len(self.asked)} of {self.limits.asks}")

    def _attempt(self, event: Attempted) -> None:
        call = event.key, event.call
        require(event.key in self.asked, "I05", lambda: f"a try of {event.key}")
        require(call not in self._called, "I10", lambda: f"{call} is tried again")
        require(event.key not in self.answered, "I10", lambda: f"{call} is tried behind its answer")
        before = self._tries.get(call, 0)
        require(event.n == before + 1, "I09", lambda: f"{call} has try {event.n} behind {before}")
        require(event.tokens > 0 and event.cost is not None, "I59", lambda: str(event))
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
        require(call not in self._called, "I10", lambda: f"{call} has two answers")
        usage = event.usage
        counts = (usage.input_tokens, usage.output_tokens, usage.cached_tokens)
        whole = all(type(count) is int and count >= 0 for count in counts)
        require(whole and (usage.cost is None or (isfinite(usage.cost) and usage.cost >= 0)), "I14", lambda: str(usage))
        n = self._tries[call]
        require((*call, n) not in self._ended, "I09", lambda: f"try {n} of {call} ends twice")
        self._ended.add((*call, n))
        self._called[call] = event
        attempt = self.attempts.pop((*call, n))
        used = usage.input_tokens + usage.output_tokens
        self._tokens += (used if used and not usage.estimated else max(used, attempt.tokens)) - attempt.tokens
        self._cost += 0.0 if usage.cost is None else usage.cost - (attempt.cost or 0.0)

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
        if isinstance(event, Replied):
            self._check_reading(self.asked[event.key], event.reply)
            to, text = self.asked[event.key].to, event.reply.text
            foreign = [name for name in self.names if name != to and text.startswith(f"By {name} ")]
            if foreign:
                raise Violation("I07", f"{to} has the words of {foreign[0]}")

    def _check_reading(self, ask: Ask, reply: Reply) -> None:
        """Read what the model answers once more, where it took one answer."""
        answers = [called for (key, _), called in self._called.items() if key == ask.key]
        if ask.form and len(answers) == 1 and answers[0].finish == "stop" and reply.asked != "human":
            word = token(self.debate, ask.key)
            fields = {name: without_token(value, word) for name, value in reply.cleaned(ask.form).fields.items()}
            again = _read(ask.form, answers[0].text.replace(word, NO_TOKEN), ask.to)
            require(again == fields, "I18", lambda: f"{ask.key}: {again}")

    # ---- decisions -----------------------------------------------------------------------------------------------

    def _check_ballots(self, decision: Decision) -> None:
        voters = [ballot.voter for ballot in decision.ballots]
        require(len(voters) == len(set(voters)), "I17", str(voters))
        require(set(voters) <= set(self.names), "I17", str(voters))
        chosen: dict[str, str] = {}
        for ballot in decision.ballots:
            require(isfinite(ballot.weight) and ballot.weight > 0, "I23", str(ballot))
            self._check_ballot(ballot, chosen)
            if ballot.state == "cast":
                answered = any(
                    self.asked[key].to == ballot.voter and isinstance(event, Replied)
                    for key, event in self.answered.items()
                )
                require(answered, "I18", f"{ballot.voter} has answered nothing: {ballot}")

    def _check_ballot(self, ballot: Ballot, chosen: dict[str, str]) -> None:
        """Compare a ballot with what its voter has answered; ``chosen`` has what was voted for by the turns chosen."""
        ask = self._ballots.get(ballot.voter)
        if ask is None or ask.form is None or ballot.ranks or ballot.scores:
            return
        reply = self.reply(ask.key)
        choice = None if reply is None else reply.fields.get(BALLOT)
        wanted = "abstained" if choice == ABSTAIN else "cast" if choice else "missing" if reply is None else "unread"
        require(ballot.state == wanted, "I77", lambda: f"{ask.key}: {ballot}, and the answer is {choice!r}")
        choices = next(field.choices for field in ask.form.fields if field.name == BALLOT)
        if wanted == "cast" and len(choices) == len(ask.about):
            turn = ask.about[choices.index(str(choice))]
            other = chosen.setdefault(turn, ballot.choice)
            require(other == ballot.choice, "I77", lambda: f"{ask.key}: {turn} is {other!r} and {ballot.choice!r}")

    def _check_winner(self, decision: Decision) -> None:
        decided = decision.status == "decided"
        require(decided or not decision.winner, "I55", lambda: f"{decision.status} with {decision.winner!r}")
        require(not decided or decision.winner or decision.text, "I55", "decided without a winner or a text")
        cast = [ballot for ballot in decision.ballots if ballot.state == "cast"]
        plain = decision.rule in SHARES and not any(ballot.ranks or ballot.scores for ballot in cast)
        if plain and cast:
            sums: dict[str, float] = {}
            for ballot in cast:
                weight = ballot.weight if decision.rule == WEIGHTED.name else 1.0
                sums[ballot.choice] = sums.get(ballot.choice, 0.0) + weight
            tally = {name: weight for name, weight in decision.tally.items() if weight}
            require(_close(sums, tally), "I19", lambda: f"{sums} is told as {tally}")
            most = [name for name, weight in sums.items() if weight > max(sums.values()) - 1e-9]
            if decision.winner:
                require(decision.winner in most, "I20", lambda: f"{decision.winner} of {sums}")
                require(
                    len(most) == 1 or "tie" in decision.how,
                    "I20",
                    lambda: f"{decision.winner} of {sums}: {decision.how}",
                )
            self._check_share(decision, sums, most)
        if decision.rule == "moderator" and decision.winner:
            require(self._moderator_says(decision), "I25", str(decision)[:200])

    def _check_share(self, decision: Decision, sums: Mapping[str, float], most: Sequence[str]) -> None:
        needed, beyond = SHARES[decision.rule]
        voters = [ballot for ballot in decision.ballots if ballot.state != "abstained"]
        share = sums[most[0]] / (len(voters) if decision.rule == UNANIMITY.name else sum(sums.values()))
        answers = sum(ballot.state in ("cast", "abstained") for ballot in decision.ballots)
        quorum = 2 * answers > len(decision.ballots)
        enough = quorum and len(most) == 1 and (share > needed + 1e-9 if beyond else share > needed - 1e-9)
        decided = decision.status == "decided"
        require(
            decided == enough or "fallback" in decision.how,
            "I74",
            lambda: f"{decision.rule}: {sums} of {len(voters)} is {decision.status}: {decision.how}",
        )

    def _moderator_says(self, decision: Decision) -> bool:
        values = [
            str(value)
            for event in self.answered.values()
            if isinstance(event, Replied)
            for value in event.reply.fields.values()
        ]
        return any(decision.winner in value for value in values) or bool(decision.text)

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

    @property
    def calls(self) -> int:
        """How many calls have an answer."""
        return len(self._called)

    def tries(self, key: str, call: str) -> int:
        """How often a call was tried."""
        return self._tries.get((key, call), 0)

    def reply(self, key: str) -> Reply | None:
        """The stored answer to a question."""
        event = self.answered.get(key)
        return event.reply if isinstance(event, Replied) else None

    def addressees(self, ask: Ask) -> set[str]:
        """Who else may read a private field of the stored answer."""
        reply = self.reply(ask.key)
        to = {field.to for field in ask.form.fields if field.private and field.to} if ask.form else set[str]()
        return {str(reply.fields[name]) for name in to if name in reply.fields} if reply else set()


@lru_cache(maxsize=4_096)
def _read(form: Form, text: str, speaker: str) -> dict[str, Value]:
    """The fields of an answer; many answers are the same but for their token."""
    return dict(Reply(text="", fields=read(form, text, speaker=speaker).fields).cleaned(form).fields)


def _close(one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    return one.keys() == other.keys() and all(abs(one[name] - other[name]) < 1e-6 for name in one)
