"""Questions to people and their answers: what a person is shown, answering, speaking up.

Everything goes by message, so another process may run the debate meanwhile; it reads the messages. A person is shown
what a model would be sent, in pieces that a host can show; who may read what is decided elsewhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from folkmoot.answers.manual_form import allowed_values, read_manual_answer
from folkmoot.app.brief.names import check_name, skeleton
from folkmoot.app.run.outcome import opening
from folkmoot.app.run.record_reader import OpenAsks, read_open_asks
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.agent import Context, context_of, proposal_names, without_private_fields
from folkmoot.core.ask import Ask, Form, Reply, Value
from folkmoot.core.brief import HUMAN, Brief, Participant, is_person
from folkmoot.core.errors import BriefError, RecordError
from folkmoot.core.event import Asked, Interjected, Replied
from folkmoot.core.text import clean
from folkmoot.core.transcript import INTERJECTION, Transcript, Turn, fold
from folkmoot.engine.driver import StopRequest
from folkmoot.record.mailbox import Mailbox
from folkmoot.report.turn_text import Speech, Spoken, speak, speech_of

__all__ = [
    "HUMAN",
    "REASON",
    "allowed_values",
    "answer",
    "context_for",
    "for_people",
    "open_ask_for",
    "read_manual_reply",
    "say",
    "takes_reason",
]

REASON = "your reason; everybody can read it"
"""What may be said beside a form without a field for words."""


def takes_reason(form: Form | None) -> bool:
    """Whether a form, such as a ballot, has no field for words: then the words of an answer are its reason."""
    return form is not None and not any(field.kind == "text" for field in form.fields)


class OutsideMessages:
    """The messages of people from outside, as they come.

    Args:
        mailbox: the messages to the debate.
        last_read: the number of the newest message that is known already.
    """

    def __init__(self, mailbox: Mailbox, last_read: int) -> None:
        self._mailbox, self._last_read = mailbox, last_read

    @classmethod
    async def of(cls, workspace: Workspace, debate: str, key: str = "") -> "OutsideMessages":
        """The messages since that ask; without a key, the messages that are not on record yet.

        Raises:
            RecordError: there is no such debate, or its record is damaged.
        """
        last_read = 0
        for entry in await workspace.entries(debate):
            match entry.event:
                case Interjected(letter=letter):
                    last_read = max(last_read, letter)
                case Asked(ask=ask) if ask.key == key:
                    break
                case _:
                    pass
        return cls(Mailbox(workspace.store, debate, clock=workspace.clock), last_read)

    async def more(self) -> tuple[Interjected, ...]:
        """The messages since the last call.

        Raises:
            RecordError: the messages are damaged or cannot be read.
        """
        new = await self._mailbox.read(self._last_read)
        self._last_read += len(new)
        return tuple(entry.event for entry in new if isinstance(entry.event, Interjected))


async def queue_again(workspace: Workspace, debate: str) -> bool:
    """Queue a debate again for workers, if it was submitted to them; returns whether it was.

    Call it whenever something has come in that a debate waits for.

    Returns:
        Whether workers go on with it.

    Raises:
        QueueError: the queue cannot be reached.
    """
    job = await workspace.queue.job(debate) if workspace.queue else None
    if job is None or job.state in ("done", "cancelled") or workspace.queue is None:
        return False
    await workspace.queue.submit(debate, owner=job.owner, priority=job.priority)
    return True


async def end_wait(workspace: Workspace, debate: str, reason: str) -> None:
    """Put on record that a debate that waited for people, and that does not run, is paused for another reason.

    Raises:
        RecordError: there is no such debate, its record is damaged, or it runs somewhere.
    """
    await workspace.resume(debate, stop=StopRequest(reason))


MOST_SAID = 100_000
"""The most characters that can be said from outside in one debate: everybody reads all of them in every question."""

LONGEST = 20_000
"""The most characters of what somebody says from outside."""


async def context_for(workspace: Workspace, debate: str, key: str) -> Context:
    """What the person who is asked was shown with that ask.

    Raises:
        RecordError: there is no such debate or no such ask, or the record is damaged.
    """
    entries = await workspace.entries(debate)
    for n, entry in enumerate(entries, start=1):
        if isinstance(entry.event, Asked) and entry.event.ask.key == key:
            return context_of(opening(debate, entries).brief, fold(entries[:n]), entry.event.ask)
    raise RecordError(f"{debate} has no question {key!r}")


def for_people(brief: Brief, turn: Turn) -> Turn:
    """The turn as all people in the debate may read it: without the fields that are private to others."""
    for participant in filter(is_person, brief.participants):
        turn = without_private_fields(participant.name, turn)
    return turn


def read_manual_reply(ask: Ask, words: str, fields: Mapping[str, Value] | None = None) -> Reply:
    """A person's reply to an ask, read from words and fields; see ``answers.manual_form.read_manual_answer``.

    Raises:
        BriefError: what is missing or cannot be, in one sentence.
    """
    reading = read_manual_answer(ask.form, clean(words), fields)
    reply = Reply(text=reading.text, fields=reading.fields, asked=HUMAN)
    return reply.cleaned(ask.form)


async def open_ask_for(workspace: Workspace, debate: str, who: str = "") -> Turn:
    """The ask that ``answer`` would answer.

    Args:
        workspace: the workspace.
        debate: its id.
        who: whose it is; see ``answer``.

    Raises:
        BriefError: it is unclear whose it is, or there is no such person.
        RecordError: there is no such debate, it is over, or nobody is waited for.
    """
    return _turn(await read_open_asks(workspace, debate), debate, who, workspace.clock())


async def answer(
    workspace: Workspace,
    debate: str,
    words: str,
    *,
    who: str = "",
    key: str = "",
    fields: Mapping[str, Value] | None = None,
) -> Reply:
    """Store the answer of a person; the process that runs or resumes the debate reads it.

    Args:
        workspace: the workspace.
        debate: its id.
        words: the answer.
        who: whose answer it is; it may be left out where one alone is waited for. Of several questions to one person
            the oldest is answered.
        key: the key of the ask that is meant; "" for the oldest.
        fields: fields of the form by name, beside the words or instead of them.

    Raises:
        BriefError: the answer cannot be used, or it is unclear whose it is.
        RecordError: there is no such debate, it is over, or nobody is waited for.
    """
    standing, now = await read_open_asks(workspace, debate), workspace.clock()
    if standing.pending():  # whoever has sent it may not have reached the queue
        await queue_again(workspace, debate)
    turn = _turn(standing, debate, who, now)
    if key and turn.key != key:
        raise RecordError(f"{turn.by} has been asked something else since; this answer was not stored")
    assert turn.ask is not None
    reply = replace(read_manual_reply(turn.ask, words, fields), seconds=max(0.0, now - standing.at(turn.key)))
    number = await standing.mailbox.post(Replied(key=turn.key, reply=reply))
    messages = await standing.mailbox.read()
    first = next(entry.seq for entry in messages if isinstance(entry.event, Replied) and entry.event.key == turn.key)
    if first != number:
        raise RecordError(f"{turn.by} has already answered")
    await queue_again(workspace, debate)
    return reply


def _turn(standing: OpenAsks, debate: str, person: str, now: float) -> Turn:
    """The open ask that the caller means."""
    if standing.transcript.closed:
        raise _closed_error(debate)
    whose = _person(standing.brief, person).name if person else ""
    open_asks = [turn for turn in standing.unanswered() if whose in ("", turn.by)]
    open_ = [turn for turn in open_asks if turn.key not in standing.written and not standing.late(turn, now)]
    names = list(dict.fromkeys(turn.by for turn in open_))
    if len(names) > 1:
        raise BriefError(f"{' and '.join(names)} have open questions; say whose answer it is")
    if open_:
        return open_[0]
    if not open_asks:
        raise RecordError(f"{debate} does not wait for an answer{f' from {whose}' if whose else ''}")
    newest = open_asks[-1]
    if newest.key in standing.written:
        raise RecordError(f"{newest.by} has already answered")
    raise RecordError(f"the time for the answer of {newest.by} is over")


def _closed_error(debate: str) -> RecordError:
    return RecordError(
        f"the debate {debate} is over; read it with folkmoot show, or run its brief anew with folkmoot again"
    )


def _person(brief: Brief, name: str) -> Participant:
    people = {skeleton(participant.name): participant for participant in brief.participants if is_person(participant)}
    if (person := people.get(skeleton(name))) is None:
        hint = ", ".join(participant.name for participant in people.values()) or "nobody"
        raise BriefError(f"{name[:60]!r} is not a person in this debate; there is {hint}", code="bad_name")
    return person


async def say(workspace: Workspace, debate: str, by: str, words: str, to: str = "") -> int:
    """Send a message to a debate, at any time; everybody sees it from the next question on.

    Args:
        workspace: the workspace.
        debate: its id.
        by: who speaks; not the name of a participant, unless that is a person.
        words: what is said.
        to: the mark of the turn that it replies to, such as ``T3``; "" for none.

    Returns:
        The number of the message.

    Raises:
        BriefError: a name that cannot be, no words or too many, or no turn to reply to.
        RecordError: there is no such debate, or it is over.
    """
    standing = await read_open_asks(workspace, debate)
    if standing.transcript.closed:
        raise _closed_error(debate)
    name, text = check_name(by), clean(words).strip()
    twin = next(
        (participant for participant in standing.brief.participants if skeleton(participant.name) == skeleton(name)),
        None,
    )
    if twin and not is_person(twin):
        raise BriefError(f"{name!r} is the name of a participant; use another name", code="bad_name")
    if not text:
        raise BriefError("the message is empty; write it in quotes")
    if len(text) > LONGEST:
        raise BriefError(
            f"this has {len(text):,} characters; at most {LONGEST:,} can be said at once", code="too_large"
        )
    target = standing.transcript.marked(to) if to else None
    if to and (target is None or target.reply is None):
        raise BriefError(f"there is no turn {to[:20]!r} to reply to", code="bad_turn")
    if target and target.ask and target.ask.audience:
        raise BriefError(f"not everybody may read {to}, so nobody can reply to it", code="bad_turn")
    size = sum(len(entry.event.text) for entry in await standing.mailbox.read() if isinstance(entry.event, Interjected))
    if size + len(text) > MOST_SAID:
        problem = f"{size:,} characters were added from outside; with these it would be more than {MOST_SAID:,}"
        raise BriefError(problem, code="too_large")
    return await standing.mailbox.post(Interjected(by=twin.name if twin else name, text=text, to=to))


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTurn:
    """A turn as it is shown to a person.

    Attributes:
        name: what its speaker or the turn is called there: ``Bull``, or ``Proposal A`` where authors are hidden.
        turn: the turn in words.
        speech: what it says, in parts.
    """

    name: str
    turn: Spoken
    speech: Speech


def focus_turns(context: Context, transcript: Transcript) -> tuple[ShownTurn, ...]:
    """The turns that a question is about, under the names that the form uses for them."""
    names = proposal_names(context.view, context.about)
    return tuple(
        _shown_turn(name or turn.by, turn, context, transcript) for name, turn in zip(names, context.about, strict=True)
    )


def new_turns(context: Context, transcript: Transcript) -> tuple[ShownTurn, ...]:
    """The turns since a person's own last turn that the person may read, oldest first."""
    own = [
        n for n, turn in enumerate(context.turns, start=1) if turn.by == context.me.name and turn.act != INTERJECTION
    ]
    names = _hidden_names(context.turns) if context.view.anonymous else {}
    return tuple(
        _shown_turn(names.get(turn.by, turn.by), turn, context, transcript)
        for turn in context.turns[own[-1] if own else 0 :]
    )


def _hidden_names(turns: Sequence[Turn]) -> dict[str, str]:
    speakers = dict.fromkeys(turn.by for turn in turns if turn.act != INTERJECTION)
    return {name: f"Participant {n}" for n, name in enumerate(speakers, start=1)}


def _shown_turn(name: str, turn: Turn, context: Context, transcript: Transcript) -> ShownTurn:
    """A turn as the person is shown it; if authors are hidden, without whom it answers."""
    spoken = speak(turn, transcript, context.brief, "")
    speech = speech_of(turn, spoken)
    return ShownTurn(name=name, turn=replace(spoken, link="") if context.view.anonymous else spoken, speech=speech)
