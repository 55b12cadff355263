"""A grammar of what stands under DECISION in fourteen languages: remarks that decide nothing, and decisions."""

import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.answers.ruling_grammar import SUMMARIES, laid_out

PIECES: Mapping[str, Mapping[str, Sequence[str]]] = tomllib.loads(
    (Path(__file__).parent / "data" / "remark_grammar.toml").read_text("utf-8")
)
LAYOUTS = ("plain", "bold", "headings", "emoji", "table", "numbers", "one line", "json", "tags", "blank lines")
UNSPACED = ("zh", "ja")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A ruling.

    Attributes:
        language: in which language it speaks.
        words: what stands under DECISION.
        text: the whole answer.
        decides: whether these words are a decision.
    """

    language: str
    words: str
    text: str
    decides: bool


def samples(seed: int, number: int) -> Iterator[Sample]:
    """So many rulings, half of them without a decision; the same for the same seed."""
    chance = random.Random(seed)
    for place in range(number):
        language = chance.choice(list(PIECES))
        decides = place % 2 == 0
        make = _decision if decides else _remarks
        words = make(chance, language, PIECES[language])
        text = laid_out(chance.choice(LAYOUTS), chance.choice(SUMMARIES), "SETTLED", words)
        yield Sample(language=language, words=words, text=text, decides=decides)


def _remarks(chance: random.Random, language: str, pieces: Mapping[str, Sequence[str]]) -> str:
    """One to three remarks, in any order."""
    gap = "" if language in UNSPACED else " "
    observation = f"{chance.choice(pieces['who'])}{gap}{chance.choice(pieces['did'])}{_stop(language)}"
    remarks = [observation, *chance.sample(pieces["remark"], 2)]
    chance.shuffle(remarks)
    return gap.join(remarks[: chance.randint(1, 3)])


def _decision(chance: random.Random, language: str, pieces: Mapping[str, Sequence[str]]) -> str:
    """An act or a rule, sometimes with a remark before it."""
    gap = "" if language in UNSPACED else " "
    act = gap.join(filter(None, (chance.choice(pieces[name]) for name in ("act", "what", "when"))))
    words = chance.choice([act + _stop(language), chance.choice(pieces["rule"])])
    return f"{chance.choice(pieces['remark'])}{gap or ' '}{words}" if chance.random() < 0.2 else words


def _stop(language: str) -> str:
    return "。" if language in UNSPACED else "।" if language == "hi" else "."
