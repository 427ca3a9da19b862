"""`sparrow verify MATCH`: recompute a match, table or tournament from its events; 1 if anything differs."""

from __future__ import annotations

import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from libs.cli.connection import DataDirOption, EndpointOption, find_endpoint, find_settings
from libs.cli.operator_keys import operator_token
from libs.cli.terminal import JsonFlag, console, fail, print_json, run
from libs.cli.verify.games import (
    NotOver,
    NotThere,
    verify_held_tournament,
    verify_match,
    verify_played_table,
)
from libs.cli.verify.recompute import Finding
from libs.client.operator import OperatorClient

DIFFERENCES_SHOWN = 10
_NAME = re.compile(r"(?:(matches|tables|tournaments)/)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")

_CALLED = {None: "match or table", "matches": "match", "tables": "table", "tournaments": "tournament"}


def verify(
    match: Annotated[
        str,
        typer.Argument(
            metavar="MATCH", help='"matches/<uuid>" or "tables/<uuid>" that is over, or "tournaments/<uuid>"'
        ),
    ],
    key_file: Annotated[
        Path | None, typer.Option(help="the operator key; else that of the data folder")
    ] = None,
    endpoint: EndpointOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Recompute deals, scores and result of a match from its events; 1 if anything differs.

    An operator's command: it reads the feeds of the service that played it, and the ledger's of a pool match,
    of an MCR table and of a tournament. A tournament that goes on is verified as far as it is.
    """
    named = _NAME.fullmatch(match)
    if named is None:
        fail('A match is named "matches/<uuid>", an MCR table "tables/<uuid>", else "tournaments/<uuid>"')
    kind, game_id = named[1], UUID(named[2])
    settings = find_settings(data_dir)
    target = find_endpoint(endpoint, settings)
    token = operator_token(key_file, settings, "verify")

    async def work() -> list[Finding] | NotThere | NotOver:
        async with OperatorClient(target, token) as client:
            if kind == "tables":
                return await verify_played_table(client, game_id)
            if kind == "tournaments":
                return await verify_held_tournament(client, game_id)
            found = await verify_match(client, game_id)
            if kind is None and isinstance(found, NotThere):
                return await verify_played_table(client, game_id)
            return found

    findings = run(work(), target)
    if isinstance(findings, NotThere):
        fail(f"There is no {_CALLED[kind]} {escape(match)}")
    if isinstance(findings, NotOver):
        fail(f"{escape(match)} is not over: its deals are secret until then")
    is_right = all(finding.ok for finding in findings)
    if as_json:
        shown = [{**asdict(finding), "ok": finding.ok} for finding in findings]
        print_json({"match": f"{kind or 'matches'}/{game_id}", "ok": is_right, "findings": shown})
    else:
        show(findings, console())
    sys.exit(0 if is_right else 1)


def show(findings: list[Finding], out: Console) -> None:
    """Print the findings for people."""
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    for finding in findings:
        mark = Text("✓", style="bold green") if finding.ok else Text("✗", style="bold red")
        table.add_row(mark, finding.what, Text(finding.claimed, style="dim"))
    out.print(table)
    differences = [f"{finding.what}: {each}" for finding in findings for each in finding.differences]
    for line in differences[:DIFFERENCES_SHOWN]:
        out.print(f"  {line}", markup=False)
    if len(differences) > DIFFERENCES_SHOWN:
        out.print(f"  … and {len(differences) - DIFFERENCES_SHOWN} more")
