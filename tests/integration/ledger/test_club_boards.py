"""Boards of clubs on a real PostgreSQL, against a naive sum over transfers and memberships by instant."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from services.ledger.assets import HOUSE_POINTS, Asset, player_account
from services.ledger.domain.calendar import TIME_ZONE_DATA, day_start, ledger_day
from services.ledger.domain.cancelling import reversed_
from services.ledger.domain.families import family_of
from services.ledger.domain.memberships import Joined, Left
from services.ledger.domain.windows import FAMILY, Board, window_on
from services.ledger.events import TransferPosted
from services.ledger.projections.club_reads import ClubBoards
from services.ledger.projections.tables import active
from services.ledger.store.memberships import apply
from tests.support.ledger_bench import LedgerBench, points_order

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
TODAY = date(2026, 3, 2)
MICROSECOND, HOUR = timedelta(microseconds=1), timedelta(hours=1)
CLUB = UUID(int=99)
CLUB_BOARDS = [board for board in Board if board is not Board.RACE_RATING]
POINTS_BOARDS = [Board.AMR, Board.WEEKLY, Board.DAILY]


async def tell(bench: LedgerBench, *moves: Joined | Left) -> None:
    """Let the ledger know of members who came and went."""
    async with bench.database.engine.begin() as connection:
        for move in moves:
            assert await apply(connection, move)


async def club_board(
    bench: LedgerBench, board: Board, day: date = TODAY, club: UUID = CLUB
) -> dict[str, int] | None:
    """Return the board of a club as it is read."""
    async with bench.database.engine.connect() as connection:
        tables, head = await active(connection)
        return await ClubBoards().rows(connection, tables, club, board, day, head.seq)


def earned(account: UUID, points: int, at: datetime, *, reason: str = "QUICK_MATCH") -> TransferPosted:
    """Return a posted transfer of points, to the player or, negative, from them."""
    sides = (HOUSE_POINTS, player_account(account))
    debit, credit = sides if points > 0 else sides[::-1]
    return TransferPosted(
        key=str(uuid4()),
        asset=Asset.POINTS,
        debit=debit,
        credit=credit,
        amount=abs(points),
        reason=reason,
        occurred_at=at,
        day=ledger_day(at),
        time_zone_data=TIME_ZONE_DATA,
        cause="",
    )


async def test_points_count_from_joining_to_leaving(bench: LedgerBench) -> None:
    """What occurs at the instant of joining counts; at the instant of leaving, and outside, it does not."""
    ana = UUID(int=1)
    came, went = NOON - 3 * HOUR, NOON - HOUR
    await bench.log_facts(
        earned(ana, 1, came - MICROSECOND),
        earned(ana, 2, came),
        earned(ana, 4, went - MICROSECOND),
        earned(ana, 8, went),
    )
    await bench.settle()
    await tell(bench, Joined(CLUB, ana, 1, came), Left(CLUB, ana, 2, went))

    assert [await club_board(bench, board) for board in POINTS_BOARDS] == [{str(ana): 6}] * 3


async def test_a_membership_that_becomes_known_late_brings_what_was_earned_since(bench: LedgerBench) -> None:
    """The ledger hears of a member hours later: the points since joining are there, those before are not."""
    ana, came = UUID(int=1), NOON - 5 * HOUR
    await bench.post(points_order(ana, 15, came - HOUR), points_order(ana, 20, came + HOUR))
    await bench.settle()
    before = await club_board(bench, Board.AMR)
    await tell(bench, Joined(CLUB, ana, 1, came))

    assert before is None
    assert [await club_board(bench, board) for board in POINTS_BOARDS] == [{str(ana): 20}] * 3


async def test_who_left_and_came_back_has_both_times_on_the_board(bench: LedgerBench) -> None:
    """Points of both memberships add up; those of the time between are missing, also over midnights."""
    ana = UUID(int=1)
    hours = [NOON - timedelta(days=9) + count * 6 * HOUR for count in range(36)]
    await bench.log_facts(*(earned(ana, 1 << place, at) for place, at in enumerate(hours)))
    await bench.settle()
    await tell(
        bench,
        Joined(CLUB, ana, 1, hours[3]),
        Left(CLUB, ana, 4, hours[10]),
        Joined(CLUB, ana, 5, hours[20] + MICROSECOND),
    )
    inside = [*range(3, 10), *range(21, 36)]

    assert await club_board(bench, Board.AMR) == {str(ana): sum(1 << place for place in inside)}


async def test_a_reversal_takes_points_off_where_its_original_brought_them(bench: LedgerBench) -> None:
    """It carries the instant and day of the original: a result voided after leaving is off the board too."""
    ana, bob = UUID(int=1), UUID(int=2)
    inside, outside = earned(ana, 20, NOON - 4 * HOUR), earned(ana, 15, NOON - HOUR)
    kept = earned(bob, 5, NOON - 4 * HOUR)
    await bench.log_facts(inside, outside, kept)
    await bench.settle()
    await tell(
        bench,
        Joined(CLUB, ana, 1, NOON - 5 * HOUR),
        Left(CLUB, ana, 2, NOON - 2 * HOUR),
        Joined(CLUB, bob, 1, NOON - 5 * HOUR),
    )
    before = await club_board(bench, Board.DAILY)
    await bench.log_facts(reversed_(inside), reversed_(outside))
    await bench.settle()

    assert before == {str(ana): 20, str(bob): 5}
    assert await club_board(bench, Board.DAILY) == {str(bob): 5}


async def test_a_year_ends_for_clubs_as_it_does_for_players(bench: LedgerBench) -> None:
    """What leaves the 365-day window at a midnight leaves the club's board, in full and in part."""
    ana, bob = UUID(int=1), UUID(int=2)
    leaving = day_start(window_on(Board.AMR, TODAY).first_day)
    await bench.log_facts(
        earned(ana, 1, leaving - MICROSECOND),
        earned(ana, 2, leaving),
        earned(bob, 4, leaving + HOUR),
        earned(bob, 8, leaving + 3 * HOUR),
        earned(ana, 16, leaving + 24 * HOUR),
    )
    await bench.settle()
    await tell(
        bench,
        Joined(CLUB, ana, 1, leaving - timedelta(days=500)),
        Joined(CLUB, bob, 1, leaving + 2 * HOUR),
    )
    on_the_last_day = await club_board(bench, Board.AMR)
    bench.clock.advance(timedelta(days=1))
    await bench.settle()

    assert on_the_last_day == {str(ana): 18, str(bob): 8}
    assert await club_board(bench, Board.AMR, TODAY + timedelta(days=1)) == {str(ana): 16}
    assert await club_board(bench, Board.AMR, TODAY) == on_the_last_day


async def test_a_club_nobody_ever_joined_is_unknown_and_an_idle_one_is_empty(bench: LedgerBench) -> None:
    """None for a club without a membership; no rows for one whose members have no points."""
    await bench.settle()
    await tell(bench, Joined(CLUB, UUID(int=1), 1, NOON))

    assert await club_board(bench, Board.AMR) == {}
    assert await club_board(bench, Board.AMR, club=uuid4()) is None


def random_instants(chance: random.Random) -> list[datetime]:
    """Return midnights, of short and long days too, ± 1 µs, and instants all over a year."""
    days = [TODAY - timedelta(days=count) for count in (0, 1, 7, 30, 127, 128, 337, 364, 365)]
    midnights = [
        day_start(day) + shift for day in days for shift in (-MICROSECOND, timedelta(0), MICROSECOND)
    ]
    spread = [NOON - chance.random() * timedelta(days=370) for _ in range(25)]
    return [at.astimezone(UTC) for at in [*midnights, *spread]]


def random_moves(chance: random.Random, account: UUID, instants: Sequence[datetime]) -> list[Joined | Left]:
    """Return a player's comings and goings, each at an instant of something else."""
    times = sorted(chance.choice(instants) for _ in range(chance.randrange(1, 6)))
    return [
        Joined(CLUB, account, 1 + place, at) if place % 2 == 0 else Left(CLUB, account, 1 + place, at)
        for place, at in enumerate(times)
    ]


def naive(
    facts: Iterable[TransferPosted], moves: Sequence[Joined | Left], board: Board, day: date
) -> dict[str, int]:
    """Return a club's board by its definition: each transfer, if it occurred while its player was in."""
    window, sums = window_on(board, day), Counter[str]()
    for fact in facts:
        taker = fact.credit.startswith("players/")
        account = UUID((fact.credit if taker else fact.debit).removeprefix("players/"))
        own = [move for move in moves if move.account == account and move.at <= fact.occurred_at]
        is_in = bool(own) and isinstance(own[-1], Joined)
        counts = family_of(fact) is FAMILY[board] and window.first_day <= fact.day <= window.last_day
        if is_in and counts:
            sums[str(account)] += fact.amount if taker else -fact.amount
    return {account: points for account, points in sums.items() if points}


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_club_boards_are_those_of_the_naive_model(bench: LedgerBench, seed: int) -> None:
    """Transfers and memberships at shared instants and midnights: six boards, before and after rolls."""
    chance = random.Random(seed)
    accounts = [UUID(int=number) for number in range(1, 7)]
    instants = random_instants(chance)
    facts = [
        earned(
            chance.choice(accounts),
            chance.choice((1, 5, 10, 20)) * (chance.choice((1, -1)) if reason in {"MCR", "MCR_AI"} else 1),
            chance.choice(instants),
            reason=reason,
        )
        for reason in chance.choices(("QUICK_MATCH", "LEVEL_FIRST", "MCR", "MCR_AI", "POOL"), k=220)
    ]
    facts += [reversed_(fact) for fact in chance.sample(facts, 25)]
    moves = [move for account in accounts[1:] for move in random_moves(chance, account, instants)]
    await bench.log_facts(*facts[:150])
    await bench.settle()
    await tell(bench, *moves)
    await bench.log_facts(*facts[150:])
    await bench.settle()

    for day in (TODAY, TODAY + timedelta(days=1)):
        shown = [day, TODAY - timedelta(days=1), TODAY - timedelta(days=127), TODAY - timedelta(days=337)]
        for board in CLUB_BOARDS:
            for asked in shown:
                assert await club_board(bench, board, asked) == naive(facts, moves, board, asked)
        bench.clock.advance(timedelta(days=1))
        await bench.settle()
