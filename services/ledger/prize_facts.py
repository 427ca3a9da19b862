"""What tournaments award and revoke, and what the ledger does: prizes are paid, and taken back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from libs.eventsourcing.envelope import FeedEntry
from libs.eventstore.checkpoint import advance, park
from libs.eventstore.faults import fault
from libs.eventstore.port import Transaction
from libs.eventstore.wake import Wake
from libs.runtime.clock import Clock
from services.ledger.commands import PostTransfer, PrizeStep
from services.ledger.policies import CALLER
from services.ledger.store.prizes import Prizes, Refusals
from services.ledger.wire.prize_facts import PRIZES_AWARDED, PRIZES_REVOKED, steps_of_prize_fact

PRIZE_INTAKE: Final = "ledger-prize-intake"
"""Consumer, checkpoint and lease of the tournament service's facts."""
PRIZE_DECLARED: Final[Mapping[str, int]] = {PRIZES_AWARDED: 1, PRIZES_REVOKED: 1}
"""The types that the intake acts on, with the newest schema version it knows."""


class PrizeFacts:
    """Pays prizes and takes revoked ones back.

    Transfers, parked facts and checkpoint are one transaction a batch.
    """

    def __init__(self, prizes: Prizes, clock: Clock, wake: Wake, source: str) -> None:
        """Follow `source`, the CloudEvents source of the tournament service."""
        self._prizes = prizes
        self._clock = clock
        self._wake = wake
        self._source = source

    async def handle(self, entries: Sequence[FeedEntry], epoch: int) -> None:
        """Take in entries of declared types, in order; what makes no sense is parked for an operator."""
        steps: list[tuple[FeedEntry, PrizeStep]] = []
        wrong: list[tuple[FeedEntry, str]] = []
        for entry in entries:
            try:
                steps += [(entry, step) for step in steps_of_prize_fact(entry.event, self._source)]
            except ValueError as error:
                wrong.append((entry, f"MALFORMED: {error}"))
        now = self._clock.now()

        async def beside(transaction: Transaction, refusals: Refusals) -> None:
            for entry, reason in [*wrong, *_refused(steps, refusals)]:
                await park(transaction.connection, PRIZE_INTAKE, entry, reason, now)
            await advance(transaction.connection, PRIZE_INTAKE, epoch, entries[-1].seq, entries[-1].chain)
            fault("ledger.rows_in")
            fault("ledger.commit_sent")

        await self._prizes.settle([step for _, step in steps], now=now, caller=CALLER, beside=beside)
        fault("ledger.committed")
        await self._wake.nudge()


def _refused(
    steps: Sequence[tuple[FeedEntry, PrizeStep]], refusals: Refusals
) -> Iterator[tuple[FeedEntry, str]]:
    """Yield the entries with a refused step, once each, with all their reasons."""
    reasons: dict[int, tuple[FeedEntry, list[str]]] = {}
    for (entry, step), refusal in zip(steps, refusals, strict=True):
        if refusal is not None:
            order = step if isinstance(step, PostTransfer) else step.order
            reasons.setdefault(entry.seq, (entry, []))[1].append(f"{refusal}: {order.key}")
    for entry, texts in reasons.values():
        yield entry, "; ".join(texts)
