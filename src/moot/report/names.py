"""Entries under the names that the source systems give them. This file owns which entry is which event.

``debate_start`` is the opening and ``debate_end`` the close: one of each in a record that is whole. What is for the
engine alone, such as calls and their tries, has no name here, nor has what an aide answers, who is no agent, or what
nobody but its author may see, such as a bid or a score.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from moot.core.event import Closed, Entered, Entry, Failed, Opened, Paused, Replied, Ruled
from moot.core.transcript import Transcript, Turn
from moot.report.turn_text import is_private

NAMES: Mapping[str, str] = {
    "debate_start": "`opened`: `task`, `agents`",
    "round_start": "`entered` of a round: `round`, from 1",
    "agent_message": "`replied` of any other act: `agent`, `act`, `round` (0 outside rounds), `text`",
    "critique": "`replied` of the act `critique`: `agent`, `of` (whose proposal), `round`, `text`, `fields`",
    "vote": "`replied` of the act `vote`: `agent`, `choice` (a list for a ranking; empty where none was read), `text`",
    "agent_error": "`failed`: `agent`, `act`, `reason`",
    "consensus": "`ruled`, also without a winner: `status`, `winner`, `text`, `rule`, `how`, `tally`",
    "debate_pause": "`paused`: `status` (its kind), `reason`",
    "debate_end": "`closed`: `status`, `reason`",
}
"""All names, each with the entries that bear it and what its data hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """An entry under its name.

    Attributes:
        type: the name, one of ``NAMES``.
        data: what the name says.
        seq: the number of the entry.
    """

    type: str
    data: Mapping[str, object] = field(default_factory=dict[str, object])
    seq: int = 0


@dataclass(slots=True)
class Namer:
    """Names the entries of one record, in their order."""

    _transcript: Transcript = field(default_factory=Transcript)

    def name(self, entry: Entry) -> Named | None:
        """The entry under its name; None where it has none."""
        self._transcript.apply(entry.event)
        match entry.event:
            case Opened(brief=brief):
                agents = [each.name for each in brief.participants if each.duty != "aide"]
                return _named(entry, "debate_start", task=brief.topic, agents=agents)
            case Entered(path=path) if (number := path.rpartition("/round-")[2]).isdecimal():
                return _named(entry, "round_start", round=int(number))
            case Replied(key=key) | Failed(key=key) if self._is_hidden(self._transcript.get(key)):
                return None
            case Replied(key=key):
                return self._said(entry, self._transcript.get(key))
            case Failed(key=key, reason=reason):
                turn = self._transcript.get(key)
                return _named(entry, "agent_error", agent=turn.by, act=turn.act, reason=reason)
            case Ruled(decision=decision):
                facts = {"status": decision.status, "winner": decision.winner, "text": decision.text}
                told = {"rule": decision.rule, "how": decision.how, "tally": dict(decision.tally)}
                return _named(entry, "consensus", **facts, **told)
            case Paused(reason=reason, kind=kind):
                return _named(entry, "debate_pause", status=kind, reason=reason)
            case Closed(status=status, reason=reason):
                return _named(entry, "debate_end", status=status, reason=reason)
            case _:
                return None

    def _is_hidden(self, turn: Turn) -> bool:
        brief = self._transcript.brief
        return is_private(turn) or (brief is not None and brief.participant(turn.by).duty == "aide")

    def _said(self, entry: Entry, turn: Turn) -> Named:
        if turn.act == "vote":
            asked = turn.ask.form.fields if turn.ask and turn.ask.form else ()
            chosen = [turn.fields[each.name] for each in asked if each.kind != "text" and each.name in turn.fields]
            return _named(entry, "vote", agent=turn.by, choice=chosen[0] if chosen else "", text=turn.text)
        if turn.act == "critique":
            of = [self._transcript.get(key).by for key in turn.about]
            told = {"round": turn.round, "text": turn.text, "fields": dict(turn.fields)}
            return _named(entry, "critique", agent=turn.by, of=of[0] if of else "", **told)
        return _named(entry, "agent_message", agent=turn.by, act=turn.act, round=turn.round, text=turn.text)


def _named(entry: Entry, type: str, **data: object) -> Named:
    return Named(type=type, data=data, seq=entry.seq)
