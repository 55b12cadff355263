"""Records the frames of a user's own provider into files, and compares them with earlier ones."""

import json
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec

from folkmoot.core.agent import Quote
from folkmoot.core.errors import BriefError
from folkmoot.models.base import Model
from folkmoot.models.http_client import HttpClient
from folkmoot.models.layers import RetrySettings
from folkmoot.models.names import ANTHROPIC, OLLAMA, OPENAI, ModelName, parse
from folkmoot.models.pool import layered_model
from folkmoot.models.transport import CONNECT_SECONDS, ProviderConnection
from folkmoot.models.wires.recorded_frames import QUESTIONS, Recording, Tap, changes, most, record, renamed


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameRecorder:
    """Asks one model the fixed questions.

    Attributes:
        name: which model.
        connection: the way to its provider.
        tap: keeps what comes back.
    """

    name: ModelName
    connection: ProviderConnection
    tap: Tap

    def most(self) -> Quote:
        """The most that all questions use."""
        return most(self._model(str(self.name)))

    async def answers(self) -> AsyncGenerator[Recording]:
        """Ask one question after the other."""
        for question in QUESTIONS:
            model = self._model(renamed(str(self.name), question))
            yield await record(question, model, self.tap, self.connection.key)

    def _model(self, name: str) -> Model:
        return layered_model(parse(name), self.connection, RetrySettings(tries=1))


@asynccontextmanager
async def frame_recorder(name: str) -> AsyncGenerator[FrameRecorder]:
    """What records the frames of a model; nothing is sent before it is asked for answers.

    Raises:
        BriefError: there is no such provider or none with a wire of our own, or its key or address is missing.
    """
    parsed = parse(name)
    if parsed.provider.wire not in (OPENAI, ANTHROPIC, OLLAMA):
        problem = f"{name} is not reached by a wire of ours, so its frames cannot be recorded"
        raise BriefError(problem, code="bad_model")
    taps: list[Tap] = []

    def http(url: str, proxied: bool) -> Tap:
        taps.append(Tap(HttpClient(url, proxied=proxied, connect=CONNECT_SECONDS)))
        return taps[0]

    connection = ProviderConnection(parsed.provider, http=http)
    _ = connection.port
    try:
        yield FrameRecorder(name=parsed, connection=connection, tap=taps[0])
    finally:
        await connection.close()


def new_folder(name: str, chosen: Path | None) -> Path:
    """The folder for the frames of a model, made; an earlier recording is never overwritten.

    Raises:
        BriefError: it exists, or cannot be made.
    """
    folder = chosen or Path("frames-" + re.sub(r"[^\w.-]+", "-", name))
    try:
        folder.mkdir(parents=True)
    except FileExistsError as error:
        raise BriefError("exists already; choose another folder with --to", where=str(folder)) from error
    except OSError as error:
        raise BriefError(f"cannot be made: {error}", where=str(folder)) from error
    return folder


def save(folder: Path, number: int, recording: Recording) -> None:
    """Write one answer into a file of its own.

    Raises:
        BriefError: it cannot be written.
    """
    path = folder / f"{number:02}-{recording.question}.json"
    try:
        path.write_text(json.dumps(asdict(recording), ensure_ascii=False, indent=1) + "\n", "utf-8")
    except OSError as error:
        raise BriefError(f"cannot be written: {error}", where=str(path)) from error


def load(folder: Path) -> dict[str, Recording]:
    """The answers of an earlier recording, by question.

    Raises:
        BriefError: there are none, or a file is none of ours.
    """
    recordings: dict[str, Recording] = {}
    for path in sorted(folder.glob("*.json")):
        try:
            recording = msgspec.json.decode(path.read_bytes(), type=Recording)
        except (OSError, msgspec.DecodeError) as error:
            raise BriefError(f"is no recorded answer: {error}", where=str(path)) from error
        recordings[recording.question] = recording
    if not recordings:
        raise BriefError("holds no recorded answers", where=str(folder))
    return recordings


def compared(earlier: dict[str, Recording], recording: Recording) -> Sequence[str]:
    """How the shape of an answer has changed since an earlier recording."""
    before = earlier.get(recording.question)
    return changes(before, recording) if before else ()
