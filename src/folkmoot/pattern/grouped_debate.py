"""Grouped debate, for more debaters than one group can hear: its arguments and the keys of its result."""

from collections.abc import Sequence
from typing import TypedDict

from folkmoot.app.plan.settings import StorePlace
from folkmoot.app.program.program_calls import whole, words
from folkmoot.app.program.program_plans import GroupReport, group_reports, most_rounds, plan_grouped, teams
from folkmoot.app.run.api import run_blocking
from folkmoot.app.run.outcome import Outcome
from folkmoot.core.brief import PARTICIPANTS, VOTED_ROUNDS, Brief, Limits
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Opened
from folkmoot.core.transcript import Turn, read_field
from folkmoot.pattern.pattern_base import Debater, PatternBase, Result, debaters_of, described
from folkmoot.report.conclusion import answer_in_words


class Position(TypedDict):
    """One entry of ``debate_history``; ``group`` counts from 0, ``round`` too: the drafts are round 0.

    The last answers, given with all reports in view, have the number of the round behind the last one of any group.
    """

    name: str
    role: str
    answer: str
    argument: str
    group: int
    round: int


class GroupAnswer(TypedDict):
    """An answer that a group held: in the words of its report, with the number of its holders by the record."""

    answer: str
    count: int
    argument: str


class Summary(TypedDict):
    """What a group told the others: every answer that it held."""

    group: int
    by: str
    answers: list[GroupAnswer]


class GroupedState(TypedDict):
    """The keys of a grouped debate's result."""

    topic: str
    debaters: list[dict[str, str]]
    groups: list[list[str]]
    current_round: int
    max_rounds: int
    debate_history: list[Position]
    summaries: list[Summary]
    tally: dict[str, float]
    final_decision: str
    is_settled: bool


class GroupedResult(Result[GroupedState]):
    """The outcome of a grouped debate: exactly the keys of ``GroupedState``.

    ``final_decision`` is "" and ``is_settled`` False where the vote was tied or too few could be read; ``tally`` says
    how the votes fell, and ``outcome.decision`` all the rest. A count in a report that was not the record's is put
    right in ``summaries`` and named in ``warnings``.
    """


class GroupedDebatePattern(PatternBase[GroupedResult]):
    """Groups of 3 to 5 debate among themselves, tell each other every answer they hold, reconsider and decide.

    For six debaters and more; who debates with whom is drawn, and the same again for the same debaters.

    Args:
        model: a model of OpenAI's by its name, or ``provider:name``.
        llm: a LangChain chat model, or any agent that can be seated; it goes before ``model``.
        max_rounds: the greatest number of rounds within the groups, from 0 to 3; more rounds before a vote do harm.
        store: the record's file, its database's address, or an open store; None for the owner's.
        limits: what one debate may use; None for the usual limits.

    Raises:
        BriefError: an argument that cannot be used.
    """

    protocol = "grouped"

    def __init__(
        self,
        model: str = "gpt-4o-mini",
        llm: object = None,
        max_rounds: int = 1,
        *,
        store: StorePlace | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(model, llm, store, limits)
        self.max_rounds = whole("max_rounds", max_rounds, *VOTED_ROUNDS)

    def run(self, topic: str, debaters: Sequence[Debater], options: Sequence[str] = ()) -> GroupedResult:
        """Run a debate to its end; see ``arun``.

        Raises:
            FolkmootError: an event loop is running: await ``arun`` there.
        """
        return run_blocking(self.arun(topic, debaters, options), "GroupedDebatePattern.arun")

    async def arun(self, topic: str, debaters: Sequence[Debater], options: Sequence[str] = ()) -> GroupedResult:
        """Run a debate to its end.

        Args:
            topic: the question or proposition.
            debaters: six or more, as for ``DebatePattern``.
            options: the closed set of answers, where there is one: then the last answers are the votes. Without it each
                answers in a sentence of its own, and all vote on the answers.

        Raises:
            BriefError: an argument or a model that cannot be used; nothing was asked.
            ProtocolError: fewer than six debaters; nothing was asked.
            LimitReached: a limit stands in the way; Unavailable: nobody can be reached. What was answered is kept, and
                ``resume`` goes on.
            ModelError: nobody answered.
        """
        people = debaters_of(debaters)
        if len(people) > PARTICIPANTS.high:
            raise BriefError(f"{len(people)} debaters; at most {PARTICIPANTS.high} can take part", code="out_of_range")
        brief = Brief(
            topic=words("topic", topic), participants=people, options=_options(options), limits=self.limits or Limits()
        )
        rounds = self.max_rounds
        return await self._run(
            brief, lambda workspace, brief, seat: plan_grouped(workspace, brief, seat, rounds=rounds)
        )

    def _read(self, outcome: Outcome, opened: Opened) -> GroupedResult:
        transcript = outcome.transcript
        groups = teams(transcript)
        people = transcript.brief.participants if transcript.brief else ()
        answers = transcript.turns("draft", "revise")
        rounds = max((turn.round for turn in answers), default=0)
        roles = {participant.name: participant.role for participant in people}
        reports = group_reports(transcript)
        state: GroupedState = {
            "topic": outcome.topic,
            "debaters": described(people),
            "groups": [list(group) for group in groups],
            "current_round": rounds,
            "max_rounds": most_rounds(opened),
            "debate_history": [
                {
                    "name": turn.by,
                    "role": roles[turn.by],
                    **_turn_record(turn),
                    "group": next(n for n, group in enumerate(groups) if turn.by in group),
                    "round": turn.round if turn.ask and turn.ask.audience else rounds + 1,
                }
                for turn in answers
            ],
            "summaries": [_summary(groups.index(report.members), report) for report in reports],
            "tally": dict(outcome.decision.tally) if outcome.decision else {},
            "final_decision": answer_in_words(outcome.decision) if outcome.decision else "",
            "is_settled": outcome.status == "decided",
        }
        result = GroupedResult(state, outcome)
        result.warnings += tuple(wrong for report in reports for wrong in _wrong_counts(report))
        return result


class _Said(TypedDict):
    answer: str
    argument: str


def _turn_record(turn: Turn) -> _Said:
    answer, argument = read_field(turn, "ANSWER"), read_field(turn, "ARGUMENT")
    return {
        "answer": "" if answer is None else str(answer),
        "argument": turn.text if argument is None else str(argument),
    }


def _summary(group: int, report: GroupReport) -> Summary:
    answers: list[GroupAnswer] = [
        {"answer": stand.answer, "count": stand.count, "argument": stand.argument} for stand in report.stands
    ]
    return {"group": group, "by": report.by, "answers": answers}


def _wrong_counts(report: GroupReport) -> list[str]:
    return [
        f"{report.by} reports {stand.told:g} for {stand.answer!r}; the record has {stand.count}"
        for stand in report.stands
        if stand.told is not None and stand.told != stand.count
    ]


def _options(listed: object) -> tuple[str, ...]:
    if isinstance(listed, str) or not isinstance(listed, Sequence):
        raise BriefError("options must be a list of texts", code="wrong_type")
    options = tuple(words(f"option {n}", value) for n, value in enumerate(listed, start=1))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if len(options) == 1 or len({option.casefold() for option in options}) < len(options):
        raise BriefError("options must be two or more different texts, or none", code="out_of_range")
    return options
