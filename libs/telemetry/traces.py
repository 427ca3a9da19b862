"""Traces: what one call caused, across processes and events.

A process that does not trace has no `Tracer` at all, so its hot path pays a look at `None`. The one that does
keeps the running span in `TRACEPARENT`, whence it travels: in the metadata of calls, beside the events in the
log, in the headers of messages. Whether a trace is kept is decided by its id alone and a share, so all
processes of one installation decide alike, and a client cannot have its calls kept by asking.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.sampling import TraceIdRatioBased
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from libs.telemetry.traceparent import TRACEPARENT, Place, parse, written

LINKS_MAX: Final = 64
"""A batch of events may come from as many traces; more of them are not named."""
EMPTY: Final = Context()


class Tracer:
    """Makes the spans of one process. Import this module only where traces are asked for: it is slow to."""

    def __init__(self, process: str, share: float, processors: Sequence[SpanProcessor]) -> None:
        """Keep a share of all traces, 0 to 1, and hand their spans on; `process` names us in them."""
        resource = Resource({"service.name": process, "service.namespace": "sparrow"})
        # `shutdown` is called when the process stops in good order; nothing is left to an exit handler.
        self._provider = TracerProvider(
            sampler=TraceIdRatioBased(share), resource=resource, shutdown_on_exit=False
        )
        for processor in processors:
            self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("sparrow")

    @contextmanager
    def span(
        self,
        name: str,
        kind: SpanKind = SpanKind.INTERNAL,
        attributes: Mapping[str, str | int] | None = None,
        *,
        parent: str | None = None,
        causes: Sequence[str] = (),
    ) -> Iterator[Span]:
        """Run the body in a span below `parent`, else below the running one; linked to its `causes`.

        An exception marks the span and goes on. Its text is not kept: it may hold what people wrote.
        """
        above = parse(parent if parent is not None else TRACEPARENT.get())
        context = EMPTY if above is None else set_span_in_context(NonRecordingSpan(_context(above)), EMPTY)
        links = [Link(_context(place)) for cause in causes[:LINKS_MAX] if (place := parse(cause))]
        span = self._tracer.start_span(name, context, kind, attributes, links)
        own = span.get_span_context()
        token = TRACEPARENT.set(written(Place(own.trace_id, own.span_id, own.trace_flags.sampled)))
        try:
            yield span
        except BaseException as error:
            span.set_attribute("error.type", type(error).__qualname__)
            span.set_status(Status(StatusCode.ERROR))
            raise
        finally:
            TRACEPARENT.reset(token)
            span.end()

    def shutdown(self) -> None:
        """Hand on what has ended and stop; may take seconds, so call it in a thread."""
        self._provider.shutdown()


def _context(place: Place) -> SpanContext:
    flags = TraceFlags(TraceFlags.SAMPLED if place.sampled else TraceFlags.DEFAULT)
    return SpanContext(place.trace_id, place.span_id, is_remote=True, trace_flags=flags)
