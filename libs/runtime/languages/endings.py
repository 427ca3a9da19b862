"""What a player is told when a stream ends: a text for each reason, in every language."""

from __future__ import annotations

from contextvars import ContextVar
from functools import cache
from typing import Final

from libs.runtime.languages.catalogue import Catalogue
from libs.runtime.languages.negotiation import Language
from libs.runtime.languages.reasons import FOLDER

DOMAIN: Final = "endings"
ENDINGS: Final = frozenset(
    {
        "MATCH_ENDED",
        "SEAT_TAKEN_OVER",
        "SPECTATOR_SEATED",
        "DRAINING",
        "TICKET.MATCHED",
        "TICKET.CANCELLED",
        "TICKET.EXPIRED",
        "REMATCH.BEGUN",
        "REMATCH.DECLINED",
        "REMATCH.EXPIRED",
        "REMATCH.ELSEWHERE",
        "TOURNAMENT.FINISHED",
        "TOURNAMENT.CANCELLED",
    }
)
"""Reasons with which streams end; those of tickets, rematches and tournaments name that first."""
LANGUAGE: ContextVar[Language] = ContextVar("language", default="en")
"""The language of the running call."""


@cache
def ending_texts() -> Catalogue:
    """Return the catalogue; it is read from its files once."""
    return Catalogue(FOLDER, DOMAIN)


def ending_text(reason: str, of: str = "", language: Language | None = None) -> str:
    """Return what a player is told for the end of a stream, in the language of the running call.

    `of` says what ended where that tells more ("TICKET"). A reason without a text has none: "".
    """
    spoken = language or LANGUAGE.get()
    text = ending_texts().text(f"{of}.{reason}", spoken) if of else ""
    return text or ending_texts().text(reason, spoken)
