"""The model of the queue and its leases (``leases.pml``), checked by spin in all orders of all steps."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.kits.left_out import need_programs
from tests.paths import ROOT

MODEL = Path(__file__).with_name("leases.pml")

STATES = {(2, 4): 1_279_729, (3, 3): 4_020_903}
"""How many states the model has with so many workers and leases; ``docs/design/testing.md`` says the same."""

PLANTED = {
    "NO_FENCE": "I63",
    "EARLY": "I61",
    "LATE_FENCE": "I63",
    "NO_PLACE": "I01",
    "APART": "I01",
    "BLIND_END": "I62",
}
"""Faults that can be planted into the model, with the assertion that fails first."""

POSSIBLE = ("LANDS_LATE", "TAKEN_OVER")
"""What can happen, so the model must say so: a line is stored after the lease of its writer; a third lease ends it."""


@pytest.fixture
def tools() -> None:
    """Leave a test out where the model cannot be run."""
    need_programs("spin", "gcc", package="spin gcc libc6-dev")


def explore(folder: Path, *options: str, whole: bool = False) -> tuple[str, int]:
    """The first assertion that is violated in any run of the model, and how many states were explored.

    Args:
        folder: where it may write.
        options: what is different in the model.
        whole: whether all states are explored, so that a compiler that takes longer pays.
    """
    subprocess.run(["spin", *options, "-a", str(MODEL)], cwd=folder, check=True, capture_output=True)
    compiler = ["gcc", "-O2" if whole else "-O0", "-w", "-DSAFETY", "-o", "pan", "pan.c"]
    subprocess.run(compiler, cwd=folder, check=True, capture_output=True)
    search = ["./pan", "-E", "-m1000000"]
    output = subprocess.run(search, cwd=folder, check=False, capture_output=True, text=True).stdout
    errors, states = re.search(r"errors: (\d+)", output), re.search(r"(\d+) states, stored", output)
    assert errors is not None, output
    assert states is not None, output
    assert "max search depth too small" not in output
    violated = re.search(r"assertion violated \(?(.+?)\)? \(at depth", output)
    assert (violated is not None) == (errors[1] != "0"), output
    return plain(violated[1]) if violated else "", int(states[1])


def plain(condition: str) -> str:
    """A condition without spaces and brackets, which spin sets anew."""
    return re.sub(r"[ ()]", "", condition)


def assertions() -> dict[str, str]:
    """What the model asserts of each invariant."""
    pairs = re.findall(r"assert\((.+)\); .*/\* (I\d\d)", MODEL.read_text("utf-8"))
    return {number: plain(condition) for condition, number in pairs}


@pytest.mark.system
@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize(("workers", "leases"), STATES)
def test_in_no_order_of_steps_a_debate_has_two_writers(workers: int, leases: int, tmp_path: Path) -> None:
    violated, states = explore(tmp_path, f"-DWORKERS={workers}", f"-DMOST_EPOCHS={leases}", whole=True)
    assert violated == ""
    assert states == STATES[workers, leases]


@pytest.mark.system
@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize("fault", PLANTED)
def test_the_model_finds_what_is_planted_into_it(fault: str, tmp_path: Path) -> None:
    violated, _ = explore(tmp_path, f"-D{fault}")
    assert violated == assertions()[PLANTED[fault]]


@pytest.mark.system
@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize("event", POSSIBLE)
def test_the_model_is_about_what_can_happen(event: str, tmp_path: Path) -> None:
    violated, _ = explore(tmp_path, f"-D{event}")
    assert violated


def test_the_page_says_how_many_states_there_are() -> None:
    page = (ROOT / "docs/design/testing.md").read_text("utf-8")
    names = ("no", "one", "two", "three", "four")
    for (workers, leases), states in STATES.items():
        assert f"{states:,} states with {names[workers]} workers and {names[leases]} leases" in page
