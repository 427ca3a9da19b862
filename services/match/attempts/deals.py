"""Deals of levels, from the solitaire service. They never change, so they are kept."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final

from libs.rules.solitaire.levels import LEVEL_COUNT, is_level
from libs.runtime.errors import invalid_field
from services.match.commands import Deal

DEALS_CACHED: Final = 512


class Deals:
    """Deals by level number, least recently used ones forgotten."""

    def __init__(self, fetch: Callable[[int], Awaitable[Deal]]) -> None:
        """Take `fetch`, which asks the engine for the deal of a level that exists."""
        self._fetch = fetch
        self._kept: OrderedDict[int, Deal] = OrderedDict()

    async def of(self, level: int) -> Deal:
        """The deal of a level. Raises Refused FIELD_INVALID for a number that is no level."""
        check_level(level)
        deal = self._kept.get(level)
        if deal is None:
            deal = await self._fetch(level)
            # The first question about a layout computes its tables: not on the loop.
            await asyncio.to_thread(lambda: deal.layout.masks)
            if len(self._kept) >= DEALS_CACHED:
                self._kept.popitem(last=False)
            self._kept[level] = deal
        self._kept.move_to_end(level)
        return deal


def check_level(level: int) -> None:
    """Raise Refused FIELD_INVALID for a number that is no level."""
    if not is_level(level):
        raise invalid_field("level", f"1 to {LEVEL_COUNT}", "RANGE", min=1, max=LEVEL_COUNT)
