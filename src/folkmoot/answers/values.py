"""Field values: how texts, choices, numbers, flags and lists are read from the words of a field."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from folkmoot.answers import retraction
from folkmoot.answers.candidates import Candidates, Stated
from folkmoot.answers.mentions import choice_in
from folkmoot.answers.plain_text import fold, key, match, unquoted_lines, without_elements, without_strikes
from folkmoot.answers.words import formulas, phrases
from folkmoot.core.ask import ABSTAIN, Field, Value
from folkmoot.core.text import late_pattern


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a value was not read, in one word."""

    reason: str


_WHY: Mapping[str, str] = {
    "no_form": "the answer is not in the form",
    "missing": "it is not there",
    "empty": "nothing is written there",
    "vague": "it names nothing that is to be done; say in words of the question what is decided, or that it is open",
    "ambiguous": "it can be understood in more than one way",
    "negated": "only a refusal is there",
    "conditional": "it depends on a condition",
    "quoted_only": "it stands only in a quotation",
    "unknown_name": "no candidate has that name",
    "not_allowed": "that is not one of the allowed values",
    "invalid_number": "that is not a number on the scale",
    "out_of_range": "the number is outside of the scale",
    "wrong_type": "that is not the kind of value that is asked for",
    "duplicate_key": "it is given twice",
    "unknown_candidate": "nobody of that name is to be scored",
    "missing_candidate": "it has no score",
    "malformed": "the form is broken",
    "unclosed": "a closing tag is missing",
    "inside_content": "it stands inside another field; it needs a tag of its own",
    "truncated": "the answer was cut off",
    "speaker_mismatch": "the message is in somebody else's name",
    "too_large": "the answer is too long",
    "too_many": "there are more than can be read; give the worst",
}


def reason_in_words(code: str) -> str:
    """A reason of ``unread`` as words for readers; a reason of several words is a sentence already."""
    return _WHY.get(code, code if " " in code else "it could not be read")


@dataclass(slots=True)
class FieldValues:
    """What was read, and what was not.

    Attributes:
        fields: values by field name.
        unread: ``name: reason`` for what could not be read.
    """

    fields: dict[str, Value] = field(default_factory=dict[str, Value])
    unread: list[str] = field(default_factory=list[str])

    def copy(self) -> "FieldValues":
        """The same once more, to be changed."""
        return FieldValues(dict(self.fields), list(self.unread))

    def add(self, form_field: Field, value: Value | Fault) -> None:
        """Book a value, or note why there is none; a missing or empty field counts only where it is required."""
        if not isinstance(value, Fault):
            self.fields[form_field.name] = value
        elif form_field.required or value.reason not in ("missing", "empty", "no_form"):
            self.unread.append(f"{form_field.name}: {value.reason}")

    def drop_joined(self, form_fields: Sequence[Field]) -> None:
        """Book no text that holds the label of a required field which was not found on a line of its own."""
        lacking = (item.name for item in form_fields if item.required and item.name not in self.fields)
        names = "|".join(re.escape(name) for name in lacking if name.isupper()) or "(?!)"
        label = re.compile(rf"(?<![\w-])(?:{names})(?![\w-])[^\n:：]{{0,20}}[:：]")
        for item in form_fields:
            if isinstance(value := self.fields.get(item.name), str) and label.search(value):
                del self.fields[item.name]
                self.unread.insert(0, f"{item.name}: ambiguous")


_NONE = re.compile(
    r"(?:(?:none|nothing|no decision|no verdict|(?:still )?undecided|not decided)(?: yet| so far| for now)?"
    r"|n/?a|null|nil|not applicable|not yet|tbd|to be (?:determined|decided)|not yet decided|pending|not settled"
    r"|[-\u2013\u2014]*)"
)
_CLAUSE = re.compile(
    r"[.,;:!(\n\u2013\u2014]|\s-\s|\s(?:because|since|as|due to)\b"
    r"|\sfrom (?:voting\b|(?:giving )?(?:a|any|the|this) (?:verdict|vote|decision)\b)"
)
"""Where the first words of a position end: its reasons, or a remark, stand behind."""
_SLOT = re.compile(
    r"<[^<>\n]{1,300}>|\[(?=[^\[\]\n]*\b(?:your|the|an?|if|here|of|or|only|name|text|what|why|how|insert|enter|fill|state)\b)[^\[\]\n]{3,297}(?:[^\[\]\n.!?]|\.\.\.)\]|\.\.\.|…"
)
_NUMBER = re.compile(
    r"([+-]?)(\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,60})?(?!\d)|\d{1,15},\d{1,2}(?!\d)|\d{1,400}(?:\.\d{1,60})?|\.\d{1,60})"
)
_ABOUT = re.compile(
    r"(?:[~≈]|(?:about|around|approx(?:\.|imately)?|roughly|ca\.?|circa|etwa|ungefähr|environ|aproximadamente"
    r"|cerca de|около|примерно|około)(?= )|大约|大約|约|約)[ \t]*"
    r"|(?:(?:very|quite|fairly|rather) )?(?:high|medium|moderate|low|strong)[ \t]*"
    r"(?:\((?=[^()]*\)?[\s.]*$)|[,:][ \t]|[\u2013\u2014-][ \t])",
    re.IGNORECASE,
)
"""What may stand before a number and leaves it as it is ("about 0.8", "High (0.85)")."""
_SCALE = re.compile(
    r"\s*(?:%|percent\b|(?:/|out of|of)\s*(\d{1,6}(?:\.\d{1,6})?))?\s*(?:(?:points?|marks?)\b)?[\s.;]*"
    r"(?:$|(?:[(\u2013\u2014]|-\s|,\s)\s*(?=[^\d\s])|because\b)"
)
_DOUBT = re.compile(r"\d|\b(?:no|hardly|rather|instead|false|scarcely|barely|but|or)\b")
_BARE = re.compile(r"\W*\d[\d.,/% ]*\W*")
_JOINT = re.compile(r"(?<=\w)[ \u2010-](?=\w)")
_WIDE = {ord("０") + digit: ord("0") + digit for digit in range(10)} | {
    0xFF0E: ord("."),
    0xFF05: ord("%"),
    0xFF0D: ord("-"),
    0x2212: ord("-"),
}


def placeholder(form_field: Field) -> str:
    """What stands in a template in place of the field's value."""
    match form_field.kind:
        case "choice":
            return f"[{' or '.join(form_field.choices) or 'a name'}]"
        case "flag":
            return "[true or false]"
        case "number":
            return f"[a number{_range(form_field)}]"
        case "list":
            which = f" of {', '.join(form_field.choices)}" if form_field.choices else ""
            return f'[a list{which}: one line for each, beginning with "- "]'
        case _:
            return f"[{form_field.help or 'your text'}]"


def value_text(form_field: Field, value: Value) -> str:
    """A value as it is written in a form."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "\n" + "\n".join(f"- {item}" for item in value)
    return repr(value) if isinstance(value, float) else str(value)


def _range(form_field: Field) -> str:
    low, high = form_field.low, form_field.high
    if low is not None and high is not None:
        return f" from {low:g} to {high:g}"
    return f" of at least {low:g}" if low is not None else f" of at most {high:g}" if high is not None else ""


def read_value(form_field: Field, raw: str, *, loose: bool = False) -> Value | Fault:
    """The value that the words of one field hold.

    Args:
        form_field: the field.
        raw: the words.
        loose: whether a remark may follow a choice and "not X" may stand for the other of two choices.
    """
    bare = raw.strip()
    if not bare or (form_field.kind != "text" and not key(bare) and key(bare) not in map(key, form_field.choices)):
        return Fault("empty")
    match form_field.kind:
        case "choice":
            if not form_field.required and _NONE.fullmatch(key(bare)) and key(bare) not in map(key, form_field.choices):
                return Fault("empty")
            return read_choice(form_field, bare, loose=loose)
        case "number":
            return read_number(form_field, bare)
        case "flag":
            return {"true": True, "false": False}.get(key(bare), Fault("not_allowed"))
        case "list":
            items = tuple(
                item for row in bare.split("\n") if (item := re.sub(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+", "", row).strip())
            )
            return read_items(form_field, items) if not is_blank(form_field, bare) else Fault("empty")
        case _:
            return _read_text(form_field, bare)


def _read_text(form_field: Field, raw: str) -> Value | Fault:
    if is_blank(form_field, raw):
        return Fault("empty")
    if not form_field.abstain:
        return raw
    head = key(_CLAUSE.split(fold(raw), maxsplit=1)[0])
    if _NONE.fullmatch(head or key(raw)):
        return Fault("empty")
    if _takes_no_position(head):
        return ABSTAIN if form_field.required else Fault("empty")
    return raw


def _takes_no_position(words: str) -> bool:
    """Whether the first words of a position say that somebody takes none."""
    patterns = (pattern for needle, pattern in formulas.ABSTENTIONS if needle in words)
    return formulas.OWN_ABSTENTION.fullmatch(words) is not None or any(re.match(text, words) for text in patterns)


def is_blank(form_field: Field, raw: str) -> bool:
    """Whether the words of a text only say that there is nothing, or repeat the template."""
    nothing = not form_field.required and _NONE.fullmatch(key(raw)) is not None
    return nothing or raw == placeholder(form_field) or _SLOT.fullmatch(raw) is not None


def read_items(form_field: Field, items: tuple[str, ...]) -> Value | Fault:
    """The items of a list; where it has choices each is one of them, in their spelling, and none is there twice."""
    if not form_field.choices:
        return items
    named = tuple(name for item in items if (name := match(form_field.choices, item)) is not None)
    if len(named) < len(items):
        return Fault("unknown_name")
    return named if len(set(named)) == len(named) else Fault("duplicate_key")


def read_choice(form_field: Field, raw: str, *, loose: bool) -> Value | Fault:
    """The choice that the words name, in its own spelling, or ``ABSTAIN``."""
    if "~~" in raw and raw not in form_field.choices:
        return _choice(form_field, without_strikes(raw)) or Fault("ambiguous")
    if loose and (corrected := _CORRECTED.fullmatch(fold(raw).strip())):
        raw = corrected[1]
    if (exact := _choice(form_field, raw)) is not None:
        return exact
    if loose and (sentence := _IS.fullmatch(raw.strip())) and (stated_choice := _choice(form_field, sentence[1])):
        return stated_choice
    if form_field.abstain and key(raw) in ("abstain", "i abstain", "i abstain from voting"):
        return ABSTAIN
    if not loose:
        return Fault("not_allowed")
    if other := _negated_choice(form_field, raw):
        return other
    rows = [row for row in raw.split("\n") if row.strip()]
    first = _choice(form_field, rows[0])
    pick = choice_in(form_field.choices, rows[0])
    agrees = [row for row in rows[1:] if first and _negated_choice(form_field, row.partition(":")[0]) == first]
    later = without_elements(unquoted_lines("\n".join(row for row in rows[1:] if row not in agrees)))
    rival = any(_choice(form_field, row) not in (None, first or pick.name) for row in rows[1:])
    if rival or retraction.taken_back(
        fold(later), stated(form_field, first or _negated_choice(form_field, rows[0]) or pick.name)
    ):
        return Fault("ambiguous")
    denied = _negated_choice(form_field, rows[0]) if len(rows) > 1 else None
    return first or denied or pick.name or Fault(pick.fault)


_IS = late_pattern(
    r"(?i:(?:the |this )?(?:debate|discussion|matter|question|status) (?:is|remains|should|must)(?: now)?)"
    r" ([A-Z_]{2,40})\.?"
)
"""A choice as the end of a sentence that says no more ("The debate is SETTLED.")."""

_CORRECTED = late_pattern(
    rf"[^\n]{{1,60}}?[.,;:!?。\u2013\u2014-]\s*(?:{phrases.CORRECTION.pattern})\s*:\s*([^\n]{{1,60}})"
)
"""A choice that its author corrects on the same line."""


def stated(form_field: Field, value: Value | None) -> Stated | None:
    """A field's value among its choices; None where the field has none."""
    return (
        Stated(Candidates.of(form_field.choices), key(value) if isinstance(value, str) else "")
        if form_field.choices
        else None
    )


def is_upheld(form_field: Field, value: Value, behind: Sequence[str]) -> bool:
    """Whether nothing in the fields behind a position or a required choice takes it back.

    A choice that needs another field is a ruling: ``rulings`` says where that ends, and what takes it back.
    """
    if form_field.needs:
        return True
    if form_field.kind not in ("choice", "text") or not (
        form_field.abstain or (form_field.kind == "choice" and form_field.required)
    ):
        return True
    words = [fold(without_elements(unquoted_lines(text))) for text in behind]
    return not retraction.taken_back_in_fields(words, stated(form_field, value))


def _choice(form_field: Field, raw: str) -> str | None:
    """The choice that the raw words are and nothing else; None where they are none, or more than one.

    In a choice in capitals, which is a word of the form's and nobody's name, a blank, a hyphen and an underscore are
    the same: ``no hire`` is ``NO_HIRE``.
    """
    if (exact := match(form_field.choices, raw)) is not None:
        return exact
    near = [
        choice
        for choice in form_field.choices
        if "\n" not in raw.strip() and _with_underscores(choice) == _with_underscores(raw)
    ]
    return near[0] if len(near) == 1 and near[0].isupper() else None


def _with_underscores(words: str) -> str:
    return _JOINT.sub("_", key(words))


def _negated_choice(form_field: Field, raw: str) -> str | None:
    """The other of two choices, where one that ends in -ed is plainly denied ("not settled", "unsettled")."""
    if len(form_field.choices) != 2:
        return None
    for choice, other in (form_field.choices, form_field.choices[::-1]):
        first_clause = key(re.split(r"[.(;,\u2013\u2014]|\s-\s", fold(raw), maxsplit=1)[0])
        name = key(choice)
        if name.endswith("ed") and first_clause in {
            f"{no}{name}" for no in ("not ", "not yet ", "still not ", "un", "un-", "non-", "still un", "is not ")
        }:
            whole = key(raw)
            return (
                other
                if whole == first_clause or not (set(re.findall(r"\w+", whole)[2:]) & {name, "un" + name})
                else None
            )
    return None


def number_labels(form_field: Field) -> Iterator[str]:
    """The labels that stand for a number's own ("CONFIDENCE LEVEL")."""
    words = ("estimate", "level", "rating", "score", "value") if form_field.kind == "number" else ()
    return (f"{form_field.name} {word}" for word in words)


def read_number(form_field: Field, raw: str) -> Value | Fault:
    """The number that the words give on the field's scale: ``7``, ``7/10``, ``90%``, ``0.9 (fairly sure)``."""
    rows = [row for row in raw.split("\n") if row.strip()]
    if any(_BARE.fullmatch(row) for row in rows[1:]):
        return Fault("ambiguous")
    text = re.sub(r"^[\s*_`\"'\[(]+|[*_`\"'\])]+(?=\s|$)", "", rows[0].translate(_WIDE))
    if form_field.high == 1 and (about := _ABOUT.match(text)):  # an estimate, whatever is written; a score is none
        text = text[about.end() :].rstrip(" .)")
    number_match = _NUMBER.match(text)
    scale = _SCALE.match(text, number_match.end()) if number_match else None
    if scale and _remark_contradicts(fold(text[scale.end() :])):
        return Fault("invalid_number")
    if not number_match or not scale:
        odd = re.match(r"[+-]?(?:nan|inf|infinity)\b|[+-]?[\d.]", text.strip().lower())
        return Fault("invalid_number" if odd else "wrong_type")
    digits = number_match[2]
    if re.fullmatch(r"\d+,\d{1,2}", digits):
        digits = digits.replace(",", ".")
    elif digits.startswith("0") and "," in digits:
        return Fault("invalid_number")
    digits = number_match[1].replace("+", "") + digits.replace(",", "")
    number: int | float = float(digits) if "." in digits or len(digits) > 18 else int(digits)
    return within(form_field, _scaled(form_field, number, scale))


def _remark_contradicts(remark: str) -> bool:
    """Whether a remark behind a number names another one, denies it, or binds it to a condition."""
    doubts = (phrases.HEDGES, phrases.DENIED, formulas.UNDONE, _DOUBT)
    return any(pattern.search(remark) for pattern in doubts)


def _scaled(form_field: Field, number: int | float, scale: re.Match[str]) -> int | float | None:
    """The number in the field's scale; None where the scale it names is another one."""
    if re.match(r"\s*(?:%|percent)", scale[0]):
        return number if form_field.high == 100 else number / 100 if form_field.high == 1 else None
    if scale[1] is None:
        return number
    whole = float(scale[1])
    if form_field.high == 1 and whole > 1:
        return number / whole if number == 0 or number >= 1 else None
    return number if form_field.high == whole else None


def within(form_field: Field, number: int | float | None) -> Value | Fault:
    """The number where it is finite and in range."""
    if number is None or number != number:
        return Fault("invalid_number")
    if (form_field.low is not None and number < form_field.low) or (
        form_field.high is not None and number > form_field.high
    ):
        return Fault("out_of_range")
    return Fault("invalid_number") if number in (float("inf"), float("-inf")) else number
