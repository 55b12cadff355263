"""The example that ``folkmoot show --example`` opens: a whole record of a real model, named as such."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from folkmoot.app.export.paper import EXAMPLE, stored_example
from folkmoot.app.run.workspace import Workspace
from folkmoot.cli.options import DONE
from folkmoot.core.event import Called
from folkmoot.testing.store_checks import InMemoryStore
from tests.cli.commands import folkmoot


async def test_the_example_is_intact_and_the_model_that_it_names_spoke() -> None:
    about, *lines = files("folkmoot").joinpath(EXAMPLE).read_text("utf-8").splitlines()
    example, store = json.loads(about), InMemoryStore()
    await store.append(example["debate"], lines, after=0)
    workspace = Workspace(store)
    await workspace.verify(example["debate"])
    models = {entry.event.model for entry in stored_example()[1] if isinstance(entry.event, Called)}
    assert models == {"llamacpp:qwen"}
    assert "Qwen2.5 Coder 0.5B" in example["note"]


def test_the_example_becomes_a_page_that_says_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ran = folkmoot(tmp_path, "show", "--example", BROWSER="true")
    assert ran.exit_code == DONE, ran.output
    page = Path(ran.stdout.strip()).read_text("utf-8")
    assert "Qwen2.5 Coder 0.5B" in page
    assert folkmoot(tmp_path, "show", "last", "--example").exit_code == 2
