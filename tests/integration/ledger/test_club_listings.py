"""A club's board by pages: as of the first one, around a member, of a past day."""

from __future__ import annotations

import json
import random
from datetime import UTC, date, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.ledger.domain.memberships import Joined, Left
from services.ledger.domain.ranks import listed
from services.ledger.domain.windows import Board
from services.ledger.projections import club_listings
from services.ledger.projections.club_listings import UnknownClubError
from services.ledger.projections.club_reads import ClubBoards
from services.ledger.projections.listings import BoardListings, BoardQuestion, BoardSlice
from services.ledger.projections.past import PastBoards
from services.ledger.projections.reads import ListingGoneError, window_of
from services.ledger.projections.tables import BoardTables
from services.ledger.store.memberships import apply
from tests.support.ledger_bench import LedgerBench, points_order

CLUB = uuid4()
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
DAY = timedelta(days=1)


class Members:
    """Points of one club's members, whatever the board."""

    def __init__(self) -> None:
        """Give 25 members points, many of them alike."""
        self.points = {str(UUID(int=number)): number // 3 - 2 for number in range(25)}
        self.days: list[date] = []

    async def rows(
        self,
        connection: AsyncConnection,
        tables: BoardTables,
        club: UUID,
        board: Board,
        day: date,
        seq: int,
    ) -> dict[str, int] | None:
        """Return them for the one club there is."""
        self.days.append(day)
        return {account: held for account, held in self.points.items() if held} if club == CLUB else None


async def test_pages_of_a_club_stay_as_of_the_first_one(bench: LedgerBench) -> None:
    """Whatever its members earn meanwhile; an anchor begins in the middle; a past day asks for that day."""
    await bench.settle()
    members = Members()
    listings = BoardListings(bench.database, bench.reader, PastBoards(bench.database, bench.reader), members)
    full = listed({account: held for account, held in members.points.items() if held})
    question = BoardQuestion(Board.WEEKLY, 4, club=CLUB)

    pages = [await listings.first(question)]
    while (token := pages[-1].next_token) is not None:
        members.points = {account: held + 7 for account, held in members.points.items()}
        pages.append(await listings.next(question, json.loads(json.dumps(token))))
    around = await listings.first(BoardQuestion(Board.WEEKLY, 4, full[-1].account, club=CLUB))
    past = await listings.first(BoardQuestion(Board.WEEKLY, 4, day=date(2026, 2, 11), club=CLUB))

    assert [entry for page in pages for entry in page.entries] == full
    assert full[-1].account in {entry.account for entry in around.entries}
    assert past.window == window_of(Board.WEEKLY, date(2026, 2, 11))
    assert members.days == [date(2026, 3, 2), date(2026, 3, 2), date(2026, 2, 11)]
    with pytest.raises(UnknownClubError):
        await listings.first(BoardQuestion(Board.DAILY, 4, club=uuid4()))


async def test_boards_without_points_are_not_kept_without_end(
    bench: LedgerBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They take no bytes, and there is one for every day that somebody asks for."""
    monkeypatch.setattr(club_listings, "KEPT_MAX", 3)
    await bench.settle()
    members = Members()
    members.points = {}
    engine = bench.database.engine.execution_options(isolation_level="REPEATABLE READ")
    listings = club_listings.ClubListings(engine, members)
    for back in range(5):
        await listings.first(CLUB, Board.DAILY, NOON.date() - back * DAY)

    assert listings.kept_count == 3


def replica(bench: LedgerBench) -> BoardListings:
    """Return listings as a process has them that was not asked before."""
    return BoardListings(bench.database, bench.reader, PastBoards(bench.database, bench.reader), ClubBoards())


async def tell(bench: LedgerBench, *moves: Joined | Left) -> None:
    """Let the ledger know of members who came and went."""
    async with bench.database.engine.begin() as connection:
        for move in moves:
            assert await apply(connection, move)


@pytest.mark.parametrize("board", [Board.AMR, Board.WEEKLY, Board.DAILY])
async def test_another_replica_goes_on_as_of_the_first_page(bench: LedgerBench, board: Board) -> None:
    """Of members who came long ago, and today; over points, losses to 0, comings, goings and a midnight."""
    chance = random.Random(board)
    members = [UUID(int=number) for number in range(1, 31)]
    long_ago, today = members[:20], members[20:]
    hours = (timedelta(hours=1), timedelta(hours=4))
    await bench.post(
        *(points_order(member, chance.choice((5, 10)), NOON - back) for member in members for back in hours)
    )
    await tell(
        bench,
        *(Joined(CLUB, member, 1, NOON - 900 * DAY) for member in long_ago),
        *(Joined(CLUB, member, 1, NOON - timedelta(hours=2)) for member in today),
    )
    await bench.settle()
    full = (await replica(bench).first(BoardQuestion(board, 200, club=CLUB))).entries
    question = BoardQuestion(board, 4, club=CLUB)

    pages: list[BoardSlice] = [await replica(bench).first(question)]
    while (token := pages[-1].next_token) is not None:
        assert len(json.dumps(token)) < 200
        gone, left, came = chance.choice(long_ago), chance.choice(today), UUID(int=100 + len(pages))
        for member in (chance.choice(members), came):
            await bench.post(points_order(member, 25, bench.clock.now()))
        await bench.post(points_order(gone, -5, bench.clock.now()))
        moves = [Joined(CLUB, came, 1, bench.clock.now() - timedelta(seconds=1))]
        await tell(bench, *moves)
        if len(pages) == 1:
            await tell(bench, Left(CLUB, left, 2, bench.clock.now() - timedelta(seconds=1)))
        bench.clock.advance(timedelta(hours=4))
        await bench.settle()
        pages.append(await replica(bench).next(question, json.loads(json.dumps(token))))

    assert [entry for page in pages for entry in page.entries] == list(full)
    assert len(full) == 30


async def test_a_listing_of_dropped_boards_has_expired(bench: LedgerBench) -> None:
    """Its generation is no longer there: who pages on begins again."""
    await tell(bench, *(Joined(CLUB, UUID(int=number), 1, NOON - DAY) for number in range(1, 4)))
    await bench.post(*(points_order(UUID(int=number), 5, NOON) for number in range(1, 4)))
    await bench.settle()
    question = BoardQuestion(Board.DAILY, 2, club=CLUB)
    token = (await replica(bench).first(question)).next_token
    assert token is not None
    async with bench.database.engine.begin() as connection:
        await connection.execute(text("SELECT create_board_generation(3)"))
        await connection.execute(text("UPDATE active_generation SET generation = 3"))
        await connection.execute(text("SELECT drop_board_generation(2)"))

    with pytest.raises(ListingGoneError):
        await replica(bench).next(question, token)
