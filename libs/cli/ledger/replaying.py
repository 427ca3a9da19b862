"""The boards as they were shown at an instant, from the log alone, held against what the service answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Protocol

from libs.cli.events.feeds import Feeds, Range, pages
from libs.client.errors import SparrowError
from libs.client.ledger_operations import LedgerFault
from libs.client.results import BoardKind
from libs.eventsourcing.envelope import Part
from services.ledger.domain.boards import Boards
from services.ledger.domain.ranks import Entry, listed
from services.ledger.domain.windows import Board, sheet_on
from services.ledger.wire.events import decode

AT_ONCE: Final = 1_000
NOT_SHOWN: Final = frozenset({"NOT_FOUND", "NOT_READY"})
"""How the service says that no board was shown at an instant, or was ever."""

Advance = Callable[[str, int, int], None]


class AsOf(Protocol):
    """Answers what a board showed at an instant."""

    def board_as_of(self, board: BoardKind, at: datetime) -> AsyncIterator[tuple[int, str, int]]:
        """Yield (rank, player, points), from the top."""
        ...


@dataclass(frozen=True, slots=True)
class Replayed:
    """The boards that the log makes up to an instant."""

    sequence: int
    day: date | None
    boards: dict[BoardKind, list[Entry]]


async def replay(feeds: Feeds, at: datetime, advance: Advance) -> Replayed:
    """Fold all facts that were placed in the ledger's feed up to an instant."""
    boards, sequence = Boards(), 0
    _, end = await feeds.read_feed("ledger", Part.FACTS, 1, 1)
    async for entries in pages(feeds, Range("ledger", Part.FACTS, 1, end)):
        for entry in entries:
            if entry.at > at:
                break
            fact = decode(entry.event)
            if fact is not None:
                boards.fold(entry.seq, fact)
            sequence = entry.seq
        boards.settle()  # what changed on the way is of no use here
        advance("replaying the log", sequence, end)
        if sequence < entries[-1].seq:
            break
    day = boards.as_of_day
    shown = {
        kind: listed(boards.sheets.get(sheet_on(Board(kind.value), day), {})) if day is not None else []
        for kind in BoardKind
    }
    return Replayed(sequence, day, shown)


async def held_against(replayed: Replayed, service: AsOf, at: datetime) -> AsyncIterator[LedgerFault]:
    """Yield each row that the service answers otherwise, or not at all.

    Where the log shows no day yet the service has to refuse each board: what it answers is a fault.
    """
    if replayed.day is None:
        for kind in replayed.boards:
            if not await _is_refused(service, kind, at):
                yield LedgerFault("board", kind.value, "", "", 0, "", "an answer", "a refusal")
        return
    for kind, entries in replayed.boards.items():
        expected = {f"players/{entry.account}": (entry.rank, entry.points) for entry in entries}
        async for rank, player, points in service.board_as_of(kind, at):
            should = expected.pop(player, None)
            if should != (rank, points):
                yield _fault(kind, replayed.day, player, (rank, points), should)
        for player, should in expected.items():
            yield _fault(kind, replayed.day, player, None, should)


async def _is_refused(service: AsOf, kind: BoardKind, at: datetime) -> bool:
    try:
        async for _ in service.board_as_of(kind, at):
            return False
    except SparrowError as error:
        if error.reason not in NOT_SHOWN:
            raise
        return True
    return False


def _fault(
    kind: BoardKind, day: date, player: str, stored: tuple[int, int] | None, should: tuple[int, int] | None
) -> LedgerFault:
    was, expected = ("" if each is None else f"rank {each[0]}, {each[1]}" for each in (stored, should))
    return LedgerFault("row", kind.value, day.isoformat(), player, 0, "", was, expected)
