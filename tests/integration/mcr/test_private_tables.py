"""Friends find one table by a code; AI players take the seats that are for nobody."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator

import pytest

from libs.pb.sparrow.mcr.v1 import deal_pb2, lobby_pb2
from services.mcr.domain.session.events import TableOpened
from tests.support.edge import refused
from tests.support.mcr_hall import TableHall, id_of
from tests.support.mcr_lobby import LobbyPlayer, lobby_served

JOINS = int(os.environ.get("SPARROW_TEST_JOINS", "20"))
"""1,000 in the long campaign."""
STRONG = deal_pb2.AI_LEVEL_STRONG
WAITING = lobby_pb2.TICKET_STATE_WAITING


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[TableHall]:
    """The lobby, served; time stands."""
    async with lobby_served(database_url) as served:
        yield served


def players(hall: TableHall, count: int) -> list[LobbyPlayer]:
    """Persons who have never met."""
    return [LobbyPlayer(hall.edge) for _ in range(count)]


async def test_a_private_table_begins_with_its_last_person(hall: TableHall) -> None:
    """Three persons and an AI player of the level that was asked for; the terms say that it is private."""
    ana, ben, cem = players(hall, 3)
    ticket = await ana.invite(persons=3, deals=4, level=STRONG)
    assert (await ben.join(ticket.invitation_link)).state == WAITING
    hall.step(seconds=60)
    assert (await ana.ticket()).state == WAITING
    await cem.join(ticket.invitation_code.lower())

    names = {await player.seated() for player in (ana, ben, cem)}

    (name,) = names
    told = (await ana.table(name)).summary
    (opened, *_rest) = await hall.table_facts(id_of(name))
    assert isinstance(opened, TableOpened)
    assert opened.terms.private
    assert (told.private, told.deal_count) == (True, 4)
    assert {seat.player for seat in told.seats} == {ana.name, ben.name, cem.name, ""}
    assert sum(seat.ai_level == STRONG for seat in told.seats) == 1


async def test_a_private_table_is_for_four_unless_it_says_otherwise(hall: TableHall) -> None:
    """Its ticket tells code, link, and how many persons."""
    (ana,) = players(hall, 1)
    ticket = await ana.invite()

    assert (ticket.persons, ticket.deal_count, ticket.ai_level) == (4, 1, deal_pb2.AI_LEVEL_MIDDLE)
    assert ticket.invitation_link == f"sparrow:table/{ticket.invitation_code}"
    assert len(ticket.invitation_code) == 8


async def test_whoever_is_invited_waits_in_no_queue(hall: TableHall) -> None:
    """A stranger who waits sits down with AI players alone."""
    ana, stranger = players(hall, 2)
    await ana.invite(persons=2)
    await stranger.queue()
    hall.step(seconds=20)
    table = await stranger.table(await stranger.seated())

    assert sum(bool(seat.player) for seat in table.summary.seats) == 1
    assert (await ana.ticket()).state == WAITING


@pytest.mark.parametrize("persons", [1, 5, -1])
async def test_other_numbers_of_persons_are_refused(hall: TableHall, persons: int) -> None:
    """Two to four."""
    (ana,) = players(hall, 1)
    told = await refused(ana.invite(persons=persons))
    assert (told.reason, told.field) == ("FIELD_INVALID", "persons")


async def test_codes_that_lead_nowhere_are_told_apart(hall: TableHall) -> None:
    """A table that waits no more, one that never was, what is no code, and the link of another game."""
    ana, ben = players(hall, 2)
    ticket = await ana.invite(persons=2)
    await ana.cancel(ticket.name)
    over = await refused(ben.join(ticket.invitation_code))
    unknown = await refused(ben.join("ABCDEFGH"))
    no_code = await refused(ben.join("ABC"))
    other = await refused(ben.join(f"sparrow:game/{ticket.invitation_code}"))

    assert over.reason == "INVITATION_EXPIRED"
    assert (unknown.reason, unknown.metadata["name"]) == ("NOT_FOUND", "invitations/")
    assert {no_code.reason, other.reason} == {"FIELD_INVALID"}


async def test_codes_are_not_found_by_trying(hall: TableHall) -> None:
    """After ten wrong ones within ten minutes even the right one waits."""
    ana, ben = players(hall, 2)
    ticket = await ana.invite(persons=2)
    for number in range(10):
        assert (await refused(ben.join(f"ABCDEFG{number % 8 + 2}"))).reason == "NOT_FOUND"
    late = await refused(ben.join(ticket.invitation_code))
    hall.step(minutes=10)
    await ben.join(ticket.invitation_code)

    assert (late.reason, late.retry_after_ms) == ("RATE_LIMIT", 600_000)
    assert await ana.seated() == await ben.seated()


async def test_nobody_takes_two_seats_of_one_table(hall: TableHall) -> None:
    """The ticket that waits is named."""
    (ana,) = players(hall, 1)
    ticket = await ana.invite(persons=2)
    told = await refused(ana.join(ticket.invitation_code))
    assert (told.reason, told.metadata["name"]) == ("ALREADY_QUEUED", ticket.name)


async def test_who_waits_sits_down_nowhere_else_meanwhile(hall: TableHall) -> None:
    """Neither against the AI at once nor at a table that was left: the ticket in the way is named."""
    ana, ben = players(hall, 2)
    left = (await ana.open()).summary.name
    await ana.leave(left)
    ticket = await ana.invite(persons=2)
    for told in (await refused(ana.open()), await refused(ana.come_back(left))):
        assert (told.reason, told.metadata["name"]) == ("ALREADY_QUEUED", ticket.name)
    await ben.join(ticket.invitation_code)

    assert await ana.seated() == await ben.seated()


@pytest.mark.timeout(600)
async def test_of_four_who_come_at_once_all_four_sit_down(hall: TableHall) -> None:
    """Through the queue and by a code, again and again: one table, and nobody is refused."""
    for _ in range(JOINS):
        four = players(hall, 4)
        await asyncio.gather(*(player.queue() for player in four))
        together = {await player.seated() for player in four}
        host, *friends = players(hall, 4)
        code = (await host.invite(persons=4)).invitation_code
        await asyncio.gather(*(friend.join(code) for friend in friends))
        invited = {await player.seated() for player in (host, *friends)}

        assert len(together) == len(invited) == 1
    rows = await hall.database.pool.fetch("SELECT count(*) AS persons FROM live_seat GROUP BY table_id")
    assert [row["persons"] for row in rows] == [4] * 2 * JOINS
