"""The protocol ``board``: members talk, a timekeeper sets deadlines, and each member gives a verdict.

Members speak one after the other in random order, quiet members first. Every few messages the timekeeper says how much
time is left; at a deadline it names the members whose verdict is missing. After the first deadline their next message
must contain a verdict; after the second, only they may speak. The meeting ends when all have withdrawn, or at the
maximum number of messages.

Every prompt contains two layers of instructions: the brief's rules for all, and the participant's own persona.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from folkmoot.core.ask import Ask, Field, Form
from folkmoot.core.brief import DEFAULT_MESSAGES, RECORDED_ROUNDS, Brief, View
from folkmoot.core.decision import Ballot, Decision, Minority
from folkmoot.core.errors import ProtocolError
from folkmoot.core.event import Halted, Ruled
from folkmoot.core.roles import (
    ARTIFACTS,
    REASONING,
    VERDICT,
    WITHDRAWN,
    Standing,
    artifacts,
    asked_fields,
    standings,
    take_turn,
)
from folkmoot.core.transcript import Turn, read_field
from folkmoot.phases.base import ROOT, Phase, Play, State
from folkmoot.phases.base import Sequence as InOrder
from folkmoot.phases.choices import Choices, rule_of
from folkmoot.phases.endings import mediator
from folkmoot.phases.speak import readers_of
from folkmoot.phases.vote import with_weight
from folkmoot.policy.board_turns import SPEAKING_TO, QuietFirst, recommendation
from folkmoot.policy.rounds import FloorView, Turns
from folkmoot.policy.rules import PLURALITY, Quorum, Rule, opposing_votes

OWN = View(own=True, numbered=True)
"""The whole log, one's own messages as one's own words."""

SPEAKER = "Speaker"
WHISPER_TO = "WhisperTo"
ALL = "all"
"""What a message names that speaks to nobody in particular; no participant can have that name."""


def message(options: tuple[str, ...]) -> Form:
    """The form of a message; the choices of names are filled in for each speaker.

    It is strict: who sends nothing that can be read is absent after a while.
    """
    return Form(
        name="message",
        layout="tags",
        strict=True,
        envelope="Message",
        fields=(
            Field(name=SPEAKER, kind="choice", required=False),
            Field(name=SPEAKING_TO, kind="choice", required=False),
            Field(name="Thoughts", required=False, private=True, help="what you think and tell nobody"),
            Field(
                name="Whisper", required=False, private=True, to=WHISPER_TO, help="words for one member alone, if any"
            ),
            Field(name=WHISPER_TO, kind="choice", required=False, private=True, to=WHISPER_TO),
            Field(
                name=ARTIFACTS,
                required=False,
                help="a document, table or data that you attach, its title in the first line",
            ),
            Field(
                name="Cites",
                kind="list",
                required=False,
                help="what you rest on: artifacts by their marks, such as A3, and documents by their names",
            ),
            Field(name="Content", help="what you say to the board"),
            *_verdict(options, required=False),
            Field(
                name=WITHDRAWN,
                kind="flag",
                required=False,
                help="true if you leave the meeting for good; it counts only with a verdict",
                needs=VERDICT,
            ),
        ),
    )


def last_word(options: tuple[str, ...]) -> Form:
    """What is asked of a member when the meeting is over and it has given no verdict."""
    verdict = _verdict(options, required=True, abstain=True)
    fields = (Field(name=SPEAKER, kind="choice", required=False), *verdict)
    return Form(name="verdict", layout="tags", strict=True, envelope="Message", fields=fields)


def _verdict(options: tuple[str, ...], *, required: bool, abstain: bool = False) -> tuple[Field, ...]:
    helped = "your verdict in a few words, the same words as others where you agree with them"
    verdict = Field(name=VERDICT, required=required, help=helped, abstain=True)
    if options:
        verdict = Field(name=VERDICT, kind="choice", choices=options, required=required, abstain=abstain)
    verdict = replace(verdict, needs=REASONING)
    return (Field(name=REASONING, required=False, help="why, in one or two sentences", needs=VERDICT), verdict)


def member_form(form: Form, member: str, people: Sequence[str]) -> Form:
    """The form as one of these people fills it in: its own name, and the names of the others to speak to."""
    others = tuple(name for name in people if name != member)
    names = {SPEAKER: (member,), SPEAKING_TO: (*others, ALL), WHISPER_TO: others}
    fields = [replace(field, choices=names[field.name]) if field.name in names else field for field in form.fields]
    return replace(form, fields=tuple(fields))


def bound_to_judge(form: Form) -> Form:
    """The form with a verdict that has to be given."""
    fields = [replace(field, required=True) if field.name == VERDICT else field for field in form.fields]
    return replace(form, fields=tuple(fields))


def form_with_verdict(form: Form) -> Form:
    """The form for a member with a verdict: reasons and leaving need no new one."""
    fields = [replace(field, needs="") if field.needs == VERDICT else field for field in form.fields]
    return replace(form, fields=tuple(fields))


CLOSING = "The meeting is over and you have given no verdict. Give it now, with your reasons; nobody will answer it."


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommend:
    """Who has given no verdict is asked for one, once; then the verdicts are counted.

    Attributes:
        rule: verdicts to decision.
        form: the fields of a last word.
        rounds: the cap of the meeting, for the words of the decision.
        task: what to do.
        view: which turns of the log go along.
        name: what it is called in paths.
    """

    rule: Rule
    form: Form
    rounds: int = 8
    task: str = CLOSING
    view: View = OWN
    name: str = "recommend"

    def play(self, state: State) -> Play:
        """Ask for what is missing, and decide."""
        states = self._states(state)
        undecided = [name for name, member in states.items() if not member.verdict]
        people = [participant.name for participant in state.brief.participants]
        asks = [
            Ask(
                key=state.key(n),
                to=name,
                act="verdict",
                task=self.task,
                form=member_form(self.form, name, people),
                view=self.view,
            )
            for n, name in enumerate(undecided, start=1)
        ]
        if asks:
            yield asks
        yield Ruled(decision=self._decide(state, self._states(state)))

    def _states(self, state: State) -> Mapping[str, Standing]:
        return standings(state.brief.names("debater"), state.transcript.all())

    def _decide(self, state: State, states: Mapping[str, Standing]) -> Decision:
        first = first_words(states)
        ballots = [_ballot(state, member, first.get(member.wording, "")) for member in states.values()]
        decision = self.rule.decide(ballots, state.brief.options or tuple(first.values()))
        withdrawals = [turn for turn in state.transcript.all() if WITHDRAWN in asked_fields(turn)]
        limit = self.rounds * len(states)
        cap = f"the meeting ended at its cap of {limit} messages" if len(withdrawals) >= limit else ""
        decision = replace(decision, how="; ".join(filter(None, (decision.how, cap))))
        return worded(decision, states)


def first_words(states: Mapping[str, Standing]) -> Mapping[str, str]:
    """The verdicts by their wordings, each as it was first put."""
    first_answers: dict[str, str] = {}
    for member in states.values():
        if member.verdict:
            first_answers.setdefault(member.wording, member.verdict)
    return first_answers


def _ballot(state: State, member: Standing, choice: str) -> Ballot:
    ballot = with_weight(state, Ballot(voter=member.name))
    if not member.verdict:
        reason = "absent" if member.absent else "no verdict"
        return replace(ballot, state="abstained" if member.abstained else "missing", reason=reason)
    return replace(ballot, choice=choice, reason=member.reasoning)


def worded(decision: Decision, states: Mapping[str, Standing]) -> Decision:
    """The decision with what the board recommends in words, its best reason, and who recommends otherwise and why."""
    votes = {name: [ballot for ballot in decision.ballots if ballot.choice == name] for name in decision.tally}
    lost = [name for name, ballots in votes.items() if ballots and name != decision.winner]
    against = [ballot for name in lost for ballot in votes[name]]
    total = sum(decision.tally.values())
    return replace(
        decision,
        text=recommendation(decision, states),
        argument=_reason(votes.get(decision.winner, [])),
        dissent=opposing_votes(against, decision.winner) if decision.winner else (),
        minority=tuple(
            Minority(
                answer=name,
                by=tuple(ballot.voter for ballot in votes[name]),
                share=decision.tally[name] / total if total else 0.0,
                argument=_reason(votes[name]),
            )
            for name in lost
        ),
    )


def _reason(ballots: Sequence[Ballot]) -> str:
    return next((ballot.reason for ballot in ballots if ballot.reason), "")


# A member that is not told what withdrawing costs does so at once, to please.
SPEAKING = (
    "Message {n} of at most {most}. You sit on this board, which has to reach a verdict on the topic. Judge from "
    "your own expertise, rely on the documents, and answer what the others said where you differ. Give your verdict "
    "once you have one, with your reasons; a later one replaces it. Withdraw only if you have given a verdict and have "
    "nothing to add: you will not speak again, and your verdict stands. A short message counts as well: "
    "Content, VerdictReasoning, Verdict and Withdrawn are enough."
)
DUE = "The deadline has passed and you owe a verdict: this message must contain it."
# What comes first is said as it stands by the built-in timekeeper, which has no words of its own.
REMINDING = (
    "{where} {owing}\n\nYou keep the time of this board. Tell the members so, in one or two sentences of your own. You "
    "manage the process only: say nothing about the topic, judge nobody, and favour no verdict."
)


QUIET = QuietFirst()
EVERY = 4
"""The number of messages after which the timekeeper speaks."""

DEADLINE = 20
"""The number of messages after which it names who owes a verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """Members speak until all have withdrawn, or as many messages were asked for as there may be.

    Attributes:
        speaking: the task of a member; ``{n}`` is replaced by the number of the message, ``{most}`` by the cap.
        due: what is added for a member that owes a verdict.
        reminding: the task of the timekeeper; ``{where}`` is replaced by the state of the time, ``{owing}`` by the
            members without a verdict.
        form: the fields of a message.
        rounds: the most messages of each member.
        every: the number of messages after which the timekeeper speaks.
        deadline: the number of messages after which it speaks too, and names those who then must give a verdict.
        turns: who speaks next.
        view: which turns of the log go along.
        act: what the messages are.
        name: what it is called in paths.
    """

    form: Form
    speaking: str = SPEAKING
    due: str = DUE
    reminding: str = REMINDING
    rounds: int = DEFAULT_MESSAGES
    every: int = EVERY
    deadline: int = DEADLINE
    turns: Turns = QUIET
    view: View = OWN
    act: str = "argue"
    name: str = "meeting"

    def __post_init__(self) -> None:
        if not 1 <= self.rounds <= RECORDED_ROUNDS:
            raise ProtocolError(f"rounds: {self.rounds} is not a number from 1 to {RECORDED_ROUNDS}", about="rounds")
        for name, messages in (("every", self.every), ("deadline", self.deadline)):
            if messages < 1:
                raise ProtocolError(f"{name}: {messages} is not a number of at least 1", about=name)

    def play(self, state: State) -> Play:
        """Run the meeting."""
        names, course = state.brief.names("debater"), Course()
        limit, n = self.rounds * len(names), 0
        turns: list[Turn] = []
        states = standings(names, turns)
        while True:
            name = self._next(state, course, turns, states) if len(turns) < limit else ""
            if not name:
                break
            if course.is_time(turns, (self.every, self.deadline)):
                course.remind(turns, states, self.deadline)
                n += 1
                yield [self._remind(state, n, course, states)]
                name = self._next(state, course, turns, states)
            n += 1
            course.asked += 1
            last = next((turn for turn in reversed(turns) if turn.by == name), None)
            refused = _refusals_in_words(last, states[name]) if last else ""
            yield [self._ask(state, n, states[name], (len(turns) + 1, refused), course)]
            turns.append(state.transcript.get(state.key(n)))
            take_turn(states, turns[-1])
        if not any(turn.reply for turn in turns):
            yield Halted(path=ROOT, reason=f"none of {len(turns)} answered")
        elif len(turns) < limit:
            yield Halted(path=state.path, reason=_why_over(states))

    def _next(self, state: State, course: "Course", turns: Sequence[Turn], states: Mapping[str, Standing]) -> str:
        """Who has the floor; "" if nobody is left."""
        must_speak = course.must_speak(states)
        people = [participant for participant in state.brief.participants if participant.duty == "debater"]
        late = [participant for participant in people if participant.name in must_speak]
        hearing = FloorView(state.round, state.transcript, state.chance("floor"), states)
        return self.turns.next(turns, late or people, hearing)

    def _ask(self, state: State, n: int, member: Standing, reminder: tuple[int, str], course: "Course") -> Ask:
        must_decide, name, (number, refused) = course.deadlines > 0 and not member.verdict, member.name, reminder
        limit = self.rounds * len(state.brief.names("debater"))
        task = self.speaking.replace("{n}", f"{number}").replace("{most}", f"{limit}")
        people = [participant.name for participant in state.brief.participants if participant.duty != "aide"]
        return Ask(
            key=state.key(n),
            to=name,
            act=self.act,
            task="\n\n".join(
                filter(None, (task, refused, self.due if must_decide else "", _citable_artifacts(state, name)))
            ),
            form=course.form(self.form, member, people, must_decide=must_decide),
            view=self.view,
        )

    def _remind(self, state: State, n: int, course: "Course", states: Mapping[str, Standing]) -> Ask:
        keeper = state.brief.names("moderator")[0]
        limit = self.rounds * len(states)
        position, undecided = (
            f"So far {course.asked} of at most {limit} messages.",
            _members_without_verdict(course, states),
        )
        return Ask(
            key=state.key(n),
            to=keeper,
            act="remind",
            task=self.reminding.replace("{where}", position).replace("{owing}", undecided),
            audience=readers_of(state, keeper, self.view),
            view=self.view,
        )


class Course:
    """How far a meeting has come: how many asks there were, when the timekeeper spoke last, the deadlines.

    Attributes:
        asked: how many asks to members there were.
        reminded: how many messages there were when the timekeeper spoke last.
        deadlines: how many deadlines there were.
        now: whether what the timekeeper says now is a deadline.
        before: how often each member had been asked when the newest deadline came.
    """

    def __init__(self) -> None:
        self.asked = self.reminded = self.deadlines = 0
        self.now = False
        self.before: dict[str, int] = {}
        self._forms: dict[tuple[str, bool, bool], Form] = {}

    def form(self, form: Form, member: Standing, people: Sequence[str], *, must_decide: bool) -> Form:
        """The form as a member fills it in now."""
        kind = member.name, bool(member.verdict), must_decide
        if kind not in self._forms:
            own = member_form(form, member.name, people)
            self._forms[kind] = (
                form_with_verdict(own) if member.verdict else bound_to_judge(own) if must_decide else own
            )
        return self._forms[kind]

    def is_time(self, turns: Sequence[Turn], times: Sequence[int]) -> bool:
        """Whether the timekeeper has to speak: after given numbers of messages, never twice for the same number."""
        turns_so_far = _count_answered(turns)
        return turns_so_far > self.reminded and any(turns_so_far % time == 0 for time in times)

    def remind(self, turns: Sequence[Turn], states: Mapping[str, Standing], deadline: int) -> None:
        """The timekeeper speaks; this is a deadline if it is due and a verdict is missing."""
        self.reminded = _count_answered(turns)
        self.now = self.reminded % deadline == 0 and bool(without_verdict(states))
        if self.now:
            self.deadlines += 1
            self.before = {name: member.asked for name, member in states.items()}

    def must_speak(self, states: Mapping[str, Standing]) -> list[str]:
        """Who alone may speak: after a second deadline, members without a verdict who have not been asked since."""
        if self.deadlines < 2:
            return []
        return [name for name in without_verdict(states) if states[name].asked == self.before[name]]


def without_verdict(states: Mapping[str, Standing]) -> list[str]:
    """Members without a verdict who have not left."""
    return [name for name, member in states.items() if not member.verdict and not member.absent]


def _count_answered(turns: Sequence[Turn]) -> int:
    return sum(turn.reply is not None for turn in turns)


def _members_without_verdict(course: Course, states: Mapping[str, Standing]) -> str:
    """Members without a verdict, in words for the prompt."""
    names = ", ".join(without_verdict(states))
    if not names:
        return "All who are at the table have given a verdict; who has nothing to add can withdraw."
    if not course.now:
        return f"Without a verdict so far: {names}. The clock is ticking."
    if course.deadlines == 1:
        return f"Deadline: a verdict is due now from {names}. It must be in their next message."
    return f"Deadline {course.deadlines}: only {names} may speak until each has given the verdict."


def _refusals_in_words(turn: Turn, member: Standing) -> str:
    """What was refused in a member's last message, and why, in words for its next prompt; "" for nothing."""
    unread = {each.field: each for each in (turn.reply.unread if turn.reply else ())}
    refusals: list[str] = []
    if VERDICT in unread and not read_field(turn, VERDICT):
        refusals.append(f"Your last message gave no verdict that counts: {unread[VERDICT].why}.")
    if turn.mark in member.refused:
        refusals.append("You could not leave the meeting: a withdrawal counts only with a verdict.")
    elif WITHDRAWN in unread:
        refusals.append("You did not leave the meeting: Withdrawn must be true or false.")
    if not refusals and "Content" in unread:
        refusals.append(f"Nothing of your last message was booked: {unread['Content'].why}.")
    return " ".join(refusals)


def _citable_artifacts(state: State, name: str) -> str:
    """What can be cited, without words of those who attached it."""
    transcript = state.transcript
    attached = [artifact for artifact in artifacts(transcript.turns()) if transcript.sees(name, artifact.turn)]
    marks = [f"{artifact.mark} ({artifact.turn.by})" for artifact in attached]
    return f"Artifacts so far: {', '.join(marks)}." if marks else ""


def _why_over(states: Mapping[str, Standing]) -> str:
    if all(member.withdrawn for member in states.values()):
        return "all members have withdrawn"
    absent = [name for name, member in states.items() if member.absent and not member.withdrawn]
    return f"nobody is left who could speak; absent: {', '.join(absent)}"


def board(brief: Brief, choices: Choices) -> Phase:
    """Members talk, the quiet first, and a timekeeper reminds of the time; verdicts are counted at the end.

    Raises:
        ProtocolError: no timekeeper, or a choice that does not go with it.
    """
    choices.no_turn_mode("board")
    mediator(brief, "board")
    if choices.mediation:
        problem = "board has a timekeeper, who manages the process only; leave out mediator_type"
        raise ProtocolError(problem, about="mediator_type")
    rounds = choices.at_least_one("board", 8)
    rule = Quorum(rule=rule_of(choices, PLURALITY))
    every, deadline = choices.reminder_interval or EVERY, choices.deadline_interval or DEADLINE
    meeting = Meeting(form=message(brief.options), rounds=rounds, every=every, deadline=deadline)
    return InOrder(parts=(meeting, Recommend(rule=rule, form=last_word(brief.options), rounds=rounds)))
