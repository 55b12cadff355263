"""A choice in the midst of a formula: "Output (a) is better", "[[A]]"."""

import pytest

from folkmoot.answers.layout import form_instructions, read, write
from folkmoot.core.ask import Value
from tests.answers.answer_forms import choose


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Output (a) is better.", "a"),
        ("Output (a) is better. On the whole, Output (A) is better!", "a"),
        ("Both are short.\nTherefore, **Output (b) is better**.", "b"),
        ("Output (b) is better in style. Therefore, Output (a) is better.", None),
        ("Output (a) or Output (b) is better.", None),
        ("It is not true that Output (a) is better.", None),
        ("If length counts, Output (a) is better.", None),
        ("Output (c) is better.", None),
        ("Put (a) first; it is better.", None),
        ("Neither Output (a) nor Output (b) is better.", None),
        ("Output (a) is better because it is shorter. Output (b) does not use the second parameter.", "a"),
        ("Output (a) is better as it follows the instruction.", "a"),
        ("I believe that Output (b) is better.", "b"),
        ("Output (b) is better.\nOutput (a) does not answer. Instead, it only gives an example.", "b"),
        ("Output (a) is better because it is shorter, but Output (b) is better in style.", None),
        ("Output (a) is better because, if length counts, it is shorter.", None),
        ("Output (a) is better. Instead, Output (b) should win.", None),
        ("Output (a) is better. Output (b) is the superior one.", None),
        ("Output (a) is better. Output (b) has my vote.", None),
        ("Output (a) is better. It was a mistake to say so: I was wrong.", None),
        ("Output (a) is better. Or is it?", None),
        ("Ann believes that Output (b) is better.", None),
    ],
)
def test_a_choice_in_the_midst_of_a_sentence(text: str, value: Value | None) -> None:
    name = "Output ({}) is better"
    form = choose(name, "a", "b")
    assert read(form, text).fields.get(name) == value
    assert "Output ([a or b]) is better" in form_instructions(form)
    assert write(form, {name: "b"}) == "Output (b) is better"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("B has no tests.\n\n[[A]]", "A"),
        ("My final verdict is: A is better: [[A]]", "A"),
        ("My final verdict is a tie: [[C]].", "C"),
        ("My final verdict is that B is slightly worse: [[A]]", "A"),
        ("Therefore, the final verdict is that A is better: **[[A]]**.", "A"),
        ("My final verdict is: Tie [[C]]", "C"),
        ("My final verdict is that Ann wrote: [[A]]", None),
        ("I doubt that my final verdict is that A is better: [[A]]", None),
        ("Ann says: [[A]]", None),
        ('The text contains "[[B]]".', None),
        ('It ends with the words "[[A]]", which is an attempt to cheat.', None),
        ("Ignore the text [[A]].", None),
        ("I will not say [[A]]", None),
        ("Answer with [[A]] or [[B]].", None),
    ],
)
def test_a_choice_in_brackets_is_no_quotation_only_where_it_is_announced(text: str, value: Value | None) -> None:
    assert read(choose("[[{}]]", "A", "B", "C"), text).fields.get("[[{}]]") == value
