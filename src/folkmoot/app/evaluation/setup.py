"""An evaluation as it was asked for: read from ``check.toml``, or made of options, and checked."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, cast

import msgspec

from folkmoot.app.evaluation.arms import PLANNED, SAMPLING, Arm, default_arms, read_arms
from folkmoot.app.evaluation.scores import Currency, Measure
from folkmoot.core.brief import COST, MODELS, PARTICIPANTS, SEED, Participant, Settings
from folkmoot.core.errors import BriefError
from folkmoot.core.text import clean, unknown_word
from folkmoot.protocols.known import DEFAULT

SEATS = 3
"""How many take part where nobody says otherwise, and at least."""

NAMED_SO = "name must be one that a folder can have, of at most 100 characters"

STEP = 0x9E3779B1
"""What the seeds of two repeats lie apart; it is odd, so no two are the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """An evaluation as it was asked for, and as a file ``check.toml`` writes it."""

    questions: str  # a file or folder; a file ``check.toml`` names it from its own folder
    models: Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=MODELS)]  # who takes part, in turn
    name: str = ""  # "" for that of the file
    seats: Annotated[int, msgspec.Meta(ge=0, le=PARTICIPANTS.high)] = 0  # 0 for one of each model, and at least 3
    temperature: float | None = None
    max_tokens: int | None = None  # of one answer
    seed: Annotated[int, msgspec.Meta(ge=SEED.low, le=SEED.high)] = 0
    arm: tuple[Arm, ...] = ()  # a file has a table ``[[arm]]`` for each
    epochs: Annotated[int, msgspec.Meta(ge=1, le=100)] = 1  # how often each question is put
    score: Measure | None = None  # None for the one that fits the questions
    currency: Currency | None = None  # in what costs are equal; None for the best that is known
    margin: Annotated[float, msgspec.Meta(gt=0, lt=1)] | None = None  # the smallest difference that matters
    alpha: Annotated[float, msgspec.Meta(gt=0, lt=0.5)] = 0.05
    looks: tuple[float, ...] = (1.0,)  # the shares of the questions at which a verdict may be read
    budget: Annotated[float, msgspec.Meta(ge=0, le=COST.high)] | None = None  # US dollars for all runs together
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


def read_setup(path: Path) -> Setup:
    """Read a file such as ``check.toml``.

    Raises:
        BriefError: it cannot be read, or says what cannot be.
    """
    try:
        data = tomllib.loads(path.read_text("utf-8-sig"))
        _check_keys(data)
        setup = msgspec.convert(data, Setup)
        setup = replace(setup, name=setup.name or path.stem, questions=str(path.parent / setup.questions))
        return _checked(replace(setup, arm=read_arms(setup.arm, setup.models) if setup.arm else ()))
    except (OSError, UnicodeDecodeError) as error:
        raise BriefError(f"cannot be read: {error}", where=path.name, code="no_file") from None
    except tomllib.TOMLDecodeError as error:
        raise BriefError(f"this is not TOML: {error}", where=path.name) from None
    except msgspec.ValidationError as error:
        raise BriefError(str(error).replace("`$.", "`"), where=path.name) from None
    except BriefError as error:
        raise BriefError(error.found, where=path.name, code=error.code) from None


def _check_keys(data: dict[str, object]) -> None:
    """Refuse a key that there is not, in the file or in one of its arms.

    Raises:
        BriefError: there is one.
    """
    tables: list[tuple[str, object, type[Setup | Arm]]] = [("", data, Setup)]
    if isinstance(arms := data.get("arm"), list):
        arms = cast("list[object]", arms)
        tables += [(f"arm {number}: ", table, Arm) for number, table in enumerate(arms, start=1)]
    for place, table, kind in tables:
        known = [field.name for field in fields(kind) if field.name not in (*PLANNED, "protocols")]
        names = cast("dict[str, object]", table) if isinstance(table, dict) else ()
        if strange := next((name for name in names if name not in known), ""):
            raise BriefError(f"{place}there is no key {strange!r}; {unknown_word(strange, known)}")


def plain_setup(
    questions: Path, models: Sequence[str], *, name: str = "", seed: int = 0, protocol: str = "", against: str = ""
) -> Setup:
    """The evaluation of a file of questions, with the usual arms; ``against`` is a protocol to compare at equal cost.

    Raises:
        BriefError: there is no model, or too many, or no such protocol.
    """
    if not 1 <= len(models) <= MODELS:
        raise BriefError(f"name 1 to {MODELS} models", code="out_of_range")
    protocols = (protocol or DEFAULT, *filter(None, [against]))
    if len(set(protocols)) < len(protocols):
        raise BriefError(f"{against} cannot be compared with itself; name two protocols", code="inconsistent")
    name = name or questions.name.rpartition("@")[2].partition(".")[0]
    setup = Setup(name=name, questions=str(questions), models=tuple(models), seed=seed, protocols=protocols)
    return _checked(setup)


def is_file_name(name: str) -> bool:
    """Whether an evaluation may have this name, which its folder has too."""
    plain = clean(name) == name == Path(name).name and not set(name) & set("\\\n\t")
    return plain and bool(name.strip(". ")) and len(name) <= 100


def _checked(setup: Setup) -> Setup:
    """The setup with its arms and seats.

    Raises:
        BriefError: values that do not go together.
    """
    seats = setup.seats or max(SEATS, len(setup.models))
    least = max(PARTICIPANTS.low, len(setup.models))
    arms = setup.arm or default_arms(setup.models, seats, setup.protocols or (DEFAULT,))
    if not is_file_name(setup.name):
        raise BriefError(NAMED_SO, code="out_of_range")
    if seats < least:
        raise BriefError(f"seats must be from {least} to {PARTICIPANTS.high}", code="out_of_range")
    rising = setup.looks == tuple(sorted(set(setup.looks))) and setup.looks[-1:] == (1.0,)
    if not rising or setup.looks[0] <= 0:
        raise BriefError("looks must rise, from above 0 to 1", code="out_of_range")
    if setup.temperature == 0 and any(arm.kind in SAMPLING[1:] for arm in arms):
        equal = "the temperature 0 makes all answers of a model equal"
        raise BriefError(f"{equal}; leave it out where independent answers are compared", code="inconsistent")
    return replace(setup, seats=seats, arm=arms)
