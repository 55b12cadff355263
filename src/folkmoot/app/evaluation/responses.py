"""Answers and costs of evaluated debates, read from their records; keys and truths play no part."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import dropwhile, takewhile
from typing import TypeAlias

from folkmoot.app.evaluation.quantities import normal_text, read_quantity
from folkmoot.app.evaluation.questions import Question
from folkmoot.app.evaluation.scores import SeatScore, State
from folkmoot.app.evaluation.setup import Currency
from folkmoot.app.serve.spending import spent
from folkmoot.core.ask import ABSTAIN
from folkmoot.core.errors import FREE_ERRORS
from folkmoot.core.event import ASIDE, Asked, Attempted, Called, Entry, Erred, Failed, Opened, Replied
from folkmoot.core.transcript import Transcript, Turn, fold, read_field
from folkmoot.phases.speak import SPOKEN
from folkmoot.policy.rounds import asks_for

OUTPUT = 5
"""What a token of an answer costs, in tokens of a prompt; prices of most providers are near it."""

SHARED = "first answers shared"
"""What the opening of a record says whose first answers were copied from another one and paid there."""

FIELDS = ("ANSWER", "PROBABILITY", "ESTIMATE", "P50")


# ---- what it cost ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """What something cost: US dollars (None where a price is unknown), weighted tokens, model calls."""

    usd: float | None = 0.0
    tokens: float = 0.0
    calls: float = 0.0

    @staticmethod
    def sum(charges: Sequence["Charge"]) -> "Charge":
        """All of them together, the same in any order: a run that was killed has calls in another order on record."""
        return Charge(
            usd=exact_sum([charge.usd for charge in charges]),
            tokens=math.fsum(charge.tokens for charge in charges),
            calls=math.fsum(charge.calls for charge in charges),
        )

    def times(self, share: float) -> "Charge":
        """A share of it."""
        usd = None if self.usd is None else self.usd * share
        return Charge(usd=usd, tokens=self.tokens * share, calls=self.calls * share)

    def amount(self, currency: Currency) -> float:
        """The number in one currency; an unknown price counts as 0."""
        return getattr(self, currency) or 0.0


def exact_sum(costs: Sequence[float | None]) -> float | None:
    """The sum of costs, the same in any order; None where one is unknown."""
    known = [cost for cost in costs if cost is not None]
    return math.fsum(known) if len(known) == len(costs) else None


def charge_of(entries: Sequence[Entry], key: str = "") -> Charge:
    """What the calls of a record, or of one of its asks, cost as they are charged.

    Those that failed for a price count, what a crash has interrupted does not. A token of an answer weighs as 5 of a
    prompt. An answer of an agent that calls no model counts as one call.
    """
    charges, called = list[Charge](), set[str]()
    tries: dict[tuple[str, str], Attempted] = {}
    for event in (entry.event for entry in entries):
        if not isinstance(event, Attempted | Called | Erred | Replied) or (key and event.key != key):
            continue
        if isinstance(event, Attempted):
            tries[event.key, event.call] = event
        elif isinstance(event, Called):
            called.add(event.key)
            used = event.usage
            tokens = used.input_tokens + OUTPUT * used.output_tokens
            charges.append(Charge(usd=used.cost, tokens=tokens, calls=not event.model.startswith(ASIDE)))
        elif isinstance(event, Erred):
            attempt = tries.get((event.key, event.call))
            if attempt and event.kind not in FREE_ERRORS:
                charges.append(Charge(usd=attempt.cost, tokens=attempt.tokens, calls=1))
        elif event.key not in called:
            charges.append(Charge(calls=1))
    return Charge.sum(charges)


def own_entries(entries: Sequence[Entry]) -> list[Entry]:
    """The entries of a record without what was copied from another one, and paid there: the calls of its first asks."""
    opened = entries[0].event if entries else None
    if not isinstance(opened, Opened) or SHARED not in opened.chosen:
        return list(entries)
    begun = dropwhile(lambda entry: not isinstance(entry.event, Asked), entries)
    asked = takewhile(lambda entry: isinstance(entry.event, Asked), begun)
    copied = {entry.event.ask.key for entry in asked if isinstance(entry.event, Asked)}
    keyed = (Attempted, Called, Erred, Replied, Failed)
    return [entry for entry in entries if not (isinstance(entry.event, keyed) and entry.event.key in copied)]


def own_cost(entries: Sequence[Entry]) -> float:
    """What a debate itself has used and reserved, in US dollars, without what was copied."""
    return spent(own_entries(entries)) if entries else 0.0


# ---- what was answered -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What was answered to a question: by one who answered alone, by a debate, or by several that were counted."""

    answers: tuple[str, ...] = ()  # several where they are tied; none where there is none that could be read
    state: State = "unread"
    probability: float | None = None  # of the outcome, for the kind ``probability``
    charge: Charge = Charge()
    debated: bool = False  # whether participants answered after they had seen others
    seats: tuple[SeatScore, ...] = ()  # of a debate, not graded yet

    @property
    def answer(self) -> str | None:
        """The answer as one of several to be counted; a tie is none."""
        return self.answers[0] if self.state == "answered" else None


Parts: TypeAlias = Sequence[tuple[float, Response]]
"""What an arm answered to a question where it is a mixture: several responses, each with its share."""

Answered: TypeAlias = Mapping[str, Sequence[Parts]]
"""For each arm what it answered to each question, in parts."""


@dataclass(slots=True, kw_only=True)
class Block:
    """One question in one epoch, and what is known of it so far."""

    question: Question
    epoch: int
    rounds: list[str] = field(default_factory=list[str])  # the ids of the debates in which everybody answered alone
    drafts: list[Response] = field(
        default_factory=list[Response]
    )  # these answers, in the order in which they are taken
    # Of each arm what came of its debates, and their ids; several where it meets the cost of a dearer one.
    debates: dict[str, list[Response]] = field(default_factory=dict[str, list[Response]])
    records: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    paid: float = 0.0  # US dollars for all of these debates
    whole: bool = False  # whether everything of it is on record

    def draws(self, arm: str) -> list[Response]:
        """What an arm that meets a cost takes as many of as that buys: its debates, or independent answers."""
        return self.debates.get(arm, self.drafts)


def drafts_of(question: Question, entries: Sequence[Entry]) -> list[Response]:
    """The independent answers of a record, in the order of the seats: the first of each. One without a reply failed."""
    firsts: dict[str, Turn] = {}
    for turn in fold(entries).all():
        if _answers(turn):
            firsts.setdefault(turn.by, turn)
    return [
        replace(
            _count(question, [answer_in(question, turn)]) if turn.reply else Response(state="failed"),
            charge=charge_of(entries, turn.key),
        )
        for turn in firsts.values()
    ]


def _answers(turn: Turn) -> bool:
    """Whether somebody was asked for an answer, and not for a criticism or a vote."""
    return turn.act in SPOKEN and any(asks_for(turn, name) for name in FIELDS)


def answer_in(question: Question, turn: Turn) -> str | None:
    """The answer of a turn; None where it has none that can be read for that kind of question."""
    values = (read_field(turn, name) for name in FIELDS)
    value = next((value for value in values if value is not None), None)
    return None if value is None or value == ABSTAIN else _read(question, str(value))


def _read(question: Question, text: str) -> str | None:
    """The words of an answer, checked to be of the question's kind."""
    if question.kind == "number":
        return text if read_quantity(text) else None
    if question.kind == "probability":
        quantity = read_quantity(text)
        value = -1.0 if quantity is None else quantity.value / (100 if quantity.unit == "%" else 1)
        return f"{value:g}" if 0 <= value <= 1 else None
    if question.options:
        return text if text in question.options else None
    return text if normal_text(text) else None


def form_of(question: Question, answer: str | None) -> str | None:
    """The form in which an answer is compared with others; None for none."""
    if answer is None:
        return None
    if question.kind == "number" and (quantity := read_quantity(answer)):
        return f"{quantity.value:.9g}"
    if question.kind == "probability":
        return "1" if float(answer) >= 0.5 else "0"
    return answer if question.options else normal_text(answer)


def _count(question: Question, answers: Sequence[str | None]) -> Response:
    """What several independent answers say together: the commonest one, or the mean of probabilities."""
    read = [answer for answer in answers if answer is not None]
    if not read:
        return Response()
    if question.kind == "probability":
        mean = sum(map(float, read)) / len(read)
        return Response(answers=(f"{mean:g}",), state="answered", probability=mean)
    forms = {form: answer for answer in reversed(read) if (form := form_of(question, answer))}
    tally = Counter(form_of(question, answer) for answer in read)
    most = max(tally.values())
    tops = tuple(forms[form] for form in sorted(forms) if tally[form] == most)
    return Response(answers=tops, state="answered" if len(tops) == 1 else "tied")


def counted(question: Question, drawn: Sequence[Response], *, debated: bool = False) -> Response:
    """What several answers say together, and what they cost."""
    failed = all(response.state == "failed" for response in drawn)
    response = Response(state="failed") if failed else _count(question, [response.answer for response in drawn])
    return replace(response, charge=Charge.sum([response.charge for response in drawn]), debated=debated)


def debated_of(question: Question, entries: Sequence[Entry], *, recount: bool = False) -> Response:
    """Read what came of a closed debate.

    With ``recount`` the last answers are counted, instead of taking the decision: for debates without one.
    """
    transcript = fold(entries)
    seats = tuple(_seats(question, transcript))
    response = _count(question, [seat.last for seat in seats]) if recount else _decided(question, transcript)
    if not transcript.turns():
        response = Response(state="failed")
    turns = [turn for turn in transcript.turns(*SPOKEN) if turn.ask]
    # whether somebody spoke who could see what others had said before; a vote is no debate
    exchanged = len({turn.by for turn in turns}) > 1 and any(
        turn.ask and (turn.about or turn.ask.view.last != 0) for turn in turns[1:]
    )
    return replace(response, charge=charge_of(entries), debated=exchanged and not recount, seats=seats)


def _seats(question: Question, transcript: Transcript) -> Iterator[SeatScore]:
    """What participants answered first and last; who was never asked for an answer, such as a critic, has none."""
    brief, everything = transcript.brief, transcript.all()
    answering = {turn.by for turn in everything if _answers(turn)}
    for participant in brief.participants if brief else ():
        name = participant.name
        if participant.duty != "debater" or (everything and name not in answering):
            continue
        own = [answer_in(question, turn) for turn in everything if turn.by == name and turn.act in SPOKEN]
        last = next((answer for answer in reversed(own) if answer is not None), None)
        yield SeatScore(seat=name, model=participant.seat, first=own[0] if own else None, last=last)


def _decided(question: Question, transcript: Transcript) -> Response:
    """The decision of a debate as an answer; all that have the most votes where it is a tie."""
    decision = transcript.decision
    if decision is not None and decision.status == "tie":
        most = max(decision.tally.values(), default=0.0)
        named = (name for name, votes in decision.tally.items() if votes == most)
        read = list(dict.fromkeys(_candidate(question, transcript, name) for name in named))
        return replace(_count(question, read), probability=None)
    if decision is None or decision.status != "decided":
        return Response()
    answer = _read(question, decision.winner if decision.winner in question.options else decision.text)
    if answer is None:
        return Response()
    probability = float(answer) if question.kind == "probability" else None
    return Response(answers=(answer,), state="answered", probability=probability)


def _candidate(question: Question, transcript: Transcript, name: str) -> str | None:
    """What a candidate stands for: an option itself, or the last answer of a participant."""
    if name in question.options:
        return name
    answers: Iterable[str | None] = (answer_in(question, turn) for turn in reversed(transcript.turns(*SPOKEN, by=name)))
    return next((answer for answer in answers if answer is not None), None)
