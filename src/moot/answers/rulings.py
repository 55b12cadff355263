"""Rulings: where a decision ends, whether it says that nothing is decided, and whether it is taken back below.

A decision is read from free words, so its end is not marked. What closes the meeting, invented turns, marks of model
templates and other labels are no part of it. Where the author takes the ruling back, neither decision nor status count.

A sentence may put a ruling off ("Not now.", "We wait for the audit."). The words for it stand in ``words/cues.toml``:
NOT_NOW and UNSAID are whole sentences, PUTS_OFF counts anywhere, WAITS at the beginning of what stands in the place of
a decision, TO_COME and ELSEWHERE as the whole of it, OPINION is what leads up to them. UNDECIDED counts where all else
in a sentence is PROCESS: words of the debate and none of the matter. A wait up to an act (WAITED) is a decision unless
the act is a CHOICE.

A decision all of whose sentences are remarks on the debate, its people and the meeting is none either (``_remarks``).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

from moot.answers import retraction
from moot.answers.plain_text import fold, is_said, key, without_strikes
from moot.answers.values import Fault, FieldValues
from moot.answers.words import cues, phrases, ruling_words
from moot.core.ask import Field, Form

if TYPE_CHECKING:
    from moot.answers.words.weight import Weight

DECIDING = ("decision", "verdict")
"""The fields, compared without case, whose words become the decision of a debate."""

_RULE = re.compile(r"(?:-{3,}|\*{3,}|_{3,}|={3,}|~{3,}|#{3,}|[\u2014\u2500\u2501\u2550]{2,})")
_BULLET = re.compile(r"(?:[-*+•◦▪–—]|\(?(?:\d{1,3}|[a-zA-Z])[.)])[ \t]+|[|>]")
_HEADING = re.compile(r"(?:#{1,6}[ \t]+(?P<a>.{1,60})|(?:\*\*|__)(?P<b>[^*_]{1,60}?)[:：]?(?:\*\*|__))")
_SENTENCE = re.compile(
    r"(?<=[.!?…])[\"')\]*_”’]*\s+|(?<=[。！？।])\s*(?!\Z)|\n+|(?<=\S)[ \t]+[\u2013\u2014-]{1,2}[ \t]+(?=[A-ZÀ-Ý])"
)
_ENDED = re.compile(r"[.!?。！？…][\"'”’»」)\]*_`]*\s*$")
_YAML = re.compile(r"[|>][+-]?\d?[ \t]*\n")
_AROUND = " \t\"'`[](){}<>*_#-\u2013\u2014"
_ENDS = " .!。！।،,;"
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
    if is_taken_back(ending):
        return withdrawn_ruling(form, values)
    del values.fields[decision_field.name]
    words = _without_wrapping(without_strikes(ending.words) if "~~" in ending.words else ending.words)
    fault = "empty" if not words or says_nothing(words) else "vague" if is_vague(words) else ""
    values.add(decision_field, Fault(fault) if fault else words)
    return values


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
    from moot.answers.words import standing  # here for start-up time: only decisions in free words need it

    sentences = [sentence for sentence in _SENTENCE.split(fold(words)) if sentence and key(sentence)]
    bare = sentences[0].strip(_AROUND) if sentences else ""
    put_off = ruling_words.DECIDING.search(bare) and retraction.size(bare) <= 10 and retraction.says("LATER", bare)
    off = bool(put_off) or retraction.is_all("TIED", bare.rstrip(_ENDS)) or _stands_elsewhere(bare, fold(words))
    off = off or (_is_postponed_wait(act) if (act := retraction.behind("WAITED", bare)) else is_postponed(bare))
    asks = bare.endswith(("?", "？", "؟")) and all(retraction.says("UNSURE", other) for other in sentences[1:])
    off = off or any(retraction.says("NOT_MINE", other) for other in sentences) or _is_undecided(bare)
    off = off or standing.is_left(bare.rstrip(_ENDS)) or ruling_words.LABELS_ONLY.fullmatch(bare) is not None
    return not re.search(r"\w", bare) or off or asks or _leaves_open(bare)


def _leaves_open(sentence: str) -> bool:
    """Whether a folded sentence says that nothing is decided, and not that others choose things of their own."""
    open_words = ruling_words.NOTHING_DECIDED.search(sentence)
    if open_words is None:
        return False
    return not (open_words[0].startswith("let ") and phrases.OWN_THINGS.match(sentence, open_words.end()))


def _stands_elsewhere(*texts: str) -> bool:
    """Whether a folded text only says that it was left empty, or where the decision stands or is made."""
    return any(retraction.is_all("ELSEWHERE", text.strip(_AROUND).rstrip(_ENDS)) for text in texts)


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
    sentences = [part.strip(_AROUND).rstrip(_ENDS) for part in _SENTENCE.split(fold(words)) if part and key(part)]
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
    return all(_is_polite(part) or cues.is_saying(part) or _is_truism(part) for part in parts)


LONGEST_TRUISM = 12
"""The most words of a sentence that may state what is so everywhere."""


def _is_truism(part: str) -> bool:
    """Whether a part of a sentence says what is so everywhere ("Every rose has its thorn")."""
    general = retraction.size(part) <= LONGEST_TRUISM and retraction.says("TRUISM", part, begins=True)
    return general and not phrases.PARTICULAR.search(part) and not _ANSWERED.search(part)


_APART = re.compile(r"\s*[:;：；]\s*|\s[\u2013\u2014-]+\s|\u2014")
"""What parts a saying from the decision that it leads up to."""

LONGEST_THANKS = 14
"""The most words of a sentence that only thanks."""


def _is_polite(part: str) -> bool:
    return retraction.size(part) <= LONGEST_THANKS and retraction.says("THANKS", part, begins=True)


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


MOST_COMPARED = 12
"""The most words of a decision that is compared with the debate; a longer one speaks for itself."""

LEAST_SAID = 60
"""The fewest words of a debate with which a decision can be compared."""


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
        topic = fold(debate[0]) if debate else ""
        if (fault := _weighed(words, topic)) == "withdrawn":
            return withdrawn_ruling(form, values)
        if fault or not _is_related(words, debate) or _remarks(words, topic):
            del values.fields[field.name]
            values.add(replace(field, required=True), Fault("vague"))
    return values


def _is_related(words: str, debate: Sequence[str]) -> bool:
    """Whether a decision has a word of the matter in common with the debate, or none can be expected."""
    folded = fold(words)
    if retraction.size(folded) > MOST_COMPARED or re.search(r"\d", folded):
        return True
    if retraction.says("PLAINLY", folded.strip(_AROUND), begins=True):
        return True
    for table in ("UNDECIDED", "PROCESS", "GENERAL"):
        folded = retraction.without(table, folded)
    words_of_matter = re.findall(r"[^\W\d_]{2,}", folded)
    spoken = fold("\n".join(debate))
    if not words_of_matter or retraction.size(spoken) < LEAST_SAID:
        return True
    return any(is_said(word, spoken) for word in words_of_matter)


LONGEST_REMARKS = 2_000
"""The most characters of a decision in which nothing but remarks is looked for."""


def _remarks(words: str, topic: str) -> bool:
    """Whether all sentences of a decision are remarks on the debate, or say nothing in another way.

    Args:
        words: the decision.
        topic: the folded question; words that stand in it speak of the matter.
    """
    from moot.answers.words import remarks  # here for start-up time: only decisions in free words need it

    if len(words) > LONGEST_REMARKS or retraction.says("PLAINLY", fold(words).strip(_AROUND), begins=True):
        return False

    def is_matter(word: str) -> bool:
        return bool(topic) and len(word) > 1 and is_said(word, topic)

    has_remark = False
    for sentence in (part.strip(_AROUND) for part in _SENTENCE.split(fold(words)) if part and key(part)):
        parts = [part for part in _APART.split(sentence) if part and key(part)]
        if all(remarks.is_remark(part, is_matter) for part in parts):
            has_remark = True
        elif not _is_no_act(sentence.rstrip(_ENDS)) and not says_nothing(sentence):
            return False
    return has_remark


def _weighed(words: str, topic: str) -> str:
    """What a decision whose sentences speak of no matter is: ``vague``, ``withdrawn`` for one behind it; else ""."""
    from moot.answers.words import remarks, weight  # here for start-up time: only decisions in free words need it

    def is_matter(word: str) -> bool:
        return bool(topic) and len(word) > 2 and is_said(word, topic)

    begun = False
    for sentence in (
        part.strip(_AROUND) for part in _SENTENCE.split(fold(words)) if re.search(r"[^\W\d_]", part or "")
    ):
        bare = retraction.without("MANNER", sentence).strip(_AROUND + _ENDS)
        weighed, own = weight.weighed(bare, is_matter if topic else None), retraction.speaks_of_author(bare)
        if begun and _is_no_part(bare, weighed, own=own):
            return "withdrawn"
        if begun or remarks.is_remark(sentence, is_matter):
            continue
        if not (begun := retraction.says("PLAINLY", bare, begins=True) or not weighed.is_no_act(own=own)):
            return "vague"
    return ""


def _is_no_part(sentence: str, weighed: "Weight", *, own: bool) -> bool:
    """Whether a folded sentence behind a decision adds nothing to it and is not known to be harmless."""
    harmless = _is_harmless(sentence)
    itself = phrases.I_SAY.search(sentence) and retraction.about_itself(retraction.Sentence.of(sentence), None)
    no_part = weighed.is_no_part(own=own) and ((own and weighed.other > 0) or weighed.against > 1 or not harmless)
    return no_part or bool(itself and not harmless)


def _is_harmless(sentence: str) -> bool:
    """Whether a folded sentence behind a decision is known to leave it as it is."""
    known = retraction.says("REASON", sentence, begins=True) or retraction.is_all("SAYING", sentence)
    return known or any(retraction.says(name, sentence) for name in ("SAFE", "RULING", "ASIDE")) or _is_polite(sentence)


def is_taken_back(ending: Ending) -> bool:
    """Whether the author takes back the ruling in its own words, or below them."""
    words = fold(ending.words)
    rows = [row for row in words.split("\n") if row.strip()]
    if any(retraction.retracts_above(sentence) for row in rows[1:] for sentence in _sentences(row)):
        return True
    if phrases.ALTERNATIVE.search(words):
        return True
    return any(map(_takes_back, (*_sentences(words)[1:], *_sentences(fold(_own_part(ending.later))))))


def _own_part(text: str) -> str:
    """A text up to where an invented turn of somebody else begins."""
    return "\n".join(takewhile(lambda row: _boundary(row.strip(), "", gap=True) != "turn", text.split("\n")))


def _sentences(text: str) -> list[str]:
    """The sentences of a folded text that are not blank."""
    return [sentence for sentence in _SENTENCE.split(text) if sentence and sentence.strip()]


def _takes_back(sentence: str) -> bool:
    """Whether a folded sentence behind a decision takes it back, says that there is none, or puts it off."""
    sentence = retraction.without("MANNER", sentence)
    if ruling_words.TAKEN_BACK.search(sentence.strip()) or retraction.says("REVOKES", sentence):
        return True
    from moot.answers.words import standing  # here for start-up time: only decisions in free words need it

    bare = sentence.strip(_AROUND)
    if standing.is_updated(bare) or standing.is_changed(bare):
        return True
    speaks_of_ruling = retraction.says("RULING", sentence) or phrases.OWN_PAST.search(sentence) is not None
    if speaks_of_ruling and retraction.says("DENY", sentence):
        return True
    if puts_off(bare) or (retraction.size(bare) <= LONGEST_UNDONE and _is_unsure(bare)):
        return True
    if retraction.size(bare) > LONGEST_UNDONE or retraction.is_all("SAYING", bare.rstrip(_ENDS)):
        return False
    return ruling_words.NOTHING_DECIDED.search(bare) is not None or retraction.says("BACK", bare)


def _is_unsure(sentence: str) -> bool:
    """Whether the author of a folded sentence is not sure, or has no answer."""
    own = retraction.speaks_of_author(sentence)
    return own and any(retraction.says(table, sentence) for table in ("UNSURE", "TO_COME"))


LONGEST_UNDONE = 10
"""The most words of a sentence behind a decision that says no more than that nothing is decided, or takes it back."""


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
    if ruling_words.META.fullmatch(name) or _takes_back(f"{name}:"):
        return "own"
    if ruling_words.PART.search(name) or above.endswith((":", "：")):
        return ""
    if phrases.ROLES.fullmatch(name):
        return "own" if name.startswith(("moderator", "note", "system note")) else "turn"
    if marked:
        return "own"
    return "turn" if (gap or _ENDED.search(above)) and len(name.split()) <= 3 and row[0].isupper() else ""


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
        if not (cuts := [*_SENTENCE.finditer(words)]):
            break
        last = fold(words[cuts[-1].end() :]).strip()
        signed = words[: cuts[-1].start()].rstrip() != words and re.fullmatch(
            r"[\u2013\u2014~-]{0,2}\s*(?:the |your )?(?:moderator|chair(?:man|woman|person)?|judge)\W*", last
        )
        polite = ruling_words.COURTESY.search(last) or _is_polite(last.lstrip(" ¡¿"))
        if last and not signed and (not polite or _takes_back(last)) and re.search(r"\w", last):
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


# ---- whether it is put off -------------------------------------------------------------------------------------------

_PAUSES = " ,;:،、，：…\u2013\u2014-"
_PAUSE = re.compile("[,;:،、，：\u2013\u2014]")
MOST_LEAD = 6
"""The most words of a clause that only leads up to what is ruled."""


def puts_off(sentence: str) -> bool:
    """Whether a folded sentence puts the ruling off, wherever it stands."""
    clauses = list(_clauses(sentence))
    return (
        _begins(clauses, "NOT_NOW")
        or _begins(clauses, "UNSAID")
        or any(retraction.says("PUTS_OFF", clause) for clause in clauses)
    )


def is_postponed(sentence: str) -> bool:
    """Whether a folded sentence in the place of a decision puts it off."""
    clauses = list(_clauses(sentence))
    return puts_off(sentence) or _begins(clauses, "WAITS") or retraction.says("TO_COME", sentence, begins=True)


def _is_postponed_wait(act: str) -> bool:
    """Whether what is done after a wait is only the debate's own work.

    "Wait for the soil report before digging." is a decision, "Wait for the report before naming a winner." is none.
    """
    return retraction.says("CHOICE", act) or puts_off(act) or retraction.is_made_of(("UNDECIDED", "PROCESS"), act)


def _begins(clauses: list[str], table: str) -> bool:
    return any(retraction.says(table, clause, begins=True) for clause in clauses)


def _clauses(sentence: str) -> Iterator[str]:
    """A sentence, and what of it stands behind an opinion's beginning and behind a short first clause."""
    yield sentence
    yield from _behind_opinion(sentence)
    pause = _PAUSE.search(sentence)
    if pause and retraction.size(sentence[: pause.start()]) <= MOST_LEAD:
        rest = sentence[pause.end() :].lstrip(_PAUSES)
        yield rest
        yield from _behind_opinion(rest)


def _behind_opinion(clause: str) -> Iterator[str]:
    if opinion := retraction.first_cue("OPINION", clause):
        yield clause[len(opinion) :].lstrip(_PAUSES)
