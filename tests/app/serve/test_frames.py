"""Frames: what each entry becomes for a page, and what never reaches one."""

import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.app.run.api import debate
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve.frames import LONGEST, TAGS, Data, Frames, frames, lined_html, safe_html
from folkmoot.app.serve.view_model import most_rounds
from folkmoot.core.ask import Field, Form, Reply, Usage
from folkmoot.core.brief import HUMAN, Brief, Participant
from folkmoot.core.decision import Decision
from folkmoot.core.event import (
    Asked,
    Called,
    Closed,
    Delta,
    Entered,
    Entry,
    Erred,
    Failed,
    Halted,
    Interjected,
    Opened,
    Paused,
    Replied,
    Resumed,
    Ruled,
)
from folkmoot.core.unread import Unread
from tests.analysis.courses import ANN, BEN, PLAN, say, table
from tests.kits.thoroughness import some
from tests.paths import EXAMPLES
from tests.report.reports import Diary, ask

SECRET = "whisky in the desk"
WHISPER = Form(name="message", fields=(Field(name="Content"), Field(name="Thoughts", private=True)))


def turn(frame: Data) -> Data:
    return cast("Data", frame["turn"])


def sums(all_frames: list[Data]) -> Data:
    return cast("Data", [frame["sums"] for frame in all_frames if "sums" in frame][-1])


def test_a_turn_says_who_what_to_which_turn_and_whether_the_position_changed() -> None:
    diary = table(ANN, BEN)
    say(diary, "Ann", {"ANSWER": "move", "CONFIDENCE": 0.8, "CLAIM": "Full."}, text="The yard is **full**.")
    say(diary, "Ben", {"ANSWER": "stay", "CLAIM": f"**Empty**{' so far' * 20}.", "TARGET": "T1", "RELATION": "ATTACK"})
    say(diary, "Ann", {"ANSWER": "stay"}, at=2)
    shown = frames(diary.entries)
    first, second, third = (turn(frame) for frame in shown if frame["kind"] == "replied")
    assert (first["mark"], first["by"], first["round"], first["act"]) == ("T1", "Ann", 1, "argument")
    assert first["html"] == "<p>The yard is <strong>full</strong>.</p>\n"
    assert first["position"] == {"answer": "move", "confidence": 0.8, "changed": False}
    assert second["link"] == {"target": "T1", "by": "Ann", "relation": "ATTACK"}
    assert first["link"] is None
    assert third["position"] == {"answer": "stay", "confidence": None, "changed": True}
    assert ["Claim", f"Empty{' so far' * 20}."] in cast("list[list[str]]", second["facts"])


def test_lines_that_are_nothing_but_a_field_are_told_as_facts_once() -> None:
    fields = {"ON_TOPIC": True, "NOTE": "Be kind", "SCORE": 3}
    text = "I looked at all 30 yesterday.\n\nON_TOPIC: YES\n**Score:** 3\nI would add: be kind\nto the others."
    diary = table(ANN)
    put = ask("/debate/gauge#1", "Ann", "gauge")
    diary.add(Asked(ask=put), Replied(key=put.key, reply=Reply(text=text, fields=fields)))
    shown = turn(frames(diary.entries)[-1])
    assert shown["text"] == "I looked at all 30 yesterday.\n\nI would add: be kind\nto the others."
    assert shown["facts"] == [["On topic", "yes"], ["Note", "Be kind"], ["Score", "3"]]
    assert "ON_TOPIC" not in cast("str", shown["html"])


def test_a_long_field_and_every_argument_come_as_safe_html_and_a_question_with_its_labels() -> None:
    diary = table(ANN)
    form = Form(name="stand", fields=(Field(name="ANSWER"), Field(name="ARGUMENT"), Field(name="OPEN_POINTS")))
    put = replace(ask("/debate/draft#1", "Ann", "draft"), form=form)
    fields = {"ANSWER": "stay", "ARGUMENT": "It is **full**.", "OPEN_POINTS": "- one\n- <b>two</b>"}
    text = "ANSWER: stay\nARGUMENT: It is **full**.\nOPEN_POINTS:\n- one\n- <b>two</b>"
    diary.add(Asked(ask=put), Replied(key=put.key, reply=Reply(text=text, fields=fields)))
    question, replied = frames(diary.entries)[-2:]
    assert question["labels"] == [["ANSWER", "Answer"], ["ARGUMENT", "Argument"], ["OPEN_POINTS", "Open points"]]
    assert turn(replied)["facts"] == [["Answer", "stay"]]
    argument, points = cast("list[dict[str, str]]", turn(replied)["long"])
    assert argument == {"name": "Argument", "html": "<p>It is <strong>full</strong>.</p>\n"}
    assert points["name"] == "Open points"
    assert "<li>one</li>" in points["html"]
    assert "<b>" not in points["html"]


def test_a_decision_brings_the_best_argument_for_it_and_a_tie_brings_none() -> None:
    diary = table(ANN)
    decided = Decision(status="decided", winner="stay", text="stay", argument="It is **full**.")
    diary.add(Ruled(decision=decided), Ruled(decision=replace(decided, status="tie", winner="")))
    won, tied = (cast("Data", frame["decision"])["why"] for frame in frames(diary.entries)[-2:])
    assert won == {"html": "<p>It is <strong>full</strong>.</p>\n"}
    assert tied == {"html": ""}


def test_every_kind_of_entry_has_its_frame() -> None:
    diary = table(ANN, BEN)
    put = ask("/debate/rounds/round-2/argue#1", "Ann", "argue")
    used = Usage(input_tokens=10, output_tokens=5, cost=0.25)
    diary.add(
        Entered(path="/debate/rounds/round-2"),
        Asked(ask=put),
        Erred(key=put.key, call="answer", n=1, kind="timeout", reason="too slow"),
        Called(key=put.key, call="answer", text="So", model="tool:search", usage=used, sources=("http://a.example",)),
        Failed(key=put.key, kind="refused", reason="no"),
        Interjected(by="Owner", text="# Mind\nthe roof"),
        Halted(path="/debate/rounds", reason="enough"),
        Paused(reason="asked to", kind=""),
        Resumed(by="owner"),
        Closed(status="no_decision", reason="nobody"),
    )
    by_kind = {cast("str", frame["kind"]): frame for frame in frames(diary.entries)}
    assert by_kind["entered"]["round"] == 2
    assert by_kind["asked"]["by"] == "Ann"
    assert by_kind["asked"]["human"] is False
    assert by_kind["erred"]["error"] == "timeout"
    assert (by_kind["called"]["tool"], by_kind["called"]["sources"]) == ("search", ["http://a.example"])
    assert (by_kind["failed"]["error"], by_kind["failed"]["mark"]) == ("refused", "T1")
    assert turn(by_kind["interjected"])["outside"] is True
    assert turn(by_kind["interjected"])["html"] == "<h3>Mind</h3>\n<p>the roof</p>\n"
    assert by_kind["halted"]["reason"] == "enough"
    assert by_kind["paused"]["status"] == "stopped"
    assert by_kind["resumed"]["by"] == "owner"
    assert by_kind["closed"]["status"] == "no_decision"
    assert sums(list(by_kind.values())) == {
        "asked": 1,
        "done": 1,
        "missing": 1,
        "calls": 0,
        "tokens_in": 10,
        "tokens_out": 5,
        "cost": 0.25,
        "estimated": False,
    }


def test_an_unknown_cost_stays_unknown() -> None:
    diary = table(ANN)
    put = ask("/debate/draft#1", "Ann", "draft")
    diary.add(Asked(ask=put))
    for n, cost in enumerate((0.5, None, 0.5)):
        diary.add(Called(key=put.key, call=f"answer-{n}", text="x", usage=Usage(cost=cost)))
    diary.add(Replied(key=put.key, reply=Reply(text="x")))
    shown = frames(diary.entries)
    assert turn(shown[-1])["cost"] is None
    assert sums(shown)["cost"] is None


def test_what_is_private_reaches_no_page_where_a_person_sits() -> None:
    person = Participant(name="Cid", seat=HUMAN)
    brief = Brief(topic="Move?", participants=(ANN, person))
    put = ask("/debate/talk#1", "Ann", "message", form=WHISPER)
    reply = Reply(text=f"Content: Hello\nThoughts: {SECRET}", fields={"Content": "Hello", "Thoughts": SECRET})
    entries = Diary().add(Opened(brief=brief, protocol={}), Asked(ask=put), Replied(key=put.key, reply=reply)).entries
    view = Frames()
    shown = [view.frame(entry) for entry in entries]
    assert SECRET not in json.dumps(shown)
    assert turn(shown[-1])["cut"] is True
    assert "Hello" in cast("str", turn(shown[-1])["html"])
    assert view.piece(Delta(key=put.key, text=SECRET)) is None


@pytest.mark.parametrize(("reader", "readable"), [(None, True), ("", False), ("Ben", False), ("Ann", True)])
def test_who_came_by_a_link_reads_what_an_outsider_may(reader: str | None, readable: bool) -> None:
    put = [ask(f"/debate/talk#{n}", "Ann", "message", form=WHISPER) for n in (1, 2)]
    fields = {"Content": "Hello", "Thoughts": SECRET}
    read = Reply(text=f"Content: Hello\nThoughts: {SECRET}", fields=fields)
    lost = Reply(text=f"I think {SECRET}", unread=(Unread("Thoughts", "empty", SECRET),))
    diary = table(ANN, BEN).add(Asked(ask=put[0]), Replied(key=put[0].key, reply=read))
    diary.add(Asked(ask=put[1]), Replied(key=put[1].key, reply=lost))
    view = Frames(reader=reader)
    shown = [view.frame(entry) for entry in diary.entries]
    first, second = (turn(frame) for frame in shown if frame["kind"] == "replied")
    assert (SECRET in json.dumps(first), SECRET in json.dumps(second)) == (readable, readable)
    assert (first["cut"], second["cut"]) == (not readable, not readable)
    assert "Hello" in cast("str", first["text"])


def test_a_round_of_another_order_is_none() -> None:
    view = Frames()
    for path, number in (("/debate/round-3", 3), ("/debate/round-x", 0), ("/debate/round-²", 0), ("/debate/x-3", 0)):
        entry = Entry(seq=1, at=0.0, event=Entered(path=path))
        assert view.frame(entry)["round"] == number


def test_pieces_are_told_where_nothing_is_private() -> None:
    view = Frames()
    put = ask("/debate/draft#1", "Ann", "draft")
    for entry in table(ANN).add(Asked(ask=put)).entries:
        view.frame(entry)
    assert view.piece(Delta(key=put.key, text="Wel")) == {"kind": "delta", "key": put.key, "text": "Wel"}


def test_the_most_rounds_of_a_tree() -> None:
    assert most_rounds({"is": "Sequence", "parts": [{"is": "Vote"}, {"is": "Rounds", "most": 4}]}) == 4
    assert most_rounds({"is": "Rounds"}) == 3


BRIEFS = sorted(path for path in EXAMPLES.glob("*.md") if path.name != "README.md")


@pytest.mark.parametrize("path", some(BRIEFS, 4), ids=lambda path: path.stem)
async def test_every_example_has_frames_that_are_json_and_sum_up_like_its_record(path: Path, tmp_path: Path) -> None:
    store = tmp_path / "folkmoot.db"
    came = await debate(path, model="builtin:quotes", store=store, participants="builtin")
    workspace = Workspace.at(store)
    entries = await workspace.entries(came.debate)
    await workspace.close()
    shown = frames(entries)
    assert [frame["seq"] for frame in shown] == [entry.seq for entry in entries]
    text = json.dumps(shown, allow_nan=False)
    assert json.dumps(json.loads(text)) == text
    turns = [turn for turn in came.transcript.all() if turn.ask]
    assert sums(shown)["asked"] == len(turns)
    assert sums(shown)["tokens_out"] == came.usage.output_tokens
    ends = [frame for frame in shown if frame["name"] == "debate_end"]
    assert len(ends) == (came.status != "paused")
    ruled = [event for event in (entry.event for entry in entries) if isinstance(event, Ruled)]
    texts = [cast("Data", frame["decision"])["text"] for frame in shown if frame["kind"] == "ruled"]
    assert texts == [event.decision.text for event in ruled]


# ---- safe HTML ------------------------------------------------------------------------------------------------------

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](http://evil.example/?d=1)",
    "![x][1]\n\n[1]: http://evil.example/",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html;base64,AAAA)",
    "[x](vbscript:x)",
    "<javascript:alert(1)>",
    "[x](//evil.example)",
    '[x](http://a.example "onmouseover=alert(1)")',
    "<svg/onload=alert(1)>",
    "<math><mi//xlink:href='data:x'>",
    "`<script>`",
    "```html\n<script>alert(1)</script>\n```",
    "<a href='javascript:alert(1)'>x</a>",
    "<style>@import 'http://evil.example'</style>",
    "<meta http-equiv=refresh content='0;url=http://evil.example'>",
    "<iframe src=http://evil.example></iframe>",
    "<form action=http://evil.example><input></form>",
)


class Tags(HTMLParser):
    """The tags and attributes of a page, as a browser's parser would find them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_markdown_becomes_words(text: str) -> None:
    tags = Tags(safe_html(text))
    assert not set(tags.names) - TAGS
    assert {name for name, _ in tags.attributes} <= {"href", "title", "rel"}
    assert all(
        value.startswith(("http://", "https://", "mailto:")) for name, value in tags.attributes if name == "href"
    )


def test_a_link_shows_where_it_goes() -> None:
    html = safe_html("[bank](https://evil.example/x)")
    assert 'title="https://evil.example/x"' in html
    assert 'rel="noopener noreferrer nofollow"' in html


LINK = '<a href="?tab=brief&amp;of=memo.md&amp;line=27" rel="noopener noreferrer nofollow">{}</a>'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("It pays (memo.md, line 27).", f"It pays ({LINK.format('memo.md, line 27')})."),
        ("It pays (memo.md:27).", f"It pays ({LINK.format('memo.md:27')})."),
        ("**It (memo.md, line 27)**", f"<strong>It ({LINK.format('memo.md, line 27')})</strong>"),
        ("`x` (memo.md:27)", f"<code>x</code> ({LINK.format('memo.md:27')})"),
        ("(other.md, line 27) (memo.md) (memo.md, line x)", "(other.md, line 27) (memo.md) (memo.md, line x)"),
        ("(memoxmd, line 27)", "(memoxmd, line 27)"),
        ("`(memo.md, line 27)`", "<code>(memo.md, line 27)</code>"),
    ],
)
def test_a_citation_is_a_link_to_its_line_of_the_brief(text: str, html: str) -> None:
    assert safe_html(text, ("memo.md",)) == f"<p>{html}</p>\n"
    assert "<a" not in safe_html(text)


def test_what_is_a_link_already_and_odd_names_make_no_other_tags() -> None:
    assert safe_html("[see (memo.md:27)](https://x.example)", ("memo.md",)).count("<a ") == 1
    name = 'a"><b onclick=x> (1)'
    odd = safe_html(f"Yes ({name}, line 3)", (name,))
    assert Tags(odd).names == ["p", "a"]
    assert "line=3" in odd


@given(st.text(alphabet='ab()"<&>:, line0123\n*`[]', max_size=60), st.text(alphabet='ab()"<&> ', max_size=12))
def test_citations_make_nothing_but_links_into_the_page(text: str, name: str) -> None:
    html = safe_html(f"{text} ({name}, line 3)", (name,))
    assert not set(Tags(html).names) - TAGS
    assert html.count("<a ") == html.count('<a href="?tab=brief&amp;of=')


def test_each_block_of_a_document_has_its_line() -> None:
    html = lined_html("# Head\n\nOne\ntwo.\n\n- a\n- b\n\n| x |\n| - |\n| y |\n", 5)
    assert '<h3 data-line="5">' in html
    assert '<p data-line="7">' in html
    assert '<li data-line="11">' in html
    assert '<tr data-line="15">' in html
    assert lined_html(" ", 5) == ""


@pytest.mark.parametrize("links", [True, False])
def test_citations_are_links_where_the_page_shows_the_brief(links: bool) -> None:
    diary = table(ANN, BEN)
    say(diary, "Ann", {}, text=f"Tea is calm ({PLAN.name}, line 1).")
    page = Frames(links=links)
    turns = [frame for frame in map(page.frame, diary.entries) if frame["kind"] == "replied"]
    assert ("?tab=brief" in json.dumps(turns)) == links


def test_headings_stand_under_those_of_the_page() -> None:
    assert safe_html("# A\n\n##### B") == "<h3>A</h3>\n<h6>B</h6>\n"


def test_a_text_is_the_same_html_again_whether_it_is_remembered_or_not() -> None:
    short, long = "**Tea** is calm.", "**Tea** is calm. " * 500
    assert safe_html(short) == safe_html(short) == "<p><strong>Tea</strong> is calm.</p>\n"
    assert safe_html(long) == safe_html(long)
    assert safe_html(long).count("<strong>") == 500


def test_tables_lists_and_lines_are_kept() -> None:
    html = safe_html("3. a\n4. b\n\none\ntwo\n\n| x |\n| - |\n| ~~y~~ |")
    assert '<ol start="3">' in html
    assert "one<br>" in html
    assert "<td><s>y</s></td>" in html


def test_nothing_stays_nothing_and_much_is_cut() -> None:
    assert safe_html(" \n") == ""
    assert "10 more characters are in the record" in safe_html("x" * (LONGEST + 10))


@given(st.text(alphabet=st.sampled_from(list("<>![]()\"'`*_#|:/ \nabjsx&;=-")), max_size=200))
def test_no_markdown_makes_anything_but_the_listed_tags(text: str) -> None:
    assert not set(Tags(safe_html(text)).names) - TAGS


@pytest.mark.parametrize("address", ["http://[", "http:x", "mailto:a@b.example"])
def test_odd_addresses(address: str) -> None:
    assert ("href" in safe_html(f"[x]({address})")) == address.startswith("mailto")


def test_entries_of_another_order_are_refused_by_the_fold() -> None:
    entry = Entry(seq=1, at=0.0, event=Replied(key="/x#1", reply=Reply(text="x")))
    with pytest.raises(Exception, match="never asked"):
        Frames().frame(entry)
