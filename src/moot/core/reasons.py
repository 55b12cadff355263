"""Why somebody voted. This file owns how a voter's reason is told from the formula of its ballot."""

import re

from moot.core.form import shown
from moot.core.text import words
from moot.core.transcript import Turn

_NUMBER = re.compile(r"^\s*\d{1,3}[.)]\s")


def beside(turn: Turn) -> str:
    """The words of a ballot beside the lines that are its formula: the voter's reason."""
    formulas = [words(f"{name} {shown(value)}") for name, value in turn.fields.items()]
    for name, value in turn.fields.items():
        formulas += [words(each) for each in (name, *value)] if isinstance(value, tuple) else []
    lines = turn.text.split("\n")
    return "\n".join(line for line in lines if words(_NUMBER.sub("", line)) not in formulas).strip()
