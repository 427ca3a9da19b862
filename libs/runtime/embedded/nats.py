"""The embedded NATS server with JetStream: one node, started as a direct child."""

from __future__ import annotations

import json
import secrets
import shutil
import signal
import socket
import sys
import time
from pathlib import Path

from libs.runtime.embedded.child import Child
from libs.runtime.embedded.failure import LaunchError, failed
from libs.runtime.embedded.leftovers import end_leftovers
from libs.runtime.embedded.ports import kept_port
from libs.runtime.embedded.private import write_private

USER = "sparrow"
# NATS refuses streams whose limits exceed what it means to use of the disk: by default three quarters of what
# was free at its start, so that a small disk would carry nothing. The streams' own limits are enough.
_STORE_BYTES_MAX = 1 << 40
_POLL_S = 0.02


class EmbeddedNats:
    """One NATS server in `<data_dir>/nats`. What it holds can be wiped: the relay publishes it again."""

    def __init__(self, data_dir: Path, log: Path) -> None:
        """Find program and port; nothing is started."""
        self.folder = data_dir / "nats"
        self._password_file = data_dir / "nats.password"
        self.port = kept_port(data_dir / "ports.json", "nats")
        self.child = Child("NATS", [str(_program()), "-c", str(data_dir / "nats.conf")], log)
        # SIGTERM lets JetStream close its files.
        self.child.stop_signal = self.child.orphan_signal = signal.SIGTERM
        self.child.cwd = self.folder
        self._config_file = data_dir / "nats.conf"

    @property
    def url(self) -> str:
        """Where clients connect: `nats://user:password@host:port`."""
        return f"nats://{USER}:{self._password()}@127.0.0.1:{self.port}"

    def launch(self) -> None:
        """Start the server without waiting for it; a process that a crash left behind is ended first."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_private(self._config_file, self._config())
        end_leftovers(self.folder, self.folder.with_name("nats.pid"), signal.SIGTERM)
        self.child.start()

    def wait_ready(self, timeout_s: float = 30.0) -> None:
        """Wait until a client with the password is served."""
        deadline = time.monotonic() + timeout_s
        while not self.is_ready():
            if not self.child.is_running():
                raise failed("NATS", self.child.log, "did not start")
            if time.monotonic() > deadline:
                raise failed("NATS", self.child.log, f"did not become ready in {timeout_s:.0f} s")
            time.sleep(_POLL_S)

    def is_ready(self) -> bool:
        """Whether the server answers a ping of a signed-in client, with JetStream on."""
        hello = json.dumps({"user": USER, "pass": self._password(), "verbose": False, "pedantic": False})
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=2) as connection:
                lines = connection.makefile("rb")
                info = lines.readline()
                connection.sendall(f"CONNECT {hello}\r\nPING\r\n".encode())
                return b'"jetstream":true' in info and lines.readline() == b"PONG\r\n"
        except OSError:
            return False

    def start(self) -> None:
        """Start, and wait until ready."""
        self.launch()
        self.wait_ready()

    def stop(self, timeout_s: float = 10.0) -> None:
        """Shut down in order."""
        self.child.stop(timeout_s)

    def kill(self) -> None:
        """Crash the server: kill -9."""
        self.child.kill()

    def _password(self) -> str:
        if not self._password_file.exists():
            write_private(self._password_file, secrets.token_hex(24))
        return self._password_file.read_text().strip()

    def _config(self) -> str:
        """Return the configuration; NATS reads JSON. The password is here and not on the command line."""
        settings = {
            "host": "127.0.0.1",
            "port": self.port,
            "server_name": "sparrow-embedded",
            "pid_file": str(self.folder.with_name("nats.pid")),
            "jetstream": {"store_dir": str(self.folder), "max_file_store": _STORE_BYTES_MAX},
            "authorization": {"user": USER, "password": self._password()},
        }
        return json.dumps(settings, indent=2)


def _program() -> Path:
    """Return the server's program: beside the interpreter, where its wheel puts it, or on the path."""
    beside = Path(sys.prefix) / "bin" / "nats-server"
    if beside.exists():
        return beside
    found = shutil.which("nats-server")
    if found is None:
        raise LaunchError("There is no nats-server.", advice="`make setup` installs it.")
    return Path(found)
