"""Check and convert values of a brief: names of participants, values of keys, and tables of keys.

A name is in prompts, ballots, logs, pages and files, and votes are read by it. So it must not look like another name,
an abstention, a role of a conversation or markup. The skeleton of a name follows Unicode Technical Standard 39
(section 4), reduced to the common look-alikes of Latin letters.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, count

from folkmoot.app.brief.schema import Key, find_key, get_key, nearest, nested_name
from folkmoot.app.brief.yaml_header import Items, Node, Scalar, Table, as_node, is_empty
from folkmoot.core.ask import Value
from folkmoot.core.brief import HUMAN, LONGEST_OPTION
from folkmoot.core.errors import BriefError
from folkmoot.core.roles import RETRIEVER_NAME
from folkmoot.core.text import clean, closest, flat, leaves_folder

MOST = 40
"""The greatest length of a name."""

_ABSTENTIONS = ("abstain", "abstains", "abstained", "abstention", "abstentions", "novote", "undecided", "nodecision")
_NOBODIES = ("none", "noone", "nobody", "nil", "null", "neither", "nothing", "unknown", "undefined", "anonymous", "tie")
_EVERYBODIES = ("all", "any", "anyone", "anybody", "both", "either", "everyone", "everybody", "each", "other", "others")
_ROLES = ("system", "user", "assistant", "developer", "tool", "function", "human", "participant", "debater", "winner")
_PERSONS = ("you", "me", "myself", "self", "yourself", "them", "they", "vote", "draw")
RESERVED = frozenset((*_ABSTENTIONS, *_NOBODIES, *_EVERYBODIES, *_ROLES, *_PERSONS))
"""Skeletons of words that are no names, because a ballot or a conversation gives them another meaning."""

_MARK = re.compile(r"t\d+|(?:proposal|critique|participant|round|turn) ?(?:[a-z]{1,2}|\d+)|.* round \d+")
"""What turns, proposals, hidden authors and masks are called: a name like that could be taken for one of them."""

_ACTS = frozenset({
    *("open", "draft", "propose", "argue", "question", "answer", "interrupt", "revise", "critique", "close"),
    *("guide", "inform", "moderate", "summarize", "synthesize", "remind", "verdict"),
})  # fmt: skip
"""Acts by which a mask can name turns."""

_MODERATORS = frozenset({"moderator", "mediator", "timekeeper"})
_CHAIRS = _MODERATORS | {"judge", "chair", "chairman", "chairwoman", "chairperson"}
_MARKS = " .'-_()&"
_TWINS = (
    "AАΑ BВΒ CСϹ EЕΕ GԌ HНΗ IІΙ JЈͿ KКΚ MМΜ NΝ OОΟ PРΡ QԚ SЅ TТΤ WԜ XХΧ YҮΥ ZΖ "
    "aаɑα cсϲ dԁ eе gɡԍ hһ iіɩıι jј kκ lӏǀ1 nոη oоօοσ0 pрρ qԛգ sѕ uսυ vν wԝ xхχ yуүγ zᴢ"
)
"""Each Latin letter, followed by the letters and digits of other kinds that look like it."""

_LOOKS = str.maketrans({twin: group[0] for group in _TWINS.split() for twin in group[1:]})


def skeleton(name: str) -> str:
    """The skeleton of a name: letters and digits only, without case, width and look-alike characters.

    Two names with the same skeleton can be mistaken for each other.
    """
    return _skeleton(name) if len(name) <= MOST else _skeleton.__wrapped__(name)


@lru_cache(maxsize=1024)  # the names of a debate are compared again and again
def _skeleton(name: str) -> str:
    plain = unicodedata.normalize("NFKD", clean(name)).translate(_LOOKS).casefold()
    return "".join(text for text in plain if text.isalnum() or unicodedata.combining(text))


def check_name(text: str, *, line: int = 0) -> str:
    """The name as it is stored: composed, with single blanks and plain apostrophes.

    Raises:
        BriefError: it is no name; code ``bad_name``, or ``unsafe_path`` for a path that leads out of a folder.
    """
    name = unicodedata.normalize("NFC", clean(text)).replace("\u2019", "'").strip()
    if wrong := _fault(name):
        shown = name if len(name) <= MOST else name[:MOST] + "…"
        allowed = f"a name has 1 to {MOST} letters, digits, spaces and . ' - _ ( ) &"
        plain = flat("".join(letter if _is_letter(letter) else " " for letter in name))
        allowed += f"; write {plain!r}" if plain != name and not _fault(plain) else ""
        code = "unsafe_path" if leaves_folder(name) else "bad_name"
        raise BriefError(f"{shown!r} cannot be a name: {wrong}; {allowed}", line=line, code=code)
    return flat(name)


def _is_letter(text: str) -> bool:
    """Whether a letter, digit or mark may stand in a name."""
    return text in _MARKS or unicodedata.category(text)[0] in "LM" or unicodedata.category(text) == "Nd"


def _fault(name: str) -> str:
    if not name:
        return "it is empty"
    if len(name) > MOST:
        return f"it has {len(name)} characters"
    for text in name:
        if not _is_letter(text):
            return f"{text!r} is not allowed"
    letters = skeleton(name)
    if not any(text.isalnum() for text in letters):
        return "it has no letter and no digit"
    plain = flat(name).casefold()
    is_reserved = letters in RESERVED or plain in _ACTS or _MARK.fullmatch(plain)
    return "the word has another meaning in a debate" if is_reserved else ""


def free_name(names: Sequence[str], used: Iterable[str]) -> str:
    """The first of these names that resembles no taken one; else the first name with a number, from 2."""
    used_skeletons = {skeleton(text) for text in used}
    numbered = (f"{names[0]} {n}" for n in count(2))
    return next(name for name in chain(names, numbered) if skeleton(name) not in used_skeletons)


def is_moderator_name(name: str, *, surely: bool = False) -> bool:
    """Whether a name is that of a moderator: Moderator, Mediator, TimeKeeper, Judge, Chair.

    Args:
        name: the name.
        surely: count only Moderator, Mediator and TimeKeeper, which are never names of debaters.
    """
    return skeleton(name) in (_MODERATORS if surely else _CHAIRS)


NOT_MODELS = (HUMAN, RETRIEVER_NAME)
"""Agents that are not models, as a brief names them."""

MOST_LETTERS = 100
"""The greatest length of a text at which an answer ends."""

LONGEST_TERM = 366 * 86_400
"""The most seconds of a length of time: a year."""

_UNITS: Mapping[str, int] = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_SPAN = re.compile(r"-1|0|[0-9]{1,6}(\.[0-9]{1,3})?(ms|s|m|h)")
_TERM = re.compile(r"([0-9]{1,6})(s|m|h|d|w)")
_SERVER = re.compile(r"mcp:[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_MODEL = re.compile(r"([A-Za-z][A-Za-z0-9_-]{0,31})[:/](?!/)([A-Za-z0-9@~][A-Za-z0-9._:/@+~-]{0,199})")


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedValue:
    """A value and its line."""

    value: Value
    line: int


def read_value(key: Key, node: Node) -> LocatedValue:
    """The value of a key.

    Raises:
        BriefError: ``wrong_type``, ``bad_enum``, ``out_of_range`` or ``too_large``.
    """
    match key.kind:
        case "flag":
            value: Value = _flag(key, node)
        case "whole" | "number":
            value = node.text if isinstance(node, Scalar) and node.text in key.choices else _number(key, node)
        case "choice":
            value = _choice(key, node)
        case "choices":
            value = _choices(key, node)
        case "texts":
            value = texts(key, node)
        case "paths" | "several":
            value = (flat(_text(key, node)),) if isinstance(node, Scalar) else texts(key, node)
        case "letters":
            value = _letters(key, node)
        case "span":
            value = _span(key, node)
        case "term":
            value = _term(key, node)
        case "tools":
            value = _tools(key, node)
        case "model":
            value = parse_agent(_text(key, node), line=node.line)
        case "models":
            value = _models(key, node)
        case "prose" if isinstance(node, Items):
            value = _fit(key, "\n".join(f"- {flat(_text(key, item))}" for item in node.items), node.line)
        case "prose":
            value = _prose(key, node)
        case "name":
            value = _fit(key, _text(key, node), node.line)
        case _:
            value = _fit(key, flat(_text(key, node)), node.line)
    return LocatedValue(value=value, line=node.line)


def check_value(keys: Sequence[Key], name: str, value: object, *, whose: str = "") -> Value:
    """Check a value of a program as the reader checks the same value in a brief.

    Args:
        keys: the table of keys.
        name: the name of the key.
        value: the value.
        whose: the participant, for the sentence.

    Returns:
        The value as the reader reads it.

    Raises:
        BriefError: it cannot be that.
    """
    try:
        return read_value(get_key(keys, name), as_node(value)).value
    except BriefError as error:
        raise BriefError(f"{whose}{error}", code=error.code) from error


def label(key: Key) -> str:
    """The name of a key as the brief has it."""
    return key.written or key.name


def value_error(key: Key, node: Node, wanted: str) -> BriefError:
    """The error for a value that does not fit its key."""
    match node:
        case Scalar(text=text):
            shown_value = repr(text[:60])
        case Items():
            shown_value = "a list"
        case _:
            shown_value = "a table of keys"
    return BriefError(f"{label(key)} is {shown_value}; it must be {wanted}", line=node.line, code="wrong_type")


def _text(key: Key, node: Node) -> str:
    if not isinstance(node, Scalar) or is_empty(node):
        raise value_error(key, node, "a text")
    if node.is_typed:
        raise value_error(key, node, "a text; put quotes around it if it is one")
    return node.whole_text()


def _prose(key: Key, node: Node) -> str:
    text = _fit(key, _text(key, node), node.line)
    if leaves_folder(text):
        problem = f"{label(key)} must be the text itself, not a path such as {text[:60]!r}; name files in background"
        raise BriefError(problem, line=node.line, code="unsafe_path")
    return text


def _fit(key: Key, text: str, line: int) -> str:
    if key.high and len(text) > key.high:
        problem = f"{label(key)} has {len(text):,} characters; at most {key.high:,.0f} are allowed"
        raise BriefError(problem, line=line, code="too_large")
    return text


def _flag(key: Key, node: Node) -> bool:
    flag = node.flag if isinstance(node, Scalar) else None
    if flag is None:
        raise value_error(key, node, "yes or no (true, false, on, off), without quotes")
    return flag


IN_SECONDS = ("limits.turn_seconds", "limits.total_seconds", "limits.grace")
"""The numbers behind which the unit may stand: ``20s``."""

_SECONDS = re.compile(r"(?<=\d)\s*s(?:ec(?:onds?)?)?$")


def _number(key: Key, node: Node) -> int | float:
    is_whole = key.kind == "whole"
    if isinstance(node, Scalar) and key.name in IN_SECONDS:
        node = replace(node, text=_SECONDS.sub("", node.text))
    value = node.number(whole=is_whole) if isinstance(node, Scalar) else None
    if not isinstance(node, Scalar) or value is None:
        raise value_error(key, node, " or ".join(("a whole number" if is_whole else "a number", *key.choices)))
    if not math.isfinite(value) or not key.low <= value <= key.high:
        problem = f"{label(key)} must be from {key.low:,g} to {key.high:,.12g}, not {node.text[:40]}"
        raise BriefError(problem, line=node.line, code="out_of_range")
    return value


def _choice(key: Key, node: Node) -> str:
    if not isinstance(node, Scalar):
        raise value_error(key, node, f"one of {', '.join(key.choices)}")
    word = re.sub(r"[ -]+", "_", node.text.strip().casefold()) if key.loose else node.text
    word = dict(key.same).get(word, word)
    if word in key.choices:
        return word
    choices = (*key.choices, *(key.further() if key.further else ()))
    if word not in choices:
        meant = closest(node.text, choices)
        hint = f"did you mean {meant!r}? " if meant else ""
        problem = f"{label(key)} cannot be {node.text[:60]!r}; {hint}allowed are {', '.join(choices)}"
        raise BriefError(problem, line=node.line, code="bad_enum")
    return word


def _choices(key: Key, node: Node) -> tuple[str, ...]:
    if isinstance(node, Scalar):
        return (_choice(key, node),)
    if isinstance(node, Table) or not node.items:
        raise value_error(key, node, f"one or more of {', '.join(key.choices)}")
    return tuple(dict.fromkeys(_choice(key, item) for item in node.items))


def _letters(key: Key, node: Node) -> tuple[str, ...]:
    nodes = node.items if isinstance(node, Items) else (node,)
    if not key.low <= len(nodes) <= key.high:
        problem = f"{label(key)} must have {key.low:g} to {key.high:g} entries, not {len(nodes)}"
        raise BriefError(problem, line=node.line, code="out_of_range")
    for item in nodes:
        if not isinstance(item, Scalar) or not item.text or len(item.text) > MOST_LETTERS or is_empty(item):
            wanted = f"texts of 1 to {MOST_LETTERS} characters, in quotes where spaces or special characters matter"
            raise value_error(key, item, wanted)
    return tuple(dict.fromkeys(node.text for node in nodes if isinstance(node, Scalar)))


def _span(key: Key, node: Node) -> str:
    if not isinstance(node, Scalar) or not _SPAN.fullmatch(node.text):
        raise value_error(key, node, "a length of time such as 30s, 10m or 2h, or -1 forever, or 0")
    return node.text


def _term(key: Key, node: Node) -> str:
    if not isinstance(node, Scalar) or not _TERM.fullmatch(node.text):
        raise value_error(key, node, "a length of time such as 30s, 10m, 2h, 2d or 1w")
    if not 0 < seconds(node.text) <= LONGEST_TERM:
        problem = f"{label(key)} must be from 1s to {LONGEST_TERM // 86_400}d, not {node.text}"
        raise BriefError(problem, line=node.line, code="out_of_range")
    return node.text


def seconds(term: str) -> int:
    """The seconds of a duration such as ``10m``; 0 if the text is no duration."""
    return int(term[:-1]) * _UNITS[term[-1]] if _TERM.fullmatch(term) else 0


def texts(key: Key, node: Node) -> tuple[str, ...]:
    """A list of texts, none of them empty, none twice; numbers count as texts here.

    Raises:
        BriefError: ``wrong_type``, ``out_of_range``, ``too_large`` or ``duplicate_name``.
    """
    if not isinstance(node, Items):
        raise value_error(key, node, "a list: [one, two], or one line '- one' for each")
    parts: list[str] = []
    for item in node.items:
        if not isinstance(item, Scalar) or is_empty(item) or not item.text.strip():
            raise value_error(key, item, "a list of texts")
        parts.append(flat(item.whole_text()))
    return check_texts(key, parts, node.line)


def check_texts(key: Key, entries: Sequence[str], line: int) -> tuple[str, ...]:
    """Check the entries of a list: their number, their lengths, and that none appears twice."""
    if not key.low <= len(entries) <= key.high:
        sentence = f"{label(key)} must have {key.low:g} to {key.high:g} entries, not {len(entries)}"
        raise BriefError(sentence, line=line, code="out_of_range")
    earlier: dict[str, str] = {}
    for text in entries:
        if len(text) > LONGEST_OPTION:
            limit_words = f"at most {LONGEST_OPTION} are allowed in {label(key)}"
            sentence = f"{text[:60]!r} has {len(text)} characters; {limit_words}"
            raise BriefError(sentence, line=line, code="too_large")
        if skeleton(text) in ("abstain", "abstention"):
            raise BriefError(f"{text!r} cannot be in {label(key)}: anybody may abstain", line=line, code="bad_name")
        if text.casefold() in earlier:
            raise BriefError(f"{text!r} appears twice in {label(key)}", line=line, code="duplicate_name")
        earlier[text.casefold()] = text
    return tuple(entries)


def _models(key: Key, node: Node) -> tuple[str, ...]:
    named = (_text(key, node),) if isinstance(node, Scalar) else texts(key, node)
    return tuple(parse_agent(text, line=node.line) for text in named)


def _tools(key: Key, node: Node) -> tuple[str, ...]:
    if isinstance(node, Scalar):
        return ("search", "summarizer") if _flag(key, node) else ()
    if isinstance(node, Table):
        raise value_error(key, node, f"yes, no or a list of {', '.join(key.choices)}")
    return tuple(dict.fromkeys(_tool(key, item) for item in node.items))


def _tool(key: Key, node: Node) -> str:
    if isinstance(node, Scalar) and (match_ := _SERVER.fullmatch(node.text)):
        return match_[0]
    return _choice(key, node)


def parse_agent(text: str, *, line: int = 0) -> str:
    """Read the name of a model or another agent, ``provider:name``; ``provider/name`` is accepted too.

    Raises:
        BriefError: it has not that shape; addresses and paths have not.
    """
    if text in NOT_MODELS:
        return text
    model_match = _MODEL.fullmatch(text)
    if not model_match or "//" in text or ".." in text:
        wanted = "provider:name, for example ollama:llama3.2, or human"
        raise BriefError(f"{text[:60]!r} is not a model; write {wanted}", line=line, code="wrong_type")
    return f"{model_match[1]}:{model_match[2]}"


def is_agent_name(text: str) -> bool:
    """Whether a text in parentheses after a name is the name of a model or another agent."""
    return text in NOT_MODELS or bool(_MODEL.fullmatch(text))


def match_keys(table: Table, keys: Sequence[Key], *, prefix: str = "", place: str = "header") -> list[tuple[Key, Node]]:
    """Match the entries of a table to the known keys.

    Raises:
        BriefError: an unknown key, or one key under two of its names.
    """
    located: dict[str, tuple[Scalar, Key, Node]] = {}
    for word, node in table.pairs:
        key = find_key(keys, prefix + word.text)
        if key is None:
            raise _unknown_key(keys, prefix, word, place)
        if key.name in located:
            text = f"{word.text!r} means the same as {located[key.name][0].text!r} on line {located[key.name][0].line}"
            raise BriefError(f"{text}; keep one", line=word.line, code="duplicate_key")
        located[key.name] = (word, key, node)
    return [(key, node) for _, key, node in located.values()]


def _unknown_key(keys: Sequence[Key], prefix: str, word: Scalar, place: str) -> BriefError:
    names = [key.name.removeprefix(prefix) for key in keys if key.name.startswith(prefix)]
    meant = nearest(keys, word.text, prefix=prefix)
    hint = f"did you mean {meant!r}?" if meant else f"there are {', '.join(name for name in names if '.' not in name)}"
    table, dot, inner = nested_name(keys, word.text).partition(".")
    if dot and not prefix:
        hint = f"it stands under {table}; write {table}: {{{inner}: …}}"
    if "api_key" in word.text.casefold():
        hint = "keys of providers come from the environment, such as OPENAI_API_KEY"
    return BriefError(f"there is no key {word.text[:60]!r} in a {place}; {hint}", line=word.line, code="unknown_key")


def read_values(table: Table, keys: Sequence[Key], *, place: str) -> dict[str, LocatedValue]:
    """The values of a table by the names of their keys; keys without a value are left out.

    Raises:
        BriefError: what ``match_keys`` and ``read_value`` say, or a key both in a table inside of it and beside that.
    """
    values: dict[str, LocatedValue] = {}
    for key, node in match_keys(table, keys, place=place):
        if is_empty(node):
            continue
        add_values(
            values, read_table(keys, key.name, node) if key.kind == "table" else {key.name: read_value(key, node)}
        )
    return values


def add_values(values: dict[str, LocatedValue], more: Mapping[str, LocatedValue]) -> None:
    """Add values to others.

    Raises:
        BriefError: one of them is there already.
    """
    for name, item in more.items():
        if name in values:
            problem = f"{name} is given twice, first on line {values[name].line}; keep one"
            raise BriefError(problem, line=item.line, code="duplicate_key")
        values[name] = item


def read_table(keys: Sequence[Key], name: str, node: Node) -> dict[str, LocatedValue]:
    """The values of a table inside of a table, under the full names of their keys: ``limits.cost``.

    Args:
        keys: the table of keys that holds both.
        name: the key behind which the table stands.
        node: what stands there.

    Raises:
        BriefError: it is no table, or what ``match_keys`` and ``read_value`` say.
    """
    key = get_key(keys, name)
    if not isinstance(node, Table):
        raise value_error(key, node, f"a table, such as {key.example}")
    pairs = match_keys(node, keys, prefix=f"{name}.", place=f"table of {name}")
    return {key.name: read_value(key, value) for key, value in pairs if not is_empty(value)}
