"""Which user runs PostgreSQL, and where that user can reach its programs and data.

PostgreSQL refuses to run as root. Then the system user `postgres`, or else `nobody`, runs it; and where that
user cannot enter the data folder (a clone under /root), the data lives under /var/lib/sparrow and the data
folder holds a link to it. The link, not the permissions of the day, decides at the next start.
"""

from __future__ import annotations

import errno
import hashlib
import os
import pwd
import secrets
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from libs.runtime.embedded.child import User
from libs.runtime.embedded.failure import LaunchError
from libs.runtime.embedded.lock import FileLock
from libs.runtime.embedded.private import write_private

REACHABLE_ROOT = Path("/var/lib/sparrow")


@dataclass
class Place:
    """A folder for PostgreSQL's data that its user can reach, and that user (none: the present one).

    One process at a time holds its lock: two servers on one data folder would destroy it.
    """

    folder: Path
    user: User | None
    _lock: FileLock | None = None

    @property
    def data(self) -> Path:
        """PostgreSQL's own data folder."""
        return self.folder / "data"

    def lock(self) -> None:
        """Take the folder for this process, or say that another has it."""
        if self._lock is not None:
            return
        self._lock = FileLock.take(self.folder / "lock")
        if self._lock is None:
            raise LaunchError(
                f"PostgreSQL's data in {self.folder} is in use by another Sparrow.",
                advice="Stop that one first, or choose another folder: SPARROW_DATA_DIR=/path make run.",
            )

    def unlock(self) -> None:
        """Give the folder back."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None


def server_user(uid: int, names: Sequence[str] = ("postgres", "nobody")) -> User | None:
    """Return the user that must run PostgreSQL in place of the user `uid`; none: that user itself can."""
    if uid != 0:
        return None
    for name in names:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return User(name, entry.pw_uid, entry.pw_gid)
    raise LaunchError(
        "PostgreSQL does not run as root, and there is no user `postgres` or `nobody` to run it.",
        advice="Run Sparrow as an ordinary user.",
    )


def can_run(user: User | None, command: Sequence[str]) -> bool:
    """Whether a command succeeds as that user."""
    identity = {"user": user.uid, "group": user.gid, "extra_groups": []} if user else {}
    try:
        done = subprocess.run(command, capture_output=True, cwd="/", check=False, **identity)  # type: ignore[call-overload]
    except PermissionError:  # the program's own folder is closed to the user
        return False
    except (OSError, subprocess.SubprocessError) as error:
        raise LaunchError(
            f"Cannot run a program as user {user.name if user else os.getuid()}: {error}.",
            advice="Run Sparrow as an ordinary user.",
        ) from error
    return bool(done.returncode == 0)


def can_enter(user: User | None, folder: Path) -> bool:
    """Whether that user can reach a folder through all its parents."""
    return can_run(user, ["/bin/sh", "-c", 'cd "$1"', "sh", str(folder)])


def find_place(data_dir: Path, user: User | None, reachable_root: Path = REACHABLE_ROOT) -> Place:
    """Return the place of PostgreSQL's data for a data folder, made if absent; what is out of reach moves."""
    link = data_dir / "postgres"
    if link.is_symlink():
        if not link.is_dir():
            raise LaunchError(
                f"{link} leads to {link.readlink()}, which is gone.",
                advice=f"Bring that folder back, or remove {link} to begin with an empty database.",
            )
        return Place(link.resolve(), user)
    link.mkdir(parents=True, exist_ok=True)
    link.chmod(0o755)
    if user is None or can_enter(user, link):
        return Place(link.resolve(), user)
    folder = reachable_root / _identity(data_dir)
    _make_reachable(reachable_root, user)
    if folder.exists() and not (link / "data").exists():  # interrupted between the move and the link
        shutil.rmtree(link)
    else:
        _move(link, folder, user)
    link.symlink_to(folder)
    return Place(folder, user)


def reachable_programs(bin_dir: Path, version: str, user: User | None, root: Path = REACHABLE_ROOT) -> Path:
    """Return a folder of PostgreSQL's programs that the user can run: the given one, or a copy made once."""
    if user is None or can_run(user, [str(bin_dir / "initdb"), "--version"]):
        return bin_dir
    _make_reachable(root, user)
    digest = hashlib.sha256((bin_dir / "postgres").read_bytes()).hexdigest()[:8]
    copy = root / f"postgresql-{version}-{digest}"
    programs = copy / bin_dir.relative_to(bin_dir.parents[2])
    if not copy.exists():
        _copy_wheel(bin_dir.parents[1], copy)
    if not can_run(user, [str(programs / "initdb"), "--version"]):
        raise LaunchError(
            f"User {user.name} cannot run PostgreSQL in {bin_dir}, nor a copy of it in {programs}.",
            advice="Move Sparrow to a folder that every user can enter, or run it as an ordinary user.",
        )
    return programs


def _copy_wheel(package: Path, copy: Path) -> None:
    """Copy an installed package beside the libraries that came in its wheel, whole or not at all."""
    half = copy.with_name(f"{copy.name}.{os.getpid()}.part")
    shutil.rmtree(half, ignore_errors=True)
    headers = shutil.ignore_patterns("include", "__pycache__")
    shutil.copytree(package, half / package.name, symlinks=True, ignore=headers)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, half / libraries.name, symlinks=True)
    half.chmod(0o755)
    try:
        half.rename(copy)
    except OSError:  # another start was first
        shutil.rmtree(half)


def _make_reachable(root: Path, user: User) -> None:
    """Make the folder outside the data folder, or say what else can be done."""
    advice = f"Set SPARROW_DATA_DIR to a folder that user {user.name} can reach, or run as an ordinary user."
    try:
        root.mkdir(parents=True, exist_ok=True)
        root.chmod(0o755)
    except OSError as error:
        raise LaunchError(f"Cannot make {root} for PostgreSQL: {error.strerror}.", advice=advice) from error
    if not can_enter(user, root):
        raise LaunchError(f"User {user.name} cannot reach {root}.", advice=advice)


def _identity(data_dir: Path) -> str:
    """Return the name of a data folder that stays its own when the folder is moved, and dies with it."""
    path = data_dir / "id"
    if not path.exists():
        write_private(path, secrets.token_hex(8))
    return path.read_text()


def _move(source: Path, target: Path, user: User) -> None:
    """Move a folder, to another file system too; what PostgreSQL owned stays PostgreSQL's."""
    try:
        source.rename(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        part = target.with_name(f"{target.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(source, part, symlinks=True)
        for path in [part / "data", *(part / "data").rglob("*")]:
            if path.exists():
                os.chown(path, user.uid, user.gid, follow_symlinks=False)
        part.rename(target)
        shutil.rmtree(source)
