"""The command ``folkmoot review``: reviewers of several vendors look for faults in a change, files or a plan."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, Unpack, get_args

import click
import rich_click
from click.core import ParameterSource

from folkmoot.cli.options import (
    DONE,
    INCOMPLETE,
    MEANINGS,
    SURVIVED,
    FloatRange,
    HalfPriceOptions,
    NotEmpty,
    code_of,
    complete_debate,
    half_price_options,
    open_for_running,
    run_command,
    store_option,
    unwritable,
)
from folkmoot.core.brief import COST, TOTAL_SECONDS
from folkmoot.core.text import counted, listed
from folkmoot.reviews.merging import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from folkmoot.app.review.github import GitHub
    from folkmoot.app.review.pull_request import Place
    from folkmoot.app.review.subject import Subject
    from folkmoot.app.run.outcome import Outcome
    from folkmoot.app.run.start import HostHooks
    from folkmoot.app.run.workspace import Workspace
    from folkmoot.core.transcript import Transcript
    from folkmoot.reviews.artefact import Artefact
    from folkmoot.reviews.review_data import ReviewRun

    Run: TypeAlias = Callable[[HostHooks], Coroutine[object, object, Outcome]]

Shape: TypeAlias = Literal["text", "md", "json", "sarif"]
SHAPES: tuple[Shape, ...] = get_args(Shape)
FILE = click.Path(path_type=Path, dir_okay=False)


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
    store: Path | str | None


@rich_click.command(epilog=MEANINGS)
@click.argument("names", nargs=-1, metavar="[A..B | FILE … | -]")
@click.option("--base", type=NotEmpty(), metavar="COMMIT", help="Review everything since this commit.")
@click.option("--staged", is_flag=True, help="Review what is staged for the next commit.")
@click.option("--plan", type=FILE, metavar="FILE", help="Review a plan or another document.")
@click.option(
    "--pr",
    type=NotEmpty(),
    metavar="N",
    help="Review a pull request on GitHub: its number, OWNER/NAME#N, or its address.",
)
@click.option("--post", is_flag=True, help="Write the review as one comment on the pull request.")
@click.option("--lines", is_flag=True, help="With --post: also comment at the lines of findings that survived.")
@click.option("--new", is_flag=True, help="With --pr: review only what was pushed since the last posted review.")
@click.option("--rules/--no-rules", default=True, help="Whether reviewers get the project's REVIEW.md, else AGENTS.md.")
@click.option("--intent", is_flag=True, help="Show the author's words also to the reviewers, not only to checkers.")
@click.option(
    "-m", "--model", multiple=True, metavar="PROVIDER:NAME", help="The model that answers. It may be repeated."
)
@click.option(
    "--preset", type=NotEmpty(), metavar="NAME", help="A named set of settings that says which models answer."
)
@click.option("--reviewers", type=click.IntRange(1, 5), default=2, show_default=True, help="Number of reviewers.")
@click.option("--focus", default="", metavar="TEXT", help="What the reviewers should look at above all.")
@click.option("--budget", type=FloatRange(*COST), metavar="USD", help="Maximum cost, in US dollars.")
@click.option("--seconds", type=FloatRange(*TOTAL_SECONDS), metavar="N", help="Time limit for the whole review.")
@click.option(
    "--fail-on",
    type=click.Choice([*SEVERITIES, "never"]),
    default="high",
    show_default=True,
    help="Fail if a finding of at least this severity survives the check.",
)
@click.option("--strict/--lenient", default=True, help="Whether an incomplete review fails. Default: it does.")
@click.option(
    "--format", "shape", type=click.Choice(SHAPES), default="text", show_default=True, help="The output format."
)
@click.option("-o", "--out", type=FILE, metavar="FILE", help="Write the review into a file.")
@click.option(
    "--again",
    type=NotEmpty(),
    metavar="ID",
    shell_complete=complete_debate,
    help="Resume an earlier review, or write it anew.",
)
@click.option("--dispute", type=NotEmpty(), metavar="F3", help="With --again: dispute a finding as the author, once.")
@click.option(
    "--ignore", type=NotEmpty(), metavar="F3", help="With --again: ignore a finding for good, in REVIEW.ignore."
)
@click.option("--because", default="", metavar="TEXT", help="With --dispute or --ignore: why.")
@click.option("--cite", default="", metavar="FILE:LINES", help="With --dispute: the lines that show it.")
@half_price_options
@store_option
def review(names: tuple[str, ...], **options: Unpack[ReviewOptions]) -> int:
    """Review a change, files or a plan.

    Without names, it reviews what the branch and the work tree have changed. Each reviewer works alone, and cites lines
    and words for each fault. Folkmoot checks that the words are there. A model of another vendor then checks each finding.
    Git is called in a way that lets the repository start no program. Nothing in the work tree is changed.
    """
    return run_command(_review(names, options))


async def _review(names: tuple[str, ...], options: ReviewOptions) -> int:
    from folkmoot.app.plan.settings import load_config
    from folkmoot.app.review.project_rules import with_wanted

    _check(names, options)
    async with open_for_running(options["store"]) as workspace:
        workspace.tray.on, workspace.tray.or_live = options["half_price"], options["or_live"]
        workspace.tray.tell = lambda sentence: click.echo(f"folkmoot: {sentence}", err=True)
        if options["again"]:
            return await _resume_review(workspace, await workspace.find(options["again"]), options)
        subject = _subject(names, options)
        subject = replace(subject, artefact=with_wanted(subject.artefact, load_config().review))
        if not any(file.rows for file in subject.artefact.files):
            changed = "no line of text" if subject.artefact.files else "nothing"
            click.echo(f"folkmoot: {changed} has changed, so there is nothing to review", err=True)
            _untracked(subject.artefact)
            return _write_empty(subject.artefact, options)
        return await _start(workspace, subject, options)


def _check(names: tuple[str, ...], options: ReviewOptions) -> None:
    """Refuse options that do not fit together, before anything is read or paid.

    Raises:
        UsageError: it names them.
        BriefError: the review would be written over a file that is none.
    """
    if options["again"] and (fixed := [*(["the names"] if names else []), *_typed(ON_RECORD)]):
        problem = "--again takes up an earlier review; what it reviews is on record, and how. Leave out"
        raise click.UsageError(f"{problem} {listed(fixed)}.")
    if options["post"] and not (options["pr"] or options["again"]):
        raise click.UsageError("--post writes a comment on a pull request; name one with --pr.")
    if options["lines"] and not options["post"]:
        raise click.UsageError("--lines comments at lines of a pull request; it belongs to --post.")
    if options["new"] and not options["pr"]:
        raise click.UsageError("--new reviews what was pushed to a pull request; name one with --pr.")
    if options["ignore"] and not (options["again"] and options["because"] and not options["dispute"]):
        raise click.UsageError("--ignore needs --again ID and --because TEXT, and no --dispute.")
    if options["dispute"] and not (options["again"] and options["because"] and options["cite"]):
        raise click.UsageError("--dispute needs --again ID, --because TEXT and --cite FILE:LINES.")
    if options["because"] and not (options["dispute"] or options["ignore"]):
        raise click.UsageError("--because belongs to --dispute or --ignore.")
    if options["cite"] and not options["dispute"]:
        raise click.UsageError("--cite belongs to --dispute.")
    if (out := options["out"]) and (fault := unwritable(out)):
        raise click.ClickException(f"the review cannot be written: {fault}: {out}")
    if out and out.is_file():
        from folkmoot.app.export.reports import check_target

        check_target(out)


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


def _typed(options: Sequence[str]) -> list[str]:
    """Those of the options that the user has typed."""
    context = click.get_current_context()
    return [f"--{name}" for name in options if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]


def _subject(names: tuple[str, ...], options: ReviewOptions) -> "Subject":
    from folkmoot.app.review.subject import Subject, Wanted, read_subject

    if options["pr"]:
        if names or options["base"] or options["staged"] or options["plan"]:
            raise click.UsageError("--pr names what is reviewed; leave out the other names.")
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
            click.echo(f"folkmoot: left out: {words}", err=True)


async def _start(workspace: "Workspace", subject: "Subject", options: ReviewOptions) -> int:
    """Say what the review may cost, then run it."""
    from folkmoot.app.batch.batch_rounds import batch_note
    from folkmoot.app.plan.checks import UNREAD_LIBRARY
    from folkmoot.app.review.project_rules import project_rules
    from folkmoot.app.review.review_start import ReviewRequest, described, review_brief
    from folkmoot.app.run.prepare import LimitOverrides, Overrides
    from folkmoot.app.run.record_reader import place_of
    from folkmoot.app.run.start import prepare_start, run_start
    from folkmoot.cli.display.text_layout import amount, money

    where, rules = project_rules(subject.folder or Path.cwd()) if options["rules"] else ("", "")
    if where:
        click.echo(f"folkmoot: reviewers get the rules of {where}; --no-rules leaves them out", err=True)
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
    start = await prepare_start(workspace, review_brief(request), overrides)
    debate = workspace.new_id(start.prepared.plan)
    total = start.prepared.costing.usual_total
    limits = f"at most {total.asks} questions, {amount(total.tokens)} tokens, {money(total.cost)}"
    click.echo(f"folkmoot: {debate}: {described(subject.artefact)}; {limits}", err=True)
    _untracked(subject.artefact)
    if options["half_price"]:
        rounds, or_live = start.prepared.costing.most.rounds, options["or_live"]
        click.echo(f"folkmoot: {batch_note([start.prepared.plan.brief], rounds, or_live=or_live)}", err=True)
    for note in start.prepared.notes:
        if note == UNREAD_LIBRARY and subject.words:
            continue  # the author's words stand there, for those who check
        click.echo(f"folkmoot: {note}", err=True)
    return await _conduct(workspace, debate, options, lambda hooks: run_start(workspace, start, debate, hooks))


async def _resume_review(workspace: "Workspace", debate: str, options: ReviewOptions) -> int:
    """Resume a review where it stopped; one that is over is written once more."""
    from folkmoot.app.review.review_start import check_review
    from folkmoot.core.transcript import fold
    from folkmoot.reviews.artefact import artefact_of

    transcript = fold(await workspace.entries(debate))
    check_review(debate, transcript)
    if options["post"]:
        assert transcript.brief
        _comment_place(debate, artefact_of(transcript.brief))
    if options["ignore"]:
        return _ignore(debate, transcript, options)
    if options["dispute"]:
        debate = await _dispute(workspace, debate, options)
    elif transcript.closed:
        return await _write(workspace, debate, options)
    return await _conduct(workspace, debate, options, lambda hooks: workspace.resume(debate, stop=hooks.stop))


def _ignore(debate: str, transcript: "Transcript", options: ReviewOptions) -> int:
    """Note in REVIEW.ignore that a finding is ignored for good."""
    from folkmoot.app.review.project_rules import ignore
    from folkmoot.reviews.reviewed import review_of

    assert transcript.brief
    wanted = options["ignore"] or ""
    found = review_of(transcript.brief, transcript).find(wanted)
    if found is None:
        raise click.UsageError(f"{debate} has no finding {wanted[:20]!r}.")
    path = ignore(Path.cwd(), found.finding, options["because"])
    click.echo(f"folkmoot: {found.finding.id} is ignored from now on; commit {path.name}", err=True)
    return DONE


async def _dispute(workspace: "Workspace", debate: str, options: ReviewOptions) -> str:
    """Put the copy of a review on record in which a judge is asked; its id."""
    from folkmoot.app.review.author_dispute import DisputeRequest, open_dispute

    wanted = DisputeRequest(finding=options["dispute"] or "", because=options["because"], cite=options["cite"])
    copy = await open_dispute(workspace, debate, wanted)
    click.echo(f"folkmoot: {copy}: {debate} with the dispute of {wanted.finding.upper()}; at most 1 question", err=True)
    return copy


async def _conduct(workspace: "Workspace", debate: str, options: ReviewOptions, run: "Run") -> int:
    """Run a review to its end and write it; the exit code."""
    from folkmoot.app.batch.batch_rounds import BatchRounds
    from folkmoot.app.run.start import HostHooks
    from folkmoot.cli.display.output import Output
    from folkmoot.cli.terminal import Interrupt, conduct

    output = Output("quiet")

    def remark(sentence: str) -> None:
        click.echo(f"folkmoot: {sentence}", err=True)

    interrupt = Interrupt(say=remark)
    rounds = BatchRounds(workspace=workspace, stop=interrupt.stop, wait=options["wait"])

    async def whole() -> "Outcome":
        async with rounds.open(), rounds.working():
            first = await run(HostHooks(stop=interrupt.stop))
            return await rounds.finish(first, lambda: workspace.resume(debate, stop=interrupt.stop))

    outcome = await conduct(workspace, debate, whole(), output.viewer, interrupt)
    outcome = outcome or await workspace.outcome(debate)
    if outcome.status == "paused":
        remark(f"paused: {outcome.reason}; resume it with: folkmoot review --again {debate}")
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
        click.echo(f"folkmoot: nobody has checked {ids}; {advice}", err=True)
    return codes[passed]


def _put(run: "ReviewRun", options: ReviewOptions) -> None:
    """Write a review into the file that was asked for, else on the screen."""
    text = _formatted(run, options["shape"])
    if options["out"]:
        from folkmoot.app.export.reports import check_target, save

        check_target(options["out"])  # a review takes minutes, in which the file may have become another one
        try:
            save(options["out"], text)
        except OSError as error:
            raise click.ClickException(f"the review cannot be written: {error.strerror}: {options['out']}") from error
        click.echo(f"folkmoot: {run.review}; written to {options['out']}", err=True)
    else:
        click.echo(text, nl=False)


def _comment_place(debate: str, artefact: "Artefact") -> "tuple[GitHub, Place]":
    """Where the comment of a review goes, and the way to it.

    Raises:
        BriefError: it is no review of a pull request, or there is no way.
    """
    from folkmoot.app.review.github import GitHub
    from folkmoot.app.review.pull_request import place_of
    from folkmoot.core.errors import BriefError

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
    click.echo(f"folkmoot: {'edited' if posted.edited else 'posted'} the comment: {posted.url}", err=True)
    if lines:
        try:
            click.echo(f"folkmoot: {counted(post_lines(github, pull, run), 'comment')} at lines", err=True)
        except GitHubError as error:
            if error.status != 422:
                raise
            # The comment above has every finding, so nothing is lost.
            click.echo(
                "folkmoot: GitHub takes no comments at these lines, perhaps since the change has moved on", err=True
            )


def _formatted(run: "ReviewRun", shape: Shape) -> str:
    """The review in the wanted format."""
    import json

    from folkmoot.reviews.review_data import as_data, as_markdown, as_text, sarif

    match shape:
        case "text":
            return as_text(run)
        case "md":
            return as_markdown(run)
        case "json":
            return json.dumps(as_data(run), ensure_ascii=False, indent=2) + "\n"
        case "sarif":
            return json.dumps(sarif(run), ensure_ascii=False, indent=2) + "\n"
