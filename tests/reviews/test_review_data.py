"""What is written of a review: data, SARIF as code scanning takes it, and one comment that fits."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from folkmoot.core.ask import Ask
from folkmoot.phases.base import Sequence
from folkmoot.protocols.known import build
from folkmoot.protocols.measured.findings import Arbitrate
from folkmoot.reviews.artefact import Artefact
from folkmoot.reviews.citations import Citation
from folkmoot.reviews.review_data import (
    MOST_COMMENT,
    ReviewRun,
    as_data,
    as_markdown,
    as_text,
    line_comments,
    sarif,
    shown_lines,
)
from folkmoot.reviews.reviewed import ids_in_words, review_of
from folkmoot.testing.replay import Harness, HeldDebate
from folkmoot.testing.scripted import Scripted
from tests.kits.reviewers import ARTEFACT, FACTS, TWO, finding, person, reply, review_brief, ruling, verdict

WHOLE = "\n".join(
    [
        finding(CLAIM="It never ends.", WHY="Always."),
        finding("30", "line thirty", CLAIM="Refuted."),
        finding("8", "line 5", SEVERITY="low", CLAIM="Moved, was there before.", CATEGORY="api"),
        finding("10-12", "line 11", SEVERITY="medium", CATEGORY="security", CLAIM="<b>@ann</b> [x](y)"),
        finding("1", "gone", CLAIM="No basis."),
        finding("50", "line 50", FILE="b.md", SEVERITY="critical", CLAIM="Nobody checks this."),
    ]
)
CHECKS = {
    "It never ends.": verdict("AGREE"),
    "Refuted.": verdict("DISAGREE_EVIDENCE"),
    "Moved, was there before.": verdict("AGREE", cite="c.py:1"),
    "<b>@ann</b> [x](y)": verdict("DISAGREE_CONCERN"),
    "Nobody checks this.": "What?",
}


def answer(ask: Ask) -> str:
    match ask.act:
        case "inspect":
            return WHOLE if ask.to == "R1" else f"{finding()}\n{finding().removesuffix('END')}"
        case "refute":
            return next(words for claim, words in CHECKS.items() if claim in ask.task)
        case "respond":
            return reply("RETRACT")
        case _:
            return ruling("UPHELD")


async def debated(inspect: Callable[[Ask], str] = answer, artefact: Artefact = ARTEFACT) -> HeldDebate:
    brief = review_brief((*TWO, person("J", "three", "juror")), artefact=artefact)
    tree = build("findings", brief)
    assert isinstance(tree, Sequence)
    dispute = Arbitrate(finding=4, because="No.", cite="a.py:10", by="J")
    parts = (*tree.parts[:-1], dispute, tree.parts[-1]) if inspect is answer else tree.parts
    agent = Scripted(lambda ask, context: inspect(ask))
    place = Harness(brief=brief, protocol=Sequence(parts=parts), name="findings")
    return await place.run({who.name: agent for who in brief.participants})


async def reviewed(inspect: Callable[[Ask], str] = answer, artefact: Artefact = ARTEFACT) -> ReviewRun:
    debate = await debated(inspect, artefact)
    assert debate.transcript.brief
    review = review_of(debate.transcript.brief, debate.transcript)
    return ReviewRun(review=review, debate="change-1a2b3c", version="1.2.3", cost=0.5, tokens=7, seconds=1.5)


async def test_the_data_has_every_state_with_its_reasons() -> None:
    data: dict[str, Any] = as_data(await reviewed())
    assert json.loads(json.dumps(data)) == data
    assert data["counts"] == {"survived": 2, "contested": 2, "retracted": 1, "no_basis": 1, "unchecked": 1}
    assert (data["whole"], len(data["missing"])) == (False, 2)
    states = {item["claim"]: item for item in data["findings"]}
    assert states["It never ends."]["agreed"] == "2 of 2"
    assert states["It never ends."]["found_by"] == ["R1", "R2"]
    assert states["Refuted."]["reply"] == {"answer": "RETRACT", "reason": "I have read it."}
    assert states["Moved, was there before."]["moved_from"] == [8, 8]
    assert states["Moved, was there before."]["touched"] is False
    assert states["<b>@ann</b> [x](y)"]["dispute"]["ruling"] == "UPHELD"
    assert states["Nobody checks this."]["refuter"]["verdict"] is None
    assert states["No basis."]["fault"] == "the quotation is not in a.py"
    assert data["artefact"]["sha256"] == ARTEFACT.sha256


def texts(data: object) -> Iterator[str]:
    if isinstance(data, dict):
        for value in data.values():  # pyright: ignore[reportUnknownVariableType]
            yield from texts(value)  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(data, list):
        for value in data:  # pyright: ignore[reportUnknownVariableType]
            yield from texts(value)  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(data, str):
        yield data


async def test_sarif_has_what_code_scanning_requires() -> None:
    log: dict[str, Any] = sarif(await reviewed())
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert (log["version"], log["$schema"].endswith("sarif-schema-2.1.0.json")) == ("2.1.0", True)
    assert all(texts(log))
    assert [rule["id"] for rule in rules] == ["folkmoot/correctness", "folkmoot/security-medium", "folkmoot/api"]
    assert [rule["properties"].get("security-severity") for rule in rules] == [None, "5.5", None]
    assert run["automationDetails"]["id"] == "folkmoot-review/change-1a2b3c"
    for rule in rules:
        assert {"shortDescription", "fullDescription", "help"} <= rule.keys()
    assert [(item["level"], item["properties"]["state"]) for item in run["results"]] == [
        ("note", "contested"),
        ("error", "survived"),
        ("warning", "survived"),
        ("note", "contested"),
    ]
    for item in run["results"]:
        assert rules[item["ruleIndex"]]["id"] == item["ruleId"]
        region = item["locations"][0]["physicalLocation"]["region"]
        assert 1 <= region["startLine"] <= region["endLine"]
        assert region["endColumn"] >= 1
        assert item["partialFingerprints"]["primaryLocationLineHash"]
    regions = [item["locations"][0]["physicalLocation"]["region"] for item in run["results"]]
    assert (regions[2]["startLine"], regions[2]["endLine"]) == (10, 10)
    assert len(sarif(await reviewed(), every=True)["runs"][0]["results"]) == 5  # type: ignore[index]


async def test_a_review_of_later_commits_has_a_category_of_its_own() -> None:
    artefact = replace(ARTEFACT, facts={**ARTEFACT.facts, "since": "d" * 40})
    (run,) = sarif(await reviewed(artefact=artefact))["runs"]  # type: ignore[misc]
    assert run["automationDetails"]["id"] == f"folkmoot-review/{'d' * 12}/change-1a2b3c"


async def test_only_what_survived_in_touched_lines_is_a_comment_at_lines() -> None:
    comments = line_comments(await reviewed())
    assert [(item["path"], item.get("start_line"), item["line"], item["side"]) for item in comments] == [
        ("a.py", None, 10, "RIGHT"),
        ("a.py", None, 10, "RIGHT"),  # what was disputed and upheld
    ]
    assert len({str(item["body"]).partition("\n")[0] for item in comments}) == 2
    first, *rest = str(comments[0]["body"]).split("\n")
    assert first.startswith("<!-- folkmoot-finding:")
    assert "It never ends." in rest[0]


def test_a_region_is_the_touched_part_of_the_cited_lines() -> None:
    assert shown_lines(ARTEFACT, Citation(path="a.py", lines=(8, 40))) == (10, 10)
    assert shown_lines(ARTEFACT, Citation(path="a.py", lines=(11, 12))) == (11, 12)
    assert shown_lines(ARTEFACT, Citation(path="c.py", lines=(1, 2))) == (1, 2)


async def test_the_text_shows_each_finding_with_its_check() -> None:
    words = as_text(await reviewed())
    assert words.startswith(
        "change-1a2b3c: 2 findings survived, 2 findings contested, 1 finding retracted and 1 finding without basis\n"
    )
    assert "  contested  low api  a.py:5, was there before\n" in words
    assert "    the words were said to be at 8\n" in words
    assert "    J: AGREE (c.py:1, which is wrong) The lines show it.\n" in words
    assert "    R1 replies: RETRACT I have read it.\n" in words
    assert "    disputed: No. (a.py:10)\n    J: UPHELD So it is.\n" in words
    assert "    no basis: the quotation is not in a.py\n" in words
    assert "contested, unchecked  critical" in words
    assert "incomplete: F1 has no verdict of J" in words


async def test_a_comment_is_marked_harmless_and_never_too_long() -> None:
    run = await reviewed()
    words = as_markdown(run, url="https://example.org/ann/x")
    assert words.startswith(f"<!-- folkmoot-review:1 head={'h' * 40} -->\n")
    assert f"[a.py:10](https://example.org/ann/x/blob/{'h' * 40}/a.py#L10-L10)" in words
    assert "&lt;b>@<!-- -->ann&lt;/b> \\[x\\](y)" in words
    assert "### Contested" in words
    assert "pre-existing" in words
    assert "`a.py:10`" in as_markdown(run)
    long = "\n".join(finding(str(n), f"line {n}", FILE="b.md", CLAIM="long " * 580) for n in range(1, 99, 5))
    many = await reviewed(lambda ask: long if ask.act == "inspect" else verdict("AGREE", REASON="x" * 900))
    comment = as_markdown(many)
    assert len(comment) <= MOST_COMMENT
    assert "more findings: see the record." in comment


async def test_what_is_left_out_is_named() -> None:
    artefact = Artefact(files=ARTEFACT.files, facts={**FACTS, "left out": "x.png: binary", "untracked": "1 file: y"})
    run = await reviewed(lambda ask: "NO FINDINGS", artefact)
    shown = ReviewRun(review=run.review, debate="d", version="1", demonstration=True)
    assert as_text(shown).splitlines() == [
        "d: no findings",
        "This is a demonstration: no model has read the change.",
        "left out: x.png: binary",
        "left out: 1 file: y",
    ]


def test_the_ids_of_findings_are_named_in_a_few_words() -> None:
    ids = ["F1", "F2", "F3"]
    assert [ids_in_words(ids[:n]) for n in range(4)] == [
        "it has none",
        "it has F1",
        "it has F1 and F2",
        "it has F1 to F3",
    ]
