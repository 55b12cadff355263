"""The page of simulated voters, from ``benchmarks/simulated``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.simulated import voter_table
from benchmarks.simulated.worlds import Talk, Voters
from doc_pages import page

VOTERS = """\
Five simulated voters, each right on 70% of questions alone, decide under every protocol and rule:

```console no-run
$ python -m benchmarks.simulated voters --table
```

In each cell stand the shares of questions decided right and decided wrong, in percent. On the others nothing is
decided. The last column has what one liar and two liars cost: the points by which fewer questions are decided right.

How often voters read each other, and whether a round waits for a difference, is taken from the protocols. The rules are
those that ship. Simulated is what reading does: in each round a wrong voter takes over a right answer with a chance of
0.2, a right one a wrong answer with 0.05, and each a random answer with 0.1. A liar always gives the most tempting
wrong answer, and turns each of the others with a chance of 0.2 in a round.

Where the rule is "none", one decides:

- `single`: any one of the five.
- `moderated`, `chaired`: a sixth voter, who never lies and is as good as the others. It reads all answers once, and
  its own answer decides.
- `select`: the same voter, but it picks one of the five answers: its own one if somebody gives it, else any.
- `critique`: one of the five answers and another one criticises, drawn for each question, so a liar may be neither.
  Where the two agree the answer stands; else the sixth voter reads both and decides.

In `board` the first messages are read by those who come after; it goes on to its limit of messages, although members
may withdraw earlier. `grouped` needs six voters: two groups of three read each other, and then all read all.

So a debate among honest voters gains, and each round gives a liar another chance. The figures follow from these
assumptions and not from your models: measure those with
[`folkmoot eval run --liar`](../how-to/does-a-debate-pay.md#plant-a-liar).

Left out are protocols without an answer of each voter: in `bp_style` sides are given, `forecast` asks for a
probability, and `findings` lists defects."""


def voters_page() -> str:
    """What liars do to each protocol and rule, with simulated voters."""
    rows = list(voter_table.table(Voters(accuracies=(0.7,) * 5), Talk()))
    return page("Simulated voters", VOTERS, "\n".join(voter_table.table_lines(rows)))
