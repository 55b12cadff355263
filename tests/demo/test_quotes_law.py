"""Whatever the documents, the topic and the personas say: it never breaks, and it quotes word for word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.ask import Field, Form
from folkmoot.core.brief import Brief, Participant, Source, View
from folkmoot.demo.debater import DemoDebater
from folkmoot.phases.speak import ISSUES, SETTLEMENT, draft, revision
from tests.kits.clock import within
from tests.report.quoting import Room

TOKENS = (
    'the a build depot risk loss fell grew cost no never than not. Yes. Why? "so" “so” «so» “ " „ 5 ft. Dr. e.g. U.S. '
    "1. (a) … … 。 深 ANSWER: buy STATUS: <think> </think> <!-- --> ``` > | --- # - * ** __ ~~ [x] [s] &lt; {} "
    "I vote for: Proposal A (doc1.md:3) \\ \u200b \u2028 \x07 \ud800 İ ß ﬁ `code` <ARGUMENT> NaN http://x.y/z ' ’s it's"
)
WORDS = st.sampled_from(TOKENS.split(" "))
ROWS = st.one_of(st.lists(WORDS, max_size=12).map(" ".join), st.text(max_size=60))
TEXTS = st.lists(ROWS, max_size=12).map("\n".join)
PROSE = st.lists(WORDS, min_size=1, max_size=20).map(" ".join)
DOCUMENTS = st.one_of(TEXTS, st.lists(PROSE, max_size=8).map(". ".join))
NAMES = st.text(alphabet="abcXYZ 09-_.é", min_size=1, max_size=8).filter(str.strip)
BALLOT = Form(
    name="ballot",
    layout="line",
    fields=(Field(name="I vote for", kind="choice", choices=("Proposal A", "Proposal B"), abstain=True),),
)
TAGS = Form(
    name="tags",
    layout="tags",
    fields=(Field(name="ARGUMENT"), Field(name="Verdict"), Field(name="Points", kind="list")),
)
OBJECT = Form(name="object", layout="json", fields=TAGS.fields)


@st.composite
def briefs(draw: st.DrawFn) -> Brief:
    sources = [
        Source(
            name=draw(st.one_of(st.just(f"doc{n}.md"), NAMES)) + str(n),
            text=draw(DOCUMENTS),
            line=draw(st.integers(1, 9)),
        )
        for n in range(draw(st.integers(0, 3)))
    ]
    people = [
        Participant(name=name, role=draw(PROSE), persona=draw(TEXTS), duty="moderator" if name == "Mod" else "debater")
        for name in ("Ann", "Ben", "Mod")
    ]
    options = draw(st.sampled_from([(), ("yes", "no"), ("build", "rent", "no change")]))
    return Brief(topic=draw(TEXTS), background=tuple(sources), participants=tuple(people), options=options)


@given(briefs(), st.sampled_from([None, TAGS, OBJECT]), st.booleans())
async def test_every_quotation_stands_where_it_says(about: Brief, other: Form | None, hidden: bool) -> None:
    room, view = Room(about), View(anonymous=hidden)
    ann = await room.ask("Ann", "propose", other or draft(about.options), turns=())
    ben = await room.ask("Ben", "propose", draft(about.options), turns=())
    critique = await room.ask("Ben", "critique", ISSUES, about=(ann,), turns=(), view=view)
    await room.ask("Ann", "revise", other or revision(about.options), about=(ann, critique), turns=(), view=view)
    await room.ask("Ben", "revise", about=(ann, ben), turns=(), view=view)
    room.round = 2
    await room.ask("Ann", "argue", other)
    ballot = await room.ask("Ben", "vote", BALLOT, about=(ann, ben), turns=(), view=view)
    assert ballot.fields["I vote for"] in ("Proposal A", "Proposal B", "ABSTAIN")
    moderated = await room.ask("Mod", "moderate", SETTLEMENT)
    assert moderated.fields.get("STATUS") in ("SETTLED", "CONTINUE", None)
    again = Room(about, room.seat)
    assert (await again.ask("Ann", "propose", other or draft(about.options), turns=())).text == ann.text


@pytest.mark.parametrize(
    "text",
    [
        "." * 1,
        " ",
        "*",
        "#",
        "|",
        "-",
        "- ",
        "# a ",
        "> ",
        '"',
        "<",
        "a. ",
        "。",
        "(",
        "1. ",
        "No. ",
        "x\n",
        "    x\n\n",
        "| - ",
        "`",
    ],
    ids=repr,
)
async def test_long_monotonous_documents_are_read_in_linear_time(text: str) -> None:
    document = (text * 200_000)[:200_000] + "\nThe depot is built."
    about = Brief(
        topic="depot", background=(Source(name="d.md", text=document),), participants=(Participant(name="Ann"),)
    )
    with within(5):
        await Room(about, DemoDebater()).ask("Ann", "propose", draft(()))


async def test_a_question_is_quoted_after_a_statement() -> None:
    document = (
        "Does the new depot cost less than the old depot? The new depot costs less than the old depot every year."
    )
    about = Brief(
        topic="new depot cost",
        background=(Source(name="d.md", text=document),),
        participants=(Participant(name="Ann"),),
    )
    reply = await Room(about, DemoDebater()).ask("Ann", "propose", draft(()))
    assert reply.text.index("every year") < (reply.text + "Does the new").index("Does the new")
