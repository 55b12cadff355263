"""The tools of the MCP server, called by the SDK's client: what they give, what they refuse, what they cost."""

import asyncio
import json
import re
from pathlib import Path

import pytest
from mcp import MCPError

from folkmoot.core.event import Interjected
from folkmoot.mcp.summaries import plain
from folkmoot.record.mailbox import Mailbox
from tests.council.agents import own_place
from tests.mcp.mcp_kit import BUILTIN, PEOPLE, QUOTES, TABLE, Dear, Slow, SlowAndDear, place, result, runner_in


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    own_place(tmp_path, monkeypatch)
    return tmp_path


READS = {
    "check_brief",
    "wait_for_debate",
    "get_debate",
    "get_decision",
    "get_receipt",
    "list_debates",
    "list_protocols",
    "list_models",
    "list_plugins",
    "get_report",
}
CHANGES = {"run_debate", "start_debate", "stop_debate", "resume_debate", "answer_question", "post_message"}


async def test_tools_say_what_they_do(folder: Path) -> None:
    async with runner_in(folder) as runner, place(runner) as here:
        tools = {offered_tool.name: offered_tool for offered_tool in (await here.caller.list_tools()).tools}
    assert set(tools) == READS | CHANGES
    for name, tool in tools.items():
        assert tool.annotations
        assert tool.annotations.read_only_hint is (name in READS)
        assert tool.annotations.destructive_hint is (None if name in READS else False)
        assert tool.annotations.idempotent_hint is (name in READS | {"stop_debate", "resume_debate"})
        assert tool.output_schema is None, "it would cost more than all the rest"
        assert tool.description
        assert len(tool.description) < 500
    assert not any("here" in offered_tool.input_schema["properties"] for offered_tool in tools.values())


async def test_all_tools_together_fit_into_an_agents_context(folder: Path) -> None:
    async with runner_in(folder) as runner, place(runner) as here:
        tools = [tool.model_dump(by_alias=True, exclude_none=True) for tool in (await here.caller.list_tools()).tools]
    text = json.dumps(tools, separators=(",", ":"))
    # At least as many as the tokenizers of today make: short pieces of words, and punctuation in small groups.
    tokens = re.findall(r"[A-Za-z]{1,6}|\d{1,3}|[^A-Za-z\d\s]{1,3}", text)
    assert len(tokens) <= 3000, len(tokens)


async def test_a_wrong_argument_is_named(folder: Path) -> None:
    async with runner_in(folder) as runner, place(runner) as here:
        refused = await here.refused("wait_for_debate", debate="a-1")
        assert refused == "wait_for_debate has no argument 'debate'; it takes id, seconds"
        assert await here.refused("list_protocols", all=True) == "list_protocols has no argument 'all'; it takes none"
        assert "id" in await here.refused("wait_for_debate")
        assert "Unknown tool" in await here.refused("nothing", x=1)


async def test_debates_that_wait_for_a_person_take_no_place(folder: Path) -> None:
    async with runner_in(folder, most=2) as runner, place(runner) as here:
        debates: list[str] = []
        for _ in range(4):
            memo = await here.call("run_debate", question=PEOPLE, models=list(BUILTIN))
            assert memo["status"] == "waiting"
            debates.append(str(memo["id"]))
        assert set(debates) == set(runner.running)
        rows = (await here.call("list_debates"))["debates"]
        assert [row["status"] for row in rows] == ["waiting"] * 4, "as wait_for_debate says"
        memo = await here.call("wait_for_debate", id=debates[0])
        state = await here.call("get_debate", id=debates[0])
        assert memo["waits_for"] == state["waits_for"]
        (ada,) = memo["waits_for"]
        assert (ada["name"], bool(ada["task"]), bool(ada["key"])) == ("Ada", True, True)
        assert "ANSWER" in [field["name"] for field in ada["fields"]]
        assert "waits_for" in str(memo["next"])


async def test_a_message_to_a_debate_whose_participants_are_being_made_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow()
    async with runner_in(folder, models={"slow": slow}) as runner, place(runner) as here:
        debate = await here.begin(QUOTES, ("guest:slow",))
        assert (await here.call("get_debate", id=debate))["status"] == "casting"
        refused = await here.refused("post_message", id=debate, words="Think of the cold.", by="Guest")
        assert refused == f"the participants of {debate} are still being generated; send the message when it runs"
        slow.go.set()


async def test_one_owner_cannot_open_debates_without_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("folkmoot.app.run.runner.MOST_OWN", 1)
    async with runner_in(folder) as runner, place(runner) as here:
        await here.call("run_debate", question=PEOPLE, models=list(BUILTIN))
        refused = await here.refused("start_debate", question=QUOTES, models=list(BUILTIN))
        assert refused == "the limit of your open debates is reached (1); stop one, or answer its question"


async def test_a_debate_is_run_with_progress(folder: Path) -> None:
    rows: list[tuple[float, float | None, str | None]] = []

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        rows.append((progress, total, message))

    async with runner_in(folder) as runner, place(runner) as here:
        arguments = {"question": QUOTES, "models": list(BUILTIN)}
        call_tool = await here.caller.call_tool("run_debate", arguments, progress_callback=progress)
        memo = result(call_tool)
        assert (memo["status"], memo["over"], memo["next"]) == ("decided", True, "")
        assert all(memo[name] for name in ("decision", "votes", "dissent", "minority"))
        assert "never an instruction" in str(memo["note"])
        assert memo == await here.call("get_decision", id=memo["id"])
        assert memo == await here.call("wait_for_debate", id=memo["id"], seconds=1)
        report = await here.read(str(memo["report"]))
    done = [numbers[0] for numbers in rows]
    assert done == sorted(set(done))
    assert rows[-1] == (9, 9, rows[-1][2])
    assert ": vote" in str(rows[-1][2])
    assert report.startswith("# Tea or coffee?")


async def test_a_debate_is_followed_in_pieces(folder: Path) -> None:
    async with runner_in(folder) as runner, place(runner) as here:
        debate = await here.begin()
        await runner.wait(debate)
        state = await here.call("get_debate", id=debate)
        turns = state["turns"]
        assert [turn["mark"] for turn in turns if turn["act"] == "vote"] == [
            turn["mark"] for turn in turns if turn["choice"]
        ]
        assert "Coffee is quick" in turns[0]["text"]
        assert (state["asked"], state["done"], state["more"], state["runs"]) == (9, 9, False, False)
        assert await here.call("get_debate", id=debate, after=state["after"]) == {**state, "turns": []}
        part = await here.call("get_debate", id=debate, after=turns[-2]["seq"])
        assert part["turns"] == turns[-1:]
        receipt = await here.call("get_receipt", id=debate)
        assert receipt["receipt"] == json.loads(await here.read(f"debate://{debate}/receipt"))
        record = (await here.read(f"debate://{debate}/record")).splitlines()
        assert tuple(record) == await runner.workspace.lines(debate)
        rows = (await here.call("list_debates", query="TEA coffee"))["debates"]
        assert [(row["id"], row["status"]) for row in rows] == [(debate, "decided")]
        assert (await here.call("list_debates", query="milk"))["debates"] == []


async def test_long_words_come_in_several_answers(folder: Path) -> None:
    long = "Tea is calm. " * 1500
    async with runner_in(folder) as runner, place(runner) as here:
        debate = await here.begin(PEOPLE)
        await here.call("wait_for_debate", id=debate)
        for _ in range(2):
            await here.call("post_message", id=debate, words=long, by="Guest")
        await here.call("answer_question", id=debate, words="", fields={"ANSWER": "Tea", "ARGUMENT": "Calm."})
        await here.call("wait_for_debate", id=debate)
        numbers: list[int] = []
        after, more = 0, True
        for _ in range(100):
            if not more:
                break
            state = await here.call("get_debate", id=debate, after=after)
            assert state["turns"]
            numbers += [item["seq"] for item in state["turns"]]
            after, more = int(str(state["after"])), bool(state["more"])
            assert len(json.dumps(state)) < 60_000
        assert numbers == sorted(set(numbers))
        assert len((await here.call("get_debate", id=debate))["turns"]) < len(numbers)


async def test_a_person_is_waited_for_and_answers(folder: Path) -> None:
    async with runner_in(folder) as runner, place(runner) as here:
        memo = await here.call("run_debate", question=PEOPLE, models=list(BUILTIN))
        debate = memo["id"]
        assert (memo["status"], memo["over"]) == ("waiting", False)
        assert "Ada must answer" in str(memo["next"])
        state = await here.call("get_debate", id=debate)
        (ada,) = state["waits_for"]
        assert state["turns"] == [], "whoever asks Ada knows no answer of those who were asked with her"
        assert state["done"] == 1
        assert (ada["name"], ada["left"]) == ("Ada", None)
        assert "ANSWER" in [field["name"] for field in ada["fields"]]
        assert "Milo" in await here.refused("answer_question", id=debate, words="Tea", who="Milo")
        assert "asked something else" in await here.refused("answer_question", id=debate, words="Tea", key="/other")
        fields = {"ANSWER": "Tea", "CONFIDENCE": 0.9, "ARGUMENT": "It is calm."}
        call = await here.call("answer_question", id=debate, words="", who="Ada", key=ada["key"], fields=fields)
        assert (call["by"], call["runs"]) == ("Ada", True)
        assert call["fields"]["ANSWER"] == "Tea"
        while not (memo := await here.call("wait_for_debate", id=debate))["over"]:
            (ada,) = (await here.call("get_debate", id=debate))["waits_for"]
            vote = next((field["choices"][0] for field in ada["fields"] if field["choices"]), "Tea")
            votes = {field["name"]: vote if field["choices"] else "Tea" for field in ada["fields"] if field["required"]}
            await here.call("answer_question", id=debate, words="I hold to it.", fields=votes)
        assert "is over" in await here.refused("post_message", id=debate, words="Late.", by="Guest")
        assert runner.running == ()


async def test_a_debate_that_takes_its_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("folkmoot.mcp.tools.PATIENCE", 0.05)
    slow = Slow()
    async with runner_in(folder, models={"slow": slow}) as runner, place(runner) as here:
        memo = await here.call("run_debate", question=TABLE, models=["guest:slow"])
        debate = memo["id"]
        assert (memo["status"], memo["over"]) == ("running", False)
        assert f"wait_for_debate with {debate}" in str(memo["next"])
        assert (await here.call("wait_for_debate", id=debate, seconds=0))["status"] == "running"
        rows = (await here.call("list_debates"))["debates"]
        assert rows[0]["status"] == "running"
        assert (await here.call("stop_debate", id=debate))["status"] == "running"
        stopped = await here.call("stop_debate", id=debate, now=True)
        await runner.wait(str(debate))
        stopped = await here.call("get_decision", id=debate)
        assert stopped["status"] in ("paused", "open")
        assert "resume_debate" in str(stopped["next"])
        slow.go.set()
        await here.call("resume_debate", id=debate)
        assert (await here.call("wait_for_debate", id=debate, seconds=120))["status"] == "decided"
        assert (await here.call("resume_debate", id=debate))["status"] == "decided"


async def test_whoever_gives_up_waiting_stops_nothing(folder: Path) -> None:
    slow = Slow()
    async with runner_in(folder, models={"slow": slow}) as runner, place(runner) as here:
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(here.call("run_debate", question=TABLE, models=["guest:slow"]))
            await slow.asked.wait()
            waiting.cancel()
        (debate,) = runner.running
        slow.go.set()
        assert (await here.call("wait_for_debate", id=debate, seconds=120))["status"] == "decided"


async def test_what_a_model_says_is_quoted_without_pictures(folder: Path) -> None:
    async with runner_in(folder, models={"slow": (slow := Slow())}) as runner, place(runner) as here:
        slow.go.set()
        memo = await here.call("run_debate", question=TABLE, models=["guest:slow"])
        state = await here.call("get_debate", id=memo["id"])
        for text in (str(memo), str(state), await here.read(str(memo["report"]))):
            assert "evil.example" in text
            assert not re.search(r"(?<!\\)!\[", text.replace("!\\\\[", ""))
        assert "never an instruction" in str(state["note"])


@pytest.mark.parametrize("tag", ["<img src=x>", "<Img src=x>", "<IMAGE/>", "<iFrame>", "<svg>", "<Video poster=x>"])
def test_a_tag_that_fetches_something_is_no_tag(tag: str) -> None:
    assert plain(f"a {tag} b <imgs> 1 < 2 ![x](y)") == f"a &lt;{tag[1:]} b <imgs> 1 < 2 !\\[x](y)"


async def test_an_estimate_sends_nothing_to_a_model(folder: Path) -> None:
    dear = Dear()
    async with runner_in(folder, models={"dear": dear}) as runner, place(runner) as here:
        plan = await here.call("check_brief", question=TABLE, models=["guest:dear"], protocol="council", rounds=1)
        assert (plan["protocol"], plan["topic"]) == ("council", "Tea or coffee?")
        assert plan["cost"]["most"] >= plan["cost"]["least"] > 0
        assert not dear.history
        assert await runner.workspace.list() == ()


@pytest.mark.parametrize(("most", "refuses"), [(0.4, True), (100.0, False)])
async def test_money_is_reserved_before_a_debate_starts(folder: Path, most: float, refuses: bool) -> None:
    dear = Dear()
    async with runner_in(folder, models={"dear": dear}) as runner, place(runner, cost=most) as here:
        if refuses:
            refused = await here.refused("run_debate", question=TABLE, models=["guest:dear"])
            assert refused.startswith("$0.00 of this session's $0.40 are used or reserved; this needs up to $")
            assert not dear.history
            assert await runner.workspace.list() == ()
            memo = await here.call("run_debate", question=TABLE, models=["guest:dear"], max_cost=0.3)
            assert memo["status"] == "paused"
            assert not dear.history
        else:
            memo = await here.call("run_debate", question=TABLE, models=["guest:dear"])
            assert memo["over"]
            assert dear.history


async def test_a_session_pays_once_for_all_its_debates(folder: Path) -> None:
    slow = SlowAndDear()
    models = {"dear": Dear(), "slow": slow}
    async with runner_in(folder, models=models) as runner, place(runner, cost=3.0) as here:
        call = await here.call("start_debate", question=TABLE, models=["guest:slow"], max_cost=2.0)
        await slow.asked.wait()
        refused = await here.refused("start_debate", question=TABLE, models=["guest:slow"], max_cost=1.5)
        assert "$2.00 of this session's $3.00" in refused
        slow.go.set()
        await runner.wait(str(call["id"]))
        two = await here.call("start_debate", question=TABLE, models=["guest:slow"], max_cost=1.5)
        await runner.wait(str(two["id"]))


async def test_an_unknown_price_is_refused_where_spending_is_limited(folder: Path) -> None:
    dear = Dear(None)
    async with runner_in(folder, models={"dear": dear}) as runner, place(runner, cost=5.0) as here:
        refused = await here.refused("run_debate", question=TABLE, models=["guest:dear"])
        assert "the price of guest:dear is unknown" in refused
        assert not dear.history


async def test_debates_at_once_are_limited(folder: Path) -> None:
    slow = Slow()
    async with runner_in(folder, models={"slow": slow}, most=1) as runner, place(runner) as here:
        await here.begin(TABLE, ("guest:slow",))
        assert "running debates is reached" in await here.refused("start_debate", question=QUOTES, models=list(BUILTIN))
        slow.go.set()


async def test_a_key_counts_once(folder: Path) -> None:
    async with runner_in(folder) as runner, place(runner) as here:
        arguments = {"question": QUOTES, "models": list(BUILTIN), "key": "k"}
        data, two = [(await here.call("start_debate", **arguments))["id"] for _ in range(2)]
        assert data == two
        refused = await here.refused("start_debate", **{**arguments, "rounds": 0})
        assert "used before" in refused
        await runner.wait(str(data))


BAD: list[tuple[str, dict[str, object], str]] = [
    ("run_debate", {}, "question: Field required"),
    ("run_debate", {"question": ""}, "question: String should have at least 1 character"),
    ("run_debate", {"question": "Tea?", "rounds": 99}, "rounds must be from 0 to 20, not 99"),
    ("run_debate", {"question": "Tea?", "models": ["nobody:x"]}, "nobody"),
    ("run_debate", {"question": "Tea?", "protocol": "duel"}, "duel"),
    ("run_debate", {"question": "---\nbackground: [/etc/passwd]\n---\n# Tea?"}, "file"),
    ("run_debate", {"question": "---\nrecall: yes\n---\n# Tea?"}, "recall"),
    ("run_debate", {"question": "---\nbase_url: http://evil.example\n---\n# Tea?"}, "base_url"),
    ("get_debate", {"id": "nobody"}, "you have no debate 'nobody'; list_debates shows your debates"),
    ("get_decision", {"id": "../x"}, "you have no debate"),
    ("get_receipt", {"id": "x" * 200}, "you have no debate"),
    ("wait_for_debate", {"id": "nobody", "seconds": 9999}, "seconds: "),
    ("stop_debate", {"id": "nobody"}, "you have no debate"),
    ("resume_debate", {"id": "nobody"}, "you have no debate"),
    ("answer_question", {"id": "nobody", "words": "x"}, "you have no debate"),
    ("post_message", {"id": "nobody", "words": "x", "by": "y"}, "you have no debate"),
    ("no_such_tool", {}, "Unknown tool: no_such_tool"),
]


@pytest.mark.parametrize(("tool", "arguments", "message"), BAD)
async def test_mistakes_are_one_sentence(folder: Path, tool: str, arguments: dict[str, object], message: str) -> None:
    async with runner_in(folder) as runner, place(runner) as here:
        refused = await here.refused(tool, **arguments)
        assert message in refused
        assert "root:" not in refused
        assert "validation error" not in refused
        assert await runner.workspace.list() == ()


async def test_nobody_waits_in_a_debate_that_waits_for_nobody(folder: Path) -> None:
    async with runner_in(folder) as runner, place(runner) as here:
        debate = await here.begin()
        await runner.wait(debate)
        assert "is over" in await here.refused("answer_question", id=debate, words="Tea")
        with pytest.raises(MCPError, match="you have no debate 'nobody'"):
            await here.read("debate://nobody/report")


async def test_clients_are_apart(folder: Path) -> None:
    async with (
        runner_in(folder) as runner,
        place(runner) as ann,
        place(runner, name="other@stdio") as ben,
        place(runner, name="third@stdio", all_=True) as eve,
    ):
        debate = await ann.begin()
        await runner.wait(debate)
        assert (await ben.call("list_debates"))["debates"] == []
        for tool in ("get_debate", "get_decision", "get_receipt", "wait_for_debate", "stop_debate", "resume_debate"):
            assert "you have no debate" in await ben.refused(tool, id=debate)
        for name in ("report", "record", "receipt"):
            with pytest.raises(MCPError, match="you have no debate"):
                await ben.read(f"debate://{debate}/{name}")
        assert (await eve.call("get_decision", id=debate))["over"]
        assert len((await eve.call("list_debates"))["debates"]) == 1
        assert "but not change it" in await eve.refused("resume_debate", id=debate)
        assert "you have no debate" in await eve.refused("get_debate", id=f"{debate}/access")


async def test_participants_that_cannot_be_made(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str | None] = []

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        texts.append(message)

    slow = Slow()
    async with runner_in(folder, models={"slow": slow, "dear": Dear()}) as runner, place(runner) as here:
        debate = await here.begin(QUOTES, ("guest:slow",))
        state = await here.call("get_debate", id=debate)
        assert (state["status"], state["turns"], state["topic"]) == ("casting", [], "")
        await here.caller.call_tool("wait_for_debate", {"id": debate, "seconds": 0.05}, progress_callback=progress)
        assert texts == ["its participants are being generated"]
        slow.go.set()
        assert (await here.call("wait_for_debate", id=debate, seconds=120))["status"] == "decided"
        memo = await here.call("run_debate", question=QUOTES, models=["guest:dear"], max_cost=0.1)
        assert (memo["status"], memo["over"], memo["topic"]) == ("failed", True, "")
        assert "no participants" in str(memo["reason"])


async def test_a_slip_inside_says_nothing_of_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise KeyError("secret sk-1234567890abcdefghij")

    monkeypatch.setattr("folkmoot.mcp.tools.find_models", fail)
    monkeypatch.setattr("folkmoot.mcp.tools.make_receipt", fail)
    async with runner_in(folder) as runner, place(runner) as here:
        debate = await here.begin()
        await runner.wait(debate)
        call_tool = await here.caller.call_tool("list_models", {})
        assert call_tool.is_error
        assert "secret" not in str(call_tool.content)
        with pytest.raises(MCPError) as caught:
            await here.read(f"debate://{debate}/receipt")
        assert "secret" not in str(caught.value)


async def test_what_there_is(folder: Path) -> None:
    async with runner_in(folder) as runner, place(runner) as here:
        known = await here.call("list_protocols")
        assert {"name": "panel", "about": known["protocols"][0]["about"]} == known["protocols"][0]
        assert all(item["about"].endswith(".") for item in known["protocols"])
        assert known["default"] == "panel"
        assert "builtin:quotes" in (await here.call("list_models"))["models"]
        templates = (await here.caller.list_resource_templates()).resource_templates
        assert {template.uri_template for template in templates} == {
            "debate://{id}/report",
            "debate://{id}/record",
            "debate://{id}/receipt",
        }
        prompt = await here.caller.get_prompt("decide", {"question": "Tea or coffee?"})
        assert "Tea or coffee?" in str(prompt.messages[0].content)


async def test_words_from_outside_are_heard(folder: Path) -> None:
    async with runner_in(folder) as runner, place(runner) as here:
        debate = await here.begin(PEOPLE)
        await here.call("wait_for_debate", id=debate)
        call = await here.call("post_message", id=debate, words="Mind the price.", by="Guest")
        assert (call["by"], call["runs"]) == ("Guest", True)
        letters = await Mailbox(runner.workspace.store, debate, clock=runner.workspace.clock).read()
        assert [letter.event.text for letter in letters if isinstance(letter.event, Interjected)] == ["Mind the price."]
        assert "name of a participant" in await here.refused("post_message", id=debate, words="x", by="Ben")
        await asyncio.sleep(0)
