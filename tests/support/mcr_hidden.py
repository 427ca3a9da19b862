"""The same deal as one seat sees it, with everything that is hidden from that seat otherwise."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from random import Random

from libs.rules.mcr.tiles import KINDS, TileIndex
from libs.rules.mcr.wall import SEATS, TileId, copies_of, is_bonus
from services.mcr.domain.deal.actions import Answer, Pass, Win
from services.mcr.domain.deal.state import (
    AfterClaim,
    AfterDraw,
    DiscardWindow,
    Open,
    RobbingWindow,
    Table,
    Turn,
    Window,
)
from services.mcr.domain.deal.terms import Meld, MeldKind


def otherwise(state: Open, seat: int | None, rng: Random) -> Open:
    """The state with other tiles in the others' hands, their concealed kongs and the wall.

    What only they know of themselves is another thing too: what they could win with, and have answered.
    """
    assert isinstance(state, AfterDraw | AfterClaim | DiscardWindow | RobbingWindow), "somebody can act"
    table = _exchanged(state.table, seat, rng)
    if isinstance(state, DiscardWindow | RobbingWindow):
        return _window(state, table, seat, rng)
    return _turn(state, table, seat, rng)


def _exchanged(table: Table, seat: int | None, rng: Random) -> Table:
    others = [each for each in range(SEATS) if each != seat]
    ends = (table.front, len(table.wall.tiles) - table.back)
    hidden = [*chain(*(table.hands[other] for other in others)), *table.wall.tiles[slice(*ends)]]
    melds = list(table.melds)
    for other in others:
        melds[other] = tuple(_kong(meld, hidden, rng) for meld in melds[other])
    rng.shuffle(hidden)
    hidden.sort(key=is_bonus)  # hands hold no flowers
    hands = list(table.hands)
    for other in others:
        size = len(hands[other])
        hands[other], hidden = tuple(sorted(hidden[:size])), hidden[size:]
    rng.shuffle(hidden)
    tiles = (*table.wall.tiles[: ends[0]], *hidden, *table.wall.tiles[ends[1] :])
    wall = replace(table.wall, tiles=tiles)
    return table._replace(hands=tuple(hands), melds=tuple(melds), wall=wall)


def _kong(meld: Meld, hidden: list[TileId], rng: Random) -> Meld:
    """A concealed kong of another kind, where all four of one are hidden; its tiles become hidden."""
    if meld.kind is not MeldKind.CONCEALED_KONG:
        return meld
    whole = [copies_of(TileIndex(kind)) for kind in range(KINDS)]
    choice = [copies for copies in whole if set(copies) <= set(hidden)]
    if not choice:
        return meld
    found = rng.choice(choice)
    hidden[:] = [*(tile for tile in hidden if tile not in found), *meld.tiles]
    return replace(meld, tiles=found)


def _window(window: Window, table: Table, seat: int | None, rng: Random) -> Window:
    others = [each for each in range(SEATS) if each not in {seat, window.seat}]
    may_win = {each for each in others if rng.random() < 0.5} | ({seat} & set(window.may_win))
    answers: list[Answer | None] = list(window.answers)
    for other in others:
        answers[other] = rng.choice((None, Pass(), Win()))
    winners = tuple(sorted(each for each in may_win if each is not None))
    return replace(window, table=table, may_win=winners, answers=tuple(answers))


def _turn(turn: Turn, table: Table, seat: int | None, rng: Random) -> Turn:
    if isinstance(turn, AfterClaim) or turn.seat == seat:
        return replace(turn, table=table)
    drawn = rng.choice(table.hands[turn.seat])
    return replace(turn, table=table, drawn=drawn, may_win=rng.random() < 0.5)
