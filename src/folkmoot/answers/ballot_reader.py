"""Ballots in running text ("I vote for: X"): which statement is the author's vote, and which of several counts.

Only the author's own, final, unconditional statement counts. A statement that contradicts it, takes it back or renames
it leaves no vote, unless its words say that the later one counts.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from folkmoot.answers import mentions, own_words, plain_text, retraction
from folkmoot.answers.blanks import BLANK, filled, without_matter
from folkmoot.answers.candidates import Candidates, Stated, tail_fault
from folkmoot.answers.mentions import WINDOW, MarkedText, Mood, Pick, mood_of_words_before, name_at, sentence_end
from folkmoot.answers.plain_text import key
from folkmoot.answers.values import Fault
from folkmoot.answers.words import formulas, phrases, vote_labels
from folkmoot.core.ask import ABSTAIN, Field, Value

_ARTICLE = re.compile(r"(?<!\w)(?:the|der|die|das|les?|la|el|los|las|il|lo)[ \t]+\Z|(?<!\w)l'\Z")
_REST = re.compile(r"(?:です|だ|に|で|입니다|으로|로)?[\W_]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Something in a text that looks like a vote or an abstention.

    Attributes:
        value: the candidate, ``ABSTAIN``, or "" where no name was read.
        mood: whether it counts.
        reason: why it does not.
        start: where it begins.
        end: where its sentence ends.
        colon: whether it is the form's own formula with its colon.
    """

    value: str
    mood: Mood
    reason: str
    start: int
    end: int
    colon: bool = False


@dataclass(frozen=True, slots=True)
class Reader:
    """One text under reading."""

    asked: Field
    marked: MarkedText
    candidates: Candidates
    formula: re.Pattern[str]
    strict: bool
    speaker: str
    spoken: plain_text.Spoken | None = None


def final_statement(reader: Reader, statements: Sequence[Statement]) -> Value | Fault:
    """The one statement that stands."""
    words = reader.marked.words
    echoes = [False] + [_continues_report(words, earlier, later) for earlier, later in pairwise(statements)]
    plains = [
        statement for statement, echo in zip(statements, echoes, strict=True) if statement.mood == "plain" and not echo
    ]
    if not plains:
        doubtful = [statement for statement in statements if statement.mood == "unclear"] or statements
        return Fault(doubtful[0].reason or "ambiguous")
    last = plains[-1]
    stated = Stated(reader.candidates, key(last.value), reader.speaker, reader.spoken)
    behind: str | None = _words_after(reader, statements, last)
    if _is_hindered_wish(reader.marked.words, last, behind, stated):
        return Fault("conditional")
    if BLANK in reader.asked.name:
        behind = without_matter(reader.asked.name, reader.asked.choices, last.value, behind)
    if _names_other_afterwards(reader, last) or behind is None:
        return Fault("ambiguous")
    if behind.strip() and retraction.taken_back(behind, stated):
        return Fault("ambiguous")
    for statement in statements:
        denied = statement.reason == "negated" and statement.value == last.value
        against = statement.mood != "void" and statement.value != last.value
        spared = statement.reason == "unknown_name" and (
            last.value == ABSTAIN
            or mentions.form_stands_below(words, (statement.start, statement.end), (last.start, last.end))
        )
        if (denied or (against and not spared)) and not _superseded(reader.marked, statement, last):
            return Fault("ambiguous")
    if last.value == ABSTAIN:
        return ABSTAIN if reader.asked.abstain else Fault("not_allowed")
    if reader.strict and not any(statement.colon and statement.value == last.value for statement in plains):
        return Fault("no_form")
    return last.value


def _is_hindered_wish(words: str, last: Statement, behind: str, named: retraction.Named) -> bool:
    """Whether a vote is said as a wish, and anything but a reason follows ("I would like to vote for A. I may not.").

    An obstacle may be said in any words, so whoever explains a wish at length is asked.
    """
    stated = words[last.start : last.end].strip()
    if not phrases.WISH.match(stated):
        return False
    sentences = [part.strip() for part in re.split(r"[.!?…]\s|\n", behind) if re.search(r"\w", part)]
    return formulas.CONTRAST.search(stated) is not None or not all(
        retraction.says("REASON", part, begins=True) or phrases.REASONS.match(part) or own_words.is_reason(part, named)
        for part in sentences
    )


def _continues_report(words: str, earlier: Statement, later: Statement) -> bool:
    """Whether a statement goes on with what was just reported on the same line ("Ann repeats: I vote … I vote …")."""
    same = earlier.mood == "void" and earlier.reason == "quoted_only" and earlier.value == later.value
    return same and "\n" not in words[earlier.start : later.start]


def _words_after(reader: Reader, statements: Sequence[Statement], last: Statement) -> str:
    """The words behind the last statement, without sentences that rule another candidate out, or only suppose it."""
    words = reader.marked.words
    pieces: list[str] = []
    place = last.end
    for statement in statements:
        other = statement.mood == "void" and statement.value not in ("", last.value)
        if other and statement.start >= last.end and _ruled_out(reader, statement):
            begin = max(place, reader.marked.sentence_start(statement.start))
            pieces.append(words[place:begin])
            place = max(place, statement.end)
    return "\n".join([*pieces, words[place:]])


def _ruled_out(reader: Reader, statement: Statement) -> bool:
    """Whether the words before a statement say that it is none, and not that its author has changed its mind."""
    lead = reader.marked.words[reader.marked.sentence_start(statement.start) : statement.start]
    if retraction.says("BACK", lead):
        return False
    mood, _ = mood_of_words_before(reader.marked, statement.start, reader.candidates, reader.speaker)
    return mood == "void" or statement.reason == "negated"


def _names_other_afterwards(reader: Reader, last: Statement) -> bool:
    """Whether a short sentence after the statement ends with another candidate's name ("Make that Bob.")."""
    words, own_name = reader.marked.words, key(last.value)
    behind = words[last.end : last.end + WINDOW]
    rows = re.split(r"[.!?…。！？\n]+\s*", behind)
    line = words[last.end - 1 : last.end] != "\n" and behind.split("\n")[0].strip()
    curt = re.split(r"[.!?…。！？]", line)[0] if line else ""
    harmless = phrases.ASIDE.search(curt) or formulas.SETTLING.search(curt) or retraction.says("ASIDE", curt)
    if curt.isascii() and 0 < len(curt.split()) <= 2 and not (formulas.CURT.match(curt) or harmless):
        return True
    for row in rows:
        bare = key(row)
        joined = re.match(r"(?:or|and|no|rather|oder|und)\W+", bare)
        if joined and reader.candidates.key_at(bare, joined.end())[0] not in ("", own_name):
            return True
        rivals = (
            reader.candidates.rivals(row, own_name) if reader.candidates.lasts and len(row) <= retraction.SHORT else []
        )
        beside = rivals and len(row.split()) <= 5 and formulas.PREFERS.search(row)
        aside = phrases.ASIDE.search(bare) or retraction.says("ASIDE", bare)
        if (beside or any(_REST.fullmatch(row, end) for _, end in rivals)) and not aside:
            return True
        name = next((name for name in reader.candidates.keys if bare.endswith(name) and name != own_name), "")
        own = name in ("", reader.speaker) or aside
        if not own and len(bare.split()) <= 3 + len(name.split()):
            return True
    return False


def _superseded(marked: MarkedText, earlier: Statement, last: Statement) -> bool:
    """Whether words between two statements, or the later one itself, say that the later one stands."""
    if earlier.start >= last.start:
        return False
    stop = min(len(marked.words), last.start + 40)
    if phrases.CHANGED.search(marked.words, earlier.end - 1, stop):
        return True
    between = marked.words[earlier.end - 1 : last.start]
    if _RULE.search(between) and _MINE.search(between):
        return True
    if retraction.says("SHAM", between) and phrases.OWN_NEXT.search(between):
        return True
    before = marked.sentence_start(earlier.start)
    final = phrases.FINAL.search(marked.words, earlier.end - 1, stop)
    return final is not None and not phrases.FINAL.search(marked.words, before, earlier.end)


_RULE = re.compile(r"\n[ \t]*(?:-{3,}|={3,}|_{3,}|\*{3,})[ \t]*\n")
_MINE = re.compile(r"\b(?:my (?:own )?(?:vote|ballot|answer)|mine)\b[^\n]*$")

VOTE = "i vote for"

OTHERS: Mapping[str, formulas.Patterns] = {
    VOTE: formulas.VOTES,
    "i pick": (*formulas.PICKS, *formulas.VOTES),
}
"""The labels for which other wordings are known, also in other languages."""

MOST = 200
"""The most statements that are weighed in one text."""

_CHANGES = re.compile(r"\b(?:chang|switch|mov)")
_ERRED = re.compile(r"\bi (?:misread|misjudged|misunderstood|was wrong|overlooked|had overlooked)\b")

LONG = 12
"""The most words of a reason that stands behind a vote without the form's colon."""

_SEPARATOR = re.compile(r"[ \t\"'`)\]]*(:|=|->|→|[\u2013\u2014-](?=\s))?")
_AROUND = " \t\"'`«»“”„「『[({<*~、,:"


def read_ballot(
    form_field: Field,
    text: str,
    *,
    strict: bool,
    speaker: str = "",
    proposals: Mapping[str, Sequence[str]],
    spoken: plain_text.Spoken | None = None,
) -> Value | Fault:
    """Read one choice from an answer in running text.

    Where nobody is named, it is read once more with the labels of the candidates in place of the author's own words
    for them: a bare letter, or a proposal's exact words.

    Args:
        form_field: the field; its name is the formula.
        text: the answer without thinking blocks.
        strict: whether only the formula itself with its colon counts.
        speaker: whose answer it is.
        proposals: by choice, the words of the proposals that it stands for.
        spoken: the words of the debate; None where unknown.
    """
    value = _read_ballot(form_field, text, strict, speaker, spoken)
    if not isinstance(value, Fault) or value.reason not in _NAMELESS:
        return value
    labelled = own_words.with_labels(text, form_field.choices, proposals)
    return value if labelled == text else _read_ballot(form_field, labelled, strict, speaker, spoken)


_NAMELESS = ("no_form", "unknown_name", "quoted_only")
"""The faults of a text in which no candidate was recognized."""


def _read_ballot(
    form_field: Field, text: str, strict: bool, speaker: str, spoken: plain_text.Spoken | None
) -> Value | Fault:
    whole = plain_text.own_part(text, announces)
    words = plain_text.fold(plain_text.without_elements(plain_text.without_strikes(plain_text.unquoted_lines(whole))))
    words = vote_labels.FORCED.sub(VOTE, plain_text.without_gaps(words))
    if speaker:
        words = own_words.without_own_heading(own_words.without_own_name(words, key(speaker)), key(speaker))
    label = r"\s+".join(re.escape(word) for word in key(form_field.name).split())
    formula = re.compile(rf"(?<!\w){label}(?!\w)")
    marked, candidates = MarkedText.of(words), Candidates.of(form_field.choices)
    reader = Reader(form_field, marked, candidates, formula, strict, key(speaker), spoken)
    statements: list[Statement] = []
    for statement in _statements(reader):
        statements.append(statement)
        if len(statements) > MOST:
            return Fault("ambiguous")
    if not strict and not any(statement.value or statement.mood != "void" for statement in statements):
        statements += _backings(reader)
        if not statements and (opening := own_words.opening_name(words, candidates)):
            name, end = opening
            statements = [Statement(value=candidates.keys[name], mood="plain", reason="", start=0, end=end)]
    if statements and not mentions.is_set_aside(words):
        return final_statement(reader, sorted(statements, key=lambda statement: statement.start))
    if form_field.abstain and not strict and own_words.abstains(words):
        return ABSTAIN
    if not strict and (bare := plain_text.match(form_field.choices, words)):
        return bare  # nothing but a name
    quoted = formula.search(plain_text.fold(text)) and not formula.search(words)
    return Fault("quoted_only" if quoted else "no_form")


def announces(line: str) -> bool:
    """Whether a line announces the author's own answer."""
    return phrases.INTRO.fullmatch(plain_text.fold(line).strip()) is not None


def _statements(reader: Reader) -> Iterator[Statement]:
    """Everything that looks like a statement, in no order."""
    words = reader.marked.words
    if BLANK in reader.asked.name:
        yield from _blanks(reader)
        return
    known = OTHERS.get(key(reader.asked.name))
    matches = _matches((reader.formula, *(_possible_patterns(known, words) if known else ())), words)
    for match in matches:
        yield from _vote(reader, match, own=match.re is reader.formula)
    if not known:
        return
    for match in _matches(_possible_patterns(vote_labels.STATED, words), words, beside=matches):
        yield from _stated(reader, match)
    for patterns, read in ((vote_labels.LABELS, _labelled), (formulas.AFTER, _before_verb)):
        for pattern in _possible_patterns(patterns, words):
            for match in pattern.finditer(words):
                yield from read(reader, match)
    for match in formulas.NEGATED.finditer(words) if "vot" in words else ():
        name, end = reader.candidates.key_at(words, match.end())
        if name and phrases.DENIALS.search(match[0]):
            yield Statement(
                value=reader.candidates.keys[name], mood="void", reason="negated", start=match.start(), end=end
            )
    for pattern in _possible_patterns(formulas.ABSTENTIONS, words):
        for match in pattern.finditer(words):
            yield _abstention(reader, match.start(), match.end())


def _matches(
    patterns: Iterable[re.Pattern[str]], words: str, *, beside: Sequence[re.Match[str]] = ()
) -> Sequence[re.Match[str]]:
    """Where patterns match, the longest of those that end at one place, outside of the matches that stand beside."""
    longest: dict[int, re.Match[str]] = {}
    for pattern in patterns:
        for match in pattern.finditer(words):
            if match.end() not in longest or match.start() < longest[match.end()].start():
                longest[match.end()] = match
            if len(longest) > MOST:
                break
    spans = [match.span() for match in beside]
    return [item for item in longest.values() if not any(a < item.end() and item.start() < b for a, b in spans)]


def _backings(reader: Reader) -> Iterator[Statement]:
    """Sentences that only say whom the author backs ("Bob has my support."), with the reason at most."""
    if key(reader.asked.name) not in OTHERS:
        return
    words = reader.marked.words
    for pattern in _possible_patterns(formulas.BACKINGS, words):
        for match in pattern.finditer(words):
            yield from _limited_support(words, match.end(), _vote(reader, match, own=False))
    for pattern in _possible_patterns(formulas.BACKED, words):
        for match in pattern.finditer(words):
            yield from _limited_support(words, 0, _before_verb(reader, match))
    for name, mood, reason, start, end in own_words.everyday_votes(reader.marked, reader.candidates, reader.speaker):
        yield Statement(value=reader.candidates.keys[name], mood=mood, reason=reason, start=start, end=end)


def _limited_support(words: str, place: int, statements: Iterable[Statement]) -> Iterator[Statement]:
    """The statements that name a candidate and limit their support to nothing behind that place ("… on costs")."""
    for statement in statements:
        limited = formulas.LIMITED.search(words, max(place, statement.start), statement.end)
        yield replace(statement, mood="unclear", reason="ambiguous") if limited and statement.value else statement


def _blanks(reader: Reader) -> Iterator[Statement]:
    """The formula with its blank filled in, wherever it stands."""
    for item in filled(reader.asked.name, reader.asked.choices, reader.marked.words):
        mood, reason = mood_of_words_before(reader.marked, item.start, reader.candidates, reader.speaker)
        if item.sure and reason not in ("negated", "conditional"):
            mood, reason = "plain", ""  # a colon before it ("B is better: [[B]]") makes it no quotation
        mood, reason = (mood, reason) if mood != "plain" or item.plain else ("unclear", "ambiguous")
        yield Statement(value=item.value, mood=mood, reason=reason, start=item.start, end=item.end, colon=True)


_compiled = cache(re.compile)  # when first met: most of the many languages never are


def _possible_patterns(patterns: formulas.Patterns, words: str) -> Iterator[re.Pattern[str]]:
    """The patterns whose letters stand in the words at all."""
    return (_compiled(pattern) for needle, pattern in patterns if needle in words)


def _vote(reader: Reader, match: re.Match[str], *, own: bool) -> Iterator[Statement]:
    words = reader.marked.words
    separator = _SEPARATOR.match(words, match.end())
    mark, start = (
        (separator[1] or "", separator.end() if separator[1] else match.end()) if separator else ("", match.end())
    )
    needs = not key(reader.asked.name).startswith("i ")
    if own and needs and not mark:
        return
    mood, reason = mood_of_words_before(reader.marked, match.start(), reader.candidates, reader.speaker)
    pick = name_at(reader.candidates, words, start)
    if pick.fault == "conditional" and _CHANGES.search(match[0]) and _ERRED.search(words, start, pick.end):
        pick = replace(pick, fault="")  # the mistake was the earlier vote
    base = Statement(
        value=pick.name, mood=mood, reason=reason, start=match.start(), end=pick.end, colon=own and mark == ":"
    )
    if formulas.OWN_ABSTENTION.match(words[start : pick.end].strip(" \"'[]().*")) and not pick.name:
        yield replace(base, value=ABSTAIN)
    elif mood == "plain" and not (mark or pick.fault) and _gives_long_reason(reader, start):
        yield replace(base, mood="unclear", reason="no_form")
    elif mood == "void" or not pick.fault:
        yield base
    elif pick.fault == "template":
        yield replace(base, mood="void", reason="unknown_name")
    else:
        yield _unclear_statement(reader, base, pick, bool(mark), words[start : start + 20])


def _gives_long_reason(reader: Reader, start: int) -> bool:
    """Whether a long reason follows the name in a vote ("I'm voting for Bob because …").

    Without the form's colon that is prose about a vote, not the ballot: in recorded games such sentences stand where
    no valid vote was given, and where a vote for somebody was meant against them. A short reason stands on every day's
    ballots.
    """
    if key(reader.asked.name) != VOTE:
        return False
    words = reader.marked.words
    behind = words[start : start + 20]
    _, end = reader.candidates.key_at(words, start + len(behind) - len(behind.lstrip(" \t\"'([*_`")))
    reason = words[end : sentence_end(words, end)].strip()
    reason_start = phrases.REASONS.match(reason) or retraction.begins("REASON", reason.lstrip(" ,"))
    return bool(reason_start) and retraction.size(reason) > LONG


def _unclear_statement(reader: Reader, base: Statement, pick: Pick, marked: bool, rest: str) -> Statement:
    """A statement whose name does not stand plainly."""
    if pick.fault == "conditional":
        return replace(base, mood="unclear" if reader.strict else "void", reason="conditional")
    if pick.fault == "negated":
        return replace(base, mood="void", reason="negated")
    reason = "unknown_name" if pick.fault == "nobody" else pick.fault
    vague = (not marked and formulas.VAGUE.match(rest.lstrip())) or _announces_only(reader, base, marked=marked)
    vague = vague or (not marked and (_speaks_of_it(reader, base) or re.match(r"\s*[.!](?:\s|$)", rest)))
    return replace(base, value="", mood="void" if vague else "unclear", reason=reason)


def _announces_only(reader: Reader, base: Statement, *, marked: bool) -> bool:
    """Whether a formula without a name only announces the vote on the line below it ("My final vote:")."""
    words = reader.marked.words
    line = words[base.start : words.find("\n", base.start) if "\n" in words[base.start :] else len(words)]
    if base.value or not line.rstrip().endswith(":"):
        return False
    return not marked or line.count(":") == 1


def _speaks_of_it(reader: Reader, base: Statement) -> bool:
    """Whether a formula without a name and without its mark only speaks of the vote ("My vote is final.")."""
    sentence = reader.marked.words[base.start : base.end]
    return not reader.candidates.pattern.search(sentence) and retraction.says("SAFE", sentence)


def _labelled(reader: Reader, match: re.Match[str]) -> Iterator[Statement]:
    """A statement such as ``Vote: X`` or ``Final answer: X``; it counts only where a candidate's name follows."""
    words = reader.marked.words
    separator = _SEPARATOR.match(words, match.end())
    start = separator.end() if separator else match.end()
    pick = name_at(reader.candidates, words, start)
    mood, reason = mood_of_words_before(reader.marked, match.start(), reader.candidates, reader.speaker)
    if pick.name:
        mood = mood if not pick.fault else "unclear"
        yield Statement(value=pick.name, mood=mood, reason=reason or pick.fault, start=match.start(), end=pick.end)
    elif formulas.OWN_ABSTENTION.match(words[start : pick.end].strip(" \"'[]().*")):
        yield Statement(value=ABSTAIN, mood=mood, reason=reason, start=match.start(), end=pick.end)


def _stated(reader: Reader, match: re.Match[str]) -> Iterator[Statement]:
    """The same in a sentence ("My vote then goes to X"); not plain, or with a long reason, it is none."""
    for statement in _labelled(reader, match):
        plain = statement.mood == "plain" and not _gives_long_reason(reader, match.end())
        yield statement if plain else replace(statement, mood="void", reason=statement.reason or "no_form")


def _before_verb(reader: Reader, match: re.Match[str]) -> Iterator[Statement]:
    """A statement in which the name stands before the verb ("Ada gets my vote"; Japanese, Korean, Hindi, Turkish)."""
    words = reader.marked.words
    name, start = reader.candidates.key_before(words, match.start())
    floor = max(reader.marked.sentence_start(start), start - 200)
    if name and (article := _ARTICLE.search(words, floor, start)):
        start = article.start()
    lead = list(formulas.SUBJECT.finditer(words, floor, start))
    begin = lead[-1].start() if lead and not words[lead[-1].end() : start].strip(_AROUND) else start
    needed = next((before for behind, before in phrases.BEFORE if re.fullmatch(behind, match[0])), "")
    if needed and not re.search(needed, words[floor:start].rstrip(_AROUND)):
        return
    begin -= len(words[floor:begin]) - len(words[floor:begin].rstrip(_AROUND.replace("、,", "")))
    mood, reason = mood_of_words_before(reader.marked, begin, reader.candidates, reader.speaker)
    if reader.marked.quoted(match.start()):
        mood, reason = "void", "quoted_only"
    stop = sentence_end(words, max(start, match.end()))
    fault = tail_fault(reader.candidates, name, words[match.end() : stop]) if name else "unknown_name"
    base = Statement(
        value=reader.candidates.keys.get(name, ""), mood=mood, reason=reason, start=begin, end=max(stop, match.end())
    )
    if not name and (not formulas.SUBJECT.match(words, floor) or formulas.SO.search(words, floor, match.end())):
        return
    yield base if not fault or mood == "void" else replace(base, mood="unclear", reason=reason or fault)


def _abstention(reader: Reader, start: int, end: int) -> Statement:
    words = reader.marked.words
    stop = sentence_end(words, max(start, end - 1))
    clause = words[end:stop].split(";")[0]
    mood, reason = mood_of_words_before(reader.marked, start, reader.candidates, reader.speaker)
    if mood == "unclear" and reader.formula.search(words, reader.marked.sentence_start(start), start):
        mood, reason = "plain", ""
    reason_given = phrases.REASONS.match(re.sub(r"^\s*(?:from|in|on)(?: \w+){1,2}", "", clause))
    hedged = (phrases.BOUND if reason_given else phrases.HEDGES).search(clause) or "?" in clause
    if mood == "plain" and hedged:
        mood, reason = "void", "conditional"
    return Statement(value=ABSTAIN, mood=mood, reason=reason, start=start, end=stop)
