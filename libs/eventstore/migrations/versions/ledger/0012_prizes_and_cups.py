"""A player's prize points of a week and cups are looked up by rows of their own alone."""

from __future__ import annotations

from libs.eventstore.migrations.statements import run_sql

revision = "0012"
down_revision = "0011"

INDEXES = """
CREATE INDEX transfer_prize_taken ON transfer (credit, day)
    WHERE asset = 'POINTS' AND reason = 'TOURNAMENT_PRIZE' AND credit LIKE 'players/%';
CREATE INDEX transfer_prize_given ON transfer (debit, day)
    WHERE asset = 'POINTS' AND reason = 'TOURNAMENT_PRIZE' AND debit LIKE 'players/%';
CREATE INDEX transfer_cup_taken ON transfer (credit) WHERE asset = 'CUP' AND credit LIKE 'players/%';
CREATE INDEX transfer_cup_given ON transfer (debit) WHERE asset = 'CUP' AND debit LIKE 'players/%';
"""


def upgrade() -> None:
    """Index few rows: those of prizes and of cups."""
    run_sql(INDEXES)
