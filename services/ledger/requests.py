"""Fields of requests that descriptors alone cannot judge."""

from __future__ import annotations

import re
from typing import Final

from libs.runtime.errors import invalid_field
from libs.runtime.names import parse_player
from services.ledger.assets import AMOUNT_MAX, HOUSE_PREFIX

KEY: Final = re.compile(r"[!-~]{1,200}")
REASON: Final = re.compile(r"[A-Z0-9_]{1,63}")
HOUSE: Final = re.compile(r"house/[a-z0-9][a-z0-9_-]{0,62}")


def check_transfer(*, key: str, debit: str, credit: str, amount: int, reason: str) -> None:
    """Raise FIELD_INVALID for the first field that no transfer can have."""
    if KEY.fullmatch(key) is None:
        raise invalid_field("key", "1 to 200 visible ASCII characters")
    check_account("debit", debit)
    check_account("credit", credit)
    if debit == credit:
        raise invalid_field("credit", "another account than debit")
    if not 1 <= amount <= AMOUNT_MAX:
        raise invalid_field("amount", "1 to 10^12")
    if REASON.fullmatch(reason) is None:
        raise invalid_field("reason", "1 to 63 capitals, digits and underscores")


def check_account(field: str, account: str) -> None:
    """Raise FIELD_INVALID unless this names a ledger account: "house/<name>" or "players/<uuid>"."""
    if not account.startswith(HOUSE_PREFIX):
        parse_player(field, account)
    elif HOUSE.fullmatch(account) is None:
        raise invalid_field(field, 'the house\'s accounts are named "house/<name>"')
