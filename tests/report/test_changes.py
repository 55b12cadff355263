"""What changed in a debate, as a reader tells it: revisions, self-reports beside the record, notes, translations."""

import json

import pytest

from folkmoot.core.ask import Ask, Field, Fields, Form
from folkmoot.core.brief import Brief, Participant, View
from folkmoot.core.event import Asked, Entry, Failed
from folkmoot.core.transcript import fold
from folkmoot.phases.choices import Choices, Extras
from folkmoot.phases.revise import LOOKED_BACK
from folkmoot.protocols.known import build
from folkmoot.report.course import AnswerChange, Course, Note, ReportedChange, Revision, course, span
from folkmoot.report.markdown import chapter, markdown
from folkmoot.report.report import as_data, report
from folkmoot.testing.replay import Harness, SeededAgent
from tests.report.reports import Diary, opened, person

ANSWER = Form(name="speech", fields=(Field(name="ANSWER"),))


def say(diary: Diary, to: str, act: str, fields: Fields, *about: str, form: Form = ANSWER) -> str:
    """One turn; its key. Its words are the values of its fields."""
    key = f"/debate/rounds/round-1/{act}#{len(diary.entries)}"
    ask = Ask(key=key, to=to, act=act, task="…", about=about, form=form, view=View(numbered=True))
    diary.say(ask, "\n".join(f"{name}: {value}" for name, value in fields.items()) or "Words.", fields)
    return key


def talk(*answers: tuple[str, str]) -> Diary:
    """Ann and Ben answer in this order, one turn each: T1, T2 …"""
    diary = opened(person("Ann"), person("Ben"), person("Chair", duty="moderator"))
    for who, answer in answers:
        say(diary, who, "argue", {"ANSWER": answer} if answer else {})
    return diary


def read(diary: Diary) -> Course:
    return course(fold(diary.entries))


@pytest.mark.parametrize(
    ("words", "turns"),
    [
        ("T3 -> T9: costs", (3, 9)),
        ("between T9 and T3", (3, 9)),
        ("T3 → T5 → T9", (3, 9)),
        ("T3 only", (0, 0)),
        ("T3x, AT9, T12345678901", (0, 0)),
        ("", (0, 0)),
    ],
)
def test_the_turns_that_a_report_names(words: str, turns: tuple[int, int]) -> None:
    assert span(words) == turns


DEBATE = (("Ann", "Tea"), ("Ben", "Tea"), ("Ann", "**tea.**"), ("Ann", "Coffee"), ("Ben", ""), ("Ann", "Coffee"))


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ("T1 -> T4: the price", True),
        ("T3 -> T4", True),
        ("T1 -> T6", True),
        ("T1 -> T3", False),  # the same words but for marks
        ("T4 -> T6", False),
        ("T2 -> T4", False),  # T2 is Ben's
        ("T4 -> T5", False),  # T5 gives no answer
        ("T4 -> T99", False),
        ("I changed a lot", False),
    ],
)
def test_a_reported_change_is_looked_up_in_the_record(change: str, shown: bool) -> None:
    diary = talk(*DEBATE)
    say(diary, "Ann", "reflect", {"CHANGED": "YES", "CHANGES": (change,)}, form=LOOKED_BACK)
    course_read = read(diary)
    assert course_read.reflections[0].changes == (ReportedChange(words=change, shown=shown),)
    # The one change that the record shows, from T3 to T4, is told where the report spans it.
    assert course_read.moves == (
        AnswerChange(by="Ann", old="T3", new="T4", before="**tea.**", after="Coffee", told=shown),
    )


def test_who_did_not_look_back_told_nothing_and_hid_nothing() -> None:
    course_read = read(talk(*DEBATE))
    assert course_read.moves[0].told is None
    assert chapter("course", course=course_read) == ""


@pytest.mark.parametrize(("fields", "changed"), [({"CHANGED": "NO"}, False), ({}, None)])
def test_what_cannot_be_read_is_not_guessed(fields: Fields, changed: bool | None) -> None:
    diary = talk(("Ann", "Tea"))
    say(diary, "Ann", "reflect", fields, form=LOOKED_BACK)
    assert (read(diary).reflections[0].changed, read(diary).reflections[0].changes) == (changed, ())


def test_who_only_looked_back() -> None:
    diary = opened(person("Ann"))
    say(diary, "Ann", "reflect", {"CHANGED": "YES", "CHANGES": ("T1 -> T2",)}, form=LOOKED_BACK)
    assert read(diary).reflections[0].changes == (ReportedChange(words="T1 -> T2", shown=False),)


def revised(diary: Diary, mark: str) -> str:
    form = Form(name="revision", fields=(Field(name="REPLACES", kind="choice", choices=(mark,)), *ANSWER.fields))
    return say(diary, "Ann", "revise", {"ANSWER": "Coffee"}, form=form)


def test_a_revision_is_known_from_the_question_not_from_the_words() -> None:
    diary = talk(("Ann", "Tea"), ("Ben", "Tea"))
    new = revised(diary, "T1")
    say(diary, "Ben", "revise", {"ANSWER": "I replace T1."})
    old = "/debate/rounds/round-1/argue#2"
    assert read(diary).revisions == (Revision(by="Ann", mark="T3", key=new, old="T1", old_key=old),)


def test_notes_and_translations() -> None:
    diary = talk(("Ann", "Tee"))
    key = "/debate/rounds/round-1/argue#2"
    note = Form(name="note", fields=(Field(name="NOTE"),))
    spoken = say(diary, "Ann", "strategy", {"NOTE": "Be short."}, form=note)
    two = say(diary, "Ann", "strategy", {}, form=note)
    say(diary, "Ann", "translate", {"TRANSLATION": "Tea"}, key)
    course_read = read(diary)
    assert course_read.notes == (
        Note(by="Ann", key=spoken, round=1, words="Be short."),
        Note(by="Ann", key=two, round=1, words="Words."),
    )
    assert course_read.translations == {key: "Tea"}


# ---- in the report -------------------------------------------------------------------------------------------------


def page(entries: list[Entry]) -> str:
    return markdown(report(entries, debate="d"))


def test_self_reports_stand_beside_the_record() -> None:
    diary = talk(*DEBATE)
    revised(diary, "T4")
    values: Fields = {
        "CHANGED": "YES",
        "CHANGES": ("T1 -> T4: the *price*", "T4 -> T6: the taste"),
        "CONTRADICTIONS": ("T1 and T6 on milk",),
    }
    say(diary, "Ann", "reflect", values, form=LOOKED_BACK)
    say(diary, "Ben", "reflect", {}, form=LOOKED_BACK)
    text = page(diary.entries).split("## Revisions and reflection\n\n")[1].split("\n\n## ")[0]
    assert text == (
        "- **Ann:** T7 (Round 1: revisions) replaces T4 (Round 1: arguments)\n\n"
        "**Ann**, in reflection, says that the opinion has changed.\n\n"
        "- T1 -> T4: the \\*price\\* (*the record shows it*)\n"
        "- T4 -> T6: the taste (*the record does not show it*)\n"
        "- Contradiction: T1 and T6 on milk\n\n"
        "**Ben**, in reflection, does not say whether the opinion has changed."
    )


def test_a_change_that_is_not_reported_is_named() -> None:
    diary = talk(*DEBATE)
    say(diary, "Ann", "reflect", {"CHANGED": "NO"}, form=LOOKED_BACK)
    assert (
        "**Ann**, in reflection, says that the opinion has not changed.\n\n"
        "- *Not reported, but on record:* T3 -> T4: from \\*\\*tea.\\*\\* to Coffee"
    ) in page(diary.entries)


def test_a_translation_stands_beneath_its_turn_and_a_note_in_a_chapter_of_its_own() -> None:
    diary = talk(("Ann", "Tee"))
    say(diary, "Ann", "strategy", {"NOTE": "Be short."})
    say(diary, "Chair", "translate", {"TRANSLATION": "Tea\n\n# Big"}, "/debate/rounds/round-1/argue#2")
    text = page(diary.entries)
    assert "#### T1 Ann: argument\n\n- **Answer:** Tee\n\n> *Translated:*\n>\n> Tea\n>\n> ##### Big" in text
    notes = "## Notes on strategy\n\nDuring the debate only their authors saw them.\n\n"
    assert notes + "**Ann, Round 1: notes on strategy:** Be short." in text
    debate = text.split("## The debate")[1].split("## Notes")[0]
    assert "Be short." not in debate
    assert debate.count("###") == 3  # the round, the turn, the heading in its words


def test_a_note_that_failed_is_missing_in_the_debate() -> None:
    diary = talk(("Ann", "Tee"))
    key = "/debate/rounds/round-1/strategy#1"
    diary.add(Asked(ask=Ask(key=key, to="Ann", act="strategy", task="…")), Failed(key=key, kind="x", reason="gone"))
    assert "#### T2 Ann: note on strategy\n\n*no answer: x: gone*" in page(diary.entries)


def test_where_nobody_saw_marks_turns_have_none_in_the_report() -> None:
    diary = opened(person("Ann"))
    diary.say(Ask(key="/debate/draft#1", to="Ann", act="draft", task="…"), "Tea.")
    assert "#### Ann: draft" in page(diary.entries)


async def test_a_debate_with_everything_is_reported() -> None:
    people = (
        Participant(name="Ann", language="German"),
        Participant(name="Bob"),
        Participant(name="Chair", duty="moderator"),
    )
    brief = Brief(topic="Tea?", participants=people, options=("tea", "coffee"))
    choices = Choices(rounds=2, summarize=1, extras=Extras(revision=True, self_reflection=True, evolution=True))
    tree = build("round_robin", brief, choices)
    debate = await Harness(brief=brief, protocol=tree).run(
        dict.fromkeys([participant.name for participant in people], SeededAgent(3))
    )
    report_data = report(debate.entries, debate="d")
    assert report_data.course.revisions
    assert len(report_data.course.notes) == 4
    assert len(report_data.course.reflections) == 2
    spoken = [turn.key for turn in debate.transcript.turns(by="Ann") if turn.ask and not turn.ask.audience]
    assert [*report_data.course.translations] == [key for key in spoken if "/vote" not in key]
    json.dumps(as_data(report_data), allow_nan=False)
    text = markdown(report_data)
    assert text.index("## The debate") < text.index("## Revisions and reflection") < text.index("## Notes on strategy")
    assert text.count("> *Translated:*") == len(report_data.course.translations)
