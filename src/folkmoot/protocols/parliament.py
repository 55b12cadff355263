"""The format ``bp_style``: British Parliamentary debate, with its offices, order of speeches and points of information.

Order, duties and points of information follow the rules of the World Universities Debating Championship (parts 1
and 2). Two things differ, because here a speech is one answer: a point is offered after the speech instead of within
it, and the speaker takes exactly one, the most urgent. As there, every speech is open to points, those of the whips
too. With fewer than eight debaters some make more than one speech, always on one side.
"""

from collections.abc import Sequence as Listed
from dataclasses import dataclass, replace
from typing import NamedTuple

from folkmoot.core.ask import Ask, Field, Form
from folkmoot.core.brief import Brief, View
from folkmoot.core.errors import ProtocolError
from folkmoot.core.transcript import TARGET
from folkmoot.phases.base import Phase, Play, Rounds, Sequence, State
from folkmoot.phases.bids import CuttingIn
from folkmoot.phases.choices import Choices
from folkmoot.phases.endings import LOG
from folkmoot.phases.speak import RELATIONS, linked, speech
from folkmoot.protocols.adjudication import Team, decided_by_teams

MOST = 8
"""The number of speeches; nobody may be left without one."""


class SpeechRole(NamedTuple):
    """One of the eight speeches: what its speaker is called, of which of the four teams, and what there is to do."""

    title: str
    team: str
    duty: str

    @property
    def full(self) -> str:
        """Title and team."""
        return f"{self.title} ({self.team})"

    @property
    def place(self) -> str:
        """What its speech is called in paths."""
        return self.title.lower().replace(" ", "-")


SIDES = ("Government", "Opposition")
"""Who speaks for the motion, and who against it; they take turns."""

GOVERNMENT = ("Opening Government", "Closing Government")
OPPOSITION = ("Opening Opposition", "Closing Opposition")

# Each duty says what this speech alone can do, so that eight speeches are not one speech eight times.
OFFICES = (
    SpeechRole(
        title="Prime Minister",
        team=GOVERNMENT[0],
        duty="Define the motion: say exactly what the government proposes, in a way that can be debated. "
        "Then open the case for it with your strongest arguments.",
    ),
    SpeechRole(
        title="Leader of the Opposition",
        team=OPPOSITION[0],
        duty="Say where you disagree with the motion as it was defined. Rebut the Prime Minister's case, "
        "then open the case against it with arguments of your own.",
    ),
    SpeechRole(
        title="Deputy Prime Minister",
        team=GOVERNMENT[0],
        duty="Rebut the Leader of the Opposition. Rebuild what was attacked in the Prime Minister's case, "
        "and complete it with a further argument.",
    ),
    SpeechRole(
        title="Deputy Leader of the Opposition",
        team=OPPOSITION[0],
        duty="Rebut the Deputy Prime Minister. Rebuild what was attacked in your Leader's case, "
        "and complete it with a further argument.",
    ),
    SpeechRole(
        title="Member of the Government",
        team=GOVERNMENT[1],
        duty="Bring an extension: a new line for the motion that the Opening Government did not have, "
        "and which does not contradict theirs. Say what is new in it. Rebut the Opening Opposition with it.",
    ),
    SpeechRole(
        title="Member of the Opposition",
        team=OPPOSITION[1],
        duty="Bring an extension: a new line against the motion that the Opening Opposition did not have, "
        "and which does not contradict theirs. Say what is new in it. Rebut the Member of the Government.",
    ),
    SpeechRole(
        title="Government Whip",
        team=GOVERNMENT[1],
        duty="Sum up: name the two or three clashes on which the debate turns, and say for each why your side won "
        "it, by your team's extension above all. Rebut what was said, but bring no new argument.",
    ),
    SpeechRole(
        title="Opposition Whip",
        team=OPPOSITION[1],
        duty="Sum up: name the two or three clashes on which the debate turns, and say for each why your side won "
        "it, by your team's extension above all. Rebut what was said, but bring no new argument.",
    ),
)
"""The speeches in their order, the sides in turn."""

# Whoever is heard gives the other side an answer for free, so the question is whether it is worth that.
BID_TASK = (
    "You sit with the {side}; the speech of {speaker}, is over. How urgently do you want to put a point of information "
    "to it? A good point is short and hits what the speech rests on. 0: you offer none."
)

# Two sentences are the fifteen seconds of the rules; more would be a speech out of turn.
POINT_TASK = (
    "You sit with the {side}. {speaker}, takes your point of information. Put it in at most two sentences: a question "
    "or an objection that the speech cannot pass over."
)

# The speaker's time is spent: the answer settles the point, and nothing else.
REPLY_TASK = "{name} puts the point above to your speech as {office}. Answer it in at most three sentences."

AGAINST = tuple(item for item in RELATIONS if item != "SUPPORT")
"""Nobody rises to support the other side."""

POINT = Form(
    name="point",
    fields=(
        Field(name=TARGET, kind="choice", required=False, help="the speech"),
        Field(name="RELATION", kind="choice", choices=AGAINST, required=False, help="what your point does to it"),
        Field(name="POINT", help="your point of information"),
    ),
)
"""What is put to a speaker."""

REPLY = Form(
    name="reply",
    fields=(
        Field(name=TARGET, kind="choice", required=False, help="the point"),
        Field(name="RELATION", kind="choice", choices=RELATIONS, required=False, help="what your answer does to it"),
        Field(name="ARGUMENT", help="your answer to the point"),
    ),
)
"""What the speaker answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """One speech; then the other side may bid for a point of information, which is put and answered.

    Attributes:
        name: what it is called in paths: the office.
        by: who speaks.
        office: title and team.
        task: what to do.
        who: those of the other side, who may offer points.
        side: what that side is called.
        form: the fields that the speech must have.
        view: which turns of the log go along.
        bid: what the other side is asked; ``{side}`` is replaced by it, ``{speaker}`` by name and office of
            who spoke.
        point: what the one whose point is taken is asked.
        reply: what the speaker is asked then; ``{name}`` is replaced by who put the point.
    """

    name: str
    by: str
    office: str
    task: str
    who: tuple[str, ...]
    side: str
    form: Form
    view: View = LOG
    bid: str = BID_TASK
    point: str = POINT_TASK
    reply: str = REPLY_TASK

    def play(self, state: State) -> Play:
        """Give the speech, hear the bids, put the point, answer it."""
        key = state.key(1)
        form = linked(self.form, state, self.by, self.view)
        yield [Ask(key=key, to=self.by, act="argue", task=self.task, form=form, view=self.view)]
        turn = state.transcript.get(key)
        if turn.reply:
            point = CuttingIn(
                bidding=self._filled_task(self.bid),
                cutting=self._filled_task(self.point),
                replying=self._filled_task(self.reply),
                point=POINT,
                reply=REPLY,
                view=self.view,
            )
            yield from point.play(state, turn, self.who, 2)

    def _filled_task(self, task: str) -> str:
        filled = task.replace("{side}", self.side).replace("{office}", self.office)
        return filled.replace("{speaker}", f"{self.by}, {self.office}")


def assign_speeches(names: Listed[str]) -> tuple[str, ...]:
    """Who gives each of the eight speeches.

    The debaters 1, 3, 5, 7 of the brief are the government, the others the opposition. A side's four speeches go to its
    debaters in the order of the brief, to each some that follow each other: with two on a side each is one team.
    """
    sides = names[::2], names[1::2]
    return tuple(sides[n % 2][n // 2 * len(sides[n % 2]) // 4] for n in range(len(OFFICES)))


def teams_of(speakers: Listed[str]) -> tuple[Team, ...]:
    """The four teams: their sides, members and offices, in the order of their first speeches."""
    speakers_by_role = list(zip(OFFICES, speakers, strict=True))
    return tuple(
        Team(
            name=name,
            side=SIDES[name in OPPOSITION],
            members=tuple(dict.fromkeys(speaker for office, speaker in speakers_by_role if office.team == name)),
            offices=tuple((office.place, office.title) for office, _ in speakers_by_role if office.team == name),
        )
        for name in dict.fromkeys(office.team for office in OFFICES)
    )


def speech_list(speakers: Listed[str]) -> str:
    """Who sits where, so that everybody knows for which team a speech was given."""
    rows = ["The house:"]
    for team in dict.fromkeys(office.team for office in OFFICES):
        titles: dict[str, list[str]] = {}
        for office, name in zip(OFFICES, speakers, strict=True):
            if office.team == team:
                titles.setdefault(name, []).append(office.title)
        rows.append(f"- {team}: " + "; ".join(f"{name} ({', '.join(value)})" for name, value in titles.items()))
    return "\n".join(rows)


def spoken_for(office: SpeechRole, options: tuple[str, ...]) -> Form:
    """A speech that says for whom it is given, so that the log shows it where names are hidden too."""
    field = Field(name="OFFICE", kind="choice", choices=(office.full,), required=False, help="for whom you speak")
    *rest, answer = speech(options).fields
    # A side is drawn, not believed in.
    ours = replace(answer, help="your side's answer")
    return Form(name="bp_speech", fields=(field, *rest, ours))


def bp_style(brief: Brief, choices: Choices) -> Phase:
    """Eight speeches by four teams in the official order, each with a point of information; then the ending.

    There is one pass of speeches, whatever the number of rounds. By default the moderator, who is the adjudicator,
    ranks the four teams and says how each office was filled. Without one, or with a silent one, the jurors rank them,
    or else the debaters.

    Raises:
        ProtocolError: fewer than two debaters or more than eight.
    """
    names = brief.names("debater")
    if not 2 <= len(names) <= MOST:
        raise ProtocolError(f"bp_style needs 2 to {MOST} debaters, not {len(names)}", about="participants")
    choices.at_least_one("bp_style", 1)
    choices.no_turn_mode("bp_style")
    speakers = assign_speeches(names)
    paper = speech_list(speakers)
    speeches = [
        Speech(
            name=office.place,
            by=speaker,
            office=office.full,
            task=f"You are the {office.full}.\n{paper}\n\n{office.duty}",
            who=names[1 - n % 2 :: 2],
            side=SIDES[1 - n % 2],
            form=spoken_for(office, brief.options),
        )
        for n, (office, speaker) in enumerate(zip(OFFICES, speakers, strict=True))
    ]
    end = decided_by_teams(brief, choices, teams_of(speakers))
    return Sequence(parts=(Rounds(each=Sequence(parts=tuple(speeches)), most=1), *end))
