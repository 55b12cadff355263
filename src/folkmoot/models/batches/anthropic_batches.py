"""Anthropic's message batches: requests go up as one object, results come down as lines when all are done with.

A batch there has no place for our name. One whose name never came back is looked for by its time and its number of
requests, and is ours if its results have our names for them.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from urllib.parse import urlsplit

from folkmoot.models.batches.batch_api import (
    BatchHttp,
    Found,
    ItemResult,
    ItemStatus,
    JobLook,
    inner,
    number_of,
    read_lines,
    text_of,
    to_json,
)
from folkmoot.models.names import ModelName
from folkmoot.models.transport import ProviderConnection
from folkmoot.models.wires.anthropic_messages import VERSION, version_for

PATH = "/v1/messages/batches"
CLOCKS = 120.0
"""Seconds by which the provider's clock and ours may differ."""

_COUNTS = ("processing", "succeeded", "errored", "canceled", "expired")
_UNRUN: Mapping[str, ItemStatus] = {"expired": "expired", "canceled": "cancelled"}


class AnthropicBatches:
    """The batches of one Anthropic workspace.

    Args:
        name: a model, which errors name.
        connection: the way to the provider.
    """

    def __init__(self, name: ModelName, connection: ProviderConnection) -> None:
        self._http = BatchHttp(name, connection, {"anthropic-version": VERSION})

    async def submit(self, job: str, requests: Mapping[str, Mapping[str, object]]) -> str:
        """Send requests; see ``BatchApi``."""
        items = [{"custom_id": item, "params": dict(body)} for item, body in requests.items()]
        version = {"anthropic-version": version_for(requests.values())}
        handle = text_of(await self._http.post(PATH, {"requests": items}, version), "id")
        if not handle:
            raise self._http.odd()
        return handle

    async def look(self, handle: str) -> JobLook:
        """How far it is; see ``BatchApi``."""
        data = await self._http.get(f"{PATH}/{handle}")
        status = text_of(data, "processing_status")
        if not status:
            raise self._http.odd()
        counts = inner(data, "request_counts")
        done = sum(number_of(counts, count) for count in _COUNTS[1:])
        return JobLook(ended=status == "ended", words=status, done=done, parts=self._place(data))

    def _place(self, batch: Mapping[str, object]) -> tuple[str, ...]:
        """Where the provider says that the results are, as a path under its address, so that no key goes elsewhere."""
        url, base = urlsplit(text_of(batch, "results_url")), urlsplit(self._http.connection.url).path
        path = url.path.removeprefix(base) if url.path.startswith(f"{base}/") else url.path
        return (f"{path}?{url.query}" if url.query else path,) if path.startswith("/") else ()

    async def results(self, handle: str, look: JobLook) -> dict[str, ItemResult]:
        """What has become of the requests; see ``BatchApi``."""
        lines = read_lines(await self._http.fetch(look.parts[0] if look.parts else f"{PATH}/{handle}/results"))
        return {text_of(line, "custom_id"): _result(inner(line, "result")) for line in lines}

    async def cancel(self, handle: str) -> None:
        """Cancel it; see ``BatchApi``."""
        await self._http.post(f"{PATH}/{handle}/cancel", {})

    async def find(self, job: str, items: Sequence[str], since: float, known: Sequence[str]) -> Found:
        """Look for it by its time and its size; see ``BatchApi``."""
        unclear = False
        for batch in await self._http.batches(PATH, "after_id", since - CLOCKS, _time):
            handle, counts = text_of(batch, "id"), inner(batch, "request_counts")
            size = sum(number_of(counts, count) for count in _COUNTS)
            if handle in known or size != len(items) or _time(batch) < since - CLOCKS:
                continue
            if text_of(batch, "processing_status") != "ended":
                unclear = True
            elif items[0] in await self.results(handle, JobLook(ended=True, parts=self._place(batch))):
                return handle
        return False if unclear else None


def _time(batch: Mapping[str, object]) -> float:
    """When a batch was made, in seconds since 1970; 0 where it does not say."""
    try:
        return datetime.fromisoformat(text_of(batch, "created_at")).timestamp()
    except ValueError:
        return 0.0


def _result(result: Mapping[str, object]) -> ItemResult:
    """What one line of results says."""
    kind = text_of(result, "type")
    if kind == "succeeded":
        return ItemResult(status="answered", body=to_json(inner(result, "message")))
    if kind in _UNRUN:
        return ItemResult(status=_UNRUN[kind])
    return ItemResult(status="failed", body=to_json(result))
