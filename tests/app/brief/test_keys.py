"""The table of keys: it is whole, it fits the rest of the house, and its examples are true."""

from dataclasses import fields

import pytest

from folkmoot.app.brief.reader import read_brief
from folkmoot.app.brief.types import (
    HEADER,
    LIMITS,
    PARTICIPANT,
    Key,
    find_key,
    get_key,
    nearest,
)
from folkmoot.app.brief.writer import brief_template
from folkmoot.app.brief.yaml_header import load
from folkmoot.core.brief import Search, Settings
from folkmoot.core.errors import BriefError
from folkmoot.core.text import closest, unknown_word
from folkmoot.phases.choices import Extras

TABLES = (HEADER, LIMITS, PARTICIPANT)


@pytest.mark.parametrize("keys", TABLES)
def test_every_name_is_there_once(keys: tuple[Key, ...]) -> None:
    names = [name for key in keys for name in (key.name, *key.aliases)]
    assert len(set(names)) == len(names)
    hints = [hint for key in keys for hint in key.hints]
    assert len(set(hints)) == len(hints)
    assert not set(hints) & set(names)
    assert all(key.help.endswith((".", "…")) and key.example for key in keys)
    assert all((key.low or key.high) == 0 or key.low < key.high for key in keys)


def test_the_documented_names_are_read() -> None:
    header = (
        "topic",
        "persona_count",
        "debate_format",
        "max_rounds",
        "consensus_strategy",
        "use_mediator",
        "logging_mode",
        "turn_mode",
        "context_scope",
        "debate_end_condition",
    )
    persona = ("persona_name", "role_description", "model", "temperature", "max_tokens", "style", "tool_usage")
    assert all(find_key(HEADER, text) for text in header)
    assert all(find_key(PARTICIPANT, text) for text in persona)
    assert find_key(LIMITS, "timeout_per_turn") == get_key(LIMITS, "limits.turn_seconds")
    assert find_key(HEADER, "host") is None
    assert {field.name for field in fields(Settings)} <= {key.name for key in PARTICIPANT}
    assert {f"search.{field.name}" for field in fields(Search)} <= {key.name for key in PARTICIPANT}
    assert {field.name for field in fields(Extras)} <= {key.name for key in HEADER}


def test_no_key_names_a_host_a_credential_or_a_place() -> None:
    words = {word for keys in TABLES for key in keys for name in (key.name, *key.aliases) for word in name.split("_")}
    assert not words & {
        "host",
        "url",
        "base",
        "api",
        "key",
        "token",
        "secret",
        "path",
        "store",
        "folder",
        "file",
        "command",
    }


@pytest.mark.parametrize("key", [key for keys in TABLES for key in keys if key.same], ids=lambda key: key.name)
def test_further_words_mean_a_choice(key: Key) -> None:
    assert set(key.same.values()) <= set(key.choices)
    assert not set(key.same) & set(key.choices)


BESIDE = {
    "mediator_frequency": "mediator_type: Judge",
    "summary_style": "mediator_type: Silent",
    "context_turns": "context_scope: last_n_turns",
    "summarize_every": "context_strategy: summarize_past",
}
"""What some keys need beside them."""


@pytest.mark.parametrize("key", HEADER + LIMITS, ids=lambda key: key.name)
def test_the_examples_of_the_header(key: Key) -> None:
    line = f"{key.name}: {key.example}\n{BESIDE.get(key.name, '')}"
    if key.name in ("background", "library"):
        assert load(line, line=1).pairs
    else:
        parsed = read_brief(f"---\n{line}\n---\n" + ("" if key.name == "topic" else "# Q?"))
        nested = {"limits": "cost", "protocol_options": "hats", "strategy_options": "finalists"}
        nested |= {"tool_options": "dice.most", "provider_options": "say.voice", "report_options": "slides.people"}
        expected = f"{key.name}.{nested[key.name]}" if key.name in nested else key.name
        assert expected in parsed.given


@pytest.mark.parametrize("key", PARTICIPANT[1:], ids=lambda key: key.name)
def test_the_examples_of_a_participant(key: Key) -> None:
    plain = read_brief("# Q?\n\n## Ada (a:b)\n\n## Bo\n\n## Cem\n").brief.participants[1]
    beside = "context_scope: last_n_turns\n" if key.name == "context_turns" else ""
    lines = f"{beside}{key.name}: {key.example}"
    participant = read_brief(
        f"# Q?\n\n## Ada (a:b)\n\n## Bo\nrole: ''\n{lines}\n\n## Cem\n".replace("role: ''\nrole", "role")
    ).brief.participants[1]
    assert participant != plain
    assert participant.name == plain.name == "Bo"


@pytest.mark.parametrize(
    ("keys", "word", "prefix", "expected"),
    [
        (HEADER, "max_round", "", "max_rounds"),
        (HEADER, "Topic", "", "topic"),
        (HEADER, "debate-format", "", "debate_format"),
        (HEADER, "agents", "", "participants"),
        (HEADER, "title", "", "topic"),
        (HEADER, "xyzzy", "", ""),
        (LIMITS, "token", "limits.", "tokens"),
        (LIMITS, "dollars", "limits.", "cost"),
        (LIMITS, "xyzzy", "limits.", ""),
        (HEADER + LIMITS, "timeout", "", "timeout_per_turn"),
        (PARTICIPANT, "moderator", "", "duty"),
    ],
)
def test_the_nearest_key(keys: tuple[Key, ...], word: str, prefix: str, expected: str) -> None:
    assert nearest(keys, word, prefix=prefix) == expected


def test_the_closest_word() -> None:
    assert closest("Round Robin", ("round-robin", "ring")) == "round-robin"
    assert closest("x" * 100_000, ("ring",)) == ""
    assert unknown_word("rnig", ("ring", "star")) == "did you mean 'ring'?"
    assert unknown_word("cube", ("ring", "star"), "it takes") == "it takes ring, star"


def test_the_starter_is_valid_and_complete() -> None:
    text = brief_template()
    parsed = read_brief(text)
    assert parsed.brief.names("debater") == ("Ada", "Bo", "Cem")
    assert (parsed.protocol, parsed.rounds, parsed.brief.options) == ("panel", 1, ("yes", "no", "not yet"))
    assert parsed.notes == ()
    bodily = {"topic", "participants", "options", "rules", "name", "persona"}
    names = [key.name.removeprefix("limits.") for keys in TABLES for key in keys if key.name not in bodily]
    names = [name for name in names if "." not in name]
    assert [name for name in names if f"{name}: " not in text] == []


def test_every_comment_of_the_starter_is_a_setting() -> None:
    head, _, rest = brief_template().partition("# In a participant's section")
    settings = [line[2:] for line in head.splitlines() if line.startswith(("# ", "#   ")) and ": " in line]
    own = [line.removeprefix("#   ") for line in rest.partition("---")[0].splitlines() if line.startswith("#   ")]
    settings = [line for line in settings if not line.startswith(("Settings", "background", "library"))]
    own = [line for line in own if not line.startswith("duty")]  # three debaters, as persona_count says
    body = brief_template().partition("\n---\n")[2]
    assert "700 emails a week" in body, "who runs it as it is hears about something, and not how to write a brief"
    parsed_brief = read_brief(
        "---\n" + "\n".join(settings) + "\n---\n" + body.replace("role: Speaks for it\n", "\n".join(own) + "\n")
    )
    assert len(settings) > 12
    assert len(own) > 10
    assert parsed_brief.brief.limits.cost == 0.5
    ada = parsed_brief.brief.participants[0]
    assert (ada.weight, ada.search, ada.hide) == (0.8, Search(), ("round 1",))


@pytest.mark.parametrize("topic", ["Should we?", "Rules", "C#", "  a\nb ", "", "\u202e", "Do it: {now}"])
def test_a_starter_for_any_topic(topic: str) -> None:
    parsed = read_brief(brief_template(topic))
    assert parsed.brief.topic == (
        " ".join(topic.replace("\u202e", "").split()) or read_brief(brief_template()).brief.topic
    )


@pytest.mark.parametrize("text", ["20", "20s", "20 s", "20sec", "20 seconds"])
def test_the_unit_of_seconds_may_be_written(text: str) -> None:
    limits = read_brief(f"---\nquorum: 2\ngrace: {text}\nlimits:\n  turn_seconds: {text}\n---\n# Tea?\n").brief.limits
    assert (limits.quorum, limits.grace, limits.turn_seconds) == (2, 20, 20)


@pytest.mark.parametrize("text", ["20m", "s", "20ss", "'20s'"])
def test_another_unit_is_refused(text: str) -> None:
    with pytest.raises(BriefError, match=r"grace is '.*'; it must be a number"):
        read_brief(f"---\ngrace: {text}\n---\n# Tea?\n")
