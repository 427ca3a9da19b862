"""`manifest.json`: what an export holds. It is written last, so a folder without one is no export."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

FORMAT: Final = "sparrow-events"
FORMAT_VERSION: Final = 1
MANIFEST: Final = "manifest.json"
PROTOS: Final = "protos.binpb"
DAYS: Final = "days.csv"
_READ_BYTES: Final = 1 << 20
_CHAIN: Final = re.compile(r"[0-9a-f]{64}")


class Encoding(StrEnum):
    """How the rows of an export are written."""

    PARQUET = "parquet"
    JSONL = "jsonl"


class NoExport(Exception):
    """A folder holds no whole export that this program can read; its text says why."""


@dataclass(frozen=True)
class SideFile:
    """A file beside the events."""

    name: str
    sha256: str


@dataclass(frozen=True)
class FeedFile:
    """The entries of one feed in one file. Sequences, instants and `last_chain` are None of an empty one."""

    name: str
    service: str
    part: str
    source: str
    count: int
    withheld: int
    """How many entries come without their data."""
    first_seq: int | None
    last_seq: int | None
    first_at: str | None
    last_at: str | None
    chain_before: str
    """The chain value that the first entry follows on."""
    first_chain: str | None
    last_chain: str | None
    types: Mapping[str, Mapping[str, int]]
    """How many entries of each type and schema version: {"sparrow.….v1": {"1": 20}}."""
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """Everything that an export says about itself. The same range of the same log gives the same manifest."""

    encoding: Encoding
    since: str | None
    until: str | None
    """Placed in its feed from `since` on and before `until`; None leaves that side open."""
    files: tuple[FeedFile, ...]
    protos: SideFile
    """The FileDescriptorSet of all event messages."""
    days: SideFile
    """The first instants of Romanian days."""
    time_zone_data: str
    """Version of the rules that the days were computed with."""

    @property
    def count(self) -> int:
        """How many entries there are."""
        return sum(file.count for file in self.files)

    @property
    def is_sound(self) -> bool:
        """Whether names are those of files in the folder, and values of the feeds can be read."""
        names = (self.protos.name, self.days.name, *(file.name for file in self.files))
        return all(Path(name).name == name and not name.startswith(".") for name in names) and all(
            isinstance(file.count, int)
            and isinstance(file.first_seq, int | None)
            and _CHAIN.fullmatch(file.chain_before)
            for file in self.files
        )

    def write(self, folder: Path) -> None:
        """Write it into a folder, under its own name only once it is whole."""
        aside = folder / f"{MANIFEST}.partial"
        told = {"format": FORMAT, "format_version": FORMAT_VERSION, **asdict(self)}
        aside.write_text(json.dumps(told, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        aside.rename(folder / MANIFEST)

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Return the manifest of an export. Raises NoExport."""
        try:
            told: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            if (told.pop("format"), told.pop("format_version")) != (FORMAT, FORMAT_VERSION):
                raise NoExport(f"{folder} holds an export of another format")
            manifest = cls(
                encoding=Encoding(told.pop("encoding")),
                files=tuple(FeedFile(**file) for file in told.pop("files")),
                protos=SideFile(**told.pop("protos")),
                days=SideFile(**told.pop("days")),
                **told,
            )
            if not manifest.is_sound:
                raise NoExport(f"{folder}: {MANIFEST} is damaged, or names a file outside the folder")
        except FileNotFoundError:
            raise NoExport(f"{folder} holds no whole export: it has no {MANIFEST}") from None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise NoExport(f"{folder}: {MANIFEST} cannot be read ({type(error).__name__})") from None
        return manifest


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_READ_BYTES):
            digest.update(block)
    return digest.hexdigest()
