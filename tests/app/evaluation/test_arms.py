"""The arms and the plan of an evaluation: what a file may say, and each mistake as one sentence."""

import re
from pathlib import Path

import pytest

from folkmoot.app.evaluation.setup import plain_setup, read_arms, read_setup, usual_arms
from folkmoot.core.errors import BriefError
from tests.app.evaluation.eval_kit import arms_of

MODELS = ("ollama:a", "ollama:b")
PLAIN = 'questions = "q.jsonl"\nmodels = ["ollama:a", "ollama:b"]\n'


def test_the_usual_arms() -> None:
    arms = read_arms(usual_arms(3), MODELS)
    assert [(arm.name, arm.kind, arm.size, arm.match) for arm in arms] == [
        ("single:ollama:a", "single", 0, ""),
        ("single:ollama:b", "single", 0, ""),
        ("sample:3", "sample", 3, ""),
        ("rethink", "rethink", 0, ""),
        ("panel", "panel", 0, ""),
        ("sample", "sample", 0, "panel"),
        ("adaptive", "adaptive", 0, "panel"),
    ]
    assert [arm.name for arm in arms if arm.is_debate] == ["panel"]


def test_each_debate_of_a_file_has_both_rivals(tmp_path: Path) -> None:
    path = tmp_path / "check.toml"
    path.write_text(
        PLAIN
        + 'name = "depot"\nseed = 5\nepochs = 2\nlooks = [0.5, 1]\nbudget = 3\nmargin = 0.1\n'
        + '[[arm]]\nkind = "panel"\nrounds = 2\nname = "long"\nset = ["summarize=1"]\n'
        + '[[arm]]\nkind = "council"\nmodels = ["ollama:c"]\nstrategy = "majority"\n'
        + '[[arm]]\nkind = "adaptive"\nmatch = "long"\n[[arm]]\nkind = "single"\n[[arm]]\nkind = "sample"\nsize = 5\n',
        "utf-8",
    )
    setup = read_setup(path)
    assert (setup.name, setup.seed, setup.epochs, setup.looks, setup.budget) == ("depot", 5, 2, (0.5, 1.0), 3.0)
    assert setup.questions == str(tmp_path / "q.jsonl")
    assert [arm.name for arm in setup.arm] == [
        *("long", "council", "adaptive=long", "single:ollama:a", "single:ollama:b", "sample:5"),
        *("sample=long", "sample=council", "adaptive=council"),
    ]
    titles = [arm.titled() for arm in setup.arm]
    assert titles[:2] == ["panel, rounds 2, summarize=1", "council, majority, ollama:c"]
    assert titles[3] == "one answer of ollama:a"
    assert titles[6] == "independent answers, as many as long costs, counted"


def test_a_second_protocol_is_held_as_often_as_the_first_costs() -> None:
    setup = plain_setup(Path("depot.csv"), MODELS, protocol="council", against="panel")
    assert {arm.name: arm.match for arm in setup.arm if arm.is_protocol} == {
        "council": "",
        "panel=council": "council",
    }
    assert [arm.name for arm in setup.arm if arm.is_debate] == ["council"], "the other one is a rival"
    with pytest.raises(BriefError, match="no kind is called 'panle'"):
        plain_setup(Path("depot.csv"), MODELS, protocol="panle")


def test_a_file_of_questions_alone_takes_the_usual_arms() -> None:
    setup = plain_setup(Path("depot.csv"), MODELS, seed=3)
    assert (setup.name, setup.seats, setup.arm) == ("depot", 3, read_arms(usual_arms(3), MODELS))


@pytest.mark.parametrize(
    ("table", "named"),
    [
        ({"kind": "panle"}, "arm 1: .*'panel'"),
        ({"kind": "sample"}, "arm 1: .*size, from 1 to 200, or match"),
        ({"kind": "sample", "size": 3, "match": "panel"}, "arm 1: .*size"),
        ({"kind": "sample", "size": 201}, "arm 1: .*size"),
        ({"kind": "adaptive"}, "arm 1: .*match"),
        ({"kind": "single", "model": "ollama:z"}, "arm 1: 'ollama:z'"),
        ({"kind": "sample", "match": "council"}, "'sample=council' .*'council'"),
        ({"kind": "council", "match": "panle"}, "'council=panle' .*'panle'"),
        ({"kind": "council", "size": 3}, "arm 1: size "),
        ({"kind": "rethink", "rounds": 2}, "arm 1: rounds "),
        ({"kind": "sample", "size": 3, "models": ["ollama:a"]}, "arm 1: models "),
        ({"kind": "panel", "judge": "nix:x"}, "arm 1: judge "),
        ({"kind": "rethink", "name": "sample=panel"}, "arm 1: .*sample=panel"),
        ({"kind": "findings"}, "arm 1: findings "),
        ({"kind": "bp_style"}, "arm 1: bp_style .*agent_closing"),
        ({"kind": "socratic", "strategy": "no_consensus"}, "arm 1: no_consensus "),
        ({"kind": "rethink", "name": "panel"}, "'panel'"),
    ],
)
def test_an_arm_that_cannot_be_is_one_sentence(table: dict[str, object], named: str) -> None:
    with pytest.raises(BriefError, match=named):
        arms_of(table, {"kind": "panel"}, models=MODELS)


def test_an_evaluation_needs_a_debate() -> None:
    with pytest.raises(BriefError, match="no arm is a debate; name a protocol in kind, such as panel"):
        arms_of({"kind": "single"}, models=MODELS)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("questions = ", "TOML"),
        ('questions = "q.csv"\n', "models"),
        (PLAIN + 'seed = "x"\n', "seed"),
        (PLAIN + '[[arm]]\nkind = "panel"\nround = 2\n', "arm 1 has no setting 'round'"),
        (PLAIN + '[[arm]]\nname = "x"\n', "arm 1 needs a kind"),
        (PLAIN + 'arm = "panel"\n', "arm"),
        (PLAIN + "sed = 3\n", "'sed'"),
        (PLAIN + "epochs = 0\n", "epochs must be a whole number from 1 to 100"),
        (PLAIN + "margin = 2\n", "margin must be above 0 and below 1"),
        (PLAIN + "alpha = 0.7\n", "alpha must be above 0 and below 0.5"),
        (PLAIN + "looks = [0.5]\n", "looks"),
        (PLAIN + "looks = [0, 1]\n", "looks"),
        (PLAIN + "looks = []\n", "looks"),
        (PLAIN + "budget = -1\n", "budget must be a number from 0"),
        (PLAIN + "seats = 1\n", "2 to 100"),
        (PLAIN + "temperature = 0\n", "temperature"),
        ('questions = "q.csv"\nmodels = []\n', "models"),
        (PLAIN + '[[arm]]\nkind = "x"\n', "arm 1: "),
    ],
)
def test_a_file_that_cannot_be_is_one_sentence(tmp_path: Path, text: str, named: str) -> None:
    path = tmp_path / "check.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(BriefError, match=r"^check\.toml: .*" + re.escape(named)):
        read_setup(path)


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "check.toml"
    path.write_bytes(b"\xef\xbb\xbf" + PLAIN.replace("\n", "\r\n").encode())
    assert read_setup(path).models


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BriefError, match=r"check\.toml: cannot be read"):
        read_setup(tmp_path / "check.toml")
