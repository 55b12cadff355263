"""Keys: who may read them, which are refused, and that none is shown."""

import stat
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key

from folkmoot.app.export.signed_receipts import check_receipt, new_key, read_key, secret_key, write_receipt
from folkmoot.core.errors import BriefError
from folkmoot.report.receipt import receipt
from tests.report.reports import hiring

SECRET = "correct horse battery"
RECEIPT = receipt(hiring(), debate="hire-1a2b3c", head="ab" * 32)


def test_a_public_key_signs_nothing(tmp_path: Path) -> None:
    public = read_key(new_key(tmp_path / "k"))
    with pytest.raises(BriefError, match="not sign them"):
        write_receipt(RECEIPT, public)


def test_a_short_secret_is_refused_and_none_is_shown() -> None:
    with pytest.raises(BriefError, match="15 bytes; it needs at least 16"):
        secret_key("x" * 15)
    assert SECRET not in repr(secret_key(SECRET))


def test_a_new_key_is_for_its_owner_alone_and_never_overwritten(tmp_path: Path) -> None:
    public = new_key(tmp_path / "k")
    assert stat.S_IMODE((tmp_path / "k").stat().st_mode) == 0o600
    assert public == tmp_path / "k.pub"
    for path in (tmp_path / "k", public):
        with pytest.raises(BriefError, match="never overwritten"):
            new_key(tmp_path / "k")
        path.unlink()
    with pytest.raises(BriefError, match="cannot be written: No such file"):
        new_key(tmp_path / "none" / "k")


def test_a_private_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    new_key(tmp_path / "k")
    (tmp_path / "k").chmod(0o644)
    with pytest.raises(BriefError, match="chmod 600"):
        read_key(tmp_path / "k")


def test_what_is_no_ed25519_key(tmp_path: Path) -> None:
    other = generate_private_key(SECP256R1())
    forms = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    texts = {
        "words": b"hello",
        "broken": b"-----BEGIN PRIVATE KEY-----\nxx\n-----END PRIVATE KEY-----\n",
        "curve": other.private_bytes(*forms, serialization.NoEncryption()),
        "locked": other.private_bytes(*forms, serialization.BestAvailableEncryption(b"secret")),
        "public": other.public_key().public_bytes(forms[0], serialization.PublicFormat.SubjectPublicKeyInfo),
    }
    for name, text in texts.items():
        path = tmp_path / name
        path.write_bytes(text)
        path.chmod(0o600)
        with pytest.raises(BriefError, match="has no Ed25519 key"):
            read_key(path)
    with pytest.raises(BriefError, match="cannot be read: No such file"):
        read_key(tmp_path / "none")


def test_without_the_library_one_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new_key(tmp_path / "k")
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)
    for path in (tmp_path / "k", tmp_path / "k.pub"):
        with pytest.raises(BriefError, match='pip install "cryptography'):
            read_key(path)
    with pytest.raises(BriefError, match='pip install "cryptography'):
        new_key(tmp_path / "other")
    assert check_receipt(write_receipt(RECEIPT, secret_key(SECRET)), secret_key(SECRET)).debate == "hire-1a2b3c"
