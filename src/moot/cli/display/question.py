"""Questions to people on the screen. This file owns how a question looks, and what is said of one that is open."""

import time
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.rule import Rule
from rich.text import Text

from moot.app.run.people import allowed
from moot.app.run.question import Open, Shown
from moot.cli.display.render import body, outsider
from moot.cli.display.text import line, moment, short, span
from moot.cli.display.text_layout import FAINT, WARN, Inset, Stack, joined, paragraphs
from moot.core.agent import Scene
from moot.core.ask import Ask
from moot.core.event import Interjected
from moot.core.form import Field
from moot.core.labels import act_of, noun

TASK = 160
"""The most characters of a task in a list of open questions."""


def question(
    ask: Ask, scene: Scene, said: Sequence[Shown], about: Sequence[Shown], outside: Sequence[Interjected]
) -> Iterator[RenderableType]:
    """Who is asked, as what, what was said, what is laid before the person, and the task.

    Args:
        ask: the ask.
        scene: what the person sees.
        said: what was said and is not on the screen yet.
        about: what is laid before the person.
        outside: what was said from outside since the ask was put.
    """
    yield Rule(Text.assemble((line(ask.to), "bold"), " is asked"), style=WARN)
    for each in (*said, *about):
        yield from _shown(each)
    yield from overheard(outside)
    who = joined(Text(line(ask.to), style="bold"), Text(line(scene.me.role)), line(noun(act_of(ask))))
    yield Inset(Stack((who, *paragraphs(ask.task))), "▌ ", "▌ ", WARN)
    yield ""


def _shown(shown: Shown) -> Iterator[RenderableType]:
    act = line(noun(shown.turn.act))
    hidden = shown.name != shown.turn.by
    yield joined(Text(line(shown.name), style="bold"), "" if hidden else act, line(shown.turn.mark))
    yield from (Inset(each) for each in body(shown.turn))
    yield ""


def overheard(outside: Sequence[Interjected]) -> Iterator[RenderableType]:
    """What was said from outside while a question stands open."""
    for each in outside:
        yield outsider(each.by, each.text)
        yield ""


def form(fields: Sequence[Field]) -> Iterator[RenderableType]:
    """The fields of an answer with what may stand in each."""
    for each in fields:
        what = f"{line(each.help)}: " if each.help and each.kind != "text" else ""
        rest = "" if each.required else " (may be left out)"
        yield Inset(Text(f"{what}{line(allowed(each))}{rest}"), f"{line(each.name)}  ", "    ", "bold")


def term(left: float | None) -> str:
    """How long somebody has for an answer, and until when; "" for any time."""
    return "" if left is None else f"until {moment(time.time() + left)}, {span(max(0.0, left))} left"


def waits(asks: Sequence[Open]) -> Iterator[RenderableType]:
    """For whom a debate waits, for what, since when and until when."""
    for each in asks:
        turn = each.turn
        since = f"since {moment(each.since)}"
        what = line(noun(act_of(turn)))
        head = joined(Text(line(turn.by), style="bold"), what, since, Text(term(each.left), style=WARN))
        task = Text(short(turn.ask.task if turn.ask else "", TASK), style=FAINT)
        yield Inset(Stack((head, task)), "waits for ", " " * 10, FAINT)


def commands(debate: str, asks: Sequence[Open]) -> list[str]:
    """How each of those who are waited for can answer."""
    names = list(dict.fromkeys(each.turn.by for each in asks))
    whose = [f' --as "{name}"' if " " in name else f" --as {name}" for name in names] if len(names) > 1 else [""]
    return [f"moot answer {debate}{who}" for who in whose] if names else []
