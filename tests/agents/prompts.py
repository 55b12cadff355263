"""What a model reads, as one text, shared by the tests of formats."""

from folkmoot.agents.prompt import compose
from folkmoot.models.base import Traits
from tests.kits.players import Player


def prompt(player: Player, key: str) -> str:
    """All messages of the ask whose key ends so, each behind its role."""
    ask, context = next((ask, context) for ask, context in player.asked if ask.key.endswith(key))
    return "\n\n".join(f"<{message.role}>\n{message.text}" for message in compose(ask, context, Traits()))


def check_words(text: str, expected: str) -> None:
    """Check that each paragraph stands in a prompt, in this order; what every prompt has is not among them."""
    place = 0
    for paragraph in expected.strip("\n").split("\n\n"):
        found = text.find(paragraph.strip("\n"), place)
        assert found >= 0, f"this is not in the prompt, or not in its place:\n{paragraph}\n\nthe prompt:\n{text}"
        place = found + len(paragraph)
