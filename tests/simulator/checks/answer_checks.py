"""What a model has said to a question, read once more from its raw answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from folkmoot.answers.layout import read
from folkmoot.core.agent import is_cut_off
from folkmoot.core.ask import Ask, Form, Reply, Value
from folkmoot.core.event import Called
from tests.simulator.checks.answer_tokens import NO_TOKEN, token, without_token
from tests.simulator.checks.record_facts import RecordFacts
from tests.simulator.invariants import require

Said = Mapping[str, Value]
"""The fields of an answer, with ``NO_TOKEN`` in the place of its token."""


def check_answer(record: RecordFacts, ask: Ask, reply: Reply) -> None:
    """Check that the fields of an answer are what its model has said."""
    if not ask.form or reply.asked == "human" or ask.key not in record.called:
        return
    word = token(record.debate, ask.key)
    fields = {name: without_token(value, word) for name, value in reply.cleaned(ask.form).fields.items()}
    readings = readings_of(record, ask)
    if fields in readings:
        return
    calls = record.called[ask.key].values()
    whole = {name: replace(called, finish="stop") for name, called in record.called[ask.key].items()}
    cut = any(is_cut_off(called) for called in calls) and fields in _readings(record, ask, whole, word)
    require(not cut, "I86", lambda: f"{ask.key}: {fields}")
    require(cut, "I18", lambda: f"{ask.key}: {fields} and not {readings}")


def readings_of(record: RecordFacts, ask: Ask) -> Sequence[Said]:
    """What the raw answers to a question say.

    There are two where a model may have begun anew when it was to go on. And the first answer may count as it was read
    at first, or as the last one: where the question about the form failed, or its answer said nothing.
    """
    return _readings(record, ask, record.called.get(ask.key, {}), token(record.debate, ask.key))


def _readings(record: RecordFacts, ask: Ask, calls: Mapping[str, Called], word: str) -> Sequence[Said]:
    form, answer, rest, repair = (
        ask.form,
        calls.get("answer"),
        calls.get("continue"),
        calls.get("repair-words", calls.get("repair")),
    )
    if form is None or answer is None:
        return []
    plain = [answer]
    if rest is not None:
        plain = [replace(rest, text=joined(answer.text, rest.text)), rest]
    others = tuple(
        person.name for person in (record.brief.participants if record.brief else ()) if person.name != ask.to
    )
    reader = _Reader(form, ask.to, others, word)
    if repair is None:
        return [reader.fields(called, final=final) for called in plain for final in (False, True)]
    second = reader.fields(repair, final=True)
    return [{**reader.fields(called, final=final), **second} for called in plain for final in (False, True)]


def joined(begun: str, rest: str) -> str:
    """An answer that was cut off, and gone on with from its last word on, which may have been half of one."""
    words = begun.rsplit(maxsplit=1)
    head = words[0] if len(words) > 1 and len(words[1]) <= 40 else begun.rstrip()
    gap = begun[len(head) : len(begun) - len(begun[len(head) :].lstrip())]
    return head + gap + (rest.lstrip() if gap else rest)


@dataclass(frozen=True, slots=True)
class _Reader:
    form: Form
    speaker: str
    others: tuple[str, ...]
    word: str

    def fields(self, called: Called, *, final: bool = False) -> dict[str, Value]:
        said = self._said(called.text, final=final)
        if not is_cut_off(called) or self.form.layout == "records":
            return said
        # What reads the same without the row that was cut off is whole.
        rows = called.text.rstrip("\n").rpartition("\n")[0] if self.form.layout in ("line", "sections") else ""
        before = self._said(rows, final=final)
        return {name: value for name, value in said.items() if before.get(name) == value}

    def _said(self, text: str, *, final: bool) -> dict[str, Value]:
        return _read(self.form, text.replace(self.word, NO_TOKEN), self.speaker, self.others, final)


@lru_cache(maxsize=4_096)
def _read(form: Form, text: str, speaker: str, others: tuple[str, ...], final: bool) -> dict[str, Value]:
    """The fields of an answer; many answers are the same but for their token."""
    fields = read(form, text, speaker=speaker, others=others, final=final).fields
    return dict(Reply(text="", fields=fields).cleaned(form).fields)
