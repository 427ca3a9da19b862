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
from datetime import UTC, datetime, timedelta
from pathlib import Path

# In the process that is forked from, these are the imports that are not made again.
import services.account.servicer
import services.ledger.servicer
import services.match.servicer
import services.mcr.servicer
import services.solitaire.servicer
import services.tournament.servicer  # noqa: F401
from libs.eventstore import faults
from libs.runtime.run import run_services
from libs.runtime.systemclock import SystemClock
from tests.support.shared_faults import SharedFaults

_FORKED = multiprocessing.get_context("forkserver")
_FORKED.set_forkserver_preload([__name__])
_LOOK_EVERY_S = 0.01


class ServiceProcess:
    """A process that serves and works for these services."""

    def __init__(
        self,
        names: Sequence[str],
        settings: Mapping[str, str],
        *,
        passages: Path | None = None,
        clock_off: timedelta = timedelta(),
    ) -> None:
        """Start it: with the environment of the tests and, above that, these settings.

        Replicas that are given one folder `passages` count there how often they pass fault points. The clock
        of the machine that it believes to be on is off by `clock_off`.
        """
        environment = {**os.environ, **settings}
        arguments = (tuple(names), environment, passages, clock_off)
        self._process = _FORKED.Process(target=_be, args=arguments, daemon=True)
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


def _be(
    names: Sequence[str], environment: Mapping[str, str], passages: Path | None, clock_off: timedelta
) -> None:
    """Be the services, as `python -m services.<name>` would with this environment."""
    os.environ.clear()
    os.environ.update(environment)
    # A process that ends with its parent may have none of its own; these look after theirs themselves.
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
    armed = environment.get(faults.VARIABLE, "")
    faults._FAULTS = faults.Faults(armed) if passages is None else SharedFaults(armed, passages)

    def now(self: SystemClock) -> datetime:
        return datetime.now(UTC) + clock_off

    SystemClock.now = now  # type: ignore[method-assign]
    sys.exit(run_services(names, "both"))
