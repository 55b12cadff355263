"""The author's one dispute of a finding: a copy of the review in which a judge rules on it, once.

The review itself stays as it is. Its copy begins with the same entries, so only the judge is asked and paid.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from folkmoot.app.review.review_start import check_review
from folkmoot.app.run.fork import count_matching, kept_entries
from folkmoot.app.run.outcome import opening
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.errors import BriefError, RecordError
from folkmoot.core.event import Entered, Entry, Opened
from folkmoot.core.text import clean
from folkmoot.core.transcript import fold
from folkmoot.phases import base
from folkmoot.protocols.measured.findings import Arbitrate, Conclude
from folkmoot.protocols.spec import load_opened
from folkmoot.record.store import chain_lines
from folkmoot.reviews.citations import check, read_place
from folkmoot.reviews.reviewed import Review, Reviewed, choose_judge, ids_in_words, review_of

LONGEST = 4000
"""The most characters of the author's reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputeRequest:
    """What the author says.

    Attributes:
        finding: the finding, such as ``F3``.
        because: why it is wrong.
        cite: the lines that show it, such as ``src/a.py:10-12``.
    """

    finding: str
    because: str
    cite: str


async def open_dispute(workspace: Workspace, debate: str, wanted: DisputeRequest) -> str:
    """Put a copy of a review on record in which a judge is asked about a finding; resuming it asks.

    Args:
        workspace: the workspace.
        debate: the review's id.
        wanted: what the author says.

    Returns:
        The id of the copy.

    Raises:
        RecordError: there is no such review, or it is not over.
        BriefError: the finding cannot be disputed in that way; nothing is on record then.
    """
    entries = await workspace.entries(debate)
    transcript = fold(entries)
    check_review(debate, transcript)
    if transcript.closed is None:
        raise RecordError(f"{debate} is not over yet; resume it with: folkmoot review --again {debate}")
    opened = opening(debate, entries)
    came = _disputable(debate, review_of(opened.brief, transcript), wanted)
    plan = _with_judge(opened, came, wanted)
    last = _before_the_end(entries)
    begun = replace(plan.opened(), forked=f"{debate}@{last}")
    copied = kept_entries(entries[1:last], (), None, now=workspace.clock())
    assert count_matching(begun, [entry.event for entry in copied]) == len(copied)
    copy = workspace.new_id(plan)
    await workspace.store.append(copy, chain_lines([replace(entries[0], event=begun), *copied]), after=0)
    return copy


def _with_judge(opened: Opened, came: Reviewed, wanted: DisputeRequest) -> Plan:
    """The review with the judge before its end."""
    tree = load_opened(opened)
    assert isinstance(tree, base.Sequence)
    arbitrate = Arbitrate(
        finding=came.finding.number,
        because=clean(wanted.because).strip(),
        cite=" ".join(clean(wanted.cite).split()),
        by=choose_judge(opened.brief, came),
    )
    return Plan(
        brief=opened.brief,
        name=opened.name,
        protocol=replace(tree, parts=(*tree.parts[:-1], arbitrate, tree.parts[-1])),
        settings=opened.settings,
        chosen=(*opened.chosen, f"{came.finding.id} is disputed by the author"),
    )


def _disputable(debate: str, review: Review, wanted: DisputeRequest) -> Reviewed:
    """The finding, if it can be disputed in that way.

    Raises:
        BriefError: it says why not.
    """
    came = review.find(wanted.finding)
    if came is None:
        hint = ids_in_words([item.finding.id for item in review.findings])
        raise BriefError(f"{debate} has no finding {wanted.finding[:20]!r}; {hint}", code="out_of_range")
    if came.dispute:
        raise BriefError(f"{came.finding.id} was disputed before; one dispute is judged, once", code="inconsistent")
    if came.state == "no_basis":
        raise BriefError(f"{came.finding.id} has no basis, so there is nothing to dispute", code="inconsistent")
    if not 0 < len(wanted.because.strip()) <= LONGEST:
        raise BriefError(f"say why it is wrong, in 1 to {LONGEST:,} characters", code="out_of_range")
    cited = check(review.artefact, *read_place(wanted.cite), None)
    if not cited.valid:
        raise BriefError(f"what you cite proves nothing: {cited.fault}", code="bad_citation")
    return came


def _before_the_end(entries: Sequence[Entry]) -> int:
    """The number of entries before the review was concluded."""
    path = f"/debate/{Conclude().name}"
    return next(entry.seq for entry in entries if entry.event == Entered(path=path)) - 1
