"""Estimate what a debate costs: questions, calls, tokens and dollars, as is likely and as they usually are at most.

The real protocol runs with the real prompts; only the answers are made up (``app.plan.pretend``). Once nobody ever
agrees, which gives the greatest number of questions, and once all agree at once, which gives the least. No debate asks
more or takes more calls than that. Questions about badly filled forms and retries are not counted.

A participant with tools is taken to use one of them once in each answer, with a result of the usual size. The
descriptions of an MCP server's tools are known only when it runs, and left out.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle
from typing import NamedTuple, TypeAlias

from folkmoot.agents.context_window import likely_tokens
from folkmoot.agents.llm import UNAIDED
from folkmoot.agents.prompt import compose
from folkmoot.agents.search_tree import CANDIDATES, CLAIMS, STANDING, Question, TreeGrowth
from folkmoot.agents.tree_search import SOUGHT
from folkmoot.answers.layout import Reading
from folkmoot.app.plan.bounds import NO_BOUNDS, Bounds, Totals
from folkmoot.app.plan.pretend import (
    CALL,
    CLAIM,
    FOUND,
    MARKS,
    REPLY,
    UNKNOWN,
    WORD,
    AnswerSimulator,
    WidestPlay,
    expected_words,
    longest_form,
    shortest_form,
    stop_values,
    widest,
)
from folkmoot.app.plan.toolbox import SPECS, searched_documents
from folkmoot.core.agent import Context, Quote, context_of
from folkmoot.core.ask import Ask, Form, ToolCall, ToolSpec
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.event import Asked, Note, Replied
from folkmoot.core.roles import hurried
from folkmoot.core.transcript import Transcript
from folkmoot.models.base import Message, Model, Request, Traits
from folkmoot.models.prices import MARGIN, TOOLS_OVERHEAD, answer_cap, count_tokens
from folkmoot.phases.base import Phase, State, enter
from folkmoot.protocols.spec import naming_packages
from folkmoot.tools.condense import rating, summing

VALUES = (4.0, 7.0, 5.0, 6.0)
"""How the lines of a search are judged, in turn: none is so good that the others are looked at no more."""


class RequestSize(NamedTuple):
    """One request, and the number of words of its answer.

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


Likely: TypeAlias = Callable[[Ask, Context, Traits, int], Iterator[RequestSize]]
"""An ask, what its participant sees, what the wire takes and the words of the answer to the requests for it."""


def single_request(ask: Ask, context: Context, traits: Traits, words: int) -> Iterator[RequestSize]:
    """The request for an answer without tools or a search."""
    yield RequestSize(compose(ask, context, traits), words)


def likely_requests(ask: Ask, context: Context, traits: Traits, words: int) -> Iterator[RequestSize]:
    """The requests for an answer: those of a search, those of a look-up, and the one that is answered."""
    if context.me.search and ask.act in SOUGHT:
        growth = TreeGrowth(search=context.me.search, ask=ask, context=context)
        yield from _searching(growth, traits)
        ask = growth.prepared()
    if context.me.tools and ask.act not in UNAIDED and traits.tools:
        yield from _tool_requests(ask, context, traits, words)
    else:
        yield from single_request(ask, context, traits, words)


def _searching(growth: TreeGrowth, traits: Traits) -> Iterator[RequestSize]:
    questions, values = growth.all_questions(), cycle(VALUES)
    question: Question | None = next(questions)
    while question:
        yield RequestSize(growth.compose(question, traits), _LENGTHS[question.form])
        try:
            question = questions.send(_read(question.form, next(values)))
        except StopIteration:
            return


_LENGTHS: Mapping[Form | None, int] = {CANDIDATES: CLAIM * CLAIMS, None: REPLY, STANDING: MARKS}


def _read(form: Form | None, value: float) -> Reading:
    """A simulated answer within a search."""
    claims = tuple(f"{WORD * CLAIM}{n}" for n in range(CLAIMS))
    fields = {field.name: claims if field.kind == "list" else value for field in (form.fields if form else ())}
    return Reading(text=(WORD * REPLY).strip(), fields=fields)


def _tool_requests(ask: Ask, context: Context, traits: Traits, words: int) -> Iterator[RequestSize]:
    messages, names = compose(ask, context, traits), context.me.tools
    specs = tuple(spec for name in names for spec in SPECS.get(name, ()))
    yield RequestSize(messages, CALL, specs)
    share = 1 / len(names)
    if "summarizer" in names and context.turns:
        yield RequestSize(_as_messages(summing(context, context.turns)), FOUND["summarizer"], share=share)
    if "scorer" in names:
        yield RequestSize(_as_messages(rating(context, WORD * words)), FOUND["scorer"], share=share)
    call = ToolCall(id="1", name=names[0], arguments=WORD * CALL)
    tool_words = sum(_result_words(name, context.brief) for name in names) // len(names)
    used = (
        Message(role="assistant", text="", calls=(call,)),
        Message(role="tool", text=WORD * tool_words, answers=call.id),
    )
    yield RequestSize((*messages, *used), words, specs)


def _result_words(name: str, brief: Brief) -> int:
    """The number of words of a result; shorter documents are returned whole."""
    usual = FOUND.get(name, UNKNOWN)
    return min(usual, sum(len(source.text.split()) for source in searched_documents(brief))) if name == "rag" else usual


def _as_messages(text: str) -> tuple[Message, ...]:
    return (Message(role="user", text=text),)


NEAR = 32
"""How many earlier prompts to the same model are looked at for a common beginning."""

OFFER = 250
"""Tokens in which a model is told how to ask for tools: 100 to 200 in the templates of open models, else up to 500."""

TOKENS = 4 / 3
"""Tokens of an English word, with the blank behind it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """The largest prompt to a model, beside what the model holds.

    Attributes:
        holds: the tokens of its context.
        largest: the tokens of the largest prompt.
        least: the same with as little of the log as there can be.
    """

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
            It is no bound: prompts hold earlier answers of the usual length, and neither what tools find nor the
            questions about a form are in it.
        expected: tokens in and out that are likely: prompts as they are, answers of the usual length, with all that a
            search sends and one look-up in each answer of those with tools (``app.plan.estimate``).
        cost: US dollars of these tokens; None where a price is unknown.
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
    bounds: Bounds = NO_BOUNDS

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
        return _share_of(self.most, self.expected)

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
        return {
            "asks": {"least": least.asks, "most": bound.asks},
            "calls": {"least": least.calls, "usual": usual.calls, "most": bound.calls},
            "tokens": {
                "least": least.tokens,
                "expected": likely.tokens,
                "usual": usual.tokens,
                "most": bound.tokens,
            },
            "expected_tokens": {"least": min(low, usual.tokens), "most": min(high, usual.tokens)},
            "cost": {"least": least.cost, "expected": likely.cost, "usual": usual.cost, "most": bound.cost},
            "longest_answer": self.bounds.answer,
            "unpriced": list(self.most.unpriced),
        }


def _least_known(left: float | None, right: float | None) -> float | None:
    return None if left is None or right is None else min(left, right)


def _share_of(estimate: Estimate, tokens: int) -> float | None:
    """The cost of a part of the tokens of an estimate."""
    return None if estimate.cost is None else estimate.cost * min(tokens / max(estimate.tokens, 1), 1.0)


def one_call(participant: Participant, ask: Ask) -> int:
    """One call for one answer."""
    return 1


@naming_packages()
def estimate(
    brief: Brief,
    protocol: Phase,
    models: dict[str, Model],
    *,
    work: Callable[[Participant, Ask], int] = one_call,
    likely: Likely = single_request,
) -> Costing:
    """Run the protocol twice with simulated answers.

    Args:
        brief: the brief with agents assigned.
        protocol: the phase tree.
        models: the models by participant; who has none costs nothing.
        work: the most calls that an answer of a participant takes.
        likely: what is likely sent for it.
    """
    ends = stop_values(protocol)
    plain = WidestPlay(brief=brief)
    frugal = _Costs(models, work, likely, plain, once_each=True)
    least = _play(brief, shortest_form(protocol), frugal, AnswerSimulator(ends=ends, agree=True))
    bill = _Costs(models, work, likely, widest(brief, protocol))
    return Costing(
        least=least, most=_play(brief, longest_form(protocol), bill, AnswerSimulator(ends=ends, agree=False))
    )


def _play(brief: Brief, protocol: Phase, bill: "_Costs", pretender: AnswerSimulator) -> Estimate:
    wide = bill.wide
    transcript = Transcript(brief=wide.brief)
    shown = replace(transcript, brief=brief)  # the same turns, as they are really seen: prompts are no longer than that
    batch = most = 0
    for step in enter(protocol, State(brief=wide.brief, transcript=transcript)):
        if not isinstance(step, Sequence):
            _note(transcript, step)
            continue
        batch += 1
        most = max(most, len(hurried(step, brief)))
        step = wide.apart(step)
        for ask in step:
            transcript.apply(Asked(ask=ask))
        contexts = [context_of(brief, shown, ask) for ask in step]
        for n, (ask, context) in enumerate(zip(step, contexts, strict=True)):
            length = expected_words(ask, context)
            bill.add(ask, context, length)
            last = n + 1 == len(step)
            reply = pretender.answer(ask, transcript, place=n, batch=batch, words=length, last=last)
            transcript.apply(Replied(key=ask.key, reply=reply))
    return replace(bill.total(transcript), rounds=batch, hurried=most)


@dataclass(slots=True)
class _Costs:
    """The sum of the calls of one simulated run."""

    models: Mapping[str, Model]
    work: Callable[[Participant, Ask], int]
    likely: Likely
    wide: WidestPlay
    once_each: bool = False  # whether nobody looks anything up, so that each answer takes one call
    quotes: list[Quote] = field(default_factory=list[Quote])
    sent: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    calls: int = 0
    tokens: int = 0
    expected: int = 0
    cost: float | None = 0.0
    letters: int = 0
    repeated: int = 0
    fits: dict[str, "Fit"] = field(default_factory=dict[str, "Fit"])

    def add(self, ask: Ask, context: Context, length: int) -> None:
        """Add an ask to the costs, if a model answers it."""
        model, me = self.models.get(ask.to), context.me
        self.calls += self._calls(ask, me)
        if model is None:
            return
        # With tools the calls are sent live, also where others go into a batch.
        call = "tools" if me.tools and ask.act not in UNAIDED else "answer"
        request = Request(messages=compose(ask, context, model.traits), settings=me.settings, call=call)
        quote = model.quote(request)
        self.quotes.append(quote)
        times = 1 if self.once_each else self.work(me, ask)
        self.tokens += quote.tokens * times
        self.cost = None if self.cost is None or quote.cost is None else self.cost + quote.cost * times
        if context_tokens := model.traits.context:
            self._measure(ask, context, model, request.messages, context_tokens)
        for sent in self.likely(ask, context, model.traits, length):
            output_tokens = min(answer_cap(me.settings), round(sent.words * TOKENS))
            self.expected += round(sent.share * (_likely_tokens(sent, model.name) + output_tokens))
        self._compare(model.name, "\0".join(message.text for message in request.messages))

    def _measure(
        self, ask: Ask, context: Context, model: Model, messages: tuple[Message, ...], context_tokens: int
    ) -> None:
        """Note a prompt that may not fit, and what is left of it without the log."""
        known = self.fits.get(model.name, Fit(holds=context_tokens))
        whole = likely_tokens(messages, model.name)
        if whole > known.largest:
            last = context if context.view.whole else replace(context, turns=context.turns[-1:])
            bare = compose(ask, last, model.traits)
            least = max(known.least, likely_tokens(bare, model.name))
            self.fits[model.name] = replace(known, largest=whole, least=least)

    def _calls(self, ask: Ask, me: Participant) -> int:
        """The calls of the participant that may be asked this and uses the most."""
        able = [participant for participant in self.wide.peers(me) if participant.name in self.models]
        return 1 if able and self.once_each else max((self.work(participant, ask) for participant in able), default=0)

    def _compare(self, model: str, prompt: str) -> None:
        earlier = self.sent.setdefault(model, [])
        self.letters += len(prompt)
        self.repeated += max((_common_prefix(prompt, text) for text in earlier[-NEAR:]), default=0)
        earlier.append(prompt)

    def total(self, transcript: Transcript) -> Estimate:
        """The estimate of the run."""
        turns = transcript.all()
        return Estimate(
            asks=len(turns),
            calls=self.calls,
            tokens=self.tokens,
            expected=self.expected,
            cost=self.cost,
            unpriced=tuple(dict.fromkeys(quote.model for quote in self.quotes if quote.cost is None)),
            repeated=self.repeated / self.letters if self.letters else 0.0,
            phases=tuple(transcript.entered),
            asked=tuple(dict.fromkeys(turn.by for turn in turns)),
            acts=tuple(dict.fromkeys(turn.act for turn in turns)),
            fits=self.fits,
        )


def _likely_tokens(sent: RequestSize, model: str) -> int:
    """The likely number of tokens of a request, not the maximum."""
    input_tokens = count_tokens(sent.messages, sent.tools, model) - (TOOLS_OVERHEAD if sent.tools else 0)
    return round(input_tokens / MARGIN) + (OFFER if sent.tools else 0)


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


def _note(transcript: Transcript, note: Note) -> None:
    transcript.apply(note)
