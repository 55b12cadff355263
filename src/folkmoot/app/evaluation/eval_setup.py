"""An evaluation as it was asked for: read from ``check.toml``, or made of options, and checked."""

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import cast

import msgspec

from folkmoot.app.evaluation.arms import SAMPLING, Arm, ArmTable, default_arms, read_arms
from folkmoot.app.evaluation.blocks import Panel
from folkmoot.app.evaluation.scores import Currency, Measure
from folkmoot.core.brief import MODELS, PARTICIPANTS, SEED
from folkmoot.core.errors import BriefError
from folkmoot.core.text import clean, unknown_word
from folkmoot.protocols.known import DEFAULT

SEATS = 3
"""How many take part where nobody says otherwise, and at least."""

NAMED_SO = "name must be one that a folder can have, of at most 100 characters"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """On what terms arms are compared; a file writes them as they are.

    Attributes:
        epochs: how often each question is put.
        score: the primary measure; None for the one that fits the questions.
        currency: in what costs are equal; None for the best that is known.
        margin: the smallest difference that matters; None for the usual one of the score.
        alpha: the level of a verdict.
        looks: the shares of the questions at which a verdict may be read.
        budget: US dollars that may be paid; None for any.
        tag: only questions with this tag are put; "" for all.
    """

    epochs: int = 1
    score: Measure | None = None
    currency: Currency | None = None
    margin: float | None = None
    alpha: float = 0.05
    looks: tuple[float, ...] = (1.0,)
    budget: float | None = None
    tag: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup(Terms):
    """An evaluation as it was asked for.

    Attributes:
        name: its name.
        questions: the file or folder of its questions.
        panel: who answers.
        arms: what is compared.
    """

    name: str
    questions: Path
    panel: Panel
    arms: tuple[Arm, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupFile(Terms):
    """A file ``check.toml`` as it is written."""

    questions: str
    models: tuple[str, ...]
    name: str = ""
    seats: int | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int = 0
    arm: tuple[ArmTable, ...] = ()


def read_setup(path: Path) -> Setup:
    """Read a file such as ``check.toml``; the questions are named from its folder.

    Raises:
        BriefError: it cannot be read, or says what cannot be.
    """
    where = path.name
    try:
        data = tomllib.loads(path.read_text("utf-8-sig"))
        _check_keys(data)
        written = msgspec.convert(data, SetupFile)
        return _check_setup(_setup_of(written, path))
    except (OSError, UnicodeDecodeError) as error:
        raise BriefError(f"cannot be read: {error}", where=where, code="no_file") from None
    except tomllib.TOMLDecodeError as error:
        raise BriefError(f"this is not TOML: {error}", where=where) from None
    except msgspec.ValidationError as error:
        raise BriefError(str(error).replace("`$.", "`"), where=where) from None
    except BriefError as error:
        raise BriefError(error.found, where=where, code=error.code) from None


def _check_keys(data: dict[str, object]) -> None:
    """Refuse a key that there is not, in the file or in one of its arms.

    Raises:
        BriefError: there is one.
    """
    checks: list[tuple[str, dict[str, object], tuple[str, ...]]] = [
        ("", data, tuple(each.name for each in fields(SetupFile)))
    ]
    arms = data.get("arm")
    for number, table in enumerate(cast("list[object]", arms) if isinstance(arms, list) else (), start=1):
        if isinstance(table, dict):
            checks.append((f"arm {number}: ", cast("dict[str, object]", table), ArmTable.__struct_fields__))
    for place, table, known in checks:
        if strange := [name for name in table if name not in known]:
            raise BriefError(f"{place}there is no key {strange[0]!r}; {unknown_word(strange[0], known)}")


def _setup_of(written: SetupFile, path: Path) -> Setup:
    """What a file says; the questions are named from its folder.

    Raises:
        BriefError: an arm that cannot be.
    """
    panel = Panel(
        models=written.models,
        seats=max(SEATS, len(written.models)) if written.seats is None else written.seats,
        temperature=written.temperature,
        max_tokens=written.max_tokens,
        seed=written.seed,
    )
    return Setup(
        name=written.name or path.stem,
        questions=path.parent / written.questions,
        panel=panel,
        arms=read_arms(written.arm, written.models) if written.arm else (),
        **{each.name: getattr(written, each.name) for each in fields(Terms)},
    )


def plain_setup(
    questions: Path, models: Sequence[str], *, name: str = "", seed: int = 0, protocol: str = "", against: str = ""
) -> Setup:
    """The evaluation of a file of questions, with the usual arms.

    Args:
        questions: the file.
        models: who answers.
        name: of the evaluation; "" for that of the file.
        seed: of everything.
        protocol: of the debate; "" for the usual one.
        against: another protocol, held as often as that one costs; "" for none.

    Raises:
        BriefError: there is no model, or too many, or no such protocol.
    """
    panel = Panel(models=tuple(models), seats=max(SEATS, len(models)), seed=seed)
    setup = Setup(
        name=name or questions.name.rpartition("@")[2].partition(".")[0], questions=questions, panel=panel, arms=()
    )
    checked = _check_setup(setup)
    return replace(
        checked, arms=default_arms(panel.models, panel.seats, (protocol or DEFAULT, *filter(None, [against])))
    )


def is_file_name(name: str) -> bool:
    """Whether an evaluation may have this name, which its folder has too."""
    plain = clean(name) == name == Path(name).name and not set(name) & set("\\\n\t")
    return plain and bool(name.strip(". ")) and len(name) <= 100


def _check_setup(setup: Setup) -> Setup:
    """The setup with its arms.

    Raises:
        BriefError: a value out of range.
    """
    panel = setup.panel
    if not 1 <= len(panel.models) <= MODELS:
        raise BriefError(f"models must name 1 to {MODELS} models", code="out_of_range")
    arms = setup.arms or default_arms(panel.models, panel.seats)
    least = max(PARTICIPANTS.low, len(panel.models))
    drawn = any(arm.kind in SAMPLING[1:] for arm in arms)
    checks = {
        f"seats must be from {least} to {PARTICIPANTS.high}": least <= panel.seats <= PARTICIPANTS.high,
        "epochs must be from 1 to 100": 1 <= setup.epochs <= 100,
        "margin must be above 0 and below 1": setup.margin is None or 0 < setup.margin < 1,
        "alpha must be above 0 and below 0.5": 0 < setup.alpha < 0.5,
        "looks must rise, from above 0 to 1": setup.looks == tuple(sorted(set(setup.looks)))
        and setup.looks[-1:] == (1.0,)
        and setup.looks[0] > 0,
        "budget must be 0 or more": setup.budget is None or 0 <= setup.budget < math.inf,
        f"seed must be from {SEED.low} to {SEED.high}": SEED.low <= panel.seed <= SEED.high,
        NAMED_SO: is_file_name(setup.name),
        "the temperature 0 makes all answers of a model equal; leave it out where independent answers are compared": (
            panel.temperature != 0 or not drawn
        ),
    }
    if wrong := next((problem for problem, fine in checks.items() if not fine), ""):
        raise BriefError(wrong, code="out_of_range")
    return replace(setup, arms=arms)
