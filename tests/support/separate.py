"""Sparrow as separate processes: each service alone, match twice, the front door as it is deployed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from libs.runtime.config import REPOSITORY, SERVICES
from libs.runtime.embedded.keys import ensure_keys
from libs.runtime.embedded.ports import free_port
from libs.runtime.health_probe import is_serving

START_S = 60.0
FRONT = REPOSITORY / "deploy" / "envoy" / "envoy.yaml"
PROCESSES = (*SERVICES, "match-2")
"""A process per service, and the second replica of match."""


class SeparateProcesses:
    """Starts every process with a port, settings and log of its own; secrets lie in files."""

    def __init__(self, home: Path, database_url: str, nats_url: str) -> None:
        """Choose ports and write the files; nothing is started."""
        self.home = home
        self.ports = {name: free_port(f"{home}/{name}") for name in (*PROCESSES, "front")}
        self.endpoint = f"127.0.0.1:{self.ports['front']}"
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        ensure_keys(home / "keys")
        (home / "secrets").mkdir()
        (home / "secrets" / "database_url").write_text(f"{database_url}\n")
        (home / "secrets" / "nats_url").write_text(f"{nats_url}\n")
        (home / "envoy.yaml").write_text(yaml.safe_dump(front_door(self.ports)))

    def start(self) -> None:
        """Start all, and wait until each says SERVING, through the front door too."""
        for name in PROCESSES:
            self.start_service(name)
        program = str(Path(sys.executable).with_name("envoy"))
        quiet = ("--disable-hot-restart", "--concurrency", "1", "--log-level", "warn")
        self._spawn("front", [program, "-c", str(self.home / "envoy.yaml"), *quiet], {})
        for name in (*PROCESSES, "front"):
            self.wait_serving(name)

    def start_service(self, name: str) -> None:
        """Start one process, without waiting."""
        command = [sys.executable, "-m", f"services.{name.removesuffix('-2')}"]
        self._spawn(name, command, self.settings(name))

    def settings(self, name: str) -> dict[str, str]:
        """Return the environment of one process: nothing in it is secret."""
        addresses = {service: self.address(service) for service in SERVICES}
        addresses["match"] = f"ipv4:{self.address('match')},{self.address('match-2')}"
        return {
            "SPARROW_PORT": str(self.ports[name]),
            "SPARROW_SERVICE_ADDRESSES": json.dumps(addresses),
            "SPARROW_SECRETS_DIR": str(self.home / "secrets"),
            "SPARROW_KEYS_DIR": str(self.home / "keys"),
            "SPARROW_DATA_DIR": str(self.home / "absent"),
        }

    def address(self, name: str) -> str:
        """Where one process listens."""
        return f"127.0.0.1:{self.ports[name]}"

    def wait_serving(self, name: str) -> None:
        """Wait until a process says SERVING."""
        deadline = time.monotonic() + START_S
        while not is_serving(self.address(name)):
            assert self._running[name].poll() is None, self.log(name)
            assert time.monotonic() < deadline, f"{name} never served:\n{self.log(name)}"
            time.sleep(0.05)

    def kill(self, name: str) -> None:
        """Kill -9 one process."""
        self._running[name].kill()
        self._running.pop(name).wait()

    def stop(self, name: str) -> int:
        """Ask one process to stop; return its exit code."""
        process = self._running.pop(name)
        process.send_signal(signal.SIGTERM)
        return process.wait(timeout=30)

    def log(self, name: str) -> str:
        """Return what one process has said."""
        return (self.home / f"{name}.log").read_text(errors="replace")

    def calls(self, name: str, method: str) -> int:
        """How many calls of a method one process has answered with OK."""
        lines = [line for line in self.log(name).splitlines() if line.startswith("{")]
        told = [json.loads(line) for line in lines]
        return sum(call.get("method", "").endswith(f"/{method}") and call["code"] == "OK" for call in told)

    def remove(self) -> None:
        """End everything."""
        for process in self._running.values():
            process.kill()
        for process in self._running.values():
            process.wait()

    def _spawn(self, name: str, command: list[str], settings: Mapping[str, str]) -> None:
        bare = {key: value for key, value in os.environ.items() if not key.startswith("SPARROW_")}
        with (self.home / f"{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(
                command, cwd=REPOSITORY, env={**bare, **settings}, stdout=log, stderr=log
            )


def front_door(ports: Mapping[str, int]) -> dict[str, Any]:
    """Return the configuration that is deployed, with only its addresses changed to these ports."""
    deployed: dict[str, Any] = yaml.safe_load(FRONT.read_text())
    told = deployed["static_resources"]
    told["listeners"][0]["address"] = _address(ports["front"])
    for cluster in told["clusters"]:
        replicas = [port for name, port in ports.items() if name.removesuffix("-2") == cluster["name"]]
        places = [{"endpoint": {"address": _address(port)}} for port in replicas]
        cluster["load_assignment"]["endpoints"] = [{"lb_endpoints": places}]
    return deployed


def _address(port: int) -> dict[str, Any]:
    return {"socket_address": {"address": "127.0.0.1", "port_value": port}}
