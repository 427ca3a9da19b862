"""Fields of requests that descriptors alone cannot judge."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Final

from libs.runtime.errors import invalid_field
from libs.runtime.names import parse_player
from services.ledger.assets import AMOUNT_MAX, BALANCED, CUP_KIND, HOUSE_PREFIX, Asset
from services.ledger.domain.calendar import LAST_DAY, day_start, ledger_day
from services.ledger.domain.windows import Board, Window, window_on

KEY: Final = re.compile(r"[!-~]{1,200}")
REASON: Final = re.compile(r"[A-Z0-9_]{1,63}")
OWN_KEYS: Final = ("chips/", "daily/", "grant/", "purchase/", "reversal/", "tournament/")
"""Keys that the ledger makes itself begin like this."""
GRANT_MAX: Final = 1_000_000
RECEIPT: Final = re.compile(r"[!-~]{1,1000}")
EARLIEST_WEEK: Final = date(2000, 1, 3)
"""A Monday; before it nothing was ever won."""
HOUSE: Final = re.compile(r"house/[a-z0-9][a-z0-9_-]{0,62}")


def check_transfer(
    *, key: str, asset: Asset, cup_kind: str, debit: str, credit: str, amount: int, reason: str
) -> None:
    """Raise FIELD_INVALID for the first field that no transfer can have."""
    check_key(key)
    if asset is not Asset.CUP and cup_kind:
        raise invalid_field("cup_kind", "empty, for everything but cups")
    if asset is Asset.CUP and CUP_KIND.fullmatch(cup_kind) is None:
        raise invalid_field("cup_kind", "1 to 40 lower-case letters, digits and hyphens")
    check_account("debit", debit)
    check_account("credit", credit)
    if debit == credit:
        raise invalid_field("credit", "another account than debit")
    if not 1 <= amount <= AMOUNT_MAX:
        raise invalid_field("amount", "1 to 10^12")
    check_reason(reason)


def check_grant(*, player: str, asset: Asset, amount: int, reason: str) -> None:
    """Raise FIELD_INVALID for the first field that no grant can have."""
    parse_player("player", player)
    if asset not in BALANCED:
        raise invalid_field("asset", "jokers and chips are granted; points are earned")
    if not 1 <= amount <= GRANT_MAX:
        raise invalid_field("amount", f"1 to {GRANT_MAX}")
    check_reason(reason)


def check_key(key: str) -> None:
    """Raise FIELD_INVALID unless others than the ledger may use this key."""
    if KEY.fullmatch(key) is None:
        raise invalid_field("key", "1 to 200 visible ASCII characters")
    if key.startswith(OWN_KEYS):
        raise invalid_field("key", f"keys that begin with {', '.join(OWN_KEYS)} are the ledger's own")


def check_receipt(receipt: str) -> None:
    """Raise FIELD_INVALID unless this may be a receipt."""
    if RECEIPT.fullmatch(receipt) is None:
        raise invalid_field("receipt", "1 to 1,000 visible ASCII characters")


def check_reason(reason: str) -> None:
    """Raise FIELD_INVALID unless this is machine-readable."""
    if REASON.fullmatch(reason) is None:
        raise invalid_field("reason", "1 to 63 capitals, digits and underscores")


def week_of(instant: datetime) -> Window:
    """Return the Romanian week of an instant. Raises FIELD_INVALID outside 2000 to 2100."""
    if not day_start(EARLIEST_WEEK) <= instant < day_start(LAST_DAY):
        raise invalid_field("week_time", "an instant from 2000 to 2100")
    return window_on(Board.WEEKLY, ledger_day(instant))


def check_account(field: str, account: str) -> None:
    """Raise FIELD_INVALID unless this names a ledger account: "house/<name>" or "players/<uuid>"."""
    if not account.startswith(HOUSE_PREFIX):
        parse_player(field, account)
    elif HOUSE.fullmatch(account) is None:
        raise invalid_field(field, 'the house\'s accounts are named "house/<name>"')
