"""Properties of the fold of the boards, held against a model that recomputes everything from the facts."""

from __future__ import annotations

import copy
from collections import Counter
from datetime import UTC, date, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from services.ledger.assets import HOUSE_POINTS, Asset
from services.ledger.domain.boards import Boards, Cell, digest_of, reach
from services.ledger.domain.calendar import day_end, day_start, ledger_day
from services.ledger.domain.families import year_of
from services.ledger.domain.ranks import Count, coarse_end, counts_moved, listed
from services.ledger.domain.windows import STANDING_SHEET_DAY, WINDOWED, Board, Family, Sheet, monday
from services.ledger.events import LedgerDayClosed, LedgerEvent, TransferPosted

TODAY = date(2026, 3, 2)
ACCOUNTS = [f"00000000-0000-0000-0000-00000000000{digit}" for digit in "123abc"]
AMR = Sheet(Board.AMR, STANDING_SHEET_DAY)

# Days that matter: today, tomorrow (early), the ends of the window, far outside of it.
days_back = st.sampled_from([-2, -1, 0, 1, 2, 6, 7, 363, 364, 365, 366, 800])
amounts = st.one_of(st.integers(-30, 30).filter(bool), st.sampled_from([10**12, -(10**12)]))
happenings = st.lists(
    st.one_of(
        st.just("close"),
        st.just("close again"),
        st.tuples(
            st.sampled_from(ACCOUNTS),
            amounts,
            days_back,
            st.sampled_from(["ARENA", "ARENA", "POOL", "MCR", "MCR_AI", "RACE"]),
        ),
    ),
    max_size=40,
)


def transfer(account: str, points: int, day: date, reason: str = "ARENA") -> TransferPosted:
    """Return points given to a player, or taken back."""
    sides = (HOUSE_POINTS, f"players/{account}")
    debit, credit = sides if points > 0 else sides[::-1]
    at = datetime(2026, 3, 2, tzinfo=UTC)
    asset = Asset.RATING if reason == "RACE" else Asset.POINTS
    return TransferPosted("", asset, debit, credit, abs(points), reason, at, day, "", "")


def facts_of(script: list[object], opened: bool) -> list[LedgerEvent]:
    """Return the facts of a script; `opened`: the first fact opens the boards on TODAY."""
    facts: list[LedgerEvent] = [LedgerDayClosed(TODAY - timedelta(days=1))] if opened else []
    today = TODAY
    for step in script:
        match step:
            case "close":
                facts.append(LedgerDayClosed(today if opened else today - timedelta(days=1)))
                today += timedelta(days=1) if opened else timedelta()
                opened = True
            case "close again":
                facts.append(LedgerDayClosed(today - timedelta(days=1)) if opened else LedgerDayClosed(today))
                today += timedelta() if opened else timedelta(days=1)
                opened = True
            case (str(account), int(points), int(back), str(reason)):
                facts.append(transfer(account, points, today - timedelta(days=back), reason))
    return facts


def recomputed(facts: list[LedgerEvent], as_of_day: date | None) -> dict[Sheet, dict[str, int]]:
    """The model: every sheet summed from the transfers alone."""
    sums: dict[Sheet, Counter[str]] = {}
    for fact in facts:
        if not isinstance(fact, TransferPosted) or fact.reason == "POOL":
            continue
        given_to = fact.credit != HOUSE_POINTS
        account = (fact.credit if given_to else fact.debit).removeprefix("players/")
        for sheet in sheets_with(fact, as_of_day):
            sums.setdefault(sheet, Counter())[account] += fact.amount if given_to else -fact.amount
    return without_zeros(sums)


def sheets_with(fact: TransferPosted, as_of_day: date | None) -> list[Sheet]:
    """Return the sheets that a result stands on."""
    if fact.asset is Asset.RATING:
        return [Sheet(Board.RACE_RATING, STANDING_SHEET_DAY)]
    year, weekly, daily = WINDOWED[
        {"MCR": Family.MCR, "MCR_AI": Family.MCR_AI}.get(fact.reason, Family.POINTS)
    ]
    sheets = [Sheet(daily, fact.day), Sheet(weekly, monday(fact.day))]
    if as_of_day is not None and 0 <= (as_of_day - fact.day).days <= 364:
        sheets.append(Sheet(year, STANDING_SHEET_DAY))
    return sheets


def without_zeros(
    sheets: dict[Sheet, Counter[str]] | dict[Sheet, dict[str, int]],
) -> dict[Sheet, dict[str, int]]:
    """Drop rows of 0 points and empty sheets."""
    kept = {
        sheet: {name: points for name, points in rows.items() if points} for sheet, rows in sheets.items()
    }
    return {sheet: rows for sheet, rows in kept.items() if rows}


def folded(facts: list[LedgerEvent]) -> Boards:
    """Fold all in memory."""
    boards = Boards()
    for seq, fact in enumerate(facts, start=1):
        boards.fold(seq, fact)
    boards.settle()
    return boards


@settings(max_examples=150, deadline=None)
@given(happenings, st.booleans())
def test_the_fold_equals_a_recomputation(script: list[object], opened: bool) -> None:
    """Rows and digest are what the transfers sum to, whatever came late, early or twice."""
    facts = facts_of(script, opened)
    boards = folded(facts)

    assert without_zeros(boards.sheets) == recomputed(facts, boards.as_of_day)
    assert boards.digest == digest_of(boards.sheets)


@settings(max_examples=100, deadline=None)
@given(happenings, st.integers(1, 7))
def test_folding_on_no_more_than_the_rows_in_reach_gives_the_same(script: list[object], size: int) -> None:
    """What tables do: load what a batch can reach, fold, write back; batches of any size, closings alone."""
    facts = facts_of(script, True)
    tables = Boards()
    seq = 0
    while seq < len(facts):
        batch = facts[seq : seq + 1]
        while not isinstance(facts[seq], LedgerDayClosed) and len(batch) < size:
            following = facts[seq + len(batch) : seq + len(batch) + 1]
            if not following or isinstance(following[0], LedgerDayClosed):
                break
            batch += following
        part = loaded(tables, batch)
        for fact in batch:
            seq += 1
            part.fold(seq, fact)
        for cell, (_, new) in part.settle().rows.items():
            tables.sheets.setdefault(cell.sheet, {})[cell.account] = new
        tables.as_of_day, tables.digest = part.as_of_day, part.digest
    whole = folded(facts)

    assert without_zeros(tables.sheets) == without_zeros(whole.sheets)
    assert (tables.digest, tables.as_of_day) == (whole.digest, whole.as_of_day)


def loaded(tables: Boards, batch: list[LedgerEvent]) -> Boards:
    """Return boards with exactly the rows in reach of a batch."""
    wanted = reach(batch, tables.as_of_day)
    part = Boards(tables.as_of_day, digest=tables.digest)
    cells = set(wanted.cells)
    for sheet in wanted.sheets:
        for account in tables.sheets.get(sheet, {}):
            cells |= {Cell(sheet, account), Cell(year_of(sheet), account)}
    for cell in cells:
        if points := tables.points(cell.sheet, cell.account):
            part.sheets.setdefault(cell.sheet, {})[cell.account] = points
    return part


@settings(max_examples=100, deadline=None)
@given(happenings)
def test_a_midnight_moves_amr_by_the_day_that_enters_less_the_day_that_leaves(script: list[object]) -> None:
    """AMR(d+1) - AMR(d) = day(d+1) - day(d-364), account by account."""
    boards = folded(facts_of(script, True))
    assert boards.as_of_day is not None
    before, day = copy.deepcopy(boards), boards.as_of_day
    boards.fold(1_000, LedgerDayClosed(day))

    for account in ACCOUNTS:
        entering = before.points(Sheet(Board.DAILY, day + timedelta(days=1)), account)
        leaving = before.points(Sheet(Board.DAILY, day - timedelta(days=364)), account)
        assert boards.points(AMR, account) - before.points(AMR, account) == entering - leaving


@given(happenings, st.randoms())
def test_the_digest_does_not_depend_on_the_order_of_results(script: list[object], chance: object) -> None:
    """Results of one day in any order give equal boards."""
    facts: list[LedgerEvent] = [fact for fact in facts_of(script, True) if isinstance(fact, TransferPosted)]
    shuffled = list(facts)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    opening: list[LedgerEvent] = [LedgerDayClosed(TODAY - timedelta(days=1))]

    assert folded(opening + facts).digest == folded(opening + shuffled).digest


@given(st.dictionaries(st.sampled_from(ACCOUNTS), st.integers(-600, 600).filter(bool)))
def test_the_histogram_ranks_as_a_full_sort_does(rows: dict[str, int]) -> None:
    """One more than the players with more points, summed from coarse and fine counters."""
    counts = counts_moved({Cell(AMR, account): (0, points) for account, points in rows.items()})
    for entry in listed(rows):
        coarse_above = sum(
            players
            for (_, is_coarse, bucket), players in counts.items()
            if is_coarse and bucket > entry.points >> 8
        )
        fine_above = sum(
            players
            for (_, is_coarse, bucket), players in counts.items()
            if not is_coarse and entry.points < bucket <= coarse_end(entry.points)
        )
        assert entry.rank == 1 + coarse_above + fine_above

    gone = counts_moved({Cell(AMR, account): (points, 0) for account, points in rows.items()})
    assert gone == {Count(*count): -players for count, players in counts.items()}


@given(st.integers(0, 123 * 365 * 86_400), st.integers(0, 9 * 86_400 * 10**6))
def test_ledger_days_never_fall_in_time(since_1975_s: int, later_us: int) -> None:
    """A later instant has the same day or a later one, and lies inside its day."""
    first = datetime(1975, 1, 1, tzinfo=UTC) + timedelta(seconds=since_1975_s)

    assert ledger_day(first) <= ledger_day(first + timedelta(microseconds=later_us))
    assert day_start(ledger_day(first)) <= first < day_end(ledger_day(first))
