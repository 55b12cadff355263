"""Scripted reviews: participants of several vendors, an artefact, and answers in the forms of a review."""

from collections.abc import Mapping

from folkmoot.core.brief import Brief, Duty, Participant, Source
from folkmoot.reviews.artefact import AUTHOR, Artefact, whole_file
from folkmoot.reviews.diff_reader import files_of, read_diff
from tests.kits.diffs import unified

OLD = "".join(f"line {n}\n" for n in range(1, 101))
NEW = OLD.replace("line 10\n", "while page:\n").replace("line 30\n", "line thirty\n")
FACTS = {"kind": "diff", "base": "b" * 40, "head": "h" * 40}
CHANGED = files_of(read_diff(unified("a.py", OLD, NEW)), lambda path: NEW.encode())
ARTEFACT = Artefact(
    files=(*CHANGED, whole_file("b.md", OLD)), facts={"kind": "diff", "base": "b" * 40, "head": "h" * 40}
)


def person(name: str, vendor: str, duty: Duty = "debater") -> Participant:
    """A participant whose model is of that vendor."""
    return Participant(name=name, seat=f"{vendor}:model", duty=duty)


TWO = (person("R1", "one"), person("R2", "two"))


def review_brief(people: tuple[Participant, ...] = TWO, words: str = "", artefact: Artefact = ARTEFACT) -> Brief:
    """A brief of a review, with the author's words where there are any."""
    library = (Source(name=AUTHOR, text=words),) if words else ()
    return Brief(topic="Which faults are there?", background=artefact.sources(), library=library, participants=people)


def finding(lines: str = "10", quote: str = "while page:", **more: str) -> str:
    """A finding as a reviewer writes it."""
    usual = {"FILE": "a.py", "LINES": lines, "SEVERITY": "high", "CATEGORY": "correctness", "CLAIM": "It never ends."}
    return block("FINDING", {**usual, "QUOTE": quote, **more})


def verdict(word: str, cite: str = "a.py:10", quote: str = "while page:", **more: str) -> str:
    """A refuter's answer."""
    cited = {"CITE": cite, "QUOTE": quote} if cite else {}
    return block("CHECK", {**cited, "REASON": "The lines show it.", **more, "VERDICT": word})


def ruling(word: str, cite: str = "a.py:10", quote: str = "while page:") -> str:
    """A judge's answer."""
    return block("CHECK", {"CITE": cite, "QUOTE": quote, "REASON": "So it is.", "RULING": word})


def reply(word: str) -> str:
    """A finder's reply."""
    return f"REASON: I have read it.\nANSWER: {word}"


def block(word: str, fields: Mapping[str, str]) -> str:
    """A block of labelled lines."""
    return "\n".join([word, *(f"{name}: {value}" for name, value in fields.items()), "END"])
