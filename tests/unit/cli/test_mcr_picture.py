"""A deal of MCR as lines: everything that a seat sees is there, and nothing else."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pytest

from libs.cli.mcr.play.picture import About, deal_lines, hand_lines, meld_text, ordered
from libs.cli.mcr.tiles import Faces, name
from libs.client.deal_views import DealView, MeldKind, MeldView, Phase
from libs.rules.mcr.wall import TileId
from tests.support.mcr_client_play import Moment, moments

ABOUT = About(("You", "AI easy", "Ana", "AI strong"), 4, (12, -8, -8, 4))
TILE = re.compile(r"▌([1-9][mps]|[ESWNCFP] |Fl[1-4]|Se[1-4])")


def shown(deal: DealView, width: int = 110, faces: Faces = Faces.NOTATION) -> list[str]:
    """The lines without their colours."""
    return [line.plain for line in deal_lines(deal, ABOUT, width, faces)]


def visible(deal: DealView) -> Counter[str]:
    """The tiles that a view tells, by name."""
    tiles: Counter[str] = Counter()
    for seat in deal.seats:
        melded = [tile for meld in seat.melds for tile in meld.tiles]
        tiles.update(map(name, (*seat.hand, *seat.flowers, *seat.discards, *melded)))
    return tiles


@pytest.fixture(scope="module")
def deals() -> list[Moment]:
    """Moments of a few deals."""
    return [moment for number in range(4) for moment in list(moments(number, seat=number))[::5]]


@pytest.mark.parametrize("width", [72, 80, 110])
def test_every_tile_that_is_seen_is_drawn_and_no_line_is_too_wide(deals: list[Moment], width: int) -> None:
    """Hands, melds, flowers and discards; hidden tiles are only counted."""
    for moment in deals:
        deal = moment.told
        lines = shown(deal, width)
        assert max(map(len, lines)) <= width
        hidden = sum(
            bool(meld.tiles) and meld.kind is MeldKind.CONCEALED_KONG
            for seat in deal.seats
            for meld in seat.melds
        )
        assert len(TILE.findall("\n".join(lines))) == sum(visible(deal).values()) - 2 * hidden
        for seat in deal.seats:
            assert seat.hand or f"{seat.concealed}" in "\n".join(lines)


def test_the_heading_tells_what_goes_on(deals: list[Moment]) -> None:
    """Which deal, the round's wind, the wall, whose turn; the seat on turn is marked."""
    turn = next(moment.told for moment in deals if moment.told.phase is Phase.TURN)
    lines = shown(turn)
    wind = ("East", "South", "West", "North")[turn.seats[turn.turn or 0].wind]

    assert lines[0] == f"Deal 1 of 4 · East round · wall {turn.wall_left} · {wind} is on turn"
    assert [line[2:8].strip() for line in lines if line.startswith("▶")] == [wind]
    assert all(any(f"{points:+}" in line for line in lines) for points in ABOUT.totals)


def test_at_the_end_all_hands_lie_open() -> None:
    """Nothing is counted only any more."""
    over = list(moments(0))[-1].told

    assert over.phase is Phase.OVER
    assert "▒" not in "\n".join(shown(over)).replace("[▌▒▒", "")


def test_the_drawn_tile_stands_apart_and_has_the_last_number() -> None:
    """Whatever its rank."""
    hand = tuple(map(TileId, (0, 4, 8, 12)))
    tiles, numbers = (line.plain for line in hand_lines(hand, TileId(4)))

    assert ordered(hand, TileId(4)) == (0, 8, 12, 4)
    assert tiles == "▌1m▌3m▌4m  ▌2m"
    assert numbers.split() == ["1", "2", "3", "4"]
    assert tiles.index("▌2m") + 1 == numbers.index("4")


def test_a_concealed_kong_of_another_lies_face_down() -> None:
    """One's own shows its middle."""
    kong = MeldView(MeldKind.CONCEALED_KONG, (), None, None)
    own = replace(kong, tiles=tuple(map(TileId, range(4))))

    assert meld_text(kong).plain == "[▌▒▒▌▒▒▌▒▒▌▒▒]"
    assert meld_text(own).plain == "[▌▒▒▌1m▌1m▌▒▒]"


def test_drawings_are_narrower(deals: list[Moment]) -> None:
    """With the same lines."""
    deal = deals[10].told

    assert len(shown(deal, faces=Faces.DRAWN)) == len(shown(deal))
    assert "▌" not in "\n".join(shown(deal, faces=Faces.DRAWN))
