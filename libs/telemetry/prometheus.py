"""The meter that Prometheus reads: a registry of its own, never the library's global one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

from prometheus_client import (
    CollectorRegistry,
    GCCollector,
    PlatformCollector,
    ProcessCollector,
)
from prometheus_client import Counter as PrometheusCounter
from prometheus_client import Gauge as PrometheusGauge
from prometheus_client import Histogram as PrometheusHistogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from libs.telemetry.meter import SECONDS, Counter, Gauge, Histogram, Labels, Read

SERIES_MAX: Final = 500
"""A metric keeps so many series. More would be a label that is no closed set: the rest share one."""
OTHER: Final = "_other"

M = TypeVar("M", PrometheusCounter, PrometheusGauge, PrometheusHistogram)


class PrometheusMeter:
    """Figures in a registry of this meter's own, for Prometheus to read."""

    def __init__(self) -> None:
        """Begin with what the process itself shows: memory, CPU, open files, garbage collection."""
        self.registry = CollectorRegistry(auto_describe=False)
        self._metrics: dict[str, PrometheusCounter | PrometheusGauge | PrometheusHistogram] = {}
        self._series: dict[str, set[tuple[str, ...]]] = {}
        self._readers = _Readers()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        GCCollector(registry=self.registry)
        self.registry.register(self._readers)

    def counter(self, name: str, about: str, /, **labels: str) -> Counter:
        """As the protocol says."""
        assert name.endswith("_total"), f"{name} counts: its name ends in _total"
        metric = self._metrics.get(name) or PrometheusCounter(name, about, labels, registry=self.registry)
        assert isinstance(metric, PrometheusCounter)
        return self._child(name, metric, labels)

    def gauge(self, name: str, about: str, /, **labels: str) -> Gauge:
        """As the protocol says."""
        metric = self._metrics.get(name) or PrometheusGauge(name, about, labels, registry=self.registry)
        assert isinstance(metric, PrometheusGauge)
        return self._child(name, metric, labels)

    def histogram(
        self, name: str, about: str, /, bounds: Sequence[float] = SECONDS, **labels: str
    ) -> Histogram:
        """As the protocol says."""
        metric = self._metrics.get(name)
        if metric is None:
            metric = PrometheusHistogram(name, about, labels, buckets=bounds, registry=self.registry)
        assert isinstance(metric, PrometheusHistogram)
        return self._child(name, metric, labels)

    def read(self, name: str, about: str, reader: Read, /) -> None:
        """As the protocol says."""
        self._readers.add(name, about, reader)

    def _child(self, name: str, metric: M, labels: Labels) -> M:
        self._metrics[name] = metric
        if not labels:
            return metric
        series, values = self._series.setdefault(name, set()), tuple(labels.values())
        if values not in series:
            if len(series) >= SERIES_MAX:
                values = (OTHER,) * len(values)
            series.add(values)
        return metric.labels(**dict(zip(labels, values, strict=True)))


class _Readers(Collector):
    """Asks every reader when the registry is asked."""

    def __init__(self) -> None:
        self._families: dict[str, tuple[str, list[Read]]] = {}

    def add(self, name: str, about: str, reader: Read) -> None:
        self._families.setdefault(name, (about, []))[1].append(reader)

    def collect(self) -> Iterator[Metric]:
        for name, (about, readers) in list(self._families.items()):
            rows = [row for reader in list(readers) for row in reader()]
            names = sorted({label for labels, _ in rows for label in labels})
            family: CounterMetricFamily | GaugeMetricFamily
            if name.endswith("_total"):
                family = CounterMetricFamily(name, about, labels=names)
            else:
                family = GaugeMetricFamily(name, about, labels=names)
            for labels, value in rows[:SERIES_MAX]:
                family.add_metric([labels.get(label, "") for label in names], value)
            yield family
