"""How tables of the lobby begin: with drawn seats, and only where all persons are free."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from libs.eventstore.port import Transaction
from libs.queueing.matchmaker import NewGame
from libs.queueing.store import lock_accounts
from services.mcr.domain.lobby import DRAWN_BYTES, TableKind, Ticket, occupants
from services.mcr.lobby.store import seated_of
from services.mcr.tables.begin import NewTable, TableBeginnings


class Beginnings:
    """The beginnings of tables between players who found each other."""

    def __init__(self, tables: TableBeginnings, randomness: Callable[[int], bytes]) -> None:
        """Begin by `tables`; draw seats from `randomness`."""
        self._tables = tables
        self._randomness = randomness

    async def of_tickets(
        self, transaction: Transaction, chosen: Sequence[NewGame[Ticket]], now: datetime
    ) -> list[NewGame[Ticket]]:
        """Begin the tables whose persons are all free, in the transaction; return these.

        The number of deals, the level of the AI players and whether a table is private are those of the first
        ticket, which has waited longest.
        """
        accounts = [account_id for game in chosen for account_id in game.accounts]
        await lock_accounts(transaction.connection, accounts)
        seated = await seated_of(transaction.connection, accounts)
        free = [game for game in chosen if seated.isdisjoint(game.accounts)]
        kinds = {game.match_id: (_kind(game.tickets[0]), game.accounts) for game in free}
        await self.begin(transaction, kinds, now)
        return free

    async def begin(
        self,
        transaction: Transaction,
        tables: Mapping[UUID, tuple[TableKind, Sequence[UUID]]],
        now: datetime,
    ) -> None:
        """Begin tables of these kinds for these persons, who are locked and free."""
        new = [
            NewTable(
                table_id,
                occupants(persons, kind.level, self._randomness(DRAWN_BYTES)),
                kind.deals,
                kind.private,
            )
            for table_id, (kind, persons) in tables.items()
        ]
        if new:
            await self._tables.begin_all(transaction, new, now)


def _kind(first: Ticket) -> TableKind:
    return TableKind(first.queue.deals, first.level, first.room is not None)
