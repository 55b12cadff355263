"""Truth stays with the grader: no other module of a run names a key, and only the run makes a grader, after all calls.

Debates that are over are graded, too, and logs of Inspect have targets.
"""

import ast
from collections.abc import Mapping
from pathlib import Path

from folkmoot.app import evaluation

SECRET: Mapping[str, frozenset[str]] = {
    "Key": frozenset({"questions", "grading", "inspect_bridge", "past"}),
    "Grader": frozenset({"grading", "run", "past"}),
}
"""Which modules may use a name."""


def uses(path: Path, name: str) -> bool:
    """Whether a module defines or imports a name."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ClassDef) and node.name == name:
            return True
        if isinstance(node, ast.ImportFrom) and any(alias.name == name for alias in node.names):
            return True
    return False


def test_only_the_grader_takes_a_key() -> None:
    modules = list(Path(evaluation.__path__[0]).glob("*.py"))
    assert len(modules) > 10
    for name, allowed in SECRET.items():
        assert {path.stem for path in modules if uses(path, name)} == allowed
