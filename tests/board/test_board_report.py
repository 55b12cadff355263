"""What a report says of a board: verdicts and their changes, artifacts and citations, whispers, messages in short."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from folkmoot.answers.layout import read
from folkmoot.core.agent import Context
from folkmoot.core.ask import ABSTAIN, Ask, Value
from folkmoot.core.brief import Brief, Participant, Source
from folkmoot.core.labels import act_of
from folkmoot.core.transcript import Transcript
from folkmoot.phases.choices import Choices
from folkmoot.protocols.known import build
from folkmoot.report.conclusion import Attachment, Whisper, board
from folkmoot.report.logs import write
from folkmoot.report.markdown import markdown
from folkmoot.report.report import Report, as_data, report
from folkmoot.report.turn_text import Speech, parted, speak
from folkmoot.testing.replay import Harness, HeldDebate
from tests.kits.players import Player

OPTIONS = ("HIRE", "NO_HIRE")
PEOPLE = (*(Participant(name=name) for name in ("Ann", "Bob", "Cy")), Participant(name="Tick", duty="moderator"))

ANN: tuple[Mapping[str, Value], ...] = (
    {"Content": "First.", "Verdict": "NO_HIRE", "VerdictReasoning": "a gap", "Thoughts": "hm", "SpeakingTo": "Bob"},
    {"Content": "Second.", "Verdict": "HIRE", "VerdictReasoning": "gap | closed", "Artifacts": "# Costs\n1, 2"},
    {"Content": "Third.", "Withdrawn": True, "Cites": ("cv.md", "A99"), "SpeakingTo": "all"},
)
BOB: tuple[Mapping[str, Value], ...] = (
    {"Content": "Me.", "Withdrawn": True, "Whisper": "see\nthe gap", "WhisperTo": "Ann"},
    {"Content": "Me again.", "Verdict": "NO_HIRE", "Whisper": "anyone?"},
    {"Content": "Bye.", "Withdrawn": True, "Cites": ("a2.", "A2", "CV.md")},
)


async def hold(ann: tuple[Mapping[str, Value], ...] = ANN, bob: tuple[Mapping[str, Value], ...] = BOB) -> HeldDebate:
    """Ann and Bob say these; Cy never answers; what is said is said in the order of asking."""

    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        n = sum(question.to == ask.to for question, _ in player.asked) - 1
        rows = {"Ann": ann, "Bob": bob}.get(ask.to, ())
        if ask.to == "Tick":
            return {}
        if ask.act == "verdict":
            return {"Verdict": ABSTAIN} if ask.to == "Bob" else None
        return rows[min(n, len(rows) - 1)] if rows else None

    player = Player(script)
    background = (Source(name="cv.md", text="Papers."),)
    brief = Brief(topic="Hire Kim?", background=background, participants=PEOPLE, options=OPTIONS, seed=11)
    place = Harness(brief=brief, protocol=build("board", brief, Choices(rounds=3)), name="board")
    return await place.run(dict.fromkeys([person.name for person in PEOPLE], player))


def reported(debate: HeldDebate) -> Report:
    return report(debate.entries, debate="d")


async def test_the_findings_of_a_board() -> None:
    debate = await hold()
    board_state = board(debate.transcript)
    assert board_state
    ann, bob, cy = board_state.members
    assert [given_verdict.verdict for given_verdict in ann.history] == ["NO_HIRE", "HIRE"]
    assert (ann.verdict, bool(ann.withdrawn), ann.messages) == ("HIRE", True, 3)
    assert (bob.verdict, len(bob.refused), bool(bob.withdrawn)) == ("NO_HIRE", 1, True)
    assert (cy.verdict, cy.absent, cy.messages) == ("", True, 0)
    assert board_state.split
    turns = {turn.text.split()[-1]: turn for turn in debate.transcript.turns("argue")}
    by = {name: [turn for turn in turns.values() if turn.by == name] for name in ("Ann", "Bob")}
    costs, leave = by["Ann"][1], by["Bob"][2]
    mark = costs.mark.replace("T", "A")
    assert board_state.attachments == (
        Attachment(mark=mark, by="Ann", title="Costs", text="# Costs\n1, 2", cited=_cited(debate)),
    )
    assert ("A99" in [words for _, _, words in board_state.unknown]) is True
    assert board_state.whispers == (
        Whisper(mark=by["Bob"][0].mark, by="Bob", to="Ann", text="see\nthe gap"),
        Whisper(mark=by["Bob"][1].mark, by="Bob", to="", text="anyone?"),
    )
    assert leave.fields["Withdrawn"] is True


def _cited(debate: HeldDebate) -> tuple[tuple[str, str], ...]:
    """Who cited what Ann attached, worked out from the record alone."""
    costs = next(turn for turn in debate.transcript.turns("argue", by="Ann") if "Artifacts" in turn.fields)
    wanted = f"a{costs.number}"
    rows: list[tuple[str, str]] = []
    for turn in debate.transcript.turns("argue"):
        cites = turn.fields.get("Cites", ())
        assert isinstance(cites, tuple)
        rows += [(turn.by, turn.mark) for words in cites if words.strip(".").casefold() == wanted]
    return tuple(rows)


async def test_what_is_no_board_has_no_findings() -> None:
    assert board(Transcript()) is None
    report_data = reported(await hold())
    assert as_data(report_data)["board"]


async def test_the_chapter_on_the_board() -> None:
    text = markdown(reported(await hold()))
    chapter = text.partition("## The board\n")[2].partition("\n## ")[0]
    assert "**The board is split.**" in chapter
    rows = [line for line in chapter.split("\n") if line.startswith("| ")]
    assert rows[0] == "| Member | Verdict | Reasons | Changes | Withdrew | Messages |"
    ann = rows[2].split(" | ")
    assert (ann[0], ann[1], ann[-1]) == ("| Ann", "HIRE", "3 |")
    assert "gap \\| closed" in rows[2]
    assert "NO_HIRE (T" in rows[2]
    assert rows[4].startswith("| Cy | none | – | – | absent | 0 |")
    assert "*Withdrawals without a verdict did not count: Bob (T" in chapter
    assert "Costs**, attached by Ann; not cited." in chapter
    assert "### Whispers\n\nOnly its author and the named member saw each whisper." in chapter
    assert "Bob to Ann: see the gap" in chapter
    assert "Bob to nobody in the debate: anyone?" in chapter
    assert "*Cited, but neither an artifact nor a document: " in chapter
    assert "- **Settings:** at most 3 messages for each member; at most 500 questions;" in text


async def test_a_tie_is_told_with_the_recommendation() -> None:
    text = markdown(reported(await hold()))
    assert "**It is a tie: nothing is decided.**" in text
    assert "The board is split and recommends nothing: HIRE 1, NO_HIRE 1." in text


async def test_an_abstention_and_an_artifact_that_nobody_cites() -> None:
    quiet: tuple[Mapping[str, Value], ...] = ({"Content": "Well."},)
    rows: tuple[Mapping[str, Value], ...] = (
        {"Content": "Look.", "Verdict": "HIRE", "Withdrawn": True, "Artifacts": "List"},
    )
    text = markdown(reported(await hold(rows, quiet)))
    assert "| Bob | abstained |" in text
    assert "**, attached by Ann; not cited." in text
    assert "### Whispers" not in text
    assert "split.**" not in text


async def test_a_message_is_called_one_in_every_text() -> None:
    """Whatever it was asked as: in the record it argues."""
    debate = await hold()
    first = debate.transcript.turns("argue")[0]
    (text,) = write("verbose", reported(debate), debate.entries).values()
    assert f"#### T1 {first.by}: message\n" in text
    assert f"### T1 {first.by}: message, Meeting\n" in text
    assert ": argument" not in text
    last = next(turn for turn in debate.transcript.all() if turn.act == "verdict")
    assert (act_of(first), act_of(last)) == ("message", "verdict")


async def test_messages_in_the_log_begin_with_what_is_said() -> None:
    debate = await hold()
    for mode in ("verbose", "json_log"):
        assert write(mode, reported(debate), debate.entries)
    fields = tuple((name, "yes" if value is True else str(value)) for name, value in ANN[0].items())
    assert parted(fields) == Speech(
        aside=("to Bob", "verdict: NO_HIRE"),
        words="First.",
        rest=(("Reasons", "a gap"), ("Thoughts, told nobody", "hm")),
    )
    whisper = (("SpeakingTo", "all"), ("Whisper", "psst"), ("WhisperTo", "Cy"), ("Withdrawn", "yes"), ("Content", "x"))
    assert parted(whisper) == Speech(aside=("withdraws",), words="x", rest=(("Whisper to Cy alone", "psst"),))


@pytest.mark.parametrize(
    ("words", "complete"),
    [
        (
            "<Message><Verdict>HIRE</Verdict><VerdictReasoning>So.</VerdictReasoning><Content>Yes, 3 &lt; 4.</Content></Message>",
            True,
        ),
        ('<Message id="T3" timestamp="now"><Artifacts></Artifacts>\n<Content>Yes.</Content></Message>', True),
        ("Well then. <Message><Content>Yes.</Content></Message>", False),
    ],
)
async def test_a_message_is_told_by_its_fields_where_they_hold_all_of_it(words: str, complete: bool) -> None:
    debate = await hold()
    turn = debate.transcript.turns("argue")[0]
    assert turn.ask
    assert turn.reply
    reading = read(turn.ask.form, words, speaker=turn.by)
    turn = replace(turn, reply=replace(turn.reply, text=words, fields={**reading.fields, "Content": "Yes, 3 < 4."}))
    spoken = speak(turn, debate.transcript, debate.transcript.brief or Brief(topic="?"), "")
    assert spoken.complete is complete
