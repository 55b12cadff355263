"""The web app's build: when it is built, what is packed, and that nothing is packed without it."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.app.serve.serve_kit import running
from tests.kits.left_out import leave_out
from tests.paths import ROOT

pytestmark = pytest.mark.system

BUILT = ("index.html", "report.html", "assets/app-1.js", "assets/app-1.css")


def plant(root: Path, *, empty: str = "") -> Path:
    """A small source tree with everything that packing needs, the app built; one of its files may be empty."""
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, root)
    app = ("package.json", "src/main.ts", "node_modules/vite/index.js")
    for name in (*(f"frontend/{text}" for text in app), "src/folkmoot/__init__.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("//\n", "utf-8")
    dist = root / "src/folkmoot/web/dist"
    for name in BUILT:
        (dist / name).parent.mkdir(parents=True, exist_ok=True)
        (dist / name).write_text("" if name == empty else "built", "utf-8")
    return dist


def pack(root: Path, kind: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Pack the tree as a wheel or an sdist."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", str(root / "out")]
    return subprocess.run(command, cwd=root, env={**os.environ, **env}, capture_output=True, text=True, check=False)


def test_a_wheel_holds_the_built_app_and_not_its_source(tmp_path: Path) -> None:
    plant(tmp_path)
    done = pack(tmp_path, "wheel")
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(next((tmp_path / "out").glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
    assert {f"folkmoot/web/dist/{name}" for name in BUILT} <= names
    assert not [name for name in names if "frontend/" in name or name.endswith((".ts", "hatch_build.py"))]


def test_an_sdist_holds_the_source_and_the_built_app(tmp_path: Path) -> None:
    plant(tmp_path)
    done = pack(tmp_path, "sdist")
    assert done.returncode == 0, done.stderr
    with tarfile.open(next((tmp_path / "out").glob("*.tar.gz"))) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    assert {"frontend/src/main.ts", "hatch_build.py", "src/folkmoot/web/dist/index.html"} <= names
    assert not [name for name in names if "node_modules" in name]


@pytest.mark.parametrize("empty", BUILT)
def test_nothing_is_packed_with_an_empty_file_where_it_cannot_be_built(tmp_path: Path, empty: str) -> None:
    plant(tmp_path, empty=empty)
    shutil.rmtree(tmp_path / "frontend")
    done = pack(tmp_path, "wheel")
    assert done.returncode != 0
    assert "folkmoot: " in done.stderr
    assert "cannot be built; take a whole source tree" in done.stderr
    assert not list((tmp_path / "out").glob("*.whl"))


def test_what_is_older_than_its_source_is_built_again(tmp_path: Path) -> None:
    dist = plant(tmp_path)
    later = (dist / "report.html").stat().st_mtime + 10
    os.utime(tmp_path / "frontend/node_modules/vite/index.js", (later, later))
    assert pack(tmp_path, "wheel").returncode == 0  # nothing is built from what was fetched
    os.utime(tmp_path / "frontend/src/main.ts", (later, later))
    done = pack(tmp_path, "wheel", PATH=old_node(tmp_path))
    assert done.returncode != 0
    assert "building the web app with Node 20.19" in done.stderr
    assert "its packages cannot be fetched (exit code 3)" in done.stderr


def old_node(root: Path, *, build: str = "exit 4") -> str:
    """A PATH with a Node that is new enough, and an npm that cannot fetch anything and builds like that."""
    old = root / "old"
    old.mkdir()
    values = {
        "node": "echo v20.19.0",
        "npm": f"echo $* >> {root}/asked; case $1 in ci) exit 3;; run) {build};; esac",
    }
    for name, words in values.items():
        (old / name).write_text(f"#!/bin/sh\n{words}\n", "utf-8")
        (old / name).chmod(0o755)
    return f"{old}{os.pathsep}{os.defpath}"


EDITABLE = "from hatchling.build import build_editable as build; build('out')"


def set_up(root: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Set the tree up, as the Makefile does or, with words, as pip does."""
    command = [sys.executable, *(words or ("hatch_build.py", "set-up"))]
    (root / "out").mkdir(exist_ok=True)
    return subprocess.run(command, cwd=root, env={**os.environ, **env}, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("words", [(), ("-c", EDITABLE)])
@pytest.mark.parametrize("built", [True, False])
def test_a_set_up_in_place_goes_on_where_nothing_can_be_fetched(
    tmp_path: Path, words: tuple[str, ...], built: bool
) -> None:
    dist = plant(tmp_path)
    later = (dist / "report.html").stat().st_mtime + 10
    os.utime(tmp_path / "frontend/src/main.ts", (later, later))
    if not built:
        shutil.rmtree(dist)
    done = set_up(tmp_path, *words, PATH=old_node(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "fetching the packages of the web app" in done.stderr
    text = "going on as it was built before" if built else "going on without it: folkmoot serve has the API alone"
    assert f"{text}; to build the web app later: make app" in done.stderr
    assert dist.exists() == built
    assert bool(list((tmp_path / "out").glob("*.whl"))) == bool(words)


def test_pip_does_not_build_again_what_was_seen_to(tmp_path: Path) -> None:
    shutil.rmtree(plant(tmp_path))
    done = set_up(tmp_path, "-c", EDITABLE, PATH=old_node(tmp_path), FOLKMOOT_APP="done")
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "asked").exists()
    assert (
        pack(tmp_path, "wheel", PATH=f"{tmp_path / 'old'}{os.pathsep}{os.defpath}", FOLKMOOT_APP="done").returncode != 0
    )


def test_a_mistake_in_the_app_ends_a_set_up(tmp_path: Path) -> None:
    shutil.rmtree(plant(tmp_path))
    (tmp_path / "frontend/package-lock.json").write_text("{}", "utf-8")
    (tmp_path / "frontend/node_modules/.package-lock.json").write_text("{}", "utf-8")
    done = set_up(tmp_path, PATH=old_node(tmp_path))
    assert done.returncode != 0
    assert "Vite ended with an error (exit code 4)" in done.stderr


def test_a_step_that_does_not_end_is_ended(tmp_path: Path) -> None:
    shutil.rmtree(plant(tmp_path))
    hasty = "import hatch_build as build, pathlib; build.PATIENCE = 1; build.build(pathlib.Path.cwd())"
    (tmp_path / "frontend/package-lock.json").write_text("{}", "utf-8")
    (tmp_path / "frontend/node_modules/.package-lock.json").write_text("{}", "utf-8")
    done = set_up(tmp_path, "-c", hasty, PATH=old_node(tmp_path, build="exec sleep 600"))
    assert done.returncode != 0
    assert "(no end within 1 seconds)" in done.stderr


# ---- a wheel that is installed ---------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with Folkmoot from a real wheel of this tree, and nothing else."""
    if not (ROOT / "src/folkmoot/web/dist/index.html").is_file():
        leave_out("NO PAGES: the web app is not built, so no wheel of it can be tried; build it with: make app")
    root = tmp_path_factory.mktemp("wheel")
    # Without the source of the app nothing is built here, in no test's way.
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, root)
    shutil.copytree(ROOT / "src", root / "src", ignore=shutil.ignore_patterns("__pycache__"))
    done = pack(root, "wheel")
    assert done.returncode == 0, done.stderr
    target = root / "target"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(target)]
    subprocess.run([*command, *map(str, (root / "out").glob("*.whl"))], check=True)
    return target


def test_a_wheel_that_is_installed_serves_its_pages(installed: Path, tmp_path: Path) -> None:
    env = {"PYTHONPATH": str(installed)}
    where = [sys.executable, "-c", "import folkmoot; print(folkmoot.__file__)"]
    finished = subprocess.run(
        where, cwd=tmp_path, env={**os.environ, **env}, capture_output=True, text=True, check=True
    )
    assert Path(finished.stdout.strip()).is_relative_to(installed)
    with running(tmp_path, **env) as server, server.client() as me:
        page = me.get("/").text
        assets = re.findall(r'(?:src|href)="(/assets/[^"]+\.(?:js|css))"', page)
        assert {Path(asset).suffix for asset in assets} == {".js", ".css"}
        for asset in assets:
            answer = me.get(asset)
            assert answer.status_code == 200
            assert answer.content == (installed / f"folkmoot/web/dist{asset}").read_bytes()
        assert me.get("/api/v1/info").status_code == 200
        assert server.end(signal.SIGINT) == 0
