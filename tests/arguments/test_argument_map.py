"""The argument map as a tree, as Mermaid, as SVG and as data: any text is safe, and the layout is what it should be."""

import json
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.arguments.argument_map import RELATIONS, ArgumentMap, ClaimTurn, Edge, Judgement, Node, Relation, judge
from folkmoot.arguments.svg import svg, width, wrap
from folkmoot.arguments.tree import (
    SIGNS,
    VERBS,
    acceptance_in_words,
    arrange,
    as_data,
    claim_trees,
    escape_mermaid,
    mermaid,
)

NS = "{http://www.w3.org/2000/svg}"


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


GRAPHS = st.integers(1, 12).flatmap(
    lambda n: st.lists(st.tuples(st.integers(1, n), st.integers(1, n)), max_size=20).map(
        lambda pairs: drawn(n, *(edge(number, other) for number, other in pairs if number != other))
    )
)


@given(arguments=GRAPHS, high=st.lists(st.integers(40, 200), min_size=12, max_size=12))
def test_no_two_claims_overlap_and_parents_stand_before_their_children(arguments: ArgumentMap, high: list[int]) -> None:
    branches = claim_trees(arguments)
    assert sorted(branch.node.mark for branch in branches) == sorted(graph_node.mark for graph_node in arguments.nodes)
    heights = {branch.node.mark: float(size) for branch, size in zip(branches, high, strict=False)}
    tops = arrange(branches, heights, 10)
    depths = {branch.node.mark: branch.depth for branch in branches}
    for branch in branches:
        if branch.link:
            assert depths[branch.node.mark] == depths[branch.link.target] + 1
    for depth in set(depths.values()):
        column = sorted((tops[mark], mark) for mark, deep in depths.items() if deep == depth)
        for (upper, mark), (lower, _) in pairwise(column):
            assert upper + heights[mark] + 10 <= lower + 1e-6
    assert min(tops.values()) >= 0


def test_a_parent_stands_in_the_middle_of_its_children() -> None:
    branches = claim_trees(drawn(4, edge(2, 1), edge(3, 1), edge(4, 1)))
    assert arrange(branches, dict.fromkeys(("T1", "T2", "T3", "T4"), 50.0), 10) == {
        "T1": 60.0,
        "T2": 0.0,
        "T3": 60.0,
        "T4": 120.0,
    }


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
    assert [acceptance_in_words(graph_node, judge(two)) for graph_node in two.nodes] == ["✗ does not stand", "✓ stands"]


def test_widths_are_those_of_the_font() -> None:
    assert width("iW", 10) == pytest.approx(2.22 + 9.44)
    assert width("é", 10) == width("e", 10)
    assert width("漢", 10) == 10
    assert width("e\u0301", 10) == width("e", 10)
    assert width("ж", 10) == 6.5


@given(text=st.text(), most=st.integers(30, 200), lines=st.integers(1, 5))
def test_wrapped_lines_fit_and_lose_nothing_unsaid(text: str, most: int, lines: int) -> None:
    rows = wrap(text, most, 10, lines)
    assert len(rows) <= lines
    assert all(width(row, 10) <= most for row in rows)
    if not rows[-1].endswith("…"):
        assert "".join(rows).replace(" ", "") == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("one two three", ("one two", "three")),
        ("", ("",)),
        ("mmmmmmmmmm", ("mmmmm", "mmmmm")),
        ("a mmmmmmmmmmmmmmm", ("a", "mmmm…")),
        ("one two three four five six", ("one two", "three…")),
    ],
)
def test_wrap(text: str, rows: tuple[str, ...]) -> None:
    assert wrap(text, 45, 10, 2) == rows


# ---- Mermaid -------------------------------------------------------------------------------------------------------


def test_the_flowchart() -> None:
    two = ArgumentMap(nodes=(node(1, 'Tea is "warm".'), node(2, "1. It cools;", by="Ben")), edges=(edge(2, 1),))
    assert mermaid(two, judge(two)).splitlines()[:4] == [
        "flowchart RL",
        '    T1["T1 Ann<br/>Tea is #34;warm#34;.<br/>#10007; does not stand 0.40"]:::out',
        '    T2["T2 Ben<br/>1#46; It cools#59;<br/>#10003; stands 0.50"]:::in',
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


# ---- SVG -----------------------------------------------------------------------------------------------------------


def test_the_picture_shows_every_claim_and_every_relation() -> None:
    root = ElementTree.fromstring(svg(SMALL, judge(SMALL), "Tea?"))
    texts = [element.text or "" for element in root.iter(f"{NS}text")]
    assert [text for text in texts if re.match(r"T\d ", text)] == [
        "T1 Ann",
        "T2 Ben",
        "T3 Ann",
        "T5 Cid",
        "T6 Ben",
        "T4 Ben",
    ]
    assert {"Tea?", "Tea is warm.", "argue · says yes", "round 1", "~ undecided", "? question"} <= set(texts)
    assert texts.count("− attacks") == 3, "two lines and the legend"
    lines = [element.get("class") for element in root.iter(f"{NS}path") if "marker-end" in element.attrib]
    assert [line for line in lines if line and "cross" in line] == ["line to-support cross", "line to-attack cross"]
    assert len(lines) == len(SMALL.edges) + 4, "each edge, and the legend of four relations"
    cards = [
        element.get("class") for element in root.iter(f"{NS}rect") if (element.get("class") or "").startswith("card")
    ]
    assert sorted({str(card) for card in cards}) == ["card question", "card replaced", "card undecided"]


def test_the_picture_needs_nothing_from_outside() -> None:
    text = svg(SMALL, judge(SMALL), "Tea?")
    assert re.findall(r"https?://\S+?\"", text) == ['http://www.w3.org/2000/svg"']
    assert not re.search(r"<(script|image|foreignObject|a|use)\b|\bon\w+=|href|url\((?!#)|@import", text)
    assert "prefers-color-scheme:dark" in text
    assert text == svg(SMALL, judge(SMALL), "Tea?")


def test_the_legend_says_where_the_strengths_have_not_settled() -> None:
    judged = Judgement(standing={"T1": "in"}, strength={"T1": 0.25}, settled=False)
    argument_map = ArgumentMap(nodes=(node(1),))
    text = svg(argument_map, judged, "Tea?")
    assert "(Potyka 2018); not settled." in text
    assert ">0.25</text>" in text
    assert "not settled" not in svg(argument_map, judge(argument_map), "Tea?")


@given(claim=st.text(), name=st.text(), title=st.text())
def test_any_text_is_safe_in_the_picture(claim: str, name: str, title: str) -> None:
    argument_map = ArgumentMap(nodes=(node(1, claim, by=name), node(2, f"<b>{claim}")), edges=(edge(2, 1),))
    root = ElementTree.fromstring(svg(argument_map, judge(argument_map), title))
    names = {element.tag.removeprefix(NS) for element in root.iter()}
    assert names <= {"svg", "title", "style", "defs", "marker", "path", "rect", "text", "g"}


def test_an_empty_map_is_a_picture_too() -> None:
    empty = ArgumentMap()
    assert ElementTree.fromstring(svg(empty, judge(empty), "Tea?")).get("width") == "712"


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
