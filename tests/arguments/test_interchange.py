"""The argument map in the formats of other tools: every claim and link is in them, and no text can break them."""

import json
from typing import Any

from folkmoot.arguments.argument_map import ArgumentMap, ClaimTurn, Edge, Judgement, Node
from folkmoot.arguments.interchange import aif, argdown


def claim(mark: str, words: str, by: str, act: str = "argue") -> Node:
    return Node(mark=mark, claim=words, made=(ClaimTurn(mark=mark, key=f"/{mark}", by=by, act=act),))


MAP = ArgumentMap(
    nodes=(
        claim("T1", "Tea is calm.", "Ann"),
        claim("T2", "It has [no] {sugar}: <b>never</b> // *ever*\n#x", "Bob"),
        claim("T3", "Calm is not all.", "Cy"),
        claim("T4", "Sugar bears nothing.", "Cy"),
        claim("T5", "What of coffee?", "Bob", act="question"),
        claim("T6", "Nobody has reasons.", "Bob"),
    ),
    edges=(
        Edge(source="T2", target="T1", relation="SUPPORT"),
        Edge(source="T3", target="T1", relation="ATTACK"),
        Edge(source="T4", target="T1", relation="REBUT"),
        Edge(source="T5", target="T1", relation="QUESTION"),
        Edge(source="T1", target="T5", relation="ANSWER"),
        Edge(source="T6", target="T3", relation="REBUT"),
    ),
)
JUDGED = Judgement(standing={"T1": "out", "T3": "in"}, strength={"T1": 0.25})


def test_argdown_has_each_claim_with_what_bears_on_it() -> None:
    text = argdown(MAP, JUDGED, 'Tea\nor "coffee"?')
    assert text.startswith('===\ntitle: "Tea or \\"coffee\\"?"\n===\n\n')
    first = text.split("\n\n")[1].split("\n")
    assert first == [
        '[T1]: Tea is calm. {"by": ["Ann"], "standing": "out", "strength": 0.25}',
        "  + [T2]",
        "  - [T3]",
        "  - [T4]",
        "  // T5 asks about T1",
    ]
    assert "[T2]: It has \\[no\\] \\{sugar\\}\\: \\<b\\>never\\<\\/b\\> \\/\\/ \\*ever\\* \\#x {" in text
    assert "  // T1 answers T5" in text


def test_aif_has_claims_links_and_who_said_what() -> None:
    data: dict[str, Any] = json.loads(aif(MAP))
    kinds = {node["nodeID"]: node["type"] for node in data["nodes"]}
    texts = {node["nodeID"]: node["text"] for node in data["nodes"]}
    counts = {kind: list(kinds.values()).count(kind) for kind in ("I", "L", "YA", "RA", "CA", "TA")}
    assert counts == {"I": 6, "L": 6, "YA": 6, "RA": 1, "CA": 3, "TA": 2}
    onto = {edge["fromID"]: edge["toID"] for edge in data["edges"] if kinds[edge["fromID"]] in ("RA", "CA", "TA")}
    (support,) = (id for id, kind in kinds.items() if kind == "RA")
    assert texts[onto[support]] == "Tea is calm."
    aims = [kinds[onto[id]] for id, kind in kinds.items() if kind == "CA"]
    assert aims == ["I", "RA", "I"]  # a rebuttal of reasons that there are, and one where there are none
    assert {person["firstname"] for person in data["participants"]} == {"Ann", "Bob", "Cy"}
    assert next(texts[item["nodeID"]] for item in data["locutions"]) == "Ann : Tea is calm."
    assert "Pure Questioning" in texts.values()
    assert all(edge["fromID"] in kinds and edge["toID"] in kinds for edge in data["edges"])


def test_an_empty_map_is_an_empty_graph() -> None:
    assert json.loads(aif(ArgumentMap()))["nodes"] == []
    assert argdown(ArgumentMap(), Judgement(), "?") == '===\ntitle: "?"\n===\n\n# Nobody made a claim\n'
