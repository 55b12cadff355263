"""Records made by hand for the tests of readers: a diary that takes events and gives entries."""

from dataclasses import dataclass, field, replace

from folkmoot.core.ask import Ask, Field, Fields, Form, Reply, Usage
from folkmoot.core.brief import Brief, Participant, Source, View
from folkmoot.core.decision import Ballot, Decision, Minority
from folkmoot.core.event import (
    Asked,
    Attempted,
    Called,
    Closed,
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

BEGAN = 1_767_607_200.0
"""2026-01-05 10:00:00 UTC."""

FREE = Usage()
DRAFT = Form(
    name="draft",
    fields=(Field(name="ANSWER"), Field(name="CONFIDENCE", kind="number"), Field(name="ARGUMENT")),
)


@dataclass(slots=True)
class Diary:
    """Takes events, one second apart, and gives them as entries."""

    at: float = BEGAN
    entries: list[Entry] = field(default_factory=list[Entry])

    def add(self, *events: Event, after: float = 1.0) -> "Diary":
        for event in events:
            self.entries.append(Entry(seq=len(self.entries) + 1, at=self.at, event=event))
            self.at += after
        return self

    def say(
        self, ask: Ask, text: str, fields: Fields | None = None, *, model: str = "", usage: Usage = FREE
    ) -> "Diary":
        """A question and its answer; with a model named, its call as well."""
        served = model.partition(":")[2]
        self.add(Asked(ask=ask))
        if model:
            called = Called(key=ask.key, call="answer", text=text, model=model, served=served, usage=usage, seconds=1.5)
            self.add(Attempted(key=ask.key, call="answer", n=1, model=model), called)
        return self.add(Replied(key=ask.key, reply=Reply(text=text, fields=fields or {}, served=served, seconds=2.0)))


def person(name: str, role: str = "", seat: str = "", **more: str) -> Participant:
    return replace(Participant(name=name, role=role, seat=seat), **more)


def opened(*people: Participant, topic: str = "Shall we?", name: str = "panel") -> Diary:
    brief = Brief(topic=topic, participants=people)
    return Diary().add(Opened(brief=brief, protocol={}, name=name), Entered(path="/debate"))


def ask(key: str, to: str, act: str, *about: str, form: Form | None = None, anonymous: bool = False) -> Ask:
    return Ask(key=key, to=to, act=act, task="…", about=about, form=form, view=View(anonymous=anonymous))


def draft(answer: str, confidence: float, argument: str) -> tuple[str, Fields]:
    text = f"ANSWER: {answer}\nCONFIDENCE: {confidence}\nARGUMENT: {argument}"
    return text, {"ANSWER": answer, "CONFIDENCE": confidence, "ARGUMENT": argument}


def hiring() -> list[Entry]:
    """A whole debate: drafts, a round of critique and revision, a moderator, a ballot, and much that goes wrong."""
    people = (
        person("Ann", "Head of Engineering", "acme:large-1", persona="You look for what a person can become."),
        person("Ben", "Head of Finance", "acme:large-1", persona="You look at what it costs."),
        person("Cid", "Team lead", "acme:large-1"),
        person("Chair", "Moderator", "open:small", duty="moderator"),
    )
    brief = Brief(
        topic="Should we hire the candidate?",
        background=(Source(name="cv.md", text="Ten years of work on databases."),),
        rules="Be short.",
        participants=people,
    )
    diary = Diary().add(Opened(brief=brief, protocol={}, name="panel"), Entered(path="/debate"))
    _drafts(diary)
    _round(diary)
    _ending(diary)
    return diary.entries


def _drafts(diary: Diary) -> None:
    paid = Usage(input_tokens=1000, output_tokens=200, cached_tokens=400, cost=0.0125)
    asks = [ask(f"/debate/draft#{n}", to, "draft", form=DRAFT) for n, to in enumerate(("Ann", "Ben", "Cid"), start=1)]
    diary.add(Entered(path="/debate/draft"))
    answers = (
        draft("Hire", 0.8, "Ten years of databases is what we lack."),
        draft("Do not hire", 0.6, "The salary is over the budget.\n\n- 20 % over\n- for two years"),
        draft("Do not hire", 0.4, "The team is too small to train anybody."),
    )
    for question, (text, fields) in zip(asks, answers, strict=True):
        diary.say(question, text, fields, model="acme:large-1", usage=paid)


def _round(diary: Diary) -> None:
    free = Usage(input_tokens=500, output_tokens=50, cost=None, estimated=True)
    critique = ask("/debate/rounds/round-1/critique#1", "Ann", "critique", "/debate/draft#2", anonymous=True)
    diary.add(
        Entered(path="/debate/rounds"),
        Entered(path="/debate/rounds/round-1"),
        Entered(path="/debate/rounds/round-1/critique"),
    )
    diary.say(critique, "# Proposal A is wrong\n\nThe budget was raised in May.\n\n```python\nprint('<b>')")
    late = ask("/debate/rounds/round-1/critique#2", "Ben", "critique", "/debate/draft#1")
    diary.add(
        Asked(ask=late),
        Attempted(key=late.key, call="answer", n=1, model="acme:large-1"),
        Erred(key=late.key, call="answer", n=1, kind="rate", reason="too many requests"),
        Attempted(key=late.key, call="answer", n=2, model="acme:large-1"),
        Failed(key=late.key, kind="timeout", reason="no answer within 30 seconds"),
        Interjected(by="Dana", text="The budget is 90,000."),
        Entered(path="/debate/rounds/round-1/revise"),
    )
    text, fields = draft("Hire", 0.7, "The budget is there.")
    because = {**fields, "BECAUSE": "the budget was raised in May"}
    shown = ("/debate/draft#1", "/debate/draft#2")
    revise = ask("/debate/rounds/round-1/revise#1", "Ben", "revise", *shown, form=DRAFT, anonymous=True)
    diary.say(revise, f"{text}\nBECAUSE: {because['BECAUSE']}", because, model="open:small", usage=free)
    chair = ask("/debate/rounds/round-1/moderate#1", "Chair", "moderate")
    diary.add(Paused(reason="stopped", kind="stopped"), after=600.0).add(Resumed())
    summary = {"SUMMARY": "Two of three would hire.", "STATUS": "CONTINUE"}
    diary.say(chair, "SUMMARY: Two of three would hire.\nSTATUS: CONTINUE", summary)
    diary.add(Halted(path="/debate/rounds", reason="nobody changed the answer since the round before"))


def _ending(diary: Diary) -> None:
    ballot = Form(name="ballot", fields=(Field(name="I vote for", choices=("Proposal A", "Proposal B")),))
    shown = ("/debate/draft#3", "/debate/draft#1")
    diary.add(Entered(path="/debate/vote"))
    for n, (who, choice) in enumerate((("Ann", "Proposal B"), ("Ben", "Proposal B"), ("Cid", "Proposal A")), start=1):
        question = ask(f"/debate/vote#{n}", who, "vote", *shown, form=ballot, anonymous=True)
        diary.say(question, f"I vote for: {choice}\nIt has the better reason.", {"I vote for": choice})
    names = ("Ann", "Ben", "Cid")
    choices = ("Hire", "Hire", "Do not hire")
    decision = Decision(
        status="decided",
        winner="Hire",
        text="Hire",
        rule="plurality",
        share=2 / 3,
        support=("Ann", "Ben"),
        strength="moderate",
        how="Hire has 2 of 3",
        tally={"Hire": 2.0, "Do not hire": 1.0},
        first={"Hire": 1.0, "Do not hire": 2.0},
        ballots=tuple(Ballot(voter=name, choice=choice) for name, choice in zip(names, choices, strict=True)),
        dissent=("Cid for Do not hire",),
        minority=(Minority(answer="Do not hire", by=("Cid",), share=1 / 3, argument="The team is too small."),),
    )
    diary.add(Ruled(decision=decision), Closed(status="decided", reason="Hire has 2 of 3"))
