"""What is said from outside reaches everybody from the next question on, whatever a protocol shows of its log."""

from collections.abc import Sequence

import pytest

from moot.core.brief import Brief, Participant
from moot.core.event import Asked, Interjected, Replied
from moot.core.seat import scene
from moot.core.transcript import INTERJECTION, Transcript
from moot.desk.lengths import words
from moot.desk.pretending import Pretender, endings
from moot.phases.base import Table, enter
from moot.phases.known import KNOWN, build

PEOPLE = tuple(Participant(name=name, role="Debater") for name in ("Ann", "Bob", "Cy", "Di", "Eve", "Flo"))
BRIEF = Brief(topic="Tea or coffee?", participants=(*PEOPLE, Participant(name="Chair", duty="moderator")))


@pytest.mark.parametrize("protocol", [*KNOWN])
def test_an_interjection_reaches_every_later_prompt(protocol: str) -> None:
    tree = build(protocol, BRIEF)
    transcript, pretender = Transcript(brief=BRIEF), Pretender(ends=endings(tree), agree=False)
    batch, heard = 0, list[bool]()
    for step in enter(tree, Table(brief=BRIEF, transcript=transcript)):
        if not isinstance(step, Sequence):
            transcript.apply(step)
            continue
        batch += 1
        for ask in step:
            transcript.apply(Asked(ask=ask))
        scenes = [scene(BRIEF, transcript, ask) for ask in step]
        heard += [any(turn.act == INTERJECTION for turn in seen.turns) for seen in scenes if batch > 1]
        for place, (ask, seen) in enumerate(zip(step, scenes, strict=True)):
            reply = pretender.answer(ask, transcript, place=place, batch=batch, words=words(ask, seen), last=False)
            transcript.apply(Replied(key=ask.key, reply=reply))
        if batch == 1:
            transcript.apply(Interjected(by="Guest", text="There is no milk."))
    assert all(heard)
    assert heard
