"""The arms of an evaluation: ways to answer that are compared, from the defaults or from tables ``[[arm]]``.

``single`` (one model, one answer), ``sample`` (independent answers, counted), ``adaptive`` (independent answers, bought
only where they differ), ``rethink`` (each is asked again without seeing others, and the last answers are counted) and
every protocol. ``match`` names the arm whose cost another one meets: by as many independent answers, or by holding a
cheaper debate several times and counting what they decide.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Final

from folkmoot.core.errors import BriefError
from folkmoot.core.families import are_apart
from folkmoot.core.text import unknown_word
from folkmoot.phases.choices import DECIDERS
from folkmoot.protocols.known import DEFAULT, NEEDS_MODERATOR, names

SAMPLING: Final = ("single", "sample", "adaptive")
"""The kinds that are made of independent answers alone; they need no debate of their own."""

RETHINK: Final = "rethink"
MOST_SAMPLES = 200
"""The most independent answers to one question."""

PLANNED: Final = ("title", "own_drafts")
"""What the plan says of an arm, and nobody else."""

SAID_OF: Final[Mapping[str, Sequence[str]]] = {
    "single": ("model",),
    "sample": ("size", "match"),
    "adaptive": ("match",),
    RETHINK: (),
}
"""What can be said of an arm of this kind, beside kind and name."""

OF_A_DEBATE: Final = ("match", "rounds", "strategy", "set", "models", "judge", "threshold")


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One way to answer, as a table ``[[arm]]`` says it."""

    kind: str  # ``single``, ``sample``, ``adaptive``, ``rethink``, or the name of a protocol
    name: str = ""  # what the tables call it
    model: str = ""  # of ``single``, whose answer it is
    size: int = 0  # of ``sample``, how many answers; 0 where it matches a cost
    match: str = ""  # the arm whose cost it meets
    rounds: int | None = None  # at most; None for the protocol's own number
    strategy: str = ""  # how it is decided; "" for the protocol's own
    set: tuple[str, ...] = ()  # further settings of a brief's header, ``KEY=VALUE``
    models: tuple[str, ...] = ()  # who takes part, in turn; () for the models of the evaluation
    judge: str = ""  # the model that plays the moderator, where the protocol needs one
    threshold: float | None = None  # of a gate; None for the protocol's own
    title: str = ""  # the plan has it: what it does, in words for a reader
    own_drafts: bool = False  # the plan knows it: its first answers are not those that the other arms share

    @property
    def is_drawn(self) -> bool:
        """Whether it is made of independent answers, which all arms share."""
        return self.kind in SAMPLING

    @property
    def is_protocol(self) -> bool:
        """Whether it is a debate; one that meets another's cost is a rival."""
        return not self.is_drawn and self.kind != RETHINK

    @property
    def is_debate(self) -> bool:
        """Whether it is judged as a debate, against its rivals."""
        return self.is_protocol and not self.match

    @property
    def settings(self) -> tuple[str, ...]:
        """The settings of a brief's header, with the threshold."""
        return self.set if self.threshold is None else (*self.set, f"threshold={self.threshold:g}")

    def titled(self) -> str:
        """What it does, in words for a reader."""
        many = f"as many as {self.match} costs" if self.match else str(self.size)
        plain = {
            "single": f"one answer of {self.model}",
            "sample": f"independent answers, {many}, counted",
            "adaptive": f"independent answers where they differ, at the cost of {self.match}",
            RETHINK: "each asked again without seeing others",
        }
        if self.kind in plain:
            return plain[self.kind]
        facts = [f"rounds {self.rounds}" if self.rounds is not None else "", self.strategy, *self.settings]
        judged = self.judge and (self.kind in NEEDS_MODERATOR or self.strategy in DECIDERS)
        judge = f"judge {self.judge}" if judged else ""
        repeated = f"as often as {self.match} costs, counted" if self.match else ""
        return ", ".join(filter(None, (self.kind, *facts, *self.models, judge, repeated)))


def judge_of(debaters: Sequence[str], models: Sequence[str]) -> str:
    """Who judges where nobody says: the first model of another family than all debaters; if there is none, the first."""
    return next((model for model in models if all(are_apart(model, debater) for debater in debaters)), models[0])


def default_arms(models: Sequence[str], seats: int, protocols: Sequence[str] = (DEFAULT,)) -> tuple[Arm, ...]:
    """The arms where nobody names any: each model alone, first answers counted, rethink, a debate and its rivals.

    A second protocol is held as often as the first one costs.

    Raises:
        BriefError: there is no such protocol.
    """
    debate, *others = protocols
    rivals = [Arm(kind=kind, match=debate) for kind in others]
    usual = [Arm(kind="single"), Arm(kind="sample", size=seats), Arm(kind=RETHINK), Arm(kind=debate)]
    return read_arms([*usual, *rivals], models)


def read_arms(tables: Sequence[Arm], models: Sequence[str]) -> tuple[Arm, ...]:
    """The arms of a file, checked and named, with the rivals that each debate needs.

    Raises:
        BriefError: an arm that cannot be.
    """
    arms: list[Arm] = []
    for number, table in enumerate(tables, start=1):
        try:
            _check(table, models)
        except BriefError as error:
            raise BriefError(f"arm {number}: {error.found}", code=error.code) from None
        everyone = table.kind == "single" and not table.model
        each = [replace(table, model=model) for model in dict.fromkeys(models)] if everyone else [table]
        arms += [replace(arm, name=arm.name or _name(arm)) for arm in each]
    named = [arm.name for arm in arms]
    if double := next((name for name in named if named.count(name) > 1), ""):
        raise BriefError(f"two arms are called {double!r}; give each a name of its own", code="duplicate_name")
    debates = [arm.name for arm in arms if arm.is_debate]
    if not debates:
        raise BriefError("no arm is a debate; name a protocol in kind, such as panel", code="inconsistent")
    if lost := next((arm for arm in arms if arm.match and arm.match not in debates), None):
        raise BriefError(f"arm {lost.name!r} matches {lost.match!r}, which is not a debate here", code="bad_enum")
    return with_rivals(arms)


def with_rivals(arms: Sequence[Arm]) -> tuple[Arm, ...]:
    """The arms, and for each debate the two rivals at its cost that it has not yet."""
    debates = [arm.name for arm in arms if arm.is_debate]
    known = {(arm.kind, arm.match) for arm in arms}
    rivals = [
        Arm(kind=kind, name=kind if len(debates) == 1 else f"{kind}={debate}", match=debate)
        for debate in debates
        for kind in ("sample", "adaptive")
        if (kind, debate) not in known
    ]
    return (*arms, *rivals)


def _name(arm: Arm) -> str:
    """The name of an arm to which nobody gives one."""
    if arm.match:
        return f"{arm.kind}={arm.match}"
    return arm.kind + (f":{arm.model}" if arm.model else f":{arm.size}" if arm.size else "")


def _check(arm: Arm, models: Sequence[str]) -> None:
    """Refuse an arm that cannot be.

    Raises:
        BriefError: it cannot, and why.
    """
    kind = arm.kind
    if kind not in SAID_OF and kind not in names():
        problem = f"no kind is called {kind!r}; {unknown_word(kind, list(dict.fromkeys((*SAID_OF, *names()))))}"
        raise BriefError(problem, code="bad_enum")
    plain, said = Arm(kind=kind), SAID_OF.get(kind, OF_A_DEBATE)
    written = [field.name for field in fields(Arm) if getattr(arm, field.name) != getattr(plain, field.name)]
    if idle := next((name for name in written if name not in ("kind", "name", *said)), ""):
        raise BriefError(f"{idle} says nothing of {kind}; leave it out", code="inconsistent")
    if arm.judge and kind not in NEEDS_MODERATOR and arm.strategy not in DECIDERS:
        raise BriefError(f"judge says nothing of {kind}, which needs none; leave it out", code="inconsistent")
    if arm.model and arm.model not in models:
        raise BriefError(f"{arm.model!r} is none of the models of the evaluation", code="bad_enum")
    if kind == "sample" and bool(arm.match) == (1 <= arm.size <= MOST_SAMPLES):
        raise BriefError(f"sample needs either size, from 1 to {MOST_SAMPLES}, or match, the name of a debate")
    if kind == "adaptive" and not arm.match:
        raise BriefError("adaptive needs match, the name of a debate")
    if kind == "findings":
        raise BriefError("findings lists defects, and answers no question", code="inconsistent")
    if kind == "bp_style" and arm.strategy != "agent_closing":
        problem = 'bp_style picks a team and no answer; say strategy = "agent_closing"'
        raise BriefError(problem, code="inconsistent")
    if arm.strategy == "no_consensus":
        raise BriefError("no_consensus decides nothing, so no answer could be right", code="inconsistent")
    if "=" in arm.name and arm.name != _name(arm):
        raise BriefError("a name with = is that of a rival, such as sample=panel; choose another name")
