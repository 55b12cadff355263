"""When the words of an answer are read: at once at first, then in pieces, and all of them where a stream breaks."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

import aiohttp
import pytest

from folkmoot.core.agent import is_cut_off
from folkmoot.core.errors import ModelError
from folkmoot.models import transport
from folkmoot.models.http_client import HttpClient
from folkmoot.models.http_port import HttpAnswer, HttpPort, Unreached
from folkmoot.models.layers import RetrySettings
from folkmoot.models.names import parse
from folkmoot.models.transport import ProviderConnection
from folkmoot.models.wires import base
from folkmoot.models.wires.openai_chat import OpenAIChat
from tests.models.frames import HEARD, SAID, SPOKEN, WORDS, lines, piece, sse
from tests.models.models_kit import Notebook, Page, ask, build, canned, environment
from tests.models.test_wires_faults import Line, answered, served


async def test_an_answer_that_is_too_long_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "ANSWER_BYTES", 100)
    model, _ = canned("ollama:tiny", Page(lines(*HEARD) + b" " * 100))
    with pytest.raises(ModelError, match="in one answer"):
        await model.complete(ask(), Notebook())


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("openai:gpt-4o", sse(*SPOKEN, {"error": {"message": "gone", "code": 502}})),
        ("ollama:tiny", lines(*HEARD, {"error": "out of memory"})),
    ],
)
async def test_words_before_an_error_in_the_same_read_are_handed_on(name: str, body: bytes) -> None:
    model, _ = canned(name, Page(body))
    notebook = Notebook()
    with pytest.raises(ModelError):
        await model.complete(ask(), notebook)
    assert "".join(notebook.deltas) == SAID


class Reads:
    """HTTP whose answer is a list of bytes, and breaks off behind them; it counts the pauses.

    Args:
        pieces: the bytes of each read.
        more: what a pause says: whether more will come.
    """

    status, headers = 200, cast("Mapping[str, str]", {})

    def __init__(self, pieces: Sequence[bytes], *, more: bool = True) -> None:
        self.pieces, self.more, self.pauses = list(pieces), more, 0

    @asynccontextmanager
    async def open(self, url: str, headers: Mapping[str, str], body: bytes | None) -> AsyncGenerator[HttpAnswer]:
        yield self

    async def read(self) -> bytes:
        await asyncio.sleep(0.01)
        if not self.pieces:
            raise Unreached("reset")
        return self.pieces.pop(0)

    def pause(self) -> bool:
        self.pauses += 1
        return self.more

    async def close(self) -> None:
        pass


def behind(port: HttpPort) -> OpenAIChat:
    """A model behind some HTTP."""
    connection = ProviderConnection(parse("openai:gpt-4o").provider, environment("http://127.0.0.1:9"))
    connection._port = port  # pyright: ignore[reportPrivateUsage]
    return OpenAIChat(parse("openai:gpt-4o"), connection)


@pytest.mark.parametrize("more", [True, False])
async def test_each_read_is_one_piece_and_waits_for_what_comes(more: bool) -> None:
    reads, notebook = Reads([sse(*SPOKEN[:2]), sse(*SPOKEN[2:])], more=more), Notebook()
    with pytest.raises(ModelError) as caught:
        await behind(reads).complete(ask(), notebook)
    assert caught.value.kind == "connection"
    assert [piece for piece in notebook.deltas if piece] == ["".join(WORDS[:2]), "".join(WORDS[2:])]
    assert reads.pauses == 2


async def test_nothing_waits_behind_the_mark_of_the_end() -> None:
    body = cast("list[Any]", [sse(*SPOKEN), sse(piece({}, "stop")), sse("[DONE]")])
    reads = Reads(body)
    assert (await behind(reads).complete(ask(), Notebook())).finish == "stop"
    assert reads.pauses == 1


@pytest.mark.parametrize("loop", ["We agree with that. ", "DUE:\n"])
async def test_what_says_the_same_again_and_again_is_read_no_further(loop: str) -> None:
    said = [f"Reason {n} is that it is cheap. " for n in range(30)] + [loop * 20] * 200
    reads = Reads([sse(piece({"content": words})) for words in said])
    called = await behind(reads).complete(ask(), Notebook())
    assert reads.pieces, "the rest isn't read"
    assert (called.finish, is_cut_off(called)) == ("repeated", True)
    assert "".join(said).strip().startswith(called.text.strip())
    assert called.text.count("Reason") == 30
    assert called.usage.estimated
    assert 0 < called.usage.output_tokens <= 2048


async def test_words_wait_for_no_further_event() -> None:
    second_read = asyncio.Event()

    async def answer(line: Line) -> None:
        line.head()
        for word in SPOKEN:
            line.chunk(sse(word))
            await asyncio.sleep(0.02)
        await second_read.wait()
        line.chunk(sse(piece({}, "stop"), "[DONE]"))
        line.chunk(b"")

    class Watching(Notebook):
        def delta(self, text: str) -> None:
            super().delta(text)
            if "".join(self.deltas) == SAID:
                second_read.set()

    async with served(answer) as (_, url):
        called = await answered("openai:gpt-4o", url, recorder=Watching())
    assert called.text == SAID.replace("\u2028", " ")


async def test_what_came_before_a_connection_broke_is_read() -> None:
    async def answer(line: Line) -> None:
        line.head()
        line.chunk(b"one")
        await line.writer.drain()
        line.writer.close()
        await line.writer.wait_closed()

    async with served(answer) as (_, url):
        client = HttpClient(url, proxied=False, connect=9.0)
        async with client.open(f"{url}/", {}, b"{}") as response:
            with pytest.raises(aiohttp.ClientPayloadError):
                await cast("Any", response)._content.wait_eof()
            assert await response.read() == b"one"
            with pytest.raises(Unreached):
                await response.read()
        await client.close()


async def test_a_pause_holds_the_server_and_ends_with_the_next_read() -> None:
    more = asyncio.Event()

    async def answer(line: Line) -> None:
        line.head()
        line.chunk(b"one")
        await more.wait()
        line.chunk(b"two")
        line.chunk(b"")

    async with served(answer) as (_, url):
        client = HttpClient(url, proxied=False, connect=9.0)
        async with client.open(f"{url}/", {}, b"{}") as response:
            assert await response.read() == b"one"
            assert response.pause()
            more.set()
            await asyncio.sleep(0.05)
            assert cast("Any", response)._content.total_bytes == 3
            assert await response.read() == b"two"
            assert await response.read() == b""
            assert not response.pause()
        await client.close()


class Switching(Notebook):
    """A recorder that is watched from its first words on, or until them."""

    def __init__(self, *, first: bool) -> None:
        super().__init__()
        self.watched = first

    def delta(self, text: str) -> None:
        super().delta(text)
        if text:
            self.watched = not self.watched


@pytest.mark.parametrize(("first", "pauses"), [(True, 2), (False, 1)])
async def test_where_nobody_watches_more_gathers(first: bool, pauses: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert base.PIECE_SECONDS < base.LAZY_SECONDS
    monkeypatch.setattr(base, "PIECE_SECONDS", 0.0)
    monkeypatch.setattr(base, "PAUSE_SHARE", 1e9)
    body = [
        sse(piece({"reasoning": "hm"})),
        sse(*SPOKEN),
        sse(piece({"reasoning": "hm"})),
        sse(piece({}, "stop"), "[DONE]"),
    ]
    reads, notebook = Reads(body), Switching(first=first)
    await behind(reads).complete(ask(), notebook)
    # Thinking, words, thinking: there is a pause behind each that was read while nobody watched at its end.
    assert reads.pauses == pauses


async def test_cancelling_in_the_pause_of_a_lazy_read_closes_the_connection_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(base, "LAZY_SECONDS", 3600.0)
    monkeypatch.setattr(base, "PAUSE_SHARE", 1e9)
    paused, left = asyncio.Event(), asyncio.Event()

    class Held(Reads):
        @asynccontextmanager
        async def open(self, url: str, headers: Mapping[str, str], body: bytes | None) -> AsyncGenerator[HttpAnswer]:
            try:
                yield self
            finally:
                left.set()

        def pause(self) -> bool:
            paused.set()
            return super().pause()

    notebook = Notebook()
    notebook.watched = False
    model = behind(Held([sse(*SPOKEN), sse(piece({}, "stop"), "[DONE]")]))
    async with asyncio.timeout(120), asyncio.TaskGroup() as group:
        asking = group.create_task(model.complete(ask(), notebook))
        await paused.wait()
        asking.cancel()
    assert asking.cancelled()
    assert left.is_set()
    assert "".join(notebook.deltas) == SAID, "what had come before is not lost"
    assert model._connection.streams == 0  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize(("streams", "pauses"), [(0, 0), (1_000, 1)])
async def test_where_many_answers_stream_more_gathers(
    streams: int, pauses: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "PIECE_SECONDS", 0.0)
    monkeypatch.setattr(base, "STREAM_SECONDS", 1e-5)
    monkeypatch.setattr(base, "PAUSE_SHARE", 1e9)
    reads = Reads([sse(*SPOKEN), sse(piece({}, "stop"), "[DONE]")])
    model = behind(reads)
    connection = model._connection  # pyright: ignore[reportPrivateUsage]
    connection.streams = streams
    await model.complete(ask(), Notebook())
    assert (reads.pauses, connection.streams) == (pauses, streams)


async def test_an_answer_that_nobody_watches_is_whole_and_may_fall_silent() -> None:
    silent = asyncio.Event()

    async def answer(line: Line) -> None:
        line.head()
        for word in SPOKEN:
            line.chunk(sse(word))
            await asyncio.sleep(0.05)
        if silent.is_set():
            await line.gone()
        line.chunk(sse(piece({}, "stop"), "[DONE]"))
        line.chunk(b"")

    notebook = Notebook()
    notebook.watched = False
    async with served(answer) as (server, url):
        assert (await answered("openai:gpt-4o", url, recorder=notebook)).finish == "stop"
        assert "".join(notebook.deltas) == SAID
        silent.set()
        model = build("openai:gpt-4o", env=environment(url), retry=RetrySettings(tries=1, gap=0.6))
        notebook.deltas.clear()
        with pytest.raises(ModelError, match="fell silent"):
            await model.complete(ask(seconds=60), notebook)
        assert "".join(notebook.deltas) == SAID
        await server.gone.wait()
        await model.close()


def test_half_a_character_is_sent_as_an_escape() -> None:
    assert json.loads(base._to_json({"text": "half \ud800"})) == {"text": "half \ud800"}  # pyright: ignore[reportPrivateUsage]
    assert base._to_json({"text": "é"}) == '{"text":"é"}'.encode()  # pyright: ignore[reportPrivateUsage]
