"""The time of a board: reminders and deadlines come each in its own time, and what can be none is refused."""

import pytest

from moot.core.errors import ProtocolError
from moot.protocols.board import Meeting, message
from tests.board.test_board import OPTIONS, nothing, order, play, reminders, runner

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
    held, player = await play(place, nothing)
    told = reminders(player)
    assert [int(each.split()[2]) for each in told] == reminded
    assert [int(each.split()[2]) for each in told if "Deadline" in each] == deadlines
    assert "TT" not in order(player)
    assert not held.transcript.halts


@pytest.mark.parametrize("name", ["every", "deadline"])
@pytest.mark.parametrize("messages", [0, -4])
def test_the_timekeeper_needs_messages_to_count(name: str, messages: int) -> None:
    with pytest.raises(ProtocolError, match=f"{name}: {messages} is not a number of at least 1"):
        Meeting(form=FORM, **{name: messages})  # pyright: ignore[reportArgumentType]
