"""The format ``six_hats``: everybody thinks in the same way for a round, then in the next (E. de Bono, 1985)."""

from dataclasses import dataclass, replace

from folkmoot.ext import At, Brief, Choices, Floor, Phase, Rounds, Sequence, ending, option, speech, takes_options

HATS = {
    "white": "Round {round}, white hat: say only what is known and what is not. No opinion.",
    "red": "Round {round}, red hat: say what you feel about it, without reasons.",
    "black": "Round {round}, black hat: say what can go wrong.",
    "yellow": "Round {round}, yellow hat: say what is good about it.",
    "green": "Round {round}, green hat: find another way.",
    "blue": "Round {round}, blue hat: sum up, and say what follows.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a brief can set under ``protocol_options``."""

    hats: tuple[str, ...] = option(tuple(HATS), "The hats in the order of the rounds.", low=1, choices=tuple(HATS))


@takes_options(Options)
def six_hats(brief: Brief, choices: Choices, options: Options) -> Phase:
    """A round for each hat, then the ending that the brief chooses; a vote without a choice."""
    form = speech(brief.options)
    parts = tuple(
        At(each=Floor(act="argue", task=HATS[hat], form=form, name=hat), rounds=(n,))
        for n, hat in enumerate(options.hats, start=1)
    )
    rounds = Rounds(each=Sequence(parts=parts), most=len(parts))
    return Sequence(parts=(rounds, *ending(brief, replace(choices, strategy=choices.strategy or "vote"))))
