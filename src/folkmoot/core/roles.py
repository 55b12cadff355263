"""Shared vocabulary of special turns: artifacts, board verdicts, vote weights and recalled memories.

Phases, agents and reports read the same fields and acts, which are named here, with the functions that read them from
turns. A verdict is read only from the field of a member's own message; what others say about it does not count.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, TypeAlias

from folkmoot.core.ask import ABSTAIN, VERDICT, Ask, Value
from folkmoot.core.brief import SIMILARITY, Brief, Participant, is_person
from folkmoot.core.text import clip
from folkmoot.core.transcript import Transcript, Turn, is_open_prose, read_field, wording

GENERATION = "casting"
"""The protocol of the debates in which participants are made: they teach nothing."""

EVALUATION_ID: Final = re.compile(r"eval-[a-z0-9-]*-[0-9a-f]{6}-[0-9a-f]{12}")
"""The ids of debates of evaluations. They teach nothing either: other debates would know the questions."""

HURRIED = frozenset(
    {"open", "draft", "propose", "argue", "question", "answer", "interrupt", "revise", "critique", "close"}
)
"""The acts that need not wait for everybody: those in which debaters speak."""


def hurried(asks: Sequence[Ask], brief: Brief) -> list[Ask]:
    """Those of a batch who need not be waited for when enough others have answered: models that speak as debaters.

    Nobody is hurried where a ballot, a ruling or a moderator is among them.
    """
    people = [brief.participant(ask.to) for ask in asks]
    if any(ask.act not in HURRIED for ask in asks) or any(person.duty != "debater" for person in people):
        return []
    return [ask for ask, person in zip(asks, people, strict=True) if not is_person(person)]


ARTIFACTS = "Artifacts"
"""The field that holds what a turn attaches; the name is compared without case."""

TITLE = 80
"""The longest title of an artifact, in characters."""


class Artifact(NamedTuple):
    """A document, table or data that a turn attaches.

    Attributes:
        mark: the mark by which others cite it: ``A3`` for that of turn ``T3``.
        turn: the turn that attaches it.
        title: its first line, without the marks of a heading or a list.
        text: its whole text.
    """

    mark: str
    turn: Turn
    title: str
    text: str


def artifacts(turns: Iterable[Turn]) -> tuple[Artifact, ...]:
    """The artifacts of these turns, in order; a list of several is one artifact.

    An artifact has the number of its turn, so its mark is the same for everybody, whatever turns they are shown.
    """
    attached = ((turn, turn.once("artifact", _attached)) for turn in turns)
    return tuple([Artifact(f"A{turn.number}", turn, *words) for turn, words in attached if words])


def _attached(turn: Turn) -> tuple[str, str] | None:
    """The title and the text of what a turn attaches; None where it attaches nothing."""
    value = read_field(turn, ARTIFACTS)
    text = "\n".join(f"- {text}" for text in value) if isinstance(value, tuple) else str(value or "")
    if not text.strip():
        return None
    rows = (row.strip(" \t#*_`>|-") for row in text.splitlines())
    return clip(next(filter(None, rows), ""), TITLE), text


REASONING = "VerdictReasoning"
"""The field that holds the reasons for it."""

WITHDRAWN = "Withdrawn"
"""The field in which a member says that it leaves the meeting."""

PATIENCE = 2
"""The number of asks in a row without an answer after which a member counts as absent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenVerdict:
    """A verdict that a member gave, with its reasons and the mark of its turn."""

    verdict: str
    reasoning: str
    mark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The state of one board member.

    Attributes:
        name: the member's name.
        verdict: the current verdict; "" for none.
        wording: the verdict as it is compared with others.
        reasoning: the newest reasons for this verdict.
        history: the first verdict and every change of it, oldest first.
        abstained: whether the member was asked for a verdict and abstained.
        withdrawn: the mark of the turn in which it left; "" if it has not.
        refused: the marks of turns in which it asked to leave without a verdict, which has no effect.
        messages: the number of messages it has sent.
        asked: how often it was asked.
        silent: the number of latest asks in a row that it did not answer, or with nothing that can be read.
    """

    name: str
    verdict: str = ""
    wording: str = ""
    reasoning: str = ""
    history: tuple[GivenVerdict, ...] = ()
    abstained: bool = False
    withdrawn: str = ""
    refused: tuple[str, ...] = ()
    messages: int = 0
    asked: int = 0
    silent: int = 0

    @property
    def absent(self) -> bool:
        """Whether it has failed to answer so often that the meeting no longer waits for it."""
        return self.silent >= PATIENCE

    @property
    def changed(self) -> bool:
        """Whether it has changed its verdict."""
        return len(self.history) > 1


def standings(names: Sequence[str], turns: Sequence[Turn]) -> dict[str, Standing]:
    """The state of each member after these turns.

    Args:
        names: the members, in order of speaking.
        turns: the turns so far, answered or not, oldest first; turns of others and of other forms are ignored.
    """
    states = {name: Standing(name=name) for name in names}
    for turn in turns:
        take_turn(states, turn)
    return states


def take_turn(states: dict[str, Standing], turn: Turn) -> None:
    """Bring the states of the members up to date with their next turn; see ``standings``."""
    if turn.by in states and VERDICT in asked_fields(turn):
        states[turn.by] = _standing_after(states[turn.by], turn)


def verdicts_differ(states: Iterable[Standing]) -> bool:
    """Whether the verdicts given differ."""
    return len({standing.wording for standing in states if standing.verdict}) > 1


def asked_fields(turn: Turn) -> frozenset[str]:
    """The names of the fields that a turn was asked for."""
    return turn.once("asked fields", _asked_fields)


def _asked_fields(turn: Turn) -> frozenset[str]:
    form = turn.ask.form if turn.ask else None
    return frozenset(field.name for field in form.fields) if form else frozenset()


class _Message(NamedTuple):
    """What a member's turn says about its standing; ``same`` is None where no verdict could be read."""

    silent: bool
    counts: bool
    verdict: Value | None
    same: str | None
    reasoning: str
    leaves: bool


def _message(turn: Turn) -> _Message:
    if turn.reply is None or _says_nothing(turn):
        silent = turn.reply is not None or bool(turn.failure)
        return _Message(silent, counts=False, verdict=None, same=None, reasoning="", leaves=False)
    return _Message(
        silent=False,
        counts=WITHDRAWN in asked_fields(turn),
        verdict=read_field(turn, VERDICT),
        same=wording(turn, VERDICT),
        reasoning=str(read_field(turn, REASONING) or ""),
        leaves=read_field(turn, WITHDRAWN) is True,
    )


def _standing_after(state: Standing, turn: Turn) -> Standing:
    message = turn.once("message of a member", _message)
    if message.silent or turn.reply is None:
        return replace(state, asked=state.asked + 1, silent=state.silent + message.silent)
    verdict, same, reasoning = state.verdict, state.wording, state.reasoning
    history, abstained = state.history, state.abstained
    if message.same is None or message.verdict == ABSTAIN:  # the earlier verdict remains
        abstained = message.verdict == ABSTAIN and not verdict
    elif verdict and message.same == same:
        reasoning = message.reasoning or reasoning
    else:
        verdict, same, reasoning, abstained = str(message.verdict), message.same, message.reasoning, False
        history = (*history, GivenVerdict(verdict=verdict, reasoning=reasoning, mark=turn.mark))
    leaves = message.leaves and not state.withdrawn
    return Standing(
        name=state.name,
        verdict=verdict,
        wording=same,
        reasoning=reasoning,
        history=history,
        abstained=abstained,
        withdrawn=turn.mark if leaves and verdict else state.withdrawn,
        refused=(*state.refused, turn.mark) if leaves and not verdict else state.refused,
        messages=state.messages + message.counts,
        asked=state.asked + 1,
    )


def _says_nothing(turn: Turn) -> bool:
    """Whether a strict form was answered with nothing that can be read, and not with plain words either."""
    form = turn.ask.form if turn.ask else None
    return form is not None and form.strict and not turn.fields and not is_open_prose(form, turn)


VoteWeights: TypeAlias = Literal["stated", "log_odds", "elo_calibration"]
"""How votes are weighed: as the brief states, by the log-odds of measured accuracy, or by Elo and calibration."""

WEIGH = "weigh"
"""The act of the turn that gives the weight of each vote."""

VOTE_WEIGHER = "builtin:teller"
"""The ``seat`` of the helper that weighs votes."""

METHOD = "METHOD"
"""The field with the name of the formula; its only choice is the formula that is wanted."""

HOW = "HOW"
"""The field that says in one line how votes are weighed, or why all weigh the same."""

GROUNDS = "GROUNDS"
"""The field with the basis of each weight, one line for each voter."""


def weight_field(voter: str) -> str:
    """The name of the field with the weight of a voter; no other field of the form has such a name."""
    return f"weight of {voter}"


def vote_weigher(brief: Brief) -> str:
    """The name of the helper that weighs votes; "" if there is none."""
    return next((participant.name for participant in brief.participants if participant.seat == VOTE_WEIGHER), "")


def weighing_turn(brief: Brief, transcript: Transcript) -> Turn | None:
    """The turn in which the vote weigher was asked, answered or not; None if there is none."""
    weigher = vote_weigher(brief)
    return next((turn for turn in transcript.all() if turn.act == WEIGH and turn.by == weigher), None)


def measured_weights(brief: Brief, transcript: Transcript) -> Mapping[str, float] | None:
    """The weights that the vote weigher answered, by the field of each voter; None if it was not asked.

    Empty if all votes have the same weight: it did not answer, left a voter out, or all weights would be 0.
    """
    turn = weighing_turn(brief, transcript)
    return None if turn is None else weights_given(turn)


def weights_given(turn: Turn) -> Mapping[str, float]:
    """The weights that a vote weigher's turn gave, by the field of each voter.

    Empty if all votes weigh the same: without an answer, with a weight missing, or with all weights 0.
    """
    form_fields = turn.ask.form.fields if turn.ask and turn.ask.form else ()
    values = {field.name: turn.fields.get(field.name) for field in form_fields if field.kind == "number"}
    read = {name: float(value) for name, value in values.items() if isinstance(value, int | float)}
    return read if len(read) == len(values) and any(read.values()) else {}


RECALL = "recall"
"""The act of a turn that recalls earlier debates."""

HISTORY = "HISTORY"
"""The field with past outcomes on similar topics; its greatest allowed number is how many are wanted."""

PATTERNS = "PATTERNS"
"""The field with critiques that changed an answer; its greatest allowed number is how many are wanted."""

RESEARCH = "RESEARCH"
"""The field with the results of tools on the topic."""

ORIGINS = "ORIGINS"
"""The field with the ids of the debates from which something was recalled; it serves to count their uses."""

RETRIEVER = "builtin:retriever"
"""The ``seat`` of the helper that recalls."""

RETRIEVER_NAME = "retriever"
"""The name by which briefs may refer to that helper."""


def retriever(brief: Brief) -> str:
    """The name of the memory retriever; "" if there is none."""
    return next((participant.name for participant in brief.participants if participant.seat == RETRIEVER), "")


DELIVER = "deliver"
"""The act of the turn in which the final answer is written from the decision."""

ACTS = "act"
"""The call in which a model answers a caller in the caller's own messages."""

FINAL = "ANSWER"
"""The field with the final answer as JSON, where it has to fit a schema."""


def final_writer(brief: Brief) -> str:
    """The name of the helper that writes the final answer; "" if there is none. It alone has a model."""
    helpers = (participant for participant in brief.participants if participant.duty == "aide")
    return next((helper.name for helper in helpers if is_final_writer(helper)), "")


def is_final_writer(participant: Participant) -> bool:
    """Whether a participant is the helper that writes the final answer."""
    measures = participant.seat.startswith(SIMILARITY) or participant.seat in (VOTE_WEIGHER, RETRIEVER)
    return participant.duty == "aide" and not measures


def final_turn(transcript: Transcript) -> Turn | None:
    """The turn in which the final answer was asked for, answered or not; None if there is none."""
    return next((turn for turn in transcript.all() if turn.act == DELIVER), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A tool's result on the topic: the tool, its text and its sources; no sources if it found nothing."""

    tool: str
    text: str
    sources: tuple[str, ...] = ()
