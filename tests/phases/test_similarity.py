"""The similarity helper is asked only once there is something to compare."""

from folkmoot.core.brief import Brief
from folkmoot.core.transcript import Transcript
from folkmoot.phases.base import State
from folkmoot.phases.helpers import Liken


def test_nobody_is_asked_where_nothing_was_said() -> None:
    state = State(brief=Brief(topic="Tea?"), transcript=Transcript())
    assert list(Liken(who="similarity", acts=("draft",)).play(state)) == []
