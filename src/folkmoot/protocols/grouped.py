"""Debates in groups: many participants, three to five in each group, and reports from group to group.

Each participant drafts alone and debates in its group; nobody outside reads what is said there. Each group reports
every answer that it has, with its count and best argument; all reconsider after reading the reports; and all decide.

A summary tends to drop minority answers, so the form has a place for each answer on record, and the counts that others
read come from the record, not from the report. A report may list the answers in any order: what it says is matched to
the record by the answer that it names, never by the place where it stands.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from folkmoot.core.ask import Ask, Field, Form
from folkmoot.core.brief import Brief, View
from folkmoot.core.event import Entered
from folkmoot.core.text import letter, listed, words
from folkmoot.core.transcript import Transcript, Turn, normalise, read_field, wording
from folkmoot.phases import base
from folkmoot.phases.base import Phase, Play, State
from folkmoot.phases.choices import Choices, rule_of
from folkmoot.phases.speak import asked_names, draft, revision, shown_keys, too_few_answers
from folkmoot.phases.vote import Count, Vote
from folkmoot.policy.pairing import Teams, is_finished, split_groups
from folkmoot.policy.rounds import Showing
from folkmoot.policy.rules import PLURALITY, Quorum
from folkmoot.protocols.council import JURY_TASK, VOTE_TASK

REPORT = "report"
"""The act of what a group tells the others."""

# Whoever reports has an answer too. "As its holders would" keeps the others' from being put weakly.
REPORTING = (
    "Above are the newest answers of your group, without names. Report them to the other groups, who have read nothing "
    "of yours. Report every answer listed below, also one that a single member holds: how many give it, and the best "
    "argument for it, put as its holders would put it. Say nothing about which answer is right."
)
# Members follow numbers more than reasons; the counts have to be known, so their weight is named.
ACROSS = (
    "The groups have debated apart. Above, each under a letter, they report every answer that they give, its best "
    "argument, and how many give it; none is marked as the report of your group. How many hold an answer is no reason "
    "for it; an argument is. Keep your answer unless a claim in the reports gives you a reason to change it. Then "
    "answer again."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stand:
    """An answer of a group.

    Attributes:
        answer: the answer, in the words of the group's report.
        count: how many of those whose answers the reporter was shown hold it, by the record.
        argument: the best argument for it, in the words of the report; "" if it gives none.
        told: the count in the report; None if it gives none.
        place: the number under which the report lists it; 0 if it is not found there.
    """

    answer: str
    count: int
    argument: str = ""
    told: float | None = None
    place: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One member of each group reports every answer of the group, all groups in parallel.

    A report is for everybody who is masked from nobody whose answer is in it.

    Attributes:
        groups: the groups.
        task: what to do.
        acts: the acts that hold answers.
        name: what it is called in paths.
    """

    groups: Teams
    task: str
    acts: tuple[str, ...]
    name: str = REPORT

    def play(self, state: State) -> Play:
        """Ask for all reports at once."""
        asks = [ask for g, group in enumerate(self.groups, start=1) if (ask := self._ask(state, g, group))]
        if asks:
            yield asks

    def _ask(self, state: State, g: int, group: tuple[str, ...]) -> Ask | None:
        transcript = state.transcript
        newest = [turn for turn in transcript.latest(*self.acts) if turn.by in group and wording(turn) is not None]
        if not newest:
            return None
        # A participant hidden from a member cannot report for it.
        by = max((turn.by for turn in newest), key=lambda who: sum(transcript.sees(who, turn) for turn in newest))
        shown = [turn for turn in newest if transcript.sees(by, turn)]
        state.chance(f"group-{g}").shuffle(shown)
        return Ask(
            key=state.key(g),
            to=by,
            act=REPORT,
            task=f"{self.task}\n\n{_counts_in_words(shown)}",
            form=_form(shown),
            about=tuple(turn.key for turn in shown),
            audience=_readers(state, shown),
            view=View(last=0, anonymous=True),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconsider:
    """All debaters answer once more, with the reports of all groups in view; these answers are for all.

    Attributes:
        task: what to do.
        form: the fields that an answer must have.
        name: what it is called in paths.
    """

    task: str
    form: Form
    name: str = "reconsider"

    def play(self, state: State) -> Play:
        """Ask all who can see a report."""
        shown = {name: self._reports(state, name) for name in asked_names(state, ())}
        if asks := [self._ask(state, n, name, shown[name]) for n, name in enumerate(shown, start=1) if shown[name]]:
            yield asks

    def _reports(self, state: State, name: str) -> list[Turn]:
        reports = [turn for turn in state.transcript.turns(REPORT) if state.transcript.sees(name, turn)]
        state.chance(name).shuffle(reports)
        return reports

    def _ask(self, state: State, n: int, name: str, reports: Sequence[Turn]) -> Ask:
        counts = [
            f"Proposal {letter(i)}: {_count_corrections(state.transcript, turn)}" for i, turn in enumerate(reports)
        ]
        return Ask(
            key=state.key(n),
            to=name,
            act="revise",
            task="\n".join((f"{self.task}\n\nHow many give each answer, by the record:", *counts)),
            form=self.form,
            about=tuple(turn.key for turn in reports),
            view=View(last=0, anonymous=True),
        )


def stands(transcript: Transcript, report: Turn) -> tuple[Stand, ...]:
    """A group's answers, by its report and by the record; in the order in which the record has them."""
    groups = _distinct_answers([transcript.get(key) for key in report.about])
    lines = {n: line for n in range(1, len(groups) + 1) if (line := _line(report, n))}
    places = _matched_lines([answer for answer, _ in groups], {n: line.answer for n, line in lines.items()})
    return tuple(
        replace(lines[places[i]], answer=lines[places[i]].answer or answer, count=len(turns))
        if i in places
        else Stand(answer=answer, count=len(turns))
        for i, (answer, turns) in enumerate(groups)
    )


def _line(report: Turn, n: int) -> Stand | None:
    """What a report says under a number, not counted yet; None where it says nothing."""
    answer, argument, count = read_field(report, f"ANSWER {n}"), read_field(report, f"ARGUMENT {n}"), _count(report, n)
    if answer is None and argument is None and count is None:
        return None
    return Stand(
        answer=str(answer or ""),
        count=0,
        argument=str(argument or ""),
        told=count,
        place=n,
    )


def _count(report: Turn, n: int) -> float | None:
    """The count that a report gives under a number."""
    number = read_field(report, f"COUNT {n}")
    return float(number) if isinstance(number, int | float) else None


LIKE = 0.25
"""The least share of common words by which an answer in other words is found."""


def _matched_lines(answers: Sequence[str], lines: Mapping[int, str]) -> dict[int, int]:
    """For each answer, by its index, the number of the line that reports it.

    The same words first; then words of which more are shared than with any other; then what is left, where only one
    line and one answer are. A line that repeats an answer is none of its own.
    """
    places: dict[int, int] = {}
    left = dict(lines)
    for n, line in lines.items():
        for i, answer in enumerate(answers):
            if line and normalise(line) == normalise(answer):
                places.setdefault(i, n)
                left.pop(n, None)
    open_ = [i for i in range(len(answers)) if i not in places]
    shared = {(i, n): _word_overlap(answers[i], left[n]) for i in open_ for n in left}
    for (i, n), share in shared.items():
        rivals = [other for pair, other in shared.items() if (pair[0] == i) != (pair[1] == n)]
        if share >= LIKE and share > max(rivals, default=0.0):
            places[i] = n
    rest = [i for i in open_ if i not in places]
    unused = [n for n in left if n not in places.values()]
    if len(rest) == len(unused) == 1:
        places[rest[0]] = unused[0]
    return places


def _word_overlap(text: str, other: str) -> float:
    """The share of the words of two texts that are in both, 0 to 1."""
    left, right = set(words(text)), set(words(other))
    return len(left & right) / max(len(left | right), 1)


def _distinct_answers(turns: Sequence[Turn]) -> list[tuple[str, list[Turn]]]:
    """The different answers of some turns, each as its first holder words it, with the turns that give it."""
    turns_by_answer: dict[str | None, list[Turn]] = {}
    for turn in turns:
        turns_by_answer.setdefault(wording(turn), []).append(turn)
    return [(str(read_field(same[0], "ANSWER")), same) for same in turns_by_answer.values()]


def _counts_in_words(shown: Sequence[Turn]) -> str:
    """Which of the answers that the reporter was shown are the same, and how many give each."""
    places = {turn.key: letter(n) for n, turn in enumerate(shown)}
    lines: list[str] = []
    for n, (_, turns) in enumerate(_distinct_answers(shown), start=1):
        proposals = f"Proposal{'s' if len(turns) > 1 else ''} {listed([places[turn.key] for turn in turns])}"
        lines.append(f"Answer {n} is that of {proposals}: {len(turns)} in all.")
    return "\n".join(lines)


def _form(shown: Sequence[Turn]) -> Form:
    """A field for each answer, in any order. A closed one is given as it is; an open one is put in words."""
    fields: list[Field] = []
    groups = _distinct_answers(shown)
    for n, (_, turns) in enumerate(groups, start=1):
        form_fields = turns[0].ask.form.fields if turns[0].ask and turns[0].ask.form else ()
        closed = any(field.name == "ANSWER" and field.kind == "choice" for field in form_fields)
        choices = tuple(other for other, _ in groups)
        instruction = "one of the answers, word for word as above"
        fields += [
            Field(name=f"ANSWER {n}", kind="choice", choices=choices)
            if closed
            else Field(name=f"ANSWER {n}", help=instruction),
            Field(name=f"COUNT {n}", kind="number", low=0, high=len(shown), help="how many give it"),
            Field(name=f"ARGUMENT {n}", help="the best argument for it"),
        ]
    return Form(name="report of a group", fields=tuple(fields))


def _readers(state: State, shown: Sequence[Turn]) -> tuple[str, ...]:
    """Who may read a report of these turns, () for all: those who could see each of them if it were public."""
    public = [replace(turn, ask=replace(turn.ask, audience=())) if turn.ask else turn for turn in shown]
    people = state.brief.participants
    names = [
        participant.name
        for participant in people
        if all(state.transcript.sees(participant.name, turn) for turn in public)
    ]
    return () if len(names) == len(people) else tuple(names)


def _count_corrections(transcript: Transcript, report: Turn) -> str:
    """The record's counts for the lines of a report, where the report says otherwise, and what it leaves out."""
    ranked = sorted(stands(transcript, report), key=lambda stand: stand.place)
    listed_ = [
        f"answer {stand.place} by {stand.count}" + (f" (the report says {stand.told:g})" if _is_wrong(stand) else "")
        for stand in ranked
        if stand.place
    ]
    missing = [f"an answer that it does not name by {stand.count}" for stand in ranked if not stand.place]
    return "; ".join((*listed_, *missing))


def _is_wrong(stand: Stand) -> bool:
    return stand.told is not None and stand.told != stand.count


ACTS = ("draft", "revise")
"""The acts that hold answers."""

LEAST = 6
"""The fewest debaters of whom groups can be made."""

ALONE = "Answer the question on your own, from what you know and from the background."
"""Drafts come first and alone: what others say first is an anchor for those who come after."""

# As in a panel: names and counts make members follow each other, so there are none.
AMONG = (
    "Read the different answers of your group above; none of them is marked as yours. Keep your answer unless a claim "
    "in them, or evidence you overlooked, gives you a reason to change it. Then answer again."
)
LONGEST = 1500
"""The most characters of a proposal on a ballot: with thirty debaters a voter reads up to thirty."""


def grouped(brief: Brief, choices: Choices) -> Phase:
    """Drafts; groups of 3 to 5 debate among themselves; each reports to all others; all reconsider, then decide.

    For six or more. Who debates with whom is drawn by the seed. In each round all groups debate at once, authors
    hidden; a group that agrees, or in which nobody changes the answer, has done. One round by default, at most three.
    With options in the brief the newest answers are the votes.
    """
    choices.no_turn_mode("grouped")
    rounds = choices.rounds_before_vote("grouped", 1)
    names = brief.names("debater")
    seats = {name: brief.participant(name).seat for name in names}
    groups = split_groups(names, seats, State(brief=brief, transcript=Transcript()).chance("groups"))
    talk = Groups(groups=groups, rounds=rounds, drafted=draft(brief.options), revised=revision(brief.options))
    across = Reconsider(task=ACROSS, form=revision(brief.options))
    rule = Quorum(rule=rule_of(choices, PLURALITY))
    vote = Vote(rule=rule, acts=ACTS, task=VOTE_TASK, jury=JURY_TASK, clip=LONGEST)
    decide = Count(rule=rule, acts=ACTS) if brief.options else vote
    report = Report(groups=groups, task=REPORTING, acts=ACTS)
    return base.Sequence(parts=(talk, report, across, decide))


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """All draft alone, then each group debates for itself, all groups at once; each answer is for its group alone.

    It is one phase, closed to additions to rounds or turns, which would show others what is said in it.

    Attributes:
        groups: the groups.
        rounds: the greatest number of rounds after the drafts.
        drafted: the fields of a draft.
        revised: the fields of an answer in a round.
        alone: the question for the drafts.
        among: the question in a round.
        name: what it is called in paths.
    """

    groups: Teams
    rounds: int
    drafted: Form
    revised: Form
    alone: str = ALONE
    among: str = AMONG
    name: str = "groups"

    def play(self, state: State) -> Play:
        """Play the drafts and the rounds."""
        yield from self._ask_all(state.at("draft"), self.groups)
        if not state.transcript.turns("draft", under=state.path):
            yield too_few_answers(0, sum(map(len, self.groups)), 1)
        for n in range(1, self.rounds + 1):
            left = tuple(() if is_finished(state.transcript, group, ACTS) else group for group in self.groups)
            if not any(left):
                return
            yield from self._ask_all(state.at(f"round-{n}"), left)

    def _ask_all(self, state: State, groups: Teams) -> Play:
        yield Entered(path=state.path)
        yield [
            self._ask(state.at(f"group-{g}"), n, name, group)
            for g, group in enumerate(groups, start=1)
            for n, name in enumerate(group, start=1)
        ]

    def _ask(self, state: State, n: int, name: str, group: tuple[str, ...]) -> Ask:
        debating = state.round > 0
        shown = Showing(acts=ACTS, distinct=True, shuffle=True)
        return Ask(
            key=state.key(n),
            to=name,
            act="revise" if debating else "draft",
            task=self.among if debating else self.alone,
            form=self.revised if debating else self.drafted,
            about=shown_keys((shown,), state, name) if debating else (),
            audience=group,
            view=View(last=0, anonymous=debating),
        )
