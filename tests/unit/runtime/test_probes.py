"""Whether a NATS server is there, asked without signing in."""

from __future__ import annotations

import socket
import threading

from libs.runtime.nats_probe import nats_answers


def test_only_a_server_that_greets_as_nats_answers() -> None:
    """A closed port and another program are no NATS; a greeting is."""
    port = 0
    for greeting, expected in ((b"INFO {}\r\n", True), (b"HTTP/1.1 400\r\n", False)):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            thread = threading.Thread(target=_greet, args=(server, greeting))
            thread.start()
            assert nats_answers(f"nats://user:word@127.0.0.1:{port}") is expected
            thread.join()
    assert nats_answers(f"nats://127.0.0.1:{port}", 0.2) is False


def _greet(server: socket.socket, greeting: bytes) -> None:
    client, _ = server.accept()
    with client:
        client.sendall(greeting)
