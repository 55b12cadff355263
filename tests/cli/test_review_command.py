"""``folkmoot review``: from a change to a report and an exit code."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.commands import QUOTES, folkmoot, only_id, served
from tests.kits.repositories import GitRepository, new_repository
from tests.kits.small_github import SmallGitHub, serving

FAULTY = "def run(names=[]):\n    return eval(names[0])\n"


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    place = new_repository(tmp_path)
    place.write(".gitignore", "folkmoot.sqlite*\ndata\n")
    place.commit(a__py="def run(names):\n    return names[0]\n")
    return place


def test_a_first_review_needs_no_model(repository: GitRepository) -> None:
    repository.write("a.py", FAULTY)
    repository.write("new.py", "x")
    result = folkmoot(repository.folder, "review", *QUOTES)
    assert result.exit_code == 7, result.output
    assert "1 file, 2 lines to review; at most 26 questions, 0 tokens, $0.00" in result.stderr
    assert "left out: 1 untracked file: new.py" in result.stderr
    assert "This is a demonstration: no model has read the change." in result.stdout
    assert "F1  survived  high security  a.py:2" in result.stdout
    assert repository.git("status", "--short") == " M a.py\n?? new.py\n"


@pytest.mark.parametrize(
    ("words", "code"), [(("--fail-on", "critical"), 0), (("--fail-on", "never"), 0), (("--fail-on", "medium"), 7)]
)
def test_the_severity_that_fails_can_be_chosen(repository: GitRepository, words: tuple[str, ...], code: int) -> None:
    repository.write("a.py", FAULTY)
    assert folkmoot(repository.folder, "review", *QUOTES, *words).exit_code == code


def test_a_list_shows_what_came_of_a_review(repository: GitRepository) -> None:
    repository.write("a.py", FAULTY)
    folkmoot(repository.folder, "review", *QUOTES)
    for width in ("200", "80"):
        listed = folkmoot(repository.folder, "list", COLUMNS=width)
        assert "decided · 2 findings survived" in listed.stdout


def test_a_list_shows_that_a_review_is_incomplete(repository: GitRepository) -> None:
    repository.write("a.py", FAULTY)
    with served() as wires:
        models = (*QUOTES, "-m", "ollama:tiny")
        review = folkmoot(repository.folder, "review", *models, OLLAMA_HOST=wires.url)
    assert review.exit_code == 8, review.output
    assert "decided · incomplete: 2 findings contested" in folkmoot(repository.folder, "list").stdout


def test_a_demonstration_names_what_was_not_read(repository: GitRepository) -> None:
    repository.write("plan.md", "# Plan\n\nWe move on Monday.\n")
    repository.write("a.py", FAULTY)
    for words, what in ((("--plan", "plan.md"), "plan"), (("plan.md",), "files"), ((), "change")):
        result = folkmoot(repository.folder, "review", *QUOTES, *words)
        assert f"This is a demonstration: no model has read the {what}." in result.stdout


def test_stale_without_a_debate_lists_those_that_have_changed(repository: GitRepository, tmp_path: Path) -> None:
    repository.write("a.py", FAULTY)
    repository.write("plan.md", "# Plan\n\nWe move on Monday.\n")
    first = only_id(folkmoot(repository.folder, "review", *QUOTES))
    folkmoot(repository.folder, "review", *QUOTES, "--plan", "plan.md")
    folkmoot(repository.folder, "run", "Tea or coffee?", *QUOTES)
    fresh = folkmoot(repository.folder, "verify", "--documents")
    assert (fresh.exit_code, fresh.stdout) == (
        0,
        "2 debates about documents of this folder; none of these has changed\n",
    )
    repository.write("a.py", FAULTY + "\n")
    stale = folkmoot(repository.folder, "verify", "--documents")
    assert (stale.exit_code, stale.stdout) == (9, f"{first}: a.py has changed\n")
    in_list = json.loads(folkmoot(repository.folder, "list", "--json").stdout)
    assert [row["debate"] for row in in_list if row["stale"]] == [first]
    with closing(sqlite3.connect(repository.folder / "folkmoot.sqlite")) as store, store:
        store.execute("UPDATE folkmoot_line SET text = '{}' WHERE debate = ?", (first,))
    damaged = folkmoot(repository.folder, "verify", "--documents")
    assert (damaged.exit_code, f"folkmoot: {first} is left out: " in damaged.stderr) == (0, True)
    assert not any(row["stale"] for row in json.loads(folkmoot(repository.folder, "list", "--json").stdout))
    other = tmp_path / "other"
    other.mkdir()
    none = folkmoot(repository.folder, "verify", "--documents", "--in", str(other))
    assert (none.exit_code, none.stdout) == (0, "0 debates about documents of this folder; none of these has changed\n")


def test_every_format_is_of_one_review(repository: GitRepository) -> None:
    repository.write("a.py", FAULTY)
    first = folkmoot(repository.folder, "review", *QUOTES, "--format", "json", "--focus", "security", "-o", "out.json")
    assert (first.exit_code, first.stdout) == (7, "")
    data = json.loads((repository.folder / "out.json").read_text())
    assert (data["folkmoot_review"], data["whole"], data["demonstration"]) == (1, True, True)
    assert data["findings"][0]["state"] == "survived"
    again = folkmoot(repository.folder, "review", "--again", data["id"], "--format", "md")
    assert again.exit_code == 7
    assert again.stdout.startswith(f"<!-- folkmoot-review:1 head={data['artefact']['head']} -->\n")
    sarif = json.loads(folkmoot(repository.folder, "review", "--again", "last", "--format", "sarif").stdout)
    assert sarif["runs"][0]["results"][0]["partialFingerprints"] == {
        "primaryLocationLineHash": data["findings"][0]["fingerprint"]
    }


def test_a_plan_a_diff_and_files_are_reviewed(repository: GitRepository) -> None:
    repository.write("plan.md", "# Plan\n\nWe move on Monday.\n")
    for words in (("--plan", "plan.md"), ("plan.md",)):
        result = folkmoot(repository.folder, "review", *QUOTES, *words)
        assert (result.exit_code, "low correctness  plan.md:1" in result.stdout) == (0, True), result.output
    diff = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+eval(a)\n"
    result = folkmoot(repository.folder, "review", *QUOTES, "-", stdin=diff)
    assert (result.exit_code, "x.py:1" in result.stdout) == (7, True)


def test_an_empty_document_is_refused(repository: GitRepository) -> None:
    repository.write("empty.md", "\n")
    for words in (("--plan", "empty.md"), ("empty.md",)):
        result = folkmoot(repository.folder, "review", *QUOTES, *words)
        assert (result.exit_code, result.stderr) == (2, "folkmoot: empty.md is empty, so there is nothing to review\n")
    repository.write("a.py", FAULTY)
    assert folkmoot(repository.folder, "review", *QUOTES, "empty.md", "a.py").exit_code == 7


def test_nothing_to_review_is_no_failure(repository: GitRepository) -> None:
    repository.write("new.py", "x")
    result = folkmoot(repository.folder, "review", *QUOTES)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.splitlines() == [
        "folkmoot: nothing has changed, so there is nothing to review",
        "folkmoot: left out: 1 untracked file: new.py",
    ]


def test_programs_get_a_review_without_findings_where_nothing_has_changed(repository: GitRepository) -> None:
    data = json.loads(folkmoot(repository.folder, "review", *QUOTES, "--format", "json").stdout)
    assert (data["id"], data["findings"], data["whole"], data["cost"]) == ("", [], True, 0.0)
    result = folkmoot(repository.folder, "review", *QUOTES, "--format", "sarif", "-o", "out.sarif")
    assert (result.exit_code, result.stdout) == (0, "")
    sarif = json.loads((repository.folder / "out.sarif").read_text())
    assert (sarif["version"], sarif["runs"][0]["results"]) == ("2.1.0", [])
    folkmoot(repository.folder, "review", *QUOTES, "--format", "md", "-o", "out.md")
    comment = (repository.folder / "out.md").read_text()
    assert "**Review:** no findings." in comment
    assert "folkmoot show" not in comment
    folkmoot(repository.folder, "review", *QUOTES, "-o", "out.txt")
    assert (repository.folder / "out.txt").read_text().startswith("no findings\n")


def test_a_mistake_is_one_sentence(repository: GitRepository) -> None:
    result = folkmoot(repository.folder, "review", "gone..main")
    assert (result.exit_code, result.stderr) == (2, "folkmoot: there is no commit 'gone' here\n")
    repository.write("a.py", FAULTY)
    debate = only_id(folkmoot(repository.folder, "run", "Tea?", *QUOTES, "--participants", "builtin"))
    result = folkmoot(repository.folder, "review", "--again", debate)
    assert (result.exit_code, "is not a review; its protocol is panel" in result.stderr) == (1, True)
    result = folkmoot(repository.folder, "review", "--again", debate, "a.py")
    assert (result.exit_code, "what it reviews is on record" in result.stderr) == (2, True)
    result = folkmoot(repository.folder, "review", *QUOTES, "-o", "nowhere/x")
    assert (result.exit_code, "the review cannot be written" in result.stderr) == (1, True)


def test_a_review_that_stops_at_a_limit_is_taken_up_again(repository: GitRepository) -> None:
    repository.write("a.py", FAULTY)
    result = folkmoot(repository.folder, "review", *QUOTES, "--seconds", "0.01", "--reviewers", "5")
    if result.exit_code == 4:  # a quick machine may be done before
        assert "resume it with: folkmoot review --again" in result.stderr
        result = folkmoot(repository.folder, "review", "--again", "last")
    assert result.exit_code in (4, 7)


def test_a_pull_request_is_reviewed_and_posted_only_when_that_is_wanted(repository: GitRepository) -> None:
    base = repository.git("rev-parse", "HEAD").strip()
    head = repository.commit(a__py=FAULTY)
    with serving(SmallGitHub(base=base, head=head)) as place:
        env = place.env()
        result = folkmoot(repository.folder, "review", *QUOTES, "--pr", "7", **env)
        assert (result.exit_code, place.written()) == (7, []), result.output
        debate = only_id(result)
        for edited in ("posted", "edited"):
            result = folkmoot(repository.folder, "review", "--again", debate, "--post", **env)
            assert (result.exit_code, f"folkmoot: {edited} the comment: https://" in result.stderr) == (7, True)
        (comment,) = place.comments
        assert str(comment["body"]).startswith(f"<!-- folkmoot-review:1 head={head} -->\n")
        assert f"(https://github.com/ann/x/blob/{head}/a.py#L2-L2)" in str(comment["body"])
        assert len(place.written()) == 2
        place.refuses["/repos/ann/x/issues/7/comments"] = 403
        result = folkmoot(repository.folder, "review", "--again", debate, "--post", **env)
        assert (result.exit_code, "F1  survived" in result.stdout) == (2, True)
        assert "folkmoot: the token may not do that, or has asked too often (403" in result.stderr


def test_what_was_pushed_later_is_reviewed_alone_and_commented_at_its_lines(repository: GitRepository) -> None:
    base = repository.git("rev-parse", "HEAD").strip()
    first = repository.commit(a__py=FAULTY)
    words = ("review", *QUOTES, "--pr", "7", "--new", "--post", "--lines")
    with serving(SmallGitHub(base=base, head=first)) as place:
        env = place.env()
        result = folkmoot(repository.folder, *words, **env)
        assert result.exit_code == 7, result.output
        assert len(place.comments) == 1
        before = [str(comment["path"]) for comment in place.lines]
        assert before.count("a.py") == len(before) > 0
        again = folkmoot(repository.folder, "review", "--again", "last", "--post", "--lines", **env)
        assert "0 comments at lines" in again.stderr
        assert len(place.lines) == len(before)  # each finding once
        result = folkmoot(repository.folder, *words, **env)
        assert (result.exit_code, "nothing to review" in result.stderr) == (0, True), result.output
        place.head = repository.commit(b__py=FAULTY)
        place.new_diff = "there is some"
        result = folkmoot(repository.folder, *words, **env)
        assert result.exit_code == 7, result.output
        assert "1 file, 2 lines to review" in result.stderr
        assert len(place.comments) == 2  # the earlier one stays, for it is about the earlier commits
        assert f"only what was pushed since {first[:12]}" in str(place.comments[1]["body"])
        assert {str(comment["path"]) for comment in place.lines} == {"a.py", "b.py"}
        place.new_diff = ""  # history was rewritten
        place.head = repository.commit(c__py=FAULTY)
        assert "3 files, " in folkmoot(repository.folder, *words, **env).stderr


def test_lines_that_github_does_not_take_lose_nothing(repository: GitRepository) -> None:
    base = repository.git("rev-parse", "HEAD").strip()
    with serving(SmallGitHub(base=base, head=repository.commit(a__py=FAULTY))) as place:
        place.refuses["/repos/ann/x/pulls/7/reviews"] = 422
        result = folkmoot(repository.folder, "review", *QUOTES, "--pr", "7", "--post", "--lines", **place.env())
        assert (result.exit_code, len(place.comments)) == (7, 1), result.output
        place.refuses["/repos/ann/x/pulls/7/reviews"] = 403
        result = folkmoot(repository.folder, "review", "--again", "last", "--post", "--lines", **place.env())
        assert result.exit_code == 2


def test_a_project_says_which_files_are_reviewed_and_by_which_rules(repository: GitRepository) -> None:
    repository.write("a.py", FAULTY)
    repository.write("folkmoot.toml", '[review]\nexclude = ["*.md", "gen/*"]\n')
    repository.write("REVIEW.md", "Money is in cents, never a float.\n")
    repository.write("AGENTS.md", "Run the tests.\n")
    repository.git("add", "-N", ".")
    result = folkmoot(repository.folder, "review", *QUOTES, "--format", "json", "-o", "r.json")
    assert result.exit_code == 7, result.output
    data = json.loads((repository.folder / "r.json").read_text())
    assert {file["path"] for file in data["artefact"]["files"]} == {"a.py", "folkmoot.toml"}
    assert "2 files by [review] of folkmoot.toml" in result.stderr
    assert "rules of REVIEW.md" in result.stderr
    record = folkmoot(repository.folder, "show", "last", "--json").stdout
    assert "Money is in cents" in record
    assert "Run the tests." not in record
    assert "rules of" not in folkmoot(repository.folder, "review", *QUOTES, "--no-rules").stderr
    repository.write("folkmoot.toml", "[review]\nexclude = 1\n")
    result = folkmoot(repository.folder, "review", *QUOTES)
    assert (result.exit_code, "review.exclude" in result.stderr) == (2, True)


def test_rules_that_are_a_link_out_of_the_project_are_not_read(repository: GitRepository, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("the secret", "utf-8")
    (repository.folder / "REVIEW.md").symlink_to(tmp_path / "secret")
    repository.write("a.py", FAULTY)
    assert "rules of" not in folkmoot(repository.folder, "review", *QUOTES).stderr


def test_a_finding_that_is_ignored_stays_away_for_good(repository: GitRepository) -> None:
    repository.write("a.py", FAULTY)
    first = folkmoot(repository.folder, "review", *QUOTES, "--format", "json")
    ids = [item["id"] for item in json.loads(first.stdout)["findings"] if item["state"] == "survived"]
    for id in [*ids, ids[0]]:  # once more changes nothing
        words = ("--again", "last", "--ignore", id, "--because", "only in a test")
        assert folkmoot(repository.folder, "review", *words).exit_code == 0
    assert (repository.folder / "REVIEW.ignore").read_text().count("only in a test") == len(ids)
    repository.write("a.py", f"# moved\n{FAULTY}")
    result = folkmoot(repository.folder, "review", *QUOTES, "--format", "json")
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert (data["ignored"], data["counts"]["survived"]) == (len(ids), 0)
    assert folkmoot(repository.folder, "review", "--again", "last", "--ignore", "F99", "--because", "x").exit_code == 2
    repository.write("REVIEW.ignore", "F1 is fine\n")
    result = folkmoot(repository.folder, "review", "--again", "last")
    assert (result.exit_code, "REVIEW.ignore:1" in result.stderr) == (2, True)


def test_the_author_disputes_a_finding_once(repository: GitRepository) -> None:
    repository.write("a.py", FAULTY)
    debate = only_id(folkmoot(repository.folder, "review", *QUOTES))
    words = ("review", "--again", debate, "--because", "It is wanted.\n\nReally.")
    result = folkmoot(repository.folder, *words, "--dispute", "f1", "--cite", "a.py:2")
    assert (result.exit_code, f"{debate} with the dispute of F1; at most 1 question" in result.stderr) == (0, True)
    assert "F1  contested  high security  a.py:2" in result.stdout
    assert "disputed: It is wanted." in result.stdout
    copy = only_id(result)
    assert "F1  survived" in folkmoot(repository.folder, "review", "--again", debate).stdout
    for name, finding, cite, problem in (
        (copy, "F1", "a.py:2", "F1 was disputed before; one dispute is judged, once"),
        (debate, "F9", "a.py:2", f"{debate} has no finding 'F9'; it has F1 and F2"),
        (debate, "F2", "b.py:2", "what you cite proves nothing: b.py is no file of what is reviewed"),
    ):
        words = ("review", "--again", name, "--because", "No.")
        result = folkmoot(repository.folder, *words, "--dispute", finding, "--cite", cite)
        assert (result.exit_code, problem in result.stderr) == (2, True), result.stderr
    assert folkmoot(repository.folder, "verify", copy).exit_code == 0


def test_reviewers_read_the_words_of_commits_only_where_that_is_wanted(repository: GitRepository) -> None:
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.commit(a__py=FAULTY)
    for words, place in (((), "library"), (("--intent",), "background")):
        debate = only_id(folkmoot(repository.folder, "review", *QUOTES, *words))
        lines = folkmoot(repository.folder, "show", debate, "--json").stdout
        opened = json.loads(lines.split("\n", 1)[0])
        texts = {source["name"]: source["text"] for source in opened["body"]["brief"].get(place, [])}
        assert texts["author's words"] == "a change"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--post",), "--pr"),
        (("--dispute", "F1"), "--dispute needs --again ID"),
        (("--cite", "a.py:1"), "--cite belongs to --dispute"),
        (("--because", "no"), "--because belongs to --dispute or --ignore"),
        (("--ignore", "F1"), "--ignore needs --again ID"),
        (("--lines",), "--post"),
        (("--new",), "--pr"),
        (("--pr", "7", "a.py"), "--pr names what is reviewed"),
    ],
)
def test_options_that_do_not_fit_are_refused_first(
    repository: GitRepository, words: tuple[str, ...], problem: str
) -> None:
    result = folkmoot(repository.folder, "review", *words)
    assert (result.exit_code, problem in result.stderr) == (2, True), result.stderr


def test_a_finding_that_turned_out_true_is_noted(repository: GitRepository) -> None:
    repository.write("a.py", FAULTY)
    debate = only_id(folkmoot(repository.folder, "review", *QUOTES))
    assert (
        folkmoot(repository.folder, "learn", "resolve", f"{debate}#f1", "true").stdout
        == f"{debate}#F1 (survived) was true\n"
    )
    result = folkmoot(repository.folder, "learn", "resolve", "last#F7", "true")
    assert (result.exit_code, "has no finding 'F7'; it has F1 and F2" in result.stderr) == (2, True)
    assert folkmoot(repository.folder, "learn", "resolve", "last", "true").exit_code == 2
    assert (
        "no resolved findings of models yet"
        in folkmoot(repository.folder, "standings", "calibration", "--reviews").stdout
    )
    assert folkmoot(repository.folder, "standings", "calibration", "--reviews", "--json").stdout == "[]\n"


def test_the_report_of_a_review_has_its_findings(repository: GitRepository) -> None:
    repository.write("a.py", FAULTY)
    review = folkmoot(repository.folder, "review", *QUOTES)
    assert "F1  survived  high security  a.py:2" in review.stdout
    debate = only_id(review)
    text = folkmoot(repository.folder, "report", debate).stdout
    assert "\n## Findings\n" in text
    assert "| F1 | `a.py:2` | high (2 of 2) | survived | Reviewer 1 and Reviewer 2 |" in text
    page = folkmoot(repository.folder, "report", debate, "--format", "print").stdout
    assert "<h2>Findings</h2>" in page
    assert "<td><code>a.py:2</code></td>" in page
    data = json.loads(folkmoot(repository.folder, "report", debate, "--format", "json").stdout)
    assert data["review"]["findings"][0]["state"] == "survived"
