"""Provider errors: a failure becomes one of Folkmoot's errors, with a kind, a wait, and whether to try again.

Exceptions of custom agents are translated here as well. A provider's message is passed on only after it is shortened
and cleared of the key.
"""

import asyncio
import re
import ssl
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from typing import cast

from folkmoot.core.errors import ModelError, Refused, Unavailable, Unreadable
from folkmoot.core.json_values import as_list, as_object, objects, read_json
from folkmoot.core.labels import duration
from folkmoot.core.text import clean, hide
from folkmoot.models.http_port import Unreached
from folkmoot.models.names import Key, ModelName
from folkmoot.models.waits import wait_seconds

LONGEST = 200
"""Characters of a provider's own words that are passed on."""

CONNECT_SECONDS = 10.0
"""Seconds to reach a host. All other limits are those of ``layers``, which tell words from signs of life."""

MOST_JUDGED = 4_000
"""Characters by which is judged what an error is about."""

ODD_SHAPE = "its JSON has another shape than this interface has"

_TLS_WANTED = ("plain http request was sent to https port", "sent an http request to an https server")
"""What servers of TLS say to a plain request, with the status 400."""

_NO_TOOLS = ("support tool", "support function calling", "support function-calling", "tool choice requires")


_KINDS: Mapping[str, int] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    **dict.fromkeys(("insufficient_quota", "billing_error", "exceeded_current_quota_error"), 402),
    "permission_error": 403,
    "not_found_error": 404,
    **dict.fromkeys(("context_length_exceeded", "request_too_large", "model_context_window_exceeded"), 413),
    **dict.fromkeys(("rate_limit_error", "rate_limit_exceeded", "tokens", "requests"), 429),
    **dict.fromkeys(("api_error", "server_error", "timeout_error"), 500),
    "overloaded_error": 529,
}
"""What providers call a kind of error, and the status that it has where it is an answer of its own."""


_LAYERS = 6
"""How deep an error may lie in lists, in texts of JSON, and under ``error``."""

_WORDS_AND_CALLS = frozenset(
    {"content", "text", "arguments", "input", "tool_calls", "function_call", "reasoning", "usage"}
)
"""Where a model's own words and counts stand in an event, which may be about errors."""

_OF_SENDER = frozenset({"id", "model", "object", "provider"})
"""What an event says of who sends it."""

_SAYS = re.compile(r"(?i)message|msg|detail|descri|reason|title")
"""Names of members that have words for people."""

FAILED = re.compile(r"(?i)error|fail|fault|abort|cancel|exception|denied")
"""What stands in the name of an event or a state that is the end of an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldError:
    """What a provider says of an error.

    Attributes:
        words: its own words.
        status: the HTTP status that stands in the body; 0 for none.
        kind: what it calls the error, one of ``_KINDS`` if it uses one.
        names: all that it calls it, in words: ``model_not_found`` says as much as a sentence, and often more.
        blamed: the fields of the request that it blames in fields of its own: OpenAI's ``param``, FastAPI's ``loc``.
        body: all of it as JSON; None where it is none.
    """

    words: str
    status: int = 0
    kind: str = ""
    names: str = ""
    blamed: frozenset[str] = frozenset()
    body: object = None

    @classmethod
    def read(cls, body: object) -> "ToldError":
        """Read the body of an answer or of an event: bytes, text, or JSON that has been read."""
        inner, whole = _error_detail(body), _as_json(body)
        if isinstance(inner, str):
            return cls(words=inner, body=whole)
        names = [
            text for key in ("code", "type", "status", "error") if isinstance(text := inner.get(key), str) and text
        ]
        reasons = [text for item in objects(inner.get("details")) if isinstance(text := item.get("reason"), str)]
        blamed = [
            inner.get("param"),
            *(name for item in objects(inner.get("detail")) for name in as_list(item.get("loc"))),
        ]
        numbers = [str(value) for name, value in inner.items() if re.search("(?i)code|status", name)]
        return cls(
            words=_with_source(_words_in(inner), inner.get("metadata")),
            status=next((int(number) for number in numbers if re.fullmatch("[1-5][0-9]{2}", number)), 0),
            kind=next((text for text in names if text in _KINDS), next(iter(names), "")),
            names=re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", " ".join([*names, *reasons])),
            blamed=frozenset(name for name in blamed if isinstance(name, str)),
            body=whole,
        )


def _words_in(members: Mapping[str, object]) -> str:
    """The words of an object: its message, what else is called so, else the first text that is more than one word."""
    texts = {"message": "", **{name: _text(value) for name, value in members.items() if name not in _OF_SENDER}}
    named = next((text for name, text in texts.items() if text and _SAYS.search(name)), "")
    return named or next((text for text in texts.values() if " " in text), "")


def _text(value: object) -> str:
    """A text, or those of a list of problems."""
    if isinstance(value, str):
        return value.strip()
    return "; ".join(text for part in objects(value) if isinstance(text := part.get("msg"), str))


def _with_source(words: str, metadata: object) -> str:
    """The words of an error, and those of the provider behind a gateway, which some gateways pass on beside theirs."""
    raw = as_object(metadata).get("raw")
    source = ToldError.read(raw).words if isinstance(raw, str) else ""
    return words if source in words else f"{words}: {source}" if words else source


def _error_detail(body: object) -> dict[str, object] | str:
    """The object or the text that has the words of an error."""
    for _ in range(_LAYERS):
        if isinstance(body, bytes):
            body = body.decode("utf-8", "replace")
        if isinstance(body, str):
            inner = read_json(body)
            if not isinstance(inner, dict | list):
                return body
            body = cast("object", inner)
        if isinstance(body, list):
            body = next(iter(as_list(cast("object", body))), None)
        if not isinstance(body, dict):
            return ""
        members = cast("dict[str, object]", body)
        body = next((item for name, item in members.items() if name.lower() in ("error", "errors") and item), None)
        is_name = isinstance(body, str) and " " not in body  # beside a name may stand words
        if _words_in(members) and (is_name or not isinstance(body, dict | str | list)):
            return members
        if not isinstance(body, dict | str | list):
            inner = [as_object(item) for name, item in members.items() if "filter" not in name]
            body = next((item for item in inner if _words_in(item)), None)
        if body is None:
            return members
    return ""


def _as_json(body: object) -> object:
    return read_json(body) if isinstance(body, bytes | str) else body


def told_error(event: object, *, empty: bool) -> object:
    """The error that an event tells, wherever in it that stands; None where it tells none.

    Args:
        event: the event, read.
        empty: whether it has nothing of which an answer consists. What it says in words is about the answer then.
    """
    members = as_object(event)
    if error := members if "error" in (members.get("type"), members.get("object")) else _find_error(event):
        return error
    denied = False in (members.get("success"), members.get("ok"))
    if not empty or not (members or isinstance(event, str)) or (_is_none(_error_detail(event)) and not denied):
        return None
    told = ToldError.read(event)
    failed = denied or told.status >= 400 or FAILED.search(told.names)
    says = " " in told.words or _matter("", 400, f"{told.names} {told.words}") != "request"
    return event if failed or says else None


def _find_error(value: object, depth: int = _LAYERS) -> object:
    members, items = as_object(value), as_list(value)[:20]
    for name, error in members.items():
        # Some servers send an empty one with every event, or a code that says that there is none.
        if "error" in name.lower() and "filter" not in name and not _is_none(error) and not _is_none(members):
            alone = name.lower() in ("error", "errors") and (not isinstance(error, str) or " " in error)
            return {"error": error} if alone else members
    # What a filter says of itself is no error of the answer: it may fail, and the answer be whole.
    items += [item for name, item in members.items() if name not in _WORDS_AND_CALLS and "filter" not in name]
    found = (_find_error(item, depth - 1) for item in items if depth)
    return next((error for error in found if error), None)


def _is_none(error: object) -> bool:
    """Whether what is called an error says that there is none."""
    codes = [code for name, code in as_object(error).items() if "code" in name.lower()]
    return (
        not error
        or error == "0"
        or (isinstance(error, dict) and not any(as_object(cast("object", error)).values()))
        or (bool(codes) and all(str(code) in ("0", "200") for code in codes))
    )


def refuses_tools(status: int, words: str) -> bool:
    """Whether a provider says that a model takes no tools."""
    return status in (400, 404, 422) and any(mark in words.lower() for mark in _NO_TOOLS)


_MATTERS: Mapping[str, re.Pattern[str]] = {
    # What a provider will not answer comes first: nobody else is sent that.
    "refused": re.compile(
        r"(?i)moderation|\bflagged\b|content (?:policy|filter|management|exists risk)|\bprohibited|\bharmful|guardrail"
        r"|responsible ai|\bunsafe\b|\bnot safe\b|safety (?:system|filter|setting|reason|polic|check)|inappropriate"
        r"|sensitive (?:content|info|word)|invalid prompt|data ?inspection"
        r"|violat\w+ (?:\w+ ){0,3}(?:policy|policies|guidelines|terms)"
    ),
    "too_long": re.compile(
        r"(?i)context (?:length|size|window|limit)|too many (?:input )?tokens|string too long"
        r"|\b(?:prompt|input|messages?|conversation|request|sequence|tokens?)\b[^.;]{0,80}\b(?:too (?:long|large|many|big)"
        r"|exceeds?|(?:longer|larger|greater|more) than|maximum|at most|must be (?:<=|less)|should be \[|overflows?)"
        r"|exceeds? (?:\w+ ){0,4}(?:context|prompt|input)|length of the (?:messages|prompt|input)|context the overflows"
        r"|maximum (?:prompt|input|sequence)|\btokens?\b[^.;]{0,60}\b(?:less|fewer) than|(?:less|fewer) than [\d,]+ tokens"
    ),
    "quota": re.compile(
        r"(?i)\bcredits?\b|exhausted your|\bused up\b|\br[au]n out\b|deplet|\ballowance|\bbilling\b|\bbalance\b|\bpayment\b"
        r"|\bquota\b|\bfunds\b|\btop.?up|\bpurchase|\bprepaid|arrears"
        r"|(?:spend\w*|usage|key|hard|monthly|weekly|daily|total) limit"
    ),
    "region": re.compile(
        r"(?i)\b(?:country|region|territor\w+|location)\b.{0,60}\b(?:not|un\w+)\b"
        r"|\b(?:not|un\w+)\b.{0,60}\b(?:country|region|territor\w+|location)\b"
    ),
    "key": re.compile(
        r"(?i)\bapi.?key|(?:incorrect|expired|revoked|your) key\b|unauthori[sz]ed|unauthenticated|authenticat|credential"
        r"|access token|bearer"
    ),
}
"""What an error is about, by the stems of its words, in the order of weight."""

_PERMITTED = re.compile(
    r"(?i)permission|\baccess\b|\baccount|\borgani[sz]ation|\bproject|\bworkspace|not allowed|verif|suspend|disabled"
    r"|subscription|\bplan\b|\btier\b|\bip\b"
)
"""What a refusal of access is about where it is no matter of the text."""

_MISSING = re.compile(
    r"(?i)not[ _](?:be )?(?:found|exist|available|supported|a valid)|n.t exist|unknown|invalid|no such|no endpoints"
    r"|no longer|deprecated|decommissioned|retired"
)
_MODEL_MISSING = re.compile(
    r"(?i)(?:no such|unknown|invalid|unavailable) model|not a valid model"
    r"|\bmodel\b['\"`]?(?: (?:name|id|with id))?[ :=]*(?:['\"`<(]?[\w./:@+-]+['\"`>)]?[ ,:]+){0,2}"
    r"(?:was |is |has been |could |does ?|do )?(?:not (?:be )?(?:found|exist|available|valid)|n.t exist|unknown|invalid"
    r"|unavailable|deprecated|decommissioned|retired)"
)
"""That there is no such thing, beside the model's name; that there is no such model, in whatever words."""

_NOTHING = re.compile(
    r"(?i)\W*(?:404\W*)?(?:(?:the )?(?:requested )?(?:page|url|route|path|resource|endpoint|file)s? )?"
    r"(?:was |is |could )?(?:not (?:be )?found)?\W*"
)
_PATH = re.compile(r"(?i)(?:chat/)?completions|/messages\b|/api/chat|\burl\b|\broute\b|\bpath\b|cannot (?:get|post)")
"""What a server says at an address where it answers no questions."""


def _matter(model: str, status: int, text: str, wait: float | None = None) -> str:
    """What an error is about: its status says a part of it, the provider's words the rest."""
    text = text[:MOST_JUDGED]
    if _MATTERS["refused"].search(text):
        return "refused"  # with whatever status: nobody else is sent such a text, nor the same one again
    if status == 429:
        # Who names a wait, or calls it a rate, is busy. A quota that is used up has no end to wait for.
        busy = wait is not None or re.search(r"(?i)rate.?limit|too many|per (?:min|sec|hour|day)|a minute|later", text)
        return "rate" if busy or not _MATTERS["quota"].search(text) else "quota"
    if status in (401, 402, 413):
        return {401: "key", 402: "quota", 413: "too_long"}[status]
    if status == 500 and _MATTERS["too_long"].search(text):
        return "too_long"
    if status in (408, 409) or (status >= 500 and status != 501):  # what is not implemented won't be so a moment later
        return "server"
    if refuses_tools(status, text):
        return "tools"
    if any(mark in text.lower() for mark in _TLS_WANTED):
        return "tls"
    named = re.search(rf"(?i)(?<![\w-]){re.escape(model)}(?![\w-])", text) and _MISSING.search(text) if model else None
    if status == 404 and (_NOTHING.fullmatch(text) or (_PATH.search(text) and not named)):
        return "address"
    matter = next((matter for matter, pattern in _MATTERS.items() if pattern.search(text)), "")
    if matter in ("", "key", "region") and (named or _MODEL_MISSING.search(text)):
        return "not_found"
    if status == 404:
        return matter if matter in ("refused", "quota") else "not_found"
    if status == 403 and matter in ("", "too_long"):
        if re.search(r"(?i)\bkey\b", text):
            return "key"
        if _PERMITTED.search(text):
            return "denied"
        # A refusal that says something else may be one of the text, so nobody else is sent it.
        return "request" if re.sub(r"(?i)forbidden|\W", "", text) else "key"
    return matter or "request"


def answer_error(
    name: ModelName,
    status: int,
    body: object,
    *,
    headers: Mapping[str, str] | None = None,
    key: Key | None = None,
    url: str = "",
) -> ModelError:
    """The error for an answer that is no success, or for an error within one that is.

    A status alone says little: used-up credit comes as a 400, moderation as a 403. So the provider's own words say what
    it is about, and are shown.

    Args:
        name: the model that was asked.
        status: the HTTP status; 0 where that was the one of a success, or isn't known.
        body: the body of the answer, or of its event.
        headers: its headers, which may say how long to wait.
        key: the key that was sent, which must not show.
        url: the address that was asked; "" where it is not known.
    """
    told = ToldError.read(body)
    detail, text, known = told.words, f"{told.names} {told.words}".strip(), _KINDS.get(told.kind, 0)
    if not status:
        status = told.status if 400 <= told.status < 600 else known
        if not status and _matter(name.model, 400, text) != "request":
            status = 400
        if not status:
            return broken_off_error(name, detail, key)
    status = known if known in (402, 413) else status
    wait = wait_seconds(headers or {}, told.body, detail, busy=status == 429)
    # A library may have sent a key that is not known here, and a provider repeats what it was sent.
    words, provider = provider_words(detail if key else hide(detail), key), name.provider.name
    if problem := _not_a_provider(status, detail):
        return wrong_server_error(f"{provider} {problem}{words}")
    match _matter(name.model, status, text, wait):
        case "key":
            origin = f" in {key.origin}" if key else ""
            return Unavailable(f"{provider} refused the key{origin} ({status}){words}", kind="key")
        case "quota":
            return Unavailable(f"{provider} says that the account has no quota left{words}", kind="quota")
        case "region" | "denied":
            return Unavailable(f"{provider} gives no access ({status}){words}", kind="denied")
        case "refused":
            return Refused(f"{provider} will not answer this text ({status}){words}", kind="refused")
        case "too_long":
            return Refused(f"the request is too long for {name}{words}", kind="too_long")
        case "tools":
            return Refused(f"{name} does not support tools{words}", kind="request")
        case "tls":
            return wrong_server_error(f"the server of {provider} speaks https, not http")
        case "address":
            where = f" at {url}" if url else ""
            return wrong_server_error(f"{provider} answers nothing{where} ({status}){words}; {_doubt(name, url)}")
        case "not_found":
            return Unavailable(f"{provider} has no model {name.model!r}{words}", kind="not_found")
        case "rate":
            asked = f"; it asks to wait {duration(ceil(wait))}" if wait else ""
            problem = f"{provider} has had too many requests{words}{asked}"
            return Unavailable(problem, kind="rate", retry_after=wait, again=True)
        case "server":
            return Unavailable(f"{provider} failed ({status}){words}", kind="server", retry_after=wait, again=True)
        case _:
            return Refused(f"{provider} refused the request ({status}){words}", kind="request")


def _doubt(name: ModelName, url: str) -> str:
    """What may be wrong with an address."""
    provider = name.provider
    short = url and not re.search(r"/v\d", url) and provider.wire.name == "openai"
    origin = f" in {provider.url_env}" if provider.url_env and url != provider.url else ""
    return f"is the address{origin} right?{' It usually ends in /v1' if short else ''}"


_PAGE = re.compile(r"(?i)\s*<(?:!doctype|html|head|body|title)\b")
"""How a web page begins, which no provider answers with."""

_MARKUP = re.compile(r"(?is)<(script|style)\b.*?(?:</\1>|\Z)|<[^>]*(?:>|\Z)")


def _not_a_provider(status: int, detail: str) -> str:
    """What answers in the place of a provider, where its status or its words tell; asking again would find the same."""
    if status in (407, 511):
        return f"is behind a proxy that wants a log-in ({status})"
    if 300 <= status < 400:
        return f"sends on to another address ({status}), and is not followed; is the address right?"
    if status == 405 and "stream" not in detail.lower():
        return "takes no questions at that address (405); is it right?"
    if 400 <= status < 500 and status not in (404, 408, 409, 429) and _PAGE.match(detail):
        return f"answers with a web page ({status}); is the address right?"
    return ""


def unreached_error(name: ModelName, url: str, detail: str, key: Key | None = None) -> Unavailable:
    """The error for a connection that could not be made or broke; the provider may have worked on the request."""
    sentence = f"no connection to {name.provider.name} at {url}{provider_words(detail, key)}"
    return Unavailable(sentence, kind="connection", again=True)


def connection_error(name: ModelName, url: str, error: Unreached, key: Key | None = None) -> Unavailable:
    """The error for a request that got no response, or lost it."""
    provider = name.provider.name
    causes: list[BaseException] = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) and cause not in causes:
        causes.append(cause)
    # The HTTP library has errors of its own that are of this class, and say less.
    cause = next((c for c in causes if isinstance(c, ssl.SSLError) and type(c).__module__ == "ssl"), None)
    if isinstance(cause, ssl.SSLCertVerificationError):
        return wrong_server_error(
            f"{provider} at {url} shows a certificate that is not trusted: {cause.verify_message}"
        )
    if isinstance(cause, ssl.SSLError):
        reason = cause.reason or str(cause)
        return wrong_server_error(
            f"{provider} at {url} does not speak https as expected ({reason}); does it speak http?"
        )
    if error.refused:
        return wrong_server_error(f"no connection to {provider} at {url}: {error}")
    if error.late:
        return unreached_error(name, url, f"it took longer than {CONNECT_SECONDS:g} s", key)
    # A server of TLS answers a plain request with an alert, or closes the connection at once; and the other way round.
    doubt = f"; does it speak {'https' if url.startswith('http:') else 'http'}?" if error.closed else ""
    return unreached_error(name, url, f"{error}{doubt}", key)


def wrong_server_error(reason: str) -> Unavailable:
    """The error for an address at which something else answers; asking again would find the same."""
    return Unavailable(reason, kind="address")


def broken_off_error(name: ModelName, detail: str, key: Key | None) -> Unavailable:
    """The error for an answer that the provider itself broke off, with no status to tell why."""
    return Unavailable(f"{name} broke off{provider_words(detail, key)}", kind="server", again=True)


def malformed_error(name: ModelName, detail: str, key: Key | None = None) -> Unreadable:
    """The error for an answer that is not what the wire promises, such as a page of HTML."""
    return Unreadable(
        f"{name} sent something that is no answer{provider_words(detail, key)}", kind="garbled", again=True
    )


def no_answer_error(name: ModelName, text: str, key: Key | None = None) -> ModelError:
    """The error for a body with no event: what it says of credit or a key counts, else it is no answer at all."""
    told = answer_error(name, 0, text, key=key)
    return malformed_error(name, text, key) if told.kind == "server" else told


def provider_words(detail: str, key: Key | None = None) -> str:
    """A provider's own words as the end of a sentence: one line, short, without the key; "" where there are none."""
    text = _MARKUP.sub(" ", detail).strip() if _PAGE.match(detail) else ""
    words = " ".join(clean(text or detail).split())
    if key:
        words = key.hide(words)
    return f": {words[:LONGEST]}{'…' if len(words) > LONGEST else ''}" if words else ""


_NAMES = (
    ("Quota", "quota"),
    ("Timeout|TimedOut", "timeout"),
    ("Connect|NetworkError|RemoteProtocol", "connection"),
    ("RateLimit|ResourceExhausted|TooManyRequests|Throttl", "rate"),
    ("Authentication|PermissionDenied", "key"),
    ("ContextOverflow|ContextWindow", "too_long"),
    ("ContentFilter", "refused"),
    ("ModelNotFound", "not_found"),
    ("ModelInvalidRequest", "request"),
    ("ServerError|ServiceUnavailable|ModelUnavailable|Overloaded", "server"),
    ("UnexpectedModelBehavior|OutputParser", "garbled"),
)
"""Parts of the names of exceptions, the telling ones first, and what they mean."""

_WORDS: Mapping[str, str] = {
    "timeout": "ran out of time",
    "connection": "got no connection",
    "rate": "was told that there are too many requests",
    "server": "was let down by a server",
    "quota": "has no quota left",
    "key": "was refused its key",
    "denied": "was given no access",
    "not_found": "was told that there is no such thing",
    "address": "found nothing at its address",
    "request": "made a request that was not taken",
    "too_long": "cannot take a prompt of this length",
    "refused": "withheld its answer",
    "garbled": "made something that is no answer",
}

_AGAIN = frozenset({"timeout", "connection", "rate", "server", "garbled"})


@contextmanager
def translated_errors(provider: str) -> Generator[None]:
    """Where a guest (``guest:name``) is at work: whatever it raises leaves as a ModelError. A cancellation passes."""
    try:
        yield
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        # One that nobody asked for is the guest's own affair; passed on, it would end the debate.
        if task is not None and not task.cancelling():
            raise ModelError(f"{provider} was cancelled from within", kind="broken") from error
        raise
    except ModelError:
        raise
    except Exception as error:  # foreign code raises what it likes
        raise read_fault(provider, error) from error


def read_fault(provider: str, error: Exception) -> ModelError:
    """The error of ours for an exception of a guest.

    Args:
        provider: ``guest:name``.
        error: what it raised; of a group the first one counts.
    """
    while isinstance(error, ExceptionGroup):
        error = cast("ExceptionGroup[Exception]", error).exceptions[0]
    their_words = provider_words(hide(str(error)))
    kind = _kind(error)
    if not kind:
        return ModelError(f"{provider} raised {type(error).__name__}{their_words}", kind="broken")
    reason, again = f"{provider} {_WORDS[kind]}{their_words}", kind in _AGAIN
    if kind == "garbled":
        return Unreadable(reason, kind=kind, again=again)
    if kind in ("request", "too_long", "refused"):
        return Refused(reason, kind=kind)
    return Unavailable(reason, kind=kind, again=again, retry_after=_wait(error) if kind == "rate" else None)


def _kind(error: Exception) -> str:
    """Which of the usual failures it is; "" for none."""
    # The names of its class, and of those it descends from.
    names = " ".join(item.__name__ for item in type(error).__mro__)
    if kind := next((kind for part, kind in _NAMES if re.search(part, names)), ""):
        return kind
    response = getattr(error, "response", None)
    status = getattr(error, "status_code", getattr(response, "status_code", None))
    if not isinstance(status, int) or status < 400:
        return "server" if "ModelAPIError" in names else ""
    matter = "timeout" if status in (408, 504) else _matter("", status, str(error), _wait(error))
    return {"tools": "request", "tls": "address", "region": "denied"}.get(matter, matter)


def _wait(error: Exception) -> float | None:
    """The seconds that the provider asks to wait, where the exception has its headers."""
    headers: object = getattr(error, "headers", None) or getattr(getattr(error, "response", None), "headers", None)
    return wait_seconds(cast("Mapping[str, str]", headers)) if isinstance(headers, Mapping) else None
