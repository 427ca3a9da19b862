"""The one error of a start that fails: a sentence for the person at the terminal."""

from __future__ import annotations

import errno
from pathlib import Path

# What programs say: the system's own words, and PostgreSQL's hint where a write came out short.
DISK_FULL = ("No space left on device", "no space left on device", "Check free disk space")


_UNUSABLE = {
    errno.EROFS: "it is on a disk that is mounted read-only",
    errno.EACCES: "this user may not write there",
    errno.EPERM: "this user may not write there",
    errno.ENOTDIR: "a part of its path is a file",
    errno.EEXIST: "a part of its path is a file",
}


class LaunchError(Exception):
    """Sparrow cannot start or go on.

    The message says what is wrong, the advice what to do about it; `log_tail` are the last lines of the
    program that failed.
    """

    def __init__(self, message: str, *, advice: str = "", log_tail: str = "") -> None:
        """Keep the parts apart, so that the terminal can set them apart."""
        super().__init__(message)
        self.message = message
        self.advice = advice
        self.log_tail = log_tail


def tail(path: Path, lines: int = 12) -> str:
    """Return the last lines of a log file; nothing where there is no such file."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - 16_384))
            text = file.read().decode(errors="replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])


def failed(program: str, log: Path, what: str) -> LaunchError:
    """Return the error for a program that ended or never became ready, read from its log."""
    log_tail = tail(log)
    if any(words in log_tail for words in DISK_FULL):
        return disk_full(log.parent, log_tail)
    return LaunchError(f"{program} {what}.", advice=f"Its log is {log}.", log_tail=log_tail)


def unusable(folder: Path, error: OSError) -> LaunchError:
    """Return the error for a data folder that the system does not let us use."""
    what = f"{error.filename or folder}: {error.strerror or error}."
    kind = _UNUSABLE.get(error.errno or 0)
    if kind is None:
        return LaunchError(what)
    advice = "Mend that, or choose another folder: SPARROW_DATA_DIR=/path make run."
    return LaunchError(f"The data folder {folder} cannot be used: {kind} ({what})", advice=advice)


def disk_full(folder: Path, log_tail: str = "") -> LaunchError:
    """Return the error for a disk without room."""
    return LaunchError(
        f"The disk that holds {folder} is full.",
        advice="Free some space, or choose another folder: SPARROW_DATA_DIR=/path make run. "
        "Nothing that was stored is lost.",
        log_tail=log_tail,
    )
