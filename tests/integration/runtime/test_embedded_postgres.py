"""The embedded PostgreSQL after interruptions, in awkward places, and beside strangers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from libs.runtime.embedded.failure import LaunchError
from libs.runtime.embedded.place import can_enter, find_place, server_user
from libs.runtime.embedded.postgres import EmbeddedPostgres
from tests.support.foreground import wait_until

PLACE_PROGRAM = """
import sys
from pathlib import Path
from libs.runtime.embedded.postgres import EmbeddedPostgres
EmbeddedPostgres(Path(sys.argv[1]), Path(sys.argv[1]) / "postgres.log").initialise()
"""


@pytest.fixture
def outside() -> Iterator[Path]:
    """A folder that takes the part of /var/lib/sparrow."""
    folder = Path(tempfile.mkdtemp(prefix="sparrow-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def server_in(data_dir: Path) -> EmbeddedPostgres:
    """A server as the foreground process makes it, without flushes."""
    return EmbeddedPostgres(data_dir, data_dir / "postgres.log", durable=False)


def test_an_interrupted_initdb_is_done_anew(data_dir: Path) -> None:
    """Kill -9 in the middle of making the cluster leaves half a folder, never taken for a whole one."""
    maker = subprocess.Popen([sys.executable, "-c", PLACE_PROGRAM, str(data_dir)])
    half = data_dir / "postgres" / "data.part"
    wait_until((half / "PG_VERSION").exists)
    maker.kill()
    maker.wait()
    server = server_in(data_dir)
    was_initialised = server.is_initialised()
    server.start()
    server.stop()

    assert not was_initialised
    assert not half.exists()


def test_a_pid_file_that_names_a_stranger_is_no_obstacle(data_dir: Path) -> None:
    """After a restart of the machine the number in postmaster.pid may be any process's: here this test's."""
    server = server_in(data_dir)
    server.start()
    pid_file = server.place.data / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    server.kill()
    wait_until(lambda: not _backends(server))
    pid_file.write_text("\n".join([str(os.getpid()), *lines[1:]]))
    server.start()
    server.stop()


def test_two_servers_never_share_one_folder(data_dir: Path) -> None:
    """The second is refused in words, however it came to the folder."""
    first = server_in(data_dir)
    first.start()
    try:
        with pytest.raises(LaunchError, match="in use by another Sparrow"):
            server_in(data_dir).start()
        assert first.is_ready()
    finally:
        first.stop()


def test_data_of_another_major_version_is_refused(data_dir: Path) -> None:
    """It is left alone, and the message names both versions."""
    server = server_in(data_dir)
    server.place.data.mkdir()
    (server.place.data / "PG_VERSION").write_text("12\n")

    with pytest.raises(LaunchError, match="written by PostgreSQL 12"):
        server.start()


def test_a_full_disk_while_starting_is_said_in_words(data_dir: Path) -> None:
    """What PostgreSQL writes about a full disk becomes our message."""
    server = server_in(data_dir)
    server.initialise()
    fake = data_dir / "full"
    fake.write_text("#!/bin/sh\necho 'FATAL: could not write: No space left on device' >&2; exit 1\n")
    fake.chmod(0o755)
    server.child.command = [str(fake)]

    with pytest.raises(LaunchError, match="is full"):
        server.start()


if os.geteuid() == 0:

    def test_root_hands_postgres_to_another_user() -> None:
        """PostgreSQL does not run as root; an ordinary user runs it as itself."""
        user = server_user(0)

        assert user is not None
        assert user.uid != 0
        assert server_user(1000) is None

    def test_data_out_of_reach_moves_outside_and_is_found_again(data_dir: Path, outside: Path) -> None:
        """A closed folder gets a link; data from before the folder was closed goes along."""
        user = server_user(0)
        assert user is not None
        open_place = find_place(data_dir, user, outside)
        (open_place.folder / "data").mkdir()
        (open_place.folder / "data" / "kept").write_text("rows")
        data_dir.chmod(0o700)
        moved = find_place(data_dir, user, outside)
        data_dir.chmod(0o755)
        again = find_place(data_dir, user, outside)

        assert open_place.folder == data_dir / "postgres"
        assert moved.folder.parent == outside
        assert (again.folder, again.user) == (moved.folder, user)
        assert (again.folder / "data" / "kept").read_text() == "rows"
        assert can_enter(user, again.folder)

    def test_a_start_interrupted_between_move_and_link_finds_its_data(data_dir: Path, outside: Path) -> None:
        """The folder outside belongs to this data folder and is taken up again."""
        user = server_user(0)
        data_dir.chmod(0o700)
        place = find_place(data_dir, user, outside)
        (place.folder / "data").mkdir()
        (data_dir / "postgres").unlink()
        again = find_place(data_dir, user, outside)

        assert again.folder == place.folder
        assert again.data.is_dir()

    def test_a_link_that_leads_nowhere_is_said_and_not_papered_over(data_dir: Path, outside: Path) -> None:
        """An empty database in place of lost data would be a lie."""
        data_dir.chmod(0o700)
        place = find_place(data_dir, server_user(0), outside)
        shutil.rmtree(place.folder)

        with pytest.raises(LaunchError, match="which is gone"):
            find_place(data_dir, server_user(0), outside)

    def test_a_clone_that_is_closed_to_others_works(data_dir: Path, outside: Path) -> None:
        """Under /root, say: programs are copied once, data lives outside, and the server runs."""
        package = server_in(data_dir).bin_dir.parents[1]
        closed = data_dir / "closed"
        for folder in (package, package.with_name(f"{package.name}.libs")):
            shutil.copytree(folder, closed / folder.name, symlinks=True)
        closed.chmod(0o700)
        bin_dir, log = closed / package.name / "pginstall" / "bin", data_dir / "postgres.log"
        servers = [
            EmbeddedPostgres(closed, log, bin_dir=bin_dir, durable=False, reachable_root=outside)
            for _ in range(2)
        ]
        for server in servers:
            server.start()
            server.stop()

        assert servers[0].bin_dir.is_relative_to(outside)
        assert servers[1].place.folder.is_relative_to(outside)
        assert len(list(outside.glob("postgresql-*"))) == 1


def _backends(server: EmbeddedPostgres) -> list[str]:
    """The processes that still work in the server's data folder."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if (entry / "cwd").readlink() == server.place.data:
                found.append(entry.name)
        except OSError:
            continue
    return found
