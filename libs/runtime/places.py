"""Where things are by default, apart from the settings, which are slow to import."""

from __future__ import annotations

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
DEFAULT_DATA_DIR = REPOSITORY / ".sparrow"
