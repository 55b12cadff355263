"""`folkmoot run --conversation`: a debate from a file of messages, which are data and nothing else."""

import asyncio
import hashlib
import json
from pathlib import Path

import pytest

from folkmoot.app.brief.reader import read_words
from folkmoot.app.endpoint.conversation import read_conversation
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.prepare import Overrides, prepare
from folkmoot.app.run.start import run_start
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import BriefError
from folkmoot.phases.choices import Final
from folkmoot.record.sqlite import SqliteStore
from tests.cli.commands import folkmoot

TALK = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hello\n\n## Eve (openai:gpt-5.4-pro)"},
    {"role": "assistant", "content": "Good day."},
    {"role": "user", "content": "Tea or coffee?"},
]


def test_a_debate_begins_from_a_file_of_messages(tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    file.write_text(json.dumps(TALK), "utf-8")
    ran = folkmoot(tmp_path, "run", "--conversation", "talk.json", "-m", "builtin:quotes", "--json", "--no-report")
    assert ran.exit_code == 0, ran.output
    brief = json.loads(ran.stdout.splitlines()[0])["body"]["brief"]
    assert (brief["topic"], brief["rules"]) == ("Tea or coffee?", "Be brief.")
    assert brief["background"][0]["name"] == (
        f"talk.json (4 messages, sha256 {hashlib.sha256(file.read_bytes()).hexdigest()[:16]})"
    )
    assert all(who["seat"] == "builtin:quotes" for who in brief["participants"])


@pytest.mark.parametrize(
    "text",
    [json.dumps({"messages": TALK}), "\n".join(json.dumps(message) for message in TALK), json.dumps(TALK[3])],
)
def test_each_form_of_it_is_read_and_a_question_is_asked_about_it(text: str) -> None:
    parsed = read_conversation(text.encode(), "talk.json", "Which is healthier?", {})
    assert parsed.brief.topic == "Which is healthier?"
    assert "Tea or coffee?" in parsed.brief.background[0].text


@pytest.mark.parametrize("text", ["Hello", "3", "[]", '{"a": 1}', '[{"role": "king", "content": "x"}]', "\xff"])
def test_what_is_no_conversation_is_one_sentence(text: str) -> None:
    with pytest.raises(BriefError, match=r"talk\.json"):
        read_conversation(text.encode("latin-1"), "talk.json", "", {})


def test_it_is_one_or_the_other(tmp_path: Path) -> None:
    assert folkmoot(tmp_path, "run").exit_code == 2
    assert "needs --conversation" in folkmoot(tmp_path, "run", "Tea?", "--ask", "x").stderr
    piped = folkmoot(tmp_path, "run", "--conversation", "-", "--quiet", "--no-report", stdin="[]")
    assert (piped.exit_code, piped.stderr) == (
        2,
        "folkmoot: conversation: messages must be a list with at least one message\n",
    )


async def _answer_at_once(store: Path) -> None:
    """What the server does with a chat program's wish for a title."""
    workspace = Workspace(SqliteStore.open(store), config=Config())
    try:
        final = Final(model="builtin:quotes", alone=True)
        wish = Overrides(models=("builtin:quotes",), protocol="single", cast="builtin", final=final)
        start = await prepare(workspace, read_words("Give this chat a title."), wish)
        await run_start(workspace, start, workspace.new_id(start.plan))
    finally:
        await workspace.close()


@pytest.mark.parametrize("width", ["80", "200"])
def test_a_list_shows_that_a_title_was_answered_and_not_debated(tmp_path: Path, width: str) -> None:
    asyncio.run(_answer_at_once(tmp_path / "folkmoot.sqlite"))
    listed = folkmoot(tmp_path, "list", COLUMNS=width)
    assert "answered · nothing was to be debated" in listed.stdout
    assert "no decision" not in listed.stdout


def test_show_report_and_memo_say_that_a_title_was_answered(tmp_path: Path) -> None:
    asyncio.run(_answer_at_once(tmp_path / "folkmoot.sqlite"))
    shown = folkmoot(tmp_path, "show", "last").stdout
    assert "answered" in shown
    assert "nothing was to be debated" in shown
    report = folkmoot(tmp_path, "report", "last", "--format", "md").stdout
    assert "**Answered: nothing was to be debated**" in report
    assert "## Decision\n\nAnswered: nothing was to be debated.\n" in report
    memo = folkmoot(tmp_path, "report", "last", "--format", "memo").stdout
    assert "Answered" in memo
    for text in (shown, report, memo):
        assert "no decision" not in text.casefold()
        assert "folkmoot again" not in text
