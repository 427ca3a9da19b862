"""Writes the table of settings into deploy/README.md: `python -m tests.support.readme_settings`."""

from __future__ import annotations

import re

from libs.runtime.shown_settings import settings_table
from tests.support.manifests import DEPLOY

README = DEPLOY / "README.md"
TABLE = re.compile(r"^\| variable \| default \|.*\n(?:\|.*\n)+", re.MULTILINE)


def with_settings(text: str) -> str:
    """Return the README with the table as the code has it."""
    changed, count = TABLE.subn(lambda _: f"{settings_table()}\n", text)
    assert count == 1, "the README has one table of settings"
    return changed


if __name__ == "__main__":
    README.write_text(with_settings(README.read_text()))
