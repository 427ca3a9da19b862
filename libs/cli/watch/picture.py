"""A match of others in the terminal: every seat's board side by side, drawn as `sparrow play` draws them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from libs.cli.levels import seconds
from libs.cli.play.picture import picture
from libs.cli.terminal import foreign
from libs.client.spectated import SpectatedMatch, SpectatedMove, SpectatedSeat, SpectateMode, SpectateState

BOARDS_MAX = 4
"""So many boards are drawn; of more seats there are lines."""


def match_picture(seen: SpectatedMatch, names: Mapping[str, str]) -> RenderableType:
    """Return the match as one picture: a headline with the delay, the boards, a line for the other seats."""
    order = sorted(range(len(seen.seats)), key=lambda seat: (seen.seats[seat].place or 0, seat))
    boards = [_panel(seen, seat, names) for seat in order[:BOARDS_MAX]]
    lines = [foreign(_seat_line(seen, seat, names)) for seat in order[BOARDS_MAX:]]
    moves = [foreign(_move_line(seen, move, names)) for move in seen.moves]
    return Group(_headline(seen), Columns(boards), *lines, *moves)


def line_of(seen: SpectatedMatch, names: Mapping[str, str]) -> str:
    """Return the last change in a line: when on the clock, what was done, how the seats stand."""
    moves = "; ".join(_move_line(seen, move, names) for move in seen.moves) or seen.state.value
    seats = ", ".join(_seat_line(seen, seat, names) for seat in range(len(seen.seats)))
    return f"{seconds(seen.elapsed_ms)} (−{seen.delay_ms / 1_000:g} s) {moves} · {seats}"  # noqa: RUF001 a minus


def results_table(seen: SpectatedMatch, names: Mapping[str, str]) -> RenderableType:
    """Return how it ended, by place; a sentence where the end was not shown."""
    if not seen.results or seen.state is not SpectateState.OVER:
        return "It has not ended yet."
    gained = "chips" if seen.mode is SpectateMode.POOL else "points"
    table = Table("place", "player", "score", gained, "time", box=None)
    for result in seen.results:
        name = names.get(result.player or "", result.player or _cpu(result.cpu))
        figures = ("" if told is None else str(told) for told in (result.score, result.gained))
        time = "" if result.elapsed_ms is None else seconds(result.elapsed_ms)
        table.add_row(str(result.place or ""), foreign(name), *figures, time)
    return table


def _headline(seen: SpectatedMatch) -> Text:
    several = f", round {seen.round_number} of {seen.round_count}" if seen.round_count else ""
    pot = f", pot {seen.pot}" if seen.pot else ""
    told = f"{seen.mode.value}{several}{pot} · {seen.state.value} · {seconds(seen.elapsed_ms)}"
    return Text.assemble((told, "bold"), f"  shown {seen.delay_ms / 1_000:g} s later", style="default")


def _panel(seen: SpectatedMatch, seat: int, names: Mapping[str, str]) -> Panel:
    title = foreign(_seat_line(seen, seat, names))
    return Panel(picture(seen.seats[seat].board), title=title, title_align="left", expand=False)


def _seat_line(seen: SpectatedMatch, seat: int, names: Mapping[str, str]) -> str:
    return " ".join([_name(seen.seats[seat], names), *_figures(seen, seen.seats[seat])])


def _figures(seen: SpectatedMatch, seat: SpectatedSeat) -> Iterator[str]:
    if seen.mode is SpectateMode.RACE:
        yield f"#{seat.place}" if seat.place else ""
    else:
        yield str(seat.score)
    yield f"{seat.board.tiles_left} left"
    if seat.finished_ms is not None:
        yield f"in {seconds(seat.finished_ms)}"
    if seat.out is not None:
        yield seat.out
    if seat.away:
        yield "away"


def _move_line(seen: SpectatedMatch, move: SpectatedMove, names: Mapping[str, str]) -> str:
    who, what = _name(seen.seats[move.seat], names), move.act.replace("_", " ")
    tiles = " and ".join(map(str, move.pair)) if move.pair else "" if move.tile is None else str(move.tile)
    worth = f"({move.worth:+})" if move.worth else ""
    return " ".join(word for word in (who, what, tiles, worth) if word)


def _name(seat: SpectatedSeat, names: Mapping[str, str]) -> str:
    return names.get(seat.player, seat.player) if seat.player is not None else _cpu(seat.cpu)


def _cpu(level: str | None) -> str:
    return f"CPU ({level})"
