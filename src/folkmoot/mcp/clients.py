"""MCP clients and their access to debates: a debate that a client may not see does not exist for it."""

import re
from dataclasses import dataclass

from folkmoot.app.run.access import claimed
from folkmoot.app.run.runner import Runner
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve.admission import Admission
from folkmoot.core.errors import RecordError

CLIENT = "folkmoot.client"
"""The key of the client in the scope of an HTTP request."""

_DEBATE = re.compile(r"[\w.-]{1,200}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A program that calls tools, with what it may spend.

    Attributes:
        admission: accepts its requests for debates.
        reads_all: whether it may also read the debates of others; it can never change them.
    """

    admission: Admission
    reads_all: bool = False

    @property
    def runner(self) -> Runner:
        """The runner of its debates."""
        return self.admission.runner

    @property
    def workspace(self) -> Workspace:
        """The workspace with their records."""
        return self.admission.workspace

    async def owns(self, debate: str) -> bool:
        """Whether the client owns the debate, if it exists."""
        return (await claimed(self.workspace, debate)).owner == self.admission.owner

    async def check_seen(self, debate: str) -> None:
        """Refuse a debate that does not exist for the client.

        Raises:
            RecordError: it does not exist, or the client may not read it.
        """
        there = _DEBATE.fullmatch(debate) and (
            debate in self.runner.running
            or self.runner.error(debate) is not None
            or await self.workspace.store.read(debate, limit=1)
        )
        if not there or not (self.reads_all or await self.owns(debate)):
            raise RecordError(f"you have no debate {debate[:80]!r}; list_debates shows your debates")

    async def check_own(self, debate: str) -> None:
        """Refuse to change a debate that the client does not own.

        Raises:
            RecordError: it does not exist for the client, or the client may only read it.
        """
        await self.check_seen(debate)
        if not await self.owns(debate):
            raise RecordError(f"you can read {debate} but not change it: it was started by somebody else")
