"""The one internal form: every way of writing a brief comes to it, and it reads back the same."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.app.brief.reader import ParsedBrief, normalise, read_brief
from folkmoot.app.brief.writer import brief_template, fence, title
from folkmoot.core.errors import BriefError
from tests.paths import EXAMPLES


def placeless(parsed: ParsedBrief) -> ParsedBrief:
    """The intake without what the form alone decides: the kind, and the lines at which texts stand."""
    background = tuple(replace(source, line=1) for source in parsed.brief.background)
    return replace(parsed, brief=replace(parsed.brief, background=background), kind="markdown")


def check_round_trip(text: str, name: str = "x.md", folder: Path | None = None) -> None:
    parsed = read_brief(text, name=name, folder=folder)
    written = normalise(parsed)
    again = read_brief(written, name=name, folder=folder)
    assert placeless(again) == placeless(parsed)
    assert normalise(again) == written


SAME = [
    "Should we move?\n\nWe are eight.",
    "# Should we move?\n\nWe are eight.\n",
    "Should we\nmove?\n\n\nWe are eight.\n\n",
    "Should we move?\n=====\nWe are eight.",
    "---\ntopic: Should we move?\n---\nWe are eight.",
    "\ufeff---\r\n---\r\n# Should  we move? #\r\n\r\n## Background\r\n\r\nWe are eight.\r\n",
    "We are eight.\n\n# Should we move?",
    "# Should we move?\n\n## Background\n\n```text\nWe are eight.\n```",
]


@pytest.mark.parametrize("text", SAME)
def test_one_form_for_text_and_markdown(text: str) -> None:
    assert normalise(read_brief(text)) == "# Should we move?\n\n## Background\n\nWe are eight.\n"


def test_the_form() -> None:
    text = (
        "---\npersonas: [{name: Ada (a:b), role: pro, weight: 1, duty: moderator, style: terse}, Bo,"
        " {name: Judge, duty: debater, seed: 3, top_p: 0.5, tool_usage: [rag]}]\nuse_mediator: yes\nmax_rounds: 2\n"
        "rules: [be brief, be kind]\noptions: [a, b]\nbudget: {usd: 1}\ncontext: 'x: y'\n---\n# Q?\n\n## Costs\n\nmany"
    )
    assert normalise(read_brief(text)) == (
        '---\nrounds: 2\nmoderator: true\ncontext: "x: y"\nlimits:\n  cost: 1.0\n---\n# Q?\n\n'
        "## Background\n\n```text\n## Costs\n\nmany\n```\n\n## Rules\n\n- be brief\n- be kind\n\n"
        "## Options\n\n- a\n- b\n\n## Participants\n\n"
        '### Ada\n\nrole: "pro"\nmodel: "a:b"\nweight: 1.0\nduty: "moderator"\nstyle: "terse"\n\n'
        "### Bo\n\n"
        '### Judge\n\nduty: "debater"\ntop_p: 0.5\nseed: 3\ntool_usage: ["rag"]\n'
    )
    check_round_trip(text)


CASES = [
    "---\ntopic: Rules\n---\n",
    "---\ntopic: 'C #'\n---\n",
    "# # Q",
    "# Q \\#",
    "---\ntopic: '- [x] <b> `a` \\ & *'\n---\n",
    "---\npersonas: [Ada, Bo]\nmoderator: no\n---\n# Q\n\n## Ada\n\n#### Deep\n",
    "---\npersonas:\n- {name: Ada, persona: \"# a\\n\\nrole: b\\n```\\n\"}\n- {name: Bo, persona: 'role: x'}\n---\n# Q",
    "---\npersonas:\n- {name: Ada, persona: '```text'}\n- {name: Bo, persona: '<!-- x'}\n---\n# Q",
    "---\npersonas:\n- {name: Ada, role: '', persona: 'Long.'}\n- {name: Bo, persona: '...'}\n---\n# Q",
    '---\nrules: "## Options\\n- a"\ncontext: "---\\n...\\t\\\\ \\" \' é 😀"\n---\n# Q',
    "---\nlimits: {cost: 1.0e-7, turn_seconds: 2.50}\nuse_mediator: off\n---\n# Q",
    "# Q\n\n## Options\n- ```\n- # x\n- - y\n- 1. z\n- <div>\n\n## Rules\nx",
    "# Q\n\n## Background\n\none\n\n## Background\n\n~~~\ntwo\n\n## Rules\n",
    "# Q\n\n## Moderator\nmodel: human",
    "# Q\n\n    code\n\n## Rules\n\n    code",
    "a\nb\n\n```text\nc\n```\n",
]


@pytest.mark.parametrize("text", CASES)
def test_awkward_texts_read_back(text: str) -> None:
    check_round_trip(text)


@pytest.mark.parametrize("path", sorted(path for path in EXAMPLES.glob("*.*") if path.name != "README.md"), ids=str)
def test_the_examples_read_back(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    check_round_trip(text, name=path.name, folder=path.parent)
    assert read_brief(text, name=path.name, folder=path.parent).notes == ()


def test_the_starter_reads_back() -> None:
    check_round_trip(brief_template())


PROSE = st.lists(
    st.sampled_from(
        ["# a", "## b", "### Ada", "```", "```text", "~~~", "- x", "", "a b", "role: x", "<div>", "===", "---"]
    )
    | st.text(max_size=12),
    max_size=8,
).map("\n".join)
# fmt: off
SETTINGS = [
    "rounds: 3", "strategy: weighted", "moderator: yes", "persona_count: 2", "options: [yes, no]", "seed: 4",
    "limits: {asks: 3}", "timeout_per_turn: 9.5", "model: a/b:c", "rules: [a, 'b: c']", "context: |\n  a\n\n  # b",
]
# fmt: on
HEADER = st.lists(st.sampled_from(SETTINGS), unique=True, max_size=6).map("\n".join)

NAMES = st.sampled_from(["Ada", "Bo (human)", "Cem (x:y)", "Judge", "R&D", "Élan", "7", "Moderator"])


@settings(deadline=1000)
@given(HEADER, st.text(max_size=30), PROSE, st.lists(st.tuples(NAMES, PROSE), max_size=3))
def test_every_brief_reads_back(header: str, topic: str, prose: str, people: list[tuple[str, str]]) -> None:
    text = f"---\n{header}\n---\n# {topic}\n\n{prose}\n" + "".join(
        f"\n## {name}\nrole: r\n\n{words}\n" for name, words in people
    )
    with suppress(BriefError):
        read_brief(text)
        check_round_trip(text)


@given(st.text(alphabet="`~#-= \ntext<!role:>", max_size=60).map(str.strip))
def test_any_text_can_be_fenced(words: str) -> None:
    body = fence(words, level=2)
    parsed = read_brief(f"# Q\n\n## Rules\n\n{body}\n\n## Options\n\n- a\n- b\n")
    assert parsed.brief.rules == words
    assert parsed.brief.options == ("a", "b")


@pytest.mark.parametrize(
    ("topic", "lines"),
    [("Q?", "|# Q?"), ("Options", 'topic: "Options"|'), ("C#", 'topic: "C#"|')],
)
def test_the_topic_as_heading_or_setting(topic: str, lines: str) -> None:
    assert "|".join("".join(texts) for texts in title(topic)) == lines
