"""Replays of recorded data without a model: the table of data sets, and ours beside the reference of each."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from benchmarks.replays.contests import debate_judgments, elimination_votes, ranked_ballots
from benchmarks.replays.figures import Check, Figure
from benchmarks.replays.forecast_replay import compare_forecasts, replay_forecasts
from benchmarks.replays.judge_data import judge_pairs, persuasion_shift, strategyqa_debates
from benchmarks.replays.judge_replay import replay_judges
from benchmarks.replays.panel_data import panel_answers
from benchmarks.replays.panel_replay import replay_panels
from benchmarks.replays.preference_data import pairwise_preferences
from benchmarks.replays.recorded_files import REFERENCE, reading
from benchmarks.replays.solver_data import solver_judge_debates
from benchmarks.replays.translation_data import mad_translation
from folkmoot.core.errors import FolkmootError
from folkmoot.core.text import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """A recorded data set.

    Attributes:
        about: what it holds, in a sentence.
        compare: ours beside its reference.
        lines: what an evaluation says of it; None where there are only figures to compare.
    """

    about: str
    compare: Callable[[Path], Iterator[Check]]
    lines: Callable[[Path], Iterator[str]] | None = None


REPLAYS: Final[Mapping[str, DataSet]] = MappingProxyType(
    {
        "deliberative_forecasts": DataSet(
            about="Forecasts of three models on resolved questions, alone and after a debate.",
            compare=compare_forecasts,
            lines=replay_forecasts,
        ),
        "elimination_votes": DataSet(
            about="Games of eight models that vote each other out, rated from pairs.", compare=elimination_votes
        ),
        "debate_judgments": DataSet(
            about="Debates of two models with sides swapped, rated from the verdicts of judges.",
            compare=debate_judgments,
        ),
        "ranked_ballots": DataSet(
            about="Public elections with rankings, counted by six rules.", compare=ranked_ballots
        ),
        "panel_answers": DataSet(
            about="Answers of eleven models to questions with known answers, and their votes.",
            compare=panel_answers,
            lines=replay_panels,
        ),
        "judge_pairs": DataSet(
            about="Judges that saw each pair of answers in both orders, with several prompts.",
            compare=judge_pairs,
            lines=replay_judges,
        ),
        "strategyqa_debates": DataSet(
            about="Confidences of debaters and judges in yes/no answers.", compare=strategyqa_debates
        ),
        "persuasion_shift": DataSet(
            about="Stances of models before and after somebody argued with them.", compare=persuasion_shift
        ),
        "solver_judge_debates": DataSet(
            about="Problems with three solvers, their reviews and a judge.", compare=solver_judge_debates
        ),
        "mad_translation": DataSet(
            about="Two translators, a moderator who may end their debate, and a judge.", compare=mad_translation
        ),
        "pairwise_preferences": DataSet(
            about="Graded preferences of a judge for answers of models over a baseline.", compare=pairwise_preferences
        ),
    }
)
"""By the name of the data set's folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """The lines of a replay, and ours beside the reference; None where there is nothing to compare with."""

    lines: tuple[str, ...]
    checks: tuple[Check, ...] | None

    @property
    def reached(self) -> bool:
        """Whether all of the reference comes out."""
        return all(check.reached for check in self.checks or ())

    @property
    def sentence(self) -> str:
        """How much of the reference comes out, in a sentence; "" where nothing was compared."""
        if not self.checks:
            return ""
        reached = sum(check.reached for check in self.checks)
        return f"{REFERENCE}: {reached} of {counted(len(self.checks), self.checks[0].noun)} reached"


def table(name: str, checks: Sequence[Check]) -> Iterator[str]:
    """The lines that show figures of a data set beside its reference; of lines only those that are missing."""
    figures = any(isinstance(check, Figure) for check in checks)
    yield f"{name:<70} {'ours':>8} {'':>6} {'theirs':>8}" if figures else name
    yield from (check.row for check in checks if check.row)


def replay(name: str, data: Path) -> Replay:
    """Replay a data set.

    Args:
        name: of the data set.
        data: its folder, or the folder in which that stands.

    Raises:
        FolkmootError: the data are not there or cannot be read.
    """
    folder = data / name if (data / name).is_dir() else data
    own_lines = REPLAYS[name].lines
    if own_lines is None:
        return Replay(lines=(), checks=compare(name, folder))
    with reading(folder, name):
        lines = tuple(own_lines(folder))
        checks = tuple(REPLAYS[name].compare(folder)) if (folder / REFERENCE).is_file() else ()
        if not lines:
            raise ValueError("nothing is in it that can be replayed")
    return Replay(lines=lines, checks=checks or None)


def compare(name: str, folder: Path) -> tuple[Check, ...]:
    """Ours beside the reference of a data set in a folder.

    Raises:
        FolkmootError: the data are not there or cannot be read.
    """
    with reading(folder, name):
        checks = tuple(REPLAYS[name].compare(folder))
        if not checks:
            raise ValueError(f"{REFERENCE} has none of the figures")
    return checks


def find_sets(data: Path) -> tuple[str, ...]:
    """The names of the data sets that stand in a folder, in the order of the table.

    Raises:
        FolkmootError: it holds none of them.
    """
    if names := tuple(name for name in REPLAYS if (data / name).is_dir()):
        return names
    problem = f"{data} {'holds none of them' if data.is_dir() else 'is no folder'}"
    raise FolkmootError(f"{problem}; give the folder of {', '.join(REPLAYS)}")
