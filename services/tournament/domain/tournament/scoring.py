"""What the seats of a table get: places and TP by the published rule, nothing for who was not there."""

from __future__ import annotations

from collections.abc import Sequence

from libs.rules.pairing import table_points as rule
from services.tournament.domain.tournament.words import Player, SeatEnd, SeatResult


def seat_ends(
    players: Sequence[Player], results: Sequence[SeatResult], multiplier: int
) -> tuple[SeatEnd, ...] | None:
    """The ends of a table by seat; None for results that no table can have.

    A seat that never acted holds its place and gets nothing, and nobody else gets what it would have got.
    """
    if len(players) != len(results):
        return None
    seats = [
        rule.SeatResult(str(player), result.cleared, result.score)
        for player, result in zip(players, results, strict=True)
    ]
    points = rule.table_points(seats, multiplier)
    if isinstance(points, rule.Refusal):
        return None
    by_player = {int(line.player): line for line in points}
    return tuple(
        SeatEnd(
            player,
            result,
            by_player[player].place,
            by_player[player].points if result.acted else 0,
        )
        for player, result in zip(players, results, strict=True)
    )
