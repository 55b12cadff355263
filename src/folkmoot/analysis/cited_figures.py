"""The figures in arguments, looked up in the documents of the debate: which lines have them, and which are in none."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from folkmoot.core.brief import Source
from folkmoot.core.text import STOP, sentences, terms
from folkmoot.core.transcript import Transcript, Turn, read_field

_NUMBER = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+|\d+)(?:[.,]\d+)?(?![\w]*\d)")
"""532,400 or 532.400 or 532 400; 6.5 or 6,5; 23."""

_UNIT = re.compile(r"\s?(?:%|[^\W\d_]+)")
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedFigure:
    """A sentence of an argument with figures of the documents.

    Attributes:
        answer: the answer that the argument is for.
        by: its author.
        mark: the mark of the turn.
        words: the sentence.
        where: the lines with its figures: ``costs.md:29``.
    """

    answer: str
    by: str
    mark: str
    words: str
    where: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureCheck:
    """The figures in the arguments of a debate.

    Attributes:
        cited: the sentences with figures that are in the documents, in the order of the debate.
        missing: figures that are in no document as they are written, with their authors. A sum is one of these.
    """

    cited: tuple[CitedFigure, ...] = ()
    missing: Mapping[str, tuple[str, ...]]


def cited_figures(transcript: Transcript) -> FigureCheck:
    """Look up the figures of all arguments; nothing where there are no documents with figures."""
    brief = transcript.brief
    lines = _lines_with_figures(brief.background) if brief else {}
    if brief is None or not lines:
        return FigureCheck(missing={})
    known = frozenset(_figures(" ".join((brief.topic, *brief.options))))
    cited: list[CitedFigure] = []
    missing: dict[str, dict[str, None]] = defaultdict(dict)
    for turn in transcript.turns():
        answer, argument = _answer(turn)
        for sentence in (words for _, words in sentences(_without_places(argument, brief.background))):
            found: dict[str, None] = {}
            for key, written in _figures(sentence).items():
                if key in known:
                    continue
                if key in lines:
                    found[_likeliest(lines[key], sentence)] = None
                else:
                    missing[written][turn.by] = None
            if found:
                figure = CitedFigure(
                    answer=answer, by=turn.by, mark=turn.mark, words=sentence.strip(), where=tuple(found)
                )
                cited.append(figure)
    return FigureCheck(cited=tuple(cited), missing={figure: tuple(names) for figure, names in missing.items()})


def _answer(turn: Turn) -> tuple[str, str]:
    """What a turn is for, and its argument; two empty texts for a turn that is for nothing."""
    answer = read_field(turn, "ANSWER") or read_field(turn, "POSITION")
    argument = read_field(turn, "ARGUMENT")
    return (str(answer), str(argument)) if answer and argument else ("", "")


def _figures(text: str) -> dict[str, str]:
    """The figures of a text: as they are compared, and as they are written, with the word behind.

    Signs between thousands don't count. One digit alone is no figure, nor is a year: too many lines have it.
    """
    found: dict[str, str] = {}
    for match in _NUMBER.finditer(text):
        whole, _, decimals = re.sub(r"[.,'’\s](?=\d{3}(?!\d))", "", match[0]).replace(",", ".").partition(".")
        unit = _UNIT.match(text, match.end())
        unit = None if unit and unit[0].strip() in STOP else unit
        if len(whole + decimals) > 1 and not _YEAR.fullmatch(match[0]):
            found.setdefault(
                f"{whole}.{decimals}" if decimals.strip("0") else whole, f"{match[0]}{unit[0] if unit else ''}"
            )
    return found


_Line = tuple[str, frozenset[str]]
"""Where a line is, and its words."""


def _lines_with_figures(background: Sequence[Source]) -> dict[str, list[_Line]]:
    lines: dict[str, list[_Line]] = defaultdict(list)
    for source in background:
        for number, line in enumerate(source.text.splitlines(), source.line):
            for key in _figures(line):
                lines[key].append((f"{source.name}:{number}", frozenset(terms(line))))
    return lines


def _likeliest(lines: Sequence[_Line], sentence: str) -> str:
    """The line that shares most words with a sentence, the first of several."""
    words = frozenset(terms(sentence))
    return max(lines, key=lambda line: len(words & line[1]))[0]


def _without_places(text: str, background: Sequence[Source]) -> str:
    """A text without what it says of places in documents: the numbers of lines are no figures."""
    for name in _names(background):
        text = re.sub(rf"\s*\(?{re.escape(name)}[^).;\n]*\)?", "", text)
    return text


def _names(background: Sequence[Source]) -> Iterator[str]:
    for source in background:
        yield source.name
        yield source.name.rpartition("/")[2]
