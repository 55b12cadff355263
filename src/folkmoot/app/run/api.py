"""The public functions of ``folkmoot``: run a debate, resume, show and list, each to be awaited or called.

``folkmoot.debate`` and ``folkmoot.run`` are one function in two forms, and so are ``aresume`` and ``resume``, ``ashow`` and
``show``, ``alist`` and ``list``. What a program passes is checked here, once, before anything is done.

``block`` is how programs without an event loop wait for asynchronous work.
"""

import asyncio
import inspect
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import wraps
from pathlib import Path
from typing import Literal, ParamSpec, TypeAlias, TypeVar, cast

from folkmoot.app.brief.default_participants import USUAL, debaters
from folkmoot.app.brief.program_values import Brief as LoadedBrief
from folkmoot.app.brief.program_values import fit, shown
from folkmoot.app.brief.reader import ParsedBrief, read_brief, read_file
from folkmoot.app.plan.checks import check_limits, check_number, check_topic
from folkmoot.app.plan.own_agents import ALLOWED
from folkmoot.app.plan.settings import StorePlace, default_store, load_config
from folkmoot.app.run.outcome import Listed, Outcome, list_one
from folkmoot.app.run.prepare import Overrides, prepare
from folkmoot.app.run.record_reader import list_query
from folkmoot.app.run.start import run_start
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import GUEST, Brief, Limits, Participant
from folkmoot.core.decision import ListStatus
from folkmoot.core.errors import BriefError, FolkmootError
from folkmoot.core.event import Entry
from folkmoot.core.text import unknown_word
from folkmoot.engine.driver import StopRequest

T = TypeVar("T")
P = ParamSpec("P")

Strategy: TypeAlias = (
    Literal[
        "",
        "majority",
        "plurality",
        "weighted",
        "consensus",
        "unanimous",
        "absolute",
        "supermajority",
        "borda",
        "approval",
        "copeland",
        "schulze",
        "instant_runoff",
        "moderator",
        "judge",
        "vote",
        "vote_based",
        "agent_closing",
        "mediator_summary",
        "ranked_reasons",
        "no_consensus",
    ]
    | str
)
"""How a debate can be decided; a protocol takes some of these."""

Cast: TypeAlias = Literal["", "builtin", "new"]
"""Who takes part where the brief describes nobody; see ``debate``."""

BriefLike: TypeAlias = Brief | Path | str
"""A brief, the path of one, or the text of one; a question is one, too."""

LimitsLike: TypeAlias = Limits | Mapping[str, float | None]
"""Limits that replace all others, or a dictionary of those that are set otherwise: ``{"cost": 0.5}``."""

_ENDINGS = (".md", ".markdown", ".txt")


def run_blocking(work: Coroutine[object, object, T], instead: str) -> T:
    """Run a coroutine in a program without an event loop.

    Args:
        work: the coroutine.
        instead: what can be awaited where a loop is running, such as ``folkmoot.debate``.

    Raises:
        FolkmootError: an event loop is running; nothing was done.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    work.close()
    raise FolkmootError(f"an event loop is running: await {instead}(…) there")


def _blocking(work: Callable[P, Coroutine[object, object, T]], name: str, words: str) -> Callable[P, T]:
    """A function to be awaited as one to be called, in a program without an event loop.

    Args:
        work: the function.
        name: what the other form is called.
        words: the first sentence of its documentation.
    """

    @wraps(work)
    def call(*args: P.args, **options: P.kwargs) -> T:
        _check_names(work, name, options)
        return run_blocking(work(*args, **options), f"folkmoot.{work.__name__}")

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{words}\n{(work.__doc__ or '').partition(chr(10))[2]}"
    return call


def _awaited(work: Callable[P, Coroutine[object, object, T]]) -> Callable[P, Coroutine[object, object, T]]:
    """A public function to be awaited, which says of an argument that does not exist what there is."""

    @wraps(work)
    async def call(*args: P.args, **options: P.kwargs) -> T:
        _check_names(work, work.__name__, options)
        return await work(*args, **options)

    return call


def _check_names(work: Callable[..., object], name: str, options: Iterable[str]) -> None:
    """Check that a public function has these arguments.

    Raises:
        TypeError: it lacks one, as Python says it of every function.
    """
    known = tuple(inspect.signature(work).parameters)
    for word in options:
        if word not in known:
            raise TypeError(f"folkmoot.{name} has no argument {word[:60]!r}; {unknown_word(word, known)}")


# ---- what a program passes -----------------------------------------------------------------------------------------


def read_brief_argument(brief: BriefLike) -> ParsedBrief:
    """Read the argument ``brief``: a Brief, the path of a brief, or its text.

    A text of one line that looks like the path of a file is one: no question ends with ``.md``.

    Raises:
        BriefError: there is no such file, the brief has a mistake, or it is nothing of that kind.
    """
    if isinstance(brief, Path):
        return read_file(brief)
    if isinstance(brief, str):
        if not _is_path(brief):
            return read_brief(brief, folder=Path())
        if not Path(brief).exists():
            raise BriefError("there is no such file", where=brief.strip(), code="no_file")
        return read_file(Path(brief))
    if not isinstance(brief, Brief):  # pyright: ignore[reportUnnecessaryIsInstance]
        allowed = "a question, the text or the path of a brief, or a folkmoot.Brief"
        raise BriefError(f"brief is {shown(brief)}; it must be {allowed}", code="wrong_type")
    if isinstance(brief, LoadedBrief) and brief.file is not None:
        same = brief.participants == brief.file.brief.participants
        return replace(brief.file, brief=brief, vacant=brief.file.vacant if same else 0)
    vacant = 0 if brief.participants else USUAL
    brief = replace(brief, participants=brief.participants or debaters())
    return ParsedBrief(
        brief=brief,
        kind="text",
        given={"topic": brief.topic},
        vacant=vacant,
    )


def _is_path(words: str) -> bool:
    """Whether a text is the path of a file and not a question."""
    line = words.strip()
    return "\n" not in line and (line.lower().endswith(_ENDINGS) or ("/" in line and " " not in line))


def _limits(limits: LimitsLike | None, usual: Limits) -> Limits:
    """The limits: those given in a dictionary replace the usual ones."""
    if limits is None:
        return usual
    fitting = fit(limits, Limits, "limits")
    allowed = fitting if isinstance(limits, Limits) else replace(usual, **{n: getattr(fitting, n) for n in limits})
    check_limits(allowed)
    return allowed


def _word(name: str, value: object, words: Sequence[str] = ()) -> str:
    """A text; one of some words where there are any."""
    if not isinstance(value, str):
        raise BriefError(f"{name} is {shown(value)}; it must be a text", code="wrong_type")
    if words and value and value not in words:
        raise BriefError(f"{name} is {value[:60]!r}; {unknown_word(value, words)}", code="bad_enum")
    return value


def _generation(name: str, value: object) -> Cast:
    if not isinstance(value, str):
        own = "your own stand in a brief: folkmoot.Brief(topic=…, participants=[…])"
        raise BriefError(f"{name} must be 'builtin' or 'new'; {own}", code="wrong_type")
    return cast("Cast", _word(name, value, ("builtin", "new")))


def _models(workspace: Workspace, model: object, people: Sequence[Participant]) -> tuple[str, ...]:
    """The names of models; agents of the program are registered under their own names.

    Functions of one factory have one name, and a participant may have it too: then a number makes it another one.
    """
    agent_of: dict[str, object] = {participant.seat.removeprefix(GUEST): None for participant in people}
    models = cast("Sequence[object]", model) if isinstance(model, list | tuple) else (model,) if model else ()
    names: list[str] = []
    for n, model_or_agent in enumerate(models, start=1):
        if isinstance(model_or_agent, str):
            names.append(model_or_agent)
        elif model_or_agent is None or isinstance(model_or_agent, bool | int | float):
            raise BriefError(
                f"model is {shown(model_or_agent)}; it must be provider:name, or {ALLOWED}", code="wrong_type"
            )
        else:
            word = getattr(model_or_agent, "__name__", "")
            word = word if word.isidentifier() else f"model {n}"
            free = (word, *(f"{word} {k}" for k in range(2, len(agent_of) + 2)))
            name = next(name for name in free if name not in agent_of or agent_of[name] is model_or_agent)
            agent_of[name] = model_or_agent
            names.append(workspace.register(name, model_or_agent))
    return tuple(names)


def _register_again(workspace: Workspace, agents: Mapping[str, object], people: Sequence[Participant]) -> None:
    """Register agents of the program under the names under which they answered for the participants of a record.

    Raises:
        BriefError: they are no mapping of names, one cannot answer, or two are given for participants who had one.
    """
    if not isinstance(agents, Mapping) or not all(isinstance(name, str) for name in agents):  # pyright: ignore[reportUnnecessaryIsInstance]
        problem = f"agents is {shown(agents)}; it must be a dictionary of names and agents"
        raise BriefError(problem, code="wrong_type")
    seats = {participant.name: participant.seat for participant in people if participant.seat.startswith(GUEST)}
    agent_of: dict[str, object] = {}
    for name, agent in agents.items():
        seat = name if f"{GUEST}{name}" in seats.values() else seats.get(name, name).removeprefix(GUEST)
        if seat not in agent_of or agent_of[seat] != agent:  # a method is another object each time, but equal
            workspace.register(seat, agent)
            agent_of[seat] = agent


Tell: TypeAlias = Callable[[Entry], object]
"""Is told of each entry of the record once it is stored."""


@dataclass(slots=True)
class Listener:
    """Calls a function of a program with each stored entry. An error in it pauses the debate and is then raised."""

    tell: Tell | None
    stop: StopRequest = field(default_factory=StopRequest)
    error: Exception | None = None

    def __post_init__(self) -> None:
        if self.tell is not None and (not callable(self.tell) or inspect.iscoroutinefunction(self.tell)):
            problem = f"on_event is {shown(self.tell)}; it must be a plain function of one entry"
            raise BriefError(problem, code="wrong_type")

    def take(self, debate: str, entries: Sequence[Entry]) -> None:
        """See Watcher."""
        for entry in entries:
            if self.tell is None or self.error is not None:
                return
            try:
                self.tell(entry)
            except Exception as error:  # noqa: BLE001 # the program's own error is raised later
                self.error = error
                self.stop.reason = f"on_event raised {type(error).__name__}"

    def end(self, debate: str) -> None:
        """See Watcher."""

    async def during(self, workspace: Workspace, running: Coroutine[object, object, Outcome]) -> Outcome:
        """Call the function while a debate runs."""
        workspace.watchers.each.append(self)
        outcome = await running
        if self.error is not None:
            raise self.error
        return outcome


@asynccontextmanager
async def _open_store(store: StorePlace | None, *, reading: bool = False) -> AsyncGenerator[Workspace, None]:
    """A workspace with the user's settings."""
    if not (store is None or isinstance(store, Path | str) or (hasattr(store, "append") and hasattr(store, "read"))):
        problem = f"store is {shown(store)}; it must be the path of a file, the address of a database, or an open store"
        raise BriefError(problem, code="wrong_type")
    config = load_config()
    workspace = Workspace.at(store or config.store or default_store(), reading=reading)
    workspace.config = config
    try:
        yield workspace
    finally:
        await workspace.close()


# ---- the functions -------------------------------------------------------------------------------------------------


@_awaited
async def debate(
    brief: BriefLike,
    *,
    model: object = (),
    protocol: str = "",
    strategy: Strategy = "",
    rounds: int | None = None,
    options: Sequence[str] = (),
    seed: int | None = None,
    limits: LimitsLike | None = None,
    participants: Cast = "",
    store: StorePlace | None = None,
    on_event: Tell | None = None,
) -> Outcome:
    """Run a debate to its end, or until it pauses; ``folkmoot.run`` is the same for programs without an event loop.

    Args:
        brief: a Brief, the path of a brief, or the text of one; a question is one, too.
        model: who answers for those without a model of their own: ``provider:name``, a function ``str -> str``, a
            PydanticAI ``Agent`` or a LangChain chat model; or several that are taken in turn. Empty for the brief's
            or the user's default.
        protocol: its name; "" for the brief's.
        strategy: how it is decided; "" for the brief's or the protocol's.
        rounds: the greatest number of rounds; None for the brief's or the protocol's.
        options: the closed set of answers; empty for the brief's.
        seed: the random seed; None for the brief's.
        limits: what the debate may use: Limits in the place of the brief's, or a dictionary of some of them.
        participants: where the brief describes none: ``builtin`` for the built-in ones; "" to have a language model
            generate them first, in a debate of its own on record (its id begins with ``cast-``), or to take those
            that the same model generated earlier for the same topic and background; ``new`` to generate others. An
            agent of the program generates nobody unless this says ``new``.
        store: the record's file, its database's address, or an open store; None for the user's default.
        on_event: is called with each entry of the record once it is stored. An error in it pauses the debate and is
            raised.

    Returns:
        The outcome of the debate, or of the one that generates its participants where that one has paused.

    Raises:
        BriefError: the brief, a model or a setting cannot be used.
        ProtocolError: the protocol cannot run with these participants.
    """
    parsed, listener = read_brief_argument(brief), Listener(on_event)
    overrides = Overrides(
        protocol=_word("protocol", protocol),
        strategy=_word("strategy", strategy),
        rounds=None if rounds is None else check_number("rounds", rounds),
        seed=None if seed is None else check_number("seed", seed),
        cast=_generation("participants", participants),
    )
    limited = replace(
        parsed.brief, limits=_limits(limits, parsed.brief.limits), options=options or parsed.brief.options
    )
    async with _open_store(store) as workspace:
        parsed = replace(parsed, brief=workspace.store_agents(limited))
        check_topic(parsed.brief.topic)
        models = _models(workspace, model, parsed.brief.participants)
        own = (
            not overrides.cast and bool(models) and models[0].startswith(GUEST)
        )  # a function debates, it invents nobody
        overrides = replace(overrides, models=models, cast="builtin" if own else overrides.cast)
        start = await prepare(workspace, parsed, overrides, workspace.config)
        running = run_start(workspace, start, workspace.new_id(start.plan), stop=listener.stop)
        return await listener.during(workspace, running)


@_awaited
async def aresume(
    debate: str,
    *,
    limits: LimitsLike | None = None,
    agents: Mapping[str, object] | None = None,
    store: StorePlace | None = None,
    on_event: Tell | None = None,
) -> Outcome:
    """Resume a debate where its record ends; ``folkmoot.resume`` is the same for programs without an event loop.

    No finished answer is asked or paid for again. A debate that is over is only read.

    Args:
        debate: its id, the beginning of it or of its random characters, ``last``, or ``last~1``.
        limits: what it may use in total, what it has used included: Limits in the place of the brief's, or a dictionary
            of some of them.
        agents: who answers from within the program, by the names under which they did: participants' names, or a
            function's own.
        store: the record's file, its database's address, or an open store; None for the user's default.
        on_event: is called with each new entry of the record; see ``folkmoot.debate``.

    Returns:
        The outcome.

    Raises:
        RecordError: there is no such debate, or its record is damaged.
        RecordConflict: another process runs it.
        BriefError: an argument cannot be used, or an agent of the program is missing.
    """
    listener = Listener(on_event)
    async with _open_store(store) as workspace:
        name = await workspace.find(_word("debate", debate))
        brief = (await workspace.outcome(name)).transcript.brief
        _register_again(workspace, {} if agents is None else agents, brief.participants if brief else ())
        usual = brief.limits if brief else Limits()
        allowed = None if limits is None else _limits(limits, usual)
        running = workspace.resume(name, limits=allowed, stop=listener.stop)
        return await listener.during(workspace, running)


@_awaited
async def ashow(debate: str, *, store: StorePlace | None = None) -> Outcome:
    """The outcome of a debate as its record is now; ``folkmoot.show`` is the same for programs without an event loop.

    Args:
        debate: its id, the beginning of it or of its random characters, ``last``, or ``last~1``.
        store: the record's file, its database's address, or an open store; None for the user's default.

    Raises:
        RecordError: there is no such debate, or its record is damaged.
    """
    async with _open_store(store, reading=True) as workspace:
        return await workspace.outcome(await workspace.find(_word("debate", debate)))


@_awaited
async def alist(
    *,
    status: ListStatus | Literal[""] = "",
    search: str = "",
    limit: int | None = None,
    helpers: bool = False,
    store: StorePlace | None = None,
) -> tuple[Listed, ...]:
    """The debates of a store, the newest first; ``folkmoot.list`` is the same for programs without an event loop.

    Args:
        status: only those that ended so: ``decided``, ``tie``, ``no_decision``, ``failed``, ``paused``, ``open``,
            ``damaged``; "" for any.
        search: only those whose id, topic or protocol contains these words.
        limit: the most to return; None for all.
        helpers: whether the debates in which participants were generated are there too.
        store: the record's file, its database's address, or an open store; None for the user's default.

    Raises:
        RecordError: the store cannot be read.
    """
    query = list_query(status=_word("status", status), search=_word("search", search), limit=limit, helpers=helpers)
    async with _open_store(store, reading=True) as workspace:
        page = (await workspace.page(query)).debates
        stale = await workspace.stale_among(page)
        return tuple(replace(list_one(summary), stale=summary.debate in stale) for summary in page)


run = _blocking(debate, "run", "Run a debate to its end, or until it pauses; ``folkmoot.debate`` is to be awaited.")
resume = _blocking(aresume, "resume", "Resume a debate where its record ends; ``folkmoot.aresume`` is to be awaited.")
show = _blocking(ashow, "show", "The outcome of a debate as its record is now; ``folkmoot.ashow`` is to be awaited.")
list_debates = _blocking(alist, "list", "The debates of a store, newest first; ``folkmoot.alist`` is to be awaited.")
