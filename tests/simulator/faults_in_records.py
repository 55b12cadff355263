"""Faults planted into what is stored, shown and left behind, by name; see ``planted_faults``."""
# pyright: reportPrivateUsage=false, reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownParameterType=false

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from folkmoot.agents import llm
from folkmoot.app.run import runner
from folkmoot.core import transcript
from folkmoot.core.errors import RecordError
from folkmoot.core.event import Asked, Closed, Entered, Opened, Paused, Replied
from folkmoot.deadline import Deadline
from folkmoot.engine import calls, driver
from folkmoot.phases import base, vote
from folkmoot.policy import rules
from folkmoot.record import hub, ledger
from tests.simulator import world

Change = tuple[Any, str, Any]

UNCHECKED: Change = (transcript.Transcript, "check", lambda self, event: None)
"""The transcript takes in whatever it is told."""


# ---- what is noted ---------------------------------------------------------------------------------------------------


def debate_is_opened_again() -> list[Change]:
    def note_resumed(self: Any) -> None:
        if self.resuming:
            self.resuming = False
            self.ledger.note(self.opened)

    return [(driver._Driver, "_note_resumed", note_resumed), UNCHECKED]


def pause_is_noted_behind_the_close() -> list[Change]:
    usual = driver._Driver.run

    async def run(self: Any, protocol: Any) -> None:
        await usual(self, protocol)
        if self.ledger.transcript.closed:
            self.ledger.note(Paused(reason="stopped", kind="stopped"))

    return [(driver._Driver, "run", run), (ledger.Ledger, "_check_open", lambda self: None), UNCHECKED]


def phases_begin_twice() -> list[Change]:
    usual = base.enter

    def enter(phase: Any, state: Any) -> Any:
        yield Entered(path=state.path)
        yield from usual(phase, state)

    return [(base, "enter", enter)]


def tries_are_noted_under_another_key() -> list[Change]:
    usual = calls.CallRecorder.__init__

    def init(self: Any, key: str, *more: Any) -> None:
        usual(self, f"{key}0", *more)

    return [(calls.CallRecorder, "__init__", init), UNCHECKED]


def answers_are_noted_twice() -> list[Change]:
    usual = ledger.Ledger.note

    def note(self: Any, *events: Any) -> None:
        for event in events:
            usual(self, event)
            if isinstance(event, Replied):
                usual(self, event)

    return [(ledger.Ledger, "note", note), UNCHECKED]


def answers_have_the_words_of_the_one_before() -> list[Change]:
    usual = ledger.Ledger.note

    def note(self: Any, *events: Any) -> None:
        for event in events:
            if isinstance(event, Replied) and event.reply.asked != "human":
                words = getattr(self, "words_before", event.reply.text)
                self.words_before = event.reply.text
                usual(self, replace(event, reply=replace(event.reply, text=words)))
            else:
                usual(self, event)

    return [(ledger.Ledger, "note", note)]


def first_answer_of_a_batch_is_not_stored() -> list[Change]:
    usual = ledger.Ledger.note

    def note(self: Any, *events: Any) -> None:
        for event in events:
            if isinstance(event, Replied) and event.key.endswith("#1") and not self._past:
                self.transcript.add(event)
                self._apply(event)
            else:
                usual(self, event)

    return [(ledger.Ledger, "note", note)]


def questions_are_stored_for_a_stranger() -> list[Change]:
    usual = ledger.Ledger._stamp

    def stamp(self: Any, event: Any) -> str:
        return usual(self, Asked(ask=replace(event.ask, to="Zed")) if isinstance(event, Asked) else event)

    return [(ledger.Ledger, "_stamp", stamp)]


def pauses_are_written_in_half() -> list[Change]:
    usual = ledger.encode

    def encode(entry: Any) -> str:
        line = usual(entry)
        return line[: len(line) // 2] if isinstance(entry.event, Paused) else line

    return [(ledger, "encode", encode)]


def first_question_does_not_wait_for_the_store() -> list[Change]:
    usual = ledger.Ledger.add

    async def add(self: Any, *events: Any) -> None:
        if self._tries:
            await usual(self, *events)
        else:
            self.note(*events)

    return [(ledger.Ledger, "add", add)]


def killed_debate_is_locked_for_ever() -> list[Change]:
    usual = ledger.Ledger.open

    async def open_(self: Any) -> Any:
        entries = await usual(self)
        if entries and not isinstance(entries[-1].event, Paused | Closed | Opened):
            raise RecordError("somebody runs this debate")
        return entries

    return [(ledger.Ledger, "open", open_)]


def acknowledged_lines_are_lost() -> list[Change]:
    usual = world.SimulatedStore.append

    async def append(self: Any, debate: str, lines: Any, *, after: int) -> None:
        await usual(self, debate, lines, after=after)
        if after > 5 and debate in self._world.records:
            self._world.lines[debate].pop()

    return [(world.SimulatedStore, "append", append)]


def free_errors_give_back_no_cost() -> list[Change]:
    def release(self: Any, key: str, call: str) -> None:
        if (key, call) in self._reserved:
            attempted, _ = self._reserved.pop((key, call))
            self.tokens -= attempted.tokens

    def settle(self: Any, key: str, call: str, usage: Any) -> None:
        reserved = self._reserved.get((key, call))
        usual(self, key, call, usage)
        self.cost -= (reserved[0].cost or 0.0) if reserved else 0.0

    usual = calls.Budget._settle
    return [(calls.Budget, "_release", release), (calls.Budget, "_settle", settle)]


def counts_of_a_model_correct_no_estimate() -> list[Change]:
    return [(calls.Budget, "_fitted", lambda self, model, prompt: prompt)]


def worst_case_of_calls_in_flight_is_not_counted() -> list[Change]:
    @contextmanager
    def sending(self: Any, quote: Any, awaited: Any = None) -> Generator[Any]:
        yield self.fit(quote)

    return [(calls.Budget, "sending", sending)]


def worst_cost_of_calls_in_flight_is_not_counted() -> list[Change]:
    usual = calls.Budget._worst
    return [
        (calls.Budget, "_worst", lambda self, quote, least: replace(usual(self, quote, least), cost=quote.cost)),
    ]


# ---- what is shown and left behind -----------------------------------------------------------------------------------


def viewers_miss_a_line() -> list[Change]:
    usual = hub.Follower.pick

    def pick(self: Any) -> Any:
        item = usual(self)
        missed = item is not None and isinstance(item.what, hub.StoredLine) and item.what.seq % 7 == 0
        return usual(self) if missed else item

    return [(hub.Follower, "pick", pick)]


def lines_before_the_place_of_a_viewer_are_shown() -> list[Change]:
    def pick(self: Any) -> Any:
        if self._past:
            self.last += 1
            return hub.RingItem(self._past.popleft())
        if self.place is None or self.place < self.ring.first:
            self.place = self.ring.place_after(self.last)
        if self.place is None or (item := self.ring.at(self.place)) is None:
            return None
        self.place += 1
        self.last = getattr(item.what, "seq", self.last)
        return item

    return [(hub.Follower, "pick", pick)]


def slow_viewer_begins_with_what_is_kept() -> list[Change]:
    usual = hub.Ring.place_after
    return [(hub.Ring, "place_after", lambda self, seq: self.first if seq < self.base else usual(self, seq))]


def debate_with_an_error_keeps_its_place() -> list[Change]:
    def release(self: Any, debate: str) -> None:
        if debate not in self._errors:
            usual(self, debate)

    usual = runner.Runner._release
    return [(runner.Runner, "_release", release)]


def clock_of_a_turn_runs_on() -> list[Change]:
    async def leave(self: Any, *error: Any) -> bool | None:
        return await self._timeout.__aexit__(*error)

    return [(Deadline, "__aexit__", leave)]


def task_is_left_behind() -> list[Change]:
    usual = driver._Driver.run

    async def run(self: Any, protocol: Any) -> None:
        self.loose = asyncio.create_task(asyncio.sleep(1e5))  # noqa: TID251 - that is the fault
        await usual(self, protocol)

    return [(driver._Driver, "run", run)]


def tries_reserve_nothing() -> list[Change]:
    return [(calls.Budget, "fit", lambda self, quote: replace(quote, tokens=0))]


# ---- ballots and decisions -------------------------------------------------------------------------------------------


def first_ballot_stands_twice() -> list[Change]:
    usual = rules.Share.decide

    def decide(self: Any, ballots: Any, candidates: Any) -> Any:
        decision = usual(self, ballots, candidates)
        return replace(decision, ballots=(*decision.ballots, *decision.ballots[:1]))

    return [(rules.Share, "decide", decide)]


def next_choice_is_read() -> list[Change]:
    usual = llm._read

    def read(ask: Any, called: Any, context: Any, **more: Any) -> Any:
        reading = usual(ask, called, context, **more)
        fields = dict(reading.fields)
        for field in ask.form.fields if ask.form else ():
            if field.kind == "choice" and fields.get(field.name) in field.choices:
                place = field.choices.index(fields[field.name])
                fields[field.name] = field.choices[(place + 1) % len(field.choices)]
        return replace(reading, fields=fields)

    return [(llm, "_read", read)]


def weights_are_negative() -> list[Change]:
    usual = vote.with_weight
    return [(vote, "with_weight", lambda state, ballot, **more: replace(usual(state, ballot, **more), weight=-1.0))]


def tie_has_a_winner() -> list[Change]:
    usual = rules.Share.decide

    def decide(self: Any, ballots: Any, candidates: Any) -> Any:
        decision = usual(self, ballots, candidates)
        return replace(decision, winner=candidates[0]) if decision.status == "tie" else decision

    return [(rules.Share, "decide", decide)]


def last_of_the_tied_proposals_wins() -> list[Change]:
    def decide(self: Any, ballots: Any, candidates: Any) -> Any:
        decision = usual(self, ballots, candidates)
        if "fallback: first" not in decision.how:
            return decision
        most = [name for name in candidates if decision.tally[name] == max(decision.tally.values())]
        return replace(decision, winner=most[-1])

    usual = rules.FirstProposal.decide
    return [(rules.FirstProposal, "decide", decide)]


def slip_between_questions_ends_the_run() -> list[Change]:
    def must_pause(self: Any, more: int) -> Any:
        raise ZeroDivisionError

    return [(driver._Driver, "_must_pause", must_pause)]
