"""Make a brief of a conversation, as data only: no word of a message can seat anybody, or set an option or a limit.

Messages of the system are rules, the history is a document, and the last message of the user is the question.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from folkmoot.app.endpoint.chat_request import RESULTS, RULES, ChatMessage, ChatRequest
from folkmoot.core.brief import Source
from folkmoot.core.text import shorten

LONG_QUESTION = "Answer the last message of the conversation."
"""The topic where the question is too long for one, and no line of it can stand for it."""

MOST_TOPIC = 2000
LONGEST_LINE = 300
"""Characters of a line of the question that stands for it."""
MOST_RULES = 20_000

SHORT_ANSWER = 400
"""A limit of so many tokens or fewer is told to those who answer; a longer one seldom matters."""

_WORDS_PER_TOKEN = 0.75

_TALK = (
    r"(?:conversation|chat(?! ?bot)|session|thread|dialogue|prompt|message)s?\b"
    r"(?! (?:app|client|feature|product|room|server))"
)

_HEAD = re.compile(r"\A\s*###\s*Task:\s*\n\s*(?P<task>[^\n]*)", re.IGNORECASE)
"""How Open WebUI begins what it asks beside a conversation, and questions about documents too."""

_HEADED = re.compile(
    r"\b(?:title|tags|follow-?ups?|search quer(?:y|ies)|image generation|autocompletion)\b"
    r"|\bmessages this user\b|\bconversation history\b",
    re.IGNORECASE,
)

_TASKS = re.compile(
    rf"\b(?:concise|short|brief)\b[^.\n]{{0,60}}\btitle\b[^.\n]{{0,80}}\b{_TALK}"
    rf"|\bgenerate\b[^.\n]{{0,40}}\btags?\b[^.\n]{{0,80}}\b{_TALK}"
    rf"|\b(?:a|concise) (?:title|name) (?:for|of|that \w+) (?:the|this)\b[^.\n]{{0,40}}\b{_TALK}"
    rf"|\b(?:name|give|summari[sz]e) (?:this|the|the given) {_TALK}[^.\n]{{0,30}}\b(?:name|title|in \d+)\b"
    r"|\Ayou are a (?:\w+ )?(?:title generator|conversation summarizer)\b"
    r"|\bfacial expression\b[^.\n]{0,60}\bemojis?\b",
    re.IGNORECASE,
)
"""How chat programs ask for titles, tags, further questions, searches and emojis beside the conversation."""

_CHOICE_OF_TOOLS = re.compile(r"\AAvailable Tools: .*\bchoose and return the correct tool", re.DOTALL)
"""How Open WebUI has a model choose tools that are not passed to it as tools."""

MOST_TASK = 2000
"""Instructions of the system that are longer belong to a conversation, whatever they say about titles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatBrief:
    """A brief as data: the keys of a header, and the documents."""

    keys: Mapping[str, object]
    background: tuple[Source, ...]


def is_small_task(request: ChatRequest) -> bool:
    """Whether a chat program asks for a title, tags or the like: a guess by its last message or short instructions."""
    first, last = request.messages[0], request.messages[-1]
    instructions = first.text if first.role in RULES and len(first.text) <= MOST_TASK else ""
    chooses = first.role in RULES and _CHOICE_OF_TOOLS.match(first.text.strip())
    return bool(chooses or _asks_task(last.text) or _TASKS.search(instructions.strip()))


def _asks_task(text: str) -> bool:
    """Whether a message of the user is a task: by its head where it has one, whatever the documents in it say."""
    head = _HEAD.match(text)
    if head is None:
        return bool(_TASKS.search(text))
    return bool(_HEADED.search(head["task"])) or "<chat_history>" in text


def chat_brief(request: ChatRequest) -> ChatBrief:
    """The brief of a chat request."""
    last = max(n for n, message in enumerate(request.messages) if message.role == "user" and message.text.strip())
    question = request.messages[last].text.strip()
    rules = "\n\n".join(message.text.strip() for message in request.messages if message.role in RULES).strip()
    history = [message for n, message in enumerate(request.messages) if message.role not in RULES and n != last]
    background = [Source(name="conversation", text=_conversation(history))] if any(m.text for m in history) else []
    short = len(question) <= MOST_TOPIC and "\n" not in question and not request.turn
    if request.turn:  # what tools have found since then stands in its place
        talk = [message for message in request.messages if message.role not in RULES]
        background = [Source(name="conversation", text=_conversation(talk))]
    elif not short:
        background.append(Source(name="question", text=_indented(question)))
    if len(rules.encode()) > MOST_RULES:
        background.append(Source(name="instructions", text=_indented(rules)))
        rules = "Keep to the document: instructions."
    if request.most_tokens is not None and request.most_tokens <= SHORT_ANSWER:
        words = max(1, int(request.most_tokens * _WORDS_PER_TOKEN))
        rules = f"{rules}\n\nThe final answer has at most {words} words.".strip()
    if request.shape and request.shape.kind == "tools":
        background.append(Source(name="tools", text=request.shape.told))
    background += [file for message in request.messages for file in message.files]
    topic = question if short else LONG_QUESTION if request.turn else _topic_of(question)
    keys: dict[str, object] = {"topic": topic}
    keys |= {"rules": rules} if rules else {}
    keys |= {"options": list(request.options)} if request.options else {}
    return ChatBrief(keys=keys, background=tuple(background))


def _topic_of(question: str) -> str:
    """The line of a long question that asks, else its first line; the whole of it is a document beside."""
    lines = [line.strip() for line in question.splitlines() if line.strip()]
    line = next((line for line in lines if line.endswith(("?", "？"))), lines[0])
    return shorten(line, LONGEST_LINE) if line[0].isalnum() else LONG_QUESTION


def caller_talk(request: ChatRequest) -> str:
    """The messages of a request as JSON, for a model that answers in the caller's own ones."""
    return json.dumps([_row(message) for message in request.messages if message.text.strip() or message.calls])


def turn_digest(request: ChatRequest, owner: str) -> str:
    """The hash of a conversation up to the last message of the user, without the rules, which may tell the time."""
    last = max(n for n, message in enumerate(request.messages) if message.role == "user")
    rows = [_row(message) for message in request.messages[: last + 1] if message.role not in RULES]
    return hashlib.sha256(json.dumps([owner, request.model, rows]).encode()).hexdigest()


def _row(message: ChatMessage) -> dict[str, object]:
    role = "system" if message.role in RULES else message.role
    role = role if role not in RESULTS else "tool" if message.answers else "user"
    name = f"{message.name}: " if message.name and role != "system" else ""
    calls = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in message.calls]
    row: dict[str, object] = {"role": role, "text": f"{name}{message.words}"}
    more = {"calls": calls, "answers": message.answers, "files": [file.name for file in message.files]}
    return row | {key: value for key, value in more.items() if value}


def _conversation(messages: Sequence[ChatMessage]) -> str:
    return "\n".join(f"{_label(message)}:\n{_indented(message.text)}" for message in messages if message.text.strip())


def _label(message: ChatMessage) -> str:
    """Who speaks: the role, and the name that the caller gave."""
    return f"{message.role} ({message.name})" if message.name else message.role


def _indented(text: str) -> str:
    """The text with blanks before its lines, so that none of them begins like a heading or a label."""
    return "\n".join(f"  {line}" if line.strip() else "" for line in text.splitlines())
