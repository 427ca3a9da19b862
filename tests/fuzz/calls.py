"""The second half of `make sanitize`: the functions that the interpreter calls itself, asked odd things.

Builds the library with sanitizers and asks through it, in an interpreter that takes its memory piece by
piece, so that every step beside an object is seen. The exit code is not 0 when anything breaks.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys

from libs.runtime.config import REPOSITORY
from tests.fuzz.run import FLAGS, SOURCES


def main() -> int:
    """Build and ask; the asking interpreter's exit code."""
    parser = argparse.ArgumentParser(description="Ask the kernel odd things from Python, under sanitizers.")
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    gcc = shutil.which("gcc")
    if gcc is None:
        sys.exit("the sanitizers need gcc: install it")
    folder = REPOSITORY / "build" / "fuzz"
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / f"kernel-{os.getpid()}.so"
    sources = [str(source) for source in sorted(SOURCES.glob("*.c"))]
    subprocess.run([gcc, *FLAGS, "-fPIC", "-shared", *sources, "-o", str(library)], check=True)
    found = [
        subprocess.run([gcc, f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout
        for name in ("libasan.so", "libubsan.so")
    ]
    sanitized = {
        "LD_PRELOAD": " ".join(name.strip() for name in found),
        "ASAN_OPTIONS": "detect_leaks=0",  # the interpreter's own; references are counted instead
        "PYTHONMALLOC": "malloc",
    }
    asking = [sys.executable, "-m", "tests.fuzz.odd_questions", str(library)]
    done = subprocess.run(
        [*asking, str(arguments.questions), str(arguments.seed)],
        check=False,
        cwd=REPOSITORY,
        env=os.environ | sanitized,
    )
    library.unlink()
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
