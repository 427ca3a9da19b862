"""MCR tables: sitting down, playing, leaving and coming back, and one stream that tells all of a table."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final
from uuid import uuid4

import grpc

from libs.client.calls import LIST_DEADLINE_S, MOVE_DEADLINE_S, bearer_metadata
from libs.client.deal_views import Action, AiLevel, DealView, Happening, Outcome
from libs.client.deal_wire import action_message, deal_of, happening_of, level_of, level_word, outcome_of
from libs.client.errors import LimitError, RefusedError, SignInError, UnreachableError, error_of
from libs.client.link import Link
from libs.pb.sparrow.mcr.v1 import deal_pb2 as words
from libs.pb.sparrow.mcr.v1 import table_history_pb2 as history
from libs.pb.sparrow.mcr.v1 import table_pb2 as wire
from libs.pb.sparrow.mcr.v1 import table_service_pb2 as calls

if TYPE_CHECKING:
    from libs.pb.sparrow.mcr.v1.table_service_pb2_grpc import TableServiceAsyncStub

SILENCE_S: Final = 40.0
"""A stream sends a heartbeat every 15 s."""
_STALE_TOKEN: Final = frozenset({"RESUME_EXPIRED", "RESUME_TOKEN_INVALID"})


class Closing(StrEnum):
    """Why no deal follows at a table."""

    PLAYED = "played"
    ABANDONED = "abandoned"
    """All persons were away when a deal ended."""
    ABORTED = "aborted"
    """The rules could not go on with a deal: a fault of the server."""


@dataclass(frozen=True, slots=True)
class TableSeat:
    """Who sits on a seat, and what the deals that are over have brought."""

    player: str
    """Empty where the AI sits."""
    ai_level: AiLevel | None
    points: int


@dataclass(frozen=True, slots=True)
class DealRow:
    """What a deal came to."""

    number: int
    dealer: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Reveal:
    """What the commitment of a deal covered: 32 bytes each."""

    wall_version: int
    seed: bytes
    nonce: bytes


@dataclass(frozen=True, slots=True)
class TableSummary:
    """A table, without the deal that is played there."""

    name: str
    """"tables/<uuid>"."""
    seats: tuple[TableSeat, ...]
    deal_count: int
    """How many deals are played at most."""
    private: bool
    """Made for invited players: its points count on no board."""
    rows: tuple[DealRow, ...]
    """The deals that are over."""
    closing: Closing | None
    """None while it is open."""


@dataclass(frozen=True, slots=True)
class TableView(TableSummary):
    """A table as this player sees it."""

    deal: DealView
    """The deal that is played, or the last one."""
    reveal: Reveal | None
    """Of a deal that is over."""


@dataclass(frozen=True, slots=True)
class TableNews:
    """What has happened, as far as this player is told, and the table right after it."""

    happenings: tuple[Happening, ...]
    """None of them where only is told how the table stands."""
    table: TableView


class Tables:
    """The MCR tables of this player.

    Whoever plays follows the table and answers what is asked; the AI plays for whoever leaves.

    >>> table = await client.tables.open_table()
    >>> async for news in client.tables.watch(table.name):
    ...     deal = news.table.deal
    ...     if deal.actions and deal.answer is None:
    ...         break
    >>> news = await client.tables.act(news.table, deal.actions[0])
    >>> news.happenings[0].seat == deal.seat
    True
    >>> news = await client.tables.leave(news.table)
    """

    def __init__(self, link: Link, stub: TableServiceAsyncStub) -> None:
        """Ask through the link."""
        self._link = link
        self._stub = stub

    async def open_table(self, deal_count: int = 1, ai_level: AiLevel = AiLevel.MIDDLE) -> TableView:
        """Begin a table against three AI players, of 1 to 16 deals.

        Raises RefusedError ALREADY_SEATED, with the `name` of the table where this player sits.
        """
        request = calls.OpenTableRequest(
            deal_count=deal_count, ai_level=level_word(ai_level), request_id=str(uuid4())
        )
        answer = await self._link.calls.unary(self._stub.OpenTable, request, LIST_DEADLINE_S)
        return table_of(answer.table)

    async def get(self, name: str) -> TableView:
        """Return a table of this player, "tables/<uuid>", open or closed."""
        request = calls.GetTableRequest(name=name)
        answer = await self._link.calls.unary(self._stub.GetTable, request, LIST_DEADLINE_S)
        return table_of(answer.table)

    async def act(self, table: TableView, action: Action) -> TableNews:
        """Answer the open decision of a table. What the deal's end means for the table `watch` tells.

        Raises RefusedError STALE_DECISION where the deal has gone on, UNDER_EIGHT for a win that is none,
        SEAT_AWAY where the AI plays for this player by now.
        """
        request = calls.ActRequest(
            name=table.name,
            deal_number=table.deal.number,
            decision=table.deal.decision,
            action=action_message(action),
            request_id=str(uuid4()),
        )
        answer = await self._link.calls.unary(self._stub.Act, request, MOVE_DEADLINE_S)
        return news_after(table, answer.update)

    async def leave(self, table: TableView) -> TableNews:
        """Leave the seat to the AI; this player may sit elsewhere at once."""
        request = calls.LeaveTableRequest(name=table.name, request_id=str(uuid4()))
        answer = await self._link.calls.unary(self._stub.LeaveTable, request, MOVE_DEADLINE_S)
        return news_after(table, answer.update)

    async def come_back(self, table: TableView) -> TableNews:
        """Take the seat back. Raises RefusedError ALREADY_SEATED where this player sits elsewhere by now."""
        request = calls.ReturnToTableRequest(name=table.name, request_id=str(uuid4()))
        answer = await self._link.calls.unary(self._stub.ReturnToTable, request, MOVE_DEADLINE_S)
        return news_after(table, answer.update)

    async def watch(self, name: str) -> AsyncGenerator[TableNews, None]:
        """Yield how a table stands, then everything that happens there, once, until it has closed.

        While this is read the seat is this player's: where the stream is lost for 30 s the AI plays, until it
        is opened again. Streams that break are opened again where they were left. Raises UnreachableError
        once none could be opened for as long as retries go on, and RefusedError SEAT_TAKEN_OVER where
        another device plays.
        """
        place = _Place()
        failing_since: float | None = None
        while True:
            gone: UnreachableError | LimitError = UnreachableError(
                "STREAM_ENDED", grpc.StatusCode.UNAVAILABLE, "the stream ended before the table closed"
            )
            try:
                async with aclosing(self._one_stream(name, place)) as stream:
                    async for news in stream:
                        failing_since = None
                        yield news
                if place.is_over:
                    return
            except (UnreachableError, LimitError) as error:
                gone = error
            now = asyncio.get_running_loop().time()
            failing_since = now if failing_since is None else failing_since
            if now - failing_since > self._link.retries.for_s:
                raise gone
            pause_s = min(0.05 + (now - failing_since) / 2, 1.0)
            await asyncio.sleep(max(pause_s, (gone.retry_after_ms or 0) / 1000))

    async def _one_stream(self, name: str, place: _Place) -> AsyncGenerator[TableNews, None]:
        token = await self._link.session.token()
        request = calls.WatchTableRequest(name=name, resume_token=place.resume_token)
        call = self._stub.WatchTable(request, metadata=bearer_metadata(token, self._link.session.language))
        try:
            while (message := await _read(call)) is not None:
                place.resume_token = message.resume_token or place.resume_token
                match message.WhichOneof("kind"):
                    case "snapshot":
                        place.table = table_of(message.snapshot)
                        yield TableNews((), place.table)
                    case "update":
                        assert place.table is not None, "a snapshot comes first"
                        news = news_after(place.table, message.update)
                        place.table = news.table
                        yield news
                    case "end":
                        _check_end(message.end.reason, message.end.text)
                        place.is_over = message.end.reason == "MATCH_ENDED"
                        return
                    case _:
                        continue
        except SignInError:
            await self._link.session.renew(token)
        except RefusedError as refused:
            if refused.reason not in _STALE_TOKEN or not place.resume_token:
                raise
            place.resume_token = ""  # too old to go on from: a snapshot tells where the table stands
        finally:
            call.cancel()


@dataclass(slots=True)
class _Place:
    """How far a reader has come."""

    resume_token: str = ""
    table: TableView | None = None
    is_over: bool = False


def table_of(told: wire.TableView) -> TableView:
    """A table as the server tells it."""
    deal = deal_of(told.deal)
    table = TableView("", (), 0, False, (), None, deal, reveal_of(told))
    return _with_summary(table, told.summary)


def news_after(table: TableView, told: wire.TableUpdate) -> TableNews:
    """What an update makes of a table."""
    after = replace(table, deal=deal_of(told.deal), reveal=reveal_of(told))
    if told.HasField("summary"):
        after = _with_summary(after, told.summary)
    return TableNews(tuple(map(happening_of, told.happenings)), after)


def summary_of(told: wire.TableSummary) -> TableSummary:
    """A table without its deal, as the server tells it."""
    return TableSummary(
        name=told.name,
        seats=tuple(TableSeat(seat.player, level_of(seat.ai_level), seat.points) for seat in told.seats),
        deal_count=told.deal_count,
        private=told.private,
        rows=tuple(DealRow(row.number, row.dealer, outcome_of(row.outcome)) for row in told.rows),
        closing=_CLOSINGS.get(told.closing),
    )


def _with_summary(table: TableView, told: wire.TableSummary) -> TableView:
    summary = summary_of(told)
    return replace(table, **{each.name: getattr(summary, each.name) for each in fields(summary)})


def reveal_of(told: wire.TableView | wire.TableUpdate | history.TableReplay) -> Reveal | None:
    """What the commitment of a deal covered; None while it goes on."""
    if not told.HasField("reveal"):
        return None
    return Reveal(told.reveal.wall_version, told.reveal.seed, told.reveal.nonce)


def _check_end(reason: str, text: str) -> None:
    """Raise where another device follows the table now."""
    if reason == "SEAT_TAKEN_OVER":
        message = "another device plays at this table now"
        raise RefusedError(reason, grpc.StatusCode.FAILED_PRECONDITION, message, localized=text)


async def _read(
    call: grpc.aio.UnaryStreamCall[calls.WatchTableRequest, calls.WatchTableResponse],
) -> calls.WatchTableResponse | None:
    """Return the next message; none where the stream ended or fell silent."""
    try:
        response = await asyncio.wait_for(call.read(), SILENCE_S)
    except TimeoutError:
        return None
    except grpc.aio.AioRpcError as failure:
        raise error_of(failure) from None
    return response if isinstance(response, calls.WatchTableResponse) else None


_CLOSINGS: Final[Mapping[int, Closing]] = {
    words.TABLE_CLOSING_PLAYED: Closing.PLAYED,
    words.TABLE_CLOSING_ABANDONED: Closing.ABANDONED,
    words.TABLE_CLOSING_ABORTED: Closing.ABORTED,
}
