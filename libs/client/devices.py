"""Where the device key is kept: the one secret that makes a player the same player tomorrow."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Protocol

KEY_BYTES = 32


class DeviceStore(Protocol):
    """Keeps one device key."""

    def load(self) -> bytes | None:
        """Return the key; none before the first `save`."""
        ...

    def save(self, key: bytes) -> None:
        """Keep the key. It must be safe when this returns: the server is told of it afterwards."""
        ...


class MemoryDeviceStore:
    """Keeps the key as long as the process lives: for bots and tests."""

    def __init__(self, key: bytes | None = None) -> None:
        """Begin with a key, or without one."""
        self._key = key

    def load(self) -> bytes | None:
        """Return the key, if any."""
        return self._key

    def save(self, key: bytes) -> None:
        """Keep the key in memory."""
        self._key = key


class FileDeviceStore:
    """Keeps the key as hexadecimal in a file that only its owner may read (mode 0600)."""

    def __init__(self, path: Path) -> None:
        """Name the file; it need not exist."""
        self.path = path

    def load(self) -> bytes | None:
        """Return the key; none where there is no file. Raises ValueError when it holds something else."""
        try:
            text = self.path.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            return None
        try:
            return bytes.fromhex(text)
        except ValueError:
            raise ValueError(f"{self.path} does not hold a device key") from None

    def save(self, key: bytes) -> None:
        """Write beside its place and move it there, flushed: a crash leaves the old file or the new one."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        beside = self.path.with_name(f"{self.path.name}.{os.getpid()}.new")
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(key.hex() + "\n")
            file.flush()
            os.fsync(file.fileno())
        beside.replace(self.path)


def stored_key(store: DeviceStore) -> bytes:
    """Return the stored key; where there is none, make one and store it before anybody hears of it."""
    key = store.load()
    if key is None:
        key = secrets.token_bytes(KEY_BYTES)
        store.save(key)
    return key
