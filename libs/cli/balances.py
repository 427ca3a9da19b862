"""`sparrow balances`: what a player owns besides points."""

from __future__ import annotations

from dataclasses import asdict

from libs.cli.connection import (
    DEFAULT_PROFILE,
    EndpointOption,
    ProfileOption,
    connect,
    find_endpoint,
    find_settings,
)
from libs.cli.terminal import JsonFlag, console, print_json, run
from libs.client.results import Balances


def balances(
    endpoint: EndpointOption = None, profile: ProfileOption = DEFAULT_PROFILE, as_json: JsonFlag = False
) -> None:
    """Show your jokers, chips and cups."""
    target = find_endpoint(endpoint, find_settings())
    held = run(_fetch(target, profile), target)
    if as_json:
        print_json(asdict(held))
        return
    console().print(told(held))


def told(held: Balances) -> str:
    """Return what somebody owns as a line, or as two where there are cups."""
    line = f"[bold]{held.jokers}[/] jokers, [bold]{held.chips}[/] chips"
    cups = ", ".join(f"[bold]{count}[/] {kind}" for kind, count in held.cups.items())
    return f"{line}\ncups: {cups}" if cups else line


async def _fetch(target: str, profile: str) -> Balances:
    async with await connect(target, profile) as client:
        return await client.wallet.balances()
