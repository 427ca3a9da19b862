"""The fold of whole logs is the fold of the boards, whatever the log."""

from __future__ import annotations

import struct
from random import Random
from uuid import UUID

import pytest

from services.ledger.domain.boards import Boards
from services.ledger.domain.ranks import histogram
from services.ledger.domain.windows import Board, sheet_on
from services.ledger.events import LedgerDayClosed, LedgerEvent
from services.ledger.projections.effects import FAMILY_CODE
from services.ledger.projections.rebuilding.binary import day_number
from services.ledger.projections.rebuilding.bulk import BulkFold, History
from tests.support.ledger_feeds import POSTGRES_EPOCH, random_feed, stored


def folded(facts: list[LedgerEvent]) -> tuple[Boards, list[History]]:
    """Return what the definition makes of a log, and each board as shown at the end of each day left."""
    boards, histories = Boards(), []
    for seq, fact in enumerate(facts, 1):
        if isinstance(fact, LedgerDayClosed) and boards.as_of_day == fact.day:
            for board in Board:
                shown = boards.sheets.get(sheet_on(board, fact.day), {})
                histories.append(History(fact.day, board, seq, *histogram(shown)))
        boards.fold(seq, fact)
    return boards, histories


@pytest.mark.parametrize("seed", range(60))
def test_rows_entries_histories_and_refusals_are_those_of_the_definition(seed: int) -> None:
    """Over all families, late and early days, midnights closed twice, reversals, sums beyond the bound."""
    random = Random(seed)
    facts = random_feed(random, random.choice((0, 3, 40, 300, 900)))
    boards, histories = folded(facts)
    bulk = BulkFold()
    rest = list(stored(facts))
    while rest:  # in pieces, as a builder reads
        size = random.randrange(1, 200)
        bulk.take(rest[:size])
        rest = rest[size:]

    assert dict(bulk.sheets()) == {sheet: rows for sheet, rows in boards.sheets.items() if rows}
    assert bulk.as_of_day == boards.as_of_day
    assert [fact.seq for fact in bulk.refused] == boards.refused
    assert bulk.histories == histories
    entries = [struct.unpack(">h i16s ih ii iq iq iq", entry)[2::2] for entry in bulk.entries]
    assert entries == [
        (
            UUID(posting.account).bytes,
            FAMILY_CODE[posting.family],
            day_number(posting.day),
            posting.seq,
            posting.points,
            (posting.occurred_at - POSTGRES_EPOCH).total_seconds() * 1_000_000,
        )
        for posting in boards.postings
    ]
