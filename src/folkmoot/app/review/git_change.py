"""Git, called so that no setting of a repository starts a program: no hooks, filters, drivers, pagers or transports.

Git gets a list of arguments, never a line for a shell. What a user names is resolved to the id of a commit first, so it
can be no option. Nothing is written: no index, no object, no file.
"""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from folkmoot.core.errors import BriefError
from folkmoot.core.text import clean, clip
from folkmoot.reviews.artefact import ReviewedFile, shown_path
from folkmoot.reviews.diff_reader import files_of, read_diff

SETTINGS: Mapping[str, str] = {
    "core.quotePath": "true",
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.sshCommand": "false",
    "core.askPass": "",
    "credential.helper": "",
    "diff.external": "",
    "diff.ignoreSubmodules": "dirty",
    "protocol.allow": "never",
}
"""What holds in the place of the repository's own settings."""

DIFF = (
    *("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "-U12", "-O/dev/null"),
    *("--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--ignore-submodules=dirty"),
)
"""The one way in which a diff is asked for."""

BASES = ("origin/HEAD", "main", "master", "HEAD")
"""Where a branch is taken to have begun, the first one that there is."""

FILTER_ENDS = ("clean", "smudge", "process", "required")
SECONDS = 120.0
WORKTREE = ""
"""The new side of a change that is not committed."""

MOST_WORDS = 20_000
"""The most characters of commit messages."""

INDEX = ":"
"""The new side of a change that is staged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change in a repository.

    Attributes:
        files: its files, as they are reviewed.
        base: the id of the commit that it begins at.
        head: the id of the commit that it leads to, or that the work tree is based on.
        untracked: the files that git does not know, which are left out.
        words: what the messages of its commits say.
    """

    files: tuple[ReviewedFile, ...]
    base: str
    head: str
    untracked: tuple[str, ...] = ()
    words: str = ""


class Repository:
    """The repository around a folder.

    Raises:
        BriefError: there is none, or git is not installed.
    """

    def __init__(self, folder: Path) -> None:
        self._env = _environment({})
        self._folder = folder
        self.root = Path(os.fsdecode(self._top()).rstrip("\n"))
        self._folder = self.root
        self._env = _environment(dict(self._without_filters()))

    def _top(self) -> bytes:
        """The topmost folder of the repository."""
        try:
            return self._git("rev-parse", "--show-toplevel")
        except BriefError as error:
            if "not a git repository" not in str(error):
                raise
            problem = f"{self._folder} is in no git repository; name files, or give a diff to folkmoot review -"
            raise BriefError(problem, code="no_git") from error

    def _without_filters(self) -> Iterator[tuple[str, str]]:
        """Settings that switch off the programs that the repository names for reading and writing files."""
        names = self._git("config", "--null", "--name-only", "--get-regexp", r"^filter\.", fails=True)
        for name in {os.fsdecode(line).rpartition(".")[0] for line in names.split(b"\0") if line}:
            for end in FILTER_ENDS:
                yield f"{name}.{end}", "false" if end == "required" else ""

    def _git(self, *arguments: str, fails: bool = False) -> bytes:
        """What git prints.

        Args:
            arguments: what it is asked.
            fails: whether failing only means that there is nothing.
        """
        command = ["git", "--no-pager", "--literal-pathspecs", *arguments]
        try:
            done = subprocess.run(
                command,
                cwd=self._folder,
                env=self._env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except FileNotFoundError as error:
            raise BriefError(
                "git is not installed; folkmoot review FILE reviews files without it", code="no_git"
            ) from error
        except subprocess.TimeoutExpired as error:
            raise BriefError(f"git {arguments[0]} took more than {SECONDS:g} seconds", code="no_git") from error
        if done.returncode and not fails:
            words = clean(done.stderr.decode("utf-8", "replace")).strip().removeprefix("fatal: ")
            raise BriefError(f"git {arguments[0]}: {clip(words, 300) or 'it failed'}", code="no_git")
        return b"" if done.returncode else done.stdout

    def commit(self, name: str) -> str:
        """The id of a commit; "" if there is none of that name."""
        if name.startswith("-"):
            return ""
        id = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}", fails=True)
        return id.decode().strip()

    def known_commit(self, name: str) -> str:
        """The id of a commit.

        Raises:
            BriefError: there is none of that name.
        """
        if id := self.commit(name):
            return id
        raise BriefError(f"there is no commit {clip(name, 100)!r} here", code="no_commit")

    def origin(self) -> str:
        """The address of the remote ``origin``; "" for none."""
        return os.fsdecode(self._git("config", "--get", "remote.origin.url", fails=True)).strip()

    def messages(self, base: str, head: str) -> str:
        """What the messages of the commits between two say, the newest first."""
        words = self._git("log", "--no-show-signature", "--no-color", "--no-notes", "--format=%B", f"{base}..{head}")
        return clip(clean(words.decode("utf-8", "replace")).strip(), MOST_WORDS)

    def merge_base(self, left: str, right: str) -> str:
        """The newest commit from which both come; the left one where there is none."""
        return self._git("merge-base", left, right, fails=True).decode().strip() or left

    def since(self, base: str = "") -> Change:
        """What the work tree has that a branch does not have: from where they parted, or from the named commit."""
        head = self.known_commit("HEAD")
        start = self.known_commit(base) if base else next(id for name in BASES if (id := self.commit(name)))
        others = self._git("ls-files", "--others", "--exclude-standard", "-z")
        untracked = tuple(shown_path(os.fsdecode(name)) for name in others.split(b"\0") if name)
        return self._change((self.merge_base(start, head),), WORKTREE, head, untracked)

    def staged(self) -> Change:
        """What is staged for the next commit."""
        head = self.known_commit("HEAD")
        return self._change(("--cached", head), INDEX, head)

    def between(self, words: str) -> Change:
        """What ``A..B`` has changed; with ``A...B`` since B parted from A."""
        left, dots, right = words.partition("...") if "..." in words else words.partition("..")
        start, head = self.known_commit(left or "HEAD"), self.known_commit(right or "HEAD")
        return self._change((self.merge_base(start, head) if dots == "..." else start, head), head, head)

    def _change(self, sides: Sequence[str], new: str, head: str, untracked: tuple[str, ...] = ()) -> Change:
        diff = self._git(*DIFF, *sides, "--").decode("utf-8", "replace")
        files = files_of(read_diff(diff), lambda path: self.read(new, path))
        base = next(side for side in sides if not side.startswith("-"))
        words = self.messages(base, head)
        return Change(files=files, base=base, head=head, untracked=untracked, words=words)

    def read(self, new: str, path: str) -> bytes | None:
        """The bytes of a path on the new side of a change; None where they are not at hand."""
        if new != WORKTREE:
            name = f":{path}" if new == INDEX else f"{new}:{path}"
            return self._git("cat-file", "blob", name, fails=True) or None
        file = self.root / path
        if file.is_symlink():
            return os.fsencode(os.readlink(file))
        try:
            return file.read_bytes()
        except OSError:
            return None


def _environment(settings: Mapping[str, str]) -> dict[str, str]:
    """The environment of git: without its own names, with the settings that hold for every repository."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "SSH_ASKPASS"))}
    env |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
    pairs = {**SETTINGS, **settings}
    env["GIT_CONFIG_COUNT"] = str(len(pairs))
    for n, (key, value) in enumerate(pairs.items()):
        env |= {f"GIT_CONFIG_KEY_{n}": key, f"GIT_CONFIG_VALUE_{n}": value}
    return env
