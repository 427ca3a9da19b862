"""The ledger over gRPC, behind the real edge, on a real PostgreSQL."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import grpc
import pytest

from libs.pb.sparrow.ledger.v1 import ledger_pb2
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as pb
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2_grpc as pb_grpc
from services.ledger.servicer import bind
from services.ledger.wire.messages import timestamp
from tests.support.edge import Edge, refused, serving
from tests.support.ledger_bench import LedgerBench

AMR, WEEKLY, DAILY = ledger_pb2.BOARD_AMR, ledger_pb2.BOARD_WEEKLY, ledger_pb2.BOARD_DAILY


@dataclass
class Served:
    """A served ledger, and its work driven by hand."""

    edge: Edge
    bench: LedgerBench
    stub: Any

    def order(self, player: UUID, points: int = 20, **changed: Any) -> pb.PostTransferRequest:
        """Return a request that posts points to a player."""
        fields: dict[str, Any] = {
            "key": f"match/{uuid4()}/quick/{player}",
            "asset": ledger_pb2.ASSET_POINTS,
            "debit": "house/points",
            "credit": f"players/{player}",
            "amount": points,
            "reason": "QUICK_MATCH",
            "occurred_time": timestamp(self.edge.clock.now()),
            "request_id": str(uuid4()),
        }
        return pb.PostTransferRequest(**{**fields, **changed})

    async def post(self, request: pb.PostTransferRequest) -> pb.PostTransferResponse:
        """Post as a service."""
        response: pb.PostTransferResponse = await self.stub.PostTransfer(
            request, metadata=self.edge.as_service()
        )
        return response

    async def page(self, metadata: Any, **fields: Any) -> pb.ListBoardEntriesResponse:
        """Return a page of a board."""
        request = pb.ListBoardEntriesRequest(**fields)
        response: pb.ListBoardEntriesResponse = await self.stub.ListBoardEntries(request, metadata=metadata)
        return response


@pytest.fixture
async def served(database_url: str) -> AsyncIterator[Served]:
    """A ledger at noon of 2026-03-02, its boards open."""
    async with serving([bind], database_url=database_url) as edge:
        bench = LedgerBench(edge.databases[0], edge.clock)
        await bench.settle()
        yield Served(edge, bench, pb_grpc.LedgerServiceStub(edge.channel))


async def test_a_posted_transfer_shows_on_all_three_boards_with_their_windows(served: Served) -> None:
    """Scenario O3: rows, ranks, and when each window began, ends, in which zone."""
    player = uuid4()
    posted = await served.post(served.order(player))
    await served.bench.settle()
    request = pb.GetStandingsRequest(player="players/me")
    reply = await served.stub.GetStandings(request, metadata=served.edge.as_player(player))

    assert (posted.transfer.day, posted.transfer.amount) == ("2026-03-02", 20)
    assert [row.window.board for row in reply.standings] == list(range(1, 11))
    assert [row.HasField("entry") for row in reply.standings] == [True] * 3 + [False] * 7
    assert [(row.entry.rank, row.entry.points) for row in reply.standings[:3]] == [(1, 20)] * 3
    windows = [
        ("2025-03-03", "2026-03-02"),
        ("2026-03-02", "2026-03-08"),
        ("2026-03-02", "2026-03-02"),
    ]
    assert [(row.window.first_day, row.window.last_day) for row in reply.standings] == [
        *windows,
        *windows,
        ("", ""),
        *windows,
    ]
    window = reply.standings[2].window
    assert window.start_time.ToDatetime(UTC) == datetime(2026, 3, 1, 22, tzinfo=UTC)
    assert window.end_time.ToDatetime(UTC) == datetime(2026, 3, 2, 22, tzinfo=UTC)
    assert window.time_zone == "Europe/Bucharest"


async def test_a_player_without_points_is_not_listed(served: Served) -> None:
    """The standing has a window and no entry; the page around such a player is the top page."""
    await served.post(served.order(uuid4()))
    await served.bench.settle()
    me = served.edge.as_player(uuid4())
    request = pb.GetStandingsRequest(player="players/me")
    standings = (await served.stub.GetStandings(request, metadata=me)).standings
    page = await served.page(me, board=AMR, anchor="players/me")

    assert [row.HasField("entry") for row in standings] == [False] * 10
    assert [row.player_count for row in standings] == [1] * 3 + [0] * 7
    assert (page.entries[0].rank, page.player_count, page.next_page_token) == (1, 1, "")


async def test_64_calls_with_one_key_get_one_transfer(served: Served) -> None:
    """Scenario E28: the losers of the race get the transfer, never an error."""
    order = served.order(uuid4(), key="match/1/quick/x")
    orders = [pb.PostTransferRequest() for _ in range(64)]
    for each in orders:
        each.CopyFrom(order)
        each.request_id = str(uuid4())

    replies = await asyncio.gather(*(served.post(each) for each in orders))

    assert len({reply.SerializeToString(deterministic=True) for reply in replies}) == 1
    assert await served.bench.count("SELECT count(*) FROM transfer") == 1


async def test_repeats_of_a_request_are_told_from_its_misuse(served: Served) -> None:
    """Same id and body: the first answer. Same id or key with other contents: refused by name."""
    order = served.order(uuid4(), key="match/2/quick/x", request_id="once")
    first = await served.post(order)
    again = await served.post(order)
    reused = await refused(served.post(served.order(uuid4(), request_id="once")))
    other = await refused(served.post(served.order(uuid4(), key="match/2/quick/x")))
    early = timestamp(served.edge.clock.now() - timedelta(hours=25))
    late = await refused(served.post(served.order(uuid4(), occurred_time=early)))
    spend = served.order(uuid4(), asset=ledger_pb2.ASSET_JOKER)
    spend.debit, spend.credit = spend.credit, "house/jokers"
    poor = await refused(served.post(spend))

    assert first == again
    assert [refusal.reason for refusal in (reused, other, late, poor)] == [
        "REQUEST_ID_REUSED",
        "KEY_REUSED",
        "OCCURRED_OUT_OF_RANGE",
        "BALANCE_TOO_LOW",
    ]
    assert {refusal.code for refusal in (reused, other, late, poor)} == {grpc.StatusCode.FAILED_PRECONDITION}


async def test_fields_that_no_transfer_can_have_are_refused_by_name(served: Served) -> None:
    """INVALID_ARGUMENT with the field, and nothing is posted."""
    wrong: list[tuple[str, Any]] = [
        ("key", "with space"),
        ("key", "k" * 201),
        ("debit", "house/"),
        ("debit", "houses/points"),
        ("credit", "players/me"),
        ("credit", "house/points"),
        ("amount", 0),
        ("amount", -1),
        ("amount", 10**12 + 1),
        ("reason", "lower"),
        ("asset", 99),
        ("request_id", "x" * 37),
    ]
    for field, value in wrong:
        refusal = await refused(served.post(served.order(uuid4(), **{field: value})))
        assert (refusal.code, refusal.field) == (grpc.StatusCode.INVALID_ARGUMENT, field)

    assert await served.bench.count("SELECT count(*) FROM transfer") == 0


async def test_players_neither_post_nor_read_the_transfers_of_others(served: Served) -> None:
    """PostTransfer is for services; ListTransfers for oneself, services and operators."""
    player, other = uuid4(), uuid4()
    await served.post(served.order(player))
    mine = pb.ListTransfersRequest(player=f"players/{player}")
    posting = await refused(
        served.stub.PostTransfer(served.order(player), metadata=served.edge.as_player(player))
    )
    reading = await refused(served.stub.ListTransfers(mine, metadata=served.edge.as_player(other)))
    own = await served.stub.ListTransfers(mine, metadata=served.edge.as_player(player))
    seen = await served.stub.ListTransfers(mine, metadata=served.edge.as_operator())

    assert (posting.code, posting.reason) == (grpc.StatusCode.PERMISSION_DENIED, "AUDIENCE")
    assert (reading.code, reading.reason) == (grpc.StatusCode.PERMISSION_DENIED, "NOT_YOURS")
    assert [row.amount for row in own.transfers] == [row.amount for row in seen.transfers] == [20]


async def test_page_tokens_serve_their_own_list_and_caller_for_15_minutes(served: Served) -> None:
    """Another list, another caller, nonsense: invalid. 15 minutes after the first page: expired."""
    for _ in range(9):
        await served.post(served.order(uuid4()))
    await served.bench.settle()
    player = uuid4()
    me = served.edge.as_player(player)
    first = await served.page(me, board=AMR, page_size=3)
    token = first.next_page_token
    wrong = [
        await refused(served.page(me, board=DAILY, page_size=3, page_token=token)),
        await refused(served.page(served.edge.as_player(), board=AMR, page_token=token)),
        await refused(served.page(me, board=AMR, page_token="nonsense")),
        await refused(
            served.stub.ListTransfers(
                pb.ListTransfersRequest(player="players/me", page_token=token), metadata=me
            )
        ),
    ]
    served.edge.clock.advance(timedelta(minutes=14))
    second = await served.page(me, board=AMR, page_size=3, page_token=token)
    served.edge.clock.advance(timedelta(minutes=1))
    again = served.edge.as_player(player)
    expired = await refused(served.page(again, board=AMR, page_token=second.next_page_token))

    assert {(refusal.code, refusal.reason) for refusal in wrong} == {
        (grpc.StatusCode.INVALID_ARGUMENT, "PAGE_TOKEN_INVALID")
    }
    assert len({row.player for row in [*first.entries, *second.entries]}) == 6
    assert (expired.code, expired.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "PAGE_EXPIRED")


async def test_page_sizes_have_a_default_and_a_maximum(served: Served) -> None:
    """0 gives 20, 10,000 gives 200, a negative one is refused."""
    for _ in range(21):
        await served.post(served.order(uuid4()))
    await served.bench.settle()
    me = served.edge.as_player()
    negative = await refused(served.page(me, board=AMR, page_size=-1))

    assert len((await served.page(me, board=AMR)).entries) == 20
    assert len((await served.page(me, board=AMR, page_size=10_000)).entries) == 21
    assert negative.field == "page_size"


async def test_past_midnight_a_read_waits_then_shows_one_day_and_never_a_mix(served: Served) -> None:
    """Without a closing it answers within about a second with yesterday's windows; with one, with today's."""
    player = uuid4()
    await served.post(served.order(player))
    await served.bench.settle()
    served.edge.clock.advance(timedelta(hours=10, seconds=1))
    request = pb.GetStandingsRequest(player=f"players/{player}")
    began = time.monotonic()
    stale = await served.stub.GetStandings(request, metadata=served.edge.as_player(player))
    waited_s = time.monotonic() - began
    waiting = asyncio.ensure_future(served.stub.GetStandings(request, metadata=served.edge.as_player(player)))
    await served.bench.settle()
    early = await waiting  # of either day: how long settling takes is up to the machine
    fresh = await served.stub.GetStandings(request, metadata=served.edge.as_player(player))

    assert early in (stale, fresh)
    assert waited_s >= 0.9  # how much longer is up to the machine
    assert {row.window.last_day for row in stale.standings[:3]} == {"2026-03-02", "2026-03-08"}
    assert [row.entry.points for row in stale.standings[:3]] == [20, 20, 20]
    assert [row.window.last_day for row in fresh.standings[:3]] == ["2026-03-03", "2026-03-08", "2026-03-03"]
    assert [row.entry.points for row in fresh.standings[:3]] == [20, 20, 0]


async def test_boards_that_never_opened_say_so(database_url: str) -> None:
    """Before the first closing there is no day to show: UNAVAILABLE, to be tried again."""
    async with serving([bind], database_url=database_url) as edge:
        stub = pb_grpc.LedgerServiceStub(edge.channel)
        me, then = edge.as_player(), timestamp(edge.clock.now())
        for call in (
            stub.ListBoardEntries(pb.ListBoardEntriesRequest(board=AMR), metadata=me),
            stub.ListBoardEntries(pb.ListBoardEntriesRequest(board=AMR, as_of_time=then), metadata=me),
            stub.ExplainStanding(
                pb.ExplainStandingRequest(player="players/me", board=AMR, as_of_time=then), metadata=me
            ),
            stub.GetStandingHistory(pb.GetStandingHistoryRequest(player="players/me"), metadata=me),
        ):
            refusal = await refused(call)
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "NOT_READY")


async def test_the_loops_do_all_this_by_themselves(database_url: str) -> None:
    """From a fresh database: a day opens, a posted transfer is sequenced and folded, a midnight passes."""
    async with serving([bind], database_url=database_url) as edge:
        service = await bind(edge.runtime)
        stop = asyncio.Event()
        tasks = [asyncio.ensure_future(loop.run(stop)) for loop in service.working]
        bench = LedgerBench(edge.databases[0], edge.clock)
        served = Served(edge, bench, pb_grpc.LedgerServiceStub(edge.channel))
        player = uuid4()
        request = pb.GetStandingsRequest(player=f"players/{player}")
        try:
            await served.post(served.order(player))
            today = await _until_points(served, request, [20, 20, 20])
            edge.clock.advance(timedelta(hours=24))
            tomorrow = await _until_points(served, request, [20, 20, 0])
        finally:
            stop.set()
            await asyncio.gather(*tasks)

    assert (today, tomorrow) == ("2026-03-02", "2026-03-03")


async def _until_points(served: Served, request: pb.GetStandingsRequest, points: list[int]) -> str:
    """Ask until the three boards show these points; return the day of the daily board."""
    async with asyncio.timeout(15):
        while True:
            reply = await served.stub.GetStandings(request, metadata=served.edge.as_service())
            if [row.entry.points for row in reply.standings[:3]] == points:
                day: str = reply.standings[2].window.last_day
                return day
            await asyncio.sleep(0.02)
