"""What other programs read of Folkmoot: plug-ins, server.json, workflows, and pins that have to agree."""

import base64
import json
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import click
import jsonschema
import pytest
from ruamel.yaml import YAML

import hatch_build
from doc_doors import ABOUT, MCP, UNSET, doors, read_project
from folkmoot.app.plan.settings import load_config
from folkmoot.app.skills.skill_files import SKILLS, description
from folkmoot.cli.main import main
from tests.paths import ROOT

ADDRESS = "https://github.com/ann-example/folkmoot"
OWNER = {"urls": {"Repository": ADDRESS}, "maintainers": [{"name": "Ann", "email": "ann@example.org"}]}
PROJECT = read_project(ROOT)
WORKFLOWS = [*sorted((ROOT / ".github/workflows").glob("*.yml"))]
GUIDE = (ROOT / "docs/how-to/review-a-change.md").read_text("utf-8")


def test_the_files_are_what_the_project_and_the_skills_say() -> None:
    stale = [str(path) for path, text in doors(ROOT, PROJECT).items() if (ROOT / path).read_text("utf-8") != text]
    assert not stale, "run make docs"
    if "urls" not in PROJECT:
        assert not (ROOT / "server.json").exists()


def test_what_the_owner_fills_in_comes_everywhere_and_nothing_is_made_up_before() -> None:
    bare = doors(ROOT, {name: value for name, value in PROJECT.items() if name not in OWNER})
    assert not [path for path, text in bare.items() if "github.com/ann" in text or "example.org" in text]
    assert Path("server.json") not in bare
    assert f"<!-- mcp-name: {UNSET} -->" in bare[Path("README.md")]
    files = doors(ROOT, {**PROJECT, **OWNER})
    assert "<!-- mcp-name: io.github.ann-example/folkmoot -->" in files[Path("README.md")]
    assert f"repository-code: {ADDRESS}\n" in files[Path("CITATION.cff")]
    assert all("ann@example.org" in files[Path(name)] for name in ("SECURITY.md", "CODE_OF_CONDUCT.md"))
    server = json.loads(files[Path("server.json")])
    assert (server["name"], server["version"]) == ("io.github.ann-example/folkmoot", PROJECT["version"])
    # The registry's own schema, of modelcontextprotocol/registry (MIT), as it lies at the address that the file names.
    schema = json.loads((ROOT / "tests/docs/server.schema.json").read_text("utf-8"))
    assert schema["$id"] == server["$schema"]
    jsonschema.validate(server, schema)
    [package] = server["packages"]
    assert package["version"] == PROJECT["version"]
    assert package["runtimeArguments"][0]["value"] == "folkmoot[mcp]"
    assert len(ABOUT) <= 100  # what the registry takes


def test_an_address_that_is_no_repository_is_refused() -> None:
    with pytest.raises(SystemExit, match=re.escape("https://github.com/OWNER/NAME")):
        doors(ROOT, {**PROJECT, "urls": {"Repository": "https://github.com/ann-example"}})


@pytest.mark.parametrize(
    ("skill", "words"),
    [("decide", "council this"), ("review", "second opinion"), ("red-team", "pressure-test this")],
)
def test_a_skill_is_found_by_what_people_say(skill: str, words: str) -> None:
    assert skill in SKILLS
    assert words in description(skill)


def test_each_link_of_one_click_holds_the_settings_of_the_page() -> None:
    page = (ROOT / "docs/how-to/use-from-a-coding-agent.md").read_text("utf-8")
    links: list[str] = re.findall(r"\((https://[^)]*config=[^)]*)\)", page)
    configs: list[str] = [parse_qs(urlsplit(link).query)["config"][0] for link in links]
    read = [json.loads(text if text.startswith("{") else base64.b64decode(text)) for text in configs]
    assert [{name: config[name] for name in MCP} for config in read] == [MCP, MCP]
    assert json.dumps(MCP["args"]) in page


def test_a_build_needs_what_the_requirements_pin() -> None:
    pins = dict(re.findall(r"^([\w.-]+)==([\w.]+)", (ROOT / "requirements/run.txt").read_text("utf-8"), re.MULTILINE))
    [hatchling] = re.findall(r'^requires = \["(.*)"\]', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    for requirement in (hatchling, hatch_build.NODE):
        name, _, version = requirement.partition("==")
        assert pins[name] == version, f"{requirement} is not what requirements/run.txt has"


def test_the_settings_of_the_compose_file_are_settings_and_its_names_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compose = YAML(typ="safe").load((ROOT / "deploy/open-webui/compose.yaml").read_text("utf-8"))  # pyright: ignore[reportUnknownMemberType]
    given = {"FOLKMOOT_TOKEN_SHA256": "0" * 64}
    content = str(compose["configs"]["settings"]["content"])
    text = re.sub(r"\$\{(\w+)(?::[-?]([^}]*))?\}", lambda match: given.get(match[1], match[2]), content)
    path = tmp_path / "folkmoot" / "folkmoot.toml"
    path.parent.mkdir()
    path.write_text(text, "utf-8")
    for name in ("FOLKMOOT_MODEL", "FOLKMOOT_STORE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    config = load_config(tmp_path)
    assert config.serve.tokens == {"chat": "0" * 64}
    assert config.serve.default_preset in config.presets
    asked = urlsplit(str(compose["services"]["open-webui"]["environment"]["OPENAI_API_BASE_URL"]))
    assert asked.hostname in config.serve.hosts
    assert asked.hostname in compose["services"]
    docker = (ROOT / "Dockerfile").read_text("utf-8")
    assert f"EXPOSE {asked.port}\n" in docker
    assert re.search(r"^USER \d+$", docker, re.MULTILINE)  # not root


def joined(paths: Iterable[Path]) -> str:
    return "\n".join(path.read_text("utf-8") for path in paths)


def test_commands_in_workflows_compose_files_and_forms_exist() -> None:
    programs = [*WORKFLOWS, *(ROOT / "deploy").glob("*/compose.yaml"), ROOT / "scripts/review_action.sh"]
    called = re.findall(r"(?:folkmoot(?::tried)?|command:|-m folkmoot) ([a-z]+)(?: ([a-z]+)\b)?", joined(programs))
    pages = [*(ROOT / ".github").rglob("*.*"), ROOT / "SECURITY.md", ROOT / "AGENTS.md", ROOT / "llms.txt"]
    pages += (ROOT / "plugins").rglob("*.md")
    called += re.findall(r"^(?:\$ )?folkmoot ([a-z]+)(?: ([a-z]+)\b)?", joined(pages), re.MULTILINE)
    called += re.findall(r"`folkmoot ([a-z]+)(?: ([a-z]+)\b)?", joined(pages))
    assert {"worker", "serve", "run", "config", "review", "models"} <= {first for first, _ in called}
    context = click.Context(main)
    for first, second in called:
        command = main.get_command(context, first)
        assert command, f"there is no command {first}"
        if isinstance(command, click.Group) and second:
            assert command.get_command(context, second), f"{first} has no command {second}"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_takes_actions_by_their_hash_and_secrets_never(path: Path) -> None:
    text = path.read_text("utf-8")
    used = re.findall(r"uses: (\S+)", text)
    assert used
    assert [
        name for name in used if not name.startswith("./") and not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name)
    ] == []
    assert "pull_request_target" not in text
    assert "secrets." not in text
    assert re.search(r"^permissions: \{\}$", text, re.MULTILINE)


def test_the_workflow_of_the_guide_passes_the_checks_for_workflows(tmp_path: Path) -> None:
    blocks: list[str] = re.findall(r"```yaml file=review.yml\n(.*?)```", GUIDE, re.DOTALL)
    path = tmp_path / ".github/workflows/review.yml"
    path.parent.mkdir(parents=True)
    path.write_text(blocks[0].replace("OWNER/folkmoot@COMMIT", f"ann-example/folkmoot@{'a' * 40}"), "utf-8")
    tools = Path(sys.executable).parent
    for command in (
        [tools / "check-jsonschema", "--builtin-schema", "vendor.github-workflows", path],
        [tools / "zizmor", "--offline", "--quiet", "--strict-collection", tmp_path],
    ):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_in_the_guide_the_job_with_keys_cannot_write_and_the_one_that_writes_has_none() -> None:
    jobs = re.search(r"```yaml file=review.yml\n.*?^jobs:\n(.*?)```", GUIDE, re.DOTALL | re.MULTILINE)
    assert jobs
    review, publish = re.split(r"^  publish:$", jobs[1], flags=re.MULTILINE)
    assert "secrets." in review
    assert ": write" not in review
    assert "secrets." not in publish
    assert "pull-requests: write" in publish
    assert "refs/pull" not in jobs[1] and "head.sha" not in jobs[1] and "head.ref" not in jobs[1]  # noqa: PT018 - one thought
