"""The argument map as a tree, as Mermaid, as an outline and as data: any text is safe."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.app.export.paper import outline
from folkmoot.arguments.argument_map import RELATIONS, ArgumentMap, ClaimTurn, Edge, Node, Relation, judge
from folkmoot.arguments.tree import (
    SIGNS,
    VERBS,
    acceptance_in_words,
    as_data,
    claim_trees,
    escape_mermaid,
    mermaid,
)


def node(n: int, claim: str = "", by: str = "Ann", act: str = "argue", replaced: str = "") -> Node:
    claim_turn = ClaimTurn(mark=f"T{n}", key=f"#{n}", by=by, act=act, round=n // 3, stance="yes" if n == 1 else "")
    return Node(mark=f"T{n}", claim=claim or f"Claim {n}.", made=(claim_turn,), replaced=replaced)


def edge(source: int, target: int, relation: Relation = "ATTACK") -> Edge:
    return Edge(source=f"T{source}", target=f"T{target}", relation=relation, turns=(f"T{source}",))


def drawn(n: int, *edges: Edge) -> ArgumentMap:
    return ArgumentMap(nodes=tuple(node(number) for number in range(1, n + 1)), edges=edges)


SMALL = ArgumentMap(
    nodes=(
        node(1, "Tea is warm."),
        node(2, "It cools.", by="Ben"),
        node(3, "Who drinks it?", act="question"),
        node(4, "It cooled.", by="Ben", replaced="T2"),
        node(5, "A flask.", by="Cid"),
        node(6, "None holds.", by="Ben"),
    ),
    edges=(
        edge(2, 1),
        edge(3, 2, "QUESTION"),
        edge(4, 1, "REBUT"),
        edge(5, 2, "REBUT"),
        edge(5, 1, "SUPPORT"),
        edge(6, 5),
        edge(5, 6),
    ),
)


# ---- the tree ------------------------------------------------------------------------------------------------------


def shape(argument_map: ArgumentMap) -> list[tuple[str, int]]:
    return [(claim_tree.node.mark, claim_tree.depth) for claim_tree in claim_trees(argument_map)]


def test_a_claim_hangs_on_the_first_that_it_answers() -> None:
    assert shape(SMALL) == [("T1", 0), ("T2", 1), ("T3", 2), ("T5", 2), ("T6", 3), ("T4", 1)]


def test_claims_that_answer_each_other_make_no_circle() -> None:
    assert shape(drawn(3, edge(1, 2), edge(2, 3), edge(3, 1))) == [("T3", 0), ("T2", 1), ("T1", 2)]


def test_a_long_chain_is_no_trouble() -> None:
    long = drawn(1500, *(edge(n + 1, n) for n in range(1, 1500)))
    assert claim_trees(long)[-1].depth == 1499


# ---- words ---------------------------------------------------------------------------------------------------------


def test_every_relation_has_its_own_sign_and_word() -> None:
    for words in (SIGNS, VERBS):
        assert tuple(words) == RELATIONS
        assert len(set(words.values())) == len(RELATIONS)


def test_standing_in_words() -> None:
    judged = judge(SMALL)
    assert [acceptance_in_words(graph_node, judged) for graph_node in SMALL.nodes] == [
        "~ undecided",
        "~ undecided",
        "? question",
        "↻ replaced by T2",
        "~ undecided",
        "~ undecided",
    ]
    two = drawn(2, edge(2, 1))
    assert [acceptance_in_words(graph_node, judge(two)) for graph_node in two.nodes] == ["✗ rejected", "✓ accepted"]


# ---- Mermaid -------------------------------------------------------------------------------------------------------


def test_the_flowchart() -> None:
    two = ArgumentMap(nodes=(node(1, 'Tea is "warm".'), node(2, "1. It cools;", by="Ben")), edges=(edge(2, 1),))
    assert mermaid(two, judge(two)).splitlines()[:4] == [
        "flowchart RL",
        '    T1["T1 Ann<br/>Tea is #34;warm#34;.<br/>#10007; rejected 0.40"]:::out',
        '    T2["T2 Ben<br/>1#46; It cools#59;<br/>#10003; accepted 0.50"]:::in',
        '    T2 ==x|"#8722; attacks"| T1',
    ]


def test_a_long_claim_is_cut_in_the_flowchart() -> None:
    argument_map = ArgumentMap(nodes=(node(1, "x" * 200),))
    assert f"<br/>{'x' * 159}#8230;<br/>" in mermaid(argument_map, judge(argument_map))


def test_every_relation_has_a_line_and_every_standing_a_style() -> None:
    everything = drawn(6, *(edge(n, 1, relation) for n, relation in enumerate(RELATIONS, start=2)))
    text = mermaid(everything, judge(everything))
    arrows = re.findall(r"T\d+ (\S+)\|\"(.+?)\"\|", text)
    assert len(set(arrows)) == len(RELATIONS)
    assert set(re.findall(r"classDef (\w+)", text)) == {"in", "out", "undecided", "replaced", "question"}


@given(st.text())
def test_any_text_is_safe_in_a_flowchart(text: str) -> None:
    words = escape_mermaid(text)
    bare = re.sub(r"#\d+;", "", words)
    assert not re.search(r"[^\w\s,.?!'()%\u0080-\U0010ffff]|_", bare)
    assert not re.match(r"\d+[.)]", words), "Markdown would make a list of it"
    assert not re.search(r"\D\.\S|\.[^\d\s]", bare), "Markdown would make a link of it"
    assert "\n" not in words
    meant = re.sub(r"#(\d+);", lambda code: chr(int(code[1])), words)
    assert "$$" not in meant


# ---- the outline ---------------------------------------------------------------------------------------------------


def test_the_outline_has_every_claim_below_the_one_that_it_answers() -> None:
    text = outline(SMALL, judge(SMALL))
    assert re.findall(r"<b>(T\d)", text) == ["T1", "T2", "T3", "T5", "T6", "T4"]
    assert re.findall(r"margin-left: ([\d.]+)rem", text) == ["0.0", "1.4", "2.8", "2.8", "4.2", "1.4"]
    assert "≠ rebuts T2 + supports T1" in text, "a claim that answers two others says so"
    assert 'class="replaced"' in text


@given(claim=st.text(), name=st.text())
def test_any_text_is_safe_in_the_outline(claim: str, name: str) -> None:
    argument_map = ArgumentMap(nodes=(node(1, claim, by=name), node(2, f"<b>{claim}")), edges=(edge(2, 1),))
    text = outline(argument_map, judge(argument_map))
    assert set(re.findall(r"</?(\w+)", text)) == {"ul", "li", "b", "br", "small"}


# ---- data ----------------------------------------------------------------------------------------------------------


def test_the_map_as_data() -> None:
    two = drawn(2, edge(2, 1))
    data = json.loads(json.dumps(as_data(two, judge(two))))
    assert data["semantics"] == {
        "standing": "grounded extension on attacks and rebuttals (Dung 1995)",
        "strength": "quadratic energy model, base score 0.5 (Potyka 2018)",
        "settled": True,
    }
    values = {"mark": "T1", "key": "#1", "by": "Ann", "act": "argue", "round": 0, "stance": "yes"}
    assert data["nodes"][0] == {
        "mark": "T1",
        "claim": "Claim 1.",
        "made": [values],
        "replaced": "",
        "by": ["Ann"],
        "stances": ["yes"],
        "standing": "out",
        "strength": pytest.approx(0.4),
    }
    attack = {"source": "T2", "target": "T1", "relation": "ATTACK", "turns": ["T2"]}
    assert (data["edges"], data["unanswered"]) == ([attack], [attack])
    argument_map = ArgumentMap(nodes=(node(1, act="question"),))
    assert json.loads(json.dumps(as_data(argument_map, judge(argument_map))))["nodes"][0]["strength"] is None
