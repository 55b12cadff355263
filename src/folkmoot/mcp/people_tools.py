"""MCP tools for people: answer a question for a person, and send a message to a debate."""

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from pydantic import Field

from folkmoot.app.run.people import answer, open_ask_for, say
from folkmoot.core.errors import FolkmootError
from folkmoot.mcp.debate_tools import Id
from folkmoot.mcp.tool_results import AnsweredResult
from folkmoot.mcp.tool_server import Here, Server

Words = Annotated[str, Field(max_length=100_000, description="The words, exactly as the person gave them.")]
Given: TypeAlias = str | int | float | bool | list[str]
Fields = Annotated[
    dict[str, Given] | None,
    Field(
        description="Fields of the answer by name, in addition to the words or instead of them; waits_for lists them."
    ),
]


@dataclass(frozen=True, slots=True)
class PeopleTools:
    """The tools for people.

    Args:
        server: knows which client calls.
    """

    server: Server

    async def answer_question(
        self,
        id: Id,
        words: Words,
        here: Here,
        who: Annotated[
            str, Field(max_length=200, description="Whose answer this is, if the debate waits for several people.")
        ] = "",
        key: Annotated[
            str, Field(max_length=1000, description="The key of the question, from waits_for; empty for any.")
        ] = "",
        fields: Fields = None,
    ) -> AnsweredResult:
        """Answer, vote or moderate for a person. Ask this person first; never invent the answer."""
        client = self.server.client(here)
        await client.check_own(id)
        turn = await open_ask_for(client.workspace, id, who)
        values = {name: tuple(value) if isinstance(value, list) else value for name, value in (fields or {}).items()}
        reply = await answer(client.workspace, id, words, who=who, key=key, fields=values or None)
        runs = await client.admission.resume_answered(id)
        stored: dict[str, Given] = {
            name: list(value) if isinstance(value, tuple) else value for name, value in reply.fields.items()
        }
        return AnsweredResult(by=turn.by, words=reply.text, fields=stored, runs=runs)

    async def post_message(
        self,
        id: Id,
        words: Words,
        by: Annotated[str, Field(max_length=200, description="The sender's name; not the name of a participant.")],
        here: Here,
    ) -> AnsweredResult:
        """Send a message to a debate as a viewer; every participant sees it from the next question on."""
        client = self.server.client(here)
        await client.check_own(id)
        if client.runner.generation_of(id) and not await client.workspace.store.read(id, limit=1):
            raise FolkmootError(f"the participants of {id} are still being generated; send the message when it runs")
        await say(client.workspace, id, by, words)
        return AnsweredResult(by=by, words=words, runs=(await client.runner.running_state(id)).sure)
