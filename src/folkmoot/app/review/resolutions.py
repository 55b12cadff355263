"""Findings whose truth is known: the owner's word on one, and how often each reviewer and checker was right.

The word stands beside the record, as the right answer of a debate does; of one finding the last word counts.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from folkmoot.app.plan.learning import owner_messages
from folkmoot.app.review.review_start import check_review
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import BUILTIN, Brief
from folkmoot.core.errors import BriefError, RecordError
from folkmoot.core.event import Noted, SideEntry
from folkmoot.core.transcript import Transcript, fold
from folkmoot.evaluation.quantiles import wilson
from folkmoot.record.listing import ListQuery
from folkmoot.reviews.reviewed import Reviewed, ids_in_words, review_of
from folkmoot.reviews.states import RULE

ENOUGH = 20
"""The fewest resolved findings from which a share is shown."""

Part: TypeAlias = Literal["reviewer", "checker", "judge"]

TRUTHS: Mapping[str, bool] = {"true": True, "false": False}
"""What a finding can turn out to be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Precision:
    """How often a model was right in one part of reviews, in findings whose truth is known.

    Attributes:
        model: the model.
        part: a reviewer reports, a checker agrees or disagrees, a judge upholds or withdraws.
        right: in how many it was right.
        n: in how many it took a side.
    """

    model: str
    part: Part
    right: int
    n: int

    @property
    def enough(self) -> bool:
        """Whether the share says anything."""
        return self.n >= ENOUGH

    @property
    def interval(self) -> tuple[float, float]:
        """The share of right ones at 95%."""
        return wilson(self.right, self.n)


async def resolve_finding(workspace: Workspace, debate: str, finding: str, truth: str) -> Reviewed:
    """Note whether a finding was true.

    Raises:
        RecordError: there is no such review, or it is not over.
        BriefError: there is no such finding, or the truth is neither true nor false.
    """
    transcript = fold(await workspace.entries(debate))
    check_review(debate, transcript)
    if transcript.closed is None or transcript.brief is None:
        raise RecordError(f"{debate} is not over yet; wait until it ends")
    if truth.lower() not in TRUTHS:
        problem = (
            f"a finding turns out true or false, not {truth[:40]!r}" if truth else "say true or false of the finding"
        )
        raise BriefError(problem, code="bad_enum")
    review = review_of(transcript.brief, transcript)
    came = review.find(finding)
    if came is None:
        hint = ids_in_words([item.finding.id for item in review.findings])
        raise BriefError(f"{debate} has no finding {finding[:20]!r}; {hint}", code="out_of_range")
    note = Noted(what="finding", text=f"{came.finding.id} {truth.lower()}")
    await owner_messages(workspace.store, debate, workspace.clock).post(note)
    return came


def truths_of(entries: Iterable[SideEntry]) -> dict[str, bool]:
    """Which findings of a review were true, by their ids."""
    words = [entry.event.text.split() for entry in entries if isinstance(entry.event, Noted)]
    return {pair[0]: TRUTHS[pair[1]] for pair in words if len(pair) == 2 and pair[1] in TRUTHS}


async def precisions(workspace: Workspace) -> tuple[Precision, ...]:
    """How often each model was right, over all reviews; a finding of a copy counts once.

    Raises:
        RecordError: the records cannot be read.
    """
    right: Counter[tuple[str, Part]] = Counter()
    counts: Counter[tuple[str, Part]] = Counter()
    counted: set[tuple[str, str]] = set()
    for summary in (await workspace.page(ListQuery())).debates:
        if summary.protocol != RULE:
            continue
        known = truths_of(await owner_messages(workspace.store, summary.debate, workspace.clock).read())
        transcript = fold(await workspace.entries(summary.debate)) if known else Transcript()
        for key, model, part, was_right in _sides_taken(transcript, known):
            if key not in counted and not model.startswith(BUILTIN):
                counts[model, part] += 1
                right[model, part] += was_right
        counted.update(key for key, *_ in _sides_taken(transcript, known))
    return tuple(
        Precision(model=model, part=part, right=right[model, part], n=n) for (model, part), n in sorted(counts.items())
    )


def _sides_taken(
    transcript: Transcript, known: Mapping[str, bool]
) -> Iterator[tuple[tuple[str, str], str, Part, bool]]:
    """Who took which side on a finding whose truth is known: what the finding is, the model, its part, if right."""
    if transcript.brief is None:
        return
    review = review_of(transcript.brief, transcript)
    for item in review.findings:
        if (truth := known.get(item.finding.id)) is not None:
            key = review.artefact.sha256, item.finding.fingerprint
            for name, part, claimed in _claims(item):
                yield key, _model(transcript.brief, name), part, claimed == truth


def _claims(item: Reviewed) -> Iterator[tuple[str, Part, bool]]:
    """Who says that a finding is true, or that it is not; those who cannot tell say neither."""
    for name in item.finding.found_by:
        yield name, "reviewer", True
    check, dispute = item.refutation, item.dispute
    if check and check.verdict in ("AGREE", "DISAGREE_EVIDENCE"):
        yield check.by, "checker", check.verdict == "AGREE"
    if dispute and dispute.ruling in ("UPHELD", "WITHDRAWN"):
        yield dispute.by, "judge", dispute.ruling == "UPHELD"


def _model(brief: Brief, name: str) -> str:
    return brief.participant(name).seat
