"""What formal claims come to: proved, refuted, unknown, not formalisable; and that no claim can do harm."""

import json
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from folkmoot.analysis.formal_claims import Checked, Claim
from folkmoot.app.export.proofs import MOST, Prover, SolverAnswer, prove
from folkmoot.app.export.solver_process import answer
from folkmoot.testing.wire_formats import Plan
from tests.cli.commands import folkmoot, only_id, served

ENDLESS = """(declare-const a Int)(declare-const b Int)(declare-const c Int)
(assert (and (> a 0) (> b 0) (> c 0)))
(assert (! (not (= (+ (* a a a) (* b b b)) (* c c c))) :named claim))"""
"""True, and out of reach of a solver: Fermat's last theorem for 3."""


def claim(text: str, *, complete: bool = True) -> Claim:
    return Claim(by="Ann", seq=3, mark="T1", text=text, complete=complete)


async def check(text: str, prover: Prover | None = None) -> Checked:
    (checked,) = await prove([claim(text)], prover)
    return checked


def about_x(term: str) -> str:
    return f"(declare-const x Real)(assert (! {term} :named claim))"


SCRIPTS = [
    ("(declare-const x Real)(assert (> x 1))(assert (! (> x 0) :named claim))", "proved", "it follows from"),
    ("(declare-const x Real)(assert (! (>= (* x x) 0) :named claim))", "proved", "true for all values"),
    ("(declare-const p Bool)(assert (! p :named claim))", "refuted", "it is false for some values"),
    ("(declare-const x Int)(assert (> x 1))(assert (! (> x 2) :named claim))", "refuted", "it does not follow"),
    ("(assert (! (= (* 17 24) 408) :named claim))", "proved", "true for all values"),
    (ENDLESS, "unknown", "no answer within the maximum number of steps"),
    ("(assert false)(assert (! (= 1 2) :named claim))", "unknown", "its premises contradict each other"),
    ("(assert (! (foo 1) :named claim))", "not_formalisable", "the solver cannot read it: unknown constant foo (Int)"),
    ("(assert (! 5 :named claim))", "not_formalisable", "the solver cannot read it"),
    ("(declare-const x Real)(assert (> x 1))(check-sat)", "not_formalisable", "no assertion has the name claim"),
    ('(include "/etc/passwd")(assert (! true :named claim))', "not_formalisable", "include is not an allowed command"),
    (
        "(declare-fun f (Int) Int)(assert (forall ((x Int)) (= (f (+ x 1)) (+ 1 (f (f x))))))"
        "(assert (! (exists ((x Int)) (= (* (f x) (f x)) (+ (* 7 x x x) 3))) :named claim))",
        "unknown",
        "",
    ),
    (
        "(declare-const x Int)(declare-const y Int)(assert (> x 2))(assert (= (* x x x) (+ (* y y y) 30)))"
        "(assert (! (> x 2) :named claim))",
        "unknown",
        "it is unknown whether its premises can all be true: no answer within the maximum number of steps",
    ),
]


@pytest.mark.parametrize(("text", "verdict", "reason"), SCRIPTS)
async def test_claims_in_smt_lib(text: str, verdict: str, reason: str) -> None:
    checked = await check(text, Prover(steps=200_000))
    assert (checked.verdict, reason in checked.reason) == (verdict, True), checked.reason
    assert checked.reason


@pytest.mark.parametrize(
    ("term", "x"),
    [
        ("(not (= (* 2 x) 7))", "7/2"),
        ("(not (= (* 3 x) (- 1)))", "-1/3"),
        ("(not (= (* x x) 2))", "about -1.4142135623"),
    ],
)
async def test_a_refuted_claim_has_an_example(term: str, x: str) -> None:
    checked = await check(about_x(term))
    assert (checked.verdict, dict(checked.example)) == ("refuted", {"x": x})


async def test_a_block_that_was_cut_off_is_no_claim() -> None:
    (checked,) = await prove([claim("(assert (! true :named claim))", complete=False)])
    assert (checked.verdict, checked.reason) == ("not_formalisable", "the block does not end")


async def test_the_same_claims_get_the_same_answers() -> None:
    claims = [claim(about_x("(> (* x x) x)")), claim(ENDLESS), claim(SCRIPTS[3][0])]
    first = await prove(claims)
    assert first == await prove(claims)
    assert first[1:] == (await prove(claims[1:]))
    assert first[0].example


async def test_all_claims_together_have_a_limit() -> None:
    many = await prove([claim("(assert (! true :named claim))")] * (MOST + 1))
    assert [checked.verdict for checked in many] == ["proved"] * MOST + ["unknown"]
    assert "only the first 100" in many[-1].reason
    (late,) = await prove([claim("(assert (! true :named claim))")], seconds=-1.0)
    assert "seconds for all claims are over" in late.reason


# ---- the solver's process --------------------------------------------------------------------------------------------


async def test_an_endless_search_ends_in_time() -> None:
    checked = await check(ENDLESS, Prover(steps=2**31, seconds=0.5))
    assert (checked.verdict, checked.reason) == ("unknown", "no answer within 0.5 seconds")


def program(answers: str, *, before: str = "") -> tuple[str, ...]:
    """A process that answers every question with the same words."""
    return (
        "-c",
        f"import sys, os, time\nfor line in sys.stdin:\n    {before or 'pass'}\n    print({answers}, flush=True)",
    )


SAT = '{"answer": "sat", "model": {"x": "5"}}'


@pytest.mark.parametrize(
    ("started", "why"),
    [
        (program("1", before="os.kill(os.getpid(), 11)"), "the solver crashed"),
        (program("1", before="os._exit(0)"), "the solver crashed"),
        (("-c", "1 / 0"), "the solver crashed"),
        (("-c", "import sys; sys.stdin.close(); import time; time.sleep(3600)"), "no answer within 0.2 seconds"),
        (program("1", before="time.sleep(3600)"), "no answer within 0.2 seconds"),
        (program("'x' * 100_000"), "the solver's answer is too long"),
        (program("'proved'"), "the solver's answer cannot be read"),
        (program("""'{"answer": "sat", "model": {"x": 1}}'"""), "the solver's answer cannot be read"),
        (program("""'{"answer": "unknown", "why": "canceled"}'"""), "no answer within the maximum number of steps"),
    ],
)
async def test_whatever_befalls_the_process_is_an_answer(started: tuple[str, ...], why: str) -> None:
    async with Prover(started, seconds=0.2 if "0.2" in why else 120.0) as prover:
        assert await prover.ask("(assert true)") == SolverAnswer(answer="unknown", why=why)
        assert await prover.ask("(assert true)" * 20_000) == SolverAnswer(answer="unknown", why=why)


async def test_after_a_breakdown_the_next_claim_gets_a_new_process(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    once = f"os.path.exists({str(mark)!r}) or (open({str(mark)!r}, 'w').close(), os._exit(1))"
    checks = await prove(
        [claim(about_x("(> x 0)")), claim(about_x("(> x 9)"))], Prover(program(repr(SAT), before=once))
    )
    assert [(checked.verdict, dict(checked.example)) for checked in checks] == [
        ("unknown", {}),
        ("refuted", {"x": "5"}),
    ]


async def test_the_process_knows_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    tell = """'{"answer": "unknown", "why": "' + " ".join(os.environ) + '"}'"""
    async with Prover(program(tell)) as prover:
        assert "OPENAI" not in (await prover.ask("")).why


@pytest.mark.parametrize("deed", ["bytearray(3 * 1024**3)", "open({path!r}, 'wb', 0).write(b'x' * 10_000)"])
def test_the_process_is_confined(deed: str, tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    twice = "limit_process()\nlimit_process()"
    code = f"from folkmoot.app.export.solver_process import limit_process\n{twice}\n{deed.format(path=path)}\n"
    ran = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, check=False)
    assert ran.returncode != 0
    assert not Path(path).exists() or not Path(path).read_bytes()


def test_confinement_is_left_out_where_the_system_knows_none() -> None:
    code = "import sys; sys.modules['resource'] = None\nfrom folkmoot.app.export.solver_process import main\nmain()"
    question = {"script": "(assert true)", "steps": 1000, "milliseconds": 1000}
    ran = subprocess.run([sys.executable, "-P", "-c", code], input=json.dumps(question), capture_output=True, text=True)
    assert json.loads(ran.stdout)["answer"] == "sat"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("(declare-const x Real)(assert (= (* 2 x) 1))", {"answer": "sat", "why": "", "model": {"x": "1/2"}}),
        ("(declare-const b (_ BitVec 8))(assert (= b #xff))", {"answer": "sat", "why": "", "model": {"b": "255"}}),
        ("(assert false)", {"answer": "unsat", "why": "", "model": {}}),
        ("(assert", {"answer": "error", "why": "invalid expression, unexpected input"}),
    ],
)
def test_what_the_solver_is_asked_and_tells(script: str, expected: object) -> None:
    assert answer({"script": script, "steps": 10_000, "milliseconds": 1000}) == expected


@pytest.mark.system
def test_what_no_memory_is_left_for_is_unknown() -> None:
    code = "from folkmoot.app.export.solver_process import main\nmain()"
    script = "(declare-const x (_ BitVec 8))(assert (= ((_ repeat 200000000) x) ((_ repeat 200000000) x)))"
    question = json.dumps({"script": script, "steps": 1000, "milliseconds": 9000})
    ran = subprocess.run([sys.executable, "-P", "-c", code], input=question, capture_output=True, text=True)
    assert json.loads(ran.stdout) == {"answer": "unknown", "why": "out of memory"}


def test_long_models_are_told_in_part() -> None:
    script = "".join(f"(declare-const x{n} Int)(assert (= x{n} {10**300}))" for n in range(99))
    model = answer({"script": script, "steps": 1_000_000, "milliseconds": 5000})["model"]
    assert isinstance(model, dict)
    values = cast(dict[str, str], model)
    assert (len(values), {len(text) for text in values.values()}) == (50, {200})


# ---- on the command line ---------------------------------------------------------------------------------------------

BRIEF = """# Shall we take the flat?

## Context

```smt2
(assert (! (= (* 12 950) 11400) :named claim))
```

```smt2
(declare-const rent Real)
(assert (! (> rent 0) :named claim))
```

## Ann
role: Tenant

You care about the rent.

## Ben
role: Landlord

You fear an empty flat.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "flat.md").write_text(BRIEF)
    (tmp_path / "plain.md").write_text("# Shall we?\n\nNow.\n\n## Ann\nrole: A\n\n## Ben\nrole: B\n")
    return tmp_path


def run_debate(folder: Path, name: str) -> str:
    ran = folkmoot(folder, "run", name, "-m", "builtin:quotes", "--quiet")
    assert ran.exit_code == 0, ran.output
    return only_id(ran)


def test_the_page_and_the_data(folder: Path) -> None:
    debate = run_debate(folder, "flat.md")
    output = folkmoot(folder, "show", "--analysis", debate, "--formal").output
    _, _, chapter = output.partition("## Formal claims\n\n")
    lines = chapter.partition("\n\n")[0].split("\n")
    assert [line.split(",")[0] for line in lines] == ["- **proved**", "- **refuted**"], output
    assert "(flat.md): `(assert (! (= (* 12 950) 11400)" in lines[0]
    assert "rent = 0" in lines[1]
    data = json.loads(folkmoot(folder, "show", "--analysis", debate, "--formal", "--json").stdout)["debates"][0][
        "formal"
    ]
    assert [row["verdict"] for row in data] == ["proved", "refuted"]
    assert data[0]["claim"]["source"] == "flat.md"
    assert "Formal claims" not in folkmoot(folder, "show", "--analysis", debate).output


def test_participants_state_claims_in_their_answers(folder: Path) -> None:
    reason = "It is cheap.\n\n```smt2\n(assert (! (= (* 3 12) 36) :named claim))\n```"

    with served(lambda call: Plan(text=f"ANSWER: Yes\nCONFIDENCE: 0.7\nARGUMENT: {reason}")) as wires:
        ran = folkmoot(folder, "run", "plain.md", "-m", "ollama:tiny", "--quiet", OLLAMA_HOST=wires.url)
        assert ran.exit_code == 0, ran.output
    output = folkmoot(folder, "show", "--analysis", "last", "--formal").output
    assert "- **proved**, T1 of Ann: `(assert" in output
    assert "- **proved**, T2 of Ben: `(assert" in output


def test_a_debate_without_formal_claims_says_so(folder: Path) -> None:
    output = folkmoot(folder, "show", "--analysis", run_debate(folder, "plain.md"), "--formal").output
    assert "## Formal claims\n\n- Nobody stated a claim formally.\n" in output


def test_without_the_library_it_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    data = json.loads(
        folkmoot(folder, "show", "--analysis", run_debate(folder, "flat.md"), "--formal", "--json").stdout
    )
    results = [(item["verdict"], item["reason"]) for item in data["debates"][0]["formal"]]
    assert [verdict for verdict, _ in results] == ["unknown", "unknown"]
    assert all('pip install "z3-solver' in reason for _, reason in results)
