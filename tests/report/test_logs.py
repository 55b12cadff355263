"""Logs: the modes, their files, and how turns with claims read in the report."""

import asyncio
import json
from dataclasses import replace

import pytest

from folkmoot.arguments.argument_map import ArgumentMap, ClaimTurn, Judgement, Node
from folkmoot.core.ask import Ask, Field, Form, ToolCall, Usage
from folkmoot.core.brief import Brief, Limits, LogMode, Participant, View
from folkmoot.core.event import Asked, Attempted, Called, Entered, Entry, Erred, Failed, Opened
from folkmoot.phases.choices import Choices
from folkmoot.protocols.known import build
from folkmoot.protocols.spec import dump
from folkmoot.report.logs import write
from folkmoot.report.markdown import chapter, markdown
from folkmoot.report.report import report, settings
from folkmoot.report.turn_text import Speech, parted
from folkmoot.testing.replay import Harness
from folkmoot.testing.scripted import Scripted
from tests.report.reports import Diary, ask, hiring, opened, person

SPEAKERS = (
    Participant(name="Ann", role="For", seat="x:y", language="German", tools=("search", "rag")),
    Participant(name="Ben", role="Against", seat="x:y"),
    Participant(name="Mia", role="Mediator", duty="moderator"),
)
ANN, BEN = SPEAKERS[:2]
SAYS = {
    "/open#1": "ANSWER: tea\nCLAIM: Tea is warm.\nARGUMENT: It comes out of a kettle.",
    "/open#2": "ANSWER: coffee\nCLAIM: Coffee wakes.\nARGUMENT: Ask anybody at six.",
    "/round-1#1": "CLAIM: So does tea.\nTARGET: T2 (Ben)\nRELATION: REBUT\nARGUMENT: It has the same stuff in it.",
    "/round-1#2": "Well now.\nCLAIM: Not as fast.\nTARGET: T3\nRELATION: ATTACK\nARGUMENT: Count the minutes.",
    "/close#1": "ANSWER: tea\nARGUMENT: Warmth wins.",
    "/close#2": "ANSWER: coffee\nARGUMENT: Speed wins.",
    "/moderate#1": "SUMMARY: Warmth against speed.\nVERDICT: Drink green tea.",
}


def tea() -> tuple[Entry, ...]:
    """A round-robin of one round, with a mediator's verdict."""
    brief = Brief(topic="Tea or coffee?", participants=SPEAKERS)
    quiet = replace(brief, participants=tuple(replace(speaker, language="") for speaker in SPEAKERS))
    tree = build("round_robin", quiet, Choices(rounds=1))
    runner = Harness(brief=brief, protocol=tree, name="round_robin")

    def script(ask: Ask, context: object) -> str:
        return next(text for end, text in SAYS.items() if ask.key.endswith(end))

    return asyncio.run(runner.run({speaker.name: Scripted(script) for speaker in SPEAKERS})).entries


def files(mode: LogMode, entries: list[Entry]) -> dict[str, str]:
    return dict(write(mode, report(entries, debate="d1"), entries))


@pytest.mark.parametrize(
    ("mode", "endings"),
    [
        ("full_markdown", [".md"]),
        ("summary_only", [".summary.md"]),
        ("json_log", [".log.json"]),
        ("verbose", [".verbose.md"]),
        ("visual_tree", [".tree.md", ".tree.json"]),
    ],
)
def test_every_mode_has_files_of_its_own(mode: LogMode, endings: list[str]) -> None:
    for entries in (hiring(), opened(person("Ann")).entries):
        values = files(mode, entries)
        assert list(values) == endings
        assert all(text.endswith("\n") for text in values.values())


def test_the_whole_report_has_every_section() -> None:
    entries = list(tea())
    text = files("full_markdown", entries)[".md"]
    assert text == markdown(report(entries, debate="d1"))
    assert "- **Settings:** at most 1 round; at most 500 questions; 2 min for an answer; seed 0\n" in text
    assert "- **Ann:** For, debater, `x:y`, speaks German, tools: search and rag\n" in text
    chapters = [line for line in text.splitlines() if line.startswith("## ")]
    assert chapters == [
        "## Decision",
        "## Participants",
        "## The debate",
        "## Final statements",
        "## Argument map",
        "## Problems",
        "## Record",
    ]


def test_a_speech_is_its_argument_behind_one_line() -> None:
    text = markdown(report(tea(), debate="d1"))
    assert (
        "#### T3 Ann (For): argument\n\n"
        "*T3 answers T2 (Ben): rebuttal. Claim: So does tea.*\n\nIt has the same stuff in it.\n" in text
    )
    assert (
        "#### T1 Ann (For): opening statement\n\n*Claim: Tea is warm. Answer: tea.*\n\nIt comes out of a kettle."
        in text
    )
    whole = "*T4 answers T3 (Ann): attack.*\n\nWell now.  \nCLAIM: Not as fast.  \n"
    assert whole in text, "words beside the fields are never lost"
    assert "> - **Summary:** Warmth against speed.\n> - **Verdict:** Drink green tea." in text


@pytest.mark.parametrize(
    ("fields", "speech"),
    [
        ((("Claim", "c"), ("Argument", "a"), ("Target", "T1")), Speech(facts=(("Claim", "c"),), words="a")),
        ((("Claim", "c"), ("Relation", "ATTACK")), Speech(rest=(("Claim", "c"),))),
        ((("Answer", "x"), ("Argument", "a")), Speech(rest=(("Answer", "x"), ("Argument", "a")))),
        ((), Speech()),
    ],
)
def test_what_a_speech_is(fields: tuple[tuple[str, str], ...], speech: Speech) -> None:
    assert parted(fields) == speech


def test_a_link_without_a_relation_and_a_target_that_is_not_there() -> None:
    form = Form(name="f", fields=(Field(name="CLAIM"), Field(name="TARGET", required=False)))
    diary = opened(ANN, BEN)
    diary.say(ask("/debate/a#1", "Ann", "argue", form=form), "CLAIM: Yes!", {"CLAIM": "Yes!"})
    diary.say(ask("/debate/a#2", "Ben", "argue", form=form), "CLAIM: No", {"CLAIM": "No", "TARGET": "T1"})
    diary.say(ask("/debate/a#3", "Ben", "argue", form=form), "CLAIM: So", {"CLAIM": "So", "TARGET": "T9"})
    text = markdown(report(diary.entries, debate="d1"))
    assert "argument\n\n*T2 answers T1 (Ann).*\n\n- **Claim:** No\n" in text
    assert "argument\n\n- **Claim:** So\n" in text


@pytest.mark.parametrize(("quote", "suffix"), [("yes, we do", ""), ("We don't", "; what it quotes is not in T1")])
def test_words_that_nobody_said_are_not_taken_for_a_quotation(quote: str, suffix: str) -> None:
    form = Form(name="f", fields=(Field(name="QUOTE"), Field(name="TARGET")))
    diary = opened(ANN, BEN)
    diary.say(ask("/debate/a#1", "Ann", "argue"), "Yes, we do!")
    values = {"QUOTE": quote, "TARGET": "T1"}
    diary.say(ask("/debate/a#2", "Ben", "argue", form=form), f"QUOTE: {quote}\nTARGET: T1", values)
    assert f"*T2 answers T1 (Ann){suffix}.*" in markdown(report(diary.entries, debate="d1"))


# ---- the argument map in the report --------------------------------------------------------------------------------


def test_the_chapter_says_what_stands_and_what_was_not_answered() -> None:
    text = markdown(report(tea(), debate="d1")).split("## Argument map\n\n")[1].split("\n\n## ")[0]
    chart, *texts = text.split("\n\n")
    assert chart.startswith("```mermaid\nflowchart RL\n")
    assert chart.endswith("\n```")
    assert texts[1:] == [
        "**Accepted claims**",
        "- T1 (Ann), strength 0.50: Tea is warm.\n- T4 (Ben), strength 0.50: Not as fast.\n"
        "- T2 (Ben), strength 0.43: Coffee wakes.",
        "**Rejected claims**",
        "- T3 (Ann), strength 0.40: So does tea. *(against it: T4)*",
        "**Unanswered attacks**",
        "- T4 (Ben) attacks T3 (Ann): Not as fast.",
    ]


def test_where_there_is_too_little_to_draw_there_is_no_chapter() -> None:
    diary = opened(ANN).say(ask("/debate/argue#1", "Ann", "argue"), "Tea.")
    assert "Argument map" not in markdown(report(diary.entries, debate="d1"))
    assert chapter("argument_map", map=ArgumentMap(), judged=Judgement()) == "Nobody made a claim."


def test_a_map_too_large_for_a_chart_and_strengths_without_a_limit() -> None:
    claim_turns = [ClaimTurn(mark=f"T{n}", key=f"#{n}", by="Ann", act="argue") for n in range(400)]
    nodes = tuple(Node(mark=claim_turn.mark, claim="long " * 30, made=(claim_turn,)) for claim_turn in claim_turns)
    argument_map = ArgumentMap(nodes=nodes)
    judged = Judgement(standing={claim_turn.mark: "undecided" for claim_turn in claim_turns}, settled=False)
    chart, _, note, group, _ = chapter("argument_map", map=argument_map, judged=judged).split("\n\n", 4)
    assert "400 claims" in chart
    assert "mermaid" not in chart
    assert note == "> **Note:** The strengths did not converge: these are their last values."
    assert group == "**Claims left undecided: they attack each other**"


def test_questions_and_replaced_claims_in_the_chapter() -> None:
    revision = Form(name="revision", fields=(Field(name="REPLACES", kind="choice", choices=("T1",)),))
    diary = opened(ANN, BEN)
    diary.say(ask("/debate/a#1", "Ann", "argue"), "Tea is warm.")
    diary.say(ask("/debate/a#2", "Ben", "question", "/debate/a#1"), "How warm?")
    diary.say(ask("/debate/a#3", "Ann", "revise", form=revision), "Tea is hot.")
    text = markdown(report(diary.entries, debate="d1"))
    assert "**Claims replaced by their authors**\n\n- T1 (Ann): Tea is warm. *(replaced by T3)*" in text
    assert "**Questions**\n\n- T2 (Ben): How warm?" in text
    assert "**Unanswered questions**\n\n- T2 (Ben) asks about T1 (Ann): How warm?" in text


# ---- the other modes -----------------------------------------------------------------------------------------------


def test_the_summary_has_last_words_and_what_follows() -> None:
    text = files("summary_only", list(tea()))[".summary.md"]
    begun, rest = text.split("## Final statements\n\n")
    assert begun.startswith("# Tea or coffee?\n\n**Decided by mediator: Mia gave the verdict**\n\n")
    last, decided = rest.split("\n\n## Decision\n\n")
    assert last == (
        "### Ann (For)\n\n- **Argument:** Warmth wins.\n- **Answer:** tea\n\n"
        "### Ben (Against)\n\n- **Argument:** Speed wins.\n- **Answer:** coffee"
    )
    assert decided.startswith("**Decided:** Drink green tea.\n")
    assert "So does tea" not in text


def test_the_summary_of_a_debate_that_broke_off() -> None:
    diary = opened(person("Ann"), person("Ben"), person("Mia", duty="moderator"))
    assert "## Final statements\n\nNobody said anything.\n" in files("summary_only", diary.entries)[".summary.md"]
    diary.say(ask("/debate/argue#1", "Ann", "argue"), "Tea.")
    diary.say(ask("/debate/score#1", "Ann", "score"), "7")
    diary.say(ask("/debate/summarize#1", "Mia", "summarize"), "First.\n\nTwo.")
    text = files("summary_only", diary.entries)[".summary.md"]
    assert "### Ann\n\nTea.\n\n## Summary\n\n> First.\n>\n> Two.\n\n## Decision\n\nThere is no decision." in text


def metered() -> Diary:
    used = Usage(input_tokens=120, output_tokens=30, cached_tokens=20, cost=0.01)
    question = ask("/debate/rounds/round-2/argue#1", "Ann", "argue")
    tool = ToolCall(id="1", name="search", arguments='{"query": "tea`"}')
    note = ToolCall(id="acp-1", name="denied", arguments="rm -rf x")
    diary = opened(ANN, BEN).add(
        Asked(ask=question),
        Attempted(key=question.key, call="answer", n=1, model="x:y"),
        Erred(key=question.key, call="answer", n=1, kind="rate", reason="too many requests"),
        Attempted(key=question.key, call="answer", n=2, model="x:y"),
        Called(
            key=question.key, call="answer", text="", model="x:y", served="y-1", usage=used, seconds=2, tools=(tool,)
        ),
        Attempted(key=question.key, call="tool-1", n=1, model="tool:search"),
        Called(
            key=question.key, call="tool-1", text="Tea\n# is warm.", model="tool:search", sources=("https://t.example",)
        ),
        Attempted(key=question.key, call="answer-2", n=1, model="x:y"),
        Called(
            key=question.key,
            call="answer-2",
            text="Tea.",
            model="x:y",
            usage=used,
            seconds=1,
            finish="stop",
            tools=(note,),
        ),
    )
    return diary.say(ask("/debate/argue#9", "Ben", "argue"), "No.")


def test_the_json_log_has_what_every_turn_took() -> None:
    entries = metered().entries
    data = json.loads(files("json_log", entries)[".log.json"])
    assert data["debate"]["participants"][0] == {
        "name": "Ann",
        "role": "For",
        "duty": "debater",
        "seat": "x:y",
        "weight": None,
        "language": "German",
        "tools": ["search", "rag"],
    }
    assert (data["debate"]["id"], data["debate"]["status"], data["debate"]["decision"]) == ("d1", "open", None)
    assert data["debate"]["limits"]["turn_seconds"] == 120.0
    first, second = data["turns"]
    wanted = {
        "mark": "T1",
        "round": 2,
        "act": "argue",
        "by": "Ann",
        "state": "open",
        "attempts": 4,
        "retries": 1,
        "errors": 1,
        "calls": 3,
        "tokens_in": 240,
        "tokens_out": 60,
        "tokens_cached": 40,
        "cost": 0.02,
        "tools": [{"tool": "tool:search", "seconds": 0.0, "sources": ["https://t.example"]}],
    }
    assert {name: first[name] for name in wanted} == wanted
    assert (second["text"], second["seconds"], second["state"]) == ("No.", 2.0, "answered")
    assert data["totals"]["tokens_in"] == 240
    assert data["totals"]["models"]["x:y"]["attempts"] == 3
    assert json.loads(files("json_log", list(tea()))[".log.json"])["debate"]["decision"] == "Drink green tea."


def test_the_json_log_of_a_whole_debate() -> None:
    data = json.loads(files("json_log", hiring())[".log.json"])
    states = [turn["state"] for turn in data["turns"]]
    assert (states.count("answered"), states.count("missing")) == (10, 1)
    missing = next(turn for turn in data["turns"] if turn["state"] == "missing")
    assert (missing["failure"], missing["seconds"], missing["text"]) == ("no answer within 30 seconds", None, "")


def test_the_verbose_log_shows_every_question_in_full() -> None:
    text = files("verbose", metered().entries)[".verbose.md"]
    assert text.startswith("# Shall we?\n")
    part = text.split("\n## Appendix: every question of `d1`\n\n")[1].split("\n\n### T2")[0]
    assert part == (
        "### T1 Ann: argument, Round 2: arguments\n\n**Task:** …\n\n"
        "- **Key:** `/debate/rounds/round-2/argue#1`\n- **View:** the whole log\n\n"
        "**Calls**\n\n"
        "1. answer: attempt 1 of `x:y`\n"
        "2. answer: attempt 1 failed, rate: too many requests\n"
        "3. answer: attempt 2 of `x:y`\n"
        "4. answer: answered in 2 s, by `y-1`, 120 tokens in, 30 out, "
        'asks for `search {"query": "tea\'"}`\n'
        "5. tool-1: attempt 1 of `tool:search`\n"
        "6. tool-1: answered in 0 s, from https://t.example: Tea \\# is warm.\n"
        "7. answer-2: attempt 1 of `x:y`\n"
        "8. answer-2: answered in 1 s, 120 tokens in, 30 out, ended by stop, `denied rm -rf x`"
    )


def test_the_verbose_log_shows_views_forms_and_what_was_laid_before() -> None:
    form = Form(
        name="ballot",
        layout="line",
        fields=(Field(name="I vote for", choices=("A", "B")), Field(name="WHY", required=False)),
    )
    view = View(last=0, anonymous=True, hide=("bid",))
    question = Ask(
        key="/debate/vote#1",
        to="Ben",
        act="vote",
        task="Vote.\n\nNow.",
        form=form,
        about=("/debate/argue#1",),
        audience=("Ben",),
        view=view,
    )
    diary = opened(ANN, BEN).say(ask("/debate/argue#1", "Ann", "argue"), "Tea.")
    diary.add(
        Asked(ask=question),
        Attempted(key=question.key, call="answer", n=1),
        Failed(key=question.key, kind="timeout", reason="no answer in time"),
    )
    part = files("verbose", diary.entries)[".verbose.md"].split("### T2 Ben: vote, Vote\n\n")[1]
    assert part == (
        "**Task:**\n\nVote.\n\nNow.\n\n"
        "- **Key:** `/debate/vote#1`\n"
        "- **View:** last 0, hide ('bid',), anonymous\n"
        "- **Turns shown:** T1 (Ann)\n"
        "- **Visible to:** only Ben\n"
        "- **Form:** ballot, as line: I vote for (A / B); WHY (text), optional\n\n"
        "**Calls**\n\n1. answer: attempt 1\n2. no answer, timeout: no answer in time\n"
    )
    assert "Nothing was asked." in files("verbose", opened(ANN).entries)[".verbose.md"]


def test_the_tree_is_a_page_and_data() -> None:
    values = files("visual_tree", list(tea()))
    assert values[".tree.md"].startswith("# Argument map: Tea or coffee?\n\n```mermaid\nflowchart RL\n")
    assert "**Unanswered attacks**" in values[".tree.md"]
    data = json.loads(values[".tree.json"])
    assert (data["debate"], data["topic"]) == ("d1", "Tea or coffee?")
    assert [edge["relation"] for edge in data["edges"]] == ["REBUT", "ATTACK"]


def test_settings_in_words() -> None:
    limits = Limits(asks=None, tokens=40_000, cost=0.5, total_seconds=90, quorum=3)
    brief = Brief(topic="?", limits=limits, seed=7)
    tree = dump(build("panel", Brief(topic="?", participants=SPEAKERS)))
    entries = Diary().add(Opened(brief=brief, protocol=tree), Entered(path="/debate")).entries
    assert settings(entries) == (
        "at most 1 round",
        "at most 40,000 tokens",
        "at most $0.50",
        "at most 1 min 30 s in all",
        "2 min for an answer",
        "3 answers and 20 s are enough to go on",
        "seed 7",
    )
    usual = Diary().add(Opened(brief=brief, protocol={"is": "Rounds", "each": {"is": "Everyone"}}))
    assert settings(usual.entries)[0] == "at most 3 rounds"
    assert settings(()) == ()


def test_a_mediators_notes_are_block_quotations() -> None:
    diary = opened(ANN, person("Mia", duty="moderator"))
    for act in ("guide", "inform", "summarize"):
        diary.say(ask(f"/debate/rounds/round-1/{act}#1", "Mia", act), "Stay on topic.\n\nPlease.")
    text = markdown(report(diary.entries, debate="d1"))
    assert "### Round 1: the moderator's note\n\n#### Mia: note\n\n> Stay on topic.\n>\n> Please.\n" in text
    assert "#### Mia: findings\n\n> Stay on topic." in text
    assert "#### Mia: summary\n\n> Stay on topic." in text
