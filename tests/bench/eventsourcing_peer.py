"""The PyPI package `eventsourcing` on its PostgreSQL recorder: what the ledger's rates are held against.

Used as its own documentation does: events stored by `insert_events`, a projection that updates a row and its
tracking in one transaction for each notification of a subscription. No aggregates and no mapper are in the
way, so what is measured is the store alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from time import perf_counter
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import uuid4

from eventsourcing.persistence import StoredEvent, Tracking
from eventsourcing.postgres import (
    PostgresApplicationRecorder,
    PostgresDatastore,
    PostgresFactory,
    PostgresTrackingRecorder,
)
from eventsourcing.utils import Environment
from psycopg.sql import SQL

TOPIC: Final = "tests.bench:TransferPosted"
PAYLOAD: Final = b"x" * 200  # about as much as a transfer takes
STORED: Final = 20_000


class Points(PostgresTrackingRecorder):
    """A row of points for each player, and how far the events are counted."""

    def __init__(self, datastore: PostgresDatastore, **named: Any) -> None:
        """Add a table of one's own."""
        super().__init__(datastore, **named)
        self.sql_create_statements.append(
            SQL(
                "CREATE TABLE IF NOT EXISTS player_points (player uuid PRIMARY KEY, points bigint NOT NULL)"
            ).format()
        )

    def count(self, player: str, points: int, tracking: Tracking) -> None:
        """Add points, once for each notification."""
        with self.datastore.transaction(commit=True) as cursor:
            self._insert_tracking(cursor, tracking)
            cursor.execute(
                "INSERT INTO player_points AS p VALUES (%s, %s)"
                " ON CONFLICT (player) DO UPDATE SET points = p.points + excluded.points",
                (player, points),
                prepare=True,
            )


def appends_per_s(url: str, writers: int, seconds: float, *, functions: bool) -> float:
    """Return how many events a second so many threads append one by one; `functions`: by its SQL function."""
    with _factory(url, writers, functions=functions) as factory:
        recorder = factory.application_recorder()
        until = perf_counter() + seconds
        counts = [0] * writers

        def write(number: int) -> None:
            while perf_counter() < until:
                recorder.insert_events([StoredEvent(uuid4(), 1, TOPIC, PAYLOAD)])
                counts[number] += 1

        threads = [Thread(target=write, args=(number,)) for number in range(writers)]
        begun = perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sum(counts) / (perf_counter() - begun)


def projections_per_s(url: str, seconds: float) -> float:
    """Return how many stored events a second its projection counts; there are always more."""
    with _factory(url, 4, functions=False) as factory:
        recorder = factory.application_recorder()
        assert isinstance(recorder, PostgresApplicationRecorder)
        for _ in range(STORED // 500):
            recorder.insert_events([StoredEvent(uuid4(), 1, TOPIC, PAYLOAD) for _ in range(500)])
        view = factory.tracking_recorder(Points)
        begun, done = perf_counter(), 0
        with recorder.subscribe(gt=0) as subscription:
            for notification in subscription:
                view.count(str(notification.originator_id), 20, Tracking("bench", notification.id))
                done += 1
                if done == STORED or perf_counter() > begun + seconds:
                    break
        return done / (perf_counter() - begun)


@contextmanager
def _factory(url: str, connections: int, *, functions: bool) -> Iterator[PostgresFactory]:
    place = urlsplit(url)
    settings = {
        "PERSISTENCE_MODULE": "eventsourcing.postgres",
        "POSTGRES_DBNAME": place.path.lstrip("/"),
        "POSTGRES_HOST": place.hostname or "",
        "POSTGRES_PORT": str(place.port),
        "POSTGRES_USER": place.username or "",
        "POSTGRES_PASSWORD": place.password or "",
        "POSTGRES_POOL_SIZE": str(connections),
        "POSTGRES_MAX_WAITING": str(connections),
        "POSTGRES_ENABLE_DB_FUNCTIONS": "yes" if functions else "no",
    }
    factory = PostgresFactory(Environment("bench", settings))
    try:
        yield factory
    finally:
        factory.close()
