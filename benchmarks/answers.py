"""Measures how answers are read: what real models wrote, the time for a vote, the time to load, the lines.

``python -m benchmarks.answers DATA`` reads the texts under DATA, the folder of the recorded data sets, each in the form
that its author was asked for. *Right* is what the data set's label says; *misread* is what doesn't stand in the text as
the answer, whatever the label says, found by a regular expression for each set. Without DATA the rest is measured.
"""

import ast
import json
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import folkmoot.answers
from folkmoot.answers.layout import read
from folkmoot.core.ask import Field, Form, Value
from folkmoot.core.transcript import normalise
from folkmoot.phases.vote import ballot_form

LOADS = """\
import time, folkmoot.core.transcript
began = time.process_time()
import folkmoot.answers.layout
print(time.process_time() - began)
"""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A text: the form that its author was asked for, what the label says, and what stands in it."""

    form: Form
    text: str
    label: Mapping[str, str]
    stated: Mapping[str, list[str]]
    plain: Callable[[Value], str] = normalise


@dataclass(slots=True)
class Counts:
    """How many texts there are of a kind; of how many something was read, and how that was."""

    texts: int = 0
    read: int = 0
    right: int = 0
    misread: int = 0

    def add(self, recorded: Recorded) -> None:
        """Read a text and count it."""
        plain = recorded.plain
        fields = {name: plain(value) for name, value in read(recorded.form, recorded.text).fields.items()}
        self.texts += 1
        self.read += bool(fields)
        self.right += bool(fields) and fields == {name: plain(value) for name, value in recorded.label.items()}
        self.misread += any(value not in map(plain, recorded.stated.get(name, ())) for name, value in fields.items())


def _number(value: Value) -> str:
    """What a sum comes to: the last number of an answer in words, such as "12 + 8 = 20 apples"."""
    numbers = re.findall(r"-?\d[\d,]*(?:\.\d+)?|-?\.\d+", str(value))
    return normalise(numbers[-1] if numbers else value)


def _choice(name: str, choices: str, text: str, label: str | None, stated: str) -> Recorded:
    field = Field(name=name, kind="choice", choices=tuple(choices.split()))
    form = Form(name="verdict", layout="line", fields=(field,))
    return Recorded(form, text, {name: label} if label else {}, {name: re.findall(stated, text, re.I)})


def _sentences(data: Path) -> Iterator[Recorded]:
    """A judge's sentence. The recorded verdicts of PaLM2 contradict its texts in one case of six: there these count."""
    stated = r"Output \(([ab])\) is better"
    for row in _rows(data / "judge_pairs/verdicts.jsonl"):
        said = re.findall(stated, row["text"])[-1:] if row["judge"] == "PaLM2" else []
        yield _choice("Output ({}) is better", "a b", row["text"], (said or [row["verdict"]])[0], stated)


def _brackets(data: Path) -> Iterator[Recorded]:
    """A judge's verdict in brackets. The data set has no label for it beside the text itself, whose last one counts."""
    stated = r"\[\[([AB][<>=]{1,2}[AB])\]\]"
    for row in _rows(data / "judge_pairs/judgebench.jsonl"):
        for text in (row["text1"], row["text2"]):
            last = re.findall(stated, text)[-1:]
            yield _choice("[[{}]]", "A>>B A>B A=B B>A B>>A", text, last[0] if last else None, stated)


def _letters(data: Path) -> Iterator[Recorded]:
    """The answers to questions with lettered options, from which the data set's authors could extract one."""
    for row in _rows(data / "panel_answers/mmlupro_texts.jsonl"):
        if letter := row["authors_extraction"]:
            stated = r"answer is:?\s*\**\(?\s*([A-J])\b"
            yield _choice("answer is ({})", "A B C D E F G H I J", row["text"], letter, stated)


def _sums(data: Path) -> Iterator[Recorded]:
    """The answers to sums, asked for as one object, from which a number could be extracted."""
    form = Form(name="answer", layout="json", fields=(Field(name="answer"),))
    for row in _rows(data / "panel_answers/gsm_texts.jsonl"):
        if row["reference_extraction"]:
            stated = re.findall(r"\banswer\W{0,2}:\s*(\"(?:[^\"\\]|\\.)*\"|[^\n}]*)", row["text"])
            yield Recorded(form, row["text"], {"answer": row["reference_extraction"]}, {"answer": stated}, _number)


def _rulings(data: Path) -> Iterator[Recorded]:
    """A moderator's ruling on two translations, as one object in Python's notation."""
    sides = Field(name="Supported Side", kind="choice", choices=("Affirmative", "Negative"), required=False)
    prefers = Field(name="Whether there is a preference", kind="choice", choices=("Yes", "No"))
    texts = (Field(name="Reason", required=False), Field(name="Correct Translation", required=False))
    form = Form(name="ruling", layout="json", fields=(prefers, sides, *texts))
    for row in _rows(data / "mad_translation/debates.jsonl"):
        for text in row["moderator_raw"]:
            yield _written(form, text, ast.literal_eval(text.strip()))


def _judgements(data: Path) -> Iterator[Recorded]:
    """A judge's last answer on two translations. What it thinks aloud before that is no object."""
    form = Form(name="judgement", layout="json", fields=(Field(name="Reason"), Field(name="Correct Translation")))
    for row in _rows(data / "mad_translation/debates.jsonl"):
        for text in cast("list[str]", row["judge_raw"] or []):
            if text.lstrip().startswith("{"):
                yield _written(form, text, json.loads(text, strict=False))


def _written(form: Form, text: str, table: Mapping[str, str]) -> Recorded:
    label = {name: value.strip() for name, value in table.items() if value.strip()}
    return Recorded(form, text, label, {name: [value] for name, value in label.items()})


def _reasons(data: Path) -> Iterator[Recorded]:
    """The reason for a secret vote. None is in the form of a ballot, and a jury's votes count against whom it praises."""
    for row in _rows(data / "elimination_votes/vote_texts.jsonl"):
        yield Recorded(ballot_form(row["candidates"], strict=True), row["text"], {}, {})


SETS: Mapping[str, Callable[[Path], Iterator[Recorded]]] = {
    "verdicts in a sentence": _sentences,
    "verdicts in brackets": _brackets,
    "letters": _letters,
    "sums": _sums,
    "rulings on translations": _rulings,
    "judgements of translations": _judgements,
    "reasons for secret votes": _reasons,
}


def measure(data: Path) -> dict[str, Counts]:
    """How the recorded texts are read, by kind, and all of them."""
    counts = {name: Counts() for name in (*SETS, "all")}
    for name, texts in SETS.items():
        for recorded in texts(data):
            counts[name].add(recorded)
            counts["all"].add(recorded)
    return counts


def main(arguments: list[str]) -> None:
    """Print the table."""
    for data in map(Path, arguments):
        print(f"{'recorded texts':<28}{'texts':>7}{'read':>7}{'right':>7}{'misread':>9}")
        for name, count in measure(data).items():
            print(f"{name:<28}{count.texts:>7,}{count.read:>7,}{count.right:>7,}{count.misread:>9,}")
        votes = [
            f"{row['text']}\n\nI vote for: {row['candidates'][0]}"
            for row in _rows(data / "elimination_votes/vote_texts.jsonl")
        ]
        print(_timed(votes))
    votes = [f"{'It costs less, and we can go back. ' * n}\n\nI vote for: Ben" for n in range(200)]
    print(_timed(votes))
    command = [sys.executable, "-c", LOADS]
    loads = [float(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(7)]
    print(f"the reader loads in {1000 * min(loads):.0f} ms CPU, beside the core that each record needs")
    files = list(Path(folkmoot.answers.__path__[0]).rglob("*.py"))
    print(f"{sum(len(file.read_text('utf-8').splitlines()) for file in files):,} lines in {len(files)} modules")


def _timed(votes: list[str]) -> str:
    form, seconds = ballot_form(("Ann", "Ben", "P1", "P2", "P3", "P4"), strict=True), list[float]()
    for text in votes:
        began = time.process_time()
        read(form, text, speaker="Cay", others=("Ann", "Ben"))
        seconds.append(1000 * (time.process_time() - began))
    middle, *_, high = statistics.quantiles(seconds, n=100)[49:99]
    return f"{len(votes):,} votes: {middle:.2f} ms CPU each (median), {high:.2f} (99 %), {max(seconds):.2f} (worst)"


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, file.read_text("utf-8").splitlines())


if __name__ == "__main__":
    main(sys.argv[1:])
