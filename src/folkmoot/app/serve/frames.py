"""Entries as frames for a page, with the words of models as safe HTML: no raw HTML, no images, no unsafe links.

A page is a fold over frames; ``docs/design/web.md`` describes them. They are plain data without anything that the
participants may not read. A link leaves the page only by a click, and shows where it goes; an image would be loaded
at once from its address, and could carry the debate there, so there are none.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache, lru_cache
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlencode, urlsplit

from folkmoot.app.serve.entry_view import CallView, EntryView, TurnView
from folkmoot.app.serve.view_model import EntryFold
from folkmoot.app.serve.visibility import Reader
from folkmoot.core.event import Delta, Entry
from folkmoot.core.text import clean_data
from folkmoot.core.transcript import Transcript
from folkmoot.report.conclusion import DecisionView
from folkmoot.report.markdown_text import without_markdown

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LONGEST = 200_000
"""The most characters that are rendered; of more the rest is left out, and that is said."""

TAGS = frozenset(
    {"p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a"}
    | {"h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"}
)
"""What a turn may be made of. Its headings stand under those of the page."""

SCHEMES = frozenset({"http", "https", "mailto"})

Cites: TypeAlias = tuple[str, ...]
"""Names of documents."""


def safe_html(text: str, cites: Cites = ()) -> str:
    """Markdown of a model as safe HTML, its headings beneath those of the page; "" for nothing.

    Args:
        text: the Markdown.
        cites: the documents of the brief, to whose lines a citation such as ``(memo.md, line 27)`` is a link.
    """
    if not text.strip():
        return ""
    return _kept_html(text, cites) if len(text) <= KEPT else _turn_html(text, cites)


def lined_html(text: str, first: int) -> str:
    """A document as safe HTML, each block with its line as ``data-line``; the text begins on line ``first``."""
    return _clean(_reader(under=2).render(text[:LONGEST], {"first": first}), lines=True) if text.strip() else ""


KEPT = 4_000
"""Characters of a text that is remembered as HTML: each viewer reads the same turns."""

REMEMBERED = 1_024
"""How many texts are."""


@lru_cache(maxsize=REMEMBERED)
def _kept_html(text: str, cites: Cites) -> str:
    return _turn_html(text, cites)


def _turn_html(text: str, cites: Cites) -> str:
    render = _reader(under=2).render(text[:LONGEST], {"cites": cites})
    if len(text) > LONGEST:
        render += f"<p>[{len(text) - LONGEST:,} more characters are in the record]</p>"
    return _clean(render)


def chapter_html(text: str) -> str:
    """A chapter of Markdown of ours, which quotes models, as safe HTML, its headings beneath that of the decision."""
    return _clean(_reader(under=1).render(text))


def html_page(text: str, pictures: Mapping[str, str]) -> str:
    """A whole page of Markdown of ours, which quotes models, as safe HTML.

    Args:
        text: the page.
        pictures: what stands in the place of a fenced block, as HTML of ours, by the block's language.
    """
    reader = _reader(under=0)
    tokens = reader.parse(text.replace(_SIGN, ""))
    for token in tokens:
        if token.type == "fence" and token.info in pictures:
            token.type, token.tag, token.content = "code_block", "", f"{_SIGN}{token.info}"
    page = _clean(reader.renderer.render(tokens, reader.options, {}))
    for language, picture in pictures.items():
        page = page.replace(f"<pre><code>{_SIGN}{language}</code></pre>", picture)
    return page


_SIGN = "\N{OBJECT REPLACEMENT CHARACTER}"
"""What stands before the name of a picture until it is put in; no text keeps this sign."""


def _clean(text: str, *, lines: bool = False) -> str:
    import nh3  # here for start-up time: only hosts with pages need it

    attributes = {"a": {"href", "title"}, "ol": {"start"}}
    return nh3.clean(
        text,
        tags={*TAGS, "h1", "h2"},
        attributes={tag: attributes.get(tag, set()) | {"data-line"} for tag in TAGS} if lines else attributes,
        url_schemes=set(SCHEMES),
        link_rel="noopener noreferrer nofollow",
    )


@cache
def _reader(under: int) -> "MarkdownIt":
    """Reads Markdown; headings stand a number of levels below their own."""
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    reader = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": True}).enable(
        ["table", "strikethrough"]
    )
    reader.disable("image")
    reader.validateLink = _can_leave

    def place(tokens: list[Token], first: int) -> None:
        for token in tokens:
            if first and token.map and token.nesting >= 0 and token.type != "inline":
                token.attrSet("data-line", str(first + token.map[0]))

    def lower(tokens: list[Token]) -> None:
        for token in tokens:
            if token.type in ("heading_open", "heading_close"):
                token.tag = f"h{min(6, int(token.tag[1]) + under)}"
            elif token.type == "link_open":
                token.attrSet("title", str(token.attrGet("href")))
            lower(token.children or [])

    def cite(tokens: list[Token], cites: Cites) -> None:
        citation = _citation(cites)
        for token in tokens:
            if citation and token.children and not any(child.type == "link_open" for child in token.children):
                token.children = [part for child in token.children for part in _linked(child, citation)]

    reader.core.ruler.push("lower", lambda state: lower(state.tokens))
    reader.core.ruler.push("place", lambda state: place(state.tokens, state.env.get("first", 0)))
    reader.core.ruler.push("cite", lambda state: cite(state.tokens, state.env.get("cites", ())))
    return reader


def _citation(cites: Cites) -> re.Pattern[str] | None:
    """What reads citations of these documents; None where there are none."""
    names = "|".join(re.escape(" ".join(name.split())) for name in cites)
    return re.compile(rf"\(({names})(?:, line |:)(\d{{1,7}})\)") if names else None


def _linked(token: "Token", citation: re.Pattern[str]) -> "Iterator[Token]":
    """A part of a line, its citations as links to the brief."""
    from markdown_it.token import Token

    if token.type != "text":
        yield token
        return
    end = 0
    for match in citation.finditer(token.content):
        yield Token("text", "", 0, content=f"{token.content[end : match.start()]}(")
        query = urlencode({"tab": "brief", "of": match[1], "line": match[2]})
        yield Token("link_open", "a", 1, attrs={"href": f"?{query}"})
        yield Token("text", "", 0, content=match[0][1:-1])
        yield Token("link_close", "a", -1)
        end = match.end() - 1
    yield Token("text", "", 0, content=token.content[end:])


def _can_leave(url: str) -> bool:
    """Whether a link may stand: one of three schemes, to a host."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return False
    return parts.scheme in SCHEMES and bool(parts.netloc or parts.scheme == "mailto")


Data: TypeAlias = dict[str, object]


class Frames:
    """Makes the frames of one debate, entry by entry in their order.

    Args:
        reader: for whom; see ``EntryFold.reader``.
        links: whether the page shows the brief, so that citations are links to it.
    """

    def __init__(self, reader: Reader = None, *, links: bool = True) -> None:
        self._fold, self._links = EntryFold(reader=reader), links
        self._cites: Cites = ()

    @property
    def transcript(self) -> Transcript:
        """The entries so far, folded."""
        return self._fold.transcript

    def frame(self, entry: Entry) -> Data:
        """Make the frame of the next entry."""
        view = self._fold.take(entry)
        if view.opened and self._links:
            self._cites = view.opened.sources
        return frame_of(view, self._cites)

    def piece(self, delta: Delta) -> Data | None:
        """A piece of an unfinished answer; None if its reader may not read it."""
        if self._fold.hides_piece(delta.key):
            return None
        whole = {"whole": True} if delta.whole else {}
        return {"kind": "delta", "key": delta.key, "text": delta.text, **whole}


def frames(entries: Sequence[Entry]) -> list[Data]:
    """The frames of a whole record, for a page that has no server to ask for the brief."""
    page_frames = Frames(links=False)
    return [page_frames.frame(entry) for entry in entries]


def frame_of(view: EntryView, cites: Cites = ()) -> Data:
    """What an entry says, as plain data; ``cites`` are the documents to which citations are links."""
    data: Data = {"seq": view.seq, "at": view.at, "kind": view.kind, "name": view.name, **_body(view, cites)}
    if view.line:
        data["line"] = view.line
    if view.sums is not None:
        data["sums"] = asdict(view.sums)
    return clean_data(data)  # a record may be older than what is taken out of answers


def _body(view: EntryView, cites: Cites) -> Data:
    match view.kind:
        case "opened" if view.opened:
            return asdict(view.opened)
        case "entered":
            return {"path": view.path, "phase": view.phase, "round": view.round}
        case "halted":
            return {"path": view.path, "phase": view.phase, "reason": view.reason}
        case "asked" if view.turn:
            labels = [list(pair) for pair in view.turn.labels]
            return {**_place(view.turn), "human": view.turn.human, "private": view.turn.alone, "labels": labels}
        case "replied" | "interjected" if view.turn:
            return {"turn": _turn(view.turn, cites)}
        case "failed" if view.turn:
            return {**_place(view.turn), "error": view.turn.error, "reason": view.reason}
        case "attempted" | "called" | "erred" if view.call:
            return {"key": view.key, **_call(view, view.call)}
        case "ruled" if view.decision:
            return {"decision": _decision(view.decision, view, cites)}
        case "paused" | "closed":
            return {"status": view.status, "reason": view.reason}
        case "resumed":
            return {"by": view.by}
        case _:
            return {}


def _decision(decision: DecisionView, view: EntryView, cites: Cites) -> Data:
    """The decision with its words, and the best argument for it, as HTML, and with what it rests on."""
    argument = {"html": safe_html(decision.argument, cites)} if decision.status == "decided" else {"html": ""}
    words: Data = {"html": safe_html(decision.text, cites), "why": argument, "warnings": list(view.warnings)}
    words |= {"findings": {"html": chapter_html(view.findings)}} if view.findings else {}
    for name, answers in (("minority", decision.minority), ("answers", decision.answers)):
        words[name] = [{**asdict(answer), "html": safe_html(answer.argument, cites)} for answer in answers]
    return {**asdict(decision), **words, "grounds": asdict(view.grounds)}


def _call(view: EntryView, call: CallView) -> Data:
    data: Data = {"call": call.call, "by": call.by}
    if view.kind == "erred":
        return {**data, "n": call.n, "error": call.error, "reason": view.reason}
    data |= {"model": call.model, "tokens": call.tokens, "cost": call.cost, "tool": call.tool}
    data["estimated"] = call.estimated
    if view.kind == "attempted":
        return {**data, "n": call.n, "doing": call.doing}
    return {**data, "seconds": call.seconds, "finish": call.finish, "sources": list(call.sources)}


def _turn(turn: TurnView, cites: Cites) -> Data:
    spoken, speech = turn.spoken, turn.speech
    facts = (*speech.facts, *speech.rest)
    data: Data = {
        **_place(turn),
        "role": spoken.role,
        "moderator": spoken.moderator,
        "outside": spoken.state == "outside",
        "human": turn.human,
        "on": [asdict(subject) for subject in spoken.on],
        "link": asdict(turn.link) if turn.link else None,
        "aside": list(speech.aside),
        "facts": [[name, _plain(name, value)] for name, value in facts if not _is_long(name, value)],
        "long": [{"name": name, "html": safe_html(value, cites)} for name, value in facts if _is_long(name, value)],
        "text": speech.words,
        "html": safe_html(speech.words, cites),
        "private": spoken.private,
        "cut": turn.cut,
        "model": turn.model,
        "served": spoken.served,
        "seconds": spoken.seconds,
        "unread": [{"fields": list(gap.fields), "why": gap.why, "answer": gap.answer} for gap in turn.unread],
        "notes": list(turn.notes),
        "remarks": list(turn.remarks),
        "tokens": turn.tokens,
        "cost": turn.cost,
        "estimated": turn.estimated,
    }
    if turn.position:
        data["position"] = asdict(turn.position)
    if turn.ballot:
        data["ballot"] = {"choice": ["abstains"] if turn.ballot.abstains else list(turn.ballot.words)}
    return data


SHORT = 90
"""The most characters of a field that stands beside others in one line; a longer one is Markdown of its own."""

HEADLINE = 400
"""The most characters of a claim that stands above its argument, as one line without Markdown."""


def _is_long(name: str, value: str) -> bool:
    """Whether a field is told as a text of its own: an argument always is, so it stays where it was while it came."""
    most = HEADLINE if name == "Claim" else SHORT
    return name == "Argument" or len(value) > most or "\n" in value.strip()


def _plain(name: str, value: str) -> str:
    """A field as it stands in one line: a claim is a sentence, an answer is one of those to choose from."""
    return without_markdown(value) if name == "Claim" else value


def _place(turn: TurnView) -> Data:
    return {
        "key": turn.spoken.key,
        "mark": turn.mark,
        "by": turn.spoken.by,
        "act": turn.act,
        "round": turn.round,
    }
