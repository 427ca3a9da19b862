"""Tables over gRPC on PostgreSQL: opened, played to their end, and what is refused at them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from uuid import uuid4

import grpc
import pytest

from libs.pb.sparrow.mcr.v1 import deal_pb2, deal_view_pb2, table_pb2
from libs.pb.sparrow.mcr.v1 import table_service_pb2 as pb
from services.mcr.domain.deal.events import TileDiscarded
from services.mcr.domain.deal.terms import By
from services.mcr.domain.session.events import DealFinished, TableClosed
from tests.support.edge import refused
from tests.support.mcr_hall import OVER, QUICK, TableHall, TablePlayer, id_of, quietly, tables_served

pytestmark = pytest.mark.timeout(120)
STRONG = deal_pb2.AI_LEVEL_STRONG


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[TableHall]:
    """The served tables."""
    async with tables_served(database_url, **QUICK) as served:
        yield served


@pytest.fixture
def ana(hall: TableHall) -> TablePlayer:
    """A player."""
    return TablePlayer(hall.edge)


async def own_turn(hall: TableHall, player: TablePlayer, name: str) -> table_pb2.TableView:
    """Wait, answering claims, until the player is to discard."""
    return await hall.play_out(name, player, until=lambda table: is_turn(table.deal))


def is_turn(deal: deal_view_pb2.DealView) -> bool:
    """Whether the viewer is to discard."""
    return any(each.kind == deal_view_pb2.ACTION_KIND_DISCARD for each in deal.open_decision.actions)


async def test_a_person_plays_a_table_of_two_deals_against_the_ai(hall: TableHall, ana: TablePlayer) -> None:
    """The snapshot holds all it takes; the log says whose points they are; seats and timers are free."""
    table = await ana.open(2, STRONG)
    name, deal = table.summary.name, table.deal
    closed = await hall.play_out(name, ana)
    facts = await hall.table_facts(id_of(name))
    rows = [
        await hall.database.pool.fetchval(f"SELECT count(*) FROM {each}") for each in ("live_seat", "timer")
    ]

    assert [seat.ai_level for seat in table.summary.seats] == [0, STRONG, STRONG, STRONG]
    assert table.summary.seats[0].player == ana.name
    assert (deal.phase, deal.seat, deal.number) == (deal_view_pb2.DEAL_PHASE_DEALING, 0, 1)
    assert [len(seat.hand) > 0 for seat in deal.seats] == [True, False, False, False]
    assert deal.HasField("deadline_time")
    assert closed.summary.closing == deal_pb2.TABLE_CLOSING_PLAYED
    assert [row.number for row in closed.summary.rows] == [1, 2]
    assert [row.dealer for row in closed.summary.rows] == [deal.dealer, (deal.dealer + 1) % 4]
    assert closed.deal.phase == OVER
    assert sum(seat.points for seat in closed.summary.seats) == 0
    finished = [each for each in facts if isinstance(each, DealFinished)]
    assert {each.accounts for each in finished} == {(ana.account_id, None, None, None)}
    assert isinstance(facts[-1], TableClosed)
    assert rows == [0, 0]
    assert (await refused(ana.leave(name))).reason == "MATCH_ENDED"
    assert (await ana.open()).summary.name != name


async def test_what_is_sent_again_happens_once(hall: TableHall, ana: TablePlayer) -> None:
    """The same answer for the same request_id, later too; another body under it is refused."""
    first, second = await asyncio.gather(ana.open(request_id="open"), ana.open(request_id="open"))
    name = first.summary.name
    assert second.summary.name == name
    assert (await refused(ana.open(3, request_id="open"))).reason == "REQUEST_ID_REUSED"
    table = await own_turn(hall, ana, name)
    action = quietly(table.deal)
    told = await asyncio.gather(*(ana.act(name, table.deal, action, "act") for _ in range(3)))
    another = next(each for each in table.deal.open_decision.actions if each != action)
    other = await refused(ana.act(name, table.deal, another, "act"))
    closed = await hall.play_out(name, ana)
    late = await ana.act(name, table.deal, action, "act")
    facts = [
        each
        for each in await hall.deal_facts((await hall.deals(id_of(name)))[0])
        if isinstance(each, TileDiscarded) and each.seat == 0 and each.tile == action.tiles[0]
    ]
    assert told == [told[0]] * 3
    assert late == told[0]
    assert other.reason == "REQUEST_ID_REUSED"
    assert len(facts) == 1
    assert closed.summary.closing == deal_pb2.TABLE_CLOSING_PLAYED


async def test_what_the_deal_does_not_accept_is_refused_by_name(hall: TableHall, ana: TablePlayer) -> None:
    """And changes nothing: stale decisions, other deals, tiles that are not held, fields that cannot be."""
    ben = TablePlayer(hall.edge)
    name = (await ana.open()).summary.name
    early = await ana.table(name)
    tile = deal_view_pb2.Action(kind=deal_view_pb2.ACTION_KIND_DISCARD, tiles=[early.deal.seats[0].hand[0]])
    not_begun = await refused(ana.act(name, early.deal, tile))
    table = await own_turn(hall, ana, name)
    held = set(table.deal.seats[0].hand)
    absent = next(number for number in range(136) if number not in held)

    def asked(**changed: object) -> pb.ActRequest:
        request = pb.ActRequest(
            name=name,
            deal_number=table.deal.number,
            decision=table.deal.decision,
            action=quietly(table.deal),
            request_id=str(uuid4()),
        )
        request.MergeFrom(pb.ActRequest(**changed))  # type: ignore[arg-type]
        return request

    async def reason(player: TablePlayer, request: pb.ActRequest) -> str:
        return (await refused(player.stub.Act(request, metadata=player.metadata))).reason

    strange = deal_view_pb2.Action(kind=deal_view_pb2.ACTION_KIND_DISCARD, tiles=[absent])
    twice = deal_view_pb2.Action(kind=deal_view_pb2.ACTION_KIND_DISCARD, tiles=[1, 2])
    claim = deal_view_pb2.Action(kind=deal_view_pb2.ACTION_KIND_PASS)
    found = {
        "decision": await reason(ana, asked(decision=table.deal.decision + 1)),
        "next deal": await reason(ana, asked(deal_number=2)),
        "no deal": await reason(ana, asked(deal_number=17)),
        "stranger": await reason(ben, asked()),
    }
    for word, action in (("absent", strange), ("two tiles", twice), ("a claim", claim)):
        request = asked()
        request.action.CopyFrom(action)
        found[word] = await reason(ana, request)
    assert not_begun.reason == "NOT_STARTED"
    assert found == {
        "decision": "STALE_DECISION",
        "next deal": "STALE_DECISION",
        "no deal": "FIELD_INVALID",
        "stranger": "NOT_YOURS",
        "absent": "NO_SUCH_TILE",
        "two tiles": "FIELD_INVALID",
        "a claim": "NOTHING_TO_CLAIM",
    }
    assert (await ana.table(name)).deal == table.deal
    many = await refused(ana.open(17))
    assert (many.reason, many.field, many.code) == (
        "FIELD_INVALID",
        "deal_count",
        grpc.StatusCode.INVALID_ARGUMENT,
    )


async def test_a_seat_that_does_not_answer_discards_what_it_drew(hall: TableHall, ana: TablePlayer) -> None:
    """After its twenty seconds, whoever looks; a command at that instant is too late."""
    name = (await ana.open()).summary.name
    table = await own_turn(hall, ana, name)
    hall.step(seconds=20)
    late = await refused(ana.act(name, table.deal, quietly(table.deal)))
    facts = await hall.deal_facts((await hall.deals(id_of(name)))[0])
    timed_out = [each for each in facts if isinstance(each, TileDiscarded) and each.by is By.TIME]

    assert late.reason == "STALE_DECISION"
    assert [each.seat for each in timed_out] == [0]
    if table.deal.HasField("drawn_tile"):
        assert timed_out[0].tile == table.deal.drawn_tile
