"""Reports as one file that needs no server: a memo of one page, the report to print, PDF, and a replay in HTML.

The report to print is that of ``report.report`` as a static page behind the memo as its cover. The replay is the web
app's debate page with the frames inside, so that it can be viewed entry by entry from a file.
"""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from math import ceil
from typing import BinaryIO, Protocol, cast

from folkmoot.app.export.recount import recount_entries, sentences
from folkmoot.app.export.reports import ReadRecord, write_report
from folkmoot.app.serve.decision_memo import decision_memo
from folkmoot.app.serve.frames import frames, html_page
from folkmoot.arguments.argument_map import ArgumentMap, Judgement, judge
from folkmoot.arguments.argument_map import argument_map as map_of
from folkmoot.arguments.tree import SIGNS, VERBS, acceptance_in_words, as_data, claim_trees
from folkmoot.core.errors import BriefError, FolkmootError
from folkmoot.core.event import Entry
from folkmoot.core.packages import missing_library
from folkmoot.core.text import clean_data
from folkmoot.record.store import read
from folkmoot.report.memo_page import Memo, memo_page
from folkmoot.report.memo_page import print_page as page_to_print
from folkmoot.report.templates import render_html
from folkmoot.tools.documents import ENVIRONMENT, limit


class Paper(Protocol):
    """What is used of WeasyPrint, which has no types."""

    def write_pdf(self) -> bytes:
        """The pages."""
        ...


_LEAD = re.compile(r"<p>(<strong>[^<]*</strong>)</p>")
"""A paragraph that is nothing but the name of what follows."""

REPLAY = "web/dist/report.html"
"""The app's page for files, beside this package's modules; it is built with the app."""


def memo(record: ReadRecord) -> str:
    """The decision on one page: no scripts, no external files."""
    return memo_page(memo_of(record))


def memo_of(record: ReadRecord) -> Memo:
    """What the memo of a record says."""
    debate = record.report.debate
    try:
        recounted = sentences(recount_entries(record.entries, debate))
    except FolkmootError:  # nobody voted, or not in a way that could be counted by another rule
        recounted = ()
    return decision_memo(record.entries, record.report, recounted)


def print_page(record: ReadRecord) -> str:
    """The whole report as one static page to print, the memo as its cover: no scripts, no external files."""
    report = record.report
    body = _LEAD.sub(
        r'<p class="lead">\1</p>',
        html_page(write_report(report), {"mermaid": outline(report.arguments, report.judged)}),
    )
    return page_to_print(memo_of(record), body)


def outline(argument_map: ArgumentMap, judged: Judgement) -> str:
    """The argument map in HTML without scripts or pictures, for pages in files and paper."""
    return render_html(
        "report/outline.html.jinja",
        branches=claim_trees(clean_data(argument_map)),
        judged=judged,
        signs=SIGNS,
        verbs=VERBS,
        acceptance=acceptance_in_words,
    )


def pdf(page: str) -> bytes:
    """A page of ours, such as the memo, as PDF.

    Raises:
        BriefError: the library that makes it, or one that it needs from the system, is not installed.
    """
    try:
        with warnings.catch_warnings():
            # Without that library fonts are cut down in another way, and the pages are the same.
            warnings.filterwarnings("ignore", "HarfBuzz-Subset", DeprecationWarning)
            from weasyprint import HTML  # pyright: ignore[reportMissingTypeStubs]
    except (ImportError, OSError) as error:
        raise _no_library() from error
    paper = cast("Paper", HTML(string=page, url_fetcher=_fetch_nothing))
    return paper.write_pdf()


def _no_library() -> BriefError:
    problem = f"{missing_library('A PDF', 'pdf')}, and Pango (Debian: apt install libpango-1.0-0)"
    return BriefError(f"{problem}; or print the HTML report from a browser", code="no_library")


_CHILD = (
    "import sys; from folkmoot.app.export import paper; "
    "sys.exit(paper.serve(sys.stdin.buffer, sys.stdout.buffer, int(sys.argv[1])))"
)

MEMORY = 2 * 1024 * 1024 * 1024
"""Bytes of address space that making a PDF may take."""

NO_LIBRARY = 3
"""How the other process ends where there is nothing to make a PDF with."""


WALL = 10
"""How many times the processor time a PDF may take by the clock: on a busy machine a process waits for its turn."""


async def print_pdf(page: bytes, seconds: float, wall: float = 0) -> bytes:
    """Make the PDF of a page in another process, so that no debate has to wait.

    Args:
        page: the page, in UTF-8.
        seconds: the most processor time, in whole seconds from 1 on, where the system can count it. Then the process is
            ended, as it is where nobody waits for it any more.
        wall: the most time by the clock; 0 for ``WALL`` times as much as processor time.

    Raises:
        TimeoutError: it takes longer.
        BriefError: it cannot be made here, or not of this page.
    """
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-c", _CHILD, str(ceil(seconds))),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={name: os.environ[name] for name in ENVIRONMENT if name in os.environ},
    )
    try:
        async with asyncio.timeout(wall or WALL * seconds):
            printed, _ = await child.communicate(page)
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    if child.returncode == -getattr(signal, "SIGXCPU", 0) != 0:
        raise TimeoutError
    if child.returncode == NO_LIBRARY:
        raise _no_library()
    if child.returncode or not printed:
        raise BriefError("the PDF cannot be made; print the HTML report from a browser", code="no_pdf")
    return printed


def serve(source: BinaryIO, sink: BinaryIO, seconds: int) -> int:
    """Make the PDF of a page, in the other process with a low priority and that much processor time; its exit code."""
    limit(MEMORY)
    _limit_time(seconds)
    if hasattr(os, "nice"):
        os.nice(10)
    try:
        sink.write(pdf(source.read().decode("utf-8")))
    except BriefError:
        return NO_LIBRARY
    return 0


def _limit_time(seconds: int) -> None:
    """Have SIGXCPU end this process after that much processor time, where the system supports it."""
    with suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        most = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (seconds if most < 0 else min(seconds, most), most))


def _fetch_nothing(url: str, *_: object, **__: object) -> dict[str, object]:
    raise ValueError(f"a report must not load {url}")


def replay(debate: str, entries: Sequence[Entry], extra: Mapping[str, object] | None = None) -> str:
    """A debate as one self-contained page.

    Args:
        debate: its id.
        entries: its record.
        extra: what else stands on the page, beside frames and map.

    Raises:
        BriefError: the app was not built with this installation.
    """
    arguments = map_of(entries)
    data = {
        "debate": debate,
        "frames": frames(entries),
        "map": as_data(arguments, judge(arguments)),
        **(extra or {}),
    }
    try:
        page = files("folkmoot").joinpath(REPLAY).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        found_ = "the web app was not built with this installation; build it with: make app"
        raise BriefError(found_, code="no_app") from error
    # Nothing that a model writes may end the element, or begin a comment in it.
    inlined = json.dumps(clean_data(data), ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    return page.replace(SLOT, SLOT.replace("></", f">{inlined}</"), 1)


SLOT = '<script type="application/json" id="frames"></script>'
"""Where the data go on the app's page."""


EXAMPLE = "demo/example.jsonl"
"""The record of a debate of a real model. Its first line is no entry: it says how the debate was made."""


def stored_example() -> tuple[str, tuple[Entry, ...], str]:
    """The id of the example, its entries, and how it was made."""
    about, *lines = files("folkmoot").joinpath(EXAMPLE).read_text("utf-8").splitlines()
    made = json.loads(about)
    return made["debate"], read(lines), made["note"]
