"""What players order, carried out: decide, append, write the rows beside, tell the watchers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final, TypeAlias
from uuid import UUID

from libs.eventsourcing.envelope import NewEvent
from libs.eventsourcing.following import Change, Kind
from libs.eventsourcing.ids import RANDOM_BYTES, birth_of, uuid7
from libs.eventstore.faults import fault
from libs.eventstore.outage import Outage as StoredOutage
from libs.eventstore.outage import Outages
from libs.eventstore.port import (
    STREAM_DOES_NOT_EXIST,
    Appended,
    EventStore,
    Request,
    RequestReused,
    StreamAppend,
    Transaction,
)
from libs.eventstore.repository import Accepted, Repository, StreamConflict
from libs.eventstore.timers import set_timer, timer_request
from libs.eventstore.wake import Wake
from libs.following.hub import WatchHub
from libs.runtime.clock import Clock
from libs.runtime.names import match_name
from libs.runtime.request import request_id_reused
from services.match.attempts import store as rows
from services.match.commands import (
    Deal,
    GiveUpJoker,
    Leave,
    PutBack,
    RestartLevel,
    StartLevel,
    TakeJoker,
    Touch,
    UseJoker,
)
from services.match.domain.decide import Decision, LastPair, Question, Unsettled, decide, pauses, start_again
from services.match.domain.evolve import evolve, initial
from services.match.domain.listing import ListedAttempt
from services.match.domain.partner import JOKER_DEADLINE, NeedsPartner, Partner
from services.match.domain.pauses import Outage, clock_since
from services.match.domain.points import award_after
from services.match.domain.refusal import Refusal
from services.match.domain.state import Begun, Cleared, Ended, NotStarted, Restarted, Running, State
from services.match.events import AttemptCleared, AttemptStarted, Event
from services.match.jokers import SYSTEM
from services.match.refusals import refused, stream_conflict
from services.match.wire.event_codec import EventCodec

QUESTIONS_MAX: Final = 10
"""Rounds of asking for one command; each does what the one before left open."""
CLOCK_PAUSE: Final = "clock-pause"
ATTEMPT_JOKER_TIMER: Final = "attempt-joker"

AttemptHub: TypeAlias = WatchHub[State, Event]
ATTEMPT_KIND: Final[Kind[State, Event]] = Kind(initial, evolve, lambda state: isinstance(state, Ended))
AttemptRepository: TypeAlias = Repository[State, Event, Refusal | Question]
Outcome: TypeAlias = Accepted[State, Event] | Refusal | Question | RequestReused | StreamConflict
Judge: TypeAlias = Callable[[State], Decision]
Enter: TypeAlias = Callable[[Transaction, Ended], Awaitable[None]]
Choose: TypeAlias = Callable[[NeedsPartner], Awaitable[Partner]]
Once: TypeAlias = Callable[[tuple[Outage, ...]], Awaitable[Outcome]]


@dataclass(frozen=True, slots=True)
class Played:
    """What a command did: its events on the attempt, and the attempt right after them; also for a repeat."""

    attempt_id: UUID
    events: tuple[Event, ...]
    state: Begun


class Attempts:
    """The attempts of all players. Every method raises Refused."""

    def __init__(
        self,
        store: EventStore,
        repository: AttemptRepository,
        randomness: Callable[[int], bytes],
        wake: Wake,
        hub: AttemptHub,
        outages: Outages,
        clock: Clock,
    ) -> None:
        """Write through the store, tell the hub and the bus."""
        self._store = store
        self._repository = repository
        self._randomness = randomness
        self._wake = wake
        self._hub = hub
        self._outages = outages
        self._clock = clock
        self._codec = EventCodec()

    async def read(self, attempt_id: UUID, account_id: UUID) -> Begun:
        """The caller's own attempt as it stands, outages out of its clock."""
        state = await self._take_out(attempt_id, self._clock.now())
        if isinstance(state, NotStarted):
            raise refused(Refusal.NOT_FOUND, match_name(attempt_id))
        if state.attempt.account_id != account_id:
            raise refused(Refusal.NOT_YOURS, match_name(attempt_id))
        return state

    async def start(self, account_id: UUID, deal: Deal, request: Request, at: datetime) -> Played:
        """Start an attempt on a stream of its own."""
        command = StartLevel(account_id, deal, at)
        attempt_id = uuid7(at, self._randomness(RANDOM_BYTES))
        async with self._store.transaction() as transaction:
            outcome = await self._repository.execute_in(
                transaction,
                attempt_id,
                partial(decide, command),
                request=request,
                now=at,
                reply=attempt_id.bytes,
            )
            if isinstance(outcome, Accepted) and not outcome.repeated:
                assert isinstance(outcome.state, Running)
                await rows.insert_attempt(transaction.connection, attempt_id, outcome.state)
                fault("match.append_sent")
        return await self._settle(attempt_id, outcome)

    async def restart(self, attempt_id: UUID, account_id: UUID, request: Request, at: datetime) -> Played:
        """End the attempt and start the next one on the same deal: both or neither."""
        command = RestartLevel(account_id, uuid7(at, self._randomness(RANDOM_BYTES)), at)

        async def begin_again(transaction: Transaction, ended: Ended) -> None:
            started = start_again(ended, account_id, at)
            await self._begin_next(transaction, command.next_attempt_id, started, at)

        async def once(outages: tuple[Outage, ...]) -> Outcome:
            judge = partial(decide, command, outages=outages)
            return await self._end(attempt_id, _with(judge, begin_again), request, at)

        played = await self._settle(attempt_id, await self._unpaused(attempt_id, at, once))
        assert isinstance(played.state, Ended)
        assert isinstance(played.state.ending, Restarted)
        return await self._first(played.state.ending.next_attempt_id)

    async def leave(self, attempt_id: UUID, account_id: UUID, request: Request, at: datetime) -> Played:
        """End the attempt unfinished."""
        command = Leave(account_id, at)

        async def once(outages: tuple[Outage, ...]) -> Outcome:
            judge = partial(decide, command, outages=outages)
            return await self._end(attempt_id, _with(judge, _nothing_more), request, at)

        return await self._settle(attempt_id, await self._unpaused(attempt_id, at, once))

    async def play(
        self, attempt_id: UUID, command: Touch | PutBack | TakeJoker | GiveUpJoker, request: Request
    ) -> Played:
        """Touch a tile or put the lifted one back; or what came of a joker (see decide_joker)."""

        async def once(outages: tuple[Outage, ...]) -> Outcome:
            outcome: Outcome = await self._repository.execute(
                attempt_id, partial(decide, command, outages=outages), request=request, now=command.at
            )
            for _ in range(QUESTIONS_MAX):
                if not isinstance(outcome, LastPair):
                    break
                outcome = await self._finish(attempt_id, command, outcome, outages, request)
            return outcome

        return await self._settle(attempt_id, await self._unpaused(attempt_id, command.at, once))

    async def ask_for_joker(
        self, attempt_id: UUID, command: UseJoker, request: Request, choose: Choose
    ) -> Played:
        """Ask for a joker, with the timer that brings the request to an end; `choose` finds its partner."""

        async def once(outages: tuple[Outage, ...]) -> Outcome:
            partner: Partner | None = None

            async def within(transaction: Transaction) -> Outcome:
                outcome: Outcome = await self._repository.execute_in(
                    transaction,
                    attempt_id,
                    partial(decide, command, partner=partner, outages=outages),
                    request=request,
                    now=command.at,
                )
                if isinstance(outcome, Accepted) and not outcome.repeated:
                    due = outcome.events[0].occurred_at + JOKER_DEADLINE
                    await set_timer(transaction.connection, attempt_id, ATTEMPT_JOKER_TIMER, due)
                return outcome

            for _ in range(QUESTIONS_MAX):
                outcome: Outcome = await self._repository.transact(attempt_id, within)
                if not isinstance(outcome, NeedsPartner):
                    return outcome
                partner = await choose(outcome)
            return StreamConflict(attempt_id)

        return await self._settle(attempt_id, await self._unpaused(attempt_id, command.at, once))

    async def decide_joker(
        self, attempt_id: UUID, command: TakeJoker | GiveUpJoker, request: Request
    ) -> Played:
        """Let a joker that was spent work, or drop its request: nothing where it is no longer open."""
        return await self.play(attempt_id, command, request)

    async def listed(self, row: ListedAttempt, now: datetime) -> ListedAttempt:
        """The row with the clock as it counts now: a running one leaves out the outages so far."""
        if row.ended_at is not None:
            return row
        outages = _known(await self._outages.since(row.started_at))
        return replace(row, clock_since=clock_since(row.started_at, outages, now))

    async def present(self, attempt_id: UUID) -> State:
        """The attempt as it stands, whoever asks."""
        state, _version = await self._repository.state(attempt_id)
        return state

    async def history(self, attempt_id: UUID) -> list[Event]:
        """All facts of an attempt."""
        return [stamped.event for stamped in await self._repository.events(attempt_id)]

    async def _finish(
        self,
        attempt_id: UUID,
        command: Touch | PutBack | TakeJoker | GiveUpJoker,
        last: LastPair,
        outages: tuple[Outage, ...],
        request: Request,
    ) -> Outcome:
        """Make the last pair: place and points are read and written under the level's lock."""

        async def judge(transaction: Transaction) -> tuple[Judge, Enter]:
            await transaction.lock(rows.level_lock(last.level))
            standing = await rows.read_standing(
                transaction.connection, last.level, command.account_id, last.elapsed_ms
            )

            async def enter(transaction: Transaction, ended: Ended) -> None:
                assert isinstance(ended.ending, Cleared)
                assert ended.ending.elapsed_ms == last.elapsed_ms, "the standing was read for this time"
                await rows.record_finish(
                    transaction.connection,
                    last.level,
                    command.account_id,
                    last.elapsed_ms,
                    award_after(standing),
                )

            judged = partial(decide, command, standing=standing, outages=outages)
            return partial(_in_time, last, judged), enter

        return await self._end(attempt_id, judge, request, command.at)

    async def _end(
        self,
        attempt_id: UUID,
        judge: Callable[[Transaction], Awaitable[tuple[Judge, Enter]]],
        request: Request,
        at: datetime,
    ) -> Outcome:
        """Append the ending and its rows in one transaction, anew while others win."""

        async def once(transaction: Transaction) -> Outcome:
            decide_on, enter = await judge(transaction)
            outcome: Outcome = await self._repository.execute_in(
                transaction, attempt_id, decide_on, request=request, now=at
            )
            if isinstance(outcome, Accepted) and outcome.events and not outcome.repeated:
                assert isinstance(outcome.state, Ended)
                await rows.end_attempt(transaction.connection, attempt_id, outcome.state)
                await enter(transaction, outcome.state)
                fault("match.append_sent")
            return outcome

        return await self._repository.transact(attempt_id, once)

    async def _unpaused(self, attempt_id: UUID, at: datetime, once: Once) -> Outcome:
        """Carry a command out on a clock that has left the outages out."""
        outcome: Outcome = StreamConflict(attempt_id)
        for _ in range(QUESTIONS_MAX):
            outcome = await once(await self._outages_of(attempt_id))
            if not isinstance(outcome, Unsettled):
                break
            await self._take_out(attempt_id, at)
        return outcome

    async def _take_out(self, attempt_id: UUID, at: datetime) -> State:
        """Take the outages out of the clock that stand in it yet; return the attempt after it."""
        while True:
            state, version = await self._repository.state(attempt_id)
            outages = await self._outages_of(attempt_id)
            due = pauses(state, outages, at)
            if not due:
                return state
            # The version parts a pause that is told late from what was settled at the same instant.
            request = timer_request(SYSTEM, attempt_id, f"{CLOCK_PAUSE}/{version}", due[0].occurred_at)
            judge = partial(pauses, outages=outages, now=at)
            await self._settle(
                attempt_id,
                await self._repository.execute(
                    attempt_id, judge, request=request, now=max(at, self._clock.now())
                ),
            )

    async def _outages_of(self, attempt_id: UUID) -> tuple[Outage, ...]:
        """The outages since the attempt was born."""
        try:
            born_at = birth_of(attempt_id)
        except OverflowError:
            return ()  # a name that somebody made up: there is no such attempt
        return _known(await self._outages.since(born_at))

    async def _begin_next(
        self, transaction: Transaction, attempt_id: UUID, started: AttemptStarted, at: datetime
    ) -> None:
        """Start the attempt that follows a restart, in the same transaction."""
        part, name, schema_version, data = self._codec.encode(started)
        event = NewEvent(part, name, schema_version, started.occurred_at, data)
        appended = await transaction.append(
            [StreamAppend(attempt_id, STREAM_DOES_NOT_EXIST, (event,))],
            recorded_at=at,
            caller=started.account_id,
        )
        assert isinstance(appended, Appended), "a new stream has no rival"
        state = evolve(initial(), started)
        assert isinstance(state, Running)
        await rows.insert_attempt(transaction.connection, attempt_id, state)

    async def _first(self, attempt_id: UUID) -> Played:
        """What the start of an attempt did."""
        first = (await self._repository.events(attempt_id, 0))[0].event
        state = evolve(initial(), first)
        assert isinstance(state, Running)
        return Played(attempt_id, (first,), state)

    async def _settle(self, attempt_id: UUID, outcome: Outcome) -> Played:
        """Tell everybody what was accepted; raise what was not."""
        if isinstance(outcome, Refusal):
            raise refused(outcome, match_name(attempt_id))
        if isinstance(outcome, RequestReused):
            raise request_id_reused()
        if isinstance(outcome, StreamConflict | Question):
            raise stream_conflict(match_name(attempt_id))
        assert not isinstance(outcome.state, NotStarted)
        events = tuple(stamped.event for stamped in outcome.events)
        if events and not outcome.repeated:
            fault("match.committed")
            self._hub.offer(attempt_id, Change(outcome.version, events, outcome.state))
            await self._wake.committed(attempt_id, outcome.version)
        return Played(outcome.stream_id, events, outcome.state)


def _known(outages: Iterable[StoredOutage]) -> tuple[Outage, ...]:
    return tuple(Outage(outage.from_at, outage.to_at) for outage in outages)


def _in_time(last: LastPair, judge: Judge, state: State) -> Decision:
    """The decision, unless a pause came between and the standing was read for another time."""
    decided = judge(state)
    cleared = decided[-1] if isinstance(decided, list) and decided else None
    if isinstance(cleared, AttemptCleared) and cleared.elapsed_ms != last.elapsed_ms:
        return LastPair(last.level, cleared.elapsed_ms)
    return decided


def _with(judge: Judge, enter: Enter) -> Callable[[Transaction], Awaitable[tuple[Judge, Enter]]]:
    """A judgement that asks nothing of the transaction."""

    async def judged(_transaction: Transaction) -> tuple[Judge, Enter]:
        return judge, enter

    return judged


async def _nothing_more(_transaction: Transaction, _ended: Ended) -> None:
    """An ending without rows of its own."""
