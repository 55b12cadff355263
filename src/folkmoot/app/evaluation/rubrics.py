"""Answers judged by a rubric: a model says whether each meets it, only where a user has named one for that.

The judge is of another family than all who answer. It sees the question, the rubric and one answer, and never which arm
gave it. How far it can be trusted is measured on labels of people; with fewer than 50 there is no verdict.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from folkmoot.app.evaluation.blocks import Panel, brief_of, drafts_plan
from folkmoot.app.evaluation.scores import JudgeCheck
from folkmoot.app.questions.data_sets import FaultyData, Question
from folkmoot.app.questions.question_files import READERS
from folkmoot.app.run.workspace import Plan
from folkmoot.core.brief import Source
from folkmoot.core.errors import BriefError
from folkmoot.core.families import are_apart, family
from folkmoot.core.text import counted
from folkmoot.record.store import digest

MEETS, FAILS = "meets the rubric", "does not meet the rubric"
TASK: Final = "Does the answer in answer.md to the question in question.md meet the rubric in rubric.md?"
LABELS: Final[Mapping[str, bool]] = {
    **dict.fromkeys(("1", "yes", "true", "right"), True),
    **dict.fromkeys(("0", "no", "false", "wrong"), False),
}
NAMED: Final = (
    "questions of the kind rubric are judged by a model, and only where you ask for it: "
    "name it with --rubric-judge, or rubric_judge in a file"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An answer to be judged.

    Attributes:
        question: what was asked.
        rubric: what an answer has to be.
        answer: in words.
    """

    question: Question
    rubric: str
    answer: str

    def plan(self, judge: str, seed: int) -> Plan:
        """The debate of one call in which the judge says whether the answer meets the rubric."""
        question = self.as_question()
        panel = Panel(models=(judge,), seats=1, seed=seed)
        return drafts_plan(brief_of(question, panel, panel.models, epoch=1, repeat=1), question)

    def as_question(self) -> Question:
        """What the judge is asked; nothing in it says who answered."""
        texts = {"question.md": self.question.input, "rubric.md": self.rubric, "answer.md": self.answer}
        return Question(
            id=digest(repr((self.question.id, self.rubric, self.answer))),
            input=TASK,
            kind="option",
            options=(MEETS, FAILS),
            documents=(*(Source(name=name, text=text) for name, text in texts.items()), *self.question.documents),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """An answer that a person has judged."""

    case: Case
    right: bool


def check_judge(judge: str, models: Sequence[str]) -> None:
    """Refuse a judge who is related to those who answer.

    Raises:
        BriefError: none is named, or it is of the same family as one of the models.
    """
    if not judge:
        raise BriefError(NAMED, code="inconsistent")
    if relative := next((model for model in models if not are_apart(model, judge)), ""):
        known = family(judge) and family(relative)
        related = "is of one family" if known else "may be of one family, for one of them stands for many models,"
        problem = f"the judge {judge} {related} with {relative}, which answers; take a model of another family"
        raise BriefError(problem, code="inconsistent")


def read_labels(path: Path) -> tuple[Label, ...]:
    """Answers that people have judged: a table or JSON lines with ``input``, ``rubric``, ``answer`` and ``label``.

    Raises:
        FaultyData: the file cannot be read, or lines are wrong.
    """
    if path.suffix not in (".csv", ".jsonl"):
        raise FaultyData([f"{path.name}: labels are a file .csv or .jsonl"])
    try:
        lines = list(READERS[path.suffix](path.read_bytes(), path.name))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FaultyData([f"{path.name} cannot be read: {error}"]) from None
    read = [_label(place, line) for place, line in lines]
    if faults := [label for label in read if isinstance(label, str)]:
        raise FaultyData(faults)
    return tuple(label for label in read if isinstance(label, Label))


def _label(place: str, line: Mapping[str, object] | str) -> Label | str:
    """A label, or what is wrong with its line."""
    if isinstance(line, str):
        return f"{place}: {line}"
    words = {name: str(line.get(name, "")).strip() for name in ("input", "rubric", "answer", "label")}
    if missing := [name for name, text in words.items() if not text]:
        return f"{place}: {missing[0]} is missing"
    right = LABELS.get(words["label"].casefold())
    if right is None:
        return f"{place}: label is 1 or 0 (yes or no, right or wrong), not {words['label']!r}"
    question = Question(id=words["input"], input=words["input"], kind="rubric")
    return Label(case=Case(question=question, rubric=words["rubric"], answer=words["answer"]), right=right)


def check_of(judge: str, labels: Sequence[Label], marks: Mapping[Case, bool | None]) -> JudgeCheck:
    """How the judge compares with labels of people, and how many answers it left unread."""
    pairs = [(mark, label.right) for label in labels if (mark := marks.get(label.case)) is not None]
    return JudgeCheck(
        model=judge,
        labels=len(pairs),
        agreed=sum(mark == right for mark, right in pairs),
        said_right=sum(mark for mark, _ in pairs),
        labelled_right=sum(right for _, right in pairs),
        unread=sum(mark is None for mark in marks.values()),
    )


def judge_sentences(check: JudgeCheck) -> Iterator[str]:
    """That a model judged, and how far it can be trusted."""
    yield f"{check.model} judged the answers by a rubric. It did not see which arm gave them."
    if check.labels:
        bias = 100 * (check.said_right - check.labelled_right) / check.labels
        kappa = check.kappa
        beyond = "" if kappa is None else f", beyond chance {kappa:.2f} (Cohen's kappa)"
        yield (
            f"It agrees with {check.agreed} of {counted(check.labels, 'label')} of people{beyond}, and says right "
            f"{bias:+.1f} points more often than they do."
        )
    if not check.enough:
        yield f"It was checked against {counted(check.labels, 'label')} of people; a verdict needs {check.NEEDED}."
    if check.unread:
        yield f"{counted(check.unread, 'judgement')} could not be read; an answer without one counts as wrong."
