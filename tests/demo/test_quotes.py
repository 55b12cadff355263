"""The built-in debater says what the documents say, on every occasion and in every form."""

import asyncio
import os
import subprocess
import sys

import pytest

from folkmoot.core.agent import Context
from folkmoot.core.ask import ABSTAIN, Ask, Field, Form
from folkmoot.core.brief import Brief, Participant, Source, View
from folkmoot.core.transcript import Turn
from folkmoot.demo.debater import KEEP, DemoDebater
from folkmoot.demo.evidence import Library
from folkmoot.demo.material import NOTHING
from folkmoot.phases.speak import ISSUES, SETTLEMENT, VERDICT, draft, revision
from tests.kits.codes import codes
from tests.kits.thoroughness import some
from tests.paths import ROOT
from tests.report.quoting import PEOPLE, REPORT, Ear, Room, brief, turn_by

OPTIONS = ("build", "rent a hall")
BALLOT = Form(
    name="ballot",
    layout="line",
    fields=(Field(name="I vote for", kind="choice", choices=("Proposal A", "Proposal B"), abstain=True),),
)
EVERY = Form(
    name="every",
    layout="json",
    fields=(
        Field(name="Note"),
        Field(name="Rank", kind="number", low=1, high=10),
        Field(name="Share", kind="number"),
        Field(name="Least", kind="number", low=3),
        Field(name="Done", kind="flag"),
        Field(name="Quotes", kind="list"),
        Field(name="Matter", kind="choice", choices=("storage", "drivers and routes", "noise")),
    ),
)


def numbers(turn: Turn, about: Brief) -> tuple[int, ...]:
    return Library(about.background).quoted(turn)


@pytest.mark.parametrize(
    "act",
    ["propose", "draft", "argue", "open", "critique", "revise", "close", "vote", "moderate", "summarize", "gauge"],
)
@pytest.mark.parametrize(
    "form",
    [None, draft(()), draft(OPTIONS), revision(OPTIONS), ISSUES, SETTLEMENT, VERDICT, EVERY, BALLOT],
    ids=lambda form: form.name if form else "none",
)
@pytest.mark.parametrize("to", some(("Ann", "Mod"), 2))
async def test_every_act_in_every_form(act: str, form: Form | None, to: str) -> None:
    options = OPTIONS if form and any(field.choices == OPTIONS for field in form.fields) else ()
    room = Room(brief(options=options))
    first = [await room.ask(name, "propose", draft(options), turns=()) for name in ("Ann", "Ben")]
    for about in ((), first[:1], first):
        turn = await room.ask(to, act, form, about=about, turns=first)
        assert turn.text
        assert turn.reply
        if act == "vote" and form in (SETTLEMENT, VERDICT):
            continue  # nobody is asked to rule by a vote, and what is said for a candidate is no ruling
        assert turn.reply.unread == ()
        for field in form.fields if form else ():
            held_back = (form, turn.fields.get("STATUS")) == (SETTLEMENT, "CONTINUE") or not field.required
            assert field.name in turn.fields or held_back


async def test_without_a_background_it_says_so_and_invents_nothing() -> None:
    for about in (brief("# Nothing\n\n> but a note\n"), Brief(topic="?", participants=PEOPLE)):
        room = Room(about)
        assert (await room.ask("Ann", "propose")).text == NOTHING
        turn = await room.ask("Ann", "propose", draft(OPTIONS))
        assert turn.reply
        assert (turn.text, turn.fields) == (NOTHING, {})
        assert {"ANSWER: no_form", "ARGUMENT: no_form"} <= set(codes(turn.reply))
        assert (await room.ask("Ann", "vote", BALLOT)).fields == {"I vote for": ABSTAIN}


async def test_roles_and_personas_quote_different_passages_that_fit_them() -> None:
    about = brief()
    room = Room(about)
    ann, ben, cat = [await room.ask(name, "propose", turns=()) for name in ("Ann", "Ben", "Cat")]
    assert "drivers two hours a day" in ann.text
    assert ann.text.startswith("I speak for it.")
    assert "loss of the permit" in ben.text
    assert ben.text.startswith("I speak against it.")
    assert "cold storage" in cat.text
    assert not set(numbers(ann, about)) & set(numbers(ben, about))


async def test_what_has_been_quoted_is_not_brought_again() -> None:
    about = brief()
    room = Room(about)
    for n in range(4):
        await room.ask(("Ann", "Ben")[n % 2], "argue")
    brought = [number for turn in room.turns for number in numbers(turn, about)]
    assert len(brought) == len(set(brought))


async def test_a_rival_is_answered_by_name_and_place() -> None:
    room = Room(brief())
    await room.ask("Ann", "argue")
    turn = await room.ask("Ben", "argue")
    assert turn.text.startswith("I speak against it. To what Ann quotes (doc1.md, line ")


async def test_hidden_authors_stay_hidden() -> None:
    room = Room(brief())
    first = [await room.ask(name, "propose", turns=()) for name in ("Ann", "Ben")]
    revision = await room.ask("Cat", "revise", about=first, turns=(), view=View(anonymous=True))
    assert "From Proposal " in revision.text
    argument = await room.ask("Cat", "argue", turns=first, view=View(anonymous=True))
    alone = await room.ask("Cat", "critique", about=(first[1],), turns=first, view=View(anonymous=True))
    assert "To what another participant quotes" in argument.text
    assert "Ann" not in revision.text + argument.text + alone.text


async def test_with_nothing_to_criticise_it_speaks_for_itself() -> None:
    assert "ISSUE: I speak against it." in (await Room(brief()).ask("Ben", "critique", ISSUES)).text


async def test_words_from_outside_are_answered() -> None:
    room = Room(brief())
    outside = turn_by("a viewer", "What about forklifts and incidents?", act="interject")
    turn = await room.ask("Cat", "argue", turns=(outside,))
    assert turn.text.startswith('To what a viewer says, the documents say: "The old depot had four incidents')


async def test_nothing_new_is_said_as_such() -> None:
    room = Room(brief("A new depot reduces the delivery cost."))
    await room.ask("Ann", "argue")
    assert (await room.ask("Ben", "argue")).text.startswith("I have nothing new to quote. I keep what I quoted:")


async def test_a_critique_names_what_the_proposal_leaves_out() -> None:
    about = brief()
    room = Room(about)
    proposal = await room.ask("Ann", "propose", draft(()))
    turn = await room.ask("Ben", "critique", ISSUES, about=(proposal,), turns=())
    assert str(turn.fields["ISSUE"]).startswith('The proposal does not quote: "')
    missing, *_ = numbers(turn_by("x", str(turn.fields["ISSUE"])), about)
    assert missing not in numbers(proposal, about)
    assert set(numbers(turn_by("x", str(turn.fields["WHERE"])), about)) <= set(numbers(proposal, about))
    assert 0 <= float(str(turn.fields["SEVERITY"])) <= 10


async def test_a_proposal_that_quotes_everything_leaves_nothing_out() -> None:
    room = Room(brief("A new depot reduces the delivery cost."))
    proposal = await room.ask("Ann", "propose")
    turn = await room.ask("Ben", "critique", ISSUES, about=(proposal,))
    assert str(turn.fields["ISSUE"]).startswith("The proposal quotes what the documents say on its matter")
    assert turn.fields["SEVERITY"] == 0


async def test_a_proposal_without_quotations_is_criticised_all_the_same() -> None:
    turn = await Room(brief()).ask("Ben", "critique", ISSUES, about=(turn_by("Ann", "The routes of drivers."),))
    assert "drivers two hours" in str(turn.fields["ISSUE"])
    assert "WHERE" in turn.fields


async def revised(*critiques: Turn, to: str = "Ann") -> Turn:
    room = Room(brief())
    own = await room.ask(to, "propose")
    return await room.ask(to, "revise", revision(()), about=(own, *critiques), turns=())


NOISE = '"Neighbours fear the noise of night deliveries." (doc1.md, line 6)'
CITES = {
    "good": '"Customers praised the fast delivery from the rented hall in a test." (doc1.md, line 10)',
    "bad": '"The old depot had four incidents with forklifts in the last year." (doc1.md, line 6)',
    "grave": '"A loss of the permit would delay the depot by a year." (doc1.md, line 6)',
}


@pytest.mark.parametrize(
    ("grave", "words"),
    [
        ("good", f"I add what was left out: {CITES['good']}"),
        ("grave", f"Against me it was said: {CITES['grave']} To that the documents also say:"),
    ],
)
async def test_the_gravest_critique_is_taken_in_or_answered(grave: str, words: str) -> None:
    light = turn_by("Cat", CITES["bad"], act="critique", key="/c#1", fields={"SEVERITY": 3})
    heavy = turn_by("Ben", CITES[grave], act="critique", key="/c#2", fields={"SEVERITY": 8})
    text = (await revised(light, heavy)).text
    assert "I keep what I quoted:" in text
    assert words in text
    assert CITES["bad"] not in text


async def test_a_critique_without_quotations_changes_nothing() -> None:
    turn = await revised(turn_by("Cat", "Too long.", act="critique"))
    assert str(turn.fields["ARGUMENT"]).startswith("I keep what I quoted:")
    assert "left out" not in turn.text


async def test_a_closing_statement_takes_over_what_others_brought() -> None:
    room = Room(brief())
    for name in ("Ann", "Ben", "Cat"):
        await room.ask(name, "open", turns=())
    turn = await room.ask("Ann", "close")
    assert turn.text.startswith("I keep what I quoted:")
    assert "From Cat I take over:" in turn.text


def answered(by: str, answer: str, *cites: str) -> Turn:
    return turn_by(by, " ".join(cites), act="draft", key=f"/draft#{by}", fields={"ANSWER": answer})


async def test_an_answer_is_changed_only_where_others_quoted_more() -> None:
    room = Room(brief(options=OPTIONS))
    own = answered("Ben", "build", NOISE)
    weak = answered("Cat", "rent a hall", CITES["good"])
    strong = answered("Ann", "rent a hall", CITES["grave"], CITES["bad"])
    turn = await room.ask("Ben", "revise", revision(OPTIONS), about=(own, weak), turns=())
    assert turn.fields["ANSWER"] == "build"
    assert "BECAUSE" not in turn.fields
    changed = await room.ask("Ben", "revise", revision(OPTIONS), about=(weak, own, strong), turns=())
    assert changed.fields["ANSWER"] == "rent a hall"
    assert "permit" in str(changed.fields["BECAUSE"])
    assert str(changed.fields["ARGUMENT"]).startswith("More speaks for another answer:")


@pytest.mark.parametrize("kind", ["flag", "choice", "text", "odd"])
async def test_a_change_is_said_in_its_field(kind: str) -> None:
    fields = {
        "flag": Field(name="CHANGED", kind="flag"),
        "choice": Field(name="CHANGED", kind="choice", choices=("no", "yes")),
        "text": Field(name="BECAUSE"),
        "odd": Field(name="Changed", kind="choice", choices=("kept it", "went over")),
    }
    form = Form(name="change", fields=(Field(name="ANSWER"), fields[kind]))
    room = Room(brief())
    own = answered("Ben", "x", CITES["good"])
    other = answered("Ann", "y", CITES["grave"], NOISE)
    name = fields[kind].name
    changed = await room.ask("Ben", "revise", form, about=(own, other), turns=())
    turn = await room.ask("Ben", "revise", form, about=(own,), turns=())
    wanted = {"flag": (True, False), "choice": ("yes", "no"), "odd": ("kept it", "kept it")}
    if kind == "text":
        assert changed.fields[name] == CITES["grave"]
        assert turn.fields[name] == turn.reply.text.split("BECAUSE: ")[1] if turn.reply else False
    else:
        assert (changed.fields[name], turn.fields[name]) == wanted[kind]
    assert str(changed.fields["ANSWER"]) == CITES["grave"]


async def test_the_vote_goes_to_the_proposal_with_the_most_evidence() -> None:
    room = Room(brief())
    poor, rich = (
        turn_by("Ann", CITES["good"]),
        turn_by("Ben", f"{CITES['grave']} {CITES['bad']} {CITES['good']}", key="/x#2"),
    )
    empty = turn_by("Cat", "Mine.", key="/x#3")
    for about, choice in (((poor, rich), "B"), ((rich, poor), "A"), ((empty, poor), "B"), ((empty, empty), "A")):
        turn = await room.ask("Cat", "vote", BALLOT, about=about, turns=(), view=View(anonymous=True))
        assert turn.fields == {"I vote for": f"Proposal {choice}"}
    assert "None of the proposals quotes the documents" in turn.text


async def test_a_score_is_the_share_of_the_evidence() -> None:
    names = ("Ann", "Ben", "Sum")
    form = Form(name="scores", layout="json", fields=tuple(Field(name=n, kind="number", low=0, high=1) for n in names))
    turns = (turn_by("Ann", CITES["good"]), turn_by("Ben", f"{CITES['grave']} {CITES['bad']}", key="/x#2"))
    scores = (await Room(brief()).ask("Mod", "vote", form, about=turns)).fields
    assert float(str(scores["Ann"])) + float(str(scores["Ben"])) == pytest.approx(1.0)
    assert scores["Sum"] == scores["Ben"]


async def test_the_moderator_counts_and_settles_when_little_new_comes() -> None:
    room = Room(brief())
    status: list[object] = []
    for room.round in (1, 2, 3):
        for name in ("Ann", "Ben"):
            await room.ask(name, "argue", turns=[turn for turn in room.turns if turn.round < room.round])
        turn = await room.ask("Mod", "moderate", SETTLEMENT)
        status.append(turn.fields["STATUS"])
        assert ("DECISION" in turn.fields) == (turn.fields["STATUS"] == "SETTLED")
    assert status[0] == "CONTINUE"
    assert status[-1] == "SETTLED"
    assert str(turn.fields["SUMMARY"]).startswith("Ann brought ")
    assert "The last round brought" in str(turn.fields["SUMMARY"])
    assert "After that comes" in str(turn.fields["DECISION"])


async def test_the_moderator_settles_when_all_agree_and_names_the_option() -> None:
    room = Room(brief(options=OPTIONS))
    turns = (answered("Ann", "build", CITES["good"]), answered("Ben", "Build", CITES["bad"]), answered("Cat", "build"))
    turn = await room.ask("Mod", "moderate", SETTLEMENT, turns=turns)
    assert turn.fields["STATUS"] == "SETTLED"
    assert "Cat brought no passage" in str(turn.fields["SUMMARY"])
    assert str(turn.fields["DECISION"]).startswith(OPTIONS)


async def test_the_moderator_of_nobody_has_nothing_to_decide() -> None:
    turn = await Room(brief()).ask("Mod", "moderate", SETTLEMENT)
    assert turn.fields == {"SUMMARY": "I have nothing new to quote.", "STATUS": "CONTINUE"}


@pytest.mark.parametrize(
    ("options", "persona", "answer"),
    [
        (("yes", "no"), "You argue for the depot.", "yes"),
        (("yes", "no"), "You oppose the depot.", "no"),
        (("build", "rent a hall"), "You prefer to rent a hall. You are against the build.", "rent a hall"),
        (("build", "do not build"), "You fear the loss of the permit and noise.", "do not build"),
        (("build", "build"), "", "build"),
    ],
)
async def test_the_option_fits_the_persona(options: tuple[str, ...], persona: str, answer: str) -> None:
    people = (Participant(name="Ann", persona=persona), Participant(name="Ben"))
    turn = await Room(brief(options=options, people=people)).ask("Ann", "draft", draft(options))
    assert turn.fields["ANSWER"] == answer
    assert turn.text


async def test_a_choice_goes_by_its_words() -> None:
    form = Form(name="f", fields=(Field(name="Matter", kind="choice", choices=("noise and permit", "cold storage")),))
    room = Room(brief())
    assert (await room.ask("Cat", "argue", form, turns=())).fields == {"Matter": "cold storage"}
    assert (await room.ask("Ben", "argue", form, turns=())).fields == {"Matter": "noise and permit"}
    none = Form(name="f", fields=(Field(name="Matter", kind="choice", required=False),))
    assert (await room.ask("Ben", "argue", none, turns=())).fields == {}
    strange = Form(name="f", fields=(Field(name="Matter", kind="choice", choices=("alpha", "no")),))
    assert (await room.ask("Ben", "argue", strange, turns=())).fields == {"Matter": "no"}


async def test_indexes_are_kept_for_a_few_backgrounds() -> None:
    seat = DemoDebater()
    for n in range(KEEP + 2):
        await Room(brief(f"The depot number {n} is new."), seat).ask("Ann", "argue")
    await Room(brief(f"The depot number {KEEP} is new."), seat).ask("Ann", "argue")
    libraries: dict[tuple[Source, ...], Library] = vars(seat)["_libraries"]
    assert [sources[0].text[:18] for sources in libraries][-2:] == [f"The depot number {n}" for n in (KEEP + 1, KEEP)]
    assert len(libraries) == KEEP


SCRIPT = """
import asyncio
from folkmoot.phases.speak import draft
from tests.report.quoting import Room, brief
async def main():
    room = Room(brief(options=("build", "rent a hall")))
    for room.round in (1, 2):
        for name in ("Ann", "Ben", "Cat"):
            print((await room.ask(name, "argue", draft(room.brief.options))).text)
    print((await room.ask("Mod", "moderate")).text)
asyncio.run(main())
"""


@pytest.mark.system
def test_the_same_scene_gets_the_same_words_whatever_the_hash_seed() -> None:
    def run(seed: str) -> bytes:
        path = os.pathsep.join(map(str, (ROOT / "src", ROOT)))
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
        return subprocess.run([sys.executable, "-c", SCRIPT], env=env, capture_output=True, check=True).stdout

    first = run("0")
    assert first.count(b"(doc1.md, line ") > 8
    assert run("1") == run("4242") == first


async def test_others_may_speak_between_sentences() -> None:
    pauses: list[str] = []

    async def count() -> None:
        while True:
            pauses.append("")
            await asyncio.sleep(0)

    about = brief()
    ask = Ask(key="/x#1", to="Ann", act="argue", task="")
    async with asyncio.TaskGroup() as group:
        counting = group.create_task(count())
        reply = await DemoDebater().answer(ask, Context(brief=about, me=PEOPLE[0]), Ear())
        counting.cancel()
    assert len(pauses) >= reply.text.count(".md:")


def test_the_report_is_quotable() -> None:
    assert len(Library(brief().background).passages) == REPORT.count(".") == 9
