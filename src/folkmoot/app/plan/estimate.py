"""Estimate what a debate costs: questions, calls, tokens and dollars, as is likely, as is usual at most, and at most.

The real protocol is played with the real prompts; only the answers are made up (``app.plan.simulation``). No debate
asks more or less, or takes more calls, than these plays.

Of tokens and dollars there are three figures. *Expected* is what is likely: prompts as they are, answers of the usual
length, one look-up in each answer of those with tools. *Usual* is what is used where each answer takes all it may,
without repairs and retries. *Bounds* hold always. For these a mark stands for each earlier answer, and counts as much as
the longest answer does; Folkmoot's own words and those of the brief count a token for each byte, because no tokenizer
makes more of them; each call is sent as often as a call may be tried, to the dearest of the models that may be asked;
each answer uses all tools that it may, is continued once, and is asked for its form once more. At least is used what is
used where all agree at once, or where nobody says anything, if that is less.

Assumed is that no answer is longer than its limit, that a model counts the words of others at most ``REREAD`` times as
long as who wrote them, and that nobody joins in from outside. Embeddings, the descriptions of an MCP server's tools and
what is asked again after a crash are left out.
"""

from collections.abc import Mapping, Sequence
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
from folkmoot.app.plan.simulation import MARK, WORD, Simulation, expected_words
from folkmoot.app.plan.toolbox import searched_documents, specs_of
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask
from folkmoot.core.brief import BUILTIN, HUMAN, Brief, Limits, Participant
from folkmoot.core.unread import Unread
from folkmoot.models.base import Message, Model, Request
from folkmoot.models.layers import RetrySettings
from folkmoot.models.prices import MARGIN, MAX_TOKENS, TOOLS_OVERHEAD, answer_cap, count_most, count_tokens
from folkmoot.phases.base import Phase
from folkmoot.protocols.spec import naming_packages

TOKENS = 4 / 3
"""Tokens of an English word, with the blank behind it."""

FOUND: Mapping[str, int] = {"search": 350, "rag": 450, "summarizer": 200, "scorer": 20}
"""Words of the usual result of a tool: five hits of a search engine, four extracts of a document, a summary, marks."""

UNKNOWN = 300
"""Words of the result of a tool that is not in the table."""

CALL = 15
"""Words in which a model asks for a tool: its name, and what to look for."""

OFFER = 250
"""Tokens in which a model is told how to ask for tools: 100 to 200 in the templates of open models, else up to 500."""

PREPARING, PREPARED = 150, 40
"""Tokens by which a question of a search is longer than that for the answer itself, and those of its answer."""

NEAR = 32
"""How many earlier prompts to the same model are looked at for a common beginning."""

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

ASKING = frozenset({"summarizer", "scorer"})
"""Built-in tools that put a question to the participant's own model."""


class Totals(NamedTuple):
    """What a debate uses: questions, calls sent, tokens, and US dollars, None where a price is unknown."""

    asks: int = 0
    calls: int = 0
    tokens: int = 0
    cost: float | None = 0.0


NOTHING = Totals()


def sum_of_totals(parts: Sequence[Totals]) -> Totals:
    """What several use together; its cost is unknown where one is."""
    costs = [part.cost for part in parts if part.cost is not None]
    return Totals(
        sum(part.asks for part in parts),
        sum(part.calls for part in parts),
        sum(part.tokens for part in parts),
        sum(costs) if len(costs) == len(parts) else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The least and the most that a debate can use.

    Attributes:
        least: what it uses at least, if all models can be reached.
        most: what it uses at most, and never more than its limits.
        answer: the most tokens of an answer, as assumed; 0 where no model is asked.
    """

    least: Totals = NOTHING
    most: Totals = NOTHING
    answer: int = 0

    @classmethod
    def sum(cls, parts: Sequence["Bounds"]) -> "Bounds":
        """The bounds of several debates together."""
        return cls(
            least=sum_of_totals([part.least for part in parts]),
            most=sum_of_totals([part.most for part in parts]),
            answer=max((part.answer for part in parts), default=0),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """The largest prompt to a model, and the same with as little of the log as there can be, beside what it holds."""

    holds: int
    largest: int = 0
    least: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The usage of one simulated run.

    Attributes:
        asks: questions put.
        calls: model calls, without repairs and retries; with tools or a search one an answer in the least play, and the
            most there can be in the other.
        tokens: tokens in and out where each answer takes all it may: prompts by an upper estimate, output at its limit.
        expected: tokens in and out that are likely.
        cost: US dollars of ``tokens``; None where a price is unknown.
        unpriced: the models whose price is unknown.
        repeated: the share of the input, 0 to 1, that repeats the beginning of an earlier prompt to the same model;
            providers with a prompt cache charge less for it.
        phases: the paths of the phases, in order.
        asked: the names of those who are asked anything.
        acts: what they are asked for.
        rounds: how often somebody is asked; those who are asked at the same time count once.
        hurried: how many at most speak at the same time who need not all be waited for, where there is a quorum.
        fits: by model whose context is known, whether its largest prompt fits.
    """

    asks: int = 0
    calls: int = 0
    tokens: int = 0
    expected: int = 0
    cost: float | None = 0.0
    unpriced: tuple[str, ...] = ()
    repeated: float = 0.0
    phases: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    acts: tuple[str, ...] = ()
    rounds: int = 0
    hurried: int = 0
    fits: Mapping[str, Fit] = field(default_factory=dict[str, Fit])


@dataclass(frozen=True, slots=True, kw_only=True)
class Costing:
    """The estimate of a debate: if all agree at once, and if nobody ever agrees; and bounds that hold always."""

    least: Estimate
    most: Estimate
    bounds: Bounds = Bounds()

    @property
    def expected(self) -> int:
        """The tokens to expect: the mean of what is likely either way, never more than the most."""
        return min(round((self.least.expected + self.most.expected) / 2), self.most.tokens)

    @property
    def expected_tokens(self) -> tuple[int, int]:
        """What is likely either way, the smaller number first: to agree at once can take more words than to go on."""
        low, high = sorted(min(play.expected, self.most.tokens) for play in (self.least, self.most))
        return low, high

    @property
    def expected_cost(self) -> float | None:
        """What those tokens cost, in US dollars, at the mean price of a token; None where a price is unknown."""
        most = self.most
        return None if most.cost is None else most.cost * min(self.expected / max(most.tokens, 1), 1.0)

    @property
    def expected_total(self) -> Totals:
        """What to expect, and no more than the bound."""
        usual = self.usual_total
        tokens, cost = min(self.expected, usual.tokens), _least_known(self.expected_cost, usual.cost)
        return usual._replace(tokens=tokens, cost=cost)

    @property
    def usual_total(self) -> Totals:
        """What is used at most where no answer is repeated or needs a repair, and no more than the bound."""
        usual, bound = self.most, self.bounds.most
        cost = _least_known(usual.cost, bound.cost)
        return Totals(bound.asks, min(usual.calls, bound.calls), min(usual.tokens, bound.tokens), cost)

    def as_data(self) -> dict[str, object]:
        """The figures as plain data: what is used at least, what to expect, what is usual and what is the most."""
        least, bound, usual, likely = self.bounds.least, self.bounds.most, self.usual_total, self.expected_total
        low, high = self.expected_tokens
        tokens = {"least": least.tokens, "expected": likely.tokens, "usual": usual.tokens, "most": bound.tokens}
        return {
            "asks": {"least": least.asks, "most": bound.asks},
            "calls": {"least": least.calls, "usual": usual.calls, "most": bound.calls},
            "tokens": tokens,
            "expected_tokens": {"least": min(low, usual.tokens), "most": min(high, usual.tokens)},
            "cost": {"least": least.cost, "expected": likely.cost, "usual": usual.cost, "most": bound.cost},
            "longest_answer": self.bounds.answer,
            "unpriced": list(self.most.unpriced),
        }


def _least_known(left: float | None, right: float | None) -> float | None:
    return None if left is None or right is None else min(left, right)


def calls_for(participant: Participant, ask: Ask) -> int:
    """The most model calls for an answer: offers of tools, the search, and the answer.

    Tools that ask the participant's own model do so once in each use.
    """
    count = 1
    if participant.tools and ask.act not in UNAIDED:
        count += ROUNDS + (USES if ASKING.intersection(participant.tools) else 0)
    return count + (most_calls(participant.search) - 1 if participant.search and ask.act in SOUGHT else 0)


@naming_packages()
def estimate(
    brief: Brief, protocol: Phase, models: Mapping[str, Model], stand_ins: Mapping[str, Model] | None = None
) -> Costing:
    """Play the protocol with made-up answers, and add up what its questions take.

    Args:
        brief: the brief with agents assigned.
        protocol: the phase tree.
        models: the models by participant; who has none costs nothing.
        stand_ins: the models that answer for people whose time is up, which only the most includes.
    """
    ceiling = _Ceiling(brief, {**models, **(stand_ins or {})})
    play = Simulation(brief, protocol, agree=False)
    arguing, calls = _Usage(models, play), list[list[_Calls]]()
    for ask, seen, whole in play.play():
        able = [person for person in play.peers(seen.me) if person.name in models]
        arguing.add(ask, seen, calls_for(seen.me, ask), max((calls_for(person, ask) for person in able), default=0))
        calls.append(ceiling.calls(play.peers(whole.me), ask, whole))
    most = _within_limits(brief.limits, [ceiling.priced(one) for one in calls])

    play = Simulation(brief, protocol, agree=True)
    agreeing, floor = _Usage(models, play), list[Totals]()
    for ask, seen, _ in play.play():
        agreeing.add(ask, seen, 1, int(ask.to in models))
        floor.append(ceiling.at_least(models, ask, seen))
    floors = [most, sum_of_totals(floor)]
    # Built-in agents always answer; all others may say nothing at all.
    if silent := [person.name for person in brief.participants if not person.seat.startswith(BUILTIN)]:
        asked = Simulation(brief, protocol, agree=True, silent=silent).play()
        floors.append(sum_of_totals([ceiling.at_least(models, ask, seen) for ask, seen, _ in asked]))
    costs = [play.cost for play in floors if play.cost is not None]
    least = Totals(
        min(play.asks for play in floors),
        min(play.calls for play in floors),
        min(play.tokens for play in floors),
        min(costs) if len(costs) == len(floors) else None,
    )
    bounds = Bounds(least=least, most=most, answer=ceiling.answer)
    return Costing(least=agreeing.total(), most=arguing.total(), bounds=bounds)


@dataclass(slots=True)
class _Usage:
    """What the calls of one simulated run take, as is likely and as is usual at most."""

    models: Mapping[str, Model]
    play: Simulation
    unpriced: dict[str, None] = field(default_factory=dict[str, None])
    sent: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    calls: int = 0
    tokens: int = 0
    expected: int = 0
    cost: float | None = 0.0
    letters: int = 0
    repeated: int = 0
    fits: dict[str, Fit] = field(default_factory=dict[str, Fit])

    def add(self, ask: Ask, context: Context, times: int, calls: int) -> None:
        """Add an ask that is answered by ``times`` calls of its participant, and by at most ``calls`` of anybody."""
        model, me = self.models.get(ask.to), context.me
        self.calls += calls
        if model is None:
            return
        aided = bool(me.tools) and ask.act not in UNAIDED
        messages = compose(ask, context, model.traits)
        # With tools the calls are sent live, also where others go into a batch.
        quote = model.quote(Request(messages=messages, settings=me.settings, call="tools" if aided else "answer"))
        self.tokens += quote.tokens * times
        self.cost = None if self.cost is None or quote.cost is None else self.cost + quote.cost * times
        if quote.cost is None:
            self.unpriced[quote.model] = None
        prompt = count_tokens(messages, (), model.name) / MARGIN
        output = min(answer_cap(me.settings), round(expected_words(ask, context) * TOKENS))
        self.expected += round(prompt + output)
        if me.search and ask.act in SOUGHT:
            self.expected += round((most_calls(me.search) - 1) * (prompt + PREPARING + PREPARED))
        if aided and model.traits.tools:
            self.expected += round(_look_up(me, context.brief, messages, model.name))
        if model.traits.context:
            self._measure(ask, context, model, round(prompt))
        text = "\0".join(message.text for message in messages)
        earlier = self.sent.setdefault(model.name, [])
        self.letters += len(text)
        self.repeated += max((_common_prefix(text, other) for other in earlier[-NEAR:]), default=0)
        earlier.append(text)

    def _measure(self, ask: Ask, context: Context, model: Model, prompt: int) -> None:
        """Note a prompt that may not fit, and what is left of it without the log."""
        fit = self.fits.get(model.name, Fit(holds=model.traits.context))
        if prompt > fit.largest:
            last = context if context.view.whole else replace(context, turns=context.turns[-1:])
            bare = round(count_tokens(compose(ask, last, model.traits), (), model.name) / MARGIN)
            self.fits[model.name] = replace(fit, largest=prompt, least=max(fit.least, bare))

    def total(self) -> Estimate:
        """The estimate of the run."""
        turns = self.play.transcript.all()
        return Estimate(
            asks=len(turns),
            calls=self.calls,
            tokens=self.tokens,
            expected=self.expected,
            cost=self.cost,
            unpriced=tuple(self.unpriced),
            repeated=self.repeated / self.letters if self.letters else 0.0,
            phases=tuple(self.play.transcript.entered),
            asked=tuple(dict.fromkeys(turn.by for turn in turns)),
            acts=tuple(dict.fromkeys(turn.act for turn in turns)),
            rounds=self.play.batches,
            hurried=self.play.hurried,
            fits=self.fits,
        )


def _look_up(me: Participant, brief: Brief, messages: Sequence[Message], model: str) -> float:
    """The tokens that one use of a tool adds to an answer: the request for it, and its result with all before it.

    Which tool it is nobody knows, so each counts for its share.
    """
    specs = specs_of(me.tools)
    offered = (count_tokens(messages, specs, model) - (TOOLS_OVERHEAD if specs else 0)) / MARGIN + OFFER
    documents = sum(len(source.text.split()) for source in searched_documents(brief))  # short ones are returned whole
    results = [min(FOUND["rag"], documents) if name == "rag" else FOUND.get(name, UNKNOWN) for name in me.tools]
    # A tool that asks the model itself sends it about the same log once more.
    asking = len(ASKING.intersection(me.tools)) * offered
    return offered + OFFER + (2 * CALL * TOKENS) + (sum(results) * TOKENS + asking) / len(results)


def _common_prefix(one: str, other: str) -> int:
    """The number of characters that two texts share at the beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one.startswith(other[:middle]):
            low = middle
        else:
            high = middle - 1
    return low


class _Calls(NamedTuple):
    """The calls for an answer: by whom, how many, and the most tokens of their prompts."""

    by: str
    number: int
    prompt: int


class _Ceiling:
    """What asks take at most and at least, whatever is answered."""

    def __init__(self, brief: Brief, models: Mapping[str, Model]) -> None:
        self._brief, self._models = brief, models
        self.answer = max((answer_cap(brief.participant(name).settings) for name in models), default=0)
        self._longest = max(self.answer, MAX_TOKENS)
        self._greatest = 1  # the tokens of the longest prompt of the debate
        self._rates: dict[str, tuple[float, float] | None] = {}

    def calls(self, people: Sequence[Participant], ask: Ask, context: Context) -> list[_Calls]:
        """The calls of each participant that may be asked this."""
        calls = [self._calls(person, ask, context) for person in people if person.name in self._models]
        self._greatest = max((self._greatest, *(one.prompt for one in calls)))
        return calls

    def _calls(self, person: Participant, ask: Ask, context: Context) -> _Calls:
        """All calls for an answer, each with a prompt that holds all there can be in one."""
        model = self._models[person.name]
        if person.seat == HUMAN:
            person = replace(person, tools=(), search=None)  # who stands in for a person has neither
        count, more = 1, 2 * REREAD * self._longest
        if ask.form:
            count += 3  # to go on with what was cut off, to repair it, and that in words where a schema is refused
            unread = tuple(Unread(item.name, "missing") for item in ask.form.fields)
            more += FAULT * (2 + len(unread)) + _size(repair_question(ask.form, Reading(text="", unread=unread)))
            more += _size(form_instructions(json_form(ask.form))) + _size(schema_of(json_form(ask.form)))
        specs = ()
        if person.tools and ask.act not in UNAIDED:
            # A tool of another package may ask the model too.
            count += ROUNDS + (USES if any(tool not in ("search", "rag") for tool in person.tools) else 0)
            more += RESULTS + ROUNDS * CALLED * self._longest
            specs = specs_of(person.tools)
        if person.search and ask.act in SOUGHT:
            count += most_calls(person.search) - 1
            more += (person.search.depth + 1 + REPLIES) * (BYTES * LONGEST_REPLY + FAULT) + FORM
            more += 2 * (_size(ask.task) + ask.task.count(MARK) * REREAD * self._longest)
        messages = compose(ask, context, model.traits)
        marks = sum(message.text.count(MARK) for message in messages)
        messages = tuple(replace(message, text=message.text.replace(WORD, "")) for message in messages)
        own = max(_size(f"{other.role}{other.persona}") for other in self._brief.participants)
        prompt = count_most(messages, specs) + marks * REREAD * self._longest + own + FORM
        prompt += more + FRAME * (len(context.turns) + len(context.about))
        prompt = min(prompt, model.traits.context) if model.traits.context else prompt
        return _Calls(person.name, count * TRIES * (1 + len(person.fallback)), prompt)

    def priced(self, calls: Sequence[_Calls]) -> Totals:
        """What one ask takes at most, whoever of several is asked it."""
        totals: list[Totals] = []
        for name, count, prompt in calls:
            output, rates = answer_cap(self._brief.participant(name).settings), self._price(name)
            cost = None if rates is None else count * (rates[0] * prompt + rates[1])
            totals.append(Totals(calls=count, tokens=count * (prompt + output), cost=cost))
        costs = [total.cost for total in totals if total.cost is not None]
        return Totals(
            asks=1,
            calls=max((total.calls for total in totals), default=0),
            tokens=max((total.tokens for total in totals), default=0),
            cost=max(costs, default=0.0) if len(costs) == len(totals) else None,
        )

    def at_least(self, models: Mapping[str, Model], ask: Ask, context: Context) -> Totals:
        """What one ask takes at least: one call, whose prompt may be read from a cache; earlier answers may be empty."""
        model = models.get(ask.to)
        if model is None:
            return Totals(asks=1)
        texts = [message.text for message in compose(ask, context, model.traits)]
        tokens = sum(len(text.replace(MARK, "").replace(WORD, "")) for text in texts) // LEAN
        rates = self._price(ask.to)
        return Totals(1, 1, tokens, None if rates is None else rates[0] * tokens / CACHED)

    def _price(self, name: str) -> tuple[float, float] | None:
        """The most US dollars for a token of a prompt, and for the longest answer; None for an unknown price."""
        if name not in self._rates:
            model, settings = self._models[name], self._brief.participant(name).settings
            # Long prompts may have a higher price, so the price is that of the longest of the debate.
            size, cap = min(self._greatest, LONG), answer_cap(settings)
            message, costs = Message(role="user", text="x" * size), list[float]()
            for tokens in (1, cap):
                capped = replace(settings, max_tokens=tokens)
                quote = model.quote(Request(messages=(message,), settings=capped, call="any"))
                costs += [] if quote.cost is None else [max(quote.cost, quote.worst_cost or 0.0)]
            answer = (costs[-1] - costs[0]) * cap / max(cap - 1, 1) if costs else 0.0
            self._rates[name] = (costs[0] / size, answer) if len(costs) == 2 else None
        return self._rates[name]


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _within_limits(limits: Limits, asks: Sequence[Totals]) -> Totals:
    """What these asks take together, as far as the limits allow them; of too many the dearest count."""
    count = len(asks) if limits.asks is None else min(limits.asks, len(asks))
    costs = sorted(one.cost for one in asks if one.cost is not None)
    cost = sum(costs[-count:]) if len(costs) == len(asks) else None
    tokens = sum(sorted(one.tokens for one in asks)[-count:])
    return Totals(
        asks=count,
        calls=sum(sorted(one.calls for one in asks)[-count:]),
        tokens=tokens if limits.tokens is None else min(tokens, limits.tokens),
        cost=cost if cost is None or limits.cost is None else min(cost, limits.cost),
    )
