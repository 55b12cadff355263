"""The API against its own description: no answer that it does not name, no slip inside, whatever is sent."""

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import pytest
from jsonschema import Draft202012Validator

from folkmoot.app.brief.json_schema import whole_schema
from folkmoot.web.app import EXAMPLES, describe, routes
from tests.council.agents import own_place
from tests.kits.thoroughness import MORE
from tests.web.web_kit import ANN, API, opened

EXAMPLES_EACH = "4" if MORE else "2"
CHECKS = (
    "unsupported_method,allow_header_conformance,not_a_server_error,status_code_conformance,"
    "content_type_conformance,response_schema_conformance"
)


@contextmanager
def served(folder: Path) -> Generator[str]:
    """A server on a port of its own, in a thread of its own; its address."""
    ready, bases = threading.Event(), list[str]()
    loop, over = asyncio.new_event_loop(), asyncio.Event()

    async def serve() -> None:
        async with opened(folder, real=True) as web:
            bases.append(web.base)
            ready.set()
            await over.wait()

    def run() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(serve())

    thread = threading.Thread(target=run)
    thread.start()
    assert ready.wait(120)
    try:
        yield bases[0]
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(120)


@cache
def described() -> Any:
    """The description of all routes, which takes long to make; no test changes it."""
    return describe(routes())


def test_the_description_is_whole() -> None:
    description = described()
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            name = f"{method} {path}"
            assert operation["summary"], name
            assert operation["description"], name
            assert {"400", "401", "403", "404", "409", "413", "415", "422", "429"} <= set(operation["responses"]), name
            errors = {status: answer for status, answer in operation["responses"].items() if int(status) >= 400}
            assert {tuple(answer["content"]) for answer in errors.values()} == {("application/problem+json",)}, name
    assert description["paths"][f"{API}/debates"]["post"]["responses"]["201"]["links"]
    assert "examples" in description["components"]["schemas"]["NewDebate"]


def test_every_field_has_its_sentence_and_none_is_for_a_field_that_is_gone() -> None:
    description = described()
    schemas: dict[str, Any] = description["components"]["schemas"]
    fields: dict[str, Any] = {
        f"{name.rpartition('__')[2]}.{field}": kind
        for name, schema in schemas.items()
        for field, kind in cast("dict[str, Any]", schema.get("properties", {})).items()
    }
    assert [name for name, kind in fields.items() if not kind["description"]] == []
    assert "Attributes:" not in json.dumps(schemas)
    known = {*fields, *(name.partition(".")[2] for name in fields)}
    assert {*json.loads(files("folkmoot").joinpath("web/fields.json").read_text("utf-8"))} <= known


def operations(description: Any) -> Iterator[tuple[str, Any]]:
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            yield f"{method} {path}", operation


def test_each_request_and_answer_has_a_type_and_an_example_that_fits_it() -> None:
    description = described()
    for name, operation in operations(description):
        contents = [answer.get("content", {}) for status, answer in operation["responses"].items() if int(status) < 400]
        assert any(contents), name
        if "requestBody" in operation:
            contents.append(operation["requestBody"]["content"])
        for content in contents:
            for kind, media in content.items():
                assert media.get("example") is not None, f"{name}: {kind}"
                if kind != "application/json":
                    continue
                schema = media["schema"]
                assert set(schema) - {"title"}, f"{name} answers with anything"
                assert schema.get("additionalProperties") is not True, f"{name} answers with any object"
                checker: Any = Draft202012Validator({**schema, "components": description["components"]})
                checker.validate(media["example"])
    known = {operation["operationId"] for _, operation in operations(description)}
    assert known == set(json.loads(files("folkmoot").joinpath(EXAMPLES).read_text("utf-8")))


def test_a_brief_as_json_has_the_keys_of_a_header() -> None:
    schemas = cast("dict[str, Any]", described()["components"])["schemas"]
    holders = [name for name, schema in schemas.items() if "anyOf" in schema.get("properties", {}).get("brief", {})]
    assert {"NewDebate", "ForkDebate"} <= set(holders)
    for name in holders:
        assert {"$ref": "#/components/schemas/Brief"} in schemas[name]["properties"]["brief"]["anyOf"]
    assert list(schemas["Brief"]["properties"]) == list(cast("dict[str, Any]", whole_schema()["properties"]))


def test_parameters_that_are_needed_have_examples() -> None:
    for name, operation in operations(described()):
        for parameter in operation.get("parameters", []):
            assert not parameter["required"] or "example" in parameter, f"{name}: {parameter['name']}"


@pytest.mark.system
@pytest.mark.timeout(600)
def test_no_answer_is_undocumented_and_nothing_slips(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)
    schema = tmp_path / "openapi.json"
    schema.write_text(json.dumps(describe(routes())))
    with served(tmp_path) as base:
        command = [sys.executable, "-m", "schemathesis.cli", "run", str(schema), "--url", base, "--checks", CHECKS]
        command += ["-H", f"Authorization: Bearer {ANN}", "--max-examples", EXAMPLES_EACH, "--seed", "1", "--no-color"]
        command += [
            "--phases",
            "examples,fuzzing,stateful",
            "--request-timeout",
            "20",
            "--suppress-health-check",
            "all",
        ]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=570)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "Stateful" in done.stdout
