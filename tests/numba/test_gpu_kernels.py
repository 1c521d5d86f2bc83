"""``@cuda.jit`` kernels as operators: on a simulated GPU, where numba-cuda's own simulator runs them, and as PTX."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numba import cuda, float64, njit

import nbgrad as nb
import nbgrad.numba
from nbgrad.config import override
from nbgrad.errors import ArgumentError, DTypeError, DTypeNotImplementedError, GradError, RunError
from nbgrad.kernels.target import cuda as gpu_target
from nbgrad.numba.gpu_kernels import CudaKernel, cuda_function
from tests import on_devices
from tests.kernels.ptx.machine import Warp
from tests.kernels.ptx.module import Module

N = 6
THREADS = 4
MISSING = pytest.mark.skipif(not importlib.util.find_spec("numba_cuda"), reason="numba-cuda is not installed")


@pytest.fixture
def device() -> Iterator[str]:
    with on_devices.cuda() as name:
        yield name


@cuda.jit
def scaled(x: Any, rate: Any, y: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i] * x[i] * rate[0]


@cuda.jit
def scaled_backward(x: Any, rate: Any, y: Any, gy: Any, gx: Any, grate: Any) -> None:
    i = cuda.grid(1)
    if i < x.size:
        gx[i] = 2.0 * x[i] * rate[0] * gy[i]
        cuda.atomic.add(grate, 0, gy[i] * x[i] * x[i])


@cuda.jit
def scaled_twice(
    x: Any, rate: Any, y: Any, gy: Any, gx: Any, gr: Any, ux: Any, ur: Any, hx: Any, hr: Any, hy: Any, hgy: Any
) -> None:
    """Of ux * gx + ur * gr."""
    i = cuda.grid(1)
    if i < x.size:
        hx[i] = 2.0 * gy[i] * (ux[i] * rate[0] + ur[0] * x[i])
        cuda.atomic.add(hr, 0, 2.0 * ux[i] * x[i] * gy[i])
        hgy[i] = 2.0 * ux[i] * x[i] * rate[0] + ur[0] * x[i] * x[i]


@cuda.jit(device=True)
def doubled(x: Any) -> Any:
    return x + x


@cuda.jit
def turned(x: Any, at: Any, y: Any, last: Any) -> None:
    """Each block's rows of x, doubled, in the opposite order; and the element of x that ``at`` names."""
    tile = cuda.shared.array((THREADS, 2), float64)
    i, j = cuda.grid(2)
    k = cuda.threadIdx.x
    if i < x.shape[0] and j < x.shape[1]:
        tile[k, j] = doubled(x[i, j])
    cuda.syncthreads()
    other = THREADS - 1 - k
    if i < x.shape[0] and i - k + other < x.shape[0] and j < x.shape[1]:
        y[i - k + other, j] = tile[k, j]
    if i == 0 and j == 0:
        last[0] = x[at[0], at[1]]


@cuda.jit
def squares(x: Any, y: Any) -> None:
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        y[j, i] = x[i, j] * x[i, j] + 1.0


@cuda.jit
def outside(x: Any, y: Any) -> None:
    y[cuda.grid(1) + 100000] = x[0]


def numbers(*shape: int) -> Any:
    return np.random.default_rng(0).standard_normal(shape)


@MISSING
def test_values_and_gradients(device: str) -> None:
    op = nb.operator(scaled, nb.operator(scaled_backward[2, THREADS], scaled_twice[2, THREADS]))
    x = nb.tensor(numbers(N), device=device, requires_grad=True)
    rate = nb.tensor([0.5], dtype=nb.float64, device=device, requires_grad=True)
    np.testing.assert_array_equal(op(x, rate).detach().cpu().numpy(), numbers(N) ** 2 * 0.5)
    assert nb.autograd.gradcheck(op, (x, rate)) and nb.autograd.gradgradcheck(op, (x, rate))
    (op(x * 2.0, rate) + 1.0).sum().backward()
    assert x.grad is not None and rate.grad is not None
    np.testing.assert_allclose(x.grad.cpu().numpy(), 4.0 * numbers(N), rtol=1e-15)
    np.testing.assert_allclose(rate.grad.cpu().numpy(), [4.0 * (numbers(N) ** 2).sum()], rtol=1e-14)


@MISSING
def test_shared_memory_other_functions_two_dims_and_several_results(device: str) -> None:
    op = nb.operator(turned[(2, 1), (THREADS, 2)], shapes=lambda x, at: [x, (1,)])
    x = nb.tensor(numbers(2 * THREADS, 2), device=device)
    y, last = op(x, nb.tensor([5, 1], device=device))
    blocks = numbers(2 * THREADS, 2).reshape(2, THREADS, 2)
    np.testing.assert_array_equal(y.cpu().numpy(), 2.0 * blocks[:, ::-1].reshape(-1, 2))
    assert last.item() == numbers(2 * THREADS, 2)[5, 1]
    with pytest.raises(GradError, match="turned: has no derivative"):
        op(x.requires_grad_(), nb.tensor([5, 1], device=device))[0].sum().backward()


@MISSING
def test_a_compiled_step_launches_it_again_and_again(device: str) -> None:
    op = nb.operator(scaled[2, THREADS], scaled_backward[2, THREADS])
    rate = nb.tensor([0.5], dtype=nb.float64, device=device)

    @nb.compile
    def step(x: nb.Tensor) -> nb.Tensor:
        x = x.detach().requires_grad_()
        (op(x.exp(), rate) * 3.0).sum().backward()
        assert x.grad is not None
        return x.grad

    for k in range(4):
        x = numbers(N) + k
        np.testing.assert_allclose(step(nb.tensor(x, device=device)).cpu().numpy(), 3.0 * np.exp(2.0 * x), rtol=1e-13)


@MISSING
def test_without_a_compiler_it_is_simulated_on_arrays(device: str) -> None:
    with override(interpret=True):
        x = nb.tensor(numbers(3, 2), device=device)
        y = nb.operator(squares[(3, 2), (1, 1)], shapes=lambda x: x[::-1])(x)
        np.testing.assert_array_equal(y.cpu().numpy(), (numbers(3, 2) ** 2 + 1.0).T)


@MISSING
@pytest.mark.parametrize("fastmath", [False, True])
def test_its_ptx_finds_its_arrays(fastmath: bool) -> None:
    own = cuda_function("forward", cuda.jit(fastmath=fastmath)(squares.py_func))
    with on_devices.cuda():
        kernel = CudaKernel(own, (("float64", 2), ("float64", 2)))
    x, y = numbers(3, 2), np.zeros((2, 3))
    words = np.array([0, x.ctypes.data, 3, 2, y.ctypes.data, 2, 3], np.int64)
    launch = kernel.launch([*words])
    assert (launch.dims, launch.shared_bytes) == ((1, 1, 1, 128, 1, 1), 0)
    text = kernel.ptx("sm_80")
    assert text.count(".entry") == 1 and f".entry {kernel.symbol}(" in text
    for column in range(2):
        registers = {"ctaid.x": 0, "ctaid.y": column, "ntid.x": 32, "ntid.y": 1, "tid.x": 0, "tid.y": 0}
        warp = Warp(Module(text), registers, np.zeros(16, np.uint8))
        warp.special["%tid.x"] = np.arange(32, dtype=np.uint64)
        warp.run(kernel.symbol, [words.ctypes.data, 1, 1, 0, 0, 0])
    np.testing.assert_allclose(y, (x * x + 1.0).T, rtol=1e-15)
    assert kernel.code(gpu_target("sm_80"))


REFUSED: dict[str, tuple[Any, type[Exception], str]] = {
    "a tensor on the CPU": (
        lambda x: nb.operator(scaled)(x.cpu(), x.cpu()),
        DTypeNotImplementedError,
        r"argument 1 is on cpu, and the function is a @cuda.jit kernel: call it with x.cuda\(\)",
    ),
    "a function for the CPU": (
        lambda x: nb.operator(njit(scaled.py_func))(x, x),
        DTypeNotImplementedError,
        r"argument 1 is on cuda:0, and the function is one for the CPU: call it with x.cpu\(\)",
    ),
    "a backward for the CPU": (
        lambda x: nb.operator(scaled, njit(scaled_backward.py_func)),
        DTypeError,
        "argument 'backward' must be a @cuda.jit kernel, as 'forward' is, not CPUDispatcher",
    ),
    "an operator for the CPU as backward": (
        lambda x: nb.operator(scaled, nb.operator(njit(scaled_backward.py_func))),
        DTypeError,
        "scaled and its backward must both be @cuda.jit kernels, or neither",
    ),
    "a derivative that is made": (
        lambda x: nb.operator(scaled, nbgrad.numba.differentiate),
        DTypeError,
        "argument 'backward' must be a @cuda.jit kernel",
    ),
    "a device function": (lambda x: nb.operator(doubled), ArgumentError, "a kernel with device= cannot be"),
    "what raises": (
        lambda x: nb.operator(outside[1, 1])(x).cpu().tolist(),
        RunError,
        r"CUDA_ERROR_LAUNCH_FAILED from launch: outside\(\) raised IndexError",
    ),
    "a kernel that cannot be compiled": (
        lambda x: CudaKernel(
            cuda_function("forward", cuda.jit(lambda x, y: x.no_such_thing())), (("float64", 1), ("float64", 1))
        ).ptx("sm_80"),
        DTypeError,
        r"<lambda>: Numba cannot compile it for arrays \(float64 of 1 dims, float64 of 1 dims\): Unknown attribute",
    ),
}


@MISSING
@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case: str, device: str) -> None:
    call, error, message = REFUSED[case]
    with pytest.raises(error, match=message):
        call(nb.tensor(numbers(N), device=device))


def test_without_numba_cuda_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ArgumentError, match=r"a @cuda.jit kernel needs numba-cuda: pip install 'nbgrad\[cuda\]'"):
        nb.operator(scaled)
