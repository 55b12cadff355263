"""Conversations in JSON: chat messages, exports of ChatGPT, llm-council, and logs of Inspect."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias, cast

from folkmoot.app.imports.conversations import Conversation, Council, Speaker, Statement, topic_of, unique_names
from folkmoot.core.brief import Source
from folkmoot.core.errors import BriefError

Json: TypeAlias = Mapping[str, object]

SAID_BY_MODELS = ("assistant",)
SAID_BY_PEOPLE = ("user", "human")

RULES = ("system", "developer")
"""Roles whose messages are instructions: they become a document."""

CHAIR = "Chairperson"
"""Who sums up a council."""

FINAL = re.compile(r"FINAL RANKING\s*:", re.IGNORECASE)

RANKED = re.compile(r"^\s*\d+[.)]\s*\**\s*(Response\s+[A-Z])\b", re.IGNORECASE | re.MULTILINE)
"""A place in a ranking of llm-council: ``1. Response C``."""


def read_json(text: str, name: str) -> list[Conversation]:
    """All conversations of a file; one without words has no speakers.

    Args:
        text: JSON, or JSON lines of messages.
        name: the file's name, for errors.

    Raises:
        BriefError: it is none of the known forms, or no conversation in it has words.
    """
    try:
        try:
            value = cast("object", json.loads(text))
        except json.JSONDecodeError:
            value = _json_lines(text, name)
    except (ValueError, RecursionError):
        raise BriefError(f"{name} is no JSON and no JSON lines", code="malformed") from None
    conversations = list(_conversations(value))
    if not any(conversation.speakers for conversation in conversations):
        known = "chat messages, an export of ChatGPT, a conversation of llm-council or a log of Inspect"
        raise BriefError(f"{name} has no conversation that can be read; known are {known}", code="malformed")
    return conversations


def _conversations(value: object) -> Iterator[Conversation]:
    """Each conversation, whichever form the file has."""
    if isinstance(value, list):
        tables = _tables(cast("list[object]", value))
        if tables and all("role" in table for table in tables):
            yield _chat(tables, "chat messages", "")
        else:
            for table in tables:
                yield from _conversations(table)
    elif isinstance(value, Mapping):
        yield from _one(cast("Json", value))


def _one(table: Json) -> Iterator[Conversation]:
    messages, title = [*_tables(table.get("messages")), *_chosen(table)], _text(table.get("title"))
    if isinstance(table.get("mapping"), Mapping):
        yield _chat(_branch(table), "export of ChatGPT", "")
    elif any("stage1" in message for message in messages):
        yield from _councils(messages, title)
    elif "samples" in table and "eval" in table:
        for sample in _tables(table["samples"]):
            yield _chat(_tables(sample.get("messages")), "log of Inspect", _text(_table(table["eval"]).get("model")))
    elif messages:
        yield _chat(messages, "chat messages", _text(table.get("model")))


def _chosen(table: Json) -> list[Json]:
    """The first of the answers that a provider gave to the messages, where the file has them too."""
    return [message for choice in _tables(table.get("choices"))[:1] if (message := _table(choice.get("message")))]


# ---- chats -----------------------------------------------------------------------------------------------------------


def _chat(messages: Sequence[Json], program: str, model: str) -> Conversation:
    """A chat: messages of the system are a document, each other name or role is somebody who takes part."""
    rules = "\n\n".join(text for message in messages if message.get("role") in RULES and (text := _words(message)))
    spoken = [(message, text) for message in messages if message.get("role") not in RULES and (text := _words(message))]
    names = unique_names([_speaker(message) for message, _ in spoken])
    speakers = {
        names[raw]: Speaker(
            name=names[raw],
            model=_own_model(message) or model if message.get("role") in SAID_BY_MODELS else "",
            person=message.get("role") in SAID_BY_PEOPLE,
        )
        for message, _ in reversed(spoken)
        for raw in [_speaker(message)]
    }
    topic, long_topic = topic_of(spoken[0][1] if spoken else "", "question")
    instructions = (Source(name="instructions", text=rules),) if rules else ()
    return Conversation(
        topic=topic,
        program=program,
        speakers=tuple(speakers[name] for name in names.values()),
        statements=tuple(Statement(by=names[_speaker(message)], text=text) for message, text in spoken),
        background=(*long_topic, *instructions),
    )


ROLES: Mapping[str, str] = MappingProxyType({"user": "Person", "human": "Person", "assistant": "Model"})
"""Names for roles that have another meaning in a debate."""


def _speaker(message: Json) -> str:
    """Who says a message, as the file has it: a name, else the model, else the role."""
    role = _text(message.get("role"))
    model = _own_model(message) if role in SAID_BY_MODELS else ""
    return _text(message.get("name")) or model or ROLES.get(role) or role.capitalize() or "Somebody"


def _own_model(message: Json) -> str:
    return _text(message.get("model")) or _text(_table(message.get("metadata")).get("model_slug"))


def _words(message: Json) -> str:
    """The words of a message: a text or the texts of its parts, a refusal, and the calls of tools in it."""
    content = message.get("content")
    parts = cast("list[object]", content) if isinstance(content, list) else [content]
    texts = [_text(part) or _text(_table(part).get("text")) or _text(_table(part).get("refusal")) for part in parts]
    texts += [_text(message.get("refusal")), *map(_call, _tables(message.get("tool_calls")))]
    return "\n\n".join(text for text in texts if text)


def _call(call: Json) -> str:
    """A call of a tool in words, as OpenAI and Inspect write it."""
    function = _table(call.get("function")) or {"name": call.get("function"), "arguments": call.get("arguments")}
    arguments = function.get("arguments")
    shown = _text(arguments) or json.dumps(arguments, ensure_ascii=False)
    return f"(calls {name}: {shown})" if (name := _text(function.get("name"))) else ""


def _branch(table: Json) -> list[Json]:
    """The messages of the branch that an export of ChatGPT shows, the first one first."""
    nodes = cast("Mapping[str, object]", table["mapping"])
    messages: list[Json] = []
    node_id, visited = _text(table.get("current_node")), set[str]()
    node_id = node_id if node_id in nodes else _newest_end(nodes)
    while node_id in nodes and node_id not in visited:
        visited.add(node_id)
        node = _table(nodes[node_id])
        messages.append(_exported(_table(node.get("message"))))
        node_id = _text(node.get("parent"))
    return messages[::-1]


def _newest_end(nodes: Mapping[str, object]) -> str:
    """The end of the branch with the newest message, where an export does not say which one it shows; "" for none."""
    parents = {_text(_table(node).get("parent")) for node in nodes.values()}
    times = {id: _table(_table(node).get("message")).get("create_time") for id, node in nodes.items()}
    ends = {id: time if isinstance(time, int | float) else 0 for id, time in times.items() if id not in parents}
    return max(reversed(ends), key=ends.__getitem__, default="")


def _exported(message: Json) -> Json:
    """A message of an export in the words of a chat; code that a model wrote for a tool stands in a text of its own."""
    content = _table(message.get("content"))
    words = content.get("parts") or content.get("text")
    return {"role": _table(message.get("author")).get("role"), "content": words, "metadata": message.get("metadata")}


# ---- llm-council -----------------------------------------------------------------------------------------------------


def _councils(messages: Sequence[Json], title: str) -> Iterator[Conversation]:
    """A debate for each question of a council: answers, rankings, and the words of its chair."""
    question = ""
    for message in messages:
        if "stage1" not in message:
            question = _words(message) or question
            continue
        first = [row for row in _tables(message["stage1"]) if _text(row.get("model")) and _text(row.get("response"))]
        last = _table(message.get("stage3"))
        members = _members(first)
        names = unique_names(members)
        labels = {f"response {chr(ord('a') + n)}": names[member] for n, member in enumerate(members)}
        rows = zip(members, first, strict=True)
        answers = tuple(Statement(by=names[member], text=_text(row["response"])) for member, row in rows)
        second = _tables(message.get("stage2"))
        rankings = {
            names[member]: (_text(row["ranking"]), _ranked(_text(row["ranking"]), labels))
            for member, row in zip(_members(second), second, strict=True)
            if member in names and _text(row.get("ranking"))
        }
        words = _text(last.get("response"))
        speakers = [Speaker(name=name, model=member.strip()) for member, name in names.items()]
        chair = Speaker(name=unique_names([*names, CHAIR])[CHAIR], model=_text(last.get("model")))
        topic, long_topic = topic_of(question or title, "question")
        key = "\n".join(f"{label.title()} is the answer of {name}." for label, name in labels.items())
        yield Conversation(
            topic=topic,
            program="conversation of llm-council",
            speakers=(*speakers, chair) if words else tuple(speakers),
            statements=(Statement(by=chair.name, text=words),) if words else (),
            council=Council(answers=answers, rankings=rankings),
            background=(*long_topic, Source(name="labels in the rankings", text=key)) if labels else long_topic,
        )


def _members(rows: Sequence[Json]) -> list[str]:
    """Who wrote each row: its model; a model that stands there again is another member, and has one more blank."""
    models = [_text(row.get("model")) for row in rows]
    return [model + " " * models[:n].count(model) for n, model in enumerate(models)]


def _ranked(text: str, labels: Mapping[str, str]) -> tuple[str, ...]:
    """Whom a ranking names, the best first; () unless a list behind the last FINAL RANKING names nobody twice."""
    places = list(FINAL.finditer(text))
    rows = [" ".join(row.casefold().split()) for row in RANKED.findall(text[places[-1].end() :])] if places else []
    clear = len(set(rows)) == len(rows) and set(rows) <= labels.keys()
    return tuple(labels[row] for row in rows) if clear else ()


# ---- values ----------------------------------------------------------------------------------------------------------


def _json_lines(text: str, name: str) -> list[object]:
    """The values of JSON lines.

    Raises:
        BriefError: the first line is one, and a later one is none.
        ValueError: the first line is none.
    """
    values: list[object] = []
    for n, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            values.append(json.loads(line))
        except ValueError as error:
            if values and line.lstrip().startswith("{"):
                raise BriefError(f"{name}: line {n} is no JSON", code="malformed") from error
            raise
    return values


def _table(value: object) -> Json:
    """The value if it is an object of JSON, else an empty one."""
    return cast("Json", value) if isinstance(value, Mapping) else {}


def _tables(value: object) -> list[Json]:
    """The objects in a list of JSON; none where it is no list."""
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [table for item in items if (table := _table(item))]


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
