"""Every mistake gets one clear sentence on stderr and the right exit code, and nobody ever sees a traceback."""

import subprocess
import sys
from pathlib import Path

import pytest

from folkmoot.cli.main import COMMANDS
from tests.cli.commands import BRIEF, QUOTES, folkmoot, settle

SHORT = ("run", "Tea or coffee?")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("run", "absent.md"),
            "absent.md: there is no such file; check the path, or write a new brief with folkmoot new",
        ),
        (("run", "some/where"), "some/where: there is no such file"),
        (("run", "What is this.txt"), "there is no such file"),
        (("run", "word"), "word: there is no such file; put a question in quotes"),
        (("run", " "), "the brief is empty"),
        (("run", "."), ".: this is a folder; name one of the briefs in it"),
        (("run", "latin.md"), "latin.md: this is not text in UTF-8"),
        (("check", "typo.md"), "typo.md:2: there is no key 'protcol' in a header; did you mean 'protocol'?"),
        (
            ("check", "nested.md"),
            "nested.md:2: there is no key 'turn_seconds' in a header; it belongs under limits; write limits: "
            "{turn_seconds: …}",
        ),
        (("check", "empty.md"), "empty.md:3: is 'Ada' a participant or background? For it has no text. Add a line"),
        (
            ("check", "persona.md"),
            "persona.md:5: 'You like growth.' has no key; write key: value, and put an empty line between keys and a",
        ),
        ((*SHORT, "--set", "turn_seconds=20"), "no key 'turn_seconds' to set; did you mean 'limits.turn_seconds'?"),
        ((*SHORT, "-m", "retriever"), "a retriever only recalls and never debates; name a model (provider:name) or"),
        ((*SHORT, "-m", "builtin:magic"), "there is no model builtin:magic; the built-in one is builtin:quotes"),
        ((*SHORT, "-m", "nobody:x"), "'nobody:x' has no known provider of models"),
        ((*SHORT, "-m", "openai:gpt-5"), "openai needs a key: set OPENAI_API_KEY"),
        ((*SHORT, "--protocol", "nope"), "no protocol is called 'nope'; there are panel, council"),
        ((*SHORT, "--strategy", "ranked_reasons"), "panel cannot be decided by 'ranked_reasons'; it takes majority"),
        (
            (*SHORT, "--protocol", "round_robin", "--strategy", "moderator"),
            "round_robin cannot be decided by 'moderator'",
        ),
        ((*SHORT, "--topology", "moon"), "there is no topology 'moon'; there are all-to-all"),
        ((*SHORT, "--topology", "ring"), "panel does not support a topology; arena does"),
        ((*SHORT, "--rounds", "9"), "panel has at most 3 rounds, not 9"),
        ((*SHORT, "--rounds", "-1"), "--rounds must be from 0 to 20, not -1. Try `folkmoot run --help`."),
        (("list", "-n", "0"), "--limit must be from 1 to 1,000,000, not 0. Try"),
        ((*SHORT, "-m", "Ann=builtin:quotes"), "write model: builtin:quotes below ## Ann in the brief. Try"),
        (("rum", "x.md"), "No such command 'rum'. Did you mean: folkmoot run? Try"),
        ((*SHORT, "--budget", "1", "-m", "ollama:x", "-m", "compatible:y"), "the price of compatible:y is unknown"),
        ((*SHORT, "-o", "typo.md"), "is a file"),
        (("no-such-command",), "No such command 'no-such-command'. Try `folkmoot --help`."),
        (("resume", "last", "--zzzzzz"), "No such option '--zzzzzz'. Try `folkmoot resume --help`."),
        (("verify", "last", "--head", "12"), "--head needs"),
    ],
)
def test_mistakes_of_the_user_end_with_2(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    (tmp_path / "latin.md").write_bytes("# Für oder wider?".encode("latin-1"))
    (tmp_path / "nested.md").write_text("---\nturn_seconds: 20\n---\n# Is it?\n", "utf-8")
    (tmp_path / "empty.md").write_text("# Is it?\n\n## Ada\n\n## Bo\n", "utf-8")
    (tmp_path / "persona.md").write_text("# Is it?\n\n## Ada\nrole: CFO\nYou like growth.\n\n## Bo\n", "utf-8")
    (tmp_path / "typo.md").write_text("---\nprotcol: panel\n---\n# Is it?\n", "utf-8")
    ran = folkmoot(tmp_path, *words, FOLKMOOT_BASE_URL="http://127.0.0.1:9")
    assert ran.stderr.startswith("folkmoot: ")
    assert message in ran.stderr
    assert ran.stderr.count("\n") == 1
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert "debates" not in [path.name for path in tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("resume", "zzz"), "there is no debate 'zzz'"),
        (("show", "last"), "there is no debate 'last'"),
        (("report", "zzz"), "there is no debate"),
        (("verify", "zzz"), "there is no debate"),
        (("--store", "text.md", "list"), "text.md cannot be used"),
        (("list", "--store", "text.md"), "text.md cannot be used"),
        (("new", "text.md/brief"), "cannot be written"),
    ],
)
def test_other_errors_end_with_1(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    (tmp_path / "text.md").write_text("no database, but a text that is long enough to be looked at\n" * 20, "utf-8")
    ran = folkmoot(tmp_path, *words)
    assert message in ran.stderr
    assert (ran.exit_code, ran.stderr.count("\n"), ran.stdout) == (1, 1, "")


def test_a_current_folder_that_was_deleted_is_named(tmp_path: Path) -> None:
    settings, gone = settle(tmp_path), tmp_path / "gone"
    gone.mkdir()
    command = ["/bin/sh", "-c", 'rmdir "$PWD"; exec "$0" -m folkmoot worker queue', sys.executable]
    ended = subprocess.run(command, env=settings, cwd=gone, capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == "folkmoot: the current folder has been deleted; go to another one\n"


def test_a_report_that_cannot_be_saved_is_said_and_the_debate_is_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    ran = folkmoot(tmp_path, "run", str(BRIEF), *QUOTES, "-o", "file/deeper")
    assert ran.exit_code == 0
    assert "the report was not saved: Not a directory: file/deeper; to write it: folkmoot report " in ran.stderr
    failed = folkmoot(tmp_path, "report", "last", "-o", "file/deeper")
    assert (failed.exit_code, "file/deeper cannot be written" in failed.stderr) == (1, True)


def test_nothing_at_all_shows_help(tmp_path: Path) -> None:
    ran = folkmoot(tmp_path)
    assert (ran.exit_code, "Run a debate." in ran.stdout) == (2, True)


def test_a_fault_of_our_own_is_one_sentence_and_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("folkmoot.cli.main.COMMANDS", {**COMMANDS, "list": ("Read", "records:absent")})
    ran = folkmoot(tmp_path, "list", TMPDIR=str(tmp_path))
    assert ran.exit_code == 1
    assert ran.stderr.startswith("folkmoot: internal error: AttributeError: ")
    path = Path(ran.stderr.partition("details in ")[2].strip().removesuffix(")"))
    assert "Traceback" in path.read_text("utf-8")
    path.unlink()


@pytest.mark.system
@pytest.mark.parametrize("words", [("show", "last"), ("show", "last", "--json"), ("report", "last"), ("list",)])
def test_a_reader_that_goes_away_is_no_error(tmp_path: Path, words: tuple[str, ...]) -> None:
    folkmoot(tmp_path, "run", str(BRIEF), *QUOTES, "--no-report")
    command = [sys.executable, "-m", "folkmoot", *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=settle(tmp_path), cwd=tmp_path, text=True
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(120) == 1


@pytest.mark.system
def test_a_debate_whose_reader_goes_away_is_kept(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "folkmoot", "run", str(BRIEF), *QUOTES, "--json", "--no-report"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=settle(tmp_path), cwd=tmp_path, text=True
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert "internal" not in process.stderr.read()
        assert process.wait(120) == 1
    assert folkmoot(tmp_path, "resume", "last", "--no-report").exit_code == 0


def test_a_wrong_setting_of_batches_stops_no_debate_that_has_none(tmp_path: Path) -> None:
    limit = ("--max-questions", "2", "--quiet", "--no-report")
    ran = folkmoot(tmp_path, "run", str(BRIEF), *QUOTES, *limit, FOLKMOOT_BATCH_LOOK="soon")
    assert (ran.exit_code, "FOLKMOOT_BATCH_LOOK" in ran.output) == (4, False), ran.output


def test_a_bare_question_without_a_model_says_what_is_needed_and_records_nothing(tmp_path: Path) -> None:
    ran = folkmoot(tmp_path, "run", "Should we fix the boat?")
    assert ran.exit_code == 2
    assert "folkmoot models" in ran.stderr
    assert "no debates yet" in folkmoot(tmp_path, "list").output
