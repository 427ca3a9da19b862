"""Invitation codes of private games, and codes as links."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Nothing that is easily taken for another: 32 of them, so that every byte chooses one fairly."""
CODE_LETTERS: Final = 8
WRONG_MAX: Final = 10
WRONG_WITHIN: Final = timedelta(minutes=10)
"""Whoever has given `WRONG_MAX` wrong codes within this waits: codes are not to be found by trying."""


def code_of(drawn: bytes) -> str:
    """A code of `CODE_LETTERS` random bytes."""
    assert len(drawn) == CODE_LETTERS, "a byte for each letter"
    return "".join(LETTERS[byte % len(LETTERS)] for byte in drawn)


def as_code(told: str, link: str) -> str | None:
    """A code as it is kept, of a code, or of one behind `link`; None of what can be none.

    Small letters count as capitals, blanks and hyphens do not count.
    """
    code = "".join(letter for letter in told.removeprefix(link).upper() if letter not in " -")
    return code if len(code) == CODE_LETTERS and all(letter in LETTERS for letter in code) else None
