"""What stronger players are measured against: any legal action, and the fastest way to a complete hand.

Both take every win that is offered. The fastest player counts how many tiles a hand is away from ready
(shanten), and neither points nor danger: hands that are complete below 8 points do not win.
"""

from __future__ import annotations

from collections.abc import Iterable

from libs.kernel.mcr import least_shanten
from libs.rules.mcr.hand import Hand
from libs.rules.mcr.melds import Set, SetKind, concealed_kong, exposed
from libs.rules.mcr.tiles import TileIndex, rank_of, suit_of
from libs.rules.mcr.wall import TileId, kind_of, kinds_of
from libs.rules.solitaire.prng import Prng
from services.mcr.domain.deal.actions import (
    Action,
    AddedKong,
    Chow,
    ConcealedKong,
    Discard,
    Kong,
    Pass,
    Pung,
    Win,
)
from services.mcr.domain.deal.autoplay import Chooser
from services.mcr.domain.deal.terms import Meld
from services.mcr.domain.deal.view import DealView

Tiles = tuple[TileIndex, ...]
Sets = tuple[Set, ...]


def any_legal(seed: bytes) -> Chooser:
    """Wins that are offered, else any action, each equally likely; the seed decides."""
    chance = Prng(seed)

    def choose(view: DealView) -> Action:
        actions = _open(view)
        return Win() if Win() in actions else actions[chance.below(len(actions))]

    return choose


def fastest(view: DealView) -> Action:
    """The action after which the hand is the fewest tiles away from ready; of equal ones the quieter."""
    actions = _open(view)
    if Win() in actions:
        return Win()
    held, sets = _own(view)
    if Pass() in actions:
        rest = [action for action in actions if not isinstance(action, Pass)]
        best = min(rest, key=lambda action: _after_claim(held, sets, action, view))
        return best if _after_claim(held, sets, best, view) < _distance(held, sets) else Pass()
    kong = next((one for one in actions if _is_free(one, held, sets)), None)
    if kong is not None:
        return kong
    discards = [action for action in actions if isinstance(action, Discard)]
    return min(discards, key=lambda one: _after_discard(held, sets, kind_of(one.tile)))


def _open(view: DealView) -> tuple[Action, ...]:
    assert view.open is not None, "the seat can act"
    return view.open.actions


def _own(view: DealView) -> tuple[Tiles, Sets]:
    """The own concealed kinds and melds."""
    assert view.seat is not None, "a bystander plays nothing"
    own = view.seats[view.seat]
    assert own.hand is not None, "the own hand is open"
    sets = tuple(Meld(meld.kind, meld.tiles).as_set for meld in own.melds)
    return kinds_of(own.hand), sets


def _distance(held: Tiles, sets: Sets) -> int:
    return least_shanten(Hand(held, sets))


def _without(held: Tiles, gone: Iterable[TileIndex]) -> Tiles:
    rest = list(held)
    for kind in gone:
        rest.remove(kind)
    return tuple(rest)


def _after_discard(held: Tiles, sets: Sets, kind: TileIndex) -> tuple[int, int]:
    """How far the rest of the hand is from ready, and how many neighbours it would miss the tile by."""
    rest = _without(held, (kind,))
    return _distance(rest, sets), sum(_near(kind, other) for other in rest)


def _near(kind: TileIndex, other: TileIndex) -> int:
    """How well two tiles go together: 4 the same, 2 next to each other, 1 with one between."""
    if kind == other:
        return 4
    if suit_of(kind) is None or suit_of(kind) != suit_of(other):
        return 0
    return max(0, 3 - abs(rank_of(kind) - rank_of(other)))


def _after_claim(held: Tiles, sets: Sets, action: Action, view: DealView) -> int:
    """How far the hand is from ready after a claim, with the best discard where one follows."""
    assert view.offered is not None, "a tile is offered"
    offered: TileId = view.offered
    match action:
        case Chow(tiles=tiles):
            made = exposed(SetKind.CHOW, min(kinds_of((*tiles, offered))))
        case Pung(tiles=tiles):
            made = exposed(SetKind.PUNG, kind_of(offered))
        case Kong(tiles=tiles):
            return _distance(
                _without(held, kinds_of(tiles)), (*sets, exposed(SetKind.KONG, kind_of(offered)))
            )
        case _:
            raise AssertionError(f"{action} is no claim for a set")
    rest = _without(held, kinds_of(tiles))
    return min(_distance(_without(rest, (kind,)), (*sets, made)) for kind in set(rest))


def _is_free(action: Action, held: Tiles, sets: Sets) -> bool:
    """Whether a kong in one's turn takes the hand no further from ready than the best discard."""
    match action:
        case ConcealedKong(tiles=tiles):
            kind, rest = kind_of(tiles[0]), _without(held, kinds_of(tiles))
            made: Sets = (*sets, concealed_kong(kind))
        case AddedKong(tile=tile):
            kind, rest = kind_of(tile), _without(held, (kind_of(tile),))
            made = tuple(exposed(SetKind.KONG, kind) if _is_pung_of(one, kind) else one for one in sets)
        case _:
            return False
    return _distance(rest, made) <= min(_after_discard(held, sets, other)[0] for other in set(held))


def _is_pung_of(one: Set, kind: TileIndex) -> bool:
    return one.kind is SetKind.PUNG and one.tile == kind
