"""Frames of a provider are recorded without keys and ids, and compared with earlier ones by their shape."""

import json
import re
from contextlib import chdir
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from benchmarks.frames.__main__ import main
from benchmarks.frames.recorded_frames import QUESTIONS, Recording, Tap, changes, shape, without_ids
from folkmoot.core.ask import ToolCall
from folkmoot.testing.wires import Call, Plan
from tests.cli.commands import served, settle
from tests.models.models_kit import KEY, Canned, Notebook, Page, canned

ACCOUNT = "org-Abcdef123"


def frames(folder: Path, *words: str, stdin: str = "", **env: str) -> Result:
    """Run the command in a folder of its own."""
    with chdir(folder):
        return CliRunner(env={**settle(folder), **env}).invoke(main, list(words), input=stdin)


def speak(call: Call) -> Plan:
    """A provider that asks for the tool, and tells the account and the key in an error."""
    if str(call.body["model"]).endswith("exist"):
        return Plan(status=404, error=f"no such model in {ACCOUNT}, key {KEY}")
    if "tools" in call.body and call.prompt != "520,000":
        return Plan(tools=(ToolCall(id="call_1", name="look_up", arguments='{"city":"Lyon"}'),))
    return Plan(text="Well, hello.", slice=3)


def test_twelve_answers_are_written_without_keys_and_ids(tmp_path: Path) -> None:
    with served(speak) as wires:
        env = {"OPENAI_BASE_URL": f"{wires.url}/v1", "OPENAI_API_KEY": KEY}
        first = frames(tmp_path, "openai:gpt-4o", stdin="y\n", **env)
        assert first.exit_code == 0, first.output
        assert len(wires.calls) == len(QUESTIONS) == 12
        again = frames(tmp_path, "openai:gpt-4o", "--yes", **env)
        assert (again.exit_code, "exists already" in again.output) == (2, True)
        assert len(wires.calls) == 12
        more = "--to", "second", "--against", "frames-openai-gpt-4o", "--yes"
        second = frames(tmp_path, "openai:gpt-4o", *more, **env)
        assert "new:" not in second.output
    files = sorted((tmp_path / "frames-openai-gpt-4o").iterdir())
    assert [path.name[:2] for path in files] == [f"{n:02}" for n in range(1, 13)]
    texts = [path.read_text("utf-8") for path in files]
    assert not any(KEY in text or ACCOUNT in text or re.search(r'\\"id\\": \\"(?!id-)', text) for text in texts)
    recordings = {data["question"]: data for data in map(json.loads, texts)}
    assert recordings["words"]["read"]["text"] == "Well, hello."
    assert recordings["tool"]["read"]["tools"] == [{"name": "look_up", "arguments": '{"city":"Lyon"}'}]
    assert recordings["cut-off"]["request"]["max_completion_tokens"] == 16
    assert (recordings["no-such-model"]["status"], recordings["no-such-model"]["read"]["error"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("ollama:tiny",), "Aborted"),
        (("library:bedrock:x", "--yes"), "frames cannot be recorded"),
        (("ollama:tiny", "--yes", "--against", "."), "no recorded answer"),
        (("ollama:tiny", "--yes", "--against", "nowhere"), "holds no recorded answers"),
        (("ollama:tiny", "--yes", "--to", "other.json/x"), "cannot be made"),
    ],
)
def test_nothing_is_sent_where_something_is_wrong(tmp_path: Path, words: tuple[str, ...], problem: str) -> None:
    (tmp_path / "other.json").write_text("{}")
    with served(speak) as wires:
        result = frames(tmp_path, *words, OLLAMA_HOST=wires.url, stdin="n\n")
        assert result.exit_code != 0
        assert problem in result.output
        assert not wires.calls


def test_a_provider_that_is_not_there_is_recorded_as_that(tmp_path: Path) -> None:
    result = frames(tmp_path, "ollama:tiny", "--yes", OLLAMA_HOST="http://127.0.0.1:9")
    assert result.exit_code == 0
    data = json.loads((tmp_path / "frames-ollama-tiny" / "01-words.json").read_text("utf-8"))
    assert (data["status"], data["body"], data["read"]["error"]) == (0, "", "connection")


def test_ids_are_numbered_and_owners_removed() -> None:
    body = '{"id": "abc", "tool_call_id":"abc","created":17,"request_id":"z","x":"org-12345","text":"my id is 3"}'
    wanted = (
        '{"id": "id-1", "tool_call_id":"id-1","created":0,"request_id":"id-2","x":"org-removed","text":"my id is 3"}'
    )
    assert without_ids(body, None) == wanted


def recorded(body: str, status: int = 200) -> Recording:
    return Recording(question="words", model="m", request={}, status=status, headers={}, body=body, read={})


def test_a_change_of_shape_is_found_whatever_the_words_are() -> None:
    old = recorded('data: {"delta":{"content":"a"},"n":1,"ok":true,"none":null,"l":[],"arguments":{"x":1}}\n\n: ping\n')
    new = recorded(
        '{"delta":{"reasoning":"b"},\n"n":1.5,"ok":false,"none":null,"l":[{"x":1}],"arguments":{"y":2}}', 206
    )
    assert changes(old, new) == [
        "status: 200 became 206",
        "new: delta.reasoning: text",
        "new: l[].x: number",
        "gone: delta.content: text",
        "gone: l: list",
    ]
    assert shape("{broken}\n<html>") == frozenset()


async def test_the_way_to_go_on_with_its_own_message_is_the_providers() -> None:
    request = QUESTIONS["go-on"]
    sent: dict[str, dict[str, object]] = {}
    for name in ("mistral:a", "vllm:a", "openai:gpt-4o"):
        model, port = canned(name, Page(b'{"choices":[{"message":{"content":"blue"},"finish_reason":"stop"}]}'))
        await model.complete(request, Notebook())
        sent[name] = port.sent[0]
        assert model.traits.prefill is (name != "openai:gpt-4o")
    assert '"prefix": true' in json.dumps(sent["mistral:a"]["messages"])
    assert (sent["vllm:a"]["continue_final_message"], sent["vllm:a"]["add_generation_prompt"]) == (True, False)
    assert "prefix" not in json.dumps(sent["openai:gpt-4o"])
    assert "continue_final_message" not in sent["openai:gpt-4o"]


async def test_a_recorded_answer_can_be_paused_as_the_real_one() -> None:
    tap = Tap(Canned(lambda url: Page(b"words")))
    async with tap.open("http://127.0.0.1/x", {}, b"{}") as answer:
        assert answer.pause() is False
        assert await answer.read() == b"words"
    await tap.close()
    assert tap.exchanges[0].body == [b"words"]
