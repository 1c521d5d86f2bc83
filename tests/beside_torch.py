"""One program in both libraries: values, gradients and second derivatives side by side.

A program takes the library (``lib.nn``) and tensors, and gives a tensor or several. Where PyTorch is not installed,
tests that use this are skipped.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import nbgrad as nb

Program = Callable[..., Any]


def theirs() -> Any:
    return pytest.importorskip("torch", reason="PyTorch is the other side")


def tensors_of(lib: Any, arrays: Sequence[Any]) -> list[Any]:
    """Arrays as tensors; floating ones require grad."""
    made = [lib.tensor(a.tolist(), dtype=getattr(lib, a.dtype.name)) for a in map(np.asarray, arrays)]
    made = [t.reshape(np.asarray(a).shape) for t, a in zip(made, arrays, strict=True)]
    return [t.requires_grad_() if t.dtype.is_floating_point else t for t in made]


def parts(result: Any) -> list[Any]:
    """The tensors of a result."""
    if isinstance(result, (tuple, list)):
        return [t for part in result for t in parts(part)]
    return [] if result is None else [result]


def weighted(lib: Any, results: list[Any]) -> Any:
    """A number that has all results in it, each element with another weight."""
    total: Any = 0
    for k, y in enumerate(results):
        if y.requires_grad:
            weight = np.cos(np.arange(y.numel()) + k).reshape(tuple(y.shape)) + 0.1
            total = total + (y * lib.tensor(weight.tolist(), dtype=y.dtype).reshape(y.shape)).sum()
    return total


def answers(lib: Any, program: Program, arrays: Sequence[Any], *, order: int) -> list[Any]:
    """Values, gradients, and derivatives of the gradients' squares."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = tensors_of(lib, arrays)
        results = parts(program(lib, *given))
        wrt = [t for t in given if t.requires_grad]
        told = [t.detach() for t in results]
        level = weighted(lib, results)
        for rest in reversed(range(order if wrt else 0)):
            grads = _grads(lib, level, wrt, create_graph=rest > 0)
            told += [g.detach() for g in grads]
            level = sum([(g * g).sum() for g in grads])
    return [t.numpy() for t in told]


def _grads(lib: Any, level: Any, wrt: list[Any], *, create_graph: bool) -> list[Any]:
    """Zeros where there is nothing to differentiate."""
    if isinstance(level, int) or not level.requires_grad:
        return [lib.zeros_like(t) for t in wrt]
    found = lib.autograd.grad(level, wrt, create_graph=create_graph, allow_unused=True)
    return [lib.zeros_like(t) if g is None else g for g, t in zip(found, wrt, strict=True)]


def same(
    program: Program,
    *arrays: Any,
    order: int = 2,
    dtypes: Sequence[str] = ("float64", "float32"),
    rtol: float = 1e-9,
) -> None:
    """``program`` gives the same in both libraries, in float64 with derivatives up to ``order``, in float32 with the
    first ones."""
    torch = theirs()
    for name in dtypes:
        given = [a.astype(name) if np.asarray(a).dtype.kind == "f" else a for a in map(np.asarray, arrays)]
        depth = order if name == "float64" else min(order, 1)
        want = answers(torch, program, given, order=depth)
        got = answers(nb, program, given, order=depth)
        assert len(got) == len(want)
        near = rtol if name == "float64" else max(rtol, 2e-4)
        for a, b in zip(got, want, strict=True):
            assert a.dtype == b.dtype
            assert a.shape == b.shape
            scale = float(np.max(np.abs(b[np.isfinite(b)]), initial=1.0)) if b.dtype.kind == "f" else 1.0
            np.testing.assert_allclose(a, b, rtol=near, atol=near * scale)


def same_mistake(program: Program, *arrays: Any) -> None:
    """``program`` raises an error of nbgrad's that is also of PyTorch's class."""
    torch = theirs()
    with pytest.raises(Exception) as wanted:  # noqa: PT011 - which one is the question
        parts(program(torch, *tensors_of(torch, arrays)))
    builtin = next(c for c in type(wanted.value).__mro__ if c.__module__ == "builtins")
    with pytest.raises(builtin) as caught:
        [t.tolist() for t in parts(program(nb, *tensors_of(nb, arrays)))]
    assert isinstance(caught.value, nb.errors.NbgradError), repr(caught.value)


def same_module(make: Callable[[Any], Any], *arrays: Any, call: Program | None = None, rtol: float = 1e-9) -> Any:
    """``make(lib)`` gives modules alike: text, names and shapes of the state in order, how far starting values spread;
    with PyTorch's weights the same results and gradients, in float64. Gives nbgrad's."""
    torch = theirs()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other, own = make(torch).double(), make(nb).double()
    assert repr(own) == repr(other).replace("NonDynamicallyQuantizableLinear", "Linear")
    state = other.state_dict()
    assert [(k, tuple(v.shape)) for k, v in own.state_dict().items()] == [(k, tuple(v.shape)) for k, v in state.items()]
    for (name, p), q in zip(own.named_parameters(), other.parameters(), strict=True):
        assert p.requires_grad == q.requires_grad
        if p.numel() > 100:
            np.testing.assert_allclose(p.std().item(), q.std().item(), rtol=0.35, atol=1e-12, err_msg=name)
            np.testing.assert_allclose(p.abs().max().item(), q.abs().max().item(), rtol=0.5, err_msg=name)
    own.load_state_dict({k: nb.tensor(v.numpy()) for k, v in state.items()})
    run = call or (lambda lib, module, *x: module(*x))
    told = []
    for lib, module in ((nb, own), (torch, other)):
        given = tensors_of(lib, [np.asarray(a) for a in arrays])
        results = parts(run(lib, module, *given))
        level = weighted(lib, results)
        if not isinstance(level, int):
            level.backward()
        grads = [t.grad for t in [*given, *module.parameters()]]
        told.append([*[t.detach().numpy() for t in results], *[None if g is None else g.numpy() for g in grads]])
    for a, b in zip(*told, strict=True):
        assert (a is None or not a.any()) if b is None else a is not None or not b.any()
        if a is not None and b is not None:
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * float(np.max(np.abs(b), initial=1.0)))
    return own
