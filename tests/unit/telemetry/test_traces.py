"""Spans: where they stand in their trace, and what of them travels."""

from __future__ import annotations

from pathlib import Path

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from libs.telemetry.exporters import FileExporter
from libs.telemetry.telemetry import UNWATCHED, Telemetry
from libs.telemetry.traceparent import TRACEPARENT, Place, callers_own, parse, sampled, written
from libs.telemetry.traces import Tracer

ABOVE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def spans() -> InMemorySpanExporter:
    """What has ended."""
    return InMemorySpanExporter()


@pytest.fixture
def tracer(spans: InMemorySpanExporter) -> Tracer:
    """A tracer that keeps everything."""
    return Tracer("test", 1.0, [SimpleSpanProcessor(spans)])


def test_a_traceparent_is_read_as_it_is_written() -> None:
    """The header's four fields, and nothing else, name a span."""
    place = parse(ABOVE)

    assert place == Place(0x0AF7651916CD43DD8448EB211C80319C, 0xB7AD6B7169203331, sampled=True)
    assert written(place) == ABOVE


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "00",
        ABOVE.upper(),
        ABOVE.replace("00-", "ff-", 1),
        f"00-{'0' * 32}-b7ad6b7169203331-01",
        f"00-0af7651916cd43dd8448eb211c80319c-{'0' * 16}-01",
        f"{ABOVE} ",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-zz",
    ],
)
def test_what_is_no_traceparent_names_no_span(text: str | None) -> None:
    """A client may send anything: it begins a new trace then."""
    assert parse(text) is None


def test_spans_nest_and_the_running_one_is_known(tracer: Tracer, spans: InMemorySpanExporter) -> None:
    """What a span's body calls sees it; afterwards the one above runs again, and at last none."""
    with tracer.span("outer", parent=ABOVE):
        outer = sampled()
        with tracer.span("inner"):
            inner = sampled()
        assert sampled() == outer

    assert sampled() is None
    inside, outside = spans.get_finished_spans()
    assert (inside.name, outside.name) == ("inner", "outer")
    assert outside.parent is not None and inside.parent is not None
    assert written(Place(outside.parent.trace_id, outside.parent.span_id, sampled=True)) == ABOVE
    assert inside.parent.span_id == outside.context.span_id
    assert inside.context.trace_id == outside.context.trace_id
    assert parse(inner) == Place(inside.context.trace_id, inside.context.span_id, sampled=True)


def test_a_failure_is_marked_by_its_kind_and_never_by_its_words(
    tracer: Tracer, spans: InMemorySpanExporter
) -> None:
    """The text of an error may hold what people wrote."""
    with pytest.raises(ValueError, match="Ana"), tracer.span("work"):
        raise ValueError("Ana is taken")

    (span,) = spans.get_finished_spans()
    assert span.attributes == {"error.type": "ValueError"}
    assert "Ana" not in span.to_json()


def test_a_client_cannot_have_its_calls_kept(spans: InMemorySpanExporter) -> None:
    """The share decides by the trace's id, whatever flag the header carries."""
    tracer = Tracer("test", 1e-9, [SimpleSpanProcessor(spans)])
    with tracer.span("call", parent="00-0af7651916cd43ddffffffffffffffff-b7ad6b7169203331-01"):
        assert TRACEPARENT.get() is not None
        assert sampled() is None

    assert spans.get_finished_spans() == ()


def test_work_on_a_batch_belongs_to_the_first_trace_and_links_to_all(
    tracer: Tracer, spans: InMemorySpanExporter
) -> None:
    """A batch of events from several traces is one span; events that nobody traced are not counted."""
    other = ABOVE.replace("0af7", "1bf7")
    with Telemetry(tracer=tracer).processing("process facts", [None, ABOVE, other, ABOVE]):
        assert sampled() is not None

    (span,) = spans.get_finished_spans()
    assert [link.context.trace_id for link in span.links] == [
        Place(*parse(each) or ()).trace_id for each in (ABOVE, other)
    ]
    assert span.context.trace_id == span.links[0].context.trace_id


def test_a_batch_of_nothing_traced_is_no_span(tracer: Tracer, spans: InMemorySpanExporter) -> None:
    """Neither with a tracer nor without."""
    with Telemetry(tracer=tracer).processing("process facts", [None]), UNWATCHED.processing("x", [ABOVE]):
        assert sampled() is None

    assert spans.get_finished_spans() == ()


def test_the_client_passes_on_the_span_of_the_program_that_uses_it() -> None:
    """Whoever has an OpenTelemetry span open sees our part of the trace below it."""
    assert callers_own() is None
    with (
        TracerProvider(shutdown_on_exit=False)
        .get_tracer("a program")
        .start_as_current_span("evening") as span
    ):
        own = span.get_span_context()
        assert parse(callers_own()) == Place(own.trace_id, own.span_id, sampled=True)


def test_a_file_of_spans_is_bounded(tmp_path: Path, spans: InMemorySpanExporter) -> None:
    """A line per span; a full file moves aside once, so two are the most there is."""
    path = tmp_path / "traces" / "serving.jsonl"
    tracer = Tracer("test", 1.0, [SimpleSpanProcessor(FileExporter(path, bytes_max=2_000))])
    for _ in range(20):
        with tracer.span("work"):
            pass

    files = sorted(tmp_path.glob("traces/*"))
    assert [file.name for file in files] == ["serving.jsonl", "serving.jsonl.1"]
    assert all(file.stat().st_size < 4_000 for file in files)
