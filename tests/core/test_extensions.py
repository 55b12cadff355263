"""Options of extensions: which values a declared option takes, and the sentence for each that it does not take."""

from dataclasses import dataclass

import pytest

from folkmoot.core.ask import Value
from folkmoot.core.errors import ProtocolError
from folkmoot.core.extensions import check_options, option, options_of, takes_options


@dataclass(frozen=True)
class Settings:
    quick: bool = option(False, help="whether it hurries")
    rounds: int = option(2, help="how many rounds", low=1, high=5)
    share: float = option(0.5, help="the share that is needed", low=0)
    tone: str = option("calm", help="how all speak", choices=("calm", "sharp"))
    hats: tuple[str, ...] = option(("white",), help="the hats", low=1, high=2, choices=("white", "red", "black"))


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("quick", True, True),
        ("rounds", 3.0, 3),
        ("share", 1, 1.0),
        ("tone", "sharp", "sharp"),
        ("hats", "red", ("red",)),
        ("hats", ("red", "white"), ("red", "white")),
    ],
)
def test_a_value_that_fits_is_taken(name: str, value: Value, expected: Value) -> None:
    assert check_options(Settings, {name: value}, whose="hats", where="options") == {name: expected}


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("quick", 1, "options.quick is 1; it must be yes or no"),
        ("rounds", "two", "options.rounds is 'two'; it must be a whole number"),
        ("rounds", True, "options.rounds is True; it must be a whole number"),
        ("rounds", 9, "options.rounds must have at least 1 and at most 5, not 9"),
        ("share", -1, "options.share must have at least 0, not -1"),
        ("tone", 3, "options.tone is 3; it must be a text"),
        ("tone", "loud", "options.tone cannot be 'loud'"),
        ("hats", 3, "options.hats is 3; it must be a list of texts"),
        ("hats", ("red", "green"), "options.hats cannot be 'green'"),
        ("hats", ("red", "white", "black"), "options.hats must have at least 1 and at most 2 entries, not 3"),
        ("hat", "red", "hats has no option 'hat'; did you mean 'hats'"),
    ],
)
def test_a_value_that_does_not_fit_is_told(name: str, value: Value, sentence: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        check_options(Settings, {name: value}, whose="hats", where="options")
    assert str(caught.value).startswith(sentence), caught.value
    assert caught.value.about == f"options.{name}"


def test_what_declares_nothing_has_no_options() -> None:
    assert options_of(int) == {}
    with pytest.raises(ProtocolError, match="int has no option 'a'; it has none"):
        check_options(int, {"a": 1}, whose="int", where="options")


def test_what_takes_options_can_be_called_with_their_defaults() -> None:
    @takes_options(Settings)
    def speak(word: str, options: Settings) -> str:
        return f"{word} {options.tone} {options.rounds}"

    assert speak("hello") == "hello calm 2"
