"""The memo: one page for any debate, cut between words; what stands in it, and where."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from html import unescape
from io import BytesIO

import pytest
from docx import Document
from pypdf import PdfReader

from folkmoot.app.export.paper import memo, pdf, print_page
from folkmoot.app.export.report_formats import FORMATS
from folkmoot.app.export.reports import ReadRecord, make_report
from folkmoot.app.serve.decision_memo import decision_memo
from folkmoot.core.brief import Brief
from folkmoot.core.decision import Ballot, Decision
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Closed, Entry, Opened, Ruled
from folkmoot.report.memo_page import Column, FigureRow, Memo, Point, VoteRow, memo_page
from tests.analysis.courses import say, table
from tests.paths import ROOT
from tests.report import memo_debates as debates
from tests.report.reports import Diary, person

ID = "four-day-week-for-the-clinic-3f2a1c"
DEBATES: dict[str, Callable[[], list[Entry]]] = {
    "small": debates.small,
    "large": debates.large,
    "tie": debates.tie,
    "failed": debates.failed,
    "paused": debates.paused,
    "latin": lambda: debates.at_limits(debates.LATIN),
    "chinese": lambda: debates.at_limits(debates.CJK),
    "one word": lambda: debates.at_limits(debates.ENDLESS),
}

SIZES = {"small": ("A4",), "tie": ("letter",), "failed": ("A4",), "paused": ("letter",)}
"""On which paper a memo is tried that leaves room on its page; the others are tried on both."""


@cache
def memo_of(name: str) -> str:
    """The memo of one of the debates."""
    return memo(read(DEBATES[name]()))


def read(entries: Sequence[Entry]) -> ReadRecord:
    return make_report(entries, debate=ID, where="/var/lib/folkmoot.sqlite", last="{}")


def words_of(page: str) -> str:
    body = page.partition("<body>")[2]
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def pages(page: str, size: str) -> int:
    try:
        content = pdf(page.replace("@page {", f"@page {{ size: {size};"))
    except BriefError:
        pytest.skip("PDF needs Pango from the system")
    return len(PdfReader(BytesIO(content)).pages)


@pytest.mark.parametrize(
    "name", [name if name == "large" else pytest.param(name, marks=pytest.mark.system) for name in DEBATES]
)
def test_the_memo_of_any_debate_is_one_page_of_a4_and_of_letter(name: str) -> None:
    page = memo_of(name)
    assert page.count("<h1") == 1
    assert not re.search(r"<script|src=|href=", page)
    sizes = SIZES.get(name, ("A4", "letter"))
    assert [pages(page, size) for size in sizes] == [1] * len(sizes)


def test_a_large_debate_says_the_answer_why_what_is_against_it_and_how_sure_it_is() -> None:
    words = words_of(memo_of("large"))
    places = [
        "Should our clinic-software team move",
        "Decided by most votes A trial of three months",
        "A trial of three months 4 Ada, Cy, Eli, Fay",
        "Why The worst case is known.",
        "objections",
        "What would change it 1 vote for Four days for all instead of A trial of three months",
        "and unanimity): no decision.",
        "How sure is it? Moderate: 4 of 8 chose it. 4 of 8 changed the answer during the debate",
        "Read with care All 8 votes come from one family of models",
        f"folkmoot learn resolve {ID}",
        "8 participants, answered by acme:model-0 for 3",
        "$0, 48 calls",
        f"Debate {ID}",
        "hash of the last entry",
        f"folkmoot verify {ID}",
    ]
    offsets = [words.find(place) for place in places]
    assert -1 not in offsets, [place for place, at in zip(places, offsets, strict=True) if at < 0]
    assert offsets == sorted(offsets), "identifiers and hashes come last"
    assert re.search(r"\d+ more in the full report What would change it", words)


def test_a_tie_names_both_answers_and_the_commands_that_would_break_it() -> None:
    page = memo_of("tie")
    words = words_of(page)
    assert "A tie: nothing is decided" in words
    assert "For Four days for all" in words
    assert "For Five days as today" in words
    assert "objections" not in words
    assert f"What would break the tie folkmoot show --recount {ID}" in words
    assert f"<code>folkmoot again {ID} --protocol moderated</code>" in page
    assert "Open: as many are against it" in words


def test_whose_ballot_did_not_count_is_said_beside_the_votes() -> None:
    ballots = (
        Ballot(voter="Ann", choice="move"),
        Ballot(voter="Ben", state="unread"),
        Ballot(voter="Cy", state="abstained"),
    )
    decision = Decision(status="decided", winner="move", text="move", tally={"move": 1.0}, ballots=ballots)
    diary = table(*(person(name) for name in ("Ann", "Ben", "Cy")))
    record = read(diary.add(Ruled(decision=decision), Closed(status="decided", reason="")).entries)
    rows = [(row.answer, row.votes, row.by) for row in decision_memo(record.entries, record.report).votes]
    assert rows == [("move", "1", "Ann"), ("Abstained", "1", "Cy"), ("Not counted", "1", "Ben")]
    assert "Not counted 1 Ben" in words_of(memo(record))


def test_a_reason_is_what_brought_somebody_to_the_answer_and_not_the_last_rebuttal() -> None:
    diary = table()
    say(diary, "Ann", {"ANSWER": "stay", "ARGUMENT": "Moving costs a year."})
    say(diary, "Ben", {"ANSWER": "move", "ARGUMENT": "The lease ends."})
    say(diary, "Ann", {"ANSWER": "move", "ARGUMENT": "Only if the rent is fixed."}, at=2)
    say(diary, "Ben", {"ANSWER": "move", "ARGUMENT": "That objection is met."}, at=2)
    decision = Decision(
        status="decided", winner="move", text="move", argument="That objection is met.", tally={"move": 2.0}
    )
    entries = diary.add(Ruled(decision=decision), Closed(status="decided", reason="")).entries
    why = decision_memo(entries, read(entries).report).columns[0].points
    assert [point.words for point in why] == ["The lease ends.", "Only if the rent is fixed."]
    assert why[1].tail.endswith("was for stay")


def test_a_failed_debate_tells_what_the_provider_said() -> None:
    entries = debates.failed()
    closed = replace(entries[-1], event=Closed(status="failed", reason="0 of 8 answered"))
    words = words_of(memo(read([*entries[:-1], closed])))
    assert "Failed: 0 of 8 answered. The key was refused." in words


def test_a_failed_and_a_paused_debate_say_why_and_what_to_do() -> None:
    failed, paused = (words_of(memo_of(name)) for name in ("failed", "paused"))
    assert "The debate failed" in failed
    assert "the key was refused" in failed.casefold()
    assert failed.casefold().count("the key was refused") == 2  # as the reason, and with those who did not answer
    assert f"folkmoot again {ID}" in failed
    assert "gave no answer" in failed
    assert "No model was called." in failed
    assert "Not finished Paused: the limit of $0.5" in paused
    assert f"folkmoot resume {ID}" in paused
    assert " -m PROVIDER:NAME lets another model continue, in a fork" in paused


def test_what_does_not_fit_is_cut_between_words() -> None:
    words = words_of(memo_of("latin"))
    known = {word.strip(" ,.…") for word in debates.LATIN.split()} | {"claims"}
    cut = re.findall(r"([A-Za-z]+)…", words)
    assert len(cut) > 5
    assert not set(cut) - known
    assert "more in the full report" in words


@pytest.mark.parametrize("text", ["Short.", "x" * 5000, "字" * 5000, "a b " * 2000, ""])
def test_parts_of_any_length_are_shown_in_their_order(text: str) -> None:
    columns = (Column(title=f"A {text}", points=(Point(words=text, tail=text),) * 3), Column(title="B"))
    page = memo_page(
        Memo(
            topic=text,
            date="2026-01-05",
            kicker=text,
            headline=text,
            text=text,
            votes=(VoteRow(answer=text, votes="2", by=text),) * 9,
            columns=columns,
            figures=(FigureRow(answer=text, words=text, where=text),) * 9,
            unfound=text,
            change=(Point(command="folkmoot again x", words=text),),
            sure=(text,),
            cautions=(text,),
            steps=(Point(command="folkmoot again y", words=text),),
            who=text,
            small=(text,),
        )
    )
    assert "folkmoot again x" in page
    assert "folkmoot again y" in page
    assert "Nothing is on record." in page
    assert len(words_of(page)) < 7000


def test_a_claim_of_many_keeps_its_turn_behind_their_names() -> None:
    people = [person(name) for name in ("Ann", "Bernadette", "Cid", "Dee", "Eli", "Fay")]
    diary = table(*people)
    for member in people:
        say(diary, member.name, {"ANSWER": "move", "CLAIM": "The yard is full"})
    decision = Decision(status="decided", winner="move", text="move", tally={"move": 6.0})
    words = words_of(memo(read(diary.add(Ruled(decision=decision), Closed(status="decided", reason="")).entries)))
    assert "The yard is full Ann and 5 more, T1" in words


def test_hostile_words_stay_words() -> None:
    hostile = "</article><script>alert(1)</script><img src=x onerror=alert(1)>"
    page = memo(read(debates.large(hostile, [f"{hostile} {n}" for n in range(3)], topic=hostile)))
    assert "<script" not in page
    assert "<img" not in page


def test_a_ruling_without_votes_and_a_proposal_have_headlines_of_their_own() -> None:
    diary = say(say(table(), "Ann", {"ANSWER": "move", "CLAIM": "move"}), "Ben", {"ANSWER": "stay", "OPEN": "Rent?"})
    ruling = Decision(status="decided", winner="move", text="Move in May.", rule="moderator", how="The chair ruled")
    ruled = replace(diary, entries=list(diary.entries)).add(Ruled(decision=ruling), Closed(status="decided", reason=""))
    whole = decision_memo(ruled.entries, read(ruled.entries).report)
    assert (whole.kicker, whole.headline, whole.text) == ("Decided by the moderator", "move", "Move in May.")
    assert whole.sure == ("Nobody voted: one ruling decided.",)
    assert [point.words for point in whole.change] == ["What was left open: Rent?"]
    assert not whole.columns[0].points, "the answer itself is no reason for it"
    proposal = replace(ruling, winner="Ann", rule="consent", ballots=(Ballot(voter="Ben", choice="Ann", reason="So."),))
    proposed = diary.add(Ruled(decision=proposal), Closed(status="decided", reason=""))
    other = decision_memo(proposed.entries, read(proposed.entries).report)
    assert (other.headline, other.text, other.kicker) == ("Ann's proposal", "Move in May.", "Decided by consent")


def test_forecasts_are_pooled_and_a_short_debate_has_no_decision_yet() -> None:
    diary = say(table(), "Ann", {"ANSWER": "move"})
    assert decision_memo(diary.entries, read(diary.entries).report).headline == "Not finished"
    pooled = Decision(status="decided", text="70 %", rule="mean", support=("Ann", "Ben"))
    diary.add(Ruled(decision=pooled), Closed(status="decided", reason="so"))
    whole = decision_memo(diary.entries, read(diary.entries).report)
    assert whole.sure[0] == "Pooled from 2 forecasts."
    assert whole.kicker == "Decided by the mean of the forecasts"


@pytest.mark.parametrize(
    ("seats", "who"), [(("builtin:quotes", "acme:one"), "Ann"), (("builtin:quotes", "builtin:quotes"), "anybody")]
)
def test_a_demonstration_and_a_fork_say_so_and_nobody_moved(seats: tuple[str, str], who: str) -> None:
    people = tuple(person(name, seat=seat) for name, seat in zip(("Ann", "Ben"), seats, strict=True))
    opening = Opened(
        brief=Brief(topic="Move?", participants=people), protocol={}, name="arena", forked="depot-3f2a1c@17"
    )
    diary = Diary().add(opening)
    for at in (1, 2):
        say(say(diary, "Ann", {"ANSWER": "move"}, at=at), "Ben", {"ANSWER": "stay"}, at=at)
    ballots = tuple(Ballot(voter=name, choice="move") for name in ("Ann", "Ben"))
    decision = Decision(status="decided", winner="move", text="move", rule="unanimity", ballots=ballots)
    diary.add(Ruled(decision=decision), Closed(status="decided", reason="so"))
    whole = decision_memo(diary.entries, read(diary.entries).report)
    sentence = f"A demonstration: no language model answers for {who}; the built-in agent quotes the background."
    assert whole.cautions[-1] == sentence
    assert whole.sure == ("Decided: 2 of 2 chose it.", "Nobody changed the answer during the debate.")
    assert "forked from depot-3f2a1c at entry 17" in whole.small
    assert not whole.change
    assert "What would change it" not in memo_page(whole)


def test_the_report_to_print_has_the_memo_as_its_cover() -> None:
    page = print_page(read(debates.small()))
    assert page.count("<h1>") == 1
    assert page.index('class="memo') < page.index("<h1>")
    assert "Hash of the last entry" in page


def test_the_formats_make_what_they_say() -> None:
    record = read(debates.small())
    assert FORMATS["print"].make(record) == print_page(record)
    try:
        contents = [FORMATS[name].make(record) for name in ("memo_pdf", "pdf")]
    except BriefError:
        pytest.skip("PDF needs Pango from the system")
    counts = [len(PdfReader(BytesIO(content)).pages) for content in contents if isinstance(content, bytes)]
    assert counts[0] == 1
    assert counts[1] > 1


def test_the_memo_for_word_has_its_votes_as_a_table_and_is_not_cut() -> None:
    content = FORMATS["memo_docx"].make(read(debates.large()))
    assert isinstance(content, bytes)
    page = Document(BytesIO(content))
    cells = [cell.text for cell in page.tables[0].rows[1].cells]
    assert cells == ["A trial of three months", "4", "Ada, Cy, Eli, Fay"]
    assert len(page.paragraphs) > words_of(memo_of("large")).count("as the log of April shows")


def test_what_a_board_found_stands_in_a_sentence_without_its_list() -> None:
    ruling = "The board recommends **OBSERVE**.\n\n- OBSERVE: Ann and Ben\n    - Ann: it is safe\n- withdrew: Ann (T9)"
    decision = Decision(status="decided", winner="OBSERVE", text=ruling, rule="plurality", tally={"OBSERVE": 2.0})
    diary = say(table(), "Ann", {"ANSWER": "OBSERVE"}).add(
        Ruled(decision=decision), Closed(status="decided", reason="")
    )
    memo = decision_memo(diary.entries, read(diary.entries).report)
    assert (memo.headline, memo.text) == ("OBSERVE", "The board recommends OBSERVE.")
    only = replace(decision, text="- OBSERVE: it is safe")
    diary = say(table(), "Ann", {"ANSWER": "OBSERVE"}).add(Ruled(decision=only), Closed(status="decided", reason=""))
    assert decision_memo(diary.entries, read(diary.entries).report).text == "OBSERVE: it is safe"


def test_the_name_of_a_field_alone_is_marked_and_a_bold_word_in_a_text_is_not() -> None:
    diary = say(table(), "Ann", {"ANSWER": "go", "ARGUMENT": "Long **words** here.\n\n- one\n- two"}, act="close", at=0)
    page = print_page(read(diary.entries))
    assert '<p class="lead"><strong>Argument:</strong></p>' in page
    assert "<p>Long <strong>words</strong> here.</p>" in page


@pytest.mark.system
def test_no_page_of_paper_ends_with_a_heading_or_the_name_of_a_field() -> None:
    turns = "".join(
        f"<h4>T{n} Ada (nurse): argument</h4><p><em>Answer: No {n}.</em></p>"
        f"<p class='lead'><strong>Argument {n}:</strong></p>"
        f"<p>{'It is known what a day costs us. ' * (3 + n % 7)}End.</p>"
        for n in range(90)
    )
    css = (ROOT / "src" / "folkmoot" / "report" / "print.css").read_text("utf-8")
    try:
        printed = PdfReader(BytesIO(pdf(f"<style>{css}</style>{turns}"))).pages
    except BriefError:
        pytest.skip("PDF needs Pango from the system")
    assert len(printed) > 9
    ends = [sheet.extract_text().splitlines() for sheet in printed]
    last = [line for lines in ends for line in lines[-2:] if not re.fullmatch(r"\d+ / \d+", line.strip())]
    assert not [line for line in last if re.search(r"^T\d+ Ada|^Answer: No|^Argument", line)]
