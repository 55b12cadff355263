"""Which lines of a body are what: topic, background, rules, options, participants."""

import pytest

from folkmoot.app.brief.sections import Body, Section, read_sections, split_agent, stands, unfence
from folkmoot.core.errors import BriefError


def parts(body: Body) -> str:
    return " | ".join(f"{section.part}:{section.heading}" for section in body.sections)


PARTS: list[tuple[str, list[str], str]] = [
    ("", [], ""),
    ("words", [], "text:"),
    ("# Q", [], "topic:Q"),
    ("words\n\n# Q\n\nmore", [], "text: | topic:Q"),
    ("# Q #\n\n## RULES\n\nx\n\n## options\n", [], "topic:Q | rules:RULES | options:options"),
    ("# Background\n\n# Rules\n", [], "background:Background | rules:Rules"),
    ("# Q\n\n## Context\n## Background", [], "topic:Q | background:Context | background:Background"),
    # a participant shows by a model, a setting, or the word Moderator; then all behind are participants
    ("# Q\n## Ada (a:b)\n## Bo", [], "topic:Q | person:Ada (a:b) | person:Bo"),
    ("# Q\n## Ada\n\nrole: x\n## Bo\nwords", [], "topic:Q | person:Ada | person:Bo"),
    ("# Q\n## Ada\nsystem_prompt: x\n## Rules\n## Bo", [], "topic:Q | person:Ada | rules:Rules | person:Bo"),
    ("# Q\n## Mediator\nwords\n## Bo", [], "topic:Q | person:Mediator | person:Bo"),
    # nothing shows that it is a participant: a chapter
    ("# Q\n## Ada\nwords\n## Note: x\nurl: y", [], "topic:Q"),
    ("# Q\n## Ada (Lovelace)\nwords", [], "topic:Q"),
    ("# Q\n## Rules\nx\n## Ada\nwords\n## Bo", [], "topic:Q | rules:Rules | text:"),
    # nor does "You …" show it where it is told of one of several; of all it does
    ("# Q\n## Ada\n\nYou argue for it.\n## Bo\nYou're against it.", [], "topic:Q | person:Ada | person:Bo"),
    ("# Q\n## Rules\nx\n## Ada\nDu bist dafür.\n## Bo\n\nDu bist dagegen.", [],
     "topic:Q | rules:Rules | person:Ada | person:Bo"),
    ("# Q\n## Ada\nYouth matters.\n## Bo", [], "topic:Q"),
    # a label of one chapter is no mistake in a setting
    ("# Q\n## Ada\nRole: x\n## Costs\nwords", [], "topic:Q"),
    ("# Q\n## Costs\nwords\n## Ada\nRole: x", [], "topic:Q"),
    ("# Q\n## Experience\n- Role: x", [], "topic:Q"),
    # listed elsewhere
    ("# Q\n## Bo\nwords\n## Ada (a:b)\nx\n## More", ["Ada", "BO"], "topic:Q | person:Bo | person:Ada (a:b) | text:"),
    ("# Q\n## Costs\n## Moderator\nx", ["Ada", "Bo"], "topic:Q | person:Moderator"),
    ("# Q\n## Costs\n\n## Participants\n### Ada\n#### x\n### Bo\n## More\nx", [],
     "topic:Q | participants:Participants | person:Ada | person:Bo | text:"),
    ("# Q\n# Personas\n## Ada\n### x\n## Bo\n# Rules", [],
     "topic:Q | participants:Personas | person:Ada | person:Bo | rules:Rules"),
    # no headings at all
    ("```\n# Q\n```", [], "text:"),
    ("    # Q", [], "text:"),
    ("- a\n\n  ## Rules\n\n> ## Options\n\n<!--\n## Ada\nrole: x\n-->", [], "text:"),
    ("#Q\n####### seven\n\\# no", [], "text:"),
    ("Q\n===\n\nAda\n---\nrole: x", [], "topic:Q"),
    ("# Q\n\n##\n\nx", [], "topic:Q"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "listed", "expected"), PARTS)
def test_parts(text: str, listed: list[str], expected: str) -> None:
    assert parts(read_sections(text, line=1, listed=listed)) == expected


def test_lines_and_bodies() -> None:
    body = read_sections("before\n\n# Q\n\n\nintro\n\n## Costs\n\nx\n\n## Rules\n\nbe kind\n\n## More\ny\n", line=5)
    assert body.sections == (
        Section(part="text", line=5, body="before", body_line=5),
        Section(part="topic", heading="Q", line=7, body="intro\n\n## Costs\n\nx", body_line=10),
        Section(part="rules", heading="Rules", line=16, body="be kind", body_line=18),
        Section(part="text", line=20, body="## More\ny", body_line=20),
    )
    assert body.chapters == ("Costs", "More")
    assert body.headings
    assert not read_sections("words", line=1).headings
    assert [section.part for section in body.of("rules", "topic")] == ["topic", "rules"]


MISTAKES: list[tuple[str, list[str], int, str]] = [
    ("# Q\n\n# R", [], 3, "inconsistent"),
    ("Q\n===\n\nR\n===", [], 4, "inconsistent"),
    ("# Q\n## Options\n## Options", [], 3, "duplicate_key"),
    ("# Q\n## Rules\n# Rules", [], 3, "duplicate_key"),
    ("# Q\n## Participants\n## Personas", [], 3, "duplicate_key"),
    ("# Q\n## History\nx\n## Ada\nrole: x", [], 2, "inconsistent"),
    ("# Q\n## Participants\n### Ada", ["Ada"], 2, "inconsistent"),
    ("# Q\n## Ada\nrole: x", ["Bo"], 2, "inconsistent"),
    ("# Q\n## Ada (a:b)\n## Participants\n### Bo", [], 2, "inconsistent"),
    ("# Q\n## Ada\n\nYou argue for it.", [], 2, "inconsistent"),
    ("# Q\n## Costs\nx\n## Ada\nYou are for it.\n## Bo\nYou are not.", [], 4, "inconsistent"),
    ("# Q\n## Cy\n\nYou watch the costs.", ["Ada", "Bo"], 2, "inconsistent"),
    ("# Q\n## Ada\nRole: x\n## Bo\nRole: y", [], 2, "inconsistent"),
    ("# Q\n" + "x\n" * 10_000, [], 1, "too_large"),
]


@pytest.mark.parametrize(("text", "listed", "line", "code"), MISTAKES)
def test_what_cannot_be_told_apart(text: str, listed: list[str], line: int, code: str) -> None:
    with pytest.raises(BriefError) as caught:
        read_sections(text, line=1, listed=listed)
    assert (caught.value.line, caught.value.code) == (line, code)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ada", ("Ada", "")),
        ("Ada (ollama:llama3.2)", ("Ada", "ollama:llama3.2")),
        ("Ada Lovelace ( openrouter:meta/llama-3:free )", ("Ada Lovelace", "openrouter:meta/llama-3:free")),
        ("Ada (human)", ("Ada", "human")),
        ("Ada (Finance)", ("Ada (Finance)", "")),
        ("Ada (a:b) c", ("Ada (a:b) c", "")),
        ("(a:b)", ("(a:b)", "")),
        ("Ada (http://x)", ("Ada (http://x)", "")),
    ],
)
def test_a_model_behind_a_name(text: str, expected: tuple[str, str]) -> None:
    assert split_agent(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```text\n# a\n\nrole: b\n```", "# a\n\nrole: b"),
        ("````text\n```\nx\n```\n````", "```\nx\n```"),
        ("```text\na\n```\nb\n```", "```text\na\n```\nb\n```"),
        ("```python\na\n```", "```python\na\n```"),
        ("```text\na\n````", "```text\na\n````"),
        ("plain", "plain"),
    ],
)
def test_a_text_in_a_code_block(text: str, expected: str) -> None:
    assert unfence(text) == expected


@pytest.mark.parametrize(
    ("text", "level", "expected"),
    [
        ("words", 2, True),
        ("### deep", 2, True),
        ("### deep", 3, False),
        ("## no", 2, False),
        ("a\n===", 2, False),
        ("```\nopen", 2, False),
        ("```\n# x\n===\nSetext\n===\n```\n~~~", 2, False),
        ("<!-- open", 2, False),
        ("- list", 2, True),
    ],
)
def test_texts_that_can_stand_as_they_are(text: str, level: int, expected: bool) -> None:
    assert stands(text, level=level) is expected


@pytest.mark.parametrize(
    ("line", "setting"),
    [
        ("Role: Likes tea", "role: Likes tea"),
        ("**Role:** Likes tea", "role: Likes tea"),
        ("- **role**: Likes tea", "role: Likes tea"),
        ("* System prompt: Likes tea", "system_prompt: Likes tea"),
    ],
)
def test_participants_whose_settings_are_written_otherwise_do_not_become_background(line: str, setting: str) -> None:
    with pytest.raises(BriefError) as caught:
        read_sections(f"# Q\n\n## Ada\n\n{line}\n\n## Bo\nROLE: Likes coffee", line=1, listed=[])
    problem = "line 3: the first line of 'Ada' is no setting as it is written; write "
    assert str(caught.value) == f"{problem}{setting!r}"
