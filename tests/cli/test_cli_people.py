"""People at the command line: `folkmoot answer`, `folkmoot say`, and debates that wait for somebody."""

import asyncio
import json
import time
from pathlib import Path

from folkmoot.app.program.program_agents import register
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Brief, Participant
from folkmoot.protocols.known import Choices
from tests.cli.commands import QUOTES, folkmoot, only_id

TEA = """---
protocol: panel
options: [tea, coffee]
---
# Tea or coffee?

Tea is cheaper by $40 a month. Coffee keeps people awake.

## Bull
role: Speaks for tea

## Bear
role: Speaks for coffee

## Ada (human)
role: Drinks it
"""
TWO = TEA + "\n## Bo Li (human)\nrole: Pays for it\ndeadline: 2d\n"
SEALED = """---
protocol: council
---
# Tea or coffee?

Tea is cheaper by $40 a month. Coffee keeps people awake.

## Bull
role: Speaks for tea

## Bear
role: Speaks for coffee

## Ada (human)
role: Drinks it
duty: juror
"""
DRAFT = ("-f", "ANSWER=tea", "-f", "ARGUMENT=It is cheap.")


def begin(folder: Path, brief: str = TEA) -> str:
    """Run a debate until it waits for somebody; its id."""
    (folder / "tea.md").write_text(brief, "utf-8")
    ran = folkmoot(folder, "run", "tea.md", *QUOTES, "--no-report")
    assert ran.exit_code == 6, ran.output
    return only_id(ran)


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_a_debate_that_waits_says_for_whom_and_how_to_answer(tmp_path: Path) -> None:
    name = begin(tmp_path)
    for shown in (folkmoot(tmp_path, "show", name), folkmoot(tmp_path, "resume", name)):
        words = one_line(shown.output)
        assert f"paused: Ada has to answer (draft): folkmoot answer {name}" in words
        assert "waits for Ada · draft · since 2" in words
        assert "problems" not in words
        assert "Answer the question on your own" in words
        assert f"folkmoot answer {name} folkmoot resume {name}" in words
    assert "waits for Ada · since 2" in folkmoot(tmp_path, "list").output
    (listed,) = json.loads(folkmoot(tmp_path, "list", "--json").output)
    assert [(item["name"], item["act"], item["left"]) for item in listed["waits_for"]] == [("Ada", "draft", None)]
    silent = folkmoot(tmp_path, "resume", name, "--json")
    assert (silent.exit_code, f"folkmoot answer {name}" in silent.stderr) == (6, True)


def test_an_answer_goes_on_with_the_debate(tmp_path: Path) -> None:
    name = begin(tmp_path)
    first = folkmoot(tmp_path, "answer", name, *DRAFT, "--no-report", "--full")
    assert first.exit_code == 6
    assert "Ada Drinks it · draft · in person\n  Answer    tea\n  Argument  It is cheap.\n" in first.output
    then = folkmoot(tmp_path, "answer", "last", "-", "--no-report", stdin="ANSWER: tea\nARGUMENT: It is still cheap.")
    assert then.exit_code == 0, then.output
    assert "votes    2 tea: " in then.output
    over = folkmoot(tmp_path, "answer", name, *DRAFT)
    assert (over.exit_code, over.stderr) == (
        1,
        f"folkmoot: the debate {name} is over; read it with folkmoot show, or run its brief anew with folkmoot again\n",
    )


def test_an_answer_that_cannot_be_used_is_not_noted(tmp_path: Path) -> None:
    name = begin(tmp_path)
    for words, code, text in (
        (("water",), 2, "the answer must say ARGUMENT (your best argument"),
        (("-f", "ANSWER=water"), 2, "ANSWER is 'water'; it must be one of"),
        (("-f", "DRINK=tea"), 2, "the answer has no field 'DRINK'; there are ARGUMENT"),
        (("-f", "tea"), 2, "-f tea has no value; write FIELD=VALUE."),
        (("-f", "ANSWER=tea", "-f", " ANSWER =tea"), 2, "-f ANSWER is given twice."),
        (("",), 2, "the answer is empty"),
        ((*DRAFT, "--as", "Bull"), 2, "'Bull' is not a person in this debate; there is Ada"),
    ):
        ran = folkmoot(tmp_path, "answer", name, *words)
        assert (ran.exit_code, text in ran.stderr) == (code, True), ran.output
    assert folkmoot(tmp_path, "answer", "nothing", "tea").exit_code == 1
    assert "waits for Ada" in folkmoot(tmp_path, "list").output


def test_without_words_and_terminal_the_question_is_shown(tmp_path: Path) -> None:
    name = begin(tmp_path, TWO)
    shown = folkmoot(tmp_path, "answer", name, "--as", "bo li")
    assert shown.exit_code == 2
    words = one_line(shown.stdout)
    assert words.startswith("Tea or coffee? ")
    assert "▌ Bo Li · Pays for it · draft ▌ Answer the question" in words
    assert "CONFIDENCE how likely you are right: a number from 0 to 1 (optional) ANSWER" in words
    assert "1 day 23 h left" in words
    assert f'folkmoot answer {name} "…", or -f FIELD=VALUE' in shown.stderr
    assert "Bo Li has to answer" in folkmoot(tmp_path, "show", name).output


def test_of_two_people_each_answers_and_later_is_later(tmp_path: Path) -> None:
    name = begin(tmp_path, TWO)
    unclear = folkmoot(tmp_path, "answer", name, *DRAFT)
    assert (unclear.exit_code, "Ada and Bo Li have open questions; say whose answer it is" in unclear.stderr) == (
        2,
        True,
    )
    words = one_line(folkmoot(tmp_path, "show", name).output)
    assert f"next folkmoot answer {name} --as Ada folkmoot answer {name} --as 'Bo Li' folkmoot resume" in words
    assert "until 2" in words
    later = folkmoot(tmp_path, "answer", name, *DRAFT, "--as", "Ada", "--no-run")
    assert (later.exit_code, later.stdout) == (0, "")
    assert later.stderr == f"folkmoot: the answer is saved; continue with: folkmoot resume {name}\n"
    again = folkmoot(tmp_path, "answer", name, *DRAFT, "--as", "Ada")
    assert (again.exit_code, "Ada has already answered" in again.stderr) == (1, True)
    assert "waits for Bo Li" in folkmoot(tmp_path, "list").output
    went = folkmoot(tmp_path, "answer", name, *DRAFT, "--no-report", "--full")
    assert one_line(went.output).count("draft · in person") == 2


def test_a_juror_votes_and_what_is_said_from_outside_is_heard(tmp_path: Path) -> None:
    name = begin(tmp_path, SEALED)
    result = folkmoot(tmp_path, "say", name, "Think of the kettle.", "--by", "Zed")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "Ada, who has an open question, now" in result.stderr
    for shown in (
        folkmoot(tmp_path, "answer", name),
        folkmoot(tmp_path, "show", name),
        folkmoot(tmp_path, "resume", name),
    ):
        assert shown.stdout.count("▌ Zed (viewer)\n▌ Think of the kettle.") == 1
    went = folkmoot(tmp_path, "answer", name, "Proposal B", "--no-report", "--full")
    assert went.exit_code == 0, went.output
    assert "Ada Drinks it · votes for " in went.output
    assert "▌ Zed (viewer)\n▌ Think of the kettle." in went.output
    assert folkmoot(tmp_path, "say", name, "Too late.").exit_code == 1


def test_who_speaks_up_is_the_user_of_the_system(tmp_path: Path) -> None:
    name = begin(tmp_path)
    for words, user, code in (("Hm.", "zoe", 0), ("-", "t3", 0), ("Hm.", "bull", 2)):
        ran = folkmoot(
            tmp_path, "say", name, words, stdin="From a pipe.", LOGNAME=user, USER=user, LNAME="", USERNAME=""
        )
        assert ran.exit_code == code, ran.output
    shown = folkmoot(tmp_path, "answer", name, *DRAFT, "--no-report", "--full").output
    assert "▌ zoe (viewer)\n▌ Hm." in shown
    assert "▌ Viewer (viewer)\n▌ From a pipe." in shown


def test_the_plan_says_who_answers_in_person(tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_text(TWO.replace("2d", "2d\nstand_in: builtin:quotes"), "utf-8")
    words = one_line(folkmoot(tmp_path, "check", "tea.md", *QUOTES).output)
    assert "waits for Ada and Bo Li, who answer in person" in words
    assert "Ada Drinks it · answers in person Bo Li Pays for it · answers in person within 2 days, otherwise" in words
    (tmp_path / "tea.md").write_text(SEALED, "utf-8")
    words = one_line(folkmoot(tmp_path, "check", "tea.md", *QUOTES).output)
    assert "waits for Ada, who answers in person" in words
    assert "answers in person · juror" in words


def test_a_debate_of_a_program_is_gone_on_with_there(tmp_path: Path) -> None:
    def bull(prompt: str) -> str:
        return "Tea."

    async def hold() -> None:
        workspace = Workspace.at(tmp_path / "folkmoot.sqlite")
        people = (
            Participant(name="Bull", seat=register(workspace.pool, "Bull", bull)),
            Participant(name="Ada", seat="human"),
        )
        plan = workspace.plan(
            Brief(topic="Tea?", participants=people), protocol="council", choices=Choices(), models=()
        )
        assert (await workspace.run(plan, "d")).kind == "waiting"
        await workspace.close()

    asyncio.run(hold())
    ran = folkmoot(tmp_path, "answer", "d", "Tea.")
    assert (ran.exit_code, ran.stdout) == (0, "")
    assert ran.stderr == "folkmoot: the answer is saved; continue in the program that answers for Bull\n"


def test_a_stand_in_answers_when_the_time_is_up(tmp_path: Path) -> None:
    name = begin(tmp_path, SEALED.replace("duty: juror", "duty: juror\ndeadline: 1s\nstand_in: builtin:quotes"))
    time.sleep(1.1)
    late = folkmoot(tmp_path, "answer", name, "Proposal A")
    assert (late.exit_code, "the time for the answer of Ada is over" in late.stderr) == (1, True)
    went = folkmoot(tmp_path, "resume", name, "--no-report", "--full")
    assert went.exit_code == 0, went.output
    assert "in place of Ada, whose time was up" in went.output
