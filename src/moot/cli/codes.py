"""Exit codes. This file owns which there are and what each means."""

DONE = 0
ERROR = 1
USAGE = 2
UNDECIDED = 3
LIMIT = 4
UNREACHABLE = 5
WAITING = 6
INTERRUPTED = 130

MEANINGS = """Exit codes: 0 done, also with a tie or without a decision; 1 an error, or nobody answered; 2 a mistake in
the command or the brief; 3 no decision, only with --fail-on no-decision; 4 paused by a limit; 5 paused because no
provider could be reached; 6 paused because a person has to answer; 130 interrupted."""


def code_of(status: str, kind: str, *, fail_on: str = "") -> int:
    """The exit code of a debate.

    Args:
        status: ``decided``, ``tie``, ``no_decision``, ``failed``, ``error`` or ``paused``.
        kind: with ``paused``, why.
        fail_on: ``no-decision`` where a debate without one shall count as a failure.
    """
    match status:
        case "paused":
            codes = {"limit": LIMIT, "unavailable": UNREACHABLE, "waiting": WAITING, "stopped": INTERRUPTED}
            return codes.get(kind, ERROR)
        case "failed" | "error":
            return ERROR
        case "tie" | "no_decision" if fail_on:
            return UNDECIDED
        case _:
            return DONE
