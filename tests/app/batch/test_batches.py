"""What a batch holds: ids and seeds that follow from what is debated, and lines of JSON with every mistake named."""

import io
import json
from pathlib import Path

import pytest

from folkmoot.app.batch.batch_plan import (
    MOST,
    BatchItem,
    Wanted,
    make_batch,
    make_item,
    read_briefs,
    read_lines,
    read_stream,
    seed_of,
)
from folkmoot.app.brief.reader import MOST_BYTES, read_brief, read_settings
from folkmoot.app.run.prepare import LimitOverrides, Overrides
from folkmoot.core.brief import SEED
from folkmoot.core.errors import BriefError
from tests.app.batch.batch_kit import BRIEF, item


def ids(*items: BatchItem, times: int = 1, name: str = "") -> list[str]:
    return [repeat.debate for repeat in make_batch(items, times=times, name=name)]


def of(text: str, overrides: Overrides | None = None, own: str = "") -> BatchItem:
    return make_item(read_brief(text), overrides or Overrides(), name="x", own=own)


def test_ids_follow_from_name_brief_and_number_alone() -> None:
    one, other = item(" one"), item(" other")
    assert ids(one, other, times=2) == ids(one, other, times=2)
    assert set(ids(one, other)) == set(ids(other, one)), "in whatever order they stand"
    assert set(ids(one, other)) < set(ids(one, other, times=3)), "more repeats keep those that were held"
    assert len(set(ids(one, other, times=3))) == 6
    assert not set(ids(one, name="a")) & set(ids(one, name="b"))
    assert set(ids(one, name="a")) < set(ids(one, other, name="a")), "a named batch can grow"
    assert ids(one, name="Tea_time")[0].startswith("batch-tea-time-")


def test_what_is_debated_makes_another_id_and_limits_do_not() -> None:
    first = of("# Tea?\n\nTea is calm.")
    limited = of("---\nlimits:\n  tokens: 9000\n  cost: 2\n---\n# Tea?\n\nTea is calm.")
    assert limited.parsed.brief.limits != first.parsed.brief.limits
    assert limited.key == first.key
    assert of("# Tea?\n\nTea is calm.", Overrides(caps=LimitOverrides(cost=3))).key == first.key
    others = [
        of("# Tea?\n\nTea is dear."),
        of("---\nstrategy: majority\n---\n# Tea?\n\nTea is calm."),
        of("# Tea?\n\nTea is calm.", Overrides(models=("ollama:a",))),
        of("# Tea?\n\nTea is calm.", own="a"),
    ]
    assert len({item.key for item in (first, *others)}) == 5


def test_what_stands_there_twice_is_held_twice() -> None:
    batch = make_batch([item(), item(), item()])
    assert [item.name for item in batch.items] == ["item", "item (2)", "item (3)"]
    assert len({repeat.debate for repeat in batch}) == 3


def test_seeds_of_repeats_are_different_and_the_first_is_the_briefs_own() -> None:
    for seed in (0, 7, SEED.high):
        seeds = [seed_of(seed, n) for n in range(1, 1001)]
        assert seeds[0] == seed
        assert len(set(seeds)) == 1000
        assert all(0 <= seed <= SEED.high for seed in seeds)
        assert seeds == [seed_of(seed, n) for n in range(1, 1001)]
    wished = make_batch([of("---\nseed: 3\n---\n# Tea?", Overrides(seed=5))], times=2)
    own = make_batch([of("---\nseed: 3\n---\n# Tea?")], times=2)
    assert [repeat.seed for repeat in wished] == [5, seed_of(5, 2)]
    assert [repeat.overrides.seed for repeat in own] == [3, seed_of(3, 2)]


def test_all_briefs_come_before_any_repeat() -> None:
    batch = make_batch([item(" a"), item(" b")], times=2)
    assert len(batch) == 4
    assert [(repeat.item.name, repeat.number) for repeat in batch] == [
        ("item a", 1),
        ("item b", 1),
        ("item a", 2),
        ("item b", 2),
    ]


@pytest.mark.parametrize(
    ("items", "times", "name", "message"),
    [
        ([], 1, "", "the batch has no brief"),
        ([item()], MOST + 1, "", "10,001 debates; at most 10,000 are allowed"),
        ([item()], 1, "a/b", "cannot be named 'a/b'; use 1 to 40 letters"),
        ([item()], 1, "-a", "cannot be named '-a'"),
        ([item()], 1, "x" * 41, "cannot be named 'xxx"),
    ],
)
def test_batches_that_cannot_be(items: list[BatchItem], times: int, name: str, message: str) -> None:
    with pytest.raises(BriefError, match=message):
        make_batch(items, times=times, name=name)


def test_briefs_are_called_by_their_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("hire.md").write_text(BRIEF.replace("{mark}", ""), "utf-8")
    faults: list[str] = []
    items = read_briefs(("hire.md", "Tea or coffee?", "none.md", ""), Wanted(), faults)
    assert [item.name for item in items] == ["hire", "Tea or coffee?"]
    assert faults == [
        "none.md: there is no such file; check the path, or write a new brief with folkmoot new",
        "the brief is empty; name a file or put a question in quotes",
    ]


# ---- lines of JSON -------------------------------------------------------------------------------------------------


def test_lines_say_what_is_wanted_otherwise(tmp_path: Path) -> None:
    folder = tmp_path / "briefs"
    folder.mkdir()
    (folder / "hire.md").write_text(BRIEF.replace("{mark}", ""), "utf-8")
    (folder / "notes.txt").write_text("Tea costs little.", "utf-8")
    full = {"brief": "hire.md", "id": "a-1", "models": ["ollama:a", "ollama:b"], "seed": 7, "protocol": "council"}
    text = "# Tea?\n\nTea is calm.\n"
    with_file = "---\nbackground: notes.txt\n---\n# Tea?\n"
    lines = [{**full, "strategy": "majority", "rounds": 3}, {"brief": text}, {"brief": with_file}, {"brief": "hire.md"}]
    path = folder / "all.jsonl"
    path.write_text("\ufeff" + "\n\n".join(map(json.dumps, lines)) + "\n", "utf-8")
    faults: list[str] = []
    overrides = Overrides(models=("ollama:usual",), rounds=1, protocol="panel")
    first, second, third, fourth = read_lines(path, Wanted(overrides=overrides), faults)
    assert faults == []
    assert first.overrides == Overrides(
        models=("ollama:a", "ollama:b"), seed=7, protocol="council", strategy="majority", rounds=3
    )
    assert (first.name, first.where) == ("a-1", f"{path}:1")
    assert second.overrides == overrides
    assert (second.name, second.where) == ("Tea? (line 3)", f"{path}:3")
    assert [source.text for source in third.parsed.brief.background] == ["Tea costs little."]
    assert fourth.name == "hire (line 7)"


BAD = [
    ("{", "this is not JSON: Expecting property name enclosed in double quotes at column 2"),
    ('"tea"', 'a line must be an object such as {"brief": "hire.md"}'),
    ("{}", "the key brief is missing"),
    ('{"brief": ""}', "brief must be the path of a brief, or its Markdown"),
    ('{"brief": 3}', "brief must be the path of a brief, or its Markdown"),
    ('{"brief": "Tea or coffee?", "rounds": true}', "rounds is 'True'; it must be a whole number"),
    ('{"brief": "Tea or coffee?", "rounds": 21}', "rounds must be from 0 to 20, not 21"),
    ('{"brief": "Tea or coffee?", "seed": -1}', "seed must be from 0 to 2,147,483,647, not -1"),
    ('{"brief": "Tea or coffee?", "seed": 1.5}', "seed is '1.5'; it must be a whole number"),
    ('{"brief": "Tea or coffee?", "models": "a:b"}', 'models must be a list such as ["ollama:llama3.2"]'),
    ('{"brief": "Tea or coffee?", "models": []}', "models must be a list such as"),
    ('{"brief": "Tea or coffee?", "models": [1]}', "models must be a list such as"),
    ('{"brief": "Tea or coffee?", "id": "a b"}', "id must be 1 to 64 letters, digits, . - and _"),
    ('{"brief": "Tea or coffee?", "protocol": null}', "protocol must be a text"),
    (
        '{"brief": "Tea or coffee?", "model": "a:b"}',
        "there is no key 'model'; there are brief, id, models, set, ",
    ),
    ('{"brief": "a", "brief": "b"}', "the key 'brief' appears twice"),
    ('{"brief": "nowhere.md"}', "nowhere.md: there is no such file"),
    ('{"brief": "---\\nprotocoll: panel\\n---\\n# Tea?"}', "protocoll"),
    ("[" * 100_000, "this is not JSON: a number too long, or nested too deeply"),
]


def test_each_bad_line_is_one_error_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    good = '{"brief": "Tea or coffee?", "id": "one"}'
    path.write_bytes(
        b"\n".join([good.encode(), *(line.encode() for line, _ in BAD), b'{"brief": "\xff"}', good.encode()])
    )
    faults: list[str] = []
    items = read_lines(path, Wanted(), faults)
    assert [item.name for item in items] == ["one"]
    for n, (fault, (_, message)) in enumerate(zip(faults, BAD, strict=False), start=2):
        assert fault.startswith(f"{path}:{n}: ")
        assert message in fault
        assert "\n" not in fault
    last = len(BAD) + 2
    assert faults[-2:] == [
        f"{path}:{last}: this is not text in UTF-8",
        f"{path}:{last + 1}: the id one is already used on line 1",
    ]


def test_lines_from_standard_input_and_lines_that_are_too_long() -> None:
    faults: list[str] = []
    stream = io.BytesIO(b'{"brief": "Tea or coffee?"}\n')
    assert [item.where for item in read_stream(stream, Wanted(), faults)] == ["standard input:1"]
    long = b'{"brief": "' + b"x " * MOST_BYTES + b'"}\n'
    assert read_stream(io.BytesIO(long), Wanted(), faults) == []
    assert faults == ["standard input:1: the line is longer than 2,097,152 bytes; the rest is not read"]
    with pytest.raises(BriefError, match="more than 20,000 lines"):
        read_stream(io.BytesIO(b"\n" * (2 * MOST + 1)), Wanted(), faults)


def test_a_file_of_lines_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BriefError, match=r"cannot be read: Is a directory"):
        read_lines(tmp_path, Wanted(), [])


def test_settings_hold_for_all_briefs_and_those_of_a_line_before_them(tmp_path: Path) -> None:
    (tmp_path / "site.md").write_text("---\nrounds: 1\n---\n# Buy or rent?\n", "utf-8")
    lines = ['{"brief": "site.md"}', '{"brief": "site.md", "set": ["rounds=4", "language=de"]}']
    (tmp_path / "lines.jsonl").write_text("\n".join(lines), "utf-8")
    wanted, faults = Wanted(settings=read_settings(["rounds=3"])), list[str]()
    first, second = read_lines(tmp_path / "lines.jsonl", wanted, faults)
    (typed,) = read_briefs([str(tmp_path / "site.md")], wanted, faults)
    assert not faults
    assert [item.parsed.rounds for item in (first, second, typed)] == [3, 4, 3]
    assert second.parsed.given["language"] == "de"
    assert first.key != second.key
    assert typed.key != read_briefs([str(tmp_path / "site.md")], Wanted(), faults)[0].key


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ('"rounds=1"', 'set must be a list such as ["turn_mode=random"]'),
        ("[7]", 'set must be a list such as ["turn_mode=random"]'),
        ('["colour=red"]', "there is no key 'colour' to set"),
        ('["rounds"]', "'rounds' is not a setting; write KEY=VALUE"),
    ],
)
def test_a_wrong_setting_of_a_line_is_named_with_its_line(tmp_path: Path, value: str, fault: str) -> None:
    (tmp_path / "lines.jsonl").write_text(f'{{"brief": "Tea or coffee?", "set": {value}}}', "utf-8")
    faults: list[str] = []
    assert read_lines(tmp_path / "lines.jsonl", Wanted(), faults) == []
    assert "lines.jsonl:1: " in faults[0]
    assert fault in faults[0]
