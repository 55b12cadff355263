"""What a review is about: a change in git, a diff, files, or a plan, as the frozen artefact."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from folkmoot.app.review.git_change import Change, Repository
from folkmoot.core.errors import BriefError
from folkmoot.core.text import clip, counted, listed
from folkmoot.reviews.artefact import Artefact, ReviewedFile, digest_bytes, shown_path, whole_file
from folkmoot.reviews.diff_reader import MOST_OF_ALL, files_of, left_out, read_diff


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a user wants to have reviewed.

    Attributes:
        names: a range such as ``main..topic``, or files.
        base: the commit since which the work tree is reviewed; "" for where the branch began.
        staged: whether only what is staged is reviewed.
        plan: a document to review; None for none.
        diff: a diff as text; None for none.
    """

    names: tuple[str, ...] = ()
    base: str = ""
    staged: bool = False
    plan: Path | None = None
    diff: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is reviewed, what its author says of it, "" for nothing, and the folder of the files; None if unknown."""

    artefact: Artefact
    words: str = ""
    folder: Path | None = None


def read_subject(wanted: Wanted, folder: Path) -> Subject:
    """What is wanted; an artefact without files where nothing has changed.

    Raises:
        BriefError: it cannot be read, or two things are wanted at once.
    """
    ways = [bool(wanted.names), bool(wanted.base), wanted.staged, wanted.plan is not None, wanted.diff is not None]
    if sum(ways) > 1:
        raise BriefError("name one thing to review: a range, files, -, --base, --staged or --plan", code="inconsistent")
    if wanted.plan:
        return Subject(artefact=artefact_of_files(_read_all([wanted.plan]), {"kind": "plan"}), folder=Path())
    if wanted.diff is not None:
        return Subject(artefact=artefact_of_files(files_of(read_diff(wanted.diff)), {"kind": "diff"}))
    if empty := [name for name in wanted.names if not name.strip() or name == "-"]:
        what = (
            "- reads a diff from standard input, so give nothing beside it"
            if "-" in empty
            else "the name of a file is empty"
        )
        raise BriefError(what, code="bad_name")
    if wanted.names and not any(".." in name and not Path(name).exists() for name in wanted.names):
        files = _read_all(list(map(Path, wanted.names)), "; to review a change, write the two commits as A..B")
        return Subject(artefact=artefact_of_files(files, {"kind": "files"}), folder=Path())
    if len(wanted.names) > 1:
        raise BriefError("name one range, such as main..topic, or files", code="inconsistent")
    repository = Repository(folder)
    if wanted.names:
        change = repository.between(wanted.names[0])
    else:
        change = repository.staged() if wanted.staged else repository.since(wanted.base)
    return Subject(artefact=artefact_of_change(change), words=change.words, folder=repository.root)


def artefact_of_change(change: Change, more: Mapping[str, str] | None = None) -> Artefact:
    """The artefact of a change in git.

    Args:
        change: the change.
        more: further facts.
    """
    facts = {"kind": "diff", "base": change.base, "head": change.head, **(more or {})}
    names = ", ".join(change.untracked[:10]) + (" …" if len(change.untracked) > 10 else "")
    untracked = f"{counted(len(change.untracked), 'untracked file')}: {names}" if change.untracked else ""
    return artefact_of_files(change.files, facts | ({"untracked": untracked} if untracked else {}))


def artefact_of_files(files: Sequence[ReviewedFile], facts: dict[str, str]) -> Artefact:
    """The artefact of these files, with what is left out of them among its facts."""
    missing = "; ".join(left_out(files))
    return Artefact(files=tuple(files), facts=facts | ({"left out": clip(missing, 2000)} if missing else {}))


def _read_all(paths: Sequence[Path], hint: str = "") -> list[ReviewedFile]:
    """The files; some of them may be empty, but not all. The hint is for a file that is not there."""
    files = [_read(path, hint) for path in paths]
    if not any(row.text.strip() for file in files for row in file.rows):
        names = listed([str(path) for path in paths])
        problem = f"{names} {'is' if len(paths) == 1 else 'are'} empty, so there is nothing to review"
        raise BriefError(problem, code="unreadable")
    return files


def _read(path: Path, hint: str = "") -> ReviewedFile:
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise BriefError(f"{path}: there is no such file{hint}", code="unreadable") from error
    except IsADirectoryError as error:
        raise BriefError(f"{path} is a folder; name its files", code="unreadable") from error
    except OSError as error:
        raise BriefError(f"{path} cannot be read: {error.strerror or error}", code="unreadable") from error
    if b"\0" in data[:8000]:
        raise BriefError(f"{path} is no text", code="unreadable")
    if len(data) > MOST_OF_ALL:
        raise BriefError(
            f"{path} has {len(data):,} bytes; at most {MOST_OF_ALL:,} are reviewed at once", code="too_large"
        )
    return whole_file(
        shown_path(path.as_posix().removeprefix("./")), data.decode("utf-8", "replace"), digest_bytes(data)
    )
