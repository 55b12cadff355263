"""The protocols ``critique`` and ``select``: who is shown what, what counts, and what is refused."""

from collections.abc import Mapping

import pytest

from folkmoot.app.plan.estimate import estimate
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief, Participant, Source
from folkmoot.core.decision import Decision
from folkmoot.core.errors import ProtocolError
from folkmoot.core.families import family
from folkmoot.core.text import letter
from folkmoot.phases.choices import Choices
from folkmoot.phases.vote import BALLOT
from folkmoot.protocols.known import build
from folkmoot.testing.extension_checks import check_phase
from folkmoot.testing.replay import Harness, HeldDebate, SeededAgent
from folkmoot.testing.scripted import Scripted
from tests.kits.players import ANN, BOB, CHAIR, CY, Player, Script, resume_everywhere

FACTS = (Source(name="facts.md", text="The depot costs 40,000 a year and holds 12 buses."),)
THREE = (ANN, BOB, CHAIR)


def brief(
    people: tuple[Participant, ...] = THREE, options: tuple[str, ...] = (), background: tuple[Source, ...] = FACTS
) -> Brief:
    return Brief(topic="Build?", participants=people, options=options, background=background)


async def hold(
    protocol: str, about: Brief, script: Script, choices: Choices | None = None
) -> tuple[HeldDebate, Player]:
    player = Player(script)
    place = Harness(brief=about, protocol=build(protocol, about, choices), name=protocol)
    return await place.run(dict.fromkeys([who.name for who in about.participants], player)), player


def decision_of(debate: HeldDebate) -> Decision:
    assert debate.transcript.decision
    return debate.transcript.decision


DRAFT: Mapping[str, Value] = {"ANSWER": "Build it: 12 buses fit.", "ARGUMENT": "It pays."}
ERRORS: Mapping[str, Value] = {
    "RESULT": "ERRORS",
    "WHERE 1": "12 buses",
    "KIND 1": "FACT",
    "ERROR 1": "It holds 12, and 15 are needed.",
}
CHANGED: Mapping[str, Value] = {"OUTCOME": "CHANGE", "ANSWER": "Do not build it."}


def checked(how: str, proof: str, status: str = "VERIFIED", number: int = 1) -> dict[str, Value]:
    return {f"CHECK {number}": how, f"PROOF {number}": proof, f"CLAIM {number}": status}


def acting(**answers: Mapping[str, Value] | None) -> Script:
    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        return answers[ask.act]

    return script


VERDICTS: list[tuple[Mapping[str, Value], str, str]] = [
    (
        CHANGED | checked("QUOTATION", "costs 40,000 a year"),
        "Do not build it.",
        "Chair changes the answer of Ann; 1 of 1 claim of the critic verified",
    ),
    (
        CHANGED | checked("QUOTATION", 'It says: "The depot  COSTS 40,000 a year".'),
        "Do not build it.",
        "Chair changes the answer of Ann; 1 of 1 claim of the critic verified",
    ),
    (
        CHANGED | checked("QUOTATION", "15 are needed for the town"),
        "Build it: 12 buses fit.",
        "Chair would change the answer, but no claim is verified; 0 of 1 claim of the critic verified; "
        "claim 1: unverified, the quotation is in no text",
    ),
    (
        CHANGED | checked("TOOL", "the search says so"),
        "Build it: 12 buses fit.",
        "Chair would change the answer, but no claim is verified; 0 of 1 claim of the critic verified; "
        "claim 1: unverified, Chair has no tool",
    ),
    (
        CHANGED | checked("RECOMPUTATION", "15 - 12 = 3 are left"),
        "Do not build it.",
        "Chair changes the answer of Ann; 1 of 1 claim of the critic verified",
    ),
    (
        CHANGED | checked("RECOMPUTATION", "I did the sum"),
        "Build it: 12 buses fit.",
        "Chair would change the answer, but no claim is verified; 0 of 1 claim of the critic verified; "
        "claim 1: unverified, there is no calculation",
    ),
    (
        CHANGED | checked("NONE", ""),
        "Build it: 12 buses fit.",
        "Chair would change the answer, but no claim is verified; 0 of 1 claim of the critic verified; "
        "claim 1: unverified, it was not checked",
    ),
    (
        {"OUTCOME": "KEEP"} | checked("QUOTATION", "holds 12 buses", "REFUTED"),
        "Build it: 12 buses fit.",
        "Chair keeps the answer; 0 of 1 claim of the critic verified; claim 1: refuted",
    ),
    (
        {"OUTCOME": "CHANGE"} | checked("QUOTATION", "holds 12 buses"),
        "",
        "Chair changes the answer and gives none; 1 of 1 claim of the critic verified",
    ),
    (
        checked("QUOTATION", "holds 12 buses"),
        "",
        "Chair's OUTCOME could not be read; 1 of 1 claim of the critic verified",
    ),
    (
        {"OUTCOME": "KEEP"},
        "Build it: 12 buses fit.",
        "Chair keeps the answer; 0 of 1 claim of the critic verified; claim 1: unread",
    ),
]


@pytest.mark.parametrize(("judge", "text", "how"), VERDICTS)
async def test_only_a_verified_claim_changes_the_answer(judge: Mapping[str, Value], text: str, how: str) -> None:
    debate, player = await hold("critique", brief(), acting(draft=DRAFT, critique=ERRORS, verify=judge))
    decision = decision_of(debate)
    assert (decision.text, decision.how) == (text, how)
    assert decision.status == ("decided" if text else "no_decision")
    assert [(ask.to, ask.act) for ask, _ in player.asked] == [
        ("Ann", "draft"),
        ("Bob", "critique"),
        ("Chair", "verify"),
    ]
    assert all(ask.view.anonymous and ask.view.last == 0 for ask, _ in player.asked[1:]), "nobody knows whose it is"
    if text == "Do not build it.":
        assert [(lost.answer, lost.by) for lost in decision.minority] == [("Build it: 12 buses fit.", ("Ann",))]


UNCHECKED: list[tuple[Mapping[str, Value] | None, Mapping[str, Value] | None, str]] = [
    (DRAFT, {"RESULT": "AGREE"}, "Bob read the answer without its author's name and found no error"),
    (DRAFT, {"RESULT": "ERRORS"}, "Bob named no error that could be read: the answer is unchecked"),
    (DRAFT, None, "no critique was given: the answer is unchecked"),
    ({}, ERRORS, "Ann gave no answer that could be read"),
]


@pytest.mark.parametrize(("draft", "critic", "how"), UNCHECKED)
async def test_without_a_claim_no_judge_is_asked(
    draft: Mapping[str, Value] | None, critic: Mapping[str, Value] | None, how: str
) -> None:
    debate, player = await hold("critique", brief(), acting(draft=draft, critique=critic))
    assert decision_of(debate).how == how
    assert decision_of(debate).text == (draft or {}).get("ANSWER", "")
    assert [ask.act for ask, _ in player.asked] == ["draft", "critique"]


async def test_a_judge_who_fails_changes_nothing() -> None:
    debate, _ = await hold("critique", brief(), acting(draft=DRAFT, critique=ERRORS, verify=None))
    assert decision_of(debate).how == "Chair gave no answer: the answer of Ann stands unchecked"


async def test_a_tool_counts_where_the_judge_has_one_and_options_stay_closed() -> None:
    judge = Participant(name="Chair", duty="moderator", tools=("search",))
    verdict = {"OUTCOME": "CHANGE", "ANSWER": "no"} | checked("TOOL", "search: 15 buses in 2025")
    debate, player = await hold(
        "critique",
        brief((ANN, BOB, judge), ("yes", "no")),
        acting(draft={"ANSWER": "yes"}, critique=ERRORS, verify=verdict),
    )
    assert (decision_of(debate).winner, decision_of(debate).text) == ("no", "no")
    form = player.asked[-1][0].form
    assert form
    assert form.fields[-1].choices == ("yes", "no")
    assert [field.name for field in form.fields][:3] == ["CHECK 1", "PROOF 1", "CLAIM 1"]


async def test_in_a_round_the_author_answers_and_the_critic_reads_again() -> None:
    new: Mapping[str, Value] = {"ANSWER": "Build half of it."}
    upheld = {"OUTCOME": "KEEP"} | checked("NONE", "", "REFUTED")
    script = acting(draft=DRAFT, critique=ERRORS, revise=new, verify=upheld)
    debate, player = await hold("critique", brief(), script, Choices(rounds=1))
    assert [ask.act for ask, _ in player.asked] == ["draft", "critique", "revise", "critique", "verify"]
    assert [turn.act for turn in player.asked[-1][1].about] == ["revise", "critique"]
    assert decision_of(debate).text == "Build half of it."
    agreed, player = await hold(
        "critique", brief(), acting(draft=DRAFT, critique={"RESULT": "AGREE"}), Choices(rounds=2)
    )
    assert len(player.asked) == 2
    assert decision_of(agreed).status == "decided"


async def test_a_judge_who_may_not_see_the_critique_is_not_asked() -> None:
    judge = Participant(name="Chair", duty="moderator", hide=("Bob",))
    debate, player = await hold("critique", brief((ANN, BOB, judge)), acting(draft=DRAFT, critique=ERRORS))
    assert decision_of(debate).how == "Chair may not see both texts: the answer is unchecked"
    assert [ask.act for ask, _ in player.asked] == ["draft", "critique"]


async def test_the_critic_is_of_another_family() -> None:
    people = (
        Participant(name="Ann", seat="ollama:qwen3:8b"),
        Participant(name="Bob", seat="openrouter:qwen/qwen3-32b"),
        Participant(name="Cy", seat="anthropic:claude-sonnet-4"),
        CHAIR,
    )
    _, player = await hold("critique", brief(people), acting(draft=DRAFT, critique={"RESULT": "AGREE"}))
    assert [ask.to for ask, _ in player.asked] == ["Ann", "Cy"]


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("ollama:qwen3:8b", "qwen"),
        ("openai:o3-mini", "gpt"),
        ("openai:gpt-4o", "gpt"),
        ("openrouter:mistralai/mixtral-8x7b", "mistral"),
        ("custom:7b", "7b"),
        ("human", ""),
        ("openrouter:openrouter/auto", ""),
        ("openrouter:openrouter/horizon-3", ""),
        ("compatible:sakana/fugu-ultra", ""),
        ("azure:model-router", ""),
        ("compatible:panel", ""),
        ("compatible:folkmoot/quality", ""),
        ("compatible:folkmoot", ""),
        ("openrouter:mistralai/mistral-large", "mistral"),
    ],
)
def test_families(model: str, name: str) -> None:
    assert family(model) == name


ANSWERS = {
    "critique": "RESULT: ERRORS\nWHERE 1: 12 buses\nKIND 1: FACT\nERROR 1: It holds 12, and 15 are needed.\n",
    "verify": "CHECK 1: QUOTATION\nPROOF 1: holds 12 buses\nCLAIM 1: REFUTED\nOUTCOME: KEEP\n",
    "draft": "ANSWER: Build it.\nCONFIDENCE: 0.7\nARGUMENT: It pays.\n",
}


async def test_plain_answers_of_models_are_read() -> None:
    seats = Scripted(lambda ask, context: ANSWERS[ask.act])
    about = brief()
    place = Harness(brief=about, protocol=build("critique", about), name="critique")
    debate = await place.run(dict.fromkeys(("Ann", "Bob", "Chair"), seats))
    assert decision_of(debate).how == "Chair keeps the answer; 0 of 1 claim of the critic verified; claim 1: refuted"
    assert [turn.reply.unread for turn in debate.transcript.turns() if turn.reply] == [(), (), ()]


# ---- select


def picking(wish: str, second: str = "", merge: Mapping[str, Value] | None = None) -> Script:
    """All answer with their names; the judge picks the answer of somebody, and another one in the second order."""

    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        if ask.act == "draft":
            return {"ANSWER": f"{ask.to}'s way", "ARGUMENT": f"{ask.to}'s reason"}
        by = [turn.by for turn in context.about]
        if ask.act == "vote":
            assert ask.form
            chosen = second if second and ask.key.endswith("#2") else wish
            return {"REASON": "sound", BALLOT: ask.form.fields[-1].choices[by.index(chosen)]}
        marks = {name: letter(by.index(name)) for name in by}

        def filled(value: Value) -> Value:
            return tuple(line.format(**marks) for line in value) if isinstance(value, tuple) else value

        return {name: filled(value) for name, value in (merge or {}).items()}

    return script


FOUR = (ANN, BOB, CY, CHAIR)


async def test_a_judge_picks_one_answer_in_both_orders_and_rewrites_nothing() -> None:
    debate, player = await hold("select", brief(FOUR), picking("Bob"))
    decision = decision_of(debate)
    assert (decision.status, decision.text) == ("decided", "Bob's way")
    assert decision.how == "Chair chose Bob's way in both orders"
    first, second = [[turn.by for turn in context.about] for ask, context in player.asked if ask.act == "vote"]
    assert first == second[::-1]
    assert all(not context.turns for _, context in player.asked)


async def test_another_pick_in_the_other_order_is_a_tie_and_nothing_is_merged() -> None:
    debate, player = await hold("select", brief(FOUR), picking("Bob", "Cy"), Choices(merge=True))
    assert decision_of(debate).status == "tie"
    assert [ask.act for ask, _ in player.asked] == ["draft"] * 3 + ["vote"] * 2


LEDGERS: list[tuple[dict[str, Value], str, str]] = [
    (
        {
            "MERGED": "Bob's way, later.",
            "KEPT": ("{Bob}: the way", "Answer {Ann}: later", "- {Bob}) the cost"),
            "DROPPED": ("{Cy}: never",),
        },
        "Bob's way, later.",
        "Chair merged the answers: kept 3 claims (1 of Ann, 2 of Bob); dropped 1 claim (1 of Cy)",
    ),
    (
        {"MERGED": "Mine.", "KEPT": ("Z: the way", "no letter at all")},
        "Mine.",
        "Chair merged the answers: kept 2 claims (2 of no answer); dropped nothing",
    ),
    ({"KEPT": ("{Bob}: x",)}, "Bob's way", "Chair gave no merged answer, so the picked answer is kept as it was"),
    ({"MERGED": "Mine."}, "Bob's way", "Chair gave no ledger, so the picked answer is kept as it was"),
]


@pytest.mark.parametrize(("merge", "text", "how"), LEDGERS)
async def test_a_merge_accounts_for_each_claim(merge: dict[str, Value], text: str, how: str) -> None:
    debate, _ = await hold("select", brief(FOUR), picking("Bob", merge=merge), Choices(merge=True))
    decision = decision_of(debate)
    assert decision.text == text
    before, _, after = decision.how.partition("; ")
    assert before == "Chair chose Bob's way in both orders"
    assert sorted(after) == sorted(how), "the order of authors is drawn by chance"
    assert {lost.answer for lost in decision.minority} >= {"Ann's way", "Cy's way"}


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_the_estimate_counts_the_merge_whatever_is_picked(count: int) -> None:
    people = (*(Participant(name=f"P{n}") for n in range(count)), CHAIR)
    about = brief(people)
    assert estimate(about, build("select", about, Choices(merge=True)), {}).most.asks == count + 3
    assert estimate(about, build("select", about), {}).most.asks == count + 2


@pytest.mark.parametrize(
    ("protocol", "people", "options", "choices", "about", "problem"),
    [
        ("critique", (ANN, BOB), (), Choices(), "participants", "critique needs one moderator, not 0"),
        ("select", (ANN, BOB), (), Choices(), "participants", "select needs one moderator, not 0"),
        (
            *("critique", THREE, (), Choices(rounds=4), "rounds"),
            "critique has at most 3 rounds, not 4: more rounds before a vote do harm",
        ),
        (
            *("select", THREE, ("yes", "no"), Choices(merge=True), "merge"),
            "merge goes with open answers; one of several options cannot be merged",
        ),
    ],
)
def test_what_cannot_be_played_is_refused(
    protocol: str,
    people: tuple[Participant, ...],
    options: tuple[str, ...],
    choices: Choices,
    about: str,
    problem: str,
) -> None:
    with pytest.raises(ProtocolError) as caught:
        build(protocol, brief(people, options), choices)
    assert (str(caught.value), caught.value.about) == (problem, about)


@pytest.mark.parametrize(("protocol", "choices"), [("critique", Choices(rounds=1)), ("select", Choices(merge=True))])
async def test_cut_at_every_entry_and_resumed_it_is_the_same_debate(protocol: str, choices: Choices) -> None:
    about = brief(FOUR)
    place = Harness(brief=about, protocol=build(protocol, about, choices), name=protocol)
    whole = await place.run(dict.fromkeys([who.name for who in FOUR], SeededAgent(2)))
    assert whole.transcript.closed
    await resume_everywhere(place, whole, seed=2)
    await check_phase(place.protocol, about)
