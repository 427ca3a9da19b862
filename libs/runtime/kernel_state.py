"""What people are told about the solver: the compiled kernel, or the definition in Python."""

from __future__ import annotations

from libs.kernel import native

SLOW = "NOT BUILT: Python decides positions, a thousand times slower. Install gcc or clang, then `make setup`"


def kernel_state() -> str:
    """One line about this installation."""
    return "native" if native() else SLOW
