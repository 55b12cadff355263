"""Show two debates side by side: where they diverge, their settings, outcomes and usage."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.rule import Rule
from rich.text import Text

from folkmoot.cli.display.text_layout import FAINT, Indented, Stack, joined, line, short, usage_in_words
from folkmoot.core.labels import duration, fork_origin, status_in_words
from folkmoot.core.text import counted, percent
from folkmoot.report.compare import Comparison, Divergence, Said, Side, Standing

LONGEST = 240
"""The most characters of a text; the report of each debate has all of it."""

BEFORE = 60
"""The characters that are shown before the first difference of two texts."""

MOST = 20
"""The most rows of different settings; the data have all."""


def comparison_view(comparison: Comparison) -> Iterator[RenderableType]:
    """Where two debates diverge, their different settings, and both outcomes; the first is A, the second B."""
    first, other = comparison.one, comparison.other
    for name, side in (("A", first), ("B", other)):
        facts = joined(Text(side.debate), line(side.protocol), fork_origin(side.forked))
        yield Indented(Stack((Text(short(side.topic, LONGEST), style="bold"), facts)), f"{name}  ", "   ")
    yield ""
    yield from _divergence_view(comparison.parting, first, other)
    if comparison.settings:
        yield from _chapter("different settings")
        yield from (
            _two_values(difference.what, difference.one, difference.other) for difference in comparison.settings[:MOST]
        )
        if len(comparison.settings) > MOST:
            yield Text(f"and {len(comparison.settings) - MOST} more: --json shows all", style=FAINT)
    yield from _chapter("outcome")
    yield from _outcome(first, other)
    yield from _chapter("participants")
    yield from _people(first, other)
    yield from _chapter("used")
    yield _two_values("in total", _usage_line(first), _usage_line(other))
    yield _two_values("missing", _missing_line(first), _missing_line(other))


def _chapter(title: str) -> Iterator[RenderableType]:
    yield ""
    yield Rule(Text(title, style="bold"), style=FAINT)


def _two_values(label: str, left: str, other: str) -> RenderableType:
    """A value of both debates, shown once if it is the same."""
    rows = (
        [("=", left or "–")]
        if left == other
        else [("A", _text_near_difference(left, other) or "–"), ("B", _text_near_difference(other, left) or "–")]
    )
    inner = Stack(tuple(Indented(Text(short(words, LONGEST)), f"{mark}  ", "   ") for mark, words in rows))
    wide = 16
    # A long label has a line of its own.
    if len(label) > wide - 2:
        return Stack((Text(line(label), style=FAINT), Indented(inner, " " * wide, " " * wide)))
    return Indented(inner, f"{line(label):<{wide}}", " " * wide, FAINT)


def _text_near_difference(words: str, other: str) -> str:
    """The text from shortly before the first difference on."""
    same = next((n for n, (a, b) in enumerate(zip(words, other, strict=False)) if a != b), min(len(words), len(other)))
    begin = same - BEFORE
    return f"…{words[begin:]}" if begin > BEFORE else words


def _divergence_view(parting: Divergence, first: Side, other: Side) -> Iterator[RenderableType]:
    if parting.one is None and parting.other is None:
        yield Text(f"All answers are the same: {counted(parting.answers, 'answer')}.")
        return
    if not parting.same:
        yield Text("They have nothing in common: they diverge at entry 1.")
    elif not parting.answers:
        yield Text("They have no answers in common. They diverge here:")
    else:
        same = "answer is" if parting.answers == 1 else f"{parting.answers:,} answers are"
        yield Text(f"The first {same} the same. Then they diverge:")
    ours, theirs = parting.one.words if parting.one else "", parting.other.words if parting.other else ""
    yield Indented(_turn_line(parting.one, first, _text_near_difference(ours, theirs)), "A  ", "   ")
    yield Indented(_turn_line(parting.other, other, _text_near_difference(theirs, ours)), "B  ", "   ")


def _turn_line(said_words: Said | None, side: Side, words: str) -> Text:
    if said_words is None:
        return Text(f"ends with entry {side.entries}", style=FAINT)
    position = joined(f"entry {said_words.seq}", said_words.mark)
    author = Text(line(said_words.by), style="bold")
    return Text("  ").join(part for part in (position, author, Text(short(words, LONGEST))) if part)


def _outcome(first: Side, other: Side) -> Iterator[RenderableType]:
    yield _two_values("status", status_in_words(first.status), status_in_words(other.status))
    for label, a, b in (
        ("decision", first.text or first.winner, other.text or other.winner),
        ("winner", _winner(first), _winner(other)),
        ("support", _support(first), _support(other)),
        ("tally", _tally(first), _tally(other)),
        ("how", first.line, other.line),
    ):
        if a or b:
            yield _two_values(label, a, b)
    yield _two_values("rounds", str(first.rounds), str(other.rounds))
    yield _two_values("answers", str(first.answers), str(other.answers))


def _winner(side: Side) -> str:
    return side.winner if side.winner != side.text else ""


def _support(side: Side) -> str:
    return f"{percent(side.share)}{f', {side.strength}' if side.strength else ''}" if side.share else ""


def _tally(side: Side) -> str:
    return " · ".join(f"{short(name, 48)}: {votes:g}" for name, votes in side.tally.items())


def _people(first: Side, other: Side) -> Iterator[RenderableType]:
    ours, theirs = ({standing.name: _participant_line(standing) for standing in side.people} for side in (first, other))
    for name in dict.fromkeys((*ours, *theirs)):
        yield _two_values(name, ours.get(name, "does not take part"), theirs.get(name, "does not take part"))


def _participant_line(participant: Standing) -> str:
    changed = f"{counted(participant.flips, 'changed answer')}" if participant.flips else ""
    facts = (line(participant.seat), changed, f"votes for {short(participant.vote, 48)}" if participant.vote else "")
    return " · ".join(filter(None, (short(participant.answer, 120) or "–", *facts)))


def _usage_line(side: Side) -> str:
    use = side.use
    used = usage_in_words(use.input_tokens + use.output_tokens, use.cost, use.estimated)
    return " · ".join((counted(use.asks, "question"), counted(use.calls, "call"), *used, duration(side.seconds)))


def _missing_line(side: Side) -> str:
    use = side.use
    parts = (
        counted(use.missing, "answer") if use.missing else "",
        counted(use.errors, "failed attempt") if use.errors else "",
        counted(use.open, "open question") if use.open else "",
    )
    return ", ".join(filter(None, parts)) or "nothing"
