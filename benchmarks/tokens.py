"""Measures the input tokens of each protocol, against the formulas, and the share that a prompt cache would serve.

The protocols are really played and the prompts are really composed. Only the answers are invented, each so long that it
takes L tokens in the log. A token is 4 characters. Q is the largest fixed part of a prompt (rules, topic, background,
persona, task, form), N the debaters, R the rounds after the first answers. The formulas are those of the literature
on the cost of debates:

- every round reads all earlier ones:     N(R+1) Q + N² L R(R+1)/2
- ... and, where one speaks after the other, what was said before in the same round:  + R L N(N-1)/2
- only the n newest turns (n = N):        N(R+1) Q + R N n L
- a ring of critics (d = 1): each round a critique of d answers, then a revision that reads one's own answer and d
  critiques:                              N(2R+1) Q + R N (2d+1) L

`read` is the input of the asks of the opening and the rounds; `all` counts the ending too.

A hit is what the beginning of a prompt shares with an earlier prompt to the same model: what a provider's prompt cache
can hold. Everybody has the same model. Two columns say which share of the input is hits, from the second round on (in
bp_style, which has one round, from the second speech on) to the end:

- `log` counts the prompts that hold a log. With full_log every row must reach 80%.
- `hits` counts all prompts. Those without a log say nothing about full_log: all prompts of arena and panel, and the
  ballots. A ballot shows the closing statements without names, to each voter in another order, because what stands
  first is favoured; so it repeats little, and where the rounds are few, `hits` can be below 80%.

Run it with ``make bench`` or ``python benchmarks/tokens.py``. It ends with an error where a bound is broken.
"""

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from folkmoot.agents.prompt import compose
from folkmoot.core.agent import Context, context_of
from folkmoot.core.ask import Ask, Field, Reply, Value
from folkmoot.core.brief import Brief, Participant, Source, View
from folkmoot.core.event import Asked, Entered, Halted, Replied, Ruled
from folkmoot.core.transcript import Transcript
from folkmoot.models.base import Traits
from folkmoot.phases.base import State, enter
from folkmoot.phases.choices import Choices
from folkmoot.protocols.known import build

LETTERS = 4  # characters of a token
L = 400
FRAME = 32  # characters around an answer in a log
SIZES, ROUNDS = (3, 5, 10), (2, 3, 6)
REACH = 0.8
"""The share of the prompts with a log that must be prefix hits from the second round on where all see the full log."""

SENTENCE = "The depot handles 40 tons a day and its lease ends in two years. "
FORMATS = ("round_robin", "socratic", "bp_style", "fishbowl", "chain_of_thought", "open_fight", "arena", "panel")
VIEWS = ("full_log", "last_n_turns", "summary_only", "persona_scoped")


def view(name: str, n: int) -> View | None:
    """The view of that name for every debater."""
    views = {"last_n_turns": View(last=n), "summary_only": View(summary_only=True), "persona_scoped": View(mine=True)}
    return views.get(name)


@dataclass(slots=True)
class Share:
    """Characters of prompts, and those of them that repeat."""

    of: int = 0
    hits: int = 0

    def add(self, of: int, hits: int) -> None:
        """Take one prompt in."""
        self.of += of
        self.hits += hits

    @property
    def part(self) -> float | None:
        """The part that repeats; None where there are no prompts."""
        return self.hits / self.of if self.of else None


@dataclass(slots=True)
class Tally:
    """Characters of prompts: all; of opening and rounds; from the second round on, with a log and all.

    Attributes:
        fixed: of the largest prompt without any turn.
        begun: whether the second round has begun.
        sent: the prompts so far.
    """

    asks: int = 0
    all: int = 0
    read: int = 0
    log: Share = field(default_factory=Share)
    late: Share = field(default_factory=Share)
    fixed: int = 0
    begun: bool = False
    sent: list[str] = field(default_factory=list[str])

    def add(self, prompt: str, ask: Ask, *, fixed: str, log: bool) -> None:
        """Take one prompt in; ``fixed`` is the same without any turn, ``log`` says whether it holds a log."""
        self.asks += 1
        self.all += len(prompt)
        self.fixed = max(self.fixed, len(fixed))
        if "/rounds/" in ask.key or ask.act in ("open", "draft", "propose"):
            self.read += len(prompt)
        self.begun = self.begun or "/round-2" in ask.key or "/leader-of-the-opposition" in ask.key
        if self.begun:
            hits = max((shared(prompt, prompt_before) for prompt_before in self.sent[-40:]), default=0)
            self.late.add(len(prompt), hits)
            if log:
                self.log.add(len(prompt), hits)
        self.sent.append(prompt)

    @property
    def q(self) -> int:
        """Tokens of the largest fixed part."""
        return math.ceil(self.fixed / LETTERS)


def shared(one: str, other: str) -> int:
    """How many characters two texts share at their beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one.startswith(other[:middle]) else (low, middle - 1)
    return low


def measure(protocol: str, sight: str, people: int, rounds: int) -> Tally:
    """Play a protocol and weigh its prompts."""
    who = tuple(
        Participant(name=f"Person {n}", role="Answers for one side of the matter", persona="You care. " * 12,
                    view=view(sight, people))
        for n in range(1, people + 1)
    )  # fmt: skip
    source = Source(name="depot.md", text=SENTENCE * 10)
    brief = Brief(topic="Should we build a new depot?", background=(source,),
                  participants=who)  # fmt: skip
    choices = Choices(
        rounds=rounds, summarize=1 if sight == "summary_only" else 0, topology="ring" if protocol == "arena" else None
    )
    transcript, tally = Transcript(brief=brief), Tally()
    for step in enter(build(protocol, brief, choices), State(brief=brief, transcript=transcript)):
        if isinstance(step, Entered | Halted | Ruled):
            transcript.apply(step)
            continue
        for ask in step:
            transcript.apply(Asked(ask=ask))
        for ask in step:
            context = context_of(brief, transcript, ask)
            fixed = text(ask, Context(brief=brief, me=context.me))
            tally.add(text(ask, context), ask, fixed=fixed, log=bool(context.turns))
        for place, ask in enumerate(step):
            words = (f"{ask.key} " + "words " * L)[: L * LETTERS - FRAME]
            transcript.apply(Replied(key=ask.key, reply=Reply(text=words, fields=filled(ask, place))))
    return tally


def text(ask: Ask, context: Context) -> str:
    """The prompt as one text."""
    return "\n".join(message.text for message in compose(ask, context, Traits()))


def filled(ask: Ask, place: int) -> dict[str, Value]:
    """A form filled in such that nobody agrees and everybody bids."""
    return {form_field.name: _value(form_field, ask.key, place) for form_field in ask.form.fields} if ask.form else {}


def _value(field: Field, key: str, place: int) -> Value:
    match field.kind:
        case "choice":
            return field.choices[place % len(field.choices)]
        case "number":
            return 10.0 if field.high is None else field.high
        case "flag":
            return True
        case "list":
            return (key,)
        case _:
            return f"answer {key}"


def formula(protocol: str, sight: str, n: int, r: int, q: int) -> int | None:
    """The tokens that the formulas of the opening and the rounds give; None where there is none."""
    first = n * (r + 1) * q
    if protocol == "arena" and sight == "full_log":
        return n * (2 * r + 1) * q + r * n * 3 * L
    if protocol not in ("round_robin", "chain_of_thought"):
        return None
    if sight == "last_n_turns":
        return first + r * n * n * L
    if sight == "full_log":
        within = r * L * n * (n - 1) // 2 if protocol == "round_robin" else 0
        return first + n * n * L * r * (r + 1) // 2 + within
    return None


def main() -> int:
    """Print the table; 1 where a bound is broken."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--rounds", type=int, nargs="+", default=list(ROUNDS))
    arguments = parser.parse_args()
    print(f"tokens of input; L = {L}, a token is {LETTERS} characters")
    print(
        f"{'protocol':17}{'view':15}{'N':>3}{'R':>3}{'asks':>6}{'Q':>5}{'all':>10}{'read':>10}{'formula':>10}", end=""
    )
    print(f"{'ratio':>7}{'log':>7}{'hits':>7}")
    broken = [fault for protocol in FORMATS for fault in table(protocol, arguments.sizes, arguments.rounds)]
    for fault in broken:
        print(f"OUT OF REACH: {fault}", file=sys.stderr)
    return 1 if broken else 0


def table(protocol: str, sizes: Sequence[int], rounds: Sequence[int]) -> list[str]:
    """Print the rows of a protocol; what is out of reach in them."""
    faults: list[str] = []
    for sight in VIEWS:
        for n in sizes:
            for r in rounds:
                if (protocol == "bp_style" and (n > 8 or r != rounds[0])) or (protocol == "panel" and r > 3):
                    continue
                tally = measure(protocol, sight, n, r)
                print(row(protocol, sight, n, r, tally))
                faults += missed(protocol, sight, n, r, tally)
    return faults


def row(protocol: str, sight: str, n: int, r: int, tally: Tally) -> str:
    """One row of the table."""
    read, bound = tally.read / LETTERS, formula(protocol, sight, n, r, tally.q)
    shares = "".join(f"{'-' if part is None else f'{part:.0%}':>7}" for part in (tally.log.part, tally.late.part))
    known = f"{protocol:17}{sight:15}{n:3}{r:3}{tally.asks:6}{tally.q:5}{tally.all / LETTERS:10.0f}{read:10.0f}"
    return f"{known}{bound or '-':>10}{f'{read / bound:.2f}' if bound else '-':>7}{shares}"


def missed(protocol: str, sight: str, n: int, r: int, tally: Tally) -> list[str]:
    """What is out of reach in a row, each as a sentence."""
    read, bound = tally.read / LETTERS, formula(protocol, sight, n, r, tally.q)
    where, part = f"{protocol}, {sight}, N={n}, R={r}", tally.log.part
    faults: list[str] = []
    if bound and read > bound and (sight == "last_n_turns" or protocol == "arena"):
        faults.append(f"{where}: {read:.0f} tokens read, the formula gives {bound}")
    if sight == "full_log" and part is not None and part < REACH:
        faults.append(f"{where}: {part:.1%} of the prompts with a log are prefix hits")
    return faults


if __name__ == "__main__":
    sys.exit(main())
