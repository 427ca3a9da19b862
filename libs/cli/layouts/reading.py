"""A layout file, whatever its format: bytes in, layouts or one fault out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from libs.cli.layouts.file_fault import FileFault
from libs.cli.layouts.gnome import parse_gnome
from libs.cli.layouts.kmahjongg import HEADER_BEGIN, parse_kmahjongg
from libs.rules.solitaire.layouts import Layout

FILE_BYTES_MAX: Final = 1_048_576
"""The largest files of the programs that write them have 40 KiB."""


class FileFormat(StrEnum):
    """The formats that are read."""

    KMAHJONGG = "kmahjongg"
    GNOME = "gnome"


@dataclass(frozen=True)
class ReadFile:
    """What a sound file holds."""

    format: FileFormat
    layouts: tuple[Layout, ...]


class TooLargeError(Exception):
    """The file has more than FILE_BYTES_MAX bytes."""


def load(path: Path) -> bytes:
    """The bytes of the file. Raises TooLargeError, having read little more than is allowed, and OSError."""
    with path.open("rb") as file:
        data = file.read(FILE_BYTES_MAX + 1)
    if len(data) > FILE_BYTES_MAX:
        raise TooLargeError
    return data


def parse(name: str, data: bytes) -> ReadFile | FileFault:
    """The layouts of a file; `name` is what a layout is called whose format keeps no names."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return FileFault(data.count(b"\n", 0, error.start) + 1, "a byte that is no UTF-8 text")
    if text.startswith(HEADER_BEGIN):
        layout = parse_kmahjongg(name, text)
        return layout if isinstance(layout, FileFault) else ReadFile(FileFormat.KMAHJONGG, (layout,))
    if text.lstrip().startswith("<"):
        layouts = parse_gnome(text)
        return layouts if isinstance(layouts, FileFault) else ReadFile(FileFormat.GNOME, tuple(layouts))
    return FileFault(1, "unknown header: neither a KMahjongg layout nor the XML of GNOME Mahjongg")
