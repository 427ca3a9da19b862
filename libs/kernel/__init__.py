"""The solver kernel: the answers of `libs.rules.solitaire.solver`, much faster where it is built."""

from libs.kernel.deals import deal, deal_recipe, difficulty, level_deal
from libs.kernel.front import available_pairs, crucial, hint, native, preserving_pairs, solve

__all__ = [
    "available_pairs",
    "crucial",
    "deal",
    "deal_recipe",
    "difficulty",
    "hint",
    "level_deal",
    "native",
    "preserving_pairs",
    "solve",
]
