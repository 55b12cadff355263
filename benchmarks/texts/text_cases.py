"""Texts with what a careful reader makes of them: each is read as a debate reads it, and the two are compared.

A file has one case per line, a JSON object: ``id``, ``kind``, ``candidates``, ``text``, ``expected``, ``why``, and
sometimes ``context``. A case is *harmful* where something is booked that no defensible reading books, and *exact*
where what is booked is one of the defensible readings.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from pydantic import BaseModel, JsonValue, ValidationError

from folkmoot import reading
from folkmoot.app.brief import types
from folkmoot.core.errors import FolkmootError

Kind: TypeAlias = Literal["vote_text", "verdict_scaffold", "moderator_text", "front_matter", "score_json"]
Booked: TypeAlias = dict[str, JsonValue]

MOST = 2**22
"""The most characters of a text whose placeholder is expanded."""


class Expansion(BaseModel):
    """What stands a number of times in place of a placeholder."""

    unit: str
    times: int


class NamedExpansion(Expansion):
    """The same with its placeholder."""

    placeholder: str


class CaseContext(BaseModel):
    """What the program knows beside the text."""

    voter: str = ""
    speaker: str = ""
    verdicts: tuple[str, ...] = ()
    proposals: Mapping[str, tuple[str, ...]] = {}
    question: str = ""
    statements: tuple[str, ...] = ()
    min: float = 0
    max: float = 10
    expand: NamedExpansion | Mapping[str, Expansion] | None = None

    @property
    def expansions(self) -> Iterator[tuple[str, str]]:
        """The placeholders, each with what stands in its place."""
        parts = {self.expand.placeholder: self.expand} if isinstance(self.expand, NamedExpansion) else self.expand
        for placeholder, part in (parts or {}).items():
            yield placeholder, part.unit * min(part.times, MOST // max(1, len(part.unit)))


class Case(BaseModel):
    """One text and the readings of it that can be defended."""

    id: str
    kind: Kind
    candidates: tuple[str, ...] = ()
    text: str
    expected: dict[str, JsonValue]
    why: str = ""
    context: CaseContext | None = None

    @property
    def known(self) -> CaseContext:
        """The context; an empty one where there is none."""
        return self.context or CaseContext()

    @property
    def whole_text(self) -> str:
        """The text with its placeholders expanded."""
        text = self.text
        for placeholder, words in self.known.expansions:
            text = text.replace(placeholder, words)
        return text

    @property
    def defensible(self) -> list[Booked]:
        """The readings that can be defended, as they are compared."""
        several = self.expected.get("any_of")
        readings = several if isinstance(several, list) else [self.expected]
        return [_comparable_reading(value) for value in readings if isinstance(value, dict)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The result of one case.

    Attributes:
        case: the case.
        booked: what a debate books from its text.
        exact: whether that is one of the defensible readings.
        harmful: whether anything is booked that no defensible reading books.
    """

    case: Case
    booked: Booked
    exact: bool
    harmful: bool


def read_cases(path: Path) -> list[Case]:
    """The cases of a file.

    Raises:
        FolkmootError: the file cannot be read, has no case, or a line is no case.
    """
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FolkmootError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    cases: list[Case] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            cases.append(Case.model_validate_json(line))
        except ValidationError as error:
            fault = error.errors()[0]
            field = ".".join(str(part) for part in fault["loc"]) or "the line"
            raise FolkmootError(f"{path}:{number}: {field}: {fault['msg']}") from error
        if problem := _problem(cases[-1]):
            raise FolkmootError(f"{path}:{number}: {problem}")
    if not cases:
        raise FolkmootError(f"{path} has no case; each line must be a JSON object with id, kind, text and expected")
    return cases


_WORD: Final = (str, type(None))

_FIELDS: Mapping[Kind, Mapping[str, tuple[type, ...]]] = {
    "vote_text": {"vote": _WORD, "abstain": (bool,)},
    "verdict_scaffold": {"verdict": _WORD, "withdrawn": (bool, type(None))},
    "moderator_text": {"status": _WORD, "decision": _WORD},
    "front_matter": {"ok": (dict,), "error": (str,)},
    "score_json": {"scores": (dict,), "error": (str,)},
}
"""What can be expected of each kind of text, and of which type it is."""


def _problem(case: Case) -> str:
    """What is wrong with a case, so that nothing can be compared; "" for nothing."""
    if case.kind in ("vote_text", "score_json") and not case.candidates:
        return f"candidates: a {case.kind} needs some"
    fields = _FIELDS[case.kind]
    readings = case.expected.get("any_of", [case.expected])
    for value in readings if isinstance(readings, list) and readings else [None]:
        if not isinstance(value, dict) or not value.keys() & fields.keys():
            return f"expected: a {case.kind} needs {' or '.join(fields)}, or any_of with a list of such objects"
        for name, part in value.items():
            if not isinstance(part, fields.get(name, object if name == "reason" else ())):
                return f"expected.{name}: {'the value does' if name in fields else 'it does'} not fit a {case.kind}"
    return ""


def check(case: Case) -> Verdict:
    """Read the text of a case as a debate does, and compare."""
    booked, defensible = _comparable_reading(READERS[case.kind](case)), case.defensible
    exact = any(_equal(booked, expected) for expected in defensible)
    return Verdict(case=case, booked=booked, exact=exact, harmful=not exact and _is_harmful(booked, defensible))


def _comparable_reading(value: Mapping[str, JsonValue]) -> Booked:
    """A reading without its reason; a decision without markup, its blanks joined, without a final stop."""
    parts = {name: part for name, part in value.items() if name != "reason"}
    decision = parts.get("decision")
    if isinstance(decision, str):
        parts["decision"] = " ".join(re.sub(r"[*_`#>]", "", decision).split()).rstrip(".。।")
    return parts


def _equal(booked: Booked, expected: Booked) -> bool:
    """Whether that is booked; of a brief only the listed fields count."""
    settings, listed = booked.get("ok"), expected.get("ok")
    if isinstance(settings, dict) and isinstance(listed, dict):
        return all(settings.get(name) == value for name, value in listed.items())
    return all(booked.get(name) == expected.get(name) for name in {**booked, **expected})


_NOTHING: Final = (None, False, "")


def _is_harmful(booked: Booked, defensible: Sequence[Booked]) -> bool:
    """Whether any value is booked that stands in none of the defensible readings."""
    return any(
        name != "error" and value not in _NOTHING and not any(expected.get(name) == value for expected in defensible)
        for name, value in booked.items()
    )


# ---- readers ---------------------------------------------------------------------------------------------------------


def _vote(case: Case) -> Booked:
    known = case.known
    vote = reading.read_vote(case.whole_text, case.candidates, voter=known.voter, proposals=known.proposals)
    return {"abstain": True} if vote.abstained else {"vote": vote.choice}


def _message(case: Case) -> Booked:
    known = case.known
    message = reading.read_message(
        case.whole_text, verdicts=known.verdicts, speaker=known.speaker, members=case.candidates
    )
    return {"verdict": message.verdict, "withdrawn": message.withdrawn}


def _ruling(case: Case) -> Booked:
    ruling = reading.read_ruling(case.whole_text)
    return {"status": ruling.status, "decision": ruling.decision}


def _scores(case: Case) -> Booked:
    rated = reading.read_scores(case.whole_text, case.candidates, low=case.known.min, high=case.known.max)
    return {"error": rated.why[0].code} if rated.why else {"scores": dict(rated.scores)}


def _brief(case: Case) -> Booked:
    brief = reading.read_brief(case.whole_text)
    if brief.why:
        return {"error": brief.why[0].code}
    stated: Booked = {name: [*value] if isinstance(value, tuple) else value for name, value in brief.settings.items()}
    aliases: Booked = {alias: stated[key.name] for key in types.HEADER if key.name in stated for alias in key.aliases}
    return {"ok": {**aliases, **stated}}


READERS: Final[Mapping[str, Callable[[Case], Booked]]] = MappingProxyType(
    {
        "vote_text": _vote,
        "verdict_scaffold": _message,
        "moderator_text": _ruling,
        "front_matter": _brief,
        "score_json": _scores,
    }
)
"""How a text of each kind is read."""


def report(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """A line for each case that is not exact, and the count."""
    for verdict in verdicts:
        if not verdict.exact:
            word = "HARMFUL" if verdict.harmful else "not exact"
            case = verdict.case
            booked, expected = _as_json(verdict.booked), _as_json(case.expected)
            yield f"{case.id} ({case.kind}): {word}: booked {booked}; expected {expected}"
    harmful, exact = (sum(getattr(outcome, name) for outcome in verdicts) for name in ("harmful", "exact"))
    yield f"harmful {harmful} of {len(verdicts)}, exact {exact} of {len(verdicts)}"


def _as_json(value: Mapping[str, JsonValue]) -> str:
    return json.dumps(value, ensure_ascii=False)
