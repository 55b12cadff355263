"""The reports of groups: counts and arguments belong to the answer that is named, wherever the report lists it."""

from collections.abc import Mapping, Sequence

import pytest

from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask
from folkmoot.core.brief import Brief, Participant
from folkmoot.protocols.grouped import REPORT, Stand, stands
from folkmoot.protocols.known import build
from folkmoot.testing.replay import Harness, HeldDebate
from folkmoot.testing.scripted import Scripted

NAMES = ("Ann", "Bob", "Cy", "Dan", "Eve", "Fay", "Gil", "Hal")
HOLDS = {name: "Keep it" if n % 4 == 0 else "Close it" for n, name in enumerate(NAMES)}
FOR = {"Close it": "It costs more than it earns.", "Keep it": "The town has no other."}


def listing(lines: Sequence[tuple[str, object, str]]) -> str:
    """A report that lists these answers, each with a count and an argument."""
    rows = [
        f"ANSWER {n}: {answer}\nCOUNT {n}: {count}\nARGUMENT {n}: {reason}"
        for n, (answer, count, reason) in enumerate(lines, 1)
    ]
    return "\n".join(rows)


class Groups:
    """Eight who hold an answer; whoever reports lists the answers in an order of its own."""

    def __init__(self, options: tuple[str, ...] = (), *, words: Mapping[str, str] | None = None) -> None:
        people = tuple(Participant(name=name, seat=f"ollama:{name}") for name in NAMES)
        self.brief = Brief(topic="What becomes of the swimming pool?", participants=people, options=options, seed=3)
        self.words = words or {}
        self.off = 0
        self.tasks: list[str] = []

    def answer(self, ask: Ask, context: Context) -> str:
        if ask.act == REPORT:
            return self.report(context)
        if ask.act == "vote":
            assert ask.form
            return f"I vote for: {ask.form.fields[0].choices[0]}"
        if ask.key.startswith("/debate/reconsider"):
            self.tasks.append(ask.task)
        holds = HOLDS[ask.to]
        return f"ANSWER: {holds}\nCONFIDENCE: 0.8\nARGUMENT: {FOR[holds]}"

    def report(self, context: Context) -> str:
        answers = [str(turn.fields["ANSWER"]) for turn in context.about]
        order = sorted(dict.fromkeys(answers), key=lambda answer: list(dict.fromkeys(answers)).index(answer))[::-1]
        return listing([(self.words.get(text, text), answers.count(text) + self.off, FOR[text]) for text in order])

    async def hold(self) -> HeldDebate:
        agent = Scripted(self.answer)
        place = Harness(brief=self.brief, protocol=build("grouped", self.brief), name="grouped")
        return await place.run({participant.name: agent for participant in self.brief.participants})


def by_hand(debate: HeldDebate) -> list[dict[str, tuple[int, str, float | None]]]:
    """What each group holds, counted from its answers."""
    rows: list[dict[str, tuple[int, str, float | None]]] = []
    for report in debate.transcript.turns(REPORT):
        answers = [str(debate.transcript.get(key).fields["ANSWER"]) for key in report.about]
        rows.append(
            {answer: (answers.count(answer), FOR[answer], float(answers.count(answer))) for answer in set(answers)}
        )
    return rows


@pytest.mark.parametrize("options", [(), ("Close it", "Keep it")])
async def test_a_true_report_in_an_order_of_its_own_is_not_contradicted(options: tuple[str, ...]) -> None:
    groups = Groups(options)
    debate = await groups.hold()
    turns = [
        {
            standing.answer: (standing.count, standing.argument, standing.told)
            for standing in stands(debate.transcript, report)
        }
        for report in debate.transcript.turns(REPORT)
    ]
    assert len(turns) == 2
    assert turns == by_hand(debate)
    assert any(len(turn) == 2 for turn in turns)
    assert len(groups.tasks) == 8
    assert not any("the report says" in task for task in groups.tasks)


async def test_a_wrong_count_is_put_right_at_the_answer_that_it_is_given_for() -> None:
    groups = Groups()
    groups.off = 1
    debate = await groups.hold()
    counts = [
        [standing.count for standing in stands(debate.transcript, report)][::-1]
        for report in debate.transcript.turns(REPORT)
    ]
    lines = {
        "; ".join(f"answer {n} by {count} (the report says {count + 1})" for n, count in enumerate(row, 1))
        for row in counts
    }
    for task in groups.tasks:
        assert {line.partition(": ")[2] for line in task.splitlines() if line.startswith("Proposal ")} == lines


async def test_answers_in_the_reporters_own_words_are_found_by_their_words() -> None:
    own = {"Close it": "We should close it now.", "Keep it": "To keep it as it is."}
    debate = await Groups(words=own).hold()
    for report in debate.transcript.turns(REPORT):
        for standing in stands(debate.transcript, report):
            key = next(name for name, words in own.items() if words == standing.answer)
            assert standing.argument == FOR[key]
            assert standing.told == standing.count


async def test_words_that_fit_no_answer_are_given_to_none() -> None:
    own = {"Close it": "The first of the two.", "Keep it": "The other of the two."}
    groups = Groups(words=own)
    groups.off = 1
    debate = await groups.hold()
    mixed = [report for report in debate.transcript.turns(REPORT) if len(stands(debate.transcript, report)) == 2]
    assert mixed
    for report in mixed:
        assert {standing.answer for standing in stands(debate.transcript, report)} == {"Close it", "Keep it"}
        assert all((standing.argument, standing.told) == ("", None) for standing in stands(debate.transcript, report))
    assert not any(
        "the report says" in line for task in groups.tasks for line in task.splitlines() if "answer 2" in line
    )


async def test_what_is_left_out_and_what_is_said_twice() -> None:
    groups = Groups()
    groups.report = lambda context: listing([("Close it", 3, "A."), ("close it.", 9, "B.")])  # pyright: ignore[reportAttributeAccessIssue]
    debate = await groups.hold()
    mixed = next(turn for turn in debate.transcript.turns(REPORT) if len(stands(debate.transcript, turn)) == 2)
    close, keep = sorted(stands(debate.transcript, mixed), key=lambda stand: stand.answer)
    assert (close.argument, close.told, close.place) == ("A.", 3.0, 1)
    assert keep == Stand(answer="Keep it", count=keep.count)
    assert f"; an answer that it does not name by {keep.count}" in "\n".join(groups.tasks)


async def test_the_only_line_that_is_left_reports_the_only_answer_that_is_left() -> None:
    debate = await Groups(words={"Keep it": "Let the place live on."}).hold()
    mixed = next(turn for turn in debate.transcript.turns(REPORT) if len(stands(debate.transcript, turn)) == 2)
    values = {stand.answer: (stand.argument, stand.told == stand.count) for stand in stands(debate.transcript, mixed)}
    assert values == {"Close it": (FOR["Close it"], True), "Let the place live on.": (FOR["Keep it"], True)}
