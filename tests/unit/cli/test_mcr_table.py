"""A seat at a table on a terminal, against a table that a test plays."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import UTC, datetime

import grpc
import pytest
from rich.console import Console

from libs.cli.mcr.play.screen import Screen
from libs.cli.mcr.play.table import TablePlay, Ways
from libs.cli.table_bot import automatic
from libs.client.deal_views import Action, ActionKind, AiLevel, DealView, Happening, Phase, What
from libs.client.errors import ConflictError, RefusedError, SparrowError, UnreachableError
from libs.client.tables import Closing, DealRow, TableNews, Tables, TableSeat, TableView
from libs.rules.mcr.fan_names import Language, fan_name
from tests.support.mcr_client_play import moments

NAME = "tables/00000000-0000-0000-0000-000000000001"
SEATS = (TableSeat("players/me", None, 0), *(TableSeat("", AiLevel.EASY, 0),) * 3)


class Heard(io.StringIO):
    """Text that tells when it has grown."""

    def __init__(self) -> None:
        super().__init__()
        self.grown = asyncio.Event()

    def write(self, text: str) -> int:
        """Add to it."""
        self.grown.set()
        return super().write(text)


class ScriptedTables(Tables):
    """Tables whose news a test lays down, and whose refusals."""

    def __init__(self) -> None:
        self.called = asyncio.Event()
        self.coming: asyncio.Queue[TableNews | SparrowError | None] = asyncio.Queue()
        self.acted: list[Action] = []
        self.left = 0
        self.came_back = 0
        self.refusal: SparrowError | None = None

    async def watch(self, name: str) -> AsyncGenerator[TableNews, None]:
        """What was laid down; it ends with None, and fails with an error."""
        assert name == NAME
        while (news := await self.coming.get()) is not None:
            if isinstance(news, SparrowError):
                raise news
            yield news

    async def act(self, table: TableView, action: Action) -> TableNews:
        """Keep it, or refuse it once."""
        self.called.set()
        if self.refusal is not None:
            refusal, self.refusal = self.refusal, None
            raise refusal
        self.acted.append(action)
        return TableNews((), table)

    async def leave(self, table: TableView) -> TableNews:
        """Count it."""
        self.left += 1
        return TableNews((), table)

    async def come_back(self, table: TableView) -> TableNews:
        """Count it."""
        self.called.set()
        self.came_back += 1
        return TableNews((), table)


class Seat:
    """A table play with what it says, and a keyboard."""

    def __init__(self, ways: Ways | None = None, *, is_talk: bool = False) -> None:
        self.tables = ScriptedTables()
        self.keys: asyncio.Queue[str | None] = asyncio.Queue()
        self.file = Heard()
        play = TablePlay(
            self.tables,
            table(turn_of(0)),
            {},
            Screen(Console(file=self.file, width=110), is_talk=is_talk),
            self,
            ways or Ways(),
        )
        self.playing = asyncio.create_task(play.play())

    async def next(self) -> str | None:
        """The next line that is typed."""
        return await self.keys.get()

    async def until(self, said: str) -> str:
        """Wait until this has been said."""
        async with asyncio.timeout(5):
            while said not in self.file.getvalue():
                self.file.grown.clear()
                await self.file.grown.wait()
        return self.file.getvalue()

    async def until_called(self) -> None:
        """Wait until the table has been asked for something more."""
        await asyncio.wait_for(self.tables.called.wait(), 5)
        self.tables.called.clear()

    async def end(self, closing: Closing = Closing.PLAYED) -> str:
        """Close the table; all that was said."""
        self.tables.coming.put_nowait(TableNews((), replace(table(over()), closing=closing)))
        self.tables.coming.put_nowait(None)
        await asyncio.wait_for(self.playing, 5)
        return self.file.getvalue()


def turn_of(number: int) -> DealView:
    """A deal in which the player is on turn."""
    return next(
        moment.told
        for moment in moments(number)
        if moment.told.phase is Phase.TURN and moment.told.turn == 0 and len(moment.told.actions) > 1
    )


def over() -> DealView:
    """The same deal at its end."""
    return list(moments(0))[-1].told


def table(deal: DealView) -> TableView:
    """A table of one deal."""
    rows = (DealRow(1, deal.dealer, deal.outcome),) if deal.outcome is not None else ()
    return TableView(NAME, SEATS, 1, False, rows, None, deal, None)


def refusal(reason: str, text: str, **metadata: str) -> RefusedError:
    """What the server says no with."""
    status = grpc.StatusCode.FAILED_PRECONDITION
    return RefusedError(reason, status, "", metadata, localized=text)


async def test_a_number_discards_the_tile_above_it() -> None:
    """The last one is the drawn tile; the end is told with the closing and the table's name."""
    seat, deal = Seat(), turn_of(0)
    seat.tables.coming.put_nowait(TableNews((), table(deal)))
    await seat.until("> ")
    seat.keys.put_nowait(str(len(deal.seats[0].hand)))
    await seat.until_called()
    said = await seat.end()

    assert deal.drawn is not None
    assert seat.tables.acted == [Action(ActionKind.DISCARD, (deal.drawn,))]
    assert said.lstrip().startswith("You sit ")
    assert "All deals are played." in said
    assert said.rstrip().endswith(NAME)


async def test_a_win_below_eight_points_is_told_with_what_counts() -> None:
    """By the names that were asked for; then the question is put again."""
    seat = Seat(Ways(Language.CHINESE))
    seat.tables.coming.put_nowait(TableNews((), table(turn_of(0))))
    await seat.until("> ")
    seat.tables.refusal = refusal("UNDER_EIGHT", "Too few points.", points="4", fans="69*2=2 63*1=2")
    seat.keys.put_nowait("w")
    await seat.until(f"  {fan_name(63, Language.CHINESE)}: 2")
    said = await seat.until(f"  {fan_name(69, Language.CHINESE)} 2 times: 2")

    assert "Too few points." in said
    await seat.until_called()
    seat.keys.put_nowait("1")
    await seat.until_called()
    assert len(seat.tables.acted) == 1
    await seat.end()


async def test_an_answer_that_comes_too_late_changes_nothing() -> None:
    """What the deal has come to is told and asked next."""
    seat = Seat()
    seat.tables.coming.put_nowait(TableNews((), table(turn_of(0))))
    await seat.until("> ")
    seat.tables.refusal = ConflictError("STALE_DECISION", grpc.StatusCode.ABORTED)
    seat.keys.put_nowait("1")
    await seat.until("Too late: the deal has gone on.")
    later = replace(turn_of(0), decision=99)
    await seat.until_called()
    seat.tables.coming.put_nowait(TableNews((), table(later)))
    await seat.until("The table as it stands:")
    seat.keys.put_nowait("2")
    await seat.until_called()
    await seat.end()

    assert len(seat.tables.acted) == 1


@pytest.mark.parametrize("line", ["q", None])
async def test_leaving_gives_the_seat_to_the_ai(line: str | None) -> None:
    """So does the end of the input; how to take the seat back is told."""
    seat = Seat()
    seat.tables.coming.put_nowait(TableNews((), table(turn_of(0))))
    await seat.until("> ")
    seat.keys.put_nowait(line)
    await asyncio.wait_for(seat.playing, 5)

    assert seat.tables.left == 1
    assert f"sparrow mcr play --table {NAME}" in seat.file.getvalue()


async def test_ctrl_c_leaves_as_well() -> None:
    """The program ends as one that was interrupted."""
    seat = Seat()
    seat.tables.coming.put_nowait(TableNews((), table(turn_of(0))))
    await seat.until("> ")
    seat.playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await seat.playing

    assert seat.tables.left == 1


async def test_who_is_played_for_takes_the_seat_back() -> None:
    """Once a table is opened again."""
    seat, deal = Seat(), turn_of(0)
    away = replace(deal, actions=(), seats=(replace(deal.seats[0], is_away=True), *deal.seats[1:]))
    seat.tables.coming.put_nowait(TableNews((), table(away)))
    await seat.until_called()

    assert seat.tables.came_back == 1
    await seat.end()


async def test_what_others_do_while_one_thinks_puts_the_question_again() -> None:
    """Below what was told."""
    seat = Seat(is_talk=True)
    seat.tables.coming.put_nowait(TableNews((), table(turn_of(0))))
    await seat.until("> ")
    left = Happening(What.LEFT, datetime(2026, 11, 30, tzinfo=UTC), 1, None, None, (), None, None, None)
    seat.tables.coming.put_nowait(TableNews((left,), table(turn_of(0))))
    await seat.until("leaves: the AI plays on")
    said = await seat.end()

    assert said.count("discard that tile") == 2


async def test_a_table_that_is_out_of_reach_is_an_error() -> None:
    """It is told by whoever runs the command."""
    seat = Seat()
    seat.tables.coming.put_nowait(UnreachableError("STREAM_ENDED", grpc.StatusCode.UNAVAILABLE))

    with pytest.raises(UnreachableError):
        await asyncio.wait_for(seat.playing, 5)


async def test_an_automatic_player_is_asked_in_the_players_place() -> None:
    """No key is read."""
    seat = Seat(Ways(automatic=automatic))
    seat.tables.coming.put_nowait(TableNews((), table(turn_of(0))))
    await seat.until_called()
    said = await seat.end(Closing.ABORTED)

    assert len(seat.tables.acted) == 1
    assert "> " not in said
    assert "a fault of the server" in said
