"""Following tournaments as they stand, until they are over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from functools import partial
from typing import Final
from uuid import UUID

from libs.bus.port import Bus
from libs.eventstore.port import EventStore
from libs.following.rows import HEARTBEAT_S, RowWatch
from services.tournament.tournaments.pages import Pages, View

GATHER_S: Final = 0.2
"""What happens within this is told together: tables of a round are over within moments of each other."""


class TournamentWatch(RowWatch):
    """All watched tournaments of one process."""

    def __init__(
        self, pages: Pages, store: EventStore, bus: Bus, *, heartbeat_s: float = HEARTBEAT_S
    ) -> None:
        """Read from the store; the bus only makes it faster."""
        super().__init__(bus, "sparrow.tournament.*", self._moved, heartbeat_s=heartbeat_s)
        self._pages = pages
        self._store = store
        self._seen: dict[UUID, int] = {}

    async def follow_tournament(
        self, tournament_id: UUID, after: int | None
    ) -> AsyncGenerator[View | None, None]:
        """The tournament as it stands, now and after changes; None as a sign of life.

        Who has seen a mark is told of what came after it. It ends when the tournament is over, or, after one
        that is not, when this process is told to stop. Raises Refused DRAINING.
        """
        read = partial(self._pages.view, tournament_id)
        async with aclosing(self.follow(tournament_id, read, lambda view: view.is_over)) as views:
            async for view in views:
                yield None if view.mark == after else view
                after = view.mark
                if not view.is_over:
                    await asyncio.sleep(GATHER_S)

    async def _moved(self, tournament_ids: Sequence[UUID]) -> list[UUID]:
        """Those that have moved on since the last look, or wait for their tables."""
        heads, seen = await self._store.heads(tournament_ids), self._seen
        self._seen = heads
        return [
            each
            for each, version in heads.items()
            if seen.get(each) != version or self._pages.awaits_begin(each)
        ]
