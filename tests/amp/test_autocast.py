"""``amp.autocast`` beside PyTorch: which function gives which dtype, nesting, compiled functions, gradients."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import nbgrad as nb
from nbgrad.calls import autocast as lists
from nbgrad.calls.base import CALLS
from nbgrad.utils.checkpoint import checkpoint
from tests.call_samples import CALL_SAMPLES
from tests.calls.test_half import run, torch
from tests.each import each
from tests.samples import CallSample
from tests.threads import in_threads


def cases() -> list[Any]:
    found = []
    for name, samples in CALL_SAMPLES.items():
        listed = name in lists.LOWER | lists.SINGLE | lists.WIDEST
        valid = [s for s in samples if s.error is None and name != "nextafter"][: 3 if listed else 1]
        found += [pytest.param(s, d, id=f"{name}-{k}") for k, s in enumerate(valid) for d in ("float32", "bfloat16")]
    return found


@each(cases())
def test_a_function_gives_pytorchs_dtype_and_value(sample: CallSample, dtype: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with torch.autocast("cpu"):
                want, _ = run(torch, sample, dtype)
        except (NotImplementedError, RuntimeError):
            return
        with nb.autocast("cpu"):
            got, _ = run(nb, sample, dtype)
    assert got.dtype.name == str(want.dtype).removeprefix("torch.")
    if want.dtype.is_floating_point:
        a, b = got.detach().float().numpy(), want.detach().float().numpy()
        np.testing.assert_allclose(a, b, rtol=2e-2, atol=2e-2)


def test_the_lists_name_calls_by_their_declarations() -> None:
    declared = {call.build.__name__ for call in CALLS.values()}
    on_cuda = lists.LOWER_ON_CUDA | lists.SINGLE_ON_CUDA | lists.WIDEST_ON_CUDA
    assert (lists.LOWER | lists.SINGLE | lists.WIDEST | on_cuda) - declared == set()
    assert lists.LOWER.isdisjoint(lists.SINGLE)


def states(lib: Any) -> list[Any]:
    """What holds in nested blocks, in a decorated function, after an exception."""
    found: list[Any] = []

    def look() -> None:
        dtype = str(lib.get_autocast_dtype("cpu")).split(".")[1]
        found.append((lib.is_autocast_enabled("cpu"), lib.is_autocast_enabled("cuda"), dtype))

    @lib.autocast("cpu", dtype=lib.float16)
    def inside() -> None:
        look()

    look()
    with lib.autocast("cpu"):
        look()
        with lib.autocast("cpu", enabled=False):
            look()
            inside()
        look()
    try:
        with lib.autocast("cpu", lib.float16):
            look()
            raise KeyError
    except KeyError:
        look()
    return found


def test_blocks_nest_as_in_pytorch() -> None:
    assert states(nb) == states(torch)


def test_a_wrong_device_or_dtype_is_pytorchs_error() -> None:
    for lib in (nb, torch):
        with pytest.raises(RuntimeError):
            lib.autocast("abacus")
        with pytest.raises(ValueError, match="device_type"):
            lib.autocast(3)
        with pytest.warns(UserWarning, match="Disabling autocast"), lib.autocast("cpu", lib.float32):
            assert not lib.is_autocast_enabled("cpu")


def test_another_thread_knows_nothing_of_it() -> None:
    seen: list[bool] = []
    with nb.autocast("cpu"):
        in_threads(lambda: seen.append(nb.is_autocast_enabled("cpu")))
    assert seen == [False]


def test_a_compiled_function_gives_what_each_block_asks_for() -> None:
    x = nb.randn(4, 4)
    f = nb.compile(lambda x: x @ x + 1, fullgraph=True)
    for _ in range(3):
        assert f(x).dtype is nb.float32
        with nb.autocast("cpu"):
            assert f(x).dtype is nb.bfloat16
            assert f(x).tolist() == (x @ x + 1).tolist()
        with nb.autocast("cpu", nb.float16):
            assert f(x).dtype is nb.float16


def test_a_block_inside_a_compiled_function_ends_there() -> None:
    @nb.compile
    def f(x: Any) -> Any:
        with nb.autocast("cpu"):
            y = x @ x
        return y, x @ x

    x = nb.randn(4, 4)
    for _ in range(4):
        assert [t.dtype for t in f(x)] == [nb.bfloat16, nb.float32]
    assert not nb.is_autocast_enabled("cpu")


def test_a_block_goes_on_over_a_look_at_a_value() -> None:
    x = nb.randn(4, 4)
    with nb.autocast("cpu"):
        y = x @ x
        y.sum().item()  # what was recorded has run; a new segment begins
        assert (x @ x).dtype is nb.bfloat16
    assert (x @ x).dtype is nb.float32


@pytest.mark.parametrize("again", [False, True], ids=["plain", "checkpoint"])
def test_gradients_are_pytorchs(again: bool) -> None:
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=s).astype(np.float32) for s in ((8, 5), (6, 5), (6,), (3, 6), (8, 3))]

    def grads(lib: Any) -> list[Any]:
        x, w, b, v, t = [lib.tensor(a) for a in arrays]
        for p in (w, b, v):
            p.requires_grad_()
        F = lib.nn.functional

        def body(x: Any) -> Any:
            return F.linear(F.gelu(F.linear(x, w, b)), v)

        with lib.autocast("cpu"):
            y = checkpoint(body, x, use_reentrant=False) if again and lib is nb else body(x)
            assert y.dtype is lib.bfloat16
            loss = F.mse_loss(y, t)
        loss.backward()
        assert {p.grad.dtype for p in (w, b, v)} == {lib.float32}
        return [loss.item(), *[p.grad.numpy() for p in (w, b, v)]]

    for got, want in zip(grads(nb), grads(torch), strict=True):
        np.testing.assert_allclose(got, want, rtol=3e-2, atol=3e-2 * float(np.abs(want).max()))


def custom(lib: Any, cast_inputs: Any) -> list[Any]:
    """What forward and backward of a custom function see, inside of autocast and outside."""
    amp, seen = lib.amp, []

    class Product(lib.autograd.Function):
        @staticmethod
        @amp.custom_fwd(device_type="cpu", cast_inputs=cast_inputs)
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            seen.append((str(x.dtype).split(".")[1], lib.is_autocast_enabled("cpu")))
            ctx.save_for_backward(x, y)
            return x @ y

        @staticmethod
        @amp.custom_bwd(device_type="cpu")
        def backward(ctx: Any, g: Any) -> Any:
            x, y = ctx.saved_tensors
            seen.append((str(g.dtype).split(".")[1], lib.is_autocast_enabled("cpu")))
            return g @ y.T, x.T @ g

    for enabled in (True, False):
        a, b = [lib.ones(2, 2).requires_grad_() for _ in range(2)]
        with lib.autocast("cpu", enabled=enabled):
            y = Product.apply(a, b)
        y.float().sum().backward()
        seen.append((str(y.dtype).split(".")[1], a.grad.tolist(), str(a.grad.dtype).split(".")[1]))
    return seen


@pytest.mark.parametrize("cast", [None, "float32"])
def test_custom_functions_run_as_their_decorators_say(cast: str | None) -> None:
    found = [custom(lib, None if cast is None else getattr(lib, cast)) for lib in (nb, torch)]
    assert found[0] == found[1]
