"""The kernels of a computation as Numba's functions: the bits of nbgrad, from Python and from ``@njit`` code."""

from __future__ import annotations

import doctest
import importlib.util
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from numba import cfunc, njit, types

import nbgrad as nb
import nbgrad.numba
from nbgrad.errors import ArgumentError, DTypeError
from nbgrad.kernels.numba_cuda import CUDA_KERNEL
from nbgrad.kernels.numba_target import KERNEL
from nbgrad.runtime.executable import Executable
from tests.on_devices import cuda
from tests.passes.graphs import OVER_ROWS, Case, cases
from tests.passes.runs import run_plan, same_bits, unfused

X = np.linspace(-2, 2, 1001, dtype=np.float32)


def curve(x: nb.Tensor) -> nb.Tensor:
    return (x * x).tanh() + x


def test_the_example_runs() -> None:
    tests = doctest.DocTestFinder().find(nbgrad.numba, globs={"nbgrad": nb})
    assert sum([len(test.examples) for test in tests]) > 5
    assert all(doctest.DocTestRunner().run(test).failed == 0 for test in tests)


def test_a_kernel_is_called_from_njit_code_and_from_python() -> None:
    [kernel] = nbgrad.numba.kernels(curve, nb.ones(7))

    @njit  # type: ignore[untyped-decorator]
    def apply(x: Any, out: Any) -> int:
        desc = np.empty(5, np.int64)
        desc[0], desc[1], desc[2] = x.size, x.ctypes.data, x.itemsize
        desc[3], desc[4] = out.ctypes.data, out.itemsize
        return int(kernel(desc, 0, x.size))

    out = np.zeros_like(X)
    assert apply(X, out) == 0
    expected = curve(nb.tensor(X)).numpy()
    assert same_bits([out], [expected])
    out[:] = 0
    desc = np.array([X.size, X.ctypes.data, 4, out.ctypes.data, 4])
    assert kernel(desc, 0, 500) == 0
    assert same_bits([out[:500]], [expected[:500]])
    assert not out[500:].any()
    assert kernel(desc, 500, 1001) == 0
    assert same_bits([out], [expected])


def test_a_wrong_call_of_a_kernel_says_what_is_expected() -> None:
    [kernel] = nbgrad.numba.kernels(lambda x: x * 2.0, nbgrad.ones(4))
    with pytest.raises(DTypeError, match=r"desc is array\(float64, 1d, C\); give a contiguous array of int64"):
        kernel(np.zeros(5), 0, 4)
    with pytest.raises(DTypeError, match=r"begin and end are int64 and float64; give whole numbers"):
        kernel(np.zeros(5, np.int64), 0, 4.0)


def test_it_is_a_dispatcher_that_can_be_looked_into_and_that_explain_names() -> None:
    [kernel] = nbgrad.numba.kernels(curve, nb.ones(7))
    signature = kernel.signatures[0]
    assert (
        str(kernel.overloads[signature].signature)
        == "(Array(int64, 1, 'C', False, aligned=True), int64, int64) -> int32"
    )
    llvm, asm = kernel.inspect_llvm(signature), kernel.inspect_asm(signature)
    assert "x float>" in llvm
    assert kernel.__name__ in asm
    explanation = nb.explain(curve, nb.ones(7))
    assert kernel.__name__ in explanation["code"]
    assert kernel.__name__ in explanation["kernels"]
    assert explanation["code"].strip() in (kernel.__doc__ or "")
    assert nbgrad.numba.kernels(curve, nb.ones(9)) == [kernel]  # sizes are no part of it


@settings(max_examples=10)
@given(cases() | cases(most_steps=8, kinds=OVER_ROWS))
def test_random_graphs_have_the_same_bits_on_kernels_that_numba_alone_compiles(case: Case) -> None:
    expected = run_plan(unfused(case.roots), case.inputs, case.scalars)
    plan = unfused(case.roots)
    tape = plan._fused()[2]
    called = [cfunc(KERNEL)(_calling(nbgrad.numba._dispatcher(i.text))) for i in tape.instructions]
    plan._executable = Executable(tape, [function.address for function in called])
    assert same_bits(run_plan(plan, case.inputs, case.scalars), expected)


def _calling(kernel: Any) -> Any:
    return lambda desc, begin, end: kernel(desc, begin, end)


@pytest.mark.skipif(importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda is not installed")
def test_what_runs_on_a_gpu_are_cuda_jit_kernels_that_no_gpu_is_needed_for() -> None:
    from numba.cuda import compile_ptx, jit

    with cuda() as device:
        [kernel] = nbgrad.numba.kernels(curve, nb.ones(7, device=device))
        assert nbgrad.numba.kernels(curve, nb.ones(9, device=device)) == [kernel]
        assert kernel.__name__ in nb.explain(curve, nb.ones(7, device=device))["code"]
    assert type(kernel) is type(jit(lambda: None))
    assert (kernel.__doc__ or "").splitlines()[-1] == "  desc = i0, in0, in0 by i0, out1, out1 by i0"
    words, codes, number = types.int64[::1], types.int32[::1], types.int64
    with_arrays = types.void(words, number, number, codes, number, number, words)
    for signature in (CUDA_KERNEL, with_arrays):
        ptx, _ = compile_ptx(kernel.py_func, signature, cc=(9, 0))
        assert ptx.count("mul.rn.f32") > 1 and ptx.count(".entry") == 1
    for wrong in (types.float64[::1], types.int64[:], types.int32[::1]):
        with pytest.raises(Exception, match="No implementation of function"):
            compile_ptx(kernel.py_func, types.void(wrong, *CUDA_KERNEL.args[1:]), cc=(9, 0))


def test_without_numba_cuda_they_say_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with cuda() as device, pytest.raises(ArgumentError, match=r"pip install 'nbgrad\[cuda\]'"):
        nbgrad.numba.kernels(lambda x: (x * x).exp(), nb.ones(7, device=device))
