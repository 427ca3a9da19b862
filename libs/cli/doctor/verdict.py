"""What a check found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at; `ok` is none where there was nothing to look at."""

    name: str
    ok: bool | None
    detail: str
    figures: dict[str, Any] = field(default_factory=dict)
