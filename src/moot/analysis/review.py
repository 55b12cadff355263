"""An analysis in Markdown. This file owns how it looks; what it says is the business of ``analysis.analysis``."""

from collections.abc import Iterable, Mapping, Sequence

from moot.analysis.agreement import Flip, Tally
from moot.analysis.analysis import Analysis, Overview
from moot.analysis.disagreement import Tie
from moot.analysis.formal_claims import Checked
from moot.analysis.grounds import Ground
from moot.analysis.insights import STANDS, insights
from moot.analysis.readers_disagreement import Disagreement
from moot.arguments.beliefs import Beliefs
from moot.core.text import clip, listed
from moot.report.markdown_text import code, inline
from moot.report.pieces import LONG, bullets, capital, table, time

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
        f"# {total.debates} debates",
        bullets(
            [
                f"Ended: {ended}",
                f"Took {time(total.seconds)}; {_rounds(total.rounds)}; {total.entries:,} entries",
                f"{total.calls:,} calls, {total.tokens:,} tokens, {cost}",
                f"{total.answers} answers, {total.flips} of them changed; the cause is stated for {total.stated}",
                f"{total.supported} of {total.claims} claims of decisions have a source or another participant behind",
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
    return f"{n} round{'' if n == 1 else 's'}"


def _chapter(name: str, lines: Iterable[str]) -> list[str]:
    body = bullets(lines)
    return [f"## {name}", body] if body else []


def _pictures(files: Sequence[str]) -> list[str]:
    return [f"![{name.rpartition('.')[0].rpartition('/')[2].replace('-', ' ')}]({name})" for name in files]


def _course(found: Analysis) -> list[str]:
    stages = found.agreement.stages
    rows = [[capital(each.name), each.mark, _tally(each.tally), f"{each.tally.share:.0%}"] for each in stages]
    heads = ["After", "Turn", "Who holds what", "Leading share"]
    moments = [
        f"{each.mark} of {inline(each.by)}: {_tally(each.before)} → {_tally(each.after)}"
        + (" (another lead)" if each.turned else "")
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
        said += [f"quotes words that {listed([inline(name) for name in each.unfound])} lacks"] if each.unfound else []
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
    return ["## Who stands how to whom", body] if body else []
