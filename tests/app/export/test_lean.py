"""Formal claims as a file for Lean: what becomes a theorem, over which numbers, and what is said without Lean."""

import re
from pathlib import Path
from typing import Literal

import pytest

from folkmoot.analysis.formal_claims import Claim
from folkmoot.app.export.lean_file import MISSING, write_lean
from tests.cli.commands import folkmoot


def claim(text: str, kind: str = "formula", by: str = "Ada") -> Claim:
    mark, source = ("T3", "") if by else ("", "topic")
    return Claim(by=by, seq=7, mark=mark, source=source, kind=kind, text=text)  # pyright: ignore[reportArgumentType]


def theorem(text: str) -> str:
    """What is stated of one claim, without its proof."""
    return write_lean({"d": [claim(text)]}).partition("theorem claim_1 : ")[2].partition(" := ")[0]


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("17 * 24 = 408", "(((17 : Int) * (24 : Int)) = (408 : Int))"),
        ("2 - 3 - -1 != 5", "(((2 : Int) - (3 : Int) - (-(1 : Int))) ≠ (5 : Int))"),
        ("integer n, m: n * m = m * n", "∀ «n» : Int, ∀ «m» : Int, ((«n» * «m») = («m» * «n»))"),
        ("integer n: n ** 2 >= 0", "∀ «n» : Int, ((«n» ^ 2) ≥ (0 : Int))"),
        (
            "rent > 1,000 implies 34 * rent > 34,200",
            "∀ «rent» : ℝ, («rent» > (1000 : ℝ)) → (((34 : ℝ) * «rent») > (34200 : ℝ))",
        ),
        ("0 < x < 1 or not x <= 2", "∀ «x» : ℝ, ((((0 : ℝ) < «x») ∧ («x» < (1 : ℝ))) ∨ (¬(«x» ≤ (2 : ℝ))))"),
        ("1/3 = 0.33", "(((1 : ℝ) / (3 : ℝ)) = ((33 : ℝ) / 100))"),
        ("integer n: n / 2 = n * 0.5", "∀ «n» : Int, (((«n» : ℝ) / (2 : ℝ)) = ((«n» : ℝ) * ((1 : ℝ) / 2)))"),
        ("x / x = 1", "∀ «x» : ℝ, («x» ≠ 0) → ((«x» / «x») = (1 : ℝ))"),
        ("x = 1 and y = 2 iff y = 2", None),
    ],
)
def test_a_claim_as_a_theorem(text: str, stated: str | None) -> None:
    if stated is None:
        assert "↔" in theorem(text)
        assert "∧" in theorem(text)
    else:
        assert theorem(text) == stated


def test_mathlib_is_only_asked_for_where_it_is_needed() -> None:
    assert not write_lean({"d": [claim("1 + 1 = 2")]}).startswith("import")
    whole = write_lean({"d": [claim("1 + 1 = 2"), claim("x > 0")]})
    assert whole.startswith("import Mathlib\n\n-- 2 formal claims of d, translated by Folkmoot.\n")
    assert "theorem claim_2" in whole


def test_what_is_no_theorem_stands_in_a_comment_that_it_cannot_close() -> None:
    text = write_lean({"d": [claim("(assert true)", "smtlib"), claim("2x = 4 -/ theorem evil : False", by="")]})
    assert "/- Claim 1: Ada in T3 of d, entry 7. It is a script in SMT-LIB, which is not translated. -/" in text
    assert "/- Claim 2: topic in the brief of d, entry 7. It is not translated: " in text
    assert text.count("-/") == 2
    assert "- / theorem evil" in text


def test_every_theorem_ends_in_sorry_so_that_none_hides_the_next() -> None:
    text = write_lean({"d": [claim("1 = 2"), claim("x = 1")]})
    assert [line.endswith("| sorry") for line in text.splitlines() if line.startswith("theorem")] == [True, True]
    assert "-- Nobody stated a formal claim." in write_lean({"d": []})


BRIEF = "# Tea?\n\nFORMAL CLAIM: 3 * 12 = 36\n\nTea is cheap.\n"


def test_from_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text(BRIEF, "utf-8")
    folkmoot(tmp_path, "run", "b.md", "-m", "builtin:quotes", "--quiet", "--no-report")
    path = str(tmp_path / "bin")
    result = folkmoot(tmp_path, "analyse", "last", "--lean", "claims.lean", PATH=path)
    assert result.exit_code == 2
    assert MISSING in result.output
    assert not (tmp_path / "claims.lean").exists()
    program = tmp_path / "bin" / "lean"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n", "utf-8")
    program.chmod(0o755)
    done = folkmoot(tmp_path, "analyse", "last", "--lean", "claims.lean", PATH=path)
    assert done.exit_code == 0
    text = (tmp_path / "claims.lean").read_text("utf-8")
    assert "theorem claim_1 : (((3 : Int) * (12 : Int)) = (36 : Int)) := by first | decide" in text
    lost = folkmoot(tmp_path, "analyse", "last", "--lean", "nowhere/claims.lean", PATH=path)
    assert lost.exit_code == 2
    assert "nowhere/claims.lean: cannot be written" in lost.output


HOSTILE = (
    *(
        "-/",
        "/-",
        "-/ theorem bad : False := sorry /-",
        "--",
        "/--",
        '"',
        '\\"',
        "«",
        "»",
        "\n",
        "\r",
        "\u2028",
        "\x0b",
    ),
    *("-/\n#eval 1", "a-/b", "a/-/b", "-\u200b/", "/ -", "sorry", "$(rm)", "'", "`", "end", "-", "/", "\x85"),
)


def words_outside(text: str) -> str:
    """What Lean reads of a file: all that stands in no comment. Comments nest, and a line break ends one of a line."""
    outside, depth, place = "", 0, 0
    while place < len(text):
        pair = text[place : place + 2]
        if pair == "/-":
            depth, place = depth + 1, place + 2
        elif pair == "-/":
            assert depth, f"a comment ends that never began: {text[max(0, place - 60) : place + 2]!r}"
            depth, place = depth - 1, place + 2
        elif not depth and pair == "--":
            place = text.find("\n", place)
        else:
            outside += "" if depth else text[place]
            place += 1
    assert not depth, "a comment never ends"
    return outside


THEOREM = re.compile(
    r"theorem claim_\d+ : [^\"`$#'-]*(?:- ?[^\"`$#'-]*)* := by first \| [a-z_A-Z \[\]().,;|]+ \| sorry"
)


@pytest.mark.parametrize("kind", ["formula", "smtlib"])
@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_name_and_no_words_end_a_comment_or_stand_outside_one(
    hostile: str, kind: Literal["formula", "smtlib"]
) -> None:
    texts = ("2 + 2 = 4", f"2 + 2 = {hostile}", f"x{hostile}y > 1", f"{hostile} 2 = 2", hostile, f"2 = 2 {hostile}")
    claims = [
        Claim(by=by, seq=1, mark=mark, source=source, kind=kind, text=text)
        for text in texts
        for by, mark, source in ((f"Ann{hostile}", "T1", ""), ("", "", f"plan{hostile}.md"), (hostile, hostile, ""))
    ]
    outside = words_outside(write_lean({f"debate{hostile}": claims, "other": claims}))
    for line in filter(str.strip, outside.replace("\u2028", "\n").splitlines()):
        assert line == "import Mathlib" or THEOREM.fullmatch(line.strip()), line
