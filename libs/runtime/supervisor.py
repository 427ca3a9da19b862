"""Keeps the parts of one installation running: what dies is started again, what dies too often ends all."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from libs.runtime.embedded.child import Child, bound_log
from libs.runtime.embedded.failure import failed

DEATHS_MAX = 10
DEATHS_WINDOW_S = 60.0
_BACKOFF_FIRST_S, _BACKOFF_MAX_S = 0.05, 1.0
_PROBE_EVERY_S = 0.1
_LOGS_EVERY_S = 10.0


@dataclass
class Part:
    """One child under supervision: how it starts, when it is ready, and which parts it stands on."""

    child: Child
    launch: Callable[[], None]
    is_ready: Callable[[], bool]
    stop_timeout_s: float
    needs: Sequence[Part] = ()
    ready: bool = False
    deaths: deque[float] = field(default_factory=lambda: deque(maxlen=DEATHS_MAX))
    start_at: float | None = None
    """When to start again; none: it was started."""
    probe_at: float = 0.0


class Supervisor:
    """Watches parts, in the order in which they were started."""

    def __init__(
        self,
        parts: Sequence[Part],
        say: Callable[[str], None],
        changed: Callable[[], None],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Tell people through `say`; call `changed` whenever a part has a new process."""
        self._parts = parts
        self._say = say
        self._changed = changed
        self._monotonic = monotonic
        self._logs_at = 0.0

    def tick(self) -> None:
        """Look once at every part; a part that keeps dying is a `LaunchError`."""
        now = self._monotonic()
        for part in self._parts:
            if part.start_at is not None:
                if now >= part.start_at and all(need.ready for need in part.needs):
                    part.launch()
                    part.start_at = None
                    self._changed()
            elif not part.child.is_running():
                self._note_death(part, now)
            elif not part.ready and now >= part.probe_at:
                self._probe(part)
        if now >= self._logs_at:
            self._logs_at = now + _LOGS_EVERY_S
            for part in self._parts:
                bound_log(part.child.log)

    def _note_death(self, part: Part, now: float) -> None:
        part.ready = False
        part.deaths.append(now)
        recent = [at for at in part.deaths if now - at < DEATHS_WINDOW_S]
        if len(recent) >= DEATHS_MAX:
            raise failed(part.child.name, part.child.log, f"ended {DEATHS_MAX} times within a minute")
        part.start_at = now + min(_BACKOFF_MAX_S, _BACKOFF_FIRST_S * 2 ** (len(recent) - 1))
        self._say(f"{part.child.name} {_how_it_ended(part.child)}; it is started again.")

    def _probe(self, part: Part) -> None:
        if part.is_ready():
            part.ready = True
            self._say(f"{part.child.name} is back after {self._monotonic() - part.deaths[-1]:.1f} s.")
        part.probe_at = self._monotonic() + _PROBE_EVERY_S


def stop_in_order(parts: Sequence[Part], hurried: Callable[[], bool], say: Callable[[str], None]) -> None:
    """Stop the parts last started first, each within its time, at once when hurried."""
    for part in reversed(parts):
        if not part.child.is_running():
            continue
        part.child.ask_to_stop()
        deadline = time.monotonic() + part.stop_timeout_s
        while not part.child.wait(0.05):
            if hurried() or time.monotonic() > deadline:
                part.child.kill()
                say(f"{part.child.name} was killed: it did not stop in time.")
                break
        else:
            say(f"{part.child.name} stopped.")


def _how_it_ended(child: Child) -> str:
    assert child.process is not None
    code = child.process.returncode
    return f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
