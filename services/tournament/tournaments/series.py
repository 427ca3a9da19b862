"""Series, carried out, and their occurrences scheduled ahead."""

from __future__ import annotations

import asyncio
import hashlib
from functools import partial
from typing import Final, TypeAlias
from uuid import UUID, uuid5

import structlog

from libs.eventstore.port import EventStore, Request, RequestReused, Transaction
from libs.eventstore.repository import Accepted, Repository, StreamConflict
from libs.runtime.clock import Clock
from libs.runtime.errors import Refused
from libs.runtime.pause import pause
from services.tournament.domain.series.commands import Command
from services.tournament.domain.series.decide import Refusal, decide, plans_ahead
from services.tournament.domain.series.events import Event
from services.tournament.domain.series.state import Going, State
from services.tournament.domain.tournament.commands import ScheduleTournament
from services.tournament.domain.tournament.words import Plan
from services.tournament.refusals import request_id_reused, series_refused, stream_conflict
from services.tournament.tournaments.store import SYSTEM, enter_series, going_series, scheduled_among
from services.tournament.tournaments.tournaments import Tournaments

SeriesRepository: TypeAlias = Repository[State, Event, Refusal]
Outcome: TypeAlias = Accepted[State, Event] | Refusal | RequestReused | StreamConflict
LOOK_EVERY_S: Final = 30.0

log = structlog.get_logger(__name__)


class AllSeries:
    """All series. Every method raises Refused."""

    def __init__(
        self, repository: SeriesRepository, store: EventStore, tournaments: Tournaments, clock: Clock
    ) -> None:
        """Schedule into `tournaments`."""
        self._repository = repository
        self._store = store
        self._tournaments = tournaments
        self._clock = clock

    async def carry_out(self, series_id: UUID, command: Command, request: Request) -> State:
        """Carry a command out; the occurrences of the next days are scheduled with it."""

        async def once(transaction: Transaction) -> Outcome:
            outcome: Outcome = await self._repository.execute_in(
                transaction, series_id, partial(decide, command), request=request, now=command.at
            )
            if isinstance(outcome, Accepted) and outcome.events and not outcome.repeated:
                is_going = isinstance(outcome.state, Going)
                await enter_series(transaction.connection, series_id, is_going=is_going)
            return outcome

        outcome: Outcome = await self._repository.transact(series_id, once)
        if isinstance(outcome, Refusal):
            raise series_refused(outcome)
        if isinstance(outcome, RequestReused):
            raise request_id_reused()
        if not isinstance(outcome, Accepted):
            raise stream_conflict()
        await self._schedule_ahead(series_id)
        return outcome.state

    async def run(self, stop: asyncio.Event) -> None:
        """Look every half minute; any number of processes may."""
        while not stop.is_set():
            await self.step()
            await pause(stop, LOOK_EVERY_S)

    async def step(self) -> int:
        """Schedule what all series have ahead; return how many tournaments were new.

        One that cannot be scheduled is told of, and does not keep the others from it.
        """
        async with self._store.transaction() as transaction:
            going = await going_series(transaction.connection)
        new = 0
        for series_id in going:
            try:
                new += await self._schedule_ahead(series_id)
            except Exception:
                log.exception("tournament.series_failed", series=str(series_id))
        return new

    async def _schedule_ahead(self, series_id: UUID) -> int:
        """Schedule each occurrence once: its id follows from series and date, whoever asks."""
        state, _version = await self._repository.state(series_id)
        plans = plans_ahead(state, self._clock.now())
        async with self._store.transaction() as transaction:
            there = await scheduled_among(transaction.connection, [plan.tournament_id for plan in plans])
        return sum([await self._schedule(plan) for plan in plans if plan.tournament_id not in there])

    async def _schedule(self, plan: Plan) -> bool:
        command = ScheduleTournament(plan, self._clock.now())
        what = b"schedule/" + plan.tournament_id.bytes
        request = Request(SYSTEM, str(uuid5(plan.tournament_id, "schedule")), hashlib.sha256(what).digest())
        try:
            carried = await self._tournaments.carry_out(plan.tournament_id, command, request)
        except Refused as error:
            if error.reason == "STREAM_CONFLICT":
                return False  # somebody else schedules it
            raise
        return bool(carried.events) and not carried.repeated
