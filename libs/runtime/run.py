"""A process of Sparrow, from its settings to its exit code."""

from __future__ import annotations

import asyncio
import os
import sys
import zoneinfo
from collections.abc import Mapping, Sequence
from importlib import import_module

import uvloop
from pydantic import ValidationError

from libs.runtime.config import Settings
from libs.runtime.failure import StartupFailure
from libs.runtime.gate import wait_at_gate
from libs.runtime.logs import configure_logs
from libs.runtime.process import Process
from libs.runtime.service import Bind
from libs.runtime.tokens import Keys, KeysMissingError

SERVICES = ("account", "ledger", "match", "mcr", "solitaire", "tournament")


def run(name: str, bind: Bind) -> None:
    """Serve and work for one service alone, then exit: `python -m services.<name>`."""
    sys.exit(_run({name: bind}, "both"))


def run_services(names: Sequence[str] | None, role: str) -> int:
    """Run these services (None: all) in one process as serve, work or both; return its exit code."""
    binds = {name: import_module(f"services.{name}.servicer").bind for name in names or SERVICES}
    return _run(binds, role)


def _run(binds: Mapping[str, Bind], role: str) -> int:
    """Return 0 after a stop in good order, 1 with one line on standard error when it could not start."""
    # Ledger days are cut with the pinned time-zone data, whatever the machine has.
    zoneinfo.reset_tzpath(to=[])
    wait_at_gate()
    try:
        settings = Settings()
        configure_logs(settings)
        keys = Keys.load(settings.keys_path)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(Process(settings, keys, role).run(binds))
    except ValidationError as error:
        for problem in error.errors():
            _say(f"SPARROW_{'_'.join(map(str, problem['loc'])).upper()}: {problem['msg']}")
        return 1
    except (StartupFailure, KeysMissingError) as error:
        _say(str(error))
        return 1
    return 0


def _say(sentence: str) -> None:
    sys.stderr.write(f"sparrow[{os.getpid()}]: {sentence}\n")
