"""OpenAI's batches: a file of requests goes up, a batch is made of it, files of answers and of errors come down.

The requests are those of chat completions, so a model is asked in a batch what it is asked live. Our name of a batch
goes along as metadata: so a batch is found again whose name never came back.
"""

import secrets
from collections.abc import Mapping, Sequence

from folkmoot.models.batches.batch_api import (
    BatchHttp,
    Found,
    ItemResult,
    ItemStatus,
    JobLook,
    inner,
    listed,
    number_of,
    read_lines,
    text_of,
    to_json,
)
from folkmoot.models.names import ModelName
from folkmoot.models.transport import ProviderConnection, read_object

ENDPOINT = "/v1/chat/completions"
MARK = "folkmoot_job"
"""The key of the metadata that holds our name of a batch."""

_UNRUN: Mapping[str, ItemStatus] = {"batch_expired": "expired", "batch_cancelled": "cancelled"}
_ENDED = frozenset({"completed", "expired", "cancelled", "failed"})
_TIMED_OUT = 408
_FULL = "token_limit_exceeded"
"""Too many tokens wait at the provider; they can be sent when some of them are done."""


class OpenAIBatches:
    """The batches of one OpenAI account.

    Args:
        name: a model, which errors name.
        connection: the way to the provider.
    """

    def __init__(self, name: ModelName, connection: ProviderConnection) -> None:
        self._http = BatchHttp(name, connection)

    async def submit(self, job: str, requests: Mapping[str, Mapping[str, object]]) -> str:
        """Send requests; see ``BatchApi``."""
        lines = [
            to_json({"custom_id": item, "method": "POST", "url": ENDPOINT, "body": dict(body)})
            for item, body in requests.items()
        ]
        body, boundary = _form(b"\n".join(lines) + b"\n", f"{job}.jsonl")
        kind = {"content-type": f"multipart/form-data; boundary={boundary}"}
        file = text_of(read_object(await self._http.fetch("/files", body, kind)), "id")
        if not file:
            raise self._http.odd()
        data = {"input_file_id": file, "endpoint": ENDPOINT, "completion_window": "24h", "metadata": {MARK: job}}
        handle = text_of(await self._http.post("/batches", data), "id")
        if not handle:
            raise self._http.odd()
        return handle

    async def look(self, handle: str) -> JobLook:
        """How far it is; see ``BatchApi``."""
        data = await self._http.get(f"/batches/{handle}")
        status = text_of(data, "status")
        if not status:
            raise self._http.odd()
        errors = listed(inner(data, "errors"))
        parts = tuple(file for key in ("output_file_id", "error_file_id") if (file := text_of(data, key)))
        counts = inner(data, "request_counts")
        reasons = "; ".join(text_of(error, "message") for error in errors[:3])
        return JobLook(
            ended=status in _ENDED,
            words=status,
            refused=reasons or status if status == "failed" else "",
            again=any(text_of(error, "code") == _FULL for error in errors),
            missing="cancelled" if status == "cancelled" else "expired",
            parts=parts,
            done=number_of(counts, "completed") + number_of(counts, "failed"),
        )

    async def results(self, handle: str, look: JobLook) -> dict[str, ItemResult]:
        """What has become of the requests; see ``BatchApi``."""
        results: dict[str, ItemResult] = {}
        for file in look.parts:
            for line in read_lines(await self._http.fetch(f"/files/{file}/content")):
                results[text_of(line, "custom_id")] = _result(line)
        return results

    async def cancel(self, handle: str) -> None:
        """Cancel it; see ``BatchApi``."""
        await self._http.post(f"/batches/{handle}/cancel", {})

    async def find(self, job: str, items: Sequence[str], since: float, known: Sequence[str]) -> Found:
        """Look for it by its metadata; see ``BatchApi``."""
        for batch in await self._http.batches("/batches", "after", since, lambda batch: number_of(batch, "created_at")):
            if text_of(inner(batch, "metadata"), MARK) == job:
                return text_of(batch, "id") or None
        return None


def _result(line: Mapping[str, object]) -> ItemResult:
    """What one line of a file of results says."""
    error, response = inner(line, "error"), inner(line, "response")
    if not response:
        code = text_of(error, "code")
        status: ItemStatus = _UNRUN.get(code, "failed")
        return ItemResult(status=status, body=to_json({"error": error}), code=_TIMED_OUT)
    code, body = number_of(response, "status_code"), to_json(inner(response, "body"))
    return ItemResult(status="answered" if 200 <= code < 300 else "failed", body=body, code=code)


def _form(lines: bytes, name: str) -> tuple[bytes, str]:
    """A form with a file for a batch, and what parts its fields."""
    boundary = secrets.token_hex(16)
    head = (
        f'--{boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
        f'--{boundary}\r\ncontent-disposition: form-data; name="file"; filename="{name}"\r\n'
        "content-type: application/jsonl\r\n\r\n"
    )
    return head.encode() + lines + f"\r\n--{boundary}--\r\n".encode(), boundary
