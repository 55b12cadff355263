"""Packages that extend Moot, installed as ``pip install --target`` leaves them: modules and a dist-info in a folder."""

import importlib
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import cast

import pytest

HERE = Path(__file__).parent / "packages"
NAMES = ("moot_six_hats", "moot_star", "moot_say", "moot_slides", "moot_dice", "moot_steelman")

Install = Callable[..., Path]


def place(package: str, site: Path, *, version: str = "", code: str = "") -> Path:
    """Put a package into a folder; its version and its code can be others than those of its files."""
    project = tomllib.loads((HERE / package / "pyproject.toml").read_text("utf-8"))["project"]
    version = version or project["version"]
    info = site / f"{package}-{version}.dist-info"
    info.mkdir(parents=True)
    head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\n"
    (info / "METADATA").write_text(head, "utf-8")
    groups = cast(Mapping[str, Mapping[str, str]], project["entry-points"])
    points = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in names.items()) for group, names in groups.items()]
    (info / "entry_points.txt").write_text("\n".join(points), "utf-8")
    if code:
        (site / f"{package}.py").write_text(code, "utf-8")
    else:
        shutil.copy(HERE / package / f"{package}.py", site)
    return site


def forget(package: str) -> None:
    """Make Python import a package anew."""
    sys.modules.pop(package, None)
    importlib.invalidate_caches()


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a package for the test; gives the folder, so that the test can take it away again."""
    used: list[str] = []

    def put(package: str, *, version: str = "", code: str = "") -> Path:
        site = place(package, tmp_path / "sites" / f"{package}-{len(used)}", version=version, code=code)
        monkeypatch.setattr(sys, "path", [str(site), *sys.path])
        forget(package)
        used.append(package)
        return site

    yield put
    for package in used:
        forget(package)


def remove(site: Path) -> None:
    """Uninstall what is in a folder."""
    for path in site.glob("*.py"):
        forget(path.stem)
    shutil.rmtree(site)
    importlib.invalidate_caches()
