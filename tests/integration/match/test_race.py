"""Races of real clients, from the group or the queue to places, ratings and best times."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator

import grpc
import pytest

from libs.pb.sparrow.match.v1 import race_pb2
from libs.pb.sparrow.match.v1 import race_service_pb2 as pb
from libs.rules.solitaire.commitment import commitment
from libs.rules.solitaire.levels import Recipe
from services.match.domain.race.events import RaceEnded, RacePairRemoved
from tests.support.edge import refused
from tests.support.level_player import LevelPlayer
from tests.support.racers import RacePlayer, Track, races_served
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(120)
START = race_pb2.RaceSettings(difficulty=race_pb2.RACE_DIFFICULTY_START)


@pytest.fixture
async def track(database_url: str) -> AsyncIterator[Track]:
    """The served races."""
    async with races_served(database_url) as served:
        yield served


@pytest.fixture
def ana(track: Track) -> RacePlayer:
    """A player."""
    return RacePlayer(track.edge)


@pytest.fixture
def ben(track: Track) -> RacePlayer:
    """Another player."""
    return RacePlayer(track.edge)


async def _begun(
    track: Track, host: RacePlayer, *others: RacePlayer, settings: race_pb2.RaceSettings = START
) -> str:
    """A race of these players whose signal was given."""
    group = await host.create(settings)
    for other in others:
        await other.join(group.link)
    name = await host.start(group.name)
    track.step(seconds=3)
    return name


async def _seated(player: RacePlayer) -> str:
    """The race that a ticket led to, within ten seconds."""
    for _ in range(200):
        if name := await player.seated():
            return name
        await asyncio.sleep(0.05)
    raise AssertionError("the ticket led to no race")


async def test_a_group_races_on_one_deal_whose_faces_are_hidden_until_the_countdown_ends(
    track: Track, ana: RacePlayer, ben: RacePlayer
) -> None:
    """The commitment comes before the signal, and what it covered after the end."""
    group = await ana.create(START)
    joined = await ben.join(group.code.lower())
    name = await ana.start(group.name)
    before = await ana.get(name)
    early = await refused(ana.remove(name, 0, 1))
    track.step(seconds=3)
    mine, theirs = await ana.get(name), await ben.get(name)
    pairs = await track.solution(name)
    track.step(seconds=20)
    await ben.clear(name, pairs)
    track.step(seconds=1)
    last = await ana.clear(name, pairs)

    assert [member.player for member in joined.members] == [ana.name, ben.name]
    assert joined.host == ana.name
    assert before.state == race_pb2.RACE_STATE_COUNTDOWN
    assert not before.board.faces and len(before.board.present) == 34
    assert early.reason == "NOT_STARTED"
    assert mine.board == theirs.board and mine.board.faces
    assert last.race.state == race_pb2.RACE_STATE_OVER
    assert [(r.player, r.place, r.elapsed_ms) for r in last.race.results] == [
        (ben.name, 1, 20_000),
        (ana.name, 2, 21_000),
    ]
    reveal = last.race.reveals[0]
    recipe = Recipe(reveal.layout.removeprefix("layouts/"), reveal.distinct_faces)
    assert commitment(reveal.nonce, reveal.catalogue_version, recipe, reveal.seed) == before.commitments[0]
    assert len(hashlib.sha256(reveal.seed).digest()) == len(before.commitments[0])


async def test_a_setting_outside_its_range_is_refused_by_name(ana: RacePlayer) -> None:
    """Every setting, below and above."""
    wrong = {
        "settings.shuffles": race_pb2.RaceSettings(shuffles=10),
        "settings.shuffle_pause_s": race_pb2.RaceSettings(shuffle_pause_s=61),
        "settings.hints": race_pb2.RaceSettings(hints=-1),
        "settings.time_limit_min": race_pb2.RaceSettings(time_limit_min=0),
        "settings.idle_limit_s": race_pb2.RaceSettings(idle_limit_s=45),
        "settings.difficulty": race_pb2.RaceSettings(difficulty=9),  # type: ignore[arg-type]
    }
    found = [await refused(ana.create(settings)) for settings in wrong.values()]

    assert [refusal.field for refusal in found] == list(wrong)
    assert {refusal.code for refusal in found} == {grpc.StatusCode.INVALID_ARGUMENT}


async def test_only_the_host_changes_settings_and_only_between_games(
    track: Track, ana: RacePlayer, ben: RacePlayer
) -> None:
    """When the host leaves, who has been there longest is the host; a race goes on without a group."""
    group = await ana.create(START)
    await ben.join(group.code)
    foreign = await refused(ben.call("UpdateRaceGroup", pb.UpdateRaceGroupRequest(name=group.name)))
    name = await ana.start(group.name)
    running = await refused(ana.call("UpdateRaceGroup", pb.UpdateRaceGroupRequest(name=group.name)))
    again = await refused(ana.start(group.name))
    track.step(seconds=3)
    await ana.give_up(name)
    await ben.give_up(name)
    asked = await ben.call("AskForAnotherRace", pb.AskForAnotherRaceRequest(name=group.name))
    changed = await ana.call(
        "UpdateRaceGroup", pb.UpdateRaceGroupRequest(name=group.name, settings=race_pb2.RaceSettings(hints=0))
    )
    second = await ana.start(group.name)
    left = await ana.call("LeaveRaceGroup", pb.LeaveRaceGroupRequest(name=group.name))

    assert (foreign.reason, running.reason, again.reason) == ("HOST_ONLY", "RACE_RUNNING", "RACE_RUNNING")
    assert [member.asks_for_another for member in asked.group.members] == [False, True]
    assert changed.group.settings.hints == 0
    assert second != name
    assert left.group.host == ben.name


async def test_who_has_no_seat_sees_nothing_of_a_race(track: Track, ana: RacePlayer, ben: RacePlayer) -> None:
    """No spectators; other kinds of commands name no such match."""
    name = await _begun(track, ana)

    assert (await refused(ben.get(name))).reason == "NOT_YOURS"
    assert (await refused(ben.remove(name, 0, 1))).reason == "NOT_YOURS"
    assert (
        await refused(ben.call("GetRaceGroup", pb.GetRaceGroupRequest(name="raceGroups/current")))
    ).code == (grpc.StatusCode.NOT_FOUND)


async def test_a_repeat_gets_the_first_answer_and_a_stale_board_is_refused(
    track: Track, ana: RacePlayer
) -> None:
    """The same request_id takes one pair once."""
    name = await _begun(track, ana)
    first = (await track.solution(name))[0]
    taken = await ana.remove(name, *first, request_id="once")
    ana.version = 0
    repeated = await ana.remove(name, *first, request_id="once")
    ana.version = 0
    stale = await refused(ana.hint(name))

    assert repeated == taken
    assert stale.reason == "STALE_BOARD_VERSION"
    assert sum(isinstance(event, RacePairRemoved) for event in await track.facts(name)) == 1


async def test_everybody_follows_the_lines_of_a_race_by_a_stream_that_resumes(
    track: Track, ana: RacePlayer, ben: RacePlayer
) -> None:
    """A snapshot, then others' progress without their boards; with a token what came since."""
    name = await _begun(track, ana, ben)
    listening = ben.listen(name)
    await until(lambda: bool(ben.heard))
    pairs = await track.solution(name)
    await ana.remove(name, *pairs[0])
    await until(lambda: len(ben.heard) >= 2)
    listening.cancel()
    token = ben.heard[-1].resume_token
    seen = ben.heard[-1].update.race
    await ana.remove(name, *pairs[1])
    ben.heard.clear()
    resumed = ben.listen(name, token)
    await until(
        lambda: any(m.update.race.lines and m.update.race.lines[0].progress_percent == 11 for m in ben.heard)
    )
    resumed.cancel()

    assert not seen.HasField("board")
    assert [(line.player, line.progress_percent) for line in seen.lines] == [(ana.name, 5), (ben.name, 0)]
    assert not any(message.HasField("snapshot") for message in ben.heard)


async def test_another_device_of_the_account_takes_the_seat_over(track: Track, ana: RacePlayer) -> None:
    """The old stream closes with that reason, and nobody is away."""
    name = await _begun(track, ana)
    first = ana.listen(name)
    await until(lambda: bool(ana.heard))
    tablet = RacePlayer(track.edge, ana.account_id)
    second = tablet.listen(name)
    await asyncio.wait_for(first, 10)
    await until(lambda: bool(tablet.heard))
    race = await tablet.get(name)
    second.cancel()

    assert ana.heard[-1].end.reason == "SEAT_TAKEN_OVER"
    assert not race.lines[0].away


async def test_who_ends_the_last_stream_is_away_and_who_watches_again_is_back(
    track: Track, ana: RacePlayer, ben: RacePlayer
) -> None:
    """Nobody has to say that they leave."""
    name = await _begun(track, ana, ben)
    listening = ben.listen(name)
    await until(lambda: bool(ben.heard))
    second = ben.listen(name)
    await until(lambda: len(ben.heard) >= 2)
    second.cancel()
    await asyncio.sleep(0.3)
    with_one = [line.away for line in (await ana.get(name)).lines]
    listening.cancel()
    await asyncio.sleep(0.5)
    without = [line.away for line in (await ana.get(name)).lines]
    again = ben.listen(name)
    await asyncio.sleep(0.5)
    back = [line.away for line in (await ana.get(name)).lines]
    again.cancel()

    assert (with_one, without, back) == ([False, False], [False, True], [False, False])


async def test_the_previous_winner_gets_the_next_difficulty_and_places_are_still_by_time(
    track: Track, ana: RacePlayer, ben: RacePlayer
) -> None:
    """The second race has two deals, each committed; nobody's rating is touched."""
    settings = race_pb2.RaceSettings(difficulty=race_pb2.RACE_DIFFICULTY_START, winner_handicap=True)
    group = await ana.create(settings, rated=True)
    await ben.join(group.code)
    first = await ana.start(group.name)
    track.step(seconds=3)
    await ana.clear(first, await track.solution(first))
    await ben.give_up(first)
    second = await ana.start(group.name)
    track.step(seconds=3)
    mine, theirs = await ana.get(second), await ben.get(second)
    await ben.clear(second, await track.solution(second, 0))
    track.step(seconds=1)
    over = await ana.clear(second, await track.solution(second, 1))
    after = (await ana.call("GetRaceGroup", pb.GetRaceGroupRequest(name=group.name))).group

    assert (len(mine.board.present), len(theirs.board.present)) == (68, 34)
    assert len(set(mine.commitments)) == 2
    assert [result.player for result in over.race.results] == [ben.name, ana.name]
    assert not over.race.rated
    assert [member.wins_in_a_row for member in after.members] == [0, 1]


async def test_a_finish_over_the_limit_is_a_personal_best_until_a_better_one(
    track: Track, ana: RacePlayer
) -> None:
    """By difficulty and flowers: alone one beats one's own time."""
    settings = race_pb2.RaceSettings(difficulty=race_pb2.RACE_DIFFICULTY_START, time_limit_min=1)
    group = await ana.create(settings)
    found = []
    for seconds in (90, 30, 45):
        name = await ana.start(group.name)
        track.step(seconds=3)
        await ana.get(name)
        track.step(seconds=seconds)
        await ana.clear(name, await track.solution(name))
        found.append([best.elapsed_ms for best in (await ana.racer()).bests])

    assert found == [[90_000], [30_000], [30_000]]


async def test_commands_of_other_modes_are_refused_by_name_on_a_race_and_those_of_races_elsewhere(
    track: Track, ana: RacePlayer
) -> None:
    """A race has no jokers, no restarts and no lifted tiles; a level is no race."""
    name = await _begun(track, ana)
    single = LevelPlayer(track.edge, ana.account_id)
    level = (await single.start()).name
    found = [await refused(single.touch(name, 0, 0)), await refused(ana.get(level))]

    assert {refusal.reason for refusal in found} == {"NOT_IN_MODE"}


async def test_after_a_grace_the_cpu_plays_for_the_absent_who_get_the_board_back_as_it_stands(
    track: Track, ana: RacePlayer, ben: RacePlayer
) -> None:
    """Thirty seconds nothing happens; then pairs go, until the player moves again."""
    name = await _begun(track, ana, ben)
    await ben.leave(name)
    track.step(seconds=29)
    await asyncio.sleep(0.4)
    assert (await ana.get(name)).lines[0].progress_percent == 0
    for _ in range(4):
        track.step(seconds=7)
        await asyncio.sleep(0.3)
    back = await ben.get(name)
    await ben.touch(name, back.board.free_tiles[0])
    again = await ben.get(name)

    assert back.own.cpu_plays
    assert 0 < back.own.tiles_left < 34
    assert not again.own.cpu_plays
    assert again.board.present == back.board.present
    moves = [event for event in await track.facts(name) if isinstance(event, RacePairRemoved)]
    assert moves and all(event.by_cpu for event in moves)


async def test_a_race_ends_when_all_persons_have_left_for_good(
    track: Track, ana: RacePlayer, ben: RacePlayer
) -> None:
    """One gave up, one is not back: both are in the fourth class, and may queue again."""
    name = await _begun(track, ana, ben)
    await ana.give_up(name)
    await ben.leave(name)
    track.step(seconds=31)
    race = await ben.get(name)

    assert race.state == race_pb2.RACE_STATE_OVER
    assert {result.finish for result in race.results} == {race_pb2.RACE_FINISH_GIVEN_UP}
    assert {(r.player, r.cpu_played) for r in race.results} == {(ana.name, False), (ben.name, True)}
    assert await track.database.pool.fetchval("SELECT count(*) FROM live_seat") == 0
    assert await track.database.pool.fetchval("SELECT count(*) FROM timer") == 0


async def test_cpu_players_race_by_themselves_and_end_nothing(track: Track, ana: RacePlayer) -> None:
    """They see a board and play it at their pace; when one is first, people may go on."""
    group = await ana.create(START, cpu_players=[race_pb2.CPU_LEVEL_HARD])
    name = await ana.start(group.name)
    track.step(seconds=3)
    race = await ana.get(name)
    for _ in range(60):
        track.step(seconds=4)
        await asyncio.sleep(0.12)
        race = await ana.get(name)
        if race.lines[0].HasField("finished_ms") or race.lines[0].progress_percent > 80:
            break
    last = await ana.clear(name, await track.solution(name))

    assert race.lines[0].cpu == race_pb2.CPU_LEVEL_HARD
    assert race.state == race_pb2.RACE_STATE_RUNNING
    assert last.race.state == race_pb2.RACE_STATE_OVER
    assert not last.race.rated


async def test_strangers_race_ten_seconds_after_the_second_came_for_ratings(
    track: Track, ana: RacePlayer, ben: RacePlayer
) -> None:
    """Default settings, rated; ratings and best times are there at once."""
    await ana.wait()
    await ben.wait()
    track.step(seconds=9)
    await asyncio.sleep(0.5)
    assert await ana.seated() == ""
    track.step(seconds=1)
    name = await _seated(ana)
    track.step(seconds=3)
    pairs = await track.solution(name)
    track.step(seconds=60)
    await ana.clear(name, pairs)
    await ben.give_up(name)
    first, second = await ana.racer(), await ben.racer()
    ended = (await track.facts(name))[-1]

    assert isinstance(ended, RaceEnded) and ended.rated
    assert len(pairs) == 34
    assert first.rating > 1500 > second.rating
    assert [(best.elapsed_ms, best.race) for best in first.bests] == [(60_000, name)]
    assert not second.bests
