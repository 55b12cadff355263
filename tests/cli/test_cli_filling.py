"""A form filled in at the keyboard: lines as a terminal gives them, and every kind of field."""

import asyncio
import os
from collections.abc import Iterator

import pytest

from folkmoot.app.program.in_place import CUT
from folkmoot.app.run.people import OutsideMessages
from folkmoot.cli.display.ask_people import AnswerPrompt, Filled
from folkmoot.core.ask import ABSTAIN, Ask, Field, Form, Value
from folkmoot.core.errors import BriefError
from folkmoot.phases.speak import SETTLEMENT
from folkmoot.protocols.board import bound_to_judge, form_with_verdict, member_form, message
from folkmoot.record.mailbox import Mailbox
from folkmoot.testing.store_checks import InMemoryStore
from tests.cli.terminals import CTRL_D, Typist

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX terminals")

ANSWER = Field(name="ANSWER", kind="choice", choices=("tea", "coffee"))
BALLOT = Form(name="ballot", layout="line", fields=(Field(name="I vote for", kind="choice", choices=("A", "B")),))


@pytest.fixture
def typist() -> Iterator[Typist]:
    typist = Typist()
    yield typist
    typist.close()


async def fill(typist: Typist, ask: Ask, *steps: tuple[str, str]) -> Filled:
    """What somebody gives who types that."""
    outside = OutsideMessages(Mailbox(InMemoryStore(), "d", clock=lambda: 0.0), 0)
    async with asyncio.TaskGroup() as group:
        filling = group.create_task(
            AnswerPrompt(typist.console, typist.keyboard, {"T3": "Bull, draft"}, outside).fill(ask)
        )
        await typist.type(*steps)
    return filling.result()


def question(*fields: Field, form: Form | None = None, act: str = "argue") -> Ask:
    form = form or (Form(name="f", fields=fields) if fields else None)
    return Ask(key="/debate#1", to="Ada", act=act, task="Say it.", form=form)


# ---- lines ---------------------------------------------------------------------------------------------------------


async def test_lines_come_one_by_one_without_arrow_keys(typist: Typist) -> None:
    typist.write("te\x1b[D\x1b[1;5Ca\x1bOH\nsecond, ü\n")
    assert await typist.keyboard.line() == "tea"
    assert await typist.keyboard.line() == "second, ü"


async def test_what_was_typed_before_is_forgotten(typist: Typist) -> None:
    typist.write("old\nolder\n")
    assert await typist.keyboard.line() == "old"
    typist.keyboard.drop()
    assert not await typist.keyboard.pasted()
    typist.write("new\n")
    assert await typist.keyboard.line() == "new"


async def test_the_end_of_input_and_a_window_that_is_closed(typist: Typist) -> None:
    typist.write(CTRL_D)
    with pytest.raises(EOFError):
        await typist.keyboard.line()
    typist.write("still there\n")
    assert await typist.keyboard.line() == "still there"
    typist.hang_up()
    with pytest.raises(EOFError):
        await typist.keyboard.line()


async def test_a_line_that_the_terminal_has_cut_is_refused(typist: Typist) -> None:
    typist.write("x" * (CUT + 50) + "\n")
    with pytest.raises(BriefError, match="cuts lines after 4,095 bytes"):
        await typist.keyboard.line()


async def test_who_has_left_is_asked_no_more(typist: Typist) -> None:
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(left(typist))
        await asyncio.sleep(0)
        typist.keyboard.leave()
        typist.keyboard.leave()
    assert waiting.result()
    assert await left(typist)


async def left(typist: Typist) -> bool:
    try:
        await typist.keyboard.line()
    except EOFError:
        return True
    return False


# ---- fields --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "typed", "value"),
    [
        (ANSWER, "2\n", "coffee"),
        (ANSWER, "TEA\n", "tea"),
        (Field(name="V", kind="choice", choices=("A", "B"), abstain=True), "3\n", ABSTAIN),
        (Field(name="V", kind="choice", choices=("A", "B"), abstain=True), "abstain\n", ABSTAIN),
        (Field(name="V", kind="choice", choices=("Proposal A", "Proposal B")), "b\n", "Proposal B"),
        (Field(name="V", kind="choice", choices=("2", "1")), "1\n", "1"),
        (Field(name="V", kind="choice", choices=("T3", "T4"), required=False), "\n", None),
        (Field(name="V", kind="number", low=0, high=10), "7\n", 7),
        (Field(name="V", kind="number", required=False), "\n", None),
        (Field(name="V", kind="flag"), "yes\n", True),
        (Field(name="V", kind="flag"), "2\n", False),
        (Field(name="V", kind="flag", required=False), "\n", None),
        (Field(name="V", required=False), "\n", None),
        (Field(name="V", kind="list", required=False), "\n", None),
    ],
)
async def test_one_line_for_one_value(typist: Typist, field: Field, typed: str, value: object) -> None:
    more = Field(name="LAST")
    filled = await fill(typist, question(field, more), (field.name, typed), ("LAST", "end\n"), ("", "\n"))
    assert filled.fields.get(field.name) == value
    assert filled.fields["LAST"] == "end"


@pytest.mark.parametrize(
    ("field", "wrong", "message"),
    [
        (ANSWER, "3", "ANSWER is '3'; it must be one of"),
        (ANSWER, "", "ANSWER is required."),
        (Field(name="V", kind="number", low=0, high=10), "11", "V is '11'; it must be a number from 0 to 10."),
        (Field(name="V", kind="flag"), "maybe", "V is 'maybe'; it must be true or false."),
        (Field(name="V"), "", "V is required."),
        (Field(name="V", kind="list"), "", "V is required."),
        (Field(name="V"), "x" * 5000, "the terminal cuts lines after 4,095 bytes; break it into shorter lines."),
    ],
)
async def test_a_wrong_value_gets_one_sentence_and_is_asked_again(
    typist: Typist, field: Field, wrong: str, message: str
) -> None:
    right = {"choice": "tea\n", "number": "3\n", "flag": "yes\n", "text": "words\n", "list": "one\n"}[field.kind]
    further = [] if field.kind in ("choice", "number", "flag") else [("", "\n")]
    why = [] if field.kind == "text" else [("Why", "\n")]
    await fill(typist, question(field), (field.name, f"{wrong}\n"), (field.name, right), *further, *why)
    assert message in " ".join(typist.out.getvalue().split())
    assert typist.out.getvalue().count(f"{field.name}  ") == 2


async def test_a_text_goes_over_lines_until_an_empty_one_and_pasted_paragraphs_stay(typist: Typist) -> None:
    text = Field(name="TEXT", help="what you say")
    filled = await fill(typist, question(text), ("TEXT", "one\n\ntwo\n"), ("> > ", "three\n"), ("", "\n"))
    assert filled.fields == {"TEXT": "one\n\ntwo\nthree"}
    assert "what you say · finish with an empty line" in typist.out.getvalue()


async def test_a_list_has_an_item_on_each_line(typist: Typist) -> None:
    points = Field(name="POINTS", kind="list")
    filled = await fill(
        typist,
        question(points, Field(name="T")),
        ("POINTS", "a\n"),
        ("", "- b\n"),
        ("", "\n"),
        ("T", "t\n"),
        ("", "\n"),
    )
    assert filled.fields["POINTS"] == ("a", "b")


async def test_a_ranking_is_typed_by_its_numbers(typist: Typist) -> None:
    ranking = Field(name="RANKING", kind="list", choices=("Proposal A", "Proposal B"))
    steps = (("RANKING", "2\n"), ("", "2\n"), ("", "\n"), ("RANKING", "2\n"), ("", "proposal a\n"), ("", "\n"))
    filled = await fill(typist, question(ranking, Field(name="T")), *steps, ("T", "t\n"), ("", "\n"))
    assert filled.fields["RANKING"] == ("Proposal B", "Proposal A")
    assert 'it must be a list of "Proposal A", "Proposal B"' in " ".join(typist.out.getvalue().split())


async def test_without_a_form_there_are_words(typist: Typist) -> None:
    filled = await fill(typist, question(), ("Your answer", "Tea.\n"), ("", "\n"))
    assert filled == Filled(words="Tea.")


async def test_a_ballot_has_room_for_a_reason(typist: Typist) -> None:
    filled = await fill(
        typist, question(form=BALLOT, act="vote"), ("I vote for", "2\n"), ("Why", "Cheap.\n"), ("", "\n")
    )
    assert filled == Filled(words="Cheap.", fields={"I vote for": "B"})


async def test_nothing_is_asked_where_there_is_nothing_to_say(typist: Typist) -> None:
    fields = (
        Field(name="Speaker", kind="choice", choices=("Ada",), required=False),
        Field(name="Nobody", kind="choice", required=False),
        Field(name="REPLACES", kind="choice", choices=("T3",), required=False),
        Field(name="SOLE", kind="choice", choices=("this",)),
        Field(name="Whisper", required=False, private=True, to="WhisperTo"),
        Field(name="WhisperTo", kind="choice", choices=("Bo", "Cy"), required=False, private=True, to="WhisperTo"),
        Field(name="TARGET", kind="choice", choices=("T3", "T4"), required=False),
        Field(name="Content"),
    )
    steps = (("Whisper", "\n"), ("TARGET", "\n"), ("Content", "Tea.\n"), ("", "\n"))
    filled = await fill(typist, question(*fields), *steps)
    assert filled.fields == {"REPLACES": "T3", "SOLE": "this", "Content": "Tea."}
    assert "T3  Bull, draft" in typist.out.getvalue()
    dialogue = (("Whisper", "Psst.\n"), ("", "\n"), ("WhisperTo", "\n"), ("is required.*WhisperTo", "2\n"))
    filled = await fill(typist, question(*fields), *dialogue, *steps[1:])
    assert (filled.fields["Whisper"], filled.fields["WhisperTo"]) == ("Psst.", "Cy")


async def test_an_answer_that_cannot_be_used_as_a_whole_is_asked_for_again(typist: Typist) -> None:
    points = Field(name="V", kind="number", required=False)
    filled = await fill(typist, question(points), ("V", "\n"), ("Why", "\n"), ("is empty.*V", "3\n"), ("Why", "\n"))
    assert filled.fields == {"V": 3}


BOARD = member_form(message(("HIRE", "NO_HIRE")), "Ada", ("Ada", "Bo", "Cy"))
REASONS = (("VerdictReasoning", "She can.\n"), ("", "\n"))
VERDICT = (("Cites", "verdict\n"), ("2  NO_HIRE", "1\n"), *REASONS)
GIVEN = {"Verdict": "HIRE", "VerdictReasoning": "She can."}
LEAVE = (("Cites.*Withdrawn", "6\n"), ("Withdrawn", "1\n"))
WHISPER = (("Cites", "3\n"), ("Whisper", "Psst.\n"), ("", "\n"), ("WhisperTo", "2\n"))
REFUSED = (("Cites", "Withdrawn\n"), ("'Withdrawn'; it must be .*Cites", "2\n"), ("Thoughts", "Hm.\n"), ("", "\n"))


@pytest.mark.parametrize(
    ("form", "steps", "fields"),
    [
        (BOARD, (), {}),
        (BOARD, VERDICT, GIVEN),
        (BOARD, (VERDICT[0], ("2  NO_HIRE", "\n")), {}),
        (BOARD, (*VERDICT, *LEAVE), {**GIVEN, "Withdrawn": True}),
        (BOARD, WHISPER, {"Whisper": "Psst.", "WhisperTo": "Cy"}),
        (BOARD, REFUSED, {"Thoughts": "Hm."}),
        (form_with_verdict(BOARD), (("Withdrawn", "7\n"), ("Withdrawn", "yes\n")), {"Withdrawn": True}),
    ],
)
async def test_what_may_be_left_out_is_asked_for_by_name_where_there_is_much(
    typist: Typist, form: Form, steps: tuple[tuple[str, str], ...], fields: dict[str, Value]
) -> None:
    rows = (("Content", "Tea.\n"), ("", "\n"))
    filled = await fill(typist, question(form=form), *rows, *steps, (r"Anything else\?", "\n"))
    assert filled == Filled(fields={"Content": "Tea.", **fields})
    assert "Anything else?  type the number or the words · press Enter if not" in typist.out.getvalue()
    assert "3  Whisper  words for one member alone, if any" in typist.out.getvalue()


async def test_what_must_be_said_comes_first_where_there_is_much(typist: Typist) -> None:
    steps = (("Content", "Tea.\n"), ("", "\n"), ("2  NO_HIRE", "2\n"), *REASONS, (r"Anything else\?", "\n"))
    filled = await fill(typist, question(form=bound_to_judge(BOARD)), *steps)
    assert filled.fields == {**GIVEN, "Verdict": "NO_HIRE", "Content": "Tea."}


async def test_a_field_that_a_choice_makes_necessary_cannot_be_left_out(typist: Typist) -> None:
    steps = (("SUMMARY", "All said.\n"), ("", "\n"))
    settled = (("STATUS", "1\n"), ("DECISION", "\n"), ("is required.*DECISION", "Tea.\n"), ("", "\n"))
    filled = await fill(typist, question(form=SETTLEMENT), *steps, *settled)
    assert filled.fields == {"SUMMARY": "All said.", "STATUS": "SETTLED", "DECISION": "Tea."}
    shown = typist.out.getvalue().count("DECISION")
    filled = await fill(typist, question(form=SETTLEMENT), *steps, ("STATUS", "2\n"))
    assert filled.fields == {"SUMMARY": "All said.", "STATUS": "CONTINUE"}
    assert typist.out.getvalue().count("DECISION") == shown
