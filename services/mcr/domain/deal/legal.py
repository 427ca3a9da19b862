"""What a seat can do now: exactly what `decide` accepts from it."""

from __future__ import annotations

from libs.rules.mcr.claims import own_kongs
from libs.rules.mcr.wall import SEATS, is_bonus
from services.mcr.domain.deal.actions import Action, AddedKong, ConcealedKong, Discard, Pass, Win
from services.mcr.domain.deal.judging import can_be_added
from services.mcr.domain.deal.state import AfterClaim, AfterDraw, DiscardWindow, RobbingWindow, State
from services.mcr.domain.deal.windows import claims_of


def legal_actions(state: State, seat: int) -> tuple[Action, ...]:
    """Every action of a seat that would be accepted, each set of physical tiles by itself; often none.

    A win is among them where it counts 8 points: what was found out when the decision opened.
    """
    match state:
        case AfterDraw(seat=turn) | AfterClaim(seat=turn):
            return _in_turn(state) if turn == seat else ()
        case DiscardWindow() | RobbingWindow():
            claims = claims_of(state, seat)
            return (*claims, Pass()) if claims and state.answers[seat] is None else ()
        case _:
            return ()


def seats_to_act(state: State) -> tuple[int, ...]:
    """The seats that can do something now, ascending."""
    return tuple(seat for seat in range(SEATS) if legal_actions(state, seat))


def _in_turn(turn: AfterDraw | AfterClaim) -> tuple[Action, ...]:
    if isinstance(turn, AfterDraw) and is_bonus(turn.drawn):
        return ()  # it is replaced at once
    table, hand = turn.table, turn.table.hands[turn.seat]
    discards = tuple(map(Discard, hand))
    if isinstance(turn, AfterClaim):
        return discards
    win: tuple[Action, ...] = (Win(),) if turn.may_win else ()
    if table.wall_left == 0:
        return (*win, *discards)
    fourth = (tile for tile in hand if can_be_added(table, turn.seat, tile))
    return (*win, *map(ConcealedKong, own_kongs(hand)), *map(AddedKong, fourth), *discards)
