"""What descriptors alone say about requests."""

from __future__ import annotations

from random import Random

import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given
from hypothesis import strategies as st

from libs.pb.sparrow.account.v1 import account_pb2, account_service_pb2
from libs.pb.sparrow.ledger.v1 import ledger_pb2, ledger_service_pb2
from libs.pb.sparrow.match.v1 import match_service_pb2
from libs.pb.sparrow.solitaire.v1 import solitaire_service_pb2
from libs.runtime.errors import Refused
from libs.runtime.interceptors.validation import ELEMENTS_MAX, check_request, parse_request
from tests.support.wild_messages import wild_message

POSTED = {
    "key": "k",
    "asset": ledger_pb2.ASSET_POINTS,
    "debit": "house/x",
    "credit": "house/y",
    "amount": 1,
    "reason": "R",
    "request_id": "r",
}


def refused_field(message: Message) -> str | None:
    """Return the field that is refused, None when all is well."""
    try:
        check_request(message)
    except Refused as refused:
        return refused.field_path if refused.reason == "FIELD_INVALID" else refused.reason
    return None


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (account_service_pb2.SignInRequest(request_id="r"), "device_key"),
        (account_service_pb2.SignInRequest(device_key=b"k"), "request_id"),
        (account_service_pb2.SignInRequest(device_key=b"k", request_id="r"), None),
        (account_service_pb2.SignInRequest(device_key=b"k\0", request_id="r"), None),
        (account_service_pb2.SignInRequest(device_key=b"k", request_id="r\0"), "request_id"),
        (account_service_pb2.BatchGetProfilesRequest(), "names"),
        (account_service_pb2.BatchGetProfilesRequest(names=["a", "b\0"]), "names[1]"),
        (account_service_pb2.BatchGetProfilesRequest(names=["a"] * ELEMENTS_MAX), None),
        (account_service_pb2.BatchGetProfilesRequest(names=["a\0"] * (ELEMENTS_MAX + 1)), "names"),
        (account_service_pb2.UpdateProfileRequest(request_id="r"), "profile"),
        (
            account_service_pb2.UpdateProfileRequest(
                profile=account_pb2.Profile(name="x"), update_mask=FieldMask(), request_id="r"
            ),
            "profile.display_name",
        ),
        (
            account_service_pb2.UpdateProfileRequest(
                profile=account_pb2.Profile(display_name="x"),
                update_mask=FieldMask(paths=["a\0"]),
                request_id="r",
            ),
            "update_mask.paths[0]",
        ),
        (match_service_pb2.TouchRequest(name="matches/x", tile=0, request_id="r"), None),
        (solitaire_service_pb2.SolvePositionRequest(faces=["1m"]), "layout"),
        (ledger_service_pb2.PostTransferRequest(**POSTED), "occurred_time"),  # type: ignore[arg-type]
        (
            ledger_service_pb2.PostTransferRequest(**POSTED, occurred_time=Timestamp(seconds=2**60)),  # type: ignore[arg-type]
            "occurred_time",
        ),
        (
            ledger_service_pb2.PostTransferRequest(**POSTED, occurred_time=Timestamp(nanos=-1)),  # type: ignore[arg-type]
            "occurred_time",
        ),
        (
            ledger_service_pb2.PostTransferRequest(**(POSTED | {"asset": 77}), occurred_time=Timestamp()),  # type: ignore[arg-type]
            "asset",
        ),
        (
            ledger_service_pb2.PostTransferRequest(**(POSTED | {"asset": 0}), occurred_time=Timestamp()),  # type: ignore[arg-type]
            "asset",
        ),
        (ledger_service_pb2.PostTransferRequest(**POSTED, occurred_time=Timestamp()), None),  # type: ignore[arg-type]
    ],
)
def test_the_field_that_is_wrong_is_named_with_its_path(message: Message, field: str | None) -> None:
    """Absent, unknown, unprintable and impossible values; a number may be 0 and bytes may hold anything."""
    assert refused_field(message) == field


@given(st.binary(max_size=300))
def test_any_bytes_are_a_message_or_malformed(raw: bytes) -> None:
    """Parsing raises nothing but a refusal, and whatever parses can be checked."""
    reasons = set()
    for kind in (solitaire_service_pb2.SolvePositionRequest, account_service_pb2.UpdateProfileRequest):
        try:
            refused_field(parse_request(kind.FromString, raw, 1_000))
        except Refused as refused:
            reasons.add(refused.reason)
    assert reasons <= {"MESSAGE_MALFORMED"}


@given(st.integers(0, 2**32))
def test_wild_messages_are_judged_without_an_error(seed: int) -> None:
    """Whatever a message holds, the answer is a field or none."""
    random = Random(seed)
    for kind in (ledger_service_pb2.PostTransferRequest, solitaire_service_pb2.SolvePositionRequest):
        refused_field(wild_message(kind.DESCRIPTOR, random))


def test_too_many_bytes_are_refused_unparsed() -> None:
    """The limit counts bytes, to the byte."""
    request = account_service_pb2.GetProfileRequest(name="x" * 98).SerializeToString()

    parse_request(account_service_pb2.GetProfileRequest.FromString, request, len(request))
    with pytest.raises(Refused) as refused:
        parse_request(account_service_pb2.GetProfileRequest.FromString, request, len(request) - 1)
    assert refused.value.reason == "MESSAGE_TOO_LARGE"
