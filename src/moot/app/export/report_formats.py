"""The formats in which a debate is reported: one list for the command line, the HTTP API and other packages.

Nothing heavy is imported before a report is made, so that the command line can list the names.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from moot.core.errors import BriefError, MootError, ProtocolError
from moot.core.extensions import REPORT, Offer, find, offered
from moot.core.text import unknown_word

if TYPE_CHECKING:
    from moot.app.export.reports import ReadRecord
    from moot.report.report import Report

MARKDOWN, JSON, HTML = "text/markdown; charset=utf-8", "application/json", "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFormat:
    """A format of reports.

    Attributes:
        make: from a record that was read, with its report, to a text or to bytes.
        media: its media type, for the HTTP API.
        help: what it is, in a few words.
        binary: whether it gives bytes, which no terminal can show.
    """

    make: "Callable[[ReadRecord], str | bytes]"
    media: str = "text/plain; charset=utf-8"
    help: str = ""
    binary: bool = False


def _markdown(read_record: "ReadRecord") -> str:
    from moot.app.export.reports import write_report

    return write_report(read_record.report)


def _json(read_record: "ReadRecord") -> str:
    from moot.app.export.reports import write_data

    return write_data(read_record.report)


def _replay(read_record: "ReadRecord") -> str:
    from moot.app.export.paper import replay

    return replay(read_record.report.debate, read_record.entries)


def _memo(read_record: "ReadRecord") -> str:
    from moot.app.export.paper import memo

    return memo(read_record.report)


def _pdf(read_record: "ReadRecord") -> bytes:
    from moot.app.export.paper import pdf

    return pdf(read_record.report)


def _svg(read_record: "ReadRecord") -> str:
    from moot.app.export.reports import write_log

    return write_log(read_record, "visual_tree")[".tree.svg"]


def _mermaid(read_record: "ReadRecord") -> str:
    from moot.app.export.reports import mermaid_of

    return mermaid_of(read_record.report)


FORMATS: Mapping[str, ReportFormat] = {
    "md": ReportFormat(make=_markdown, media=MARKDOWN, help="Markdown"),
    "json": ReportFormat(make=_json, media=JSON, help="data"),
    "html": ReportFormat(make=_replay, media=HTML, help="one page that replays the debate"),
    "memo": ReportFormat(make=_memo, media=HTML, help="a page to print"),
    "pdf": ReportFormat(make=_pdf, media="application/pdf", help="the same as a PDF", binary=True),
    "svg": ReportFormat(make=_svg, media="image/svg+xml", help="the argument map as a picture"),
    "mmd": ReportFormat(make=_mermaid, help="the argument map as Mermaid text"),
}
"""The formats that are built in, by name: the one list of their names."""


def report_format(name: str) -> ReportFormat:
    """The format of that name, built in or of another package.

    Raises:
        BriefError: there is none, several packages offer it, or it cannot be loaded.
    """
    if name in FORMATS:
        return FORMATS[name]
    try:
        offer = find(REPORT, name)
        if offer is None:
            names = (*FORMATS, *offered(REPORT))
            raise BriefError(f"there is no format {name[:60]!r}; {unknown_word(name, names)}", code="bad_enum")
        return foreign_format(offer)
    except ProtocolError as error:
        raise BriefError(str(error), code="bad_enum") from error


def foreign_format(offer: Offer) -> ReportFormat:
    """The format that another package offers; what its code raises names the package.

    Raises:
        ProtocolError: it cannot be loaded, or is no format.
    """
    thing = offer.load(object)
    if isinstance(thing, ReportFormat):
        form = thing
    elif callable(thing):
        write = cast("Callable[[Report], str]", thing)
        form = ReportFormat(make=lambda read_record: write(read_record.report))
    else:
        raise offer.broken(f"it is not {REPORT.offers}")

    def make(read_record: "ReadRecord") -> str | bytes:
        try:
            content = cast(object, form.make(read_record))
        except MootError:
            raise
        except Exception as error:  # house: broad because foreign code raises what it likes
            raise BriefError(str(offer.broken(f"{type(error).__name__}: {error}")), code="bad_enum") from error
        if not isinstance(content, bytes if form.binary else str):
            why = f"it gives {type(content).__name__}, not {'bytes' if form.binary else 'str'}"
            raise BriefError(str(offer.broken(why)), code="bad_enum")
        return content

    return ReportFormat(make=make, media=form.media, help=form.help, binary=form.binary)
