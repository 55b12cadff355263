"""A review: the turns of a debate folded to findings with their states, and whether the review is whole.

The play and every reader of the record fold by the same function, so what is reported is what was decided on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from folkmoot.core.brief import Brief, Participant
from folkmoot.core.text import counted, listed
from folkmoot.core.transcript import Transcript, Turn, read_field
from folkmoot.reviews.artefact import Artefact, artefact_of
from folkmoot.reviews.citations import Citation, check, read_place
from folkmoot.reviews.merging import SEVERITIES, Finding, merge, read_reports, read_severity, values_of
from folkmoot.reviews.states import (
    REPLIES,
    RULINGS,
    STATES,
    VERDICTS,
    Answers,
    ReplyWord,
    Ruling,
    Standing,
    State,
    Verdict,
    disputed,
    state_of,
)

INSPECT = "inspect"
"""The act of finding."""

REFUTE = "refute"
"""The act of refuting a finding or confirming it."""

RESPOND = "respond"
"""The act of replying to a refutation."""

DISPUTE = "dispute"
"""The act of judging the author's dispute."""

FINDINGS = "FINDINGS"
"""The field with the findings of a reviewer."""

CHECK = "CHECKS"
"""The field with the one record of a refuter or a judge."""

MOST_CHECKED = 12
"""The most findings that are checked: the worst ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refutation:
    """What a refuter says of a finding.

    Attributes:
        by: who was asked.
        verdict: the verdict; "" where none was read.
        cite: the citation as it was checked; None for none.
        severity: how bad the refuter says it is; "" where it does not say.
        reason: why, in its words.
        same_vendor: whether it is of a vendor that found the finding, because there was no other.
        why_not: why there is no verdict; "" where there is one.
    """

    by: str
    verdict: Verdict = ""
    cite: Citation | None = None
    severity: str = ""
    reason: str = ""
    same_vendor: bool = False
    why_not: str = ""

    @property
    def proven(self) -> bool:
        """Whether it has a valid citation."""
        return self.cite is not None and self.cite.valid


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """The author's one dispute of a finding, and what the judge says of it."""

    because: str
    cite: Citation
    by: str
    ruling: Ruling = ""
    proof: Citation | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """A finding with everything that came of it.

    Attributes:
        finding: the finding.
        standing: its state, and whether nobody could check it.
        vendors: the vendors of the reviewers who report it.
        refutation: what the refuter says; None where nobody was asked.
        reply: the finder's reply to a refutation.
        reply_reason: why, in its words.
        dispute: the author's dispute.
    """

    finding: Finding
    standing: Standing
    vendors: tuple[str, ...]
    refutation: Refutation | None = None
    reply: ReplyWord = ""
    reply_reason: str = ""
    dispute: Dispute | None = None

    @property
    def state(self) -> State:
        """Its state."""
        return self.standing.state

    @property
    def agreement(self) -> str:
        """Who reports the same, and what that rests on; "" where only one does."""
        finders = self.finding.found_by
        if len(finders) < 2:
            return ""
        vendors = f"models of {len(self.vendors)} vendors" if len(self.vendors) > 1 else "models of one vendor"
        categories = self.finding.categories
        under = f", under different categories ({listed(categories)})" if len(categories) > 1 else ""
        return (
            f"{listed(finders)}, {vendors}, report it without having seen each other's findings{under}: "
            "their quotations overlap and their claims have the same words"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What came of a review.

    Attributes:
        artefact: what was reviewed.
        findings: the findings, the worst first.
        missing: what the review lacks to be whole, a sentence each.
        reviewers: the reviewers, and the number of readable findings of each; None for one that was not readable.
    """

    artefact: Artefact
    findings: tuple[Reviewed, ...]
    missing: tuple[str, ...] = ()
    reviewers: Mapping[str, int | None]

    def by_state(self, state: State) -> tuple[Reviewed, ...]:
        """The findings in that state."""
        return tuple(item for item in self.findings if item.state == state)

    def find(self, id: str) -> Reviewed | None:
        """The finding of that id; None if there is none."""
        return next((item for item in self.findings if item.finding.id == id.upper()), None)

    @property
    def counts(self) -> Mapping[State, int]:
        """How many findings are in each state."""
        return {state: len(self.by_state(state)) for state in STATES}

    def at_least(self, severity: str) -> tuple[Reviewed, ...]:
        """The findings that are so bad, or worse, in touched lines; one without basis may be anywhere."""
        bad = SEVERITIES[: SEVERITIES.index(severity) + 1]
        return tuple(
            item
            for item in self.findings
            if item.finding.severity in bad and (item.finding.touched or item.state == "no_basis")
        )

    def __str__(self) -> str:
        numbers = self.counts
        words = (f"{counted(numbers[state], 'finding')} {STATE_WORDS[state]}" for state in STATES if numbers[state])
        return listed(list(words)) or "no findings"


STATE_WORDS: Mapping[State, str] = {
    "survived": "survived",
    "contested": "contested",
    "retracted": "retracted",
    "no_basis": "without basis",
}
"""The states in words."""


def vendor(participant: Participant) -> str:
    """Whose model answers for a participant: the maker in a router's name, else the provider."""
    provider, _, name = participant.seat.partition(":")
    maker, slash, _ = name.partition("/")
    return (maker if slash else provider).casefold() or participant.name


def number_of(turn: Turn) -> int:
    """The number of the finding that a turn is about: the last part of its key."""
    return int(turn.key.rpartition("#")[2])


def inspections(transcript: Transcript) -> list[Turn]:
    """The answers of the reviewers, also those that failed."""
    return [turn for turn in transcript.all() if turn.act == INSPECT]


def ids_in_words(ids: Sequence[str]) -> str:
    """Which findings a review has, for whoever asked for another one."""
    if not ids:
        return "it has none"
    return f"it has {listed(ids)}" if len(ids) < 3 else f"it has {ids[0]} to {ids[-1]}"


def findings_of(brief: Brief, transcript: Transcript, artefact: Artefact | None = None) -> tuple[Finding, ...]:
    """The merged findings of all reviewers that have answered."""
    artefact = artefact or artefact_of(brief)
    turns = inspections(transcript)
    reports = [report for turn in turns for report in read_reports(turn.by, turn.fields.get(FINDINGS), artefact)]
    return merge(reports, artefact)


def to_check(findings: Sequence[Finding], limit: int = MOST_CHECKED) -> tuple[Finding, ...]:
    """The findings that a refuter is asked about: the worst ones whose citation is valid."""
    return tuple(item for item in findings if item.cite.valid)[:limit]


def choose_refuter(brief: Brief, finding: Finding) -> tuple[str, bool]:
    """Who is asked about a finding, and whether for want of another vendor it is one that found it.

    Those who only check go before reviewers; one of another vendor before one of the same, one who did not find it
    before one who did. Among equals the findings take turns.
    """
    finders = {vendor(brief.participant(name)) for name in finding.found_by}
    names = brief.names("juror") or brief.names("debater")
    people = [brief.participant(name) for name in names]
    turn = finding.number % len(people)
    seats = {brief.participant(name).seat for name in finding.found_by}

    def closeness(participant: Participant) -> tuple[bool, bool, bool]:
        return vendor(participant) in finders, participant.name in finding.found_by, participant.seat in seats

    best = min([*people[turn:], *people[:turn]], key=closeness)
    return best.name, vendor(best) in finders


def choose_judge(brief: Brief, came: "Reviewed") -> str:
    """Who judges the author's dispute of a finding: a third vendor where there is one, else who has checked it."""
    finders = {vendor(brief.participant(name)) for name in came.finding.found_by}
    checker = came.refutation.by if came.refutation else ""
    vendors = {*finders, *(vendor(brief.participant(name)) for name in (checker,) if name)}
    names = (*brief.names("juror"), *brief.names("debater"))
    third = [name for name in names if vendor(brief.participant(name)) not in vendors]
    return third[0] if third else checker or choose_refuter(brief, came.finding)[0]


def review_of(brief: Brief, transcript: Transcript) -> Review:
    """The review as the transcript has it."""
    artefact = artefact_of(brief)
    findings = findings_of(brief, transcript, artefact)
    turns = {act: {number_of(turn): turn for turn in transcript.all() if turn.act == act} for act in (REFUTE, RESPOND)}
    reviewed = [
        _reviewed_finding(
            brief, artefact, finding, turns[REFUTE].get(finding.number), turns[RESPOND].get(finding.number)
        )
        for finding in findings
    ]
    for turn in (turn for turn in transcript.all() if turn.act == DISPUTE):
        index = number_of(turn) - 1
        reviewed[index] = _with_dispute(reviewed[index], turn, artefact)
    return Review(
        artefact=artefact,
        findings=tuple(reviewed),
        missing=tuple(_missing_parts(transcript, reviewed)),
        reviewers={turn.by: _count(turn) for turn in inspections(transcript)},
    )


def _count(turn: Turn) -> int | None:
    records = turn.fields.get(FINDINGS)
    return len(records) if isinstance(records, tuple) else None


def _reviewed_finding(
    brief: Brief, artefact: Artefact, finding: Finding, turn: Turn | None, reply: Turn | None
) -> Reviewed:
    refutation = _refutation(brief, artefact, finding, turn) if turn else None
    word = str(read_field(reply, "ANSWER") or "") if reply else ""
    came = Reviewed(
        finding=finding,
        standing=Standing("no_basis"),
        vendors=tuple(dict.fromkeys(vendor(brief.participant(name)) for name in finding.found_by)),
        refutation=refutation,
        reply=word if word in REPLIES else "",
        reply_reason=str(read_field(reply, "REASON") or "") if reply else "",
    )
    return replace(came, standing=state_of(answers_to(came)))


NO_VERDICT: Verdict = ""


def answers_to(came: Reviewed) -> Answers:
    """What decides on a finding, as the table of states takes it."""
    checked = came.refutation
    verdict, proof = (checked.verdict, checked.proven) if checked else (NO_VERDICT, False)
    return Answers(came.finding.cite.valid, verdict, proof, came.reply)


def _refutation(brief: Brief, artefact: Artefact, finding: Finding, turn: Turn) -> Refutation:
    record = check_in(turn)
    verdict, severity = record.get("VERDICT", ""), record.get("SEVERITY", "")
    return Refutation(
        by=turn.by,
        verdict=verdict if verdict in VERDICTS else "",
        cite=read_cite(turn, artefact),
        severity=read_severity(severity) if severity else "",
        reason=record.get("REASON", ""),
        same_vendor=choose_refuter(brief, finding)[1],
        why_not="" if verdict else turn.failure or turn.why_unread,
    )


def check_in(turn: Turn) -> Mapping[str, str]:
    """The record of a refuter or a judge; empty where none was read."""
    records = turn.fields.get(CHECK)
    return values_of(records[0]) if isinstance(records, tuple) and records else {}


def read_cite(turn: Turn, artefact: Artefact) -> Citation | None:
    """The checked citation of a turn: CITE with the words in QUOTE; None where it has no CITE."""
    record = check_in(turn)
    cite = record.get("CITE", "")
    return check(artefact, *read_place(cite), record.get("QUOTE", "")) if cite else None


def _with_dispute(came: Reviewed, turn: Turn, artefact: Artefact) -> Reviewed:
    because, cite = _disputed(turn)
    record = check_in(turn)
    ruling = record.get("RULING", "")
    word = ruling if ruling in RULINGS else ""
    proof = read_cite(turn, artefact)
    dispute = Dispute(
        because=because,
        cite=check(artefact, *read_place(cite), None),
        by=turn.by,
        ruling=word,
        proof=proof,
        reason=record.get("REASON", ""),
    )
    valid = dispute.cite.valid and proof is not None and proof.valid
    return replace(came, dispute=dispute, standing=disputed(came.standing, word, valid))


BECAUSE = "The author disputes it:"
WHERE = "The author cites:"
"""How the author's words begin in the task of the judge; they are indented there, and stand nowhere else."""


def _disputed(turn: Turn) -> tuple[str, str]:
    """The author's reason and citation, as they stand in the task."""
    task = turn.ask.task if turn.ask else ""
    reason = task.partition(f"{BECAUSE}\n")[2].partition(f"\n\n{WHERE} ")
    return "\n".join(line.strip() for line in reason[0].split("\n")), reason[2].partition("\n")[0].strip()


def _missing_parts(transcript: Transcript, reviewed: Sequence[Reviewed]) -> list[str]:
    """What the review lacks to be whole, a sentence each."""
    lacks = [
        f"{turn.by} gave no findings that could be read{_failure_reason(turn)}"
        for turn in inspections(transcript)
        if _count(turn) is None
    ]
    lacks += [
        f"not everything that {turn.by} wrote could be read ({_named_parts(turn)})"
        for turn in inspections(transcript)
        if turn.reply and turn.reply.unread and _count(turn) is not None
    ]
    refuted = [item for item in reviewed if item.refutation and not item.refutation.verdict]
    return lacks + [
        f"{item.finding.id} has no verdict of {item.refutation.by}"
        + (f" ({reason})" if (reason := item.refutation.why_not) else "")
        for item in refuted
        if item.refutation
    ]


def _named_parts(turn: Turn) -> str:
    """Why parts of the findings could not be read; each is named, a single one too."""
    unread = turn.reply.unread if turn.reply else ()
    return f"{unread[0].field}: {turn.why_unread}" if len(unread) == 1 else turn.why_unread


def _failure_reason(turn: Turn) -> str:
    reason = turn.failure or (turn.why_unread if turn.reply else "no answer yet")
    return f" ({reason})" if reason else ""
