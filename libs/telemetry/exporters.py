"""Where ended spans go: a file or the output of this machine, or a collector by OTLP over gRPC."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace.export import (
    BatchSpanProcessor,
    SpanExporter,
    SpanExportResult,
)

FILE_BYTES_MAX: Final = 16 * 1_024 * 1_024

To = Literal["file", "console", "otlp"]


def processor_to(to: To, *, path: Path, endpoint: str) -> SpanProcessor:
    """Return what hands spans on in a thread of its own: to a file, to standard output, to a collector."""
    if to == "file":
        return BatchSpanProcessor(FileExporter(path))
    if to == "console":
        return BatchSpanProcessor(ConsoleExporter())
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

    # Certificates, headers and time limits are the library's own OTEL_EXPORTER_OTLP_* variables.
    return BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint))


class FileExporter(SpanExporter):
    """Appends a JSON line per span; a full file moves to `<name>.1`, so that two are the most there is."""

    def __init__(self, path: Path, bytes_max: int = FILE_BYTES_MAX) -> None:
        """Make the folder."""
        self._path = path
        self._bytes_max = bytes_max
        path.parent.mkdir(parents=True, exist_ok=True)

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Write them; a disk that refuses costs spans, nothing else."""
        try:
            if self._path.exists() and self._path.stat().st_size > self._bytes_max:
                self._path.replace(self._path.with_name(f"{self._path.name}.1"))
            with self._path.open("a", encoding="utf-8") as file:
                file.writelines(f"{span.to_json(indent=None)}\n" for span in spans)
        except OSError:
            return SpanExportResult.FAILURE
        return SpanExportResult.SUCCESS


class ConsoleExporter(SpanExporter):
    """Writes a JSON line per span among the lines of the log."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Write them."""
        sys.stdout.writelines(f"{span.to_json(indent=None)}\n" for span in spans)
        sys.stdout.flush()
        return SpanExportResult.SUCCESS
