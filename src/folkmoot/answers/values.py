"""Field values: the text, choice, number, flag or list that the words of a field are, and nothing beside it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from folkmoot.answers.text import fold, key
from folkmoot.core.ask import ABSTAIN, Field, Value, allows
from folkmoot.core.unread import Unread

Names: TypeAlias = Mapping[str, Sequence[str]]
"""By choice of a ballot, other words that name it, such as those of the proposal that it stands for."""

NO_NAMES: Names = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of an answer beside its words.

    Attributes:
        speaker: whose it is; "" where that is unknown.
        others: the names of the other participants, whose turns an answer may quote or invent.
        names: by choice, other words that name it.
        final: whether nobody is asked again: then words behind a choice, a formula or a message cost nothing.
    """

    speaker: str = ""
    others: Sequence[str] = ()
    names: Names = field(default_factory=dict[str, Sequence[str]])
    final: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a value was not read: a code, and the words that stood in the way."""

    reason: str
    seen: str = ""


@dataclass(slots=True)
class FieldValues:
    """What was read, by field name, and what was not."""

    fields: dict[str, Value] = field(default_factory=dict[str, Value])
    unread: list[Unread] = field(default_factory=list[Unread])

    def add(self, form_field: Field, value: Value | Fault) -> None:
        """Book a value, or note why there is none; a missing or empty field counts only where it is required."""
        if not isinstance(value, Fault):
            self.fields[form_field.name] = value
        elif form_field.required or value.reason not in ("missing", "empty", "no_form"):
            self.note(form_field.name, value.reason, value.seen)

    def note(self, name: str, reason: str, seen: str = "") -> None:
        """Note that a field was not read."""
        self.unread.append(Unread(name, reason, seen).cleaned())


_LETTERED = re.compile(r"\(?([a-z]|\d{1,2})(?:[).:]|\)[.:]?| [-–—])(?:\s+(\S.*))?", re.S)
_NAMED_LETTER = re.compile(r"(?:option|answer|choice) \(?([a-z]|\d{1,2})\)?")
_BESIDE = re.compile(r"([^()]*[^()\s])\s*\(([^()]{1,200})\)\W{0,9}")
_TWICE = re.compile(r"([^:,–—]{1,200}?)(?:\s?[:,–—]|\s-)\s(.{1,4000})")
_BOXED = re.compile(r"\\boxed\{([^{}]*)\}")
_JOINTS = re.compile(r"(?<=\w)[ _‐-](?=\w)")


def pick(choices: Sequence[str], raw: str, names: Names = NO_NAMES) -> str | Fault:
    """The one choice that the words are, in its own spelling; a remark in brackets may stand behind it ("T2 (Ben)").

    Emphasis, case, articles, punctuation and width don't matter.
    """
    for plain in (raw.strip(), raw.strip().strip("*_`")):
        if plain in choices:
            return plain
    words = _BOXED.sub(r"\1", raw).strip("$ ")
    wanted = key(words)
    if not wanted:
        return Fault("empty")
    keys = {choice: key(choice) for choice in choices}
    joined, ends = _JOINTS.sub("", wanted), {name.rpartition(" ")[0] for name in keys.values()} - {""}
    hits = (
        [choice for choice, name in keys.items() if name == wanted]
        or _by_letter(keys, fold(words).strip(" *_`\"'"))
        # "no hire" is NO_HIRE, "Agent 1" is Agent1
        or [choice for choice, name in keys.items() if _JOINTS.sub("", name) == joined]
        # "B" is Proposal B
        or [choice for choice, name in keys.items() if len(ends) == 1 < len(keys) and name.endswith(f" {wanted}")]
        or [choice for choice in keys if any(key(other) == wanted for other in names.get(choice, ()))]
    )
    if hits:
        return hits[0] if len(hits) == 1 else Fault("ambiguous", raw)
    if twice := _TWICE.fullmatch(words):  # "Proposal C: keep cars", where that is what C proposes
        value = pick(choices, twice[1], names)
        if key(twice[2]) in map(key, names.get(str(value), ())):
            return value
    if not (beside := _BESIDE.fullmatch(words)):
        return Fault("not_allowed", raw)
    value = pick(choices, beside[1], names)
    others = (name for choice, name in keys.items() if choice != value)
    return Fault("ambiguous", raw) if any(name in fold(beside[2]) for name in others) else value


def _by_letter(keys: Mapping[str, str], words: str) -> list[str]:
    """The choices that the words name by letter or text ("B) No"); none where the choices aren't lettered."""
    options = [(choice, _LETTERED.fullmatch(fold(choice))) for choice in keys]
    parts = {choice: (found[1], key(found[2])) for choice, found in options if found and found[2]}
    if len(parts) < len(keys):
        return []
    lettered = _LETTERED.fullmatch(words)
    named = lettered or _NAMED_LETTER.fullmatch(words.strip(".:"))
    letter = named[1] if named else words.strip("()[].: ")
    text = key(lettered[2] or "") if lettered else ""
    by_text = [choice for choice, (_, own) in parts.items() if own == (text or key(words))]
    by_letter = [choice for choice, (own, _) in parts.items() if own == letter]
    return [choice for choice in by_letter if choice in by_text] if text else by_letter or by_text


_STOP = re.compile(r"\Z|[*_`\"')\]]*(?:\s|\Z|[.,;:!?](?:\s|\Z)|[–—。，；：！？、])")


def names_one(words: str, names: Sequence[str]) -> bool:
    """Whether one of the names stands in folded words."""
    places = re.finditer(r"(?<!\w)(?=\S)", words)
    return any(_begins_with(words, name, place.start()) for place in places for name in names)


def _begins_with(words: str, name: str, start: int = 0) -> bool:
    """Whether a name as a whole begins there: ``agent1`` doesn't begin ``agent10``, nor ``c`` ``c++``."""
    return bool(name) and words.startswith(name, start) and _STOP.match(words, start + len(name)) is not None


def _pick_before_words(choices: Sequence[str], raw: str, *, final: bool) -> str | Fault:
    """The choice with which the words begin (``Ben. The figures speak for it``), where they name no other one."""
    folded = fold(raw).lstrip(" *_`\"'([")
    starts = [choice for choice in choices if _begins_with(folded, key(choice))]
    named = max(starts, key=len, default="")
    if not named or [key(choice) for choice in starts].count(key(named)) > 1:
        return Fault("not_allowed", raw)
    rest = folded[len(key(named)) :]
    if names_one(rest, [key(choice) for choice in choices if choice != named]):
        return Fault("ambiguous", raw)
    return named if final else Fault("words_behind", rest.strip(" *_.,"))


def read_choice(form_field: Field, raw: str, names: Names = NO_NAMES) -> Value | Fault:
    """The choice that the words are, or ``ABSTAIN`` where the field allows it."""
    if form_field.abstain and _ABSTENTION.fullmatch(key(raw)) and key(raw) not in map(key, form_field.choices):
        return ABSTAIN
    return pick(form_field.choices, raw, names)


_NUMBER = re.compile(
    r"(?:[a-z]{1,12}\s?=\s?)?[~≈]?"
    r"(?P<number>[+-]?(?:\d{1,3}(?:,\d{3})+(?:\.\d{1,60})?|\d{1,15},\d{1,2}|\d{1,400}(?:\.\d{1,60})?|\.\d{1,60})(?:e[+-]?\d{1,2})?)"
    r"\s*(?:(?P<percent>%)|(?:/|out of)\s*(?P<top>\d{1,6}))?(?:\s*points?)?"
)
_TWO_PARTS = re.compile(r"([^()]{1,40}?)\s?\(([^()]{1,40})\)?")
_SIGNS: Mapping[int, int | None] = {0x2212: ord("-"), ord("\\"): None, ord("$"): None}


def read_number(form_field: Field, raw: str) -> Value | Fault:
    """The number that the words give on the field's scale: ``7``, ``7/10``, ``90 %``, ``.5``, ``0,5``, ``high (0.9)``."""
    words = fold(_BOXED.sub(r"\1", raw).translate(_SIGNS)).strip(" *_`\"'[]()").rstrip(".。;,) ")
    found = _NUMBER.fullmatch(words)
    if not found:
        parts = _TWO_PARTS.fullmatch(words)
        numbers = [part for part in parts.groups() if re.search(r"\d", part)] if parts else []
        values = {read_number(form_field, number) for number in numbers}
        return values.pop() if len(values) == 1 else Fault("ambiguous" if values else "invalid_number", raw)
    digits = found["number"]
    digits = digits.replace(",", ".") if re.fullmatch(r"[+-]?\d+,\d{1,2}", digits) else digits.replace(",", "")
    number: int | float = float(digits) if "." in digits or "e" in digits or len(digits) > 18 else int(digits)
    top = 100.0 if found["percent"] else float(found["top"] or 0)
    if top and form_field.high != top:
        if form_field.high != 1:
            return Fault("invalid_number", raw)
        number = number / top
    return number if allows(form_field, number) else Fault("out_of_range", str(number))


_ABSTENTION = re.compile(r"(?:i )?abstain(?: from voting)?")
_ABSTAINS = re.compile(rf"{_ABSTENTION.pattern}(?:\Z|\s*[-–—:;,.(])")
STRUCK = re.compile(r"~~[^~\n]{1,400}~~")
"""Words that are struck through: nobody says them."""

_NOTHING = ("", "none", "none yet", "n/a", "null")


def read_value(form_field: Field, raw: str, known: Known = Known()) -> Value | Fault:
    """The value that the words of one field are.

    A text may have any number of rows; of any other value the first row counts, and a further row may not be another
    value.
    """
    words = raw.strip()
    if _is_slot(form_field, words):
        return Fault("empty")
    words = words.removeprefix(OPTIONAL).lstrip()
    if form_field.kind == "text":
        words = re.sub(r"\A(\*\*|__)((?:(?!\1).)+)\1\Z", r"\2", words, flags=re.S)
        nothing = (form_field.abstain or not form_field.required) and key(words) in _NOTHING
        if nothing or not re.search(r"\w", words):
            return Fault("empty")
        if form_field.abstain and _ABSTAINS.match(key(words)):
            return ABSTAIN if form_field.required else Fault("empty")
        return words
    # A value is looked for in the beginning of a row alone, since folding can make many characters of one.
    rows = [row[:4_000] for row in words.split("\n") if re.search(r"\w", row)] or [words[:4_000]]
    if form_field.kind == "list":
        items = (re.sub(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+", "", row).strip() for row in rows)
        return read_items(form_field, tuple(filter(None, items))) if words else Fault("empty")
    if rows[0] not in form_field.choices:
        rows = [STRUCK.sub("", row) for row in rows]
        if not re.search(r"\w", rows[0]):
            return Fault("empty")

    def read_row(row: str) -> Value | Fault:
        if form_field.kind == "number":
            return read_number(form_field, row)
        row = row if row in form_field.choices else re.sub(r"\A\s*[-*+•]\s+(?=[^\W\d])", "", row)
        if form_field.kind == "flag":
            return {"true": True, "false": False}.get(key(row), Fault("not_allowed", row))
        value = read_choice(form_field, row, known.names)
        nothing = not form_field.required and isinstance(value, Fault) and key(row) in _NOTHING
        return Fault("empty") if nothing else value

    value, *others = map(read_row, rows)
    if form_field.kind == "choice" and isinstance(value, Fault) and value.reason == "not_allowed":
        value = _pick_before_words(form_field.choices, rows[0], final=known.final)
    differ = any(not isinstance(other, Fault) and other != value for other in others)
    return Fault("ambiguous", words) if differ else value


def _is_slot(form_field: Field, words: str) -> bool:
    """Whether the words are what stands in the template in place of a value; of a text, whether it begins with that."""
    row, slot = words.partition("\n")[0], placeholder(form_field)
    slots = [slot, slot.removeprefix(OPTIONAL), allowed_values(form_field, abstain=False), form_field.help]
    if form_field.kind == "choice":
        # The slot of a single choice may be the choice itself; what may be left out has a mark.
        slots = slots[:3] if len(form_field.choices) > 1 else slots[:1] if OPTIONAL in slot else []
    near = [slot for slot in slots if len(row) < 2 * len(slot) + 10 and slot]
    return any(re.findall(r"\w+", fold(row)) == re.findall(r"\w+", fold(slot)) for slot in near)


def read_items(form_field: Field, items: tuple[str, ...]) -> Value | Fault:
    """The items of a list; where it has choices each is one of them, in their spelling, and none is there twice."""
    if not form_field.choices:
        return items
    named = [pick(form_field.choices, item) for item in items]
    if faults := [name for name in named if isinstance(name, Fault)]:
        return faults[0]
    return tuple(map(str, named)) if len(set(named)) == len(named) else Fault("duplicate_key")


def the_same(values: Sequence[Value | Fault]) -> Value | Fault:
    """The value that all readings of a field agree on."""
    if not values:
        return Fault("no_form")
    alike = all(value == values[0] for value in values) or all(isinstance(value, Fault) for value in values)
    said = (value.seen or value.reason if isinstance(value, Fault) else str(value) for value in values)
    return values[0] if alike else Fault("ambiguous", ", ".join(dict.fromkeys(said)))


OPTIONAL = "(optional)"
"""What stands in a slot that may be left out."""


def placeholder(form_field: Field) -> str:
    """What stands in a template in place of the field's value: its kind, and what it is for."""
    helped = f": {form_field.help}" if form_field.help and form_field.kind != "text" else ""
    slot = f"[{allowed_values(form_field, abstain=False)}{helped}]"
    return slot if form_field.required else f"{OPTIONAL} {slot}"


def allowed_values(form_field: Field, *, abstain: bool = True) -> str:
    """What may stand in a field, in a few words; ``abstain``: also that one may abstain, where one may."""
    choices = ", ".join(f'"{choice}"' for choice in form_field.choices)
    low, high = form_field.low, form_field.high
    match form_field.kind:
        case "choice":
            values = f"one of {choices}" if len(form_field.choices) > 1 else choices or "a name"
        case "flag":
            values = "true or false"
        case "number" if low is not None and high is not None:
            values = f"a number from {low:g} to {high:g}"
        case "number":
            ends = f" of at least {low:g}" if low is not None else f" of at most {high:g}" if high is not None else ""
            values = f"a number{ends}"
        case "list":
            values = f'a list{f" of {choices}" if choices else ""} (one line for each, beginning with "- ")'
        case _:
            values = form_field.help or "your text"
    return f"{values}, or abstain" if abstain and form_field.abstain else values


def value_text(form_field: Field, value: Value) -> str:
    """A value as it is written in a form."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "\n" + "\n".join(f"- {item}" for item in value)
    return repr(value) if isinstance(value, float) else str(value)
