"""Control tokens of chat templates, such as ``<|im_end|>`` and ``[/INST]``: how they are broken in what a model is sent.

A tokenizer takes such a text for the end of a message, or for the beginning of another one, whoever wrote it. A word
joiner behind its first sign makes it words again, which a person reads as they stood. The record keeps the words as they
came. Models quote what they read, so an answer may hold the joiner: ``text.clean`` drops it, as any sign that nobody
sees.

The shapes are those that the vocabularies of open models share; no list of theirs would be complete. Most stand in no
prose and no code. Of words in plain angles, such as ``<start_of_turn>``, only those are broken that speak of the structure
of a conversation: HTML, XML, generic types and the tags that Folkmoot itself asks for stay as they are. Words in
capitals within brackets stay where they are an index, a label or a link, unless they are known to be a token.
"""

import json
import re
from collections.abc import Mapping
from typing import TypeVar, cast

from folkmoot.core.text import word_set

T = TypeVar("T")

JOINER = "\u2060"
"""The word joiner: it has no width, and no line is broken at it."""

_SHAPES = re.compile(
    r"""(?x)
      <(?= [|｜] [^\s<>|｜]{1,64} [|｜]? > )                     # <|im_end|>, <｜User｜>, <|turn>
    | <(?= [^\s<>|｜\u2060]{1,64} [|｜] > )                      # <turn|>
    | \[(?= \| [^\s\[\]|]{1,64} \| \] )                          # [|assistant|]
    | <(?= < /? [A-Z_]{1,64} >> )                                # <<SYS>>, <</SYS>>
    | ◁(?= /? \w{1,64} ▷ )                                       # ◁think▷
    | [\[\]](?= !? [a-z]? ~ !? [a-z]? [\[\]] )(?! ~\] )          # ]~b], [e~[
    | \[(?= / [A-Za-z][A-Z_]{1,64} \] )                          # [/INST]
    | \[(?= (?P<bracketed> [A-Za-z][A-Z_]{1,64} ) \] )           # [INST], [gMASK]
    | <(?= /? (?P<angled> [A-Za-z][\w:▁]{0,64} ) > )            # <s>, <start_of_turn>, <unused7>
    """
)

_ALONE = word_set("bos eos pad unk mask cls sep eot eod eop sop eoh eoa eom think thinking image audio video")
"""Words that are a token by themselves."""

_PARTS = _ALONE | word_set(
    "start end begin beginning of turn role token header prefix suffix middle tool call calls response result results "
    "function functions thought reasoning vision file repo fim reserved special unused extra system user "
    "assistant model human bot message channel text sentence document seed jupyter issue code output soft"
)
"""Words of which longer tokens are made: ``start_of_turn``, ``tool_call``, ``seed:bos``, ``unused7``."""

_BRACKETED = _PARTS | word_set("inst sys img break prompt available args content settings gmask smask transcribe id")
"""The same for tokens in brackets: ``[INST]``, ``[SYSTEM_PROMPT]``, ``[AVAILABLE_TOOLS]``."""

_SIGNS = re.compile(r"(?:_id)?[_:▁\d]+")
_FREE = re.compile(r"(?<![\w\])\[])\[\w{3,}\](?![:(\[])")
"""Words in brackets that are no index, no label of a speaker, no link and no form of an answer such as ``[[YES]]``."""


def break_tokens(text: str) -> str:
    """The text in which no tokenizer finds a control token; breaking twice changes nothing."""
    return _SHAPES.sub(_broken, text)


def break_data(data: T) -> T:
    """The data, such as a JSON Schema, with every text in it so; names of fields too."""
    return cast(T, _broken_data(data))


def break_json(text: str) -> str:
    """The same for data as JSON text, in which a token may be written with escapes."""
    try:
        data: object = json.loads(text)
        broken = break_data(data)
        return text if broken == data else json.dumps(broken, ensure_ascii=False)
    except (ValueError, RecursionError):
        return break_tokens(text)


def _broken(match: re.Match[str]) -> str:
    if name := match["angled"]:
        is_token = _is_angled_token(name)
    elif name := match["bracketed"]:
        is_token = _is_bracketed_token(name) or bool(_FREE.match(match.string, match.start()))
    else:
        is_token = True
    return match[0] + JOINER if is_token else match[0]


def _is_angled_token(name: str) -> bool:
    if name == "s":
        return True
    if name not in (name.lower(), name.upper()):  # a type or a component: Vec<Message>, <Image>
        return False
    parts = [part for part in _SIGNS.split(name.lower()) if part]
    return parts[0] in _ALONE if parts == [name.lower()] else all(part in _PARTS for part in parts)


def _is_bracketed_token(name: str) -> bool:
    return all(part.removesuffix("s") in _BRACKETED or part in _BRACKETED for part in name.lower().split("_"))


def _broken_data(data: object) -> object:
    if isinstance(data, str):
        return break_tokens(data)
    if isinstance(data, Mapping):
        items = cast("Mapping[object, object]", data).items()
        return {_broken_data(name): _broken_data(value) for name, value in items}
    if isinstance(data, list | tuple):
        return [_broken_data(value) for value in cast("list[object]", data)]
    return data
