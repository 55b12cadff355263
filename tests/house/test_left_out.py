"""What is missing on a machine is never passed over without a word, and under FOLKMOOT_CI not at all."""

import re

import pytest

from tests.kits.left_out import leave_out, need_programs
from tests.paths import ROOT
from tests.web import browser, firefox


def test_what_is_missing_is_told_and_fails_where_nothing_may_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    why = "NO NONESUCH: this needs nonesuch; Debian: apt install none-such"
    monkeypatch.delenv("FOLKMOOT_CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=why):
        need_programs("sh", "nonesuch", package="none-such")
    need_programs("sh", package="dash")
    monkeypatch.setenv("FOLKMOOT_CI", "1")
    with pytest.raises(pytest.fail.Exception, match=rf"{why} \(FOLKMOOT_CI is set: nothing may be left out\)"):
        need_programs("nonesuch", package="none-such")
    with pytest.raises(pytest.fail.Exception, match="no right to do that"):
        leave_out("no right to do that")


def test_the_reasons_are_told_at_the_end_of_a_run(pytestconfig: pytest.Config) -> None:
    assert "-rs" in str(pytestconfig.getini("addopts"))


def test_the_closing_run_fetches_each_program_that_tests_need() -> None:
    text = (ROOT / ".ci/run").read_text("utf-8")
    fetched = re.findall(r"^command -v (\S+) >/dev/null \|\| fetch (.+?) *#", text, re.MULTILINE)
    brings = {program: packages.split() for program, packages in fetched}
    needs = re.compile(r'need_programs\((("\w+", )+)package="(.+?)"\)')
    matches = [
        match
        for path in sorted(ROOT.glob("tests/**/test_*.py"))
        if path.name != "test_left_out.py"
        for match in needs.finditer(path.read_text("utf-8"))
    ]
    assert len(matches) >= 4
    for match in matches:
        programs, packages = re.findall(r"\w+", match[1]), match[3].split()
        assert {package for program in programs for package in brings[program]} == {*packages}


def test_the_closing_run_fetches_both_browsers(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / ".ci/run").read_text("utf-8")
    programs = {
        match[1]: re.findall(r"command -v (\S+)", match[2])
        for match in re.finditer(r"^(has_\w+)\(\) \{\n(.+)\n\}", text, re.MULTILINE)
    }
    fetched = {check: re.findall(rf"^{check} \|\| fetch (\S+)", text, re.MULTILINE) for check in programs}
    assert programs == {"has_chromium": [*browser.BROWSERS], "has_firefox": [*firefox.BROWSERS]}
    assert fetched == {"has_chromium": ["chromium"], "has_firefox": ["firefox-esr"]}
    monkeypatch.setenv("FOLKMOOT_CI", "1")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(pytest.fail.Exception, match="NO FIREFOX"):
        firefox.need_firefox()
