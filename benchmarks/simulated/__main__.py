"""``python -m benchmarks.simulated``: what can N questions show, and do the statistics keep their promises?

No model is called. Exit codes: 0, 1 where a promise is not kept, 2 wrong arguments.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

from benchmarks.simulated import simulations
from folkmoot.core.text import counted, percent
from folkmoot.evaluation.power import questions_needed_if_differ, smallest_difference, spread_of_share

PROMISES: Mapping[str, Callable[..., list[simulations.Check]]] = {
    "coverage": simulations.check_coverage,
    "null": simulations.check_null,
    "power": simulations.check_power,
    "looks": simulations.check_looks,
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulated", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    words = commands.add_parser("evaluation", help="how often each word is the verdict of an evaluation")
    words.add_argument("--questions", type=int, default=80, help="how many (%(default)s)")
    words.add_argument("--margin", type=float, default=0.05, help="the smallest difference that matters (%(default)s)")
    words.add_argument(
        "--differ",
        type=float,
        default=0.15,
        help="share of questions on which only one of the two is right (%(default)s)",
    )
    promise = commands.add_parser("promise", help="whether intervals and verdicts keep what they promise")
    promise.add_argument("promise", choices=PROMISES)
    for command in (words, promise):
        command.add_argument("--runs", type=int, default=2_000, help="simulated evaluations (%(default)s)")
        command.add_argument("--seed", type=int, default=0, help="of the draws (%(default)s)")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Run a command."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command == "promise":
        return _check_promise(options.promise, options.runs, options.seed)
    if not 0 < options.margin <= options.differ <= 1:
        parser.error("--margin must be more than 0 and at most --differ: no difference is larger than what differs")
    print("\n".join(_expectations(options)))
    return 0


def _check_promise(promise: str, runs: int, seed: int) -> int:
    checks = PROMISES[promise](runs=runs, seed=seed)
    wide = max(len(check.name) for check in checks)
    print(f"{promise}: {counted(runs, 'run')}, seed {seed}")
    for check in checks:
        verdict = "ok" if check.ok else "NOT KEPT"
        print(f"  {check.name:<{wide}}  {check.value:.3f}  promised {check.low:.3f} to {check.high:.3f}  {verdict}")
    return 0 if all(check.ok for check in checks) else 1


def _expectations(options: argparse.Namespace) -> Iterator[str]:
    n, margin, differ = options.questions, options.margin, options.differ
    least = smallest_difference(spread_of_share(differ), n)
    yield f"{n} questions, of which {percent(differ)} differ between the debate and a rival:"
    yield f"  the smallest difference that is found in 4 of 5 runs: {100 * least:.1f} points"
    yield f"  questions needed to find {100 * margin:g} points: {questions_needed_if_differ(differ, margin)}"
    simulated = counted(options.runs, "simulated evaluation")
    yield f"how often the verdict is each word, in {simulated} against two rivals:"
    yield f"  {'true difference':<16}{'helped':>8}{'hurt':>8}{'no difference':>15}{'not known':>11}"
    for effect in dict.fromkeys((0.0, margin, min(2 * margin, differ))):
        words = simulations.expect_words(
            n, margin=margin, share=differ, effect=effect, runs=options.runs, seed=options.seed
        )
        shares = (
            f"{words['helped']:>8.1%}{words['hurt']:>8.1%}{words['no difference']:>15.1%}{words['not known']:>11.1%}"
        )
        yield f"  {f'{100 * effect:g} points':<16}{shares}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
