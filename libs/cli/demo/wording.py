"""Numbers with their nouns: one arena, several arenas."""

from __future__ import annotations


def counted(count: int, one: str, several: str = "") -> str:
    """Return a number with its noun; `several` where an s does not make it."""
    return f"{count} {one if count == 1 else several or f'{one}s'}"
