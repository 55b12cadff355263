"""Functions as guests: what they are given, what is made of their answers and failures, and what cannot be a guest."""

import asyncio
import contextvars
import functools
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from folkmoot.app.program.program_agents import adapter, register
from folkmoot.core.brief import Settings
from folkmoot.core.errors import BriefError, ModelError, Refused, Unavailable, Unreadable
from folkmoot.core.text import hide
from folkmoot.models.base import Message
from folkmoot.models.custom import write
from folkmoot.models.pool import Pool
from folkmoot.models.provider_errors import read_fault
from tests.models.models_kit import HASTY, KEY, Notebook, ask


async def slow(prompt: str) -> str:
    return f"I heard {len(prompt)} letters."


def plain(prompt: str) -> str:
    return f"I heard {len(prompt)} letters."


class Agent:
    async def __call__(self, prompt: str) -> str:
        return await slow(prompt)

    def speak(self, prompt: str, aloud: bool = False) -> str:
        return plain(prompt)


def late(prompt: str) -> object:
    return slow(prompt)


def saying(answer: object) -> Callable[[str], object]:
    return lambda prompt: answer


async def addressed(name: str, prompt: str) -> str:
    return await slow(prompt)


@pytest.mark.parametrize(
    "agent",
    [slow, plain, Agent(), Agent().speak, functools.partial(addressed, "Ann"), late],
    ids=["async", "plain", "object", "method", "partial", "made"],
)
async def test_functions_of_all_kinds_answer(agent: Callable[[str], object]) -> None:
    pool, book = Pool(env={}, retry=HASTY), Notebook()
    assert register(pool, "ann", agent) == "guest:ann"
    called = await pool.model("guest:ann").complete(ask("Hello"), book)
    assert called.text == "I heard 16 letters."
    assert "".join(book.deltas) == called.text
    assert (called.model, called.served, called.call, called.finish) == ("guest:ann", "", "answer", "")
    assert called.usage.estimated
    assert called.usage.cost is None
    assert called.usage.input_tokens > called.usage.output_tokens > 0
    [(name, quote)] = book.calls
    assert (name, quote.model, quote.cost) == ("answer", "guest:ann", None)
    assert quote.tokens >= called.usage.input_tokens + called.usage.output_tokens
    await pool.close()


def test_a_function_is_given_all_messages_as_one_text() -> None:
    rows = [("system", "Be brief."), ("user", "Why?"), ("assistant", "Because.\n\nReally."), ("user", "How so?")]
    messages = tuple(Message(role=role, text=text) for role, text in rows)  # pyright: ignore[reportArgumentType]
    assert write(messages) == "Be brief.\n\nWhy?\n\nYou have said:\n  Because.\n  \n  Really.\n\nHow so?"


def test_a_function_takes_text_and_nothing_else() -> None:
    traits = adapter("ann", plain).traits
    assert (traits.tools, traits.alternate) == (False, False)
    assert set(adapter("ann", plain).drops) == set(Settings.__slots__)


@pytest.mark.parametrize(
    ("answer", "kind", "sentence"),
    [
        (None, "garbled", "guest:ann gave an object of type NoneType; an agent must return a str"),
        (7, "garbled", "guest:ann gave an object of type int; an agent must return a str"),
        (b"yes", "garbled", "guest:ann gave an object of type bytes; an agent must return a str"),
        ("", "empty", "guest:ann gave no words"),
        ("  \n", "empty", "guest:ann gave no words"),
        ("<think>well</think>", "empty", "guest:ann gave no words"),
    ],
)
async def test_what_is_no_answer_is_said_in_one_sentence(answer: object, kind: str, sentence: str) -> None:
    with pytest.raises(Unreadable) as caught:
        await adapter("ann", saying(answer)).complete(ask(), Notebook())
    assert (caught.value.kind, str(caught.value)) == (kind, sentence)


async def test_thinking_at_the_beginning_is_left_out() -> None:
    book = Notebook()
    called = await adapter("ann", saying("<think>Hm.</think>Yes.")).complete(ask(), book)
    assert (called.text, "".join(book.deltas)) == ("Yes.", "Yes.")


async def test_a_plain_function_keeps_nobody_waiting() -> None:
    together = threading.Barrier(12)

    def agent(prompt: str) -> str:
        together.wait(120)  # none goes on before all have begun
        return "yes"

    async with asyncio.TaskGroup() as group:
        for n in range(12):
            group.create_task(adapter(f"ann{n}", agent).complete(ask(seconds=240), Notebook()))


async def never(prompt: str) -> str:
    await asyncio.sleep(3600)
    return "late"


async def test_a_cancellation_passes_at_once() -> None:
    free = threading.Event()

    def waiting(prompt: str) -> bool:
        return free.wait(3600)

    for agent in (never, waiting):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await adapter("ann", agent).complete(ask(), Notebook())
    free.set()


@pytest.mark.system
def test_a_plain_function_does_not_keep_the_program_from_ending() -> None:
    program = """
import asyncio, time
from folkmoot.app.program.in_place import ask_function
from folkmoot.models.custom import apart

def slow(text):
    time.sleep(300)

async def main():
    for call in (apart(slow, ""), ask_function(slow, "")):
        try:
            await asyncio.wait_for(call, 0.05)
        except TimeoutError:
            print("late")

asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert (done.stdout, done.stderr) == ("late\nlate\n", "")


async def test_a_plain_function_knows_what_its_caller_knows() -> None:
    context_var: contextvars.ContextVar[str] = contextvars.ContextVar("asked")
    context_var.set("by Ann")

    def agent(prompt: str) -> str:
        return context_var.get()

    assert (await adapter("ann", agent).complete(ask(), Notebook())).text == "by Ann"


async def test_what_a_plain_function_raises_is_its_failure() -> None:
    def agent(prompt: str) -> str:
        raise ValueError("no idea")

    with pytest.raises(ModelError, match="guest:ann raised ValueError: no idea"):
        await adapter("ann", agent).complete(ask(), Notebook())


async def test_a_guest_whose_time_is_up_is_named() -> None:
    pool = Pool(env={}, retry=HASTY)
    register(pool, "ann", never)
    with pytest.raises(Unavailable, match="guest:ann did not finish: stopped after") as caught:
        await pool.model("guest:ann").complete(ask(seconds=0.05), Notebook())
    assert caught.value.kind == "timeout"


# ---- failures ------------------------------------------------------------------------------------------------------


class Response:
    def __init__(self, status: object, **headers: str) -> None:
        self.status_code, self.headers = status, {name.replace("_", "-"): text for name, text in headers.items()}


class StrangeError(Exception):
    """An exception of no known name, with what the packages hang on theirs."""

    def __init__(self, text: str = "", **more: object) -> None:
        super().__init__(text)
        vars(self).update(more)


def named(name: str, **more: object) -> Exception:
    return type(name, (StrangeError,), {})("words", **more)


@pytest.mark.parametrize(
    ("error", "kind", "again"),
    [
        (TimeoutError(), "timeout", True),
        (ConnectionResetError(104, "gone"), "connection", True),
        (named("APITimeoutError"), "timeout", True),
        (named("ConnectError"), "connection", True),
        (named("RateLimitError"), "rate", True),
        (named("ThrottlingException"), "rate", True),
        (named("AuthenticationError", status_code=401), "key", False),
        (named("ModelQuotaExceededError"), "quota", False),
        (named("ContextOverflowError"), "too_long", False),
        (named("ContentFilterError"), "refused", False),
        (named("ServiceUnavailable"), "server", True),
        (named("OutputParserException"), "garbled", True),
        (StrangeError("x", status_code=401), "key", False),
        (StrangeError("x", status_code=402), "quota", False),
        (StrangeError("x", status_code=404), "not_found", False),
        (StrangeError("x", status_code=418), "request", False),
        (StrangeError("x", status_code=429), "rate", True),
        (StrangeError("x", status_code=502), "server", True),
        (StrangeError("x", response=Response(413)), "too_long", False),
        (StrangeError("x", status_code=200), "broken", False),
        (StrangeError("x", response=Response("odd")), "broken", False),
        (ExceptionGroup("both", [named("RateLimitError"), ValueError()]), "rate", True),
        (ValueError("a bug"), "broken", False),
        (BriefError("of a debate within"), "broken", False),
    ],
    ids=lambda exception: type(exception).__name__ if isinstance(exception, Exception) else str(exception),
)
async def test_exceptions_become_errors_of_ours(error: Exception, kind: str, again: bool) -> None:
    async def agent(prompt: str) -> str:
        raise error

    with pytest.raises(ModelError) as caught:
        await adapter("ann", agent).complete(ask(), Notebook())
    assert (caught.value.kind, caught.value.again) == (kind, again)
    assert str(caught.value).startswith("guest:ann ")
    assert "\n" not in str(caught.value)
    refused, away = kind in ("request", "too_long", "refused"), kind in ("garbled", "broken")
    assert isinstance(caught.value, Refused if refused else ModelError if away else Unavailable)


async def test_a_function_may_raise_errors_of_ours_on_purpose() -> None:
    async def agent(prompt: str) -> str:
        raise Refused("Ann will not speak about this", kind="refused")

    with pytest.raises(Refused, match=r"^Ann will not speak about this$"):
        await adapter("ann", agent).complete(ask(), Notebook())


def test_a_wait_that_is_asked_for_is_kept() -> None:
    for error in (
        StrangeError("x", status_code=429, response=Response(429, retry_after="7")),
        StrangeError("x", status_code=429, headers={"retry-after": "7"}),
    ):
        assert read_fault("guest:ann", error).retry_after == 7
    assert read_fault("guest:ann", StrangeError("x", status_code=429)).retry_after is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"Incorrect API key provided: {KEY}.", "Incorrect API key provided: ***."),
        ("Authorization: Bearer abc.def", "Authorization: ***"),
        ('{"api_key": "short1"}', '{"***"}'),
        ("GET /v1?key=AIzaSyA-1234567_x&alt=sse", "GET /v1?***&alt=sse"),
        ("0123456789abcdef0123456789abcdef0123", "***"),
        ("model claude-haiku-4-5-20251001 is away", "model claude-haiku-4-5-20251001 is away"),
    ],
)
def test_no_key_is_passed_on(text: str, shown: str) -> None:
    assert hide(text) == shown
    assert str(read_fault("guest:ann", ValueError(text))) == f"guest:ann raised ValueError: {shown}"


async def test_a_plain_function_out_of_words_does_not_hang() -> None:
    replies = iter(["one"])

    def agent(prompt: str) -> str:
        return next(replies)

    model = adapter("ann", agent)
    assert (await model.complete(ask(), Notebook())).text == "one"
    with pytest.raises(ModelError, match="guest:ann raised RuntimeError: StopIteration"):
        await model.complete(ask(), Notebook())


async def test_a_cancellation_from_within_is_a_failure_of_the_guest() -> None:
    async def agent(prompt: str) -> str:
        raise asyncio.CancelledError

    with pytest.raises(ModelError, match="guest:ann was cancelled from within") as caught:
        await adapter("ann", agent).complete(ask(), Notebook())
    assert caught.value.kind == "broken"


async def test_failures_that_may_pass_are_tried_again() -> None:
    tries: list[str] = []

    async def agent(prompt: str) -> str:
        tries.append(prompt)
        if len(tries) < 3:
            raise ConnectionError
        return "yes"

    pool, book = Pool(env={}, retry=HASTY), Notebook()
    register(pool, "ann", agent)
    assert (await pool.model("guest:ann").complete(ask(), book)).text == "yes"
    assert len(book.calls) == 3


# ---- invitations ---------------------------------------------------------------------------------------------------


def none() -> str:
    return "nothing"


def two(text: str, other: str) -> str:
    return text + other


@pytest.mark.parametrize(
    ("name", "agent", "sentence"),
    [
        (
            "ann",
            "ollama:llama3.2",
            "ann is an object of type str; an agent is a function that takes one str and returns a str",
        ),
        ("ann", None, "ann is an object of type NoneType; an agent is a function that takes one str"),
        ("ann", Agent, "ann is the class Agent; pass an object of it"),
        ("ann", none, "ann cannot be called with one text; an agent is a function that takes one str"),
        ("ann", two, "ann cannot be called with one text; an agent is a function that takes one str"),
        (" ", plain, "an agent needs a name"),
    ],
)
def test_what_is_no_guest_is_told_in_one_sentence(name: str, agent: object, sentence: str) -> None:
    with pytest.raises(BriefError, match=f"^{sentence}"):
        register(Pool(env={}), name, agent)


def test_a_name_is_given_once() -> None:
    pool = Pool(env={})
    register(pool, "ann", plain)
    with pytest.raises(BriefError, match="two agents are called ann; each needs a name of its own"):
        register(pool, "ann", slow)


async def test_a_function_that_does_not_say_what_it_takes_may_come() -> None:
    with pytest.raises(Unreadable, match="object of type type"):
        await adapter("ann", Opaque()).complete(ask(), Notebook())


class Opaque:
    """Callable, with a signature that cannot be told."""

    __signature__ = property(lambda self: (_ for _ in ()).throw(ValueError()))

    __call__ = type
