"""A fold in SQL that shares no code with the projector comes to the same boards, whatever the log."""

from __future__ import annotations

from random import Random

import duckdb
import pytest

from services.ledger.domain.boards import Boards, digest_of
from services.ledger.events import LedgerDayClosed, LedgerEvent, TransferPosted
from services.ledger.projections.rebuilding.independent import fold
from tests.support.ledger_feeds import random_feed


def database_of(facts: list[LedgerEvent]) -> duckdb.DuckDBPyConnection:
    """Return a database whose `facts` are these."""
    database = duckdb.connect()
    database.execute(
        "CREATE TABLE facts (seq BIGINT, asset VARCHAR, debit VARCHAR, credit VARCHAR, amount BIGINT,"
        " reason VARCHAR, day DATE)"
    )
    rows: list[tuple[object, ...]] = []
    for seq, fact in enumerate(facts, 1):
        match fact:
            case TransferPosted():
                rows.append(
                    (seq, fact.asset.value, fact.debit, fact.credit, fact.amount, fact.reason, fact.day)
                )
            case LedgerDayClosed(day):
                rows.append((seq, None, None, None, None, None, day))
    if rows:
        database.executemany("INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    return database


@pytest.mark.parametrize("seed", range(12))
def test_digest_rows_day_and_refusals_are_those_of_the_definition(seed: int) -> None:
    """Over all families, late and early days, midnights closed twice, reversals, sums beyond the bound."""
    random = Random(seed)
    facts = random_feed(random, random.choice((0, 30, 300)))
    boards = Boards()
    for seq, fact in enumerate(facts, 1):
        boards.fold(seq, fact)

    with database_of(facts) as database:
        folded = fold(database)
        rows = database.execute("SELECT board, day, player, points FROM boards").fetchall()

    assert {(board, day, player): points for board, day, player, points in rows} == {
        (sheet.board.value, sheet.day, player): points
        for sheet, kept in boards.sheets.items()
        for player, points in kept.items()
    }
    assert (folded.digest, folded.rows) == (digest_of(boards.sheets), len(rows))
    assert folded.as_of_day == boards.as_of_day
    assert list(folded.refused) == boards.refused
