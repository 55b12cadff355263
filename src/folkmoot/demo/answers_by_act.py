"""Fields of the built-in debater: on a board (verdict, leaving, attachments) and for answers, bids and scores.

The fields are known by their names; ``demo.debater`` fills all others. On a board it speaks three times: first it only
quotes, then it gives its verdict, then it leaves. If it has nothing to quote, it gives that as its reason.
"""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TypeAlias

from folkmoot.core.ask import Field, Value
from folkmoot.core.roles import ARTIFACTS, REASONING, VERDICT, WITHDRAWN, artifacts
from folkmoot.core.text import letter
from folkmoot.core.transcript import TARGET, Turn, read_field
from folkmoot.demo import material
from folkmoot.demo.evidence import Situation
from folkmoot.demo.speech import Speech, quote


def _messages_sent(situation: Situation) -> int:
    """How many messages of its own it has sent."""
    return len(situation.mine)


def _judges(situation: Situation) -> bool:
    """Whether it gives a verdict now: not before it has spoken once, unless it must."""
    form = situation.ask.form
    due = form and any(field.name == VERDICT and field.required for field in form.fields)
    return bool(due) or _messages_sent(situation) > 0


def _addressee(field: Field, situation: Situation, speech: Speech) -> Value | None:
    rival = situation.rival()
    return rival.by if rival and rival.by in field.choices else None


def _verdict(field: Field, situation: Situation, speech: Speech) -> Value | None:
    """The option that the evidence bears out for it, else the passage that bears most; without any, to get some."""
    if not _judges(situation):
        return None
    if field.choices:
        return situation.answer or field.choices[0]
    best = situation.best(situation.library.choose(situation.query, situation.stance, 1))
    return material.FIRST_OF_ALL if best is None else quote(situation, best, 160)


def _reasoning(field: Field, situation: Situation, speech: Speech) -> Value | None:
    """The passage for its verdict that bears most, whatever was quoted already."""
    if not _judges(situation):
        return None
    best = situation.library.choose(situation.query, situation.stance, 1)
    return quote(situation, best[0]) if best else material.NOTHING


def _withdraws(field: Field, situation: Situation, speech: Speech) -> Value | None:
    return any(read_field(turn, VERDICT) is not None for turn in situation.mine) or None


def _attachments(field: Field, situation: Situation, speech: Speech) -> Value | None:
    """A list of what all have quoted, once, by whoever is the first to speak again."""
    quoted = list(dict.fromkeys(number for turn in situation.seen for number in situation.quotes[turn.key]))
    if not quoted or not _messages_sent(situation) or artifacts(situation.seen):
        return None
    return "\n".join([material.QUOTED, *(f"- {quote(situation, number, 160)}" for number in quoted)])


def _cited(field: Field, situation: Situation, speech: Speech) -> Value | None:
    """The documents that it quotes, and the lists of quotations that hold what it quotes."""
    names = dict.fromkeys(situation.library.passages[number].source for number in speech.picks)
    marks = [
        artifact.mark
        for artifact in artifacts(situation.seen)
        if set(situation.quotes[artifact.turn.key]) & set(speech.picks)
    ]
    return (*names, *marks) or None


def _board_left_out(field: Field, situation: Situation, speech: Speech) -> Value | None:
    return None


JUDGING = (VERDICT, REASONING, WITHDRAWN)
"""The fields of a verdict and of leaving with it."""

BOARD: Mapping[str, Callable[[Field, Situation, Speech], Value | None]] = {
    "SpeakingTo": _addressee,
    "Thoughts": _board_left_out,
    "Whisper": _board_left_out,
    "WhisperTo": _board_left_out,
    ARTIFACTS: _attachments,
    "Cites": _cited,
    VERDICT: _verdict,
    REASONING: _reasoning,
    WITHDRAWN: _withdraws,
}
"""What stands in a field of a message; None where it is left out."""


FieldFiller: TypeAlias = Callable[[Field, Situation, Speech], Value | None]
"""What stands in a field; None where it is left out."""


def target(situation: Situation) -> Turn | None:
    """The turn that is answered: the one laid before the participant or named in its own bid, else a rival's newest."""
    about = [turn for turn in situation.context.about if turn.by != situation.context.me.name]
    if about:
        return about[0]
    named = {read_field(turn, TARGET) for turn in situation.context.about}
    return next((turn for turn in situation.context.turns if turn.mark in named), None) or situation.rival()


def relation(situation: Situation, turn: Turn) -> str:
    """What one's words do to a turn: back one of one's own side or of the same answer, else deny it.

    Nobody interrupts to agree.
    """
    if situation.ask.act == "interrupt":
        return "ATTACK"
    answer = read_field(turn, "ANSWER")
    if situation.options and answer in situation.options:
        return "SUPPORT" if answer == situation.answer else "ATTACK"
    theirs = sum(situation.library.leans[number] for number in situation.quotes[turn.key])
    return "SUPPORT" if theirs * situation.stance.side > 0 else "ATTACK"


def _accepts(field: Field, situation: Situation, speech: Speech) -> Value | None:
    """The critiques from which a passage is quoted now."""
    return tuple(f"{mark}: {material.TAKEN_IN}" for mark, accepted in _critiques(situation, speech) if accepted) or None


def _rejected_critiques(field: Field, situation: Situation, speech: Speech) -> Value | None:
    """The critiques from which nothing is."""
    return (
        tuple(f"{mark}: {material.KEPT_OUT}" for mark, accepted in _critiques(situation, speech) if not accepted)
        or None
    )


def _critiques(situation: Situation, speech: Speech) -> list[tuple[str, bool]]:
    """The critiques laid before one, by their letters, and whether a passage of each is quoted that was not before."""
    mine = {number for turn in situation.mine for number in situation.quotes[turn.key]}
    critiques = [turn for turn in situation.context.about if turn.act == "critique"]
    numbers = [[number for number in situation.quotes[turn.key] if number not in mine] for turn in critiques]
    return [(letter(n), any(quote(situation, item) in speech.text for item in new)) for n, new in enumerate(numbers)]


def _target(field: Field, situation: Situation, speech: Speech) -> Value | None:
    turn = target(situation)
    return turn.mark if turn and turn.mark in field.choices else None


def _relation(field: Field, situation: Situation, speech: Speech) -> Value | None:
    turn = target(situation)
    wanted = relation(situation, turn) if turn else ""
    return wanted if wanted in field.choices else None


def _copied_words(field: Field, situation: Situation, speech: Speech) -> Value | None:
    """Words of the turn that is answered, as they stand there."""
    turn = target(situation)
    if turn is None:
        return None
    texts = (situation.library.passages[number].text for number in situation.quotes[turn.key])
    return next((text for text in texts if text in turn.text), None)


def _claim(field: Field, situation: Situation, speech: Speech) -> Value:
    """The weightiest passage that is new in the debate; NONE where there is none."""
    best = situation.best(number for number in speech.picks if number not in situation.used)
    return "NONE" if best is None else quote(situation, best, 160)


def _urgency(field: Field, situation: Situation, speech: Speech) -> Value:
    """Nothing where nothing new can be quoted, else how much what would be quoted bears on the topic."""
    fresh = [number for number in speech.picks if number not in situation.used]
    top = max(situation.weights, default=0.0)
    if not fresh or not top:
        return 0
    return max(1, round(10 * situation.weigh(fresh) / len(fresh) / top))


def _point(field: Field, situation: Situation, speech: Speech) -> Value:
    return quote(situation, speech.picks[0], 160) if speech.picks else material.SPENT


def _conclusion(field: Field, situation: Situation, speech: Speech) -> Value | None:
    """What follows: the option that is held, else the passage that bears most."""
    return situation.answer or (quote(situation, speech.picks[0], 160) if speech.picks else None)


def _proposal(field: Field, situation: Situation, speech: Speech) -> Value | None:
    """What a moderator proposes to all: what it would decide."""
    return speech.decision or speech.text


def _other_passage(field: Field, situation: Situation, speech: Speech) -> Value:
    """A passage that others have quoted, the newest first; what is said of it stands elsewhere."""
    numbers = [number for turn in reversed(situation.seen) for number in situation.quotes[turn.key]]
    return quote(situation, numbers[0]) if numbers else material.SPENT


def _question(field: Field, situation: Situation, speech: Speech) -> Value:
    turn = target(situation)
    numbers = (
        situation.library.choose(situation.matter(turn), situation.against(turn), 1, but=situation.used) if turn else ()
    )
    return f"{material.ASKED} {quote(situation, numbers[0])}" if numbers else material.ASKED_NOTHING


def _next(field: Field, situation: Situation, speech: Speech) -> Value:
    numbers = situation.library.choose(situation.query, situation.stance, 1, but=situation.used)
    return f"{material.OPEN} {quote(situation, numbers[0])}" if numbers else material.SPENT


def _score(field: Field, situation: Situation, speech: Speech) -> Value:
    """Of ten: a point for each passage quoted (evidence), the share quoted first (originality), else the middle."""
    turn = target(situation)
    numbers = situation.quotes[turn.key] if turn else ()
    if turn is None or field.name == "CLARITY":
        return 5
    if field.name == "EVIDENCE":
        return min(10, 2 * len(numbers))
    before = {n for item in situation.seen if item.number < turn.number for n in situation.quotes[item.key]}
    return round(10 * sum(number not in before for number in numbers) / len(numbers)) if numbers else 0


def fill_ranked(field: Field, situation: Situation, speech: Speech) -> Value:
    """The score of a statement that stands under a letter, or why it has it."""
    labels = [letter(index) for index in range(len(situation.context.about))]
    index = labels.index(field.name.rpartition(" ")[2].upper())
    turn = situation.context.about[index]
    numbers = situation.quotes[turn.key]
    if field.kind == "number":
        heaviest = max((situation.weigh(situation.quotes[turn.key]) for turn in situation.context.about), default=0.0)
        return round(10 * situation.weigh(numbers) / heaviest) if heaviest else 0
    return material.RANKED.format(n=len(numbers))


def fill_teams(field: Field, situation: Situation, speech: Speech) -> Value:
    """The teams by how much bears on the topic of what their speeches quote, the best first."""
    quoted: dict[str, set[int]] = {name: set() for name in field.choices}
    for turn in situation.seen:
        team = str(read_field(turn, "OFFICE") or "").rpartition("(")[2].removesuffix(")")
        quoted.get(team, set()).update(situation.quotes[turn.key])
    return tuple(sorted(field.choices, key=lambda name: -situation.weigh(sorted(quoted[name]))))


def fill_office(field: Field, situation: Situation, speech: Speech) -> Value:
    """How many passages the speech of an office quotes."""
    turns = [turn for turn in situation.seen if str(read_field(turn, "OFFICE") or "").startswith(f"{field.name} (")]
    return material.RANKED.format(n=len(situation.quotes[turns[-1].key])) if turns else material.ABSENT


def fill_taken(field: Field, situation: Situation, speech: Speech) -> Value:
    """What the answer under a letter quotes of what is said here; NONE where it quotes nothing of it."""
    labels = [letter(index) for index in range(len(situation.context.about))]
    turn = situation.context.about[labels.index(field.name.rpartition(" ")[2])]
    shared = [number for number in situation.quotes[turn.key] if number in speech.picks]
    return quote(situation, shared[0], 160) if shared else "NONE"


def _consent(field: Field, situation: Situation, speech: Speech) -> Value:
    """Accepted, where the text quotes what one has quoted oneself; else with a reservation."""
    mine = {number for turn in situation.mine for number in situation.quotes[turn.key]}
    quoted = {number for turn in situation.context.about for number in situation.quotes[turn.key]}
    return field.choices[0 if mine & quoted else 1]


def _has_changed(field: Field, situation: Situation, speech: Speech) -> Value:
    answers = [read_field(turn, "ANSWER") for turn in situation.mine]
    known = [answer for answer in answers if answer is not None]
    changed = any(answer != other for answer, other in pairwise(known))
    return field.choices[0 if changed else 1]


def _on_topic(field: Field, situation: Situation, speech: Speech) -> Value:
    return field.choices[0]


def _has_news(field: Field, situation: Situation, speech: Speech) -> Value:
    news = situation.news()
    return field.choices[0 if news and news[-1] else 1]


def _has_agreed(field: Field, situation: Situation, speech: Speech) -> Value:
    return field.choices[0 if situation.agreed() else 1]


def _reconsider(field: Field, situation: Situation, speech: Speech) -> Value:
    positions = situation.positions()
    rows: list[str] = []
    for name, numbers in positions.items():
        lean = sum(situation.library.leans[number] for number in numbers)
        others = [n for other, theirs in positions.items() if other != name for n in theirs if n not in numbers]
        against = [n for n in others if situation.library.leans[n] * lean < 0]
        best = situation.best(against or others)
        rows.append(f"{name}: {material.SPENT if best is None else quote(situation, best)}")
    return tuple(rows)


def _sources(field: Field, situation: Situation, speech: Speech) -> Value | None:
    return tuple(dict.fromkeys(material.place(situation.library.passages[number]) for number in speech.picks)) or None


def _left_out(field: Field, situation: Situation, speech: Speech) -> Value | None:
    return None


def _words(text: str) -> FieldFiller:
    def say(field: Field, situation: Situation, speech: Speech) -> Value:
        return text

    return say


FILLERS: Mapping[str, FieldFiller] = {
    "ACCEPTS": _accepts,
    "REJECTS": _rejected_critiques,
    "TARGET": _target,
    "RELATION": _relation,
    "QUOTE": _copied_words,
    "CLAIM": _claim,
    "URGENCY": _urgency,
    "POINT": _point,
    "QUESTION": _question,
    "NEXT": _next,
    "CLARITY": _score,
    "EVIDENCE": _score,
    "ORIGINALITY": _score,
    "CONSENT": _consent,
    "CHANGED": _has_changed,
    "ON_TOPIC": _on_topic,
    "NEW": _has_news,
    "CONSENSUS": _has_agreed,
    "RECONSIDER": _reconsider,
    "SOURCES": _sources,
    "CONCLUSION": _conclusion,
    "PROPOSAL": _proposal,
    "DISPUTED": _other_passage,
    "FOUND": _next,
    "REPLIES": _other_passage,
    "REASONING": _words(material.REASONED),
    "NOTE": _next,
    "TRANSLATION": _words(material.UNTRANSLATED),
    **BOARD,
    # What a machine that only quotes cannot know it leaves out.
    **dict.fromkeys(("AIM", "CONCEDES", "STEP", "CHECK", "OFF_TOPIC", "WARNING", "CLARIFY"), _left_out),
    **dict.fromkeys(("REPLACES", "CHANGES", "CONTRADICTIONS", "POSITIONS", "OPEN", "AGREED"), _left_out),
    # All that it says is quoted with its place, and so it takes what others say.
    "UNSOURCED": _left_out,
}
