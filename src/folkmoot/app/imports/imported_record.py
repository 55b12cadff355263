"""The record of an imported conversation: what was said is played as a debate, so that it can be checked and forked."""

import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePath

from folkmoot.app.brief.files import decode
from folkmoot.app.imports.conversations import Conversation, Said, read_transcript
from folkmoot.app.imports.json_conversations import read_export
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.ask import Ask, Reply
from folkmoot.core.brief import HUMAN, Brief, Participant
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Asked, Entry, Event, Replied
from folkmoot.core.text import counted
from folkmoot.core.transcript import Transcript
from folkmoot.engine.driver import closing_event
from folkmoot.models.names import IMPORTED
from folkmoot.phases import base
from folkmoot.phases.speak import Everyone
from folkmoot.record.store import chain_lines

SPEAK = "Continue the conversation: it is your turn."
"""What a model is asked that goes on with a fork."""
MOST_BYTES, MOST_TURNS, MOST_SPEAKERS = 32 * 1024 * 1024, 5_000, 40


def read_conversations(data: bytes, name: str, names: Collection[str] = ()) -> list[Conversation]:
    """The conversations of a file: JSON, or a transcript whose speakers have these names. One may have no words.

    Raises:
        BriefError: it is too large, no text, or no conversation can be read in it.
    """
    if len(data) > MOST_BYTES:
        raise BriefError(f"{name} has {len(data):,} bytes; at most {MOST_BYTES:,} can be imported", code="too_large")
    if data.startswith(b"PK\x03\x04"):
        problem = f"{name} is a packed file; unpack it, and import the JSON file in it, such as conversations.json"
        raise BriefError(problem, code="malformed")
    if not (text := decode(name, data)).strip():
        raise BriefError(f"{name} is empty", code="malformed")
    # A transcript may begin with a time in brackets.
    is_json = PurePath(name).suffix == ".json" or re.match(r"\s*(?:\{|\[\s*[{\[\]])", text)
    read = read_export(text, name) if is_json else [read_transcript(text, name, names)]
    for conversation in read:
        turns = sum(map(len, conversation.turns))
        if turns > MOST_TURNS or len(conversation.speakers) > MOST_SPEAKERS:
            size = f"{counted(turns, 'turn')} of {counted(len(conversation.speakers), 'speaker')}"
            problem = f"{name}: a conversation has {size}; at most {MOST_TURNS:,} of {MOST_SPEAKERS} can be imported"
            raise BriefError(problem, code="too_large")
    return read


async def import_conversation(workspace: Workspace, conversation: Conversation, name: str, data: bytes) -> str:
    """Write the record of a conversation; its id. The record keeps the file's name and hash.

    Raises:
        RecordError: it cannot be stored.
    """
    origin = f"imported from {name} ({conversation.program}, sha256 {hashlib.sha256(data).hexdigest()[:16]})"
    plan, now = plan_of(conversation, origin), workspace.clock()
    entries = [Entry(seq=seq, at=now, event=event) for seq, event in enumerate(played(plan, conversation), start=1)]
    debate = workspace.new_id(plan)
    await workspace.store.append(debate, chain_lines(entries), after=0)
    return debate


def plan_of(conversation: Conversation, origin: str = "") -> Plan:
    """The debate that a conversation is: a question for each turn; answers that were given apart are asked for apart."""
    brief = Brief(
        topic=conversation.topic,
        background=conversation.background,
        participants=tuple(
            Participant(name=said.by, seat=HUMAN if said.person else f"{IMPORTED}:{said.model or said.by}")
            for said in conversation.speakers
        ),
    )
    parts = (Everyone(act="argue", task=SPEAK, who=tuple(said.by for said in turn)) for turn in conversation.turns)
    protocol = base.Sequence(parts=tuple(parts))
    return Plan(brief=brief, name="imported", protocol=protocol, chosen=(origin,) if origin else ())


def played(plan: Plan, conversation: Conversation) -> Iterator[Event]:
    """The events of the record, from its opening to its end."""
    opened, transcript, turns = plan.opened(), Transcript(), iter(conversation.turns)
    transcript.apply(opened)
    yield opened
    for step in base.enter(plan.protocol, base.State(brief=plan.brief, transcript=transcript)):
        for event in _said(step, next(turns)) if isinstance(step, Sequence) else [step]:
            transcript.apply(event)
            yield event
    yield closing_event(transcript)


def _said(asks: Sequence[Ask], turn: Sequence[Said]) -> Iterator[Event]:
    yield from (Asked(ask=ask) for ask in asks)
    texts = {said.by: said.text for said in turn}
    yield from (Replied(key=ask.key, reply=Reply(text=texts[ask.to]).cleaned(ask.form)) for ask in asks)
