"""The bots of a load of MCR tables: each against three AI players, deal after deal.

What is counted is a bot's own: sitting down and answers. The server's AI players act beside them, at the
pace that it lets them have where persons play.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

from libs.cli.load.player import Metronome
from libs.cli.load.tally import Tally
from libs.cli.table_bot import automatic
from libs.client.client import SparrowClient
from libs.client.deal_views import AiLevel
from libs.client.errors import RefusedError, SparrowError
from libs.client.tables import TableView

LOOK_S = 5.0
"""After so long without news a bot asks how its table stands."""
_SETTLE_S = 0.2


@dataclass
class TableBot:
    """One bot and what it counts. A try that failed and was sent again counts as an error too."""

    client: SparrowClient
    tally: Tally
    metronome: Metronome
    stop: asyncio.Event
    _table: TableView | None = None
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    async def play(self) -> None:
        """Play one table after another until told to stop; leave the last one, which is not counted."""
        while not self.stop.is_set():
            try:
                table = await self._sit_down()
                if table is not None:
                    await self._play_table(table)
            except SparrowError as error:
                self.tally.errors[error.reason] += 1
                await asyncio.sleep(_SETTLE_S)

    async def _sit_down(self) -> TableView | None:
        """Open a table; where an earlier one is still played, go on with that."""
        due_s = await self.metronome.next_due()
        if self.stop.is_set():
            return None
        try:
            table = await self.client.tables.open_table(ai_level=AiLevel.EASY)
        except RefusedError as refused:
            if refused.reason != "ALREADY_SEATED":
                raise
            return await self.client.tables.get(refused.metadata["name"])
        self._count("start", due_s)
        self.tally.games += 1
        return table

    async def _play_table(self, table: TableView) -> None:
        self._table = table
        following = asyncio.create_task(self._follow(table.name))
        try:
            answered: tuple[int, int] | None = None
            while table.closing is None and not self.stop.is_set():
                here = (table.deal.number, table.deal.decision)
                if table.deal.actions and answered != here:
                    if await self._act(table):
                        answered = here
                else:
                    await self._wait(table.name)
                table = self._table
            if table.closing is None:
                with suppress(SparrowError):
                    await self.client.tables.leave(table)
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)

    async def _act(self, table: TableView) -> bool:
        """Answer when it is due, and count it; where that failed, ask how the table stands."""
        due_s = await self.metronome.next_due()
        if self.stop.is_set():
            return False
        try:
            news = await self.client.tables.act(table, automatic(table.deal))
        except SparrowError as error:
            self.tally.errors[error.reason] += 1
            await asyncio.sleep(_SETTLE_S)
            self._take(await self.client.tables.get(table.name))
            return False
        self._count("act", due_s)
        self._take(news.table)
        return True

    async def _wait(self, name: str) -> None:
        """Wait until the table has news: nothing is due meanwhile."""
        self._news.clear()
        stopping = asyncio.create_task(self.stop.wait())
        coming = asyncio.create_task(self._news.wait())
        try:
            done, _ = await asyncio.wait(
                {stopping, coming}, timeout=LOOK_S, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            stopping.cancel()
            coming.cancel()
        if not done:
            self._take(await self.client.tables.get(name))
        self.metronome.begin_again()

    async def _follow(self, name: str) -> None:
        try:
            async for news in self.client.tables.watch(name):
                self._take(news.table)
                self._news.set()
        except SparrowError as error:
            self.tally.errors[error.reason] += 1

    def _take(self, table: TableView) -> None:
        known = self._table
        if known is None or known.name != table.name or _place(table) >= _place(known):
            self._table = table

    def _count(self, kind: str, due_s: float) -> None:
        if not self.stop.is_set():
            self.tally.accept(kind, (asyncio.get_running_loop().time() - due_s) * 1000)


def _place(table: TableView) -> tuple[bool, int, int]:
    """How far a table has come."""
    return table.closing is not None, table.deal.number, table.deal.decision
