"""Conversations in JSON: chat messages, and exports of ChatGPT, Claude and Open WebUI.

Programs differ in the names of a few fields, not in what a message is. So one reader knows all names, and a file of
another program that uses them is read too, such as messages of AutoGen or samples of Inspect.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias, cast

from folkmoot.app.imports.conversations import Conversation, Said, topic_of, unique_names
from folkmoot.core.brief import Source
from folkmoot.core.errors import BriefError

Json: TypeAlias = Mapping[str, object]

PARENT: Final = ("parent", "parentId", "parent_message_uuid")
NAMES: Final[Mapping[str, str]] = {"user": "Person", "human": "Person", "assistant": "Model"}
RULES: Final = ("system", "developer")


def read_json(text: str, name: str) -> list[Conversation]:
    """All conversations of a file, also those without words.

    Raises:
        BriefError: it is none of the known forms, or no conversation in it has words.
    """
    try:
        conversations = list(_conversations(cast("object", json.loads(text))))
    except (ValueError, RecursionError):
        raise BriefError(f"{name} is no JSON", code="malformed") from None
    if not any(conversation.turns for conversation in conversations):
        known = "chat messages, and exports of ChatGPT, Claude and Open WebUI"
        raise BriefError(f"{name} has no conversation that can be read; known are {known}", code="malformed")
    return conversations


def _conversations(value: object) -> Iterator[Conversation]:
    """Each conversation in a list or an object, however deep it lies."""
    table, tables = _table(value), _tables(value)
    chat, model = _table(table.get("chat")), _text(table, "model")
    history = _table(chat.get("history"))
    if messages := tables if tables and all(map(_role, tables)) else _tables(table.get("messages")):
        yield _conversation([[message] for message in messages], "chat messages", model)
    elif isinstance(nodes := table.get("mapping"), Mapping):
        nodes = _table(cast("object", nodes))
        tree = {id: {**_table(_table(node).get("message")), **_table(node)} for id, node in nodes.items()}
        yield _conversation([[message] for message in _branch(tree, table)], "export of ChatGPT")
    elif isinstance(nodes := history.get("messages"), Mapping):
        tree = {id: _table(node) for id, node in _table(cast("object", nodes)).items()}
        yield _conversation(_answers(tree, history, chat.get("models")), "export of Open WebUI")
    elif isinstance(table.get("chat_messages"), list):
        messages = [
            {**({"name": "Claude"} if _role(row) == "assistant" else {}), **row}
            for row in _tables(table["chat_messages"])
        ]
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
        asked = _table(tree.get(parent)).get("models") or models
        if _role(message) != "assistant" or not isinstance(asked, list) or len(cast("list[object]", asked)) < 2:
            yield [message]
            continue
        by_model = {node.get("modelIdx", _text(node, "model")): node for node in (*answers[parent], message)}
        turn: list[Json] = []
        names: list[str] = []
        for index in sorted(by_model, key=lambda index: index if isinstance(index, int) else 0):
            name = _text(by_model[index], "model")
            # One model that is asked twice is two who answer.
            turn.append({**by_model[index], "name": name + " " * names.count(name)})
            names.append(name)
        yield turn


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
    own = _text(message, "model") or _text(_table(message.get("metadata")), "model_slug")
    own, model = (own, own or model) if role == "assistant" else ("", "")
    by = name if name and isinstance(name, str) else own or NAMES.get(role) or role.capitalize() or "Somebody"
    return Said(by, text, model, person=NAMES.get(role) == "Person")


def _role(message: Json) -> str:
    return _text(message, "role", "sender", "source") or _text(_table(message.get("author")), "role")


def _words(message: Json) -> str:
    """The words of a message: a text, the texts of its parts, or a refusal; no thinking, no calls of tools."""
    content = message.get("content")
    content = _table(content).get("parts") or _table(content).get("text") or content
    parts = cast("list[object]", content) if isinstance(content, list) else [content]
    texts = [part.strip() if isinstance(part, str) else _text(_table(part), "text", "refusal") for part in parts]
    text = "\n\n".join(filter(None, texts)) or _text(message, "refusal", "text")
    if NAMES.get(_role(message)) == "Person":
        return text
    # Open WebUI puts a model's thinking into its answer.
    return re.sub(r'(?s)<details type="reasoning".*?(?:</details>|\Z)', "", text).strip()


def _table(value: object) -> Json:
    """The value if it is an object of JSON, else an empty one."""
    return cast("Json", value) if isinstance(value, Mapping) else {}


def _tables(value: object) -> list[Json]:
    """The objects in a list of JSON; none where it is no list."""
    return [table for item in cast("list[object]", value) if (table := _table(item))] if isinstance(value, list) else []


def _text(table: Json, *names: str) -> str:
    """The first text that stands under one of the names."""
    return next((text for name in names if isinstance(value := table.get(name), str) and (text := value.strip())), "")
