"""Speeches of the built-in debater: which quotations and fixed words it says in each act."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moot.core.transcript import Turn, read_field
from moot.demo import material
from moot.demo.evidence import Case
from moot.demo.material import quotation

OPENING = 3
"""Passages in a first turn; each later turn brings fewer, for what bears most has been said."""
KEPT = 4
"""The most of one's own passages that are said again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """What is said on one occasion.

    Attributes:
        text: the words.
        picks: the passages it rests on, the weightiest thought first.
        share: how strong it is, 0 to 1.
        answer: the option held, or one passage in short.
        because: what changed the answer; "" where it is the same.
        where: the words that a critique means.
        decision: what a moderator takes from the debate; "" where there is nothing to take.
        settled: whether a moderator would end the debate.
        ranks: how well each turn laid before is covered by the documents, 0 to 1.
    """

    text: str
    picks: tuple[int, ...] = ()
    share: float = 0.5
    answer: str = ""
    because: str = ""
    where: str = ""
    decision: str = ""
    settled: bool = False
    ranks: tuple[float, ...] = ()


def compose(case: Case) -> Speech:
    """What the participant says to the ask."""
    act, form = case.ask.act.casefold(), case.ask.form
    names = {field.name.casefold() for field in form.fields} if form else set[str]()
    if act in ("vote", "pick", "ballot", "score", "consent") and case.context.about:
        return vote(case)
    if act in ("open", "argue", "bid", "question", "answer", "interrupt", "strategy", "reflect"):
        return argue(case)
    if "criti" in act or "issue" in names:
        return criticise(case)
    if case.context.me.duty == "moderator" or act in ("moderate", "summarize"):
        return moderate(case)
    if act in ("revise", "refine", "close") or case.context.about:
        return revise(case)
    return argue(case)


def quote(case: Case, number: int, most: int = 400) -> str:
    """A passage as it is quoted."""
    return quotation(case.library.passages[number], most)


def on(case: Case, numbers: Sequence[int], *, more: bool = False) -> list[str]:
    """Passages, each behind a few words that say what it is on."""
    rows: list[str] = []
    last = ""
    for number in numbers:
        matter = material.matter(case.library.passages[number])
        named = matter if matter != last else ""
        plain, full = (material.MORE, material.MORE_ON) if more or rows else (material.FIRST, material.FIRST_ON)
        rows.append(f"{full.format(matter=named) if named else plain} {quote(case, number)}")
        last = matter
    return rows


def argue(case: Case) -> Speech:
    """Open one's case, or answer the newest turn of another and add what is new."""
    rival = case.rival()
    if rival is None:
        picks = case.library.choose(case.query, case.stance, OPENING, but=case.used)
        text = [*_side(case), *on(case, picks)]
        return _held(case, " ".join(text), picks or _own(case))
    reply = _reply(case, rival)
    fresh = max(0, OPENING - 1 - len(case.mine))
    new = case.library.choose(case.query, case.stance, fresh, but=case.used | set(reply)) if fresh else ()
    first = [_to(case, rival) + " " + quote(case, number) for number in reply]
    rows = [*([] if case.mine else _side(case)), *first, *on(case, new, more=bool(first))]
    if not rows[-1:] or not (reply or new):
        own = _own(case)
        return _held(case, " ".join([material.SPENT, material.HOLD, *(quote(case, n) for n in own[:1])]), own)
    return _held(case, " ".join(rows), (*reply, *new))


def revise(case: Case) -> Speech:
    """Keep one's proposal, with what others brought that fits it, or go over to an answer that more speaks for."""
    numbers = _own(case)
    own = [turn for turn in case.context.about if turn in case.mine]
    closing = case.ask.act.casefold() == "close"
    heard = case.seen if closing else case.context.about
    others = [turn for turn in heard if turn not in own and turn.by != case.context.me.name]
    critiques = [turn for turn in others if turn.act == "critique"]
    if winner := _overtaken(case, numbers):
        return _switch(case, *winner)
    rows = [" ".join([material.HOLD, *(quote(case, number) for number in numbers)])] if numbers else []
    rows += _challenged(case, critiques, numbers) if critiques else _taken_over(case, others, numbers)
    if not (critiques or closing):
        rows += on(case, case.library.choose(case.query, case.stance, 1, but=case.used | set(numbers)), more=True)
    return _held(case, " ".join(rows), numbers)


def criticise(case: Case) -> Speech:
    """Say what the documents say against a proposal, or on its matter, that it leaves out."""
    target = case.context.about[0] if case.context.about else case.rival()
    if target is None:
        return argue(case)
    theirs = case.quotes[target.key]
    numbers = case.library.choose(case.matter(target), case.against(target), 1, but=theirs)
    if not numbers:
        text = f"{material.FULL} {quote(case, theirs[0])}"
        return Speech(text=text, picks=theirs, share=0.0, where=quote(case, theirs[0], 160))
    words = case.library.words(numbers[0])
    near = max(theirs, key=lambda number: len(words.keys() & case.library.words(number).keys()), default=None)
    top = max(case.weights)
    weight = case.weights[numbers[0]] / top if top else 0.0
    against = max(0.0, case.library.favour(numbers[0], case.against(target)))
    return Speech(
        text=f"{material.LEFT_OUT} {quote(case, numbers[0])}",
        picks=numbers,
        share=0.6 * weight + 0.4 * against,
        where="" if near is None else quote(case, near, 160),
    )


def vote(case: Case) -> Speech:
    """Vote for the proposal whose quotations bear most on what matters to the voter; of equals for the first."""
    weights = [case.weigh(case.quotes[turn.key]) for turn in case.context.about]
    whole = sum(weights)
    ranks = tuple(weight / whole if whole else 0.0 for weight in weights)
    if not whole:
        return Speech(text=material.VOTED_NONE, ranks=ranks, picks=_own(case))
    chosen = case.quotes[case.context.about[weights.index(max(weights))].key]
    bearing = sorted((number for number in chosen if case.weights[number]), key=lambda number: -case.weights[number])
    words = material.VOTED.format(n=len(bearing)) if len(bearing) > 1 else material.VOTED_ONE
    return Speech(text=f"{words} {quote(case, bearing[0])}", picks=chosen, ranks=ranks, share=max(ranks))


def moderate(case: Case) -> Speech:
    """Sum up who brought what, and name the position with the most evidence.

    It is settled where all agree, or where the last round brought at most one new passage a speaker, and fewer than
    an earlier round.
    """
    positions = case.positions()
    rows = [_counted(case, name, numbers) for name, numbers in positions.items()]
    news = case.news()
    if len(news) > 1:
        rows.append(material.NEW.format(n=news[-1], m=max(news[:-1])))
    ranked = sorted((name for name in positions if positions[name]), key=lambda name: -case.weigh(positions[name]))
    picks = positions[ranked[0]] if ranked else ()
    if ranked and case.options:
        support = case.support(case.library.stances(case.options), among=dict.fromkeys(sum(positions.values(), ())))
        case.hold(case.options[support.index(max(support))])
    whole = sum(case.weigh(numbers) for numbers in positions.values())
    return Speech(
        text="\n".join(rows) or material.SPENT,
        picks=picks,
        share=case.weigh(picks) / whole if whole else 0.0,
        answer=case.answer,
        decision=_decided(case, positions, ranked),
        settled=case.agreed() or (len(news) > 1 and news[-1] <= len(positions) and news[-1] < max(news[:-1])),
    )


def _decided(case: Case, held: Mapping[str, Sequence[int]], ranked: Sequence[str]) -> str:
    """The best option, where the brief names any, and the best passages of the two positions with the most evidence."""
    rows = [f"{case.answer}."] if ranked and case.answer else []
    for words, name in zip((material.MOST, material.NEXT), ranked, strict=False):
        best = sorted(held[name], key=lambda number: -case.weights[number])[0]
        rows.append(f"{words.format(name=_called(case, name))} {quote(case, best)}")
    return " ".join(rows)


def _held(case: Case, text: str, picks: tuple[int, ...]) -> Speech:
    answer = case.answer or _before(case) or (quote(case, picks[0], 160) if picks else "")
    return Speech(text=text, picks=picks, share=case.confidence, answer=answer)


def _before(case: Case) -> str:
    """The passage that one gave for an answer last; "" where there was none. An answer is changed for a reason only."""
    last = read_field(case.mine[-1], "ANSWER") if case.mine else None
    said = (quote(case, number, 160) for turn in case.mine for number in case.quotes[turn.key])
    return next((words for words in said if words == last), "")


def _side(case: Case) -> list[str]:
    """The side that the participant has by its role, in words; none where the brief names options."""
    words = {1: material.PRO, -1: material.CON}.get(case.stance.side, "")
    return [words] if words and not case.options else []


def _own(case: Case) -> tuple[int, ...]:
    """One's own passages: what one's turns quoted, else what one would say first; the weightiest, in order."""
    said = dict.fromkeys(number for turn in case.mine for number in case.quotes[turn.key])
    if not said:
        return case.library.choose(case.query, case.stance, OPENING)
    best = sorted(said, key=lambda number: -case.weights[number])[:KEPT]
    return tuple(number for number in said if number in best)


def _reply(case: Case, rival: Turn) -> tuple[int, ...]:
    """The passage that bears on the rival's last words and, if possible, leans one's own way."""
    stance = case.stance
    if not case.options and not stance.side:
        stance = case.against(rival)
    return case.library.choose(case.matter(rival), stance, 1, but=case.used)


def _to(case: Case, rival: Turn) -> str:
    quotes = case.quotes[rival.key]
    if not quotes:
        return material.TO.format(name=case.label(rival))
    return material.TO_PLACE.format(name=case.label(rival), cite=material.cite(case.library.passages[quotes[-1]]))


def _called(case: Case, name: str) -> str:
    """What a speaker is called here: by the letter of its answer, where that is laid before whoever sums up."""
    return next((case.label(turn) for turn in case.context.about if turn.by == name), " ".join(name.split()))


def _counted(case: Case, name: str, numbers: Sequence[int]) -> str:
    name, best = _called(case, name), case.best(numbers)
    if best is None:
        return material.COUNT_NONE.format(name=name)
    words = material.COUNT if len(numbers) > 1 else material.COUNT_ONE
    return f"{words.format(name=name, n=len(numbers))} {quote(case, best)}"


def _challenged(case: Case, critiques: Sequence[Turn], kept: Sequence[int]) -> list[str]:
    """What the gravest critique brings: taken in where it fits, else answered."""
    gravest = max(critiques, key=_severity)
    brought = [number for number in case.quotes[gravest.key] if number not in kept]
    if not brought:
        return []
    if case.library.favour(brought[0], case.stance) >= 0:
        return [f"{material.ADDED} {quote(case, brought[0])}"]
    answer = case.library.choose(case.matter(gravest), case.stance, 1, but={*case.used, *kept})
    rows = [f"{material.NOTED} {quote(case, brought[0])}"]
    return rows + [f"{material.AGAINST_THAT} {quote(case, number)}" for number in answer]


def _severity(turn: Turn) -> float:
    value = read_field(turn, "SEVERITY")
    return float(value) if isinstance(value, int | float) else 0.0


def _taken_over(case: Case, others: Sequence[Turn], kept: Sequence[int]) -> list[str]:
    """The passage of another that bears most on one's own matter and does not lean against one."""
    brought = {
        number: turn
        for turn in reversed(others)
        for number in case.quotes[turn.key]
        if number not in kept and case.library.favour(number, case.stance) >= 0
    }
    best = case.best(sorted(brought))
    return [] if best is None else [f"{material.OVER.format(name=case.label(brought[best]))} {quote(case, best)}"]


def _overtaken(case: Case, kept: Sequence[int]) -> tuple[str, Turn] | None:
    """The answer of others for which more evidence was quoted than for one's own, and who quoted it; None for none."""
    given = case.answers()
    mine = read_field(case.mine[-1], "ANSWER") if case.mine else case.answer or None
    allied = [number for turn in given.get(str(mine), ()) for number in case.quotes[turn.key]]
    most = case.weigh([*kept, *allied])
    found: tuple[str, Turn] | None = None
    for answer, turns in given.items():
        weight = case.weigh(number for turn in turns for number in case.quotes[turn.key])
        if answer != str(mine) and weight > most and (answer in case.options or not case.options):
            most, found = weight, (answer, max(turns, key=lambda turn: case.weigh(case.quotes[turn.key])))
    return found


def _switch(case: Case, answer: str, turn: Turn) -> Speech:
    """Go over to another's answer."""
    numbers = case.quotes[turn.key]
    if case.options:
        case.hold(answer)
    rows = [material.SWITCHED, *(quote(case, number) for number in numbers[:OPENING])]
    new = case.library.choose(case.query, case.stance, 1, but=case.used)
    text = " ".join([*rows, *on(case, new, more=True)])
    return Speech(
        text=text,
        picks=numbers,
        share=case.confidence,
        answer=case.answer or quote(case, numbers[0], 160),
        because=quote(case, case.best(numbers) or numbers[0]),
    )
