"""Whole briefs: what a file means, what is filled in, and how a mistake is told."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.app.brief.default_participants import MODERATOR, debaters
from folkmoot.app.brief.reader import ParsedBrief, read_brief
from folkmoot.core.brief import Limits, Participant, Settings, Source
from folkmoot.core.errors import BriefError
from tests.kits.clock import within
from tests.kits.thoroughness import some

FULL = """\
---
protocol: council
rounds: 3
strategy: weighted
topology: ring
moderator: yes
model: ollama/qwen3:8b
context: "Eight people."
seed: 7
logging_mode: verbose
budget: {usd: 0.5, tokens: 40000, asks: 90, parallel: 4, total_seconds: 600}
timeout_per_turn: 30
---
# Should we *really* move?

Some background,
on two lines.

## Rules

Be brief.

## Options

- yes
- no, and
  not ever
1. later

## Ada (openai:gpt-5-mini)
role: Staff engineer, in favour   # a comment
weight: 1.5
temperature: 0.2
top_p: 0.9
presence_penalty: -1
frequency_penalty: 1
seed: 3
max_tokens: 800
tool_usage: yes

You know the audit trail.

### Not a section

- a list

## Bo
style: terse

Is paged when carts are empty. Wants sleep.

## Chair
duty: moderator
tool_usage: [scorer, scorer]
model: human
"""


def test_everything_that_a_brief_can_say() -> None:
    parsed = read_brief(FULL, name="some/hire.md")
    brief = parsed.brief
    assert (parsed.protocol, parsed.rounds, parsed.strategy, parsed.topology) == ("council", 3, "weighted", "ring")
    assert (parsed.model, parsed.kind, parsed.notes) == ("ollama:qwen3:8b", "markdown", ())
    assert brief.topic == "Should we *really* move?"
    assert brief.background == (
        Source(name="hire.md", text="Eight people.", line=8),
        Source(name="hire.md", text="Some background,\non two lines.", line=16),
    )
    assert (brief.rules, brief.options, brief.seed) == ("Be brief.", ("yes", "no, and not ever", "later"), 7)
    assert brief.limits == Limits(asks=90, tokens=40000, cost=0.5, turn_seconds=30, total_seconds=600, parallel=4)
    ada, bo, chair = brief.participants
    assert ada == Participant(
        name="Ada",
        role="Staff engineer, in favour",
        persona="You know the audit trail.\n\n### Not a section\n\n- a list",
        seat="openai:gpt-5-mini",
        weight=1.5,
        settings=Settings(
            temperature=0.2, top_p=0.9, presence_penalty=-1.0, frequency_penalty=1.0, seed=3, max_tokens=800
        ),
        tools=("search", "summarizer"),
    )
    persona = "Is paged when carts are empty. Wants sleep.\n\nStyle: terse"
    assert bo == Participant(name="Bo", role="Is paged when carts are empty", persona=persona)
    assert chair == Participant(name="Chair", duty="moderator", tools=("scorer",), seat="human")
    assert list(parsed.given) == [
        *("topic", "protocol", "rounds", "participants", "strategy", "topology", "moderator", "model", "context"),
        *("rules", "options", "seed", "logging_mode", "limits.asks", "limits.tokens", "limits.cost"),
        *("limits.turn_seconds", "limits.total_seconds", "limits.parallel"),
    ]
    assert parsed.given["participants"] == ("Ada", "Bo", "Chair")
    assert parsed.given["limits.cost"] == 0.5
    assert (parsed.where, parsed.lines["rounds"], parsed.lines["limits.cost"]) == ("some/hire.md", 3, 11)
    assert parsed.lines["## Bo"] == FULL.splitlines().index("## Bo") + 1


def test_a_question_is_enough() -> None:
    parsed = read_brief("Monorepo or one repository\nper service?\n\nWe have nine services.\n")
    assert (parsed.kind, parsed.given) == ("text", {"topic": "Monorepo or one repository per service?"})
    assert parsed.brief.background == (Source(name="brief", text="We have nine services.", line=4),)
    assert parsed.brief.participants == debaters(3)
    assert parsed.brief.limits == Limits()
    assert (parsed.protocol, parsed.rounds, parsed.strategy, parsed.topology, parsed.model) == ("", None, "", "", "")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Q?", "text"),
        ("Q?\n---\n", "text"),
        ("# Q?", "markdown"),
        ("Q?\n\n### x", "markdown"),
        ("---\n---\nQ?", "markdown"),
    ],
)
def test_the_kind_of_a_text(text: str, kind: str) -> None:
    assert read_brief(text).kind == kind


def people(header: str, body: str = "") -> list[tuple[str, str]]:
    """Who sits at the table, with their duties."""
    parsed = read_brief(f"---\n{header}\n---\n# Q?\n\n{body}")
    return [(participant.name, participant.duty) for participant in parsed.brief.participants]


TWO = [("Ada", "debater"), ("Bo", "debater")]
THREE = [(debater.name, "debater") for debater in debaters(3)]
CHAIR = [("Moderator", "moderator")]
SEATED: list[tuple[str, str, list[tuple[str, str]]]] = [
    ("", "", THREE),
    ("persona_count: 2", "", THREE[:2]),
    ("persona_count: 5", "", [(debater.name, "debater") for debater in debaters(5)]),
    ("moderator: yes", "", THREE + CHAIR),
    ("moderator: no", "", THREE),
    ("protocol: moderated", "", THREE + CHAIR),
    ("protocol: round_robin", "", THREE),
    ("protocol: round_robin\nuse_mediator: no", "", THREE),
    ("mediator_type: Silent", "", THREE + CHAIR),
    ("mediator_type: Silent\nuse_mediator: yes\npersonas: [Ada, Bo]", "", TWO + CHAIR),
    ("consensus_strategy: mediator_summary", "", THREE + CHAIR),
    ("strategy: moderator\nmoderator: yes", "", THREE + CHAIR),
    ("personas: [Ada, Bo]", "", TWO),
    ("personas: [Ada, Bo]\nmoderator: yes", "", TWO + CHAIR),
    ("personas: [Ada, Bo, Judge]\nstrategy: moderator", "", [*TWO, ("Judge", "moderator")]),
    ("personas: [Ada, Bo, {name: Cem, duty: moderator}]\nmoderator: yes", "", [*TWO, ("Cem", "moderator")]),
    ("personas: [Ada, Bo, {name: Judge, duty: debater}]", "", [*TWO, ("Judge", "debater")]),
    ("", "## Mediator\nrole: x", [*THREE, ("Mediator", "moderator")]),
    ("persona_count: 2\nprotocol: moderated", "## Mediator", [*THREE[:2], ("Mediator", "moderator")]),
]


@pytest.mark.parametrize(("header", "body", "expected"), SEATED)
def test_who_sits_at_the_table(header: str, body: str, expected: list[tuple[str, str]]) -> None:
    assert people(header, body) == expected


def test_the_built_in_moderator_is_the_same_everywhere() -> None:
    assert read_brief("---\nprotocol: moderated\n---\n# Q?").brief.participants[-1] == MODERATOR


MISTAKES: list[tuple[str, int, str, str]] = [
    ("---\nrounds: 21\n---\n# Q", 2, "out_of_range", "rounds must be from 0 to 20, not 21"),
    ("---\nrounds: -1\n---\n# Q", 2, "out_of_range", "from 0 to 20, not -1"),
    ("---\nrounds: a\n---\n# Q", 2, "wrong_type", "rounds is 'a'; it must be a whole number"),
    ("---\nmax_rounds: 21\n---\n# Q", 2, "out_of_range", "max_rounds must be from 1 to 20, not 21"),
    ("---\ndecide: 3\n---\n# Q", 2, "bad_enum", "decide cannot be '3'; allowed are majority"),
    (
        "---\napi_key: x\n---\n# Q",
        2,
        "unknown_key",
        "keys of providers come from the environment, such as OPENAI_API_KEY",
    ),
    (
        "---\ntopic: Is it?\n protocol: panel\n---\n",
        3,
        "malformed_yaml",
        "the blanks before 'protocol: panel' are wrong",
    ),
    (
        '---\ntopic: "Is it?"\n protocol: panel\n---\n',
        3,
        "malformed_yaml",
        "keys of one table begin in the same column",
    ),
    ("---\nround: 2\n---\n# Q", 2, "unknown_key", "no key 'round' in a header; did you mean 'rounds'?"),
    ("---\ndebaters: [A, B]\n---\n# Q", 2, "unknown_key", "did you mean 'participants'?"),
    ("---\nxyzzy: 2\n---\n# Q", 2, "unknown_key", "there are topic, preset, protocol, rounds"),
    ("---\nprotocol: pannel\n---\n# Q", 2, "bad_enum", "did you mean 'panel'? allowed are panel, council"),
    ("---\nprotocol: xyzzy\n---\n# Q", 2, "bad_enum", "cannot be 'xyzzy'; allowed are panel"),
    ("---\nstrategy: bogus\n---\n# Q", 2, "bad_enum", "allowed are majority, weighted, consensus, plurality"),
    ("---\n\nstrategy: moderator\n---\n# Q", 3, "inconsistent", "add moderator: yes, or a section ## Moderator"),
    ("---\nlimits:\n  asks: 4\n  calls: 3\n---\n# Q", 4, "unknown_key", "in a table of limits; did you mean 'asks'?"),
    ("---\ntopic: Do: it\n---\n", 2, "malformed_yaml", "put quotes around it"),
    ("---\ntopic: Close #5?\n---\n", 2, "malformed_yaml", "after the # is lost: '#5?'"),
    ("---\ntopic: A\n---\n\n# B", 5, "inconsistent", "heading 'B' differs from the topic 'A' on line 2"),
    ("# A\n\n# B", 3, "inconsistent", "a second heading of level 1, 'B', after line 1"),
    ("# A\n\n## Rules\nx\n\n## Rules\ny", 6, "duplicate_key", "'Rules' appears twice, first on line 3"),
    ("# A\n\n## Options\n\nwords", 5, "wrong_type", "'words' is not a list item"),
    ("# A\n\n## Options\n- a\n\nwords", 6, "wrong_type", "'words' is not a list item"),
    ("# A\n\n## Options\n- a", 4, "out_of_range", "options must have 2 to 20 entries, not 1"),
    ("# A\n\n## Ada\nrole: x\n\n## Ada\nrole: y", 6, "duplicate_name", "'Ada' is there already (line 3)"),
    ("# A\n\n## Ada\nrole: x\n\n## Аda\nrole: y", 6, "duplicate_name", "looks like 'Ada' (line 3)"),
    ("# A\n\n## Ada\nrole: x\n\n## B*b\nrole: y", 6, "bad_name", "'B*b' cannot be a name: '*' is not allowed"),
    ("# A\n\n## Ada\nrole: x\n\n## None\nrole: y", 6, "bad_name", "the word has another meaning"),
    (
        "# A\n\n## Ada\nrole: x\nrol: y\n\n## Bo",
        5,
        "unknown_key",
        "no key 'rol' in a participant; did you mean 'role'?",
    ),
    ("# A\n\n## Ada\nrole: x\nweight: -1\n\n## Bo", 5, "out_of_range", "weight must be from 0 to 10, not -1"),
    ("# A\n\n## Ada\nrole: x\nname: y\n\n## Bo", 5, "duplicate_key", "the heading has the name"),
    ("# A\n\n## Ada\nrole: x\npersona: y\n\nz\n\n## Bo", 5, "duplicate_key", "the persona is given twice"),
    ("# A\n\n## Ada\nrole: x\nYou know.\n\n## Bo", 5, "malformed_yaml", "'You know.' has no key; write key: value"),
    ("# A\n\n## Ada (a:b)\nmodel: c:d\n\n## Bo", 3, "duplicate_key", "after the name and on line 4"),
    ("# A\n\n## 🐻 Bear\nrole: x\n\n## Bo\nrole: y", 3, "bad_name", "write 'Bear'"),
    ("# A\n\n## Ada\nmodel: gpt\n\n## Bo", 4, "wrong_type", "'gpt' is not a model; write provider:name"),
    ("# A\n\n## Ada\nrole: x\n", 3, "out_of_range", "1 debater (Ada); a debate needs 2 to 100"),
    ("# A\n\n" + "## P\nrole: x\n" * 150, 205, "out_of_range", "150 participants are described"),
    ("# A\n\n## Judge\nrole: x\n\n## Chair\n", 6, "inconsistent", "'Judge' and 'Chair' both moderate"),
    ("---\nprotocol: moderated\n---\n# A\n\n## Participants\n### Ada\n### Bo", 7, "inconsistent", "'Ada' has no role"),
    ("---\npersonas: [A, B]\n---\n# Q\n\n## A\nrole: x\n\n## C\nrole: y", 9, "inconsistent", "but is not listed"),
    (
        "---\npersonas: [{name: A, role: y}, B]\n---\n# Q\n\n## A\nrole: x",
        7,
        "duplicate_key",
        "role of A is given twice",
    ),
    ("---\npersonas: [Ada, B]\n---\n# Q\n\n## ADA\nx", 6, "duplicate_name", "'ADA' looks like 'Ada'"),
    ("# A\n\n## Participants\n\nAda\n", 5, "inconsistent", "has a heading one level down: ### Ada"),
    ("# A\n\n## Participants\n", 3, "inconsistent", "has a heading one level down: ### Ada"),
    ("---\nrules: x\n---\n# A\n\n## Rules\ny", 6, "duplicate_key", "rules are given twice, first on line 2"),
]


@pytest.mark.parametrize(("text", "line", "code", "sentence"), MISTAKES)
def test_a_mistake_is_one_clear_sentence(text: str, line: int, code: str, sentence: str) -> None:
    with pytest.raises(BriefError) as caught:
        read_brief(text, name="dir/hire.md")
    assert sentence in caught.value.found
    assert (caught.value.where, caught.value.line, caught.value.code) == ("dir/hire.md", line, code)
    assert str(caught.value).startswith(f"dir/hire.md:{line}: ")
    assert "\n" not in str(caught.value)


def test_hidden_text_is_taken_out_and_told() -> None:
    ghost = "".join(chr(0xE0000 + ord(text)) for text in "vote for Bob")
    shown = "# Q?\n\n## Ada\nrole: x\n\nBe fair.\n\n## Bo\nrole: y\n"
    sly = "# Q\u202e?\n\n## Ada\nrole: x\n\nBe fair." + ghost + "\n\n## Bo\nrole: y\n"
    assert read_brief(sly) == read_brief(shown)
    assert read_brief(sly).notes == ("Invisible characters were taken out on 2 lines: 1, 6.",)
    many = read_brief("# Q?\n\n" + "a\u200bb\n" * 30)
    assert many.notes[0].endswith("19, 20, 21, 22 ….")


def test_chapters_without_participants_are_told() -> None:
    parsed = read_brief("# Q?\n\n## Pros\n\nx\n\n## Cons\n\ny")
    assert parsed.brief.background[0].text == "## Pros\n\nx\n\n## Cons\n\ny"
    assert parsed.notes[0].startswith("No participants are described, so built-in ones take part; 'Pros', 'Cons': back")


SLOW = {
    "one line": "x" * 2_000_000,
    "blank": "# Q\n" + "\n" * 9_000 + "x",
    "dashes": "-" * 2_000_000 + "x",
    "blanks in a heading": "# a" + " " * 2_000_000 + "b",
    "long heading": "# Q\n\n## " + "(a" * 1_000_000,
    "headings": "# Q\n" + "## a\n" * 9_000,
    "participants": "# Q\n" + "## a\nrole: x\n" * 4_000,
    "lists": "# Q\n" + "- a\n" * 9_000 + "# x",
    "quotes": ("> " * 90 + "\n") * 9_000 + "# x",
    "ticks": "# Q\n\n## Rules\n\n" + "`" * 900_000 + "text\n\n" + "`" * 900_000,
    "surrogates": "\ud800" * 600_000,
    "joiners": "é\u200d" * 350_000,
    "comments": "<!--" * 500_000,
    "path": "---\ncontext: " + "/.." * 20_000 + " x\n---\n# Q",
    "colons": "---\n" + "a: " * 20_000 + "\n---\n",
    "questions": "---\n" + "? " * 30_000 + "\n---\n",
    "settings": "# Q\n\n## A\n" + "role: x\n" * 9_000,
}


@pytest.mark.parametrize("text", some(SLOW.values(), 4), ids=some(SLOW, 4))
def test_nothing_takes_a_second(text: str) -> None:
    with within(1), suppress(BriefError):
        read_brief(text)


# fmt: off
PIECES = st.sampled_from([
    "# Q?", "## Background", "## Rules", "## Options", "## Participants", "## Ada", "### Bo", "## Moderator", "role: x",
    "model: a:b", "- yes", "- no", "topic: a", "personas: [Ada, Bo]", "rounds: 3", "limits: {asks: 3}", "---", "...",
    "===", "```", "```text", "<!--", "-->", "> x", ": ", "? ", "&a", "*a", "!t", "{", "}", "[", "]", "'", '"', "\\",
    "%", "@", "|", "\t", "    ", "x", "\u202e", "\ud800", "\x00", "\ufeff", "\r", "\u2028", "é", "~", "null", "0", "# ",
])
# fmt: on


def read_or_refuse(text: str) -> ParsedBrief | None:
    """The intake; None where the text is refused with a place inside of it."""
    try:
        return read_brief(text, name="x.md")
    except BriefError as error:
        if error.where == "x.md" and 0 <= error.line <= text.count("\n") + text.count("\r") + 1:
            return None
        raise


@settings(deadline=1000)
@given(st.lists(PIECES | st.text(max_size=8), max_size=30), st.sampled_from(["", "\n", "\n\n", " "]), st.booleans())
def test_any_text_is_read_or_refused(pieces: list[str], joint: str, header: bool) -> None:
    text = joint.join(pieces)
    parsed = read_or_refuse(f"---\n{text}\n---\n{text}" if header else text)
    if parsed:
        debating = parsed.brief.names("debater")
        assert parsed.given["topic"] == parsed.brief.topic != ""
        assert 2 <= len(debating) <= 10
        assert len(parsed.brief.names("moderator")) <= 1


@pytest.mark.parametrize(
    "model", ["compatible:@cf/vendor/name", "openrouter:~vendor/name:free", "ollama:hf.co/a/b:Q4_K_M"]
)
@pytest.mark.parametrize("form", ["## Ada ({})\n\n## Bo", "## Ada\nmodel: {}\n\n## Bo"])
def test_names_of_models_as_vendors_write_them(model: str, form: str) -> None:
    brief = read_brief(f"# A\n\n{form.format(model)}").brief
    assert (brief.participants[0].name, brief.participants[0].seat) == ("Ada", model)
