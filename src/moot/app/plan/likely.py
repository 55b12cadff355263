"""What is likely sent to a model for one answer. This file owns these requests and what is taken for granted in them.

Whoever has tools is taken to use one of them, once, in each answer for which they are offered, and gets a result of the
usual size. Which one is open, so all count in equal parts. What the tools of an MCP server are told of themselves is
known only when it runs, and left out. A search goes as far as its number of simulations, its claims all about as good.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import cycle
from typing import NamedTuple, TypeAlias

from moot.agents.llm import UNAIDED
from moot.agents.prompt import compose
from moot.agents.search_tree import CANDIDATES, CLAIMS, STANDING, Growth, Question
from moot.agents.tree_search import SOUGHT
from moot.answers.layout import Reading
from moot.app.plan.lengths import CALL, CLAIM, FOUND, MARKS, REPLY, UNKNOWN
from moot.app.plan.pretend import WORD
from moot.app.plan.toolbox import papers
from moot.core.agent import Scene
from moot.core.ask import Ask
from moot.core.brief import Brief
from moot.core.form import Form
from moot.core.tool import ToolCall, ToolSpec
from moot.models.base import Message, Traits
from moot.tools.condense import SCORER, SUMMARIZER, rating, summing
from moot.tools.rag import SPEC
from moot.tools.web_search import OPEN_PAGE, SEARCH

SPECS: Mapping[str, tuple[ToolSpec, ...]] = {
    "search": (SEARCH, OPEN_PAGE),
    "rag": (SPEC,),
    "summarizer": (SUMMARIZER,),
    "scorer": (SCORER,),
}
"""What a model is told of the tools of a name."""

VALUES = (4.0, 7.0, 5.0, 6.0)
"""How the lines of a search are judged, in turn: none is so good that the others are looked at no more."""


class Sent(NamedTuple):
    """One request, and the words that come back.

    Attributes:
        messages: what the model is sent.
        words: the words of its answer.
        tools: the tools that are offered.
        share: how likely it is sent at all, above 0 to 1.
    """

    messages: tuple[Message, ...]
    words: int
    tools: tuple[ToolSpec, ...] = ()
    share: float = 1.0


Likely: TypeAlias = Callable[[Ask, Scene, Traits, int], Iterator[Sent]]
"""An ask, what its participant sees, what the wire takes and the words of the answer to the requests for it."""


def alone(ask: Ask, seen: Scene, traits: Traits, words: int) -> Iterator[Sent]:
    """The request for an answer without tools or a search."""
    yield Sent(compose(ask, seen, traits), words)


def likely(ask: Ask, seen: Scene, traits: Traits, words: int) -> Iterator[Sent]:
    """The requests for an answer: those of a search, those of a look-up, and the one that is answered."""
    if seen.me.search and ask.act in SOUGHT:
        growth = Growth(search=seen.me.search, ask=ask, scene=seen)
        yield from _searching(growth, traits)
        ask = growth.prepared()
    if seen.me.tools and ask.act not in UNAIDED and traits.tools:
        yield from _looking(ask, seen, traits, words)
    else:
        yield from alone(ask, seen, traits, words)


def _searching(growth: Growth, traits: Traits) -> Iterator[Sent]:
    questions, values = growth.whole(), cycle(VALUES)
    question: Question | None = next(questions)
    while question:
        yield Sent(growth.compose(question, traits), _LENGTHS[question.form])
        try:
            question = questions.send(_read(question.form, next(values)))
        except StopIteration:
            return


_LENGTHS: Mapping[Form | None, int] = {CANDIDATES: CLAIM * CLAIMS, None: REPLY, STANDING: MARKS}


def _read(form: Form | None, value: float) -> Reading:
    """A pretended answer within a search."""
    claims = tuple(f"{WORD * CLAIM}{n}" for n in range(CLAIMS))
    fields = {field.name: claims if field.kind == "list" else value for field in (form.fields if form else ())}
    return Reading(text=(WORD * REPLY).strip(), fields=fields)


def _looking(ask: Ask, seen: Scene, traits: Traits, words: int) -> Iterator[Sent]:
    messages, names = compose(ask, seen, traits), seen.me.tools
    specs = tuple(spec for name in names for spec in SPECS.get(name, ()))
    yield Sent(messages, CALL, specs)
    share = 1 / len(names)
    if "summarizer" in names and seen.turns:
        yield Sent(_asked(summing(seen, seen.turns)), FOUND["summarizer"], share=share)
    if "scorer" in names:
        yield Sent(_asked(rating(seen, WORD * words)), FOUND["scorer"], share=share)
    call = ToolCall(id="1", name=names[0], arguments=WORD * CALL)
    found = sum(_found(name, seen.brief) for name in names) // len(names)
    used = Message(role="assistant", text="", calls=(call,)), Message(role="tool", text=WORD * found, answers=call.id)
    yield Sent((*messages, *used), words, specs)


def _found(name: str, brief: Brief) -> int:
    """The words of a result; documents that are shorter than that come whole."""
    usual = FOUND.get(name, UNKNOWN)
    return min(usual, sum(len(each.text.split()) for each in papers(brief))) if name == "rag" else usual


def _asked(text: str) -> tuple[Message, ...]:
    return (Message(role="user", text=text),)
