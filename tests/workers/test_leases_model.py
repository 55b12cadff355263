"""The model of the queue and its leases (``leases.pml``), checked by spin in all orders of all steps."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.kits.thoroughness import MORE

MODEL = Path(__file__).with_name("leases.pml")

NEEDED = [name for name in ("spin", "gcc") if shutil.which(name) is None]

pytestmark = [
    pytest.mark.skipif(bool(NEEDED), reason=f"the model needs {' and '.join(NEEDED)}: apt-get install spin gcc"),
]


def explore(folder: Path, *options: str) -> tuple[int, int]:
    """The violations in all runs of the model, and the states that were explored."""
    subprocess.run(["spin", *options, "-a", str(MODEL)], cwd=folder, check=True, capture_output=True)
    compiler = ["gcc", "-O1", "-w", "-DSAFETY", "-o", "pan", "pan.c"]
    subprocess.run(compiler, cwd=folder, check=True, capture_output=True)
    output = subprocess.run(["./pan", "-E", "-m200000"], cwd=folder, check=False, capture_output=True, text=True).stdout
    errors, states = re.search(r"errors: (\d+)", output), re.search(r"(\d+) states, stored", output)
    assert errors is not None, output
    assert states is not None, output
    assert "max search depth too small" not in output
    return int(errors[1]), int(states[1])


@pytest.mark.system
def test_in_no_order_of_steps_a_debate_has_two_writers(tmp_path: Path) -> None:
    errors, states = explore(tmp_path, f"-DWORKERS={3 if MORE else 2}")
    assert errors == 0
    assert states > 10_000


@pytest.mark.system
@pytest.mark.parametrize("fault", ["NO_FENCE", "EARLY"])
def test_the_model_finds_what_is_planted_into_it(fault: str, tmp_path: Path) -> None:
    errors, _ = explore(tmp_path, f"-D{fault}")
    assert errors > 0
