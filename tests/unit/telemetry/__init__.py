"""Figures, traces and lines by themselves."""
