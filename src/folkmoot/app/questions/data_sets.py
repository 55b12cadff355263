"""Questions with known answers, parted: questions, which prompts may see, and keys, which they never do.

``question_files`` reads them. Each faulty line is one error with its number. ``target`` and ``choices``, Inspect's names,
stand for ``truth`` and ``options``.
"""

import json
import math
import os
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias, cast, get_args

from folkmoot.app.brief.files import read_files
from folkmoot.app.questions.quantities import RELATIVE, normal_text, read_quantity
from folkmoot.core.brief import OPTIONS, Source
from folkmoot.core.errors import BriefError
from folkmoot.core.text import clean, closest, listed, shorten
from folkmoot.record.store import digest

Kind: TypeAlias = Literal["option", "number", "probability", "text"]

ALIASES: Final[Mapping[str, str]] = {"target": "truth", "choices": "options"}
FIELDS = ("id", "input", "truth", "kind", "options", "accepted", "tolerance", "documents", "group", "tags")
LISTS = frozenset({"options", "tags", "accepted", "documents"})
"""Fields with several values: a list in JSON, parted by ``|`` in CSV."""

OUTCOMES: Final[Mapping[str, str]] = {"1.0": "1", "yes": "1", "true": "1", "0.0": "0", "no": "0", "false": "0"}
"""How the outcome of a yes/no question is written elsewhere."""

PLAIN_NUMBER: Final = re.compile(r"[$€£]?[+-]?\d[\d,]*(\.\d+)?\s*%?")
"""A truth that is a number and nothing else."""

LONGEST_ID = 200
"""Characters of a question that is its own id; of a longer one its beginning and a hash are."""

QUESTIONS_FILE, KEYS_FILE = "questions.jsonl", "keys.jsonl"

Line: TypeAlias = "Mapping[str, object] | str"
"""The fields of a line as they are written; or what is wrong with it."""


class FaultyData(BriefError):
    """A data set that cannot be used.

    Args:
        faults: what is wrong, a sentence for each line.
    """

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What may be asked: everything but the truth.

    Attributes:
        id: its name, unique in the set.
        input: the words of the question.
        kind: what an answer is.
        options: to choose from, for the kind ``option``.
        documents: what everybody who answers may read.
        group: questions that share a text, a source or an event have one group; "" for none.
        tags: words to look at parts of the set.
    """

    id: str
    input: str
    kind: Kind
    options: tuple[str, ...] = ()
    documents: tuple[Source, ...] = ()
    group: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """The truth of a question, for the grader alone.

    Attributes:
        id: the question's id.
        truth: the right answer.
        accepted: other forms of it that are right too, for the kind ``text``.
        tolerance: how far off a number may be.
        relative: the same as a share of the truth; the larger room counts.
    """

    id: str
    truth: str
    accepted: tuple[str, ...] = ()
    tolerance: float = 0.0
    relative: float = RELATIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """Questions, and their keys in the same order; each becomes a file, and only the grader opens that of the keys."""

    questions: tuple[Question, ...]
    keys: tuple[Key, ...]

    @property
    def hashes(self) -> tuple[str, str]:
        """The SHA-256 of the two files."""
        return digest(_lines(self.questions)), digest(_lines(self.keys))

    def keep(self, folder: Path) -> None:
        """Write both files into a folder, each wholly or not at all.

        Raises:
            OSError: they cannot be written.
        """
        write_whole(folder / QUESTIONS_FILE, _lines(self.questions).encode())
        write_whole(folder / KEYS_FILE, _lines(self.keys).encode())

    def only(self, ids: Iterable[str]) -> "DataSet":
        """Some of the questions, with their keys."""
        chosen = frozenset(ids)
        return DataSet(
            questions=tuple(question for question in self.questions if question.id in chosen),
            keys=tuple(key for key in self.keys if key.id in chosen),
        )


def tagged(tags: Mapping[str, Sequence[str]], tag: str) -> set[str]:
    """The ids of the questions with a tag.

    Args:
        tags: of each question, by its id.
        tag: one of them.

    Raises:
        BriefError: no question has it.
    """
    if chosen := {name for name, own in tags.items() if tag in own}:
        return chosen
    known = sorted({word for own in tags.values() for word in own})
    there = f"there are {listed(known)}" if len(known) <= 20 else f"there are {len(known)} others"
    raise BriefError(f"no question has the tag {tag[:60]!r}; {there if known else 'none has any'}", code="bad_enum")


def _lines(items: Sequence[Question] | Sequence[Key]) -> str:
    return "".join(json.dumps(asdict(item), ensure_ascii=False) + "\n" for item in items)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file wholly or not at all, so that nobody reads half of it.

    Raises:
        OSError: it cannot be written.
    """
    draft = path.parent / f".{secrets.token_hex(8)}.tmp"
    try:
        draft.write_bytes(data)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


# ---- from lines to questions and keys --------------------------------------------------------------------------------


def part(lines: Iterable[tuple[str, Line]], *, name: str, folder: Path) -> DataSet:
    """Part lines into questions and keys.

    Args:
        lines: for each line its place, ``set.jsonl:3``, and its fields.
        name: what the whole is called in errors.
        folder: where the documents are that lines name.

    Raises:
        FaultyData: lines are wrong, or there are none.
    """
    faults: dict[str, str] = {}  # by the sentence without its place: a wrong column is wrong in every line
    pairs: list[tuple[Question, Key]] = []
    places: dict[tuple[str, str], str] = {}
    for place, line in lines:
        try:
            question, key = _part(line, folder)
            # What is put in a prompt: two questions with the same are one.
            shown = [" ".join(question.input.split()), question.options, [item.text for item in question.documents]]
            for what, value in (("id", question.id), ("input", json.dumps(shown))):
                if (before := places.setdefault((what, value), place)) is not place:
                    raise ValueError(f"{_line_of(before)} already has this {what}")
            pairs.append((question, key))
        except (ValueError, BriefError) as error:
            sentence = error.found if isinstance(error, BriefError) else str(error)
            once = sentence if sentence.startswith("unknown field") else f"{place}: {sentence}"
            faults.setdefault(once, f"{place}: {sentence}")
    if faults or not pairs:
        raise FaultyData(list(faults.values()) or [f"{name} has no questions"])
    return DataSet(questions=tuple(question for question, _ in pairs), keys=tuple(key for _, key in pairs))


def _line_of(place: str) -> str:
    """``line 3`` for ``set.jsonl:3``; a place without a number as it is."""
    number = place.rpartition(":")[2]
    return f"line {number}" if number.isdecimal() else place


def _part(line: Line, folder: Path) -> tuple[Question, Key]:
    """The question and the key of a line.

    Raises:
        ValueError: something is wrong with it.
        BriefError: a document cannot be read.
    """
    if isinstance(line, str):
        raise ValueError(line)
    if twice := next((pair for pair in ALIASES.items() if set(pair) <= set(line)), None):
        raise ValueError(f"{listed(twice)} are one field")
    fields = {ALIASES.get(name, name): value for name, value in line.items()}
    if unknown := next((name for name in fields if name not in FIELDS), ""):
        meant = closest(unknown, FIELDS)
        known = f"did you mean {meant!r}?" if meant else f"there are {listed(FIELDS)}"
        raise ValueError(f"unknown field {shorten(unknown, 60)!r}; {known}")
    words, truth, accepted = _text(fields, "input"), *_truths(fields)
    if not words or not truth:
        raise ValueError(f"{'truth' if words else 'input'} is missing")
    options = _options(_texts(fields, "options"))
    several = "text" if accepted and not options else ""
    kind, truth = _kind(_text(fields, "kind") or several, truth, options)
    if accepted and kind != "text":
        raise ValueError(f"several accepted answers are for the kind text, not {kind}")
    name = _text(fields, "id") or (words if len(words) <= LONGEST_ID else f"{words[:60]}… {digest(words)[:12]}")
    question = Question(
        id=name,
        input=words,
        kind=kind,
        options=options,
        documents=_documents(fields.get("documents"), folder),
        group=_text(fields, "group"),
        tags=_texts(fields, "tags"),
    )
    absolute, relative = _tolerances(_text(fields, "tolerance"))
    return question, Key(id=name, truth=truth, accepted=accepted, tolerance=absolute, relative=relative)


def _truths(fields: Mapping[str, object]) -> tuple[str, tuple[str, ...]]:
    """The right answer, and the other forms of it that are right too."""
    first, *others = _texts(fields, "truth") or ("",)
    return first, (*others, *_texts(fields, "accepted"))


def _kind(kind: str, truth: str, options: Sequence[str]) -> tuple[Kind, str]:
    """The kind of a question, checked, with its truth as it is compared.

    Where nobody says it: option where options are named, number where the truth is nothing but a number, else text.
    """
    kind = kind or ("option" if options else "number" if PLAIN_NUMBER.fullmatch(truth) else "text")
    if kind not in get_args(Kind):
        raise ValueError(f"unknown kind {kind!r}; there are {', '.join(get_args(Kind))}")
    if kind == "probability":
        truth = OUTCOMES.get(truth.casefold(), truth)
        if truth not in ("0", "1"):
            raise ValueError(f"the truth of a probability is 0 or 1 (no or yes), not {shorten(truth, 60)!r}")
    if kind == "option" and not options:
        raise ValueError("a question of the kind option needs options to choose from")
    if kind == "option" and truth not in options:
        raise ValueError(f"the truth {shorten(truth, 60)!r} is none of the options: {shorten(listed(options), 200)}")
    if kind == "number" and read_quantity(truth) is None:
        raise ValueError(f"truth is not a number: {shorten(truth, 60)!r}")
    return cast("Kind", kind), truth


def _options(options: tuple[str, ...]) -> tuple[str, ...]:
    """The options, checked: as many as a brief may have, and none twice."""
    if options and not OPTIONS.low <= len(options) <= OPTIONS.high:
        raise ValueError(f"there must be {OPTIONS.low} to {OPTIONS.high} options, not {len(options)}")
    by_form: dict[str, str] = {}
    for option in options:
        if (other := by_form.setdefault(normal_text(option), option)) is not option:
            raise ValueError(f"two options are the same: {other!r} and {option!r}")
    return options


def _documents(value: object, folder: Path) -> tuple[Source, ...]:
    """The documents: names of files beside the data, or texts that were read before."""
    items = cast("list[object]", value) if isinstance(value, list) else []
    read = tuple(item for item in items if isinstance(item, Source))
    return read or read_files(_texts({"documents": cast("object", value)}, "documents"), folder)


def _tolerances(tolerance: str) -> tuple[float, float]:
    """How far off a number may be, as it is and as a share of the truth: ``0.5`` or ``2%``."""
    try:
        room = float(tolerance.removesuffix("%") or "0")
    except ValueError:
        room = math.nan
    if not 0 <= room < math.inf:
        raise ValueError(f"tolerance must be a number from 0 on, such as 0.5 or 2%, not {shorten(tolerance, 60)!r}")
    return (0.0, room / 100) if tolerance.endswith("%") else (room, RELATIVE)


def _text(fields: Mapping[str, object], name: str) -> str:
    """A field as text; "" where it is missing. A number or a truth value of JSON is written as it stands there."""
    value = fields.get(name)
    if isinstance(value, str):
        return clean(value).strip()
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return json.dumps(value)
    if value is None:
        return ""
    raise ValueError(f"{name} is not a text" if not isinstance(value, float) else f"{name} is not a number: {value}")


def _texts(fields: Mapping[str, object], name: str) -> tuple[str, ...]:
    """A field as texts; a truth may be one, every other field of several values is a list."""
    value = fields.get(name)
    if value is None:
        return ()
    if not isinstance(value, list):
        if name in LISTS:
            raise ValueError(f"{name} is not a list")
        return (_text(fields, name),)
    items = [_text({name: item}, name) for item in cast("list[object]", value)]
    if name == "options" and "" in items:
        raise ValueError("an option is empty")
    return tuple(filter(None, items))
