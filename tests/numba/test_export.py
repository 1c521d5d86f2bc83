"""Computations as functions for ``@njit`` code: nbgrad's bits at any sizes, what is bound, and what is refused."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit

import nbgrad as nb
import nbgrad.numba
from nbgrad.errors import ArgumentError, DTypeError, LinAlgError, NbgradError, RunError, TensorIndexError
from nbgrad.numba import export
from tests.fresh import fresh

RNG = np.random.default_rng(0)
W1, W2 = (nb.tensor(RNG.standard_normal(shape), dtype=nb.float32) for shape in ((8, 16), (16, 3)))


def rosenbrock(x: Any) -> Any:
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()


def network(x: Any, b: Any) -> Any:
    return (((x @ W1 + b).tanh() @ W2).log_softmax(-1)[:, 0] * -1.0).mean()


def several(x: Any, at: Any, a: Any) -> Any:
    return x.t(), (x * a).sum(1)[at], x > 0.5, at * 2, x[0, 0]


def curvature(x: Any, v: Any) -> Any:
    (g,) = nb.autograd.grad(rosenbrock(x), x, create_graph=True)
    return nb.autograd.grad(g, x, grad_outputs=v)[0]


def singles(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def doubles(*shape: int) -> Any:
    return RNG.standard_normal(shape)


def places(*at: int) -> Any:
    return np.array(at)


# A function, its examples, and arguments of other sizes.
VALUES: dict[str, tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]] = {
    "sum of squares": (rosenbrock, (doubles(4),), (doubles(1000),)),
    "float32": (rosenbrock, (singles(4),), (singles(7),)),
    "bound tensors": (network, (singles(4, 8), singles(16)), (singles(9, 8), singles(16))),
    "several results": (several, (doubles(2, 3), places(1), 0.0), (doubles(4, 5), places(3, 0), -1.5)),
    "a second derivative": (curvature, (doubles(3), doubles(3)), (doubles(12), doubles(12))),
    "no elements": (lambda x: (x * 2.0, x.sum()), (doubles(2, 3),), (doubles(0, 3),)),
    "an argument itself": (lambda x: x, (doubles(2),), (doubles(5),)),
    "LAPACK": (lambda a, b: nb.linalg.solve(a @ a.T + 1.0, b), (np.eye(2), doubles(2)), (doubles(5, 5), doubles(5))),
}


def plainly(fn: Callable[..., Any], *arrays: Any) -> list[Any]:
    tensors = [nb.tensor(x, dtype=nb.float64) if isinstance(x, float) else nb.tensor(x) for x in arrays]
    tensors = [x.requires_grad_() if x.is_floating_point() else x for x in tensors]
    found = fn(*tensors)
    return [y.detach().numpy() for y in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.parametrize("case", VALUES)
def test_values_are_nbgrads_at_all_sizes(case: str) -> None:
    fn, examples, others = VALUES[case]
    compiled = nbgrad.numba.njit(fn, *examples)
    for arguments in (examples, others, examples):
        found = compiled(*arguments)
        for y, expected in zip(found if isinstance(found, tuple) else (found,), plainly(fn, *arguments), strict=True):
            assert np.asarray(y).shape == expected.shape
            assert not expected.ndim or y.dtype == expected.dtype  # of numbers Numba makes Python's
            assert (np.asarray(y) == expected).all()


@pytest.mark.parametrize("case", ["sum of squares", "float32", "bound tensors"])
def test_gradients_are_nbgrads(case: str) -> None:
    fn, examples, others = VALUES[case]
    compiled = nbgrad.numba.value_and_grad(fn, *examples)
    for arguments in (examples, others):
        tensors = [nb.tensor(x, requires_grad=True) for x in arguments]
        loss = fn(*tensors)
        loss.backward()
        value, *gradients = compiled(*arguments)
        assert value == loss.item()
        for g, x in zip(gradients, tensors, strict=True):
            assert (g == x.grad.numpy()).all()


value_and_grad = nbgrad.numba.value_and_grad(rosenbrock, np.zeros(3))


def test_failures_are_the_errors_of_the_call_itself_at_the_users_line() -> None:
    pick = nbgrad.numba.njit(lambda x, at: x[at], np.zeros(3), places(0))

    @njit
    def picked(x: Any, at: Any) -> Any:
        return pick(x, at)

    for call in (pick, picked):
        with pytest.raises(TensorIndexError, match=r"^index out of range") as refused:
            call(np.zeros(4), places(4))
        assert "in test_export.py:" in str(refused.value)
        assert call(np.arange(4.0), places(3)) == [3.0]
    divide = nbgrad.numba.njit(lambda x, y: x // y, places(1), places(1))
    with pytest.raises(RunError, match="integer division by zero"):
        divide(places(1, 2), places(1, 0))
    solve = nbgrad.numba.njit(nb.linalg.solve, np.eye(3), np.ones(3))
    with pytest.raises(LinAlgError, match="singular"):
        solve(np.zeros((2, 2)), np.ones(2))
    assert solve(np.eye(2), np.ones(2)).tolist() == [1.0, 1.0]


def test_what_cannot_be_compiled_for_new_sizes_is_raised_where_these_came_up() -> None:
    fifth = nbgrad.numba.njit(lambda x: x[4], np.zeros(5))

    @njit
    def two(x: Any) -> Any:
        return fifth(x) + 1.0

    for call in (fifth, two):
        with pytest.raises(TensorIndexError, match="index 4 is out of bounds") as refused:
            call(np.zeros(3))
        assert refused.value.__notes__ == ["while <lambda> was compiled for arguments of shapes [(3,)]"]
    assert two(np.arange(9.0)) == 5.0


def test_njit_code_can_catch_failures() -> None:
    fifth = nbgrad.numba.njit(lambda x: x[4], np.zeros(5))

    @njit
    def safe(x: Any) -> Any:
        try:
            return fifth(x)
        except Exception:
            return -1.0

    assert [safe(np.zeros(3)), safe(np.arange(6.0)), safe(np.zeros(3))] == [-1.0, 4.0, -1.0]
    with pytest.raises(ArgumentError, match="shares memory"):  # and not that which was caught
        value_and_grad(x := np.zeros(3), out=x)


def test_there_is_an_end_to_new_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    double = nbgrad.numba.njit(lambda x: x * 2.0, np.zeros(1))
    monkeypatch.setattr(export, "_MOST_SIZES", 2)
    double(np.zeros(2))
    with pytest.raises(ArgumentError, match="more than 2 combinations of sizes"):
        double(np.zeros(3))
    assert double(np.ones(2)).tolist() == [2.0, 2.0]


def test_it_must_give_the_same_dtypes_and_numbers_of_dims_for_all_sizes() -> None:
    odd = nbgrad.numba.njit(lambda x: x.sum() if x.shape[0] > 2 else x, np.zeros(3))
    with pytest.raises(ArgumentError, match=r"gives float64 of 1 dims for sizes \[2\], and gave float64 of 0 dims"):
        odd(np.zeros(2))
    several = nbgrad.numba.njit(lambda x: [x] * x.shape[0], np.zeros(2))
    with pytest.raises(ArgumentError, match="gives float64 of 1 dims, float64 of 1 dims, float64 of 1 dims for sizes"):
        several(np.zeros(3))


def test_a_tensor_is_bound_as_it_was_and_new_sizes_are_refused_once_it_has_changed() -> None:
    w = nb.tensor([2.0], dtype=nb.float64)
    scaled = nbgrad.numba.njit(lambda x: x * w, np.zeros(1))
    assert scaled(np.ones(2)).tolist() == [2.0, 2.0]
    w.mul_(5.0)
    assert scaled(np.ones(1)).tolist() == [2.0]
    assert scaled(np.ones(2)).tolist() == [2.0, 2.0]
    with pytest.raises(ArgumentError, match="no longer computes what it did when it was compiled"):
        scaled(np.ones(3))
    w.div_(5.0)
    assert scaled(np.ones(3)).tolist() == [2.0] * 3


def test_memory_of_numpys_and_numbers_are_bound_as_well() -> None:
    memory, factor = np.array([2.0]), [3.0]
    w = nb.from_numpy(memory)
    scaled = nbgrad.numba.njit(lambda x: x * w * factor[0], np.zeros(1))
    memory[0] = 5.0
    assert scaled(np.ones(1)).tolist() == [6.0]
    with pytest.raises(ArgumentError, match="no longer computes"):
        scaled(np.ones(2))
    memory[0], factor[0] = 2.0, 4.0
    with pytest.raises(ArgumentError, match="no longer computes"):
        scaled(np.ones(2))
    factor[0] = 3.0
    assert scaled(np.ones(2)).tolist() == [6.0] * 2


def test_programs_share_what_is_bound() -> None:
    w = nb.ones(1000, dtype=nb.float64)
    compute = nbgrad.numba.njit(lambda x: (x.sum() * w).sum() + nb.arange(x.shape[0]).sum(), np.zeros(2))
    assert compute(np.ones(3)) == 3003.0
    exported = export._alive[-1]
    bound = [copy for p in exported._programs.values() for copy in p._kept[2].values() if copy.nbytes == w.nbytes]
    assert bound[0] is bound[1]
    assert compute(np.ones(4)) == 4006.0


def test_new_sizes_may_come_up_without_gradients() -> None:
    compute = nbgrad.numba.value_and_grad(rosenbrock, np.zeros(2))
    for n, mode in ((3, nb.no_grad), (4, nb.inference_mode)):
        with mode():
            assert compute(np.full(n, 2.0))[0] == 401.0 * (n - 1)
    with nb.inference_mode():
        assert nbgrad.numba.value_and_grad(rosenbrock, np.zeros(2))(np.full(5, 2.0))[0] == 1604.0


def test_numbers_of_all_dtypes() -> None:
    given = np.float32(1.5), np.int8(-3), np.bool_(True)
    compute = nbgrad.numba.njit(lambda a, n, flag: (a * 2.0, n * 2, flag, a > n), *given)
    assert compute(*given) == (3.0, -6, True, True)
    assert compute(-4.0, 5, False) == (-8.0, 10, False, False)


def test_it_is_refused_where_numba_is_not_to_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.config.DISABLE_JIT", 1)
    with pytest.raises(ArgumentError, match="NUMBA_DISABLE_JIT is set"):
        nbgrad.numba.njit(rosenbrock, np.zeros(2))


def test_it_is_not_pickled() -> None:
    with pytest.raises(TypeError, match="rosenbrock cannot be pickled: addresses of this process"):
        pickle.dumps(value_and_grad)


CACHED = """
import sys, warnings
import numba, numpy as np, nbgrad.numba
from computed import f

compiled = nbgrad.numba.njit(f, np.zeros(2))

@numba.njit(cache=True)
def cached(x):
    return compiled(x)

print(cached(np.ones(2)))
"""


def test_numba_says_that_it_keeps_no_code_that_calls_it_and_none_is_found_after_a_change(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(CACHED)
    for factor in (2.0, 3.0):
        (tmp_path / "computed.py").write_text(f"def f(x):\n    return (x * {factor}).sum()\n")
        done = fresh("script.py", cwd=tmp_path, PYTHONDONTWRITEBYTECODE="1")
        assert done.stdout == f"{2 * factor}\n", done.stderr
        assert 'Cannot cache compiled function "cached" as it uses dynamic globals' in done.stderr
    assert not [*tmp_path.rglob("*.nbc")]


held = nb.zeros(2)


def ask(x: Any) -> Any:
    return x * x.sum().item()


def write(x: Any) -> Any:
    held.add_(1.0)
    return x + held


REFUSED: dict[str, tuple[Callable[[], Any], type[NbgradError], str]] = {
    "a look": (lambda: nbgrad.numba.njit(ask, np.zeros(2)), ArgumentError, "ask looks at values"),
    "random": (lambda: nbgrad.numba.njit(lambda x: x + nb.randn(2), np.zeros(2)), ArgumentError, "random numbers"),
    "a write": (lambda: nbgrad.numba.njit(write, np.zeros(2)), ArgumentError, "write writes to a tensor"),
    "no tensor": (lambda: nbgrad.numba.njit(lambda x: 3, np.zeros(2)), ArgumentError, "that gives Tensors"),
    "nothing": (lambda: nbgrad.numba.njit(lambda x: (), np.zeros(2)), ArgumentError, "that gives Tensors"),
    "no example": (lambda: nbgrad.numba.njit(ask), ArgumentError, "an example for each argument"),
    "columns": (lambda: nbgrad.numba.njit(ask, np.ones((2, 3)).T), ArgumentError, "example 1 of ask is not row-major"),
    "an int": (lambda: nbgrad.numba.njit(ask, 3), DTypeError, "must be an array, a Tensor or a float, not int"),
    "a text": (lambda: nbgrad.numba.njit(ask, "x"), DTypeError, "example 1 of ask must be an array"),
    "complex": (lambda: nbgrad.numba.njit(ask, np.zeros(2, complex)), DTypeError, "complex128, which tensors have not"),
    "no value": (
        lambda: nbgrad.numba.value_and_grad(lambda x: x, np.zeros(2)),
        ArgumentError,
        "gives a 0-d floating Tensor",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case: str) -> None:
    call, kind, text = REFUSED[case]
    with pytest.raises(kind, match=text) as refused:
        call()
    assert "test_export.py" in str(refused.value)
