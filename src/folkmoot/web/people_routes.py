"""Routes for people who take part (open questions, answers, messages) and for share links."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Annotated, Literal, cast

from fastapi import Header, Query

from folkmoot.app.brief.names import skeleton
from folkmoot.app.run.access import Share, revoke, share, shares
from folkmoot.app.run.outcome import opening
from folkmoot.app.run.people import (
    OutsideMessages,
    ShownTurn,
    allowed_values,
    answer,
    context_for,
    focus_turns,
    new_turns,
    open_ask_for,
)
from folkmoot.app.run.record_reader import OpenQuestion, open_asks
from folkmoot.app.serve.frames import safe_html
from folkmoot.core.ask import Field
from folkmoot.core.errors import BriefError
from folkmoot.core.labels import act_of, noun
from folkmoot.core.text import clean
from folkmoot.core.transcript import fold
from folkmoot.web.debate_routes import admission, values
from folkmoot.web.problems import Problem
from folkmoot.web.schemas import (
    AnswerQuestion,
    AskField,
    NewShare,
    OpenAsk,
    OpenAsks,
    SavedAnswer,
    SavedMessage,
    SendMessage,
    ShareRow,
    ShareRows,
    ShareWithSecret,
    TurnForPerson,
)
from folkmoot.web.site import DebateAccess, Joining, Owning, api_router

router = api_router("people")

Key = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        max_length=200,
        pattern="^[!-~]*$",
        description="A message with the same key and body is sent only once.",
    ),
]

OFFICES = (
    *("moderator", "mediator", "timekeeper", "judge", "juror", "chair", "owner", "admin", "system"),
    *("retriever", "weigher", "teller"),
)
"""Names that the user of a share link may not have, because they suggest authority."""


@router.get("/debates/{debate}/asks")
async def get_asks(visit: Joining) -> OpenAsks:
    """Return the open questions to people, with what they are shown and the fields of the answer.

    The user of a share link gets the questions to the person of this link.
    """
    if not await visit.site.workspace.store.read(visit.debate, limit=1):
        return OpenAsks(asks=[])
    opens = await open_asks(visit.site.workspace, visit.debate)
    return OpenAsks(asks=[await _open_ask(visit, item) for item in opens if visit.reader in (None, item.turn.by)])


async def _open_ask(visit: DebateAccess, open_question: OpenQuestion) -> OpenAsk:
    workspace, turn = visit.site.workspace, open_question.turn
    assert turn.ask is not None
    context, transcript = (
        await context_for(workspace, visit.debate, turn.key),
        fold(await workspace.entries(visit.debate)),
    )
    outside = await (await OutsideMessages.of(workspace, visit.debate, turn.key)).more()
    return OpenAsk(
        key=turn.key,
        mark=turn.mark,
        who=turn.by,
        role=context.me.role,
        act=noun(act_of(turn)),
        round=turn.round,
        task=turn.ask.task,
        about=[_laid_turn(shown) for shown in focus_turns(context, transcript)],
        news=[_laid_turn(shown) for shown in new_turns(context, transcript)],
        meanwhile=[
            (f"{message.by}, in reply to {message.to}" if message.to else message.by, message.text)
            for message in outside
        ],
        fields=[_field(field) for field in (turn.ask.form.fields if turn.ask.form else ())],
        since=open_question.since,
        left=open_question.left,
    )


def _laid_turn(shown: ShownTurn) -> TurnForPerson:
    turn, speech = shown.turn, shown.speech
    return TurnForPerson(
        name=shown.name,
        act=noun(turn.act),
        mark=turn.mark,
        text=speech.words,
        html=safe_html(speech.words),
        fields=[*speech.facts, *speech.rest],
    )


def _field(field: Field) -> AskField:
    return AskField(
        name=field.name,
        kind=field.kind,
        choices=list(field.choices),
        required=field.required,
        help=field.help,
        low=field.low,
        high=field.high,
        abstain=field.abstain,
        private=field.private,
        allowed=allowed_values(field),
    )


@router.post("/debates/{debate}/asks/answer")
async def answer_ask(visit: Joining, body: AnswerQuestion) -> SavedAnswer:
    """Answer a question to a person: speak, vote or moderate. The debate then continues by itself."""
    site = visit.site
    person = _speaker(visit, body.who)
    key = body.key or (await open_ask_for(site.workspace, visit.debate, person)).key
    reply = await answer(site.workspace, visit.debate, body.words, who=person, key=body.key, fields=values(body.fields))
    runs = await admission(site, "").resume_answered(visit.debate)
    return SavedAnswer(key=key, text=reply.text, fields=dict(reply.fields), runs=runs)


def _speaker(visit: DebateAccess, name: str) -> str:
    """The person for whom an answer is; a share link can answer for its own person only."""
    if visit.right == "own":
        return name
    if not visit.who:
        raise Problem(403, "with this link you can send messages; it is not for a participant, so you cannot answer")
    if name not in ("", visit.who):
        raise Problem(403, f"this link is for {visit.who}, not for {name[:60]}")
    return visit.who


@router.post("/debates/{debate}/interjections", status_code=201)
async def interject(visit: Joining, body: SendMessage, key: Key = "") -> SavedMessage:
    """Send a message to a debate, or a reply to one of its turns; everybody sees it from the next question on."""
    by = body.by if visit.right == "own" else await _name(visit, body.by)
    once = f"{visit.holder.sender} {key}" if key else ""
    say = visit.site.remarks.say
    return SavedMessage(number=await say(visit.site.workspace, visit.debate, by, body.words, once, body.to))


async def _name(visit: DebateAccess, by: str) -> str:
    """The name of a message's sender with a share link: the person of the link, else a name of their own.

    Raises:
        BriefError: it has the name of a participant or of an office in it, or looks like one.
    """
    sentence, brief = skeleton(by), opening(visit.debate, await visit.site.workspace.entries(visit.debate)).brief
    if visit.who:
        if sentence not in ("", skeleton(visit.who)):
            raise BriefError(f"this link is for {visit.who}; send messages as {visit.who}", code="bad_name")
        return visit.who
    taken = {skeleton(participant.name): participant.name for participant in brief.participants}
    if name := next((taken[part] for part in _parts(by) if part in taken), ""):
        raise BriefError(f"{by[:60]!r} has the name of {name}, who takes part; use another name", code="bad_name")
    # Anywhere, because a title may be glued to it: "Dr.Moderator", "themoderator". A few true names are refused as well.
    if office := next((office for office in OFFICES if office in sentence), ""):
        raise BriefError(f"{by[:60]!r} sounds like the office of {office}; use another name", code="bad_name")
    return by


def _parts(name: str) -> Iterator[str]:
    """The skeletons of all words of a name, and of words beside each other: who is "A D A" or "Ada (finance)"?"""
    words = re.split(r"[\W_]+|(?<=[a-z])(?=[A-Z])", unicodedata.normalize("NFC", clean(name)))
    words = [part for word in words if (part := skeleton(word))]
    yield from ("".join(words[begin:end]) for begin in range(len(words)) for end in range(begin + 1, len(words) + 1))


shares_router = api_router("shares")


@shares_router.post("/debates/{debate}/shares", status_code=201)
async def make_share(visit: Owning, body: NewShare) -> ShareWithSecret:
    """Create a share link to a debate. Its token is shown only once."""
    new_share, secret = await share(visit.site.workspace, visit.debate, body.right, who=body.who, until=body.until)
    return ShareWithSecret(**_row(new_share).model_dump(), token=secret, link=f"/d/{visit.debate}?share={secret}")


@shares_router.get("/debates/{debate}/shares")
async def list_shares(visit: Owning) -> ShareRows:
    """List the share links to a debate, without their tokens."""
    return ShareRows(shares=[_row(item) for item in await shares(visit.site.workspace, visit.debate)])


@shares_router.delete("/debates/{debate}/shares")
async def revoke_share(
    visit: Owning, share_id: Annotated[str, Query(alias="id", max_length=100, description="The link's id.")]
) -> ShareRows:
    """Revoke a share link; viewers who use it are disconnected."""
    if not await revoke(visit.site.workspace, visit.debate, share_id):
        raise Problem(404, f"there is no link {share_id[:60]!r} to this debate")
    visit.site.auth.revoked.add(share_id)
    return await list_shares(visit)


def _row(row: Share) -> ShareRow:
    right = cast('Literal["view", "join"]', row.right)
    return ShareRow(id=row.id, right=right, who=row.who, at=row.at, until=row.until, revoked=row.revoked)
