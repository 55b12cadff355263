"""The protocol ``select``: independent answers, of which a judge picks one and rewrites none.

To choose and to merge are different things, and a merged answer may be worse than the best one. So the judge only
picks, in both orders; a merge is an option, and says what it kept of whom and what it dropped.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from folkmoot.core.ask import Ask, Field, Form
from folkmoot.core.brief import Brief, View
from folkmoot.core.decision import Decision
from folkmoot.core.errors import ProtocolError
from folkmoot.core.event import Ruled
from folkmoot.core.text import counted, letter, listed
from folkmoot.core.transcript import Turn, read_field
from folkmoot.phases import base
from folkmoot.phases.base import Phase, Play, State
from folkmoot.phases.choices import Choices
from folkmoot.phases.endings import mediator
from folkmoot.phases.speak import HIDDEN, alone
from folkmoot.phases.verdict import Pick, other_answers
from folkmoot.phases.vote import candidates, visible_turns

ACTS = ("draft",)

# A judge prefers what is longer, what stands first and what it agrees with: the order is dealt with by asking twice.
PICKING = (
    "Above, each under a letter and without names, are answers to the question. Pick the one that is most likely to "
    "be right and complete: check its claims against the background and the other answers. Neither its length nor its "
    "tone counts. You change nothing in it."
)
MERGING = (
    "Above, each under a letter and without names, are answers to the question. {picked} was picked as the best. "
    "Write one answer that keeps what is right in it and adds from the others only what is right and missing there. "
    "Then account for every claim: in KEPT, a line for each claim that your answer contains, in DROPPED, a line for "
    "each claim that it leaves out. Begin each line with the letter of its answer, such as 'B: the claim'."
)


def select(brief: Brief, choices: Choices) -> Phase:
    """Independent answers; a judge, without names and in both orders, picks one of them and rewrites none.

    The moderator is the judge; one of another family than the debaters is best. If it picks another answer in the other
    order, it is a tie. With ``merge: yes`` it then writes one answer from all, with a ledger: which claim was kept from
    whom, and which was dropped.
    """
    choices.no_turn_mode("select")
    by = mediator(brief, "select")
    pick = Pick(by=by, acts=ACTS, task=PICKING, closed=bool(brief.options), view=HIDDEN)
    if not choices.merge:
        return base.Sequence(parts=(alone(brief), pick))
    if brief.options:
        raise ProtocolError("merge goes with open answers; one of several options cannot be merged", about="merge")
    return base.Sequence(parts=(alone(brief), pick, Merge(by=by, acts=ACTS)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """The judge writes one answer from all, and accounts for each claim; only after it has picked one.

    A line of the ledger that names no answer counts for none, and the decision says how many do so.

    Attributes:
        by: the judge's name.
        acts: the acts that are answers.
        task: what to do; ``{picked}`` is replaced by the letter of the picked answer.
        name: what it is called in paths.
        always: whether it is asked for though no answer was picked; for estimates of the most that can be asked.
    """

    by: str
    acts: tuple[str, ...]
    task: str = MERGING
    name: str = "merge"
    always: bool = False

    def play(self, state: State) -> Play:
        """Ask for the merged answer, if an answer was picked and there are others."""
        decision = state.transcript.decision
        groups = candidates(state.transcript, self.acts, latest=True)
        shown = visible_turns(state, self.by, groups)
        picked = decision is not None and decision.winner in shown
        if decision is None or len(shown) < 2 or not (picked or self.always):
            return
        names = list(shown)
        state.chance("order").shuffle(names)
        key = state.key(1)
        yield [
            Ask(
                key=key,
                to=self.by,
                act="synthesize",
                task=self.task.replace("{picked}", f"Answer {letter(names.index(decision.winner) if picked else 0)}"),
                form=FORM,
                about=tuple(shown[name].key for name in names),
                audience=(self.by,),
                view=View(last=0, anonymous=True),
            )
        ]
        if not picked:
            return
        authors = [listed([turn.by for turn in groups[name]]) for name in names]
        merged = _merged(decision, state.transcript.get(key), authors)
        yield Ruled(
            decision=replace(merged, minority=other_answers(groups)) if merged.text != decision.text else merged
        )


FORM = Form(
    name="merge",
    fields=(
        Field(name="MERGED", help="the answer, complete in itself"),
        Field(name="KEPT", kind="list", help="each claim in it, with the letter of its answer: 'A: the claim'"),
        Field(name="DROPPED", kind="list", required=False, help="each claim left out, with the letter of its answer"),
    ),
)

_LETTER = re.compile(r"\W*(?:(?:answer|proposal)\s+)?([A-Z]{1,2})\W*(?::|\)|\s[-–—])\s*\S", re.IGNORECASE)


def _merged(decision: Decision, turn: Turn, authors: Sequence[str]) -> Decision:
    """The picked decision with the merged text and its ledger; as it was where no merged answer could be read."""
    text, kept_lines = read_field(turn, "MERGED"), read_field(turn, "KEPT")
    if text is None or not isinstance(kept_lines, tuple):
        lacking = "gave no merged answer" if text is None else "gave no ledger"
        return replace(decision, how=f"{decision.how}; {turn.by} {lacking}, so the picked answer is kept as it was")
    dropped_lines = read_field(turn, "DROPPED")
    dropped = dropped_lines if isinstance(dropped_lines, tuple) else ()
    words = "; ".join(
        (f"kept {_claims_by_author(kept_lines, authors)}", f"dropped {_claims_by_author(dropped, authors)}")
    )
    how = f"{decision.how}; {turn.by} merged the answers: {words}"
    return replace(decision, text=str(text), argument=decision.text, how=how)


def _claims_by_author(lines: Sequence[str], authors: Sequence[str]) -> str:
    """How many claims of whom."""
    letters = [letter(n) for n in range(len(authors))]
    begun = [match[1].upper() if (match := _LETTER.match(line)) else "" for line in lines]
    counts = [(author, begun.count(mark)) for author, mark in zip(authors, letters, strict=True)]
    unknown = sum(mark not in letters for mark in begun)
    parts = [f"{n} of {author}" for author, n in counts if n] + ([f"{unknown} of no answer"] if unknown else [])
    return f"{counted(len(lines), 'claim')} ({', '.join(parts)})" if parts else "nothing"
