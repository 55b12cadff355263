"""Mediators: what a moderator adds to any protocol. Each kind has its own tasks, forms and places.

A mediator is added as phases after every round, after the middle one, after the last, or at the end, so no protocol
needs to know of it. It guides and informs; only the kind ``consensus`` takes part in the decision.
"""

from collections.abc import Mapping
from dataclasses import replace

from folkmoot.core.ask import Field, Form
from folkmoot.core.brief import Brief
from folkmoot.core.errors import ProtocolError
from folkmoot.core.transcript import SUMMARY
from folkmoot.phases.base import Phase, Sequence
from folkmoot.phases.choices import Choices, MediatorKind, SummaryStyle, When
from folkmoot.phases.consent import Consent
from folkmoot.phases.endings import LOG, mediator
from folkmoot.phases.score import Score
from folkmoot.phases.speak import POSITIONS, Everyone, revision
from folkmoot.protocols.compose import DECIDING, after_rounds, at_end, before_end

# ---- silent --------------------------------------------------------------------------------------------------------

SUMMARISING: Mapping[SummaryStyle, str] = {
    # Readers who were not there form their own opinion from it, so it must have none.
    "neutral": (
        "Sum up the debate for somebody who was not there: each position with its best argument, what all agreed on, "
        "what stayed open. Take no side."
    ),
    # What went unanswered is what a reader cannot see in a list of arguments.
    "critical": (
        "Sum up the debate for somebody who was not there, and test it: for each position its best argument, what it "
        "never answered, and what it claimed without evidence."
    ),
    # A case that hides what speaks against it persuades nobody for long.
    "persuasive": (
        "Sum up the debate as the case for the position that the arguments bear out best. Grant what speaks against "
        "it, say why it's right all the same, and name the positions that were not taken."
    ),
}
SUMMED_UP = Form(
    name="closing summary",
    fields=(
        Field(name="SUMMARY", help="the positions and what speaks for each"),
        Field(name="AGREED", kind="list", required=False, help="what nobody disputes any more"),
        Field(name="OPEN", kind="list", required=False, help="what stayed open"),
    ),
)

# ---- active --------------------------------------------------------------------------------------------------------

# A guide who takes sides decides the debate; one who praises says nothing.
GUIDING = (
    "You guide this debate; you take no side and repeat nothing. Say whether the newest turns keep to the topic, and "
    "warn whoever strayed. Clear up what was misunderstood. Then name the one question that the debate should turn to "
    "now."
)

# ---- consensus -----------------------------------------------------------------------------------------------------

# Leaving the difference out is the easy way to a text that all accept and nobody means.
RECONCILING = (
    "Draft a text that all debaters could accept. Begin with what they have in common; say honestly where they "
    "differ; then propose what gives each view what it needs most. All will be asked whether they accept it."
)
COMMON_GROUND = Form(
    name="reconciliation",
    fields=(
        Field(name="COMMON", help="what all agree on"),
        Field(name="DIFFERENCES", help="where they differ, and what each needs"),
        Field(name="PROPOSAL", help="the text, complete in itself"),
    ),
)
# Agreeing is easier than objecting, so an objection is asked for as plainly as an agreement.
CONSENTING = (
    "The mediator proposes the text above (PROPOSAL) as the result of this debate. ACCEPT it if you agree with it, "
    "ACCEPT_WITH_RESERVATION if you can live with it, REJECT it if it gives up what you hold and were not argued out "
    "of. One REJECT is enough to stop it, and nobody minds."
)

# ---- reflector -----------------------------------------------------------------------------------------------------

POINTING = (
    "For each debater, by name, point to one thing to reconsider: an objection (T3 …) that was not answered, a claim "
    "without evidence, a contradiction. Do not say what the answer should be."
)
POINTS = Form(
    name="points",
    fields=(Field(name="RECONSIDER", kind="list", help="one line for each debater: the name, then what to look at"),),
)
# Without the second sentence models give way to whoever asks them again.
REVISING = (
    "The mediator has pointed out what each should reconsider. Keep your answer unless that, or an argument of the "
    "others, gives you a reason to change it. Then state your position again, in full."
)

# ---- toolagent -----------------------------------------------------------------------------------------------------

# What a model remembers is what the debaters remember too; only what is looked up adds something.
LOOKING_UP = (
    "Find the factual claim that this debate disputes most. Look it up with your tools and tell everybody what you "
    "found, for or against whom it may be. If your tools do not settle it, say so; add nothing from memory."
)
FINDINGS = Form(
    name="findings",
    fields=(
        Field(name="DISPUTED", help="the claim, and whose it is"),
        Field(name="FOUND", help="what the sources say, or that nothing was found"),
        Field(name="SOURCES", kind="list", required=False, help="addresses or names of documents, one a line"),
    ),
)


def mediate(tree: Phase, brief: Brief, choices: Choices) -> Phase:
    """The tree with the mediator that the choices name; the same tree where they name none.

    Raises:
        ProtocolError: there is not one moderator, or another ending was chosen beside a mediator who reconciles.
    """
    if choices.mediation is None:
        return tree
    kind, when = choices.mediation.kind, choices.mediation.when
    by = mediator(brief, f"a mediator of the kind {kind}")
    if kind == "silent":
        task = SUMMARISING[choices.mediation.style]
        return at_end(tree, Everyone(act=SUMMARY, task=task, who=(by,), form=SUMMED_UP, view=LOG))
    if kind != "consensus":
        return _placed_at(tree, _part(kind, by, brief), when)
    if choices.strategy:
        problem = (
            f"a mediator of the kind consensus decides by consent; strategy {choices.strategy!r} has to be left out"
        )
        raise ProtocolError(problem, about="strategy")
    if masked := [participant.name for participant in brief.participants if participant.hide]:
        problem = f"a text for all cannot be drawn from turns that are hidden from {masked[0]}: leave out hide"
        raise ProtocolError(problem, about="participants")
    draft = Everyone(act="moderate", task=RECONCILING, who=(by,), form=COMMON_GROUND, view=LOG)
    return at_end(_undecided(tree), draft, Consent(acts=POSITIONS, task=CONSENTING))


def guidance(names: tuple[str, ...]) -> Form:
    """What an active mediator says between the turns of these debaters."""
    return Form(
        name="guidance",
        fields=(
            Field(name="CLARIFY", required=False, help="what was misunderstood, and how it was meant"),
            Field(name="OFF_TOPIC", kind="choice", choices=names, required=False, help="who strayed most"),
            Field(name="WARNING", required=False, help="what you ask of whoever strayed"),
            Field(
                name="ON_TOPIC", kind="choice", choices=("YES", "NO"), help="whether the newest turns keep to the topic"
            ),
            Field(name="NEXT", help="the one question to turn to now"),
        ),
    )


def _part(kind: MediatorKind, by: str, brief: Brief) -> Phase:
    """What a mediator does each time it speaks."""
    match kind:
        case "active":
            form = guidance(brief.names("debater"))
            return Everyone(act="guide", task=GUIDING, who=(by,), form=form, view=LOG)
        case "judge":
            return Score(by=(by,))
        case "reflector":
            points = Everyone(act="guide", task=POINTING, who=(by,), form=POINTS, view=LOG)
            revise = Everyone(act="revise", task=REVISING, form=revision(brief.options), view=LOG)
            return Sequence(parts=(points, revise), name="reflector")
        case _:  # toolagent
            return Everyone(act="inform", task=LOOKING_UP, who=(by,), form=FINDINGS, view=LOG)


def _placed_at(tree: Phase, part: Phase, when: When) -> Phase:
    """The tree with the part at its time; a protocol without rounds has one time only, before its end."""
    extended = tree if when == "final" else after_rounds(tree, part, midpoint=when == "midpoint")
    return before_end(tree, part) if extended == tree else extended


def _undecided(tree: Phase) -> Phase:
    """The tree without what asks for a decision or takes it over."""
    if not isinstance(tree, Sequence):
        return tree
    left = tuple(part for part in tree.parts if not isinstance(part, DECIDING) and part.name != "moderate")
    return replace(tree, parts=left)
