"""Device keys on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from libs.client.devices import KEY_BYTES, FileDeviceStore, MemoryDeviceStore, stored_key


def test_a_key_is_stored_before_anybody_hears_of_it(tmp_path: Path) -> None:
    """The first use makes a key and keeps it; every later use returns the same."""
    store = FileDeviceStore(tmp_path / "a" / "b" / "me.key")

    key = stored_key(store)

    assert len(key) == KEY_BYTES
    assert stored_key(FileDeviceStore(store.path)) == key
    assert store.path.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in store.path.parent.iterdir()] == ["me.key"]


def test_a_file_that_holds_something_else_is_not_overwritten(tmp_path: Path) -> None:
    """A damaged key is an error that names the file: making a new one would lose the account."""
    path = tmp_path / "me.key"
    path.write_text("not hexadecimal")

    with pytest.raises(ValueError, match=r"me\.key does not hold a device key"):
        stored_key(FileDeviceStore(path))

    assert path.read_text() == "not hexadecimal"


def test_every_memory_store_is_another_player() -> None:
    """Keys are random: two stores never share one."""
    assert stored_key(MemoryDeviceStore()) != stored_key(MemoryDeviceStore())
