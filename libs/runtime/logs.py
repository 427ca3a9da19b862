"""Log lines: JSON for machines or colours for people, on standard output, through structlog."""

from __future__ import annotations

import contextlib
import logging
import sys
from typing import TextIO, cast

import structlog

from libs.runtime.config import Settings


class _LossyOutput:
    """Standard output that loses lines rather than failing the call they speak of: a full disk takes none."""

    def write(self, text: str) -> None:
        """Write, if there is room."""
        with contextlib.suppress(OSError):
            sys.stdout.write(text)

    def flush(self) -> None:
        """Flush, if there is room."""
        with contextlib.suppress(OSError):
            sys.stdout.flush()


def configure_logs(settings: Settings) -> None:
    """Set structlog up for the whole process; lines of other libraries from WARNING on join it."""
    level = getattr(logging, settings.log_level.upper())
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    last: list[structlog.typing.Processor] = [
        structlog.processors.format_exc_info,
        structlog.processors.JSONRenderer(),
    ]
    if settings.log_format == "console":
        # Plain tracebacks: richer ones would print local variables, tokens among them.
        plain = structlog.dev.plain_traceback
        last = [structlog.dev.ConsoleRenderer(colors=sys.stdout.isatty(), exception_formatter=plain)]
    structlog.configure(
        processors=[*shared, *last],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(cast("TextIO", _LossyOutput())),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
        )
    )
    logging.basicConfig(handlers=[handler], level=max(level, logging.WARNING), force=True)
    logging.getLogger("grpc._cython.cygrpc").addFilter(_is_no_lost_client)


def _is_no_lost_client(record: logging.LogRecord) -> bool:
    """Keep out gRPC's traceback for every reply whose client had gone: the line of the call says so."""
    return "ExecuteBatchError raised in core" not in record.getMessage()
