"""The owner's settings: where they come from, what may stand where, and one clear sentence for each mistake."""

from pathlib import Path

import pytest

from folkmoot.app.plan.settings import Config, load_config, user_file
from folkmoot.core.brief import SCHEMAS
from folkmoot.core.errors import BriefError
from folkmoot.tools.mcp_servers import Server

PIN = "0123456789abcdef" * 4


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user without settings, in an empty folder."""
    for name in ("MODEL", "FALLBACK", "STORE", "SEARCH", "SEARXNG_URL", "EMBEDDINGS", "LEARN", "SCHEMAS"):
        monkeypatch.delenv(f"FOLKMOOT_{name}", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config" / "folkmoot").mkdir(parents=True)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path


def test_where_nothing_is_set() -> None:
    assert load_config() == Config()


def test_the_users_own_file_is_where_the_environment_says_now(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert home in user_file().parents
    user_file().write_text('model = "ollama:a"\n')
    assert load_config().model == "ollama:a"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "other"))
    assert load_config() == Config()
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", str(home / "away"))
    assert home / "away" in user_file().parents
    assert load_config() == Config()


def test_all_settings_of_the_users_own_file() -> None:
    user_file().write_text(
        'model = "ollama:a"\nstore = "x.sqlite"\nsearch = "searxng"\nsearxng_url = "https://search.example/x"\n'
        'embeddings = "ollama:nomic-embed-text"\n'
        f'[mcp.files]\ncommand = ["server", "--all", "$HOME"]\npin = "{PIN}"\nenv = ["TOKEN"]\n'
        f'[mcp.far_off-1]\nurl = "https://mcp.example/mcp"\npin = "sha256:{PIN}"\n'
    )
    config = load_config()
    assert (config.model, config.store, config.search) == ("ollama:a", Path("x.sqlite"), "searxng")
    assert (config.searxng_url, config.embeddings) == ("https://search.example/x", "ollama:nomic-embed-text")
    pin = f"sha256:{PIN}"
    assert config.mcp == {
        "files": Server(name="files", command=("server", "--all", "$HOME"), pin=pin, env=("TOKEN",)),
        "far_off-1": Server(name="far_off-1", url="https://mcp.example/mcp", pin=pin),
    }
    assert dict(config.origin)["searxng_url"] == str(user_file())


def test_the_environment_goes_before_the_folder_and_the_folder_before_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    user_file().write_text('model = "ollama:a"\nsearch = "searxng"\nsearxng_url = "http://a.example"\n')
    Path("folkmoot.toml").write_text('model = "ollama:b"\nsearch = "duckduckgo"\n')
    assert (load_config().model, load_config().search) == ("ollama:b", "duckduckgo")
    assert load_config(Path("elsewhere")).model == "ollama:a"
    monkeypatch.setenv("FOLKMOOT_MODEL", "ollama:c")
    monkeypatch.setenv("FOLKMOOT_SEARXNG_URL", "http://127.0.0.1:8888")
    config = load_config()
    assert (config.model, config.searxng_url) == ("ollama:c", "http://127.0.0.1:8888")
    assert dict(config.origin)["model"] == "FOLKMOOT_MODEL"


def test_settings_that_have_changed_are_read_again() -> None:
    assert load_config().learn
    assert load_config() is load_config()
    Path("folkmoot.toml").write_text("learn = false\n")
    assert not load_config().learn
    Path("folkmoot.toml").unlink()
    assert load_config().learn


@pytest.mark.parametrize("line", ['["ollama:a", "openai:b"]', '"ollama:a, openai:b"'])
def test_fallbacks_are_a_list_or_one_text(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("folkmoot.toml").write_text(f"fallback = {line}\n")
    assert load_config().fallback == ("ollama:a", "openai:b")
    monkeypatch.setenv("FOLKMOOT_FALLBACK", "ollama:c,")
    assert load_config().fallback == ("ollama:c",)


@pytest.mark.parametrize("line", ['searxng_url = "http://x"', 'embeddings = "ollama:e"', '[mcp.x]\ncommand = ["x"]'])
def test_a_file_beside_a_brief_starts_nothing_and_names_no_address(line: str) -> None:
    Path("folkmoot.toml").write_text(line)
    with pytest.raises(BriefError, match=f"folkmoot.toml: [a-z_]+ can be set only in your own file, {user_file()}"):
        load_config()


def test_the_users_own_folder_may_be_the_current_one(monkeypatch: pytest.MonkeyPatch) -> None:
    user_file().write_text('searxng_url = "http://127.0.0.1:8888"\n')
    monkeypatch.chdir(user_file().parent)
    assert load_config().searxng_url == "http://127.0.0.1:8888"


ADDRESS = "must be an address without a password, such as http://127.0.0.1:8888"
BAD: list[tuple[str, str]] = [
    ("model = 5", "model must be a text in quotes"),
    (
        "models = 'x'",
        "there is no setting 'models'; there are model, fallback, store, search, searxng_url, embeddings, learn, schem",
    ),
    ("not toml", "cannot be read"),
    ("search = 'google'", "search must be one of searxng, duckduckgo"),
    ("searxng_url = 'localhost:8888'", f"searxng_url {ADDRESS}"),
    ("searxng_url = 'http://a:b@c.example'", f"searxng_url {ADDRESS}"),
    ("searxng_url = 'file:///etc/passwd'", f"searxng_url {ADDRESS}"),
    ("searxng_url = 'http://a b'", f"searxng_url {ADDRESS}"),
    ("searxng_url = 'http://a:99999'", f"searxng_url {ADDRESS}"),
    ("mcp = 'x'", "mcp must be a table of tables: [mcp.files]"),
    ("mcp.x = 'y'", "mcp must be a table of tables: [mcp.x]"),
    ("[mcp.x]\ncommand = ['a']\nurl = 'http://x'", "mcp.x needs either a command or a url"),
    ("[mcp.x]\ncommand = 'rm -rf'", "mcp.x.command must be a list of texts"),
    ("[mcp.x]\ncommand = []", "mcp.x.command must be a list of texts"),
    ("[mcp.x]\ncommand = ['a', 5]", "mcp.x.command must be a list of texts"),
    ("[mcp.x]\ncommand = ['a']\nenv = 'TOKEN'", "mcp.x.env must be a list of texts"),
    ("[mcp.x]\ncommand = ['a']\nshell = true", "mcp.x has no setting 'shell'; there are command, url, pin, env"),
    ("[mcp.x]\ncommand = ['a']\npin = 'abc'", "mcp.x.pin must be sha256: and 64 digits from 0 to f"),
    ("[mcp.x]\ncommand = ['a']\npin = 5", "mcp.x.pin must be sha256: and 64 digits"),
    ("[mcp.x]\nurl = ''", f"mcp.x.url {ADDRESS}"),
    ("[mcp.x]\nurl = 'ftp://x'", f"mcp.x.url {ADDRESS}"),
    ("fallback = 7", "fallback must be a list of texts"),
    ("fallback = [7]", "fallback must be a list of texts"),
    ("[mcp.'a b']\ncommand = ['a']", "mcp.a b needs a name of 1 to 32 letters, digits, - and _"),
]


@pytest.mark.parametrize(("text", "message"), BAD, ids=[text for _, text in BAD])
def test_mistakes_are_named_with_their_file(text: str, message: str) -> None:
    user_file().write_text(text)
    with pytest.raises(BriefError) as caught:
        load_config()
    assert str(caught.value).startswith(f"{user_file()}: ")
    assert message in caught.value.found


# ---- learning -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "learns"), [("", True), ("learn = true", True), ("learn = false", False), ('learn = "no"', False)]
)
def test_whether_debates_are_learned(text: str, learns: bool) -> None:
    Path("folkmoot.toml").write_text(text)
    assert load_config().learn is learns


def test_the_environment_can_forbid_learning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOLKMOOT_LEARN", "off")
    assert not load_config().learn


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('learn = "maybe"', "learn must be true or false"),
        ("learn = 1", "learn must be true or false"),
    ],
)
def test_learning_that_cannot_be(text: str, message: str) -> None:
    user_file().write_text(text)
    with pytest.raises(BriefError) as error:
        load_config()
    assert message in str(error.value)


@pytest.mark.parametrize("text", ["", *(f'schemas = "{word}"' for word in SCHEMAS)])
def test_when_schemas_are_sent(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    user_file().write_text(text)
    assert load_config().schemas == (text.split('"')[1] if text else "repair")
    monkeypatch.setenv("FOLKMOOT_SCHEMAS", "off")
    assert load_config().schemas == "off"


@pytest.mark.parametrize("value", ["true", "false", '"yes"', '"once"', '""', "1"])
def test_an_error_says_when_schemas_can_be_sent(value: str) -> None:
    user_file().write_text(f"schemas = {value}")
    with pytest.raises(BriefError) as caught:
        load_config()
    assert caught.value.where == str(user_file())
    assert all(word in str(caught.value) for word in ("schemas", *SCHEMAS))
