"""Checks for agents and models: what every implementation must do.

A check raises AssertionError with one sentence. Stores have their own checks in ``testing.store_checks``.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from folkmoot.core.agent import Agent, Context, Quote
from folkmoot.core.ask import ABSTAIN, Ask, Field, Form, Layout, Reply
from folkmoot.core.brief import Brief, Participant, Source
from folkmoot.core.errors import FolkmootError
from folkmoot.core.event import Called
from folkmoot.models.base import Message, Model, Request

PROMPTLY = 2.0
"""Seconds within which whoever is cancelled must be gone."""

BACKGROUND = "Tea costs two cents a cup. Coffee costs nine cents a cup. Tea keeps warm for an hour."
SCENE = Context(
    brief=Brief(
        topic="Should the office buy tea or coffee?",
        background=(Source(name="facts.md", text=BACKGROUND),),
        participants=(Participant(name="Ann", role="Head of finance"), Participant(name="Bob")),
    ),
    me=Participant(name="Ann", role="Head of finance"),
)


@dataclass(slots=True)
class Journal:
    """A line that keeps what was called, as the engine's does: a call of the same name is not sent twice.

    Attributes:
        kept: the finished calls by name.
        pieces: the pieces that were shown.
        tries: the names of the calls that were tried.
        watched: whether somebody sees the pieces.
    """

    kept: dict[str, Called] = field(default_factory=dict[str, Called])
    pieces: list[str] = field(default_factory=list[str])
    tries: list[str] = field(default_factory=list[str])
    watched: bool = True

    def delta(self, text: str) -> None:
        """Keep a piece."""
        self.pieces.append(text)

    def done(self, name: str) -> Called | None:
        """The answer of a call, if it is kept."""
        return self.kept.get(name)

    async def call(self, name: str, quote: Quote, send: Callable[[], Awaitable[Called]]) -> Called:
        """Send a call, unless its answer is kept."""
        assert quote.model, "a quote names its model"
        assert quote.tokens >= 0, "a quote is not negative"
        assert quote.cost is None or quote.cost >= 0, "a price is unknown or not negative"
        if name not in self.kept:
            self.tries.append(name)
            self.kept[name] = replace(await send(), key="/debate#1", call=name)
        return self.kept[name]


def form(layout: Layout) -> Form:
    """A form of each kind of field, in that layout."""
    if layout == "line":
        choice = Field(name="I vote for", kind="choice", choices=("Tea", "Coffee"), abstain=True)
        return Form(name="ballot", layout=layout, fields=(choice,))
    fields = (
        Field(name="ANSWER", kind="choice", choices=("Tea", "Coffee")),
        Field(name="CONFIDENCE", kind="number", low=0, high=1, required=False),
        Field(name="ARGUMENT", required=False),
    )
    return Form(name="draft", layout=layout, fields=fields)


async def check_agent(open_agent: Callable[[], Agent]) -> None:
    """Check an agent.

    It answers with and without a form; fields are those of the form and within what they allow; what was called once
    is not called again for the same ask; it goes when it is cancelled; it fails only in the ways that Folkmoot knows.

    Args:
        open_agent: makes a new agent.

    Raises:
        AssertionError: it does not.
    """
    for layout in (None, "line", "sections", "tags", "json"):
        ask = Ask(key="/debate#1", to="Ann", act="draft", task="Answer the question.", form=layout and form(layout))
        journal = Journal()
        try:
            reply = await open_agent().answer(ask, SCENE, journal)
            tries = len(journal.tries)
            again = await open_agent().answer(ask, SCENE, journal)
        except FolkmootError:
            continue
        _check_reply(reply, ask.form)
        assert len(journal.tries) == tries, "a call whose answer is on record was sent again"
        if tries:
            assert (again.text, again.fields) == (reply.text, reply.fields), "the same calls gave another answer"
    await _check_cancel(lambda: open_agent().answer(Ask(key="k", to="Ann", act="draft", task="?"), SCENE, Journal()))


async def check_model(open_model: Callable[[], Model]) -> None:
    """Check a model that can be reached.

    It has a name; its quote covers what it uses; it answers through the line, so that the same call is not sent twice;
    the pieces that it shows make up the answer; what it says of its use is whole numbers; it goes when it is cancelled.

    Args:
        open_model: makes a new model; the check closes it.

    Raises:
        AssertionError: it does not.
    """
    model = open_model()
    request = Request(messages=(Message(role="system", text="Be brief."), Message(role="user", text="Tea or coffee?")))
    try:
        assert ":" in model.name, "a model's name is provider:name"
        journal = Journal()
        called = await model.complete(request, journal)
        assert called.text.strip(), "an answer has words"
        assert called.model == model.name, "an answer names the model that was asked"
        assert "".join(journal.pieces).strip() == called.text.strip(), "the pieces make up the answer"
        usage = called.usage
        assert min(usage.input_tokens, usage.output_tokens, usage.cached_tokens) >= 0, "use is not negative"
        assert await model.complete(request, journal) == called, "the same call was sent again"
        assert journal.tries == ["answer"], "one call is one try"
        await _check_cancel(lambda: model.complete(replace(request, call="other"), Journal()))
    finally:
        await model.close()


def _check_reply(reply: Reply, form: Form | None) -> None:
    assert reply.text or reply.fields, "a reply has words or fields"
    assert not form or {unread.field for unread in reply.unread} <= {item.name for item in form.fields}
    fields = {item.name: item for item in form.fields} if form else {}
    for name, value in reply.fields.items():
        assert name in fields, f"the form has no field {name}"
        form_field = fields[name]
        if form_field.kind == "choice":
            assert value in form_field.choices or (form_field.abstain and value == ABSTAIN), (
                f"{name} cannot be {value!r}"
            )
        if form_field.kind == "number":
            assert isinstance(value, int | float), f"{name} is not a number"
            assert form_field.low is None or value >= form_field.low, f"{name} is below {form_field.low}"
            assert form_field.high is None or value <= form_field.high, f"{name} is above {form_field.high}"


async def _check_cancel(begin: Callable[[], Awaitable[object]]) -> None:
    """Whoever is cancelled ends soon, and says nothing but that it was cancelled, or what Folkmoot knows how to book."""

    async def run() -> None:
        try:
            await begin()
        except FolkmootError:
            return

    async with asyncio.timeout(PROMPTLY), asyncio.TaskGroup() as group:
        task = group.create_task(run())
        await asyncio.sleep(0.005)
        task.cancel()
