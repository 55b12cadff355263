"""An evaluation as it was asked for: read from ``check.toml``, or made of options, and checked."""

import math
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Final, cast

from pydantic import TypeAdapter, ValidationError

from folkmoot.app.evaluation.arms import SAMPLING, Arm, default_arms, read_arms
from folkmoot.app.evaluation.blocks import Panel
from folkmoot.app.evaluation.scores import Currency, Measure
from folkmoot.app.questions.data_sets import day_of
from folkmoot.core.brief import MODELS, PARTICIPANTS, SEED
from folkmoot.core.errors import BriefError
from folkmoot.core.text import clean, unknown_word

SEATS = 3
"""How many take part where nobody says otherwise, and at least."""

NAMED_SO = "name must be one that a folder can have, of at most 100 characters"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What a file and an evaluation say in the same words.

    Attributes:
        epochs: how often each question is put.
        score: the primary measure; None for the one that fits the questions.
        currency: in what costs are equal; None for the best that is known.
        margin: the smallest difference that matters; None for the usual one of the score.
        alpha: the level of a verdict.
        looks: the shares of the questions at which a verdict may be read.
        budget: US dollars that may be paid; None for any.
        liars: how many liars sit at the table of each debate, in an arm of its own for each number; () for none.
        liar_model: the model of the liars; "" for that of their seats.
        rubric_judge: the model that judges answers by a rubric; "" for none.
        order_probe: whether each model alone also sees the options in the order of the data.
        tag: only questions with this tag are put; "" for all.
    """

    epochs: int = 1
    score: Measure | None = None
    currency: Currency | None = None
    margin: float | None = None
    alpha: float = 0.05
    looks: tuple[float, ...] = (1.0,)
    budget: float | None = None
    liars: tuple[int, ...] = ()
    liar_model: str = ""
    rubric_judge: str = ""
    order_probe: bool = False
    tag: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup(_Asked):
    """An evaluation as it was asked for.

    Attributes:
        name: its name.
        questions: the file or folder of its questions.
        panel: who answers.
        arms: what is compared.
        labels: a file of answers that people have judged; None for none.
        cutoffs: of models the date up to which they may know what was public.
    """

    name: str
    questions: Path
    panel: Panel
    arms: tuple[Arm, ...]
    labels: Path | None = None
    cutoffs: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class _File(_Asked):
    """A file ``check.toml`` as it is written."""

    questions: str
    models: tuple[str, ...]
    name: str = ""
    seats: int | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int = 0
    labels: str = ""
    cutoffs: dict[str, str] = field(default_factory=dict[str, str])
    arm: tuple[dict[str, object], ...] = ()


_FILE: Final = TypeAdapter(_File)


def read_setup(path: Path) -> Setup:
    """Read a file such as ``check.toml``; the questions are named from its folder.

    Raises:
        BriefError: it cannot be read, or says what cannot be.
    """
    where = path.name
    try:
        data = tomllib.loads(path.read_text("utf-8-sig"))
        known = list(_File.__dataclass_fields__)
        if strange := [name for name in data if name not in known]:
            raise BriefError(f"there is no key {strange[0]!r}; {unknown_word(strange[0], known)}", where=where)
        written = _FILE.validate_python(data)
    except (OSError, UnicodeDecodeError) as error:
        raise BriefError(f"cannot be read: {error}", where=where, code="no_file") from None
    except tomllib.TOMLDecodeError as error:
        raise BriefError(f"this is not TOML: {error}", where=where) from None
    except ValidationError as error:
        mistake = error.errors(include_url=False, include_input=False)[0]
        raise BriefError(f"{'.'.join(map(str, mistake['loc']))}: {mistake['msg']}", where=where) from None
    try:
        return _check_setup(_setup_of(written, path))
    except BriefError as error:
        raise BriefError(error.found, where=where, code=error.code) from None


def _setup_of(written: _File, path: Path) -> Setup:
    """What a file says; other files are named from its folder.

    Raises:
        BriefError: an arm that cannot be.
    """
    return Setup(
        **{shared.name: getattr(written, shared.name) for shared in fields(_Asked)},
        name=written.name or path.stem,
        questions=path.parent / written.questions,
        panel=_panel(written),
        arms=read_arms(written.arm, written.models) if written.arm else (),
        labels=path.parent / written.labels if written.labels else None,
        cutoffs=cutoffs_of(written.cutoffs.items(), _all_models(written)),
    )


def cutoffs_of(pairs: Iterable[tuple[str, str]], models: Sequence[str]) -> dict[str, str]:
    """Up to which date models may know what was public, checked.

    Raises:
        BriefError: it is no date, or not of a model that answers.
    """
    cutoffs: dict[str, str] = {}
    for model, text in pairs:
        if model not in models:
            raise BriefError(f"cut-off: {model[:60]!r} is none of the models of the evaluation", code="bad_enum")
        try:
            cutoffs[model] = day_of(text.strip(), "cut-off")
        except ValueError as error:
            raise BriefError(str(error)) from None
    return {model: day for model, day in cutoffs.items() if day}


def _all_models(written: _File) -> list[str]:
    """The models of a file, also those that only one arm has."""
    own = [table.get("models") for table in written.arm]
    lists = [cast("list[object]", models) for models in own if isinstance(models, list)]
    return [*written.models, *(model for models in lists for model in models if isinstance(model, str))]


def _panel(written: _File) -> Panel:
    return Panel(
        models=written.models,
        seats=max(SEATS, len(written.models)) if written.seats is None else written.seats,
        temperature=written.temperature,
        max_tokens=written.max_tokens,
        seed=written.seed,
    )


def plain_setup(questions: Path, models: Sequence[str], *, name: str = "", seed: int = 0) -> Setup:
    """The evaluation of a file of questions, with the usual arms.

    Raises:
        BriefError: there is no model, or too many.
    """
    panel = Panel(models=tuple(models), seats=max(SEATS, len(models)), seed=seed)
    return _check_setup(Setup(name=name or questions.stem, questions=questions, panel=panel, arms=()))


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
    arms = setup.arms or default_arms(panel.models, panel.seats)
    checks = {
        f"models must name 1 to {MODELS} models": 1 <= len(panel.models) <= MODELS,
        f"seats must be from {max(PARTICIPANTS.low, len(panel.models))} to {PARTICIPANTS.high}": max(
            PARTICIPANTS.low, len(panel.models)
        )
        <= panel.seats
        <= PARTICIPANTS.high,
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
            panel.temperature != 0 or not any(arm.kind in SAMPLING[1:] for arm in arms)
        ),
    }
    if wrong := next((problem for problem, fine in checks.items() if not fine), ""):
        raise BriefError(wrong, code="out_of_range")
    return replace(setup, arms=arms)
