"""Choosers for AI seats. Each knows a view alone, and chooses one of its open decision's actions."""
