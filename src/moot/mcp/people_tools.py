"""Tools of people. This file owns how an agent brings the words of a person to a debate."""

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from pydantic import Field

from moot.app.run.people import answer, asked, say
from moot.mcp.debate_tools import Id
from moot.mcp.tool_results import Answered
from moot.mcp.tool_server import Here, Server

Words = Annotated[str, Field(max_length=100_000, description="The words, as the person gave them.")]
Given: TypeAlias = str | int | float | bool | list[str]
Fields = Annotated[
    dict[str, Given] | None,
    Field(description="Fields of the answer by name, beside the words or instead of them; as waits_for lists them."),
]


@dataclass(frozen=True, slots=True)
class People:
    """The tools.

    Args:
        server: knows who calls.
    """

    server: Server

    async def answer_question(
        self,
        id: Id,
        words: Words,
        here: Here,
        who: Annotated[
            str, Field(max_length=200, description="Whose answer it is, where several are waited for.")
        ] = "",
        key: Annotated[str, Field(max_length=1000, description="The question, from waits_for; empty for any.")] = "",
        fields: Fields = None,
    ) -> Answered:
        """Answer, vote or moderate for a person who is waited for. Ask the person first; never make the answer up."""
        client = self.server.client(here)
        await client.check_own(id)
        turn = await asked(client.workspace, id, who)
        given = {name: tuple(each) if isinstance(each, list) else each for name, each in (fields or {}).items()}
        reply = await answer(client.workspace, id, words, who=who, key=key, fields=given or None)
        runs = await client.admission.answered(id)
        told: dict[str, Given] = {
            name: list(each) if isinstance(each, tuple) else each for name, each in reply.fields.items()
        }
        return Answered(by=turn.by, words=reply.text, fields=told, runs=runs)

    async def post_message(
        self,
        id: Id,
        words: Words,
        by: Annotated[str, Field(max_length=200, description="Who speaks; not the name of a participant.")],
        here: Here,
    ) -> Answered:
        """Speak up in a debate from outside; every participant hears it from the next question on."""
        client = self.server.client(here)
        await client.check_own(id)
        await say(client.workspace, id, by, words)
        return Answered(by=by, words=words, runs=(await client.runner.look(id)).sure)
