"""Facts of the account service, as far as the ledger reads them."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from google.protobuf.message import DecodeError

from libs.eventsourcing.envelope import RecordedEvent
from libs.pb.sparrow.account.v1 import account_event_pb2, club_event_pb2
from services.ledger.assets import HOUSE_CHIPS, Asset, player_account
from services.ledger.commands import PostTransfer
from services.ledger.domain.chips import welcome_key
from services.ledger.domain.memberships import Joined, Left

PROFILE_CREATED: Final = "sparrow.account.profile_created.v1"
CLUB_MEMBER_JOINED: Final = "sparrow.account.club_member_joined.v1"
CLUB_MEMBER_LEFT: Final = "sparrow.account.club_member_left.v1"
WELCOME_CHIPS: Final = 1_000
"""What a new profile gets."""


def welcome_of(recorded: RecordedEvent, source: str) -> PostTransfer:
    """Return the chips of a new profile. Raises ValueError when the fact makes no sense."""
    try:
        created = account_event_pb2.ProfileCreated.FromString(recorded.data)
    except DecodeError as error:
        raise ValueError(f"the bytes are no ProfileCreated: {error}") from error
    account = UUID(created.account_id)
    return PostTransfer(
        key=welcome_key(account),
        asset=Asset.CHIP,
        debit=HOUSE_CHIPS,
        credit=player_account(account),
        amount=WELCOME_CHIPS,
        reason="CHIPS_WELCOME",
        occurred_at=recorded.occurred_at,
        recorded_at=recorded.recorded_at,
        cause=f"{source}:{recorded.id}",
    )


def membership_of(recorded: RecordedEvent) -> Joined | Left:
    """Return who came into or left a club. Raises ValueError when the fact makes no sense."""
    try:
        if recorded.type == CLUB_MEMBER_JOINED:
            joined = club_event_pb2.ClubMemberJoined.FromString(recorded.data)
            place = UUID(joined.club_id), UUID(joined.account_id)
            return Joined(*place, recorded.version, recorded.occurred_at)
        left = club_event_pb2.ClubMemberLeft.FromString(recorded.data)
    except DecodeError as error:
        raise ValueError(f"the bytes are no {recorded.type}: {error}") from error
    return Left(UUID(left.club_id), UUID(left.account_id), recorded.version, recorded.occurred_at)
