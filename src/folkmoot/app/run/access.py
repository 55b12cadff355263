"""The owner of a debate, its limits and its share links: who may view, join or own it.

This is no part of the record, which is about what was said. It is stored beside the record as side events, with the
same chain of hashes. Of a link only the hash of its secret is stored.
"""

import hashlib
import secrets
from dataclasses import asdict, dataclass, replace
from hmac import compare_digest
from typing import get_args

from folkmoot.app.plan.learning import owner_messages
from folkmoot.app.run.claims import Claim, access_stream, claimed
from folkmoot.app.run.outcome import opening
from folkmoot.app.run.prepare import LimitOverrides
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Limits, is_person
from folkmoot.core.errors import BriefError, RecordConflict
from folkmoot.core.event import Allowed, Claimed, Limited, Noted, Renamed, Revoked, Right, Shared
from folkmoot.core.text import clean

RIGHTS: tuple[Right, ...] = get_args(Right)
"""From the least to the most: whoever may join may view."""

SECRET_BYTES = 32
"""Chance in a token: 256 bits, written in 43 letters."""

MOST_SHARES = 100
"""The most links of one debate."""

LONGEST_NAME = 200
"""The most characters of a debate's name."""

LONGEST_DAYS = 366.0
"""The most days for which a link holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A link to one debate.

    Attributes:
        id: what it is revoked by.
        right: ``view`` or ``join``.
        who: with ``join``, the person in the debate for whom its holder answers; "" for somebody who only speaks up.
        at: when it was made, in seconds since 1970.
        until: when it ends, in seconds since 1970; None for never.
        mark: the hash of its secret.
        revoked: whether it was taken back.
    """

    id: str
    right: Right
    who: str = ""
    at: float = 0.0
    until: float | None = None
    mark: str = ""
    revoked: bool = False

    def holds(self, now: float) -> bool:
        """Whether the link is still valid."""
        return not self.revoked and (self.until is None or now < self.until)


def new_secret() -> str:
    """A new token: nobody can guess it."""
    return secrets.token_urlsafe(SECRET_BYTES)


def hash_of(secret: str) -> str:
    """The hash of a token; only the hash is stored. A token of 256 random bits needs no salt and no slow hash."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


async def claim(workspace: Workspace, debate: str, wanted: Claim) -> Claim:
    """Claim a debate before it begins; the first claim wins.

    What others debate is not learned, for memory is read in the debates of the person at the machine.

    Returns:
        Whose it is.

    Raises:
        RecordError: the store cannot be written.
    """
    stream = access_stream(workspace, debate)
    if not await stream.read():
        if wanted.owner:
            await owner_messages(workspace.store, debate, workspace.clock).post(Noted(what="forget"))
        await stream.post(Claimed(owner=wanted.owner, request=wanted.request))
    return await claimed(workspace, debate)


async def note_limits(workspace: Workspace, debate: str, caps: LimitOverrides) -> None:
    """Store the limits that a debate's owner has set since; they apply from now on.

    Raises:
        RecordError: the store cannot be written.
    """
    if caps != await noted_limits(workspace, debate):
        await access_stream(workspace, debate).post(Limited(**asdict(caps)))


async def noted_limits(workspace: Workspace, debate: str) -> LimitOverrides:
    """The limits that were stored last; empty if there are none."""
    claims = [entry.event for entry in await access_stream(workspace, debate).read()]
    noted = [event for event in claims if isinstance(event, Limited)]
    return LimitOverrides(**asdict(noted[-1])) if noted else LimitOverrides()


async def note_allowance(workspace: Workspace, debate: str, limits: Limits) -> None:
    """Store what a debate may use in total from now on, for the process that will run it.

    Raises:
        RecordError: the store cannot be written.
    """
    if limits != await noted_allowance(workspace, debate):
        await access_stream(workspace, debate).post(Allowed(limits=limits))


async def noted_allowance(workspace: Workspace, debate: str) -> Limits | None:
    """What a debate may use, as stored last; None if nothing was stored, so that the limits of its brief apply."""
    claims = [entry.event for entry in await access_stream(workspace, debate).read()]
    noted = [event.limits for event in claims if isinstance(event, Allowed)]
    return noted[-1] if noted else None


async def share(
    workspace: Workspace, debate: str, right: Right, *, who: str = "", until: float | None = None
) -> tuple[Share, str]:
    """Make a link to a debate.

    Args:
        workspace: the workspace.
        debate: its id.
        right: ``view`` or ``join``.
        who: with ``join``, for whom in the debate its holder answers.
        until: when it ends, in seconds since 1970; None for never.

    Returns:
        The link and its secret, which is returned only this once.

    Raises:
        BriefError: a right, a person or a time that cannot be, or too many links.
        RecordError: there is no such debate, or the store cannot be written.
    """
    now = workspace.clock()
    if right not in ("view", "join"):
        raise BriefError(f"a link grants view or join, not {right}", code="bad_enum")
    if who and right != "join":
        raise BriefError("only a link to join can be for one person", code="inconsistent")
    if until is not None and not now < until <= now + LONGEST_DAYS * 86_400:
        raise BriefError(f"a link must end in the future, within {LONGEST_DAYS:g} days", code="out_of_range")
    brief = opening(debate, await workspace.entries(debate)).brief
    people = [participant.name for participant in brief.participants if is_person(participant)]
    if who and who not in people:
        hint = f"people in this debate: {', '.join(people)}" if people else "no participant is a person"
        raise BriefError(f"{who[:60]!r} is not a person in this debate; {hint}", code="bad_name")
    if sum(item.holds(now) for item in await shares(workspace, debate)) >= MOST_SHARES:
        raise BriefError(f"a debate has at most {MOST_SHARES} links; revoke one", code="too_large")
    secret = new_secret()
    link = Shared(id=secrets.token_hex(8), right=right, who=who, at=now, until=until, mark=hash_of(secret))
    await access_stream(workspace, debate).post(link)
    return Share(**asdict(link)), secret


async def shares(workspace: Workspace, debate: str) -> tuple[Share, ...]:
    """The links to a debate, in the order in which they were made, revoked ones too."""
    shares_by_id: dict[str, Share] = {}
    for entry in await access_stream(workspace, debate).read():
        match entry.event:
            case Shared() as link:
                shares_by_id[link.id] = Share(**asdict(link))
            case Revoked(id=share_id) if share_id in shares_by_id:
                shares_by_id[share_id] = replace(shares_by_id[share_id], revoked=True)
            case _:
                pass
    return tuple(shares_by_id.values())


async def revoke(workspace: Workspace, debate: str, share_id: str) -> bool:
    """Revoke a link; returns whether there is one with that id."""
    if not any(item.id == share_id for item in await shares(workspace, debate)):
        return False
    await access_stream(workspace, debate).post(Revoked(id=share_id))
    return True


async def share_of(workspace: Workspace, debate: str, secret: str) -> Share | None:
    """The valid link with that secret; None if there is none."""
    mark, now = hash_of(secret), workspace.clock()
    fits = [item for item in await shares(workspace, debate) if compare_digest(item.mark, mark)]
    return next((fit for fit in fits if fit.holds(now)), None)


def conflict(debate: str) -> RecordConflict:
    """The error for a key that was used before, for another request."""
    return RecordConflict(f"this key was used before with another request ({debate}); use a new key")


async def rename(workspace: Workspace, debate: str, name: str) -> str:
    """Give a debate a name for lists and pages, or its topic again; the record stays as it is.

    Returns:
        The name as it was stored.

    Raises:
        BriefError: the name is too long.
        RecordError: there is no such debate, or the store cannot be written.
    """
    words = " ".join(clean(name).split())
    if len(words) > LONGEST_NAME:
        raise BriefError(f"a name has at most {LONGEST_NAME} characters, not {len(words)}", code="too_large")
    opening(debate, await workspace.entries(debate))
    if words != await name_of(workspace, debate):
        await access_stream(workspace, debate).post(Renamed(name=words))
    return words


async def name_of(workspace: Workspace, debate: str) -> str:
    """What its owner calls a debate since; "" for its topic."""
    events = [entry.event for entry in await access_stream(workspace, debate).read()]
    return next((event.name for event in reversed(events) if isinstance(event, Renamed)), "")
