"""The report format ``slides``: Markdown for a slide program, a slide for each thing to know."""

from moot.ext import Report, bullets, decision_chapter, inline


def slides(report: Report) -> str:
    """The title, the participants, the decision."""
    people = bullets(f"**{inline(person.name)}**: {inline(person.role, 80)}" for person in report.participants)
    pages = (f"# {inline(report.topic, 120)}", f"## Who\n\n{people}", "\n\n".join(decision_chapter(report)))
    return "\n\n---\n\n".join(pages) + "\n"
