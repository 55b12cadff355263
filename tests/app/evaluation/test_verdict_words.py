"""Prepared results give their word and figures: on the terminal, on the page and in JSON alike."""

import html
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.evaluation.folder import save_result
from folkmoot.app.evaluation.scores import EvalResult, RunState
from folkmoot.evaluation.verdicts import COMPLETE, ENOUGH_GROUPS, MATCHED, PLANNED, READABLE
from tests.app.evaluation.prepared import ADAPTIVE, DEBATE, UNIFORM, arm, credits, plan, result, score
from tests.cli.commands import folkmoot
from tests.kits.thoroughness import some

WON = credits(500, uniform=(60, 20), adaptive=(55, 20))


def rewritten(make: EvalResult, **changes: object) -> EvalResult:
    """The same result with changes in the debate's rows."""
    rows = [replace(row, **changes) if row.arm == DEBATE else row for row in make.scores]  # pyright: ignore[reportArgumentType]
    return replace(make, scores=tuple(rows))


def with_failures(share: float) -> EvalResult:
    rows = [
        replace(row, state="failed", credit=0.0) if row.arm == DEBATE and place < share * 500 * 3 else row
        for place, row in enumerate(result(WON).scores)
    ]
    return replace(result(WON), scores=tuple(rows))


def with_one_group() -> EvalResult:
    return replace(result(WON), scores=tuple(replace(row, group="one") for row in result(WON).scores))


def unread_rival() -> EvalResult:
    """The rival is worse only because it cannot be read."""
    rows = [
        replace(row, state="unread", credit=0.0, answer=None) if row.arm == UNIFORM and row.credit == 0 else row
        for row in result({DEBATE: WON[DEBATE], UNIFORM: WON[UNIFORM]}).scores
    ]
    return replace(result({DEBATE: WON[DEBATE], UNIFORM: WON[UNIFORM]}), scores=tuple(rows))


CASES: dict[str, tuple[Callable[[], EvalResult], str, str]] = {
    "helped": (lambda: result(WON), "helped", "+0.070 [+0.036, +0.104]"),
    "cost off by 3 %": (lambda: rewritten(result(WON), usd=0.0103), "no verdict", MATCHED),
    "a price is unknown": (lambda: rewritten(result(WON), usd=None), "no verdict", MATCHED),
    "no rival": (lambda: result({DEBATE: WON[DEBATE], "single": WON[UNIFORM]}), "no verdict", MATCHED),
    "6 % failed": (lambda: with_failures(0.06), "no verdict", COMPLETE),
    "plan edited": (lambda: replace(result(WON), run=RunState(plan_changed=True)), "no verdict", PLANNED),
    "one group": (with_one_group, "no verdict", ENOUGH_GROUPS),
    "unread answers decide": (unread_rival, "no verdict", READABLE),
    "before the first look": (
        lambda: replace(result(WON), plan=replace(result(WON).plan, planned=800)),
        "not known",
        "300 more questions",
    ),
    "at a look that decides": (
        lambda: replace(result(WON), plan=replace(result(WON).plan, planned=1000, looks=(0.5, 1.0))),
        "helped",
        "+0.070 [+0.022, +0.118]",
    ),
}


@pytest.mark.parametrize("name", some(CASES, 4))
def test_a_result_has_its_sentence_on_terminal_page_and_json(name: str, tmp_path: Path) -> None:
    make, word, figure = CASES[name]
    save_result(tmp_path / "run", make())
    data = json.loads(folkmoot(tmp_path, "eval", "show", "run", "--json").output)
    [verdict] = data["verdicts"]
    sentence = f"{verdict['verdict']['says']} ({verdict['verdict']['figures']})".removesuffix(" ()")
    assert (verdict["verdict"]["word"], word in sentence, figure in sentence) == (word, True, True)
    shown = folkmoot(tmp_path, "eval", "show", "run")
    assert shown.exit_code == 0, shown.output
    assert sentence in shown.output.splitlines()
    assert folkmoot(tmp_path, "eval", "export", "run").output == "run/scoreboard.html\n"
    page = html.unescape((tmp_path / "run" / "scoreboard.html").read_text("utf-8"))
    words, _, figures = sentence.partition(" (")
    assert f'<p class="verdict">{words}' in page
    assert figures.removesuffix(")") in page
    assert all(len(line) <= 100 for line in shown.output.splitlines() if not line.endswith((")", ".")))


def test_two_debates_share_the_level(tmp_path: Path) -> None:
    """Against a rival of its own, the second debate is just beyond the level alone and not with another beside it."""
    values = credits(500, uniform=(40, 22))
    rows = [score(name, place, item[place]) for place in range(500) for name, item in values.items()]
    again = [replace(row, arm=f"{row.arm} 2") for row in rows]
    weak = [replace(row, credit=float(row.question < "q0200")) for row in again if row.arm == f"{DEBATE} 2"]
    rivals = [replace(row, credit=float(row.question < "q0202")) for row in again if row.arm == f"{UNIFORM} 2"]
    arms = [arm(DEBATE), arm(UNIFORM), replace(arm(DEBATE), name=f"{DEBATE} 2")]
    arms.append(replace(arm(UNIFORM), name=f"{UNIFORM} 2", match=f"{DEBATE} 2"))
    both = replace(result(values), plan=plan(arms, 500), scores=(*rows, *weak, *rivals))
    save_result(tmp_path / "one", result(values))
    save_result(tmp_path / "two", both)
    alone = json.loads(folkmoot(tmp_path, "eval", "show", "one", "--json").output)
    data = json.loads(folkmoot(tmp_path, "eval", "show", "two", "--json").output)
    assert (alone["verdicts"][0]["verdict"]["word"], alone["pairs"][0]["adjusted"]) == (
        "helped",
        pytest.approx(0.0225, abs=2e-4),
    )
    assert data["pairs"][0]["adjusted"] == pytest.approx(2 * alone["pairs"][0]["compared"]["p"])
    assert data["pairs"][0]["corrected"]["level"] == pytest.approx(0.975)
    assert [line["verdict"]["word"] for line in data["verdicts"]] == ["helped", "no difference"]
    shown = folkmoot(tmp_path, "eval", "show", "two").output
    assert "\ndebate: debate helped (+0.036 [" in shown
    assert "p (Holm)" in shown


def test_the_other_rival_is_named_where_there_are_more_than_two(tmp_path: Path) -> None:
    values = {**WON, "third": WON[UNIFORM]}
    third = replace(arm(UNIFORM), name="third")
    made_of = replace(result(values), plan=plan([arm(DEBATE), arm(UNIFORM), arm(ADAPTIVE), third], 500))
    save_result(tmp_path / "run", made_of)
    assert "at equal cost, against all 3 rivals)" in folkmoot(tmp_path, "eval", "show", "run").output
