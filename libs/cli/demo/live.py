"""The live view of a demo: who plays what, and how fast the server answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from libs.cli.demo.journal import Journal, quantile
from libs.cli.demo.player import BotPlayer
from libs.cli.demo.wording import counted
from libs.client.rounds import Mode

PLAYERS_SHOWN = 16
_WINDOW_S = 3.0


class LiveView:
    """Rendered anew several times a second."""

    def __init__(self, journal: Journal, bots: Sequence[BotPlayer], remaining_s: Callable[[], float]) -> None:
        """Take what is looked at."""
        self._journal = journal
        self._bots = bots
        self._remaining_s = remaining_s

    def __rich__(self) -> RenderableType:
        """Return the view as it is now."""
        return Group(self._headline(), self._table())

    def _headline(self) -> Text:
        journal = self._journal
        recent = journal.last_seconds(_WINDOW_S)
        line = Text(f"\n{max(0, self._remaining_s()):.0f} s left  ", style="bold")
        line.append(f"{len(recent) / _WINDOW_S:.0f} commands/s  ", style="cyan")
        line.append(
            f"p50 {quantile(recent, 0.5):.0f} ms  p99 {quantile(recent, 0.99):.0f} ms  ", style="cyan"
        )
        line.append(f"{len(journal.results)} cleared  ", style="green")
        ended = (
            (journal.matches(Mode.QUICK), "quick match", "quick matches"),
            (journal.matches(Mode.ARENA), "arena", ""),
            (len(journal.races), "race", ""),
            (len(journal.pots), "pot", ""),
            (len(journal.tables.deals), "deal", ""),
            (len(journal.rematches), "rematch", "rematches"),
        )
        for each in ended:
            if each[0]:
                line.append(f"{counted(*each)}  ", style="green")
        line.append(counted(journal.points, "point"), style="green")
        if journal.retries:
            line.append(f"  {counted(journal.retries, 'retry', 'retries')}", style="yellow")
        return line

    def _table(self) -> Table:
        table = Table(box=None, padding=(0, 2, 0, 0))
        for title in ("player", "level", "board", "tiles left", "cleared", "points", ""):
            right = title in ("level", "tiles left", "cleared", "points")
            table.add_column(title, justify="right" if right else "left", header_style="dim")
        ranked = sorted(self._bots, key=lambda bot: (-bot.points, bot.name))
        for bot in ranked[:PLAYERS_SHOWN]:
            table.add_row(*_row(bot))
        if len(ranked) > PLAYERS_SHOWN:
            table.add_row(f"… and {len(ranked) - PLAYERS_SHOWN} more", style="dim")
        return table


def _row(bot: BotPlayer) -> tuple[RenderableType, ...]:
    game = bot.game
    if game is None:
        return (bot.name, "", "", "", str(bot.cleared), str(bot.points), Text(bot.status, style="dim"))
    total, left = len(game.board.places), game.board.tiles_left
    bar = ProgressBar(total=total, completed=total - left, width=24)
    said = bot.status
    if game.round_score is not None and game.opponents:
        others = " ".join(str(seat.round_score) for seat in game.opponents)
        said = f"{game.round_score} to {others}, {bot.status}"
    if game.round is not None:
        said = f"round {game.round.number}, {said}"
    status = Text(said, style="yellow" if bot.status.startswith("asks") else "dim")
    level = str(game.level) if game.level else game.mode.value
    return (bot.name, level, bar, str(left), str(bot.cleared), str(bot.points), status)
