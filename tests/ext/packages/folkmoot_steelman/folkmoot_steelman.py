"""The format ``steelman``, with a phase of its own: state the other's position at its best, then answer it."""

from dataclasses import dataclass

from folkmoot.ext import (
    LOG,
    Ask,
    Brief,
    Choices,
    Everyone,
    Form,
    Phase,
    Play,
    Rounds,
    Sequence,
    State,
    View,
    aimed,
    ending,
    speech,
    until,
)

TASK = "Round {round}. Above is what {name} says. State it better than {name} did; then answer that."


@dataclass(frozen=True, slots=True, kw_only=True)
class Steelman:
    """Each answers the newest turn of somebody else, another one in each round, all at once."""

    form: Form
    name: str = "steelman"

    def play(self, state: State) -> Play:
        """Ask all at once."""
        names = state.brief.names("debater")
        asks: list[Ask] = []
        for n, me in enumerate(names):
            turn = state.transcript.last(names[(n + state.round) % len(names)], "open", "argue")
            if turn and turn.by != me and state.transcript.sees(me, turn):
                task = TASK.format(round=state.round, name=turn.by)
                form, key = aimed(self.form, turn), state.key(n + 1)
                asks.append(Ask(key=key, to=me, act="argue", task=task, form=form, about=(turn.key,), view=LOG))
        yield asks


def steelman(brief: Brief, choices: Choices) -> Phase:
    """Positions at once; rounds in which each answers another's at its best; the ending that the brief chooses."""
    form = speech(brief.options)
    opening = Everyone(act="open", task="State your position and why.", form=form, view=View(last=0), needs=1)
    rounds = Rounds(each=Steelman(form=form), most=choices.at_least_one("steelman", 2), until=until(choices))
    return Sequence(parts=(opening, rounds, *ending(brief, choices)))
