"""`sparrow chips` and `sparrow redeem`: what brings chips and jokers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from libs.cli.bonus import ask_wallet
from libs.cli.connection import DEFAULT_PROFILE, EndpointOption, ProfileOption
from libs.cli.terminal import JsonFlag, console, print_json

app = typer.Typer(no_args_is_help=True, help="Claim the day's chips.")


@app.callback()
def chips() -> None:
    """Claim the day's chips."""


@app.command("claim")
def claim(
    endpoint: EndpointOption = None, profile: ProfileOption = DEFAULT_PROFILE, as_json: JsonFlag = False
) -> None:
    """Top your chips up to 200, once a Romanian day."""
    claimed = ask_wallet(endpoint, profile, lambda wallet: wallet.claim_chips())
    if as_json:
        print_json({"day": claimed.day.isoformat(), "chips": claimed.chips})
        return
    console().print(f"[bold green]✓[/] [bold]{claimed.chips}[/] chips for {claimed.day:%-d %B}")


def redeem(
    receipt: Annotated[str, typer.Argument(metavar="RECEIPT", help="what the shop gave you")],
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    as_json: JsonFlag = False,
) -> None:
    """Redeem a shop's receipt for jokers."""
    brought = ask_wallet(endpoint, profile, lambda wallet: wallet.redeem(receipt))
    if as_json:
        print_json({**asdict(brought), "time": brought.time.isoformat()})
        return
    jokers = f"{brought.jokers} joker{'s' if brought.jokers != 1 else ''}"
    console().print(f"[bold green]✓[/] [bold]{jokers}[/] by {brought.key}, redeemed {brought.time:%F %R} UTC")
