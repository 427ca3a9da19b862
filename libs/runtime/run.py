"""A process of Sparrow, from its settings to its exit code."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import zoneinfo
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Final

import asyncpg
import uvloop

from libs.runtime.config import SERVICES, Settings, read_settings
from libs.runtime.failure import StartupFailure
from libs.runtime.gate import wait_at_gate
from libs.runtime.process import Process
from libs.runtime.service import Bind
from libs.runtime.shown_settings import shown_settings
from libs.runtime.tokens import Keys, KeysMissingError
from libs.telemetry.logs import configure_logs

ROLES: Final = ("serve", "work", "both")


def run(name: str, bind: Bind) -> None:
    """Be one service alone, then exit: `python -m services.<name>`."""
    arguments = service_parser(name).parse_args()
    if arguments.show_settings:
        sys.exit(show_settings())
    sys.exit(_run({name: bind}, arguments.role))


def run_services(names: Sequence[str] | None, role: str) -> int:
    """Run these services (None: all) in one process as serve, work or both; return its exit code."""
    binds = {name: import_module(f"services.{name}.servicer").bind for name in names or SERVICES}
    return _run(binds, role)


def service_parser(name: str) -> argparse.ArgumentParser:
    """Return the arguments of a service alone. Everything else is a setting."""
    description = f"Run the {name} service alone. Settings: SPARROW_* variables or files (deploy/README.md)."
    parser = argparse.ArgumentParser(prog=f"python -m services.{name}", description=description)
    roles = "serve calls, do the work behind them, or both"
    parser.add_argument("--role", choices=ROLES, default="both", help=roles)
    shown = "print the settings as this process reads them, secrets masked, and stop"
    parser.add_argument("--show-settings", action="store_true", help=shown)
    return parser


def show_settings() -> int:
    """Print the settings; return the exit code."""
    try:
        sys.stdout.write(f"{shown_settings(read_settings())}\n")
    except StartupFailure as failure:
        return say(failure)
    return 0


def migrate() -> int:
    """Bring the database of the settings to the present schema; return the exit code."""
    from libs.eventstore.migrations import upgrade

    try:
        settings = read_settings()
        if (url := settings.database_url) is None:
            return say("SPARROW_DATABASE_URL names no database")
        upgrade(url.get_secret_value())
    except StartupFailure as failure:
        return say(failure)
    except (OSError, asyncpg.PostgresError) as error:
        return say(f"the database was not migrated: {str(error) or type(error).__name__}")
    return 0


def say(reason: object) -> int:
    """Tell why this process does not start, a line per reason on standard error; return the exit code."""
    for sentence in str(reason).splitlines():
        sys.stderr.write(f"sparrow[{os.getpid()}]: {sentence}\n")
    return 1


def _run(binds: Mapping[str, Bind], role: str) -> int:
    """Return 0 after a stop in good order, 1 with one line on standard error when it could not start."""
    # Ledger days are cut with the pinned time-zone data, whatever the machine has.
    zoneinfo.reset_tzpath(to=[])
    wait_at_gate()
    try:
        settings: Settings = read_settings()
        configure_logs(settings.log_level, settings.log_format)
        keys = Keys.load(settings.keys_path)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(Process(settings, keys, role).run(binds))
    except (StartupFailure, KeysMissingError) as error:
        return say(error)
    return 0
