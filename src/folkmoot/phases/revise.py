"""Phases in which debaters look at the debate itself: revisions, strategy notes, summaries, reflection, translations.

A revision names the turn that it replaces; the old turn stays where it is, so no earlier prompt changes. A strategy
note is visible only to its author. The author of a summary sees exactly what its readers see.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from folkmoot.core.ask import REPLACES, Ask, Field, Form
from folkmoot.core.brief import View
from folkmoot.core.text import clip
from folkmoot.core.transcript import SUMMARY, Turn, read_field
from folkmoot.phases.base import Phase, Play, State, is_batch
from folkmoot.phases.endings import LOG
from folkmoot.phases.speak import NEAREST, POSITIONS, SPOKEN, Everyone, same_language, speech

# ---- revisions -----------------------------------------------------------------------------------------------------

# Two questions, so that a participant who revises nothing adds nothing to the log of the others.
RECONSIDER = (
    "Do you want to take back or improve one of your earlier turns, now that you have heard the others? Name it."
)
REVISE = "You revise your turn above. Write what is to replace it, in full; keep what you still think."
CHOSEN = Form(
    name="choice", fields=(Field(name=REPLACES, kind="choice", required=False, help="the turn that you revise"),)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Revise:
    """Each debater may revise one earlier turn of its own: first it names one, unseen by others, then it revises it.

    Attributes:
        offer: the question whether to revise.
        task: the question for the revision.
        name: what it is called in paths.
    """

    offer: str = RECONSIDER
    task: str = REVISE
    name: str = "revise"

    def play(self, state: State) -> Play:
        """Ask who wants to revise, then those who do."""
        offers = [offer for name in state.brief.names("debater") if (offer := self._offer(state, name))]
        offers = [replace(offer, key=state.key(n)) for n, offer in enumerate(offers, start=1)]
        if offers:
            yield offers
        chosen = [turn for turn in _by_mark(state, offers) if turn]
        if chosen:
            yield [self._ask(state, n, turn) for n, turn in enumerate(chosen, start=len(offers) + 1)]

    def _offer(self, state: State, name: str) -> Ask | None:
        sight = state.transcript.look(LOG.narrowed(state.brief.participant(name).view), name)
        gone = [turn.ask.replaces for turn in state.transcript.turns(by=name) if turn.ask]
        own = [turn.mark for turn in sight if turn.by == name and turn.act in POSITIONS and turn.mark not in gone]
        if not own:
            return None
        form = replace(CHOSEN, fields=(replace(CHOSEN.fields[0], choices=tuple(own[-NEAREST:])),))
        return Ask(key="", to=name, act="reconsider", task=self.offer, form=form, audience=(name,), view=LOG)

    def _ask(self, state: State, n: int, old: Turn) -> Ask:
        mark = Field(name=REPLACES, kind="choice", choices=(old.mark,), required=False)
        fields = [field for field in speech(state.brief.options).fields if field.name not in ("TARGET", "RELATION")]
        form = Form(name="revision", fields=(mark, *fields))
        key = state.key(n)
        return Ask(key=key, to=old.by, act="revise", task=self.task, form=form, about=(old.key,), view=LOG)


def _by_mark(state: State, offers: list[Ask]) -> Iterator[Turn | None]:
    """For each offer the turn that its answer names."""
    for offer in offers:
        mark = read_field(state.transcript.get(offer.key), REPLACES)
        yield next((turn for turn in state.transcript.turns(by=offer.to) if turn.mark == mark), None)


# ---- strategy ------------------------------------------------------------------------------------------------------

STRATEGY = "strategy"
"""The act of a note to oneself."""

# Short, because it comes along with every later question.
EVOLVE = Everyone(
    act=STRATEGY,
    task=(
        "Write a note to yourself, which nobody else will see: what in your way of arguing has worked so far, what has "
        "not, and how you will go on. Three sentences at most."
    ),
    form=Form(name="note", fields=(Field(name="NOTE", help="your note to yourself"),)),
    view=LOG,
    private=True,
)
"""After a round each debater notes its strategy."""

HEEDING = (*SPOKEN, "bid", STRATEGY)
"""The acts for which one's own note matters."""

LONGEST_NOTE = 1000
"""The most characters of a note that come along with a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mindful:
    """A phase in which each participant has its newest strategy note with the task, because no log contains it.

    Attributes:
        each: the phase.
    """

    each: Phase

    @property
    def name(self) -> str:
        """What it is called in paths: as the phase."""
        return self.each.name

    def play(self, state: State) -> Play:
        """Play the phase, each question with the note of the participant who is asked."""
        for step in self.each.play(state):
            yield [self._with_strategy(state, ask) for ask in step] if is_batch(step) else step

    def _with_strategy(self, state: State, ask: Ask) -> Ask:
        note = state.transcript.last(ask.to, STRATEGY)
        if note is None or ask.act not in HEEDING:
            return ask
        words = str(read_field(note, "NOTE") or note.text)
        lines = "\n".join(f"  {line}" for line in clip(words, LONGEST_NOTE).splitlines())
        return replace(ask, task=f"{ask.task}\n\nYour own note, which nobody else sees:\n{lines}")


LAID = View(last=0, numbered=True)
"""Nothing but the turns that are laid before somebody, each under its mark."""

# ---- summaries -----------------------------------------------------------------------------------------------------

# Some will read nothing but the summary: what it leaves out is lost, what it judges is judged for them.
SUM_UP = (
    "Sum up the turns above for those who will not read them. Begin with the earlier summary, where there is one, and "
    "keep what's still true of it. Name every position with its holder and best reason, every concession, and every "
    "disagreement that stands. Add nothing, leave out no side, and say nothing about who is right."
)
SUMMED = Form(
    name="summary",
    fields=(
        Field(name="SUMMARY", help="what was said, in a few paragraphs"),
        Field(name="POSITIONS", kind="list", required=False, help="one line each: who thinks what, and why"),
        Field(name="OPEN", kind="list", required=False, help="what is disputed or not answered yet"),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarize:
    """What was said is summed up: once for everybody, or once for each group of those who may see the same turns.

    The writer is one of the group, so it can tell no more than its readers may know: the moderator where it is one of
    them, else the one of its members who has written the fewest summaries. It is shown the group's last summary and
    what was said since. Strategy notes are in no summary.

    Attributes:
        task: what to do.
        name: what it is called in paths.
    """

    task: str = SUM_UP
    name: str = SUMMARY

    def play(self, state: State) -> Play:
        """Ask for the summaries, all at once."""
        asks: list[Ask] = []
        for members, turns in _groups(state):
            left = members
            while left:
                ask = self._ask(state, len(asks) + 1, left, turns)
                summary = Turn(key=ask.key, by=ask.to, act=ask.act, ask=ask)
                readers = tuple(name for name in left if state.transcript.sees(name, summary))
                # A mask can hide the writer from some of the group; they get a summary of their own.
                left = tuple(name for name in left if name not in readers)
                asks.append(ask if len(readers) == len(state.brief.participants) else replace(ask, audience=readers))
        if asks:
            yield asks

    def _ask(self, state: State, n: int, members: tuple[str, ...], turns: tuple[Turn, ...]) -> Ask:
        written = [turn.by for turn in state.transcript.all() if turn.act == SUMMARY]
        chairs = [name for name in members if name in state.brief.names("moderator")]
        speakers = [name for name in members if name in state.brief.names("debater")]
        return Ask(
            key=state.key(n),
            to=min(chairs or speakers or members, key=written.count),
            act=SUMMARY,
            task=self.task,
            form=SUMMED,
            about=tuple(turn.key for turn in turns),
            view=LAID,
        )


def _groups(state: State) -> Iterator[tuple[tuple[str, ...], tuple[Turn, ...]]]:
    """Who may see the same, with their last summary and what was said since; only those with something new."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for participant in state.brief.participants:
        # What a participant's own view leaves out must not come back to it in a summary.
        sight = state.transcript.look(View(hide=participant.view.hide if participant.view else ()), participant.name)
        groups.setdefault(tuple(turn.key for turn in sight), []).append(participant.name)
    for keys, members in groups.items():
        turns = [state.transcript.get(key) for key in keys]
        old = [n for n, turn in enumerate(turns) if turn.act == SUMMARY]
        since = tuple(turns[old[-1] :] if old else turns)
        if any(turn.act != SUMMARY for turn in since):
            yield tuple(members), since


# ---- looking back --------------------------------------------------------------------------------------------------

LOOK_BACK = (
    "Above are your own turns. Say whether your opinion has changed, and where you contradict yourself. Name the turns "
    'each time, such as "T3 -> T9: what changed, and why". Report what stands there, not what you would like to have '
    "said."
)
LOOKED_BACK = Form(
    name="reflection",
    fields=(
        Field(name="CHANGES", kind="list", required=False, help="each change of opinion, with its turns"),
        Field(name="CONTRADICTIONS", kind="list", required=False, help="each contradiction, with its turns"),
        Field(name="CHANGED", kind="choice", choices=("YES", "NO"), help="whether your opinion has changed"),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflect:
    """Each debater looks back on all its own turns: changes of opinion and contradictions, with the turns.

    Attributes:
        task: what to do.
        name: what it is called in paths.
    """

    task: str = LOOK_BACK
    name: str = "reflect"

    def play(self, state: State) -> Play:
        """Ask all who spoke, at once."""
        own = {name: state.transcript.turns(*SPOKEN, by=name) for name in state.brief.names("debater")}
        spoke = [(name, tuple(turn.key for turn in turns)) for name, turns in own.items() if turns]
        if spoke:
            yield [
                Ask(key=state.key(n), to=name, act="reflect", task=self.task, form=LOOKED_BACK, about=keys, view=LAID)
                for n, (name, keys) in enumerate(spoke, start=1)
            ]


# ---- translations --------------------------------------------------------------------------------------------------

TRANSLATION = "TRANSLATION"
TOPIC_LANGUAGE = "the language in which the topic of this debate is put"
TRANSLATE = (
    f"Translate the turn above into {TOPIC_LANGUAGE}, whatever language you speak "
    "otherwise: completely and faithfully, in its tone. Keep labels such as CLAIM and marks such as T3 as they are."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Translate:
    """What participants with a language of their own said is translated for the report, by the moderator if it may.

    Where there is no moderator, or a turn is not for its eyes, the speaker translates it. Ballots and notes to oneself
    stay as they are.

    Attributes:
        chaired: whether a moderator takes part in such work.
        into: the language into which is translated; "" for that of the topic. Who speaks it is not translated.
        task: what to do.
        name: what it is called in paths.
    """

    chaired: bool = True
    into: str = ""
    task: str = TRANSLATE
    name: str = "translate"

    def play(self, state: State) -> Play:
        """Ask for all translations in parallel; nobody else sees them."""
        tongues = [
            participant.name
            for participant in state.brief.participants
            if participant.language and not same_language(self.into, participant.language)
        ]
        statements = [turn for turn in state.transcript.turns() if turn.ask and turn.by in tongues]
        turns = [turn for turn in statements if turn.act != "vote" and turn.ask and turn.ask.audience != (turn.by,)]
        if turns:
            yield [self._ask(state, n, turn) for n, turn in enumerate(turns, start=1)]

    def _ask(self, state: State, n: int, turn: Turn) -> Ask:
        chairs = state.brief.names("moderator") if self.chaired else ()
        to = (*(name for name in chairs if state.transcript.sees(name, turn)), turn.by)[0]
        form = Form(name="translation", fields=(Field(name=TRANSLATION, help="the whole turn, translated"),))
        return Ask(
            key=state.key(n),
            to=to,
            act="translate",
            task=self.task,
            form=form,
            about=(turn.key,),
            audience=(to,),
            view=View(last=0),
        )
