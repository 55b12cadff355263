"""Notices by webhook and e-mail when it is somebody's turn, or when a debate has ended or is paused.

They are sent beside the debates, which never wait for them. What can't be sent after three tries is said in the
server's log.
"""

import asyncio
import os
import smtplib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from email.message import EmailMessage
from functools import partial
from typing import Literal
from urllib.parse import urlsplit

from folkmoot.app.plan.settings_tables import Notifying
from folkmoot.app.run.access import share
from folkmoot.app.run.outcome import opening
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Brief, is_person
from folkmoot.core.errors import FolkmootError
from folkmoot.core.event import Asked, Closed, Entry, Paused, Ruled
from folkmoot.core.labels import act_of, noun, status_in_words
from folkmoot.core.roles import GENERATION
from folkmoot.core.text import flat

TRIES = (0.0, 5.0, 60.0)
"""The seconds before each try."""

SECONDS = 20.0
"""For one try."""

LINK_DAYS = 30
"""How long a link in a person's e-mail is valid."""

KEPT = 500
"""Debates whose briefs are remembered."""

PASSWORD = "FOLKMOOT_SMTP_PASSWORD"
"""The environment variable with the password of the mail server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """What is sent: to a webhook as JSON under these names.

    Attributes:
        event: ``turn``, ``ended`` or ``paused``.
        debate: its id.
        topic: what is debated.
        who: whose turn it is.
        status: how it ended, or why it is paused.
        text: all of it in a sentence.
        link: its page.
    """

    event: Literal["turn", "ended", "paused"]
    debate: str
    topic: str
    who: str = ""
    status: str = ""
    text: str
    link: str


SHAPES: Mapping[str, Callable[[Notice], Mapping[str, object]]] = {
    "json": asdict,
    "slack": lambda notice: {"text": f"{notice.text} {notice.link}"},
    "discord": lambda notice: {"content": f"{notice.text} {notice.link}"[:2000]},
}
"""The body of a webhook by its format: that of Slack's incoming webhooks, of Discord's, or the notice itself."""


class Notifier:
    """Watches the debates of a workspace and sends notices; see ``Watchers``.

    Args:
        workspace: where the debates run.
        wanted: to whom.
        base: the address of the server, such as ``http://127.0.0.1:8323``.
        say: called with a sentence where a notice could not be sent.
    """

    def __init__(self, workspace: Workspace, wanted: Notifying, base: str, say: Callable[[str], None]) -> None:
        self._workspace, self.wanted, self._base, self._say = workspace, wanted, base, say
        self._briefs: OrderedDict[str, Brief | None] = OrderedDict()
        self._decisions: dict[str, str] = {}
        self._links: dict[tuple[str, str], str] = {}
        self._seen = asyncio.Queue[tuple[str, Entry]]()

    def take(self, debate: str, entries: Sequence[Entry]) -> None:
        """Note what a notice may be sent of."""
        for entry in entries:
            if isinstance(entry.event, Asked | Ruled | Closed | Paused):
                self._seen.put_nowait((debate, entry))

    def end(self, debate: str) -> None:
        """Nothing is sent here: the entries have told it."""

    async def run(self) -> None:
        """Send notices until this is cancelled; one that can't be sent holds up no other."""
        async with asyncio.TaskGroup() as group:
            while True:
                debate, entry = await self._seen.get()
                try:
                    brief = await self._brief(debate)
                except FolkmootError as error:
                    self._say(f"no notice of {debate} was sent: {error}")
                else:
                    if brief is not None and (notice := self._notice(debate, entry, brief)):
                        for send, whom in self._ways(notice):
                            group.create_task(self._try(send, whom))

    async def _brief(self, debate: str) -> Brief | None:
        """The brief of a debate; None for one in which participants are generated."""
        if debate not in self._briefs:
            opened = opening(debate, await self._workspace.entries(debate))
            self._briefs[debate] = None if opened.name == GENERATION else opened.brief
            if len(self._briefs) > KEPT:
                self._decisions.pop(self._briefs.popitem(last=False)[0], None)
        return self._briefs[debate]

    def _notice(self, debate: str, entry: Entry, brief: Brief) -> Notice | None:
        topic, link = flat(brief.topic), f"{self._base}/d/{debate}"
        match entry.event:
            case Asked(ask=ask) if (person := brief.participant(ask.to)) and is_person(person):
                text = f"{person.name}, it's your turn ({noun(act_of(ask))}): {topic}"
                return Notice(event="turn", debate=debate, topic=topic, who=person.name, text=text, link=link)
            case Ruled(decision=decision):
                self._decisions[debate] = flat(decision.winner or decision.text)
            case Closed(status=status):
                decided = self._decisions.get(debate, "") if status == "decided" else ""
                words = f"Decided: {decided}" if decided else status_in_words(status).capitalize()
                text = f"{words} ({topic})"
                return Notice(event="ended", debate=debate, topic=topic, status=status, text=text, link=link)
            case Paused(kind=kind, reason=reason) if kind != "waiting":
                text = f"Paused: {reason} ({topic})"
                return Notice(event="paused", debate=debate, topic=topic, status=kind, text=text, link=link)
            case _:
                pass
        return None

    def _ways(self, notice: Notice) -> Iterator[tuple[Callable[[], Awaitable[object]], str]]:
        """What sends a notice, and through what."""
        if self.wanted.webhook:
            yield partial(self._post, notice), "the webhook"
        own = self.wanted.people.get(notice.who, "")
        for address in {*self.wanted.mail, own} - {""}:
            yield partial(self._mail, notice, address, personal=address == own), "the mail server"

    async def _personal_link(self, notice: Notice) -> str:
        """A link for the person whose turn it is, who has no session on this server; one for all turns of a debate."""
        whose = notice.debate, notice.who
        if whose not in self._links:
            until = self._workspace.clock() + LINK_DAYS * 86_400
            _, secret = await share(self._workspace, notice.debate, "join", who=notice.who, until=until)
            self._links[whose] = f"{notice.link}?share={secret}"
        return self._links[whose]

    async def _mail(self, notice: Notice, address: str, *, personal: bool) -> None:
        link = await self._personal_link(notice) if personal else notice.link
        mail = EmailMessage()
        mail["Subject"], mail["To"] = notice.text[:200], address
        mail["From"] = self.wanted.sender or address
        mail.set_content(f"{notice.text}\n\n{link}\n")
        await asyncio.to_thread(_deliver, self.wanted.smtp, mail)

    async def _post(self, notice: Notice) -> None:
        import httpx2  # deferred: it takes 0.1 s to load

        async with httpx2.AsyncClient(timeout=SECONDS) as client:
            answer = await client.post(self.wanted.webhook, json=SHAPES[self.wanted.format](notice))
        if not answer.is_success:
            raise OSError(f"it answered {answer.status_code}")

    async def _try(self, send: Callable[[], Awaitable[object]], whom: str) -> None:
        """Try to send a few times; the address is a secret of its owner, so no error may show it."""
        for left, wait in zip(range(len(TRIES) - 1, -1, -1), TRIES, strict=True):
            await asyncio.sleep(wait)
            try:
                await send()
            except Exception as error:  # noqa: BLE001 # libraries raise what they like, and no debate may end by it
                if not left:
                    self._say(f"a notice could not be sent: {whom}: {type(error).__name__}")
            else:
                return


def _deliver(server: str, mail: EmailMessage) -> None:
    """Send a mail by ``smtp://`` with STARTTLS where it is offered, or by ``smtps://``."""
    place = urlsplit(server)
    kind = smtplib.SMTP_SSL if place.scheme == "smtps" else smtplib.SMTP
    with kind(place.hostname or "", place.port or 0, timeout=SECONDS) as connection:
        if place.scheme == "smtp" and connection.has_extn("starttls"):
            connection.starttls()
        if place.username:
            connection.login(place.username, os.environ.get(PASSWORD, ""))
        connection.send_message(mail)
