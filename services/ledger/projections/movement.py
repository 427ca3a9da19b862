"""Where players stood when the day before ended: their points then, and the rank in what was kept of it."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from services.ledger.domain.back_then import Moment, back_then
from services.ledger.domain.windows import Board
from services.ledger.projections.effects import BOARD_CODE
from services.ledger.projections.past import ENTRIES_SINCE, past_arguments
from services.ledger.projections.reads import BoardReader, Shown
from services.ledger.projections.statements import HEAD

ENDS_KEPT: Final = 32
CLOSED: Final = f"""
    SELECT h.*, k.seq AS closing, k.points, k.players
    FROM ({HEAD}) AS h LEFT JOIN @history k ON k.closed_day = $1 AND k.board = $2
"""  # noqa: S608 ours
# $1 to $7 as in WHOLE, $8 accounts
POINTS_THEN: Final = f"""
    SELECT h.*, m.account, m.points
    FROM ({HEAD}) AS h LEFT JOIN LATERAL (
        SELECT account, sum(points)::bigint AS points FROM (
            SELECT q.account, q.sign * r.points AS points
            FROM (
                SELECT s.board, s.day, s.sign, a.account
                FROM unnest($1::smallint[], $2::date[], $3::bigint[]) AS s (board, day, sign)
                CROSS JOIN unnest($8::uuid[]) AS a (account)
            ) AS q
            CROSS JOIN LATERAL (
                SELECT board, day, account, points FROM @row
                WHERE (board, day, account) >= (q.board, q.day, q.account)
                ORDER BY board, day, account LIMIT 1
            ) AS r
            WHERE (r.board, r.day, r.account) = (q.board, q.day, q.account)
            UNION ALL
            SELECT * FROM ({ENTRIES_SINCE}) AS since WHERE account = ANY($8::uuid[])
        ) AS moved GROUP BY account
    ) AS m ON true
"""  # noqa: S608 ours


@dataclass(frozen=True, slots=True)
class EndOfDay:
    """A board as it stood when a day was closed."""

    seq: int
    points: Sequence[int]  # rising
    players: Sequence[int]  # how many had those points or more

    def rank(self, points: int) -> int:
        """Return the rank of points on that board; 0 stands for not listed."""
        if not points:
            return 0
        above = bisect_right(self.points, points)
        return 1 + (self.players[above] if above < len(self.players) else 0)


class Movement:
    """Answers from the boards of ended days."""

    def __init__(self, boards: BoardReader) -> None:
        """Read what `boards` shows."""
        self._boards = boards
        self._ends: OrderedDict[tuple[int, Board, date], EndOfDay] = OrderedDict()  # by generation

    async def ranks_before(self, board: Board, day: date, accounts: Sequence[str]) -> Mapping[str, int]:
        """Return the accounts' ranks when the day before `day` ended, of those who were listed then."""
        before = day - timedelta(days=1)
        end = await self._end_of(board, before)
        if end is None or not accounts:
            return {}
        moment = Moment(end.seq, before)

        def arguments(shown: Shown) -> tuple[Any, ...]:
            return (*past_arguments(back_then(board, moment, shown.as_of_day)), accounts)

        _, rows = await self._boards.fetch(POINTS_THEN, arguments)
        points = {str(row["account"]): row["points"] for row in rows if row["account"] is not None}
        return {account: end.rank(held) for account, held in points.items() if held}

    async def _end_of(self, board: Board, day: date) -> EndOfDay | None:
        """Return a board at the end of a closed day; None where it was not shown to its end."""
        kept = self._ends.get(((await self._boards.shown()).generation, board, day))
        if kept is not None:
            return kept
        shown, (row,) = await self._boards.fetch(CLOSED, lambda _shown: (day, BOARD_CODE[board]))
        if row["closing"] is None:
            return None
        end = EndOfDay(row["closing"], row["points"], row["players"])
        self._ends[shown.generation, board, day] = end
        if len(self._ends) > ENDS_KEPT:
            self._ends.popitem(last=False)
        return end
