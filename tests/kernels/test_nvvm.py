"""GPU kernels as ``@cuda.jit`` kernels: every form is compiled for all GPUs, to the bits of the CPU's kernels.

That takes no GPU: what numba-cuda makes runs on the machine for PTX in ``tests/kernels/ptx/``.
"""

from __future__ import annotations

import importlib.util
import re
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from nbgrad.config import override
from nbgrad.kernels import nvvm
from nbgrad.kernels.engine import maker_of
from nbgrad.kernels.nvvm import jit_ptx, nvvm_text
from nbgrad.kernels.ptx import emitted
from nbgrad.kernels.target import Target, cuda
from nbgrad.kernels.traits import with_traits
from nbgrad.log import fallbacks
from nbgrad.runtime.code import full_code, machine_code
from nbgrad.runtime.cuda.linker import MARK
from nbgrad.runtime.store import KernelStore
from nbgrad.tape.kernel import NARROW, UNORDERED, KernelText, Operand
from tests.kernels.corpus import sample_graph, tapes
from tests.kernels.test_long_rows import CASES, graph
from tests.kernels.test_ptx import all_texts, check, square_plus
from tests.kernels.test_scatter_rows import text_of
from tests.kernels.test_warps import LONGER, ON_PTX, SAMPLES, same_on_ptx, texts_of
from tests.ptxas import assemble, ptxas
from tests.samples import OpSample

ARCHES = ("sm_80", "sm_90", "sm_100")
JIT = "numba-cuda of the test's"
TARGETS = [cuda("sm_80", jit=JIT), cuda("sm_100", jit=JIT)]  # NVVM has one compiler up to sm_90, and another from there
IDS = ["sm_80", "sm_100"]
PATIENCE_S = 120.0
numba_cuda = pytest.mark.skipif(not importlib.util.find_spec("numba_cuda"), reason="numba-cuda is not installed")
linker = pytest.mark.skipif(not importlib.util.find_spec("cuda"), reason="cuda-bindings is not installed")


def one_of_each() -> list[KernelText]:
    """A kernel of each form with each set of traits."""
    texts = [text for name in CASES for text in texts_of(tapes(graph(name)[0], gpu=True)[1])]
    float32 = "float32"
    added = (Operand(float32, 1, "out"), Operand("int64", 1, "in"), Operand(float32, 1, "in"))
    texts += [with_traits(KernelText("scatter_add", 0, 0, added), (UNORDERED,))]
    texts += [with_traits(text_of(float32), (NARROW, UNORDERED))]
    texts += sorted(all_texts(), key=lambda text: -len(text.stmts))
    return list({(text.form, text.traits): text for text in reversed(texts)}.values())


@numba_cuda
@pytest.mark.parametrize("arch", ARCHES)
def test_every_form_is_compiled(arch: str, tmp_path: Path) -> None:
    texts = one_of_each()
    assert len({text.form for text in texts}) > 10
    assert {trait for text in texts for trait in text.traits} >= {UNORDERED, NARROW}
    for text in texts:
        made = jit_ptx(text, arch)
        check([text], arch, made)
        assert ".func" not in made or "nbe_" in made, "something is called that NVVM does not know"
        assert nvvm_name(text) not in made, "what the kernel does is not inlined"
        if ptxas() is not None:
            [usage] = [u for u in assemble(made, arch, tmp_path) if u.symbol == text.symbol]
            assert usage.registers > 0


def nvvm_name(text: KernelText) -> str:
    return f"{text.symbol}_entry"


@numba_cuda
@pytest.mark.parametrize("target", TARGETS, ids=IDS)
@pytest.mark.parametrize("name", dict.fromkeys(ON_PTX))
def test_operators_have_the_bits_of_the_cpus_kernels(name: str, target: Target) -> None:
    same_on_ptx(*sample_graph(name, SAMPLES[name]), target=target)


@numba_cuda
@pytest.mark.parametrize("target", TARGETS, ids=IDS)
@pytest.mark.parametrize("name", LONGER)
def test_they_have_them_over_more_than_a_warp(name: str, target: Target) -> None:
    op, inputs, params = LONGER[name]
    same_on_ptx(*sample_graph(op, [OpSample(inputs, params)]), target=target)


@numba_cuda
@pytest.mark.parametrize("target", TARGETS, ids=IDS)
@pytest.mark.parametrize("name", CASES)
def test_long_rows_have_them(name: str, target: Target) -> None:
    same_on_ptx(*graph(name), target=target)


def test_nvvm_is_told_how_everything_is_rounded_and_what_pointers_point_to() -> None:
    for text in [square_plus(), square_plus("float64"), *one_of_each()]:
        assert emitted([text], cuda("sm_75")) == emitted([text], cuda("sm_90")), "one text does for all"
        written = nvvm_text(text, "entry")
        assert not re.search(r"\bptr\b|= f(add|mul|neg) |@\"llvm\.(?!nvvm|ctpop|cttz)", written)
        assert set(re.findall(r"= fsub \w+ (\S+),", written)) <= {"-0.0"}  # as LLVM 7 says "with the other sign"
    written = nvvm_text(square_plus(), "entry")
    assert re.search(r"call float @\"llvm.nvvm.mul.rn.f\"\(float %v\d+, float %v\d+\)", written)
    assert 'define linkonce_odr void @"entry"(i8 addrspace(1)* %a0, i64 %a1,' in written


@numba_cuda
@linker
def test_what_is_kept_is_machine_code_that_says_who_made_it() -> None:
    code = full_code(square_plus(), TARGETS[0])
    assert code.startswith(MARK) and square_plus().symbol.encode() in code
    assert maker_of(code) == f"@cuda.jit, {JIT}"
    assert maker_of(machine_code([square_plus()], TARGETS[0])) == "a compiler"


class Loader:
    """What a device's driver would load the code with."""

    def __init__(self) -> None:
        self.loaded: list[bytes] = []

    def load(self, object_code: bytes) -> None:
        self.loaded.append(object_code)

    def addresses(self, symbols: Sequence[str]) -> list[int]:
        return [len(self.loaded)] * len(symbols)


@numba_cuda
@linker
def test_the_worker_makes_them(tmp_path: Path) -> None:
    loader, done = Loader(), list[None]()
    store = KernelStore(target=lambda: TARGETS[1], new_loader=lambda: loader)
    with override(cache_dir=tmp_path):
        assert store.request([square_plus()], lambda: done.append(None))
        begun_s = time.monotonic()
        while not done and time.monotonic() - begun_s < PATIENCE_S:
            time.sleep(0.01)
            store.poll()
        assert store.made_by([square_plus()]) == f"{square_plus().symbol}  @cuda.jit, {JIT}"
        assert KernelStore(target=lambda: TARGETS[1], new_loader=Loader).ready([square_plus()]), "it is on disk"
    store.stop_worker()


def test_drafts_and_whoever_did_not_ask_get_what_llvm_makes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvvm, "jit_ptx", None)
    for text, target in ((square_plus().draft, TARGETS[0]), (square_plus(), cuda("sm_80"))):
        assert full_code(text, target) == machine_code([text], target)
    assert KernelStore(target=lambda: TARGETS[0]).drafts_of([square_plus()]) == [square_plus().draft]
    assert KernelStore(target=lambda: cuda("sm_80")).drafts_of([square_plus()]) == [square_plus()]
    assert TARGETS[0].key == f"{cuda('sm_80').key} {JIT}"


def test_where_numba_cuda_fails_llvm_makes_the_kernel_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from nbgrad.runtime import code

    def fail(*args: object) -> object:
        raise AttributeError("this version has no such thing")

    monkeypatch.setitem(code._FOR_GPUS._found, "jit_ptx", fail)
    assert full_code(square_plus(), TARGETS[0]) == machine_code([square_plus()], TARGETS[0])
    assert any("no @cuda.jit kernels" in text and "no such thing" in text for text in fallbacks())
