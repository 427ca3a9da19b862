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
    console().print(f"[bold]{held.jokers}[/] jokers, [bold]{held.chips}[/] chips")
    if held.cups:
        console().print(f"cups: {', '.join(f'[bold]{count}[/] {kind}' for kind, count in held.cups.items())}")


async def _fetch(target: str, profile: str) -> Balances:
    async with await connect(target, profile) as client:
        return await client.wallet.balances()
