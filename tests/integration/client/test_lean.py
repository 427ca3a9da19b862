"""The player of a load keeps its token good for as long as the load lasts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime, timedelta

import pytest

from libs.client.errors import SignInError
from libs.client.lean import LeanConnection, LeanPlayer
from libs.client.session import utc_now
from tests.support.tiny_sparrow import TinySparrow


@pytest.fixture
async def connection(target: str) -> AsyncIterator[LeanConnection]:
    """A connection to the tiny Sparrow."""
    opened = LeanConnection(target)
    yield opened
    await opened.close()


async def test_a_player_of_a_load_renews_its_token_before_it_expires(
    connection: LeanConnection, tiny: TinySparrow
) -> None:
    """After the lifetime of an access token it plays on as the same player, without a refusal."""
    later = timedelta()

    def now() -> datetime:
        return utc_now() + later

    player = LeanPlayer(connection, now)
    await player.sign_in()
    await player.start_level(1)
    later = tiny.access_lifetime
    tiny.tokens.clear()
    await player.start_level(1)

    assert len(tiny.requests("SignInRequest")) == 1
    assert len(tiny.requests("RefreshSessionRequest")) == 1
    assert len(tiny.requests("StartLevelRequest")) == 2


async def test_a_refused_token_is_renewed_for_the_next_move(
    connection: LeanConnection, tiny: TinySparrow
) -> None:
    """Where this machine's clock is wrong one move fails, and is told, but not all that follow."""
    player = LeanPlayer(connection)
    await player.sign_in()
    tiny.tokens.clear()

    with pytest.raises(SignInError):
        await player.start_level(1)
    await player.start_level(1)

    assert len(tiny.requests("RefreshSessionRequest")) == 1
