"""Fault points that replicas count together: whichever makes the passage that was armed dies, alone."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from libs.eventstore.faults import Faults


class SharedFaults(Faults):
    """Armed points of one of several processes, which count passages in files of one folder."""

    def __init__(self, text: str, folder: Path) -> None:
        """Read the value of `SPARROW_FAULT`, the same in all of them; the folder is empty at first."""
        super().__init__(text)
        self._folder = folder

    def passed(self, name: str) -> None:
        """Count one passage of all; act when it is the one, and never after another process did."""
        if name in self._armed:
            action, nth = self._armed[name]
            number = self._counted(name)
            if number < nth:
                return
            if number > nth:
                del self._armed[name]
                return
            self._armed[name] = (action, 1)
        super().passed(name)

    def _counted(self, name: str) -> int:
        """The number of this passage, from 1."""
        counter = os.open(self._folder / name, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(counter, fcntl.LOCK_EX)
            number = int(os.read(counter, 20) or b"0") + 1
            os.pwrite(counter, str(number).encode(), 0)
        finally:
            os.close(counter)
        return number
