"""Flags as an operator handles them: listed, dismissed once with who and why, raised again by later play."""

from __future__ import annotations

import asyncio
from datetime import UTC, timedelta
from uuid import uuid4

import grpc
import pytest

from libs.pb.sparrow.match.v1 import fair_play_pb2
from libs.pb.sparrow.match.v1 import fair_play_service_pb2 as pb
from libs.rules.solitaire.levels import level_deal
from tests.support.edge import Edge, refused
from tests.support.fair_play import count, dismiss, fair_play, flags, play_level
from tests.support.level_player import LevelPlayer

pytestmark = pytest.mark.timeout(120)
ENOUGH = -(-100 // len(level_deal(1).certificate))
"""So many clears of level 1 are 100 pairs."""


async def _flagged(edge: Edge, player: LevelPlayer) -> fair_play_pb2.PlayFlag:
    """Play as no person could; return the flag that comes of it."""
    for _ in range(ENOUGH):
        await play_level(player, 1, think_ms=40)
    await count(edge)
    (flag,) = await flags(edge, player.name)
    return flag


async def test_an_operator_dismisses_a_flag_once(edge: Edge, ana: LevelPlayer) -> None:
    """With who and why; whoever dismisses it again is shown how it was dismissed."""
    flag = await _flagged(edge, ana)
    edge.clock.advance(timedelta(minutes=1))
    dismissed_at = edge.clock.now()
    dismissed = await dismiss(edge, flag.name, " Plays with two hands. ", by="ivy")
    edge.clock.advance(timedelta(hours=1))
    later = await dismiss(edge, flag.name, "No.", by="joe")

    assert flag.name.startswith("flags/")
    assert not flag.HasField("dismiss_time")
    assert (dismissed.name, dismissed.player, dismissed.hits) == (flag.name, ana.name, flag.hits)
    assert (dismissed.dismissed_by, dismissed.dismissal_reason) == ("ivy", "Plays with two hands.")
    assert dismissed.dismiss_time.ToDatetime(UTC) == dismissed_at
    assert later == dismissed


async def test_dismissing_is_repeat_safe(edge: Edge, ana: LevelPlayer) -> None:
    """The same request again, also at once, has one answer; with other words it is refused."""
    flag = await _flagged(edge, ana)
    told = await asyncio.gather(*(dismiss(edge, flag.name, "x", request_id="1") for _ in range(8)))
    edge.clock.advance(timedelta(hours=1))

    assert all(each == told[0] for each in told)
    assert await dismiss(edge, flag.name, "x", request_id="1") == told[0]
    reused = await refused(dismiss(edge, flag.name, "y", request_id="1"))
    assert reused.reason == "REQUEST_ID_REUSED"


async def test_open_flags_are_listed_and_dismissed_ones_where_asked_for(
    edge: Edge, ana: LevelPlayer, ben: LevelPlayer
) -> None:
    """Of all players or of one, in pages, the newest first."""
    of_ana = await _flagged(edge, ana)
    edge.clock.advance(timedelta(minutes=1))
    of_ben = await _flagged(edge, ben)
    dismissed = await dismiss(edge, of_ana.name)
    request = pb.ListPlayFlagsRequest(page_size=1, with_dismissed=True)
    first = await fair_play(edge).ListPlayFlags(request, metadata=edge.as_operator())
    request.page_token = first.next_page_token
    second = await fair_play(edge).ListPlayFlags(request, metadata=edge.as_operator())

    assert await flags(edge) == [of_ben]
    assert await flags(edge, ana.name) == []
    assert await flags(edge, ana.name, dismissed=True) == [dismissed]
    assert await flags(edge, dismissed=True) == [of_ben, dismissed]
    assert [list(first.flags), list(second.flags)] == [[of_ben], [dismissed]]
    assert second.next_page_token == ""


async def test_what_was_dismissed_is_not_held_against_the_player_again(edge: Edge, ana: LevelPlayer) -> None:
    """Neither at once nor within the window; play of later days that breaks the rule by itself is."""
    flag = await _flagged(edge, ana)
    dismissed = await dismiss(edge, flag.name)
    await play_level(ana, 1, think_ms=40)
    await count(edge)
    same_day = await flags(edge)
    edge.clock.advance(timedelta(days=1))
    for _ in range(ENOUGH - 1):
        await play_level(ana, 1, think_ms=40)
    await count(edge)
    too_few = await flags(edge)
    await play_level(ana, 1, think_ms=40)
    await count(edge)
    (again,) = await flags(edge)

    assert same_day == too_few == []
    assert again.name != flag.name
    assert again.trials == ENOUGH * len(level_deal(1).certificate)
    assert await flags(edge, dismissed=True) == [again, dismissed]


async def test_a_dismissal_needs_a_flag_and_a_reason(edge: Edge, ana: LevelPlayer) -> None:
    """What is wrong is named, and the flag stays open."""
    flag = await _flagged(edge, ana)
    unknown = await refused(dismiss(edge, f"flags/{uuid4()}"))
    malformed = await refused(dismiss(edge, flag.name.replace("flags", "reports")))
    wordless = [await refused(dismiss(edge, flag.name, reason)) for reason in ("", "  ", "x" * 501, "\x1b")]

    assert unknown.reason == "NOT_FOUND"
    assert (malformed.reason, malformed.field) == ("FIELD_INVALID", "name")
    assert {(each.reason, each.field) for each in wordless} == {("FIELD_INVALID", "reason")}
    assert await flags(edge) == [flag]


async def test_only_operators_dismiss_flags(edge: Edge, ana: LevelPlayer) -> None:
    """Whoever it is about cannot."""
    flag = await _flagged(edge, ana)
    request = pb.DismissPlayFlagRequest(name=flag.name, reason="It was me.", request_id="1")
    answer = await refused(fair_play(edge).DismissPlayFlag(request, metadata=ana.metadata))

    assert answer.code is grpc.StatusCode.PERMISSION_DENIED
    assert await flags(edge) == [flag]
