"""How an MCR deal ended: who won with what, which fans count, who pays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.table import Table
from rich.text import Text

from libs.cli.mcr.play.picture import SEATS, WINDS, About, meld_text
from libs.cli.mcr.tiles import Faces, tiles_text
from libs.client.deal_views import Aborted, DealView, Drawn, DrawReason, WinKind, Won
from libs.rules.mcr.fan_names import Language, fan_name
from libs.rules.mcr.score import FLOWER_TILES

_DRAWN: Final = {
    DrawReason.WALL: "Nobody wins: the wall is empty.",
    DrawReason.FLOWER: "Nobody wins: the last tile of the wall was a flower.",
}


def ending_lines(
    deal: DealView, about: About, language: Language, faces: Faces = Faces.NOTATION
) -> Iterator[Text | Table]:
    """What a deal that is over came to; totals count it already."""
    match deal.outcome:
        case Won():
            yield _won(deal, deal.outcome, about)
            yield _hand(deal, deal.outcome, faces)
            yield fans_table(deal.outcome, language)
            yield _payments(deal, deal.outcome, about)
        case Drawn(reason=reason):
            yield Text(_DRAWN[reason], "bold yellow")
        case Aborted():
            yield Text("The deal could not go on: a fault of the server. No points move.", "bold red")
        case None:
            return


def fans_table(won: Won, language: Language) -> Table:
    """The fans that count, by their names in a language."""
    table = Table("No.", "Fan", "Times", "Points")
    for fan in won.fans:
        table.add_row(str(fan.number), fan_name(fan.number, language), str(fan.times), str(fan.points))
    if won.flowers:
        number, points = FLOWER_TILES.number, won.flowers * FLOWER_TILES.points
        table.add_row(str(number), fan_name(number, language), str(won.flowers), str(points))
    return table


def _won(deal: DealView, won: Won, about: About) -> Text:
    who = _name(deal, won.winner, about)
    how = {
        WinKind.SELF_DRAWN: "self-drawn",
        WinKind.DISCARD: f"by a discard of {_name(deal, won.payer, about)}",
        WinKind.ROBBED_KONG: f"by robbing a kong of {_name(deal, won.payer, about)}",
    }[won.kind]
    flowers = f" ({won.points} and {won.flowers} for flowers)" if won.flowers else ""
    verb = "win" if won.winner == deal.seat else "wins"
    points = won.points + won.flowers
    return Text(f"{who} {verb} {points} points{flowers}, {how}.", "bold green" if verb == "win" else "bold")


def _hand(deal: DealView, won: Won, faces: Faces) -> Text:
    """The winner's melds, the concealed tiles, the winning one apart."""
    seat, shown = deal.seats[won.winner], Text()
    for meld in seat.melds:
        shown.append_text(meld_text(meld, faces)).append(" ")
    held = [tile for tile in seat.hand if tile != won.tile]
    shown.append_text(tiles_text(held, faces=faces)).append(" + ")
    return shown.append_text(tiles_text((won.tile,), {won.tile}, faces))


def _payments(deal: DealView, won: Won, about: About) -> Table:
    """What moves; beside it the totals, where there are several deals."""
    totals = [f"{total:+}" for total in about.totals] if about.deal_count > 1 else None
    table = Table("Seat", "Player", "Points", *(["Total"] if totals else []))
    for seat in range(SEATS):
        cells = [WINDS[deal.seats[seat].wind], about.names[seat], f"{won.payments[seat]:+}"]
        table.add_row(*cells, *([totals[seat]] if totals else []), style="bold" if seat == deal.seat else "")
    return table


def _name(deal: DealView, seat: int | None, about: About) -> str:
    if seat is None:
        return ""
    if seat == deal.seat:
        return "You"
    view = deal.seats[seat]
    return f"{WINDS[view.wind]} ({about.names[seat]})"
