"""Boards as they were shown at an instant: computed whole, once each, and kept while there is room."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from datetime import date, datetime, timedelta
from typing import Any, Final

from libs.eventsourcing.envelope import Part
from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import unavailable_is_told
from libs.eventstore.postgres.rows import PART_NUMBERS
from services.ledger.domain.back_then import BackThen, Moment, back_then
from services.ledger.domain.days import closing_stream
from services.ledger.domain.packed import PackedBoard
from services.ledger.domain.windows import Board
from services.ledger.projections.effects import BOARD_CODE, FAMILY_CODE
from services.ledger.projections.reads import BoardReader, Shown
from services.ledger.projections.statements import HEAD

KEPT_BYTES_MAX: Final = 96 << 20
CAUGHT_UP_WITHIN_S: Final = 1.0
CAUGHT_UP_POLL_S: Final = 0.02
PART: Final = PART_NUMBERS[Part.FACTS]

# The last fact that was in the feed at an instant: its entries' instants rise with their numbers.
SEQ_AT: Final = """
    WITH RECURSIVE span (low, high) AS (
        SELECT 0::bigint, last_seq FROM feed_head WHERE part = $1
        UNION ALL
        SELECT CASE WHEN f.at <= $2 THEN m.middle ELSE s.low END,
               CASE WHEN f.at <= $2 THEN s.high ELSE m.middle - 1 END
        FROM span s
        CROSS JOIN LATERAL (SELECT (s.low + s.high + 1) / 2 AS middle) AS m
        CROSS JOIN LATERAL (SELECT at FROM feed WHERE part = $1 AND seq = m.middle OFFSET 0) AS f
        WHERE s.low < s.high
    )
    SELECT low FROM span WHERE low = high
"""
SEQ_OF: Final = "SELECT seq FROM feed WHERE part = $1 AND stream_id = $2 ORDER BY seq LIMIT 1"
DAY_AT: Final = f"""
    SELECT h.*, f.closed_day AS first_closed, l.closed_day AS last_closed
    FROM ({HEAD}) AS h
    LEFT JOIN LATERAL (SELECT closed_day FROM @history ORDER BY closed_day LIMIT 1) AS f ON true
    LEFT JOIN LATERAL (
        SELECT closed_day FROM @history WHERE board = $1 AND seq <= $2 ORDER BY closed_day DESC LIMIT 1
    ) AS l ON true
"""  # noqa: S608 ours
# $1 to $3 signed sheets; $4 and $5 first and last day of entries, NULL for all; $6 family; $7 seq
ENTRIES_SINCE: Final = """
    SELECT e.account, -e.points AS points
    FROM generate_series(
        coalesce($4::date, (SELECT min(day) FROM @entry)),
        coalesce($5::date, (SELECT max(day) FROM @entry)), interval '1 day'
    ) AS d (day)
    CROSS JOIN LATERAL (
        SELECT account, points FROM @entry
        WHERE day = d.day::date AND seq > $7 AND family = $6 OFFSET 0
    ) AS e
"""
WHOLE: Final = f"""
    SELECT h.*, w.packed
    FROM ({HEAD}) AS h
    CROSS JOIN LATERAL (
        SELECT string_agg(uuid_send(account) || int8send(points), ''::bytea ORDER BY points DESC, account)
               AS packed
        FROM (
            SELECT account, sum(points)::bigint AS points FROM (
                SELECT r.account, s.sign * r.points AS points
                FROM unnest($1::smallint[], $2::date[], $3::bigint[]) AS s (board, day, sign)
                CROSS JOIN LATERAL (
                    SELECT account, points FROM @row WHERE board = s.board AND day = s.day OFFSET 0
                ) AS r
                UNION ALL
                {ENTRIES_SINCE}
            ) AS moved GROUP BY account HAVING sum(points) <> 0
        ) AS listed
    ) AS w
"""  # noqa: S608 ours


class BeforeOpeningError(Exception):
    """No board was shown yet at that instant."""


class BehindError(Exception):
    """The boards have not come to that instant yet."""


class PastBoards:
    """Answers what was shown at an instant.

    The last facts of an instant may still be on their way to the feed while it is under a second ago.
    """

    def __init__(self, database: Database, boards: BoardReader) -> None:
        """Read what `boards` shows."""
        self._pool = database.pool
        self._boards = boards
        self._opening: int | None = None  # the fact that opened the boards
        self._kept: OrderedDict[tuple[Board, int], PackedBoard] = OrderedDict()
        self._generation: int | None = None  # that the kept ones were computed from
        self._one_at_a_time = asyncio.Lock()

    async def moment(self, at: datetime) -> Moment:
        """Return where the boards stood at an instant.

        Raises BeforeOpeningError, BehindError, BoardsNotOpenError.
        """
        with unavailable_is_told():
            seq: int = await self._pool.fetchval(SEQ_AT, PART, at)
        shown = await self._caught_up(seq)
        arguments = BOARD_CODE[Board.AMR], seq
        _, (row,) = await self._boards.fetch(DAY_AT, lambda _shown: arguments)
        first_day: date = row["first_closed"] or shown.as_of_day
        if seq < await self._opening_seq(first_day):
            raise BeforeOpeningError
        last_closed: date | None = row["last_closed"]
        return Moment(seq, first_day if last_closed is None else last_closed + timedelta(days=1))

    async def board(self, board: Board, moment: Moment) -> PackedBoard:
        """Return a whole board as it was shown at a moment."""
        generation = (await self._boards.shown()).generation
        if generation != self._generation:  # rebuilt, and mended perhaps
            self._kept.clear()
            self._generation = generation
        key = board, moment.seq
        if key not in self._kept:
            async with self._one_at_a_time:  # a large one is work for seconds
                if key not in self._kept:
                    self._keep(key, await self._compute(board, moment))
        self._kept.move_to_end(key)
        return self._kept[key]

    async def _compute(self, board: Board, moment: Moment) -> PackedBoard:
        def arguments(shown: Shown) -> tuple[Any, ...]:
            return past_arguments(back_then(board, moment, shown.as_of_day))

        _, (row,) = await self._boards.fetch(WHOLE, arguments)
        return PackedBoard(row["packed"] or b"")

    def _keep(self, key: tuple[Board, int], board: PackedBoard) -> None:
        self._kept[key] = board
        while len(self._kept) > 1 and sum(len(kept.rows) for kept in self._kept.values()) > KEPT_BYTES_MAX:
            self._kept.popitem(last=False)

    async def _caught_up(self, seq: int) -> Shown:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + CAUGHT_UP_WITHIN_S
        while (shown := await self._boards.shown()).seq < seq:
            if loop.time() >= deadline:
                raise BehindError
            await asyncio.sleep(CAUGHT_UP_POLL_S)
        return shown

    async def _opening_seq(self, first_day: date) -> int:
        if self._opening is None:
            with unavailable_is_told():
                closing = closing_stream(first_day - timedelta(days=1))
                self._opening = await self._pool.fetchval(SEQ_OF, PART, closing)
            assert self._opening is not None, f"{first_day} was opened by no closing"
        return self._opening


def past_arguments(then: BackThen) -> tuple[Any, ...]:
    """Return the arguments $1 to $7 of statements about a board of the past."""
    first, last = then.entry_days or (None, None)
    return (
        [BOARD_CODE[signed.sheet.board] for signed in then.sheets],
        [signed.sheet.day for signed in then.sheets],
        [signed.sign for signed in then.sheets],
        first,
        last,
        FAMILY_CODE[then.family],
        then.moment.seq,
    )
