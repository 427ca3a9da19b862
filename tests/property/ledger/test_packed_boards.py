"""A packed board answers as the plain list of its rows does."""

from __future__ import annotations

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from services.ledger.domain.packed import PackedBoard
from services.ledger.domain.ranks import listed, number, order

ACCOUNTS = st.integers(0, 2**128 - 1).map(lambda number: str(UUID(int=number)))
POINTS = st.one_of(st.integers(-3, 3), st.integers(-(2**62), 2**62))
BOARDS = st.dictionaries(ACCOUNTS, POINTS, max_size=40)


@given(BOARDS, st.integers(1, 7))
def test_slices_are_the_pages_of_the_list(points: dict[str, int], size: int) -> None:
    """Rows, ranks, order and count; rows of 0 points are not there."""
    full = listed({account: held for account, held in points.items() if held})
    packed = PackedBoard.of(points)

    assert len(packed) == len(full)
    assert [entry for start in range(0, len(full), size) for entry in packed.slice(start, size)] == full


@given(BOARDS, ACCOUNTS)
def test_every_account_is_found_at_its_place(points: dict[str, int], stranger: str) -> None:
    """Also where the bytes of one begin inside another row."""
    packed = PackedBoard.of(points)
    full = listed({account: held for account, held in points.items() if held})

    assert [packed.find(entry.account) for entry in full] == list(range(len(full)))
    assert (packed.find(stranger) is not None) == bool(points.get(stranger))


@given(BOARDS, st.data())
def test_numbering_goes_on_from_any_place(points: dict[str, int], data: st.DataObject) -> None:
    """From a row whose ties were counted, as from one that all rows before were seen of."""
    rows = sorted(((account, held) for account, held in points.items() if held), key=order)
    whole = number(rows).entries
    cut = data.draw(st.integers(0, len(rows)))
    before = number(rows[:cut]).last
    if before is not None and data.draw(st.booleans()):
        tied = sum(held == before.entry.points for _, held in rows)
        before = before._replace(next_rank=before.entry.rank + tied, is_tie_counted=True)

    assert number(rows[cut:], before).entries == whole[cut:]


@given(BOARDS, st.data())
def test_a_page_goes_on_behind_any_row(points: dict[str, int], data: st.DataObject) -> None:
    """Whether the row is still listed or not."""
    board = PackedBoard.of(points)
    row = data.draw(st.tuples(ACCOUNTS, POINTS) | st.sampled_from([*points.items()] or [("0" * 32, 1)]))
    listed_before = [each for each in points.items() if each[1] and order(each) <= order(row)]

    assert board.behind(*row) == len(listed_before)
