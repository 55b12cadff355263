"""Speeches of the built-in debater: which quotations and fixed words it says in each act."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from folkmoot.core.transcript import Turn, read_field
from folkmoot.demo import material
from folkmoot.demo.evidence import Situation
from folkmoot.demo.material import quotation

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


def compose(situation: Situation) -> Speech:
    """What the participant says to the ask."""
    act, form = situation.ask.act.casefold(), situation.ask.form
    names = {field.name.casefold() for field in form.fields} if form else set[str]()
    if act in ("vote", "pick", "ballot", "score", "consent") and situation.context.about:
        return vote(situation)
    if act in ("open", "argue", "bid", "question", "answer", "interrupt", "strategy", "reflect"):
        return argue(situation)
    if "criti" in act or "issue" in names:
        return criticise(situation)
    if situation.context.me.duty == "moderator" or act in ("moderate", "summarize"):
        return moderate(situation)
    if act in ("revise", "refine", "close") or situation.context.about:
        return revise(situation)
    return argue(situation)


def quote(situation: Situation, number: int, limit: int = 400) -> str:
    """A passage as it is quoted."""
    return quotation(situation.library.passages[number], limit)


def on(situation: Situation, numbers: Sequence[int], *, more: bool = False) -> list[str]:
    """Passages, each behind a few words that say what it is on."""
    rows: list[str] = []
    last = ""
    for number in numbers:
        matter = material.matter(situation.library.passages[number])
        named = matter if matter != last else ""
        plain, full = (material.MORE, material.MORE_ON) if more or rows else (material.FIRST, material.FIRST_ON)
        rows.append(f"{full.format(matter=named) if named else plain} {quote(situation, number)}")
        last = matter
    return rows


def argue(situation: Situation) -> Speech:
    """Open one's case, or answer the newest turn of another and add what is new."""
    rival = situation.rival()
    if rival is None:
        picks = situation.library.choose(situation.query, situation.stance, OPENING, but=situation.used)
        text = [*_side(situation), *on(situation, picks)]
        return _held_answer(situation, " ".join(text), picks or _own_passages(situation))
    reply = _reply(situation, rival)
    fresh = max(0, OPENING - 1 - len(situation.mine))
    new = (
        situation.library.choose(situation.query, situation.stance, fresh, but=situation.used | set(reply))
        if fresh
        else ()
    )
    first = [_reply_to(situation, rival) + " " + quote(situation, number) for number in reply]
    rows = [*([] if situation.mine else _side(situation)), *first, *on(situation, new, more=bool(first))]
    if not rows[-1:] or not (reply or new):
        own = _own_passages(situation)
        return _held_answer(
            situation, " ".join([material.SPENT, material.HOLD, *(quote(situation, n) for n in own[:1])]), own
        )
    return _held_answer(situation, " ".join(rows), (*reply, *new))


def revise(situation: Situation) -> Speech:
    """Keep one's proposal, with what others brought that fits it, or go over to an answer that more speaks for."""
    numbers = _own_passages(situation)
    own = [turn for turn in situation.context.about if turn in situation.mine]
    closing = situation.ask.act.casefold() == "close"
    turns = situation.seen if closing else situation.context.about
    others = [turn for turn in turns if turn not in own and turn.by != situation.context.me.name]
    critiques = [turn for turn in others if turn.act == "critique"]
    if winner := _better_supported(situation, numbers):
        return _switch(situation, *winner)
    rows = [" ".join([material.HOLD, *(quote(situation, number) for number in numbers)])] if numbers else []
    rows += _challenged(situation, critiques, numbers) if critiques else _taken_over(situation, others, numbers)
    if not (critiques or closing):
        rows += on(
            situation,
            situation.library.choose(situation.query, situation.stance, 1, but=situation.used | set(numbers)),
            more=True,
        )
    return _held_answer(situation, " ".join(rows), numbers)


def criticise(situation: Situation) -> Speech:
    """Say what the documents say against a proposal, or on its matter, that it leaves out."""
    target = situation.context.about[0] if situation.context.about else situation.rival()
    if target is None:
        return argue(situation)
    theirs = situation.quotes[target.key]
    numbers = situation.library.choose(situation.matter(target), situation.against(target), 1, but=theirs)
    if not numbers:
        text = f"{material.FULL} {quote(situation, theirs[0])}"
        return Speech(text=text, picks=theirs, share=0.0, where=quote(situation, theirs[0], 160))
    words = situation.library.words(numbers[0])
    near = max(theirs, key=lambda number: len(words.keys() & situation.library.words(number).keys()), default=None)
    top = max(situation.weights)
    weight = situation.weights[numbers[0]] / top if top else 0.0
    against = max(0.0, situation.library.favour(numbers[0], situation.against(target)))
    return Speech(
        text=f"{material.LEFT_OUT} {quote(situation, numbers[0])}",
        picks=numbers,
        share=0.6 * weight + 0.4 * against,
        where="" if near is None else quote(situation, near, 160),
    )


def vote(situation: Situation) -> Speech:
    """Vote for the proposal whose quotations bear most on what matters to the voter; of equals for the first."""
    weights = [situation.weigh(situation.quotes[turn.key]) for turn in situation.context.about]
    total = sum(weights)
    ranks = tuple(weight / total if total else 0.0 for weight in weights)
    if not total:
        return Speech(text=material.VOTED_NONE, ranks=ranks, picks=_own_passages(situation))
    chosen = situation.quotes[situation.context.about[weights.index(max(weights))].key]
    bearing = sorted(
        (number for number in chosen if situation.weights[number]), key=lambda number: -situation.weights[number]
    )
    words = material.VOTED.format(n=len(bearing)) if len(bearing) > 1 else material.VOTED_ONE
    return Speech(text=f"{words} {quote(situation, bearing[0])}", picks=chosen, ranks=ranks, share=max(ranks))


def moderate(situation: Situation) -> Speech:
    """Sum up who brought what, and name the position with the most evidence.

    It is settled where all agree, or where the last round brought at most one new passage a speaker, and fewer than
    an earlier round.
    """
    positions = situation.positions()
    rows = [_evidence_count(situation, name, numbers) for name, numbers in positions.items()]
    news = situation.news()
    if len(news) > 1:
        rows.append(material.NEW.format(n=news[-1], m=max(news[:-1])))
    ranked = sorted((name for name in positions if positions[name]), key=lambda name: -situation.weigh(positions[name]))
    picks = positions[ranked[0]] if ranked else ()
    if ranked and situation.options:
        support = situation.support(
            situation.library.stances(situation.options), among=dict.fromkeys(sum(positions.values(), ()))
        )
        situation.change_answer(situation.options[support.index(max(support))])
    total = sum(situation.weigh(numbers) for numbers in positions.values())
    return Speech(
        text="\n".join(rows) or material.SPENT,
        picks=picks,
        share=situation.weigh(picks) / total if total else 0.0,
        answer=situation.answer,
        decision=_decision_text(situation, positions, ranked),
        settled=situation.agreed() or (len(news) > 1 and news[-1] <= len(positions) and news[-1] < max(news[:-1])),
    )


def _decision_text(situation: Situation, quotes_by_name: Mapping[str, Sequence[int]], ranked: Sequence[str]) -> str:
    """The best option, where the brief names any, and the best passages of the two positions with the most evidence."""
    rows = [f"{situation.answer}."] if ranked and situation.answer else []
    for words, name in zip((material.MOST, material.NEXT), ranked, strict=False):
        best = sorted(quotes_by_name[name], key=lambda number: -situation.weights[number])[0]
        rows.append(f"{words.format(name=_name_of(situation, name))} {quote(situation, best)}")
    return " ".join(rows)


def _held_answer(situation: Situation, text: str, picks: tuple[int, ...]) -> Speech:
    answer = situation.answer or _last_answer(situation) or (quote(situation, picks[0], 160) if picks else "")
    return Speech(text=text, picks=picks, share=situation.confidence, answer=answer)


def _last_answer(situation: Situation) -> str:
    """The passage that one gave for an answer last; "" where there was none. An answer is changed for a reason only."""
    last = read_field(situation.mine[-1], "ANSWER") if situation.mine else None
    quotes = (quote(situation, number, 160) for turn in situation.mine for number in situation.quotes[turn.key])
    return next((words for words in quotes if words == last), "")


def _side(situation: Situation) -> list[str]:
    """The side that the participant has by its role, in words; none where the brief names options."""
    words = {1: material.PRO, -1: material.CON}.get(situation.stance.side, "")
    return [words] if words and not situation.options else []


def _own_passages(situation: Situation) -> tuple[int, ...]:
    """One's own passages: what one's turns quoted, else what one would say first; the weightiest, in order."""
    numbers = dict.fromkeys(number for turn in situation.mine for number in situation.quotes[turn.key])
    if not numbers:
        return situation.library.choose(situation.query, situation.stance, OPENING)
    best = sorted(numbers, key=lambda number: -situation.weights[number])[:KEPT]
    return tuple(number for number in numbers if number in best)


def _reply(situation: Situation, rival: Turn) -> tuple[int, ...]:
    """The passage that bears on the rival's last words and, if possible, leans one's own way."""
    stance = situation.stance
    if not situation.options and not stance.side:
        stance = situation.against(rival)
    return situation.library.choose(situation.matter(rival), stance, 1, but=situation.used)


def _reply_to(situation: Situation, rival: Turn) -> str:
    quotes = situation.quotes[rival.key]
    if not quotes:
        return material.TO.format(name=situation.label(rival))
    return material.TO_PLACE.format(
        name=situation.label(rival), cite=material.cite(situation.library.passages[quotes[-1]])
    )


def _name_of(situation: Situation, name: str) -> str:
    """What a speaker is called here: by the letter of its answer, where that is laid before whoever sums up."""
    return next((situation.label(turn) for turn in situation.context.about if turn.by == name), " ".join(name.split()))


def _evidence_count(situation: Situation, name: str, numbers: Sequence[int]) -> str:
    name, best = _name_of(situation, name), situation.best(numbers)
    if best is None:
        return material.COUNT_NONE.format(name=name)
    words = material.COUNT if len(numbers) > 1 else material.COUNT_ONE
    return f"{words.format(name=name, n=len(numbers))} {quote(situation, best)}"


def _challenged(situation: Situation, critiques: Sequence[Turn], numbers: Sequence[int]) -> list[str]:
    """What the gravest critique brings: taken in where it fits, else answered."""
    gravest = max(critiques, key=_severity)
    brought = [number for number in situation.quotes[gravest.key] if number not in numbers]
    if not brought:
        return []
    if situation.library.favour(brought[0], situation.stance) >= 0:
        return [f"{material.ADDED} {quote(situation, brought[0])}"]
    answer = situation.library.choose(situation.matter(gravest), situation.stance, 1, but={*situation.used, *numbers})
    rows = [f"{material.NOTED} {quote(situation, brought[0])}"]
    return rows + [f"{material.AGAINST_THAT} {quote(situation, number)}" for number in answer]


def _severity(turn: Turn) -> float:
    value = read_field(turn, "SEVERITY")
    return float(value) if isinstance(value, int | float) else 0.0


def _taken_over(situation: Situation, others: Sequence[Turn], numbers: Sequence[int]) -> list[str]:
    """The passage of another that bears most on one's own matter and does not lean against one."""
    brought = {
        number: turn
        for turn in reversed(others)
        for number in situation.quotes[turn.key]
        if number not in numbers and situation.library.favour(number, situation.stance) >= 0
    }
    best = situation.best(sorted(brought))
    return (
        []
        if best is None
        else [f"{material.OVER.format(name=situation.label(brought[best]))} {quote(situation, best)}"]
    )


def _better_supported(situation: Situation, numbers: Sequence[int]) -> tuple[str, Turn] | None:
    """The answer of others for which more evidence was quoted than for one's own, and who quoted it; None for none."""
    turns_by_answer = situation.answers()
    mine = read_field(situation.mine[-1], "ANSWER") if situation.mine else situation.answer or None
    allied = [number for turn in turns_by_answer.get(str(mine), ()) for number in situation.quotes[turn.key]]
    highest = situation.weigh([*numbers, *allied])
    heaviest: tuple[str, Turn] | None = None
    for answer, turns in turns_by_answer.items():
        weight = situation.weigh(number for turn in turns for number in situation.quotes[turn.key])
        if answer != str(mine) and weight > highest and (answer in situation.options or not situation.options):
            highest, heaviest = (
                weight,
                (answer, max(turns, key=lambda turn: situation.weigh(situation.quotes[turn.key]))),
            )
    return heaviest


def _switch(situation: Situation, answer: str, turn: Turn) -> Speech:
    """Go over to another's answer."""
    numbers = situation.quotes[turn.key]
    if situation.options:
        situation.change_answer(answer)
    rows = [material.SWITCHED, *(quote(situation, number) for number in numbers[:OPENING])]
    new = situation.library.choose(situation.query, situation.stance, 1, but=situation.used)
    text = " ".join([*rows, *on(situation, new, more=True)])
    return Speech(
        text=text,
        picks=numbers,
        share=situation.confidence,
        answer=situation.answer or quote(situation, numbers[0], 160),
        because=quote(situation, situation.best(numbers) or numbers[0]),
    )
