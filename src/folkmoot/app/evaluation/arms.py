"""The arms of an evaluation: ways to answer that are compared, from the defaults or from tables ``[[arm]]``.

``single`` (one model, one answer), ``sample`` (independent answers, counted), ``adaptive`` (independent answers, bought
only where they differ), ``rethink`` (each is asked again without seeing others, and the last answers are counted) and
every protocol. ``match`` names the arm whose cost another one meets: by as many independent answers, or by holding a
cheaper debate several times and counting what they decide.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from folkmoot.app.evaluation.scores import ArmKind, PlannedArm
from folkmoot.core.errors import BriefError
from folkmoot.core.families import are_apart
from folkmoot.core.text import unknown_word
from folkmoot.phases.choices import DECIDERS
from folkmoot.protocols.known import DEFAULT, NEEDS_MODERATOR, names

SAMPLING: tuple[ArmKind, ...] = ("single", "sample", "adaptive")
"""The arms that are made of independent answers alone; they need no debate of their own."""

MOST_SAMPLES = 200
"""The most independent answers to one question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One way to answer.

    Attributes:
        name: what the tables call it.
        kind: what it does; ``protocol`` for a debate.
        model: with ``single``, whose answer it is.
        size: with ``sample``, how many answers; 0 where it matches a cost.
        match: the arm whose cost it meets; "" for none.
        protocol: with ``protocol``, its name.
        rounds: the greatest number of rounds; None for the protocol's own.
        strategy: how it is decided; "" for the protocol's own.
        settings: further settings of a brief's header, ``KEY=VALUE``.
        models: who takes part, in turn; () for the models of the evaluation.
        judge: the model that plays the moderator, where the protocol needs one.
    """

    name: str
    kind: ArmKind
    model: str = ""
    size: int = 0
    match: str = ""
    protocol: str = ""
    rounds: int | None = None
    strategy: str = ""
    settings: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    judge: str = ""

    @property
    def is_debate(self) -> bool:
        """Whether it is judged as a debate, against its rivals; one that meets another's cost is a rival itself."""
        return self.kind == "protocol" and not self.match

    @property
    def is_drawn(self) -> bool:
        """Whether it is made of independent answers, which all arms share."""
        return self.kind in SAMPLING

    def planned(self, *, own_drafts: bool = False) -> PlannedArm:
        """The arm as the plan names it."""
        return PlannedArm(
            name=self.name,
            kind=self.kind,
            title=self._title(),
            is_debate=self.is_debate,
            matches=self.match,
            own_drafts=own_drafts,
        )

    def _title(self) -> str:
        match self.kind:
            case "single":
                return f"one answer of {self.model}"
            case "sample":
                many = f"as many as {self.match} costs" if self.match else str(self.size)
                return f"independent answers, {many}, counted"
            case "adaptive":
                return f"independent answers where they differ, at the cost of {self.match}"
            case "rethink":
                return "each asked again without seeing others"
            case "protocol":
                facts = [f"rounds {self.rounds}" if self.rounds is not None else "", self.strategy, *self.settings]
                judged = self.protocol in NEEDS_MODERATOR or self.strategy in DECIDERS
                judge = f"judge {self.judge}" if judged and self.judge else ""
                repeated = f"as often as {self.match} costs, counted" if self.match else ""
                return ", ".join(filter(None, (self.protocol, *facts, *self.models, judge, repeated)))


class ArmTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table ``[[arm]]`` as it is written."""

    kind: str
    name: str = ""
    model: str = ""
    size: int = 0
    match: str = ""
    rounds: int | None = None
    strategy: str = ""
    set: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    judge: str = ""
    threshold: float | None = None


def judge_of(debaters: Sequence[str], models: Sequence[str]) -> str:
    """Who judges where nobody says: the first model of another family than all debaters; if there is none, the first.

    Args:
        debaters: the models that take part.
        models: those of the evaluation.
    """
    return next((model for model in models if all(are_apart(model, debater) for debater in debaters)), models[0])


def default_arms(models: Sequence[str], seats: int, protocols: Sequence[str] = (DEFAULT,)) -> tuple[Arm, ...]:
    """The arms where nobody names any: each model alone, first answers counted, rethink, a debate and its rivals.

    Args:
        models: who answers.
        seats: how many take part.
        protocols: of the debate; and of a second one, which is held as often as the first one costs.

    Raises:
        BriefError: there is no such protocol.
    """
    alone = [Arm(name=f"single:{model}", kind="single", model=model) for model in dict.fromkeys(models)]
    first = Arm(name=f"sample:{seats}", kind="sample", size=seats)
    debates = [_arm(ArmTable(kind=name), 1) for name in protocols[:1]]
    debates += [_arm(ArmTable(kind=name, match=protocols[0]), 2) for name in protocols[1:]]
    return with_rivals((*alone, first, Arm(name="rethink", kind="rethink"), *debates))


def with_rivals(arms: Sequence[Arm]) -> tuple[Arm, ...]:
    """The arms, and for each debate the two rivals at its cost that it has not yet."""
    debates = [arm for arm in arms if arm.is_debate]
    rivals: list[Arm] = []
    for debate in debates:
        for kind in ("sample", "adaptive"):
            if any(arm.kind == kind and arm.match == debate.name for arm in arms):
                continue
            name = kind if len(debates) == 1 else f"{kind}={debate.name}"
            rivals.append(Arm(name=name, kind=kind, match=debate.name))
    return (*arms, *rivals)


def read_arms(tables: Sequence[ArmTable], models: Sequence[str]) -> tuple[Arm, ...]:
    """The arms of a file, with the rivals that each debate needs.

    Raises:
        BriefError: an arm that cannot be.
    """
    arms = [arm for n, table in enumerate(tables, start=1) for arm in _read(table, n, models)]
    named = [arm.name for arm in arms]
    if double := next((name for name in named if named.count(name) > 1), ""):
        raise BriefError(f"two arms are called {double!r}; give each a name of its own", code="duplicate_name")
    debates = [arm.name for arm in arms if arm.is_debate]
    if not debates:
        raise BriefError("no arm is a debate; name a protocol in kind, such as panel", code="inconsistent")
    for arm in arms:
        if arm.match and arm.match not in debates:
            raise BriefError(f"arm {arm.name!r} matches {arm.match!r}, which is not a debate here", code="bad_enum")
    return with_rivals(arms)


def _read(table: ArmTable, number: int, models: Sequence[str]) -> list[Arm]:
    if (used := USED.get(table.kind)) is not None:
        unset = ArmTable(kind=table.kind)
        written = [name for name in ArmTable.__struct_fields__ if getattr(table, name) != getattr(unset, name)]
        if idle := [name for name in written if name not in {*used, "kind", "name"}]:
            raise BriefError(f"arm {number}: {idle[0]} says nothing of {table.kind}; leave it out")
    if table.kind == "single":
        alone = (table.model,) if table.model else tuple(dict.fromkeys(models))
        if alone[0] not in models:
            raise BriefError(f"arm {number}: {alone[0]!r} is none of the models of the evaluation", code="bad_enum")
        return [Arm(name=table.name or f"single:{model}", kind="single", model=model) for model in alone]
    arm = _arm(table, number)
    if "=" in table.name and table.name != arm.name:
        raise BriefError(f"arm {number}: a name with = is that of a rival, such as sample=panel; choose another name")
    return [replace(arm, name=table.name or arm.name)]


USED: Final[Mapping[str, Sequence[str]]] = {
    "single": ("model",),
    "sample": ("size", "match"),
    "adaptive": ("size", "match"),
    "rethink": (),
}
"""What is said of an arm by its kind, beside kind and name; of a debate all but model and size."""


def _arm(table: ArmTable, number: int) -> Arm:
    match table.kind:
        case "sample" if 1 <= table.size <= MOST_SAMPLES and not table.match:
            return Arm(name=f"sample:{table.size}", kind="sample", size=table.size)
        case "sample" | "adaptive" if table.match and not table.size:
            return Arm(name=f"{table.kind}={table.match}", kind=table.kind, match=table.match)
        case "sample":
            problem = f"sample needs either size, from 1 to {MOST_SAMPLES}, or match, the name of a debate"
            raise BriefError(f"arm {number}: {problem}")
        case "adaptive":
            raise BriefError(f"arm {number}: adaptive needs match, the name of a debate, and no size")
        case "rethink":
            return Arm(name="rethink", kind="rethink")
        case kind if kind in names():
            if problem := _no_answer(kind, table.strategy) or _idle(table):
                raise BriefError(f"arm {number}: {problem}", code="inconsistent")
            gate = () if table.threshold is None else (f"threshold={table.threshold:g}",)
            return Arm(
                name=f"{kind}={table.match}" if table.match else kind,
                kind="protocol",
                match=table.match,
                protocol=kind,
                rounds=table.rounds,
                strategy=table.strategy,
                settings=(*table.set, *gate),
                models=table.models,
                judge=table.judge,
            )
        case kind:
            known = list(dict.fromkeys((*SAMPLING, "rethink", *names())))
            raise BriefError(f"arm {number}: no kind is called {kind!r}; {unknown_word(kind, known)}", code="bad_enum")


def _no_answer(kind: str, strategy: str) -> str:
    """Why a debate never comes to an answer that could be right; "" if it does."""
    if kind == "findings":
        return "findings lists defects, and answers no question"
    if kind == "bp_style" and strategy != "agent_closing":
        return 'bp_style picks a team and no answer; say strategy = "agent_closing"'
    return f"{strategy} decides nothing, so no answer could be right" if strategy == "no_consensus" else ""


def _idle(table: ArmTable) -> str:
    """What is said of a debate and would change nothing; "" for nothing."""
    if table.judge and table.kind not in NEEDS_MODERATOR and table.strategy not in DECIDERS:
        return f"judge says nothing of {table.kind}, which needs none; leave it out"
    idle = [name for name in ("model", "size") if getattr(table, name)]
    return f"{idle[0]} says nothing of {table.kind}; leave it out" if idle else ""
