"""Figures behind a small interface: counters, gauges, histograms, and values that are read when asked for.

`NO_METER` is the meter of a process that is not watched; `prometheus` has the one that is read. Labels come
from closed sets in our own code, never from a request, and never name a player.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Protocol

SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Upper bounds around our promises: a move within 10 ms in the middle and 50 ms for 99 of 100."""

Labels = Mapping[str, str]
Read = Callable[[], Iterable[tuple[Labels, float]]]


class Counter(Protocol):
    """A number that only rises."""

    def inc(self, amount: float = 1, /) -> None:
        """Add to it."""
        ...


class Gauge(Protocol):
    """A number that is as it is."""

    def set(self, value: float, /) -> None:
        """Replace it."""
        ...


class Histogram(Protocol):
    """How often which sizes came."""

    def observe(self, amount: float, /) -> None:
        """Note one."""
        ...


class Meter(Protocol):
    """Where figures are made. The same name and labels give the same figure."""

    def counter(self, name: str, about: str, /, **labels: str) -> Counter:
        """Return a counter; `name` ends in `_total`."""
        ...

    def gauge(self, name: str, about: str, /, **labels: str) -> Gauge:
        """Return a gauge."""
        ...

    def histogram(
        self, name: str, about: str, /, bounds: Sequence[float] = SECONDS, **labels: str
    ) -> Histogram:
        """Return a histogram with these upper bounds."""
        ...

    def read(self, name: str, about: str, reader: Read, /) -> None:
        """Show what `reader` returns whenever somebody asks; it is called in another thread, and cheap.

        A name that ends in `_total` is a counter. Several readers may share a name: each has its own labels.
        """
        ...


class _Nothing:
    """A figure that nobody sees."""

    def inc(self, amount: float = 1, /) -> None:
        """Do nothing."""

    def set(self, value: float, /) -> None:
        """Do nothing."""

    def observe(self, amount: float, /) -> None:
        """Do nothing."""


_NOTHING = _Nothing()


class _NoMeter:
    """Makes figures that nobody sees."""

    def counter(self, name: str, about: str, /, **labels: str) -> Counter:  # noqa: ARG002 nobody sees it
        """Return nothing's counter."""
        return _NOTHING

    def gauge(self, name: str, about: str, /, **labels: str) -> Gauge:  # noqa: ARG002
        """Return nothing's gauge."""
        return _NOTHING

    def histogram(
        self,
        name: str,  # noqa: ARG002
        about: str,  # noqa: ARG002
        /,
        bounds: Sequence[float] = SECONDS,  # noqa: ARG002
        **labels: str,  # noqa: ARG002
    ) -> Histogram:
        """Return nothing's histogram."""
        return _NOTHING

    def read(self, name: str, about: str, reader: Read, /) -> None:
        """Never call the reader."""


NO_METER: Final[Meter] = _NoMeter()
