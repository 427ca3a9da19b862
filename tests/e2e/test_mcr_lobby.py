"""How MCR tables form on a real installation: strangers, friends, and the same persons again."""

from __future__ import annotations

import asyncio

import pytest

from libs.client.client import SparrowClient
from libs.client.deal_views import Action, ActionKind, AiLevel, DealView
from libs.client.errors import RefusedError, SparrowError
from libs.client.rematches import RematchState
from libs.client.tables import Closing, TableView
from libs.client.tickets import TicketState
from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(120)


def quietly(deal: DealView) -> Action:
    """Pass, win, or lay down what can be laid down last."""
    by_kind = {action.kind: action for action in deal.actions}
    preferred = (ActionKind.WIN, ActionKind.PASS, ActionKind.DISCARD)
    return next(by_kind[kind] for kind in preferred if kind in by_kind)


async def play(client: SparrowClient, name: str) -> TableView:
    """Act whenever this player can, until the table has closed."""
    last: TableView | None = None
    async for news in client.tables.watch(name):
        last = news.table
        if last.deal.actions:
            try:
                await client.tables.act(last, quietly(last.deal))
            except SparrowError as late:
                assert late.reason in {"STALE_DECISION", "MATCH_ENDED", "ALREADY_ANSWERED"}, late  # noqa: PT017
    assert last is not None
    return last


async def test_two_strangers_and_two_ai_players_play_and_play_again(
    sparrow_server: Installation, client: SparrowClient
) -> None:
    """By the queue, which fills the table; the rematch has the same persons, and one yes is not enough."""
    async with await SparrowClient.connect(sparrow_server.endpoint) as other:
        waiting = await client.lobby.queue(ai_level=AiLevel.EASY)
        also = await other.lobby.queue()
        name, same = await asyncio.gather(waiting.table(), also.table())
        with pytest.raises(RefusedError) as early:
            await client.lobby.accept(name)
        closed, _ = await asyncio.gather(play(client, name), play(other, name))
        offered = await client.lobby.accept(name)
        begun = await other.lobby.accept(name)
        told = [each async for each in client.lobby.follow_rematch(name)]
        assert begun.next_table is not None
        again = await client.tables.get(begun.next_table)
        for each in (client, other):
            await each.tables.leave(again)

    assert name == same
    assert early.value.reason == "NOT_FOUND"
    assert closed.closing is Closing.PLAYED
    assert (offered.state, begun.state, told[-1].state) == (
        RematchState.OPEN,
        RematchState.BEGUN,
        RematchState.BEGUN,
    )
    persons = {client.profile.name, other.profile.name}
    for table in (closed, again):
        assert {seat.player for seat in table.seats} == {*persons, ""}
        assert [seat.ai_level for seat in table.seats if not seat.player] == [AiLevel.EASY] * 2


async def test_a_private_table_waits_through_the_death_of_processes(
    sparrow_server: Installation, client: SparrowClient
) -> None:
    """The friend finds it by its link; the one who waits is told over a stream that went on by itself."""
    invited = await client.lobby.invite(persons=2, deal_count=4)
    told = asyncio.create_task(invited.table())
    await asyncio.to_thread(sparrow_server.kill, "worker")
    await asyncio.to_thread(sparrow_server.kill, "serving")
    async with await SparrowClient.connect(sparrow_server.endpoint) as friend:
        joined = await friend.lobby.join(invited.ticket.invitation_link)
        name = await asyncio.wait_for(told, 30)
        assert await joined.table() == name
        table = await friend.tables.get(name)
        for each in (client, friend):
            await each.tables.leave(table)

    assert (table.private, table.deal_count) == (True, 4)
    assert {seat.player for seat in table.seats} == {client.profile.name, friend.profile.name, ""}


async def test_who_stops_waiting_may_wait_again(client: SparrowClient) -> None:
    """A second call goes on with the ticket that waits; cancelled, there is another one."""
    first = await client.lobby.queue(16)
    assert (await client.lobby.queue(16)).ticket.name == first.ticket.name
    cancelled = await first.cancel()
    second = await client.lobby.queue(16)
    await second.cancel()

    assert cancelled.state is TicketState.CANCELLED
    assert second.ticket.name != first.ticket.name
