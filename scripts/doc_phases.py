"""Draws the diagrams of docs/phases: which part of a protocol each shows, and the marks around it.

A page contains its diagram between ``<!-- diagram: rounds -->`` and ``<!-- end of diagram -->``.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import cast

from doc_protocols import table_of
from folkmoot.arguments.tree import escape_mermaid
from folkmoot.core.brief import Participant
from folkmoot.core.roles import RETRIEVER
from folkmoot.phases.choices import Choices, Memory
from folkmoot.protocols import known, spec
from folkmoot.report.flowchart import LAST, flowchart

Data = dict[str, spec.Data]

READING: Mapping[str, tuple[str, str]] = {
    "analytics": ("4 analytics", "folkmoot show --analysis"),
    "insights": ("5 insights", "folkmoot show --analysis"),
    "verification": ("6 verification", "folkmoot verify, folkmoot report --receipt, folkmoot show --analysis --formal"),
    "feedback": ("7 feedback", "folkmoot learn, folkmoot standings ratings"),
}
"""The phases that ask nobody and read the record, each with its commands."""


def arena() -> Data:
    """The protocol of the pages: an arena of three with a retriever."""
    brief = table_of(3)
    retriever = Participant(name="Retriever", duty="aide", seat=RETRIEVER)
    seated = replace(brief, participants=(*brief.participants[:3], retriever))
    return spec.dump(known.build("arena", seated, Choices(memory=Memory())))


def part(*at: int, before: str, behind: str) -> str:
    """Some parts of it, by their places in its sequence."""
    parts = cast(list[Data], arena()["parts"])
    return flowchart({"is": "Sequence", "parts": [parts[n] for n in at]}, before=before, after=behind)


def whole() -> str:
    """All of it, and behind it what reads the record."""
    return flowchart(arena()) + readers()


def reading(here: str) -> str:
    """What reads the record, one of them marked."""
    head = ["flowchart LR", f'    {LAST}(["the debate closes"])']
    return "\n".join(head) + "\n" + readers() + f"    classDef here stroke-width:3px\n    class {here} here\n"


def readers() -> str:
    """The boxes of what reads the record, and the way back into a later debate."""
    boxes = [f'    {name}["{"<br/>".join(map(escape_mermaid, rows))}"]' for name, rows in READING.items()]
    arrows = [f'    {LAST} -->|"record"| {name}' for name in READING]
    later = ['    later(["a later debate"])', '    feedback -.->|"recalled by"| later']
    return "\n".join([*boxes, *arrows, *later]) + "\n"


DIAGRAMS: Mapping[str, Callable[[], str]] = {
    "whole": whole,
    "context": partial(part, 0, before="the debate opens", behind="proposals"),
    "proposals": partial(part, 1, before="context", behind="rounds"),
    "rounds": partial(part, 2, before="proposals", behind="decision"),
    "consensus": partial(part, 3, before="rounds", behind="the debate closes"),
    **{name: partial(reading, name) for name in READING},
}
"""The diagrams by the names in their marks."""

MARKED = re.compile(r"<!-- diagram: (\w+) -->\n.*?<!-- end of diagram -->", re.DOTALL)


def block(name: str) -> str:
    """A diagram between its marks."""
    return f"<!-- diagram: {name} -->\n```mermaid\n{DIAGRAMS[name]()}```\n<!-- end of diagram -->"


def renew(text: str) -> str:
    """A page with its diagrams made anew."""
    return MARKED.sub(lambda match_: block(match_[1]), text)
