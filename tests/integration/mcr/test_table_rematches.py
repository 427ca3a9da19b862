"""Playing again with the same persons: offered as a table's last deal ends, begun with those who say yes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from libs.pb.sparrow.mcr.v1 import deal_pb2, lobby_pb2
from libs.runtime.names import table_name
from services.mcr.domain.deal.terms import Ai, AiLevel, Occupant, Person
from services.mcr.domain.session.state import Closed, Table
from services.mcr.domain.session.terms import Closing, TableTerms
from services.mcr.lobby.store import offer_rematch
from tests.support.edge import refused
from tests.support.mcr_hall import QUICK, TableHall
from tests.support.mcr_lobby import LobbyPlayer, lobby_served

OPEN, BEGUN = lobby_pb2.REMATCH_STATE_OPEN, lobby_pb2.REMATCH_STATE_BEGUN
ACCEPTED, DECLINED = lobby_pb2.REMATCH_ANSWER_ACCEPTED, lobby_pb2.REMATCH_ANSWER_DECLINED
EASY = Ai(AiLevel.EASY)


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[TableHall]:
    """The lobby, served; time stands."""
    async with lobby_served(database_url, **QUICK) as served:
        yield served


async def over(
    hall: TableHall, *persons: LobbyPlayer, closing: Closing = Closing.PLAYED, **terms: Any
) -> str:
    """A table of these persons that closes now; its name."""
    seated: list[Occupant] = [Person(player.account_id) for player in persons]
    occupants = (*seated, *[EASY] * (4 - len(persons)))
    now = hall.edge.clock.now()
    table = Table(replace(TableTerms(uuid4(), occupants), **terms), 0, (), now)
    async with hall.database.store.transaction() as transaction:
        await offer_rematch(transaction, Closed(table, closing), now)
    return table_name(table.terms.table_id)


def players(hall: TableHall, count: int) -> list[LobbyPlayer]:
    """Persons."""
    return [LobbyPlayer(hall.edge) for _ in range(count)]


async def test_two_who_have_played_a_table_to_its_end_play_another(hall: TableHall) -> None:
    """The offer stands as the last deal ends; AI players sit with them again, of the same level."""
    ana, ben = players(hall, 2)
    await ana.queue(level=deal_pb2.AI_LEVEL_EASY)
    await ben.queue()
    hall.step(seconds=20)
    name = await ana.seated()
    assert (await refused(ana.offer(name))).reason == "NOT_FOUND"
    await hall.play_out(name, ana, ben)

    offered = await ana.offer(name)
    await ana.accept(name)
    begun = await ben.accept(name)

    assert (offered.state, begun.state) == (OPEN, BEGUN)
    assert {seat.player for seat in offered.seats} == {ana.name, ben.name}
    summary = (await ana.table(begun.next_table)).summary
    assert {seat.player for seat in summary.seats} == {ana.name, ben.name, ""}
    assert [seat.ai_level for seat in summary.seats if not seat.player] == [deal_pb2.AI_LEVEL_EASY] * 2
    assert (await ben.table(begun.next_table)).deal.number == 1


async def test_who_played_against_ai_players_alone_plays_again_alone(hall: TableHall) -> None:
    """At once: nobody's answer is awaited. As many deals, as private as before."""
    (ana,) = players(hall, 1)
    name = await over(hall, ana, deals=7, private=True)
    begun = await ana.accept(name)
    summary = (await ana.table(begun.next_table)).summary

    assert begun.state == BEGUN
    assert (summary.deal_count, summary.private) == (7, True)
    assert sum(bool(seat.player) for seat in summary.seats) == 1


async def test_of_four_those_begin_who_accept_in_time(hall: TableHall) -> None:
    """Two say yes, one no, one nothing: AI players take their seats thirty seconds after the end."""
    ana, ben, cem, dan = four = players(hall, 4)
    name = await over(hall, *four)
    listener = dan.listen(name)
    await ana.accept(name)
    await cem.decline(name)
    await ben.accept(name)
    assert (await ana.offer(name)).state == OPEN
    hall.step(seconds=30, milliseconds=60)
    told = await asyncio.wait_for(listener, 10)
    begun = await ana.offer(name)

    assert told[-1].end.reason == "BEGUN"
    assert told[-1].end.text
    assert [seat.answer for seat in begun.seats] == [ACCEPTED, ACCEPTED, DECLINED, 0]
    summary = (await ana.table(begun.next_table)).summary
    assert {seat.player for seat in summary.seats} == {ana.name, ben.name, ""}
    assert (await refused(dan.accept(name))).reason == "REMATCH_OVER"


async def test_two_where_one_says_no_have_none(hall: TableHall) -> None:
    """The one who accepted is free to wait elsewhere."""
    ana, ben = players(hall, 2)
    name = await over(hall, ana, ben)
    await ana.accept(name)
    declined = await ben.decline(name)
    await ana.queue()

    assert declined.state == lobby_pb2.REMATCH_STATE_DECLINED


async def test_an_offer_that_too_few_accept_expires(hall: TableHall) -> None:
    """Nothing begins, and it can be read for a day."""
    ana, ben = players(hall, 2)
    name = await over(hall, ana, ben)
    await ana.accept(name)
    hall.step(seconds=31)

    assert (await ben.offer(name)).state == lobby_pb2.REMATCH_STATE_EXPIRED
    hall.step(hours=23)
    assert (await ana.offer(name)).state == lobby_pb2.REMATCH_STATE_EXPIRED


@pytest.mark.parametrize("closing", [Closing.ABANDONED, Closing.ABORTED])
async def test_what_was_not_played_to_its_end_is_not_played_again(hall: TableHall, closing: Closing) -> None:
    """All had left, or the rules failed."""
    ana, ben = players(hall, 2)
    name = await over(hall, ana, ben, closing=closing)
    assert (await refused(ana.offer(name))).reason == "NOT_FOUND"


async def test_who_sits_or_waits_elsewhere_does_not_accept(hall: TableHall) -> None:
    """What is in the way is named; strangers are told that it is not theirs."""
    ana, ben, stranger = players(hall, 3)
    name = await over(hall, ana, ben)
    ticket = await ana.queue()
    table = await ben.open()
    waits, sits = await refused(ana.accept(name)), await refused(ben.accept(name))

    assert (waits.reason, waits.metadata["name"]) == ("ALREADY_QUEUED", ticket.name)
    assert (sits.reason, sits.metadata["name"]) == ("ALREADY_SEATED", table.summary.name)
    assert (await refused(stranger.offer(name))).reason == "NOT_YOURS"


async def test_who_accepted_and_sits_elsewhere_by_then_is_left_out(hall: TableHall) -> None:
    """Two of three begin; the third one is told elsewhere."""
    ana, ben, cem = players(hall, 3)
    name = await over(hall, ana, ben, cem)
    await ana.accept(name)
    await ana.open()
    await ben.accept(name)
    begun = await cem.accept(name)

    assert begun.state == BEGUN
    assert [seat.answer for seat in begun.seats] == [lobby_pb2.REMATCH_ANSWER_ELSEWHERE, ACCEPTED, ACCEPTED]


async def test_answers_that_cross_begin_one_table(hall: TableHall) -> None:
    """All four at once, each twice by the same request."""
    four = players(hall, 4)
    name = await over(hall, *four)
    ids = [str(uuid4()) for _ in four]
    twice = [*zip(four, ids, strict=True)] * 2
    told = await asyncio.gather(*(player.accept(name, request_id) for player, request_id in twice))
    tables = {each.next_table for each in told if each.next_table}
    seats = await hall.database.pool.fetchval("SELECT count(*) FROM live_seat")

    assert len(tables) == 1
    assert seats == 4


async def test_those_who_played_again_have_met(hall: TableHall) -> None:
    """In the queue the others come first."""
    ana, ben, cem, dan = players(hall, 4)
    name = await over(hall, ana, ben)
    await ana.accept(name)
    again = (await ben.accept(name)).next_table
    await ana.leave(again)
    await ben.leave(again)
    for player in (ana, ben, cem, dan):
        await player.queue(deals=1)
    assert await ana.seated() == await ben.seated(), "as soon as four wait nobody waits for others"
    for player in (ana, ben, cem):
        await player.leave(await player.seated())
        await player.queue(deals=1)
    hall.step(seconds=20)

    assert len({await player.seated() for player in (ana, ben, cem)}) == 1, "nobody else waits"
