"""What watching costs a call, in microseconds of CPU: `python -m tests.bench.telemetry`.

A touch pays one line of the log, one figure of its call, and the figures of its append. A kept trace pays
three spans besides (call, append, publishing); one that is not kept pays the first.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import structlog
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from libs.eventsourcing.envelope import NewEvent, Part
from libs.eventstore.instrumented import StoreWatch
from libs.eventstore.port import Appended, Request, StreamAppend
from libs.eventstore.recording import recorded
from libs.runtime.interceptors import traffic
from libs.runtime.interceptors.methods import Method
from libs.telemetry.exporters import FileExporter
from libs.telemetry.logs import configure_logs
from libs.telemetry.meter import NO_METER
from libs.telemetry.prometheus import PrometheusMeter
from libs.telemetry.telemetry import Telemetry
from libs.telemetry.traceparent import sampled
from libs.telemetry.traces import Tracer

ROUNDS, CALLS = 5, 5_000
TOUCH = Method("/sparrow.match.v1.MatchService/Touch", frozenset(), infrastructure=False)


def cpu_us(work: Callable[[], object]) -> float:
    """Return the CPU time of one call of `work`, of the quickest round."""
    times = []
    for _ in range(ROUNDS):
        began_s = time.process_time()
        for _ in range(CALLS):
            work()
        times.append(time.process_time() - began_s)
    return min(times) / CALLS * 1e6


def call(calls: traffic.Traffic) -> Callable[[], None]:
    """Return one call from its beginning to its line in the log."""

    def work() -> None:
        with calls.watch(TOUCH):
            pass

    return work


def append() -> Callable[[], None]:
    """Return the watching of one append of one move."""
    watch = StoreWatch("match", Telemetry(PrometheusMeter()))
    at, request = datetime(2026, 11, 29, tzinfo=UTC), Request(UUID(int=1), "request", b"")
    event = NewEvent(Part.MOVES, "sparrow.match.tile_lifted.v1", 1, at, b"")
    appends = [StreamAppend(UUID(int=2), 0, (event,))]
    stored = Appended(recorded(appends, at, request.caller, request))

    def work() -> None:
        with watch.span(appends):
            pass
        watch.note_stored(stored, request, 0.004)

    return work


def span(share: float, folder: Path) -> Callable[[], None]:
    """Return one span of a call, with a share of traces kept."""
    tracer = Tracer("bench", share, [BatchSpanProcessor(FileExporter(folder / "spans.jsonl"))])

    def work() -> None:
        with tracer.span(TOUCH.path, attributes={"rpc.method": TOUCH.path}, parent=""):
            pass

    return work


def main() -> None:
    """Measure and print."""
    out = os.fdopen(os.dup(1), "w")
    with tempfile.TemporaryDirectory() as folder, Path(folder, "lines.log").open("w") as lines:
        sys.stdout = lines
        configure_logs("warning", "json")
        quiet = cpu_us(call(traffic.Traffic(10, NO_METER)))
        counted = cpu_us(call(traffic.Traffic(10, PrometheusMeter())))
        structlog.reset_defaults()
        configure_logs("info", "json")
        logged = cpu_us(call(traffic.Traffic(10, NO_METER)))
        both = cpu_us(call(traffic.Traffic(10, PrometheusMeter())))
        appended = cpu_us(append())
        kept, not_kept = cpu_us(span(1.0, Path(folder))), cpu_us(span(1e-9, Path(folder)))
        off = cpu_us(sampled)
    sys.stdout = sys.__stdout__
    rows = {
        "the line of a call": logged - quiet,
        "the figure of a call": counted - quiet,
        "the figures of an append": appended,
        "all of them, a touch": both - quiet + appended,
        "a span that is kept": kept,
        "a span that is not kept": not_kept,
        "asking whether a trace runs, tracing off": off,
    }
    out.writelines(f"{what:42} {us:8.2f} µs\n" for what, us in rows.items())
    out.close()


if __name__ == "__main__":
    main()
