"""An MCR deal as lines of text: what goes on, the four seats, and the own hand with its numbers.

Hands that are open are shown, so that replays of whole deals use the same picture. Lines are no wider than
what is asked for, unless that is less than a hand; without colours all is still there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from libs.cli.mcr.tiles import LAID_GROUND, Faces, backs_text, tiles_text
from libs.client.deal_views import DealView, MeldKind, MeldView, Phase, SeatView
from libs.rules.mcr.wall import TileId

WINDS: Final = ("East", "South", "West", "North")
SEATS: Final = 4
_MARGIN: Final = 9
"""Columns before tiles that go on from the line above."""
_NAME_COLUMNS: Final = 16
_NARROWEST: Final = 40
_HAND_COLUMNS: Final = 3
"""Of a tile and its number."""
_COLUMNS: Final = {Faces.NOTATION: 3, Faces.DRAWN: 2}
_PHASES: Final = {
    Phase.DEALING: "the tiles are dealt",
    Phase.TURN: "{wind} is on turn",
    Phase.DISCARD: "{wind} is to discard",
    Phase.CLAIMS: "{wind}'s discard may be claimed",
    Phase.ROBBING: "{wind}'s kong may be robbed",
    Phase.OVER: "over",
}


@dataclass(frozen=True)
class About:
    """What a deal alone does not tell of its table."""

    names: tuple[str, ...]
    """By seat, as they are shown: no markup, one line."""
    deal_count: int = 1
    totals: tuple[int, ...] = (0,) * SEATS
    """Points of the deals before, by seat."""


def deal_lines(deal: DealView, about: About, width: int, faces: Faces = Faces.NOTATION) -> Iterator[Text]:
    """The whole picture; while the deal goes on the own hand comes last, with its numbers."""
    yield _heading(deal, about)
    for step in range(SEATS):
        seat = ((deal.seat or 0) + 1 + step) % SEATS
        yield from _seat_lines(deal, seat, about, width, faces)
    if deal.seat is not None and deal.phase is not Phase.OVER:
        yield Text()
        yield from hand_lines(deal.seats[deal.seat].hand, deal.drawn, faces)


def hand_lines(hand: Sequence[TileId], drawn: TileId | None, faces: Faces = Faces.NOTATION) -> Iterator[Text]:
    """A hand and below it the number of each tile, from 1; the drawn tile stands apart, on the right."""
    numbers, tiles = Text(), Text()
    for number, tile in enumerate(ordered(hand, drawn), start=1):
        gap = "  " if tile == drawn else ""
        shown = tiles_text((tile,), marked={tile} if tile == drawn else (), faces=faces)
        tiles.append(gap).append_text(shown).append(" " * (_HAND_COLUMNS - shown.cell_len))
        numbers.append(f"{gap}{number:>{_HAND_COLUMNS - 1}} ", "bold")
    yield tiles
    yield numbers


def ordered(hand: Sequence[TileId], drawn: TileId | None) -> tuple[TileId, ...]:
    """A hand as it is numbered: ascending, the drawn tile last."""
    last = () if drawn is None else (drawn,)
    return (*(tile for tile in hand if tile != drawn), *last)


def meld_text(meld: MeldView, faces: Faces = Faces.NOTATION) -> Text:
    """A set on the table; the claimed tile is marked, and a concealed kong lies face down at its ends."""
    if meld.kind is MeldKind.CONCEALED_KONG:
        if not meld.tiles:
            return Text("[").append_text(backs_text(4, faces)).append("]")
        inner = tiles_text(meld.tiles[1:3], faces=faces)
        return (
            Text("[")
            .append_text(backs_text(1, faces))
            .append_text(inner)
            .append_text(backs_text(1, faces))
            .append("]")
        )
    marked = () if meld.claimed is None else (meld.claimed,)
    return Text("[").append_text(tiles_text(meld.tiles, marked, faces)).append("]")


def _heading(deal: DealView, about: About) -> Text:
    wind = WINDS[deal.seats[deal.turn].wind] if deal.turn is not None else ""
    heading = Text().append(f"Deal {deal.number} of {about.deal_count}", "bold cyan")
    heading.append(f" · {WINDS[deal.prevalent_wind]} round · wall {deal.wall_left} · ", "bold")
    return heading.append(_PHASES[deal.phase].format(wind=wind), "bold")


def _seat_lines(deal: DealView, seat: int, about: About, width: int, faces: Faces) -> Iterator[Text]:
    view, is_own = deal.seats[seat], seat == deal.seat
    is_on_turn = seat == deal.turn and deal.phase in {Phase.TURN, Phase.DISCARD}
    line = Text().append("▶ " if is_on_turn else "  ", "bold yellow")
    line.append(f"{WINDS[view.wind]:<6} ", "bold green" if is_own else "bold")
    line.append_text(_who(deal, seat, about))
    if not is_own or deal.phase is Phase.OVER:
        line.append_text(_held(view, faces))
    for part in (*(meld_text(meld, faces) for meld in view.melds), _flowers(view, faces)):
        if line.cell_len + 1 + part.cell_len > max(width, _NARROWEST):
            yield line
            line = Text(" " * _MARGIN)
        line.append(" ").append_text(part)
    yield line
    offered = () if deal.offered is None else (deal.offered,)
    yield from _rows(view.discards, offered, width, faces)


def _who(deal: DealView, seat: int, about: About) -> Text:
    """The name, and what is known of it, in a column as wide as the longest."""
    shown = Text()
    column = min(_NAME_COLUMNS, max(cell_len(name) for name in about.names))
    shown.append(set_cell_size(about.names[seat], column), "green" if seat == deal.seat else "")
    if about.deal_count > 1:
        shown.append(f" {about.totals[seat]:>+5}", "dim")
    return shown.append(" D" if seat == deal.dealer else "  ", "bold cyan")


def _flowers(view: SeatView, faces: Faces) -> Text:
    return tiles_text(view.flowers, faces=faces)


def _held(view: SeatView, faces: Faces) -> Text:
    """The hand where it lies open, else how many tiles it has."""
    shown = Text(" ")
    if view.hand:
        return shown.append_text(tiles_text(view.hand, faces=faces))
    return shown.append("▒" * view.concealed, "grey62").append(f" {view.concealed}", "dim")


def _rows(tiles: Sequence[TileId], marked: Sequence[TileId], width: int, faces: Faces) -> Iterator[Text]:
    fit = max(1, (width - _MARGIN) // _COLUMNS[faces])
    for start in range(0, len(tiles), fit):
        yield Text(" " * _MARGIN).append_text(
            tiles_text(tiles[start : start + fit], marked, faces, LAID_GROUND)
        )
