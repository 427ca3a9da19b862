"""What happens at a table of MCR in sentences, and how a deal ended."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from rich.console import Console

from libs.cli.mcr.play.clock import ServerClock
from libs.cli.mcr.play.ending import ending_lines
from libs.cli.mcr.play.picture import About
from libs.cli.mcr.play.screen import Screen
from libs.cli.mcr.play.telling import Teller
from libs.client.deal_views import (
    Aborted,
    ActedBy,
    Action,
    ActionKind,
    DealView,
    Drawn,
    DrawReason,
    FanCount,
    Happening,
    TileSource,
    What,
    WinKind,
    Won,
)
from libs.rules.mcr.fan_names import Language, fan_name
from libs.rules.mcr.wall import TileId
from tests.support.mcr_client_play import moments

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
ABOUT = About(("You", "AI easy", "AI easy", "AI easy"))


@pytest.fixture(scope="module")
def deal() -> DealView:
    """A deal that is over; the first seat's is the player's."""
    return list(moments(0))[-1].told


def what(kind: What, seat: int | None = None, tile: int | None = None, **more: Any) -> Happening:
    """Something that happened."""
    nothing: dict[str, Any] = {"replacement": None, "kong": (), "claim": None, "source": None, "by": None}
    return Happening(
        what=kind, at=AT, seat=seat, tile=None if tile is None else TileId(tile), **nothing | more
    )


def wind(deal: DealView, seat: int) -> str:
    """What the seat is called."""
    return ("East", "South", "West", "North")[deal.seats[seat].wind]


def test_what_happens_is_told_by_seat(deal: DealView) -> None:
    """The own seat as you, the others by their winds; a claim with the tile that lay there."""
    teller, other = Teller(ABOUT), wind(deal, 1)
    chow = Action(ActionKind.CHOW, (TileId(4), TileId(8)))
    kong = tuple(map(TileId, range(4)))
    told = [
        what(What.DREW, 0, 0, source=TileSource.WALL),
        what(What.DISCARDED, 0, 0, by=ActedBy.TIME),
        what(What.DISCARDED, 1, 0, by=ActedBy.AI),
        what(What.CLAIMED, 0, claim=chow),
        what(What.FLOWER, 0, 136, replacement=TileId(0)),
        what(What.FLOWER, 1, 140),
        what(What.CONCEALED_KONG, 1),
        what(What.CONCEALED_KONG, 0, kong=kong),
        what(What.ADDED_KONG, 1, 12),
        what(What.ANSWERED, 0, claim=Action(ActionKind.PASS), by=ActedBy.TIME),
        what(What.LEFT, 1),
        what(What.RETURNED, 0),
    ]

    assert [(said.plain.rstrip() if (said := teller.tell(one, deal)) else None) for one in told] == [
        "You draw ▌1m",
        "You discard ▌1m [time is up]",
        f"{other} discards ▌1m",
        "You claim a chow: ▌1m▌2m▌3m",
        "You show ▌Fl1 and get ▌1m",
        f"{other} shows ▌Se1",
        f"{other} declares a concealed kong",
        "You declare a concealed kong ▌1m▌1m▌1m▌1m",
        f"{other} adds ▌4m to a pung: a kong",
        "Your time is up: you pass.",
        f"{other} leaves: the AI plays on",
        "You return",
    ]


def test_who_deals_is_told_with_where_one_sits(deal: DealView) -> None:
    """A dealer of one's own in the same sentence; a bystander sits nowhere."""
    teller, own, other = Teller(ABOUT), wind(deal, 0), wind(deal, 1)

    assert teller.seating(replace(deal, dealer=0)).plain == f"You sit {own} and deal."
    assert teller.seating(replace(deal, dealer=1)).plain == f"You sit {own}; {other} deals."
    assert teller.seating(replace(deal, seat=None, dealer=1)).plain == f"{other} deals."


def test_what_needs_no_sentence_has_none(deal: DealView) -> None:
    """What others draw, one's own answers, what the end tells."""
    silent = [
        what(What.DREW, 1),
        what(What.ANSWERED, 0),
        what(What.ENDED),
        what(What.REVEALED),
        what(What.BEGAN),
    ]

    assert [Teller(ABOUT).tell(one, deal) for one in silent] == [None] * 5


def ended(deal: DealView, language: Language = Language.ENGLISH, deals: int = 1) -> str:
    """What is said of the end of a deal."""
    file = io.StringIO()
    out = Console(file=file, width=110)
    about = About(ABOUT.names, deals, (24, -8, -8, -8))
    for line in ending_lines(deal, about, language):
        out.print(line, soft_wrap=True)
    return file.getvalue()


@pytest.mark.parametrize("language", Language)
def test_a_win_is_told_with_its_fans_and_who_pays(deal: DealView, language: Language) -> None:
    """By whose discard, with which points; flowers are a fan of their own."""
    tile = deal.seats[0].hand[-1]
    fans = (FanCount(22, 1, 24), FanCount(69, 2, 2))
    won = Won(0, 2, WinKind.DISCARD, tile, fans, 26, 2, (52, -8, -36, -8))
    said = ended(replace(deal, outcome=won), language, deals=4)

    assert f"You win 28 points (26 and 2 for flowers), by a discard of {wind(deal, 2)} (AI easy)." in said
    for number in (22, 69, 81):
        assert fan_name(number, language) in said
    assert "+52" in said
    assert "-36" in said
    assert "+24" in said


def test_a_deal_that_nobody_wins_says_why(deal: DealView) -> None:
    """The wall, a flower, a fault."""
    assert "the wall is empty" in ended(replace(deal, outcome=Drawn(DrawReason.WALL)))
    assert "a flower" in ended(replace(deal, outcome=Drawn(DrawReason.FLOWER)))
    assert "No points move" in ended(replace(deal, outcome=Aborted("KeyError")))
    assert ended(replace(deal, outcome=None)) == ""


def test_the_clock_is_the_servers() -> None:
    """Ahead or behind; nothing is dated before it happened; begun seconds count, and none are below 0."""
    clock = ServerClock(lambda: AT)
    deadline = AT + timedelta(seconds=20)
    assert clock.seconds_until(deadline) == 20
    clock.hear(AT + timedelta(seconds=5))
    clock.hear(AT + timedelta(seconds=3))
    assert clock.seconds_until(deadline) == 15
    assert clock.seconds_until(deadline - timedelta(milliseconds=300)) == 15
    assert clock.seconds_until(AT) == 0


def test_a_question_at_a_pipe_ends_its_line_and_has_no_running_clock() -> None:
    """What a script reads is plain."""
    file = io.StringIO()
    screen = Screen(Console(file=file, width=80))
    screen.say("one")
    screen.ask("[cyan]8 s left[/]")
    screen.tick("[cyan]7 s left[/]")
    screen.say("two")

    assert file.getvalue() == "one\n8 s left\n> \ntwo\n"


def test_the_clock_runs_above_a_question_and_leaves_what_is_typed_alone() -> None:
    """Whatever is said comes below; then the question is to be put again."""
    file = io.StringIO()
    screen = Screen(Console(file=file, width=80), is_talk=True)
    screen.ask("8 s left")
    screen.tick("7 s left")
    assert file.getvalue() == "8 s left\n> \x1b7\x1b[1A\r\x1b[2K7 s left\x1b8"
    screen.say("two")
    assert file.getvalue().endswith("\x1b8\ntwo\n")
    assert screen.is_interrupted
    screen.tick("6 s left")
    assert file.getvalue().endswith("two\n")
    screen.ask("6 s left")
    screen.heard()
    assert not screen.is_interrupted
