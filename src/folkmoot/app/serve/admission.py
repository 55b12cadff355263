"""Admit requests from the network: read a brief, check it against the owner's limits, start or resume a debate once.

A brief from the network reads no file, and names no tool server and no host. No request that comes over the
network starts a program of this machine. The holder of a program's token does not see what was learned from the debates
of others. The limits of the machine's owner are never exceeded.

A request under a key counts once, however often it is sent. Keys of remarks are stored beside
the record, with the number of the message that each became.
"""

import asyncio
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import PurePath

from folkmoot.app.brief.files import MOST_BACKGROUND_BYTES, SEEN, text_document
from folkmoot.app.brief.reader import ParsedBrief, read_brief, with_preset
from folkmoot.app.brief.values import LocatedValue
from folkmoot.app.plan.assignment import live_models
from folkmoot.app.plan.settings_tables import Serving
from folkmoot.app.plan.toolbox import MCP, check_packages
from folkmoot.app.run.access import Claim, claim, claimed, conflict, hash_of, note_limits, noted_limits
from folkmoot.app.run.again import start_again
from folkmoot.app.run.dispatcher import QueueError
from folkmoot.app.run.fork import Answer, Change, fork
from folkmoot.app.run.liveness import waited_for_people
from folkmoot.app.run.outcome import opening
from folkmoot.app.run.people import say
from folkmoot.app.run.prepare import LimitOverrides, Overrides, PreparedDebate, prepare, recall_settings
from folkmoot.app.run.runner import Runner, RunnerFull
from folkmoot.app.run.start import put_on_record
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve.spending import Spending, is_free, reserve, spent
from folkmoot.core.brief import Limits, Source
from folkmoot.core.errors import BriefError, LimitReached, RecordConflict
from folkmoot.core.event import Keyed, Opened, Requested
from folkmoot.core.text import clean, flat
from folkmoot.core.transcript import fold
from folkmoot.models.names import programs_in
from folkmoot.record.mailbox import SideStream


@dataclass(frozen=True, slots=True)
class RemarkQueue:
    """Messages to debates through this process, one after the other, so that a repeated key is found."""

    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def say(self, workspace: Workspace, debate: str, by: str, words: str, key: str = "", to: str = "") -> int:
        """Speak up in a debate; see ``people.say``.

        Args:
            workspace: the workspace.
            debate: its id.
            by: who speaks.
            words: what is said.
            key: what the sender calls this message, beside who the sender is; "" where it is sent once.
            to: the mark of the turn that it replies to; "" for none.

        Returns:
            The number of the message; of the first one, where the key was used before.

        Raises:
            BriefError: a name that cannot be, no words or too many.
            RecordConflict: the key was used before for other words.
            RecordError: there is no such debate, or it is over.
        """
        if not key:
            return await say(workspace, debate, by, words, to)
        stream = SideStream(workspace.store, debate, "said", clock=workspace.clock)
        mark, request_hash = hash_of(key), hash_of(json.dumps([by, words, *filter(None, (to,))]))
        async with self._turn:
            for entry in await stream.read():
                if isinstance(entry.event, Keyed) and entry.event.key == mark:
                    if entry.event.request != request_hash:
                        raise conflict(debate)
                    return entry.event.number
            number = await say(workspace, debate, by, words, to)
            await stream.post(Keyed(key=mark, request=request_hash, number=number))
            return number


MOST_CHARACTERS = 1024 * 1024
"""The greatest size of a brief from elsewhere."""

MOST_REQUEST = 20 * 1024 * 1024
"""The most bytes of a request that may have pictures, PDFs or a whole conversation."""

LONGEST_FILE_NAME = 80
"""The most characters of the name of a file in a request."""

MOST_SENT = 8
"""The most files of a request: as many as a brief may have; see ``MOST_FILES`` of ``tools.attachments``."""

FILES = ("background", "library")
"""The keys of a brief that read files."""


def read_remote(brief: str | Mapping[str, object], *, alone: bool = False, preset: str = "") -> ParsedBrief:
    """Read a brief that came over the network.

    Args:
        brief: Markdown as in a file, or the keys of its header as plain data.
        alone: whether the sender may see only its own debates.
        preset: the preset that it takes instead of its own; "" for its own.

    Raises:
        BriefError: it has a mistake, or names what it may not.
    """
    if not isinstance(brief, str):
        try:
            return read_remote(_header(brief), alone=alone, preset=preset)
        except BriefError as error:  # whoever sent keys has written no lines
            raise BriefError(error.found, code=error.code) from error
    if len(brief) > MOST_CHARACTERS:
        raise BriefError(f"the brief has more than {MOST_CHARACTERS:,} characters", code="too_large")
    if not brief.strip():
        raise BriefError("the brief is empty; write a question", code="missing_topic")
    parsed = read_brief(brief, settings={"preset": LocatedValue(value=preset, line=0)} if preset else {})
    for text, key in _forbidden(parsed, alone):
        raise BriefError(text, line=parsed.lines.get(key, 0), code="not_here")
    return parsed


def _forbidden(parsed: ParsedBrief, alone: bool) -> Iterator[tuple[str, str]]:
    """What the brief uses but must not use, in a sentence, with the key for its line."""
    people = {
        participant.name: [tool for tool in participant.tools if tool.startswith(MCP)]
        for participant in parsed.brief.participants
    }
    for name, servers in people.items():
        if servers:
            yield (
                f"{name}: {servers[0]} is a tool server, which a brief that comes over the network cannot name",
                f"## {name}",
            )
    memory = recall_settings(parsed, Overrides())  # asked for by its key, or by a participant who is a retriever
    if alone and memory:
        yield "recall shows the debates of others, which this token cannot read", "recall"


def _header(brief: Mapping[str, object]) -> str:
    """The header of a brief as its text; JSON is YAML."""
    for key in FILES:
        if key in brief:
            problem = f"{key!r} reads files, which a brief over the network cannot do; put the text into 'context'"
            raise BriefError(problem, code="unsafe_path")
    try:
        text = json.dumps(brief, ensure_ascii=False, allow_nan=False)
    except (ValueError, RecursionError) as error:
        raise BriefError(
            "the brief has a number that is not valid, or is nested too deeply", code="malformed"
        ) from error
    return f"---\n{text}\n---\n"


def within_allowance(limits: Limits, serving: Serving) -> LimitOverrides:
    """The limits that keep a debate within what the owner allows.

    Raises:
        BriefError: its own limits are above that.
    """
    overrides: tuple[tuple[str, float | None, float | None], ...] = (
        ("cost", limits.cost, serving.cost),
        ("tokens", limits.tokens, serving.tokens_per_debate),
        ("asks", limits.asks, serving.max_questions),
    )
    usual = Limits()
    for name, wanted, allowed in overrides:
        if allowed is not None and wanted is not None and wanted > allowed and wanted != getattr(usual, name):
            problem = f"the limit on {name} is {wanted:g}; the owner of this machine allows at most {allowed:g}"
            raise BriefError(problem, code="out_of_range")
    return LimitOverrides(
        cost=_smaller(limits.cost, serving.cost),
        tokens=_smaller_count(limits.tokens, serving.tokens_per_debate),
        asks=_smaller_count(limits.asks, serving.max_questions),
    )


def with_limits(parsed: ParsedBrief, caps: LimitOverrides) -> ParsedBrief:
    """The brief with those limits instead of its own."""
    return replace(parsed, brief=replace(parsed.brief, limits=caps.on(parsed.brief.limits)))


def _smaller(limit: float | None, other: float | None) -> float | None:
    return min((item for item in (limit, other) if item is not None), default=None)


def _smaller_count(limit: int | None, other: int | None) -> int | None:
    least = _smaller(limit, other)
    return None if least is None else int(least)


async def read_sent_files(files: Sequence[tuple[str, str]]) -> tuple[Source, ...]:
    """The files of a request as documents, each with its name and its bytes in base64: text, pictures and PDFs.

    Raises:
        BriefError: a name that cannot be or is there twice, no base64, a file that is too large or of another kind.
    """
    from folkmoot.tools.attachments import decode_base64, read_attachment  # deferred: few requests have some

    sources: dict[str, Source] = {}
    for name, text in files:
        if flat(clean(name)) != name or not 0 < len(name) <= LONGEST_FILE_NAME:
            problem = (
                f"{name[:LONGEST_FILE_NAME]!r} cannot be the name of a file; use at most {LONGEST_FILE_NAME} characters"
            )
            raise BriefError(problem, code="wrong_type")
        if name in sources:
            raise BriefError(f"there are two files with the name {name!r}", code="wrong_type")
        if (data := decode_base64(text)) is None:
            raise BriefError(f"the data of {name!r} is no base64", code="wrong_type")
        if PurePath(name).suffix.casefold() in SEEN:
            sources[name] = await asyncio.to_thread(read_attachment, name, data)  # a PDF is read by another process
        elif len(data) > MOST_BACKGROUND_BYTES:
            raise BriefError(f"{name!r} is larger than {MOST_BACKGROUND_BYTES:,} bytes", code="too_large")
        else:
            sources[name] = text_document(name, data)
    return tuple(sources.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class DebateRequest:
    """A request for a debate.

    Attributes:
        brief: Markdown as in a file, or the keys of its header as plain data.
        overrides: what is wanted otherwise; its caps take the place of the brief's limits.
        start: whether the debate runs at once; else it is only put on record.
        preset: the preset that fills in what the brief leaves open; "" for the one that the brief names.
        background: documents beside those of the brief.
        asked: the request of a program, where it came through the name of a model.
    """

    brief: str | Mapping[str, object]
    overrides: Overrides
    start: bool = True
    preset: str = ""
    background: tuple[Source, ...] = ()
    asked: Requested | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkRequest:
    """A request to go on from an entry of a debate in a new one.

    Attributes:
        at: the last entry that is kept; None with another answer.
        models: who answers from now on, by the participant's name; under "" for all who are not named.
        brief: another brief; None for that of the debate.
        answer: an answer in the place of another; None for none.
        start: whether the new debate runs at once; else it is only put on record.
    """

    at: int | None = None
    models: Mapping[str, str] = field(default_factory=dict[str, str])
    brief: str | Mapping[str, object] | None = None
    answer: Answer | None = None
    start: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """Admits the requests of one owner.

    Attributes:
        runner: where the debates run.
        spending: what owners may spend.
        serving: what the owner of the machine allows the others.
        owner: under which name debates are owned; "" for the person at the machine, who has no limits but the brief's.
    """

    runner: Runner
    spending: Spending
    serving: Serving
    owner: str = ""

    @property
    def machine(self) -> bool:
        """Whether the requests are those of the local user."""
        return not self.owner

    @property
    def workspace(self) -> Workspace:
        """The workspace of the runner for a request over the network, which starts no program of this machine."""
        return self.runner.workspace.starting_only(())

    def _starting_own(self, earlier: Opened | None = None) -> Workspace:
        """The workspace for a new debate: its owner at this machine keeps the programs that he has chosen himself.

        They stand in his settings or in his earlier debate. The holder of a token gets none, wherever it stands.

        Args:
            earlier: how the debate began from which the new one is made.
        """
        if not Claim(owner=self.owner).at_hand:
            return self.workspace
        config = self.runner.config
        presets = [name for item in config.presets.values() for name in (*item.models, item.acting, item.small)]
        people = earlier.brief.participants if earlier else ()
        seats = [name for person in people for name in (person.seat, person.stand_in, *person.fallback)]
        return self.runner.workspace.starting_only(programs_in((config.model, *config.fallback, *presets, *seats)))

    async def make_ready(self, order: DebateRequest) -> PreparedDebate:
        """Read and prepare the debate of a request; nothing is sent to any model.

        Raises:
            BriefError: something in it cannot be used, or is more than the owner allows.
            Unpriced: the price of a model is unknown where spending is limited.
        """
        workspace = self._starting_own()
        parsed = read_remote(order.brief, alone=not self.machine, preset=order.preset)
        background = (*parsed.brief.background, *order.background)
        parsed = replace(parsed, brief=replace(parsed.brief, background=background))
        protocol = order.overrides.protocol
        parsed = with_preset(parsed, self.runner.config.presets, protocol=protocol, owner=self.owner)
        parsed = with_limits(parsed, order.overrides.caps)
        caps = LimitOverrides() if self.machine else within_allowance(parsed.brief.limits, self.serving)
        overrides = replace(order.overrides, caps=caps)
        start = await prepare(workspace, parsed, overrides, self.runner.config)
        cap = None if self.machine else self.spending.cap(start)
        if cap is None:
            return start
        return await prepare(workspace, with_limits(parsed, LimitOverrides(cost=cap)), overrides, self.runner.config)

    async def begin(self, order: DebateRequest, key: str = "") -> str:
        """Start the debate of a request; only once for all requests with the same key.

        Returns:
            The debate's id.

        Raises:
            FolkmootError: it cannot start.
        """
        wanted = {"brief": order.brief, "wishes": asdict(order.overrides), "start": order.start}
        wanted |= {"preset": order.preset} if order.preset else {}
        wanted |= {"background": [asdict(source) for source in order.background]} if order.background else {}
        request = request_of("begin", wanted)
        if key and await self.is_there(debate := id_for_key(self.owner, key), request):
            if order.start and await self.workspace.count_entries(debate) == 1:
                await self.resume(debate)  # it was put on record, and nobody was told to hold it
            return debate
        start = await self.make_ready(order)
        debate = id_for_key(self.owner, key) if key else self.workspace.new_id(start.plan)
        await self.note_owner(debate, request if key else "")
        if order.asked:
            await SideStream(self.workspace.store, debate, "asked", clock=self.workspace.clock).post(order.asked)
        if not order.start:
            try:
                await put_on_record(self.workspace, start, debate)
            except RecordConflict:
                if not key:
                    raise  # else the same was asked for at the same time
            return debate
        return await self._run(start, debate)

    async def begin_again(self, earlier: str, overrides: Overrides, key: str = "") -> str:
        """Run the brief of a recorded debate again; only once for all requests with the same key.

        Returns:
            The id of the new debate.

        Raises:
            FolkmootError: it cannot start.
        """
        request = request_of(f"again {earlier}", asdict(overrides))
        if key and await self.is_there(debate := id_for_key(self.owner, key), request):
            return debate
        workspace = self._starting_own(await self.workspace.opening(earlier))
        start = await start_again(workspace, earlier, overrides)
        if not self.machine:
            caps = within_allowance(start.plan.brief.limits, self.serving)
            start = await start_again(workspace, earlier, replace(overrides, caps=caps))
            if (cap := self.spending.cap(start)) is not None:
                caps = replace(caps, cost=cap)
                start = await start_again(workspace, earlier, replace(overrides, caps=caps))
        debate = id_for_key(self.owner, key) if key else self.workspace.new_id(start.plan)
        await self.note_owner(debate, request if key else "")
        return await self._run(start, debate)

    async def fork(self, earlier: str, order: ForkRequest, key: str = "") -> str:
        """Go on from an entry of a debate in a new one; only once for all requests with the same key.

        Returns:
            The id of the new debate.

        Raises:
            FolkmootError: it cannot be forked there, or cannot start.
        """
        request = request_of(f"fork {earlier}", asdict(order))
        name = id_for_key(self.owner, key) if key else ""
        if not (name and await self.is_there(name, request)):
            parent = opening(earlier, await self.workspace.entries(earlier))
            brief = None if order.brief is None else self._read_fork_brief(order.brief, parent.brief.limits)
            change = Change(models=order.models, brief=brief, answer=order.answer)

            async def claim_first(debate: str) -> None:
                await self.note_owner(debate, request if key else "")

            try:
                workspace = self._starting_own(parent)
                name = await fork(workspace, earlier, at=order.at, change=change, name=name, before=claim_first)
            except RecordConflict:
                # The same request came twice at the same time. A different request is refused here.
                if not (name and await self.is_there(name, request)):
                    raise
        if order.start:
            await self.resume(name)
        return name

    def _read_fork_brief(self, brief: str | Mapping[str, object], parent: Limits) -> ParsedBrief:
        """Read another brief for a fork, within what the owner allows; without a limit on cost it has its parent's.

        Raises:
            BriefError: something in it cannot be used, or is more than the owner allows.
        """
        parsed = read_remote(brief, alone=not self.machine)
        if self.machine:
            return parsed
        if parsed.brief.limits.cost is None:
            parsed = with_limits(parsed, LimitOverrides(cost=parent.cost))
        return with_limits(parsed, within_allowance(parsed.brief.limits, self.serving))

    async def _run(self, start: PreparedDebate, debate: str) -> str:
        """Run a prepared debate, within what its owner may spend."""
        ready = start
        free = is_free(ready.costing.most) and not ready.generator
        async with self.spending.reserving(self.owner, debate, 0.0 if free else ready.plan.brief.limits.cost or 0.0):
            return await self.runner.begin(start, debate, owner=self.owner)

    async def resume(self, debate: str, caps: LimitOverrides | None = None) -> bool:
        """Resume a debate, within what its owner may spend.

        Args:
            debate: its id.
            caps: limits in the place of those that it had, in total. Those of its owner hold from now on.

        Returns:
            Whether it is held now.

        Raises:
            FolkmootError: it cannot be resumed.
        """
        entries = await self.workspace.entries(debate)
        is_running = (await self.runner.running_state(debate)).sure
        if fold(entries).closed or is_running:
            return is_running
        noted = await noted_limits(self.workspace, debate)
        caps = _with_caps(noted, caps or LimitOverrides())
        opened = opening(debate, entries)
        wanted = caps.on(opened.brief.limits)
        if self.owner:
            wanted = within_allowance(wanted, self.serving).on(wanted)
            self.spending.check(wanted)
        try:
            if self.owner:  # else only the debate itself would tell that somebody in it cannot answer here
                pool = self._starting_own(opened).pool.with_options(opened.options)
                live_models(opened.brief, pool)
            amount = max(0.0, reserve(self.workspace, opened, wanted.cost) - spent(entries)) if self.owner else 0.0
        except BriefError:
            check_packages(opened.packages)  # a model whose package is gone has no price
            raise
        async with self.spending.reserving(self.owner, debate, amount):
            await self.runner.resume(debate, wanted, owner=self.owner)
        if caps != noted and self.owner == (await claimed(self.workspace, debate)).owner:
            await note_limits(self.workspace, debate, caps)
        return (await self.runner.running_state(debate)).sure

    async def resume_answered(self, debate: str) -> bool:
        """Resume a debate that was paused for a person who has now answered.

        It goes on for its owner, whoever has answered: within what the owner may spend, and the limits last set.

        Returns:
            Whether it is held now. Where it is not, it stands still for another reason, another process holds it,
            the runner is full, the queue cannot be reached, or its owner may spend no more.

        Raises:
            RecordError: there is no such debate, or its record is damaged.
        """
        try:
            if await self.runner.reads_messages(debate):
                return True
            if not await waited_for_people(self.workspace, debate):
                return False
            owner = (await claimed(self.workspace, debate)).owner
            return await replace(self, owner=owner).resume(debate)
        except (BriefError, RunnerFull, LimitReached, QueueError):
            return False

    async def note_owner(self, debate: str, request: str) -> None:
        """Store the owner of a new debate, and what was asked for.

        Raises:
            RecordConflict: something else was asked for under the same key.
        """
        wanted = Claim(owner=self.owner, request=request)
        if wanted != Claim() and await claim(self.workspace, debate, wanted) != wanted:
            raise conflict(debate)

    async def is_there(self, debate: str, request: str) -> bool:
        """Whether the debate of a key exists already, or is starting.

        Raises:
            RecordConflict: something else was asked for under that key.
        """
        if not (debate in self.runner.running or await self.workspace.store.read(debate, limit=1)):
            return False
        await self.note_owner(debate, request)
        return True


def _with_caps(noted: LimitOverrides, caps: LimitOverrides) -> LimitOverrides:
    """The stored limits, replaced by others where these are set."""
    return LimitOverrides(
        **{name: value if value is not None else getattr(noted, name) for name, value in asdict(caps).items()}
    )


def id_for_key(owner: str, key: str) -> str:
    """The id of the debate that a request with a key creates; it depends on the owner of the key."""
    return f"debate-{hashlib.sha256(f'{owner} {key}'.encode()).hexdigest()[:24]}"


def request_of(action: str, wanted: Mapping[str, object]) -> str:
    """The hash of what is asked for.

    Raises:
        BriefError: it cannot be written as JSON.
    """
    try:
        text = json.dumps(wanted, sort_keys=True, ensure_ascii=True)
    except (TypeError, ValueError, RecursionError) as error:
        raise BriefError("the brief is nested too deeply, or has what JSON cannot express", code="malformed") from error
    return hashlib.sha256(f"{action} {text}".encode()).hexdigest()
