"""What a demo says at its end: the three boards, and whether they are right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.columns import Columns
from rich.console import Console

from libs.cli.boards import board_table, page_document
from libs.cli.demo.fold import points_between
from libs.cli.demo.journal import Journal, quantile
from libs.cli.demo.verdict import BoardVerdict
from libs.cli.demo.wording import counted
from libs.client.results import Profile
from libs.client.rounds import Mode

DIFFERENCES_SHOWN = 10
TABLE_WIDTH = 32
"""Three boards side by side in 100 columns."""


@dataclass(frozen=True)
class Report:
    """All that is known when a demo has ended. `caught_up_ms` is none when the boards never became equal."""

    endpoint: str
    seed: int
    played_s: float
    players: dict[str, Profile]
    journal: Journal
    verdicts: Sequence[BoardVerdict]
    names: dict[str, Profile]
    caught_up_ms: float | None
    holdings: Sequence[str]
    """What differs of race ratings and chips."""
    lost: Sequence[str]
    """What kept a bot from learning how its last command ended."""

    @property
    def equal(self) -> bool:
        """Whether boards, ratings and chips are as acknowledged, and no bot was left in doubt."""
        return (
            not self.lost and not self.holdings and not any(verdict.differences for verdict in self.verdicts)
        )


def document(report: Report) -> dict[str, Any]:
    """Return the report for `--json`."""
    journal = report.journal
    return {
        "endpoint": report.endpoint,
        "seed": report.seed,
        "seconds": round(report.played_s, 3),
        "players": len(report.players),
        "attempts": journal.attempts,
        "restarts": journal.restarts,
        "levels_cleared": len(journal.results),
        "matches": journal.matches(Mode.QUICK),
        "arenas": journal.matches(Mode.ARENA),
        "points": journal.points,
        "commands": {
            "accepted": len(journal.latencies_ms),
            "per_second": round(len(journal.latencies_ms) / max(report.played_s, 0.001), 1),
            "retries": journal.retries,
            "doubts": journal.doubts,
        },
        "latency_ms": {
            name: round(quantile(journal.latencies_ms, share), 1)
            for name, share in (("p50", 0.5), ("p99", 0.99), ("max", 1.0))
        },
        "caught_up_ms": round(report.caught_up_ms, 1) if report.caught_up_ms is not None else None,
        "equal": report.equal,
        "lost": list(report.lost),
        "races": len(journal.races),
        "pots": len(journal.pots),
        "deals": len(journal.tables.deals),
        "ratings": dict(sorted(journal.ratings.items())),
        "chips": dict(sorted(journal.chips.items())),
        "holdings": list(report.holdings),
        "boards": [_board(report, verdict) for verdict in report.verdicts],
    }


def _board(report: Report, verdict: BoardVerdict) -> dict[str, Any]:
    window = verdict.top.window
    acknowledged = points_between(report.journal.acknowledged, *window.days)
    return {
        **page_document(verdict.top, report.names),
        "equal": not verdict.differences,
        "differences": list(verdict.differences),
        "acknowledged": dict(sorted(acknowledged.items())),
    }


def _played(journal: Journal) -> str:
    """Return what was played to its end, the numbers in bold."""
    ended = (
        (journal.matches(Mode.QUICK), "quick match", "quick matches"),
        (journal.matches(Mode.ARENA), "arena", ""),
        (len(journal.races), "race", ""),
        (len(journal.pots), "pot", ""),
        (len(journal.tables.deals), "deal of MCR", "deals of MCR"),
    )
    first, *others = (f"[bold]{counted(*each)}[/]" for each in ended)
    levels = f"[bold]{counted(len(journal.results), 'level')}[/]"
    return f"cleared {levels} and ended {', '.join([first, *others[:-1]])} and {others[-1]}"


def show(report: Report, out: Console) -> None:
    """Print the report for people."""
    ours = frozenset(report.players)
    tables = [board_table(verdict.top, report.names, ours, TABLE_WIDTH) for verdict in report.verdicts]
    out.print()
    out.print(Columns(tables, padding=(0, 1)))
    out.print()
    journal, figures = report.journal, document(report)
    commands, latency_ms = figures["commands"], figures["latency_ms"]
    players = counted(len(report.players), "player")
    out.print(f"{players} {_played(journal)} in {report.played_s:.0f} s. Seed {report.seed}.")
    out.print(
        f"{counted(commands['accepted'], 'command')} accepted, {commands['per_second']:.0f}/s, "
        f"p50 {latency_ms['p50']:.0f} ms, p99 {latency_ms['p99']:.0f} ms, "
        f"{counted(journal.retries, 'retry', 'retries')}."
    )
    if report.equal:
        out.print(
            "[bold green]✓[/] All three boards equal what the bots saw acknowledged: "
            f"[bold]{counted(figures['points'], 'point')}[/], {report.caught_up_ms or 0:.0f} ms later."
        )
        if journal.ratings or journal.chips_before:
            out.print(
                f"[bold green]✓[/] So do {counted(len(journal.ratings), 'race rating')} and the chips of "
                f"{counted(len(journal.chips_before), 'player')}; every pot gave out what was staked."
            )
        if deals := journal.tables.deals:
            out.print(
                f"[bold green]✓[/] The points of {counted(len(deals), 'deal')} of MCR add up to 0, "
                "and stand on the boards of table points."
            )
        return
    out.print("[bold red]✗[/] The boards do not equal what the bots saw acknowledged:")
    differences = [
        f"{verdict.top.window.board.value} {difference}"
        for verdict in report.verdicts
        for difference in verdict.differences
    ]
    for line in [*report.lost, *report.holdings, *differences][:DIFFERENCES_SHOWN]:
        out.print(f"  {line}", markup=False)
