"""Fork a debate: copy its record up to an entry, change something, and continue in a new debate.

The record of a fork begins with entries of its parent in a hash chain of its own, and is resumed like any other. It
keeps the seed, so the same answers lead to the same path. What the change would contradict is refused.
"""

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from folkmoot.answers.manual_form import read_manual_answer
from folkmoot.app.brief.reader import ParsedBrief
from folkmoot.app.plan.assignment import live_models
from folkmoot.app.plan.next_steps import BY_HAND
from folkmoot.app.run.outcome import opening
from folkmoot.app.run.prepare import Overrides, prepare
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.ask import Ask, Fields, Reply
from folkmoot.core.brief import Brief
from folkmoot.core.errors import BriefError
from folkmoot.core.event import (
    KIND,
    PLAY_EVENTS,
    Asked,
    Attempted,
    Called,
    Closed,
    Entry,
    Erred,
    Event,
    Failed,
    Interjected,
    Opened,
    Paused,
    Replied,
    Resumed,
)
from folkmoot.core.transcript import Transcript, Turn, fold
from folkmoot.phases.base import State, enter
from folkmoot.protocols.spec import load_opened, naming_packages
from folkmoot.record.store import chain_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplacedAnswer:
    """A turn, and the answer that replaces the one on record."""

    turn: Turn
    reply: Reply


def kept_entries(
    past: Sequence[Entry], moved: Collection[str], replacement: ReplacedAnswer | None, *, now: float
) -> list[Entry]:
    """The entries that a fork keeps, in order, without the opening.

    Args:
        past: the parent's entries behind its opening, up to the fork.
        moved: the participants whom somebody else answers for: what was begun for them is begun anew.
        replacement: the answer that takes the place of another.
        now: when the questions that are still open are put, in seconds since 1970: a person's time begins anew.
    """
    entries, anew = _with_replacement(past, replacement)
    transcript = fold(entries)
    open_ = [turn for turn in transcript.all() if not transcript.answered(turn.key)]
    anew.update(turn.key for turn in open_ if turn.by in moved)
    consistent = _consistent([entry for entry in entries if not _is_call(entry.event, anew)])
    asked_keys = {turn.key for turn in open_}
    return [
        replace(entry, at=now) if isinstance(entry.event, Asked) and entry.event.ask.key in asked_keys else entry
        for entry in consistent
    ]


def _is_call(event: Event, keys: Collection[str]) -> bool:
    return isinstance(event, Attempted | Called | Erred) and event.key in keys


def _with_replacement(past: Sequence[Entry], replacement: ReplacedAnswer | None) -> tuple[list[Entry], set[str]]:
    """The entries with the given answer, and the keys of the asks whose calls are not part of the fork."""
    if replacement is None:
        return list(past), set()
    key = replacement.turn.key
    replied = Replied(key=key, reply=replacement.reply)
    entries = [
        replace(entry, event=replied) if isinstance(entry.event, Replied | Failed) and entry.event.key == key else entry
        for entry in past
    ]
    if not any(entry.event is replied for entry in entries):
        entries.append(replace(entries[-1], event=replied))
    return entries, {key}


def _consistent(entries: Sequence[Entry]) -> list[Entry]:
    """The entries without unfinished tries and pauses, and without the parent's messages.

    A try that another one followed is lost in the parent as well, and stays.
    """
    consistent: list[Entry] = []
    later: set[tuple[str, str]] = set()
    last = standing = True  # whether nothing but interjections comes behind it, and no resume
    for entry in reversed(entries):
        match entry.event:
            case Resumed() if last:
                continue
            case Paused() if standing:
                continue
            case Resumed():
                standing = False
            case Attempted(key=key, call=call) if (key, call) not in later:
                continue
            case Attempted(key=key, call=call) | Called(key=key, call=call) | Erred(key=key, call=call):
                later.add((key, call))
            case Interjected():
                consistent.append(replace(entry, event=replace(entry.event, letter=0)))
                continue
            case _:
                pass
        last = False
        consistent.append(entry)
    return consistent[::-1]


@naming_packages()
def count_matching(opened: Opened, events: Sequence[Event]) -> int:
    """The number of events after an opening that its protocol makes again or that come from outside."""
    transcript = Transcript()
    transcript.apply(opened)
    play = enter(load_opened(opened), State(brief=opened.brief, transcript=transcript))
    n = 0
    while True:
        while n < len(events) and not isinstance(events[n], PLAY_EVENTS):
            transcript.apply(events[n])
            n += 1
        step = next(play, None)
        if step is None:
            return n
        facts = [Asked(ask=ask) for ask in step] if isinstance(step, Sequence) else [step]
        for fact in facts:
            if n == len(events) or events[n] != fact:
                return n
            transcript.apply(fact)
            n += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer that replaces the one on record.

    Attributes:
        turn: which turn: its mark (``T7``) or its key.
        words: the answer, read as that of any person is.
        fields: the form's fields, where they are given apart from the words.
    """

    turn: str
    words: str = ""
    fields: Fields | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a fork changes; nothing if nothing is set.

    Attributes:
        models: who answers from now on, by the participant's name; under "" for all who are not named.
        brief: another brief. Whom it seats with no model of their own keeps the parent's; so does the seed, and the
            protocol where it names none.
        answer: an answer in the place of another. The fork begins behind the batch in which that turn was asked,
            for nobody in it saw another's answer.
    """

    models: Mapping[str, str] = field(default_factory=dict[str, str])
    brief: ParsedBrief | None = None
    answer: Answer | None = None


async def _no_claim(debate: str) -> None:
    pass


Told = Callable[[str], Awaitable[None]]


async def fork(
    workspace: Workspace,
    debate: str,
    *,
    at: int | None = None,
    change: Change | None = None,
    name: str = "",
    before: Told = _no_claim,
) -> str:
    """Make a new debate of the beginning of another one; ``Workspace.resume`` goes on with it.

    Calls that had no end at that entry, and a pause there, are not taken over.

    Args:
        workspace: the workspace.
        debate: the parent's id.
        at: the last entry of the parent that is kept; None with a given answer, which says that itself.
        change: what is otherwise.
        name: the id that the fork shall have; "" for a new one.
        before: is called with the id before the fork is on record, once nothing can be wrong with it.

    Returns:
        The new debate's id.

    Raises:
        RecordError: there is no such debate, or its record is damaged.
        BriefError: it cannot be forked there, or not with that change.
        RecordConflict: there is another debate of that id.
    """
    change = change or Change()
    opened, lines = await _forked_lines(workspace, debate, at, change)
    name = name or workspace.new_id(Plan(brief=opened.brief, name=opened.name, protocol=load_opened(opened)))
    await before(name)
    await workspace.store.append(name, lines, after=0)
    return name


async def _forked_lines(
    workspace: Workspace, debate: str, at: int | None, change: Change
) -> tuple[Opened, Sequence[str]]:
    """Prepare the opening and the first lines of a fork."""
    entries = await workspace.entries(debate)
    parent = opening(debate, entries)
    last, replacement = _place(debate, entries, at, change.answer)
    opened = await _opening(workspace, parent, change)
    former = {participant.name: participant.seat for participant in parent.brief.participants}
    moved = [
        participant.name
        for participant in opened.brief.participants
        if former.get(participant.name) != participant.seat
    ]
    past_entries = kept_entries(entries[1:last], moved, replacement, now=workspace.clock())
    _check_path(debate, opened, past_entries)
    notes = (*opened.chosen, *_changes_in_words(change, replacement))
    opened = replace(opened, forked=f"{debate}@{last}", chosen=tuple(dict.fromkeys(notes)))
    return opened, chain_lines([replace(entries[0], event=opened), *past_entries])


# ---- where ---------------------------------------------------------------------------------------------------------


def _place(
    debate: str, entries: Sequence[Entry], at: int | None, answer: Answer | None
) -> tuple[int, ReplacedAnswer | None]:
    """The last entry to keep, and the replaced answer."""
    if answer is None:
        if at is None:
            raise BriefError("say at which entry to fork, or which turn gets another answer", code="missing_key")
        return _check_at(debate, entries, at), None
    if at is not None:
        raise BriefError("the answer already says where the fork begins; leave the entry out", code="inconsistent")
    turn, ask = _turn(debate, fold(entries), answer.turn)
    return _end_of_batch(entries, turn.key), ReplacedAnswer(turn=turn, reply=_reply(turn, ask, answer))


def _check_at(debate: str, entries: Sequence[Entry], at: int) -> int:
    closed = isinstance(entries[-1].event, Closed)
    last_seq = len(entries) - closed
    if not 1 <= at <= last_seq:
        over = f"; with entry {len(entries)} it is over" if closed else ""
        raise BriefError(f"{debate} can be forked at entry 1 to {last_seq}, not {at}{over}", code="out_of_range")
    return at


def _turn(debate: str, transcript: Transcript, name: str) -> tuple[Turn, Ask]:
    turns = transcript.all()
    for turn in turns:
        if name.casefold() not in (turn.mark.casefold(), turn.key.casefold()):
            continue
        if turn.ask is None:
            raise BriefError(f"{turn.mark} is a message; only an answer can be replaced", code="bad_enum")
        return turn, turn.ask
    hint = f"its turns are T1 to T{len(turns)}" if turns else "nobody has been asked yet"
    raise BriefError(f"{debate} has no turn {name[:60]!r}; {hint}", code="out_of_range")


def _end_of_batch(entries: Sequence[Entry], key: str) -> int:
    """The last entry before the protocol goes on from the batch of that ask."""
    asked_at = next(entry.seq for entry in entries if isinstance(entry.event, Asked) and entry.event.ask.key == key)
    answering = False
    for entry in entries[asked_at:]:
        if isinstance(entry.event, PLAY_EVENTS) and (answering or not isinstance(entry.event, Asked)):
            return entry.seq - 1
        answering = answering or not isinstance(entry.event, Asked)
    return len(entries)


# ---- what is changed -----------------------------------------------------------------------------------------------


def _reply(turn: Turn, ask: Ask, answer: Answer) -> Reply:
    """The given answer, as it was read.

    Raises:
        BriefError: it is empty, or does not say what the form demands.
    """
    try:
        reading = read_manual_answer(ask.form, answer.words, answer.fields)
    except BriefError as error:
        raise BriefError(f"{turn.mark} ({turn.by}): {error.found}", code=error.code) from error
    reply = Reply(text=reading.text, fields=reading.fields, asked="human", unread=reading.unread, notes=(BY_HAND,))
    return reply.cleaned(ask.form)


async def _opening(workspace: Workspace, parent: Opened, change: Change) -> Opened:
    """The parent's opening with another brief and other agents."""
    opened = parent
    if change.brief is not None:
        overrides = Overrides(protocol="" if change.brief.protocol else parent.name, cast="builtin")
        ready = await prepare(workspace, _completed(change.brief, parent.brief), overrides)
        opened = ready.plan.opened()
    brief = with_agents(opened.brief, change.models)
    live_models(brief, workspace.pool.with_options(opened.options))
    return replace(opened, brief=brief)


def _completed(parsed: ParsedBrief, parent: Brief) -> ParsedBrief:
    """A brief whose open settings are the parent's: the seed, models, and generated debaters."""
    brief = parsed.brief
    people = list(brief.participants)
    participants = [participant for participant in parent.participants if participant.duty == "debater"]
    if not parsed.own and len(brief.names("debater")) == len(participants):
        others = [participant for participant in people if participant.duty != "debater"]
        places = [participant for participant in people if participant.duty == "debater"]
        people = [
            replace(open_place, name=debater.name, role=debater.role, persona=debater.persona)
            for open_place, debater in zip(places, participants, strict=True)
        ] + others
    seats = {participant.name: participant.seat for participant in parent.participants}
    people = [
        replace(participant, seat=participant.seat or parsed.model or seats.get(participant.name, ""))
        for participant in people
    ]
    seed = brief.seed if "seed" in parsed.given else parent.seed
    return replace(parsed, brief=replace(brief, participants=tuple(people), seed=seed))


def with_agents(brief: Brief, models: Mapping[str, str]) -> Brief:
    """The brief with other agents for the named participants, or for all."""
    names = [participant.name for participant in brief.participants]
    for name in models:
        if name and name not in names:
            raise BriefError(
                f"nobody is called {name[:60]!r}; the participants are {', '.join(names)}", code="bad_name"
            )
    # A helper is no model: what is meant for all models is not meant for it.
    everybody = {participant.name: models.get("") for participant in brief.participants if participant.duty != "aide"}
    people = [
        replace(participant, seat=models.get(participant.name) or everybody.get(participant.name) or participant.seat)
        for participant in brief.participants
    ]
    return replace(brief, participants=tuple(people))


def _changes_in_words(change: Change, replacement: ReplacedAnswer | None) -> Iterator[str]:
    """The changes in words."""
    if change.brief is not None:
        yield "another brief in the fork"
    for name, model in change.models.items():
        yield f"{name or 'all'} by {model} in the fork"
    if replacement:
        yield f"{replacement.turn.mark} ({replacement.turn.by}) {BY_HAND}"


def _check_path(debate: str, opened: Opened, entries: Sequence[Entry]) -> None:
    """Refuse to keep entries that the changed brief would not produce.

    Raises:
        BriefError: the play makes another fact; it names the parent's entry, and the last one that can be kept.
    """
    same = count_matching(opened, [entry.event for entry in entries])
    if same == len(entries):
        return
    differing = entries[same]
    problem = (
        f"{differing.event.ask.to} was asked to {differing.event.ask.act}"
        if isinstance(differing.event, Asked)
        else KIND[type(differing.event)]
    )
    raise BriefError(
        f"with this change the debate differs from entry {differing.seq} of {debate} on, where {problem}; "
        f"fork it at entry {differing.seq - 1} or earlier",
        code="inconsistent",
    )
