"""On which ports the processes of one machine show their figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from libs.runtime.config import Settings
from libs.runtime.embedded.ports import kept_port

PROCESSES: Final = ("serving", "worker")


def metrics_ports(settings: Settings, data_dir: Path) -> Mapping[str, int]:
    """Return a port per process: the given one and the next, or two that the data folder keeps; 0: none."""
    if settings.metrics_port == 0:
        return {}
    if settings.metrics_port is not None:
        return {name: settings.metrics_port + place for place, name in enumerate(PROCESSES)}
    return {name: kept_port(data_dir / "ports.json", f"metrics-{name}") for name in PROCESSES}
