"""What is not for everybody at the table reaches nobody who came by a link: no frame, no piece, no report."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from folkmoot.app.run.access import Claim, claim
from folkmoot.app.run.workspace import Plan
from folkmoot.app.serve.frames import frames as all_frames
from folkmoot.app.serve.visibility import Reader, may_read, may_read_all
from folkmoot.core.agent import Recorder
from folkmoot.core.ask import Ask, Field, Form, Reply
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.event import Asked, Called, Entered, Interjected, Opened, Replied
from folkmoot.core.transcript import Transcript
from folkmoot.models.base import Request
from folkmoot.phases.base import Sequence as Steps
from folkmoot.phases.speak import Everyone
from folkmoot.testing.scripted import ScriptedModel
from tests.council.agents import own_place
from tests.report.reports import Diary
from tests.web.test_web_live import frames_of, live_at
from tests.web.web_kit import ANN, API, Web, events, opened, until

SECRET, MASKED, OPEN = "CANARYSECRET", "CANARYMASKED", "PLAINWORDS"
ARGUE = Form(name="speech", fields=(Field(name="ANSWER"),))
BRIEF = Brief(
    topic="Tea or coffee?",
    participants=(
        Participant(name="Ada", seat="human", hide=("Cid",)),
        Participant(name="Ben", seat="guest:teller"),
        Participant(name="Cid", seat="guest:teller"),
    ),
)
TREE = Steps(
    parts=(
        Everyone(act="argue", task="Argue openly.", who=("Ben",), form=ARGUE),
        Everyone(act="strategy", task="Note in secret.", who=("Ben",), form=ARGUE, private=True),
        Everyone(act="argue", task="Argue behind a mask.", who=("Cid",), form=ARGUE),
    )
)
PLAN = Plan(brief=BRIEF, name="told", protocol=TREE)
READ = ("map", "analysis", "recount", *(f"report.{form}" for form in ("md", "json", "html", "mmd")))


class Teller(ScriptedModel):
    """A model that tells its secrets where it is asked for them, and waits before it does."""

    def __init__(self) -> None:
        super().__init__(lambda request: f"ANSWER: {_word(request)}", name="guest:teller")
        self.asked, self.go = asyncio.Event(), asyncio.Event()

    async def _send(self, request: Request, recorder: Recorder) -> Called:
        if _word(request) == SECRET:
            self.asked.set()
            await self.go.wait()
        recorder.delta(f"piece of {_word(request)}")
        await asyncio.sleep(0.3)  # in which it is sent
        return await super()._send(request, recorder)


def _word(request: Request) -> str:
    text = str(request)
    return SECRET if "Note in secret." in text else MASKED if "behind a mask" in text else OPEN


@dataclass(slots=True, kw_only=True)
class Told:
    """A debate of Ann's that waits before its secret, and links to it."""

    web: Web
    vote_weigher: Teller
    links: dict[str, str]
    holding: "asyncio.Task[object]"

    def reader(self, name: str) -> httpx2.AsyncClient:
        return self.web.client(token=self.links[name])

    async def end(self) -> None:
        self.vote_weigher.go.set()
        await self.holding


@asynccontextmanager
async def telling(folder: Path) -> AsyncGenerator[Told]:
    vote_weigher = Teller()
    async with opened(folder, models={"teller": vote_weigher}, real=True) as web, asyncio.TaskGroup() as group:
        await claim(web.site.workspace, "d", Claim(owner="ann"))
        holding = group.create_task(web.site.workspace.run(PLAN, "d"))
        await vote_weigher.asked.wait()
        links = {"ann": ANN}
        for name, body in (("view", {}), ("fan", {"right": "join"}), ("Ada", {"right": "join", "who": "Ada"})):
            share = await web.ann.post(f"{API}/debates/d/shares", json=body)
            links[name] = share.json()["token"]
        yield Told(web=web, vote_weigher=vote_weigher, links=links, holding=holding)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


HEARD = [("ann", {SECRET, MASKED, OPEN}), ("view", {MASKED, OPEN}), ("fan", {MASKED, OPEN}), ("Ada", {OPEN})]
"""Who hears which words."""


def words(text: str) -> set[str]:
    return {word for word in (SECRET, MASKED, OPEN) if word in text}


@pytest.mark.parametrize(("who", "readable"), HEARD)
async def test_live_streams_leave_out_what_is_not_for_everybody(tmp_path: Path, who: str, readable: set[str]) -> None:
    async with telling(tmp_path) as place:
        url, headers = f"{API}/debates/d/entries?follow=true&form=frames", {"Accept": "text/event-stream"}
        async with live_at(place.web, "d", token=place.links[who]) as socket, asyncio.TaskGroup() as group:
            first = json.loads(await socket.recv())
            stream = group.create_task(place.reader(who).get(url, headers=headers))
            await until(lambda: sum(group_.viewers for group_ in place.web.site.live.groups.values()) == 2)
            await place.end()
            sent = first + await frames_of(socket)
        pieces = [frame for frame in sent if frame["kind"] == "delta"]
        frames = [frame for frame in sent if frame["kind"] != "delta"]
        assert words(json.dumps(pieces)) == readable - {OPEN}, "the open words were said before"
        assert words(json.dumps(frames)) == words((await stream).text) == readable
        numbers = list(range(1, await place.web.site.workspace.count_entries("d") + 1))
        assert [frame["seq"] for frame in frames] == [seq for seq, _, _ in events((await stream).text)] == numbers
        whole = json.loads(json.dumps(all_frames(await place.web.site.workspace.entries("d"))))
        sums = [[frame["sums"] for frame in shown if "sums" in frame][-1] for shown in (frames, whole)]
        assert sums[0] == sums[1], "numbers are for everybody"
        assert ("strategy#1" in json.dumps(sent)) == (SECRET in readable), "nobody is told that it was asked"
        hidden = [frame for frame in frames if frame["kind"] == "hidden"]
        assert all(set(frame) <= {"seq", "at", "kind", "name", "sums"} for frame in hidden)
        assert bool(hidden) == (who != "ann")


@pytest.mark.parametrize(("who", "readable"), HEARD)
async def test_what_is_stored_is_read_by_the_same_law(tmp_path: Path, who: str, readable: set[str]) -> None:
    async with telling(tmp_path) as place:
        reader = place.reader(who)
        waits = (await reader.get(f"{API}/debates/d")).json()["waits_for"]
        assert waits == []
        await place.end()
        for accept in ("text/event-stream", "application/x-ndjson"):
            for after in (0, 3):
                url = f"{API}/debates/d/entries?form=frames&after={after}"
                text = (await reader.get(url, headers={"Accept": accept})).text
                assert words(text) == (readable if not after else readable & words(text)), accept
                assert not after or words(text) >= readable - {OPEN}
        assert (await reader.get(f"{API}/debates/d/entries?form=entries")).status_code == (200 if who == "ann" else 403)
        for route in (*READ, "report.html?replay=true"):
            answer = await reader.get(f"{API}/debates/d/{route}")
            assert (answer.status_code == 403) == (who != "ann"), (route, answer.text)
            assert words(answer.text) <= readable
        both = await place.web.ann.get(f"{API}/compare?a=d&b=d")
        assert both.status_code == 200
        assert (await reader.get(f"{API}/compare?a=d&b=d")).status_code == (200 if who == "ann" else 403)
        state = await reader.get(f"{API}/debates/d")
        assert words(state.text) <= readable


async def test_who_joins_without_a_place_is_shown_no_question(tmp_path: Path) -> None:
    tree = Everyone(act="argue", task="Argue.", who=("Ada",), form=ARGUE, private=True)
    async with telling(tmp_path) as place:
        await place.end()
        workspace, ann = place.web.site.workspace, place.web.ann
        await claim(workspace, "e", Claim(owner="ann"))
        await workspace.run(Plan(brief=BRIEF, name="asks", protocol=tree), "e")
        counts: dict[str, tuple[int, int]] = {}
        for name, body in (("fan", {"right": "join"}), ("Ada", {"right": "join", "who": "Ada"})):
            token = (await ann.post(f"{API}/debates/e/shares", json=body)).json()["token"]
            reader = place.web.client(token=token)
            asks = (await reader.get(f"{API}/debates/e/asks")).json()["asks"]
            waits = (await reader.get(f"{API}/debates/e")).json()["waits_for"]
            counts[name] = len(asks), len(waits)
        assert counts == {"fan": (0, 0), "Ada": (1, 1)}
        assert len((await ann.get(f"{API}/debates/e/asks")).json()["asks"]) == 1


CASES: list[tuple[tuple[str, ...], dict[Reader, bool]]] = [
    ((), {None: True, "": True, "Ada": False, "Ben": True, "Cid": True}),
    (("Cid",), {None: True, "": False, "Ada": False, "Ben": False, "Cid": True}),
    (("Cid", "Ben"), {None: True, "": False, "Ben": True, "Eve": False}),
]


@pytest.mark.parametrize(("audience", "readable"), CASES)
def test_the_law(audience: tuple[str, ...], readable: dict[Reader, bool]) -> None:
    diary = Diary().add(Opened(brief=BRIEF, protocol={}, name="x"), Entered(path="/debate"))
    diary.add(Asked(ask=Ask(key="/debate#1", to="Cid", act="argue", task="", audience=audience)))
    diary.add(Replied(key="/debate#1", reply=Reply(text="Tea.")), Interjected(by="Eve", text="Hm."))
    transcript = Transcript()
    for entry in diary.entries:
        transcript.apply(entry.event)
    first, outside = transcript.all()
    assert {reader: may_read(transcript, reader, first) for reader in readable} == readable
    assert {reader: may_read_all(diary.entries, reader) for reader in readable} == readable
    assert all(may_read(transcript, reader, outside) for reader in readable), "what came from outside is for everybody"


def test_a_private_field_is_for_the_owner_alone() -> None:
    form = Form(name="message", fields=(Field(name="Thoughts", private=True),))
    diary = Diary().add(Opened(brief=BRIEF, protocol={}, name="x"))
    diary.add(Asked(ask=Ask(key="/debate#1", to="Ben", act="argue", task="", form=form)))
    assert {reader: may_read_all(diary.entries, reader) for reader in (None, "", "Ada")} == {
        None: True,
        "": False,
        "Ada": False,
    }
