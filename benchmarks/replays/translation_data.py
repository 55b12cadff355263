"""Recorded debates of two translators, a moderator and a judge: rulings read, early stops, how alike sides become."""

import ast
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final, TypedDict, cast

from benchmarks.replays.figures import Figure, find
from benchmarks.replays.recorded_files import read_json_lines, read_reference
from folkmoot.answers.layout import read
from folkmoot.core.ask import Field, Form

PREFERENCE, SIDE = "Whether there is a preference", "Supported Side"
RULING: Final = Form(
    name="ruling",
    layout="json",
    fields=(
        Field(name=PREFERENCE, kind="choice", choices=("Yes", "No")),
        Field(name=SIDE, kind="choice", choices=("Affirmative", "Negative"), required=False),
        Field(name="Reason", required=False),
        Field(name="Correct Translation", required=False),
    ),
)
"""What a moderator says after each step; a side that is named ends the debate."""

_WORD: Final = re.compile(r"[a-z]+")


class Debate(TypedDict):
    """One line of debates.jsonl, as far as it is read."""

    correct_reference: str
    base: str
    final: str | None
    affirmative: Sequence[str]
    negative: Sequence[str]
    moderator_raw: Sequence[str] | None
    judge_raw: Sequence[str] | None


def mad_translation(folder: Path) -> Iterator[Figure]:
    """How texts are written and read, when a debate ends, how alike the sides become, and what became of the answer."""
    reference = read_reference(folder)
    debates = cast("list[Debate]", read_json_lines(folder / "debates.jsonl"))
    yield Figure(name="debates", ours=len(debates), reference=find(r"^debates (\d+)", reference))
    written = Counter(
        f"{speaker}: {_notation(text)}"
        for debate in debates
        for speaker, texts in (("moderator", _rulings(debate)), ("judge", debate["judge_raw"] or ()))
        for text in texts
    )
    yield from _counts("texts, ", written, r"parsing: (\{.*?\})", reference)
    ruled = Counter(", ".join(_ruling(text)) for debate in debates for text in _rulings(debate))
    yield from _counts("rulings, ", ruled, r"\(preference, side\): (\{.*?\})", reference)
    ended = Counter(_first_preference(debate) for debate in debates)
    yield from _counts("first preference in round ", ended, r"first stated preference: (\{.*?\})", reference)
    alone = sum(not debate["judge_raw"] for debate in debates)
    yield Figure(name="ended without the judge", ours=alone, reference=find(r"without the judge: (\d+)", reference))
    for name, pattern, pairs in (
        ("words both sides share, step", "two sides", _sides),
        ("words kept of one's own previous turn, step", "own previous turn", _own_turns),
    ):
        every = (pair for debate in debates for pair in pairs(debate))
        yield from _overlaps(name, every, _list(pattern, reference))
    became = Counter(name for debate in debates for name, holds in _BECAME.items() if holds(debate))
    yield from _counts("translation, ", became, r"human reference: (\{.*?\})", reference)


def _rulings(debate: Debate) -> Sequence[str]:
    return debate["moderator_raw"] or ()


def _notation(text: str) -> str:
    """How a text is written, by the words of the reference."""
    for name, parse in (("strict JSON", json.loads), ("Python literal", ast.literal_eval)):
        try:
            if isinstance(parse(text.strip()), dict):
                return name
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return "unparsed"


def _ruling(text: str) -> tuple[str, str]:
    """The preference and the side of a ruling, as the strict reader reads them; "" for what is not there."""
    fields = read(RULING, text).fields
    return str(fields.get(PREFERENCE, "")), str(fields.get(SIDE, ""))


def _first_preference(debate: Debate) -> str:
    """The round, from 0, in which a moderator first stated a preference."""
    stated = (str(n) for n, text in enumerate(_rulings(debate)) if _ruling(text)[0] == "Yes")
    return next(stated, "never")


def _sides(debate: Debate) -> Iterator[tuple[int, str, str]]:
    """In each step, from 0, the answer of the affirmative side, and that of the negative side to which it replies."""
    affirmative, negative = debate["affirmative"], debate["negative"]
    for step in range(min(len(affirmative), len(negative)) - 1):
        yield step, affirmative[step + 1], negative[step]


def _own_turns(debate: Debate) -> Iterator[tuple[int, str, str]]:
    """In each step, from 0, the turns of both sides, each with the previous one of the same side."""
    for side in (debate["affirmative"], debate["negative"]):
        for step, (before, after) in enumerate(pairwise(side)):
            yield step, before, after


def _overlaps(name: str, pairs: Iterable[tuple[int, str, str]], printed: Sequence[str]) -> Iterator[Figure]:
    """The mean overlap of each step beside the printed one."""
    steps: dict[int, list[float]] = {}
    for step, one, other in pairs:
        steps.setdefault(step, []).append(_overlap(one, other))
    for step in range(max([len(printed), *(step + 1 for step in steps)])):
        values = steps.get(step, [0.0])
        reference = printed[step] if step < len(printed) else ""
        yield Figure(name=f"{name} {step + 1}", ours=sum(values) / len(values), reference=reference)


def _overlap(one: str, other: str) -> float:
    """The words that two texts share, as a share of all their words (Jaccard 1901)."""
    left, right = (set(_WORD.findall(text.lower())) for text in (one, other))
    return len(left & right) / len(left | right) if left | right else 0.0


def _nearness(debate: Debate) -> float:
    """How much nearer the last translation is to the human one than the first was."""
    last, first = (_overlap(text or "", debate["correct_reference"]) for text in (debate["final"], debate["base"]))
    return last - first


_BECAME: Mapping[str, Callable[[Debate], bool]] = {
    "final equals base": lambda debate: (debate["final"] or "").strip() == debate["base"].strip(),
    "final closer to the reference": lambda debate: _nearness(debate) > 0,
    "base closer": lambda debate: _nearness(debate) < 0,
    "equal": lambda debate: _nearness(debate) == 0,
}
"""What became of a translation, by the words of the reference."""


def _counts(name: str, ours: Mapping[str, int], pattern: str, reference: str) -> Iterator[Figure]:
    """Each count of a mapping that the reference prints, and each of ours that it lacks."""
    line = re.search(pattern, reference)
    values = cast("dict[object, object]", ast.literal_eval(line[1]) if line else {})
    printed = {str(key): str(value) for key, value in values.items()}
    for key in dict.fromkeys((*printed, *ours)):
        yield Figure(
            name=f"{name}{key.rstrip(', ')}", ours=ours.get(key, 0), reference=printed.get(key, "0" if printed else "")
        )


def _list(words: str, reference: str) -> Sequence[str]:
    """The numbers of a list that the reference prints, all to three digits."""
    printed = re.findall(r"[\d.]+", find(rf"overlap of .*?{words}.*: \[(.*)\]", reference))
    return [f"{float(number):.3f}" for number in printed]
