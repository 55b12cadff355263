"""What the tests of analyses share: debates made by hand, turn by turn, and their analyses."""

from collections.abc import Sequence

from folkmoot.analysis.analysis import Analysis, analyse
from folkmoot.core.ask import Fields
from folkmoot.core.brief import Brief, Participant, Source
from folkmoot.core.decision import Ballot, Decision
from folkmoot.core.event import Closed, Entry, Opened, Ruled
from tests.report.reports import Diary, ask, person

ANN, BEN, CID = person("Ann"), person("Ben"), person("Cid")
PLAN = Source(name="plan.md", text="The yard is full. Rent is due in May.")


def say(diary: Diary, by: str, fields: Fields, *, act: str = "argue", at: int = 1, text: str = "…") -> Diary:
    """A turn in a round; 0 is outside of rounds."""
    place = f"/debate/rounds/round-{at}/{act}" if at else f"/debate/{act}"
    return diary.say(ask(f"{place}#{len(diary.entries)}", by, act), text, fields)


def table(*people: Participant, background: tuple[Source, ...] = (PLAN,)) -> Diary:
    brief = Brief(topic="Move?", participants=people or (ANN, BEN, CID), background=background)
    return Diary().add(Opened(brief=brief, protocol={}, name="arena"))


def decide(diary: Diary, winner: str, *ballots: Ballot, text: str = "") -> Analysis:
    tally = {winner: 0.0, **{ballot.choice: 1.0 for ballot in ballots if ballot.choice}}
    decision = Decision(status="decided", winner=winner, text=text or winner, tally=tally, ballots=ballots)
    return look(diary.add(Ruled(decision=decision), Closed(status="decided", reason="so")).entries)


def look(entries: Sequence[Entry]) -> Analysis:
    return analyse(entries, debate="x")


def turned() -> Diary:
    """Ann moves, Ben and Cid stay; then both come over to her."""
    diary = table()
    for by, answer in (("Ann", "move"), ("Ben", "Stay."), ("Cid", "stay")):
        say(diary, by, {"ANSWER": answer}, act="draft", at=0)
    say(diary, "Ben", {"ANSWER": "move", "BECAUSE": "T1 shows that the yard is full"}, act="revise")
    say(diary, "Cid", {"ANSWER": "stay"}, act="revise")
    say(diary, "Cid", {"ANSWER": "*move*"}, act="close", at=0)
    return diary


def chain() -> Diary:
    """T1 for move is attacked by T2, which T3 attacks; T4 for move falls to T5; T6 asks; T7 is for stay."""
    diary = table()
    say(diary, "Ann", {"ANSWER": "move", "CLAIM": "Full."})
    say(diary, "Ben", {"ANSWER": "stay", "CLAIM": "Empty.", "TARGET": "T1", "RELATION": "ATTACK"})
    say(diary, "Cid", {"ANSWER": "move", "CLAIM": "Photo.", "TARGET": "T2", "RELATION": "ATTACK"})
    say(diary, "Cid", {"CLAIM": "A good photo.", "TARGET": "T3", "RELATION": "SUPPORT"})
    say(diary, "Ben", {"ANSWER": "stay", "CLAIM": "Old photo.", "TARGET": "T3", "RELATION": "REBUT"})
    say(diary, "Ann", {"CLAIM": "From May.", "TARGET": "T5", "RELATION": "ATTACK"})
    return diary
