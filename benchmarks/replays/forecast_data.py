"""Read recorded forecasts: yes/no questions, forecasts made alone, and those of groups before and after they debated.

Three files hold them: ``questions.csv`` (``resolution`` 1 or 0), ``forecasts.csv`` and ``condition_pairs.csv``
(probabilities in percent). A value that is missing leaves its forecast out, which is said; one that cannot be is an
error with its file and line. A row that stands twice counts once, where its forecast has an id.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.replays.recorded_files import read_rows
from folkmoot.core.text import counted

QUESTIONS, FORECASTS, PAIRS = "questions.csv", "forecasts.csv", "condition_pairs.csv"
DEBATE = "diverse_full"
"""Three different models, with all documents before each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One question: what came true, a group's forecasts before and after it debated, independent ones, and its id."""

    outcome: int
    before: Sequence[float]
    after: Sequence[float]
    independent: Sequence[float]
    question: str = ""

    @property
    def spread(self) -> float:
        """How far apart the first forecasts are."""
        return max(self.before) - min(self.before)


Conditions = Mapping[str, Sequence[Item]]
Row = Mapping[str, str]
LeftOut = Counter[tuple[str, str]]
"""How many of what were left out; each in singular and plural."""

UNRESOLVED = "question without a resolution", "questions without a resolution"
NO_FORECAST = "forecast without a probability", "forecasts without a probability"
OTHER_QUESTION = "pair of forecasts on an unresolved question", "pairs of forecasts on unresolved questions"
HALF = "pair of forecasts with one missing", "pairs of forecasts with one missing"
TWICE = "row that stands twice", "rows that stand twice"
ALONE = "debated question without independent forecasts", "debated questions without independent forecasts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The forecasts of a folder.

    Attributes:
        conditions: the questions of each condition, in the order in which its groups are listed.
        items: those of the debate that is judged, in the order of the questions, each with independent forecasts.
        independent: of every resolved question how many independent forecasts it has.
        left_out: what is missing, a sentence for each kind.
    """

    conditions: Conditions
    items: Sequence[Item]
    independent: Sequence[int]
    left_out: Sequence[str] = ()


def read_forecasts(folder: Path) -> Recorded:
    """The forecasts of a folder.

    Raises:
        OSError: a file cannot be read.
        ValueError: a value cannot be, or no question is both resolved and debated.
    """
    left_out: LeftOut = Counter()
    outcomes = _outcomes(read_rows(folder / QUESTIONS), left_out)
    independent = _independent(read_rows(folder / FORECASTS), outcomes, left_out)
    pairs = _pairs(read_rows(folder / PAIRS), outcomes, left_out)
    if not pairs:
        raise ValueError("no question is both resolved and debated")
    conditions = {
        condition: [
            Item(
                outcome=outcomes[question],
                before=[before for before, _ in group],
                after=[after for _, after in group],
                independent=independent[question],
                question=question,
            )
            for question, group in groups.items()
        ]
        for condition, groups in sorted(pairs.items())
    }
    places = {question: index for index, question in enumerate(outcomes)}
    debated = sorted(conditions.get(DEBATE, ()), key=lambda item: places[item.question])
    left_out[ALONE] += sum(not item.independent for item in debated)
    return Recorded(
        conditions=conditions,
        items=[item for item in debated if item.independent],
        independent=[len(forecasts) for forecasts in independent.values()],
        left_out=[counted(number, *nouns) for nouns, number in left_out.items() if number],
    )


def _outcomes(rows: Sequence[Row], left_out: LeftOut) -> dict[str, int]:
    """What came true, by question; a question that is not resolved is left out."""
    outcomes: dict[str, int] = {}
    for location, row in _placed(rows, QUESTIONS):
        question, text = row["question_id"], _cell(row, "resolution")
        if not text:
            left_out[UNRESOLVED] += 1
            continue
        number = _number(text, f"{location}: the resolution")
        if number not in (0, 1):
            raise ValueError(f"{location}: the resolution is 1 or 0, not {text!r}")
        if outcomes.setdefault(question, int(number)) != number:
            raise ValueError(f"{location}: the question {question!r} is there twice, with two resolutions")
    return outcomes


def _independent(rows: Sequence[Row], outcomes: Mapping[str, int], left_out: LeftOut) -> Mapping[str, list[float]]:
    """Forecasts made alone with all documents, by question."""
    independent: dict[str, list[float]] = {question: [] for question in outcomes}
    probabilities = _Percent()
    for location, row in _once(_placed(rows, FORECASTS), "forecast_id", left_out):
        if row["stage"] != "independent" or row["info_label"] != "full" or row["question_id"] not in outcomes:
            continue
        value = probabilities.read(_cell(row, "probability"), f"{location}: the probability")
        if value is None:
            left_out[NO_FORECAST] += 1
        else:
            independent[row["question_id"]].append(value)
    probabilities.check(FORECASTS)
    return independent


def _pairs(
    rows: Sequence[Row], outcomes: Mapping[str, int], left_out: LeftOut
) -> Mapping[str, dict[str, list[tuple[float, float]]]]:
    """Of each condition and question the forecasts of the group before and after its debate."""
    pairs: dict[str, dict[str, list[tuple[float, float]]]] = {}
    probabilities = _Percent()
    for location, row in _once(_placed(rows, PAIRS), "deliberative_forecast_id", left_out):
        if row["question_id"] not in outcomes:
            left_out[OTHER_QUESTION] += 1
            continue
        before, after = (
            probabilities.read(_cell(row, column), f"{location}: {column}")
            for column in ("independent_prob", "deliberative_prob")
        )
        if before is None or after is None:
            left_out[HALF] += 1
        else:
            pairs.setdefault(row["condition"], {}).setdefault(row["question_id"], []).append((before, after))
    probabilities.check(PAIRS)
    return pairs


class _Percent:
    """Probabilities in percent; it sees whether they may be shares from 0 to 1 instead."""

    def __init__(self) -> None:
        self.highest, self.whole = 0.0, True

    def read(self, text: str, name: str) -> float | None:
        """The probability from 0 to 1; None where there is none.

        Raises:
            ValueError: it is no percentage.
        """
        if not text:
            return None
        value = _number(text, name)
        if not 0 <= value <= 100:
            raise ValueError(f"{name} is from 0 to 100 percent, not {text!r}")
        self.highest, self.whole = max(self.highest, value), self.whole and value == int(value)
        return value / 100

    def check(self, file: str) -> None:
        """Refuse shares.

        Raises:
            ValueError: all values look like shares from 0 to 1.
        """
        if self.highest <= 1 and not self.whole:
            raise ValueError(f"{file}: the probabilities are in percent, and none of these is above 1")


def _placed(rows: Iterable[Row], file: str) -> Iterator[tuple[str, Row]]:
    """The rows with their places; the heads are line 1."""
    for number, row in enumerate(rows, start=2):
        yield f"{file}, line {number}", row


def _once(rows: Iterable[tuple[str, Row]], column: str, left_out: LeftOut) -> Iterator[tuple[str, Row]]:
    """The rows without those that stand twice, as far as a column names each; without names, rows may be alike.

    Raises:
        ValueError: a name stands twice with different values.
    """
    known: dict[str, tuple[str, Row]] = {}
    for location, row in rows:
        name = (row.get(column) or "").strip()
        before, same = known.setdefault(name, (location, row)) if name else (location, row)
        if before == location:
            yield location, row
        elif same == row:
            left_out[TWICE] += 1
        else:
            raise ValueError(f"{location}: the {column} {name!r} is there twice, with other values in {before}")


def _cell(row: Row, name: str) -> str:
    return (row[name] or "").strip()


def _number(text: str, name: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{name} is not a number: {text!r}")
    return value
