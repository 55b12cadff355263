"""What a debate was about, compared with the files of today."""

import hashlib
import threading
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from folkmoot.app.brief import document_states as document_states_module
from folkmoot.app.brief.changes import with_settings
from folkmoot.app.brief.document_states import (
    DocumentOnRecord,
    DocumentState,
    DocumentWatch,
    StaleDebates,
    document_states,
    stale_warning,
)
from folkmoot.app.brief.reader import read_brief, read_file
from folkmoot.app.brief.values import LocatedValue
from folkmoot.core.brief import Brief, Source
from folkmoot.core.event import Opened
from folkmoot.record.store import place_of
from folkmoot.record.summary_fold import Summary
from folkmoot.reviews.artefact import HEAD, whole_file
from tests.cli.commands import QUOTES, folkmoot
from tests.kits.waiting import until

BRIEF = "---\nbackground:\n  - plan.md\n---\n# Move?\n\nThe lease ends in May.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tmp_path.joinpath("move.md").write_text(BRIEF)
    tmp_path.joinpath("plan.md").write_text("Lyon is near.\n")
    return tmp_path


def states(brief: Brief, folder: Path) -> dict[str, str]:
    return {document.name: document.state for document in document_states(brief, folder)}


def test_documents_and_the_background_of_the_brief_itself_are_compared(folder: Path) -> None:
    brief = read_file(folder / "move.md").brief
    assert states(brief, folder) == {"move.md": "same", "plan.md": "same"}
    folder.joinpath("plan.md").write_bytes(b"\xef\xbb\xbfLyon is near.\r\n")  # the same words
    folder.joinpath("move.md").write_text(BRIEF.replace("---\n#", "rounds: 3\n---\n#"))  # another header
    assert states(brief, folder) == {"move.md": "same", "plan.md": "same"}
    folder.joinpath("move.md").write_text(BRIEF.replace("May", "June"))
    folder.joinpath("plan.md").unlink()
    assert states(brief, folder) == {"move.md": "unreadable", "plan.md": "missing"}  # the brief names what is missing


def test_a_file_of_any_kind_is_compared(folder: Path) -> None:
    folder.joinpath("costs.csv").write_text("city,rent\nLyon,40\n")
    folder.joinpath("move.md").write_text(BRIEF.replace("plan.md", "costs.csv"))
    brief = read_file(folder / "move.md").brief
    assert states(brief, folder) == {"move.md": "same", "costs.csv": "same"}
    folder.joinpath("costs.csv").write_text("city,rent\nLyon,50\n")
    assert states(brief, folder) == {"move.md": "same", "costs.csv": "changed"}


def test_a_name_that_no_file_can_have_is_missing(folder: Path) -> None:
    brief = replace(
        read_file(folder / "move.md").brief, background=(Source(name="x" * 300 + ".md", text="Lyon", sha256="0"),)
    )
    assert set(states(brief, folder).values()) == {"missing"}


def test_an_html_document_is_read_as_a_library_reads_it(folder: Path) -> None:
    folder.joinpath("page.html").write_text("<p>Lyon is <b>near</b>.</p>")
    folder.joinpath("move.md").write_text(BRIEF.replace("background", "library").replace("plan.md", "page.html"))
    brief = read_file(folder / "move.md").brief
    assert states(brief, folder)["page.html"] == "same"
    folder.joinpath("page.html").write_text("<p>Lyon is  <b>near</b>.</p>")
    assert states(brief, folder)["page.html"] == "changed"


def test_pages_of_a_pdf_are_one_document_and_what_was_no_file_is_left_out(folder: Path) -> None:
    files = ("study.pdf, page 1", "study.pdf, page 2", "../a.md")
    sources = [*(Source(name=name, text="x", sha256="0") for name in files), Source(name="conversation", text="x")]
    brief = Brief(topic="Move?", background=tuple(sources))
    assert states(brief, folder) == {"study.pdf": "missing", "../a.md": "missing"}


@pytest.mark.parametrize(
    ("now", "state"), [(b"a\nb\n", "same"), (b"a\r\nb\r\n", "same"), (b"a\nc\n", "changed"), (None, "missing")]
)
def test_files_of_a_review_are_compared_by_their_hash(folder: Path, now: bytes | None, state: str) -> None:
    if now is not None:
        folder.joinpath("a.py").write_bytes(now)
    file = whole_file("a.py", "a\nb\n", hashlib.sha256(b"a\nb\n").hexdigest())
    sources = (Source(name=HEAD, text="kind: files\n"), file.source())
    assert states(Brief(topic="Faults?", background=sources), folder) == {"a.py": state}


def test_the_command_says_what_has_changed_and_fails(folder: Path) -> None:
    folkmoot(folder, "run", "move.md", *QUOTES)
    same = folkmoot(folder, "verify", "--documents", "last")
    assert (same.exit_code, same.stdout.split(": ")[1]) == (0, "2 documents, none has changed\n")
    folder.joinpath("plan.md").write_text("Lyon is far.\n")
    changed = folkmoot(folder, "verify", "--documents", "last", "--in", ".")
    assert (changed.exit_code, changed.stdout.split(": ")[1]) == (9, "plan.md has changed\n")
    folder.joinpath("plan.md").unlink()
    lines = [line.split(": ", 1)[1] for line in folkmoot(folder, "verify", "--documents", "last").stdout.splitlines()]
    assert lines == ["plan.md is missing"]
    folder.joinpath("move.md").write_text(BRIEF.replace("May", "June"))
    lines = [line.split(": ", 1)[1] for line in folkmoot(folder, "verify", "--documents", "last").stdout.splitlines()]
    assert lines == [
        "move.md cannot be compared: move.md:3: there is no file 'plan.md' beside the brief",
        "plan.md is missing",
    ]


def shown_of(brief: Brief, **kinds: str) -> str:
    shown = [DocumentOnRecord(name=name, state=cast("DocumentState", state)) for name, state in kinds.items()]
    return stale_warning("move-1a2b3c", brief, shown)


def test_a_warning_names_what_changed_and_says_nothing_where_no_file_is_at_hand() -> None:
    brief = Brief(topic="Move?")
    assert shown_of(brief, a="same", b="same") == shown_of(brief, a="missing", b="missing") == shown_of(brief) == ""
    words = shown_of(brief, a="changed", b="changed", c="missing", d="unreadable", e="changed", f="changed", g="same")
    assert words.split(" (")[1].split(")")[0] == (
        "changed since: a, b, e and 1 more; now missing: c; not readable now: d"
    )
    assert "run the brief again" in words
    review = Brief(topic="Faults?", background=(Source(name=HEAD, text="kind: files\n"),))
    assert "folkmoot review reviews them as they are now." in shown_of(review, a="changed")


@pytest.mark.parametrize("names", [("a",), ("a", "b")])
def test_where_the_folder_is_not_on_record_only_a_difference_in_words_is_told(names: tuple[str, ...]) -> None:
    shown = [DocumentOnRecord(name=name, state="changed") for name in names]
    missing = DocumentOnRecord(name="c", state="missing")
    words = stale_warning("move-1a2b3c", Brief(topic="Move?"), [*shown, missing], is_place_known=False)
    assert words.endswith("folkmoot verify --documents move-1a2b3c --in FOLDER compares them with a folder's.")
    assert "The record does not say from which folder the documents came" in words
    assert "since" not in words
    assert "missing" not in words
    unread = DocumentOnRecord(name="a", state="unreadable")
    assert stale_warning("move-1a2b3c", Brief(topic="Move?"), [unread, missing], is_place_known=False) == ""


async def test_a_file_of_the_same_name_in_another_folder_is_another_file(folder: Path) -> None:
    brief, elsewhere = read_file(folder / "move.md").brief, folder / "elsewhere"
    elsewhere.mkdir()
    for name in ("move.md", "plan.md"):
        elsewhere.joinpath(name).write_text("Quite another matter.\n")
    watch = DocumentWatch(elsewhere)
    assert await watch.warnings("one", brief, place_of(folder)) == []
    assert "A file" not in (await watch.warnings("two", brief, place_of(elsewhere)))[0]
    assert (await watch.warnings("three", brief, ""))[0].startswith("Files here differ from the documents")


def test_the_place_of_documents_names_no_folder_and_holds_for_links_to_it(folder: Path, tmp_path: Path) -> None:
    parsed = read_file(folder / "move.md")
    link = tmp_path / "link"
    link.symlink_to(folder, target_is_directory=True)
    assert parsed.place == place_of(folder) == place_of(link)
    assert len(parsed.place) == 4
    assert read_brief("# Move?\n\nThe lease ends.\n").place == ""
    assert read_brief("Move?", folder=folder).place == ""


def test_further_documents_of_another_folder_leave_no_place(folder: Path) -> None:
    parsed, other = read_file(folder / "move.md"), folder / "other"
    other.mkdir()
    other.joinpath("cost.md").write_text("40 euros.\n")
    folder.joinpath("cost.md").write_text("40 euros.\n")
    settings = {"background": LocatedValue(value=("cost.md",), line=0)}
    assert with_settings(parsed, settings, folder).place == parsed.place
    assert with_settings(parsed, settings, other).place == ""
    assert with_settings(read_brief("Move?"), settings, other).place == place_of(other)


async def test_a_slow_disk_holds_up_nobody_and_the_answer_is_there_once_it_has_come(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brief, place = read_file(folder / "move.md").brief, place_of(folder)
    go, now = threading.Event(), [0.0]
    folder.joinpath("plan.md").write_text("Lyon is far.\n")
    read = document_states

    def slow(brief: Brief, folder: Path) -> list[DocumentOnRecord]:
        go.wait(10)
        return read(brief, folder)

    monkeypatch.setattr("folkmoot.app.brief.document_states.document_states", slow)
    watch = DocumentWatch(folder, seconds=0.01, clock=lambda: now[0])
    assert await watch.warnings("one", brief, place) == await watch.warnings("two", brief, place) == []
    assert await watch.warnings("three", brief, place) == []  # two comparisons run already
    go.set()

    async def is_known() -> bool:
        return bool(await watch.warnings("one", brief, place))

    await until(is_known)
    known = await watch.warnings("one", brief, place)
    assert "changed since: plan.md" in known[0]
    folder.joinpath("plan.md").write_text("Lyon is near.\n")
    assert await watch.warnings("one", brief, place) == known  # fresh for ten seconds
    now[0] = 11.0
    go.clear()
    assert await watch.warnings("one", brief, place) == known  # the last answer, until there is a new one
    await watch.warnings("two", brief, place)
    now[0] = 30.0
    assert await watch.warnings("two", brief, place) == await watch.warnings("two", brief, place)
    go.set()

    async def is_same() -> bool:
        return not await watch.warnings("one", brief, place)

    await until(is_same)


async def test_answers_are_kept_of_so_many_debates_and_an_error_ends_no_later_question(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brief, read = read_file(folder / "move.md").brief, document_states
    monkeypatch.setattr(DocumentWatch, "MOST_KEPT", 1)
    topics: list[str] = []

    def counted(brief: Brief, folder: Path) -> list[DocumentOnRecord]:
        topics.append(brief.topic)
        if len(topics) == 1:
            raise ZeroDivisionError
        return read(brief, folder)

    monkeypatch.setattr("folkmoot.app.brief.document_states.document_states", counted)
    watch = DocumentWatch(folder, fresh=0.0)
    with pytest.raises(ZeroDivisionError):
        await watch.warnings("one", brief, place_of(folder))
    for name in ("two", "one", "three"):
        assert await watch.warnings(name, brief, place_of(folder)) == []
    assert len(topics) == 4


# ---- lists -----------------------------------------------------------------------------------------------------------


class Page:
    """A page of a list: debates about the same files, of which one changed after the first debate began."""

    def __init__(self, folder: Path, *briefs: Brief) -> None:
        self.folder = folder
        self.briefs = {f"d{n}": brief for n, brief in enumerate(briefs)}
        self.rows = [Summary(debate=debate, entries=1, place=place_of(folder)) for debate in self.briefs]

    async def opening(self, debate: str) -> Opened:
        return Opened(brief=self.briefs[debate], protocol={}, place=place_of(self.folder))

    async def stale(self, watch: StaleDebates) -> list[str]:
        """Which are stale."""
        return sorted(await watch.among(self.rows, self.opening))


@pytest.fixture
def page(folder: Path) -> Page:
    """Two debates, the first of which is stale."""
    before = read_file(folder / "move.md").brief
    folder.joinpath("plan.md").write_text("Lyon is far.\n")
    return Page(folder, before, read_file(folder / "move.md").brief)


@pytest.mark.parametrize(
    ("limit", "value", "debates"),
    [
        ("MOST_DEBATES", 1, ["d0"]),
        ("MOST_DEBATES", 0, []),
        ("MOST_FILES", 1, []),
        ("MOST_BYTES", 20, []),
        ("MOST_KEPT", 0, ["d0"]),
    ],
)
async def test_a_list_looks_at_so_much_and_no_more(
    limit: str, value: int, debates: list[str], page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = StaleDebates(page.folder, seconds=60)
    assert await page.stale(watch) == await page.stale(watch) == ["d0"]
    monkeypatch.setattr(StaleDebates, limit, value)
    watch = StaleDebates(page.folder, seconds=60)
    assert await page.stale(watch) == await page.stale(watch) == debates


async def test_a_file_is_read_again_only_where_it_may_have_changed(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    read, names = document_states_module.read_bytes, list[str]()

    def noted(name: str, path: Path, *, limit: int) -> bytes:
        names.append(name)
        return read(name, path, limit=limit)

    monkeypatch.setattr(document_states_module, "read_bytes", noted)
    watch = StaleDebates(page.folder, seconds=60)
    for _ in range(2):
        assert await page.stale(watch) == ["d0"]
    assert names.count("move.md") == 3  # once to compare all; it is too young to be known by its time
    monkeypatch.setattr(document_states_module, "SETTLED", -(10**18))
    for _ in range(3):
        assert await page.stale(watch) == ["d0"]
    assert names.count("move.md") == 4
    page.folder.joinpath("plan.md").write_text("Lyon is near.\n")
    assert await page.stale(watch) == ["d1"]
    page.briefs["d0"] = page.briefs["d1"]
    page.rows[0] = replace(page.rows[0], at=1.0)  # another debate of that name
    assert await page.stale(watch) == ["d0", "d1"]


async def test_reviews_are_compared_by_their_hashes_and_removed_files_not_at_all(folder: Path) -> None:
    file = whole_file("a.py", "a\nb\n", hashlib.sha256(b"a\nb\n").hexdigest())
    removed = replace(file, path="gone.md", change="removed")
    head = Source(name=HEAD, text="kind: files\n")
    review = Brief(topic="Faults?", background=(head, file.source(), removed.source()))
    page, watch = Page(folder, review), StaleDebates(folder, seconds=60)
    for text, debates in (("a\nb\n", []), ("a\r\nb\r\n", []), ("a\nc\n", ["d0"])):
        folder.joinpath("a.py").write_bytes(text.encode())
        assert await page.stale(watch) == debates, text


async def test_a_list_waits_for_no_slow_disk_and_tells_later_what_it_knows(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, read, threads = threading.Event(), document_states_module.read_bytes, list[int]()

    def slow(name: str, path: Path, *, limit: int) -> bytes:
        threads.append(threading.get_ident())
        go.wait(10)
        return read(name, path, limit=limit)

    monkeypatch.setattr(document_states_module, "read_bytes", slow)
    watch = StaleDebates(page.folder, seconds=0.05)
    assert await page.stale(watch) == await page.stale(watch) == []
    assert len(threads) <= 1  # no second one begins while the first one waits
    go.set()

    async def is_known() -> bool:
        return await page.stale(watch) == ["d0"]

    await until(is_known)
