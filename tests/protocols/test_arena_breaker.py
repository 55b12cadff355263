"""An arena in which a model fails: it is left out for the rest of the round, and named in record, report and screen."""

from io import StringIO

from rich.console import Console

from folkmoot.app.plan.assignment import make_agents
from folkmoot.cli.display.render import ViewState, entry_lines
from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import Refused, Unavailable
from folkmoot.core.event import Attempted, Called, Failed
from folkmoot.models.base import Request, Traits
from folkmoot.models.layers import BreakerSettings, RetrySettings
from folkmoot.models.pool import Pool
from folkmoot.phases.choices import Choices
from folkmoot.protocols.known import build
from folkmoot.report.markdown import markdown
from folkmoot.report.report import report
from folkmoot.report.turn_text import Namer
from folkmoot.testing.replay import Harness, HeldDebate

WORDS = "ANSWER: Tea by {name}\nARGUMENT: It is cheap.\nISSUE: It is dear.\nSEVERITY: 3\nI vote for: Proposal A"


class Frail:
    """A guest that answers, but in its first calls raises what it is told to."""

    traits = Traits()
    drops: tuple[str, ...] = ()

    def __init__(self, name: str, *errors: Exception) -> None:
        self.name, self.errors, self.asked = f"guest:{name}", list(errors), 0

    def quote(self, request: Request) -> Quote:
        return Quote(model=self.name, tokens=10)

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        self.asked += 1
        if self.errors:
            raise self.errors.pop(0)
        return Called(key="", call=request.call, text=WORDS.format(name=self.name), model=self.name)

    async def close(self) -> None:
        """Nothing to give back."""


async def hold(bob: Frail) -> HeldDebate:
    pool = Pool(env={}, retry=RetrySettings(tries=1), breaker=BreakerSettings(failure_threshold=1), clock=lambda: 0.0)
    people: list[Participant] = []
    for name, model in (("Ann", Frail("ann")), ("Bob", bob), ("Cy", Frail("cy"))):
        pool.add_agent(model.name.removeprefix("guest:"), model)
        people.append(Participant(name=name, seat=model.name))
    brief = Brief(topic="Tea or coffee?", participants=tuple(people))
    place = Harness(brief=brief, protocol=build("arena", brief, Choices(rounds=1, topology="ring")))
    return await place.run(make_agents(brief, pool))


async def test_whoever_is_left_out_is_named_and_not_asked() -> None:
    bob = Frail("bob", Unavailable("down", kind="server"))
    debate = await hold(bob)
    assert bob.asked == 1, "an open breaker sends nothing"
    failed = [entry.event for entry in debate.entries if isinstance(entry.event, Failed)]
    assert [(opened.key, opened.kind) for opened in failed] == [
        ("/debate/propose#2", "server"),
        ("/debate/rounds/round-1/revise#2", "open"),
        ("/debate/vote#2", "open"),
    ]
    tried = [entry.event.key for entry in debate.entries if isinstance(entry.event, Attempted)]
    assert not {opened.key for opened in failed[1:]} & set(tried), "what is not sent costs nothing"
    assert {turn.by for turn in debate.transcript.turns("critique")} == {"Ann", "Cy"}
    decision = debate.transcript.decision
    assert decision
    assert [(ballot.voter, ballot.state) for ballot in decision.ballots] == [
        ("Ann", "cast"),
        ("Bob", "missing"),
        ("Cy", "cast"),
    ]
    why = "guest:bob has failed again and again: it is left out for 1 min"
    text = markdown(report(debate.entries, debate="d"))
    assert f"- **No answer** (Bob, 2 times): {why}" in text.split("## Problems")[1]
    namer = Namer()
    named = [name for entry in debate.entries if (name := namer.name(entry)) and name.type == "agent_error"]
    assert [(named_event.data["agent"], named_event.data["reason"]) for named_event in named[1:]] == [("Bob", why)] * 2


async def test_the_screen_names_who_is_left_out() -> None:
    debate = await hold(Frail("bob", Unavailable("down", kind="server")))
    stage, console = ViewState(), Console(width=200, record=True, file=StringIO())
    for entry in debate.entries:
        view = stage.take(entry)
        for shown in entry_lines(stage, view):
            console.print(shown)
    text = console.export_text()
    assert text.count("guest:bob has failed again and again: it is left out for 1 min") == 2
    lines = text.splitlines()
    above = [lines[n - 1].strip() for n, line in enumerate(lines) if "left out for" in line]
    assert above == ["Bob revision", "Bob vote"]


async def test_a_refusal_leaves_nobody_out() -> None:
    bob = Frail("bob", Refused("no", kind="refused"))
    debate = await hold(bob)
    assert bob.asked > 1
    assert [turn.failure for turn in debate.transcript.failures()] == ["no"]
