"""Read files of questions: JSON lines, CSV, Parquet, logs of Inspect, and folders of briefs or of Hugging Face.

Logs are read by the fields that Inspect documents (``EvalSample``: id, epoch, input, choices, target, metadata), so the
package itself is not needed. Of several epochs the first counts, for it has the same question and target.
"""

import csv
import io
import json
import re
import struct
import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from glob import escape
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from folkmoot.app.brief.reader import read_brief
from folkmoot.app.questions.data_sets import (
    ALIASES,
    KEYS_FILE,
    LISTS,
    QUESTIONS_FILE,
    DataSet,
    FaultyData,
    Line,
    part,
)
from folkmoot.app.questions.quantities import RELATIVE
from folkmoot.app.questions.whole_files import LONGEST_CELL
from folkmoot.core.brief import Source
from folkmoot.core.errors import BriefError
from folkmoot.core.packages import missing_library
from folkmoot.core.text import listed

Places = Iterator[tuple[str, Line]]


def read_data_set(path: Path) -> DataSet:
    """Read questions with their answers.

    Args:
        path: a file, or a folder of briefs.

    Raises:
        FaultyData: it is no such file, or lines of it are wrong.
    """
    if path.is_dir():
        return part(_folder_lines(path), name=path.name, folder=path)
    return part(_file_lines(path), name=path.name, folder=path.parent)


def _file_lines(path: Path) -> list[tuple[str, Line]]:
    """The lines of one file.

    Raises:
        FaultyData: it is no such file, or cannot be read.
    """
    read = READERS.get(path.suffix.lower())
    if read is None and not path.exists():
        raise FaultyData([f"there is no file or folder {path.name!r}"])
    if read is None:
        raise FaultyData(
            [
                f"{path.name}: a data set is a folder of briefs or of Hugging Face, or its name ends with "
                f"{' or '.join(READERS)}"
            ]
        )
    try:
        return list(read(path.read_bytes(), path.name))
    except UnicodeDecodeError:
        raise FaultyData([f"{path.name} cannot be read: it is not UTF-8; save it as UTF-8"]) from None
    except (OSError, zipfile.BadZipFile, csv.Error, RuntimeError) as error:
        raise FaultyData([f"{path.name} cannot be read: {error}"]) from None


def _folder_lines(folder: Path) -> Iterable[tuple[str, Line]]:
    """The lines of a folder: the data files of Hugging Face where there are some, else briefs.

    Raises:
        FaultyData: its card or a file cannot be read.
    """
    configs = _configs(folder)
    if {"questions", "keys"} <= set(configs) or _has_run_here(folder):
        return _with_keys(_file_lines(folder / QUESTIONS_FILE), _file_lines(folder / KEYS_FILE))
    if configs:
        return [line for path in _data_files(folder, configs) for line in _file_lines(path)]
    return _briefs(folder)


def _json_lines(data: bytes, name: str) -> Places:
    for number, text in enumerate(data.decode("utf-8-sig").split("\n"), 1):
        if not text.strip():
            continue
        try:
            value: object = json.loads(text)
        except (ValueError, RecursionError):
            yield f"{name}:{number}", "this is not JSON"
            continue
        line = cast("Mapping[str, object]", value) if isinstance(value, dict) else "this is not a JSON object"
        yield f"{name}:{number}", line


def _csv_lines(data: bytes, name: str) -> Places:
    text = data.decode("utf-8-sig")
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=_delimiter(text))
    _check_heads(reader.fieldnames or (), name)
    start = reader.line_num + 1
    for row in reader:
        number, start = start, reader.line_num + 1
        fields: dict[str, object] = {}
        for head, value in cast("Mapping[str | None, str | None]", row).items():
            if head is not None and value:
                values = [item.strip() for item in value.split("|")]
                fields[head] = values if ALIASES.get(head, head) in LISTS else value
        yield f"{name}:{number}", "there are more values than column names" if None in row else fields


def _delimiter(text: str) -> str:
    """What parts the cells: a comma; or a semicolon or a tab where the heads have no comma."""
    heads = text.partition("\n")[0]
    return "," if "," in heads else next((sign for sign in ";\t" if sign in heads), ",")


def _check_heads(heads: Sequence[str], name: str) -> None:
    """Refuse two columns of one name.

    Raises:
        FaultyData: one of them would be lost.
    """
    if twice := [head for head, times in Counter(heads).items() if times > 1]:
        raise FaultyData([f"{name}: the column {twice[0]!r} stands twice"])


def _parquet(data: bytes, name: str) -> Places:
    try:
        library = import_module("pyarrow.parquet")
    except ImportError:
        raise FaultyData([missing_library(f"The Parquet file {name}", "parquet")]) from None
    try:
        table = library.ParquetFile(io.BytesIO(data)).read()
        _check_heads(table.column_names, name)
        rows = cast("list[dict[str, object]]", table.to_pylist())
    except (ValueError, OSError, RuntimeError, TypeError, KeyError) as error:  # each is a base of an error of pyarrow
        raise FaultyData([f"{name} cannot be read: {error}"]) from None
    for number, row in enumerate(rows, 1):
        yield f"{name}:{number}", {head: value for head, value in row.items() if value is not None and value == value}


# ---- folders of Hugging Face -----------------------------------------------------------------------------------------

CARD: Final = "README.md"
SPLITS: Final = ("test", "validation", "train")
"""The parts of a data set, the one to be judged on first."""

_Files: TypeAlias = Mapping[str, Sequence[str]]
"""The patterns of the files of each part of a data set; "" for the only one."""


def _has_run_here(folder: Path) -> bool:
    """Whether an evaluation has left its questions and keys in a folder."""
    return (folder / QUESTIONS_FILE).is_file() and (folder / KEYS_FILE).is_file()


def _configs(folder: Path) -> Mapping[str, _Files]:
    """The data sets that the card of a folder names; without a card the data files that lie beside no brief.

    Raises:
        FaultyData: the card cannot be read.
    """
    card = folder / CARD
    try:
        header = _HEADER.match(card.read_text("utf-8-sig")) if card.is_file() else None
        yaml = cast("Any", YAML(typ="safe", pure=True))
        head = _object(yaml.load(header[1])) if header else _object(None)
    except (OSError, UnicodeDecodeError, YAMLError) as error:
        raise FaultyData([f"{CARD} cannot be read: {str(error).splitlines()[0]}"]) from None
    configs = [_object(item) for item in _list(head.get("configs"))]
    if configs:
        named = {str(item.get("config_name", "default")): _patterns(item.get("data_files")) for item in configs}
        first = [str(item.get("config_name", "default")) for item in configs if item.get("default") is True]
        return {first[0]: named[first[0]]} if first else named
    data = sorted(path.name for path in folder.iterdir() if path.suffix in (".jsonl", ".csv", ".parquet"))
    if not data or any(path.name != CARD for path in folder.glob("*.md")):
        return {}
    return {"default": _by_split(data)}


def _by_split(names: Sequence[str]) -> _Files:
    """Files by the part that their names begin with (``test-00000-of-00001.parquet``); "" for any other name."""
    files: dict[str, list[str]] = {}
    for name in names:
        files.setdefault(next((split for split in SPLITS if name.startswith(split)), ""), []).append(escape(name))
    return files


def _patterns(data_files: object) -> _Files:
    """``data_files`` of a card: a pattern, several, or some for each part."""
    items = _list(data_files) or [data_files]
    files: dict[str, list[str]] = {}
    for item in items:
        part_of = _object(item)
        paths = part_of.get("path") if part_of else item
        names = [str(path) for path in (_list(paths) or [paths]) if path is not None]
        files.setdefault(str(part_of.get("split", "")), []).extend(names)
    return files


def _data_files(folder: Path, configs: Mapping[str, _Files]) -> list[Path]:
    """The files of the only data set, or of the default one: of the part that is there to be judged on.

    Raises:
        FaultyData: it is not clear which, or a file is missing or not in the folder.
    """
    if len(configs) > 1 and "default" not in configs:
        raise FaultyData([f"{folder.name} has several data sets, {listed(list(configs))}: name the file of one"])
    files = configs.get("default") or next(iter(configs.values()))
    split = next((split for split in ("", *SPLITS) if split in files), "")
    paths: list[Path] = []
    for pattern in files.get(split, next(iter(files.values()), ())):
        if "://" in pattern or Path(pattern).is_absolute() or ".." in Path(pattern).parts or not pattern:
            raise FaultyData([f"{CARD}: {pattern[:80]!r} is no file of this folder"])
        named = sorted(folder.glob(pattern))
        if not named:
            raise FaultyData([f"{CARD}: the folder has no file {pattern[:80]!r}"])
        paths += named
    if not paths:
        raise FaultyData([f"{CARD} names no data files"])
    return paths


def _with_keys(questions: Iterable[tuple[str, Line]], keys: Iterable[tuple[str, Line]]) -> Places:
    """Questions of an evaluation or of its export, each with the key that lies in a file of its own."""
    known: dict[object, Mapping[str, object]] = {}
    for place, key in keys:
        if isinstance(key, str):
            yield place, key
        else:
            known[key.get("id")] = key
    for place, line in questions:
        key = _object(None if isinstance(line, str) else known.get(line.get("id")))
        own = {name: key[name] for name in ("truth", "accepted", "tolerance") if name in key}
        share = key.get("relative")
        if isinstance(share, float) and share != RELATIVE:
            own["tolerance"] = f"{round(100 * share, 12)!r}%"
        yield place, line if isinstance(line, str) else {**line, **own}


# ---- briefs ----------------------------------------------------------------------------------------------------------

_HEADER: Final = re.compile(r"\A---\s*\n(.*?)^---\s*$", re.DOTALL | re.MULTILINE)
_OWN: Final = re.compile(r"^(answer|kind|tolerance|group|split|known_since):[ \t]*(.*)$", re.MULTILINE)
"""Keys of a header that belong to the data set and not to the brief."""


def _briefs(folder: Path) -> Places:
    for path in sorted(folder.glob("*.md")):
        try:
            line = _brief(path)
            if path.name != CARD or not isinstance(line, str):
                yield path.name, line
        except BriefError as error:
            yield path.name, error.found
        except (OSError, UnicodeDecodeError) as error:
            yield path.name, f"the file cannot be read: {error}"


def _brief(path: Path) -> Line:
    """The fields of a brief; its answer is taken out before anything else reads it.

    Raises:
        BriefError: it is no brief.
    """
    text = path.read_text("utf-8-sig")
    header = _HEADER.match(text)
    own = {key: value.strip().strip("\"'") for key, value in _OWN.findall(header[1])} if header else {}
    if "answer" not in own:
        return "answer is missing: write answer: in the header"
    bare = _HEADER.sub(lambda match: _OWN.sub("", match[0]), text, count=1)
    brief = read_brief(bare, name=path.name, folder=path.parent).brief
    options = {"options": list(brief.options)} if brief.options else {}
    own["truth"] = own.pop("answer")
    return {"id": path.stem, "input": brief.topic, "documents": list(brief.background), **options, **own}


# ---- logs of Inspect -------------------------------------------------------------------------------------------------


FROM_METADATA = ("group", "kind", "tolerance", "split", "known_since", "tags")
"""Fields of a question that the metadata of a sample may have."""


def _inspect_json(data: bytes, name: str) -> Places:
    yield from _samples([(name, data)], name)


def _inspect_zip(data: bytes, name: str) -> Places:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [item for item in archive.namelist() if item.startswith("samples/") and item.endswith(".json")]
        yield from _samples([(f"{name}/{item}", _member(archive, data, item)) for item in sorted(names)], name)


ZSTANDARD: Final = 93
"""The number by which ZIP knows Zstandard, with which Inspect compresses its logs; Python reads it from 3.14 on."""

NO_ZSTANDARD: Final = (
    "Inspect has compressed this log with Zstandard, which needs a library that is not installed: pip install zstandard"
)


def _member(archive: zipfile.ZipFile, data: bytes, item: str) -> bytes:
    """The content of one file of an archive.

    Raises:
        FaultyData: it needs a library that is not installed, or is spoiled.
    """
    entry = archive.getinfo(item)
    if entry.compress_type != ZSTANDARD or sys.version_info >= (3, 14):
        return archive.read(item)
    try:
        library = import_module("zstandard")
    except ImportError:
        raise FaultyData([NO_ZSTANDARD]) from None
    names = sum(struct.unpack_from("<HH", data, entry.header_offset + 26))
    start = entry.header_offset + 30 + names
    packed = io.BytesIO(data[start : start + entry.compress_size])
    try:
        content = library.ZstdDecompressor().stream_reader(packed, read_across_frames=True).read()
    except library.ZstdError as error:
        raise FaultyData([f"{item} cannot be read: {error}"]) from None
    if zlib.crc32(content) != entry.CRC:
        raise FaultyData([f"{item} cannot be read: it is spoiled"])
    return content


def _samples(files: Iterable[tuple[str, bytes]], name: str) -> Places:
    """The samples of a log: all in one file, or each in a file of its own."""
    for place, data in files:
        try:
            value: object = json.loads(data)
        except (ValueError, RecursionError):
            raise FaultyData([f"{place} is not JSON"]) from None
        content = _object(value)
        inner = content.get("samples", [content] if "input" in content else None)
        if not isinstance(inner, list):
            raise FaultyData([f"{name} is not a log of Inspect: it has no samples"])
        for sample in map(_object, cast("list[object]", inner)):
            if sample.get("epoch", 1) == 1:
                yield f"{name}: sample {sample.get('id')}", _sample(sample)


def _sample(sample: Mapping[str, object]) -> Line:
    data, target = _object(sample.get("metadata")), sample.get("target")
    options = [str(item) for item in _list(sample.get("choices"))]
    targets = [str(item) for item in _list(target) or [target]]
    fields: dict[str, object] = {"id": str(sample.get("id")), "input": _words(sample.get("input"))}
    fields |= {name: data[name] for name in FROM_METADATA if name in data}
    if documents := [Source(name=str(item.get("name")), text=str(item.get("text"))) for item in _documents(data)]:
        fields["documents"] = documents
    if not options:
        return {**fields, "truth": targets}
    if len(targets) != 1:
        return f"{len(targets)} of the choices are right; folkmoot eval takes one"
    return {**fields, "options": options, "truth": _choice(targets[0], options)}


def _documents(data: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """The documents that an exported evaluation has in the metadata of its samples."""
    yield from (item for item in map(_object, _list(data.get("documents"))) if "name" in item and "text" in item)


def _object(value: object) -> Mapping[str, object]:
    """An object of JSON; an empty one for anything else."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    """A list of JSON; an empty one for anything else."""
    return cast("list[object]", value) if isinstance(value, list) else []


def _choice(target: str, options: list[str]) -> str:
    """The option that a target means: ``B`` is the second one."""
    at = ord(target) - ord("A") if len(target) == 1 and target not in options else -1
    return options[at] if 0 <= at < len(options) else target


def _words(content: object) -> str:
    """The text of an input: a text, or the messages of a user."""
    if isinstance(content, str):
        return content
    entries = [entry for entry in map(_object, _list(content)) if entry.get("role", "user") == "user"]
    parts = [str(entry["text"]) if "text" in entry else _words(entry.get("content")) for entry in entries]
    return "\n\n".join(filter(None, parts))


READERS: Final[Mapping[str, Callable[[bytes, str], Places]]] = {
    ".jsonl": _json_lines,
    ".csv": _csv_lines,
    ".parquet": _parquet,
    ".json": _inspect_json,
    ".eval": _inspect_zip,
}
"""What reads a file, by the ending of its name."""
