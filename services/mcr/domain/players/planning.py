"""Players who head for complete hands that count 8 points, by what every tile is worth for them.

A discard is the one after which most stays, less the danger that somebody wins with it. A claim or a kong is
made where the hand is worth more with it than without.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Final

from libs.kernel.mcr_plan import plan
from libs.rules.mcr.melds import Set, SetKind, concealed_kong, exposed
from libs.rules.mcr.plan_terms import RATE_BITS, Plan, Question, Rates
from libs.rules.mcr.tiles import ALL_TILES, FIRST_HONOR, ORPHANS, RANKS, TileIndex
from libs.rules.mcr.wall import SEATS, kind_of, kinds_of
from libs.rules.solitaire.prng import Prng, child_seed
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
from services.mcr.domain.deal.view import DealView
from services.mcr.domain.players.baseline import fastest
from services.mcr.domain.players.danger import danger
from services.mcr.domain.players.hope import hope_of
from services.mcr.domain.players.seen import Seen, Sets, Tiles, seen, without

_OFTENER: Final = 1.2
"""Terminals and honours are discarded so much more than other tiles."""
_KONG: Final = 1.1
"""A kong draws one more tile."""
_COST: Final = 16.0
"""What is paid more on average when an opponent wins with one's own discard."""


@dataclass(frozen=True, slots=True)
class Style:
    """What a player looks at."""

    horizon: float = 4.0
    """Turns within which tiles should come, while the wall lasts so long."""
    next_discards: float = 0.7
    """How often the player before discards a tile that comes, of the times that it could be drawn."""
    all_discards: float = 2.0
    """The same for the three opponents together."""
    base: int = 24
    """What a win is worth besides its points."""
    caution: float = 0.7
    """How much of the cost of a discard that somebody wins with is counted."""
    sees_table: bool = True
    """Whether discards and others' melds are looked at, or the own tiles alone."""
    slips: int = 0
    """Of a hundred decisions, how many are made for speed alone."""


def planned(style: Style, seed: bytes, view: DealView) -> Action:
    """What a player of this style does at the view's open decision; the seed says when it slips."""
    assert view.open is not None, "the seat can act"
    actions = view.open.actions
    if Win() in actions:
        return Win()
    if style.slips and _chance(seed, view).below(100) < style.slips:
        return fastest(view)
    turn = _Decision(style, view)
    return turn.answer(actions) if Pass() in actions else turn.play(actions)


def _chance(seed: bytes, view: DealView) -> Prng:
    """Chance for one decision: another at the next one, and at every seat."""
    return Prng(child_seed(seed, f"{view.terms.table_id} {view.terms.number} {view.seat} {view.decision}"))


class _Decision:
    """One decision: the questions that it asks share what the seat sees."""

    def __init__(self, style: Style, view: DealView) -> None:
        self.style, self.view = style, view
        self.seen = seen(view, is_table_seen=style.sees_table)
        self.rates = _rates(style, self.seen, view.wall_left)

    def worth(self, held: Tiles, melds: Sets, reach: int = 0) -> Plan:
        return plan(
            Question(held, melds, self.seen.unseen, self.seen.winds, self.rates, self.style.base, reach)
        )

    def answer(self, actions: tuple[Action, ...]) -> Action:
        """A claim, or none."""
        held, melds = self.seen.held, self.seen.melds
        now = self.worth(held, melds)
        best: Action = Pass()
        most = now.total
        tried: set[tuple[Set, Tiles]] = set()
        for action in actions:
            if not isinstance(action, Chow | Pung | Kong):
                continue
            made = _claimed(self.view, action)
            if (made, kinds_of(action.tiles)) in tried:
                continue
            tried.add((made, kinds_of(action.tiles)))
            rest = without(held, kinds_of(action.tiles))
            then = self.worth(rest, (*melds, made), now.reach)
            value = then.total if isinstance(action, Kong) else max(then.worth)
            if value > most:
                best, most = action, value
        return best

    def play(self, actions: tuple[Action, ...]) -> Action:
        """A kong or a discard."""
        held, melds = self.seen.held, self.seen.melds
        now = self.worth(held, melds)
        most = max(now.worth)
        for action in actions:
            after = _after_kong(action, held, melds)
            if after is not None and self.worth(*after, now.reach).total * _KONG >= most:
                return action
        hope = hope_of(now.nearest, self.view.wall_left)
        risks = danger(self.view, self.seen.unseen) if self.style.caution else [0.0] * len(ALL_TILES)
        cost = self.style.caution * (_COST + hope)

        def keeping(discard: Discard) -> tuple[float, int, int]:
            kind = kind_of(discard.tile)
            kept = hope * sqrt(now.worth[kind] / most) if most else 0.0
            return kept - cost * risks[kind], -sum(_near(kind, other) for other in held), discard.tile

        return max((action for action in actions if isinstance(action, Discard)), key=keeping)


def _rates(style: Style, known: Seen, wall_left: int) -> Rates:
    """How likely each kind comes within the horizon: of a tile a turn, and of others' discards."""
    hidden = sum(known.unseen)
    turns = min(style.horizon, max(1.0, wall_left / SEATS))

    def of(discards: float) -> list[int]:
        rates = []
        for kind in ALL_TILES:
            often = discards * (_OFTENER if kind in ORPHANS else 1)
            comes = turns * known.unseen[kind] / hidden * (1 + often)
            rates.append(int((1 << RATE_BITS) * comes / (1 + comes)))
        return rates

    return Rates(of(0), of(style.next_discards), of(style.all_discards))


def _claimed(view: DealView, action: Chow | Pung | Kong) -> Set:
    """The set that a claim makes."""
    assert view.offered is not None, "a tile is offered"
    match action:
        case Chow(tiles=tiles):
            return exposed(SetKind.CHOW, min(kinds_of((*tiles, view.offered))))
        case Pung():
            return exposed(SetKind.PUNG, kind_of(view.offered))
        case Kong():
            return exposed(SetKind.KONG, kind_of(view.offered))


def _after_kong(action: Action, held: Tiles, melds: Sets) -> tuple[Tiles, Sets] | None:
    """The hand after a kong in one's turn, before its tile is replaced."""
    match action:
        case ConcealedKong(tiles=tiles):
            return without(held, kinds_of(tiles)), (*melds, concealed_kong(kind_of(tiles[0])))
        case AddedKong(tile=tile):
            kind = kind_of(tile)
            made = exposed(SetKind.KONG, kind)
            pung = exposed(SetKind.PUNG, kind)
            return without(held, (kind,)), tuple(made if one == pung else one for one in melds)
        case _:
            return None


def _near(kind: TileIndex, other: TileIndex) -> int:
    """How well two tiles go together: 4 the same, 2 next to each other, 1 with one between."""
    if kind == other:
        return 4
    if kind >= FIRST_HONOR or kind // RANKS != other // RANKS:
        return 0
    return max(0, 3 - abs(kind - other))
