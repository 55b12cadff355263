"""Whose words: an answer without thinking, without what it quotes, and without turns that it invents for others.

A participant's answer may hold other people's words: a quotation, a code example, a copied template, an invented
turn, or what it thought before it answered. Nothing of these is its own answer. No list of known models: whatever
looks like a mark of a chat template is one (https://huggingface.co/docs/transformers/chat_templating shows many).
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, groupby

from folkmoot.answers.text import fold, key
from folkmoot.answers.values import Known
from folkmoot.core.control_tokens import JOINER

_INLINE = "a|abbr|b|big|br|center|div|em|font|hr|i|img|li|mark|ol|p|s|small|span|strong|sub|sup|u|ul|h[1-6]"
_HTML = re.compile(rf"</?(?:{_INLINE})(?:\s[^<>]{{0,200}})?/?>", re.I)
_BREAK = re.compile(r"<(?:br\s*/?|/p|/div|/li|/h[1-6])>", re.I)

MARK = r"(?:<[|｜]?/?[A-Za-z_][\w:.▁-]{0,40}(?:\s[^<>\n]{0,80})?[|｜]?>|\[/?[A-Z][A-Z_]{1,20}\]|[◁◀]/?\w{1,20}[▷▶])"
"""A mark of a chat template: ``<|im_end|>``, ``<channel|>``, ``</think>``, ``[/INST]``, ``<｜end▁of▁sentence｜>``."""

_MARK = re.compile(MARK)
_SIGN = r"[^\w\s\"'“”„«»‘’`*_~#|<>()\[\].,;:!?…—–-]"
_ODD_MARK = re.compile(rf"[ \t]{{0,9}}(?P<mark>{_SIGN}\S{{1,40}}{_SIGN}|\[\[\S{{1,40}}\]\])")
"""A word between signs that glues itself to what follows, at the beginning of a row: ``⟦/hm⟧ANSWER``, ``@@end@@ANSWER``.

Templates have more marks than can be listed, and prose has none of this form."""
_ELEMENT = re.compile(
    r"(?:<[|｜]?|\[|[◁◀])(?P<shut>/?)(?P<name>[A-Za-z][\w:.-]{0,40})(?:[\s=][^<>\[\]\n]{0,80})?[|｜]?[]>▷▶]"
)
_THINKING = re.compile(r"think|thought|reason|reflect|scratchpad|analysis|monologue|deliberat")
_CHANNEL = re.compile(r"<\|channel\|?>\s{0,9}(\w+)")
_FINAL = re.compile(r"\A\s*<\|channel\|?>\s{0,9}final(?:\s{0,9}<\|\w{1,20}\|>\w{0,20})?\s{0,9}<\|message\|>")

_USERS = ("user", "human", "system", "developer", "tool", "function", "inst")
_OWN_ROLES = ("assistant", "model", "ai", "bot", "gpt")
_OWN_PARTS = (*_OWN_ROLES, "answer", "final", "output", "response")
"""Elements that set off the answer itself; any other one around a label holds somebody else's words, or an example."""

_TURN = re.compile(rf"(?P<mark>{MARK})[ \t]*\n?(?:(?P<role>[^\W\d_][\w .-]{{0,40}}?)[ \t]*(?=\n|:|{MARK}))?")

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_SET_APART = re.compile(r"[ \t]*(?:[-*+][ \t]+)?[>|]|\t| {4}|[ \t]*~~")
_HEADING = re.compile(
    r"[ \t]*(?:#{1,6}[ \t]+)?[*_]{0,3}\[?([^\n:：\[\]]{1,60}?)\]?(?:[ \t]*\([^()\n]{0,60}\))?[*_]{0,3}[:：][*_]{0,3}(.*)"
)
_OPENS = tuple("\"'`“„«「『(")
QUOTE = re.compile('(?<![0-9])"|[“”„«»「」『』]')
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,2}[.)])\s")


def own_words(text: str, known: Known, keep: Sequence[str], choices: Sequence[str], label: re.Pattern[str]) -> str:
    """An answer without its thinking, turns that it invents, and a label of its author's own name.

    Thinking may be closed, never closed, or opened before the text began; a channel that isn't the final one is thinking,
    too, and ends at the next mark. Tags of the names ``keep`` hold something else here, and a mark within one of the
    choices is none: "Keep [INST]" is an answer where that is an option.
    """
    for choice in filter(_MARK.search, choices):
        text = text.replace(choice, _MARK.sub(lambda mark: mark[0][0] + JOINER + mark[0][1:], choice))
    kept, names = {name.casefold() for name in keep}, any_of(tuple(known.others))
    shut = {tag["name"].casefold(): tag.start() for tag in _ELEMENT.finditer(text) if tag["shut"]}
    pieces: list[str] = []
    place = depth = 0
    channel, own = False, True
    for mark in _TURN.finditer(text):
        start, name = mark.start(), mark["mark"].strip("<|｜>[]◁▷◀▶ \n").partition(" ")[0].casefold()
        if name in kept or (shut.get(name, -1) < start and _is_mentioned(text, mark, label)):
            continue
        opened = _CHANNEL.match(text, start)
        if opened or channel:
            opens = opened is not None and opened[1].casefold() != "final"
            closes = channel and "|" in mark["mark"] and name != "message"
            channel = opens or (channel and not closes)
        else:
            thinks = _THINKING.search(name) and name.strip("/") not in kept
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
        role = name.lstrip("/") if name.lstrip("/") in _USERS else key(mark["role"] or "")
        # A mark of somebody else's turn has the name in it, or right behind it: "<|im_start|>Ben", "[BEN]", "<turn by=Ben>".
        closed = shut.get(name, -1) > start or (own and name.startswith("/"))  # then it's an element: see below
        foreign = (
            not closed
            and not _HTML.fullmatch(mark["mark"])
            and (names.search(fold(mark["mark"])) or names.fullmatch(role))
        )
        if foreign or role in _USERS or role in _OWN_ROLES or (not own and role == key(known.speaker)):
            pieces += [text[place:start]] if own else []
            # "[/INST]": the user's turn ends, and the answer begins or goes on.
            place, own = mark.end(), name.startswith("/") or not (foreign or role in _USERS)
    text = "".join((*pieces, text[place:] if own and not depth else "")).strip()
    text = _FINAL.sub("", text, count=1)
    end, elements = len(text), [end for _, end in elements_in(text)][-1:]
    for mark in () if keep else reversed(list(_MARK.finditer(text))):
        if text[mark.end() : end].strip() or mark.end() in elements:
            break
        end = mark.start()
    text = text[:end].strip()
    heading = _HEADING.match(text[:200]) if known.speaker else None
    if heading and key(heading[1]) in (key(known.speaker), "assistant"):
        rest = text[heading.start(2) :].lstrip(" \t*_\n")
        return text if rest[:1].islower() else rest  # "SQLite: because it's one file" is about SQLite
    return text


def _is_mentioned(text: str, mark: re.Match[str], label: re.Pattern[str]) -> bool:
    """Whether a mark stands in running text ("the <think> mark costs tokens") or in quotation marks, and marks nothing."""
    start, end = mark.span("mark")
    before = text[text.rfind("\n", max(0, start - 200), start) + 1 : start]
    goes_on = re.match(r"[ \t]*([.,;!?)]|[^\W\d_])", text[end : end + 9])
    running = (
        goes_on and (goes_on[1] in ".,;!?)" or goes_on[1].islower()) and not label.match(text[end : end + 99].lstrip())
    )
    in_words = before[-1:] == " " and re.search(r"\w", before) is not None and bool(running)
    return before[-1:] in _OPENS or (in_words and mark["mark"][1] != "/")


def _is_code(rows: Sequence[str]) -> Iterator[bool]:
    """Whether each row belongs to fenced code; the marks do."""
    fence = ""
    for row in rows:
        mark = _FENCE.match(row)
        yield bool(fence or mark)
        if mark:
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]


def _with_labels_behind_marks(text: str, labels: Sequence[re.Pattern[str]], others: Sequence[str]) -> str:
    """The text with a row of its own for each label that stands directly behind a mark of a template, which goes.

    ``<channel|>ANSWER: rent``: what stands before the mark stays, so that another answer in it is seen.
    """
    rows = text.split("\n")
    begins = [0, *accumulate(len(row) + 1 for row in rows)]
    # A mark in a quotation, in code or in a table is quoted with it.
    apart = [code or _SET_APART.match(row) for row, code in zip(rows, _is_code(rows), strict=True)]
    own = (mark for mark in _MARK.finditer(text) if not apart[bisect_right(begins, mark.start()) - 1])
    marks = {(mark.start(), mark.end()) for mark in own if text[mark.start() - 1 : mark.start()] not in _OPENS}
    names = any_of(tuple(others))
    for start in (found.start() for label in labels for found in label.finditer(text)):
        row = text.rfind("\n", max(0, start - 60), start) + 1
        odd = _ODD_MARK.fullmatch(text, row, start)
        # A name between signs may head somebody's words.
        if odd and re.search(r"\w", odd["mark"]) and not names.search(fold(odd["mark"])):
            marks.add((row, start))
    pieces: list[str] = []
    place = 0
    for start, end in sorted(marks):
        behind = end
        while behind < len(text) and text[behind] in " \t\n*_#":
            behind += 1
        if any(label.match(text, behind) for label in labels):
            pieces.append(text[place:start] + "\n")
            place = end
    return "".join((*pieces, text[place:]))


def elements_in(text: str) -> Iterator[tuple[int, int]]:
    """Where the outermost elements of a text begin and end, such as ``<example>…</example>`` and ``[QUOTE]…[/QUOTE]``.

    HTML's emphasis is none of them, nor is what sets off the answer itself.
    """
    tags = [
        tag
        for tag in _ELEMENT.finditer(text)
        if tag["name"].casefold() not in _OWN_PARTS and not _HTML.fullmatch(tag[0])
    ]
    last = {tag["name"].casefold(): tag.start() for tag in tags if tag["shut"]}
    start, outer = 0, ""
    for tag in tags:
        name = tag["name"].casefold()
        if not outer and not tag["shut"] and last.get(name, -1) > tag.start():
            start, outer = tag.start(), name
        elif tag["shut"] and name == outer:
            yield start, tag.end()
            outer = ""


def _without_elements(text: str, labels: Sequence[re.Pattern[str]]) -> str:
    """The text without elements that hold a label, and with a row of its own for what is set off as the answer."""
    pieces: list[str] = []
    place = 0
    for start, end in elements_in(text):
        if any(label.search(text, start, end) for label in labels):
            pieces.append(text[place:start])
            place = end
    text = "\n".join((*pieces, text[place:]))
    return _ELEMENT.sub(lambda tag: "\n" if tag["name"].casefold() in _OWN_PARTS else tag[0], text)


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
    text = _with_labels_behind_marks(_without_elements(text, wanted) if "/" in text else text, wanted, others)
    rows = text.strip("\n").split("\n")
    fences = [number for number, row in enumerate(rows) if _FENCE.match(row)]
    # A fence around the whole answer is no quotation.
    if len(fences) == 2 and fences[0] == 0 and not any(map(str.strip, rows[fences[1] + 1 :])):
        rows = rows[1 : fences[1]]
    kept = ["" if code or _SET_APART.match(row) else row for row, code in zip(rows, _is_code(rows), strict=True)]
    own = list(_without_quotations(kept))
    foreign = list(_foreign(own, others, label, one_form=one_form))
    return (
        ["" if strange else row for strange, row in zip(foreign, own, strict=True)],
        ["" if strange else row for strange, row in zip(foreign, rows, strict=True)],
    )


def _without_quotations(rows: Sequence[str]) -> Iterator[str]:
    """The rows, blank where one begins inside quotation marks that were opened above it in the same paragraph."""
    for _, group in groupby(rows, key=lambda row: bool(row.strip())):
        paragraph, opened = list(group), False
        marks = [len(QUOTE.findall(row)) for row in paragraph]
        for row, number in zip(paragraph, marks, strict=True):
            yield "" if opened and sum(marks) % 2 == 0 else row
            opened ^= number % 2 == 1


@lru_cache(maxsize=64)
def any_of(names: tuple[str, ...]) -> re.Pattern[str]:
    """What finds one of the names as a whole in folded words, whatever joins its parts: ``bob_lee``."""
    parts = (re.findall(r"[^\W\d_]+|\d+", fold(name)) for name in names)  # "Agent 2" is Agent2
    either = "|".join(r"[\W_]*".join(map(re.escape, words)) for words in parts if words)
    return re.compile(rf"(?<![^\W_])(?:{either})(?![^\W_])" if either else "(?!)")


_GAP = r"[\W_]"


@lru_cache(maxsize=64)
def _headings(names: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """What finds a name that heads a row, a row that is nothing but a name, and those that announce somebody's words."""
    name, users = any_of(names).pattern, "|".join(_USERS)
    decorated = r"[\W_]{{0,20}}(?:\d{{1,2}}[.)] )?(?:t\d{{1,4}}[\W_]{{1,9}})?(?:{})[\W_]{{0,20}}?(?:\([^()]{{0,60}}\)[\W_]{{0,9}})?"
    return (
        re.compile(rf"{decorated.format(f'{name}|{users}')}:(?P<rest>.*)"),
        re.compile(rf"{decorated.format(name)}[\W_]{{0,20}}|#{{1,6}} (?:{users})"),
        re.compile(rf"(?:\S+ ){{0,2}}(?:{name})(?:'s?)?(?: \S+){{0,2}}:"),
        re.compile(
            rf"{_GAP}*(?:(?:{name})(?:{_GAP}+[^\W_]+){{0,2}}|(?:[^\W_]+{_GAP}+){{0,2}}(?:{name})){_GAP}*(?<![.!?;,])"
        ),
        re.compile(rf".{{0,200}}(?:{name})(?:'s?\s.*|(?: \S+){{1,2}}):"),
    )


def _opens_words(row: str, others: Sequence[str], *, labelled: bool) -> str:
    """Whether a row gives words to another participant: "" if not, else ``row``, ``name`` or ``announced``.

    ``Ben: …`` gives its own row, ``Ben:`` and ``### Ben`` what is below, ``Ann's ballot:`` a form below it.
    """
    words = fold(re.sub(r"<[^<>]{1,80}>", " ", row[:400]) if "<" in row else row[:400])
    headed, alone, said, short, owned = _headings(tuple(others))
    if heads := headed.fullmatch(words):
        return "row" if re.search(r"[^\W_]", heads["rest"]) else "name"
    if alone.fullmatch(words):
        return "name"
    clause = re.split(r"[.!?,;]\s", words.strip(" *_#-"))[-1]
    # A label's own words may speak of somebody's plan: "SUMMARY: The group follows Ben's plan:".
    announces = said.fullmatch(clause) or (not labelled and (owned.fullmatch(clause) or short.fullmatch(words)))
    return "announced" if announces else ""


def _foreign(
    rows: Sequence[str], others: Sequence[str], label: re.Pattern[str], *, one_form: bool = False
) -> Iterator[bool]:
    """Whether each row belongs to a turn of others.

    A name alone on its row (``Ben:``) takes the paragraph below; one with words behind it takes its row, for that is how
    people go through a list of names. A row that announces somebody's words (``Ann's ballot:``) takes a form below it.
    A form of several fields that has begun so goes on until one of its labels is there again. Where the author's own one
    has begun, names in it are a part of it.
    """
    last = max((number for number, row in enumerate(rows) if row.strip()), default=0)
    begun, state, open_ = False, "", False
    taken = set[str]()
    for number, row in enumerate(rows):
        found = label.match(row)
        name = key(found["label"]) if found else ""
        if state == "form" and name in taken:
            state = ""
            taken.clear()
        # A name behind a label is its value, and the last one may be a vote.
        opens = _opens_words(row, others, labelled=bool(found)) if row.strip() and not open_ else ""
        opens = opens if number < last or opens == "row" else ""
        if opens == "name" and _ITEM.match(row):
            above, below = rows[max(0, number - 1)] if number else "", rows[number + 1]
            listed = _ITEM.match(below) or (_ITEM.match(above) and not below.strip())
            opens = "" if listed else opens  # a list of names is none of headings
        if opens and state != "paragraph":
            waits = "named" if opens == "name" and not begun else "announced"
            state = waits if opens != "row" else "form" if state == "form" else ""
            yield not begun
            continue
        if row.strip():
            if state in ("named", "announced"):
                state = "paragraph" if found or state == "named" else ""
            open_ = found is not None and not re.search(r"\w", found["rest"])
        elif state == "paragraph":
            state = "form" if one_form and taken else ""
        if found and state:
            taken.add(name)
        begun = begun or (one_form and bool(found) and not state)
        yield state in ("paragraph", "form")


_BEGINS = re.compile(r"(?P<label>\{)(?P<rest>)")


def are_foreign(text: str, spans: Sequence[tuple[int, int]], others: Sequence[str]) -> list[bool]:
    """Whether each object or message in a text is somebody else's by the words above it."""
    rows, places, place = list[str](), list[int](), 0
    for start, end in spans:
        above = text[place:start].removesuffix("\n").split("\n")
        rows += (row for row in above if not _FENCE.match(row))
        places.append(len(rows))
        rows.append("{")
        place = end
    foreign = list(_foreign(rows, others, _BEGINS))
    return [foreign[row] for row in places]
