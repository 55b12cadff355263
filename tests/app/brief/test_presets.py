"""Presets: what may stand in one, and what it fills in where a brief and the caller say nothing."""

import tomllib
from collections.abc import Mapping
from dataclasses import replace

import pytest

from folkmoot.app.brief.presets import Preset, read_presets
from folkmoot.app.brief.reader import read_brief, with_preset
from folkmoot.core.brief import Limits
from folkmoot.core.errors import BriefError


def presets(text: str) -> Mapping[str, Preset]:
    return read_presets(tomllib.loads(text)["presets"], "folkmoot.toml")


QUALITY = """
[presets.quality]
models = ["openai:a", "anthropic:b", "google:c", "mistral:d"]
protocol = "gate"
threshold = 0.3
rounds = 1
cost = 1
asks = 40
participants = "builtin"
who = ["ci"]
"""
BRIEF = "---\npreset: quality\n---\n# Tea or coffee?\n"


def test_a_preset_fills_in_what_the_brief_leaves_open() -> None:
    parsed = with_preset(read_brief(BRIEF), presets(QUALITY))
    assert (parsed.protocol, parsed.rounds, parsed.given["threshold"]) == ("gate", 1, 0.3)
    assert (parsed.brief.limits.cost, parsed.brief.limits.asks) == (1.0, 40)
    assert len(parsed.brief.names("debater")) == parsed.vacant == 4
    assert parsed.preset
    assert parsed.preset.participants == "builtin"
    assert parsed.preset.models == ("openai:a", "anthropic:b", "google:c", "mistral:d")
    assert with_preset(parsed, {}) is parsed


def test_the_brief_goes_before_the_preset() -> None:
    text = BRIEF.replace("---\n#", "rounds: 2\nlimits: {cost: 0.25}\npersona_count: 2\n---\n#")
    parsed = with_preset(read_brief(text), presets(QUALITY))
    assert (parsed.rounds, parsed.brief.limits.cost, len(parsed.brief.names("debater"))) == (2, 0.25, 2)


@pytest.mark.parametrize(("header", "protocol"), [("protocol: panel\n", ""), ("", "panel")])
def test_another_protocol_leaves_the_settings_of_the_presets_own_behind(header: str, protocol: str) -> None:
    brief = read_brief(BRIEF.replace("---\n#", f"{header}---\n#"))
    parsed = with_preset(brief, presets(QUALITY), protocol=protocol)
    assert "threshold" not in parsed.given
    assert parsed.rounds is None
    assert parsed.brief.limits.cost == 1.0


def test_limits_of_a_caller_stay() -> None:
    brief = read_brief("# Tea?")
    assert with_preset(brief, presets(QUALITY)) is brief
    capped = replace(
        with_preset(read_brief(BRIEF), presets(QUALITY)), brief=replace(brief.brief, limits=Limits(cost=0.5))
    )
    assert with_preset(capped, presets(QUALITY)).brief.limits.cost == 0.5


@pytest.mark.parametrize(
    ("name", "owner", "problem"),
    [
        ("qualiti", "", "there is no preset 'qualiti'; did you mean 'quality'"),
        ("quality", "ben", "there is no preset 'quality'; folkmoot config presets --init writes some"),
    ],
)
def test_a_preset_that_is_not_there_or_not_for_this_token(name: str, owner: str, problem: str) -> None:
    with pytest.raises(BriefError, match=problem) as caught:
        with_preset(read_brief(BRIEF.replace("quality", name), name="x.md"), presets(QUALITY), owner=owner)
    assert (caught.value.where, caught.value.line) == ("x.md", 2)
    assert with_preset(read_brief(BRIEF), presets(QUALITY), owner="ci").preset


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("presets = 3", r"presets must be a table of tables: \[presets.fast\]"),
        ("[presets]\nfast = 3", r"presets must be a table of tables: \[presets.fast\]"),
        ("[presets.Fast]", "presets.Fast needs a name of 1 to 32 small letters, digits and -"),
        ("[presets.fast]\nmodel = 'a:b'", "presets.fast: there is no setting 'model'; did you mean 'models'"),
        ("[presets.fast]\nmodels = 'openai:a'", "presets.fast.models must be a list of texts"),
        ("[presets.fast]\nmodels = ['nowhere']", "presets.fast: 'nowhere' is not a model"),
        ("[presets.fast]\nprotocol = 'panell'", "presets.fast: .*panell"),
        ("[presets.fast]\nrounds = 99", "presets.fast: rounds must be from 0 to 20, not 99"),
        ("[presets.fast]\ncost = -1", r"presets.fast: limits.cost must be from"),
        (
            "[presets.fast]\nparticipants = 'new'",
            "presets.fast.participants must be one of builtin, generated",
        ),
        ("[presets.fast]\nwho = []", "presets.fast.who must be a list of texts"),
    ],
)
def test_a_mistake_is_one_sentence(text: str, problem: str) -> None:
    with pytest.raises(BriefError, match=problem) as caught:
        presets(text)
    assert caught.value.where == "folkmoot.toml"


@pytest.mark.parametrize(
    ("models", "warnings"),
    [
        ('["openai:gpt-6", "anthropic:claude-5"]', []),
        (
            '["openai:gpt-6", "openai:gpt-5"]',
            ["All models are of one family (gpt): they are likely to make the same mistakes."],
        ),
        ('["openai:gpt-6"]', ["openai:gpt-6 answers for everybody: its answers are not independent."]),
        (
            '["openai:gpt-6", "openai:gpt-6", "anthropic:claude-5"]',
            ["openai:gpt-6 answers more than once: its answers are not independent."],
        ),
    ],
)
def test_copies_and_families_are_named(models: str, warnings: list[str]) -> None:
    assert list(presets(f"[presets.fast]\nmodels = {models}")["fast"].warnings()) == warnings
