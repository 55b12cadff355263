"""``python -m benchmarks.texts FILE.jsonl``: read texts as a debate does, and compare with a careful human reader.

Exit codes: 0 nothing harmful was booked, 1 something was, 2 the file cannot be read.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.texts.text_cases import check, read_cases, report
from folkmoot.core.errors import FolkmootError


def main(arguments: Sequence[str]) -> int:
    """Print a line for each case that is not exact, and the count."""
    if len(arguments) != 1:
        print("usage: python -m benchmarks.texts FILE.jsonl", file=sys.stderr)
        return 2
    try:
        cases = read_cases(Path(arguments[0]))
    except FolkmootError as error:
        print(f"benchmarks.texts: {error}", file=sys.stderr)
        return 2
    verdicts = [check(case) for case in cases]
    for line in report(verdicts):
        print(line)
    return 1 if any(verdict.harmful for verdict in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
