"""The report of a debate in Markdown, to read, to print and to take to a meeting, and chapters of it by themselves."""

from folkmoot.report import phrases
from folkmoot.report.report import Report
from folkmoot.report.templates import render_markdown
from folkmoot.reviews.reviewed import Review


def markdown(report: Report) -> str:
    """The whole report; it ends with a line break."""
    return render_markdown("report/report.md.jinja", report=report, phrase=phrases)


def chapter(name: str, **values: object) -> str:
    """One chapter, by the name of its template."""
    return render_markdown(f"report/{name}.md.jinja", phrase=phrases, **values).rstrip("\n")


def decision_chapter(report: Report) -> list[str]:
    """The chapter on the decision, as blocks."""
    return [chapter("decision", report=report)]


def findings_chapter(review: Review, *, over: bool) -> str:
    """The chapter on the findings of a review; ``over``: whether it has come to its end."""
    return chapter("findings", review=review, over=over)
