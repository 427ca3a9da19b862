"""What a process is watched by, from its settings. Watching never stops what is watched."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import structlog

from libs.runtime.config import Settings
from libs.telemetry.meter import NO_METER, Meter
from libs.telemetry.telemetry import Telemetry

if TYPE_CHECKING:
    from libs.telemetry.traces import Tracer

log = structlog.get_logger()


def open_telemetry(settings: Settings, process: str, opened: AsyncExitStack) -> Telemetry:
    """Return meter and tracer as the settings ask, closed with `opened`; what is off is not even imported."""
    return Telemetry(_open_meter(settings, opened), _open_tracer(settings, process, opened))


def _open_meter(settings: Settings, opened: AsyncExitStack) -> Meter:
    if not settings.metrics_port:
        return NO_METER
    from libs.telemetry.endpoint import MetricsEndpoint
    from libs.telemetry.prometheus import PrometheusMeter

    meter = PrometheusMeter()
    try:
        endpoint = MetricsEndpoint(meter, settings.metrics_host, settings.metrics_port)
    except OSError as error:  # players come first
        log.error(  # noqa: TRY400 the reason says all
            "metrics.off", host=settings.metrics_host, port=settings.metrics_port, error=str(error)
        )
        return NO_METER
    opened.push_async_callback(asyncio.to_thread, endpoint.close)
    return meter


def _open_tracer(settings: Settings, process: str, opened: AsyncExitStack) -> Tracer | None:
    if settings.trace_share == 0:
        return None
    from libs.telemetry.exporters import processor_to
    from libs.telemetry.traces import Tracer

    path = settings.data_dir / "traces" / f"{process}.jsonl"
    spans = processor_to(settings.trace_to, path=path, endpoint=settings.otlp_endpoint)
    tracer = Tracer(process, settings.trace_share, [spans])
    opened.push_async_callback(asyncio.to_thread, tracer.shutdown)
    return tracer
