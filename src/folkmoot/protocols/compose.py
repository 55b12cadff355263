"""Options added to any protocol: moderator's judgement, early ending, interruptions, ratings, revisions, summaries.

A protocol is a sequence: opening, rounds, ending. Each addition is a phase at a fixed place, so no protocol needs to
know of it:

- After each turn: interruptions first, so that they are rated too; then ratings.
- In each round, after the protocol and its mediator: revisions, strategy notes, and a summary that covers all of them.
- After the rounds: scores and evaluations, before the decision.
- At the end: reflection, because it must not influence the debate; then translations, of the reflection too.

Wording is compared without meaning, so a moderator can judge each round in typed fields that nobody else sees.
"""

from collections.abc import Callable, Mapping
from collections.abc import Sequence as AbstractSequence
from dataclasses import dataclass, replace

from folkmoot.core.ask import Field, Form
from folkmoot.core.brief import Brief, View
from folkmoot.core.errors import ProtocolError
from folkmoot.core.roles import standings
from folkmoot.phases import base
from folkmoot.phases.base import After, At, Phase, Play, Rounds, Sequence, State, Undebated
from folkmoot.phases.bids import CuttingIn
from folkmoot.phases.choices import Choices, Condition, until
from folkmoot.phases.consent import Consent
from folkmoot.phases.draws import CountEach
from folkmoot.phases.endings import LOG
from folkmoot.phases.helpers import Liken, similarity_agent
from folkmoot.phases.ranked_vote import Ranking
from folkmoot.phases.revise import EVOLVE, TOPIC_LANGUAGE, TRANSLATE, Mindful, Reflect, Revise, Summarize, Translate
from folkmoot.phases.score import anonymous_scoring, live_scoring, reasoned_evaluation
from folkmoot.phases.speak import SPOKEN, Everyone, quoting_speech, same_language, speech, with_required_target
from folkmoot.phases.verdict import FAIR, Keep, Pick, Rank
from folkmoot.phases.vote import Adopt, Count, Vote
from folkmoot.policy.convergence import Stalled
from folkmoot.policy.early_stop import Certain, Early, Lead
from folkmoot.policy.rounds import Ahead, Alike, AnyOf, Confident, Saving, Settled, Stop, Unchanged
from folkmoot.policy.rules import PLURALITY
from folkmoot.protocols.adjudication import Adjudicate
from folkmoot.protocols.board import Recommend
from folkmoot.protocols.chaired import Synthesis
from folkmoot.protocols.grouped import Groups
from folkmoot.protocols.measured.critic import Check
from folkmoot.protocols.measured.selection import Merge

DECIDING: tuple[type[Phase], ...] = (
    *(Vote, Count, Ranking, Adopt, Pick, Rank, Keep, Consent, Recommend, Synthesis, Adjudicate),
    *(CountEach, Undebated, Check, Merge),
)
"""The phases that only count or ask for a decision."""

CLOSED: tuple[type[Phase], ...] = (*DECIDING, Groups)
"""The phases after whose turns nothing can be added: their turns are counted, or visible to few."""

ENDING = ("close", "moderate")
"""The acts of a protocol's last words, once its rounds are over."""


def after_turns(tree: Phase, then: Phase, acts: tuple[str, ...]) -> Phase:
    """The tree with ``then`` after each batch of turns of these acts, which are in the focus of its state."""

    def wrap(phase: Phase) -> Phase:
        return phase if isinstance(phase, CLOSED) else After(each=phase, then=then, acts=acts)

    return _leaves(tree, wrap)


def after_rounds(tree: Phase, then: Phase, *, every: int = 1, midpoint: bool = False) -> Phase:
    """The tree with ``then`` at the end of every round, of every n-th, or of the middle one alone."""

    def add(rounds: Rounds) -> Phase:
        middle = ((rounds.most + 1) // 2,) if midpoint else ()
        extra: Phase = At(each=then, every=every, rounds=middle) if midpoint or every > 1 else then
        return replace(rounds, each=_with_part(rounds.each, extra))

    return _rounds(tree, add)


def before_end(tree: Phase, *then: Phase) -> Phase:
    """The tree with these phases after its rounds; without rounds, before the closing statements or the decision."""
    if not isinstance(tree, Sequence):
        return Sequence(parts=(tree, *then))
    rounds = [n for n, part in enumerate(tree.parts, start=1) if isinstance(part, Rounds)]
    ends = [n for n, part in enumerate(tree.parts) if isinstance(part, DECIDING) or part.name in ENDING]
    at = rounds[-1] if rounds else [*ends, len(tree.parts)][0]
    return replace(tree, parts=(*tree.parts[:at], *then, *tree.parts[at:]))


def at_end(tree: Phase, *then: Phase) -> Phase:
    """The tree with these phases at its end, after the decision."""
    return replace(tree, parts=(*tree.parts, *then)) if isinstance(tree, Sequence) else Sequence(parts=(tree, *then))


def _with_part(phase: Phase, extra: Phase) -> Phase:
    if isinstance(phase, Sequence):
        return replace(phase, parts=(*phase.parts, extra))
    return Sequence(parts=(phase, extra))


def _rounds(tree: Phase, change: Callable[[Rounds], Phase]) -> Phase:
    """The tree with its outermost rounds changed."""
    if isinstance(tree, Rounds):
        return change(tree)
    if isinstance(tree, Sequence):
        return replace(tree, parts=tuple(_rounds(part, change) for part in tree.parts))
    return tree


def _leaves(tree: Phase, change: Callable[[Phase], Phase]) -> Phase:
    """The tree with every phase changed that is not made of phases."""
    if isinstance(tree, Sequence):
        return replace(tree, parts=tuple(_leaves(part, change) for part in tree.parts))
    if isinstance(tree, Rounds | At):
        return replace(tree, each=_leaves(tree.each, change))
    return change(tree)


JUDGEMENT = Form(
    name="gauge",
    fields=(
        Field(name="WHY", help="the reason, in one sentence", required=False),
        Field(name="NEW", kind="choice", choices=("CLAIMS", "NONE"), help="what this round brought"),
        Field(name="CONSENSUS", kind="choice", choices=("REACHED", "OPEN"), help="whether all have the same position"),
    ),
)
"""What a moderator gives after each round where the rounds may end early."""

# Models call politeness agreement and count new words as new points; both are named, because each ends or prolongs
# a debate wrongly.
TASK = (
    "Judge how far the debate is after round {round}. CONSENSUS is REACHED only if every debater now holds the same "
    "position; politeness and shared facts are none. NEW is NONE only if this round brought no claim, reason or "
    "evidence that was not there before; an old point in new words is not new."
)

JUDGED: Mapping[Condition, Settled] = {
    "consensus_reached": Settled(
        act="gauge", field="CONSENSUS", value="REACHED", saying="judges that consensus is reached"
    ),
    "no_new_arguments": Settled(act="gauge", field="NEW", value="NONE", saying="judges that nothing new was said"),
}
"""The judgement that meets each condition."""


def judgement(brief: Brief, view: View = LOG) -> Phase:
    """The moderator, the first where there are several, judges the round; for the stops and the record alone.

    Args:
        brief: who takes part.
        view: how the log is shown: with names, unless the protocol hides them.
    """
    by = brief.names("moderator")[:1]
    return Everyone(act="gauge", task=TASK, who=by, form=JUDGEMENT, view=view, private=True)


def with_judgement(tree: Phase, brief: Brief, choices: Choices) -> Phase:
    """The tree with a judgement after every round but the last, if the brief has conditions for ending and a moderator.

    Rounds that end for reasons of their protocol's own are left as they are.
    """
    chosen = until(choices)
    if chosen is None or not brief.names("moderator"):
        return tree
    judged = tuple(stop for name, stop in JUDGED.items() if name in choices.until)
    stop = AnyOf(stops=(chosen, *judged))

    def ends(phase: Phase) -> Phase:
        if isinstance(phase, Sequence):
            return replace(phase, parts=tuple(ends(part) for part in phase.parts))
        if isinstance(phase, Rounds) and phase.until == chosen:
            judging: Phase = replace(phase, until=stop)
            for part in _except_last(judgement(brief), phase.most):
                judging = after_rounds(judging, part)
            return judging
        return phase

    return ends(tree)


def _except_last(part: Phase, last: int) -> tuple[Phase, ...]:
    """The phase after every round but the last, because after that there is nothing to end; () for a single round."""
    return (At(each=part, rounds=tuple(range(1, last))),) if last > 1 else ()


ABOUT = "debate_end_condition"

ENDED = ("panel", "arena", "gate")
"""The protocols whose rounds and votes these conditions can end."""

OPEN: tuple[Condition, ...] = ("consensus_reached", "no_new_arguments", "rounds_exhausted")
"""The conditions of the debate formats, which other protocols are not refused either."""

OF_VOTES: Mapping[str, Early] = {"lead_decided": Lead(), "majority_certain": Certain()}
"""What ends a vote before all have voted."""


def check(protocol: str, choices: Choices) -> None:
    """Refuse conditions that a protocol does not know.

    Raises:
        ProtocolError: there is one.
    """
    if protocol not in ENDED and (strange := [condition for condition in choices.until if condition not in OPEN]):
        problem = f"{protocol} does not support {strange[0]}: that works with {' and '.join(ENDED)}"
        raise ProtocolError(problem, about=ABOUT)


def rounds(
    parts: AbstractSequence[Phase],
    brief: Brief,
    choices: Choices,
    *,
    acts: tuple[str, ...],
    usual: Stop,
    size: tuple[int, int],
) -> base.Rounds:
    """The rounds with what ends them early: the conditions of the brief, else what is usual.

    Args:
        parts: what happens in a round.
        brief: who takes part.
        choices: what the brief chose.
        acts: the acts that hold answers.
        usual: what ends the rounds where the brief names nothing.
        size: the greatest number of rounds, and the calls of one.

    Raises:
        ProtocolError: only a moderator can say that nothing new was claimed, and there is none.
    """
    limit, calls = size
    judged = _judged(brief, choices)
    measure = similarity_agent(brief) if "stalled" in choices.until else ""
    looks = (
        *(_except_last(judgement(brief, FAIR), limit) if judged else ()),
        *(_except_last(Liken(who=measure, acts=acts), limit) if measure else ()),
    )
    phases = (*parts, *looks)
    stop = AnyOf(stops=(*_chosen_stops(choices, acts), *judged)) if choices.until else usual
    return base.Rounds(
        each=phases[0] if len(phases) == 1 else base.Sequence(parts=phases),
        most=limit,
        until=Saving(stop=stop, most=limit, calls=calls + len(looks), fewer=len(looks)),
    )


def _chosen_stops(choices: Choices, acts: tuple[str, ...]) -> tuple[Stop, ...]:
    stops: Mapping[str, Stop] = {
        "consensus_reached": Alike(acts=acts),
        "answers_unchanged": Unchanged(acts=acts),
        "stalled": Stalled(acts=acts),
        "confidence_reached": Confident(acts=acts),
        "majority_certain": Ahead(acts=acts),
    }
    return tuple(stops[name] for name in choices.until if name in stops)


def _judged(brief: Brief, choices: Choices) -> tuple[Stop, ...]:
    """What the moderator's judgement ends, where there is one."""
    if brief.names("moderator"):
        return tuple(stop for name, stop in JUDGED.items() if name in choices.until)
    if "no_new_arguments" in choices.until:
        raise ProtocolError("no_new_arguments needs a moderator here, who judges what is new", about=ABOUT)
    return ()


def gated(talk: Rounds, stop: Stop) -> Rounds:
    """The rounds, which this stop ends whatever else does."""
    saving = talk.until
    if not isinstance(saving, Saving) or stop in _stops(saving.stop):
        return talk
    return replace(talk, until=replace(saving, stop=AnyOf(stops=(stop, *_stops(saving.stop)))))


def _stops(stop: Stop) -> AbstractSequence[Stop]:
    return stop.stops if isinstance(stop, AnyOf) else (stop,)


def early(deciding: Phase, choices: Choices) -> Phase:
    """What decides, with what ends it before all have voted.

    Raises:
        ProtocolError: it is no vote, or one by a rule to which the condition does not fit.
    """
    chosen = tuple(value for name, value in OF_VOTES.items() if name in choices.until)
    vote = deciding if isinstance(deciding, Vote) else None
    if "lead_decided" in choices.until and vote is None:
        problem = "lead_decided goes with a vote for one of several proposals; here answers are counted or ranked"
        raise ProtocolError(problem, about=ABOUT)
    if "majority_certain" in choices.until and getattr(getattr(deciding, "rule", None), "name", "") != PLURALITY.name:
        raise ProtocolError("majority_certain needs strategy: majority", about=ABOUT)
    return replace(vote, early=chosen) if vote and chosen else deciding


INTERRUPTED = ("argue", "answer")
"""The acts that may be interrupted: not what all say at once before anybody is heard, and no closing statement."""

# Models seldom refuse a chance to speak, so the bid says what 0 is for.
BIDDING = (
    "{speaker} has just said what is above. Do you interrupt? Bid high only if words of it are false, unfair or "
    "beside the point and need an answer at once: quote them. Bid 0 to let the debate go on."
)
INTERRUPTING = (
    "You interrupt {speaker}. Quote the exact words above that you answer, and say in at most three sentences what is "
    "wrong with them."
)
ANSWERING = "{speaker} has interrupted you with what is above. Answer it in at most three sentences."

CUTTING_IN = with_required_target(
    Form(name="interruption", fields=tuple(field for field in quoting_speech(()).fields if field.name != "ANSWER"))
)
"""What an interruption says: the quoted words, and what it does to them; no position is taken in passing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interruption:
    """An interruption of each turn in focus, and the reply; ``{speaker}`` in a task is replaced by a name.

    Attributes:
        bidding: the task of those who may interrupt.
        interrupting: the task of the one who interrupts.
        answering: the task of the interrupted speaker.
        view: which turns of the log go along.
        name: what it is called in paths.
    """

    bidding: str = BIDDING
    interrupting: str = INTERRUPTING
    answering: str = ANSWERING
    view: View = LOG
    name: str = "interruption"

    def play(self, state: State) -> Play:
        """Let each turn be interrupted once; members who have left neither interrupt nor are interrupted."""
        states = standings(state.brief.names("debater"), state.transcript.all())
        n, names = 1, [name for name, state in states.items() if not state.withdrawn]
        for turn in [turn for turn in map(state.transcript.get, state.focus) if turn.by in names]:
            context = CuttingIn(
                bidding=self.bidding.replace("{speaker}", turn.by),
                cutting=self.interrupting.replace("{speaker}", turn.by),
                replying=self.answering.replace("{speaker}", "{name}"),
                point=CUTTING_IN,
                reply=speech(state.brief.options),
                view=self.view,
            )
            n = yield from context.play(state, turn, names, n)


def with_interruptions(tree: Phase) -> Phase:
    """The protocol with an interruption after each turn that argues or answers."""
    return after_turns(tree, Interruption(), acts=INTERRUPTED)


def add(tree: Phase, brief: Brief, choices: Choices) -> Phase:
    """The tree with everything that the choices and the participants ask for beside the protocol and its mediator."""
    extras = choices.extras
    if extras.interruptions:
        tree = with_interruptions(tree)
    if extras.revision:
        tree = after_rounds(tree, Revise())
    if extras.live_scoring:
        tree = after_turns(tree, live_scoring(brief), SPOKEN)
    if extras.evolution:
        tree = _with_strategy_notes(after_rounds(tree, EVOLVE))
    tree = summarise(tree, brief, choices.summarize)
    ratings = (
        *((anonymous_scoring(brief),) if extras.anonymous_scoring else ()),
        *((reasoned_evaluation(brief),) if extras.reasoned_evaluation else ()),
    )
    if ratings:
        tree = before_end(tree, *ratings)
    if extras.self_reflection:
        tree = at_end(tree, Reflect())
    translating = translation(brief, choices.language)
    return at_end(tree, *translating) if translating else tree


def translation(brief: Brief, home: str) -> tuple[Phase, ...]:
    """What translates at the end; () where all debaters speak one language.

    Args:
        brief: who takes part.
        home: the language of the debate, into which is translated; "" for that of the topic.
    """
    languages = [participant.language for participant in brief.participants if participant.duty == "debater"]
    apart = any(not same_language(language, home or languages[0]) for language in languages)
    if not apart or not any(languages):
        return ()
    task = TRANSLATE.replace(TOPIC_LANGUAGE, home) if home else TRANSLATE
    return (Translate(chaired=bool(brief.names("moderator")), into=home, task=task),)


def summarise(tree: Phase, brief: Brief, every: int) -> Phase:
    """The tree with a summary after every n rounds, 0 for none.

    A participant who sees only the newest summary needs one after the opening, and one after every round
    where no other number was chosen.
    """
    alone = any(participant.view is not None and participant.view.summary_only for participant in brief.participants)
    if every or alone:
        tree = after_rounds(tree, Summarize(), every=every or 1)
    if alone and isinstance(tree, Sequence):
        opened = next((n for n, part in enumerate(tree.parts) if isinstance(part, Rounds)), 0)
        middle = (Summarize(),) if opened else ()
        return replace(tree, parts=(*tree.parts[:opened], *middle, *tree.parts[opened:]))
    return tree


def _with_strategy_notes(tree: Phase) -> Phase:
    """The tree that shows each participant its own strategy note with each task that is not a decision."""
    if isinstance(tree, Sequence):
        return replace(tree, parts=tuple(_with_strategy_notes(part) for part in tree.parts))
    if isinstance(tree, Rounds | At):
        return replace(tree, each=_with_strategy_notes(tree.each))
    return tree if isinstance(tree, DECIDING) else Mindful(each=tree)
