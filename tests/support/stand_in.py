"""A foreground process with stand-ins for services: `stand_in.py foreground|serve|gated|work|broken|deaf`.

The servers, the keys, the supervision and the terminal are the real ones. The stand-in services do as little
as a service can: the serving one answers health checks, and each writes a line when told to stop.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import sys

import asyncpg

from libs.runtime.config import Settings
from libs.runtime.gate import GATE_VARIABLE, wait_at_gate


def main(role: str) -> int:
    """Play the role given."""
    if role == "foreground":
        return _foreground()
    if role == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        asyncio.run(_serve(listen_to_stop=False))
    if role == "broken":
        sys.exit("the stand-in cannot start: its configuration is missing")
    if role == "gated":
        assert GATE_VARIABLE in os.environ
        wait_at_gate()
    asyncio.run(_serve() if role in ("serve", "gated") else _wait_for_stop())
    sys.stdout.write(f"{role} drained\n")
    return 0


def _foreground() -> int:
    from libs.runtime.foreground import Programs, launch_with
    from libs.runtime.terminal import Terminal

    serve = os.environ.get("STAND_IN_SERVE", "serve")
    programs = Programs(
        serve=(sys.executable, __file__, serve), work=(sys.executable, __file__, "work"), migrate=_migrate
    )
    then = os.environ.get("STAND_IN_THEN")
    return launch_with(programs, Terminal(), Settings(), then=shlex.split(then) if then else None)


def _migrate(database_url: str) -> None:
    from libs.runtime.foreground import GATE_FILE

    gate = Settings().data_dir / GATE_FILE
    assert not gate.exists(), "services may go on before the database is up to date"

    async def count_start() -> None:
        connection = await asyncpg.connect(database_url)
        await connection.execute("CREATE TABLE IF NOT EXISTS start (at timestamptz DEFAULT now())")
        await connection.execute("INSERT INTO start DEFAULT VALUES")
        await connection.close()

    asyncio.run(count_start())


async def _serve(*, listen_to_stop: bool = True) -> None:
    import grpc
    from grpc_health.v1 import health, health_pb2, health_pb2_grpc

    server = grpc.aio.server()
    servicer = health.aio.HealthServicer()
    await servicer.set("", health_pb2.HealthCheckResponse.SERVING)
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    server.add_insecure_port(f"{os.environ['SPARROW_HOST']}:{os.environ['SPARROW_PORT']}")
    await server.start()
    if not listen_to_stop:
        await asyncio.Event().wait()
    await _wait_for_stop()
    await server.stop(grace=1)


async def _wait_for_stop() -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await stop.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
