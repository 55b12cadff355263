"""Replays of recorded data without a model: their names, and whether their lines are those of the reference."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from moot.app.replays.forecast_replay import replay_forecasts
from moot.app.replays.judge_replay import replay_judges
from moot.app.replays.panel_replay import replay_panels
from moot.core.errors import MootError

REPLAYS: Final[Mapping[str, Callable[[Path], Iterator[str]]]] = MappingProxyType(
    {"deliberative_forecasts": replay_forecasts, "panel_answers": replay_panels, "judge_pairs": replay_judges}
)
"""By the name of the data set's folder."""

SAME_LINES = frozenset({"deliberative_forecasts"})
"""Data sets whose reference consists of lines of ours; ``moot-bench recorded`` compares figures of the others."""

UNREADABLE = (OSError, ValueError, LookupError, TypeError, ArithmeticError)
"""What data raise that are not as they should be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """The lines of a replay; and those of the reference that are not among them, None if nothing was compared."""

    lines: tuple[str, ...]
    missing: tuple[str, ...] | None


def replay(name: str, data: Path) -> Replay:
    """Replay a data set.

    Args:
        name: of the data set.
        data: its folder, or the folder in which that stands.

    Raises:
        MootError: the data are not there or cannot be read.
    """
    folder = data / name if (data / name).is_dir() else data
    try:
        lines = tuple(REPLAYS[name](folder))
    except FileNotFoundError as error:
        missing = Path(error.filename or "").name
        raise MootError(f"{folder} is no data set {name}: it has no file {missing}") from error
    except UNREADABLE as error:
        raise MootError(f"{folder} cannot be read as {name}: {type(error).__name__}: {error}") from error
    reference = folder / "reference.txt"
    if name not in SAME_LINES or not reference.is_file():
        return Replay(lines=lines, missing=None)
    expected = reference.read_text("utf-8").splitlines()
    return Replay(lines=lines, missing=tuple(line for line in expected if line.strip() and line not in lines))
