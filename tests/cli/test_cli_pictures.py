"""A picture in a brief on the command line: seen or refused before it is paid, on record, and told when it changed."""

import hashlib
from pathlib import Path

from tests.cli.commands import QUOTES, moot
from tests.kits.pictures import png

BRIEF = "---\nbackground: [chart.png]\n---\n# Is the chart right?\n\n## Ada\nrole: Looks\n\n## Bo\nrole: Checks\n"


def test_a_picture_is_checked_recorded_and_compared(tmp_path: Path) -> None:
    tmp_path.joinpath("chart.png").write_bytes(png(640, 480))
    tmp_path.joinpath("chart.md").write_text(BRIEF)
    blind = moot(tmp_path, "check", "chart.md", "-m", "deepseek:deepseek-chat", DEEPSEEK_API_KEY="k")
    problem = "Ada: deepseek:deepseek-chat does not see pictures such as chart.png; choose another model"
    assert (blind.exit_code, " ".join(blind.output.split())) == (2, f"moot: {problem}")
    unknown = moot(tmp_path, "check", "chart.md", "-m", "compatible:mine", MOOT_BASE_URL="http://127.0.0.1:9")
    assert unknown.output.count("It is not known whether compatible:mine sees pictures.") == 1
    quotes = moot(tmp_path, "check", "chart.md", *QUOTES)
    assert "builtin:quotes sees no pictures; it quotes words only." in quotes.output
    ran = moot(tmp_path, "run", "chart.md", *QUOTES)
    assert ran.exit_code == 0
    assert moot(tmp_path, "receipt", "last", "-o", "receipt.json").exit_code == 0
    assert hashlib.sha256(png(640, 480)).hexdigest() in tmp_path.joinpath("receipt.json").read_text()
    same = moot(tmp_path, "stale", "last")
    assert same.exit_code == 0
    tmp_path.joinpath("chart.png").write_bytes(png(640, 481))
    assert "chart.png" in moot(tmp_path, "stale", "last").output


def test_what_is_no_picture_is_refused_with_the_line_of_the_brief(tmp_path: Path) -> None:
    tmp_path.joinpath("chart.png").write_bytes(b"GIF?")
    tmp_path.joinpath("chart.md").write_text(BRIEF)
    refused = moot(tmp_path, "check", "chart.md", *QUOTES)
    assert "chart.md:2: 'chart.png' is no picture and no PDF" in " ".join(refused.output.split())
