"""Protocols as flowcharts: what stands in the boxes, which leads to which, and that any text is safe there."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doc_protocols import table_of
from folkmoot.phases.base import Rounds
from folkmoot.phases.choices import Choices, Extras
from folkmoot.phases.speak import Everyone
from folkmoot.policy.pairing import Pairs
from folkmoot.protocols import known, spec
from folkmoot.report import flowchart as reader
from folkmoot.report.flowchart import Tree, flowchart
from tests.cli.commands import EXAMPLES, QUOTES, folkmoot
from tests.report.charts import check_chart

SAY: Tree = {"is": "Everyone", "act": "argue"}
LATE: Tree = {"is": "Everyone", "act": "close"}


def arrows(tree: Tree) -> list[str]:
    text = flowchart(tree)
    check_chart(text)
    return [line.strip() for line in text.splitlines() if "->" in line]


def boxes(tree: Tree) -> list[str]:
    return [label for name, label in check_chart(flowchart(tree)).items() if name.startswith("P")]


@pytest.mark.parametrize("name", known.KNOWN)
@pytest.mark.parametrize("extras", [Extras(), Extras(revision=True, evolution=True, interruptions=True)], ids=str)
def test_every_protocol_can_be_drawn(name: str, extras: Extras) -> None:
    choices = Choices(extras=extras if name not in ("board", "grouped", "chaired") else Extras())
    tree = spec.dump(known.build(name, table_of(6 if name == "grouped" else 3), choices))
    first, *_, last = check_chart(flowchart(tree))
    assert (first, last) == (reader.FIRST, reader.LAST)


def test_the_arena() -> None:
    tree = spec.dump(known.build("arena", table_of(3)))
    assert boxes(tree) == [
        "propose<br/>everyone<br/>form draft",
        "rounds<br/>at most 2<br/>or until alike",
        "critique<br/>form critique, all#45;to#45;all",
        "revise<br/>everyone<br/>form response",
        "vote<br/>supermajority with a quorum",
    ]
    assert arrows(tree) == [
        "opened --> P1",
        "P1 --> P2",
        'P2 -->|"next round"| P3',
        "P3 --> P4",
        "P4 --> P2",
        'P2 -->|"over"| P5',
        "P5 --> closed",
    ]


def test_what_comes_before_and_behind_a_part_is_named() -> None:
    values = check_chart(flowchart(SAY, before="rounds", after="[the end]"))
    assert (values["opened"], values["closed"]) == ("rounds", "#91;the end#93;")


def test_a_phase_that_is_not_always_due_can_be_passed_by() -> None:
    at: Tree = {"is": "At", "every": 2, "each": SAY}
    assert arrows({"is": "Sequence", "parts": [at, LATE]}) == [
        "opened --> P1",
        'P1 -->|"due"| P2',
        "P2 --> P3",
        'P1 -->|"not due"| P3',
        "P3 --> closed",
    ]
    assert boxes(at)[0] == "every 2 rounds?"
    assert boxes({"is": "At", "rounds": [1, 3], "each": SAY})[0] == "in round 1 and 3?"
    assert boxes({"is": "At", "each": SAY})[0] == "every 1 rounds?"


def test_what_follows_turns_leads_back_to_them() -> None:
    assert arrows({"is": "After", "each": SAY, "then": {"is": "Interruption"}, "acts": ["argue"]}) == [
        "opened --> P1",
        'P1 -->|"turns"| P2',
        'P2 -.->|"further turns"| P1',
        "P2 --> closed",
    ]


@pytest.mark.parametrize(
    ("tree", "box"),
    [
        ({"is": "Vote"}, "vote"),
        ({"is": "Adopt", "rule": "mediator"}, "adopt"),
        ({"is": "NothingElse", "name": "talk"}, "talk<br/>nothing else"),
        ({"is": "Synthesis", "by": "Mo"}, "synthesis<br/>Mo"),
        ({"is": "Examination", "by": "Ann", "who": ["Bob", "Cay"]}, "examination<br/>Ann, Bob, Cay"),
        ({"is": "Everyone", "act": "x", "who": list("abcdefg")}, "x<br/>a, b, c, d, e, f and others"),
        ({"is": "Ranking", "rule": {"is": "Ranked", "method": "schulze"}}, "ranking<br/>schulze"),
        (
            {"is": "Vote", "rule": {"is": "Own"}, "early": [{"is": "Lead"}, {"is": "Certain"}]},
            "vote<br/>own, early#58; lead or certain",
        ),
        ({"is": "Critique", "pairs": {"is": "Pairs", "topology": "ring"}}, "critique<br/>ring"),
        ({"is": "Critique", "pairs": {"is": "Pairs"}}, "critique<br/>all#45;to#45;all"),
        ({"is": "Mindful", "each": SAY}, "argue<br/>everyone"),
    ],
)
def test_what_stands_in_a_box(tree: Tree, box: str) -> None:
    assert boxes(tree) == [box]


def test_defaults_are_those_of_the_phases() -> None:
    rounds = Rounds(each=Everyone(act="argue", task="Argue."))
    assert "most" not in spec.dump(rounds)
    assert boxes(spec.dump(rounds))[0] == f"rounds<br/>at most {rounds.most}"
    assert boxes({"is": "Critique", "pairs": spec.dump(Pairs())}) == [
        f"critique<br/>{reader.escape_mermaid(Pairs().topology)}"
    ]


@given(st.text(), st.text(), st.lists(st.text(), max_size=8))
def test_no_text_breaks_a_flowchart(act: str, name: str, who: list[str]) -> None:
    tree: Tree = {"is": "Everyone", "act": f"a{act}", "who": [f"b{text}" for text in who], "form": {"name": name}}
    check_chart(flowchart({"is": "Rounds", "each": tree, "until": {"is": f"C{name}"}}))


@pytest.mark.parametrize("name", ["canteen.md", "architecture-review.md"])
def test_check_prints_the_flowchart_of_a_brief(name: str, tmp_path: Path) -> None:
    ran = folkmoot(tmp_path, "check", str(EXAMPLES / name), *QUOTES, "--diagram")
    assert ran.exit_code == 0, ran.output
    assert len(check_chart(ran.stdout)) > 3


def test_a_plan_is_printed_in_one_form(tmp_path: Path) -> None:
    ran = folkmoot(tmp_path, "check", "Tea?", *QUOTES, "--diagram", "--json")
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert "--json and --diagram cannot be given together." in ran.stderr
