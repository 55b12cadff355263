"""The rules by which a brief counts: options where there are none, and a rule that cannot be stored."""

from importlib.metadata import EntryPoint

import pytest

from folkmoot.core.ask import Ask, Field, Form, Reply
from folkmoot.core.errors import ProtocolError
from folkmoot.core.extensions import RULE, Kind, Offer
from folkmoot.core.transcript import Transcript, Turn
from folkmoot.phases import choices, ranked_vote
from folkmoot.phases.choices import Choices, CountingRule, counting_rule
from tests.kits.codes import coded


class Odd:
    """No dataclass, so it cannot be stored."""


ODD = CountingRule(rule=Odd())  # pyright: ignore[reportArgumentType]


def test_a_built_in_rule_takes_no_options() -> None:
    with pytest.raises(ProtocolError, match="plurality has no strategy_options"):
        counting_rule("plurality", {"finalists": 2})


def test_a_rule_that_cannot_be_stored_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint(name="odd", group=RULE.group, value=f"{__name__}:ODD")

    def find(kind: Kind, name: str) -> Offer:
        return Offer(kind=kind, point=point)

    monkeypatch.setattr(choices, "find", find)
    with pytest.raises(ProtocolError, match="its rule is not a dataclass, so it cannot be stored"):
        counting_rule("odd")


def test_options_are_told_in_words() -> None:
    texts = Choices(protocol_options={"quick": True, "slow": False, "hats": ("red", "white")}).in_words()
    assert texts == ("quick yes", "slow no", "hats red, white")


def test_a_score_that_could_not_be_read_makes_the_ballot_unreadable() -> None:
    form = Form(name="ranking", fields=(Field(name="SCORE A", kind="number"),))
    ask = Ask(key="k", to="Cy", act="vote", task="Score.", form=form, about=("a",))
    turn = Turn(key="k", by="Cy", act="vote", ask=ask, reply=Reply(text="Hm.", unread=coded(["SCORE A: no_form"])))
    ballot = ranked_vote._read(turn, Transcript())  # pyright: ignore[reportPrivateUsage]
    assert ballot.state == "unread"
