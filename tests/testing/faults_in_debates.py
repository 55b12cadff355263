"""Faults planted into what a debate books, shows and decides, by name; see ``planted_faults``."""
# pyright: reportPrivateUsage=false, reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownParameterType=false

from dataclasses import replace
from fractions import Fraction
from typing import Any

from moot.core import agent, text
from moot.core.event import Erred
from moot.engine import calls, driver, quorum
from moot.policy import rules
from moot.record import mailbox

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
    return [(driver._Driver, "_pause", lambda self, reason, kind: False)]


def quorum_waits_for_nobody() -> list[Change]:
    async def hurry(self: Any, tasks: Any) -> None:
        for task in tasks:
            task.cancel()

    return [(quorum.Quorum, "hurry", hurry)]


def voters_are_hurried() -> list[Change]:
    return [(quorum, "HURRIED", quorum.HURRIED | {"vote"})]


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
