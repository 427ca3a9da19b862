"""Builds the kernel: `python libs/kernel/build.py`, which `make setup` does by itself.

With the first of cc, gcc and clang that is there and works; where there is none, with the compiler that comes
as a wheel, fetched for it. Where that fails too, there is no library, one line says so, and set-up goes on:
the Python definition gives the same answers. Nothing is done while sources, flags and compiler stay the same.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).resolve().parent
REPOSITORY: Final = PACKAGE.parents[1]
COMPILERS: Final = ("cc", "gcc", "clang")
FLAGS: Final = ("-O3", "-std=c11", "-fPIC", "-shared")
"""For any machine of the kind: the library may be copied into an image."""
WHEEL_FLAGS: Final = ("-mcpu=baseline",)
"""The wheel's compiler alone would otherwise build for this very processor."""
COMPILER_PATIENCE_S: Final = 300
ADVICE: Final = "install gcc or clang and repeat `make setup`"


@dataclass(frozen=True)
class Places:
    """Where sources are read, where the library goes, and where tools are kept."""

    sources: Path = PACKAGE / "src"
    library: Path = PACKAGE / "_kernel.so"
    tools: Path = REPOSITORY / ".tools"
    pins: Path = PACKAGE / "compiler.lock"

    @property
    def stamp(self) -> Path:
        """What the library was built of: a line for the sources, and one for the compiler."""
        return self.library.with_suffix(".built")


def build(places: Places) -> str | None:
    """Bring the library up to date; what is to be told when there is none afterwards, else None."""
    sources = sorted(places.sources.glob("*.c"))
    digest = _digest(sorted(places.sources.glob("*.[ch]")))
    compilers = [[found] for name in COMPILERS if (found := shutil.which(name))]
    built = _read(places.stamp).splitlines() if places.library.exists() else []
    if len(built) == 2 and built[0] == digest and (not compilers or built[1] == _name(compilers[0])):
        return None
    if not compilers:
        print("Setting up: a compiler for the kernel (once)", flush=True)
        if (refusal := _fetch(places)) is not None:
            return _without(places, f"there is no C compiler, and none can be fetched ({refusal})")
        compilers = [[sys.executable, "-m", "ziglang", "cc", *WHEEL_FLAGS]]
    print("Setting up: kernel", flush=True)
    fault = ""
    for compiler in compilers:
        fault = _compile(compiler, sources, places)
        if not fault:
            # Named by the first that is there, also when a later one had to do it.
            _replace(places.stamp, f"{digest}\n{_name(compilers[0])}\n")
            return None
    return _without(places, f"the C compiler fails ({fault})")


def _digest(files: Sequence[Path]) -> str:
    """Of all that decides what the library does, but for the compiler."""
    told = sha256(f"{platform.system()} {platform.machine()} {' '.join(FLAGS)}".encode())
    for file in files:
        content = file.read_bytes()
        told.update(f"\n{file.name} {len(content)}\n".encode() + content)
    return told.hexdigest()


def _name(compiler: Sequence[str]) -> str:
    """The compiler with its version, on one line."""
    with suppress(OSError, subprocess.SubprocessError):
        told = subprocess.run([*compiler, "--version"], capture_output=True, timeout=60, check=False)
        return " ".join([*compiler, *told.stdout.decode(errors="replace").partition("\n")[0].split()])
    return " ".join(compiler)


def _fetch(places: Places) -> str | None:
    """Have the wheel's compiler in the tools; why that cannot be, else None."""
    target = places.tools / "compiler"
    if (target / "ziglang").is_dir():
        return None
    fresh = places.tools / f"compiler.{os.getpid()}"
    command = [str(places.tools / "bin" / "uv"), "pip", "install", "-q", "-p", sys.executable]
    command += ["--target", str(fresh), "--require-hashes", "--no-deps", "--only-binary", ":all:"]
    command += ["-r", str(places.pins)]
    patience = {"UV_HTTP_TIMEOUT": "20", "UV_HTTP_RETRIES": "1"}
    refusal = _fault(command, os.environ | patience)
    if refusal and _fault([*command, "--system-certs"], os.environ | patience):
        shutil.rmtree(fresh, ignore_errors=True)
        return refusal
    shutil.rmtree(target, ignore_errors=True)
    fresh.rename(target)
    return None


def _compile(compiler: Sequence[str], sources: Sequence[Path], places: Places) -> str:
    """Put a fresh library in the place of the old one, at once; what is wrong with that, else nothing."""
    fresh = places.library.with_suffix(f".{os.getpid()}")
    kept = {"PYTHONPATH": str(places.tools / "compiler")} if "ziglang" in compiler else {}
    if kept:
        kept["ZIG_GLOBAL_CACHE_DIR"] = kept["ZIG_LOCAL_CACHE_DIR"] = str(places.tools / "compiler-cache")
    fault = _fault([*compiler, *FLAGS, "-o", str(fresh), *map(str, sources)], os.environ | kept)
    try:
        if not fault:
            fresh.replace(places.library)
    except OSError as error:
        fault = str(error)
    with suppress(OSError):
        fresh.unlink(missing_ok=True)
    return fault


def _fault(command: Sequence[str], environment: dict[str, str]) -> str:
    """The last thing a failing program says, or that it does not start or end; nothing when it succeeds."""
    try:
        done = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=COMPILER_PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it took more than {COMPILER_PATIENCE_S} s"
    except OSError as error:
        return str(error)
    if not done.returncode:
        return ""
    lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines[-1:] or [f"code {done.returncode}"])[0][:200]


def _without(places: Places, reason: str) -> str:
    """Leave no library of other sources behind; the line that says why there is none."""
    with suppress(OSError):
        places.library.unlink(missing_ok=True)
        places.stamp.unlink(missing_ok=True)
    return f"!! NO KERNEL: {reason}. Positions are decided in Python, a thousand times slower: {ADVICE}."


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except (OSError, UnicodeDecodeError):
        return ""


def _replace(file: Path, text: str) -> None:
    with suppress(OSError):  # without it the next set-up builds again
        fresh = file.with_name(f"{file.name}.{os.getpid()}")
        fresh.write_text(text)
        fresh.replace(file)


if __name__ == "__main__":
    line = build(Places())
    if line:
        print(line, file=sys.stderr, flush=True)
