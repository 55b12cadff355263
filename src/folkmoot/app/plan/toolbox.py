"""The tools of participants: check the names in a brief, connect MCP servers, open search, retrieval and the others.

Also the packages beside Folkmoot that a debate uses for models, tools and protocols, and whether they are here.

A brief names tools; the user's settings say what they reach: search engine, embedding model, MCP servers. Neither a
person nor the built-in debater uses any, so a brief with tools can be tried without these settings.
"""

from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias, cast

from folkmoot.agents.toolkit import Tool, ToolResult, ToolUse
from folkmoot.app.plan.settings import Config, load_config, user_file
from folkmoot.core.ask import Fields, ToolSpec
from folkmoot.core.brief import BUILTIN, HUMAN, TOOLS, Brief, Participant, Source
from folkmoot.core.errors import BriefError, FolkmootError, PackageMissing, ProtocolError, ToolError
from folkmoot.core.event import Package
from folkmoot.core.extensions import (
    NO_OPTIONS,
    PROTOCOL,
    PROVIDER,
    TOOL,
    Offer,
    find,
    installed,
    options_for,
    with_options,
)
from folkmoot.core.extensions import offered as offered_names
from folkmoot.core.roles import RETRIEVER
from folkmoot.core.text import clip, listed
from folkmoot.models.names import PROVIDERS
from folkmoot.protocols.known import KNOWN
from folkmoot.protocols.spec import packages_in

if TYPE_CHECKING:
    from folkmoot.tools.mcp_client import ServerConnection
    from folkmoot.tools.web_search import SearchEngine

MCP = "mcp:"
"""What stands before the name of an MCP server, all of whose tools a participant gets."""

LONGEST_NOTE = 200
"""Characters of what an MCP server says of a tool, where it is shown to the owner."""

ToolProvider: TypeAlias = Callable[[Participant], Sequence[Tool]]
"""A participant to its tools."""


def no_tools(participant: Participant) -> Sequence[Tool]:
    """No tools for any participant."""
    return ()


def offered_tools(participant: Participant) -> tuple[str, ...]:
    """The names of a participant's tools; for an MCP server its own name, such as ``mcp:files``."""
    if _cannot_use_tools(participant):
        return ()
    opens = {"search": tuple(spec.name for spec in specs_of(("search",)))}
    return tuple(text for name in participant.tools for text in opens.get(name, (name,)))


def specs_of(names: Sequence[str]) -> tuple[ToolSpec, ...]:
    """What a model is told of the built-in tools of these names."""
    if not names:
        return ()
    from folkmoot.tools.condense import SCORER, SUMMARIZER  # here for start-up time, as all tools: few debates use any
    from folkmoot.tools.rag import SPEC
    from folkmoot.tools.web_search import OPEN_PAGE, SEARCH

    specs = {"search": (SEARCH, OPEN_PAGE), "rag": (SPEC,), "summarizer": (SUMMARIZER,), "scorer": (SCORER,)}
    return tuple(spec for name in names for spec in specs.get(name, ()))


def check_tools(brief: Brief, config: Config | None = None) -> None:
    """Check that the tools that the brief names can be used.

    Args:
        brief: the brief with agents assigned.
        config: the user's settings; None to load them if there are tools.

    Raises:
        BriefError: a tool that there is not, or that needs a setting, a library or documents which are missing.
    """
    people = _tool_users(brief)
    if not people:
        return
    config = config or load_config()
    for participant in people:
        for name in participant.tools:
            try:
                _check(name, brief, config)
            except BriefError as error:
                raise BriefError(
                    f"{participant.name}: {error.found}", code=error.code, about=participant.name
                ) from error


async def tool_notes(brief: Brief, config: Config | None = None) -> tuple[str, ...]:
    """Notes on the tools for the owner; MCP servers are started to list their tools.

    Raises:
        BriefError: an MCP server does not start, or its tools are not those that were pinned.
    """
    names = _names(brief)
    notes = list(_unused([participant for participant in brief.participants if _cannot_use_tools(participant)]))
    if not names:
        return tuple(notes)
    config = config or load_config()
    if "search" in names:
        notes.append(f"What participants search for goes to {_engine(config)}.")
    if "rag" in names and config.embeddings:
        notes.append(_embedding(brief, config.embeddings))
    for server in _servers(names):
        from folkmoot.tools.mcp_client import attach

        async with attach(config.mcp[server]) as line:
            notes.extend((*_left_out(line), *_pin_notes(line)))
    return tuple(notes)


@asynccontextmanager
async def open_tools(
    brief: Brief, config: Config | None = None, options: Fields = NO_OPTIONS
) -> AsyncGenerator[ToolProvider, None]:
    """The tools of a debate, as long as the block runs; what they share is made once and shared.

    Args:
        brief: the brief with agents assigned.
        config: the user's settings; None to load them if there are tools.
        options: those of extensions, under their full names.

    Raises:
        BriefError: what ``check_tools`` and ``tool_notes`` say.
    """
    names = _names(brief)
    if not names:
        yield no_tools
        return
    from folkmoot.tools.condense import Scorer, Summarizer
    from folkmoot.tools.embeddings import embedder
    from folkmoot.tools.fetch import Fetcher
    from folkmoot.tools.mcp_client import attach
    from folkmoot.tools.rag import Rag
    from folkmoot.tools.web_search import OpenPage, WebSearch

    config = config or load_config()
    check_tools(brief, config)
    async with AsyncExitStack() as stack:
        tools: dict[str, Sequence[Tool]] = {"summarizer": (Summarizer(),), "scorer": (Scorer(),)}
        if "search" in names:
            tools["search"] = (WebSearch(find_engine(config)), OpenPage(Fetcher()))
        if "rag" in names:
            vectors = embedder(config.embeddings) if config.embeddings else None
            if vectors:
                stack.push_async_callback(vectors.close)
            tools["rag"] = (Rag(searched_documents(brief), vectors),)
        for name in sorted(names - {*TOOLS}):
            if not name.startswith(MCP):
                tools[name] = (foreign_tool(name, options),)
        for server in _servers(names):
            line = await stack.enter_async_context(attach(config.mcp[server]))
            tools[f"{MCP}{server}"] = line.tools

        def give(participant: Participant) -> Sequence[Tool]:
            usable = () if _cannot_use_tools(participant) else participant.tools
            return tuple(tool for name in usable for tool in tools[name])

        yield give


def _tool_users(brief: Brief) -> list[Participant]:
    """The participants who have tools and can use them."""
    return [
        participant for participant in brief.participants if participant.tools and not _cannot_use_tools(participant)
    ]


def _cannot_use_tools(participant: Participant) -> bool:
    return (
        bool(participant.tools)
        and participant.seat != RETRIEVER
        and (participant.seat.startswith(BUILTIN) or participant.seat == HUMAN)
    )


def _names(brief: Brief) -> frozenset[str]:
    return frozenset(name for participant in _tool_users(brief) for name in participant.tools)


def _servers(names: frozenset[str]) -> list[str]:
    return sorted(name.removeprefix(MCP) for name in names if name.startswith(MCP))


def _check(name: str, brief: Brief, config: Config) -> None:
    if name == "search":
        find_engine(config)
    elif name == "rag":
        if not (brief.library or brief.background):
            raise BriefError("rag needs documents; name them under library or background", code="no_tool")
        from folkmoot.tools.embeddings import embedder

        price = embedder(config.embeddings).quote(()).cost if config.embeddings else 0.0
        if price is None and brief.limits.cost is not None:
            problem = f"a limit on cost needs known prices, and that of {config.embeddings} for vectors is unknown"
            raise BriefError(f"{problem}; limit the tokens", code="no_tool")
    elif name.startswith(MCP):
        if name.removeprefix(MCP) not in config.mcp:
            known = f"; there are {', '.join(config.mcp)}" if config.mcp else ""
            problem = f"there is no MCP server {name.removeprefix(MCP)!r}{known}"
            raise BriefError(f"{problem}; the owner sets them under mcp in {user_file()}", code="no_tool")
    elif name not in TOOLS:
        foreign_tool(name)


def foreign_tool(name: str, options: Fields = NO_OPTIONS) -> Tool:
    """A new tool of another package.

    Args:
        name: its name.
        options: those of a brief under their full names: ``tool_options.dice.most``.

    Raises:
        BriefError: no package offers it, several do, it cannot be made, or it does not take the options.
    """
    try:
        if (offer := find(TOOL, name)) is None:
            choices = ", ".join((*TOOLS, *offered_names(TOOL)))
            raise BriefError(f"there is no tool {name!r}; there are {choices} and mcp:NAME", code="bad_enum")
        make = offer.load(object)
        if not callable(make):
            raise offer.broken(f"it is not {TOOL.offers}")
        own = options_for(TOOL, name, options)
        try:
            tool = cast(Tool, with_options(make, own, whose=name, where=f"{TOOL.options}.{name}")())
            _ = tool.spec, tool.use
        except FolkmootError:
            raise
        except Exception as error:  # foreign code raises what it likes
            raise offer.broken(f"{type(error).__name__}: {error}") from error
    except ProtocolError as error:
        raise BriefError(str(error), code="bad_enum") from error
    return Foreign(tool, offer)


class Foreign:
    """A tool of another package: whatever it raises is a result for the model that names the package.

    Attributes:
        tool: the tool.
    """

    def __init__(self, tool: Tool, offer: Offer) -> None:
        self.tool, self._offer = tool, offer

    @property
    def spec(self) -> ToolSpec:
        """The tool as a model is told of it."""
        return self.tool.spec

    async def use(self, arguments: Mapping[str, object], tool_use: ToolUse) -> ToolResult:
        """Use it; see ``agents.toolkit.Tool``."""
        try:
            result = cast(object, await self.tool.use(arguments, tool_use))
        except FolkmootError:
            raise
        except Exception as error:  # foreign code raises what it likes
            raise ToolError(str(self._offer.broken(f"{type(error).__name__}: {error}"))) from error
        if not isinstance(result, ToolResult):
            raise ToolError(str(self._offer.broken(f"it gives {type(result).__name__}, not a ToolResult")))
        return result


def searched_documents(brief: Brief) -> tuple[Source, ...]:
    """The documents that ``rag`` searches."""
    return tuple(dict.fromkeys((*brief.library, *brief.background)))


def _embedding(brief: Brief, name: str) -> str:
    from folkmoot.tools.embeddings import LocalEmbeddings, embedder

    model = embedder(name)
    if isinstance(model, LocalEmbeddings):
        return f"{model.name} makes vectors of the documents on this machine; that takes no tokens and costs nothing."
    quote = model.quote([source.text for source in searched_documents(brief)])
    price = " at an unknown price" if quote.cost is None else f" for ${quote.cost:.4f}" if quote.cost else ""
    sentence = f"The documents go to {name}, which makes vectors of them"
    return f"{sentence}; that takes about {quote.tokens:,} tokens{price} beside those of the plan."


def find_engine(config: Config) -> "SearchEngine":
    """The owner's search engine.

    Raises:
        BriefError: there is none.
    """
    from folkmoot.tools.web_search import DuckDuckGo, Searxng, need_duckduckgo

    if config.search == "searxng" and not config.searxng_url:
        problem = f"search by SearXNG needs its address: set searxng_url in {user_file()}, or FOLKMOOT_SEARXNG_URL"
        raise BriefError(problem, code="no_tool")
    if config.searxng_url and config.search != "duckduckgo":
        return Searxng(config.searxng_url)
    try:
        need_duckduckgo()
    except BriefError as error:
        other = "" if config.search else "; or set FOLKMOOT_SEARXNG_URL to the address of a SearXNG"
        raise BriefError(f"{error}{other}", code="no_tool") from None
    return DuckDuckGo()


def _engine(config: Config) -> str:
    from folkmoot.tools.web_search import Searxng

    return f"the SearXNG at {config.searxng_url}" if isinstance(find_engine(config), Searxng) else "DuckDuckGo"


def _unused(idle: Sequence[Participant]) -> Iterator[str]:
    for seat in dict.fromkeys(participant.seat for participant in idle):
        names = [participant.name for participant in idle if participant.seat == seat]
        yield f"{listed(names)} {'uses' if len(names) == 1 else 'use'} no tools: {seat} cannot."


def _left_out(line: "ServerConnection") -> Iterator[str]:
    from folkmoot.tools.mcp_client import LONGEST_SCHEMA

    if line.left_out:
        sentence = f"{', '.join(line.left_out)} of the MCP server {line.server.name}"
        yield f"Nobody can use {sentence}: their input is described by more than {LONGEST_SCHEMA:,} characters of JSON."


def _pin_notes(line: "ServerConnection") -> Iterator[str]:
    if not line.server.pin:
        name, tools = line.server.name, ", ".join(tool.spec.name for tool in line.tools)
        yield f"The MCP server {name} is not pinned; it offers {tools or 'nothing'}."
        for tool in line.tools:
            yield f"{name} says of {tool.spec.name}: {clip(tool.told, LONGEST_NOTE) or 'nothing'}"
        yield f'To be warned when the tools of {name} change, set its pin to "{line.hash}".'


MODERATOR_TOOLS = tuple(name for name in TOOLS if name != "scorer")
"""What a tool agent may use, as far as it can be had: a search engine, documents."""


def can_use(participant: Participant, name: str, brief: Brief, config: Config) -> bool:
    """Whether a participant of the brief could use a tool of that name."""
    try:
        check_tools(replace(brief, participants=(replace(participant, tools=(name,)),)), config)
    except BriefError:
        return False
    return True


# ---- packages beside Folkmoot --------------------------------------------------------------------------------------------


def packages_of(brief: Brief, name: str, tree: Mapping[str, object]) -> tuple[Package, ...]:
    """The packages beside Folkmoot that a debate uses, with their versions.

    Args:
        brief: the brief with agents assigned.
        name: the name of the protocol.
        tree: its phase tree as data.
    """
    used: dict[str, Package] = {}
    for package in (*_offered(brief, name), *packages_in(tree)):
        known = used.setdefault(package.name, replace(package, version=package.version or installed(package.name)))
        used[package.name] = replace(known, used_for=tuple(dict.fromkeys((*known.used_for, *package.used_for))))
    return tuple(used.values())


def _offered(brief: Brief, name: str) -> Iterator[Package]:
    """The packages of a protocol, of models and of tools that are not built in."""
    names = [(PROTOCOL, name)] if name not in KNOWN else []
    for participant in brief.participants:
        seats = (participant.seat, *participant.fallback, participant.stand_in)
        words = [seat.partition(":")[0] for seat in seats if ":" in seat and participant.duty != "aide"]
        names += [(PROVIDER, word) for word in words if word not in PROVIDERS and word not in OURS]
        names += [(TOOL, tool) for tool in participant.tools if tool not in TOOLS and ":" not in tool]
    for kind, word in dict.fromkeys(names):
        if offer := find(kind, word):
            yield offer.used()


OURS = ("builtin", "guest")
"""What stands before the colon of seats that no provider answers for."""


def changed_packages(packages: Sequence[Package]) -> list[str]:
    """Which packages of a debate on record are here in another version, a sentence each."""
    installed_now = [(package, installed(package.name)) for package in packages]
    return [
        f"{package.name} is {version} here; the debate began with {package.version}"
        for package, version in installed_now
        if version and package.version and version != package.version
    ]


def check_packages(packages: Sequence[Package]) -> None:
    """Make sure that the packages of the models and tools of a debate on record are there.

    Raises:
        PackageMissing: one is not.
    """
    for package in packages:
        needs = [use for use in package.used_for if use.startswith((PROVIDER.name, TOOL.name))]
        if needs and not installed(package.name):
            raise PackageMissing(f"the debate needs {package} for its {listed(needs)}; that package is not installed")
