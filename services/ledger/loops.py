"""The ledger's own work: event core, intake, midnights, boards. Loops are leased: one process does each."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final, Protocol

import structlog

from libs.bus.port import Bus, Message
from libs.bus.topology import wake_subject
from libs.eventsourcing.envelope import Part
from libs.eventstore.consumer import BATCH_MAX, Consumer, Handle
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


class Intake(Protocol):
    """What takes facts of another service in."""

    @property
    def handle(self) -> Handle:
        """The work for a batch of them."""
        ...


def working_loops(
    runtime: Runtime, database: Database, journal: Journal, prizes: Prizes, boards: BoardReader, wake: Wake
) -> tuple[Loop, ...]:
    """Return everything that a working process runs for the ledger."""
    site, holder = runtime.settings.site, runtime.holder
    core = event_core_loops(database, runtime.bus, "ledger", holder, (Part.FACTS,), site=site)
    clock = runtime.clock

    def intake(
        service: str,
        name: str,
        declared: Mapping[str, int],
        facts: Callable[[str], Intake],
        batch_max: int = BATCH_MAX,
    ) -> NamedLoop:
        """Follow what a service tells; `facts` makes what takes it in, from the name of its source."""
        source = f"{site}/{service}"
        consumer = Consumer(
            runtime.bus,
            GrpcFeedReader(runtime.clients.channel(service), service),
            StoredCheckpoint(database, name),
            name=name,
            source=source,
            part=Part.FACTS,
            declared=declared,
            batch_max=batch_max,
            handle=facts(source).handle,
        )
        return consumer_loop(database, holder, consumer)

    own: list[NamedLoop] = [
        intake("match", INTAKE, DECLARED, partial(match_facts, journal, clock, wake), INTAKE_BATCH_MAX),
        intake(
            "mcr", TABLE_INTAKE, TABLE_DECLARED, partial(table_facts, journal, clock, wake), INTAKE_BATCH_MAX
        ),
        intake("account", ACCOUNT_INTAKE, ACCOUNT_DECLARED, partial(AccountFacts, journal, clock, wake)),
        intake("tournament", PRIZE_INTAKE, PRIZE_DECLARED, partial(PrizeFacts, prizes, clock, wake)),
        ("ledger.days", leased(database, DAYS, holder, closing_days(database, boards, clock, wake))),
        ("ledger.boards", folding(database, runtime.bus, holder, clock)),
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
