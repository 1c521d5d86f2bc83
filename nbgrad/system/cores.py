"""How many cores this process has: threads beyond that number wait for each other."""

from __future__ import annotations

import os
from collections.abc import Iterator
from math import ceil
from pathlib import Path


def available_cores() -> int:
    """The cores this process may run on, or as many as its container gets the time of, if those are fewer."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        membership = Path("/proc/self/cgroup").read_text()
    except OSError:  # no Linux
        return cores
    return min([cores, *quotas(membership, Path("/sys/fs/cgroup"))])


def quotas(membership: str, groups: Path) -> Iterator[int]:
    """Cores that the control groups of a process allow it, begun ones included.

    ``membership`` is its ``/proc/self/cgroup``, ``groups`` the folder of all groups. The limit of a group holds for
    those inside; in a container the groups outside are not to be seen, and its own is the uppermost.
    """
    for line in membership.splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:
            for folder in _upwards(groups, path):
                yield from _share(_words(folder / "cpu.max"))
        elif "cpu" in controllers.split(","):
            for folder in _upwards(groups / controllers, path):
                limit, period = (_words(folder / f"cpu.cfs_{name}_us") for name in ("quota", "period"))
                yield from _share([*limit, *period])


def _upwards(root: Path, path: str) -> Iterator[Path]:
    """The folder ``path`` in ``root``, then all that it is in, up to ``root``."""
    folder = root / path.strip("/")
    yield folder
    while folder != root and root in folder.parents:
        folder = folder.parent
        yield folder


def _words(file: Path) -> list[str]:
    try:
        return file.read_text().split()
    except OSError:
        return []


def _share(words: list[str]) -> Iterator[int]:
    """The cores of (microseconds of processor time, in so many of time); none where there is no limit."""
    if len(words) == 2 and words[0].isdigit() and words[1].isdigit() and int(words[1]):
        yield max(1, ceil(int(words[0]) / int(words[1])))
