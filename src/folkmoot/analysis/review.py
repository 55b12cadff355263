"""The analysis of a debate in Markdown, with its findings in plain sentences, all computed from the record."""

import sys
from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup

from folkmoot.analysis.agreement import Agreement, Tally
from folkmoot.analysis.analysis import Analysis, Overview
from folkmoot.analysis.disagreement import Interaction, counts
from folkmoot.analysis.formal_claims import Checked, Claim
from folkmoot.analysis.grounds import Ground
from folkmoot.arguments.argument_map import AGAINST, Label
from folkmoot.arguments.beliefs import Beliefs
from folkmoot.core.labels import status_in_words
from folkmoot.core.text import about, clean, clip, counted, listed, percent
from folkmoot.report.markdown_text import LONG, capital
from folkmoot.report.metrics import Use
from folkmoot.report.templates import joined, render_markdown, safe_inline, table

STANDING: Mapping[Label, str] = {"in": "accepted", "out": "rejected", "undecided": "undecided"}
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
        yield f"The decided answer is {STANDING[winner.standing]} on the argument map."
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


# ---- the page --------------------------------------------------------------------------------------------------------

_NONE = "–"


def review(analyses: Sequence[Analysis], total: Overview, plots: Mapping[str, Sequence[str]]) -> str:
    """A page on one debate or many; it ends with a line break.

    Args:
        analyses: the analyses.
        total: their sums.
        plots: for each debate the files of its plots; "" stands for those of all debates.
    """
    return render_markdown(
        "analysis/analysis.md.jinja", analyses=analyses, total=total, plots=plots, phrase=sys.modules[__name__]
    )


def picture(file: str) -> str:
    """What a plot shows, from the name of its file."""
    return file.rpartition(".")[0].rpartition("/")[2].replace("-", " ")


def endings(total: Overview) -> str:
    """How many debates ended how."""
    return listed([f"{n} {status_in_words(status)}" for status, n in total.statuses.items()])


def usage(use: Use) -> str:
    """Calls, tokens and cost."""
    cost = _NONE if use.cost is None else about(f"${use.cost:.4f}", use.estimated and use.cost)
    tokens = about(f"{use.input_tokens:,} tokens in, {use.output_tokens:,} out", use.estimated)
    return f"{use.calls:,} calls, {tokens}, {cost}"


def stages(agreement: Agreement) -> Markup:
    """The answers after each round."""
    rows = [
        [capital(stage.name), stage.mark, tally(stage.tally), percent(stage.tally.share)] for stage in agreement.stages
    ]
    return table(["After", "Turn", "Answers", "Leading share"], rows, numbers=1)


def tally(tally: Tally) -> Markup:
    """How many hold which answer."""
    return joined([Markup(f"{safe_inline(answer, _LONG)} {n}") for answer, n in tally.holders.items()], ", ")


def support(ground: Ground) -> Iterator[object]:
    """What supports a claim of the decision, and what speaks against it."""
    if ground.turns:
        yield f"{listed(ground.turns)} of {listed(ground.by)}"
    for words, names in (
        ("backed by", ground.backed),
        ("attacked by", ground.attacked),
        ("cites", ground.sources),
        ("quotes words not found in", ground.unfound),
        ("names", ground.named),
    ):
        if names:
            yield f"{words} {listed(names)}"
    if not ground.supported:
        yield Markup("**unsupported**")


def stated_in(claim: Claim) -> str:
    """Where a claim is stated formally."""
    return f"{claim.mark} of {claim.by}" if claim.mark else f"the brief ({claim.source})"


def script(claim: Claim) -> str:
    """A claim in SMT-LIB, cut to a length for one line."""
    return clip(claim.text, LONG)


def verdict(checked: Checked) -> str:
    """Why a claim is what it is, with the values for which it is false."""
    return "; ".join([checked.reason, *(f"{name} = {value}" for name, value in checked.example.items())])


def beliefs(beliefs: Beliefs) -> Markup:
    """How strong the answers are."""
    rows = [
        [
            safe_inline(belief.answer, _LONG),
            ", ".join(belief.claims),
            STANDING[belief.standing],
            f"{belief.strength:.2f}",
        ]
        for belief in beliefs.answers
    ]
    return table(["Answer", "Claims", "On the argument map", "Strength"], rows, numbers=1)


def relations(ties: Sequence[Interaction]) -> Markup:
    """What participants did towards each other."""
    heads = ["Who", "answers", "supports", "attacks", "asks", "votes for", "votes with", "votes otherwise", "moved"]
    rows = [
        [Markup(f"{safe_inline(tie.by)} → {safe_inline(tie.to)}"), *(str(n or _NONE) for n in counts(tie))]
        for tie in ties
    ]
    return table(heads, rows, numbers=8)
