"""How tables begin, and how each of their deals does: in the transaction that seats them, or ends the last.

So there is always a deal to play, whichever process dies.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from libs.eventsourcing.envelope import NewEvent
from libs.eventsourcing.ids import RANDOM_BYTES, uuid7
from libs.eventstore.faults import fault
from libs.eventstore.port import STREAM_DOES_NOT_EXIST, Appended, StreamAppend, Transaction
from libs.eventstore.timers import set_timers
from libs.rules.solitaire.prng import SEED_BYTES
from services.mcr.domain.deal import events as deal_events
from services.mcr.domain.deal.drawing import begun
from services.mcr.domain.deal.terms import DealTerms, Occupant, Wall
from services.mcr.domain.deal.walls import lay_wall
from services.mcr.domain.session import events as session_events
from services.mcr.domain.session.commands import OpenTable, StartDeal
from services.mcr.domain.session.decide import decide, next_deal
from services.mcr.domain.session.evolve import evolve, initial
from services.mcr.domain.session.state import Between
from services.mcr.domain.session.terms import TableTerms
from services.mcr.tables import store as rows
from services.mcr.tables.pace import Pace
from services.mcr.tables.store import SYSTEM, NewSeats
from services.mcr.wire.deal_codec import DealCodec
from services.mcr.wire.table_codec import TableCodec

DEAL_TIMER: Final = "deal"
"""Wakes a deal with persons: for its deadlines, and for the AI players among them."""
ALONE_TIMER: Final = "alone"
"""Wakes a deal of AI players alone: they are never in a hurry, and never keep others waiting."""


@dataclass(frozen=True, slots=True)
class NewTable:
    """A table that is to begin."""

    table_id: UUID
    occupants: tuple[Occupant, ...]
    """Four, by seat."""
    deals: int = 1
    private: bool = False
    """Made for invited players: its points count on no board."""


@dataclass(frozen=True, slots=True)
class FreshDeal:
    """A deal that nobody has seen."""

    deal_id: UUID
    wall: Wall


class TableBeginnings:
    """Deals that no table had before. Everything happens in the caller's transaction."""

    def __init__(self, randomness: Callable[[int], bytes], pace: Pace) -> None:
        """Take seeds from `randomness`."""
        self._randomness = randomness
        self._pace = pace

    async def begin_all(self, transaction: Transaction, tables: Sequence[NewTable], now: datetime) -> None:
        """Open tables, deal their first deals, seat their persons, and wake them in time.

        The caller holds the locks of all persons, and has found none of them seated (`store.seat_of`).
        """
        opened = [_open(table, self._pace, now) for table in tables]
        deals = await self._fresh(transaction, [(1, None)] * len(opened), now)
        appends: list[StreamAppend] = []
        seats: list[NewSeats] = []
        for (terms, facts, between), deal in zip(opened, deals, strict=True):
            first = next_deal(between.table)
            first = replace(first, pause=self._pace.countdown) if terms.persons else first
            appends += _appends(between, first, deal, now, facts)
            seats.append(NewSeats(terms.table_id, deal.deal_id, terms.persons, terms.private))
        await _append(transaction, appends, now)
        await rows.enter_tables(transaction.connection, seats, now)
        for kind, due in ((DEAL_TIMER, now + self._pace.countdown), (ALONE_TIMER, now)):
            woken = [each.deal_id for each in seats if timer_of(each.accounts) == kind]
            if woken:
                await set_timers(transaction.connection, woken, kind, due)
        fault("mcr.tables_begun")

    async def deal_next(
        self,
        transaction: Transaction,
        facts: Sequence[session_events.Event],
        between: Between,
        version: int,
        away: frozenset[int],
        now: datetime,
    ) -> None:
        """Append facts to the stream of a table, which stands at `version`, and deal what follows them."""
        table = between.table
        number = table.next_number
        (deal,) = await self._fresh(transaction, [(number, table.first_dealer)], now)
        await _append(transaction, _appends(between, next_deal(table, away), deal, now, facts, version), now)
        connection = transaction.connection
        await rows.enter_deal(connection, table.terms.table_id, deal.deal_id, number)
        due, kind = now + table.terms.pause, timer_of(table.terms.persons)
        await set_timers(connection, [deal.deal_id], kind, due)
        fault("mcr.next_dealt")

    async def _fresh(
        self, transaction: Transaction, wanted: Sequence[tuple[int, int | None]], now: datetime
    ) -> list[FreshDeal]:
        """Deals that nobody had before, for deals of these numbers at tables of these first dealers."""
        ids = [uuid7(now, self._randomness(RANDOM_BYTES)) for _ in wanted]
        fresh: dict[UUID, FreshDeal] = {}
        while missing := {
            deal_id: each for deal_id, each in zip(ids, wanted, strict=True) if deal_id not in fresh
        }:
            walls = await asyncio.to_thread(self._walls, missing)
            hashes = {deal_id: hashlib.sha256(bytes(wall.tiles)).digest() for deal_id, wall in walls.items()}
            for deal_id in await rows.claim_walls(transaction.connection, hashes):
                fresh[deal_id] = FreshDeal(deal_id, walls[deal_id])
        return [fresh[deal_id] for deal_id in ids]

    def _walls(self, wanted: Mapping[UUID, tuple[int, int | None]]) -> dict[UUID, Wall]:
        return {
            deal_id: lay_wall(
                self._randomness(SEED_BYTES), self._randomness(SEED_BYTES), number, first_dealer
            )
            for deal_id, (number, first_dealer) in wanted.items()
        }


def timer_of(persons: Sequence[UUID]) -> str:
    """The kind of timer that wakes the deals of a table with these persons."""
    return DEAL_TIMER if persons else ALONE_TIMER


def _open(
    table: NewTable, pace: Pace, now: datetime
) -> tuple[TableTerms, list[session_events.Event], Between]:
    terms = pace.of(TableTerms(table.table_id, table.occupants, table.deals, private=table.private))
    facts = decide(OpenTable(terms, now), initial())
    assert isinstance(facts, list), "the caller asks for tables that can be"
    between = evolve(initial(), facts[0])
    assert isinstance(between, Between), "no deal has begun"
    return terms, facts, between


def _appends(
    between: Between,
    terms: DealTerms,
    deal: FreshDeal,
    now: datetime,
    facts: Sequence[session_events.Event],
    version: int = STREAM_DOES_NOT_EXIST,
) -> list[StreamAppend]:
    """The facts of the table, the start of its deal among them, and the first ones of the deal."""
    started = decide(StartDeal(deal.deal_id, deal.wall.dealer, now), between)
    assert isinstance(started, list), "a deal is to be dealt"
    told = tuple(map(new_table_event, (*facts, *started)))
    dealt = tuple(map(_new_deal_event, begun(terms, deal.wall, now)))
    return [
        StreamAppend(terms.table_id, version, told),
        StreamAppend(deal.deal_id, STREAM_DOES_NOT_EXIST, dealt),
    ]


def new_table_event(event: session_events.Event) -> NewEvent:
    """A fact of a table, to be appended."""
    part, name, schema_version, data = TableCodec().encode(event)
    return NewEvent(part, name, schema_version, event.occurred_at, data)


def _new_deal_event(event: deal_events.Event) -> NewEvent:
    part, name, schema_version, data = DealCodec().encode(event)
    return NewEvent(part, name, schema_version, event.occurred_at, data)


async def _append(transaction: Transaction, appends: Sequence[StreamAppend], now: datetime) -> None:
    appended = await transaction.append(appends, recorded_at=now, caller=SYSTEM)
    assert isinstance(appended, Appended), "new streams have no rivals, and only its deal moves a table"
