"""Two debates side by side on the screen. This file owns how a comparison is shown."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.rule import Rule
from rich.text import Text

from moot.cli.display.text_layout import FAINT, Inset, Stack, amount, count, joined, line, money, short, span
from moot.core.labels import descent
from moot.report.compare import Comparison, Parting, Said, Side, Standing

LONGEST = 240
"""The most characters of a text; the report of each debate has the whole of it."""

BEFORE = 60
"""The characters that are shown before the first one that differs, where two texts begin alike."""

MOST = 20
"""The most rows of what was set otherwise; the data have all."""


def beside(found: Comparison) -> Iterator[RenderableType]:
    """Where two debates part, what was set otherwise, and what came of each; the first is A, the second B."""
    one, other = found.one, found.other
    for name, side in (("A", one), ("B", other)):
        said = joined(Text(side.debate), line(side.protocol), descent(side.forked))
        yield Inset(Stack((Text(short(side.topic, LONGEST), style="bold"), said)), f"{name}  ", "   ")
    yield ""
    yield from _parting(found.parting, one, other)
    if found.settings:
        yield from _chapter("set otherwise")
        yield from (_pair(each.what, each.one, each.other) for each in found.settings[:MOST])
        if len(found.settings) > MOST:
            yield Text(f"and {len(found.settings) - MOST} more: --json has all", style=FAINT)
    yield from _chapter("outcome")
    yield from _outcome(one, other)
    yield from _chapter("participants")
    yield from _people(one, other)
    yield from _chapter("used")
    yield _pair("in all", _used(one), _used(other))
    yield _pair("missing", _missing(one), _missing(other))


def _chapter(title: str) -> Iterator[RenderableType]:
    yield ""
    yield Rule(Text(title, style="bold"), style=FAINT)


def _pair(label: str, one: str, other: str) -> RenderableType:
    """A value of both debates: once where it is the same."""
    rows = [("=", one or "–")] if one == other else [("A", _near(one, other) or "–"), ("B", _near(other, one) or "–")]
    inner = Stack(tuple(Inset(Text(short(words, LONGEST)), f"{mark}  ", "   ") for mark, words in rows))
    wide = 16
    # A long label stands on a line of its own.
    if len(label) > wide - 2:
        return Stack((Text(line(label), style=FAINT), Inset(inner, " " * wide, " " * wide)))
    return Inset(inner, f"{line(label):<{wide}}", " " * wide, FAINT)


def _near(words: str, other: str) -> str:
    """Words from shortly before the place at which they differ from others."""
    same = next((n for n, (a, b) in enumerate(zip(words, other, strict=False)) if a != b), min(len(words), len(other)))
    begin = same - BEFORE
    return f"…{words[begin:]}" if begin > BEFORE else words


def _parting(parting: Parting, one: Side, other: Side) -> Iterator[RenderableType]:
    if parting.one is None and parting.other is None:
        yield Text(f"They say the same throughout: {count(parting.answers, 'answer')}.")
        return
    if not parting.same:
        yield Text("They have nothing in common: they part at entry 1.")
    elif not parting.answers:
        yield Text("They have no answer in common. They part:")
    else:
        yield Text(f"They say the same for {count(parting.answers, 'answer')}, then they part:")
    ours, theirs = parting.one.words if parting.one else "", parting.other.words if parting.other else ""
    yield Inset(_said(parting.one, one, _near(ours, theirs)), "A  ", "   ")
    yield Inset(_said(parting.other, other, _near(theirs, ours)), "B  ", "   ")


def _said(said: Said | None, side: Side, words: str) -> Text:
    if said is None:
        return Text(f"ends with entry {side.entries}", style=FAINT)
    place = joined(f"entry {said.seq}", said.mark)
    who = Text(line(said.by), style="bold")
    return Text("  ").join(part for part in (place, who, Text(short(words, LONGEST))) if part)


def _outcome(one: Side, other: Side) -> Iterator[RenderableType]:
    yield _pair("status", one.status.replace("_", " "), other.status.replace("_", " "))
    for label, a, b in (
        ("decision", one.text or one.winner, other.text or other.winner),
        ("winner", _winner(one), _winner(other)),
        ("support", _support(one), _support(other)),
        ("tally", _tally(one), _tally(other)),
        ("how", one.line, other.line),
    ):
        if a or b:
            yield _pair(label, a, b)
    yield _pair("rounds", str(one.rounds), str(other.rounds))
    yield _pair("answers", str(one.answers), str(other.answers))


def _winner(side: Side) -> str:
    return side.winner if side.winner != side.text else ""


def _support(side: Side) -> str:
    return f"{side.share:.0%}{f', {side.strength}' if side.strength else ''}" if side.share else ""


def _tally(side: Side) -> str:
    return " · ".join(f"{short(name, 48)}: {votes:g}" for name, votes in side.tally.items())


def _people(one: Side, other: Side) -> Iterator[RenderableType]:
    ours, theirs = ({each.name: _standing(each) for each in side.people} for side in (one, other))
    for name in dict.fromkeys((*ours, *theirs)):
        yield _pair(name, ours.get(name, "takes no part"), theirs.get(name, "takes no part"))


def _standing(who: Standing) -> str:
    changed = f"after {count(who.flips, 'change')} of answer" if who.flips else ""
    facts = (line(who.seat), changed, f"votes for {short(who.vote, 48)}" if who.vote else "")
    return " · ".join(filter(None, (short(who.answer, 120) or "–", *facts)))


def _used(side: Side) -> str:
    use = side.use
    tokens = f"{amount(use.input_tokens + use.output_tokens)} tokens"
    return " · ".join((count(use.asks, "ask"), count(use.calls, "call"), tokens, money(use.cost), span(side.seconds)))


def _missing(side: Side) -> str:
    use = side.use
    said = (
        count(use.missing, "answer") if use.missing else "",
        count(use.errors, "failed try", "failed tries") if use.errors else "",
        count(use.open, "open question") if use.open else "",
    )
    return ", ".join(filter(None, said)) or "nothing"
