"""Faults planted into rulings, the course of a debate, and the time of people, by name; see ``planted_faults``."""
# pyright: reportPrivateUsage=false, reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownParameterType=false

import asyncio
import sys
from contextlib import suppress
from dataclasses import replace
from math import inf
from typing import Any

from folkmoot.agents import human, llm
from folkmoot.core import roles
from folkmoot.core.errors import RecordConflict, Unavailable
from folkmoot.core.event import Paused
from folkmoot.core.text import hide
from folkmoot.engine import driver
from folkmoot.models import layers
from folkmoot.phases import base, speak, vote
from folkmoot.policy import rounds, rules
from folkmoot.protocols import board
from folkmoot.record import ledger, mailbox
from folkmoot.record.store import encode

Change = tuple[Any, str, Any]


# ---- who rules alone -------------------------------------------------------------------------------------------------


def words_of_a_ruling_are_forged() -> list[Change]:
    usual = vote.Adopt._read

    def read(self: Any, turn: Any) -> Any:
        decision = usual(self, turn)
        return replace(decision, text=f"{decision.text} Or not.") if decision.text else decision

    return [(vote.Adopt, "_read", read)]


def continue_counts_as_settled() -> list[Change]:
    usual = vote.Adopt._read
    return [(vote.Adopt, "_read", lambda self, turn: usual(replace(self, status=""), turn))]


def rounds_end_though_the_moderator_wants_to_go_on() -> list[Change]:
    def met(self: Any, transcript: Any) -> str:
        turns = transcript.turns(self.act)
        return f"{turns[-1].by} says SETTLED" if turns else ""

    return [(rounds.Settled, "met", met)]


# ---- votes and answers -----------------------------------------------------------------------------------------------


def abstentions_count_as_agreement() -> list[Change]:
    usual = rules.Share._strength

    def strength(self: Any, weight: Any, ballots: Any) -> Any:
        return usual(self, weight, [ballot for ballot in ballots if ballot.state != "abstained"])

    return [(rules.Share, "_strength", strength)]


def answers_that_were_cut_off_are_read() -> list[Change]:
    usual = llm._read
    return [
        (llm, "_read", lambda ask, called, context, **more: usual(ask, replace(called, finish="stop"), context, **more))
    ]


def members_who_have_left_speak_on() -> list[Change]:
    usual = roles._message
    return [(roles, "_message", lambda turn: usual(turn)._replace(leaves=False))]


def members_leave_without_a_word() -> list[Change]:
    usual = roles._message

    def message(turn: Any) -> Any:
        read = usual(turn)
        return read._replace(leaves=read.leaves or read.verdict is not None)

    return [(roles, "_message", message)]


def one_more_round_is_played() -> list[Change]:
    usual = base.Rounds.play
    return [(base.Rounds, "play", lambda self, state: usual(replace(self, most=self.most + 1), state))]


def answers_of_the_first_round_are_shown() -> list[Change]:
    def pick(self: Any, transcript: Any, reader: str) -> Any:
        if self.whose == "to_me":
            return usual(self, transcript, reader)
        oldest = transcript.first(*self.acts)
        return [turn for turn in oldest if self.whose == "all" or (turn.by == reader) == (self.whose == "own")]

    usual = rounds.Showing._pick
    return [(rounds.Showing, "_pick", pick)]


def first_proposals_are_voted_on() -> list[Change]:
    usual = vote.candidates
    return [(vote, "candidates", lambda *args, **more: usual(*args, **{**more, "latest": False}))]


# ---- halts and pauses ------------------------------------------------------------------------------------------------


def debate_goes_on_without_any_answer() -> list[Change]:
    usual = speak.Everyone.play
    return [(speak.Everyone, "play", lambda self, state: usual(replace(self, needs=0), state))]


def debate_halts_where_one_is_missing() -> list[Change]:
    usual = speak.Everyone.play

    def play(self: Any, state: Any) -> Any:
        everybody = len(speak.asked_names(state, self.who))
        return usual(replace(self, needs=everybody if self.needs else 0), state)

    return [(speak.Everyone, "play", play)]


def outage_is_no_reason_to_pause() -> list[Change]:
    usual = driver._Driver._record_failures

    def record_failures(self: Any, asks: Any, outcomes: Any, *, alone: bool) -> bool:
        return usual(self, asks, outcomes, alone=False)

    return [(driver._Driver, "_record_failures", record_failures)]


def one_who_is_out_of_reach_stops_all() -> list[Change]:
    usual = driver._Driver._record_failures

    def record_failures(self: Any, asks: Any, outcomes: Any, *, alone: bool) -> bool:
        away = [one for one in outcomes if isinstance(one, Unavailable)]
        if away and len(asks) > 1:
            reason = f"some could not be reached: {hide(str(away[0]))}"
            return self._pause(Paused(reason=reason, kind="unavailable"))
        return usual(self, asks, outcomes, alone=alone)

    return [(driver._Driver, "_record_failures", record_failures)]


# ---- people ----------------------------------------------------------------------------------------------------------


def time_of_people_counts() -> list[Change]:
    usual = driver.Deadlines.answers_in_time

    async def answers_in_time(self: Any, *args: Any) -> Any:
        ends = self.ends
        try:
            return await usual(self, *args)
        finally:
            self.ends = ends

    return [(driver.Deadlines, "answers_in_time", answers_in_time)]


def time_is_not_limited_where_a_person_takes_part() -> list[Change]:
    usual = driver.Deadlines.__init__

    def init(self: Any, seconds: Any, untimed: Any) -> None:
        usual(self, None if untimed else seconds, untimed)

    return [(driver.Deadlines, "__init__", init)]


def time_of_a_person_begins_anew_with_a_resume() -> list[Change]:
    def begin(contacts: Any, key: str, allowed: float | None) -> Any:
        if allowed is None:
            return human._AnswerTime(contacts.clock, None, inf)
        now = asyncio.get_running_loop().time()
        return human._AnswerTime(contacts.clock, contacts.clock() + allowed, now + allowed)

    return [(human._AnswerTime, "begin", staticmethod(begin))]


def person_is_waited_for_behind_the_deadline() -> list[Change]:
    usual = human._AnswerTime.begin

    def begin(contacts: Any, key: str, allowed: float | None) -> Any:
        return usual(contacts, key, None if key in contacts.asked_at else allowed)

    return [(human._AnswerTime, "begin", staticmethod(begin))]


def answer_behind_the_deadline_is_overlooked() -> list[Change]:
    usual = human.Human._answer_by_message

    async def answer_by_message(self: Any, key: str) -> Any:
        term = sys._getframe(1).f_locals.get("term")
        return await usual(self, key) if term is None or term.left > 0 else None

    return [(human.Human, "_answer_by_message", answer_by_message)]


def person_has_half_of_the_time() -> list[Change]:
    usual = human._AnswerTime.begin

    def begin(contacts: Any, key: str, allowed: float | None) -> Any:
        return usual(contacts, key, None if allowed is None else allowed / 2)

    return [(human._AnswerTime, "begin", staticmethod(begin))]


def mailbox_gives_up_on_a_conflict() -> list[Change]:
    async def append(self: Any, entry: Any) -> int:
        last = len(await self.read())
        line = encode(entry(last + 1, self._clock(), self._head))
        with suppress(RecordConflict):
            await self._store.append(self.stream, [line], after=last)
        return last + 1

    return [(mailbox._EventStream, "_append", append)]


# ---- sums, times and what is told -----------------------------------------------------------------------------------


def answer_has_used_what_its_first_call_used() -> list[Change]:
    usual = llm.reply_of

    def reply_of(reading: Any, conversation: Any, answer: Any) -> Any:
        return replace(usual(reading, conversation, answer), usage=conversation.calls[0].usage)

    return [(llm, "reply_of", reply_of)]


def call_takes_all_the_time_of_its_process() -> list[Change]:
    usual = layers.replace

    def counted(call: Any, **changes: Any) -> Any:
        return usual(call, **({"seconds": asyncio.get_running_loop().time()} if "seconds" in changes else changes))

    return [(layers, "replace", counted)]


def timekeeper_speaks_one_message_late() -> list[Change]:
    def is_time(self: Any, turns: Any, times: Any) -> bool:
        messages = sum(turn.reply is not None for turn in turns)
        return messages > self.reminded and any(messages % time == 1 for time in times)

    return [(board.Course, "is_time", is_time)]


def winner_is_among_the_answers_that_have_lost() -> list[Change]:
    usual = vote.with_words

    def with_words(decision: Any, groups: Any, *args: Any, **more: Any) -> Any:
        minority = usual(replace(decision, winner=""), groups, *args, **more).minority
        return replace(usual(decision, groups, *args, **more), minority=minority)

    return [(vote, "with_words", with_words)]


# ---- what must make no difference ------------------------------------------------------------------------------------


def first_of_the_table_weighs_more() -> list[Change]:
    usual = vote.with_weight

    def with_weight(state: Any, ballot: Any, *, unstated: float = 1.0) -> Any:
        weighed = usual(state, ballot, unstated=unstated)
        first = state.brief.names("debater")[0]
        return replace(weighed, weight=4 * weighed.weight) if ballot.voter == first else weighed

    return [(vote, "with_weight", with_weight)]


def proposals_with_words_of_a_ballot_are_left_out() -> list[Change]:
    usual = vote.candidates

    def candidates(*args: Any, **more: Any) -> Any:
        groups = usual(*args, **more)
        plain = {name: turns for name, turns in groups.items() if vote.BALLOT not in turns[0].text}
        return plain if len(plain) > 1 else groups

    return [(vote, "candidates", candidates)]


def store_waits_for_viewers() -> list[Change]:
    usual = ledger.Ledger._append

    async def append(self: Any, lines: Any) -> None:
        await usual(self, lines)
        workspace = getattr(self._publish, "__self__", None)
        if workspace is not None and self.debate in workspace.hub._rings:
            await asyncio.sleep(0.5)

    return [(ledger.Ledger, "_append", append)]
