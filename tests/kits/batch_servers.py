"""Servers of batches as OpenAI and Anthropic document them, on one loopback port: files, batches, results, errors.

A batch does nothing by itself: ``finish`` ends those that are under way, as a test wants each request to fare.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from folkmoot.testing.small_web import Answer, Visit, as_json

Fate = Literal["answered", "expired", "cancelled", "refused", "overloaded"]
Words = Callable[[Mapping[str, Any]], str]

BUILD = "ANSWER: build\nCONFIDENCE: 0.7\nARGUMENT: It is ours."
PLACE = "out"
"""Where Anthropic's results are: its documents say to ask for that, and never to guess it."""

ENDED = {"completed", "expired", "cancelled", "failed", "ended"}


@dataclass
class SentBatch:
    """One batch: its requests by their custom ids, and what has become of them."""

    id: str
    wire: Literal["openai", "anthropic"]
    requests: dict[str, dict[str, Any]]
    metadata: dict[str, Any]
    created: float
    status: str = "in_progress"
    errors: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    fates: dict[str, Fate] = field(default_factory=dict[str, Fate])


@dataclass
class BatchServers:
    """Both providers.

    Attributes:
        words: what a model says to the body of a request.
        auto: whether a batch has ended when it is first looked at.
        fate: what becomes of a request when its batch ends, by the batch and the request's custom id.
        fate_of_cancelled: the same where it was cancelled: some may have been answered before.
        batches: all batches that were made, in order.
        live: the bodies of requests that were not in a batch.
        clock: when batches are made, in seconds since 1970.
        lose: how many answers to the making of a batch are lost on the way: the batch is made.
        refuse: the status with which the making of a batch is refused; 0 for none.
    """

    words: Words = lambda body: BUILD
    auto: bool = False
    fate: Callable[[SentBatch, str], Fate] = lambda batch, item: "answered"
    fate_of_cancelled: Callable[[SentBatch, str], Fate] = lambda batch, item: "cancelled"
    batches: list[SentBatch] = field(default_factory=list[SentBatch])
    live: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    clock: Callable[[], float] = lambda: datetime.now(UTC).timestamp()
    lose: int = 0
    refuse: int = 0
    unready: str = ""
    keys: set[str] = field(default_factory=set[str])
    _files: dict[str, bytes] = field(default_factory=dict[str, bytes])

    @property
    def items(self) -> list[str]:
        """The custom ids of all requests of all batches."""
        return [item for batch in self.batches for item in batch.requests]

    def finish(self, status: str = "") -> None:
        """End the batches that are under way."""
        for batch in self.batches:
            if batch.status not in ENDED:
                stopped = batch.status in ("cancelling", "canceling")
                of_openai = "cancelled" if stopped else status or "completed"
                batch.status = "ended" if batch.wire == "anthropic" else of_openai
                fate = self.fate_of_cancelled if stopped else self.fate
                batch.fates = {item: fate(batch, item) for item in batch.requests}

    def script(self, visit: Visit) -> Answer:
        """Answer a visit."""
        self.keys.add(visit.headers.get("authorization", ""))
        path, body = visit.path, visit.body
        if path in ("/v1/chat/completions", "/v1/messages"):
            self.live.append(json.loads(body))
            return as_json(self._message("openai" if "chat" in path else "anthropic", self.live[-1]))
        if path == "/v1/files":
            return self._upload(visit)
        if match := re.fullmatch(r"/v1/files/(\w+)/content", path):
            return Answer(body=self._files[match[1]], kind="application/octet-stream")
        wire = "openai" if path.startswith("/v1/batches") else "anthropic"
        rest = path.removeprefix("/v1/batches" if wire == "openai" else "/v1/messages/batches").strip("/").split("/")
        if rest == [""]:
            host = visit.headers["host"]
            return self._make(wire, json.loads(body), host) if visit.method == "POST" else self._list(wire, host)
        batch = next((batch for batch in self.batches if batch.id == rest[0]), None)
        if batch is None:
            return refused(404, "not_found_error", "no such batch")
        if rest[1:] == ["cancel"]:
            batch.status = "cancelling" if wire == "openai" else "canceling"
        elif rest[1:] == [PLACE]:
            lines = [self._line(batch, item) for item in reversed(batch.requests)]
            return Answer(body="".join(json.dumps(line) + "\n" for line in lines).encode(), kind="application/x-jsonl")
        elif rest[1:]:
            return refused(404, "not_found_error", "no such place")
        elif self.auto:
            self.finish()
        return as_json(self._seen(batch, visit.headers["host"]))

    def _upload(self, visit: Visit) -> Answer:
        boundary = visit.headers["content-type"].partition("boundary=")[2]
        parts = visit.body.split(f"--{boundary}".encode())
        assert b'name="purpose"\r\n\r\nbatch\r\n' in parts[1]
        name = f"file{len(self._files)}"
        self._files[name] = parts[2].partition(b"\r\n\r\n")[2].rstrip(b"\r\n")
        return as_json({"id": name, "object": "file", "purpose": "batch"})

    def _make(self, wire: Literal["openai", "anthropic"], data: dict[str, Any], host: str) -> Answer:
        if self.refuse:
            return refused(self.refuse, "rate_limit_error", "slow down")
        if wire == "openai":
            assert data["completion_window"] == "24h"
            assert data["endpoint"] == "/v1/chat/completions"
            lines = [json.loads(line) for line in self._files[data["input_file_id"]].splitlines()]
            requests = {line["custom_id"]: line["body"] for line in lines}
            assert all(line["method"] == "POST" and line["url"] == data["endpoint"] for line in lines)
            assert len({body["model"] for body in requests.values()}) == 1
        else:
            requests = {request["custom_id"]: request["params"] for request in data["requests"]}
            assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", item) for item in requests)
        assert not any("stream" in body for body in requests.values())
        batch = SentBatch(
            id=f"{'batch' if wire == 'openai' else 'msgbatch'}_{len(self.batches)}",
            wire=wire,
            requests=requests,
            metadata=data.get("metadata", {}),
            created=self.clock(),
        )
        self.batches.append(batch)
        if self.lose:
            self.lose -= 1
            return Answer(kind="application/json", headers={"content-length": "9"})
        return as_json(self._seen(batch, host))

    def _list(self, wire: str, host: str) -> Answer:
        newest = [self._seen(batch, host) for batch in reversed(self.batches) if batch.wire == wire]
        return as_json({"object": "list", "data": newest, "has_more": False})

    def _seen(self, batch: SentBatch, host: str) -> dict[str, Any]:
        """A batch as its provider shows it."""
        fates = list(batch.fates.values())
        if batch.wire == "anthropic":
            counts = {
                "processing": len(batch.requests) - len(fates),
                "succeeded": fates.count("answered"),
                "errored": fates.count("refused") + fates.count("overloaded"),
                "canceled": fates.count("cancelled"),
                "expired": fates.count("expired"),
            }
            at = datetime.fromtimestamp(batch.created, UTC).isoformat().replace("+00:00", "Z")
            return {
                "id": batch.id,
                "type": "message_batch",
                "processing_status": batch.status,
                "request_counts": counts,
                "created_at": at,
                "results_url": f"http://{host}/v1/messages/batches/{batch.id}/{PLACE}" if fates else None,
            }
        done = fates.count("answered")
        shown: dict[str, Any] = {
            "id": batch.id,
            "object": "batch",
            "status": batch.status,
            "created_at": int(batch.created),
            "metadata": batch.metadata,
            "request_counts": {"total": len(batch.requests), "completed": done, "failed": len(fates) - done},
            "errors": {"object": "list", "data": batch.errors} if batch.errors else None,
        }
        for key, good in (("output_file_id", True), ("error_file_id", False)):
            lines = [
                json.dumps(self._line(batch, item))
                for item, fate in reversed(batch.fates.items())
                if (fate == "answered") == good
            ]
            if lines:
                shown[key] = f"{batch.id}_{'out' if good else 'err'}"
                self._files[shown[key]] = "\n".join(lines).encode()
        return shown

    def _line(self, batch: SentBatch, item: str) -> dict[str, Any]:
        """The line of results of one request."""
        fate, body = batch.fates[item], batch.requests[item]
        code, kind = (400, "invalid_request_error") if fate == "refused" else (529, "overloaded_error")
        error = {"type": kind, "message": f"{fate}: bad luck"}
        if batch.wire == "anthropic":
            result: dict[str, Any] = {"type": "canceled" if fate == "cancelled" else fate}
            if fate == "answered":
                result = {"type": "succeeded", "message": self._message("anthropic", body)}
            elif fate in ("refused", "overloaded"):
                result = {"type": "errored", "error": {"type": "error", "error": error}}
            return {"custom_id": item, "result": result}
        if fate in ("expired", "cancelled"):
            unrun = {"code": f"batch_{fate}", "message": "This request was not executed."}
            return {"id": f"r_{item}", "custom_id": item, "response": None, "error": unrun}
        answer = self._message("openai", body) if fate == "answered" else {"error": error}
        status = 200 if fate == "answered" else code
        return {
            "id": f"r_{item}",
            "custom_id": item,
            "response": {"status_code": status, "body": answer},
            "error": None,
        }

    def _message(self, wire: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """What a model says, as a whole."""
        words = self.words(body)
        if wire == "anthropic":
            return {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": body["model"],
                "content": [{"type": "text", "text": words}],
                "stop_reason": "end_turn",
                "usage": {"input_tokens": 1000, "output_tokens": 1000},
            }
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "model": body["model"],
            "choices": [{"index": 0, "message": {"role": "assistant", "content": words}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 1000, "total_tokens": 2000},
        }


def refused(status: int, kind: str, words: str) -> Answer:
    """An error as both providers write it."""
    body = json.dumps({"error": {"type": kind, "message": words}}).encode()
    return Answer(status=status, body=body, kind="application/json")
