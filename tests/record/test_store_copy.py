"""Where records are kept, and debates copied between them: what is extended, left alone and refused."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.app.export.copy_debates import PIECE, Copied, copy_debates
from folkmoot.app.plan.settings import load_config, open_store, read_where, show_where
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.ask import Reply
from folkmoot.core.errors import RecordError
from folkmoot.core.event import Replied
from folkmoot.record.mailbox import Mailbox
from folkmoot.record.sqlite import SqliteStore
from folkmoot.record.store import Store
from folkmoot.testing.store_checks import InMemoryStore
from tests.cli.commands import BRIEF, QUOTES, folkmoot, only_id

SECRET = "postgresql://ada:hush@db.example:5432/folkmoot"


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record with two debates, the first with a letter."""
    folder = tmp_path_factory.mktemp("record")
    first = only_id(folkmoot(folder, "run", str(BRIEF), *QUOTES, "--quiet"))
    folkmoot(folder, "run", str(BRIEF), *QUOTES, "--quiet", "--seed", "2")
    path = folder / "folkmoot.sqlite"

    async def write() -> None:
        store = SqliteStore.open(path)
        await Mailbox(store, first, clock=lambda: 0.0).post(Replied(key="/debate#1", reply=Reply(text="Yes.")))
        await store.close()

    asyncio.run(write())
    return path


async def all_lines(store: Store) -> dict[str, tuple[str, ...]]:
    return {info.debate: await store.read(info.debate) for info in await store.debates()}


async def copied(source: Store, target: Store, *names: str) -> list[Copied]:
    return [outcome async for outcome in copy_debates(source, target, names)]


# ---- copies --------------------------------------------------------------------------------------------------------


async def test_debates_go_to_postgresql_and_back(record: Path, database: str, tmp_path: Path) -> None:
    source, middle, back = open_store(record), open_store(database), open_store(tmp_path / "back.sqlite")
    lines = await all_lines(source)
    there = await copied(source, middle)
    assert [(outcome.there, outcome.fault) for outcome in there] == [(0, ""), (0, "")]
    assert sum(outcome.new for outcome in there) == sum(map(len, lines.values()))
    assert [outcome.debate for outcome in there] == [name for name in reversed(lines) if "/" not in name]
    assert [outcome.new for outcome in await copied(middle, back)] == [outcome.new for outcome in there]
    assert await all_lines(back) == await all_lines(middle) == lines
    assert [info.debate for info in await back.debates()] == [info.debate for info in await middle.debates()]
    assert [(outcome.new, outcome.fault) for outcome in await copied(source, middle)] == [(0, ""), (0, "")]
    workspace = Workspace.at(database)
    assert (await workspace.verify(there[0].debate))[0] == len(lines[there[0].debate])
    await workspace.close()
    for store in (source, middle, back):
        await store.close()


async def test_a_copy_that_was_cut_off_is_gone_on_with(record: Path) -> None:
    source = open_store(record)
    lines = await all_lines(source)
    name = next(name for name in lines if "/" not in name)
    for cut in range(0, len(lines[name]), 7):
        target = InMemoryStore({name: list(lines[name][:cut])} if cut else {})
        (done,) = await copied(source, target, name)
        assert (done.new, done.there, done.fault) == (len(lines[name]) - cut, cut, "")
        assert await target.read(name) == lines[name]
    await source.close()


async def test_a_target_that_has_more_is_left_as_it_is(record: Path) -> None:
    source = open_store(record)
    lines = await all_lines(source)
    name = next(name for name in lines if "/" not in name)
    behind = InMemoryStore({name: list(lines[name][:5])})
    assert await copied(behind, source) == [Copied(debate=name, there=len(lines[name]))]
    assert await all_lines(source) == lines
    await source.close()


async def test_many_lines_are_copied_in_pieces(database: str) -> None:
    source, target = InMemoryStore(), open_store(database)
    letters = Mailbox(source, "d", clock=lambda: 0.0)
    for n in range(PIECE + 3):
        await letters.post(Replied(key=f"/{n}", reply=Reply(text="x")))
    assert await copied(source, target) == [Copied(debate="d", new=PIECE + 3)]
    assert await all_lines(target) == await all_lines(source)
    await target.close()


async def test_another_debate_of_the_same_id_is_refused_and_the_others_go_on(record: Path, database: str) -> None:
    source, target = open_store(record), open_store(database)
    first, second = [info.debate for info in reversed(await source.debates()) if "/" not in info.debate]
    await target.append(first, (await source.read(second))[:3], after=0)
    done = await copied(source, target)
    assert [(outcome.debate, outcome.fault) for outcome in done] == [
        (first, "the other store already has a different debate with this id"),
        (second, ""),
    ]
    assert len(await target.read(first)) == 3
    await source.close()
    await target.close()


@pytest.mark.parametrize("where", ["changed", "torn", "letter"])
async def test_a_damaged_record_is_refused(record: Path, database: str, where: str) -> None:
    source, target = open_store(record), open_store(database)
    lines = {name: list(texts) for name, texts in (await all_lines(source)).items()}
    first, second = [name for name in reversed(lines) if "/" not in name]
    if where == "changed":
        lines[first][4] = lines[first][4].replace("a", "b", 1)
    elif where == "torn":
        del lines[first][4]
    else:
        lines[f"{first}/letters"] = ["{"]
    for back in (InMemoryStore(dict(reversed(lines.items()))), target):
        if back is target:
            for name, damaged in lines.items():
                await target.append(name, damaged, after=0)
        copy = InMemoryStore()
        done = {outcome.debate: outcome for outcome in await copied(back, copy)}
        assert done[first].fault
        assert done[first].new == 0
        assert done[second].fault == ""
        assert list(copy.kept) == [second]
    await source.close()
    await target.close()


async def test_a_debate_that_is_not_there_is_told_of(record: Path) -> None:
    source = open_store(record)
    (done,) = await copied(source, InMemoryStore(), "none")
    assert done == Copied(debate="none", fault="it is not in the store that is copied from")
    await source.close()


class Losing(InMemoryStore):
    """Takes lines, and does not give them back as they were."""

    async def read(self, debate: str, *, after: int = 0, limit: int | None = None) -> tuple[str, ...]:
        return (await super().read(debate, after=after, limit=limit))[:-1]


async def test_what_the_target_does_not_keep_is_noticed(record: Path) -> None:
    source = open_store(record)
    done = await copied(source, Losing())
    assert {outcome.fault for outcome in done} == {"the copy differs from what was written"}
    await source.close()


# ---- the command ---------------------------------------------------------------------------------------------------


def test_the_command_copies_and_says_what_came_of_it(record: Path, database: str, tmp_path: Path) -> None:
    done = folkmoot(tmp_path, "store", "copy", str(record), database)
    assert done.exit_code == 0, done.output
    assert done.output.startswith("2 copied, 0 extended, 0 already there, 0 refused; ")
    again = folkmoot(tmp_path, "store", "copy", database, str(tmp_path / "back.sqlite"), "last")
    assert again.output.startswith("1 copied, 0 extended")
    again = folkmoot(tmp_path, "store", "copy", database, str(tmp_path / "back.sqlite"))
    assert again.output.startswith("1 copied, 0 extended, 1 already there, 0 refused; ")
    assert folkmoot(tmp_path, "store", "copy", str(record), database, "none").exit_code == 1
    none = folkmoot(tmp_path, "store", "copy", "none.sqlite", database)
    assert (none.exit_code, (tmp_path / "none.sqlite").exists()) == (2, False)
    with closing(sqlite3.connect(tmp_path / "back.sqlite")) as file, file:
        file.execute("UPDATE folkmoot_line SET text = replace(text, 'e', 'f') WHERE seq = 3")
    bad = folkmoot(tmp_path, "store", "copy", str(tmp_path / "back.sqlite"), str(tmp_path / "new.sqlite"))
    assert bad.exit_code == 1
    assert "2 refused; 0 entries written to" in bad.output
    assert bad.output.count("folkmoot: ") == 2


def test_every_command_takes_an_address(database: str, tmp_path: Path) -> None:
    empty = folkmoot(tmp_path, "list", FOLKMOOT_STORE=database)
    assert empty.output.startswith(f"There are no debates yet in {show_where(database)}.")
    debate = only_id(folkmoot(tmp_path, "--store", database, "run", str(BRIEF), *QUOTES, "--quiet"))
    assert debate in folkmoot(tmp_path, "list", "--store", database).output
    for words in (
        ["verify", debate],
        ["show", "last", "--plain"],
        ["report", "last", "-o", "-"],
        ["show", "last", "--recount"],
    ):
        done = folkmoot(tmp_path, *words, FOLKMOOT_STORE=database)
        assert done.exit_code == 0, done.output
    receipt = folkmoot(tmp_path, "report", "--receipt", debate, "-o", "receipt.json", FOLKMOOT_STORE=database)
    assert receipt.exit_code == 0, receipt.output
    assert not (tmp_path / "folkmoot.sqlite").exists()


def test_an_address_is_never_shown_with_its_password(tmp_path: Path) -> None:
    address = "postgresql://ada:hush@127.0.0.1:1/folkmoot"
    for words in (["list"], ["run", str(BRIEF), *QUOTES], ["verify", "last"], ["store", "copy", address, "x.sqlite"]):
        done = folkmoot(tmp_path, *words, FOLKMOOT_STORE=address)
        assert done.exit_code == 1
        assert "The record postgresql://ada@127.0.0.1:1/folkmoot cannot be used: " in done.output.replace("\n", " ")
        assert "hush" not in done.output
    bad = folkmoot(tmp_path, "list", "--store", "postgresql://ada:hu#sh@db/folkmoot")
    assert (bad.exit_code, "sh@" in bad.output) == (1, False)


# ---- places --------------------------------------------------------------------------------------------------------


def test_a_place_is_a_path_or_an_address(tmp_path: Path) -> None:
    assert read_where("folkmoot.sqlite") == Path("folkmoot.sqlite")
    assert read_where("~/folkmoot.sqlite") == Path.home() / "folkmoot.sqlite"
    assert read_where(SECRET) == SECRET
    assert show_where(SECRET) == "postgresql://ada@db.example:5432/folkmoot"
    assert show_where(tmp_path) == str(tmp_path)
    with pytest.raises(RecordError, match="Records are kept in a file or at an address postgresql://…, not at mysql"):
        read_where("mysql://ada:hush@db/folkmoot")
    with pytest.raises(RecordError, match="InMemoryStore"):
        read_where(":memory:")


@given(scheme=st.from_regex(r"[a-z]{2,12}", fullmatch=True), slashes=st.integers(0, 4))
def test_an_address_with_a_password_is_no_file_however_it_is_mistyped(scheme: str, slashes: int) -> None:
    if (scheme, slashes) in (("postgresql", 2), ("postgres", 2)):
        return
    with pytest.raises(RecordError) as caught:
        read_where(f"{scheme}:{'/' * slashes}ada:hush@db/folkmoot")
    assert "hush" not in str(caught.value)


async def test_a_store_tells_its_place(tmp_path: Path) -> None:
    for where, place in (
        (tmp_path / "a.sqlite", str(tmp_path / "a.sqlite")),
        (str(tmp_path / "a.sqlite"), str(tmp_path / "a.sqlite")),
        (SECRET, "postgresql://ada@db.example:5432/folkmoot"),
    ):
        workspace = Workspace.at(where)
        assert workspace.place == place
        await workspace.close()


def test_an_address_in_a_setting_is_the_owners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    monkeypatch.delenv("FOLKMOOT_STORE", raising=False)
    near, own = tmp_path / "folkmoot.toml", tmp_path / "own" / "folkmoot" / "folkmoot.toml"
    own.parent.mkdir(parents=True)
    own.write_text(f'store = "{SECRET}"\n')
    assert load_config(tmp_path).store == SECRET
    near.write_text('store = "here.sqlite"\n')
    assert load_config(tmp_path).store == Path("here.sqlite")
    monkeypatch.setenv("FOLKMOOT_STORE", SECRET)
    assert load_config(tmp_path).store == SECRET
    near.write_text(f'store = "{SECRET}"\n')
    with pytest.raises(Exception, match="store can be an address only in your own file") as caught:
        load_config(tmp_path)
    assert "hush" not in str(caught.value)
    near.unlink()
    monkeypatch.setenv("FOLKMOOT_STORE", "postgresql://ada:hu#sh@db/folkmoot")
    with pytest.raises(Exception, match="FOLKMOOT_STORE: store: The address of a database cannot be read") as caught:
        load_config(tmp_path)
    assert "sh@" not in str(caught.value)
