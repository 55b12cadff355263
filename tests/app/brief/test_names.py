"""Names of participants: which there can be, and which look alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.app.brief.default_participants import DEFAULT_DEBATERS, MODERATOR, debaters
from folkmoot.app.brief.names import MOST, RESERVED, check_name, free_name, is_moderator_name, skeleton
from folkmoot.core.errors import BriefError

GOOD = [
    ("Ada", "Ada"),
    ("  Ada  Lovelace ", "Ada Lovelace"),
    ("Dr. Chen", "Dr. Chen"),
    ("O\u2019Brien", "O'Brien"),
    ("Jean-Luc", "Jean-Luc"),
    ("R&D", "R&D"),
    ("Bob (Finance)", "Bob (Finance)"),
    ("agent_2", "agent_2"),
    ("7", "7"),
    ("T-1000", "T-1000"),
    ("Opener", "Opener"),
    ("Round Table", "Round Table"),
    ("E\u0301va", "Éva"),
    ("Владимир", "Владимир"),
    ("李雷", "李雷"),
    ("अनन्या", "अनन्या"),
    ("محمد", "محمد"),
    ("NO", "NO"),
    ("Ann\u200b", "Ann"),
    ("x" * MOST, "x" * MOST),
]


@pytest.mark.parametrize(("text", "name"), GOOD)
def test_names(text: str, name: str) -> None:
    assert check_name(text) == name


BAD = [
    ("", "empty"),
    ("   ", "empty"),
    ("\u202e", "empty"),
    ("x" * (MOST + 1), "41 characters"),
    ("Ann\nBob", "not allowed"),
    ("Ann; I vote for: X", "not allowed"),
    ("<b>Ann</b>", "not allowed"),
    ("**Ann**", "not allowed"),
    ("[Ann](x)", "not allowed"),
    ("Ann/Bob", "not allowed"),
    ("Ann`", "not allowed"),
    ('"Ann"', "not allowed"),
    ("Ann#1", "not allowed"),
    ("Ann\u00b2", "not allowed"),
    ("Ann 😀", "not allowed"),
    ("a,b", "not allowed"),
    ("...", "no letter"),
    ("&", "no letter"),
    ("None", "another meaning"),
    ("No one", "another meaning"),
    ("ABSTAIN", "another meaning"),
    ("\uff21bstain", "another meaning"),
    ("Аbstain", "another meaning"),  # a Cyrillic A
    ("System", "another meaning"),
    ("user", "another meaning"),
    ("Assistant", "another meaning"),
    ("All", "another meaning"),
    ("Nobody", "another meaning"),
    *((word, "another meaning") for word in ("T1", "t12", "Proposal A", "critique b", "Participant 2", "Round 1")),
    *((word, "another meaning") for word in ("Bob round 1", "Open", "Critique", "Summarize")),
    ("every-body", "another meaning"),
]


@pytest.mark.parametrize(("text", "reason"), BAD)
def test_what_is_no_name(text: str, reason: str) -> None:
    with pytest.raises(BriefError, match=reason) as caught:
        check_name(text, line=4)
    assert (caught.value.code, caught.value.line) == ("bad_name", 4)


@pytest.mark.parametrize("text", ["../ann", "/etc/passwd", "\\\\host\\x", "C:\\ann", "a/../b"])
def test_a_path_is_no_name(text: str) -> None:
    with pytest.raises(BriefError) as caught:
        check_name(text)
    assert caught.value.code == "unsafe_path"


TWINS = [
    ("Ann", "ann"),
    ("Ann", "Аnn"),  # Cyrillic
    ("Anton", "Αntοn"),  # Greek
    ("Ann", "Ann"),  # full width
    ("Ann", "A\u200bn\u00adn"),
    ("Ann Lee", "Ann-Lee"),
    ("Ann", "Ann."),
    ("Agent 1", "Agent l"),
    ("A0", "AO"),
    ("Éva", "E\u0301va"),
    ("Strasse", "Straße"),
    ("Peter", "Реtеr"),
    ("HBO", "НВО"),
    ("gina", "ɡına"),
]


@pytest.mark.parametrize(("one", "other"), TWINS)
def test_look_alikes(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(
    ("one", "other"), [("Ann", "Anna"), ("Ann", "Änn"), ("Bull", "Bill"), ("Ян", "Ann"), ("A1", "A2")]
)
def test_names_that_differ(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)


@given(st.text(max_size=50))
def test_a_name_that_is_accepted_is_safe_everywhere(text: str) -> None:
    try:
        name = check_name(text)
    except BriefError:
        return
    assert check_name(name) == name
    assert name == name.strip()
    assert name.isprintable()
    assert 1 <= len(name) <= MOST
    assert not set(name) & set('<>"`*[]/\\:;,#!|\n\r\t')
    assert skeleton(name) not in RESERVED | {""}


def test_who_moderates_by_name() -> None:
    assert all(is_moderator_name(text) for text in ("Moderator", "MEDIATOR", "Judge", "Chair"))
    assert is_moderator_name("moderator", surely=True)
    assert not is_moderator_name("Judge", surely=True)
    assert not is_moderator_name("Judge Dredd")


def test_the_built_in_participants() -> None:
    names = [participant.name for participant in (*DEFAULT_DEBATERS, MODERATOR)]
    assert [check_name(name) for name in names] == names
    assert len({skeleton(name) for name in names}) == len(names) == 11
    assert (
        len({default_debater.persona for default_debater in DEFAULT_DEBATERS})
        == len({default_debater.role for default_debater in DEFAULT_DEBATERS})
        == 10
    )
    assert all(
        default_debater.duty == "debater" and 80 < len(default_debater.persona) < 400 and default_debater.role
        for default_debater in DEFAULT_DEBATERS
    )
    assert MODERATOR.duty == "moderator"
    assert [len(debaters(count)) for count in range(2, 11)] == list(range(2, 11))
    assert debaters() == debaters(3) == debaters(10)[:3]


@pytest.mark.parametrize("count", [-1, 0, 1, 11])
def test_no_such_number_of_debaters(count: int) -> None:
    with pytest.raises(ValueError, match="2 to 10"):
        debaters(count)


def test_there_is_always_a_free_name() -> None:
    names = ("Librarian", "Archivist")
    assert free_name(names, ()) == "Librarian"
    assert free_name(names, ("L\u0456brarian",)) == "Archivist"  # a Cyrillic letter in it
    used = ("Librarian", "Archivist", "Librarian 2", "LIBRARIAN 3", "Librarian4")
    assert free_name(names, used) == "Librarian 5"
