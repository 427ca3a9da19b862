"""The chips of a pool match in the ledger: stakes into the escrow of the match, and all of it out again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from libs.cli.verify.collect import SKEW, Feeds, entries_since
from libs.cli.verify.recompute import Finding
from libs.eventsourcing.envelope import Part
from libs.eventsourcing.ids import birth_of
from libs.runtime.names import player_name
from services.ledger.assets import Asset
from services.ledger.wire.events import ASSET_FROM_WIRE, TRANSFER_POSTED, posted_message
from services.match.domain.pool.events import PoolEnded
from services.match.domain.pool.terms import PoolEnding, PoolTerms
from services.match.wire.pool_ledger import escrow_account, pot_key, stake_key


@dataclass(frozen=True)
class Moved:
    """A transfer that touched the escrow; `reverses` is the key of the one that it takes back, or empty."""

    key: str
    debit: str
    credit: str
    chips: int
    reverses: str = ""


async def transfers_of(feeds: Feeds, match_id: UUID, ended_at: datetime) -> list[Moved]:
    """The transfers of a match's escrow out of the ledger's feed, until it is empty after the end."""
    escrow, found, held = escrow_account(match_id), list[Moved](), 0
    async for entry in entries_since(feeds, Part.FACTS, birth_of(match_id) - SKEW, "ledger"):
        if entry.event.type != TRANSFER_POSTED:
            continue
        posted = posted_message(entry.event.data)
        if ASSET_FROM_WIRE[posted.asset] is Asset.CHIP and escrow in {posted.debit, posted.credit}:
            found.append(Moved(posted.key, posted.debit, posted.credit, posted.amount, posted.reverses))
            held += posted.amount if posted.credit == escrow else -posted.amount
        if found and not held and entry.at > ended_at + SKEW:
            break
    return found


def check_escrow(
    match_id: UUID, terms: PoolTerms, paid: Collection[int], ended: PoolEnded, moved: Sequence[Moved]
) -> Finding:
    """Hold the ledger's transfers against the match: `paid` are the seats whose stakes it says were paid."""
    escrow, wrong = escrow_account(match_id), []
    is_void = ended.ending is not PoolEnding.PLAYED
    right = []
    for number, (account, seat) in enumerate(zip(terms.accounts, ended.seats, strict=False)):
        player, key = player_name(account), stake_key(match_id, account)
        taken = [each for each in moved if each.key == key]
        if number in paid or taken:  # a stake that came too late was taken and given back
            right.append(Moved(key, player, escrow, terms.stake))
        if (number in paid and is_void) or (number not in paid and taken):
            right.append(Moved(f"reversal/{key}", escrow, player, terms.stake, key))
        elif seat.payout:
            right.append(Moved(pot_key(match_id, account), escrow, player, seat.payout))
    for each, count in (Counter(right) - Counter(moved)).items():
        wrong.append(
            f"{each.chips} chips did not go from {each.debit} to {each.credit} ({count}x {each.key})"
        )
    extra = Counter(moved) - Counter(right)
    wrong += [f"{each.chips} chips went from {each.debit} to {each.credit} ({each.key})" for each in extra]
    held = sum(each.chips if each.credit == escrow else -each.chips for each in moved)
    if held:
        wrong.append(f"the escrow holds {held} chips")
    return Finding("escrow", f"{sum(each.credit == escrow for each in moved)} stakes", tuple(wrong))
