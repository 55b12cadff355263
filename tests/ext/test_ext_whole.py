"""Each kind of extension as a package of its own, through the command line from the brief to the report."""

import ast
import json
import re
from pathlib import Path

import pytest
from click.testing import Result

from tests.cli.commands import QUOTES, folkmoot, only_id
from tests.docs.test_docs import FENCE
from tests.ext.ext_kit import HERE, Install, remove
from tests.paths import ROOT

TOPIC = "# Should the town keep its pool?\n\nIt costs $210,000 a year. It had 31,000 visitors. A roof costs $1.9m.\n"
FOUR = "".join(f"\n## {name}\nrole: {role}\n\nSpeak.\n" for name, role in (
    ("Ann", "for"), ("Bob", "against"), ("Cem", "costs"), ("Dee", "children"),
))  # fmt: skip


def brief(folder: Path, header: str, people: str = FOUR) -> str:
    (folder / "b.md").write_text(f"---\n{header}\n---\n{TOPIC}{people}", "utf-8")
    return "b.md"


def flat(text: str) -> str:
    return " ".join(text.split())


def test_a_protocol_with_options_runs_is_reported_and_is_named_on_record(install: Install, tmp_path: Path) -> None:
    site = install("folkmoot_six_hats")
    name = brief(tmp_path, "protocol: six_hats\nprotocol_options: {hats: [white, black, blue]}")
    checked = folkmoot(tmp_path, "check", name, *QUOTES)
    assert checked.exit_code == 0, checked.output
    assert "It uses folkmoot-six-hats 1.0 for protocol six_hats." in flat(checked.output)
    ran = folkmoot(tmp_path, "run", name, *QUOTES, "--quiet", "--no-report")
    assert ran.exit_code in (0, 3), ran.output
    page = folkmoot(tmp_path, "report", "last").output
    assert "hats white, black, blue" in page
    assert "uses folkmoot-six-hats 1.0 for protocol six_hats" in page.replace("\\", "")
    assert "yellow" not in page
    remove(site)
    # The tree is made of Folkmoot's own parts: nothing needs the package any more.
    verified = folkmoot(tmp_path, "verify", "last")
    assert verified.exit_code == 0, verified.output
    assert folkmoot(tmp_path, "report", "last").output == page


def test_an_option_that_does_not_fit_names_its_line(install: Install, tmp_path: Path) -> None:
    install("folkmoot_six_hats")
    for text, sentence in (
        ("{hats: [white, mauve]}", "b.md:3: protocol_options.hats cannot be 'mauve'; allowed are white, red"),
        ("{hat: [white]}", "b.md:3: six_hats has no option 'hat'; did you mean 'hats'?"),
        ("{hats: 3}", "b.md:3: protocol_options.hats is 3; it must be a list of texts"),
        ("{hats: {white: yes}}", "b.md:3: "),
    ):
        refused = folkmoot(tmp_path, "check", brief(tmp_path, f"protocol: six_hats\nprotocol_options: {text}"), *QUOTES)
        assert refused.exit_code == 2, refused.output
        assert sentence in flat(refused.output)
    refused = folkmoot(tmp_path, "check", brief(tmp_path, "protocol: panel\nprotocol_options: {hats: [red]}"), *QUOTES)
    assert "b.md:3: panel has no protocol_options" in flat(refused.output)


def pause_a_steelman(folder: Path) -> Result:
    """Run a debate of the package ``folkmoot-steelman`` until its sixth question."""
    name = brief(folder, "protocol: steelman")
    return folkmoot(folder, "run", name, *QUOTES, "--quiet", "--no-report", "--max-questions", "6")


def test_a_debate_whose_package_is_gone_is_listed_reported_and_verified_as_far_as_can_be(
    install: Install, tmp_path: Path
) -> None:
    site = install("folkmoot_steelman")
    ran = pause_a_steelman(tmp_path)
    assert "folkmoot-steelman:Steelman" not in ran.output
    debate = only_id(folkmoot(tmp_path, "list"))
    remove(site)
    assert debate in folkmoot(tmp_path, "list").output
    assert "pool" in folkmoot(tmp_path, "report", "last").output
    need = "the debate needs folkmoot-steelman 1.0 for its Steelman; that package is not installed"
    verified = folkmoot(tmp_path, "verify", "last")
    assert verified.exit_code == 1
    assert "every hash is right, head" in flat(verified.output)
    assert need in flat(verified.output)
    resumed = folkmoot(tmp_path, "resume", "last")
    assert resumed.exit_code == 1
    assert need in flat(resumed.output)
    install("folkmoot_steelman", version="1.1", code="def steelman(brief, choices): ...")
    changed = folkmoot(tmp_path, "resume", "last")
    assert "the debate needs folkmoot-steelman 1.0 for its Steelman; folkmoot-steelman 1.1 has no Steelman" in flat(
        changed.output
    )
    install("folkmoot_steelman")
    resumed = folkmoot(tmp_path, "resume", "last", "--max-questions", "60")
    assert resumed.exit_code in (0, 3), resumed.output
    assert folkmoot(tmp_path, "verify", "last").exit_code == 0


def test_a_debate_whose_package_is_gone_is_shown_and_one_whose_package_changed_says_so(
    install: Install, tmp_path: Path
) -> None:
    site = install("folkmoot_steelman")
    pause_a_steelman(tmp_path)
    remove(site)
    shown = folkmoot(tmp_path, "show", "last")
    assert shown.exit_code == 0, shown.output
    assert "paused" in shown.output
    broken = install("folkmoot_steelman", version="1.0.1", code="def steelman(:")
    unplayed = flat(folkmoot(tmp_path, "verify", "last").output)
    assert "every hash is right, head" in unplayed
    assert "folkmoot-steelman" in unplayed
    remove(broken)
    install("folkmoot_steelman", version="1.2")
    resumed = folkmoot(tmp_path, "resume", "last", "--max-questions", "60")
    assert resumed.exit_code in (0, 3), resumed.output
    other = "folkmoot-steelman is 1.2 here; the debate began with 1.0"
    assert other in flat(resumed.output)
    verified = folkmoot(tmp_path, "verify", "last")
    assert verified.exit_code == 0
    assert other in flat(verified.output)


def test_a_rule_with_scores_decides_is_recounted_and_keeps_its_options(install: Install, tmp_path: Path) -> None:
    install("folkmoot_star")
    name = brief(tmp_path, "protocol: panel\nstrategy: star\nstrategy_options: {finalists: 3}")
    ran = folkmoot(tmp_path, "run", name, *QUOTES, "--quiet", "--no-report")
    assert ran.exit_code in (0, 3), ran.output
    page = folkmoot(tmp_path, "report", "last").output.replace("\\", "")
    assert "runoff of" in page
    assert "folkmoot-star 2.1" in page
    shown = flat(folkmoot(tmp_path, "show", "last").output)
    assert "not readable" not in shown
    assert re.search(r"scores .* [0-9](, .* [0-9])+", shown)
    counted = folkmoot(tmp_path, "show", "--recount", "last", "--json")
    assert counted.exit_code == 0, counted.output
    data = json.loads(counted.output)
    rules = {line["rule"]: line for line in data["counts"]}
    assert {"star", "borda", "schulze"} <= rules.keys()
    assert data["recorded"] == "star"
    assert folkmoot(tmp_path, "verify", "last").exit_code == 0


def test_a_report_format_is_written_and_an_unknown_one_is_named(install: Install, tmp_path: Path) -> None:
    install("folkmoot_slides")
    folkmoot(tmp_path, "run", brief(tmp_path, "protocol: panel"), *QUOTES, "--quiet", "--no-report")
    slides = folkmoot(tmp_path, "report", "last", "--format", "slides").output
    assert slides.count("\n---\n") == 2
    assert slides.startswith("# Should the town keep its pool?")
    refused = folkmoot(tmp_path, "report", "last", "--format", "slide")
    assert refused.exit_code == 2
    assert "there is no format 'slide'; did you mean 'slides'?" in flat(refused.output)


def test_the_plugins_are_listed_with_what_is_broken(install: Install, tmp_path: Path) -> None:
    assert "No package adds anything" in folkmoot(tmp_path, "config", "plugins").output
    for package in ("folkmoot_six_hats", "folkmoot_say", "folkmoot_slides", "folkmoot_dice"):
        install(package)
    listed = folkmoot(tmp_path, "config", "plugins")
    assert listed.exit_code == 0, listed.output
    assert [line.split() for line in listed.output.splitlines() if not line.startswith(" ")] == [
        ["protocol", "six_hats", "folkmoot-six-hats", "1.0"],
        ["provider", "say", "folkmoot-say", "0.3"],
        ["tool", "dice", "folkmoot-dice", "1.0"],
        ["report", "slides", "folkmoot-slides", "1.2"],
    ]
    assert "most: The most dice that can be counted. · a whole number" in flat(listed.output)
    install("folkmoot_star", code="import nothing_of_that_name")
    broken = folkmoot(tmp_path, "config", "plugins", "--json")
    assert broken.exit_code == 1
    star = next(row for row in json.loads(broken.output) if row["name"] == "star")
    assert star["package"] == "folkmoot-star"
    assert "ModuleNotFoundError: No module named 'nothing_of_that_name'" in star["broken"]


def test_the_page_shows_the_packages_that_are_tested_here() -> None:
    page = (ROOT / "docs/how-to/extend-folkmoot.md").read_text("utf-8")
    files = {path.name: path for path in HERE.rglob("*") if path.suffix in (".py", ".toml")}
    blocks = {
        match_["info"].split("file=")[1].split()[0]: match_["body"]
        for match_ in FENCE.finditer(page)
        if "file=folkmoot-" in match_["info"]
    }
    assert {name.split("/")[0].replace("-", "_") for name in blocks} == {path.name for path in HERE.iterdir()}
    for name, text in blocks.items():
        path = HERE / name.split("/")[0].replace("-", "_") / name.split("/")[1]
        assert text == path.read_text("utf-8"), name
    assert files


def test_an_extension_imports_nothing_but_the_public_module() -> None:
    for path in HERE.rglob("*.py"):
        imported = re.findall(r"^(?:from|import) (folkmoot[\w.]*)", path.read_text("utf-8"), re.MULTILINE)
        assert set(imported) == {"folkmoot.ext"}, path


def test_every_public_name_for_extensions_is_there_and_typed() -> None:
    import folkmoot.ext

    for name in folkmoot.ext.__all__:
        assert getattr(folkmoot.ext, name) is not None
    source = (ROOT / "src/folkmoot/ext.py").read_text("utf-8").partition("del TYPE_CHECKING")[0]
    typed = {alias.asname or alias.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)
             for alias in node.names}  # fmt: skip
    assert typed - {"Mapping", "import_module"} == set(folkmoot.ext.__all__)
    assert dir(folkmoot.ext) == sorted(folkmoot.ext.__all__)
    with pytest.raises(AttributeError, match=r"module 'folkmoot.ext' has no attribute 'Nothing'"):
        _ = folkmoot.ext.Nothing
