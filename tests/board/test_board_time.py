"""The time of a board: reminders and deadlines come each in its own time, and what can be none is refused."""

import json
import re
from pathlib import Path

import pytest

from folkmoot.core.errors import ProtocolError
from folkmoot.protocols.board import Meeting, message
from tests.board.test_board import OPTIONS, nothing, order, play, reminders, runner
from tests.cli.commands import folkmoot

FORM = message(OPTIONS)


@pytest.mark.parametrize(
    ("every", "deadline", "reminded", "deadlines"),
    [(3, 5, [3, 5, 6, 9, 10], [5, 10]), (4, 8, [4, 8], [8]), (9, 2, [2, 4, 6, 8, 9, 10], [2, 4, 6, 8, 10])],
)
async def test_reminders_and_deadlines_come_each_in_its_own_time(
    every: int, deadline: int, reminded: list[int], deadlines: list[int]
) -> None:
    place = runner(3)
    place.protocol = Meeting(form=FORM, rounds=4, every=every, deadline=deadline)
    debate, player = await play(place, nothing)
    texts = reminders(player)
    assert [int(text.split()[2]) for text in texts] == reminded
    assert [int(text.split()[2]) for text in texts if "Deadline" in text] == deadlines
    assert "TT" not in order(player)
    assert not debate.transcript.halts


@pytest.mark.parametrize("name", ["every", "deadline"])
@pytest.mark.parametrize("messages", [0, -4])
def test_the_timekeeper_needs_messages_to_count(name: str, messages: int) -> None:
    with pytest.raises(ProtocolError, match=f"{name}: {messages} is not a number of at least 1"):
        Meeting(form=FORM, **{name: messages})  # pyright: ignore[reportArgumentType]


# ---- a brief and the command line set them --------------------------------------------------------------------------

BOARD = """\
---
protocol: board
{more}options: [HIRE, NO_HIRE]
rounds: 3
---
# Whom should we hire?

She led the sensor group for two years. She publishes little.

## Ann
role: Leads the laboratory

## Ben
role: Chairs the selection
"""


def spoke(folder: Path, *words: str) -> list[int]:
    """Run the board by the built-in debater; after how many messages of members the timekeeper spoke."""
    ran = folkmoot(folder, "run", "board.md", "-m", "builtin:quotes", "--json", "--no-report", *words)
    assert ran.exit_code == 0, ran.stderr
    lines = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
    items = [line["body"]["ask"] for line in lines if line["kind"] == "asked"]
    tasks = "\n".join(ask["task"] for ask in items if ask["act"] == "remind")
    return [int(number) for number in re.findall(r"So far (\d+) of", tasks)]


@pytest.mark.parametrize(
    ("more", "words", "times"),
    [
        ("", (), [4]),
        ("reminder_interval: 2\n", (), [2, 4]),
        ("reminder_interval: 5\ndeadline_interval: 3\n", (), [3, 5]),
        ("", ("--set", "reminder_interval=2"), [2, 4]),
        ("reminder_interval: 5\n", ("--set", "reminder_interval=1", "--set", "deadline_interval=2"), [1, 2, 3, 4, 5]),
    ],
)
def test_a_brief_and_the_command_line_set_the_intervals(
    tmp_path: Path, more: str, words: tuple[str, ...], times: list[int]
) -> None:
    (tmp_path / "board.md").write_text(BOARD.replace("{more}", more), "utf-8")
    assert spoke(tmp_path, *words) == times


@pytest.mark.parametrize(
    ("more", "words", "message"),
    [
        ("reminder_interval: 0\n", (), "board.md:3: reminder_interval must be from 1 to 200, not 0"),
        (
            "deadline_interval: soon\n",
            (),
            "board.md:3: deadline_interval is 'soon'; it must be a whole number",
        ),
        ("every: 2\n", (), "board.md:3: there is no key 'every' in a header; did you mean 'reminder_interval'?"),
        ("", ("--set", "reminder_interval=201"), "--set: reminder_interval must be from 1 to 200, not 201"),
        ("", ("--set", "reminder_interval"), "--set: 'reminder_interval' is not a setting; write KEY=VALUE"),
        ("", ("--set", "reminder=2"), "--set: there is no key 'reminder' to set; did you mean 'reminder_interval'?"),
        ("", ("--set", "limits=2"), "--set: there is no key 'limits' to set"),
        ("", ("--set", "seed=[1"), "--set: "),
        ("", ("--set", "turn_mode=random", "--set", "turn_mode=random"), "--set: turn_mode is set twice; keep one"),
        (
            "",
            ("--protocol", "panel", "--set", "reminder_interval=2"),
            "panel does not support reminder_interval; board does",
        ),
        (
            "",
            ("--protocol", "council", "--set", "deadline_interval=2"),
            "council does not support deadline_interval; board does",
        ),
    ],
)
def test_what_cannot_be_is_one_clear_sentence(tmp_path: Path, more: str, words: tuple[str, ...], message: str) -> None:
    (tmp_path / "board.md").write_text(BOARD.replace("{more}", more), "utf-8")
    ran = folkmoot(tmp_path, "check", "board.md", "-m", "builtin:quotes", *words)
    assert message in ran.stderr
    assert (ran.exit_code, ran.stderr.count("\n")) == (2, 1)


def test_any_setting_of_a_header_can_be_set(tmp_path: Path) -> None:
    ran = folkmoot(
        tmp_path, "check", "--normalised", "Tea or coffee?", "--set", "protocol=round_robin",
        "--set", "options=[tea, coffee]", "--set", "limits.cost=0.5", "--set", "language=German",
    )  # fmt: skip
    assert ran.exit_code == 0, ran.stderr
    for line in ('protocol: "round_robin"', "- tea\n- coffee", "cost: 0.5", 'language: "German"'):
        assert line in ran.stdout
