"""A gate that the foreground process opens for its children: they import meanwhile, which takes a second."""

from __future__ import annotations

import os
import time
from pathlib import Path

GATE_VARIABLE = "SPARROW_GATE_FILE"
"""Names a file; the process that is told of it goes on once the file is there."""
_LOOK_EVERY_S = 0.01


def wait_at_gate() -> None:
    """Return once the gate is open; at once where there is none. Its keeper ends those it never lets in."""
    name = os.environ.get(GATE_VARIABLE)
    while name and not Path(name).exists():
        time.sleep(_LOOK_EVERY_S)
