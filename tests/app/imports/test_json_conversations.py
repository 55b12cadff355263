"""Conversations in JSON: what is read from each form, and what is refused."""

import json
from collections.abc import Mapping
from itertools import permutations
from typing import Any

import pytest

from folkmoot.app.imports.conversations import Conversation
from folkmoot.app.imports.json_conversations import read_json
from folkmoot.core.errors import BriefError

CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Tea or coffee?"},
    {"role": "assistant", "content": [{"type": "text", "text": "Tea."}, {"type": "image_url"}], "model": "gpt-4o"},
    {"role": "assistant", "name": "Ada", "content": "Coffee."},
    {"role": "tool", "content": ""},
]
SPOKEN = [("Person", "Tea or coffee?"), ("gpt-4o", "Tea."), ("Ada", "Coffee.")]


def only(value: object) -> Conversation:
    (conversation,) = read_json(json.dumps(value), "file.json")
    return conversation


def spoken(conversation: Conversation) -> list[tuple[str, str]]:
    return [(statement.by, statement.text) for statement in conversation.statements]


def exported(role: str, text: str, parent: str | None, **more: object) -> Mapping[str, object]:
    """A node of an export of ChatGPT."""
    message = {"author": {"role": role}, "content": {"content_type": "text", "parts": [text]}, **more}
    return {"message": message if role else None, "parent": parent}


@pytest.mark.parametrize("value", [CHAT, {"messages": CHAT, "model": "gpt-5"}, [{"messages": CHAT}]])
def test_chat_messages_in_each_form(value: object) -> None:
    conversation = only(value)
    assert spoken(conversation) == SPOKEN
    assert (conversation.topic, [source.text for source in conversation.background]) == (
        "Tea or coffee?",
        ["Be brief."],
    )
    assert [(speaker.name, speaker.person) for speaker in conversation.speakers] == [
        ("Person", True),
        ("gpt-4o", False),
        ("Ada", False),
    ]
    assert conversation.speakers[1].model == "gpt-4o"


def test_json_lines_are_one_chat() -> None:
    (conversation,) = read_json("\n".join(json.dumps(message) for message in CHAT), "file.jsonl")
    assert spoken(conversation) == SPOKEN


def test_an_export_of_chatgpt_has_the_branch_that_it_shows() -> None:
    nodes = {
        "root": exported("", "", None),
        "a": exported("user", "Tea or coffee?", "root"),
        "b": exported("assistant", "Tea.", "a", metadata={"model_slug": "gpt-5"}),
        "c": exported("assistant", "Another try.", "a"),
        "d": exported("user", "Why?", "b"),
    }
    empty: dict[str, object] = {"title": "Empty", "mapping": {}}
    export = [{"title": "Drinks", "mapping": nodes, "current_node": "d"}, empty]
    conversation, without_words = read_json(json.dumps(export), "conversations.json")
    assert without_words.speakers == ()
    assert spoken(conversation) == [("Person", "Tea or coffee?"), ("gpt-5", "Tea."), ("Person", "Why?")]
    assert conversation.speakers[1].model == "gpt-5"


@pytest.mark.parametrize("shown", [None, "lost"])
@pytest.mark.parametrize("times", [(1.0, 2.0), (None, 2.0), (None, None)])
def test_an_export_that_does_not_say_what_it_shows_has_the_newest_branch(
    shown: str | None, times: tuple[float | None, float | None]
) -> None:
    nodes = {
        "a": exported("user", "Tea?", None),
        "b": exported("assistant", "No.", "a", create_time=times[0]),
        "c": exported("assistant", "Yes.", "a", create_time=times[1]),
    }
    assert spoken(only({"mapping": nodes, "current_node": shown})) == [("Person", "Tea?"), ("Model", "Yes.")]


def test_what_a_model_refused_called_or_wrote_as_code_is_said() -> None:
    calls = [
        {"id": "1", "type": "function", "function": {"name": "price", "arguments": '{"of": "tea"}'}},
        {"id": "2", "function": "price", "arguments": {"of": "milk"}},
        {"id": "3"},
    ]
    messages = [
        {"role": "user", "content": "Tea?"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "assistant", "content": None, "refusal": "Not now."},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "Never."}]},
    ]
    assert [text for _, text in spoken(only(messages))] == [
        "Tea?",
        '(calls price: {"of": "tea"})\n\n(calls price: {"of": "milk"})',
        "Not now.",
        "Never.",
    ]
    code = {"author": {"role": "assistant"}, "content": {"content_type": "code", "text": "print(1)"}}
    export = {"mapping": {"a": {"message": code, "parent": None}}, "current_node": "a"}
    assert spoken(only(export)) == [("Model", "print(1)")]


def test_the_answer_of_a_provider_belongs_to_its_messages() -> None:
    answer: dict[str, Any] = {
        "model": "gpt-5",
        "choices": [{"message": {"role": "assistant", "content": "Yes."}}, {"message": {}}],
    }
    assert spoken(only({"messages": [{"role": "user", "content": "Tea?"}], **answer}))[-1] == ("Model", "Yes.")
    assert only(answer).speakers[0].model == "gpt-5"


def test_two_models_of_one_chat_are_two_speakers() -> None:
    rows = [
        ("user", "Tea?", ""),
        ("assistant", "Yes.", "a/one"),
        ("assistant", "No.", "b/one"),
        ("assistant", "Hm.", ""),
    ]
    messages = [{"role": role, "content": text, "model": model} for role, text, model in rows]
    conversation = only({"messages": messages, "model": "c/three"})
    assert [(speaker.name, speaker.model) for speaker in conversation.speakers] == [
        ("Person", ""),
        ("one", "a/one"),
        ("one (2)", "b/one"),
        ("Model", "c/three"),
    ]


def test_a_branch_in_a_circle_ends() -> None:
    nodes = {"a": exported("user", "Tea?", "b"), "b": exported("assistant", "Yes.", "a")}
    assert len(only({"mapping": nodes, "current_node": "a"}).statements) == 2


def test_a_log_of_inspect_has_a_conversation_for_each_sample() -> None:
    samples = [
        {"messages": [{"role": "user", "content": text}, {"role": "assistant", "content": "No."}]} for text in "AB"
    ]
    log = {"version": 2, "eval": {"model": "mockllm/model"}, "samples": samples}
    conversations = read_json(json.dumps(log), "log.json")
    assert [(item.topic, item.speakers[1].model) for item in conversations] == [
        ("A", "mockllm/model"),
        ("B", "mockllm/model"),
    ]


def council(ranking: str) -> Conversation:
    stage1 = [{"model": f"vendor/{name}", "response": f"Answer of {name}."} for name in ("one", "two", "three")]
    stage2 = [{"model": "vendor/one", "ranking": ranking}, {"model": "vendor/gone", "ranking": ranking}]
    answer = {
        "role": "assistant",
        "stage1": stage1,
        "stage2": stage2,
        "stage3": {"model": "c", "response": "So be it."},
    }
    return only({"title": "Title", "messages": [{"role": "user", "content": "Which?"}, answer]})


LABELS = {"A": "one", "B": "two", "C": "three"}


@pytest.mark.parametrize("order", list(permutations("ABC")))
@pytest.mark.parametrize(
    "line", ["{n}. Response {label}", "{n}) **response {label}** is good", "  {n}. Response  {label}"]
)
def test_a_ranking_of_llm_council_is_read(order: tuple[str, ...], line: str) -> None:
    rows = "\n".join(line.format(n=n, label=label) for n, label in enumerate(order, start=1))
    conversation = council(f"1. Response C is weak.\nFINAL RANKING: see below\nfinal ranking:\n{rows}")
    assert conversation.council
    assert [answer.by for answer in conversation.council.answers] == ["one", "two", "three"]
    assert {voter: ranked for voter, (_, ranked) in conversation.council.rankings.items()} == {
        "one": tuple(LABELS[label] for label in order)
    }
    assert spoken(conversation) == [("Chairperson", "So be it.")]
    assert conversation.background[-1].text.splitlines()[1] == "Response B is the answer of two."


@pytest.mark.parametrize(
    "ranking",
    [
        "1. Response A\n2. Response B",
        "FINAL RANKING:\nResponse A, then Response B",
        "FINAL RANKING:\n1. Response A\n2. Response A",
        "FINAL RANKING:\n1. Response A\n2. Response D",
    ],
)
def test_a_ranking_that_is_not_clear_ranks_nobody(ranking: str) -> None:
    conversation = council(ranking)
    assert conversation.council
    assert conversation.council.rankings["one"] == (ranking, ())


@pytest.mark.parametrize(
    "text", ["{", "[]", "[1, 2]", "{}", '{"messages": "none"}', '[{"role": "user", "content": ""}]', '"words"', "null"]
)
def test_what_is_no_conversation_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(BriefError) as caught:
        read_json(text, "file.json")
    assert str(caught.value).startswith("file.json ")
    assert "\n" not in str(caught.value)


def test_a_model_that_answers_twice_in_a_council_is_two_members() -> None:
    stage1 = [{"model": "a/x", "response": "Tea"}, {"model": "a/x", "response": "Coffee"}]
    ranking = "FINAL RANKING:\n1. Response B\n2. Response A"
    stage2 = [{"model": "a/x", "ranking": ranking}, {"model": "a/x", "ranking": ranking}]
    messages = [{"role": "user", "content": "Tea?"}, {"role": "assistant", "stage1": stage1, "stage2": stage2}]
    (conversation,) = read_json(json.dumps({"messages": messages}), "council.json")
    assert [(who.name, who.model) for who in conversation.speakers] == [("x", "a/x"), ("x (2)", "a/x")]
    council = conversation.council
    assert council
    assert [(answer.by, answer.text) for answer in council.answers] == [("x", "Tea"), ("x (2)", "Coffee")]
    assert {name: ranks for name, (_, ranks) in council.rankings.items()} == dict.fromkeys(
        ("x", "x (2)"), ("x (2)", "x")
    )
    assert "Response B is the answer of x (2)." in conversation.background[-1].text


def test_the_line_that_is_no_json_is_named() -> None:
    with pytest.raises(BriefError, match=r"log\.jsonl: line 3 is no JSON"):
        read_json('{"role": "user", "content": "Tea?"}\n\n{"role": oops}\n', "log.jsonl")
