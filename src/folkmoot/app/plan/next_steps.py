"""What to do next, as commands for every host to tell: to resume a debate, or to decide one that nobody won."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil

from folkmoot.app.brief.default_participants import default_moderator
from folkmoot.app.plan.checks import has_nothing_to_quote
from folkmoot.core.ask import Usage
from folkmoot.core.brief import TURN_SECONDS, is_person
from folkmoot.core.decision import NextStep
from folkmoot.core.errors import FolkmootError
from folkmoot.core.event import Closed, Entry, Opened, Paused
from folkmoot.core.labels import only_answered
from folkmoot.core.transcript import Transcript, fold
from folkmoot.phases.base import Rounds
from folkmoot.phases.choices import Choices
from folkmoot.phases.verdict import NOT_SOUGHT
from folkmoot.protocols.known import KNOWN, TIMED, build
from folkmoot.protocols.spec import load_opened

BY_HAND = "given by hand in a fork"
"""What the notes of an answer say that a person gave in a fork."""

UNDECIDED = ("tie", "no_decision")
"""How a debate ends that nobody won, and that may still be decided."""

JUDGED = "moderated"
"""The protocol by which a moderator decides."""


def next_steps(opened: Opened, debate: str, transcript: Transcript) -> Iterator[NextStep]:
    """What may decide a debate that ended in a tie or without a decision; nothing for any other.

    Args:
        opened: how it began.
        debate: its id.
        transcript: what was said, and how it ended.
    """
    if transcript.closed is None or transcript.closed.status not in UNDECIDED:
        return
    decision = transcript.decision
    if only_answered(opened.name, transcript.closed.status, transcript.closed.reason):
        return
    voted = decision is not None and any(ballot.state == "cast" for ballot in decision.ballots)
    if not voted and has_nothing_to_quote(opened.brief):
        yield NextStep(command="folkmoot models", words="shows which language models you can use")
        yield NextStep(command=f"folkmoot again {debate} -m PROVIDER:NAME", words="with a language model")
        return
    if voted:
        yield NextStep(command=f"folkmoot show --recount {debate}", words="the same votes under other rules")
    if opened.name not in KNOWN:
        return
    unread = not voted and _is_unread(transcript)
    if unread:
        # What a model cannot say in one round it says in no other, nor as a moderator.
        yield NextStep(command=f"folkmoot again {debate} -m PROVIDER:NAME", words="with a model that keeps to the form")
    sought = decision is None or decision.how != NOT_SOUGHT
    if not unread and sought and "protocol" in opened.settings and (rounds := _more_rounds(opened)):
        yield NextStep(command=f"folkmoot again {debate} --rounds {rounds}", words="with more rounds")
    moderators = opened.brief.names("moderator")
    if opened.name in TIMED or len(moderators) > 1:
        return
    if opened.name != JUDGED and not unread:
        yield NextStep(command=f"folkmoot again {debate} --protocol {JUDGED}", words="a moderator decides")
    seat = shlex.quote(f"{(*moderators, default_moderator(JUDGED).name)[0]}=human")
    yield NextStep(command=f"folkmoot again {debate} --protocol {JUDGED} -m {seat}", words="a person decides")


def _is_unread(transcript: Transcript) -> bool:
    """Whether of those whose answer should decide nobody could be read, though some have answered."""
    decision = transcript.decision
    if decision is not None and decision.ballots:
        return any(ballot.state == "unread" for ballot in decision.ballots)
    asked = [turn for turn in transcript.turns() if turn.ask and turn.ask.form]
    return bool(asked) and not any(turn.fields for turn in asked)


def ways_to_decide(entries: Sequence[Entry], debate: str) -> tuple[NextStep, ...]:
    """What may decide a debate on record that nobody won; nothing for any other."""
    opened = next((entry.event for entry in entries if isinstance(entry.event, Opened)), None)
    won = not any(isinstance(entry.event, Closed) and entry.event.status in UNDECIDED for entry in entries)
    return () if won or opened is None or not debate else tuple(next_steps(opened, debate, fold(entries)))


_RAISED: Mapping[str, str] = {
    "asks": "--max-questions",
    "tokens": "--max-tokens",
    "cost": "--budget",
    "total_seconds": "--total-seconds",
}
"""The option of ``folkmoot resume`` that raises a limit."""


_MENDED: Mapping[str, str] = {
    "timeout": "with more time for each answer",
    "key": "once its key is set or renewed; nothing is paid twice",
    "quota": "once there is credit again; nothing is paid twice",
    "too_long": "once the model has a larger context: a local server is started with it; nothing is paid twice",
    "not_found": "once the model is there; nothing is paid twice",
    "request": "once the model takes such requests; nothing is paid twice",
}
"""What has to be mended before a debate is resumed, by what all who were asked have met."""

LEAST_SECONDS = 600
"""Seconds for an answer with which a debate is resumed that has paused for time; more where it had as much before."""


def resume_step(debate: str, paused: Paused | None, usage: Usage) -> NextStep:
    """How a paused debate is resumed. Where a limit stopped it, with twice that limit: else it would pause again.

    Answers that were under way when the limit was reached may have used more than the limit; then with twice that.

    Args:
        debate: its id.
        paused: why it is paused.
        usage: what it has used.
    """
    cause = paused.cause if paused else ""
    if cause in _MENDED:
        seconds = min(max(LEAST_SECONDS, 2 * (paused.most or 0) if paused else 0), TURN_SECONDS.high)
        more = f" --turn-seconds {seconds:.15g}" if cause == "timeout" else ""
        return NextStep(command=f"folkmoot resume {debate}{more}", words=_MENDED[cause])
    option, maximum = (_RAISED.get(paused.limit, ""), paused.most) if paused else ("", None)
    if not option or maximum is None:
        return NextStep(command=f"folkmoot resume {debate}", words="")
    used = {"--budget": usage.cost or 0.0, "--max-tokens": usage.input_tokens + usage.output_tokens}.get(option, 0.0)
    if used <= maximum:
        return NextStep(command=f"folkmoot resume {debate} {option} {2 * maximum:.15g}", words="with twice that limit")
    twice = ceil(200 * used) / 100 if option == "--budget" else 2 * used
    return NextStep(command=f"folkmoot resume {debate} {option} {twice:.15g}", words="with twice what it has used")


def pause_steps(debate: str, transcript: Transcript, usage: Usage, entries: int) -> Iterator[NextStep]:
    """What can be done with a paused debate: answer, resume it, let another model go on.

    Args:
        debate: its id.
        transcript: what was said, and why it is paused.
        usage: what it has used.
        entries: how many entries it has.
    """
    paused = transcript.paused
    kind = paused.kind if paused else ""
    open_turns = [turn for turn in transcript.all() if turn.ask and not transcript.answered(turn.key)]
    participants = transcript.brief.participants if transcript.brief else ()
    people = {participant.name for participant in participants if is_person(participant)}
    for name in dict.fromkeys(turn.by for turn in open_turns if turn.by in people):
        yield NextStep(command=f"folkmoot answer {debate} --as {shlex.quote(name)}", words=f"answers as {name}")
    step = resume_step(debate, paused, usage)
    yield step if step.words else replace(step, words=_RESUMES.get(kind, _RESUMES[""]))
    if kind == "batch":
        yield NextStep(command="folkmoot batch --jobs", words="shows the batches at the providers")
    elif kind in ("limit", "stopped", "unavailable"):
        fork = f"folkmoot fork {debate} --at {entries} -m PROVIDER:NAME"
        yield NextStep(command=fork, words="lets another model continue, in a fork")


_RESUMES: Mapping[str, str] = {
    "": "continues the debate; nothing is paid twice",
    "waiting": "asks here, and continues the debate",
    "batch": "looks whether the batch has ended, and continues the debate",
    "unavailable": "tries again, and continues the debate; nothing is paid twice",
}
"""What it does to resume a debate, by why it is paused."""


def _more_rounds(opened: Opened) -> int:
    """One round more than the debate had at most; 0 where its protocol takes no more."""
    from folkmoot.app.plan.simulation import parts  # here for start-up time: few debates end undecided

    try:
        round_limit = next((part.most for part in parts(load_opened(opened)) if isinstance(part, Rounds)), None)
        if round_limit is None or opened.name in TIMED:
            return 0
        people = tuple(participant for participant in opened.brief.participants if participant.duty != "aide")
        brief = replace(opened.brief, participants=people)
        same, longer = (build(opened.name, brief, Choices(rounds=rounds)) for rounds in (round_limit, round_limit + 1))
    except FolkmootError:
        return 0
    return round_limit + 1 if longer != same else 0
