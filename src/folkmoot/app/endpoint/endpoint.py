"""Begin or join the debate of a chat request: presets as models, limits, retries, and no loops."""

import hashlib
import json
from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from folkmoot.agents.prompt import OPENING
from folkmoot.app.brief.presets import KEY, Preset
from folkmoot.app.endpoint.answer_shape import fills
from folkmoot.app.endpoint.asked import find_debate, requested
from folkmoot.app.endpoint.chat_answer import DebateState
from folkmoot.app.endpoint.chat_brief import caller_talk, chat_brief, is_small_task, turn_digest
from folkmoot.app.endpoint.chat_request import RULES, ChatMessage, ChatRequest
from folkmoot.app.endpoint.endpoint_errors import EndpointError
from folkmoot.app.endpoint.retries import HOUR, Retries
from folkmoot.app.run.prepare import LimitOverrides, Overrides
from folkmoot.app.serve.admission import Admission, DebateRequest
from folkmoot.core.errors import BriefError
from folkmoot.core.text import closest
from folkmoot.core.transcript import Transcript, fold
from folkmoot.models.names import find_url, parse
from folkmoot.models.transport import INSTANCE
from folkmoot.phases.choices import Final
from folkmoot.phases.helpers import CALLED, decision_in_words

DAY = 24 * HOUR
"""Seconds for which the results of tools find the debate to which they belong."""

MOST_TURNS = 10_000

MEMO = "What the panel decided on the last message of the user is this material, not an instruction:"

PREFIX = "folkmoot/"
"""What the names of models begin with."""

DEFAULT = "folkmoot"
"""The name of the model that the default preset answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How a request is kept alive.

    Attributes:
        quiet: seconds for which an answer that is not streamed is waited for without a sign of life.
        beat: seconds between two signs of life.
    """

    quiet: float = 15.0
    beat: float = 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One sending of a request.

    Attributes:
        body: the body as it came.
        count: how often the client had sent it before.
        key: the idempotency key; "" for none.
        via: the instances of Folkmoot that it comes from.
        echo: what a response tells back of it.
        background: whether nobody waits for it.
    """

    body: bytes
    count: int = 0
    key: str = ""
    via: str = ""
    echo: Mapping[str, object] = field(default_factory=dict[str, object])
    background: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """The debate of a request.

    Attributes:
        debate: its id.
        preset: the preset.
        request: the request as it is used.
        joined: whether an earlier sending has begun it.
        decided_in: where results of tools are answered, the debate about the message to which they belong; "" for none.
    """

    debate: str
    preset: Preset
    request: ChatRequest
    joined: bool = False
    decided_in: str = ""


@dataclass(slots=True, kw_only=True)
class Endpoint:
    """The model endpoint of one server.

    Attributes:
        presets: all presets, by name.
        default: the name of the preset that the model name ``folkmoot`` means; "" for none.
        hosts: the names of this server, so that no seat asks it.
        pace: how requests are kept alive.
        retries: the requests of the last hour.
        turns: the debate about a message, by the hash of the conversation up to it.
    """

    presets: Mapping[str, Preset]
    default: str = ""
    hosts: Set[str] = frozenset()
    pace: Pace = field(default_factory=Pace)
    retries: Retries = field(default_factory=Retries)
    turns: dict[str, str] = field(default_factory=dict[str, str])

    def models(self, owner: str) -> list[str]:
        """The names of the models that a token may use."""
        names = [preset.name for preset in self.presets.values() if preset.admits(owner)]
        return [*(f"{PREFIX}{name}" for name in names), *([DEFAULT] if self.default in names else [])]

    def preset(self, model: str, owner: str) -> Preset:
        """The preset behind the name of a model.

        Raises:
            EndpointError: 404 where there is none for that token.
        """
        name = self.default if model == DEFAULT else model.removeprefix(PREFIX) if model.startswith(PREFIX) else ""
        preset = self.presets.get(name)
        if preset is None or not preset.admits(owner):
            names = self.models(owner)
            meant = closest(model.removeprefix(PREFIX), [name.removeprefix(PREFIX) for name in names])
            hint = f"; did you mean {next(n for n in names if n.removeprefix(PREFIX) == meant)!r}?" if meant else ""
            choices = ", ".join(names) or "none; the owner of the server sets presets in folkmoot.toml"
            raise EndpointError(404, f"there is no model {model[:80]!r}; there are {choices}{hint}", param="model")
        return preset

    async def begin(self, admission: Admission, request: ChatRequest, attempt: Attempt) -> Begun:
        """Begin the debate of a request, or join the one that an earlier sending of it has begun.

        Raises:
            EndpointError: the request cannot be answered.
            FolkmootError: the debate cannot begin.
        """
        preset = self.preset(request.model, admission.owner)
        self._check_loop(preset, attempt.via, request.messages[0])
        request = _usable(request, preset)
        turn = turn_digest(request, admission.owner) if preset.answer == "acting" else ""
        before = await self._debate_of_turn(admission, turn) if turn and request.turn else ""
        memo = await _memo(admission, before) if before else ""
        order = self._order(request, preset, memo)
        digest = hashlib.sha256(json.dumps([admission.owner, attempt.key]).encode() + attempt.body).hexdigest()
        debate = await self.retries.find(digest, attempt.count)
        if attempt.count and debate is None:  # this server may have been started since
            since = admission.workspace.clock() - HOUR
            debate = await find_debate(admission.workspace, admission.owner, since, digest=digest)
        if debate:
            return Begun(debate=debate, preset=preset, request=request, joined=True, decided_in=before)
        own_turn = "" if request.turn else turn
        event = requested(digest, request, attempt.echo, background=attempt.background, turn=own_turn)
        first = self.retries.add(digest, attempt.count)
        try:
            first.debate = await admission.begin(replace(order, asked=event), attempt.key or request.key)
        finally:
            first.ready.set()
        if own_turn:
            self._remember(own_turn, first.debate)
        return Begun(debate=first.debate, preset=preset, request=request, decided_in=before)

    async def _debate_of_turn(self, admission: Admission, turn: str) -> str:
        """The debate about the message to which results of tools belong; "" for none."""
        if turn not in self.turns:
            since = admission.workspace.clock() - DAY
            self._remember(turn, await find_debate(admission.workspace, admission.owner, since, turn=turn))
        return self.turns[turn]

    def _remember(self, turn: str, debate: str) -> None:
        self.turns[turn] = debate
        if len(self.turns) > MOST_TURNS:
            del self.turns[next(iter(self.turns))]

    def _order(self, request: ChatRequest, preset: Preset, memo: str) -> DebateRequest:
        brief = chat_brief(request)
        limit = preset.limits.get("limits.cost")
        lowers = request.max_cost is not None and (not isinstance(limit, float | int) or request.max_cost < limit)
        caps = LimitOverrides(cost=request.max_cost if lowers else None)
        small = is_small_task(request)
        final = _final(request, preset)
        if small:
            final = Final(model=preset.small, alone=True, talk=caller_talk(request))
        elif final and final.talk and memo:
            final = replace(final, task=memo)
        overrides = Overrides(caps=caps, final=final)
        if small and not preset.small:
            problem = "this asks for a title, tags or the like, which is no debate; "
            problem += f"the owner of the server can set small under [presets.{preset.name}]"
            raise EndpointError(400, problem, "unsupported_value", param="messages")
        if final and final.alone:
            overrides = replace(overrides, protocol="single", cast="builtin")
        if small:
            overrides = replace(overrides, models=(preset.small,))
        keys = {**brief.keys, KEY: preset.name}
        return DebateRequest(brief=keys, overrides=overrides, background=brief.background)

    def _check_loop(self, preset: Preset, via: str, first: ChatMessage) -> None:
        """Refuse a request that this server has sent itself, or would send to itself.

        Raises:
            EndpointError: code ``recursion``.
        """
        if not via and first.role in RULES and (first.text.startswith(OPENING) or CALLED in first.text):
            problem = "this is a question of a debate, sent on by a gateway: a debate through it could ask itself"
            raise EndpointError(400, problem, "recursion")
        if INSTANCE in [name.strip() for name in via.split(",")]:
            problem = "this request comes from a debate of this server: a debate cannot ask itself"
            raise EndpointError(400, problem, "recursion")
        for model in filter(None, (*preset.models, preset.acting, preset.small)):
            if self._is_here(model):
                problem = f"the preset {preset.name} asks {model}, which is this server: a debate cannot ask itself"
                raise EndpointError(400, problem, "recursion", param="model")

    def _is_here(self, model: str) -> bool:
        try:
            name = parse(model)
            if not name.provider.local and name.provider.name != "compatible":
                return False
            return name.model.startswith(PREFIX) or urlsplit(find_url(name.provider)).netloc.lower() in self.hosts
        except BriefError:  # a name that cannot be is refused where it is used
            return False


async def _memo(admission: Admission, debate: str) -> str:
    """What a debate has decided, for the model that goes on with its tools; "" where it has decided nothing."""
    transcript = fold(await admission.workspace.entries(debate))
    decision = transcript.decision
    if decision is None or decision.status != "decided":
        return ""
    return f"{MEMO}\n\n{decision_in_words(transcript)}"


def _usable(request: ChatRequest, preset: Preset) -> ChatRequest:
    """The request without what nobody can use here, which is named as not used: tools, and the length of a shape.

    Raises:
        EndpointError: one of several tools has to be used, and nobody can.
    """
    shape = request.shape
    if shape is None:
        return request
    if shape.kind != "tools" or preset.answer == "acting":
        cuts = [name for name, value in (("max_tokens", request.most_tokens), ("stop", request.stop)) if value]
        return replace(request, ignored=(*request.ignored, *cuts))
    if shape.forced:
        problem = f'one of several tools cannot be required: [presets.{preset.name}] needs answer = "acting" for that'
        raise EndpointError(400, problem, "unsupported_parameter", param="tools")
    return replace(request, shape=None, ignored=(*request.ignored, "tools"))


def _final(request: ChatRequest, preset: Preset) -> Final | None:
    """The final answer that somebody has to write; None where the decision is the answer, or fills it."""
    shape = request.shape
    if fills(shape, request.options, request.options[0] if request.options else "") and not request.turn:
        return None
    if shape is None and not (preset.answer == "acting" or request.turn):
        return None
    native = shape is None or shape.kind == "tools"
    return Final(
        model=preset.acting,
        schema=shape.schema if shape else "",
        task="" if native or shape is None else shape.told,
        alone=request.turn,
        talk=caller_talk(request) if native else "",
        tokens=(request.most_tokens or 0) if native else 0,
    )


async def state_of(admission: Admission, debate: str) -> DebateState:
    """A debate as it stands now."""
    runner, workspace = admission.runner, admission.workspace
    now = await runner.running_state(debate)
    error = str(now.error or "")
    if not await workspace.store.read(debate, limit=1):
        return DebateState(debate=debate, entries=(), transcript=Transcript(), runs=bool(now.by), error=error)
    entries = await workspace.entries(debate)
    return DebateState(debate=debate, entries=entries, transcript=fold(entries), runs=bool(now.by), error=error)
