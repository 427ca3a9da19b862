"""Boards as they were shown at an instant: computed whole, once each, and kept while there is room."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

import structlog

from libs.eventsourcing.envelope import Part
from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import unavailable_is_told
from libs.eventstore.postgres.rows import PART_NUMBERS
from services.ledger.domain.back_then import BackThen, Moment, back_then
from services.ledger.domain.days import closing_stream
from services.ledger.domain.packed import PackedBoard
from services.ledger.domain.windows import Board
from services.ledger.projections.admission import Admission
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
FIRST_OF: Final = """
    SELECT seq, stream_id FROM feed WHERE part = $1 AND stream_id = ANY($2::uuid[]) ORDER BY seq LIMIT 1
"""
CLOSED_DAYS: Final = f"""
    SELECT h.*, ARRAY(
        SELECT DISTINCT closed_day FROM @history WHERE closed_day >= '2000-01-01' AND closed_day < h.as_of_day
        ORDER BY closed_day
    ) AS closed_days
    FROM ({HEAD}) AS h
"""  # noqa: S608 ours
DAY_AT: Final = f"""
    SELECT h.*, l.closed_day AS last_closed
    FROM ({HEAD}) AS h
    LEFT JOIN LATERAL (
        SELECT closed_day FROM @history
        WHERE board = $1 AND seq <= $2 AND closed_day >= $3 AND closed_day < h.as_of_day
        ORDER BY closed_day DESC LIMIT 1
    ) AS l ON true
"""  # noqa: S608 ours
log = structlog.get_logger()
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


@dataclass(frozen=True, slots=True)
class _Opening:
    """The closing that opened the boards of a generation, and the first day that they showed."""

    generation: int
    seq: int
    day: date


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
        self._opening: _Opening | None = None
        self._kept: OrderedDict[tuple[int, Board, int], PackedBoard] = OrderedDict()
        self._admission = Admission()
        self._one_at_a_time = asyncio.Lock()

    async def moment(self, at: datetime) -> Moment:
        """Return where the boards stood at an instant.

        Raises BeforeOpeningError, BehindError, BoardsNotOpenError, Refused RATE_LIMIT.
        """
        with unavailable_is_told():
            seq: int = await self._pool.fetchval(SEQ_AT, PART, at)
        shown = await self._caught_up(seq)
        opening = await self._opened(shown)
        if seq < opening.seq:
            raise BeforeOpeningError
        arguments = BOARD_CODE[Board.AMR], seq, opening.day
        _, (row,) = await self._boards.fetch(DAY_AT, lambda _shown: arguments)
        last_closed: date | None = row["last_closed"]
        return Moment(seq, opening.day if last_closed is None else last_closed + timedelta(days=1))

    async def board(self, board: Board, moment: Moment) -> PackedBoard:
        """Return a whole board as it was shown at a moment. Raises Refused RATE_LIMIT."""
        generation = (await self._boards.shown()).generation
        found = self._kept_one(generation, board, moment)
        if found is None:
            with self._admission.admitted():
                async with self._one_at_a_time:  # a large one is work for seconds
                    found = self._kept_one(generation, board, moment)
                    if found is None:
                        generation, found = await self._compute(board, moment)
                        self._keep((generation, board, moment.seq), found)
        return found

    def _kept_one(self, generation: int, board: Board, moment: Moment) -> PackedBoard | None:
        key = generation, board, moment.seq  # a generation may have been rebuilt because it was wrong
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    async def _compute(self, board: Board, moment: Moment) -> tuple[int, PackedBoard]:
        """Return the board, and the generation that it was read from."""

        def arguments(shown: Shown) -> tuple[Any, ...]:
            return past_arguments(back_then(board, moment, shown.as_of_day))

        shown, (row,) = await self._boards.fetch(WHOLE, arguments)
        return shown.generation, PackedBoard(row["packed"] or b"")

    def _keep(self, key: tuple[int, Board, int], board: PackedBoard) -> None:
        self._kept[key] = board
        while len(self._kept) > 1 and sum(len(kept.rows) for kept in self._kept.values()) > KEPT_BYTES_MAX:
            self._kept.popitem(last=False)

    async def _caught_up(self, seq: int) -> Shown:
        shown = await self._boards.shown()
        if shown.seq >= seq:
            return shown
        loop = asyncio.get_running_loop()
        deadline = loop.time() + CAUGHT_UP_WITHIN_S
        with self._admission.admitted():
            while (shown := await self._boards.shown()).seq < seq:
                if loop.time() >= deadline:
                    raise BehindError
                await asyncio.sleep(CAUGHT_UP_POLL_S)
        return shown

    async def _opened(self, shown: Shown) -> _Opening:
        """Return what opened the boards: the first closing after which a day was shown that was kept.

        Histories of days that follow no closing are strays. They are told, and passed over.
        """
        if self._opening is None or self._opening.generation != shown.generation:
            now, (row,) = await self._boards.fetch(CLOSED_DAYS, lambda _shown: ())
            days = [*row["closed_days"], now.as_of_day]
            opened_by = {closing_stream(day - timedelta(days=1)): day for day in days}
            with unavailable_is_told():
                first = await self._pool.fetchrow(FIRST_OF, PART, list(opened_by))
            assert first is not None, f"{now.as_of_day} was opened by no closing"
            self._opening = _Opening(now.generation, first["seq"], opened_by[first["stream_id"]])
            if strays := [day.isoformat() for day in days if day < self._opening.day]:
                log.error("board_history_strays", generation=now.generation, days=strays)
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
