"""Which models see pictures and take PDFs, how many tokens those have, and how they are written for OpenAI's wire.

What a model sees is told by its name, from the lists that the providers publish, as of November 2026. Where neither
list has a model, nobody knows before it is asked.
"""

import re
from collections.abc import Callable, Sequence
from math import ceil
from typing import TypeAlias

from folkmoot.core.brief import Attachment, Source
from folkmoot.core.errors import BriefError
from folkmoot.models.base import AttachedFile, Message
from folkmoot.models.names import LIBRARY, ModelName, parse

Counter: TypeAlias = Callable[[str], int]

_SEES = re.compile(
    r"gpt-4o|chatgpt-4o|gpt-4\.[15]|gpt-4-turbo|gpt-4-vision|gpt-[5-9]|o1(?!-mini|-preview)|o3(?!-mini)|o4"
    r"|claude-(?!1|2|instant)|(?:models/)?gemini|gemma-?3(?![-:](?:1b|270m))|gemma-?4|pixtral"
    r"|mistral-(?:small-?(?:3\.[12]|2503|2506|2603|latest)|medium|large-(?:3|2512|latest))|ministral-3"
    r"|grok-(?:2-vision|4)|llama-?4|llama-?3\.2-?(?:vision|11b|90b)|llava|bakllava|moondream|minicpm-v"
    r"|qwen[\d.]*-?vl|internvl|phi-?(?:3\.5|4)-(?:vision|multimodal)|granite[\d.]*-vision|nova-(?:lite|pro|premier)",
    re.IGNORECASE,
)
_BLIND = re.compile(
    r"gpt-3|gpt-4(?![o.\d]|-turbo|-vision)|gpt-oss|o1-(?:mini|preview)|o3-mini|claude-(?:1|2|instant)"
    r"|deepseek-(?:chat|reasoner|coder|r1|v\d)|llama-?[23](?!\.2|\d)|llama-?3\.2(?!-?(?:vision|11b|90b))|codellama"
    r"|tinyllama|mixtral|mistral(?:[:-]7b|-nemo|:|$)|codestral|devstral|qwen-?(?:2|2\.5|3)(?![\d.]|-?vl|-?omni)"
    r"|phi-?[34](?!\.|-vision|-multimodal)|gemma-?2|gemma:|gemma-?3[-:](?:1b|270m)|grok-[23](?!-vision)|command-r"
    r"|smollm2?(?!-?vlm)|nova-micro|granite-?[34](?!.*vision)",
    re.IGNORECASE,
)
"""Names of models that see pictures, and of such as take words only."""

_OF_LIBRARY = (
    *("openai", "openai-chat", "openai-responses", "anthropic", "bedrock"),
    *("google", "google-cloud", "google-gla", "google-vertex"),
)
"""Providers of the library that take PDFs."""

MOST_PAGES = 100
"""Pages of a PDF that providers take as a document."""

PATCH, TILE = 32, 512
"""Pixels of the squares by which OpenAI counts the tokens of a picture."""

_PATCHED: tuple[tuple[str, float], ...] = (
    (r"gpt-(?:4\.1|5[.\d]*)-nano", 2.46),
    (r"gpt-(?:4\.1|5[.\d]*)-mini", 1.62),
    (r"o4-mini", 1.72),
)
"""Models of OpenAI that count patches, at most 1,536, and by what the number is multiplied."""

_TILED: tuple[tuple[str, int, int], ...] = (
    (r"gpt-4o-mini", 2833, 5667),
    (r"gpt-5", 70, 140),
    (r"o[13]", 75, 150),
    (r"", 85, 170),
)
"""The others: tokens of a picture, and of each of its tiles."""


def bare_name(name: ModelName) -> str:
    """The name of a model without the provider or folder before it."""
    model = name.model.partition(":")[2] if name.provider.wire is LIBRARY else name.model
    return model.rpartition("/")[2]


def sees(name: ModelName) -> bool | None:
    """Whether a model sees pictures; None where nobody knows."""
    model = bare_name(name)
    return True if _SEES.match(model) else False if _BLIND.match(model) else None


def takes_pdf(name: ModelName) -> bool:
    """Whether a model is sent a PDF as it is; others are sent its words."""
    provider = name.provider.name
    if name.provider.wire is LIBRARY:
        return name.model.partition(":")[0] in _OF_LIBRARY and sees(name) is True
    return provider == "openrouter" or (provider in ("openai", "anthropic") and sees(name) is True)


def fault_of(name: str, sources: Sequence[Source], *, pictures: bool = True) -> str:
    """Why a model cannot be sent pictures and PDFs, as a part of a sentence; "" where it can, or nobody knows.

    Args:
        name: ``provider:name``, or an agent of the user's own.
        sources: documents with files.
        pictures: whether the way to the model takes pictures.
    """
    model = _parsed(name)
    blind = not pictures or (model is not None and sees(model) is False)
    for source in sources:
        if source.file and source.file.is_picture and blind:
            return f"{name} does not see pictures such as {source.name}"
        if source.file and not source.file.is_picture and not source.text and (model is None or not takes_pdf(model)):
            return f"{name} takes no PDF, and {source.name} has no text that could be sent instead"
    return ""


def doubt_of(name: str, sources: Sequence[Source]) -> str:
    """The sentence that says of a model that nobody knows whether it sees pictures; "" where that is known."""
    model = _parsed(name)
    shown = any(source.file and source.file.is_picture for source in sources)
    return f"It is not known whether {name} sees pictures." if shown and (model is None or sees(model) is None) else ""


def _parsed(name: str) -> ModelName | None:
    try:
        return parse(name)
    except BriefError:
        return None


def sends_document(name: ModelName, attached: AttachedFile) -> bool:
    """Whether a PDF goes as it is; one that is too long goes as words, if it has some."""
    return takes_pdf(name) and (attached.file.pages <= MOST_PAGES or not attached.words)


def split_files(name: ModelName, message: Message) -> tuple[tuple[AttachedFile, ...], str]:
    """What a model is sent of a message: the files, and the words with those of PDFs that it does not take."""
    sent = tuple(item for item in message.files if item.file.is_picture or sends_document(name, item))
    words = [item.words for item in message.files if item not in sent]
    return sent, "\n\n".join([*words, message.text])


def count_files(model: str, files: Sequence[AttachedFile], count: Counter) -> int:
    """An estimate of the tokens of pictures and PDFs, by what the providers say of theirs.

    Args:
        model: ``provider:name``; where that is no model of a provider, the provider that takes most of them counts.
        files: the pictures and PDFs.
        count: counts the tokens of a text.
    """
    names = [name] if (name := _parsed(model)) else [parse(text) for text in _EXAMPLES]
    return max(sum(_tokens(name, item, count) for item in files) for name in names)


_EXAMPLES = ("openai:gpt-5.4", "anthropic:claude-opus-5", "google:gemini-3.1-pro", "ollama:other")
"""A model for each way in which tokens are counted, but for the smallest ones, which count more and cost less."""


def _tokens(name: ModelName, attached: AttachedFile, count: Counter) -> int:
    file, words = attached.file, count(attached.words)
    if file.is_picture:
        return picture_tokens(name, file.width, file.height)
    if not sends_document(name, attached):
        return words
    # A page is read as its words and as a picture; the largest that a page can be.
    return words + file.pages * picture_tokens(name, 1240, 1754)


def picture_tokens(name: ModelName, width: int, height: int) -> int:
    """The tokens of a picture, as its provider counts them, at full detail."""
    model = bare_name(name)
    if re.match(r"claude-", model):
        return _of_anthropic(model, width, height)
    if re.match(r"(?:models/)?gemini", model):
        return _of_google(model, width, height)
    if re.match(r"gpt-|o\d|chatgpt-", model):
        return _of_openai(model, width, height)
    # Models of others cut a picture into squares of 28 pixels, at most 16,384.
    return min(16_384, ceil(width / 28) * ceil(height / 28)) + 256


def _of_anthropic(model: str, width: int, height: int) -> int:
    """Width times height by 750, after the picture was made smaller: newer models see more of it."""
    old = re.match(r"claude-(?:3|opus-4-[0-6]|opus-4$|sonnet-4|haiku-4|opus-4-\d{8})", model)
    side, maximum = (1568, 1600) if old else (2576, 4784)
    share = min(1.0, side / max(width, height))
    return min(maximum, ceil(width * share * height * share / 750) + 1)


def _of_google(model: str, width: int, height: int) -> int:
    """258 tokens for a tile of 768 pixels; from the third generation on 1,120 for each picture."""
    if not re.match(r"(?:models/)?gemini-[12]", model):
        return 1120
    return 258 if max(width, height) <= 384 else 258 * ceil(width / 768) * ceil(height / 768)


def _of_openai(model: str, width: int, height: int) -> int:
    """Patches of 32 pixels or tiles of 512, after the picture was made smaller."""
    for pattern, times in _PATCHED:
        if re.match(pattern, model):
            return ceil(min(1536, ceil(width / PATCH) * ceil(height / PATCH)) * times)
    base, tile = next((base, tile) for pattern, base, tile in _TILED if re.match(pattern, model))
    share = min(1.0, 2048 / max(width, height))
    share *= min(1.0, 768 / (min(width, height) * share))
    return base + tile * ceil(width * share / TILE) * ceil(height * share / TILE)


def data_address(file: Attachment) -> str:
    """A file as the address that holds it whole."""
    return f"data:{file.media};base64,{file.data}"


def openai_parts(name: ModelName, message: Message) -> list[dict[str, object]]:
    """A message with files as OpenAI's list of parts."""
    sent, text = split_files(name, message)
    parts: list[dict[str, object]] = []
    for item in sent:
        address = data_address(item.file)
        if item.file.is_picture:
            parts.append({"type": "image_url", "image_url": {"url": address}})
        else:
            parts.append({"type": "file", "file": {"filename": item.name, "file_data": address}})
    return [*parts, {"type": "text", "text": text}]
