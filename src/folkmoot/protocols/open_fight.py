"""The format ``open_fight``: there is no order of speaking; bids decide who speaks.

Opening statements are made in parallel. A round has as many exchanges as there are debaters. In each, all bid except
the last speaker; the strongest bid wins one turn, which answers words of another turn and quotes them. If nobody bids,
the round is over. Whether the quoted words are in the turn can be checked (``core.text.contains_words``).
"""

from dataclasses import dataclass

from folkmoot.core.ask import Ask, Form
from folkmoot.core.brief import Brief, View
from folkmoot.core.event import Halted
from folkmoot.core.transcript import TARGET, Turn, read_field
from folkmoot.phases.base import ROOT, Phase, Play, Rounds, Sequence, State
from folkmoot.phases.bids import ask_bids, winner
from folkmoot.phases.choices import Choices, until
from folkmoot.phases.endings import LOG, ending
from folkmoot.phases.speak import Everyone, linked, quoting_speech, speech, with_required_target

OPENING = "Nobody has spoken yet. State your position and the strongest reason for it; the others will attack both."

# Models seldom refuse a chance to speak, so the bid says what 0 is for.
BIDDING = (
    "Round {round}. The floor is open to whoever bids highest. Bid high if somebody's words must be answered now: "
    "name the turn and quote the words. Bid 0 if you would only repeat what has been said."
)
SPEAKING = (
    "Round {round}. Your bid above won the floor. Quote the exact words that you answer, say what is wrong or right "
    "with them, and why. Attack the argument, not the person. Be short; the others are waiting to bid."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fight:
    """One round of exchanges; in the tasks ``{round}`` is replaced by the number of the round.

    Attributes:
        bidding: the task of those who bid.
        speaking: the task of the winner of the floor.
        form: the fields that a turn must have; TARGET and QUOTE are required if the bid named a target.
        view: which turns of the log go along.
        act: what the turns are.
        name: what it is called in paths.
    """

    bidding: str
    speaking: str
    form: Form | None = None
    view: View = LOG
    act: str = "argue"
    name: str = "fight"

    def play(self, state: State) -> Play:
        """Run exchanges, as many as there are debaters, or until nobody bids."""
        names = state.brief.names("debater")
        n = 0
        for _ in names:
            last = [turn.by for turn in state.transcript.all() if turn.act == self.act][-1:]
            others = [name for name in names if name not in last]
            bids = ask_bids(state, others, task=self.bidding, first=n + 1, view=self.view)
            yield bids
            n += len(bids)
            won = winner([state.transcript.get(bid.key) for bid in bids], state.transcript)
            if won is None:
                break
            n += 1
            yield [self._ask(state, n, won)]
        if not any(state.transcript.get(state.key(i)).reply for i in range(1, n + 1)):
            yield Halted(path=ROOT, reason=f"none of {n} answered")

    def _ask(self, state: State, n: int, bid: Turn) -> Ask:
        form = linked(self.form, state, bid.by, self.view)
        return Ask(
            key=state.key(n),
            to=bid.by,
            act=self.act,
            task=self.speaking.replace("{round}", str(state.round)),
            form=with_required_target(form) if form and read_field(bid, TARGET) else form,
            about=(bid.key,),
            view=self.view,
        )


def open_fight(brief: Brief, choices: Choices) -> Phase:
    """Positions at once; rounds in which bids decide who speaks, and every turn answers quoted words; the ending.

    Raises:
        ProtocolError: a choice that does not go with it.
    """
    choices.no_turn_mode("open_fight")
    opening = Everyone(act="open", task=OPENING, form=speech(brief.options), view=View(last=0), needs=1)
    fight = Fight(bidding=BIDDING, speaking=SPEAKING, form=quoting_speech(brief.options))
    rounds = Rounds(each=fight, most=choices.at_least_one("open_fight", 3), until=until(choices))
    return Sequence(parts=(opening, rounds, *ending(brief, choices)))
