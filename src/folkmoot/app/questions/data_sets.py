"""Questions with known answers, parted: questions, which prompts may see, and keys, which they never do.

``question_files`` reads them. Each faulty line is one error with its number. ``target`` and ``choices``, Inspect's names, stand for ``truth`` and ``options``.
"""

import json
import math
import os
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
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


OUTCOMES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("1.0", "yes", "true"), "1"),
    **dict.fromkeys(("0.0", "no", "false"), "0"),
}
"""How the outcome of a yes/no question is written elsewhere."""

LONGEST_ID = 200
"""Characters of a question that is its own id; of a longer one its beginning and a hash are."""


class FaultyData(BriefError):
    """A data set that cannot be used.

    Args:
        faults: what is wrong, a sentence for each line.
    """

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = tuple(faults)


class UnknownField(ValueError):
    """A line has a field that no question has; the same in every line of a table, so it is said once."""


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
    """Questions, and their keys in the same order."""

    questions: tuple[Question, ...]
    keys: tuple[Key, ...]


Line: TypeAlias = "Mapping[str, object] | str"
"""The fields of a line as they are written; or what is wrong with it."""


def part(lines: Iterable[tuple[str, Line]], *, name: str, folder: Path | None = None) -> DataSet:
    """Part lines into questions and keys.

    Args:
        lines: for each line its place, ``set.jsonl:3``, and its fields.
        name: what the whole is called in errors.
        folder: where the documents are that lines name.

    Raises:
        FaultyData: lines are wrong, or there are none.
    """
    faults: list[str] = []
    pairs: list[tuple[Question, Key]] = []
    places: dict[str, str] = {}
    unknown: set[str] = set()
    for place, line in lines:
        try:
            question, key = _part(line, folder)
            same = _asked_alike(question)
            for what, value in (("input", same), ("id", question.id)):
                if before := places.get(f"{what} {value}"):
                    raise ValueError(f"{_line_of(before)} already has this {what}")
            places |= {f"id {question.id}": place, f"input {same}": place}
            pairs.append((question, key))
        except BriefError as error:
            faults.append(f"{place}: {error.found}")
        except UnknownField as error:
            faults += [] if str(error) in unknown else [f"{place}: {error}"]
            unknown.add(str(error))
        except ValueError as error:
            faults.append(f"{place}: {error}")
    if not pairs and not faults:
        faults = [f"{name} has no questions"]
    if faults:
        raise FaultyData(faults)
    return DataSet(questions=tuple(pair[0] for pair in pairs), keys=tuple(pair[1] for pair in pairs))


def _asked_alike(question: Question) -> str:
    """What is put in a prompt; two questions with the same are one."""
    return json.dumps([" ".join(question.input.split()), question.options, [item.text for item in question.documents]])


def _line_of(place: str) -> str:
    """``line 3`` for ``set.jsonl:3``; a place without a number as it is."""
    number = place.rpartition(":")[2]
    return f"line {number}" if number.isdecimal() else place


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


QUESTIONS_FILE, KEYS_FILE = "questions.jsonl", "keys.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredData:
    """Questions whose keys lie in a file of their own, which only the grader opens.

    Attributes:
        questions: what is asked.
        questions_hash: SHA-256 of the questions as they are stored.
        keys: the file of the keys, which ``keep`` writes.
        keys_hash: SHA-256 of that file.
        texts: what the two files hold, by their names.
    """

    questions: tuple[Question, ...]
    questions_hash: str
    keys: Path
    keys_hash: str
    texts: Mapping[str, str] = field(repr=False)

    def keep(self) -> None:
        """Write both files into their folder, which is made, each wholly or not at all.

        Raises:
            OSError: they cannot be written.
        """
        self.keys.parent.mkdir(parents=True, exist_ok=True)
        for name, text in self.texts.items():
            write_whole(self.keys.with_name(name), text.encode("utf-8"))


def to_store(data: DataSet, folder: Path) -> StoredData:
    """Questions and keys as two files of a folder; nothing is written before ``keep``."""
    texts = {QUESTIONS_FILE: _lines(data.questions), KEYS_FILE: _lines(data.keys)}
    return StoredData(
        questions=data.questions,
        questions_hash=digest(texts[QUESTIONS_FILE]),
        keys=folder / KEYS_FILE,
        keys_hash=digest(texts[KEYS_FILE]),
        texts=texts,
    )


def _lines(items: Sequence[Question] | Sequence[Key]) -> str:
    return "".join(json.dumps(asdict(item), ensure_ascii=False) + "\n" for item in items)


def _part(line: Line, folder: Path | None) -> tuple[Question, Key]:
    """The question and the key of a line.

    Raises:
        ValueError: something is wrong with it.
        BriefError: a document cannot be read.
    """
    if isinstance(line, str):
        raise ValueError(line)
    fields = {ALIASES.get(name, name): value for name, value in line.items()}
    if twice := [pair for pair in ALIASES.items() if set(pair) <= set(line)]:
        raise ValueError(f"{listed(twice[0])} are one field")
    if unknown := [name for name in fields if name not in FIELDS]:
        meant = closest(unknown[0], FIELDS)
        known = f"; did you mean {meant!r}?" if meant else f"; there are {listed(FIELDS)}"
        raise UnknownField(f"unknown field {shorten(unknown[0], 60)!r}{known}")
    words, truth, more = _text(fields, "input"), *_truths(fields)
    if not words or not truth:
        raise ValueError(f"{'truth' if words else 'input'} is missing")
    options = _options(_texts(fields, "options"))
    if _text(fields, "kind") == "probability":
        truth = OUTCOMES.get(truth.casefold(), truth)
    kind = _kind(_text(fields, "kind") or ("text" if more and not options else ""), truth, options)
    if more and kind != "text":
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
    return question, Key(id=name, truth=truth, accepted=more, tolerance=absolute, relative=relative)


def _tolerances(tolerance: str) -> tuple[float, float]:
    """How far off a number may be, as it is and as a share of the truth: ``0.5`` or ``2%``."""
    room = _number(tolerance.removesuffix("%") or "0", "tolerance")
    if room < 0:
        raise ValueError("tolerance is below 0")
    return (0.0, room / 100) if tolerance.endswith("%") else (room, RELATIVE)


def _truths(fields: Mapping[str, object]) -> tuple[str, tuple[str, ...]]:
    """The right answer, and the other forms of it that are right too."""
    more = _texts(fields, "accepted")
    if isinstance(fields.get("truth"), list):
        first, *others = _texts(fields, "truth") or ("",)
        return first, (*others, *more)
    return _text(fields, "truth"), more


def _options(options: tuple[str, ...]) -> tuple[str, ...]:
    """The options, checked: as many as a brief may have, and none twice."""
    if options and not OPTIONS.low <= len(options) <= OPTIONS.high:
        raise ValueError(f"there must be {OPTIONS.low} to {OPTIONS.high} options, not {len(options)}")
    by_form: dict[str, str] = {}
    for option in options:
        if (other := by_form.setdefault(normal_text(option), option)) is not option:
            raise ValueError(f"two options are the same: {other!r} and {option!r}")
    return options


def _documents(value: object, folder: Path | None) -> tuple[Source, ...]:
    """The documents: names of files beside the data, or texts that were read before."""
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise ValueError("documents is not a list")
    items = [_source(item) for item in cast("Sequence[object]", value)]
    sources = [item for item in items if isinstance(item, Source)]
    return (*sources, *read_files([item for item in items if isinstance(item, str)], folder))


def _source(item: object) -> Source | str:
    """A document that is written out in the data, with name and text; else the name of a file."""
    if isinstance(item, Source):
        return item
    if isinstance(item, dict):
        fields = cast("dict[str, object]", item)
        if not _text(fields, "name") or not _text(fields, "text"):
            raise ValueError("a document has a name and a text")
        return Source(name=_text(fields, "name"), text=clean(str(fields["text"])))
    return _text({"documents": item}, "documents")


PLAIN_NUMBER: Final = re.compile(r"[$€£]?[+-]?\d[\d,]*(\.\d+)?\s*%?")
"""A truth that is a number and nothing else."""


def _kind(kind: str, truth: str, options: Sequence[str]) -> Kind:
    """The kind of a question that fits its truth.

    Where nobody says it: option where options are named, number where the truth is nothing but a number, else text.
    """
    kind = kind or ("option" if options else "number" if PLAIN_NUMBER.fullmatch(truth) else "text")
    if kind not in get_args(Kind):
        raise ValueError(f"unknown kind {kind!r}; there are {', '.join(get_args(Kind))}")
    if kind == "option" and truth not in options:
        raise ValueError(f"the truth {shorten(truth, 60)!r} is none of the options: {shorten(listed(options), 200)}")
    if kind == "number" and read_quantity(truth) is None:
        raise ValueError(f"truth is not a number: {shorten(truth, 60)!r}")
    if kind == "probability" and truth not in ("0", "1"):
        raise ValueError(f"the truth of a probability is 0 or 1 (no or yes), not {shorten(truth, 60)!r}")
    return cast("Kind", kind)


def tagged(data: DataSet, tag: str) -> DataSet:
    """The questions with a tag, with their keys.

    Raises:
        BriefError: no question has it.
    """
    places = [place for place, question in enumerate(data.questions) if tag in question.tags]
    if not places:
        raise no_such_tag(tag, [word for question in data.questions for word in question.tags])
    return DataSet(
        questions=tuple(data.questions[place] for place in places), keys=tuple(data.keys[place] for place in places)
    )


def no_such_tag(tag: str, tags: Iterable[str]) -> BriefError:
    """That no question has a tag, with those that there are."""
    known = sorted(set(tags))
    there = f"there are {listed(known)}" if len(known) <= 20 else f"there are {len(known)} others"
    return BriefError(f"no question has the tag {tag[:60]!r}; {there if known else 'none has any'}", code="bad_enum")


def _number(text: str, name: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"{name} is not a number: {text!r}") from None
    if not math.isfinite(value):
        raise ValueError(f"{name} is not a number: {text!r}")
    return value


def _text(fields: Mapping[str, object], name: str) -> str:
    """A field as text; "" where it is missing. A number or a truth value of JSON is written as it stands there."""
    value = fields.get(name)
    if value is None:
        return ""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{name} is not a number: {value}")
    if isinstance(value, str | int | float):
        return clean(value).strip() if isinstance(value, str) else json.dumps(value)
    raise ValueError(f"{name} is not a text")


def _texts(fields: Mapping[str, object], name: str) -> tuple[str, ...]:
    value = fields.get(name)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise ValueError(f"{name} is not a list")
    items = [_text({name: item}, name) for item in cast("list[object]", value)]
    if name == "options" and "" in items:
        raise ValueError("an option is empty")
    return tuple(filter(None, items))
