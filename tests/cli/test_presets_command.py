"""``folkmoot config presets``, ``folkmoot config presets --init`` and ``--preset`` of the commands that run debates."""

import json
import tomllib
from pathlib import Path

import pytest

from folkmoot.app.plan.starter_presets import ModelOffer, model_offers, starter_presets
from folkmoot.core.families import family
from folkmoot.models.base import Message, Request
from folkmoot.models.discover import Available, Server
from folkmoot.models.names import PROVIDERS, parse
from folkmoot.models.prices import quote
from tests.cli.commands import folkmoot

PRESETS = """
[presets.built]
models = ["builtin:quotes"]
rounds = 1
cost = 0.5

[presets.wrong]
models = ["builtin:quotes"]
protocol = "council"
threshold = 0.3
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "folkmoot.toml").write_text(PRESETS)
    return tmp_path


def test_the_list_has_the_cost_and_what_to_know(place: Path) -> None:
    result = folkmoot(place, "config", "presets")
    assert result.exit_code == 0, result.output
    assert "built · panel · builtin:quotes\n  a usual question is free · folkmoot.toml" in result.output
    assert "builtin:quotes answers for everybody: its answers are not independent." in result.output
    assert "council does not support threshold" in result.output
    rows = json.loads(folkmoot(place, "config", "presets", "--json").output)
    assert [(row["name"], row["most"], bool(row["problem"])) for row in rows] == [
        ("built", 0.0, False),
        ("wrong", None, True),
    ]


def test_without_presets_the_list_says_how_to_get_some(tmp_path: Path) -> None:
    assert (
        folkmoot(tmp_path, "config", "presets").output
        == "There are no presets. To write some: folkmoot config presets --init\n"
    )


def test_a_price_that_is_unknown_is_told_where_spending_is_limited(tmp_path: Path) -> None:
    (tmp_path / "config" / "folkmoot").mkdir(parents=True)
    text = "[serve]\ndaily = 1.0\n[presets.far]\nmodels = ['compatible:x', 'compatible:y']\n"
    (tmp_path / "config" / "folkmoot" / "folkmoot.toml").write_text(text)
    output = folkmoot(tmp_path, "config", "presets", FOLKMOOT_BASE_URL="http://127.0.0.1:9").output
    assert "the cost is not known" in output
    assert "The price of compatible:x, compatible:y is unknown" in output


def test_run_check_and_batch_take_a_preset(place: Path) -> None:
    checked = folkmoot(place, "check", "Tea or coffee?", "--preset", "built")
    assert "limits     500 questions, $0.5" in checked.output
    assert "The preset is built, from folkmoot.toml." in checked.output
    run = folkmoot(place, "run", "Tea or coffee?", "--preset", "built", "--quiet", "--no-report")
    assert run.exit_code == 0, run.output
    (place / "a.jsonl").write_text('{"brief": "Tea or coffee?", "preset": "built"}\n')
    batch = folkmoot(place, "batch", "--jsonl", "a.jsonl", "--json")
    assert batch.exit_code == 0, batch.output
    (place / "folkmoot.toml").write_text(PRESETS.replace("rounds = 1", "rounds = 0"))
    again = folkmoot(place, "batch", "Tea or coffee?", "--preset", "built", "--json")
    (first, second) = (json.loads(done.stdout.splitlines()[0]) for done in (batch, again))
    assert first["debate"] != second["debate"], "another content of the preset is another debate"


def test_an_option_goes_before_the_preset(place: Path) -> None:
    plan = json.loads(
        folkmoot(place, "check", "Tea?", "--preset", "built", "--rounds", "2", "--budget", "0.1", "--json").output
    )
    assert [phase for phase in plan["phases"] if "round-" in phase][-1].endswith("round-2")
    assert folkmoot(place, "check", "Tea?", "--preset", "nope").exit_code == 2


def test_init_shows_the_cost_and_writes_after_yes_and_changes_nothing_that_is_there(tmp_path: Path) -> None:
    own = tmp_path / "config" / "folkmoot" / "folkmoot.toml"
    own.parent.mkdir(parents=True)
    own.write_text('# mine\nmodel = "openai:x"\n\n[presets.fast]\nrounds = 1\n')
    env = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
    refused = folkmoot(tmp_path, "config", "presets", "--init", stdin="n\n", **env)
    assert refused.exit_code == 130
    assert "a usual question costs about $" in refused.output
    assert "budget" not in own.read_text()
    written = folkmoot(tmp_path, "config", "presets", "--init", "--yes", **env)
    assert written.exit_code == 0, written.output
    text = own.read_text()
    assert text.startswith("# mine\n")
    tables = tomllib.loads(text)["presets"]
    assert tables["fast"] == {"rounds": 1}
    assert tables["quality"]["models"] == [
        f"{name}:{PROVIDERS[name].starters[0][0]}" for name in ("openai", "anthropic")
    ]
    assert set(tables) == {"fast", "quality", "budget", "review"}
    assert (
        "are there already; nothing was written"
        in folkmoot(tmp_path, "config", "presets", "--init", "--yes", **env).output
    )


def test_init_without_any_model_writes_nothing(tmp_path: Path) -> None:
    result = folkmoot(tmp_path, "config", "presets", "--init", "--yes")
    assert result.exit_code == 1
    assert "no language model is in reach" in result.output
    assert not (tmp_path / "config").exists()


def test_a_file_that_cannot_take_tables_stays_as_it_is(tmp_path: Path) -> None:
    own = tmp_path / "config" / "folkmoot" / "folkmoot.toml"
    own.parent.mkdir(parents=True)
    own.write_text("presets = {}\n")
    result = folkmoot(tmp_path, "config", "presets", "--init", "--yes", OPENAI_API_KEY="k")
    assert result.exit_code == 2
    assert "cannot be changed" in result.output
    assert own.read_text() == "presets = {}\n"


def reach(*keys: str, local: tuple[str, ...] = ()) -> Available:
    server = Server(provider="ollama", url="http://127.0.0.1:11434", up=True, models=local)
    return Available(servers=(server,), keys=tuple((key, "X") for key in keys), missing=(), advice=())


def test_seats_are_of_different_families_where_there_are_such() -> None:
    local = ("ollama:nomic-embed-text", "ollama:qwen3:8b", "ollama:qwen3:4b", "ollama:llama3.2")
    for there in (reach("openrouter"), reach("openai", "mistral", local=local), reach(local=local)):
        for preset in starter_presets(there):
            models = preset.settings["models"]
            assert isinstance(models, tuple)
            assert len({family(model) for model in models}) == len(models)
    assert starter_presets(reach()) == ()
    assert "cost" not in starter_presets(reach(local=("compatible:x",)))[0].settings


def test_models_are_offered_with_prices_and_how_they_are_reached() -> None:
    offers = model_offers(reach("openai", "groq", local=("ollama:qwen3:8b",)))
    assert [offer.model for offer in offers[:2]] == ["ollama:qwen3:8b", "builtin:quotes"]
    assert offers[0] == ModelOffer(model="ollama:qwen3:8b", reach="answers", input_price=0.0, output_price=0.0)
    assert offers[1].reach == "built_in"
    large, small = offers[2:]
    assert [offer.model for offer in (large, small)] == [f"openai:{size[0]}" for size in PROVIDERS["openai"].starters]
    assert large.reach == small.reach == "key"
    prices = (small.input_price, large.input_price, large.output_price)
    assert all(price is not None and 0.01 < price < 1_000 for price in prices)


def test_a_model_of_an_own_endpoint_is_free_only_where_that_is_known() -> None:
    own, local, *_ = model_offers(reach(local=("compatible:x", "ollama:qwen3:8b")))
    assert (own.reach, own.input_price, own.output_price) == ("answers", None, None)
    assert (local.reach, local.input_price, local.output_price) == ("answers", 0.0, 0.0)


def test_every_model_that_presets_begin_with_has_a_price() -> None:
    starters = {name: [*provider.starters[0], *provider.starters[1]] for name, provider in PROVIDERS.items()}
    names = [f"{provider}:{model}" for provider, models in starters.items() for model in models]
    assert len(names) > 10
    request = Request(messages=(Message(role="user", text="Tea?"),))
    assert [name for name in names if not quote(parse(name), request).cost] == []
