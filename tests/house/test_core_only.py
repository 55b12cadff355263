"""A plain installation has the core's dependencies alone: debates run, and whatever needs more says how to get it."""

import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.kits.processes import with_imports
from tests.paths import EXAMPLES, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

ALONE = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {missing!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
sys.argv = ["folkmoot", *{words!r}]
from folkmoot.__main__ import start
start()
"""


def closure(requirements: list[str]) -> set[str]:
    """The distributions that these bring, and what they bring."""
    brought, left = {"folkmoot"}, [Requirement(line) for line in requirements]
    while left:
        requirement = left.pop()
        name = canonicalize_name(requirement.name)
        if name in brought or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        brought.add(name)
        left += [Requirement(line) for line in metadata.requires(name) or []]
    return brought


def folkmoot(folder: Path, *words: str) -> tuple[int, str]:
    """A command in an installation without any extra: its exit code and what it printed."""
    brought = closure(PROJECT["dependencies"])
    missing = {
        module
        for module, names in metadata.packages_distributions().items()
        if not any(canonicalize_name(name) in brought for name in names)
    }
    code = ALONE.format(missing=missing, words=words)
    env = with_imports({"HOME": str(folder), "FOLKMOOT_STORE": str(folder / "r.sqlite"), "PATH": ""})
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    return ended.returncode, ended.stdout


def test_the_core_has_at_most_nine_dependencies() -> None:
    assert len(PROJECT["dependencies"]) <= 9


def test_a_debate_needs_no_extra(tmp_path: Path) -> None:
    brief = str(EXAMPLES / "build-or-buy.md")
    for words in (
        ("check", brief),
        ("run", brief, "-m", "builtin:quotes", "--quiet"),
        ("list",),
        ("show", "last"),
        ("report", "last"),
        ("verify", "last"),
    ):
        code, output = folkmoot(tmp_path, *words)
        assert code == 0, output
    for words, library in (
        (("report", "last", "-o", "memo.html"), "nh3"),
        (("serve",), "uvicorn"),
        (("mcp",), "uvicorn"),
    ):
        code, output = folkmoot(tmp_path, *words)
        assert code == 2, output
        assert "pip install" in output
        assert library in output


@pytest.mark.parametrize("extra", sorted(PROJECT["optional-dependencies"].keys() - {"bench"}))
def test_all_has_what_every_extra_for_users_has(extra: str) -> None:
    everything = {canonicalize_name(Requirement(line).name) for line in everything_of("all")}
    frameworks = {"inspect", "langchain", "langgraph"}  # whoever uses these has them
    assert (
        extra in frameworks
        or {canonicalize_name(Requirement(line).name) for line in everything_of(extra)} <= everything
    )


def everything_of(extra: str) -> list[str]:
    lines: list[str] = []
    for line in PROJECT["optional-dependencies"][extra]:
        requirement = Requirement(line)
        inner = requirement.extras if requirement.name == "folkmoot" else ()
        lines += [found for name in inner for found in everything_of(name)] if inner else [line]
    return lines
