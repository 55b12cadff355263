"""Faults planted into what a debate books, shows and decides, by name; see ``planted_faults``."""
# pyright: reportPrivateUsage=false, reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownParameterType=false

import asyncio
import sys
from dataclasses import replace
from fractions import Fraction
from typing import Any

from folkmoot.core import agent, event, roles, text, transcript
from folkmoot.core.ask import Usage
from folkmoot.core.event import Erred
from folkmoot.engine import calls, driver, quorum
from folkmoot.models import layers, transport
from folkmoot.phases import vote
from folkmoot.policy import rules
from folkmoot.record import ledger, mailbox

Change = tuple[Any, str, Any]


# ---- money -----------------------------------------------------------------------------------------------------------


def failed_tries_cost_nothing() -> list[Change]:
    usual = calls.Budget.apply

    def apply(self: Any, event: Any) -> None:
        if isinstance(event, Erred):
            self._release(event.key, event.call)
        else:
            usual(self, event)

    return [(calls.Budget, "apply", apply)]


def unknown_usage_costs_nothing() -> list[Change]:
    def settle(self: Any, key: str, call: str, usage: Any) -> None:
        self._release(key, call)
        self.tokens += usage.input_tokens + usage.output_tokens
        self.cost += usage.cost or 0.0

    return [(calls.Budget, "_settle", settle)]


def reservations_are_kept_beside_what_was_used() -> list[Change]:
    return [(calls.Budget, "_release", lambda self, key, call: None)]


# ---- what is shown ---------------------------------------------------------------------------------------------------


def characters_that_nobody_sees_are_kept() -> list[Change]:
    return [(text, "_is_plain", lambda words: True)]


def private_fields_are_shown() -> list[Change]:
    return [(agent, "without_private_fields", lambda reader, turn: turn)]


def every_second_message_is_lost() -> list[Change]:
    usual = mailbox.Inbox.fetch

    async def fetch(self: Any, now: float) -> Any:
        return (await usual(self, now))[::2]

    return [(mailbox.Inbox, "fetch", fetch)]


# ---- how it ends -----------------------------------------------------------------------------------------------------


def stop_is_not_heard() -> list[Change]:
    usual = driver._Driver._must_pause

    def must_pause(self: Any, more: int) -> Any:
        self.options.stop.reason = ""
        return usual(self, more)

    return [(driver._Driver, "_must_pause", must_pause)]


def pause_is_not_recorded() -> list[Change]:
    return [(driver._Driver, "_pause", lambda self, paused: False)]


def quorum_waits_for_nobody() -> list[Change]:
    async def hurry(self: Any, tasks: Any) -> None:
        for task in tasks:
            task.cancel()

    return [(quorum.Quorum, "hurry", hurry)]


def voters_are_hurried() -> list[Change]:
    return [(roles, "HURRIED", roles.HURRIED | {"vote"})]


def close_says_another_status() -> list[Change]:
    usual = driver.closing_event
    return [(driver, "closing_event", lambda transcript: replace(usual(transcript), status="decided"))]


# ---- decisions -------------------------------------------------------------------------------------------------------


def weights_are_not_looked_at() -> list[Change]:
    return [(rules, "weight_of", lambda ballot, *, weighted: Fraction(1))]


def abstentions_count_for_the_first() -> list[Change]:
    usual = rules.count

    def count(ballots: Any, candidates: Any, *, weighted: bool) -> Any:
        tally = usual(ballots, candidates, weighted=weighted)
        tally[next(iter(tally))] += sum(ballot.state != "cast" for ballot in ballots)
        return tally

    return [(rules, "count", count)]


def any_share_is_enough() -> list[Change]:
    return [(rules, "reaches", lambda share, least, *, beyond: True)]


def minority_of_the_voters_decides() -> list[Change]:
    return [(rules, "count_voters", len)]


def half_is_a_majority() -> list[Change]:
    return [(rules, "reaches", lambda share, least, *, beyond: share >= least)]


def exact_share_is_not_enough() -> list[Change]:
    return [(rules, "reaches", lambda share, least, *, beyond: share > least)]


def ballots_that_nobody_can_read_count() -> list[Change]:
    usual = vote.read_ballot

    def read_ballot(turn: Any) -> Any:
        ballot = usual(turn)
        if ballot.state != "unread":
            return ballot
        return replace(ballot, state="cast", choice=next(field.choices for field in turn.ask.form.fields)[0])

    return [(vote, "read_ballot", read_ballot)]


def choice_is_the_next_proposal() -> list[Change]:
    usual = vote.ballot_for

    def ballot_for(turn: Any, groups: Any) -> Any:
        about = (*turn.ask.about[1:], *turn.ask.about[:1])
        return usual(replace(turn, ask=replace(turn.ask, about=about)), groups)

    return [(vote, "ballot_for", ballot_for)]


# ---- models and their prices -----------------------------------------------------------------------------------------


def breaker_never_opens() -> list[Change]:
    return [(layers.Breaker, "fail", lambda self, ticket: self.release(ticket))]


def gate_is_not_looked_at_once_more() -> list[Change]:
    usual = transport.Gate.opened

    async def opened(self: Any, seconds: float) -> None:
        if "_send" not in sys._getframe(1).f_code.co_name:
            await usual(self, seconds)

    return [(transport.Gate, "opened", opened)]


def answers_between_failures_are_overlooked() -> list[Change]:
    usual = layers.Breaker.succeed

    def succeed(self: Any, ticket: int) -> None:
        failures = self._failures
        usual(self, ticket)
        if self._state == "CLOSED":
            self._failures = failures

    return [(layers.Breaker, "succeed", succeed)]


def errors_that_stay_are_tried_again() -> list[Change]:
    usual = layers.ResilientModel._wait

    def wait(self: Any, error: Any, tries: int, longest: float) -> Any:
        stays = not error.again and tries < 3
        return self._pause(tries) if stays else usual(self, error, tries, longest)

    return [(layers.ResilientModel, "_wait", wait)]


def usage_of_an_answer_is_forgotten() -> list[Change]:
    usual = event.Called.cleaned
    return [(event.Called, "cleaned", lambda self, *names: replace(usual(self, *names), usage=Usage()))]


def cost_of_an_answer_is_doubled() -> list[Change]:
    usual = event.Called.cleaned

    def cleaned(self: Any, *names: str) -> Any:
        called = usual(self, *names)
        return replace(called, usage=replace(called.usage, cost=2 * (called.usage.cost or 0.0)))

    return [(event.Called, "cleaned", cleaned)]


def prices_of_answers_are_not_spent() -> list[Change]:
    usual = calls.Budget._settle
    return [
        (calls.Budget, "_settle", lambda self, key, call, usage: usual(self, key, call, replace(usage, cost=0.0))),
    ]


def who_waits_for_budget_is_not_told() -> list[Change]:
    async def changed(self: Any) -> None:
        await asyncio.Event().wait()

    return [(calls.Budget, "changed", changed)]


# ---- the course of a debate ------------------------------------------------------------------------------------------


def total_time_is_not_limited() -> list[Change]:
    usual = driver.Deadlines.__init__
    return [(driver.Deadlines, "__init__", lambda self, seconds, untimed: usual(self, None, untimed))]


def mismatch_is_not_noticed() -> list[Change]:
    usual = ledger.Ledger.note

    def note(self: Any, *events: Any) -> None:
        for one in events:
            usual(self, self._past[0].event if self._past else one)

    return [(ledger.Ledger, "note", note)]


def remarks_wait_for_the_end() -> list[Change]:
    usual = driver._Driver._take_messages

    async def take_messages(self: Any, *, last: bool = False) -> None:
        if last:
            await usual(self, last=True)

    return [(driver._Driver, "_take_messages", take_messages)]


def newest_answer_is_not_shown() -> list[Change]:
    usual = transcript.Transcript.look
    return [(transcript.Transcript, "look", lambda self, view, reader: usual(self, view, reader)[:-1])]


def remarks_are_not_shown() -> list[Change]:
    usual = transcript.Transcript.look

    def look(self: Any, view: Any, reader: str) -> Any:
        return tuple(turn for turn in usual(self, view, reader) if turn.act != transcript.INTERJECTION)

    return [(transcript.Transcript, "look", look)]


def append_that_was_cancelled_counts_as_stored() -> list[Change]:
    async def append(self: Any, lines: Any) -> None:
        try:
            await self._store.append(self.debate, lines, after=self._stored)
        except asyncio.CancelledError:
            if self._over:
                raise

    return [(ledger.Ledger, "_append", append)]


def append_that_was_cancelled_is_repeated() -> list[Change]:
    async def append(self: Any, lines: Any) -> None:
        while True:
            try:
                return await self._store.append(self.debate, lines, after=self._stored)
            except asyncio.CancelledError:
                if self._over:
                    raise

    return [(ledger.Ledger, "_append", append)]
