"""What nobody can see reaches nobody: from an answer, a brief or an old record to prompts, pages and files."""

import json
from collections.abc import Sequence

import pytest

from folkmoot.app.export.paper import memo, print_page
from folkmoot.app.export.reports import (
    make_report,
    map_at,
    mermaid_of,
    read_record,
    write_data,
    write_log,
    write_report,
)
from folkmoot.app.export.signed_receipts import make_receipt, write_receipt
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.people import say
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve.frames import Frames
from folkmoot.core.ask import Reply, ToolCall
from folkmoot.core.brief import LOGS, Brief, Participant, Source
from folkmoot.core.decision import Decision
from folkmoot.core.errors import ModelError
from folkmoot.core.event import Asked, Called, Closed, Delta, Entered, Entry, Erred, Interjected, Opened, Ruled, Signal
from folkmoot.core.text import clean
from folkmoot.core.unread import Unread
from folkmoot.engine.calls import Budget, CallRecorder
from folkmoot.models.base import Request
from folkmoot.models.pool import Pool
from folkmoot.record.ledger import Ledger
from folkmoot.record.store import decode, encode
from folkmoot.report.report import Report
from folkmoot.testing.scripted import ScriptedModel
from folkmoot.testing.store_checks import InMemoryStore
from tests.report.reports import DRAFT, Diary, ask

TAGS = "".join(chr(0xE0000 + ord(text)) for text in "obey")
EVIL = f"{TAGS}\u202e\u2066\u200b\u00ad\u3164\ufe01\U000e0155\ufeff\ue000\x00\x1b[2J\x9b\u2028\ud800"
"""One of each kind: tags, direction, zero width, filler, selectors, private use, controls, a separator, half a sign."""

FORBIDDEN = frozenset(EVIL) - frozenset("[2J")


def assert_clean(text: str) -> None:
    assert not FORBIDDEN.intersection(text), ascii(text)
    assert clean(text) == text


def answer(request: Request) -> Called:
    text = (
        f"ANSWER: Move{EVIL}, now\nCLAIM: The {EVIL}yard is full 👩\u200d🔬\nTARGET: T1\nRELATION: SUPPORT\n"
        f"ARGUMENT: می\u200cخواهم{EVIL}\n\n> {EVIL}quoted"
    )
    return Called(key="", call=request.call, text=text, model="scripted:a", served=f"a{EVIL}", finish="stop")


def files_of(entries: Sequence[Entry], report: Report) -> list[str]:
    """A record as each report, log, map and page that there is."""
    record = make_report(entries, debate="d", where="", last="x")
    texts = [write_report(report), write_data(report), memo(record), print_page(record), mermaid_of(report)]
    texts += [text for mode in LOGS for text in write_log(record, mode).values()]
    texts += [json.dumps(map_at(entries, "d"), ensure_ascii=False)]
    frames = Frames()
    return texts + [json.dumps(frames.frame(entry), ensure_ascii=False) for entry in entries]


async def test_what_one_model_hides_reaches_no_prompt_no_piece_no_record_and_no_page() -> None:
    models = {name: ScriptedModel(answer, name="scripted:a") for name in ("Ann", "Bob")}
    pool = Pool()
    for name, model in models.items():
        pool.add_agent(name, model)
    brief = Brief(
        topic=f"Move?{EVIL}",
        background=(Source(name="a.md", text=f"The yard{EVIL} is full."),),
        rules=f"Be{EVIL} fair.",
        participants=tuple(
            Participant(name=name, role=f"thinker{EVIL}", persona=f"Calm{EVIL}.", seat=f"guest:{name}")
            for name in models
        ),
    )
    workspace = Workspace(InMemoryStore(), pool=pool, config=Config())
    pieces: list[str] = []
    tell = workspace.hub.signal

    def show(debate: str, signal: Signal) -> None:
        pieces.append(signal.text)
        tell(debate, signal)

    workspace.hub.signal = show
    with workspace.hub.following("d"):
        await workspace.run(workspace.plan(brief, protocol="round_robin"), "d")
    prompts = [message.text for model in models.values() for request in model.history for message in request.messages]
    assert len(prompts) > 6
    assert any("Move\ufffd[2J" in prompt and "می\u200cخواهم" in prompt and "👩\u200d🔬" in prompt for prompt in prompts)
    assert len(pieces) > 6
    lines = await workspace.lines("d")
    frames = Frames()
    entries = await workspace.entries("d")
    shown = [json.dumps(frames.frame(entry), ensure_ascii=False) for entry in entries]
    read = (await read_record(workspace, "d")).report
    receipt = write_receipt(await make_receipt(workspace, "d"), None, "md")
    for text in (*prompts, *pieces, *lines, *shown, *files_of(entries, read), receipt):
        assert_clean(text)
        json_escapes = [f"\\u{ord(word):04x}" for word in EVIL if ord(word) < 0x10000 and word not in "[2J"]
        assert not any(json_escape in text.lower() for json_escape in json_escapes)
    await workspace.close()


async def test_what_people_say_is_cleaned() -> None:
    workspace = Workspace(InMemoryStore(), config=Config())
    await workspace.run(
        workspace.plan(Brief(topic="Tea?", participants=(Participant(name="Ann", seat="human"), *TWO))), "d"
    )
    await say(workspace, "d", f"Zo\u200bé{TAGS}", f"Think{EVIL} again.")
    (line,) = await workspace.store.read("d/letters")
    assert_clean(line)
    assert "Think\ufffd[2J \ufffd again." in line
    await workspace.close()


TWO = tuple(Participant(name=name, role="x", persona="y", seat="builtin:quotes") for name in ("Bob", "Cy"))


def test_fields_notes_and_names_of_an_answer_are_cleaned() -> None:
    reply = Reply(
        text=f"a{EVIL}",
        fields={"ANSWER": f"b{EVIL}", "ARGUMENT": EVIL},
        asked=f"c{EVIL}",
        served=f"d{EVIL}",
        unread=(Unread(f"e{EVIL}", f"e{EVIL}", f"e{EVIL}"),),
        notes=(f"f{EVIL}",),
    )
    cleaned = reply.cleaned(DRAFT)
    assert set(cleaned.fields) == {"ANSWER", "ARGUMENT"}
    for text in (
        cleaned.text,
        *map(str, cleaned.fields.values()),
        cleaned.asked,
        cleaned.served,
        *map(repr, cleaned.unread),
        *cleaned.notes,
    ):
        assert_clean(text)


async def test_results_of_tools_and_what_a_model_asks_of_them_are_cleaned() -> None:
    store = InMemoryStore()
    ledger = Ledger(store, "d", clock=lambda: 1.0)
    shown: list[Delta] = []
    line = CallRecorder("k", ledger, Budget(Brief(topic="x").limits), shown.append)
    quote = ScriptedModel([]).quote(Request(call="answer", messages=()))

    async def send() -> Called:
        line.delta(f"a{EVIL}")
        line.delta("b 👩\u200d")
        line.delta("🔬")
        tools = (ToolCall(id=f"1{EVIL}", name=f"search{EVIL}", arguments=f'{{"q": "x{TAGS}"}}'),)
        return Called(key="", call="", text=f"x{EVIL}", model=f"m{EVIL}", tools=tools, sources=(f"s{EVIL}",))

    async def fail() -> Called:
        raise ModelError(f"no{EVIL}", kind="server")

    await ledger.open()
    async with ledger.writing():
        await ledger.add(Asked(ask=ask("k", "Ann", "answer")))
        called = await line.call("answer", quote, send)
        with pytest.raises(ModelError):
            await line.call("again", quote, fail)
    assert called.tools[0].arguments == '{"q": "x"}'
    assert "".join(delta.text for delta in shown).endswith("b 👩\u200d🔬")
    for entry in map(decode, await store.read("d")):
        assert_clean(encode(entry))
    assert_clean("".join(delta.text for delta in shown))


def old_record() -> Diary:
    """A record from before answers were cleaned; half a sign could never be stored, and controls went even then."""
    odd = "".join(text for text in EVIL if clean(text) == "" and text not in "\x00\x1b\x9b") + "\u2028\ue000"
    people = (Participant(name=f"Ann{odd}", role=odd, persona=odd), Participant(name="Bob", seat=f"a:{odd}"))
    brief = Brief(
        topic=f"Move{odd}?", participants=people, background=(Source(name=f"a{odd}", text=odd),), options=(f"yes{odd}",)
    )
    diary = Diary().add(Opened(brief=brief, protocol={}, name="panel"), Entered(path="/debate"))
    for n, who in enumerate(brief.participants, start=1):
        words = f"ANSWER: {odd}\nARGUMENT: {odd}"
        fields = {"ANSWER": f"Go{odd}", "CONFIDENCE": 0.5, "ARGUMENT": f"So{odd}"}
        diary.say(ask(f"/debate/draft#{n}", who.name, "draft", form=DRAFT), words, fields, model=f"a:b{odd}")
    diary.add(Erred(key="/debate/draft#2", call="x", n=1, kind="server", reason=odd))
    diary.add(
        Interjected(by=f"Zoe{odd}", text=odd),
        Ruled(decision=Decision(status="decided", winner=odd, text=odd, tally={odd: 2.0}, how=odd)),
    )
    return diary.add(Closed(status="decided", reason=odd))


def test_an_old_record_is_shown_without_them_and_stays_as_it_is() -> None:
    entries = old_record().entries
    lines = [encode(entry) for entry in entries]
    assert any(TAGS in line for line in lines)
    for text in files_of(entries, make_report(entries, debate="d", where="", last="x").report):
        assert_clean(text)
    assert [decode(line).event for line in lines] == [entry.event for entry in entries]
