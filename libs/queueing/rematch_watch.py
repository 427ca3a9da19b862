"""Following the offer of a rematch until something comes of it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from datetime import datetime
from typing import Any
from uuid import UUID

from libs.bus.port import Bus
from libs.eventstore.port import EventStore
from libs.following.rows import HEARTBEAT_S, RowWatch
from libs.queueing.rematch_store import RematchRows
from libs.rules.pairing.rematch import K, Outcome, Rematch, settle


class RematchWatch(RowWatch):
    """All watched offers of one process."""

    def __init__(
        self,
        offers: RematchRows[Any],
        store: EventStore,
        bus: Bus,
        now: Callable[[], datetime],
        *,
        heartbeat_s: float = HEARTBEAT_S,
    ) -> None:
        """Read from the store; the bus only makes it faster."""
        super().__init__(bus, "sparrow.rematch.*", self._moved, heartbeat_s=heartbeat_s)
        self._offers = offers
        self._store = store
        self._now = now
        self._seen: dict[UUID, int] = {}

    async def follow_offer(
        self, match_id: UUID, read: Callable[[], Awaitable[Rematch[K]]]
    ) -> AsyncGenerator[Rematch[K] | str, None]:
        """The offer as `read` finds it, until something comes of it; last what. Raises Refused DRAINING."""
        reason = "DRAINING"
        async with aclosing(self.follow(match_id, read, _is_over)) as offers:
            async for offer in offers:
                if _is_over(offer):
                    reason = offer.outcome.name
                yield offer
        yield reason

    async def _moved(self, match_ids: Sequence[UUID]) -> list[UUID]:
        """Those that have changed since the last look, or have expired."""
        async with self._store.transaction() as transaction:
            found = await self._offers.find_all(transaction.connection, match_ids)
        now, seen = self._now(), self._seen
        self._seen = {each.match_id: each.version for each in found}
        return [
            each.match_id
            for each in found
            if seen.get(each.match_id) != each.version or settle(each, now).outcome is not Outcome.OPEN
        ]


def _is_over(offer: Rematch[Any]) -> bool:
    return offer.outcome is not Outcome.OPEN
