"""What a player may say about another."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

TEXT_MAX: Final = 500
LINES_MAX: Final = 10
DAY: Final = timedelta(days=1)


class ReportReason(StrEnum):
    """What a player is reported for."""

    PERSONAL_INFORMATION = "personal_information"
    AUTOMATION = "automation"
    CONNECTION_EXPLOIT = "connection_exploit"
    ABUSE = "abuse"
    OTHER = "other"


class TextFault(StrEnum):
    """What is wrong with somebody's words."""

    LENGTH = "at most 500 characters"
    LINES = "at most 10 lines"
    INVISIBLE = "no control or invisible characters"


class ReportRefusal(StrEnum):
    """Why there is no report."""

    NOT_FOUND = "NOT_FOUND"
    """The player has never played, or has no seat in that match."""
    ALREADY_REPORTED = "ALREADY_REPORTED"
    """An open report of the same player says so already."""
    RATE_LIMIT = "RATE_LIMIT"


@dataclass(frozen=True, slots=True)
class Report:
    """What one player says about another."""

    report_id: UUID
    reporter: UUID
    reported: UUID
    match_id: UUID | None
    reason: ReportReason
    text: str
    """Free text: to be escaped wherever it is shown."""
    at: datetime
    closed: Closing | None = None


@dataclass(frozen=True, slots=True)
class Closing:
    """How an operator closed a report."""

    by: str
    finding: str
    at: datetime


def parse_text(raw: str) -> str | TextFault:
    """Return words in composed form, without outer blanks; or what is wrong with them."""
    if len(raw) > TEXT_MAX:
        return TextFault.LENGTH
    text = unicodedata.normalize("NFC", raw.replace("\r\n", "\n")).strip()
    lines = text.split("\n")
    if len(lines) > LINES_MAX:
        return TextFault.LINES
    if any(_is_invisible(character) for line in lines for character in line):
        return TextFault.INVISIBLE
    return text if len(text) <= TEXT_MAX else TextFault.LENGTH


def _is_invisible(character: str) -> bool:
    """Control, format, surrogate, private and unassigned characters, and line and paragraph separators.

    Two format characters stay, since words of Persian and emoji need them.
    """
    category = unicodedata.category(character)
    return (category[0] == "C" and character not in "\u200c\u200d") or category in ("Zl", "Zp")
