"""Chaired debates in words: the prompts to the letter, the built-in debater, people, and the screen."""

from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.agents.prompt import compose
from folkmoot.answers.manual_form import read_manual_answer
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Form, Reply, Value
from folkmoot.core.brief import Brief, Participant, Source, View
from folkmoot.core.errors import BriefError
from folkmoot.core.transcript import Turn, voter_reason
from folkmoot.demo.debater import DemoDebater
from folkmoot.models.base import Traits
from folkmoot.phases.base import Sequence
from folkmoot.phases.choices import Choices
from folkmoot.phases.ranked_vote import RANK, RANKING, ranking_form
from folkmoot.protocols.chaired import Synthesis, chaired
from folkmoot.protocols.known import WITHOUT_ROUNDS, build
from folkmoot.testing.replay import Harness, HeldDebate
from tests.agents.prompts import check_words
from tests.cli.commands import EXAMPLES, QUOTES, folkmoot
from tests.report.quoting import Room

ANN, BOB, CY = (Participant(name=name, seat="builtin:quotes") for name in ("Ann", "Bob", "Cy"))
CHAIR = Participant(name="Chair", duty="moderator", seat="builtin:quotes")
FACTS = "Tea is cheap. Coffee is quick and good. Water costs nothing. Tea can cause loss of sleep.\n"
BRIEF = Brief(
    topic="Tea or coffee?", participants=(ANN, BOB, CY, CHAIR), background=(Source(name="facts.md", text=FACTS),)
)


async def quoted(brief: Brief = BRIEF) -> HeldDebate:
    place = Harness(brief=brief, protocol=build("chaired", brief), name="chaired")
    seat = DemoDebater()
    return await place.run({participant.name: seat for participant in brief.participants})


def newest(ask: Ask, about: tuple[Turn, ...]) -> str:
    context = Context(brief=BRIEF, me=BRIEF.participant(ask.to), view=ask.view, about=about)
    return compose(ask, context, Traits())[-1].text


RANKED = """\
[Proposal A]:
  Coffee.

[Proposal B]:
  Tea.

Above are answers of others to the topic, without names. Rank them by how right and how well founded they are; \
neither length nor style counts."""

CHAIRED = """\
[Proposal A]:
  Coffee.

[Proposal B]:
  Tea.

Above are all answers, without names. Nobody has ranked them. Write the best answer that can be made of them: decide \
where they differ, and follow reasons, not the ranking alone. Then say for each what you took from it, and what you \
left out of all."""


async def test_what_each_is_told_to_the_letter() -> None:
    about = tuple(
        Turn(key=f"/debate/draft#{n}", by=name, act="draft", ask=Ask(key="", to=name, act="draft", task=""),
             reply=Reply(text=text))
        for n, (name, text) in enumerate((("Bob", "Coffee."), ("Ann", "Tea.")), 1)
    )  # fmt: skip
    view = View(last=0, anonymous=True)
    check_words(newest(Ask(key="k", to="Cy", act="vote", task=RANK, form=ranking_form(2), view=view), about), RANKED)
    tree = chaired(BRIEF, Choices())
    assert isinstance(tree, Sequence)
    synthesis = tree.parts[-1]
    assert isinstance(synthesis, Synthesis)
    ask = next(turn.ask for turn in (await quoted()).transcript.turns("synthesize") if turn.ask)
    assert ask.form
    form = Form(name="synthesis", fields=tuple(field for field in ask.form.fields if "Proposal C" not in field.name))
    task = synthesis.task.replace("{ranking}", "Nobody has ranked them.")
    check_words(newest(Ask(key="k", to="Chair", act="synthesize", task=task, form=form, view=view), about), CHAIRED)


async def test_the_built_in_debaters_rank_and_the_built_in_chair_takes() -> None:
    place = await quoted()
    decision = place.transcript.decision
    assert decision
    assert [ballot.state for ballot in decision.ballots] == ["cast"] * 3
    assert all(len(ballot.ranks) == 2 for ballot in decision.ballots)
    assert decision.support
    (turn,) = place.transcript.turns("synthesize")
    assert not any(name in turn.text for name in ("Ann", "Bob", "Cy"))
    long = Source(name="options.md", text=(EXAMPLES / "build-or-buy" / "options.md").read_text(encoding="utf-8"))
    values = {"Ann": "Advocate of the purchase", "Bob": "Critic who fears leakage", "Cy": "Counts engineers and months"}
    people = tuple(replace(participant, role=values.get(participant.name, "")) for participant in BRIEF.participants)
    place = await quoted(Brief(topic="Build or buy?", participants=people, background=(long,)))
    (turn,) = place.transcript.turns("synthesize")
    adopted = [str(value) for name, value in turn.fields.items() if name.startswith("TAKEN FROM")]
    assert "NONE" in adopted
    assert any("options.md" in text for text in adopted)


async def test_who_has_nothing_before_it_ranks_nothing() -> None:
    assert RANKING not in (await Room(BRIEF).ask("Ann", "vote", ranking_form(2))).fields


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("Proposal B\nproposal a", ("Proposal B", "Proposal A")),
        (("Proposal B", "Proposal A"), ("Proposal B", "Proposal A")),
        ("Proposal B\nProposal B", None),
        (("Ann",), None),
    ],
)
def test_a_person_ranks(answer: Value, value: Value | None) -> None:
    ask = Ask(key="k", to="Ann", act="vote", task="Rank.", form=ranking_form(2))
    fields: dict[str, Value] = {"REASON": "So.", RANKING: answer}
    if value is None:
        with pytest.raises(BriefError, match=r"RANKING is .* it must be a list of .*Proposal A.*Proposal B"):
            read_manual_answer(ask.form, "", fields)
    else:
        assert read_manual_answer(ask.form, "", fields).fields[RANKING] == value


def test_a_ranking_is_no_text_beside_the_ballot() -> None:
    ask = Ask(key="k", to="Ann", act="vote", task="Rank.", form=ranking_form(2))
    text = "I thought about it.\nRANKING:\n1. Proposal B\n- Proposal A"
    reply = Reply(text=text, fields={RANKING: ("Proposal B", "Proposal A")})
    assert voter_reason(Turn(key="k", by="Ann", act="vote", ask=ask, reply=reply)) == "I thought about it."


def test_the_screen_shows_who_ranks_whom(tmp_path: Path) -> None:
    (tmp_path / "facts.md").write_text(FACTS, encoding="utf-8")
    head = "---\nprotocol: {}\nbackground: [facts.md]\n---\n# Tea or coffee?\n"
    (tmp_path / "b.md").write_text(head.format("chaired"), encoding="utf-8")
    shown = folkmoot(tmp_path, "run", "b.md", *QUOTES, "--plain", "--no-report", "--full").output
    assert "ranks Skeptic's draft, Pragmatist's draft" in shown or "ranks Pragmatist's draft, Skeptic's draft" in shown
    assert "Taken from Skeptic (shown as Proposal" in shown
    (tmp_path / "c.md").write_text(head.format("arena\nstrategy: approval"), encoding="utf-8")
    assert "could accept" in folkmoot(tmp_path, "run", "c.md", *QUOTES, "--plain", "--no-report", "--full").output


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ("protocol: moderated\nstrategy: borda", "moderated cannot be decided by 'borda'; it takes moderator"),
        ("protocol: grouped\nstrategy: schulze", "grouped cannot be decided by 'schulze'"),
        ("protocol: chaired\nstrategy: borda", "chaired cannot be decided by 'borda'; it takes moderator"),
        ("debate_format: socratic\nstrategy: copeland", "socratic cannot be decided by 'copeland'"),
        ("protocol: panel\nstrategy: borda\npersona_count: 2", "it needs at least 3 debaters, or jurors"),
    ],
)
def test_where_rankings_do_not_fit_one_sentence_says_so(head: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text(f"---\n{head}\n---\n# Tea or coffee?\n", encoding="utf-8")
    result = folkmoot(tmp_path, "check", "b.md", *QUOTES)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize("protocol", WITHOUT_ROUNDS)
def test_rounds_where_there_are_none_change_nothing(tmp_path: Path, protocol: str) -> None:
    text = f"---\nprotocol: {protocol}\nrounds: 3\n---\n# Tea or coffee?\n"
    (tmp_path / "b.md").write_text(text, encoding="utf-8")
    assert f"{protocol} has no rounds" in folkmoot(tmp_path, "check", "b.md", *QUOTES).output
