"""What happened to accounts, and what the ledger does: new profiles get chips, clubs get their members."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from libs.eventsourcing.envelope import FeedEntry
from libs.eventstore.checkpoint import advance, park
from libs.eventstore.faults import fault
from libs.eventstore.port import Transaction
from libs.eventstore.wake import Wake
from libs.runtime.clock import Clock
from services.ledger.commands import PostTransfer
from services.ledger.domain.journal import Outcome, Refusal
from services.ledger.domain.memberships import Joined, Left
from services.ledger.policies import CALLER
from services.ledger.store.journal import Journal
from services.ledger.store.memberships import apply
from services.ledger.wire.account_facts import (
    CLUB_MEMBER_JOINED,
    CLUB_MEMBER_LEFT,
    PROFILE_CREATED,
    membership_of,
    welcome_of,
)

ACCOUNT_INTAKE: Final = "ledger-account-intake"
"""Consumer, checkpoint and lease of the account service's facts."""
ACCOUNT_DECLARED: Final[Mapping[str, int]] = {PROFILE_CREATED: 1, CLUB_MEMBER_JOINED: 1, CLUB_MEMBER_LEFT: 1}
"""The types that the intake acts on, with the newest schema version it knows."""


class AccountFacts:
    """Welcomes new profiles with chips and keeps the memberships of clubs.

    Transfers, memberships, parked facts and checkpoint are one transaction a batch.
    """

    def __init__(self, journal: Journal, clock: Clock, wake: Wake, source: str) -> None:
        """Follow `source`, the CloudEvents source of the account service."""
        self._journal = journal
        self._clock = clock
        self._wake = wake
        self._source = source

    async def handle(self, entries: Sequence[FeedEntry], epoch: int) -> None:
        """Take in entries of declared types, in order; what makes no sense is parked for an operator."""
        read = self._read(entries)
        now = self._clock.now()

        async def beside(transaction: Transaction, outcomes: Sequence[Outcome]) -> None:
            connection = transaction.connection
            unknown = [told for told in read.moves if not await apply(connection, told[1])]
            for entry, reason in [*read.wrong, *_refused(read.welcomes, outcomes), *map(_unknown, unknown)]:
                await park(connection, ACCOUNT_INTAKE, entry, reason, now)
            await advance(connection, ACCOUNT_INTAKE, epoch, entries[-1].seq, entries[-1].chain)
            fault("accounts.rows_in")

        await self._journal.post([order for _, order in read.welcomes], now=now, caller=CALLER, beside=beside)
        fault("accounts.committed")
        if read.welcomes:
            await self._wake.nudge()

    def _read(self, entries: Sequence[FeedEntry]) -> _Read:
        read = _Read([], [], [])
        for entry in entries:
            try:
                if entry.event.type == PROFILE_CREATED:
                    read.welcomes.append((entry, welcome_of(entry.event, self._source)))
                else:
                    read.moves.append((entry, membership_of(entry.event)))
            except ValueError as error:
                read.wrong.append((entry, f"MALFORMED: {error}"))
        return read


class _Read(NamedTuple):
    """What a batch of facts says, and which of them make no sense."""

    welcomes: list[tuple[FeedEntry, PostTransfer]]
    moves: list[tuple[FeedEntry, Joined | Left]]
    wrong: list[tuple[FeedEntry, str]]


def _refused(
    welcomes: Sequence[tuple[FeedEntry, PostTransfer]], outcomes: Sequence[Outcome]
) -> Iterator[tuple[FeedEntry, str]]:
    """Yield the refused welcomes; one whose key was cancelled on purpose is no error of the fact."""
    for (entry, order), outcome in zip(welcomes, outcomes, strict=True):
        if isinstance(outcome, Refusal) and outcome is not Refusal.KEY_CANCELLED:
            yield entry, f"{outcome}: {order.key}"


def _unknown(told: tuple[FeedEntry, Joined | Left]) -> tuple[FeedEntry, str]:
    entry, move = told
    return entry, f"MEMBERSHIP_UNKNOWN: {move.account} of {move.club}"
