"""What a context shows of its entries, and where a task comes apart: bounds that hold for any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.council import Context, SplitStep, StepResult
from folkmoot.council.shared_steps import divide, pieces

TEXTS = st.text(max_size=400)
ENTRIES = st.dictionaries(st.text(min_size=1, max_size=120), TEXTS, max_size=12)


def test_entries_stand_under_their_names_oldest_first() -> None:
    context = Context({"budget": "ten\ncrowns", "plan": {"days": [1, 2]}, "empty": "", "n": 3})
    context.add("budget", "nine")
    assert context.to_prompt_context() == (
        'plan:\n  {\n    "days": [\n      1,\n      2\n    ]\n  }\n\nempty:\n  \n\nn:\n  3\n\nbudget:\n  nine'
    )
    assert (context.get("plan"), context.get("none"), context.get("none", 1)) == ({"days": [1, 2]}, None, 1)
    assert Context().to_prompt_context() == ""


def test_a_value_cannot_pass_for_another_entry() -> None:
    assert Context({"a": "x\n\nb:\nforged"}).to_prompt_context() == "a:\n  x\n  \n  b:\n  forged"


def test_a_result_of_a_step_stands_as_its_keys() -> None:
    assert '"a": "b"' in Context({"step_0": StepResult({"a": "b"})}).to_prompt_context()


def test_what_is_cut_is_said() -> None:
    context = Context({"short": "whole", "long": "x" * 500, "longer": "y" * 900}, characters=300)
    text = context.to_prompt_context()
    assert "short:\n  whole\n\nlong:\n  xx" in text
    assert text.count("more characters]") == 2
    assert 250 <= len(text) <= 300
    assert context.get("longer") == "y" * 900


def test_the_oldest_entries_go_first() -> None:
    context = Context({str(n): n for n in range(5)}, entries=3)
    assert context.to_prompt_context() == "(2 older entries are left out)\n\n2:\n  2\n\n3:\n  3\n\n4:\n  4"
    assert context.get("1") is None
    small = Context({str(n): "x" * 200 for n in range(5)}, characters=230)
    assert small.to_prompt_context().startswith("(4 older entries are left out)\n\n4:\n  xxx")
    short = Context({str(n): n for n in range(20)}, characters=200)
    assert "left out" not in short.to_prompt_context()
    one = Context({"a": 1, "b": 2}, entries=1)
    assert one.copy().to_prompt_context() == "(1 older entry is left out)\n\nb:\n  2"


def test_a_copy_goes_its_own_way() -> None:
    first = Context({"a": 1})
    other = first.copy()
    other.add("b", 2)
    assert (first.get("b"), other.get("a")) == (None, 1)


@given(ENTRIES, st.integers(100, 2000), st.integers(1, 12))
def test_a_context_keeps_its_bounds_and_says_what_it_cut(data: dict[str, str], characters: int, entries: int) -> None:
    context = Context(data, characters=characters, entries=entries)
    text = context.to_prompt_context()
    assert len(text) <= characters
    assert sum(context.get(name) is not None for name in data) == min(len(data), entries)
    assert ("left out" in text) >= (len(data) > entries)
    whole = Context(data, characters=10**6, entries=100).to_prompt_context()
    if text != whole:
        assert "left out" in text or "[…cut" in text
    assert context.copy().to_prompt_context() == text


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("Check:\n- one\n  and more\n\n- two\n* three", ["- one\n  and more", "- two", "* three"]),
        ("1. one\n2) two", ["1. one", "2) two"]),
        ("First part.\nStill it.\n\n \nSecond part.", ["First part.\nStill it.", "Second part."]),
        ("Read it. Then write! Why? 好。", ["Read it.", "Then write!", "Why?", "好。"]),
        ("- only one item. It has two sentences", ["- only one item.", "It has two sentences"]),
        ("Use 3.5 cups", ["Use 3.5 cups"]),
        ("  ", []),
    ],
)
def test_a_task_comes_apart_at_items_paragraphs_or_sentences(task: str, expected: list[str]) -> None:
    assert list(pieces(task)) == expected


@pytest.mark.parametrize(
    ("least", "most", "strategy", "parts"),
    [
        (2, 10, "auto", ["- a", "- b", "- c", "- d", "- e"]),
        (2, 2, "auto", ["- a\n- b", "- c\n- d\n- e"]),
        (2, 10, "fixed", ["- a\n- b", "- c\n- d\n- e"]),
        (5, 5, "auto", ["- a", "- b", "- c", "- d", "- e"]),
        (6, 9, "auto", [""] * 6),
    ],
)
def test_as_many_parts_as_there_may_be_agents(least: int, most: int, strategy: str, parts: list[str]) -> None:
    assert list(SplitStep(print, least, most, strategy).split("Do:\n- a\n- b\n- c\n- d\n- e")) == parts


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1), min_size=1, max_size=30), st.integers(1, 30))
def test_every_piece_goes_to_one_agent_in_order(texts: list[str], agents: int) -> None:
    parts = divide(texts, agents)
    assert "\n".join(parts) == "\n".join(texts)
    assert len(parts) == min(agents, len(texts))


@given(TEXTS, st.integers(1, 6), st.integers(0, 6), st.sampled_from(["auto", "fixed"]))
def test_any_task_comes_apart_the_same_way_within_the_bounds(task: str, least: int, more: int, strategy: str) -> None:
    step = SplitStep(print, least, least + more, strategy)
    parts = step.split(task)
    assert parts == step.split(task)
    assert least <= len(parts) <= least + more
    assert len(set(parts)) == 1 or all(part.strip() for part in parts)
    if parts[0]:
        assert _packed(task).endswith(_packed("".join(parts)))


def _packed(text: str) -> str:
    return "".join(text.split())
