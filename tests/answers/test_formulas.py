"""A pattern of a formula is only searched where its letters stand, so whatever it matches must hold them."""

import random
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

import pytest

from folkmoot.answers.words import formulas, vote_labels

PARSER: Any = import_module("re._parser")
TABLES = (formulas.PICKS, formulas.VOTES, formulas.AFTER, formulas.ABSTENTIONS, vote_labels.LABELS, vote_labels.STATED)


def rows() -> Iterator[tuple[str, str]]:
    for table in TABLES:
        yield from table


def written(tree: Iterable[Any], chance: random.Random) -> str:
    """A text of the kind that a parsed pattern matches; what must not stand there is left out."""
    return "".join(_part(str(kind), value, chance) for kind, value in tree)


def _part(kind: str, value: Any, chance: random.Random) -> str:
    match kind:
        case "LITERAL":
            return chr(value)
        case "IN":
            inner, what = chance.choice(value)
            signs = {"LITERAL": lambda: chr(what), "RANGE": lambda: chr(chance.randint(*what))}
            return signs.get(str(inner), lambda: " ")()
        case "BRANCH":
            return written(chance.choice(value[1]), chance)
        case "SUBPATTERN":
            return written(value[3], chance)
        case "MAX_REPEAT":
            least, most, inside = value
            return "".join(written(inside, chance) for _ in range(chance.randint(least, min(most, least + 1))))
        case "ASSERT":
            return written(value[1], chance) if value[0] > 0 else ""
        case _:
            return ""


@pytest.mark.parametrize(("letters", "pattern"), sorted(set(rows())))
def test_whatever_a_pattern_matches_holds_its_letters(letters: str, pattern: str) -> None:
    chance, tree = random.Random(3), PARSER.parse(pattern)
    texts = {written(tree, chance) for _ in range(200)}
    assert [text for text in sorted(texts) if letters not in text] == []


def test_the_texts_are_of_the_kind_that_the_patterns_match() -> None:
    chance = random.Random(4)
    plain = r"(?:ich gebe|gebe ich) meine (?:[ab])?stimme(?=\s*:)"
    assert all(re.match(plain, written(PARSER.parse(plain), chance)) for _ in range(50))
