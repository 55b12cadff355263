"""Write a brief as Markdown that reads back the same, and the template that ``folkmoot new`` writes.

Settings are written under their documented names in the header; the topic as heading; then Background, Rules, Options
and Participants. A text that would be read as something else in its place is put into a code block with the word
``text`` (``sections.unfence``). Background files stay files: their names are in the header.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from folkmoot.app.brief.sections import SETTING, is_reserved, stands, unfence
from folkmoot.app.brief.types import HEADER, LIMITS, PARTICIPANT, PROTOCOLS, Key, NamedOptions, Options
from folkmoot.core.ask import Value
from folkmoot.core.brief import Brief
from folkmoot.core.text import clean, flat

OPTIONS: Mapping[str, bool] = {
    key.name: key.type == NamedOptions for key in HEADER if key.type in (Options, NamedOptions)
}
"""The tables of options that other packages declare, and whether they hold a table for each name."""

_IN_BODY = ("topic", "participants", "rules", "options")


def write(brief: Brief, settings: Mapping[str, Value], own: Mapping[str, Mapping[str, Value]]) -> str:
    """A brief as Markdown.

    Args:
        brief: what is to be debated.
        settings: what the brief's file states, by the names of the keys; what it does not state is not written.
        own: what it states of each participant, in the order of the table.
    """
    topic, heading = title(brief.topic)
    header = [*topic, *(line for name, value in settings.items() for line in _setting(name, value))]
    limits = {name.removeprefix("limits."): value for name, value in settings.items() if name.startswith("limits.")}
    header += ["limits:", *(f"  {name}: {_json(value)}" for name, value in limits.items())] if limits else []
    for table, by_name in OPTIONS.items():
        options = {
            name.removeprefix(f"{table}."): value for name, value in settings.items() if name.startswith(f"{table}.")
        }
        header += [f"{table}: {_json(_by_name(options) if by_name else options)}"] if options else []
    front = "---\n" + "\n".join(header) + "\n---\n" if header else ""
    return front + "\n\n".join([*heading, *_body(brief, settings, own)]) + "\n"


def _by_name(options: Mapping[str, Value]) -> dict[str, dict[str, Value]]:
    """Options such as ``dice.most`` as a table for each name."""
    tables: dict[str, dict[str, Value]] = {}
    for full_name, value in options.items():
        name, _, option = full_name.partition(".")
        tables.setdefault(name, {})[option] = value
    return tables


def title(topic: str) -> tuple[list[str], list[str]]:
    """The topic as lines of the header and lines of the body: a heading, where it reads back as one."""
    if is_reserved(topic) or topic.endswith("#"):
        return [f"topic: {_json(topic)}"], []
    return [], [f"# {topic}"]


def _setting(name: str, value: Value) -> Iterator[str]:
    if name not in _IN_BODY and "." not in name:
        yield f"{name}: {_json(value)}"


def _body(brief: Brief, settings: Mapping[str, Value], own: Mapping[str, Mapping[str, Value]]) -> Iterator[str]:
    files = settings.get("background", ())
    inside = brief.background[: len(brief.background) - len(files if isinstance(files, tuple) else ())]
    for source in inside["context" in settings :]:
        yield f"## Background\n\n{fence(source.text, level=2)}"
    if brief.rules:
        yield f"## Rules\n\n{fence(brief.rules, level=2)}"
    if brief.options:
        yield "## Options\n\n" + "\n".join(f"- {option}" for option in brief.options)
    if own:
        yield "## Participants"
        yield from (_participant(name, values) for name, values in own.items())


def _participant(name: str, values: Mapping[str, Value]) -> str:
    lines = [
        f"{key.name}: {_json(values[key.name])}"
        for key in PARTICIPANT
        if key.name in values and key.name != "persona" and "." not in key.name
    ]
    names = [key.name for key in PARTICIPANT if key.name.startswith("search.") and key.name in values]
    search = {name.removeprefix("search."): values[name] for name in names}
    lines += [f"search: {_json(search)}"] if search else []
    persona = str(values.get("persona", ""))
    parts = [f"### {name}", "\n".join(lines), fence(persona, level=3) if persona else ""]
    return "\n\n".join(filter(None, parts))


def fence(text: str, *, level: int) -> str:
    """A text as the content of a section of that level; in a code block with the word ``text`` if it has headings."""
    if stands(text, level=level) and not SETTING.match(text) and unfence(text) == text:
        return text
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}text\n{text}\n{ticks}"


def _json(value: object) -> str:
    """A value as JSON, which is YAML 1.2 as well."""
    return json.dumps(value, ensure_ascii=False)


TOPIC = "Should the support team answer email on Saturdays?"

_ACTIVE = ("protocol", "rounds")
_BODY = ("topic", "participants", "options", "rules", "limits")

_TEXT = """\
The team has nine people and answers 700 emails a week, 140 of them sent on a Saturday. Customers who wait until Monday
complain twice as often as others. A trial of six Saturdays cut the backlog on Monday morning from 150 emails to 40.
A Saturday shift of two people costs $52,000 a year, and only two of the nine would take it. A form on the website for
$9,000 could answer 60 of the 140 emails without anybody.

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


def brief_template(topic: str = TOPIC) -> str:
    """A complete example brief about a topic, to be edited."""
    settings, heading = title(flat(clean(topic)) or TOPIC)
    front = "\n".join([*_opening(), *settings, *_settings()])
    return f"---\n{front}\n---\n" + "".join(f"{line}\n\n" for line in heading) + _TEXT


def _opening() -> Iterator[str]:
    yield "# Settings. A line that begins with # is a comment: remove the # to use the setting."
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
    yield from _participant_keys(PARTICIPANT)


def _participant_keys(keys: Sequence[Key]) -> Iterator[str]:
    for key in keys:
        if key.name not in ("name", "persona") and "." not in key.name:
            yield f"#   {key.name}: {key.example}  # {key.help}"
