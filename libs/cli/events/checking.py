"""An export held against its manifest: every file whole, every feed gapless, every chain value recomputed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from libs.cli.events.manifest import FeedFile, Manifest, NoExport, sha256_of
from libs.cli.events.reading import entries_of_file
from libs.cli.events.rows import ExportedEntry
from libs.eventstore.chain import link


@dataclass(frozen=True)
class Checked:
    """What was found about one file; `wrong` is empty when everything is as it should be."""

    name: str
    entries: int
    recomputed: int
    """How many chain values were recomputed; the others belong to entries of which something is withheld."""
    wrong: str = ""


def check_export(folder: Path) -> Iterator[Checked]:
    """Yield what is found about each file of an export. Raises NoExport where there is no manifest."""
    manifest = Manifest.read(folder)
    for beside in (manifest.protos, manifest.days):
        yield Checked(beside.name, 0, 0, _wrong_bytes(folder / beside.name, beside.sha256))
    for file in manifest.files:
        yield _check_feed(folder, manifest, file)


def _check_feed(folder: Path, manifest: Manifest, file: FeedFile) -> Checked:
    """The rows are read even where the bytes differ: what differs is named."""
    chain, seq = bytes.fromhex(file.chain_before), (file.first_seq or 1) - 1
    entries = recomputed = withheld = 0
    wrong = ""
    try:
        for one in entries_of_file(folder, manifest, file):
            wrong = _wrong_entry(one, chain, seq, file)
            if wrong:
                break
            entries += 1
            recomputed += not one.withheld
            withheld += "data" in one.withheld
            chain, seq = one.entry.chain, one.entry.seq
        if not wrong:
            told = (file.count, file.withheld, file.last_seq or seq, file.last_chain or chain.hex())
            found = (entries, withheld, seq, chain.hex())
            wrong = (
                "" if told == found else f"it ends with {found[2]} after {entries} entries, told otherwise"
            )
    except NoExport as error:
        wrong = str(error)
    return Checked(file.name, entries, recomputed, wrong or _wrong_bytes(folder / file.name, file.sha256))


def _wrong_entry(one: ExportedEntry, chain: bytes, seq: int, file: FeedFile) -> str:
    entry = one.entry
    if entry.seq != seq + 1 or entry.event.part.value != file.part:
        return f"entry {entry.seq} of {entry.event.part} follows on {seq} of {file.part}"
    if not one.withheld and entry.chain != link(chain, entry.seq, entry.at, entry.event):
        return f"entry {entry.seq} ({entry.event.id}): its chain value is another"
    return ""


def _wrong_bytes(path: Path, sha256: str) -> str:
    try:
        return "" if sha256_of(path) == sha256 else "its bytes are not those that were exported"
    except OSError as error:
        return error.strerror or "it cannot be read"
