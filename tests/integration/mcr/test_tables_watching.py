"""What a seat is told of a table: everything once through all deals, and nothing that it may not know."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from libs.eventsourcing.ids import uuid7
from libs.pb.sparrow.mcr.v1 import table_pb2
from libs.pb.sparrow.mcr.v1 import table_service_pb2 as pb
from libs.rules.mcr.commitment import wall_commitment
from services.mcr.domain.deal.events import DealDealt
from services.mcr.domain.deal.evolve import evolve, initial
from services.mcr.domain.deal.happenings import happening
from services.mcr.domain.deal.state import NotDealt
from services.mcr.domain.deal.terms import Ai, Person
from services.mcr.tables.begin import NewTable
from services.mcr.wire.tables import happening_message
from tests.support.edge import refused
from tests.support.mcr_hall import OVER, QUICK, TableHall, TablePlayer, id_of, tables_served
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(120)
DEALS = 2


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[TableHall]:
    """The served tables."""
    async with tables_served(database_url, **QUICK) as served:
        yield served


async def expected(hall: TableHall, name: str, seat: int) -> list[table_pb2.Happening]:
    """What a seat is told of all deals of a table, by their facts."""
    found = []
    for deal_id in await hall.deals(id_of(name)):
        told = [happening(fact, seat) for fact in await hall.deal_facts(deal_id)]
        found += [happening_message(each) for each in told if each is not None]
    return found


def happened(messages: list[pb.WatchTableResponse]) -> list[table_pb2.Happening]:
    """What messages told, in their order."""
    return [each for message in messages for each in message.update.happenings]


async def test_a_stream_tells_every_deal_and_goes_on_from_any_place(hall: TableHall) -> None:
    """Each fact that the seat may know, once, across the change of deals, in one stream or in many."""
    ana = TablePlayer(hall.edge)
    name = (await ana.open(DEALS)).summary.name
    following = ana.follow(name)
    pieces = TablePlayer(hall.edge, ana.account_id, ana.session_id)
    in_pieces = asyncio.create_task(hear_in_pieces(pieces, name))
    await until(lambda: bool(ana.told and pieces.told))
    closed = await hall.play_out(name, ana)
    await asyncio.wait_for(asyncio.gather(following, in_pieces), 30)
    snapshot, *changes, end = ana.told
    facts, told = await expected(hall, name, 0), happened(changes)
    summaries = [each.update.summary for each in changes if each.update.HasField("summary")]

    assert snapshot.snapshot.deal.number == 1
    assert told == facts[-len(told) :]
    assert [each.kind for each in facts[: -len(told)]].count(table_pb2.HAPPENING_KIND_DEALT) == 1
    assert end.end.reason == "MATCH_ENDED"
    assert [len(each.rows) for each in summaries] == [0, 1, 1, 2][-len(summaries) :]
    assert summaries[-1] == closed.summary
    assert [bool(each.closing) for each in summaries[-2:]] == [False, True]

    heard = happened(pieces.told)
    assert heard == facts[-len(heard) :]
    places = pieces.told[:-1]
    for place in places[:: max(1, len(places) // 12)]:
        again = [message async for message in ana.watch(name, place.resume_token)]
        first = len(happened(pieces.told[: pieces.told.index(place) + 1]))
        assert happened(again) == heard[first:]
        assert again[-1].end.reason == "MATCH_ENDED"
    assert len({len(place.resume_token) for place in places}) == 1


async def hear_in_pieces(player: TablePlayer, name: str) -> None:
    """Follow a table by many short streams, each from where the one before was left."""
    token = ""
    while True:
        stream = player.watch(name, token)
        for _ in range(4):
            message = await stream.read()
            player.told.append(message)
            token = message.resume_token
            if message.HasField("end"):
                return
        stream.cancel()


async def test_tokens_and_streams_of_others_are_refused(hall: TableHall) -> None:
    """A token is of its table; a table is of those who sit there."""
    ana, ben = TablePlayer(hall.edge), TablePlayer(hall.edge)
    mine, other = (await ana.open()).summary.name, (await ben.open()).summary.name
    stream = ana.watch(mine)
    token = (await stream.read()).resume_token
    stream.cancel()
    stranger = await refused(ben.watch(mine).read())
    crossed = await refused(ben.watch(other, token).read())
    forged = await refused(ana.watch(mine, token[:-2] + "AA").read())
    nobody = await refused(ana.table(f"tables/{ana.account_id}"))

    assert stranger.reason == "NOT_YOURS"
    assert {crossed.reason, forged.reason} == {"RESUME_TOKEN_INVALID"}
    assert nobody.reason == "NOT_FOUND"


async def test_no_byte_to_a_seat_tells_another_hand_the_wall_or_the_seed(hall: TableHall) -> None:
    """Everything sent to two persons at a table, streams and answers, against what each may know then."""
    ana, ben = TablePlayer(hall.edge), TablePlayer(hall.edge)
    table_id = uuid7(hall.edge.clock.now(), bytes(10))
    occupants = (Person(ana.account_id), Ai(), Person(ben.account_id), Ai())
    await hall.seat(NewTable(table_id, occupants))
    name = f"tables/{table_id}"
    following = [ana.follow(name), ben.follow(name)]
    await until(lambda: bool(ana.told and ben.told))
    await hall.play_out(name, ana, ben)
    await asyncio.wait_for(asyncio.gather(*following), 10)
    for deal_id in await hall.deals(table_id):
        facts = await hall.deal_facts(deal_id)
        dealt = facts[0]
        assert isinstance(dealt, DealDealt)
        for seat, player in ((0, ana), (2, ben)):
            sent = [*player.told, *player.answers]
            before = [each for each in sent if deal_of(each) is not None and not is_over(each)]
            of_deal = [each for each in before if number_of(each) == dealt.terms.number]
            assert of_deal
            for secret in (dealt.wall.seed, dealt.wall.nonce, bytes(dealt.wall.tiles)):
                assert all(secret not in each.SerializeToString() for each in of_deal)
            check_tiles(of_deal, facts, seat)
            last = next(each for each in player.told if deal_of(each) is not None and is_over(each))
            reveal = body_of(last).reveal
            covered = wall_commitment(reveal.nonce, reveal.seed, reveal.wall_version)
            assert covered == deal_of(last).commitment


def body_of(message: Any) -> Any:
    """The table or the update in a message."""
    for field in ("snapshot", "update", "table"):
        if field in message.DESCRIPTOR.fields_by_name and message.HasField(field):
            return getattr(message, field)
    return None


def deal_of(message: Any) -> Any:
    """The deal in a message."""
    body = body_of(message)
    return None if body is None else body.deal


def number_of(message: Any) -> int:
    """Which deal a message is about."""
    return int(deal_of(message).number)


def is_over(message: Any) -> bool:
    """Whether the deal in a message is over."""
    return bool(deal_of(message).phase == OVER)


def check_tiles(messages: list[Any], facts: list[Any], seat: int) -> None:
    """Every tile that was told is one that the seat had seen by the end of the deal, as the rules say."""
    seen: set[int] = set()
    state: Any = initial()
    for fact in facts:
        state = evolve(state, fact)
        assert not isinstance(state, NotDealt)
        table = state.table
        seen |= set(table.hands[seat])
        for each in range(4):
            seen |= {*table.flowers[each], *table.discards[each]}
            open_melds = [meld for meld in table.melds[each] if meld.is_exposed or each == seat]
            seen |= {tile for meld in open_melds for tile in meld.tiles}
        seen |= {tile for tile in (getattr(state, "tile", None),) if tile is not None}
    told: set[int] = set()
    for message in messages:
        deal = deal_of(message)
        for number, place in enumerate(deal.seats):
            assert number == seat or not place.hand
            told |= {*place.hand, *place.flowers, *place.discards}
            told |= {tile for meld in place.melds for tile in meld.tiles}
        for action in (*deal.open_decision.actions, deal.answer):
            told |= set(action.tiles)
        body = body_of(message)
        for each in getattr(body, "happenings", ()):
            told |= {each.tile} if each.HasField("tile") else set()
            told |= {each.replacement_tile} if each.HasField("replacement_tile") else set()
            told |= {*each.kong_tiles, *each.claim.tiles}
        assert not body.HasField("reveal")
    assert told <= seen
