"""What a refusal says to a player: a text for each reason, in every language."""

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
COUNTED: Final = frozenset({"SHUFFLE_PAUSE", "RATE_LIMIT"})
"""Reasons whose text counts the seconds until another try makes sense."""
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
    if reason not in COUNTED:
        return reason_texts().text(reason, language, metadata)
    seconds = max(1, -(-(retry_after_ms or 0) // 1_000))
    return reason_texts().text(reason, language, {**metadata, "seconds": seconds}, count=seconds)
