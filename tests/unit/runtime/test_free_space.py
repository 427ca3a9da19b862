"""Free disk space while Sparrow runs."""

from __future__ import annotations

from pathlib import Path

from libs.runtime.free_space import FreeSpaceWatch


def test_a_disk_that_fills_is_told_once_and_so_is_room_again(tmp_path: Path) -> None:
    """One line when less than the limit is free, one when there is room again, none in between."""
    said: list[str] = []
    free = iter([500, 299, 250, 10, 400, 500, 1])
    watch = FreeSpaceWatch(tmp_path, 300, said.append, lambda _folder: next(free))
    for second in range(0, 70, 10):
        watch.tick(float(second))

    assert [line.split(" MiB")[0] for line in said] == ["Only 299", "400", "Only 1"]
    assert str(tmp_path) in said[0]


def test_it_does_not_look_at_every_tick(tmp_path: Path) -> None:
    """The foreground process ticks many times a second; the disk is asked every few."""
    looks: list[Path] = []

    def look(folder: Path) -> int:
        looks.append(folder)
        return 1_000

    watch = FreeSpaceWatch(tmp_path, 300, print, look)
    for tick in range(100):
        watch.tick(1.0 + tick / 100)

    assert len(looks) == 1
