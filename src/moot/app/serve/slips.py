"""A slip of ours, for a log. This file owns what is told of an error nobody foresaw: where it came from, no values."""

from collections.abc import Iterator
from types import FrameType
from typing import cast

MOST_PLACES = 8
"""Of so many places a slip is told, the innermost ones."""


def told(error: BaseException) -> str:
    """The kind of an error and the places that it went through, the innermost first: module and line, nothing said.

    It is the error that others came from: the cause, and of a group the first.
    """
    while inner := _inner(error):
        error = inner
    places = [_place(frame, line) for frame, line in _walk(error)][-MOST_PLACES:]
    return " < ".join([type(error).__name__, *reversed(places)])


def _inner(error: BaseException) -> BaseException | None:
    if isinstance(error, BaseExceptionGroup):
        return cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error.__cause__


def _walk(error: BaseException) -> Iterator[tuple[FrameType, int]]:
    trace = error.__traceback__
    while trace:
        yield trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next


def _place(frame: FrameType, line: int) -> str:
    return f"{frame.f_globals.get('__name__', '?')}:{line}"
