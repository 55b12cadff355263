"""How long an answer is likely to be. This file owns the expected words of each act, for estimates alone.

The figures are round and mean English prose by chat models that are asked for no length: a speech is a few paragraphs,
a bid is a number with a sentence. They are no limits.
"""

from collections.abc import Mapping

from moot.core.agent import Scene
from moot.core.ask import Ask

# fmt: off
WORDS: Mapping[str, int] = {
    "open": 180, "draft": 150, "propose": 180, "argue": 180, "revise": 180, "close": 180, "critique": 100,
    "question": 50, "answer": 150, "interrupt": 60, "bid": 15, "reconsider": 10, "guide": 80, "inform": 120,
    "score": 40, "evaluate": 150, "summarize": 150, "strategy": 50, "reflect": 100, "gauge": 30, "moderate": 150,
    "consent": 30, "vote": 30, "remind": 30, "verdict": 50, "recall": 250, "synthesize": 350,
}
"""Words of an answer by its act."""
# fmt: on

USUAL = 150
"""Words of an answer whose act is not in the table."""

FIELD = 15
"""Words of a text in a form that has many of them."""


CLAIM, REPLY, MARKS = 20, 45, 12
"""Words in a search: of each claim, which is a sentence; of a reply, which is two; of the marks for an exchange."""

CALL = 15
"""Words in which a model asks for a tool: its name, and what to look for."""

FOUND: Mapping[str, int] = {"search": 350, "rag": 450, "summarizer": 200, "scorer": 20}
"""Words of the usual result of a tool: five hits of a search engine, four extracts of a document, a summary, marks."""

UNKNOWN = 300
"""Words of the result of a tool that is not in the table."""


def words(ask: Ask, scene: Scene) -> int:
    """The words that an answer is likely to have.

    A form with so many fields that they cannot be filled in within that length makes it longer; a translation is as
    long as the turns that are laid before the translator.
    """
    if ask.act == "translate":
        return sum(len(turn.text.split()) for turn in scene.about)
    fields = ask.form.fields if ask.form else ()
    least = sum(FIELD if field.kind in ("text", "list") else 2 for field in fields)
    return max(WORDS.get(ask.act, USUAL), least)
