"""Read files of questions: JSON lines, CSV, and folders of briefs with ``answer:`` in the header."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias, cast

from folkmoot.app.brief.reader import read_brief
from folkmoot.app.questions.data_sets import ALIASES, LISTS, DataSet, FaultyData, Line, part
from folkmoot.core.errors import BriefError

Places: TypeAlias = Iterator[tuple[str, Line]]

LONGEST_CELL = 2**31 - 1
"""Characters; Python's own limit is 131,072, and documents may be longer."""


def read_data_set(path: Path) -> DataSet:
    """Read questions with their answers.

    Args:
        path: a file, or a folder of briefs.

    Raises:
        FaultyData: it is no such file, or lines of it are wrong.
    """
    if path.is_dir():
        return part(
            _briefs(path), name=f"{path}: no brief NAME.md with answer: in its header, so the folder", folder=path
        )
    if not path.exists():
        raise FaultyData([f"there is no file or folder {path.name!r}"])
    read = {".jsonl": _json_lines, ".csv": _csv_lines}.get(path.suffix.lower())
    if read is None:
        kinds = "its name ends with .jsonl or .csv, or it is a folder of briefs"
        raise FaultyData([f"{path.name} is no file of questions: {kinds}"])
    try:
        lines = list(read(path.read_bytes().decode("utf-8-sig"), path.name))
    except UnicodeDecodeError:
        raise FaultyData([f"{path.name} cannot be read: it is not UTF-8; save it as UTF-8"]) from None
    except (OSError, csv.Error) as error:
        raise FaultyData([f"{path.name} cannot be read: {error}"]) from None
    return part(lines, name=path.name, folder=path.parent)


def _json_lines(text: str, name: str) -> Places:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value: object = json.loads(line)
        except (ValueError, RecursionError):
            yield f"{name}:{number}", "this is not JSON"
            continue
        fields = cast("Mapping[str, object]", value) if isinstance(value, dict) else "this is not a JSON object"
        yield f"{name}:{number}", fields


def _csv_lines(text: str, name: str) -> Places:
    csv.field_size_limit(LONGEST_CELL)
    heads = text.partition("\n")[0]
    delimiter = "," if "," in heads else next((sign for sign in ";\t" if sign in heads), ",")
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    if twice := [head for head, times in Counter(reader.fieldnames or ()).items() if times > 1]:
        raise FaultyData([f"{name}: the column {twice[0]!r} stands twice"])
    start = reader.line_num + 1
    for row in reader:
        number, start = start, reader.line_num + 1
        fields: dict[str, object] = {}
        for head, value in cast("Mapping[str | None, str | None]", row).items():
            if head is not None and value:
                values = [item.strip() for item in value.split("|")]
                fields[head] = values if ALIASES.get(head, head) in LISTS else value
        yield f"{name}:{number}", "there are more values than column names" if None in row else fields


# ---- briefs ----------------------------------------------------------------------------------------------------------

_HEADER: Final = re.compile(r"\A---\s*\n(.*?)^---\s*$", re.DOTALL | re.MULTILINE)
_OWN: Final = re.compile(r"^(answer|kind|tolerance|group):[ \t]*(.*)$", re.MULTILINE)
"""Keys of a header that belong to the data set and not to the brief."""

CARD: Final = "README.md"


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
