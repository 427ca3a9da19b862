"""Processes of services for tests that kill them, forked from one that has imported the services already.

Each is a process like any other: it reads settings from its environment, arms its faults, serves, and dies of
signals. It only begins without the second of processor time that importing takes.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys
from collections.abc import Mapping, Sequence

# In the process that is forked from, these are the imports that are not made again.
import services.account.servicer
import services.ledger.servicer
import services.match.servicer
import services.mcr.servicer
import services.solitaire.servicer
import services.tournament.servicer  # noqa: F401
from libs.eventstore import faults
from libs.runtime.run import run_services

_FORKED = multiprocessing.get_context("forkserver")
_FORKED.set_forkserver_preload([__name__])
_LOOK_EVERY_S = 0.01


class ServiceProcess:
    """A process that serves and works for these services."""

    def __init__(self, names: Sequence[str], settings: Mapping[str, str]) -> None:
        """Start it: with the environment of the tests and, above that, these settings."""
        environment = {**os.environ, **settings}
        self._process = _FORKED.Process(target=_be, args=(tuple(names), environment), daemon=True)
        self._process.start()

    @property
    def returncode(self) -> int | None:
        """Its exit code, the signal that killed it as a negative number, none while it runs."""
        return self._process.exitcode

    def kill(self) -> None:
        """Kill -9."""
        self._process.kill()

    def terminate(self) -> None:
        """Ask it to stop in good order."""
        self._process.terminate()

    async def wait(self) -> int:
        """Wait for its end; return its exit code."""
        while (code := self.returncode) is None:  # noqa: ASYNC110 another process sets no event
            await asyncio.sleep(_LOOK_EVERY_S)
        return code

    async def end(self) -> None:
        """Kill it where it still runs; it is gone afterwards."""
        self.kill()
        await self.wait()


def _be(names: Sequence[str], environment: Mapping[str, str]) -> None:
    """Be the services, as `python -m services.<name>` would with this environment."""
    os.environ.clear()
    os.environ.update(environment)
    # A process that ends with its parent may have none of its own; these look after theirs themselves.
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
    faults._FAULTS = faults.Faults(environment.get(faults.VARIABLE, ""))
    sys.exit(run_services(names, "both"))
