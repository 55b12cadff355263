"""One turn as a report shows it: its speaker, what it answers, its fields in short, and its name in logs.

A turn with a claim is shown as its argument; claim, position and what it answers are one line before it.

Entries also get the names of the source systems. ``debate_start`` is the opening and ``debate_end`` the close: one of
each in a complete record. Without a name are calls and attempts, which only the engine needs, answers of helper agents,
and what only its author may see, such as a bid or a score.
"""

import html
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from folkmoot.core.ask import ABSTAIN, Value, shown
from folkmoot.core.brief import Brief
from folkmoot.core.event import Closed, Entered, Entry, Failed, Opened, Paused, Replied, Ruled
from folkmoot.core.labels import act_of, contains_text, failure_in_words, label, with_author
from folkmoot.core.text import contains_words, letter
from folkmoot.core.text import words as bare
from folkmoot.core.transcript import SUMMARY, TARGET, Transcript, Turn, read_field, voter_reason

Pairs: TypeAlias = tuple[tuple[str, str], ...]

_LINK = ("Target", "Relation")
_VERBS: Mapping[str, str] = {"SUPPORT": "support", "ATTACK": "attack", "REBUT": "rebuttal", "QUESTION": "question"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """The fields of a turn: those that fit in one line, the words of the argument, and what else there is.

    ``aside`` are a few words on a message at a table: to whom, with which verdict, whether its author leaves.
    """

    aside: tuple[str, ...] = ()
    facts: Pairs = ()
    words: str = ""
    rest: Pairs = ()


def link(turn: Turn, transcript: Transcript) -> str:
    """What a turn answers, and how: ``T7 answers T3 (Ben): attack``; "" if it names no turn that there is.

    A quotation that is not in that turn is marked, so that nobody is taken to have said other words.
    """
    target = transcript.target(turn)
    if target is None:
        return ""
    relation = str(read_field(turn, "RELATION") or "")
    relation_in_words = f": {_VERBS.get(relation, relation)}" if relation else ""
    quote = str(read_field(turn, "QUOTE") or "")
    wrong = f"; what it quotes is not in {target.mark}" if quote and not contains_words(quote, target.text) else ""
    return f"{turn.mark} answers {target.mark} ({target.by}){relation_in_words}{wrong}"


def frame(turn: Turn, transcript: Transcript) -> tuple[str, ...]:
    """Words that a speaker may have set beside the mark of the turn that it answers: whose it is, and what."""
    target = transcript.target(turn)
    return (TARGET, target.by, target.act, "s") if target else ()


_MESSAGE = ("Speaker", "SpeakingTo", "Verdict", "Withdrawn", "WhisperTo", "Content")
_CALLED: Mapping[str, str] = {"VerdictReasoning": "Reasons", "Thoughts": "Thoughts, told nobody"}


def _message(names: Mapping[str, str]) -> Speech:
    """A message at a table: what it says comes first; what others cannot read says so."""
    aside = [
        f"to {names['SpeakingTo']}" if names.get("SpeakingTo", "all") != "all" else "",
        f"verdict: {names['Verdict']}" if "Verdict" in names else "",
        "withdraws" if names.get("Withdrawn") == "yes" else "",
    ]
    called = {**_CALLED, "Whisper": f"Whisper to {names.get('WhisperTo', 'nobody')} alone"}
    rest = tuple((called.get(name, name), value) for name, value in names.items() if name not in _MESSAGE)
    return Speech(aside=tuple(filter(None, aside)), words=names["Content"], rest=rest)


def parted(fields: Sequence[tuple[str, str]]) -> Speech:
    """The fields of a turn by their names in words; one with a claim and an argument, or a message, is taken apart."""
    rest = tuple(pair for pair in fields if pair[0] not in _LINK)
    names = dict(rest)
    if "Content" in names:
        return _message(names)
    if "Claim" not in names or "Argument" not in names:
        return Speech(rest=rest)
    return Speech(facts=tuple(pair for pair in rest if pair[0] != "Argument"), words=names["Argument"])


_HEARD = (SUMMARY, "vote", "moderate", "guide", "inform", "evaluate", "reflect", "synthesize")
"""The acts that are words for others, or one's own account, even if few may see them."""

State: TypeAlias = Literal["answered", "missing", "open", "outside"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A turn that a speaker was asked about: whose it is, what it is, and the label that hid its author, if any."""

    key: str
    by: str
    act: str
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """One turn.

    Attributes:
        key: its place in the record.
        mark: what others call it (``T3``), where turns were shown under their marks; "" elsewhere.
        by: who speaks, or was asked to.
        role: the speaker's role.
        moderator: whether the speaker moderates.
        act: what it is, as reports call it.
        on: what the speaker was asked about.
        link: which turn it answers, and how: ``T7 answers T3 (Ben): attack``; "" if it names none.
        state: whether there is an answer, or it is missing, or open, or the turn came from outside.
        reason: why it is missing.
        fields: the form's fields by their names in words; a vote names the proposal's author.
        text: the words; of a ballot those beside its formula.
        complete: whether the fields hold all the words.
        private: whether it only serves the debate, such as a bid or a score: no other participant sees it.
        served: the model that says it answered.
        seconds: how long the answer took.
    """

    key: str
    by: str
    act: str
    state: State
    mark: str = ""
    role: str = ""
    moderator: bool = False
    on: tuple[Subject, ...] = ()
    link: str = ""
    reason: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    text: str = ""
    complete: bool = False
    private: bool = False
    served: str = ""
    seconds: float = 0.0


def speak(turn: Turn, transcript: Transcript, brief: Brief, kind: str) -> Spoken:
    """A turn in words; ``kind`` is that of its failure."""
    if turn.ask is None:
        to = link(turn, transcript)
        return Spoken(key=turn.key, by=turn.by, act=turn.act, state="outside", text=turn.text, link=to)
    person = next((participant for participant in brief.participants if participant.name == turn.by), None)
    form = turn.ask.form
    layout = (form.name, form.under, form.envelope, *_empty_tags(turn)) if form else ()
    on = subjects(turn, transcript)
    return Spoken(
        key=turn.key,
        by=turn.by,
        act=act_of(turn),
        role=person.role if person else "",
        moderator=person is not None and person.duty == "moderator",
        on=on,
        link=link(turn, transcript),
        state="answered" if turn.reply else "missing" if kind or turn.failure else "open",
        reason=failure_in_words(kind, turn.failure),
        fields=tuple((_name(turn, on, name), _value(turn, on, value)) for name, value in turn.fields.items()),
        text=voter_reason(turn) if turn.act == "vote" else turn.text,
        complete=contains_text(turn.fields, _plain_words(turn), *layout, *frame(turn, transcript)),
        private=is_private(turn),
        served=turn.reply.served if turn.reply else "",
        seconds=turn.reply.seconds if turn.reply else 0.0,
    )


def is_private(turn: Turn) -> bool:
    """Whether a turn only serves the debate, such as a bid or a score: nobody but its author may see it."""
    return turn.ask is not None and turn.ask.audience == (turn.by,) and turn.act not in _HEARD


def _empty_tags(turn: Turn) -> tuple[str, ...]:
    """The names of tags that may be empty in a message."""
    form = turn.ask.form if turn.ask else None
    return tuple(field.name for field in form.fields) if form and form.layout == "tags" else ()


def _plain_words(turn: Turn) -> str:
    """The words of an answer; for tagged answers without attributes and with escapes undone."""
    tagged = turn.ask is not None and turn.ask.form is not None and turn.ask.form.layout == "tags"
    return html.unescape(re.sub(r"<(\w+)\s[^<>]*>", r"<\1>", turn.text)) if tagged else turn.text


def subjects(turn: Turn, transcript: Transcript) -> tuple[Subject, ...]:
    """What a speaker was asked about, with the labels that hid the authors: ``Proposal A``, ``Critique A``."""
    hidden = turn.ask is not None and turn.ask.view.anonymous
    counted: Counter[str] = Counter()
    listed_subjects: list[Subject] = []
    for item in (transcript.get(key) for key in turn.about):
        word = "Critique" if item.act == "critique" else "Proposal"
        label = f"{word} {letter(counted[word])}" if hidden else ""
        counted[word] += 1
        listed_subjects.append(Subject(key=item.key, by=item.by, act=act_of(item), label=label))
    return tuple(listed_subjects)


def _name(turn: Turn, on: tuple[Subject, ...], name: str) -> str:
    """A field's name; with a label, it names whose answer had the label."""
    for subject in on if turn.act == "synthesize" else ():
        if name.endswith(f" {subject.label}"):
            return f"{label(name.removesuffix(subject.label).strip())} {subject.by} (shown as {subject.label})"
    return "Vote" if turn.act == "vote" and "vote" in name.casefold() else label(name)


def _value(turn: Turn, on: tuple[Subject, ...], value: Value) -> str:
    """A field's value; a ballot for a label names whose proposal had it."""
    text = shown(value)
    if turn.act != "vote":
        return text
    if value == ABSTAIN:
        return "abstains"
    whose = {
        subject.label: f"{with_author(subject.by, subject.act)} (shown as {subject.label})"
        for subject in on
        if subject.label
    }
    if isinstance(value, tuple):
        return "; ".join(whose.get(text, text) for text in value)
    return whose.get(text, text)


def speech_of(turn: Turn, spoken: Spoken) -> Speech:
    """What a turn says, in parts that hold each word once.

    Args:
        turn: the turn, as a reader may read it.
        spoken: the same in words.
    """
    if spoken.complete and spoken.act != "vote":
        return parted(spoken.fields)
    # Lines that only state a field are told as that field; a field that the words contain is not told again.
    formulas = {name: bare(f"{name} {shown(value)}") for name, value in turn.fields.items()}
    lines = [(line, bare(line)) for line in spoken.text.split("\n")]
    words = "\n".join(line for line, read in lines if not read or read not in formulas.values()).strip()
    readings, flat = [read for _, read in lines], " ".join(words.split())
    rest = tuple(
        (name, value)
        for formula, (name, value) in zip(formulas.values(), spoken.fields, strict=True)
        if formula in readings or name in BALLOT_FIELDS or " ".join(value.split()) not in flat
    )
    return Speech(words=words, rest=rest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What a ballot says.

    Attributes:
        how: in which way it names candidates.
        names: the candidates with their authors, of a ranking the best first; empty where none was read.
        scores: the score of each of them, the highest first, where it gives scores.
        abstains: whether the voter abstains.
    """

    how: Literal["votes for", "ranks", "could accept", "scores"] = "votes for"
    names: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    abstains: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """The candidates, each with its score where it has one."""
        if not self.scores:
            return self.names
        return tuple(f"{name} {score:g}" for name, score in zip(self.names, self.scores, strict=True))


def choice_of(turn: Turn, spoken: Spoken) -> Choice:
    """What a ballot says; nothing where it was not readable."""
    for (name, _), value in zip(spoken.fields, turn.fields.values(), strict=True):
        if name in BALLOT_FIELDS:
            named = value if isinstance(value, tuple) else (value,)
            words = tuple(_value(turn, spoken.on, candidate) for candidate in named)
            return Choice(how=BALLOT_FIELDS[name], names=() if value == ABSTAIN else words, abstains=value == ABSTAIN)
    return _scores_of(turn, spoken)


def _scores_of(turn: Turn, spoken: Spoken) -> Choice:
    """What a ballot of scores says, if all were read: ``SCORE A`` is that of ``Proposal A``."""
    sheet = (
        [field.name for field in turn.ask.form.fields if field.kind == "number"] if turn.ask and turn.ask.form else []
    )
    numbers = [(turn.fields.get(name), f"Proposal {name.rpartition(' ')[2]}") for name in sheet]
    read = [(value, label) for value, label in numbers if isinstance(value, int | float)]
    if not read or len(read) < len(numbers):
        return Choice()
    read.sort(key=lambda pair: -pair[0])
    names = tuple(_value(turn, spoken.on, label) for _, label in read)
    return Choice(how="scores", names=names, scores=tuple(float(value) for value, _ in read))


BALLOT_FIELDS: Mapping[str, Literal["votes for", "ranks", "could accept"]] = {
    "Vote": "votes for",
    "Ranking": "ranks",
    "Acceptable": "could accept",
}
"""The fields of a ballot, by their names in words, that say what it is for."""


NAMES: Mapping[str, str] = {
    "debate_start": "`opened`: `task`, `agents`",
    "round_start": "`entered` of a round: `round`, from 1",
    "agent_message": "`replied` of any other act: `agent`, `act`, `round` (0 outside rounds), `text`",
    "critique": "`replied` of the act `critique`: `agent`, `of` (whose proposal), `round`, `text`, `fields`",
    "vote": "`replied` of the act `vote`: `agent`, `choice` (a list for a ranking; empty where none was read), `text`",
    "agent_error": "`failed`: `agent`, `act`, `reason`",
    "consensus": "`ruled`, also without a winner: `status`, `winner`, `text`, `rule`, `how`, `tally`",
    "debate_pause": "`paused`: `status` (its kind), `reason`",
    "debate_end": "`closed`: `status`, `reason`",
}
"""All names, each with the entries that bear it and what its data hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """An entry under its name.

    Attributes:
        type: the name, one of ``NAMES``.
        data: what the name says.
        seq: the number of the entry.
    """

    type: str
    data: Mapping[str, object] = field(default_factory=dict[str, object])
    seq: int = 0


@dataclass(slots=True)
class Namer:
    """Names the entries of one record, in their order."""

    _transcript: Transcript = field(default_factory=Transcript)

    def name(self, entry: Entry) -> Named | None:
        """The entry under its name; None if it has none."""
        self._transcript.apply(entry.event)
        match entry.event:
            case Opened(brief=brief):
                agents = [participant.name for participant in brief.participants if participant.duty != "aide"]
                return _named_event(entry, "debate_start", task=brief.topic, agents=agents)
            case Entered(path=path) if (number := path.rpartition("/round-")[2]).isdecimal():
                return _named_event(entry, "round_start", round=int(number))
            case Replied(key=key) | Failed(key=key) if self._is_hidden(self._transcript.get(key)):
                return None
            case Replied(key=key):
                return self._said_event(entry, self._transcript.get(key))
            case Failed(key=key, reason=reason):
                turn = self._transcript.get(key)
                return _named_event(entry, "agent_error", agent=turn.by, act=turn.act, reason=reason)
            case Ruled(decision=decision):
                facts = {"status": decision.status, "winner": decision.winner, "text": decision.text}
                facts_told = {"rule": decision.rule, "how": decision.how, "tally": dict(decision.tally)}
                return _named_event(entry, "consensus", **facts, **facts_told)
            case Paused(reason=reason, kind=kind):
                return _named_event(entry, "debate_pause", status=kind, reason=reason)
            case Closed(status=status, reason=reason):
                return _named_event(entry, "debate_end", status=status, reason=reason)
            case _:
                return None

    def _is_hidden(self, turn: Turn) -> bool:
        brief = self._transcript.brief
        return is_private(turn) or (brief is not None and brief.participant(turn.by).duty == "aide")

    def _said_event(self, entry: Entry, turn: Turn) -> Named:
        if turn.act == "vote":
            form_fields = turn.ask.form.fields if turn.ask and turn.ask.form else ()
            chosen = [
                turn.fields[item.name] for item in form_fields if item.kind != "text" and item.name in turn.fields
            ]
            return _named_event(entry, "vote", agent=turn.by, choice=chosen[0] if chosen else "", text=turn.text)
        if turn.act == "critique":
            of = [self._transcript.get(key).by for key in turn.about]
            content = {"round": turn.round, "text": turn.text, "fields": dict(turn.fields)}
            return _named_event(entry, "critique", agent=turn.by, of=of[0] if of else "", **content)
        return _named_event(entry, "agent_message", agent=turn.by, act=turn.act, round=turn.round, text=turn.text)


def _named_event(entry: Entry, type: str, **data: object) -> Named:
    return Named(type=type, data=data, seq=entry.seq)
