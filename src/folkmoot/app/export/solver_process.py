"""The program that runs the solver Z3 in a process of its own, with limits on what it may use.

It reads a question as JSON in each line of its input and writes an answer as JSON in a line of its output. It knows
nothing of Folkmoot. Z3 comes with the extra ``formal``.
"""

import importlib
import json
import sys
from typing import Any, TypedDict, cast

MEMORY = 2 * 1024**3
"""Bytes of address space."""

LONGEST = 200
"""Characters of a reason or a value that is told."""

MOST = 50
"""How many values are told."""


FULL = "out of memory"
"""The solver's word for that; as an error it says nothing about the script."""


class Question(TypedDict):
    """A script, the most steps of work (of Z3's own count), the most milliseconds."""

    script: str
    steps: int
    milliseconds: int


def limit_process() -> None:
    """Give back what is not needed: memory, processor time, files to write. Not all systems know such limits."""
    try:
        resource = importlib.import_module("resource")
    except ImportError:  # Windows
        return
    for name, maximum in (("RLIMIT_AS", MEMORY), ("RLIMIT_CPU", 600), ("RLIMIT_FSIZE", 0), ("RLIMIT_CORE", 0)):
        kind = getattr(resource, name)
        _, hard = resource.getrlimit(kind)
        if hard == resource.RLIM_INFINITY or hard > maximum:
            resource.setrlimit(kind, (maximum, maximum))


def answer(question: Question) -> dict[str, object]:
    """Ask the solver whether a script's assertions can hold together.

    Returns:
        ``answer``: ``sat``, ``unsat``, ``unknown``, or ``error`` where the script cannot be read; ``why`` for the last
        two; ``model``: values for which they hold.
    """
    z3 = cast(Any, importlib.import_module("z3"))
    solver = z3.Solver(ctx=z3.Context())
    solver.set(random_seed=0, rlimit=question["steps"], timeout=question["milliseconds"])
    try:
        solver.from_string(question["script"])
    except z3.Z3Exception as error:
        reason = _reason(error)
        return {"answer": "unknown" if reason == FULL else "error", "why": reason}
    try:
        text = str(solver.check())
        if text == "sat" and not _model_holds(z3, solver):
            return {"answer": "unknown", "why": "the solver's values do not fulfil what it was asked"}
        model = _values(z3, solver.model()) if text == "sat" else {}
    except z3.Z3Exception as error:
        return {"answer": "unknown", "why": _reason(error)}
    reason = str(solver.reason_unknown())[:LONGEST] if text == "unknown" else ""
    return {"answer": text, "why": reason, "model": model}


def _model_holds(z3: Any, solver: Any) -> bool:
    """Whether no assertion is false for the values that the solver gives; of some it cannot be told."""
    model = solver.model()
    return not any(z3.is_false(model.eval(assertion, model_completion=True)) for assertion in solver.assertions())


def _values(z3: Any, model: Any) -> dict[str, str]:
    names = sorted(((str(decl.name()), decl) for decl in model.decls()), key=lambda pair: pair[0])
    return {name[:LONGEST]: _value(z3, model[value])[:LONGEST] for name, value in names[:MOST]}


def _value(z3: Any, value: Any) -> str:
    if z3.is_algebraic_value(value):
        return "about " + str(value.approx(12).as_decimal(10)).rstrip("?")
    return " ".join((str(value.as_string()) if z3.is_rational_value(value) else str(value)).split())


def _reason(error: Any) -> str:
    """The first of the solver's complaints, without the place in a script that nobody has seen."""
    text = error.value.decode("utf-8", "replace") if isinstance(error.value, bytes) else str(error)
    return text.split("column", 1)[-1].split(":", 1)[-1].split('")')[0].strip()[:LONGEST]


def main() -> None:
    """Answer line by line until the input ends."""
    limit_process()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
