"""Kongs and claims judged: what is wrong with them."""

from __future__ import annotations

from libs.rules.mcr.claims import Tiles, distance, makes_chow, makes_same
from libs.rules.mcr.wall import TileId, kind_of
from services.mcr.domain.deal.actions import AddedKong, Answer, Chow, ConcealedKong, Kong, Pass, Pung
from services.mcr.domain.deal.refusal import Refusal
from services.mcr.domain.deal.state import RobbingWindow, Table, Window
from services.mcr.domain.deal.terms import MeldKind
from services.mcr.domain.deal.windows import claims_of


def can_be_added(table: Table, seat: int, tile: TileId) -> bool:
    """Whether a seat has a melded pung of the kind of this tile."""
    pungs = (meld for meld in table.melds[seat] if meld.kind is MeldKind.PUNG)
    return any(kind_of(pung.tiles[0]) == kind_of(tile) for pung in pungs)


def judge_kong(table: Table, seat: int, action: ConcealedKong | AddedKong) -> Refusal | None:
    """What is wrong with a kong in one's turn."""
    tiles = action.tiles if isinstance(action, ConcealedKong) else (action.tile,)
    if table.wall_left == 0:
        return Refusal.NO_REPLACEMENT
    if not _holds(table, seat, tiles):
        return Refusal.NO_SUCH_TILE
    if isinstance(action, ConcealedKong):
        return None if makes_same(tiles[0], tiles) else Refusal.NOT_A_SET
    return None if can_be_added(table, seat, action.tile) else Refusal.NOT_A_SET


def judge_answer(window: Window, seat: int, answer: Pass | Pung | Kong | Chow) -> Answer | Refusal:
    """The answer with its tiles ascending, or what is wrong with it."""
    if isinstance(answer, Pass):
        return answer if claims_of(window, seat) else Refusal.NOTHING_TO_CLAIM
    if isinstance(window, RobbingWindow):
        return Refusal.NOTHING_TO_CLAIM
    if window.table.wall_left == 0:
        return Refusal.NO_REPLACEMENT if isinstance(answer, Kong) else Refusal.LAST_TILE
    if isinstance(answer, Chow) and distance(seat, window.seat) != 1:
        return Refusal.NOT_NEXT
    if not _holds(window.table, seat, answer.tiles):
        return Refusal.NO_SUCH_TILE
    makes = makes_chow if isinstance(answer, Chow) else makes_same
    if not makes(window.tile, answer.tiles):
        return Refusal.NOT_A_SET
    return type(answer)(tuple(sorted(answer.tiles)))


def _holds(table: Table, seat: int, tiles: Tiles) -> bool:
    return set(tiles) <= set(table.hands[seat])
