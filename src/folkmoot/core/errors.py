"""Exceptions: the one tree of all errors that Folkmoot raises. The type says who has to act.

FolkmootError                  anything that Folkmoot raises on purpose
├── BriefError             the user's text or settings: correct the brief
├── ProtocolError          the phase tree: correct the protocol
│   └── PackageMissing     a package that the debate uses: install it
├── RecordError            the record: missing, damaged or not readable
│   ├── RecordAway         its database cannot be reached now: try again
│   ├── RecordMismatch     the play and the record disagree about what happened
│   ├── Unstorable         an event that cannot be stored as a line: nothing of it was written
│   └── RecordConflict     another writer has appended: this one must stop
├── ModelError             a model call ended without an answer
│   ├── Unavailable        the provider: try again later, or use another model
│   ├── Refused            the request: this provider will not answer it
│   └── Unreadable         the answer: empty, cut off or garbled
├── ToolError              a tool: the participant is told, and continues without its result
├── LimitReached           the budget: raise the limit and resume
│   ├── Unpriced           a price: a limit on cost cannot be checked without it
│   └── Stopped            somebody: the debate pauses at their wish
└── Waiting                a person: answer the open question and resume
    └── BatchPending       a provider's batch: wait for it and resume
"""

FREE_ERRORS = frozenset(
    {"rate", "quota", "key", "denied", "not_found", "address", "request", "too_long", "server"}
    | {"expired", "cancelled", "overloaded"}
)
"""Kinds of model errors after which a provider charges nothing; all others keep what was reserved."""


PASSING_ERRORS = frozenset(
    {"timeout", "connection", "rate", "server", "garbled", "open", "expired", "cancelled", "overloaded"}
)
"""Kinds of model errors that may pass by themselves; each other one needs somebody who sets a key, pays, or changes the
model."""


class FolkmootError(Exception):
    """Anything that Folkmoot raises on purpose; its text is one sentence for the user.

    Attributes:
        debate: the id of the debate that is paused or has failed, where a program runs it; else "".
    """

    debate = ""


class BriefError(FolkmootError):
    """A brief or a setting that cannot be used.

    Args:
        problem: what is wrong and what is allowed, without the place.
        where: the file name as the user gave it, or "" if there is none.
        line: the line in that file, counted from 1; 0 if it is unknown.
        code: a stable machine-readable name of the mistake, such as ``unknown_key``.
        about: the setting that is at fault, by the name of its key; "" for any other.
    """

    def __init__(
        self, problem: str, *, where: str = "", line: int = 0, code: str = "malformed", about: str = ""
    ) -> None:
        prefix = f"{where}:{line}: " if where and line else f"{where}: " if where else f"line {line}: " if line else ""
        super().__init__(prefix + problem)
        self.found, self.where, self.line, self.code, self.about = problem, where, line, code, about


class ProtocolError(FolkmootError):
    """A phase tree that cannot be run.

    Args:
        problem: what is wrong and what is allowed.
        about: the setting that is at fault: ``protocol``, ``rounds``, ``strategy``, ``participants``; "" for any other.
    """

    def __init__(self, problem: str, *, about: str = "") -> None:
        super().__init__(problem)
        self.about = about


class PackageMissing(ProtocolError):
    """A package that a debate uses and that is not installed, or not in the version that it needs."""


class RecordError(FolkmootError):
    """A record that is missing, damaged or not readable."""


class RecordAway(RecordError):
    """A record whose database cannot be reached now; it may come back by itself."""


class RecordMismatch(RecordError):
    """The play produces another event than the record has at this place."""


class Unstorable(RecordError):
    """An event that could not be read back from its line; nothing of it was written."""


class RecordConflict(RecordError):
    """An append at a wrong seq: another writer runs this debate."""


class ModelError(FolkmootError):
    """A model call that ended without a usable answer.

    Args:
        reason: one sentence, safe to show and to store (no keys, no headers).
        kind: the stable name of the failure: ``timeout``, ``connection``, ``rate``, ``quota``, ``server``,
            ``key``, ``denied`` (no access from here, or for this account), ``not_found``, ``address`` (the server
            there is no such provider), ``open`` (the circuit breaker is open), ``request``, ``too_long``, ``refused``, ``empty``, ``truncated``, ``garbled``;
            in a provider's batch ``expired``, ``cancelled``, ``overloaded``.
        retry_after: the seconds that the provider asked to wait, if it did.
        again: whether the same request may succeed a little later.
    """

    def __init__(self, reason: str, *, kind: str = "", retry_after: float | None = None, again: bool = False) -> None:
        super().__init__(reason)
        self.kind, self.retry_after, self.again = kind, retry_after, again


class Unavailable(ModelError):
    """The provider did not answer: no connection, a timeout, no permission, no quota."""


class Refused(ModelError):
    """The provider declined to answer this request."""


class Unreadable(ModelError):
    """An answer arrived, but it is not usable."""


class ToolError(FolkmootError):
    """A tool that gave no result; its text is one sentence for the model that asked for it."""


class LimitReached(FolkmootError):
    """A limit of the brief does not allow the next call.

    Args:
        reason: one sentence.
        limit: the field of ``core.brief.Limits`` that has to be raised; "" where raising one would not help.
        most: its value.
    """

    def __init__(self, reason: str, *, limit: str = "", most: float | None = None) -> None:
        super().__init__(reason)
        self.limit, self.most = limit, most


class Unpriced(LimitReached):
    """The price of a model is unknown, so no limit on cost could hold."""


class Stopped(LimitReached):
    """The debate is to pause, so no further call begins."""


class Waiting(FolkmootError):
    """A person has to answer before the debate can continue."""


class BatchPending(Waiting):
    """A provider's batch has to end before the debate can continue."""
