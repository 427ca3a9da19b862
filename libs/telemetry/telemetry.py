"""What a process is watched by, in one hand: handed on by whoever composes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from libs.telemetry.meter import NO_METER, Meter

if TYPE_CHECKING:
    from libs.telemetry.traces import Tracer


@dataclass(frozen=True, slots=True)
class Telemetry:
    """A meter, which may be of nothing, and a tracer, where there is one."""

    meter: Meter = NO_METER
    tracer: Tracer | None = None

    @property
    def measures(self) -> bool:
        """Whether somebody may look at the figures."""
        return self.meter is not NO_METER

    @contextmanager
    def processing(self, name: str, causes: Iterable[str | None]) -> Iterator[None]:
        """Run the body as the work on a batch of events that came from these traces, where they were traced.

        It is a span of the first one's trace, linked to the others. A batch of nothing traced is no span.
        """
        traced = list(dict.fromkeys(cause for cause in causes if cause)) if self.tracer else []
        if self.tracer is None or not traced:
            yield
            return
        from opentelemetry.trace import SpanKind

        attributes: dict[str, str | int] = {
            "messaging.system": "nats",
            "messaging.operation.type": "process",
            "messaging.batch.message_count": len(traced),
        }
        with self.tracer.span(name, SpanKind.CONSUMER, attributes, parent=traced[0], causes=traced):
            yield


UNWATCHED: Final = Telemetry()
"""Of tests and tools."""
