"""The argument map of a debate: claims, attacks and supports, and which arguments hold, with what strength.

The map reads typed fields only, never prose: a turn names the turn that it answers (TARGET) and the relation to it
(RELATION). Equal claims in the same words are one node.

Two published semantics are computed side by side. The grounded extension (Dung 1995) looks at attacks alone, because
an attack on one supporter of a claim must not defeat the claim itself. The quadratic energy model (Potyka 2018) gives
each claim a strength and counts support too. Both say what follows from who attacks whom, not what is true.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from folkmoot.arguments.positions import answered_critiques, bare
from folkmoot.arguments.unmarked import unmarked
from folkmoot.core.ask import shown
from folkmoot.core.event import Entry
from folkmoot.core.labels import act_of
from folkmoot.core.text import flat, shorten
from folkmoot.core.transcript import TARGET, Transcript, Turn, fold, read_field

Label: TypeAlias = Literal["in", "out", "undecided"]
Pair: TypeAlias = tuple[str, str]
"""Who acts on whom: an attack or a support."""

BASE = 0.5
"""The strength of an argument that nobody attacks or supports."""

CLOSE = 1e-9
"""The strengths have settled when none is further than this from what the others make of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strengths:
    """The strength of each argument, 0 to 1, and whether the iteration has settled; else they are its last values."""

    values: Mapping[str, float]
    settled: bool


def grounded(arguments: Sequence[str], attacks: Collection[Pair]) -> dict[str, Label]:
    """The grounded labelling: what must be accepted is in, what an accepted one attacks is out, the rest undecided.

    An argument is in when all its attackers are out; those without attackers come first. The arguments that are in
    are the grounded extension of P. M. Dung, "On the acceptability of arguments and its fundamental role in
    nonmonotonic reasoning, logic programming and n-person games", Artificial Intelligence 77 (1995): the least
    complete extension, there is always exactly one.

    Args:
        arguments: their names.
        attacks: pairs (attacker, attacked) of those names.
    """
    attackers = _acting_on(arguments, attacks)
    labels: dict[str, Label] = {}
    while True:
        accepted = [
            argument
            for argument in arguments
            if argument not in labels and all(labels.get(by) == "out" for by in attackers[argument])
        ]
        if not accepted:
            return {argument: labels.get(argument, "undecided") for argument in arguments}
        labels.update(dict.fromkeys(accepted, "in"))
        for argument in arguments:
            if argument not in labels and any(labels.get(by) == "in" for by in attackers[argument]):
                labels[argument] = "out"


def strengths(
    arguments: Sequence[str], attacks: Collection[Pair], supports: Collection[Pair], *, steps: int = 10_000
) -> Strengths:
    """The strength of each argument by the quadratic energy model, with the same base score b = 0.5 for all.

    The energy of an argument is the strength of its supporters less that of its attackers, E = Σs − Σa. In equilibrium
    s = b + (1 − b)·h(E) − b·h(−E) with h(x) = max(x, 0)² / (1 + max(x, 0)²). It is the limit of the differential
    equation ds/dt = b + (1 − b)·h(E) − b·h(−E) − s from s = b, followed here by Euler's method with a step that
    shrinks with the number of an argument's neighbours. Outside of cycles the limit exists and is computed at once; for
    cycles, and what they bear on, no proof is known, so the result says whether it has settled.

    Source: N. Potyka, "Continuous dynamical systems for weighted bipolar argumentation", KR 2018.

    Args:
        arguments: their names.
        attacks: pairs (attacker, attacked) of those names.
        supports: pairs (supporter, supported) of those names.
        steps: the most steps taken.
    """
    against, support = _acting_on(arguments, attacks), _acting_on(arguments, supports)

    def draw(text: str, now: Mapping[str, float]) -> float:
        return _strength_of_energy(sum(now[by] for by in support[text]) - sum(now[by] for by in against[text]))

    # Outside of cycles the equilibrium of an argument follows from those of its neighbours, which come first.
    fixed: dict[str, float] = {}
    left = list(arguments)
    while ready := [text for text in left if all(by in fixed for by in (*against[text], *support[text]))]:
        fixed |= {text: draw(text, fixed) for text in ready}
        left = [text for text in left if text not in fixed]
    # h rises by at most 0.65 for each unit of energy, and b is a half: so steep can the right side be.
    steepest = 0.33 * max((len(against[text]) + len(support[text]) for text in left), default=0)
    step = 1 / (1 + steepest)
    now = dict.fromkeys(arguments, BASE) | fixed
    for _ in range(steps):
        drawn = {text: draw(text, now) for text in left}
        if all(abs(drawn[text] - now[text]) <= CLOSE for text in left):
            return Strengths(values=now | drawn, settled=True)
        now |= {text: now[text] + step * (drawn[text] - now[text]) for text in left}
    return Strengths(values=now, settled=False)


def _strength_of_energy(energy: float) -> float:
    """Where an energy draws a strength."""
    square = energy * energy
    pull = square / (1 + square)
    return BASE + (1 - BASE) * pull if energy > 0 else BASE - BASE * pull


def _acting_on(arguments: Sequence[str], pairs: Collection[Pair]) -> dict[str, list[str]]:
    """For each argument those that act on it."""
    attackers: dict[str, list[str]] = {argument: [] for argument in arguments}
    for by, on in pairs:
        attackers[on].append(by)
    return attackers


SPOKEN = ("open", "draft", "propose", "argue", "question", "answer", "interrupt", "revise", "critique", "close")
"""The acts that carry arguments."""

Relation: TypeAlias = Literal["SUPPORT", "ATTACK", "REBUT", "QUESTION", "ANSWER"]
"""What a claim does to another: backs it, denies it, denies that its reasons bear it, asks about it; ANSWER where the
turn says only which turn it answers."""

RELATIONS: tuple[Relation, ...] = ("SUPPORT", "ATTACK", "REBUT", "QUESTION", "ANSWER")
AGAINST: tuple[Relation, ...] = ("ATTACK", "REBUT")
"""The relations that count as attacks."""

Standing: TypeAlias = Label | Literal["replaced", "question"]
"""Whether a claim stands: in, out or undecided; replaced by its authors; or no claim at all but a question."""

LONGEST = 300
"""The most characters of a turn that stands on the map with its own words, because it names no claim."""

# Where a turn says what it says in short: as a claim, a critique's issue, a question, or its position.
_CLAIMS = ("CLAIM", "ISSUE", "QUESTION", "POINT", "ANSWER")
_REPLIES = ("critique", "interrupt", "question", "answer")
_PROPOSALS = ("draft", "propose", "revise")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimTurn:
    """One turn that makes a claim: its mark and key, who speaks, the act, the round (0 outside rounds), the ANSWER."""

    mark: str
    key: str
    by: str
    act: str
    round: int = 0
    stance: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A claim.

    Attributes:
        mark: the mark of the first turn that makes it.
        claim: the claim in its author's words.
        made: all turns that make it, oldest first.
        replaced: the mark of the claim that its authors put in its place; "" while somebody holds it.
    """

    mark: str
    claim: str
    made: tuple[ClaimTurn, ...]
    replaced: str = ""

    @property
    def by(self) -> tuple[str, ...]:
        """Who makes it, each once."""
        return tuple(dict.fromkeys(item.by for item in self.made))

    @property
    def stances(self) -> tuple[str, ...]:
        """The positions that it was given for, each once."""
        return tuple(dict.fromkeys(item.stance for item in self.made if item.stance))

    @property
    def asks(self) -> bool:
        """Whether it is a question and claims nothing."""
        return all(item.act == "question" for item in self.made)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """What one claim does to another: the marks of both, the relation, and the marks of the turns that say so."""

    source: str
    target: str
    relation: Relation
    turns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentMap:
    """The claims in the order in which they were made, and what they do to each other.

    ``answered`` are the marks of the critiques that authors accept or reject by letter.
    """

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    answered: tuple[str, ...] = ()

    @property
    def is_worth_showing(self) -> bool:
        """Whether there is enough on it to be a chapter of a report: three claims, and a link between two."""
        return len(self.nodes) >= 3 and bool(self.edges)

    def node(self, mark: str) -> Node:
        """The claim of that mark; KeyError where there is none."""
        for item in self.nodes:
            if item.mark == mark:
                return item
        raise KeyError(mark)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What follows from a map.

    Attributes:
        standing: whether each claim stands, by its mark.
        strength: how strong it is, 0 to 1; claims that were replaced, and questions, have none.
        settled: whether the strengths are a limit; see ``semantics.strengths``.
        unanswered: attacks on claims that are still held, where nobody attacked the attacker, and no author accepts
            or rejects the critique; and questions that nobody answered.
    """

    standing: dict[str, Standing] = field(default_factory=dict[str, Standing])
    strength: dict[str, float] = field(default_factory=dict[str, float])
    settled: bool = True
    unanswered: tuple[Edge, ...] = ()


def argument_map(source: Transcript | Iterable[Entry]) -> ArgumentMap:
    """The argument map of a debate, complete or not.

    A node is a turn of SPOKEN with a claim; one whose form asks for none stands with its issue, its question, its
    position, else its first words. One that says NONE adds none, and a closing statement without a claim only sums up.
    An edge leads to the turn named in TARGET; a critique, an interruption, a question and an answer without it are
    about the one turn that was laid before them, and a critique attacks it.
    """
    transcript = source if isinstance(source, Transcript) else fold(source)
    claims: dict[str, str] = {}
    turns_by_claim: dict[str, list[ClaimTurn]] = {}
    home: dict[str, str] = {}
    marks: dict[str, str] = {}
    for turn in transcript.turns(*SPOKEN):
        if claim := claim_text(turn):
            same = bare(claim)
            mark = marks.setdefault(same or claim, turn.mark)
            claims.setdefault(mark, claim)
            turns_by_claim.setdefault(mark, []).append(_claim_turn(turn, same))
            home[turn.key] = mark
    replaced = _replaced(transcript, home)
    return ArgumentMap(
        nodes=tuple(_node(mark, claim, turns_by_claim[mark], replaced) for mark, claim in claims.items()),
        edges=_edges(transcript, home),
        answered=answered_critiques(transcript),
    )


def judge(arguments: ArgumentMap) -> Judgement:
    """Which claims stand, how strong they are, and what was left unanswered."""
    live = [node.mark for node in arguments.nodes if not node.replaced and not node.asks]
    pairs = [edge for edge in arguments.edges if edge.source in live and edge.target in live]
    attacks = [(edge.source, edge.target) for edge in pairs if edge.relation in AGAINST]
    supports = [(edge.source, edge.target) for edge in pairs if edge.relation == "SUPPORT"]
    labels = grounded(live, attacks)
    strong = strengths(live, attacks, supports)
    standing: dict[str, Standing] = {
        node.mark: "question" if node.asks else "replaced" if node.replaced else labels[node.mark]
        for node in arguments.nodes
    }
    met = [attacked for _, attacked in attacks]
    questioned = [edge.target for edge in arguments.edges]
    open_ = [edge for edge in pairs if not edge.turns or not set(edge.turns) <= set(arguments.answered)]
    unanswered = [edge for edge in open_ if edge.relation in AGAINST and edge.source not in met]
    unanswered += [edge for edge in arguments.edges if edge.relation == "QUESTION" and edge.source not in questioned]
    return Judgement(
        standing=standing, strength=dict(strong.values), settled=strong.settled, unanswered=tuple(unanswered)
    )


def claim_text(turn: Turn) -> str:
    """What a turn claims, in its own words; "" if it claims nothing."""
    fields = turn.ask.form.fields if turn.ask and turn.ask.form else ()
    asks_for_claim = any(item.name == "CLAIM" for item in fields)
    names = _CLAIMS[:1] if asks_for_claim else _CLAIMS
    value = next((shown(value) for name in names if (value := read_field(turn, name)) is not None), None)
    if value is not None:
        claims = asks_for_claim or turn.act != "close"
        return _in_one_line(value) if claims and bare(value) != "none" else ""
    return short_claim(_words(turn))


def short_claim(text: str) -> str:
    """The words of a turn as the map shows them."""
    return shorten(_in_one_line(text), LONGEST)


def _in_one_line(text: str) -> str:
    """A text in one line that shows no Markdown."""
    return unmarked(flat(text))


def _words(turn: Turn) -> str:
    argument = read_field(turn, "ARGUMENT")
    return turn.text if argument is None else shown(argument)


def _claim_turn(turn: Turn, same: str) -> ClaimTurn:
    """The making of a claim, ``same`` as it is compared."""
    answer = read_field(turn, "ANSWER")
    stance = "" if answer is None or bare(shown(answer)) == same else shown(answer)
    return ClaimTurn(mark=turn.mark, key=turn.key, by=turn.by, act=act_of(turn), round=turn.round, stance=stance)


def _edges(transcript: Transcript, home: dict[str, str]) -> tuple[Edge, ...]:
    marks_by_edge: dict[tuple[str, str, Relation], list[str]] = {}
    for key, source in home.items():
        turn = transcript.get(key)
        met = answered(transcript, turn)
        target = home.get(met.key, "") if met else ""
        # A turn that answers its own claim in other hands has joined it, and does nothing to it.
        if target and target != source:
            marks_by_edge.setdefault((source, target, relation(turn)), []).append(turn.mark)
    return tuple(
        Edge(source=source, target=target, relation=does, turns=tuple(marks))
        for (source, target, does), marks in marks_by_edge.items()
    )


def answered(transcript: Transcript, turn: Turn) -> Turn | None:
    """The turn that a turn answers; None if it names none and was not asked about exactly one."""
    target = None if read_field(turn, TARGET) is None else transcript.target(turn)
    if target is None and turn.act in _REPLIES:
        laid = [item for item in map(transcript.get, turn.about) if item.act in SPOKEN]
        return laid[0] if len(laid) == 1 else None
    return target


def relation(turn: Turn) -> Relation:
    """What a turn does to the one that it answers."""
    stated_relation = read_field(turn, "RELATION")
    for item in RELATIONS:
        if item == stated_relation:
            return item
    return "ATTACK" if turn.act == "critique" else "QUESTION" if turn.act == "question" else "ANSWER"


def _replaced(transcript: Transcript, home: dict[str, str]) -> dict[str, str]:
    """For each turn that its author revised the mark of the claim that replaces it."""
    turns = {turn.mark: turn for turn in transcript.turns()}
    proposals = transcript.turns(*_PROPOSALS)
    replaced_by: dict[str, str] = {}
    for key, mark in home.items():
        turn = transcript.get(key)
        named = turn.ask.replaces if turn.ask else ""
        old = turns.get(named) or _newest_proposal(proposals, turn)
        if old and old.by == turn.by and old.number < turn.number and home.get(old.key, mark) != mark:
            replaced_by[old.mark] = mark
    return replaced_by


def _newest_proposal(proposals: Sequence[Turn], turn: Turn) -> Turn | None:
    """The proposal that a revision replaces if it names none: its author's newest before it."""
    if turn.act != "revise":
        return None
    return next(
        (proposal for proposal in reversed(proposals) if proposal.by == turn.by and proposal.number < turn.number), None
    )


def _node(mark: str, claim: str, turns: Sequence[ClaimTurn], replaced: dict[str, str]) -> Node:
    """A claim and its replacement, if all of its authors have replaced it."""
    news = [replaced.get(item.mark, "") for item in turns]
    return Node(mark=mark, claim=claim, made=tuple(turns), replaced=news[-1] if all(news) else "")
