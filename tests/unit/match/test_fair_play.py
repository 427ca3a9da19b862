"""What is counted of play, and when it is flagged."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest

from libs.rules.solitaire.board import Blocked
from services.match import events as single
from services.match.domain.fair_play.counts import NO_PACE, Counts, Played, PlayMode, bin_of
from services.match.domain.fair_play.judging import Rule, Suspicion, Thresholds, is_beyond, suspicions
from services.match.domain.fair_play.reporting import TextFault, parse_text
from services.match.domain.fair_play.tally import played_level, played_round
from tests.support.attempts import ANA, BEN, ROW, after, started
from tests.support.rounds import Table, apart

FACES = "B1 B1 B2 B2 B3 B3 B4 B4"
LIMITS = Thresholds(250, 100, {False: 950, True: 880}, 100, 1_000_000_000)


def _table(faces: str = FACES) -> Table:
    return Table.begun(apart(len(faces.split())), faces)


def _of(played: list[Played]) -> dict[object, Counts]:
    return {each.account_id: each.counts for each in played}


def _pace(*times: int) -> tuple[int, ...]:
    bins = list(NO_PACE)
    for ms in times:
        bins[bin_of(ms)] += 1
    return tuple(bins)


def test_the_pace_of_a_round_is_what_its_pairs_took() -> None:
    """From the signal, then from pair to pair, of each seat alone."""
    table = _table()
    table.pair(0, 0, 1, 900)
    table.pair(1, 0, 1, 1_000)
    table.pair(0, 2, 3, 1_020)
    table.until(300_000)
    figures = _of(played_round(table.events))

    assert figures[ANA].pace == _pace(900, 120)
    assert figures[BEN].pace == _pace(1_000)
    assert (figures[ANA].games, figures[ANA].pairs, figures[ANA].touches) == (1, 2, 4)


def test_a_time_at_a_bound_is_in_the_bin_above_it() -> None:
    """So what is counted under a bound is under it."""
    counts = Counts(pairs=4, pace=_pace(249, 250, 299, 20_000))
    assert [counts.faster_than(ms) for ms in (249, 250, 251, 299, 300)] == [0, 1, 1, 1, 3]


def test_blocked_touches_are_counted_among_the_touches() -> None:
    """A blocked tile that was touched, of everything that was touched or put back."""
    table = Table.begun(ROW, "B1 B2 B2 B1")
    table.touch(0, 1, 500)
    table.touch(0, 0, 600)
    table.put_back(0, 700)
    table.pair(0, 0, 3, 800)
    table.until(300_000)
    counts = _of(played_round(table.events))[ANA]

    assert (counts.touches, counts.blocked, counts.pairs) == (5, 1, 1)


def test_who_touched_nothing_has_played_nothing() -> None:
    """A seat that only waited is not counted."""
    table = _table()
    table.pair(0, 0, 1, 900)
    table.until(300_000)

    assert list(_of(played_round(table.events))) == [ANA]


def test_a_crucial_pair_that_was_taken_is_found() -> None:
    """Every crucial pair counts, and nothing was missed on a board that was cleared."""
    table = _table("B1 B1 B2 B2 B3 B3")
    table.pair(0, 0, 1, 900, crucial=True)
    table.pair(0, 2, 3, 1_800)
    table.pair(0, 4, 5, 2_700, crucial=True)
    counts = _of(played_round(table.events))[ANA]

    assert (counts.found, counts.missed) == (2, 0)


@pytest.mark.parametrize(("crucial", "missed"), [((True, False), 1), ((False, True), 0), ((False, False), 1)])
def test_a_board_that_was_not_cleared_holds_at_most_one_miss(crucial: tuple[bool, bool], missed: int) -> None:
    """One, unless the last pair was crucial: the board could be solved still."""
    table = _table()
    table.pair(0, 0, 1, 900, crucial=crucial[0])
    table.pair(0, 2, 3, 1_800, crucial=crucial[1])
    table.until(300_000)
    counts = _of(played_round(table.events))[ANA]

    assert (counts.found, counts.missed) == (sum(crucial), missed)


def test_a_joker_is_no_pair_of_the_players_and_ends_a_stretch() -> None:
    """No pace, no choice; what may have been missed before it counts, and the clock begins anew."""
    table = _table()
    table.pair(0, 0, 1, 900)
    table.touch(0, 2, 1_000)
    table.use_joker(0, 1_000)
    table.joker_spent(0, 1, 1_500)
    table.pair(0, 4, 5, 1_700, crucial=True)
    table.until(300_000)
    counts = _of(played_round(table.events))[ANA]

    assert (counts.pairs, counts.pace) == (2, _pace(900, 200))
    assert (counts.found, counts.missed) == (1, 1)


def test_an_attempt_counts_pace_and_touches_and_leaves_outages_out() -> None:
    """Levels are not judged: they show no choices."""
    facts: list[single.Event] = [
        started(ROW, "B1 B2 B2 B1"),
        single.TileLifted(0, None, after(100)),
        single.ClockPaused(after(200), after(60_200), after(60_200)),
        single.PairRemoved(0, 3, after(60_400)),
        single.TouchBlocked(1, _why(), after(60_500)),
        single.AttemptLeft(ANA, 7, after(60_600)),
    ]
    (played,) = played_level(facts)

    assert (played.account_id, played.mode, played.hard) == (ANA, PlayMode.LEVEL, False)
    assert played.day == after(60_600).date()
    assert played.counts == Counts(1, 1, _pace(400), 3, 1, 0, 0)


def _why() -> Blocked:
    table = Table.begun(ROW, "B1 B2 B2 B1")
    (told,) = table.touch(0, 1, 500) or []
    return told.why  # type: ignore[union-attr]


def test_a_median_that_no_person_reaches_is_flagged() -> None:
    """More than half of enough pairs under the bound; half, or too few pairs, is no flag."""
    fast = Counts(pairs=101, pace=_pace(*[200] * 51, *[900] * 50))
    half = Counts(pairs=100, pace=_pace(*[200] * 50, *[900] * 50))
    few = Counts(pairs=99, pace=_pace(*[100] * 99))

    assert suspicions({False: fast}, LIMITS) == [Suspicion(Rule.PACE, 51, 101)]
    assert suspicions({False: half}, LIMITS) == suspicions({True: few}, LIMITS) == []
    assert suspicions({False: few, True: few}, LIMITS) == [Suspicion(Rule.PACE, 198, 198)]
    assert suspicions({}, LIMITS) == []


def test_choices_are_flagged_far_above_careful_play_of_the_same_difficulty() -> None:
    """0.95^n falls under one in a billion at 405 choices without a miss; on HARD boards 0.88^n at 163."""

    def flagged(found: int, missed: int, *, hard: bool) -> bool:
        return bool(suspicions({hard: Counts(found=found, missed=missed)}, LIMITS))

    assert [flagged(n, 0, hard=False) for n in (404, 405)] == [False, True]
    assert [flagged(n, 0, hard=True) for n in (162, 163)] == [False, True]
    assert not flagged(950, 50, hard=False)
    assert not flagged(960, 40, hard=False)


def test_as_many_misses_as_careful_play_has_are_never_flagged() -> None:
    """Not even over many thousands of choices."""
    assert suspicions({False: Counts(found=9_500, missed=500)}, LIMITS) == []


@pytest.mark.parametrize(
    ("trials", "chance"), [(1, Fraction(1, 2)), (17, Fraction(4, 5)), (40, Fraction(95, 100))]
)
def test_the_binomial_tail_is_exact(trials: int, chance: Fraction) -> None:
    """It is the sum of the textbook, to the last of a thousand."""
    for hits in range(trials + 1):
        terms = (comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(hits, trials + 1))
        tail = sum(terms, Fraction(0))
        for one_in in (1, 2, 50, 1_000):
            expected = hits > trials * chance and tail * one_in <= 1
            assert is_beyond(hits, trials, chance, one_in) == expected


@pytest.mark.parametrize(
    ("raw", "parsed"),
    [
        ("  e\u0301 \r\n x ", "\u00e9 \n x"),
        ("x" * 501, TextFault.LENGTH),
        ("\n".join("abcdefghijk"), TextFault.LINES),
        ("a\x1b[31m", TextFault.INVISIBLE),
        ("a\u202eb", TextFault.INVISIBLE),
        ("\u0646\u200c\u0645", "\u0646\u200c\u0645"),
        ("<b>", "<b>"),
    ],
)
def test_the_words_of_a_report_are_bounded_and_visible(raw: str, parsed: str | TextFault) -> None:
    """Length, lines, and nothing that steers a terminal; they are escaped where they are shown."""
    assert parse_text(raw) == parsed


def test_counts_of_a_day_are_those_of_its_games_together() -> None:
    """Adding up loses nothing."""
    one, two = Counts(1, 2, _pace(100, 200), 5, 1, 1, 0), Counts(1, 1, _pace(200), 3, 0, 0, 1)

    assert one + two == Counts(2, 3, _pace(100, 200, 200), 8, 1, 1, 1)
    assert (one + two).choices == 2
