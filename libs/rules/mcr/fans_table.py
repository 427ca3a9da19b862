"""The 81 fans of the Mahjong Competition Rules: number in the rule book, English title, points."""

from __future__ import annotations

from typing import Final, NamedTuple


class Fan(NamedTuple):
    """One scoring element."""

    number: int
    """1 to 81, the numbering of the rule book; 82 is MIXED_KONGS."""
    title: str
    points: int
    """For one occurrence."""


FANS: Final = (
    Fan(1, "Big Four Winds", 88),
    Fan(2, "Big Three Dragons", 88),
    Fan(3, "All Green", 88),
    Fan(4, "Nine Gates", 88),
    Fan(5, "Four Kongs", 88),
    Fan(6, "Seven Shifted Pairs", 88),
    Fan(7, "Thirteen Orphans", 88),
    Fan(8, "All Terminals", 64),
    Fan(9, "Little Four Winds", 64),
    Fan(10, "Little Three Dragons", 64),
    Fan(11, "All Honors", 64),
    Fan(12, "Four Concealed Pungs", 64),
    Fan(13, "Pure Terminal Chows", 64),
    Fan(14, "Quadruple Chow", 48),
    Fan(15, "Four Pure Shifted Pungs", 48),
    Fan(16, "Four Pure Shifted Chows", 32),
    Fan(17, "Three Kongs", 32),
    Fan(18, "All Terminals and Honors", 32),
    Fan(19, "Seven Pairs", 24),
    Fan(20, "Greater Honors and Knitted Tiles", 24),
    Fan(21, "All Even Pungs", 24),
    Fan(22, "Full Flush", 24),
    Fan(23, "Pure Triple Chow", 24),
    Fan(24, "Pure Shifted Pungs", 24),
    Fan(25, "Upper Tiles", 24),
    Fan(26, "Middle Tiles", 24),
    Fan(27, "Lower Tiles", 24),
    Fan(28, "Pure Straight", 16),
    Fan(29, "Three-Suited Terminal Chows", 16),
    Fan(30, "Pure Shifted Chows", 16),
    Fan(31, "All Fives", 16),
    Fan(32, "Triple Pung", 16),
    Fan(33, "Three Concealed Pungs", 16),
    Fan(34, "Lesser Honors and Knitted Tiles", 12),
    Fan(35, "Knitted Straight", 12),
    Fan(36, "Upper Four", 12),
    Fan(37, "Lower Four", 12),
    Fan(38, "Big Three Winds", 12),
    Fan(39, "Mixed Straight", 8),
    Fan(40, "Reversible Tiles", 8),
    Fan(41, "Mixed Triple Chow", 8),
    Fan(42, "Mixed Shifted Pungs", 8),
    Fan(43, "Chicken Hand", 8),
    Fan(44, "Last Tile Draw", 8),
    Fan(45, "Last Tile Claim", 8),
    Fan(46, "Out with Replacement Tile", 8),
    Fan(47, "Robbing the Kong", 8),
    Fan(48, "Two Concealed Kongs", 6),
    Fan(49, "All Pungs", 6),
    Fan(50, "Half Flush", 6),
    Fan(51, "Mixed Shifted Chows", 6),
    Fan(52, "All Types", 6),
    Fan(53, "Melded Hand", 6),
    Fan(54, "Two Dragon Pungs", 6),
    Fan(55, "Outside Hand", 4),
    Fan(56, "Fully Concealed Hand", 4),
    Fan(57, "Two Melded Kongs", 4),
    Fan(58, "Last Tile", 4),
    Fan(59, "Dragon Pung", 2),
    Fan(60, "Prevalent Wind", 2),
    Fan(61, "Seat Wind", 2),
    Fan(62, "Concealed Hand", 2),
    Fan(63, "All Chows", 2),
    Fan(64, "Tile Hog", 2),
    Fan(65, "Double Pung", 2),
    Fan(66, "Two Concealed Pungs", 2),
    Fan(67, "Concealed Kong", 2),
    Fan(68, "All Simples", 2),
    Fan(69, "Pure Double Chow", 1),
    Fan(70, "Mixed Double Chow", 1),
    Fan(71, "Short Straight", 1),
    Fan(72, "Two Terminal Chows", 1),
    Fan(73, "Pung of Terminals or Honors", 1),
    Fan(74, "Melded Kong", 1),
    Fan(75, "One Voided Suit", 1),
    Fan(76, "No Honors", 1),
    Fan(77, "Edge Wait", 1),
    Fan(78, "Closed Wait", 1),
    Fan(79, "Single Wait", 1),
    Fan(80, "Self-Drawn", 1),
    Fan(81, "Flower Tiles", 1),
)

MIXED_KONGS: Final = Fan(82, "Concealed Kong and Melded Kong", 5)
"""Counted by players and calculators; the rule book speaks of it under 57 and gives it no number."""
