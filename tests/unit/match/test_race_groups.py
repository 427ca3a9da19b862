"""Groups, runs of wins, the queue of races, and CPU players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

from libs.rules.solitaire.board import Matching
from libs.rules.solitaire.prng import Prng
from libs.rules.tiles import Face
from services.match.domain.queueing import Queue, Ticket
from services.match.domain.race.cpu import AskShuffle, Seen, Take, choose, pace
from services.match.domain.race.group import (
    Group,
    GroupRefusal,
    Member,
    Plan,
    ask,
    change,
    difficulty_of,
    join,
    leave,
    race_over,
    start,
)
from services.match.domain.race.settings import DEFAULTS, Difficulty
from services.match.domain.race.terms import CpuLevel, FinishClass, SeatEnd
from services.match.domain.race.waiting import choose_race
from tests.support.attempts import ANA, BEN, after
from tests.support.race_table import PILE, RACE

CIN = UUID(int=0xC1)
GROUP = Group(UUID(int=1), "CODE", ANA, (Member(ANA), Member(BEN)))


def _ended(*places: int) -> list[SeatEnd]:
    return [SeatEnd(place, FinishClass.WITHIN_LIMIT, 1, 0, False) for place in places]


def _over(group: Group, accounts: Sequence[UUID | None], *places: int) -> Group:
    playing = replace(group, race_id=RACE, playing=True)
    return race_over(playing, RACE, accounts, _ended(*places))


def test_a_group_has_one_to_twenty_persons_cpu_players_counted_in() -> None:
    """The twenty-first is refused, and so are CPU players that find no seat."""
    group = replace(GROUP, members=tuple(Member(UUID(int=100 + n)) for n in range(19)))
    full = join(group, ANA)
    assert isinstance(full, Group)

    assert len(full.members) == 20
    assert join(full, BEN) is GroupRefusal.GROUP_FULL
    assert join(replace(group, plan=Plan(cpu_players=(CpuLevel.EASY,))), ANA) is GroupRefusal.GROUP_FULL
    own = replace(full, host=ANA)
    assert change(own, ANA, Plan(cpu_players=(CpuLevel.EASY,))) is GroupRefusal.GROUP_FULL


def test_joining_twice_changes_nothing() -> None:
    """Who is in stays in."""
    assert join(GROUP, BEN) is GROUP


def test_when_the_host_leaves_who_has_been_there_longest_is_the_host() -> None:
    """When another leaves the host stays."""
    three = join(GROUP, CIN)
    assert isinstance(three, Group)
    without_host, without_ben = leave(three, ANA), leave(three, BEN)

    assert isinstance(without_host, Group) and without_host.host == BEN
    assert isinstance(without_ben, Group) and without_ben.host == ANA
    assert leave(GROUP, CIN) is GroupRefusal.NOT_YOURS


def test_the_host_alone_starts_and_changes_and_only_between_games() -> None:
    """Anyone may ask for another game."""
    playing = start(GROUP, ANA, RACE)
    assert isinstance(playing, Group)

    assert start(GROUP, BEN, RACE) is GroupRefusal.HOST_ONLY
    assert start(playing, ANA, RACE) is GroupRefusal.RACE_RUNNING
    assert change(playing, ANA, Plan()) is GroupRefusal.RACE_RUNNING
    assert change(GROUP, BEN, Plan()) is GroupRefusal.HOST_ONLY
    asked = ask(GROUP, BEN)
    assert isinstance(asked, Group) and [member.asks for member in asked.members] == [False, True]
    again = start(asked, ANA, RACE)
    assert isinstance(again, Group) and not any(member.asks for member in again.members)


def test_each_win_in_a_row_is_one_difficulty_up_never_above_hard() -> None:
    """After a loss it is the chosen one again; without the handicap always."""
    plan = Plan(replace(DEFAULTS, winner_handicap=True))
    group = replace(GROUP, plan=plan)
    seen = []
    for _ in range(4):
        seen.append(difficulty_of(group, group.members[0]))
        group = _over(group, (ANA, BEN), 1, 2)
    lost = _over(group, (ANA, BEN), 2, 1)

    assert seen == [Difficulty.EASY, Difficulty.MEDIUM, Difficulty.HARD, Difficulty.HARD]
    assert difficulty_of(lost, lost.members[0]) is Difficulty.EASY
    assert difficulty_of(lost, lost.members[1]) is Difficulty.MEDIUM
    assert difficulty_of(replace(group, plan=Plan()), group.members[0]) is Difficulty.EASY


def test_tied_firsts_all_count_as_winners() -> None:
    """Both go one up."""
    assert [member.wins for member in _over(GROUP, (ANA, BEN), 1, 1).members] == [1, 1]


def test_if_a_cpu_player_is_first_nobody_moves_up_and_every_run_ends() -> None:
    """Even of a person who ties with it."""
    run = replace(GROUP, members=(Member(ANA, wins=2), Member(BEN, wins=1)))

    assert [member.wins for member in _over(run, (ANA, BEN, None), 2, 3, 1).members] == [0, 0]
    assert [member.wins for member in _over(run, (ANA, BEN, None), 1, 3, 1).members] == [0, 0]


def _tickets(*arrived_s: float) -> list[Ticket]:
    return [
        Ticket(UUID(int=n + 1), UUID(int=100 + n), Queue.RACE, after(int(s * 1000)), after(10**6))
        for n, s in enumerate(arrived_s)
    ]


def test_a_race_starts_ten_seconds_after_the_second_or_at_eight() -> None:
    """Never with one."""
    two, eight = _tickets(0, 4), _tickets(*range(8))

    assert not choose_race(two[:1], {}, after(10**5))
    assert not choose_race(two, {}, after(13_999))
    assert choose_race(two, {}, after(14_000)) == tuple(two)
    assert choose_race(eight, {}, after(7_000)) == tuple(eight)
    assert len(choose_race(_tickets(*range(12)), {}, after(20_000))) == 8


def test_last_opponents_wait_while_others_do_and_race_again_where_nobody_else_is() -> None:
    """The one who waits longest sits first."""
    first, last, other = _tickets(0, 1, 2)
    met = {first.account_id: {last.account_id}}
    now = after(0) + timedelta(seconds=60)

    assert choose_race([first, last, other], met, now) == (first, other)
    assert choose_race([first, last], met, now) == (first, last)


def _seen(faces: dict[int, str], *, free: int = 0b1010, can_shuffle: bool = True) -> Seen:
    shown = {tile: Face(face) for tile, face in faces.items()}
    return Seen(PILE, 0b1111, free, shown, Matching.EXACT, can_shuffle, can_hint=False)


def test_cpu_players_are_told_uncovered_faces_only_and_take_a_pair_of_these() -> None:
    """A choice needs no other face; blocked they shuffle, and without shuffles they are stuck."""
    for level in CpuLevel:
        assert choose(_seen({1: "1m", 3: "1m"}), level, Prng(bytes(32))) == Take(1, 3)
        assert choose(_seen({1: "1m", 3: "2m"}), level, Prng(bytes(32))) == AskShuffle()
        assert choose(_seen({1: "1m", 3: "2m"}, can_shuffle=False), level, Prng(bytes(32))) is None


def test_each_level_has_one_human_like_pace() -> None:
    """Never at once, and the better the quicker."""
    paces = {level: [pace(level, Prng(bytes([n] * 32))) for n in range(100)] for level in CpuLevel}
    means = [sum(paces[level], timedelta()) / 100 for level in CpuLevel]

    assert means == sorted(means, reverse=True)
    assert min(min(each) for each in paces.values()) >= timedelta(seconds=1.5)
    assert max(max(each) for each in paces.values()) <= timedelta(seconds=10)
