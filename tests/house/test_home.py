"""No test reads or writes the folders of whoever runs the tests."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from folkmoot.app.plan.settings import NAMES, default_store, user_file
from tests.conftest import HOME, pytest_runtest_teardown
from tests.kits.home import SETTINGS, use_home


def test_records_and_settings_of_the_user_are_in_the_home_of_the_run(pytestconfig: pytest.Config) -> None:
    home = pytestconfig.stash[HOME]
    assert Path.home() == home
    assert default_store().is_relative_to(home)
    assert user_file().is_relative_to(home)
    code = "from folkmoot.app.plan.settings import default_store; print(default_store())"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == str(default_store())


def test_the_settings_of_the_owner_are_taken_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(SETTINGS) == {name.upper() for name in NAMES}
    owner = tmp_path / "owner"
    owner.mkdir()
    (owner / ".gitconfig").touch()
    for name, value in {"HOME": owner, "XDG_DATA_HOME": owner, "FOLKMOOT_STORE": owner / "folkmoot.sqlite"}.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "")
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    home = use_home()
    assert (Path.home(), default_store().is_relative_to(home)) == (home, True)
    assert os.environ["GIT_CONFIG_GLOBAL"] == str(owner / ".gitconfig")
    assert "FOLKMOOT_STORE" not in os.environ
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw1")
    assert use_home() == home / "gw1", "a worker has its own"


def test_a_test_that_writes_there_fails_and_what_it_wrote_goes_away(request: pytest.FixtureRequest) -> None:
    store = default_store()
    store.parent.mkdir(parents=True)
    store.touch()
    with pytest.raises(pytest.fail.Exception, match=r"wrote into the home of its user, .*folkmoot\.sqlite: say where"):
        _end(request.node)
    assert not store.parent.exists()
    _end(request.node)


def _end(item: pytest.Item) -> None:
    """What runs around the end of a test."""
    steps = pytest_runtest_teardown(item)
    next(steps)
    assert next(steps, None) is None
