"""The arms and the plan of an evaluation: what a file may say, and each mistake as one sentence."""

from pathlib import Path

import pytest

from folkmoot.app.evaluation.setup import default_arms, plain_setup, read_setup
from folkmoot.core.errors import BriefError
from tests.app.evaluation.eval_kit import arms_of

MODELS = ("ollama:a", "ollama:b")
PLAIN = 'questions = "q.jsonl"\nmodels = ["ollama:a", "ollama:b"]\n'


def test_the_usual_arms() -> None:
    arms = default_arms(MODELS, 3)
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
    assert (setup.name, setup.seats, setup.arm) == ("depot", 3, default_arms(MODELS, 3))


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        ({"kind": "panle"}, "arm 1: no kind is called 'panle'; did you mean 'panel'?"),
        ({"kind": "sample"}, "arm 1: sample needs either size, from 1 to 200, or match, the name of a debate"),
        ({"kind": "sample", "size": 3, "match": "panel"}, "arm 1: sample needs either size"),
        ({"kind": "sample", "size": 201}, "arm 1: sample needs either size"),
        ({"kind": "adaptive"}, "arm 1: adaptive needs match, the name of a debate"),
        ({"kind": "single", "model": "ollama:z"}, "arm 1: 'ollama:z' is none of the models of the evaluation"),
        ({"kind": "sample", "match": "council"}, "arm 'sample=council' matches 'council', which is not a debate here"),
        ({"kind": "council", "match": "panle"}, "arm 'council=panle' matches 'panle', which is not a debate here"),
        ({"kind": "council", "size": 3}, "arm 1: size says nothing of council; leave it out"),
        ({"kind": "rethink", "rounds": 2}, "arm 1: rounds says nothing of rethink; leave it out"),
        ({"kind": "sample", "size": 3, "models": ["ollama:a"]}, "arm 1: models says nothing of sample; leave it out"),
        ({"kind": "panel", "judge": "nix:x"}, "arm 1: judge says nothing of panel, which needs none; leave it out"),
        ({"kind": "rethink", "name": "sample=panel"}, "arm 1: a name with = is that of a rival, such as sample=panel"),
        ({"kind": "findings"}, "arm 1: findings lists defects, and answers no question"),
        ({"kind": "bp_style"}, 'arm 1: bp_style picks a team and no answer; say strategy = "agent_closing"'),
        ({"kind": "socratic", "strategy": "no_consensus"}, "arm 1: no_consensus decides nothing, so no answer could"),
        ({"kind": "rethink", "name": "panel"}, "two arms are called 'panel'; give each a name of its own"),
    ],
)
def test_an_arm_that_cannot_be_is_one_sentence(table: dict[str, object], fault: str) -> None:
    with pytest.raises(BriefError) as raised:
        arms_of(table, {"kind": "panel"}, models=MODELS)
    assert fault in str(raised.value)


def test_an_evaluation_needs_a_debate() -> None:
    with pytest.raises(BriefError, match="no arm is a debate; name a protocol in kind, such as panel"):
        arms_of({"kind": "single"}, models=MODELS)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("questions = ", "check.toml: this is not TOML"),
        ('questions = "q.csv"\n', "check.toml: Object missing required field `models`"),
        (PLAIN + 'seed = "x"\n', "check.toml: Expected `int`, got `str` - at `seed`"),
        (PLAIN + '[[arm]]\nkind = "panel"\nround = 2\n', "check.toml: arm 1: there is no key 'round'; did you mean"),
        (PLAIN + '[[arm]]\nname = "x"\n', "check.toml: Object missing required field `kind` - at `arm[0]`"),
        (PLAIN + "sed = 3\n", "check.toml: there is no key 'sed'; did you mean 'seed'?"),
        (PLAIN + "epochs = 0\n", "check.toml: Expected `int` >= 1 - at `epochs`"),
        (PLAIN + "margin = 2\n", "check.toml: Expected `float` < 1.0 - at `margin`"),
        (PLAIN + "alpha = 0.7\n", "check.toml: Expected `float` < 0.5 - at `alpha`"),
        (PLAIN + "looks = [0.5]\n", "check.toml: looks must rise, from above 0 to 1"),
        (PLAIN + "looks = []\n", "check.toml: looks must rise, from above 0 to 1"),
        (PLAIN + "budget = -1\n", "check.toml: Expected `float` >= 0.0 - at `budget`"),
        (PLAIN + "seats = 1\n", "check.toml: seats must be from 2 to 100"),
        (PLAIN + "temperature = 0\n", "check.toml: the temperature 0 makes all answers of a model equal"),
        ('questions = "q.csv"\nmodels = []\n', "check.toml: Expected `array` of length >= 1 - at `models`"),
        (PLAIN + '[[arm]]\nkind = "x"\n', "check.toml: arm 1: no kind is called 'x'"),
    ],
)
def test_a_file_that_cannot_be_is_one_sentence(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "check.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(BriefError) as raised:
        read_setup(path)
    assert str(raised.value).startswith(fault)


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "check.toml"
    path.write_bytes(b"\xef\xbb\xbf" + PLAIN.replace("\n", "\r\n").encode())
    assert read_setup(path).models


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BriefError, match=r"check\.toml: cannot be read"):
        read_setup(tmp_path / "check.toml")
