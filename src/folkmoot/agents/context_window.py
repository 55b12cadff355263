"""A prompt that fits into the context of a small model: what the log holds before the last summary, or its oldest turns,
is left out of it, and the prompt says so. The documents, the turns that are asked about and remarks from outside stay.
Who is to see the full log (``context_scope: full_log``) is not asked with less of it.
"""

from bisect import bisect_left
from dataclasses import dataclass, replace

from folkmoot.agents.prompt import compose
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask
from folkmoot.core.errors import Refused
from folkmoot.core.text import counted
from folkmoot.core.transcript import INTERJECTION, SUMMARY, Turn
from folkmoot.models.base import Message, Model
from folkmoot.models.prices import MARGIN, answer_cap, count_tokens

ROOM = 4
"""The share of the context that stays free for the answer: a quarter, or less where answers are shorter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedPrompt:
    """A prompt for a model.

    Attributes:
        messages: the prompt.
        left_out: how many turns of the log are not in it.
    """

    messages: tuple[Message, ...]
    left_out: int = 0


def likely_tokens(messages: tuple[Message, ...], model: str) -> int:
    """The tokens of a prompt that are likely, where ``count_tokens`` says how many there are at most."""
    return round(count_tokens(messages, (), model) / MARGIN)


def fitted_prompt(ask: Ask, context: Context, model: Model, *, as_json: bool = False) -> FittedPrompt:
    """The prompt of an ask, without older turns where it would not fit; ``as_json``: it asks for a JSON object.

    Raises:
        Refused: it does not fit without them either; nothing was sent.
    """
    whole = FittedPrompt(messages=compose(ask, context, model.traits, as_json=as_json))
    most = model.traits.context
    room = most - min(answer_cap(context.me.settings), most // ROOM)
    if not most or count_tokens(whole.messages, (), model.name) <= room:
        return whole

    def shortened(turns: int) -> FittedPrompt:
        kept = _without_oldest(context.turns, turns)
        left_out = len(context.turns) - len(kept)
        said = f"(Not shown, because there is no room: {counted(left_out, 'older turn')} of the debate.)\n\n"
        task = f"{said if left_out else ''}{ask.task}"
        fewer = replace(context, turns=kept)
        messages = compose(replace(ask, task=task), fewer, model.traits, as_json=as_json)
        return FittedPrompt(messages=messages, left_out=left_out)

    steps = range(1 if context.view.whole else len(context.turns))  # the newest turn stays
    fewest = bisect_left(steps, True, key=lambda n: count_tokens(shortened(n).messages, (), model.name) <= room)
    prompt = shortened(min(fewest, max(0, len(steps) - 1)))
    if (tokens := likely_tokens(prompt.messages, model.name)) > most:
        kept = "; its context_scope is full_log, so no older turn is left out" if context.view.whole else ""
        problem = f"about {tokens:,} tokens, of the {most:,} that it holds{kept}"
        raise Refused(f"the prompt is too long for {model.name}: {problem}", kind="too_long")
    return prompt


def _without_oldest(turns: tuple[Turn, ...], number: int) -> tuple[Turn, ...]:
    """The turns without so many of the oldest; the newest summary stays as long as it is among those left out."""
    summary = next((n for n in range(number - 1, -1, -1) if turns[n].act == SUMMARY), -1)
    return tuple(turn for n, turn in enumerate(turns) if n >= number or n == summary or turn.act == INTERJECTION)
