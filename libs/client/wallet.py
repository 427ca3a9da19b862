"""What a player owns besides points, and the daily bonus."""

from __future__ import annotations

from uuid import uuid4

from libs.client.calls import LIST_DEADLINE_S, MOVE_DEADLINE_S
from libs.client.link import Link
from libs.client.results import Balances, BonusPaid, ChipsClaimed, DailyBonus, Redeemed
from libs.client.wire import (
    balances_of,
    bonus_of,
    chips_claimed_of,
    claimed_of,
    doubled_of,
    redeemed_of,
)
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as wire


class Wallet:
    """A player's jokers, chips and cups, what brings them, and the daily bonus."""

    def __init__(self, link: Link) -> None:
        """Ask through the signed-in connection."""
        self._link = link

    async def balances(self) -> Balances:
        """Return this player's jokers, chips and cups."""
        request = wire.GetBalancesRequest(player="players/me")
        return balances_of(
            await self._link.calls.unary(self._link.ledger.GetBalances, request, LIST_DEADLINE_S)
        )

    async def daily_bonus(self) -> DailyBonus:
        """Tell where this player's daily bonus stands."""
        request = wire.GetDailyBonusRequest()
        answer = await self._link.calls.unary(self._link.ledger.GetDailyBonus, request, LIST_DEADLINE_S)
        return bonus_of(answer.bonus)

    async def claim_daily_bonus(self) -> BonusPaid:
        """Claim today's bonus. Raises RefusedError ALREADY_CLAIMED."""
        request = wire.ClaimDailyBonusRequest(request_id=str(uuid4()))
        return claimed_of(
            await self._link.calls.unary(self._link.ledger.ClaimDailyBonus, request, MOVE_DEADLINE_S)
        )

    async def double_daily_bonus(self, receipt: str = "") -> BonusPaid:
        """Double today's bonus, with a receipt where the operator asks for one.

        Raises RefusedError NOTHING_TO_DOUBLE, ALREADY_DOUBLED or RECEIPT_INVALID.
        """
        request = wire.DoubleDailyBonusRequest(request_id=str(uuid4()), receipt=receipt)
        return doubled_of(
            await self._link.calls.unary(self._link.ledger.DoubleDailyBonus, request, MOVE_DEADLINE_S)
        )

    async def claim_chips(self) -> ChipsClaimed:
        """Top this player's chips up to 200.

        Raises RefusedError CHIPS_CLAIMED, CHIPS_ENOUGH, or WELCOME_PENDING a moment after the first contact.
        """
        request = wire.ClaimChipsRequest(request_id=str(uuid4()))
        return chips_claimed_of(
            await self._link.calls.unary(self._link.ledger.ClaimChips, request, MOVE_DEADLINE_S)
        )

    async def redeem(self, receipt: str) -> Redeemed:
        """Redeem a shop's receipt for jokers; shown again it brings nothing more and answers the same.

        Raises RefusedError PURCHASE_INVALID, NOT_YOURS, NO_SHOP, or KEY_REUSED where the shop signed two
        purchases under one id.
        """
        request = wire.RedeemPurchaseRequest(request_id=str(uuid4()), receipt=receipt)
        return redeemed_of(
            await self._link.calls.unary(self._link.ledger.RedeemPurchase, request, MOVE_DEADLINE_S)
        )
