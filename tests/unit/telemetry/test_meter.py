"""Figures: the meter that Prometheus reads, and the one that nobody does."""

from __future__ import annotations

from http.client import HTTPConnection

import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from libs.runtime.embedded.ports import free_port
from libs.telemetry.endpoint import MetricsEndpoint
from libs.telemetry.meter import NO_METER, Meter
from libs.telemetry.prometheus import OTHER, SERIES_MAX, PrometheusMeter


def series(meter: PrometheusMeter) -> dict[str, list[tuple[dict[str, str], float]]]:
    """Return every sample by name, as Prometheus parses it."""
    text = generate_latest(meter.registry).decode()
    found: dict[str, list[tuple[dict[str, str], float]]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, []).append((sample.labels, sample.value))
    return found


def test_figures_with_the_same_name_and_labels_are_one() -> None:
    """Two services of one process count into their own series, and each asks as often as it likes."""
    meter = PrometheusMeter()
    meter.counter("things_total", "Things.", service="match").inc()
    meter.counter("things_total", "Things.", service="ledger").inc(3)
    meter.counter("things_total", "Things.", service="match").inc()
    meter.gauge("height", "Height.").set(7)
    meter.histogram("wait_seconds", "Wait.", (0.1, 1.0)).observe(0.5)

    found = series(meter)
    assert found["things_total"] == [({"service": "match"}, 2), ({"service": "ledger"}, 3)]
    assert found["height"] == [({}, 7)]
    assert found["wait_seconds_bucket"] == [({"le": "0.1"}, 0), ({"le": "1.0"}, 1), ({"le": "+Inf"}, 1)]


def test_readers_are_asked_when_somebody_looks() -> None:
    """Values that stand somewhere already cost nothing until they are read; readers may share a name."""
    meter = PrometheusMeter()
    open_streams = 1
    meter.read("streams", "Streams.", lambda: [({"kind": "watch"}, open_streams)])
    meter.read("streams", "Streams.", lambda: [({"kind": "health"}, 5)])
    meter.read("ends_total", "Ends.", lambda: [({}, 2)])
    open_streams = 4

    found = series(meter)
    assert found["streams"] == [({"kind": "watch"}, 4), ({"kind": "health"}, 5)]
    assert found["ends_total"] == [({}, 2)]


def test_series_are_bounded() -> None:
    """A label that is no closed set fills one metric up to its bound; the rest is counted together."""
    meter = PrometheusMeter()
    for number in range(SERIES_MAX + 20):
        meter.counter("kinds_total", "Kinds.", kind=str(number)).inc()

    found = series(meter)["kinds_total"]
    assert len(found) <= SERIES_MAX + 1
    assert ({"kind": OTHER}, 20) in found


def test_each_meter_has_a_registry_of_its_own() -> None:
    """Two processes in one test do not see each other's figures."""
    first, second = PrometheusMeter(), PrometheusMeter()
    first.counter("things_total", "Things.").inc()

    assert "things_total" not in series(second)


def test_nobodys_meter_takes_everything_and_keeps_nothing() -> None:
    """What is not watched calls the same methods, and its readers are never called."""
    meter: Meter = NO_METER
    meter.counter("things_total", "Things.", service="match").inc()
    meter.gauge("height", "Height.").set(1)
    meter.histogram("wait_seconds", "Wait.").observe(1)
    meter.read("streams", "Streams.", lambda: pytest.fail("nobody looks"))

    assert meter.counter("things_total", "Things.") is meter.counter("others_total", "Others.")


def test_prometheus_reads_the_figures_over_http() -> None:
    """GET /metrics answers in Prometheus's own text; the process shows its memory there, too."""
    meter = PrometheusMeter()
    meter.counter("things_total", "Things.").inc()
    port = free_port("a test of figures")
    with MetricsEndpoint(meter, "127.0.0.1", port):
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()

    names = {family.name for family in text_string_to_metric_families(text)}
    assert {"things", "process_resident_memory_bytes", "process_cpu_seconds", "python_info"} <= names
