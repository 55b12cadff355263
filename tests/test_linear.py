"""Every reader and every renderer takes time that grows with the length of a text, and no faster.

Models that fall into a loop repeat one sign until their answer is cut off, and so does whoever wants a server to stand
still. So each reader gets runs of each sign: alone, behind what it reads, and before it. A run of four times the length
may take four times as long; where time grows with the square, it takes sixteen times as long.
"""

import json
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias

import pytest

from benchmarks.frames.recorded_frames import without_ids
from folkmoot.agents.prompt import frame
from folkmoot.agents.toolkit import read_arguments
from folkmoot.analysis.analysis import analyse
from folkmoot.analysis.formal_claims import NotFormal, read_script, stated
from folkmoot.analysis.grounds import statements
from folkmoot.answers.layout import read
from folkmoot.answers.manual_form import read_manual_answer
from folkmoot.answers.schemas.schema_answer import read_schema_answer
from folkmoot.app.endpoint.chat_brief import chat_brief, is_small_task
from folkmoot.app.endpoint.chat_request import read_chat
from folkmoot.app.endpoint.conversation import read_conversation
from folkmoot.app.evaluation.quantities import normal_text, read_quantity
from folkmoot.app.export.report_formats import SERVED
from folkmoot.app.export.reports import ReadRecord, make_report, write_log
from folkmoot.app.imports.imported_record import plan_of, played, read_conversations
from folkmoot.app.serve.frames import frames, lined_html, safe_html
from folkmoot.app.serve.prompt_view import prompt_view
from folkmoot.arguments.argument_map import short_claim
from folkmoot.arguments.positions import quotations
from folkmoot.arguments.tree import escape_mermaid
from folkmoot.core.brief import LOGS, Brief, Source
from folkmoot.core.decision import Ballot, Decision, Minority
from folkmoot.core.errors import FolkmootError
from folkmoot.core.event import Closed, Entry, Opened, Ruled
from folkmoot.core.repetition import LOOKED_AT
from folkmoot.core.text import (
    PieceCleaner,
    clean,
    closest,
    contains_words,
    hidden,
    hide,
    isolated,
    leaves_folder,
    sentences,
    slug,
    terms,
)
from folkmoot.core.transcript import normalise
from folkmoot.models.names import parse as read_model_name
from folkmoot.models.provider_errors import ToldError, provider_words
from folkmoot.models.stream import AnswerStream, repair_surrogates
from folkmoot.models.wires.events import Events
from folkmoot.phases.ranked_vote import ranking_form
from folkmoot.protocols.measured.findings import CHECKING, REPORTING
from folkmoot.reading import read_brief, read_message, read_ruling, read_scores, read_vote
from folkmoot.report.logs import questions
from folkmoot.report.markdown_text import block, code, inline, without_markdown
from folkmoot.reviews.artefact import Artefact, whole_file
from folkmoot.reviews.citations import check, read_place
from folkmoot.reviews.diff_reader import files_of, read_diff
from folkmoot.testing.conformance import Journal
from folkmoot.tools.documents import cut
from folkmoot.tools.html_text import read_html
from tests.answers.answer_forms import ballot, draft
from tests.kits.clock import MOST_GROWTH, growth
from tests.kits.thoroughness import some
from tests.report.reports import Diary, ask, person

Reader: TypeAlias = Callable[[str], object]
Readers: TypeAlias = Mapping[str, tuple[Reader, str]]

# ---- what is repeated ------------------------------------------------------------------------------------------------

SIGNS = "`…?？.!。，、,:;-–#|*_~[](){}<>'\"“/\\=+$&@^%•1aé我\u0301\u200d\n"
UNITS = (
    *SIGNS,
    *(
        "{}",
        "[]",
        "()",
        "[[],",
        '{"a":',
        "](",
        "![",
        "<a ",
        "</",
        "<!--",
        "&lt;",
        "<think>",
        "</think>",
        "**a** ",
        "`a` ",
    ),
    *(
        "1. ",
        "- ",
        "> ",
        "* ",
        "# ",
        "| a ",
        " ",
        "\t",
        " \n",
        "\n\n",
        "a ",
        "a\n",
        ". ",
        "a: ",
        "not ",
        "```\n",
        "我们应该",
    ),
    b64encode(bytes(range(256))).decode().replace("=", "4"),
    "0123456789abcdef",
    "1234567890",
)
"""What runs are made of: each sign alone, then what Markdown, forms and lists consist of, and words without a blank."""

LOOPS = ("…", "?", "`", "_", "a", " ", "1. ", "我们应该", "0123456789abcdef")
"""The runs among them that are always tried: what small models write that have fallen into a loop."""

WORDS = (
    *(
        "I vote for: Ada\n",
        "I vote for: ",
        "my ballot: ",
        "에게 투표합니다",
        "Adaに投票します。",
        "I abstain. ",
        "B, ",
        "or B. ",
    ),
    *(
        "Rather B.\n",
        "make it ",
        "if ",
        "is void ",
        "my vote ",
        "withdraw ",
        "wait ",
        "Example:\n",
        "[Bear]:\n",
        "²",
        "e\u0301",
    ),
    *(
        '{"scores":{"Ada":1}}',
        '{"scores": ',
        "    STATUS: SETTLED\n",
        "STATUS: SETTLED\n",
        "**STATUS",
        "CONFIDENCE: 0.5\n",
        "status ",
    ),
    *(
        "<Verdict>",
        "<|channel|>a<|message|>",
        "<think>a</think>",
        "| a | b |\n",
        "~~~\n",
        "> \n",
        "---\n",
        "\u3000\n",
        "\r\n",
        "&amp;",
    ),
)
"""What answers say again and again."""


def texts_of(form: str) -> tuple[Callable[[str], str], ...]:
    """Where a run stands: alone, before and behind what is read, and with a letter behind it."""
    if not form:
        return str, lambda run: f"{run}x"
    return (
        str,
        lambda run: run + form,
        lambda run: f"{run}\n{form}",
        lambda run: form + run,
        lambda run: f"{form}{run}x",
    )


# ---- who reads -------------------------------------------------------------------------------------------------------

NAMES = ("Ada", "Ben", "Cleo")
BALLOT, SCORES = "I vote for: Ada", '{"scores": {"Ada": 7, "Ben": 4}}'
RULING = "SUMMARY: All is said.\nSTATUS: SETTLED\nDECISION: Buy the system. "
MESSAGE = "<Message><Verdict>HIRE</Verdict><Content>Take Kim.</Content></Message>"
DRAFT = "ANSWER: Move.\nCONFIDENCE: 0.8\nARGUMENT: The yard is full. "
DIFF = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\n"
BRIEF = "---\nrounds: 2\n---\n# Tea or coffee?\n\n## Ada\n\nLikes tea. "
FINDING = "FINDING:\nFILE: a.py\nLINES: 1\nQUOTE: b\nCLAIM: It is wrong. "
SCHEMA = json.dumps({"type": "object", "properties": {"a": {"type": "string"}}})
FILES = Artefact(files=(whole_file("a.py", "b\n" * 20),), facts={})


def stream(text: str) -> None:
    heard = AnswerStream(read_model_name("compatible:m"), Journal())
    for sign in text:
        heard.hear(sign)
        if heard.repeats:  # whoever reads a stream reads no further then
            return


def clean_pieces(text: str) -> None:
    cleaner = PieceCleaner()
    for sign in text:
        cleaner.take(sign)


def events(text: str) -> None:
    reading = Events("compatible")
    for sign in text:
        reading.feed(sign.encode("utf-8", "replace"))
    reading.close()


def one_file(text: str) -> Artefact:
    return Artefact(files=(whole_file("a.py", text),), facts={})


def chat(text: str, *, role: str = "user") -> None:
    messages = [{"role": "system", "content": "Be short."}, {"role": role, "content": text}]
    request = read_chat({"model": "folkmoot", "messages": [*messages, {"role": "user", "content": f"And? {text}"}]})
    chat_brief(request)
    is_small_task(request)


def conversation(text: str) -> None:
    read_conversation(json.dumps([{"role": "user", "content": text}]).encode(), "a.json", "", {})


def imported(text: str, name: str = "a.md") -> None:
    for item in read_conversations(text.encode("utf-8", "replace"), name):
        list(played(plan_of(item), item))


def open_webui(text: str) -> None:
    """An export in which two models answer each of many questions, and each answer has a name of its own."""
    number = len(text) // 8
    answers = [
        (f"{n}{end}", {"role": "assistant", "content": text[:9], "parentId": f"q{n}", "model": f"{text[:9]}{n}{end}"})
        for n in range(number)
        for end in "ab"
    ]
    questions = [(f"q{n}", {"role": "user", "content": "So?", "parentId": f"{n - 1}a"}) for n in range(number)]
    history = {"currentId": f"{number - 1}a", "messages": dict([*answers, *questions])}
    imported(json.dumps([{"chat": {"models": ["a", "b"], "history": history}}]), "a.json")


ANSWERS: Readers = {
    "vote": (lambda text: read_vote(text, NAMES, strict=True), BALLOT),
    "strict vote": (lambda text: read_vote(text, NAMES, strict=True), BALLOT),
    "vote of a proposal": (lambda text: read_vote(text, NAMES, proposals={"Ada": ("Move. " + text[:3000],)}), BALLOT),
    "ruling": (read_ruling, RULING),
    "ruling on a matter": (lambda text: read_ruling(text + "\n" + RULING), RULING),
    "message": (lambda text: read_message(text, verdicts=("HIRE", "NO_HIRE"), speaker="Ada", members=NAMES), MESSAGE),
    "scores": (lambda text: read_scores(text, NAMES[:2]), SCORES),
    "draft": (lambda text: read(draft(), text, speaker="Ada"), DRAFT),
    "draft of a person": (lambda text: read_manual_answer(draft(), text), DRAFT),
    "ballot of a person": (lambda text: read_manual_answer(ballot(NAMES), text), BALLOT),
    "ranking": (lambda text: read(ranking_form(3), text), "RANKING: A > B > C"),
    "findings": (lambda text: read(REPORTING, text), FINDING),
    "check": (lambda text: read(CHECKING, text), "CHECK:\nVERDICT: CONFIRMED\nREASON: So. "),
    "words": (lambda text: read(None, text, speaker="Ada"), "I say so. "),
    "schema": (lambda text: read_schema_answer(SCHEMA, text), '{"a": "b"}'),
}
"""Who reads answers, and what it reads."""

TEXTS: Readers = {
    "markdown: in a line": (inline, "a **b**"),
    "markdown: shortened": (lambda text: inline(text, 80), "a **b**"),
    "markdown: code": (code, "a `b`"),
    "markdown: block": (block, "a **b** `c`"),
    "markdown: without": (without_markdown, "a **b** `c`"),
    "claim": (short_claim, "a **b** `c`"),
    "page": (lambda text: read_html(text.encode("utf-8", "replace")), "<p>a</p>"),
    "mermaid": (escape_mermaid, "a"),
    "frame of a prompt": (frame, "a"),
    "brief": (read_brief, BRIEF),
    "extracts": (lambda text: cut([Source(name="a.md", text=text)]), "# A\n\nWords. "),
    "diff": (lambda text: files_of(read_diff(text)), DIFF),
    "citation": (lambda text: check(FILES, "a.py", text, text), "1-2"),
    "shortened citation": (lambda text: check(one_file(text), "a.py", "1", f"{text} ... {text} ... gone"), "a = b; "),
    "pieces of a citation": (
        lambda text: check(one_file("a b " * (len(text) // 4)), "a.py", "1", text),
        "a ... b ... ",
    ),
    "place": (read_place, "a.py:1-2"),
    "quotations": (
        lambda text: list(quotations(text, {"a": "The yard is full. " + text})),
        'He says "the yard is full".',
    ),
    "likeness": (normalise, "Move."),
    "statements": (statements, "The yard is full. "),
    "stated claims": (lambda text: list(stated(text)), "```smt2\n(x)\n```\n"),
    "script of a claim": (read_script, "(assert (= 1 1))"),
    "quantity": (read_quantity, "1,200 EUR"),
    "normal text": (normal_text, "1,200 EUR"),
    "chat": (chat, "Create a concise title for this chat: "),
    "task of a chat": (chat, "### Task:\nGenerate tags for the chat history "),
    "conversation": (conversation, "Hello. "),
    "import": (imported, "**Ada:** a\n\n**Ben:** b\n\n**Ada:** c\n\n**Ben:** d\n\n"),
    "import of names": (imported, "Ada: a\nBen: b\nAda: c\nBen: d\n"),
    "import of headings": (imported, "## Ada\na\n## Ben\nb\n## Ada\nc\n## Ben\nd\n"),
    "import of JSON": (lambda text: imported(json.dumps([{"role": "user", "content": text}]), "a.json"), "Hello. "),
    "error": (lambda text: provider_words(ToldError.read(text).words), '{"error": {"message": "no"}}'),
    "page of an error": (provider_words, "<html><body>no"),
    "arguments": (read_arguments, '{"a": 1}'),
    "name of a model": (read_model_name, "ollama:a"),
    "body without ids": (lambda text: without_ids(text, None), '"id": "a"'),
    "surrogates": (repair_surrogates, "a"),
    "clean": (clean, "a"),
    "hide": (hide, "api_key = sk-abcdefghijklmnop"),
    "hidden": (hidden, "a"),
    "isolated": (isolated, "a"),
    "sentences": (lambda text: list(sentences(text)), "A sentence. "),
    "terms": (terms, "a"),
    "closest": (lambda text: closest(text, ("rounds", "options")), "round"),
    "slug": (lambda text: slug(text, 40), "a"),
    "path": (leaves_folder, "../a"),
}
"""Who reads or writes other texts."""

COSTLY: Readers = {
    "import of a tree": (open_webui, "Hello. "),
    "html": (safe_html, "a **b** `c`"),
    "html with citations": (lambda text: safe_html(text, ("memo.md",)), "So (memo.md, line 2)"),
    "html with lines": (lambda text: lined_html(text, 1), "a **b** `c`"),
    "stream": (stream, "<think>a</think>"),
    "events": (events, "data: {}\n\n"),
    "pieces": (clean_pieces, "a"),
    "quote": (lambda text: contains_words(text, f"a {text} b"), "a"),
}
"""Those that do more for each character."""


def record(words: str) -> list[Entry]:
    """A debate in which everything that somebody can say is these words."""
    brief = Brief(
        topic=f"Move? {words[:200]}",
        participants=(person("Ada", words[:60]), person("Ben"), person("Cleo")),
        background=(Source(name="plan.md", text=words),),
    )
    diary = Diary().add(Opened(brief=brief, protocol={}, name="panel"))
    for n, name in enumerate(NAMES, start=1):
        fields = {"ANSWER": name, "CLAIM": words, "ARGUMENT": words, "TARGET": f"T{n - 1 or 1}", "RELATION": "ATTACK"}
        diary.say(ask(f"/debate/rounds/round-1/argue#{n}", name, "argue"), f"ARGUMENT: {words}", fields, model="a:b")
    diary.say(ask("/debate/rounds/round-1/argue#4", "Ada", "argue"), words, model="a:b")
    for n, name in enumerate(NAMES, start=1):
        choice = NAMES[n // 3]
        diary.say(ask(f"/debate/vote#{n}", name, "vote", form=ballot(NAMES)), words, {"I vote for": choice})
    decision = Decision(
        status="decided",
        winner="Ada",
        text=words,
        rule="plurality",
        share=2 / 3,
        support=("Ada", "Ben"),
        argument=words,
        tally={"Ada": 2.0, "Ben": 1.0},
        ballots=tuple(Ballot(voter=name, choice=NAMES[n // 2], reason=words) for n, name in enumerate(NAMES)),
        minority=(Minority(answer="Ben", by=("Cleo",), share=1 / 3, argument=words),),
    )
    return diary.add(Ruled(decision=decision), Closed(status="decided", reason="so")).entries


def made(make: Callable[[ReadRecord], object]) -> Reader:
    """What makes a text of a record, as a reader of the words in it."""
    return lambda words: make(make_report(record(words), debate="d1", where="", last=""))


PAGES: Readers = {
    **{name: (made(form.make), "") for name, form in SERVED.items() if not form.binary},
    **{mode: (made(lambda kept, mode=mode: write_log(kept, mode)), "") for mode in LOGS},
    "every question": (made(lambda kept: questions(kept.report, kept.entries)), ""),
    "frames": (lambda words: frames(record(words)), ""),
    "prompt": (lambda words: prompt_view(record(words), "/debate/vote#3"), ""),
    "analysis": (lambda words: analyse(record(words), debate="d1"), ""),
}
"""Who makes texts of a whole record."""


# ---- how long it takes -----------------------------------------------------------------------------------------------


def tried(reader: Reader, text: str) -> None:
    """Read a text; one that is refused has been read too."""
    with suppress(FolkmootError, NotFormal):
        reader(text)


def slow_runs(readers: Readers, name: str, units: Sequence[str], *, size: int, step: int) -> list[str]:
    """The runs that a reader takes too long for.

    Args:
        readers: the table that has it.
        name: its name there; where not all runs are tried, it chooses which.
        units: what the runs are made of.
        size: the characters of the shorter run.
        step: one of so many runs is tried beside ``LOOPS``; in ``make test-all`` four times as many.
    """
    reader, form = readers[name]
    cases = [(unit, text) for unit in units for text in texts_of(form)]
    start = sum(map(ord, name)) % len(cases)
    always = [(unit, texts_of(form)[-1]) for unit in LOOPS]
    slow: list[str] = []
    for unit, text in [*always, *some((cases[start:] + cases[:start])[:: step // 4], 4)]:

        def work(length: int, unit: str = unit, text: Callable[[str], str] = text) -> None:
            tried(reader, text((unit * length)[:length]))

        grown = growth(work, size)
        if grown > MOST_GROWTH:
            slow.append(f"{text('…')!r} with {unit!r} for the dots: {grown:.1f} times")
    return slow


@pytest.mark.parametrize("name", ANSWERS)
def test_each_reader_of_answers_is_linear(name: str) -> None:
    assert not slow_runs(ANSWERS, name, UNITS + WORDS, size=2_000, step=64)


@pytest.mark.parametrize("name", TEXTS)
def test_each_reader_of_texts_is_linear(name: str) -> None:
    assert not slow_runs(TEXTS, name, UNITS, size=2_000, step=4)


@pytest.mark.parametrize("name", COSTLY)
def test_each_costly_reader_is_linear(name: str) -> None:
    size = 3 * LOOKED_AT if name == "stream" else 2_000  # below, each character makes what is looked at longer
    assert not slow_runs(COSTLY, name, UNITS, size=size, step=24)


@pytest.mark.parametrize("name", PAGES)
def test_each_page_of_a_record_is_linear(name: str) -> None:
    assert not slow_runs(PAGES, name, UNITS, size=900, step=24)  # longer texts than 4,000 characters are not kept
