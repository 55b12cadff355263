"""Debates for the tests of the memo: small, large, without a winner, failed, and with every text at its limit."""

from collections.abc import Sequence

from folkmoot.core.brief import LONGEST_OPTION, Brief, Participant
from folkmoot.core.decision import Ballot, Decision, Minority
from folkmoot.core.event import Asked, Closed, Entered, Entry, Failed, Opened, Paused, Ruled
from tests.report.reports import Diary, ask, hiring

NAMES = ("Ada", "Bo", "Cy", "Dee", "Eli", "Fay", "Gus", "Hana")
ROLES = ("nurse", "head of support", "treasurer", "union", "engineer", "customer", "lawyer", "founder")
OPTIONS = ("Four days for all", "Five days as today", "A trial of three months")
CLAIM = "Two named people on Friday hold the promise of an answer within two hours, as the log of April shows"
RELATIONS = ("ATTACK", "SUPPORT", "REBUT", "QUESTION")


def small() -> list[Entry]:
    return hiring()


def large(
    claim: str = CLAIM,
    options: Sequence[str] = OPTIONS,
    names: Sequence[str] = NAMES,
    topic: str = "Should our clinic-software team move to a four-day week next year?",
) -> list[Entry]:
    """A debate of 5 rounds in which everybody makes one claim a round, and each claim answers an earlier one."""
    diary, votes = _debated(claim, options, names, topic)
    ballots = tuple(
        Ballot(voter=name, choice=options[vote], reason=f"{claim} ({name}'s vote)", confidence=0.7)
        for name, vote in zip(names, votes, strict=True)
    )
    tally = {option: float(votes.count(n)) for n, option in enumerate(options)}
    winner = max(tally, key=lambda option: tally[option])
    lost = tuple(
        Minority(
            answer=option,
            by=tuple(name for name, vote in zip(names, votes, strict=True) if vote == n),
            share=tally[option] / len(names),
            argument=f"{claim}: that is why {option}",
        )
        for n, option in enumerate(options)
        if option != winner
    )
    decision = Decision(
        status="decided",
        winner=winner,
        text=winner,
        argument=f"The worst case is known. {claim}",
        rule="plurality",
        share=tally[winner] / len(names),
        strength="moderate",
        how=f"{winner} has {tally[winner]:g} of {len(names)} votes",
        tally=tally,
        ballots=ballots,
        minority=lost,
    )
    return diary.add(Ruled(decision=decision), Closed(status="decided", reason="so")).entries


def _debated(
    claim: str, options: Sequence[str], names: Sequence[str], topic: str, rounds: int = 6
) -> tuple[Diary, list[int]]:
    people = tuple(
        Participant(
            name=name, role=f"{ROLES[n % 8]} {claim if len(claim) > 200 else ''}".strip(), seat=f"acme:model-{n % 3}"
        )
        for n, name in enumerate(names)
    )
    brief = Brief(topic=topic, participants=people, options=tuple(options))
    diary = Diary().add(Opened(brief=brief, protocol={}, name="panel"), Entered(path="/debate"))
    votes = [0] * len(names)
    for at in range(1, rounds + 1):
        for n, name in enumerate(names):
            votes[n] = (n + min(at, 3) * (n % 2)) % len(options) if n % 4 else min(2, len(options) - 1)
            mark = (at - 1) * len(names) + n + 1
            fields = {
                "ANSWER": options[votes[n]],
                "CLAIM": f"{claim} (point {mark})",
                **({"TARGET": f"T{mark - 1 - n % 3}", "RELATION": RELATIONS[mark % 4]} if mark > 3 else {}),
            }
            question = ask(f"/debate/rounds/round-{at}/argue#{n + 1}", name, "argue")
            diary.say(question, claim, fields, model=f"acme:model-{n % 3}")
    return diary, votes


def tie(claim: str = CLAIM, options: Sequence[str] = OPTIONS, topic: str = "Which week?") -> list[Entry]:
    """The same, in which two answers have as many votes."""
    diary, _ = _debated(claim, options, NAMES, topic, 5)
    ballots = tuple(Ballot(voter=name, choice=options[n % 2], reason=claim) for n, name in enumerate(NAMES))
    answers = tuple(
        Minority(answer=options[n], by=NAMES[n::2], share=0.5, argument=f"{claim} {options[n]}") for n in range(2)
    )
    decision = Decision(
        status="tie",
        rule="plurality",
        strength="contested",
        how=f"tie: {options[0]} and {options[1]} have 4 of 8 votes each",
        tally={options[0]: 4.0, options[1]: 4.0, **dict.fromkeys(options[2:], 0.0)},
        ballots=ballots,
        minority=answers,
    )
    return diary.add(Ruled(decision=decision), Closed(status="tie", reason=decision.how)).entries


def failed() -> list[Entry]:
    """A debate in which nobody could answer."""
    people = tuple(Participant(name=name, seat="acme:model-1") for name in NAMES)
    diary = Diary().add(
        Opened(brief=Brief(topic="Which week?", participants=people), protocol={}, name="panel"),
        Entered(path="/debate"),
    )
    for n, name in enumerate(NAMES):
        question = ask(f"/debate/draft#{n + 1}", name, "draft")
        diary.add(Asked(ask=question), Failed(key=question.key, kind="refused", reason="the key was refused"))
    return diary.add(Closed(status="failed", reason="nobody answered: the key was refused")).entries


def paused() -> list[Entry]:
    """A debate that a limit has stopped."""
    diary, _ = _debated(CLAIM, OPTIONS, NAMES, "Which week?", 2)
    return diary.add(Paused(kind="limit", reason="the limit of $0.5: $0.6 would be used")).entries


LATIN = "The committee, which has considered the matter at length, holds that nothing less than a trial will do. " * 120
CJK = "四日間の週は、看護師と技術者の双方にとって、顧客への約束を守りながら試すことができる最善の方法である。" * 120
ENDLESS = "W" * 6000
OPTION_COUNT = 6


def at_limits(words: str) -> list[Entry]:
    """Every text as long as it may be: options, names, topic, claims, reasons."""
    options = [f"{n} {words}"[:LONGEST_OPTION] for n in range(OPTION_COUNT)]
    names = [f"{NAMES[n % 8]} {n} {words}"[:40].rstrip() for n in range(40)]
    return large(words, options, names, topic=words)
