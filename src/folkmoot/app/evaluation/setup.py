"""An evaluation as it was asked for: its arms, ways to answer that are compared; from ``check.toml`` or from options.

``single`` (one model, one answer), ``sample`` (independent answers, counted), ``adaptive`` (independent answers, bought
only where they differ), ``rethink`` (each is asked again without seeing others, and the last answers are counted) and
every protocol. ``match`` names the arm whose cost another one meets: by as many independent answers, or by holding a
cheaper debate several times and counting what they decide.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias, cast

from msgspec import Meta

from folkmoot.app.brief.tables import read_table
from folkmoot.core.brief import COST, MODELS, PARTICIPANTS, SEED, Participant, Settings
from folkmoot.core.errors import BriefError
from folkmoot.core.families import are_apart
from folkmoot.core.text import clean, unknown_word
from folkmoot.phases.choices import DECIDERS
from folkmoot.protocols.known import DEFAULT, NEEDS_MODERATOR, names

Measure: TypeAlias = Literal["credit", "log_loss", "brier"]
Currency: TypeAlias = Literal["usd", "tokens", "calls"]
Look: TypeAlias = Annotated[float, Meta(gt=0, le=1, title="shares above 0 that rise to 1, such as [0.5, 1.0]")]

SAMPLING: Final = ("single", "sample", "adaptive")
"""The kinds that are made of independent answers alone; they need no debate of their own."""

RETHINK: Final = "rethink"
MOST_SAMPLES = 200
"""The most independent answers to one question."""

SAID_OF: Final[Mapping[str, Sequence[str]]] = {
    "single": ("model",),
    "sample": ("size", "match"),
    "adaptive": ("match",),
    RETHINK: (),
}
"""What can be said of an arm of this kind, beside kind and name."""

OF_A_DEBATE: Final = ("match", "rounds", "strategy", "set", "models", "judge", "threshold")

SEATS = 3
"""How many take part where nobody says otherwise, and at least."""

NAMED_SO = "name must be one that a folder can have, of at most 100 characters"

STEP = 0x9E3779B1
"""What the seeds of two repeats lie apart; it is odd, so no two are the same."""


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

    @property
    def usual_name(self) -> str:
        """Its name where nobody gives it one."""
        said = f"={self.match}" if self.match else f":{self.model or self.size}" if self.model or self.size else ""
        return self.kind + said

    def titled(self) -> str:
        """What it does, in words for a reader."""
        match self.kind:
            case "single":
                return f"one answer of {self.model}"
            case "sample":
                return f"independent answers, {f'as many as {self.match} costs' if self.match else self.size}, counted"
            case "adaptive":
                return f"independent answers where they differ, at the cost of {self.match}"
            case "rethink":
                return "each asked again without seeing others"
            case _:
                rounds = f"rounds {self.rounds}" if self.rounds is not None else ""
                judged = self.judge and (self.kind in NEEDS_MODERATOR or self.strategy in DECIDERS)
                judge = f"judge {self.judge}" if judged else ""
                repeated = f"as often as {self.match} costs, counted" if self.match else ""
                facts = (self.kind, rounds, self.strategy, *self.settings, *self.models, judge, repeated)
                return ", ".join(filter(None, facts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """An evaluation as it was asked for, and as a file ``check.toml`` writes it."""

    questions: str  # a file or folder; a file ``check.toml`` names it from its own folder
    models: tuple[str, ...]  # who takes part, in turn
    name: str = ""  # "" for that of the file
    seats: int = 0  # 0 for one of each model, and at least 3
    temperature: float | None = None
    max_tokens: int | None = None  # of one answer
    seed: Annotated[int, Meta(ge=SEED.low, le=SEED.high)] = 0
    arm: tuple[Arm, ...] = ()  # a file has a table ``[[arm]]`` for each
    epochs: Annotated[int, Meta(ge=1, le=100)] = 1  # how often each question is put
    score: Measure | None = None  # None for the one that fits the questions
    currency: Currency | None = None  # in what costs are equal; None for the best that is known
    margin: Annotated[float, Meta(gt=0, lt=1, title="above 0 and below 1")] | None = None  # what matters at least
    alpha: Annotated[float, Meta(gt=0, lt=0.5, title="above 0 and below 0.5")] = 0.05
    looks: tuple[Look, ...] = (1.0,)  # the shares of the questions at which a verdict may be read
    budget: Annotated[float, Meta(ge=0, le=COST.high)] | None = None  # US dollars for all runs together
    tag: str = ""  # only questions with this tag are put
    protocols: tuple[str, ...] = ()  # in no file: the debate, and the one that is compared with it at equal cost

    def participants(self, models: Sequence[str], repeat: int) -> tuple[Participant, ...]:
        """The participants of one repeat; each repeat has a seed of its own for the models' sampling."""
        settings = Settings(temperature=self.temperature, max_tokens=self.max_tokens, seed=self.seed_of(repeat))
        seats = max(self.seats, len(models))
        return tuple(
            Participant(name=f"Seat {n + 1}", seat=models[n % len(models)], settings=settings) for n in range(seats)
        )

    def seed_of(self, repeat: int) -> int:
        """The seed of a repeat, from 1."""
        return (self.seed + (repeat - 1) * STEP) % (SEED.high + 1)


# ---- the whole -------------------------------------------------------------------------------------------------------


def read_setup(path: Path) -> Setup:
    """Read a file such as ``check.toml``.

    Raises:
        BriefError: it cannot be read, or says what cannot be.
    """
    try:
        data = tomllib.loads(path.read_text("utf-8-sig"))
        if not isinstance(arms := data.get("arm", []), list):
            raise BriefError("arm must be tables, each under its own line [[arm]]", code="wrong_type")
        for number, table in enumerate(cast("list[object]", arms), start=1):
            read_table(Arm, f"arm {number}", table, "", title="", own_drafts=False)
        setup = read_table(Setup, "evaluation", data, "", protocols=())
        return checked(replace(setup, name=setup.name or path.stem, questions=str(path.parent / setup.questions)))
    except (OSError, UnicodeDecodeError) as error:
        raise BriefError(f"cannot be read: {error}", where=path.name, code="no_file") from None
    except tomllib.TOMLDecodeError as error:
        raise BriefError(f"this is not TOML: {error}", where=path.name) from None
    except BriefError as error:
        raise BriefError(error.found, where=path.name, code=error.code) from None


def plain_setup(
    questions: Path, models: Sequence[str], *, name: str = "", seed: int = 0, protocol: str = "", against: str = ""
) -> Setup:
    """The evaluation of a file of questions, with the usual arms; ``against`` is a protocol to compare at equal cost.

    Raises:
        BriefError: there is no model, or too many, or no such protocol.
    """
    protocols = (protocol or DEFAULT, *filter(None, [against]))
    if len(set(protocols)) < len(protocols):
        raise BriefError(f"{against} cannot be compared with itself; name two protocols", code="inconsistent")
    name = name or questions.name.rpartition("@")[2].partition(".")[0]
    return checked(Setup(name=name, questions=str(questions), models=tuple(models), seed=seed, protocols=protocols))


def is_file_name(name: str) -> bool:
    """Whether an evaluation may have this name, which its folder has too."""
    plain = clean(name) == name == Path(name).name and not set(name) & set("\\\n\t")
    return plain and bool(name.strip(". ")) and len(name) <= 100


def checked(setup: Setup) -> Setup:
    """The setup with its seats, and all arms; where it names none, with the usual ones.

    Raises:
        BriefError: it says what cannot be.
    """
    models = setup.models
    if not 1 <= len(models) <= MODELS:
        raise BriefError(f"name 1 to {MODELS} models", code="out_of_range")
    seats, least = setup.seats or max(SEATS, len(models)), max(PARTICIPANTS.low, len(models))
    if not is_file_name(setup.name):
        raise BriefError(NAMED_SO, code="out_of_range")
    if not least <= seats <= PARTICIPANTS.high:
        raise BriefError(f"seats must be from {least} to {PARTICIPANTS.high}", code="out_of_range")
    if setup.looks != tuple(sorted(set(setup.looks))) or setup.looks[-1:] != (1.0,):
        raise BriefError("looks must rise, from above 0 to 1", code="out_of_range")
    arms = read_arms(setup.arm or usual_arms(seats, setup.protocols or (DEFAULT,)), models)
    if setup.temperature == 0 and any(arm.kind in SAMPLING[1:] for arm in arms):
        equal = "the temperature 0 makes all answers of a model equal"
        raise BriefError(f"{equal}; leave it out where independent answers are compared", code="inconsistent")
    return replace(setup, seats=seats, arm=arms)


# ---- the arms --------------------------------------------------------------------------------------------------------


def usual_arms(seats: int, protocols: Sequence[str] = (DEFAULT,)) -> list[Arm]:
    """The arms where nobody names any: each model alone, first answers counted, rethink, a debate.

    A second protocol is held as often as the first one costs.
    """
    debate, *others = protocols
    usual = [Arm(kind="single"), Arm(kind="sample", size=seats), Arm(kind=RETHINK), Arm(kind=debate)]
    return usual + [Arm(kind=kind, match=debate) for kind in others]


def read_arms(tables: Sequence[Arm], models: Sequence[str]) -> tuple[Arm, ...]:
    """The arms of a file, checked and named, with the two rivals of each debate that it does not name.

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
        arms += [replace(arm, name=arm.name or arm.usual_name) for arm in each]
    debates = [arm.name for arm in arms if arm.is_debate]
    if not debates:
        raise BriefError("no arm is a debate; name a protocol in kind, such as panel", code="inconsistent")
    if lost := next((arm for arm in arms if arm.match and arm.match not in debates), None):
        raise BriefError(f"arm {lost.name!r} matches {lost.match!r}, which is not a debate here", code="bad_enum")
    known = {(arm.kind, arm.match) for arm in arms}
    arms += [
        Arm(kind=kind, name=kind if len(debates) == 1 else f"{kind}={debate}", match=debate)
        for debate in debates
        for kind in ("sample", "adaptive")
        if (kind, debate) not in known
    ]
    named = [arm.name for arm in arms]
    if double := next((name for name in named if named.count(name) > 1), ""):
        raise BriefError(f"two arms are called {double!r}; give each a name of its own", code="duplicate_name")
    return tuple(arms)


def judge_of(debaters: Sequence[str], models: Sequence[str]) -> str:
    """Who judges where nobody says: the first model of another family than all debaters; if there is none, the first."""
    return next((model for model in models if all(are_apart(model, debater) for debater in debaters)), models[0])


def _check(arm: Arm, models: Sequence[str]) -> None:
    """Refuse an arm that cannot be."""
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
    if "=" in arm.name and arm.name != arm.usual_name:
        raise BriefError("a name with = is that of a rival, such as sample=panel; choose another name")
