"""The ledger's own work: event core, intake, midnights, boards. Loops are leased: one process does each."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from libs.bus.port import Bus, Message
from libs.bus.topology import wake_subject
from libs.eventsourcing.envelope import Part
from libs.eventstore.consumer import Consumer
from libs.eventstore.lease import Body, run_leased, wait_for
from libs.eventstore.loops import NamedLoop, consumer_loop, event_core_loops, leased
from libs.eventstore.pace import Pace
from libs.eventstore.port import Fenced
from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.stored_checkpoint import StoredCheckpoint
from libs.eventstore.wake import Wake
from libs.runtime.clock import Clock
from libs.runtime.feed_reader import GrpcFeedReader
from libs.runtime.service import Loop, Runtime
from services.ledger.account_facts import ACCOUNT_DECLARED, ACCOUNT_INTAKE, AccountFacts
from services.ledger.policies import (
    DECLARED,
    INTAKE,
    INTAKE_BATCH_MAX,
    TABLE_DECLARED,
    TABLE_INTAKE,
    DayCloser,
    match_facts,
    table_facts,
)
from services.ledger.prize_facts import PRIZE_DECLARED, PRIZE_INTAKE, PrizeFacts
from services.ledger.projections.generations import active_generation
from services.ledger.projections.projector import BoardProjector
from services.ledger.projections.reads import BoardReader
from services.ledger.projections.tables import BoardTables
from services.ledger.store.journal import Journal
from services.ledger.store.prizes import Prizes

BOARDS: Final = "boards"
"""Lease of the projector. Each generation has a checkpoint of its own, fenced by the lease's epochs."""
DAYS: Final = "days"
DAY_POLL_MS: Final = 250

Run = Callable[[asyncio.Event], Awaitable[None]]

log = structlog.get_logger()


def working_loops(
    runtime: Runtime, database: Database, journal: Journal, prizes: Prizes, boards: BoardReader, wake: Wake
) -> tuple[Loop, ...]:
    """Return everything that a working process runs for the ledger."""
    site, holder = runtime.settings.site, runtime.holder
    core = event_core_loops(database, runtime.bus, "ledger", holder, (Part.FACTS,), site=site)
    source = f"{site}/match"
    consumer = Consumer(
        runtime.bus,
        GrpcFeedReader(runtime.clients.channel("match"), "match"),
        StoredCheckpoint(database, INTAKE),
        name=INTAKE,
        source=source,
        part=Part.FACTS,
        declared=DECLARED,
        batch_max=INTAKE_BATCH_MAX,
        handle=match_facts(journal, runtime.clock, wake, source).handle,
    )
    table_source = f"{site}/mcr"
    table_consumer = Consumer(
        runtime.bus,
        GrpcFeedReader(runtime.clients.channel("mcr"), "mcr"),
        StoredCheckpoint(database, TABLE_INTAKE),
        name=TABLE_INTAKE,
        source=table_source,
        part=Part.FACTS,
        declared=TABLE_DECLARED,
        batch_max=INTAKE_BATCH_MAX,
        handle=table_facts(journal, runtime.clock, wake, table_source).handle,
    )
    account_source = f"{site}/account"
    account_consumer = Consumer(
        runtime.bus,
        GrpcFeedReader(runtime.clients.channel("account"), "account"),
        StoredCheckpoint(database, ACCOUNT_INTAKE),
        name=ACCOUNT_INTAKE,
        source=account_source,
        part=Part.FACTS,
        declared=ACCOUNT_DECLARED,
        handle=AccountFacts(journal, runtime.clock, wake, account_source).handle,
    )
    prize_source = f"{site}/tournament"
    prize_consumer = Consumer(
        runtime.bus,
        GrpcFeedReader(runtime.clients.channel("tournament"), "tournament"),
        StoredCheckpoint(database, PRIZE_INTAKE),
        name=PRIZE_INTAKE,
        source=prize_source,
        part=Part.FACTS,
        declared=PRIZE_DECLARED,
        handle=PrizeFacts(prizes, runtime.clock, wake, prize_source).handle,
    )
    own: list[NamedLoop] = [
        consumer_loop(database, holder, consumer),
        consumer_loop(database, holder, table_consumer),
        consumer_loop(database, holder, account_consumer),
        consumer_loop(database, holder, prize_consumer),
        ("ledger.days", leased(database, DAYS, holder, closing_days(database, boards, runtime.clock, wake))),
        ("ledger.boards", folding(database, runtime.bus, holder, runtime.clock)),
    ]
    return tuple(Loop(name, run) for name, run in [*core, *own])


def closing_days(database: Database, boards: BoardReader, clock: Clock, wake: Wake) -> Body:
    """Return the work of appending each midnight."""

    async def body(_epoch: int, lost: asyncio.Event) -> None:
        closer = DayCloser(database.store, boards.as_of_day, clock)
        while not lost.is_set():
            if await closer.step():
                await wake.nudge()
            await wait_for(lost, DAY_POLL_MS)

    return body


def folding(database: Database, bus: Bus, holder: str, clock: Clock) -> Run:
    """Return the loop that folds the ledger's feed into the generation of boards that is active."""
    pace = Pace()

    async def on_wake(_message: Message) -> None:
        pace.nudge()

    async def body(epoch: int, lost: asyncio.Event) -> None:
        while not lost.is_set():
            generation = await active_generation(database)
            try:
                await _follow(database, generation, epoch, lost, clock, pace)
            except Fenced:
                if await active_generation(database) == generation:
                    raise
                log.info("boards.switched", left=generation)  # with a fold in flight, which changed nothing

    async def run(stop: asyncio.Event) -> None:
        subscription = await bus.subscribe(wake_subject("ledger"), on_wake)
        try:
            await run_leased(database, BOARDS, holder, body, stop)
        finally:
            await subscription.unsubscribe()

    return run


async def _follow(
    database: Database, generation: int, epoch: int, lost: asyncio.Event, clock: Clock, pace: Pace
) -> None:
    """Fold into one generation until another one is active."""
    projector = BoardProjector(database, BoardTables(generation), clock.now)
    database.figures.follow("boards", projector.name, Part.FACTS)
    await projector.claim(epoch)
    while not lost.is_set():
        folded = await projector.step(epoch)
        await projector.forget_old_changes()
        await pace.wait(worked=folded > 0)
        if await active_generation(database) != generation:
            return
