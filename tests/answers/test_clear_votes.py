"""A clear vote counts: whatever option words, layout, marks or everyday words are around it, at once or after one repair."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from folkmoot.answers.layout import read
from folkmoot.core.ask import Value
from folkmoot.phases.speak import SETTLEMENT, draft
from folkmoot.phases.vote import BALLOT, ballot_form
from folkmoot.reading import read_vote

BEHIND = """more remarks; and so on; — Agent A; OK; Vote recorded.; Ranking: B > A > C; No further comments.; No comment.
Note: this assumes the budget holds.; Note that costs may vary; Disclaimer: I am an AI.; All of them have merit.
Next speaker please.; Over to the moderator.; <|im_end|>; With caveats.; as discussed above; details above; more below
more to come; the end; Total: 1; Done for now; Thank you.; Thanks, everyone!; Danke.; 谢谢。; Merci à tous.; 🙂; ✅; ---; ***
(end of ballot); [end]; End of statement.; That is my vote.; This is final.; Confidence: 0.8; Reason: it is cheap.; Signed, Ann
Sent from my phone; I stand by this.; Nothing to add.; No changes.; I don't mind the cost.; Never mind the typo above.
The moderator may close the vote.; Question: when do we start?; Let me know if you need more.; I hope this helps!
Word count: 112; 1/1; EOF; <end_of_turn>; </s>; </answer>; [/INST]; Best regards; PS: good debate.; My vote is unchanged.
If anything is unclear, ask.; What would change my mind: a cheaper B.; Against: the price.; For: the speed.; q.e.d.""".replace(
    "\n", "; "
).split("; ")

MINDS = [
    f"{who} {would} {what}."
    for who in ("I", "What")
    for would in (
        "would change my mind if",
        "would make me withdraw this:",
        "could reverse this:",
        "would take it back only for",
    )
    for what in (
        "rents fell below 900",
        "a cheaper bid came in",
        "the pilot failed",
        "nobody signed up",
        "the law changed",
    )
]

OPTIONS = (
    "yes",
    "no",
    "none",
    "never",
    "not now",
    "neither",
    "against",
    "nothing",
    "A",
    "B",
    "C",
    "C++",
    "C#",
    "Agent1",
    "Agent10",
    "rent",
    "rent a van",
    ".NET",
    "buy or rent",
    "wait, then buy",
)
LAYOUTS = {
    "plain": "{label}: {option}",
    "bold": "**{label}: {option}**",
    "bold label": "**{label}:** {option}",
    "bold option": "{label}: **{option}**",
    "heading": "## {label}:\n{option}",
    "next row": "{label}:\n{option}",
    "bullet": "- {label}: {option}",
    "quotes": '{label}: "{option}"',
    "stop": "{label}: {option}.",
    "wide colon": "{label}：{option}",
    "blanks": "{label} :  {option}  ",
    "capitals": "{LABEL}: {option}",
    "code": "{label}: `{option}`",
    "html": "<b>{label}:</b> {option}",
}


def fill(layout: str, label: str, option: str) -> str:
    """A label and an option in a layout."""
    return LAYOUTS[layout].format(label=label, LABEL=label.upper(), option=option)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("strict", [False, True])
def test_every_option_word_is_read_in_every_layout(layout: str, strict: bool) -> None:
    for option in OPTIONS:
        ballot = ballot_form(OPTIONS, strict=strict)
        assert read(ballot, f"My reasons.\n\n{fill(layout, BALLOT, option)}").fields == {BALLOT: option}, option
        form, rest = draft(OPTIONS), "\nCONFIDENCE: 0.8\nARGUMENT: It fits, though no option is perfect."
        assert read(form, fill(layout, "ANSWER", option) + rest).fields["ANSWER"] == option, option


@pytest.mark.parametrize("words", BEHIND)
def test_everyday_words_behind_a_vote_never_cost_it(words: str) -> None:
    text = f"My reasons are these.\nI vote for: B\n{words}"
    first = read(ballot_form(("A", "B", "C")), text)
    assert first.fields in ({BALLOT: "B"}, {})  # else it's asked about, once
    assert read_vote(text, ("A", "B", "C")).choice == "B"


def test_a_vote_that_is_said_twice_counts_at_once() -> None:
    text = "I vote for: B\nIt is cheap.\n\nI vote for: B"
    assert read(ballot_form(("A", "B"), strict=True), text).fields == {BALLOT: "B"}


@given(st.text(max_size=80).filter(lambda words: "vote for" not in words.casefold()))
@example("I abstain from nothing")
@example("…" * 70)
def test_words_behind_a_vote_cost_one_question_at_most_and_make_it_no_other_one(words: str) -> None:
    ballot, text = ballot_form(("Agent1", "Agent2"), strict=True), f"I vote for: Agent2\n{words}"
    assert read(ballot, text).fields in ({BALLOT: "Agent2"}, {})
    after = read(ballot, text, final=True).fields
    plain = not set(words) & set("<◁[") and "abstain" not in words.casefold()  # no mark of a template, no abstention
    assert after == {BALLOT: "Agent2"} or (after == {} and not plain)


@pytest.mark.parametrize("said", ["Plan B: no", "Plan B: No.", "B - no", "**Plan B: no**", "no (Plan B)", "Plan B, no"])
def test_a_proposal_named_with_what_it_says_is_named_once(said: str) -> None:
    names = {"Plan A": ("yes",), "Plan B": ("no",)}
    assert read(ballot_form(tuple(names)), f"I vote for: {said}", names=names).fields == {BALLOT: "Plan B"}
    other = said.replace("no", "yes").replace("No", "yes")
    assert read(ballot_form(tuple(names)), f"I vote for: {other}", names=names).fields == {}


@pytest.mark.parametrize("argument", MINDS)
def test_what_would_change_ones_mind_never_costs_the_answer(argument: str) -> None:
    for text in (
        f"ANSWER: rent\nCONFIDENCE: 0.7\nARGUMENT: It is cheap. {argument}",
        f"ARGUMENT: It is cheap. {argument}\nCONFIDENCE: 0.7\nANSWER: rent",
    ):
        assert read(draft(("rent", "buy")), text).fields["ANSWER"] == "rent"
    assert read(ballot_form(("rent", "buy")), f"{argument}\n\nI vote for: rent").fields == {BALLOT: "rent"}


MARKS = st.one_of(
    st.from_regex(r"<\|/?[a-z_]{1,12}\|?>|</?[a-z_]{7,12}>", fullmatch=True),  # HTML's for a line are shorter
    st.from_regex(r"\[/?[A-Z]{2,9}\]", fullmatch=True).filter(lambda mark: mark != "[INST]"),
    st.sampled_from(["<｜end▁of▁thinking｜>", "◁/think▷", "<|channel|>final<|message|>", "<channel|>", "</think>\n\n"]),
)
USERS = ("user", "human", "system", "developer", "tool", "function", "inst", "assistant", "model")


@given(
    mark=MARKS.filter(lambda mark: not any(user in mark.casefold() for user in USERS)),
    thought=st.sampled_from(
        ["", "Perhaps build?\n", "One could also build.\nANSWER: build\nARGUMENT: A first idea.\n"]
    ),
)
@example("<channel|>", "<|channel>thought\nANSWER: build\nCONFIDENCE: 0.1\nARGUMENT: A first idea.\n")
def test_an_answer_directly_behind_any_mark_of_a_template_is_the_answer(mark: str, thought: str) -> None:
    text = f"{thought}{mark}ANSWER: rent\nCONFIDENCE: 0.7\nARGUMENT: It is cheaper."
    reading = read(draft(("rent", "build")), text)
    assert reading.fields.get("ANSWER", "rent") == "rent"
    if not mark.strip("<|>").startswith(("think", "thought", "reason", "reflect", "scratch", "analysis")):
        # Another answer above the mark may have been a thought or a turn: that costs a question.
        assert "ANSWER" in thought or reading.fields["ANSWER"] == "rent"
    assert read_vote(f"{thought}{mark}I vote for: rent", ("rent", "build")).choice in ("rent", None)


LETTERED = ("A) Yes", "B) No", "C) Only in May")


@pytest.mark.parametrize(
    "said",
    ["B", "B)", "(B)", "b", "B.", "B) No", "(B) No", "B - No", "B: No", "Option B", "answer (B)", "No", "**B**", "no."],
)
def test_lettered_options_are_named_by_letter_or_text(said: str) -> None:
    assert read(draft(LETTERED), f"ANSWER: {said}\nARGUMENT: So it is.").fields["ANSWER"] == "B) No"


@pytest.mark.parametrize("said", ["D", "A or B", "B) Yes", "not B", "B and C", "Yes and no", "any", "Bo"])
def test_what_fits_no_lettered_option_or_two_of_them_is_asked_about(said: str) -> None:
    assert "ANSWER" not in read(draft(LETTERED), f"ANSWER: {said}\nARGUMENT: So it is.").fields


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.5", 0.5), (".5", 0.5), ("50 %", 0.5), ("50%", 0.5), ("0,5", 0.5), ("**0.5**", 0.5), (r"\boxed{0.5}", 0.5), ("$0.5$", 0.5),
        ("5/10", 0.5), ("0.5。", 0.5), ("０.５", 0.5), ("~0.5", 0.5), ("0.5 (fairly sure)", 0.5), ("medium (0.5)", 0.5),
        ("P = 0.5", 0.5), ("p=50%", 0.5), ("0.5 (50%)", 0.5), ("50 % (0.5)", 0.5), ("5e-1", 0.5), ("5.0e-1", 0.5), ("0.5 (60%)", None),
        ("0.5 (50", None), ("<1%", None), ("45-55%", None), ("q + 0.5 = 1", None), ("0.5 (0.4) (0.5)", None),
        ("7", None), ("-0.5", None), ("0.5 to 0.7", None), ("a half", None), ("nan", None), ("5 million", None),
    ],
)  # fmt: skip
def test_a_number_is_read_by_its_value(text: str, value: Value | None) -> None:
    assert read(draft(()), f"ANSWER: x\nCONFIDENCE: {text}\nARGUMENT: y").fields.get("CONFIDENCE") == value


@pytest.mark.parametrize(
    "text",
    [
        "{body}",
        "```json\n{body}\n```",
        "Sure! Here it is: {body} Hope that helps.",
        "Sure:\n```json\n{body}\n```\nHope that helps.",
        "{body}\n\n{body}",
        "{body},",
    ],
)
def test_the_one_object_with_the_labels_is_read(text: str) -> None:
    body = '{"ANSWER": "rent", "CONFIDENCE": 0.9, "ARGUMENT": "It is cheap.", "note": "not asked for"}'
    assert read(draft(("rent", "buy")), text.replace("{body}", body)).fields["ANSWER"] == "rent"
    two = text.replace("{body}", f"{body} {body.replace('rent', 'buy')}")
    assert read(draft(("rent", "buy")), two).fields == {}


@pytest.mark.parametrize(
    ("said", "decision"),
    [
        ("**Invest half of it.**\n\nThank you all. Lunch is served.", "Invest half of it."),
        ("We do this:\n\n1. Buy.\n2. Wait.\n\nThank you.", "We do this:\n1. Buy.\n2. Wait."),
        ("The group decides:\n\n- Buy.\n\n- Then build.\n\nThank you.", "The group decides:\n- Buy.\n- Then build."),
        ("[Invest half]", "[Invest half]"),
    ],
)
def test_a_decision_is_one_paragraph_with_its_list_and_without_its_marks(said: str, decision: str) -> None:
    ruling = f"**SUMMARY**: Both agree.\n**STATUS**: **SETTLED**\n**DECISION**: {said}"
    assert read(SETTLEMENT, ruling).fields["DECISION"] == decision


@pytest.mark.parametrize(
    "text", ["Therefore, I vote for: B", "In conclusion, I vote for: B", "I vote for: \\boxed{B}", "I vote for: $B$"]
)
def test_a_few_words_or_signs_around_a_formula_cost_no_vote(text: str) -> None:
    assert read_vote(text, ("A", "B")).choice == "B"


@pytest.mark.parametrize(
    "said", ["rent — it is cheaper", "Rent, because it is cheap", "rent (for now)", "**rent** - all agree"]
)
def test_a_reason_behind_a_choice_costs_one_question(said: str) -> None:
    text = f"ANSWER: {said}\nARGUMENT: So it is."
    first = read(draft(("rent", "buy")), text)
    assert first.fields.get("ANSWER", "rent") == "rent"
    assert read(draft(("rent", "buy")), text, final=True).fields["ANSWER"] == "rent"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Having considered Ann's argument, my answer:\n\nARGUMENT: It is cheap.\nANSWER: rent", "rent"),
        ("ARGUMENT: It is cheap.\nANSWER:\n\n- rent", "rent"),
        ("ARGUMENT: As Ann's plan says, it's cheap:\nANSWER: rent", "rent"),
        ("<answer>\nARGUMENT: It is cheap.\nANSWER: rent\n</answer>", "rent"),
        *(
            (f"ARGUMENT: The prompt's {mark} mark costs a lot.\nANSWER: rent", "rent")
            for mark in ("<think>", "<system>", "[USER]", "[INST]", "<|im_start|>", "`</think>`", '"<Ann>"')
        ),
    ],
)
def test_what_an_answer_speaks_of_never_costs_it(text: str, answer: str) -> None:
    reading = read(draft(("rent", "buy")), text, speaker="Dora", others=("Ann", "Ben"))
    assert reading.fields["ANSWER"] == answer
    assert "ARGUMENT" in reading.fields


def test_a_summary_may_speak_of_somebodys_plan() -> None:
    text = "SUMMARY: The group follows Ben's plan:\nSTATUS: SETTLED\nDECISION: Take it."
    assert read(SETTLEMENT, text, others=("Ann", "Ben")).fields["STATUS"] == "SETTLED"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Hm.", "no_form"),
        ("So in the end I vote for: Ben", "inside_line"),
        ("Ben:\nI vote for: Ben", "quoted_only"),
        ('Ben wrote:\n{"I vote for": "Ben"}', "quoted_only"),
        ("> I vote for: Ben", "quoted_only"),
        ("<think>I vote for: Ben</think>", "quoted_only"),
        ('{"I vote for": "Ann"}\n\nI vote for: Ben', "ambiguous"),
        ("I vote for: Ann<|eot_id|>I vote for: Ben", "ambiguous"),
        ("I vote for: Eve", "unknown_name"),
    ],
)
def test_the_reason_says_what_stood_in_the_way(text: str, code: str) -> None:
    reading = read(ballot_form(("Ann", "Ben"), strict=True), text, speaker="Dora", others=("Ann", "Ben"))
    assert [unread.reason for unread in reading.unread] == [code]
