"""The brief of a review, and what its outcome means for a command."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from typing import Literal, TypeAlias

from folkmoot.app.brief.presets import KEY
from folkmoot.app.brief.reader import ParsedBrief
from folkmoot.app.review.project_rules import without_ignored
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import BUILTIN, Brief, Participant, Source
from folkmoot.core.errors import RecordError
from folkmoot.core.text import counted
from folkmoot.core.transcript import Transcript, fold
from folkmoot.report.metrics import elapsed
from folkmoot.reviews.artefact import AUTHOR, Artefact
from folkmoot.reviews.review_data import ReviewRun
from folkmoot.reviews.reviewed import Review, Reviewed, review_of
from folkmoot.reviews.states import RULE

TOPIC = "Which faults does this {kind} have?"
KINDS: Mapping[str, str] = {"diff": "change", "plan": "plan", "files": "code"}

Passing: TypeAlias = Literal["passed", "failed", "incomplete"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRequest:
    """A review that is wanted.

    Attributes:
        artefact: what is reviewed.
        reviewers: how many review it.
        focus: what they should look at above all; "" for everything.
        words: what the author says of it; "" for nothing.
        intent: whether reviewers read the author's words.
        rules: the project's own rules for reviews; "" for none.
        models: how many models are named for it.
        preset: the preset that says which models answer; "" for none.
        place: tells the folder of the files from others; see ``Opened.place``.
    """

    artefact: Artefact
    reviewers: int = 2
    focus: str = ""
    words: str = ""
    intent: bool = False
    rules: str = ""
    models: int = 0
    preset: str = ""
    place: str = ""


def review_brief(request: ReviewRequest) -> ParsedBrief:
    """The brief: so many reviewers, and as many who only check, or more where there are more models."""
    reviewers = [Participant(name=f"Reviewer {n}", role="Looks for faults") for n in range(1, request.reviewers + 1)]
    checkers = [
        Participant(name=f"Checker {n}", role="Checks findings", duty="juror")
        for n in range(1, max(request.reviewers, request.models) + 1)
    ]
    author = (Source(name=AUTHOR, text=request.words),) if request.words else ()
    brief = Brief(
        topic=TOPIC.replace("{kind}", KINDS.get(request.artefact.facts.get("kind", ""), "change")),
        background=(*request.artefact.sources(), *(author if request.intent else ())),
        library=() if request.intent else author,
        rules="\n\n".join(
            part
            for part in (
                f"Look above all at this: {request.focus}" if request.focus else "",
                f"The project's own rules for its code:\n\n{request.rules}" if request.rules else "",
            )
            if part
        ),
        participants=(*reviewers, *checkers),
    )
    return ParsedBrief(
        brief=brief,
        kind="text",
        given={"topic": brief.topic, "protocol": RULE} | ({KEY: request.preset} if request.preset else {}),
        place=request.place,
    )


def check_review(debate: str, transcript: Transcript) -> None:
    """Refuse a debate that is no review.

    Raises:
        RecordError: it has another protocol.
    """
    if transcript.protocol != RULE:
        raise RecordError(f"{debate} is not a review; its protocol is {transcript.protocol}")


async def review_run(workspace: Workspace, debate: str, ignored: Mapping[str, str] | None = None) -> ReviewRun:
    """A review that is over, read from its record, without the findings with these fingerprints.

    Raises:
        RecordError: there is no such debate, or it is no review.
    """
    entries = await workspace.entries(debate)
    transcript = fold(entries)
    check_review(debate, transcript)
    assert transcript.brief
    used = transcript.usage
    whole = review_of(transcript.brief, transcript)
    review = without_ignored(whole, ignored or {})
    return ReviewRun(
        review=review,
        ignored=len(whole.findings) - len(review.findings),
        debate=debate,
        version=metadata.version("folkmoot"),
        cost=used.cost,
        tokens=used.input_tokens + used.output_tokens,
        estimated=used.estimated,
        seconds=sum(elapsed(entries)),
        demonstration=all(participant.seat.startswith(BUILTIN) for participant in transcript.brief.participants),
    )


def described(artefact: Artefact) -> str:
    """What is reviewed, in a sentence for the person who asked for it."""
    changed = sum(len(file.touched()) for file in artefact.files)
    return f"{counted(len(artefact.files), 'file')}, {counted(changed, 'line')} to review"


def passing(review: Review, fail_on: str, *, strict: bool = True) -> Passing:
    """Whether a review passes: not with a survived finding of a touched line that is so bad, nor where it is not whole.

    Args:
        review: the review.
        fail_on: the least severity that fails, or ``never``.
        strict: whether a review that is not whole fails.
    """
    bad = review.at_least(fail_on) if fail_on != "never" else ()
    if any(item.state == "survived" for item in bad):
        return "failed"
    return "incomplete" if strict and (review.missing or unsettled(review, fail_on)) else "passed"


def unsettled(review: Review, fail_on: str) -> tuple[Reviewed, ...]:
    """The findings so bad that nobody has checked: for want of a verdict, or of words that can be found.

    Code cannot tell a true finding with a mangled quotation from an invented one, so none of them passes.
    """
    bad = review.at_least(fail_on) if fail_on != "never" else ()
    return tuple(item for item in bad if item.standing.unchecked or item.state == "no_basis")
