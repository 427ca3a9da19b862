"""Set-up builds the kernel with what is there, only when something changed, and goes on without it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from libs.kernel.build import ADVICE, PACKAGE, Places, build

SOURCE = "int sk_answer(void) { return 42; }\n"
COMPILER = """#!{python}
import pathlib, sys
if "--version" in sys.argv:
    print("{version}")
else:
    pathlib.Path(sys.argv[sys.argv.index("-o") + 1]).write_text("{library}")
"""


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """One source, no library, and a machine with nothing on its path."""
    for name in ("src", "bin", "tools"):
        (tmp_path / name).mkdir()
    (tmp_path / "src" / "answer.c").write_text(SOURCE)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return Places(tmp_path / "src", tmp_path / "_kernel.so", tmp_path / "tools", PACKAGE / "compiler.lock")


def install(places: Places, name: str, *, version: str = "1", library: str = "compiled") -> None:
    """Put a stand-in for a compiler on the path."""
    program = places.sources.parent / "bin" / name
    program.write_text(COMPILER.format(python=sys.executable, version=version, library=library))
    program.chmod(0o755)


def test_without_a_compiler_and_a_wheel_one_line_says_so(places: Places) -> None:
    """There is no library then, not even one of other sources."""
    places.library.write_text("of other sources")

    told = build(places)

    assert told is not None
    assert told.startswith("!! NO KERNEL")
    assert told.endswith(f"{ADVICE}.")
    assert "\n" not in told
    assert not places.library.exists()


def test_without_any_compiler_the_script_succeeds_and_the_definition_answers(tmp_path: Path) -> None:
    """In a copy of the libraries without a compiled kernel, set-up goes on and positions are decided."""
    shutil.copytree(
        PACKAGE.parent,
        tmp_path / "libs",
        ignore=shutil.ignore_patterns("_kernel.*", "__pycache__", "pb", "cli", "runtime"),
    )
    alone = {"PATH": "", "PYTHONDONTWRITEBYTECODE": "1"}
    script = str(tmp_path / "libs" / "kernel" / "build.py")
    asking = (
        "from libs import kernel; from libs.rules.solitaire.board import Matching, Pairing;"
        "from libs.rules.solitaire.layouts import Layout;"
        "row = Layout.parse('row', [(0, 0, 0), (2, 0, 0)]);"
        "print(kernel.native(), kernel.solve(row, ('1m', '1m'), 3, Matching.EXACT, Pairing.LIFT).certificate)"
    )

    built = subprocess.run([sys.executable, script], env=alone, capture_output=True, text=True, check=True)
    answer = subprocess.run(
        [sys.executable, "-c", asking], cwd=tmp_path, env=alone, capture_output=True, text=True, check=True
    )

    assert built.stderr.count("!! NO KERNEL") == 1
    assert answer.stdout == "False ((0, 1),)\n"


def test_the_first_compiler_that_is_there_builds(places: Places) -> None:
    """Of cc, gcc and clang, in this order."""
    install(places, "clang", library="by clang")
    install(places, "gcc", library="by gcc")

    assert build(places) is None
    assert places.library.read_text() == "by gcc"


def test_a_compiler_that_fails_leaves_it_to_the_next(places: Places) -> None:
    """As where cc is there without the headers it needs."""
    install(places, "gcc")
    (places.sources.parent / "bin" / "cc").write_text(
        f"#!{sys.executable}\nraise SystemExit('error: no headers')\n"
    )
    (places.sources.parent / "bin" / "cc").chmod(0o755)

    assert build(places) is None
    assert places.library.read_text() == "compiled"


def test_what_a_failing_compiler_says_is_told(places: Places) -> None:
    """In the one line, so that it can be acted on."""
    (places.sources.parent / "bin" / "cc").write_text(
        f"#!{sys.executable}\nraise SystemExit('error: no headers')\n"
    )
    (places.sources.parent / "bin" / "cc").chmod(0o755)

    assert "error: no headers" in (build(places) or "")


def test_nothing_is_built_while_nothing_changes(places: Places, capsys: pytest.CaptureFixture[str]) -> None:
    """The second time is silent, and the library stays the same file."""
    install(places, "cc")
    build(places)
    before = places.library.stat()
    capsys.readouterr()

    assert build(places) is None
    assert places.library.stat().st_ino == before.st_ino
    assert capsys.readouterr().out == ""


def test_changed_sources_and_another_compiler_build_again(places: Places) -> None:
    """A header counts too; a library is never written into, but replaced."""
    install(places, "cc")
    build(places)
    (places.sources / "answer.h").write_text("int sk_answer(void);\n")
    install(places, "cc", library="of new sources")
    build(places)
    assert places.library.read_text() == "of new sources"

    install(places, "cc", version="2", library="by a new compiler")
    build(places)
    assert places.library.read_text() == "by a new compiler"


def test_a_library_of_these_sources_outlives_its_compiler(places: Places) -> None:
    """Where the compiler has gone since, nothing is fetched."""
    install(places, "cc")
    build(places)
    (places.sources.parent / "bin" / "cc").unlink()

    assert build(places) is None
    assert places.library.exists()


def test_the_compiler_of_the_wheel_is_pinned() -> None:
    """By version and by the content of every file."""
    name, *hashes = (PACKAGE / "compiler.lock").read_text().split(" \\\n")

    assert name.startswith("ziglang==")
    assert hashes
    assert all(line.strip().startswith("--hash=sha256:") for line in hashes)
