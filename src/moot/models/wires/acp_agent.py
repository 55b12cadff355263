"""Agents that speak the Agent Client Protocol, as models: one fresh session in an empty folder for each request.

The agent is a program on this machine, by which somebody's subscription answers. It is given no file, no terminal and
no permission; what it asked for is on record. **This is no sandbox:** it may read and write with means of its own, and
its own settings may allow that without asking.
"""

import asyncio
import os
import tempfile
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moot.core.agent import Quote, Recorder
from moot.core.ask import ToolCall, Usage
from moot.core.brief import Settings
from moot.core.errors import ModelError, Refused, Unavailable
from moot.core.event import Called
from moot.core.text import clip, flat
from moot.models import provider_errors
from moot.models.base import Message, Request, Traits
from moot.models.names import ModelName
from moot.models.prices import quote
from moot.models.stream import AnswerStream, End, final_answer
from moot.models.wires.acp_programs import AcpProgram

if TYPE_CHECKING:
    from acp.client.connection import ClientSideConnection
    from acp.schema import NewSessionResponse, PermissionOption, RequestPermissionResponse

INSTALL = 'acp: needs a library that is not installed: pip install "moot[acp]"'

LINE_BYTES = 2**24
"""Bytes of one line of the protocol; the usual 64 KiB are too few for an answer."""

CANCEL_SECONDS = 2.0
"""Seconds that an agent gets to stop by itself when its time is up, and again to end."""

MOST_NOTED = 20
"""How many of the things that an agent asked for are noted."""

WORDS_ONLY = "Answer from what is written here, in words alone. Use no tools, no files and no network."

FINISH: Mapping[str, str] = {"max_tokens": "length", "max_turn_requests": "length", "refusal": "filter"}
"""Why an answer ended, in this protocol's words and in ours; all else is ``stop``."""

NOT_LOGGED_IN = -32000


class AcpModel:
    """One agent.

    Args:
        name: which agent: ``acp:claude``, ``acp:claude/opus``.
        program: the program.
        wanted: the model that it is told to use; "" for its own choice.
    """

    def __init__(self, name: ModelName, program: AcpProgram, wanted: str) -> None:
        self._name, self._program, self._wanted = name, program, wanted

    @property
    def name(self) -> str:
        """``acp:NAME``."""
        return str(self._name)

    @property
    def traits(self) -> Traits:
        """It is sent one text, and offered no tools."""
        return Traits(system=False, tools=False, pictures=False)

    @property
    def drops(self) -> tuple[str, ...]:
        """It takes no settings."""
        return tuple(Settings.__slots__)

    def quote(self, request: Request) -> Quote:
        """The most that the request is expected to use; its price is unknown unless the owner has a flat rate."""
        cost = 0.0 if self._program.free else None
        return replace(quote(self._name, request), cost=cost, worst_cost=cost)

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer one request; see ``models.base.Model``."""
        session = _Session(AnswerStream(self._name, recorder))
        with tempfile.TemporaryDirectory(prefix="moot-acp-", ignore_cleanup_errors=True) as folder:
            try:
                async with self._started(session, folder) as agent:
                    opened = await self._new_session(agent, folder)
                    end = await self._send_prompt(agent, opened.session_id, request)
            except ConnectionError as error:
                raise Unavailable(f"{self._name} ended before it answered", kind="connection", again=True) from error
            session.note_files(folder)
        called = final_answer(self._name, request, session.speech, end)
        usage = replace(called.usage, cost=0.0 if self._program.free else None)
        return replace(called, usage=usage, tools=tuple(session.denied[:MOST_NOTED]))

    async def close(self) -> None:
        """Nothing is kept between two requests."""

    @asynccontextmanager
    async def _started(self, session: "_Session", folder: str) -> "AsyncGenerator[ClientSideConnection]":
        """The program, started in a folder; it is ended with the context.

        Raises:
            ModelError: it cannot be started, or answers with an error.
        """
        program, *arguments = self._program.command
        try:
            from acp import RequestError, spawn_agent_process
        except ImportError as error:
            raise Unavailable(INSTALL, kind="not_found") from error
        passed_on = {name: os.environ[name] for name in self._program.env if name in os.environ}
        options = {"limit": LINE_BYTES, "shutdown_timeout": CANCEL_SECONDS, "stderr": DEVNULL}
        try:
            async with spawn_agent_process(
                session,  # pyright: ignore[reportArgumentType]  # what it lacks is refused as not there
                program,
                *arguments,
                env=passed_on,
                cwd=folder,
                transport_kwargs=options,
            ) as (agent, _):
                yield agent
        except RequestError as error:
            raise self._fault(error.code, str(error)) from error
        except OSError as error:
            if isinstance(error, ConnectionError):
                raise
            raise Unavailable(f"{self._name} cannot be started: {error.strerror or error}", kind="not_found") from error

    async def _new_session(self, agent: "ClientSideConnection", folder: str) -> "NewSessionResponse":
        """A fresh session, in the mode and with the model that are wanted."""
        from acp.schema import ClientCapabilities, FileSystemCapabilities, Implementation

        nothing = ClientCapabilities(
            fs=FileSystemCapabilities(read_text_file=False, write_text_file=False), terminal=False
        )
        await agent.initialize(
            protocol_version=1, client_capabilities=nothing, client_info=Implementation(name="moot", version="1")
        )
        opened = await agent.new_session(cwd=folder, mcp_servers=[])
        if mode := self._program.mode:
            modes = [known.id for known in opened.modes.available_modes] if opened.modes else []
            self._check("mode", mode, modes)
            await agent.set_session_mode(session_id=opened.session_id, mode_id=mode)
        if self._wanted:
            choice = next(
                (option for option in opened.config_options or () if getattr(option, "category", "") == "model"), None
            )
            values = _values(getattr(choice, "options", ()))
            self._check("model", self._wanted, values)
            await agent.set_config_option(
                config_id=choice.id if choice else "", session_id=opened.session_id, value=self._wanted
            )
        return opened

    def _check(self, what: str, wanted: str, offered: Sequence[str]) -> None:
        """Refuse a mode or a model that the agent does not offer.

        Raises:
            Refused: it does not.
        """
        if wanted not in offered:
            hint = f"it offers {', '.join(offered[:20])}" if offered else "it offers none"
            raise Refused(f"{self._name} has no {what} {wanted!r}; {hint}", kind="request")

    async def _send_prompt(self, agent: "ClientSideConnection", session: str, request: Request) -> End:
        """Put the question; an agent whose time is up is told to stop before it is ended."""
        from acp import text_block

        try:
            ended = await agent.prompt(session_id=session, prompt=[text_block(_as_text(request.messages))])
        except asyncio.CancelledError:
            with suppress(Exception):
                async with asyncio.timeout(CANCEL_SECONDS):
                    await agent.cancel(session_id=session)
            raise
        if ended.stop_reason == "cancelled":
            raise Unavailable(f"{self._name} broke off its answer", kind="connection", again=True)
        used = ended.usage
        usage = Usage(
            input_tokens=used.input_tokens + (used.cached_read_tokens or 0) if used else 0,
            output_tokens=used.output_tokens if used else 0,
            cached_tokens=(used.cached_read_tokens or 0) if used else 0,
        )
        return End(usage=usage, served=self._wanted, finish=FINISH.get(ended.stop_reason, "stop"))

    def _fault(self, code: int, words: str) -> ModelError:
        if code == NOT_LOGGED_IN:
            return Unavailable(
                f"{self._name} is not logged in; log in with the agent's own command, then try again", kind="key"
            )
        return Refused(f"{self._name} refused the request{provider_errors.provider_words(words)}", kind="request")


class _Session:
    """What the agent says to us: words, signs of life, and requests, all of which are denied."""

    def __init__(self, speech: AnswerStream) -> None:
        self.speech = speech
        self.denied: list[ToolCall] = []

    async def session_update(self, session_id: str, update: Any, **kwargs: Any) -> None:
        """Take a piece of the answer; all else is a sign of life."""
        content: Any = getattr(update, "content", None)
        if getattr(update, "session_update", "") == "agent_message_chunk" and getattr(content, "type", "") == "text":
            self.speech.hear(content.text)
        else:
            self.speech.think()

    async def request_permission(
        self, session_id: str, tool_call: Any, options: "list[PermissionOption]", **kwargs: Any
    ) -> "RequestPermissionResponse":
        """Deny it, by the agent's own words for that where it has some."""
        from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse

        self._note("denied", getattr(tool_call, "title", None) or "something")
        rejecting = [option for option in options if option.kind in ("reject_once", "reject_always")]
        if not rejecting:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        chosen = min(rejecting, key=lambda option: option.kind != "reject_once")
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=chosen.option_id))

    def note_files(self, folder: str) -> None:
        """Note what stands in a folder that was empty."""
        if names := sorted(path.name for path in Path(folder).iterdir()):
            self._note("wrote", ", ".join(names))

    def _note(self, what: str, of: str) -> None:
        self.denied.append(ToolCall(id=f"acp-{len(self.denied) + 1}", name=what, arguments=clip(flat(of), 300)))


def _values(options: Sequence[Any]) -> list[str]:
    """The values of an option, also where they stand in groups."""
    return [value for option in options for value in (_values(getattr(option, "options", ())) or [option.value])]


def _as_text(messages: Sequence[Message]) -> str:
    """The messages as one text."""
    heads = {"assistant": "Your answer was:\n"}
    parts = [heads.get(message.role, "") + message.text for message in messages if message.text]
    return "\n\n".join([WORDS_ONLY, *parts])
