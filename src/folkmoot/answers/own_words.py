"""Whose words: an answer without thinking, without what it quotes, and without turns that it invents for others.

A participant's answer may hold other people's words: a quotation, a code example, a copied template, an invented
turn, or what it thought before it answered. Nothing of these is its own answer. No list of known models: whatever
looks like a mark of a chat template is one (https://huggingface.co/docs/transformers/chat_templating shows many).
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby

from folkmoot.answers.text import fold, key
from folkmoot.core.control_tokens import JOINER

_INLINE = "a|abbr|b|big|br|center|code|div|em|font|hr|i|img|li|mark|ol|p|pre|s|small|span|strong|sub|sup|u|ul|h[1-6]"
_HTML = re.compile(rf"</?(?:{_INLINE})(?:\s[^<>]{{0,200}})?/?>", re.I)
_BREAK = re.compile(r"<(?:br\s*/?|/p|/div|/li|/h[1-6])>", re.I)

MARK = r"(?:<[|｜]?/?[A-Za-z_][\w:.▁-]{0,40}(?:\s[^<>\n]{0,80})?[|｜]?>|\[/?[A-Z][A-Z_]{1,20}\]|[◁◀]/?\w{1,20}[▷▶])"
"""A mark of a chat template: ``<|im_end|>``, ``<channel|>``, ``</think>``, ``[/INST]``, ``<｜end▁of▁sentence｜>``."""

_MARK = re.compile(MARK)
_SIGN = r"[^\w\s\"'“”„«»‘’`*_~#|<>()\[\].,;:!?…—–-]"
_ODD_MARK = re.compile(rf"[ \t]{{0,9}}(?P<mark>{_SIGN}\S{{1,40}}{_SIGN}|\[\[\S{{1,40}}\]\])")
"""A word between signs that glues itself to what follows, at the beginning of a row: ``⟦/hm⟧ANSWER``, ``@@end@@ANSWER``.

Templates have more marks than can be listed, and prose has none of this form."""
_ELEMENT = re.compile(r"<(?P<shut>/?)(?P<name>[A-Za-z][\w:.-]{0,40})(?:\s[^<>\n]{0,80})?>")
_THINKING = re.compile(r"think|thought|reason|reflect|scratchpad|analysis|monologue|deliberat")
_CHANNEL = re.compile(r"<\|channel\|?>\s{0,9}(\w+)")
_FINAL = re.compile(r"\A\s*<\|channel\|?>\s{0,9}final(?:\s{0,9}<\|\w{1,20}\|>\w{0,20})?\s{0,9}<\|message\|>")

_USERS = ("user", "human", "system", "developer", "tool", "function", "inst")
_OWN_ROLES = ("assistant", "model", "ai", "bot", "gpt")
_TURN = re.compile(rf"(?P<mark>{MARK})[ \t]*\n?(?:(?P<role>[^\W\d_]\w{{0,30}})[ \t]*(?=\n|:|{MARK}))?")

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_SET_APART = re.compile(r"[ \t]*(?:[-*+][ \t]+)?[>|]|\t| {4}|[ \t]*~~")
_HEADING = re.compile(
    r"[ \t]*(?:#{1,6}[ \t]+)?[*_]{0,3}\[?([^\n:：\[\]]{1,60}?)\]?(?:[ \t]*\([^()\n]{0,60}\))?[*_]{0,3}[:：][*_]{0,3}(.*)"
)
_OPENS = tuple("\"'`“„«「『")
_QUOTE = re.compile('(?<![0-9])"|[“”„«»「」『』]')


def own_words(text: str, speaker: str, keep: Sequence[str], choices: Sequence[str]) -> str:
    """An answer without its thinking, turns that it invents, and a label of its author's own name.

    Thinking may be closed, never closed, or opened before the text began; a channel that isn't the final one is thinking,
    too, and ends at the next mark. Tags of the names ``keep`` hold something else here, and a mark within one of the
    choices is none: "Keep [INST]" is an answer where that is an option.
    """
    for choice in filter(_MARK.search, choices):
        text = text.replace(choice, _MARK.sub(lambda mark: mark[0][0] + JOINER + mark[0][1:], choice))
    kept = {name.casefold() for name in keep}
    pieces: list[str] = []
    place = depth = 0
    channel, own = False, True
    for mark in _TURN.finditer(text):
        start, name = mark.start(), mark["mark"].strip("<|｜>[]◁▷◀▶ \n").partition(" ")[0].casefold()
        opened = _CHANNEL.match(text, start)
        if opened or channel:
            opens = opened is not None and opened[1].casefold() != "final"
            closes = channel and "|" in mark["mark"] and name != "message"
            channel = opens or (channel and not closes)
        else:
            thinks = _THINKING.search(name) and name.strip("/") not in kept and text[start - 1 : start] != "`"
            closes = bool(thinks) and name.startswith(("/", "end"))
            opens = bool(thinks) and not closes
        if closes:
            if not depth:
                pieces, own = [], True  # it was opened before the text began
            depth, place = max(0, depth - 1), mark.end("mark")
        if opens:
            pieces += [text[place:start]] if own and not depth else []
            depth += 1
        if opens or closes or depth:
            continue
        role = name if name in _USERS else key(mark["role"] or "")
        role = "assistant" if name.startswith("/") and name[1:] in _USERS else role  # "[/INST]": the user's turn ends
        if role in _USERS or role in _OWN_ROLES or (not own and role == key(speaker)):
            pieces += [text[place:start]] if own else []
            place, own = mark.end(), role not in _USERS
    text = "".join((*pieces, text[place:] if own and not depth else "")).strip()
    text = _FINAL.sub("", text, count=1)
    end = len(text)
    for mark in () if keep else reversed(list(_MARK.finditer(text))):
        if text[mark.end() : end].strip():
            break
        end = mark.start()
    text = text[:end].strip()
    heading = _HEADING.match(text[:200]) if speaker else None
    if heading and key(heading[1]) in (key(speaker), "assistant"):
        rest = text[heading.start(2) :].lstrip(" \t*_\n")
        return text if rest[:1].islower() else rest  # "SQLite: because it's one file" is about SQLite
    return text


def _is_code(rows: Sequence[str]) -> Iterator[bool]:
    """Whether each row belongs to fenced code; the marks do."""
    fence = ""
    for row in rows:
        mark = _FENCE.match(row)
        yield bool(fence or mark)
        if mark:
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]


def _behind_marks(text: str, labels: Sequence[re.Pattern[str]], others: set[str]) -> str:
    """The text behind the last mark of a template that stands directly before a label and that all labels follow.

    Each such mark begins a line, so that a label behind it is a label: ``<channel|>ANSWER: rent``.
    """
    starts = [[found.start() for found in label.finditer(text)] for label in labels]
    last = [max(places, default=-1) for places in starts]
    rows = text.split("\n")
    begins = [0, *accumulate(len(row) + 1 for row in rows)]
    # A mark in a quotation, in code or in a table is quoted with it.
    apart = [code or _SET_APART.match(row) for row, code in zip(rows, _is_code(rows), strict=True)]
    own = (mark for mark in _MARK.finditer(text) if not apart[bisect_right(begins, mark.start()) - 1])
    marks = {(mark.start(), mark.end()) for mark in own if text[mark.start() - 1 : mark.start()] not in _OPENS}
    for start in (place for places in starts for place in places):
        row = text.rfind("\n", max(0, start - 60), start) + 1
        odd = _ODD_MARK.fullmatch(text, row, start)
        # A name between signs may head somebody's words.
        if odd and re.search(r"\w", odd["mark"]) and key(re.sub(r"[\W_]+", " ", odd["mark"])) not in others:
            marks.add((row, start))
    pieces: list[str] = []
    cut = place = 0
    for start, end in sorted(marks):
        behind = end
        while behind < len(text) and text[behind] in " \t\n*_#":
            behind += 1
        if any(label.match(text, behind) for label in labels):
            pieces.append(text[place:start] + "\n")
            place = end
            if last and behind <= min(last):
                cut = len(pieces)
    return "".join((*pieces[cut:], text[place:]))


def _without_elements(text: str, labels: Sequence[re.Pattern[str]]) -> str:
    """The text without elements that hold a label, such as ``<example>…</example>``, unless one is all of it."""
    tags = list(_ELEMENT.finditer(text))
    last = {tag["name"].casefold(): tag.start() for tag in tags if tag["shut"]}
    pieces: list[str] = []
    place, outer = 0, None
    for tag in tags:
        name = tag["name"].casefold()
        if outer is None and not tag["shut"] and last.get(name, -1) > tag.start():
            outer = tag
        elif outer and tag["shut"] and name == outer["name"].casefold():
            if any(label.search(text, outer.end(), tag.start()) for label in labels):
                pieces.append(text[place : outer.start()])
                place = tag.end()
            outer = None
    outside = "\n".join((*pieces, text[place:]))
    return outside if re.search(r"\w", _ELEMENT.sub("", outside)) else _ELEMENT.sub("\n", text)


def without_comments(text: str) -> str:
    """The text without HTML comments; one that never ends takes the rest with it."""
    first, *others = text.split("<!--")
    return first + "".join(piece.partition("-->")[2] for piece in others)


def own_rows(
    text: str, others: Sequence[str], label: re.Pattern[str], wanted: Sequence[re.Pattern[str]], *, one_form: bool
) -> tuple[list[str], list[str]]:
    """The rows of an answer, blank where they aren't its author's: twice, so that a row has one number in both.

    The first are those that may hold labels: blank in code, quotations and tables, too. In the second these stand, as
    a part of what the author says. Turns of others, comments and drafts are in neither, nor is HTML's emphasis.
    ``label`` finds a label at the beginning of a row, ``wanted`` those that have to be there. The fields of ``one_form``
    belong together once the first one is the author's own.
    """
    text = without_comments(text)
    if "<" in text:
        rows = text.split("\n")
        plain = (_HTML.sub("", _BREAK.sub("\n", row)) for row in rows)
        text = "\n".join(row if code else other for row, other, code in zip(rows, plain, _is_code(rows), strict=True))
    text = _behind_marks(_without_elements(text, wanted) if "</" in text else text, wanted, _names(others))
    rows = text.strip("\n").split("\n")
    fences = [number for number, row in enumerate(rows) if _FENCE.match(row)]
    # A fence around the whole answer is no quotation.
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
    for _, group in groupby(rows, key=lambda row: bool(row.strip())):
        paragraph, opened = list(group), False
        marks = [len(_QUOTE.findall(row)) for row in paragraph]
        for row, number in zip(paragraph, marks, strict=True):
            yield "" if opened and sum(marks) % 2 == 0 else row
            opened ^= number % 2 == 1


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
