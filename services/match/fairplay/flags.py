"""Flags as operators handle them: listed, and dismissed with a reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from uuid import UUID

from libs.eventstore.port import Request, Transaction
from libs.eventstore.postgres.database import Database
from libs.runtime.errors import Refused
from services.match.domain.fair_play.flags import Dismissal, Flag
from services.match.fairplay import flag_store as rows
from services.match.fairplay.once import earlier, once


class Flags:
    """The flags of all players. Every method raises Refused."""

    def __init__(self, database: Database) -> None:
        """Keep what is needed; nothing is read."""
        self._database = database

    async def dismiss(
        self, flag_id: UUID, dismissal: Dismissal, request: Request, reply: Callable[[Flag], bytes]
    ) -> bytes:
        """Dismiss a flag, or leave it as it was dismissed before; return the reply of this request."""

        async def work(transaction: Transaction) -> bytes:
            flag = await rows.dismiss(transaction.connection, flag_id, dismissal)
            if flag is None:
                name = f"flags/{flag_id}"
                raise Refused("NOT_FOUND", f"there is no {name}", {"name": name})
            return reply(flag)

        told = await earlier(self._database, request)
        return told if told is not None else await once(self._database, request, work, dismissal.at)

    async def page(
        self, limit: int, *, of: UUID | None, with_dismissed: bool, before: Mapping[str, str] | None
    ) -> list[Flag]:
        """Flags, the newest first."""
        async with self._database.engine.connect() as connection:
            return await rows.page(connection, limit, of=of, with_dismissed=with_dismissed, before=before)
