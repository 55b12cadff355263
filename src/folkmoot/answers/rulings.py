"""Rulings: where a decision ends, whether it says that nothing is decided, and whether it is taken back below.

A decision is read from free words, so its end is not marked. What closes the meeting, invented turns, marks of model
templates and other labels are no part of it. Where the author takes the ruling back, neither decision nor status count.

What decides nothing is none: a sentence that puts the ruling off (``words/postponement.py``), that says that nothing is
decided, or that does not show that it decides (``words/acts.py``). What stands behind a decision must belong to it.

A decision all of whose sentences are remarks on the debate, its people and the meeting is none either.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import takewhile
from typing import TYPE_CHECKING

from folkmoot.answers import retraction
from folkmoot.answers.plain_text import fold, is_said, key, without_strikes
from folkmoot.answers.values import Fault, FieldValues
from folkmoot.answers.words import cues, phrases, postponement, ruling_words, undone
from folkmoot.core.ask import Field, Form

if TYPE_CHECKING:
    from folkmoot.answers.words.weight import Weight

DECIDING = ("decision", "verdict")
"""The fields, compared without case, whose words become the decision of a debate."""

_RULE = re.compile(r"(?:-{3,}|\*{3,}|_{3,}|={3,}|~{3,}|#{3,}|[\u2014\u2500\u2501\u2550]{2,})")
_BULLET = re.compile(r"(?:[-*+•◦▪–—]|\(?(?:\d{1,3}|[a-zA-Z])[.)])[ \t]+|[|>]")
_HEADING = re.compile(r"(?:#{1,6}[ \t]+(?P<a>.{1,60})|(?:\*\*|__)(?P<b>[^*_]{1,60}?)[:：]?(?:\*\*|__))")
_ENDED = re.compile(r"[.!?。！？…][\"'”’»」)\]*_`]*\s*$")
_YAML = re.compile(r"[|>][+-]?\d?[ \t]*\n")
_UNFILLED = re.compile(r"\$\{|\{\{|\}\}|%\(\w+\)s|\{\w+\}|<%|\A\([^()]*\)\W*\Z")
"""What a template leaves that nobody has filled in, and a stage direction: a decision that stands in round brackets."""

_PAIRS = ("[]", '""', "“”", "„“", "«»", "「」", "<>", "{}")
MOST = 9
"""The most courtesies that are cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """The words of a decision and what stands behind them.

    Attributes:
        words: the decision.
        later: what the author says below it, under another label or a ruled line.
    """

    words: str
    later: str = ""


def checked_ruling(form: Form, values: FieldValues) -> FieldValues:
    """What was read of a ruling, with the decision cut where it ends; without it, and its status, if taken back."""
    decision_field = next((field for field in form.fields if is_decision(field)), None)
    if decision_field is None or not isinstance(raw := values.fields.get(decision_field.name), str):
        return values
    if decision_field.kind == "choice":
        return values
    ending = end_of(_without_wrapping(raw))
    texts = values.fields.values() if _is_for_all(decision_field) else ()
    beside = [text for text in texts if isinstance(text, str) and text is not raw]
    goes_on = _CONTINUE.search(raw) and not raw.isupper() and not _CONTINUE.match(raw.strip())
    if goes_on or is_taken_back(ending) or any(map(undone.calls_it_a_draft, beside)):
        return withdrawn_ruling(form, values)
    del values.fields[decision_field.name]
    words = _without_wrapping(without_strikes(ending.words) if "~~" in ending.words else ending.words)
    no_words = not words or _UNFILLED.search(words) or says_nothing(words)
    fault = "empty" if no_words else "vague" if is_vague(words) else ""
    values.add(decision_field, Fault(fault) if fault else words)
    return values


_CONTINUE = re.compile(r"\bCONTINUE\b")
"""The status of a debate that goes on, which a decision cannot have ("Rent if Ben agrees; if not, CONTINUE")."""


def withdrawn_ruling(form: Form, values: FieldValues) -> FieldValues:
    """What was read of a ruling that is taken back: neither its status nor its decision."""
    for field in form.fields:
        if (field.kind == "choice" or is_decision(field)) and values.fields.pop(field.name, None) is not None:
            values.unread.append(f"{field.name}: ambiguous")
    return values


def is_decision(field: Field) -> bool:
    """Whether the words of a field become the decision."""
    return field.kind in ("text", "choice") and key(field.name) in DECIDING


@lru_cache(maxsize=64)
def says_nothing(words: str) -> bool:
    """Whether words in place of a decision say that there is none."""
    from folkmoot.answers.words import standing  # here for start-up time: only decisions in free words need it

    sentences = [sentence for sentence in undone.SENTENCE.split(fold(words)) if sentence and key(sentence)]
    sentences = [sentence for sentence in sentences if not undone.is_polite(sentence)] or sentences
    bare = sentences[0].strip(undone.AROUND) if sentences else ""
    put_off = ruling_words.DECIDING.search(bare) and retraction.size(bare) <= 10 and retraction.says("LATER", bare)
    off = bool(put_off) or retraction.is_all("TIED", bare.rstrip(undone.ENDS)) or _stands_elsewhere(bare, fold(words))
    off = off or (
        postponement.is_postponed_wait(act) if (act := cues.behind("WAITED", bare)) else postponement.is_postponed(bare)
    )
    asks = bare.endswith(("?", "？", "؟")) and all(retraction.says("UNSURE", other) for other in sentences[1:])
    off = off or any(retraction.says("NOT_MINE", other) for other in sentences) or _is_undecided(bare)
    off = off or standing.is_left(bare.rstrip(undone.ENDS)) or ruling_words.LABELS_ONLY.fullmatch(bare) is not None
    off = off or undone.POSITIONS.fullmatch(bare) is not None
    off = off or ruling_words.FILLER.fullmatch(bare) is not None or retraction.says("TO_YOU", bare)
    return not re.search(r"\w", bare) or off or asks or _leaves_open(bare)


def _leaves_open(sentence: str) -> bool:
    """Whether a folded sentence says that nothing is decided, and not that others choose things of their own."""
    open_words = ruling_words.NOTHING_DECIDED.search(sentence)
    if open_words is None:
        return False
    return not (open_words[0].startswith("let ") and phrases.OWN_THINGS.match(sentence, open_words.end()))


def _stands_elsewhere(*texts: str) -> bool:
    """Whether a folded text only says that it was left empty, or where the decision stands or is made."""
    return any(retraction.is_all("ELSEWHERE", text.strip(undone.AROUND).rstrip(undone.ENDS)) for text in texts)


LONGEST_UNDECIDED = 160
"""The most characters of a sentence that may be made of nothing but words of the debate."""


def _is_undecided(sentence: str) -> bool:
    """Whether a folded sentence says that nothing is decided, and no word of it speaks of a matter.

    "We vote again tomorrow." is no decision, "We paint the hall tomorrow." is one.
    """
    if len(sentence) > LONGEST_UNDECIDED or not retraction.says("UNDECIDED", sentence):
        return False
    return retraction.is_made_of(("UNDECIDED", "PROCESS"), sentence)


LONGEST_VAGUE = 200
"""The most characters of a decision that may name nothing."""


@lru_cache(maxsize=64)
def is_vague(words: str) -> bool:
    """Whether a decision names nothing that could be done: a saying, or words that fit any debate.

    Whoever meant it as a decision is asked and can say what it is about; "Time will tell." is none in any debate.
    """
    sentences = [
        part.strip(undone.AROUND).rstrip(undone.ENDS)
        for part in undone.SENTENCE.split(fold(words))
        if part and key(part)
    ]
    if not sentences or retraction.is_all("SAYING", sentences[0]):
        return bool(sentences)
    if any(retraction.is_all("SHRUG", sentence) for sentence in sentences):
        return True
    if len(words) > LONGEST_VAGUE or retraction.says("PLAINLY", sentences[0], begins=True):
        return False
    return all(map(_is_no_act, sentences))


@lru_cache(maxsize=64)
def _is_no_act(sentence: str) -> bool:
    """Whether a folded sentence of a decision is a remark, a saying or a courtesy, in each of its parts."""
    if _observes(sentence) or retraction.says("SELFISH", sentence, begins=True) or phrases.OWN_REMARK.match(sentence):
        return True
    parts = [part for part in _APART.split(sentence) if part and key(part)]
    return all(undone.is_polite(part) or cues.is_saying(part) or _is_truism(part) for part in parts)


LONGEST_TRUISM = 12
"""The most words of a sentence that may state what is so everywhere."""


def _is_truism(part: str) -> bool:
    """Whether a part of a sentence says what is so everywhere ("Every rose has its thorn")."""
    general = retraction.size(part) <= LONGEST_TRUISM and retraction.says("TRUISM", part, begins=True)
    return general and not phrases.PARTICULAR.search(part) and not _ANSWERED.search(part)


_APART = re.compile(r"\s*[:;：；]\s*|\s[\u2013\u2014-]+\s|\u2014")
"""What parts a saying from the decision that it leads up to."""

_OF_NO_MATTER = ("SAYING", "UNDECIDED", "PROCESS", "GENERAL")


def _observes(sentence: str) -> bool:
    """Whether a folded sentence observes the debate or its people, and no more ("Everyone had a fair hearing")."""
    return (
        3 <= retraction.size(sentence) <= LONGEST_REMARK
        and retraction.says("OBSERVES", sentence, begins=True)
        and not _ANSWERED.search(sentence)
        and retraction.strangers(_OF_NO_MATTER, sentence) <= 1
    )


LONGEST_REMARK = 10
"""The most words of a sentence that is a remark on the debate and not an act."""

_ANSWERED = re.compile(r"\b(?:yes|no|ja|nein|oui|non|sí|sim|não|sì|да|нет|tak|nie|evet|hayır)$")
"""How a sentence ends that gives an answer ("The answer is no")."""


def without_strangers(form: Form, values: FieldValues, debate: Sequence[str]) -> FieldValues:
    """What was read of a ruling, without a short decision that shares no word of the matter with the debate.

    "Swings and roundabouts." decides a debate about a playground, and no other one.

    Args:
        form: what was asked for.
        values: what was read.
        debate: the topic and what the debaters said; empty where that is unknown.
    """
    for field in form.fields:
        words = values.fields.get(field.name)
        if field.kind != "text" or not isinstance(words, str) or not is_decision(field):
            continue
        from folkmoot.answers.words import acts  # here for start-up time: only decisions in free words need it

        topic = fold(debate[0]) if debate else ""
        beside = (text for name, text in values.fields.items() if name != field.name and isinstance(text, str))
        known = (topic, *beside) if _is_for_all(field) else (topic,)
        if (fault := _weighed(words, known, free=not _is_for_all(field))) == "withdrawn":
            return withdrawn_ruling(form, values)
        if fault or not acts.is_related(words, debate):
            del values.fields[field.name]
            values.add(replace(field, required=True), Fault("vague"))
    return values


def _is_for_all(field: Field) -> bool:
    """Whether a field is a moderator's decision, which must show that it decides, and no verdict of one of many."""
    return key(field.name) == DECIDING[0]


def _weighed(words: str, known: Sequence[str], *, free: bool) -> str:
    """What a decision is that does not show that it decides: ``vague``, ``withdrawn`` for more behind it; else "".

    Args:
        words: the decision.
        known: the folded question, and the rest of the ruling.
        free: whether it may be in any words that speak of a matter.
    """
    from folkmoot.answers.words import remarks, weight  # here for start-up time: only decisions in free words need it

    passed = begun = False
    listed = _is_list(words)
    is_asked = partial(_is_of_matter, known[0])
    for sentence in undone.spoken_sentences(words):
        bare = retraction.without("MANNER", sentence).strip(undone.AROUND + undone.ENDS)
        own = retraction.speaks_of_author(bare)
        weighed = weight.weighed(bare, is_asked if known[0] else None)
        if passed and not (listed and not own) and _is_no_part(bare, weighed, own=own):
            return "withdrawn"
        if begun or (not passed and remarks.is_remark(sentence, is_asked)):
            continue
        shown = not weighed.is_no_act(own=own) if free else _decides(bare, weighed, known, own=own)
        passed, begun = True, shown or retraction.says("PLAINLY", bare, begins=True)
    return "" if begun else "vague"


def _is_list(words: str) -> bool:
    """Whether each row of a decision is an item of a list."""
    rows = [row.strip() for row in words.split("\n") if row.strip()]
    return len(rows) > 1 and all(map(_BULLET.match, rows))


def _decides(sentence: str, weighed: "Weight", known: Sequence[str], *, own: bool) -> bool:
    """Whether a folded sentence shows that it decides, by words of any matter, of the question or the summary."""
    from folkmoot.answers.words import acts, weight  # here for start-up time: only decisions in free words need it

    if acts.decides(sentence, weighed, partial(_is_of_matter, known[0]), own=own):
        return True
    is_known = partial(_is_of_matter, fold("\n".join(known)))
    return acts.decides(sentence, weight.weighed(sentence, is_known), is_known, own=own)


def _is_of_matter(debate: str, word: str) -> bool:
    """Whether a word stands in what is known of the matter."""
    return len(word) > 2 and bool(debate) and is_said(word, debate)


def _is_no_part(sentence: str, weighed: "Weight", *, own: bool) -> bool:
    """Whether a folded sentence behind a decision adds nothing to it and is not known to be harmless."""
    harmless = undone.is_harmless(sentence)
    itself = phrases.I_SAY.search(sentence) and retraction.about_itself(retraction.Sentence.of(sentence), None)
    no_part = weighed.is_no_part(own=own) and ((own and weighed.other > 0) or weighed.against > 1 or not harmless)
    return no_part or bool(itself and not harmless)


def without_open_points(text: str) -> str:
    """The text of a ruling that continues the debate, without the list of what is open that stands below its status."""
    status = _GOES_ON.search(text)
    rows = text[status.end() :].split("\n") if status else []
    start = next((number for number, row in enumerate(rows) if _heads_open_points(row)), len(rows))
    stop = start + 1
    while stop < len(rows) and (not rows[stop].strip() or _BULLET.match(rows[stop].strip())):
        stop += 1
    return text[: status.end()] + "\n".join([*rows[:start], *rows[stop:]]) if status else text


_GOES_ON = re.compile(
    r"^(?:[^\w\n]|_){0,60}(?:\w+ )?status\b[^\w\n]{0,60}(?:of the \w+|the \w+ is)?[\W_]{1,60}continue[\W_]*$",
    re.IGNORECASE | re.MULTILINE,
)


def _heads_open_points(row: str) -> bool:
    """Whether a row is a heading above what is still open."""
    heading = fold(row).strip()
    marked = heading.endswith((":", "：")) or row.lstrip().startswith(("#", "*"))
    return marked and undone.OPEN_POINTS.fullmatch(heading) is not None


def is_taken_back(ending: Ending) -> bool:
    """Whether the author takes back the ruling in its own words, or below them."""
    words = fold(ending.words)
    rows = [row for row in words.split("\n") if row.strip()]
    if any(retraction.retracts_above(sentence) for row in rows[1:] for sentence in undone.sentences_of(row)):
        return True
    if phrases.ALTERNATIVE.search(words):
        return True
    below = undone.sentences_of(fold(_own_part(ending.later)))
    return any(map(undone.takes_back, (*undone.sentences_of(words)[1:], *below))) or any(
        map(undone.is_sham_note, below)
    )


def is_held_back(form: Form, values: FieldValues, lead: Sequence[str]) -> bool:
    """Whether what stands above a ruling says more than that it follows, and nothing of the matter.

    Args:
        form: what was asked for.
        values: what was read; only a decision can be held back.
        lead: the lines above the first label.
    """
    own = "\n".join(row for row in lead if row.strip() and not _FRAME.match(row))
    if not own or not any(is_decision(field) and field.name in values.fields for field in form.fields):
        return False
    sentences = list(undone.spoken_sentences(own))
    if len(sentences) > MOST_ABOVE:
        return any(undone.holds(sentence) for sentence in sentences)
    return any(undone.holds(sentence) or not undone.leads_up(sentence) for sentence in sentences)


MOST_ABOVE = 3
"""With more sentences above it, a ruling has its reasons there."""


_FRAME = re.compile(r"\s*(?:[|>#`~<]|[-=*_]{3,}|\*\*|\S+[ \t]*[:：])")
"""How a line above a ruling begins that is no sentence: a heading, a table, a fence, a quotation, a label."""


def _own_part(text: str) -> str:
    """A text up to where an invented turn of somebody else begins."""
    return "\n".join(takewhile(lambda row: _boundary(row.strip(), "", gap=True) != "turn", text.split("\n")))


def end_of(raw: str) -> Ending:
    """Where a decision ends: at a ruled line, another label, somebody's turn, or what closes the meeting."""
    rows = raw.split("\n")
    start = next((number for number, row in enumerate(rows) if row.strip()), 0)
    above, stop, own = rows[start].rstrip(), len(rows), True
    for number in range(start + 1, len(rows)):
        row, gap = rows[number].strip(), not rows[number - 1].strip()
        if row and (end_kind := _boundary(row, above[-9:], gap=gap)):
            stop, own = number, end_kind == "own"
            break
        above = row or above
    words = _without_courtesies("\n".join(rows[start:stop]))
    return Ending(words=words, later="\n".join(rows[stop:]) if own else "")


def _boundary(row: str, above: str, *, gap: bool) -> str:
    """What a row below a decision begins: ``own`` for other words of the author's, ``turn`` for another's; else ""."""
    if _RULE.fullmatch(row):
        return "own"
    name, marked = _label(row)
    if not name:
        return ""
    if ruling_words.META.fullmatch(name) or undone.takes_back(f"{name}:"):
        return "own"
    if ruling_words.PART.search(name) or above.endswith((":", "：")):
        return ""
    if phrases.ROLES.fullmatch(name):
        return "own" if name.startswith(("moderator", "chair", "note", "system note")) else "turn"
    if marked:
        return "own"
    return "turn" if (gap or _ENDED.search(above)) and _is_name(row) else ""


def _is_name(row: str) -> bool:
    """Whether the label of a row is a name: at most three words, none in small letters ("Chair here: …" is none)."""
    words = re.split("[:：]", row)[0].split()
    return len(words) <= MOST_NAMES and row[0].isupper() and not any(word[0].islower() for word in words)


MOST_NAMES = 3
"""The most words of somebody's name."""


def _label(row: str) -> tuple[str, bool]:
    """The label that a row begins with, folded, and whether it is a heading, bold or in capitals; "" for none."""
    if _BULLET.match(row) and not row.startswith(("|", ">")):
        return "", False
    if heading := _HEADING.fullmatch(row):
        return _folded_label(heading["a"] or heading["b"]), True
    label = phrases.LABEL.fullmatch(row)
    return (
        (_folded_label(label["name"]), bool(label["head"] or label["open"] or label["name"].isupper()))
        if label
        else ("", False)
    )


def _folded_label(name: str) -> str:
    return fold(name).strip(" :*_#")


def _without_courtesies(words: str) -> str:
    """The words without courtesies at their end."""
    words = words.rstrip()
    for _ in range(MOST):
        if not (cuts := [*undone.SENTENCE.finditer(words)]):
            break
        last = fold(words[cuts[-1].end() :]).strip()
        signed = words[: cuts[-1].start()].rstrip() != words and re.fullmatch(
            r"[\u2013\u2014~-]{0,2}\s*(?:the |your )?(?:moderator|chair(?:man|woman|person)?|judge)\W*", last
        )
        polite = ruling_words.COURTESY.search(last) or undone.is_polite(last.lstrip(" ¡¿"))
        if last and not signed and (not polite or undone.takes_back(last)) and re.search(r"\w", last):
            break
        words = words[: cuts[-1].start()].rstrip()
    return words


def _without_wrapping(words: str) -> str:
    """The words without brackets, quotation marks or YAML's sign that stand around the whole of them."""
    bare = words.strip()
    if block := _YAML.match(bare):
        bare = "\n".join(row.strip() for row in bare[block.end() :].split("\n")).strip()
    while len(bare) > 2:
        pair = next((pair for pair in _PAIRS if bare[0] == pair[0] and bare[-1] == pair[1]), "")
        inside = bare[1:-1]
        if not pair or pair[0] in inside or pair[1] in inside:
            break
        bare = inside.strip()
    return bare
