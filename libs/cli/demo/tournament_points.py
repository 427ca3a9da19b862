"""The naive fold of a tournament: TP, standing and prizes from what clients are shown of its tables.

It shares no code with the tournament service.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from libs.cli.demo.holdings import differing
from libs.client.rounds import SeatResult
from libs.client.tournament_views import TournamentLine, TournamentPrize, TournamentSeat, TournamentTable

SCALES: Final = {
    (4, True): (40, 20, 10, 0),
    (3, True): (30, 15, 0),
    (2, True): (20, 0),
    (4, False): (30, 20, 10, 0),
    (3, False): (20, 15, 0),
    (2, False): (10, 0),
}
"""TP by place, by how many sit there and whether the first place cleared the board."""


def points_at(seats: Sequence[TournamentSeat], multiplier: int) -> dict[str, int]:
    """Return the TP of the seats of a table that is over."""
    if not any(seat.round_score for seat in seats):
        return {seat.player: 0 for seat in seats}
    scale = SCALES[len(seats), any(seat.cleared for seat in seats)]
    return {seat.player: _share(seat, seats, scale) * multiplier for seat in seats}


def _share(seat: TournamentSeat, seats: Sequence[TournamentSeat], scale: Sequence[int]) -> int:
    """Return a seat's part of the places that it occupies with others; nothing for who never acted."""
    ranks = [(each.cleared, each.round_score) for each in seats]
    own = (seat.cleared, seat.round_score)
    before, alike = sum(rank > own for rank in ranks), ranks.count(own)
    return sum(scale[before : before + alike]) // alike if seat.acted and not seat.voided else 0


def differing_points(
    rounds: Sequence[tuple[int, Sequence[TournamentTable]]], lines: Sequence[TournamentLine]
) -> list[str]:
    """Return a sentence for all TP that are not those of the seats; rounds with their multipliers."""
    wrong, sums = [], Counter[str]({line.player: 0 for line in lines})
    for number, (multiplier, tables) in enumerate(rounds, 1):
        for table in tables:
            if not table.over:
                wrong.append(f"round {number}: table {table.table} is not over")
                continue
            due = points_at(table.seats, multiplier)
            sums.update(due)
            told = {seat.player: seat.points for seat in table.seats}
            wrong += [f"round {number}, {said}" for said in differing("TP", due, told)]
    stood = dict.fromkeys(sums, 0) | {line.player: line.points for line in lines}
    wrong += differing("TP", sums, stood)
    if [line.points for line in lines] != sorted((line.points for line in lines), reverse=True):
        wrong.append("the standing is not in the order of the points")
    return wrong


def differing_prizes(lines: Sequence[TournamentLine], prizes: Sequence[TournamentPrize]) -> list[str]:
    """Return a sentence for every prize that is not the one of its place; without TP there is none."""
    wrong = []
    for place, line in enumerate(lines, 1):
        due = prizes[place - 1] if place <= len(prizes) and line.points else None
        if due == TournamentPrize():
            due = None
        if (line.place, line.prize) != (place, due):
            wrong.append(f"place {place}: {line.player} has {line.prize} as place {line.place}, not {due}")
    return wrong


def differing_seats(
    seen: Mapping[tuple[str, str], SeatResult], rounds: Sequence[tuple[int, Sequence[TournamentTable]]]
) -> list[str]:
    """Return a sentence for every seat that the tournament tells otherwise than its bot saw it end."""
    told = {
        (table.match, seat.player): (seat.round_score, seat.cleared)
        for _multiplier, tables in rounds
        for table in tables
        for seat in table.seats
    }
    return [
        f"{match}: {player} saw {result.round_score}, cleared: {result.cleared}; it is told otherwise"
        for (match, player), result in sorted(seen.items())
        if told.get((match, player)) != (result.round_score, result.cleared)
    ]
