"""The messages of a board. This file owns their fields; how they stand in a text is the seats' business."""

from collections.abc import Sequence
from dataclasses import replace

from moot.core.artifacts import ARTIFACTS
from moot.core.brief import View
from moot.core.form import Field, Form
from moot.core.roles import REASONING, VERDICT, WITHDRAWN
from moot.policy.board_turns import SPEAKING_TO

OWN = View(own=True, numbered=True)
"""The whole log, one's own messages as one's own words."""

SPEAKER = "Speaker"
WHISPER_TO = "WhisperTo"
ALL = "all"
"""What a message names that speaks to nobody in particular; no participant can have that name."""


def message(options: tuple[str, ...]) -> Form:
    """A message at the table; the choices of names are filled in for whoever speaks."""
    return Form(
        name="message",
        layout="tags",
        envelope="Message",
        fields=(
            Field(name=SPEAKER, kind="choice", required=False),
            Field(name=SPEAKING_TO, kind="choice", required=False),
            Field(name="Thoughts", required=False, private=True, help="what you think and tell nobody"),
            Field(
                name="Whisper", required=False, private=True, to=WHISPER_TO, help="words for one member alone, if any"
            ),
            Field(name=WHISPER_TO, kind="choice", required=False, private=True, to=WHISPER_TO),
            Field(
                name=ARTIFACTS,
                required=False,
                help="a document, table or data that you attach, its title in the first line",
            ),
            Field(
                name="Cites",
                kind="list",
                required=False,
                help="what you rest on: artifacts by their marks, such as A3, and documents by their names",
            ),
            *_verdict(options, required=False),
            Field(
                name=WITHDRAWN,
                kind="flag",
                required=False,
                help="true if you leave the meeting for good; it counts only with a verdict",
                needs=VERDICT,
            ),
            Field(name="Content", help="what you say to the board"),
        ),
    )


def last_word(options: tuple[str, ...]) -> Form:
    """What is asked of a member when the meeting is over and it has given no verdict."""
    verdict = _verdict(options, required=True, abstain=True)
    fields = (Field(name=SPEAKER, kind="choice", required=False), *verdict)
    return Form(name="verdict", layout="tags", envelope="Message", fields=fields)


def _verdict(options: tuple[str, ...], *, required: bool, abstain: bool = False) -> tuple[Field, ...]:
    helped = "your verdict in a few words, the same words as others where you agree with them"
    verdict = Field(name=VERDICT, required=required, help=helped, abstain=True)
    if options:
        verdict = Field(name=VERDICT, kind="choice", choices=options, required=required, abstain=abstain)
    return (verdict, Field(name=REASONING, required=False, help="why, in one or two sentences", needs=VERDICT))


def addressed(form: Form, who: str, people: Sequence[str]) -> Form:
    """The form as one of these people fills it in: its own name, and the names of the others to speak to."""
    others = tuple(name for name in people if name != who)
    names = {SPEAKER: (who,), SPEAKING_TO: (*others, ALL), WHISPER_TO: others}
    return replace(
        form, fields=tuple(replace(each, choices=names.get(each.name, each.choices)) for each in form.fields)
    )


def bound_to_judge(form: Form) -> Form:
    """The form with a verdict that has to be given."""
    fields = [replace(each, required=each.required or each.name == VERDICT) for each in form.fields]
    return replace(form, fields=tuple(fields))


def judged(form: Form) -> Form:
    """The form for a member whose verdict stands: reasons and leaving need no other."""
    fields = [replace(each, needs="" if each.needs == VERDICT else each.needs) for each in form.fields]
    return replace(form, fields=tuple(fields))
