"""The forms of what is spoken: what can be answered, what has to be quoted, and whether it was said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.ask import Ask, Form, Reply
from folkmoot.core.brief import Brief, Participant, View
from folkmoot.core.event import Asked, Opened, Replied
from folkmoot.core.text import contains_words
from folkmoot.core.transcript import Transcript
from folkmoot.phases.base import State
from folkmoot.phases.speak import (
    NEAREST,
    SPOKEN,
    aimed,
    draft,
    linked,
    quoting_speech,
    revision,
    speech,
    with_required_target,
)

LOG = View(numbered=True)


def table(*rows: tuple[str, str], view: View | None = None, hide: tuple[str, ...] = ()) -> State:
    """A table at which these acts were made by these people; Ann may have a view of her own."""
    people = (Participant(name="Ann", view=view, hide=hide), Participant(name="Bob"), Participant(name="Cy"))
    brief = Brief(topic="?", participants=people)
    transcript = Transcript()
    transcript.apply(Opened(brief=brief, protocol={}))
    for n, (by, act) in enumerate(rows, start=1):
        audience = (by,) if act == "bid" else ()
        transcript.apply(Asked(ask=Ask(key=f"/debate/x#{n}", to=by, act=act, task="?", audience=audience)))
        transcript.apply(Replied(key=f"/debate/x#{n}", reply=Reply(text="so")))
    return State(brief=brief, transcript=transcript)


def names(form: Form | None) -> list[str]:
    return [field.name for field in form.fields] if form else []


def targets(form: Form | None) -> tuple[str, ...]:
    return next((field.choices for field in form.fields if field.name == "TARGET"), ()) if form else ()


TALK = (("Ann", "open"), ("Bob", "open"), ("Bob", "bid"), ("Cy", "argue"), ("Bob", "score"), ("Bob", "interrupt"))


@pytest.mark.parametrize(
    ("view", "own", "hide", "marks"),
    [
        (LOG, None, (), ("T2", "T4", "T6")),  # speech of others
        (View(last=2), None, (), ("T6",)),
        (LOG, View(last=3), (), ("T4", "T6")),
        (View(last=0), None, (), ()),
        (LOG, None, ("Bob",), ("T4",)),
        (LOG, None, ("Bob", "Cy"), ()),
        (LOG, View(hide=("argue",)), (), ("T2", "T6")),
    ],
)
def test_only_what_is_in_sight_can_be_answered(
    view: View, own: View | None, hide: tuple[str, ...], marks: tuple[str, ...]
) -> None:
    form = linked(speech(()), table(*TALK, view=own, hide=hide), "Ann", view)
    assert targets(form) == marks
    assert ("TARGET" in names(form)) == ("RELATION" in names(form)) == bool(marks)
    assert [name for name in names(form) if name not in ("TARGET", "RELATION")] == ["ARGUMENT", "CLAIM", "ANSWER"]


def test_the_newest_turns_can_be_answered() -> None:
    long = table(*(("Bob", "argue") for _ in range(NEAREST + 5)))
    assert targets(linked(speech(()), long, "Ann", LOG)) == tuple(f"T{n}" for n in range(6, NEAREST + 6))


def test_a_form_without_a_target_stays_as_it_is() -> None:
    assert linked(None, table(*TALK), "Ann", LOG) is None
    form = draft(())
    assert linked(form, table(*TALK), "Ann", LOG) is form


def test_a_quote_goes_with_a_target() -> None:
    assert names(quoting_speech(())) == ["TARGET", "QUOTE", "RELATION", "ARGUMENT", "CLAIM", "ANSWER"]
    assert names(linked(quoting_speech(()), table(), "Ann", LOG)) == ["ARGUMENT", "CLAIM", "ANSWER"]
    required = [field.name for field in with_required_target(quoting_speech(())).fields if field.required]
    assert required == ["TARGET", "QUOTE", "ARGUMENT", "CLAIM"]


def test_a_form_can_be_aimed_at_one_turn() -> None:
    at = table(*TALK)
    assert targets(aimed(quoting_speech(()), at.transcript.turns()[3])) == ("T4",)
    assert aimed(draft(()), at.transcript.turns()[3]) == draft(())


@pytest.mark.parametrize("form", [draft, revision, speech, quoting_speech])
def test_closed_answers_are_choices(form: object) -> None:
    assert callable(form)
    closed, open_ = form(("tea", "coffee")), form(())
    assert isinstance(closed, Form)
    assert isinstance(open_, Form)
    assert (closed.fields[-1].kind, closed.fields[-1].choices) == ("choice", ("tea", "coffee"))
    assert open_.fields[-1].kind == "text"


def test_what_serves_the_machinery_is_no_speech() -> None:
    assert not {"bid", "score", "gauge", "strategy", "consent", "translate", "vote"}.intersection(SPOKEN)


# ---- quotes ----------------------------------------------------------------------------------------------------------

TEXT = 'The  cost is “high”, they\nsay; it isn\'t. Tea costs 0.5 and "COFFEE" more.'


@pytest.mark.parametrize(
    "quote",
    [
        'the cost is "high',
        "«The cost is 'high'»",
        '"they say; it isn’t."',
        "THEY SAY",
        "They say.",
        "say; it",
        "‘coffee’",
        "Tea costs 0.5",
        "",
    ],
)
def test_words_that_stand_there(quote: str) -> None:
    assert contains_words(quote, TEXT) == bool(quote)


@pytest.mark.parametrize(
    "quote", ["the cost is low", "ost is", "they … it", "more coffee", "Tea cost", "''", " . ", "5 and 6"]
)
def test_words_that_do_not(quote: str) -> None:
    assert not contains_words(quote, TEXT)


@given(st.lists(st.from_regex(r"\A[a-zß0-9'éİ-]*[a-z0-9]\Z"), min_size=1), st.data())
def test_any_words_of_a_text_stand_in_it(words: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(words) - 1))
    stop = data.draw(st.integers(start + 1, len(words)))
    blank = data.draw(st.sampled_from([" ", "\n", "  ", "\t\u00a0"]))
    quote = blank.join(words[start:stop])
    assert contains_words(f"“{quote.upper()}”", " ".join(words))
