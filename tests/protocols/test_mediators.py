"""Mediators: what each kind does and when, what comes of it, and that no protocol knows of it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import get_args

import pytest

from moot.core.agent import Context
from moot.core.ask import Ask, Value
from moot.core.brief import Brief, Participant
from moot.core.decision import Decision
from moot.core.errors import ProtocolError
from moot.phases.base import Phase, Sequence
from moot.phases.choices import Choices, Mediation, MediatorKind, SummaryStyle, When
from moot.phases.consent import Consent
from moot.phases.score import SCORES
from moot.phases.speak import POSITIONS, Everyone
from moot.protocols.known import KNOWN, build
from moot.protocols.mediators import COMMON_GROUND, mediate
from moot.protocols.spec import dump, load
from moot.testing.replay import Harness, HeldDebate, SeededAgent
from tests.kits.players import ANN, BOB, CHAIR, CY, Player, Script, resume_everywhere

PEOPLE = (ANN, BOB, CY, CHAIR)
KINDS: tuple[MediatorKind, ...] = get_args(MediatorKind)
TIMES: tuple[When, ...] = get_args(When)
Fields = Mapping[str, Value] | None


def chosen(kind: MediatorKind, when: When = "every_round", *, rounds: int = 3, strategy: str = "") -> Choices:
    # A vote, unless something else is asked for: so the mediator has no other part in the debate than its own.
    strategy = strategy or ("" if kind == "consensus" else "vote")
    return Choices(rounds=rounds, strategy=strategy, mediation=Mediation(kind=kind, when=when))


async def hold(choices: Choices, script: Script, name: str = "round_robin") -> tuple[HeldDebate, Player]:
    brief = Brief(topic="Tea?", participants=PEOPLE)
    player = Player(script)
    held = await Harness(brief=brief, protocol=build(name, brief, choices)).run({each.name: player for each in PEOPLE})
    return held, player


def unread(ask: Ask, context: Context) -> Fields:
    return {}


def broken(ask: Ask, context: Context) -> Fields:
    return None if ask.to == "Chair" else {}


def acts(player: Player) -> list[str]:
    return [ask.act for ask, _ in player.asked]


# ---- what each kind does, and when: S9


GUIDED = {"active": "guide", "toolagent": "inform", "reflector": "guide", "judge": "score"}
PLACES: dict[When, list[str]] = {
    "every_round": ["rounds/round-1", "rounds/round-2", "rounds/round-3"],
    "midpoint": ["rounds/round-2"],
    "final": [""],
}


@pytest.mark.parametrize("script", [unread, broken])
@pytest.mark.parametrize("when", TIMES)
@pytest.mark.parametrize("kind", GUIDED)
async def test_a_mediator_speaks_at_its_times(kind: MediatorKind, when: When, script: Script) -> None:
    """S9: an active mediator interjects, a judge scores each, a reflector asks for revisions, a tool agent informs."""
    held, player = await hold(chosen(kind, when), script)
    asked = [ask.key for ask, _ in player.asked if ask.to == "Chair"]
    each = {"judge": 3}.get(kind, 1)
    assert {ask.act for ask, _ in player.asked if ask.to == "Chair"} == {GUIDED[kind]}
    inside = {"reflector": "/reflector"}.get(kind, "") + f"/{GUIDED[kind]}"
    places = [f"/debate/{place}{inside}#".replace("//", "/") for place in PLACES[when]]
    assert asked == [f"{place}{n}" for place in places for n in range(1, each + 1)]
    behind = [ask.key for ask, _ in player.asked]
    last = [n for n, ask in enumerate(player.asked) if ask[0].act == "argue"][-1]
    assert when != "final" or behind.index(asked[0]) == last + 1
    assert held.transcript.decision


async def test_a_silent_mediator_speaks_once_and_last() -> None:
    """S9: the final summary only."""
    for strategy in ("vote", ""):
        choices = replace(chosen("silent"), strategy=strategy)
        held, player = await hold(choices, lambda ask, context: {"SUMMARY": "All."} if ask.to == "Chair" else {})
        (asked,) = [(ask, context) for ask, context in player.asked if ask.to == "Chair"]
        assert player.asked[-1] == asked
        assert (asked[0].act, asked[0].audience) == ("summarize", ())
        assert len(asked[1].turns) == len(held.transcript.turns()) - 1, "it has seen everything"
        assert held.transcript.decision
        assert held.transcript.decision.rule == "plurality"


async def test_all_see_what_a_mediator_says_but_none_its_scores() -> None:
    for kind in ("active", "toolagent"):
        _, player = await hold(chosen(kind, rounds=2), unread)
        later = [context for ask, context in player.asked if ask.act == "argue" and "round-2" in ask.key]
        assert all(any(turn.by == "Chair" for turn in context.turns) for context in later)
    _, player = await hold(chosen("judge", rounds=2), unread)
    assert not any(turn.by == "Chair" for ask, context in player.asked if ask.to != "Chair" for turn in context.turns)
    assert all(ask.form == SCORES for ask, _ in player.asked if ask.to == "Chair")


async def test_everybody_revises_after_a_reflector() -> None:
    """S9: agents get a revision turn, with what the mediator has pointed out in sight."""
    held, player = await hold(chosen("reflector", rounds=2), unread)
    revisions = [(ask, context) for ask, context in player.asked if ask.act == "revise"]
    assert Counter(ask.to for ask, _ in revisions) == {"Ann": 2, "Bob": 2, "Cy": 2}
    assert all(context.turns[-1].act == "guide" for _, context in revisions)
    assert [turn.round for turn in held.transcript.turns("revise")] == [1, 1, 1, 2, 2, 2]


async def test_who_strays_is_one_of_the_debaters_or_nobody() -> None:
    for name, kept in (("Bob", "Bob"), ("Mallory", None), ("Chair", None)):
        said: Mapping[str, Value] = {"ON_TOPIC": "NO", "OFF_TOPIC": name, "WARNING": "Stay on topic.", "NEXT": "Cost?"}
        held, _ = await hold(
            chosen("active", "final"), lambda ask, context, said=said: said if ask.act == "guide" else {}
        )
        (turn,) = held.transcript.turns("guide")
        assert (turn.fields.get("OFF_TOPIC"), turn.fields["NEXT"]) == (kept, "Cost?")


MEDIATED = [name for name in KNOWN if name != "board"]
"""The protocols with which a mediator goes; a board's timekeeper manages the process only."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_board_has_a_timekeeper_instead_of_a_mediator(kind: MediatorKind) -> None:
    choices = Choices(mediation=Mediation(kind=kind))
    with pytest.raises(ProtocolError, match="board has a timekeeper"):
        build("board", Brief(topic="?", participants=PEOPLE), choices)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", MEDIATED)
async def test_a_mediator_of_any_kind_goes_with_any_protocol(name: str, kind: MediatorKind) -> None:
    choices = Choices(rounds=1, mediation=Mediation(kind=kind))
    brief = Brief(topic="?", participants=PEOPLE, seed=2)
    tree = build(name, brief, choices)
    assert load(dump(tree)) == tree
    held = await Harness(brief=brief, protocol=tree).run(dict.fromkeys([each.name for each in PEOPLE], SeededAgent()))
    expected = {"silent": "summarize", "consensus": "consent"}.get(kind) or GUIDED[kind]
    assert held.transcript.turns(expected)
    assert held.transcript.decision


# ---- consensus

A, R, X = "ACCEPT", "ACCEPT_WITH_RESERVATION", "REJECT"
CONSENTS: list[tuple[dict[str, str], str, str, tuple[str, ...]]] = [
    ({"Ann": A, "Bob": A, "Cy": A}, "decided", "nobody of 3 rejects the text", ()),
    ({"Ann": A, "Bob": R, "Cy": "!"}, "decided", "nobody of 2 rejects the text", ()),
    ({"Ann": A, "Bob": A, "Cy": X}, "no_decision", "1 of 3 reject the text", ("Cy: too Cy",)),
    ({"Ann": X, "Bob": "?", "Cy": X}, "no_decision", "2 of 2 reject the text", ("Ann: too Ann", "Cy: too Cy")),
    ({"Ann": A, "Bob": "?", "Cy": "!"}, "no_decision", "no quorum: 1 of 3 answers could be read", ()),
    ({"Ann": "?", "Bob": "!", "Cy": "perhaps"}, "no_decision", "no quorum: 0 of 3 answers could be read", ()),
    ({"Ann": X, "Bob": "!", "Cy": "!"}, "no_decision", "no quorum: 1 of 3", ("Ann: too Ann",)),
]


def consents(said: Mapping[str, str], text: Fields = None) -> Script:
    """The mediator drafts a text; debaters answer it: "?" is unread, "!" fails."""
    draft: Mapping[str, Value] = {"PROPOSAL": "Both.", "COMMON": "Thirst."} if text is None else text

    def script(ask: Ask, context: Context) -> Fields:
        if ask.act == "moderate":
            return draft
        if ask.act != "consent":
            return {"ANSWER": f"{ask.to}'s", "ARGUMENT": f"because {ask.to}"}
        answer = said[ask.to]
        read: Mapping[str, Value] = {"CONSENT": answer, "REASON": f"too {ask.to}"}
        return None if answer == "!" else {} if answer == "?" else read

    return script


def decided(held: HeldDebate) -> Decision:
    assert held.transcript.decision
    return held.transcript.decision


@pytest.mark.parametrize(("said", "status", "how", "dissent"), CONSENTS)
async def test_a_text_stands_if_nobody_rejects_it(
    said: dict[str, str], status: str, how: str, dissent: tuple[str, ...]
) -> None:
    held, player = await hold(chosen("consensus", rounds=1), consents(said))
    decision = decided(held)
    assert (decision.status, decision.rule, decision.dissent) == (status, "consent", dissent)
    assert decision.how.startswith(how)
    assert (decision.text, decision.winner) == ("Both." if status == "decided" else "", "")
    assert [each.answer for each in decision.minority] == ["Ann's", "Bob's", "Cy's"]
    assert sum(decision.tally.values()) == sum(each in (A, R, X) for each in said.values())
    assert acts(player)[-7:] == ["close", "close", "close", "moderate", "consent", "consent", "consent"]
    states = {"?": "unread", "!": "missing", "perhaps": "unread"}
    assert [ballot.state for ballot in decision.ballots] == [states.get(each, "cast") for each in said.values()]
    if status == "decided":
        assert decision.support == tuple(name for name, each in said.items() if each in (A, R))
    for ask, context in player.asked:
        if ask.act == "consent":
            assert ([turn.act for turn in context.about], ask.audience) == (["moderate"], (ask.to,))
            assert not any(turn.act == "consent" for turn in context.turns)


@pytest.mark.parametrize("draft", [{}, {"COMMON": "Thirst."}])
async def test_without_a_text_nobody_is_asked(draft: Mapping[str, Value]) -> None:
    held, player = await hold(chosen("consensus", rounds=1), consents({}, draft))
    assert decided(held).how == "there is no text to consent to"
    assert "consent" not in acts(player)
    assert len(decided(held).minority) == 3


async def test_a_mediator_who_fails_has_no_text() -> None:
    held, _ = await hold(chosen("consensus", rounds=1), broken)
    assert (decided(held).status, decided(held).how) == ("no_decision", "there is no text to consent to")


async def test_who_may_not_see_the_text_is_not_asked_and_has_not_answered() -> None:
    people = (replace(ANN, hide=("moderate",)), BOB, CY, CHAIR)
    draft = Everyone(act="moderate", task="?", who=("Chair",), form=COMMON_GROUND)
    tree = Sequence(parts=(draft, Consent(acts=POSITIONS, task="?")))
    player = Player(consents({"Bob": A, "Cy": A}))
    held = await Harness(brief=Brief(topic="?", participants=people), protocol=tree).run(
        {each.name: player for each in people}
    )
    assert [ask.to for ask, _ in player.asked if ask.act == "consent"] == ["Bob", "Cy"]
    assert (decided(held).status, decided(held).strength) == ("decided", "moderate")
    assert decided(held).ballots[0].reason == "the text is hidden from this debater"


@pytest.mark.parametrize("name", MEDIATED)
def test_consent_replaces_every_other_ending(name: str) -> None:
    brief = Brief(topic="?", participants=PEOPLE)
    data = str(dump(build(name, brief, Choices(mediation=Mediation(kind="consensus")))))
    assert not any(f"'is': '{each}'" in data for each in ("Vote", "Count", "Adopt", "Pick", "Rank", "Keep"))
    assert data.count("'is': 'Consent'") == 1


# ---- choices


STYLES: dict[SummaryStyle, tuple[str, str]] = {
    "neutral": ("Take no side", "Summarise the positions fairly"),
    "critical": ("what it never answered", "by its weakest point"),
    "persuasive": ("Grant what speaks against it", "win over those who hold otherwise"),
}


@pytest.mark.parametrize(("style", "words"), STYLES.items())
def test_a_style_changes_the_task(style: SummaryStyle, words: tuple[str, str]) -> None:
    brief = Brief(topic="?", participants=PEOPLE)
    kinds: tuple[MediatorKind, ...] = ("silent", "active")
    for others, kind in enumerate(kinds):
        here = words[others]
        data = str(dump(build("round_robin", brief, Choices(mediation=Mediation(kind=kind, style=style)))))
        assert [said[others] in data for said in STYLES.values()] == [said[others] == here for said in STYLES.values()]


def test_what_has_no_parts_gets_its_mediator_behind_it() -> None:
    brief, duel = Brief(topic="?", participants=PEOPLE), Everyone(act="argue", task="?")
    expected: dict[MediatorKind, list[str]] = {
        "consensus": ["argue", "moderate", "consent"],
        "active": ["argue", "guide"],
    }
    for kind, names in expected.items():
        tree = mediate(duel, brief, Choices(mediation=Mediation(kind=kind)))
        assert isinstance(tree, Sequence)
        assert [part.name for part in tree.parts] == names
    assert mediate(duel, brief, Choices()) is duel


@pytest.mark.parametrize(
    ("people", "choices", "about", "found"),
    [
        (PEOPLE[:3], chosen("silent"), "participants", "a mediator of the kind silent needs one moderator, not 0"),
        (
            PEOPLE[:3],
            chosen("consensus"),
            "participants",
            "a mediator of the kind consensus needs one moderator, not 0",
        ),
        (
            (*PEOPLE, replace(CHAIR, name="Vice")),
            chosen("judge"),
            "participants",
            "a mediator of the kind judge needs one moderator, not 2",
        ),
        (PEOPLE, chosen("consensus", strategy="vote"), "strategy", "strategy 'vote' has to be left out"),
    ],
)
def test_what_does_not_go_together(people: tuple[Participant, ...], choices: Choices, about: str, found: str) -> None:
    with pytest.raises(ProtocolError, match=found) as error:
        build("round_robin", Brief(topic="?", participants=people), choices)
    assert error.value.about == about


# ---- cut and resumed


@pytest.mark.parametrize("when", TIMES)
@pytest.mark.parametrize("kind", KINDS)
async def test_cut_and_resumed_it_is_the_same_debate(kind: MediatorKind, when: When) -> None:
    brief = Brief(topic="Tea?", participants=PEOPLE, seed=7)
    tree: Phase = build("round_robin", brief, chosen(kind, when, rounds=2))
    runner = Harness(brief=brief, protocol=tree)
    names = [each.name for each in PEOPLE]
    whole = await runner.run(dict.fromkeys(names, SeededAgent()))
    assert whole.transcript.closed
    await resume_everywhere(runner, whole, step=5)
