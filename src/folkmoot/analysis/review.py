"""The analysis of a debate in Markdown, with its findings in plain sentences, all computed from the record."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from folkmoot.analysis.agreement import Flip, Tally
from folkmoot.analysis.analysis import Analysis, Overview
from folkmoot.analysis.disagreement import Disagreement, Interaction
from folkmoot.analysis.formal_claims import Checked
from folkmoot.analysis.grounds import Ground
from folkmoot.arguments.argument_map import AGAINST, Label
from folkmoot.arguments.beliefs import Beliefs
from folkmoot.core.labels import duration
from folkmoot.core.text import about, clean, clip, counted, listed, percent
from folkmoot.report.markdown_text import LONG, bullets, capital, code, inline, table

STANDS: Mapping[Label, str] = {"in": "stands", "out": "does not stand", "undecided": "stays undecided"}
"""The standing of a claim or an answer, as a verb."""

_LONG = 80


def insights(analysis: Analysis) -> tuple[str, ...]:
    """The sentences on one debate, the most telling first."""
    chapters = (_agreement, _turns, _flips, _grounds_sentences, _cruxes, _points, _critics, _missing_answers)
    return (*(sentence for tell in chapters for sentence in tell(analysis)), *analysis.notes)


def _agreement(analysis: Analysis) -> Iterator[str]:
    stages = analysis.agreement.stages
    if len(stages) > 1:
        first, last = stages[0].tally.share, stages[-1].tally.share
        moved = "rose" if last > first else "fell" if last < first else "stayed"
        span = f"at {percent(last)}" if last == first else f"from {percent(first)} to {percent(last)}"
        yield f"Agreement {moved} {span} between {_with_article(stages[0].name)} and {_with_article(stages[-1].name)}."


def _with_article(name: str) -> str:
    return name if name.startswith("round") else f"the {name}"


def _turns(analysis: Analysis) -> Iterator[str]:
    for moment in analysis.agreement.moments:
        if moment.turned:
            lead = (
                f"{_shortened(moment.after.leading)} took the lead"
                if moment.after.leading
                else "no answer had the lead"
            )
            yield f"After {moment.mark} of {clean(moment.by)}, {lead}."


def _flips(analysis: Analysis) -> Iterator[str]:
    flips = analysis.agreement.flips
    if flips:
        stated = sum(bool(flip.causes or flip.because) for flip in flips)
        authors = listed([clean(name) for name in dict.fromkeys(flip.by for flip in flips)])
        yield f"{authors} changed the answer: {counted(len(flips), 'change')}, {stated or 'none'} with a stated reason."
    elif len(analysis.agreement.stages) > 1:
        yield "Nobody changed their answer."


def _grounds_sentences(analysis: Analysis) -> Iterator[str]:
    unbacked = [ground for ground in analysis.grounds if not ground.supported]
    if analysis.grounds:
        yield (
            f"{len(analysis.grounds) - len(unbacked)} of {len(analysis.grounds)} claims of the decision are supported "
            "by a source or another participant."
        )
    unfound = list(dict.fromkeys(name for ground in analysis.grounds for name in ground.unfound))
    if unfound:
        yield f"The decision quotes words that are not in {listed([clean(name) for name in unfound])}."


def _cruxes(analysis: Analysis) -> Iterator[str]:
    winner, cruxes = analysis.beliefs.winner, analysis.beliefs.cruxes
    if winner and winner.standing != "in":
        yield f"The decided answer {STANDS[winner.standing]} on the argument map."
    if cruxes:
        yield f"The outcome depends on {'each of ' if len(cruxes) > 1 else ''}{listed([crux.mark for crux in cruxes])}."
    best = analysis.beliefs.answers[:1]
    if winner and best and best[0].strength > winner.strength:
        yield f"On the argument map {_shortened(best[0].answer)} is stronger than the decided answer."


def _points(analysis: Analysis) -> Iterator[str]:
    attacks = sum(point.relation in AGAINST for point in analysis.disagreement.points)
    questions = len(analysis.disagreement.points) - attacks
    for n, kind, missing in ((attacks, "attack", "rebutted"), (questions, "question", "answered")):
        if n:
            yield f"{counted(n, kind)} {'was' if n == 1 else 'were'} not {missing}."


def _critics(analysis: Analysis) -> Iterator[str]:
    moved: list[Interaction] = [tie for tie in analysis.ties if tie.moved]
    if moved:
        names = dict.fromkeys(tie.by for tie in moved)
        counts = {name: sum(tie.moved for tie in moved if tie.by == name) for name in names}
        highest = max(counts.values())
        tops = [clean(name) for name, n in counts.items() if n == highest]
        yield f"{listed(tops)} changed the most minds: {_times(highest)}{' each' if len(tops) > 1 else ''}."


def _missing_answers(analysis: Analysis) -> Iterator[str]:
    if analysis.use.missing:
        yield f"{analysis.use.missing} of {analysis.use.asks} answers are missing."


def _times(n: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(n, f"{n} times")


def _shortened(answer: str) -> str:
    words = " ".join(clean(answer).split())
    return f"“{words if len(words) <= _LONG else words[: _LONG - 1].rstrip() + '…'}”"


_NONE = "–"
_SOON = 80


def review(analyses: Sequence[Analysis], total: Overview, plots: Mapping[str, Sequence[str]]) -> str:
    """A page on one debate or many; it ends with a line break.

    Args:
        analyses: the analyses.
        total: their sums.
        plots: for each debate the files of its plots; "" stands for those of all debates.
    """
    blocks = [
        *(_overview(total) if len(analyses) > 1 else []),
        *_pictures(plots.get("", ())),
        *(block for analysis in analyses for block in _debate(analysis, plots.get(analysis.debate, ()))),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _overview(total: Overview) -> list[str]:
    ended = listed([f"{n} {status.replace('_', ' ')}" for status, n in total.statuses.items()])
    cost = _NONE if total.cost is None else f"${total.cost:.4f}"
    return [
        f"# {counted(total.debates, 'debate')}",
        bullets(
            [
                f"Ended: {ended}",
                f"Took {duration(total.seconds)}; {_rounds(total.rounds)}; {total.entries:,} entries",
                f"{total.calls:,} calls, {total.tokens:,} tokens, {cost}",
                f"{total.answers} answers, {total.flips} of them changed; the cause is stated for {total.stated}",
                f"{total.supported} of {total.claims} claims of decisions are supported by a source or a participant",
            ]
        ),
        *_interactions(total.ties),
    ]


def _debate(analysis: Analysis, plots: Sequence[str]) -> list[str]:
    return [
        f"# {inline(analysis.question)}",
        bullets(_facts(analysis)),
        *_chapter("Insights", [inline(insight) for insight in insights(analysis)]),
        *_pictures(plots),
        *_course(analysis),
        *_chapter("Changed answers", [_flip(flip) for flip in analysis.agreement.flips]),
        *_grounds(analysis.grounds),
        *_formal(analysis.formal),
        *_beliefs(analysis.beliefs),
        *_disagreement(analysis.disagreement),
        *_interactions(analysis.ties),
    ]


def _facts(analysis: Analysis) -> list[str]:
    use = analysis.use
    cost = _NONE if use.cost is None else about(f"${use.cost:.4f}", use.estimated and use.cost)
    tokens = about(f"{use.input_tokens:,} tokens in, {use.output_tokens:,} out", use.estimated)
    return [
        f"{code(analysis.debate)}, {inline(analysis.protocol)}: {inline(analysis.line)}",
        f"Took {duration(analysis.seconds)}; {_rounds(analysis.rounds)}; {analysis.entries:,} entries",
        f"{use.calls:,} calls, {tokens}, {cost}",
    ]


def _rounds(n: int) -> str:
    return counted(n, "round")


def _chapter(name: str, lines: Iterable[str]) -> list[str]:
    body = bullets(lines)
    return [f"## {name}", body] if body else []


def _pictures(files: Sequence[str]) -> list[str]:
    return [f"![{name.rpartition('.')[0].rpartition('/')[2].replace('-', ' ')}]({name})" for name in files]


def _course(analysis: Analysis) -> list[str]:
    stages = analysis.agreement.stages
    rows = [[capital(stage.name), stage.mark, _tally(stage.tally), percent(stage.tally.share)] for stage in stages]
    heads = ["After", "Turn", "Answers", "Leading share"]
    moments = [
        f"{moment.mark} of {inline(moment.by)}: {_tally(moment.before)} → {_tally(moment.after)}"
        + (" (new lead)" if moment.turned else "")
        for moment in analysis.agreement.moments
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
    for ground in grounds:
        facts = [f"{listed(ground.turns)} of {listed([inline(name) for name in ground.by])}"] if ground.turns else []
        facts += [f"backed by {listed(ground.backed)}"] if ground.backed else []
        facts += [f"attacked by {listed(ground.attacked)}"] if ground.attacked else []
        facts += [f"cites {listed([inline(name) for name in ground.sources])}"] if ground.sources else []
        facts += (
            [f"quotes words not found in {listed([inline(name) for name in ground.unfound])}"] if ground.unfound else []
        )
        facts += [f"names {listed(ground.named)}"] if ground.named else []
        facts += [] if ground.supported else ["**unsupported**"]
        lines.append(f"{inline(ground.claim, LONG)} ({'; '.join(facts)})")
    return _chapter("What the decision rests on", lines)


def _formal(checked: Sequence[Checked] | None) -> list[str]:
    if checked is None:
        return []
    lines = [
        f"**{item.verdict.replace('_', ' ')}**, {_where_stated(item)}: {code(clip(item.claim.text, LONG))}; "
        + inline("; ".join([item.reason, *(f"{name} = {value}" for name, value in item.example.items())]), LONG)
        for item in checked
    ]
    return _chapter("Formal claims", lines or ["Nobody stated a claim formally."])


def _where_stated(checked: Checked) -> str:
    claim = checked.claim
    return f"{claim.mark} of {inline(claim.by)}" if claim.mark else f"the brief ({inline(claim.source)})"


def _beliefs(beliefs: Beliefs) -> list[str]:
    rows = [
        [inline(belief.answer, _SOON), ", ".join(belief.claims), STANDS[belief.standing], f"{belief.strength:.2f}"]
        for belief in beliefs.answers
    ]
    cruxes = [
        f"{crux.mark} of {listed([inline(name) for name in crux.by])}: without it the decided answer "
        f"{STANDS[crux.standing]} (strength {crux.strength:.2f}). {inline(crux.claim, LONG)}"
        for crux in beliefs.cruxes
    ]
    body = table(["Answer", "Claims", "On the argument map", "Strength"], rows, numbers=1)
    return [*(["## Answers on the argument map", body] if body else []), *_chapter("Cruxes", cruxes)]


def _disagreement(disagreement: Disagreement) -> list[str]:
    camps = [
        f"{inline(camp.answer, LONG)}: {listed([inline(name) for name in camp.by])} ({percent(camp.share)})"
        for camp in disagreement.camps
    ]
    dissent = [
        f"{inline(ballot.voter)} voted for {inline(ballot.choice, LONG)}"
        + (f": {inline(ballot.reason, LONG)}" if ballot.reason else "")
        for ballot in disagreement.dissent
    ]
    points = [
        f"{point.mark} of {listed([inline(name) for name in point.by])} on {point.target}: {inline(point.claim, LONG)}"
        for point in disagreement.points
    ]
    camps = camps if len(camps) > 1 else []
    return [*_chapter("Camps", camps), *_chapter("Dissent", dissent), *_chapter("Not answered", points)]


def _interactions(ties: Sequence[Interaction]) -> list[str]:
    rows = [
        [
            f"{inline(tie.by)} → {inline(tie.to)}",
            *(
                str(n) if n else _NONE
                for n in (tie.answers, tie.supports, tie.attacks, tie.questions, tie.votes, tie.together)
            ),
            str(tie.apart) if tie.apart else _NONE,
            str(tie.moved) if tie.moved else _NONE,
        ]
        for tie in ties
    ]
    heads = ["Who", "answers", "supports", "attacks", "asks", "votes for", "votes with", "votes otherwise", "moved"]
    body = table(heads, rows, numbers=8)
    return ["## Relations", body] if body else []
