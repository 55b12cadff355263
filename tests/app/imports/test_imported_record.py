"""Records of imported conversations: they are intact, played again, recounted and forked like any other."""

import json
from pathlib import Path

import pytest

from folkmoot.app.imports.imported_record import MOST_BYTES, MOST_TURNS, import_conversation, read_conversations
from folkmoot.app.run.fork import Change, count_matching, fork
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Asked, Opened, Replied
from folkmoot.core.transcript import fold
from tests.cli.commands import folkmoot

TRANSCRIPT = "# Build or buy?\n\n**Ada:** Build it.\n\n**Ben:** Buy it.\n\n**Ada:** Why?\n\n**Ben:** Time.\n"
CHAT = json.dumps([{"role": "user", "content": "Tea?"}, {"role": "assistant", "model": "vendor/one", "content": "No."}])


async def test_a_transcript_is_a_record_that_can_be_forked(tmp_path: Path) -> None:
    workspace = Workspace.at(tmp_path / "folkmoot.sqlite")
    data = TRANSCRIPT.encode()
    (conversation,) = read_conversations(data, "talk.md")
    debate = await import_conversation(workspace, conversation, "talk.md", data)
    entries = await workspace.entries(debate)
    opened = entries[0].event
    assert isinstance(opened, Opened)
    assert opened.chosen[0].startswith("imported from talk.md (transcript, sha256 ")
    assert count_matching(opened, [entry.event for entry in entries[1:]]) == len(entries) - 2  # all but the end
    turns = fold(entries).turns()
    assert [(turn.by, turn.text) for turn in turns] == [
        ("Ada", "Build it."),
        ("Ben", "Buy it."),
        ("Ada", "Why?"),
        ("Ben", "Time."),
    ]
    assert fold(entries).closed
    with pytest.raises(BriefError, match="its words were imported; name one: -m PROVIDER:NAME"):
        await fork(workspace, debate, at=9)
    forked = await fork(workspace, debate, at=9, change=Change(models={"": "builtin:quotes"}))
    outcome = await workspace.resume(forked)
    assert [turn.text for turn in outcome.transcript.turns()][:2] == ["Build it.", "Buy it."]
    assert len(outcome.transcript.turns()) == 4
    await workspace.close()


async def test_answers_to_one_question_are_asked_for_apart(tmp_path: Path) -> None:
    workspace = Workspace.at(tmp_path / "folkmoot.sqlite")
    nodes = {
        "1": {"parentId": None, "role": "user", "content": "Build or buy?"},
        "2": {"parentId": "1", "role": "assistant", "model": "ollama:a", "content": "Build."},
        "3": {"parentId": "1", "role": "assistant", "model": "ollama:b", "content": "Buy."},
    }
    chat = {"models": ["ollama:a", "ollama:b"], "history": {"currentId": "3", "messages": nodes}}
    data = json.dumps([{"chat": chat}]).encode()
    (conversation,) = read_conversations(data, "chats.json")
    entries = await workspace.entries(await import_conversation(workspace, conversation, "chats.json", data))
    kinds = [type(entry.event).__name__ for entry in entries if isinstance(entry.event, Asked | Replied)]
    assert kinds == ["Asked", "Replied", "Asked", "Asked", "Replied", "Replied"]
    transcript = fold(entries)
    assert [(turn.by, turn.text) for turn in transcript.turns()][1:] == [("ollama a", "Build."), ("ollama b", "Buy.")]
    assert transcript.brief
    assert [who.seat for who in transcript.brief.participants] == ["human", "imported:ollama:a", "imported:ollama:b"]
    await workspace.close()


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"x" * (MOST_BYTES + 1), f"file.md has {MOST_BYTES + 1:,} bytes; at most {MOST_BYTES:,} can be imported"),
        (b"PK\x03\x04 ...", "file.md is a packed file; unpack it"),
        (b"\xef\xbb\xbf \n", "file.md is empty"),
        (b"Ada: \xff", "'file.md' is not in UTF-8 (byte 5)"),
        (
            ("A: x\nB: y\n" * MOST_TURNS).encode(),
            f"file.md: a conversation has {2 * MOST_TURNS:,} turns of 2 speakers; at most",
        ),
        (
            "".join(f"Name {n}: x\nName {n}: y\n" for n in range(41)).encode(),
            "file.md: a conversation has 82 turns of 41 speakers; at most",
        ),
    ],
)
def test_what_cannot_be_imported_is_refused(data: bytes, problem: str) -> None:
    with pytest.raises(BriefError) as caught:
        read_conversations(data, "file.md")
    assert str(caught.value).startswith(problem)


@pytest.mark.parametrize("mark", ["[10:0{}] {}: Yes.", "(10:0{}) {}: Yes.", "10:0{} {}: Yes."])
def test_a_transcript_may_begin_with_a_time(mark: str) -> None:
    lines = [mark.format(n, name) for n, name in enumerate(("Ada", "Ben", "Ada", "Ben"))]
    (conversation,) = read_conversations("\n".join(lines).encode(), "talk.txt")
    assert [said.by for turn in conversation.turns for said in turn] == ["Ada", "Ben", "Ada", "Ben"]


@pytest.mark.parametrize("text", ['[{"role": "user", "content": ""}]', ' {"messages": []}', " [\n]"])
def test_json_is_told_by_its_beginning_whatever_the_file_is_called(text: str) -> None:
    with pytest.raises(BriefError, match="known are chat messages"):
        read_conversations(text.encode(), "talk.txt")


async def test_invisible_characters_and_names_with_a_meaning_are_cleaned(tmp_path: Path) -> None:
    workspace = Workspace.at(tmp_path / "folkmoot.sqlite")
    data = "Proposal A: Bu\u200bild\u202e.\nProposal B: Buy.\nProposal A: No.\nProposal B: Yes.".encode()
    (conversation,) = read_conversations(data, "talk.txt")
    assert [said.by for said in conversation.speakers] == ["Proposal A (speaker)", "Proposal B (speaker)"]
    debate = await import_conversation(workspace, conversation, "talk.txt", data)
    assert "Build." in [turn.text for turn in fold(await workspace.entries(debate)).turns()]
    await workspace.close()


def test_the_command_names_what_it_leaves_out(tmp_path: Path) -> None:
    rows = [{"messages": [{"role": "user", "content": words}]} for words in ("Tea?", "", " ")]
    (tmp_path / "rows.json").write_text(json.dumps(rows), "utf-8")
    result = folkmoot(tmp_path, "store", "import", "rows.json")
    assert (result.exit_code, len(result.stdout.splitlines())) == (0, 1)
    assert result.stderr.startswith("folkmoot: rows.json: 2 conversations without words left out\n")


def test_the_command_imports_what_it_can(tmp_path: Path) -> None:
    for name, text in (("talk.md", TRANSCRIPT), ("none.md", "Nobody."), ("chat.json", CHAT)):
        (tmp_path / name).write_text(text)
    dry = folkmoot(tmp_path, "store", "import", "talk.md", "--dry-run")
    assert (dry.exit_code, dry.stdout) == (0, "Build or buy? (transcript: Ada 2 turns, Ben 2 turns)\n")
    came = folkmoot(tmp_path, "store", "import", "talk.md", "none.md", "chat.json")
    assert came.exit_code == 1
    assert "none.md: no speakers found." in came.stderr
    assert folkmoot(tmp_path, "verify", "last").exit_code == 0
    assert "imported:vendor/one" in folkmoot(tmp_path, "show", "last").stdout
