"""Conversations in JSON: chat messages, and exports of ChatGPT, Claude and Open WebUI.

Programs differ in the names of a few fields, not in what a message is. So one reader knows all names, and a file of
another program that uses them is read too, such as messages of AutoGen or samples of Inspect.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias, cast

from folkmoot.app.imports.conversations import Conversation, Said, topic_of, unique_names
from folkmoot.core.brief import Source
from folkmoot.core.errors import BriefError

Json: TypeAlias = Mapping[str, object]

WHO: Final = ("role", "sender", "source")
PARENT: Final = ("parent", "parentId", "parent_message_uuid")
SHOWN: Final = ("current_node", "currentId", "current_leaf_message_uuid")
TIME: Final = ("create_time", "created_at", "timestamp")
NAMES: Final[Mapping[str, str]] = {"user": "Person", "human": "Person", "assistant": "Model"}
RULES: Final = ("system", "developer")
THOUGHT: Final = re.compile(r'(?s)<details type="reasoning".*?(?:</details>|\Z)')
"""How Open WebUI puts a model's thinking into its answer."""


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
    chat = _table(table.get("chat"))
    history = _table(chat.get("history"))
    if messages := tables if tables and all(map(_role, tables)) else _tables(table.get("messages")):
        yield _conversation([[message] for message in messages], "chat messages", _text(table, "model"))
    elif isinstance(nodes := table.get("mapping"), Mapping):
        nodes = cast("Json", nodes)
        tree = {id: {**_table(_table(node).get("message")), **_table(node)} for id, node in nodes.items()}
        yield _conversation([[message] for message in _branch(tree, table)], "export of ChatGPT")
    elif isinstance(nodes := history.get("messages"), Mapping):
        tree = {id: _table(node) for id, node in cast("Json", nodes).items()}
        tries: dict[str, list[Json]] = {}
        for node in tree.values():
            tries.setdefault(_text(node, *PARENT), []).append(node)
        turns = [_answers(message, tree, tries, chat.get("models")) for message in _branch(tree, history)]
        yield _conversation(turns, "export of Open WebUI")
    elif isinstance(table.get("chat_messages"), list):
        messages = _tables(table["chat_messages"])
        if any(_text(message, *PARENT) for message in messages):  # older exports have no branches
            messages = _branch({_text(message, "uuid"): message for message in messages}, table)
        named = [{"name": "Claude", **message} if _role(message) == "assistant" else message for message in messages]
        yield _conversation([[message] for message in named], "export of Claude", _text(table, "model") or "Claude")
    else:
        for part in tables or table.values():
            yield from _conversations(part)


def _branch(tree: Mapping[str, Json], holder: Json) -> list[Json]:
    """The messages of the branch that is shown, else of the newest one, the first message first."""
    parents = {_text(node, *PARENT) for node in tree.values()}
    ends = [id for id in tree if id not in parents][::-1]
    shown = _text(holder, *SHOWN)
    node_id = shown if shown in tree else max(ends, key=lambda id: _time(tree[id]), default="")
    branch: dict[str, Json] = {}
    while node_id in tree and node_id not in branch:
        branch[node_id] = tree[node_id]
        node_id = _text(tree[node_id], *PARENT)
    return [*branch.values()][::-1]


def _time(message: Json) -> tuple[float, str]:
    time = next((message[name] for name in TIME if message.get(name)), 0)
    return (time, "") if isinstance(time, int | float) else (0, str(time))


def _answers(
    message: Json, tree: Mapping[str, Json], tries: Mapping[str, Sequence[Json]], models: object
) -> list[Json]:
    """The answers of all models to the question of an answer, in the order of the models; else the message alone.

    Of each model the answer in the branch counts, else its last one. A question to one model has only new tries.
    """
    parent = _text(message, *PARENT)
    asked = _table(tree.get(parent)).get("models") or models
    if _role(message) != "assistant" or not isinstance(asked, list) or len(cast("list[object]", asked)) < 2:
        return [message]
    shown: dict[object, Json] = {}
    for node in (*tries[parent], message):
        if _role(node) == "assistant":
            shown[node.get("modelIdx", _text(node, "model"))] = node
    answers = sorted(shown.values(), key=lambda node: index if isinstance(index := node.get("modelIdx"), int) else 0)
    names = [_text(answer, "model") for answer in answers]  # one model that is asked twice is two who answer
    return [
        {**answer, "name": name + " " * names[:n].count(name)}
        for n, (answer, name) in enumerate(zip(answers, names, strict=True))
    ]


def _conversation(turns: Sequence[Sequence[Json]], program: str, model: str = "") -> Conversation:
    """A conversation of messages; those of the system are a document, each other name or role is somebody."""
    rules = "\n\n".join(text for turn in turns for row in turn if _role(row) in RULES and (text := _words(row)))
    said = [
        [_said(row, text, model) for row in turn if _role(row) not in RULES and (text := _words(row))] for turn in turns
    ]
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
    return _text(message, *WHO) or _text(_table(message.get("author")), "role")


def _words(message: Json) -> str:
    """The words of a message: a text, the texts of its parts, or a refusal; no thinking, no calls of tools."""
    content = message.get("content")
    content = _table(content).get("parts") or _table(content).get("text") or content
    parts = cast("list[object]", content) if isinstance(content, list) else [content]
    texts = [part.strip() if isinstance(part, str) else _text(_table(part), "text", "refusal") for part in parts]
    text = "\n\n".join(filter(None, texts)) or _text(message, "refusal", "text")
    return text if NAMES.get(_role(message)) == "Person" else THOUGHT.sub("", text).strip()


def _table(value: object) -> Json:
    """The value if it is an object of JSON, else an empty one."""
    return cast("Json", value) if isinstance(value, Mapping) else {}


def _tables(value: object) -> list[Json]:
    """The objects in a list of JSON; none where it is no list."""
    return [table for item in cast("list[object]", value) if (table := _table(item))] if isinstance(value, list) else []


def _text(table: Json, *names: str) -> str:
    """The first text that stands under one of the names."""
    return next((text for name in names if isinstance(value := table.get(name), str) and (text := value.strip())), "")
