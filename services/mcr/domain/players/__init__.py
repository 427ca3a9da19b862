"""AI players. Each knows a view alone, and chooses one of its open decision's actions.

The same view and seed give the same action, in whatever thread or process. STRATEGY.md says how they play.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from services.mcr.domain.deal.actions import Action
from services.mcr.domain.deal.autoplay import Chooser
from services.mcr.domain.deal.terms import AiLevel
from services.mcr.domain.deal.view import DealView
from services.mcr.domain.players.baseline import fastest
from services.mcr.domain.players.planning import Style, planned

STYLES: Final = {
    AiLevel.MIDDLE: Style(caution=0.0, sees_table=False, slips=30),
    AiLevel.STRONG: Style(),
}
"""Of the levels that head for points; the easy one goes for speed alone."""


def choose(level: AiLevel, seed: bytes, view: DealView) -> Action:
    """What an AI player of this level does at the view's open decision."""
    style = STYLES.get(level)
    return planned(style, seed, view) if style is not None else fastest(view)


def chooser(level: AiLevel, seed: bytes) -> Chooser:
    """The player of a seat: it can be pickled, and remembers nothing between its decisions."""
    return partial(choose, level, seed)
