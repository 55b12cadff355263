"""What a test needs of the machine: where it is missing the test is left out with a word; under FOLKMOOT_CI it fails."""

import os
import shutil
from typing import NoReturn

import pytest


def leave_out(why: str) -> NoReturn:
    """Skip a test, loudly; where all of them are wanted (FOLKMOOT_CI), fail."""
    if os.environ.get("FOLKMOOT_CI"):
        pytest.fail(f"{why} (FOLKMOOT_CI is set: nothing may be left out)", pytrace=False)
    pytest.skip(why)


def need_programs(*names: str, package: str) -> None:
    """Leave a test out where one of the programs is missing.

    Args:
        names: the programs.
        package: the packages of Debian that bring them; ``.ci/run`` fetches them.
    """
    if missing := [name for name in names if shutil.which(name) is None]:
        leave_out(f"NO {' AND '.join(missing).upper()}: this needs {', '.join(missing)}; Debian: apt install {package}")
