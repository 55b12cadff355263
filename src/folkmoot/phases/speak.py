"""Phases in which participants speak: who is asked what and in which batch, with the forms of drafts and revisions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from folkmoot.core.ask import Ask, Field, Form
from folkmoot.core.brief import Brief, View
from folkmoot.core.errors import ProtocolError
from folkmoot.core.event import Halted
from folkmoot.core.transcript import TARGET, Turn
from folkmoot.phases.base import ROOT, Play, State
from folkmoot.policy.pairing import Pairs
from folkmoot.policy.rounds import FloorView, InTurn, Showing, Turns

SPOKEN = ("open", "draft", "propose", "argue", "question", "answer", "interrupt", "revise", "critique", "close")
"""The acts that carry arguments; others can be answered to, and they stand on the argument map."""

POSITIONS = ("open", "draft", "propose", "argue", "answer", "revise", "close")
"""The acts that hold a position: what somebody can stand for, revise and be quoted with."""

RELATIONS = ("SUPPORT", "ATTACK", "REBUT", "QUESTION")
"""What a turn does to the one that it answers: backs it, denies its claim, denies that its reasons bear it, asks."""

NEAREST = 12
"""So many of the newest turns can be named as the one that is answered."""

ISSUES = Form(
    name="critique",
    fields=(
        Field(name="WHERE", help="the words of the proposal that you mean", required=False),
        Field(name="ISSUE", help="the weakest point of the proposal, in one sentence"),
        Field(name="SUGGESTION", help="what would mend it", required=False),
        Field(name="UNSOURCED", kind="list", help="its claims that need a source and name none", required=False),
        Field(name="SEVERITY", kind="number", low=0, high=10, help="0 is cosmetic, 10 is fatal"),
    ),
)
"""A critique of one proposal."""

SETTLEMENT = Form(
    name="settlement",
    fields=(
        Field(name="SUMMARY", help="where the debate stands"),
        Field(
            name="STATUS",
            kind="choice",
            choices=("SETTLED", "CONTINUE"),
            help="whether it can be decided now",
            needs="DECISION",
            when="SETTLED",
        ),
        Field(name="DECISION", required=False, help="the decision, if and only if it is SETTLED"),
    ),
)
"""What the moderator of the moderated pattern gives after each round."""

VERDICT = Form(
    name="verdict",
    fields=(
        Field(name="SUMMARY", help="the positions and what speaks for each"),
        Field(name="VERDICT", help="what follows from the debate"),
    ),
)
"""What a mediator gives at the end."""


def narrowed(form: Form, name: str, options: tuple[str, ...]) -> Form:
    """The form with that field as a choice among the options; the same form where there are none."""
    fields = [
        replace(field, kind="choice", choices=options) if options and field.name == name else field
        for field in form.fields
    ]
    return replace(form, fields=tuple(fields))


def speech(options: tuple[str, ...]) -> Form:
    """A turn that says what it claims, which turn it answers and how; only claim and argument are worth a repair."""
    return Form(
        name="speech",
        fields=(
            Field(name=TARGET, kind="choice", required=False, help="the turn that you answer"),
            Field(name="RELATION", kind="choice", choices=RELATIONS, required=False, help="what your claim does to it"),
            Field(name="ARGUMENT", help="what you say, in full"),
            Field(name="CLAIM", help="your main claim in one sentence; NONE if you add nothing new"),
            replace(_answer(options), required=False),
        ),
    )


def quoting_speech(options: tuple[str, ...]) -> Form:
    """A turn as in ``speech`` that quotes the words which it answers."""
    return Form(name="clash", fields=tuple(item for field in speech(options).fields for item in _with_quote(field)))


def aimed(form: Form, turn: Turn) -> Form:
    """The form with that turn as the only one which it can answer."""
    fields = [replace(field, choices=(turn.mark,)) if field.name == TARGET else field for field in form.fields]
    return replace(form, fields=tuple(fields))


def with_required_target(form: Form) -> Form:
    """The form for a speaker who has said which turn it answers: it has to name and quote that turn."""
    fields = [replace(field, required=field.required or field.name in (TARGET, "QUOTE")) for field in form.fields]
    return replace(form, fields=tuple(fields))


def linked(form: Form | None, state: State, name: str, view: View) -> Form | None:
    """The form with the marks of the newest turns in sight as choices of TARGET.

    Where there are none, it has no TARGET, and nothing that goes with one.
    """
    if form is None or all(field.name != TARGET for field in form.fields):
        return form
    sight = state.transcript.look(view.narrowed(state.brief.participant(name).view), name)
    marks = tuple(turn.mark for turn in sight if turn.act in SPOKEN and turn.by != name)[-NEAREST:]
    gone = () if marks else (TARGET, "QUOTE", "RELATION")
    fields = [replace(field, choices=marks) if field.name == TARGET else field for field in form.fields]
    return replace(form, fields=tuple(field for field in fields if field.name not in gone))


def draft(options: tuple[str, ...]) -> Form:
    """A first answer; closed where the brief names options."""
    return Form(name="draft", fields=(*_REASONS, _answer(options)))


def revision(options: tuple[str, ...]) -> Form:
    """An answer after others have been read: it may change, for a stated reason."""
    change = Field(name="BECAUSE", required=False, help="if your answer has changed: the claim that changed it")
    return Form(name="revision", fields=(change, *_REASONS, _answer(options)))


_REASONS = (
    Field(name="ARGUMENT", help="your best argument, with its evidence"),
    Field(name="CONFIDENCE", kind="number", low=0, high=1, required=False, help="how likely you are right"),
)


def _with_quote(field: Field) -> tuple[Field, ...]:
    """TARGET followed by a QUOTE, any other field alone."""
    quote = Field(name="QUOTE", required=False, help="the words of that turn that you answer, copied exactly")
    return (field, quote) if field.name == TARGET else (field,)


def _answer(options: tuple[str, ...]) -> Field:
    if options:
        return Field(name="ANSWER", kind="choice", choices=options)
    return Field(name="ANSWER", help="your answer in one sentence")


@dataclass(frozen=True, slots=True, kw_only=True)
class Everyone:
    """All are asked the same in parallel; nobody sees another's answer before all have answered.

    Attributes:
        act: what the answers are.
        task: what to do; ``{round}`` is replaced by the number of the round.
        who: names of those who are asked; empty for all debaters.
        form: the fields that an answer must have.
        show: the turns that each is asked about.
        view: which turns of the log go along.
        needs: how many must answer; with fewer the whole debate halts.
        private: whether each answer is for its author alone; it stands in no log.
    """

    act: str
    task: str
    who: tuple[str, ...] = ()
    form: Form | None = None
    show: tuple[Showing, ...] = ()
    view: View = View()
    needs: int = 0
    private: bool = False

    @property
    def name(self) -> str:
        """What it is called in paths: the act."""
        return self.act

    def play(self, state: State) -> Play:
        """Ask all, once."""
        asks = [self._ask(state, n, name) for n, name in enumerate(asked_names(state, self.who), start=1)]
        yield asks
        answered = sum(state.transcript.get(ask.key).reply is not None for ask in asks)
        if answered < self.needs:
            yield too_few_answers(answered, len(asks), self.needs)

    def _ask(self, state: State, n: int, name: str) -> Ask:
        return Ask(
            key=state.key(n),
            to=name,
            act=self.act,
            task=self.task.replace("{round}", str(state.round)),
            form=linked(self.form, state, name, self.view),
            about=shown_keys(self.show, state, name),
            audience=(name,) if self.private else readers_of(state, name, self.view),
            view=self.view,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Critique:
    """Each criticises the newest turn of those it is paired with.

    Attributes:
        of: the acts that are criticised.
        pairs: who criticizes whom.
        task: what to do.
        form: the fields that a critique must have.
        view: which turns of the log go along.
        name: what it is called in paths and records.
    """

    of: tuple[str, ...]
    pairs: Pairs
    task: str
    form: Form | None = None
    view: View = View(last=0, anonymous=True)
    name: str = "critique"

    def play(self, state: State) -> Play:
        """Ask all critics at once."""
        newest = {turn.by: turn for turn in state.transcript.latest(*self.of)}
        names = [name for name in asked_names(state, ()) if name in newest]
        drawn = self.pairs.draw(names, round=state.round, chance=state.chance("pairs"))
        pairs = [(critic, author) for critic, author in drawn if state.transcript.sees(critic, newest[author])]
        if pairs:
            yield [
                Ask(
                    key=state.key(n),
                    to=critic,
                    act=self.name,
                    task=self.task,
                    form=self.form,
                    about=(newest[author].key,),
                    view=self.view,
                )
                for n, (critic, author) in enumerate(pairs, start=1)
            ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """One speaks after the other; each hears all who spoke before.

    Attributes:
        act: what the turns are.
        task: what to do; ``{round}`` is replaced by the number of the round.
        turns: who speaks next.
        who: names of those who may speak; empty for all debaters.
        form: the fields that a turn must have.
        view: which turns of the log go along.
        name: what it is called in paths.
    """

    act: str
    task: str
    turns: Turns = InTurn()
    who: tuple[str, ...] = ()
    form: Form | None = None
    view: View = View()
    name: str = "floor"

    def play(self, state: State) -> Play:
        """Give the floor to one after the other."""
        people = [state.brief.participant(name) for name in asked_names(state, self.who)]
        keys: list[str] = []
        while True:
            turns = [state.transcript.get(key) for key in keys]
            hearing = FloorView(round=state.round, transcript=state.transcript, chance=state.chance("order"))
            name = self.turns.next(turns, people, hearing)
            if not name:
                break
            keys.append(state.key(len(keys) + 1))
            yield [
                Ask(
                    key=keys[-1],
                    to=name,
                    act=self.act,
                    task=self.task.replace("{round}", str(state.round)),
                    form=linked(self.form, state, name, self.view),
                    view=self.view,
                )
            ]
        if not any(state.transcript.get(key).reply for key in keys):
            yield Halted(path=ROOT, reason=f"none of {len(keys)} answered")


def too_few_answers(answered: int, count: int, needs: int) -> Halted:
    """The end of a debate in which fewer have answered than it needs."""
    verb = "is" if needs == 1 else "are"
    return Halted(path=ROOT, reason=f"{answered} of {count} answered, {needs} {verb} needed to go on")


def readers_of(state: State, name: str, view: View) -> tuple[str, ...]:
    """Who may see what a participant says; () for all.

    A moderator sums up what it was shown. Where some of that is hidden from somebody, its words are for those alone who
    may know all of it: a mask would be none if the moderator told what is behind it.
    """
    brief, transcript = state.brief, state.transcript
    if brief.participant(name).duty == "debater" or not any(participant.hide for participant in brief.participants):
        return ()
    shown = transcript.look(view.narrowed(brief.participant(name).view), name)
    readers = tuple(
        participant.name
        for participant in brief.participants
        if all(transcript.may_know(participant.name, turn) for turn in shown)
    )
    return () if len(readers) == len(brief.participants) else readers


def same_language(language: str, other: str) -> bool:
    """Whether two names are of one language."""
    return language.casefold() == other.casefold()


def asked_names(state: State, who: tuple[str, ...]) -> tuple[str, ...]:
    """Those who are meant: the names given, or all debaters."""
    return who or state.brief.names("debater")


def shown_keys(show: Sequence[Showing], state: State, name: str) -> tuple[str, ...]:
    """The keys of all turns that a participant is asked about."""
    keys = [key for showing in show for key in showing.keys(state.transcript, name, state.chance(name))]
    return tuple(dict.fromkeys(keys))


def check_names(names: Sequence[str]) -> None:
    """Check that there are enough debaters.

    Raises:
        ProtocolError: fewer than two debaters.
    """
    if len(names) < 2:
        raise ProtocolError(f"a debate needs at least 2 debaters, not {len(names)}", about="participants")


ALONE = View(last=0)
"""What is shown to those who answer alone: the question and the background, and no turn."""

HIDDEN = View(last=0, anonymous=True)
"""What is shown to those who answer again: the turns laid before them, without names."""

FIRST = "Answer the question on your own, from what you know and from the background."

AGAIN = (
    "Read the different answers above; none of them is marked as yours. Keep your answer unless a claim in them, "
    "or evidence you overlooked, gives you a reason to change it. Then answer again."
)


def alone(brief: Brief) -> Everyone:
    """All answer at once; nobody sees an answer of another."""
    return Everyone(act="draft", task=FIRST, form=draft(brief.options), view=ALONE, needs=1)
