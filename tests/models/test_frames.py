"""Every frame is read alike, however its bytes are cut."""

import random
from collections.abc import Iterable, Iterator
from typing import cast

import pytest

from folkmoot.core.ask import Usage
from folkmoot.core.errors import ModelError, Unreadable
from folkmoot.models.names import parse
from folkmoot.models.stream import AnswerStream, End
from folkmoot.models.wires.base import WireModel
from folkmoot.models.wires.events import EVENT_BYTES, EVENT_LINES, Events, Lines
from tests.kits.thoroughness import some
from tests.models.frames import FRAMES, Frame
from tests.models.models_kit import Notebook, Page, canned

Heard = tuple[str, tuple[tuple[str, str, str], ...], End] | tuple[str, type[ModelError]]


@pytest.fixture(scope="module")
def models() -> dict[str, WireModel]:
    names = {frame.model for frame in FRAMES.values()}
    return {name: cast("WireModel", canned(name, Page(b""))[0]) for name in names}


def read(model: WireModel, pieces: list[bytes]) -> Heard:
    """What the pieces of a body come to."""
    notebook = Notebook()
    speech = AnswerStream(parse(model.name), notebook)
    reader = model.reader(speech)
    try:
        for piece in pieces:
            reader.feed(piece)
        end = reader.close()
    except ModelError as error:
        return error.kind, type(error)
    assert "".join(notebook.deltas) == speech.text
    tools = tuple((call.id, call.name, call.arguments) for call in speech.tools)
    return speech.text, tools, end


def cuts(body: bytes) -> Iterator[list[bytes]]:
    """The body in two at every place, and in many at random ones."""
    for place in range(1, len(body)):
        yield [body[:place], body[place:]]
    chance = random.Random(7)
    for _ in range(20):
        places = sorted(chance.sample(range(len(body)), min(9, len(body))))
        yield [body[a:b] for a, b in zip([0, *places], [*places, len(body)], strict=True)]


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_is_read_whole_and_byte_by_byte(models: dict[str, WireModel], name: str) -> None:
    body = FRAMES[name].body
    check_cuts(models, name, [[body], [body[start : start + 1] for start in range(len(body))]])


@pytest.mark.parametrize("name", some(FRAMES, 4))
def test_a_frame_comes_to_the_same_however_it_is_cut(models: dict[str, WireModel], name: str) -> None:
    check_cuts(models, name, cuts(FRAMES[name].body))


def check_cuts(models: dict[str, WireModel], name: str, cut: Iterable[list[bytes]]) -> None:
    """Whatever the pieces are, they come to what the frame comes to."""
    frame = FRAMES[name]
    model = models[frame.model]
    for pieces in cut:
        result = read(model, pieces)
        if frame.fails:
            assert result[0] == frame.fails, pieces
        else:
            assert result == expected(frame), pieces


def expected(frame: Frame) -> Heard:
    """What a frame comes to."""
    input_tokens, output_tokens, cached = frame.usage
    usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens, cached_tokens=cached)
    end = End(usage=usage, written=frame.written, served=frame.served, finish=frame.finish)
    return frame.text, frame.tools, end


@pytest.mark.parametrize(
    ("split", "body"),
    [
        (Lines("it"), b"x" * EVENT_BYTES + b"x\n"),
        (Lines("it"), b"x" * EVENT_BYTES + b"x"),
        (Events("it"), b"{" + b" " * EVENT_BYTES),
        (Events("it"), b"data: " + b"x" * EVENT_BYTES),
        (Events("it"), b"data: xxx\n" * (EVENT_LINES + 1)),
    ],
)
def test_what_is_held_is_bounded(split: Lines | Events, body: bytes) -> None:
    with pytest.raises(Unreadable, match="it sent more than"):
        split.feed(body)


@pytest.mark.parametrize("size", [1, 7])
def test_what_is_just_not_too_long_is_read(size: int) -> None:
    lines, line = Lines("it"), b"x" * 70_000
    assert [
        bytes(part) for start in range(0, 70_001, size) for part in lines.feed((line + b"\n")[start : start + size])
    ] == [line]
