"""GET /metrics for Prometheus, in a thread of its own: collecting takes milliseconds, which no call waits."""

from __future__ import annotations

from threading import Thread
from types import TracebackType
from typing import Self
from wsgiref.simple_server import WSGIServer

from prometheus_client import start_http_server

from libs.telemetry.prometheus import PrometheusMeter


class MetricsEndpoint:
    """Serves one meter on one port until closed. Raises OSError when the port is in use."""

    def __init__(self, meter: PrometheusMeter, host: str, port: int) -> None:
        """Listen."""
        server, thread = start_http_server(port, host, meter.registry)
        assert isinstance(server, WSGIServer)
        self._server: WSGIServer = server
        self._thread: Thread = thread
        self.port: int = server.server_port

    def close(self) -> None:
        """Stop listening; a running answer ends first."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        """Serve in `with`."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()
