"""The documented names of the debate phases: a detector of convergence, and a breaker for agents."""

import asyncio
import json
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.arena import CircuitBreaker, ConvergenceDetector
from folkmoot.core.errors import BriefError, ModelError, Refused, Unavailable
from folkmoot.policy.convergence import denies, swaps
from folkmoot.testing.small_web import Answer, Visit, Web, as_json

TEA = "Tea is cheap, it keeps for a year, and nobody has to clean a machine after work."


@pytest.mark.parametrize(
    ("why", "proposals", "converged", "method"),
    [
        ("the same words", (TEA, TEA), True, "words"),
        ("nearly the same words", (TEA, f"{TEA} Truly."), True, "words"),
        ("a position and its denial", ("We should buy it.", "We should not buy it."), False, "words"),
        ("a long denial", (f"{TEA} We should serve it.", f"{TEA} We shouldn't serve it."), False, "words"),
        ("one other word", (f"{TEA} Raise its price.", f"{TEA} Lower its price."), False, "words"),
        ("yes and no", (f"Yes. {TEA}", f"No. {TEA}"), False, "words"),
        ("something else", (TEA, "Coffee wakes people up."), False, "words"),
        ("one of three apart", (TEA, TEA, "Coffee wakes people up."), False, "words"),
        (
            "the same answer for other reasons",
            ("ANSWER: Tea\nIt is cheap.", "**ANSWER:** tea.\nSleep."),
            True,
            "answers",
        ),
        ("other answers in the same words", (f"ANSWER: Tea\n{TEA}", f"ANSWER: Coffee\n{TEA}"), False, "answers"),
        ("one without an answer", (f"ANSWER: Tea\n{TEA}", TEA), False, "answers"),
        ("one alone", (TEA,), False, "words"),
        ("one alone with an answer", ("ANSWER: tea",), False, "words"),
        ("nobody", (), False, "words"),
        ("nothing said", ("", ""), False, "words"),
    ],
)
def test_what_has_converged(why: str, proposals: tuple[str, ...], converged: bool, method: str) -> None:
    detector = ConvergenceDetector()
    assert detector.check_convergence({f"agent{n}": text for n, text in enumerate(proposals)}) is converged, why
    assert detector.method == method
    assert 0.0 <= detector.similarity <= 1.0


def test_opponents_who_repeat_themselves_verbatim_have_stalled() -> None:  # R9
    detector = ConvergenceDetector(threshold=0.1)
    opposed = {"a": f"We must serve tea. {TEA}", "b": f"We must never serve tea. {TEA}"}
    assert (detector.check_convergence(opposed), detector.stalled) == (False, False)
    assert (detector.check_convergence(opposed), detector.stalled) == (False, True)
    assert detector.similarity > 0.8
    assert (detector.check_convergence({"a": TEA, "b": TEA}), detector.stalled) == (True, False)
    assert (detector.check_convergence({"a": TEA, "b": TEA}), detector.stalled) == (True, False)
    assert (ConvergenceDetector().check_convergence({}), ConvergenceDetector().stalled) == (False, False)


@given(st.text(), st.text())
def test_it_is_the_same_both_ways(one: str, other: str) -> None:
    assert denies(one, other) == denies(other, one)
    assert swaps(one, other) == swaps(other, one)
    assert not denies(one, one)
    assert not swaps(one, one)


def vectors(visit: Visit) -> Answer:
    """All texts mean nearly the same to this model, but those on sleep."""
    texts = json.loads(visit.body)["input"]
    return as_json({"embeddings": [[0.0, 1.0] if "leep" in text else [1.0, 0.05 * n] for n, text in enumerate(texts)]})


PARAPHRASED = {"a": "It costs little.", "b": "The price is low."}


@pytest.mark.parametrize(
    ("proposals", "converged", "similarity"),
    [
        (PARAPHRASED, True, 0.999),
        ({**PARAPHRASED, "c": "Sleep counts."}, False, 0.35),
        ({"a": "Serve it.", "b": "Never serve it."}, False, 0.999),
        ({"a": "Serve it."}, False, 0.0),
    ],
)
async def test_a_model_that_is_served_likens_meanings(
    proposals: dict[str, str], converged: bool, similarity: float
) -> None:
    async with Web(vectors).serve() as web:
        detector = ConvergenceDetector(embeddings="ollama:e", env={"OLLAMA_HOST": web.url})
        assert await asyncio.to_thread(detector.check_convergence, proposals) is converged
    assert detector.similarity == pytest.approx(similarity, abs=0.01)
    assert detector.method == ("ollama:e" if len(proposals) > 1 else "words")


def test_without_its_model_words_are_used_and_named() -> None:
    detector = ConvergenceDetector(embeddings="ollama:e", env={"OLLAMA_HOST": "http://127.0.0.1:9"})
    assert detector.check_convergence({"a": TEA, "b": TEA})
    assert detector.method == "words"
    assert not detector.check_convergence(PARAPHRASED)


async def test_a_model_that_is_silent_holds_nobody_up() -> None:
    async with Web(vectors).serve() as web:
        detector = ConvergenceDetector(embeddings="ollama:e", env={"OLLAMA_HOST": web.url}, seconds=0.2)
        # The server runs in the loop that waits here, so it cannot answer.
        assert detector.check_convergence({"a": TEA, "b": TEA})
    assert detector.method == "words"


def test_a_model_that_cannot_embed_is_refused_at_once() -> None:
    with pytest.raises(BriefError, match="makes no embeddings"):
        ConvergenceDetector(embeddings="anthropic:claude")


# ---- the breaker


@dataclass
class Agent:
    name: str


class Clock:
    """Seconds that pass when they are told to."""

    now = 5.0

    def __call__(self) -> float:
        return self.now


def test_the_documented_breaker() -> None:  # R1, R3
    clock, ann, bob = Clock(), Agent("ann"), Agent("bob")
    breaker = CircuitBreaker(failure_threshold=3, cooldown_seconds=60.0, half_open_success_threshold=2, clock=clock)
    for _ in range(2):
        breaker.record_failure("ann")
    assert breaker.filter_available_agents([ann, bob]) == [ann, bob]
    breaker.record_failure("ann")
    assert breaker.state("ann") == "OPEN"
    assert breaker.filter_available_agents([ann, bob]) == [bob]
    assert breaker.filter_available_agents(["bob", "ann", "cy"]) == ["bob", "cy"]
    breaker.record_success("ann")
    assert breaker.state("ann") == "OPEN", "what comes late says nothing"
    clock.now += 60.0
    assert (breaker.state("ann"), breaker.filter_available_agents([ann])) == ("HALF_OPEN", [ann])
    breaker.record_success("ann")
    breaker.record_failure("ann")
    clock.now += 59.0
    assert breaker.state("ann") == "OPEN", "a fresh cooldown"
    clock.now += 1.0
    breaker.record_success("ann")
    assert breaker.state("ann") == "HALF_OPEN"
    breaker.record_success("ann")
    assert (breaker.state("ann"), breaker.state("bob")) == ("CLOSED", "CLOSED")


def test_its_numbers_are_those_of_the_document() -> None:
    clock = Clock()
    breaker = CircuitBreaker(clock=clock)
    for n in range(3):
        assert breaker.state("ann") == "CLOSED", n
        breaker.record_failure("ann")
    clock.now += 59.9
    assert breaker.state("ann") == "OPEN"
    clock.now += 0.1
    assert breaker.state("ann") == "HALF_OPEN"


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (None, "OPEN"),
        (TimeoutError(), "OPEN"),
        (Unavailable("down", kind="server"), "OPEN"),
        (Refused("no", kind="refused"), "CLOSED"),
        (Refused("too long", kind="too_long"), "CLOSED"),
        (Unavailable("no key", kind="key"), "CLOSED"),
        (ModelError("odd"), "CLOSED"),
    ],
)
def test_only_failures_of_transport_count(error: BaseException | None, state: str) -> None:
    breaker = CircuitBreaker(failure_threshold=1, clock=Clock())
    breaker.record_failure("ann", error)
    assert breaker.state("ann") == state
