"""Whose words: an answer without thinking, without what it quotes, and without turns that it invents for others.

A participant's answer may hold other people's words: a quotation, a code example, a copied template, an invented
turn, or what it thought before it answered. Nothing of these is its own answer. No list of known models: whatever
looks like a mark of a chat template is one (https://huggingface.co/docs/transformers/chat_templating shows many).
"""

import re
from collections.abc import Iterator, Sequence

from folkmoot.answers.text import fold, key
from folkmoot.core.control_tokens import JOINER

_INLINE = "a|abbr|b|big|br|center|code|div|em|font|hr|i|img|li|mark|ol|p|pre|s|small|span|strong|sub|sup|u|ul|h[1-6]"
_HTML = re.compile(rf"</?(?:{_INLINE})(?:\s[^<>]{{0,200}})?/?>", re.I)
_BREAK = re.compile(r"<(?:br\s*/?|/p|/div|/li|/h[1-6])>", re.I)

MARK = r"(?:<[|｜]?/?[A-Za-z_][\w:.▁-]{0,40}(?:\s[^<>\n]{0,80})?[|｜]?>|\[/?[A-Z][A-Z_]{1,20}\]|[◁◀]/?\w{1,20}[▷▶])"
"""A mark of a chat template: ``<|im_end|>``, ``<channel|>``, ``</think>``, ``[/INST]``, ``<｜end▁of▁sentence｜>``."""

_MARK = re.compile(MARK)
_ELEMENT = re.compile(r"<(?P<shut>/?)(?P<name>[A-Za-z][\w:.-]{0,40})(?:\s[^<>\n]{0,80})?>")
_THINKING = re.compile(r"think|thought|reason|reflect|scratchpad|analysis|monologue|deliberat")
_CHANNEL = re.compile(r"<\|channel\|?>\s{0,9}(\w+)")
_FINAL = re.compile(r"\A\s*<\|channel\|?>\s{0,9}final(?:\s{0,9}<\|\w{1,20}\|>\w{0,20})?\s{0,9}<\|message\|>")

_USERS = ("user", "human", "system", "developer", "tool", "function", "inst")
_OWN_ROLES = ("assistant", "model", "ai", "bot", "gpt")
_TURN = re.compile(rf"({MARK})[ \t]*\n?(?:([^\W\d_]\w{{0,30}})[ \t]*(?=\n|:|{MARK}))?")

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_SET_APART = re.compile(r"[ \t]*(?:[-*+][ \t]+)?[>|]|\t| {4}|[ \t]*~~")
_HEADING = re.compile(
    r"[ \t]*(?:#{1,6}[ \t]+)?[*_]{0,3}\[?([^\n:：\[\]]{1,60}?)\]?(?:[ \t]*\([^()\n]{0,60}\))?[*_]{0,3}[:：][*_]{0,3}(.*)"
)
_QUOTE = re.compile('(?<![0-9])"|[“”„«»「」『』]')


def own_words(text: str, speaker: str, keep: Sequence[str] = ()) -> str:
    """An answer without its thinking, turns that it invents, and a label of its author's own name.

    Tags of the names ``keep`` hold something else here.
    """
    return _without_speaker(_own_turns(_without_thinking(text, keep), speaker, keep), speaker)


def with_choices_whole(text: str, choices: Sequence[str]) -> str:
    """The text in which a mark within one of the choices is none: "Keep [INST]" is an answer where that is an option."""
    for choice in choices:
        if _MARK.search(choice):
            text = text.replace(choice, _MARK.sub(lambda mark: mark[0][0] + JOINER + mark[0][1:], choice))
    return text


def _name(mark: str) -> str:
    return mark.strip("<|｜>[]◁▷◀▶ \n").partition(" ")[0].casefold()


def _without_thinking(text: str, keep: Sequence[str]) -> str:
    """The text without thinking that is marked as such: closed, never closed, or opened before the text began.

    A channel that isn't the final one is thinking, too; it ends at the next mark.
    """
    kept = {name.casefold() for name in keep}
    pieces: list[str] = []
    place = depth = 0
    channel = False
    for mark in _MARK.finditer(text):
        name = _name(mark[0])
        opened = _CHANNEL.match(text, mark.start())
        if opened or channel:
            opens = opened is not None and opened[1].casefold() != "final"
            closes = channel and "|" in mark[0] and name != "message"
            channel = opens or (channel and not closes)
        elif not _THINKING.search(name) or name.strip("/") in kept or text[mark.start() - 1 : mark.start()] == "`":
            continue
        else:
            closes = name.startswith(("/", "end"))
            opens = not closes
        if closes:
            pieces = pieces if depth else []  # else it was opened before the text began
            depth, place = max(0, depth - 1), mark.end()
        if opens:
            pieces += [] if depth else [text[place : mark.start()]]
            depth += 1
    return "".join((*pieces, "" if depth else text[place:])).strip()


def _own_turns(text: str, speaker: str, keep: Sequence[str]) -> str:
    """The text without turns that the marks of a template give to a user, a system or a tool.

    Marks at the end are cut off; those of the author's own turns go; text behind any other mark is text.
    """
    pieces: list[str] = []
    place, own = 0, True
    for mark in _TURN.finditer(text):
        role, name = key(mark[2] or ""), _name(mark[1])
        if name.startswith("/") and name.strip("/") in _USERS:
            role = "assistant"  # "[/INST]": the user's turn ends
        elif name in _USERS:
            role = name
        if role in _USERS or role in _OWN_ROLES or (not own and role == key(speaker)):
            pieces.append(text[place : mark.start()] if own else "")
            place, own = mark.end(), role not in _USERS
    text = _FINAL.sub("", "".join((*pieces, text[place:] if own else "")), count=1)
    end = len(text)
    for mark in () if keep else reversed(list(_MARK.finditer(text))):
        if text[mark.end() : end].strip():
            break
        end = mark.start()
    return text[:end].strip()


def plain_html(text: str) -> str:
    """The text without HTML's emphasis, breaks as newlines; code stays as it is."""
    if "<" not in text:
        return text
    rows = text.split("\n")
    return "\n".join(
        row if code else _HTML.sub("", _BREAK.sub("\n", row)) for row, code in zip(rows, _is_code(rows), strict=True)
    )


def _is_code(rows: Sequence[str]) -> Iterator[bool]:
    """Whether each row belongs to fenced code; the marks do."""
    fence = ""
    for row in rows:
        mark = _FENCE.match(row)
        yield bool(fence or mark)
        if mark:
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]


def behind_marks(text: str, labels: Sequence[re.Pattern[str]]) -> str:
    """The text behind the last mark of a template that stands directly before a label and that all labels follow.

    Each such mark begins a line, so that a label behind it is a label: ``<channel|>ANSWER: rent``.
    """
    last = [max((found.start() for found in label.finditer(text)), default=-1) for label in labels]
    pieces: list[str] = []
    cut = place = 0
    for mark in _MARK.finditer(text):
        behind = mark.end()
        while behind < len(text) and text[behind] in " \t\n*_#":
            behind += 1
        if any(label.match(text, behind) for label in labels):
            pieces.append(text[place : mark.start()] + "\n")
            place = mark.end()
            if last and behind <= min(last):
                cut = len(pieces)
    return "".join((*pieces[cut:], text[place:]))


def without_elements(text: str, labels: Sequence[re.Pattern[str]]) -> str:
    """The text without elements that hold a label, such as ``<example>…</example>``, unless one is all of it."""
    last = {tag["name"].casefold(): tag.start() for tag in _ELEMENT.finditer(text) if tag["shut"]}
    pieces: list[str] = []
    place = seen = 0
    for tag in _ELEMENT.finditer(text):
        name = tag["name"].casefold()
        if tag["shut"] or tag.start() < seen or last.get(name, -1) < tag.end():
            continue
        closing = next(
            end for end in _ELEMENT.finditer(text, tag.end()) if end["shut"] and end["name"].casefold() == name
        )
        seen = closing.end()
        if any(label.search(text, tag.end(), closing.start()) for label in labels):
            pieces.append(text[place : tag.start()])
            place = seen
    outside = "\n".join((*pieces, text[place:]))
    return outside if re.search(r"\w", _ELEMENT.sub("", outside)) else _ELEMENT.sub("\n", text)


def without_comments(text: str) -> str:
    """The text without HTML comments; one that never ends takes the rest with it."""
    first, *others = text.split("<!--")
    return first + "".join(piece.partition("-->")[2] for piece in others)


def _without_speaker(text: str, speaker: str) -> str:
    """The text without a label of its author's own name at the beginning: ``Ann:``, ``**Ann (engineer):**``."""
    heading = _HEADING.match(text.lstrip()[:200]) if speaker else None
    if not heading or key(heading[1]) not in (key(speaker), "assistant"):
        return text
    rest = text.lstrip()[heading.start(2) :].lstrip(" \t*_\n")
    return text if rest[:1].islower() else rest  # "SQLite: because it's one file" is about SQLite


def own_rows(
    text: str, others: Sequence[str], label: re.Pattern[str], *, one_form: bool
) -> tuple[list[str], list[str]]:
    """The rows of an answer, blank where they aren't its author's: twice, so that a row has one number in both.

    The first are those that may hold labels: blank in code, quotations and tables, too. In the second these stand, as
    a part of what the author says. Turns of others are in neither. A fence around the whole answer is no quotation.
    The fields of ``one_form`` belong together once the first one is the author's own.
    """
    rows = text.strip("\n").split("\n")
    fences = [number for number, row in enumerate(rows) if _FENCE.match(row)]
    if len(fences) == 2 and fences[0] == 0 and not any(map(str.strip, rows[fences[1] + 1 :])):
        rows = rows[1 : fences[1]]
    kept = ["" if code or _SET_APART.match(row) else row for row, code in zip(rows, _is_code(rows), strict=True)]
    own = list(_without_quotations(kept))
    foreign = list(_foreign(own, _names(others), label, one_form=one_form))
    return (
        ["" if strange else row for strange, row in zip(foreign, own, strict=True)],
        ["" if strange else row for strange, row in zip(foreign, rows, strict=True)],
    )


def _without_quotations(rows: Sequence[str]) -> Iterator[str]:
    """The rows, blank where one begins inside quotation marks that were opened above it in the same paragraph."""
    start = 0
    for stop in [number for number, row in enumerate(rows) if not row.strip()] + [len(rows)]:
        paragraph, opened = rows[start:stop], False
        even = sum(len(_QUOTE.findall(row)) for row in paragraph) % 2 == 0
        for row in paragraph:
            yield "" if opened and even else row
            opened ^= len(_QUOTE.findall(row)) % 2 == 1
        if stop < len(rows):
            yield rows[stop]
        start = stop + 1


def _names(others: Sequence[str]) -> set[str]:
    return {*map(key, others), *_USERS} - {""}


def _foreign(rows: Sequence[str], others: set[str], label: re.Pattern[str], *, one_form: bool) -> Iterator[bool]:
    """Whether each row belongs to a turn of others.

    A name alone on its row (``Ben:``) takes the paragraph below; one with words behind it takes its row, for that is how
    people go through a list of names. A row that announces somebody's words (``Ann's ballot:``) takes a form below it.
    Where the author's own form of several fields has begun, names in it are a part of it.
    """
    names = "|".join(map(re.escape, others - set(_USERS)))
    announced = re.compile(
        rf".{{0,200}}(?<!\w)(?:{names})'s?\s|(?:\S+ ){{0,2}}(?:{names})(?: \S+){{0,2}}:?$" if names else "(?!)"
    )
    begun, state = False, ""
    for row in rows:
        heading = _HEADING.fullmatch(row)
        named = heading is not None and key(heading[1]) in others
        announces = row.rstrip(" *_").endswith((":", "：")) and announced.match(
            re.split(r"[.!?]\s", fold(row).strip(" *_#-"))[-1]
        )
        if named and heading and heading[2].strip():
            state = ""
            yield not begun
        elif state != "paragraph" and (named or announces):
            state = "named" if named and not begun else "announced"
            yield not begun
        else:
            is_label = label.match(row) is not None
            if row.strip() and state in ("named", "announced"):
                state = "paragraph" if state == "named" or is_label else ""
            elif not row.strip() and state == "paragraph":
                state = ""
            begun = begun or (one_form and is_label and not state)
            yield state == "paragraph"


def names_other(text: str, others: Sequence[str]) -> bool:
    """Whether the words before an object or a message give it to another participant: they end in a row ``Ben:``."""
    rows = [row for row in text.split("\n") if re.search(r"\w", row) and not _FENCE.match(row)]
    heading = _HEADING.fullmatch(rows[-1]) if rows else None
    return heading is not None and not heading[2].strip() and key(heading[1]) in _names(others)
