"""Games of the pool, carried out: settle, decide, ask what must be asked, append, tell the watchers.

What rows stand beside (seats that are free again, timers, the next game of training) is appended in one
transaction with them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final, TypeAlias
from uuid import UUID

from libs.eventsourcing.following import Change, Kind
from libs.eventsourcing.ids import RANDOM_BYTES, birth_of, uuid7
from libs.eventstore.faults import fault
from libs.eventstore.outage import Outages
from libs.eventstore.port import EventStore, Request, RequestReused, Transaction
from libs.eventstore.repository import Accepted, Repository, StreamConflict
from libs.eventstore.timers import clear_timers, set_timer, timer_request
from libs.eventstore.wake import Wake
from libs.following.hub import WatchHub
from libs.runtime.clock import Clock
from libs.runtime.names import match_name
from libs.runtime.request import request_id_reused
from services.match.domain.pauses import Outage
from services.match.domain.pool.commands import Command, RestartTraining
from services.match.domain.pool.decide import (
    Decision,
    NeedsHint,
    NeedsShuffle,
    Outside,
    Question,
    Unsettled,
    decide,
)
from services.match.domain.pool.events import (
    CountdownBegun,
    Event,
    PoolDealt,
    PoolEnded,
    PoolSeatEnded,
    StakeRefused,
)
from services.match.domain.pool.evolve import evolve, initial
from services.match.domain.pool.refusal import PoolRefusal
from services.match.domain.pool.settle import What, due_at, next_deadline, settle
from services.match.domain.pool.state import Dealt, NotDealt, State, seat_of
from services.match.domain.pool.terms import Phase, PoolDeal, PoolEnding, PoolTerms
from services.match.domain.rematch_offers import after_pool
from services.match.jokers import SYSTEM
from services.match.pools.begin import ESCROW_TIMER, POOL_TIMER, PoolBeginnings, append_new
from services.match.pools.refusals import pool_refused
from services.match.pools.thinking import Thinking
from services.match.queue.store import free_seat, free_seats
from services.match.refusals import stream_conflict
from services.match.rematches import store as rematches
from services.match.watching import live

QUESTIONS_MAX: Final = 20
"""Rounds of asking for one command; each answers what the one before left open."""
GRACE: Final = timedelta(milliseconds=50)
"""How long a timer waits after time is up: a command received in time may be under way."""


@dataclass(frozen=True, slots=True)
class InTransaction:
    """The facts need rows beside them: append them in a transaction."""


Outcome: TypeAlias = (
    Accepted[State, Event] | PoolRefusal | Question | InTransaction | RequestReused | StreamConflict
)
PoolHub: TypeAlias = WatchHub[State, Event]
PoolRepository: TypeAlias = Repository[State, Event, PoolRefusal | Question | InTransaction]
Judge: TypeAlias = Callable[[State], Decision]
Beside: TypeAlias = Callable[[Transaction, Accepted[State, Event]], Awaitable[None]]
POOL_KIND: Final[Kind[State, Event]] = Kind(
    initial, evolve, lambda state: isinstance(state, Dealt) and state.phase is Phase.OVER
)


@dataclass(frozen=True, slots=True)
class PoolPlayed:
    """What a command did: its events, and the game right after them; also for a repeat."""

    game_id: UUID
    events: tuple[Event, ...]
    state: Dealt


class Pools:
    """The games of all players. Every method raises Refused."""

    def __init__(
        self,
        store: EventStore,
        repository: PoolRepository,
        beginnings: PoolBeginnings,
        thinking: Thinking,
        outages: Outages,
        randomness: Callable[[int], bytes],
        clock: Clock,
        wake: Wake,
        hub: PoolHub,
    ) -> None:
        """Deal by `beginnings`, write through the store, tell the hub and the bus."""
        self._store = store
        self._repository = repository
        self._beginnings = beginnings
        self._thinking = thinking
        self._outages = outages
        self._randomness = randomness
        self._clock = clock
        self._wake = wake
        self._hub = hub

    async def read(self, game_id: UUID, account_id: UUID) -> Dealt:
        """The game as it stands now, for whoever has a seat in it."""
        state = await self.settle(game_id, self._clock.now())
        if isinstance(state, NotDealt):
            raise pool_refused(PoolRefusal.NOT_FOUND, match_name(game_id))
        if seat_of(state, account_id) is None:
            raise pool_refused(PoolRefusal.NOT_YOURS, match_name(game_id))
        return state

    async def start_training(
        self,
        account_id: UUID,
        limit: timedelta,
        request: Request,
        at: datetime,
        same_deal: PoolDeal | None = None,
    ) -> PoolPlayed:
        """Begin a game of one player on a stream of its own: on a fresh deal, or on one played before."""
        game_id = uuid7(at, self._randomness(RANDOM_BYTES))
        while True:
            deal = same_deal or await self._beginnings.unclaimed_deal()
            dealt = PoolDealt(PoolTerms((account_id,), 0, limit), deal, at)
            async with self._store.transaction() as transaction:
                outcome = await self._repository.execute_in(
                    transaction,
                    game_id,
                    lambda _state, dealt=dealt: [dealt],  # type: ignore[misc]
                    request=request,
                    now=at,
                    reply=game_id.bytes,
                )
                if isinstance(outcome, Accepted) and not outcome.repeated:
                    is_fresh = await self._beginnings.claim(transaction, deal, game_id)
                    if not is_fresh and same_deal is None:
                        await transaction.rollback()
                        continue
                    await set_timer(transaction.connection, game_id, POOL_TIMER, at + limit + GRACE)
                    fault("match.append_sent")
            return await self._told(game_id, outcome)

    async def restart_training(
        self, game_id: UUID, account_id: UUID, request: Request, at: datetime, *, new_deal: bool
    ) -> PoolPlayed:
        """End a game of training and begin another, on the same deal or a new one: both or neither.

        One that is over already only lends its deal.
        """
        present = await self.read(game_id, account_id)
        if present.ended is not None and present.ended.ending is PoolEnding.PLAYED:
            if not present.terms.is_training:
                raise pool_refused(PoolRefusal.NOT_IN_MODE, match_name(game_id))
            same_deal = None if new_deal else present.deal
            return await self.start_training(account_id, present.terms.limit, request, at, same_deal)
        command = RestartTraining(account_id, uuid7(at, self._randomness(RANDOM_BYTES)), at)

        async def begin_again(transaction: Transaction, accepted: Accepted[State, Event]) -> None:
            ended = accepted.state
            assert isinstance(ended, Dealt)
            assert ended.ended is not None
            following, began_at = command.next_game_id, ended.ended.occurred_at
            deal: PoolDeal = ended.deal
            if new_deal:
                deal = await self._beginnings.fresh_deal(transaction, following)
            await append_new(transaction, following, PoolDealt(ended.terms, deal, began_at), account_id)
            due = began_at + ended.terms.limit + GRACE
            await set_timer(transaction.connection, following, POOL_TIMER, due)

        played = await self.play(game_id, command, request, begin_again)
        assert played.state.ended is not None
        following = played.state.ended.next_game_id
        assert following is not None, "a restart names the next game"
        first, *_later = await self._repository.events(following)
        begun = evolve(initial(), first.event)
        assert isinstance(begun, Dealt)
        return PoolPlayed(following, (first.event,), begun)

    async def play(
        self, game_id: UUID, command: Command, request: Request, beside: Beside | None = None
    ) -> PoolPlayed:
        """Carry out a command; `beside` writes what stands beside its facts."""
        outside = Outside(await self._outages_of(game_id))
        outcome: Outcome = StreamConflict(game_id)
        for _ in range(QUESTIONS_MAX):
            judge = partial(decide, command, outside=outside)
            outcome = await self._carry_out(game_id, judge, request, command.at, beside)
            match outcome:
                case Unsettled():
                    await self.settle(game_id, command.at)
                    outside = replace(outside, outages=await self._outages_of(game_id))
                case NeedsShuffle():
                    outside = replace(outside, laid=await self._thinking.laid(outcome))
                case NeedsHint():
                    outside = replace(outside, hinted=await self._thinking.hinted(outcome))
                case _:
                    break
        return await self._told(game_id, outcome)

    async def settle(self, game_id: UUID, at: datetime) -> State:
        """Append whatever is due by then; return the game after it."""
        while True:
            state, version = await self._repository.state(game_id)
            outages = await self._outages_of(game_id)
            due = due_at(state, at, outages)
            if due is None:
                return state
            # Facts of one instant may follow each other (an outage told late): the version parts them.
            request = timer_request(SYSTEM, game_id, f"{POOL_TIMER}/{version}", due)
            judge = partial(_settled, at=at, outages=outages)
            await self._told(game_id, await self._carry_out(game_id, judge, request, at))

    async def fire(self, game_id: UUID, due: datetime) -> datetime | None:
        """Settle what a timer woke the game for; return when to look again."""
        state = await self.settle(game_id, max(due, self._clock.now()))
        deadline = next_deadline(state)
        if deadline is None:
            return None
        again = deadline.due if deadline.what is What.SIGNAL else deadline.due + GRACE
        return max(again, due + timedelta(milliseconds=1))

    async def _carry_out(
        self, game_id: UUID, judge: Judge, request: Request, at: datetime, beside: Beside | None = None
    ) -> Outcome:
        """Decide and append: in one call, or in a transaction where rows stand beside the facts."""
        outcome: Outcome = await self._repository.execute(
            game_id, partial(_hot, judge), request=request, now=at
        )
        if not isinstance(outcome, InTransaction):
            return outcome

        async def once(transaction: Transaction) -> Outcome:
            outcome: Outcome = await self._repository.execute_in(
                transaction, game_id, judge, request=request, now=at
            )
            if isinstance(outcome, Accepted) and not outcome.repeated:
                await self._enter(transaction, game_id, outcome)
                if beside is not None:
                    await beside(transaction, outcome)
                fault("match.append_sent")
            return outcome

        return await self._repository.transact(game_id, once)

    async def _enter(self, transaction: Transaction, game_id: UUID, accepted: Accepted[State, Event]) -> None:
        """Write what stands beside the facts: free seats, and who is to be woken for what."""
        connection, state = transaction.connection, accepted.state
        assert isinstance(state, Dealt)
        for event in (stamped.event for stamped in accepted.events):
            match event:
                case StakeRefused(seat=seat, occurred_at=at):
                    await free_seat(connection, game_id, state.seats[seat].account_id)
                    await set_timer(connection, game_id, ESCROW_TIMER, at)
                case CountdownBegun():
                    await set_timer(connection, game_id, POOL_TIMER, state.signal_at)
                case PoolSeatEnded(seat=seat):
                    await free_seat(connection, game_id, state.seats[seat].account_id)
                case PoolEnded(occurred_at=at):
                    await clear_timers(connection, game_id)
                    await free_seats(connection, game_id)
                    if not state.terms.is_training:
                        await set_timer(connection, game_id, ESCROW_TIMER, at)
                        await live.end(connection, game_id, at)
                    if (offer := after_pool(game_id, state)) is not None:
                        await rematches.OFFERS.insert(connection, offer)
                case _:
                    pass

    async def _told(self, game_id: UUID, outcome: Outcome) -> PoolPlayed:
        """Tell everybody what was accepted; raise what was not."""
        if isinstance(outcome, PoolRefusal):
            raise pool_refused(outcome, match_name(game_id))
        if isinstance(outcome, RequestReused):
            raise request_id_reused()
        if not isinstance(outcome, Accepted):
            raise stream_conflict(match_name(game_id))
        assert isinstance(outcome.state, Dealt)
        events = tuple(stamped.event for stamped in outcome.events)
        if events and not outcome.repeated:
            fault("match.committed")
            self._hub.offer(outcome.stream_id, Change(outcome.version, events, outcome.state))
            await self._wake.committed(outcome.stream_id, outcome.version)
        return PoolPlayed(outcome.stream_id, events, outcome.state)

    async def _outages_of(self, game_id: UUID) -> tuple[Outage, ...]:
        """The outages since the game was dealt."""
        try:
            born_at = birth_of(game_id)
        except OverflowError:
            return ()  # a name that somebody made up: there is no such game
        return tuple(Outage(each.from_at, each.to_at) for each in await self._outages.since(born_at))


def _hot(judge: Judge, state: State) -> Decision | InTransaction:
    """The decision, unless its facts need rows beside them."""
    decided = judge(state)
    if isinstance(decided, list) and any(
        isinstance(event, StakeRefused | CountdownBegun | PoolSeatEnded | PoolEnded) for event in decided
    ):
        return InTransaction()
    return decided


def _settled(state: State, *, at: datetime, outages: tuple[Outage, ...]) -> Decision:
    return settle(state, at, outages)
