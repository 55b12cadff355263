"""The batch interfaces of OpenAI and Anthropic: take many requests, say how far they are, give the results, cancel.

Nothing here waits. Both answer within a day at half of the usual price.
"""

import json
import re
import secrets
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Literal, TypeAlias
from urllib.parse import urlsplit

from folkmoot.core.json_values import as_object, objects, read_object
from folkmoot.models import provider_errors
from folkmoot.models.http_port import Unreached
from folkmoot.models.names import ModelName
from folkmoot.models.transport import ProviderConnection
from folkmoot.models.wires.anthropic_messages import VERSION, version_for

PAGE, PAGES = 100, 5
"""How many batches a page of a list has, and how many pages are looked through for one; the newest come first."""

CLOCKS = 120.0
"""Seconds by which a provider's clock and ours may differ."""

ItemStatus: TypeAlias = Literal["answered", "expired", "cancelled", "failed"]

Requests: TypeAlias = Mapping[str, Mapping[str, object]]
"""The bodies of requests, by what they are called in a batch."""


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
        words: the provider's own word for its state.
        done: how many requests are done with.
        results: once it has ended, what has become of the requests, by what they are called; some may be missing.
        missing: what has become of those.
        refused: why it was refused as a whole; "" where it was not.
        again: with ``refused``, whether it may be taken later.
    """

    words: str = ""
    done: int = 0
    results: Mapping[str, ItemResult] | None = None
    missing: ItemResult = ItemResult(status="expired")
    refused: str = ""
    again: bool = False


class BatchApi(ABC):
    """A provider's batch interface.

    Every method raises ``ModelError`` where the provider refuses or cannot be reached; its ``kind`` says which.

    Args:
        name: a model of the provider, which errors name.
        connection: the way to it.
    """

    path: ClassVar[str]
    after: ClassVar[str]
    """What a list calls the last batch of the page before."""
    headers: ClassVar[Mapping[str, str]] = {}

    def __init__(self, name: ModelName, connection: ProviderConnection) -> None:
        self._name, self._link = name, connection

    @abstractmethod
    async def submit(self, job: str, requests: Requests) -> str:
        """Send requests as one batch under our name; returns the provider's name of it."""

    @abstractmethod
    async def look(self, handle: str) -> JobLook:
        """How far the provider is with it."""

    @abstractmethod
    async def find(self, job: str, items: Sequence[str], since: float, known: Sequence[str]) -> str | None:
        """Look for a batch that was sent without its name having come back.

        Args:
            job: our name of it.
            items: what its requests are called.
            since: when it was sent at the earliest, in seconds since 1970.
            known: the provider's names of our other batches.

        Returns:
            The provider's name of it; None where it does not have it, "" where that cannot be known yet.
        """

    async def cancel(self, handle: str) -> None:
        """Have the provider leave what it has not begun. What it has answered stays, and is paid."""
        await self._fetch(f"{self.path}/{handle}/cancel", b"{}")

    async def _ask(
        self, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[str, Mapping[str, object]]:
        """What a file or a batch is called, and all that is said of it; what has no name is none."""
        answer = read_object(await self._fetch(path, body, headers))
        if isinstance(handle := answer.get("id"), str) and handle:
            return handle, answer
        raise provider_errors.malformed_error(self._name, provider_errors.ODD_SHAPE, self._link.key)

    async def _fetch(self, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> bytes:
        name, link = self._name, self._link
        try:
            answer = await link.fetch(path, body, {**self.headers, **(headers or {})})
        except Unreached as error:
            raise provider_errors.connection_error(name, link.url, error, link.key) from error
        if 200 <= answer.status < 300:
            return answer.body
        raise provider_errors.answer_error(name, answer.status, answer.body, headers=answer.headers, key=link.key)

    async def _newest(self, since: float) -> list[Mapping[str, object]]:
        """The provider's batches, the newest first: at least all that were made since then."""
        batches: list[Mapping[str, object]] = []
        more = ""
        for _ in range(PAGES):
            page = read_object(await self._fetch(f"{self.path}?limit={PAGE}{more}"))
            newer = objects(page.get("data"))
            batches += newer
            if not page.get("has_more") or not newer or _made(newer[-1]) < since:
                break
            more = f"&{self.after}={newer[-1].get('id')}"
        return batches

    async def _results(self, path: str) -> dict[str, ItemResult]:
        """The results in a file of lines; one that can't be read is missing."""
        lines = map(read_object, (await self._fetch(path)).splitlines())
        return {str(line["custom_id"]): _result(line) for line in lines if "custom_id" in line}


def _made(batch: Mapping[str, object]) -> float:
    """When a batch was made, in seconds since 1970; 0 where that is not said."""
    time = batch.get("created_at")
    with suppress(ValueError):
        return datetime.fromisoformat(time).timestamp() if isinstance(time, str) else float(str(time))
    return 0.0


def _count(batch: Mapping[str, object], *states: str) -> int:
    """How many requests of a batch are in these states."""
    counts = as_object(batch.get("request_counts"))
    return sum(count for state in states if isinstance(count := counts.get(state), int))


_UNRUN: Mapping[object, ItemStatus] = {
    "batch_expired": "expired",
    "expired": "expired",
    "batch_cancelled": "cancelled",
    "canceled": "cancelled",
}
_TIMED_OUT = 408


def _result(line: Mapping[str, object]) -> ItemResult:
    """A line of results: a response or an error of OpenAI, an outcome of Anthropic."""
    if response := as_object(line.get("response")):
        code = response.get("status_code")
        code = code if isinstance(code, int) else 0
        status = "answered" if 200 <= code < 300 else "failed"
        return ItemResult(status=status, body=json.dumps(response.get("body")).encode(), code=code)
    outcome = as_object(line.get("result"))
    if outcome.get("type") == "succeeded":
        return ItemResult(status="answered", body=json.dumps(outcome.get("message")).encode())
    fault = as_object(line.get("error"))
    status = _UNRUN.get(fault.get("code") or outcome.get("type"), "failed")
    body = json.dumps({"error": fault or outcome.get("error")}).encode()
    return ItemResult(status=status, body=body, code=_TIMED_OUT if fault else 0)


# ---- OpenAI: a file of requests goes up, a batch is made of it, files of answers and of errors come down ------------

ENDPOINT = "/v1/chat/completions"
MARK = "folkmoot_job"
"""The key of the metadata that holds our name of a batch: so one is found again whose own name never came back."""

_FULL = "token_limit_exceeded"
"""Too many tokens wait at the provider; they can be sent when some of them are done."""


class OpenAIBatches(BatchApi):
    """The batches of one OpenAI account. The requests are those of chat completions, as they are sent live."""

    path, after = "/batches", "after"

    async def submit(self, job: str, requests: Requests) -> str:
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
        file, _ = await self._ask("/files", form.encode(), kind)
        data = {"input_file_id": file, "endpoint": ENDPOINT, "completion_window": "24h", "metadata": {MARK: job}}
        return (await self._ask(self.path, json.dumps(data).encode()))[0]

    async def look(self, handle: str) -> JobLook:
        """How far it is; see ``BatchApi``."""
        _, batch = await self._ask(f"{self.path}/{handle}")
        status = str(batch.get("status"))
        if status == "failed":
            errors = objects(as_object(batch.get("errors")).get("data"))
            reasons = "; ".join(str(error.get("message") or "") for error in errors[:3])
            return JobLook(refused=reasons or status, again=any(error.get("code") == _FULL for error in errors))
        if status not in ("completed", "expired", "cancelled"):
            return JobLook(words=status, done=_count(batch, "completed", "failed"))
        results: dict[str, ItemResult] = {}
        for file in filter(None, (batch.get("output_file_id"), batch.get("error_file_id"))):
            results |= await self._results(f"/files/{file}/content")
        return JobLook(results=results, missing=ItemResult(status="cancelled" if status == "cancelled" else "expired"))

    async def find(self, job: str, items: Sequence[str], since: float, known: Sequence[str]) -> str | None:
        """Look for it by its metadata; see ``BatchApi``."""
        batches = await self._newest(since)
        mine = (batch for batch in batches if as_object(batch.get("metadata")).get(MARK) == job)
        return next((str(batch.get("id")) for batch in mine), None)


# ---- Anthropic: requests go up as one object, results come down as lines when all are done with ---------------------

_ENDS = ("succeeded", "errored", "canceled", "expired")
"""What can become of a request, as its counts call it."""


class AnthropicBatches(BatchApi):
    """The batches of one Anthropic workspace."""

    path, after = "/v1/messages/batches", "after_id"
    headers: ClassVar[Mapping[str, str]] = {"anthropic-version": VERSION}

    async def submit(self, job: str, requests: Requests) -> str:
        """Send requests; see ``BatchApi``."""
        items = [{"custom_id": item, "params": dict(body)} for item, body in requests.items()]
        version = {"anthropic-version": version_for(requests.values())}
        return (await self._ask(self.path, json.dumps({"requests": items}).encode(), version))[0]

    async def look(self, handle: str) -> JobLook:
        """How far it is; see ``BatchApi``."""
        _, batch = await self._ask(f"{self.path}/{handle}")
        if batch.get("processing_status") == "ended":
            return JobLook(results=await self._results_of(batch))
        return JobLook(words=str(batch.get("processing_status")), done=_count(batch, *_ENDS))

    async def _results_of(self, batch: Mapping[str, object]) -> dict[str, ItemResult]:
        """What stands where the provider says that the results are, under its own address: no key goes elsewhere."""
        place = re.fullmatch(r"https?://[^/]+(/\S*)", str(batch.get("results_url")))
        usual = f"{self.path}/{batch.get('id')}/results"
        return await self._results(place[1].removeprefix(urlsplit(self._link.url).path) if place else usual)

    async def find(self, job: str, items: Sequence[str], since: float, known: Sequence[str]) -> str | None:
        """Look for it by its time and size, and by our names in its results; a batch has no place for our name."""
        unclear = False
        for batch in await self._newest(since - CLOCKS):
            handle, size = str(batch.get("id")), _count(batch, "processing", *_ENDS)
            if handle in known or size != len(items) or _made(batch) < since - CLOCKS:
                continue
            if batch.get("processing_status") != "ended":
                unclear = True
            elif items[0] in await self._results_of(batch):
                return handle
        return "" if unclear else None
