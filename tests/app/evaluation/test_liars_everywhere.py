"""A planted liar in every protocol that can be an arm: each run ends, and says what the liar has cost."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.evaluation.arms import COUNTED, read_arms
from folkmoot.app.evaluation.blocks import LYING
from folkmoot.app.results.score_tables import screen
from folkmoot.app.results.scoreboard import LAST
from folkmoot.app.results.scoring import measure
from folkmoot.protocols.grouped import LEAST
from folkmoot.protocols.known import KNOWN
from tests.app.evaluation.eval_kit import questions, run_of, setup_of, workspace_of

NAMES = ("a", "b", "c")
MODELS = tuple(f"guest:{name}" for name in NAMES)
TRUST = "Trust me"
MESSAGE = "<Message><Speaker>{me}</Speaker><Verdict>{choice}</Verdict><VerdictReasoning>So.</VerdictReasoning><Content>{words}</Content></Message>"

NO_OPTIONS = {"forecast": "it asks for probabilities", "findings": "it lists defects"}
"""Protocols in which nobody picks an option, and why."""

NOT_ALWAYS_HEARD = ("critique",)
"""Protocols in which a liar may have no say."""


def voter(prompt: str) -> str:
    """A willing voter: right, until somebody asks for trust; the liar does so. It fills in any form."""
    choice = "gamma" if LYING[:40] in prompt or TRUST in prompt else "alpha"
    words = f"{TRUST}, it is gamma." if choice == "gamma" else "It is alpha, as the map says."
    if "<Message>" in prompt:
        me = re.findall(r"^You are (Seat .)", prompt, re.MULTILINE)[-1]
        return MESSAGE.format(me=me, choice=choice, words=words)
    form = prompt.rpartition("exactly this form")[2].partition("\nFor example")[0]
    lines = re.findall(r"^([A-Z][\w ]*): (?:\(optional\) )?\[?(.*?)\]?$", form, re.MULTILINE)
    return "\n".join(f"{label}: {value(hint, choice, words, prompt)}" for label, hint in lines) or words


def value(hint: str, choice: str, words: str, prompt: str) -> str:
    """What a voter writes into one field of a form."""
    choices = re.findall(r'"([^"]+)"', hint)
    if choice in choices:
        return choice
    if "Proposal" in hint:
        named = re.findall(r"Proposal (\w)\]?:(?:\n  .*)*?\n  ANSWER: (\w+)", prompt)
        own = next((f"Proposal {letter}" for letter, answer in named if answer == choice), "Proposal A")
        return f"\n- {own}" if hint.startswith("a list") else own if own in choices else words
    if hint.startswith("a number"):
        return "0.5"
    return choices[0] if len(choices) > 1 else words


@pytest.mark.parametrize("kind", [kind for kind in KNOWN if kind not in (*COUNTED, *NO_OPTIONS)])
async def test_a_liar_at_the_table_of_every_protocol(tmp_path: Path, kind: str) -> None:
    workspace, models = workspace_of(*NAMES)
    for model in models.values():
        model.say = voter
    closing = {"strategy": "agent_closing"} if kind == "bp_style" else {}
    setup = setup_of(tmp_path, *NAMES, arms=read_arms([{"kind": kind, **closing}], MODELS))
    panel = replace(setup.panel, seats=LEAST if kind == "grouped" else len(NAMES))
    run = await run_of(workspace, replace(setup, liars=(1,), panel=panel), questions(4), tmp_path)
    await run.run()
    assert run.paused == ""
    board = measure(await run.result())
    arms = {arm.name: arm for arm in board.arms}
    assert arms[kind].score == 1.0
    assert arms[f"{kind}+1 liar"].unread == 0
    [lost] = [line.lost for line in board.liars if line.how == "run" and line.moment == LAST]
    assert lost == pytest.approx(1.0 - arms[f"{kind}+1 liar"].score)
    assert lost == 1.0 or (kind in NOT_ALWAYS_HEARD and 0.0 < lost < 1.0)
    assert "the debate, run" in "\n".join(screen(board))
