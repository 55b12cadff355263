"""Decision receipts: write, sign and check them, and make and read the keys.

HMAC-SHA256 (RFC 2104): one secret signs and checks. Ed25519 (RFC 8032): a private key signs, the public one checks; its
library (extra ``receipts``) is imported only when such a key is made or read.

A receipt is one JSON object. Its signature covers all its other fields in their canonical form: keys sorted, no blanks,
ASCII. In Markdown a page for people is in front of the object, which holds the hash of that page, so that no character
of it can change either.
"""

import contextlib
import hashlib
import hmac
import json
import os
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from folkmoot.app.export.reports import check_target, save
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import BriefError, RecordError
from folkmoot.core.packages import missing_library
from folkmoot.core.text import listed
from folkmoot.record.store import digest, read
from folkmoot.report.receipt import Receipt, receipt, receipt_page
from folkmoot.report.report import as_data

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

SHORTEST = 16
"""The least length of a secret, in bytes."""

_LONGEST = 10_000

Algorithm: TypeAlias = Literal["hmac-sha256", "ed25519"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key that signs and checks. Its content is never shown.

    Attributes:
        algorithm: how it signs.
        name: the first 16 digits of the SHA-256 of a public key; "" for a secret, which must not be hinted at.
        sign: the signature of a message; None where the key can only check.
        holds: whether a signature is that of a message.
    """

    algorithm: Algorithm
    name: str
    sign: Callable[[bytes], bytes] | None
    holds: Callable[[bytes, bytes], bool]


def secret_key(secret: str) -> Key:
    """A key for HMAC-SHA256.

    Raises:
        BriefError: the secret is too short.
    """
    raw = secret.encode("utf-8", "surrogateescape")
    if len(raw) < SHORTEST:
        raise BriefError(f"the secret has {len(raw)} bytes; it needs at least {SHORTEST}", code="out_of_range")

    def sign(message: bytes) -> bytes:
        return hmac.digest(raw, message, "sha256")

    return Key(
        algorithm="hmac-sha256",
        name="",
        sign=sign,
        holds=lambda message, mark: hmac.compare_digest(sign(message), mark),
    )


def read_key(path: Path) -> Key:
    """An Ed25519 key out of a PEM file: a private one signs and checks, a public one checks.

    Raises:
        BriefError: there is no such file, others may read a private key, or it holds no Ed25519 key.
    """
    try:
        with path.open("rb") as file:
            raw, mode = file.read(_LONGEST), os.fstat(file.fileno()).st_mode
    except OSError as error:
        raise BriefError(f"the key cannot be read: {error.strerror or error}", where=str(path)) from error
    private = b"PRIVATE KEY" in raw
    if private and os.name == "posix" and mode & 0o077:
        raise BriefError(f"other users can read this private key; fix it with: chmod 600 {path}", where=str(path))
    with _library():
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key
    with contextlib.suppress(ValueError, TypeError, UnsupportedAlgorithm):  # TypeError: it is locked with a password
        key = load_pem_private_key(raw, None) if private else load_pem_public_key(raw)
        if isinstance(key, Ed25519PrivateKey):
            return _key_pair(key.public_key(), key)
        if isinstance(key, Ed25519PublicKey):
            return _key_pair(key, None)
    problem = "the file has no Ed25519 key in PEM format; make one with: folkmoot config key FILE"
    raise BriefError(problem, where=str(path))


def new_key(path: Path) -> Path:
    """Make an Ed25519 key in a private file; returns the path of the public key, which may be shared.

    Raises:
        BriefError: one of the files is there already, or cannot be written.
    """
    with _library():
        from cryptography.hazmat.primitives import serialization as forms
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    pem, key, public = forms.Encoding.PEM, Ed25519PrivateKey.generate(), path.with_name(f"{path.name}.pub")
    secret = key.private_bytes(pem, forms.PrivateFormat.PKCS8, forms.NoEncryption())
    shared = key.public_key().public_bytes(pem, forms.PublicFormat.SubjectPublicKeyInfo)
    for file in (path, public):
        if file.exists():
            raise BriefError("the file exists already; a key is never overwritten", where=str(file))
    for file, mode, text in ((path, 0o600, secret), (public, 0o644, shared)):
        try:
            with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as stream:
                stream.write(text)
        except OSError as error:
            raise BriefError(f"the key cannot be written: {error.strerror or error}", where=str(file)) from error
    return public


@contextlib.contextmanager
def _library() -> Generator[None]:
    """What is imported within needs the library that signs."""
    try:
        yield
    except ImportError as error:
        raise BriefError(missing_library("An Ed25519 key", "receipts"), code="missing_library") from error


def _key_pair(public: "Ed25519PublicKey", private: "Ed25519PrivateKey | None") -> Key:
    from cryptography.exceptions import InvalidSignature

    def holds(message: bytes, mark: bytes) -> bool:
        try:
            public.verify(mark, message)
        except InvalidSignature:
            return False
        return True

    name = hashlib.sha256(public.public_bytes_raw()).hexdigest()[:16]
    return Key(algorithm="ed25519", name=name, sign=private.sign if private else None, holds=holds)


VERSION = 1
"""The format that is written; it stands in the field ``folkmoot_receipt``."""

PROOF = "\n## Proof\n\n```json\n"
_END = "\n```\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedReceipt:
    """A receipt whose signature holds.

    Attributes:
        debate: the debate.
        entries: how many entries its record had.
        head: the hash of the last one.
        facts: what it says that the record says as well.
    """

    debate: str
    entries: int
    head: str
    facts: Mapping[str, object]


FACTS = ("question", "options", "protocol", "status", "winner", "decision", "rule", "tally")
"""The fields of a receipt that are compared with the record, besides who voted for whom; no version words them anew."""


async def make_receipt(workspace: Workspace, debate: str) -> Receipt:
    """The receipt of a debate, as its record stands.

    Raises:
        RecordError: there is no such debate, or its record is damaged.
    """
    entries = await workspace.entries(debate)
    return receipt(entries, debate=debate, head=digest((await workspace.lines(debate))[len(entries) - 1]))


def write_receipt(content: Receipt, key: Key | None, form: Literal["md", "json"] = "json") -> str:
    """A receipt as text; signed where there is a key.

    Raises:
        BriefError: the key can only check.
    """
    data: dict[str, object] = {"folkmoot_receipt": VERSION, **as_data(content)}
    page = receipt_page(content)
    if form == "md":
        data["page"] = hashlib.sha256(page.encode()).hexdigest()
    if key:
        if key.sign is None:
            raise BriefError("this is a public key: it can check receipts, but not sign them", code="out_of_range")
        data["signed"] = {"algorithm": key.algorithm, "key": key.name}
        data["signature"] = key.sign(canonical(data)).hex()
    text = json.dumps(data, ensure_ascii=False, indent=2)
    return f"{page}{PROOF}{text}{_END}" if form == "md" else f"{text}\n"


def check_receipt(text: str, key: Key) -> CheckedReceipt:
    """Check the signature of a receipt.

    Raises:
        RecordError: the text is no receipt, is not signed or with another key, or something in it was changed.
    """
    page, proof, rest = text.rpartition(PROOF)
    if proof and not rest.endswith(_END):
        raise RecordError("the receipt was changed: there is text after its end")
    data = _parse(rest.removesuffix(_END) if proof else text)
    signed, mark = data.get("signed"), data.pop("signature", None)
    if mark is None and signed is None:
        raise RecordError("the receipt is not signed")
    if not isinstance(signed, dict) or not isinstance(mark, str):
        raise _changed_error()
    if signed != {"algorithm": key.algorithm, "key": key.name}:
        raise RecordError("the receipt was signed with another key, or it was changed")
    if not key.holds(canonical(data), _bytes(mark)):
        raise RecordError("the signature is not valid: the receipt was changed, or signed with another key")
    if proof and data.get("page") != hashlib.sha256(page.encode()).hexdigest():
        raise RecordError("the receipt was changed: its page is not the one that was signed")
    return CheckedReceipt(
        debate=str(data["debate"]), entries=cast(int, data["entries"]), head=str(data["head"]), facts=_facts(data)
    )


async def check_record(workspace: Workspace, checked: CheckedReceipt) -> int:
    """Check the record that a receipt is about: the chain of all its entries, including later ones, and what it says.

    Returns:
        How many entries it has here; 0 where it is not here.

    Raises:
        RecordError: an entry is damaged, missing or has been changed, which the message names; or the record is
            another one; or it says something else than the receipt.
    """
    lines: Sequence[str] = await workspace.lines(checked.debate)
    if not lines:
        return 0
    entries = read(lines)
    if len(lines) < checked.entries or digest(lines[checked.entries - 1]) != checked.head:
        raise RecordError(f"the receipt is valid, but the record of {checked.debate} here is a different one")
    full_receipt = as_data(receipt(entries[: checked.entries], debate=checked.debate, head=checked.head))
    recorded = _facts(cast("dict[str, object]", json.loads(canonical(full_receipt))))
    if other := [name for name, fact in checked.facts.items() if fact != recorded[name]]:
        raise RecordError(
            f"the signature is valid, but the receipt says something else than the record of {checked.debate} here: "
            f"{listed(other)}"
        )
    return len(lines)


def _facts(data: Mapping[str, object]) -> dict[str, object]:
    """What a receipt says that is compared with the record."""
    ballots = cast("Sequence[Mapping[str, object]]", data.get("ballots", ()))
    votes = [[ballot.get(name) for name in ("voter", "state", "choice", "ranks")] for ballot in ballots]
    return {name: data.get(name) for name in FACTS} | {"ballots": votes}


def save_receipt(path: Path, text: str) -> None:
    """Write a receipt into a file, completely or not at all.

    Raises:
        BriefError: the file cannot be written, or it is there and is nothing that Folkmoot has written.
    """
    check_target(path)
    try:
        save(path, text)
    except OSError as error:
        raise BriefError(f"the receipt cannot be written: {error.strerror or error}", where=str(path)) from error


def canonical(data: object) -> bytes:
    """The one form of data that is signed."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def _parse(text: str) -> dict[str, object]:
    """A JSON object; without keys that stand twice and numbers that are none, which programs read differently."""
    try:
        data: object = json.loads(text, object_pairs_hook=_unique_members)
        canonical(data)
    except (ValueError, TypeError, RecursionError) as error:
        raise RecordError("this is not a receipt, or it was changed: it cannot be read") from error
    if not isinstance(data, dict) or "folkmoot_receipt" not in data:
        raise RecordError("this is not a receipt")
    return cast("dict[str, object]", data)


def _unique_members(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    data = dict(pairs)
    if len(data) != len(pairs):
        raise ValueError("a key appears twice")
    return data


def _bytes(mark: str) -> bytes:
    """A signature out of its digits; only those that are written count."""
    try:
        fromhex = bytes.fromhex(mark)
    except ValueError as error:
        raise _changed_error() from error
    if fromhex.hex() != mark:
        raise _changed_error()
    return fromhex


def _changed_error() -> RecordError:
    return RecordError("the receipt was changed: its signature cannot be read")
