"""The arms of an evaluation: ways to answer that are compared, from the defaults or from tables ``[[arm]]``.

``single`` (one model, one answer), ``sample`` (independent answers, counted), ``adaptive`` (independent answers, bought
only where they differ), ``rethink`` (each is asked again without seeing others, and the last answers are counted) and
every protocol. ``match`` names the arm whose cost an arm of independent answers shall meet.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pydantic import TypeAdapter, ValidationError

from folkmoot.app.evaluation.scores import ArmKind, PlannedArm
from folkmoot.core.errors import BriefError
from folkmoot.core.families import are_apart
from folkmoot.core.text import counted, listed, unknown_word
from folkmoot.phases.choices import DECIDERS
from folkmoot.protocols.known import DEFAULT, NEEDS_MODERATOR, names

SAMPLING: tuple[ArmKind, ...] = ("single", "sample", "adaptive")
"""The arms that are made of independent answers alone; they need no debate of their own."""

COUNTED: tuple[ArmKind, ...] = (*SAMPLING, "learned_gate")
"""The arms that need no debate of their own: a learned gate takes the debates of another arm, where it wants one."""

LEARNED, EVERYWHERE = "learned", "everywhere"
"""The word for a threshold that questions choose; and the debate that a learned gate needs where no arm is one."""

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
        match: with ``sample`` and ``adaptive``, the arm whose cost it meets; "" for none.
        protocol: with ``protocol``, its name.
        rounds: the greatest number of rounds; None for the protocol's own.
        strategy: how it is decided; "" for the protocol's own.
        settings: further settings of a brief's header, ``KEY=VALUE``.
        models: who takes part, in turn; () for the models of the evaluation.
        judge: the model that plays the moderator, where the protocol needs one.
        liars: how many of the participants are told to mislead the others; 0 for an honest debate.
        honest: the debate of which this one has liars; "" for none.
        liar_model: the model of the liars; "" for that of their seats.
        gates: with ``learned_gate``, the debate that takes place only where first answers are far enough apart.
        probes: with ``single``, the arm of which this one sees the options in the order of the data; "" for none.
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
    liars: int = 0
    honest: str = ""
    liar_model: str = ""
    gates: str = ""
    probes: str = ""

    @property
    def is_debate(self) -> bool:
        """Whether it is judged as a debate, against its rivals."""
        return self.kind in ("protocol", "learned_gate") and not self.liars

    @property
    def runs(self) -> bool:
        """Whether it is a debate that is run; a learned gate takes those of another arm."""
        return self.kind == "protocol"

    def planned(self, *, own_drafts: bool = False) -> PlannedArm:
        """The arm as the plan names it."""
        return PlannedArm(
            name=self.name,
            kind=self.kind,
            title=self._title(),
            is_debate=self.is_debate,
            matches=self.match,
            own_drafts=own_drafts and not self.liars,
            liars=self.liars,
            honest=self.honest,
            gates=self.gates,
            probes=self.probes,
        )

    def _title(self) -> str:
        if self.liars:
            return f"{self.honest} with {counted(self.liars, 'liar')}{f', {self.liar_model}' * bool(self.liar_model)}"
        match self.kind:
            case "single":
                return f"one answer of {self.model}{', options in the order of the data' * bool(self.probes)}"
            case "sample":
                many = f"as many as {self.match} costs" if self.match else str(self.size)
                return f"independent answers, {many}, counted"
            case "adaptive":
                return f"independent answers where they differ, at the cost of {self.match}"
            case "rethink":
                return "each asked again without seeing others"
            case "learned_gate":
                return f"{self.gates} only where first answers are further apart than a learned threshold; else a vote"
            case _:
                facts = [f"rounds {self.rounds}" if self.rounds is not None else "", self.strategy, *self.settings]
                judged = self.protocol in NEEDS_MODERATOR or self.strategy in DECIDERS
                judge = f"judge {self.judge}" if judged and self.judge else ""
                return ", ".join(filter(None, (self.protocol, *facts, *self.models, judge)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
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
    threshold: float | str | None = None
    gates: str = ""


_TABLE: Final = TypeAdapter(_Table)


def judge_of(debaters: Sequence[str], models: Sequence[str]) -> str:
    """Who judges where nobody says: the first model of another family than all debaters; if there is none, the first.

    Args:
        debaters: the models that take part.
        models: those of the evaluation.
    """
    return next((model for model in models if all(are_apart(model, debater) for debater in debaters)), models[0])


def default_arms(models: Sequence[str], seats: int) -> tuple[Arm, ...]:
    """The arms where nobody names any: each model alone, first answers counted, rethink, the default debate, rivals."""
    alone = [Arm(name=f"single:{model}", kind="single", model=model) for model in dict.fromkeys(models)]
    first = Arm(name=f"sample:{seats}", kind="sample", size=seats)
    debate = Arm(name=DEFAULT, kind="protocol", protocol=DEFAULT)
    return with_rivals((*alone, first, Arm(name="rethink", kind="rethink"), debate))


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


def with_liars(arms: Sequence[Arm], numbers: Sequence[int], *, seats: int, model: str = "") -> tuple[Arm, ...]:
    """The arms, and each debate once more for each of these numbers of liars.

    Args:
        arms: what is compared.
        numbers: of liars.
        seats: how many take part.
        model: of the liars; "" for that of their seats.

    Raises:
        BriefError: nobody honest would be left, or nobody lies.
    """
    if wrong := [number for number in numbers if not 1 <= number < seats]:
        raise BriefError(
            f"{counted(wrong[0], 'liar')} among {seats} seats cannot be: from 1 to {seats - 1}", code="out_of_range"
        )
    lying = [
        replace(arm, name=f"{arm.name}+{counted(number, 'liar')}", liars=number, honest=arm.name, liar_model=model)
        for arm in arms
        if arm.is_debate and arm.runs
        for number in dict.fromkeys(numbers)
    ]
    return (*arms, *lying)


def with_order_probes(arms: Sequence[Arm]) -> tuple[Arm, ...]:
    """The arms, and each model alone once more, which then sees the options in the order of the data.

    Raises:
        BriefError: no model answers alone.
    """
    alone = [arm for arm in arms if arm.kind == "single"]
    if not alone:
        raise BriefError("the order of options is probed with models alone; add an arm single", code="inconsistent")
    return (*arms, *(replace(arm, name=f"{arm.name} in data order", probes=arm.name) for arm in alone))


def read_arms(tables: Sequence[Mapping[str, object]], models: Sequence[str]) -> tuple[Arm, ...]:
    """The arms of a file, with the rivals that each debate needs, and the debate that a learned gate needs.

    Raises:
        BriefError: an arm that cannot be.
    """
    arms = _with_gated([arm for n, table in enumerate(tables, start=1) for arm in _read(table, n, models)])
    named = [arm.name for arm in arms]
    if double := next((name for name in named if named.count(name) > 1), ""):
        raise BriefError(f"two arms are called {double!r}; give each a name of its own", code="duplicate_name")
    if not any(arm.is_debate for arm in arms):
        raise BriefError("no arm is a debate; name a protocol in kind, such as panel", code="inconsistent")
    for arm in arms:
        if arm.match and arm.match not in [other.name for other in arms if other.is_debate]:
            raise BriefError(f"arm {arm.name!r} matches {arm.match!r}, which is not a debate here", code="bad_enum")
        if arm.gates and arm.gates not in [other.name for other in arms if other.runs]:
            raise BriefError(f"arm {arm.name!r} gates {arm.gates!r}, which is not a debate here", code="bad_enum")
    return with_rivals(arms)


def _with_gated(arms: Sequence[Arm]) -> list[Arm]:
    """The arms, each learned gate with the debate that it gates: the only one there is, or a panel that always debates.

    Raises:
        BriefError: it is not clear which.
    """
    debates = [arm for arm in arms if arm.runs]
    gates = [arm for arm in arms if arm.kind == "learned_gate" and not arm.gates]
    if not gates:
        return list(arms)
    if len(debates) > 1:
        many = listed([arm.name for arm in debates])
        raise BriefError(f"arm {gates[0].name!r}: say which debate it gates, gates = {debates[0].name!r}: {many}")
    added = [] if debates else [always_debating()]
    gated = (debates or added)[0].name
    return [*added, *(replace(arm, gates=gated) if arm in gates else arm for arm in arms)]


def always_debating() -> Arm:
    """The default debate without a gate of its own, for a learned gate to choose from."""
    return Arm(name=EVERYWHERE, kind="protocol", protocol=DEFAULT, settings=("threshold=0",))


def _read(table: Mapping[str, object], number: int, models: Sequence[str]) -> Iterator[Arm]:
    try:
        known = set(_Table.__dataclass_fields__)
        if strange := [name for name in table if name not in known]:
            raise BriefError(f"arm {number}: there is no key {strange[0]!r}; {unknown_word(strange[0], sorted(known))}")
        written = _TABLE.validate_python(dict(table))
        used = USED.get(written.kind, known - frozenset().union(*USED.values())) | {"kind", "name"}
        if written.kind in (*USED, *names()) and (idle := [name for name in table if name not in used]):
            raise BriefError(f"arm {number}: {idle[0]} says nothing of {written.kind}; leave it out")
    except ValidationError as error:
        mistake = error.errors(include_url=False, include_input=False)[0]
        raise BriefError(f"arm {number}: {'.'.join(map(str, mistake['loc']))}: {mistake['msg']}") from None
    if written.kind == "single":
        alone = (written.model,) if written.model else tuple(dict.fromkeys(models))
        if alone[0] not in models:
            raise BriefError(f"arm {number}: {alone[0]!r} is none of the models of the evaluation", code="bad_enum")
        yield from (Arm(name=written.name or f"single:{model}", kind="single", model=model) for model in alone)
        return
    arm = _learned_gate(written, number) if written.threshold == LEARNED else _arm(written, number)
    if "=" in written.name and written.name != arm.name:
        raise BriefError(f"arm {number}: a name with = is that of a rival, such as sample=panel; choose another name")
    yield replace(arm, name=written.name or arm.name)


def _learned_gate(table: _Table, number: int) -> Arm:
    """A gate whose threshold is learned.

    Raises:
        BriefError: of another kind, or with settings that belong to the debate that it gates.
    """
    if table.kind != "gate":
        raise BriefError(f"arm {number}: a learned threshold is for the kind gate; gates names the debate")
    if idle := [name for name in ("rounds", "strategy", "set", "models", "judge") if getattr(table, name)]:
        raise BriefError(f"arm {number}: say {idle[0]} in the arm of the debate that it gates")
    return Arm(name="learned gate", kind="learned_gate", gates=table.gates)


def _no_answer(kind: str, strategy: str) -> str:
    """Why a debate never comes to an answer that could be right; "" if it does."""
    if kind == "findings":
        return "findings lists defects, and answers no question"
    if kind == "bp_style" and strategy != "agent_closing":
        return 'bp_style picks a team and no answer; say strategy = "agent_closing"'
    return f"{strategy} decides nothing, so no answer could be right" if strategy == "no_consensus" else ""


def _idle_judge(table: _Table) -> str:
    """Why a judge would be asked nothing; "" where one is asked, or none is named."""
    is_asked = not table.judge or table.kind in NEEDS_MODERATOR or table.strategy in DECIDERS
    return "" if is_asked else f"judge says nothing of {table.kind}, which needs none; leave it out"


USED: Final[Mapping[str, frozenset[str]]] = {
    "single": frozenset({"model"}),
    "sample": frozenset({"size", "match"}),
    "adaptive": frozenset({"size", "match"}),
    "rethink": frozenset(),
}
"""What is said of an arm by its kind, beside kind and name; of a debate all but these."""


def _arm(table: _Table, number: int) -> Arm:
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
            if table.gates:
                raise BriefError(f'arm {number}: gates is for a gate with threshold = "{LEARNED}"')
            if isinstance(table.threshold, str):
                problem = f"threshold is a number from 0 to 1 or the word {LEARNED}, not {table.threshold[:40]!r}"
                raise BriefError(f"arm {number}: {problem}")
            if problem := _no_answer(kind, table.strategy) or _idle_judge(table):
                raise BriefError(f"arm {number}: {problem}", code="inconsistent")
            gate = () if table.threshold is None else (f"threshold={table.threshold:g}",)
            return Arm(
                name=kind,
                kind="protocol",
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
