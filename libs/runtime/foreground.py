"""The foreground process of `make run`: starts what one machine needs, watches it, stops it in order."""

from __future__ import annotations

import contextlib
import errno
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from urllib.parse import urlsplit

from pydantic import SecretStr

from libs.runtime.config import REPOSITORY, Settings, reachable_host
from libs.runtime.data_folder import DataFolder
from libs.runtime.embedded.child import Child
from libs.runtime.embedded.failure import LaunchError, failed, unusable
from libs.runtime.embedded.keys import ensure_keys
from libs.runtime.embedded.nats import EmbeddedNats
from libs.runtime.embedded.ports import free_port, why_not_free
from libs.runtime.embedded.postgres import EmbeddedPostgres
from libs.runtime.free_space import FreeSpaceWatch
from libs.runtime.gate import GATE_VARIABLE
from libs.runtime.health_probe import is_serving
from libs.runtime.kernel_state import kernel_state
from libs.runtime.metrics_ports import metrics_ports
from libs.runtime.nats_probe import nats_answers
from libs.runtime.supervisor import Part, Supervisor, stop_in_order
from libs.runtime.terminal import Terminal

SERVING_TIMEOUT_S = 60.0
GATE_FILE = "migrated"
"""In the data folder while the services may go on: the database is there and up to date."""
_TICK_S = 0.05
_PORT_PATIENCE_S = 2.0


@dataclass(frozen=True)
class Programs:
    """What the foreground process runs of ours; tests put stand-ins here."""

    serve: Sequence[str] = (sys.executable, "-m", "services", "--role", "serve")
    work: Sequence[str] = (sys.executable, "-m", "services", "--role", "work")
    migrate: Callable[[str], None] = field(default_factory=lambda: _migrate)


class Interrupted(BaseException):
    """Ctrl-C or SIGTERM while Sparrow was still starting."""


class StopSignals:
    """Counts requests to stop; while starting, the first one interrupts at once."""

    def __init__(self) -> None:
        """Listen to Ctrl-C, SIGTERM and the end of the terminal."""
        self.count = 0
        self.interrupting = True
        signal.signal(signal.SIGINT, self._note)
        signal.signal(signal.SIGTERM, self._note)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup asks to go on
            signal.signal(signal.SIGHUP, self._note)

    def hurried(self) -> bool:
        """Whether somebody asked twice."""
        return self.count > 1

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self.count += 1
        if self.interrupting:
            self.interrupting = False
            raise Interrupted


class Foreground:
    """One run from the first check to the last stopped child."""

    def __init__(self, settings: Settings, terminal: Terminal, programs: Programs) -> None:
        """Keep what the run needs; nothing is started."""
        self._settings = settings
        self._terminal = terminal
        self._programs = programs
        self._signals = StopSignals()
        self._parts: list[Part] = []
        self._postgres: EmbeddedPostgres | None = None
        self._nats: EmbeddedNats | None = None
        self._metrics_ports: Mapping[str, int] = {}

    def run(self, then: Sequence[str] | None = None) -> int:
        """Start, show the page, watch until told to stop; a command: until it ends, with its exit code."""
        folder = DataFolder.take(self._settings.data_dir.resolve(), self._settings.free_space_min_mib)
        try:
            self._start(folder)
            self._signals.interrupting = False
            return self._watch(folder, then)
        except Interrupted:
            return 0
        finally:
            self._signals.interrupting = False
            self._terminal.say("Stopping …")
            stop_in_order(self._parts, self._signals.hurried, self._terminal.say)
            folder.release()

    def _start(self, folder: DataFolder) -> None:
        self._require_free_port()
        self._settings = self._settings.model_copy(update={"data_dir": folder.path})
        ensure_keys(self._settings.keys_path)
        self._launch_servers(folder)
        gate = folder.path / GATE_FILE
        gate.unlink(missing_ok=True)
        self._launch_services(folder, gate)  # they import while PostgreSQL starts
        self._wait_for_servers()
        assert self._settings.database_url is not None
        with self._terminal.step("Migrating the database", "Database is up to date"):
            self._run_migrations(folder, self._settings.database_url.get_secret_value())
        gate.touch()
        with self._terminal.step("Starting the services", "Services answer"):
            self._wait_for_services()
        self._announce(folder)

    def _launch_servers(self, folder: DataFolder) -> None:
        """Start PostgreSQL and NATS, both at once and without waiting, unless the settings name others."""
        if self._settings.nats_url is None:
            self._nats = nats = EmbeddedNats(folder.path, folder.log("nats"))
            self._parts.append(Part(nats.child, nats.launch, nats.is_ready, stop_timeout_s=10, ready=True))
            nats.launch()
            self._settings = self._settings.model_copy(update={"nats_url": SecretStr(nats.url)})
        if self._settings.database_url is None:
            bin_dir = self._settings.postgres_bin_dir
            self._postgres = postgres = EmbeddedPostgres(folder.path, folder.log("postgres"), bin_dir=bin_dir)
            part = Part(postgres.child, postgres.launch, postgres.is_ready, stop_timeout_s=30, ready=True)
            self._parts.insert(0, part)
            if not postgres.is_initialised():
                with self._terminal.step("Making the database", f"Database made in {postgres.place.folder}"):
                    postgres.initialise()
            postgres.initialise()  # made before: it must fit the programs
            postgres.launch()
            self._settings = self._settings.model_copy(update={"database_url": SecretStr(postgres.url)})

    def _wait_for_servers(self) -> None:
        if self._postgres is not None:
            with self._terminal.step("Starting PostgreSQL", f"PostgreSQL {self._postgres.version}"):
                self._postgres.wait_ready()
        if self._nats is not None:
            with self._terminal.step("Starting NATS", "NATS with JetStream"):
                self._nats.wait_ready()

    def _run_migrations(self, folder: DataFolder, database_url: str) -> None:
        try:
            self._programs.migrate(database_url)
        except Exception as error:
            log = folder.log("migrate")
            log.write_text(traceback.format_exc())
            problem = failed("The migration of the database", log, f"failed: {error}")
            problem.log_tail = ""  # a traceback; people get the sentence, and the log keeps the rest
            raise problem from error

    def _launch_services(self, folder: DataFolder, gate: Path) -> None:
        """Start the serving process and the worker; they touch nothing before the gate is open."""
        drain_s = self._settings.drain_grace_ms / 1000
        self._metrics_ports = metrics_ports(self._settings, folder.path)
        servers = tuple(self._parts)
        for name, command in (("worker", self._programs.work), ("serving", self._programs.serve)):
            env = self._environment() | {
                "SPARROW_METRICS_PORT": str(self._metrics_ports.get(name, 0)),
                GATE_VARIABLE: str(gate),
            }
            child = Child(f"The {name} process", command, folder.log(name), env=env)
            child.cwd = REPOSITORY
            is_ready = self._is_serving if name == "serving" else child.is_running
            self._parts.append(Part(child, child.start, is_ready, drain_s + 5, needs=servers, ready=True))
            child.start()

    def _wait_for_services(self) -> None:
        """Wait until the server says SERVING."""
        deadline = time.monotonic() + SERVING_TIMEOUT_S
        while not self._is_serving():
            for part in self._parts:
                if not part.child.is_running():
                    raise failed(part.child.name, part.child.log, "did not start")
            if time.monotonic() > deadline:
                child = self._parts[-1].child
                raise failed(child.name, child.log, f"did not serve within {SERVING_TIMEOUT_S:.0f} s")
            time.sleep(_TICK_S)

    def _watch(self, folder: DataFolder, then: Sequence[str] | None) -> int:
        if then is None:
            self._show_page(folder)
        command = subprocess.Popen(then, env={**os.environ, **self._environment()}) if then else None
        supervisor = Supervisor(self._parts, self._terminal.say, lambda: self._announce(folder))
        space = FreeSpaceWatch(folder.path, self._settings.free_space_min_mib, self._terminal.say)
        try:
            while self._signals.count == 0:
                if command is not None and (code := command.poll()) is not None:
                    return code if code >= 0 else 128 - code
                supervisor.tick()
                space.tick(time.monotonic())
                time.sleep(_TICK_S)
        finally:
            if command is not None and command.poll() is None:
                command.terminate()
                command.wait()
        return 0 if then is None else 130

    def _is_serving(self) -> bool:
        return is_serving(self._settings.endpoint)

    def _environment(self) -> dict[str, str]:
        """Return the settings of a child. Secrets travel here, never on a command line."""
        settings = self._settings
        assert settings.database_url is not None
        assert settings.nats_url is not None
        return {
            "SPARROW_HOST": settings.host,
            "SPARROW_PORT": str(settings.port),
            "SPARROW_ENDPOINT": settings.endpoint,
            "SPARROW_SITE": settings.site,
            "SPARROW_DATA_DIR": str(settings.data_dir),
            "SPARROW_KEYS_DIR": str(settings.keys_path),
            "SPARROW_DATABASE_URL": settings.database_url.get_secret_value(),
            "SPARROW_NATS_URL": settings.nats_url.get_secret_value(),
        }

    def _require_free_port(self) -> None:
        """Refuse a port that another program listens on; what a killed Sparrow still holds gets a moment."""
        host, port = self._settings.host, self._settings.port
        deadline = time.monotonic() + _PORT_PATIENCE_S
        while problem := why_not_free(host, port):
            if problem.errno != errno.EADDRINUSE:
                raise LaunchError(
                    f"Cannot listen on {host}:{port}: {problem.strerror}.",
                    advice="Choose another address: SPARROW_HOST=127.0.0.1 SPARROW_PORT=7400 make run.",
                )
            if time.monotonic() > deadline:
                other = free_port(f"instead of {port}")
                raise LaunchError(
                    f"Port {port} on {host} is in use by another program.",
                    advice=f"Choose another: SPARROW_PORT={other} make run "
                    f"(or .venv/bin/python -m services --port {other}).",
                )
            time.sleep(_TICK_S)

    def _announce(self, folder: DataFolder) -> None:
        folder.announce(
            {
                "pid": os.getpid(),
                "endpoint": self._settings.endpoint,
                "data_dir": str(folder.path),
                "logs": str(folder.path / "logs"),
                "postgres": _address(self._settings.database_url),
                "nats": _address(self._settings.nats_url),
                "metrics": self._metrics_addresses(),
                "children": {part.child.log.stem: part.child.pid for part in self._parts},
            }
        )

    def _metrics_addresses(self) -> dict[str, str]:
        host = reachable_host(self._settings.metrics_host)
        return {name: f"{host}:{port}" for name, port in self._metrics_ports.items()}

    def _show_page(self, folder: DataFolder) -> None:
        facts = {"endpoint": f"{self._settings.endpoint} (gRPC, health, reflection)"}
        facts["data"] = str(folder.path)
        if self._postgres is not None and not self._postgres.place.folder.is_relative_to(folder.path):
            user = self._postgres.place.user
            reason = f" (where user {user.name} can reach them)" if user else ""
            facts["database files"] = f"{self._postgres.place.folder}{reason}"
        facts["logs"] = str(folder.path / "logs" / "*.log")
        facts["PostgreSQL"] = _address(self._settings.database_url) + ("" if self._postgres else " (yours)")
        facts["NATS"] = _address(self._settings.nats_url) + ("" if self._nats else self._about_their_nats())
        facts["kernel"] = kernel_state()
        if addresses := self._metrics_addresses():
            facts["metrics"] = "  ".join(
                f"http://{where}/metrics ({who})" for who, where in addresses.items()
            )
        # The command line finds a running Sparrow through its data folder.
        is_default = folder.path == Settings.model_fields["data_dir"].default
        export = (f"export SPARROW_DATA_DIR={shlex.quote(str(folder.path))}", "first, once")
        commands = [
            *([] if is_default else [export]),
            (".venv/bin/sparrow demo", "bots play every mode, the boards move"),
            (".venv/bin/sparrow play single --level 1", "play a level yourself"),
            (".venv/bin/sparrow doctor", "what is healthy"),
            ("Ctrl-C here", "drain and stop; everything is kept"),
        ]
        self._terminal.page(facts, commands)

    def _about_their_nats(self) -> str:
        assert self._settings.nats_url is not None
        if nats_answers(self._settings.nats_url.get_secret_value()):
            return " (yours)"
        return " (yours) does not answer: boards and watchers lag until it does; see SPARROW_NATS_URL"


def launch(settings: Settings, *, then: Sequence[str] | None = None, ephemeral: bool = False) -> int:
    """Run the foreground process; what goes wrong is said in words and gives exit code 1."""
    return launch_with(Programs(), Terminal(), settings, then=then, ephemeral=ephemeral)


def launch_with(
    programs: Programs,
    terminal: Terminal,
    settings: Settings,
    *,
    then: Sequence[str] | None = None,
    ephemeral: bool = False,
) -> int:
    """Do what `launch` does, with other programs and terminal. Ephemeral: the data folder is deleted."""
    try:
        return Foreground(settings, terminal, programs).run(then)
    except Interrupted:
        return 0
    except LaunchError as error:
        terminal.failure(error)
    except OSError as error:
        terminal.failure(unusable(settings.data_dir, error))
    finally:
        if ephemeral:
            _remove(settings)
    return 1


def _remove(settings: Settings) -> None:
    """Delete a data folder, and PostgreSQL's data where it lives elsewhere."""
    with contextlib.suppress(OSError):
        shutil.rmtree((settings.data_dir / "postgres").resolve())
    shutil.rmtree(settings.data_dir, ignore_errors=True)


def _migrate(database_url: str) -> None:
    """Bring the database to the present schema; imported on use, since it is slow to import."""
    from libs.eventstore.migrations import upgrade

    upgrade(database_url)


def _address(url: SecretStr | None) -> str:
    """Return host and port of a URL, without its password."""
    assert url is not None
    parts = urlsplit(url.get_secret_value())
    return f"{parts.hostname}:{parts.port}"
