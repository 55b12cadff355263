"""Seats that play by a script of fields, shared by the tests of phases."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from folkmoot.core.agent import Context, Recorder
from folkmoot.core.ask import ABSTAIN, Ask, Reply, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.phases.base import Phase
from folkmoot.phases.vote import BALLOT
from folkmoot.testing.replay import Harness, HeldDebate, SeededAgent, calls, essence
from tests.kits.thoroughness import STEP

ANN, BOB, CY = (Participant(name=name) for name in ("Ann", "Bob", "Cy"))
CHAIR = Participant(name="Chair", duty="moderator")


Script: TypeAlias = Callable[[Ask, Context], Mapping[str, Value] | None]


class Player:
    """A seat that answers by act: fields, or None for a failure; the script is asked for each ask."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.asked: list[tuple[Ask, Context]] = []

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        self.asked.append((ask, context))
        fields = self.script(ask, context)
        if fields is None:
            raise ValueError("no answer")
        return Reply(text=f"{ask.to} {ask.act} {ask.key}", fields=fields)


def votes(chosen: Mapping[str, str]) -> Script:
    """Everybody proposes a text; votes as given: voter to author, "-" to abstain, "?" unread, "!" fails."""

    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        if ask.act != "vote":
            return {}
        wish = chosen[ask.to]
        if wish in "-?!":
            return {"-": {BALLOT: ABSTAIN}, "?": {}, "!": None}[wish]
        assert ask.form
        at = [turn.by for turn in context.about].index(wish)
        return {BALLOT: ask.form.fields[0].choices[at]}

    return script


async def hold(phase: Phase, script: Script, options: tuple[str, ...] = (), seed: int = 0) -> tuple[HeldDebate, Player]:
    brief = Brief(topic="Tea?", participants=(ANN, BOB, CY), options=options, seed=seed)
    player = Player(script)
    place = Harness(brief=brief, protocol=phase)
    return await place.run({participant.name: player for participant in brief.participants}), player


async def resume_everywhere(place: Harness, whole: HeldDebate, *, seed: int = 0, step: int = 1) -> None:
    """Cut a debate that oracles held, behind every entry or every so many; resumed it must be the same debate."""
    for cut in range(0, len(whole.lines), max(step, STEP)):
        oracle = SeededAgent(seed)
        seats = {participant.name: oracle for participant in place.brief.participants}
        resumed = await place.run(seats, whole.lines[:cut])
        assert essence(resumed.transcript) == essence(whole.transcript), f"cut behind entry {cut}"
        assert not set(calls(whole.entries[:cut])) & set(oracle.sent), "a finished call was paid twice"
