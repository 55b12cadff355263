"""Items of the memory as lines for people: outcomes, critiques, answers, results and relations."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import cast

from folkmoot.core.labels import protocol_in_words
from folkmoot.core.text import clean, counted, flat, percent, shorten

Body = Mapping[str, object]

LONGEST = 300
"""The most characters of one text."""

TRUST: Mapping[str, str] = {
    "quoted": "no language model took part",
    "unconfirmed": "the right answer is not known",
    "confirmed": "it was right",
    "refuted": "it was wrong",
}
"""How far an outcome can be believed, in words."""

HEADINGS: Mapping[str, str] = {
    "outcome": "Outcome",
    "pattern": "Critiques that changed an answer",
    "failed_pattern": "Critiques that changed nothing",
    "position": "Answers",
    "performance": "Participants",
    "relation": "Relations",
    "bout": "Results between models",
}
"""The kinds of items, in the order in which they are shown."""


def learned_lines(items: Mapping[str, Sequence[Body]]) -> Iterator[tuple[str, list[list[str]]]]:
    """Each kind of which something was learned: its heading, and the lines of each item."""
    for kind, heading in HEADINGS.items():
        learned = items.get(kind, ())
        if kind == "relation" and items.get("position"):  # who ended alike stands there
            learned = [body for body in learned if body["moved_other"] or body["moved_one"]]
        item_lines = _positions(learned) if kind == "position" else map(_LINES[kind], learned)
        if parts := [lines for lines in map(list[str], item_lines) if lines]:
            yield heading, parts


def decided(body: Body) -> str:
    """How a debate ended, and how far that can be believed."""
    ended = f"{body['status']}: {body['text']}" if body["text"] else str(body["status"])
    return f"{_text(ended.replace('no_decision', 'no decision'))} ({TRUST[str(body['trust'])]})"


def _outcome(body: Body) -> Iterator[str]:
    yield _text(body["topic"])
    yield decided(body)
    if body["how"]:
        yield _text(body["how"])
    protocol = protocol_in_words(_text(body["protocol"]))
    yield f"protocol: {protocol}" + (f", domain: {_text(body['domain'])}" if body["domain"] else "")
    dissent = _texts(body["dissent"])
    yield from (f"against it: {text}" for text in dissent)
    for text in _texts(body["minority"]):
        if not any(text in words for words in dissent):
            yield f"another answer: {text}"


def _pattern(body: Body) -> Iterator[str]:
    yield from _critique(body)
    because = f", because {_text(body['because'])}" if body["because"] else ""
    yield f"  {_text(body['author'])} changed from {_text(body['before'])} to {_text(body['after'])}{because}"


def _failed_pattern(body: Body) -> Iterator[str]:
    yield from _critique(body)
    because = f": {_text(body['because'])}" if body["because"] else ""
    reaction = "rejected it" if body["rejected"] else "did not answer it"
    yield f"  {_text(body['author'])} {reaction} and kept {_text(body['answer'])}{because}"


def _critique(body: Body) -> Iterator[str]:
    yield f"{_text(body['critic'])} to {_text(body['author'])}: {_text(body['issue'])}"
    if body["suggestion"]:
        yield f"  suggestion: {_text(body['suggestion'])}"


def _positions(bodies: Sequence[Body]) -> Iterator[Iterator[str]]:
    """The answers of each participant in one line, from the first to the last; who kept one says it once."""
    for who in dict.fromkeys(_text(body["who"]) for body in bodies):
        own = [body for body in bodies if _text(body["who"]) == who]
        answers = [answer for answer, _ in groupby(_text(body["answer"]) for body in own)]
        last = own[-1]
        words = [", then ".join(answers)]
        words += [f"confidence {percent(float(str(last['confidence'])))}"] if last["confidence"] is not None else []
        yield iter([f"{who}: {'; '.join([*words, *_right(last)])}"])


def _performance(body: Body) -> Iterator[str]:
    facts = [f"{counted(_number(body['answers']), 'answer')}"]
    facts += [f"{_number(body['missing'])} missing"] if body["missing"] else []
    facts += [f"changed the answer {_times(body['changed'])}"] if body["changed"] else []
    if body["won"] is not None:
        facts.append("its answer was chosen" if body["won"] else "another answer was chosen")
    details = ", ".join(filter(None, (_text(body["role"]), _text(body["player"]))))
    yield f"{_text(body['who'])}{f' ({details})' if details else ''}: {', '.join([*facts, *_right(body)])}"


def _relation(body: Body) -> Iterator[str]:
    one, other = _text(body["one"]), _text(body["other"])
    if body["agreed"] is not None:
        yield f"{one} and {other} ended with {'the same answer' if body['agreed'] else 'different answers'}"
    for mover, moved, times in ((one, other, body["moved_other"]), (other, one, body["moved_one"])):
        if times:
            yield f"{mover} changed the answer of {moved} {_times(times)}"


def _bout(body: Body) -> Iterator[str]:
    one, other, score = _text(body["one"]), _text(body["other"]), float(str(body["score"]))
    yield f"{one} {'beat' if score > 0.5 else 'drew with' if score == 0.5 else 'lost to'} {other}"


def _right(body: Body) -> list[str]:
    return [] if body["right"] is None else ["right" if body["right"] else "wrong"]


def _text(value: object) -> str:
    return shorten(flat(clean(str(value))), LONGEST)


def _texts(value: object) -> list[str]:
    return [_text(item) for item in cast("Sequence[object]", value)] if isinstance(value, list | tuple) else []


def _times(value: object) -> str:
    return {1: "once", 2: "twice"}.get(_number(value), f"{_number(value)} times")


def _number(value: object) -> int:
    return int(str(value))


_LINES: Mapping[str, Callable[[Body], Iterator[str]]] = {
    "outcome": _outcome,
    "pattern": _pattern,
    "failed_pattern": _failed_pattern,
    "performance": _performance,
    "relation": _relation,
    "bout": _bout,
}
