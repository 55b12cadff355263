"""The chapter of a report on the findings of a review: the same states and citations, as Markdown and as a page."""

from dataclasses import replace
from typing import cast

from folkmoot.app.export.paper import print_page, replay
from folkmoot.app.export.reports import ReadRecord
from folkmoot.app.serve.frames import frames
from folkmoot.cli.display.output import summary
from folkmoot.cli.display.text_layout import console_for
from folkmoot.core.ask import Ask
from folkmoot.report.markdown import findings_chapter, markdown
from folkmoot.report.report import Report, as_data, report
from folkmoot.reviews.citations import Citation
from folkmoot.reviews.review_data import facts_of
from folkmoot.reviews.reviewed import Dispute, Refutation, Review
from tests.kits.reviewers import finding, reply, verdict
from tests.report.reports import hiring
from tests.reviews.test_review_data import debated, reviewed


async def read() -> Report:
    return report((await debated()).entries, debate="change-1a2b3c")


def chapter(text: str) -> str:
    """The chapter on findings in a page of Markdown."""
    return text.partition("\n## Findings\n")[2].partition("\n## ")[0]


async def test_the_table_names_place_severity_status_and_reviewers() -> None:
    text = chapter(markdown(await read()))
    rows = [row for row in text.split("\n") if row.startswith("|")]
    assert rows == [
        "| ID | Place | Severity | Status | Reviewers |",
        "| --- | --- | --- | --- | --- |",
        "| F1 | `b.md:50` | critical | contested, unchecked | R1 |",
        "| F2 | `a.py:10` | high (2 of 2) | survived | R1 and R2 |",
        "| F3 | `a.py:30` | high | retracted | R1 |",
        "| F4 | `a.py:10-12` | medium | survived | R1 |",
        "| F5 | `a.py:5` | low | contested | R1 |",
        "| F6 | `a.py:1` | high | without basis | R1 |",
    ]
    assert "2 findings survived, 2 findings contested, 1 finding retracted and 1 finding without basis." in text
    assert "> **Note:** The review is not whole: F1 has no verdict of J (" in text


async def test_each_finding_has_its_evidence_its_checks_and_its_dispute() -> None:
    parts = chapter(markdown(await read())).split("\n### ")[1:]
    by_id = {part[:2]: part for part in parts}
    assert "**J** gave no verdict: " in by_id["F1"]
    assert "**Merged:** 2 reports. R1 and R2, models of 2 vendors, " in by_id["F2"]
    assert "**R2** (high, correctness, `a.py:10`): It never ends.\n\n```\nwhile page:\n```" in by_id["F2"]
    assert "- **J** upheld it: The lines show it. (cites `a.py:10`; the quotation was found)" in by_id["F2"]
    assert "- At the same lines, with another quotation or claim: F4." in by_id["F2"]
    assert "**J** refuted it: The lines show it." in by_id["F3"]
    assert "**R1**, who found it, retracted it: I have read it." in by_id["F3"]
    assert "**Quotation:** found in `a.py` at lines 10-12." in by_id["F4"]
    assert "**J** doubted it, without proof that it is wrong" in by_id["F4"]
    assert "**The author** disputed it: No. (cites `a.py:10`)" in by_id["F4"]
    assert "**J**, who judged the dispute, upheld the finding: So it is. (cites `a.py:10`" in by_id["F4"]
    assert "found in `a.py` at line 5, not at 8 as the reviewer says." in by_id["F5"]
    assert "does not hold: c.py is no file of what is reviewed)" in by_id["F5"]
    assert "- The change does not touch these lines: it was there before." in by_id["F5"]
    assert "**Quotation:** not found: the quotation is not in a.py." in by_id["F6"]
    assert "- Nobody was asked to check it." in by_id["F6"]


async def test_what_reviewers_write_is_text_on_the_page_to_print() -> None:
    entries = (await debated()).entries
    page = print_page(ReadRecord(entries=entries, report=report(entries, debate="change-1a2b3c")))
    assert "<h2>Findings</h2>" in page
    assert "<td><code>b.md:50</code></td>\n<td>critical</td>\n<td>contested, unchecked</td>" in page
    assert "<pre><code>while page:\n</code></pre>" in page
    assert "&lt;b&gt;@ann&lt;/b&gt; [x](y)" in page
    assert "<b>@ann" not in page


async def test_quoted_code_cannot_end_its_block() -> None:
    review = (await reviewed()).review
    quote = "````\n</code><script>alert(1)</script>\n## Decision\n```"
    item = review.findings[0]
    changed_report = replace(item.finding.reports[0], cite=Citation(path="a|b.md", lines=(1, 4), quote=quote), claim="")
    changed = replace(review, findings=(replace(item, finding=replace(item.finding, reports=(changed_report,))),))
    text = findings_chapter(changed, over=True)
    assert f"\n`````\n{quote}\n`````\n" in text
    assert "| F1 | `a¦b.md:1-4` |" in text
    assert "): nothing is said" in text
    empty = replace(changed_report, cite=Citation(path="a.py", lines=(1, 1), fault="the quotation is not in a.py"))
    changed = replace(review, findings=(replace(item, finding=replace(item.finding, reports=(empty,))),))
    assert "```" not in findings_chapter(changed, over=True)


def one(review: Review, refutation: Refutation, dispute: Dispute | None = None) -> str:
    """The chapter on the first finding with these checks."""
    item = replace(review.findings[0], refutation=refutation, dispute=dispute)
    return findings_chapter(replace(review, findings=(item,)), over=True)


async def test_words_without_proof_are_named_so() -> None:
    review = (await reviewed()).review
    nowhere = Citation(path="", lines=(0, 0), fault="no lines are named")
    text = one(
        review,
        Refutation(by="J", verdict="AGREE", severity="low", same_vendor=True, reason="Yes.", cite=nowhere),
        Dispute(because="No.", cite=nowhere, by="K"),
    )
    cited = "(cites `no place`; does not hold: no lines are named)"
    assert text.split("\n")[-3:] == [
        f"- **J**, of a vendor that found it, upheld it as low: Yes. {cited}",
        f"- **The author** disputed it: No. {cited}",
        "- **K**, who judged the dispute, gave no ruling.",
    ]
    assert one(review, Refutation(by="J", verdict="CANNOT_TELL")).endswith("- **J** could not tell. (cites nothing)")


async def test_a_finding_that_its_finder_holds_on_to_stays_contested() -> None:
    def stubborn(ask: Ask) -> str:
        words = {"inspect": finding(), "refute": verdict("DISAGREE_EVIDENCE"), "respond": reply("HOLD")}
        return words[ask.act]

    text = chapter(markdown(report((await debated(stubborn)).entries, debate="d")))
    assert "### F1: contested\n" in text
    assert "**R1**, who found it, kept it: I have read it." in text
    assert "not over" not in text


async def test_a_review_can_be_reported_at_every_entry() -> None:
    entries = (await debated()).entries
    for size in range(1, len(entries) + 1):
        text = markdown(report(entries[:size], debate="d"))
        over = any(entry.event.__class__.__name__ == "Ruled" for entry in entries[:size])
        assert ("The review is not over" in text) != over
    assert "No findings." in chapter(markdown(report(entries[:1], debate="d")))


async def test_only_a_review_has_the_chapter() -> None:
    assert "## Findings" not in markdown(report(hiring(), debate="d1"))
    assert as_data(report(hiring(), debate="d1"))["review"] is None
    whole = await read()
    assert whole.review
    assert as_data(whole)["review"] == facts_of(whole.review)


async def test_the_page_that_replays_a_review_has_its_findings_with_the_decision() -> None:
    entries = (await debated()).entries
    (ruled,) = [frame for frame in frames(entries) if frame["kind"] == "ruled"]
    findings = cast("dict[str, dict[str, str]]", ruled["decision"])["findings"]["html"]
    assert findings.startswith("<h3>Findings</h3>")
    assert "<td><code>a.py:10</code></td>\n<td>high (2 of 2)</td>\n<td>survived</td>" in findings
    assert "<h4>F3: retracted</h4>" in findings
    assert "&lt;b&gt;@ann&lt;/b&gt; [x](y)" in findings
    assert "F3: retracted" in replay("change-1a2b3c", entries)


async def test_the_end_of_a_review_on_the_screen_names_each_finding() -> None:
    console, entries = console_for(), (await debated()).entries
    with console.capture() as captured:
        console.print(summary(ReadRecord(entries=entries, report=await read()), boxed=False))
    shown = " ".join(captured.get().split())
    assert "F2 a.py:10: high (2 of 2), survived, found by R1 and R2: It never ends." in shown
    assert "F1 b.md:50: critical, contested, unchecked, found by R1: " in shown


async def test_a_debate_that_is_no_review_has_no_findings_on_its_page() -> None:
    assert not any("findings" in str(frame.get("decision")) for frame in frames(hiring()))
