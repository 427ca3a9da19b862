"""Resource names, page sizes, request ids and hashes."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest

from libs.pb.sparrow.account.v1 import account_service_pb2
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2
from libs.runtime.call import METHOD
from libs.runtime.caller import CALLER, Anybody, Player
from libs.runtime.errors import Refused
from libs.runtime.names import (
    layout_name,
    match_name,
    parse_layout,
    parse_match,
    parse_player,
    player_name,
    session_name,
)
from libs.runtime.paging import listing, page_size
from libs.runtime.request import check_request_id, current_player, write_request

ANA = Player(UUID(int=1), UUID(int=2))
SIGN_OUT = "/sparrow.account.v1.AccountService/SignOut"

SOME_ID = UUID("0198c2a4-7d3e-7b51-8f0a-3c9e5d7a1b42")  # fixed: test processes must agree on test names


@pytest.fixture(autouse=True)
def calling() -> Iterator[None]:
    """Ana calls SignOut."""
    caller, method = CALLER.set(ANA), METHOD.set(SIGN_OUT)
    yield
    CALLER.reset(caller)
    METHOD.reset(method)


def test_names_come_back_as_their_ids() -> None:
    """Each kind of name holds one id."""
    some_id = uuid4()

    assert parse_player("f", player_name(some_id)) == some_id
    assert parse_match("f", match_name(some_id)) == some_id
    assert parse_layout("f", layout_name("turtle_2")) == "turtle_2"
    assert session_name(some_id, some_id) == f"players/{some_id}/sessions/{some_id}"


@pytest.mark.parametrize(
    "text",
    [
        *("", "players", "players/", "players/me", "players/x", "matches/x"),
        f"players/{SOME_ID}/x",
        f" players/{SOME_ID}",
        f"players/{SOME_ID}".upper(),
        f"players/{SOME_ID.hex}",
        f"players/{{{SOME_ID}}}",
        "players/" + "0" * 10_000,
    ],
)
def test_nonsense_is_no_name(text: str) -> None:
    """Whatever is not the canonical form names its field."""
    for parse in (parse_player, parse_match, parse_layout):
        with pytest.raises(Refused) as refused:
            parse("the.field", text)
        assert (refused.value.reason, refused.value.field_path) == ("FIELD_INVALID", "the.field")


def test_me_is_the_calling_player() -> None:
    """Where it is allowed, and for players."""
    assert parse_player("name", "players/me", allow_me=True) == ANA.account_id
    CALLER.set(Anybody())
    with pytest.raises(Refused, match="players only"):
        parse_player("name", "players/me", allow_me=True)
    with pytest.raises(Refused, match="players only"):
        current_player()


def test_page_sizes_have_a_default_and_a_bound() -> None:
    """0 is the default, more than the maximum is the maximum, negative is refused."""
    assert [page_size(value, 20, 100) for value in (0, 1, 100, 101, 2**31 - 1)] == [20, 1, 100, 100, 100]
    with pytest.raises(Refused) as refused:
        page_size(-1, 20, 100)
    assert refused.value.field_path == "page_size"


def test_a_listing_is_its_arguments_without_the_page() -> None:
    """Page size and token may change between pages, nothing else, and no other method shares a listing."""
    request = ledger_service_pb2.ListTransfersRequest(player="players/me", page_size=3, page_token="x")
    other_page = ledger_service_pb2.ListTransfersRequest(player="players/me", page_size=5, page_token="y")
    other_list = ledger_service_pb2.ListTransfersRequest(player=player_name(uuid4()))
    bound = listing(request)

    assert bound == listing(other_page) != listing(other_list)
    METHOD.set("/another/Method")
    assert bound != listing(request)


def test_the_hash_of_a_write_covers_method_caller_and_body() -> None:
    """The same call has the same key and hash; each change of one of the three changes the hash."""
    request = account_service_pb2.SignOutRequest(request_id="r1")
    first = write_request(None, request)

    assert write_request(None, request) == first
    assert (first.caller, first.request_id) == (ANA.account_id, "r1")
    other_body = account_service_pb2.SignOutRequest(request_id="r1", all_sessions=True)
    assert write_request(None, other_body).sha256 != first.sha256
    assert write_request("/another/Method", request).sha256 != first.sha256
    assert write_request(None, request, caller=uuid4()).sha256 != first.sha256


@pytest.mark.parametrize("request_id", ["", "x" * 37, "a b", "ä", "\n", "a\0"])
def test_request_ids_are_short_and_visible(request_id: str) -> None:
    """1 to 36 visible ASCII characters."""
    assert check_request_id("x" * 36)
    with pytest.raises(Refused) as refused:
        check_request_id(request_id)
    assert refused.value.field_path == "request_id"
