"""Hands that rule sentences are shown on."""

from __future__ import annotations

from typing import Final

from tests.support.mcr_deals import JUNK

STRAIGHT: Final = "1s 2s 3s 4s 5s 6s 7s 8s 9s 2m 3m C C"
"""Waits for 1m and 4m: a pure straight, at least 16 points."""
OTHER_STRAIGHT: Final = "1p 2p 3p 4p 5p 6p 7p 8p 9p 5m 6m F F"
"""Waits for 4m and 7m: a pure straight, at least 16 points."""
CHEAP: Final = "1p 2p 3p 5p 6p 7p 4s 5s 6s 2m 3m E E"
"""Waits for 1m and 4m, for less than 8 points."""


def hands(**named: str) -> tuple[str, ...]:
    """Four hands by seat, `s0` to `s3`; those that are not named are far from everything."""
    return tuple(named.get(f"s{seat}", junk) for seat, junk in enumerate(JUNK))
