"""Texts that are put together from idioms of fourteen languages, each with what a careful person would book.

Every part carries a meaning, so a text made of parts has one. A vote or an answer stands. Whatever takes it back or
postpones it, or binds it to a condition, leaves nothing to book. A correction leaves the new value, or nothing.
A reason, a lead-in, a decoration or a courtesy changes nothing.
"""

import json
import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

from folkmoot.core.ask import ABSTAIN, Field, Form, Value
from tests.answers.answer_forms import ballot, marks

Idioms: TypeAlias = Mapping[str, Sequence[str]]

LANGUAGES = ("en", "de", "fr", "es", "pt", "it", "ru", "pl", "zh", "ja", "ko", "ar", "hi", "tr")
WIDE = ("zh", "ja")
ROSTERS = (
    ("Agent1", "Agent2", "Agent3"),
    ("Proposal A", "Proposal B", "Proposal C"),
    ("Option 1", "Option 2", "Option 3"),
    ("Bull", "Bear", "Realist"),
    ("Dr. Sarah Chen", "Prof. Rodriguez", "Ms. Okafor"),
    ("gpt-oss:20b", "llama3.1:8b", "qwen/qwen3-32b"),
    ("Build in house", "Buy a licence", "Wait a year"),
)
OPTIONS = ("Build", "Buy", "Wait")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A text and what may be booked from it.

    Attributes:
        text: the text.
        form: what is read from it.
        field: the field that is looked at; "" for all of them.
        speaker: whose text it is.
        right: what a careful person books; None for nothing.
        allowed: what else nobody could object to.
        everyday: whether it is a text as people write them every day, so that a question about it costs patience.
        parts: the language and the productions that it is made of.
    """

    text: str
    form: Form
    field: str
    speaker: str = ""
    right: Value | None
    allowed: tuple[Value | None, ...] = ()
    everyday: bool = False
    parts: tuple[str, ...]

    def judge(self, booked: Value | None) -> str:
        """What a reading is: ``exact``, ``harmful``, ``asked``, or ``fine`` where it could not be objected to."""
        if booked == self.right:
            return "exact"
        if booked is None:
            return "asked"
        return "fine" if booked in self.allowed else "harmful"


@cache
def idioms(language: str, *, unseen: bool = False) -> Idioms:
    """The idioms of a language; those that were written after the reader was mended, if ``unseen``."""
    folder = Path(__file__).parent
    table = tomllib.loads((folder / "idioms" / f"{language}.toml").read_text("utf-8"))
    table |= tomllib.loads((folder / "data" / "scores.toml").read_text("utf-8"))[language]
    new = table.pop("unseen", {})
    return {**table, **new} if unseen else table


@dataclass(slots=True)
class Maker:
    """One text in the making."""

    chance: random.Random
    language: str
    words: Idioms
    name: str = ""
    rival: str = ""

    @classmethod
    def start(cls, chance: random.Random, *, unseen: bool) -> "Maker":
        language = chance.choice(LANGUAGES)
        return cls(chance, language, idioms(language, unseen=unseen))

    def say(self, production: str) -> str:
        """One idiom of a production, with its names."""
        return self.named(self.chance.choice(self.words[production]))

    def named(self, idiom: str) -> str:
        return idiom.replace("{n}", self.name).replace("{r}", self.rival)

    @property
    def stop(self) -> str:
        return "。" if self.language in WIDE else "।" if self.language == "hi" else "."

    def sentence(self, words: str) -> str:
        """The words as a sentence of their own."""
        return words[:1].upper() + words[1:] + self.stop


GAPS: Mapping[str, tuple[str, str]] = {
    "dash": (" — ", ""),
    "hyphen": (" - ", ""),
    "comma": (", ", ""),
    "colon": (": ", ""),
    "semicolon": ("; ", ""),
    "brackets": (" (", ")"),
}
"""How a reason is set behind a vote on its line."""

WIDE_GAPS: Mapping[str, tuple[str, str]] = {
    "dash": ("——", ""),
    "hyphen": (" - ", ""),
    "comma": ("，", ""),
    "colon": ("：", ""),
    "semicolon": ("；", ""),
    "brackets": ("（", "）"),
}

LAYOUTS = ("bare", "because", *GAPS, "next line", "next paragraph", "next sentence", "label", "before")


def laid_out(maker: Maker, vote: str, layout: str) -> str:
    """A statement with its reason."""
    reason = maker.say("reasons")
    behind = maker.sentence(reason)
    if layout in GAPS:
        opening, closing = (WIDE_GAPS if maker.language in WIDE else GAPS)[layout]
        return f"{vote}{opening}{reason}{closing}{maker.stop}"
    space = "" if maker.language in WIDE else " "
    return {
        "bare": lambda: vote + maker.chance.choice(["", maker.stop, "!"]),
        "because": lambda: vote + maker.say("because") + maker.stop,
        "next line": lambda: f"{vote}\n{behind}",
        "next paragraph": lambda: f"{vote}{maker.stop}\n\n{behind}",
        "next sentence": lambda: f"{vote}{maker.stop}{space}{behind}",
        "label": lambda: f"{vote}\n" + maker.say("labels").replace("{s}", reason),
        "before": lambda: f"{behind}{space}{vote}{maker.stop}",
    }[layout]()


DECORATIONS = (
    "none",
    "bold",
    "bold name",
    "heading",
    "item",
    "code",
    "quotes",
    "emoji before",
    "emoji behind",
    "html",
    "fence",
    "guillemets",
)


def decorated(maker: Maker, statement: str, decoration: str) -> str:
    """A statement on a line of its own, decorated."""
    name = maker.name
    return {
        "none": lambda: statement,
        "bold": lambda: f"**{statement}**",
        "bold name": lambda: statement.replace(name, f"**{name}**"),
        "heading": lambda: f"### {statement}",
        "item": lambda: f"- {statement}",
        "code": lambda: statement.replace(name, f"`{name}`"),
        "quotes": lambda: statement.replace(name, f'"{name}"'),
        "guillemets": lambda: statement.replace(name, f"«{name}»"),
        "emoji before": lambda: maker.chance.choice(["🗳️ ", "✅ ", "👉 "]) + statement,
        "emoji behind": lambda: statement + maker.chance.choice([" 👍", " ✅", " 🎉"]),
        "html": lambda: f"<b>{statement}</b>",
        "fence": lambda: f"```\n{statement}\n```",
    }[decoration]()


def led_in(maker: Maker, text: str) -> tuple[str, str]:
    """A text with what authors write above a vote, and the production."""
    kind = maker.chance.choice(["none", "none", "leads", "before", "both"])
    before = maker.say("before") if kind in ("before", "both") else ""
    lead = maker.say("leads") if kind in ("leads", "both") else ""
    if lead.endswith(","):
        text = f"{lead} {text}" if "\n" not in text.strip() and text[:1].isalpha() else text
        lead = ""
    return "\n\n".join(filter(None, (before, f"{lead}\n{text}" if lead else text))), kind


JOINS = (" ", "\n", "\n\n", "\n\nP.S. ", "\n\n---\n\n", "\n- ", " (")


def joined(maker: Maker, text: str, more: str, joins: Sequence[str] = JOINS) -> tuple[str, str]:
    """A further sentence behind a text, and how it was joined."""
    join = maker.chance.choice(joins)
    stop = "" if text.rstrip()[-1:] in ".。।!？?)）*`>" or "\n" in join else maker.stop
    whole = f"{text}{stop}{join}{more.rstrip('.。।') + ')' if join == ' (' else more}"
    return whole, json.dumps(join)


def _ballot(maker: Maker, form: Form, text: str, **more: object) -> Sample:
    return Sample(text=text, form=form, field="I vote for", **more)  # type: ignore[arg-type]


def votes(maker: Maker) -> Sample:
    """A ballot: plain as people write it, or with something that speaks against it."""
    roster = maker.chance.choice(ROSTERS)
    maker.name, maker.rival, third = maker.chance.sample(roster, 3)
    form, speaker = ballot(roster), maker.chance.choice(["", third])
    kind = maker.chance.choices(
        [
            *("plain", "back", "correct", "later", "bound", "hedge", "bound_tail", "quote", "abstain"),
            *("concede", "suppose", "template", "shape", "manner"),
        ],
        [12, 2, 3, 2, 2, 1, 2, 1, 1, 1, 1, 1, 1, 1],
    )[0]
    return _VOTES.get(kind, _taken)(maker, form, speaker, kind)


def _plain(maker: Maker, form: Form, speaker: str, kind: str) -> Sample:
    idiom = maker.chance.choice(maker.words["votes"])
    layout = maker.chance.choice(LAYOUTS)
    decoration = maker.chance.choice(DECORATIONS) if maker.chance.random() < 0.4 else "none"
    statement = decorated(maker, laid_out(maker, maker.named(idiom), layout), decoration)
    lead = append = "none"
    if decoration != "fence":
        statement, lead = led_in(maker, statement)
    if decoration not in ("fence", "html", "bold", "heading") and maker.chance.random() < 0.3:
        append = maker.say("append")
        statement, _ = joined(maker, statement, append, ("\n", "\n\n", " "))
        append = "append"
    parts = (maker.language, "vote " + idiom, "layout " + layout, "deco " + decoration, "lead " + lead, append)
    return _ballot(maker, form, statement, speaker=speaker, right=maker.name, everyday=True, parts=parts)


def _taken(maker: Maker, form: Form, speaker: str, kind: str) -> Sample:
    """A vote behind which it is taken back, corrected, postponed, or bound."""
    idiom = maker.chance.choice(maker.words["votes"])
    layout = maker.chance.choice(("bare", "bare", "dash", "because", "next line", "label"))
    statement = laid_out(maker, maker.named(idiom), layout)
    statement, _ = led_in(maker, statement)
    against = maker.say(kind)
    text, join = joined(maker, statement, against)
    if maker.chance.random() < 0.25 and not join.endswith('("'):
        text, _ = joined(maker, text, maker.say("append"), ("\n\n", " "))
    right = maker.rival if kind == "correct" else None
    parts = (maker.language, f"{kind} {against.replace(maker.rival, '{r}')}", "layout " + layout, "join " + join)
    return _ballot(maker, form, text, speaker=speaker, right=right, parts=parts)


def _bound_tail(maker: Maker, form: Form, speaker: str, kind: str) -> Sample:
    tail = maker.say(kind)
    text, _ = led_in(maker, maker.say("votes") + tail + maker.stop)
    parts = (maker.language, f"{kind} {tail.replace(maker.rival, '{r}')}")
    return _ballot(maker, form, text, speaker=speaker, right=None, parts=parts)


def _quoted(maker: Maker, form: Form, speaker: str, kind: str) -> Sample:
    """What somebody else says, alone or above the own vote."""
    quote = maker.say(kind)
    parts = (maker.language, f"{kind} {quote.replace(maker.rival, '{r}')}")
    if maker.chance.random() < 0.4:
        return _ballot(maker, form, quote, speaker=speaker, right=None, parts=(*parts, "alone"))
    text = f"{quote}\n\n{maker.say('votes')}{maker.stop}"
    return _ballot(maker, form, text, speaker=speaker, right=maker.name, everyday=True, parts=(*parts, "then own"))


def _conceding(maker: Maker, form: Form, speaker: str, kind: str) -> Sample:
    """A vote that grants another candidate something, before it or behind it; languages may know only one of both."""
    idiom = maker.chance.choice(maker.words["votes"])
    vote = maker.named(idiom)
    behind = maker.chance.choice([*maker.words["concede"], *maker.words["granted"]])
    low = vote if idiom.startswith(("{n}", "Agent")) else vote[:1].lower() + vote[1:]
    before = behind in maker.words["granted"]
    text = (maker.named(behind) + low if before else vote + maker.named(behind)) + maker.stop
    parts = (maker.language, "vote " + idiom, f"{kind} {behind}")
    return _ballot(maker, form, text, speaker=speaker, right=maker.name, everyday=True, parts=parts)


def _supposed(maker: Maker, form: Form, speaker: str, kind: str) -> Sample:
    """A vote that is only supposed, or bound to a condition that stands before it."""
    idiom = maker.chance.choice(maker.words[kind])
    text, join = maker.named(idiom), "alone"
    if maker.chance.random() < 0.3:
        text, join = joined(maker, text, maker.say("append"), ("\n", "\n\n", " "))
    parts = (maker.language, f"{kind} {idiom}", "join " + join)
    return _ballot(maker, form, text, speaker=speaker, right=None, parts=parts)


def _template(maker: Maker, form: Form, speaker: str, kind: str) -> Sample:
    """A vote below a line that calls it a template, alone or above the own vote."""
    line = maker.say(kind)
    text = line + maker.chance.choice(["\n", "\n\n", " "]) + maker.say("votes")
    parts = (maker.language, f"{kind} {line}")
    return _ballot(maker, form, text, speaker=speaker, right=None, parts=parts)


def _shaped(maker: Maker, form: Form, speaker: str, kind: str) -> Sample:
    """A vote in an object or a table that is the whole answer, with a reason in it, or what takes it back."""
    shape = maker.chance.choice(["object", "fenced", "table"])
    against = maker.chance.choice(["", "", "back", "later"])
    remark = maker.say(against or "reasons").replace("|", "/")
    rows = {"I vote for": maker.name, "reason": remark}
    body = json.dumps(rows, ensure_ascii=False)
    text = {
        "object": lambda: body,
        "fenced": lambda: f"```json\n{body}\n```",
        "table": lambda: "| | |\n|---|---|\n" + "\n".join(f"| {label} | {value} |" for label, value in rows.items()),
    }[shape]()
    right = None if against else maker.name
    parts = (maker.language, f"{kind} {shape}", f"{against} {remark}")
    return _ballot(maker, form, text, speaker=speaker, right=right, everyday=not against, parts=parts)


def _mannered(maker: Maker, form: Form, speaker: str, kind: str) -> Sample:
    """A vote behind which its author says how it decides, or what else would have been welcome."""
    idiom, manner = maker.chance.choice(maker.words["votes"]), maker.say(kind)
    text, join = joined(maker, maker.named(idiom), manner, (" ", "\n", "\n\n"))
    parts = (maker.language, "vote " + idiom, f"{kind} {manner}", "join " + join)
    return _ballot(maker, form, text, speaker=speaker, right=maker.name, everyday=True, parts=parts)


def _abstained(maker: Maker, form: Form, speaker: str, kind: str) -> Sample:
    words = maker.say(kind)
    parts = (maker.language, "abstain " + words)
    if maker.chance.random() < 0.5:
        text, _ = led_in(maker, words + maker.stop)
        return _ballot(maker, form, text, speaker=speaker, right=ABSTAIN, everyday=True, parts=parts)
    against = maker.say("back")
    text, _ = joined(maker, words, against)
    return _ballot(maker, form, text, speaker=speaker, right=None, parts=(*parts, "back " + against))


_VOTES = {
    "plain": _plain,
    "bound_tail": _bound_tail,
    "quote": _quoted,
    "abstain": _abstained,
    "concede": _conceding,
    "suppose": _supposed,
    "template": _template,
    "shape": _shaped,
    "manner": _mannered,
}


def answers(maker: Maker) -> Sample:
    """A position in sections, and the argument for it."""
    maker.name, maker.rival = maker.chance.sample(OPTIONS, 2)
    form = Form(
        name="draft",
        fields=(
            Field(name="ANSWER", kind="choice", choices=OPTIONS),
            Field(name="CONFIDENCE", kind="number", low=0, high=1, required=False),
            Field(name="ARGUMENT"),
        ),
    )
    kind = maker.chance.choice(["plain", "plain", "manner", "back", "correct", "later"])
    mark, bold = maker.chance.choice([":", ":", " -", " —"]), maker.chance.choice(["", "", "**"])
    argument = " ".join(maker.sentence(maker.say("reasons")) for _ in range(maker.chance.randint(1, 3)))
    against = "" if kind == "plain" else maker.say(kind)
    if against:
        argument, _ = joined(maker, argument, against, (" ", "\n", "\n\n"))
    mark = ":" if mark != ":" and maker.chance.random() < 0.8 else mark
    label = f"{bold}ANSWER{mark}{bold}" if mark == ":" else f"{bold}ANSWER{bold}{mark}"
    text = f"{label} {maker.name}\n{bold}CONFIDENCE:{bold} 0.8\n{bold}ARGUMENT:{bold} {argument}"
    parts = (maker.language, f"{kind} {against.replace(maker.rival, '{r}')}", "mark " + mark)
    right = {"plain": maker.name, "manner": maker.name, "correct": maker.rival}.get(kind)
    everyday = kind in ("plain", "manner")
    return Sample(text=text, form=form, field="ANSWER", right=right, everyday=everyday, parts=("answer", *parts))


def scores(maker: Maker) -> Sample:
    """Scores in JSON, with words around them."""
    maker.name, maker.rival = "Nora", "Omar"
    numbers = {maker.name: maker.chance.randint(0, 10), maker.rival: maker.chance.randint(0, 10)}
    kind = maker.chance.choice(
        ["plain", "plain", "fine_above", "fine_behind", "back", "later", "none_above", "none_behind"]
    )
    body = json.dumps({"scores": numbers}, indent=maker.chance.choice([None, 2]))
    fenced = maker.chance.random() < 0.5
    text = f"```json\n{body}\n```" if fenced else body
    words = maker.say("append" if kind == "plain" else kind)
    if kind.endswith("above"):
        text = f"{words}\n\n{text}"
    elif kind != "plain" or maker.chance.random() < 0.5:
        text = f"{text}\n\n{words}"
    parts = (maker.language, f"{kind} {words.replace(maker.rival, '{r}')}", "fence" if fenced else "bare")
    everyday = kind == "plain" or kind.startswith("fine")
    right = tuple(f"{name} {number}" for name, number in numbers.items()) if everyday else None
    form = marks((maker.name, maker.rival))
    return Sample(text=text, form=form, field="", right=right, everyday=everyday, parts=("scores", *parts))


def samples(seed: int, number: int, *, unseen: bool = False) -> Iterator[Sample]:
    """So many texts; the same for the same seed."""
    chance = random.Random(seed)
    for _ in range(number):
        make = chance.choices([votes, answers, scores], [8, 2, 1])[0]
        yield make(Maker.start(chance, unseen=unseen))
