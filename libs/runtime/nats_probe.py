"""Asks whether a NATS server is there."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

NATS_PORT = 4222


def nats_answers(url: str, timeout_s: float = 1.0) -> bool:
    """Whether the server at `nats://user:password@host:port` greets; nobody signs in."""
    parts = urlsplit(url)
    try:
        with socket.create_connection(
            (parts.hostname or "", parts.port or NATS_PORT), timeout_s
        ) as connection:
            connection.settimeout(timeout_s)
            return connection.recv(5) == b"INFO "
    except OSError:
        return False
