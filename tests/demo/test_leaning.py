"""Good and bad news, and who argues for what."""

import pytest

from folkmoot.core.brief import Duty, Participant
from folkmoot.core.text import stems
from folkmoot.demo.material import argued_points, polarity, side, valence


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("The cost fell by half.", 1),
        ("The cost grew by half.", -1),
        ("The cost is known.", 0),
        ("Revenue grew.", 1),
        ("Revenue fell.", -1),
        ("Buying is cheaper.", 1),
        ("It finished late.", -1),
        ("Fewer delays were reported.", 1),
        ("It passed without a failure.", 1),
        ("It is not reliable.", -1),
        ("It isn't reliable.", -1),
        ("The team has lost nobody.", 1),
        ("The history could not be read.", -1),
        ("No change could be launched.", -1),
        ("It could be launched.", 0),
        ("An outage would have been prevented.", 1),
        ("The depot has nine doors.", 0),
        ("", 0),
    ],
)
def test_news(text: str, sign: int) -> None:
    count = valence(stems(text))
    assert (count > 0) - (count < 0) == sign
    assert -1 < count < 1


@pytest.mark.parametrize(
    ("name", "role", "persona", "wanted"),
    [
        ("Bull", "", "", 1),
        ("Bear", "Optimistic investor", "", -1),
        ("A", "Optimistic investor", "You argue against it.", 1),
        ("A", "Cautious risk analyst", "", -1),
        ("A", "Devil's advocate", "", -1),
        ("A", "Advocate of the depot", "", 1),
        ("A", "Customer support lead", "You look for growth.", 0),
        ("A", "", "You argue for the depot.", 1),
        ("A", "", "You oppose the depot.", -1),
        ("A", "", "You are not against the depot.", 1),
        ("A", "", "You prefer team days.", 0),
        ("No", "", "", -1),
    ],
)
def test_sides(name: str, role: str, persona: str, wanted: int) -> None:
    assert side(Participant(name=name, role=role, persona=persona)) == wanted


def test_a_moderator_takes_no_side() -> None:
    duty: Duty = "moderator"
    assert side(Participant(name="Bear", persona="You oppose it.", duty=duty)) == 0


def test_pleas_go_by_the_sentence() -> None:
    who = Participant(name="A", role="Buyer", persona="You prefer the hall. You oppose the depot. You know the city.")
    assert [(count, "hall" in words, "depot" in words) for count, words in argued_points(who)] == [
        (1, True, False),
        (-1, False, True),
    ]


@pytest.mark.parametrize(
    ("option", "wanted"),
    [("Yes", 1), ("no", -1), ("Approve it", 1), ("reject", -1), ("do not build", -1), ("no change", -1), ("build", 0),
     ("hire the first one", 0), ("", 0)],
)  # fmt: skip
def test_polarity(option: str, wanted: int) -> None:
    assert polarity(option) == wanted
