"""The forms of the known protocols. This file owns their fields; how a form stands in a text is the seats' business."""

from moot.core.form import Field, Form

ISSUES = Form(
    name="critique",
    fields=(
        Field(name="ISSUE", help="the weakest point of the proposal, in one sentence"),
        Field(name="WHERE", help="the words of the proposal that you mean", required=False),
        Field(name="SEVERITY", kind="number", low=0, high=10, help="0 (cosmetic) to 10 (fatal)"),
        Field(name="SUGGESTION", help="what would mend it", required=False),
    ),
)
"""A critique of one proposal."""

SETTLEMENT = Form(
    name="settlement",
    fields=(
        Field(name="SUMMARY", help="where the debate stands"),
        Field(name="STATUS", kind="choice", choices=("SETTLED", "CONTINUE"), help="whether it can be decided now"),
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


def _answer(options: tuple[str, ...]) -> Field:
    if options:
        return Field(name="ANSWER", kind="choice", choices=options)
    return Field(name="ANSWER", help="your answer in one sentence")
