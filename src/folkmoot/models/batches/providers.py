"""The batch interfaces of OpenAI and Anthropic: take many requests, say how far they are, give the results, cancel.

Nothing here waits. Both answer within a day at half of the usual price.
"""

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, Protocol, TypeAlias, TypeVar
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta, Raw, Struct

from folkmoot.models import provider_errors
from folkmoot.models.http_port import Unreached
from folkmoot.models.names import ModelName
from folkmoot.models.transport import ProviderConnection
from folkmoot.models.wires.anthropic_messages import VERSION, version_for

T = TypeVar("T")

HALF = 0.5
"""The share of the usual price that both providers ask in a batch, as of November 2026."""

PAGE, PAGES = 100, 5
"""How many batches a page of a list has, and how many pages are looked through for one; the newest come first."""

CLOCKS = 120.0
"""Seconds by which a provider's clock and ours may differ."""

ItemStatus: TypeAlias = Literal["answered", "expired", "cancelled", "failed"]

Found: TypeAlias = str | Literal[False] | None
"""What the provider calls a batch; None where it does not have it; False where that cannot be known yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemResult:
    """What has become of one request of a batch.

    Attributes:
        status: the provider answered it, had no time for it, was told to leave it, or failed.
        body: the answer, or the error.
        code: with ``failed``, the HTTP status that a live request would have got; 0 if unknown.
    """

    status: ItemStatus
    body: bytes = b""
    code: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLook:
    """How far a provider is with a batch.

    Attributes:
        ended: whether nothing more will come of it.
        words: the provider's own word for its state.
        refused: why it was refused as a whole; "" where it was not.
        again: with ``refused``, whether it may be taken later.
        missing: what has become of requests for which there is no result.
        parts: where the results are; empty where they stand at the usual place.
        done: how many requests are done with.
    """

    ended: bool
    words: str = ""
    refused: str = ""
    again: bool = False
    missing: ItemStatus = "expired"
    parts: tuple[str, ...] = ()
    done: int = 0


class BatchApi(Protocol):
    """A provider's batch interface.

    Every method raises ``ModelError`` where the provider refuses or cannot be reached; its ``kind`` says which.
    """

    async def submit(self, job: str, requests: Mapping[str, Mapping[str, object]]) -> str:
        """Send requests as one batch under our name; returns the provider's name of it."""
        ...

    async def look(self, handle: str) -> JobLook:
        """How far the provider is with it."""
        ...

    async def results(self, handle: str, look: JobLook) -> dict[str, ItemResult]:
        """What has become of the requests, by what they are called; some may be missing."""
        ...

    async def cancel(self, handle: str) -> None:
        """Have the provider leave what it has not begun. What it has answered stays, and is paid."""
        ...

    async def find(self, job: str, items: Sequence[str], since: float, known: Sequence[str]) -> Found:
        """Look for a batch that was sent without its name having come back.

        Args:
            job: our name of it.
            items: what its requests are called.
            since: when it was sent at the earliest, in seconds since 1970.
            known: the provider's names of our other batches.
        """
        ...


class _Batches:
    """What both have in common.

    Args:
        name: a model of the provider, which errors name.
        connection: the way to it.
    """

    path: ClassVar[str]
    headers: ClassVar[Mapping[str, str]] = {}

    def __init__(self, name: ModelName, connection: ProviderConnection) -> None:
        self._name, self._link = name, connection

    async def cancel(self, handle: str) -> None:
        """Cancel it; see ``BatchApi``."""
        await self._fetch(f"{self.path}/{handle}/cancel", b"{}")

    async def _ask(
        self, kind: type[T], path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> T:
        """An answer of a kind; where it is of none, that is an error."""
        raw = await self._fetch(path, body, headers)
        try:
            return msgspec.json.decode(raw, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise provider_errors.malformed_error(self._name, provider_errors.ODD_SHAPE, self._link.key) from error

    async def _fetch(self, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> bytes:
        name, link = self._name, self._link
        try:
            answer = await link.fetch(path, body, {**self.headers, **(headers or {})})
        except Unreached as error:
            raise provider_errors.connection_error(name, link.url, error, link.key) from error
        if 200 <= answer.status < 300:
            return answer.body
        raise provider_errors.answer_error(name, answer.status, answer.body, headers=answer.headers, key=link.key)

    async def _newest(self, kind: type[T], after: str, since: float) -> list[T]:
        """The provider's batches, the newest first: at least all that were made since then."""
        batches: list[Any] = []
        more = ""
        for _ in range(PAGES):
            page = await self._ask(_Page, f"{self.path}?limit={PAGE}{more}")
            newer = list(_readable(kind, page.data))
            batches += newer
            if not page.has_more or not newer or _seconds(batches[-1].created_at) < since:
                break
            more = f"&{after}={batches[-1].id}"
        return batches


class _Page(Struct):
    data: list[Raw] = []
    has_more: bool = False


def _readable(kind: type[T], texts: Sequence[bytes | Raw]) -> Iterator[T]:
    """Those of some texts that are JSON of a kind; others are left out."""
    for text in texts:
        try:
            yield msgspec.json.decode(text, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue


def _seconds(time: float | str) -> float:
    """A time in seconds since 1970; 0 where it is none."""
    try:
        return datetime.fromisoformat(time).timestamp() if isinstance(time, str) else time
    except ValueError:
        return 0.0


# ---- OpenAI: a file of requests goes up, a batch is made of it, files of answers and of errors come down ------------

ENDPOINT = "/v1/chat/completions"
MARK = "folkmoot_job"
"""The key of the metadata that holds our name of a batch: so one is found again whose own name never came back."""

_TIMED_OUT = 408
_FULL = "token_limit_exceeded"
"""Too many tokens wait at the provider; they can be sent when some of them are done."""


class _Named(Struct):
    id: Annotated[str, Meta(min_length=1)]


class _Fault(Struct):
    code: str | None = ""
    message: str | None = ""


class _Faults(Struct):
    data: list[_Fault] = []


class _Counts(Struct):
    completed: int = 0
    failed: int = 0


class _OpenAIBatch(Struct):
    id: str
    status: str = ""
    created_at: float = 0.0
    metadata: dict[str, str] | None = None
    errors: _Faults | None = None
    request_counts: _Counts | None = None
    output_file_id: str | None = None
    error_file_id: str | None = None


class _Response(Struct):
    status_code: int
    body: Raw = Raw(b"{}")


class _OpenAILine(Struct):
    custom_id: str
    response: _Response | None = None
    error: _Fault | None = None


class OpenAIBatches(_Batches):
    """The batches of one OpenAI account. The requests are those of chat completions, as they are sent live."""

    path = "/batches"

    async def submit(self, job: str, requests: Mapping[str, Mapping[str, object]]) -> str:
        """Send requests; see ``BatchApi``."""
        boundary = secrets.token_hex(16)
        lines = [
            json.dumps({"custom_id": item, "method": "POST", "url": ENDPOINT, "body": dict(body)})
            for item, body in requests.items()
        ]
        form = (
            f'--{boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
            f'--{boundary}\r\ncontent-disposition: form-data; name="file"; filename="{job}.jsonl"\r\n'
            "content-type: application/jsonl\r\n\r\n" + "\n".join(lines) + f"\n\r\n--{boundary}--\r\n"
        )
        kind = {"content-type": f"multipart/form-data; boundary={boundary}"}
        file = (await self._ask(_Named, "/files", form.encode(), kind)).id
        data = {"input_file_id": file, "endpoint": ENDPOINT, "completion_window": "24h", "metadata": {MARK: job}}
        return (await self._ask(_Named, self.path, json.dumps(data).encode())).id

    async def look(self, handle: str) -> JobLook:
        """How far it is; see ``BatchApi``."""
        batch = await self._ask(_OpenAIBatch, f"{self.path}/{handle}")
        errors, counts = (batch.errors or _Faults()).data, batch.request_counts or _Counts()
        reasons = "; ".join(error.message or "" for error in errors[:3])
        return JobLook(
            ended=batch.status in ("completed", "expired", "cancelled", "failed"),
            words=batch.status,
            refused=reasons or batch.status if batch.status == "failed" else "",
            again=any(error.code == _FULL for error in errors),
            missing="cancelled" if batch.status == "cancelled" else "expired",
            parts=tuple(filter(None, (batch.output_file_id, batch.error_file_id))),
            done=counts.completed + counts.failed,
        )

    async def results(self, handle: str, look: JobLook) -> dict[str, ItemResult]:
        """What has become of the requests; see ``BatchApi``."""
        results: dict[str, ItemResult] = {}
        for file in look.parts:
            for line in _readable(_OpenAILine, (await self._fetch(f"/files/{file}/content")).splitlines()):
                results[line.custom_id] = _result_of_openai(line)
        return results

    async def find(self, job: str, items: Sequence[str], since: float, known: Sequence[str]) -> Found:
        """Look for it by its metadata; see ``BatchApi``."""
        batches = await self._newest(_OpenAIBatch, "after", since)
        return next((batch.id for batch in batches if (batch.metadata or {}).get(MARK) == job), None)


def _result_of_openai(line: _OpenAILine) -> ItemResult:
    if line.response:
        code, body = line.response.status_code, bytes(line.response.body)
        return ItemResult(status="answered" if 200 <= code < 300 else "failed", body=body, code=code)
    error = line.error or _Fault()
    unrun: Mapping[str | None, ItemStatus] = {"batch_expired": "expired", "batch_cancelled": "cancelled"}
    body = msgspec.json.encode({"error": error})
    return ItemResult(status=unrun.get(error.code, "failed"), body=body, code=_TIMED_OUT)


# ---- Anthropic: requests go up as one object, results come down as lines when all are done with ---------------------


class _AnthropicBatch(Struct):
    id: str = ""
    processing_status: str = ""
    created_at: str = ""
    request_counts: dict[str, int] = {}
    results_url: str | None = None


class _Outcome(Struct):
    type: str
    message: Raw = Raw(b"{}")


class _AnthropicLine(Struct):
    custom_id: str
    result: Raw


class AnthropicBatches(_Batches):
    """The batches of one Anthropic workspace."""

    path = "/v1/messages/batches"
    headers: ClassVar[Mapping[str, str]] = {"anthropic-version": VERSION}

    async def submit(self, job: str, requests: Mapping[str, Mapping[str, object]]) -> str:
        """Send requests; see ``BatchApi``."""
        items = [{"custom_id": item, "params": dict(body)} for item, body in requests.items()]
        version = {"anthropic-version": version_for(requests.values())}
        return (await self._ask(_Named, self.path, json.dumps({"requests": items}).encode(), version)).id

    async def look(self, handle: str) -> JobLook:
        """How far it is; see ``BatchApi``."""
        batch = await self._ask(_AnthropicBatch, f"{self.path}/{handle}")
        done = sum(batch.request_counts.values()) - batch.request_counts.get("processing", 0)
        status = batch.processing_status
        return JobLook(ended=status == "ended", words=status, done=done, parts=self._place(batch))

    def _place(self, batch: _AnthropicBatch) -> tuple[str, ...]:
        """Where the provider says that the results are, as a path under its address, so that no key goes elsewhere."""
        url, base = urlsplit(batch.results_url or ""), urlsplit(self._link.url).path
        path = url.path.removeprefix(base) if url.path.startswith(f"{base}/") else url.path
        return (f"{path}?{url.query}" if url.query else path,) if path.startswith("/") else ()

    async def results(self, handle: str, look: JobLook) -> dict[str, ItemResult]:
        """What has become of the requests; see ``BatchApi``."""
        raw = await self._fetch(look.parts[0] if look.parts else f"{self.path}/{handle}/results")
        lines = _readable(_AnthropicLine, raw.splitlines())
        return {line.custom_id: result for line in lines for result in _result_of_anthropic(line)}

    async def find(self, job: str, items: Sequence[str], since: float, known: Sequence[str]) -> Found:
        """Look for it by its time and size, and by our names in its results; a batch has no place for our name."""
        unclear = False
        for batch in await self._newest(_AnthropicBatch, "after_id", since - CLOCKS):
            size, made = sum(batch.request_counts.values()), _seconds(batch.created_at)
            if batch.id in known or size != len(items) or made < since - CLOCKS:
                continue
            if batch.processing_status != "ended":
                unclear = True
            elif items[0] in await self.results(batch.id, JobLook(ended=True, parts=self._place(batch))):
                return batch.id
        return False if unclear else None


def _result_of_anthropic(line: _AnthropicLine) -> Iterator[ItemResult]:
    for outcome in _readable(_Outcome, [line.result]):
        match outcome.type:
            case "succeeded":
                yield ItemResult(status="answered", body=bytes(outcome.message))
            case "expired":
                yield ItemResult(status="expired")
            case "canceled":
                yield ItemResult(status="cancelled")
            case _:
                yield ItemResult(status="failed", body=bytes(line.result))
