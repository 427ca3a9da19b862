"""What a pair and a mistake are worth (modes: round score)."""

from __future__ import annotations

from typing import Final

from services.match.domain.rivals.terms import PairKind

PAIR_WORTH: Final = 100
PACE_WORTH: Final = 200
CRUCIAL_WORTH: Final = 300
JOKER_WORTH: Final = 100
BLOCKED_COST: Final = 100

_WORTH: Final = {
    PairKind.PLAIN: PAIR_WORTH,
    PairKind.PACE: PACE_WORTH,
    PairKind.CRUCIAL: CRUCIAL_WORTH,
    PairKind.JOKER: JOKER_WORTH,
}


def pair_kind(took_ms: int, record_ms: int | None, *, crucial: bool) -> PairKind:
    """Why a pair counts: crucial whatever the pace, else faster than the record, else plain."""
    if crucial:
        return PairKind.CRUCIAL
    return PairKind.PACE if record_ms is not None and took_ms < record_ms else PairKind.PLAIN


def worth_of(kind: PairKind) -> int:
    """The worth of a pair in round score."""
    return _WORTH[kind]


def record_after(took_ms: int, record_ms: int | None) -> int:
    """The record after a pair: the first one sets it, a faster one beats it."""
    return took_ms if record_ms is None else min(took_ms, record_ms)


def after_blocked(score: int) -> int:
    """The round score after a blocked touch; it never drops below 0."""
    return max(0, score - BLOCKED_COST)
