"""What may be asked about boards over gRPC, what is refused by which field, and what the answers carry."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import grpc
import pytest

from libs.pb.sparrow.ledger.v1 import ledger_pb2
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as pb
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2_grpc as pb_grpc
from services.ledger.servicer import bind
from services.ledger.wire.messages import timestamp
from tests.integration.ledger.test_service import Served
from tests.support.edge import refused, serving
from tests.support.ledger_bench import LedgerBench

AMR, DAILY, RATING = ledger_pb2.BOARD_AMR, ledger_pb2.BOARD_DAILY, ledger_pb2.BOARD_RACE_RATING


@pytest.fixture
async def served(database_url: str) -> AsyncIterator[Served]:
    """A ledger at noon of 2026-03-02, its boards open."""
    async with serving([bind], database_url=database_url) as edge:
        bench = LedgerBench(edge.databases[0], edge.clock)
        await bench.settle()
        yield Served(edge, bench, pb_grpc.LedgerServiceStub(edge.channel))


async def test_combinations_that_make_no_sense_are_refused_by_their_field(served: Served) -> None:
    """INVALID_ARGUMENT names the field; days begin with those that have begun, instants with the past."""
    me = served.edge.as_player()
    now = timestamp(served.edge.clock.now())
    later = timestamp(served.edge.clock.now() + timedelta(seconds=1))
    club = f"clubs/{uuid4()}"
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("day", {"board": AMR, "day": "2026-03-01"}),
        ("day", {"board": RATING, "day": "2026-03-01"}),
        ("day", {"board": DAILY, "day": "2026-3-1"}),
        ("day", {"board": DAILY, "day": "2026-W10-1"}),
        ("day", {"board": DAILY, "day": "2026-03-03"}),
        ("day", {"board": DAILY, "day": "1999-12-31"}),
        ("day", {"board": DAILY, "day": "2026-03-01", "as_of_time": now}),
        ("as_of_time", {"board": AMR, "as_of_time": later}),
        ("club", {"board": AMR, "club": "clubs/x"}),
        ("club", {"board": RATING, "club": club}),
        ("club", {"board": AMR, "club": club, "as_of_time": now}),
        ("with_previous_rank", {"board": DAILY, "day": "2026-03-01", "with_previous_rank": True}),
        ("with_previous_rank", {"board": DAILY, "as_of_time": now, "with_previous_rank": True}),
        ("with_previous_rank", {"board": DAILY, "club": club, "with_previous_rank": True}),
        ("anchor", {"board": DAILY, "anchor": "players/x"}),
    ]
    for field, fields in wrong:
        refusal = await refused(served.page(me, **fields))
        assert (refusal.code, refusal.field) == (grpc.StatusCode.INVALID_ARGUMENT, field), fields
    for days in (-1, 731):
        request = pb.GetStandingHistoryRequest(player="players/me", days=days)
        assert (await refused(served.stub.GetStandingHistory(request, metadata=me))).field == "days"


async def test_what_is_not_there_is_not_found(served: Served) -> None:
    """A club that nobody made, and an instant before any board was shown."""
    me = served.edge.as_player()
    club = await refused(served.page(me, board=AMR, club=f"clubs/{uuid4()}"))
    early = await refused(served.page(me, board=AMR, as_of_time=timestamp(datetime(2020, 1, 1, tzinfo=UTC))))

    assert {club.code, early.code} == {grpc.StatusCode.NOT_FOUND}


async def test_a_token_goes_on_with_its_own_question_only(served: Served) -> None:
    """Another day, or movement besides, is another list."""
    for _ in range(5):
        await served.post(served.order(uuid4()))
    await served.bench.settle()
    player = uuid4()
    me = served.edge.as_player(player)
    token = (await served.page(me, board=DAILY, page_size=2)).next_page_token
    moved = await refused(served.page(me, board=DAILY, page_token=token, with_previous_rank=True))
    of_day = await refused(served.page(me, board=DAILY, page_token=token, day="2026-03-02"))

    assert {moved.reason, of_day.reason} == {"PAGE_TOKEN_INVALID"}


async def test_an_explanation_leads_to_match_level_and_event_page_by_page(served: Served) -> None:
    """Newest first; over all pages the contributions sum to the standing, which stays as of the first."""
    player = uuid4()
    match = uuid4()
    keys = [f"match/{match}/quick/{player}", f"level/17/first/{player}", "prize/x"]
    for key in keys:
        await served.post(served.order(player, 20, key=key))
    await served.bench.settle()
    me = served.edge.as_player(player)
    request = pb.ExplainStandingRequest(player="players/me", board=AMR, page_size=2)
    first = await served.stub.ExplainStanding(request, metadata=me)
    await served.post(served.order(player, 5))
    await served.bench.settle()
    request.page_token = first.next_page_token
    second = await served.stub.ExplainStanding(request, metadata=me)
    rows = [*first.contributions, *second.contributions]

    assert [row.transfer.key for row in rows] == keys[::-1]
    assert [row.subject for row in rows] == ["", "levels/17", f"matches/{match}"]
    assert sum(row.points for row in rows) == first.standing.entry.points == 60
    assert second.standing == first.standing
    assert second.next_page_token == ""


async def test_players_explain_their_own_standings_only(served: Served) -> None:
    """An operator explains anybody's; a player is refused by name."""
    player = uuid4()
    await served.post(served.order(player))
    await served.bench.settle()
    request = pb.ExplainStandingRequest(player=f"players/{player}", board=DAILY)
    refusal = await refused(served.stub.ExplainStanding(request, metadata=served.edge.as_player()))
    seen = await served.stub.ExplainStanding(request, metadata=served.edge.as_operator())

    assert refusal.reason == "NOT_YOURS"
    assert [row.points for row in seen.contributions] == [20]


async def test_movement_and_history_over_the_wire(served: Served) -> None:
    """Yesterday's leader falls to second, the newcomer has no rank of before; the year knows both days."""
    old, new = uuid4(), uuid4()
    await served.post(served.order(old, 20))
    await served.bench.settle()
    served.edge.clock.advance(timedelta(hours=12))
    await served.bench.settle()
    await served.post(served.order(new, 30))
    await served.bench.settle()
    me = served.edge.as_player(old)
    page = await served.page(me, board=AMR, with_previous_rank=True)
    request = pb.GetStandingHistoryRequest(player="players/me", days=3)
    days = (await served.stub.GetStandingHistory(request, metadata=me)).days

    rows = [(row.player, row.rank, row.previous_rank) for row in page.entries]
    assert rows == [(f"players/{new}", 1, 0), (f"players/{old}", 2, 1)]
    assert [(day.day, day.points, day.amr_points, day.amr_rank) for day in days] == [
        ("2026-03-01", 0, 0, 0),
        ("2026-03-02", 20, 20, 1),
        ("2026-03-03", 0, 20, 2),
    ]


async def test_a_top_page_from_ready_bytes_is_the_same_page_for_all(served: Served) -> None:
    """Asked twice, by two callers, it is equal but for the token, and both tokens go on."""
    for points in (5, 10, 15, 20, 25):
        await served.post(served.order(uuid4(), points))
    await served.bench.settle()
    callers = [served.edge.as_player() for _ in range(3)]
    pages = [await served.page(caller, board=AMR, page_size=2) for caller in callers]
    nexts = [
        await served.page(caller, board=AMR, page_size=2, page_token=page.next_page_token)
        for caller, page in zip(callers, pages, strict=True)
    ]
    await served.post(served.order(uuid4(), 100))
    await served.bench.settle()
    fresh = await served.page(callers[0], board=AMR, page_size=2)

    for found in (pages, nexts):
        assert len({row.SerializeToString() for page in found for row in page.entries}) == 2
    assert [row.points for row in nexts[0].entries] == [15, 10]
    assert [row.points for row in fresh.entries] == [100, 25]
