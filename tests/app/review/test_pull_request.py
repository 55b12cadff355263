"""Pull requests over GitHub's REST interface: what is read, what is refused, and that nothing is written unasked."""

import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from folkmoot.app.review import github as github_module
from folkmoot.app.review.github import GitHub, GitHubError, items, mapping, repository_in
from folkmoot.app.review.pull_request import (
    MARK,
    Place,
    place_of,
    post_comment,
    read_place,
    read_pull_request,
)
from folkmoot.core.errors import BriefError
from folkmoot.reviews.artefact import Artefact
from tests.kits.diffs import unified
from tests.kits.repositories import new_repository
from tests.kits.small_github import REPOSITORY, TOKEN, SmallGitHub, serving

OLD = "def run(names):\n    return names[0]\n"
NEW = "def run(names):\n    return eval(names[0])\n"
DIFF = unified("sub dir/a.py", OLD, NEW) + unified("gone.py", OLD, "") + unified("b.py", OLD, NEW)
PLACE = Place(REPOSITORY, 7)


@pytest.fixture
def place() -> Generator[SmallGitHub]:
    with serving(SmallGitHub(diff=DIFF, texts={"sub dir/a.py": NEW.encode()})) as server:
        yield server


def test_without_the_commits_the_files_are_read_one_by_one(place: SmallGitHub, tmp_path: Path) -> None:
    request = read_pull_request(GitHub(place.env()), PLACE, tmp_path)
    notes = {file.path: (file.change, file.note) for file in request.artefact.files}
    assert notes == {
        "sub dir/a.py": ("changed", ""),
        "gone.py": ("removed", ""),
        "b.py": ("changed", "only the hunks of the diff are shown"),
    }
    assert request.words == "Faster\n\nTrust me."
    assert request.artefact.facts == {
        "kind": "diff",
        "base": place.base,
        "head": place.head,
        "url": "https://github.com/ann/x/pull/7",
        "left out": "b.py: only the hunks of the diff are shown",
    }
    assert place_of(request.artefact) == PLACE
    assert place.written() == []
    place.refuses["/repos/ann/x/contents/b.py"] = 500
    with pytest.raises(GitHubError, match=r"GitHub refuses \(500: No \[31mentry\)"):
        read_pull_request(GitHub(place.env()), PLACE, tmp_path)


def test_commits_that_are_here_are_read_here(place: SmallGitHub, tmp_path: Path) -> None:
    repository = new_repository(tmp_path)
    read_pull_request(GitHub(place.env()), PLACE, tmp_path)
    place.base = repository.commit(a__py=OLD)
    place.head = repository.commit(a__py=NEW)
    request = read_pull_request(GitHub(place.env()), PLACE, tmp_path)
    assert [(file.path, file.total) for file in request.artefact.files] == [("a.py", 2)]
    assert request.artefact.facts["url"].endswith("/pull/7")


def test_one_comment_is_written_and_then_edited(place: SmallGitHub) -> None:
    github = GitHub(place.env())
    others: list[dict[str, object]] = [
        {"id": n, "body": MARK, "user": {"login": "echo[bot]", "type": "Bot"}} for n in range(1, 101)
    ]
    place.comments = [*others, {"id": 101, "body": "well", "user": {"login": "ann"}}]
    first = post_comment(github, PLACE, f"{MARK}head=1 -->")
    assert (first.edited, first.url.endswith("#issuecomment-102")) == (False, True)
    assert post_comment(github, PLACE, f"{MARK}head=2 -->").edited
    assert [str(item["body"]) for item in place.comments[100:]] == ["well", f"{MARK}head=2 -->"]
    assert place.written() == ["POST /repos/ann/x/issues/7/comments", "PATCH /repos/ann/x/issues/comments/102"]
    place.comments, place.login = others[:1], "github-actions[bot]"
    assert not post_comment(github, PLACE, f"{MARK}head=3 -->").edited
    assert post_comment(github, PLACE, f"{MARK}head=4 -->").edited
    place.login = ""
    assert not post_comment(github, PLACE, f"{MARK}head=5 -->").edited
    place.refuses["/graphql"] = 500
    with pytest.raises(GitHubError, match="500"):
        post_comment(github, PLACE, "x")


def test_nobody_else_says_what_was_reviewed(place: SmallGitHub, tmp_path: Path) -> None:
    place.new_diff = unified("b.py", OLD, NEW)

    def paths() -> list[str]:
        request = read_pull_request(GitHub(place.env()), PLACE, tmp_path, new=True)
        return [file.path for file in request.artefact.files]

    mark = f"{MARK}head={'d' * 40} -->\nA review"
    for body, author, read in (
        (mark, "ann", ["b.py"]),
        (f"Somebody wrote:\n\n{mark}", "ann", ["sub dir/a.py", "gone.py", "b.py"]),
        (mark, "echo[bot]", ["sub dir/a.py", "gone.py", "b.py"]),
    ):
        place.comments = [{"id": 1, "body": body, "user": {"login": author, "type": "Bot"}}]
        assert paths() == read
    place.comments = [{"id": 1, "body": mark, "user": {"login": "ann"}}]
    place.fork = True  # who proposes it may have made one's own bot repeat a mark
    assert paths() == ["sub dir/a.py", "gone.py", "b.py"]


def test_refusals_are_one_sentence(place: SmallGitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GitHubError, match=r"^GitHub refuses the token \(401: Bad credentials\)$"):
        read_pull_request(GitHub(place.env("wrong")), PLACE, tmp_path)
    with pytest.raises(GitHubError, match="there is no such pull request"):
        read_pull_request(GitHub(place.env()), Place(REPOSITORY, 8), tmp_path)
    with pytest.raises(GitHubError, match="there is no such pull request") as error:
        GitHub(place.env()).json("GET", "nothing")
    assert error.value.status == 404
    monkeypatch.setattr(github_module, "MOST_BYTES", 10)
    with pytest.raises(GitHubError, match="more than 10 bytes"):
        GitHub(place.env()).ask("GET", PLACE.path)
    with pytest.raises(GitHubError, match="cannot be reached") as error:
        GitHub({"GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": "http://127.0.0.1:1"}).ask("GET", "user")
    assert TOKEN not in str(error.value)
    with pytest.raises(GitHubError, match="cannot be reached"):
        GitHub({"GH_TOKEN": "a\nb", "GITHUB_API_URL": place.web.url}).ask("GET", "user")
    with pytest.raises(GitHubError, match="needs a token of GitHub"):
        GitHub({"PATH": str(tmp_path)})


def test_an_answer_that_is_none_is_refused(place: SmallGitHub, tmp_path: Path) -> None:
    place.head = "--output=x"
    with pytest.raises(GitHubError, match="GitHub names no commits of ann/x#7"):
        read_pull_request(GitHub(place.env()), PLACE, tmp_path)
    place.texts = {"x": b"no JSON"}
    place.head = "c" * 40
    with pytest.raises(GitHubError, match="no JSON"):
        GitHub(place.env()).json("GET", f"repos/ann/x/contents/x?ref={place.head}")
    assert (mapping([]), items({}), items([{"a": 1}, 2])) == ({}, [], [{"a": 1}, {}])


GH = f"""#!{sys.executable}
import sys, urllib.error, urllib.request
words = sys.argv[1:]
assert words[:2] == ["api", "--method"], words
if words[-1] == "graphql":
    sys.exit("not logged in")
body = sys.stdin.buffer.read() if "--input" in words else None
accept = words[words.index("--header") + 1].partition(": ")[2]
headers = {{"Authorization": "Bearer {TOKEN}", "Accept": accept}}
request = urllib.request.Request("URL/" + words[-1], data=body, method=words[2], headers=headers)
try:
    sys.stdout.buffer.write(urllib.request.urlopen(request).read())
except urllib.error.HTTPError as error:
    sys.stdout.buffer.write(error.read())
    sys.exit(f"gh: Not Found (HTTP {{error.code}})")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a script as a program")
def test_without_a_token_the_program_gh_asks(place: SmallGitHub, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "gh"
    program.parent.mkdir()
    program.write_text(GH.replace("URL", place.web.url))
    program.chmod(0o755)
    github = GitHub({"PATH": str(program.parent)})
    assert read_pull_request(github, PLACE, tmp_path).artefact.files[0].path == "sub dir/a.py"
    assert mapping(github.json("POST", PLACE.comments, {"body": "ö"}))["body"] == "ö"
    with pytest.raises(GitHubError, match=r"there is no such pull request, .* \(404: Not Found\)"):
        github.json("GET", "repos/ann/x/pulls/9")
    with pytest.raises(GitHubError, match="gh: not logged in"):
        post_comment(github, PLACE, "x")
    program.write_text("no program")
    with pytest.raises(GitHubError, match="gh cannot be run"):
        github.json("GET", "user")


def test_a_pull_request_is_named_in_three_ways(tmp_path: Path) -> None:
    repository = new_repository(tmp_path)
    for name in ("ann/x#7", "https://github.com/ann/x/pull/7", "https://github.com/ann/x/pull/7/files?w=1"):
        assert read_place(name, tmp_path, {}) == PLACE
    assert read_place("#7", tmp_path, {"GITHUB_REPOSITORY": "ann/x"}) == PLACE
    with pytest.raises(BriefError, match="write --pr OWNER/NAME#7"):
        read_place("7", tmp_path, {})
    repository.git("remote", "add", "origin", "git@github.com:ann/x.git")
    assert read_place("7", tmp_path, {}) == PLACE
    for name in ("0", "x", "../..#7", "a/..#7", "https://github.com/ann/x/issues/7", "-1"):
        with pytest.raises(BriefError, match="is no pull request"):
            read_place(name, tmp_path, {})
    assert place_of(Artefact(files=(), facts={"url": "https://example.org/a/../pull/7"})) is None
    assert place_of(Artefact(files=(), facts={})) is None


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://github.com/ann/x.git", "ann/x"),
        ("https://ann:secret@github.com/ann/x/", "ann/x"),
        ("ssh://git@github.com:22/ann/x.git", "ann/x"),
        ("git@github.com:ann/x", "ann/x"),
        ("/srv/ann/x", ""),
        ("https://github.com/ann/x/y", ""),
        ("https://github.com/ann/..", ""),
        ("ext::sh -c evil", ""),
    ],
)
def test_the_repository_of_a_remote(address: str, name: str) -> None:
    assert repository_in(address) == name
