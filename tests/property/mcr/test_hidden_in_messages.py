"""What is told of a deal, as it is sent: no hidden tile is in any message of a seat or a bystander."""

from __future__ import annotations

from itertools import chain
from random import Random

from libs.rules.mcr.wall import SEATS, TileId
from services.mcr.domain.deal.actions import Pass, Win
from services.mcr.domain.deal.events import ClaimAnswered, Event
from services.mcr.domain.deal.happenings import Happening, happening
from services.mcr.domain.deal.state import Dealt, Ended
from services.mcr.domain.deal.view import view_for
from services.mcr.wire.views import action_from, action_message, view_message
from tests.support.mcr_random_play import RandomDeal, Tally

DEALS = 8


def hidden(state: Dealt, viewer: int | None) -> set[TileId]:
    """The tiles that a viewer does not see: the others' hands and concealed kongs, the wall."""
    table = state.table
    others = [seat for seat in range(SEATS) if seat != viewer]
    hands = chain(*(table.hands[seat] for seat in others))
    melds = (meld for seat in others for meld in table.melds[seat] if not meld.is_exposed)
    wall = table.wall.tiles[table.front : len(table.wall.tiles) - table.back]
    return {*hands, *chain(*(meld.tiles for meld in melds)), *wall}


def told(what: Happening) -> set[TileId]:
    """Every tile that a happening names."""
    answer = () if what.answer is None or isinstance(what.answer, Win | Pass) else what.answer.tiles
    return {*answer, *what.kong, *(tile for tile in (what.tile, what.replacement) if tile is not None)}


def sent(state: Dealt, viewer: int | None) -> set[int]:
    """Every tile that the message of a view names."""
    message = view_message(view_for(state, viewer))
    tiles = set(message.answer.tiles)
    tiles |= {tile for action in message.open_decision.actions for tile in action.tiles}
    for seat in message.seats:
        tiles |= {*seat.hand, *seat.flowers, *seat.discards}
        tiles |= {tile for meld in seat.melds for tile in meld.tiles}
        tiles |= {meld.claimed_tile for meld in seat.melds if meld.HasField("claimed_tile")}
    for name in ("drawn_tile", "offered_tile"):
        if message.HasField(name):
            tiles.add(getattr(message, name))
    return tiles


def test_no_hidden_tile_is_in_a_message_and_actions_come_back_as_they_were_offered() -> None:
    """After every command of random deals, for each seat and a bystander."""
    happenings = 0
    for seed in range(DEALS):
        rng, deal = Random(seed), RandomDeal(seed, Tally())
        while not isinstance(deal.play.state, Ended):
            before = len(deal.play.events)
            deal.step()
            state, fresh = deal.play.deal, deal.play.events[before:]
            if isinstance(state, Ended):
                break
            viewer = rng.choice((*range(SEATS), None))
            secret = hidden(state, viewer)
            assert not secret & sent(state, viewer)
            happenings += check_told(fresh, viewer, secret)
            for action in deal.play.legal(0):
                assert action_from("action", action_message(action)) == action

    assert happenings > 500


def check_told(fresh: list[Event], viewer: int | None, secret: set[TileId]) -> int:
    """How many facts the viewer was told of; none of them names a hidden tile."""
    found = [happening(event, viewer) for event in fresh]
    for event, what in zip(fresh, found, strict=True):
        if isinstance(event, ClaimAnswered):
            assert (what is not None) is (event.seat == viewer)
        assert what is None or not told(what) & secret
    return sum(what is not None for what in found)
