"""The report format ``slides``: Markdown for a slide program, a slide for each thing to know."""

from dataclasses import dataclass

from folkmoot.ext import Report, bullets, decision_chapter, inline, option, takes_options


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a brief can set under ``report_options``, and a command with ``--set``."""

    people: bool = option(True, "Whether a slide names the participants.")


@takes_options(Options)
def slides(report: Report, options: Options) -> str:
    """The title, the participants, the decision."""
    people = bullets(f"**{inline(person.name)}**: {inline(person.role, 80)}" for person in report.participants)
    who = (f"## Who\n\n{people}",) if options.people else ()
    pages = (f"# {inline(report.topic, 120)}", *who, "\n\n".join(decision_chapter(report)))
    return "\n\n---\n\n".join(pages) + "\n"
