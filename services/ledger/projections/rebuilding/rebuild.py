"""A rebuild: a new generation of boards from the log, followed live, compared, and switched to.

It runs in a process of its own. Whatever kills it leaves the active generation as it was, or as switched; the
next rebuild clears the rest. One runs at a time: it holds an advisory lock for as long as it lives.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Final

import asyncpg

from libs.eventstore.faults import fault
from libs.eventstore.postgres.database import Database
from libs.runtime.systemclock import SystemClock
from services.ledger.projections.generations import (
    Connection,
    create,
    generations,
    held,
    open_generation,
    place,
    switch,
    table_names,
)
from services.ledger.projections.projector import BATCH_MAX, BoardProjector
from services.ledger.projections.rebuilding.builder import WRITING, BoardBuilder, Built
from services.ledger.projections.rebuilding.differences import Fault, Faults, compare
from services.ledger.projections.rebuilding.independent import fold_log
from services.ledger.projections.rebuilding.log_reader import connect
from services.ledger.projections.rebuilding.progress import Progress
from services.ledger.projections.rebuilding.stored import digest_of_table
from services.ledger.projections.tables import BoardTables

EPOCH: Final = 0
"""A builder's epoch: lower than that of any lease, so that the projector takes a switched generation over."""
LOCK: Final = "SELECT pg_try_advisory_lock(hashtextextended('sparrow.ledger.rebuild', 0))"
HEAD: Final = "SELECT last_seq FROM feed_head WHERE part = 1"
PARK: Final = """
    INSERT INTO parked (consumer, seq, type, reason, data, at)
    VALUES ('boards_g' || $1::integer, $2, $3, 'POINTS_OUT_OF_RANGE', $4, now())
"""
LOCK_TRIES: Final = 30
LIVE_PATIENCE_S: Final = 5.0
"""So long the live boards may stay behind the built ones; then they are replaced uncompared."""
POLL_S: Final = 0.02

FOLLOWING: Final = "following live"
COMPARING: Final = "comparing"
PROVING: Final = "folding independently"
SWITCHING: Final = "switching"


class RebuildError(Exception):
    """Why boards were not rebuilt, in words for an operator."""


@dataclass(slots=True)
class Rebuilt:
    """What a rebuild did."""

    generation: int
    replaced: int  # the generation that was live when it began
    switched: bool = False
    seq: int = 0  # where boards were compared
    events: int = 0  # folded in bulk
    rows: int = 0
    entries: int = 0
    stored_digest: int = 0
    digest: int = 0
    faults: Faults = field(default_factory=Faults)


class Rebuild:
    """One rebuild."""

    def __init__(self, url: str, progress: Progress, *, patience_s: float = LIVE_PATIENCE_S) -> None:
        """Name the database, and how long the live boards may stay behind before they are not waited for."""
        self._url = url
        self._progress = progress
        self._patience_s = patience_s

    async def run(self) -> Rebuilt:
        """Build, compare and switch. Raises RebuildError, with the active generation as it was."""
        async with AsyncExitStack() as opened:
            one, two, three = [await _opened(opened, self._url) for _ in range(3)]
            if not await one.fetchval(LOCK):
                raise RebuildError("another rebuild is running")
            old = next(each.generation for each in (await generations(one)).values() if each.active)
            try:
                new, indexes = await create(one)
            except asyncpg.LockNotAvailableError as error:
                raise RebuildError("somebody reads the generation that was left: try again") from error
            built = await self._build(new, indexes, (one, two, three))
            done = Rebuilt(new, old, events=built.seq, rows=built.rows, entries=built.entries)
            database = await Database.open(self._url, "ledger", pool_max=3)
            opened.push_async_callback(database.close)
            pair = _Pair(one, old, new, BoardProjector(database, BoardTables(new), SystemClock().now))
            self._progress.report(FOLLOWING)
            await pair.catch_up()
            await self._compare(pair, two, three, done)
            self._progress.report(SWITCHING)
            await pair.catch_up()
            await self._switch(pair, done)
        self._progress.end_part()
        return done

    async def _build(
        self, generation: int, indexes: dict[str, list[str]], connections: tuple[Connection, ...]
    ) -> Built:
        """Fill the tables of a generation from the log and say where they stand."""
        one, two, three = connections
        tables = table_names(generation)
        last: int = await one.fetchval(HEAD)
        builder = BoardBuilder(one, two, tables, self._progress.report)
        await builder.take_log(last)
        self._progress.report(WRITING, 0, 0)

        async def index(connection: Connection, *kinds: str) -> None:
            for kind in kinds:
                for statement in indexes[kind]:
                    await connection.execute(statement)
                await connection.execute(f"ANALYZE {tables[kind]}")

        async def rows_and_digests() -> tuple[Built, int]:
            await builder.write_rows()
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(index(two, "row", "count", "history", "change"))
                made = tasks.create_task(asyncio.to_thread(builder.built, last))
                stored = tasks.create_task(digest_of_table(one, tables["row"]))
            return made.result(), stored.result()

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(index(three, "entry"))
            wrote = tasks.create_task(rows_and_digests())
        built, stored = wrote.result()
        if built.digest != stored:
            raise RebuildError("the rows that were written are not the rows that were folded")
        await open_generation(one, generation, seq=last, as_of_day=built.as_of_day, digest=built.digest)
        parked = [(generation, fact.seq, fact.type, fact.data) for fact in builder.fold.refused]
        await one.executemany(PARK, parked)
        return built

    async def _compare(self, pair: _Pair, two: Connection, three: Connection, done: Rebuilt) -> None:
        """Hold the boards against the live ones in one snapshot in which both stand at one place."""
        self._progress.report(COMPARING)
        async with two.transaction(isolation="repeatable_read", readonly=True):
            async with pair.still(self._patience_s) as live_seq:
                snapshot = await two.fetchval("SELECT pg_export_snapshot()")
            stands = await generations(two)
            done.seq, is_level = stands[pair.new].seq, live_seq == stands[pair.new].seq
            done.stored_digest = int.from_bytes(stands[pair.old].digest)
            done.digest = int.from_bytes(stands[pair.new].digest)
            if is_level:
                async with three.transaction(isolation="repeatable_read"):
                    await three.execute(f"SET TRANSACTION SNAPSHOT '{snapshot}'")
                    await compare(two, three, table_names(pair.old), table_names(pair.new), done.faults)
                if stands[pair.old].as_of_day != stands[pair.new].as_of_day:
                    days = (str(stands[pair.old].as_of_day), str(stands[pair.new].as_of_day))
                    done.faults.add(Fault("day", stored=days[0], expected=days[1]))
                if done.stored_digest != done.digest:
                    digests = (f"{done.stored_digest:064x}", f"{done.digest:064x}")
                    done.faults.add(Fault("digest", stored=digests[0], expected=digests[1]))
            else:
                place_told = (str(live_seq), str(done.seq))
                done.faults.add(Fault("place", seq=done.seq, stored=place_told[0], expected=place_told[1]))
        if done.faults.count:
            self._progress.report(PROVING)
            folded = await fold_log(two, done.seq)
            if folded.digest != done.digest:
                raise RebuildError("the rebuilt boards are not those of the independent fold: not switched")

    async def _switch(self, pair: _Pair, done: Rebuilt) -> None:
        """Answer reads from the new generation, from one place in the feed."""
        async with pair.still(self._patience_s) as live_seq:
            fault("rebuild.at_barrier")
            stands = await generations(pair.connection)
            old, new = stands[pair.old], stands[pair.new]
            if live_seq == new.seq and (old.digest == new.digest) != (done.stored_digest == done.digest):
                done.faults.add(
                    Fault("digest", seq=new.seq, stored=old.digest.hex(), expected=new.digest.hex())
                )
            fault("rebuild.hash_right")
            await switch(pair.connection, pair.old, pair.new)
        done.switched = True
        fault("rebuild.switched")


@dataclass(frozen=True, slots=True)
class _Pair:
    """The live generation, and the one that follows the feed beside it."""

    connection: Connection
    old: int
    new: int
    projector: BoardProjector

    async def catch_up(self) -> None:
        """Fold until the new generation is within a batch of the feed's end."""
        while await place(self.connection, self.new) + BATCH_MAX < await self.connection.fetchval(HEAD):
            await self.projector.step(EPOCH)

    @asynccontextmanager
    async def still(self, patience_s: float) -> AsyncIterator[int]:
        """Keep the live generation where it is, and bring the new one there; yield the live one's place.

        Where it stays behind the new one for longer than the patience, it is held there, behind.
        """
        deadline = perf_counter() + patience_s
        for _ in range(LOCK_TRIES):
            async with AsyncExitStack() as holding:
                try:
                    live_seq = await holding.enter_async_context(held(self.connection, self.old))
                except asyncpg.LockNotAvailableError:
                    continue
                own = await place(self.connection, self.new)
                while own < live_seq:
                    await self.projector.step(EPOCH, live_seq)
                    own = await place(self.connection, self.new)
                if own == live_seq or perf_counter() > deadline:
                    yield live_seq
                    return
            while await place(self.connection, self.old) < own and perf_counter() < deadline:  # noqa: ASYNC110
                await asyncio.sleep(POLL_S)
        raise RebuildError("the live boards could not be held still: try again")


async def _opened(opened: AsyncExitStack, url: str) -> Connection:
    connection = await connect(url)
    opened.push_async_callback(connection.close)
    return connection
