"""The free disk space of the data folder: how much there is, and saying so once when it runs out."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

_LOOK_EVERY_S = 2.0


def free_space_mib(folder: Path) -> int:
    """Return the mebibytes that are free where the folder lies."""
    return shutil.disk_usage(folder).free // (1024 * 1024)


class FreeSpaceWatch:
    """Says once that space is short, and once that there is enough again."""

    def __init__(
        self,
        folder: Path,
        min_mib: int,
        say: Callable[[str], None],
        free_mib: Callable[[Path], int] = free_space_mib,
    ) -> None:
        """Tell people through `say` when less than `min_mib` are free."""
        self._folder = folder
        self._min_mib = min_mib
        self._say = say
        self._free_mib = free_mib
        self._short = False
        self._look_at_s = 0.0

    def tick(self, monotonic_s: float) -> None:
        """Look again every few seconds."""
        if monotonic_s < self._look_at_s:
            return
        self._look_at_s = monotonic_s + _LOOK_EVERY_S
        try:
            free = self._free_mib(self._folder)
        except OSError:  # the folder was taken away: PostgreSQL has more to say about that
            return
        if (short := free < self._min_mib) == self._short:
            return
        self._short = short
        if short:
            self._say(
                f"Only {free} MiB are free on the disk of {self._folder}. "
                "Make room: a full disk stores no moves, and the services stop answering."
            )
        else:
            self._say(f"{free} MiB are free again on the disk of {self._folder}.")
