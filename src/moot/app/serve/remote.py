"""Briefs from elsewhere. This file owns what somebody who comes over the network may not name in one.

Such a brief reads no file, and names no tool server, no feed of the owner's and no host; whoever holds a token of a
program has no part in what was learned from the debates of others. What the owner allows at most is never exceeded.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace

from moot.app.brief.reader import Intake, read_brief
from moot.app.plan.serving import Serving
from moot.app.plan.toolbox import MCP
from moot.app.run.choosing import Caps
from moot.core.brief import Limits
from moot.core.errors import BriefError

MOST_CHARACTERS = 1024 * 1024
"""The greatest size of a brief from elsewhere."""

FILES = ("background", "library")
"""The keys of a brief that read files."""


def read_remote(brief: str | Mapping[str, object], *, alone: bool = False) -> Intake:
    """A brief that came over the network.

    Args:
        brief: Markdown as in a file, or the keys of its header as plain data.
        alone: whether whoever sent it may know of its own debates only.

    Raises:
        BriefError: it has a mistake, or names what it may not.
    """
    if not isinstance(brief, str):
        brief = _header(brief)
    if len(brief) > MOST_CHARACTERS:
        raise BriefError(f"the brief has more than {MOST_CHARACTERS:,} characters", code="too_large")
    if not brief.strip():
        raise BriefError("the brief is empty; write a question", code="missing_topic")
    intake = read_brief(brief)
    for found, key in _forbidden(intake, alone):
        raise BriefError(found, line=intake.lines.get(key, 0), code="not_here")
    return intake


def _forbidden(intake: Intake, alone: bool) -> Iterator[tuple[str, str]]:
    """What the brief names that it may not, in a sentence, with the key for its line."""
    people = {each.name: [tool for tool in each.tools if tool.startswith(MCP)] for each in intake.brief.participants}
    for name, servers in people.items():
        if servers:
            yield f"{name}: {servers[0]} is a tool server; a brief from elsewhere names none", f"## {name}"
    if intake.given.get("feeds"):
        yield "feeds cannot be named in a brief from elsewhere", "feeds"
    if alone and intake.given.get("recall"):
        yield "recall shows the debates of others, which a token does not open", "recall"


def _header(brief: Mapping[str, object]) -> str:
    """The header of a brief as its text; JSON is YAML."""
    for key in FILES:
        if key in brief:
            found = f"{key!r} reads files, which a brief from elsewhere cannot; put the text into 'context'"
            raise BriefError(found, code="unsafe_path")
    try:
        text = json.dumps(brief, ensure_ascii=False, allow_nan=False)
    except (ValueError, RecursionError) as error:
        raise BriefError("the brief holds a number that is none, or is nested too deeply", code="malformed") from error
    return f"---\n{text}\n---\n"


def within(limits: Limits, serving: Serving) -> Caps:
    """The caps that keep a debate within what the owner allows.

    Raises:
        BriefError: its own limits are above that.
    """
    asked: tuple[tuple[str, float | None, float | None], ...] = (
        ("cost", limits.cost, serving.cost),
        ("tokens", limits.tokens, serving.tokens_per_debate),
        ("asks", limits.asks, serving.asks),
    )
    usual = Limits()
    for name, wanted, most in asked:
        if most is not None and wanted is not None and wanted > most and wanted != getattr(usual, name):
            found = f"the limit on {name} is {wanted:g}; the owner of this machine allows at most {most:g}"
            raise BriefError(found, code="out_of_range")
    return Caps(
        cost=_least(limits.cost, serving.cost),
        tokens=_whole(limits.tokens, serving.tokens_per_debate),
        asks=_whole(limits.asks, serving.asks),
    )


def with_limits(intake: Intake, caps: Caps) -> Intake:
    """The brief with those limits in the place of its own."""
    return replace(intake, brief=replace(intake.brief, limits=caps.on(intake.brief.limits)))


def _least(one: float | None, other: float | None) -> float | None:
    return min((each for each in (one, other) if each is not None), default=None)


def _whole(one: int | None, other: int | None) -> int | None:
    found = _least(one, other)
    return None if found is None else int(found)
