"""Decision receipts: what stands in them, and that nothing in a signed one can be changed (conformance D13)."""

import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from folkmoot.app.export.signed_receipts import (
    Key,
    canonical,
    check_receipt,
    new_key,
    read_key,
    secret_key,
    write_receipt,
)
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Brief, Source
from folkmoot.core.decision import Ballot, Decision
from folkmoot.core.errors import RecordError
from folkmoot.core.event import TOOL, Called, Entered, Opened, Ruled
from folkmoot.report.receipt import Receipt, receipt, receipt_page
from tests.cli.commands import folkmoot
from tests.paths import RECORDS
from tests.report.reports import Diary, ask, hiring, opened, person

RECORD = RECORDS / "v2-panel.jsonl"
SECRET = "correct horse battery"
RECEIPT = receipt(hiring(), debate="hire-1a2b3c", head="ab" * 32)

Path_ = tuple[str | int, ...]
Form = Literal["md", "json"]


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Key]:
    folder = tmp_path_factory.mktemp("keys")
    for name in ("one", "two"):
        new_key(folder / name)
    return {
        "ed25519": read_key(folder / "one"),
        "public": read_key(folder / "one.pub"),
        "other": read_key(folder / "two.pub"),
        "hmac": secret_key(SECRET),
    }


# ---- what stands in it -----------------------------------------------------------------------------------------------


def test_a_receipt_says_who_decided_what_on_which_grounds() -> None:
    assert (RECEIPT.question, RECEIPT.decision, RECEIPT.strength) == (
        "Should we hire the candidate?",
        "Hire",
        "moderate",
    )
    assert dict(RECEIPT.tally) == {"Hire": 2.0, "Do not hire": 1.0}
    assert [(ballot.voter, ballot.choice, ballot.reason) for ballot in RECEIPT.dissent] == [
        ("Cid", "Do not hire", "It has the better reason.")
    ]
    assert [minority.answer for minority in RECEIPT.minority] == ["Do not hire"]
    assert [(participant.name, participant.models, participant.served) for participant in RECEIPT.participants] == [
        ("Ann", ("acme:large-1",), ("large-1",)),
        ("Ben", ("acme:large-1", "open:small"), ("large-1", "small")),
        ("Cid", ("acme:large-1",), ("large-1",)),
        ("Chair", (), ()),
    ]
    assert (RECEIPT.paid.cost, round(RECEIPT.paid.known, 9), RECEIPT.paid.calls) == (None, 0.0375, 4)
    assert (RECEIPT.entries, RECEIPT.head) == (len(hiring()), "ab" * 32)
    assert RECEIPT.began == "2026-01-05T10:00:00Z"
    assert [evidence.source for evidence in RECEIPT.evidence] == ["cv.md"]


def test_a_receipt_of_an_open_debate_says_so_and_names_no_decision() -> None:
    written_receipt = receipt(opened(person("Ann")).entries, debate="x", head="")
    assert (written_receipt.status, written_receipt.decision, written_receipt.rule, written_receipt.minority) == (
        "open",
        "",
        "",
        (),
    )
    assert "**not finished: the record breaks off" in receipt_page(written_receipt)


def test_no_receipt_without_an_opening() -> None:
    with pytest.raises(RecordError, match="does not begin with its opening"):
        receipt(Diary().add(Entered(path="/debate")).entries, debate="x", head="")


def test_evidence_is_what_turns_quote_and_what_tools_gave_and_turns_name() -> None:
    background = (
        Source(name="plan.md", text="The yard\nis  full. Rent is due."),
        Source(name="old.md", text="Nothing."),
    )
    brief = Brief(topic="Move?", background=background, participants=(person("Ann"),))
    diary = Diary().add(Opened(brief=brief, protocol={}, name="panel"))
    words = 'As "The yard is full." (plan.md:1), "We are rich." (plan.md:2), "Hm." (none.md:1) say https://a.example.'
    diary.say(ask("/debate/draft#1", "Ann", "draft"), words)
    called = Called(
        key="/debate/draft#1",
        call="tool-1",
        text="x",
        model=f"{TOOL}search",
        sources=("https://a.example", "https://b.example"),
    )
    diary.entries.insert(2, replace(diary.entries[1], event=called))
    written_receipt = receipt(diary.entries, debate="x", head="")
    assert [(evidence.source, evidence.turns, evidence.unfound) for evidence in written_receipt.evidence] == [
        ("plan.md", ("T1",), ("T1",)),
        ("old.md", (), ()),
        ("https://a.example", ("T1",), ()),
    ]
    assert [bool(evidence.sha256) for evidence in written_receipt.evidence] == [True, True, False]
    page = receipt_page(written_receipt)
    assert "plan.md: cited in T1; not found in it: words quoted in T1; SHA-256" in page
    assert "old.md: not cited" in page


def test_the_page_shows_weights_abstentions_and_those_without_a_model() -> None:
    ballots = (Ballot(voter="Ann", choice="a", weight=2.0, reason="Why."), Ballot(voter="Ben", state="abstained"))
    diary = opened(person("Ann"), person("Ben")).add(
        Ruled(decision=Decision(status="decided", winner="a", text="a", tally={"a": 2.0}, ballots=ballots))
    )
    page = receipt_page(receipt(diary.entries, debate="x", head="00"))
    assert "- Ann: a (weight 2). Why.\n- Ben: abstained" in page
    assert "| Ann | – | debater | – | – | – |" in page
    assert "cost: $0.0000" in page


def test_words_of_models_cannot_break_the_page() -> None:
    bad = replace(RECEIPT, decision="# Big\n<script>alert(1)</script>\n```json\n{", line="a | b")
    page = receipt_page(bad)
    assert "<script>" not in page.replace("\\<script>", "")
    assert "\n# Big" not in page


# ---- signing and checking (D13) --------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["json", "md"])
@pytest.mark.parametrize(("signs", "checks"), [("hmac", "hmac"), ("ed25519", "ed25519"), ("ed25519", "public")])
def test_a_receipt_is_verified_with_its_key(keys: dict[str, Key], form: Form, signs: str, checks: str) -> None:
    checked = check_receipt(write_receipt(RECEIPT, keys[signs], form), keys[checks])
    assert (checked.debate, checked.entries, checked.head) == (RECEIPT.debate, RECEIPT.entries, RECEIPT.head)


@pytest.mark.parametrize("form", ["json", "md"])
@pytest.mark.parametrize(("signs", "checks"), [("ed25519", "other"), ("ed25519", "hmac"), ("hmac", "public")])
def test_another_key_fails(keys: dict[str, Key], form: Form, signs: str, checks: str) -> None:
    with pytest.raises(RecordError, match="another key"):
        check_receipt(write_receipt(RECEIPT, keys[signs], form), keys[checks])


def test_another_secret_fails() -> None:
    with pytest.raises(RecordError, match="signature is not valid"):
        check_receipt(write_receipt(RECEIPT, secret_key(SECRET)), secret_key(SECRET + "!"))


def leaves(value: object, path: Path_ = ()) -> Iterator[Path_]:
    """Where each smallest part of a document stands, and each empty one."""
    if isinstance(value, dict) and value:
        for name, item in cast(dict[str, object], value).items():
            yield from leaves(item, (*path, name))
    elif isinstance(value, list) and value:
        for n, item in enumerate(cast(list[object], value)):
            yield from leaves(item, (*path, n))
    else:
        yield path


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), signs=st.sampled_from(["hmac", "ed25519"]))
def test_changing_any_field_breaks_verification(keys: dict[str, Key], data: st.DataObject, signs: str) -> None:
    document: dict[str, object] = json.loads(write_receipt(RECEIPT, keys[signs]))
    path = data.draw(st.sampled_from(sorted(leaves(document), key=str)))
    here: object = document
    for step in path[:-1]:
        here = here[step]  # type: ignore[index]
    holder, last = cast(dict[str | int, object], here), path[-1]
    old = holder[last]
    how = data.draw(st.sampled_from(["other", "gone", "more"]))
    if how == "gone":
        del holder[last]
    elif how == "more":
        document[data.draw(st.text(max_size=5).filter(lambda name: name not in document))] = data.draw(JSON)
    else:
        holder[last] = data.draw(JSON.filter(lambda new: canonical(new) != canonical(old)))
    with pytest.raises(RecordError):
        check_receipt(json.dumps(document), keys[signs])


def other(value: object) -> object:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return value[:-1] + ("a" if value[-1:] != "a" else "b")
    return value + 1 if isinstance(value, int | float) else "x"


@pytest.mark.parametrize("signs", ["hmac", "ed25519"])
def test_every_single_leaf_is_signed(keys: dict[str, Key], signs: str) -> None:
    text = write_receipt(RECEIPT, keys[signs])
    every = list(leaves(json.loads(text)))
    assert len(every) > 80
    for *texts, last in every:
        document: object = json.loads(text)
        here = document
        for step in texts:
            here = here[step]  # type: ignore[index]
        holder = cast(dict[str | int, object], here)
        holder[last] = other(holder[last])
        with pytest.raises(RecordError):
            check_receipt(json.dumps(document), keys[signs])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_changing_any_letter_of_the_page_breaks_verification(keys: dict[str, Key], data: st.DataObject) -> None:
    text = write_receipt(RECEIPT, keys["ed25519"], "md")
    at = data.draw(st.integers(0, text.index("\n## Proof") - 1))
    letter = data.draw(st.characters(codec="utf-8").filter(lambda new: new != text[at]))
    with pytest.raises(RecordError):
        check_receipt(text[:at] + letter + text[at + 1 :], keys["public"])


def test_every_field_of_a_receipt_is_in_the_document(keys: dict[str, Key]) -> None:
    document = json.loads(write_receipt(RECEIPT, keys["hmac"]))
    assert {"folkmoot_receipt", *Receipt.__slots__, "signed", "signature"} == set(document)


def test_the_page_cannot_be_taken_away_or_changed(keys: dict[str, Key]) -> None:
    text = write_receipt(RECEIPT, keys["hmac"], "md")
    proof = text[text.index("\n## Proof") :]
    cases = {
        text + "more": "after its end",
        "# Another page\n" + proof: "page is not the one",
        proof.removeprefix("\n## Proof\n"): "cannot be read",
    }
    for changed, words in cases.items():
        with pytest.raises(RecordError, match=words):
            check_receipt(changed, keys["hmac"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "cannot be read"),
        ("[]", "not a receipt"),
        ("{}", "not a receipt"),
        ('{"folkmoot_receipt": NaN}', "cannot be read"),
        ('{"folkmoot_receipt": 1e999}', "cannot be read"),
        ('{"folkmoot_receipt": 1, "folkmoot_receipt": 2}', "cannot be read"),
        ('{"folkmoot_receipt": ' + "[" * 100_000, "cannot be read"),
        ('{"folkmoot_receipt": 1}', "is not signed"),
        ('{"folkmoot_receipt": 1, "signature": "00"}', "signature cannot be read"),
        (
            '{"folkmoot_receipt": 1, "signed": {"algorithm": "hmac-sha256", "key": ""}, "signature": 1}',
            "cannot be read",
        ),
        (
            '{"folkmoot_receipt": 1, "signed": {"algorithm": "hmac-sha256", "key": ""}, "signature": "x"}',
            "cannot be read",
        ),
        (
            '{"folkmoot_receipt": 1, "signed": {"algorithm": "hmac-sha256", "key": ""}, "signature": "AA"}',
            "cannot be read",
        ),
        ('{"folkmoot_receipt": 1, "signed": {"algorithm": "none", "key": ""}, "signature": ""}', "another key"),
    ],
)
def test_what_is_no_signed_receipt(text: str, words: str) -> None:
    with pytest.raises(RecordError, match=words):
        check_receipt(text, secret_key(SECRET))


def test_half_characters_in_a_forged_receipt_are_no_error_of_ours() -> None:
    text = '{"folkmoot_receipt": "\\ud800", "signed": {"algorithm": "hmac-sha256", "key": ""}, "signature": "00"}'
    with pytest.raises(RecordError, match="is not valid"):
        check_receipt(text, secret_key(SECRET))


def test_an_unsigned_receipt_is_plain_json() -> None:
    document = json.loads(write_receipt(RECEIPT, None))
    assert "signature" not in document
    with pytest.raises(RecordError, match="is not signed"):
        check_receipt(json.dumps(document), secret_key(SECRET))


def store(folder: Path, debate: str = "panel", file: str = "folkmoot.sqlite") -> None:
    """Put an old record into a store."""

    async def append() -> None:
        workspace = Workspace.at(folder / file)
        await workspace.store.append(debate, RECORD.read_text("utf-8").splitlines(), after=0)
        await workspace.close()

    asyncio.run(append())


# ---- the command -----------------------------------------------------------------------------------------------------


def test_a_receipt_from_the_terminal(tmp_path: Path) -> None:
    store(tmp_path)
    assert folkmoot(tmp_path, "config", "key", "k").exit_code == 0
    for form in ("json", "md"):
        wrote = folkmoot(tmp_path, "report", "--receipt", "last", "--key", "k", "--format", form, "-o", "r")
        assert (wrote.exit_code, wrote.output) == (0, "r\n")
        checked = folkmoot(tmp_path, "verify", "--receipt", "r", "--key", "k.pub")
        assert checked.exit_code == 0, checked.output
        assert "is intact in" in checked.output
    secret = "PRIVATE KEY"
    everything = "".join(path.read_text() for path in tmp_path.iterdir() if path.name in ("r", "k.pub"))
    assert secret not in everything
    key = "".join((tmp_path / "k").read_text().splitlines()[1:-1])
    assert key not in everything
    away = folkmoot(tmp_path, "verify", "--receipt", "r", "--key", "k.pub", "--store", "none.sqlite")
    assert (away.exit_code, " entries) is not in none.sqlite; it was not checked" in away.output) == (0, True)
    assert not (tmp_path / "none.sqlite").exists()
    store(tmp_path, "another", file="more.sqlite")
    assert (
        "is not in more.sqlite"
        in folkmoot(tmp_path, "verify", "--receipt", "r", "--key", "k", "--store", "more.sqlite").output
    )


def test_a_receipt_with_a_secret_of_the_environment(tmp_path: Path) -> None:
    store(tmp_path)
    signed = folkmoot(tmp_path, "report", "--receipt", "last", "--hmac-key-env", "KEY", KEY=SECRET)
    (tmp_path / "r").write_text(signed.stdout)
    assert SECRET not in signed.output
    assert folkmoot(tmp_path, "verify", "--receipt", "r", "--hmac-key-env", "KEY", KEY=SECRET).exit_code == 0
    bad = folkmoot(tmp_path, "verify", "--receipt", "r", "--hmac-key-env", "KEY", KEY=SECRET[::-1])
    assert (bad.exit_code, bad.output.count("\n")) == (1, 1)
    (tmp_path / "r").write_text(re.sub(r'"head": "\w', '"head": "', signed.stdout))
    assert folkmoot(tmp_path, "verify", "--receipt", "r", "--hmac-key-env", "KEY", KEY=SECRET).exit_code == 1


def test_a_record_that_is_another_one_is_told(tmp_path: Path) -> None:
    store(tmp_path)
    forged = replace(RECEIPT, debate="panel")
    for written_receipt in (forged, replace(forged, entries=10_000)):
        (tmp_path / "r").write_text(write_receipt(written_receipt, secret_key(SECRET)))
        result = folkmoot(tmp_path, "verify", "--receipt", "r", "--hmac-key-env", "KEY", KEY=SECRET)
        assert (result.exit_code, "is a different one" in result.output) == (1, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("report", "last", "--key", "k"), "--receipt"),
        (("report", "last", "--receipt", "--plots"), "--receipt"),
        (("report", "last", "--receipt", "--key", "k", "--hmac-key-env", "K"), "together"),
        (("report", "last", "--receipt", "--hmac-key-env", "NOT_SET"), "NOT_SET"),
        (("report", "last", "--receipt"), "there is no debate"),
        (("verify", "--receipt", "r"), "--key"),
        (("verify", "--receipt", "none", "--hmac-key-env", "KEY"), "none cannot be read"),
        (("verify",), "DEBATE"),
    ],
)
def test_mistakes_are_one_sentence(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    result = folkmoot(tmp_path, *words, KEY=SECRET)
    assert result.exit_code in (1, 2)
    assert message in " ".join(result.output.split())


def test_an_unsigned_file_is_named_as_such_and_a_folder_that_is_missing(tmp_path: Path) -> None:
    store(tmp_path)
    assert "is not signed" in folkmoot(tmp_path, "report", "--receipt", "last", "-o", "r.json").output
    assert "cannot be written" in folkmoot(tmp_path, "report", "--receipt", "last", "-o", "none/r.json").output
