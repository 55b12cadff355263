"""The connection to Temporal: how settings and the environment become a client, and the errors if that fails."""

from collections.abc import Awaitable
from datetime import timedelta
from typing import TypeVar

from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest, GetSystemInfoRequest
from temporalio.client import Client
from temporalio.common import (
    Priority,
    SearchAttributePair,
    TypedSearchAttributes,
    WorkflowIDConflictPolicy,
)
from temporalio.envconfig import ClientConfigProfile
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.runtime import Runtime
from temporalio.service import RPCError, RPCStatusCode

from folkmoot.app.plan.settings_tables import TemporalSettings
from folkmoot.app.run.dispatcher import QueueAway, QueueError
from folkmoot.workers.wanted import Wanted
from folkmoot.workers.workflow import OWNER, STATE, DebateWorkflow

Result = TypeVar("Result")

OLDEST = (1, 29)
"""The first version of the server that knows fairness."""

CALL = timedelta(seconds=10)
"""The most seconds for one call."""

TASK = timedelta(seconds=3)
"""Seconds after which a step of a workflow that a frozen worker has taken goes to another one."""


class Temporal:
    """The workflows of one installation; ``connect`` first.

    Args:
        settings: where the server is; its own variables of the environment come first.

    Attributes:
        installation: the id of the database, which several in one namespace have each of their own.
    """

    client: Client

    def __init__(self, settings: TemporalSettings) -> None:
        self.settings, self.place, self.installation = settings, settings.address, ""

    @property
    def task_queue(self) -> str:
        """The task queue of this installation."""
        return f"{self.settings.task_queue}-{self.installation}"

    def workflow(self, debate: str) -> str:
        """The id of a debate's workflow."""
        return f"{debate}/{self.installation}"

    async def connect(self, runtime: Runtime | None = None) -> None:
        """Connect to the server; ``runtime`` is that of the SDK, None for its usual one.

        Raises:
            QueueError: the server cannot be reached or used.
        """
        try:
            env = ClientConfigProfile.load(disable_file=True).to_client_connect_config()
        except (OSError, RuntimeError, ValueError) as error:
            raise QueueError(f"the settings of Temporal in the environment cannot be used: {error}") from error
        self.place = env.get("target_host", self.settings.address)
        client = Client.connect(
            self.place,
            namespace=env.get("namespace", self.settings.namespace),
            api_key=env.get("api_key"),
            tls=env.get("tls", self.settings.tls),
            rpc_metadata=env.get("rpc_metadata", {}),
            runtime=runtime,
        )
        self.client = await self.call(client)
        check_version(await self.version(), self.place)

    async def version(self) -> str:
        """The version of the server."""
        request = GetSystemInfoRequest()
        return (await self.call(self.client.workflow_service.get_system_info(request, timeout=CALL))).server_version

    async def namespace(self) -> str:
        """The id of the namespace; another one at the same address is that of a server that has lost its state."""
        request = DescribeNamespaceRequest(namespace=self.client.namespace)
        found = await self.call(self.client.workflow_service.describe_namespace(request, timeout=CALL))
        return str(found.namespace_info.id)

    async def start(self, row: Wanted, wait: float, *, message: bool = True) -> bool:
        """Start the workflow of a debate.

        Args:
            row: what is wanted.
            wait: seconds until its first segment.
            message: whether a workflow that runs already is sent a message.

        Returns:
            Whether it was started or sent a message.

        Raises:
            QueueError: Temporal cannot be reached, or refuses this.
        """
        # Of the server's five keys, 1 is left to debates that have begun: 2 to 5 for priorities 1 to 10.
        key = 1 if row.state == "running" else 2 + (row.priority - 1) * 4 // 10
        attributes = [SearchAttributePair(OWNER, row.owner), SearchAttributePair(STATE, row.state)]
        start = self.client.start_workflow(
            DebateWorkflow.run,
            args=[row.debate, wait, self.settings.timeout],
            id=self.workflow(row.debate),
            task_queue=self.task_queue,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING if message else WorkflowIDConflictPolicy.FAIL,
            start_signal="message" if message else None,
            task_timeout=TASK,
            priority=Priority(priority_key=key, fairness_key=row.owner or None),
            search_attributes=TypedSearchAttributes(attributes),
            rpc_timeout=CALL,
        )
        try:
            await self.call(start)
        except WorkflowAlreadyStartedError:
            return False
        return True

    async def cancel(self, debate: str) -> None:
        """Cancel the workflow of a debate, if there is one."""
        try:
            await self.client.get_workflow_handle(self.workflow(debate)).cancel(rpc_timeout=CALL)
        except RPCError as error:
            if error.status != RPCStatusCode.NOT_FOUND:
                raise self._explain(error) from error

    async def running(self) -> set[str]:
        """The debates that have a workflow."""
        query = f"TaskQueue = '{self.task_queue}' AND ExecutionStatus = 'Running'"
        suffix = self.workflow("")

        async def look() -> set[str]:
            found = self.client.list_workflows(query, rpc_timeout=CALL)
            return {item.id.removesuffix(suffix) async for item in found}

        return await self.call(look())

    async def call(self, work: Awaitable[Result]) -> Result:
        """The result of a call; what fails is told in one sentence."""
        try:
            return await work
        except RPCError as error:
            raise self._explain(error) from error
        except RuntimeError as error:  # while it connects the SDK has no other error, and the status is in the words
            refused = "Unauthenticated" in str(error) or "PermissionDenied" in str(error)
            status = RPCStatusCode.UNAUTHENTICATED if refused else RPCStatusCode.UNAVAILABLE
            raise self._explain(RPCError(str(error), status, b"")) from error

    def _explain(self, error: RPCError) -> QueueError:
        # While it connects, the names of types in Rust follow.
        reason = error.message.partition("\n")[0].partition(": tonic::")[0][:200].rstrip(".")
        unusable = f"Temporal at {self.place} cannot be used: {reason}"
        match error.status:
            case RPCStatusCode.NOT_FOUND:
                how = "create it with: temporal operator namespace create NAME, or set namespace in [temporal]"
                return QueueError(f"{unusable}; {how}")
            case RPCStatusCode.UNAUTHENTICATED | RPCStatusCode.PERMISSION_DENIED:
                return QueueError(f"Temporal at {self.place} refuses the key; set TEMPORAL_API_KEY ({reason})")
            case RPCStatusCode.INVALID_ARGUMENT if "search attribute" in reason:
                names = " ".join(f"--name {key.name} --type Keyword" for key in (OWNER, STATE))
                return QueueError(f"{unusable}; register it with: temporal operator search-attribute create {names}")
            case RPCStatusCode.INVALID_ARGUMENT | RPCStatusCode.FAILED_PRECONDITION | RPCStatusCode.UNIMPLEMENTED:
                return QueueError(unusable)
            case _:  # a connection that breaks in the middle of a call has one of many, and may come back
                # A server that wants a certificate ends the connection without a reason.
                how = "start it, or correct the address and the certificates"
                return QueueAway(f"Temporal at {self.place} cannot be reached; {how} ({reason})")


def check_version(version: str, place: str) -> None:
    """Refuse a server that is too old.

    Raises:
        QueueError: it is older than ``OLDEST``.
    """
    numbers = [int(part) for part in version.split(".")[:2] if part.isdecimal()]
    if tuple(numbers) < OLDEST:
        wanted = ".".join(map(str, OLDEST))
        raise QueueError(f"Temporal at {place} is version {version or 'unknown'}, and Folkmoot needs {wanted} or newer")
