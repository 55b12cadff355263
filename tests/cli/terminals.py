"""Terminals for tests: a process on one of its own, and somebody who types at one of this process."""

import asyncio
import io
import os
import pty
import re
import select
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console

from folkmoot.app.program.in_place import Keyboard
from tests.cli.commands import settle
from tests.kits.processes import start_module

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
CTRL_C, CTRL_D = "\x03", "\x04"


def terminal_env(folder: Path, **more: str) -> dict[str, str]:
    return {**settle(folder), "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "30", **more}


class Terminal:
    """A process on a terminal of its own."""

    def __init__(self, words: Sequence[str], env: dict[str, str], folder: Path) -> None:
        self.ours, theirs = pty.openpty()
        self.shown = ""
        self.read = 0
        self.process = start_module(["folkmoot", *words], folder, env, (theirs, theirs, theirs))
        os.close(theirs)

    def read_until(self, met: Callable[[str], bool], seconds: float = 120) -> str:
        """What the terminal shows, until something is met or the process ends."""
        ends = time.monotonic() + seconds
        while not met(self.shown):
            assert time.monotonic() < ends, self.shown[-2000:]
            if not select.select([self.ours], [], [], 0.2)[0]:
                continue
            try:
                piece = os.read(self.ours, 65536)
            except OSError:
                break
            self.shown += piece.decode("utf-8", "replace")
        return self.shown

    def type(self, after: str, words: str) -> None:
        """Type words once a prompt stands behind something that was shown since the last words."""
        self.wait(after)
        os.write(self.ours, words.encode())

    def wait(self, after: str = "") -> None:
        """Wait for a prompt behind something that was shown since the last one."""

        def prompted(shown: str) -> bool:
            return bool(re.search(f"{after}.*> $", ESCAPES.sub("", shown[self.read :]), re.DOTALL))

        assert prompted(self.read_until(prompted)), self.shown
        self.read = len(self.shown)

    def end(self) -> int:
        """Read to the end; the exit code."""
        self.read_until(lambda _: False)
        os.close(self.ours)
        return self.process.wait(120)

    @property
    def words(self) -> str:
        """What was shown, in one line."""
        return " ".join(ESCAPES.sub("", self.shown).split())


class Typist:
    """Somebody at a terminal of this process."""

    def __init__(self) -> None:
        self.ours, self.theirs = pty.openpty()
        self.out = io.StringIO()
        self.console = Console(file=self.out, width=80, color_system=None, highlight=False, markup=False, emoji=False)
        self.keyboard = Keyboard(self.theirs)

    async def type(self, *steps: tuple[str, str]) -> None:
        """Type words, each once a prompt stands behind something that was shown since the words before."""
        read = 0
        for after, words in steps:
            prompt = re.compile(f"{after}.*> $", re.DOTALL)
            await self._until(lambda shown, prompt=prompt, read=read: bool(prompt.search(shown, read)))
            read = len(self.out.getvalue())
            self.write(words)

    async def see(self, words: str) -> None:
        """Wait until something is shown."""
        await self._until(lambda shown: words in shown)

    async def _until(self, met: Callable[[str], bool]) -> None:
        for _ in range(12_000):  # a minute: machines can be busy
            if met(self.out.getvalue()):
                return
            await asyncio.sleep(0.005)
        raise AssertionError(self.out.getvalue())

    def write(self, words: str) -> None:
        """Type, whatever is shown."""
        os.write(self.ours, words.encode())

    def hang_up(self) -> None:
        """Close the terminal's window."""
        os.close(self.ours)
        self.ours = -1

    def close(self) -> None:
        """Give the terminal back."""
        for number in (self.ours, self.theirs):
            if number >= 0:
                os.close(number)
