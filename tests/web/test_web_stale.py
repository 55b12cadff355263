"""Whoever looks at a decision is told that its documents have changed since: one debate on every surface."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.plan.settings import load_config, user_file
from folkmoot.app.run.access import Claim
from folkmoot.core.brief import Brief, Source
from folkmoot.core.errors import BriefError
from folkmoot.record.listing import ListQuery
from folkmoot.record.store import place_of
from tests.cli.commands import QUOTES, folkmoot
from tests.council.agents import own_place
from tests.mcp.mcp_kit import place, runner_in
from tests.web.web_kit import API, SERVING, opened

BRIEF = "---\nbackground:\n  - plan.md\n---\n# Move?\n\nThe lease ends in May.\n"
SECRET = {"HMAC": "0123456789abcdef0123456789abcdef"}


def warning_of(debate: str, facts: str) -> str:
    return (
        f"This is about the documents as they were ({facts}). folkmoot verify --documents {debate} compares them; "
        "run the brief again to decide on them as they are now."
    )


@pytest.fixture
def debate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The id of a debate about two files of a folder."""
    own_place(tmp_path, monkeypatch)
    tmp_path.joinpath("move.md").write_text(BRIEF)
    tmp_path.joinpath("plan.md").write_text("Lyon is near.\n")
    folkmoot(tmp_path, "run", "move.md", *QUOTES)
    return folkmoot(tmp_path, "list", "--json").stdout.split('"debate": "')[1].split('"')[0]


async def test_each_surface_says_which_document_has_changed(debate: str, tmp_path: Path) -> None:
    serving = replace(SERVING, documents=tmp_path)
    warning = warning_of(debate, "changed since: plan.md")
    async with opened(tmp_path, serving=serving) as web:
        same = (await web.me.get(f"{API}/debates/{debate}")).json()
        assert (same["stale"], [way["command"] for way in same["ways"]]) == ("", [])
    tmp_path.joinpath("plan.md").write_text("Lyon is far.\n")
    async with opened(tmp_path, serving=serving) as web:
        state = (await web.me.get(f"{API}/debates/{debate}")).json()
        assert (state["stale"], state["warnings"]) == (warning, [*same["warnings"], warning])
        assert state["ways"][-1] == {
            "command": f"folkmoot verify --documents {debate}",
            "words": "which documents have changed",
            "action": "",
            "body": {},
        }
    async with runner_in(tmp_path, serving=serving) as runner, place(runner, all_=True) as here:
        for tool in ("get_debate", "get_decision"):
            assert (await here.call(tool, id=debate))["warnings"][-1] == warning, tool
        words = warning.partition(" folkmoot verify --documents")[0]
        for form in ("md", "json"):
            assert words in (await here.call("get_report", id=debate, form=form))["report"], form
        assert words in await here.read(f"debate://{debate}/report")
    for command in ("show", "report"):
        assert f"folkmoot: {warning}\n" in (await asyncio.to_thread(folkmoot, tmp_path, command, debate)).stderr, (
            command
        )


@pytest.mark.parametrize("form", ["md", "json", "memo"])
async def test_a_report_says_itself_which_document_has_changed(debate: str, tmp_path: Path, form: str) -> None:
    words, address = "This is about the documents as they were (changed since: plan.md).", f"debates/{debate}/report"
    async with opened(tmp_path, serving=replace(SERVING, documents=tmp_path)) as web:
        assert words not in (await web.me.get(f"{API}/{address}.{form}")).text
        tmp_path.joinpath("plan.md").write_text("Lyon is far.\n")
    async with opened(tmp_path, serving=replace(SERVING, documents=tmp_path)) as web:
        assert words in (await web.me.get(f"{API}/{address}.{form}")).text
    written = await asyncio.to_thread(folkmoot, tmp_path, "report", debate, "--format", form)
    assert words in written.stdout


@pytest.mark.parametrize(
    ("plan", "brief", "is_stale"),
    [
        ("Lyon is near.\n", BRIEF, False),
        ("Lyon is near.\r\n", BRIEF.replace("---\n#", "rounds: 3\n---\n#"), False),  # another header
        ("Lyon is far.\n", BRIEF, True),
        ("Lyon is near.\n", BRIEF.replace("May", "June"), True),
        (None, BRIEF, True),
        (None, None, False),  # quite another folder
    ],
)
async def test_each_list_says_what_is_said_of_the_debate_alone(
    plan: str | None, brief: str | None, is_stale: bool, debate: str, tmp_path: Path
) -> None:
    for name, text in (("plan.md", plan), ("move.md", brief)):
        tmp_path.joinpath(name).unlink()
        if text is not None:
            tmp_path.joinpath(name).write_bytes(text.encode())
    serving = replace(SERVING, documents=tmp_path)
    async with opened(tmp_path, serving=serving) as web:
        assert bool((await web.me.get(f"{API}/debates/{debate}")).json()["stale"]) is is_stale
        assert [row["stale"] for row in (await web.me.get(f"{API}/debates")).json()["debates"]] == [is_stale]
    async with runner_in(tmp_path, serving=serving) as runner, place(runner, all_=True) as here:
        assert [row["stale"] for row in (await here.call("list_debates"))["debates"]] == [is_stale]
    data = await asyncio.to_thread(folkmoot, tmp_path, "list", "--json")
    assert [row["stale"] for row in json.loads(data.stdout)] == [is_stale]
    for width in ("200", "80"):
        listed = await asyncio.to_thread(folkmoot, tmp_path, "list", COLUMNS=width)
        assert ("stale · decided" in listed.stdout) is is_stale
        assert ("folkmoot verify --documents says which" in listed.stderr) is is_stale


async def test_a_list_follows_the_files(debate: str, tmp_path: Path) -> None:
    async with opened(tmp_path, serving=replace(SERVING, documents=tmp_path)) as web:
        for words, is_stale in (("near", False), ("far", True), ("near", False), ("gone", True)) * 2:
            tmp_path.joinpath("plan.md").write_text(f"Lyon is {words}.\n")
            for _ in range(2):
                assert (await web.me.get(f"{API}/debates")).json()["debates"][0]["stale"] is is_stale, words


def test_a_list_elsewhere_calls_nothing_stale(debate: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    elsewhere.joinpath("plan.md").write_text("Quite another matter.\n")
    tmp_path.joinpath("plan.md").write_text("Lyon is far.\n")
    store = ("--store", str(tmp_path / "folkmoot.sqlite"))
    listed = folkmoot(elsewhere, "list", *store)
    assert (listed.exit_code, "stale" in listed.output) == (0, False)
    assert "stale · decided" in folkmoot(tmp_path, "list", *store).stdout


@pytest.mark.parametrize("folder", ["none", "another"])
async def test_a_server_reads_no_file_that_it_was_not_allowed(folder: str, debate: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    tmp_path.joinpath("plan.md").write_text("Lyon is far.\n")
    documents = None if folder == "none" else elsewhere
    async with opened(tmp_path, serving=replace(SERVING, documents=documents)) as web:
        assert (await web.me.get(f"{API}/debates/{debate}")).json()["stale"] == ""
        assert (await web.me.get(f"{API}/debates")).json()["debates"][0]["stale"] is False


@pytest.mark.parametrize(("owner", "is_warned"), [("", True), ("agent@stdio", True), ("ann", False)])
async def test_files_are_read_only_for_debates_of_this_machine(
    owner: str, is_warned: bool, debate: str, tmp_path: Path
) -> None:
    brief = Brief(topic="Move?", background=(Source(name="plan.md", text="a guess", sha256="0"),))
    tmp_path.joinpath("plan.md").write_text("Lyon is far.\n")
    async with runner_in(tmp_path, serving=replace(SERVING, documents=tmp_path)) as runner:
        assert bool(await runner.stale_warnings(debate, brief, place_of(tmp_path), Claim(owner=owner))) is is_warned
        page = await runner.workspace.page(ListQuery())
        claimed = [replace(summary, owner=owner) for summary in page.debates]
        assert await runner.stale_debates(claimed) == ({debate} if is_warned else set())


def test_a_file_of_the_same_name_elsewhere_has_not_changed(debate: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    elsewhere.joinpath("plan.md").write_text("Quite another matter.\n")
    store = ("--store", str(tmp_path / "folkmoot.sqlite"))
    for command in (("show",), ("report", "-o", "report.md")):
        shown = folkmoot(elsewhere, command[0], debate, *command[1:], *store)
        assert (shown.exit_code, shown.stderr.count("plan.md")) == (0, 0), shown.output
    compared = folkmoot(elsewhere, "verify", "--documents", debate, *store)
    assert compared.exit_code == 9
    assert compared.stderr == f"folkmoot: {debate} was about documents of another folder, or the folder was moved\n"
    assert folkmoot(tmp_path, "verify", "--documents", debate, *store).stderr == ""


async def test_a_record_names_no_folder(debate: str, tmp_path: Path) -> None:
    async with runner_in(tmp_path) as runner:
        lines = "".join(await runner.workspace.store.read(debate))
    assert f'"place":"{place_of(tmp_path)}"' in lines
    assert tmp_path.name not in lines


def test_a_receipt_that_holds_may_be_about_other_documents(debate: str, tmp_path: Path) -> None:
    signed = folkmoot(tmp_path, "report", "--receipt", debate, "--hmac-key-env", "HMAC", "-o", "receipt.json", **SECRET)
    assert signed.exit_code == 0, signed.output
    tmp_path.joinpath("plan.md").unlink()
    tmp_path.joinpath("move.md").write_text("# Move?\n\nThe lease ends in June.\n")
    checked = folkmoot(tmp_path, "verify", "--receipt", "receipt.json", "--hmac-key-env", "HMAC", **SECRET)
    assert checked.exit_code == 0
    assert "the signature is valid" in checked.stdout
    assert checked.stderr == f"folkmoot: {warning_of(debate, 'changed since: move.md; now missing: plan.md')}\n"


def test_the_folder_is_the_owner_s_own_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)
    file = user_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f'[serve]\ndocuments = "{tmp_path}"\n')
    assert load_config(tmp_path).serve.documents == tmp_path
    file.write_text('[serve]\ndocuments = "~/project"\n')
    assert load_config(tmp_path).serve.documents == Path.home() / "project"
    file.write_text('[serve]\ndocuments = "project"\n')
    with pytest.raises(BriefError, match=r"serve\.documents must be the whole path of a folder"):
        load_config(tmp_path)
