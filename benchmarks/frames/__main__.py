"""``python -m benchmarks.frames MODEL``: ask a model twelve fixed questions, and write down what its provider sends.

Keys, ids and names of accounts are removed. With ``--against``, what has changed since an earlier recording is listed.
Nothing is sent before you have agreed.
"""

import asyncio
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click
import msgspec

from benchmarks.frames.recorded_frames import QUESTIONS, Recording, Tap, changes, most, record, renamed
from folkmoot.cli.display.text_layout import money
from folkmoot.core.errors import BriefError, FolkmootError
from folkmoot.models.base import Model
from folkmoot.models.http_client import HttpClient
from folkmoot.models.layers import RetrySettings
from folkmoot.models.names import ANTHROPIC, OLLAMA, OPENAI, parse
from folkmoot.models.pool import layered_model
from folkmoot.models.provider_errors import CONNECT_SECONDS
from folkmoot.models.transport import ProviderConnection


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("model")
@click.option("--to", type=click.Path(path_type=Path), help="Write into this new folder.")
@click.option("--against", type=click.Path(path_type=Path), help="Compare with the recording in this folder.")
@click.option("--yes", is_flag=True, help="Send without asking.")
def main(model: str, to: Path | None, against: Path | None, yes: bool) -> None:
    """Ask a model twelve fixed questions and write down, byte by byte, what its provider sends.

    MODEL is its name: openai:gpt-5.4-mini. Keys, ids and names of accounts are removed from the answers. With
    --against, what has changed since an earlier recording is listed. Nothing is sent before you have agreed.
    """
    try:
        asyncio.run(_record(model, to, load(against) if against else {}, yes=yes))
    except FolkmootError as error:
        click.echo(f"benchmarks.frames: {error}", err=True)
        sys.exit(2)


async def _record(name: str, to: Path | None, earlier: dict[str, Recording], *, yes: bool) -> None:
    parsed = parse(name)
    if parsed.provider.wire not in (OPENAI, ANTHROPIC, OLLAMA):
        raise BriefError(f"{name} is not reached by a wire of ours, so its frames cannot be recorded", code="bad_model")
    taps: list[Tap] = []

    def http(url: str, proxied: bool) -> Tap:
        taps.append(Tap(HttpClient(url, proxied=proxied, connect=CONNECT_SECONDS)))
        return taps[0]

    connection = ProviderConnection(parsed.provider, http=http)
    _ = connection.port  # a key or an address that is missing is told before anything else

    def model(full_name: str) -> Model:
        return layered_model(parse(full_name), connection, RetrySettings(tries=1))

    try:
        estimate = most(model(name))
        click.echo(f"12 questions go to {name}: at most {estimate.tokens:,} tokens, {money(estimate.cost)}.", err=True)
        if not yes:
            click.confirm("Send them?", abort=True, err=True)
        folder = new_folder(name, to)
        for number, question in enumerate(QUESTIONS, 1):
            recording = await record(question, model(renamed(name, question)), taps[0], connection.key)
            save(folder, number, recording)
            read = recording.read
            outcome = f"{read['error']}: {read['words']}" if "error" in read else f"{read['finish'] or 'no end'}"
            click.echo(f"{recording.question:14} {recording.status or '-':>4}  {outcome}")
            for change in compared(earlier, recording):
                click.echo(f"{'':14}       {change}")
    finally:
        await connection.close()
    click.echo(f"The answers are in {folder}. Read them before you pass them on.")


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


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.frames")
