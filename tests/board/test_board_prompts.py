"""What members and timekeeper of a board read, to the letter."""

from collections.abc import Mapping

from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief, Participant, Source
from folkmoot.phases.choices import Choices
from folkmoot.protocols.known import build
from folkmoot.testing.replay import Harness
from tests.agents.prompts import prompt
from tests.kits.players import Player
from tests.paths import GOLDEN

EXPECTED = GOLDEN / "board-prompts.txt"
PEOPLE = (
    Participant(name="Ann", role="Statistics", persona="Personality: calm\nExpertise: Statistics"),
    Participant(name="Bob", persona="Personality: bold"),
    Participant(name="Tick", role="Keeps the time", duty="moderator"),
)


async def test_the_prompts_of_a_board() -> None:
    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        if ask.to == "Tick" or ask.act == "verdict":
            return {}
        first = sum(question.to == ask.to for question, _ in player.asked) == 1
        more: dict[str, Value] = {"Thoughts": "hm", "Whisper": "psst", "WhisperTo": "Bob", "Artifacts": "# Costs\n1, 2"}
        return {"Speaker": ask.to, "Content": f"{ask.to} speaks.", **(more if first and ask.to == "Ann" else {})}

    player = Player(script)
    brief = Brief(
        topic="Hire Kim?",
        background=(Source(name="cv.md", text="24 papers."),),
        rules="Name the line.",
        participants=PEOPLE,
        options=("HIRE", "NO_HIRE"),
        seed=2,
    )
    place = Harness(brief=brief, protocol=build("board", brief, Choices(rounds=3)), name="board")
    await place.run(dict.fromkeys([person.name for person in PEOPLE], player))
    asks = {ask.key.removeprefix("/debate/"): ask for ask, _ in player.asked}
    text = "".join(
        f"######## {key}: {ask.to}\n\n{prompt(player, key)}\n\n" for key, ask in asks.items() if key in SHOWN
    )
    assert text == EXPECTED.read_text("utf-8")


SHOWN = ("meeting#1", "meeting#2", "meeting#3", "meeting#5", "recommend#1")
"""The first messages, one that answers them, the timekeeper's first words, and a last word."""
