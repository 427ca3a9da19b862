"""Become another program that dies with its parent: `tether.py PARENT SIGNAL UID GID PROGRAM ARGUMENT…`.

A script, run by the interpreter in isolated mode, and not a `preexec_fn`: code between fork and exec is
unsafe in a process with threads, and gRPC has threads. The order matters: the kernel forgets the death signal
when the user changes. UID -1 keeps the user.
"""

from __future__ import annotations

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1


def main(parent: int, signal_number: int, uid: int, gid: int, command: list[str]) -> None:
    """Drop to the user, tie this process to its parent, and turn into the command."""
    if uid >= 0:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0)
    if os.getppid() != parent:  # it died before the tie was made
        sys.exit(1)
    try:
        os.execv(command[0], command)  # noqa: S606 no shell is wanted
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:5]), sys.argv[5:])  # type: ignore[call-arg, arg-type] # four integers
