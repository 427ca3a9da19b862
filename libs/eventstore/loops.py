"""The loops that every service with events runs where the work is done: sequencers, relays, upkeep."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from libs.bus.port import Bus, Message
from libs.bus.topology import wake_subject
from libs.eventsourcing.envelope import Part
from libs.eventstore.consumer import Consumer
from libs.eventstore.lease import Body, run_leased
from libs.eventstore.pace import BUSY_MS, Pace
from libs.eventstore.partitions import keep_partitions
from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.stored_checkpoint import StoredCheckpoint
from libs.eventstore.relay import Relay
from libs.eventstore.sequencer import Sequencer

NamedLoop = tuple[str, Callable[[asyncio.Event], Awaitable[None]]]

DEFAULT_SITE = "local"
BUSY_MS_OF_PART = {Part.FACTS: BUSY_MS, Part.MOVES: 100}
"""Others act on facts and wait for them. Nobody waits for the feed of moves: they go in larger batches."""


def event_core_loops(
    database: Database,
    bus: Bus,
    service: str,
    holder: str,
    parts: Sequence[Part] = (Part.FACTS, Part.MOVES),
    *,
    site: str = DEFAULT_SITE,
) -> list[NamedLoop]:
    """Return name and body of each loop; a body runs until its `stop` is set. Several processes may run them.

    `holder` names the process in leases; `site` is the first half of the events' source.
    """
    loops: list[NamedLoop] = [(f"{service}.partitions", _upkeep(database))]
    if database.telemetry.measures:
        loops.append((f"{service}.figures", partial(database.figures.watch, holder)))
    for part in parts:
        relay_pace, sequencing_here = Pace(BUSY_MS_OF_PART[part]), asyncio.Event()
        feed_name = f"{service}.{part}"
        sequencing = _sequencing(database, bus, service, holder, part, relay_pace, sequencing_here)
        loops.append((f"sequencer.{feed_name}", sequencing))
        name = f"relay.{part}"
        relay = Relay(
            database.feed, StoredCheckpoint(database, name), bus, f"{site}/{service}", part, pace=relay_pace
        )
        loops.append(
            (
                f"relay.{feed_name}",
                _relaying(database, bus, service, holder, name, relay, relay_pace, sequencing_here),
            )
        )
    return loops


def consumer_loop(database: Database, holder: str, consumer: Consumer) -> NamedLoop:
    """Return the loop of a consumer whose lease and checkpoint are in `database`."""
    consumer.be_watched(database.telemetry)
    database.figures.follow_consumer(consumer)
    return f"consumer.{consumer.name}", leased(database, f"consumer.{consumer.name}", holder, consumer.run)


def leased(
    database: Database, name: str, holder: str, body: Body
) -> Callable[[asyncio.Event], Awaitable[None]]:
    """Return a loop body that works only while this process holds the lease `name`."""

    async def run(stop: asyncio.Event) -> None:
        await run_leased(database, name, holder, body, stop)

    return run


def _upkeep(database: Database) -> Callable[[asyncio.Event], Awaitable[None]]:
    async def run(stop: asyncio.Event) -> None:
        await keep_partitions(database, stop)

    return run


def _sequencing(
    database: Database,
    bus: Bus,
    service: str,
    holder: str,
    part: Part,
    relay_pace: Pace,
    sequencing_here: asyncio.Event,
) -> Callable[[asyncio.Event], Awaitable[None]]:
    pace = Pace(BUSY_MS_OF_PART[part])

    async def body(epoch: int, lost: asyncio.Event) -> None:
        sequencer = Sequencer(database, part)
        sequencing_here.set()
        try:
            while not lost.is_set():
                moved = await sequencer.step(epoch)
                if moved:
                    relay_pace.nudge()
                await pace.wait(worked=moved > 0)
        finally:
            sequencing_here.clear()

    return _nudged(bus, service, pace.nudge, leased(database, f"sequencer.{part}", holder, body))


def _relaying(
    database: Database,
    bus: Bus,
    service: str,
    holder: str,
    name: str,
    relay: Relay,
    pace: Pace,
    sequencing_here: asyncio.Event,
) -> Callable[[asyncio.Event], Awaitable[None]]:
    def nudge() -> None:
        """Look where the sequencer works in another process: one in this process says when it has moved."""
        if not sequencing_here.is_set():
            pace.nudge()

    return _nudged(bus, service, nudge, leased(database, name, holder, relay.run))


def _nudged(
    bus: Bus, service: str, nudge: Callable[[], None], run: Callable[[asyncio.Event], Awaitable[None]]
) -> Callable[[asyncio.Event], Awaitable[None]]:
    """Return `run` with its pace quickened by the service's wake-ups."""

    async def on_wake(_message: Message) -> None:
        nudge()

    async def nudged(stop: asyncio.Event) -> None:
        subscription = await bus.subscribe(wake_subject(service), on_wake)
        try:
            await run(stop)
        finally:
            await subscription.unsubscribe()

    return nudged
