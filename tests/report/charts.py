"""What holds of every flowchart: the rules that any text of ours in Mermaid's language has to keep."""

import re
from collections.abc import Mapping

_ID = r"[A-Za-z]\w*"
_LABEL = r'"((?:[^"#\[\]{}<>|;`]|#\d+;|<br/>)+)"'
_BOX = re.compile(rf"    ({_ID})(?:\(\[{_LABEL}\]\)|\[{_LABEL}\]|\{{{_LABEL}\}})")
_ARROW = re.compile(rf"    ({_ID}) (?:-->|-\.->)(?:\|{_LABEL}\|)? ({_ID})")
_STYLE = re.compile(rf"    (?:classDef here [\w:-]+|class ({_ID}) here)")
_KEPT = {"end", "default", "graph", "subgraph", "flowchart", "class", "click", "style", "linkStyle"}


def check_chart(text: str) -> Mapping[str, str]:
    """The boxes of a flowchart by their ids: each made once, all reached, every label escaped, every line known."""
    head, *lines, last = text.split("\n")
    assert re.fullmatch("flowchart (TD|LR)", head)
    assert last == ""
    boxes: dict[str, str] = {}
    arrows: list[tuple[str, str]] = []
    for line in lines:
        if match_ := _BOX.fullmatch(line):
            assert match_[1] not in boxes, f"{match_[1]} is there twice"
            assert match_[1] not in _KEPT, f"{match_[1]} is a word of Mermaid"
            boxes[match_[1]] = next(filter(None, match_.groups()[1:]))
        elif match_ := _ARROW.fullmatch(line):
            arrows.append((match_[1], match_[3]))
        else:
            assert _STYLE.fullmatch(line), f"no line of a flowchart: {line}"
    ends = {word for arrow in arrows for word in arrow}
    assert ends == set(boxes), "every box has an arrow, and every arrow two boxes"
    assert _reached(next(iter(boxes)), arrows) == set(boxes)
    return boxes


def _reached(start: str, arrows: list[tuple[str, str]]) -> set[str]:
    visited, ahead = {start}, [start]
    while ahead:
        now = ahead.pop()
        new = {target for source, target in arrows if source == now} - visited
        visited |= new
        ahead += new
    return visited
