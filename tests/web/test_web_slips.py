"""A slip of ours: it ends one stream or one answer, is noted by its places without what was said, and nothing else."""

import asyncio
import json
from pathlib import Path

import pytest

from folkmoot.app.serve.frames import Data, Frames
from folkmoot.app.serve.server_parts import MOST_PLACES, error_trace
from folkmoot.core.errors import RecordError
from folkmoot.core.event import Entry
from folkmoot.record.hub import Ring
from folkmoot.web import pages
from tests.council.agents import own_place
from tests.web.test_web_live import live_at
from tests.web.web_kit import API, opened

SECRET = "CANARYWORDS"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


def breaking(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on no frame can be made."""

    def frame(frames: Frames, entry: Entry) -> Data:
        raise ValueError(SECRET)

    monkeypatch.setattr(Frames, "frame", frame)


async def test_a_slip_in_a_frame_ends_its_streams_and_not_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(tmp_path, real=True) as web:
        debate = await web.ended(web.ann)
        with monkeypatch.context() as broken:
            breaking(broken)
            async with live_at(web, debate) as socket:
                assert "internal error" in json.loads(await socket.recv())["error"]
                await socket.wait_closed()
            assert socket.close_code == 1011
            with web.site.live.watching(debate) as group:
                while not group.over:
                    await group.advance()
                assert "internal error" in str(group.error)
        assert any(record.getMessage().startswith(f"live {debate}: ValueError < ") for record in caplog.records)
        assert SECRET not in caplog.text
        assert (await web.ann.get(f"{API}/debates/{debate}/entries?follow=true&form=frames")).text.count("\n") > 5


async def test_a_damaged_record_is_told_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(tmp_path, real=True) as web:
        debate = await web.ended(web.ann)

        async def fill(ring: Ring) -> None:
            raise RecordError("entry 7 is damaged")

        monkeypatch.setattr(Ring, "fill", fill)
        async with live_at(web, debate) as socket:
            assert await socket.recv() == '{"error":"entry 7 is damaged"}', "a frame of text, which a page can read"
            await socket.wait_closed()
        assert socket.close_code == 1011


async def test_the_guard_notes_where_a_slip_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def index() -> None:
        raise KeyError(SECRET)

    monkeypatch.setattr(pages, "_index", index)
    async with opened(tmp_path, real=True) as web:
        assert (await web.me.get("/")).status_code == 500
    noted = [record.getMessage() for record in caplog.records if record.name == "folkmoot.web"]
    assert len(noted) == 1
    assert noted[0].startswith(f"/: KeyError < {__name__}:")
    assert " < folkmoot.web.pages:" in noted[0]
    assert SECRET not in caplog.text


async def test_a_slip_is_told_by_its_innermost_places() -> None:
    def deep(n: int) -> None:
        if not n:
            raise LookupError(SECRET)
        deep(n - 1)

    async def fall() -> None:
        deep(20)

    with pytest.raises(ExceptionGroup) as caught:
        async with asyncio.TaskGroup() as group:
            group.create_task(fall())
    kind, *places = error_trace(caught.value).split(" < ")
    assert kind == "LookupError"
    assert len(places) == MOST_PLACES
    assert all(place.startswith(f"{__name__}:") for place in places)
    outer = ValueError(SECRET)
    outer.__cause__ = caught.value
    assert error_trace(outer).startswith(f"LookupError < {__name__}:"), "what it came from"
    assert error_trace(ValueError(SECRET)) == "ValueError", "it was never raised"
