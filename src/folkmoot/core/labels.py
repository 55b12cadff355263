"""The words of every screen for places in a protocol, acts of turns, values and lengths of time."""

import re
from collections import Counter
from collections.abc import Container, Mapping
from typing import Final

from folkmoot.core.ask import Ask, Fields, shown
from folkmoot.core.decision import NO_DECISION
from folkmoot.core.roles import WITHDRAWN
from folkmoot.core.text import words
from folkmoot.core.transcript import INTERJECTION, Turn

_NOUNS: Mapping[str, str] = {
    "argue": "argument",
    "close": "closing statement",
    "consent": "opinion on the reconciliation",
    "deliver": "final answer",
    "evaluate": "evaluation",
    "gauge": "judgement of the round",
    "guide": "note",
    "inform": "findings",
    "inspect": "findings",
    "interrupt": "interruption",
    "moderate": "review",
    "open": "opening statement",
    "propose": "proposal",
    "recall": "memories",
    "reconsider": "reconsidered answer",
    "reflect": "reflection",
    "refute": "check of a finding",
    "remind": "reminder",
    "respond": "reply to a refutation",
    "revise": "revision",
    "strategy": "note on strategy",
    "summarize": "summary",
    "synthesize": "synthesis",
    "translate": "translation",
    "verify": "check of the critique",
    "weigh": "weights",
}
_TITLES: Mapping[str, str] = {
    "argue": "arguments",
    "check": "the judge's check",
    "close": "closing statements",
    "critique": "critiques",
    "deliver": "the final answer",
    "draft": "drafts",
    "evaluate": "evaluation",
    "floor": "the floor",
    "gauge": "the moderator's judgement",
    "guide": "the moderator's note",
    "inform": "the moderator's findings",
    "inspect": "findings",
    "merge": "the merged answer",
    "moderate": "moderator",
    "open": "opening statements",
    "propose": "proposals",
    "rank": "rankings",
    "recall": "memories",
    "recommend": "last verdicts",
    "refute": "checks of the findings",
    "respond": "replies of the finders",
    "reconsider": "reconsidered answers",
    "reflect": "reflection",
    "report": "reports of the groups",
    "revise": "revisions",
    "strategy": "notes on strategy",
    "summarize": "summary",
    "translate": "translations",
    "weigh": "vote weights",
}
GROUPED: Final = r"((?:eval|batch)-.+-[0-9a-f]{6})-[0-9a-f]{12}|(cast)-[0-9a-f]{8}-[0-9a-f]{6}"
"""The id of a debate that lists fold into one row with others: of an evaluation, of a batch, or one in which
participants were generated; and how the ids of all of its group begin."""

_FRAMES = ("", "debate", "rounds", "sequence", "parallel")


def group_of(debate: str) -> str:
    """How the ids of all debates of its group begin; "" for a debate that stands alone."""
    own = re.fullmatch(GROUPED, debate)
    return own[1] or own[2] if own else ""


def group_in_words(group: str) -> tuple[str, str]:
    """What a group is, and its name: ``("batch", "hiring")``."""
    kind, _, name = group.partition("-")
    if kind == "cast":
        return "participants", "Generated participants"
    return {"eval": "evaluation"}.get(kind, kind), name.rpartition("-")[0]


def act_of(turn: Turn | Ask) -> str:
    """The act of a turn or an ask, as reports name it: always ``message`` on a board."""
    form = turn.form if isinstance(turn, Ask) else turn.ask.form if turn.ask else None
    return "message" if form and any(field.name == WITHDRAWN for field in form.fields) else turn.act


def noun(act: str) -> str:
    """The noun for an answer of that act: ``proposal`` for propose. An unknown act keeps its name."""
    return _NOUNS.get(act, act)


def in_reply_to(turn: Turn, *, marks: bool, names: bool) -> str:
    """Which turn a message from outside replies to: ``, in reply to Bull's proposal``; "" for none.

    Args:
        turn: the message.
        marks: whether who reads it sees the marks of turns.
        names: whether who reads it sees who speaks.
    """
    if turn.to is None:
        return ""
    if marks:
        return f", in reply to {turn.to.mark}{f' of {turn.to.by}' if names else ''}"
    what = "message" if turn.to.act == INTERJECTION else noun(act_of(turn.to))
    round = f" in round {turn.to.round}" if turn.to.round else ""
    whose = f"{turn.to.by}'s" if names else "the"
    return f", in reply to {whose} {what}{round}"


def plural(act: str) -> str:
    """The noun for several answers of that act: ``critiques``."""
    singular = noun(act)
    return singular[:-1] + "ies" if singular.endswith("y") else singular + "s"


def status_in_words(status: str) -> str:
    """How a debate stands, as people read it: ``no decision``."""
    return status.replace("_", " ")


ANSWERED = "answered"
NOTHING_DEBATED = "nothing was to be debated"
"""How one ends in which a model only answered, as it answers a chat program's wish for a title."""

ANSWERED_LINE = f"{ANSWERED}: {NOTHING_DEBATED}"


def only_answered(protocol: str, status: str, reason: str) -> bool:
    """Whether a model only answered, and nothing was debated.

    Args:
        protocol: the name of the protocol.
        status: how it ended.
        reason: why, as the record says it.
    """
    return (protocol, status, reason) == ("single", "no_decision", NO_DECISION)


RULES: Mapping[str, str] = {
    "plurality": "most votes",
    "majority": "more than half of the votes",
    "supermajority": "two thirds of the votes",
    "unanimity": "unanimity",
    "weighted": "weighted votes",
    "mean": "the mean of the forecasts",
    "moderator": "the moderator",
    "judge": "the judge",
}
"""The words for rules; the web app has them from here, through ``scripts/generate_docs.py``."""


def rule_in_words(rule: str) -> str:
    """The rule of a decision as people read it: ``most votes``."""
    return RULES.get(rule, rule.replace("_", " "))


def protocol_in_words(protocol: str) -> str:
    """The name of a protocol as people read it: ``round robin``."""
    return protocol.replace("_", " ")


DECIDED_BY = "decided by "
"""What stands before the rule among the choices of a debate."""


def choice_in_words(chosen: str) -> str:
    """What was chosen for a debate as people read it: ``decided by most votes``."""
    rule = chosen.removeprefix(DECIDED_BY)
    return chosen if rule == chosen else DECIDED_BY + rule_in_words(rule)


def duty_in_words(duty: str) -> str:
    """The duty of a participant in words."""
    return "helper" if duty == "aide" else duty


def failure_in_words(kind: str, reason: str) -> str:
    """A failure in words: its kind, unless the reason says it, and the reason."""
    kind = "left out" if kind == "open" else kind  # a circuit breaker is open
    return f"{kind}: {reason}" if kind and reason and kind not in reason else reason or kind


def with_author(name: str, act: str) -> str:
    """The answer with its author: ``Ann's proposal``."""
    return f"{name}'s {noun(act)}"


def title(path: str) -> str:
    """A heading for a place in the play: ``Round 2: critiques`` for ``/debate/rounds/round-2/critique``."""
    words: list[str] = []
    for segment in path.split("/"):
        if segment in _FRAMES:
            continue
        match = re.fullmatch(r"(.+)-(\d+)", segment)
        name, number = (match[1], f" {match[2]}") if match else (segment, "")
        words.append(_TITLES.get(name, name.replace("-", " ").replace("_", " ")) + number)
    text = ": ".join(words) or "the debate"
    return text[0].upper() + text[1:]


def early_end(path: str) -> str:
    """That the phase at that path ends early: ``No further round``, ``Proposals ends early``."""
    name = path.rpartition("/")[2]
    return {"debate": "The debate ends early", "rounds": "No further round"}.get(name, f"{title(path)} ends early")


def ending(path: str) -> str:
    """The phase at that path, as the subject of a sentence: ``The rounds``, ``Round 2: critiques``."""
    last = path.rpartition("/")[2]
    return f"The {last}" if last in _FRAMES and last else title(path)


def place(key: str) -> str:
    """The phase of a turn in words, from its key."""
    return title(key.rpartition("#")[0])


def heading_path(path: str, places: Container[str]) -> str:
    """The path of the phase under whose heading turns are shown.

    A step within a phase, such as an interruption or a score of its turns, has no heading of its own.

    Args:
        path: the path of the turns.
        places: the paths of all turns so far.
    """
    ends = [match.start() for match in re.finditer("/", path)]
    return next((path[:end] for end in ends if path[:end] in places), path)


def fork_origin(forked: str) -> str:
    """Where a debate was forked from another one: ``forked from depot-3f2a1c at entry 17``; "" for one of its own."""
    parent, _, at = forked.rpartition("@")
    return f"forked from {parent} at entry {at}" if parent else ""


def label(name: str) -> str:
    """A field's name in ordinary case: ``Confidence`` for CONFIDENCE."""
    name = name.replace("_", " ")
    return name.capitalize() if name.isupper() or name.islower() else name


def contains_text(fields: Fields, text: str, *frame: str) -> bool:
    """Whether the fields contain every word of a text, so that showing them instead of it loses nothing.

    Args:
        fields: the fields that were read.
        text: the whole answer.
        frame: further words that only structure the fields: names of tags and inner objects.
    """
    if not fields:
        return False
    known = [*fields, *fields, *frame, *frame, *(shown(value) for value in fields.values())]
    rest = Counter(words(text)) - Counter(words(" ".join(known)))
    loose = ("yes", "no", "true", "false") if any(isinstance(value, bool) for value in fields.values()) else ()
    numbers = any(isinstance(value, int | float) for value in fields.values())
    return all(word in loose or (numbers and word.isdigit()) for word in rest)


WAITS_FOR_BATCH = "waits for a batch"
"""How the reason begins why a debate is paused that a provider's batch will answer; since when follows."""


_UNITS = ((86_400, "day", "days"), (3600, "h", "h"), (60, "min", "min"), (1, "s", "s"))


def duration(seconds: float) -> str:
    """A length of time in its two greatest units: ``4.2 s``, ``3 min 20 s``, ``1 h``, ``2 days 3 h``.

    The pages say the same (``span`` in ``frontend/src/words.ts``).

    Args:
        seconds: not below 0; below a minute they are rounded to tenths, else parts of a second are left out.
    """
    if round(seconds, 1) < 60:
        return f"{round(seconds, 1):g} s"
    rest, parts = int(seconds), list[str]()
    for size, one, many in _UNITS:
        n, rest = divmod(rest, size)
        if n:
            parts.append(f"{n} {one if n == 1 else many}")
        elif parts:
            break  # "1 h" and some seconds
    return " ".join(parts[:2])
