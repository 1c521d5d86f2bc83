import ctypes
import gc
import pathlib
import platform
import signal
import struct
import sys
import time
import weakref
from collections.abc import Iterator

import llvmlite.binding as llvm
import numpy as np
import pytest

from nbgrad.config import override
from nbgrad.kernels.engine import Engine
from nbgrad.kernels.target import host
from nbgrad.runtime import runner, runner_code, runner_kernels
from nbgrad.runtime.background import Worker
from nbgrad.runtime.held import held
from nbgrad.runtime.runner import Program
from nbgrad.runtime.store import KernelStore
from nbgrad.runtime.system_words import with_system_words
from nbgrad.runtime.word_code import object_code, text_of
from nbgrad.runtime.word_functions import FUNCTIONS
from tests.fresh import printed
from tests.runtime import toys
from tests.runtime.forks import holds_in_child
from tests.runtime.test_store import wait_for
from tests.runtime.texts import chain

R_X86_64_PC32 = 2  # a distance to another section


def relocations_of(object_code: bytes) -> set[int]:
    """The kinds of relocation that the loader meets in an object of Linux."""
    loaded = llvm.ObjectFileRef.from_data(object_code)
    tables = [bytes(section.data()) for section in loaded.sections() if (section.name() or b"").startswith(b".rela")]
    return {info & 0xFFFFFFFF for table in tables for _, info, _ in struct.iter_unpack("<QQq", table)}


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> Iterator[pathlib.Path]:
    with override(cache_dir=str(tmp_path / "nbgrad"), log="cache", log_dir=None):
        yield tmp_path / "nbgrad"


@pytest.mark.parametrize("what", list(FUNCTIONS))
def test_the_code_needs_nothing_by_name(what: str) -> None:
    module = llvm.parse_assembly(with_system_words(text_of(what)))
    declared = {f.name for f in module.functions if f.is_declaration}
    assert {name for name in declared if not name.startswith("llvm.")} == set()
    assert {*FUNCTIONS[what]} == {
        f.name for f in module.functions if not f.is_declaration and f.linkage == llvm.Linkage.external
    } - {"nbgrad_bind"}
    assert [*module.global_variables] == [] or what == "runner"


@pytest.mark.parametrize("is_draft", [False, True])
@pytest.mark.parametrize("what", list(FUNCTIONS))
def test_the_code_needs_nothing_near_it(what: str, is_draft: bool) -> None:
    """What is more than 2 GB away ends the process. The loader keeps an object's own sections together, as kernels
    have them, too; a table of addresses (.got) would not be among them."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        pytest.skip("the kinds of relocation are those of Linux on x86-64")
    relocations = relocations_of(object_code(host(), what, is_draft))
    assert relocations == ({R_X86_64_PC32} if what == "runner" else set())


def test_an_empty_frame_runs() -> None:
    engine = Engine()
    engine.load(object_code(host(), "runner"))
    run = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(engine.address("nbgrad_run"))
    frame = (ctypes.c_int64 * 32)()
    assert run(ctypes.addressof(frame)) == 0


def test_the_code_is_compiled_once_and_then_comes_from_disk(
    folder: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = runner_code._object_code("runner", True)
    assert "compiled in" in capsys.readouterr().err
    assert runner_code._object_code("runner", True) == first
    assert capsys.readouterr().err == ""


@pytest.fixture
def loaded(folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> runner_code._Loaded:
    """No code is loaded yet, nor on disk."""
    loaded = runner_code._Loaded()
    monkeypatch.setattr(runner_code, "_loaded", loaded)
    return loaded


def test_a_draft_that_was_replaced_can_be_called_by_whoever_has_it(loaded: runner_code._Loaded) -> None:
    draft = runner_code.runner_code()
    engine = weakref.ref(draft.engine)
    run = draft.run
    runner_code.make_good("runner")
    loaded.look_s = dict.fromkeys(loaded.look_s, 0.0)
    assert runner_code.runner_code().run is not run
    del draft
    gc.collect()
    assert engine() is not None
    frame = (ctypes.c_int64 * 32)()
    assert run(ctypes.addressof(frame)) == 0


def test_what_somebody_waits_for_is_a_draft_until_the_other_is_on_disk(loaded: runner_code._Loaded) -> None:
    assert runner_code.runner_code().is_draft
    assert runner_code.baseline_code().is_draft
    assert runner_code.drafts() == ["runner", "baseline"]
    for what in runner_code.drafts():
        runner_code.make_good(what)
    assert runner_code.drafts() == ["runner", "baseline"]  # nobody looks all the time
    loaded.look_s = dict.fromkeys(loaded.look_s, 0.0)
    assert not runner_code.runner_code().is_draft
    assert not runner_code.baseline_code().is_draft
    assert runner_code.drafts() == []


def test_who_waits_for_fused_kernels_waits_for_the_good_code(loaded: runner_code._Loaded) -> None:
    with override(compile="eager"):
        assert not runner_code.runner_code().is_draft


@pytest.mark.parametrize("is_draft", [True, False])
def test_a_draft_runs_a_tape_like_the_good_code(is_draft: bool, loaded: runner_code._Loaded) -> None:
    if not is_draft:
        runner_code.make_good("runner")
    assert runner_code.runner_code().is_draft == is_draft
    x = np.arange(5)
    out = np.zeros(5, np.int64)
    toys.adding(5, times=3, chunk=2).run(toys.addresses([x, out]), 0)
    assert out.tolist() == (3 * x).tolist()


def test_a_worker_that_starts_makes_what_is_a_draft(loaded: runner_code._Loaded) -> None:
    store = KernelStore()
    try:
        runner_code.runner_code()
        done: list[int] = []
        store.request([chain(5)], lambda: done.append(1))
        wait_for(store, lambda: done)
        loaded.look_s = dict.fromkeys(loaded.look_s, 0.0)
        assert not runner_code.runner_code().is_draft  # it came before the kernel
    finally:
        store.stop_worker()


def test_word_functions_alone_are_reason_to_start_a_worker(loaded: runner_code._Loaded) -> None:
    store = KernelStore()
    try:
        runner_code.baseline_code()
        store.order("baseline")
        assert store._worker is not None
        until_s = time.monotonic() + 60
        while runner_code.baseline_code().is_draft:
            assert time.monotonic() < until_s
            time.sleep(0.05)
    finally:
        store.stop_worker()


def test_without_a_worker_the_good_code_is_made_here(loaded: runner_code._Loaded) -> None:
    def no_worker() -> Worker:
        raise OSError("no process for it")

    runner_code.runner_code()
    KernelStore(start_worker=no_worker).order("runner")
    loaded.look_s = dict.fromkeys(loaded.look_s, 0.0)
    assert not runner_code.runner_code().is_draft


def _thrice(program: Program) -> list[int]:
    """What a program that adds 3 times makes of 0, 1, 2, 3, 4."""
    out = np.zeros(5, np.int64)
    program.run(toys.addresses([np.arange(5), out]), 0)
    return out.tolist()


def test_until_there_is_code_python_runs_short_tapes_and_then_a_draft_is_made(loaded: runner_code._Loaded) -> None:
    program = toys.adding(5, times=3)
    assert _thrice(program) == [0, 3, 6, 9, 12]
    assert loaded.code["runner"] is None
    assert runner_code.drafts() == ["runner"]  # a worker is to make it
    for _ in range(5000):
        if loaded.code["runner"] is not None:
            break
        assert _thrice(program) == [0, 3, 6, 9, 12]
    assert loaded.code["runner"] is not None
    assert loaded.code["runner"].is_draft
    assert 0.9 * runner_code._PATIENCE_S < loaded.by_python_s["runner"] <= runner_code._PATIENCE_S


def test_code_that_comes_to_the_disk_takes_over_from_python(loaded: runner_code._Loaded) -> None:
    program = toys.adding(5, times=3)
    _thrice(program)
    runner_code.make_good("runner")
    loaded.look_s = dict.fromkeys(loaded.look_s, 0.0)
    assert _thrice(program) == [0, 3, 6, 9, 12]
    assert loaded.code["runner"] is not None
    assert not loaded.code["runner"].is_draft


def test_python_does_not_run_what_takes_long(loaded: runner_code._Loaded) -> None:
    toys.adding(5, times=100_000).run(toys.addresses([np.arange(5), np.zeros(5, np.int64)]), 0)
    assert loaded.code["runner"] is not None


def test_python_looks_at_no_more_objects_than_it_would_run(loaded: runner_code._Loaded) -> None:
    held([object()] * 100)
    assert loaded.code["runner"] is None
    held([object()] * 5000)
    assert loaded.code["runner"] is not None


def test_python_hears_ctrl_c_when_a_tape_is_done(loaded: runner_code._Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
    called = runner_kernels.call_kernel

    def interrupted(*words: int) -> int:
        signal.raise_signal(signal.SIGINT)
        return int(called(*words))

    program, out = toys.adding(5, times=3), np.zeros(5, np.int64)
    with monkeypatch.context() as patch:
        patch.setattr(runner_kernels, "call_kernel", interrupted)
        with pytest.raises(runner.RunOver):
            program.run(toys.addresses([np.arange(5), out]), 0)
    assert out.tolist() == [0, 3, 6, 9, 12]
    assert _thrice(program) == [0, 3, 6, 9, 12]
    assert loaded.code["runner"] is None


def test_nobody_waits_for_code_to_look_at_few_objects(loaded: runner_code._Loaded) -> None:
    kept = [object(), object()]
    assert held([[], *kept, {}]) is None
    assert loaded.code["runner"] is None
    runner_code.runner_code()
    assert held([[], *kept, {}]) == bytes([0, 1, 1, 0])


def test_with_its_code_on_disk_a_run_does_not_import_what_makes_it(folder: pathlib.Path) -> None:
    for what in ("runner", "baseline"):
        runner_code._object_code(what, True)
    bytecode = f"""
import sys
from nbgrad.config import settings
settings.cache_dir = {str(folder)!r}
import numpy as np
from nbgrad.runtime.runner import Program
Program(np.empty((0, 6)), np.zeros(1), np.empty((0, 3)), np.zeros((1, 3)), 0)
Program(np.empty((0, 6)), np.empty(0), np.empty((0, 3)), np.empty((0, 3)), 0).run([], 0)
slow = ("numba", "numpy.ma", "nbgrad.runtime.word_code", "nbgrad.runtime.numba_words", "nbgrad.runtime.runner_kernels")
print([name for name in slow if name in sys.modules])
"""
    assert printed("-c", bytecode) == "[]\n"


def test_a_forked_child_can_load_the_code_though_another_thread_was_at_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(runner_code._loaded.code, "runner", None)
    with runner_code._loaded.lock:
        assert holds_in_child(lambda: runner_code.runner_code().address > 0)
