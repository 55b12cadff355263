"""Reviews by the built-in debater: it looks for a few plain patterns in touched lines, and says that it only shows how.

It has read nothing and understands nothing, so every claim of it begins with the word Demonstration.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from folkmoot.answers.layout import write
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.reviews.artefact import Artefact, artefact_of
from folkmoot.reviews.merging import CATEGORIES, SEVERITIES
from folkmoot.reviews.reviewed import CHECK, DISPUTE, FINDINGS, INSPECT, REFUTE, RESPOND

ACTS = (INSPECT, REFUTE, RESPOND, DISPUTE)
"""The acts of a review."""

MOST = 3
"""The most findings of one answer."""

SHOWS = "Demonstration: no model has read this."


class Pattern(NamedTuple):
    """What a line looks like, how bad that is, what it is about, and what is said of it."""

    looks: re.Pattern[str]
    severity: str
    category: str
    claim: str


CRITICAL, HIGH, MEDIUM, LOW = SEVERITIES
CORRECTNESS, SECURITY = CATEGORIES[:2]

PATTERNS: Sequence[Pattern] = tuple(
    Pattern(re.compile(looks), severity, category, claim)
    for looks, severity, category, claim in (
        (r"(?i)(?:password|secret|api_?key|token)\s*[:=]\s*[\"']\w", CRITICAL, SECURITY, "a secret is in the code"),
        (r"\beval\(|\bexec\(|shell=True", HIGH, SECURITY, "text is run as a program"),
        (r"(?i)f[\"'](?:select|insert|update|delete)\b.*\{", HIGH, SECURITY, "a value is put into a query as it is"),
        (r"except\s*(?:Exception\s*)?:|catch\s*(?:\(\w*\)\s*)?\{\s*\}", MEDIUM, CORRECTNESS, "an error is swallowed"),
        (r"def \w+\(.*=\s*(?:\[\]|\{\})", MEDIUM, CORRECTNESS, "a default is shared by all calls"),
        (r"[<>]=?\s*len\(|range\(len\(", MEDIUM, CORRECTNESS, "one element too many or too few may be read"),
    )
)


def review_answer(ask: Ask, context: Context) -> str:
    """The words of an answer to an ask of a review."""
    assert ask.form
    match ask.act:
        case "inspect":
            fields: dict[str, Value] = {FINDINGS: tuple(_findings(artefact_of(context.brief)))}
        case "respond":
            fields = {"REASON": SHOWS, "ANSWER": "HOLD"}
        case _:
            fields = {CHECK: (_record(_check(ask)),)}
    return write(ask.form, fields)


def _findings(artefact: Artefact) -> Iterator[str]:
    """The first lines that look like a pattern; where none does, the first touched line, to show what a finding is."""
    lines = [
        (file.path, number, text.strip())
        for file, touched in ((file, file.touched()) for file in artefact.files)
        for number, text in file.lines().items()
        if number in touched and re.search(r"\w", text)
    ]
    hits = [(*line, pattern) for line in lines for pattern in PATTERNS if pattern.looks.search(line[2])]
    shown = Pattern(re.compile(""), LOW, CORRECTNESS, "here a finding would say what is wrong with this line")
    for path, number, text, pattern in hits[:MOST] or [(*line, shown) for line in lines[:1]]:
        record = {"FILE": path, "LINES": str(number), "CLAIM": f"Demonstration: {pattern.claim}.", "QUOTE": text}
        yield _record(record | {"WHY": SHOWS, "CATEGORY": pattern.category, "SEVERITY": pattern.severity})


def _record(values: Mapping[str, str]) -> str:
    """A record as the reader of answers gives it back."""
    return json.dumps(values, ensure_ascii=False)


def _check(ask: Ask) -> dict[str, str]:
    """What it says of a finding: it agrees where a pattern was met, with the words that the finding quotes."""
    values = dict(re.findall(r"(?m)^  (File|Lines|Severity|Quoted): (.*)$", ask.task))
    record = {"CITE": f"{values['File']}:{values['Lines']}", "QUOTE": values["Quoted"], "REASON": SHOWS}
    if ask.act == DISPUTE:
        return record | {"RULING": "SPLIT"}
    return record | {"VERDICT": "DISAGREE_CONCERN" if values["Severity"] == LOW else "AGREE"}
