"""Habits of models around what they were asked for: what changes nothing is read, all else is asked about."""

from itertools import product

import pytest

from folkmoot.answers.layout import form_instructions
from folkmoot.reading import ballot_form, read_message, read_ruling, read_scores, read_vote

NAMES = ("Ada", "Ben", "The Skeptic")
FORM = form_instructions(ballot_form(NAMES, strict=False))
TEMPLATE = "I vote for: [Ada or Ben or The Skeptic]"
VERDICTS = ("HIRE", "NO_HIRE")

ABOVE = (
    "",
    f"{TEMPLATE}\n\n",
    f"{FORM}\n\n",
    "I vote for: Ada or Ben or The Skeptic\n\n",
    "Ballot – Ben\n\n",
    "The line you asked for:\n\n",
    "Ben's table has no source for the rent, so:\n\n",
    "The costs are lower over ten years.<br><br>",
    "As Ben, I judge by the costs.\n\n",
)
FORMULAS = ("I vote for: Ada", "I vote for: Ms. Ada", "<b>I vote for: Ada</b>", "Vote for: Ada", "I, Ben, vote for Ada")
BEHIND = (
    "",
    "\n\n(Note: This response follows the required format.)",
    "\n\nThe requested format has been followed.",
    "\n\nVote cast in the required format.",
    "\n\nReasons:\nHer plan costs less over ten years.",
    "\n\nThe Skeptic never answered the question about the rent.",
)
UNDOING = (
    "\n\nNo, wait. I take that back.",
    "\n^ typo, there is a letter missing",
    "\n\nOn second thoughts: The Skeptic.",
)


@pytest.mark.parametrize("above", ABOVE)
def test_a_vote_is_read_with_the_habits_around_it(above: str) -> None:
    for formula, behind in product(FORMULAS, BEHIND):
        text = f"{above}{formula}{behind}"
        assert read_vote(text, NAMES, voter="Ben").choice == "Ada", text


@pytest.mark.parametrize("undoing", UNDOING)
def test_what_undoes_a_vote_undoes_it_among_all_habits(undoing: str) -> None:
    for above, formula, behind in product(ABOVE, FORMULAS, BEHIND):
        text = f"{above}{formula}{behind}{undoing}"
        assert read_vote(text, NAMES, voter="Ben").choice != "Ada", text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I vote for: Skeptic", "The Skeptic"),
        ("The numbers add up.\n\n```\nI vote for: Ada\n```", "Ada"),
        ("The numbers add up.\n\n`I vote for: Ada`", "Ada"),
        ("I vote for: Ada\n\nThis vote reflects the arguments presented in the debate.", "Ada"),
        ("The format is:\n\n`I vote for: Ada`", None),
        ("I vote for: Ada\n\nThis vote reflects the arguments, unless Ben answers.", None),
        ("If I have to pick one, I'd vote for Ada. Her plan is the only one with a date.", "Ada"),
        ("I would like to vote for Ada. Her plan balances the costs and the needs of the drivers.", "Ada"),
        ("Ho apprezzato tutti gli interventi, ma voto per Ada.", "Ada"),
        ("So that's my vote: Ada.", "Ada"),
        ("From: Ben\nTo: all\nSubject: my vote\n\nI vote for: Ada", "Ada"),
        ("The numbers add up. For example:\n\n```\nI vote for: Ada\n```", None),
        ("Use this format.\n\n```\nI vote for: Ada\n```", None),
        ("Thanks, noted.\n\nFrom: Ada\nTo: Ben\nSubject: ballot\n\nI vote for: Ada", None),
        ("I can't fix my slip below. It ought to say Ben.\n\nI vote for: Ada", None),
        ("If I had to pick one, I'd vote for Ada.", None),
        ("I would like to vote for Ada. Her contract forbids it.", None),
        ("For the record, I'm choosing Ada.", "Ada"),
        ("For the logo I'm choosing Ada's. For the depot, give me five minutes.", None),
        ("Yeah right, I vote for Ada", None),
        ("Yeah, I vote for Ada", "Ada"),
        (TEMPLATE, None),
    ],
)
def test_a_vote_is_read_where_nothing_else_can_be_meant(text: str, name: str | None) -> None:
    assert read_vote(text, NAMES, voter="Ben").choice == name


def test_a_sole_candidate_stands_in_its_template() -> None:
    assert read_vote("I vote for: [Ada]", ("Ada",)).choice == "Ada"


CONTINUES = (
    "SUMMARY: They differ on the rent.\nSTATUS: CONTINUE",
    "**Summary of the debate:** They differ on the rent.\n\n**Status of the debate:** CONTINUE",
    "SUMMARY: [where the debate stands]\nSTATUS: [SETTLED or CONTINUE]\n\n"
    "SUMMARY: They differ on the rent.\nSTATUS: CONTINUE",
    "### SUMMARY\nThey differ on the rent.\n\n### STATUS\nCONTINUE",
    "SUMMARY: They differ on the rent.\n\nSTATUS: The debate is CONTINUE.",
)
OPEN = (
    "",
    "\n\nStill open:\n1. What does the land cost?\n2. Can the lease be ended?",
    "\n\n### STILL OPEN\n- The second quote",
)


@pytest.mark.parametrize("open_points", OPEN)
def test_a_debate_goes_on_with_a_list_of_what_is_open(open_points: str) -> None:
    for text in CONTINUES:
        ruling = read_ruling(f"{text}{open_points}", question="Build or rent?")
        assert (ruling.status, ruling.decision) == ("CONTINUE", None), text


SETTLED = "SUMMARY: They agree on the rent.\nSTATUS: SETTLED\nDECISION: "


@pytest.mark.parametrize(
    "decision",
    [
        "Ada says build, Ben says rent, Cleo says wait.",
        "Congratulations to Ada! As to the depot nothing can be decided on these papers.",
        "Rent, if Ben agrees tomorrow; if not, CONTINUE.",
    ],
)
def test_a_decision_that_decides_nothing_is_none(decision: str) -> None:
    assert read_ruling(SETTLED + decision, question="Build a depot or rent one?").decision is None


@pytest.mark.parametrize("lead", ["", "Thank you all for this final round. Here's my assessment as moderator:\n\n"])
def test_a_decision_is_read_under_its_longer_labels(lead: str) -> None:
    text = f"{lead}{SETTLED}Rent the depot for two years."
    for words in (text, text.replace("DECISION:", "**Decision of the moderator:**")):
        assert read_ruling(words, question="Build a depot or rent one?").decision == "Rent the depot for two years."


PARTS = {"Speaker": "Ben", "Verdict": "HIRE", "VerdictReasoning": "The skills fit.", "Content": "I would hire Kim."}
TAGS = "\n".join(f"<{name}>{value}</{name}>" for name, value in PARTS.items())
WHOLE = f"<Message>\n{TAGS}\n</Message>"
MESSAGES = (
    WHOLE,
    f"Sure! Here is my message to the board:\n\n{WHOLE}\n\nLet me know if you need anything else!",
    f"Thank you for the documents. Here is my message to the board:\n{WHOLE}",
    f"Here is Ben's message:\n\n{WHOLE}",
    f"Hier ist meine Antwort im gewünschten Format:\n\n```\n{WHOLE}\n```",
    WHOLE.replace("<Verdict>", '<Verdict confidence="0.85">'),
    WHOLE.replace("<", "&lt;").replace(">", "&gt;"),
    "\n".join(f"**{name}:** {value}" for name, value in PARTS.items()),
    "{" + ", ".join(f'"{name}": "{value}"' for name, value in PARTS.items()) + "}",
    '{"Message": {' + ", ".join(f'"{name}": "{value}"' for name, value in PARTS.items()) + "}}",
)


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_of_a_board_is_read_in_other_dress(message: str) -> None:
    read = read_message(message, verdicts=VERDICTS, speaker="Ben", members=("Ben", "Cleo"))
    assert (read.verdict, read.content) == ("HIRE", "I would hire Kim.")
    assert read_message(message, verdicts=VERDICTS, speaker="Cleo", members=("Ben", "Cleo")).verdict is None


@pytest.mark.parametrize(
    "message",
    [
        f"<Message>\n{TAGS}\n</Message>".replace("<Verdict>", '<Verdict state="draft">'),
        "**Verdict:** HIRE\n**Content:** I would hire Kim.",
        "I would hire Kim.",
    ],
)
def test_a_message_that_may_be_none_is_asked_about(message: str) -> None:
    assert read_message(message, verdicts=VERDICTS, speaker="Ben", members=("Ben", "Cleo")).verdict is None


def test_who_leaves_keeps_the_verdict() -> None:
    leaving = TAGS.replace("I would hire Kim.", "My verdict stands, and I withdraw.")
    read = read_message(f"<Message>\n{leaving}\n</Message>", verdicts=VERDICTS, speaker="Ben", members=("Ben", "Cleo"))
    assert read.verdict == "HIRE"
    recalled = TAGS.replace("I would hire Kim.", "I withdraw my verdict.")
    read = read_message(f"<Message>\n{recalled}\n</Message>", verdicts=VERDICTS, speaker="Ben", members=("Ben", "Cleo"))
    assert read.verdict is None


SCORES = '{"scores": {"Bull": 7, "Bear": 6}}'


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (f"{SCORES}\n\n**Why:**\n- **Bull** – convincing growth figures, but no answer on churn.", True),
        (f"Step 1: I read both statements.\nStep 2: I wrote down the scores.\n\n{SCORES}", True),
        (f"{SCORES}\n\nNote: I used 1 for best and 10 for worst, as in school.", False),
        (f"{SCORES}\n\nLower is better here.", False),
    ],
)
def test_scores_are_read_with_their_reasons(text: str, read: bool) -> None:
    assert bool(read_scores(text, ("Bull", "Bear")).scores) is read
