"""The analysis of a debate in Markdown, with its findings in plain sentences, all computed from the record."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from moot.analysis.agreement import Flip, Tally
from moot.analysis.analysis import Analysis, Overview
from moot.analysis.disagreement import Disagreement, Tie
from moot.analysis.formal_claims import Checked
from moot.analysis.grounds import Ground
from moot.arguments.argument_map import AGAINST, Label
from moot.arguments.beliefs import Beliefs
from moot.core.text import clean, clip, counted, listed
from moot.report.markdown_text import LONG, bullets, capital, code, inline, table, time

STANDS: Mapping[Label, str] = {"in": "stands", "out": "does not stand", "undecided": "stays undecided"}
"""The standing of a claim or an answer, as a verb."""

_LONG = 80


def insights(found: Analysis) -> tuple[str, ...]:
    """The sentences on one debate, the most telling first."""
    said = (_agreement, _turns, _flips, _grounds_sentences, _cruxes, _points, _critics, _missing)
    return (*(sentence for tell in said for sentence in tell(found)), *found.notes)


def _agreement(found: Analysis) -> Iterator[str]:
    stages = found.agreement.stages
    if len(stages) > 1:
        first, last = stages[0].tally.share, stages[-1].tally.share
        moved = "rose" if last > first else "fell" if last < first else "stayed"
        span = f"at {last:.0%}" if last == first else f"from {first:.0%} to {last:.0%}"
        yield f"Agreement {moved} {span} between {_the(stages[0].name)} and {_the(stages[-1].name)}."


def _the(name: str) -> str:
    return name if name.startswith("round") else f"the {name}"


def _turns(found: Analysis) -> Iterator[str]:
    for each in found.agreement.moments:
        if each.turned:
            lead = f"{_short(each.after.leading)} took the lead" if each.after.leading else "no answer had the lead"
            yield f"After {each.mark} of {clean(each.by)}, {lead}."


def _flips(found: Analysis) -> Iterator[str]:
    flips = found.agreement.flips
    if flips:
        stated = sum(bool(each.causes) for each in flips)
        who = listed([clean(name) for name in dict.fromkeys(each.by for each in flips)])
        yield f"{who} changed the answer: {counted(len(flips), 'change')}, {stated or 'none'} with a stated cause."
    elif len(found.agreement.stages) > 1:
        yield "Nobody changed their answer."


def _grounds_sentences(found: Analysis) -> Iterator[str]:
    bare = [each for each in found.grounds if not each.supported]
    if found.grounds:
        yield (
            f"{len(found.grounds) - len(bare)} of {len(found.grounds)} claims of the decision are supported by a "
            "source or another participant."
        )
    unfound = list(dict.fromkeys(name for each in found.grounds for name in each.unfound))
    if unfound:
        yield f"The decision quotes words that are not in {listed([clean(name) for name in unfound])}."


def _cruxes(found: Analysis) -> Iterator[str]:
    winner, cruxes = found.beliefs.winner, found.beliefs.cruxes
    if winner and winner.standing != "in":
        yield f"The decided answer {STANDS[winner.standing]} on the argument map."
    if cruxes:
        yield f"The outcome depends on {'each of ' if len(cruxes) > 1 else ''}{listed([each.mark for each in cruxes])}."
    best = found.beliefs.answers[:1]
    if winner and best and best[0].strength > winner.strength:
        yield f"On the argument map {_short(best[0].answer)} is stronger than the decided answer."


def _points(found: Analysis) -> Iterator[str]:
    attacks = sum(each.relation in AGAINST for each in found.disagreement.points)
    questions = len(found.disagreement.points) - attacks
    told = [counted(n, word) for n, word in ((attacks, "attack"), (questions, "question")) if n]
    if told:
        yield f"{listed(told).capitalize()} {'was' if attacks + questions == 1 else 'were'} not answered."


def _critics(found: Analysis) -> Iterator[str]:
    moved: list[Tie] = [each for each in found.ties if each.moved]
    if moved:
        names = dict.fromkeys(each.by for each in moved)
        counts = {name: sum(each.moved for each in moved if each.by == name) for name in names}
        most = max(counts.values())
        tops = [clean(name) for name, n in counts.items() if n == most]
        yield f"{listed(tops)} changed the most minds: {_times(most)}{' each' if len(tops) > 1 else ''}."


def _missing(found: Analysis) -> Iterator[str]:
    if found.use.missing:
        yield f"{found.use.missing} of {found.use.asks} answers are missing."


def _times(n: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(n, f"{n} times")


def _short(answer: str) -> str:
    words = " ".join(clean(answer).split())
    return f"“{words if len(words) <= _LONG else words[: _LONG - 1].rstrip() + '…'}”"


_NONE = "–"
_SOON = 80


def review(found: Sequence[Analysis], total: Overview, plots: Mapping[str, Sequence[str]]) -> str:
    """A page on one debate or many; it ends with a line break.

    Args:
        found: the analyses.
        total: their sums.
        plots: for each debate the files of its plots; "" stands for those of all debates.
    """
    blocks = [
        *(_overview(total) if len(found) > 1 else []),
        *_pictures(plots.get("", ())),
        *(block for each in found for block in _debate(each, plots.get(each.debate, ()))),
    ]
    return "\n\n".join(each for each in blocks if each) + "\n"


def _overview(total: Overview) -> list[str]:
    ended = listed([f"{n} {status.replace('_', ' ')}" for status, n in total.statuses.items()])
    cost = _NONE if total.cost is None else f"${total.cost:.4f}"
    return [
        f"# {counted(total.debates, 'debate')}",
        bullets(
            [
                f"Ended: {ended}",
                f"Took {time(total.seconds)}; {_rounds(total.rounds)}; {total.entries:,} entries",
                f"{total.calls:,} calls, {total.tokens:,} tokens, {cost}",
                f"{total.answers} answers, {total.flips} of them changed; the cause is stated for {total.stated}",
                f"{total.supported} of {total.claims} claims of decisions are supported by a source or a participant",
            ]
        ),
        *_ties(total.ties),
    ]


def _debate(found: Analysis, plots: Sequence[str]) -> list[str]:
    return [
        f"# {inline(found.question)}",
        bullets(_facts(found)),
        *_chapter("Insights", [inline(each) for each in insights(found)]),
        *_pictures(plots),
        *_course(found),
        *_chapter("Changed answers", [_flip(each) for each in found.agreement.flips]),
        *_grounds(found.grounds),
        *_formal(found.formal),
        *_beliefs(found.beliefs),
        *_disagreement(found.disagreement),
        *_ties(found.ties),
    ]


def _facts(found: Analysis) -> list[str]:
    use = found.use
    cost = _NONE if use.cost is None else f"${use.cost:.4f}"
    return [
        f"{code(found.debate)}, {inline(found.protocol)}: {inline(found.line)}",
        f"Took {time(found.seconds)}; {_rounds(found.rounds)}; {found.entries:,} entries",
        f"{use.calls:,} calls, {use.input_tokens:,} tokens in, {use.output_tokens:,} out, {cost}",
    ]


def _rounds(n: int) -> str:
    return counted(n, "round")


def _chapter(name: str, lines: Iterable[str]) -> list[str]:
    body = bullets(lines)
    return [f"## {name}", body] if body else []


def _pictures(files: Sequence[str]) -> list[str]:
    return [f"![{name.rpartition('.')[0].rpartition('/')[2].replace('-', ' ')}]({name})" for name in files]


def _course(found: Analysis) -> list[str]:
    stages = found.agreement.stages
    rows = [[capital(each.name), each.mark, _tally(each.tally), f"{each.tally.share:.0%}"] for each in stages]
    heads = ["After", "Turn", "Answers", "Leading share"]
    moments = [
        f"{each.mark} of {inline(each.by)}: {_tally(each.before)} → {_tally(each.after)}"
        + (" (new lead)" if each.turned else "")
        for each in found.agreement.moments
    ]
    body = table(heads, rows, numbers=1)
    return [*(["## Agreement", body] if body else []), *_chapter("Moments", moments)]


def _tally(tally: Tally) -> str:
    return ", ".join(f"{inline(answer, _SOON)} {n}" for answer, n in tally.holders.items())


def _flip(flip: Flip) -> str:
    cause = f"caused by {listed(flip.causes)} of {listed([inline(name) for name in flip.to])}" if flip.causes else ""
    because = f": {inline(flip.because, LONG)}" if flip.because else ""
    changed = f"{flip.mark} of {inline(flip.by)}: {inline(flip.before, _SOON)} → {inline(flip.after, _SOON)}"
    return f"{changed}; {cause or 'cause not stated'}{because}"


def _grounds(grounds: Sequence[Ground]) -> list[str]:
    lines: list[str] = []
    for each in grounds:
        said = [f"{listed(each.turns)} of {listed([inline(name) for name in each.by])}"] if each.turns else []
        said += [f"backed by {listed(each.backed)}"] if each.backed else []
        said += [f"attacked by {listed(each.attacked)}"] if each.attacked else []
        said += [f"cites {listed([inline(name) for name in each.sources])}"] if each.sources else []
        said += [f"quotes words not found in {listed([inline(name) for name in each.unfound])}"] if each.unfound else []
        said += [f"names {listed(each.named)}"] if each.named else []
        said += [] if each.supported else ["**unsupported**"]
        lines.append(f"{inline(each.claim, LONG)} ({'; '.join(said)})")
    return _chapter("What the decision rests on", lines)


def _formal(checked: Sequence[Checked] | None) -> list[str]:
    if checked is None:
        return []
    lines = [
        f"**{each.verdict.replace('_', ' ')}**, {_stated(each)}: {code(clip(each.claim.text, LONG))}; "
        + inline("; ".join([each.reason, *(f"{name} = {value}" for name, value in each.example.items())]), LONG)
        for each in checked
    ]
    return _chapter("Formal claims", lines or ["Nobody stated a claim formally."])


def _stated(checked: Checked) -> str:
    claim = checked.claim
    return f"{claim.mark} of {inline(claim.by)}" if claim.mark else f"the brief ({inline(claim.source)})"


def _beliefs(beliefs: Beliefs) -> list[str]:
    rows = [
        [inline(each.answer, _SOON), ", ".join(each.claims), STANDS[each.standing], f"{each.strength:.2f}"]
        for each in beliefs.answers
    ]
    cruxes = [
        f"{each.mark} of {listed([inline(name) for name in each.by])}: without it the decided answer "
        f"{STANDS[each.standing]} (strength {each.strength:.2f}). {inline(each.claim, LONG)}"
        for each in beliefs.cruxes
    ]
    body = table(["Answer", "Claims", "On the argument map", "Strength"], rows, numbers=1)
    return [*(["## Answers on the argument map", body] if body else []), *_chapter("Cruxes", cruxes)]


def _disagreement(found: Disagreement) -> list[str]:
    camps = [
        f"{inline(each.answer, LONG)}: {listed([inline(name) for name in each.by])} ({each.share:.0%})"
        for each in found.camps
    ]
    dissent = [
        f"{inline(each.voter)} voted for {inline(each.choice, LONG)}"
        + (f": {inline(each.reason, LONG)}" if each.reason else "")
        for each in found.dissent
    ]
    points = [
        f"{each.mark} of {listed([inline(name) for name in each.by])} on {each.target}: {inline(each.claim, LONG)}"
        for each in found.points
    ]
    camps = camps if len(camps) > 1 else []
    return [*_chapter("Camps", camps), *_chapter("Dissent", dissent), *_chapter("Not answered", points)]


def _ties(ties: Sequence[Tie]) -> list[str]:
    rows = [
        [
            f"{inline(each.by)} → {inline(each.to)}",
            *(
                str(n) if n else _NONE
                for n in (each.answers, each.supports, each.attacks, each.questions, each.votes, each.together)
            ),
            str(each.apart) if each.apart else _NONE,
            str(each.moved) if each.moved else _NONE,
        ]
        for each in ties
    ]
    heads = ["Who", "answers", "supports", "attacks", "asks", "votes for", "votes with", "votes otherwise", "moved"]
    body = table(heads, rows, numbers=8)
    return ["## Relations", body] if body else []
