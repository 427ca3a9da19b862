"""The ledger's day: the last one that was closed, and the midnight that comes next."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from libs.cli.doctor.verdict import Finding
from libs.client.calls import Retries
from libs.client.errors import SparrowError
from libs.client.operator import OperatorClient
from libs.client.results import BoardKind
from libs.runtime.tokens import KeysMissingError, mint_operator_token

_TOKEN_VALID = timedelta(minutes=1)


async def check_days(endpoint: str, operator_key: Path, now: datetime) -> Finding:
    """Ask as an operator which day the boards show; it must be today's in their own zone."""
    try:
        token = mint_operator_token(operator_key, "doctor", _TOKEN_VALID, now)
    except KeysMissingError as error:
        return Finding("ledger day", ok=None, detail=f"no operator key here: {error}")
    try:
        async with OperatorClient(endpoint, token, Retries(for_s=3.0)) as client:
            window = await client.board_window(BoardKind.DAILY)
    except SparrowError as error:
        return Finding("ledger day", ok=False, detail=str(error))
    zone = ZoneInfo(window.time_zone)
    closed = window.first_day - timedelta(days=1)
    midnight = window.end_time.astimezone(zone)
    detail = f"{closed} is closed; next midnight {midnight:%Y-%m-%d %H:%M %Z} ({window.time_zone})"
    figures = {"closed": closed.isoformat(), "next_midnight": window.end_time.astimezone(UTC).isoformat()}
    return Finding("ledger day", window.first_day == now.astimezone(zone).date(), detail, figures)
