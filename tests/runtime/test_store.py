import dataclasses
import pathlib
import time
from collections.abc import Callable, Iterator, Sequence

import pytest

from nbgrad.config import override
from nbgrad.kernels.compile import compile_kernels
from nbgrad.kernels.target import Target, cuda
from nbgrad.runtime import cache
from nbgrad.runtime import store as store_module
from nbgrad.runtime.background import Worker
from nbgrad.runtime.store import KernelStore
from nbgrad.tape.kernel import KernelText
from tests.runtime.forks import holds_in_child
from tests.runtime.texts import chain, chains, computes
from tests.threads import in_threads


@pytest.fixture(autouse=True)
def folder(tmp_path: pathlib.Path) -> Iterator[pathlib.Path]:
    with override(cache_dir=str(tmp_path / "nbgrad"), log="", log_dir=None):
        yield tmp_path / "nbgrad"


class Counting:
    """A compiler that remembers what it was asked for."""

    def __init__(self) -> None:
        self.texts: list[KernelText] = []

    def __call__(self, texts: Sequence[KernelText], target: Target) -> bytes:
        self.texts += texts
        return compile_kernels(texts, target)


def no_worker() -> Worker:
    raise OSError("no processes today")


def test_addresses_are_those_of_the_kernels_asked_for_in_their_order() -> None:
    store = KernelStore()
    numbers = [5, 3, 5, 9]
    found = store.addresses([chain(n) for n in numbers])
    assert all(computes(n, address) for n, address in zip(numbers, found, strict=True))
    assert found[0] == found[2]
    assert len(store) == 3
    assert store.addresses([]) == []


def test_each_kernel_is_compiled_once_and_then_found_in_memory() -> None:
    compiler = Counting()
    store = KernelStore(compiler)
    first = store.addresses(chains(1, 3))
    assert store.addresses(chains(1, 4))[:3] == first
    assert compiler.texts == chains(1, 4)


def test_another_process_finds_kernels_on_disk() -> None:
    KernelStore().addresses(chains(1, 3))
    compiler = Counting()
    later = KernelStore(compiler)
    found = later.ready(chains(1, 3))
    assert found is not None
    assert all(computes(1 + k, address) for k, address in enumerate(found))
    assert compiler.texts == []


def test_loops_have_drafts_but_on_a_gpu() -> None:
    product = KernelText("gemm", 0, 0, ())
    assert KernelStore().drafts_of([chain(2), product]) == [dataclasses.replace(chain(2), is_draft=True), product]
    assert KernelStore(target=lambda: cuda("sm_80")).drafts_of([chain(2)]) == [chain(2)]


def test_drafts_are_made_together_and_each_is_found_by_itself() -> None:
    drafts = [dataclasses.replace(text, is_draft=True) for text in chains(1, 4)]
    batches = []

    def compiler(texts: Sequence[KernelText], target: Target) -> bytes:
        batches.append(list(texts))
        return compile_kernels(texts, target)

    store = KernelStore(compiler)
    found = store.addresses([drafts[0], chain(9), drafts[1], drafts[2]])
    assert batches == [drafts[:3], [chain(9)]]
    assert all(computes(n, address) for n, address in zip((1, 9, 2, 3), found, strict=True))
    alone = KernelStore(compiler)
    assert computes(2, alone.addresses([drafts[1]])[0])
    assert [len(alone), len(batches)] == [1, 2]
    # The kernels that came with it are there already; one that did not is made with code that has it, too.
    assert computes(3, alone.addresses([drafts[2]])[0])
    assert computes(4, alone.addresses([drafts[3]])[0])
    assert batches[2:] == [[drafts[3]]]


def test_code_that_has_a_kernel_which_is_loaded_already_can_be_loaded() -> None:
    drafts = [dataclasses.replace(text, is_draft=True) for text in chains(1, 3)]
    KernelStore().addresses(drafts[:2])
    store = KernelStore()
    first = store.addresses(drafts[:1])
    cache.clear()
    KernelStore().addresses(drafts)  # another process makes all of them, and so the first two once more
    both = store.addresses(drafts)
    assert both[0] == first[0]
    assert all(computes(n, address) for n, address in zip((1, 2, 3), both, strict=True))


def test_ready_compiles_nothing() -> None:
    compiler = Counting()
    store = KernelStore(compiler)
    store.addresses(chains(1, 2))
    assert store.ready(chains(1, 2)) is not None
    assert store.ready(chains(1, 3)) is None
    assert len(compiler.texts) == 2


def test_a_damaged_entry_is_compiled_again(folder: pathlib.Path) -> None:
    KernelStore().addresses([chain(6)])
    [entry] = folder.glob("*.nbo")
    data = bytearray(entry.read_bytes())
    data[-1] ^= 1
    entry.write_bytes(data)
    compiler = Counting()
    store = KernelStore(compiler)  # the code lives as long as its store
    assert computes(6, store.addresses([chain(6)])[0])
    assert compiler.texts == [chain(6)]
    assert KernelStore().ready([chain(6)]) is not None


def test_without_a_usable_folder_everything_still_works(folder: pathlib.Path) -> None:
    folder.write_text("not a folder")
    store = KernelStore()
    assert computes(6, store.addresses([chain(6)])[0])
    assert store.ready([chain(6)]) is not None


def test_a_compiler_error_is_raised_and_leaves_the_store_usable() -> None:
    def failing(texts: Sequence[KernelText], target: Target) -> bytes:
        if chain(2) in texts:
            raise ArithmeticError("no")
        return compile_kernels(texts, target)

    store = KernelStore(failing)
    with pytest.raises(ArithmeticError):
        store.addresses([chain(2)])
    assert computes(3, store.addresses([chain(3)])[0])


def test_without_a_worker_a_structure_that_recurs_is_compiled_here(capsys: pytest.CaptureFixture[str]) -> None:
    compiler = Counting()
    store = KernelStore(compiler, no_worker)
    done: list[int] = []
    with override(log="cache"):
        assert store.request(chains(1, 2), lambda: done.append(1)) is False
        assert store.request(chains(5, 2), lambda: done.append(5)) is False
        store.poll()
        assert (done, compiler.texts) == ([], [])
        assert store.request(chains(1, 2), lambda: done.append(1)) is True
        assert compiler.texts == chains(1, 2)
    store.poll()
    assert done == [1]
    assert store.ready(chains(1, 2)) is not None
    assert capsys.readouterr().err.count("no processes today") == 1


def test_a_request_for_known_kernels_needs_no_worker() -> None:
    store = KernelStore(start_worker=no_worker)
    store.addresses(chains(1, 2))
    done: list[int] = []
    assert store.request(chains(1, 2), lambda: done.append(1))
    assert done == []  # only ever from poll, so that the caller is not in the middle of something
    store.poll()
    store.poll()
    assert done == [1]


def test_a_full_store_takes_no_more_specialised_kernels_but_still_serves(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(store_module, "_FULL", 3)
    store = KernelStore(start_worker=no_worker)
    store.addresses(chains(1, 2))
    assert not store.full
    store.addresses([chain(3)])
    assert store.full
    done: list[int] = []
    with override(log="cache", log_dir=None):
        for _ in range(3):
            assert store.request([chain(8)], lambda: done.append(8)) is False
        assert store.request([chain(2)], lambda: done.append(2)) is True
    store.poll()
    assert done == [2]
    assert computes(5, store.addresses([chain(5)])[0])  # what an operator cannot do without is always made
    assert capsys.readouterr().err.count("run unfused") == 1


def test_many_threads_may_ask_at_once() -> None:
    compiler = Counting()
    store = KernelStore(compiler)
    wrong: list[int] = []

    def ask(first: int) -> None:
        for number in range(first, first + 12):
            if not computes(number, store.addresses([chain(number)])[0]):
                wrong.append(number)

    in_threads(ask, [1 + 3 * k for k in range(4)])
    assert not wrong
    assert len(compiler.texts) == len(set(compiler.texts)) == 21


def test_a_forked_child_compiles_though_the_lock_was_held() -> None:
    store = KernelStore()
    [known] = store.addresses([chain(4)])

    def check() -> bool:
        store._after_fork()
        again, fresh = store.addresses([chain(4), chain(7)])
        return again == known and computes(4, known) and computes(7, fresh)

    with store._lock:
        assert holds_in_child(check)


def test_compiling_and_waiting_for_it_is_visible_in_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    store = KernelStore()
    with override(log="cache", log_dir=None):
        store.addresses([chain(2)])
        printed = capsys.readouterr().err
        store.addresses([chain(2)])
    assert f"{chain(2).symbol}: not on disk: new code" in printed
    assert f"{chain(2).symbol}: compiled in" in printed
    assert capsys.readouterr().err == ""


def test_the_stages_of_a_kernel_are_printed_on_demand(capsys: pytest.CaptureFixture[str]) -> None:
    with override(log="code,llvm,asm", log_dir=None):
        KernelStore().addresses([chain(2)])
    printed = capsys.readouterr().err
    for word in ("-- code --", "-- llvm --", "define i32", "-- asm --"):
        assert word in printed


def wait_for(store: KernelStore, condition: Callable[[], object], seconds: float = 60) -> None:
    """Poll, as a training loop does, until something has happened."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the worker took too long"
        store.poll()
        time.sleep(0.002)
