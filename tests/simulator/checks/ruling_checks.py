"""What must hold of a decision: its ballots, its tally, its winner, and the words of a moderator."""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isfinite

from folkmoot.core.ask import ABSTAIN, Ask
from folkmoot.core.decision import Ballot, Decision
from folkmoot.core.event import Halted, Replied
from folkmoot.phases.vote import BALLOT
from folkmoot.policy.rules import MAJORITY, PLURALITY, SUPERMAJORITY, UNANIMITY, WEIGHTED, strength
from tests.simulator.checks.answer_checks import Said, readings_of
from tests.simulator.checks.answer_tokens import NO_TOKEN, token
from tests.simulator.checks.record_facts import RecordFacts
from tests.simulator.fault_plan import STEP
from tests.simulator.invariants import require

SHARES: Mapping[str, tuple[float, bool]] = {
    PLURALITY.name: (0.0, True),
    WEIGHTED.name: (0.0, True),
    MAJORITY.name: (1 / 2, True),
    SUPERMAJORITY.name: (2 / 3, False),
    UNANIMITY.name: (1.0, False),
}
"""By rule the share that a winner needs, and whether it must be more than that."""

RULINGS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "moderator": ("moderate", ("DECISION",)),
    "mediator": ("moderate", ("VERDICT",)),
    "synthesis": ("synthesize", ("ANSWER", "SYNTHESIS")),
}
"""By rule the act in which somebody rules alone, and the fields that hold the ruling; of several the first one here that the
form has is the decision, and all have to be there."""

SETTLED, CONTINUE = "SETTLED", "CONTINUE"
"""What a moderator says of a debate that can be decided now, and of one that has to go on."""

_ROUND = re.compile(r"round (\d+) of (\d+)")


def check_decision(record: RecordFacts, decision: Decision) -> None:
    """Check a decision when it is made."""
    _check_ballots(record, decision)
    in_step = record.opened is not None and record.opened.name == STEP
    _check_winner(decision, in_step=in_step)
    if in_step and decision.rule in SHARES:
        _check_fallback(record, decision)
    _check_told(decision)
    if decision.rule in RULINGS:
        _check_ruling(record, decision)


# ---- ballots ---------------------------------------------------------------------------------------------------------


def _check_ballots(record: RecordFacts, decision: Decision) -> None:
    voters = [ballot.voter for ballot in decision.ballots]
    require(len(voters) == len(set(voters)), "I17", str(voters))
    require(set(voters) <= set(record.names), "I17", str(voters))
    chosen: dict[str, str] = {}
    for ballot in decision.ballots:
        require(isfinite(ballot.weight) and ballot.weight > 0, "I23", str(ballot))
        _check_ballot(record, ballot, chosen)
        if ballot.state == "cast":
            answered = any(
                record.asked[key].to == ballot.voter and isinstance(event, Replied)
                for key, event in record.answered.items()
            )
            require(answered, "I18", f"{ballot.voter} has answered nothing: {ballot}")


def _check_ballot(record: RecordFacts, ballot: Ballot, chosen: dict[str, str]) -> None:
    """Compare a ballot with what its voter has answered; ``chosen`` has what was voted for by the turns chosen."""
    ask = record.ballots.get(ballot.voter)
    if ask is None or ask.form is None or ballot.ranks or ballot.scores:
        return
    reply = record.reply(ask.key)
    choice = None if reply is None else reply.fields.get(BALLOT)
    wanted = "abstained" if choice == ABSTAIN else "cast" if choice else "missing" if reply is None else "unread"
    require(ballot.state == wanted, "I77", lambda: f"{ask.key}: {ballot}, and the answer is {choice!r}")
    choices = next(field.choices for field in ask.form.fields if field.name == BALLOT)
    if wanted == "cast" and len(choices) == len(ask.about):
        turn = ask.about[choices.index(str(choice))]
        other = chosen.setdefault(turn, ballot.choice)
        require(other == ballot.choice, "I77", lambda: f"{ask.key}: {turn} is {other!r} and {ballot.choice!r}")


# ---- what follows from them ------------------------------------------------------------------------------------------


def _check_fallback(record: RecordFacts, decision: Decision) -> None:
    """In a debate step somebody wins: of those who are tied the first in the order of the proposals, else the first."""
    proposals = [ask.to for ask in record.asked.values() if ask.act == "propose" and record.reply(ask.key)]
    names = list(decision.tally)
    require(names[:1] == proposals[:1], "I98", lambda: f"{names} of {proposals}")
    most = [name for name, votes in decision.tally.items() if votes == max(decision.tally.values())]
    require(decision.winner == "".join(most[:1]), "I98", lambda: f"{decision.winner} of {decision.tally}")


def _check_winner(decision: Decision, *, in_step: bool) -> None:
    decided = decision.status == "decided"
    require(decided or not decision.winner, "I55", lambda: f"{decision.status} with {decision.winner!r}")
    require(not decided or decision.winner or decision.text, "I55", "decided without a winner or a text")
    cast = _plain_votes(decision)
    if not cast:
        return
    sums: dict[str, Fraction] = {}
    for ballot in cast:
        sums[ballot.choice] = sums.get(ballot.choice, Fraction(0)) + _weight(decision, ballot)
    tally = {name: weight for name, weight in decision.tally.items() if weight}
    require(_close(sums, tally), "I19", lambda: f"{_told(sums)} is told as {tally}")
    most = [name for name, weight in sums.items() if weight == max(sums.values())]
    if decision.winner:
        require(decision.winner in most, "I20", lambda: f"{decision.winner} of {_told(sums)}")
        named = len(most) == 1 or "tie" in decision.how
        require(named, "I20", lambda: f"{decision.winner} of {_told(sums)}: {decision.how}")
    if not in_step:  # which needs no quorum, and falls back
        _check_share(decision, sums, most)
    _check_strength(decision, sums, most)


def _plain_votes(decision: Decision) -> list[Ballot]:
    """The votes that were cast; [] where they are ranks or scores, or nobody counts them by shares."""
    cast = [ballot for ballot in decision.ballots if ballot.state == "cast"]
    plain = decision.rule in SHARES and not any(ballot.ranks or ballot.scores for ballot in cast)
    return cast if plain else []


def _check_told(decision: Decision) -> None:
    """What is told beside the tally: who is for the winner, its share, and by whom which answers have lost."""
    cast = _plain_votes(decision)
    if not cast:
        return
    voters = {name: tuple(ballot.voter for ballot in cast if ballot.choice == name) for name in decision.tally}
    if decision.winner:
        support = voters[decision.winner]
        require(decision.support == support, "I109", lambda: f"{decision.support}, and {support} are for it")
        weights = {ballot.voter: float(_weight(decision, ballot)) for ballot in cast}
        share = sum(weights[voter] for voter in support) / sum(weights.values())
        require(abs(decision.share - share) < 1e-6, "I109", lambda: f"a share of {decision.share}, and {share} is so")
    lost = {name: voters[name] for name in voters if name != decision.winner}
    rows = {row.answer: row.by for row in decision.minority}
    named = rows.items() <= lost.items() and rows.keys() >= {name for name in lost if lost[name]}
    require(not rows or named, "I109", lambda: f"{rows} have lost, and the ballots say {lost}")


def _weight(decision: Decision, ballot: Ballot) -> Fraction:
    return Fraction(str(ballot.weight)) if decision.rule == WEIGHTED.name else Fraction(1)


def _has_quorum(decision: Decision) -> bool:
    answers = sum(ballot.state in ("cast", "abstained") for ballot in decision.ballots)
    return 2 * answers > len(decision.ballots)


def _check_share(decision: Decision, sums: Mapping[str, Fraction], most: Sequence[str]) -> None:
    needed, beyond = SHARES[decision.rule]
    voters = [ballot for ballot in decision.ballots if ballot.state != "abstained"]
    share = float(sums[most[0]] / (len(voters) if decision.rule == UNANIMITY.name else sum(sums.values())))
    enough = len(most) == 1 and (share > needed + 1e-9 if beyond else share > needed - 1e-9)
    decided = decision.status == "decided"
    require(
        decided == (enough and _has_quorum(decision)) or "fallback" in decision.how,
        "I74",
        lambda: f"{decision.rule}: {_told(sums)} of {len(voters)} is {decision.status}: {decision.how}",
    )


def _check_strength(decision: Decision, sums: Mapping[str, Fraction], most: Sequence[str]) -> None:
    """The leader's share of the weight of all voters: who has abstained, or could not be read, has not agreed."""
    everybody = sum((_weight(decision, ballot) for ballot in decision.ballots), Fraction(0))
    words = {"contested"} if decision.status == "tie" else {strength(sums[most[0]] / everybody)}
    words |= {"contested"} if "fallback" in decision.how else set[str]()
    words |= {"split"} if len(most) > 1 else set[str]()
    words |= set[str]() if _has_quorum(decision) else {""}
    require(
        decision.strength in words,
        "I85",
        lambda: f"{_told(sums)} of {float(everybody):g} is {decision.strength!r} and not {' or '.join(sorted(words))}",
    )


def _close(one: Mapping[str, Fraction], other: Mapping[str, float]) -> bool:
    return one.keys() == other.keys() and all(abs(float(one[name]) - other[name]) < 1e-6 for name in one)


def _told(sums: Mapping[str, Fraction]) -> dict[str, float]:
    return {name: float(weight) for name, weight in sums.items()}


# ---- who rules alone -------------------------------------------------------------------------------------------------


def _check_ruling(record: RecordFacts, decision: Decision) -> None:
    """A ruling is what the newest answer of whoever rules says, read once more from the raw answer."""
    act, names = RULINGS[decision.rule]
    ask = _newest(record, act)
    decided = decision.status == "decided"
    if ask is None or record.reply(ask.key) is None:
        require(not decided, "I25", lambda: f"nobody has ruled: {decision.text!r}")
        return
    readings, word = readings_of(record, ask), token(record.debate, ask.key)
    allowed = [_ruling(ask, fields, names, settles=decision.rule == "moderator") for fields in readings]
    words = decision.text.replace(word, NO_TOKEN) if decided else None
    require(words in allowed, "I25", lambda: f"{ask.key} says {readings}, and it is {decision.status}: {words!r}")
    goes_on = decision.rule == "moderator" and all(fields.get("STATUS") == CONTINUE for fields in readings)
    require(
        not goes_on or _is_last(ask), "I25", lambda: f"{ask.key} wants to go on, and nobody was asked: {decision.how}"
    )


def _ruling(ask: Ask, fields: Said, names: Sequence[str], *, settles: bool) -> str | None:
    """The decision that an answer gives; None where it gives none."""
    asked = [field.name for field in (ask.form.fields if ask.form else ())]
    wanted = [name for name in names if name in asked]
    if not wanted or any(name not in fields for name in wanted) or (settles and fields.get("STATUS") != SETTLED):
        return None
    return str(fields[wanted[0]])


def _newest(record: RecordFacts, act: str) -> Ask | None:
    return next((ask for ask in reversed(record.asked.values()) if ask.act == act), None)


def _is_last(ask: Ask) -> bool:
    """Whether no round follows that of a moderator's question."""
    number = _ROUND.search(ask.task)
    return number is None or number[1] == number[2]


def check_moderation(record: RecordFacts, event: Halted | Ask) -> None:
    """Rounds end early only where the moderator's newest answer says that it is settled, and then nobody is asked."""
    if record.opened is None or record.opened.name != "moderated":
        return
    asks = [ask for ask in record.asked.values() if ask.act == "moderate" and record.reply(ask.key)]
    readings: Sequence[Said] = readings_of(record, asks[-1]) if asks else ()
    if isinstance(event, Halted) and event.reason.endswith(f"says {SETTLED}"):
        settled = any(fields.get("STATUS") == SETTLED for fields in readings)
        require(settled, "I25", lambda: f"{event.reason}, and it says {readings}")
    if isinstance(event, Ask):
        goes_on = not readings or any(fields.get("STATUS") != SETTLED for fields in readings)
        require(goes_on, "I25", lambda: f"{event.key} is asked, and {asks[-1].key} says {readings}")
