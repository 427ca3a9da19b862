"""Games that were played, in tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from rich.table import Table
from rich.text import Text

from libs.cli.levels import seconds
from libs.cli.matches.reasons import change, how_placed, what_happened, why
from libs.cli.terminal import foreign
from libs.client.replays import (
    PlayedGame,
    PlayedPool,
    PlayedRace,
    Replay,
    SeatReplay,
    Step,
    TakenPair,
    Unsolvable,
)
from libs.client.results import GameSummary
from libs.client.rounds import Mode

SCORED = frozenset({Mode.QUICK, Mode.ARENA, Mode.POOL, Mode.TOURNAMENT})


def document(game: PlayedGame) -> dict[str, Any]:
    """Return a game in a list for programs: what every game has, and what it came to."""
    told = {**asdict(game.came_to), "name": game.name, "mode": game.mode.value}
    for name, at in (("start_time", game.start_time), ("end_time", game.end_time)):
        told[name] = None if at is None else at.isoformat()
    if isinstance(game.came_to, GameSummary) and (table := game.came_to.tournament) is not None:
        told["tournament"] = {**asdict(table), "cut_time": table.cut_time.isoformat()}
    return told


def duration(game: PlayedGame) -> str:
    """Return how long a game took, as far as that is told."""
    match game.came_to:
        case GameSummary(elapsed_ms=elapsed_ms):
            return seconds(elapsed_ms) if elapsed_ms else ""
        case PlayedRace(own=own) if own.elapsed_ms is not None:
            return seconds(own.elapsed_ms)
        case _:
            return ""


def brought(game: PlayedGame) -> str:
    """Return what a game came to, for its player."""
    match game.came_to:
        case PlayedRace(own=own, seats=seats, difficulty=difficulty):
            alone = difficulty.value if seats == 1 else f"{difficulty.value}, place {own.place} of {seats}"
            return f"{alone}: {how_placed(own)}"
        case PlayedPool(is_void=True):
            return "void: stakes went back"
        case PlayedPool(own=own, seats=seats):
            alone = "training" if seats == 1 else f"place {own.place} of {seats}"
            return f"{alone}: {how_placed(own)}" if own.place else how_placed(own)
        case GameSummary() as summary:
            return _came_to(summary)


def _came_to(game: GameSummary) -> str:
    if game.mode is Mode.SINGLE:
        points = "" if game.result is None else f", place {game.result.place}, {game.result.points} points"
        return f"level {game.level}: {game.state.value}{points}"
    for seat in game.round_result.seats if game.round_result is not None else ():
        if seat.player == game.player:
            paid = "" if game.mode is Mode.TOURNAMENT else f", {seat.points} points"
            return f"place {seat.place}, score {seat.round_score}{paid}"
    for standing in game.standings:
        if standing.player == game.player:
            return f"place {standing.place}, score {standing.score}, {standing.points} points"
    return game.state.value


def replay_table(told: Replay, names: Mapping[str, str], only: str | None) -> Table:
    """Return the steps as a table, of one player alone where one is named."""
    score = "progress" if told.mode is Mode.RACE else "score"
    table = Table("at", "player", "what", "took", "worth", score, "left", "why", box=None)
    for column in (0, 3, 4, 5, 6):
        table.columns[column].justify = "right"
    for step in told.steps:
        if only is None or step.player == only:
            table.add_row(*_cells(told, step, names))
    return table


def who(told: Replay, seat: int, names: Mapping[str, str]) -> str:
    """Return the name of who has a seat: a player's, or a CPU player's."""
    player = told.seats[seat].player
    return names.get(player, player) if player else f"CPU {seat + 1}"


def step_line(told: Replay, step: Step, names: Mapping[str, str]) -> str:
    """Return a step as one line."""
    words = [seconds(step.at_ms), f"{who(told, step.seat, names)}:", what_happened(step.what)]
    came = change(step.what) if told.mode in SCORED else None
    if came is not None:
        words.append(f"{came:+,} → {step.round_score:,}")
    if told.mode is Mode.RACE:
        words.append(f"{step.percent} %")
    reason = _why(step)
    return " ".join(words) + (f" ({reason})" if reason else "")


def _cells(told: Replay, step: Step, names: Mapping[str, str]) -> Iterator[Text | str]:
    came = change(step.what) if told.mode in SCORED else None
    yield seconds(step.at_ms)
    yield foreign(who(told, step.seat, names))
    yield what_happened(step.what)
    yield seconds(step.what.took_ms) if isinstance(step.what, TakenPair) else ""
    yield "" if came is None else f"{came:,}"
    yield f"{step.percent} %" if told.mode is Mode.RACE else _score(told, step)
    yield str(step.tiles_left)
    yield _why(step)


def _score(told: Replay, step: Step) -> str:
    return f"{step.round_score:,}" if told.mode in SCORED else ""


def _why(step: Step) -> str:
    said = why(step.what)
    return ", ".join(part for part in (said, "by the CPU" if step.by_cpu else "") if part)


def placing_lines(told: Replay, names: Mapping[str, str]) -> Iterator[str]:
    """Yield how each seat of a race or of the pool ended, by place; those that did not play at the end."""

    def by_place(numbered: tuple[int, SeatReplay]) -> tuple[bool, int]:
        number, seat = numbered
        place = seat.placing.place if seat.placing is not None else 0
        return not place, place or number

    for number, seat in sorted(enumerate(told.seats), key=by_place):
        if seat.placing is not None:
            place = f"{seat.placing.place}." if seat.placing.place else "–"  # noqa: RUF001 a dash
            yield f"{place} {who(told, number, names)}: {how_placed(seat.placing)}"


def unsolvable_lines(told: Replay, names: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each stretch of play on an unsolvable board."""
    for number, seat in enumerate(told.seats):
        name = who(told, number, names)
        for each in seat.unsolvable:
            yield f"{name}'s board was unsolvable {_since(each)}{_until(each)}."
        if seat.undecided:
            yield f"Whether {name}'s board could be cleared at the end was too hard to tell."


def _since(stretch: Unsolvable) -> str:
    if not stretch.exact:
        return f"after pair {stretch.after_pairs} at the latest"
    return f"after pair {stretch.after_pairs}" if stretch.after_pairs else "from the deal on"


def _until(stretch: Unsolvable) -> str:
    return (
        "" if stretch.ended_by_pair is None else f", until the joker that took pair {stretch.ended_by_pair}"
    )
