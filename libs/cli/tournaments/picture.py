"""Tournaments for people: lists, pages, the standing, and what the countdown counts to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from libs.cli.terminal import foreign
from libs.client.tournament_views import (
    OwnPart,
    SeenTournament,
    Tournament,
    TournamentCancelling,
    TournamentEnding,
    TournamentLine,
    TournamentPrize,
    TournamentStatus,
)
from libs.rules.romania import zone

SECOND: Final = timedelta(seconds=1)
_ENDINGS: Final = {
    TournamentEnding.ROUNDS: "all rounds are over",
    TournamentEnding.TIME: "its time was up",
    TournamentEnding.ONE_LEFT: "one player was left",
    TournamentEnding.OPERATOR: "an operator ended it",
}
_CANCELLINGS: Final = {
    TournamentCancelling.TOO_FEW: "too few were registered at the start",
    TournamentCancelling.OPERATOR: "an operator cancelled it",
}
_COUNTED: Final = {
    TournamentStatus.SCHEDULED: "until registration",
    TournamentStatus.REGISTRATION: "until the start",
    TournamentStatus.COUNTING: "until the end",
}

Names = Mapping[str, str]
"""What players are called, by "players/<uuid>"."""


class LiveTournament:
    """A tournament as it was told last, with a countdown that goes on between what is told."""

    def __init__(self, now: Callable[[], datetime], mine: frozenset[str] = frozenset()) -> None:
        """Count by `now`; lines of `mine` stand out."""
        self._now = now
        self._mine = mine
        self.seen: SeenTournament | None = None
        self.names: Names = {}

    def __rich__(self) -> RenderableType:
        """Return it as it is now."""
        if self.seen is None:
            return Text("Waiting for the tournament …", style="dim")
        return tournament_picture(self.seen.tournament, self.seen.lines, self.names, self._now(), self._mine)


def tournaments_table(tournaments: Sequence[Tournament], now: datetime) -> Table:
    """Return a list of tournaments; starts in Romanian time."""
    table = Table(box=None, padding=(0, 1), header_style="dim")
    table.add_column("tournament", no_wrap=True)
    table.add_column("start", min_width=12, no_wrap=True)
    table.add_column("players", min_width=7, justify="right", no_wrap=True)
    table.add_column("", min_width=9, no_wrap=True)
    table.add_column("name", min_width=len(f"tournaments/{UUID(int=0)}"), style="dim", no_wrap=True)
    for each in tournaments:
        count = f"{each.registered}/{each.terms.maximum}"
        title = foreign(each.terms.title)
        start = f"{each.start_time.astimezone(zone()):%d %b %H:%M}"
        table.add_row(title, start, count, _brief(each, now), each.name)
    return table


def _brief(tournament: Tournament, now: datetime) -> str:
    """Return where a tournament is, in a few words."""
    if tournament.status.is_over:
        return tournament.status.value
    if tournament.round is not None:
        return f"round {tournament.round.number}/{len(tournament.terms.multipliers)}"
    return f"in {_span(max(timedelta(), tournament.start_time - now))}"


def tournament_picture(
    tournament: Tournament,
    lines: Sequence[TournamentLine],
    names: Names,
    now: datetime,
    mine: frozenset[str] = frozenset(),
) -> RenderableType:
    """Return the page of a tournament with the top of its standing; lines of `mine` stand out."""
    terms = tournament.terms
    title = Text.assemble((foreign(terms.title).plain, "bold"), (f"  {tournament.name}", "dim"))
    players = f"{tournament.registered} of {terms.minimum} to {terms.maximum} players"
    facts = [
        f"{_clock(tournament.start_time)} for at most {_span(terms.duration)}, {players}",
        "Rounds " + " ".join(f"×{each}" for each in terms.multipliers),  # noqa: RUF001 times
        "Prizes " + ", ".join(prize_words(prize) or "nothing" for prize in terms.prizes),
    ]
    if terms.weekly_prize_points:
        facts.append(f"Open to who received {terms.weekly_prize_points} prize points in this week")
    shown: list[RenderableType] = [title, *(Text(fact, style="dim") for fact in facts)]
    shown.append(Text(status_line(tournament, now), style="cyan"))
    if tournament.own is not None:
        shown.append(Text(own_line(tournament.own)))
    if lines:
        shown.append(standing_table(lines, names, mine))
    return Group(*shown)


def standing_table(
    lines: Sequence[TournamentLine], names: Names, mine: frozenset[str] = frozenset()
) -> Table:
    """Return lines of a standing."""
    table = Table(box=box.ROUNDED, border_style="dim")
    table.add_column("", justify="right")
    table.add_column("player", ratio=1, no_wrap=True)
    table.add_column("TP", justify="right")
    table.add_column("")
    for line in lines:
        said = "withdrew" if line.withdrawn else "stayed away" if line.dropped else ""
        prize = prize_words(line.prize) if line.prize is not None else ""
        table.add_row(
            str(line.place),
            foreign(names.get(line.player, line.player)),
            str(line.points),
            Text(prize or said, style="green" if prize else "dim"),
            style="bold" if line.player in mine else None,
        )
    return table


def status_line(tournament: Tournament, now: datetime) -> str:
    """Return where a tournament is, with the countdown."""
    match tournament.status:
        case TournamentStatus.CANCELLED:
            why = tournament.cancelling
            return "cancelled" + (f": {_CANCELLINGS[why]}" if why is not None else "")
        case TournamentStatus.FINISHED:
            ending = tournament.ending
            return "finished" + (f": {_ENDINGS[ending]}" if ending is not None else "")
    played, counts_to = tournament.round, tournament.next_time
    what = tournament.status.value
    if played is not None:
        what = f"round {played.number} of {len(tournament.terms.multipliers)}"
        what += f", ×{played.multiplier}, {played.tables_over} of {played.tables} tables over"  # noqa: RUF001
    if counts_to is None:
        return what
    upcoming = tournament.next_rounds[0].start_time if tournament.next_rounds else None
    until = _COUNTED.get(tournament.status, "left" if upcoming != counts_to else "until the next round")
    return f"{what}, {_span(max(timedelta(), counts_to - now))} {until}"


def own_line(own: OwnPart) -> str:
    """Return how the reader stands to a tournament."""
    if not own.registered:
        return own.entry_refusal_text or own.entry_refusal or "You may register."
    if own.withdrawn:
        said = "You have withdrawn"
    elif own.dropped:
        said = "You missed two rounds and are seated no more"
    else:
        said = "You are in"
    if own.place:
        said += f", place {own.place} with {own.points} TP"
    if own.match:
        said += f"; your table: {own.match}"
    if own.prize is not None:
        said += f"; your prize: {prize_words(own.prize)}"
    return f"{said}."


def prize_words(prize: TournamentPrize) -> str:
    """Return what a prize brings; empty for nothing."""
    goods = [f"{prize.points} points"] if prize.points else []
    goods += [f"{prize.jokers} joker{'s' if prize.jokers != 1 else ''}"] if prize.jokers else []
    return " + ".join([*goods, *([f"the cup {prize.cup}"] if prize.cup else [])])


def _clock(at: datetime) -> str:
    return f"{at.astimezone(zone()):%a %d %b %Y %H:%M:%S}"


def _span(span: timedelta) -> str:
    minutes, seconds = divmod(span // SECOND, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
