"""Second thoughts and notes in Markdown. This file owns how these chapters look; ``report.course`` what they say."""

from collections.abc import Mapping, Sequence

from moot.core.labels import place
from moot.report.course import Course, Move, Note, Reflection, Revision
from moot.report.markdown_text import inline
from moot.report.pieces import LONG, bullets, lead

_SAYS: Mapping[bool | None, str] = {
    True: "says that the opinion has changed",
    False: "says that the opinion has not changed",
    None: "does not say whether the opinion has changed",
}


def chronicle(course: Course) -> list[str]:
    """The chapters, as blocks; none where nobody revised, looked back or wrote a note."""
    return [*_second_thoughts(course), *_notes(course.notes)]


def _second_thoughts(course: Course) -> list[str]:
    if not course.revisions and not course.reflections:
        return []
    looks = [
        _look(each, [move for move in course.moves if move.by == each.by and move.told is False])
        for each in course.reflections
    ]
    return ["## Second thoughts", bullets(map(_revision, course.revisions)), *looks]


def _revision(revision: Revision) -> str:
    new, old = (f"{mark} ({inline(place(key))})" for mark, key in _ends(revision))
    return f"**{inline(revision.by)}:** {new} replaces {old}"


def _ends(revision: Revision) -> tuple[tuple[str, str], tuple[str, str]]:
    return (revision.mark, revision.key), (revision.old, revision.old_key)


def _look(reflection: Reflection, untold: Sequence[Move]) -> str:
    who = inline(reflection.by)
    head = f"**{who}**, looking back, {_SAYS[reflection.changed]}."
    told = [
        f"{inline(each.words, 2 * LONG)} (*the record {'shows' if each.shown else 'does not show'} it*)"
        for each in reflection.changes
    ]
    missing = [
        f"*Not reported, but on record:* {move.old} -> {move.new}: from {inline(move.before, LONG)} "
        f"to {inline(move.after, LONG)}"
        for move in untold
    ]
    against = [f"Contradiction: {inline(each, 2 * LONG)}" for each in reflection.contradictions]
    return "\n\n".join(each for each in (head, bullets((*told, *missing, *against))) if each)


def _notes(notes: Sequence[Note]) -> list[str]:
    if not notes:
        return []
    told = [lead(f"{inline(note.by)}, {inline(place(note.key))}", note.words) for note in notes]
    return ["## Notes on strategy", "While the debate ran, nobody but their authors saw them.", *told]
