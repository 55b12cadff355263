"""Answers in tags, ``<Label>text</Label>``: which tags are the author's own fields.

Only fields on the outer level of the author's own message count. Tags inside another element, a comment, a CDATA
section or a block quotation are content. One pass, no backtracking.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from folkmoot.answers import retraction
from folkmoot.answers.plain_text import fold, key, unquoted_lines, without_comments, without_elements
from folkmoot.answers.values import Fault, FieldValues, read_value, stated, value_text
from folkmoot.answers.words import phrases
from folkmoot.core.ask import Field, Form, Value
from folkmoot.core.roles import VERDICT
from folkmoot.core.text import bare

_TOKEN = re.compile(
    r"<!--|<!\[CDATA\[|<(?P<shut>/?)(?P<name>[A-Za-z][\w.:-]{0,60})(?P<more>(?:\s[^<>]{0,400})?)(?P<self>/?)>"
)
_VOID = frozenset({"br", "hr", "p", "img", "wbr"})
_ENTITY = re.compile(r"&(lt|gt|amp|quot|apos|#39|#34|#10|#13|#9);")
_MEANING: Mapping[str, str] = {
    "lt": "<",
    "gt": ">",
    "amp": "&",
    "quot": '"',
    "apos": "'",
    "#39": "'",
    "#34": '"',
    "#10": "\n",
    "#13": "\r",
    "#9": "\t",
}
_CONFIDENCE = re.compile(r"\b(?:certainty|confidence)=[\"']?[\d.]{1,6}%?[\"']?")
"""What may stand in a tag of a choice and says nothing against it."""
INSIDE = "inside_content"
"""Why a verdict is not read that stands inside another field of its message."""
SPEAKER = "speaker"
"""The field, compared without case, that says who a message is from."""


@dataclass(slots=True)
class Element:
    """A tag: its name in lower case, where it opens, where its words begin and end, where it ends."""

    name: str
    open: int
    start: int
    stop: int = -1
    end: int = -1
    plain: bool = True


@dataclass(slots=True)
class Level:
    """The elements next to each other in a text, and whether the text can be trusted as a form.

    ``stray`` are the names of closing tags that close nothing; ``rest`` is where something begins that never ends.
    """

    start: int
    stop: int
    elements: list[Element] = field(default_factory=list[Element])
    broken: str = ""
    stray: set[str] = field(default_factory=set[str])
    rest: int = -1


def escape(text: str) -> str:
    """The text as it may stand inside a tag."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")


def unescape(text: str) -> str:
    """The text that ``escape`` was given."""
    return _ENTITY.sub(lambda match: _MEANING[match[1]], text) if "&" in text else text


def level(text: str, start: int, stop: int) -> Level:
    """The elements on the outer level between two places; an element ends at the closing tag of its own depth."""
    new_level = Level(start, stop)
    current: Element | None = None
    depth, place = 0, start
    while token := _TOKEN.search(text, place, stop):
        place = token.end()
        shut, name, more, alone = token.groups()
        if name is None:
            closing = text.find("-->" if token[0] == "<!--" else "]]>", place, stop)
            new_level.rest = place if closing < 0 else new_level.rest
            place = stop if closing < 0 else closing + 3
            continue
        name, lone = name.lower(), bool(alone) or more.endswith("/")
        if current is None:
            if shut:
                new_level.stray.add(name)
                new_level.broken = new_level.broken or ("" if name in _VOID else "malformed")
            elif lone:
                new_level.elements.append(Element(name, token.start(), place, place, place, plain=False))
            elif name not in _VOID:
                current, depth = Element(name, token.start(), place, plain=not _CONFIDENCE.sub("", more).strip()), 1
        elif name == current.name and not lone:
            depth += -1 if shut else 1
            if not depth:
                current.stop, current.end = token.start(), place
                new_level.elements.append(current)
                current = None
    if current is not None:
        new_level.elements.append(current)
        new_level.broken = new_level.broken or "unclosed"
        new_level.rest = current.start
    return new_level


def has_tags(form: Form, text: str) -> bool:
    """Whether a tag of a form stands anywhere in a text."""
    names = {form.envelope.lower(), *(item.name.lower() for item in form.fields)}
    return any((token["name"] or "").lower() in names - {""} for token in _TOKEN.finditer(text))


def read_tags(form: Form, text: str, speaker: str) -> FieldValues:
    """Read a form laid out as tags.

    Args:
        form: the form; its envelope is the tag around one whole message, if any.
        text: the answer without thinking blocks.
        speaker: whose answer it is; a message in somebody else's name is not read. "" checks nothing.
    """
    outer = level(text, 0, len(text))
    if _is_torn(form, text, outer):
        return _nothing_read(form, "malformed")
    if not form.envelope:
        return _fields(form, text, outer)
    messages: list[Element] = []
    for element in outer.elements:
        before = messages[-1].end if messages else 0
        if element.name == form.envelope.lower() and _own_place(_text_before(text, before, element.open), speaker):
            messages.append(element)
    if not messages:
        if loose := _loose(form, text, outer):
            return loose
        bare = not _text_outside(text, outer).strip("` \n\t") and not any(
            element.name == form.envelope.lower() for element in outer.elements
        )
        return _fields(form, text, outer) if bare else _nothing_read(form, "no_form")
    inner = [
        (message, level(text, message.start, message.stop if message.stop >= 0 else len(text))) for message in messages
    ]
    own = [(message, inside) for message, inside in inner if _is_own(form, text, inside, speaker)]
    if not own:
        return _nothing_read(form, "speaker_mismatch")
    read = [_message(form, text, message, inside) for message, inside in own]
    if any(item.fields != read[0].fields for item in read):
        return _nothing_read(form, "ambiguous")
    behind = text[own[-1][0].end :] if own[-1][0].end >= 0 else ""
    return _without_retracted(form, read[0], _text_outside(behind, level(behind, 0, len(behind))))


def _text_before(text: str, start: int, stop: int) -> str:
    """The last words before a message, without comments."""
    near = text[max(start, stop - 600) : stop]
    return without_comments(text[max(start, stop - 4000) : stop])[-600:] if "-->" in near else near


def _without_retracted(form: Form, values: FieldValues, behind: str) -> FieldValues:
    """What was read of a message, without choices and flags that the words behind it take back."""
    if retraction.taken_back(fold("\n".join(row for row in behind.split("\n") if not row.lstrip().startswith(">")))):
        for form_field in form.fields:
            if form_field.kind in ("choice", "flag") and values.fields.pop(form_field.name, None) is not None:
                values.unread.append(f"{form_field.name}: ambiguous")
    return values


def _loose(form: Form, text: str, outer: Level) -> FieldValues | None:
    """Tags that stand in prose without a message around them ("I think <Verdict>HIRE</Verdict>"), each once and plain.

    What stands around them is what was said. None where there are no such tags.
    """
    names = {field.name.lower(): field for field in form.fields}
    outside = [part.strip() for part in _text_outside(text, outer).split("\n") if part.strip(" `*_.,;:!\t")]
    inside = [element for element in outer.elements if element.name in names]
    if not outside or not inside or len(inside) < len(outer.elements) or outer.broken:
        return None
    if len({element.name for element in inside}) < len(inside) or any(element.stop < 0 for element in inside):
        return None
    if not all(_is_own_remark(text, element) for element in inside):
        return None
    values = FieldValues()
    for form_field in form.fields:
        place = next((element for element in inside if names[element.name] is form_field), None)
        if place is not None:
            values.add(form_field, _value(form_field, text, place))
        elif form_field.required and form_field.kind == "text" and not form_field.private:
            values.fields[form_field.name] = "\n".join(outside)
    return values


_OWN = re.compile(
    r"\b(?:i|we) (?:(?:now|still|also|therefore|thus|firmly|would) ){0,2}"
    r"(?:think|say|believe|vote|conclude|give|hold)\b(?: that)?"
)


def _is_own_remark(text: str, element: Element) -> bool:
    """Whether a tag in prose is its author's own: not quoted, announced, doubted or denied, and not taken back."""
    start = max(0, element.open - 300)
    row = text[start : element.open].rpartition("\n")[2]
    before = _OWN.sub("", re.split(r"[.!?]\s", fold(row))[-1])
    above = [line for line in text[start : element.open].split("\n")[:-1] if line.strip()]
    behind = fold(text[element.end :][:600])
    clause = re.split(r"[.!?;,\n]", behind)[0]
    strange = (phrases.REPORTS, phrases.DOUBTS, phrases.DENIALS)
    quoted = row.lstrip().startswith((">", "|")) or row.count('"') % 2 or row.count("`") % 2
    led = (
        not row.strip()
        and above
        and any(strange_pattern.search(fold(above[-1])) for strange_pattern in strange)
        and above[-1].endswith(":")
    )
    return not (
        quoted
        or led
        or any(pattern.search(before) for pattern in strange)
        or any(pattern.search(clause) for pattern in strange)
        or phrases.TAKEN_BACK.search("\n" + behind)
    )


def _nothing_read(form: Form, reason: str) -> FieldValues:
    return FieldValues(
        {},
        [f"{form_field.name}: {reason}" for form_field in form.fields if form_field.required]
        or [f"{form.name}: {reason}"],
    )


def _message(form: Form, text: str, message: Element, inside: Level) -> FieldValues:
    if message.stop < 0 and (inside.broken or inside.rest >= 0):
        return _nothing_read(form, "unclosed")
    torn = inside.broken == "malformed" or _is_torn(form, text, inside)
    if torn:
        return _nothing_read(form, "malformed")
    values = _without_recalled(form, _fields(form, text, inside))
    nested = {
        inner.name
        for element in inside.elements
        if element.stop >= 0 and element.name != VERDICT.lower() and "<" in text[element.start : element.stop]
        for inner in level(text, element.start, element.stop).elements
    }
    if VERDICT.lower() in nested and not any(name == VERDICT for name in [*values.fields, *_unread_fields(values)]):
        values.unread += [f"{VERDICT}: {INSIDE}" for form_field in form.fields if form_field.name == VERDICT]
    return values


def _without_recalled(form: Form, values: FieldValues) -> FieldValues:
    """What was read of a message, without a choice that its author takes back in what it says beside it."""
    verdict = next((item for item in form.fields if item.name == VERDICT and item.kind == "choice"), None)
    named = stated(verdict, values.fields[VERDICT]) if verdict and VERDICT in values.fields else None
    if named:
        texts = [values.fields.get(item.name) for item in form.fields if item.kind == "text" and not item.private]
        words = fold("\n".join(without_elements(unquoted_lines(text)) for text in texts if isinstance(text, str)))
        if _recalls(words, named):
            del values.fields[VERDICT]
            values.unread.append(f"{VERDICT}: ambiguous")
    return values


def _unread_fields(values: FieldValues) -> list[str]:
    """The fields that were not read."""
    return [unread.rpartition(": ")[0] for unread in values.unread]


def _is_torn(form: Form, text: str, outer_level: Level) -> bool:
    """Whether a text inside cuts through the form: a tag of the form is closed that was not opened, or swallowed.

    So a text with closing tags in it cannot end its own field and go on as other fields: what is left over tells.
    """
    if not outer_level.stray and outer_level.rest < 0:
        return False
    names = {form.envelope.lower(), *(form_field.name.lower() for form_field in form.fields)} - {""}
    if outer_level.stray & names:
        return True
    last = outer_level.elements[-1] if outer_level.elements else None
    if outer_level.rest < 0 or (last and last.stop < 0 and last.name == form.envelope.lower()):
        return False
    return any(
        token["name"] and token["name"].lower() in names
        for token in _TOKEN.finditer(text, outer_level.rest, outer_level.stop)
    )


def _text_outside(text: str, outer: Level) -> str:
    """What stands outside of all elements."""
    pieces: list[str] = []
    place = 0
    for element in outer.elements:
        pieces.append(text[place : element.open])
        place = element.end if element.end >= 0 else len(text)
    return "".join(pieces) + text[place:]


def _own_place(text: str, speaker: str) -> bool:
    """Whether a message behind that text is the author's own: at a line's start, not announced as another's."""
    before = text.split("\n")
    line = before[-1].strip()
    above = [row.strip() for row in before[:-1] if row.strip() and not re.match(r"\s*(?:```|~~~)", row)]
    if line and not (line.endswith(":") and phrases.INTRO.fullmatch(fold(line))):
        return False
    announced = fold(above[-1]) if above else ""
    announced = announced.replace(f"{key(speaker)}'s ", "my ") if speaker else announced
    if announced.endswith((".", "!", "?")) or phrases.INTRO.fullmatch(announced):
        return True
    if phrases.INTRO.fullmatch(re.split(r"[.!?]\s+", announced)[-1]):
        return True
    return not (phrases.REPORTS.search(announced) or phrases.DOUBTS.search(announced))


def _is_own(form: Form, text: str, inside: Level, speaker: str) -> bool:
    """Whether every speaker that a message names is the author."""
    named = [
        unescape(text[element.start : element.stop])
        for element in inside.elements
        if element.name == SPEAKER and element.stop >= 0
    ]
    return not speaker or all(key(name) == key(speaker) for name in named if key(name))


def _fields(form: Form, text: str, inside: Level) -> FieldValues:
    """Book the fields among the elements of one level."""
    field_values = FieldValues()
    elements: dict[str, list[Element]] = {}
    for element in _separate_elements(form, text, inside):
        elements.setdefault(element.name, []).append(element)
    for form_field in form.fields:
        values = [_value(form_field, text, element) for element in elements.get(form_field.name.lower(), ())]
        if not values:
            field_values.add(form_field, Fault("missing" if inside.elements else "no_form"))
        else:
            field_values.add(
                form_field, values[0] if all(value == values[0] for value in values) else Fault("ambiguous")
            )
    return field_values


def _separate_elements(form: Form, text: str, inside: Level) -> list[Element]:
    """The elements that stand alone, as fields do, and not between two halves of a content that a closing tag cut."""
    names = [element.name for element in inside.elements]
    spans: list[tuple[int, int]] = []
    if len(names) > len(set(names)):
        for name in {form_field.name.lower() for form_field in form.fields if form_field.kind == "text"}:
            twins = [element for element in inside.elements if element.name == name]
            if len(twins) > 1:
                spans.append((twins[0].end, twins[-1].open))
    trusted: list[Element] = []
    starts = [element.open for element in inside.elements[1:]]
    place = inside.start
    for element, following in zip(inside.elements, [*starts, inside.stop], strict=False):
        before = without_comments(text[place : element.open]).rpartition("\n")[2]
        after = without_comments(text[element.end : following]).partition("\n")[0] if element.end >= 0 else ""
        between = bool(spans) and any(start <= element.open < stop for start, stop in spans)
        if not before.strip() and not after.strip() and not between:
            trusted.append(element)
        place = element.end
    return trusted


def _value(form_field: Field, text: str, element: Element) -> Value | Fault:
    """The value of one element."""
    if element.stop < 0:
        return Fault("unclosed")
    raw = text[element.start : element.stop]
    if form_field.kind in ("text", "list"):
        whole = re.fullmatch(r"\s*<!\[CDATA\[(.*)\]\]>\s*", raw, re.DOTALL) if "<![CDATA[" in raw else None
        return read_value(form_field, whole[1] if whole and "]]>" not in whole[1] else unescape(raw))
    if not element.plain:
        return Fault("malformed")
    words = unescape(bare(without_comments(raw)))
    value = read_value(form_field, words)
    if form_field.kind != "choice" or (not isinstance(value, Fault) and ":" not in fold(words)):
        return value  # and nothing is corrected behind it
    loose = read_value(form_field, words, loose=True)
    return value if isinstance(loose, Fault) else loose  # with a remark ("HIRE (strong)")


_VERDICT = re.compile(
    r"\b(?:verdict|approval|rejection|vote|ballot|decision|endorsement|consent|recommendation|deferral|agreement|choice"
    r"|urteil|votum|stimme|zustimmung|ablehnung|entscheidung|empfehlung|approbation|avis|voix|décision|accord|rejet"
    r"|veredicto|voto|decisión|aprobación|rechazo|veredito|decisão|aprovação|rejeição|verdetto|decisione|approvazione"
    r"|rifiuto|werdykt|głos|decyzj\w+|zgod\w+|вердикт|голос|решение|одобрение|отказ|karar\w*|onay\w*|oy\w*|ret\w*)\b"
    r"|裁决|裁決|批准|同意|决定|決定|投票|評決|承認|賛成|判断|평결|승인|결정|판단|투표|حكمي|موافقتي|قراري|صوتي|फ़ैसल|फैसल|निर्णय"
    r"|मंज़ूरी|मंजूरी|सहमति|मत"
)
_IGNORED = re.compile(
    r"\b(?:forget|ignore|disregard|discard|strike|scratch) (?:the|my|that|this) (?:\w+ )?"
    r"(?:verdict|approval|rejection)\b"
)
_LEAVES = re.compile(
    r"\b(?:and |so )?i (?:(?:also|hereby|now|therefore) )*(?:leave|withdraw)"
    r"(?: (?:from )?(?:the|this) (?:board|meeting|table))?[\s.]*$"
)
"""How somebody leaves the meeting, whose verdict stands."""
_FORMER = re.compile(r"\b(?:earlier|previous|prior|former|old|first|initial|last|objections?|doubts?)\b")


def _recalls(words: str, named: retraction.Named) -> bool:
    """Whether what is said beside a verdict takes that verdict back, or puts another in its place.

    Most of what is said is about the matter, so a sentence must speak of the author and of the verdict.

    Args:
        words: the folded words that are said, without quotations.
        named: which verdicts a sentence names.
    """
    for sentence in retraction.sentences_of(words):
        text = _LEAVES.sub("", sentence.without_commas)
        if sentence.size > 16 or named.own(text):
            continue
        # The tables of cues are long, so they are searched last.
        if (
            _VERDICT.search(text)
            and not _FORMER.search(text)
            and retraction.says("SELF", text)
            and retraction.says("BACK", text)
        ):
            return True
        if _IGNORED.search(text):
            return True
        if sentence.size <= 8 and named.other(text) and retraction.says("TURN", sentence.text, begins=True):
            return True
    return False


def write_tags(form: Form, fields: Mapping[str, Value], marks: Mapping[str, str] | None = None) -> str:
    """Fields as tags, in the form's order; what a text holds can neither open a tag nor close one.

    Args:
        form: the form.
        fields: what is written; a field without a value is left out.
        marks: the ids that stand on tags, by the names of those: ``{"Message": "T3"}``.
    """
    ids = {name: f' id="{mark}"' for name, mark in (marks or {}).items()}
    rows = [
        f"<{item.name}{ids.get(item.name, '')}>{escape(value_text(item, fields[item.name]))}</{item.name}>"
        for item in form.fields
        if item.name in fields
    ]
    if not form.envelope:
        return "\n".join(rows)
    return "\n".join([f"<{form.envelope}{ids.get(form.envelope, '')}>", *rows, f"</{form.envelope}>"])
