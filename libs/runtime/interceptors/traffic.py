"""The calls in flight: counted, logged in one canonical line each, and turned away while draining."""

from __future__ import annotations

import asyncio
import time
from typing import Self

from libs.runtime.caller import CALLER, Anybody, Caller, ServiceCaller
from libs.runtime.errors import Refused
from libs.runtime.interceptors.methods import Method
from libs.telemetry.logs import log_call
from libs.telemetry.meter import NO_METER, Histogram, Meter

RETRY_AFTER_MS = 500
_ANYBODY = Anybody()


class Watched:
    """One call in flight, as a context; who ends it says how."""

    __slots__ = ("_began_s", "_method", "_traffic", "code", "reason")

    def __init__(self, traffic: Traffic, method: Method) -> None:
        self._traffic = traffic
        self._method = method
        self._began_s = 0.0
        self.code = "OK"
        self.reason = ""

    def by(self, code: str, reason: str) -> None:
        """Note the status and the reason."""
        self.code = code
        self.reason = reason

    def __enter__(self) -> Self:
        """Count the call as in flight."""
        self._began_s = time.perf_counter()
        if not self._method.infrastructure:
            self._traffic.enter()
        return self

    def __exit__(self, *_error: object) -> None:
        """Log how it ended: no tokens, no personal data, no ids of players."""
        if not self._method.infrastructure:
            duration_s = time.perf_counter() - self._began_s
            self._traffic.leave(self._method, self.code, duration_s)
            log_call(
                method=self._method.path,
                code=self.code,
                reason=self.reason,
                duration_ms=round(duration_s * 1_000, 2),
                caller=type(CALLER.get(_ANYBODY)).__name__,
            )


class Traffic:
    """The calls of one process."""

    def __init__(self, calls_max: int, meter: Meter = NO_METER) -> None:
        self.draining = False
        self._calls_max = calls_max
        self._in_flight = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._meter = meter
        self._durations: dict[tuple[str, str], Histogram] = {}  # by method and code
        about = "Calls in flight, open streams among them."
        meter.read("sparrow_calls_in_flight", about, lambda: [({}, self._in_flight)])

    def check_admission(self, caller: Caller) -> None:
        """Raise Refused DRAINING or RATE_LIMIT when no new call may begin.

        Services are let in while draining: the calls that still run may need theirs to finish.
        """
        if self._in_flight > self._calls_max:
            raise Refused("RATE_LIMIT", "too many calls at once: call again", retry_after_ms=RETRY_AFTER_MS)
        if self.draining and not isinstance(caller, ServiceCaller):
            raise Refused("DRAINING", "this server is stopping: call again", retry_after_ms=RETRY_AFTER_MS)

    def watch(self, method: Method) -> Watched:
        """Return the context of one call: it is counted and logged. Every call pays it, so no generator."""
        return Watched(self, method)

    def enter(self) -> None:
        """Count a call that begins."""
        self._in_flight += 1
        self._idle.clear()

    def leave(self, method: Method, code: str, duration_s: float) -> None:
        """Count a call that has ended."""
        self._in_flight -= 1
        if not self._in_flight:
            self._idle.set()
        self._note(method, code, duration_s)

    def _note(self, method: Method, code: str, duration_s: float) -> None:
        duration = self._durations.get((method.path, code))
        if duration is None:
            duration = self._durations[method.path, code] = self._meter.histogram(
                "rpc_server_call_duration_seconds",
                "How long calls took, by OpenTelemetry's conventions.",
                rpc_system_name="grpc",
                rpc_method=method.path.removeprefix("/"),
                rpc_response_status_code=code,
            )
        duration.observe(duration_s)

    async def until_idle(self, timeout_s: float) -> bool:
        """Wait until no call is in flight; False when it took longer than allowed."""
        try:
            await asyncio.wait_for(self._idle.wait(), timeout_s)
        except TimeoutError:
            return False
        return True
