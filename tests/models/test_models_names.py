"""Names of models, addresses of providers, and keys that show themselves to nobody."""

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.errors import BriefError
from folkmoot.models.names import PROVIDERS, Key, find_key, find_url, need_key, parse, unsent_settings
from folkmoot.models.transport import ProviderConnection
from tests.models.models_kit import KEY


@pytest.mark.parametrize(
    ("text", "provider", "model"),
    [
        ("ollama:llama3.2", "ollama", "llama3.2"),
        ("ollama:llama3.2:3b", "ollama", "llama3.2:3b"),
        (" OpenAI : gpt-4o ", "openai", "gpt-4o"),
        ("ollama/llama3.2:1b", "ollama", "llama3.2:1b"),
        ("openrouter/openai/gpt-4o", "openrouter", "openai/gpt-4o"),
        ("openrouter:meta/llama:free", "openrouter", "meta/llama:free"),
        ("ollama:hf.co/some/model:Q4_K_M", "ollama", "hf.co/some/model:Q4_K_M"),
        ("anthropic/claude-haiku-5-5", "anthropic", "claude-haiku-5-5"),
    ],
)
def test_names_are_split_at_the_first_mark(text: str, provider: str, model: str) -> None:
    name = parse(text)
    assert (name.provider.name, name.model) == (provider, model)
    assert str(name) == f"{provider}:{model}"
    assert parse(str(name)) == name


@pytest.mark.parametrize("text", ["", "gpt-4o", "nobody:model", "http://evil.example:80/x", "hf.co/a/b:c", ":x"])
def test_unknown_providers_are_refused_with_those_that_there_are(text: str) -> None:
    with pytest.raises(BriefError, match=r"the providers are|The providers are") as caught:
        parse(text)
    assert all(name in str(caught.value) for name in PROVIDERS)


@pytest.mark.parametrize(
    "text", ["ollama:", "ollama: ", "ollama:two words", "openai/", "ollama:a\nb", "groq:" + "x" * 201]
)
def test_a_provider_alone_is_no_model(text: str) -> None:
    with pytest.raises(BriefError, match="name of a model"):
        parse(text)


@given(st.text(max_size=30))
def test_every_text_is_a_name_or_refused(text: str) -> None:
    with suppress(BriefError):
        name = parse(text)
        assert parse(str(name)) == name


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("127.0.0.1", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8888", "http://127.0.0.1:8888"),
        (":8888", "http://127.0.0.1:8888"),
        ("box", "http://box:11434"),
        ("box:8888/", "http://box:8888"),
        ("box/ollama/", "http://box:11434/ollama"),
        ("http://box", "http://box"),
        ("https://box.example", "https://box.example"),
        ("https://box.example:8888/a", "https://box.example:8888/a"),
        ("[::]:8888", "http://[::1]:8888"),
        ("[::1]", "http://[::1]:11434"),
        ("http://[::1]", "http://[::1]"),
    ],
)
def test_ollama_host_may_be_short(host: str, url: str) -> None:
    assert find_url(PROVIDERS["ollama"], {"OLLAMA_HOST": host}) == url


@pytest.mark.parametrize("value", ["ftp://box/v1", "box:8000", "http://", "http://box:99999", "http://box:0", "x y"])
def test_an_address_that_cannot_be_used_is_refused(value: str) -> None:
    with pytest.raises(BriefError, match="FOLKMOOT_BASE_URL") as caught:
        find_url(PROVIDERS["compatible"], {"FOLKMOOT_BASE_URL": value})
    assert caught.value.code == "bad_address"


@given(name=st.from_regex(r"[a-z]{1,9}", fullmatch=True), password=st.from_regex(r"[a-zA-Z0-9]{12}", fullmatch=True))
def test_a_key_and_a_user_name_are_not_both_sent(name: str, password: str) -> None:
    provider = parse("openai:gpt-4o").provider
    env = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"http://{name}:{password}@127.0.0.1:9/v1"}
    with pytest.raises(BriefError) as caught:
        ProviderConnection(provider, env)
    assert not {KEY, password} & set(re.findall(r"[\w-]+", str(caught.value)))
    assert {"OPENAI_API_KEY", "OPENAI_BASE_URL"} <= set(re.findall(r"\w+", str(caught.value)))


def test_addresses_come_from_the_environment_or_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BriefError, match="FOLKMOOT_BASE_URL"):
        find_url(PROVIDERS["compatible"], {})
    assert find_url(PROVIDERS["compatible"], {"FOLKMOOT_BASE_URL": "http://box:1/v1/"}) == "http://box:1/v1"
    assert find_url(PROVIDERS["openai"], {}) == "https://api.openai.com/v1"
    assert find_url(PROVIDERS["openai"], {"OPENAI_BASE_URL": "https://proxy.example/v1"}) == "https://proxy.example/v1"
    monkeypatch.setenv("OLLAMA_HOST", "elsewhere")
    assert find_url(PROVIDERS["ollama"]) == "http://elsewhere:11434"


def test_keys_come_under_their_usual_names(monkeypatch: pytest.MonkeyPatch) -> None:
    google = PROVIDERS["google"]
    assert find_key(google, {}) is None
    api_key = find_key(google, {"GEMINI_API_KEY": " ", "GOOGLE_API_KEY": f" {KEY}\n"})
    assert api_key is not None
    assert (api_key.origin, api_key.reveal()) == ("GOOGLE_API_KEY", KEY)
    assert need_key(PROVIDERS["ollama"], {}) is None
    with pytest.raises(BriefError, match="set GEMINI_API_KEY or GOOGLE_API_KEY") as caught:
        need_key(google, {})
    assert caught.value.code == "no_key"
    monkeypatch.setenv("MISTRAL_API_KEY", KEY)
    assert need_key(PROVIDERS["mistral"]) is not None


def test_a_key_does_not_show_itself() -> None:
    key = Key(KEY, "OPENAI_API_KEY")
    assert KEY not in f"{key} {key!r} {[key]}"
    assert key.hide(f"bad key {KEY}!") == "bad key ***!"
    assert Key("a", "X").hide("a banana") == "a banana"


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("openai:o3", True),
        ("openai:o4-mini", True),
        ("openai:gpt-5", True),
        ("openai:gpt-5-mini", True),
        ("openai:gpt-5.6-codex", True),
        ("openai:gpt-5.4-pro", True),
        ("openai:gpt-5.1-codex-max", True),
        ("openai:gpt-6-sol", True),
        ("openrouter:openai/o3", True),
        ("openai:gpt-5-chat-latest", False),
        ("openai:gpt-5.1", False),
        ("openai:gpt-5.4-mini", False),
        ("openai:gpt-4o", False),
        ("openai:o30", False),
        ("groq:openai/gpt-oss-120b", False),
        ("anthropic:claude-opus-5-1", True),
        ("anthropic:claude-opus-4-7", True),
        ("anthropic:claude-haiku-4-5", False),
        ("anthropic:claude-sonnet-4-6", False),
        ("ollama:o3", False),
    ],
)
def test_which_models_refuse_a_temperature(name: str, refused: bool) -> None:
    assert ("temperature" in unsent_settings(parse(name))) == refused


@pytest.mark.parametrize("provider", ["bedrock", "google-cloud"])
def test_what_only_the_library_reaches_is_told(provider: str) -> None:
    with pytest.raises(
        BriefError, match=rf"{provider} is reached by a library: write library:{provider}:x\.y"
    ) as caught:
        parse(f"{provider}:x.y")
    assert caught.value.code == "bad_model"
    assert parse(f"library:{provider}:x.y").model == f"{provider}:x.y"


def test_every_provider_can_be_reached() -> None:
    for name, provider in PROVIDERS.items():
        assert provider.name == name
        if name == "library":  # it finds addresses and keys by itself
            assert (find_url(provider, {}), need_key(provider, {})) == ("", None)
            continue
        if name == "acp":  # a program on this machine
            continue
        assert provider.url_env.endswith(("_BASE_URL", "_HOST"))
        assert provider.keys or not provider.needs_key
        assert provider.url.startswith("http://127.0.0.1:" if provider.local else "https://") or name == "compatible"


@pytest.mark.parametrize(
    ("provider", "variable", "address", "url"),
    [
        ("compatible", "FOLKMOOT_BASE_URL", "http://box:9/v1/chat/completions", "http://box:9/v1"),
        ("compatible", "FOLKMOOT_BASE_URL", "http://box:9/v1/models/", "http://box:9/v1"),
        ("compatible", "FOLKMOOT_BASE_URL", "http://box:9/models/v1", "http://box:9/models/v1"),
        ("anthropic", "ANTHROPIC_BASE_URL", "https://box/v1/messages", "https://box"),
        ("anthropic", "ANTHROPIC_BASE_URL", "https://box/v1/", "https://box"),
        ("ollama", "OLLAMA_HOST", "http://box:9/api/chat", "http://box:9"),
        ("ollama", "OLLAMA_HOST", "http://box:9/v1", "http://box:9"),
        ("ollama", "OLLAMA_HOST", "http://box:9/behind/proxy", "http://box:9/behind/proxy"),
    ],
)
def test_the_address_of_a_question_is_taken_for_that_of_its_server(
    provider: str, variable: str, address: str, url: str
) -> None:
    assert find_url(PROVIDERS[provider], {variable: address}) == url
