"""Checks for extensions: what a rule, a phase, a tool and a report format must do, and how to try a package out.

A check raises AssertionError with one sentence, and takes the thing itself or the name under which a package offers it.
``testing.provider_checks`` has the check of providers, ``testing.conformance`` those of agents and models.
"""

import importlib
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass, replace
from pathlib import Path
from random import Random
from typing import cast

from folkmoot.core.agent import Agent, Context, Recorder
from folkmoot.core.ask import Ask, Fields, Reply
from folkmoot.core.brief import Brief
from folkmoot.core.decision import Ballot, BallotState, Decision
from folkmoot.core.errors import FolkmootError, Unreadable
from folkmoot.core.extensions import NO_OPTIONS
from folkmoot.phases.base import Phase
from folkmoot.phases.choices import BallotKind, Choices, CountingRule, counting_rule
from folkmoot.phases.ranked_vote import tiers_by_score
from folkmoot.policy.rules import CheckedRule, Quorum, Rule, unlawful
from folkmoot.protocols.known import build
from folkmoot.testing.conformance import SCENE
from folkmoot.testing.replay import Harness, SeededAgent, essence


def put_on_path(project: Path | str, *, version: str = "") -> Path:
    """Let Folkmoot find the extensions of a package in this process, as if it were installed.

    Args:
        project: the folder with its pyproject.toml and its modules.
        version: another version than that of the file.

    Returns:
        The folder that was put on the path of Python; who deletes it takes the package away.
    """
    project_data = tomllib.loads((Path(project) / "pyproject.toml").read_text("utf-8"))["project"]
    version = version or project_data["version"]
    site = Path(tempfile.mkdtemp(prefix="folkmoot-package-"))
    for module in Path(project).glob("*.py"):
        shutil.copy(module, site)
    info = site / f"{project_data['name'].replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    head = f"Metadata-Version: 2.1\nName: {project_data['name']}\nVersion: {version}\n"
    info.joinpath("METADATA").write_text(head, "utf-8")
    groups = cast(Mapping[str, Mapping[str, str]], project_data.get("entry-points", {}))
    points = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in names.items()) for group, names in groups.items()]
    info.joinpath("entry_points.txt").write_text("\n".join(points), "utf-8")
    sys.path.insert(0, str(site))
    importlib.invalidate_caches()
    return site


NAMES: tuple[str, ...] = ("Ann", "Bob", "Cem", "Dee", "Eva", "Flo")
ELECTIONS = 300
"""So many elections are drawn at random for each rule."""

CUTS = 40
"""About the number of places at which a record is cut; a short one is cut after every entry."""


def check_rule(rule: Rule | CountingRule | str, *, options: Fields = NO_OPTIONS, seed: int = 0) -> None:
    """Check a counting rule with elections drawn at random.

    Its decisions keep the law of the tally (``policy.rules.Rule``); the same ballots always give the same decision;
    neither the order of voters and candidates nor their names decide; without a ballot nobody wins; ballots of one
    candidate alone are counted too, because all may give the same answer.

    Args:
        rule: the rule, what an entry point of ``folkmoot.rules`` offers, or its name.
        options: with a name, the options of the rule.
        seed: the random seed.

    Raises:
        AssertionError: it does not.
    """
    counting = _counting(rule, options)
    rule = counting.rule
    assert is_dataclass(rule), "a rule is a dataclass, so that it can be stored"
    assert rule.__dataclass_params__.frozen, "a rule is a frozen dataclass, so that nothing changes it"  # type: ignore[attr-defined]
    for ballots, candidates in elections(counting.ballot, seed):
        decision = rule.decide(ballots, candidates)
        wrong = unlawful(decision, ballots, candidates)
        assert not wrong, f"it breaks the law of the tally: {wrong}; the ballots are {_ballots_in_words(ballots)}"
        assert decision.rule == rule.name, f"its decision is called {decision.rule!r}, the rule {rule.name!r}"
        assert rule.decide(ballots, candidates) == decision, "the same ballots gave another decision"
        nobody = not any(ballot.state == "cast" for ballot in ballots)
        assert not (nobody and decision.status == "decided"), "somebody wins, and nobody has voted"
        _check_symmetry(rule, decision, ballots, candidates)


def _counting(rule: Rule | CountingRule | str, options: Fields) -> CountingRule:
    if not isinstance(rule, str):
        return rule if isinstance(rule, CountingRule) else CountingRule(rule=rule)
    try:
        counting = counting_rule(rule, options)
    except FolkmootError as error:
        raise AssertionError(str(error)) from error
    assert counting, f"no package offers a rule {rule!r}"
    # Folkmoot stops a debate whose rule breaks the law; here the rule itself is looked at.
    inner = (
        counting.rule.rule.rule
        if isinstance(counting.rule, Quorum) and isinstance(counting.rule.rule, CheckedRule)
        else counting.rule
    )
    return replace(counting, rule=inner)


def _check_symmetry(rule: Rule, decision: Decision, ballots: Sequence[Ballot], candidates: Sequence[str]) -> None:
    """Neither order nor names decide."""
    first = (decision.status, decision.winner)
    for other, change in (
        (rule.decide(ballots[::-1], candidates), "voters"),
        (rule.decide(ballots, candidates[::-1]), "candidates"),
    ):
        shown = f"{other.status} {other.winner}".strip()
        assert (other.status, other.winner) == first, (
            f"with the {change} in another order it is {shown}, not {' '.join(filter(None, first))}; "
            f"the ballots are {_ballots_in_words(ballots)}"
        )
    new = dict(zip(NAMES, reversed(NAMES), strict=True))
    renamed = rule.decide([_with_names(ballot, new) for ballot in ballots], [new[name] for name in candidates])
    assert (renamed.status, renamed.winner) == (decision.status, new.get(decision.winner, "")), (
        f"with other names the result is another one; the ballots are {_ballots_in_words(ballots)}"
    )


def elections(kind: BallotKind, seed: int = 0) -> Iterator[tuple[tuple[Ballot, ...], tuple[str, ...]]]:
    """Elections drawn at random, with ballots of that kind, some of them not cast, and some of a choice alone."""
    chance = Random(seed)
    yield (), NAMES[:2]
    for _ in range(ELECTIONS):
        candidates = NAMES[: chance.randint(1, 4)]
        voters = NAMES[: chance.randint(1, 6)]
        alone = len(candidates) == 1
        yield tuple(_ballot(chance, voter, candidates, "choice" if alone else kind) for voter in voters), candidates


def _ballot(chance: Random, voter: str, candidates: Sequence[str], kind: BallotKind) -> Ballot:
    states: tuple[BallotState, ...] = ("cast", "cast", "cast", "abstained", "unread", "missing")
    weight = chance.choice((1.0, 1.0, 0.5, 2.0))
    ballot = Ballot(voter=voter, state=chance.choice(states), weight=weight)
    others = [name for name in candidates if name != voter or kind == "choice"]
    if ballot.state != "cast" or not others:
        return replace(ballot, state="missing" if ballot.state == "cast" else ballot.state)
    chance.shuffle(others)
    match kind:
        case "choice":
            return replace(ballot, choice=others[0])
        case "approval":
            liked = tuple(others[: chance.randint(1, len(others))])
            return replace(ballot, choice=liked[0], ranks=(liked,))
        case "ranking":
            return replace(ballot, choice=others[0], ranks=tuple((name,) for name in others))
        case "scores":
            scores = tuple((name, float(chance.randint(0, 5))) for name in others)
            tiers = tiers_by_score(scores)
            return replace(ballot, choice=tiers[0][0], ranks=tiers, scores=scores)


def _with_names(ballot: Ballot, new: Mapping[str, str]) -> Ballot:
    return replace(
        ballot,
        voter=new[ballot.voter],
        choice=new.get(ballot.choice, ""),
        ranks=tuple(tuple(new[name] for name in tier) for tier in ballot.ranks),
        scores=tuple((new[name], score) for name, score in ballot.scores),
    )


def _ballots_in_words(ballots: Sequence[Ballot]) -> str:
    return "; ".join(
        f"{ballot.voter}: {' > '.join(' = '.join(tier) for tier in ballot.ranks) or ballot.choice or ballot.state}"
        for ballot in ballots
    )


class _Silent:
    """An agent that never answers."""

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        """Say nothing."""
        raise Unreadable(f"{ask.to} says nothing", kind="empty")


async def check_phase(phase: Phase | str, brief: Brief = SCENE.brief, choices: Choices | None = None) -> None:
    """Check a phase, or the tree of a whole protocol.

    It can be stored; it goes the same way where its record is cut and resumed; and it comes to its end where one of
    the participants, or all of them, never answer. The package that offers its classes must be installed, such as by
    ``pip install -e .``.

    Args:
        phase: the phase, or the name of a protocol.
        brief: a brief for it; two debaters at least.
        choices: with a name, what the brief chooses: rounds, strategy, options.

    Raises:
        AssertionError: it does not.
        ProtocolError: there is no such protocol, or a part of it cannot be stored.
    """
    phase = build(phase, brief, choices) if isinstance(phase, str) else phase
    harness = Harness(brief=brief, protocol=phase)
    names = [participant.name for participant in brief.participants]
    agents: Mapping[str, Agent] = dict.fromkeys(names, SeededAgent())
    uncut = await harness.run(agents)
    assert uncut.transcript.closed, "the debate did not end"
    assert any(turn.ask for turn in uncut.transcript.all()), "nobody was asked anything"
    for cut in range(1, len(uncut.lines), 1 + len(uncut.lines) // CUTS):
        again = await harness.run(agents, uncut.lines[:cut])
        assert essence(again.transcript) == essence(uncut.transcript), (
            f"cut after entry {cut} of {len(uncut.lines)} it goes another way: is there a clock or memory in it?"
        )
    for silent in ({names[0]}, {*names}):
        agents_by_name = {name: _Silent() if name in silent else SeededAgent() for name in names}
        ended = await harness.run(agents_by_name)
        silent_names = ", ".join(sorted(silent))
        over = ended.transcript.closed or ended.transcript.paused  # where nobody can be asked at all it pauses
        assert over, f"the debate does not end where nothing comes from {silent_names}"
