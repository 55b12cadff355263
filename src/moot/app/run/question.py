"""What a person is asked. This file owns what is laid before a person, under which names, and which asks are open.

It is what a model would be sent, in pieces that a host can show; who may read what is decided elsewhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from moot.agents.prompt import proposal_names
from moot.app.run.outcome import Listed, damaged
from moot.app.run.people import time_left, waiting
from moot.app.run.workspace import Desk
from moot.core.agent import Scene
from moot.core.errors import RecordError
from moot.core.event import Asked
from moot.core.transcript import INTERJECTION, Transcript, Turn
from moot.report.turn_text import Spoken, speak


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A turn as it stands before a person.

    Attributes:
        name: what its speaker or the turn is called there: ``Bull``, or ``Proposal A`` where authors are hidden.
        turn: the turn in words.
    """

    name: str
    turn: Spoken


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """An ask that waits for a person.

    Attributes:
        turn: the ask, without an answer.
        since: when it was put, in seconds since 1970.
        left: the seconds that are left for an answer; None for any time.
    """

    turn: Turn
    since: float
    left: float | None = None


def laid(scene: Scene, transcript: Transcript) -> tuple[Shown, ...]:
    """The turns laid before a person, under the names that the form uses for them."""
    names = proposal_names(scene.view, scene.about)
    return tuple(
        Shown(name=name or turn.by, turn=_words(turn, scene, transcript))
        for name, turn in zip(names, scene.about, strict=True)
    )


def news(scene: Scene, transcript: Transcript) -> tuple[Shown, ...]:
    """What a person may read of what was said since the person's own last turn, oldest first."""
    own = [n for n, turn in enumerate(scene.turns, start=1) if turn.by == scene.me.name and turn.act != INTERJECTION]
    names = _hidden(scene.turns) if scene.view.anonymous else {}
    return tuple(
        Shown(name=names.get(turn.by, turn.by), turn=_words(turn, scene, transcript))
        for turn in scene.turns[own[-1] if own else 0 :]
    )


def _hidden(turns: Sequence[Turn]) -> dict[str, str]:
    speakers = dict.fromkeys(turn.by for turn in turns if turn.act != INTERJECTION)
    return {name: f"Participant {n}" for n, name in enumerate(speakers, start=1)}


def _words(turn: Turn, scene: Scene, transcript: Transcript) -> Spoken:
    """A turn in words; whom it answers is left out where authors are hidden."""
    said = speak(turn, transcript, scene.brief, "")
    return replace(said, link="") if scene.view.anonymous else said


async def stands(desk: Desk, listed: Sequence[Listed]) -> tuple[tuple[Listed, ...], dict[str, tuple[Open, ...]]]:
    """The debates of a list, and the asks that wait for people in those that are not over.

    A debate whose record cannot be read is damaged, and hides no other.
    """
    found: list[Listed] = []
    asks: dict[str, tuple[Open, ...]] = {}
    for each in listed:
        now = each
        if each.status in ("paused", "open"):
            try:
                asks[each.debate] = await open_asks(desk, each.debate)
            except RecordError as error:
                now = damaged(each, error)
        found.append(now)
    return tuple(found), asks


async def open_asks(desk: Desk, debate: str) -> tuple[Open, ...]:
    """The asks that wait for a person, oldest first.

    Raises:
        RecordError: there is no such debate, or its record or letters are damaged.
    """
    turns, left = await waiting(desk, debate), await time_left(desk, debate)
    put = {each.event.ask.key: each.at for each in await desk.entries(debate) if isinstance(each.event, Asked)}
    return tuple(Open(turn=turn, since=put[turn.key], left=left.get(turn.key)) for turn in turns)
