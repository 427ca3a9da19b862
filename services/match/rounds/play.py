"""Rounds of Rivals modes, carried out: settle, decide, ask what must be asked, append, tell the watchers.

The last fact of a round is appended in one transaction with what it means: the next round or the match's
result, its rows, the seats that are free again, and the timers that nobody needs any more.
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
from libs.runtime.clock import Clock
from libs.runtime.names import match_name
from libs.runtime.request import request_id_reused
from services.match.domain.partner import JOKER_DEADLINE, NeedsPartner
from services.match.domain.position import Position
from services.match.domain.refusal import Refusal
from services.match.domain.rivals.clocks import Outage, Signal, next_deadline
from services.match.domain.rivals.commands import Command
from services.match.domain.rivals.decide import Decision, NeedsVerdict, Outside, Question, Unsettled, decide
from services.match.domain.rivals.events import Event, JokerGivenUp, JokerRequested, RoundEnded, SeatWentOut
from services.match.domain.rivals.evolve import evolve, initial
from services.match.domain.rivals.settle import cut, due_at, settle
from services.match.domain.rivals.state import Countdown, Dealt, NotDealt, Over, Playing, State, seat_of
from services.match.domain.rivals.terms import OutReason
from services.match.jokers import SYSTEM
from services.match.queue.store import free_seat
from services.match.refusals import refused, stream_conflict
from services.match.rounds.matches import ROUND_TIMER, Matches
from services.match.rounds.referee import Referee

QUESTIONS_MAX: Final = 20
"""Rounds of asking for one command; each answers what the one before left open."""
GRACE: Final = timedelta(milliseconds=50)
"""How long a timer waits after a deadline that cuts commands off: one received in time may be under way."""
JOKER_TIMER: Final = "joker"
CUT: Final = "cut"


@dataclass(frozen=True, slots=True)
class InTransaction:
    """The facts need rows beside them: append them in a transaction."""


Outcome: TypeAlias = (
    Accepted[State, Event] | Refusal | Question | InTransaction | RequestReused | StreamConflict
)
RoundHub: TypeAlias = WatchHub[State, Event]
ROUND_KIND: Final[Kind[State, Event]] = Kind(initial, evolve, lambda state: isinstance(state, Over))
RoundRepository: TypeAlias = Repository[State, Event, Refusal | Question | InTransaction]
Judge: TypeAlias = Callable[[State], Decision]


@dataclass(frozen=True, slots=True)
class RoundPlayed:
    """What a command did: its events, and the round right after them; also for a repeat.

    The round is the one that it was accepted in: a repeat may come when the match has gone on.
    """

    round_id: UUID
    events: tuple[Event, ...]
    state: Dealt


class Rounds:
    """The rounds of all players. Every method raises Refused."""

    def __init__(
        self,
        store: EventStore,
        repository: RoundRepository,
        referee: Referee,
        outages: Outages,
        matches: Matches,
        clock: Clock,
        wake: Wake,
        hub: RoundHub,
    ) -> None:
        """Play the rounds of `matches`."""
        self._store = store
        self._repository = repository
        self._referee = referee
        self._outages = outages
        self._matches = matches
        self._clock = clock
        self._wake = wake
        self._hub = hub

    async def read(self, round_id: UUID, account_id: UUID) -> Dealt:
        """The round as it stands now, for whoever has a seat in it."""
        state = await self.settle(round_id, self._clock.now())
        if isinstance(state, NotDealt):
            raise refused(Refusal.NOT_FOUND, match_name(round_id))
        if seat_of(state, account_id) is None:
            raise refused(Refusal.NOT_YOURS, match_name(state.round.match_id))
        if isinstance(state, Countdown):
            deal = state.round.deal
            self._referee.foresee(Position(deal.layout, deal.faces, deal.layout.full))
        return state

    async def play(self, round_id: UUID, command: Command, request: Request) -> RoundPlayed:
        """Carry out a command."""
        outside = Outside(await self._outages_of(round_id))
        outcome: Outcome = StreamConflict(round_id)
        for _ in range(QUESTIONS_MAX):
            judge = partial(decide, command, outside=outside)
            outcome = await self._carry_out(round_id, judge, request, command.at)
            match outcome:
                case Unsettled():
                    await self.settle(round_id, command.at)
                    outside = replace(outside, outages=await self._outages_of(round_id))
                case NeedsVerdict(position=position):
                    outside = replace(outside, judged=await self._referee.judge(position))
                case NeedsPartner():
                    outside = replace(outside, partner=await self._referee.partner(outcome))
                case _:
                    break
        played = await self._told(round_id, outcome)
        self._foresee(played, command.account_id)
        return played

    async def settle(self, round_id: UUID, at: datetime) -> State:
        """Append whatever is due by then; return the round after it."""
        while True:
            state, version = await self._repository.state(round_id)
            outages = await self._outages_of(round_id)
            due = due_at(state, at, outages)
            if due is None:
                return state
            # Facts of one instant may follow each other (an outage told late): the version parts them.
            request = timer_request(SYSTEM, round_id, f"{ROUND_TIMER}/{version}", due)
            judge = partial(_settled, at=at, outages=outages)
            await self._told(round_id, await self._carry_out(round_id, judge, request, at))

    async def cut(self, round_id: UUID, at: datetime) -> None:
        """End a round for everybody as it stood at an instant, or stands since; one that is over stays so."""
        _state, version = await self._repository.state(round_id)
        request = timer_request(SYSTEM, round_id, f"{CUT}/{version}", at)
        judge = partial(_cut, at=at, outages=await self._outages_of(round_id))
        await self._told(round_id, await self._carry_out(round_id, judge, request, self._clock.now()))

    async def fire(self, round_id: UUID, due: datetime) -> datetime | None:
        """Settle what a timer woke the round for; return when to look again."""
        state = await self.settle(round_id, max(due, self._clock.now()))
        deadline = next_deadline(state)
        if deadline is None:
            return None
        return deadline.due if isinstance(deadline, Signal) else deadline.due + GRACE

    async def present(self, round_id: UUID) -> State:
        """The round as it was left, without settling."""
        state, _version = await self._repository.state(round_id)
        return state

    async def history(self, round_id: UUID) -> list[Event]:
        """All facts of a round."""
        return [stamped.event for stamped in await self._repository.events(round_id)]

    async def _carry_out(self, round_id: UUID, judge: Judge, request: Request, at: datetime) -> Outcome:
        """Decide and append: in one call, or in a transaction where rows stand beside the facts."""
        outcome: Outcome = await self._repository.execute(
            round_id, partial(_hot, judge), request=request, now=at
        )
        if not isinstance(outcome, InTransaction):
            return outcome

        async def once(transaction: Transaction) -> Outcome:
            outcome: Outcome = await self._repository.execute_in(
                transaction, round_id, judge, request=request, now=at
            )
            if isinstance(outcome, Accepted) and not outcome.repeated:
                await self._enter(transaction, round_id, outcome)
                fault("match.append_sent")
            return outcome

        return await self._repository.transact(round_id, once)

    async def _enter(
        self, transaction: Transaction, round_id: UUID, accepted: Accepted[State, Event]
    ) -> None:
        """Write what stands beside the facts."""
        connection = transaction.connection
        for event in (stamped.event for stamped in accepted.events):
            match event:
                case JokerRequested(seat=seat):
                    due = event.occurred_at + JOKER_DEADLINE
                    await set_timer(connection, round_id, joker_timer(seat), due)
                case JokerGivenUp() if (deadline := next_deadline(accepted.state)) is not None:
                    # The seat's 20 seconds go on: the round may be due before its timer thinks.
                    await set_timer(connection, round_id, ROUND_TIMER, deadline.due + GRACE)
                case SeatWentOut(seat=seat) if _frees_seat(event, accepted.state):
                    assert not isinstance(accepted.state, NotDealt)
                    played = accepted.state.round
                    await free_seat(connection, played.match_id, played.accounts[seat])
                case RoundEnded():
                    assert isinstance(accepted.state, Over)
                    await self._close(transaction, round_id, accepted.state)

    async def _close(self, transaction: Transaction, round_id: UUID, over: Over) -> None:
        """The end of a round is the beginning of the next one, or the end of its match."""
        await self._matches.end_round(transaction, round_id, over)
        connection = transaction.connection
        await clear_timers(connection, round_id)
        for seat, player in enumerate(over.players):
            if player.given_up:  # what the ledger took is still to be given back
                await set_timer(connection, round_id, joker_timer(seat), over.last_at)

    async def _told(self, round_id: UUID, outcome: Outcome) -> RoundPlayed:
        """Tell everybody what was accepted; raise what was not."""
        if isinstance(outcome, Refusal):
            raise refused(outcome, match_name(await self._match_of(round_id)))
        if isinstance(outcome, RequestReused):
            raise request_id_reused()
        if not isinstance(outcome, Accepted):
            raise stream_conflict(match_name(await self._match_of(round_id)))
        assert not isinstance(outcome.state, NotDealt)
        events = tuple(stamped.event for stamped in outcome.events)
        if events and not outcome.repeated:
            fault("match.committed")
            self._hub.offer(round_id, Change(outcome.version, events, outcome.state))
            await self._wake.committed(round_id, outcome.version)
        return RoundPlayed(outcome.stream_id, events, outcome.state)

    def _foresee(self, played: RoundPlayed, account_id: UUID) -> None:
        """Begin to judge the board that the seat's next pair will be taken from."""
        seat = seat_of(played.state, account_id)
        if isinstance(played.state, Playing) and seat is not None and played.events:
            self._referee.foresee(played.state.players[seat].board.position)

    async def _match_of(self, round_id: UUID) -> UUID:
        state = await self.present(round_id)
        return round_id if isinstance(state, NotDealt) else state.round.match_id

    async def _outages_of(self, round_id: UUID) -> tuple[Outage, ...]:
        """The outages since the round was dealt."""
        return tuple(
            Outage(outage.from_at, outage.to_at) for outage in await self._outages.since(birth_of(round_id))
        )


def joker_timer(seat: int) -> str:
    """The kind of the timer of a seat's joker."""
    return f"{JOKER_TIMER}/{seat}"


def _hot(judge: Judge, state: State) -> Decision | InTransaction:
    """The decision, unless its facts need rows beside them."""
    decided = judge(state)
    if isinstance(decided, list):
        for event in decided:
            if isinstance(event, RoundEnded | JokerRequested | JokerGivenUp) or _frees_seat(event, state):
                return InTransaction()
    return decided


def _frees_seat(event: Event, state: State) -> bool:
    """Whether a player leaves a match that may go on for long, and so may queue again."""
    is_left = isinstance(event, SeatWentOut) and event.reason is OutReason.LEFT
    return is_left and not isinstance(state, NotDealt) and state.round.stage.is_of_several


def _settled(state: State, *, at: datetime, outages: tuple[Outage, ...]) -> Decision:
    return settle(state, at, outages)


def _cut(state: State, *, at: datetime, outages: tuple[Outage, ...]) -> Decision:
    return Refusal.NOT_FOUND if isinstance(state, NotDealt) else cut(state, at, outages)
