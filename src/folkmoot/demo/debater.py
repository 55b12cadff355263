"""The built-in agents without a language model: ``builtin:quotes``, a debater, and the timekeeper of a board.

The debater only says what the brief's documents say: every claim is a quotation with source and line, chosen by word
weights and a small lexicon. The same context always gets the same words. The timekeeper repeats the first paragraph of
its task word for word; it can manage the process and judge nothing.
"""

import asyncio
import re
from collections.abc import Sequence

from folkmoot.answers.layout import read, write
from folkmoot.answers.text import key
from folkmoot.core.agent import Context, Recorder
from folkmoot.core.ask import ABSTAIN, Ask, Field, Form, Reply, Value
from folkmoot.core.brief import CLOCK, QUOTES, Source
from folkmoot.core.text import Index, stems, terms
from folkmoot.demo.answers_by_act import (
    BOARD,
    FILLERS,
    JUDGING,
    FieldFiller,
    fill_office,
    fill_ranked,
    fill_taken,
    fill_teams,
)
from folkmoot.demo.evidence import Library, Situation
from folkmoot.demo.material import MEND, NOTHING, polarity
from folkmoot.demo.reviewer import ACTS, review_answer
from folkmoot.demo.schema_sample import sample_answer
from folkmoot.demo.speech import Speech, compose, quote


class Timekeeper:
    """The seat of whoever is played by ``builtin:clock``."""

    records = True

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        """Say where the time stands; see ``core.agent.Agent``. No model is called."""
        text = ask.task.partition("\n\n")[0]
        return Reply(text=text, asked=CLOCK, served=CLOCK)


KEEP = 4
"""So many backgrounds stay indexed."""

_TERSE = ("bid", "score", "gauge", "consent", "reconsider", "translate", "question", "interrupt", "verdict")
"""Acts in which nothing is said beside the form."""

_ANSWERS = ("answer", "position", "proposal", "stance", "claim")
_REASONS = ("because", "changed because", "what changed")
_DECISIONS = ("decision", "verdict", "outcome", "conclusion", "synthesis")
_PLACES = ("where", "quote", "quotation")
_REMEDIES = ("suggestion", "fix", "remedy", "improvement")
_ENDING = ("settled", "done", "end", "stop", "agreed", "closed", "final", "finished")
_GOING = ("continue", "open", "more", "unsettled", "next")


class DemoDebater:
    """The seat of all who are played by ``builtin:quotes``. The indexes of the backgrounds used last are kept."""

    def __init__(self) -> None:
        self._libraries: dict[tuple[Source, ...], Library] = {}

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        """Answer one ask; see ``core.agent.Agent``. No model is called."""
        if ask.act in ACTS:
            return await _reply(review_answer(ask, context), ask, context, recorder)
        if ask.form and ask.form.schema:
            return await _reply(sample_answer(ask, ask.form.schema), ask, context, recorder)
        library = self._library((*context.brief.background, *context.brief.library))
        situation, form_fields = Situation(ask, context, library), ask.form.fields if ask.form else ()
        if library.passages:
            speech = compose(situation)
            fields = {field.name: _fill(field, situation, speech) for field in form_fields}
            text = _laid_out(ask.form, fields, "" if ask.act in _TERSE else speech.text) or speech.text
        else:
            text = _laid_out(
                ask.form, {field.name: _nothing_to_quote(field, situation) for field in form_fields}, NOTHING
            )
        return await _reply(text, ask, context, recorder)

    def _library(self, background: tuple[Source, ...]) -> Library:
        """The index of a background; the one that was used longest ago makes room for a new one."""
        library = self._libraries.pop(background, None) or Library(background)
        self._libraries[background] = library
        while len(self._libraries) > KEEP:
            del self._libraries[next(iter(self._libraries))]
        return library


async def _reply(text: str, ask: Ask, context: Context, recorder: Recorder) -> Reply:
    """The answer, shown word by word and read as a model's is."""
    await _stream(text, recorder)
    reading = read(ask.form, text, speaker=context.me.name)
    return Reply(text=reading.text, fields=reading.fields, unread=reading.unread, asked=QUOTES, served=QUOTES)


async def _stream(text: str, recorder: Recorder) -> None:
    """Show the words one by one; others may speak after each sentence."""
    for piece in re.findall(r"\s*\S+\s*", text):
        recorder.delta(piece)
        if piece.rstrip().endswith((".", "!", "?", ":", ")")):
            await asyncio.sleep(0)


def _laid_out(form: Form | None, fields: dict[str, Value | None], text: str) -> str:
    """The words in the layout of the form; where that cannot hold them, as far as it can."""
    if form is None:
        return text
    values = {name: value for name, value in fields.items() if value is not None}
    extra = "" if any(value == text for value in values.values()) else text
    try:
        return write(form, values, extra)
    except ValueError:
        return text


def _nothing_to_quote(field: Field, situation: Situation) -> Value | None:
    """What is said in a field where there is nothing to quote: an abstention, where one is allowed; to a board, why.

    A board's verdict and what follows from it is given all the same: the meeting waits for it.
    """
    if field.name == "Content":
        return NOTHING
    if field.kind == "choice" and field.abstain:
        return ABSTAIN
    return BOARD[field.name](field, situation, Speech(text=NOTHING)) if field.name in JUDGING else None


def _filler(field: Field, act: str) -> FieldFiller | None:
    """How a field of that name is filled in an answer of that act; None where its name says nothing about it."""
    if act == "score" and re.fullmatch(r"(?:proposal|why) [a-z]{1,2}", field.name.casefold()):
        return fill_ranked
    if act == "synthesize" and field.name.startswith("TAKEN FROM "):
        return fill_taken
    if act == "vote" and field.name == "RANKING" and not any(name.startswith("Proposal ") for name in field.choices):
        return fill_teams
    if act == "vote" and field.kind == "text" and field.name != "REASON":
        return fill_office
    if (field.name, field.kind) == ("EVIDENCE", "text") or (field.name == "CHANGED" and act != "reflect"):
        return None
    return FILLERS.get(field.name)


def _fill(field: Field, situation: Situation, speech: Speech) -> Value | None:
    """The value of a field; None where it is better left out."""
    if fill := _filler(field, situation.ask.act):
        return fill(field, situation, speech)
    match field.kind:
        case "choice":
            return _choose(field, situation, speech)
        case "number":
            return _number(field, situation, speech)
        case "flag":
            return "chang" in field.name.casefold() and bool(speech.because)
        case "list" if field.choices:
            return _order(field, speech)
        case "list":
            return tuple(quote(situation, number) for number in speech.picks) or None
        case _:
            return _text(field, situation, speech) or None


def _order(field: Field, speech: Speech) -> Value | None:
    """The choices by how well the documents cover what stands under each, the best first."""
    if len(speech.ranks) != len(field.choices):
        return None
    places = sorted(range(len(field.choices)), key=lambda place: -speech.ranks[place])
    return tuple(field.choices[index] for index in places)


def _text(field: Field, situation: Situation, speech: Speech) -> str:
    name = field.name.casefold()
    form = situation.ask.form
    if name in _ANSWERS and speech.answer:
        return speech.answer
    if name in _REASONS and (speech.because or not field.required):
        return speech.because
    if name in _PLACES and speech.where:
        return speech.where
    if name in _REMEDIES:
        return MEND
    if name in _DECISIONS:
        held_back = (
            form and not field.required and not speech.settled and any(_is_status(field) for field in form.fields)
        )
        return "" if held_back else speech.decision or speech.text
    return speech.text


def _is_status(field: Field) -> bool:
    """Whether a choice is about going on or ending."""
    words = [key(choice) for choice in field.choices]
    return any(word in _ENDING for word in words) and any(word in _GOING for word in words)


def _choose(field: Field, situation: Situation, speech: Speech) -> Value | None:
    """The choice that the evidence points to."""
    choices = field.choices
    if not choices:
        return None
    if _is_status(field):
        wanted = _ENDING if speech.settled else _GOING
        return next(choice for choice in choices if key(choice) in wanted)
    if choices == situation.options and situation.answer:
        return situation.answer
    if speech.ranks and len(speech.ranks) == len(choices):
        return choices[speech.ranks.index(max(speech.ranks))]
    if "chang" in field.name.casefold():
        signs = [polarity(choice) for choice in choices]
        sign = 1 if speech.because else -1
        return choices[signs.index(sign)] if sign in signs else choices[0]
    return choices[_closest_choice(choices, situation, speech)]


def _closest_choice(choices: Sequence[str], situation: Situation, speech: Speech) -> int:
    """The choice whose words the said passages hold most, by BM25 over the choices; then the one best supported."""
    weights: dict[str, float] = {}
    for number in speech.picks:
        for word in terms(situation.library.passages[number].text):
            weights[word] = weights.get(word, 0.0) + 1.0
    scores = Index([terms(choice) or stems(choice) for choice in choices]).weigh(weights)
    if not any(scores):
        scores = situation.support(situation.library.stances(choices))
    return scores.index(max(scores))


def _number(field: Field, situation: Situation, speech: Speech) -> Value:
    """A share of the field's range: how strong what is said is, or how well the named proposal is covered."""
    share = speech.share
    for turn, rank in zip(situation.context.about, speech.ranks, strict=False):
        if key(turn.by) == key(field.name):
            share = rank
    low = 0.0 if field.low is None else field.low
    high = max(low, low + 1.0 if field.high is None else field.high)
    value = low + min(1.0, max(0.0, share)) * (high - low)
    if high - low >= 5 and low == int(low) and high == int(high):
        return round(value)
    return min(high, max(low, round(value, 2)))
