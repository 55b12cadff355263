"""The argument map in the format of another tool: every claim and link is in it, and no text can break it."""

from folkmoot.arguments.argdown import argdown
from folkmoot.arguments.argument_map import ArgumentMap, ClaimTurn, Edge, Judgement, Node


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


def test_an_empty_map_says_so() -> None:
    assert argdown(ArgumentMap(), Judgement(), "?") == '===\ntitle: "?"\n===\n\n# Nobody made a claim\n'
