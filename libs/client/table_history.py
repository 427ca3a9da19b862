"""Closed MCR tables of a player, listed and told again step by step."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from libs.client.calls import LIST_DEADLINE_S
from libs.client.deal_views import DealView, Happening, Tiles
from libs.client.deal_wire import deal_of, happening_of
from libs.client.link import Link
from libs.client.tables import Reveal, TableSummary, reveal_of, summary_of
from libs.pb.sparrow.mcr.v1 import table_history_pb2 as wire
from libs.pb.sparrow.mcr.v1 import table_history_service_pb2 as calls
from libs.rules.mcr.wall import TileId

if TYPE_CHECKING:
    from libs.pb.sparrow.mcr.v1.table_history_service_pb2_grpc import HistoryServiceAsyncStub

STEPS_PAGE: Final = 500
TABLES_PAGE: Final = 100


@dataclass(frozen=True, slots=True)
class PlayedTable:
    """A closed table at which this player sat."""

    table: TableSummary
    start_time: datetime
    end_time: datetime
    own_seat: int


@dataclass(frozen=True, slots=True)
class TableStep:
    """What happened, and the deal after it."""

    happening: Happening
    deal: DealView


@dataclass(frozen=True, slots=True)
class TableReplay:
    """A deal of a closed table, from its dealing to the wall that was laid open."""

    table: TableSummary
    deal_number: int
    start_time: datetime
    end_time: datetime
    wall: Tiles
    """From the first tile that was dealt to the last one of its end."""
    reveal: Reveal | None
    """What the commitment covered: `steps[0].deal.commitment` is its hash."""
    steps: tuple[TableStep, ...]


class TableHistory:
    """The closed tables of the player that is signed in."""

    def __init__(self, link: Link, stub: HistoryServiceAsyncStub) -> None:
        """Ask through `stub`."""
        self._link = link
        self._stub = stub

    async def tables(self) -> AsyncGenerator[PlayedTable, None]:
        """Yield this player's closed tables, the newest first. They come soon after they closed."""
        token = ""
        while True:
            request = calls.ListPlayedTablesRequest(page_size=TABLES_PAGE, page_token=token)
            answer = await self._link.calls.unary(self._stub.ListPlayedTables, request, LIST_DEADLINE_S)
            for told in answer.tables:
                yield played_of(told)
            if not (token := answer.next_page_token):
                return

    async def replay(self, name: str, deal_number: int = 1, *, openly: bool = False) -> TableReplay:
        """Tell a deal of a closed table, "tables/<uuid>", from its dealing to its end.

        As this player saw it; `openly`: with everybody's tiles and answers. Raises RefusedError MATCH_RUNNING
        before the table has closed.
        """
        told: TableReplay | None = None
        token = ""
        while True:
            request = calls.GetTableReplayRequest(
                name=name, deal_number=deal_number, open=openly, page_size=STEPS_PAGE, page_token=token
            )
            answer = await self._link.calls.unary(self._stub.GetTableReplay, request, LIST_DEADLINE_S)
            page = replay_of(answer.replay)
            told = page if told is None else replace(told, steps=(*told.steps, *page.steps))
            if not (token := answer.next_page_token):
                return told


def played_of(told: wire.PlayedTable) -> PlayedTable:
    """A table in a list, as the server tells it."""
    return PlayedTable(
        summary_of(told.summary),
        told.start_time.ToDatetime(UTC),
        told.end_time.ToDatetime(UTC),
        told.own_seat,
    )


def replay_of(told: wire.TableReplay) -> TableReplay:
    """A page of a deal, as the server tells it."""
    return TableReplay(
        table=summary_of(told.summary),
        deal_number=told.deal_number,
        start_time=told.start_time.ToDatetime(UTC),
        end_time=told.end_time.ToDatetime(UTC),
        wall=tuple(map(TileId, told.wall_tiles)),
        reveal=reveal_of(told),
        steps=tuple(TableStep(happening_of(step.happening), deal_of(step.deal)) for step in told.steps),
    )
