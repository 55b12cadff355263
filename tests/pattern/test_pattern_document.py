"""The code that the document of the moderated pattern prints runs as printed, imports aside.

The document lies beside the repository and is read there; without it these tests are skipped.
"""

import operator
import re
from pathlib import Path
from typing import Annotated, TypedDict, get_type_hints

import pytest

from folkmoot.pattern import DebatePattern, DebateResult, DebateState
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call
from tests.cli.commands import served
from tests.council.agents import own_place
from tests.paths import SHARED

DOCUMENT = SHARED / "seeds" / "moderated-pattern.md"
DECISION = "Allocate $500K as a milestone-based initial tranche."
REVIEWS = (
    "SUMMARY: Bull has shown traction. Bear has not addressed the moat question.\nSTATUS: CONTINUE",
    f"SUMMARY: A clear synthesis is now possible.\nSTATUS: SETTLED\nDECISION: {DECISION}",
)


def block(first: str, last: str) -> str:
    """The code from one line to another, both of them in it."""
    if not DOCUMENT.exists():
        pytest.skip("the document of the moderated pattern is not here")
    match_ = re.search(rf"^{re.escape(first)}.*?{re.escape(last)}$", DOCUMENT.read_text("utf-8"), re.M | re.S)
    assert match_, first
    return match_[0]


def speak(call: Call) -> Plan:
    """A model that plays the document's example: the moderator goes on once, then settles the matter."""
    moderates = "STATUS:" in call.prompt.rpartition("You are ")[2]
    reviewed = "SUMMARY: Bull" in str(call.body)
    return Plan(text=REVIEWS[reviewed] if moderates else "I hold what I held.")


def test_the_core_code_runs_as_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = block("from patterns.debate.pattern import DebatePattern", 'print(result["debate_history"])')
    code = code.replace("patterns.debate.pattern", "folkmoot.pattern")
    own_place(tmp_path, monkeypatch)
    names: dict[str, object] = {}
    with served(speak) as wires:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{wires.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
        exec(compile(code, "document", "exec"), names)
    result = names["result"]
    assert isinstance(result, DebateResult)
    assert capsys.readouterr().out == f"{DECISION}\n{result['debate_history']}\n"
    assert [call.body["model"] for call in wires.calls] == ["gpt-4o-mini"] * 6
    assert [(item["name"], item["round"]) for item in result["debate_history"]] == [
        ("Bull", 0), ("Bear", 0), ("Bull", 1), ("Bear", 1),
    ]  # fmt: skip


def test_the_state_is_the_documented_one() -> None:
    names: dict[str, object] = {"TypedDict": TypedDict, "Annotated": Annotated, "operator": operator}
    exec(compile(block("class DebateState(TypedDict):", "is_settled: bool"), "document", "exec"), names)
    documented = names["DebateState"]
    assert isinstance(documented, type)
    ours = get_type_hints(DebateState)
    theirs = get_type_hints(documented)
    assert list(ours) == list(theirs)
    assert [kind for kind in theirs.values() if kind in (str, int, bool)] == [
        kind for kind in ours.values() if kind in (str, int, bool)
    ]


def test_the_documented_arguments_and_their_defaults() -> None:
    if not DOCUMENT.exists():
        pytest.skip("the document of the moderated pattern is not here")
    rows = re.findall(r"^(model|llm|max_rounds) .*?(\"gpt-4o-mini\"|None|3)(?= )", DOCUMENT.read_text("utf-8"), re.M)
    pattern = DebatePattern()
    ours = {name: repr(getattr(pattern, name)).replace("'", '"') for name in ("model", "llm", "max_rounds")}
    assert dict(rows) == ours
