"""Why a process could not start, in one sentence for a person."""

from __future__ import annotations


class StartupFailure(Exception):
    """The process cannot start. The text is shown to the user as it stands, without a traceback."""
