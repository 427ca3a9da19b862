"""`sparrow verify` on races: a race as it was played is right, what is changed afterwards is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from libs.cli.verify.race import verify_race
from libs.rules.tiles import Face
from services.match.domain.pauses import Outage
from services.match.domain.race import events as ev
from services.match.domain.race.commands import Cpu
from services.match.domain.race.dealing import deal_race
from services.match.domain.race.rating import Rating
from services.match.domain.race.settings import DEFAULTS, Difficulty
from services.match.domain.race.terms import CpuLevel, EndReason, FinishClass, RaceDeal
from tests.support.attempts import ANA, BEN, after
from tests.support.race_table import RaceTable

CIN, DAN = UUID(int=0xC1), UUID(int=0xD1)
SEED, NONCE = bytes(range(32)), bytes(range(3, 35))
HOUR = 3_600_000
Numbered = list[tuple[int, Any]]


def _deal(difficulty: Difficulty = Difficulty.EASY, seed: bytes = SEED) -> RaceDeal:
    return deal_race(DEFAULTS, difficulty, seed, NONCE)


def _first_pairs_until_blocked(table: RaceTable, seat: int, by: UUID, ms: int) -> None:
    """Take whatever pair is first; the deal is such that this blocks."""
    while pairs := table.racer(seat).board.pairs():
        ms += 10
        table.remove(ms, by, *pairs[0])
    assert table.racer(seat).board.present, "it blocked"


@pytest.fixture(scope="module")
def table() -> RaceTable:
    """Ana clears her board, Ben blocks, shuffles and goes on, Cin gives up, a CPU player makes a pair."""
    deal = _deal()
    table = RaceTable.begun([ANA, BEN, CIN], deal, cpu=[CpuLevel.EASY])
    first = deal.certificate[0]
    table.touch(100, BEN, first[0])
    table.hint(200, BEN)
    table.remove(300, Cpu(3), *first)
    table.remove(400, CIN, *first)
    table.leave(450, CIN)
    table.come_back(460, CIN)
    table.give_up(500, CIN)
    _first_pairs_until_blocked(table, 1, BEN, 1_000)
    table.shuffle(10_000, BEN)
    table.remove(11_000, BEN, *table.racer(1).board.pairs()[0])
    for number, pair in enumerate(deal.certificate):
        table.remove(20_000 + 100 * number, ANA, *pair)
    table.leave(60_000, BEN)
    return table.until(HOUR)


def numbered(table: RaceTable) -> Numbered:
    """The race's events with their versions."""
    return list(enumerate(table.events, 1))


def wrong(events: Numbered, before: dict[UUID, Rating] | None = None) -> set[str]:
    """What is not as it is claimed to be."""
    return {finding.what for finding in verify_race(events, before) if not finding.ok}


def changed(table: RaceTable, kind: type[Any], change: Callable[[Any], Any]) -> set[str]:
    """What is found wrong when the last event of a kind was tampered with."""
    events = numbered(table)
    place = max(at for at, (_version, event) in enumerate(events) if isinstance(event, kind))
    events[place] = (events[place][0], change(events[place][1]))
    return wrong(events)


def test_a_race_as_it_was_played_is_right(table: RaceTable) -> None:
    """Deal, moves and result come out the same: cleared, left while playing, given up, a CPU player."""
    findings = verify_race(numbered(table))

    assert [finding.what for finding in findings] == ["events", "deal", "moves", "result"]
    assert wrong(numbered(table)) == set(), [finding.differences for finding in findings]
    assert [end.finish_class for end in table.ended.ends] == [
        FinishClass.WITHIN_LIMIT,
        FinishClass.GIVEN_UP,
        FinishClass.GIVEN_UP,
        FinishClass.UNFINISHED,
    ]
    assert table.ended.reason is EndReason.ALL_DONE
    assert any(isinstance(event, ev.RaceBoardShuffled) for event in table.events)


def test_a_race_with_an_outage_is_right() -> None:
    """Clocks stand, everybody is away from its end on; the race ends for time."""
    table = RaceTable.begun([ANA, BEN], _deal())
    table.outages = (Outage(table.at(5_000), table.at(65_000)),)
    table.until(70_000)
    for account, place in ((ANA, 0), (BEN, 1)):
        table.come_back(75_000, account)
        assert isinstance(table.remove(76_000 + place, account, *_deal().certificate[0]), list)
    table.until(HOUR + 60_000)

    assert table.ended.reason is EndReason.TIME
    assert wrong(numbered(table)) == set()


def test_a_board_that_the_cpu_finished_is_right() -> None:
    """It counts as given up, and is marked."""
    deal = _deal()
    table = RaceTable.begun([ANA, BEN], deal, idle_limit_s=30)
    for number, pair in enumerate(deal.certificate):
        table.remove(40_000 + number, Cpu(0), *pair)
    table.give_up(50_000, BEN)

    assert table.ended.ends[0].cpu_played
    assert wrong(numbered(table)) == set()


def test_boards_under_the_handicap_are_right_and_only_under_it() -> None:
    """Whoever won plays a larger board; without the handicap nobody does."""
    deals = [_deal(), _deal(Difficulty.MEDIUM, bytes(32))]
    fair = RaceTable.begun([ANA, BEN], deals=deals, winner_handicap=True).until(HOUR)
    unfair = RaceTable.begun([ANA, BEN], deals=deals).until(HOUR)

    assert wrong(numbered(fair)) == set()
    assert wrong(numbered(unfair)) == {"deal"}


def _swapped(faces: tuple[Face, ...]) -> tuple[Face, ...]:
    """Two tiles the other way round."""
    other = next(tile for tile, face in enumerate(faces) if face != faces[0])
    shown = list(faces)
    shown[0], shown[other] = shown[other], shown[0]
    return tuple(shown)


def _dealt_otherwise(**fields: Any) -> Callable[[ev.RaceDealt], ev.RaceDealt]:
    return lambda event: replace(event, deals=(replace(event.deals[0], **fields),))


def _ended_otherwise(**fields: Any) -> Callable[[ev.RaceEnded], ev.RaceEnded]:
    return lambda event: replace(event, ends=(replace(event.ends[0], **fields), *event.ends[1:]))


@pytest.mark.parametrize(
    ("kind", "change", "found"),
    [
        (ev.RaceDealt, _dealt_otherwise(seed=bytes(32)), "deal"),
        (ev.RaceDealt, _dealt_otherwise(nonce=bytes(32)), "deal"),
        (ev.RaceDealt, _dealt_otherwise(commitment=bytes(32)), "deal"),
        (ev.RaceDealt, _dealt_otherwise(faces=_swapped(_deal().faces)), "deal"),
        (ev.RaceDealt, _dealt_otherwise(certificate=_deal().certificate[:-1]), "deal"),
        (ev.RacePairRemoved, lambda event: replace(event, second=event.first), "moves"),
        (ev.RacePairRemoved, lambda event: replace(event, seat=2), "moves"),
        (ev.RaceHintShown, lambda event: replace(event, second=event.first), "moves"),
        (ev.RaceBoardShuffled, lambda event: replace(event, faces=event.faces[:1] * 68), "moves"),
        (
            ev.RaceBoardShuffled,
            lambda event: replace(event, present=event.present & (event.present - 1)),
            "moves",
        ),
        (ev.RaceBoardShuffled, lambda event: replace(event, seat=3), "moves"),
        (ev.RaceStarted, lambda event: replace(event, occurred_at=after(2_999)), "moves"),
        (ev.RaceEnded, _ended_otherwise(place=2), "result"),
        (ev.RaceEnded, _ended_otherwise(elapsed_ms=1), "result"),
        (ev.RaceEnded, _ended_otherwise(finish_class=FinishClass.OVER_LIMIT), "result"),
        (ev.RaceEnded, _ended_otherwise(tiles_left=2), "result"),
        (ev.RaceEnded, _ended_otherwise(cpu_played=True), "result"),
        (ev.RaceEnded, lambda event: replace(event, reason=EndReason.TIME), "result"),
        (ev.RaceEnded, lambda event: replace(event, accounts=event.accounts[::-1]), "result"),
        (ev.RaceEnded, lambda event: replace(event, rated=True), "ratings"),
    ],
)
def test_what_is_changed_afterwards_is_found(
    table: RaceTable, kind: type[Any], change: Callable[[Any], Any], found: str
) -> None:
    """Deal, moves, shuffles, places, the reason of the end."""
    assert found in changed(table, kind, change)


def test_an_event_left_out_is_found(table: RaceTable) -> None:
    """Versions are gapless."""
    events = numbered(table)
    del events[3]

    assert "events" in wrong(events)


def test_ratings_follow_from_those_before() -> None:
    """Of a race with the default settings and two persons."""
    before = {ANA: Rating(30.0, 4.0, 3)}
    table = RaceTable.begun([ANA, BEN], _deal(), rated=True)
    table.ratings = before
    table.remove(100, ANA, *_deal().certificate[0])
    table.until(HOUR)
    ended = table.ended
    rating = ended.ends[0].rating
    assert rating is not None

    assert wrong(numbered(table), before) == set()
    assert wrong(numbered(table)) == {"ratings"}
    more = _ended_otherwise(rating=replace(rating, after=rating.after + 1))(ended)
    assert wrong([*numbered(table)[:-1], (len(table.events), more)], before) == {"ratings"}
