"""Jokers of a round through the real ledger: one effect, one joker, three named errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from uuid import UUID

import pytest

from libs.pb.sparrow.match.v1 import match_pb2
from services.match.commands import GiveUpReason
from services.match.domain.rivals.events import JokerGivenUp, JokerUsed
from services.match.wire.joker_ledger import JokerLedger, Spend
from tests.support.edge import refused
from tests.support.level_player import solution
from tests.support.round_player import Hall, RoundPlayer, quick_matches_served

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[Hall]:
    """The served game."""
    async with quick_matches_served(database_url) as served:
        yield served


@pytest.fixture
def ana(hall: Hall) -> RoundPlayer:
    """A player."""
    return RoundPlayer(hall.edge)


@pytest.fixture
def ben(hall: Hall) -> RoundPlayer:
    """Another player."""
    return RoundPlayer(hall.edge)


async def test_a_joker_removes_the_lifted_tile_and_its_partner(
    hall: Hall, ana: RoundPlayer, ben: RoundPlayer
) -> None:
    """For one joker of the account and 100 in the round; a repeat gets the same answer and spends nothing."""
    await hall.grant_jokers(ana, 3)
    name = await hall.begin(ana, ben)
    first = (await hall.solution(name))[0][0]
    await ana.touch(name, first, 0)
    used = await ana.use_joker(name, 1, "joker")
    again = await ana.use_joker(name, 1, "joker")

    assert used == again
    assert used.outcome == match_pb2.TOUCH_OUTCOME_JOKER
    assert used.pair.first == first
    assert (used.worth, used.own_round.round_score, used.own_round.jokers_used) == (100, 100, 1)
    assert used.board_version == 2
    assert await hall.jokers(ana) == 2


async def test_three_named_errors_spend_nothing(hall: Hall, ana: RoundPlayer, ben: RoundPlayer) -> None:
    """Nothing lifted, none owned, two used already."""
    await hall.grant_jokers(ana, 3)
    name = await hall.begin(ana, ben)
    pairs = await hall.solution(name)
    nothing_lifted = await refused(ana.use_joker(name, 0))
    await ben.touch(name, pairs[0][0], 0)
    none_owned = await refused(ben.use_joker(name, 1))
    lifted_still = (await ben.get(name)).board
    version = 0
    for _ in range(2):
        free = (await ana.get(name)).board.free_tiles[0]
        lifted = await ana.touch(name, free, version)
        version = (await ana.use_joker(name, lifted.board_version)).board_version
    free = (await ana.get(name)).board.free_tiles[0]
    lifted = await ana.touch(name, free, version)
    used_up = await refused(ana.use_joker(name, lifted.board_version))

    reasons = [nothing_lifted.reason, none_owned.reason, used_up.reason]
    assert reasons == ["NOTHING_LIFTED", "NO_JOKER_OWNED", "JOKERS_USED_UP"]
    assert (lifted_still.lifted, lifted_still.board_version) == (pairs[0][0], 1)
    assert (await hall.jokers(ana), await hall.jokers(ben)) == (1, 0)


async def test_a_request_that_found_none_is_not_served_later(
    hall: Hall, ana: RoundPlayer, ben: RoundPlayer
) -> None:
    """Its repeat gets the same refusal even when jokers came meanwhile; a new request works."""
    name = await hall.begin(ana, ben)
    await ana.touch(name, (await hall.solution(name))[0][0], 0)
    assert (await refused(ana.use_joker(name, 1, "early"))).reason == "NO_JOKER_OWNED"
    await hall.grant_jokers(ana, 1)
    assert (await refused(ana.use_joker(name, 1, "early"))).reason == "NO_JOKER_OWNED"
    assert await hall.jokers(ana) == 1
    used = await ana.use_joker(name, 1, "late")

    assert used.outcome == match_pb2.TOUCH_OUTCOME_JOKER
    assert await hall.jokers(ana) == 0


async def test_many_requests_at_once_are_one_joker(hall: Hall, ana: RoundPlayer, ben: RoundPlayer) -> None:
    """The same request ten times at once: one answer, one joker, one effect."""
    await hall.grant_jokers(ana, 5)
    name = await hall.begin(ana, ben)
    await ana.touch(name, (await hall.solution(name))[0][0], 0)
    answers = await asyncio.gather(*(ana.use_joker(name, 1, "joker") for _ in range(10)))

    assert all(answer == answers[0] for answer in answers)
    assert await hall.jokers(ana) == 4
    assert sum(isinstance(fact, JokerUsed) for fact in await hall.facts(name)) == 1


async def test_a_joker_can_clear_the_board(hall: Hall, ana: RoundPlayer, ben: RoundPlayer) -> None:
    """The answer holds the result, for the repeat too."""
    await hall.grant_jokers(ana, 1)
    name = await hall.begin(ana, ben)
    *most, last = await hall.solution(name)
    version = (await ana.clear_board(name, most)).board_version
    lifted = await ana.touch(name, last[0], version)
    used = await ana.use_joker(name, lifted.board_version, "last")

    assert used.state == match_pb2.MATCH_STATE_OVER
    assert used.round_result.ending == match_pb2.ROUND_ENDING_CLEARED
    assert await ana.use_joker(name, lifted.board_version, "last") == used


async def test_without_a_ledger_the_joker_is_given_up_in_five_seconds(database_url: str) -> None:
    """Nobody answers: a named error, the tile still lifted, the seat free to go on."""
    async with quick_matches_served(database_url, ledger=False) as hall:
        ana, ben = RoundPlayer(hall.edge), RoundPlayer(hall.edge)
        name = await hall.begin(ana, ben)
        first = (await hall.solution(name))[0][0]
        await ana.touch(name, first, 0)
        asked = asyncio.create_task(refused(ana.use_joker(name, 1)))
        while not (pending := await ana.get(name)).own_round.joker_pending:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        assert (await refused(ana.put_back(name, 1))).reason == "JOKER_PENDING"
        hall.step(seconds=5)
        refusal = await asyncio.wait_for(asked, 20)
        [lost] = [fact for fact in await hall.facts(name) if isinstance(fact, JokerGivenUp)]

        assert pending.own_round.joker_pending
        assert refusal.reason == "JOKER_TOO_LATE"
        assert lost.reason is GiveUpReason.TOO_LATE
        assert (await ana.put_back(name, 1)).outcome == match_pb2.TOUCH_OUTCOME_PUT_BACK


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_round_that_ends_first_gives_the_joker_back(
    hall: Hall, ana: RoundPlayer, ben: RoundPlayer, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """The other cleared the board while the answer was under way: nothing works, nothing is spent."""
    over, asking = asyncio.Event(), asyncio.Event()
    spend = JokerLedger.spend

    async def slow(self: JokerLedger, key: str, account_id: UUID, at: datetime, timeout_s: float) -> Spend:
        if when == "after":
            answer = await spend(self, key, account_id, at, timeout_s)
            asking.set()
            await over.wait()
            return answer
        asking.set()
        await over.wait()
        return await spend(self, key, account_id, at, timeout_s)

    monkeypatch.setattr(JokerLedger, "spend", slow)
    await hall.grant_jokers(ana, 1)
    name = await hall.begin(ana, ben)
    pairs = await hall.solution(name)
    await ana.touch(name, pairs[0][0], 0)
    asked = asyncio.create_task(refused(ana.use_joker(name, 1)))
    await asyncio.wait_for(asking.wait(), 10)
    await ben.clear_board(name, pairs)
    over.set()
    refusal = await asyncio.wait_for(asked, 20)

    assert refusal.reason == "JOKER_TOO_LATE"
    assert not [fact for fact in await hall.facts(name) if isinstance(fact, JokerUsed)]
    assert await hall.jokers(ana) == 1


async def test_a_joker_works_in_single_player_too(hall: Hall, ana: RoundPlayer) -> None:
    """For one joker of the account; two an attempt; named errors; a repeat gets the same answer."""
    await hall.grant_jokers(ana, 3)
    match = await ana.start(1)
    assert (await refused(ana.use_joker(match.name, 0))).reason == "NOTHING_LIFTED"
    version, answers = 0, []
    for number in (1, 2):
        free = (await ana.get(match.name)).board.free_tiles[0]
        version = (await ana.touch(match.name, free, version)).board_version
        used = await ana.use_joker(match.name, version, f"joker-{number}")
        assert used.outcome == match_pb2.TOUCH_OUTCOME_JOKER
        answers.append((version, f"joker-{number}", used))
        version = used.board_version
    free = (await ana.get(match.name)).board.free_tiles[0]
    version = (await ana.touch(match.name, free, version)).board_version
    assert (await refused(ana.use_joker(match.name, version))).reason == "JOKERS_USED_UP"
    for asked_at, request_id, used in answers:
        assert await ana.use_joker(match.name, asked_at, request_id) == used
    board = (await ana.get(match.name)).board

    assert await hall.jokers(ana) == 1
    assert len(board.present) == len(match.board.present) - 4


async def test_a_level_can_be_cleared_by_a_joker(hall: Hall, ana: RoundPlayer) -> None:
    """The last pair pays as any last pair does, once."""
    await hall.grant_jokers(ana, 1)
    match = await ana.start(1)
    *most, last, _partner = solution(1)
    version = 0
    for tile in most:
        version = (await ana.touch(match.name, tile, version)).board_version
    version = (await ana.touch(match.name, last, version)).board_version
    used = await ana.use_joker(match.name, version, "last")

    assert used.state == match_pb2.MATCH_STATE_CLEARED
    assert (used.result.first_completion_points, used.result.time_bonus_points) == (10, 10)
    assert await ana.use_joker(match.name, version, "last") == used
    assert await hall.jokers(ana) == 0


async def test_none_owned_in_single_player(hall: Hall, ana: RoundPlayer) -> None:
    """Refused by name, the tile still lifted, and the level goes on."""
    match = await ana.start(1)
    await ana.touch(match.name, match.board.free_tiles[0], 0)

    assert (await refused(ana.use_joker(match.name, 1))).reason == "NO_JOKER_OWNED"
    assert (await ana.put_back(match.name, 1)).outcome == match_pb2.TOUCH_OUTCOME_PUT_BACK
