"""The protocols ``single`` and ``sample``: one answer, or several independent ones that are counted.

They are what a debate has to beat at the same cost, so their first question is that of the other protocols, word for
word.
"""

from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import ProtocolError
from folkmoot.phases import base
from folkmoot.phases.base import Phase
from folkmoot.phases.choices import Choices, rule_of
from folkmoot.phases.draws import CountEach, Draws
from folkmoot.phases.speak import ALONE, FIRST, Everyone, draft
from folkmoot.policy.rules import PLURALITY, Quorum

SAMPLES = 5
"""How many answers are counted where the brief does not say."""

ACTS = ("draft",)


def single(brief: Brief, choices: Choices) -> Phase:
    """One participant answers, and its answer is the decision; nobody else is asked.

    It is the first debater of the brief. One debater is enough. The decision says that nothing was compared.
    """
    choices.no_turn_mode("single")
    debater = _debaters(brief, "single")[:1]
    answer = Everyone(act="draft", task=FIRST, who=debater, form=draft(brief.options), view=ALONE, needs=1)
    return base.Sequence(parts=(answer, CountEach(rule=PLURALITY, acts=ACTS, who=debater)))


def sample(brief: Brief, choices: Choices) -> Phase:
    """Several independent answers, counted; the most frequent one wins, and nobody reads another's answer.

    The debaters answer in turn until there are as many answers as the brief says, 5 unless it does; one debater is
    enough. Answers in words of their own are counted by their wording, so options are worth naming.
    """
    choices.no_turn_mode("sample")
    names = _debaters(brief, "sample")
    number = SAMPLES if choices.samples is None else choices.samples
    for name in names[: number - len(names)] if number > len(names) else ():
        _check_chance(brief.participant(name))
    rule = Quorum(rule=rule_of(choices, PLURALITY))
    draws = Draws(number=number, task=FIRST, form=draft(brief.options), view=ALONE)
    return base.Sequence(parts=(draws, CountEach(rule=rule, acts=ACTS)))


def _debaters(brief: Brief, protocol: str) -> tuple[str, ...]:
    names = brief.names("debater")
    if not names:
        raise ProtocolError(f"{protocol} needs at least 1 debater, not 0", about="participants")
    return names


def _check_chance(participant: Participant) -> None:
    """Refuse settings by which a model gives the same answer each time."""
    same = (
        "temperature 0"
        if participant.settings.temperature == 0
        else "a seed"
        if participant.settings.seed is not None
        else ""
    )
    if same:
        problem = f"sample asks {participant.name} more than once, and with {same} every answer would be the same"
        raise ProtocolError(f"{problem}; leave it out", about="samples")
