"""The record of an imported conversation: what was said is played as a debate, so that it can be checked and forked."""

import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from folkmoot.app.imports.conversations import Conversation, Speaker, Statement
from folkmoot.app.imports.json_conversations import read_json
from folkmoot.app.imports.named_transcripts import read_transcript
from folkmoot.app.run.fork import chain_lines
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.ask import Ask, Reply
from folkmoot.core.brief import HUMAN, Brief, Participant
from folkmoot.core.decision import Status
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Asked, Closed, Entry, Event, Failed, Replied
from folkmoot.core.text import counted
from folkmoot.core.transcript import Transcript
from folkmoot.core.unread import Unread
from folkmoot.engine.driver import closing_event
from folkmoot.models.names import IMPORTED
from folkmoot.phases.base import Phase, State, enter
from folkmoot.phases.base import Sequence as Steps
from folkmoot.phases.ranked_vote import RANKING, RULES, Ranking
from folkmoot.phases.speak import Everyone
from folkmoot.phases.vote import labels

PROTOCOL = "imported"

RULE = "borda"
"""How the rankings of a council are counted; ``folkmoot recount`` shows all other rules."""

SPEAK = "Continue the conversation: it is your turn."
"""What a model is asked that goes on with a fork."""

MOST_BYTES = 32 * 1024 * 1024
MOST_TURNS = 5_000
MOST_SPEAKERS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A conversation that is on record now.

    Attributes:
        debate: its id.
        conversation: what was read.
        status: how it ends.
        turns: how many turns it has.
        ballots: how many rankings could be read.
    """

    debate: str
    conversation: Conversation
    status: Status
    turns: int
    ballots: int


def read_conversations(data: bytes, name: str, names: Collection[str] = ()) -> list[Conversation]:
    """The conversations of a file: JSON, or a transcript in Markdown or plain text. One without words has no speakers.

    Args:
        data: the file.
        name: its name, for errors.
        names: who speaks in a transcript; () to find that out.

    Raises:
        BriefError: it is too large, no text, or no conversation can be read in it.
    """
    if len(data) > MOST_BYTES:
        raise BriefError(f"{name} has {len(data):,} bytes; at most {MOST_BYTES:,} can be imported", code="too_large")
    if data.startswith(b"PK\x03\x04"):
        hint = "a log of Inspect becomes JSON by: inspect log convert LOG.eval --to json --output-dir FOLDER"
        raise BriefError(f"{name} is a packed file; {hint}", code="malformed")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BriefError(f"{name} is no text in UTF-8 (byte {error.start + 1})", code="malformed") from None
    if not text.strip():
        raise BriefError(f"{name} is empty", code="malformed")
    is_json = PurePath(name).suffix in (".json", ".jsonl") or _is_json(text)
    read = read_json(text, name) if is_json else [read_transcript(text, name, names)]
    for conversation in read:
        _check(conversation, name)
    return read


def _is_json(text: str) -> bool:
    """Whether a text is JSON or begins as JSON lines do; a transcript may begin with a time in brackets."""
    return text.lstrip()[:1] == "{" or bool(re.match(r"\s*\[\s*[{\[\]]", text))


def _check(conversation: Conversation, name: str) -> None:
    for number, limit, unit in (
        (len(conversation.statements), MOST_TURNS, "turn"),
        (len(conversation.speakers), MOST_SPEAKERS, "speaker"),
    ):
        if number > limit:
            problem = f"{name}: a conversation has {counted(number, unit)}; at most {limit:,} can be imported"
            raise BriefError(problem, code="too_large")


async def import_conversation(workspace: Workspace, conversation: Conversation, name: str, data: bytes) -> Imported:
    """Write the record of a conversation.

    Args:
        workspace: where it is stored.
        conversation: what was said.
        name: the file's name, which the record keeps with the hash of the file.
        data: the file.

    Raises:
        RecordError: it cannot be stored.
    """
    origin = f"imported from {name} ({conversation.program}, sha256 {hashlib.sha256(data).hexdigest()[:16]})"
    plan = plan_of(conversation, origin)
    events = list(played(plan, conversation))
    now = workspace.clock()
    lines = chain_lines([Entry(seq=seq, at=now, event=event) for seq, event in enumerate(events, start=1)])
    debate = workspace.new_id(plan)
    await workspace.store.append(debate, lines, after=0)
    closed = next(event for event in events if isinstance(event, Closed))
    replies = [event.reply for event in events if isinstance(event, Replied)]
    return Imported(
        debate=debate,
        conversation=conversation,
        status=closed.status,
        turns=len(replies),
        ballots=sum(RANKING in reply.fields for reply in replies),
    )


def plan_of(conversation: Conversation, origin: str = "") -> Plan:
    """The debate that a conversation is: one question for each turn, and the vote of a council."""
    parts: list[Phase] = []
    if conversation.council:
        members = tuple(answer.by for answer in conversation.council.answers)
        parts.append(Everyone(act="draft", task="Answer the question.", who=members))
        if len(members) > 2 and conversation.council.rankings:
            parts.append(Ranking(acts=("draft",), rule=RULES[RULE]))
    act = "close" if conversation.council else "argue"
    parts += [Everyone(act=act, task=SPEAK, who=(statement.by,)) for statement in conversation.statements]
    brief = Brief(
        topic=conversation.topic,
        background=conversation.background,
        participants=tuple(_participant(speaker, conversation) for speaker in conversation.speakers),
    )
    return Plan(brief=brief, name=PROTOCOL, protocol=Steps(parts=tuple(parts)), chosen=(origin,) if origin else ())


def _participant(speaker: Speaker, conversation: Conversation) -> Participant:
    members = {answer.by for answer in conversation.council.answers} if conversation.council else {speaker.name}
    return Participant(
        name=speaker.name,
        seat=HUMAN if speaker.person else f"{IMPORTED}:{speaker.model or speaker.name}",
        duty="debater" if speaker.name in members else "moderator",
    )


def played(plan: Plan, conversation: Conversation) -> Iterator[Event]:
    """The events of the record, from its opening to its end."""
    opened, transcript = plan.opened(), Transcript()
    transcript.apply(opened)
    yield opened
    statements = iter(conversation.statements)
    for step in enter(plan.protocol, State(brief=plan.brief, transcript=transcript)):
        for event in _facts(step, conversation, transcript, statements) if isinstance(step, Sequence) else [step]:
            transcript.apply(event)
            yield event
    closed = closing_event(transcript)
    transcript.apply(closed)
    yield closed


def _facts(
    batch: Sequence[Ask], conversation: Conversation, transcript: Transcript, statements: Iterator[Statement]
) -> Iterator[Event]:
    """Questions of a batch, then what was said."""
    yield from (Asked(ask=ask) for ask in batch)
    for ask in batch:
        reply = _reply(ask, conversation, transcript, statements)
        if reply is None:
            yield Failed(key=ask.key, kind="refused", reason="it said nothing here")
        else:
            yield Replied(key=ask.key, reply=reply.cleaned(ask.form))


def _reply(
    ask: Ask, conversation: Conversation, transcript: Transcript, statements: Iterator[Statement]
) -> Reply | None:
    """What was said in answer to a question; None if nothing was."""
    council = conversation.council
    if council and ask.act == "draft":
        return Reply(text=next(answer.text for answer in council.answers if answer.by == ask.to))
    if council and ask.act == "vote":
        if ask.to not in council.rankings:
            return None
        words, ranked = council.rankings[ask.to]
        by_author = {
            transcript.get(key).by: label for key, label in zip(ask.about, labels(len(ask.about)), strict=True)
        }
        chosen = tuple(by_author[author] for author in ranked if author in by_author)
        unread = () if chosen else (Unread(RANKING, "ambiguous"),)
        return Reply(text=words, fields={RANKING: chosen} if chosen else {}, unread=unread)
    return Reply(text=next(statements).text)
