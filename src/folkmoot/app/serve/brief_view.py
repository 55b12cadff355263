"""The brief of a recorded debate, for pages: whole, as safe HTML, and as Markdown that can be edited and run again.

What a person at the table is asked rests on the brief, so every viewer may read its question, background, rules,
options and roles. Personas and models are for the owner; a person may read his own persona.
"""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace

from folkmoot.app.brief.participants import own_sight
from folkmoot.app.brief.values import LocatedValue
from folkmoot.app.brief.writer import write
from folkmoot.app.serve.frames import lined_html, safe_html
from folkmoot.app.serve.view_model import most_rounds
from folkmoot.app.serve.visibility import Reader
from folkmoot.core.ask import Value
from folkmoot.core.brief import Brief, Limits, Participant, Search, Settings, Source, is_person
from folkmoot.core.event import Opened
from folkmoot.report.report import most_messages


@dataclass(frozen=True, slots=True, kw_only=True)
class TextView:
    """A text of a brief: its name, and its words as safe HTML."""

    name: str
    html: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefPerson:
    """Who takes part. ``persona`` and ``model`` are empty where the reader may not know them."""

    name: str
    role: str
    duty: str
    human: bool
    model: str
    weight: float | None
    persona: TextView


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefView:
    """A whole brief.

    Attributes:
        topic: the question.
        protocol: the name of the protocol.
        rounds: the most rounds; 0 where there are none.
        messages: the most messages of each member of a board; 0 for no board.
        chosen: what was chosen about it, in words.
        background: what everybody knows.
        library: the names of documents that can be looked up.
        rules: the rules for all.
        options: the answers to choose from.
        participants: who takes part, without helpers.
        limits: the limits that were set, by their documented names.
        seed: the random seed.
        markdown: the brief as a file, to be edited and run again; "" for who may not run it.
    """

    topic: str
    protocol: str
    rounds: int
    messages: int
    chosen: tuple[str, ...]
    background: tuple[TextView, ...]
    library: tuple[str, ...]
    rules: TextView
    options: tuple[str, ...]
    participants: tuple[BriefPerson, ...]
    limits: Mapping[str, float]
    seed: int
    markdown: str


def brief_view(opened: Opened, reader: Reader = None) -> BriefView:
    """The brief of a debate as its reader may see it.

    Args:
        opened: how the debate began.
        reader: None for the owner, else the person of a share link; "" for none.
    """
    brief = opened.brief
    return BriefView(
        topic=brief.topic,
        protocol=opened.name,
        rounds=most_rounds(opened.protocol),
        messages=most_messages(opened),
        chosen=opened.chosen,
        background=tuple(
            TextView(name=source.name, html=lined_html(_shown(source), source.line)) for source in brief.background
        ),
        library=tuple(source.name for source in brief.library),
        rules=TextView(name="rules", html=safe_html(brief.rules)),
        options=brief.options,
        participants=tuple(
            _person(participant, reader) for participant in brief.participants if participant.duty != "aide"
        ),
        limits=_limits(brief.limits),
        seed=brief.seed,
        markdown="" if reader is not None else brief_markdown(opened),
    )


def _shown(source: Source) -> str:
    """The text of a document; of a picture what it is."""
    if source.file is None or source.text:
        return source.text
    shape = f"{source.file.width} x {source.file.height} pixels" if source.file.is_picture else "without words"
    return f"{source.file.media}, {shape}, {source.file.size:,} bytes, sha256 {source.file.sha256}"


def _person(participant: Participant, reader: Reader) -> BriefPerson:
    return BriefPerson(
        name=participant.name,
        role=participant.role,
        duty=participant.duty,
        human=is_person(participant),
        model=participant.seat if reader is None else "",
        weight=participant.weight,
        persona=TextView(
            name="persona", html=safe_html(participant.persona) if reader in (None, participant.name) else ""
        ),
    )


def _limits(limits: Limits) -> dict[str, float]:
    usual = Limits()
    values = {field.name: getattr(limits, field.name) for field in fields(Limits)}
    return {name: value for name, value in values.items() if value is not None and value != getattr(usual, name)}


# ---- as a file -------------------------------------------------------------------------------------------------------

_PLAIN = ("role", "weight", "stand_in", "language", "fallback", "schemas", "hide", "persona")


def brief_markdown(opened: Opened) -> str:
    """The brief of a debate as Markdown, with its settings."""
    settings: dict[str, Value] = {"protocol": opened.name, **opened.settings}
    settings |= {"seed": opened.brief.seed} if opened.brief.seed else {}
    settings |= {f"limits.{name}": value for name, value in _limits(opened.brief.limits).items()}
    header = {name: LocatedValue(value=value, line=0) for name, value in opened.settings.items()}
    people = [participant for participant in opened.brief.participants if participant.duty != "aide"]
    own = {participant.name: dict(_own_settings(participant, header)) for participant in people}
    return write(_one_background(opened.brief), settings, own)


def _one_background(brief: Brief) -> Brief:
    """The brief with one background: a file has one section of it."""
    if len(brief.background) < 2 and not any(source.file for source in brief.background):
        return brief
    text = "\n\n".join(f"### {source.name}\n\n{_shown(source)}" for source in brief.background)
    return replace(brief, background=(Source(name="brief", text=text),))


def _own_settings(participant: Participant, header: Mapping[str, LocatedValue]) -> Iterator[tuple[str, Value]]:
    """The settings of a participant, by the names of their keys."""
    debates = participant.duty == "debater"
    values: dict[str, object] = {name: getattr(participant, name) for name in _PLAIN}
    values |= {"model": participant.seat, "tool_usage": participant.tools, "duty": "" if debates else participant.duty}
    values |= {"deadline": "" if participant.deadline is None else f"{participant.deadline:.0f}s"}
    values |= {"priority": participant.priority or None}
    values |= {field.name: getattr(participant.settings, field.name) for field in fields(Settings)}
    values |= own_sight(participant, header if debates else {})
    if participant.search:
        values |= {f"search.{field.name}": getattr(participant.search, field.name) for field in fields(Search)}
    for name, value in values.items():
        # A moderator that has no tools says so: a tool agent of whom nothing is said is given some.
        unaided = name == "tool_usage" and participant.duty == "moderator"
        if isinstance(value, str | int | float | tuple) and (unaided or value not in ("", ())):
            yield name, value


# ---- what to do next -------------------------------------------------------------------------------------------------

_LIMITS: Mapping[str, str] = {
    "--budget": "cost",
    "--max-questions": "asks",
    "--max-tokens": "tokens",
    "--total-seconds": "total_seconds",
}
"""The limits that an option of a command sets."""


ACTIONS = ("resume", "again", "recount")
"""The actions of the API that a command has, too; ``show --recount`` is one."""


def request_body(command: str) -> tuple[str, dict[str, object]] | None:
    """The action of the API and the body that do the same as a command; None where there is none."""
    _, action, *options = shlex.split(command.replace("show --recount", "recount"))
    if action not in ACTIONS:
        return None
    values = dict(zip(options[1::2], options[2::2], strict=True))  # behind the debate
    body: dict[str, object] = {}
    if protocol := values.pop("--protocol", ""):
        body["protocol"] = protocol
    if rounds := values.pop("--rounds", ""):
        body["rounds"] = int(rounds)
    if limits := {_LIMITS[name]: _number(values.pop(name)) for name in tuple(values) if name in _LIMITS}:
        body["limits"] = limits
    return None if values else (action, body)


def _number(text: str) -> float | int:
    return int(text) if text.isdecimal() else float(text)
