"""A deal of a closed MCR table, a sentence for each step worth one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from rich.text import Text

from libs.cli.mcr.play.picture import SEATS, WINDS, About
from libs.cli.mcr.play.telling import Teller
from libs.cli.mcr.tiles import Faces, tiles_text
from libs.cli.terminal import foreign
from libs.client.deal_views import Aborted, ActionKind, DealView, Drawn, Happening, Outcome, What, Won
from libs.client.table_history import TableReplay
from libs.client.tables import TableSummary

MILLISECONDS: Final = 1_000
_ANSWERS: Final = {
    ActionKind.WIN: "calls a win",
    ActionKind.PUNG: "calls a pung",
    ActionKind.KONG: "calls a kong",
    ActionKind.CHOW: "calls a chow",
}


@dataclass(frozen=True)
class Said:
    """A step in words, with when it was since the dealing."""

    at_ms: int
    text: Text
    deal: DealView
    """As it was after it."""


def about(table: TableSummary, names: Mapping[str, str], own: int | None, deals: int) -> About:
    """What a picture of a deal needs to know of its table after so many deals."""
    seats = tuple(
        "You" if number == own else _name(seat.player, seat.ai_level, names)
        for number, seat in enumerate(table.seats)
    )
    paid = [row.outcome.payments for row in table.rows[:deals] if isinstance(row.outcome, Won)]
    totals = tuple(sum(payments[seat] for payments in paid) for seat in range(SEATS))
    return About(seats, len(table.rows), totals)


def sentences(told: TableReplay, about_it: About, faces: Faces) -> Iterator[Said]:
    """Everything that was done, each with the deal after it; answers that claimed nothing are left out."""
    teller = Teller(about_it, faces)
    for step in told.steps:
        text = _own_words(step.happening, step.deal, about_it, faces)
        if text is None:
            text = teller.tell(step.happening, step.deal)
        if text is not None:
            at_ms = round((step.happening.at - told.start_time).total_seconds() * MILLISECONDS)
            yield Said(max(0, at_ms), text, step.deal)


def came_to(outcome: Outcome, table: TableSummary, names: Mapping[str, str], own: int | None) -> str:
    """What a deal came to, in a few words."""
    match outcome:
        case Won(winner=winner):
            seat = table.seats[winner]
            who = "you" if winner == own else _name(seat.player, seat.ai_level, names)
            return f"{who} won {outcome.points + outcome.flowers}"
        case Drawn():
            return "drawn"
        case Aborted():
            return "aborted"


def _own_words(happening: Happening, deal: DealView, about_it: About, faces: Faces) -> Text | None:
    """What a seat at the table was not told, or needed no sentence then."""
    seat = happening.seat
    if seat is None or seat == deal.seat:
        return None
    who = f"{WINDS[deal.seats[seat].wind]} ({about_it.names[seat]})"
    match happening.what:
        case What.DREW:
            said = Text(f"{who} draws")
            return (
                said
                if happening.tile is None
                else said.append(" ").append_text(tiles_text((happening.tile,), faces=faces))
            )
        case What.ANSWERED if happening.claim is not None and happening.claim.kind in _ANSWERS:
            return Text(f"{who} {_ANSWERS[happening.claim.kind]}", "dim")
        case _:
            return None


def _name(player: str, level: str | None, names: Mapping[str, str]) -> str:
    return f"AI {level}" if level else foreign(names.get(player, "Somebody")).plain
