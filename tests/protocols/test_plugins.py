"""Protocols and phases from other packages: found by name, loaded only then, and named when they are broken."""

import importlib
import importlib.metadata
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from folkmoot.app.brief.reader import read_brief
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.prepare import Overrides, prepare
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.agent import Agent
from folkmoot.core.brief import Brief
from folkmoot.core.errors import ProtocolError, RecordMismatch
from folkmoot.phases.choices import Choices, Mediation
from folkmoot.protocols import spec
from folkmoot.protocols.known import KNOWN, build, names
from folkmoot.protocols.spec import dump, load, naming_packages
from folkmoot.testing.replay import Harness, SeededAgent, essence
from tests.kits.players import ANN, BOB, CHAIR

BRIEF = Brief(topic="Tea?", participants=(ANN, BOB, CHAIR), seed=4)

# A whole format of another package in one file.
DUEL = '''
"""The format ``duel``: two shots each, then a vote."""

from dataclasses import dataclass

from folkmoot.phases.endings import ending
from folkmoot.phases.base import Rounds, Sequence
from folkmoot.phases.speak import Everyone


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """Everybody says one thing."""

    task: str
    name: str = "shot"

    def play(self, state):
        yield from Everyone(act="argue", task=self.task).play(state)


def duel(brief, choices):
    """Two shots each, then the ending."""
    rounds = Rounds(each=Shot(task="Shoot."), most=choices.at_least_one("duel", 2))
    return Sequence(parts=(rounds, *ending(brief, choices)))
'''

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Puts a distribution with one module and its entry points on the path, as an installer would."""
    installed: list[str] = []

    def install(package: str, code: str, *points: str) -> None:
        site = tmp_path / package
        info = site / f"{package}-1.0.dist-info"
        info.mkdir(parents=True)
        info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", "utf-8")
        groups = [f"[{group}]\n{point}" for group, _, point in (text.partition(" ") for text in points)]
        info.joinpath("entry_points.txt").write_text("\n\n".join(groups) + "\n", "utf-8")
        site.joinpath(f"{package}.py").write_text(code, "utf-8")
        monkeypatch.setattr(sys, "path", [str(site), *sys.path])
        importlib.invalidate_caches()
        installed.append(package)

    yield install
    for package in installed:
        sys.modules.pop(package, None)


PROTOCOL = "folkmoot.protocols duel = {0}:duel"
PARTS = "folkmoot.parts duel = {0}"


async def test_a_protocol_of_another_package_is_one_like_ours(install: Install) -> None:
    install("duelpack", DUEL, PROTOCOL.format("duelpack"), PARTS.format("duelpack"))
    assert names() == (*KNOWN, "duel")
    assert "duelpack" not in sys.modules, "nothing is imported before it is asked for"
    tree = build("duel", BRIEF, Choices(rounds=3, strategy="vote", mediation=Mediation(kind="active")))
    data = json.loads(json.dumps(dump(tree)))
    assert {"is": "duelpack:Shot", "task": "Shoot."} in data["parts"][0]["each"]["parts"]
    assert load(data) == tree
    runner = Harness(brief=BRIEF, protocol=tree, name="duel")
    seats: Mapping[str, Agent] = dict.fromkeys(("Ann", "Bob", "Chair"), SeededAgent())
    whole = await runner.run(seats)
    assert [turn.by for turn in whole.transcript.turns("argue")] == ["Ann", "Bob"] * 3
    assert len(whole.transcript.turns("guide")) == 3
    for cut in range(0, len(whole.lines), 4):
        assert essence((await runner.run(seats, whole.lines[:cut])).transcript) == essence(whole.transcript)


def test_what_packages_offer_is_read_once(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install("duelpack", DUEL, PROTOCOL.format("duelpack"))
    assert names() == (*KNOWN, "duel")
    read = importlib.metadata.entry_points
    readings = list[int]()
    monkeypatch.setattr("importlib.metadata.entry_points", lambda: readings.append(1) or read())
    assert names() == (*KNOWN, "duel")
    assert readings == []
    install("otherpack", DUEL, PROTOCOL.format("otherpack").replace("duel =", "other ="))
    assert names() == (*KNOWN, "duel", "other")
    assert readings == [1]


def test_ours_come_first_and_nothing_of_others_is_loaded_for_them(install: Install) -> None:
    install("pirate", "1 / 0", "folkmoot.protocols panel = pirate:panel", "folkmoot.parts all = pirate")
    assert names() == tuple(KNOWN)
    tree = build("panel", BRIEF)
    assert load(dump(tree)) == tree
    assert "pirate" not in sys.modules


def test_a_part_may_have_the_name_of_one_of_ours(install: Install) -> None:
    code = DUEL.replace("class Shot", "class Vote").replace("Shot(", "Vote(")
    install("voters", code, PROTOCOL.format("voters"))
    tree = build("duel", BRIEF, Choices(strategy="vote"))
    data = dump(tree)
    assert "'is': 'voters:Vote'" in str(data)
    assert "'is': 'Vote'" in str(data)
    assert load(data) == tree


FAILING = DUEL.replace(
    "yield from Everyone", "if state.round == 2:\n            oops(state)\n        yield from Everyone"
)


async def test_an_error_while_it_is_played_names_the_package_and_keeps_what_was_answered(
    install: Install, tmp_path: Path
) -> None:
    install("duelpack", FAILING, PROTOCOL.format("duelpack"), PARTS.format("duelpack"))
    sentence = r"'duel' of the package duelpack \(duelpack:duel\) cannot be used: NameError: name 'oops' is not defined"
    workspace = Workspace.at(tmp_path / "own.sqlite")
    parsed = read_brief("---\nprotocol: duel\nstrategy: vote\n---\n# Tea?\n\n## Ann\nrole: for\n\n## Bob\nrole: no\n")
    with pytest.raises(ProtocolError, match=sentence):
        await prepare(workspace, parsed, Overrides(models=("builtin:quotes",)), config=Config())
    plan = workspace.plan(parsed.brief, protocol="duel", choices=Choices(strategy="vote"))
    with pytest.raises(ProtocolError, match=sentence):
        await workspace.run(plan, "tea")
    assert len((await workspace.outcome("tea")).transcript.turns("argue")) == 2
    with pytest.raises(ProtocolError, match=sentence):
        await workspace.resume("tea")
    sys.modules["duelpack"].oops = len  # type: ignore[attr-defined]
    with pytest.raises(ProtocolError, match=r"package duelpack .*: TypeError"):
        await workspace.resume("tea")
    await workspace.close()


def test_an_error_of_our_own_code_names_no_package(install: Install) -> None:
    install("duelpack", DUEL, PROTOCOL.format("duelpack"))
    for error in (KeyError("ours"), RecordMismatch("ours")):
        with pytest.raises(type(error)) as raised, naming_packages():
            raise error
        assert raised.value is error


def test_a_part_that_no_package_offers_cannot_be_stored(install: Install) -> None:
    install("shots", DUEL)
    install("hidden", "from shots import duel", PROTOCOL.format("hidden"))
    with pytest.raises(ProtocolError, match="Shot of shots cannot be in a protocol: no package offers its module"):
        dump(build("duel", BRIEF, Choices(strategy="vote")))


def test_a_wrong_choice_is_told_in_the_protocols_own_words(install: Install) -> None:
    install("duelpack", DUEL, PROTOCOL.format("duelpack"))
    with pytest.raises(ProtocolError, match="duel needs at least 1 round, not 0") as error:
        build("duel", BRIEF, Choices(rounds=0))
    assert error.value.about == "rounds"


BROKEN = [
    ("import nothing_of_that_name", "ModuleNotFoundError: No module named 'nothing_of_that_name'"),
    ("def duel(:", "SyntaxError: invalid syntax"),
    ("", "AttributeError: module 'bad' has no attribute 'duel'"),
    ("raise RuntimeError('no licence')", "RuntimeError: no licence"),
    ("1 / 0", "ZeroDivisionError: division by zero"),
    ("duel = 7", "it is not a function of a brief and its choices"),
    ("def duel(brief): ...", "TypeError: duel\\(\\) takes 1 positional argument but 2 were given"),
    ("def duel(brief, choices): return brief.nothing", "AttributeError: 'Brief' object has no attribute 'nothing'"),
    ("def duel(brief, choices): return 'fight'", "it makes no phase but str"),
]


@pytest.mark.parametrize(("code", "why"), BROKEN)
def test_a_broken_protocol_is_named_with_its_package(install: Install, code: str, why: str) -> None:
    install("bad", code, PROTOCOL.format("bad"))
    with pytest.raises(ProtocolError, match=f"'duel' of the package bad \\(bad:duel\\) cannot be used: {why}") as error:
        build("duel", BRIEF)
    assert error.value.about == "protocol"


@pytest.mark.parametrize(
    ("code", "point", "why"),
    [
        ("1 / 0", PARTS, "bad \\(bad\\) cannot be used: ZeroDivisionError"),
        ("x = 7", PARTS + ":x", "bad \\(bad:x\\) cannot be used: it is not a module"),
    ],
)
def test_broken_parts_are_named_with_their_package(install: Install, code: str, point: str, why: str) -> None:
    install("bad", code, point.format("bad"))
    with pytest.raises(ProtocolError, match=f"'duel' of the package {why}"):
        load({"is": "bad:Shot", "task": "?"})


def test_two_packages_with_one_name_are_both_named(install: Install) -> None:
    for package in ("second", "first"):
        install(package, DUEL, PROTOCOL.format(package))
    with pytest.raises(ProtocolError, match="several packages offer a protocol 'duel': first, second; keep one"):
        build("duel", BRIEF)


def test_an_unknown_name_lists_the_names_of_all(install: Install) -> None:
    install("duelpack", DUEL, PROTOCOL.format("duelpack"))
    with pytest.raises(ProtocolError, match=r"no protocol is called 'brawl'; there are panel, .*, duel$"):
        build("brawl", BRIEF)
    assert spec.protocol("brawl") is None
