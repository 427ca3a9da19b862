"""What awarded and revoked prizes do to the journal: each is paid once and taken back once, in any order.

A prize and its revocation may be told again, and a revocation even before its prize. Whatever comes, and
however often: a prize that was revoked ends with nothing, any other one is paid once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from services.ledger.commands import PostTransfer, PrizeStep, TakeBack
from services.ledger.domain.cancelling import Posted, Unused, cancel
from services.ledger.domain.journal import Holding, Refusal, balances_after, judge, same_contents
from services.ledger.events import TransferCancelled, TransferPosted


@dataclass(frozen=True, slots=True)
class Settled:
    """The new facts in order, why each step was refused (None: it was not), and the balances that moved."""

    facts: tuple[TransferPosted | TransferCancelled, ...]
    refusals: tuple[Refusal | None, ...]
    balances: Mapping[Holding, int]


def settle(
    steps: Sequence[PrizeStep],
    posted: Mapping[str, TransferPosted],
    balances: Mapping[Holding, int],
    cancelled: Collection[str],
    now: datetime,
) -> Settled:
    """Judge steps one after the other, each on what the ones before it left.

    `posted` and `cancelled` hold what is known under their keys, `balances` the rows they move (absent: 0).
    Jokers that were spent meanwhile are not taken back: BALANCE_TOO_LOW.
    """
    by_key, gone, held = dict(posted), set(cancelled), dict(balances)
    facts: list[TransferPosted | TransferCancelled] = []
    refusals: list[Refusal | None] = []
    moved: dict[Holding, int] = {}
    for step in steps:
        fact = _decided(step, by_key, held, gone, now)
        refusals.append(fact if isinstance(fact, Refusal) else None)
        match fact:
            case TransferPosted(key=key, reverses=reverses):
                facts.append(fact)
                by_key[key] = fact
                if reverses:
                    gone.add(reverses)
                after = balances_after(fact, held)
                held |= after
                moved |= after
            case TransferCancelled(key):
                facts.append(fact)
                gone.add(key)
    return Settled(tuple(facts), tuple(refusals), moved)


def _decided(
    step: PrizeStep,
    posted: Mapping[str, TransferPosted],
    balances: Mapping[Holding, int],
    cancelled: Collection[str],
    now: datetime,
) -> TransferPosted | TransferCancelled | Refusal | None:
    """Return the fact of a step; None where it was told before, or where the prize was revoked already."""
    match step:
        case PostTransfer(key=key):
            if key in cancelled:
                return None
            outcome = judge(step, posted, balances)
            return outcome if isinstance(outcome, TransferPosted | Refusal) else None
        case TakeBack(order):
            if order.key in cancelled:
                return None
            paid = posted.get(order.key)
            if paid is not None and not same_contents(order, paid):
                return Refusal.KEY_REUSED
            fact = cancel(order.key, Unused() if paid is None else Posted(paid), balances, now)
            return replace(fact, cause=order.cause) if isinstance(fact, TransferPosted) else fact
