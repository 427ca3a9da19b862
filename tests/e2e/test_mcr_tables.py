"""MCR tables on a real installation: a person plays by the client library while processes are killed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from libs.client.client import SparrowClient
from libs.client.deal_views import Action, ActionKind, DealView, Phase, What
from libs.client.devices import MemoryDeviceStore
from libs.client.errors import RefusedError, SparrowError
from libs.client.tables import Closing, TableNews, Tables, TableView
from libs.rules.mcr.commitment import wall_commitment
from tests.support.examples import check_examples
from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(120)
GONE_ON = {"STALE_DECISION", "MATCH_ENDED", "NOT_YOUR_TURN", "ALREADY_ANSWERED", "NOTHING_TO_CLAIM"}
"""Time was up, or another's claim came first."""


def quietly(deal: DealView) -> Action:
    """Win where that is open, claim nothing, and lay down what was drawn, or else the last tile."""
    kinds = {action.kind: action for action in deal.actions}
    for kind in (ActionKind.WIN, ActionKind.PASS):
        if kind in kinds:
            return kinds[kind]
    discards = [action for action in deal.actions if action.kind is ActionKind.DISCARD]
    drawn = [action for action in discards if action.tiles == (deal.drawn,)]
    return (drawn or discards)[-1]


class Player:
    """Plays a table by what its stream tells, and keeps all of it."""

    def __init__(self, client: SparrowClient, name: str) -> None:
        self.client = client
        self.name = name
        self.news: list[TableNews] = []
        self.acted: list[tuple[int, int, Action]] = []
        """Deal, decision and action of everything that was acknowledged."""
        self.moved = asyncio.Event()

    @property
    def table(self) -> TableView:
        """The table as it was told last."""
        return self.news[-1].table

    async def play(self) -> TableView:
        """Act on every open decision until the table has closed."""
        async for news in self.client.tables.watch(self.name):
            self.news.append(news)
            if news.table.deal.actions:
                await self._act(news.table)
            self.moved.set()
        return self.table

    async def until_acted(self, times: int) -> None:
        """Wait until so many actions more have been acknowledged, or the table has closed."""
        goal = len(self.acted) + times
        while len(self.acted) < goal and not (self.news and self.table.closing):
            self.moved.clear()
            await asyncio.wait_for(self.moved.wait(), 30)

    async def _act(self, table: TableView) -> None:
        action = quietly(table.deal)
        try:
            await self.client.tables.act(table, action)
        except SparrowError as refused:
            if refused.reason not in GONE_ON:
                raise
        else:
            self.acted.append((table.deal.number, table.deal.decision, action))


def check_told(player: Player) -> None:
    """Everything once, in order: decisions never fall, every deal begins, ends and is revealed."""
    decisions = [(news.table.deal.number, news.table.deal.decision) for news in player.news]
    assert decisions == sorted(decisions)
    told = [happening.what for news in player.news for happening in news.happenings]
    for each in (What.ENDED, What.REVEALED):
        assert told.count(each) == len(player.table.rows)
    for news in player.news:
        _check_hidden(news.table)


def _check_hidden(table: TableView) -> None:
    """No other hand while the deal goes on; what the commitment covers, only afterwards and right."""
    deal = table.deal
    is_over = deal.phase is Phase.OVER
    assert (table.reveal is not None) == is_over
    others: Sequence[int] = [seat for seat in range(4) if seat != deal.seat]
    assert all(deal.seats[seat].hand == () or is_over for seat in others)
    if table.reveal is not None:
        covered = wall_commitment(table.reveal.nonce, table.reveal.seed, table.reveal.wall_version)
        assert covered.hex() == deal.commitment


async def test_a_person_plays_two_deals_against_the_ai(client: SparrowClient) -> None:
    """By the stream alone; the table closes, and its points add up to 0."""
    table = await client.tables.open_table(2)
    with pytest.raises(RefusedError) as seated:
        await client.tables.open_table()
    player = Player(client, table.name)
    closed = await player.play()

    assert seated.value.reason == "ALREADY_SEATED"
    assert seated.value.metadata["name"] == table.name
    assert closed.closing is Closing.PLAYED
    assert [row.number for row in closed.rows] == [1, 2]
    assert sum(seat.points for seat in closed.seats) == 0
    check_told(player)
    assert await client.tables.get(table.name) == closed
    assert (await client.tables.open_table()).name != table.name


async def test_killed_processes_lose_no_acknowledged_action(
    sparrow_server: Installation, client: SparrowClient
) -> None:
    """The stream goes on where it was left, and the deal to its end."""
    table = await client.tables.open_table()
    player = Player(client, table.name)
    playing = asyncio.create_task(player.play())
    for part in ("serving", "worker"):
        await player.until_acted(2)
        await asyncio.to_thread(sparrow_server.kill, part)
    closed = await asyncio.wait_for(playing, 60)

    assert closed.closing is Closing.PLAYED
    check_told(player)
    discarded = [
        (happening.tile,)
        for news in player.news
        for happening in news.happenings
        if happening.what is What.DISCARDED and happening.seat == closed.deal.seat
    ]
    ordered = [action.tiles for _deal, _decision, action in player.acted if action.kind == "discard"]
    assert [tiles for tiles in discarded if tiles in ordered] == ordered


async def test_another_device_takes_the_seat_over(
    sparrow_server: Installation, client: SparrowClient
) -> None:
    """The first stream ends with that reason; the second one plays on."""
    store = MemoryDeviceStore(bytes(range(32)))
    async with (
        await SparrowClient.connect(sparrow_server.endpoint, store=store) as first,
        await SparrowClient.connect(sparrow_server.endpoint, store=store) as second,
    ):
        table = await first.tables.open_table()
        early = Player(first, table.name)
        playing = asyncio.create_task(early.play())
        await early.until_acted(1)
        late = Player(second, table.name)
        going_on = asyncio.create_task(late.play())
        with pytest.raises(RefusedError) as taken:
            await playing
        await late.until_acted(1)
        going_on.cancel()
        left = await second.tables.leave(late.table)

    assert taken.value.reason == "SEAT_TAKEN_OVER"
    assert left.table.deal.seats[0].is_away


async def test_the_example_of_tables_says_what_happens(client: SparrowClient) -> None:
    """Opening a table, following it, answering what is asked first, leaving."""
    await check_examples(Tables, {"client": client})
