"""No prompt ever holds a turn that its reader may not see: canaries in every reply, over everything there is.

What a reader may not see is worked out here from the record alone: who was asked, for whose eyes, and the masks of
the brief. Whoever sums up quotes all that it was shown, so that nothing can reach a reader through a summary either.
"""

import asyncio
import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.agents.prompt import compose
from folkmoot.core.agent import Context, Recorder
from folkmoot.core.ask import Ask, Field, Form, Reply, Value
from folkmoot.core.brief import Brief, Participant, View
from folkmoot.core.errors import ProtocolError
from folkmoot.core.event import Asked, Opened, Replied
from folkmoot.core.transcript import SUMMARY
from folkmoot.engine.driver import debate
from folkmoot.models.base import Traits
from folkmoot.phases.base import Phase, Play, State
from folkmoot.phases.base import Sequence as InOrder
from folkmoot.phases.choices import Choices, Extras, Mediation, MediatorKind, When
from folkmoot.phases.speak import Everyone, Floor
from folkmoot.protocols.known import KNOWN, build
from folkmoot.record.ledger import Ledger
from folkmoot.record.store import read
from folkmoot.testing.store_checks import InMemoryStore
from tests.kits.thoroughness import some

CANARY = re.compile(r"canary[0-9a-f]{12}")
KINDS: tuple[MediatorKind, ...] = ("silent", "active", "judge", "consensus", "reflector", "toolagent")
TIMES: tuple[When, ...] = ("every_round", "midpoint", "final")
NAMES = ("Ann", "Bob", "Cy", "Dan")
ALL = Extras(
    live_scoring=True,
    anonymous_scoring=True,
    reasoned_evaluation=True,
    revision=True,
    self_reflection=True,
    evolution=True,
    interruptions=True,
)


def canary(key: str) -> str:
    return f"canary{hashlib.sha256(key.encode()).hexdigest()[:12]}"


@dataclass(slots=True)
class Bird:
    """A seat with a canary in all its words; it keeps every prompt, whole. Its choices are drawn from the ask's key."""

    prompts: dict[str, str] = field(default_factory=dict[str, str])
    repeating: tuple[str, ...] = (SUMMARY,)

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        prompt = "\n".join(message.text for message in compose(ask, context, Traits()))
        self.prompts[ask.key] = prompt
        # Who sums up, and who moderates, may repeat all that it was shown.
        repeats = ask.act in self.repeating or context.me.duty == "moderator"
        canaries = CANARY.findall(prompt) if repeats else []
        words = " ".join((canary(ask.key), *canaries))
        fields = (
            {form_field.name: self._value(form_field, ask, words) for form_field in ask.form.fields} if ask.form else {}
        )
        return Reply(text=words, fields=fields)

    def _value(self, field: Field, ask: Ask, words: str) -> Value:
        n = hashlib.sha256(f"{ask.key} {field.name}".encode()).digest()[0]
        match field.kind:
            case "choice":
                return field.choices[n % len(field.choices)]
            case "number":
                return n % 10 if field.high is None or field.high > 1 else n % 10 / 10
            case "flag":
                return n % 2 == 0
            case "list":
                return (words,)
            case "text":
                return words


async def hold(brief: Brief, tree: Phase, bird: Bird | None = None) -> tuple[list[Ask], Bird, set[str]]:
    """The asks of a debate, the bird that answered them, and the keys that were answered."""
    store, bird = InMemoryStore(), bird or Bird()
    ledger = Ledger(store, "d", clock=lambda: 0.0)
    await ledger.open()
    opened = Opened(brief=brief, protocol={}, name="test")
    await debate(
        opened, tree, dict.fromkeys([participant.name for participant in brief.participants], bird), ledger=ledger
    )
    events = [entry.event for entry in read(await store.read("d"))]
    answered = {event.key for event in events if isinstance(event, Replied)}
    return [event.ask for event in events if isinstance(event, Asked)], bird, answered


def must_not_see(reader: Participant, ask: Ask, asks: Sequence[Ask]) -> bool:
    """Whether the answer to an ask is hidden from a reader: not meant for it, or masked.

    A summary that is meant for others is a secret only where something that it sums up is one.
    """
    if ask.to == reader.name:
        return False
    if ask.audience and reader.name not in ask.audience:
        sources = [other for other in asks if other.key in ask.about]
        if ask.act != SUMMARY or any(must_not_see(reader, other, asks) for other in sources):
            return True
    rounds = re.findall(r"/round-(\d+)", ask.key)
    for mask in reader.hide:
        match_ = re.fullmatch(r"(?:(.+) )?round (\d+)", mask)
        if match_ is None:
            if mask in (ask.to, ask.act):
                return True
        elif match_[1] in (None, ask.to, ask.act) and rounds[-1:] == [match_[2]]:
            return True
    return False


def leaks(brief: Brief, asks: Sequence[Ask], bird: Bird) -> list[str]:
    """Every place where a prompt holds words that its reader must not see."""
    return [
        f"{ask.key}: {ask.to} reads {other.to}'s {other.key}"
        for ask in asks
        for other in asks
        if canary(other.key) in bird.prompts[ask.key] and must_not_see(brief.participant(ask.to), other, asks)
    ]


def table(hide: Sequence[tuple[str, ...]], views: Sequence[View | None], debaters: Sequence[str] = NAMES) -> Brief:
    names = (*debaters, "Chair")
    people = [
        Participant(name=name, hide=masks, view=view) for name, masks, view in zip(names, hide, views, strict=True)
    ]
    people[0] = replace(people[0], language="German")
    people[-1] = replace(people[-1], duty="moderator")
    return Brief(topic="Tea or coffee?", participants=tuple(people), seed=5)


MASKED = (("Bob", "argue round 2"), ("round 1",), ("Ann round 1", "Dan round 2"), ("critique", "draft"), ())
VIEWS = (None, View(summary=True), View(mine=True, last=4), View(summary_only=True), None)


@pytest.mark.parametrize(("name", "kind"), some(product(KNOWN, (None, *KINDS)), 5))
async def test_no_prompt_holds_what_its_reader_may_not_see(name: str, kind: MediatorKind | None) -> None:
    mediation = Mediation(kind=kind) if kind else None
    # A text for all cannot be drawn from what is hidden from some: that is refused.
    brief = table(((),) * 5 if kind == "consensus" else MASKED, VIEWS)
    choices = Choices(rounds=2, summarize=1, mediation=mediation, extras=ALL)
    if name in ("board", "findings") and kind:
        with pytest.raises(ProtocolError, match="leave out mediator_type"):
            build(name, brief, choices)
        return
    asks, bird, answered = await hold(brief, build(name, brief, choices))
    assert leaks(brief, asks, bird) == []
    assert answered == {ask.key for ask in asks}, "an answer was lost, so that nothing is proved"
    hidden = [ask for ask in asks for participant in brief.participants if must_not_see(participant, ask, asks)]
    # Those who review a document alone read no words of others, so their debate is short.
    least = len(asks) / 2 if name == "findings" else len(asks)
    assert kind == "consensus" or len(hidden) > least, "nearly nothing was hidden from anybody"


MASKS = st.lists(
    st.sampled_from([
        *NAMES, "Chair", "open", "draft", "propose", "argue", "revise", "critique", "answer", "guide", "summarize",
        "round 1", "round 2", *(f"{who} round {n}" for who in (*NAMES, "argue", "revise", "summarize") for n in (1, 2)),
    ]),
    max_size=3, unique=True,
).map(tuple)  # fmt: skip
SEEN = st.sampled_from((
    None, View(last=0), View(last=2), View(summary=True), View(summary_only=True), View(mine=True), View(own=True),
    View(anonymous=True), View(hide=("Ann",)),
))  # fmt: skip
EXTRAS = st.builds(Extras, **dict.fromkeys(Extras.__dataclass_fields__, st.booleans()))
MEDIATIONS = st.none() | st.builds(Mediation, kind=st.sampled_from(KINDS), when=st.sampled_from(TIMES))


@given(
    name=st.sampled_from(sorted(KNOWN)),
    hide=st.tuples(MASKS, MASKS, MASKS, MASKS, MASKS),
    views=st.tuples(SEEN, SEEN, SEEN, SEEN, SEEN),
    choices=st.builds(
        Choices, rounds=st.integers(1, 2), summarize=st.integers(0, 2), mediation=MEDIATIONS, extras=EXTRAS
    ),
)
def test_whatever_is_masked_and_chosen_nothing_leaks(
    name: str, hide: Sequence[tuple[str, ...]], views: Sequence[View | None], choices: Choices
) -> None:
    brief = table(hide, views)
    if choices.mediation and choices.mediation.kind == "consensus" and any(hide):
        with pytest.raises(ProtocolError, match="a text for all cannot be drawn from turns that are hidden from"):
            build(name, brief, choices)
        return
    if name in ("board", "findings") and choices.mediation:
        with pytest.raises(ProtocolError, match="leave out mediator_type"):
            build(name, brief, choices)
        return
    asks, bird, _ = asyncio.run(hold(brief, build(name, brief, choices)))
    assert leaks(brief, asks, bird) == []


# ---- groups --------------------------------------------------------------------------------------------------------

MANY = (*NAMES, "Eve", "Fay", "Gil")


@given(
    hide=st.tuples(*[MASKS] * 8),
    views=st.tuples(*[SEEN] * 8),
    choices=st.builds(
        Choices, rounds=st.integers(0, 3), summarize=st.integers(0, 2), mediation=MEDIATIONS, extras=EXTRAS
    ),
)
def test_no_prompt_holds_what_another_group_says(
    hide: Sequence[tuple[str, ...]], views: Sequence[View | None], choices: Choices
) -> None:
    consensus = choices.mediation is not None and choices.mediation.kind == "consensus"
    brief = table(((),) * 8 if consensus else hide, views, MANY)
    asks, bird, _ = asyncio.run(hold(brief, build("grouped", brief, choices)))
    assert leaks(brief, asks, bird) == []
    assert len({ask.audience for ask in asks if ask.act == "draft"}) == 2


async def test_a_report_alone_goes_across_and_only_to_those_who_may_read_it() -> None:
    hide: dict[str, tuple[str, ...]] = dict.fromkeys(MANY, ()) | {"Ann": ("Bob", "Eve"), "Fay": ("Ann",)}
    brief = table([*hide.values(), ("Gil",)], (None,) * 8, MANY)
    telling = Bird(repeating=(SUMMARY, "report"))  # whoever reports may repeat all that it was shown
    asks, bird, _ = await hold(brief, build("grouped", brief, Choices(rounds=2)), telling)
    texts = leaks(brief, asks, bird)
    assert texts, "nothing went across"
    late = ("/debate/reconsider#", "/debate/vote#")
    assert [leak for leak in texts if not leak.startswith(late)] == []
    masked = [f": {who} reads {other}'s " for who, names in hide.items() for other in names]
    masked.append(": Chair reads Gil's ")
    assert [leak for leak in texts if any(mask in leak for mask in masked)] == []


# ---- the test itself -----------------------------------------------------------------------------------------------

SAY = Everyone(act="argue", task="Argue.")
PRIVATE = Everyone(act="draft", task="Draft.", private=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gossip:
    """A phase that tells everybody what somebody said, in one way or another."""

    tell: Callable[[State, str], Ask]
    name: str = "gossip"

    def play(self, state: State) -> Play:
        yield [self.tell(state, name) for name in NAMES]


def in_the_task(table: State, name: str) -> Ask:
    text = table.transcript.turns(by="Ann")[-1].text
    return Ask(key=f"{table.path}#{name}", to=name, act="argue", task=f"Ann said: {text}")


def in_a_choice(table: State, name: str) -> Ask:
    words = table.transcript.turns(by="Ann")[-1].text
    form = Form(name="x", fields=(Field(name="X", kind="choice", choices=(words,)),))
    return Ask(key=f"{table.path}#{name}", to=name, act="argue", task="Choose.", form=form)


LEAKING = [
    InOrder(parts=(SAY, Gossip(tell=in_the_task))),
    InOrder(parts=(PRIVATE, Gossip(tell=in_a_choice))),
    # The moderator sums up what it sees, for those who may not see it.
    InOrder(parts=(SAY, Floor(act=SUMMARY, task="Sum up.", who=("Chair",)), SAY)),
]


@pytest.mark.parametrize("tree", LEAKING)
async def test_a_phase_that_leaks_is_caught(tree: Phase) -> None:
    brief = table(((), ("Ann",), (), (), ()), (None,) * 5)
    asks, bird, _ = await hold(brief, tree)
    assert any(": Bob reads Ann's " in leak for leak in leaks(brief, asks, bird))


async def test_a_moderator_with_a_summary_of_its_own_still_speaks_to_all() -> None:
    # The moderator reads less than others, so it gets a summary of its own. All may see what that sums up.
    brief = table((("interject",), (), (), (), ()), (None, None, None, View(summary_only=True), View(hide=("Ann",))))
    choices = Choices(rounds=1, summarize=0, mediation=Mediation(kind="active", when="every_round"))
    asks, _, _ = await hold(brief, build("arena", brief, choices))
    assert [ask.audience for ask in asks if ask.act == SUMMARY and ask.to == "Chair"] != []
    assert [ask.audience for ask in asks if ask.act == "guide"] == [()]
