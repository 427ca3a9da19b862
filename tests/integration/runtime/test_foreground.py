"""The foreground process: starts, restarts what dies, stops what it started, and speaks in words."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import time
from pathlib import Path

import asyncpg
import psutil
import pytest

from libs.runtime.data_folder import read_announcement
from tests.support.foreground import ForegroundProcess, living, wait_until

pytestmark = pytest.mark.timeout(400)


def test_it_serves_tells_where_things_are_and_stops_on_ctrl_c(data_dir: Path) -> None:
    """The page names endpoint, folders and next steps; Ctrl-C drains in order, exits 0 and leaves nothing."""
    sparrow = ForegroundProcess(data_dir)
    sparrow.start()
    family = sparrow.descendants()
    wait_until(lambda: len(sparrow.descendants()) >= 4)
    code, output = sparrow.stop()

    assert code == 0
    for expected in (
        f"127.0.0.1:{sparrow.port}",
        str(data_dir),
        "logs",
        "PostgreSQL",
        "NATS",
        "sparrow demo",
        "Ctrl-C",
    ):
        assert expected in output
    stopped = [line.removesuffix(" stopped.") for line in output.splitlines() if line.endswith(" stopped.")]
    assert stopped == ["The serving process", "The worker process", "NATS", "PostgreSQL"]
    assert "serve drained" in (data_dir / "logs" / "serving.log").read_text()
    assert living(family) == []
    assert read_announcement(data_dir) is None
    assert "Traceback" not in output


def test_data_and_addresses_survive_a_restart(data_dir: Path) -> None:
    """A second start finds the rows of the first, on the same ports, with the same keys."""
    counts, addresses, keys = [], [], []
    for _ in range(2):
        sparrow = ForegroundProcess(data_dir)
        sparrow.start()
        facts = sparrow.announcement()
        assert facts is not None
        addresses.append((facts["postgres"], facts["nats"]))
        counts.append(_count_starts(data_dir, facts["postgres"]))
        keys.append((data_dir / "keys" / "account.key").read_bytes())
        assert sparrow.stop(signal.SIGTERM)[0] == 0

    assert counts == [1, 2]
    assert addresses[0] == addresses[1]
    assert keys[0] == keys[1]


@pytest.mark.parametrize("name", ["serving", "worker", "nats", "postgres"])
def test_what_is_killed_serves_again(data_dir: Path, name: str) -> None:
    """Kill -9 of any child is noticed, said, and mended."""
    sparrow = ForegroundProcess(data_dir)
    sparrow.start()
    killed = sparrow.child(name)
    os.kill(killed, signal.SIGKILL)
    wait_until(lambda: sparrow.child(name) != killed and sparrow.is_serving())
    if name == "postgres":
        wait_until(lambda: _accepts(data_dir))
    wait_until(lambda: name != "nats" or _listens(sparrow, "nats"))
    _, output = sparrow.stop()

    assert "was ended by signal 9; it is started again." in output


def test_kill_9_of_the_foreground_leaves_no_orphan_and_the_next_start_recovers(data_dir: Path) -> None:
    """Every child goes with its parent; locks and pid files left behind do not stand in the way."""
    sparrow = ForegroundProcess(data_dir)
    sparrow.start()
    family = sparrow.descendants()
    sparrow.stop(signal.SIGKILL)
    again = ForegroundProcess(data_dir, SPARROW_PORT=str(sparrow.port))
    again.start()
    facts = again.announcement()
    assert facts is not None
    starts = _count_starts(data_dir, facts["postgres"])
    again.stop()

    assert len(family) >= 4
    assert living(family) == []
    assert starts == 2


def test_a_second_start_on_the_same_folder_says_who_has_it(data_dir: Path) -> None:
    """It names process and endpoint, exits 1 and disturbs nothing."""
    first = ForegroundProcess(data_dir)
    first.start()
    code, output = ForegroundProcess(data_dir).run()
    facts = first.announcement()

    assert code == 1
    assert "already runs" in output
    assert facts is not None
    assert str(facts["pid"]) in output
    assert facts["endpoint"] in output
    assert "Traceback" not in output
    assert first.is_serving()
    assert first.stop()[0] == 0


def test_a_port_in_use_is_named_with_another_to_choose(data_dir: Path) -> None:
    """Exit 1, the port, and a command that works."""
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        port = stranger.getsockname()[1]
        code, output = ForegroundProcess(data_dir, SPARROW_PORT=str(port)).run()

    assert code == 1
    assert f"Port {port} on 127.0.0.1 is in use" in output
    assert "SPARROW_PORT=" in output
    assert "Traceback" not in output


def test_a_full_disk_is_said_before_anything_starts(data_dir: Path) -> None:
    """Too little free space: a clear message and exit 1."""
    code, output = ForegroundProcess(data_dir, SPARROW_FREE_SPACE_MIN_MIB=str(10**9)).run()

    assert code == 1
    assert "is full" in output
    assert "Traceback" not in output


def test_a_damaged_key_is_said_before_anything_starts(data_dir: Path) -> None:
    """The file, what to do, exit 1; no server is started for it."""
    (data_dir / "keys").mkdir()
    for name in ("account.key", "account.pub"):
        (data_dir / "keys" / name).write_bytes(b"\xff garbage")
    code, output = ForegroundProcess(data_dir).run()

    assert code == 1
    assert "account.key is damaged" in "".join(output.splitlines())
    assert "PostgreSQL" not in output
    assert "Traceback" not in output


def test_a_service_that_cannot_start_shows_the_end_of_its_log(data_dir: Path) -> None:
    """The reason of the child is what the person sees, and the servers are stopped again."""
    code, output = ForegroundProcess(data_dir, STAND_IN_SERVE="broken").run()

    assert code == 1
    assert "its configuration is missing" in output
    assert "PostgreSQL stopped." in output
    assert "Traceback" not in output


@pytest.mark.parametrize(("command", "expected"), [("true", 0), ("false", 1), ("sh -c 'exit 7'", 7)])
def test_a_command_to_run_then_gives_its_exit_code(data_dir: Path, command: str, expected: int) -> None:
    """`--then`: Sparrow starts, runs the command, stops, and passes its exit code on."""
    code, output = ForegroundProcess(data_dir, STAND_IN_THEN=command).run()

    assert code == expected
    assert "PostgreSQL stopped." in output


def test_a_second_ctrl_c_hurries(data_dir: Path) -> None:
    """A service that does not listen is killed when the person asks twice, however long its grace is."""
    longer_than_the_test_ms = str(3_600_000)
    sparrow = ForegroundProcess(
        data_dir, STAND_IN_SERVE="deaf", SPARROW_DRAIN_GRACE_MS=longer_than_the_test_ms
    )
    sparrow.start()
    sparrow.send(signal.SIGINT)
    time.sleep(0.3)  # two signals at once would be one
    code, output = sparrow.stop()

    assert code == 0
    assert "The serving process was killed" in output


def test_an_address_that_is_not_ours_is_said_in_words(data_dir: Path) -> None:
    """Not every address that cannot be listened on is in use."""
    code, output = ForegroundProcess(data_dir, SPARROW_HOST="192.0.2.1").run()

    assert code == 1
    assert "Cannot listen on 192.0.2.1" in output


def test_ctrl_c_while_starting_stops_what_was_started(data_dir: Path) -> None:
    """An impatient person gets exit 0 and no orphan, and the next start is whole."""
    sparrow = ForegroundProcess(data_dir)
    sparrow.spawn()
    wait_until(lambda: len(sparrow.descendants()) > 0)
    family = sparrow.descendants()
    code, output = sparrow.stop()
    wait_until(lambda: not living(family))

    assert code == 0
    assert "Traceback" not in output
    again = ForegroundProcess(data_dir)
    again.start()
    assert again.stop()[0] == 0


def _password(data_dir: Path) -> str:
    return (data_dir / "postgres" / "password").read_text()


def _count_starts(data_dir: Path, address: str) -> int:
    async def count() -> int:
        connection = await asyncpg.connect(f"postgresql://sparrow:{_password(data_dir)}@{address}/sparrow")
        starts = await connection.fetchval("SELECT count(*) FROM start")
        await connection.close()
        return int(starts)

    return asyncio.run(count())


def _accepts(data_dir: Path) -> bool:
    facts = read_announcement(data_dir)
    assert facts is not None
    try:
        return _count_starts(data_dir, str(facts["postgres"])) == 1
    except (OSError, asyncpg.PostgresError):
        return False


def _listens(sparrow: ForegroundProcess, name: str) -> bool:
    facts = sparrow.announcement()
    assert facts is not None
    host, port = str(facts[name]).split(":")
    with socket.socket() as client:
        return client.connect_ex((host, int(port))) == 0 and psutil.pid_exists(sparrow.child(name))


def test_a_nats_of_yours_that_does_not_answer_is_said_on_the_page(data_dir: Path) -> None:
    """Serving goes on from PostgreSQL; the person learns what lags and which setting to look at."""
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        port = stranger.getsockname()[1]
    sparrow = ForegroundProcess(data_dir, SPARROW_NATS_URL=f"nats://user:word@127.0.0.1:{port}")
    sparrow.start()
    code, output = sparrow.stop()

    assert code == 0
    assert f"127.0.0.1:{port} (yours) does not answer" in output
    assert "SPARROW_NATS_URL" in output
    assert "word" not in output.replace("password", "")


def test_services_wait_at_the_gate_until_the_database_is_up_to_date(data_dir: Path) -> None:
    """A gate left by a run that was killed does not let the services of the next one through early."""
    (data_dir / "migrated").touch()
    sparrow = ForegroundProcess(data_dir, STAND_IN_SERVE="gated")
    sparrow.start()
    code, output = sparrow.stop()

    assert code == 0  # the stand-in's migration looks at the gate
    assert output.index("Database is up to date") < output.index("Services answer")


def test_files_that_are_no_database_stop_the_start_at_once(data_dir: Path) -> None:
    """The folder is named, nothing in it is touched, and NATS is stopped again."""
    strangers = data_dir / "postgres" / "data"
    strangers.mkdir(parents=True)
    (strangers / "letter.txt").write_text("mine")
    code, output = ForegroundProcess(data_dir).run()

    assert code == 1
    assert "has no file PG_VERSION" in " ".join(output.replace("│", " ").split())
    assert "SPARROW_DATA_DIR" in output
    assert "NATS stopped." in output
    assert (strangers / "letter.txt").read_text() == "mine"
