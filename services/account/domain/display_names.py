"""Display names: what is allowed, and when two names look alike.

A character is what is not a combining mark; the standard library knows no grapheme clusters, so an emoji
made of several code points joined by invisible ones is refused for its invisible parts.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import UUID

from services.account.domain.look_alikes import LOOK_ALIKE_CAPITALS, LOOK_ALIKES
from services.account.domain.words import ADJECTIVES, BIRDS

CHARACTERS_MAX: Final = 24
CODE_POINTS_MAX: Final = 256
"""Of what is sent. Putting marks into their order takes time by the square of their number."""
MARKS_IN_A_ROW_MAX: Final = 2
INVISIBLE: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Shown as nothing though their categories are those of letters, marks and symbols."""
VARIATION_SELECTORS: Final = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")


class NameFault(StrEnum):
    """What is wrong with a name."""

    LENGTH = "1 to 24 characters"
    INVISIBLE = "no control or invisible characters"
    MARKS = "at most two combining marks on a character"
    NO_LETTER = "at least one letter or digit"


@dataclass(frozen=True)
class DisplayName:
    """A name that is allowed."""

    text: str
    """As shown: in compatibility form, outer spaces removed, inner ones single."""
    key: str
    """Two names with the same key look alike; only one of them may exist."""


def parse_display_name(raw: str) -> DisplayName | NameFault:
    """Return the name in its shown form, or what is wrong with it."""
    if len(raw) > CODE_POINTS_MAX:
        return NameFault.LENGTH
    if any(is_invisible(character) for character in raw) or VARIATION_SELECTORS.search(raw):
        return NameFault.INVISIBLE
    text = " ".join(unicodedata.normalize("NFKC", raw).split())
    if any(is_invisible(character) for character in text):
        return NameFault.INVISIBLE
    characters = sum(not unicodedata.category(character).startswith("M") for character in text)
    if not 1 <= characters <= CHARACTERS_MAX:
        return NameFault.LENGTH
    if longest_run_of_marks(unicodedata.normalize("NFD", text)) > MARKS_IN_A_ROW_MAX:
        return NameFault.MARKS
    key = look_alike_key(text)
    return DisplayName(text, key) if key else NameFault.NO_LETTER


def look_alike_key(text: str) -> str:
    """Return what names that look alike share: letters and digits only, without case, marks and script."""
    capitals = unicodedata.normalize("NFKD", text).translate(LOOK_ALIKE_CAPITALS)
    folded = unicodedata.normalize("NFKD", capitals.casefold())
    kept = (character for character in folded if unicodedata.category(character)[0] in "LN")
    return "".join(LOOK_ALIKES.get(character, character) for character in kept)


def default_name(account_id: UUID, attempt: int) -> DisplayName:
    """Return the name that an account begins with: another one for each attempt, since names are unique."""
    digest = hashlib.sha256(account_id.bytes + attempt.to_bytes(4)).digest()
    adjective = ADJECTIVES[int.from_bytes(digest[:4]) % len(ADJECTIVES)]
    bird = BIRDS[int.from_bytes(digest[4:8]) % len(BIRDS)]
    # Numbers grow with the attempts, so that a crowded pair of words always finds a free one.
    number = int.from_bytes(digest[8:16]) % min(10 ** (3 + attempt), 10**6)
    name = parse_display_name(f"{adjective} {bird} {number}")
    assert isinstance(name, DisplayName), "generated names are allowed"
    return name


def is_invisible(character: str) -> bool:
    """Control, format, surrogate, private and unassigned characters, and line and paragraph separators."""
    category = unicodedata.category(character)
    return category[0] == "C" or category in ("Zl", "Zp") or character in INVISIBLE


def longest_run_of_marks(text: str) -> int:
    """Return how many combining marks stand in a row, at most, in decomposed text."""
    longest = run = 0
    for character in text:
        run = run + 1 if unicodedata.category(character).startswith("M") else 0
        longest = max(longest, run)
    return longest
