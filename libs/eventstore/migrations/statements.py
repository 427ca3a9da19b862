"""SQL text inside a revision."""

from __future__ import annotations

from alembic import op

from libs.eventstore.migrations import MIGRATIONS


def run_sql(statements: str) -> None:
    """Run any number of SQL statements in the transaction of the running revision."""
    driver = op.get_bind().connection.dbapi_connection
    assert driver is not None
    driver.run_async(lambda connection: connection.execute(statements))


def run_sql_file(name: str) -> None:
    """Run a file of the folder `sql`."""
    run_sql((MIGRATIONS / "sql" / name).read_text(encoding="utf-8"))
