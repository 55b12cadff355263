"""Scenes for the built-in debater, and the law that its words keep: only quotations and fixed words. For its tests."""

import re
from collections.abc import Awaitable, Callable, Sequence

from folkmoot.core.agent import Context, Quote
from folkmoot.core.ask import Ask, Form, Reply
from folkmoot.core.brief import Brief, Participant, Source, View
from folkmoot.core.event import Called
from folkmoot.core.text import clean
from folkmoot.core.transcript import Turn
from folkmoot.demo.debater import DemoDebater
from folkmoot.demo.material import MATTERS, OTHER, PHRASES

REPORT = """# Report on the new depot

The company would build the depot in eleven months. A new depot reduces the delivery cost by 20 per cent. The
depot would save drivers two hours a day, because routes become shorter.

Neighbours fear the noise of night deliveries. A loss of the permit would delay the depot by a year. The old
depot had four incidents with forklifts in the last year.

Renting a hall costs $90,000 a year and can begin at once. The rented hall has no cold storage, so frozen
goods would have to stay in the old depot. Customers praised the fast delivery from the rented hall in a test.
"""
PEOPLE = (
    Participant(
        name="Ann", role="Head of drivers", persona="You argue for the depot. You care about routes and drivers."
    ),
    Participant(name="Ben", role="Cautious treasurer", persona="You fear delay, noise and a lost permit."),
    Participant(name="Cat", role="Buyer of frozen goods", persona="You care about cold storage and customers."),
    Participant(name="Mod", role="Chair", persona="You sum up.", duty="moderator"),
)


def brief(
    *texts: str,
    topic: str = "Should we build a new depot?",
    options: tuple[str, ...] = (),
    people: Sequence[Participant] = PEOPLE,
) -> Brief:
    """A brief with these documents, or with the report."""
    sources = tuple(Source(name=f"doc{n}.md", text=text) for n, text in enumerate(texts or (REPORT,), start=1))
    return Brief(topic=topic, background=sources, participants=tuple(people), options=options)


class Ear:
    """Hears what is said; no model may be called."""

    watched = True

    def __init__(self) -> None:
        self.pieces: list[str] = []

    def delta(self, text: str) -> None:
        self.pieces.append(text)

    def done(self, name: str) -> Called | None:
        return None

    async def call(self, name: str, quote: Quote, send: Callable[[], Awaitable[Called]]) -> Called:
        raise AssertionError(f"{name}: no model is to be called")


class Room:
    """A debate by hand: asks a seat and keeps the turns."""

    def __init__(self, about: Brief, seat: DemoDebater | None = None) -> None:
        self.brief, self.seat = about, seat or DemoDebater()
        self.turns: list[Turn] = []
        self.round = 1

    async def ask(
        self,
        to: str,
        act: str,
        form: Form | None = None,
        *,
        about: Sequence[Turn] = (),
        view: View | None = None,
        turns: Sequence[Turn] | None = None,
    ) -> Turn:
        """Put one ask; the turns shown are those so far, unless others are given."""
        key = f"/debate/rounds/round-{self.round}/{act}#{len(self.turns) + 1}"
        ask = Ask(key=key, to=to, act=act, task="", form=form, about=tuple(t.key for t in about), view=view or View())
        shown = tuple(self.turns if turns is None else turns)
        context = Context(
            brief=self.brief, me=self.brief.participant(to), turns=shown, about=tuple(about), view=ask.view
        )
        ear = Ear()
        reply = await self.seat.answer(ask, context, ear)
        assert "".join(ear.pieces).strip() == reply.text.strip()
        turn = Turn(key=key, by=to, act=act, number=len(self.turns) + 1, ask=ask, reply=reply)
        self.turns.append(turn)
        check(turn, self.brief)
        return turn


def turn_by(
    by: str, text: str, *, act: str = "argue", key: str = "/x#1", fields: dict[str, str | float] | None = None
) -> Turn:
    """A turn of somebody else's making."""
    return Turn(
        key=key, by=by, act=act, ask=Ask(key=key, to=by, act=act, task=""), reply=Reply(text=text, fields=fields or {})
    )


# ---- the law ---------------------------------------------------------------------------------------------------------


def check(turn: Turn, about: Brief) -> None:
    """Every word of a turn is quoted from a document or stands in the list of fixed words."""
    assert turn.ask
    assert turn.reply
    reply, form = turn.reply, turn.ask.form
    assert (reply.asked, reply.served, reply.usage.cost, reply.usage.input_tokens) == (
        "builtin:quotes",
        "builtin:quotes",
        0.0,
        0,
    )
    if form is None:
        check_words(reply.text, about)
        return
    for field in form.fields:
        value = reply.fields.get(field.name)
        if field.name in ("QUOTE", "SOURCES", "RECONSIDER") or value == "NONE":
            continue  # copied words, places alone, words behind names: tested where they are said
        if field.kind in ("text", "list") and value is not None:
            texts = value if isinstance(value, tuple) else (str(value),)
            for words in (text for text in texts if text not in field.choices):
                check_words(words, about)
    if form.layout == "line":
        rows = reply.text.split("\n\n")[0] if "\n\n" in reply.text else ""
        check_words(re.sub(r"^> ", "", rows, flags=re.MULTILINE).replace("&lt;", "<"), about)


def check_words(words: str, about: Brief) -> None:
    """These words are quotations that stand where they say, and fixed words."""
    names = {" ".join(source.name.split()): source for source in about.background}
    place = rf"({'|'.join(map(re.escape, names)) or '(?!)'}), line (\d+)"
    quotation = re.compile(rf"(?:\"([^\"]+)\"|“([^“”]+)”|«([^«»]+)») \({place}\)")

    def take(match_: re.Match[str]) -> str:
        line = int(match_[5])
        assert stands(names[match_[4]], line, match_[1] or match_[2] or match_[3]), match_[0]
        return "\0"

    rest = quotation.sub(take, " ".join(words.split()))
    people = [re.escape(" ".join(participant.name.split())) for participant in about.participants] + ["a viewer"]
    slots = {
        "name": rf"(?:{'|'.join(people)}|(?:Proposal|Critique) [A-Z]+|{re.escape(OTHER)})",
        "cite": place.replace("(", "(?:", 1).replace("(\\d+)", "\\d+"),
        "n": r"\d+",
        "m": r"\d+",
        "matter": rf"(?:{'|'.join(name for name, _ in MATTERS)})",
    }
    fixed = [re.sub(r"\\\{(\w+)\\\}", lambda slot: slots[slot[1]], re.escape(phrase)) for phrase in PHRASES]
    fixed += [re.escape(option) + r"\.?" for option in about.options]
    assert re.fullmatch(rf"(?:(?:{'|'.join(fixed)}|\0)\s*)*", rest), rest


def stands(source: Source, line: int, quote: str) -> bool:
    """Whether a document holds these words, beginning on that line; a quotation that was cut ends with an ellipsis."""
    rows = clean(source.text).split("\n")[line - source.line :]
    whole, first = " ".join(" ".join(rows).split()), " ".join(rows[0].split())
    return any(0 <= whole.find(words) <= len(first) for words in (quote, quote.removesuffix(" …")))
