"""Errors of the model endpoint in OpenAI's shape: status, type, code, and whether to try again."""

from collections.abc import Mapping

from folkmoot.app.run.dispatcher import QueueError
from folkmoot.app.run.runner import RunnerFull
from folkmoot.core.errors import (
    BriefError,
    FolkmootError,
    LimitReached,
    ModelError,
    ProtocolError,
    RecordAway,
    RecordConflict,
    Unpriced,
)

INVALID = "invalid_request_error"

_TYPES: Mapping[int, str] = {429: "rate_limit_exceeded", 500: "server_error", 503: "server_error"}

_WORDS: Mapping[int, str] = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}


class EndpointError(Exception):
    """A request that is refused.

    Args:
        status: the HTTP status.
        message: one sentence for people.
        code: the stable name of the error; "" for the usual one of the status.
        param: the part of the request that is wrong; "" for none.
        retry: whether the same request may be sent again; None where the client decides by the status.
        wait: seconds after which it may be; 0 where nobody knows.
    """

    def __init__(
        self, status: int, message: str, code: str = "", *, param: str = "", retry: bool | None = None, wait: int = 0
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.param = status, message, param
        self.code = code or _WORDS.get(status, "invalid_value")
        self.retry = False if retry is None and status in (400, 409, 413) else retry
        self.wait = wait

    @property
    def body(self) -> dict[str, object]:
        """The body of the answer."""
        kind = self.code if self.code == "insufficient_quota" else _TYPES.get(self.status, INVALID)
        return {"error": {"message": self.message, "type": kind, "param": self.param or None, "code": self.code}}

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the answer."""
        again = {} if self.retry is None else {"x-should-retry": "true" if self.retry else "false"}
        return {**again, **({"Retry-After": str(self.wait)} if self.wait else {})}


def endpoint_error(error: FolkmootError) -> EndpointError:
    """The error of the endpoint for an error of Folkmoot."""
    match error:
        case BriefError(code=code):
            return EndpointError(400, str(error), code)
        case ProtocolError():
            return EndpointError(400, str(error), "protocol")
        case RunnerFull():
            return EndpointError(429, str(error), retry=True, wait=30)
        case Unpriced():
            return EndpointError(400, str(error), "unpriced")
        case LimitReached():
            return EndpointError(429, str(error), "insufficient_quota", retry=False)
        case QueueError() | RecordAway():
            return EndpointError(503, str(error), "unavailable", retry=True, wait=5)
        case RecordConflict():
            return EndpointError(409, str(error), "conflict")
        case ModelError():
            return EndpointError(503, str(error), "unavailable", retry=False, wait=30)
        case _:
            return EndpointError(500, str(error), "internal", retry=False)
