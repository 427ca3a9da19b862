"""A club's board by pages: as of the first one, around a member, of a past day."""

from __future__ import annotations

import json
from datetime import date
from uuid import UUID, uuid4

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from services.ledger.domain.ranks import listed
from services.ledger.domain.windows import Board
from services.ledger.projections.listings import BoardListings, BoardQuestion, UnknownClubError
from services.ledger.projections.past import PastBoards
from services.ledger.projections.reads import window_of
from services.ledger.projections.tables import BoardTables
from tests.support.ledger_bench import LedgerBench

CLUB = uuid4()


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
