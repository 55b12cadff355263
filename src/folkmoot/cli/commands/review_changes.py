"""The command ``folkmoot review``: reviewers of several vendors look for faults in a change, files or a plan."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, Unpack, get_args

import click
from click.core import ParameterSource

from folkmoot.cli.options import (
    DONE,
    FILE,
    INCOMPLETE,
    SURVIVED,
    FloatRange,
    HalfPriceOptions,
    IntRange,
    NotEmpty,
    Store,
    code_of,
    command,
    complete_debate,
    half_price_options,
    note,
    open_for_running,
    option,
    rare,
    run_command,
    store_option,
    unwritable,
    write_file,
)
from folkmoot.core.brief import COST, TOTAL_SECONDS
from folkmoot.core.errors import BriefError
from folkmoot.core.text import counted, listed
from folkmoot.reviews.merging import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from folkmoot.app.review.github import GitHub
    from folkmoot.app.review.pull_request import Place
    from folkmoot.app.review.subject import Subject
    from folkmoot.app.run.outcome import Outcome
    from folkmoot.app.run.workspace import StopRequest, Workspace
    from folkmoot.reviews.artefact import Artefact
    from folkmoot.reviews.review_data import ReviewRun

    Run: TypeAlias = Callable[[StopRequest], Coroutine[object, object, Outcome]]

Shape: TypeAlias = Literal["text", "md", "json", "sarif"]
SHAPES: tuple[Shape, ...] = get_args(Shape)

EXIT_CODES = """Exit codes: 0 passed, 1 error, 2 mistake in the command, 4 limit reached, 5 provider unreachable, 6 waits
for a batch, 7 a finding of the severity of --fail-on survived, 8 incomplete (not with --lenient), 130 interrupted."""

ON_RECORD = (
    "base",
    "staged",
    "plan",
    "pr",
    "new",
    "intent",
    "rules",
    "model",
    "preset",
    "reviewers",
    "focus",
    "budget",
    "seconds",
)
"""The options that say what is reviewed, and how."""


class ReviewOptions(HalfPriceOptions):
    """All options of ``folkmoot review``."""

    base: str | None
    staged: bool
    plan: Path | None
    pr: str | None
    post: bool
    lines: bool
    new: bool
    rules: bool
    ignore: str | None
    intent: bool
    model: tuple[str, ...]
    preset: str | None
    reviewers: int
    focus: str
    budget: float | None
    seconds: float | None
    fail_on: str
    strict: bool
    shape: Shape
    out: Path | None
    again: str | None
    dispute: str | None
    because: str
    cite: str
    store: Store


@command(epilog=EXIT_CODES)
@click.argument("names", nargs=-1, metavar="[A..B | FILE … | -]")
@option("--base", type=NotEmpty(), metavar="COMMIT", help="Review everything since this commit.")
@option("--staged", is_flag=True, help="Review what is staged for the next commit.")
@option("--plan", type=FILE, metavar="FILE", help="Review a plan or another document.")
@option("--pr", type=NotEmpty(), metavar="N", help="Review a pull request on GitHub: number, OWNER/NAME#N, or address.")
@option("--post", is_flag=True, help="Write the review as one comment on the pull request.")
@option("-m", "--model", multiple=True, metavar="MODEL", help="Who reviews, as provider:name. Can be repeated.")
@option("--preset", type=NotEmpty(), metavar="NAME", help="Settings from folkmoot.toml that say which models answer.")
@option("--focus", default="", metavar="TEXT", help="What the reviewers should look at above all.")
@option("--budget", type=FloatRange(*COST), metavar="USD", help="Maximum cost, in US dollars.")
@option(
    "--fail-on",
    type=click.Choice([*SEVERITIES, "never"]),
    default="high",
    show_default=True,
    metavar="SEVERITY",
    help="Fail if such a finding survives.",
)
@option(
    "--format",
    "shape",
    type=click.Choice(SHAPES),
    default="text",
    show_default=True,
    metavar="FORMAT",
    help="text, md, json or sarif.",
)
@option("-o", "--out", type=FILE, metavar="FILE", help="Write the review into a file.")
@option(
    "--again",
    type=NotEmpty(),
    metavar="ID",
    shell_complete=complete_debate,
    help="Resume an earlier review, or write it anew.",
)
@half_price_options
@rare("--lines", is_flag=True, help="With --post: also comment at the lines of findings that survived.")
@rare("--new", is_flag=True, help="With --pr: review only what was pushed since the last posted review.")
@rare("--rules/--no-rules", default=True, help="Whether reviewers get the project's REVIEW.md, else AGENTS.md.")
@rare("--intent", is_flag=True, help="Show the author's words also to the reviewers, not only to checkers.")
@rare("--reviewers", type=IntRange(1, 5), default=2, show_default=True, metavar="N", help="Number of reviewers.")
@rare("--seconds", type=FloatRange(*TOTAL_SECONDS), metavar="N", help="Time limit for the whole review.")
@rare("--strict/--lenient", default=True, help="Whether an incomplete review fails. Default: it does.")
@rare("--dispute", type=NotEmpty(), metavar="F3", help="With --again: dispute a finding as the author, once.")
@rare("--ignore", type=NotEmpty(), metavar="F3", help="With --again: ignore a finding for good, in REVIEW.ignore.")
@rare("--because", default="", metavar="TEXT", help="With --dispute or --ignore: why.")
@rare("--cite", default="", metavar="FILE:LINES", help="With --dispute: the lines that show it.")
@store_option
def review(names: tuple[str, ...], **options: Unpack[ReviewOptions]) -> int:
    """Review a change, files or a plan.

    Without names, it reviews what the branch and the work tree have changed. Each reviewer works alone, and cites lines
    and words for each fault. Folkmoot checks that the words are there. A model of another vendor then checks each
    finding. The repository can start no program, and nothing in the work tree is changed.
    """
    return run_command(_review(names, options))


async def _review(names: tuple[str, ...], options: ReviewOptions) -> int:
    from folkmoot.app.plan.settings import load_config
    from folkmoot.app.review.project_rules import with_wanted

    _check(names, options)
    async with open_for_running(options["store"]) as workspace:
        workspace.tray.on, workspace.tray.or_live = options["half_price"], options["or_live"]
        workspace.tray.tell = note
        if options["again"]:
            return await _resume_review(workspace, await workspace.find(options["again"]), options)
        subject = _subject(names, options)
        subject = replace(subject, artefact=with_wanted(subject.artefact, load_config().review))
        if not any(file.rows for file in subject.artefact.files):
            changed = "no line of text" if subject.artefact.files else "nothing"
            note(f"{changed} has changed, so there is nothing to review")
            _untracked(subject.artefact)
            return _write_empty(subject.artefact, options)
        return await _start(workspace, subject, options)


def _check(names: tuple[str, ...], options: ReviewOptions) -> None:
    """Refuse options that do not fit together, before anything is read or paid.

    Raises:
        UsageError: it names them.
        BriefError: the review would be written over a file that is none.
    """
    again, because = options["again"], options["because"]
    dispute, ignore, cite = options["dispute"], options["ignore"], options["cite"]
    context = click.get_current_context()
    typed = [name for name in ON_RECORD if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    if again and (fixed := [*(["the names"] if names else []), *(f"--{name}" for name in typed)]):
        problem = "--again takes up an earlier review; what it reviews is on record, and how. Leave out"
        raise click.UsageError(f"{problem} {listed(fixed)}.")
    for wrong, problem in (
        (options["post"] and not (options["pr"] or again), "--post comments on a pull request; name one with --pr."),
        (options["lines"] and not options["post"], "--lines comments at lines of a pull request; it needs --post."),
        (options["new"] and not options["pr"], "--new needs the pull request: name it with --pr."),
        (options["pr"] and (names or typed[:1] in (["base"], ["staged"], ["plan"])), "--pr names what is reviewed; leave out the other names."),
        (ignore and (not (again and because) or dispute), "--ignore needs --again ID and --because TEXT, and no --dispute."),
        (dispute and not (again and because and cite), "--dispute needs --again ID, --because TEXT and --cite FILE:LINES."),
        (because and not (dispute or ignore), "--because belongs to --dispute or --ignore."),
        (cite and not dispute, "--cite belongs to --dispute."),
    ):  # fmt: skip
        if wrong:
            raise click.UsageError(problem)
    if out := options["out"]:
        if fault := unwritable(out):
            raise click.ClickException(f"the review cannot be written: {fault}: {out}")
        from folkmoot.app.export.reports import check_target

        check_target(out)


def _subject(names: tuple[str, ...], options: ReviewOptions) -> "Subject":
    from folkmoot.app.review.subject import Subject, Wanted, read_subject

    if options["pr"]:
        from folkmoot.app.review.github import GitHub
        from folkmoot.app.review.pull_request import read_place, read_pull_request

        place = read_place(options["pr"], Path.cwd())
        request = read_pull_request(GitHub(), place, Path.cwd(), new=options["new"])
        return Subject(artefact=request.artefact, words=request.words)
    diff = None
    if names == ("-",):
        names, diff = (), sys.stdin.buffer.read().decode("utf-8", "replace")
    wanted = Wanted(names=names, base=options["base"] or "", staged=options["staged"], plan=options["plan"], diff=diff)
    return read_subject(wanted, Path.cwd())


def _untracked(artefact: "Artefact") -> None:
    for fact in ("untracked", "left out"):
        if words := artefact.facts.get(fact):
            note(f"left out: {words}")


async def _start(workspace: "Workspace", subject: "Subject", options: ReviewOptions) -> int:
    """Say what the review may cost, then run it."""
    from folkmoot.app.batch.batch_rounds import batch_note
    from folkmoot.app.plan.checks import UNREAD_LIBRARY
    from folkmoot.app.review.project_rules import project_rules
    from folkmoot.app.review.review_start import ReviewRequest, described, review_brief
    from folkmoot.app.run.prepare import LimitOverrides, Overrides, prepare
    from folkmoot.app.run.record_reader import place_of
    from folkmoot.app.run.start import run_start
    from folkmoot.cli.display.text_layout import amount, money

    where, rules = project_rules(subject.folder or Path.cwd()) if options["rules"] else ("", "")
    if where:
        note(f"reviewers get the rules of {where}; --no-rules leaves them out")
    request = ReviewRequest(
        artefact=subject.artefact,
        rules=rules,
        reviewers=options["reviewers"],
        focus=options["focus"],
        words=subject.words,
        intent=options["intent"],
        models=len(options["model"]),
        preset=options["preset"] or "",
        place=place_of(subject.folder) if subject.folder else "",
    )
    caps = LimitOverrides(cost=options["budget"], total_seconds=options["seconds"])
    overrides = Overrides(models=options["model"], protocol="findings", caps=caps)
    start = await prepare(workspace, review_brief(request), overrides)
    debate = workspace.new_id(start.plan)
    total = start.costing.usual_total
    limits = f"at most {total.asks} questions, {amount(total.tokens)} tokens, {money(total.cost)}"
    note(f"{debate}: {described(subject.artefact)}; {limits}")
    _untracked(subject.artefact)
    if options["half_price"]:
        rounds, or_live = start.costing.most.rounds, options["or_live"]
        note(batch_note([start.plan.brief], rounds, or_live=or_live))
    for sentence in start.notes:
        # The author's words are no library that somebody should read: they are for those who check.
        if sentence != UNREAD_LIBRARY or not subject.words:
            note(sentence)
    return await _conduct(workspace, debate, options, lambda stop: run_start(workspace, start, debate, stop=stop))


async def _resume_review(workspace: "Workspace", debate: str, options: ReviewOptions) -> int:
    """Resume a review where it stopped; one that is over is written once more."""
    from folkmoot.app.review.author_dispute import DisputeRequest, open_dispute
    from folkmoot.app.review.project_rules import ignore
    from folkmoot.app.review.review_start import check_review
    from folkmoot.core.transcript import fold
    from folkmoot.reviews.artefact import artefact_of
    from folkmoot.reviews.reviewed import review_of

    transcript = fold(await workspace.entries(debate))
    check_review(debate, transcript)
    assert transcript.brief
    if options["post"]:
        _comment_place(debate, artefact_of(transcript.brief))
    if wanted := options["ignore"]:
        found = review_of(transcript.brief, transcript).find(wanted)
        if found is None:
            raise click.UsageError(f"{debate} has no finding {wanted[:20]!r}.")
        path = ignore(Path.cwd(), found.finding, options["because"])
        note(f"{found.finding.id} is ignored from now on; commit {path.name}")
        return DONE
    if disputed := options["dispute"]:
        # The judge is asked in a copy of the review.
        request = DisputeRequest(finding=disputed, because=options["because"], cite=options["cite"])
        copy = await open_dispute(workspace, debate, request)
        note(f"{copy}: {debate} with the dispute of {disputed.upper()}; at most 1 question")
        debate = copy
    elif transcript.closed:
        return await _write(workspace, debate, options)
    return await _conduct(workspace, debate, options, lambda stop: workspace.resume(debate, stop=stop))


async def _conduct(workspace: "Workspace", debate: str, options: ReviewOptions, run: "Run") -> int:
    """Run a review to its end and write it; the exit code."""
    from folkmoot.app.batch.batch_rounds import BatchRounds
    from folkmoot.cli.display.output import Output
    from folkmoot.cli.terminal import Interrupt, conduct

    interrupt = Interrupt(say=note)
    rounds = BatchRounds(workspace=workspace, stop=interrupt.stop, wait=options["wait"])

    async def whole() -> "Outcome":
        async with rounds.open(), rounds.working():
            first = await run(interrupt.stop)
            return await rounds.finish(first, lambda: workspace.resume(debate, stop=interrupt.stop))

    outcome = await conduct(workspace, debate, whole(), Output("quiet").viewer, interrupt)
    outcome = outcome or await workspace.outcome(debate)
    if outcome.status == "paused":
        note(f"paused: {outcome.reason}; resume it with: folkmoot review --again {debate}")
        return code_of(outcome.status, outcome.kind)
    return await _write(workspace, debate, options)


def _write_empty(artefact: "Artefact", options: ReviewOptions) -> int:
    """Write that there was nothing to review, in the formats that programs read; the exit code."""
    from importlib.metadata import version

    from folkmoot.reviews.review_data import ReviewRun
    from folkmoot.reviews.reviewed import Review

    if options["out"] or options["shape"] in ("json", "sarif"):
        review = Review(artefact=artefact, findings=(), reviewers={})
        _put(ReviewRun(review=review, debate="", version=version("folkmoot")), options)
    return DONE


async def _write(workspace: "Workspace", debate: str, options: ReviewOptions) -> int:
    """Write a review that is over; the exit code."""
    from folkmoot.app.review.project_rules import read_ignored
    from folkmoot.app.review.review_start import passing, review_run, unsettled

    run = await review_run(workspace, debate, read_ignored(Path.cwd()))
    _put(run, options)
    if options["post"]:
        _post(run, lines=options["lines"])
    codes = {"passed": DONE, "failed": SURVIVED, "incomplete": INCOMPLETE}
    passed = passing(run.review, options["fail_on"], strict=options["strict"])
    if passed == "incomplete" and (left := unsettled(run.review, options["fail_on"])):
        ids = listed([item.finding.id for item in left])
        advice = "read what is said there; with --lenient the review passes"
        note(f"nobody has checked {ids}; {advice}")
    return codes[passed]


def _put(run: "ReviewRun", options: ReviewOptions) -> None:
    """Write a review into the file that was asked for, else on the screen."""
    from folkmoot.reviews.review_data import as_data, as_markdown, as_text, sarif

    match options["shape"]:
        case "text":
            text = as_text(run)
        case "md":
            text = as_markdown(run)
        case "json" | "sarif" as shape:
            data = as_data(run) if shape == "json" else sarif(run)
            text = json.dumps(data, ensure_ascii=False, indent=2) + "\n"
    if options["out"]:
        write_file(options["out"], text)
        note(f"{run.review}; written to {options['out']}")
    else:
        click.echo(text, nl=False)


def _comment_place(debate: str, artefact: "Artefact") -> "tuple[GitHub, Place]":
    """Where the comment of a review goes, and the way to it.

    Raises:
        BriefError: it is no review of a pull request, or there is no way.
    """
    from folkmoot.app.review.github import GitHub
    from folkmoot.app.review.pull_request import place_of

    pull = place_of(artefact)
    if pull is None:
        raise BriefError(f"{debate} is no review of a pull request, so there is nowhere to post it", code="bad_name")
    return GitHub(), pull


def _post(run: "ReviewRun", *, lines: bool) -> None:
    """Write the comment, which was asked for, and with ``lines`` those at the lines."""
    from folkmoot.app.review.github import GitHubError
    from folkmoot.app.review.pull_request import post_comment, post_lines
    from folkmoot.reviews.review_data import as_markdown

    artefact = run.review.artefact
    github, pull = _comment_place(run.debate, artefact)
    text = as_markdown(run, url=artefact.facts["url"].partition("/pull/")[0])
    posted = post_comment(github, pull, text, anew="since" in artefact.facts)
    note(f"{'edited' if posted.edited else 'posted'} the comment: {posted.url}")
    if lines:
        try:
            note(f"{counted(post_lines(github, pull, run), 'comment')} at lines")
        except GitHubError as error:
            if error.status != 422:
                raise
            # The comment above has every finding, so nothing is lost.
            note("GitHub takes no comments at these lines, perhaps since the change has moved on")
