"""Bots of a demo at MCR tables: they play what their stream shows, and leave when told to stop."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Final

from libs.cli.demo.player import BotPlayer
from libs.cli.demo.table_points import DealPoints
from libs.cli.table_bot import automatic
from libs.client.deal_views import ActedBy, ActionKind, AiLevel, Happening, What, Won
from libs.client.errors import ConflictError, RefusedError, ServerFaultError, SparrowError, UnreachableError
from libs.client.tables import TableNews, TableView

ENDS_WITHIN_S: Final = 5.0
"""How long a table may go on without its bot; at the pace of persons it lasts minutes."""
LOOK_S: Final = 2.0
"""After so long without news a bot asks how its table stands."""
SEATED: Final = {"ALREADY_SEATED": "name", "TICKET_MATCHED": "table"}
"""Refusals of one who sits at a table, and what names it."""
OVER: Final = frozenset({"TICKET_EXPIRED", "TICKET_CANCELLED"})
"""Refusals of a ticket that waits no more."""
_PAUSE_S: Final = 0.2


@dataclass
class TablePlayer(BotPlayer):
    """One bot against three AI players. Of every deal it keeps what the table said it moved."""

    _table: TableView | None = None
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _answered: tuple[int, int] | None = None
    """The deal and the decision that the server has taken an answer to."""
    _acknowledged: set[tuple[int, int]] = field(default_factory=set)
    """Discards of the table: deal and tile."""
    _told: set[tuple[int, int]] = field(default_factory=set)
    """Discards that the stream of the table has told as this player's."""
    _snapshots: int = 0
    """How often the stream told only how the table stood; after the first it may have left things out."""

    async def play(self) -> None:
        """Play table after table until told to stop, then leave the running one."""
        while not self.stop.is_set():
            self.status = "looks for a table"
            table = await self._sit_down()
            if table is None:
                await asyncio.sleep(_PAUSE_S)
                continue
            await self._play_table(table)
        self.status = "done"

    async def _sit_down(self) -> TableView | None:
        """Come to a table, or to the one where this bot sits after all; none where that is in doubt."""
        try:
            try:
                return await self._find()
            except RefusedError as refused:
                if refused.reason in OVER:
                    return None
                if refused.reason not in SEATED:
                    raise
                return await self.client.tables.get(refused.metadata[SEATED[refused.reason]])
        except (ConflictError, ServerFaultError, UnreachableError) as error:
            self.status = f"asks again: {error.reason}"
            self.journal.doubts += 1
            return None

    async def _find(self) -> TableView | None:
        """Open a table."""
        began = self.journal.monotonic()
        table = await self.client.tables.open_table(ai_level=AiLevel.EASY)
        self.journal.accepted((self.journal.monotonic() - began) * 1000)
        return table

    async def _play_table(self, table: TableView) -> None:
        self._table, self._answered = table, None
        self._acknowledged.clear()
        self._told.clear()
        self._snapshots = 0
        self.journal.attempts += 1
        self.status = "plays a deal"
        self._news.clear()
        following = asyncio.create_task(self._follow(table.name))
        try:
            await self._hear_first()
            while table.closing is None and not self.stop.is_set():
                await self._play_on(table)
                table = self._table
            if table.closing is None:
                await self._timed(lambda: self.client.tables.leave(table))
            self.status = "waits for the end"
            await asyncio.wait({following}, timeout=self.pace.patience_s if table.closing else ENDS_WITHIN_S)
            await self._hear_out(following)
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
        self._judge(self._table)

    async def _hear_first(self) -> None:
        """Wait for the stream's snapshot: what is done before it is never told as news."""
        try:
            await asyncio.wait_for(self._news.wait(), self.pace.patience_s)
        except TimeoutError:
            self._snapshots += 1

    async def _hear_out(self, following: asyncio.Task[None]) -> None:
        """Wait until all was told that was acknowledged, for as long as the patience lasts."""
        deadline = self.journal.monotonic() + self.pace.patience_s
        while self._acknowledged - self._told and not following.done():
            if self.journal.monotonic() > deadline:
                return
            await asyncio.sleep(_PAUSE_S)

    async def _play_on(self, table: TableView) -> None:
        """Answer what is open, or wait for news; where there are none for long, ask."""
        if table.deal.actions and self._answered != (table.deal.number, table.deal.decision):
            await self._act(table)
            return
        self._news.clear()
        try:
            await asyncio.wait_for(self._news.wait(), LOOK_S)
        except TimeoutError:
            await self._look(table.name)

    async def _act(self, table: TableView) -> None:
        if self.pace.think_ms:
            await asyncio.sleep(self.pace.think_ms * self.rng.uniform(0.5, 1.5) / 1000)
        action, deal = automatic(table.deal), table.deal
        news = await self._timed(lambda: self.client.tables.act(table, action))
        if news is None:
            await self._look(table.name)
            return
        self._answered = (deal.number, deal.decision)
        if action.kind is ActionKind.DISCARD:
            self._acknowledged.add((deal.number, action.tiles[0]))
        self._take(news.table)

    async def _look(self, name: str) -> None:
        """Ask how the table stands, for as long as the patience lasts."""
        deadline = self.journal.monotonic() + self.pace.patience_s
        while True:
            try:
                self._take(await self.client.tables.get(name))
            except (ServerFaultError, UnreachableError):
                if self.journal.monotonic() > deadline:
                    raise
                await asyncio.sleep(_PAUSE_S)
            else:
                return

    async def _follow(self, name: str) -> None:
        """Keep the seat, and keep what is told there. A stream that cannot be opened any more just ends."""
        try:
            async for news in self.client.tables.watch(name):
                self._snapshots += not news.happenings
                for happening in news.happenings:
                    self._hear(news, happening)
                self._take(news.table)
                self._news.set()
        except SparrowError as error:
            self._snapshots += 2
            self._news.set()
            self.status = f"hears nothing: {error.reason}"

    def _hear(self, news: TableNews, happening: Happening) -> None:
        deal = news.table.deal
        if happening.what is What.DISCARDED and happening.seat == deal.seat and happening.tile is not None:
            if happening.by is ActedBy.PLAYER:
                self._told.add((deal.number, happening.tile))
        elif happening.what is What.ENDED:
            payments = deal.outcome.payments if isinstance(deal.outcome, Won) else (0,) * len(deal.seats)
            points = {
                seat.player: paid for seat, paid in zip(deal.seats, payments, strict=True) if seat.player
            }
            ended = DealPoints(happening.at, points, sum(payments))
            self.journal.tables.ended(news.table.name, deal.number, ended)
            self.cleared += isinstance(deal.outcome, Won) and deal.outcome.winner == deal.seat
            self.points += points[self.player]

    def _take(self, table: TableView) -> None:
        """Keep a table as the newest one, unless a newer one is known."""
        known = self._table
        if known is None or known.name != table.name or _place(table) >= _place(known):
            self._table = table

    def _judge(self, table: TableView) -> None:
        """Put into the journal whether all was told that was acknowledged, and whether it goes on."""
        tables = self.journal.tables
        untold = self._acknowledged - self._told if self._snapshots <= 1 else set()
        for number, tile in sorted(untold):
            tables.lost.append(
                f"tables: {self.player} discarded {tile} in deal {number}, {table.name} never told"
            )
        dealt = range(1, table.deal.number + 1)
        if table.closing is None or any((table.name, number) not in tables.deals for number in dealt):
            seats = table.deal.seats
            tables.unended[table.name] = frozenset(seat.player for seat in seats if seat.player)


@dataclass
class QueueTablePlayer(TablePlayer):
    """One bot at tables of four persons, or of fewer where others do not come in time."""

    async def _find(self) -> TableView | None:
        """Wait in the lobby; told to stop meanwhile, none, or the table that began at that very moment."""
        self.status = "waits for others"
        waiting = await self.client.lobby.queue(ai_level=AiLevel.EASY)
        finding = asyncio.create_task(waiting.table())
        stopping = asyncio.create_task(self.stop.wait())
        try:
            await asyncio.wait({finding, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if finding.done():
                return await self.client.tables.get(await finding)
        finally:
            for task in (finding, stopping):
                task.cancel()
            await asyncio.gather(finding, stopping, return_exceptions=True)
        await waiting.cancel()
        return None


def _place(table: TableView) -> tuple[bool, int, int]:
    """How far a table has come."""
    return table.closing is not None, table.deal.number, table.deal.decision
