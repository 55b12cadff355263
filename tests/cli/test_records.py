"""Records of the format that there is: each is read and replayed, and its fields mean what they meant."""

import json
from pathlib import Path
from typing import cast

import pytest

from folkmoot.core.event import EVENTS, Opened
from folkmoot.core.transcript import fold
from folkmoot.engine.driver import replay
from folkmoot.protocols.spec import load
from folkmoot.record.ledger import Ledger
from folkmoot.record.store import decode, encode, read
from folkmoot.testing.store_checks import InMemoryStore
from tests.paths import RECORDS

CORPUS = sorted((RECORDS).glob("*.jsonl"))


def lines(path: Path) -> tuple[str, ...]:
    return tuple(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"))


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
async def test_a_record_is_read_and_played_again(path: Path) -> None:
    entries = read(lines(path))
    opened = entries[0].event
    assert isinstance(opened, Opened)
    assert fold(entries).closed
    store = InMemoryStore()
    await store.append("d", lines(path), after=0)
    ledger = Ledger(store, "d", clock=lambda: 0.0)
    await ledger.open()
    assert replay(opened, load(opened.protocol), ledger=ledger).all() == fold(entries).all()


def test_the_corpus_holds_every_protocol_and_most_kinds() -> None:
    assert len(CORPUS) >= 5
    kinds = {type(entry.event) for path in CORPUS for entry in read(lines(path))}
    assert len(kinds) >= len(EVENTS) - 6


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_what_is_written_today_means_what_was_written_then(path: Path) -> None:
    """A newer Folkmoot may know more fields; those of old lines keep their names and values."""
    for line in lines(path):
        entry = decode(line)
        assert decode(encode(entry)) == entry
        assert _holds(json.loads(encode(entry))["body"], json.loads(line)["body"])


def _holds(new: object, old: object) -> bool:
    """Whether all that stands in the old value stands in the new one."""
    if isinstance(old, dict):
        fields = cast("dict[str, object]", old)
        return isinstance(new, dict) and all(
            name in new and _holds(cast("dict[str, object]", new)[name], value) for name, value in fields.items()
        )
    if isinstance(old, list):
        pairs = zip(cast("list[object]", new), cast("list[object]", old), strict=True)
        return isinstance(new, list) and all(_holds(item, other) for item, other in pairs)
    return new == old
