"""Many right answers from a file: CSV with the columns ``debate`` and ``answer``, or one JSON object on each line."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from folkmoot.app.export.learned import Resolved, check_truth, resolve
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import BriefError, FolkmootError

COLUMNS = ("debate", "answer")
MOST_BYTES = 10_000_000
"""The largest file."""


class FaultyTruths(BriefError):
    """A file of right answers of which some cannot be booked.

    Args:
        faults: what is wrong, a sentence for each line.
    """

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """The right answer of one debate.

    Attributes:
        debate: its id, or the beginning of it.
        answer: what was right.
        where: the place that errors name: ``truths.csv:3``.
    """

    debate: str
    answer: str
    where: str


def read_truths(path: Path) -> tuple[Truth, ...]:
    """The right answers in a file; lines of JSON if its name ends with ``.jsonl``, else CSV.

    Raises:
        BriefError: there is no such file, or it cannot be read.
        FaultyTruths: lines in it that are none.
    """
    try:
        raw = path.read_bytes()
        text = raw.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise BriefError(f"{path}: cannot be read: {reason}", code="unreadable") from error
    if len(raw) > MOST_BYTES:
        raise BriefError(f"{path}: {len(raw)} bytes are too many; at most {MOST_BYTES}", code="too_large")
    rows = list(_json_rows(text) if path.suffix == ".jsonl" else _csv_rows(path, text))
    truths = [_truth(f"{path.name}:{number}", row) for number, row in rows]
    if faults := tuple(item for item in truths if isinstance(item, str)):
        raise FaultyTruths(faults)
    if not truths:
        raise BriefError(f"{path}: the file has no answers", code="empty")
    return tuple(item for item in truths if isinstance(item, Truth))


def _csv_rows(path: Path, text: str) -> Iterator[tuple[int, object]]:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    if missing := [name for name in COLUMNS if name not in (reader.fieldnames or ())]:
        problem = f"{path}: there is no column {missing[0]!r}; the first line must name {' and '.join(COLUMNS)}"
        raise BriefError(problem, code="missing_column")
    for row in reader:
        yield reader.line_num, row


def _json_rows(text: str) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except ValueError:
                yield number, None


def _truth(where: str, row: object) -> Truth | str:
    """What a line says, or what is wrong with it."""
    if not isinstance(row, Mapping):
        return f"{where}: this is not a JSON object with {' and '.join(COLUMNS)}"
    fields = cast("Mapping[str, object]", row)
    for name in COLUMNS:
        value = fields.get(name)
        if isinstance(value, bool) or not isinstance(value, str | int | float) or not str(value).strip():
            return f"{where}: there is no {name}"
    return Truth(debate=str(fields["debate"]).strip(), answer=str(fields["answer"]).strip(), where=where)


async def resolve_all(
    workspace: Workspace, truths: tuple[Truth, ...], *, anyway: bool = False
) -> tuple[tuple[str, Truth, Resolved], ...]:
    """Say what was right in many closed debates; nothing is booked if one of them cannot be.

    Returns:
        For each the id of the debate, what was said, and what follows.

    Raises:
        FaultyTruths: debates that there are not or that are not over, answers that are no option.
        RecordError: the store cannot be written.
    """
    named: list[tuple[str, Truth]] = []
    faults: list[str] = []
    for truth in truths:
        try:
            debate = await workspace.find(truth.debate)
            await check_truth(workspace, debate, truth.answer, anyway=anyway)
            named.append((debate, truth))
        except FolkmootError as error:
            faults.append(f"{truth.where}: {error}")
    if faults:
        raise FaultyTruths(tuple(faults))
    return tuple(
        [(debate, truth, await resolve(workspace, debate, truth.answer, anyway=anyway)) for debate, truth in named]
    )
