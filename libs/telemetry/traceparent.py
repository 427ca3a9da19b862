"""The trace that the running work belongs to, as W3C writes it: `00-<trace id>-<span id>-<flags>`.

It is known to whatever the work calls in turn, and empty while nothing is traced: reading it is then all that
tracing costs. Nothing here imports OpenTelemetry.
"""

from __future__ import annotations

import re
import sys
from contextvars import ContextVar
from typing import Final, NamedTuple

KEY: Final = "traceparent"
"""The name in call metadata and in headers of messages."""
TRACEPARENT: ContextVar[str | None] = ContextVar(KEY, default=None)
"""Of the span that runs now; none: nobody looks."""

_FORM = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?")
_SAMPLED = 1


class Place(NamedTuple):
    """A span somewhere in the world."""

    trace_id: int
    span_id: int
    sampled: bool


def sampled() -> str | None:
    """Return the running span where its trace is kept: only then is it worth a child, or a place in a log."""
    running = TRACEPARENT.get()
    return running if running is not None and running.endswith("-01") else None


def parse(traceparent: str | None) -> Place | None:
    """Return the span that a header names; none when it names none that could be."""
    match = _FORM.fullmatch(traceparent or "")
    if match is None:
        return None
    trace_id, span_id, flags = match.groups()
    return Place(int(trace_id, 16), int(span_id, 16), bool(int(flags, 16) & _SAMPLED))


def written(place: Place) -> str:
    """Return the header that names a span."""
    return f"00-{place.trace_id:032x}-{place.span_id:016x}-{int(place.sampled):02x}"


def callers_own() -> str | None:
    """Return the span of whoever uses us as a library, if their program has an OpenTelemetry span open."""
    api = sys.modules.get("opentelemetry.trace")
    if api is None:
        return None
    context = api.get_current_span().get_span_context()
    if not context.is_valid:
        return None
    return written(Place(context.trace_id, context.span_id, bool(context.trace_flags & _SAMPLED)))
