"""What was stored once is readable for ever."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.golden_events import add, decoded, event_messages, stored_files

FILES = list(stored_files())


def test_every_event_message_has_an_example() -> None:
    """No event type exists without a file; `python -m tests.support.golden_events` adds it."""
    assert {content["type"] for _, content in FILES} == set(event_messages())


@pytest.mark.parametrize(("path", "content"), FILES, ids=[path.stem for path, _ in FILES])
def test_an_example_decodes_and_encodes_to_itself(path: Path, content: dict[str, Any]) -> None:
    """Stored bytes give the same message as ever, and that message gives the same bytes."""
    data = bytes.fromhex(content["data"])
    message = event_messages()[content["type"]]()
    message.ParseFromString(data)

    assert path.name.startswith(content["type"])
    assert decoded(message) == content["decoded"]
    assert message.SerializeToString(deterministic=True) == data


def test_an_example_is_never_overwritten(tmp_path: Path) -> None:
    """Adding to a file that exists is an error and leaves it alone."""
    path = tmp_path / "x.json"
    path.write_text("kept")

    with pytest.raises(FileExistsError):
        add(next(iter(event_messages())), path)
    assert path.read_text() == "kept"
