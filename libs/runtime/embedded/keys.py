"""The signing keys of one installation, generated once."""

from __future__ import annotations

import base64
import secrets
from pathlib import Path

from libs.runtime.embedded.failure import LaunchError
from libs.runtime.embedded.private import write_private

KEY_NAMES = ("account", "service", "operator")
"""Who signs: the account service its tokens, services their calls, operators theirs."""
PAGE_SECRET = "page.secret"  # noqa: S105 a file name
"""32 random bytes in hexadecimal that sign page and resume tokens."""
SECRET_BYTES = 32
# What DER (RFC 8410) puts before the 32 bytes of an Ed25519 key.
_PRIVATE_PREFIX = bytes.fromhex("302e020100300506032b657004220420")
_PUBLIC_PREFIX = bytes.fromhex("302a300506032b6570032100")


def ensure_keys(folder: Path) -> None:
    """Generate what is absent: an Ed25519 pair `<name>.key`, `<name>.pub` (PEM) per name, the page secret.

    The public file is derived from the private one, so a pair that was interrupted, or whose public file is
    damaged, mends itself. A damaged private key or page secret is a `LaunchError` that names the file.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for name in KEY_NAMES:
        private_file, public_file = folder / f"{name}.key", folder / f"{name}.pub"
        if not private_file.exists():
            write_private(private_file, _new_private_pem())
            write_private(public_file, _public_pem(private_file))
        elif not _holds_key(private_file, "PRIVATE", _PRIVATE_PREFIX):
            raise _damaged(private_file, "no Ed25519 private key", "whoever is signed in signs in again")
        elif not (public_file.exists() and _holds_key(public_file, "PUBLIC", _PUBLIC_PREFIX)):
            write_private(public_file, _public_pem(private_file))
    if not (folder / PAGE_SECRET).exists():
        write_private(folder / PAGE_SECRET, secrets.token_hex(SECRET_BYTES))
    _check_secret(folder / PAGE_SECRET)


def _new_private_pem() -> str:
    # Late, here and below: most starts find their keys made, and need not wait for this import.
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = Ed25519PrivateKey.generate()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def _public_pem(private_file: Path) -> str:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

    key = load_pem_private_key(private_file.read_bytes(), password=None)
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def _holds_key(file: Path, kind: str, prefix: bytes) -> bool:
    """Whether the file has the form of an Ed25519 key; told without the library, which is slow to import."""
    begin, end = (f"-----{edge} {kind} KEY-----".encode() for edge in ("BEGIN", "END"))
    text = file.read_bytes().strip()
    if not (text.startswith(begin) and text.endswith(end)):
        return False
    try:
        der = base64.b64decode(b"".join(text[len(begin) : -len(end)].split()), validate=True)
    except ValueError:
        return False
    return der.startswith(prefix) and len(der) == len(prefix) + 32


def _check_secret(file: Path) -> None:
    try:
        secret = bytes.fromhex(file.read_text().strip())
    except ValueError:
        secret = b""
    if len(secret) < SECRET_BYTES:
        raise _damaged(file, f"not {SECRET_BYTES} bytes in hexadecimal", "open lists and streams begin anew")


def _damaged(file: Path, what: str, then: str) -> LaunchError:
    return LaunchError(
        f"{file} is damaged: it holds {what}.",
        advice=f"Bring it back from a backup, or delete it: a new one is made, and {then}.",
    )
