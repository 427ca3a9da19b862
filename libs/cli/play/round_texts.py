"""What is said of a round: of a pair, of an opponent, of the end."""

from __future__ import annotations

from collections.abc import Sequence

from libs.client.results import Update
from libs.client.rounds import Ending, Out, PairKind, RoundResult, SeatProgress, SeatStanding

_ENDINGS = {
    Ending.CLEARED: "The board was cleared.",
    Ending.TIME: "The five minutes are over.",
    Ending.ALL_OUT: "Nobody plays any more.",
    Ending.CUT: "The tournament is over: the round counts as it stands.",
}


def pair_text(update: Update) -> str:
    """What a pair brought, and why."""
    told = update.pair_worth
    if told is None:
        return "[green]A pair.[/]"
    why = {
        PairKind.PLAIN: "[green]A pair",
        PairKind.PACE: "[bold green]A pair faster than any before",
        PairKind.CRUCIAL: "[bold magenta]The crucial pair, the only one that keeps the board solvable",
        PairKind.JOKER: "[green]A pair by a joker",
    }[told.kind]
    return f"{why}: {told.worth}.[/]"


def progress_text(seat: SeatProgress, name: str) -> str:
    """How far an opponent has come."""
    out = {None: "", Out.IDLE: " · out: 20 s without a pair", Out.LEFT: " · has left"}[seat.out]
    return f"{name}: {seat.tiles_left} tiles left · {seat.round_score}{out}"


def result_text(result: RoundResult, player: str, names: dict[str, str], *, is_paid: bool = True) -> str:
    """How a round ended, a line for each seat, the best first; of several rounds none is paid by itself."""
    lines = [f"[bold]{_ENDINGS[result.ending]}[/]"]
    for seat in sorted(result.seats, key=lambda seat: (seat.place, seat.player != player)):
        name = "You" if seat.player == player else names.get(seat.player, "Somebody")
        cleared = ", cleared" if seat.cleared else ""
        paid = f" · {seat.points} account points" if is_paid else ""
        lines.append(f"{seat.place}. {name}: {seat.round_score}{cleared}{paid}")
    return "\n".join(lines)


def standings_text(
    standings: Sequence[SeatStanding], player: str, names: dict[str, str], *, is_over: bool
) -> str:
    """Where everybody stands by the rounds that are over, the best first."""
    lines = ["[bold]The match:[/]" if is_over else "[bold]So far:[/]"]
    for seat in sorted(standings, key=lambda seat: (seat.place, seat.player != player)):
        name = "You" if seat.player == player else names.get(seat.player, "Somebody")
        rounds = " + ".join(map(str, seat.round_scores))
        left = " · has left" if seat.left else ""
        paid = f" · {seat.points} account points" if is_over else ""
        lines.append(f"{seat.place}. {name}: {seat.score} ({rounds}){left}{paid}")
    return "\n".join(lines)
