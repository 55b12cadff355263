"""Read files of questions: JSON lines, CSV, Parquet, a folder of briefs with ``answer:``, and logs of Inspect.

Logs are read by the fields that Inspect documents (``EvalSample``: id, epoch, input, choices, target, metadata), so the
package itself is not needed. Of several epochs the first counts, for it has the same question and target.
"""

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Final, cast

from moot.app.brief.reader import read_brief
from moot.app.evaluation.data_sets import ALIASES, LISTS, DataSet, FaultyData, Line, part
from moot.core.brief import Source
from moot.core.errors import BriefError

Places = Iterator[tuple[str, Line]]


def read_data_set(path: Path) -> DataSet:
    """Read questions with their answers.

    Args:
        path: a file, or a folder of briefs.

    Raises:
        FaultyData: it is no such file, or lines of it are wrong.
    """
    if path.is_dir():
        return part(_briefs(path), name=path.name, folder=path)
    if path.suffix not in READERS:
        raise FaultyData(
            [f"{path.name}: a data set is a folder of briefs, or its name ends with {' or '.join(READERS)}"]
        )
    try:
        data = path.read_bytes()
        lines = list(READERS[path.suffix](data, path.name))
    except (OSError, UnicodeDecodeError, zipfile.BadZipFile, csv.Error, RuntimeError) as error:
        raise FaultyData([f"{path.name} cannot be read: {error}"]) from None
    return part(lines, name=path.name, folder=path.parent)


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
    reader = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    start = reader.line_num + 2
    for row in reader:
        number, start = start, reader.line_num + 1
        fields: dict[str, object] = {}
        for head, value in cast("Mapping[str | None, str | None]", row).items():
            if head is not None and value:
                values = [item.strip() for item in value.split("|")]
                fields[head] = values if ALIASES.get(head, head) in LISTS else value
        yield f"{name}:{number}", "there are more values than column names" if None in row else fields


def _parquet(data: bytes, name: str) -> Places:
    try:
        table = import_module("pyarrow.parquet")
    except ImportError:
        raise FaultyData([f"{name}: Parquet files need the package pyarrow: pip install pyarrow"]) from None
    try:
        rows = cast("list[dict[str, object]]", table.read_table(io.BytesIO(data)).to_pylist())
    except (ValueError, OSError) as error:  # what pyarrow raises for a damaged file is one of these
        raise FaultyData([f"{name} cannot be read: {error}"]) from None
    for number, row in enumerate(rows, 1):
        yield f"{name}:{number}", {head: value for head, value in row.items() if value is not None}


# ---- briefs ----------------------------------------------------------------------------------------------------------

_HEADER: Final = re.compile(r"\A---\s*\n(.*?)^---\s*$", re.DOTALL | re.MULTILINE)
_OWN: Final = re.compile(r"^(answer|kind|tolerance|group|split|known_since):[ \t]*(.*)$", re.MULTILINE)
"""Keys of a header that belong to the data set and not to the brief."""


def _briefs(folder: Path) -> Places:
    for path in sorted(folder.glob("*.md")):
        try:
            yield path.name, _brief(path)
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
        yield from _samples([(f"{name}/{item}", archive.read(item)) for item in sorted(names)], name)


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
        return f"{len(targets)} of the choices are right; moot eval takes one"
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
