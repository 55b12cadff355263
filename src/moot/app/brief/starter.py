"""A brief to begin with. This file owns the text that ``moot new`` writes: complete, commented, ready to run."""

from collections.abc import Iterator, Sequence

from moot.app.brief.key import Key
from moot.app.brief.offers import PROTOCOLS
from moot.app.brief.schema import HEADER, LIMITS, PARTICIPANT
from moot.app.brief.writer import title
from moot.core.letters import flat
from moot.core.text import clean

TOPIC = "Should the support team answer letters on Saturdays?"

_ACTIVE = ("protocol", "rounds")
_BODY = ("topic", "participants", "options", "rules", "limits")

_TEXT = """\
Write here what everybody should know: facts and figures, what was tried, what cannot be changed. Longer texts go into
files beside this one; name them in the setting background.

## Rules

Name the facts that your answer rests on. Say what would change your mind.

## Options

- yes
- no
- not yet

## Ada
role: Speaks for it

You know what can be gained and what waiting costs. You want a decision that can be acted on this year.

## Bo
role: Speaks against it

You know what can go wrong and who has to put it right. You want a decision that nobody has to take back.

## Cem
role: Watches the costs

You know what it takes in money and in time. You want the smallest step that shows whether it works.
"""


def starter(topic: str = TOPIC) -> str:
    """A complete brief about a topic; everything in it may be changed, and most of it left out."""
    settings, heading = title(flat(clean(topic)) or TOPIC)
    front = "\n".join([*_opening(), *settings, *_settings()])
    return f"---\n{front}\n---\n" + "".join(f"{line}\n\n" for line in heading) + _TEXT


def _opening() -> Iterator[str]:
    yield "# Settings. A line that begins with # is a comment: take the # away and the setting counts."
    yield f"protocol: panel  # {', '.join(PROTOCOLS)}"
    yield "rounds: 1"
    yield ""


def _settings() -> Iterator[str]:
    for key in HEADER:
        if key.name not in _ACTIVE + _BODY:
            yield f"# {key.name}: {key.example}  # {key.help}"
    yield ""
    yield "# limits:  # What the debate may use."
    yield from (f"#   {key.name.removeprefix('limits.')}: {key.example}  # {key.help}" for key in LIMITS)
    yield ""
    yield "# In a participant's section, between its heading and a blank line:"
    yield from _own(PARTICIPANT)


def _own(keys: Sequence[Key]) -> Iterator[str]:
    for key in keys:
        if key.name not in ("name", "persona") and "." not in key.name:
            yield f"#   {key.name}: {key.example}  # {key.help}"
