"""What must hold of every brief before anything is sent. This file owns it for briefs that a program made.

The reader of Markdown refuses such things with a line of the file; a program can put anything into a value.
"""

import math

from moot.agents.human import HUMAN
from moot.app.brief.names import check_name, skeleton
from moot.core.brief import Brief, Participant
from moot.core.errors import BriefError
from moot.core.letters import flat
from moot.core.matching import normalise

LONGEST_OPTION = 200
"""The most characters of an option."""


def check_brief(brief: Brief) -> None:
    """Refuse a brief that cannot be debated as it stands.

    Raises:
        BriefError: no topic, a name that is none or is taken, a weight or a deadline out of range, options that cannot
            be told apart or are no single line, a document that is no text.
    """
    if not brief.topic.strip():
        raise BriefError("the topic is empty", code="missing_topic")
    taken: dict[str, str] = {}
    for each in brief.participants:
        _check_participant(each)
        if other := taken.get(skeleton(each.name)):
            found = f"the name {each.name!r} is taken by {other!r}; each at the table needs a name of its own"
            raise BriefError(found, code="duplicate_name")
        taken[skeleton(each.name)] = each.name
    _check_options(brief.options)
    for source in (*brief.background, *brief.library):
        if not isinstance(source.text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise BriefError(f"the document {source.name!r} is no text", code="wrong_type")


def _check_participant(who: Participant) -> None:
    # A person may be called "Human", as the councils' document calls one.
    if not (who.seat == HUMAN and who.name == "Human") and check_name(who.name) != who.name:
        raise BriefError(
            f"the name {who.name!r} has blanks or signs too many: {check_name(who.name)!r}", code="bad_name"
        )
    if who.weight is not None and not (math.isfinite(who.weight) and who.weight >= 0):
        found = f"{who.name}: weight is {who.weight}; it must be a number from 0"
        raise BriefError(found, code="out_of_range")
    if who.deadline is not None and not (math.isfinite(who.deadline) and who.deadline > 0):
        found = f"{who.name}: deadline is {who.deadline}; it must be a number of seconds above 0"
        raise BriefError(found, code="out_of_range")


def _check_options(options: tuple[str, ...]) -> None:
    if isinstance(options, str) or (options and len(options) < 2):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BriefError(f"options is {options!r}; there must be two or more of them, or none", code="out_of_range")
    seen: dict[str, str] = {}
    for each in options:
        if not each.strip() or flat(each) != each or len(each) > LONGEST_OPTION or set(each) & set("<>"):
            found = f"the option {each[:60]!r} must be one line of 1 to {LONGEST_OPTION} characters without < and >"
            raise BriefError(found, code="bad_option")
        if other := seen.get(normalise(each)):
            raise BriefError(f"the options {other!r} and {each!r} cannot be told apart", code="duplicate_option")
        seen[normalise(each)] = each
