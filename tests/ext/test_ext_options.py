"""Options of each kind of extension: declared, checked with their line, kept on record, told, and used."""

import json
import re
from pathlib import Path

import pytest

from folkmoot.core.extensions import options_of, with_options
from folkmoot.ext import ProtocolError
from tests.cli.commands import QUOTES, folkmoot
from tests.council.agents import own_place
from tests.ext.ext_kit import Install, remove
from tests.ext.test_ext_models_tools import Server, server
from tests.ext.test_ext_whole import brief, flat
from tests.mcp.mcp_kit import place, runner_in
from tests.web.web_kit import opened

__all__ = ["server"]

ALL = ("folkmoot_six_hats", "folkmoot_star", "folkmoot_say", "folkmoot_slides", "folkmoot_dice", "folkmoot_steelman")
API = "/api/v1"
QUESTION = "# Should the town keep its pool?\n\nIt costs $210,000 a year. It had 31,000 visitors.\n"
HEADER = """protocol: panel
tool_options:
  dice: {most: 3}
provider_options:
  say: {voice: low}
report_options: {slides: {people: no}}"""


def install_all(install: Install) -> None:
    for package in ALL:
        install(package)


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        ("tool_options: {dice: {most: 9}}", "b.md:2: tool_options.dice.most must have at least 1 and at most 7, not 9"),
        (
            "rounds: 1\ntool_options:\n  dice:\n    most: many",
            "b.md:5: tool_options.dice.most is 'many'; it must be a whole",
        ),
        ("tool_options: {dice: {most: .nan}}", "b.md:2: tool_options.dice.most is '.nan'; it must be a whole"),
        ("tool_options: {dice: {many: 3}}", "b.md:2: dice has no option 'many'; there are most"),
        ("tool_options: {dice: 3}", "b.md:2: tool_options.dice is '3'; it must be a table of its options"),
        ("tool_options: {search: {most: 3}}", "b.md:2: tool_options.search: no package offers a tool of that name"),
        ("tool_options: {dcie: {most: 3}}", "did you mean 'dice'?"),
        (
            "provider_options: {say: {voice: high}}",
            "b.md:2: provider_options.say.voice cannot be 'high'; allowed are plain, low",
        ),
        (
            "provider_options: {openai: {voice: low}}",
            "b.md:2: provider_options.openai: no package offers a provider of that name",
        ),
        ("report_options: {slides: {people: 3}}", "b.md:2: report_options.slides.people is 3; it must be yes or no"),
        ("report_options: {md: {people: yes}}", "b.md:2: report_options.md: no package offers a report of that name"),
        ("strategy_options: {least: 0}", "b.md:2: the default strategy has no strategy_options"),
        ("strategy: star\nstrategy_options: {least: 0}", "b.md:3: star has no option 'least'; there are finalists"),
    ],
)
def test_an_option_that_does_not_fit_is_refused_with_its_line(
    install: Install, tmp_path: Path, header: str, sentence: str
) -> None:
    install_all(install)
    refused = folkmoot(tmp_path, "check", brief(tmp_path, header), *QUOTES)
    assert refused.exit_code == 2, refused.output
    assert flat(sentence) in flat(refused.output)


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("tool_options.dice.most=9", "tool_options.dice.most must have at least 1 and at most 7, not 9"),
        ("strategy_options.least=0", "the default strategy has no strategy_options"),
        ("protocol_options.hats=red", "panel has no protocol_options"),
        ("tool_options.dice=9", "tool_options.dice is '9'; it must be a table of its options"),
        ("tool_options=9", "tool_options is '9'; it must be a table, such as {dice: {most: 4}}"),
        ("rounds.most=9", "there is no key 'rounds.most' to set"),
        ("tool_options.dice.Most=9", "'Most' cannot be an option in tool_options.dice"),
        ("tool_options.d!.most=9", "'d!' cannot be a name in tool_options"),
    ],
)
def test_an_option_on_the_command_line_is_refused_by_the_same_sentence(
    install: Install, tmp_path: Path, setting: str, sentence: str
) -> None:
    install_all(install)
    refused = folkmoot(tmp_path, "check", brief(tmp_path, "protocol: panel"), *QUOTES, "--set", setting)
    assert refused.exit_code == 2, refused.output
    assert sentence in flat(refused.output)


def test_options_reach_their_extensions_and_stand_on_record(install: Install, server: Server, tmp_path: Path) -> None:
    install_all(install)
    name, env = brief(tmp_path, f"{HEADER}\nmodel: say:parrot"), {"SAY_BASE_URL": server.url}
    ran = folkmoot(tmp_path, "run", name, "--quiet", "--no-report", "--max-questions", "5", **env)
    assert ran.exit_code == 4, ran.output
    resumed = folkmoot(tmp_path, "resume", "last", "--no-report", "--max-questions", "90", **env)
    assert resumed.exit_code in (0, 3), resumed.output
    assert {*server.voices} == {"low"}
    entries = [json.loads(line) for line in folkmoot(tmp_path, "show", "last", "--json").output.splitlines()]
    options = {"tool_options.dice.most": 3, "provider_options.say.voice": "low", "report_options.slides.people": False}
    assert entries[0]["body"]["settings"].items() >= options.items()
    page = folkmoot(tmp_path, "report", "last").output.replace("\\", "")
    assert "dice most 3" in page
    assert "say voice low" in page
    # What the brief sets for a format holds, until a command sets something else.
    assert folkmoot(tmp_path, "report", "last", "--format", "slides").output.count("\n---\n") == 1
    shown = folkmoot(tmp_path, "report", "last", "--format", "slides", "--set", "people=yes").output
    assert shown.count("\n---\n") == 2
    # The same brief once more keeps them, also where the protocol is built anew.
    for more in ((), ("--rounds", "2")):
        again = folkmoot(tmp_path, "again", "last", *more, "--quiet", "--no-report", "--max-questions", "90", **env)
        assert again.exit_code in (0, 3), again.output
        entries = [json.loads(line) for line in folkmoot(tmp_path, "show", "last", "--json").output.splitlines()]
        assert entries[0]["body"]["settings"].items() >= options.items()
    server.voices.clear()
    plain = folkmoot(
        tmp_path, "run", name, "--quiet", "--no-report", "--set", "provider_options.say.voice=plain", **env
    )
    assert plain.exit_code in (0, 3), plain.output
    assert {*server.voices} == {"plain"}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("slides", "--set", "people=3"), "report_options.slides.people is 3; it must be yes or no"),
        (("slides", "--set", "many=3"), "slides has no option 'many'; there are people"),
        (("slides", "--set", "people"), "--set: 'people' is not a setting; write KEY=VALUE"),
        (("md", "--set", "people=yes"), "md has no report_options"),
    ],
)
def test_options_of_a_format_that_do_not_fit_are_refused(
    install: Install, tmp_path: Path, words: tuple[str, ...], sentence: str
) -> None:
    install_all(install)
    folkmoot(tmp_path, "run", brief(tmp_path, "protocol: panel"), *QUOTES, "--quiet", "--no-report")
    refused = folkmoot(tmp_path, "report", "last", "--format", *words)
    assert refused.exit_code == 2, refused.output
    assert sentence in flat(refused.output)


def test_a_brief_with_options_is_written_and_reads_back_the_same(install: Install, tmp_path: Path) -> None:
    install_all(install)
    written = folkmoot(tmp_path, "check", brief(tmp_path, HEADER), "--normalised").output
    assert 'tool_options: {"dice": {"most": 3}}' in written
    (tmp_path / "again.md").write_text(written, "utf-8")
    assert folkmoot(tmp_path, "check", "again.md", "--normalised").output == written


def test_all_options_are_listed(install: Install, tmp_path: Path) -> None:
    install_all(install)
    plugins = json.loads(folkmoot(tmp_path, "config", "plugins", "--json").output)
    options = {(row["kind"], option["name"]): option for row in plugins for option in row["options"]}
    assert {*options} == {
        ("protocol", "hats"), ("rule", "finalists"), ("provider", "voice"), ("tool", "most"), ("report", "people")
    }  # fmt: skip
    assert options["provider", "voice"] == {
        "name": "voice",
        "takes": "a text",
        "default": "plain",
        "help": "How it speaks.",
        "low": None,
        "high": None,
        "choices": ["plain", "low"],
    }


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        (
            "most: frozenset = option(frozenset(), 'x')",
            "the type of most is frozenset; it must be bool, int, float, str or tuple[str, ...]",
        ),
        ("most: int = option('x', 'x')", "the default of most is 'x'; it must be a whole number"),
        ("most: int = option(9, 'x', high=3)", "the default of most must have at most 3, not 9"),
        ("most: 'Nothing' = option(9, 'x')", "NameError"),
    ],
)
def test_options_that_are_declared_wrongly_are_named(install: Install, tmp_path: Path, code: str, fault: str) -> None:
    source = (Path(__file__).parent / "packages/folkmoot_dice/folkmoot_dice.py").read_text("utf-8")
    line = '    most: int = option(6, "The most dice that can be counted.", low=1, high=7)'
    assert line in source
    install("folkmoot_dice", code=source.replace(line, f"    {code}"))
    listed = folkmoot(tmp_path, "config", "plugins")
    assert listed.exit_code == 1, listed.output
    assert fault in flat(listed.output)
    refused = folkmoot(tmp_path, "check", brief(tmp_path, "tool_options: {dice: {most: 2}}"), *QUOTES)
    assert refused.exit_code == 2, refused.output


def test_what_takes_no_options_refuses_them() -> None:
    with pytest.raises(ProtocolError, match="plain has no tool_options") as raised:
        with_options(dict, {"most": 3}, whose="plain", where="tool_options.plain")
    assert raised.value.about == "tool_options.plain.most"
    assert options_of(dict) == {}


async def test_mcp_gives_extensions_their_options_and_reports_in_their_formats(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_place(tmp_path, monkeypatch)
    install_all(install)
    async with runner_in(tmp_path) as runner, place(runner) as here:
        plugins = (await here.call("list_plugins"))["plugins"]
        assert [row["options"][0]["name"] for row in plugins if row["kind"] == "tool"] == ["most"]
        question = f"---\n{HEADER}\n---\n{QUESTION}"
        ran = await here.call("run_debate", question=question, models=["builtin:quotes"])
        slides = await here.call("get_report", id=ran["id"], form="slides")
        assert slides["report"].count("\n---\n") == 1
        slides = await here.call("get_report", id=ran["id"], form="slides", options=["people=yes"])
        assert (slides["report"].count("\n---\n"), slides["options"]) == (2, ["people=True"])
        refused = await here.refused("get_report", id=ran["id"], form="slides", options=["people=3"])
        assert "report_options.slides.people is 3; it must be yes or no" in refused
        assert "pdf is not for tools" in await here.refused("get_report", id=ran["id"], form="pdf")
        wrong = question.replace("most: 3", "most: 9")
        refused = await here.refused("check_brief", question=wrong, models=["builtin:quotes"])
        assert "line 4: tool_options.dice.most must have at least 1 and at most 7, not 9" in refused


async def test_the_api_gives_extensions_their_options_and_reports_in_their_formats(
    install: Install, tmp_path: Path
) -> None:
    install_all(install)
    async with opened(tmp_path) as web, web.me as me:
        plugins = (await me.get(f"{API}/plugins")).json()["plugins"]
        assert [row["options"][0]["default"] for row in plugins if row["kind"] == "provider"] == ["plain"]
        debate = await web.ended(me, brief=f"---\n{HEADER}\n---\n{QUESTION}")
        first = (await me.get(f"{API}/debates/{debate}/report.slides")).text
        assert first.count("\n---\n") == 1
        slides = await me.get(f"{API}/debates/{debate}/report.slides?option=people=yes")
        assert slides.text.count("\n---\n") == 2
        assert (await me.get(f"{API}/debates/{debate}/report.slides")).text == first
        refused = await me.get(f"{API}/debates/{debate}/report.slides?option=people=3")
        assert refused.status_code == 422
        assert "report_options.slides.people is 3; it must be yes or no" in refused.text
        wrong = {"brief": f"---\n{HEADER}\n---\n{QUESTION}".replace("most: 3", "most: 9"), "models": ["builtin:quotes"]}
        refused = await me.post(f"{API}/debates", json=wrong)
        assert refused.status_code == 422
        assert "tool_options.dice.most must have at least 1 and at most 7, not 9" in refused.text


def test_options_of_a_format_that_are_declared_wrongly_are_named(install: Install, tmp_path: Path) -> None:
    source = (Path(__file__).parent / "packages/folkmoot_slides/folkmoot_slides.py").read_text("utf-8")
    wrong = re.sub(r"people: bool = option\(True", "people: bool = option(3", source)
    assert wrong != source
    install("folkmoot_slides", code=wrong)
    listed = folkmoot(tmp_path, "config", "plugins")
    assert listed.exit_code == 1, listed.output
    assert "slides declares its options wrongly: the default of people is 3; it must be yes or no" in flat(
        listed.output
    )


def test_options_for_a_tool_that_declares_none_are_refused(install: Install, tmp_path: Path) -> None:
    install("folkmoot_dice", code="class Dice:\n    pass\n")
    refused = folkmoot(tmp_path, "check", brief(tmp_path, "protocol: panel\ntool_options: {dice: {most: 3}}"), *QUOTES)
    assert refused.exit_code == 2, refused.output
    assert "dice has no tool_options" in flat(refused.output)


def test_a_provider_says_in_its_own_words_why_it_cannot_be_used(install: Install, tmp_path: Path) -> None:
    code = (
        "from folkmoot.ext import ProtocolError, Provider, Wire\n\n\ndef make(name, connection):\n"
        "    raise ProtocolError('it has lost its voice')\n\n\n"
        "say = Provider(name='say', wire=Wire(name='say', adapter=make), url='http://127.0.0.1:9', keys=(),\n"
        "               url_env='SAY_BASE_URL', needs_key=False, local=True)\n"
    )
    install("folkmoot_say", code=code)
    refused = folkmoot(tmp_path, "run", brief(tmp_path, "protocol: panel"), "-m", "say:parrot", "--no-report")
    assert refused.exit_code == 2, refused.output
    assert "it has lost its voice" in flat(refused.output)


@pytest.mark.parametrize("change", [("--strategy", "borda"), ("--set", "strategy=borda")])
def test_another_strategy_once_more_does_not_take_the_options_of_the_earlier_one(
    install: Install, tmp_path: Path, change: tuple[str, str]
) -> None:
    install("folkmoot_star")
    name = brief(tmp_path, "protocol: panel\nstrategy: star\nstrategy_options: {finalists: 3}")
    folkmoot(tmp_path, "run", name, *QUOTES, "--quiet", "--no-report")
    again = folkmoot(tmp_path, "again", "last", *change, "--no-report")
    assert again.exit_code in (0, 3), again.output
    assert "strategy_options.finalists: 3" in flat(again.output)
    opened = json.loads(folkmoot(tmp_path, "show", "last", "--json").output.splitlines()[0])["body"]
    assert "decided by borda" in opened["chosen"]
    assert opened["settings"] == {"protocol": "panel", "strategy": "borda"}


def test_the_same_strategy_once_more_keeps_its_options_and_takes_others(install: Install, tmp_path: Path) -> None:
    install("folkmoot_star")
    name = brief(tmp_path, "protocol: panel\nstrategy: star\nstrategy_options: {finalists: 3}")
    for change, finalists in ((("--strategy", "star"), 3), (("--set", "strategy_options.finalists=4"), 4)):
        folkmoot(tmp_path, "run", name, *QUOTES, "--quiet", "--no-report")
        again = folkmoot(tmp_path, "again", "last", *change, "--no-report")
        assert again.exit_code in (0, 3), again.output
        assert "left out" not in flat(again.output)
        opened = json.loads(folkmoot(tmp_path, "show", "last", "--json").output.splitlines()[0])["body"]
        assert opened["settings"]["strategy_options.finalists"] == finalists


def test_a_rule_is_called_as_its_entry_point(install: Install, tmp_path: Path) -> None:
    source = (Path(__file__).parent / "packages/folkmoot_star/folkmoot_star.py").read_text("utf-8")
    other = source.replace('name: str = "star"', 'name: str = "star_voting"')
    assert other != source
    install("folkmoot_star", code=other)
    sentence = "its rule is called 'star_voting'; a rule has the name of its entry point"
    assert sentence in flat(folkmoot(tmp_path, "config", "plugins").output)
    refused = folkmoot(tmp_path, "check", brief(tmp_path, "protocol: panel\nstrategy: star"), *QUOTES)
    assert refused.exit_code == 2, refused.output
    assert sentence in flat(refused.output)


def test_another_rule_stands_in_for_one_whose_package_is_gone(install: Install, tmp_path: Path) -> None:
    site = install("folkmoot_star")
    name = brief(tmp_path, "protocol: panel\nstrategy: star\nstrategy_options: {finalists: 3}")
    folkmoot(tmp_path, "run", name, *QUOTES, "--quiet", "--no-report")
    remove(site)
    missing = "the debate needs folkmoot-star 2.1 for its Star; that package is not installed"
    for change in ((), ("--rounds", "2")):
        refused = folkmoot(tmp_path, "again", "last", *change, "--no-report")
        assert (refused.exit_code, missing in flat(refused.output)) == (1, True), refused.output
    again = folkmoot(tmp_path, "again", "last", "--strategy", "borda", "--no-report")
    assert again.exit_code in (0, 3), again.output
    assert "strategy_options.finalists: 3" in flat(again.output)
