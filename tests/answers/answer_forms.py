"""The forms that the tests of reading use, as a caller would build them."""

from folkmoot.core.ask import Field, Form

AGENTS = ("Agent1", "Agent2", "Agent3")
VERDICTS = ("HIRE", "NO_HIRE", "UNDECIDED")


def ballot(choices: tuple[str, ...] = AGENTS, *, strict: bool = False, abstain: bool = True) -> Form:
    """One vote in a formula line."""
    field = Field(name="I vote for", kind="choice", choices=choices, abstain=abstain)
    return Form(name="vote", fields=(field,), layout="line", strict=strict)


def scaffold(verdicts: tuple[str, ...] = VERDICTS) -> Form:
    """One message of a board meeting."""
    fields = (
        Field(name="Speaker", required=False),
        Field(name="SpeakingTo", required=False),
        Field(name="Verdict", kind="choice", choices=verdicts),
        Field(name="VerdictReasoning", required=False),
        Field(name="Withdrawn", kind="flag", required=False),
        Field(name="Content"),
    )
    return Form(name="message", fields=fields, layout="tags", envelope="Message")


def settlement() -> Form:
    """A moderator's ruling."""
    fields = (
        Field(name="SUMMARY"),
        Field(name="STATUS", kind="choice", choices=("SETTLED", "CONTINUE")),
        Field(name="DECISION", required=False),
    )
    return Form(name="settlement", fields=fields, layout="sections")


def draft() -> Form:
    """An answer with a confidence and an argument."""
    fields = (
        Field(name="ANSWER"),
        Field(name="CONFIDENCE", kind="number", low=0, high=1),
        Field(name="ARGUMENT", required=False),
    )
    return Form(name="draft", fields=fields, layout="sections")


def marks(names: tuple[str, ...] = ("Agent1", "Agent2"), low: float = 0, high: float = 10) -> Form:
    """A number for everybody, under one key."""
    fields = tuple(Field(name=name, kind="number", low=low, high=high) for name in names)
    return Form(name="scores", fields=fields, layout="json", under="scores")
