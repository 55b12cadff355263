"""A program's agent for the tests of the patterns: a function from a prompt to words, which keeps every prompt."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.cli.commands import settle

Speech = Callable[[str, str, int], str]
"""Who speaks, what is asked, and how often that one has been asked, from 1; gives the words or raises."""


class Agent:
    """An agent that answers by a function of who speaks; the engine may ask it from several tasks."""

    def __init__(self, speech: Speech) -> None:
        self.speech = speech
        self.heard: list[tuple[str, str]] = []

    async def __call__(self, prompt: str) -> str:
        who = re.findall(r"^You are ([^,.\n]+?)(?:[,.]|$)", prompt, re.MULTILINE)[-1]
        self.heard.append((who, prompt))
        return self.speech(who, prompt, sum(name == who for name, _ in self.heard))

    def prompts(self, who: str) -> list[str]:
        """The prompts that somebody was given, in order."""
        return [prompt for name, prompt in self.heard if name == who]


def chaired(reviews: Sequence[str], argue: Speech = lambda who, prompt, n: f"{who} argues, {n}.") -> Agent:
    """Debaters who argue, and a moderator who says these reviews in turn, the last one from then on."""

    def speak(who: str, prompt: str, n: int) -> str:
        return reviews[min(n, len(reviews)) - 1] if who == "Moderator" else argue(who, prompt, n)

    return Agent(speak)


def own_place(folder: Path, patch: pytest.MonkeyPatch) -> Path:
    """A folder in which nothing of the machine's owner is used; the file of the record in it."""
    for name, value in settle(folder).items():
        patch.setenv(name, value)
    patch.chdir(folder)
    return folder / "folkmoot.sqlite"
