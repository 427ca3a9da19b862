"""What happened elsewhere, and what the ledger does: match results are posted, ended days are closed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date
from typing import Final

from libs.eventsourcing.envelope import FeedEntry, RecordedEvent
from libs.eventstore.checkpoint import advance, park
from libs.eventstore.faults import fault
from libs.eventstore.port import Conflict, EventStore, StreamAppend, Transaction
from libs.eventstore.wake import Wake
from libs.runtime.caller import ServiceCaller, caller_id
from libs.runtime.clock import Clock
from services.ledger.commands import PostTransfer
from services.ledger.domain.calendar import day_end
from services.ledger.domain.days import closing_stream, days_to_close
from services.ledger.domain.journal import Outcome, Refusal
from services.ledger.events import LedgerDayClosed
from services.ledger.store.journal import Journal
from services.ledger.wire.events import encode
from services.ledger.wire.match_facts import (
    ARENA_ENDED,
    ATTEMPT_CLEARED,
    QUICK_MATCH_ENDED,
    RACE_ENDED,
    orders_of_match_fact,
)
from services.ledger.wire.table_facts import DEAL_FINISHED, orders_of_table_fact

CALLER: Final = caller_id(ServiceCaller("ledger"))
INTAKE: Final = "ledger-intake"
"""Consumer, checkpoint and lease of the match facts."""
INTAKE_BATCH_MAX: Final = 500
"""Match facts in one transaction: what a batch costs is shared by so many."""
DECLARED: Final[Mapping[str, int]] = {ATTEMPT_CLEARED: 1, QUICK_MATCH_ENDED: 1, ARENA_ENDED: 1, RACE_ENDED: 1}
"""The types that the intake acts on, with the newest schema version it knows."""
TABLE_INTAKE: Final = "ledger-table-intake"
"""Consumer, checkpoint and lease of the facts of MCR tables."""
TABLE_DECLARED: Final[Mapping[str, int]] = {DEAL_FINISHED: 1}
"""The types that the intake of tables acts on, likewise."""

OrdersOf = Callable[[RecordedEvent, str], tuple[PostTransfer, ...]]
"""What an event of a source earns; raises ValueError when it makes no sense."""


class ResultFacts:
    """Posts what the results that a service tells earn: won and lost points, and ratings.

    Transfers, parked facts and checkpoint are one transaction a batch.
    """

    def __init__(
        self, journal: Journal, clock: Clock, wake: Wake, source: str, *, intake: str, orders_of: OrdersOf
    ) -> None:
        """Follow `source`, a CloudEvents source; `intake` names the checkpoint."""
        self._intake = intake
        self._orders_of = orders_of
        self._journal = journal
        self._wake = wake
        self._clock = clock
        self._source = source

    async def handle(self, entries: Sequence[FeedEntry], epoch: int) -> None:
        """Take in entries of declared types, in order; what makes no sense is parked for an operator."""
        orders: list[PostTransfer] = []
        owners: list[FeedEntry] = []
        wrong: list[tuple[FeedEntry, str]] = []
        for entry in entries:
            try:
                earned = self._orders_of(entry.event, self._source)
            except ValueError as error:
                wrong.append((entry, f"MALFORMED: {error}"))
                continue
            orders.extend(earned)
            owners.extend([entry] * len(earned))
        now = self._clock.now()

        async def beside(transaction: Transaction, outcomes: Sequence[Outcome]) -> None:
            refused = _refused(orders, owners, outcomes)
            for entry, reason in [*wrong, *refused]:
                await park(transaction.connection, self._intake, entry, reason, now)
            await advance(transaction.connection, self._intake, epoch, entries[-1].seq, entries[-1].chain)
            fault("ledger.rows_in")
            fault("ledger.commit_sent")

        await self._journal.post(orders, now=now, caller=CALLER, beside=beside)
        fault("ledger.committed")
        await self._wake.nudge()


def match_facts(journal: Journal, clock: Clock, wake: Wake, source: str) -> ResultFacts:
    """Return what posts results of the match service."""
    return ResultFacts(journal, clock, wake, source, intake=INTAKE, orders_of=orders_of_match_fact)


def table_facts(journal: Journal, clock: Clock, wake: Wake, source: str) -> ResultFacts:
    """Return what posts the table points of the MCR service."""
    return ResultFacts(journal, clock, wake, source, intake=TABLE_INTAKE, orders_of=orders_of_table_fact)


class DayCloser:
    """Appends `LedgerDayClosed` for every day that is over: once each, in order, however many ask."""

    def __init__(
        self, store: EventStore, as_of_day: Callable[[], Awaitable[date | None]], clock: Clock
    ) -> None:
        """Close by `clock` from the day on that `as_of_day` tells."""
        self._store = store
        self._as_of_day = as_of_day
        self._clock = clock
        self._closed: date | None = None  # the last one that this object knows to be in the log

    async def step(self) -> int:
        """Append what is due; return how many were new."""
        now = self._clock.now()
        new = 0
        for day in days_to_close(await self._as_of_day(), now):
            if self._closed is not None and day <= self._closed:
                continue  # in the log, not yet on the boards
            fault("day.before")
            event = encode(LedgerDayClosed(day), day_end(day))
            appended = await self._store.append(
                [StreamAppend(closing_stream(day), 0, (event,))], recorded_at=now, caller=CALLER
            )
            fault("day.closed")
            new += not isinstance(appended, Conflict)
            self._closed = day
        return new


def _refused(
    orders: Sequence[PostTransfer], owners: Sequence[FeedEntry], outcomes: Sequence[Outcome]
) -> list[tuple[FeedEntry, str]]:
    """Return the entries with a refused order, once each, with all their reasons.

    A cancelled key is no error of the fact: somebody voided it before, on purpose.
    """
    reasons: dict[int, tuple[FeedEntry, list[str]]] = {}
    for order, entry, outcome in zip(orders, owners, outcomes, strict=True):
        if isinstance(outcome, Refusal) and outcome is not Refusal.KEY_CANCELLED:
            reasons.setdefault(entry.seq, (entry, []))[1].append(f"{outcome}: {order.key}")
    return [(entry, "; ".join(texts)) for entry, texts in reasons.values()]
