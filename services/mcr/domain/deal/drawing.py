"""How tiles come into a hand: flowers are shown at once and replaced from the wall's end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from libs.rules.mcr.wall import WALL_VERSION, is_bonus, seats_from
from services.mcr.domain.deal.events import (
    DealDealt,
    DealEnded,
    Event,
    FlowerReplaced,
    PlayBegan,
    TileDrawn,
    WallRevealed,
)
from services.mcr.domain.deal.evolve import evolve, initial
from services.mcr.domain.deal.scoring import Scorer, is_enough, score_of_draw
from services.mcr.domain.deal.state import AfterDraw, Dealing, Dealt
from services.mcr.domain.deal.terms import DealTerms, Drawn, DrawReason, Outcome, Source, Wall


def begun(terms: DealTerms, wall: Wall, at: datetime) -> list[Event]:
    """The first facts of a deal: dealt, and all flowers replaced, the dealer's first, until nobody holds one.

    Each seat in turn shows all it holds; who gets flowers for them shows those in the next round.
    """
    events: list[Event] = [DealDealt(terms, wall, at)]
    state = evolve(initial(), events[0])
    while True:
        assert isinstance(state, Dealing), "nobody acts yet"
        before = len(events)
        for seat in seats_from(wall.dealer):
            for flower in filter(is_bonus, state.table.hands[seat]):
                shown = FlowerReplaced(
                    seat, flower, state.table.next_replacement, may_win=False, occurred_at=at
                )
                events.append(shown)
                state = evolve(state, shown)
                assert isinstance(state, Dealing), "nobody acts yet"
        if len(events) == before:
            return events


def first_turn(dealing: Dealing, at: datetime, scorer: Scorer) -> list[Event]:
    """The dealer's turn begins."""
    turn = evolve(dealing, PlayBegan(may_win=False, occurred_at=at))
    assert isinstance(turn, AfterDraw), "the dealer has drawn"
    return [PlayBegan(may_win=is_enough(score_of_draw(turn, scorer)), occurred_at=at)]


def draw(state: Dealt, seat: int, source: Source, at: datetime, scorer: Scorer) -> list[Event]:
    """A seat draws, and shows flowers until another tile comes; without one left, nobody wins.

    From the beginning of the wall for a turn, from its end after a kong; a tile is left.
    """
    return list(_drawn(state, seat, source, at, scorer))


def ended(outcome: Outcome, state: Dealt, at: datetime) -> list[Event]:
    """The end of the deal, and its wall laid open."""
    wall = state.table.wall
    return [DealEnded(outcome, at), WallRevealed(WALL_VERSION, wall.seed, wall.nonce, at)]


def _drawn(state: Dealt, seat: int, source: Source, at: datetime, scorer: Scorer) -> Iterator[Event]:
    table = state.table
    tile = table.next_tile if source is Source.WALL else table.next_replacement
    event: TileDrawn | FlowerReplaced = TileDrawn(seat, tile, source, may_win=False, occurred_at=at)
    while True:
        after = evolve(state, event)
        assert isinstance(after, AfterDraw), "whoever drew is on turn"
        if not is_bonus(tile):
            yield replace(event, may_win=is_enough(score_of_draw(after, scorer)))
            return
        yield event
        state, table = after, after.table
        if table.wall_left == 0:
            yield FlowerReplaced(seat, tile, None, may_win=False, occurred_at=at)
            yield from ended(Drawn(DrawReason.FLOWER), state, at)
            return
        flower, tile = tile, table.next_replacement
        event = FlowerReplaced(seat, flower, tile, may_win=False, occurred_at=at)
