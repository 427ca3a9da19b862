"""What `sparrow watch` draws and says of an MCR table of others."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime

from rich.console import Console

from libs.cli.watch.tables import about_of, table_lines, table_picture
from libs.client.deal_views import ActedBy, AiLevel, DealView, Happening, What
from libs.client.deal_wire import deal_of
from libs.client.tables import TableNews, TableSeat, TableView
from libs.client.watched_tables import SeenTable
from libs.rules.mcr.wall import TileId
from services.mcr.domain.deal.view import view_for
from services.mcr.domain.deal.walls import lay_wall
from services.mcr.wire.views import view_message
from tests.support.mcr_deals import FOUR_AI, DealPlay

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
NAME = "tables/00000000-0000-0000-0000-000000000001"
NAMES = {"players/ana": "A[n]a"}
SEATS = (TableSeat("players/ana", None, 0), *(TableSeat("", AiLevel.STRONG, 0),) * 3)


def seen(deal: DealView, *happenings: Happening) -> SeenTable:
    """A table at which that has happened."""
    table = TableView(NAME, SEATS, 1, False, (), None, deal, None)
    return SeenTable(TableNews(happenings, table), 30_000, NOW)


def first_deal() -> DealView:
    """A deal that has just begun, as a bystander is told it."""
    play = DealPlay(lay_wall(bytes(32), bytes(32), 1), FOUR_AI)
    return deal_of(view_message(view_for(play.deal, None)))


def printed(*shown: object) -> str:
    """As a pipe gets it."""
    out = Console(width=100, file=io.StringIO(), color_system=None)
    out.print(*shown)
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


def test_a_table_is_drawn_with_its_delay_and_with_all_hands_face_down() -> None:
    """Names stand as they are, whatever brackets they hold."""
    text = printed(table_picture(seen(first_deal()), NAMES, 100))
    assert "shown 30 s later" in text
    assert "A[n]a" in text
    assert text.count("AI (strong)") == 3
    assert "Deal 1 of 1" in text


def test_what_happens_is_a_sentence_each() -> None:
    """A line for a snapshot says which deal it is."""
    deal = first_deal()
    wind = deal.seats[1].wind
    discarded = Happening(What.DISCARDED, NOW, 1, TileId(0), None, (), None, None, ActedBy.AI)
    drew = replace(discarded, what=What.DREW, tile=None)
    assert "deal 1" in printed(*table_lines(seen(deal), NAMES))
    told = printed(*table_lines(seen(deal, drew, discarded), NAMES))
    assert ("East", "South", "West", "North")[wind] in told
    assert told.count("discards") == 1


def test_totals_and_names_stand_by_seat() -> None:
    """Of a person the name that is shown, of the AI its level."""
    about = about_of(seen(first_deal()).news.table, {})
    assert about.names == ("players/ana", *["AI (strong)"] * 3)
