"""What looks like a Latin letter after case folding. Chosen by eye, no full Unicode list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_GROUPS: Final = {
    "a": "\u0430\u03b1\u0251",
    "b": "\u0432\u03b2\u042c\u044c",
    "c": "\u0441\u03f2",
    "d": "\u0501",
    "e": "\u0435\u03b5\u0454",
    "g": "\u0261",
    "h": "\u043d\u04bb\u03b7",
    "j": "\u0458\u03f3",
    "k": "\u043a\u03ba",
    "l": "1i\u0131\u0456\u03b9\u04cf\u01c0",
    "m": "\u043c",
    "n": "\u0578",
    "o": "0\u043e\u03bf\u03c3\u0585",
    "p": "\u0440\u03c1",
    "q": "\u051b",
    "s": "\u0455",
    "t": "\u0442\u03c4",
    "u": "\u03c5\u057d",
    "v": "\u03bd\u0475",
    "w": "\u051d\u03c9",
    "x": "\u0445\u03c7",
    "y": "\u0443\u03b3",
    "z": "\u03b6",
    "r": "\u0433",
}

LOOK_ALIKES: Final[Mapping[str, str]] = {
    other: latin for latin, others in _GROUPS.items() for other in others
}

LOOK_ALIKE_CAPITALS: Final = str.maketrans(
    {"\u0392": "B", "\u0397": "H", "\u039c": "M", "\u039d": "N", "\u03a1": "P", "\u03a5": "Y", "\u03a7": "X"}
)
"""Greek capitals that look like another Latin letter than their small form does."""
