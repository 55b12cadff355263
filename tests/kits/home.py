"""The home of a test run: what tests write into a user's folders, or look for there, is in it, not in the owner's."""

import os
import shutil
import tempfile
from pathlib import Path

MOVED = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
"""Names in the environment that lead out of a home."""

OF_TESTS = ("FOLKMOOT_CI", "FOLKMOOT_MORE", "FOLKMOOT_PEERS", "FOLKMOOT_CHAOS", "FOLKMOOT_CHAOS_SEED")
"""What says how the tests run; any other name that begins so is a setting of the owner, as ``FOLKMOOT_STORE``."""

OURS = tuple(
    f"{folder}/folkmoot" for folder in (".config", ".local/share", ".local/state", "Library/Application Support")
)
"""Where a home has what Folkmoot wrote for its user, on Linux and on a Mac; a cache may stay for the next test."""


def use_home() -> Path:
    """Give this process, and those that it starts, an empty home and no settings of the owner.

    That of a worker is a folder in that of its run, with which it goes away.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if not worker and (git := Path.home() / ".gitconfig").exists():
        os.environ.setdefault("GIT_CONFIG_GLOBAL", str(git))  # it may say that the repository is safe to read
    home = Path.home() / worker if worker else Path(tempfile.mkdtemp(prefix="folkmoot-home-"))
    home.mkdir(exist_ok=True)
    for name in list(os.environ):
        if name in MOVED or (name.startswith("FOLKMOOT_") and name not in OF_TESTS):
            del os.environ[name]
    os.environ["HOME"] = str(home)
    return home


def take_out(home: Path) -> list[str]:
    """Remove from a home what Folkmoot wrote for its user, and say what it was."""
    folders = [home / name for name in OURS if (home / name).exists()]
    files = [str(path.relative_to(home)) for folder in folders for path in folder.rglob("*")]
    for folder in folders:
        shutil.rmtree(folder)
    return files
