"""Packages that extend Folkmoot, installed as ``pip install --target`` leaves them: modules and a dist-info in a folder."""

import importlib
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from folkmoot.testing.extension_checks import put_on_path

HERE = Path(__file__).parent / "packages"
NAMES = ("folkmoot_six_hats", "folkmoot_star", "folkmoot_say", "folkmoot_slides", "folkmoot_dice", "folkmoot_steelman")

Install = Callable[..., Path]


def forget(package: str) -> None:
    """Make Python import a package anew."""
    sys.modules.pop(package, None)
    importlib.invalidate_caches()


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a package for the test; gives the folder, so that the test can take it away again."""
    used: list[str] = []
    sites: list[Path] = []
    monkeypatch.setattr(sys, "path", [*sys.path])

    def put(package: str, *, version: str = "", code: str = "") -> Path:
        site = put_on_path(HERE / package, version=version)
        if code:
            (site / f"{package}.py").write_text(code, "utf-8")
        forget(package)
        used.append(package)
        sites.append(site)
        return site

    yield put
    for package in used:
        forget(package)
    for site in sites:
        shutil.rmtree(site, ignore_errors=True)


def remove(site: Path) -> None:
    """Uninstall what is in a folder."""
    for path in site.glob("*.py"):
        forget(path.stem)
    sys.path[:] = [path for path in sys.path if path != str(site)]
    shutil.rmtree(site)
    importlib.invalidate_caches()
