"""Ports on this machine: which are free, and which a data folder keeps."""

from __future__ import annotations

import hashlib
import json
import socket
from pathlib import Path

# Below every system's range for outgoing connections: a client that dials a dead server inside that range can
# be given the very same port and connect to itself.
_LOWEST, _HIGHEST = 15_000, 32_000


def is_free(port: int) -> bool:
    """Whether a server could listen there on the loopback address now."""
    return why_not_free("127.0.0.1", port) is None


def why_not_free(host: str, port: int) -> OSError | None:
    """Return what keeps a server from listening there now; none: it could."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen(1)
        except OSError as error:
            return error
    return None


def free_port(key: str) -> int:
    """Return a free port on the loopback address; the same key gives the same port while it is free."""
    span = _HIGHEST - _LOWEST
    first = int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big") % span
    for offset in range(span):
        port = _LOWEST + (first + offset) % span
        if is_free(port):
            return port
    raise AssertionError("every port of this machine is in use")


def kept_port(record: Path, key: str) -> int:
    """Return the port recorded in a JSON file under the key, if it is free; else choose and record one."""
    try:
        found = json.loads(record.read_text())
    except (OSError, ValueError):
        found = None
    ports: dict[str, object] = found if isinstance(found, dict) else {}
    kept = ports.get(key)
    if isinstance(kept, int) and 0 < kept < 65_536 and is_free(kept):
        return kept
    chosen = free_port(f"{record.resolve()}:{key}")
    record.write_text(json.dumps({**ports, key: chosen}))
    return chosen
