"""What each entry says, for every screen: the one place where an event becomes what people and agents are shown.

``EntryFold`` reads the entries of a record in their order and makes an ``EntryView`` of each. A renderer stands beside
every host and adds no fact: ``frames`` makes JSON for pages, ``cli.display.render`` lines for a terminal,
``mcp.summaries`` answers of tools. How a whole debate stands is ``report.conclusion.outcome_view``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, cast

from folkmoot.analysis.decision_grounds import DecisionGrounds, decision_grounds
from folkmoot.app.run.people import for_people
from folkmoot.app.serve.entry_view import (
    CallView,
    EntryView,
    Kind,
    LinkView,
    OpenedView,
    PersonView,
    PositionView,
    TurnView,
)
from folkmoot.app.serve.visibility import HIDDEN, Reader, may_know, may_read, may_read_turns, reads
from folkmoot.arguments.positions import alike
from folkmoot.core.agent import CONTINUE, without_private_fields
from folkmoot.core.ask import Usage, shown
from folkmoot.core.brief import HUMAN, Brief, is_person
from folkmoot.core.event import (
    KIND,
    TOOL,
    Asked,
    Attempted,
    Called,
    Closed,
    Delta,
    Entered,
    Entry,
    Erred,
    Event,
    Failed,
    Halted,
    Interjected,
    Opened,
    Paused,
    Replied,
    Resumed,
    Ruled,
)
from folkmoot.core.labels import act_of, early_end, fork_origin, label, noun, title
from folkmoot.core.transcript import Transcript, Turn, read_field
from folkmoot.report.conclusion import cautions, decision_view
from folkmoot.report.gaps import turn_gaps
from folkmoot.report.metrics import Sums, sums_of
from folkmoot.report.turn_text import Choice, Namer, Spoken, choice_of, speak, speech_of
from folkmoot.reviews.states import RULE


@dataclass(slots=True)
class EntryFold:
    """Makes the views of one debate, entry by entry in their order.

    Attributes:
        reader: for whom; of what somebody may not know there is a view of the kind ``hidden``, with sums alone.
        transcript: the entries so far, folded.
        drafts: the text so far of unfinished answers, by the question's key, in the order of asking.
    """

    reader: Reader = None
    transcript: Transcript = field(default_factory=Transcript)
    drafts: dict[str, str] = field(default_factory=dict[str, str])
    _names: Namer = field(default_factory=Namer)
    _positions: dict[str, str] = field(default_factory=dict[str, str])
    _used: dict[str, Usage] = field(default_factory=dict[str, Usage])
    _sums: Sums | None = None

    def take(self, entry: Entry) -> EntryView:
        """What the next entry says."""
        event = entry.event
        self.transcript.apply(event)
        named = self._names.name(entry)
        self._draft(event)
        view = EntryView(seq=entry.seq, at=entry.at, kind=HIDDEN)
        if may_know(self.transcript, self.reader, event):
            kind, name = cast("Kind", KIND[type(event)]), named.type if named else ""
            view = replace(self._view(EntryView(seq=entry.seq, at=entry.at, kind=kind), event), name=name)
        if self._sums is None or isinstance(event, Asked | Called | Replied | Failed):
            before, self._sums = self._sums, sums_of(self.transcript)
            return replace(view, sums=None if before == self._sums else self._sums)
        return view

    @property
    def brief(self) -> Brief:
        """The brief, once the opening is read."""
        assert self.transcript.brief is not None
        return self.transcript.brief

    def add_delta(self, delta: Delta) -> None:
        """Add a piece of an unfinished answer."""
        if delta.key in self.drafts:
            self.drafts[delta.key] = delta.text if delta.whole else self.drafts[delta.key] + delta.text

    def hides_piece(self, key: str) -> bool:
        """Whether the reader may not read pieces of an answer: it is not known yet which field they belong to."""
        turn = self.transcript.get(key)
        form_fields = turn.ask.form.fields if turn.ask and turn.ask.form else ()
        people = self.brief.participants
        private = any(field.private for field in form_fields)
        others = self.reader is not None or any(
            is_person(participant) and participant.name != turn.by for participant in people
        )
        return (private and others) or not self._may_see(turn)

    def ballots_so_far(self) -> list[tuple[Spoken, Choice]]:
        """The ballots of a vote while others still vote; none when nobody votes."""
        voting = [key for key in self.drafts if self.transcript.get(key).act == "vote"]
        turns = self.transcript.turns("vote", under=voting[0].rpartition("#")[0]) if voting else ()
        ballots = [for_people(self.brief, turn) for turn in turns]
        spoken = [speak(ballot, self.transcript, self.brief, "") for ballot in ballots]
        return [
            (spoken_choice, choice_of(ballot, spoken_choice))
            for ballot, spoken_choice in zip(ballots, spoken, strict=True)
        ]

    def waits_for_person(self, key: str) -> bool:
        """Whether a person has to answer that question."""
        return is_person(self.brief.participant(self.transcript.get(key).by))

    def _draft(self, event: Event) -> None:
        """Note which answers are in the making."""
        match event:
            case Asked(ask=ask):
                self.drafts[ask.key] = ""
            case Attempted(key=key, call=call):
                # Another call answers anew, unless it goes on with an answer that was cut off.
                self.drafts[key] = self.drafts.get(key, "") if call.startswith(CONTINUE) else ""
            case Erred(key=key):
                self.drafts[key] = ""
            case Replied(key=key) | Failed(key=key):
                self.drafts.pop(key, None)
            case Resumed():
                turns = self.transcript.all()
                self.drafts = {turn.key: "" for turn in turns if not self.transcript.answered(turn.key)}
            case _:
                pass

    def _view(self, view: EntryView, event: Event) -> EntryView:
        match event:
            case Opened():
                return replace(view, opened=_opened_view(event), line=fork_origin(event.forked))
            case Entered(path=path):
                return replace(view, path=path, phase=title(path), round=round_of(path))
            case Halted(path=path, reason=reason):
                return replace(view, path=path, phase=title(path), line=f"{early_end(path)}: {reason}", reason=reason)
            case Asked(ask=ask):
                return replace(view, key=ask.key, turn=self._turn(self.transcript.get(ask.key)))
            case Attempted() | Called() | Erred():
                return self._call(replace(view, key=event.key), event)
            case Replied(key=key):
                return replace(view, key=key, turn=self._turn(self.transcript.get(key)))
            case Failed(key=key, kind=error, reason=reason):
                turn = self._turn(self.transcript.get(key), error)
                return replace(view, key=key, turn=turn, line=f"no answer: {turn.spoken.reason}", reason=reason)
            case Interjected():
                turn = self._turn(self.transcript.all()[-1])
                return replace(view, key=turn.spoken.key, turn=turn)
            case Ruled(decision=decision):
                counted = bool(decision.ballots) and not self.transcript.turns("vote")
                view = replace(
                    view,
                    warnings=cautions(self.transcript, reads(self.transcript, self.reader)),
                    line=COUNTED if counted else "",
                )
                sees_all = may_read_turns(self.transcript, self.reader)
                grounds = decision_grounds(self.transcript) if sees_all else DecisionGrounds()
                findings = _findings_of(self.transcript) if sees_all else ""
                return replace(view, decision=decision_view(decision), grounds=grounds, findings=findings)
            case Paused(reason=reason, kind=status):
                return replace(view, status=status or STOPPED, reason=reason, line=f"paused: {reason}")
            case Resumed(by=by):
                return replace(view, by=by, line=f"resumed by {by}" if by else "resumed")
            case Closed(status=status, reason=reason):
                return replace(view, status=status, reason=reason)

    def _call(self, view: EntryView, event: Attempted | Called | Erred) -> EntryView:
        call = CallView(call=event.call, by=self.transcript.get(event.key).by)
        match event:
            case Attempted(n=n, model=model, tokens=tokens, cost=cost):
                tool = tool_of(model)
                doing = f"uses {tool}" if tool else _activity(event.call)
                call = replace(call, n=n, model=model, tool=tool, doing=doing)
                call = replace(call, tokens=tokens, cost=cost, estimated=True)
            case Erred(n=n, kind=error, reason=reason):
                line = f"attempt {n} failed: {reason or error}"
                return replace(view, call=replace(call, n=n, error=error), reason=reason, line=line)
            case Called(model=model, usage=usage, seconds=seconds, finish=finish, sources=sources):
                self._used[event.key] = self._used.get(event.key, Usage()) + usage
                tokens = usage.input_tokens + usage.output_tokens
                call = replace(call, model=model, tool=tool_of(model), tokens=tokens, cost=usage.cost)
                call = replace(call, estimated=usage.estimated, seconds=seconds, finish=finish, sources=sources)
        return replace(view, call=call)

    def _turn(self, whole: Turn, error: str = "") -> TurnView:
        brief, reply = self.brief, whole.reply
        turn = for_people(brief, whole) if self.reader is None else without_private_fields(self.reader, whole)
        spoken, link = speak(turn, self.transcript, brief, error), self._link(turn)
        on = tuple(subject for subject in spoken.on if self._may_see(self.transcript.get(subject.key)))
        view = TurnView(
            spoken=replace(spoken, on=on, link=spoken.link if link else ""),
            mark=whole.mark,
            act=noun(act_of(whole)),
            round=whole.round,
            human=self._is_human(whole),
            alone=whole.ask is not None and whole.ask.audience == (whole.by,),
            labels=_labels(whole),
            link=link,
            error=error,
        )
        if reply is None:
            return view
        used = self._used.get(whole.key, Usage())
        return replace(
            view,
            speech=speech_of(turn, spoken),
            position=self._position(turn),
            ballot=choice_of(turn, spoken) if spoken.act == "vote" else None,
            model=reply.asked,
            unread=turn_gaps(whole, shown=turn is whole),
            notes=reply.notes,
            cut=turn is not whole and (turn.fields != whole.fields or not turn.text.strip()),
            tokens=used.input_tokens + used.output_tokens,
            cost=used.cost,
            estimated=used.estimated,
        )

    def _is_human(self, turn: Turn) -> bool:
        if turn.reply:
            return turn.reply.asked == HUMAN
        return turn.ask is not None and is_person(self.brief.participant(turn.by))

    def _link(self, turn: Turn) -> LinkView | None:
        target = self.transcript.target(turn)
        if target is None or not self._may_see(target):
            return None
        return LinkView(target=target.mark, by=target.by, relation=str(read_field(turn, "RELATION") or "ANSWER"))

    def _position(self, turn: Turn) -> PositionView | None:
        value = next((stated for name in ("ANSWER", "POSITION", "Verdict") if (stated := read_field(turn, name))), None)
        if value is None or turn.ask is None:
            return None
        answer, before = shown(value), self._positions.get(turn.by)
        self._positions[turn.by] = answer
        changed = before is not None and not alike(before, answer)
        return PositionView(answer=answer, confidence=read_field(turn, "CONFIDENCE"), changed=changed)

    def _may_see(self, turn: Turn) -> bool:
        return may_read(self.transcript, self.reader, turn)


Milestone: TypeAlias = Literal["started", "resumed", "paused", "ended"]


def milestone(event: Event) -> tuple[Milestone, str] | None:
    """What a log says of the course of a debate, with how it ended or why it is paused; None for any other event."""
    match event:
        case Opened():
            return "started", ""
        case Resumed():
            return "resumed", ""
        case Paused(kind=kind):
            return "paused", kind or STOPPED
        case Closed(status=status):
            return "ended", status
        case _:
            return None


STOPPED = "stopped"
"""Why a debate is paused whose record does not say it."""

COUNTED = "the latest answers count as votes; nobody is asked again"
"""Said where ballots were counted and nobody was asked to vote."""

REPAIR = "repair"
"""What the names of calls begin with that ask for what was missing."""


def _activity(call: str) -> str:
    if call.startswith(REPAIR):
        return "is asked again for what was missing"
    return "continues an answer that was cut off" if call.startswith(CONTINUE) else ""


def _findings_of(transcript: Transcript) -> str:
    """The chapter on the findings of a review; "" where the debate is none."""
    if transcript.brief is None or transcript.protocol != RULE:
        return ""
    from folkmoot.report.markdown import findings_chapter  # here for start-up time: few debates are reviews
    from folkmoot.reviews.reviewed import review_of

    return findings_chapter(review_of(transcript.brief, transcript), over=True)


def entry_views(entries: Sequence[Entry], reader: Reader = None) -> list[EntryView]:
    """What the entries of a whole record say."""
    folded = EntryFold(reader=reader)
    return [folded.take(entry) for entry in entries]


def _labels(turn: Turn) -> tuple[tuple[str, str], ...]:
    form = turn.ask.form if turn.ask else None
    return tuple((item.name, label(item.name)) for item in form.fields) if form else ()


def _opened_view(event: Opened) -> OpenedView:
    brief = event.brief
    return OpenedView(
        topic=brief.topic,
        protocol=event.name,
        rounds=most_rounds(event.protocol),
        options=brief.options,
        participants=tuple(
            PersonView(
                name=participant.name,
                role=participant.role,
                duty=participant.duty,
                seat=participant.seat,
                human=is_person(participant),
                weight=participant.weight,
            )
            for participant in brief.participants
            if participant.duty != "aide"
        ),
        sources=tuple(source.name for source in (*brief.background, *brief.library)),
        limits=brief.limits,
        chosen=event.chosen,
        forked=event.forked,
    )


DEFAULT_ROUNDS = 3
"""What a phase tree leaves out, because it is the default."""


def most_rounds(tree: object) -> int:
    """The greatest number of rounds in a phase tree as data; 0 where there are none."""
    if isinstance(tree, Mapping):
        data = cast("Mapping[str, object]", tree)
        limit = data.get("most", DEFAULT_ROUNDS) if data.get("is") == "Rounds" else 0
        return limit if isinstance(limit, int) and limit else max(map(most_rounds, data.values()), default=0)
    if isinstance(tree, list | tuple):
        return max(map(most_rounds, cast("Sequence[object]", tree)), default=0)
    return 0


def round_of(path: str) -> int:
    """The number of the round that a path names as its last part; 0 for another path."""
    part, _, number = path.rpartition("/")[2].rpartition("-")
    return int(number) if part == "round" and number.isdecimal() else 0


def tool_of(model: str) -> str:
    """The tool whose use a call is; "" for a call of a model."""
    return model.removeprefix(TOOL) if model.startswith(TOOL) else ""
