"""Pull requests: what one changes, as an artefact, and the one comment of a review on it, edited in place.

Reading sends nothing but requests to read. A comment is written only by ``post_comment``.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from folkmoot.app.review.git_change import Repository
from folkmoot.app.review.github import DIFF, RAW, GitHub, GitHubError, is_repository, items, mapping, repository_in
from folkmoot.app.review.subject import artefact_of_change, artefact_of_files
from folkmoot.core.errors import BriefError
from folkmoot.core.text import clean, clip, counted
from folkmoot.reviews.artefact import Artefact
from folkmoot.reviews.diff_reader import FileDiff, files_of, read_diff
from folkmoot.reviews.review_data import FORMAT, ReviewRun, line_comments

MARK = f"<!-- folkmoot-review:{FORMAT} "
"""How the comment of a review begins."""

MOST_WORDS = 20_000
"""The most characters of the author's words."""

MOST_READ = 100
"""The most files that are read one by one, where the commits are not here."""

MOST_PAGES = 10
PAGE = 100

_ADDRESS = re.compile(r"https?://[^/]+/([^/]+/[^/]+)/pull/(\d{1,9})(?:[/?#].*)?")
_SHORT = re.compile(r"(?:([^/#]+/[^/#]+)#|#)?(\d{1,9})")
_HEAD = re.compile(rf"{re.escape(MARK)}head=([0-9a-f]{{40}}(?:[0-9a-f]{{24}})?) -->")
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a pull request is: its repository and its number."""

    repository: str
    number: int

    def __str__(self) -> str:
        return f"{self.repository}#{self.number}"

    @property
    def path(self) -> str:
        """Its path in the REST interface."""
        return f"repos/{self.repository}/pulls/{self.number}"

    @property
    def comments(self) -> str:
        """The path of its comments."""
        return f"repos/{self.repository}/issues/{self.number}/comments"


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """What a pull request changes, and what its author says of it."""

    place: Place
    artefact: Artefact
    words: str


def read_place(name: str, folder: Path, env: Mapping[str, str] | None = None) -> Place:
    """Where a pull request is, by its number, ``owner/name#12`` or address.

    Args:
        name: what the user wrote.
        folder: a folder of the repository, which is asked where only a number is named.
        env: the environment; ``GITHUB_REPOSITORY`` goes before the remote ``origin``.

    Raises:
        BriefError: it names none.
    """
    match = _ADDRESS.fullmatch(name.strip()) or _SHORT.fullmatch(name.strip())
    if not match or not int(match[2]) or (match[1] and not is_repository(match[1])):
        raise BriefError(f"{clip(name, 80)!r} is no pull request; write its number or address", code="bad_name")
    if match[1]:
        return Place(match[1], int(match[2]))
    repository = (os.environ if env is None else env).get("GITHUB_REPOSITORY", "")
    if not is_repository(repository):
        repository = repository_in(Repository(folder).origin())
    if not repository:
        raise BriefError(
            f"the remote origin names no repository of GitHub; write --pr OWNER/NAME#{match[2]}", code="bad_name"
        )
    return Place(repository, int(match[2]))


def place_of(artefact: Artefact) -> Place | None:
    """The pull request that an artefact on record was read from; None where it was none."""
    match = _ADDRESS.fullmatch(artefact.facts.get("url", ""))
    return Place(match[1], int(match[2])) if match and is_repository(match[1]) else None


def read_pull_request(github: GitHub, place: Place, folder: Path, *, new: bool = False) -> PullRequest:
    """What a pull request changes: from the commits where they are here, else from GitHub.

    Args:
        github: the way to it.
        place: the pull request.
        folder: where its commits may be.
        new: whether only what was pushed since the last posted review is meant. Where history was rewritten, and for a
            fork, all is.

    Raises:
        BriefError: there is none, or it cannot be read.
    """
    data = mapping(github.json("GET", place.path))
    base, head = (str(mapping(data.get(side)).get("sha", "")) for side in ("base", "head"))
    if not _COMMIT.fullmatch(base) or not _COMMIT.fullmatch(head):
        raise GitHubError(f"GitHub names no commits of {place}")
    url = str(data.get("html_url", ""))
    facts = {"url": url} if _ADDRESS.fullmatch(url) else {}
    words = clip(clean(f"{data.get('title') or ''}\n\n{data.get('body') or ''}").strip(), MOST_WORDS)
    path = place.path
    # Who sends a pull request from a fork may be able to make a bot repeat a mark, and must not shorten the review by that.
    # Who can push to the repository could change its workflows just as well.
    inside = _repository(data, "head") == _repository(data, "base") != ""
    if (
        new
        and inside
        and (since := _reviewed(github, place))
        and (since == head or _follows(github, place, since, head))
    ):
        base, facts = since, facts | {"since": since}
        path = f"repos/{place.repository}/compare/{since}...{head}"
    if base == head:
        artefact = Artefact(files=(), facts={"kind": "diff", "base": base, "head": head} | facts)
    else:
        artefact = _local(folder, base, head, facts) or _remote_artefact(
            github, place, path, {"base": base, "head": head} | facts
        )
    return PullRequest(place=place, artefact=artefact, words=words)


def _repository(data: Mapping[str, object], side: str) -> str:
    """The repository of a side of a pull request; "" for one that was deleted."""
    return str(mapping(mapping(data.get(side)).get("repo")).get("full_name", ""))


def _reviewed(github: GitHub, place: Place) -> str:
    """The commit that was reviewed last, by one's own comment; "" for none."""
    match = _HEAD.match(_own_comment(github, place)[1])
    return match[1] if match else ""


def _follows(github: GitHub, place: Place, since: str, head: str) -> bool:
    """Whether a commit comes after another one; not where history was rewritten."""
    try:
        data = mapping(github.json("GET", f"repos/{place.repository}/compare/{since}...{head}"))
    except GitHubError as error:
        if error.status == 404:
            return False
        raise
    return data.get("status") == "ahead"


def _local(folder: Path, base: str, head: str, facts: Mapping[str, str]) -> Artefact | None:
    """The change from the commits that are here; None where one is not."""
    try:
        repository = Repository(folder)
    except BriefError:
        return None
    if not repository.commit(base) or not repository.commit(head):
        return None
    return artefact_of_change(repository.between(f"{base}...{head}"), facts)


def _remote_artefact(github: GitHub, place: Place, path: str, facts: Mapping[str, str]) -> Artefact:
    diffs = read_diff(github.ask("GET", path, accept=DIFF).decode("utf-8", "replace"))
    texts = {diff.new: _text(github, place, diff, facts["head"]) for diff in diffs[:MOST_READ]}
    return artefact_of_files(files_of(diffs, texts.get), {"kind": "diff", **facts})


def _text(github: GitHub, place: Place, diff: FileDiff, head: str) -> bytes | None:
    """The new bytes of a file; None where GitHub does not give them."""
    if not diff.new or diff.binary or not diff.rows:
        return None
    try:
        return github.ask(
            "GET",
            f"repos/{place.repository}/contents/{quote(diff.new, errors='surrogateescape')}?ref={head}",
            accept=RAW,
        )
    except GitHubError as error:
        if error.status in (403, 404):
            return None
        raise


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """The comment that was written: its address, and whether an earlier one was edited."""

    url: str
    edited: bool


def post_comment(github: GitHub, place: Place, text: str, *, anew: bool = False) -> Posted:
    """Write the comment of a review: into one's own earlier comment where there is one, else as a new one.

    Args:
        github: the way to it.
        place: the pull request.
        text: the comment.
        anew: whether an earlier comment stays, because it is about earlier commits.

    Raises:
        GitHubError: GitHub refuses, or cannot be reached.
    """
    earlier = 0 if anew else _own_comment(github, place)[0]
    path = f"repos/{place.repository}/issues/comments/{earlier}" if earlier else place.comments
    data = mapping(github.json("PATCH" if earlier else "POST", path, {"body": text}))
    return Posted(url=clean(str(data.get("html_url", ""))), edited=bool(earlier))


def post_lines(github: GitHub, place: Place, run: ReviewRun) -> int:
    """Comment at the lines of findings that survived, each once for good; returns how many were written.

    Raises:
        GitHubError: GitHub refuses, or cannot be reached.
    """
    bodies = [body for _, body in _own(github, f"{place.path}/comments")]
    known = {body.partition("\n")[0] for body in bodies}
    comments = [comment for comment in line_comments(run) if str(comment["body"]).partition("\n")[0] not in known]
    if comments:
        about = f"{counted(len(comments), 'finding')} of a review, at the lines."
        data = {"commit_id": run.review.artefact.facts["head"], "event": "COMMENT", "body": about, "comments": comments}
        github.json("POST", f"{place.path}/reviews", data)
    return len(comments)


def _own_comment(github: GitHub, place: Place) -> tuple[int, str]:
    """The number and the text of the newest comment with the mark that is one's own; 0 and "" for none."""
    reviews = [(number, body) for number, body in _own(github, place.comments) if body.startswith(MARK)]
    return reviews[-1] if reviews else (0, "")


def _own(github: GitHub, path: str) -> Iterator[tuple[int, str]]:
    """The numbers and texts of one's own comments in a list of GitHub's, the oldest first.

    Other bots repeat what people write, so it doesn't matter what kind of account has written a comment.
    """
    login = _login(github)
    for page in range(1, MOST_PAGES + 1 if login else 0):
        comments = items(github.json("GET", f"{path}?per_page={PAGE}&page={page}"))
        for comment in comments:
            number = comment.get("id")
            if mapping(comment.get("user")).get("login") == login and isinstance(number, int):
                yield number, str(comment.get("body", ""))
        if len(comments) < PAGE:
            break


def _login(github: GitHub) -> str:
    """The name of who has the token, such as ``github-actions[bot]``; "" where GitHub does not tell.

    The token of an app may not read ``/user``, but may ask for the viewer.
    """
    try:
        data = mapping(github.json("POST", "graphql", {"query": "query { viewer { login } }"}))
    except GitHubError as error:
        if error.status in (403, 404):
            return ""
        raise
    return str(mapping(mapping(data.get("data")).get("viewer")).get("login", ""))
