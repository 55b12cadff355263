"""Plan a batch: read briefs and JSON lines, and give each debate of the batch an id of its own.

A faulty line of JSON is one error with its line number. The id follows from the batch's name, from what is debated and
from the number of the repeat, so the same command finds the debates that it started before. Limits are no part of the
id: a debate that a limit has paused continues when the limit is raised.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, cast

from folkmoot.app.brief.presets import Preset
from folkmoot.app.brief.reader import MOST_BYTES, ParsedBrief, Settings, read_settings, read_words, with_preset
from folkmoot.app.brief.values import LocatedValue
from folkmoot.app.plan.checks import check_number
from folkmoot.app.run.prepare import LimitOverrides, Overrides
from folkmoot.core.brief import SEED, Limits
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Entry, Opened
from folkmoot.core.text import slug
from folkmoot.record.sqlite import is_open
from folkmoot.record.store import digest, encode

MOST = 10_000
"""The most debates of a batch."""

STEP = 0x9E3779B1
"""What the seeds of two repeats lie apart; it is odd, so no two of a batch are the same."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")


class FaultyBatch(BriefError):
    """A batch that cannot run.

    Args:
        faults: what is wrong, a sentence for each brief and line.
    """

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchItem:
    """One brief of a batch.

    Attributes:
        name: what tables call it.
        parsed: the brief, as it was read.
        overrides: what is wanted otherwise.
        key: the hash of both, limits left out, and of the id that its line gives it.
        where: the place that errors name, ``questions.jsonl:3``; "" where the brief names its own.
    """

    name: str
    parsed: ParsedBrief
    overrides: Overrides
    key: str
    where: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """One debate of a batch: the brief, the number of the repeat from 1, its seed, and the debate's id."""

    item: BatchItem
    number: int
    seed: int
    debate: str

    @property
    def overrides(self) -> Overrides:
        """The settings that replace those of the brief, with the seed."""
        return replace(self.item.overrides, seed=self.seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The debates of a batch: each brief, repeated a number of times."""

    name: str
    items: tuple[BatchItem, ...]
    times: int = 1

    def __len__(self) -> int:
        return len(self.items) * self.times

    def __iter__(self) -> Iterator[Repeat]:
        """The debates: the first of each brief, then the second of each, and so on."""
        for number in range(1, self.times + 1):
            for item in self.items:
                seed = item.parsed.brief.seed if item.overrides.seed is None else item.overrides.seed
                yield Repeat(item=item, number=number, seed=seed_of(seed, number), debate=self._id(item, number))

    def _id(self, item: BatchItem, number: int) -> str:
        own = digest(f"{self.name} {item.key} {number}")[:12]
        # The name's hash keeps the debates of ``hiring`` and ``hiring-2`` apart where ids are chosen by their beginning.
        return f"batch-{slug(self.name, 40).removeprefix('batch-')}-{digest(self.name)[:6]}-{own}"


def seed_of(seed: int, number: int) -> int:
    """The seed of a repeat: the brief's own for the first, derived seeds for the others."""
    return seed if number == 1 else (seed + (number - 1) * STEP) % (SEED.high + 1)


def make_batch(items: Sequence[BatchItem], *, times: int = 1, name: str = "") -> Batch:
    """A batch of these briefs.

    Args:
        items: the briefs.
        times: how often each is held.
        name: the batch's name; "" for one that follows from the briefs, in whatever order they stand.

    Raises:
        BriefError: a name that cannot be, no brief at all, or too many debates.
    """
    if name and not _NAME.fullmatch(name):
        raise BriefError(f"a batch cannot be named {name[:60]!r}; use 1 to 40 letters, digits, . - and _")
    if not items:
        raise BriefError("the batch has no brief", code="missing_topic")
    if len(items) * times > MOST:
        raise BriefError(
            f"the batch has {len(items) * times:,} debates; at most {MOST:,} are allowed", code="too_large"
        )
    items = tuple(_with_distinct_names(items))
    name = name or f"batch-{digest(' '.join(sorted(item.key for item in items)))[:8]}"
    return Batch(name=name, items=items, times=times)


def _with_distinct_names(items: Sequence[BatchItem]) -> Iterator[BatchItem]:
    """The items with distinct names and keys, so that an item that appears twice runs twice."""
    names, keys = Counter[str](), Counter[str]()
    for item in items:
        names[item.name] += 1
        keys[item.key] += 1
        if (n := names[item.name]) > 1:
            item = replace(item, name=f"{item.name} ({n})")
        yield item if keys[item.key] == 1 else replace(item, key=digest(f"{item.key} {keys[item.key]}"))


def make_item(parsed: ParsedBrief, overrides: Overrides, *, name: str, own: str = "", where: str = "") -> BatchItem:
    """A brief as part of a batch; ``own`` is its given id."""
    settings = {key: value for key, value in parsed.given.items() if not key.startswith("limits.")}
    wanted = asdict(replace(overrides, caps=LimitOverrides()))
    background = tuple(
        replace(source, line=1) for source in parsed.brief.background
    )  # a limit more moves what is behind it
    brief = replace(parsed.brief, limits=Limits(), background=background)
    chosen = {"given": settings, "wishes": wanted} | ({"models": parsed.preset.models} if parsed.preset else {})
    plain = json.loads(json.dumps(chosen))  # what is stored has lists, and no tuples
    opened = Opened(brief=brief, protocol=plain, name=own)
    key = digest(encode(Entry(seq=1, at=0.0, event=opened, prev="")))
    return BatchItem(name=name, parsed=parsed, overrides=overrides, key=key, where=where)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is wanted of every debate where its line does not say otherwise: overrides, and settings of the header.

    ``presets`` are those that a brief may name.
    """

    overrides: Overrides = field(default_factory=Overrides)
    settings: Settings = field(default_factory=dict[str, LocatedValue])
    presets: Mapping[str, Preset] = field(default_factory=dict[str, Preset])


def read_briefs(briefs: Sequence[str], wanted: Wanted, faults: list[str]) -> list[BatchItem]:
    """Read the briefs that were typed: files, or questions. What cannot be used is added to the faults."""
    items: list[BatchItem] = []
    for words in briefs:
        try:
            parsed = read_words(words, settings=wanted.settings)
            parsed = with_preset(parsed, wanted.presets, protocol=wanted.overrides.protocol)
        except BriefError as error:
            faults.append(str(error))
        else:
            items.append(make_item(parsed, wanted.overrides, name=item_name(words, parsed)))
    return items


def item_name(words: str, parsed: ParsedBrief) -> str:
    """The name of a brief: its file without the ending, else its topic."""
    return parsed.brief.topic if parsed.where in ("", "question") else Path(words).stem


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_id(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[\w.-]{1,64}", value, re.ASCII) is not None


def _are_models(value: object) -> bool:
    models = cast("list[object]", value) if isinstance(value, list) else []
    return bool(models) and all(map(_is_text, models))


def _are_settings(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, cast("list[object]", value)))


_KEYS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "brief": (_is_text, "the path of a brief, or its Markdown"),
    "id": (_is_id, "1 to 64 letters, digits, . - and _"),
    "models": (_are_models, 'a list such as ["ollama:llama3.2"]'),
    "set": (_are_settings, 'a list such as ["turn_mode=random"]'),
    "protocol": (_is_text, "a text"),
    "strategy": (_is_text, "a text"),
    "preset": (_is_text, "the name of a preset"),
}
"""What a line may hold: how a value is checked, and what it must be in words."""

_NUMBERS = ("seed", "rounds")
"""Keys of a brief's header that a line may hold, too."""


def read_lines(path: Path, wanted: Wanted, faults: list[str]) -> list[BatchItem]:
    """The briefs of a file with one JSON object a line; paths in it begin in its folder.

    Args:
        path: the file.
        wanted: what is wanted where a line does not say.
        faults: what cannot be used is added here, with its line.

    Raises:
        BriefError: the file cannot be read.
    """
    if is_open(path):
        raise BriefError("this is a record that is in use", where=str(path), code="unsafe_path")
    try:
        with path.open("rb") as stream:
            return _read_lines(stream, str(path), path.parent, wanted, faults)
    except OSError as error:
        raise BriefError(f"cannot be read: {error.strerror or error}", where=str(path), code="no_file") from error


def read_stream(stream: BinaryIO, wanted: Wanted, faults: list[str]) -> list[BatchItem]:
    """The same from standard input; paths begin in the current folder."""
    return _read_lines(BytesIO(stream.read()), "standard input", Path(), wanted, faults)


def _read_lines(stream: BinaryIO, name: str, folder: Path, wanted: Wanted, faults: list[str]) -> list[BatchItem]:
    items: list[BatchItem] = []
    lines: dict[str, int] = {}  # on which line each id stands
    n = 0
    while data := stream.readline(MOST_BYTES + 1):
        n += 1
        if n > 2 * MOST:
            raise BriefError(f"more than {2 * MOST:,} lines", where=name, code="too_large")
        if not data.strip():
            continue
        try:
            if len(data) > MOST_BYTES:
                raise BriefError(f"the line is longer than {MOST_BYTES:,} bytes; the rest is not read")
            item = _item(_object(data), wanted, folder, f"{name}:{n}")
            if (own := item.name) in lines:
                raise BriefError(f"the id {own} is already used on line {lines[own]}", code="duplicate_name")
        except BriefError as error:
            faults.append(f"{name}:{n}: {error}")
            if len(data) > MOST_BYTES:
                break
        else:
            lines[item.name] = n
            items.append(item)
    return items


def _object(data: bytes) -> Mapping[str, object]:
    """The object that a line holds, every value checked.

    Raises:
        BriefError: it is none, or holds what it may not.
    """
    try:
        value: object = json.loads(data.strip().decode("utf-8-sig"), object_pairs_hook=_unique_members)
    except UnicodeDecodeError as error:
        raise BriefError("this is not text in UTF-8", code="not_text") from error
    except json.JSONDecodeError as error:
        raise BriefError(f"this is not JSON: {error.msg} at column {error.colno}") from error
    except (ValueError, RecursionError) as error:
        raise BriefError("this is not JSON: a number too long, or nested too deeply") from error
    if not isinstance(value, dict):
        raise BriefError('a line must be an object such as {"brief": "hire.md"}', code="wrong_type")
    members = cast("dict[str, object]", value)
    for key, item in members.items():
        if key in _NUMBERS:
            check_number(key, item)
            continue
        if key not in _KEYS:
            keys = ", ".join((*_KEYS, *_NUMBERS))
            raise BriefError(f"there is no key {key[:60]!r}; there are {keys}", code="unknown_key")
        fits, words = _KEYS[key]
        if not fits(item):
            raise BriefError(f"{key} must be {words}", code="wrong_type")
    if "brief" not in members:
        raise BriefError("the key brief is missing", code="missing_key")
    return members


def _unique_members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        double = next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
        raise BriefError(f"the key {double[:60]!r} appears twice", code="duplicate_key")
    return members


def _item(data: Mapping[str, object], wanted: Wanted, folder: Path, where: str) -> BatchItem:
    words = cast("str", data["brief"])
    overrides = wanted.overrides
    own_settings = read_settings(cast("list[str]", data.get("set", ())))
    if "preset" in data:
        own_settings = {**own_settings, "preset": LocatedValue(value=cast("str", data["preset"]), line=0)}
    parsed = read_words(words, folder, {**wanted.settings, **own_settings})
    models = tuple(cast("list[str]", data.get("models", ()))) or overrides.models
    line_overrides = replace(
        overrides,
        models=models,
        seed=cast("int | None", data.get("seed", overrides.seed)),
        protocol=cast("str", data.get("protocol", overrides.protocol)),
        strategy=cast("str", data.get("strategy", overrides.strategy)),
        rounds=cast("int | None", data.get("rounds", overrides.rounds)),
    )
    parsed = with_preset(parsed, wanted.presets, protocol=line_overrides.protocol)
    own = cast("str", data.get("id", ""))
    name = own or f"{item_name(words, parsed)} (line {where.rpartition(':')[2]})"
    return make_item(parsed, line_overrides, name=name, own=own, where=where)
