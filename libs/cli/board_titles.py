"""What the boards are called above a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from libs.client.results import BoardKind

TITLES: Final[Mapping[BoardKind, str]] = {
    BoardKind.AMR: "AMR",
    BoardKind.WEEKLY: "Weekly",
    BoardKind.DAILY: "Daily",
    BoardKind.MCR_YEAR: "MCR, year",
    BoardKind.MCR_WEEKLY: "MCR, weekly",
    BoardKind.MCR_DAILY: "MCR, daily",
    BoardKind.MCR_AI_YEAR: "MCR against the AI, year",
    BoardKind.MCR_AI_WEEKLY: "MCR against the AI, weekly",
    BoardKind.MCR_AI_DAILY: "MCR against the AI, daily",
    BoardKind.RACE_RATING: "Race rating",
}
