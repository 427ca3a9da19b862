"""Spectating MCR tables over gRPC: what reaches a bystander, when, and who may be one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from datetime import datetime, timedelta

import grpc
import pytest

from libs.pb.sparrow.mcr.v1 import deal_pb2, deal_view_pb2, table_pb2
from services.mcr.domain.deal import events as ev
from tests.support.edge import refused
from tests.support.mcr_hall import QUICK, TableHall, TablePlayer, id_of
from tests.support.mcr_lobby import LobbyPlayer, lobby_served
from tests.support.mcr_spectators import TableSpectator, deal_in, shown_at, tiles_in
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(180)
DELAY_S = 5
OVER = deal_view_pb2.DEAL_PHASE_OVER


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[TableHall]:
    """The served tables and their lobby."""
    async with lobby_served(database_url, spectate_delay_s=DELAY_S, **QUICK) as served:
        yield served


def _laid_open(facts: Iterable[ev.Event]) -> set[int]:
    """The tiles that lie open by these facts: a plain scan, by what each fact says by itself."""
    found: set[int] = set()
    for fact in facts:
        match fact:
            case ev.TileDiscarded(tile=tile) | ev.KongAdded(tile=tile):
                found.add(tile)
            case ev.FlowerReplaced(flower=flower):
                found.add(flower)
            case ev.TileClaimed(claim=claim):
                found |= set(claim.tiles)
            case _:
                pass
    return found


async def _known(hall: TableHall, name: str, at: datetime) -> dict[int, tuple[set[int], bool]]:
    """By deal: what lay open by an instant, and whether it was over."""
    known = {}
    for number, deal_id in enumerate(await hall.deals(id_of(name)), 1):
        past = [fact for fact in await hall.deal_facts(deal_id) if fact.occurred_at <= at]
        known[number] = (_laid_open(past), any(isinstance(fact, ev.DealEnded) for fact in past))
    return known


async def test_no_byte_tells_what_a_bystander_could_not_see_at_the_shown_instant(hall: TableHall) -> None:
    """No hand, no drawn tile, no answer, no seed before the end of a deal; nothing before its time."""
    ana, spectator = TablePlayer(hall.edge), TableSpectator(hall.edge)
    name = (await ana.open()).summary.name
    listening = spectator.listen(name)
    await hall.play_out(name, ana)
    while not listening.done():
        hall.step(seconds=1)
        await asyncio.sleep(0.05)
    secrets = [
        secret
        for deal_id in await hall.deals(id_of(name))
        for fact in await hall.deal_facts(deal_id)
        if isinstance(fact, ev.DealDealt)
        for secret in (fact.wall.seed, fact.wall.nonce, bytes(fact.wall.tiles))
    ]

    assert spectator.told()[-1].end.reason == "MATCH_ENDED"
    assert len({len(message.resume_token) for message in spectator.heard}) == 1, "counts of answers show"
    told = 0
    for message, heard_at in zip(spectator.heard, spectator.heard_at, strict=True):
        assert (message.delay_ms, shown_at(message) <= heard_at - timedelta(seconds=DELAY_S)) == (5_000, True)
        deal = deal_in(message)
        if deal is None:
            continue
        known = await _known(hall, name, shown_at(message))
        may_see, is_over = known[deal.number]
        assert (deal.phase == OVER) <= is_over
        if deal.phase == OVER:
            continue
        told += 1
        assert not deal.HasField("seat")
        assert not deal.HasField("open_decision")
        assert set(tiles_in(deal)) <= may_see
        assert set(tiles_in(message.update)) <= may_see
        assert not any(secret in message.SerializeToString() for secret in secrets[3 * deal.number - 3 :])
        kinds = {happening.kind for happening in message.update.happenings}
        assert table_pb2.HAPPENING_KIND_ANSWERED not in kinds
    assert told > 20


async def test_a_stream_that_is_resumed_tells_what_one_tells_that_never_broke(hall: TableHall) -> None:
    """Every change of the deal once, then the next deal as it stands; the table with each deal's end."""
    ana, steady = TablePlayer(hall.edge), TableSpectator(hall.edge)
    before = TableSpectator(hall.edge)
    after = TableSpectator(hall.edge, before.account_id)
    name = (await ana.open(2)).summary.name
    listening, broken = steady.listen(name), before.listen(name)
    hall.step(seconds=DELAY_S)
    await hall.play_out(name, ana, until=lambda _table: len(before.told()) > 10)
    broken.cancel()
    closed = await hall.play_out(name, ana)
    hall.step(seconds=DELAY_S)
    await listening
    await after.listen(name, before.told()[-1].resume_token)

    assert _changes(before) + _changes(after) == _changes(steady)
    summaries = [message.update.summary for message in steady.told() if message.update.HasField("summary")]
    assert [len(summary.rows) for summary in summaries] == [1, 2]
    assert summaries[-1] == closed.summary
    assert after.told()[-2].snapshot.summary == closed.summary
    assert await steady.names() == []


def _changes(spectator: TableSpectator) -> list[bytes]:
    """What a spectator was told of the first deal, without what depends on when."""
    found = []
    for message in spectator.told():
        deal = deal_in(message)
        if deal is not None and deal.number == 1:
            told = message.update if message.HasField("update") else message.snapshot
            found.append(told.SerializeToString(deterministic=True))
    return found


async def test_whoever_has_a_seat_never_watches_the_table_not_even_after_leaving(hall: TableHall) -> None:
    """PERMISSION_DENIED, and it is not in their list."""
    ana = TablePlayer(hall.edge)
    name = (await ana.open()).summary.name
    watcher = TableSpectator(hall.edge, ana.account_id)
    refusals = [await refused(watcher.watch(name).read())]
    await ana.leave(name)
    hall.step(seconds=DELAY_S)
    refusals.append(await refused(watcher.watch(name).read()))

    for refusal in refusals:
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "SPECTATOR_SEATED")
    assert await watcher.names() == []


async def test_the_list_shows_the_tables_that_were_open_when_the_delay_began(hall: TableHall) -> None:
    """The newest first, in pages, with the number of AI players; unknown names are NOT_FOUND."""
    players = [TablePlayer(hall.edge) for _ in range(3)]
    names = []
    for player in players:
        names.append((await player.open()).summary.name)
        hall.step(milliseconds=1)
    spectator = TableSpectator(hall.edge)
    assert await spectator.names() == []
    hall.step(seconds=DELAY_S)
    first = await spectator.live(page_size=2)
    second = await spectator.live(page_size=2, page_token=first.next_page_token)

    assert [table.name for table in (*first.tables, *second.tables)] == names[::-1]
    assert (second.next_page_token, first.delay_ms) == ("", 5_000)
    assert [list(table.players) for table in second.tables] == [[players[0].name]]
    assert {table.ai_players for table in first.tables} == {3}
    unknown = await refused(spectator.watch("tables/0199b7a0-0000-7000-8000-000000000001").read())
    assert unknown.reason == "NOT_FOUND"


async def test_a_private_table_is_watched_with_its_code_alone(hall: TableHall) -> None:
    """It is in no list; without the code, or with another one, INVITATION_NEEDED."""
    ana, ben = LobbyPlayer(hall.edge), LobbyPlayer(hall.edge)
    ticket = await ana.invite(persons=2)
    await ben.join(ticket.invitation_code)
    name = await ana.seated()
    hall.step(seconds=DELAY_S)
    spectator = TableSpectator(hall.edge)
    refusals = [await refused(spectator.watch(name, code=code).read()) for code in ("", "AAAA-BBBB")]
    listening = spectator.listen(name, code=ticket.invitation_link)
    await until(lambda: bool(spectator.told()), 20)
    listening.cancel()

    assert await spectator.names() == []
    assert [refusal.reason for refusal in refusals] == ["INVITATION_NEEDED"] * 2
    summary = spectator.told()[0].snapshot.summary
    assert summary.private
    assert sum(seat.ai_level == deal_pb2.AI_LEVEL_MIDDLE for seat in summary.seats) == 2


async def test_a_rematch_of_a_private_table_is_watched_with_the_same_code(hall: TableHall) -> None:
    """And not without."""
    ana, ben = LobbyPlayer(hall.edge), LobbyPlayer(hall.edge)
    ticket = await ana.invite(persons=2)
    await ben.join(ticket.invitation_code)
    name = await ana.seated()
    await hall.play_out(name, ana, ben)
    await ana.accept(name)
    rematch = await ben.accept(name)
    hall.step(seconds=DELAY_S)
    spectator = TableSpectator(hall.edge)
    unwatched = await refused(spectator.watch(rematch.next_table).read())
    listening = spectator.listen(rematch.next_table, code=ticket.invitation_code)
    await until(lambda: bool(spectator.told()), 20)
    listening.cancel()

    assert unwatched.reason == "INVITATION_NEEDED"
    assert spectator.told()[0].snapshot.summary.name == rematch.next_table != name
