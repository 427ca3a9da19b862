"""Log lines: JSON for machines or colours for people, on standard output, through structlog.

No line holds a token, a key or what people write. Values of requests are never logged in the first place;
what errors of libraries say besides (rows of the database, parameters of statements) is cut off here.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
import sys
from collections import deque
from functools import lru_cache
from typing import Literal, TextIO, cast

import structlog

from libs.telemetry.traceparent import parse, sampled

TELLING: tuple[str, ...] = ("exception", "error", "event")
"""Where texts of errors stand."""
_QUOTED = re.compile(r"^\s*(?:DETAIL:|\[parameters:|\[SQL:|HINT:).*$\n?", re.MULTILINE)
_TOKEN = re.compile(r"\b(?:eyJ[\w-]{8,}\.[\w.-]+|[Bb]earer\s+\S+)|://[^\s/@]+@")


class _LossyOutput:
    """An output that loses lines rather than failing the call they speak of: a full disk takes none."""

    def __init__(self, output: TextIO) -> None:
        self._output = output
        self._waiting: deque[str] = deque()
        self._begun = ""

    def write(self, text: str) -> None:
        """Write, if there is room, after what waits; a line when its end is told.

        `print` tells a line and its end by two calls, and other threads may write between them.
        """
        self._begun += text
        if text.endswith("\n"):
            line, self._begun = self._begun, ""
            self._waiting.append(line)
            with contextlib.suppress(OSError):
                self._write_waiting()

    def write_soon(self, line: str) -> None:
        """Write a line together with those of the same turn of the event loop: one system call for them all.

        Outside of a loop it is written at once.
        """
        self._waiting.append(line)
        if len(self._waiting) == 1:
            try:
                asyncio.get_running_loop().call_soon(self.flush)
            except RuntimeError:
                self.flush()

    def flush(self) -> None:
        """Flush, if there is room."""
        with contextlib.suppress(OSError):
            self._write_waiting()
            self._output.flush()

    def _write_waiting(self) -> None:
        """Write what waits; lines come from several threads, so they are taken one by one."""
        lines = []
        with contextlib.suppress(IndexError):
            while True:
                lines.append(self._waiting.popleft())
        if lines:
            self._output.write("".join(lines))


class _CallLog:
    """Writes the line of each call: nearly all lines are of this form, so it is not worked out anew."""

    def __init__(self) -> None:
        self.is_wanted = True
        self.output: _LossyOutput | None = None  # None: lines for people

    def write(self, *, method: str, code: str, reason: str, duration_ms: float, caller: str) -> None:
        """Write what structlog would write."""
        if not self.is_wanted:
            return
        if self.output is None:
            structlog.get_logger().info(
                "rpc", method=method, code=code, reason=reason, duration_ms=duration_ms, caller=caller
            )
            return
        place = parse(sampled())
        trace = f', "trace_id": "{place.trace_id:032x}"' if place is not None else ""
        at = _stamp(None, "info", {})["timestamp"]
        self.output.write_soon(
            f'{{"method": {_quoted(method)}, "code": "{code}", "reason": {_quoted(reason)}, '
            f'"duration_ms": {duration_ms}, "caller": "{caller}", "event": "rpc", "level": "info", '
            f'"timestamp": "{at}"{trace}}}\n'
        )


_quoted = lru_cache(maxsize=1_024)(json.dumps)
_stamp = structlog.processors.TimeStamper(fmt="iso", utc=True)
_calls = _CallLog()

log_call = _calls.write
"""Tell that a call has ended: no tokens, no personal data, no ids of players."""


def configure_logs(level_name: str, form: Literal["json", "console"]) -> None:
    """Set structlog up for the whole process; lines of other libraries from WARNING on join it."""
    level = getattr(logging, level_name.upper())
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        _stamp,
        _name_trace,
    ]
    last: list[structlog.typing.Processor] = [
        structlog.processors.format_exc_info,
        _hold_back,
        structlog.processors.JSONRenderer(serializer=_write_json),
    ]
    if form == "console":
        last = [
            structlog.processors.format_exc_info,
            _hold_back,
            structlog.dev.ConsoleRenderer(colors=sys.stdout.isatty()),
        ]
    output = _LossyOutput(sys.stdout)
    _calls.is_wanted, _calls.output = level <= logging.INFO, output if form == "json" else None
    structlog.configure(
        processors=[*shared, *last],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(cast("TextIO", output)),
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


_encode = json.JSONEncoder(default=repr).encode


def _write_json(line: structlog.typing.EventDict, **_settings: object) -> str:
    """Write a line with one encoder that stays: `json.dumps` makes another for every line."""
    return _encode(line)


def without_values(text: str) -> str:
    """Return what an error says without rows, parameters, tokens and passwords."""
    return _TOKEN.sub("…", _QUOTED.sub("", text))


def _hold_back(
    _logger: structlog.typing.WrappedLogger, _name: str, line: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    if line.get("level") not in {"info", "debug"}:  # ordinary lines tell nothing of errors
        for key in TELLING:
            if isinstance(text := line.get(key), str):
                line[key] = without_values(text)
    return line


def _name_trace(
    _logger: structlog.typing.WrappedLogger, _name: str, line: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    """Name the trace that the line belongs to, where it is kept."""
    if (place := parse(sampled())) is not None:
        line["trace_id"] = f"{place.trace_id:032x}"
    return line


def _is_no_lost_client(record: logging.LogRecord) -> bool:
    """Keep out gRPC's traceback for every reply whose client had gone: the line of the call says so."""
    return "ExecuteBatchError raised in core" not in record.getMessage()
