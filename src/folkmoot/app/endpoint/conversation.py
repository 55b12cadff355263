"""A debate that begins from a conversation in a file: the messages are data, as those of a chat request are."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from folkmoot.app.brief.reader import ParsedBrief, Settings, read_brief
from folkmoot.app.endpoint.chat_brief import chat_brief
from folkmoot.app.endpoint.chat_request import read_chat
from folkmoot.app.endpoint.endpoint_errors import EndpointError
from folkmoot.core.errors import BriefError
from folkmoot.core.text import counted


def read_conversation(data: bytes, name: str, question: str, settings: Settings) -> ParsedBrief:
    """The brief of a conversation.

    Args:
        data: the file: a list of messages with role and content as JSON, an object with ``messages``, or JSON lines.
        name: the file's name, for errors and in the record.
        question: what is asked about it; "" for its last message.
        settings: settings of the brief.

    Raises:
        BriefError: it has no messages that can be read.
    """
    messages = [*_messages(data, name), *([{"role": "user", "content": question}] if question else [])]
    try:
        request = read_chat({"model": "folkmoot", "messages": messages})
    except EndpointError as error:
        raise BriefError(f"{name}: {error.message}", code=error.code) from error
    brief, count = chat_brief(request), len(messages) - bool(question)
    origin = f"{name} ({counted(count, 'message')}, sha256 {hashlib.sha256(data).hexdigest()[:16]})"
    background = tuple(
        replace(source, name=origin) if source.name == "conversation" else source for source in brief.background
    )
    header = json.dumps(brief.keys, ensure_ascii=False)
    parsed = read_brief(f"---\n{header}\n---\n", name=name, settings=settings)
    return replace(parsed, brief=replace(parsed.brief, background=(*parsed.brief.background, *background)))


def _messages(data: bytes, name: str) -> Sequence[object]:
    try:
        text = data.decode("utf-8-sig")
        try:
            value = cast("object", json.loads(text))
        except json.JSONDecodeError:
            value = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError) as error:
        problem = f'{name} is no conversation: write a list of {{"role": …, "content": …}} as JSON or JSON lines'
        raise BriefError(problem, code="malformed") from error
    if isinstance(value, Mapping):
        table = cast("Mapping[str, object]", value)
        value = [table] if "role" in table else table.get("messages")
    if not isinstance(value, list):
        raise BriefError(f"{name} has no list of messages", code="wrong_type")
    return cast("list[object]", value)
