"""The whole suite in several processes at once, each of which takes one file of tests after the other.

It is done where nothing is asked for, neither files nor a number of processes, and pytest-xdist is there; ``-n 0``
keeps it to one process. The tests of a file stay together and in their order, but for files that make machine code all
the time, whose tests fill the gaps at the end. A process that ends over a test, as one that hangs does, is made anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest

MOST = 4  # each takes a gigabyte
APART = ("tests/kernels/test_ptx.py", "tests/cuda/test_training.py", "tests/cuda/test_backward_streams.py")


def share_out(config: pytest.Config, cores: int) -> None:
    """Let the whole suite run in a process for each of ``cores``."""
    asked = config.option
    if asked.file_or_dir or asked.keyword or asked.markexpr or asked.collectonly or asked.usepdb:
        return
    is_worker = hasattr(config, "workerinput")
    if not is_worker and getattr(asked, "numprocesses", 0) is None and cores > 1:
        asked.numprocesses = min(cores, MOST)
        asked.dist = "loadscope"


def unit(nodeid: str) -> str:
    """Which tests stay together: those of a file, or one alone."""
    file = nodeid.partition("::")[0]
    return nodeid if file in APART else file


def scheduler(config: pytest.Config, log: Any) -> Any:
    """Who gives the processes their next file."""
    from xdist.scheduler.loadscope import LoadScopeScheduling

    class ByUnit(LoadScopeScheduling):
        def __init__(self) -> None:
            super().__init__(config, log)
            self.left = Left()

        def _split_scope(self, nodeid: str) -> str:
            return unit(nodeid)

        def add_node_collection(self, node: Any, collection: Sequence[str]) -> None:
            super().add_node_collection(node, collection)
            if node in self.registered_collections:
                self.registered_collections[node] = Numbered(collection)

        def _pending_of(self, workload: dict[str, dict[str, bool]]) -> int:
            return self.left.of(workload)

    return ByUnit()


class Numbered(list[str]):
    """Names of tests, each of which is found at once; a list looks at all before it."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__(names)
        self._numbers = {name: k for k, name in enumerate(self)}

    def index(self, name: str, *bounds: Any) -> int:  # type: ignore[override]
        assert not bounds
        return self._numbers[name]


class Left:
    """How many tests are left of units. It is asked after each test: units that are through are not looked at again."""

    def __init__(self) -> None:
        self._through: set[str] = set()

    def of(self, units: Mapping[str, Mapping[str, bool]]) -> int:
        left = {name: list(units[name].values()).count(False) for name in units if name not in self._through}
        self._through.update([name for name, count in left.items() if not count])
        return sum(left.values())
