"""What an operator may ask over gRPC: the ledger's day, and heads of feeds whose database is elsewhere."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from libs.cli.doctor.machine import FEEDS
from libs.cli.doctor.verdict import Finding
from libs.client.calls import Retries
from libs.client.errors import SparrowError
from libs.client.operator import OperatorClient
from libs.client.results import BoardKind, BoardWindow
from libs.runtime.tokens import KeysMissingError, mint_operator_token

_TOKEN_VALID = timedelta(minutes=1)


async def check_by_operator(
    endpoint: str, operator_key: Path, now: datetime, *, with_heads: bool
) -> list[Finding]:
    """Ask with a token signed by the operator key; without the key there is nothing to look at."""
    try:
        token = mint_operator_token(operator_key, "doctor", _TOKEN_VALID, now)
    except KeysMissingError:
        return [Finding("ledger day", ok=None, detail=f"asks for an operator key: {operator_key} is none")]
    try:
        async with OperatorClient(endpoint, token, Retries(for_s=3.0)) as client:
            findings = [_day(await client.board_window(BoardKind.DAILY), now)]
            for service, part in FEEDS if with_heads else ():
                head = await client.feed_head(service, part)
                detail = f"{head} events; how far others are behind is seen beside the database"
                findings.append(
                    Finding(f"feed {service}.{part}", ok=True, detail=detail, figures={"head": head})
                )
    except SparrowError as error:
        return [Finding("ledger day", ok=False, detail=str(error))]
    return findings


def _day(window: BoardWindow, now: datetime) -> Finding:
    """The daily board must show today in its own zone: then every midnight before was closed."""
    zone = ZoneInfo(window.time_zone)
    (today, _), end_time = window.days, window.end_time
    assert end_time is not None, "a board that counts days ends with one"
    closed = today - timedelta(days=1)
    midnight = end_time.astimezone(zone)
    detail = f"{closed} is closed; next midnight {midnight:%Y-%m-%d %H:%M %Z} ({window.time_zone})"
    figures = {"closed": closed.isoformat(), "next_midnight": end_time.astimezone(UTC).isoformat()}
    return Finding("ledger day", today == now.astimezone(zone).date(), detail, figures)
