"""No prompt of a board holds thoughts of others, or whispers that went elsewhere: canaries in every private field."""

import hashlib
from dataclasses import dataclass, field, replace

import pytest

from folkmoot.agents.prompt import compose
from folkmoot.answers.layout import read, write
from folkmoot.core.agent import Context, Quote, Recorder
from folkmoot.core.ask import Ask, Form, Reply, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.event import Called
from folkmoot.models.base import Traits
from folkmoot.phases.choices import Choices, Extras
from folkmoot.protocols.known import build
from folkmoot.testing.replay import Harness, HeldDebate
from tests.kits.codes import codes

NAMES = ("Ann", "Bob", "Cy", "Dan")
ALL = Extras(**dict.fromkeys(Extras.__dataclass_fields__, True))


def drawn(key: str, text: str, n: int) -> int:
    return hashlib.sha256(f"{key} {text}".encode()).digest()[0] % n


def canary(key: str, name: str) -> str:
    return f"canary{hashlib.sha256(f'{key} {name}'.encode()).hexdigest()[:12]}"


@dataclass(slots=True)
class Whisperer:
    """Thinks and whispers in every message; its answer passes through the layout as a model's would."""

    prompts: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        text = "\n".join(message.text for message in compose(ask, context, Traits()))
        self.prompts[ask.key] = (ask.to, text)
        words = write(ask.form, self.fields(ask, ask.form)) if ask.form else "Time."

        async def send() -> Called:
            return Called(key=ask.key, call="answer", text=words, model="whisperer")

        called = await recorder.call("answer", Quote(model="whisperer", tokens=1), send)
        reading = read(ask.form, called.text, speaker=ask.to)
        return Reply(text=reading.text, fields=reading.fields, unread=reading.unread)

    def fields(self, ask: Ask, form: Form) -> dict[str, Value]:
        values: dict[str, Value] = {}
        for form_field in form.fields:
            match form_field.kind:
                case "choice":
                    values[form_field.name] = form_field.choices[
                        drawn(ask.key, form_field.name, len(form_field.choices))
                    ]
                case "number":
                    values[form_field.name] = 1.0
                case "flag":
                    values[form_field.name] = False
                case "list":
                    values[form_field.name] = (canary(ask.key, form_field.name),)
                case "text":
                    values[form_field.name] = canary(ask.key, form_field.name)
        return values


async def hold(extras: Extras, hide: tuple[str, ...] = ()) -> tuple[HeldDebate, Whisperer]:
    people = [Participant(name=name) for name in (*NAMES, "TimeKeeper")]
    people[0] = replace(people[0], hide=hide, language="German" if extras == ALL else "")
    people[-1] = replace(people[-1], duty="moderator")
    brief = Brief(topic="Hire Kim?", participants=tuple(people), options=("HIRE", "NO_HIRE"), seed=5)
    bird = Whisperer()
    place = Harness(brief=brief, protocol=build("board", brief, Choices(rounds=4, extras=extras)))
    return await place.run(dict.fromkeys([person.name for person in people], bird)), bird


@pytest.mark.parametrize("hide", [(), ("Bob", "remind")])
@pytest.mark.parametrize("extras", [Extras(), ALL])
async def test_thoughts_reach_nobody_and_whispers_one_alone(extras: Extras, hide: tuple[str, ...]) -> None:
    debate, bird = await hold(extras, hide)
    turns = debate.transcript.turns("argue")
    assert len(turns) == 16
    whispers_read = 0
    for turn in turns:
        assert {"Thoughts", "Whisper", "WhisperTo"} <= turn.fields.keys()
        to = turn.fields["WhisperTo"]
        for reader, text in bird.prompts.values():
            if reader != turn.by:
                assert canary(turn.key, "Thoughts") not in text, f"{reader} reads what {turn.by} thinks"
                assert reader == to or canary(turn.key, "Whisper") not in text, f"{reader} hears {turn.by} whisper"
            whispers_read += reader == to and canary(turn.key, "Whisper") in text
    assert whispers_read > 10, "hardly any whisper was heard, so that nothing is proved"


async def test_everybody_reads_what_was_said_aloud() -> None:
    debate, bird = await hold(Extras())
    first, last = debate.transcript.turns("argue")[0], debate.transcript.turns("argue")[-1]
    texts = {reader: text for key, (reader, text) in bird.prompts.items() if key != first.key}
    assert set(texts) == {*NAMES, "TimeKeeper"}
    assert all(canary(first.key, "Content") in text for text in texts.values())
    assert canary(last.key, "Content") not in "".join(text for reader, text in texts.items() if reader == last.by)


async def test_whom_a_whisper_is_for_is_compared_without_case() -> None:
    """O17."""
    debate, _ = await hold(Extras())
    form = debate.transcript.turns("argue", by="Ann")[0].ask
    assert form
    text = "<Message><Whisper>psst</Whisper><WhisperTo>BOB</WhisperTo><Content>Good day.</Content></Message>"
    assert read(form.form, text, speaker="Ann").fields["WhisperTo"] == "Bob"


async def test_a_whisper_to_nobody_is_heard_by_nobody() -> None:
    debate, _ = await hold(Extras())
    form = debate.transcript.turns("argue", by="Ann")[0].ask
    assert form
    text = "<Message><Whisper>psst</Whisper><WhisperTo>Zoe</WhisperTo><Content>Good day.</Content></Message>"
    reading = read(form.form, text, speaker="Ann")
    assert "WhisperTo" not in reading.fields
    assert codes(reading) == ("WhisperTo: not_allowed",)
