"""Clients: whoever calls a tool. This file owns that a debate which a client may not see does not exist for it."""

import re
from dataclasses import dataclass

from moot.app.run.access import claimed
from moot.app.run.runner import Runner
from moot.app.run.workspace import Workspace
from moot.app.serve.admission import Admission
from moot.core.errors import RecordError

CLIENT = "moot.client"
"""Where a request over HTTP carries its client, in its scope."""

_DEBATE = re.compile(r"[\w.-]{1,200}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A program that calls tools, with what it may spend.

    Attributes:
        admission: takes its orders.
        reads_all: whether it may read the debates of others as well; it never changes them.
    """

    admission: Admission
    reads_all: bool = False

    @property
    def runner(self) -> Runner:
        """Where its debates are held."""
        return self.admission.runner

    @property
    def workspace(self) -> Workspace:
        """Where their records are."""
        return self.admission.workspace

    async def may_read(self, debate: str) -> bool:
        """Whether a debate, if there is one of that id, is one that it may read."""
        return self.reads_all or await self.owns(debate)

    async def owns(self, debate: str) -> bool:
        """Whether a debate, if there is one of that id, is its own."""
        return (await claimed(self.workspace, debate)).owner == self.admission.owner

    async def check_seen(self, debate: str) -> None:
        """Refuse a debate that is not there for it.

        Raises:
            RecordError: there is none of that id, or it is somebody else's.
        """
        if not (_DEBATE.fullmatch(debate) and await self._is_there(debate) and await self.may_read(debate)):
            raise RecordError(f"there is no debate {debate[:80]!r} of yours; list_debates shows which there are")

    async def check_own(self, debate: str) -> None:
        """Refuse to change a debate that is not its own.

        Raises:
            RecordError: there is none of that id for it, or it may only read it.
        """
        await self.check_seen(debate)
        if not await self.owns(debate):
            raise RecordError(f"you may read {debate}, and not change it: it was begun elsewhere")

    async def _is_there(self, debate: str) -> bool:
        known = debate in self.runner.running or self.runner.error(debate) is not None
        return known or bool(await self.workspace.store.read(debate, limit=1))
