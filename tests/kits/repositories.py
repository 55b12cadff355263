"""A git repository of one's own for a test, with nothing of the machine's owner in it."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class GitRepository:
    """A repository in a folder."""

    folder: Path

    def git(self, *arguments: str) -> str:
        """What git prints."""
        names = ("user.name=Ann", "user.email=ann@example.org", "commit.gpgsign=false", "init.defaultBranch=main")
        settings = [part for name in names for part in ("-c", name)]
        env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        command = ["git", *settings, *arguments]
        return subprocess.run(command, cwd=self.folder, env=env, check=True, capture_output=True, text=True).stdout

    def write(self, path: str, text: str | bytes) -> None:
        """Write a file."""
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode() if isinstance(text, str) else text)

    def commit(self, **files: str) -> str:
        """Commit these files, each named with ``__`` for a dot; the id of the commit."""
        for name, text in files.items():
            self.write(name.replace("__", "."), text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "a change")
        return self.git("rev-parse", "HEAD").strip()


def new_repository(folder: Path) -> GitRepository:
    """A repository without commits."""
    folder.mkdir(parents=True, exist_ok=True)
    repository = GitRepository(folder)
    repository.git("init", "--quiet")
    return repository
