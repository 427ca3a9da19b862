"""Deals, carried out: settle, decide, append, tell the watchers.

What rows stand beside is appended in one transaction with the facts: timers, seats that are left or taken
again, and with a deal's end the table's part of it: its row, and the next deal or the closing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final, TypeAlias
from uuid import UUID

import structlog

from libs.eventsourcing.following import Change, Kind
from libs.eventsourcing.ids import birth_of
from libs.eventstore.faults import fault
from libs.eventstore.outage import Outages
from libs.eventstore.port import Request, RequestReused, Transaction
from libs.eventstore.repository import Accepted, Repository, StreamConflict
from libs.eventstore.timers import set_timer, timer_request
from libs.eventstore.wake import Wake
from libs.following.hub import WatchHub
from libs.runtime.clock import Clock
from services.mcr.domain.deal.commands import Act, Command
from services.mcr.domain.deal.decide import Unsettled
from services.mcr.domain.deal.events import DealEnded, Event
from services.mcr.domain.deal.evolve import evolve, initial
from services.mcr.domain.deal.failing import Failed, decide_or_end, settle_or_end
from services.mcr.domain.deal.refusal import Refusal, UnderEight
from services.mcr.domain.deal.scorer import rule_book
from services.mcr.domain.deal.settle import due_at
from services.mcr.domain.deal.state import Dealt, Ended, NotDealt, State
from services.mcr.domain.deal.terms import Person
from services.mcr.domain.pauses import Outage
from services.mcr.refusals import refused, request_id_reused, stream_conflict
from services.mcr.tables.begin import DEAL_TIMER, timer_of
from services.mcr.tables.ending import DealEndings
from services.mcr.tables.figures import DealFigures
from services.mcr.tables.pace import Pace
from services.mcr.tables.store import SYSTEM
from services.mcr.tables.waking import wake_at

SETTLE_ROUNDS_MAX: Final = 20
"""How often a command may find that deadlines have passed; each time they are settled first."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class InTransaction:
    """The facts need rows beside them: append them in a transaction."""


NotDone: TypeAlias = Refusal | UnderEight | Unsettled | InTransaction
Outcome: TypeAlias = Accepted[State, Event] | NotDone | RequestReused | StreamConflict
DealHub: TypeAlias = WatchHub[State, Event]
DealRepository: TypeAlias = Repository[State, Event, NotDone]
Judge: TypeAlias = Callable[[State], Sequence[Event] | NotDone]
Before: TypeAlias = Callable[[Transaction], Awaitable[None]]
Beside: TypeAlias = Callable[[Transaction, datetime], Awaitable[None]]
DEAL_KIND: Final[Kind[State, Event]] = Kind(initial, evolve, lambda state: isinstance(state, Ended))


@dataclass(frozen=True, slots=True)
class DealPlayed:
    """What a command did: its events, and the deal right after them; also for a repeat.

    The deal is the one that it was accepted in: a repeat may come when the table has gone on.
    """

    deal_id: UUID
    events: tuple[Event, ...]
    state: Dealt


class Deals:
    """The deals of all tables. Every method raises Refused."""

    def __init__(
        self,
        repository: DealRepository,
        endings: DealEndings,
        outages: Outages,
        pace: Pace,
        clock: Clock,
        wake: Wake,
        hub: DealHub,
        figures: DealFigures,
    ) -> None:
        """Let `endings` say what the end of a deal means for its table."""
        self._repository = repository
        self._endings = endings
        self._outages = outages
        self._pace = pace
        self._clock = clock
        self._wake = wake
        self._hub = hub
        self._figures = figures

    async def present(self, deal_id: UUID) -> State:
        """The deal as it was left, without settling."""
        state, _version = await self._repository.state(deal_id)
        return state

    async def settle(self, deal_id: UUID, at: datetime) -> Dealt:
        """Append whatever is due by then; return the deal after it."""
        while True:
            state, version = await self._repository.state(deal_id)
            if isinstance(state, NotDealt):
                raise refused(Refusal.NOT_FOUND)
            outages = await self._outages_of(deal_id)
            due = due_at(state, at, outages)
            if due is None:
                return state
            # Facts of one instant may follow each other (an outage told late): the version parts them.
            request = timer_request(SYSTEM, deal_id, f"{DEAL_TIMER}/{version}", due)
            judge = partial(_settled, at=at, outages=outages)
            await self._told(await self._carry_out(deal_id, judge, request, at))

    async def play(
        self,
        deal_id: UUID,
        command: Command,
        request: Request,
        *,
        before: Before | None = None,
        beside: Beside | None = None,
    ) -> DealPlayed:
        """Carry out the command of a person, and have the deal looked at when something is due after it.

        `before` takes locks and may refuse; `beside` writes what stands beside the facts.
        """
        return await self._decide(deal_id, command, request, before, beside, timed=True)

    async def play_for_ai(self, deal_id: UUID, act: Act, request: Request) -> DealPlayed:
        """Carry out what the AI does; whoever drives it looks at the deal again by itself."""
        return await self._decide(deal_id, act, request, None, None, timed=False)

    async def append(
        self, deal_id: UUID, before: Dealt, events: Sequence[Event], request: Request, at: datetime
    ) -> DealPlayed:
        """Append facts that were worked out on a state. Refused STALE_DECISION where it is another one."""
        judge = partial(_unless_moved, before, events)
        return await self._told(await self._carry_out(deal_id, judge, request, at))

    async def _decide(
        self,
        deal_id: UUID,
        command: Command,
        request: Request,
        before: Before | None,
        beside: Beside | None,
        *,
        timed: bool,
    ) -> DealPlayed:
        outcome: Outcome = StreamConflict(deal_id)
        for _ in range(SETTLE_ROUNDS_MAX):
            outages = await self._outages_of(deal_id)
            judge = partial(_decided, command, outages=outages)
            if timed:
                outcome = await self._transact(
                    deal_id, judge, request, command.at, before, beside, timed=True
                )
            else:
                outcome = await self._carry_out(deal_id, judge, request, command.at)
            if not isinstance(outcome, Unsettled):
                break
            await self.settle(deal_id, command.at)
        return await self._told(outcome)

    async def _carry_out(self, deal_id: UUID, judge: Judge, request: Request, at: datetime) -> Outcome:
        """Decide and append: in one call, or in a transaction where rows stand beside the facts."""
        outcome: Outcome = await self._repository.execute(
            deal_id, partial(_hot, judge), request=request, now=at
        )
        if not isinstance(outcome, InTransaction):
            return outcome
        return await self._transact(deal_id, judge, request, at)

    async def _transact(
        self,
        deal_id: UUID,
        judge: Judge,
        request: Request,
        at: datetime,
        before: Before | None = None,
        beside: Beside | None = None,
        *,
        timed: bool = False,
    ) -> Outcome:
        async def once(transaction: Transaction) -> Outcome:
            if before is not None:
                await before(transaction)
            outcome: Outcome = await self._repository.execute_in(
                transaction, deal_id, judge, request=request, now=at
            )
            if isinstance(outcome, Accepted) and not outcome.repeated:
                if beside is not None:
                    await beside(transaction, at)
                await self._enter(transaction, deal_id, outcome, timed=timed)
                fault("mcr.append_sent")
            return outcome

        return await self._repository.transact(deal_id, once)

    async def _enter(
        self, transaction: Transaction, deal_id: UUID, accepted: Accepted[State, Event], *, timed: bool
    ) -> None:
        """Write what stands beside the facts: whom to wake, and what the end means for the table."""
        deal = accepted.state
        assert not isinstance(deal, NotDealt), "facts of a deal that was dealt"
        if isinstance(deal, Ended):
            if accepted.events:
                await self._endings.end(transaction, deal_id, deal)
        elif timed and (due := wake_at(deal, self._pace.ai_pause)) is not None:
            await set_timer(transaction.connection, deal_id, timer_of_deal(deal), due)

    async def _told(self, outcome: Outcome) -> DealPlayed:
        """Tell everybody what was accepted; raise what was not."""
        if isinstance(outcome, Refusal | UnderEight):
            raise refused(outcome)
        if isinstance(outcome, RequestReused):
            raise request_id_reused()
        if not isinstance(outcome, Accepted):
            raise stream_conflict()
        assert not isinstance(outcome.state, NotDealt)
        events = tuple(stamped.event for stamped in outcome.events)
        if events and not outcome.repeated:
            fault("mcr.committed")
            self._figures.count(outcome.state, events)
            self._hub.offer(outcome.stream_id, Change(outcome.version, events, outcome.state))
            await self._wake.committed(outcome.stream_id, outcome.version)
        return DealPlayed(outcome.stream_id, events, outcome.state)

    async def _outages_of(self, deal_id: UUID) -> tuple[Outage, ...]:
        """The outages since the deal was dealt."""
        return tuple(
            Outage(each.from_at, each.to_at) for each in await self._outages.since(birth_of(deal_id))
        )


def timer_of_deal(deal: Dealt) -> str:
    """The kind of timer that wakes a deal."""
    occupants = deal.table.terms.occupants
    return timer_of([each.account_id for each in occupants if isinstance(each, Person)])


def _decided(command: Command, state: State, *, outages: tuple[Outage, ...]) -> Sequence[Event] | NotDone:
    decided = decide_or_end(command, state, rule_book, outages)
    return _or_end(decided) if isinstance(decided, Failed) else decided


def _settled(state: State, *, at: datetime, outages: tuple[Outage, ...]) -> Sequence[Event] | NotDone:
    settled = settle_or_end(state, at, rule_book, outages)
    return _or_end(settled) if isinstance(settled, Failed) else settled


def _or_end(failed: Failed) -> Sequence[Event] | NotDone:
    """The end of a deal whose rules raised. Its error is told by its kind alone: a text could name tiles."""
    log.error("deal.rules_failed", fault=failed.fault)
    return failed.events or Refusal.MATCH_ENDED


def _unless_moved(before: Dealt, events: Sequence[Event], state: State) -> Sequence[Event] | NotDone:
    return events if state == before else Refusal.STALE_DECISION


def _hot(judge: Judge, state: State) -> Sequence[Event] | NotDone:
    """The decision, unless its facts need rows beside them."""
    decided = judge(state)
    if isinstance(decided, list) and any(isinstance(event, DealEnded) for event in decided):
        return InTransaction()
    return decided
