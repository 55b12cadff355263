"""What a debate uses is never below the least and never above the most, whatever its models answer.

Real debates of every protocol, from the brief to the record, at the price of a model that the price list knows.
"""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from math import ceil

import pytest

from folkmoot.app.brief.reader import ParsedBrief, read_brief
from folkmoot.app.plan.estimate import Bounds, Totals, estimate
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.prepare import Overrides, PreparedDebate, prepare
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.ask import ToolCall, Usage
from folkmoot.core.brief import Brief, Limits, Participant, Search, Settings, Source
from folkmoot.core.errors import Unreadable
from folkmoot.core.event import Attempted, Called, Entry, Paused
from folkmoot.engine.calls import Budget
from folkmoot.models.base import Model, Request, Traits
from folkmoot.models.layers import RetrySettings
from folkmoot.models.names import parse
from folkmoot.models.pool import Fallback, Pool
from folkmoot.models.prices import answer_cap, cost, quote
from folkmoot.phases.choices import Choices
from folkmoot.protocols.known import KNOWN, build
from folkmoot.testing.store_checks import InMemoryStore
from tests.app.plan.test_estimate_bound import draw
from tests.kits.thoroughness import MORE, some

PRICED = parse("openai:gpt-4o-mini")
CAP = 96
PEOPLE = {"grouped": 7, "bp_style": 4}
SLOT = re.compile(r"^<?([\w ]+)(?:: |>)\[(.*)\](?:</\1>)?$", flags=re.MULTILINE)
CHOICES = re.compile(r"^[^,:]+(?: or [^,:]+)+$")


def letters(text: str) -> int:
    """Tokens of prose: one for four letters."""
    return ceil(len(text) / 4)


def octets(text: str) -> int:
    """Tokens of what no tokenizer knows: one for each byte."""
    return len(text.encode())


def filled(request: Request, pick: Callable[[list[str]], str], words: str) -> str:
    """The form that the prompt ends with, with these words in each text and a choice that ``pick`` makes."""
    text = next(message.text for message in reversed(request.messages) if message.role == "user")
    rows = [(name, _value(slot, pick, words)) for name, slot in SLOT.findall(text)]
    if "<Message>" in text:
        return "".join(("<Message>", *(f"\n<{name}>{value}</{name}>" for name, value in rows), "\n</Message>"))
    return "\n".join(f"{name}: {value}" for name, value in rows) or words


def _value(slot: str, pick: Callable[[list[str]], str], words: str) -> str:
    if number := re.match(r"a number.* to ([\d.]+)", slot):
        return number[1]
    if slot.startswith("a list"):
        return f"\n- {words}"
    return pick(slot.split(" or ")) if CHOICES.match(slot) else words


def first(choices: list[str]) -> str:
    return choices[0]


def last(choices: list[str]) -> str:
    return choices[-1]


ANSWERS: dict[str, Callable[[Request, random.Random], str]] = {
    "short": lambda request, chance: filled(request, first, "Yes."),
    "long": lambda request, chance: filled(request, first, "considerable words " * 60),
    "dense": lambda request, chance: filled(request, last, chance.randbytes(CAP).hex()),
    "silent": lambda request, chance: "",
    "malformed": lambda request, chance: (
        "<Message><Verdict>\nSTATUS maybe\n\nDECISION\n" + "-\n" * chance.randint(1, 40)
    ),
    "stubborn": lambda request, chance: filled(request, last, f"Never {chance.randint(1, 999)}."),
    "mixed": lambda request, chance: ANSWERS[chance.choice(["short", "long", "malformed", "stubborn", "silent"])](
        request, chance
    ),
}


class PricedModel:
    """A model with a price, whose answers are of one kind, cut off where they are too long."""

    drops: tuple[str, ...] = ()

    def __init__(self, kind: str, tools: Sequence[str] = ()) -> None:
        self.name, self.kind, self.tools = str(PRICED), kind, tools
        self.traits = Traits()
        self.count = octets if kind == "dense" else letters

    def quote(self, request: Request) -> Quote:
        return quote(PRICED, request)

    async def close(self) -> None:
        pass

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        input_tokens = sum(8 + self.count(message.text) for message in request.messages)
        cap = answer_cap(request.settings)
        text = ANSWERS[self.kind](request, random.Random(f"{request.call} {request.messages}"))
        calls: tuple[ToolCall, ...] = ()
        if request.tools and self.tools:
            text, calls = "", tuple(ToolCall(id=name, name=name, arguments="{}") for name in self.tools)
        if not text.strip() and not calls:
            raise Unreadable("no words", kind="empty", again=True)
        whole = self.count(text) <= cap
        text = text if whole else text[: cap * (1 if self.kind == "dense" else 4)]
        usage = Usage(input_tokens=input_tokens, output_tokens=self.count(text))
        usage = replace(usage, cost=cost(PRICED, usage))
        finish = "tools" if calls else "stop" if whole else "length"
        return Called(key="", call="", text=text, model=self.name, usage=usage, finish=finish, tools=calls)


def source(name: str, seed: int) -> ParsedBrief:
    """A brief of a protocol, with a chair."""
    settings = Settings(max_tokens=CAP)
    people = [Participant(name=f"P{n}", seat="guest:all", settings=settings) for n in range(PEOPLE.get(name, 3))]
    chair = Participant(name="Chair", seat="guest:all", duty="moderator", settings=settings)
    parsed = read_brief(f"---\nprotocol: {name}\nseed: {seed}\n---\n# Build or buy?\n\nWe are eight.")
    return replace(parsed, brief=replace(parsed.brief, participants=(*people, chair)), vacant=False)


async def played(parsed: ParsedBrief, model: Model) -> tuple[PreparedDebate, Sequence[Entry]]:
    """A debate from its brief to its record."""
    pool, config = Pool(env={}, retry=RetrySettings(wait=0, jitter=0)), Config()
    workspace = Workspace(InMemoryStore(), pool=pool, config=config)
    pool.add_agent("all", model)
    ready = await prepare(workspace, parsed, Overrides(), config=config)
    await workspace.run(ready.plan, "used")
    entries = await workspace.entries("used")
    await workspace.close()
    return ready, entries


def used(entries: Sequence[Entry]) -> Totals:
    """What a debate has used: tries that may have been charged count, as they do for its limits."""
    budget, sent = Budget(Limits()), 0
    for entry in entries:
        budget.apply(entry.event)
        sent += isinstance(entry.event, Attempted) and not entry.event.model.startswith("tool:")
    return Totals(budget.asks, sent, budget.tokens, budget.cost)


def check_within(foreseen: Bounds, actual: Totals) -> None:
    """What was used lies within the bounds."""
    assert actual.calls > 0
    for low, count, high in zip(foreseen.least, actual, foreseen.most, strict=True):
        assert low is not None
        assert count is not None
        assert high is not None
        assert low <= count <= high, (foreseen, actual)


@pytest.mark.parametrize(("name", "kind"), some(product(KNOWN, ANSWERS), 5))
async def test_what_is_used_lies_between_the_least_and_the_most(name: str, kind: str) -> None:
    ready, entries = await played(source(name, len(kind)), PricedModel(kind))
    costing = ready.costing
    # Where nobody gives words at first, it pauses before it has used the least of a whole debate.
    if not any(isinstance(entry.event, Paused) for entry in entries):
        check_within(costing.bounds, used(entries))
    least, most = costing.bounds.least, costing.bounds.most
    for low, likely, usual, high in zip(least, costing.expected_total, costing.usual_total, most, strict=True):
        assert (low or 0) <= (likely or 0) <= (usual or 0) <= (high or 0)


@pytest.mark.parametrize("name", some(KNOWN, 3))
async def test_so_it_does_whatever_a_brief_chooses(name: str) -> None:
    for seed in range(6 if MORE else 1):
        chance = random.Random(f"{name} {seed}")
        brief, tree = draw(chance, name)
        people = tuple(
            replace(participant, seat="guest:all", settings=Settings(max_tokens=CAP), tools=chosen_tools(participant))
            for participant in brief.participants
        )
        brief = replace(brief, participants=people, library=(Source(name="facts", text="The depot is near."),))
        pool = Pool(env={}, retry=RetrySettings(wait=0, jitter=0))
        workspace = Workspace(InMemoryStore(), pool=pool, config=Config())
        model = PricedModel(chance.choice([*ANSWERS]), ("summarizer", "scorer", "rag") * 3)
        pool.add_agent("all", model)
        await workspace.run(Plan(brief=brief, name=name, protocol=tree), "used")
        actual = used(await workspace.entries("used"))
        models = dict.fromkeys((who.name for who in people), pool.model("guest:all"))
        check_within(estimate(brief, tree, models).bounds, actual)
        await workspace.close()


def chosen_tools(who: Participant) -> tuple[str, ...]:
    """Tools that reach nothing outside, for whoever was drawn some."""
    return ("summarizer", "scorer", "rag")[: len(who.tools)]


HIRING = Brief(topic="Whom?", participants=(Participant(name="Ada"), Participant(name="Bo")))


def of(brief: Brief, model: Model | None = None, name: str = "round_robin") -> Bounds:
    """The bounds of a debate of one round in which one model answers for all."""
    model = model or PricedModel("short")
    tree = build(name, brief, Choices(rounds=1))
    return estimate(brief, tree, dict.fromkeys((who.name for who in brief.participants), model)).bounds


def with_people(**changes: object) -> Brief:
    """The brief with each participant changed."""
    return replace(HIRING, participants=tuple(replace(who, **changes) for who in HIRING.participants))  # pyright: ignore[reportArgumentType]


def test_the_most_is_no_more_than_the_limits() -> None:
    free = of(HIRING).most
    limited = of(replace(HIRING, limits=Limits(asks=3, tokens=9_000, cost=0.01)))
    assert (limited.most.asks, limited.most.tokens, limited.most.cost) == (3, 9_000, 0.01)
    assert limited.most.calls == 3 * 12 < free.calls
    assert limited.least.asks <= 3
    few = of(replace(HIRING, limits=Limits(asks=3)))
    assert few.most.cost is not None
    assert free.cost is not None
    assert few.most.tokens < free.tokens
    assert few.most.cost < free.cost


def test_a_longer_answer_is_paid_for_and_read_again_by_all() -> None:
    short, long = (
        of(with_people(settings=Settings(max_tokens=2048))),
        of(with_people(settings=Settings(max_tokens=4096))),
    )
    assert (short.answer, long.answer) == (2048, 4096)
    assert long.most.tokens - short.most.tokens > long.most.calls * 2048
    assert long.most.calls == short.most.calls
    assert short.most.cost is not None
    assert long.most.cost is not None
    assert short.most.cost < long.most.cost


def test_tools_searches_and_fallbacks_take_more_calls() -> None:
    plain = of(HIRING).most.calls
    searching = of(with_people(search=Search(simulations=4, depth=1))).most
    looking = of(with_people(tools=("search",))).most
    summing = of(with_people(tools=("summarizer",))).most
    without_forms = of(replace(HIRING, options=()), name="council").most
    assert 9 * without_forms.asks > without_forms.calls > 3 * without_forms.asks, "a free text is asked for once"
    backed = of(with_people(fallback=("guest:other",))).most
    assert plain < looking.calls < summing.calls
    assert plain < searching.calls
    assert backed.calls == 2 * plain
    # A person has neither, whoever stands in.
    assert of(with_people(seat="human", tools=("search",), search=Search(), stand_in="guest:all")).most.calls == plain


def test_no_prompt_is_longer_than_the_model_can_hold() -> None:
    small = PricedModel("short")
    small.traits = Traits(context=500)
    most = of(HIRING, small).most
    assert most.tokens == most.calls * (500 + 2048)


def test_without_a_price_or_a_model() -> None:
    class Unpriced(PricedModel):
        def quote(self, request: Request) -> Quote:
            return replace(super().quote(request), cost=None, worst_cost=None)

    unknown = of(HIRING, Unpriced("short"))
    assert (unknown.least.cost, unknown.most.cost) == (None, None)
    assert Bounds.sum([unknown, of(HIRING)] * 2).most.cost is None
    tree = build("round_robin", HIRING, Choices(rounds=1))
    none = estimate(HIRING, tree, {}).bounds
    assert (none.answer, none.most.calls, none.most.tokens, none.most.cost) == (0, 0, 0, 0.0)
    assert none.most.asks > 0


def test_a_fallback_is_paid_at_the_dearest_price() -> None:
    free = Free("short")
    both = Fallback(free, [PricedModel("short")])
    one, other = of(HIRING, free).most, of(HIRING, both).most
    assert one.cost == 0
    assert other.cost == of(HIRING).most.cost


class Free(PricedModel):
    """A model that costs nothing."""

    def quote(self, request: Request) -> Quote:
        return replace(super().quote(request), cost=0.0, worst_cost=0.0)


async def test_the_built_in_debaters_and_a_limit_of_questions() -> None:
    parsed = read_brief("---\nprotocol: panel\nlimits: {asks: 3}\n---\n# Build or buy?")
    workspace = Workspace(InMemoryStore(), config=Config())
    quoted = (
        await prepare(workspace, parsed, Overrides(models=("builtin:quotes",)), config=Config())
    ).costing.as_data()
    await workspace.close()
    assert quoted["asks"] == {"least": 3, "most": 3}
    assert quoted["calls"] == {"least": 0, "usual": 0, "most": 0}
    assert quoted["longest_answer"] == 0
