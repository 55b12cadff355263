"""Mediators: what each kind does and when, what comes of it, and that no protocol knows of it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import get_args

import pytest

from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.decision import Decision
from folkmoot.core.errors import ProtocolError
from folkmoot.phases.base import Phase, Sequence
from folkmoot.phases.choices import Choices, Mediation, MediatorKind, SummaryStyle, When
from folkmoot.phases.consent import Consent
from folkmoot.phases.score import SCORES
from folkmoot.phases.speak import POSITIONS, Everyone
from folkmoot.protocols.known import KNOWN, build
from folkmoot.protocols.mediators import COMMON_GROUND, mediate
from folkmoot.protocols.spec import dump, load
from folkmoot.testing.replay import Harness, HeldDebate, SeededAgent
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
    debate = await Harness(brief=brief, protocol=build(name, brief, choices)).run(
        {person.name: player for person in PEOPLE}
    )
    return debate, player


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
    debate, player = await hold(chosen(kind, when), script)
    keys = [ask.key for ask, _ in player.asked if ask.to == "Chair"]
    count = {"judge": 3}.get(kind, 1)
    assert {ask.act for ask, _ in player.asked if ask.to == "Chair"} == {GUIDED[kind]}
    inside = {"reflector": "/reflector"}.get(kind, "") + f"/{GUIDED[kind]}"
    places = [f"/debate/{place}{inside}#".replace("//", "/") for place in PLACES[when]]
    assert keys == [f"{place}{n}" for place in places for n in range(1, count + 1)]
    behind = [ask.key for ask, _ in player.asked]
    last = [n for n, ask in enumerate(player.asked) if ask[0].act == "argue"][-1]
    assert when != "final" or behind.index(keys[0]) == last + 1
    assert debate.transcript.decision


async def test_a_silent_mediator_speaks_once_and_last() -> None:
    """S9: the final summary only."""
    for strategy in ("vote", ""):
        choices = replace(chosen("silent"), strategy=strategy)
        debate, player = await hold(choices, lambda ask, context: {"SUMMARY": "All."} if ask.to == "Chair" else {})
        (asks,) = [(ask, context) for ask, context in player.asked if ask.to == "Chair"]
        assert player.asked[-1] == asks
        assert (asks[0].act, asks[0].audience) == ("summarize", ())
        assert len(asks[1].turns) == len(debate.transcript.turns()) - 1, "it has seen everything"
        assert debate.transcript.decision
        assert debate.transcript.decision.rule == "plurality"


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
    debate, player = await hold(chosen("reflector", rounds=2), unread)
    revisions = [(ask, context) for ask, context in player.asked if ask.act == "revise"]
    assert Counter(ask.to for ask, _ in revisions) == {"Ann": 2, "Bob": 2, "Cy": 2}
    assert all(context.turns[-1].act == "guide" for _, context in revisions)
    assert [turn.round for turn in debate.transcript.turns("revise")] == [1, 1, 1, 2, 2, 2]


async def test_who_strays_is_one_of_the_debaters_or_nobody() -> None:
    for name, text in (("Bob", "Bob"), ("Mallory", None), ("Chair", None)):
        values: Mapping[str, Value] = {
            "ON_TOPIC": "NO",
            "OFF_TOPIC": name,
            "WARNING": "Stay on topic.",
            "NEXT": "Cost?",
        }
        debate, _ = await hold(
            chosen("active", "final"), lambda ask, context, fields=values: fields if ask.act == "guide" else {}
        )
        (turn,) = debate.transcript.turns("guide")
        assert (turn.fields.get("OFF_TOPIC"), turn.fields["NEXT"]) == (text, "Cost?")


MEDIATED = [name for name in KNOWN if name not in ("board", "findings")]
"""The protocols with which a mediator goes: a board's timekeeper only manages, a review has a fixed course."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_board_has_a_timekeeper_instead_of_a_mediator(kind: MediatorKind) -> None:
    choices = Choices(mediation=Mediation(kind=kind))
    with pytest.raises(ProtocolError, match="board has a timekeeper"):
        build("board", Brief(topic="?", participants=PEOPLE), choices)


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_mediates_a_review(kind: MediatorKind) -> None:
    choices = Choices(mediation=Mediation(kind=kind))
    with pytest.raises(ProtocolError, match="nobody mediates"):
        build("findings", Brief(topic="?", participants=PEOPLE), choices)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", MEDIATED)
async def test_a_mediator_of_any_kind_goes_with_any_protocol(name: str, kind: MediatorKind) -> None:
    choices = Choices(rounds=1, mediation=Mediation(kind=kind))
    brief = Brief(topic="?", participants=PEOPLE, seed=2)
    tree = build(name, brief, choices)
    assert load(dump(tree)) == tree
    debate = await Harness(brief=brief, protocol=tree).run(
        dict.fromkeys([person.name for person in PEOPLE], SeededAgent())
    )
    expected = {"silent": "summarize", "consensus": "consent"}.get(kind) or GUIDED[kind]
    assert debate.transcript.turns(expected)
    assert debate.transcript.decision


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


def consents(values: Mapping[str, str], text: Fields = None) -> Script:
    """The mediator drafts a text; debaters answer it: "?" is unread, "!" fails."""
    draft: Mapping[str, Value] = {"PROPOSAL": "Both.", "COMMON": "Thirst."} if text is None else text

    def script(ask: Ask, context: Context) -> Fields:
        if ask.act == "moderate":
            return draft
        if ask.act != "consent":
            return {"ANSWER": f"{ask.to}'s", "ARGUMENT": f"because {ask.to}"}
        answer = values[ask.to]
        read: Mapping[str, Value] = {"CONSENT": answer, "REASON": f"too {ask.to}"}
        return None if answer == "!" else {} if answer == "?" else read

    return script


def decided(debate: HeldDebate) -> Decision:
    assert debate.transcript.decision
    return debate.transcript.decision


@pytest.mark.parametrize(("answers", "status", "how", "dissent"), CONSENTS)
async def test_a_text_stands_if_nobody_rejects_it(
    answers: dict[str, str], status: str, how: str, dissent: tuple[str, ...]
) -> None:
    debate, player = await hold(chosen("consensus", rounds=1), consents(answers))
    decision = decided(debate)
    assert (decision.status, decision.rule, decision.dissent) == (status, "consent", dissent)
    assert decision.how.startswith(how)
    assert (decision.text, decision.winner) == ("Both." if status == "decided" else "", "")
    assert [minority.answer for minority in decision.minority] == ["Ann's", "Bob's", "Cy's"]
    assert sum(decision.tally.values()) == sum(text in (A, R, X) for text in answers.values())
    assert acts(player)[-7:] == ["close", "close", "close", "moderate", "consent", "consent", "consent"]
    states = {"?": "unread", "!": "missing", "perhaps": "unread"}
    assert [ballot.state for ballot in decision.ballots] == [states.get(text, "cast") for text in answers.values()]
    if status == "decided":
        assert decision.support == tuple(name for name, text in answers.items() if text in (A, R))
    for ask, context in player.asked:
        if ask.act == "consent":
            assert ([turn.act for turn in context.about], ask.audience) == (["moderate"], (ask.to,))
            assert not any(turn.act == "consent" for turn in context.turns)


@pytest.mark.parametrize("draft", [{}, {"COMMON": "Thirst."}])
async def test_without_a_text_nobody_is_asked(draft: Mapping[str, Value]) -> None:
    debate, player = await hold(chosen("consensus", rounds=1), consents({}, draft))
    assert decided(debate).how == "there is no text to consent to"
    assert "consent" not in acts(player)
    assert len(decided(debate).minority) == 3


async def test_a_mediator_who_fails_has_no_text() -> None:
    debate, _ = await hold(chosen("consensus", rounds=1), broken)
    assert (decided(debate).status, decided(debate).how) == ("no_decision", "there is no text to consent to")


async def test_who_may_not_see_the_text_is_not_asked_and_has_not_answered() -> None:
    people = (replace(ANN, hide=("moderate",)), BOB, CY, CHAIR)
    draft = Everyone(act="moderate", task="?", who=("Chair",), form=COMMON_GROUND)
    tree = Sequence(parts=(draft, Consent(acts=POSITIONS, task="?")))
    player = Player(consents({"Bob": A, "Cy": A}))
    debate = await Harness(brief=Brief(topic="?", participants=people), protocol=tree).run(
        {person.name: player for person in people}
    )
    assert [ask.to for ask, _ in player.asked if ask.act == "consent"] == ["Bob", "Cy"]
    assert (decided(debate).status, decided(debate).strength) == ("decided", "moderate")
    assert decided(debate).ballots[0].reason == "the text is hidden from this debater"


@pytest.mark.parametrize("name", MEDIATED)
def test_consent_replaces_every_other_ending(name: str) -> None:
    brief = Brief(topic="?", participants=PEOPLE)
    data = str(dump(build(name, brief, Choices(mediation=Mediation(kind="consensus")))))
    assert not any(f"'is': '{text}'" in data for text in ("Vote", "Count", "Adopt", "Pick", "Rank", "Keep"))
    assert data.count("'is': 'Consent'") == 1


# ---- choices


STYLES: dict[SummaryStyle, tuple[str, str]] = {
    "neutral": ("Take no side", "Summarise the positions fairly"),
    "critical": ("what it never answered", "by its weakest point"),
    "persuasive": ("Grant what speaks against it", "win over those who disagree"),
}


@pytest.mark.parametrize(("style", "words"), STYLES.items())
def test_a_style_changes_the_task(style: SummaryStyle, words: tuple[str, str]) -> None:
    brief = Brief(topic="?", participants=PEOPLE)
    kinds: tuple[MediatorKind, ...] = ("silent", "active")
    for others, kind in enumerate(kinds):
        here = words[others]
        data = str(dump(build("round_robin", brief, Choices(mediation=Mediation(kind=kind, style=style)))))
        assert [texts[others] in data for texts in STYLES.values()] == [
            texts[others] == here for texts in STYLES.values()
        ]


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
    ("people", "choices", "about", "message"),
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
def test_what_does_not_go_together(people: tuple[Participant, ...], choices: Choices, about: str, message: str) -> None:
    with pytest.raises(ProtocolError, match=message) as error:
        build("round_robin", Brief(topic="?", participants=people), choices)
    assert error.value.about == about


# ---- cut and resumed


@pytest.mark.parametrize("when", TIMES)
@pytest.mark.parametrize("kind", KINDS)
async def test_cut_and_resumed_it_is_the_same_debate(kind: MediatorKind, when: When) -> None:
    brief = Brief(topic="Tea?", participants=PEOPLE, seed=7)
    tree: Phase = build("round_robin", brief, chosen(kind, when, rounds=2))
    runner = Harness(brief=brief, protocol=tree)
    names = [person.name for person in PEOPLE]
    whole = await runner.run(dict.fromkeys(names, SeededAgent()))
    assert whole.transcript.closed
    await resume_everywhere(runner, whole, step=5)
