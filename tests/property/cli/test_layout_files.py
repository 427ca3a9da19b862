"""Layout files: whatever was written is read back, and whatever is broken is told, never raised."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from libs.cli.layouts.file_fault import FileFault
from libs.cli.layouts.reading import parse
from libs.rules.solitaire.catalogue import layout, layout_names
from libs.rules.solitaire.layouts import find_faults
from tests.support.layout_files import OWN_LAYOUTS, gnome_map, kmahjongg_v1_1

SOUND = [file.read_bytes() for file in sorted(OWN_LAYOUTS.iterdir()) if file.suffix != ".md"]
PIECES = (
    *(b"1", b"12\n43", b"\n", b"\r", b"w", b"<", b">", b'"', b"&a;", b"<!DOCTYPE a [", b"-1", b"99999"),
    *(
        b"<map name='x'>",
        b"</map>",
        b"<layer z='3'>",
        b"<tile x='1' y='1'/>",
        b"<!--",
        b"<![CDATA[x]]>",
        b"\x00",
    ),
)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A sound file with up to six pieces cut out, repeated, or put in."""
    data = draw(st.sampled_from(SOUND))
    for _ in range(draw(st.integers(1, 6))):
        begin = draw(st.integers(0, len(data)))
        end = min(len(data), begin + draw(st.integers(0, 40)))
        new = draw(st.sampled_from([*PIECES, b"", 2 * data[begin:end]]) | st.binary(max_size=3))
        data = data[:begin] + new + data[end:]
    return data


def holds(data: bytes) -> None:
    """The promise of the reader about any bytes."""
    read = parse("any", data)
    if isinstance(read, FileFault):
        assert 1 <= read.line <= data.count(b"\n") + data.count(b"\r") + 1
        assert read.text and len(read.text) < 200
    else:
        assert read.layouts
        assert all(find_faults(each.tiles) == () for each in read.layouts)


@settings(max_examples=400, deadline=None)
@given(mutated())
def test_a_mutated_file_is_sound_or_one_fault(data: bytes) -> None:
    """No exception, and a line that the file has."""
    holds(data)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from([b"", b"kmahjongg-layout-v1.0\n", b"kmahjongg-layout-v1.1\n", b"<mahjongg>"]), st.binary()
)
def test_any_bytes_are_sound_or_one_fault(begin: bytes, rest: bytes) -> None:
    """With a header or without."""
    holds(begin + rest)


@settings(deadline=None)
@given(st.sampled_from(layout_names()))
def test_what_is_written_is_read_back(name: str) -> None:
    """In both formats, for every layout of the catalogue."""
    board = layout(name)
    for text in (kmahjongg_v1_1(board.tiles, 64, 64, 16), gnome_map(name, board.tiles)):
        read = parse(name, text.encode())
        assert not isinstance(read, FileFault)
        assert (read.layouts[0].name, set(read.layouts[0].tiles)) == (name, set(board.tiles))
