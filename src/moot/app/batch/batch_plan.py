"""What a batch holds. This file owns how briefs become debates beside each other, each with an id of its own.

The id follows from the batch's name, from what is debated, and from the number of the repeat. So the same command finds
what it began before. Limits are no part of it: a debate that one of them stopped goes on when it is raised.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from moot.app.brief.reader import Intake
from moot.app.brief.schema import MOST_SEED
from moot.app.run.api import read_words
from moot.app.run.choosing import Caps, Wishes
from moot.core.brief import Limits
from moot.core.errors import BriefError
from moot.core.event import Entry, Opened
from moot.core.text import slug
from moot.record.codec import digest, encode

MOST = 10_000
"""The most debates of a batch."""

STEP = 0x9E3779B1
"""What the seeds of two repeats lie apart; it is odd, so no two of a batch are the same."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")


class FaultyBatch(BriefError):
    """A batch that cannot be held.

    Args:
        faults: what is wrong, a sentence for each brief and line.
    """

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One brief of a batch.

    Attributes:
        name: what tables call it.
        intake: the brief, as it was read.
        wishes: what is wanted otherwise.
        key: the hash of both, limits left out, and of the id that its line gives it.
        where: the place that errors name, ``questions.jsonl:3``; "" where the brief names its own.
    """

    name: str
    intake: Intake
    wishes: Wishes
    key: str
    where: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """One debate of a batch: the brief, the number of the repeat from 1, its seed, and the debate's id."""

    item: Item
    number: int
    seed: int
    debate: str

    @property
    def wishes(self) -> Wishes:
        """What is wanted otherwise than the brief says, with the seed."""
        return replace(self.item.wishes, seed=self.seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Debates that are held beside each other: each brief so many times."""

    name: str
    items: tuple[Item, ...]
    times: int = 1

    def __len__(self) -> int:
        return len(self.items) * self.times

    def __iter__(self) -> Iterator[Repeat]:
        """The debates: the first of each brief, then the second of each, and so on."""
        for number in range(1, self.times + 1):
            for item in self.items:
                seed = item.intake.brief.seed if item.wishes.seed is None else item.wishes.seed
                yield Repeat(item=item, number=number, seed=seed_of(seed, number), debate=self._id(item, number))

    def _id(self, item: Item, number: int) -> str:
        return f"{slug(self.name, 40)}-{digest(f'{self.name} {item.key} {number}')[:12]}"


def seed_of(seed: int, number: int) -> int:
    """The seed of a repeat: the brief's own for the first, others that follow from it for the further ones."""
    return seed if number == 1 else (seed + (number - 1) * STEP) % (MOST_SEED + 1)


def make_batch(items: Sequence[Item], *, times: int = 1, name: str = "") -> Batch:
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
        raise BriefError("the batch holds no brief", code="missing_topic")
    if len(items) * times > MOST:
        raise BriefError(f"the batch holds {len(items) * times:,} debates; {MOST:,} are the most", code="too_large")
    items = tuple(_apart(items))
    name = name or f"batch-{digest(' '.join(sorted(each.key for each in items)))[:8]}"
    return Batch(name=name, items=items, times=times)


def _apart(items: Sequence[Item]) -> Iterator[Item]:
    """The same items with names and keys of their own: what stands there twice is held twice."""
    names, keys = Counter[str](), Counter[str]()
    for item in items:
        names[item.name] += 1
        keys[item.key] += 1
        if (n := names[item.name]) > 1:
            item = replace(item, name=f"{item.name} ({n})")
        yield item if keys[item.key] == 1 else replace(item, key=digest(f"{item.key} {keys[item.key]}"))


def make_item(intake: Intake, wishes: Wishes, *, name: str, own: str = "", where: str = "") -> Item:
    """A brief as part of a batch; ``own`` is the id that was given to it."""
    given = {key: value for key, value in intake.given.items() if not key.startswith("limits.")}
    wanted = asdict(replace(wishes, caps=Caps()))
    background = tuple(
        replace(each, line=1) for each in intake.brief.background
    )  # a limit more moves what is behind it
    brief = replace(intake.brief, limits=Limits(), background=background)
    asked = Opened(brief=brief, protocol={"given": given, "wishes": wanted}, name=own)
    key = digest(encode(Entry(seq=1, at=0.0, event=asked, prev="")))
    return Item(name=name, intake=intake, wishes=wishes, key=key, where=where)


def read_briefs(briefs: Sequence[str], wishes: Wishes, faults: list[str]) -> list[Item]:
    """The briefs that were typed: files, or questions. What cannot be used is added to the faults."""
    items: list[Item] = []
    for words in briefs:
        try:
            intake = read_words(words)
        except BriefError as error:
            faults.append(str(error))
        else:
            items.append(make_item(intake, wishes, name=called(words, intake)))
    return items


def called(words: str, intake: Intake) -> str:
    """What a brief is called: its file without the ending, else its topic."""
    return intake.brief.topic if intake.where in ("", "question") else Path(words).stem
