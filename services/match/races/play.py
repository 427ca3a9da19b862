"""Races, carried out: settle, decide, ask what must be asked, append, tell the watchers; and the CPU's moves.

The end of a race is appended in one transaction with what it means: seats that are free again, runs of wins,
ratings, best times.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final, TypeAlias
from uuid import UUID

from libs.eventsourcing.following import Change, Kind
from libs.eventsourcing.ids import birth_of
from libs.eventstore.faults import fault
from libs.eventstore.outage import Outages
from libs.eventstore.port import EventStore, Request, RequestReused, Transaction
from libs.eventstore.repository import Accepted, Repository, StreamConflict
from libs.eventstore.timers import clear_timers, set_timer, timer_request
from libs.eventstore.wake import Wake
from libs.following.hub import WatchHub
from libs.rules.solitaire.shuffle import Moved, shuffle_race
from libs.runtime.clock import Clock
from libs.runtime.errors import Refused
from libs.runtime.names import match_name
from libs.runtime.request import request_id_reused
from services.match.domain.pauses import Outage
from services.match.domain.race.clocks import cpu_due, next_deadline, wake_at
from services.match.domain.race.commands import Command
from services.match.domain.race.cpu_orders import cpu_order
from services.match.domain.race.dealing import PAIRING
from services.match.domain.race.decide import (
    Decision,
    NeedsShuffle,
    NewArrangement,
    Outside,
    Paused,
    Question,
    Unsettled,
    decide,
)
from services.match.domain.race.events import (
    ClockPaused,
    Event,
    RaceEnded,
    RacePairRemoved,
    RaceSeatAway,
    RaceSeatGaveUp,
)
from services.match.domain.race.evolve import evolve, initial
from services.match.domain.race.refusal import RaceRefusal
from services.match.domain.race.settle import Ratings, due_at, settle
from services.match.domain.race.state import (
    Countdown,
    Dealt,
    NotDealt,
    Over,
    Racing,
    State,
    is_done,
)
from services.match.jokers import SYSTEM
from services.match.queue.store import free_seat, free_seats
from services.match.races import closing
from services.match.races.refusals import race_refused
from services.match.races.store import ratings_of
from services.match.refusals import stream_conflict
from services.match.rounds.referee import Runs

QUESTIONS_MAX: Final = 20
GRACE: Final = timedelta(milliseconds=50)
"""How long a timer waits after a deadline that cuts commands off: one received in time may be under way."""
RACE_TIMER: Final = "race"
SOON: Final = timedelta(milliseconds=100)


@dataclass(frozen=True, slots=True)
class InTransaction:
    """The facts need rows beside them: append them in a transaction."""


Outcome: TypeAlias = (
    Accepted[State, Event] | RaceRefusal | Paused | Question | InTransaction | RequestReused | StreamConflict
)
RaceHub: TypeAlias = WatchHub[State, Event]
RACE_KIND: Final[Kind[State, Event]] = Kind(initial, evolve, lambda state: isinstance(state, Over))
RaceRepository: TypeAlias = Repository[State, Event, RaceRefusal | Paused | Question | InTransaction]
Judge: TypeAlias = Callable[[State, Ratings], Decision]


@dataclass(frozen=True, slots=True)
class RacePlayed:
    """What a command did: its events, and the race right after them; also for a repeat."""

    events: tuple[Event, ...]
    state: Dealt


def stream_of(race_id: UUID) -> UUID:
    """The stream of a race."""
    return race_id


class Races:
    """The races of all players. Every method raises Refused."""

    def __init__(
        self,
        store: EventStore,
        repository: RaceRepository,
        run: Runs,
        outages: Outages,
        randomness: Callable[[int], bytes],
        clock: Clock,
        wake: Wake,
        hub: RaceHub,
    ) -> None:
        """Let `run` do the shuffling."""
        self._store = store
        self._repository = repository
        self._run = run
        self._outages = outages
        self._randomness = randomness
        self._clock = clock
        self._wake = wake
        self._hub = hub

    async def read(self, race_id: UUID, account_id: UUID) -> Dealt:
        """The race as it stands now, for whoever has a seat in it."""
        state = await self.settle(stream_of(race_id), self._clock.now())
        if isinstance(state, NotDealt):
            raise race_refused(RaceRefusal.NOT_FOUND, match_name(race_id))
        if state.race.seat_of(account_id) is None:
            raise race_refused(RaceRefusal.NOT_YOURS, match_name(race_id))
        return state

    async def play(self, race_id: UUID, command: Command, request: Request) -> RacePlayed:
        """Carry out a command."""
        stream_id = stream_of(race_id)
        outside = Outside(await self._outages_of(race_id))
        outcome: Outcome = StreamConflict(stream_id)
        for _ in range(QUESTIONS_MAX):
            outcome = await self._carry_out(
                stream_id, partial(_judged, command, outside), request, command.at
            )
            match outcome:
                case Unsettled():
                    await self.settle(stream_id, command.at)
                    outside = replace(outside, outages=await self._outages_of(race_id))
                case NeedsShuffle():
                    outside = replace(outside, arrangement=await self._arranged(outcome))
                case _:
                    break
        return await self._told(stream_id, race_id, outcome)

    async def settle(self, stream_id: UUID, at: datetime) -> State:
        """Append whatever is due by then; return the race after it."""
        while True:
            state, version = await self._repository.state(stream_id)
            if isinstance(state, NotDealt):
                return state
            race_id = state.race.race_id
            outages = await self._outages_of(race_id)
            due = due_at(state, at, outages)
            if due is None:
                return state
            request = timer_request(SYSTEM, stream_id, f"{RACE_TIMER}/{version}", due)
            outcome = await self._carry_out(stream_id, partial(_settled, at, outages), request, at)
            await self._told(stream_id, race_id, outcome)

    async def fire(self, stream_id: UUID, due: datetime) -> datetime | None:
        """Settle what a timer woke the race for, let the CPU move; return when to look again."""
        state = await self.settle(stream_id, max(due, self._clock.now()))
        if isinstance(state, Racing):
            for seat in range(len(state.race.seats)):
                await self._cpu_moves(stream_id, seat)
            state, _version = await self._repository.state(stream_id)
        wake = wake_at(state)
        if wake is None:
            return None
        if isinstance(state, Racing) and wake == next_deadline(state):
            wake += GRACE
        return max(wake, due + SOON) if wake <= due else wake

    async def _cpu_moves(self, stream_id: UUID, seat: int) -> None:
        """Let the CPU make one move on a seat where one is due: by the same commands as people."""
        state, _version = await self._repository.state(stream_id)
        now = self._clock.now()
        if not isinstance(state, Racing):
            return
        racer = state.racers[seat]
        due = cpu_due(state.race, seat, racer)
        if due is None or due > now:
            return
        command = cpu_order(state, seat, now)
        if command is None:
            return
        request = timer_request(SYSTEM, stream_id, f"cpu/{seat}/{racer.board_version}", due)
        try:
            await self.play(state.race.race_id, command, request)
        except Refused as refused:  # a person was faster, or too much is waiting: at the next look
            if refused.reason not in {"STALE_BOARD_VERSION", "MATCH_ENDED", "TOO_MANY_WAITING", "SEAT_OUT"}:
                raise

    async def _arranged(self, asked: NeedsShuffle) -> NewArrangement:
        """An arrangement of the board that can be cleared. Raises Refused when too much work is waiting."""
        board = asked.board
        found = await self._run(
            shuffle_race,
            board.layout,
            board.faces,
            board.present,
            board.matching,
            PAIRING,
            asked.certificate,
            self._randomness(32),
        )
        if isinstance(found, Moved):
            return NewArrangement(board, found.faces, found.present, moved=True)
        return NewArrangement(board, found.faces, board.present, moved=False)

    async def _carry_out(self, stream_id: UUID, judge: Judge, request: Request, at: datetime) -> Outcome:
        """Decide and append: in one call, or in a transaction where rows stand beside the facts."""
        outcome: Outcome = await self._repository.execute(
            stream_id, partial(_hot, judge), request=request, now=at
        )
        if not isinstance(outcome, InTransaction):
            return outcome

        async def once(transaction: Transaction) -> Outcome:
            known = partial(_knowing, judge, await self._ratings(transaction, stream_id))
            outcome: Outcome = await self._repository.execute_in(
                transaction, stream_id, known, request=request, now=at
            )
            if isinstance(outcome, Accepted) and not outcome.repeated:
                await _enter(transaction, stream_id, outcome)
                fault("match.append_sent")
            return outcome

        return await self._repository.transact(stream_id, once)

    async def _ratings(self, transaction: Transaction, stream_id: UUID) -> Ratings:
        """The ratings of those who play a rated race, locked."""
        state, _version = await self._repository.state(stream_id)
        if isinstance(state, NotDealt) or not state.race.dealt.rated:
            return {}
        accounts = [seat.account_id for seat in state.race.seats if seat.account_id is not None]
        return await ratings_of(transaction.connection, accounts, lock=True)

    async def _told(self, stream_id: UUID, race_id: UUID, outcome: Outcome) -> RacePlayed:
        """Tell everybody what was accepted; raise what was not."""
        if isinstance(outcome, RaceRefusal | Paused):
            raise race_refused(outcome, match_name(race_id))
        if isinstance(outcome, RequestReused):
            raise request_id_reused()
        if not isinstance(outcome, Accepted):
            raise stream_conflict(match_name(race_id))
        assert not isinstance(outcome.state, NotDealt)
        events = tuple(stamped.event for stamped in outcome.events)
        if events and not outcome.repeated:
            fault("match.committed")
            self._hub.offer(stream_id, Change(outcome.version, events, outcome.state))
            await self._wake.committed(stream_id, outcome.version)
        return RacePlayed(events, outcome.state)

    async def _outages_of(self, race_id: UUID) -> tuple[Outage, ...]:
        """The outages since the race was dealt."""
        return tuple(
            Outage(outage.from_at, outage.to_at) for outage in await self._outages.since(birth_of(race_id))
        )


async def _enter(transaction: Transaction, stream_id: UUID, accepted: Accepted[State, Event]) -> None:
    """Write what stands beside the facts."""
    connection, state = transaction.connection, accepted.state
    assert not isinstance(state, NotDealt)
    race = state.race
    for event in (stamped.event for stamped in accepted.events):
        match event:
            case RaceSeatAway() | ClockPaused() if (wake := wake_at(state)) is not None:
                await set_timer(connection, stream_id, RACE_TIMER, wake + GRACE)
            case RacePairRemoved(seat=seat) | RaceSeatGaveUp(seat=seat):
                assert not isinstance(state, Countdown)
                account_id = race.seats[seat].account_id
                if account_id is not None and is_done(race, state.racers[seat]):
                    await free_seat(connection, race.race_id, account_id)
                    await closing.enter_best(connection, race, seat, state.racers[seat])
            case RaceEnded():
                await free_seats(connection, race.race_id)
                await clear_timers(connection, stream_id)
                await closing.close(connection, race, event)
            case _:
                pass


def _judged(command: Command, outside: Outside, state: State, ratings: Ratings) -> Decision:
    return decide(command, state, replace(outside, ratings=ratings))


def _settled(at: datetime, outages: tuple[Outage, ...], state: State, ratings: Ratings) -> Decision:
    return settle(state, at, outages, ratings)


def _knowing(judge: Judge, ratings: Ratings, state: State) -> Decision:
    return judge(state, ratings)


def _hot(judge: Judge, state: State) -> Decision | InTransaction:
    """The decision, unless its facts need rows beside them."""
    decided = judge(state, {})
    if isinstance(decided, list):
        after = state
        for event in decided:
            after = evolve(after, event)
            if isinstance(event, RaceEnded | RaceSeatAway | ClockPaused | RaceSeatGaveUp):
                return InTransaction()
            if _is_last_pair(event, after):
                return InTransaction()
    return decided


def _is_last_pair(event: Event, after: State) -> bool:
    """Whether a seat's part is over with a pair."""
    if not isinstance(event, RacePairRemoved) or not isinstance(after, Racing):
        return False
    return is_done(after.race, after.racers[event.seat])
