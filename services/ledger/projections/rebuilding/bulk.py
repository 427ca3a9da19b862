"""The fold of the boards for whole logs: what `Boards.fold` does fact by fact, done for a million at a time.

`Boards.fold` is the definition, and property tests hold this one to it. It is faster because it keeps no
changes: daily rows are added up as facts come, weeks and years when a day is left. Which family a transfer
counts for, which sheets it stands on and what a midnight moves are asked of the domain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import accumulate
from typing import Any, Final, NamedTuple
from uuid import UUID

from libs.eventsourcing.ids import EPOCH
from services.ledger.assets import player_of
from services.ledger.domain.boards import DAY_POINTS_MAX, open_sheets, rolling
from services.ledger.domain.families import family_of, sheets_of, year_of
from services.ledger.domain.windows import (
    STANDING_SHEET_DAY,
    WINDOWED,
    Board,
    Family,
    Sheet,
    sheet_on,
)
from services.ledger.projections.effects import FAMILY_CODE
from services.ledger.projections.rebuilding.binary import day_number, pack_entry
from services.ledger.wire.events import (
    ASSET_TO_WIRE,
    LEDGER_DAY_CLOSED,
    TRANSFER_POSTED,
    closed_day,
    posted_message,
    transfer_of,
)

ONE_DAY: Final = timedelta(days=1)

_DAILY: Final = frozenset(boards.daily for boards in WINDOWED.values())
_YEARS: Final = tuple(boards.year for boards in WINDOWED.values())
_STANDING: Final = (*_YEARS, Board.RACE_RATING)
"""The boards whose one sheet changes for as long as there are boards."""

Rows = dict[str, int]


class Fact(NamedTuple):
    """A fact as the feed brings it."""

    seq: int
    type: str
    schema_version: int
    occurred: int  # microseconds since 2000 UTC, as PostgreSQL keeps instants
    data: bytes


class History(NamedTuple):
    """A board as it stood when a day was closed: points rising, and how many had those or more."""

    closed_day: date
    board: Board
    seq: int
    points: list[int]
    players: list[int]


class _Slot(NamedTuple):
    """Where transfers of one kind and day are added up."""

    rows: Rows  # of the sheet whose rows are bounded
    news: Rows  # what came in since weeks and years were last brought up
    family: int
    day: int


UNOPENED: Final = _Slot({}, {}, 0, 0)
UNMET: Final = "nobody was met by this name"


@dataclass(slots=True)
class _Running:
    """Rows whose histogram is kept with them."""

    rows: Rows = field(default_factory=dict)
    players: Counter[int] = field(default_factory=Counter)

    def add(self, moved: Rows, times: int = 1) -> None:
        """Add points by account, or take them away."""
        rows, players = self.rows, self.players
        for account, points in moved.items():
            old = rows.get(account, 0)
            new = rows[account] = old + times * points
            players[old] -= 1
            players[new] += 1


class BulkFold:
    """Takes whole logs. `entries` and `histories` grow as facts come, until somebody takes them away."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.as_of_day: date | None = None
        self.refused: list[Fact] = []
        self.entries: list[bytes] = []  # for a binary COPY
        self.histories: list[History] = []
        self.raw_accounts: dict[str, bytes] = {}  # ids as they are stored
        self._bounded: dict[Sheet, Rows] = {}  # the sheets of days, and that of ratings
        self._weeks: dict[Sheet, Rows] = {}
        self._standing = {board: _Running() for board in _STANDING}
        self._news: dict[tuple[Family, date], Rows] = {}
        self._slots: dict[tuple[int, str, str], _Slot | None] = {}
        self._players: dict[str, str | None] = {}

    def take(self, facts: Iterable[Sequence[Any]]) -> None:
        """Fold the next facts, each with the columns of a `Fact`. Raises what an unreadable one raises."""
        slots, players, raw, keep = self._slots, self._players, self.raw_accounts, self.entries.append
        for fact in facts:
            seq, type_, version, occurred, data = fact
            if type_ != TRANSFER_POSTED:
                self._take_other(Fact(*fact))
                continue
            assert version == 1, f"the fact at {seq} has schema version {version}"
            message = posted_message(data)
            kind = (message.asset, message.reason, message.day)
            slot = slots.get(kind, UNOPENED)
            if slot is UNOPENED:
                slot = self._open_slot(data)
            if slot is None:
                continue
            rows, news, family, day = slot
            debit, credit, amount = message.debit, message.credit, message.amount
            giver, taker = players.get(debit, UNMET), players.get(credit, UNMET)
            if giver is UNMET:
                giver = self._meet(debit)
            if taker is UNMET:
                taker = self._meet(credit)
            given = 0 if giver is None else rows.get(giver, 0) - amount
            taken = 0 if taker is None else rows.get(taker, 0) + amount
            if not (
                -DAY_POINTS_MAX <= given <= DAY_POINTS_MAX and -DAY_POINTS_MAX <= taken <= DAY_POINTS_MAX
            ):
                self.refused.append(Fact(*fact))
                continue
            if giver is not None:
                rows[giver] = given
                news[giver] = news.get(giver, 0) - amount
                keep(pack_entry(6, 16, raw[giver], 2, family, 4, day, 8, seq, 8, -amount, 8, occurred))
            if taker is not None:
                rows[taker] = rows.get(taker, 0) + amount
                news[taker] = news.get(taker, 0) + amount
                keep(pack_entry(6, 16, raw[taker], 2, family, 4, day, 8, seq, 8, amount, 8, occurred))

    def sheets(self) -> Iterator[tuple[Sheet, Rows]]:
        """Yield all sheets that list anybody, with their rows."""
        self._bring_up()
        years = {sheet_on(board, STANDING_SHEET_DAY): self._standing[board].rows for board in _YEARS}
        for kept in (self._bounded, self._weeks, years):
            for sheet, rows in kept.items():
                if listed := {account: points for account, points in rows.items() if points}:
                    yield sheet, listed

    def _take_other(self, fact: Fact) -> None:
        """Take a fact that is no transfer: the closing of a day, or nothing that moves a board."""
        if fact.type != LEDGER_DAY_CLOSED:
            return
        assert fact.schema_version == 1, f"the fact at {fact.seq} has schema version {fact.schema_version}"
        day = closed_day(fact.data)
        if self.as_of_day is None:
            self._bring_up()
            self.as_of_day = day + ONE_DAY
            for sheet in open_sheets(self.as_of_day):
                self._standing[year_of(sheet).board].add(self._bounded.get(sheet, {}))
        elif self.as_of_day == day:
            self._bring_up()
            self._keep_histories(fact.seq, day)
            for leaving, entering in rolling(day):
                year = self._standing[year_of(leaving).board]
                year.add(self._bounded.get(leaving, {}), -1)
                year.add(self._bounded.get(entering, {}))
            self.as_of_day = day + ONE_DAY

    def _open_slot(self, data: bytes) -> _Slot | None:
        """Return where transfers like this one are added up; None where they do not count."""
        transfer = transfer_of(data, EPOCH)
        kind = (ASSET_TO_WIRE[transfer.asset], transfer.reason, transfer.day.isoformat())
        self._slots[kind] = None
        if (family := family_of(transfer)) is not None:
            sheet = sheets_of(family, transfer.day, None)[0]
            self._slots[kind] = _Slot(
                self._bounded.setdefault(sheet, {}),
                self._news.setdefault((family, transfer.day), {}),
                FAMILY_CODE[family],
                day_number(transfer.day),
            )
        return self._slots[kind]

    def _meet(self, ledger_account: str) -> str | None:
        """Return the player behind a ledger account that comes for the first time; None for the house."""
        player = self._players[ledger_account] = player_of(ledger_account)
        if player is not None:
            self.raw_accounts[player] = UUID(player).bytes
        return player

    def _bring_up(self) -> None:
        """Add what came in to weeks, to years where their window counts its day, and to ratings."""
        for (family, day), news in self._news.items():
            if family is Family.RATING:
                self._standing[Board.RACE_RATING].add(news)
                continue
            _, week, *year = sheets_of(family, day, self.as_of_day)
            rows = self._weeks.setdefault(week, {})
            for account, points in news.items():
                rows[account] = rows.get(account, 0) + points
            for sheet in year:
                self._standing[sheet.board].add(news)
        self._news.clear()
        self._slots.clear()

    def _keep_histories(self, seq: int, day: date) -> None:
        """Keep every board as it is shown at the end of a day."""
        for board in Board:
            sheet = sheet_on(board, day)
            if board in _STANDING:
                players = self._standing[board].players
            else:
                kept = self._bounded if board in _DAILY else self._weeks
                players = Counter(kept.get(sheet, {}).values())
            falling = sorted((each for each, count in players.items() if each and count), reverse=True)
            listed = list(accumulate(players[each] for each in falling))
            self.histories.append(History(day, board, seq, falling[::-1], listed[::-1]))
