"""Matches are found soon, with the bus and without it, and not twice running against the same opponent."""

from __future__ import annotations

import asyncio
import secrets
import statistics
import time
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.bus.port import Bus
from libs.pb.sparrow.match.v1 import ticket_pb2
from libs.queueing import store
from libs.queueing.matchmaker import KEPT_FOR
from libs.rules.pairing.choosing import Met
from services.match.domain.queueing import Queue
from services.match.queue.matchmaker import Matchmaker
from services.match.queue.store import free_seats
from tests.support.edge import Edge
from tests.support.queueing import DeafBus, QueuePlayer, begin_small_matches, queues_served

PAIRS = 40


def matchmaker_of(edge: Edge, queue: Queue = Queue.QUICK_MATCH) -> Matchmaker:
    """A matchmaker beside the server, one step at a time."""
    store = edge.databases[0].store
    return Matchmaker(
        store,
        begin_small_matches,
        edge.runtime.bus,
        edge.clock.now,
        secrets.token_bytes,
        queue=queue,
    )


async def _waits_ms(edge: Edge) -> list[float]:
    """From the second ticket's creation until both players are told, for many pairs one after the other."""
    waits: list[float] = []
    for _ in range(PAIRS):
        first, second = QueuePlayer(edge), QueuePlayer(edge)
        await first.create()
        told = asyncio.create_task(first.matched())
        await asyncio.sleep(0.03)
        began_s = time.monotonic()
        await second.create()
        assert await second.matched() == await told
        waits.append((time.monotonic() - began_s) * 1000)
    return sorted(waits)


@pytest.mark.parametrize("bus", [None, DeafBus()], ids=["hints", "no hints"])
async def test_a_match_is_found_within_a_second(
    database_url: str, bus: Bus | None, record_property: Callable[[str, object], None]
) -> None:
    """Once two wait both know their match within a second (p99), even when every hint is lost."""
    async with queues_served(database_url, bus=bus) as edge:
        waits = await _waits_ms(edge)
    record_property("wait_ms_p50", round(statistics.median(waits)))
    record_property("wait_ms_p99", round(waits[int(PAIRS * 0.99) - 1]))

    assert waits[int(PAIRS * 0.99) - 1] < 1_000


async def test_the_last_opponent_is_met_again_only_when_nobody_else_waits(database_url: str) -> None:
    """Ana and Ben have just played; Cem, who came last, plays Ana; then Ben and Cem have only each other."""
    async with queues_served(database_url, matchmaking=False) as edge:
        matchmaker = matchmaker_of(edge)
        ana, ben, cem = (QueuePlayer(edge) for _ in range(3))

        async def play(*players: QueuePlayer) -> list[str]:
            for player in players:
                await player.create()
            assert await matchmaker.step() == 1
            matches = [(await player.get()).match for player in players]
            async with edge.databases[0].engine.begin() as connection:
                for match in filter(None, set(matches)):
                    await free_seats(connection, UUID(match.removeprefix("matches/")))
            return matches

        first = await play(ana, ben)
        second = await play(ana, ben, cem)
        assert first[0] == first[1]
        assert second == [second[0], "", second[0]]
        assert (await play(cem))[0] == (await ben.get()).match
        again = await play(cem, ben)
        assert again[0] == again[1]


async def test_a_failing_beginning_leaves_everybody_waiting(database_url: str) -> None:
    """Whatever goes wrong while a match begins, nothing of it stays, and the next attempt finds them."""
    async with queues_served(database_url, matchmaking=False) as edge:
        players = [QueuePlayer(edge) for _ in range(2)]
        for player in players:
            await player.create()
        matchmaker = matchmaker_of(edge)

        async def fail(*_arguments: object) -> None:
            raise ZeroDivisionError

        failing = Matchmaker(
            edge.databases[0].store,
            fail,
            edge.runtime.bus,
            edge.clock.now,
            secrets.token_bytes,
            queue=Queue.QUICK_MATCH,
        )
        with pytest.raises(ZeroDivisionError):
            await failing.step()
        assert [(await player.get()).match for player in players] == ["", ""]
        assert await matchmaker.step() == 1
        assert len({(await player.get()).match for player in players}) == 1


async def test_who_is_seated_elsewhere_meanwhile_holds_up_nobody_but_the_own_table(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by the start of a group's race once the ticket has been taken: the others begin in the same step."""
    async with queues_served(database_url, matchmaking=False) as edge:
        ana, _ben, cem, dan = players = [QueuePlayer(edge) for _ in range(4)]
        for player in players:
            await player.create()
        last_opponents = store.last_opponents

        async def after_a_start(connection: AsyncConnection, queue: Queue, accounts: list[UUID]) -> Met:
            seated = "INSERT INTO live_seat VALUES ($1, $2, now())"
            await edge.databases[0].pool.execute(seated, ana.account_id, uuid4())
            return await last_opponents(connection, queue, accounts)

        monkeypatch.setattr(store, "last_opponents", after_a_start)
        assert await matchmaker_of(edge).step() == 1
        states = [(await player.get()).state for player in players]
        seats = await edge.databases[0].pool.fetch("SELECT account_id FROM live_seat")

    waiting, matched = ticket_pb2.TICKET_STATE_WAITING, ticket_pb2.TICKET_STATE_MATCHED
    assert states == [waiting, waiting, matched, matched]
    assert {row[0] for row in seats} == {ana.account_id, cem.account_id, dan.account_id}


async def test_tickets_are_kept_for_a_day(database_url: str) -> None:
    """Who was away finds the match by the ticket for a day; then it is forgotten."""
    async with queues_served(database_url, matchmaking=False) as edge:
        ana, ben = QueuePlayer(edge), QueuePlayer(edge)
        await ana.create()
        await ben.create()
        await matchmaker_of(edge).step()
        edge.clock.advance(KEPT_FOR)
        await matchmaker_of(edge).step()
        assert (await ana.get()).match
        edge.clock.advance(timedelta(milliseconds=1))
        await matchmaker_of(edge).step()
        count = await edge.databases[0].pool.fetchval("SELECT count(*) FROM ticket")

        assert count == 0


async def test_arenas_are_made_of_four_in_the_order_of_arrival(database_url: str) -> None:
    """Ten tables of forty-two, the last two wait on; the queue of quick matches is another."""
    async with queues_served(database_url, matchmaking=False) as edge:
        players = [QueuePlayer(edge) for _ in range(42)]
        for player in players:
            await player.create(queue=ticket_pb2.QUEUE_ARENA)
        assert await matchmaker_of(edge).step() == 0
        matchmaker = matchmaker_of(edge, Queue.ARENA)
        made = sum([await matchmaker.step() for _ in range(4)])
        matches = [(await player.get()).match for player in players]

    assert made == 10
    assert [len(set(matches[at : at + 4])) for at in range(0, 40, 4)] == [1] * 10
    assert len(set(matches[:40])) == 10
    assert matches[40:] == ["", ""]


async def test_nobody_sits_with_opponents_of_the_last_arena_while_others_wait(database_url: str) -> None:
    """Four who have played wait again with three others: the first one plays with those."""
    async with queues_served(database_url, matchmaking=False) as edge:
        four, three = ([QueuePlayer(edge) for _ in range(number)] for number in (4, 3))
        matchmaker = matchmaker_of(edge, Queue.ARENA)
        for player in four:
            await player.create(queue=ticket_pb2.QUEUE_ARENA)
        assert await matchmaker.step() == 1
        await edge.databases[0].pool.execute("DELETE FROM live_seat")
        for player in (*four, *three):
            await player.create(queue=ticket_pb2.QUEUE_ARENA)
        assert await matchmaker.step() == 1
        again = [(await player.get()).match for player in four]
        others = [(await player.get()).match for player in three]
        kept = await edge.databases[0].pool.fetchval(
            "SELECT cardinality(opponent_ids) FROM last_opponents WHERE account_id = $1", four[0].account_id
        )

    assert again[0] != ""
    assert again[1:] == ["", "", ""]
    assert others == [again[0]] * 3
    assert kept == 3


async def test_the_wait_for_an_arena_is_over_once_three_others_wait(database_url: str) -> None:
    """With fewer nobody knows."""
    async with queues_served(database_url, matchmaking=False) as edge:
        told = []
        for _ in range(4):
            ticket = await QueuePlayer(edge).create(queue=ticket_pb2.QUEUE_ARENA)
            told.append(ticket.HasField("expected_wait"))

    assert told == [False, False, False, True]
