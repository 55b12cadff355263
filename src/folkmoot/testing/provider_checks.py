"""The check of providers of models: what ``Provider`` and its adapter must do, tried on a server that also fails.

A check raises AssertionError with one sentence. The server is on the loopback interface; no model is needed.
"""

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, cast

from folkmoot.core.ask import Value
from folkmoot.core.brief import Settings
from folkmoot.core.errors import BriefError, ModelError
from folkmoot.core.event import Called
from folkmoot.core.extensions import NO_OPTIONS
from folkmoot.models.base import Message, Model, Request
from folkmoot.models.layers import RetrySettings
from folkmoot.models.names import PROVIDERS, ModelName, Provider, provider_named
from folkmoot.models.pool import layered_model
from folkmoot.models.transport import ProviderConnection
from folkmoot.testing.conformance import Journal, check_model
from folkmoot.testing.small_web import Answer, Visit, Web

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

Wrap: TypeAlias = Callable[[str], Mapping[str, object] | bytes]
"""The words of an answer to the body that a server of this kind sends: a JSON object, or the bytes themselves."""

MODEL = "check-model"
KEY = "check-key-5d1f0c"
WORDS = "Tea — and no coffee, “warm” for an hour."
RULES = "Speak of kettles only."
QUESTION = "Which kettle is best?"
PATIENCE = 20.0
"""Seconds for one call of the check."""

TRIED: Mapping[str, object] = {
    "temperature": 0.375,
    "top_p": 0.625,
    "top_k": 37,
    "min_p": 0.0625,
    "presence_penalty": 0.875,
    "frequency_penalty": -0.875,
    "repeat_penalty": 1.125,
    "seed": 7301,
    "max_tokens": 731,
    "stop": ("STOPHERE",),
    "num_ctx": 7310,
    "keep_alive": "37m",
}
"""A value for each setting, unlike any usual one."""


@dataclass(slots=True, kw_only=True)
class Host:
    """A server that answers as a script of the check says, and keeps what it was sent.

    Attributes:
        wrap: makes bodies of words.
        status: the status of its answers.
        words: the words of its answers; None for an echo of the question.
        raw: the body of its answers instead of words.
        headers: further headers of its answers.
        visits: what was sent.
    """

    wrap: Wrap
    status: int = 200
    words: str | None = WORDS
    raw: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    visits: list[Visit] = field(default_factory=list[Visit])

    def script(self, visit: Visit) -> Answer:
        """Answer a visit."""
        self.visits.append(visit)
        text = (
            next((word for word in re.findall(r"echo-\d+", _request_text(visit))), WORDS)
            if self.words is None
            else self.words
        )
        body = self.wrap(text)
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        raw = raw if self.raw is None else self.raw
        return Answer(body=raw, kind="application/json", status=self.status, headers=self.headers)


def _request_text(visit: Visit) -> str:
    """The path and the body of a request as text, without escapes of JSON."""
    text = visit.body.decode("utf-8", "replace")
    with suppress(ValueError):
        text = json.dumps(json.loads(text), ensure_ascii=False)
    return f"{visit.path} {sorted(visit.query.items())} {text}"


async def check_provider(
    provider: Provider | str, wrap: Wrap | None = None, *, options: Mapping[str, Value] = NO_OPTIONS
) -> None:
    """Check a provider of models.

    Its address and its key are its own. Its adapter passes ``check_model``; sends the model's name, all messages and
    the settings that it does not name among ``drops``; gives the words as they came, also of calls that overlap; and
    makes a ModelError of every failure. The key is sent in a header and stands in no error.

    Args:
        provider: the provider, or the name under which a package offers it.
        wrap: the words of an answer to the body that such a server sends. None where the provider speaks an interface
            of Folkmoot's own: then the server is not tried.
        options: the options of the provider, by name.

    Raises:
        AssertionError: it does not.
    """
    provider = _provider_named(provider)
    _check_table(provider)
    if wrap is None:
        assert isinstance(provider.wire.adapter, str), "an adapter of your own is tried only with wrap"
        return
    host = Host(wrap=wrap)
    async with Web(host.script).serve() as server:
        env = {provider.url_env: server.url, **dict.fromkeys(provider.keys[:1], KEY)}

        def make() -> Model:
            try:
                connection = ProviderConnection(provider, env)
                name = ModelName(provider=provider, model=MODEL)
                return layered_model(name, connection, RetrySettings(tries=1), options)
            except BriefError as error:
                raise AssertionError(f"its model cannot be made: {error}") from error

        await _check_answers(provider, make, host)
        await _check_settings(make, host)
        await _check_failures(make, host, keyless=not provider.keys)
    error = await _failure(make, host, "a server that is not there")
    assert error.again, "a server that is not there ends the call; it should be tried again"


def _provider_named(provider: Provider | str) -> Provider:
    if isinstance(provider, Provider):
        return provider
    try:
        offered = provider_named(provider)
    except BriefError as error:
        raise AssertionError(str(error)) from error
    assert offered, f"no package offers a provider {provider!r}"
    return offered


def _check_table(provider: Provider) -> None:
    """What the provider says of itself."""
    name, known = provider.name, {key: other.name for other in PROVIDERS.values() for key in _variables(other)}
    assert re.fullmatch(r"[a-z][a-z0-9_-]*", name), f"its name is {name!r}; small letters, digits, - and _ are allowed"
    assert PROVIDERS.get(name, provider) is provider, f"Folkmoot has a provider {name!r}, which is always used"
    assert provider.url_env, "it names no environment variable for its address (url_env)"
    assert provider.url_env.endswith(("_BASE_URL", "_HOST")), (
        f"its url_env is {provider.url_env}; it must end with _BASE_URL or _HOST"
    )
    assert provider.url == "" or re.match(r"https?://[^/]", provider.url), f"its address is {provider.url!r}"
    assert provider.keys or not provider.needs_key, "it needs a key, and names no environment variable for it (keys)"
    for variable in _variables(provider):
        owner = known.get(variable, name)
        assert owner == name, f"{variable} belongs to {owner}; what is in it would be sent to another host"


def _variables(provider: Provider) -> tuple[str, ...]:
    """The environment variables that are a provider's own."""
    return tuple(filter(None, (provider.url_env, *provider.keys, *provider.headers)))


def _request(question: str = QUESTION, settings: Settings | None = None) -> Request:
    messages = (Message(role="system", text=RULES), Message(role="user", text=question))
    return Request(messages=messages, settings=settings or Settings(), seconds=PATIENCE)


@asynccontextmanager
async def _model(make: Callable[[], Model]) -> "AsyncGenerator[Model]":
    model = make()
    try:
        async with asyncio.timeout(PATIENCE):
            yield model
    finally:
        await model.close()


async def _check_answers(provider: Provider, make: Callable[[], Model], host: Host) -> None:
    """One answer as it should be, then the check of models, then several at once."""
    async with _model(make) as model:
        assert model.name == f"{provider.name}:{MODEL}", (
            f"its model is called {model.name}, not {provider.name}:{MODEL}"
        )
        called = await _ask(model, _request())
        sent = [_request_text(visit) for visit in host.visits]
        assert sent, "nothing was sent to the address in url_env: use the connection that the adapter gets"
        assert called.text == WORDS, f"of the answer {WORDS!r} it makes {called.text!r}"
        assert called.finish == "stop", f"it says of a whole answer that it ended by {called.finish!r}, not 'stop'"
        for words, subject in (
            (MODEL, "the name of the model"),
            (QUESTION, "the question"),
            (RULES, "the system message"),
        ):
            assert any(words in text for text in sent), f"{subject} is not sent"
        if provider.keys:
            assert any(KEY in value for visit in host.visits for value in visit.headers.values()), "the key is not sent"
            assert not any(KEY in text for text in sent), "the key is sent outside of the headers"
    await check_model(make)
    host.words = None
    async with _model(make) as model:
        async with asyncio.TaskGroup() as group:
            asks = [group.create_task(_ask(model, _request(f"Say echo-{n}."))) for n in range(6)]
        wrong = [text for n, ask in enumerate(asks) if (text := ask.result().text) != f"echo-{n}"]
        assert not wrong, f"of calls that overlap one gets the answer of another: {wrong[0]!r}"
    host.words = WORDS


async def _ask(model: Model, request: Request) -> Called:
    try:
        return await model.complete(request, Journal())
    except ModelError as error:
        raise AssertionError(f"a good answer was not read: {error}") from error


async def _check_settings(make: Callable[[], Model], host: Host) -> None:
    """Each setting is sent, or is among those of which the user is told that they are not."""
    async with _model(make) as model:
        plain = await _body(model, host, Settings())
        for name, value in TRIED.items():
            changed = await _body(model, host, Settings(**{name: value})) != plain  # pyright: ignore[reportArgumentType]
            assert changed or name in model.drops, (
                f"{name} is not sent, and drops does not name it: send it, or leave it out of takes"
            )
            assert not (changed and name in model.drops), f"{name} is sent, and drops says that it is not"


async def _body(model: Model, host: Host, settings: Settings) -> list[str]:
    host.visits.clear()
    await _ask(model, _request(settings=settings))
    return [_request_text(visit) for visit in host.visits]


async def _check_failures(make: Callable[[], Model], host: Host, *, keyless: bool) -> None:
    """Every failure is a ModelError that says whether the same request may succeed later."""
    refusal = f"the key {KEY} is not valid"
    error = await _failure(make, host, "the status 401", status=401, raw=json.dumps({"error": refusal}).encode())
    assert not error.again, "after the status 401 it would try the same key again"
    # What is no key of its own may be in a server's words.
    assert keyless or KEY not in str(error), "the key is in the sentence of an error"
    error = await _failure(make, host, "the status 429", status=429, headers={"retry-after": "7"})
    assert error.again, "the status 429 ends the call; it should be tried again"
    assert error.retry_after == 7, "it does not keep the time that a server asks to wait (retry-after)"
    error = await _failure(make, host, "the status 500", status=500)
    assert error.again, "the status 500 ends the call; it should be tried again"
    for raw, fault in (
        (b"<html>Hello.</html>", "a page"),
        (b"[1, 2]", "a list"),
        (b'{"check": 1}', "an object without words"),
    ):
        await _failure(make, host, fault, raw=raw)
    await _failure(make, host, "an answer without words", words="")


async def _failure(make: Callable[[], Model], host: Host, what: str, **faults: object) -> ModelError:
    """The error that comes of a fault of the server."""
    usual = {name: cast(object, getattr(host, name)) for name in faults}
    for name, value in faults.items():
        setattr(host, name, value)
    try:
        async with _model(make) as model:
            called = await model.complete(_request(), Journal())
    except ModelError as error:
        return error
    except TimeoutError as error:
        raise AssertionError(f"{what} keeps a call waiting for more than {PATIENCE:g} seconds") from error
    finally:
        for name, value in usual.items():
            setattr(host, name, value)
    raise AssertionError(f"{what} becomes the answer {called.text!r}; it must raise a ModelError")
