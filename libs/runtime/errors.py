"""One table: what the world got wrong -> the gRPC status that says so.

A servicer raises `Refused` with a reason from this table; the interceptor answers with the reason's status
and exactly one `ErrorInfo`, and nothing has changed. What we got wrong is an assertion and becomes INTERNAL.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import grpc

DOMAIN = "sparrow"

STATUS_OF_REASON: Mapping[str, grpc.StatusCode] = {
    # who calls
    "TOKEN_MISSING": grpc.StatusCode.UNAUTHENTICATED,
    "TOKEN_INVALID": grpc.StatusCode.UNAUTHENTICATED,
    "TOKEN_EXPIRED": grpc.StatusCode.UNAUTHENTICATED,
    "SESSION_REVOKED": grpc.StatusCode.UNAUTHENTICATED,
    "REFRESH_INVALID": grpc.StatusCode.UNAUTHENTICATED,
    "REFRESH_REUSED": grpc.StatusCode.UNAUTHENTICATED,
    "AUDIENCE": grpc.StatusCode.PERMISSION_DENIED,
    "METHOD_UNKNOWN": grpc.StatusCode.UNIMPLEMENTED,
    "NOT_YOURS": grpc.StatusCode.PERMISSION_DENIED,
    # what was asked
    "FIELD_INVALID": grpc.StatusCode.INVALID_ARGUMENT,
    "NOT_A_HAND": grpc.StatusCode.INVALID_ARGUMENT,
    "MESSAGE_MALFORMED": grpc.StatusCode.INVALID_ARGUMENT,
    "PAGE_TOKEN_INVALID": grpc.StatusCode.INVALID_ARGUMENT,
    "RESUME_TOKEN_INVALID": grpc.StatusCode.INVALID_ARGUMENT,
    "PAGE_EXPIRED": grpc.StatusCode.FAILED_PRECONDITION,
    "RESUME_EXPIRED": grpc.StatusCode.FAILED_PRECONDITION,
    "NOT_FOUND": grpc.StatusCode.NOT_FOUND,
    "REQUEST_ID_REUSED": grpc.StatusCode.FAILED_PRECONDITION,
    # games
    "NOT_STARTED": grpc.StatusCode.FAILED_PRECONDITION,
    "NOT_IN_MODE": grpc.StatusCode.FAILED_PRECONDITION,
    "SEAT_OUT": grpc.StatusCode.FAILED_PRECONDITION,
    "MATCH_ENDED": grpc.StatusCode.FAILED_PRECONDITION,
    "MATCH_RUNNING": grpc.StatusCode.FAILED_PRECONDITION,
    "NOTHING_LIFTED": grpc.StatusCode.FAILED_PRECONDITION,
    "JOKER_PENDING": grpc.StatusCode.FAILED_PRECONDITION,
    "JOKERS_USED_UP": grpc.StatusCode.FAILED_PRECONDITION,
    "NO_JOKER_OWNED": grpc.StatusCode.FAILED_PRECONDITION,
    "JOKER_TOO_LATE": grpc.StatusCode.FAILED_PRECONDITION,
    "TILE_GONE": grpc.StatusCode.FAILED_PRECONDITION,
    "TILE_BLOCKED": grpc.StatusCode.FAILED_PRECONDITION,
    "NOT_A_PAIR": grpc.StatusCode.FAILED_PRECONDITION,
    "UNDOS_USED_UP": grpc.StatusCode.FAILED_PRECONDITION,
    "NOTHING_TO_UNDO": grpc.StatusCode.FAILED_PRECONDITION,
    "SHUFFLES_USED_UP": grpc.StatusCode.FAILED_PRECONDITION,
    "HINTS_USED_UP": grpc.StatusCode.FAILED_PRECONDITION,
    "NO_PAIR_AVAILABLE": grpc.StatusCode.FAILED_PRECONDITION,
    "SHUFFLE_LEFT": grpc.StatusCode.FAILED_PRECONDITION,
    "SEAT_AWAY": grpc.StatusCode.FAILED_PRECONDITION,
    "NOT_YOUR_TURN": grpc.StatusCode.FAILED_PRECONDITION,
    "ALREADY_ANSWERED": grpc.StatusCode.FAILED_PRECONDITION,
    "NOTHING_TO_CLAIM": grpc.StatusCode.FAILED_PRECONDITION,
    "DISCARD_FIRST": grpc.StatusCode.FAILED_PRECONDITION,
    "NO_REPLACEMENT": grpc.StatusCode.FAILED_PRECONDITION,
    "LAST_TILE": grpc.StatusCode.FAILED_PRECONDITION,
    "NOT_NEXT": grpc.StatusCode.FAILED_PRECONDITION,
    "NO_SUCH_TILE": grpc.StatusCode.FAILED_PRECONDITION,
    "NOT_A_SET": grpc.StatusCode.FAILED_PRECONDITION,
    "NOT_WINNING": grpc.StatusCode.FAILED_PRECONDITION,
    "UNDER_EIGHT": grpc.StatusCode.FAILED_PRECONDITION,
    "STALE_DECISION": grpc.StatusCode.ABORTED,
    "STALE_BOARD_VERSION": grpc.StatusCode.ABORTED,
    "STREAM_CONFLICT": grpc.StatusCode.ABORTED,
    "ALREADY_QUEUED": grpc.StatusCode.FAILED_PRECONDITION,
    "ALREADY_SEATED": grpc.StatusCode.FAILED_PRECONDITION,
    "TICKET_MATCHED": grpc.StatusCode.FAILED_PRECONDITION,
    "TICKET_EXPIRED": grpc.StatusCode.FAILED_PRECONDITION,
    "INVITATION_EXPIRED": grpc.StatusCode.FAILED_PRECONDITION,
    "STAKE_HIGHER": grpc.StatusCode.FAILED_PRECONDITION,
    "REMATCH_OVER": grpc.StatusCode.FAILED_PRECONDITION,
    "INVITATION_NEEDED": grpc.StatusCode.PERMISSION_DENIED,
    "SPECTATOR_SEATED": grpc.StatusCode.PERMISSION_DENIED,
    "SHUFFLE_PAUSE": grpc.StatusCode.FAILED_PRECONDITION,
    "NOT_BLOCKED": grpc.StatusCode.FAILED_PRECONDITION,
    "HINTS_OFF": grpc.StatusCode.FAILED_PRECONDITION,
    "NO_PAIR": grpc.StatusCode.FAILED_PRECONDITION,
    "IN_ANOTHER_GROUP": grpc.StatusCode.FAILED_PRECONDITION,
    "HOST_ONLY": grpc.StatusCode.PERMISSION_DENIED,
    "RACE_RUNNING": grpc.StatusCode.FAILED_PRECONDITION,
    "GROUP_FULL": grpc.StatusCode.FAILED_PRECONDITION,
    # tournaments
    "TOURNAMENT_CANCELLED": grpc.StatusCode.FAILED_PRECONDITION,
    "TOURNAMENT_OVER": grpc.StatusCode.FAILED_PRECONDITION,
    "TOURNAMENT_NOT_RUNNING": grpc.StatusCode.FAILED_PRECONDITION,
    "REGISTRATION_NOT_OPEN": grpc.StatusCode.FAILED_PRECONDITION,
    "REGISTRATION_CLOSED": grpc.StatusCode.FAILED_PRECONDITION,
    "NOT_REGISTERED": grpc.StatusCode.FAILED_PRECONDITION,
    "TOURNAMENT_FULL": grpc.StatusCode.FAILED_PRECONDITION,
    "REGISTRATION_LIMIT": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "ENTRY_CONDITION": grpc.StatusCode.FAILED_PRECONDITION,
    "RESULT_UNKNOWN": grpc.StatusCode.NOT_FOUND,
    "RESULT_PENDING": grpc.StatusCode.FAILED_PRECONDITION,
    # accounts and ledger
    "NAME_TAKEN": grpc.StatusCode.FAILED_PRECONDITION,
    "ROLE_TOO_LOW": grpc.StatusCode.PERMISSION_DENIED,
    "NOT_A_MEMBER": grpc.StatusCode.FAILED_PRECONDITION,
    "ALREADY_A_MEMBER": grpc.StatusCode.FAILED_PRECONDITION,
    "ALREADY_REQUESTED": grpc.StatusCode.FAILED_PRECONDITION,
    "ALREADY_INVITED": grpc.StatusCode.FAILED_PRECONDITION,
    "NO_JOIN_REQUEST": grpc.StatusCode.NOT_FOUND,
    "NO_INVITATION": grpc.StatusCode.NOT_FOUND,
    "IN_ANOTHER_CLUB": grpc.StatusCode.FAILED_PRECONDITION,
    "JOIN_POLICY": grpc.StatusCode.FAILED_PRECONDITION,
    "CLUB_FULL": grpc.StatusCode.FAILED_PRECONDITION,
    "OWNER_STAYS": grpc.StatusCode.FAILED_PRECONDITION,
    "CLUB_NOT_EMPTY": grpc.StatusCode.FAILED_PRECONDITION,
    "KEY_REUSED": grpc.StatusCode.FAILED_PRECONDITION,
    "BALANCE_TOO_LOW": grpc.StatusCode.FAILED_PRECONDITION,
    "BALANCE_TOO_HIGH": grpc.StatusCode.FAILED_PRECONDITION,
    "OCCURRED_OUT_OF_RANGE": grpc.StatusCode.FAILED_PRECONDITION,
    "KEY_CANCELLED": grpc.StatusCode.FAILED_PRECONDITION,
    "ALREADY_CLAIMED": grpc.StatusCode.FAILED_PRECONDITION,
    "NOTHING_TO_DOUBLE": grpc.StatusCode.FAILED_PRECONDITION,
    "ALREADY_DOUBLED": grpc.StatusCode.FAILED_PRECONDITION,
    "RECEIPT_INVALID": grpc.StatusCode.FAILED_PRECONDITION,
    "WELCOME_PENDING": grpc.StatusCode.FAILED_PRECONDITION,
    "CHIPS_CLAIMED": grpc.StatusCode.FAILED_PRECONDITION,
    "CHIPS_ENOUGH": grpc.StatusCode.FAILED_PRECONDITION,
    "NO_SHOP": grpc.StatusCode.FAILED_PRECONDITION,
    "PURCHASE_INVALID": grpc.StatusCode.FAILED_PRECONDITION,
    "ALREADY_REPORTED": grpc.StatusCode.FAILED_PRECONDITION,
    # limits
    "TOUCH_LIMIT": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "RETURN_LIMIT": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "TOO_MANY_WAITING": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "SPECTATOR_LIMIT": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "STREAM_LIMIT": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "SLOW_READER": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "MESSAGE_TOO_LARGE": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "RATE_LIMIT": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "DRAINING": grpc.StatusCode.UNAVAILABLE,
    "NOT_READY": grpc.StatusCode.UNAVAILABLE,
}


@dataclass(eq=False)  # not frozen: whoever passes an exception on sets its traceback
class Refused(Exception):
    """A refusal on its way to the client. `reason` stands in `STATUS_OF_REASON`."""

    reason: str
    message: str
    metadata: Mapping[str, str] = field(default_factory=dict)
    field_path: str | None = None  # adds BadRequest with this field
    retry_after_ms: int | None = None  # adds RetryInfo

    def __post_init__(self) -> None:
        assert self.reason in STATUS_OF_REASON, f"no status is laid down for {self.reason}"

    @property
    def status(self) -> grpc.StatusCode:
        """The gRPC status of the reason."""
        return STATUS_OF_REASON[self.reason]


def invalid_field(path: str, message: str, rule: str = "", **values: int) -> Refused:
    """Return the refusal of a malformed request field.

    A `rule` that has a text of its own ("RANGE", with `min` and `max`) says in the player's language what is
    allowed; it and its values stand in the metadata.
    """
    told = {"field": path, **({"rule": rule} if rule else {}), **{key: str(n) for key, n in values.items()}}
    return Refused("FIELD_INVALID", f"{path}: {message}", told, field_path=path)
