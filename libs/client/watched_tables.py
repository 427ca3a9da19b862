"""Watching MCR tables of others: which there are, and one of them as a bystander saw it, a while later."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from libs.client.calls import LIST_DEADLINE_S
from libs.client.link import Link
from libs.client.showing import Showing
from libs.client.tables import TableNews, news_after, table_of
from libs.pb.sparrow.mcr.v1 import table_spectate_service_pb2 as calls

if TYPE_CHECKING:
    from libs.pb.sparrow.mcr.v1.table_spectate_service_pb2_grpc import SpectateServiceAsyncStub

PAGE_SIZE: Final = 100


@dataclass(frozen=True, slots=True)
class LiveTable:
    """A table that can be watched."""

    name: str
    players: tuple[str, ...]
    """The persons, by seat."""
    ai_players: int
    create_time: datetime


@dataclass(frozen=True, slots=True)
class LiveTables:
    """The tables that were open at `shown_time`, which is `delay_ms` ago; the newest first."""

    tables: tuple[LiveTable, ...]
    delay_ms: int
    shown_time: datetime


@dataclass(frozen=True, slots=True)
class SeenTable:
    """What happened at a table until `shown_time`, which is `delay_ms` ago, and how it stood then."""

    news: TableNews
    delay_ms: int
    shown_time: datetime


class WatchedTables:
    """The MCR tables of others."""

    def __init__(self, link: Link, stub: SpectateServiceAsyncStub) -> None:
        """Ask through the client's connection."""
        self._link = link
        self._stub = stub

    async def live(self, at_most: int = PAGE_SIZE) -> LiveTables:
        """Return the tables that can be watched; private ones are not among them."""
        found: list[LiveTable] = []
        token = ""
        while True:
            request = calls.ListLiveRequest(page_size=min(PAGE_SIZE, at_most - len(found)), page_token=token)
            answer = await self._link.calls.unary(self._stub.ListLive, request, LIST_DEADLINE_S)
            found += map(_live_of, answer.tables)
            token = answer.next_page_token
            if not token or len(found) >= at_most:
                return LiveTables(tuple(found), answer.delay_ms, answer.shown_time.ToDatetime(UTC))

    async def watch(self, name: str, code: str = "") -> AsyncGenerator[SeenTable, None]:
        """Yield a table, "tables/<uuid>", whenever what is shown of it changes, until its closing was shown.

        A private one takes its invitation code. Streams that break are resumed: nothing of a deal is missed.
        Raises RefusedError: SPECTATOR_SEATED for whoever has a seat there, INVITATION_NEEDED, NOT_FOUND;
        LimitError while too many watch; UnreachableError once the patience has run out.
        """

        def open_stream(resume_token: str, metadata: Sequence[tuple[str, str]]) -> Any:
            request = calls.SpectateRequest(name=name, resume_token=resume_token, invitation_code=code)
            return self._stub.Spectate(request, metadata=metadata)

        async with aclosing(Showing(self._link, open_stream, _seen_of).values()) as values:
            async for seen in values:
                yield seen


def _seen_of(response: calls.SpectateResponse, before: SeenTable | None) -> SeenTable | None:
    """Translate a message; what an update leaves out is as it was before. None: it tells nothing."""
    match response.WhichOneof("payload"):
        case "snapshot":
            news = TableNews((), table_of(response.snapshot))
        case "update":
            assert before is not None, "a snapshot comes first"
            news = news_after(before.news.table, response.update)
        case _:
            return None
    return SeenTable(news, response.delay_ms, response.shown_time.ToDatetime(UTC))


def _live_of(table: calls.LiveTable) -> LiveTable:
    return LiveTable(table.name, tuple(table.players), table.ai_players, table.create_time.ToDatetime(UTC))
