"""`sparrow doctor`: everything at once, green or red, with an exit code for scripts."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import asdict

from rich.table import Table

from libs.cli.connection import DataDirOption, EndpointOption, find_endpoint, find_settings
from libs.cli.doctor.by_operator import check_by_operator
from libs.cli.doctor.endpoint import check_endpoint
from libs.cli.doctor.figures import check_metrics
from libs.cli.doctor.lag import check_lag
from libs.cli.doctor.machine import (
    check_free_space,
    check_kernel,
    check_nats,
    check_postgres,
    check_processes,
    check_stream_files,
    database_url,
)
from libs.cli.doctor.verdict import Finding
from libs.cli.terminal import JsonFlag, console, foreign, print_json
from libs.client.session import utc_now
from libs.runtime.config import Settings
from libs.runtime.data_folder import read_announcement

_MARKS = {True: "[green]✓[/]", False: "[bold red]✗[/]", None: "[dim]·[/]"}


def doctor(
    endpoint: EndpointOption = None, data_dir: DataDirOption = None, as_json: JsonFlag = False
) -> None:
    """Say what is healthy. Exit code 0 when everything that can be seen from here is, else 1."""
    settings = find_settings(data_dir)
    target = find_endpoint(endpoint, settings)
    findings = asyncio.run(_look(target, settings))
    healthy = all(finding.ok is not False for finding in findings)
    if as_json:
        print_json({"endpoint": target, "healthy": healthy, "checks": [asdict(one) for one in findings]})
    else:
        _show(target, findings, healthy=healthy)
    sys.exit(0 if healthy else 1)


async def _look(endpoint: str, settings: Settings) -> list[Finding]:
    facts = read_announcement(settings.data_dir)
    url = database_url(facts, settings)
    findings = [*check_processes(facts, settings), *await check_endpoint(endpoint)]
    postgres = await check_postgres(url)
    findings += [postgres, await check_nats(facts, settings), *check_stream_files(facts, settings)]
    findings += [check_free_space(facts, settings), check_kernel(facts), *await check_metrics(facts)]
    if url is not None and postgres.ok:
        findings += await check_lag(url)
    if findings[1].ok:
        key = settings.keys_path / "operator.key"
        findings += await check_by_operator(endpoint, key, utc_now(), with_heads=not postgres.ok)
    return findings


def _show(endpoint: str, findings: Sequence[Finding], *, healthy: bool) -> None:
    out = console()
    table = Table(box=None, show_header=False, padding=(0, 1))
    for finding in findings:
        table.add_row(_MARKS[finding.ok], finding.name, foreign(finding.detail))
    out.print(table)
    if healthy:
        out.print(f"[bold green]Sparrow on {endpoint} is healthy.[/]")
    elif not findings[1].ok and findings[1].figures.get("status") == "UNREACHABLE":
        out.print(f"[bold red]Sparrow does not answer on {endpoint}[/] – start it with [bold]make run[/]")  # noqa: RUF001
    else:
        broken = ", ".join(finding.name for finding in findings if finding.ok is False)
        out.print(f"[bold red]Not healthy:[/] {broken}")
