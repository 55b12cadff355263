"""Pictures and PDFs in the messages of a chat request: they come whole, within the request; no address is fetched."""

import re
from collections.abc import Mapping, Sequence
from typing import cast

from folkmoot.app.endpoint.endpoint_errors import EndpointError
from folkmoot.core.brief import Source
from folkmoot.core.errors import BriefError
from folkmoot.core.text import clean, clip, flat
from folkmoot.tools.attachments import MOST_FILES, decode_base64, read_attachment

KINDS = ("image_url", "input_image", "file", "input_file")
"""The types of parts that hold a picture or a document, in chat completions and in responses."""

LONGEST_NAME = 80


def read_file(part: Mapping[str, object], earlier: Sequence[Source], place: str) -> Source:
    """The document that a part of a message holds.

    Args:
        part: the part.
        earlier: the files of the request before it, whose names are taken.
        place: where it stands, for errors.

    Raises:
        EndpointError: it holds no file, but an address or an id, or a file of another kind.
    """
    if len(earlier) >= MOST_FILES:
        problem = f"the messages have more than {MOST_FILES} pictures and PDFs"
        raise EndpointError(413, problem, "too_large", param="messages")
    kind, number = part.get("type"), len(earlier) + 1
    if kind in ("image_url", "input_image"):
        address, name = part.get("image_url"), f"picture {number}"
        if isinstance(address, dict):
            address = cast("dict[str, object]", address).get("url")
    else:
        inner = part.get("file") if kind == "file" else part
        table = cast("dict[str, object]", inner) if isinstance(inner, dict) else {}
        address, name = table.get("file_data"), _name(table.get("filename"), number)
    if name in [source.name for source in earlier]:
        name = f"{name} ({number})"
    try:
        return read_attachment(name, _bytes_of(address, place))
    except BriefError as error:
        status = 413 if error.code == "too_large" else 400
        raise EndpointError(status, f"{place}: {error.found}", error.code, param=place) from error


def _bytes_of(address: object, place: str) -> bytes:
    if not isinstance(address, str) or re.match(r"[a-z]{2,10}://", address, re.IGNORECASE):
        problem = f"{place} must contain the file itself, as data:…;base64,…: addresses and ids are not fetched"
        raise EndpointError(400, problem, "unsupported_value", param=place)
    head, mark, tail = address.partition(";base64,")
    text = tail if mark and head.startswith("data:") else address
    if not text.strip():
        problem = f"{place} is empty; it must contain the file itself, as data:…;base64,…"
        raise EndpointError(400, problem, "invalid_value", param=place)
    if (data := decode_base64(text)) is None:
        raise EndpointError(400, f"{place} is no base64", "invalid_value", param=place)
    return data


def _name(name: object, number: int) -> str:
    plain = flat(clean(name)) if isinstance(name, str) else ""
    return clip(plain.replace("=", ""), LONGEST_NAME) or f"document {number}"
