"""An answer that has to be JSON and fit a JSON Schema: what a prompt says, and how it is read and checked."""

import json
import re
from importlib import import_module
from typing import cast

from folkmoot.answers.schemas.bounded_check import TooMuch, best_error
from folkmoot.answers.values import Fault
from folkmoot.core.text import clip, flat

_FENCE = re.compile(r"```[\w-]*\s*\n(.*?)\n?\s*```", re.DOTALL)


def schema_instructions(schema: str) -> str:
    """What a prompt says about an answer that has to fit a schema."""
    return f"Answer with JSON alone, nothing before or after it. It has to fit this JSON Schema:\n{schema}"


def read_schema_answer(schema: str, words: str) -> str | Fault:
    """The answer as JSON text, if it is JSON and fits the schema; else what is wrong with it."""
    try:
        value = _decoded(words)
    except (ValueError, RecursionError):
        return Fault("malformed")
    match json.loads(schema):
        case {"type": "object", "required": [str(name)]} if isinstance(value, list):
            value = {name: cast("object", value)}  # models leave the object around a list out
        case _:
            pass
    problem = _problem(schema, value)
    return Fault(problem) if problem else json.dumps(value, ensure_ascii=False)


def _decoded(words: str) -> object:
    """The one JSON value of an answer: alone, in a code fence, or from the first brace or bracket to the last.

    Raises:
        ValueError: there is none, or a name stands in it twice.
    """
    fenced = _FENCE.findall(words)
    within = (words[words.find(left) : words.rfind(right) + 1] for left, right in ("{}", "[]"))
    for text in (words, *(fenced if len(fenced) == 1 else ()), *within):
        try:
            return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
        except json.JSONDecodeError:
            continue
    raise ValueError(words)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name stands there twice")
    return dict(pairs)


def _refuse(word: str) -> object:
    raise ValueError(word)


def _problem(schema: str, value: object) -> str:
    """Why a value does not fit a schema, in words; "" where it fits."""
    try:
        error = best_error(schema, value)
    except import_module("referencing.exceptions").Unresolvable:
        return "the schema refers to something that is not in it"
    except (TooMuch, RecursionError):
        return "the schema takes too long to check"
    if error is None:
        return ""
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path)
    return f"at ${shortened(place)} {shortened(error.message)}".replace(": ", " ")


def shortened(text: str) -> str:
    """What ``jsonschema`` says, in one line."""
    return clip(flat(text), 200)
