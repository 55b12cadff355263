"""Make a brief of a conversation, as data only: no word of a message can seat anybody, or set an option or a limit.

Messages of the system are rules, the history is a document, and the last message of the user is the question.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moot.app.endpoint.chat_request import RULES, ChatMessage, ChatRequest
from moot.core.brief import Source

LONG_QUESTION = "Answer the last message of the conversation."
"""The topic where the question is too long for one."""

MOST_TOPIC = 2000
MOST_RULES = 20_000

SHORT_ANSWER = 400
"""A limit of so many tokens or fewer is told to those who answer; a longer one seldom matters."""

_WORDS_PER_TOKEN = 0.75

_TASKS = re.compile(
    r"\A\s*###\s*Task:\s*\n\s*(?:Generate|Suggest|Analyze|You are an autocompletion)"
    r"|\b(?:concise|short|brief)\b[^.\n]{0,60}\btitle\b[^.\n]{0,80}\b(?:conversation|chat|prompt|message)"
    r"|\bgenerate\b[^.\n]{0,40}\btags?\b[^.\n]{0,80}\b(?:conversation|chat)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatBrief:
    """A brief as data: the keys of a header, and the documents."""

    keys: Mapping[str, object]
    background: tuple[Source, ...]


def is_small_task(request: ChatRequest) -> bool:
    """Whether a chat program asks for a title, tags or the like: a guess by the words of its last message."""
    return bool(_TASKS.search(request.messages[-1].text))


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
    background += [file for message in request.messages for file in message.files]
    keys: dict[str, object] = {"topic": question if short else LONG_QUESTION}
    keys |= {"rules": rules} if rules else {}
    keys |= {"options": list(request.options)} if request.options else {}
    return ChatBrief(keys=keys, background=tuple(background))


def _conversation(messages: Sequence[ChatMessage]) -> str:
    return "\n".join(f"{message.role}:\n{_indented(message.text)}" for message in messages if message.text.strip())


def _indented(text: str) -> str:
    """The text with blanks before its lines, so that none of them begins like a heading or a label."""
    return "\n".join(f"  {line}" if line.strip() else "" for line in text.splitlines())
