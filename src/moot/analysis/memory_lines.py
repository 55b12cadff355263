"""Items of the memory as lines for people: outcomes, critiques, answers, results and relations."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import cast

from moot.core.text import clean, counted, flat, shorten

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
        if parts := list(filter(None, (list(memory_lines(kind, body)) for body in items.get(kind, ())))):
            yield heading, parts


def memory_lines(kind: str, body: Body) -> Iterator[str]:
    """The lines of one item of that kind."""
    return _LINES[kind](body)


def decided(body: Body) -> str:
    """How a debate ended, and how far that can be believed."""
    ended = f"{body['status']}: {body['text']}" if body["text"] else str(body["status"])
    return f"{_text(ended.replace('no_decision', 'no decision'))} ({TRUST[str(body['trust'])]})"


def _outcome(body: Body) -> Iterator[str]:
    yield _text(body["topic"])
    yield decided(body)
    if body["how"]:
        yield _text(body["how"])
    yield f"protocol {_text(body['protocol'])}" + (f", domain {_text(body['domain'])}" if body["domain"] else "")
    for text in _texts(body["dissent"]):
        yield f"against it: {text}"
    for text in _texts(body["minority"]):
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


def _position(body: Body) -> Iterator[str]:
    answer = [_text(body["answer"])]
    answer += [f"confidence {body['confidence']}"] if body["confidence"] is not None else []
    answer += ["last answer"] if body["last"] else []
    yield f"{_text(body['who'])}: {', '.join([*answer, *_right(body)])}"


def _performance(body: Body) -> Iterator[str]:
    facts = [f"{counted(_number(body['answers']), 'answer')}"]
    facts += [f"{_number(body['missing'])} missing"] if body["missing"] else []
    facts += [f"changed {counted(_number(body['changed']), 'time')}"] if body["changed"] else []
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
            yield f"{mover} changed the answer of {moved} {counted(_number(times), 'time')}"


def _bout(body: Body) -> Iterator[str]:
    one, other, score = _text(body["one"]), _text(body["other"]), float(str(body["score"]))
    yield f"{one} {'beat' if score > 0.5 else 'drew with' if score == 0.5 else 'lost to'} {other}"


def _right(body: Body) -> list[str]:
    return [] if body["right"] is None else ["right" if body["right"] else "wrong"]


def _text(value: object) -> str:
    return shorten(flat(clean(str(value))), LONGEST)


def _texts(value: object) -> list[str]:
    return [_text(item) for item in cast("Sequence[object]", value)] if isinstance(value, list | tuple) else []


def _number(value: object) -> int:
    return int(str(value))


_LINES: Mapping[str, Callable[[Body], Iterator[str]]] = {
    "outcome": _outcome,
    "pattern": _pattern,
    "failed_pattern": _failed_pattern,
    "position": _position,
    "performance": _performance,
    "relation": _relation,
    "bout": _bout,
}
