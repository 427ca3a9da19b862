"""Checkpoints: how far a consumer got, moved in the transaction of its effects and fenced by its epoch.

At the beginning of an epoch `claim`, which tells where to go on and from then on fails everybody earlier.
Then, in each transaction that applies entries, `advance`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventsourcing.envelope import FeedEntry
from libs.eventstore.port import Fenced
from libs.eventstore.position import Reached

CLAIM = text("""
INSERT INTO checkpoint AS c (name, seq, epoch) VALUES (:name, 0, :epoch)
ON CONFLICT (name) DO UPDATE SET epoch = excluded.epoch WHERE c.epoch <= excluded.epoch
RETURNING seq, chain
""")
ADVANCE = text("""
UPDATE checkpoint SET seq = :seq, chain = :chain WHERE name = :name AND epoch = :epoch AND seq < :seq
""")
POSITIONS = text("SELECT name, seq FROM checkpoint WHERE name = ANY(:names)")
PARK = text("""
INSERT INTO parked (consumer, seq, type, reason, data, at)
VALUES (:consumer, :seq, :type, :reason, :data, :at)
ON CONFLICT (consumer, seq) DO UPDATE SET
    type = excluded.type, reason = excluded.reason, data = excluded.data, at = excluded.at
""")

SET_ASIDE = text("""
INSERT INTO parked (consumer, seq, type, reason, data, at) VALUES (:who, 0, :type, :reason, '', :at)
ON CONFLICT (consumer, seq) DO UPDATE SET type = excluded.type, reason = excluded.reason, at = excluded.at
""")


async def claim(connection: AsyncConnection, name: str, epoch: int) -> Reached:
    """Make the checkpoint this epoch's; return what was applied last. Raise Fenced if the epoch is over."""
    row = (await connection.execute(CLAIM, {"name": name, "epoch": epoch})).one_or_none()
    if row is None:
        raise Fenced(f"epoch {epoch} of {name} is over")
    return Reached(row.seq, row.chain)


async def advance(
    connection: AsyncConnection, name: str, epoch: int, seq: int, chain: bytes | None = None
) -> None:
    """Move the checkpoint forward to `seq`; raise Fenced when this epoch has not claimed it or is over.

    Who follows another service's feed gives the entry's `chain` as well: that tells one history from another.
    """
    values = {"name": name, "epoch": epoch, "seq": seq, "chain": chain}
    result = await connection.execute(ADVANCE, values)
    if result.rowcount != 1:
        raise Fenced(f"{name} is not before {seq} under epoch {epoch}")


async def positions(connection: AsyncConnection, names: Sequence[str]) -> dict[str, int]:
    """Return the last applied seq of the checkpoints that exist."""
    rows = await connection.execute(POSITIONS, {"names": list(names)})
    return {row.name: row.seq for row in rows}


async def park(
    connection: AsyncConnection, consumer: str, entry: FeedEntry, reason: str, at: datetime
) -> None:
    """Put an entry whose value makes no sense aside for an operator, where the checkpoint passes over it.

    Parked again, after a restored checkpoint or a rebuild, it stands there once.
    """
    values = {"consumer": consumer, "seq": entry.seq, "type": entry.event.type, "reason": reason}
    await connection.execute(PARK, {**values, "data": entry.event.data, "at": at})


async def set_aside(connection: AsyncConnection, who: str, type_: str, reason: str, at: datetime) -> None:
    """Leave an operator a word beside the parked entries, of what no feed holds; it stands once a `who`."""
    await connection.execute(SET_ASIDE, {"who": who, "type": type_, "reason": reason, "at": at})
