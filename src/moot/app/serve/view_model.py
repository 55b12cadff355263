"""Entries as frames for a page, with the words of models as safe HTML: no raw HTML, no images, no unsafe links.

A page is a fold over frames; ``docs/design/web.md`` describes them. They are plain data without anything that the
participants may not read. A link leaves the page only by a click, and shows where it goes; an image would be loaded
at once from its address, and could carry the debate there, so there are none.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import TYPE_CHECKING, TypeAlias, cast
from urllib.parse import urlsplit

from moot.app.run.outcome import count_usage
from moot.app.run.people import for_people
from moot.app.serve.visibility import HIDDEN, Reader, may_know, may_read
from moot.arguments.positions import alike
from moot.core.agent import without_private_fields
from moot.core.ask import shown
from moot.core.brief import Brief, Participant, is_person
from moot.core.decision import Decision
from moot.core.event import (
    KIND,
    TOOL,
    Asked,
    Attempted,
    Called,
    Closed,
    Delta,
    Entered,
    Entry,
    Erred,
    Event,
    Failed,
    Halted,
    Interjected,
    Opened,
    Paused,
    Replied,
    Resumed,
    Ruled,
)
from moot.core.labels import act_of, noun, title
from moot.core.text import clean_data
from moot.core.text import words as bare
from moot.core.transcript import Transcript, Turn, read_field
from moot.report.conclusion import told_decision
from moot.report.turn_text import Namer, Spoken, parted, speak

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

LONGEST = 200_000
"""The most characters that are rendered; of more the rest is left out, and that is said."""

TAGS = frozenset(
    {"p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a"}
    | {"h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"}
)
"""What a turn may be made of. Its headings stand under those of the page."""

SCHEMES = frozenset({"http", "https", "mailto"})


def safe_html(text: str) -> str:
    """Markdown of a model as safe HTML, its headings beneath those of the page; "" for nothing."""
    if not text.strip():
        return ""
    render = _reader(under=2).render(text[:LONGEST])
    if len(text) > LONGEST:
        render += f"<p>[{len(text) - LONGEST:,} more characters are in the record]</p>"
    return _clean(render)


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
    made = _clean(reader.renderer.render(tokens, reader.options, {}))
    for language, picture in pictures.items():
        made = made.replace(f"<pre><code>{_SIGN}{language}</code></pre>", picture)
    return made


_SIGN = "\N{OBJECT REPLACEMENT CHARACTER}"
"""What stands before the name of a picture until it is put in; no text keeps this sign."""


def _clean(text: str) -> str:
    import nh3  # here for start-up time: only hosts with pages need it

    return nh3.clean(
        text,
        tags={*TAGS, "h1", "h2"},
        attributes={"a": {"href", "title"}, "ol": {"start"}},
        url_schemes=set(SCHEMES),
        link_rel="noopener noreferrer nofollow",
    )


@cache
def _reader(under: int) -> "MarkdownIt":
    """Reads Markdown; headings stand so many levels below their own."""
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    reader = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": True}).enable(
        ["table", "strikethrough"]
    )
    reader.disable("image")
    reader.validateLink = _can_leave

    def lower(tokens: list[Token]) -> None:
        for token in tokens:
            if token.type in ("heading_open", "heading_close"):
                token.tag = f"h{min(6, int(token.tag[1]) + under)}"
            elif token.type == "link_open":
                token.attrSet("title", str(token.attrGet("href")))
            lower(token.children or [])

    reader.core.ruler.push("lower", lambda state: lower(state.tokens))
    return reader


def _can_leave(url: str) -> bool:
    """Whether a link may stand: one of three schemes, to a host."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return False
    return parts.scheme in SCHEMES and bool(parts.netloc or parts.scheme == "mailto")


Data: TypeAlias = dict[str, object]

DEFAULT_ROUNDS = 3
"""What a phase tree leaves out, because it is the default."""


@dataclass(slots=True)
class Frames:
    """Makes the frames of one debate, entry by entry in their order.

    Attributes:
        ears: for whom; of what somebody may not hear there is a frame of the kind ``hidden``, with sums alone.
        transcript: the entries so far, folded.
    """

    ears: Reader = None
    transcript: Transcript = field(default_factory=Transcript)
    _names: Namer = field(default_factory=Namer)
    _held: dict[str, str] = field(default_factory=dict[str, str])
    _used: dict[str, Data] = field(default_factory=dict[str, Data])
    _sums: Data = field(default_factory=dict[str, object])
    _calls: int = 0

    def frame(self, entry: Entry) -> Data:
        """Make the frame of the next entry."""
        event = entry.event
        self.transcript.apply(event)
        named = self._names.name(entry)
        self._calls += isinstance(event, Called)
        data: Data = {"seq": entry.seq, "at": entry.at, "kind": HIDDEN, "name": ""}
        if may_know(self.transcript, self.ears, event):
            data |= {"kind": KIND[type(event)], "name": named.type if named else "", **self._body(event)}
        sums = self._add_up(event)
        if sums != self._sums:
            self._sums = data["sums"] = sums
        return clean_data(data)  # a record may be older than what is taken out of answers

    def piece(self, delta: Delta) -> Data | None:
        """A piece of an unfinished answer; None if it has private fields, or if a participant may not read it."""
        if self._hides(delta.key):
            return None
        return {"kind": "delta", "key": delta.key, "text": delta.text}

    def _body(self, event: Event) -> Data:
        match event:
            case Opened():
                return _opened(event)
            case Entered(path=path):
                return {"path": path, "phase": title(path), "round": _round(path)}
            case Asked():
                return self._asked(event)
            case Attempted() | Called() | Erred():
                return self._call(event)
            case Replied(key=key):
                return {"turn": self._turn(self.transcript.get(key))}
            case Interjected():
                return {"turn": self._turn(self.transcript.all()[-1])}
            case Failed(key=key, kind=error, reason=reason):
                turn = self.transcript.get(key)
                return {**_place(turn), "error": error, "reason": reason}
            case Halted(path=path, reason=reason):
                return {"path": path, "phase": title(path), "reason": reason}
            case Ruled(decision=decision):
                return {"decision": _decision(decision)}
            case Paused(reason=reason, kind=status):
                return {"status": status or "stopped", "reason": reason}
            case Closed(status=status, reason=reason):
                return {"status": status, "reason": reason}
            case Resumed(by=by):
                return {"by": by}

    def _asked(self, event: Asked) -> Data:
        turn = self.transcript.get(event.ask.key)
        who = self._person(turn.by)
        return {
            **_place(turn),
            "human": who is not None and is_person(who),
            "private": turn.ask is not None and turn.ask.audience == (turn.by,),
        }

    def _call(self, event: Attempted | Called | Erred) -> Data:
        data: Data = {"key": event.key, "call": event.call, "by": self.transcript.get(event.key).by}
        match event:
            case Attempted(n=n, model=model, tokens=tokens, cost=cost):
                return {**data, "n": n, "model": model, "tokens": tokens, "cost": cost, "tool": _tool(model)}
            case Erred(n=n, kind=error, reason=reason):
                return {**data, "n": n, "error": error, "reason": reason}
            case Called(model=model, usage=usage, seconds=seconds, finish=finish):
                used = self._used.setdefault(event.key, {"tokens": 0, "cost": 0.0})
                tokens, cost = usage.input_tokens + usage.output_tokens, usage.cost
                self._used[event.key] = {"tokens": _whole(used["tokens"]) + tokens, "cost": _plus(used["cost"], cost)}
                more = {"seconds": seconds, "finish": finish, "tool": _tool(model), "sources": list(event.sources)}
                return {**data, "model": model, "tokens": tokens, "cost": cost, **more}

    def _turn(self, whole: Turn) -> Data:
        brief = self.transcript.brief
        assert brief is not None
        turn = for_people(brief, whole) if self.ears is None else without_private_fields(self.ears, whole)
        said = speak(turn, self.transcript, brief, "")
        speech = parted(said.fields)
        words, facts = (speech.words, [*speech.facts, *speech.rest]) if said.complete else _loose(turn, said)
        words = said.text if said.act == "vote" else words
        reply = whole.reply
        data: Data = {
            **_place(turn),
            "role": said.role,
            "moderator": said.moderator,
            "outside": said.state == "outside",
            "human": reply is not None and reply.asked == "human",
            "on": [asdict(subject) for subject in said.on if self._hears(subject.key)],
            "link": self._link(turn),
            "aside": list(speech.aside) if said.complete else [],
            "facts": [list(pair) for pair in facts],
            "text": words,
            "html": safe_html(words),
            "private": said.private,
            "cut": turn is not whole and turn.text != whole.text,
            "model": reply.asked if reply else "",
            "served": said.served,
            "seconds": said.seconds,
            "unread": list(turn.reply.unread) if turn.reply else [],
            "notes": list(reply.notes) if reply else [],
            **self._used.get(whole.key, {"tokens": 0, "cost": 0.0}),
        }
        if position := self._position(turn):
            data["position"] = position
        if said.act == "vote":
            data["ballot"] = {"choice": [value for name, value in said.fields if name in _BALLOTS]}
        return data

    def _link(self, turn: Turn) -> Data | None:
        target = self.transcript.target(turn) if turn.ask else None
        if target is None or not self._hears(target.key):
            return None
        return {"target": target.mark, "by": target.by, "relation": str(read_field(turn, "RELATION") or "ANSWER")}

    def _position(self, turn: Turn) -> Data | None:
        """The position in a turn, if it has one, and whether it differs from the one before."""
        value = next((each for name in ("ANSWER", "POSITION", "Verdict") if (each := read_field(turn, name))), None)
        if value is None or turn.ask is None:
            return None
        answer, before = shown(value), self._held.get(turn.by)
        self._held[turn.by] = answer
        changed = before is not None and not alike(before, answer)
        return {"answer": answer, "confidence": read_field(turn, "CONFIDENCE"), "changed": changed}

    def _add_up(self, event: Event) -> Data:
        """The usage of the debate in numbers."""
        if self._sums and not isinstance(event, Asked | Called | Replied | Failed):
            return self._sums
        return count_usage(self.transcript, self._calls)

    def _hides(self, key: str) -> bool:
        turn = self.transcript.get(key)
        asked = turn.ask.form.fields if turn.ask and turn.ask.form else ()
        return any(field.private for field in asked) or not self._hears(key)

    def _hears(self, key: str) -> bool:
        return may_read(self.transcript, self.ears, self.transcript.get(key))

    def _person(self, name: str) -> Participant | None:
        people = self.transcript.brief.participants if self.transcript.brief else ()
        return next((participant for participant in people if participant.name == name), None)


_BALLOTS = ("Vote", "Ranking", "Acceptable")
"""The fields of a ballot, in words, that say what it is for."""


def frames(entries: Sequence[Entry]) -> list[Data]:
    """The frames of a whole record."""
    made = Frames()
    return [made.frame(entry) for entry in entries]


def most_rounds(tree: object) -> int:
    """The greatest number of rounds in a phase tree as data; 0 where there are none."""
    if isinstance(tree, Mapping):
        data = cast("Mapping[str, object]", tree)
        most = data.get("most", DEFAULT_ROUNDS) if data.get("is") == "Rounds" else 0
        return most if isinstance(most, int) and most else max(map(most_rounds, data.values()), default=0)
    if isinstance(tree, list | tuple):
        return max(map(most_rounds, cast("Sequence[object]", tree)), default=0)
    return 0


def _opened(event: Opened) -> Data:
    brief = event.brief
    return {
        "topic": brief.topic,
        "protocol": event.name,
        "rounds": most_rounds(event.protocol),
        "options": list(brief.options),
        "participants": list(_table(brief)),
        "sources": [source.name for source in (*brief.background, *brief.library)],
        "limits": asdict(brief.limits),
        "chosen": list(event.chosen),
        "forked": event.forked,
    }


def _table(brief: Brief) -> Iterator[Data]:
    for participant in brief.participants:
        if participant.duty != "aide":
            known: Data = {
                "name": participant.name,
                "role": participant.role,
                "duty": participant.duty,
                "seat": participant.seat,
            }
            yield {**known, "human": is_person(participant), "weight": participant.weight}


def _place(turn: Turn) -> Data:
    act = noun(act_of(turn))
    return {"key": turn.key, "mark": turn.mark, "by": turn.by, "act": act, "round": turn.round}


def _round(path: str) -> int:
    part, _, number = path.rpartition("/")[2].rpartition("-")
    return int(number) if part == "round" and number.isdecimal() else 0


def _tool(model: str) -> str:
    return model.removeprefix(TOOL) if model.startswith(TOOL) else ""


def _loose(turn: Turn, said: Spoken) -> tuple[str, list[tuple[str, str]]]:
    """The words of a turn without lines that only state a field, and the fields that are not in the rest."""
    formulas = {name: bare(f"{name} {shown(value)}") for name, value in turn.fields.items()}
    lines = [(line, bare(line)) for line in said.text.split("\n")]
    words = "\n".join(line for line, read in lines if not read or read not in formulas.values()).strip()
    told, flat = [read for _, read in lines], " ".join(words.split())
    pairs = zip(formulas.values(), said.fields, strict=True)
    return words, [pair for formula, pair in pairs if formula in told or " ".join(pair[1].split()) not in flat]


def _decision(decision: Decision) -> Data:
    return {
        **asdict(told_decision(decision)),
        "html": safe_html(decision.text),
    }


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0


def _plus(one: object, other: float | None) -> float | None:
    """The sum of costs; unknown where one of them is."""
    return None if other is None or not isinstance(one, int | float) else one + other
