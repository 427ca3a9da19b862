"""Mahjong Competition Rules."""
