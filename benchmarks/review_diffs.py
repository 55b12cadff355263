"""What reviews find in sixty changes: forty with one planted fault each, twenty without one; scripted or real models.

The changes are those of ``parts/review_cases.py``: Python, TypeScript and Go, ten kinds of faults. Without ``--model``
scripted reviewers see a fault with a set chance, and raise false alarms of three kinds: words that stand nowhere, a
wrong claim about words that stand there, and a line that the change has not touched. The answers of checkers and of
finders come by chance too, and now and then they are unreadable. So it is known what has to become of every finding:
the states are computed by hand, from the answers alone, and must equal those of the protocol to the last one.

    python benchmarks/review_diffs.py [--repeats 5] [--seed 7]
    python benchmarks/review_diffs.py --model openai:gpt-5.4-mini --model anthropic:claude-haiku-5-5 --max-cost 0.10

With ``--model``, the same changes go to real models, and each review is on record in ``--store``. That costs money:
``--cases`` takes only the first changes of each sort. Exit code 1: a state that is not the one by hand, or a finding
that survived without valid words.
"""

import argparse
import asyncio
import random
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from parts.review_cases import Case, read_cases

from folkmoot.app.review.review_start import ReviewRequest, review_brief, review_run
from folkmoot.app.review.subject import artefact_of_files
from folkmoot.app.run.prepare import LimitOverrides, Overrides, prepare
from folkmoot.app.run.start import run_start
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask
from folkmoot.core.brief import Brief, Duty, Participant
from folkmoot.core.transcript import fold
from folkmoot.evaluation.quantiles import wilson
from folkmoot.protocols.known import build
from folkmoot.reviews.artefact import Artefact
from folkmoot.reviews.diff_reader import files_of, read_diff
from folkmoot.reviews.reviewed import Review, Reviewed, review_of
from folkmoot.testing.replay import Harness
from folkmoot.testing.scripted import Scripted

NEAR = 3
"""Lines by which a finding may be beside the fault that it means."""

HIT, ALARM, ERROR = 0.6, 0.3, 0.1
"""The chances of scripted people: to see a fault, to raise each false alarm, to judge wrongly."""


@dataclass(frozen=True)
class Alarm:
    """A false alarm: its claim, its category, and whether its words stand in the file and its line was touched."""

    claim: str
    category: str
    quoted: bool
    touched: bool


ALARMS = (
    Alarm("The signature does not say what it returns.", "docs", quoted=False, touched=True),
    Alarm("The last line fails with an empty argument.", "tests", quoted=True, touched=True),
    Alarm("The first line of the file is slow.", "performance", quoted=True, touched=False),
)


@dataclass(frozen=True)
class Checked:
    """What scripted people answer about a finding: the verdict, whether it is proven, and the finder's reply."""

    verdict: str
    proven: bool
    reply: str


def by_hand(quoted: bool, checked: Checked) -> tuple[str, bool]:
    """What has to become of a finding, and whether it counts as unchecked: the rules in words, without the table."""
    if not quoted:
        return "no_basis", False
    if checked.verdict in ("", "CANNOT_TELL"):
        return "contested", True
    if checked.verdict == "AGREE" and checked.proven:
        return "survived", False
    if checked.verdict == "DISAGREE_EVIDENCE" and checked.proven and checked.reply == "RETRACT":
        return "retracted", False
    return "contested", False


def block(word: str, **fields: str) -> str:
    """A record as a model writes it."""
    return "\n".join([word, *(f"{name}: {value}" for name, value in fields.items()), "END"])


@dataclass(frozen=True)
class Script:
    """Answers by chance, which comes from the seed, the change and the question alone."""

    case: Case
    seed: int

    def checked(self, claim: str) -> Checked:
        """What is answered about the finding with that claim."""
        chance = random.Random(f"{self.seed}/{self.case.path}/{claim}")
        right = (claim == self.case.claim) != (chance.random() < ERROR)
        verdict = chance.choices(
            ["AGREE" if right else "DISAGREE_EVIDENCE", "DISAGREE_CONCERN", "CANNOT_TELL", ""], [85, 5, 5, 5]
        )[0]
        return Checked(verdict, chance.random() < 0.9, chance.choices(["RETRACT", "HOLD", ""], [7, 2, 1])[0])

    def __call__(self, ask: Ask, context: Context) -> str:
        """The answer to one question."""
        if ask.act == "inspect":
            return "\n".join(self._findings(random.Random(f"{self.seed}/{self.case.path}/{ask.to}"))) or "NO FINDINGS"
        claim = next(claim for claim in (self.case.claim, *(alarm.claim for alarm in ALARMS)) if claim in ask.task)
        answers = self.checked(claim)
        if ask.act == "respond":
            return f"REASON: I have read it again.\nANSWER: {answers.reply}" if answers.reply else "I am not sure."
        line = self.case.lines[0]
        words = self.case.words(line) if answers.proven else "words that stand nowhere"
        cited = {"CITE": f"{self.case.path}:{line}", "QUOTE": words, "REASON": "The line shows it."}
        return block("CHECK", **cited, VERDICT=answers.verdict) if answers.verdict else "It depends."

    def _findings(self, chance: random.Random) -> Iterable[str]:
        if self.case.kind and chance.random() < HIT:
            yield self._finding(self.case.lines[0], self.case.words(self.case.lines[0]), self.case)
        for alarm in ALARMS:
            if chance.random() < ALARM:
                last = len(self.case.new.splitlines())
                line = last if alarm.touched else 1
                words = self.case.words(line) if alarm.quoted else "words that stand nowhere"
                yield self._finding(line, words, alarm)

    def _finding(self, line: int, words: str, report: "Case | Alarm") -> str:
        place = {"FILE": self.case.path, "LINES": str(line), "SEVERITY": "high", "CATEGORY": report.category}
        return block("FINDING", **place, CLAIM=report.claim, QUOTE=words)


def is_hit(case: Case, item: Reviewed) -> bool:
    """Whether a finding is the planted fault: the same file, at most three lines beside it."""
    cite, (first, last) = item.finding.cite, case.lines
    near = cite.lines[0] - NEAR <= last and first <= cite.lines[1] + NEAR
    return bool(case.kind) and cite.valid and cite.path == case.path and near and item.finding.touched


@dataclass
class Arm:
    """What one way to review has found.

    Attributes:
        planted: changes with a fault.
        clean: changes without one.
        found: faults that were found.
        right: findings that are the fault.
        findings: all that it reports.
        alarms: findings in changes without a fault.
    """

    planted: int = 0
    clean: int = 0
    found: int = 0
    right: int = 0
    findings: int = 0
    alarms: int = 0

    def add(self, case: Case, items: Sequence[Reviewed]) -> None:
        """Count what was found in one change."""
        hits = [item for item in items if is_hit(case, item)]
        self.planted += bool(case.kind)
        self.clean += not case.kind
        self.found += bool(hits)
        self.right += len(hits)
        self.findings += len(items)
        self.alarms += 0 if case.kind else len(items)

    def row(self, name: str) -> str:
        """The arm as a row of the table."""
        cells = [interval(self.found, self.planted), interval(self.right, self.findings)]
        return f"{name:32}" + "".join(f"{cell:>22}" for cell in cells) + f"{self.alarms / max(1, self.clean):>10.2f}"


def interval(part: int, whole: int) -> str:
    """A share with its 95% interval; a dash where there is nothing to share."""
    if not whole:
        return "-"
    low, high = wilson(part, whole)
    return f"{part / whole:.2f} ({low:.2f} to {high:.2f})"


@dataclass
class Totals:
    """All that was measured.

    Attributes:
        arms: by name, in the order of the table.
        survived: findings that survived.
        invalid: those of them without valid words.
        contested: findings that stayed contested.
        checked: all findings.
        wrong: findings whose state is not the one by hand, in words.
        questions: questions of all reviews.
        tokens: tokens of all reviews.
        cost: US dollars of all reviews; None where a price is not known.
        seconds: how long all reviews took.
    """

    arms: dict[str, Arm] = field(default_factory=dict[str, Arm])
    survived: int = 0
    invalid: int = 0
    contested: int = 0
    checked: int = 0
    wrong: list[str] = field(default_factory=list[str])
    questions: int = 0
    tokens: int = 0
    cost: float | None = 0.0
    seconds: float = 0.0

    def add(self, case: Case, review: Review) -> None:
        """Count one review by reviewers of several vendors."""
        items = review.findings
        valid = [item for item in items if item.finding.cite.valid]
        survived = [item for item in items if item.state == "survived"]
        first = next(iter(review.reviewers))
        for name, reported in (
            ("one reviewer", [item for item in valid if first in item.finding.found_by]),
            ("all reviewers", valid),
            ("all reviewers and checkers", survived),
        ):
            self.arms.setdefault(name, Arm()).add(case, reported)
        self.survived += len(survived)
        self.invalid += sum(not item.finding.cite.valid for item in survived)
        self.contested += sum(item.state == "contested" for item in items)
        self.checked += len(items)

    def rows(self) -> list[str]:
        """The table and what stands under it."""
        price = "unknown" if self.cost is None else f"${self.cost:.4f}"
        return [
            f"{'':32}{'recall (95%)':>22}{'precision (95%)':>22}{'alarms per clean change':>26}",
            *(arm.row(name) for name, arm in self.arms.items()),
            f"findings {self.checked}, contested {interval(self.contested, self.checked)}, "
            f"survived {self.survived}, without valid words {self.invalid}",
            f"questions {self.questions}, tokens {self.tokens}, cost {price}, seconds {self.seconds:.1f}",
        ]


def artefact_of(case: Case) -> Artefact:
    """The change as a review freezes it."""
    return artefact_of_files(files_of(read_diff(case.diff), lambda path: case.new.encode()), {"kind": "diff"})


def scripted_people(vendors: Sequence[str], checkers: int) -> tuple[Participant, ...]:
    """A reviewer for each vendor, and checkers of another one."""

    def person(name: str, vendor: str, duty: Duty) -> Participant:
        return Participant(name=name, seat=f"{vendor}:model", duty=duty)

    finders = [person(f"R{n}", vendor, "debater") for n, vendor in enumerate(vendors, start=1)]
    return (*finders, *(person(f"C{n}", "vendor9", "juror") for n in range(1, checkers + 1)))


async def scripted_review(case: Case, script: Script, participants: tuple[Participant, ...]) -> tuple[Review, int]:
    """One review by scripted people, and the number of its questions."""
    brief = Brief(
        topic="Which faults does this change have?", background=artefact_of(case).sources(), participants=participants
    )
    place = Harness(brief=brief, protocol=build("findings", brief), name="findings")
    agent = Scripted(script)
    debate = await place.run({person.name: agent for person in participants})
    return review_of(brief, debate.transcript), len(debate.transcript.all())


def compare(case: Case, script: Script, review: Review) -> list[str]:
    """The findings whose state or place is not the one by hand, in words."""
    alarms = {alarm.claim: alarm for alarm in ALARMS}
    wrong: list[str] = []
    for item in review.findings:
        (claim,) = {report.claim for report in item.finding.reports}
        quoted, touched = (alarms[claim].quoted, alarms[claim].touched) if claim in alarms else (True, True)
        wanted = (*by_hand(quoted, script.checked(claim)), quoted and touched)
        came = (item.standing.state, item.standing.unchecked, item.finding.touched)
        if came != wanted:
            wrong.append(f"{case.path}: {claim} {came} and not {wanted}")
    return wrong


async def measure_scripted(cases: Sequence[Case], repeats: int, seed: int) -> Totals:
    """Let scripted people review all changes, so many times."""
    totals = Totals()
    scripts = [(case, Script(case, seed * 1000 + n)) for n in range(repeats) for case in cases]
    for case, script in scripts:
        review, questions = await scripted_review(case, script, scripted_people(("vendor0", "vendor1"), 2))
        totals.add(case, review)
        totals.questions += questions
        totals.wrong += compare(case, script, review)
    copies = max(1, round(totals.questions / len(scripts)))  # as many questions as with checkers
    again = totals.arms.setdefault(f"one reviewer, {copies} times", Arm())
    for case, script in scripts:
        review, _ = await scripted_review(case, script, scripted_people(("vendor0",) * copies, 0))
        again.add(case, [item for item in review.findings if item.finding.cite.valid])
    return totals


async def measure_models(
    cases: Sequence[Case], models: Sequence[str], cap: float | None, workspace: Workspace
) -> Totals:
    """Let real models review all changes; each review is on record."""
    totals = Totals()
    overrides = Overrides(models=tuple(models), protocol="findings", caps=LimitOverrides(cost=cap))
    for case in cases:
        request = ReviewRequest(artefact=artefact_of(case), reviewers=max(2, len(models)), models=len(models))
        start = await prepare(workspace, review_brief(request), overrides)
        debate = workspace.new_id(start.plan)
        await run_start(workspace, start, debate)
        run = await review_run(workspace, debate)
        totals.add(case, run.review)
        totals.tokens += run.tokens
        totals.seconds += run.seconds
        totals.cost = None if totals.cost is None or run.cost is None else totals.cost + run.cost
        totals.questions += len(fold(await workspace.entries(debate)).all())
        print(f"{case.path}: {run.review} ({debate})", file=sys.stderr, flush=True)
    return totals


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5, help="scripted reviews of each change")
    parser.add_argument("--seed", type=int, default=7, help="the random seed")
    parser.add_argument("--cases", type=int, default=40, help="the most changes of each sort")
    parser.add_argument("--model", action="append", default=[], help="a real model; can be repeated")
    parser.add_argument("--max-cost", type=float, default=None, help="US dollars of one review of real models")
    parser.add_argument("--store", default="review-diffs.sqlite", help="where reviews of real models are stored")
    options = parser.parse_args()
    planted, clean = read_cases()
    cases = [*planted[: options.cases], *clean[: options.cases]]
    print(f"{len(cases)} changes, seed {options.seed}")
    totals = asyncio.run(_totals(cases, options))
    print("\n".join([*totals.rows(), *totals.wrong[:10]]))
    if not options.model:
        print(f"states that are not those by hand: {len(totals.wrong)}")
    sys.exit(1 if totals.wrong or totals.invalid else 0)


async def _totals(cases: Sequence[Case], options: argparse.Namespace) -> Totals:
    if not options.model:
        return await measure_scripted(cases, options.repeats, options.seed)
    workspace = Workspace.at(Path(options.store))
    try:
        return await measure_models(cases, options.model, options.max_cost, workspace)
    finally:
        await workspace.close()


if __name__ == "__main__":
    main()
