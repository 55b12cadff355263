"""The provider of a simulated world, behind the port of HTTP: the real adapters read what it sends.

It answers as the debate's own record asks: it knows the question from the mark of the participant in the prompt and
from the try that must be on record before anything is sent.
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from folkmoot.core.ask import Ask, Reply
from folkmoot.core.event import Attempted, Resumed
from folkmoot.models.http_port import Unreached
from folkmoot.models.layers import BreakerSettings, RetrySettings
from folkmoot.testing.wire_formats import DIALECTS, Plan
from tests.simulator.checks.answer_tokens import draw, token
from tests.simulator.checks.people_checks import seconds_of
from tests.simulator.checks.record_facts import TryId
from tests.simulator.checks.record_state import RecordState
from tests.simulator.checks.simulated_answers import answer_text, private_fields, private_word
from tests.simulator.fault_plan import CHAIR, FIRST, NAMES, PASSING, PERSON, SECOND, ModelFault, Twin, mark
from tests.simulator.invariants import Violation, require
from tests.simulator.virtual_loop import PROCESS
from tests.simulator.world import EPOCH, World

ADDRESS = "https://api.openai.com/v1/chat/completions"

OUTAGES = ("500", "html", "no connection", "reset")
"""Faults after which a call counts as failed for a circuit breaker, and which come at once."""

STAYING = ("401", "refused")
"""Faults that another try cannot mend."""

FIRST_PAUSE = RetrySettings().wait
"""The least seconds before a second try; before a third one they are twice as many."""

BUSY = 7.0
"""A server that fails for so many seconds says so, and wants to be left alone for that time."""

COOLDOWN = BreakerSettings().cooldown_seconds
TRIALS = BreakerSettings().half_open_success_threshold
NOTHING = Reply(text="")

MANY = 2_000
"""Tokens of each answer in a world with a limit on them; else there would be too few to come near it."""

LONG_ANSWER = 7_000
"""The tokens of an answer where a provider counts more than it was allowed, though less than is allowed for that."""

LATE = 5.0
"""Seconds behind the end of a turn within which its request must be given up."""


class Provider:
    """All that is sent in one world.

    Args:
        world: the world.

    Attributes:
        sent: how often a request left.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.sent = 0
        self._sends: Counter[tuple[str, str]] = Counter()  # by debate and participant
        self._tries: set[tuple[str, TryId]] = set()
        self._passed: set[tuple[str, str, str]] = set()  # calls that had a fault before, where each may have one
        self._flying: Counter[tuple[int, str]] = Counter()
        self._waits: dict[int, list[tuple[float, float]]] = {}  # by process: when it was asked to wait, and until when
        self._last: dict[tuple[int, str, str, str], float] = {}
        self._rests: dict[tuple[int, str, str, str], float] = {}  # by call the time before which it is not tried again
        self._final: set[tuple[int, str, str, str]] = set()  # calls that have met an error that stays
        self._call = (0, "", "", "")  # the last one that was tried
        self._shared: set[tuple[int, str, str, str]] = set()  # calls of which a try may have been another's
        self._alone = False  # whether the last try was the only one of its participant
        self._first: dict[tuple[int, str], float] = {}  # by process and debate the first request
        self._outages: dict[tuple[int, str], list[tuple[float, float]]] = {}  # when each call was put, and failed
        self._trials: dict[tuple[int, str, float], set[tuple[str, str, str]]] = {}  # since a breaker was opened
        self._works: set[tuple[int, str]] = set()  # the models that have done anything else in a process
        self._count: Counter[tuple[int, str, str, str]] = Counter()
        self._faults = {(fault.debate, fault.who, fault.send): fault for fault in world.plan.models}
        self._twins: dict[str, Twin] = {debate.id: debate.twin for debate in world.plan.debates}
        self._marks = {
            mark(debate.id, who): (debate.id, who) for debate in world.plan.debates for who in (*NAMES, CHAIR)
        }

    # ---- a request -----------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def open(self, url: str, body: bytes) -> AsyncGenerator["SimulatedAnswer"]:
        """Take a request and answer it."""
        world = self.world
        try:
            debate, tried, prompt = self._identify_try(url, body)
        except Violation as violation:
            world.fail(violation)
            raise
        place = PROCESS.get(), debate
        began = world.loop.time()
        self._flying[place] += 1
        try:
            yield await self._answer(world.records[debate], tried, prompt)
        finally:
            self._flying[place] -= 1
            if not world.loop.is_dead(place[0]):
                self._check_time(world.records[debate], tried, world.loop.time() - began)

    def _identify_try(self, url: str, body: bytes) -> tuple[str, Attempted, str]:
        """Find out which try this is, and check what may be sent."""
        data = json.loads(body)
        prompt = "\n".join(str(message["content"]) for message in data["messages"])
        require(url == ADDRESS, "I16", url)
        require(f"openai:{data['model']}" in (FIRST, SECOND), "I16", str(data["model"]))
        marks = [secret for secret in self._marks if secret in prompt]
        require(len(marks) == 1, "I21", lambda: f"a prompt with the marks {marks}")
        debate, who = self._marks[marks[0]]
        record = self.world.records[debate]
        is_put = any(ask.to == who for key, ask in record.asked.items() if key not in record.answered)
        alone = not self.world.shared
        require(is_put or not alone, "I43", lambda: f"{who} of {debate} is asked what is not on record")
        tried = self._try_of(record, who, f"openai:{data['model']}", prompt)
        self._check_places(debate)
        self._check_pauses(record, tried)
        self._check_words(record, tried, prompt)
        self._check_newest(record, record.asked[tried.key], prompt)
        self._check_total(record)
        self._check_breaker(record, tried)
        self.sent += 1
        self.world.note(f"{debate}: {tried.key} {tried.call} try {tried.n} leaves for {tried.model}")
        return debate, tried, prompt

    def _try_of(self, record: RecordState, who: str, model: str, prompt: str) -> Attempted:
        open_tries = {
            number: tried
            for number, tried in record.attempts.items()
            if record.asked[tried.key].to == who and (record.debate, number) not in self._tries
        }
        if not open_tries and self.world.shared:
            # A process that was overtaken may still send what it had written before.
            latest = [entry.event for entry in record.entries if isinstance(entry.event, Attempted)]
            return next(tried for tried in reversed(latest) if record.asked[tried.key].to == who)
        require(open_tries, "I11", lambda: f"{who} of {record.debate} is sent without a try on record")
        # What a process had written when it died is sent by nobody, so a try of the present one is meant if there is one.
        since = [entry.event for entry in record.entries]
        since = since[max((at for at, event in enumerate(since) if isinstance(event, Resumed)), default=0) :]
        present = {(event.key, event.call, event.n) for event in since if isinstance(event, Attempted)}
        open_tries = {number: tried for number, tried in open_tries.items() if number in present} or open_tries

        def fits(number: TryId) -> tuple[bool, bool, int, TryId]:
            """How well a try fits the prompt: what a question is about stands behind all else in it."""
            tried = open_tries[number]
            ask = record.asked[tried.key]
            about = max((prompt.rfind(token(record.debate, key)) for key in ask.about), default=-1)
            return tried.model == model, ask.task in prompt, about, number

        best = max(open_tries, key=fits)
        self._alone = len(open_tries) == 1
        self._tries.add((record.debate, best))
        return open_tries[best]

    # ---- checks --------------------------------------------------------------------------------------------------

    def _check_places(self, debate: str) -> None:
        process, plan = PROCESS.get(), self.world.plan
        here = sum(count for (owner, _), count in self._flying.items() if owner == process)
        require(here < plan.in_flight, "I15", lambda: f"{here + 1} in flight, {plan.in_flight} allowed")
        most = next(item.limits.parallel for item in plan.debates if item.id == debate)
        in_debate = self._flying[process, debate]
        require(in_debate < most, "I15", lambda: f"{in_debate + 1} in flight of {debate}, {most} allowed")

    def _check_pauses(self, record: RecordState, tried: Attempted) -> None:
        process, now = PROCESS.get(), self.world.loop.time()
        waits = self._waits.get(process, ())
        early = max((until - now for since, until in waits if now > since + 0.5), default=0.0)
        require(early <= 1e-6 or self.world.plan.jumps, "I50", lambda: f"sent {early:.2f} s too early")
        call = process, record.debate, tried.key, f"{tried.call} of {tried.model}"
        last = self._last.get(call)
        require(
            last is None or now - last >= 0.4,
            "I51",
            lambda: f"{tried.key}: tried again after {now - (last or 0):.3f} s",
        )
        require(call not in self._final, "I12", lambda: f"{tried.key}: tried again behind an error that stays")
        self._last[call] = now
        self._count[call] += 1
        require(self._count[call] <= 3, "I12", lambda: f"{tried.key}: {self._count[call]} tries")
        rest = self._rests.pop(call, 0.0) if self._alone else 0.0
        require(now >= rest - 1e-6, "I51", lambda: f"{tried.key}: tried again {rest - now:.2f} s too early")
        self._shared.update(() if self._alone else (call,))
        self._call = call

    def _check_time(self, record: RecordState, tried: Attempted, seconds: float) -> None:
        most = next(item.limits.turn_seconds for item in self.world.plan.debates if item.id == record.debate)
        if self.world.calm:  # it has more time
            return
        if seconds > most + LATE and not any(fault.kind == "freeze" for fault in self.world.plan.processes):
            self.world.fail(Violation("I49", f"{tried.key}: {seconds:.1f} s of {most:g} s"))

    def _check_total(self, record: RecordState) -> None:
        plan, now = self.world.plan, self.world.loop.time()
        first = self._first.setdefault((PROCESS.get(), record.debate), now)
        most = record.limits.total_seconds if record.limits else None
        if most is None or any(fault.kind == "freeze" for fault in plan.processes):
            return
        person = next((debate.person for debate in plan.debates if debate.id == record.debate), False)
        if person and (plan.jumps or self.world.shared):
            return
        free = seconds_of(record, PERSON, first + EPOCH, now + EPOCH) if person else 0.0
        require(
            now - first - free <= most + 1.0,
            "I78",
            lambda: (
                f"{now - first:.1f} s after the first one, of {most:g} s, {free:.1f} s of them with an open question"
            ),
        )

    def _note_outage(self, debate: str, tried: Attempted, fault: ModelFault | None) -> None:
        """Note the calls to a model which has done nothing but fail since its process began."""
        model = PROCESS.get(), tried.model
        if fault is not None and fault.kind in STAYING and self._alone:  # else it may be another call's
            call = model[0], debate, tried.key, f"{tried.call} of {tried.model}"
            self._final.update({call} & self._last.keys())
        if fault is None or fault.kind not in OUTAGES:
            self._works.add(model)
            return
        tries = [number for call, number in self._count.items() if call[:3] == (model[0], debate, tried.key)]
        if max(tries, default=0) == 3:
            asked_at = self.world.asked_at[debate, tried.key]
            self._outages.setdefault(model, []).append((asked_at, self.world.loop.time()))

    def _check_breaker(self, record: RecordState, tried: Attempted) -> None:
        """A call that is put before the cooldown is over is not sent; then some are sent as trials."""
        world, model = self.world, (PROCESS.get(), tried.model)
        failed, plan = self._outages.get(model, []), self.world.plan
        if model in self._works or len(failed) < 3 or plan.store or plan.store_delay or plan.delay > 2:
            return
        asked_at, since = world.asked_at[record.debate, tried.key], self._opened_at(failed)
        left_out = asked_at > since + 1.0 and world.loop.time() < since + COOLDOWN
        require(not left_out, "I79", lambda: f"{tried.key} leaves {world.loop.time() - since:.1f} s after its failures")
        patient = plan.in_flight > 2 and all(
            debate.limits.quorum is None and debate.limits.turn_seconds >= COOLDOWN for debate in plan.debates
        )
        if asked_at >= since + COOLDOWN and patient:  # so no trial is broken off, which makes room for another one
            trials = self._trials.setdefault((*model, since), set())
            trials.add((record.debate, tried.key, tried.call))
            require(len(trials) <= TRIALS, "I79", lambda: f"{tried.key} is one of {len(trials)} trials")

    def _opened_at(self, failed: Sequence[tuple[float, float]]) -> float:
        """When the breaker of a model that only fails was opened last: by three calls, or by a trial."""
        since = failed[2][1]
        for put_at, at in failed[3:]:
            since = at if put_at >= since + COOLDOWN else since
        return since

    def _check_newest(self, record: RecordState, ask: Ask, prompt: str) -> None:
        view = ask.view
        if view.last is not None or view.mine or view.summary or view.summary_only or self.world.shared:
            return
        masked = self._masked(record.debate, ask)
        visible = [
            other
            for other in record.asked.values()
            if record.batch[other.key] < record.batch[ask.key]
            and other.to != masked
            and not (other.act in view.hide or other.to in view.hide or other.audience)
            and not private_fields(other)
            and token(record.debate, other.key) in (record.reply(other.key) or NOTHING).text
        ]
        if not view.hide and view.clip is None:
            asked_in = record.batch[ask.key]
            hidden_remarks = [text for text, before in record.remarks if before < asked_in and text not in prompt]
            require(not hidden_remarks, "I81", lambda: f"{ask.key} lacks {hidden_remarks[0]!r}")
        newest = token(record.debate, visible[-1].key) if visible else ""
        require(newest in prompt, "I81", lambda: f"{ask.key} lacks {visible[-1].key}")

    def _masked(self, debate: str, ask: Ask) -> str:
        """Whom the reader of a question does not see; "" for nobody."""
        hides = next(item for item in self.world.plan.debates if item.id == debate)
        return NAMES[hides.debaters - 1] if hides.hides and ask.to == NAMES[0] else ""

    def _check_words(self, record: RecordState, tried: Attempted, prompt: str) -> None:
        """Only words that are stored, of those whom the reader sees, and none of the same batch."""
        ask = record.asked[tried.key]
        masked = self._masked(record.debate, ask)
        for number, other in enumerate(record.asked.values()):
            if other.key == ask.key:
                continue
            word = token(record.debate, other.key)
            if word not in prompt:
                continue
            if record.reply(other.key) is None and not self.world.shared:
                raise Violation("I44", f"{ask.key} shows {other.key}, entry {number}, which is not stored")
            if record.batch[other.key] == record.batch[ask.key]:
                raise Violation("I22", f"{ask.key} shows {other.key} of the same batch")
            if other.to == masked:
                raise Violation("I21", f"{ask.to} sees {masked} in {ask.key}")
            fields = [field for field in private_fields(other) if private_word(record.debate, other, field) in prompt]
            if fields and ask.to not in (other.to, *record.addressees(other)):
                raise Violation("I73", f"{ask.key} shows {fields[0].name} of {other.key}")

    # ---- answers -------------------------------------------------------------------------------------------------

    async def _answer(self, record: RecordState, tried: Attempted, prompt: str) -> "SimulatedAnswer":
        world = self.world
        ask, alone = record.asked[tried.key], self._alone
        fault = self._fault(record.debate, ask, tried)
        self._note_outage(record.debate, tried, fault)
        call = None if self._call in self._shared else self._call
        if fault is not None and call is not None:
            self._rests[call] = world.loop.time() + FIRST_PAUSE * 2 ** (self._count[call] - 1)
        twin = self._twins.get(record.debate, "")
        text = answer_text((world.plan.seed, record.debate), ask, "" if world.plan.mode == "same" else prompt, twin)
        more = LONG_ANSWER if world.plan.counts > 2 else 1
        used = len(prompt) * world.plan.counts // 4, len(text) // 4 + more
        plan = Plan(text=text, piece=60, usage=(*used, 0))
        await asyncio.sleep(world.delay(world.plan.delay))
        if fault is None:
            if alone:
                world.counted[record.debate, (tried.key, tried.call, tried.n)] = used
            return SimulatedAnswer(plan)
        world.note(f"{record.debate}: the provider's answer to {tried.key} try {tried.n}: {fault.kind}")
        answer = await self._faulty_answer(fault, plan, text)
        if call is not None and "retry-after" in answer.headers:
            self._rests[call] = world.loop.time() + float(answer.headers["retry-after"])
        return answer

    def _fault(self, debate: str, ask: Ask, tried: Attempted) -> ModelFault | None:
        self._sends[debate, ask.to] += 1
        fault = self._faults.get((debate, ask.to, self._sends[debate, ask.to]))
        if self.world.calm or fault is None:
            return None
        call = debate, tried.key, tried.call
        if self.world.plan.mode == "same" and (call in self._passed or fault.kind not in PASSING):
            return None
        self._passed.add(call)
        return fault

    async def _faulty_answer(self, fault: ModelFault, plan: Plan, text: str) -> "SimulatedAnswer":
        seconds = fault.seconds
        same = self.world.plan.mode == "same"
        match fault.kind:
            case "no connection":
                raise Unreached("refused")
            case "reset":
                raise Unreached("reset by peer", closed=True)
            case "silence":
                await asyncio.sleep(1e6)
            case "429" | "429 long":
                wait = 80.0 if fault.kind == "429 long" else seconds
                if wait:
                    now = self.world.loop.time()
                    self._waits.setdefault(PROCESS.get(), []).append((now, now + min(wait, 300.0)))
                    headers = {"retry-after": f"{wait:g}"}
                else:
                    headers = {}
                return SimulatedAnswer(replace(plan, status=429, error="slow down", headers=headers))
            case "500" | "html" | "401" | "refused":
                status = {"500": 503, "html": 502, "401": 401, "refused": 400}[fault.kind]
                headers = {"retry-after": f"{seconds:g}"} if fault.kind == "500" and seconds == BUSY else {}
                words = "flagged by moderation" if fault.kind == "refused" else f"{status}: no"
                return SimulatedAnswer(replace(plan, status=status, error=words, headers=headers))
            case "slow" | "drip" | "cut" | "stall":
                fault_kind = {"cut": "cut", "stall": "stall"}.get(fault.kind, "")
                pause = min(seconds, 20.0) / 4 if same or fault.kind == "slow" else 0.3
                return SimulatedAnswer(replace(plan, pause=pause, fault=fault_kind))
            case _:
                pass
        return SimulatedAnswer(_odd_plan(fault.kind, plan, text))


def _odd_plan(kind: str, plan: Plan, text: str) -> Plan:
    """An answer that comes whole and is not as it should be."""
    changes: Mapping[str, Mapping[str, Any]] = {
        "empty": {"text": ""},
        # Its own words, for a ballot in the very words of a proposal is a vote for it.
        "wrong form": {"text": f"I do not know what to say, whatever {draw(text) % 10**6:06d} means."},
        "quoted ballot": {"text": "They wrote: I vote for: Proposal A\n> STATUS: SETTLED\n\n" + text},
        "half character": {"text": text + " \ud800 \x00 \x1b[31m \u2028\u200b\u202e"},
        "too long": {"text": text + " x" * 6_000},
        "length": {"text": text[: len(text) * 2 // 3], "finish": "length"},
        "no usage": {"usage": None},
        "absurd usage": {"usage": (10**12, 1, 0)},
        "negative usage": {"usage": (-5, 3, -1)},
        "fractional usage": {"usage": (12.5, 3.5, 0)},
        "garbage": {"fault": "garbage"},
    }
    return replace(plan, **changes[kind])


class SimulatedAnswer:
    """An answer, in pieces; see ``models.http_port.HttpAnswer``."""

    def __init__(self, plan: Plan) -> None:
        self.status, self._plan = plan.status, plan
        self.headers: Mapping[str, str] = {"content-type": "text/event-stream", **plan.headers}
        self._pieces = self._events(plan)

    def _events(self, plan: Plan) -> list[bytes]:
        dialect = DIALECTS["/v1/chat/completions"]
        if plan.status != 200:
            self.headers = {"content-type": "application/json", **plan.headers}
            return [dialect.error(plan)]
        if plan.fault == "garbage":
            return [dialect.garbage]
        frames, end = dialect.frames(plan, {"model": "simulated"})
        if plan.fault in ("cut", "stall"):
            return frames[: max(1, len(frames) // 2)]
        return [*frames, end] if plan.pause else [b"".join(frames) + end]

    async def read(self) -> bytes:
        """The next piece."""
        if not self._pieces:
            if self._plan.fault == "stall":
                await asyncio.sleep(1e6)
            if self._plan.fault == "cut":
                raise Unreached("cut off", closed=True)
            return b""
        if self._plan.pause:
            await asyncio.sleep(self._plan.pause)
        return self._pieces.pop(0)

    def pause(self) -> bool:
        """Nothing has to be held back."""
        return bool(self._pieces)


class SimulatedWire:
    """The way of one process to the provider; see ``models.http_port.HttpPort``.

    Args:
        provider: who answers.
    """

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    @asynccontextmanager
    async def open(self, url: str, headers: Mapping[str, str], body: bytes | None) -> AsyncGenerator[SimulatedAnswer]:
        """Post a body."""
        async with self._provider.open(url, body or b"") as answer:
            yield answer

    async def close(self) -> None:
        """Nothing to give back."""
