"""Agents that speak the Agent Client Protocol, as models: one fresh session in an empty folder for each request.

The agent is a program on this machine, by which somebody's subscription answers. It is given no file, no terminal and
no permission; what it asked for is on record. **This is no sandbox:** it may read and write with means of its own, and
its own settings may allow that without asking.
"""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.ask import NOTE, ToolCall, Usage
from folkmoot.core.brief import Settings
from folkmoot.core.errors import Refused, Unavailable, Unreadable
from folkmoot.core.event import Called
from folkmoot.core.json_values import as_object, objects
from folkmoot.core.text import clip, flat
from folkmoot.models import provider_errors
from folkmoot.models.adapter import Adapter
from folkmoot.models.base import Message, Request, Traits
from folkmoot.models.finish import finish_of
from folkmoot.models.names import ModelName
from folkmoot.models.stream import AnswerStream, End, final_answer
from folkmoot.models.wires.acp_process import RpcError, RpcProcess, running
from folkmoot.models.wires.acp_programs import AcpProgram

VERSION = 1
"""The version of the protocol that is spoken here."""

MOST_NOTED = 20
"""How many of the things that an agent asked for are noted."""

WORDS_ONLY = "Answer from what is written here, in words alone. Use no tools, no files and no network."

NOT_LOGGED_IN = -32000


class AcpModel(Adapter):
    """One agent.

    Args:
        name: which agent: ``acp:claude``, ``acp:claude/opus``.
        program: the program.
        wanted: the model that it is told to use; "" for its own choice.
    """

    def __init__(self, name: ModelName, program: AcpProgram, wanted: str) -> None:
        super().__init__(name, Traits(system=False, tools=False, pictures=False), tuple(Settings.__slots__))
        self._program, self._wanted = program, wanted

    def quote(self, request: Request) -> Quote:
        """The most that the request is expected to use; its price is unknown unless the owner has a flat rate."""
        cost = 0.0 if self._program.free else None
        return replace(super().quote(request), cost=cost, worst_cost=cost)

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer one request; see ``models.base.Model``."""
        session = _Session(AnswerStream(self._name, recorder))
        with tempfile.TemporaryDirectory(prefix="folkmoot-acp-", ignore_cleanup_errors=True) as folder:
            async with self._started(session, folder) as agent:
                opened = await self._new_session(agent, folder)
                end = await self._send_prompt(agent, opened, request)
                session.speech.think()  # what it takes to end the program is no silence
            session.note_files(folder)
        called = final_answer(self._name, request, session.speech, end)
        usage = replace(called.usage, cost=0.0 if self._program.free else None)
        return replace(called, usage=usage, tools=session.notes())

    @asynccontextmanager
    async def _started(self, session: "_Session", folder: str) -> "AsyncGenerator[RpcProcess]":
        """The program, started in a folder; it is ended with the context.

        Raises:
            ModelError: it cannot be started, or answers with an error.
        """
        try:
            async with running(self._program.command, folder, self._program.env) as process:
                yield RpcProcess(self.name, session, process)
        except RpcError as error:
            if error.code == NOT_LOGGED_IN:
                advice = "log in with the agent's own command, then try again"
                raise Unavailable(f"{self._name} is not logged in; {advice}", kind="key") from error
            words = provider_errors.provider_words(str(error))
            raise Refused(f"{self._name} refused the request{words}", kind="request") from error
        except OSError as error:
            raise Unavailable(f"{self._name} cannot be started: {error.strerror or error}", kind="not_found") from error

    async def _new_session(self, agent: RpcProcess, folder: str) -> str:
        """The id of a fresh session, in the mode and with the model that are wanted."""
        nothing = {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}
        client = {"name": "folkmoot", "version": "1"}
        greeting = await agent.request(
            "initialize", protocolVersion=VERSION, clientCapabilities=nothing, clientInfo=client
        )
        if (version := greeting.get("protocolVersion")) != VERSION:
            spoken = "no version" if version is None else f"version {clip(flat(str(version)), 20)}"
            problem = f"{self._name} speaks {spoken} of the Agent Client Protocol"
            raise Refused(f"{problem}; Folkmoot speaks version {VERSION}", kind="request")
        opened = await agent.request("session/new", cwd=folder, mcpServers=[])
        session = opened.get("sessionId")
        if not isinstance(session, str):
            raise Unreadable(f"{self._name} opened no session", kind="garbled")
        if mode := self._program.mode:
            modes = [known.get("id") for known in objects(as_object(opened.get("modes")).get("availableModes"))]
            self._check("mode", mode, modes)
            await agent.request("session/set_mode", sessionId=session, modeId=mode)
        if self._wanted:
            options = objects(opened.get("configOptions"))
            choice = next((option for option in options if option.get("category") == "model"), as_object(None))
            self._check("model", self._wanted, _values(choice.get("options")))
            await agent.request(
                "session/set_config_option", sessionId=session, configId=choice.get("id"), value=self._wanted
            )
        return session

    def _check(self, what: str, wanted: str, offered: Sequence[object]) -> None:
        """Refuse a mode or a model that the agent does not offer.

        Raises:
            Refused: it does not.
        """
        if wanted not in offered:
            hint = f"it offers {', '.join(map(str, offered[:20]))}" if offered else "it offers none"
            raise Refused(f"{self._name} has no {what} {wanted!r}; {hint}", kind="request")

    async def _send_prompt(self, agent: RpcProcess, session: str, request: Request) -> End:
        """Put the question; an agent whose time is up is told to stop before it is ended."""
        words = {"type": "text", "text": _as_text(request.messages)}
        try:
            ended = await agent.request("session/prompt", sessionId=session, prompt=[words])
        except asyncio.CancelledError:
            await agent.cancel("session/cancel", sessionId=session)
            raise
        if ended.get("stopReason") == "cancelled":
            raise Unavailable(f"{self._name} broke off its answer", kind="connection", again=True)
        used = as_object(ended.get("usage"))
        counts = [used.get(name) for name in ("cachedReadTokens", "inputTokens", "outputTokens")]
        cached, fresh, output = (count if isinstance(count, int) and count > 0 else 0 for count in counts)
        usage = Usage(input_tokens=fresh + cached, output_tokens=output, cached_tokens=cached)
        return End(usage=usage, served=self._wanted, finish=finish_of(ended.get("stopReason")))


class _Session:
    """What the agent says to us: words, signs of life, and requests, all of which are denied."""

    def __init__(self, speech: AnswerStream) -> None:
        self.speech = speech
        self._noted: list[ToolCall] = []
        self._more = 0

    def notified(self, method: str, params: Mapping[str, object]) -> None:
        """Take a piece of the answer; all else is a sign of life.

        Raises:
            Unreadable: the answer does not end.
        """
        update = as_object(params.get("update"))
        content = as_object(update.get("content"))
        kind, words = content.get("type"), content.get("text")
        if update.get("sessionUpdate") != "agent_message_chunk":
            self.speech.think()
        elif kind == "text" and isinstance(words, str):
            self.speech.hear(words)
        else:
            self._note("left out", f"{kind or 'something'} in the answer")

    def requested(self, method: str, params: Mapping[str, object]) -> Mapping[str, object] | None:
        """Deny it, a permission by the agent's own words for that where it has some."""
        self.speech.think()
        if method != "session/request_permission":
            self._note("denied", f"{method} {params.get('path') or params.get('command') or ''}")
            return None
        self._note("denied", str(as_object(params.get("toolCall")).get("title") or "something"))
        options = {str(option.get("kind")): option.get("optionId") for option in objects(params.get("options"))}
        chosen = options.get("reject_once") or options.get("reject_always")
        return {"outcome": {"outcome": "selected", "optionId": chosen} if chosen else {"outcome": "cancelled"}}

    def note_files(self, folder: str) -> None:
        """Note what stands in a folder that was empty."""
        if names := sorted(path.name for path in Path(folder).iterdir()):
            self._note("wrote", ", ".join(names), always=True)

    def notes(self) -> tuple[ToolCall, ...]:
        """What is noted, and how much more there was."""
        if self._more:
            self._note("denied", f"{self._more:,} more", always=True)
        return tuple(self._noted)

    def _note(self, what: str, of: str, *, always: bool = False) -> None:
        if len(self._noted) < MOST_NOTED or always:
            self._noted.append(ToolCall(id=f"{NOTE}{len(self._noted) + 1}", name=what, arguments=clip(flat(of), 300)))
        else:
            self._more += 1


def _values(options: object) -> list[Any]:
    """The values of an option, also where they stand in groups."""
    return [value for option in objects(options) for value in (_values(option.get("options")) or [option.get("value")])]


def _as_text(messages: Sequence[Message]) -> str:
    """The messages as one text."""
    heads = {"assistant": "Your answer was:\n"}
    parts = [heads.get(message.role, "") + message.text for message in messages if message.text]
    return "\n\n".join([WORDS_ONLY, *parts])
