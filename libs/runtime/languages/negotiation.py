"""Which of our languages a caller reads best, by the `accept-language` that it sends (RFC 9110, 12.5.4)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Literal, get_args

from babel.core import negotiate_locale

Language = Literal["en", "es", "pl", "fa", "ro"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
HEADER: Final = "accept-language"
HEADER_MAX: Final = 1_000
"""Characters that are read; no person has more languages."""
_RANGE: Final = re.compile(
    r"\s*(?P<tag>[A-Za-z]{1,8}(?:[-_][A-Za-z0-9]{1,8})*|\*)\s*(?:;\s*q\s*=\s*(?P<q>[01](?:\.[0-9]{0,3})?)\s*)?"
)


def language_of(metadata: Iterable[tuple[str, str | bytes]] | None, default: Language) -> Language:
    """Return the language for a call with this metadata; the default where it asks for none of ours.

    Never raises: a malformed part of the header is passed over.
    """
    asked = [value for key, value in metadata or () if key == HEADER and isinstance(value, str)]
    return negotiated(", ".join(asked)[:HEADER_MAX], default) if asked else default


@lru_cache(maxsize=512)
def negotiated(header: str, default: Language) -> Language:
    """Return the best language for a header: by weight, then in its order; a region's is its language's."""
    weights = _weights(header)
    refused = {tag.lower() for tag, weight in weights if weight <= 0}
    wanted = [tag for tag, weight in sorted(weights, key=lambda pair: -pair[1]) if weight > 0]
    open_to = [language for language in LANGUAGES if language not in refused]
    for tag in wanted:
        if tag == "*":
            return default if default in open_to or not open_to else open_to[0]
        found = negotiate_locale([tag.lower().replace("_", "-")], open_to, sep="-")
        if found is not None:
            return next(language for language in LANGUAGES if language == found)
    return default


def _weights(header: str) -> list[tuple[str, float]]:
    """Return the well-formed ranges with their weights, in the header's order."""
    matches = [_RANGE.fullmatch(part) for part in header.split(",")]
    return [(match["tag"], float(match["q"] or 1)) for match in matches if match is not None]
