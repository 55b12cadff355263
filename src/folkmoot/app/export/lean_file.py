"""Translate formal claims to a file for the proof assistant Lean 4: each claim becomes a theorem.

A claim about whole numbers without a division is stated over ``Int``, which Lean knows by itself. All others are stated
over the real numbers, which need Mathlib. Divisors with a variable are taken not to be 0, as in Folkmoot's own check. Each
theorem ends with a few tactics and then with ``sorry``, so the file is read to its end: Lean warns of each theorem that
it could not prove. A refuted claim is one of them.
"""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from folkmoot.analysis.claim_arithmetic import divisors
from folkmoot.analysis.claim_language import (
    Calc,
    Compare,
    Connective,
    Formula,
    Name,
    Node,
    NotFormal,
    Number,
    Power,
    Statement,
)
from folkmoot.analysis.claim_language import parse as parse_claim
from folkmoot.analysis.formal_claims import Claim, formal_claims
from folkmoot.app.export.reports import save
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import BriefError
from folkmoot.core.text import counted, flat

PROGRAM = "lean"
"""What Lean is called on the path."""

MISSING = "lean is not on the path, so no file was written for it; Lean 4 is at https://lean-lang.org"

_SIGNS: Mapping[str, str] = {"=": "=", "!=": "≠", "<": "<", "<=": "≤", ">": ">", ">=": "≥"}
_WORDS: Mapping[str, str] = {"and": "∧", "or": "∨", "implies": "→", "iff": "↔"}
_WHOLE = "by first | decide | omega | (intros; simp [Int.mul_comm, Int.add_comm]) | sorry"
_REAL = "by first | norm_num | (intros; linarith) | (intros; nlinarith) | (intros; field_simp; ring) | sorry"


async def save_lean(workspace: Workspace, debates: Sequence[str], path: Path) -> None:
    """Write the formal claims of debates to a file for Lean.

    Args:
        workspace: where their records are.
        debates: their ids.
        path: the file.

    Raises:
        BriefError: Lean is not on the path, or the file cannot be written.
        RecordError: a record cannot be read.
    """
    if shutil.which(PROGRAM) is None:
        raise BriefError(MISSING, code="no_lean")
    claims = {debate: formal_claims(await workspace.entries(debate)) for debate in dict.fromkeys(debates)}
    try:
        save(path, write_lean(claims))
    except OSError as error:
        raise BriefError(f"cannot be written: {error.strerror or error}", where=str(path), code="no_file") from error


def write_lean(claims: Mapping[str, Sequence[Claim]]) -> str:
    """Claims, by debate, as a file for Lean; it ends with a line break."""
    stated = [(debate, claim) for debate, claims_of in claims.items() for claim in claims_of]
    blocks = [_theorem(n, debate, claim) for n, (debate, claim) in enumerate(stated, start=1)]
    head = f"-- {counted(len(stated), 'formal claim')} of {flat(', '.join(claims))}, translated by Folkmoot."
    needs = ["import Mathlib", ""] if any("ℝ" in block for block in blocks) else []
    return "\n".join([*needs, head, "", "\n\n".join(blocks) or "-- Nobody stated a formal claim."]) + "\n"


def _theorem(n: int, debate: str, claim: Claim) -> str:
    """A claim as a theorem; as a comment where it cannot be one."""
    origin = f"{claim.by or claim.source} in {claim.mark or 'the brief'} of {debate}, entry {claim.seq}"
    if claim.kind == "smtlib":
        return f"/- {_comment(f'Claim {n}: {origin}. It is a script in SMT-LIB, which is not translated.')} -/"
    try:
        statement = parse_claim(claim.text)
    except NotFormal as error:
        return f"/- {_comment(f'Claim {n}: {origin}. It is not translated: {error}. {claim.text}')} -/"
    kind, proof = ("Int", _WHOLE) if _is_whole(statement) else ("ℝ", _REAL)
    stated = _theorem_statement(statement, kind)
    return f"/-- {_comment(f'{origin}: {claim.text}')} -/\ntheorem claim_{n} : {stated} := {proof}"


def _comment(text: str) -> str:
    """Words that neither end the comment around them nor begin one in it."""
    return flat(text).replace("-/", "- /").replace("/-", "/ -")


def _theorem_statement(statement: Statement, kind: str) -> str:
    """The claim for all values of its variables, after its premises and the conditions that no divisor is 0."""
    variables = "".join(f"∀ «{name}» : {'Int' if name in statement.integers else 'ℝ'}, " for name in statement.names)
    premises = [f"{_text(term, statement, kind)} ≠ 0" for term in divisors(statement)]
    premises += [_text(premise, statement, kind) for premise in statement.premises]
    return variables + " → ".join(
        [*(f"({premise})" for premise in premises), f"({_text(statement.conclusion, statement, kind)})"]
    )


def _is_whole(statement: Statement) -> bool:
    """Whether a claim is about whole numbers alone: all its numbers and variables are, and nothing is divided."""
    nodes = [node for part in (*statement.premises, statement.conclusion) for node in _nodes(part)]
    numbers = all(node.value.denominator == 1 for node in nodes if isinstance(node, Number))
    divided = any(sign == "/" for node in nodes if isinstance(node, Calc) for sign, _ in node.parts)
    return numbers and not divided and set(statement.names) == set(statement.integers)


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    match node:
        case Compare(terms=parts) | Connective(parts=parts):
            inner: Sequence[Node] = parts
        case Calc(parts=signed):
            inner = [part for _, part in signed]
        case Power(base=base):
            inner = [base]
        case _:
            inner = []
    for part in inner:
        yield from _nodes(part)


def _text(node: Formula | Node, statement: Statement, kind: str) -> str:
    def inner(part: Node) -> str:
        return _text(part, statement, kind)

    match node:
        case Number(value=value):
            top = f"({value.numerator} : {kind})"
            return top if value.denominator == 1 else f"({top} / {value.denominator})"
        case Name(name=name):
            return f"(«{name}» : ℝ)" if kind == "ℝ" and name in statement.integers else f"«{name}»"
        case Calc(parts=parts):
            first, *rest = [(sign, inner(part)) for sign, part in parts]
            begun = {"-": f"-{first[1]}", "/": f"1 / {first[1]}"}.get(first[0], first[1])
            return f"({' '.join([begun, *(f'{sign} {part}' for sign, part in rest)])})"
        case Power(base=base, exponent=exponent):
            return f"({inner(base)} ^ {exponent})"
        case Compare(terms=terms, signs=signs):
            sides = [inner(term) for term in terms]
            pairs = [f"{sides[n]} {_SIGNS[sign]} {sides[n + 1]}" for n, sign in enumerate(signs)]
            return pairs[0] if len(pairs) == 1 else " ∧ ".join(f"({pair})" for pair in pairs)
        case Connective(word="not", parts=parts):
            return f"¬({inner(parts[0])})"
        case _:
            return f" {_WORDS[node.word]} ".join(f"({inner(part)})" for part in node.parts)
