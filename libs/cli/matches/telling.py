"""Finished games in words and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from rich.table import Table
from rich.text import Text

from libs.cli.levels import seconds
from libs.cli.terminal import foreign
from libs.client.history import BlockedTouch, Replay, Step, TakenPair, Unsolvable
from libs.client.results import GameSummary
from libs.client.rounds import Mode, Out, PairKind


def document(game: GameSummary) -> dict[str, Any]:
    """Return a game in a list for programs."""
    told = asdict(game)
    for name in ("start_time", "end_time"):
        told[name] = None if told[name] is None else told[name].isoformat()
    return told


def duration(game: GameSummary) -> str:
    """Return how long a game took, as far as that is told."""
    return seconds(game.elapsed_ms) if game.elapsed_ms else ""


def brought(game: GameSummary) -> str:
    """Return what a game came to, for its player."""
    if game.mode is Mode.SINGLE:
        points = "" if game.result is None else f", place {game.result.place}, {game.result.points} points"
        return f"level {game.level}: {game.state.value}{points}"
    for seat in game.round_result.seats if game.round_result is not None else ():
        if seat.player == game.player:
            return f"place {seat.place}, score {seat.round_score}, {seat.points} points"
    for standing in game.standings:
        if standing.player == game.player:
            return f"place {standing.place}, score {standing.score}, {standing.points} points"
    return game.state.value


def replay_table(told: Replay, names: Mapping[str, str], only: str | None) -> Table:
    """Return the steps as a table, of one player alone where one is named."""
    table = Table("at", "player", "what", "took", "worth", "score", "left", "why", box=None)
    for column in (0, 3, 4, 5, 6):
        table.columns[column].justify = "right"
    for step in told.steps:
        if only is None or step.player == only:
            table.add_row(*_cells(step, names, is_scored=told.mode is not Mode.SINGLE))
    return table


def _cells(step: Step, names: Mapping[str, str], *, is_scored: bool) -> Iterator[Text | str]:
    took, worth, why = "", "", ""
    match step.what:
        case TakenPair() as taken:
            what = f"{taken.faces[0]} {taken.tiles[0]}–{taken.tiles[1]}"  # noqa: RUF001 a range
            took, why = seconds(taken.took_ms), why_worth(taken)
            worth = str(taken.worth) if is_scored else ""
        case BlockedTouch() as blocked:
            what, why = f"blocked {blocked.tile}", why_blocked(blocked)
            worth = f"-{blocked.cost}" if blocked.cost else ("0" if is_scored else "")
        case out:
            what, why = ("left", "") if out is Out.LEFT else ("out", "20 s without a pair")
    yield seconds(step.at_ms)
    yield foreign(names.get(step.player, step.player))
    yield from (what, took, worth, str(step.round_score) if is_scored else "", str(step.tiles_left), why)


def why_worth(taken: TakenPair) -> str:
    """Return why a pair was worth what it was."""
    before, after = taken.record_before_ms, taken.record_after_ms
    is_beaten = before is not None and after is not None and after < before
    record = f"record {seconds(before or 0)} → {seconds(after or 0)}" if is_beaten else ""
    match taken.kind:
        case PairKind.CRUCIAL:
            crucial = "crucial: the only pair that kept the board solvable"
            return f"{crucial}; {record}" if record else crucial
        case PairKind.JOKER:
            return "by a joker"
        case PairKind.PACE:
            return record
        case PairKind.PLAIN:
            return "the first sets the record" if before is None and after is not None else ""


def why_blocked(blocked: BlockedTouch) -> str:
    """Return why a tile was blocked."""
    if blocked.covered_by:
        return f"under {_tiles(blocked.covered_by)}"
    return f"between {_tiles(blocked.left)} and {_tiles(blocked.right)}"


def unsolvable_lines(told: Replay, names: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each stretch of play on an unsolvable board."""
    for seat in told.seats:
        who = names.get(seat.player, seat.player)
        for each in seat.unsolvable:
            yield f"{who}'s board was unsolvable {_since(each)}{_until(each)}."
        if seat.undecided:
            yield f"Whether {who}'s board could be cleared at the end was too hard to tell."


def _since(stretch: Unsolvable) -> str:
    if not stretch.exact:
        return f"after pair {stretch.after_pairs} at the latest"
    return f"after pair {stretch.after_pairs}" if stretch.after_pairs else "from the deal on"


def _until(stretch: Unsolvable) -> str:
    return (
        "" if stretch.ended_by_pair is None else f", until the joker that took pair {stretch.ended_by_pair}"
    )


def _tiles(tiles: tuple[int, ...]) -> str:
    return " and ".join(map(str, tiles))
