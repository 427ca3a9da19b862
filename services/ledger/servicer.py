"""The ledger at the edge: its methods, and `bind`, which puts the service together."""

from __future__ import annotations

from datetime import UTC
from typing import Any, Final, TypeVar

import grpc

from libs.eventstore.port import RequestReused
from libs.eventstore.wake import Wake
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as pb
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2_grpc as pb_grpc
from libs.pb.sparrow.ledger.v1.ledger_operations_service_pb2_grpc import (
    add_LedgerOperationsServiceServicer_to_server,
)
from libs.pb.sparrow.ledger.v1.ledger_pb2 import Transfer
from libs.runtime.caller import CALLER, caller_id
from libs.runtime.clock import Clock
from libs.runtime.names import parse_player
from libs.runtime.paging import PAGE_VALID_S, listing, page_size
from libs.runtime.request import current_player, write_request
from libs.runtime.service import Runtime, Service
from libs.runtime.tokens import OpaqueTokens
from services.ledger.assets import player_account
from services.ledger.board_servicer import ORDINAL_END, PAGE_MAX, BoardMethods, BoardReads, check_own
from services.ledger.domain.bonus import standing
from services.ledger.domain.calendar import ledger_day
from services.ledger.domain.doubling import ByReceipt, Free
from services.ledger.domain.purchases import NoShop, Shop
from services.ledger.loops import working_loops
from services.ledger.operations_servicer import LedgerOperationsServicer
from services.ledger.projections.club_reads import ClubBoards
from services.ledger.projections.reads import BoardReader
from services.ledger.refusals import AnyRefusal, refused, request_id_reused
from services.ledger.requests import check_grant, check_key, check_receipt, check_transfer, week_of
from services.ledger.store.bonuses import Bonuses
from services.ledger.store.chips import Chips
from services.ledger.store.journal import Journal
from services.ledger.store.prizes import Prizes
from services.ledger.store.purchases import Purchases
from services.ledger.store.rows import KeptTransfer
from services.ledger.wire.events import ASSET_FROM_WIRE
from services.ledger.wire.messages import (
    balance_messages,
    bonus_message,
    cup_messages,
    order_of_grant,
    order_of_request,
    timestamp,
    transfer_message,
)

T = TypeVar("T")

TRANSFERS_PAGE: Final = "page.transfers"
TRANSFERS_PAGE_DEFAULT: Final = 50
NOT_YOURS: Final = "players read their own transfers and balances only"


class LedgerServicer(BoardMethods):
    """LedgerService of protos/sparrow/ledger/v1."""

    def __init__(
        self,
        journal: Journal,
        bonuses: Bonuses,
        chips: Chips,
        purchases: Purchases,
        prizes: Prizes,
        boards: BoardReads,
        tokens: OpaqueTokens,
        clock: Clock,
        wake: Wake,
    ) -> None:
        """Serve from the journal, the bonuses and the boards."""
        super().__init__(boards, tokens, clock)
        self._journal = journal
        self._bonuses = bonuses
        self._chips = chips
        self._purchases = purchases
        self._prizes = prizes
        self._wake = wake

    async def ListTransfers(self, request: pb.ListTransfersRequest, context: Any) -> pb.ListTransfersResponse:
        """Page through a player's transfers, newest first."""
        size = page_size(request.page_size, TRANSFERS_PAGE_DEFAULT, PAGE_MAX)
        account = parse_player("player", request.player, allow_me=True)
        check_own(account, NOT_YOURS)
        now, bound_to = self._clock.now(), listing(request)
        below = ORDINAL_END
        if request.page_token:
            token = self._tokens.open(TRANSFERS_PAGE, request.page_token, now, bound_to=bound_to)
            below = token["ordinal"]
        kept = await self._journal.page(player_account(account), below=below, limit=size + 1)
        response = pb.ListTransfersResponse(transfers=[_message(each) for _, each in kept[:size]])
        if len(kept) > size:
            payload = {"ordinal": kept[size - 1][0]}
            response.next_page_token = self._tokens.seal(
                TRANSFERS_PAGE, payload, now, PAGE_VALID_S, bound_to=bound_to
            )
        return response

    async def PostTransfer(self, request: pb.PostTransferRequest, context: Any) -> pb.PostTransferResponse:
        """Post a transfer, once for ever under its key."""
        check_transfer(
            key=request.key,
            asset=ASSET_FROM_WIRE[request.asset],
            cup_kind=request.cup_kind,
            debit=request.debit,
            credit=request.credit,
            amount=request.amount,
            reason=request.reason,
        )
        write = write_request(context, request)
        now = self._clock.now()
        outcome = await self._journal.post_command(order_of_request(request, now), now=now, request=write)
        return pb.PostTransferResponse(transfer=_message(await self._posted(outcome, key=request.key)))

    async def CancelTransfer(
        self, request: pb.CancelTransferRequest, context: Any
    ) -> pb.CancelTransferResponse:
        """Take a key's transfer back, or keep the key from being posted, for ever."""
        check_key(request.key)
        write = write_request(context, request)
        outcome = await self._journal.cancel_command(request.key, now=self._clock.now(), request=write)
        cancelled = await self._posted(outcome, key=request.key)
        return pb.CancelTransferResponse(
            reversal=_message(cancelled.reversal) if cancelled.reversal is not None else None,
            cancelled_time=timestamp(cancelled.at),
        )

    async def GetBalances(self, request: pb.GetBalancesRequest, context: Any) -> pb.GetBalancesResponse:
        """Tell a player's jokers, chips and cups."""
        account = parse_player("player", request.player, allow_me=True)
        check_own(account, NOT_YOURS)
        held = await self._journal.balances(player_account(account))
        cups = await self._prizes.cups(player_account(account))
        return pb.GetBalancesResponse(balances=balance_messages(held), cups=cup_messages(cups))

    async def GetPrizePoints(
        self, request: pb.GetPrizePointsRequest, context: Any
    ) -> pb.GetPrizePointsResponse:
        """Tell the points of a player's prizes of a week."""
        account = parse_player("player", request.player)
        week = week_of(request.week_time.ToDatetime(UTC))
        points = await self._prizes.points(player_account(account), week.first_day, week.last_day)
        return pb.GetPrizePointsResponse(points=points, first_day=week.first_day.isoformat())

    async def GrantAsset(self, request: pb.GrantAssetRequest, context: Any) -> pb.GrantAssetResponse:
        """Give a player jokers or chips."""
        check_grant(
            player=request.player,
            asset=ASSET_FROM_WIRE[request.asset],
            amount=request.amount,
            reason=request.reason,
        )
        write = write_request(context, request)
        now = self._clock.now()
        order = order_of_grant(request, caller_id(CALLER.get()), now)
        outcome = await self._journal.post_command(order, now=now, request=write)
        return pb.GrantAssetResponse(transfer=_message(await self._posted(outcome, key=order.key)))

    async def GetDailyBonus(self, request: pb.GetDailyBonusRequest, context: Any) -> pb.GetDailyBonusResponse:
        """Tell where the caller's daily bonus stands."""
        today = ledger_day(self._clock.now())
        state = await self._bonuses.state(current_player().account_id)
        needs_receipt = isinstance(self._bonuses.terms, ByReceipt)
        message = bonus_message(standing(state, today), today, needs_receipt=needs_receipt)
        return pb.GetDailyBonusResponse(bonus=message)

    async def ClaimDailyBonus(
        self, request: pb.ClaimDailyBonusRequest, context: Any
    ) -> pb.ClaimDailyBonusResponse:
        """Pay the caller today's bonus, once."""
        account = current_player().account_id
        write = write_request(context, request)
        outcome = await self._bonuses.claim(account, now=self._clock.now(), request=write)
        paid = await self._posted(outcome)
        points, *joker = [_message(each) for each in paid.transfers]
        return pb.ClaimDailyBonusResponse(
            streak_day=paid.streak, points=points, joker=joker[0] if joker else None
        )

    async def DoubleDailyBonus(
        self, request: pb.DoubleDailyBonusRequest, context: Any
    ) -> pb.DoubleDailyBonusResponse:
        """Pay the points of the caller's bonus of today again, once."""
        account = current_player().account_id
        write = write_request(context, request)
        outcome = await self._bonuses.double(account, request.receipt, now=self._clock.now(), request=write)
        (points,) = (await self._posted(outcome)).transfers
        return pb.DoubleDailyBonusResponse(points=_message(points))

    async def ClaimChips(self, request: pb.ClaimChipsRequest, context: Any) -> pb.ClaimChipsResponse:
        """Top the caller's chips up to 200, once a Romanian day."""
        account = current_player().account_id
        write = write_request(context, request)
        outcome = await self._chips.claim(account, now=self._clock.now(), request=write)
        return pb.ClaimChipsResponse(transfer=_message(await self._posted(outcome)))

    async def RedeemPurchase(
        self, request: pb.RedeemPurchaseRequest, context: Any
    ) -> pb.RedeemPurchaseResponse:
        """Give the caller the jokers of a receipt, once for ever."""
        check_receipt(request.receipt)
        account = current_player().account_id
        write = write_request(context, request)
        outcome = await self._purchases.redeem(account, request.receipt, now=self._clock.now(), request=write)
        return pb.RedeemPurchaseResponse(transfer=_message(await self._posted(outcome)))

    async def _posted(self, outcome: T | AnyRefusal | RequestReused, **metadata: str) -> T:
        """Return what a write did and wake those who wait for facts. Raises Refused where it did nothing."""
        if isinstance(outcome, RequestReused):
            raise request_id_reused()
        if isinstance(outcome, AnyRefusal):
            raise refused(outcome, metadata)
        await self._wake.nudge()
        return outcome


def _message(kept: KeptTransfer) -> Transfer:
    return transfer_message(kept.transfer, kept.posted_at)


def _purchase_terms(runtime: Runtime) -> NoShop | Shop:
    key = runtime.settings.purchase_receipt_key
    return Shop(key.get_secret_value().encode()) if key is not None else NoShop()


async def bind(runtime: Runtime) -> Service:
    """Compose the service."""
    database = await runtime.open_database("ledger")
    boards = BoardReader(database)
    wake = Wake(runtime.bus, "ledger")
    journal = Journal(database.store, database.telemetry.meter)
    receipt_key = runtime.settings.daily_doubling_receipt_key
    terms = ByReceipt(receipt_key.get_secret_value().encode()) if receipt_key is not None else Free()
    bonuses = Bonuses(database.store, terms)
    chips, purchases = Chips(journal), Purchases(journal, _purchase_terms(runtime))
    prizes = Prizes(database.store)
    reads = BoardReads.of(database, boards, ClubBoards())
    servicer = LedgerServicer(
        journal, bonuses, chips, purchases, prizes, reads, runtime.opaque, runtime.clock, wake
    )
    assert runtime.settings.database_url is not None, "the ledger's database was opened"
    operations = LedgerOperationsServicer(database, runtime.settings.database_url.get_secret_value(), wake)

    def register(server: grpc.aio.Server) -> None:
        pb_grpc.add_LedgerServiceServicer_to_server(servicer, server)
        add_LedgerOperationsServiceServicer_to_server(operations, server)

    return Service(
        name="ledger",
        grpc_names=("sparrow.ledger.v1.LedgerService", "sparrow.ledger.v1.LedgerOperationsService"),
        register=register,
        working=working_loops(runtime, database, journal, prizes, boards, wake),
        close=operations.close,
        feed=database.feed,
    )
