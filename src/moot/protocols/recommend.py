"""What a board recommends. This file owns how verdicts become what the meeting decides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from moot.core.ask import Ask
from moot.core.brief import View
from moot.core.decision import Ballot, Decision, Minority
from moot.core.event import Ruled
from moot.core.form import Form
from moot.core.roles import WITHDRAWN, Standing, asked, standing
from moot.phases.ballots import weighed
from moot.phases.phases_base import Play, Table
from moot.policy.board_turns import recommendation
from moot.policy.rules import Rule, opposed
from moot.protocols.messages import OWN, addressed

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
        reasons: whether dissent says the reasons of the verdicts; old records do not.
        name: what it is called in paths.
    """

    rule: Rule
    form: Form
    rounds: int = 8
    task: str = CLOSING
    view: View = OWN
    reasons: bool = False
    name: str = "recommend"

    def play(self, table: Table) -> Play:
        """Ask for what is missing, and decide."""
        states = self._states(table)
        owing = [name for name, state in states.items() if not state.verdict]
        people = [each.name for each in table.brief.participants]
        asks = [
            Ask(
                key=table.key(n),
                to=name,
                act="verdict",
                task=self.task,
                form=addressed(self.form, name, people),
                view=self.view,
            )
            for n, name in enumerate(owing, start=1)
        ]
        if asks:
            yield asks
        yield Ruled(decision=self._decide(table, self._states(table)))

    def _states(self, table: Table) -> Mapping[str, Standing]:
        return standing(table.brief.names("debater"), table.transcript.all())

    def _decide(self, table: Table, states: Mapping[str, Standing]) -> Decision:
        first = first_words(states)
        ballots = [_ballot(table, state, first.get(state.wording, "")) for state in states.values()]
        decision = self.rule.decide(ballots, table.brief.options or tuple(first.values()))
        said = [turn for turn in table.transcript.all() if WITHDRAWN in asked(turn)]
        most = self.rounds * len(states)
        cap = f"the meeting ended at its cap of {most} messages" if len(said) >= most else ""
        decision = replace(decision, how="; ".join(filter(None, (decision.how, cap))))
        return worded(decision, states, reasons=self.reasons)


def first_words(states: Mapping[str, Standing]) -> Mapping[str, str]:
    """The verdicts by their wordings, each as it was first put."""
    found: dict[str, str] = {}
    for state in states.values():
        if state.verdict:
            found.setdefault(state.wording, state.verdict)
    return found


def _ballot(table: Table, state: Standing, choice: str) -> Ballot:
    ballot = weighed(table, Ballot(voter=state.name))
    if not state.verdict:
        why = "absent" if state.absent else "no verdict"
        return replace(ballot, state="abstained" if state.abstained else "missing", reason=why)
    return replace(ballot, choice=choice, reason=state.reasoning)


def worded(decision: Decision, states: Mapping[str, Standing], *, reasons: bool = False) -> Decision:
    """The decision with what the board recommends in words, its best reason, and who recommends otherwise and why."""
    votes = {name: [each for each in decision.ballots if each.choice == name] for name in decision.tally}
    lost = [name for name, ballots in votes.items() if ballots and name != decision.winner]
    against = [each for name in lost for each in votes[name]]
    whole = sum(decision.tally.values())
    return replace(
        decision,
        text=recommendation(decision, states),
        argument=_reason(votes.get(decision.winner, [])),
        dissent=opposed(against, decision.winner, reasons=reasons) if decision.winner else (),
        minority=tuple(
            Minority(
                answer=name,
                by=tuple(each.voter for each in votes[name]),
                share=decision.tally[name] / whole if whole else 0.0,
                argument=_reason(votes[name]),
            )
            for name in lost
        ),
    )


def _reason(ballots: Sequence[Ballot]) -> str:
    return next((each.reason for each in ballots if each.reason), "")
