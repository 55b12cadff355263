"""What a project says of its own reviews: which files, which rules, and which findings are ignored for good.

``folkmoot.toml`` has the files (``[review]``), ``REVIEW.md`` the rules, ``REVIEW.ignore`` the findings. They are read from the
folder that is checked out, never from the change: who proposes a change can't change what it is held to.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from folkmoot.app.plan.settings_tables import Reviewing
from folkmoot.core.errors import BriefError
from folkmoot.core.text import clean, clip, counted
from folkmoot.reviews.artefact import Artefact
from folkmoot.reviews.merging import Finding
from folkmoot.reviews.reviewed import Review

RULES = ("REVIEW.md", "AGENTS.md")
"""The files that may hold rules of a project; the first one that is there counts."""

MOST_RULES = 12_000
"""The most characters of a project's rules."""

IGNORED = "REVIEW.ignore"

_LINE = re.compile(r"([0-9a-f]{16}:\d+)(?:\s+(.*))?")


def is_wanted(path: str, filters: Reviewing) -> bool:
    """Whether a file is reviewed: it is among those included, and not among those excluded.

    >>> is_wanted("docs/a.md", Reviewing(exclude=("docs/*",)))
    False
    """
    included = not filters.include or any(fnmatchcase(path, pattern) for pattern in filters.include)
    return included and not any(fnmatchcase(path, pattern) for pattern in filters.exclude)


def with_wanted(artefact: Artefact, filters: Reviewing) -> Artefact:
    """The artefact without the files that the project leaves out; how many those are is among what is left out."""
    files = tuple(file for file in artefact.files if is_wanted(file.path, filters))
    if not (fewer := len(artefact.files) - len(files)):
        return artefact
    words = f"{counted(fewer, 'file')} by [review] of folkmoot.toml"
    left_out = "; ".join(filter(None, (artefact.facts.get("left out", ""), words)))
    return replace(artefact, files=files, facts={**artefact.facts, "left out": left_out})


def project_rules(folder: Path) -> tuple[str, str]:
    """The name of the file with the project's rules, and what it says; "" and "" where there is none.

    A link is not followed: it could lead out of the project, and what it leads to would be sent to a provider.
    """
    for name in RULES:
        path = folder / name
        if path.is_file() and not path.is_symlink():
            try:
                text = clean(path.read_text("utf-8", "replace")).strip()
            except OSError as error:
                raise BriefError(f"{path} cannot be read: {error.strerror}", code="unreadable") from error
            if text:
                return name, clip(text, MOST_RULES)
    return "", ""


def read_ignored(folder: Path) -> Mapping[str, str]:
    """The findings that are ignored for good: why, by their fingerprints.

    Raises:
        BriefError: the file can't be read, or a line begins with no fingerprint.
    """
    path = folder / IGNORED
    try:
        lines = path.read_text("utf-8").splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise BriefError(f"{path} cannot be read: {error}", code="unreadable") from error
    ignored: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None:
            problem = "a line is a fingerprint and why, as folkmoot review --again ID --ignore F1 --because … writes it"
            raise BriefError(problem, where=f"{path}:{number}", code="bad_name")
        ignored[match[1]] = match[2] or ""
    return ignored


def ignore(folder: Path, finding: Finding, because: str) -> Path:
    """Note that a finding is ignored for good; returns the file.

    Raises:
        BriefError: the file can't be read or written.
    """
    path = folder / IGNORED
    if finding.fingerprint in read_ignored(folder):
        return path
    why = " ".join(clean(because).split())
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{finding.fingerprint} {finding.cite.path}: {why}\n")
    except OSError as error:
        raise BriefError(f"{path} cannot be written: {error.strerror}", code="unreadable") from error
    return path


def without_ignored(review: Review, ignored: Mapping[str, str]) -> Review:
    """The review without the findings that are ignored for good."""
    return replace(review, findings=tuple(item for item in review.findings if item.finding.fingerprint not in ignored))
