"""How labelled texts are read: a report, and no gate.

``python -m benchmarks.labelled_texts FILE.jsonl …`` reads texts of voters and moderators with ``folkmoot.reading`` and
prints how many are read as their label says, how many aren't read, and how many are booked as something else. A row is
``{"kind": "vote_text" | "moderator_text", "text": …, "candidates": […], "expected": {"vote": "Ann" | null}}``; for a
moderator ``expected`` has ``status`` and ``decision``; ``{"any_of": […]}`` gives several labels that do.

Texts that take a vote back in irony may be booked as what their form says, so "booked against its label" isn't 0 here.
What has to be 0 is a booking of somebody else's words: ``tests/answers/test_whose_words.py``.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from folkmoot.reading import read_ruling, read_vote

AS_LABELLED, UNREAD, OTHER = "as labelled", "not read, though the label names a value", "booked against its label"


def main(files: list[str]) -> None:
    """Print a row for each kind of text and the first texts that are booked against their label."""
    counts, odd = Counter[tuple[str, str]](), list[str]()
    for file in files:
        for row in map(json.loads, Path(file).read_text(encoding="utf-8").splitlines()):
            outcome = _outcome(row)
            counts[row["kind"], outcome] += 1
            odd += [f"{row['kind']}: {row['text']!r}"] * (outcome == OTHER)
    for kind in sorted({kind for kind, _ in counts}):
        total = sum(count for (other, _), count in counts.items() if other == kind)
        print(f"{kind}: {total:,} texts;", "; ".join(f"{counts[kind, o]:,} {o}" for o in (AS_LABELLED, UNREAD, OTHER)))
    print(*(text[:200] for text in odd[:10]), sep="\n")


def _outcome(row: dict[str, Any]) -> str:
    labels = row["expected"].get("any_of", [row["expected"]])
    if row["kind"] == "vote_text":
        vote = read_vote(row["text"], row["candidates"], others=row["candidates"])
        found: dict[str, object] = {"vote": "ABSTAIN" if vote.abstained else vote.choice}
    else:
        ruling = read_ruling(row["text"], others=row["candidates"])
        found = {"status": ruling.status, "decision": ruling.decision}
    wanted = [{name: label[name] for name in found if name in label} for label in labels]
    if any(all(found[name] == value for name, value in label.items()) for label in wanted):
        return AS_LABELLED
    return UNREAD if not any(found.values()) else OTHER


if __name__ == "__main__":
    main(sys.argv[1:])
