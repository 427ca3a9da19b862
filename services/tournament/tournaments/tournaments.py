"""Tournaments, carried out: settle, decide, append, set the timer, enter the row."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final, TypeAlias
from uuid import UUID

from libs.bus.port import Bus
from libs.bus.topology import tournament_subject
from libs.eventstore.faults import fault
from libs.eventstore.port import Request, RequestReused, Transaction
from libs.eventstore.repository import Accepted, Repository, StreamConflict
from libs.eventstore.timers import set_timer, timer_request
from libs.eventstore.wake import Wake
from libs.queueing.hints import hint
from libs.runtime.clock import Clock
from services.tournament.domain.calendar.weeks import Week
from services.tournament.domain.tournament.clocks import due, next_deadline
from services.tournament.domain.tournament.commands import Command
from services.tournament.domain.tournament.decide import Unsettled, decide
from services.tournament.domain.tournament.entering import NeedsPrizePoints, PrizePoints
from services.tournament.domain.tournament.events import (
    Event,
    ResultVoided,
    RoundSeated,
    TournamentCancelled,
    TournamentClosing,
)
from services.tournament.domain.tournament.refusal import Refusal, TooFewPrizePoints
from services.tournament.domain.tournament.settle import settle
from services.tournament.domain.tournament.state import Existing, NotScheduled, State
from services.tournament.refusals import refused, request_id_reused, stream_conflict
from services.tournament.tournaments.store import SYSTEM, clear_timer, enter_tournament

TOURNAMENT_TIMER: Final = "tournament"
"""When the tournament is due again."""
TABLES_TIMER: Final = "tables"
"""That its tables at the match service are to be begun or cut: at once."""
CLOCKS_APART: Final = timedelta(seconds=30)
"""What is to be done at once is due before any process's present, whose clocks may differ."""
MICROSECOND: Final = timedelta(microseconds=1)
TABLES_CHANGE: Final = (RoundSeated, TournamentClosing, TournamentCancelled, ResultVoided)
"""Facts after which there is something to be asked of the match service."""
SEED_BYTES: Final = 32
ROUNDS_MAX: Final = 20
"""How often a command may find that something is to be found out or settled first, or that others won."""
CONFLICT_PAUSE_S: Final = 0.02
"""Before a command that lost against those of other processes is judged anew."""


@dataclass(frozen=True, slots=True)
class Moved:
    """The state is not the one that was settled any more: look again."""


NotDone: TypeAlias = Refusal | TooFewPrizePoints | NeedsPrizePoints | Unsettled | Moved
Outcome: TypeAlias = Accepted[State, Event] | NotDone | RequestReused | StreamConflict
Judge: TypeAlias = Callable[[State], Sequence[Event] | NotDone]
TournamentRepository: TypeAlias = Repository[State, Event, NotDone]
Beside: TypeAlias = Callable[[Transaction], Awaitable[None]]
"""What goes into the transaction of a command that is carried out, or has been before."""
PrizePointsOf: TypeAlias = Callable[[UUID, Week], Awaitable[int]]
"""What an account received as final tournament prizes in a week: the ledger's word."""


@dataclass(frozen=True, slots=True)
class Carried:
    """What a command did: its facts, and the tournament right after them; also for a repeat."""

    events: tuple[Event, ...]
    state: Existing
    repeated: bool
    """Whether the command had been carried out before."""


class Tournaments:
    """All tournaments. Every method raises Refused."""

    def __init__(
        self,
        repository: TournamentRepository,
        prize_points_of: PrizePointsOf,
        randomness: Callable[[int], bytes],
        clock: Clock,
        wake: Wake,
        bus: Bus,
    ) -> None:
        """Ask the ledger by `prize_points_of`; the bus only makes it faster for who watches."""
        self._repository = repository
        self._prize_points_of = prize_points_of
        self._randomness = randomness
        self._clock = clock
        self._wake = wake
        self._bus = bus

    async def read(self, tournament_id: UUID) -> tuple[Existing, int]:
        """The tournament as its facts tell it, and how many they are. Raises Refused NOT_FOUND."""
        state, version = await self._repository.state(tournament_id)
        if isinstance(state, NotScheduled):
            raise refused(Refusal.NOT_FOUND)
        return state, version

    async def present(self, tournament_id: UUID) -> Existing:
        """The tournament with what is due by now."""
        return await self.settle(tournament_id, self._clock.now())

    async def carry_out(
        self, tournament_id: UUID, command: Command, request: Request, beside: Beside | None = None
    ) -> Carried:
        """Carry a command out, after what is due by then; ask the ledger where that decides."""
        answer: PrizePoints | None = None
        outcome: Outcome = StreamConflict(tournament_id)
        for _ in range(ROUNDS_MAX):
            outcome = await self._append(
                tournament_id, partial(decide, command, answer=answer), request, command.at, beside
            )
            if isinstance(outcome, Unsettled):
                await self.settle(tournament_id, command.at)
            elif isinstance(outcome, NeedsPrizePoints):
                points = await self._prize_points_of(outcome.account_id, outcome.week)
                answer = PrizePoints(outcome.account_id, outcome.week, points)
            elif isinstance(outcome, StreamConflict):
                await asyncio.sleep(CONFLICT_PAUSE_S)
            else:
                break
        return await self._told(outcome)

    async def settle(self, tournament_id: UUID, at: datetime) -> Existing:
        """Append whatever is due by then; return the tournament after it.

        Seating a large field takes a while: it is worked out apart, and appended where the tournament is
        still the one that it was worked out for.
        """
        for _ in range(ROUNDS_MAX):
            state, version = await self.read(tournament_id)
            deadline = due(state, at)
            if deadline is None:
                return state
            events = await asyncio.to_thread(settle, state, at, self._randomness(SEED_BYTES))
            request = timer_request(SYSTEM, tournament_id, f"{TOURNAMENT_TIMER}/{version}", deadline)
            outcome = await self._append(tournament_id, partial(_unless_moved, state, events), request, at)
            if not isinstance(outcome, Moved | RequestReused | StreamConflict):
                await self._told(outcome)
        raise stream_conflict()

    async def fire(self, stream_id: UUID, kind: str, _due: datetime) -> datetime | None:
        """Do what is due; return when to look again, None for never."""
        assert kind == TOURNAMENT_TIMER, f"tournaments have no timer {kind}"
        return next_deadline(await self.present(stream_id))

    async def _append(
        self,
        tournament_id: UUID,
        judge: Judge,
        request: Request,
        at: datetime,
        beside: Beside | None = None,
    ) -> Outcome:
        async def once(transaction: Transaction) -> Outcome:
            outcome: Outcome = await self._repository.execute_in(
                transaction, tournament_id, judge, request=request, now=at
            )
            if isinstance(outcome, Accepted) and outcome.events and not outcome.repeated:
                facts = [stamped.event for stamped in outcome.events]
                asked_at = at - CLOCKS_APART + outcome.version * MICROSECOND
                await _enter(transaction, tournament_id, outcome.state, facts, asked_at)
                fault("tournament.append_sent")
            if isinstance(outcome, Accepted) and beside is not None:
                await beside(transaction)
            return outcome

        return await self._repository.transact(tournament_id, once)

    async def _told(self, outcome: Outcome) -> Carried:
        """Tell everybody what was accepted; raise what was not."""
        if isinstance(outcome, Refusal | TooFewPrizePoints):
            raise refused(outcome)
        if isinstance(outcome, RequestReused):
            raise request_id_reused()
        if not isinstance(outcome, Accepted):
            raise stream_conflict()
        assert not isinstance(outcome.state, NotScheduled), "facts of a tournament that is scheduled"
        if outcome.events and not outcome.repeated:
            fault("tournament.committed")
            await self._wake.committed(outcome.stream_id, outcome.version)
            await hint(self._bus, tournament_subject(outcome.stream_id))
        events = tuple(stamped.event for stamped in outcome.events)
        return Carried(events, outcome.state, outcome.repeated)


async def _enter(
    transaction: Transaction, tournament_id: UUID, state: State, facts: Sequence[Event], asked_at: datetime
) -> None:
    """Write what stands beside the facts: the row, when to look again, and that tables wait.

    `asked_at` is another one for each version: a firing that is under way names what it was set for, and must
    not clear what was set meanwhile at the same instant.
    """
    assert not isinstance(state, NotScheduled), "facts of a tournament that is scheduled"
    connection = transaction.connection
    await enter_tournament(connection, state)
    deadline = next_deadline(state)
    if deadline is None:
        await clear_timer(connection, tournament_id, TOURNAMENT_TIMER)
    else:
        await set_timer(connection, tournament_id, TOURNAMENT_TIMER, deadline)
    if any(isinstance(fact, TABLES_CHANGE) for fact in facts):
        await set_timer(connection, tournament_id, TABLES_TIMER, asked_at)


def _unless_moved(before: State, events: Sequence[Event], state: State) -> Sequence[Event] | NotDone:
    return events if state is before or state == before else Moved()
