"""The protocol ``critique``: one answers, a blind critic names the errors, and a judge checks each of them.

One independent critique gives a judge most of what a debate gives it, and rebuttals add nothing that was measured. It
works only if the judge verifies: so a claim that was not checked by quotation, tool or recomputation changes nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from folkmoot.core.ask import Ask, Field, Form
from folkmoot.core.brief import Brief
from folkmoot.core.decision import Decision, Minority
from folkmoot.core.event import Ruled
from folkmoot.core.families import are_apart
from folkmoot.core.text import counted
from folkmoot.core.transcript import Turn, read_field
from folkmoot.phases import base
from folkmoot.phases.base import Phase, Play, State
from folkmoot.phases.choices import Choices
from folkmoot.phases.endings import mediator
from folkmoot.phases.speak import ALONE, FIRST, HIDDEN, Everyone, draft, revision
from folkmoot.phases.vote import proposal_argument, proposal_text

RULE = "critique"
CLAIMS = 3
"""The most errors that a critic can name."""

KINDS = ("FACT", "REASONING", "CALCULATION", "OMISSION", "MISREADING")
CHECKS = ("QUOTATION", "TOOL", "RECOMPUTATION", "NONE")
"""How a judge can have checked a claim."""

CRITICISING = (
    "Above is an answer to the question. You do not know whose it is. Look for errors in it: check its facts "
    "against the background, its reasoning and its calculations. If you find none, say AGREE; do not look for "
    "something to say. Else say ERRORS, and for each error give its place, its kind, and what is wrong."
)
REBUTTING = "A critic has read your answer above. Keep your answer unless the critique is right. Then answer again."
JUDGING = (
    "Above are an answer to the question and what a critic says is wrong with it. Check each claim of the critic "
    "yourself: by a QUOTATION, copied word for word from the answer or the background, by a TOOL, or by RECOMPUTATION. "
    "Give the proof: the quotation, what the tool found, or the calculation. A claim that you have not checked is "
    "UNVERIFIED, however likely it sounds, and must not count. Then keep the answer, or change it because of verified "
    "claims alone."
)


def critique(brief: Brief, choices: Choices) -> Phase:
    """One answers; one blind critic names place and kind of each error; a judge checks each claim, and decides.

    The first debater answers. The critic is the first debater of another family of models, if there is one. The
    moderator is the judge: a claim counts only if it is checked by a quotation that stands in the texts, a tool or a
    calculation. There is no rebuttal unless the brief asks for rounds: in each the author answers the critic, who then
    reads the new answer; at most three.
    """
    choices.no_turn_mode("critique")
    by = mediator(brief, "critique")
    author, critic = pair(brief)
    rounds_limit = choices.rounds_before_vote("critique", 0)
    answer = Everyone(act="draft", task=FIRST, who=(author,), form=draft(brief.options), view=ALONE, needs=1)
    read = Criticise(author=author, critic=critic)
    reply = base.Sequence(parts=(Rebut(author=author, form=revision(brief.options)), read))
    rounds = (base.Rounds(each=reply, most=rounds_limit),) if rounds_limit else ()
    return base.Sequence(parts=(answer, read, *rounds, Check(by=by, author=author, options=brief.options)))


def pair(brief: Brief) -> tuple[str, str]:
    """Who answers and who criticises: the first debater, and the first other one of another family of models."""
    author, *others = (brief.participant(name) for name in brief.names("debater"))
    strangers = [participant for participant in others if are_apart(participant.seat, author.seat)]
    return author.name, (*strangers, *others)[0].name


def numbered(fields: Sequence[Field]) -> Iterator[Field]:
    """These fields for each claim that a critic can make, each name with the number of the claim."""
    for n in range(1, CLAIMS + 1):
        yield from (replace(field, name=f"{field.name} {n}") for field in fields)


ERRORS = Form(
    name="errors",
    fields=(
        *numbered(
            (
                Field(name="WHERE", required=False, help="the words of the answer that are wrong, copied exactly"),
                Field(name="ERROR", required=False, help="what is wrong with it, and how one can check that"),
                Field(name="KIND", kind="choice", choices=KINDS, required=False, help="the kind of the error"),
            )
        ),
        Field(name="RESULT", kind="choice", choices=("AGREE", "ERRORS"), help="whether the answer has an error"),
    ),
)
"""What a critic says of an answer."""


class Claim(NamedTuple):
    """One error that a critic names: its number, where, of what kind, and what is wrong."""

    number: int
    where: str
    kind: str
    words: str


def _newest_turn(state: State, act: str) -> Turn | None:
    """The newest turn of that act, answered or not."""
    turns = [turn for turn in state.transcript.all() if turn.act == act]
    return turns[-1] if turns else None


def claims(turn: Turn) -> tuple[Claim, ...]:
    """The errors that a critic names; none where it agrees."""
    if read_field(turn, "RESULT") == "AGREE":
        return ()
    texts = [
        (n, *(str(read_field(turn, f"{name} {n}") or "") for name in ("WHERE", "KIND", "ERROR")))
        for n in range(1, CLAIMS + 1)
    ]
    return tuple(Claim(n, passage, kind, words) for n, passage, kind, words in texts if words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Criticise:
    """A critic, who does not know whose it is, looks for errors in an answer; not asked where there is none.

    Attributes:
        author: whose answer.
        critic: who looks.
        task: what to do.
        name: what it is called in paths and records.
    """

    author: str
    critic: str
    task: str = CRITICISING
    name: str = "critique"

    def play(self, state: State) -> Play:
        """Ask the critic."""
        answer = state.transcript.last(self.author, "draft", "revise")
        before = _newest_turn(state, self.name)
        if before and not claims(before):
            return
        if answer and state.transcript.sees(self.critic, answer):
            yield [
                Ask(
                    key=state.key(1),
                    to=self.critic,
                    act=self.name,
                    task=self.task,
                    form=ERRORS,
                    about=(answer.key,),
                    view=HIDDEN,
                )
            ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebut:
    """The author of an answer may reply to its critic, once; not asked where the critic names no error.

    Attributes:
        author: the author.
        form: the fields of the new answer.
        task: what to do.
        name: what it is called in paths and records.
    """

    author: str
    form: Form
    task: str = REBUTTING
    name: str = "revise"

    def play(self, state: State) -> Play:
        """Ask the author."""
        answer, critic = state.transcript.last(self.author, "draft", "revise"), _newest_turn(state, "critique")
        if answer and critic and claims(critic) and state.transcript.sees(self.author, critic):
            yield [
                Ask(
                    key=state.key(1),
                    to=self.author,
                    act=self.name,
                    task=self.task,
                    form=self.form,
                    about=(answer.key, critic.key),
                    view=HIDDEN,
                )
            ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A judge checks each claim of the critic, and keeps the answer or changes it; only verified claims count.

    A quotation must stand in the answer or in a document, a tool must be one that the judge has, and a calculation
    must hold a number. Where no claim is left, the answer stands, whatever the judge says of it.

    Attributes:
        by: the judge.
        author: whose answer.
        options: the closed set of answers; () for none.
        task: what to do.
        name: what it is called in paths.
    """

    by: str
    author: str
    options: tuple[str, ...] = ()
    task: str = JUDGING
    name: str = "check"

    def play(self, state: State) -> Play:
        """Ask the judge, if there is an answer and a claim against it; then decide."""
        answer, critic = state.transcript.last(self.author, "draft", "revise"), _newest_turn(state, "critique")
        if answer is None or read_field(answer, "ANSWER") is None:
            how = f"{self.author} gave no answer that could be read"
            yield Ruled(decision=Decision(status="no_decision", rule=RULE, how=how))
            return
        stands = standing(answer)
        if critic is None or critic.reply is None:
            yield Ruled(decision=replace(stands, how="no critique was given: the answer is unchecked"))
        elif not (named := claims(critic)):
            yield Ruled(decision=replace(stands, how=_without_claims(critic)))
        elif not all(state.transcript.sees(self.by, turn) for turn in (answer, critic)):
            yield Ruled(decision=replace(stands, how=f"{self.by} may not see both texts: the answer is unchecked"))
        else:
            yield [self._ask(state, (answer.key, critic.key), named)]
            turn = state.transcript.get(state.key(1))
            yield Ruled(decision=self._decide(state, turn, answer, named))

    def _ask(self, state: State, about: tuple[str, ...], named: Sequence[Claim]) -> Ask:
        numbers = [claim.number for claim in named]
        checks = [field for field in CHECKED if int(field.name.rpartition(" ")[2]) in numbers]
        new = Field(name="ANSWER", required=False, kind="choice", choices=self.options) if self.options else ANSWER
        form = Form(name="check", fields=(*checks, OUTCOME, replace(new, help=ANSWER.help)))
        return Ask(key=state.key(1), to=self.by, act="verify", task=self.task, form=form, about=about, view=HIDDEN)

    def _decide(self, state: State, turn: Turn, answer: Turn, named: Sequence[Claim]) -> Decision:
        stands = standing(answer)
        if turn.reply is None:
            return replace(stands, how=f"{self.by} gave no answer: the answer of {self.author} stands unchecked")
        verified = [claim for claim in named if not self._fault(state, turn, answer, claim)]
        faults = [
            f"claim {claim.number}: {fault}" for claim in named if (fault := self._fault(state, turn, answer, claim))
        ]
        checked = "; ".join((f"{len(verified)} of {counted(len(named), 'claim')} of the critic verified", *faults))
        outcome, new = read_field(turn, OUTCOME.name), read_field(turn, "ANSWER")
        if outcome is None:
            none = Decision(status="no_decision", rule=RULE, minority=stands.minority)
            return replace(none, how=f"{self.by}'s {OUTCOME.name} could not be read; {checked}")
        if outcome == "KEEP":
            return replace(stands, how=f"{self.by} keeps the answer; {checked}")
        if not verified:
            return replace(stands, how=f"{self.by} would change the answer, but no claim is verified; {checked}")
        if new is None:
            return replace(
                stands,
                status="no_decision",
                winner="",
                text="",
                support=(),
                how=f"{self.by} changes the answer and gives none; {checked}",
            )
        how = f"{self.by} changes the answer of {self.author}; {checked}"
        winner = str(new) if self.options else ""
        lost = (Minority(answer=proposal_text(answer), by=(self.author,), argument=proposal_argument(answer)),)
        return Decision(
            status="decided", rule=RULE, winner=winner, text=str(new), support=(self.by,), how=how, minority=lost
        )

    def _fault(self, state: State, turn: Turn, answer: Turn, claim: Claim) -> str:
        """Why a claim does not count; "" if it is verified."""
        status, kind = read_field(turn, f"CLAIM {claim.number}"), read_field(turn, f"CHECK {claim.number}")
        proof = str(read_field(turn, f"PROOF {claim.number}") or "")
        if status != "VERIFIED":
            return str(status or "unread").lower()
        texts = [answer.text, *(str(value) for value in answer.fields.values())]
        texts += [source.text for source in state.brief.background]
        match kind:
            case "QUOTATION":
                return "" if _quoted(proof, texts) else "unverified, the quotation is in no text"
            case "TOOL":
                has_tool = bool(state.brief.participant(self.by).tools) and bool(proof)
                return "" if has_tool else f"unverified, {self.by} has no tool"
            case "RECOMPUTATION":
                return "" if re.search(r"\d", proof) else "unverified, there is no calculation"
            case _:
                return "unverified, it was not checked"


CHECKED = (
    *numbered(
        (
            Field(name="CHECK", kind="choice", choices=CHECKS, help="how you checked the claim"),
            Field(name="PROOF", required=False, help="the words quoted, what the tool found, or the calculation"),
            Field(name="CLAIM", kind="choice", choices=("VERIFIED", "REFUTED", "UNVERIFIED"), help="what came of it"),
        )
    ),
)
OUTCOME = Field(
    name="OUTCOME", kind="choice", choices=("KEEP", "CHANGE"), help="whether verified claims change the answer"
)
ANSWER = Field(name="ANSWER", required=False, help="the changed answer, if and only if you change it")


def standing(answer: Turn) -> Decision:
    """The decision by which an answer stands as it is."""
    text = proposal_text(answer)
    return Decision(
        status="decided",
        rule=RULE,
        winner=text if _closed(answer) else answer.by,
        text=text,
        argument=proposal_argument(answer),
        support=(answer.by,),
    )


def _closed(answer: Turn) -> bool:
    fields = answer.ask.form.fields if answer.ask and answer.ask.form else ()
    return any(field.name == "ANSWER" and field.kind == "choice" for field in fields)


def _without_claims(turn: Turn) -> str:
    if read_field(turn, "RESULT") == "AGREE":
        return f"{turn.by} read the answer without its author's name and found no error"
    return f"{turn.by} named no error that could be read: the answer is unchecked"


def _quoted(proof: str, texts: Sequence[str]) -> bool:
    """Whether words of the proof stand in one of the texts: all of it, or what is between quotation marks in it."""
    inner = re.findall(r'["“«„]([^"“”«»„]{8,})["”»“]', proof) or [proof]
    flat_texts = [_flat(text) for text in texts]
    return any(len(_flat(words)) >= 3 and _flat(words) in text for words in inner for text in flat_texts)


def _flat(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
