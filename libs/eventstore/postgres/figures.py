"""What the loops of one schema show: how far each is behind, what consumers met, who holds the leases."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

import structlog

from libs.eventsourcing.envelope import Part
from libs.eventstore.port import StoreUnavailable
from libs.eventstore.postgres.errors import unavailable_is_told
from libs.eventstore.postgres.rows import PART_NUMBERS, PARTS
from libs.eventstore.postgres.store import Pool
from libs.telemetry.meter import Labels, Meter

if TYPE_CHECKING:
    from libs.eventstore.consumer import Consumer

LOOK_EVERY_S: Final = 5.0

FEEDS: Final = """
SELECT h.part, h.last_seq,
    (SELECT count(*) FROM outbox o WHERE o.part = h.part),
    coalesce((SELECT c.seq FROM checkpoint c
              WHERE c.name = 'relay.' || CASE h.part WHEN 1 THEN 'facts' ELSE 'moves' END), 0)
FROM feed_head h
"""
FOLLOWER: Final = """
SELECT h.last_seq - c.seq,
    (SELECT extract(epoch FROM f.at)::float8 FROM feed f WHERE f.part = h.part AND f.seq = c.seq)
FROM checkpoint c JOIN feed_head h ON h.part = $2 WHERE c.name = $1
"""
OTHERS: Final = """
SELECT (SELECT count(*) FROM parked),
       (SELECT count(*) FROM lease WHERE holder = $1 AND until > clock_timestamp())
"""

LAG: Final = "sparrow_projection_lag_events"
LAG_ABOUT: Final = "Events known to exist that a projection or consumer has not done."
LAST: Final = "sparrow_projection_last_event_timestamp_seconds"
LAST_ABOUT: Final = "When the last event that a projection has done was sequenced."

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Follower:
    """A projection that folds its own schema's feed, by the checkpoint it moves."""

    projection: str
    checkpoint: str
    part: Part


class LoopFigures:
    """The figures of one database's loops. Silent until somebody measures."""

    def __init__(self, schema: str, pool: Pool, meter: Meter) -> None:
        """Bind; nothing is read yet."""
        self._schema = schema
        self._pool = pool
        self._meter = meter
        self._followers: dict[str, Follower] = {}
        self._shown: dict[str, tuple[float, float | None]] = {}  # lag and last instant, by projection
        meter.read(LAG, LAG_ABOUT, lambda: [(self._labels(name), lag) for name, (lag, _) in self._rows()])
        meter.read(
            LAST,
            LAST_ABOUT,
            lambda: [(self._labels(name), at) for name, (_, at) in self._rows() if at is not None],
        )

    def follow(self, projection: str, checkpoint: str, part: Part) -> None:
        """Show how far a projection of the own feed is; a later checkpoint takes an earlier one's place."""
        self._followers[projection] = Follower(projection, checkpoint, part)

    def follow_consumer(self, consumer: Consumer) -> None:
        """Show what a consumer says of itself, while it is this process that follows."""
        labels = self._labels(consumer.name)
        progress = consumer.progress

        def when_running(value: Callable[[], float | None]) -> Callable[[], Iterable[tuple[Labels, float]]]:
            def read() -> Iterable[tuple[Labels, float]]:
                found = value() if progress.running else None
                return [] if found is None else [(labels, found)]

            return read

        meter = self._meter
        meter.read(LAG, LAG_ABOUT, when_running(lambda: progress.lag))
        meter.read(LAST, LAST_ABOUT, when_running(lambda: _seconds(progress.last_at)))
        about = "1 while a consumer does not go on because of an error."
        meter.read("sparrow_consumer_stopped", about, when_running(lambda: float(bool(progress.stopped))))
        meter.read(
            "sparrow_consumer_entries_total",
            "Entries of a feed that a consumer took, by the way they came.",
            lambda: [
                ({**labels, "from": "bus"}, progress.from_bus),
                ({**labels, "from": "owner"}, progress.from_owner),
            ],
        )
        about = "Durable consumers that were made anew because nothing came through them."
        meter.read("sparrow_consumer_recreated_total", about, lambda: [(labels, progress.recreated)])
        meter.read(
            "sparrow_consumer_skipped_total",
            "Entries of types that a consumer does not declare.",
            lambda: [({**labels, "type": type_}, n) for type_, n in list(consumer.skipped.items())],
        )

    async def watch(self, holder: str, stop: asyncio.Event) -> None:
        """Look every few seconds until `stop`; `holder` is this process in leases."""
        while not stop.is_set():
            try:
                await self.look(holder)
            except StoreUnavailable as error:
                log.warning("figures.unavailable", service=self._schema, error=str(error))
            try:
                async with asyncio.timeout(LOOK_EVERY_S):
                    await stop.wait()
            except TimeoutError:
                continue

    async def look(self, holder: str) -> None:
        """Read and show how everything stands. Raises StoreUnavailable."""
        pool, service, gauge = self._pool, self._schema, self._meter.gauge
        with unavailable_is_told():
            for number, last_seq, waiting, relayed in await pool.fetch(FEEDS):
                labels = {"service": service, "part": PARTS[number].value}
                gauge("sparrow_feed_last_sequence", "The end of a feed.", **labels).set(last_seq)
                about = "Committed events that are not sequenced yet."
                gauge("sparrow_sequencer_lag_events", about, **labels).set(waiting)
                about = "Sequenced events that are not published yet."
                gauge("sparrow_relay_lag_events", about, **labels).set(max(0, last_seq - relayed))
            for follower in list(self._followers.values()):
                row = await pool.fetchrow(FOLLOWER, follower.checkpoint, PART_NUMBERS[follower.part])
                if row is not None:  # else it has not begun
                    self._shown[follower.projection] = (float(max(0, row[0])), row[1])
            parked, held = await pool.fetchrow(OTHERS, holder) or (0, 0)
        about = "Events put aside for an operator because their values make no sense."
        gauge("sparrow_parked_events", about, service=service).set(parked)
        about = "Leases that this process holds: the loops that work here."
        gauge("sparrow_leases_held", about, service=service).set(held)

    def _rows(self) -> list[tuple[str, tuple[float, float | None]]]:
        return list(self._shown.items())

    def _labels(self, projection: str) -> Labels:
        return {"service": self._schema, "projection": projection}


def _seconds(instant: datetime | None) -> float | None:
    return None if instant is None else instant.timestamp()
