"""Conversations in JSON: what is read from each form, and what is refused."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from folkmoot.app.imports.conversations import Conversation
from folkmoot.app.imports.json_conversations import read_export
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
    (conversation,) = read_export(json.dumps(value), "file.json")
    return conversation


def spoken(conversation: Conversation) -> list[tuple[str, str]]:
    return [(said.by, said.text) for turn in conversation.turns for said in turn]


def models(conversation: Conversation) -> list[tuple[str, str, bool]]:
    return [(said.by, said.model, said.person) for said in conversation.speakers]


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
    assert models(conversation)[0] == ("Person", "", True)
    assert models(conversation)[1] == ("gpt-4o", "gpt-4o", False)
    assert models(conversation)[2][::2] == ("Ada", False)


def test_messages_of_agents_are_said_by_who_is_their_source() -> None:
    messages = [
        {"source": "user", "content": "Tea?", "type": "TextMessage"},
        {"source": "critic", "content": "No.", "type": "TextMessage", "models_usage": {"prompt_tokens": 1}},
    ]
    assert spoken(only(messages)) == [("Person", "Tea?"), ("Critic", "No.")]
    assert models(only(messages)) == [("Person", "", True), ("Critic", "", False)]


def test_conversations_are_found_however_deep_they_lie() -> None:
    samples = [
        {"messages": [{"role": "user", "content": text}, {"role": "assistant", "content": "No.", "model": "a/b"}]}
        for text in "AB"
    ]
    log = {"version": 2, "eval": {"model": "mockllm/model"}, "samples": samples}
    conversations = read_export(json.dumps({"data": [log]}), "log.json")
    assert [(item.topic, item.speakers[1].model) for item in conversations] == [("A", "a/b"), ("B", "a/b")]


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
    conversation, without_words = read_export(json.dumps(export), "conversations.json")
    assert without_words.turns == ()
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


def test_only_what_nobody_answers_ends_a_branch() -> None:
    nodes = {"b": exported("assistant", "Yes.", "a"), "a": exported("user", "Tea?", None)}
    assert spoken(only({"mapping": nodes})) == [("Person", "Tea?"), ("Model", "Yes.")]


def test_a_branch_in_a_circle_ends() -> None:
    nodes = {"a": exported("user", "Tea?", "b"), "b": exported("assistant", "Yes.", "a")}
    assert len(only({"mapping": nodes, "current_node": "a"}).turns) == 2


def claude(uuid: str, sender: str, text: str, parent: str = "", at: int = 0) -> dict[str, Any]:
    """A message of an export of Claude, whose thinking and tools stand beside the words."""
    content: list[Any] = [
        *([{"type": "thinking", "thinking": "Hm."}] if sender == "assistant" else []),
        {"type": "text", "text": text},
        {"type": "tool_use", "name": "search", "input": {}},
        {"type": "tool_result", "content": [{"type": "text", "text": "A page."}]},
    ]
    row: dict[str, Any] = {"uuid": uuid, "sender": sender, "text": "Old words.", "content": content, "attachments": []}
    row["created_at"] = f"2026-05-01T10:00:0{at}Z"
    return row | ({"parent_message_uuid": parent} if parent else {})


ROOT = "00000000-0000-4000-8000-000000000000"
BRANCHES = [
    claude("1", "human", "Tea?", ROOT, 1),
    claude("2", "assistant", "No.", "1", 2),
    claude("3", "human", "Why?", "2", 3),
    claude("4", "assistant", "It is late.", "3", 4),
    claude("5", "human", "Surely?", "2", 5),
    claude("6", "assistant", "Yes.", "5", 6),
]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, ["Tea?", "No.", "Surely?", "Yes."]),
        ({"current_leaf_message_uuid": "4"}, ["Tea?", "No.", "Why?", "It is late."]),
        ({"current_leaf_message_uuid": "2"}, ["Tea?", "No."]),
    ],
)
def test_an_export_of_claude_has_the_branch_that_it_shows_else_the_newest(
    more: Mapping[str, str], words: list[str]
) -> None:
    for rows in (BRANCHES, BRANCHES[::-1]):
        conversation = only([{"uuid": "c", "name": "Drinks", "chat_messages": rows, **more}])
        assert spoken(conversation) == list(zip(["Person", "Claude"] * 2, words, strict=False))
        assert models(conversation) == [("Person", "", True), ("Claude", "Claude", False)]
        assert "Claude" in conversation.program


def test_an_older_export_of_claude_has_its_messages_in_their_order() -> None:
    rows: list[Any] = [
        claude("1", "human", "Tea?"),
        claude("2", "assistant", "No."),
        {**claude("3", "human", ""), "content": []},
    ]
    assert spoken(only([{"chat_messages": rows}])) == [("Person", "Tea?"), ("Claude", "No."), ("Person", "Old words.")]


def open_webui(nodes: Mapping[str, Any], shown: str, models: list[str]) -> list[Any]:
    """An export of Open WebUI; it has the branch that is shown once more, without the other models."""
    messages: dict[str, Any] = {id: {"id": id, "childrenIds": [], **node} for id, node in nodes.items()}
    flat = [{"role": "user", "content": "The branch once more."}]
    return [
        {
            "title": "T",
            "chat": {"models": models, "messages": flat, "history": {"currentId": shown, "messages": messages}},
        }
    ]


def node(parent: str | None, content: str, model: str = "", **more: Any) -> dict[str, Any]:
    said = {"role": "assistant", "model": model} if model else {"role": "user"}
    return {"parentId": parent, "content": content, **said, **more}


def test_the_answers_of_all_models_of_open_webui_to_one_question_are_one_turn() -> None:
    nodes: dict[str, Any] = {
        "1": node(None, "Build or buy?"),
        "2": node("1", '<details type="reasoning" done="true">\n> Hm.\n</details>\nBuy it.', "a:8b", modelIdx=0),
        "3": node("1", "Bild it.", "org/b:8b", modelIdx=1),
        "4": node("1", "Build it.", "org/b:8b", modelIdx=1),  # a second try of the same model
        "5": node("3", "And when?"),
        "6": node("4", "Who pays?"),
        "7": node("6", "You do.", "org/b:8b", modelIdx=1),
        "8": node("6", "Nobody.", "a:8b", modelIdx=0),
    }
    conversation = only(open_webui(nodes, "7", ["a:8b", "org/b:8b"]))
    assert [[(said.by, said.text) for said in turn] for turn in conversation.turns] == [
        [("Person", "Build or buy?")],
        [("a 8b", "Buy it."), ("b 8b", "Build it.")],
        [("Person", "Who pays?")],
        [("a 8b", "Nobody."), ("b 8b", "You do.")],
    ]
    assert [said.model for said in conversation.speakers] == ["", "a:8b", "org/b:8b"]
    # Of the model that the branch went on with, the answer in the branch counts, not the newest.
    other = only(open_webui(nodes, "5", ["a:8b", "org/b:8b"]))
    assert [said.text for said in other.turns[1]] == ["Buy it.", "Bild it."]


@pytest.mark.parametrize("question", [{}, {"models": ["b"]}])
def test_tries_of_one_model_are_no_answers_of_several(question: Mapping[str, Any]) -> None:
    nodes = {"1": node(None, "Tea?", **question), "2": node("1", "No.", "a"), "3": node("1", "Yes.", "b")}
    asked = ["a", "b"] if question else ["b"]  # the question says better than the chat who was asked
    assert spoken(only(open_webui(nodes, "3", asked))) == [("Person", "Tea?"), ("b", "Yes.")]


def test_one_model_that_is_asked_twice_is_two_who_answer() -> None:
    nodes: dict[str, Any] = {
        "1": node(None, "Tea?", models=["a", "a"]),
        "3": node("1", "Yes.", "a", modelIdx=1),
        "2": node("1", "No.", "a", modelIdx=0),
    }
    conversation = only(open_webui(nodes, "3", []))
    assert spoken(conversation) == [("Person", "Tea?"), ("a", "No."), ("a (2)", "Yes.")]
    assert [said.model for said in conversation.speakers[1:]] == ["a", "a"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('<details type="reasoning">a</details>One.<details type="reasoning">b</details> Two.', ["One. Two."]),
        ('One. <details type="reasoning">never closed', ["One."]),
        ('<details type="reasoning">nothing else</details>', []),
        ("<details>A spoiler.</details>", ["<details>A spoiler.</details>"]),
    ],
)
def test_thinking_is_no_word_of_an_answer(content: str, words: list[str]) -> None:
    conversation = only([{"role": "user", "content": "Tea?"}, {"role": "assistant", "content": content}])
    assert [text for _, text in spoken(conversation)] == ["Tea?", *words]
    assert spoken(only([{"role": "user", "content": content}])) == [("Person", content)]


def test_what_a_model_refused_or_wrote_as_code_is_said() -> None:
    messages = [
        {"role": "user", "content": "Tea?"},
        {"role": "assistant", "content": None, "refusal": "Not now."},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "Never."}]},
    ]
    assert [text for _, text in spoken(only(messages))] == ["Tea?", "Not now.", "Never."]
    code = {"author": {"role": "assistant"}, "content": {"content_type": "code", "text": "print(1)"}}
    export = {"mapping": {"a": {"message": code, "parent": None}}, "current_node": "a"}
    assert spoken(only(export)) == [("Model", "print(1)")]


def test_two_models_of_one_chat_are_two_speakers() -> None:
    rows = [
        ("user", "Tea?", ""),
        ("assistant", "Yes.", "a/one"),
        ("assistant", "No.", "b/one"),
        ("assistant", "Hm.", ""),
    ]
    messages = [{"role": role, "content": text, "model": model} for role, text, model in rows]
    assert [row[:2] for row in models(only({"messages": messages, "model": "c/three"}))] == [
        ("Person", ""),
        ("one", "a/one"),
        ("one (2)", "b/one"),
        ("Model", "c/three"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        *("{", "[]", "[1, 2]", "{}", '{"messages": "none"}', '[{"role": "user", "content": ""}]', '"words"', "null"),
        *('{"chat_messages": [7]}', '{"chat": {"history": {"messages": {"1": 7}}}}', '{"mapping": {"a": [1]}}'),
        *('{"chat_messages": [{"parent_message_uuid": "x"}]}', '{"mapping": {"a": {"message": {"author": 1}}}}'),
        '{"a": ' * 900 + "1" + "}" * 900,
        '{"a": ' * 100_000,
    ],
)
def test_what_is_no_conversation_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(BriefError) as caught:
        read_export(text, "file.json")
    assert str(caught.value).startswith("file.json ")
    assert "\n" not in str(caught.value)
