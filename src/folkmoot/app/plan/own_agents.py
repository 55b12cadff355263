"""Agents of a program: functions and agents of other packages become models of a pool (``folkmoot.register``).

No package is imported to recognise its objects: an object can be one of a package's own only if that package is loaded
already.
"""

import inspect
import sys
from types import FunctionType
from typing import TYPE_CHECKING, cast

from folkmoot.core.brief import GUEST
from folkmoot.core.errors import BriefError
from folkmoot.models.base import Model
from folkmoot.models.pool import Pool

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from pydantic_ai.agent import AbstractAgent

ALLOWED = (
    "a function that takes one str and returns a str (async or plain), a PydanticAI Agent or a LangChain chat model"
)
"""What can be registered, in words."""


def register(pool: Pool, name: str, agent: object) -> str:
    """Register an agent of another package, or a function.

    Args:
        pool: the models of the workspace that runs the debate.
        name: the name of the agent; each agent in a pool needs a name of its own.
        agent: an async or plain function ``str -> str``, a PydanticAI ``Agent`` or a LangChain ``BaseChatModel``.

    Returns:
        The value for ``Participant.seat``: ``guest:name``.

    Raises:
        BriefError: the agent is nothing that can be a guest, or another one has that name.
    """
    pool.add_agent(name, adapter(name, agent))
    return f"{GUEST}{name}"


def adapter(name: str, agent: object) -> Model:
    """The agent as a model called ``guest:name``.

    Raises:
        BriefError: it is nothing that can be a guest.
    """
    if not name.strip():
        raise BriefError("an agent needs a name", code="bad_name")
    if isinstance(agent, type):
        raise BriefError(f"{name} is the class {agent.__name__}; pass an object of it", code="bad_agent")
    if _is_a(agent, "langchain_core.language_models.chat_models", "BaseChatModel"):
        from folkmoot.models.custom_langchain import ChatModel  # here for start-up time: few programs have agents

        return ChatModel(name, cast("BaseChatModel", agent))
    if _is_a(agent, "pydantic_ai.agent.abstract", "AbstractAgent"):
        return _agent(name, cast("AbstractAgent[None, str]", agent))
    if not callable(agent):
        raise BriefError(f"{name} is an object of type {type(agent).__name__}; an agent is {ALLOWED}", code="bad_agent")
    if not _takes_text(agent):
        raise BriefError(f"{name} cannot be called with one text; an agent is {ALLOWED}", code="bad_agent")
    from folkmoot.models.custom import FunctionAgent

    return FunctionAgent(name, agent)


def _is_a(agent: object, module: str, name: str) -> bool:
    """Whether the agent is an object of that class; it cannot be where the module is not loaded."""
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(agent, kind)


def _agent(name: str, agent: "AbstractAgent[None, str]") -> Model:
    if agent.output_type is not str:
        kind = getattr(agent.output_type, "__name__", str(agent.output_type))
        raise BriefError(f"{name} returns an object of type {kind}; an agent must return a str", code="bad_agent")
    from folkmoot.models.custom_pydantic_ai import PydanticAgent

    return PydanticAgent(name, agent)


def _takes_text(agent: object) -> bool:
    """Whether a function can be called with one argument, as far as it says what it takes."""
    if isinstance(agent, FunctionType) and (agent.__code__.co_argcount, agent.__code__.co_kwonlyargcount) == (1, 0):
        return True  # as most are; to look at a signature takes longer than all else that is done with an agent
    try:
        signature = inspect.signature(agent)  # pyright: ignore[reportArgumentType]
    except ValueError:
        return True
    try:
        signature.bind("")
    except TypeError:
        return False
    return True
