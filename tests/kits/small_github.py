"""A small GitHub on the loopback interface: one pull request with its diff, files and comments, and what it refuses."""

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from folkmoot.testing.small_web import Answer, Visit, Web, as_json
from tests.kits.in_thread import in_thread

TOKEN = "t" * 40
REPOSITORY = "ann/x"


@dataclass(slots=True, kw_only=True)
class SmallGitHub:
    """What the server has.

    Attributes:
        base: the commit on which the pull request is based.
        head: its last commit.
        diff: its diff.
        texts: the new texts of files, by path.
        comments: the comments on it.
        lines: the comments at its lines.
        new_diff: what was pushed since the commit that was reviewed last; "" where history was rewritten.
        fork: whether the pull request comes from a fork.
        login: who has the token; "" where that is not told.
        refuses: statuses for the paths that are refused.
        web: the server.
    """

    base: str = "b" * 40
    head: str = "c" * 40
    diff: str = ""
    texts: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    comments: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    lines: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    new_diff: str = ""
    fork: bool = False
    login: str = "ann"
    refuses: dict[str, int] = field(default_factory=dict[str, int])
    web: Web = field(init=False)

    def __post_init__(self) -> None:
        self.web = Web(script=self.answer)

    def env(self, token: str = TOKEN) -> dict[str, str]:
        """The environment of a command that uses it."""
        return {"GITHUB_API_URL": self.web.url, "GITHUB_TOKEN": token, "GITHUB_REPOSITORY": REPOSITORY, "GH_TOKEN": ""}

    def written(self) -> list[str]:
        """The requests that have changed something."""
        return [
            f"{visit.method} {visit.path}"
            for visit in self.web.visits
            if visit.method != "GET" and visit.path != "/graphql"
        ]

    def answer(self, visit: Visit) -> Answer:
        """What is answered."""
        if visit.headers.get("authorization") != f"Bearer {TOKEN}":
            return refused(401, "Bad credentials")
        if status := self.refuses.get(visit.path):
            return refused(status, "No \u001b[31mentry")
        place = f"/repos/{REPOSITORY}"
        match visit.path.removeprefix(place), visit.method:
            case "/pulls/7", "GET":
                return self._pull(visit)
            case "/graphql", "POST":
                return as_json({"data": {"viewer": {"login": self.login} if self.login else None}})
            case "/issues/7/comments", "GET":
                page = int(visit.query["page"])
                return as_json(self.comments[100 * page - 100 : 100 * page])
            case "/issues/7/comments", "POST":
                return self._comment(len(self.comments) + 1, visit)
            case "/pulls/7/comments", "GET":
                return as_json(self.lines)
            case "/pulls/7/reviews", "POST":
                return self._review(visit)
            case path, "GET" if path.startswith("/compare/") and path.endswith(f"...{self.head}"):
                if "diff" in visit.headers["accept"]:
                    return Answer(body=self.new_diff.encode(), kind="text/plain")
                return as_json({"status": "ahead" if self.new_diff else "diverged"})
            case path, "PATCH":
                return self._comment(int(path.rpartition("/")[2]), visit)
            case path, "GET" if path.startswith("/contents/") and visit.query.get("ref") == self.head:
                text = self.texts.get(path.removeprefix("/contents/").replace("%20", " "))
                return refused(404, "Not Found") if text is None else Answer(body=text)
            case _:
                return refused(404, "Not Found")

    def _pull(self, visit: Visit) -> Answer:
        if "diff" in visit.headers["accept"]:
            return Answer(body=self.diff.encode(), kind="text/plain")
        url = f"https://github.com/{REPOSITORY}/pull/7"
        head = {"full_name": "eve/x" if self.fork else REPOSITORY}
        sides = {
            "base": {"sha": self.base, "repo": {"full_name": REPOSITORY}},
            "head": {"sha": self.head, "repo": head},
        }
        return as_json({"number": 7, "title": "Faster", "body": "Trust me.", "html_url": url, **sides})

    def _review(self, visit: Visit) -> Answer:
        data = json.loads(visit.body)
        for comment in data["comments"]:
            user = {"login": self.login}
            self.lines.append({**comment, "id": len(self.lines) + 1, "user": user, "commit_id": data["commit_id"]})
        return as_json({"id": 1})

    def _comment(self, number: int, visit: Visit) -> Answer:
        data = json.loads(visit.body)
        comment: dict[str, object] = {"id": number, "body": data["body"], "user": {"login": self.login}}
        self.comments[number - 1 : number] = [comment]
        return as_json({**comment, "html_url": f"https://github.com/{REPOSITORY}/pull/7#issuecomment-{number}"})


def refused(status: int, words: str) -> Answer:
    """A refusal as GitHub words it."""
    return Answer(status=status, body=json.dumps({"message": words}).encode(), kind="application/json")


@contextmanager
def serving(place: SmallGitHub) -> Generator[SmallGitHub]:
    """Serve it in a thread of its own."""
    with in_thread(place.web.serve):
        yield place
