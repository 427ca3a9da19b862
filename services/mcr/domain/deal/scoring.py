"""What the scorer is asked: the hand of a seat, and the circumstances of its last tile."""

from __future__ import annotations

from typing import Protocol

from libs.rules.mcr.hand import Hand
from libs.rules.mcr.hand import Win as LastTile
from libs.rules.mcr.score import POINTS_TO_WIN
from libs.rules.mcr.tiles import COPIES, TileIndex
from libs.rules.mcr.wall import SEATS, TileId, copies_of, is_bonus, kind_of, kinds_of
from services.mcr.domain.deal.state import AfterDraw, DiscardWindow, RobbingWindow, Table, Window
from services.mcr.domain.deal.terms import Source, WinScore


class Scorer(Protocol):
    """Says what a hand is worth."""

    def __call__(self, hand: Hand, last: LastTile) -> WinScore | None:
        """The highest score of these tiles, below 8 points too; None for a hand that is not complete."""


def face_up(table: Table, kind: TileIndex) -> int:
    """How many tiles of a kind all can see: discards and melds, but no concealed kong."""
    copies = copies_of(kind)
    exposed = [meld.tiles for melds in table.melds for meld in melds if meld.is_exposed]
    return sum(tile in tiles for tiles in (*table.discards, *exposed) for tile in copies)


def score_of_draw(state: AfterDraw, scorer: Scorer) -> WinScore | None:
    """The hand of the seat on turn with the tile it drew."""
    table, seat, drawn = state.table, state.seat, state.drawn
    if is_bonus(drawn):
        return None
    before = tuple(tile for tile in table.hands[seat] if tile != drawn)
    last = LastTile(
        tile=kind_of(drawn),
        self_drawn=True,
        last_of_kind=face_up(table, kind_of(drawn)) == COPIES - 1,
        last_tile=table.wall_left == 0,
        kong_related=state.source is Source.KONG,
        seat_wind=table.seat_wind(seat),
        prevalent_wind=table.terms.prevalent_wind,
        flowers=len(table.flowers[seat]),
    )
    return scorer(_hand(table, seat, before), last)


def score_of_offered(window: Window, seat: int, scorer: Scorer) -> WinScore | None:
    """The hand of a seat with the tile of a window."""
    table, kind = window.table, kind_of(window.tile)
    # A discard lies face up itself; a tile that is added to a pung is none of the three.
    others = face_up(table, kind) - isinstance(window, DiscardWindow)
    last = LastTile(
        tile=kind,
        last_of_kind=others == COPIES - 1,
        last_tile=table.wall_left == 0,
        kong_related=isinstance(window, RobbingWindow),
        seat_wind=table.seat_wind(seat),
        prevalent_wind=table.terms.prevalent_wind,
        flowers=len(table.flowers[seat]),
    )
    return scorer(_hand(table, seat, table.hands[seat]), last)


def is_enough(score: WinScore | None) -> bool:
    """Whether a hand may be declared: 8 points before flowers."""
    return score is not None and score.points >= POINTS_TO_WIN


def winners(window: Window, scorer: Scorer) -> tuple[int, ...]:
    """The seats that may declare a win with the tile of a window, ascending."""
    others = (seat for seat in range(SEATS) if seat != window.seat)
    return tuple(seat for seat in others if is_enough(score_of_offered(window, seat, scorer)))


def _hand(table: Table, seat: int, concealed: tuple[TileId, ...]) -> Hand:
    return Hand(kinds_of(concealed), tuple(meld.as_set for meld in table.melds[seat]))
