"""Keys that sign receipts, and those that check them. This file owns how they are made, kept and read.

HMAC-SHA256 (RFC 2104): one secret signs and checks. Ed25519 (RFC 8032): a private key signs, the public one checks; its
library (extra ``receipts``) is imported here alone, when such a key is made or read.
"""

import contextlib
import hashlib
import hmac
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from moot.core.errors import BriefError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

SHORTEST = 16
"""The least length of a secret, in bytes."""

INSTALL = 'Ed25519 keys need a library that is not installed: pip install "moot[receipts]"'
_LONGEST = 10_000

Algorithm: TypeAlias = Literal["hmac-sha256", "ed25519"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """What signs and checks. Nothing shows what it holds.

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
    if b"PRIVATE KEY" not in raw:
        return _public(raw, path)
    if os.name == "posix" and mode & 0o077:
        raise BriefError(f"others may read this private key; mend it with: chmod 600 {path}", where=str(path))
    return _private(raw, path)


def new_key(path: Path) -> Path:
    """Make an Ed25519 key; nobody else may read its file. Where its public key is then, which may be given to anybody.

    Raises:
        BriefError: one of the files is there already, or cannot be written.
    """
    try:
        from cryptography.hazmat.primitives import serialization as forms
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    except ImportError as error:
        raise BriefError(INSTALL, code="missing_library") from error
    made, public = Ed25519PrivateKey.generate(), path.with_name(f"{path.name}.pub")
    texts = (
        (path, 0o600, made.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption())),
        (public, 0o644, made.public_key().public_bytes(forms.Encoding.PEM, forms.PublicFormat.SubjectPublicKeyInfo)),
    )
    for file in (path, public):
        if file.exists():
            raise BriefError("the file is there already; a key is never overwritten", where=str(file))
    for file, mode, text in texts:
        try:
            with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as stream:
                stream.write(text)
        except OSError as error:
            raise BriefError(f"the key cannot be written: {error.strerror or error}", where=str(file)) from error
    return public


def _private(raw: bytes, path: Path) -> Key:
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
    except ImportError as error:
        raise BriefError(INSTALL, code="missing_library") from error
    # TypeError: the key is locked with a password.
    with contextlib.suppress(ValueError, TypeError, UnsupportedAlgorithm):
        found = load_pem_private_key(raw, None)
        if isinstance(found, Ed25519PrivateKey):
            return _pair(found.public_key(), found)
    raise _no_key(path)


def _public(raw: bytes, path: Path) -> Key:
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        from cryptography.hazmat.primitives.serialization import load_pem_public_key
    except ImportError as error:
        raise BriefError(INSTALL, code="missing_library") from error
    with contextlib.suppress(ValueError, UnsupportedAlgorithm):
        found = load_pem_public_key(raw)
        if isinstance(found, Ed25519PublicKey):
            return _pair(found, None)
    raise _no_key(path)


def _no_key(path: Path) -> BriefError:
    return BriefError(
        "the file holds no Ed25519 key in PEM; make one with: moot receipt --new-key FILE", where=str(path)
    )


def _pair(public: "Ed25519PublicKey", private: "Ed25519PrivateKey | None") -> Key:
    from cryptography.exceptions import InvalidSignature

    def holds(message: bytes, mark: bytes) -> bool:
        try:
            public.verify(mark, message)
        except InvalidSignature:
            return False
        return True

    name = hashlib.sha256(public.public_bytes_raw()).hexdigest()[:16]
    return Key(algorithm="ed25519", name=name, sign=private.sign if private else None, holds=holds)
