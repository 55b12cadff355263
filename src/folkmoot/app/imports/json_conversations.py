"""Conversations in JSON: chat messages, and exports of ChatGPT, Claude and Open WebUI.

Programs differ in the names of a few fields, not in what a message is. So one reader knows all names, and a file of
another program that uses them is read too, such as messages of AutoGen or samples of Inspect.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from folkmoot.app.imports.conversations import Conversation, Said, topic_of, unique_names
from folkmoot.core.brief import Source
from folkmoot.core.errors import BriefError
from folkmoot.core.json_values import as_list, as_object, objects, read_json

Json: TypeAlias = Mapping[str, object]

PARENT = ("parent", "parentId", "parent_message_uuid")
NAMES: Mapping[str, str] = {"user": "Person", "human": "Person", "assistant": "Model"}
RULES = ("system", "developer")


def read_export(text: str, name: str) -> list[Conversation]:
    """All conversations of a file, also those without words.

    Raises:
        BriefError: it is none of the known forms, or no conversation in it has words.
    """
    conversations = list(_conversations(read_json(text)))
    if not any(conversation.turns for conversation in conversations):
        problem = "has no conversation that can be read; known are chat messages, and exports of ChatGPT, Claude and Open WebUI"
        raise BriefError(f"{name} {problem}", code="malformed")
    return conversations


def _conversations(value: object) -> Iterator[Conversation]:
    """Each conversation in a list or an object, however deep it lies."""
    table, tables = as_object(value), list(filter(None, objects(value)))
    chat, model = as_object(table.get("chat")), _text(table, "model")
    history = as_object(chat.get("history"))
    if messages := tables if tables and all(map(_role, tables)) else objects(table.get("messages")):
        yield _conversation([[message] for message in messages], "chat messages", model)
    elif isinstance(table.get("mapping"), dict):
        nodes = {id: as_object(node) for id, node in as_object(table["mapping"]).items()}
        tree = {id: {**as_object(node.get("message")), **node} for id, node in nodes.items()}
        yield _conversation([[message] for message in _branch(tree, table)], "export of ChatGPT")
    elif nodes := as_object(history.get("messages")):
        tree = {id: as_object(node) for id, node in nodes.items()}
        yield _conversation(_answers(tree, history, chat.get("models")), "export of Open WebUI")
    elif isinstance(table.get("chat_messages"), list):
        rows = objects(table["chat_messages"])
        messages = [{"name": "Claude", **row} if _role(row) == "assistant" else row for row in rows]
        if any(_text(message, *PARENT) for message in messages):  # older exports have no branches
            messages = _branch({_text(message, "uuid"): message for message in messages}, table)
        yield _conversation([[message] for message in messages], "export of Claude", model or "Claude")
    else:
        for part in tables or table.values():
            yield from _conversations(part)


def _branch(tree: Mapping[str, Json], holder: Json) -> list[Json]:
    """The messages of the branch that is shown, else of the newest one, the first message first."""

    def time_of(id: str) -> tuple[float, str]:
        time = next((tree[id][name] for name in ("create_time", "created_at", "timestamp") if tree[id].get(name)), 0)
        return (time, "") if isinstance(time, int | float) else (0, str(time))

    parents = {_text(node, *PARENT) for node in tree.values()}
    shown = _text(holder, "current_node", "currentId", "current_leaf_message_uuid")
    ends = [id for id in tree if id not in parents][::-1]
    node_id = shown if shown in tree else max(ends, key=time_of, default="")
    branch: dict[str, Json] = {}
    while node_id in tree and node_id not in branch:
        branch[node_id] = tree[node_id]
        node_id = _text(tree[node_id], *PARENT)
    return [*branch.values()][::-1]


def _answers(tree: Mapping[str, Json], history: Json, models: object) -> Iterator[list[Json]]:
    """The messages of the branch that is shown; an answer beside those of other models to the same question.

    Of each model the answer in the branch counts, else its last one. A question to one model has only new tries.
    """
    answers: dict[str, list[Json]] = {}
    for node in tree.values():
        if _role(node) == "assistant":
            answers.setdefault(_text(node, *PARENT), []).append(node)
    for message in _branch(tree, history):
        parent = _text(message, *PARENT)
        asked = as_list(as_object(tree.get(parent)).get("models") or models)
        if _role(message) != "assistant" or len(asked) < 2:
            yield [message]
            continue
        by_model = {node.get("modelIdx", _text(node, "model")): node for node in (*answers[parent], message)}
        answered = sorted(by_model.items(), key=lambda item: item[0] if isinstance(item[0], int) else 0)
        names = [_text(node, "model") for _, node in answered]
        # One model that is asked twice is two who answer.
        yield [{**node, "name": names[n] + " " * names[:n].count(names[n])} for n, (_, node) in enumerate(answered)]


def _conversation(turns: Iterable[Sequence[Json]], program: str, model: str = "") -> Conversation:
    """A conversation of messages; those of the system are a document, each other name or role is somebody."""
    worded = [[(row, text) for row in turn if (text := _words(row))] for turn in turns]
    rules = "\n\n".join(text for turn in worded for row, text in turn if _role(row) in RULES)
    said = [[_said(row, text, model) for row, text in turn if _role(row) not in RULES] for turn in worded]
    names = unique_names([one.by for turn in said for one in turn])
    named = tuple(tuple(replace(one, by=names[one.by]) for one in turn) for turn in said if turn)
    topic, long_topic = topic_of(named[0][0].text if named else "", "question")
    instructions = (Source(name="instructions", text=rules),) if rules else ()
    return Conversation(topic=topic, program=program, turns=named, background=(*long_topic, *instructions))


def _said(message: Json, text: str, model: str) -> Said:
    """What a message says; its name, else the model, else the role says who."""
    role, name = _role(message), message.get("name")
    own = _text(message, "model") or _text(as_object(message.get("metadata")), "model_slug")
    own, model = (own, own or model) if role == "assistant" else ("", "")
    by = name if name and isinstance(name, str) else own or NAMES.get(role) or role.capitalize() or "Somebody"
    return Said(by, text, model, person=NAMES.get(role) == "Person")


def _role(message: Json) -> str:
    return _text(message, "role", "sender", "source") or _text(as_object(message.get("author")), "role")


def _words(message: Json) -> str:
    """The words of a message: a text, the texts of its parts, or a refusal; no thinking, no calls of tools."""
    content = message.get("content")
    content = as_object(content).get("parts") or as_object(content).get("text") or content
    parts = as_list(content) or [content]
    texts = [part.strip() if isinstance(part, str) else _text(as_object(part), "text", "refusal") for part in parts]
    text = "\n\n".join(filter(None, texts)) or _text(message, "refusal", "text")
    if NAMES.get(_role(message)) == "Person":
        return text
    # Open WebUI puts a model's thinking into its answer.
    return re.sub(r'(?s)<details type="reasoning".*?(?:</details>|\Z)', "", text).strip()


def _text(table: Json, *names: str) -> str:
    """The first text that stands under one of the names."""
    return next((text for name in names if isinstance(value := table.get(name), str) and (text := value.strip())), "")
