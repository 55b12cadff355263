"""What a stranger installs: the sdist without npm, the wheel that comes of it on each Python here, and what is inside."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.kits.left_out import leave_out
from tests.paths import ROOT

pytestmark = pytest.mark.system

VERSIONS = ("3.11", "3.12", "3.13", "3.14")


def run(*words: str | Path, cwd: Path, **env: str) -> str:
    """What a command prints; a failure shows everything."""
    done = subprocess.run(
        list(map(str, words)), cwd=cwd, env={**os.environ, **env}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def python_of(version: str) -> str:
    """A Python of that version; "" where there is none."""
    for name in (sys.executable, *filter(None, [shutil.which(f"python{version}")])):
        asked = [name, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        if done.stdout.strip() == version:
            return name
    return ""


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that pip makes of the sdist, where no Node is on the path."""
    if not (ROOT / "src/folkmoot/web/dist/third-party.md").is_file():
        leave_out("NO PAGES: the web app is not built, so there is nothing to pack; build it with: make app")
    folder = tmp_path_factory.mktemp("install")
    env = {"PYTHONPATH": "", "PATH": "/nowhere"}
    run(sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", folder, cwd=ROOT)
    [sdist] = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as packed:
        packed.extractall(folder, filter="data")
    source = folder / sdist.name.removesuffix(".tar.gz")
    for file in (source / "frontend").rglob("*"):
        os.utime(file)  # as if unpacked by a tool that keeps no times: nothing may be built for that
    run(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder, cwd=source, **env)
    [made] = folder.glob("*.whl")
    return made


def test_the_wheel_of_an_sdist_has_the_page_and_the_licences_of_what_is_bundled(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        notices = packed.read("folkmoot/web/dist/third-party.md").decode()
        report = packed.read("folkmoot/web/dist/report.html").decode()
        about = packed.read(next(name for name in names if name.endswith("/METADATA"))).decode()
    assert "folkmoot/web/dist/index.html" in names
    for text in (notices, report):  # a report is sent around by itself, with the code in it
        assert "## svelte - " in text
        assert "Permission is hereby granted" in text
    assert not [name for name in names if name.startswith(("tests/", "frontend/"))]
    tried = {
        line.rpartition(" ")[2]
        for line in about.splitlines()
        if line.startswith("Classifier: Programming")
        if "3." in line
    }
    assert tried <= set(VERSIONS)
    assert wheel.stat().st_size < 4_000_000


@pytest.mark.parametrize("version", VERSIONS)
def test_a_wheel_runs_in_a_clean_environment(wheel: Path, tmp_path: Path, version: str) -> None:
    python = python_of(version)
    if not python:
        pytest.skip(f"there is no Python {version} here; the workflow tries it")
    env = {
        "PYTHONPATH": "",
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path),
        "FOLKMOOT_STORE": "",
        "FOLKMOOT_MODEL": "",
    }
    run(python, "-m", "venv", tmp_path / "venv", cwd=tmp_path, **env)
    inside = tmp_path / "venv" / "bin"
    command = [inside / "python", "-m", "pip", "install", "--quiet", wheel]
    done = subprocess.run(
        list(map(str, command)), env={**os.environ, "PYTHONPATH": ""}, capture_output=True, text=True, check=False
    )
    if "No matching distribution" in done.stderr or "Could not find a version" in done.stderr:
        leave_out(f"NO INDEX: pip can't fetch what Folkmoot needs: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stderr
    folkmoot = inside / "folkmoot"
    assert run(folkmoot, "--version", cwd=tmp_path, **env).split()[1] in wheel.name
    assert "the web page is built" in run(folkmoot, "config", "doctor", cwd=tmp_path, **env)
    run(folkmoot, "run", ROOT / "examples" / "build-or-buy.md", "-m", "builtin:quotes", "--quiet", cwd=tmp_path, **env)
    run(folkmoot, "verify", "last", cwd=tmp_path, **env)
