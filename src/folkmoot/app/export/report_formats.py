"""The formats in which a debate is reported: one list for the command line, the HTTP API and other packages.

Nothing heavy is imported before a report is made, so that the command line can list the names.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from folkmoot.core.ask import Value
from folkmoot.core.brief import LOGS, LogMode
from folkmoot.core.errors import BriefError, FolkmootError, ProtocolError
from folkmoot.core.event import Opened
from folkmoot.core.extensions import (
    NO_OPTIONS,
    REPORT,
    Offer,
    find,
    no_options,
    offered,
    options_for,
    with_options,
)
from folkmoot.core.text import unknown_word

if TYPE_CHECKING:
    from folkmoot.app.export.reports import ReadRecord

MARKDOWN = "text/markdown; charset=utf-8"
JSON = "application/json"
HTML = "text/html; charset=utf-8"
PDF = "application/pdf"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFormat:
    """A format of reports.

    Attributes:
        make: from a record that was read, with its report, to a text or to bytes; with ``takes_options`` from that and
            an object of its options.
        files: where it is a log: the text of each of its files, by the suffix of the file's name. The HTTP API gives
            no logs, because they hold what was asked in private.
        media: its media type, for the HTTP API.
        help: what it is, in a few words.
        binary: whether it gives bytes, which no terminal can show.
        page: of a PDF, the format of the page that it is made of.
        ending: how the name of its file ends; "" where that is the name of the format.
    """

    make: "Callable[[ReadRecord], str | bytes]"
    files: "Callable[[ReadRecord], Mapping[str, str]] | None" = None
    media: str = "text/plain; charset=utf-8"
    help: str = ""
    binary: bool = False
    page: str = ""
    ending: str = ""


def _markdown(read_record: "ReadRecord") -> str:
    from folkmoot.app.export.reports import write_report

    return write_report(read_record.report)


def _json(read_record: "ReadRecord") -> str:
    from folkmoot.app.export.reports import write_data

    return write_data(read_record.report)


def _replay(read_record: "ReadRecord") -> str:
    from folkmoot.app.export.paper import replay

    return replay(read_record.report.debate, read_record.entries)


def _memo(read_record: "ReadRecord") -> str:
    from folkmoot.app.export.paper import memo

    return memo(read_record)


def _memo_pdf(read_record: "ReadRecord") -> bytes:
    from folkmoot.app.export.paper import memo, pdf

    return pdf(memo(read_record))


def _memo_word(read_record: "ReadRecord") -> bytes:
    from folkmoot.app.export.word import memo_in_word

    return memo_in_word(read_record)


def _print(read_record: "ReadRecord") -> str:
    from folkmoot.app.export.paper import print_page

    return print_page(read_record)


def _pdf(read_record: "ReadRecord") -> bytes:
    from folkmoot.app.export.paper import pdf, print_page

    return pdf(print_page(read_record))


def _mermaid(read_record: "ReadRecord") -> str:
    from folkmoot.app.export.reports import mermaid_of

    return mermaid_of(read_record.report)


def _argdown(read_record: "ReadRecord") -> str:
    from folkmoot.arguments.argdown import argdown

    report = read_record.report
    return argdown(report.arguments, report.judged, report.topic)


def _log(mode: LogMode, help: str) -> ReportFormat:
    def files(read_record: "ReadRecord") -> Mapping[str, str]:
        from folkmoot.app.export.reports import write_log

        return write_log(read_record, mode)

    return ReportFormat(make=lambda read_record: next(iter(files(read_record).values())), files=files, help=help)


_LOG_HELP = (
    "the same as md",
    "the decision and the final statements",
    "data with the tokens and times of each phase",
    "Markdown with every question in full",
    "the argument map as a page and data",
)
"""What each of LOGS is, in a few words."""

FORMATS: Mapping[str, ReportFormat] = {
    "md": ReportFormat(make=_markdown, media=MARKDOWN, help="Markdown"),
    "json": ReportFormat(make=_json, media=JSON, help="data"),
    "html": ReportFormat(make=_replay, media=HTML, help="one page that replays the debate"),
    "memo": ReportFormat(make=_memo, media=HTML, help="the decision on one page, to print", ending="memo.html"),
    "memo_pdf": ReportFormat(
        make=_memo_pdf, media=PDF, help="the same as a PDF", binary=True, page="memo", ending="memo.pdf"
    ),
    "memo_docx": ReportFormat(make=_memo_word, media=WORD, help="the same for Word", binary=True, ending="docx"),
    "print": ReportFormat(
        make=_print, media=HTML, help="the whole report to print, with the memo as its cover", ending="html"
    ),
    "pdf": ReportFormat(make=_pdf, media=PDF, help="the same as a PDF", binary=True, page="print"),
    "mmd": ReportFormat(make=_mermaid, help="the argument map as Mermaid text"),
    "argdown": ReportFormat(make=_argdown, help="the argument map as Argdown"),
    **{mode: _log(mode, help) for mode, help in zip(LOGS, _LOG_HELP, strict=True)},
}
"""The formats that are built in, by name: the one list of their names."""

SERVED: Mapping[str, ReportFormat] = {name: form for name, form in FORMATS.items() if form.files is None}
"""Those that the HTTP API gives."""


def report_format(name: str, options: Mapping[str, Value] = NO_OPTIONS) -> ReportFormat:
    """The format of that name, built in or of another package.

    Args:
        name: its name.
        options: options that hold in the place of those that the brief of a debate sets under ``report_options``.

    Raises:
        BriefError: there is none, several packages offer it, it cannot be loaded, or it does not take the options.
    """
    key = f"{REPORT.options}.{name}"
    try:
        if name in FORMATS:
            no_options(options, whose=name, where=key)
            return FORMATS[name]
        offer = find(REPORT, name)
        if offer is None:
            names = (*FORMATS, *offered(REPORT))
            raise BriefError(f"there is no format {name[:60]!r}; {unknown_word(name, names)}", code="bad_enum")
        return foreign_format(offer, options)
    except ProtocolError as error:
        raise BriefError(str(error), code="bad_enum") from error


def read_report_options(name: str, pairs: Sequence[str], where: str = "") -> dict[str, Value]:
    """Options of a format as they are typed, such as ``people=no``.

    Args:
        name: of the format.
        pairs: the texts.
        where: what they are called in errors.

    Raises:
        BriefError: a text is no option with a value; the format is not asked whether it takes it.
    """
    from folkmoot.app.brief.reader import read_settings  # here for start-up time

    settings = read_settings(pairs, where=where, below=f"{REPORT.options}.{name}.")
    return options_for(REPORT, name, {key: item.value for key, item in settings.items()})


def foreign_format(offer: Offer, options: Mapping[str, Value] = NO_OPTIONS) -> ReportFormat:
    """The format that another package offers; what its code raises names the package.

    Raises:
        ProtocolError: it cannot be loaded, is no format, or does not take the options.
    """
    thing = offer.load(object)
    if not isinstance(thing, ReportFormat) and not callable(thing):
        raise offer.broken(f"it is not {REPORT.offers}")
    form = thing if isinstance(thing, ReportFormat) else ReportFormat(make=cast("Callable[[object], str]", thing))
    takes_record = isinstance(thing, ReportFormat)

    def make(read_record: "ReadRecord") -> str | bytes:
        try:
            values = {**_recorded_options(offer.name, read_record), **options}
            write = with_options(form.make, values, whose=offer.name, where=key)
            content = write(read_record if takes_record else read_record.report)
        except ProtocolError as error:
            raise BriefError(str(error), code="bad_enum") from error
        except FolkmootError:
            raise
        except Exception as error:  # foreign code raises what it likes
            raise BriefError(str(offer.broken(f"{type(error).__name__}: {error}")), code="bad_enum") from error
        if not isinstance(content, bytes if form.binary else str):
            fault = f"it gives {type(content).__name__}, not {'bytes' if form.binary else 'str'}"
            raise BriefError(str(offer.broken(fault)), code="bad_enum")
        return content

    key = f"{REPORT.options}.{offer.name}"
    with_options(form.make, options, whose=offer.name, where=key)  # to refuse them before anything is read
    return ReportFormat(make=make, media=form.media, help=form.help, binary=form.binary)


def _recorded_options(name: str, read_record: "ReadRecord") -> Mapping[str, Value]:
    """The options of a format that the brief of a debate sets."""
    opened = next((entry.event for entry in read_record.entries if isinstance(entry.event, Opened)), None)
    return options_for(REPORT, name, opened.options) if opened else {}
