"""What a provider's batch interface does: take many requests, say how far it is, give the results, cancel.

Nothing here waits. ``OpenAIBatches`` and ``AnthropicBatches`` implement the port; what they share is ``BatchHttp``.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias, cast

from folkmoot.core.errors import ModelError
from folkmoot.models import provider_errors
from folkmoot.models.http_port import Unreached
from folkmoot.models.names import ModelName
from folkmoot.models.transport import ProviderConnection, read_object

HALF = 0.5
"""The share of the usual price that both providers ask in a batch, as of November 2026."""

ItemStatus: TypeAlias = Literal["answered", "expired", "cancelled", "failed"]


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


PAGE = 100
PAGES = 5
"""How many pages of batches are looked through for one; each is 100 long, the newest first."""

MadeAt: TypeAlias = Callable[[Mapping[str, object]], float]
"""When a batch was made, in seconds since 1970."""

Found: TypeAlias = str | Literal[False] | None
"""What the provider calls a batch; None where it does not have it; False where that cannot be known yet."""


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


@dataclass(slots=True)
class BatchHttp:
    """Requests to a batch interface and their errors.

    Attributes:
        name: a model of the provider, which errors name.
        connection: the way to it.
        headers: what goes along with each request.
    """

    name: ModelName
    connection: ProviderConnection
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    async def get(self, path: str) -> dict[str, object]:
        """A JSON object.

        Raises:
            ModelError: there is none.
        """
        return read_object(await self.fetch(path))

    async def post(
        self, path: str, body: Mapping[str, object], headers: Mapping[str, str] | None = None
    ) -> dict[str, object]:
        """What comes back for a JSON object; see ``get``."""
        return read_object(await self.fetch(path, json.dumps(dict(body)).encode(), headers))

    async def fetch(self, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> bytes:
        """The body of an answer; see ``get``."""
        name, key = self.name, self.connection.key
        try:
            answer = await self.connection.fetch(path, body, {**self.headers, **(headers or {})})
        except Unreached as error:
            raise provider_errors.unreached_error(name, self.connection.url, str(error), key) from error
        if 200 <= answer.status < 300:
            return answer.body
        raise provider_errors.answer_error(name, answer.status, answer.body, headers=answer.headers, key=key)

    async def batches(self, path: str, after: str, since: float, made_at: MadeAt) -> list[dict[str, object]]:
        """The newest batches of the provider, the newest first: at least all that were made since then.

        Args:
            path: where they are listed.
            after: the parameter with the batch behind which a page begins.
            since: seconds since 1970.
            made_at: when a batch was made.
        """
        batches: list[dict[str, object]] = []
        more = ""
        for _ in range(PAGES):
            page = await self.get(f"{path}?limit={PAGE}{more}")
            batches += (newer := listed(page))
            if not page.get("has_more") or not newer or made_at(newer[-1]) < since:
                break
            more = f"&{after}={text_of(newer[-1], 'id')}"
        return batches

    def odd(self, raw: str = "") -> ModelError:
        """The error for an answer of another shape."""
        return provider_errors.malformed_error(self.name, raw or provider_errors.ODD_SHAPE, self.connection.key)


def read_lines(raw: bytes) -> list[dict[str, object]]:
    """The objects of lines of JSON; what is none is left out."""
    return [line for text in raw.splitlines() if text.strip() and (line := read_object(text))]


def inner(data: Mapping[str, object], key: str) -> dict[str, object]:
    """The object under a key; an empty one where there is none."""
    value = data.get(key)
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def listed(data: Mapping[str, object], key: str = "data") -> list[dict[str, object]]:
    """The objects of a list under a key."""
    value = data.get(key)
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, object]", item) for item in items if isinstance(item, dict)]


def text_of(data: Mapping[str, object], key: str) -> str:
    """The text under a key; "" where there is none."""
    value = data.get(key)
    return value if isinstance(value, str) else ""


def number_of(data: Mapping[str, object], key: str) -> int:
    """The whole number under a key; 0 where there is none."""
    value = data.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def to_json(value: object) -> bytes:
    """A value as JSON, half characters escaped."""
    return json.dumps(value).encode()
