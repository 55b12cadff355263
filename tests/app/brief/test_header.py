"""The header of a brief: where it is cut off, what YAML is read, what is refused."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.app.brief.yaml_header import Items, Node, Scalar, Table, load, split
from folkmoot.core.errors import BriefError
from folkmoot.core.text import clean, flat, hidden, leaves_folder
from tests.kits.clock import within


def plain(node: Node) -> object:
    match node:
        case Scalar(text=text):
            return text
        case Items(items=items):
            return [plain(scalar) for scalar in items]
        case Table(pairs=pairs):
            return {key.text: plain(value) for key, value in pairs}


SPLITS: list[tuple[str, str | None, int, str, int]] = [
    ("no header", None, 0, "no header", 1),
    ("", None, 0, "", 1),
    ("\n \n", None, 0, "\n \n", 1),
    ("---\na: b\n---\nbody", "a: b", 2, "body", 4),
    ("---\na: b\n...\nbody", "a: b", 2, "body", 4),
    ("---\n---\n", "", 2, "", 3),
    ("---  \na: b\n---\t\nbody", "a: b", 2, "body", 4),
    ("\n\n---\na: b\n---\nx", "a: b", 4, "x", 6),
    ("---\na: b\n---", "a: b", 2, "", 4),
    ("---\na: |\n  ---\n---\nx", "a: |\n  ---", 2, "x", 5),
    ("x\n---\na: b\n---\n", None, 0, "x\n---\na: b\n---\n", 1),
    ("----\nno key here\n", None, 0, "----\nno key here\n", 1),
    ("-----", None, 0, "-----", 1),
]


@pytest.mark.parametrize(("text", "header", "header_line", "body", "body_line"), SPLITS)
def test_where_the_header_ends(text: str, header: str | None, header_line: int, body: str, body_line: int) -> None:
    parts = split(text)
    assert (parts.header, parts.header_line, parts.body, parts.body_line) == (header, header_line, body, body_line)


UNSPLIT = [
    ("---", "unterminated_header", 1),
    ("---\ntopic: x", "unterminated_header", 1),
    ("\n---\ntopic: x\n ---\nbody\n--- x", "unterminated_header", 2),
    ("---\n" + "a" * 70_000 + "\n---\n", "too_large", 1),
    ("---\n" + "é" * 33_000 + "\n---\n", "too_large", 1),
    ("----\ntopic: x\n----\n", "malformed_yaml", 1),
    ("--\ntopic: x\n--\n", "malformed_yaml", 1),
    (" ---\ntopic: x\n ---\n", "malformed_yaml", 1),
    ("--- # settings\ntopic: x\n---\n", "malformed_yaml", 1),
    ("+++\ntopic = 'x'\n+++\n", "malformed_yaml", 1),
    (";;;\ntopic: x\n;;;\n", "malformed_yaml", 1),
]


@pytest.mark.parametrize(("text", "code", "line"), UNSPLIT)
def test_headers_that_cannot_be_cut_off(text: str, code: str, line: int) -> None:
    with pytest.raises(BriefError) as caught:
        split(text)
    assert (caught.value.code, caught.value.line) == (code, line)


def test_a_header_of_just_the_allowed_size() -> None:
    assert split("---\n# " + "x" * (64 * 1024 - 2) + "\n---\n").header is not None


LOADS: list[tuple[str, object]] = [
    ("", {}),
    ("# only a comment\n\n", {}),
    ("a: b", {"a": "b"}),
    ("country: NO\non: yes\noff: no", {"country": "NO", "on": "yes", "off": "no"}),
    (
        "a: 1:30\nb: 012\nc: 0x1F\nd: .nan\ne: 2030-01-01",
        {"a": "1:30", "b": "012", "c": "0x1F", "d": ".nan", "e": "2030-01-01"},
    ),
    ("a: [b, 'c, d', \"e\\n\"]", {"a": ["b", "c, d", "e\n"]}),
    ("a:\n  - b\n  - c: d", {"a": ["b", {"c": "d"}]}),
    ("a:\n- b", {"a": ["b"]}),
    ("{a: b, c: {d: e}}", {"a": "b", "c": {"d": "e"}}),
    ("a: |\n  one\n\n    two\nb: >\n  three\n  four\n", {"a": "one\n\n  two\n", "b": "three four\n"}),
    ("a: two\n  lines", {"a": "two lines"}),
    ("a: it's  # a comment\n'b': x#y", {"a": "it's", "b": "x#y"}),
    ("--- # start\na: b", {"a": "b"}),
    ("a: ~\nb:\nc: null", {"a": "~", "b": "", "c": "null"}),
    ('a: "\\u202eb\\ud800\\0c\\U000E0041"', {"a": "b\ufffdc"}),
    ("a : b", {"a": "b"}),
]


@pytest.mark.parametrize(("block", "expected"), LOADS)
def test_values_stay_as_they_are_written(block: str, expected: object) -> None:
    assert plain(load(block, line=1)) == expected


def test_values_know_their_line_quotes_and_touching_comments() -> None:
    table = load("a: b #5: c\nlist:\n  - 'x'\n  - y # z\n\nlast: |\n  t", line=10)
    (_, a), (key, items), (_, last) = table.pairs
    assert a == Scalar(line=10, text="b", comment="#5: c")
    assert (key.line, items.line, last.line) == (11, 12, 15)
    assert isinstance(items, Items)
    assert items.items == (Scalar(line=12, text="x", plain=False), Scalar(line=13, text="y"))
    assert isinstance(last, Scalar)
    assert not last.plain


REFUSED = [
    ("a: &x b", "unsafe_yaml", 1),
    ("a: b\nc: *x", "unsafe_yaml", 2),
    ("a: &x [b]\nc: *x", "unsafe_yaml", 1),
    ("&x a: b", "unsafe_yaml", 1),
    ("a: !!python/object/apply:os.system [id]", "unsafe_yaml", 1),
    ("a: !!str 3", "unsafe_yaml", 1),
    ("a: ! b", "unsafe_yaml", 1),
    ("a: [!x y]", "unsafe_yaml", 1),
    ("!!map\na: b", "unsafe_yaml", 1),
    ("<<: {a: b}", "unsafe_yaml", 1),
    ("%YAML 1.1\n--- # x\na: b", "unsafe_yaml", 2),
    ("%TAG ! tag:x,2000:\n--- # x\na: b", "unsafe_yaml", 2),
    ("a: " + "[" * 5000 + "]" * 5000, "unsafe_yaml", 1),
    ("a: " + "{b: " * 5000, "unsafe_yaml", 1),
    ("- " * 30_000, "unsafe_yaml", 1),
    ("a: [" + "x, " * 5000 + "]", "too_large", 1),
    ("- a\n- b", "wrong_type", 1),
    ("[a, b]", "wrong_type", 1),
    ("just words", "malformed_yaml", 1),
    ("a:b", "malformed_yaml", 1),
    ("'a: b'", "malformed_yaml", 1),
    ("a: b\nc: d: e", "malformed_yaml", 2),
    ("a: 'b", "malformed_yaml", 1),
    ("a: [b", "malformed_yaml", 1),
    ("a: b\n c: d", "malformed_yaml", 2),
    ("a: @b", "malformed_yaml", 1),
    ("a: `b`", "malformed_yaml", 1),
    ("a: %b", "malformed_yaml", 1),
    ("a: 'b' c", "malformed_yaml", 1),
    ("a: b\n\tc: d", "malformed_yaml", 2),
    ("a:\tb", "malformed_yaml", 1),
    ("a: b\nwords", "malformed_yaml", 2),
    ("? [a]\n: b", "malformed_yaml", 1),
    ("{a: b}: c", "malformed_yaml", 1),
    ("a: b\n--- # x\nc: d", "malformed_yaml", 2),
    ("%YAML 1.1", "malformed_yaml", 1),
    ("%YAML 1.19", "malformed_yaml", 1),
    ("%YAML 1." + "9" * 5000, "malformed_yaml", 1),
    ('a: "\\UFFFFFFFF"', "malformed_yaml", 1),
    ('a: "\\U0011FFFF"', "malformed_yaml", 1),
    ("a: " + "[a, " * 30, "unsafe_yaml", 1),
    ("a:\n  b: " + "[{" * 2000, "unsafe_yaml", 2),
    ("%YAML 3.0\n--- # x\na: b", "malformed_yaml", 1),
    ("a: 1\nb: 2\na: 3", "duplicate_key", 3),
    ("a: 1\n'a': 2", "duplicate_key", 2),
    ("x: {a: 1, a: 2}", "duplicate_key", 1),
]


@pytest.mark.parametrize(("block", "code", "line"), REFUSED)
def test_what_is_no_header(block: str, code: str, line: int) -> None:
    with within(1), pytest.raises(BriefError) as caught:
        load(block, line=7)
    assert (caught.value.code, caught.value.line - 6) == (code, line), caught.value


def test_a_second_colon_is_explained() -> None:
    with pytest.raises(BriefError, match="put quotes around it"):
        load("topic: Should we: yes or no?", line=1)
    with pytest.raises(BriefError, match="tab"):
        load("topic:\tx", line=1)


@settings(deadline=1000)
@given(st.text(alphabet="abc:-?[]{}&*!|>%@#,'\"\\ \n\t0~=<é\ue000\u2028", max_size=60))
def test_any_block_is_read_or_refused(block: str) -> None:
    with suppress(BriefError):
        table = load(clean(block), line=1)
        assert len({key.text for key, _ in table.pairs}) == len(table.pairs)


TIDIED = [
    ("plain\ttext\n", "plain\ttext\n"),
    ("a\r\nb\rc", "a\nb\nc"),
    ("a\x00\x1b[31mb\x7f", "a[31mb"),
    ("a\ud800b", "a\ufffdb"),
    ("a\u202eb\u2066c\u200ed\ufeffe\u00adf\u2060g", "abcdefg"),
    ("vote" + "".join(chr(0xE0000 + ord(text)) for text in "for Bob"), "vote"),
    ("x\U000e0101\ufe01y\ufffe\U0001ffffz", "xyz"),
    ("a\u2028b\x85c\u2029d", "a b c d"),
    ("👩\u200d🔬 ❤\ufe0f 1\ufe0f\u20e3 می\u200cخواهم", "👩\u200d🔬 ❤\ufe0f 1\ufe0f\u20e3 می\u200cخواهم"),
    ("An\u200dn é\u200d\u200c\u200d\u200cx", "Ann éx"),
]


@pytest.mark.parametrize(("text", "expected"), TIDIED)
def test_nothing_unseen_stays(text: str, expected: str) -> None:
    assert clean(text) == expected


@given(st.text(alphabet=st.characters() | st.sampled_from("\u200c\u200d\ufe0e\ufe0f\u20e3\u200b\ufeffa\r\n\x85")))
def test_tidy_is_done_at_once_and_keeps_the_lines(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert once.count("\n") == text.replace("\r\n", "\n").replace("\r", "\n").count("\n")
    assert not hidden(once)
    once.encode()


def test_hidden_characters_are_counted_by_line() -> None:
    assert hidden("\ufeffa\nb\u202e\u202dc\n\nd\U000e0041\r\né\n") == (2, 4)
    assert hidden("plain") == hidden("\ufeffplain\n") == ()


def test_flat_puts_a_text_on_one_line() -> None:
    assert flat(" a\n\n b\t\u00a0c ") == "a b c"


@pytest.mark.parametrize(
    ("text", "away"),
    [
        ("../x", True),
        ("./x", True),
        ("..\\x", True),
        ("/etc/passwd", True),
        ("\\\\host\\share", True),
        ("C:\\x", True),
        ("~/x", True),
        ("file:///x", True),
        ("a/../../b", True),
        ("a/..", True),
        ("notes.md", False),
        ("data/notes.md", False),
        ("and/or", False),
        ("/ is a slash", False),
        ("..", False),
        ("", False),
    ],
)
def test_paths_that_lead_away(text: str, away: bool) -> None:
    assert leaves_folder(text) is away
