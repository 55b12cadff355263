"""What a review finds of planted faults, and how many false alarms cross-examination removes, with scripted reviewers.

A repository of eight small files has one planted fault each, of eight kinds. Each reviewer sees a fault with a set
chance, and raises false alarms: one in three quotes words that stand nowhere, the others claim something wrong of words
that stand there. Each verdict of a checker is wrong with a set chance. The protocol ``findings`` runs on this through
the strict readers of forms and citations. No model is asked, and the same seed gives the same figures: they say what
the protocol does with such reviewers, not how good real ones are.

Run it with ``python benchmarks/review.py [--reviews 200] [--seed 7]``. It exits with 1 if a finding without valid words
survives, or if a review of reviewers and checkers that never err is not perfect.
"""

import argparse
import asyncio
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask
from folkmoot.core.brief import Brief, Duty, Participant
from folkmoot.protocols.known import build
from folkmoot.reviews.artefact import Artefact, whole_file
from folkmoot.reviews.reviewed import Reviewed, review_of
from folkmoot.testing.replay import Harness
from folkmoot.testing.scripted import Scripted


@dataclass(frozen=True)
class Planted:
    """A file with one fault: the line that has it, and what a reviewer says of it."""

    path: str
    text: str
    line: int
    claim: str
    category: str = "correctness"

    @property
    def words(self) -> str:
        """The words of the line with the fault."""
        return self.text.splitlines()[self.line - 1]


FILES = (
    Planted(
        "pager.py", "def pages(n, size):\n    count = n // size\n    return range(count)\n", 2, "The last page is lost."
    ),
    Planted(
        "door.py",
        "def may_enter(user):\n    if user.banned:\n        return True\n    return user.known\n",
        3,
        "The test is inverted.",
    ),
    Planted(
        "load.py",
        "async def load(store):\n    data = store.read()\n    return data.rows\n",
        2,
        "The read is not awaited.",
    ),
    Planted(
        "save.py",
        "def save(path, text):\n    try:\n        write(path, text)\n    except OSError:\n        pass\n",
        5,
        "The error is swallowed.",
        "data",
    ),
    Planted(
        "find.py",
        "def find(db, name):\n    return db.run(f\"select * from t where n = '{name}'\")\n",
        2,
        "The query is not escaped.",
        "security",
    ),
    Planted("tags.py", "def add(tag, tags=[]):\n    tags.append(tag)\n    return tags\n", 1, "The default is shared."),
    Planted("wait.py", "def wait(seconds):\n    sleep(seconds * 1000)\n    return True\n", 2, "The unit is wrong."),
    Planted(
        "size.py", "def size(path):\n    file = open(path)\n    return len(file.read())\n", 2, "The file stays open."
    ),
)
ARTEFACT = Artefact(files=tuple(whole_file(item.path, item.text) for item in FILES), facts={"kind": "files"})


@dataclass(frozen=True, kw_only=True)
class Rates:
    """How good the scripted people are.

    Attributes:
        hit: the chance that a reviewer sees a planted fault.
        alarm: the chance that a reviewer raises a false alarm about a file.
        error: the chance that a checker's verdict is wrong.
        hold: the chance that a finder holds on to a false alarm that was refuted.
        stand: the chance that a finder holds on to a right finding that was refuted.
    """

    hit: float = 0.6
    alarm: float = 0.3
    error: float = 0.1
    hold: float = 0.2
    stand: float = 0.8


@dataclass
class Counts:
    """What came of all reviews of one setting; a fault that two reviewers see counts once.

    Attributes:
        planted: faults that were there.
        reported: findings before cross-examination, and how many of them are right.
        survived: findings after it, and how many of them are right.
        states: the findings by state, right and wrong ones.
        invalid: findings that survived without valid words.
    """

    planted: int = 0
    reported: list[int] = field(default_factory=lambda: [0, 0])
    survived: list[int] = field(default_factory=lambda: [0, 0])
    states: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    invalid: int = 0

    def add(self, items: Sequence[Reviewed]) -> None:
        """Count the findings of one review."""
        self.planted += len(FILES)
        for item in items:
            right = is_right(item)
            for counts in (self.reported, self.states.setdefault(item.state, [0, 0])):
                counts[0] += 1
                counts[1] += right
            if item.state == "survived":
                self.survived[0] += 1
                self.survived[1] += right
                self.invalid += not item.finding.cite.valid

    def row(self, name: str) -> str:
        """The setting as a row of the table."""
        cells = [
            share(self.reported[1], self.planted),
            share(self.reported[1], self.reported[0]),
            share(self.survived[1], self.planted),
            share(self.survived[1], self.survived[0]),
            share(self.states.get("contested", [0])[0], self.reported[0]),
        ]
        return f"{name:44}" + "".join(f"{cell:>11}" for cell in cells)


def share(part: int, whole: int) -> str:
    """A share as a number with three places; a dash where there is nothing to share."""
    return f"{part / whole:.3f}" if whole else "-"


def is_right(item: Reviewed) -> bool:
    """Whether a finding is a planted fault: the same file and line, and the claim of that fault among its claims."""
    cite = item.finding.cite
    fault = next((fault for fault in FILES if fault.path == cite.path), None)
    claims = [report.claim for report in item.finding.reports]
    return fault is not None and cite.valid and cite.lines[0] <= fault.line <= cite.lines[1] and fault.claim in claims


def block(word: str, **fields: str) -> str:
    """A record as a reviewer writes it."""
    return "\n".join([word, *(f"{name}: {value}" for name, value in fields.items()), "END"])


def finding(path: str, line: int, claim: str, quote: str, category: str = "correctness") -> str:
    """A finding as a reviewer writes it."""
    return block("FINDING", FILE=path, LINES=str(line), SEVERITY="high", CATEGORY=category, CLAIM=claim, QUOTE=quote)


@dataclass(frozen=True)
class Script:
    """Answers by chance, which comes from the seed and the question alone."""

    rates: Rates
    seed: int

    def __call__(self, ask: Ask, context: Context) -> str:
        """The answer to one question."""
        chance = random.Random(f"{self.seed}/{ask.key}/{ask.to}")
        if ask.act == "inspect":
            return self._report(chance)
        true = any(fault.claim in ask.task for fault in FILES)
        if ask.act == "respond":
            holds = chance.random() < (self.rates.stand if true else self.rates.hold)
            return f"REASON: I have read it again.\nANSWER: {'HOLD' if holds else 'RETRACT'}"
        fault = next(fault for fault in FILES if fault.path in ask.task)
        agrees = true != (chance.random() < self.rates.error)
        cited = {"CITE": f"{fault.path}:{fault.line}", "QUOTE": fault.words, "REASON": "The line shows it."}
        return block("CHECK", **cited, VERDICT="AGREE" if agrees else "DISAGREE_EVIDENCE")

    def _report(self, chance: random.Random) -> str:
        blocks: list[str] = []
        for fault in FILES:
            if chance.random() < self.rates.hit:
                blocks.append(finding(fault.path, fault.line, fault.claim, fault.words, fault.category))
            if chance.random() < self.rates.alarm:
                last = len(fault.text.splitlines())
                line = next(n for n in (last, 1, 2) if n != fault.line)
                there = fault.text.splitlines()[line - 1]
                quote = "these words stand nowhere" if chance.random() < 1 / 3 else there
                blocks.append(finding(fault.path, line, "This line fails.", quote, "tests"))
        return "\n".join(blocks) or "NO FINDINGS"


def people(reviewers: int, checkers: int) -> tuple[Participant, ...]:
    """Reviewers of two vendors, and checkers of another one."""

    def person(name: str, vendor: str, duty: Duty) -> Participant:
        return Participant(name=name, seat=f"{vendor}:model", duty=duty)

    finders = [person(f"R{n + 1}", f"vendor{n % 2}", "debater") for n in range(reviewers)]
    return (*finders, *(person(f"C{n + 1}", "vendor9", "juror") for n in range(checkers)))


SETTINGS: Mapping[str, tuple[tuple[Participant, ...], Rates]] = {
    "1 reviewer, another vendor checks": (people(1, 1), Rates()),
    "2 reviewers, they check each other": (people(2, 0), Rates()),
    "2 reviewers, another vendor checks": (people(2, 2), Rates()),
    "3 reviewers, another vendor checks": (people(3, 2), Rates()),
    "2 reviewers, checkers are wrong at 0.3": (people(2, 2), Rates(error=0.3)),
    "2 reviewers, finders hold on to all": (people(2, 2), Rates(hold=1.0, stand=1.0)),
}
PERFECT = (people(2, 2), Rates(hit=1.0, alarm=0.0, error=0.0, hold=0.0))


async def measure(setting: tuple[tuple[Participant, ...], Rates], reviews: int, seed: int) -> Counts:
    """Run the reviews of one setting."""
    participants, rates = setting
    brief = Brief(topic="Which faults does this code have?", background=ARTEFACT.sources(), participants=participants)
    counts = Counts()
    for n in range(reviews):
        agent = Scripted(Script(rates, seed * 100_000 + n))
        place = Harness(brief=brief, protocol=build("findings", brief), name="findings")
        reviewed_debate = await place.run({person.name: agent for person in participants})
        counts.add(review_of(brief, reviewed_debate.transcript).findings)
    return counts


def table(reviews: int, seed: int) -> tuple[list[str], bool]:
    """The table as rows, and whether everything holds that has to."""
    names = ("recall", "precision", "recall", "precision", "contested")
    rows = [f"{reviews} reviews of {len(FILES)} planted faults, seed {seed}"]
    rows += [
        f"{'':44}{'before cross-examination':>22}{'after it':>22}",
        f"{'':44}" + "".join(f"{n:>11}" for n in names),
    ]
    invalid = 0
    for name, setting in SETTINGS.items():
        counts = asyncio.run(measure(setting, reviews, seed))
        invalid += counts.invalid
        rows.append(counts.row(name))
    perfect = asyncio.run(measure(PERFECT, min(reviews, 5), seed))
    whole = perfect.survived == [perfect.planted, perfect.planted] == perfect.reported
    rows.append(f"findings that survived without valid words: {invalid}; those who never err are perfect: {whole}")
    return rows, whole and not invalid


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reviews", type=int, default=200, help="how many reviews of each setting")
    parser.add_argument("--seed", type=int, default=7, help="the random seed")
    options = parser.parse_args()
    rows, holds = table(options.reviews, options.seed)
    print("\n".join(rows))
    sys.exit(0 if holds else 1)


if __name__ == "__main__":
    main()
