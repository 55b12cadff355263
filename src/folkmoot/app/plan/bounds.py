"""Bounds of what a debate can use: never less than the least, never more than the most.

For the most the protocol runs once more in its longest form (``app.plan.pretend``). A mark stands for each earlier
answer, and counts as much as the longest answer does. Folkmoot's own words and those of the brief count a token for each
byte, because no tokenizer makes more of them. Each call is sent as often as a call may be tried, to the dearest of
the models that may be asked. Each answer uses all tools that it may, each with the longest result, is continued once,
and is asked for its form once more.

The least is what is used where all agree at once, or where nobody says anything, if that is less.

Assumed is that no answer is longer than its limit, that a model counts the words of others at most ``REREAD`` times as
long as who wrote them, and that nobody joins in from outside. Embeddings, the descriptions of an MCP server's tools and
what is asked again after a crash are left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from folkmoot.agents.llm import UNAIDED
from folkmoot.agents.prompt import compose
from folkmoot.agents.search_tree import LONGEST as LONGEST_REPLY
from folkmoot.agents.search_tree import REPLIES
from folkmoot.agents.toolkit import LONGEST, LONGEST_SOURCE, ROUNDS, USES
from folkmoot.agents.tree_search import SOUGHT, most_calls
from folkmoot.answers.layout import Reading, form_instructions, repair_question
from folkmoot.answers.schemas.form_schema import json_form, schema_of
from folkmoot.app.plan.pretend import (
    AnswerSimulator,
    WidestPlay,
    longest_form,
    shortest_form,
    stop_values,
    widest,
)
from folkmoot.app.plan.toolbox import SPECS
from folkmoot.core.agent import Context, context_of
from folkmoot.core.ask import Ask
from folkmoot.core.brief import BUILTIN, HUMAN, Brief, Limits, Participant
from folkmoot.core.event import Asked, Failed, Replied
from folkmoot.core.transcript import Transcript
from folkmoot.core.unread import Unread
from folkmoot.models.base import Message, Model, Request
from folkmoot.models.layers import RetrySettings
from folkmoot.models.prices import MAX_TOKENS, answer_cap, count_most
from folkmoot.phases.base import Phase, State, enter
from folkmoot.protocols.spec import naming_packages

MARK = "\ue000"
"""What stands for the longest answer in the prompts of the longest play: a letter for private use."""

REREAD = 2
"""How many tokens a prompt takes at most for a token of an answer: lines are indented, and tokenizers differ."""

BYTES = 4
"""The most bytes of a character."""

TRIES = RetrySettings().tries
"""How often one call is sent to one model at most."""

FRAME = 64
"""Bytes by which the frame of a turn is longer where a participant sees turns numbered, unnamed or as its own words."""

FAULT = 160
"""Bytes in which the question about a form says what is wrong with one field, or what is to be continued."""

CALLED = 14
"""Tokens that one token of a request for tools can bring: a call takes eight, and is told that it was not used."""

LEAN = 8
"""Letters that one token has at most, on average, in a prompt."""

CACHED = 50
"""How many times cheaper than the full price cached input is at most."""

FORM = 4_000
"""Bytes for what Folkmoot says around a search, or to another participant than the one that was simulated."""

LONG = 1_000_000
"""Tokens of a prompt beyond which no provider has another price."""

RESULTS = USES * BYTES * (LONGEST + LONGEST_SOURCE + 1_000)
"""Bytes of the longest results of tools for one answer, with their sources and what was looked for."""

NOT_ASKING = frozenset({"search", "rag"})
"""Tools that never ask the participant's own model."""


class Totals(NamedTuple):
    """What a debate uses: questions, calls sent, tokens, and US dollars, None where a price is unknown."""

    asks: int = 0
    calls: int = 0
    tokens: int = 0
    cost: float | None = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The least and the most that a debate can use.

    Attributes:
        least: what it uses at least, if all models can be reached.
        most: what it uses at most, and never more than its limits.
        answer: the most tokens of an answer, as assumed; 0 where no model is asked.
    """

    least: Totals
    most: Totals
    answer: int

    def times(self, count: int) -> "Bounds":
        """The bounds of that many debates of the kind."""
        return Bounds(least=_times(self.least, count), most=_times(self.most, count), answer=self.answer)


NO_BOUNDS = Bounds(least=Totals(), most=Totals(), answer=0)


def _times(totals: Totals, count: int) -> Totals:
    cost = None if totals.cost is None else totals.cost * count
    return Totals(totals.asks * count, totals.calls * count, totals.tokens * count, cost)


def sum_of_totals(parts: Sequence[Totals]) -> Totals:
    """What several use together; its cost is unknown where one is."""
    costs = [part.cost for part in parts]
    known = [cost for cost in costs if cost is not None]
    return Totals(
        sum(part.asks for part in parts),
        sum(part.calls for part in parts),
        sum(part.tokens for part in parts),
        sum(known) if len(known) == len(costs) else None,
    )


def joined_bounds(parts: Sequence[Bounds]) -> Bounds:
    """The bounds of several debates together."""
    return Bounds(
        least=sum_of_totals([part.least for part in parts]),
        most=sum_of_totals([part.most for part in parts]),
        answer=max((part.answer for part in parts), default=0),
    )


@naming_packages()
def bounds(brief: Brief, protocol: Phase, models: Mapping[str, Model]) -> Bounds:
    """The bounds of a debate.

    Args:
        brief: the brief with agents assigned.
        protocol: the phase tree.
        models: the models by participant, those that stand in for people included; who has none costs nothing.
    """
    longest = max((answer_cap(brief.participant(name).settings) for name in models), default=0)
    ends, wide = stop_values(protocol), widest(brief, protocol)
    bill = _Bill(brief, models, max(longest, MAX_TOKENS))
    stubborn = AnswerSimulator(ends=ends, agree=False, mark=MARK)
    asks_calls = [
        bill.dearest(wide, ask, context)
        for ask, context in _play(wide, _open(wide.brief), longest_form(protocol), stubborn)
    ]
    plays: list[Totals] = []
    agreeing, plain = AnswerSimulator(ends=ends, agree=True, mark=MARK), WidestPlay(brief=brief)
    for silent in (
        (),
        [participant.name for participant in brief.participants if not participant.seat.startswith(BUILTIN)],
    ):
        played = _play(plain, brief, shortest_form(protocol), agreeing, silent)
        plays.append(sum_of_totals([bill.cheapest(ask, context) for ask, context in played]))
    largest = _totals_within_limits(brief.limits, [bill.priced(calls) for calls in asks_calls])
    return Bounds(least=_smallest([*plays, largest]), most=largest, answer=longest)


def _open(brief: Brief) -> Brief:
    """The brief in which nobody's prompts leave anything out."""
    people = [replace(participant, hide=(), view=None) for participant in brief.participants]
    return replace(brief, participants=tuple(people))


def _play(
    wide: WidestPlay, shown: Brief, protocol: Phase, simulator: AnswerSimulator, silent: Sequence[str] = ()
) -> Iterator[tuple[Ask, Context]]:
    """Every ask of a simulated run and what its participant sees; the silent never answer."""
    transcript = Transcript(brief=wide.brief)
    visible = replace(transcript, brief=shown)
    batch = 0
    for step in enter(protocol, State(brief=wide.brief, transcript=transcript)):
        if not isinstance(step, Sequence):
            transcript.apply(step)
            continue
        batch += 1
        step = wide.apart(step)
        for ask in step:
            transcript.apply(Asked(ask=ask))
        yield from [(ask, context_of(shown, visible, ask)) for ask in step]
        for n, ask in enumerate(step):
            if ask.to in silent:
                transcript.apply(Failed(key=ask.key, kind="empty", reason="no words"))
                continue
            last = n + 1 == len(step)
            reply = simulator.answer(ask, transcript, place=n, batch=batch, words=1, last=last)
            transcript.apply(Replied(key=ask.key, reply=reply))


class _Calls(NamedTuple):
    """The calls for an answer: how many, and the most tokens of their prompts; by whom."""

    by: str
    number: int
    prompt: int


@dataclass(slots=True)
class _Bill:
    """What asks take at least and at most."""

    brief: Brief
    models: Mapping[str, Model]
    longest: int
    rates: dict[str, tuple[float, float] | None] = field(default_factory=dict[str, "tuple[float, float] | None"])
    greatest: int = 0

    def dearest(self, wide: WidestPlay, ask: Ask, context: Context) -> list[_Calls]:
        """The calls of each participant that may be asked this."""
        peers = [participant for participant in wide.peers(context.me) if participant.name in self.models]
        sizes = [self._calls(participant, ask, context) for participant in peers]
        self.greatest = max((self.greatest, *(size.prompt for size in sizes)))
        return sizes

    def _calls(self, person: Participant, ask: Ask, context: Context) -> _Calls:
        """All calls for an answer, each with a prompt that holds all there can be in one."""
        model = self.models[person.name]
        if person.seat == HUMAN:
            person = replace(person, tools=(), search=None)  # who stands in for a person has neither
        aided, sought = bool(person.tools) and ask.act not in UNAIDED, person.search is not None and ask.act in SOUGHT
        count, more = 1, 2 * REREAD * self.longest
        if ask.form:
            count += 3  # to go on with what was cut off, to repair it, and that in words where a schema is refused
            unread = tuple(Unread(item.name, "missing") for item in ask.form.fields)
            more += FAULT * (2 + len(unread)) + _size(repair_question(ask.form, Reading(text="", unread=unread)))
            more += _size(form_instructions(json_form(ask.form))) + _size(schema_of(json_form(ask.form)))
        if aided:
            asks_its_model = any(tool not in NOT_ASKING for tool in person.tools)
            count += ROUNDS + (USES if asks_its_model else 0)
            more += RESULTS + ROUNDS * CALLED * self.longest
        if person.search and sought:
            count += most_calls(person.search) - 1
            more += (
                (person.search.depth + 1 + REPLIES) * (BYTES * LONGEST_REPLY + FAULT)
                + 2 * self._tokens(ask.task)
                + FORM
            )
        specs = tuple(spec for name in person.tools for spec in SPECS.get(name, ())) if aided else ()
        own = max(_size(f"{participant.role}{participant.persona}") for participant in self.brief.participants)
        messages = compose(ask, context, model.traits)
        marks = sum(message.text.count(MARK) for message in messages)
        prompt = count_most(messages, specs) + marks * REREAD * self.longest + own + FORM
        prompt += more + FRAME * (len(context.turns) + len(context.about))
        prompt = min(prompt, model.traits.context) if model.traits.context else prompt
        return _Calls(person.name, count * TRIES * (1 + len(person.fallback)), prompt)

    def _tokens(self, text: str) -> int:
        return _size(text) + text.count(MARK) * REREAD * self.longest

    def priced(self, calls: Sequence[_Calls]) -> Totals:
        """What one ask takes at most."""
        totals = [self._totals(*one) for one in calls]
        costs = [total.cost for total in totals]
        return Totals(
            asks=1,
            calls=max((total.calls for total in totals), default=0),
            tokens=max((total.tokens for total in totals), default=0),
            cost=None if None in costs else max((cost for cost in costs if cost is not None), default=0.0),
        )

    def _totals(self, name: str, count: int, prompt: int) -> Totals:
        output_tokens, rates = answer_cap(self.brief.participant(name).settings), self._rates(name)
        cost = None if rates is None else count * (rates[0] * prompt + rates[1])
        return Totals(calls=count, tokens=count * (prompt + output_tokens), cost=cost)

    def cheapest(self, ask: Ask, context: Context) -> Totals:
        """What one ask takes at least: one call, whose prompt may be read from a cache."""
        model = self.models.get(ask.to)
        if model is None:
            return Totals(asks=1)
        letters = sum(len(message.text.replace(MARK, "")) for message in compose(ask, context, model.traits))
        rates = self._rates(ask.to)
        tokens = letters // LEAN
        return Totals(1, 1, tokens, None if rates is None else rates[0] * tokens / CACHED)

    def _rates(self, name: str) -> tuple[float, float] | None:
        """The most US dollars for a token of a prompt, and for the longest answer; None for an unknown price."""
        if name not in self.rates:
            model, settings = self.models[name], self.brief.participant(name).settings
            # Long prompts may have a higher price, so the price is that of the longest of the debate.
            size = min(max(self.greatest, 1), LONG)
            message = Message(role="user", text="x" * size)
            answer_limit = answer_cap(settings)
            costs = [
                None if quote.cost is None else max(quote.cost, quote.worst_cost or 0.0)
                for cap in (1, answer_limit)
                for quote in [
                    model.quote(Request(messages=(message,), settings=replace(settings, max_tokens=cap), call="any"))
                ]
            ]
            known = [cost for cost in costs if cost is not None]
            rates = (
                (known[0] / size, (known[-1] - known[0]) * answer_limit / max(answer_limit - 1, 1))
                if len(known) == 2
                else None
            )
            self.rates[name] = rates
        return self.rates[name]


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _totals_within_limits(limits: Limits, calls: Sequence[Totals]) -> Totals:
    """What these asks take together, as far as the limits allow them; of too many the dearest count."""
    count = len(calls) if limits.asks is None else min(limits.asks, len(calls))
    costs = [one.cost for one in calls]
    known = [cost for cost in costs if cost is not None]
    cost = sum(sorted(known)[-count:]) if len(known) == len(costs) else None
    tokens = sum(sorted(one.tokens for one in calls)[-count:])
    return Totals(
        asks=count,
        calls=sum(sorted(one.calls for one in calls)[-count:]),
        tokens=tokens if limits.tokens is None else min(tokens, limits.tokens),
        cost=cost if cost is None or limits.cost is None else min(cost, limits.cost),
    )


def _smallest(plays: Sequence[Totals]) -> Totals:
    costs = [play.cost for play in plays]
    return Totals(
        min(play.asks for play in plays),
        min(play.calls for play in plays),
        min(play.tokens for play in plays),
        min((cost for cost in costs if cost is not None), default=0.0) if None not in costs else None,
    )
