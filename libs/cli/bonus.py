"""`sparrow bonus`: the daily bonus."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, TypeVar
from zoneinfo import ZoneInfo

import typer

from libs.cli.connection import (
    DEFAULT_PROFILE,
    EndpointOption,
    ProfileOption,
    connect,
    find_endpoint,
    find_settings,
)
from libs.cli.terminal import JsonFlag, console, print_json, run
from libs.client.results import BonusPaid, DailyBonus
from libs.client.wallet import Wallet

T = TypeVar("T")

app = typer.Typer(no_args_is_help=True, help="Claim the daily bonus.")


@app.command("show")
def show(
    endpoint: EndpointOption = None, profile: ProfileOption = DEFAULT_PROFILE, as_json: JsonFlag = False
) -> None:
    """Show your streak, and what the next claim pays."""
    bonus = ask_wallet(endpoint, profile, lambda wallet: wallet.daily_bonus())
    if as_json:
        print_json(_document(bonus))
        return
    console().print(standing_text(bonus))


@app.command("claim")
def claim(
    endpoint: EndpointOption = None, profile: ProfileOption = DEFAULT_PROFILE, as_json: JsonFlag = False
) -> None:
    """Claim today's bonus."""
    paid = ask_wallet(endpoint, profile, lambda wallet: wallet.claim_daily_bonus())
    if as_json:
        print_json(_document(paid))
        return
    joker = " and [bold]a joker[/]" if paid.jokers else ""
    console().print(f"[bold green]✓[/] [bold]{paid.points}[/] points{joker}: day {paid.streak_day} in a row")


@app.command("double")
def double(
    receipt: Annotated[str, typer.Option(help="what earned it, where the operator asks for one")] = "",
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    as_json: JsonFlag = False,
) -> None:
    """Double today's bonus."""
    paid = ask_wallet(endpoint, profile, lambda wallet: wallet.double_daily_bonus(receipt))
    if as_json:
        print_json(_document(paid))
        return
    console().print(f"[bold green]✓[/] [bold]{paid.points}[/] points more")


def standing_text(bonus: DailyBonus) -> str:
    """Return where a bonus stands, in one line for people."""
    joker = " and a joker" if bonus.next_joker else ""
    pays = f"{bonus.next_points} points{joker}"
    midnight = bonus.end_time.astimezone(ZoneInfo(bonus.time_zone))
    until = f"[dim]today ends at {midnight:%H:%M %Z}[/]"
    if not bonus.claimed:
        return f"Day {bonus.streak_day + 1} in a row pays [bold]{pays}[/]: claim it – {until}"  # noqa: RUF001
    doubling = f"doubling pays {bonus.doubling_points} points more; " if bonus.doubling_points else ""
    return f"Day {bonus.streak_day} is claimed; {doubling}tomorrow pays [bold]{pays}[/] – {until}"  # noqa: RUF001


def ask_wallet(endpoint: str | None, profile: str, ask: Callable[[Wallet], Awaitable[T]]) -> T:
    """Return what a player's wallet answers."""
    target = find_endpoint(endpoint, find_settings())

    async def work() -> T:
        async with await connect(target, profile) as client:
            return await ask(client.wallet)

    return run(work(), target)


def _document(result: DailyBonus | BonusPaid) -> dict[str, Any]:
    fields = asdict(result)
    return {
        name: value.isoformat() if name == "day" or isinstance(value, datetime) else value
        for name, value in fields.items()
    }
