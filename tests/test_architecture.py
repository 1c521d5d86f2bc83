"""The architecture page says what is so: its blocks run and print what it shows, its files and switches exist.

``python -m tests.test_architecture`` writes the page's output blocks anew, for a reader to check the difference.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import nbgrad.errors
from nbgrad.calls.base import CALLS
from nbgrad.config import PASSES, SWITCHES, override
from nbgrad.errors import NbgradError
from nbgrad.graph.op import OPS
from nbgrad.kernels.compile import llvm_text
from nbgrad.kernels.target import named
from nbgrad.passes.run import PIPELINE
from nbgrad.runtime.runner_code import baseline_code, runner_code
from nbgrad.trace.flushing import flush
from nbgrad.trace.handle import ROOT as TRIE
from nbgrad.trace.thread import local
from tests.test_imports import FILES, LEVEL, room_of

ROOT = Path(__file__).resolve().parents[1]
PATH = ROOT / "nbgrad" / "README.md"
PAGE = PATH.read_text(encoding="utf-8")

# A python block, and the text block right below it with what it prints.
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:```text\n(?P<output>.*?)^```\n)?", re.MULTILINE | re.DOTALL)
LLVM = re.compile(r"^```llvm\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
FILE = "step.py"  # the user's file, in what the blocks print


@contextlib.contextmanager
def usual_settings(cache_dir: Path) -> Iterator[None]:
    """The switches at their defaults, without a worker; what the blocks define is gone afterwards.

    The kernel of the page's own operator must not be found on disk by the next run, whose operator may be another.
    """
    runner_code(), baseline_code()  # before the folder is an empty one, where it would be compiled again
    flush(local.trace)
    TRIE.clear()  # another test may have recorded the same step, and kept its own lines with it
    ops, calls = dict(OPS), dict(CALLS)
    try:
        with override(
            log="", log_dir=None, check=False, interpret=False, passes="", compile="never", cache_dir=cache_dir
        ):
            yield
    finally:
        flush(local.trace)
        for table, before in ((OPS, ops), (CALLS, calls)):
            for name in table.keys() - before.keys():
                del table[name]


def outputs(page: str, names: dict[str, Any]) -> Iterator[tuple[re.Match[str], str]]:
    """Every python block of ``page``, and what it prints when all are run in order, as a reader would type them."""
    for block in BLOCK.finditer(page):
        code = block["code"]
        linecache.cache[FILE] = (len(code), None, code.splitlines(keepends=True), FILE)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, FILE, "exec"), names)
        yield block, "\n".join([line.rstrip() for line in printed.getvalue().strip("\n").splitlines()])


def renewed(page: str) -> str:
    """``page`` with what its blocks print now."""
    parts, end = [], 0
    for block, printed in outputs(page, {}):
        text = f"```text\n{printed}\n```\n" if printed else ""
        parts += [page[end : block.start()], f"```python\n{block['code']}```\n{text}"]
        end = block.end()
    return "".join([*parts, page[end:]])


@dataclass(frozen=True)
class Reading:
    """The page read from top to bottom, once: what each block prints, and the names they leave behind."""

    printed: list[tuple[re.Match[str], str]]
    names: dict[str, Any]


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Reading:
    names: dict[str, Any] = {}
    with usual_settings(tmp_path_factory.mktemp("cache")):
        return Reading(list(outputs(PAGE, names)), names)


def test_every_block_prints_what_the_page_shows(reading: Reading) -> None:
    assert len(reading.printed) > 10
    for block, printed in reading.printed:
        assert printed == (block["output"] or "").rstrip("\n"), block["code"]


def without_numbers(line: str) -> str:
    """A line of LLVM text without the numbers of values and blocks."""
    return re.sub(r"%[av]\d+", "%", line.split(" ;")[0].strip())


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the excerpt is code for x86-64")
def test_the_excerpt_of_llvm_text_is_part_of_the_kernel(reading: Reading) -> None:
    text = llvm_text(reading.names["row_kernel"], named("haswell"))
    lines = iter([without_numbers(line) for line in text.splitlines()])
    [excerpt] = LLVM.findall(PAGE)
    for line in excerpt.splitlines():
        assert line.strip() == "..." or without_numbers(line) in lines, f"{line!r} is not there, or not in this order"


@pytest.mark.parametrize("folder", ["", "kernels", "runtime/cuda"])
def test_every_file_a_page_names_exists(folder: str) -> None:
    page = (PATH.parent / folder / "README.md").read_text(encoding="utf-8")
    words = set(re.findall(r"`((?:[a-z_]+/)*[a-z_]+\.py)`", page))
    folders = set(re.findall(r"`((?:[a-z_]+/)+)`", page))
    assert len(words) > 5
    missing = [w for w in words | folders if not (ROOT / w).exists() and not (ROOT / "nbgrad" / w).exists()]
    assert not missing, f"{sorted(missing)}: renamed, or moved to another room?"


def section(title: str) -> str:
    found = re.search(rf"^## \d+\. {title}.*?\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None, f"no section {title!r}"
    return found[1]


def test_the_house_has_all_rooms_in_order() -> None:
    cells = re.findall(r"^\| (`.*?`) \|", section("The house"), re.MULTILINE)
    rooms = [room.strip("/").removesuffix(".py") for cell in cells for room in re.findall(r"`(.*?)`", cell)]
    assert set(rooms) == {room_of(path) for path in FILES}, "the table's rooms are not those that exist"
    assert [LEVEL[room] for room in rooms] == sorted([LEVEL[room] for room in rooms])


def test_the_switches_are_those_of_config() -> None:
    shown = re.findall(r"^\| `(NBGRAD_\w+)` \|", section("Switches"), re.MULTILINE)
    assert shown == [switch.variable for switch in SWITCHES.values()]


def test_the_passes_are_those_that_run() -> None:
    text = section("One step, stage by stage")
    listed = re.findall(r"^- `(\w+)` \(`passes/", text, re.MULTILINE)
    assert set(listed) == {name for name, _ in PIPELINE} | {"fuse"}
    assert set(listed) | {"plan", "rounds"} == set(PASSES)


def test_the_errors_are_all_named() -> None:
    classes = {
        name for name, c in vars(nbgrad.errors).items() if isinstance(c, type) and issubclass(c, NbgradError)
    } - {"NbgradError"}
    assert set(re.findall(r"^\| `(\w+Error)` \|", section("Errors"), re.MULTILINE)) == classes


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder, usual_settings(Path(folder)):
        PATH.write_text(renewed(PAGE), encoding="utf-8")
