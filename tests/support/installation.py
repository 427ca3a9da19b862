"""A whole Sparrow under test: the real `python -m services` on a data folder of its own."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import asyncpg

from libs.cli.doctor.lag import check_lag
from libs.cli.doctor.machine import database_url
from libs.runtime.config import REPOSITORY, Settings
from libs.runtime.data_folder import read_announcement
from libs.runtime.embedded.ports import free_port

START_S = 150.0
STOP_S = 60.0


class Installation:
    """Starts, stops, crashes and starts again; its endpoint and its data stay the same."""

    def __init__(self, **settings: object) -> None:
        """Choose folder and port; nothing is started. Settings go to its processes."""
        self._settings = {f"SPARROW_{name.upper()}": str(value) for name, value in settings.items()}
        self.home = Path(tempfile.mkdtemp(prefix="sparrow-e2e-"))
        self.home.chmod(0o755)  # PostgreSQL may have to run as a user of its own
        self.data_dir = self.home / "data"
        self.endpoint = f"127.0.0.1:{free_port(str(self.home))}"
        self._output = self.home / "output.txt"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start, and wait until it has announced itself and its worker is at work."""
        port = self.endpoint.rpartition(":")[2]
        command = [sys.executable, "-m", "services", "--data-dir", str(self.data_dir), "--port", port]
        with self._output.open("ab") as output:
            self._process = subprocess.Popen(
                command, cwd=REPOSITORY, stdout=output, stderr=output, env={**os.environ, **self._settings}
            )
        wait_until(self._has_announced, START_S, self.output)
        wait_until(self._is_at_work, START_S, self.output)

    def stop(self) -> int:
        """Send SIGTERM, wait for the end, return the exit code."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        code = self._process.wait(STOP_S)
        self._process = None
        return code

    def crash(self) -> None:
        """Kill -9 the foreground process, and wait until everything it started is gone too."""
        assert self._process is not None
        pids = list(self.children().values())
        self._process.kill()
        self._process.wait()
        self._process = None
        wait_until(lambda: not any(_is_alive(pid) for pid in pids), STOP_S, self.output)

    def kill(self, part: str) -> None:
        """Kill -9 one part: `serving`, `worker`, `nats` or `postgres`."""
        os.kill(self.children()[part], signal.SIGKILL)

    def children(self) -> dict[str, int]:
        """Name and process id of every part that runs now."""
        facts = self._announcement()
        assert facts is not None, self.output()
        return {name: int(pid) for name, pid in facts["children"].items()}

    def output(self) -> str:
        """Return what the foreground process has said, and the ends of its logs."""
        logs = [
            f"--- {log.name}\n{log.read_text(errors='replace')[-3_000:]}"
            for log in sorted(self.data_dir.glob("logs/*.log"))
        ]
        return "\n".join([self._output.read_text(errors="replace"), *logs])

    def sparrow(
        self, *arguments: str, stdin: str = "", timeout_s: float = 60
    ) -> subprocess.CompletedProcess[str]:
        """Run the command line against it, with a folder for its keys that is thrown away."""
        return subprocess.run(
            [sys.executable, "-m", "libs.cli.main", *arguments],
            cwd=REPOSITORY,
            env={**os.environ, **self.environment()},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )

    def empty_queues(self) -> None:
        """Expire the tickets of players who have gone: whoever queues next would meet them."""
        asyncio.run(self._expire_tickets())

    def remove(self) -> None:
        """Stop what still runs and delete the folder."""
        if self._process is not None:
            self.stop()
        database = (self.data_dir / "postgres").resolve()
        shutil.rmtree(self.home, ignore_errors=True)
        shutil.rmtree(database, ignore_errors=True)

    def environment(self) -> dict[str, str]:
        """Return what leads the command line here, and to a folder for its keys that is thrown away."""
        return {
            "SPARROW_ENDPOINT": self.endpoint,
            "SPARROW_DATA_DIR": str(self.data_dir),
            "SPARROW_CONFIG_DIR": str(self.home / "config"),
            "COLUMNS": "110",
        }

    def _announcement(self) -> Mapping[str, Any] | None:
        facts = read_announcement(self.data_dir)
        ours = facts is not None and self._process is not None and facts["pid"] == self._process.pid
        return facts if ours else None

    def _has_announced(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self.output()
        return self._announcement() is not None

    def _database_url(self) -> str:
        url = database_url(self._announcement(), Settings(data_dir=self.data_dir))
        assert url is not None
        return url

    async def _expire_tickets(self) -> None:
        connection: asyncpg.Connection[asyncpg.Record] = await asyncpg.connect(self._database_url())
        try:
            for schema in ("match", "mcr"):
                await connection.execute(
                    f"UPDATE {schema}.ticket SET expires_at = now() WHERE state = 'waiting'"
                )
        finally:
            await connection.close()

    def _is_at_work(self) -> bool:
        """Whether every loop is held and nothing is behind: the endpoint answers a moment before that."""
        findings = asyncio.run(check_lag(self._database_url()))
        return all(finding.ok for finding in findings)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def wait_until(holds: Callable[[], bool], within_s: float, told: Callable[[], str]) -> None:
    """Wait until `holds()`; fail with what `told()` says when it does not within the bound."""
    deadline = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < deadline, told()
        time.sleep(0.05)
