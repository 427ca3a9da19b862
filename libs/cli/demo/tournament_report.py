"""The verdict on a tournament of bots, for people and for programs."""

from __future__ import annotations

from typing import Any, Final

from rich.console import Console

from libs.cli.demo.journal import quantile
from libs.cli.demo.tournament import TournamentReport
from libs.cli.demo.wording import counted
from libs.cli.tournaments.documents import document as plain
from libs.cli.tournaments.picture import standing_table, status_line
from libs.cli.verify.command import show as show_findings
from libs.client.session import utc_now

LINES_SHOWN: Final = 10
DIFFERENCES_SHOWN: Final = 10


def document(report: TournamentReport) -> dict[str, Any]:
    """Return the report for `--json`."""
    verdict, latencies = report.verdict, report.journal.latencies_ms
    return {
        "endpoint": report.plan.target,
        "seed": report.plan.seed,
        "tournament": verdict.page.name,
        "status": verdict.page.status.value,
        "ending": verdict.page.ending,
        "players": report.plan.players,
        "rounds": len(verdict.rounds),
        "tables": sum(len(tables) for _multiplier, tables in verdict.rounds),
        "seconds": round(report.played_s, 3),
        "commands": len(latencies),
        "latency_ms": {
            name: round(quantile(latencies, share), 1)
            for name, share in (("p50", 0.5), ("p99", 0.99), ("max", 1.0))
        },
        "steps": len(verdict.steps_late_s),
        "steps_late_ms": {
            name: round(quantile([late_s * 1000 for late_s in verdict.steps_late_s], share), 1)
            for name, share in (("p99", 0.99), ("max", 1.0))
        },
        "points": sum(line.points for line in verdict.lines),
        "standing": [plain(line) for line in verdict.lines[:LINES_SHOWN]],
        "judged_ms": round(report.judged_s * 1000, 1),
        "right": report.is_right,
        "findings": [{**plain(finding), "ok": finding.ok} for finding in verdict.findings],
        "differences": list(verdict.differences),
        "lost": list(report.lost),
    }


def show(report: TournamentReport, out: Console) -> None:
    """Print the report for people."""
    verdict, figures = report.verdict, document(report)
    latency_ms, steps_ms = figures["latency_ms"], figures["steps_late_ms"]
    out.print()
    out.print(standing_table(verdict.lines[:LINES_SHOWN], report.names))
    out.print(
        f"[bold]{counted(report.plan.players, 'player')}[/], {counted(figures['rounds'], 'round')}, "
        f"{counted(figures['tables'], 'table')} in {report.played_s:.0f} s: "
        f"{status_line(verdict.page, utc_now())}. Seed {report.plan.seed}."
    )
    out.print(
        f"{counted(figures['commands'], 'command')} accepted, p50 {latency_ms['p50']:.0f} ms, "
        f"p99 {latency_ms['p99']:.0f} ms. [dim]{verdict.page.name}[/]"
    )
    out.print(
        f"{counted(figures['steps'], 'step')} by the clock (opening, start, seatings, end), the latest "
        f"{steps_ms['max'] / 1000:.2f} s after its time (p99 {steps_ms['p99'] / 1000:.2f} s)."
    )
    show_findings(list(verdict.findings), out)
    if report.is_right:
        out.print(
            f"[bold green]✓[/] {counted(figures['points'], 'TP', 'TP')}, all places and prizes are as "
            f"recomputed, each prize was paid once: known {report.judged_s:.1f} s after the end."
        )
        return
    out.print("[bold red]✗[/] The tournament is not what it should be:")
    for line in [*report.lost, *verdict.differences][:DIFFERENCES_SHOWN]:
        out.print(f"  {line}", markup=False)
