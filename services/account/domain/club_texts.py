"""What a club may say of itself."""

from __future__ import annotations

import unicodedata
from enum import StrEnum
from typing import Final

from services.account.domain.display_names import MARKS_IN_A_ROW_MAX, is_invisible, longest_run_of_marks

DESCRIPTION_MAX: Final = 500
LINES_MAX: Final = 10


class TextFault(StrEnum):
    """What is wrong with a description."""

    LENGTH = "at most 500 characters"
    LINES = "at most 10 lines"
    INVISIBLE = "no control or invisible characters"
    MARKS = "at most two combining marks on a character"


def parse_description(raw: str) -> str | TextFault:
    """Return a description in its shown form: composed, without outer blanks; or what is wrong with it."""
    if len(raw) > DESCRIPTION_MAX:  # unread: ordering marks takes time by their square
        return TextFault.LENGTH
    text = unicodedata.normalize("NFC", raw.replace("\r\n", "\n")).strip()
    lines = text.split("\n")
    if len(lines) > LINES_MAX:
        return TextFault.LINES
    if any(is_invisible(character) for line in lines for character in line):
        return TextFault.INVISIBLE
    if longest_run_of_marks(unicodedata.normalize("NFD", text)) > MARKS_IN_A_ROW_MAX:
        return TextFault.MARKS
    return text if len(text) <= DESCRIPTION_MAX else TextFault.LENGTH
