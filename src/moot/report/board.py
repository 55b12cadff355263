"""A board, as its record has it. This file owns what a report says of its members, artifacts and whispers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from moot.core.artifacts import artifacts
from moot.core.roles import WITHDRAWN, Standing, asked, split, standing
from moot.core.transcript import Transcript, Turn, read_field


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """What a member attached: its mark, whose it is, its title and text, and who cited it in which turn."""

    mark: str
    by: str
    title: str
    text: str
    cited: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Whisper:
    """What a member said to one other alone: the turn's mark, who to whom ("" where it named nobody), the words."""

    mark: str
    by: str
    to: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """What came of a board.

    Attributes:
        members: where each member stands, in the order of the table.
        split: whether the verdicts differ.
        attachments: what was attached, in order.
        unknown: what was cited and is neither an artifact nor a document: the turn's mark, by whom, what.
        whispers: what was said to one alone, in order.
    """

    members: tuple[Standing, ...]
    split: bool
    attachments: tuple[Attachment, ...]
    unknown: tuple[tuple[str, str, str], ...]
    whispers: tuple[Whisper, ...]


def board(transcript: Transcript) -> Board | None:
    """What came of the board of a record; None where it is none."""
    turns = [turn for turn in transcript.all() if WITHDRAWN in asked(turn)]
    if transcript.brief is None or not turns:
        return None
    brief = transcript.brief
    members = tuple(standing(brief.names("debater"), transcript.all()).values())
    attached = artifacts(turns)
    marks = {each.mark.casefold(): each.mark for each in attached}
    known = {source.name.casefold() for source in (*brief.background, *brief.library)}
    cites = [(turn, words) for turn in turns for words in _cites(turn)]
    cited: Mapping[str, list[tuple[str, str]]] = {each.mark: [] for each in attached}
    unknown: list[tuple[str, str, str]] = []
    for turn, words in cites:
        if words.casefold() in marks:
            cited[marks[words.casefold()]].append((turn.by, turn.mark))
        elif words.casefold() not in known:
            unknown.append((turn.mark, turn.by, words))
    return Board(
        members=members,
        split=split(members),
        attachments=tuple(
            Attachment(mark=each.mark, by=each.turn.by, title=each.title, text=each.text, cited=tuple(cited[each.mark]))
            for each in attached
        ),
        unknown=tuple(unknown),
        whispers=tuple(_whispers(turns)),
    )


def _cites(turn: Turn) -> tuple[str, ...]:
    value = read_field(turn, "Cites")
    return tuple(each.strip(" .") for each in value) if isinstance(value, tuple) else ()


def _whispers(turns: list[Turn]) -> Iterator[Whisper]:
    for turn in turns:
        if words := read_field(turn, "Whisper"):
            to = str(read_field(turn, "WhisperTo") or "")
            yield Whisper(mark=turn.mark, by=turn.by, to=to, text=str(words))
