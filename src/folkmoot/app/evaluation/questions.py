"""Questions with known answers, parted: questions, which prompts may see, and keys, which they never do.

They are read from JSON lines, CSV, and folders of briefs with ``answer:`` in the header. Each faulty line is one error
with its number. ``target`` and ``choices``, Inspect's names, stand for ``truth`` and ``options``.
"""

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias, cast, get_args

import msgspec

from folkmoot.app.brief.files import read_files
from folkmoot.app.brief.reader import read_brief
from folkmoot.app.evaluation.quantities import RELATIVE, normal_text, read_quantity
from folkmoot.core.brief import OPTIONS, Source
from folkmoot.core.errors import BriefError
from folkmoot.core.text import clean, listed, shorten, unknown_word
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

LONGEST_CELL = 2**31 - 1
"""Characters; Python's own limit is 131,072, and documents may be longer."""

QUESTIONS_FILE, KEYS_FILE = "questions.jsonl", "keys.jsonl"

Line: TypeAlias = "Mapping[str, object] | str"
"""The fields of a line as they are written; or what is wrong with it."""

Places: TypeAlias = Iterator[tuple[str, Line, tuple[Source, ...]]]
"""For each line its place, ``set.jsonl:3``, its fields, and documents that are read already."""


class FaultyData(BriefError):
    """A data set that cannot be used, with what is wrong, a sentence for each line."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What may be asked: everything but the truth."""

    id: str
    input: str
    kind: Kind  # of an answer
    options: tuple[str, ...] = ()  # for the kind ``option``
    documents: tuple[Source, ...] = ()  # what everybody who answers may read
    group: str = ""  # questions that share a text, a source or an event have one group
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """The truth of a question, for the grader alone."""

    id: str
    truth: str
    accepted: tuple[str, ...] = ()  # other forms of it that are right too, for the kind ``text``
    tolerance: float = 0.0  # how far off a number may be
    relative: float = RELATIVE  # the same as a share of the truth; the larger room counts


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """Questions, and their keys in the same order."""

    questions: tuple[Question, ...]
    keys: tuple[Key, ...]

    @property
    def hashes(self) -> tuple[str, str]:
        """The SHA-256 of all questions and of all keys."""
        lines = msgspec.json.Encoder().encode_lines
        return digest(lines(self.questions).decode()), digest(lines(self.keys).decode())

    def only(self, ids: Iterable[str]) -> "DataSet":
        """Some of the questions, with their keys."""
        chosen = frozenset(ids)
        return DataSet(
            questions=tuple(question for question in self.questions if question.id in chosen),
            keys=tuple(key for key in self.keys if key.id in chosen),
        )


def tagged(tags: Mapping[str, Sequence[str]], tag: str) -> set[str]:
    """The ids of the questions with a tag, by the tags of each.

    Raises:
        BriefError: no question has it.
    """
    if chosen := {name for name, own in tags.items() if tag in own}:
        return chosen
    known = sorted({word for own in tags.values() for word in own})
    there = f"there are {listed(known)}" if len(known) <= 20 else f"there are {len(known)} others"
    raise BriefError(f"no question has the tag {tag[:60]!r}; {there if known else 'none has any'}", code="bad_enum")


# ---- from files to lines ---------------------------------------------------------------------------------------------


def read_data_set(path: Path) -> DataSet:
    """Read questions with their answers from a file, or a folder of briefs.

    Raises:
        FaultyData: it is no such file, or lines of it are wrong.
    """
    name = path.name
    if path.is_dir():
        none = f"{path}: no brief NAME.md with answer: in its header, so the folder"
        return _part(_briefs(path), name=none, folder=path)
    if not path.exists():
        raise FaultyData([f"there is no file or folder {name!r}"])
    read = {".jsonl": _json_lines, ".csv": _csv_lines}.get(path.suffix.lower())
    if read is None:
        kinds = "its name ends with .jsonl or .csv, or it is a folder of briefs"
        raise FaultyData([f"{name} is no file of questions: {kinds}"])
    try:
        return _part(read(path.read_bytes().decode("utf-8-sig"), name), name=name, folder=path.parent)
    except UnicodeDecodeError:
        raise FaultyData([f"{name} cannot be read: it is not UTF-8; save it as UTF-8"]) from None
    except (OSError, csv.Error) as error:
        raise FaultyData([f"{name} cannot be read: {error}"]) from None


def _json_lines(text: str, name: str) -> Places:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                value: object = json.loads(line)
            except (ValueError, RecursionError):
                yield f"{name}:{number}", "this is not JSON", ()
                continue
            fields = cast("Mapping[str, object]", value) if isinstance(value, dict) else "this is not a JSON object"
            yield f"{name}:{number}", fields, ()


def _csv_lines(text: str, name: str) -> Places:
    csv.field_size_limit(LONGEST_CELL)
    heads = text.partition("\n")[0]
    delimiter = "," if "," in heads else next((sign for sign in ";\t" if sign in heads), ",")
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    if twice := [head for head, times in Counter(reader.fieldnames or ()).items() if times > 1]:
        raise FaultyData([f"{name}: the column {twice[0]!r} is there twice"])
    start = reader.line_num + 1
    for row in reader:
        number, start = start, reader.line_num + 1  # a value may have several lines
        fields: dict[str, object] = {}
        for head, value in cast("Mapping[str | None, str | None]", row).items():
            if head is not None and value:
                values = [item.strip() for item in value.split("|")]
                fields[head] = values if ALIASES.get(head, head) in LISTS else value
        yield f"{name}:{number}", "there are more values than column names" if None in row else fields, ()


_HEADER: Final = re.compile(r"\A---\s*\n(.*?)^---\s*$", re.DOTALL | re.MULTILINE)
_OWN: Final = re.compile(r"^(answer|kind|tolerance|group):[ \t]*(.*)$", re.MULTILINE)
"""Keys of a header that belong to the data set and not to the brief."""


def _briefs(folder: Path) -> Places:
    """The fields of each brief; its answer is taken out before anything else reads it."""
    for path in sorted(folder.glob("*.md")):
        try:
            text = path.read_text("utf-8-sig")
            header = _HEADER.match(text)
            own = {key: value.strip().strip("\"'") for key, value in _OWN.findall(header[1])} if header else {}
            if "answer" in own:
                bare = _HEADER.sub(lambda match: _OWN.sub("", match[0]), text, count=1)
                brief = read_brief(bare, name=path.name, folder=folder).brief
                own |= {"id": path.stem, "input": brief.topic, "truth": own.pop("answer")}
                yield path.name, {"options": list(brief.options), **own}, brief.background
            elif path.name != "README.md":
                yield path.name, "answer is missing: write answer: in the header", ()
        except BriefError as error:
            yield path.name, error.found, ()
        except (OSError, UnicodeDecodeError) as error:
            yield path.name, f"the file cannot be read: {error}", ()


# ---- from lines to questions and keys --------------------------------------------------------------------------------


def _part(lines: Places, *, name: str, folder: Path) -> DataSet:
    """Part lines into questions and keys; ``folder`` has the documents that they name."""
    faults: dict[str, str] = {}  # by the sentence without its place: a wrong column is wrong in every line
    pairs: list[tuple[Question, Key]] = []
    places: dict[tuple[str, str], str] = {}
    for place, line, documents in lines:
        try:
            question, key = _question(line, documents, folder)
            # What is put in a prompt: two questions with the same are one.
            shown = [" ".join(question.input.split()), question.options, [item.text for item in question.documents]]
            for what, value in (("id", question.id), ("input", json.dumps(shown))):
                if (before := places.setdefault((what, value), place)) is not place:
                    number = before.rpartition(":")[2]
                    raise ValueError(f"{f'line {number}' if number.isdecimal() else before} already has this {what}")
            pairs.append((question, key))
        except (ValueError, BriefError) as error:
            sentence = error.found if isinstance(error, BriefError) else str(error)
            once = sentence if sentence.startswith("unknown field") else f"{place}: {sentence}"
            faults.setdefault(once, f"{place}: {sentence}")
    if faults or not pairs:
        raise FaultyData(list(faults.values()) or [f"{name} has no questions"])
    return DataSet(questions=tuple(question for question, _ in pairs), keys=tuple(key for _, key in pairs))


def _question(line: Line, documents: tuple[Source, ...], folder: Path) -> tuple[Question, Key]:
    """The question and the key of a line; its documents are read already, or those that it names are."""
    if isinstance(line, str):
        raise ValueError(line)
    if twice := next((pair for pair in ALIASES.items() if set(pair) <= set(line)), None):
        raise ValueError(f"{listed(twice)} are one field")
    fields = {ALIASES.get(name, name): value for name, value in line.items()}
    if unknown := next((name for name in fields if name not in FIELDS), ""):
        raise ValueError(f"unknown field {shorten(unknown, 60)!r}; {unknown_word(unknown, FIELDS)}")
    texts = {name: _texts(name, value) for name, value in fields.items()}
    plain = {name: "".join(texts.get(name, ())) for name in FIELDS if name not in LISTS}
    words, (truth, *accepted) = plain["input"], texts.get("truth") or ("",)
    accepted += texts.get("accepted", ())
    if not words or not truth:
        raise ValueError(f"{'truth' if words else 'input'} is missing")
    options = texts.get("options", ())
    if options and not OPTIONS.low <= len(options) <= OPTIONS.high:
        raise ValueError(f"there must be {OPTIONS.low} to {OPTIONS.high} options, not {len(options)}")
    by_form: dict[str, str] = {}
    for option in options:
        if (other := by_form.setdefault(normal_text(option), option)) is not option:
            raise ValueError(f"two options are the same: {other!r} and {option!r}")
    usual = "option" if options else "text" if accepted or not PLAIN_NUMBER.fullmatch(truth) else "number"
    kind, truth = _kind(plain["kind"] or usual, truth, options)
    if accepted and kind != "text":
        raise ValueError(f"several accepted answers are for the kind text, not {kind}")
    name = plain["id"] or (words if len(words) <= LONGEST_ID else f"{words[:60]}… {digest(words)[:12]}")
    question = Question(
        id=name,
        input=words,
        kind=kind,
        options=options,
        documents=documents or read_files(texts.get("documents", ()), folder),
        group=plain["group"],
        tags=texts.get("tags", ()),
    )
    tolerance = plain["tolerance"]  # 0.5 as it is, 2% as a share of the truth
    try:
        room = float(tolerance.removesuffix("%") or "0")
    except ValueError:
        room = math.nan
    if not 0 <= room < math.inf:
        raise ValueError(f"tolerance must be a number from 0 on, such as 0.5 or 2%, not {shorten(tolerance, 60)!r}")
    absolute, relative = (0.0, room / 100) if tolerance.endswith("%") else (room, RELATIVE)
    return question, Key(id=name, truth=truth, accepted=tuple(accepted), tolerance=absolute, relative=relative)


def _kind(kind: str, truth: str, options: Sequence[str]) -> tuple[Kind, str]:
    """The kind of a question, checked, with its truth as it is compared."""
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


def _texts(name: str, value: object) -> tuple[str, ...]:
    """The texts of a field. A number or a truth value of JSON is written as it stands there."""
    if name in LISTS and not isinstance(value, list | None):
        raise ValueError(f"{name} is not a list")
    several = isinstance(value, list) and name in (*LISTS, "truth")
    texts: list[str] = []
    for item in cast("list[object]", value if several else [value]):
        if isinstance(item, float) and not math.isfinite(item):
            raise ValueError(f"{name} is not a number: {item}")
        if not isinstance(item, str | int | float | None):
            raise ValueError(f"{name} is not a text")
        texts.append(clean(item or "").strip() if isinstance(item, str | None) else json.dumps(item))
        if several and name == "options" and not texts[-1]:
            raise ValueError("an option is empty")
    return tuple(filter(None, texts))
