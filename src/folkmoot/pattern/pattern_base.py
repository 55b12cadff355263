"""What all patterns share: debaters, models, workspace, and waiting for the result.

A pattern translates arguments into a plan, and a transcript into a dictionary. The workspace does everything between.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar, cast

from folkmoot.app.brief.names import check_name, skeleton
from folkmoot.app.brief.program_values import plain
from folkmoot.app.plan.settings import StorePlace
from folkmoot.app.program.program_agents import ProgramAgents
from folkmoot.app.program.program_calls import Tell, run_recorded
from folkmoot.app.run.api import run_blocking
from folkmoot.app.run.outcome import Outcome, opening
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.brief import GUEST, Brief, Limits, Participant
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Entry, Opened
from folkmoot.report.gaps import gaps, in_sentences

Debater: TypeAlias = Mapping[str, str] | Participant
"""A mapping with ``name``, ``role`` and ``system_prompt``, or a participant with a seat of its own."""

KEYS = ("name", "role", "system_prompt")
"""The documented keys of a debater; only ``system_prompt`` may be missing."""


def debaters_of(debater_list: object, *, beside: Sequence[str] = ()) -> tuple[Participant, ...]:
    """The debaters as participants, in their order.

    Args:
        debater_list: what a caller gave.
        beside: names that are taken.

    Raises:
        BriefError: nobody is described, or somebody without a name of its own, without a role, or with unknown keys.
    """
    if not isinstance(debater_list, Sequence) or isinstance(debater_list, str) or not debater_list:
        shown = _short(cast("object", debater_list))
        problem = f"debaters is {shown}; it must be a list of {{'name': …, 'role': …, 'system_prompt': …}}"
        raise BriefError(problem, code="wrong_type")
    people = tuple(_debater(n, value) for n, value in enumerate(cast("Sequence[object]", debater_list), start=1))
    names = {skeleton(name): name for name in beside}
    for participant in people:
        if other := names.get(skeleton(participant.name)):
            problem = f"the name {participant.name!r} is taken by {other!r}; each participant needs a name of its own"
            raise BriefError(problem, code="duplicate_name")
        names[skeleton(participant.name)] = participant.name
    return people


def described(people: Sequence[Participant]) -> list[dict[str, str]]:
    """The participants with the documented keys."""
    return [
        {"name": participant.name, "role": participant.role, "system_prompt": participant.persona}
        for participant in people
    ]


def _debater(n: int, debater: object) -> Participant:
    if isinstance(debater, Participant):
        entry: Mapping[object, object] = {"name": debater.name, "role": debater.role, "system_prompt": debater.persona}
    elif isinstance(debater, Mapping):
        entry = cast("Mapping[object, object]", debater)
    else:
        raise BriefError(f"debater {n} is {_short(debater)}; it must be a mapping with {_listed()}", code="wrong_type")
    if unknown := [key for key in entry if key not in KEYS]:
        raise BriefError(f"debater {n} has the key {unknown[0]!r}; there are {_listed()}", code="unknown_key")
    for key in KEYS:
        value = entry.get(key, "")
        if not isinstance(value, str) or (key != "system_prompt" and not value.strip()):
            problem = f"debater {n} has {'no' if key not in entry else 'a wrong'} {key}; it must be a text"
            raise BriefError(problem, code="wrong_type")
    name = check_name(str(entry["name"]))
    if isinstance(debater, Participant):
        return debater if debater.name == name and debater.duty == "debater" else _refuse(debater)
    return Participant(name=name, role=str(entry["role"]).strip(), persona=str(entry.get("system_prompt", "")).strip())


def _refuse(participant: Participant) -> Participant:
    problem = (
        f"the participant {participant.name!r} cannot debate here: "
        "its duty must be debater, its name without extra blanks"
    )
    raise BriefError(problem, code="inconsistent")


def _listed() -> str:
    return ", ".join(KEYS)


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:60]}…"


Planner: TypeAlias = Callable[[Workspace, Brief, str], Awaitable[Plan]]
"""Makes a plan in a workspace out of a brief, with the seat of all who have none of their own."""

S = TypeVar("S")


class Result(dict[str, Any], Generic[S]):
    """The outcome of a pattern: a dictionary with the documented keys.

    Attributes:
        outcome: what came of the debate, with its id, its usage and all that was said.
        warnings: what went wrong, one sentence each: missing answers, forms that could not be read.
    """

    outcome: Outcome
    warnings: tuple[str, ...]

    def __init__(self, state: S, outcome: Outcome) -> None:
        super().__init__(cast("Mapping[str, object]", state))
        self.outcome = outcome
        self.warnings = in_sentences(gaps(outcome.transcript))

    @property
    def data(self) -> S:
        """The same mapping with a type for each key, for type checkers."""
        return cast("S", self)


R = TypeVar("R", bound=Result[Any])


class PatternBase(ABC, Generic[R]):
    """What all patterns have: their model, their store and limits, and how a run of theirs is resumed.

    Args:
        model: a model of OpenAI's by its name, or ``provider:name`` (``ollama:llama3.2``).
        llm: a LangChain chat model, or any agent that can be seated; it goes before ``model``.
        store: the record's file, its database's address, or an open store; None for the owner's.
        limits: what one run may use; None for the usual limits.
    """

    protocol: ClassVar[str]
    """What its debates are called in the record."""

    def __init__(self, model: str, llm: object, store: StorePlace | None, limits: Limits | None) -> None:
        if not isinstance(model, str) or not model.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
            raise BriefError(f"model is {model!r}; it must be a name such as 'gpt-4o-mini' or 'ollama:llama3.2'")
        self.model, self.llm, self.store, self.limits = model, llm, store, limits

    @abstractmethod
    def _read(self, outcome: Outcome, opened: Opened) -> R:
        """The outcome of it, in the documented keys; what was asked for stands in its opening."""

    async def aresume(self, debate: str) -> R:
        """Take a run up that did not come to its end; answers on record are not asked for again.

        Args:
            debate: its id, which the error named.

        Raises:
            RecordError: there is no such debate.
            BriefError: it is one of another pattern.
            LimitReached: a limit stands in the way again; Unavailable and Waiting likewise.
            ModelError: nobody answered.
        """
        return await self._run(None, None, debate)

    def resume(self, debate: str) -> R:
        """The same as ``aresume``, for programs without an event loop."""
        return run_blocking(self.aresume(debate), f"{type(self).__name__}.aresume")

    async def _run(
        self, brief: Brief | None, make: Planner | None, debate: str = "", tell: "Tell[Entry | R] | None" = None
    ) -> R:
        """Run a debate to its end.

        Args:
            brief: what is debated; None for what is on record.
            make: makes the plan; None where the debate must be on record.
            debate: its id; where there is a record of it, that is resumed, or another attempt begins where nobody
                answered. "" for a new debate.
            tell: told of each entry of its record; None for nobody.
        """
        guests: Mapping[str, object] = {}
        stored = None
        if brief:
            stored, guests = plain(brief)
        seat = self.llm if isinstance(self.llm, str) and self.llm else self.model
        if self.llm is None or isinstance(self.llm, str):
            seat = seat if ":" in seat or seat == "human" else f"openai:{seat}"
        else:
            seat, guests = f"{GUEST}llm", {**guests, "llm": self.llm}

        async def plan(workspace: Workspace, participants: tuple[Participant, ...]) -> Plan:
            assert stored
            assert make
            return await make(workspace, replace(stored, participants=participants), seat)

        agents = ProgramAgents(participants=stored.participants if stored else (), guests=guests)
        outcome = await run_recorded(
            self.protocol,
            agents,
            plan if make else None,
            store=self.store,
            debate=debate,
            retry=bool(make and debate),
            limits=self.limits,
            tell=(lambda _, entry: tell(entry)) if tell else None,
        )
        assert outcome.record  # a debate that has ended is on record
        return self._read(outcome, opening(outcome.debate, outcome.record.entries))
