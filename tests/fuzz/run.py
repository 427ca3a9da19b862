"""`make sanitize` and `make fuzz`: build the kernel and its driver with sanitizers, and run it.

It needs gcc: the compiler of the wheel cannot link the sanitizers. The exit code is not 0 when the compiler
warns, when a recorded answer is not given, or when anything breaks; `build/fuzz/last-<pid>.bin` is the input.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from libs.runtime.config import REPOSITORY
from tests.fuzz.seeds import records

SOURCES = REPOSITORY / "libs" / "kernel" / "src"
HERE = Path(__file__).parent
FLAGS = [
    *("-std=c11", "-O1", "-g", "-fno-omit-frame-pointer", "-Wall", "-Wextra", "-Werror", f"-I{SOURCES}"),
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
]
COVERED = ["-fsanitize-coverage=trace-pc", "-DRESTART_UNIT=8", "-DCLAUSES_START=16"]
"""Restarts and forgetting, which natural positions hardly ever need, happen all the time."""


def compiled(folder: Path) -> Path:
    """The driver, with every source of the kernel. Raises CalledProcessError."""
    folder.mkdir(parents=True, exist_ok=True)
    gcc = shutil.which("gcc")
    if gcc is None:
        sys.exit("the sanitizers need gcc: install it")
    objects = []
    for source in sorted(SOURCES.glob("*.c")):
        objects.append(str(folder / f"{source.stem}-{os.getpid()}.o"))
        subprocess.run([gcc, *FLAGS, *COVERED, "-c", str(source), "-o", objects[-1]], check=True)
    program = folder / f"drive-{os.getpid()}"
    drivers = [str(HERE / name) for name in ("target.c", "mcr_target.c", "mcr_plan_target.c", "drive.c")]
    subprocess.run([gcc, *FLAGS, *drivers, *objects, "-o", str(program)], check=True)
    for name in objects:
        Path(name).unlink()
    return program


def main() -> int:
    """Run the driver; its exit code."""
    parser = argparse.ArgumentParser(description="Run the kernel under sanitizers.")
    parser.add_argument("--seconds", type=int, default=0, help="of processor time (0: no limit)")
    parser.add_argument("--executions", type=int, default=0, help="mutated inputs (0: no limit)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    folder = REPOSITORY / "build" / "fuzz"
    program = compiled(folder)
    seeds, last = folder / f"seeds-{os.getpid()}.bin", folder / f"last-{os.getpid()}.bin"
    seeds.write_bytes(b"".join(records()))
    limits = [str(number) for number in (arguments.seconds, arguments.executions, arguments.seed)]
    done = subprocess.run([str(program), str(seeds), str(last), *limits], check=False)
    seeds.unlink()
    if done.returncode:
        print(f"broken by {last.relative_to(REPOSITORY)}; again: {program} --one {last}", file=sys.stderr)  # noqa: T201
        return 1
    program.unlink()
    last.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
