"""Records with a sentence that earlier versions wrote otherwise can be checked, continued and forked."""

from dataclasses import replace

import pytest

from folkmoot.app.run.fork import chain_lines, count_matching
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import RecordMismatch
from folkmoot.core.event import Closed, Entered, Entry, Halted, Opened
from folkmoot.engine.driver import debate
from folkmoot.phases.speak import Everyone
from folkmoot.protocols.spec import dump, load
from folkmoot.record.ledger import Ledger
from folkmoot.testing.scripted import Scripted
from folkmoot.testing.store_checks import InMemoryStore

PEOPLE = (Participant(name="Ann"), Participant(name="Bob"))
OPENED = Opened(brief=Brief(topic="Tea?", participants=PEOPLE), protocol=dump(Everyone(act="open", task="?", needs=1)))
TODAY, OLD = "0 of 2 answered, 1 is needed to go on", "0 of 2 answered, 1 are needed to go on"


async def run(store: InMemoryStore) -> list[Entry]:
    """Run the debate in which nobody answers, or continue it; its entries."""
    ledger = Ledger(store, "d", clock=lambda: 7.5)
    await ledger.open()
    agents = {person.name: Scripted([]) for person in PEOPLE}
    await debate(OPENED, load(OPENED.protocol), agents, ledger=ledger)
    return ledger.entries


def worded(entry: Entry, reason: str) -> Entry:
    return (
        replace(entry, event=replace(entry.event, reason=reason)) if isinstance(entry.event, Halted | Closed) else entry
    )


async def recorded(reason: str) -> list[Entry]:
    """The record of the debate with that sentence at its end, as an earlier version has written it."""
    entries = await run(InMemoryStore())
    assert [entry.event.reason for entry in entries if isinstance(entry.event, Halted | Closed)] == [TODAY, TODAY]
    return [worded(entry, reason) for entry in entries]


async def test_the_old_sentence_is_verified_and_counted_as_the_same() -> None:
    entries = await recorded(OLD)
    workspace = Workspace(InMemoryStore({"d": chain_lines(entries)}))
    assert (await workspace.verify("d"))[0] == len(entries)
    assert count_matching(OPENED, [entry.event for entry in entries[1:]]) == len(entries) - 2  # all but the end


async def test_a_debate_that_broke_off_behind_the_old_sentence_goes_on_and_keeps_it() -> None:
    entries = await recorded(OLD)
    store = InMemoryStore({"d": chain_lines(entries[:-1])})
    reasons = [entry.event.reason for entry in await run(store) if isinstance(entry.event, Halted | Closed)]
    assert reasons == [OLD, TODAY]
    await Workspace(store).verify("d")


@pytest.mark.parametrize("reason", [OLD.replace("0 of", "1 of"), OLD.replace("are", "be"), f"{OLD}."])
async def test_no_other_sentence_is_taken_for_it(reason: str) -> None:
    entries = await recorded(reason)
    store = InMemoryStore({"d": chain_lines(entries)})
    with pytest.raises(RecordMismatch, match=r"1 be|1 of 2|on\."):
        await Workspace(store).verify("d")
    store = InMemoryStore({"d": chain_lines([*entries[:2], replace(entries[2], event=Entered(path="/x"))])})
    with pytest.raises(RecordMismatch):
        await run(store)
