"""The protocols ``gate``, ``single`` and ``sample``: who is asked what, what decides, and what is refused."""

from collections.abc import Mapping
from pathlib import Path

import pytest

import folkmoot
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief, Participant, Settings
from folkmoot.core.errors import BriefError, ProtocolError
from folkmoot.core.transcript import Transcript
from folkmoot.phases.choices import Choices
from folkmoot.phases.vote import BALLOT
from folkmoot.protocols.known import GATED, build
from folkmoot.testing.replay import Harness, SeededAgent
from tests.cli.commands import settle
from tests.kits.players import ANN, BOB, CY, Player, resume_everywhere


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in settle(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)


DEE, EVE = Participant(name="Dee"), Participant(name="Eve")
FIVE = (ANN, BOB, CY, DEE, EVE)
YES_NO = ("yes", "no")


async def hold(
    protocol: str,
    answers: Mapping[str, str],
    *,
    later: str = "no",
    options: tuple[str, ...] = YES_NO,
    choices: Choices | None = None,
) -> tuple[Transcript, Player]:
    """A debate of those who answer so at first, and alike when asked again; "!" fails, "?" is unread."""
    people = tuple(Participant(name=name) for name in answers)
    brief = Brief(topic="Tea?", participants=people, options=options)

    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        if ask.act == "vote":
            assert ask.form
            return {BALLOT: ask.form.fields[0].choices[0]}
        word = answers[ask.to] if ask.act == "draft" else later
        return None if word == "!" else {"ARGUMENT": f"{ask.to}'s reason"} | ({} if word == "?" else {"ANSWER": word})

    player = Player(script)
    place = Harness(brief=brief, protocol=build(protocol, brief, choices), name=protocol)
    debate = await place.run(dict.fromkeys(answers, player))
    return debate.transcript, player


def split(yes: int, no: int) -> dict[str, str]:
    return {f"P{n}": "yes" if n < yes else "no" for n in range(yes + no)}


CASES: list[tuple[dict[str, str], float | None, bool, str]] = [
    (split(3, 0), None, False, "yes has 3 of 3; no debate took place: all 3 give the same answer"),
    (
        split(4, 1),
        None,
        False,
        "yes has 4 of 5; no debate took place: the answers differ by 0.20, which is not more than 0.2",
    ),
    (split(2, 1), None, True, "no has 3 of 3"),
    (split(4, 1), 0.1, True, "no has 5 of 5"),
    (split(2, 1), 0.5, False, "yes has 2 of 3; no debate took place: the answers differ by 0.33"),
    (split(2, 0) | {"Q": "?"}, 1.0, True, "no has 3 of 3"),
    (split(2, 0) | {"Q": "!"}, None, False, "yes has 2 of 2; no debate took place: all 2 give the same answer"),
]


@pytest.mark.parametrize("protocol", GATED)
@pytest.mark.parametrize(("answers", "threshold", "debated", "how"), CASES)
async def test_only_answers_that_differ_are_debated(
    answers: dict[str, str], threshold: float | None, debated: bool, how: str, protocol: str
) -> None:
    transcript, player = await hold(protocol, answers, choices=Choices(threshold=threshold))
    assert [ask.act for ask, _ in player.asked].count("revise") == (len(answers) if debated else 0)
    assert transcript.decision
    assert transcript.decision.how.startswith(how)
    assert transcript.decision.winner == ("no" if debated else "yes")
    assert ("no debate" in transcript.decision.how) is not debated


async def test_the_round_shows_each_different_answer_once_and_no_name() -> None:
    _, player = await hold("gate", split(2, 1))
    again = [(ask, context) for ask, context in player.asked if ask.act == "revise"]
    assert all(ask.view.anonymous for ask, _ in again)
    assert all(sorted(str(turn.fields["ANSWER"]) for turn in context.about) == ["no", "yes"] for _, context in again)


async def test_open_answers_are_voted_on() -> None:
    transcript, player = await hold("gate", {"Ann": "tea", "Bob": "water"}, later="tea", options=())
    assert [ask.act for ask, _ in player.asked] == ["draft", "draft", "revise", "revise"]
    assert transcript.decision
    assert transcript.decision.how == "all 2 who answered give the same answer: no vote was needed"


@pytest.mark.parametrize("rounds", [0, 3])
async def test_the_threshold_holds_beside_other_conditions(rounds: int) -> None:
    chosen = Choices(rounds=rounds, until=("answers_unchanged",))
    transcript, _ = await hold("gate", split(3, 0), choices=chosen)
    assert transcript.decision
    assert "no debate took place" in transcript.decision.how
    assert not transcript.turns("revise")


@pytest.mark.parametrize(
    ("protocol", "threshold", "debated"), [("panel", None, True), ("panel", 0.2, False), ("gate", None, False)]
)
async def test_a_brief_that_says_what_ends_the_rounds_of_a_panel_means_it(
    protocol: str, threshold: float | None, debated: bool
) -> None:
    chosen = Choices(until=("rounds_exhausted",), threshold=threshold)
    transcript, _ = await hold(protocol, split(4, 1), choices=chosen)
    assert bool(transcript.turns("revise")) is debated


async def test_threshold_0_debates_wherever_two_answers_differ() -> None:
    transcript, _ = await hold("panel", split(9, 1), choices=Choices(threshold=0.0))
    assert len(transcript.turns("revise")) == 10


async def test_a_ranking_says_it_too() -> None:
    transcript, _ = await hold("gate", split(3, 0), choices=Choices(strategy="borda"))
    assert transcript.decision
    assert transcript.decision.how.endswith("no debate took place: all 3 give the same answer")


async def test_one_answers_alone() -> None:
    transcript, player = await hold("single", split(1, 2))
    assert [ask.to for ask, _ in player.asked] == ["P0"]
    decision = transcript.decision
    assert decision
    assert (decision.status, decision.winner, decision.argument) == ("decided", "yes", "P0's reason")
    assert decision.how == "P0 answered alone: nothing was compared"


@pytest.mark.parametrize(("word", "status"), [("?", "no_decision"), ("!", "failed")])
async def test_without_an_answer_one_decides_nothing(word: str, status: str) -> None:
    transcript, _ = await hold("single", {"Ann": word})
    assert transcript.closed
    assert transcript.closed.status == status
    if transcript.decision:
        assert transcript.decision.how == "Ann gave no answer that could be read"


class Drawing(Player):
    """A seat whose n-th answer is the n-th of a list."""

    def __init__(self, answers: list[str]) -> None:
        super().__init__(self._next)
        self.answers = list(answers)

    def _next(self, ask: Ask, context: Context) -> Mapping[str, Value] | None:
        word = self.answers[int(ask.key.rpartition("#")[2]) - 1]
        return None if word == "!" else {} if word == "?" else {"ANSWER": word, "ARGUMENT": f"reason {ask.key[-1]}"}


DRAWS: list[tuple[list[str], tuple[str, ...], str, dict[str, float], str]] = [
    (["yes", "no", "yes"], YES_NO, "yes", {"yes": 2, "no": 1}, "yes has 2 of 3"),
    (["yes", "no", "?", "!"], YES_NO, "", {"yes": 1, "no": 1}, "no quorum: 2 of 4 ballots could be read"),
    (["?", "?", "!", "yes"], YES_NO, "", {"yes": 1, "no": 0}, "no quorum: 1 of 4 ballots could be read"),
    (["18", "18.0", "17"], (), "18", {"18": 2, "17": 1}, "18 has 2 of 3"),
    (["?", "?"], (), "", {}, "no vote was cast by 2 voters"),
    (["a"] * 7 + ["b"] * 8, (), "b", {"a": 7, "b": 8}, "b has 8 of 15"),
]


@pytest.mark.parametrize(("words", "options", "winner", "tally", "how"), DRAWS)
async def test_independent_answers_are_counted(
    words: list[str], options: tuple[str, ...], winner: str, tally: dict[str, float], how: str
) -> None:
    brief = Brief(topic="Tea?", participants=(ANN,), options=options)
    player = Drawing(words)
    tree = build("sample", brief, Choices(samples=len(words)))
    debate = await Harness(brief=brief, protocol=tree, name="sample").run({"Ann": player})
    decision = debate.transcript.decision
    assert decision
    assert (decision.winner, decision.tally) == (winner, tally)
    assert decision.how.startswith(how)
    assert [ballot.voter for ballot in decision.ballots] == [f"Ann #{n + 1}" for n in range(len(words))]
    assert decision.first == {}
    assert all(not context.turns and not context.about for _, context in player.asked), "nobody reads another's answer"


async def test_debaters_take_turns_until_there_are_enough_answers() -> None:
    brief = Brief(topic="Tea?", participants=(ANN, BOB, CY), options=YES_NO)
    place = Harness(brief=brief, protocol=build("sample", brief), name="sample")
    whole = await place.run(dict.fromkeys(("Ann", "Bob", "Cy"), SeededAgent()))
    assert [turn.by for turn in whole.transcript.all()] == ["Ann", "Bob", "Cy", "Ann", "Bob"]
    assert whole.transcript.decision
    assert [ballot.voter for ballot in whole.transcript.decision.ballots] == [
        *("Ann #1", "Bob #1", "Cy", "Ann #2", "Bob #2")
    ]
    await resume_everywhere(place, whole)


async def test_if_nobody_answers_the_debate_ends() -> None:
    brief = Brief(topic="Tea?", participants=(ANN,))
    place = Harness(brief=brief, protocol=build("sample", brief, Choices(samples=3)), name="sample")
    debate = await place.run({"Ann": Drawing(["!"] * 3)})
    assert debate.transcript.halted("/debate") == "none of 3 answered"


@pytest.mark.parametrize(
    ("protocol", "who", "choices", "about", "problem"),
    [
        ("single", (), Choices(), "participants", "single needs at least 1 debater, not 0"),
        ("sample", (), Choices(), "participants", "sample needs at least 1 debater, not 0"),
        ("gate", (ANN,), Choices(), "participants", "a debate needs at least 2 debaters, not 1"),
        (
            "gate",
            FIVE,
            Choices(rounds=4),
            "rounds",
            "gate has at most 3 rounds, not 4: more rounds before a vote do harm",
        ),
        (
            "sample",
            (Participant(name="Ann", settings=Settings(temperature=0)),),
            Choices(),
            "samples",
            "sample asks Ann more than once, and with temperature 0 every answer would be the same; leave it out",
        ),
        (
            "sample",
            (ANN, Participant(name="Bob", settings=Settings(seed=1))),
            Choices(samples=4),
            "samples",
            "sample asks Bob more than once, and with a seed every answer would be the same; leave it out",
        ),
    ],
)
def test_what_cannot_be_played_is_refused(
    protocol: str, who: tuple[Participant, ...], choices: Choices, about: str, problem: str
) -> None:
    with pytest.raises(ProtocolError) as caught:
        build(protocol, Brief(topic="?", participants=who), choices)
    assert (str(caught.value), caught.value.about) == (problem, about)


def test_a_seed_does_not_matter_to_whom_is_asked_once() -> None:
    still = Participant(name="Ann", settings=Settings(temperature=0))
    assert build("sample", Brief(topic="?", participants=(still, BOB)), Choices(samples=2))


async def test_a_brief_of_one_participant_runs_alone_and_a_question_has_no_stance() -> None:
    one = "---\nprotocol: {}\n---\n# Tea?\n\nTea is warm.\n\n## Ann\nrole: nurse\n"
    outcome = await folkmoot.debate(one.format("single"), model="builtin:quotes")
    assert outcome.status == "decided"
    several = await folkmoot.debate("Tea or coffee?", model=["builtin:quotes", "builtin:quotes"], protocol="sample")
    assert several.decision
    assert {ballot.voter.partition(" #")[0] for ballot in several.decision.ballots} == {"Respondent", "Respondent 2"}
    with pytest.raises(BriefError, match="a debate needs 2 to 100; the protocols single, sample and findings need 1"):
        await folkmoot.debate(one.format("gate"), model="builtin:quotes")


async def test_the_settings_belong_to_their_protocols() -> None:
    text = "---\n{}\n---\n# Tea?\n"
    for line, problem in (
        ("protocol: council\nthreshold: 0.1", "council does not support threshold; panel, gate and forecast do"),
        ("samples: 3", "panel does not support samples; sample does"),
        ("protocol: gate\nthreshold: 2", "threshold must be from 0 to 1, not 2"),
        ("protocol: sample\nsamples: 0", "samples must be from 1 to 100, not 0"),
    ):
        with pytest.raises(BriefError, match=problem):
            await folkmoot.debate(text.format(line), model="builtin:quotes")
    assert Choices(threshold=0.3).in_words() == ("threshold 0.3",)
    assert Choices(samples=9).in_words() == ("samples 9",)


@pytest.mark.parametrize("options", [(), YES_NO])
async def test_cut_at_every_entry_and_resumed_it_is_the_same_debate(options: tuple[str, ...]) -> None:
    brief = Brief(topic="Tea?", participants=FIVE[:3], options=options)
    place = Harness(brief=brief, protocol=build("gate", brief), name="gate")
    whole = await place.run(dict.fromkeys(("Ann", "Bob", "Cy"), SeededAgent(1)))
    await resume_everywhere(place, whole, seed=1)
