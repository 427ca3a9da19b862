"""Mahjong Competition Rules: today the table of fans."""
