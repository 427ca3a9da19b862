"""`python -m services`: all of Sparrow on one machine; with `--role`, one process of all its services."""

from __future__ import annotations

import argparse
import shlex
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any


def main() -> int:
    """Become the foreground process, or a process with one role; return its exit code."""
    # Ctrl-C during the slow imports below ends the process in silence; later the roles listen themselves.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parser = argument_parser()
    arguments = parser.parse_args()
    if arguments.ephemeral and arguments.data_dir is not None:
        parser.error("--ephemeral makes a data folder of its own")
    if (once := _once(arguments)) is not None:
        return once
    from libs.runtime.config import read_settings
    from libs.runtime.failure import StartupFailure

    given = {name: getattr(arguments, name) for name in ("host", "port", "data_dir")}
    overrides: dict[str, Any] = _ephemeral() if arguments.ephemeral else {}
    overrides |= {name: value for name, value in given.items() if value is not None}
    try:
        settings = read_settings(**overrides)
    except StartupFailure as failure:
        print(failure, file=sys.stderr)
        return 1
    from libs.runtime.foreground import launch

    then = shlex.split(arguments.then) if arguments.then else None
    return launch(settings, then=then, ephemeral=arguments.ephemeral)


def _once(arguments: argparse.Namespace) -> int | None:
    """Do what is not the foreground process and return the exit code; none: that process is asked for."""
    if arguments.make_keys is not None:
        from libs.runtime.embedded.keys import ensure_keys

        ensure_keys(arguments.make_keys)
        return 0
    if not (arguments.show_settings or arguments.settings_table or arguments.migrate or arguments.role):
        return None
    from libs.runtime import run
    from libs.runtime.shown_settings import settings_table

    if arguments.settings_table:
        print(settings_table())
        return 0
    if arguments.show_settings:
        return run.show_settings()
    return run.migrate() if arguments.migrate else run.run_services(None, arguments.role)


def argument_parser() -> argparse.ArgumentParser:
    """Return the arguments of `python -m services`."""
    parser = argparse.ArgumentParser(prog="python -m services", description="Start Sparrow on this machine.")
    parser.add_argument("--host", help="address to listen on (SPARROW_HOST)")
    parser.add_argument("--port", type=int, help="port to listen on (SPARROW_PORT)")
    parser.add_argument("--data-dir", type=Path, help="folder of the data (SPARROW_DATA_DIR)")
    ephemeral = "a free port, and a data folder that is deleted at the end"
    parser.add_argument("--ephemeral", action="store_true", help=ephemeral)
    then = "run a command once Sparrow serves, then stop with its exit code"
    parser.add_argument("--then", metavar="COMMAND", help=then)
    role = "be one process of all services; PostgreSQL and NATS run elsewhere"
    parser.add_argument("--role", choices=["serve", "work", "both"], help=role)
    migrate = "bring the database of SPARROW_DATABASE_URL to the present schema, and stop"
    parser.add_argument("--migrate", action="store_true", help=migrate)
    keys = "make the signing keys that are absent in a folder, and stop"
    parser.add_argument("--make-keys", type=Path, metavar="FOLDER", help=keys)
    shown = "print the settings as this process reads them, secrets masked, and stop"
    parser.add_argument("--show-settings", action="store_true", help=shown)
    table = "print a table of all settings, and stop"
    parser.add_argument("--settings-table", action="store_true", help=table)
    return parser


def _ephemeral() -> dict[str, object]:
    """Return a free port and a fresh folder that every user may enter."""
    from libs.runtime.embedded.ports import free_port

    folder = Path(tempfile.mkdtemp(prefix="sparrow-"))
    folder.chmod(0o755)
    return {"port": free_port(str(folder)), "data_dir": folder}


if __name__ == "__main__":
    sys.exit(main())
