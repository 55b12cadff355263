"""Votes in sentences of the author's own, in an object behind reasons, or as a name that begins the answer."""

from itertools import product

import pytest

from folkmoot.reading import read_vote

AGENTS = ("Agent1", "Agent2", "Agent3")

ADVERBS = ("", " therefore", " now", " clearly", " without hesitation", ", then,")
VERBS = ("vote", "vote for", "am voting for", "am going to vote for", "must vote for", "have decided to vote for")
NOUNS = (
    "My vote{} goes to",
    "My vote, after this debate, goes to",
    "My verdict is{}",
    "My ruling is{}:",
    "My vote is{} for",
)


@pytest.mark.parametrize("adverb", ADVERBS)
def test_a_vote_is_read_with_whatever_adverb_it_is_said(adverb: str) -> None:
    texts = [f"I{adverb} {verb} Agent2." for verb in VERBS] + [f"{noun.format(adverb)} Agent2." for noun in NOUNS]
    assert {text: read_vote(text, AGENTS).choice for text in texts} == dict.fromkeys(texts, "Agent2")


@pytest.mark.parametrize(
    "words",
    ["do not", "don't", "will never", "would", "might", "used to", "almost", "was told to", "nearly", "want nobody to"],
)
def test_what_denies_or_doubts_a_vote_is_never_left_out(words: str) -> None:
    for verb, behind in product(
        ("vote", "vote for", "cast a vote for"), (".", " because it is cheap.", "\n\nThank you.")
    ):
        text = f"I {words} {verb} Agent2{behind}"
        assert read_vote(text, AGENTS).choice is None, text


@pytest.mark.parametrize(
    "text",
    [
        "My vote, if the price holds, goes to Agent2.",
        "My vote, unless Agent1 improves its plan, goes to Agent2.",
        "My vote is not for Agent2.",
        "Nobody may record my vote as Agent2.",
        "Should I say that my verdict is Agent2?",
        "Agent1 texts: my ruling is therefore Agent2.",
        "I have decided to vote for Agent2 because its plan was tested twice by three people who know the pump well.",
        "Ada asked me to record my vote as Agent2.",
    ],
)
def test_a_condition_a_denial_or_somebody_elses_words_are_no_vote(text: str) -> None:
    assert read_vote(text, AGENTS).choice is None


@pytest.mark.parametrize(
    ("above", "behind"),
    [("Two reasons led me to this.\n\n", ""), ("Two reasons.\n\n```json\n", "\n```"), ("It is cheap. ", "\n")],
)
def test_an_object_behind_the_reasons_is_the_vote(above: str, behind: str) -> None:
    text = f'{above}{{"vote": "Agent2", "confidence": 0.8}}{behind}'
    assert read_vote(text, AGENTS).choice == "Agent2"


@pytest.mark.parametrize(
    "text",
    [
        'The answer must look like this example:\n{"vote": "Agent2"}',
        'Agent1 wrote:\n{"vote": "Agent2"}',
        'I cannot decide yet.\n\n{"vote": "Agent2", "draft": true}',
        'Either of them.\n\n{"vote": "Agent2"}\n{"vote": "Agent1"}',
        'My reasons.\n\n{"vote": {"name": "Agent2"}}',
        'My reasons.\n\n{"vote": "Agent2"}\n\nNo, I take that back.',
        'My reasons.\n\n{"opponent": "Agent2"}',
        'My reasons.\n\n{"vote": "Agent2", "remark": "I take that back."}',
    ],
)
def test_an_object_that_is_not_the_authors_last_word_is_no_vote(text: str) -> None:
    assert read_vote(text, AGENTS).choice is None


def test_an_object_behind_the_reasons_may_abstain() -> None:
    vote = read_vote('Both are my friends.\n\n{"vote": null, "abstain": true}', AGENTS)
    assert vote.abstained


@pytest.mark.parametrize(
    "text",
    ["Agent2. Its plan is cheaper.", "**Agent2**\n\nThe plan was tested.", "Agent2!\nAgent1 is too dear."],
)
def test_a_name_that_begins_the_answer_is_the_vote(text: str) -> None:
    assert read_vote(text, AGENTS).choice == "Agent2"


@pytest.mark.parametrize(
    "text",
    [
        "Agent2.\n\nStrong on cost.\n\nAgent1.\n\nWeak on cost.",
        "Agent2.\nStrengths: cheap.\nWeaknesses: slow.",
        "Agent2. The plan lacks a timetable.",
        "Agent2. Or maybe not.",
        "Agent2. I can't decide between that and Agent1.",
        "Agent2 won the last round. I am still thinking.",
    ],
)
def test_a_name_above_a_judgement_is_no_vote(text: str) -> None:
    assert read_vote(text, AGENTS).choice is None


@pytest.mark.parametrize("remark", ["That doesn't change my vote.", "This doesn't make my vote conditional."])
def test_a_remark_that_leaves_the_vote_as_it_is_does_not_void_it(remark: str) -> None:
    assert read_vote(f"{remark}\n\nI vote for: Agent2", AGENTS).choice == "Agent2"
    assert read_vote("That isn't my vote.\n\nI vote for: Agent2", AGENTS).choice is None


def test_that_is_my_vote_stands_behind_the_name() -> None:
    assert read_vote("So: Agent2. That's my vote.", AGENTS).choice == "Agent2"
    assert read_vote("I don't want Agent2. That's my vote.", AGENTS).choice is None


def test_a_heading_in_brackets_of_japanese_is_a_label() -> None:
    assert read_vote("数字で答えたのは一人だけでした。\n\n【投票】\nAgent2", AGENTS).choice == "Agent2"


@pytest.mark.parametrize(
    "above",
    ["If the committee agrees to strike clause 4, then", "Unless the price rises", "Suppose that the audit is done"],
)
def test_a_condition_that_goes_on_into_the_vote_below_an_empty_line_binds_it(above: str) -> None:
    assert read_vote(f"{above}\n\nI vote for: Agent2", AGENTS).choice is None
    assert read_vote("Once more, with all its figures checked\n\nI vote for: Agent2", AGENTS).choice == "Agent2"


def test_a_vote_that_is_said_to_be_none_is_none() -> None:
    text = "The next line only tests whether the form takes my input. It is not a vote.\n\nI vote for: Agent2"
    assert read_vote(text, AGENTS).choice is None


@pytest.mark.parametrize(
    "text", ["【投票】Agent2\n【理由】数字で答えたからです。", "vote - Agent2\nreason - cheaper", "【投票先】\nAgent2"]
)
def test_a_label_may_stand_in_brackets_or_before_a_dash(text: str) -> None:
    assert read_vote(text, AGENTS).choice == "Agent2"


def test_a_voter_may_say_please() -> None:
    assert read_vote("Put me down for Agent2, please.", AGENTS).choice == "Agent2"


@pytest.mark.parametrize(
    "head",
    [
        "DRAFT – not submitted yet",
        "[rascunho, não contar]",
        "## Entwurf",
        "Draft only",
        "Please note: everything below, the vote included, holds only in case the council pays.",
        "What follows does not count before Monday. Ask me again then.",
        "This whole message is void unless Ada agrees.",
    ],
)
def test_a_head_that_sets_the_whole_answer_aside_leaves_no_vote(head: str) -> None:
    assert read_vote(f"{head}\n\nIts plan was tested.\n\nI vote for: Agent2", AGENTS).choice is None


@pytest.mark.parametrize(
    "head",
    [
        "This is not an easy choice.",
        "Drafting a plan is one thing, keeping it another.",
        "The draft of Agent1 follows the old rules.",
        "Only one plan holds in case the pump fails.",
        "What follows is my vote.",
    ],
)
def test_a_head_that_speaks_of_the_matter_leaves_the_vote(head: str) -> None:
    assert read_vote(f"{head}\n\nIts plan was tested.\n\nI vote for: Agent2", AGENTS).choice == "Agent2"


@pytest.mark.parametrize("farewell", ["Let's get to work.", "Good luck to all!", "Viel Erfolg!"])
def test_a_farewell_behind_a_vote_leaves_it(farewell: str) -> None:
    assert read_vote(f"I vote for: Agent2\n\n{farewell}", AGENTS).choice == "Agent2"


@pytest.mark.parametrize(
    "above",
    [
        "My position: Agent1 is right about the costs.",
        "My conclusion: Agent1's case is weaker.",
        "Ich stimme Agent1 zu.",
    ],
)
def test_a_sentence_that_only_judges_another_contradicts_no_vote(above: str) -> None:
    assert read_vote(f"{above}\n\nI vote for: Agent2", AGENTS).choice == "Agent2"
    assert read_vote(above, AGENTS).choice is None
