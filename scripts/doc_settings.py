"""The page of settings and environment: what ``folkmoot.toml`` and the environment may set, each with its meaning.

A setting that the code reads and that is not told here, or the other way round, is an error.
"""

from collections.abc import Iterable, Mapping

from doc_pages import page, table
from folkmoot.app.brief import presets
from folkmoot.app.plan import settings
from folkmoot.app.plan.settings_tables import KEYS
from folkmoot.models.names import PROVIDERS

BEGIN = """\
Folkmoot reads settings from three places. The first that says something counts:

1. the environment: `FOLKMOOT_MODEL` for `model`, and so on
2. `folkmoot.toml` in the current folder
3. your own `folkmoot.toml`: `~/.config/folkmoot/folkmoot.toml` on Linux, or where your system keeps settings

Settings marked *own file* are not read from the current folder, since a `folkmoot.toml` there may be anybody's. A name that
is not here is an error that names the file. API keys are no settings: they stay in the
[environment](#environment-variables).

This is a file with some of everything:"""

EXAMPLE = """\
model = "ollama:llama3.2"
fallback = ["openai:gpt-4o-mini"]
search = "searxng"
searxng_url = "http://127.0.0.1:8888"

[presets.fast]
models = ["openai:gpt-4o-mini", "anthropic:claude-haiku-4-5", "ollama:llama3.2"]
rounds = 1
cost = 0.5

[review]
exclude = ["*.lock", "docs/*"]

[serve]
daily = 5.0
parallel = 4

[limits.openai]
requests = 500
tokens = 200000

[mcp.files]
command = ["files-server", "/srv/documents"]

[acp.claude]
command = ["claude-agent-acp"]
cost = 0


[schedules.weekly]
brief = "weekly.md"
cron = "0 9 * * mon"
timezone = "Europe/Berlin"
"""
"""What stands on the page; a test reads it as the program does."""

TEXTS: Mapping[str, tuple[str, str]] = {
    "model": ("`provider:name`", "the model that answers where neither command nor brief names one"),
    "fallback": (
        "a list of `provider:name`",
        "models that are asked in turn where a participant's own cannot be reached",
    ),
    "store": ("a path, or `postgresql://…`", "where records are kept; an address only in your own file"),
    "search": ("`searxng` or `duckduckgo`", "the search engine of the tool `web_search`"),
    "searxng_url": ("an address", "your SearXNG"),
    "embeddings": ("`provider:name`, or a folder", "the model that makes vectors of texts"),
    "learn": ("true or false", "whether a debate that ends is remembered; true where nothing is said"),
    "schemas": (
        "`first`, `repair` or `off`",
        "when providers are sent a form as a JSON Schema; `repair` where nothing is said: "
        "[how](../how-to/use-models.md#forms-as-json-schemas)",
    ),
}
"""Settings that are texts: what each holds and means."""

INNER: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "review": (
        "Which files `folkmoot review` looks at. `*` stands for anything, also `/`. "
        "[Review a change](../how-to/review-a-change.md#what-your-project-says) says more.",
        {"include": "a list of patterns: only these files", "exclude": "a list of patterns: not these files"},
    ),
    "serve": (
        "What `folkmoot serve` allows. [Call the API](../how-to/call-the-api.md#a-token) makes a token.",
        {
            "tokens": 'a table of names and hashes: `ci = "sha256:…"`; each name owns its debates',
            "hosts": "further names of this machine, as a list",
            "origins": "web pages of other addresses that may ask a debate by its model name, as a list: "
            "`https://chat.example.org`, `app://obsidian.md`, or `*` for every page; none where nothing is said",
            "parallel": "debates at once; 8 where nothing is said",
            "requests": "requests a minute of one token; 600 where nothing is said",
            "cost": "US dollars of one debate at most",
            "tokens_per_debate": "tokens of one debate at most",
            "max_questions": "questions of one debate at most",
            "daily": "US dollars that one token may use in a day",
            "default_preset": "the preset that the model name `folkmoot` means",
            "documents": "the folder with the files that debates of this machine were about: the page, the HTTP API "
            "and MCP then say which have changed since; no file is read where nothing is said",
        },
    ),
    "limits": (
        "What a provider allows to all workers together: `[limits.openai]`. [Run on many "
        "machines](../how-to/run-on-many-machines.md) says how it is kept.",
        {
            "requests": "calls in a minute",
            "tokens": "tokens in a minute, of questions and answers",
            "in_flight": "calls at once",
        },
    ),
    "notify": (
        "Who is told when it is somebody's turn, or a debate ends or is paused. [Let people take part]"
        "(../how-to/let-people-take-part.md) shows it.",
        {
            "webhook": "the address that gets a request",
            "format": "of its body: `json`, `slack` or `discord`; `json` where nothing is said",
            "smtp": "the mail server, such as `smtp://user@mail.example.org:587`; its password is `FOLKMOOT_SMTP_PASSWORD`",
            "sender": "from whom the mails come",
            "mail": "addresses that are told everything, as a list",
            "people": "the addresses of participants, by their names",
        },
    ),
    "schedules": (
        "Debates that workers start at set times: `[schedules.weekly]`.",
        {
            "brief": "the file of the brief, beside the settings",
            "cron": "when, as five fields of cron",
            "timezone": "the time zone of that; UTC where nothing is said",
            "owner": "who has it run; owners take turns",
        },
    ),
    "temporal": (
        "The server that brings debates to workers: `[temporal]`. Temporal's own variables, such as `TEMPORAL_ADDRESS`, come "
        "first. [Run on many machines](../how-to/run-on-many-machines.md#temporals-settings) shows them.",
        {
            "address": "host and port; `127.0.0.1:7233` where nothing is said",
            "namespace": "`default` where nothing is said",
            "task_queue": "what the names of its task queues begin with; `folkmoot` where nothing is said",
            "tls": "true or false, whether the connection is encrypted; with a key it is",
            "timeout": "seconds without a heartbeat after which another worker takes over; 15 where nothing is said",
        },
    ),
    "mcp": (
        "MCP servers whose tools a brief may name: `[mcp.files]`. [Give tools](../how-to/give-tools.md) shows one.",
        {
            "command": "the program and its arguments, as a list",
            "url": "the address of a server over HTTP, instead of a command",
            "pin": "the hash of the tools that you have looked at, as `folkmoot check` shows it",
            "env": "names of environment variables that the program gets",
        },
    ),
    "acp": (
        "Programs that speak the Agent Client Protocol, behind `acp:NAME`. [Let your subscription "
        "answer](../how-to/use-models.md) shows one.",
        {
            "command": "the program and its arguments, as a list",
            "mode": "the session mode that is set before anything is asked",
            "env": "names of environment variables that the program gets",
            "parallel": "how many of it run at once; 1 where nothing is said",
            "cost": '`0` for a flat rate, or `"unknown"`',
        },
    ),
    "presets": (
        "Named sets of settings that fill in what a brief leaves open: `[presets.fast]`. A preset may also hold "
        f"these keys of a brief: {', '.join(f'`{key}`' for key in (*presets.PROTOCOL_KEYS, *presets.LIMIT_KEYS))}. "
        "[Use a debate as a model](../how-to/use-as-a-model.md) shows some.",
        {
            "models": "who answers, in turn, as a list",
            "schemas": "`first`, `repair` or `off`: when they are sent a form as a JSON Schema",
            "participants": "`builtin` or `generated`: who takes part where the brief describes nobody",
            "who": "the names of the tokens that may use it, as a list; all where nothing is said",
            "seconds": "how long a request to its model name is held open; 900 where nothing is said",
            "answer": "`text`, `memo` (also strength, dissent, other answers) or `acting` (one model answers for all)",
            "acting": "the model that does so; the first of its models where nothing is said",
            "small": "the model that answers titles and tags",
            "on_leave": "`continue` or `stop`: what the debate does when the client has gone",
            "progress": "`words` or `none`: whether a stream says who has answered",
        },
    ),
}
"""Tables: a sentence on each, and its keys."""

VARIABLES: Mapping[str, str] = {
    "FOLKMOOT_SMTP_PASSWORD": "the password of the mail server of `[notify]`",
    "TEMPORAL_ADDRESS": "host and port of Temporal, before `address` of `[temporal]`",
    "TEMPORAL_NAMESPACE": "its namespace, before `namespace` of `[temporal]`",
    "TEMPORAL_API_KEY": "the key for Temporal; the connection is encrypted then",
    "TEMPORAL_TLS": "`true` for an encrypted connection",
    "TEMPORAL_TLS_SERVER_CA_CERT_PATH": "the file of the certificate authority of Temporal's server",
    "TEMPORAL_TLS_CLIENT_CERT_PATH": "the file of this client's certificate for Temporal",
    "TEMPORAL_TLS_CLIENT_KEY_PATH": "the file of its private key",
    "FOLKMOOT_BATCH_LOOK": "the least seconds between two looks at a batch; 30 where it is not set",
    "GITHUB_TOKEN, GH_TOKEN": "a token for `folkmoot review` with a pull request",
    "GITHUB_API_URL, GITHUB_REPOSITORY": "where GitHub is, and which repository is meant",
    ", ".join(settings.COLLECTORS): "where traces and metrics are sent; without one nothing is",
    "OTEL_SDK_DISABLED, OTEL_SERVICE_NAME, OTEL_EXPORTER_OTLP_TIMEOUT": "as OpenTelemetry defines them",
    "NO_COLOR, TERM, COLUMNS": "how the terminal is written to",
    "OPENAI_ORG_ID, OPENAI_PROJECT_ID": "sent to OpenAI where they are set",
}
"""Further environment variables."""


def settings_page() -> str:
    """All settings and environment variables."""
    _compare("texts", TEXTS, settings.NAMES)
    _compare("tables", INNER, settings.TABLES)
    for name, (_, keys) in INNER.items():
        _compare(name, keys, presets.OWN_KEYS if name == "presets" else KEYS[name])
    rows = [
        (f"`{name}`", holds, meaning, "own file" if name in settings.OWN else "any")
        for name, (holds, meaning) in TEXTS.items()
    ]
    return page(
        "Settings and environment",
        BEGIN,
        f"```toml no-run\n{EXAMPLE}```",
        "## Settings",
        table(("setting", "what it holds", "meaning", "where"), rows),
        *(part for name, (words, keys) in INNER.items() for part in _section(name, words, keys)),
        "## Environment variables",
        "### Settings",
        table(("variable", "setting"), [(f"`FOLKMOOT_{name.upper()}`", f"`{name}`") for name in TEXTS]),
        "### Keys and addresses of providers",
        "A key is read from the environment alone, and it is sent to its provider alone.",
        _providers(),
        "### Others",
        table(("variable", "meaning"), [(_code(names), meaning) for names, meaning in VARIABLES.items()]),
    )


def _section(name: str, words: str, keys: Mapping[str, str]) -> Iterable[str]:
    own = " *Own file.*" if name in settings.OWN else ""
    yield f"## [{name}]\n\n{words}{own}"
    if keys:
        yield table(("key", "meaning"), [(f"`{key}`", meaning) for key, meaning in keys.items()])


def _providers() -> str:
    rows = [
        (
            f"`{name}`",
            _code(", ".join(provider.keys)),
            _code(provider.url_env),
            f"`{provider.url}`" if provider.url else "",
        )
        for name, provider in PROVIDERS.items()
        if provider.keys or provider.url_env
    ]
    return table(("provider", "key", "replaces the address", "usual address"), rows)


def _code(names: str) -> str:
    return ", ".join(f"`{name}`" for name in names.split(", ") if name)


def _compare(what: str, described: Iterable[str], known: Iterable[str]) -> None:
    if odd := {*described} ^ {*known}:
        raise ValueError(f"what is described and what is known of {what} differ by {', '.join(sorted(odd))}")
