"""Fallback models from brief to report: who may name them, that money holds, and that nobody answers unseen."""

from pathlib import Path

import pytest

from folkmoot.app.plan.assignment import make_agents
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.api import read_brief_argument
from folkmoot.app.run.prepare import Overrides, PreparedDebate, prepare
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.ask import Usage
from folkmoot.core.brief import Brief, Limits, Participant
from folkmoot.core.errors import BriefError, Refused, Unavailable
from folkmoot.core.event import Attempted, Called, Erred, Paused, Replied
from folkmoot.core.transcript import fold
from folkmoot.models.base import Request, Traits
from folkmoot.models.layers import BreakerSettings, RetrySettings
from folkmoot.models.pool import Pool
from folkmoot.phases.base import Phase, Rounds
from folkmoot.phases.speak import Everyone
from folkmoot.record.store import decode
from folkmoot.report.markdown import markdown
from folkmoot.report.report import report
from folkmoot.testing.replay import Harness, HeldDebate
from tests.cli.commands import settle

HASTY = RetrySettings(tries=1)


class Priced:
    """A guest that always says the same, at a price."""

    traits = Traits()
    drops: tuple[str, ...] = ()

    def __init__(self, name: str, line: str | Exception, cost: float = 0.0) -> None:
        self.name, self.line, self.cost = f"guest:{name}", line, cost

    def quote(self, request: Request) -> Quote:
        return Quote(model=self.name, tokens=10, cost=self.cost)

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        if isinstance(self.line, Exception):
            raise self.line
        return Called(key="", call=request.call, text=self.line, model=self.name, usage=Usage(cost=self.cost))

    async def close(self) -> None:
        """Nothing to give back."""


TALK: Phase = Everyone(act="argue", task="Argue.")
GONE = Unavailable("the account has no quota left", kind="quota")


async def hold(*models: Priced, limits: Limits | None = None, rounds: Phase = TALK, backed: bool = True) -> HeldDebate:
    """A debate of Ann, who has all the models, or the first alone, and Bob, who has the last one."""
    pool = Pool(env={}, retry=HASTY, breaker=BreakerSettings(failure_threshold=1))
    for model in models:
        pool.add_agent(model.name.removeprefix("guest:"), model)
    names = [model.name for model in models]
    people = (
        Participant(name="Ann", seat=names[0], fallback=tuple(names[1:]) if backed else ()),
        Participant(name="Bob", seat=names[-1]),
    )
    brief = Brief(topic="Tea?", participants=people, limits=limits or Limits())
    return await Harness(brief=brief, protocol=rounds).run(make_agents(brief, pool))


async def test_who_answers_instead_is_on_record_and_in_the_report() -> None:
    debate = await hold(Priced("one", GONE), Priced("two", "Tea."))
    key = "/debate#1"
    events = [entry.event for entry in debate.entries]
    tries = [
        (event.call, event.n, event.model) for event in events if isinstance(event, Attempted) and event.key == key
    ]
    assert tries == [("answer", 1, "guest:one"), ("answer", 2, "guest:two")]
    assert [event.kind for event in events if isinstance(event, Erred)] == ["quota"]
    assert [event.model for event in events if isinstance(event, Called) and event.key == key] == ["guest:two"]
    notes = {event.key: event.reply.notes for event in events if isinstance(event, Replied)}
    assert notes == {key: ("fallback: guest:two answered in place of guest:one",), "/debate#2": ()}
    assert fold(debate.entries) == debate.transcript


async def test_the_report_names_the_other_model_once() -> None:
    debate = await hold(Priced("one", GONE), Priced("two", "Tea."))
    seats = [line.replace("guest:", "other:") for line in debate.lines]
    text = markdown(report([decode(line) for line in seats], debate="d"))
    assert text.count("other:two was called instead of other:one") == 1
    assert "in place of" not in text


async def test_who_is_left_out_is_named() -> None:  # R1
    rounds = Rounds(each=TALK, most=2)
    debate = await hold(
        Priced("one", Unavailable("down", kind="server")), Priced("two", "Tea."), backed=False, rounds=rounds
    )
    assert [(turn.by, turn.failure.partition(":")[0]) for turn in debate.transcript.failures()] == [
        ("Ann", "down"),
        ("Ann", "guest"),
    ]
    text = markdown(report(debate.entries, debate="d"))
    assert "): guest:one has failed again and again: it is left out for 1 min" in text


async def test_a_refusal_is_an_answer() -> None:
    debate = await hold(Priced("one", Refused("no", kind="refused")), Priced("two", "Tea."))
    assert [turn.failure for turn in debate.transcript.failures()] == ["no"]


async def test_a_limit_on_cost_holds_for_those_who_stand_in() -> None:
    debate = await hold(Priced("one", GONE), Priced("two", "Tea.", cost=0.5), limits=Limits(cost=0.7, parallel=1))
    paused = [entry.event for entry in debate.entries if isinstance(entry.event, Paused)]
    assert [event.kind for event in paused] == ["limit"]
    assert sum(isinstance(entry.event, Called) for entry in debate.entries) == 1


@pytest.mark.parametrize(
    ("who", "message"),
    [
        (Participant(name="Ann", seat="human", fallback=("ollama:a",)), "not human; for a person, use stand_in"),
        (Participant(name="Ann", seat="builtin:quotes", fallback=("ollama:a",)), "not builtin:quotes"),
        (Participant(name="Ann", seat="ollama:a", fallback=("nobody:b",)), "Ann: 'nobody:b' has no known provider"),
    ],
)
def test_a_fallback_that_cannot_be(who: Participant, message: str) -> None:
    with pytest.raises(BriefError, match=message):
        make_agents(Brief(topic="?", participants=(who,)), Pool(env={}))


# ---- from a brief and from the owner's settings

BRIEF = """# Tea?

## Ada (ollama:a)
fallback: {header}

## Bo (ollama:b)

## Cy (builtin:quotes)
"""


async def ready(text: str, config: Config | None = None) -> PreparedDebate:
    workspace = Workspace.at(Path("folkmoot.sqlite"))
    try:
        return await prepare(workspace, read_brief_argument(text), Overrides(), config=config)
    finally:
        await workspace.close()


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in settle(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("header", "fallback"),
    [("openai:gpt-4o", ("openai:gpt-4o",)), ("[ollama:b, openai/gpt-4o]", ("ollama:b", "openai:gpt-4o"))],
)
async def test_a_brief_names_fallbacks(header: str, fallback: tuple[str, ...]) -> None:
    config = Config(fallback=("ollama:b", "ollama:c"))
    plan = (await ready(BRIEF.format(header=header), config)).plan
    assert [participant.fallback for participant in plan.brief.participants] == [fallback, ("ollama:c",), ()]


async def test_the_estimate_holds_whoever_is_asked() -> None:
    plain, backed = (
        await ready(BRIEF.replace("fallback: {header}\n", "")),
        await ready(BRIEF.format(header="openai:gpt-4o")),
    )
    assert plain.costing.most.cost == 0.0
    assert backed.costing.most.cost
    assert backed.costing.most.cost > 0.0


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("gpt-4o", "'gpt-4o' is not a model"),
        ("[]", "fallback must have 1 to 4 entries"),
        ("{a: b}", "fallback is a table of keys"),
    ],
)
async def test_a_fallback_that_is_none(header: str, message: str) -> None:
    with pytest.raises(BriefError, match=message):
        await ready(BRIEF.format(header=header))


async def test_without_settings_at_hand_they_are_loaded(tmp_path: Path) -> None:
    (tmp_path / "folkmoot.toml").write_text('fallback = ["ollama:z"]\n')
    plan = (await ready(BRIEF.format(header="ollama:y"))).plan
    assert [participant.fallback for participant in plan.brief.participants] == [("ollama:y",), ("ollama:z",), ()]
