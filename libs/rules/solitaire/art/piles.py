"""Drawings as piles: how high the tiles lie on each place."""

from __future__ import annotations

from libs.rules.solitaire.catalogue_art import Drawing


def piles(rows: str, *raised: tuple[int, int, int, str]) -> Drawing:
    """A drawing whose digits say how many tiles lie on each other, from level 0; and parts besides."""
    return ((0, 0, 0, rows), *raised)
