"""A picture in a brief on the command line: seen or refused before it is paid, on record, and told when it changed."""

import hashlib
from pathlib import Path

from tests.cli.commands import QUOTES, folkmoot
from tests.kits.pictures import png

BRIEF = "---\nbackground: [chart.png]\n---\n# Is the chart right?\n\n## Ada\nrole: Looks\n\n## Bo\nrole: Checks\n"


def test_a_picture_is_checked_recorded_and_compared(tmp_path: Path) -> None:
    tmp_path.joinpath("chart.png").write_bytes(png(640, 480))
    tmp_path.joinpath("chart.md").write_text(BRIEF)
    blind = folkmoot(tmp_path, "check", "chart.md", "-m", "deepseek:deepseek-chat", DEEPSEEK_API_KEY="k")
    problem = "Ada: deepseek:deepseek-chat does not see pictures such as chart.png; choose another model"
    assert (blind.exit_code, " ".join(blind.output.split())) == (2, f"folkmoot: {problem}")
    unknown = folkmoot(tmp_path, "check", "chart.md", "-m", "compatible:mine", FOLKMOOT_BASE_URL="http://127.0.0.1:9")
    assert unknown.output.count("It is not known whether compatible:mine sees pictures.") == 1
    quotes = folkmoot(tmp_path, "check", "chart.md", *QUOTES)
    assert "builtin:quotes sees no pictures; it quotes words only." in quotes.output
    ran = folkmoot(tmp_path, "run", "chart.md", *QUOTES)
    assert ran.exit_code == 0
    assert folkmoot(tmp_path, "report", "--receipt", "last", "-o", "receipt.json").exit_code == 0
    assert hashlib.sha256(png(640, 480)).hexdigest() in tmp_path.joinpath("receipt.json").read_text()
    same = folkmoot(tmp_path, "verify", "--documents", "last")
    assert same.exit_code == 0
    assert "stale" not in folkmoot(tmp_path, "list").output
    tmp_path.joinpath("chart.png").write_bytes(png(640, 481))
    assert "chart.png" in folkmoot(tmp_path, "verify", "--documents", "last").output
    assert "stale · no decision" in folkmoot(tmp_path, "list").output


def test_what_is_no_picture_is_refused_with_the_line_of_the_brief(tmp_path: Path) -> None:
    tmp_path.joinpath("chart.png").write_bytes(b"GIF?")
    tmp_path.joinpath("chart.md").write_text(BRIEF)
    refused = folkmoot(tmp_path, "check", "chart.md", *QUOTES)
    assert "chart.md:2: 'chart.png' is no picture and no PDF" in " ".join(refused.output.split())


SKIPPING = """---
background: [chart.png]
unseeing: skip
options: [yes, no]
---
# Is the chart right?

## Ada (builtin:quotes)
role: Looks

## Bo (builtin:quotes)
role: Checks

## Cy (deepseek:deepseek-chat)
role: Reads
"""


def test_whose_model_is_blind_is_left_out_where_the_brief_says_so(tmp_path: Path) -> None:
    tmp_path.joinpath("chart.png").write_bytes(png(640, 480))
    tmp_path.joinpath("chart.md").write_text(SKIPPING)
    words = "Cy is left out: deepseek:deepseek-chat does not see pictures such as chart.png"
    checked = folkmoot(tmp_path, "check", "chart.md", DEEPSEEK_API_KEY="k")
    assert checked.exit_code == 0, checked.output
    assert f"{words}." in " ".join(checked.output.split())
    ran = folkmoot(tmp_path, "run", "chart.md", DEEPSEEK_API_KEY="k")
    assert ran.exit_code == 0, ran.output
    assert words in " ".join(ran.output.split())
    report = folkmoot(tmp_path, "report", "last", "--format", "md", "-o", "-").output
    assert words in " ".join(report.split())
    assert folkmoot(tmp_path, "resume", "last").exit_code == 0, "the record holds whom it was debated by"
    tmp_path.joinpath("chart.md").write_text(SKIPPING.replace("unseeing: skip\n", ""))
    assert folkmoot(tmp_path, "check", "chart.md", DEEPSEEK_API_KEY="k").exit_code == 2


def test_a_blind_fallback_goes_and_its_participant_stays(tmp_path: Path) -> None:
    tmp_path.joinpath("chart.png").write_bytes(png(640, 480))
    brief = SKIPPING.replace("(deepseek:deepseek-chat)\n", "(openai:gpt-5)\nfallback: [deepseek:deepseek-chat]\n")
    tmp_path.joinpath("chart.md").write_text(brief)
    checked = folkmoot(tmp_path, "check", "chart.md", OPENAI_API_KEY="k", DEEPSEEK_API_KEY="k")
    assert checked.exit_code == 0, checked.output
    words = "the fallback of Cy is left out: deepseek:deepseek-chat does not see pictures such as chart.png."
    assert words in " ".join(checked.output.split())


def test_too_few_who_see_are_refused(tmp_path: Path) -> None:
    tmp_path.joinpath("chart.png").write_bytes(png(640, 480))
    blind = SKIPPING.replace("## Bo (builtin:quotes)", "## Bo (deepseek:deepseek-chat)")
    tmp_path.joinpath("chart.md").write_text(blind)
    refused = folkmoot(tmp_path, "check", "chart.md", DEEPSEEK_API_KEY="k")
    assert refused.exit_code == 2
    problem = "without those who do not see pictures only Ada is left; a debate needs two (chart.png)"
    assert problem in " ".join(refused.output.split())
