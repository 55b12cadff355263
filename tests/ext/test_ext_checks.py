"""The checks of rules, phases and providers: ours and the examples pass, and each fault is found."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module

import pytest

from folkmoot.core.brief import Brief, Participant
from folkmoot.core.decision import Ballot, Decision
from folkmoot.core.errors import ProtocolError
from folkmoot.phases.base import Play, Rounds, State
from folkmoot.phases.choices import COUNTING, Choices, CountingRule, counting_rule
from folkmoot.phases.speak import Everyone
from folkmoot.policy.rules import PLURALITY, CheckedRule, Rule, unlawful
from folkmoot.protocols.known import KNOWN, build
from folkmoot.testing.extension_checks import check_phase, check_rule, elections
from tests.ext.ext_kit import Install

PEOPLE = tuple(Participant(name=name) for name in ("Ann", "Bob", "Cem"))
BRIEF = Brief(topic="Tea?", participants=(*PEOPLE, Participant(name="Chair", duty="moderator")), seed=3)


@pytest.mark.parametrize("name", COUNTING)
def test_every_rule_of_ours_passes(name: str) -> None:
    check_rule(COUNTING[name])


def test_the_rule_of_the_example_passes_with_all_its_options(install: Install) -> None:
    install("folkmoot_star")
    check_rule(import_module("folkmoot_star").star)
    rule = counting_rule("star", {"finalists": 4})
    assert rule is not None
    check_rule(rule)


@dataclass(frozen=True, slots=True, kw_only=True)
class Odd:
    """Plurality with a fault."""

    fault: str
    name: str = "plurality"

    def decide(self, ballots: Sequence[Ballot], candidates: Sequence[str]) -> Decision:
        """Decide wrongly."""
        decision = PLURALITY.decide(ballots, candidates)
        won = decision.status == "decided"
        match self.fault:
            case "loser":
                others = [name for name in candidates if name != decision.winner]
                return replace(decision, winner=others[-1]) if won and others else decision
            case "nobody":
                return replace(decision, winner="") if won else decision
            case "tally":
                return replace(decision, tally={})
            case "ballots":
                return replace(decision, ballots=())
            case "infinite":
                return replace(decision, tally=dict.fromkeys(candidates, float("nan")))
            case "share":
                return replace(decision, share=1.5)
            case "tie":
                return replace(decision, status="tie", winner="") if won else decision
            case "both":
                return replace(decision, winner=candidates[0]) if decision.status == "tie" else decision
            case "name":
                return replace(decision, rule="another")
            case "first":
                tie = decision.status == "tie"
                tops = [name for name, count in decision.tally.items() if count == max(decision.tally.values())]
                return replace(decision, status="decided", winner=tops[0]) if tie else decision
            case "voter":
                tie = decision.status == "tie" and ballots[0].state == "cast"
                best = max(decision.tally.values())
                tie = tie and decision.tally[ballots[0].choice] == best
                return replace(decision, status="decided", winner=ballots[0].choice) if tie else decision
            case "silence":
                return replace(decision, status="decided", winner=candidates[0]) if not ballots else decision
            case _:
                tie = decision.status == "tie"
                best = [name for name, count in decision.tally.items() if count == max(decision.tally.values())]
                return replace(decision, status="decided", winner=min(best)) if tie else decision


FAULTS = [
    ("loser", "breaks the law of the tally: .* wins with .* in the tally, and"),
    ("nobody", "breaks the law of the tally: nobody wins with"),
    ("tally", "its tally is of nobody, not of the candidates Ann, Bob"),
    ("ballots", "it does not keep the ballots as they were cast"),
    ("infinite", "Ann has no finite number in the tally"),
    ("share", "its share is 1.5, which is not from 0 to 1"),
    ("tie", "it is a tie, and nobody shares the first place"),
    ("both", "Ann is the winner of what is tie"),
    ("name", "its decision is called 'another', the rule 'plurality'"),
    ("first", "with the candidates in another order it is"),
    ("voter", "with the voters in another order it is"),
    ("silence", "somebody wins, and nobody has voted"),
    ("alphabet", "with other names the result is another one"),
]


@pytest.mark.parametrize(("fault", "sentence"), FAULTS)
def test_each_fault_of_a_rule_is_found(fault: str, sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_rule(Odd(fault=fault))


def test_a_rule_must_be_a_frozen_dataclass_and_always_decide_alike() -> None:
    class Loose:
        name = "loose"
        decide = PLURALITY.decide

    with pytest.raises(AssertionError, match="a rule is a dataclass"):
        check_rule(Loose())

    @dataclass
    class Melting:
        name: str = "plurality"
        decide = PLURALITY.decide

    with pytest.raises(AssertionError, match="a rule is a frozen dataclass"):
        check_rule(Melting())
    counted: list[int] = []

    @dataclass(frozen=True)
    class Moody:
        name: str = "plurality"

        def decide(self, ballots: Sequence[Ballot], candidates: Sequence[str]) -> Decision:
            counted.append(1)
            return replace(PLURALITY.decide(ballots, candidates), how=str(len(counted)))

    with pytest.raises(AssertionError, match="the same ballots gave another decision"):
        check_rule(Moody())


def test_a_rule_of_another_package_that_breaks_the_law_is_stopped_and_named() -> None:
    ballots, candidates = next(drawn for drawn in elections("choice") if len(drawn[0]) > 4 and len(drawn[1]) > 2)
    lawful: Rule = CheckedRule(rule=PLURALITY, package="folkmoot-odd")
    assert lawful.decide(ballots, candidates) == PLURALITY.decide(ballots, candidates)
    assert lawful.name == "plurality"
    odd = CheckedRule(rule=Odd(fault="tally"), package="folkmoot-odd")
    sentence = "the rule plurality of the package folkmoot-odd breaks the law of the tally: its tally is of nobody"
    with pytest.raises(ProtocolError, match=sentence) as raised:
        odd.decide(ballots, candidates)
    assert raised.value.about == "strategy"
    assert CountingRule(rule=odd).ballot == "choice"


def test_nobody_can_win_where_nobody_stands() -> None:
    decision = replace(PLURALITY.decide((), ()), status="decided", winner="Ann")
    assert unlawful(decision, (), ()) == "there is no candidate, and somebody wins"


@pytest.mark.parametrize("name", ["panel", "socratic"])
async def test_protocols_of_ours_pass(name: str) -> None:
    assert name in KNOWN
    await check_phase(build(name, BRIEF, Choices()), BRIEF)


async def test_the_phases_of_the_examples_pass(install: Install) -> None:
    install("folkmoot_six_hats")
    install("folkmoot_steelman")
    hats = Choices(protocol_options={"hats": ("red", "black")})
    await check_phase(build("six_hats", BRIEF, hats), BRIEF)
    await check_phase(build("steelman", BRIEF, Choices()), BRIEF)


PHASES = """
from dataclasses import dataclass
from folkmoot.ext import Ask, Everyone

plays = []

@dataclass(frozen=True)
class Moody:
    name: str = "moody"
    def play(self, state):
        plays.append(1)
        yield from Everyone(act="argue", task=f"For the {len(plays)}. time.").play(state)

@dataclass(frozen=True)
class Idle:
    name: str = "idle"
    def play(self, state):
        yield from ()

@dataclass(frozen=True)
class Stuck:
    name: str = "stuck"
    def play(self, state):
        keys = [state.key(n) for n in range(1, 4)]
        yield [Ask(key=key, to=name, act="argue", task="?") for key, name in zip(keys, state.brief.names("debater"))]
        assert all(state.transcript.get(key).reply for key in keys), "somebody is silent"

def steelman(brief, choices): ...
"""


async def test_each_fault_of_a_phase_is_found(install: Install) -> None:
    install("folkmoot_steelman", code=PHASES)
    module = import_module("folkmoot_steelman")
    with pytest.raises(Exception, match=r"it goes another way|made"):
        await check_phase(module.Moody(), BRIEF)
    with pytest.raises(AssertionError, match="nobody was asked anything"):
        await check_phase(module.Idle(), BRIEF)
    with pytest.raises(AssertionError, match="somebody is silent"):
        await check_phase(module.Stuck(), BRIEF)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unoffered:
    """A phase of a module that no package offers."""

    name: str = "unoffered"

    def play(self, state: State) -> Play:
        """Ask everybody."""
        yield from Everyone(act="argue", task="Speak.").play(state)


async def test_a_phase_that_cannot_be_stored_is_named() -> None:
    with pytest.raises(ProtocolError, match=r"Unoffered of .* cannot be in a protocol: no package"):
        await check_phase(Rounds(each=Unoffered(), most=1), BRIEF)
