"""What a newcomer types first."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_make_alone_explains_every_target() -> None:
    """The help is drawn from the Makefile, so that it cannot forget a target that people may call."""
    makefile = (ROOT / "Makefile").read_text()
    listed = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    shown = subprocess.run(["make", "-C", str(ROOT)], capture_output=True, text=True, check=True).stdout

    assert listed is not None
    assert [target for target in listed.group(1).split() if f"make {target} " not in shown] == []


def test_a_changed_module_is_compiled_before_anything_runs() -> None:
    """Processes that may not write bytecode would compile everything at each start, for seconds."""
    command = ["make", "-C", str(ROOT), "-n", "-W", "services/__main__.py", "setup"]
    planned = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert "-m compileall -q -j 0 libs services" in planned
    assert "--compile-bytecode" in (ROOT / "Makefile").read_text()
