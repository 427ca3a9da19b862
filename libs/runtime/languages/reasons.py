"""What a refusal says to a player: a text for each reason, in every language.

Some reasons have texts for variants as well, which say more of the one call: which rule a field broke, what
it is that was not found. Their keys are the reason, a full stop and the variant.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from libs.runtime.languages.catalogue import Catalogue
from libs.runtime.languages.negotiation import Language

FOLDER: Final = Path(__file__).parent / "texts"
DOMAIN: Final = "reasons"
INTERNAL_REASON: Final = "INTERNAL"
"""The reason of what we got wrong; it stands in no table of refusals."""
RULES: Final = frozenset(
    {
        *("RANGE", "MAX", "REQUIRED", "CODE", "TILE", "TILES"),
        *("CHARACTERS", "LINES", "INVISIBLE", "MARKS", "NO_LETTER"),
    }
)
"""Rules that a field may break: the variants of FIELD_INVALID."""
FAULTS: Final = frozenset(
    {
        *("WRONG_COUNT", "TOO_MANY_MELDS", "IMPOSSIBLE_MELD", "FIVE_COPIES", "NO_WIND", "FLOWERS"),
        *("REPLACEMENT_WITHOUT_KONG", "ROBBED_TILE_HELD", "ROBBED_LAST_TILE", "ROBBED_CONCEALED_KONG"),
        "LAST_OF_KIND_HELD",
    }
)
"""Why nobody can hold a hand of MCR: the variants of NOT_A_HAND."""
THINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "players": "PLAYER",
        "clubs": "CLUB",
        "matches": "MATCH",
        "raceGroups": "GROUP",
        "layouts": "LAYOUT",
        "invitations": "INVITATION",
        "boards": "BOARD",
    }
)
"""Collections of names, and the variants of NOT_FOUND for them."""
VARIANTS: Final = frozenset(
    {
        *(f"FIELD_INVALID.{rule}" for rule in RULES),
        *(f"NOT_FOUND.{thing}" for thing in THINGS.values()),
        *(f"NOT_A_HAND.{fault}" for fault in FAULTS),
    }
)
COUNTED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "SHUFFLE_PAUSE": "seconds",
        "RATE_LIMIT": "seconds",
        "FIELD_INVALID.CHARACTERS": "max",
        "FIELD_INVALID.LINES": "max",
    }
)
"""Texts that count something, and the value that is counted."""
SECONDS: Final = "seconds"
"""Until another try makes sense; told by the pause of the refusal."""
_NO_METADATA: Final[Mapping[str, str]] = MappingProxyType({})


@cache
def reason_texts() -> Catalogue:
    """Return the catalogue; it is read from its files once."""
    return Catalogue(FOLDER, DOMAIN)


def reason_text(
    reason: str,
    language: Language,
    metadata: Mapping[str, str] = _NO_METADATA,
    retry_after_ms: int | None = None,
) -> str:
    """Return what a player is told for a reason, "" where no text is laid down.

    The metadata of the refusal are values of its text; begun seconds of the pause count as whole ones, and a
    pause that is not told as one second.
    """
    key = f"{reason}.{_variant(reason, metadata)}"
    if key not in VARIANTS:
        key = reason
    if key not in COUNTED:
        return reason_texts().text(key, language, metadata)
    values: dict[str, object] = {**metadata}
    if COUNTED[key] == SECONDS:
        values[SECONDS] = max(1, -(-(retry_after_ms or 0) // 1_000))
    return reason_texts().text(key, language, values, count=_number(values.get(COUNTED[key])))


def _variant(reason: str, metadata: Mapping[str, str]) -> str:
    match reason:
        case "FIELD_INVALID":
            return metadata.get("rule", "")
        case "NOT_A_HAND":
            return metadata.get("fault", "")
        case "NOT_FOUND":
            return THINGS.get(metadata.get("name", "").partition("/")[0], "")
        case _:
            return ""


def _number(value: object) -> int:
    text = str(value)
    return int(text) if text.isdecimal() else 2
