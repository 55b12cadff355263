"""GitHub's REST interface for pull requests: with a token of the environment over HTTP, else by the program ``gh``.

The token goes to the address that the environment names (``GITHUB_API_URL``), never to one that a repository names.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import cast

from folkmoot.core.errors import BriefError
from folkmoot.core.text import clean, clip, hide

API = "https://api.github.com"
TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
"""The environment variables that may hold a token, the first one first."""

JSON = "application/vnd.github+json"
DIFF = "application/vnd.github.diff"
RAW = "application/vnd.github.raw+json"
VERSION = ("X-GitHub-Api-Version", "2022-11-28")

SECONDS = 60.0
MOST_BYTES = 20_000_000
"""The most bytes of one answer."""

_REPOSITORY = re.compile(r"[A-Za-z0-9-]{1,100}/[A-Za-z0-9._-]{1,100}")
_REMOTE = re.compile(r"(?:[a-z+]+://(?:[^/@]*@)?[^/]+/|[^/@:]+@[^/:]+:)([^/]+/[^/]+?)(?:\.git)?/?")
_STATUS = re.compile(r"HTTP (\d{3})")

_WHY: Mapping[int, str] = {
    401: "GitHub refuses the token",
    403: "the token may not do that, or has asked too often",
    404: "there is no such pull request, or the token may not see it",
    406: "the diff is too large for GitHub; check the branch out and run folkmoot review",
    429: "the token has asked too often; try again later",
}


class GitHubError(BriefError):
    """GitHub refuses, or cannot be reached.

    Args:
        problem: what is wrong.
        status: the HTTP status; 0 where there is none.
    """

    def __init__(self, problem: str, status: int = 0) -> None:
        super().__init__(problem, code="github")
        self.status = status


def is_repository(name: str) -> bool:
    """Whether that can be the name of a repository: ``owner/name``."""
    return bool(_REPOSITORY.fullmatch(name)) and name.rpartition("/")[2] not in (".", "..")


def repository_in(address: str) -> str:
    """The repository ``owner/name`` in the address of a remote; "" for an address that names none."""
    match = _REMOTE.fullmatch(address.strip())
    return match[1] if match and is_repository(match[1]) else ""


class GitHub:
    """The REST interface.

    Args:
        env: the environment.

    Raises:
        GitHubError: there is neither a token nor the program ``gh``.
    """

    def __init__(self, env: Mapping[str, str] | None = None) -> None:
        self._env = os.environ if env is None else env
        self._token = next((value for name in TOKENS if (value := self._env.get(name, "").strip())), "")
        self._url = (self._env.get("GITHUB_API_URL") or API).rstrip("/")
        self._gh = "" if self._token else shutil.which("gh", path=self._env.get("PATH")) or ""
        if not self._token and not self._gh:
            problem = "a pull request needs a token of GitHub in GITHUB_TOKEN or GH_TOKEN, or the program gh"
            raise GitHubError(problem)

    def ask(self, method: str, path: str, data: Mapping[str, object] | None = None, *, accept: str = JSON) -> bytes:
        """The body of the answer to a request.

        Args:
            method: GET, POST or PATCH.
            path: the path with its query, such as ``repos/ann/x/pulls/1``.
            data: what is sent.
            accept: the media type of the answer.

        Raises:
            GitHubError: it refuses, or cannot be reached.
        """
        body = b"" if data is None else json.dumps(data, ensure_ascii=False).encode()
        return self._by_http(method, path, body, accept) if self._token else self._by_gh(method, path, body, accept)

    def json(self, method: str, path: str, data: Mapping[str, object] | None = None) -> object:
        """The answer to a request as plain data; see ``ask``."""
        try:
            return cast(object, json.loads(self.ask(method, path, data)))
        except ValueError as error:
            raise GitHubError(f"{self._url} answers with something that is no JSON") from error

    def _by_http(self, method: str, path: str, body: bytes, accept: str) -> bytes:
        import httpx2  # deferred: it takes 0.1 s to load

        headers = {
            "Authorization": f"Bearer {self._token}",
            "Accept": accept,
            "User-Agent": f"folkmoot/{metadata.version('folkmoot')}",
            VERSION[0]: VERSION[1],
        }
        try:
            with (
                httpx2.Client(timeout=SECONDS, headers=headers) as client,
                client.stream(method, self._address(path), content=body or None) as answer,
            ):
                parts: list[bytes] = []
                for part in answer.iter_bytes():
                    parts.append(part)
                    if sum(map(len, parts)) > MOST_BYTES:
                        raise GitHubError(f"GitHub sends more than {MOST_BYTES:,} bytes for {path}")
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            words = clip(hide(clean(str(error) or type(error).__name__)), 200)
            raise GitHubError(f"{self._url} cannot be reached: {words}") from error
        if not answer.is_success:
            raise _refusal(answer.status_code, b"".join(parts))
        return b"".join(parts)

    def _address(self, path: str) -> str:
        """Where a path is; on GitHub Enterprise, GraphQL lies beside the REST interface."""
        root = self._url.removesuffix("/v3") if path == "graphql" else self._url
        return f"{root}/{path}"

    def _by_gh(self, method: str, path: str, body: bytes, accept: str) -> bytes:
        words = [*("api", "--method", method, "--header", f"Accept: {accept}"), *(("--input", "-") if body else ())]
        env = {**self._env, "GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1", "NO_COLOR": "1"}
        try:
            done = subprocess.run(
                [self._gh, *words, path],
                input=body,
                env=env,
                cwd=tempfile.gettempdir(),
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise GitHubError(f"gh cannot be run: {clip(str(error), 200)}") from error
        if done.returncode:
            words_of_gh = clean(done.stderr.decode("utf-8", "replace")).strip()
            if match := _STATUS.search(words_of_gh):
                raise _refusal(int(match[1]), done.stdout)
            raise GitHubError(f"gh: {clip(hide(words_of_gh), 300) or 'it failed'}")
        return done.stdout


def _refusal(status: int, body: bytes) -> GitHubError:
    """Why GitHub refuses, in a sentence."""
    try:
        data = cast(object, json.loads(body))
    except ValueError:
        data = None
    words = str(cast("dict[str, object]", data).get("message", "")) if isinstance(data, dict) else ""
    reason = _WHY.get(status, "GitHub refuses")
    detail = clip(hide(clean(words)), 200)
    return GitHubError(f"{reason} ({status}{': ' if detail else ''}{detail})", status)


def mapping(value: object) -> Mapping[str, object]:
    """An object of an answer; empty for anything else."""
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


def items(value: object) -> Sequence[Mapping[str, object]]:
    """The objects of a list of an answer."""
    return [mapping(item) for item in cast("list[object]", value)] if isinstance(value, list) else []
