"""Lost replies, tokens and refusals, over real gRPC."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import grpc
import pytest

from libs.client.calls import Retries
from libs.client.client import SparrowClient
from libs.client.devices import FileDeviceStore
from libs.client.errors import ConflictError, LimitError, SparrowError, UnreachableError
from libs.client.results import Outcome
from libs.client.session import utc_now
from tests.integration.client.conftest import PATIENT
from tests.support.pairs import pair_of
from tests.support.tiny_sparrow import TinySparrow


async def test_a_touch_whose_reply_was_lost_happens_once(client: SparrowClient, tiny: TinySparrow) -> None:
    """The client sends the same request again, id included, and gets the answer of the first time."""
    game = await client.start_level(1)
    first, _ = pair_of(game.board)
    tiny.faults.lose_replies = 2

    lifted = await game.touch(first)

    ids = [request.request_id for request in tiny.requests("TouchRequest")]
    assert (lifted.outcome, lifted.board_version) == (Outcome.LIFTED, 1)
    assert len(ids) == 3
    assert len(set(ids)) == 1
    assert game.board.lifted == first


async def test_an_expired_token_is_refreshed_and_the_call_goes_through(
    client: SparrowClient, tiny: TinySparrow
) -> None:
    """TOKEN_EXPIRED costs a refresh, and the caller never hears of it."""
    tiny.tokens.clear()

    await client.start_level(1)

    assert len(tiny.requests("RefreshSessionRequest")) == 1
    assert len(tiny.requests("SignInRequest")) == 1


async def test_a_session_that_is_gone_is_opened_anew(client: SparrowClient, tiny: TinySparrow) -> None:
    """Where the refresh token is refused as well, the device key signs the same player in again."""
    tiny.tokens.clear()
    tiny.refresh_tokens.clear()

    await client.start_level(1)

    assert len(tiny.requests("SignInRequest")) == 2
    assert set(tiny.tokens.values()) == {client.profile.name}


async def test_many_calls_with_one_expired_token_refresh_once(
    client: SparrowClient, tiny: TinySparrow
) -> None:
    """Ten calls at once that find the token expired share one refresh."""
    tiny.tokens.clear()

    await asyncio.gather(*(client.start_level(1) for _ in range(10)))

    assert len(tiny.requests("RefreshSessionRequest")) == 1


async def test_the_token_is_refreshed_before_it_expires(target: str, tiny: TinySparrow) -> None:
    """A minute before the token expires the next call refreshes it first."""
    clock = {"ahead": timedelta(0)}
    async with await SparrowClient.connect(target, now=lambda: utc_now() + clock["ahead"]) as client:
        await client.standings()
        assert tiny.requests("RefreshSessionRequest") == []
        clock["ahead"] = timedelta(minutes=14, seconds=30)

        await client.standings()

    assert len(tiny.requests("RefreshSessionRequest")) == 1


async def test_a_wrong_clock_does_not_refresh_on_every_call(target: str, tiny: TinySparrow) -> None:
    """A machine whose clock is a year ahead plays as well as any other."""
    async with await SparrowClient.connect(target, now=lambda: utc_now() + timedelta(days=365)) as client:
        await client.standings()
        await client.standings()

    assert tiny.requests("RefreshSessionRequest") == []


async def test_a_conflict_is_the_callers_to_handle(client: SparrowClient, tiny: TinySparrow) -> None:
    """ABORTED is not retried: the board that the caller decided on is not the board any more."""
    game = await client.start_level(1)
    twin = await client.game(game.name)
    await twin.touch(min(twin.board.free))

    with pytest.raises(ConflictError) as caught:
        await game.touch(max(game.board.free))

    assert caught.value.reason == "STALE_BOARD_VERSION"
    assert (await game.refresh()).version == 1
    await game.touch(max(game.board.free))


async def test_an_error_tells_reason_status_metadata_and_pause(
    client: SparrowClient, tiny: TinySparrow
) -> None:
    """What the ErrorInfo and the RetryInfo say stands on the exception, and limits are not retried."""
    tiny.faults.refuse, tiny.faults.retry_after_ms = ["TOUCH_LIMIT"], 250

    with pytest.raises(LimitError) as caught:
        await client.start_level(1)

    error: SparrowError = caught.value
    assert (error.reason, error.status) == ("TOUCH_LIMIT", grpc.StatusCode.RESOURCE_EXHAUSTED)
    assert (error.metadata, error.retry_after_ms) == ({"seen": "here"}, 250)


async def test_a_draining_server_is_given_the_time_it_asks_for(
    client: SparrowClient, tiny: TinySparrow
) -> None:
    """UNAVAILABLE with a pause is retried, and not before that pause is over."""
    tiny.faults.refuse, tiny.faults.retry_after_ms = ["DRAINING"], 300
    loop = asyncio.get_running_loop()
    began = loop.time()

    await client.start_level(1)

    assert loop.time() - began >= 0.3


async def test_nothing_listening_is_said_after_the_patience_and_not_before() -> None:
    """Connecting to a dead port ends in UnreachableError within the patience and a little."""
    loop = asyncio.get_running_loop()
    began = loop.time()

    with pytest.raises(UnreachableError):
        await SparrowClient.connect("127.0.0.1:1", retries=Retries(for_s=0.5))

    assert loop.time() - began < 4


async def test_a_stored_device_key_is_the_same_player_again(target: str, tmp_path: Path) -> None:
    """The file store makes a key once, for its owner's eyes; the second connection meets the same player."""
    store = FileDeviceStore(tmp_path / "keys" / "me.key")

    async with await SparrowClient.connect(target, store=store, retries=PATIENT) as first:
        pass
    async with await SparrowClient.connect(target, store=store, retries=PATIENT) as second:
        pass

    assert (first.created, second.created) == (True, False)
    assert first.profile.name == second.profile.name
    assert store.path.stat().st_mode & 0o777 == 0o600
