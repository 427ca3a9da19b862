"""Small parts of the embedded launcher."""

from __future__ import annotations

import os
import signal
import socket
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from libs.runtime.data_folder import DataFolder
from libs.runtime.embedded.child import Child, bound_log
from libs.runtime.embedded.failure import LaunchError, failed, tail
from libs.runtime.embedded.keys import KEY_NAMES, PAGE_SECRET, ensure_keys
from libs.runtime.embedded.lock import FileLock
from libs.runtime.embedded.ports import free_port, is_free, kept_port


def test_keys_are_made_once_private_and_as_pairs(tmp_path: Path) -> None:
    """Each public file belongs to its private one, and a second call changes nothing."""
    ensure_keys(tmp_path / "keys")
    before = {path.name: path.read_bytes() for path in (tmp_path / "keys").iterdir()}
    ensure_keys(tmp_path / "keys")
    after = {path.name: path.read_bytes() for path in (tmp_path / "keys").iterdir()}

    assert before == after
    assert set(after) == {f"{name}.{end}" for name in KEY_NAMES for end in ("key", "pub")} | {PAGE_SECRET}
    assert len(bytes.fromhex(after[PAGE_SECRET].decode())) == 32
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "keys").iterdir()} == {0o600}
    for name in KEY_NAMES:
        key = load_pem_private_key(after[f"{name}.key"], password=None)
        assert isinstance(key, Ed25519PrivateKey)
        public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        assert public == after[f"{name}.pub"]


def test_a_pair_that_was_interrupted_mends_itself(tmp_path: Path) -> None:
    """A lost public file is derived again; the private key stays."""
    ensure_keys(tmp_path)
    public = (tmp_path / "account.pub").read_bytes()
    (tmp_path / "account.pub").unlink()
    ensure_keys(tmp_path)

    assert (tmp_path / "account.pub").read_bytes() == public


def test_a_damaged_public_half_is_derived_again(tmp_path: Path) -> None:
    """Processes verify with what the private key really signs."""
    ensure_keys(tmp_path)
    public = (tmp_path / "account.pub").read_bytes()
    (tmp_path / "account.pub").write_bytes(b"\xff garbage")
    ensure_keys(tmp_path)

    assert (tmp_path / "account.pub").read_bytes() == public


@pytest.mark.parametrize("name", ["account.key", "operator.key", PAGE_SECRET])
@pytest.mark.parametrize("content", [b"", b"garbage", b"\xff\x00\x80", b"-----BEGIN PRIVATE KEY-----\n"])
def test_a_damaged_secret_is_named_and_left_alone(tmp_path: Path, name: str, content: bytes) -> None:
    """A sentence with the file; nobody's key is overwritten, since it may be all that is left of it."""
    ensure_keys(tmp_path)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(LaunchError, match=f"{name} is damaged"):
        ensure_keys(tmp_path)

    assert (tmp_path / name).read_bytes() == content


def test_a_kept_port_stays_until_somebody_else_takes_it(tmp_path: Path) -> None:
    """Restarts keep the address; a stranger on the port leads to another, which is kept from then on."""
    record = tmp_path / "ports.json"
    first = kept_port(record, "postgres")
    again = kept_port(record, "postgres")
    with socket.create_server(("127.0.0.1", first)):
        other = kept_port(record, "postgres")

    assert first == again
    assert other != first
    assert kept_port(record, "postgres") == other


def test_a_damaged_port_record_is_written_anew(tmp_path: Path) -> None:
    """Half a file is no reason not to start."""
    record = tmp_path / "ports.json"
    for text in ('{"postgres": 1', "[1]", '{"postgres": "x"}', '{"postgres": 99999}'):
        record.write_text(text)

        assert is_free(kept_port(record, "postgres"))


def test_free_ports_lie_below_outgoing_connections() -> None:
    """A client that dials a dead server must not be able to connect to itself."""
    assert 15_000 <= free_port("any") < 32_000


def test_a_lock_is_held_once_and_can_be_taken_again(tmp_path: Path) -> None:
    """Also by the same process."""
    held = FileLock.take(tmp_path / "lock")

    assert held is not None
    assert FileLock.take(tmp_path / "lock") is None
    held.release()
    again = FileLock.take(tmp_path / "lock")
    assert again is not None
    again.release()


def test_a_log_that_grew_keeps_its_end(tmp_path: Path) -> None:
    """The older part is dropped, the writer goes on in an empty file."""
    log = tmp_path / "nats.log"
    log.write_bytes(b"old " * 100 + b"the end")
    bound_log(log, bytes_max=7)

    assert log.read_bytes() == b""
    assert (tmp_path / "nats.log.1").read_bytes() == b"the end"


def test_the_tail_of_a_log_is_its_last_lines(tmp_path: Path) -> None:
    """A log that is not there has none."""
    log = tmp_path / "x.log"
    log.write_text("\n".join(str(number) for number in range(100)))

    assert tail(log, lines=3) == "97\n98\n99"
    assert tail(tmp_path / "absent.log") == ""


def test_a_full_disk_in_a_log_is_recognised(tmp_path: Path) -> None:
    """Any program's own words for it."""
    log = tmp_path / "nats.log"
    for words in ("write error: No space left on device", "HINT:  Check free disk space."):
        log.write_text(f"{words}\n")

        assert "is full" in failed("NATS", log, "did not start").message


def test_a_child_is_told_apart_by_how_it_stops(tmp_path: Path) -> None:
    """One that listens to the stop signal stops by itself; one that does not is killed."""
    polite = Child("polite", ["/bin/sleep", "60"], tmp_path / "polite.log")
    polite.start()
    deaf = Child("deaf", ["/bin/sh", "-c", "trap '' TERM; echo up; sleep 60"], tmp_path / "deaf.log")
    deaf.start()
    while "up" not in tail(deaf.log):
        assert deaf.is_running()

    assert polite.stop(timeout_s=5)
    assert not deaf.stop(timeout_s=0.1)
    assert not deaf.is_running()
    assert deaf.process is not None
    assert deaf.process.returncode == -signal.SIGKILL


def test_the_announcement_of_a_run_goes_with_it(tmp_path: Path) -> None:
    """Written while it runs, only for its owner's eyes, removed at the end."""
    folder = DataFolder.take(tmp_path / "data", free_space_min_mib=0)
    folder.announce({"pid": os.getpid(), "endpoint": "127.0.0.1:1"})
    path = tmp_path / "data" / "run.json"
    mode = stat.S_IMODE(path.stat().st_mode)
    folder.release()

    assert mode == 0o600
    assert not path.exists()
