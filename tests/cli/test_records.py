"""Old records: every record that any version has written is read, replayed and resumed by this one."""

import json
from pathlib import Path
from typing import cast

import pytest

from folkmoot.core.event import EVENTS, Opened
from folkmoot.core.transcript import fold
from folkmoot.engine.driver import replay
from folkmoot.learn.lessons import lessons
from folkmoot.protocols.spec import load
from folkmoot.record.ledger import Ledger
from folkmoot.record.store import decode, encode, read
from folkmoot.report.conclusion import conclusion
from folkmoot.testing.store_checks import InMemoryStore
from tests.paths import RECORDS

CORPUS = sorted((RECORDS).glob("*.jsonl"))


def lines(path: Path) -> tuple[str, ...]:
    return tuple(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"))


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
async def test_an_old_record_is_read_and_played_again(path: Path) -> None:
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


def test_who_is_against_what_was_not_reached_is_read_from_an_old_record_too() -> None:
    path = next(file for file in CORPUS if file.stem == "v1-unanimous")
    entries = read(lines(path))
    decision = fold(entries).decision
    assert decision
    assert (decision.status, decision.dissent) == ("no_decision", ())
    (against,) = conclusion(fold(entries)).dissent
    assert against.choice != max(decision.tally, key=lambda name: decision.tally[name])
    (text,) = lessons(entries).outcome.dissent
    assert text.startswith(f"{against.voter} for {against.choice}")
