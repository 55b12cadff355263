"""The forms of the known protocols. This file owns their fields; how a form stands in a text is the seats' business."""

from dataclasses import replace

from moot.core.brief import View
from moot.core.form import Field, Form
from moot.core.transcript import TARGET, Turn
from moot.phases.phases_base import Table

SPOKEN = ("open", "draft", "propose", "argue", "question", "answer", "interrupt", "revise", "critique", "close")
"""The acts that carry arguments; others can be answered to, and they stand on the argument map."""

POSITIONS = ("open", "draft", "propose", "argue", "answer", "revise", "close")
"""The acts that hold a position: what somebody can stand for, revise and be quoted with."""

RELATIONS = ("SUPPORT", "ATTACK", "REBUT", "QUESTION")
"""What a turn does to the one that it answers: backs it, denies its claim, denies that its reasons bear it, asks."""

NEAREST = 12
"""So many of the newest turns can be named as the one that is answered."""

ISSUES = Form(
    name="critique",
    fields=(
        Field(name="ISSUE", help="the weakest point of the proposal, in one sentence"),
        Field(name="WHERE", help="the words of the proposal that you mean", required=False),
        Field(name="SEVERITY", kind="number", low=0, high=10, help="0 (cosmetic) to 10 (fatal)"),
        Field(name="SUGGESTION", help="what would mend it", required=False),
        Field(name="UNSOURCED", kind="list", help="its claims that need a source and name none", required=False),
    ),
)
"""A critique of one proposal."""

SETTLEMENT = Form(
    name="settlement",
    fields=(
        Field(name="SUMMARY", help="where the debate stands"),
        Field(
            name="STATUS",
            kind="choice",
            choices=("SETTLED", "CONTINUE"),
            help="whether it can be decided now",
            needs="DECISION",
            when="SETTLED",
        ),
        Field(name="DECISION", required=False, help="the decision, if and only if it is SETTLED"),
    ),
)
"""What the moderator of the moderated pattern gives after each round."""

VERDICT = Form(
    name="verdict",
    fields=(
        Field(name="SUMMARY", help="the positions and what speaks for each"),
        Field(name="VERDICT", help="what follows from the debate"),
    ),
)
"""What a mediator gives at the end."""


def speech(options: tuple[str, ...]) -> Form:
    """A turn that says what it claims, which turn it answers and how; only claim and argument are worth a repair."""
    return Form(
        name="speech",
        fields=(
            replace(_answer(options), required=False),
            Field(name="CLAIM", help="your main claim in one sentence; NONE if you add nothing new"),
            Field(name=TARGET, kind="choice", required=False, help="the turn that you answer"),
            Field(name="RELATION", kind="choice", choices=RELATIONS, required=False, help="what your claim does to it"),
            Field(name="ARGUMENT", help="what you say, in full"),
        ),
    )


def clash(options: tuple[str, ...]) -> Form:
    """A turn as in ``speech`` that quotes the words which it answers."""
    return Form(name="clash", fields=tuple(each for field in speech(options).fields for each in _quoting(field)))


def aimed(form: Form, turn: Turn) -> Form:
    """The form with that turn as the only one which it can answer."""
    fields = [replace(field, choices=(turn.mark,)) if field.name == TARGET else field for field in form.fields]
    return replace(form, fields=tuple(fields))


def bound(form: Form) -> Form:
    """The form for somebody who has said that he answers a turn: he has to name and to quote it."""
    fields = [replace(field, required=field.required or field.name in (TARGET, "QUOTE")) for field in form.fields]
    return replace(form, fields=tuple(fields))


def linked(form: Form | None, table: Table, who: str, view: View) -> Form | None:
    """The form with the marks of the newest turns in sight as choices of TARGET.

    Where there are none, it has no TARGET, and nothing that goes with one.
    """
    if form is None or all(field.name != TARGET for field in form.fields):
        return form
    sight = table.transcript.look(view.narrowed(table.brief.participant(who).view), who)
    marks = tuple(turn.mark for turn in sight if turn.act in SPOKEN and turn.by != who)[-NEAREST:]
    gone = () if marks else (TARGET, "QUOTE", "RELATION")
    fields = [replace(field, choices=marks) if field.name == TARGET else field for field in form.fields]
    return replace(form, fields=tuple(field for field in fields if field.name not in gone))


def draft(options: tuple[str, ...]) -> Form:
    """A first answer; closed where the brief names options."""
    return Form(name="draft", fields=(_answer(options), *_REASONS))


def revision(options: tuple[str, ...]) -> Form:
    """An answer after others have been read: it may change, for a stated reason."""
    change = Field(name="BECAUSE", required=False, help="if your answer has changed: the claim that changed it")
    return Form(name="revision", fields=(_answer(options), change, *_REASONS))


_REASONS = (
    Field(name="CONFIDENCE", kind="number", low=0, high=1, required=False, help="0 to 1: how likely you are right"),
    Field(name="ARGUMENT", help="your best argument, with its evidence"),
)


def _quoting(field: Field) -> tuple[Field, ...]:
    """TARGET with a QUOTE behind it, any other field alone."""
    quote = Field(name="QUOTE", required=False, help="the words of that turn that you answer, copied exactly")
    return (field, quote) if field.name == TARGET else (field,)


def _answer(options: tuple[str, ...]) -> Field:
    if options:
        return Field(name="ANSWER", kind="choice", choices=options)
    return Field(name="ANSWER", help="your answer in one sentence")
