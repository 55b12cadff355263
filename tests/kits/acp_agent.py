"""An agent of the Agent Client Protocol, made with the official library, that behaves as its first argument says."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

from acp import (
    InitializeResponse,
    NewSessionResponse,
    PromptResponse,
    RequestError,
    SetSessionModeResponse,
    run_agent,
    update_agent_message_text,
    update_agent_thought_text,
)
from acp.schema import (
    PermissionOption,
    SessionConfigOptionSelect,
    SessionConfigSelectOption,
    SessionMode,
    SessionModeState,
    SetSessionConfigOptionResponse,
    ToolCallUpdate,
    Usage,
)


class Agent:
    """One agent; what it does is written to the file that its second argument names, what it says is the third."""

    def __init__(self, manner: str, log: Path, words: str) -> None:
        self.manner, self.log, self.words = manner, log, words
        self.client: Any = None
        self.cancelled = asyncio.Event()
        self.mode, self.model = "", ""

    def note(self, words: str) -> None:
        with self.log.open("a", encoding="utf-8") as file:
            file.write(words + "\n")

    def on_connect(self, conn: Any) -> None:
        self.client = conn

    async def initialize(self, protocol_version: int, client_capabilities: Any = None, **_: Any) -> InitializeResponse:
        self.note(f"files {client_capabilities.fs.read_text_file} {client_capabilities.fs.write_text_file}")
        self.note(f"terminal {client_capabilities.terminal} secret {os.environ.get('SECRET', '-')}")
        return InitializeResponse(protocol_version=protocol_version)

    async def new_session(self, cwd: str, **_: Any) -> NewSessionResponse:
        if self.manner == "locked":
            raise RequestError.auth_required()
        self.note(f"folder {os.listdir(cwd)}")
        choices = [SessionConfigSelectOption(name=name, value=name) for name in ("big", "small")]
        return NewSessionResponse(
            session_id="s1",
            modes=SessionModeState(
                current_mode_id="write",
                available_modes=[SessionMode(id="write", name="Write"), SessionMode(id="plan", name="Plan")],
            ),
            config_options=[
                SessionConfigOptionSelect(
                    id="m", name="Model", category="model", type="select", current_value="big", options=choices
                )
            ],
        )

    async def set_session_mode(self, session_id: str, mode_id: str, **_: Any) -> SetSessionModeResponse:
        self.mode = mode_id
        return SetSessionModeResponse()

    async def set_config_option(
        self, config_id: str, session_id: str, value: Any, **_: Any
    ) -> SetSessionConfigOptionResponse:
        self.model = f"{config_id}={value}"
        return SetSessionConfigOptionResponse(config_options=[])

    async def cancel(self, session_id: str, **_: Any) -> None:
        self.note("cancelled")
        self.cancelled.set()

    async def prompt(self, session_id: str, prompt: Any, **_: Any) -> PromptResponse:
        self.note(f"mode {self.mode} {self.model}".rstrip())
        await self.client.session_update(session_id, update_agent_thought_text("Hm."))
        if self.manner == "silent":
            await self.cancelled.wait()
            return PromptResponse(stop_reason="cancelled")
        if self.manner == "dies":
            os._exit(3)
        if self.manner == "breaks":
            raise RequestError.internal_error()
        if self.manner == "stops":
            return PromptResponse(stop_reason="cancelled")
        if self.manner == "refuses":
            return PromptResponse(stop_reason="refusal")
        if self.manner in ("asks", "asks-only"):
            await self.ask(session_id)
        for piece in (self.words[:8], self.words[8:]):
            await self.client.session_update(session_id, update_agent_message_text(piece))
        counted = Usage(total_tokens=30, input_tokens=20, output_tokens=10) if self.manner == "counts" else None
        return PromptResponse(stop_reason="max_tokens" if self.manner == "long" else "end_turn", usage=counted)

    async def ask(self, session_id: str) -> None:
        kinds: dict[str, Any] = (
            {"a": "allow_once", "r": "reject_once"} if self.manner == "asks" else {"a": "allow_always"}
        )
        options: Any = [PermissionOption(option_id=option, name=option, kind=kind) for option, kind in kinds.items()]
        call = ToolCallUpdate(tool_call_id="t1", title="rm -rf x")
        answer = await self.client.request_permission(session_id=session_id, tool_call=call, options=options)
        self.note(f"permission {answer.outcome.outcome} {getattr(answer.outcome, 'option_id', '')}".rstrip())
        try:
            await self.client.write_text_file(session_id=session_id, path="/tmp/x", content="x")
        except RequestError as error:
            self.note(f"write {error}")
        os.close(os.open("left-behind.txt", os.O_CREAT))


if __name__ == "__main__":
    agent: Any = Agent(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
    asyncio.run(run_agent(agent, use_unstable_protocol=True))
