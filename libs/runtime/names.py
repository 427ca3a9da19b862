"""Resource names ("players/<uuid>", "matches/<uuid>", …) to ids and back. Ids are in canonical lower case."""

from __future__ import annotations

import re
from typing import Final
from uuid import UUID

from libs.runtime.caller import CALLER, Player
from libs.runtime.errors import invalid_field

CANONICAL_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SLUG: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def player_name(account_id: UUID) -> str:
    """Return the name of a player."""
    return f"players/{account_id}"


def parse_player(field: str, text: str, *, allow_me: bool = False) -> UUID:
    """Return the account of a player's name; "players/me" is the calling player. Raises FIELD_INVALID."""
    if allow_me and text == "players/me":
        caller = CALLER.get()
        if not isinstance(caller, Player):
            raise invalid_field(field, "players/me is for players only")
        return caller.account_id
    return _parse_id(field, "players", text)


def session_name(account_id: UUID, session_id: UUID) -> str:
    """Return the name of a session."""
    return f"players/{account_id}/sessions/{session_id}"


def match_name(match_id: UUID) -> str:
    """Return the name of a match."""
    return f"matches/{match_id}"


def parse_match(field: str, text: str) -> UUID:
    """Return the id of a match's name. Raises FIELD_INVALID."""
    return _parse_id(field, "matches", text)


def ticket_name(ticket_id: UUID) -> str:
    """Return the name of a ticket in a queue."""
    return f"tickets/{ticket_id}"


def parse_ticket(field: str, text: str) -> UUID:
    """Return the id of a ticket's name. Raises FIELD_INVALID."""
    return _parse_id(field, "tickets", text)


def table_name(table_id: UUID) -> str:
    """Return the name of an MCR table."""
    return f"tables/{table_id}"


def parse_table(field: str, text: str) -> UUID:
    """Return the id of a table's name. Raises FIELD_INVALID."""
    return _parse_id(field, "tables", text)


def club_name(club_id: UUID) -> str:
    """Return the name of a club."""
    return f"clubs/{club_id}"


def parse_club(field: str, text: str) -> UUID:
    """Return the id of a club's name. Raises FIELD_INVALID."""
    return _parse_id(field, "clubs", text)


def tournament_name(tournament_id: UUID) -> str:
    """Return the name of a tournament."""
    return f"tournaments/{tournament_id}"


def parse_tournament(field: str, text: str) -> UUID:
    """Return the id of a tournament's name. Raises FIELD_INVALID."""
    return _parse_id(field, "tournaments", text)


def series_name(series_id: UUID) -> str:
    """Return the name of a series of tournaments."""
    return f"series/{series_id}"


def parse_series(field: str, text: str) -> UUID:
    """Return the id of a series' name. Raises FIELD_INVALID."""
    return _parse_id(field, "series", text)


def layout_name(layout: str) -> str:
    """Return the name of a layout of the catalogue."""
    return f"layouts/{layout}"


def parse_layout(field: str, text: str) -> str:
    """Return the id of a layout's name. Raises FIELD_INVALID."""
    prefix, _, slug = text.partition("/")
    if prefix != "layouts" or SLUG.fullmatch(slug) is None:
        raise invalid_field(field, 'a layout is named "layouts/<id>"')
    return slug


def _parse_id(field: str, collection: str, text: str) -> UUID:
    prefix, _, raw = text.partition("/")
    if prefix != collection or CANONICAL_UUID.fullmatch(raw) is None:
        raise invalid_field(field, f'expected "{collection}/<uuid>"')
    return UUID(raw)
