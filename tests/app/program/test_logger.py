"""The logger `folkmoot`: what a program hears of its debates, and that it hears nothing unasked."""

import logging
from pathlib import Path

import pytest

import folkmoot


def broken(prompt: str) -> str:
    raise KeyError(prompt[:5])


def yes(prompt: str) -> str:
    return "ANSWER: yes\nCONFIDENCE: 0.8\nARGUMENT: A secret reason."


def run(store: Path) -> None:
    folkmoot.run("Should we build?", model=[yes, broken, yes], participants="builtin", store=store / "r.sqlite")


def test_info_says_how_it_goes_and_who_is_missing(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    with caplog.at_level(logging.INFO, "folkmoot"):
        run(tmp_path)
    said = [record.getMessage() for record in caplog.records if record.name == "folkmoot"]
    assert " started: Should we build?" in said[0]
    assert " ended: " in said[-1]
    assert any("KeyError" in sentence for sentence in said)
    assert not any(" asks " in sentence or "secret" in sentence for sentence in said)


def test_debug_says_each_question(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    with caplog.at_level(logging.DEBUG, "folkmoot"):
        run(tmp_path)
    said = [record.getMessage() for record in caplog.records if record.name == "folkmoot"]
    assert sum(" asks " in sentence for sentence in said) >= 3
    assert not any("secret" in sentence for sentence in said)


def test_it_is_silent_by_default(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(tmp_path)
    assert capsys.readouterr().err == ""
