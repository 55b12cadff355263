"""Read texts as a debate reads them: a vote, a ruling, a board message, scores, a brief (public, pure functions).

Each function says what a debate would book from a text, and why it wouldn't book the rest. Nothing is asked, stored or
changed. A text is read by its form alone, as the last answer to a question: nobody is asked again, so words behind a
vote count for nothing. What isn't the author's own (a quotation, code, thinking, a turn of others) is not booked.

>>> from folkmoot.reading import read_vote
>>> read_vote("Its plan has a way back. I vote for: Ben", ["Ann", "Ben"]).choice
'Ben'
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from folkmoot.answers.layout import NO_NAMES, Reading, read
from folkmoot.app.brief import reader
from folkmoot.core.ask import ABSTAIN, Field, Form, Value
from folkmoot.core.brief import Brief
from folkmoot.core.errors import BriefError
from folkmoot.core.roles import REASONING, VERDICT, WITHDRAWN
from folkmoot.phases.speak import SETTLEMENT
from folkmoot.phases.vote import BALLOT, Adopt, ballot_form
from folkmoot.protocols.board import member_form, message

__all__ = [
    "BriefText",
    "Message",
    "Reason",
    "Ruling",
    "Scores",
    "Vote",
    "read_brief",
    "read_message",
    "read_ruling",
    "read_scores",
    "read_vote",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why something was not booked.

    Attributes:
        field: the field of the form; "" for the whole text.
        code: the reason in one word, such as ``ambiguous`` or ``quoted_only``.
        text: the reason as a sentence.
    """

    field: str
    code: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """What a debate books from a ballot.

    Attributes:
        choice: the candidate in its own spelling; None where there is no vote.
        abstained: whether the author abstains.
        why: why nothing was booked; empty for a vote or an abstention.
    """

    choice: str | None = None
    abstained: bool = False
    why: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What a debate books from a moderator's ruling.

    Attributes:
        status: ``SETTLED`` or ``CONTINUE``; None where neither was read.
        decision: the decision that ends the debate, or the summary where it is left out; None unless the status is
            ``SETTLED``.
        summary: where the debate stands; None where it was not read.
        why: why the rest was not booked.
    """

    status: str | None = None
    decision: str | None = None
    summary: str | None = None
    why: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What a debate books from the message of a board's member.

    Attributes:
        verdict: the verdict in its own spelling; None where there is none.
        reasoning: the reasons that stand with it; without them the verdict does not count.
        withdrawn: whether the author leaves the meeting; it counts only with a verdict, given now or earlier.
        content: what the author says to the board; None where it was not read.
        why: why the rest was not booked.
    """

    verdict: str | None = None
    reasoning: str | None = None
    withdrawn: bool = False
    content: str | None = None
    why: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """What a debate books from scores: one for each name, or none at all.

    Attributes:
        scores: the numbers by name; empty where anything is missing or wrong.
        why: why nothing was booked.
    """

    scores: Mapping[str, float]
    why: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefText:
    """What a text says as a brief.

    Attributes:
        brief: the brief; None where the text cannot be used.
        settings: what the text states, by the names of the keys; defaults are not in it.
        why: what is wrong with it, with file and line in the sentence.
    """

    brief: Brief | None = None
    settings: Mapping[str, Value]
    why: tuple[Reason, ...] = ()


def read_vote(
    text: str,
    candidates: Sequence[str],
    *,
    voter: str = "",
    others: Sequence[str] = (),
    strict: bool = False,
    proposals: Mapping[str, Sequence[str]] = NO_NAMES,
) -> Vote:
    """Read a ballot (``I vote for: NAME``).

    Args:
        text: the voter's whole answer.
        candidates: who can be voted for.
        voter: whose answer it is; "" where that is unknown.
        others: the names of the other participants; turns that the answer quotes or invents for them book nothing.
        strict: whether only the formula with its colon counts, as in some debates.
        proposals: by candidate, the words of the proposal that it stands for; they name it as well.

    >>> vote = read_vote('Ann ends with "I vote for: Ann". That is not how this works.', ["Ann", "Ben"])
    >>> vote.choice, vote.why[0].code
    (None, 'quoted_only')
    """
    form = ballot_form(candidates, strict=strict)
    reading = read(form, text, speaker=voter, others=others, names=proposals, final=True)
    choice = reading.fields.get(BALLOT)
    if choice == ABSTAIN:
        return Vote(abstained=True)
    return Vote(choice=_text(choice), why=_reasons(reading))


def read_ruling(text: str, *, others: Sequence[str] = ()) -> Ruling:
    """Read a moderator's ruling in the sections ``SUMMARY``, ``STATUS`` and ``DECISION``.

    Args:
        text: the moderator's whole answer.
        others: the names of the participants, as in ``read_vote``.

    >>> ruling = read_ruling("SUMMARY: All is said.\\nSTATUS: SETTLED\\nDECISION: Run the pilot.")
    >>> ruling.status, ruling.decision
    ('SETTLED', 'Run the pilot.')
    """
    reading = read(SETTLEMENT, text, others=others, final=True)
    adopted = Adopt()
    status = reading.fields.get(adopted.status)
    given = reading.fields.get(adopted.field, reading.fields.get(adopted.otherwise))
    decision = given if status == adopted.value else None
    summary = _text(reading.fields.get("SUMMARY"))
    return Ruling(status=_text(status), decision=_text(decision), summary=summary, why=_reasons(reading))


def read_message(text: str, *, verdicts: Sequence[str] = (), speaker: str = "", members: Sequence[str] = ()) -> Message:
    """Read the message of a board's member, in its tags.

    Args:
        text: the whole message.
        verdicts: the possible verdicts; empty for any words.
        speaker: whose turn it is; a message in another's name holds nothing. "" checks nothing.
        members: all members of the board, for the fields that name one.

    >>> verdict = "<Verdict>HIRE</Verdict><VerdictReasoning>Her talks.</VerdictReasoning>"
    >>> message = read_message(f"<Message>{verdict}<Content>Take Kim.</Content></Message>")
    >>> message.verdict, message.content
    ('HIRE', 'Take Kim.')
    """
    reading = read(
        member_form(message(tuple(verdicts)), speaker, members),
        text,
        speaker=speaker,
        others=[name for name in members if name != speaker],
        final=True,
    )
    return Message(
        verdict=_text(reading.fields.get(VERDICT)),
        reasoning=_text(reading.fields.get(REASONING)),
        withdrawn=reading.fields.get(WITHDRAWN) is True,
        content=_text(reading.fields.get("Content")),
        why=_reasons(reading),
    )


def read_scores(text: str, names: Sequence[str], *, low: float = 0, high: float = 10) -> Scores:
    """Read scores for all of these names from one JSON object, ``{"scores": {name: number}}``.

    Args:
        text: the whole answer.
        names: who is scored.
        low: the least score.
        high: the greatest score.

    >>> read_scores('{"scores": {"Ann": 7, "Ben": 4}}', ["Ann", "Ben"]).scores
    {'Ann': 7, 'Ben': 4}
    """
    fields = tuple(Field(name=name, kind="number", low=low, high=high) for name in names)
    reading = read(Form(name="scores", fields=fields, layout="json", under="scores"), text, others=names, final=True)
    if reading.unread:
        return Scores(scores={}, why=_reasons(reading))
    return Scores(scores={name: value for name, value in reading.fields.items() if isinstance(value, int | float)})


def read_brief(text: str, *, name: str = "") -> BriefText:
    """Read a brief; no file beside it is opened.

    Args:
        text: the whole text: a question, or Markdown with or without a header.
        name: the file's name, for the sentences.

    >>> read_brief("Tea or coffee for the office?").brief.topic
    'Tea or coffee for the office?'
    >>> read_brief("---\\nroundz: 2\\n---\\n# Tea or coffee?").why[0].code
    'unknown_key'
    """
    try:
        parsed = reader.read_brief(text, name=name)
    except BriefError as error:
        return BriefText(settings={}, why=(Reason(field="", code=error.code, text=str(error)),))
    return BriefText(brief=parsed.brief, settings=parsed.given)


def _text(value: Value | None) -> str | None:
    return None if value is None else str(value)


def _reasons(reading: Reading) -> tuple[Reason, ...]:
    return tuple(Reason(field=unread.field, code=unread.reason, text=unread.why) for unread in reading.unread)
