"""What happens in an MCR deal, a line each."""

from __future__ import annotations

from rich.text import Text

from libs.cli.mcr.play.picture import WINDS, About
from libs.cli.mcr.tiles import Faces, tiles_text
from libs.client.deal_views import ActedBy, Action, ActionKind, DealView, Happening, What
from libs.rules.mcr.wall import TileId

_CLAIMED = {ActionKind.CHOW: "a chow", ActionKind.PUNG: "a pung", ActionKind.KONG: "a kong"}
_TIME_IS_UP = " [time is up]"


class Teller:
    """Puts what happens into sentences, as the own seat hears it; it knows which tile lay there last."""

    def __init__(self, about: About, faces: Faces = Faces.NOTATION) -> None:
        """Tell of the seats by their winds, and of persons by their names as well."""
        self._about = about
        self._faces = faces
        self._laid: TileId | None = None

    def hear(self, about: About) -> None:
        """Others sit there by now, or totals have changed."""
        self._about = about

    def seating(self, deal: DealView) -> Text:
        """Who sits where, told as the table comes into sight."""
        if deal.seat is None:
            return Text(f"{self._who(deal, deal.dealer)} deals.")
        dealing = " and deal" if deal.dealer == deal.seat else f"; {self._who(deal, deal.dealer)} deals"
        return Text(f"You sit {WINDS[deal.seats[deal.seat].wind]}{dealing}.")

    def tell(self, happening: Happening, deal: DealView) -> Text | None:  # noqa: C901, PLR0912 a case each
        """The sentence, or None for what needs none."""
        seat, tile = happening.seat, happening.tile
        if happening.what in {What.DISCARDED, What.ADDED_KONG}:
            self._laid = tile
        match happening.what:
            case What.DEALT:
                said = Text(f"Deal {deal.number}: the tiles are dealt. ")
                return said.append_text(self._says(deal, deal.dealer, "deal", None, "."))
            case What.FLOWER:
                return self._flower(happening, deal)
            case What.DREW if seat == deal.seat:
                return self._says(deal, seat, "draw", tile)
            case What.DISCARDED:
                return self._says(deal, seat, "discard", tile, self._by(happening, deal))
            case What.ANSWERED if happening.by is ActedBy.TIME:
                return Text("Your time is up: you pass.", "yellow")
            case What.CLAIMED if happening.claim is not None:
                return self._claimed(happening.claim, seat, deal)
            case What.CONCEALED_KONG:
                said = self._says(deal, seat, "declare", None, " a concealed kong")
                return said.append(" ").append_text(tiles_text(happening.kong, faces=self._faces))
            case What.ADDED_KONG:
                return self._says(deal, seat, "add", tile, " to a pung: a kong")
            case What.LEFT:
                return self._says(deal, seat, "leave", None, ": the AI plays on")
            case What.RETURNED:
                return self._says(deal, seat, "return", None)
            case What.PAUSED:
                return Text("Nobody could play for a while; no clock counts that.", "yellow")
            case _:
                return None

    def _flower(self, happening: Happening, deal: DealView) -> Text:
        said = self._says(deal, happening.seat, "show", happening.tile)
        if happening.replacement is not None:
            said.append(" and get ").append_text(tiles_text((happening.replacement,), faces=self._faces))
        return said

    def _claimed(self, claim: Action, seat: int | None, deal: DealView) -> Text:
        said = self._says(deal, seat, "claim", None, f" {_CLAIMED.get(claim.kind, 'it')}: ")
        tiles = claim.tiles if self._laid is None else (*claim.tiles, self._laid)
        marked = () if self._laid is None else (self._laid,)
        return said.append_text(tiles_text(sorted(tiles), marked, self._faces))

    def _says(self, deal: DealView, seat: int | None, verb: str, tile: TileId | None, more: str = "") -> Text:
        if seat is None:
            return Text(verb)
        is_own = seat == deal.seat
        said = Text().append(
            f"{self._who(deal, seat)} {verb}{'' if is_own else 's'}", "bold" if is_own else ""
        )
        if tile is not None:
            said.append(" ").append_text(tiles_text((tile,), faces=self._faces))
        return said.append(more, "yellow" if more == _TIME_IS_UP else "")

    def _who(self, deal: DealView, seat: int) -> str:
        if seat == deal.seat:
            return "You"
        view = deal.seats[seat]
        name = f" ({self._about.names[seat]})" if view.player else ""
        return f"{WINDS[view.wind]}{name}"

    @staticmethod
    def _by(happening: Happening, deal: DealView) -> str:
        if happening.by is ActedBy.TIME:
            return _TIME_IS_UP
        return " [the AI for you]" if happening.by is ActedBy.AI and happening.seat == deal.seat else ""
