"""The signing keys of one installation, generated once."""

from __future__ import annotations

import secrets
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from libs.runtime.embedded.private import write_private

KEY_NAMES = ("account", "service", "operator")
"""Who signs: the account service its tokens, services their calls, operators theirs."""
PAGE_SECRET = "page.secret"  # noqa: S105 a file name
"""32 random bytes in hexadecimal that sign page and resume tokens."""


def ensure_keys(folder: Path) -> None:
    """Generate what is absent: an Ed25519 pair `<name>.key`, `<name>.pub` (PEM) per name, the page secret.

    The public file is derived from the private one, so a pair that was interrupted mends itself.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for name in KEY_NAMES:
        private_file, public_file = folder / f"{name}.key", folder / f"{name}.pub"
        if private_file.exists() and public_file.exists():
            continue
        if not private_file.exists():
            write_private(private_file, _private_pem(Ed25519PrivateKey.generate()))
        write_private(public_file, _public_pem(private_file))
    if not (folder / PAGE_SECRET).exists():
        write_private(folder / PAGE_SECRET, secrets.token_hex(32))


def _private_pem(key: Ed25519PrivateKey) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def _public_pem(private_file: Path) -> str:
    key = load_pem_private_key(private_file.read_bytes(), password=None)
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
