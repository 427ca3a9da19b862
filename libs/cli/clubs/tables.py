"""Clubs for people: tables and sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from libs.cli.boards import shown_name
from libs.cli.terminal import foreign
from libs.client.club_results import Club, ClubInvitation, ClubMember, JoinPolicy, JoinRequest
from libs.client.results import Profile

_POLICY = {
    JoinPolicy.OPEN: "open",
    JoinPolicy.BY_REQUEST: "by request",
    JoinPolicy.BY_INVITATION: "by invitation",
}

Names = Mapping[str, Profile]


def clubs_table(clubs: Sequence[Club]) -> Table:
    """Return clubs as a table."""
    table = _table()
    table.add_column("club", ratio=1, no_wrap=True)
    table.add_column("members", justify="right")
    table.add_column("joined")
    table.add_column("name", style="dim", no_wrap=True)
    for club in clubs:
        count = f"{club.member_count}/{club.member_limit}"
        table.add_row(foreign(club.display_name), count, _POLICY[club.join_policy], club.name)
    return table


def club_picture(club: Club, members: Sequence[ClubMember], names: Names, me: str) -> RenderableType:
    """Return a club with its members; the reader's own row stands out."""
    title = Text.assemble((foreign(club.display_name).plain, "bold"), (f"  {club.name}", "dim"))
    table = _table()
    table.add_column("player", ratio=1, no_wrap=True)
    table.add_column("role")
    table.add_column("since")
    for member in members:
        style = "bold cyan" if member.player == me else ""
        since = f"{member.join_time:%Y-%m-%d}"
        table.add_row(_shown(member.player, names), member.role.value, since, style=style)
    counted = Text(
        f"{club.member_count} of {club.member_limit} places, joined {_POLICY[club.join_policy]}", "dim"
    )
    lines = [Text(line) for line in _lines(club.description)]
    return Group(title, *lines, table, counted)


def waiting_table(waiting: Sequence[JoinRequest | ClubInvitation], column: str, names: Names) -> Table:
    """Return requests or invitations: by `club`, or by `player`."""
    table = _table()
    table.add_column(column, ratio=1, no_wrap=True)
    table.add_column("since")
    table.add_column("name", style="dim", no_wrap=True)
    for one in waiting:
        name = one.club if column == "club" else one.player
        table.add_row(_shown(name, names), f"{one.create_time:%Y-%m-%d %H:%M} UTC", name)
    return table


def document(value: Club | ClubMember | JoinRequest | ClubInvitation) -> dict[str, Any]:
    """Return a value for `--json`."""
    fields = {name: getattr(value, name) for name in value.__slots__}
    return {name: field.isoformat() if name.endswith("_time") else field for name, field in fields.items()}


def _shown(name: str, names: Names) -> Text:
    return foreign(shown_name(name, dict(names)))


def _lines(description: str) -> list[str]:
    return [foreign(line).plain for line in description.split("\n")] if description else []


def _table() -> Table:
    return Table(box=box.ROUNDED, border_style="dim")
