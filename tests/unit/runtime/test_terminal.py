"""What people read."""

from __future__ import annotations

import io

from libs.runtime.embedded.failure import LaunchError
from libs.runtime.terminal import Terminal


def shown(width: int = 100) -> tuple[Terminal, io.StringIO]:
    """A terminal and what it shows."""
    output = io.StringIO()
    return Terminal(output, width), output


def test_the_page_holds_every_fact_and_command() -> None:
    """Paths with brackets are shown as they are."""
    terminal, output = shown()
    terminal.page({"data": "/home/[me]/sparrow"}, [("sparrow demo", "bots play")])

    for expected in ("Sparrow serves", "/home/[me]/sparrow", "sparrow demo", "bots play"):
        assert expected in output.getvalue()


def test_a_failure_says_what_why_and_what_to_do() -> None:
    """Message, last lines of the log, advice: in this order."""
    terminal, output = shown()
    terminal.failure(LaunchError("It broke.", advice="Mend it.", log_tail="FATAL: [reason]"))
    text = output.getvalue()

    assert text.index("It broke.") < text.index("FATAL: [reason]") < text.index("Mend it.")


def test_a_step_says_that_it_is_done() -> None:
    """One line with its time."""
    terminal, output = shown()
    with terminal.step("Doing", "Done"):
        pass

    assert output.getvalue().startswith("✓ Done 0.")


def test_a_reader_that_went_away_is_no_error() -> None:
    """`make run | head -1` must not end Sparrow."""

    class Closed(io.StringIO):
        def write(self, _text: str) -> int:
            raise BrokenPipeError

    Terminal(Closed()).say("anybody there?")
